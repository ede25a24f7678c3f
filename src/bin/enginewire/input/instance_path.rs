//! Instances of a model file by their paths.

use bstr::BStr;
use enginewire::roblox::model::{Instance, Listing};

use crate::output::escape::escaped;

/// The one instance with this path.
pub fn one(listing: &Listing, path: &str) -> Result<usize, String> {
    let mut found = listing.find(BStr::new(path));
    match (found.next(), found.next()) {
        (Some(instance), None) => Ok(instance),
        (None, _) => Err(format!("there is no instance {path:?}")),
        (Some(_), Some(_)) => {
            let several = || listing.find(BStr::new(path));
            let instances = several().take(10).filter_map(|index| listing.instance(index));
            let addresses: Vec<_> = instances.map(|instance| address(listing, &instance)).collect();
            Err(format!("{} instances are {path:?}; name one of them: {}", several().count(), addresses.join(" ")))
        }
    }
}

/// What names an instance and no other: its referent, or its place in the file if others have the same referent.
fn address(listing: &Listing, instance: &Instance<'_>) -> String {
    let referent = format!("#{}", instance.referent);
    let is_alone = listing.find(BStr::new(&referent)).nth(1).is_none();
    if is_alone && referent.len() > 1 {
        return escaped(referent);
    }
    instance.place.to_string()
}

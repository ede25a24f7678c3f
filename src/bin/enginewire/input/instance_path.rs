//! Instances of a model file by their paths.

use bstr::BStr;
use enginewire::roblox::model::{Instance, Listing};

use crate::exit_status::Status;
use crate::input::models::Refusal;
use crate::output::escape::escaped;
use crate::suggest::nearest;

/// How many instances with the same path an error lists.
const LISTED: usize = 20;

/// The one instance with this path.
pub fn one(listing: &Listing, path: &str) -> Result<usize, Refusal> {
    let mut found = listing.find(BStr::new(path));
    match (found.next(), found.next()) {
        (Some(instance), None) => Ok(instance),
        (None, _) => Err((Status::NotFound, missing(listing, path))),
        (Some(_), Some(_)) => {
            let several = || listing.find(BStr::new(path));
            let instances = several().take(LISTED).filter_map(|index| listing.instance(index));
            let addresses: Vec<_> = instances.map(|instance| address(listing, &instance)).collect();
            let (count, addresses) = (several().count(), addresses.join(" "));
            let more = match count.saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let message =
                format!("{count} instances have the path {path:?}; use one of these instead: {addresses}{more}");
            Err((Status::Usage, message))
        }
    }
}

/// The error for a path that no instance has, with the paths that are most like it.
fn missing(listing: &Listing, path: &str) -> String {
    let paths = (0..listing.instances().len()).map(|index| listing.path(index).to_string());
    let similar: Vec<_> = nearest(path, paths).into_iter().map(|path| format!("{path:?}")).collect();
    match similar.is_empty() {
        true => format!("there is no instance {path:?}"),
        false => format!("there is no instance {path:?}; did you mean {}?", similar.join(" or ")),
    }
}

/// The unique name of an instance: its referent, or its place in the file if others have the same referent.
fn address(listing: &Listing, instance: &Instance<'_>) -> String {
    let referent = format!("#{}", instance.referent);
    let is_alone = listing.find(BStr::new(&referent)).nth(1).is_none();
    if is_alone && referent.len() > 1 {
        return escaped(referent);
    }
    instance.place.to_string()
}

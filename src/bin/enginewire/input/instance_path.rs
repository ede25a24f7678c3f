//! Instances of a model file by their paths.

use bstr::BStr;
use enginewire::roblox::model::{AttributeReference, Instance, Kind, Listing, Property};

use crate::exit_status::Status;
use crate::input::models::Refusal;
use crate::input::pattern::{is_like, is_pattern};
use crate::output::escape::escaped;
use crate::suggest::nearest;

/// How many instances with the same path an error lists.
const LISTED: usize = 20;

/// The instances that a path names, in ascending order: one, or all that a pattern fits.
pub fn matching(listing: &Listing, path: &str) -> Result<Vec<usize>, Refusal> {
    if !is_pattern(path) {
        return one(listing, path).map(|index| vec![index]);
    }
    // every path fits `**`, and need not be made
    let is_wanted = |index: &usize| path == "**" || is_like(&listing.path(*index).to_string(), path);
    let found: Vec<_> = (0..listing.instances().len()).filter(is_wanted).collect();
    match found.is_empty() {
        true => Err((Status::NotFound, format!("no instance is like {path:?}"))),
        false => Ok(found),
    }
}

/// The path of an instance and the property that an address names after it, if it names one: `Rule PropertiesSerialize`. An
/// instance that is called so comes first.
pub fn split<'a>(listing: &Listing, address: &'a str) -> (&'a str, Option<Kind>) {
    let named = |kind: Kind| Some((address.strip_suffix(kind.name())?.strip_suffix(' ')?, Some(kind)));
    match Kind::ALL.into_iter().find_map(named) {
        Some(split) if listing.find(BStr::new(address)).next().is_none() => split,
        _ => (address, None),
    }
}

/// The path of the instance and the name of the attribute of an address such as `Torch __attrRef_Target`: that of an attribute that
/// holds a reference.
pub fn of_reference<'a>(listing: &Listing, address: &'a str) -> Option<(&'a str, &'a str)> {
    let start = address.rfind(&format!(" {}", AttributeReference::PREFIX))?;
    let (path, property) = address.split_at_checked(start)?;
    let key = property.trim_start().strip_prefix(AttributeReference::PREFIX)?;
    listing.find(BStr::new(address)).next().is_none().then_some((path, key))
}

/// The address of a property: that of its instance, which is enough for attributes.
pub fn property_address(listing: &Listing, property: &Property<'_>) -> String {
    let instance = named(listing, property.instance);
    match property.kind {
        Kind::AttributesSerialize => instance,
        kind => format!("{instance} {}", kind.name()),
    }
}

/// The one instance with this path, or with this path and number: `Workspace.Part[2]`, counted from 0.
pub fn one(listing: &Listing, path: &str) -> Result<usize, Refusal> {
    let mut found = listing.find(BStr::new(path));
    if let (None, Some((path, number))) = (listing.find(BStr::new(path)).next(), numbered(path)) {
        let instance = listing.find(BStr::new(path)).nth(number);
        return instance.ok_or_else(|| (Status::NotFound, format!("there are not so many instances {path:?}")));
    }
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

/// A path and the number in brackets behind it.
fn numbered(path: &str) -> Option<(&str, usize)> {
    let (path, number) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((path, number.parse().ok()?))
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

/// How an instance is named so that no other is meant: by its path, or by what the error for several would list. If there is
/// no memory for looking whether there are others, its place names it, which is unique.
pub fn named(listing: &Listing, index: usize) -> String {
    let path = listing.path(index);
    match listing.instance(index) {
        Some(instance) if !listing.has_tables() => instance.place.to_string(),
        Some(instance) if listing.find(path.as_ref()).nth(1).is_some() => address(listing, &instance),
        instance => match (escaped(&path), instance) {
            // what is escaped could be the path of another, what begins so is a referent, a place or the end of a path, and
            // nothing at all looks like no address
            (shown, Some(instance))
                if *shown.as_bytes() != **path || shown.is_empty() || shown.starts_with(['#', '@', '…']) =>
            {
                address(listing, &instance)
            }
            (shown, _) => shown,
        },
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

//! Instances of a model file by their addresses.

use bstr::BStr;
use enginewire_files::roblox::model::{AttributeReference, Kind, Listing, Property};

use crate::exit_status::{Refusal, Status};
use crate::input::pattern::{is_like, is_pattern};
use crate::output::escape::escaped;
use enginewire::formats::nearest;

/// The maximum number of instances with the same path that an error lists.
const LISTED: usize = 20;

/// The instances that a path names, in ascending order: one, or all that a pattern fits.
pub fn matching(listing: &Listing, path: &str) -> Result<Vec<usize>, Refusal> {
    if !is_pattern(path) {
        return one(listing, path).map(|index| vec![index]);
    }
    // every path fits `**`, and need not be made
    let is_wanted = |index: &usize| {
        path == "**"
            || is_like(&listing.path(*index).to_string(), path)
            || is_like(&listing.numbered_path(*index).to_string(), path)
            || (path.contains('"') && is_like(&listing.address(*index), path))
    };
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

/// The one instance with this address.
pub fn one(listing: &Listing, address: &str) -> Result<usize, Refusal> {
    let mut found = listing.find(BStr::new(address));
    match (found.next(), found.next()) {
        (Some(instance), None) => Ok(instance),
        (None, _) => Err((Status::NotFound, missing(listing, address))),
        (Some(_), Some(_)) => {
            let several = || listing.find(BStr::new(address));
            let addresses: Vec<_> = several().take(LISTED).map(|index| named(listing, index)).collect();
            let (count, addresses) = (several().count(), addresses.join(" "));
            let more = match count.saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let message =
                format!("{count} instances have the path {address:?}; use one of these instead: {addresses}{more}");
            Err((Status::Usage, message))
        }
    }
}

/// The path of an instance without numbers, and where the paths of the instances around it end in it, and its own.
pub fn plain_path(path: &str) -> (String, Vec<usize>) {
    let (mut plain, mut ends, mut in_quotes, mut is_escaped) = (String::new(), Vec::new(), false, false);
    for char in path.chars().chain(['.']) {
        in_quotes ^= char == '"' && !is_escaped;
        is_escaped = in_quotes && char == '\\' && !is_escaped;
        if char == '.' && !in_quotes {
            let number = plain.strip_suffix(']').and_then(|plain| plain.rsplit_once('['));
            let number = number.filter(|(_, digits)| digits.parse::<u64>().is_ok());
            plain.truncate(number.map_or(plain.len(), |(name, _)| name.len()));
            ends.push(plain.len());
        }
        plain.push(char);
    }
    plain.pop();
    (plain, ends)
}

/// The error for a path that no instance has, with the paths that are most like it.
fn missing(listing: &Listing, path: &str) -> String {
    let without_number = path.strip_suffix(']').and_then(|path| path.rsplit_once('['));
    let without_number = without_number.filter(|(_, number)| number.parse::<u64>().is_ok());
    let mut others = without_number.map(|(path, _)| listing.find(BStr::new(path))).into_iter().flatten();
    if let (Some(first), count) = (others.next(), others.count()) {
        let (count, first) = (count.saturating_add(1), named(listing, first));
        return match count {
            1 => format!("no instance {path:?}; there is only {first}"),
            _ => format!("no instance {path:?}; there are {count}, and the first is {first}"),
        };
    }
    // the name of an instance, or the end of its path
    let anywhere = format!("**.{path}");
    let indices = 0..listing.instances().len();
    if !path.is_empty() && indices.clone().any(|index| is_like(&listing.path(index).to_string(), &anywhere)) {
        return format!("no instance {path:?}; did you mean {anywhere:?}?");
    }
    let paths = indices.map(|index| listing.numbered_path(index).to_string());
    let similar: Vec<_> = nearest(path, paths).into_iter().map(|path| format!("{path:?}")).collect();
    match similar.is_empty() {
        true => format!("no instance {path:?}"),
        false => format!("no instance {path:?}; did you mean {}?", similar.join(" or ")),
    }
}

/// The escaped address of an instance. No other instance has the same address.
pub fn named(listing: &Listing, index: usize) -> String {
    escaped(listing.address(index))
}

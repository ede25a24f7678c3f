//! `enginewire get`

use std::io;

use bstr::BStr;
use enginewire::roblox::attributes::{Entry, Value};
use enginewire::roblox::model::{Instance, Listing, Property};

use crate::args::{Common, Get};
use crate::console::Console;
use crate::exit_status::Status;
use crate::models::{self, EntryJson};
use crate::name::shown;
use crate::text::{escaped, escaped_bytes};

pub fn run(args: &Get, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let all = args.path.is_some();
    let listing = match models::list(&args.file, &models::options(common).all_instances(all), common.memory()) {
        Ok(listing) => listing,
        Err((status, message)) => {
            console.error(message)?;
            return Ok(status);
        }
    };
    let wanted = match &args.path {
        None => None,
        Some(path) => match one(&listing, path) {
            Ok(instance) => Some(instance),
            Err(message) => {
                console.error(format_args!("{message}\n  --> {}", shown(&args.file)))?;
                return Ok(Status::Malformed);
            }
        },
    };
    let mut found = 0usize;
    let mut highest = Status::Fine;
    let (count, over) = models::within(&listing, common.memory());
    for property in listing.properties().take(count) {
        if wanted.map_or(true, |wanted| wanted == property.instance) && models::is_attributes(&listing, &property) {
            highest = highest.max(get(&listing, &property, args, common, &mut found, console)?);
        }
    }
    if let Some(reason) = over {
        console.error(format_args!("{reason}\n  --> {}", shown(&args.file)))?;
        highest = highest.max(Status::Malformed);
    }
    for problem in &listing.problems {
        console.error(format_args!("{}\n  --> {}", models::problem_text(problem), shown(&args.file)))?;
        highest = highest.max(models::status(problem));
    }
    if let (Some(key), 0) = (&args.key, found) {
        console.error(format_args!("there is no attribute {key:?}\n  --> {}", shown(&args.file)))?;
        return Ok(highest.max(Status::Malformed));
    }
    Ok(highest)
}

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

fn get(
    listing: &Listing,
    property: &Property<'_>,
    args: &Get,
    common: &Common,
    found: &mut usize,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let (attributes, error) = models::partial(property, common);
    let wanted = |entry: &&Entry<'_>| args.key.as_ref().map_or(true, |key| *entry.key == key.as_str());
    for entry in attributes.iter().filter(wanted) {
        *found = found.saturating_add(1);
        if args.raw && args.key.is_some() {
            if let Value::String(text) = &entry.value {
                console.out().write_all(text)?;
                writeln!(console.out())?;
                continue;
            }
        }
        let EntryJson { name, value, .. } = EntryJson::new(entry)?;
        match (&args.path, &args.key) {
            (_, Some(_)) => writeln!(console.out(), "{value}")?,
            (Some(_), None) => writeln!(console.out(), "{}\t{name}\t{value}", escaped_bytes(&entry.key))?,
            (None, None) => {
                let [path, key] = [escaped_bytes(&listing.path(property.instance)), escaped_bytes(&entry.key)];
                writeln!(console.out(), "{path}\t{key}\t{name}\t{value}")?;
            }
        }
    }
    let Some((message, _)) = error else { return Ok(Status::Fine) };
    let place = models::name(listing, property);
    console.error(format_args!("{message}\n  --> {}: {place}", shown(&args.file)))?;
    Ok(Status::Malformed)
}

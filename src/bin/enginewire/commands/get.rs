//! `enginewire get`

use std::io;
use std::path::PathBuf;

use enginewire::roblox::attributes::{Entry, Value};
use enginewire::roblox::model::{self, Listing, Property};

use crate::exit_status::Status;
use crate::input::instance_path::one;
use crate::input::models::{self, EntryJson};
use crate::output::console::Console;
use crate::output::escape::escaped_bytes;
use crate::output::name::shown;
use crate::settings::Settings;

/// Read attributes of a model or place file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire get fixtures/roblox-model/attributes.rbxm
  enginewire get place.rbxl Workspace.Torch
  enginewire get place.rbxl Workspace.Torch Fuel

Without KEY, each line has the instance (unless PATH is given), the key, the
type and the value as JSON, separated by tabs.")]
pub struct Args {
    /// Model or place file; `-` is standard input
    pub file: PathBuf,

    /// Instance: its full name, such as Workspace.Torch, or # and its referent
    pub path: Option<String>,

    /// Name of an attribute
    pub key: Option<String>,

    /// With KEY: write a String as plain text, not as JSON
    #[arg(short, long)]
    pub raw: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    let all = args.path.is_some();
    let listing = match models::list(&args.file, &models::options(settings).all_instances(all), settings.memory()) {
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
            Err((status, message)) => {
                console.error(format_args!("{message}\n  --> {}", shown(&args.file)))?;
                return Ok(status);
            }
        },
    };
    let mut found = 0usize;
    let mut highest = Status::Fine;
    let (count, over) = models::within(&listing, settings.memory());
    for property in listing.properties().take(count) {
        if wanted.map_or(true, |wanted| wanted == property.instance) && model::is_attributes(&listing, &property) {
            highest = highest.max(get(&listing, &property, args, settings, &mut found, console)?);
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
        return Ok(highest.max(Status::NotFound));
    }
    Ok(highest)
}

fn get(
    listing: &Listing,
    property: &Property<'_>,
    args: &Args,
    settings: &Settings,
    found: &mut usize,
    console: &mut Console,
) -> io::Result<Status> {
    let (attributes, error) = models::partial(property, settings);
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

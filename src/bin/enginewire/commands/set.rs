//! `enginewire set`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::ValueEnum;
use enginewire::formats::{Described, TRAILING_BYTES};
use enginewire::roblox::attributes::{AttributesFormat, Patch, TypeId, Value};
use enginewire::roblox::model::{self, Change, InstancePlace, Kind, Store};
use serde_json::value::RawValue;

use crate::exit_status::Status;
use crate::files::atomic_write::{self, is_standard, is_standard_output, same_file, save, Locked};
use crate::input::instance_path::one;
use crate::input::models::{self, Refusal};
use crate::output::console::Console;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::suggest::nearest;

/// Change attributes of an instance in a model or place file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire set place.rbxl Workspace.Torch Fuel=Double:42 Name=String:Torch -o new.rbxl
  enginewire set place.rbxl Workspace.Torch 'Glow=Color3:{\"r\":1,\"g\":0.5,\"b\":0}' --in-place
  enginewire set place.rbxl Workspace.Torch --remove Fuel --in-place

A String value is given as plain text, any other value as JSON, as written by
`decode`. The rest of the file is kept byte for byte.")]
pub struct Args {
    /// Model or place file; `-` is standard input
    pub file: PathBuf,

    /// Instance: its full name, such as Workspace.Torch, or # and its referent
    pub path: String,

    /// Attributes to set; a String as plain text, any other value as JSON: `Spawn=Vector3:{"x":1,"y":2,"z":3}`
    #[arg(value_name = "KEY=TYPE:VALUE")]
    pub values: Vec<String>,

    /// Attribute to remove; repeatable
    #[arg(long, value_name = "KEY")]
    pub remove: Vec<String>,

    /// Change the properties of a StyleRule instead of its attributes
    #[arg(long)]
    pub style: bool,

    /// File to write, replaced only when complete; `-` is standard output. An existing file keeps its mode, owner and
    /// extended attributes
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Change the file itself, or the target of a symbolic link; several runs at once wait for each other
    #[arg(long)]
    pub in_place: bool,

    /// Also replace a read-only file or one of several hard links, and write to a device or named pipe
    #[arg(long)]
    pub force: bool,

    /// Compression of a changed chunk; `as-before` stores a chunk that was zstd without compression
    #[arg(long, value_name = "HOW", default_value = "as-before")]
    pub store: Storing,
}

/// How a chunk is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Storing {
    AsBefore,
    Raw,
    Lz4,
}

impl From<Storing> for Store {
    fn from(storing: Storing) -> Self {
        match storing {
            Storing::AsBefore => Store::AsBefore,
            Storing::Raw => Store::Raw,
            Storing::Lz4 => Store::Lz4,
        }
    }
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    match set(args, settings, console) {
        Ok(()) => Ok(Status::Fine),
        Err((status, message)) => console.error(message).map(|()| status),
    }
}

fn set(args: &Args, settings: &Settings, console: &mut Console) -> Result<(), Refusal> {
    let usage = |message: &str| (Status::Usage, message.to_owned());
    let out = match (&args.out, args.in_place) {
        (Some(_), true) => return Err(usage("use either -o or --in-place, not both")),
        (None, false) => {
            return Err(usage("choose a file for the copy with -o, or change the original with --in-place"))
        }
        (None, true) if is_standard(&args.file) => return Err(usage("standard input cannot be changed in place")),
        (Some(out), false) if same_file(&args.file, out) => {
            return Err(usage("the copy would overwrite the original; use --in-place for that"))
        }
        (Some(out), false) => out,
        (None, true) => &args.file,
    };
    if !args.in_place && is_standard_output(out) && io::stdout().is_terminal() {
        return Err(usage("refusing to write binary to a terminal; use -o FILE or a pipe"));
    }
    if args.values.is_empty() && args.remove.is_empty() {
        return Err(usage("nothing to change: give KEY=TYPE:VALUE or --remove KEY"));
    }
    let values = args.values.iter().map(|text| assignment(text)).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|message| (Status::Usage, message))?;
    let unwritable = |error: io::Error| (atomic_write::status(&error), format!("cannot write {}: {error}", shown(out)));
    if args.in_place {
        let mut file = Locked::open(out, args.force).map_err(unwritable)?;
        let bytes = file.read(settings.memory()).map_err(|error| models::unreadable(out, &error))?;
        return file.replace(&changed(&bytes, args, values, settings)?).map_err(unwritable);
    }
    let bytes = models::read(&args.file, settings.memory())?;
    let changed = changed(&bytes, args, values, settings)?;
    let written =
        if is_standard_output(out) { console.out().write_all(&changed) } else { save(out, &changed, args.force) };
    written.map_err(unwritable)
}

fn changed(
    file: &[u8],
    args: &Args,
    values: Vec<(String, Value<'static>)>,
    settings: &Settings,
) -> Result<Vec<u8>, Refusal> {
    let memory = settings.memory().saturating_sub(file.len());
    let options = models::options_within(memory, settings).all_instances(true).empty(true);
    let (place, kind, bytes) = patched(file, args, values, settings, &options)?;
    let changed = model::edit(file, &[Change::at(place, kind, &bytes)], args.store.into(), &options);
    Ok(changed.map_err(|error| models::refusal(&args.file, &error))?.into_owned())
}

/// Which property of which instance changes, and its bytes with the changes made.
fn patched(
    file: &[u8],
    args: &Args,
    values: Vec<(String, Value<'static>)>,
    settings: &Settings,
    options: &model::Options,
) -> Result<(InstancePlace, Kind, Vec<u8>), Refusal> {
    let at = |message: String| (Status::Malformed, format!("{message}\n  --> {}", shown(&args.file)));
    let listing = model::list_bytes(file, options).map_err(|error| models::refusal(&args.file, &error))?;
    if let Some(problem) =
        listing.problems.iter().find(|problem| !settings.formats.is(&TRAILING_BYTES) || !is_trailing(problem))
    {
        let reason = format!("the file is broken and is not changed: {}", models::problem_text(problem));
        return Err((models::status(problem), at(reason).1));
    }
    let missing = |message| (Status::NotFound, at(message).1);
    let index = one(&listing, &args.path).map_err(|(status, message)| (status, at(message).1))?;
    let Some(instance) = listing.instance(index) else { return Err(at("there is no such instance".to_owned())) };
    let kind = match instance.class {
        class if args.style && class == "StyleRule" => Kind::PropertiesSerialize,
        class if args.style => return Err(at(format!("{} is not a StyleRule, but a {class}", args.path))),
        _ => Kind::AttributesSerialize,
    };
    let blob = match listing.property(index, kind) {
        Some(property) => property.bytes.map_err(|error| at(error.to_string()))?,
        None => kind.none().into(),
    };
    let mut patch =
        Patch::new(blob, &AttributesFormat::options(&settings.formats)).map_err(|error| at(error.to_string()))?;
    for key in &args.remove {
        if !patch.remove(key) {
            return Err(missing(format!("there is no attribute {key:?} to remove")));
        }
    }
    for (key, value) in values {
        patch.insert(key, value).map_err(|error| at(error.to_string()))?;
    }
    let bytes = patch.encode(kind.empty()).map_err(|error| at(error.to_string()))?;
    Ok((instance.place, kind, bytes))
}

fn is_trailing(problem: &model::ModelError) -> bool {
    matches!(problem, model::ModelError::Trailing { .. })
}

/// Parses `KEY=TYPE:VALUE`: a String is plain text, any other value JSON.
fn assignment(text: &str) -> Result<(String, Value<'static>), String> {
    let parts = text.split_once('=').and_then(|(key, value)| Some((key, value.split_once(':')?)));
    let Some((key, (name, value))) = parts else {
        return Err(format!("expected KEY=TYPE:VALUE, such as Health=Double:100, found {text:?}"));
    };
    let Some(id) = TypeId::ALL.iter().find(|id| id.name().eq_ignore_ascii_case(name)) else {
        let names = nearest(name, TypeId::ALL.iter().map(|id| id.name()));
        let hint = if names.is_empty() { String::new() } else { format!("did you mean {}? ", names.join(" or ")) };
        return Err(format!("unknown type {name:?}; {hint}`enginewire formats -v` lists all types"));
    };
    let value = match id {
        TypeId::String => Value::from(value.to_owned()),
        id => typed(id.name(), value).map_err(|error| {
            let error = error.to_string();
            // the line and column are those of a document that the user never sees
            let reason = error.split_once(" at line ").map_or(&error[..], |(reason, _)| reason);
            format!("invalid {} in {text:?}; expected JSON as written by `decode`: {reason}", id.name())
        })?,
    };
    Ok((key.to_owned(), value))
}

/// A document's value.
#[derive(serde::Serialize)]
struct Typed<'t> {
    #[serde(rename = "type")]
    name: &'static str,
    value: &'t RawValue,
}

fn typed(name: &'static str, text: &str) -> serde_json::Result<Value<'static>> {
    let value: &RawValue = serde_json::from_str(text)?;
    let text = serde_json::to_string(&Typed { name, value })?;
    let value: Value<'_> = serde_json::from_str(&text)?;
    Ok(value.into_owned())
}

//! `enginewire set`

use std::io;
use std::path::{Path, PathBuf};

use enginewire::formats::{Edit, PathError, Step, ValuePath};
use enginewire::json::JsonError;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::changes::{usage, Changes, FileChange, How, Storing, TagChange, NEEDS_ALL};
use crate::exit_status::Status;
use crate::files::destination::Destination;
use crate::input::assignment::{assignment, is_assignment, Assignment};
use crate::input::filter::Filter;
use crate::input::models::{self, Refusal};
use crate::output::console::Console;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::text_encoding::utf_8;

/// Change, add, rename or remove single values of a file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire set place.rbxl Workspace.Torch Fuel=42 'Name=\"Torch\"' -o new.rbxl
  enginewire set place.rbxl Workspace.Torch 'Glow=Color3.new(1, 0.5, 0)' --in-place
  enginewire set place.rbxl Workspace.Torch Level:Int=3 --remove Fuel --in-place
  enginewire set place.rbxl 'Workspace.**' On=false --all --in-place
  enginewire set place.rbxl '**' 'Lev*=4' --all --class Part --in-place
  enginewire set place.rbxl Workspace.Torch --add-tag Lamp --in-place
  enginewire set save.db 'ScriptData[12]' 'slots[3].id=7' -o new.db
  enginewire get place.rbxl > values.txt; enginewire set place.rbxl --from values.txt -o same.rbxl

ADDRESS and PATH are those of `get`, and VALUE is written as `get` writes it: in the
notation of the engine. A text needs no quotes where nothing else can be meant:
Owner=bob. A value keeps its type unless another is named. Nothing else in the file
changes, or the file is not written.")]
pub struct Args {
    /// File to change: a value, a container, or a JSON document; `-` is standard input
    pub file: PathBuf,

    /// What to change in a container, as `get` and `ls` name it, and the changes; a file that is a single value has changes only
    #[arg(value_name = "ADDRESS | PATH[:TYPE]=VALUE")]
    pub arguments: Vec<String>,

    /// Value to remove, with its key; repeatable
    #[arg(long, value_name = "PATH")]
    pub remove: Vec<String>,

    /// Give a value another key; repeatable
    #[arg(long, value_names = ["PATH", "KEY"], num_args = 2, action = clap::ArgAction::Append)]
    pub rename: Vec<String>,

    /// Tag to add to an instance; repeatable
    #[arg(long, value_name = "TAG")]
    pub add_tag: Vec<String>,

    /// Tag to remove from an instance; repeatable
    #[arg(long, value_name = "TAG")]
    pub remove_tag: Vec<String>,

    /// Make the changes that the lines of this file say, as `get` writes them: `Workspace.Torch<TAB>Fuel=42`, or with --json or
    /// --plain; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// VALUE is JSON without types, as `get --plain` writes it. A value keeps its type; a new one is a number, a text or a boolean
    #[arg(long)]
    pub plain: bool,

    /// Change every value that ADDRESS and PATH fit: `*` stands for any name, `**` for several
    #[arg(long)]
    pub all: bool,

    /// Change the properties of a StyleRule instead of its attributes
    #[arg(long)]
    pub style: bool,

    /// Allow a new attribute or tag whose name Roblox does not allow, such as one that begins with RBX
    #[arg(long)]
    pub any_key: bool,

    #[command(flatten)]
    pub filter: Filter,

    #[command(flatten)]
    pub destination: Destination,

    /// Compression of a changed chunk; with `as-before` a chunk that was zstd becomes LZ4 where that is shorter
    #[arg(long, value_name = "HOW", default_value = "as-before")]
    pub store: Storing,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    match set(args, settings, console) {
        Ok(()) => Ok(Status::Fine),
        Err((status, message)) => console.error(message).map(|()| status),
    }
}

fn set(args: &Args, settings: &Settings, console: &mut Console) -> Result<(), Refusal> {
    settings.changes_whole_files().map_err(usage)?;
    args.destination.of(&args.file)?;
    let changes = changes(args, settings)?;
    let how = How { all: args.all, style: args.style, any_key: args.any_key, store: args.store };
    let change = FileChange::new(&args.file, &changes, how, settings).of(&args.filter).said_by(args.from.as_deref());
    change.write(&args.destination, console)
}

/// The changes that the command line and the file of lines ask for.
fn changes(args: &Args, settings: &Settings) -> Result<Vec<Changes>, Refusal> {
    let (address, assignments) = match args.arguments.split_first() {
        Some((first, rest)) if !is_assignment(first) => (Some(first.clone()), rest),
        _ => (None, &args.arguments[..]),
    };
    let parsed = |path: &String| path.parse().map_err(|error: PathError| usage(error.to_string()));
    let mut list = assignments.iter().map(|text| assignment(text).map_err(usage)).collect::<Result<Vec<_>, _>>()?;
    for path in &args.remove {
        list.push(Assignment::at(path, Edit::Remove).map_err(|error| usage(error.to_string()))?);
    }
    for pair in args.rename.chunks(2) {
        if let [path, key] = pair {
            let key: ValuePath = parsed(key)?;
            let key = match key.0.into_iter().next_back() {
                Some(key @ Step::Key(_)) => key,
                _ => return Err(usage("expected a key such as Fuel or '\"max fuel\"' to rename to")),
            };
            list.push(Assignment::of(parsed(path)?, Edit::Rename(key)));
        }
    }
    let mut all = Vec::new();
    let add = args.add_tag.iter().cloned().map(TagChange::Add);
    let tags: Vec<_> = add.chain(args.remove_tag.iter().cloned().map(TagChange::Remove)).collect();
    if !list.is_empty() || !tags.is_empty() {
        all.push(Changes { tags, ..Changes::of(address, list) });
    }
    if let Some(from) = &args.from {
        lines(from, settings, &mut all)?;
    }
    let at = |reason: &str, line: Option<usize>| match (&args.from, line) {
        (Some(from), Some(line)) => usage(format!("{reason}\n  --> {}: line {line}", shown(from))),
        _ => usage(reason),
    };
    if args.plain {
        for change in all.iter_mut().flat_map(|changes| &mut changes.list) {
            change.make_plain().map_err(|reason| at(&reason, change.line))?;
        }
    }
    let pattern = all.iter().flat_map(|changes| &changes.list).find(|change| change.pattern.is_some());
    if let Some(change) = pattern.filter(|_| !args.all) {
        return Err(at(NEEDS_ALL, change.line));
    }
    if all.is_empty() {
        return Err(usage("nothing to change: give PATH=VALUE, --remove PATH, --rename PATH KEY, --add-tag TAG, --remove-tag TAG or --from FILE"));
    }
    Ok(all)
}

/// A line of `get --json` or `get --plain`; other members are about the value, and are passed over.
#[derive(Deserialize)]
#[serde(expecting = "a line of `get --json`")]
struct Row {
    address: Option<String>,
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    type_name: Option<String>,
    /// The value in the notation of the engine.
    text: Option<String>,
    /// The value in plain JSON.
    value: Option<Box<RawValue>>,
}

/// The change that a line of JSON says, and its address.
fn row(line: &str) -> Result<(Option<String>, Assignment), String> {
    let row = serde_json::from_str(line)
        .map_err(|error| format!("expected a line of `get --json` or `get --plain`: {}", JsonError::from(error)));
    let Row { address, path, type_name, text, value } = row?;
    let edit = match (text, value) {
        (Some(text), None) => Edit::Set { type_name, text },
        (None, Some(value)) => Edit::SetPlain(value.get().to_owned()),
        _ => return Err("expected the value as `text`, or in plain JSON as `value`".to_owned()),
    };
    let change = Assignment::at(&path, edit).map_err(|error| error.to_string())?;
    Ok((address, change))
}

/// Reads changes from lines as `get` writes them.
fn lines(from: &Path, settings: &Settings, all: &mut Vec<Changes>) -> Result<(), Refusal> {
    let bytes = utf_8(models::read(from, settings.memory())?);
    let bytes = bytes.map_err(|reason| (Status::Malformed, format!("{reason}\n  --> {}", shown(from))))?;
    for (number, line) in (1usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        let at = |message: String| (Status::Malformed, format!("{message}\n  --> {}: line {number}", shown(from)));
        let line = std::str::from_utf8(line).map_err(|error| {
            let at_byte = error.valid_up_to().saturating_add(1);
            at(format!("the line is not UTF-8, from its byte {at_byte} on"))
        })?;
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        let (address, change) = match line.split_once('\t') {
            Some((address, text)) => (Some(address.to_owned()), assignment(text).map_err(at)?),
            None if line.trim_start().starts_with('{') => row(line).map_err(at)?,
            None => (None, assignment(line).map_err(at)?),
        };
        let change = change.of_line(number);
        match all.last_mut().filter(|last| last.address == address) {
            Some(last) => last.list.push(change),
            None => all.push(Changes::of(address, vec![change])),
        }
    }
    Ok(())
}

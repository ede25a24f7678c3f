//! `enginewire set`

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use enginewire::containers::{Address, Container, ContainerKind, Replacement, Source};
use enginewire::formats::{self as library, AnyFormat, Edit, EditError, Step, TRAILING_BYTES};
use enginewire::roblox::attributes::{Attributes, KeyRules};
use enginewire::roblox::model::{self, Change, InstancePlace, Kind, Listing, Store};

use crate::commands::encode::save_rows;
use crate::exit_status::Status;
use crate::files::atomic_write::is_standard;
use crate::files::destination::Destination;
use crate::files::read;
use crate::formats;
use crate::input::assignment::{assignment, is_assignment, Assignment};
use crate::input::containers::{error_text, is_of, more, status};
use crate::input::instance_path::{matching, one, split};
use crate::input::models::{self, Refusal};
use crate::input::opened::dump;
use crate::input::pattern::{is_like, is_pattern};
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::size::size_text;

/// Change, add, rename or remove single values of a file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire set place.rbxl Workspace.Torch Fuel=42 'Name=\"Torch\"' -o new.rbxl
  enginewire set place.rbxl Workspace.Torch 'Glow=Color3.new(1, 0.5, 0)' --in-place
  enginewire set place.rbxl Workspace.Torch Level:Int=3 --remove Fuel --in-place
  enginewire set place.rbxl 'Workspace.**' On=false --all --in-place
  enginewire set save.db 'ScriptData[12]' 'slots[3].id=7' -o new.db
  enginewire get place.rbxl > values.txt; enginewire set place.rbxl --from values.txt -o same.rbxl

ADDRESS and PATH are those of `get`, and VALUE is written as `get` writes it: in the
notation of the engine. A value keeps its type unless another is named. Nothing else
in the file changes, or the file is not written.")]
pub struct Args {
    /// File to change: a value or a container; `-` is standard input
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

    /// Make the changes that the lines of this file say, as `get` writes them: `Workspace.Torch<TAB>Fuel=42`; `-` is standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// VALUE is JSON without types, as `get --plain` writes it. A value keeps its type; a new one is a number, a text or a boolean
    #[arg(long)]
    pub plain: bool,

    /// Change every value that ADDRESS fits: `*` stands for any name, `**` for several
    #[arg(long)]
    pub all: bool,

    /// Change the properties of a StyleRule instead of its attributes
    #[arg(long)]
    pub style: bool,

    /// Allow a new attribute whose name Roblox does not allow
    #[arg(long)]
    pub any_key: bool,

    #[command(flatten)]
    pub destination: Destination,

    /// Compression of a changed chunk; with `as-before` a chunk that was zstd becomes LZ4 where that is shorter
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

/// What a pattern needs, for one that fits more than was thought of would change too much.
const NEEDS_ALL: &str = "an address with * can stand for several values: pass --all to change all that it fits";

/// The changes of the values that one address names.
#[derive(Debug, Default)]
pub struct Changes {
    /// `None` for a file that is a single value.
    pub address: Option<String>,
    pub list: Vec<Assignment>,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    match set(args, settings, console) {
        Ok(()) => Ok(Status::Fine),
        Err((status, message)) => console.error(message).map(|()| status),
    }
}

fn usage(message: impl Into<String>) -> Refusal {
    (Status::Usage, message.into())
}

/// Makes changes in a file itself.
pub fn change(
    file: &Path,
    changes: &[Changes],
    force: bool,
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Refusal> {
    let args = &Args {
        file: file.to_owned(),
        arguments: Vec::new(),
        remove: Vec::new(),
        rename: Vec::new(),
        from: None,
        plain: false,
        all: false,
        style: false,
        any_key: false,
        destination: Destination { in_place: true, force, ..Destination::default() },
        store: Storing::AsBefore,
    };
    if is_save(&args.file) {
        return changed_save(args, &args.file, changes, settings, console);
    }
    args.destination.replace(&args.file, settings, |bytes| changed(bytes, args, changes, settings))
}

fn set(args: &Args, settings: &Settings, console: &mut Console) -> Result<(), Refusal> {
    settings.changes_whole_files().map_err(usage)?;
    let out = args.destination.of(&args.file)?;
    let changes = changes(args, settings)?;
    if is_save(&args.file) {
        return changed_save(args, out, &changes, settings, console);
    }
    args.destination.write(&args.file, settings, console, |bytes| changed(bytes, args, &changes, settings))
}

/// The changes that the command line and the file of lines ask for.
fn changes(args: &Args, settings: &Settings) -> Result<Vec<Changes>, Refusal> {
    let (address, assignments) = match args.arguments.split_first() {
        Some((first, rest)) if !is_assignment(first) => (Some(first.clone()), rest),
        _ => (None, &args.arguments[..]),
    };
    let parsed = |path: &String| path.parse().map_err(|error: library::PathError| usage(error.to_string()));
    let mut list = assignments.iter().map(|text| assignment(text).map_err(usage)).collect::<Result<Vec<_>, _>>()?;
    for path in &args.remove {
        list.push(Assignment { path: parsed(path)?, edit: Edit::Remove });
    }
    for pair in args.rename.chunks(2) {
        if let [path, key] = pair {
            let key = match parsed(key)?.0.pop() {
                Some(key @ Step::Key(_)) => key,
                _ => return Err(usage(format!("expected a key such as Fuel or '\"max fuel\"', found {key:?}"))),
            };
            list.push(Assignment { path: parsed(path)?, edit: Edit::Rename(key) });
        }
    }
    let mut all = Vec::new();
    if !list.is_empty() {
        all.push(Changes { address, list });
    }
    if let Some(from) = &args.from {
        lines(from, settings, &mut all)?;
    }
    if args.plain {
        all.iter_mut().flat_map(|changes| &mut changes.list).try_for_each(Assignment::make_plain).map_err(usage)?;
    }
    if all.is_empty() {
        return Err(usage("nothing to change: give PATH=VALUE, --remove PATH, --rename PATH KEY or --from FILE"));
    }
    Ok(all)
}

/// Reads changes from lines as `get` writes them.
fn lines(from: &Path, settings: &Settings, all: &mut Vec<Changes>) -> Result<(), Refusal> {
    let bytes = models::read(from, settings.memory())?;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let at = |message: String| {
            let line = number.saturating_add(1);
            (Status::Malformed, format!("{message}\n  --> {}: line {line}", shown(from)))
        };
        let line = std::str::from_utf8(line).map_err(|error| at(error.to_string()))?.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        let (address, text) = match line.split_once('\t') {
            Some((address, text)) => (Some(address), text),
            None => (None, line),
        };
        let change = assignment(text).map_err(at)?;
        match all.last_mut().filter(|last| last.address.as_deref() == address) {
            Some(last) => last.list.push(change),
            None => all.push(Changes { address: address.map(str::to_owned), list: vec![change] }),
        }
    }
    Ok(())
}

/// Whether a file is a database, which is changed as such. Why a file cannot be read is told where it is read.
fn is_save(path: &Path) -> bool {
    if is_standard(path) || read::is_stream(path) {
        return false;
    }
    read::head(path, formats::HEAD).is_ok_and(|head| ContainerKind::detect(&head) == Some(ContainerKind::Save))
}

/// The file with the changes made.
fn changed(file: Vec<u8>, args: &Args, changes: &[Changes], settings: &Settings) -> Result<Vec<u8>, Refusal> {
    let at = |(status, message): Refusal| (status, format!("{message}\n  --> {}", shown(&args.file)));
    let asked = settings.format.as_deref();
    let detected = || ContainerKind::detect(&file).filter(|kind| asked.is_none_or(|format| is_of(*kind, format)));
    let kind = dump(settings)?.or_else(detected);
    match kind {
        Some(ContainerKind::Model(_)) => changed_model(&file, args, changes, settings),
        Some(kind) => changed_container(kind, Source::Bytes(file), changes, args, settings).map_err(at),
        None => match formats::framing_of(settings) {
            Some(framing) => {
                changed_container(ContainerKind::Frames(framing), Source::Bytes(file), changes, args, settings)
                    .map_err(at)
            }
            None => {
                let format = formats::chosen(settings, &file).map_err(at)?;
                changes.iter().try_fold(file, |bytes, changes| match &changes.address {
                    None => edited(format, &bytes, &changes.list, settings).map_err(|error| at(not_edited(error))),
                    Some(address) => Err(at(usage(format!(
                        "the file is a single value and has no address {address}; expected PATH=VALUE such as Fuel=42"
                    )))),
                })
            }
        },
    }
}

/// A value with the changes made.
fn edited(
    format: &dyn AnyFormat,
    bytes: &[u8],
    list: &[Assignment],
    settings: &Settings,
) -> Result<Vec<u8>, EditError> {
    format.edit(bytes, &settings.formats, &mut |node| {
        library::change_all(node, list.iter().map(|change| (&change.path, &change.edit)), format.notation())
    })
}

/// Why a file that is a single value is not changed.
fn not_edited(error: EditError) -> Refusal {
    let status = match &error {
        EditError::NotFound(_) => Status::NotFound,
        EditError::Invalid(_) => Status::Usage,
        EditError::Decode(error) => Status::from(error),
        _ => Status::Malformed,
    };
    (status, error.to_string())
}

/// Why a value in a container is not changed, of which all bytes are there.
fn not_edited_inside(error: EditError) -> Refusal {
    not_edited(match error {
        EditError::Decode(error) => EditError::Decode(error.of_complete_input()),
        other => other,
    })
}

/// A container that is no model, with the changes made.
fn changed_container(
    kind: ContainerKind,
    source: Source,
    changes: &[Changes],
    args: &Args,
    settings: &Settings,
) -> Result<Vec<u8>, Refusal> {
    let refused = |error| (status(&error), error_text(&error));
    let container = kind.open(source, &settings.formats).map_err(refused)?;
    let format = formats::of_values(kind.formats(), &*container, settings)?;
    let replaced = replaced_values(&*container, format, changes, args, settings)?;
    let replacements: Vec<_> = replaced.iter().map(|(address, bytes)| Replacement { address, bytes }).collect();
    container.replaced(&replacements).map_err(refused)
}

/// The new bytes of every value that changes.
fn replaced_values(
    container: &dyn Container,
    format: &dyn AnyFormat,
    changes: &[Changes],
    args: &Args,
    settings: &Settings,
) -> Result<Vec<(Address, Vec<u8>)>, Refusal> {
    let mut exact: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut patterns = Vec::new();
    for (number, address) in changes.iter().map(|changes| changes.address.as_deref()).enumerate() {
        match address {
            Some(pattern) if args.all && is_pattern(pattern) => patterns.push((pattern, number)),
            Some(address) => exact.entry(address).or_default().push(number),
            None => {}
        }
    }
    let mut found = vec![false; changes.len()];
    let (mut replaced, mut failure, mut held) = (Vec::new(), None, 0usize);
    let end = container.values(&mut |value| {
        let address = value.address.to_string();
        let mut wanted = exact.get(address.as_str()).cloned().unwrap_or_default();
        wanted.extend(patterns.iter().filter(|(pattern, _)| is_like(&address, pattern)).map(|(_, number)| *number));
        if wanted.is_empty() {
            return ControlFlow::Continue(());
        }
        // in the order in which they were given
        wanted.sort_unstable();
        let refused = if value.is_open { not_edited } else { not_edited_inside };
        let mut bytes = value.bytes.map(Cow::into_owned).map_err(|error| (status(&error), error_text(&error)));
        for number in wanted {
            if let (Some(found), Some(changes)) = (found.get_mut(number), changes.get(number)) {
                bytes = bytes.and_then(|bytes| edited(format, &bytes, &changes.list, settings).map_err(refused));
                *found = true;
            }
        }
        held = held.saturating_add(bytes.as_ref().map_or(0, Vec::len));
        match bytes {
            Ok(_) if held > settings.memory() => {
                let limit = size_text(settings.memory());
                failure = Some((Status::Malformed, more(format!("the changed values take more than {limit}"))));
            }
            Ok(bytes) => {
                replaced.push((value.address, bytes));
                return ControlFlow::Continue(());
            }
            Err((status, message)) => failure = Some((status, format!("{message}, in {}", escaped(&address)))),
        }
        ControlFlow::Break(())
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    end.map_err(|error| (status(&error), error_text(&error)))?;
    let missing = changes.iter().zip(&found).find(|(_, found)| !**found).map(|(changes, _)| changes);
    match missing.map(|changes| changes.address.as_deref()) {
        None => Ok(replaced),
        Some(Some(address)) if is_pattern(address) && !args.all => Err(usage(NEEDS_ALL)),
        Some(Some(address)) => {
            Err((Status::NotFound, format!("there is no value {address}; `enginewire ls` lists the addresses")))
        }
        Some(None) => Err(usage("the file has several values: give the address of one, as `enginewire ls` lists them")),
    }
}

/// A save is a database, and is changed by SQLite: nothing is lost that is not yet in its main file.
fn changed_save(
    args: &Args,
    out: &Path,
    changes: &[Changes],
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Refusal> {
    let at = |(status, message): Refusal| (status, format!("{message}\n  --> {}", shown(&args.file)));
    let refused = |error| at((status(&error), error_text(&error)));
    let kind = ContainerKind::Save;
    let container = kind.open(Source::File(args.file.clone()), &settings.formats).map_err(refused)?;
    let format = formats::of_values(kind.formats(), &*container, settings)?;
    let replaced = replaced_values(&*container, format, changes, args, settings).map_err(at)?;
    drop(container);
    let rows = replaced.into_iter().filter_map(|(address, bytes)| {
        let member = |wanted| address.members().iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let (table, row) = (member("table")?.as_str()?.to_owned(), member("row")?.as_i64()?);
        Some((table, row, bytes))
    });
    let options = (args.destination.in_place, args.destination.force);
    save_rows::put_rows(&args.file, out, options, rows.collect(), settings, console).map_err(at)
}

fn changed_model(file: &[u8], args: &Args, changes: &[Changes], settings: &Settings) -> Result<Vec<u8>, Refusal> {
    let memory = settings.memory().saturating_sub(file.len());
    let options = models::options_within(memory, settings).all_instances(true).empty(true);
    let at = |message: String| (Status::Malformed, format!("{message}\n  --> {}", shown(&args.file)));
    let listing = model::list_bytes(file, &options).map_err(|error| models::refusal(&args.file, &error))?;
    if let Some(problem) =
        listing.problems.iter().find(|problem| !settings.formats.is(&TRAILING_BYTES) || !is_trailing(problem))
    {
        let reason = format!("the file is broken and is not changed: {}", models::problem_text(problem));
        return Err((models::status(problem), at(reason).1));
    }
    // those of an instance that several lines change are changed one after the other
    let mut properties: BTreeMap<(usize, Kind), (InstancePlace, Vec<u8>)> = BTreeMap::new();
    for Changes { address, list } in changes {
        let Some(address) = address else {
            return Err((
                Status::Usage,
                at("expected the address of an instance before the changes, such as Workspace.Torch".to_owned()).1,
            ));
        };
        let (path, kind) = split(&listing, address);
        let kind = kind.unwrap_or(if args.style { Kind::PropertiesSerialize } else { Kind::AttributesSerialize });
        let is_named = path != address;
        let found = if args.all { matching(&listing, path) } else { one(&listing, path).map(|index| vec![index]) };
        let found = found.map_err(|(status, message)| match is_pattern(address) && !args.all {
            true => (Status::Usage, at(NEEDS_ALL.to_owned()).1),
            false => (status, at(message).1),
        })?;
        for index in found {
            let (place, bytes) = match properties.remove(&(index, kind)) {
                Some(property) => property,
                None => property(&listing, index, (kind, is_named), list, args)
                    .map_err(|(status, text)| (status, at(text).1))?,
            };
            let format = library::by_name("roblox-attributes").ok_or_else(|| at("no such format".to_owned()))?;
            let bytes = edited(format, &bytes, list, settings).map_err(|error| {
                let (status, message) = not_edited_inside(error);
                let name = escaped(listing.path(index));
                (status, format!("{message}\n  --> {}: {name}", shown(&args.file)))
            })?;
            let bytes = if bytes.is_empty() { kind.none().into() } else { bytes };
            properties.insert((index, kind), (place, bytes));
        }
    }
    // the edit lists the file again, so that there is memory for one listing only
    drop(listing);
    let held = properties.values().fold(0usize, |held, (_, bytes)| held.saturating_add(bytes.len()));
    let changes = properties.iter().map(|((_, kind), (place, bytes))| Change::at(*place, *kind, bytes));
    let changes: Vec<_> = changes.collect();
    let changed = model::edit(file, &changes, args.store.into(), &options.taken(held));
    Ok(changed.map_err(|error| models::refusal(&args.file, &error))?.into_owned())
}

/// The place of the instance of which a property changes, and the bytes of the property. `is_named` says whether the address
/// names it.
fn property(
    listing: &Listing,
    index: usize,
    (kind, is_named): (Kind, bool),
    list: &[Assignment],
    args: &Args,
) -> Result<(InstancePlace, Vec<u8>), Refusal> {
    let malformed = |message: String| (Status::Malformed, message);
    let instance = listing.instance(index).ok_or_else(|| malformed("there is no such instance".to_owned()))?;
    if !kind.is_attributes(instance.class) {
        let (path, class) = (escaped(listing.path(index)), escaped(instance.class));
        return Err(usage(match kind {
            Kind::PropertiesSerialize => format!("{path} is not a StyleRule, but a {class}"),
            kind => format!("{path}, a {class}, has no attributes in {}", kind.name()),
        }));
    }
    let bytes = |kind: Kind| match listing.property(index, kind) {
        Some(property) => property.bytes.map(|bytes| bytes.to_vec()).map_err(|error| malformed(error.to_string())),
        None => Ok(kind.none().to_vec()),
    };
    let attributes = |bytes: &[u8]| enginewire::roblox::attributes::decode(bytes).map(Attributes::into_owned).ok();
    if instance.class == "StyleRule" && kind == Kind::AttributesSerialize && !is_named {
        let properties = attributes(&bytes(Kind::PropertiesSerialize)?).unwrap_or_default();
        if let Some(Step::Key(key)) =
            first_keys(list).find(|key| matches!(key, Step::Key(key) if properties.get(key).is_some()))
        {
            let (key, path) = (escaped(key), escaped(listing.path(index)));
            return Err(usage(format!("the StyleRule has a property {key}: change it with --style or at the address '{path} PropertiesSerialize', for an attribute of the same name would have no effect")));
        }
    }
    let bytes = bytes(kind)?;
    if kind == Kind::AttributesSerialize && !args.any_key {
        let known = attributes(&bytes).unwrap_or_default();
        let new = list
            .iter()
            .filter(|change| change.path.0.len() == 1 && matches!(change.edit, Edit::Set { .. } | Edit::SetPlain(_)));
        for key in new.filter_map(|change| text_of(change.path.0.first()?)) {
            let is_new = known.get(key).is_none();
            let rule = KeyRules::CURRENT.allow_reserved().broken_by(key.into());
            if is_new && (key.is_empty() || rule.is_some()) {
                let reason = rule.map_or_else(|| "is empty".to_owned(), |rule| rule.to_string());
                let key = escaped(bstr::BStr::new(key));
                return Err(usage(format!(
                    "Roblox does not allow the name \"{key}\", which {reason}; --any-key sets it all the same"
                )));
            }
        }
    }
    Ok((instance.place, bytes))
}

fn first_keys(list: &[Assignment]) -> impl Iterator<Item = &Step> {
    list.iter().filter_map(|change| change.path.0.first())
}

fn text_of(step: &Step) -> Option<&[u8]> {
    match step {
        Step::Key(key) => Some(key),
        Step::Item(_) => None,
    }
}

fn is_trailing(problem: &model::ModelError) -> bool {
    matches!(problem, model::ModelError::Trailing { .. })
}

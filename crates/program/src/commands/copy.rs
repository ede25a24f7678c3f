//! `enginewire copy`

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use enginewire::formats::{at, by_name, change, AnyFormat, Edit, Node, Notation, ValuePath};
use enginewire::roblox::Tags;
use enginewire_files::address::{Address, Component, Pattern, Syntax};
use enginewire_files::containers::{Container, ContainerError, ContainerKind, Embedded, FileSource, Listed, Member};
use enginewire_files::godot::{safe_path, FramedFile};
use enginewire_files::scan::is_model;

use crate::changes::pack::{is_any_pack, PackChange};
use crate::changes::to_change::{ChangedValues, FileToChange};
use crate::changes::{AddressFrom, Changes, FileChange, How, StoreOption, Storing};
use crate::commands::convert::Conversion;
use crate::exit_status::{refuse_if, usage, Done, Placed, Refusal, Status};
use crate::files::atomic_write::{is_standard, same_file, save};
use crate::files::destination::{unwritable, Destination};
use crate::files::folder::Folder;
use crate::files::read::{self, is_pack, may_exceed};
use crate::formats;
use crate::input::assignment::Assignment;
use crate::input::containers::only_address;
use crate::input::filter::Filter;
use crate::input::models;
use crate::input::opened::{pack, refused, OpenFile};
use crate::input::wanted::Wanted;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::{shown, Name};
use crate::output::text::number;
use crate::settings::Settings;
use crate::size::size_text;

/// Copy values from one file to another, or to another place in the same file
#[derive(Debug, clap::Args)]
#[command(override_usage = "enginewire copy [OPTIONS] <FROM> [ADDRESS] [PATH]… --to <FILE> [ADDRESS]")]
#[command(after_help = include_str!("../help/copy.txt"))]
pub struct Args {
    /// File to read: a value or a container; `-` is standard input
    pub from: PathBuf,

    /// Values to copy: an ADDRESS in a container, and the PATHs of values in it
    #[arg(value_name = "ADDRESS | PATH")]
    pub what: Vec<String>,

    /// File to change or to make, and the ADDRESS in it [default: the same address]
    #[arg(long, value_names = ["FILE", "ADDRESS"], num_args = 1..=2, required = true)]
    pub to: Vec<OsString>,

    #[command(flatten)]
    pub filter: Filter,

    /// Print what would change, and write nothing
    #[arg(short = 'n', long, conflicts_with_all = ["output", "in_place", "undo", "backup"])]
    pub dry_run: bool,

    #[command(flatten)]
    pub destination: Destination,

    #[command(flatten)]
    pub store: StoreOption,
}

/// The values to copy may take this part of the memory; the file that is changed has the rest.
const HELD: usize = 8;

/// Each value counts as this number of bytes more: its address and its change take memory too.
const BESIDE: usize = 1024;

/// A value to copy.
struct Copied {
    /// `None` for a file that is a single value.
    address: Option<Address>,
    /// The number of instances with its path, and with those of the instances around it.
    counts: Vec<usize>,
    /// Its members in the file.
    about: Vec<Member>,
    content: Content,
}

impl Copied {
    /// The only value of a file.
    fn only(bytes: Vec<u8>) -> Self {
        Copied { address: None, counts: Vec::new(), about: Vec::new(), content: Content::Value(bytes) }
    }
}

enum Content {
    Value(Vec<u8>),
    Tags(Tags),
}

/// The file to copy from, and what was asked for.
struct CopiedFile<'s> {
    file: &'s Path,
    name: Name,
    /// An address is added to that of the only value of a stream.
    what: Cow<'s, [String]>,
    /// The address in the other file, if it is given.
    to: Option<&'s str>,
    filter: &'s Filter,
    settings: &'s Settings,
    values: Vec<Copied>,
    /// The size of all values, in bytes.
    held: usize,
    /// Warnings: faults of the file that do not prevent reading.
    warnings: Vec<String>,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    copy(args, settings, console)?;
    Ok(Status::Fine)
}

fn copy(args: &Args, settings: &Settings, console: &mut Console) -> Result<(), Refusal> {
    settings.changes_whole_files().map_err(usage)?;
    let (file, address) = match &args.to[..] {
        [file] => (Path::new(file), None),
        [file, address] => (Path::new(file), Some(address.to_string_lossy().into_owned())),
        _ => return Err(usage("--to needs a file")),
    };
    refuse_if(is_standard(file), "name the file to copy to: it is read more than once")?;
    if is_any_pack(file, settings) {
        return into_pack(args, (file, address.as_deref()), settings, console);
    }
    let mut opened = OpenFile::open(&args.from, settings)?;
    let is_file = is_pack(&args.from);
    // from a pipe, or in a layer
    let is_stream = !is_file && opened.container(settings)? == Some(ContainerKind::Pack);
    if is_file || is_stream {
        let Args { destination: Destination { output, in_place, .. }, filter, store, .. } = args;
        let has_more = args.destination.keep.is_given() || store.store != Storing::AsBefore;
        if address.is_some() || output.is_some() || *in_place || !filter.is_all() || has_more {
            let reason = "files of a pack are copied as they are: --to FILE or FOLDER/ takes no ADDRESS, and there is";
            return Err(usage(format!("{reason} no -o, -i, --undo, --backup, --store or filter")));
        }
        let from = match is_file {
            true => FileSource::File(args.from.clone()),
            false => FileSource::Bytes(opened.all_consuming()?.bytes),
        };
        return extract(args, from, file, settings, console);
    }
    let is_new = !file.exists() && !args.destination.is_given();
    let out = if is_new || args.dry_run { file } else { args.destination.of(file)? };
    if !args.dry_run && !args.destination.in_place && same_file(&args.from, out) {
        return Err(usage("the copy would overwrite the file to copy from; choose another file"));
    }
    let mut source = CopiedFile {
        file: &args.from,
        name: Name::new(&args.from),
        what: Cow::Borrowed(&args.what[..]),
        to: address.as_deref(),
        filter: &args.filter,
        settings,
        values: Vec::new(),
        held: 0,
        warnings: Vec::new(),
    };
    let format = source.read(opened);
    // a closed standard output is reported where output is written to it
    let _ = console.warnings(&source.name, &source.warnings);
    let format = format?;
    if is_new {
        if is_model(file)
            || file.extension().is_some_and(|end| ["db", "json", "binary"].iter().any(|name| end == *name))
        {
            let advice = "copy to one that exists, or to a file such as torch.bin";
            return Err(usage(format!("no new {} can be made, only a file with one value; {advice}", shown(file))));
        }
        let bytes = new_file(&source.changes(format, None)?, format, settings)?;
        if !args.dry_run {
            save(file, &bytes, false).map_err(|error| unwritable(file, &error))?;
        }
        let done = if args.dry_run { "would be copied" } else { "copied" };
        // a closed standard output is reported where output is written to it
        let _ = console.done(format_args!("1 value {done} to {}", shown(file)), args.dry_run);
        return Ok(());
    }
    let target = target(file, format, settings)?;
    let syntax = target.as_ref().map(|(kind, _)| kind.syntax());
    let format = target.map_or(Ok(format), |(_, formats)| source.converted(format, (file, &formats)))?;
    let settings = &Settings { format: Some(format.name().to_owned()), ..settings.clone() };
    let changes = source.changes(format, syntax)?;
    // keys and types that one file has are allowed in another
    let how = How { any_key: true, any_type: true, store: args.store.store, ..How::default() };
    let rest = (settings.memory() / HELD).saturating_mul(HELD.saturating_sub(2));
    let formats = settings.formats.clone().set("max_memory", rest).unwrap_or_else(|_| settings.formats.clone());
    let settings = &Settings { formats, ..settings.clone() };
    let change = FileChange::new(file, &changes, how, settings);
    if !args.dry_run {
        return change.write_and_tell(&args.destination, console);
    }
    let (lines, counts, done) = change.preview(console);
    // a closed standard output is reported where output is written to it
    let _ = write!(console.out(), "{lines}");
    let _ = console.done(format_args!("{}; nothing is written", counts.text(false)), true);
    done
}

/// Copies a file into a pack, also one of another pack, or all files of a folder. They replace those with the same paths; those that the
/// pack lacks are added.
fn into_pack(
    args: &Args,
    (file, address): (&Path, Option<&str>),
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Refusal> {
    let Some(address) = address.or(args.from.is_dir().then_some("res://")) else {
        let reason = "name the file of the pack to replace or add, such as --to game.pck res://settings.cfg";
        return Err(usage(reason).at(shown(file)));
    };
    if !args.filter.is_all() || args.store.store != Storing::AsBefore {
        return Err(usage("files are copied into a pack as they are: there is no --store or filter"));
    }
    let (is_pack, name) = (is_pack(&args.from), Name::new(&args.from));
    let one = |content| vec![(address.to_owned(), content)];
    let contents = match (&args.what[..], is_pack) {
        ([], false) if args.from.is_dir() => files_below(&args.from, (file, address), settings)?,
        ([], false) => {
            one(read::file(&args.from, settings.memory()).map_err(|error| models::unreadable(&args.from, &error))?)
        }
        ([entry], true) => {
            let pack = pack(FileSource::File(args.from.clone()), settings).map_err(|error| refused(&name, &error))?;
            one(pack.content_of(entry).map_err(|error| refused(&name.at(entry), &error))?)
        }
        (_, true) => return Err(usage("name the one file to copy, such as res://settings.cfg").at(name)),
        (_, false) => {
            let reason =
                "a whole file is copied into a pack, not a value; `set` and `encode --into` change values of its files";
            return Err(usage(reason).at(shown(file)));
        }
    };
    let wanted = |(address, content): (String, Vec<u8>)| match Pattern::parse(Syntax::Entries, &address) {
        Ok(pattern) if !address.ends_with('/') => pattern.address().map(|address| (address, content)),
        _ => None,
    };
    let count = contents.len();
    let contents: Vec<_> = contents.into_iter().filter_map(wanted).collect();
    if contents.len() < count {
        return Err(usage(format!("{address} is not the path of one file")).at(shown(file)));
    }
    let counts = Cell::new((0, 0));
    let make = &mut |opened: &FileToChange| {
        let wanted: HashMap<_, _> = contents.iter().map(|(address, content)| (address, content)).collect();
        let mut is_same = HashMap::new();
        let listed = opened.container().map_or(Ok(()), |(_, pack)| {
            pack.values(&mut |value| {
                if let Some(content) = wanted.get(&*value.address) {
                    let is_equal = value.bytes.is_ok_and(|bytes| *bytes == ***content);
                    is_same.insert(value.address.into_address(), is_equal);
                }
                ControlFlow::Continue(())
            })
        });
        listed.map_err(|error| refused(&shown(file), &error))?;
        let (mut replaced, mut added) = (Vec::new(), Vec::new());
        for (address, content) in &contents {
            match is_same.get(address) {
                Some(true) => {}
                Some(false) => replaced.push((address.clone(), content.clone())),
                None => added.push((address.clone(), content.clone())),
            }
        }
        counts.set((replaced.len(), added.len()));
        Ok(ChangedValues { added, ..ChangedValues::from(replaced) })
    };
    let change = PackChange { file, destination: &args.destination, dry_run: args.dry_run, settings };
    change.write(console, make, || match counts.get() {
        (0, added @ 1..) => (added, "added"),
        (replaced, 0) => (replaced, "replaced"),
        (replaced, added) => (replaced.saturating_add(added), "replaced or added"),
    })
}

/// The files in a folder and in those below it, with their paths in a pack, in order.
fn files_below(
    folder: &Path,
    (pack, address): (&Path, &str),
    settings: &Settings,
) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    // each is held twice: as it is read, and as a change
    let (mut files, mut left_over) = (Vec::new(), settings.memory() / 2);
    let slash = if address.ends_with('/') { "" } else { "/" };
    let mut left = vec![(folder.to_owned(), format!("{address}{slash}"))];
    while let Some((folder, above)) = left.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| models::unreadable(&folder, &error))? {
            let entry = entry.map_err(|error| models::unreadable(&folder, &error))?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(|error| models::unreadable(&path, &error))?;
            match name.to_str().map(|name| format!("{above}{name}")) {
                Some(inside) if kind.is_dir() => left.push((path, format!("{inside}/"))),
                Some(_) if same_file(&path, pack) => {
                    return Err(usage("the pack is in the folder, and would be copied into itself").at(shown(&path)));
                }
                Some(inside) if kind.is_file() => {
                    let content = read::file(&path, left_over);
                    let content = content.map_err(|error| models::unreadable(&path, &error))?;
                    left_over = left_over.saturating_sub(content.len());
                    files.push((inside, content));
                }
                Some(_) => {
                    return Err(usage("a link is not copied into a pack; copy what it leads to").at(shown(&path)))
                }
                None => return Err(usage("the names of files in a pack are UTF-8").at(shown(&path))),
            }
        }
    }
    refuse_if(files.is_empty(), "the folder has no files").at(shown(folder))?;
    files.sort_unstable();
    Ok(files)
}

/// Copies files of a pack into a folder, or one of them into a file. None is written beside the folder.
fn extract(
    args: &Args,
    from: FileSource,
    to: &Path,
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Refusal> {
    let at = |error| refused(&Name::new(&args.from), &error);
    let pack = pack(from, settings).map_err(at)?;
    let entries = pack.entries();
    let paths: Vec<_> = entries.iter().filter(|entry| !entry.is_removed()).map(|entry| entry.full_path()).collect();
    let what = args.what.iter().map(|text| Wanted::parse(Syntax::Entries, text)).collect::<Result<Vec<_>, _>>()?;
    let fits = |path: &String, wanted: &Wanted| wanted.fits(&Address::new(Syntax::Entries, [Component::name(path)]));
    let is_wanted = |path: &&String| what.is_empty() || what.iter().any(|wanted| fits(path, wanted));
    let wanted: HashSet<_> = paths.iter().filter(is_wanted).map(String::as_str).collect();
    let is_folder = to.is_dir() || to.as_os_str().to_string_lossy().ends_with('/');
    if let Some(missing) = what.iter().find(|wanted| !paths.iter().any(|path| fits(path, wanted))) {
        let missing = escaped(missing);
        return Err(Status::NotFound.because(format!("no file {missing} in the pack")).at(Name::new(&args.from)));
    }
    match wanted.len() {
        0 => return Err(Status::NotFound.because("no files in the pack").at(Name::new(&args.from))),
        count @ 2.. if !is_folder => {
            return Err(usage(format!("{count} files are copied into a folder: --to {}/", shown(to))));
        }
        _ => {}
    }
    let (force, mut folder) = (args.destination.force, None);
    let mut write = |path: &str, content: &[u8]| {
        let inside = safe_path(path)?;
        let there = |out: &Path| ContainerError::Refused(format!("{} exists; --force replaces it", shown(out)));
        match (is_folder, args.dry_run) {
            (_, true) => Ok(()),
            (true, false) => {
                let folder = match &mut folder {
                    Some(folder) => folder,
                    none => none.insert(Folder::new(to)?),
                };
                folder.write(&inside, content, force).map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => there(&to.join(inside)),
                    _ => error.into(),
                })
            }
            // also a link that leads nowhere
            (false, false) if !force && to.symlink_metadata().is_ok() => Err(there(to)),
            (false, false) => {
                if let Some(folder) = to.parent() {
                    fs::create_dir_all(folder)?;
                }
                Ok(save(to, content, force)?)
            }
        }
    };
    let (mut count, mut first) = (0usize, None);
    let each = &mut |path: &str, content: Result<Cow<'_, [u8]>, ContainerError>, warning: Option<String>| {
        // a closed standard error is not an error
        let _ = console.warnings(Name::new(&args.from), warning.as_slice());
        match content.and_then(|content| write(path, &content)) {
            Ok(()) => count = count.saturating_add(1),
            Err(error) => {
                let refusal = refused(&Name::new(&args.from).at(path), &error);
                let _ = console.error(&refusal);
                first.get_or_insert(refusal.status);
            }
        }
    };
    pack.extract(&|path| wanted.contains(path), each).map_err(at)?;
    let done = if args.dry_run { "would be copied" } else { "copied" };
    // a closed standard output is reported where output is written to it
    let _ = console.done(format_args!("{} {done} to {}", number(count, "file"), shown(to)), args.dry_run);
    match first {
        Some(status) => Err(status.because("not all files were copied")),
        None => Ok(()),
    }
}

/// A file of the value that is copied, or of the values in it.
fn new_file(changes: &[Changes], format: &dyn AnyFormat, settings: &Settings) -> Result<Vec<u8>, Refusal> {
    let options = settings.formats.clone().set("framing", "none").unwrap_or_default();
    let bytes = match changes {
        [Changes { whole: Some(whole), .. }] => Ok(whole.clone()),
        _ => {
            let empty = format.encode_empty(&options).map_err(|error| usage(error.to_string()))?;
            let mut list = changes.iter().flat_map(|changes| &changes.list);
            list.try_fold(empty, |bytes, Assignment { path, edit, .. }| {
                format.edit(&bytes, &options, &mut |node| change(node, path, edit, format.notation()))
            })
        }
    };
    bytes.map_err(|error| usage(format!("{error}; a whole value can be copied: leave out PATH")))
}

/// The kind of a file, and the formats that values for it may have.
type Target = (ContainerKind, Vec<&'static dyn AnyFormat>);

/// The kind of a container, and the formats for it. For `None` the file is a value of this format.
fn target(file: &Path, format: &dyn AnyFormat, asked: &Settings) -> Result<Option<Target>, Refusal> {
    let settings = &Settings { format: Some(format.name().to_owned()), ..asked.clone() };
    let any = Settings { format: settings.format.clone().filter(|_| settings.dump), kind: None, ..settings.clone() };
    let other = |holds: &str| {
        let name = format.name();
        usage(format!("values of {name} cannot be copied into a file that holds {holds}")).at(shown(file))
    };
    let mut opened = match OpenFile::open(file, &any).and_then(|opened| opened.document(&any))? {
        Ok((found, _)) if found.name() == format.name() => return Ok(None),
        Ok((found, _)) => return Err(other(found.name())),
        Err(opened) => opened,
    };
    let kind = opened.container(&any)?;
    let kind = kind.or_else(|| formats::framing_of(settings).map(ContainerKind::Frames));
    match kind {
        Some(kind) if !kind.formats().contains(&format.name()) => Err(other(&kind.formats().join(" or "))),
        Some(kind) if kind.formats().len() > 1 => {
            let opened = opened.open_container(kind, &any)?;
            let found = formats::of_copied_values(kind.formats(), &*opened.container, asked);
            found.map(|formats| Some((kind, formats))).at(shown(file))
        }
        Some(kind) => Ok(Some((kind, kind.formats().iter().filter_map(|name| by_name(name)).collect()))),
        None => {
            let bytes = opened.all_consuming()?.bytes;
            match format.check(&bytes, &settings.formats) {
                Ok(_) => Ok(None),
                Err(error) => {
                    let reason = format!("the file is not a value of {}: {error}", format.name());
                    Err(Status::Malformed.because(reason).at(shown(file)))
                }
            }
        }
    }
}

impl CopiedFile<'_> {
    /// Reads the values to copy. Gives their format.
    fn read(&mut self, opened: OpenFile) -> Result<&'static dyn AnyFormat, Refusal> {
        let mut opened = match opened.document(self.settings)? {
            Ok((format, input)) => {
                self.values.push(Copied::only(input.bytes));
                return Ok(format);
            }
            Err(opened) => opened,
        };
        if let Some(kind) = opened.container(self.settings)? {
            let opened = opened.open_container(kind, self.settings)?;
            return self.container(kind, &*opened.container);
        }
        let bytes = opened.all_consuming()?.bytes;
        if let Some(framing) = formats::framing_of(self.settings) {
            return self.container(ContainerKind::Frames(framing), &FramedFile::new(bytes, framing));
        }
        let format = formats::chosen(self.settings, &bytes).at(&self.name)?;
        self.check(&bytes, 0, format, false).at(&self.name)?;
        self.values.push(Copied::only(bytes));
        Ok(format)
    }

    /// Refuses a value that is broken. It begins at `start` in the file.
    fn check(&self, bytes: &[u8], start: u64, format: &dyn AnyFormat, is_inside: bool) -> Result<(), Refusal> {
        // the frame around it was read already
        let options = self.settings.formats.clone().set("framing", "none").unwrap_or_default();
        format.check(bytes, &options).map(drop).map_err(|error| {
            let error = if is_inside { error.of_complete_input() } else { error };
            Status::from(&error).because(error.shifted(start).to_string())
        })
    }

    /// Reads the values of a container.
    fn container(&mut self, kind: ContainerKind, container: &dyn Container) -> Result<&'static dyn AnyFormat, Refusal> {
        let format = match formats::of_copied_values(kind.formats(), container, self.settings).as_deref() {
            Ok([format]) => *format,
            _ => formats::of_values(kind.formats(), container, self.settings).at(&self.name)?,
        };
        let mut refused = None;
        let named = |text: &String| Wanted::parse(kind.syntax(), text);
        let only = only_address(kind, container);
        let is_other =
            |only: &Address| self.what.first().is_some_and(|text| !Wanted::perhaps(kind.syntax(), text).fits(only));
        if let Some(only) = only.filter(is_other) {
            self.what.to_mut().insert(0, only.to_string());
        }
        let wanted = self.what.first().map(named).transpose().at(&self.name)?;
        let tagged = self.tagged(container);
        let end = container.values(&mut |value| {
            let address = Address::clone(&value.address);
            // what is wrong with the whole file has no place in it
            let is_file = address.is_file();
            // a hidden value counts only where it is named
            let is_wanted = wanted.as_ref().map_or(!address.is_hidden(), |wanted| wanted.fits(&address));
            let is_wanted = is_wanted
                && (!self.filter.is_of_instances()
                    || value.about.class().is_some_and(|class| self.filter.takes_any_of_class(&class)))
                && tagged.as_ref().is_none_or(|tagged| tagged.contains(&address.clone().with_property(None)));
            let read = match is_file || is_wanted {
                true => self.value(value, format),
                false => Ok(()),
            };
            match read {
                Ok(()) => ControlFlow::Continue(()),
                Err(refusal) => {
                    refused = Some(refusal.inside(escaped(address)).at(&self.name));
                    ControlFlow::Break(())
                }
            }
        });
        self.warnings = container.warnings();
        match (refused, end.and_then(|()| self.count(container))) {
            (Some(refusal), _) => Err(refusal),
            (None, Err(error)) => Err(Refusal::from(error).at(&self.name)),
            (None, Ok(())) => Ok(format),
        }
    }

    /// Counts the instances of a model that have the path of an instance whose values are copied, or of one around it.
    fn count(&mut self, container: &dyn Container) -> Result<(), ContainerError> {
        if self.to.is_some() {
            return Ok(());
        }
        // the names of the instance, and of each around it
        let hasher = RandomState::new();
        let of = |value: &Copied| {
            let names = value.address.as_ref().map(|address| address.without_numbers()).unwrap_or_default();
            (1..=names.len()).filter_map(|count| Some(hasher.hash_one(names.get(..count)?))).collect::<Vec<_>>()
        };
        let mut counts: HashMap<_, usize> = self.values.iter().flat_map(of).map(|path| (path, 0)).collect();
        container.contents(&mut |content| {
            let Listed::Instance(address, _) = content else { return ControlFlow::Break(()) };
            if let Some(count) = counts.get_mut(&hasher.hash_one(&address.without_numbers()[..])) {
                *count = count.saturating_add(1);
            }
            ControlFlow::Continue(())
        })?;
        for value in &mut self.values {
            value.counts = of(value).iter().filter_map(|path| counts.get(path)).copied().collect();
        }
        Ok(())
    }

    /// The addresses of the instances with the tag that is asked for.
    fn tagged(&self, container: &dyn Container) -> Option<HashSet<Address>> {
        let mut tagged = self.filter.is_of_tags().then(HashSet::new)?;
        // an error is reported when the values are read
        let _ = container.values(&mut |value| {
            if value.about.is_tags() && self.filter.takes_tags(value.about.tags()) {
                tagged.insert(value.address.into_address().with_property(None));
            }
            ControlFlow::Continue(())
        });
        Some(tagged)
    }

    /// Keeps a value of a container.
    fn value(&mut self, value: Embedded<'_>, format: &dyn AnyFormat) -> Result<(), Refusal> {
        let (is_tags, is_value) = (value.about.is_tags(), !value.formats.is_empty());
        let start = value.start.unwrap_or(0);
        let bytes = value.bytes.map_err(Refusal::from)?;
        self.held = self.held.saturating_add(bytes.len()).saturating_add(BESIDE);
        let limit = self.settings.memory() / HELD;
        if self.held > limit {
            let limit = size_text(limit);
            let reason = format!("the values to copy take more than {limit}, an eighth of the memory limit");
            return Err(Status::Malformed.because(format!("{reason}; raise it with --max-memory")));
        }
        let content = match (is_tags, is_value) {
            // a path leads into attributes
            (true, _) if self.what.len() < 2 && self.filter.takes_all_values() => {
                Content::Tags(Tags::from_bytes(&bytes))
            }
            (false, true) => {
                self.check(&bytes, start, format, !value.is_open)?;
                Content::Value(bytes.into_owned())
            }
            _ => return Ok(()),
        };
        let about = value.about.given().to_vec();
        self.values.push(Copied { address: Some(value.address.into_address()), counts: Vec::new(), about, content });
        Ok(())
    }

    /// Converts the values to the format of a file that values of these formats may go into. With several formats, they must be
    /// the same in all.
    fn converted(
        &mut self,
        from: &'static dyn AnyFormat,
        (file, formats): (&Path, &[&'static dyn AnyFormat]),
    ) -> Result<&'static dyn AnyFormat, Refusal> {
        let is_other = |to: &&&'static dyn AnyFormat| to.name() != from.name();
        for to in formats.iter().filter(is_other) {
            let conversion = Conversion::new(self.file, [from, *to], self.settings);
            for value in &mut self.values {
                let Content::Value(bytes) = &mut value.content else { continue };
                let address = value.address.as_ref().map(Address::to_string).unwrap_or_default();
                let converted = conversion.of_value(bytes, (&address, 0), |error| error);
                match formats {
                    [_] => *bytes = converted?,
                    _ if converted.is_ok_and(|converted| converted == *bytes) => {}
                    _ => return Err(formats::of_several(formats).at(shown(file))),
                }
            }
        }
        match formats {
            [to] => Ok(*to),
            _ => Ok(from),
        }
    }

    /// The changes that make the copies. `syntax` is that of their destination, if it is a container.
    fn changes(mut self, format: &dyn AnyFormat, syntax: Option<Syntax>) -> Result<Vec<Changes>, Refusal> {
        let (to, is_container) = (self.to, syntax.is_some());
        let is_single = self.values.iter().any(|value| value.address.is_none());
        let what = std::mem::take(&mut self.what);
        let paths = if is_single { &what[..] } else { what.get(1..).unwrap_or_default() };
        let paths = paths.iter().map(|path| path.parse()).collect::<Result<Vec<ValuePath>, _>>();
        let paths = paths.map_err(|error| usage(error.to_string()))?;
        if let (false, Some(to)) = (is_container, to) {
            return Err(usage(format!("the file to copy to is a single value and has no address {to}")));
        }
        if !is_container {
            self.values.retain(|value| matches!(value.content, Content::Value(_)));
        }
        let addresses: HashSet<_> = self.values.iter().map(|value| &value.address).collect();
        if addresses.len() > 1 && (to.is_some() || !is_container) {
            return Err(usage(format!(
                "{} values cannot be copied into one: give the address of one of them",
                addresses.len()
            )));
        }
        if self.values.is_empty() {
            let wanted = what.first().map(|wanted| format!(" {wanted}")).unwrap_or_default();
            return Err(Status::NotFound.because(format!("no value{wanted} to copy")).at(&self.name));
        }
        if is_single && is_container && to.is_none() {
            return Err(usage("the file to copy to has several values: give the address of one after --to FILE"));
        }
        let change = |value: &Copied| {
            let (counts, about) = (value.counts.clone(), value.about.clone());
            let from = if to.is_some() { AddressFrom::Here } else { AddressFrom::Other { counts } };
            let property = value.address.as_ref().and_then(Address::property);
            let address = syntax.and_then(|syntax| match (to, property) {
                (None, _) => value.address.as_ref().map(|address| in_syntax(address, syntax).to_string()),
                (Some(to), Some(property)) if Wanted::perhaps(syntax, to).has_no_property() => {
                    Some(format!("{to}:{property}"))
                }
                (Some(to), _) => Some(to.to_owned()),
            });
            let (whole, list) = match &value.content {
                Content::Value(bytes) if paths.is_empty() && self.filter.takes_all_values() => {
                    (Some(bytes.clone()), Vec::new())
                }
                Content::Value(bytes) => {
                    let list = assignments(bytes, &paths, self.filter, format, self.settings);
                    (None, list.at(&self.name)?)
                }
                Content::Tags(tags) => {
                    let edit = Edit::Set { type_name: Some("Tags".to_owned()), text: tags.to_string() };
                    (None, vec![Assignment::of(ValuePath::default(), edit)])
                }
            };
            Ok(Changes { address, whole, list, from, about, ..Changes::default() })
        };
        let all = self.values.iter().map(change).collect::<Result<Vec<_>, Refusal>>()?;
        match all.iter().any(|changes| changes.whole.is_some() || !changes.list.is_empty()) {
            true => Ok(all),
            false => Err(Status::NotFound.because(format!("no value fits{}", self.filter.unfit())).at(&self.name)),
        }
    }
}

/// The address of a value in a file whose addresses have this syntax. Keys of `project.binary` are sections and keys of a text.
fn in_syntax(address: &Address, syntax: Syntax) -> Address {
    let names: Vec<_> = address.components().iter().filter_map(Component::text).collect();
    match (address.syntax(), syntax, &names[..]) {
        (Syntax::Keys, Syntax::Settings, [key]) => {
            let (section, key) = key.split_once_str("/").unwrap_or((b"", key));
            let section = Some(section).filter(|section| !section.is_empty());
            Address::new(syntax, section.into_iter().chain([key]).map(Component::name))
        }
        (Syntax::Settings, Syntax::Keys, names) => Address::new(syntax, [Component::name(bstr::join("/", names))]),
        _ => address.clone(),
    }
}

/// The assignments that give the values at these paths, or all that the filter takes.
fn assignments(
    bytes: &[u8],
    paths: &[ValuePath],
    filter: &Filter,
    format: &dyn AnyFormat,
    settings: &Settings,
) -> Result<Vec<Assignment>, Refusal> {
    if let Some(reason) = may_exceed(bytes, settings.memory()) {
        return Err(Status::Malformed.because(reason));
    }
    let (notation, mut list) = (format.notation(), Ok(Vec::new()));
    let assignment = |root: &dyn Node, path: &ValuePath| match at(root, path, notation) {
        Ok(node) if node.type_name(notation).is_empty() => {
            Err(usage(format!("{path} is a list of values: give the path of one of them, such as {path}[0]")))
        }
        Ok(node) => {
            let text = node.text(Notation { typed: true, ..notation });
            let edit = Edit::Set { type_name: Some(node.type_name(notation).to_owned()), text };
            Ok(Assignment::of(path.clone(), edit))
        }
        Err(error) => Err(Status::NotFound.because(error.to_string())),
    };
    let visited = format.visit(bytes, &settings.formats, &mut |root| {
        let all: Vec<_> = match paths.is_empty() {
            true => root.steps(notation).into_iter().map(|step| ValuePath::default().then(step)).collect(),
            false => paths.to_vec(),
        };
        let is_taken = |path: &&ValuePath| at(root, path, notation).map_or(true, |node| filter.takes(&*node, notation));
        list = all.iter().filter(is_taken).map(|path| assignment(root, path)).collect();
    });
    visited.map_err(|error| Status::from(&error).because(error.to_string()))?;
    list
}

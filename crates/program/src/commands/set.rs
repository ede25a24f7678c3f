//! `enginewire set`

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use enginewire::budget::Budget;
use enginewire::formats::{Edit, Step, ValuePath};
use enginewire::TextError;
use enginewire_files::address::Address;
use enginewire_files::godot::Layers;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::changes::noted::Counts;
use crate::changes::pack::{is_any_pack, PackChange};
use crate::changes::to_change::{ChangedValues, FileToChange};
use crate::changes::{AddressFrom, Changes, FileChange, How, StoreOption, TagChange, NEEDS_ALL};
use crate::commands::edit::HEAD;
use crate::commands::get;
use crate::exit_status::{refuse_if, usage, Done, Failure, Refusal, Status};
use crate::files::atomic_write::{is_standard, is_standard_output};
use crate::files::destination::{preview, Destination};
use crate::files::keep::{self, Undo};
use crate::files::walk;
use crate::input::assignment::{assignment, is_assignment, Assignment};
use crate::input::containers::more;
use crate::input::each;
use crate::input::filter::Filter;
use crate::input::models;
use crate::input::opened::OpenFile;
use crate::output::console::Console;
use crate::output::csv::unmarked;
use crate::output::escape::escaped;
use crate::output::name::{shown, Name};
use crate::output::text::number;
use crate::settings::Settings;
use crate::text_encoding::utf_8;

/// Change, add, rename or remove values of files
#[derive(Debug, clap::Args)]
#[command(override_usage = "enginewire set [OPTIONS] <FILE|DIR> [ADDRESS] [PATH=VALUE]…")]
#[command(after_help = include_str!("../help/set.txt"))]
pub struct Args {
    /// File or folder, or `-`; then ADDRESS and changes: PATH=VALUE
    #[arg(value_name = "FILE|DIR", required = true)]
    pub arguments: Vec<OsString>,

    /// After `--`: ADDRESS and changes, where several files come before it
    #[arg(value_name = "ADDRESS", last = true, hide = true)]
    pub after: Vec<OsString>,

    /// Remove a value, or a file of a pack; repeatable
    #[arg(long, value_name = "PATH")]
    pub remove: Vec<String>,

    /// Give a value another key; repeatable
    #[arg(long, value_names = ["PATH", "KEY"], num_args = 2, action = clap::ArgAction::Append)]
    pub rename: Vec<String>,

    /// Add a tag to an instance; repeatable
    #[arg(long, value_name = "TAG")]
    pub add_tag: Vec<String>,

    /// Remove a tag from an instance; repeatable
    #[arg(long, value_name = "TAG")]
    pub remove_tag: Vec<String>,

    /// Make the changes that `get` or --undo wrote
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// Put this file into the layers around the old one
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["remove", "rename", "add_tag", "remove_tag", "from", "plain", "all", "add", "first", "undo"])]
    pub bytes: Option<PathBuf>,

    /// VALUE is JSON in the form of `get --plain`
    #[arg(long)]
    pub plain: bool,

    /// Change all that the patterns ADDRESS and PATH fit
    #[arg(long)]
    pub all: bool,

    /// With patterns: also add values that are not there
    #[arg(long)]
    pub add: bool,

    /// Put a setting or a value of a stream first
    #[arg(long)]
    pub first: bool,

    /// Print what would change, and write nothing
    #[arg(short = 'n', long, conflicts_with_all = ["output", "in_place", "undo", "backup"])]
    pub dry_run: bool,

    /// Allow names that Roblox refuses, such as RBX_a
    #[arg(long)]
    pub any_key: bool,

    /// Allow attributes that scripts cannot set
    #[arg(long)]
    pub any_type: bool,

    #[command(flatten)]
    pub filter: Filter,

    #[command(flatten)]
    pub destination: Destination,

    #[command(flatten)]
    pub store: StoreOption,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    let (files, rest) = each::files_first(&args.arguments, &args.after)?;
    if let Some(new) = &args.bytes {
        return put_inside(args, new, &files, &rest, settings, console);
    }
    let is_entry = |path: &String| path.starts_with("res://") || path.starts_with("user://");
    if let [file] = &files[..]
        && args.remove.iter().any(is_entry)
        && settings.entry.is_none()
        && is_any_pack(file, settings)
    {
        return without_files(args, file, &rest, settings, console);
    }
    let end = if args.dry_run { "; nothing is written" } else { "" };
    let (counts, of, status) = match &files[..] {
        [file] if !file.is_dir() => {
            (one(args, (file, ""), &rest, settings, console)?.unwrap_or_default(), String::new(), Status::Fine)
        }
        _ => match several(args, &files, &rest, settings, console)? {
            (_, 0, status) if status != Status::Fine => return Ok(status),
            (counts, of, status) => (counts, format!(" in {}", number(of, "file")), status),
        },
    };
    if args.dry_run || !of.is_empty() {
        console.done(format_args!("{}{of}{end}", counts.text(!args.dry_run)), args.dry_run)?;
    }
    Ok(status)
}

/// Puts a file into the layers of another.
fn put_inside(
    args: &Args,
    new: &Path,
    files: &[PathBuf],
    rest: &[String],
    settings: &Settings,
    console: &mut Console,
) -> Done {
    let [file] = files else { return Err(usage("--bytes takes one file").into()) };
    refuse_if(!rest.is_empty() || !args.filter.is_all(), "--bytes takes no other changes and filters")?;
    refuse_if(is_standard(file), "--bytes needs the name of the file to change")?;
    settings.changes_whole_files().map_err(usage)?;
    let opened = OpenFile::open(file, settings)?;
    let Some(layers) = opened.name.layers().cloned() else {
        let reason = "the file is neither compressed nor encrypted, so that --bytes would replace all of it";
        return Err(usage(reason).at(opened.name).into());
    };
    let bytes = models::read(new, settings.memory())?;
    let own = Layers::peel_partial(bytes.clone(), &settings.formats).0;
    if !own.is_empty() {
        let found = if own.names().is_empty() { "a byte order mark".to_owned() } else { own.names() };
        let reason = format!("expected what is to be inside, without layers of its own; found {found}");
        return Err(usage(reason).at(shown(new)).into());
    }
    let settings = &Settings { replaces_inside: true, ..settings.clone() };
    let make = &mut |_: &FileToChange| Ok(ChangedValues::from(vec![(Address::of_file(), bytes.clone())]));
    match args.dry_run {
        true => preview(file, settings, make)?,
        false => args.destination.write(file, settings, console, make)?,
    }
    let (would, names) = (if args.dry_run { "would be " } else { "" }, layers.names());
    let layers = if names.is_empty() { "a text with a byte order mark" } else { &names };
    let out = &args.destination;
    let is_data = !args.dry_run && !out.in_place && out.of(file).is_ok_and(is_standard_output);
    console.done(format_args!("{} {would}put into {layers}", number(bytes.len(), "byte")), is_data)?;
    Ok(Status::Fine)
}

/// Removes files from a pack.
fn without_files(args: &Args, file: &Path, rest: &[String], settings: &Settings, console: &mut Console) -> Done {
    settings.changes_whole_files().map_err(usage)?;
    let Args { remove, rename, add_tag, remove_tag, from, first, filter, destination, dry_run, all, .. } = args;
    let has_more = [from.is_some(), *first, !filter.is_all(), !rest.is_empty()].contains(&true);
    if has_more || [rename, add_tag, remove_tag].iter().any(|list| !list.is_empty()) {
        return Err(usage("--remove of files of a pack takes no other changes and filters").into());
    }
    let change = PackChange { file, destination, dry_run: *dry_run, settings };
    change.remove(remove, *all, console)?;
    Ok(Status::Fine)
}

/// Changes several files in place. Returns the numbers of changed values and of changed files, and the highest status.
fn several(
    args: &Args,
    files: &[PathBuf],
    rest: &[String],
    settings: &Settings,
    console: &mut Console,
) -> Result<(Counts, usize, Status), Failure> {
    let (mut counts, mut changed, mut fits, mut highest) = (Counts::default(), 0usize, false, Status::Fine);
    if !(args.destination.in_place || args.dry_run) || args.from.as_deref().is_some_and(is_standard) {
        let reason = "of several files, pass -i to change them or -n to see the changes; -o and `-` take one file";
        return Err(usage(reason).into());
    }
    for file in walk::all(files.to_vec(), settings) {
        let work = |file: PathBuf| one(args, (&file, &format!("{}\t", shown(&file))), rest, settings, console);
        match file.map_err(Failure::from).and_then(work) {
            // a line of --from names a value that must be there
            Err(Failure::Refused(refusal)) if refusal.status == Status::NotFound && args.from.is_none() => {}
            Err(failure) => highest = highest.max(console.told(Err(failure))?),
            Ok(None) => {}
            Ok(Some(some)) => {
                fits = true;
                counts = counts.plus(some);
                changed = changed.saturating_add(usize::from(!some.is_none()));
            }
        }
    }
    if !fits && highest == Status::Fine {
        let reason = match &args.from {
            Some(from) => format!("{} names none of these files", Name::new(from)),
            None => {
                let advice = if args.add || !args.filter.is_all() { "" } else { "; --add adds missing values" };
                format!("no file has a value that fits{}{advice}", args.filter.unfit())
            }
        };
        return Err(Status::NotFound.because(reason).into());
    }
    Ok((counts, changed, highest))
}

/// Changes a file, or writes the changes, each after `before`. Returns the number of changed values; `None` if the file is one of
/// several, and no line of --from names it.
fn one(
    args: &Args,
    (file, before): (&Path, &str),
    rest: &[String],
    settings: &Settings,
    console: &mut Console,
) -> Result<Option<Counts>, Failure> {
    settings.changes_whole_files().map_err(usage)?;
    let undo = match undo(args, rest, settings)? {
        // the table is about others
        Some(all) if !before.is_empty() && !all.iter().any(|undo| undo.may_be_of(file)) => return Ok(None),
        Some(all) => Some(keep::fitting(all, file, settings.entry.as_deref())?),
        None => None,
    };
    let changes = if undo.is_some() { Vec::new() } else { changes(args, (file, before.is_empty()), rest, settings)? };
    if changes.is_empty() && undo.is_none() {
        return Ok(None);
    }
    if !args.dry_run {
        args.destination.of(file)?;
    }
    let Args { all, add, first, any_key, any_type, store: StoreOption { store }, .. } = *args;
    let is_of_many = !before.is_empty() && args.from.is_none();
    let how = How { all, add, is_of_many, first, any_key, any_type, store };
    let change = FileChange::new(file, &changes, how, settings).of(&args.filter).said_by(args.from.as_deref());
    let change = change.taking_back(undo.as_ref());
    if args.dry_run {
        let (lines, counts, done) = change.preview(console);
        // of several files, one that is refused does not change
        if done.is_ok() || before.is_empty() {
            lines.lines().try_for_each(|line| writeln!(console.out(), "{before}{line}"))?;
        }
        return Ok(done.map(|()| Some(counts))?);
    }
    match before.is_empty() {
        true => change.write_and_tell(&args.destination, console)?,
        false => change.write(&args.destination, console)?,
    }
    Ok(Some(change.counts()))
}

/// The values to take back, if --from names a table that --undo wrote.
fn undo(args: &Args, rest: &[String], settings: &Settings) -> Result<Option<Vec<Undo>>, Refusal> {
    let Some(from) = args.from.as_ref().filter(|from| !is_standard(from)) else { return Ok(None) };
    let Some(all) = keep::tables(&models::read(from, settings.memory())?, from)? else { return Ok(None) };
    let Args { remove, rename, add_tag, remove_tag, plain, all: fits_all, add, first, filter, .. } = args;
    let lists = [remove, rename, add_tag, remove_tag];
    let has_more = [*plain, *fits_all, *add, *first, !rest.is_empty(), !filter.is_all()].contains(&true);
    if has_more || lists.iter().any(|list| !list.is_empty()) {
        let reason = "the table of --undo is taken back as a whole: leave out other changes, patterns and filters";
        return Err(usage(reason));
    }
    Ok(Some(all))
}

/// The changes that the command line and the file of lines ask for.
fn changes(
    args: &Args,
    (file, is_only): (&Path, bool),
    rest: &[String],
    settings: &Settings,
) -> Result<Vec<Changes>, Refusal> {
    let (address, assignments) = match rest.split_first() {
        Some((first, rest)) if !is_assignment(first) => (Some(first.clone()), rest),
        _ => (None, rest),
    };
    let mut list = assignments.iter().map(|text| assignment(text).map_err(usage)).collect::<Result<Vec<_>, _>>()?;
    for path in &args.remove {
        list.push(Assignment::at(path, Edit::Remove).map_err(|error| usage(error.to_string()))?);
    }
    for pair in args.rename.chunks(2) {
        if let [path, key] = pair {
            let key = one_key(key).map_err(usage)?;
            list.push(Assignment::at(path, Edit::Rename(key)).map_err(|error| usage(error.to_string()))?);
        }
    }
    let mut all = Vec::new();
    let add = args.add_tag.iter().cloned().map(TagChange::Add);
    let tags: Vec<_> = add.chain(args.remove_tag.iter().cloned().map(TagChange::Remove)).collect();
    if !list.is_empty() || !tags.is_empty() {
        all.push(Changes { tags, ..Changes::of(address.clone(), list) });
    }
    if let Some(from) = &args.from {
        lines(from, (file, is_only), address.as_deref(), settings, &mut all)?;
    }
    let at = |reason: &str, line: Option<usize>| match (&args.from, line) {
        (Some(from), Some(line)) => usage(reason).at(format!("{}: line {line}", Name::new(from))),
        _ => usage(reason),
    };
    if args.plain {
        let list = all.iter_mut().filter(|changes| !changes.is_bare).flat_map(|changes| &mut changes.list);
        for change in list {
            change.make_plain().map_err(|reason| at(&reason, change.line))?;
        }
    }
    let pattern = all.iter().flat_map(|changes| &changes.list).find(|change| change.pattern.is_some());
    if let Some(change) = pattern.filter(|_| !args.all) {
        return Err(at(NEEDS_ALL, change.line));
    }
    if let (true, true, Some(from)) = (all.is_empty(), is_only, &args.from) {
        return Err(Status::NotFound.because(format!("{} has no changes of {}", Name::new(from), shown(file))));
    }
    if all.is_empty() && args.from.is_none() {
        return Err(usage("nothing to change: give PATH=VALUE, --remove PATH, --rename PATH KEY, --add-tag TAG, --remove-tag TAG or --from FILE"));
    }
    Ok(all)
}

/// The one name that a text is.
fn one_key(text: &str) -> Result<Step, String> {
    match text.parse::<ValuePath>().as_ref().map(|path| &path.0[..]) {
        Ok([key @ Step::Key(_)]) => Ok(key.clone()),
        _ => {
            let quoted = ValuePath(vec![Step::key(text)]);
            let advice = if text.contains('"') { String::new() } else { format!("; quote it: '{quoted}'") };
            Err(format!(
                "expected one key such as Fuel or '\"max fuel\"' to rename to, found {}{advice}",
                escaped(text)
            ))
        }
    }
}

/// A line of `get --json` or `get --plain`; other members are about the value, and are passed over.
#[derive(Deserialize)]
#[serde(expecting = "a line of `get --json`")]
struct Row {
    file: Option<String>,
    address: Option<String>,
    path: Option<String>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    /// The value in the notation of the engine.
    text: Option<String>,
    /// The value in plain JSON, which may be `null`.
    #[serde(default, deserialize_with = "given")]
    value: Option<Box<RawValue>>,
}

/// A change of a line, the file that the line names, and the address.
struct Said {
    file: Option<String>,
    address: Option<String>,
    change: Assignment,
}

fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(value).map(Some)
}

/// Returns true if a line of JSON names the value to change. An object that names none is a value itself.
pub fn is_row(line: &str) -> bool {
    let names_value = |row: Row| row.address.is_some() || row.path.is_some();
    line.trim_start().starts_with('{') && serde_json::from_str(line).is_ok_and(names_value)
}

/// The change that a line of JSON says, if it has a value.
fn row(line: &str) -> Result<Option<Said>, String> {
    let row = serde_json::from_str(line)
        .map_err(|error| format!("expected a line of `get --json` or `get --plain`: {}", TextError::from(error)));
    let Row { file, address, path, type_name, text, value } = row?;
    let edit = match (text, value) {
        (Some(text), _) => Edit::Set { type_name, text },
        (None, Some(value)) => Edit::SetPlain(value.get().to_owned()),
        // of a file without values, or with an error
        (None, None) if file.is_some() && address.is_none() => return Ok(None),
        (None, None) => return Err("expected the value as `text`, or in plain JSON as `value`".to_owned()),
    };
    let change = Assignment::at(&path.unwrap_or_default(), edit).map_err(|error| error.to_string())?;
    Ok(Some(Said { file, address, change }))
}

/// The byte between the columns of a table, if a file is one: its first line names columns, among them `path` and `text`.
fn delimiter(file: &[u8]) -> Option<u8> {
    let head = file.lines().next().unwrap_or_default();
    let names = |delimiter: &u8| {
        let head = csv::ReaderBuilder::new().delimiter(*delimiter).from_reader(head).headers().cloned();
        head.is_ok_and(|head| ["path", "text"].iter().all(|name| head.iter().any(|column| column == *name)))
    };
    [b',', b';', b'\t'].into_iter().find(names)
}

/// The number of the line with a quote that is open at the end of a table.
fn open_quote(table: &[u8]) -> Option<usize> {
    let (mut line, mut opened, mut is_start) = (1usize, None, true);
    let mut bytes = table.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, opened) {
            (b'"', None) if is_start => opened = Some(line),
            // a quote in a field is written twice
            (b'"', Some(_)) if bytes.next_if_eq(&b'"').is_none() => opened = None,
            _ => {}
        }
        line = line.saturating_add(usize::from(byte == b'\n'));
        is_start = opened.is_none() && matches!(byte, b',' | b'\n' | b'\r');
    }
    opened
}

/// The memory that a change of a line takes beside its text.
const CHANGE: usize = 512;

/// The changes that lines of CSV say.
fn records(table: &[u8], budget: &mut Budget) -> Result<Vec<Said>, String> {
    if let Some(line) = open_quote(table) {
        return Err(format!("a quote in line {line} is not closed"));
    }
    let mut reader = csv::Reader::from_reader(table);
    let columns = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| columns.iter().position(|column| column == name);
    let (file, columns) = (column("file"), get::COLUMNS.map(column));
    let mut all = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        budget.take(record.as_slice().len().saturating_mul(2).saturating_add(CHANGE)).map_err(more)?;
        let number = record.position().map_or(0, |position| usize::try_from(position.line()).unwrap_or(usize::MAX));
        let field = |column: Option<usize>| unmarked(column.and_then(|column| record.get(column)).unwrap_or_default());
        let (file, [address, path, type_name, text]) = (field(file), columns.map(field));
        // of a file without values, or with an error
        if !file.is_empty() && [address, path, text].iter().all(|field| field.is_empty()) {
            continue;
        }
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        // spreadsheets write true in capitals
        let text = if ["TRUE", "FALSE"].contains(&text) { text.to_ascii_lowercase() } else { text.to_owned() };
        let edit = Edit::Set { type_name: given(type_name), text };
        let change = Assignment::at(path, edit).map_err(|error| format!("{error}, in line {number}"))?;
        all.push(Said { file: given(file), address: given(address), change: change.of_line(number) });
    }
    Ok(all)
}

/// Returns true if a line is only a value, without a path: the single value of a file or an address.
fn is_bare(line: &str) -> bool {
    match line.trim_start().starts_with("{\"") {
        true => serde_json::from_str::<IgnoredAny>(line).is_ok(),
        false => !is_assignment(line) && assignment(line).is_err(),
    }
}

/// Reads changes from lines written by `get`. Those without an address are about the value at `outer`. Of lines about several
/// files, those about this one are taken.
fn lines(
    from: &Path,
    (file, is_only): (&Path, bool),
    outer: Option<&str>,
    settings: &Settings,
    all: &mut Vec<Changes>,
) -> Result<(), Refusal> {
    let bytes = utf_8(models::read(from, settings.memory())?);
    let bytes = bytes.map_err(|reason| Status::Malformed.because(reason).at(Name::new(from)))?;
    let mut budget = Budget::with(settings.memory(), bytes.len());
    let malformed = |message: String| Status::Malformed.because(message).at(Name::new(from));
    let said = match delimiter(&bytes) {
        Some(b',') => records(&bytes, &mut budget).map_err(malformed)?,
        Some(other) => {
            let found = if other == b';' { "semicolons" } else { "tabs" };
            return Err(malformed(format!("the columns of the table have {found} between them; write it with commas")));
        }
        None => match bare(&bytes) {
            Some((line, number)) => {
                let edit = Edit::Set { type_name: None, text: line.to_owned() };
                let list = vec![Assignment::of(ValuePath::default(), edit).of_line(number)];
                all.push(Changes { is_bare: true, ..Changes::of(outer.map(str::to_owned), list) });
                return Ok(());
            }
            None => texts(&bytes, from, &mut budget)?,
        },
    };
    let name = shown(file).to_string();
    let is_it = |other: &String| other.trim_start_matches("./") == name.trim_start_matches("./");
    let mut named: Vec<_> = said.iter().filter_map(|said| said.file.as_ref()).collect();
    named.dedup();
    // the lines about one file may be meant for another
    let are_all_taken = is_only && named.len() < 2 && !named.iter().any(|file| is_it(file));
    let said = said.into_iter().filter(|said| are_all_taken || said.file.as_ref().is_none_or(is_it));
    for Said { file, address, change } in said {
        let is_here = address.is_none() || file.as_ref().is_some_and(is_it);
        let from = if is_here { AddressFrom::Here } else { AddressFrom::Lines };
        let address = address.or_else(|| outer.map(str::to_owned));
        match all.last_mut().filter(|last| last.address == address && last.from == from) {
            Some(last) => last.list.push(change),
            None => all.push(Changes { from, ..Changes::of(address, vec![change]) }),
        }
    }
    Ok(())
}

/// The only line of a file and its number, if it is a value: that of a value that holds no others, or one in plain JSON.
fn bare(bytes: &[u8]) -> Option<(&str, usize)> {
    let mut lines = (1..).zip(bytes.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    let (Some((number, line)), None) = (lines.next(), lines.next()) else { return None };
    let line = std::str::from_utf8(line).ok()?.trim_end_matches('\r');
    (!line.contains('\t') && !is_row(line) && is_bare(line)).then(|| (line.trim(), number))
}

/// The changes that lines of text or JSON say.
fn texts(bytes: &[u8], from: &Path, budget: &mut Budget) -> Result<Vec<Said>, Refusal> {
    let mut all = Vec::new();
    for (number, line) in (1usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        let at = |message: String| Status::Malformed.because(message).at(format!("{}: line {number}", Name::new(from)));
        let taken = line.len().saturating_mul(2).saturating_add(CHANGE);
        budget.take(taken).map_err(|error| at(more(error)))?;
        let line = std::str::from_utf8(line).map_err(|error| {
            let at_byte = error.valid_up_to().saturating_add(1);
            at(format!("the line is not UTF-8, from its byte {at_byte} on"))
        })?;
        let line = line.trim_end_matches('\r');
        // `edit` keeps its text with a head
        if line.trim().is_empty() || HEAD.lines().any(|head| head == line.trim_end()) {
            continue;
        }
        let (file, line) = match line.split_once('\t') {
            Some((file, rest)) if rest.contains('\t') && !is_assignment(rest) => (Some(file.to_owned()), rest),
            _ => (None, line),
        };
        let (address, text) = match line.split_once('\t') {
            Some((address, text)) => (Some(address.to_owned()).filter(|address| !address.is_empty()), text),
            None if line.trim_start().starts_with("{\"") => {
                let said = row(line).map_err(at)?;
                all.extend(said.map(|said| Said { change: said.change.of_line(number), ..said }));
                continue;
            }
            None => (None, line),
        };
        all.push(Said { file, address, change: assignment(text).map_err(at)?.of_line(number) });
    }
    Ok(all)
}

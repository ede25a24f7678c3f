//! `enginewire encode --into`: puts documents back into the container they were decoded from.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use enginewire::formats::{named, AnyFormat, JsonForm, JsonWriter};
use enginewire::TextError;
use enginewire_files::address::Address;
use enginewire_files::containers::{Container, ContainerKind, Embedded};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::described;
use crate::changes::to_change::{ChangedValues, FileToChange, OneValue, Values};
use crate::exit_status::{usage, Done, Placed, Refusal, Status};
use crate::files::atomic_write::same_file;
use crate::files::destination::{may_replace, Destination};
use crate::formats;
use crate::input::containers::more;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::{shown, Name};
use crate::settings::Settings;
use crate::size::size_text;
use crate::text_encoding::TextEncoding;

/// A line of the output of `decode`: the address of the value, and the value.
#[derive(Deserialize)]
#[serde(expecting = "an object with an address and a document")]
pub struct Line<'l> {
    #[serde(flatten)]
    pub address: Map<String, Value>,
    #[serde(borrow)]
    pub document: &'l RawValue,
}

/// A document and its destination. The document stays in the file with the lines, because there may be very many.
pub struct Change<'l> {
    input: &'l Input<'l>,
    range: Range<usize>,
    /// The number of the value in a stream, whose documents come without addresses.
    index: Option<usize>,
    /// The number of the line in the file.
    pub number: usize,
}

impl<'l> Change<'l> {
    /// Why the file is not changed so, with the place of the line.
    pub fn refused(&self, reason: impl fmt::Display) -> Refusal {
        Status::Malformed.because(reason.to_string()).at(self.place())
    }

    pub fn place(&self) -> String {
        format!("{}: line {}", self.input.name, self.number)
    }

    pub fn line(&self) -> Result<Line<'l>, Refusal> {
        let text = self.input.bytes.get(self.range.clone()).unwrap_or_default();
        let line = match self.index {
            None => serde_json::from_slice(text),
            Some(index) => {
                let address = [("index".to_owned(), index.into())].into_iter().collect();
                serde_json::from_slice(text).map(|document| Line { address, document })
            }
        };
        line.map_err(|error| self.refused(TextError::from(error)))
    }

    /// Its members of these names, as a key; `None` if it lacks one.
    fn key(&self, names: &[&str]) -> Option<String> {
        let Line { address, .. } = self.line().ok()?;
        names.iter().map(|name| Some(format!("{name}={};", address.get(*name)?))).collect()
    }
}

/// The values to put back, and their destination.
#[derive(Debug)]
pub struct Job<'j> {
    /// The lines.
    pub files: &'j [PathBuf],
    /// The file that they go back into.
    pub into: &'j Path,
    /// The destination of the changed file.
    pub destination: &'j Destination,
    /// The form of the documents.
    pub form: JsonForm,
}

pub fn run(job: &Job<'_>, settings: &Settings, console: &mut Console) -> Done {
    let (mut inputs, mut held) = (Vec::new(), 0usize);
    settings.changes_whole_files().map_err(usage)?;
    let Job { files, into, destination, form } = *job;
    if destination.output.as_ref().is_some_and(|out| files.iter().any(|lines| same_file(lines, out))) {
        return Err(usage("the copy would overwrite the input; choose another file").into());
    }
    destination.of(into)?;
    if destination.in_place {
        may_replace(into, settings)?;
    }
    // the options about the input are about the file, not about the lines
    let plain = Settings { input: TextEncoding::Raw, entry: None, ..settings.clone() };
    let status = each::each_whole(job.files, &plain, console, |input, _| {
        held = held.saturating_add(input.bytes.len());
        if held > settings.memory() {
            let reason = format!("the values to put back take more than {}", size_text(settings.memory()));
            return Err(Status::Io.because(more(reason)).into());
        }
        inputs.push(input);
        Ok(Status::Fine)
    })?;
    if status != Status::Fine {
        return Ok(status);
    }
    let mut warnings = Vec::new();
    let put = destination.write(into, settings, console, &mut |opened| {
        put_into(opened, &inputs, form, settings, &mut warnings).at(Name::new(into))
    });
    console.warnings(shown(into), &warnings)?;
    put.map(|()| Status::Fine).map_err(Into::into)
}

/// The documents of a stream name its format.
fn of_documents(settings: &Settings, changes: &[Change<'_>]) -> Settings {
    let first = changes.first().filter(|change| change.index.is_some()).and_then(|change| change.line().ok());
    let named = first.and_then(|line| named(line.document.get().as_bytes()));
    let format = settings.format.clone().or_else(|| named.map(|format| format.name().to_owned()));
    Settings { format, ..settings.clone() }
}

/// Reads the changes from the objects in a file, each in a line or indented. What has neither a document nor tags is skipped.
/// For a stream, the objects are the documents.
fn read<'l>(input: &'l Input<'l>, is_stream: bool, changes: &mut Vec<Change<'l>>) -> Result<(), Refusal> {
    if is_stream {
        return objects(input, &mut |_: &RawValue, range, number| {
            changes.push(Change { input, range, index: Some(changes.len()), number });
            Ok(())
        });
    }
    objects(input, &mut |Line { address, document }: Line<'_>, range, number| {
        if document.get() != "null" || address.contains_key("tags") {
            changes.push(Change { input, range, index: None, number });
        }
        Ok(())
    })
}

/// Calls `each` with every object in a file, where it is, and the number of its line.
pub fn objects<'l, T: Deserialize<'l>>(
    input: &'l Input<'l>,
    each: &mut dyn FnMut(T, Range<usize>, usize) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut lines = serde_json::Deserializer::from_slice(&input.bytes).into_iter::<T>();
    let (mut counted, mut number) = (0, 1usize);
    loop {
        let start = lines.byte_offset();
        let before = input.bytes.get(start..).unwrap_or_default();
        let start = start.saturating_add(before.len().saturating_sub(before.trim_ascii_start().len()));
        let passed = input.bytes.get(counted..start).unwrap_or_default();
        number = number.saturating_add(passed.iter().filter(|byte| **byte == b'\n').count());
        counted = start;
        match lines.next() {
            None => return Ok(()),
            Some(Ok(object)) => each(object, start..lines.byte_offset(), number)?,
            Some(Err(error)) => {
                let place = format!("{}: line {}", input.name, error.line());
                let reason = format!("expected JSON objects as written by `decode`: {}", TextError::from(error));
                return Err(Status::Malformed.because(reason).at(place));
            }
        }
    }
}

/// The changes that put documents in the places of the values that they were decoded from. A value that has not changed keeps its
/// bytes.
fn put_into(
    opened: &FileToChange,
    inputs: &[Input],
    form: JsonForm,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> Result<ChangedValues, Refusal> {
    let (kind, container): (_, &dyn Container) = match &opened.values {
        Values::One(one) => return put_value(one, inputs, form, settings),
        Values::Model(kind, model) => (*kind, model),
        Values::Container(kind, container) => (*kind, &**container),
    };
    let mut changes = Vec::new();
    for input in inputs {
        read(input, matches!(kind, ContainerKind::Frames(_)), &mut changes)?;
    }
    let (settings, changes) = (&of_documents(settings, &changes), &changes[..]);
    let format = formats::of_changed_values(kind.formats(), container, settings)?;
    let mut wanted = Wanted::new(changes);
    let (mut replaced, mut failure) = (Vec::new(), None);
    let (mut held, mut count) = (0usize, 0usize);
    let end = container.values(&mut |value| {
        count = count.saturating_add(1);
        let new = wanted.take(&value).and_then(|change| match change {
            Some(change) => new_bytes(change, &value, format, form, settings),
            None => Ok(None),
        });
        match new {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(bytes)) => {
                held = held.saturating_add(bytes.len());
                replaced.push((value.address.into_address(), bytes));
                if held <= settings.memory() {
                    return ControlFlow::Continue(());
                }
                let limit = size_text(settings.memory());
                failure = Some(Status::Malformed.because(more(format!("the changed values take more than {limit}"))));
            }
            Err(refusal) => failure = Some(refusal),
        }
        ControlFlow::Break(())
    });
    *warnings = container.warnings();
    if let Some(failure) = failure {
        return Err(failure);
    }
    end?;
    if matches!(kind, ContainerKind::Frames(_)) && count != changes.len() {
        let (values, documents) = (count, changes.len());
        let reason =
            format!("expected {values} documents, one for each value of the stream in their order; found {documents}");
        return Err(Status::Malformed.because(reason));
    }
    if let Some(change) = wanted.left() {
        let reason = "the file has no value with this address; decode it again if it has changed since";
        return Err(change.refused(reason));
    }
    Ok(replaced.into())
}

/// The same for a file that is one value.
fn put_value(one: &OneValue, inputs: &[Input], form: JsonForm, settings: &Settings) -> Result<ChangedValues, Refusal> {
    let mut changes = Vec::new();
    for input in inputs {
        read(input, true, &mut changes)?;
    }
    let [change] = &changes[..] else {
        let reason = format!("the file is one value, and {} documents were given", changes.len());
        return Err(Status::Malformed.because(reason));
    };
    let document = change.line()?.document.get().as_bytes();
    let format = if form == JsonForm::Exact { format_of(change, document)? } else { one.format()? };
    if let Err(error) = format.check(&one.bytes, &settings.formats) {
        let reason = format!("the file is not a value of the format {}, and is not replaced: {error}", format.name());
        return Err(Status::Malformed.because(reason));
    }
    let new = encoded(change, document, Some(&one.bytes), format, form, settings)?;
    Ok(Vec::from_iter(new.map(|new| (Address::of_file(), new))).into())
}

/// The changes by the addresses of their values.
struct Wanted<'c> {
    changes: &'c [Change<'c>],
    is_found: Vec<bool>,
    /// For the names of the members of an address: the changes that have members of these names, in the order of the hashes
    /// of these members.
    indices: HashMap<Vec<&'static str>, Vec<(u64, usize)>>,
}

impl<'c> Wanted<'c> {
    fn new(changes: &'c [Change<'c>]) -> Self {
        Wanted { changes, is_found: vec![false; changes.len()], indices: HashMap::new() }
    }

    /// The change of the value with this address, which may occur once.
    fn take(&mut self, value: &Embedded<'_>) -> Result<Option<&'c Change<'c>>, Refusal> {
        let (address, members) = (&value.address, value.about.members());
        // the number of a row is enough, unless the line has other keys
        let count = if members.first().is_some_and(|(name, _)| *name == "table") { 2 } else { members.len() };
        let names: Vec<_> = members.iter().take(count).map(|(name, _)| *name).collect();
        if names.is_empty() {
            // an entry about the file as a whole has no address
            return Ok(None);
        }
        let key: String = members.iter().take(count).map(|(name, value)| format!("{name}={value};")).collect();
        let changes = self.changes;
        let index = self.indices.entry(names.clone()).or_insert_with_key(|names| {
            let hashed = |(number, change): (usize, &Change<'_>)| Some((hash(&change.key(names)?), number));
            let mut index: Vec<_> = changes.iter().enumerate().filter_map(hashed).collect();
            index.sort_unstable();
            index
        });
        let wanted = hash(&key);
        let from = index.partition_point(|(hash, _)| *hash < wanted);
        let mut first: Option<&Change<'_>> = None;
        for (_, number) in index.iter().skip(from).take_while(|(hash, _)| *hash == wanted) {
            let Some((change, is_found)) = changes.get(*number).zip(self.is_found.get_mut(*number)) else { continue };
            if change.key(&names).as_ref() != Some(&key) {
                continue;
            }
            *is_found = true;
            let is_key = |name: &str| ["id", "channel", "uid", "key"].contains(&name);
            let line = change.line()?.address;
            let mut keys = line.iter().filter(|(name, _)| is_key(name));
            if !keys.all(|(name, key)| members.iter().any(|(own, is)| own == name && is == key)) {
                let reason = "is another row than in the line: it has other keys";
                return Err(change.refused(format!("{} {reason}", escaped(address))));
            }
            if let Some(first) = first {
                let number = first.number;
                return Err(change.refused(format!("{} is already changed by line {number}", escaped(address))));
            }
            first = Some(change);
        }
        Ok(first)
    }

    /// A change whose value was not found.
    fn left(&self) -> Option<&'c Change<'c>> {
        self.changes.iter().zip(&self.is_found).find(|(_, is_found)| !**is_found).map(|(change, _)| change)
    }
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The bytes of a document, if they are not what the value has already, in this form or another.
fn new_bytes(
    change: &Change<'_>,
    value: &Embedded<'_>,
    format: &dyn AnyFormat,
    form: JsonForm,
    settings: &Settings,
) -> Result<Option<Vec<u8>>, Refusal> {
    let Line { address, document } = change.line()?;
    let document = document.get().as_bytes();
    if document == b"null" {
        let tags = value.about.tags();
        let is_same = value.bytes.is_err() || tags_of(&address).eq(tags.iter().map(|tag| Some(tag.as_str())));
        return match is_same {
            true => Ok(None),
            false => Err(change
                .refused(format!("tags cannot be changed, and {} has others than these", escaped(&value.address)))),
        };
    }
    let address = escaped(&value.address);
    let holds = if value.formats.is_empty() { "no value of a format" } else { format.name() };
    // only the exact form names its format
    let name = match form {
        JsonForm::Exact => format_of(change, document)?.name(),
        _ => format.name(),
    };
    if holds != name {
        return Err(change.refused(format!("the document is of the format {name}, but {address} holds {holds}")));
    }
    let old = match (&value.bytes, form) {
        (Ok(old), _) => Some(&**old),
        (Err(_), JsonForm::Plain) => {
            return Err(change.refused(format!("{address} cannot be read, so that its types are not known")));
        }
        (Err(_), _) => None,
    };
    encoded(change, document, old, format, form, settings)
}

/// The format that a document names.
fn format_of(change: &Change<'_>, document: &[u8]) -> Result<&'static dyn AnyFormat, Refusal> {
    named(document).ok_or_else(|| change.refused("the document names no format that is known"))
}

/// The same for a document and the bytes that it replaces.
fn encoded(
    change: &Change<'_>,
    document: &[u8],
    old: Option<&[u8]>,
    format: &dyn AnyFormat,
    form: JsonForm,
    settings: &Settings,
) -> Result<Option<Vec<u8>>, Refusal> {
    let encoded = |document: &[u8]| format.encode_form(form, document, old, &settings.formats);
    let new = encoded(document).map_err(|error| change.refused(described(&error)))?;
    let Some(old) = old else { return Ok(Some(new)) };
    let mut text = Vec::new();
    let is_same = *new == *old
        || (format.decode_json(old, &settings.formats, &mut JsonWriter::new(&mut text).form(form)).is_ok()
            && encoded(&text).is_ok_and(|old| old == new));
    Ok(if is_same { None } else { Some(new) })
}

/// The tags of a line.
fn tags_of(line: &Map<String, Value>) -> impl Iterator<Item = Option<&str>> {
    line.get("tags").and_then(Value::as_array).into_iter().flatten().map(Value::as_str)
}

//! Changes of the values of a file, as several commands make them: in a model, in another container, or in a file that is a
//! single value.

pub mod container;
mod model;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Cursor, Write};
use std::path::Path;

use clap::ValueEnum;
use enginewire::containers::{ContainerKind, Source};
use enginewire::formats::{self as library, at, AnyFormat, Edit, EditError, Node, Notation, ValuePath};
use enginewire::roblox::model::Store;

use crate::exit_status::Status;
use crate::files::atomic_write::is_standard;
use crate::files::destination::Destination;
use crate::files::read;
use crate::formats;
use crate::input::assignment::Assignment;
use crate::input::document::{self, is_document};
use crate::input::filter::Filter;
use crate::input::models::Refusal;
use crate::input::opened::{container, dump};
use crate::input::pattern::find;
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::Settings;
use crate::text_encoding::{utf_8, TextEncoding};

/// What a pattern needs, for one that fits more than was thought of would change too much.
pub const NEEDS_ALL: &str = "a name with * can stand for several values: pass --all to change all that it fits";

/// The changes of the values that one address names. They are made in the order of the members.
#[derive(Debug, Default)]
pub struct Changes {
    /// `None` for a file that is a single value.
    pub address: Option<String>,
    /// The bytes that take the place of the whole value.
    pub whole: Option<Vec<u8>>,
    /// Changes inside the value.
    pub list: Vec<Assignment>,
    /// Changes of the tags of an instance.
    pub tags: Vec<TagChange>,
}

/// A tag that an instance gets or loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagChange {
    Add(String),
    Remove(String),
}

impl Changes {
    /// Changes inside the value.
    pub fn of(address: Option<String>, list: Vec<Assignment>) -> Self {
        Changes { address, list, ..Changes::default() }
    }
}

/// How changes are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Whether an address may be a pattern, of which all values change that it fits.
    pub all: bool,
    /// Whether the properties of a StyleRule change instead of its attributes.
    pub style: bool,
    /// Whether names are allowed that Roblox does not allow.
    pub any_key: bool,
    /// How changed chunks of a model are compressed.
    pub store: Storing,
}

/// How a chunk is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Storing {
    #[default]
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

pub fn usage(message: impl Into<String>) -> Refusal {
    (Status::Usage, message.into())
}

/// Changes of a file.
#[derive(Debug)]
pub struct FileChange<'c> {
    file: &'c Path,
    changes: &'c [Changes],
    how: How,
    settings: &'c Settings,
    /// The file whose lines say the changes.
    from: Option<&'c Path>,
    /// Which values change, of those that the changes name.
    filter: Option<&'c Filter>,
    /// How many values patterns and filter fitted.
    fitted: Cell<usize>,
    /// What is not as it should be in the file, but keeps nothing from being changed.
    warnings: RefCell<Vec<String>>,
}

impl<'c> FileChange<'c> {
    pub fn new(file: &'c Path, changes: &'c [Changes], how: How, settings: &'c Settings) -> Self {
        let (fitted, warnings) = (Cell::new(0), RefCell::default());
        FileChange { file, changes, how, settings, from: None, filter: None, fitted, warnings }
    }

    /// Changes only what a filter takes, and refuses to write a file in which nothing fits.
    pub fn of(self, filter: &'c Filter) -> Self {
        FileChange { filter: Some(filter), ..self }
    }

    /// Names the lines of this file in errors.
    pub fn said_by(self, from: Option<&'c Path>) -> Self {
        FileChange { from, ..self }
    }

    /// Makes the changes, and writes the file or a copy.
    pub fn write(&self, destination: &Destination, console: &mut Console) -> Result<(), Refusal> {
        let written = self.written(destination, console);
        // a closed standard output is told where it is written to
        let _ = console.warnings(shown(self.file), &self.warnings.take());
        written
    }

    fn written(&self, destination: &Destination, console: &mut Console) -> Result<(), Refusal> {
        let out = destination.of(self.file)?;
        if is_save(self.file, self.settings) {
            self.without_tags()?;
            return self.write_save(out, destination, console);
        }
        if is_model(self.file, self.settings)? {
            let change = |reader: &File, writer: &mut dyn Write| self.change_model((reader, 0), writer);
            return destination.rewrite(self.file, console, Box::new(change));
        }
        destination.write(self.file, self.settings, console, |bytes| self.changed(bytes))
    }

    /// Refuses changes of tags.
    fn without_tags(&self) -> Result<(), Refusal> {
        match self.changes.iter().all(|changes| changes.tags.is_empty()) {
            true => Ok(()),
            false => Err(self.at(usage("only instances of models and places have tags"))),
        }
    }

    /// Refuses a filter for instances, where there are none.
    fn without_instances(&self) -> Result<(), Refusal> {
        match self.filter.is_some_and(Filter::is_of_instances) {
            true => Err(usage("only instances of models and places have classes and tags")),
            false => Ok(()),
        }
    }

    /// A refusal with the line that says the change, if one does.
    fn of_line(&self, line: Option<usize>, (status, message): Refusal) -> Refusal {
        match (self.from, line) {
            (Some(from), Some(line)) => (status, format!("{message}\n  --> {}: line {line}", shown(from))),
            _ => (status, message),
        }
    }

    /// A refusal with the first line that says the changes, if one does.
    fn of_lines(&self, changes: &Changes, refusal: Refusal) -> Refusal {
        self.of_line(changes.list.first().and_then(|change| change.line), refusal)
    }

    /// A refusal with the name of the file.
    fn at(&self, (status, message): Refusal) -> Refusal {
        (status, format!("{message}\n  --> {}", shown(self.file)))
    }

    /// The file with the changes made.
    fn changed(&self, file: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        let settings = self.settings;
        if !settings.dump && is_document(&file) {
            self.without_tags()?;
            return self.changed_document(file).map_err(|refusal| self.at(refusal));
        }
        let kind = container_of(&file, &Name::new(self.file), settings)?;
        if let Some(ContainerKind::Model(_)) = kind {
            let mut changed = Vec::with_capacity(file.len());
            // both are in memory
            let held = file.len().saturating_mul(2);
            return self.change_model((Cursor::new(&file), held), &mut changed).map(|()| changed);
        }
        self.without_tags()?;
        match kind {
            Some(kind) => self.changed_container(kind, Source::Bytes(file)).map_err(|refusal| self.at(refusal)),
            None => {
                let format = formats::chosen(settings, &file).map_err(|refusal| self.at(refusal))?;
                self.changed_value(file, format).map_err(|refusal| self.at(refusal))
            }
        }
    }

    /// A JSON document with the changes made in the value that it stands for.
    fn changed_document(&self, file: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        let document = utf_8(file.clone()).map_err(|reason| (Status::Malformed, reason))?;
        let (format, before) = document::value(&document, self.settings)?;
        let after = self.changed_value(before.clone(), format)?;
        // a document that stays the same keeps its form
        match after == before {
            true => Ok(file),
            false => document::rewritten(&document, format, &after, self.settings),
        }
    }

    /// A file that is a single value, with the changes made.
    fn changed_value(&self, file: Vec<u8>, format: &dyn AnyFormat) -> Result<Vec<u8>, Refusal> {
        self.without_instances()?;
        let changed = self.changes.iter().try_fold(file, |bytes, changes| match &changes.address {
            None => self.edited(format, bytes, changes, not_edited),
            Some(address) => {
                let reason = format!(
                    "the file is a single value and has no address {address}; expected PATH=VALUE such as Fuel=42"
                );
                Err(self.of_lines(changes, usage(reason)))
            }
        })?;
        self.something_fits(1).map(|()| changed)
    }

    /// A value with the changes made, but for those of tags. `refused` tells why it is not changed.
    fn edited(
        &self,
        format: &dyn AnyFormat,
        bytes: Vec<u8>,
        changes: &Changes,
        refused: fn(EditError) -> Refusal,
    ) -> Result<Vec<u8>, Refusal> {
        let bytes = changes.whole.clone().unwrap_or(bytes);
        if changes.list.is_empty() {
            return Ok(bytes);
        }
        let mut line = None;
        let edited = format.edit(&bytes, &self.settings.formats, &mut |node| {
            let list = self.chosen(node, changes, format.notation());
            let list = list.iter().map(|(path, change)| {
                line = change.line;
                (&**path, &change.edit)
            });
            library::change_all(node, list, format.notation())
        });
        edited.map_err(|error| self.of_line(line, refused(error)))
    }

    /// The changes inside a value, each with the path of one value: those that a pattern fits, and that the filter takes.
    fn chosen<'l>(
        &self,
        root: &dyn Node,
        changes: &'l Changes,
        notation: Notation,
    ) -> Vec<(Cow<'l, ValuePath>, &'l Assignment)> {
        let is_taken = |node: &dyn Node| {
            let is_taken = self.filter.is_none_or(|filter| filter.takes(node, notation));
            self.fitted.set(self.fitted.get().saturating_add(usize::from(is_taken)));
            is_taken
        };
        let takes_all = self.filter.is_none_or(Filter::takes_all_values);
        let mut all = Vec::new();
        for change in &changes.list {
            let Assignment { path, pattern, edit, .. } = change;
            match pattern {
                Some(pattern) => {
                    let mut found = find(root, pattern, notation);
                    found.retain(|(_, node)| is_taken(*node));
                    if matches!(edit, Edit::Remove) {
                        // the others keep their indices
                        found.reverse();
                    }
                    all.extend(found.into_iter().map(|(path, _)| (Cow::Owned(path), change)));
                }
                // what is not there can be added
                None if takes_all || at(root, path, notation).is_ok_and(is_taken) => {
                    all.push((Cow::Borrowed(path), change))
                }
                None => {}
            }
        }
        all
    }

    /// Refuses to write a file in which nothing fits the patterns of paths and the filter. `count` values were looked into.
    fn something_fits(&self, count: usize) -> Result<(), Refusal> {
        let Some(filter) = self.filter else { return Ok(()) };
        // a value that is named by its path is an error of its own where it is not there
        let is_chosen = |change: &Assignment| change.pattern.is_some() || !filter.takes_all_values();
        let mut list = self.changes.iter().flat_map(|changes| &changes.list).peekable();
        let are_chosen = list.peek().is_some() && list.all(is_chosen);
        match count == 0 || (are_chosen && self.fitted.get() == 0) {
            true => Err((Status::NotFound, "no value fits, so that nothing changes".to_owned())),
            false => Ok(()),
        }
    }
}

/// The container that the bytes of a file are, or are said to be.
pub fn container_of(file: &[u8], name: &Name, settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
    let framing = || formats::framing_of(settings).or_else(|| formats::found_framing(file, name, settings));
    Ok(dump(settings)?.or_else(|| container(file, settings)).or_else(|| framing().map(ContainerKind::Frames)))
}

/// Whether a file is a database, which is changed as such. Why a file cannot be read is told where it is read.
pub fn is_save(path: &Path, settings: &Settings) -> bool {
    if is_standard(path) || read::is_stream(path) || settings.encoding() != TextEncoding::Raw {
        return false;
    }
    read::head(path, formats::HEAD).is_ok_and(|head| ContainerKind::detect(&head) == Some(ContainerKind::Save))
}

/// Whether a file is a model or place, which is changed piece by piece. Why a file cannot be read is told where it is read.
pub fn is_model(path: &Path, settings: &Settings) -> Result<bool, Refusal> {
    if is_standard(path) || read::is_stream(path) || settings.encoding() != TextEncoding::Raw {
        return Ok(false);
    }
    let Ok(head) = read::head(path, formats::HEAD) else { return Ok(false) };
    let is_document = !settings.dump && is_document(&head);
    let kind = dump(settings)?.or_else(|| container(&head, settings));
    Ok(!is_document && matches!(kind, Some(ContainerKind::Model(_))))
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

//! Changes of the values of a file, as several commands make them: in a model, in another container, or in a file that is a
//! single value.

pub mod container;
mod model;
pub mod noted;
pub mod pack;
pub mod to_change;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;

use clap::ValueEnum;
use enginewire::formats::{AnyFormat, Contents, Edit, EditError, Editor, Found, Node, Notation, Step, ValuePath};
use enginewire::roblox::Tags;
use enginewire_files::address::Address;
use enginewire_files::containers::Member;
use enginewire_files::roblox::model::{Kind, Store};
use serde::de::IgnoredAny;

use self::noted::{text_shown, Counts, Preview};
use self::to_change::{ChangedValues, FileToChange, Values};
use crate::exit_status::{refuse_if, usage, Placed, Refusal, Status};
use crate::files::atomic_write::is_standard_output;
use crate::files::destination::{preview, Destination};
use crate::files::keep::Undo;
use crate::input::assignment::Assignment;
use crate::input::filter::Filter;
use crate::input::pattern::{find, is_pattern};
use crate::output::console::Console;
use crate::output::escape::{argument, escaped};
use crate::output::name::shown;
use crate::settings::Settings;

/// The error for a pattern without --all: it might change more values than intended.
pub const NEEDS_ALL: &str = "a name with * may match several values: pass --all to change all that it fits";

/// The changes of the values that one address names. They are made in the order of the members.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// `None` for a file that is a single value.
    pub address: Option<String>,
    /// The bytes that take the place of the whole value.
    pub whole: Option<Vec<u8>>,
    /// Changes inside the value.
    pub list: Vec<Assignment>,
    /// True if the list is one whole value in the form that `get` writes for one value: engine notation or plain JSON.
    pub is_bare: bool,
    /// Changes of the tags of an instance.
    pub tags: Vec<TagChange>,
    /// The source of the address.
    pub from: AddressFrom,
    /// The members of the value in the other file that is copied.
    pub about: Vec<Member>,
}

/// The source of an address. In another file, a referent or the number of a row belongs to another value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AddressFrom {
    /// The command line, for the file that changes.
    #[default]
    Here,
    /// Lines that do not name their file.
    Lines,
    /// Another file.
    Other {
        /// The number of instances with the path of the instance, and with those of the instances around it, outermost first.
        counts: Vec<usize>,
    },
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

/// Options for making changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// True if an address may be a pattern. All values that match it change.
    pub all: bool,
    /// True if such a pattern, or the number after the last value of a stream, adds missing values.
    pub add: bool,
    /// True if there are several files. Some may lack the values.
    pub is_of_many: bool,
    /// True if settings and values of streams become the first of the file.
    pub first: bool,
    /// True if names are accepted that Roblox does not allow.
    pub any_key: bool,
    /// True if attributes are accepted that no script can set.
    pub any_type: bool,
    /// The compression of changed chunks of a model.
    pub store: Storing,
}

/// The option for the compression of chunks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct StoreOption {
    /// Compress chunks as-before, raw or lz4
    #[arg(long, value_name = "HOW", default_value = "as-before")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub store: Storing,
}

/// The compression of a chunk.
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

/// Changes of a file.
#[derive(Debug)]
pub struct FileChange<'c> {
    file: &'c Path,
    changes: &'c [Changes],
    how: How,
    settings: &'c Settings,
    /// The file whose lines say the changes.
    from: Option<&'c Path>,
    /// Selects the values to change, among those that the changes name.
    filter: Option<&'c Filter>,
    /// The number of values that patterns and filter matched.
    fitted: Cell<usize>,
    /// The number of changed values.
    counts: Cell<Counts>,
    /// True if the values before the changes are wanted.
    keeps: Cell<bool>,
    /// The values to take back, instead of changes.
    undo: Option<&'c Undo>,
    /// The lines that list the changes, if they are asked for.
    preview: Option<RefCell<Preview>>,
    /// Warnings: faults of the file that do not prevent a change.
    warnings: RefCell<Vec<String>>,
}

impl<'c> FileChange<'c> {
    pub fn new(file: &'c Path, changes: &'c [Changes], how: How, settings: &'c Settings) -> Self {
        let (fitted, counts, warnings) = (Cell::new(0), Cell::default(), RefCell::default());
        let (keeps, undo, preview) = (Cell::new(false), None, None);
        FileChange {
            file,
            changes,
            how,
            settings,
            from: None,
            filter: None,
            fitted,
            counts,
            keeps,
            undo,
            preview,
            warnings,
        }
    }

    /// Changes only values that the filter takes. If no value matches, no file is written.
    pub fn of(self, filter: &'c Filter) -> Self {
        FileChange { filter: Some(filter), ..self }
    }

    /// Takes back what this table says.
    pub fn taking_back(self, undo: Option<&'c Undo>) -> Self {
        FileChange { undo, ..self }
    }

    /// Names the lines of this file in errors.
    pub fn said_by(self, from: Option<&'c Path>) -> Self {
        FileChange { from, ..self }
    }

    /// The number of changed values.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    /// Makes the changes without writing anything. Returns the lines that list the changes, even if a later change fails; the
    /// number of changed values; and the result.
    pub fn preview(mut self, console: &mut Console) -> (String, Counts, Result<(), Refusal>) {
        self.preview = Some(RefCell::default());
        let done = preview(self.file, self.settings, &mut |opened| self.make(opened));
        self.warn(console);
        let preview = self.preview.take().map(RefCell::into_inner).unwrap_or_default();
        (preview.into_text(), self.counts.get(), done)
    }

    /// Makes the changes, and writes the file or a copy.
    pub fn write(&self, destination: &Destination, console: &mut Console) -> Result<(), Refusal> {
        self.keeps.set(destination.keep.undo.is_some());
        let written = destination.write(self.file, self.settings, console, &mut |opened| self.make(opened));
        self.warn(console);
        written
    }

    /// Makes the changes, and reports the number of changed values.
    pub fn write_and_tell(&self, destination: &Destination, console: &mut Console) -> Result<(), Refusal> {
        self.write(destination, console)?;
        let is_data = !destination.in_place && destination.of(self.file).is_ok_and(is_standard_output);
        // a closed standard output is reported where output is written to it
        let _ = console.done(self.counts().text(true), is_data);
        Ok(())
    }

    fn warn(&self, console: &mut Console) {
        // a closed standard output is reported where output is written to it
        let _ = console.warnings(shown(self.file), &self.warnings.take());
    }

    /// The changes of the values of a file.
    fn make(&self, opened: &FileToChange) -> Result<ChangedValues, Refusal> {
        if let Some(undo) = self.undo {
            let made = opened.taken_back(&undo.rows)?;
            let format = opened.format(self.settings)?;
            let before: HashMap<_, _> = made.before.iter().map(|(address, bytes)| (address, &**bytes)).collect();
            let all = made.replaced.iter().chain(&made.added).map(|(address, bytes)| (address, Some(&**bytes)));
            for (address, after) in all.chain(made.removed.iter().map(|address| (address, None))) {
                let label = if address.is_file() { String::new() } else { escaped(address) };
                let before = before.get(address).copied();
                match address.property().is_some_and(|property| property == Kind::Tags.name()) {
                    true => {
                        let [before, after] = [before, after].map(|tags| Tags::from_bytes(tags.unwrap_or_default()));
                        self.note_tags(label.trim_end_matches(":Tags"), &before, &after);
                    }
                    false => self.note_whole(format, &label, before, after),
                }
            }
            for (address, text) in &made.unread {
                self.note_line(&escaped(address), &format!("again {}", text_shown(text)), Counts::one(true, true));
            }
            return Ok(made);
        }
        self.without_doubt()?;
        let kind = opened.container().map(|(kind, _)| kind);
        if !kind.is_some_and(container::is_growing) {
            self.without_first().at(shown(self.file))?;
        }
        let format = || self.without_tags().and_then(|()| opened.format(self.settings));
        let made = match &opened.values {
            Values::Model(_, model) => return self.changed_model(model),
            Values::Container(kind, container) => self.changed_values(*kind, &**container, format()?),
            Values::One(one) => {
                let changed = self.changed_value(one.bytes.clone(), format()?);
                changed.map(|bytes| vec![(Address::of_file(), bytes)].into())
            }
        };
        made.at(shown(self.file))
    }

    /// Refuses two different values for one.
    fn without_doubt(&self) -> Result<(), Refusal> {
        let mut seen = HashMap::new();
        for changes in self.changes {
            for change in &changes.list {
                let is_set = |edit: &Edit| matches!(edit, Edit::Set { .. } | Edit::SetPlain(_));
                let before = seen.insert((&changes.address, &change.path, &change.pattern), &change.edit);
                if before.is_some_and(|edit| *edit != change.edit && is_set(edit) && is_set(&change.edit)) {
                    let name = change.pattern.clone().unwrap_or_else(|| change.path.to_string());
                    let name = if name.is_empty() { "the value".to_owned() } else { escaped(name) };
                    let refusal = usage(format!("{name} is set twice, to different values"));
                    return Err(self.of_line(change.line, refusal).at(shown(self.file)));
                }
            }
        }
        Ok(())
    }

    /// Refuses changes of tags.
    fn without_tags(&self) -> Result<(), Refusal> {
        let has_tags = self.changes.iter().any(|changes| !changes.tags.is_empty());
        refuse_if(has_tags, "only instances of models and places have tags").at(shown(self.file))
    }

    /// Refuses to make values the first.
    fn without_first(&self) -> Result<(), Refusal> {
        refuse_if(self.how.first, "--first is for settings of project.binary and for values of streams and dumps")
    }

    /// Refuses a filter for instances, where there are none.
    fn without_instances(&self) -> Result<(), Refusal> {
        let is_of_instances = self.filter.is_some_and(Filter::is_of_instances);
        refuse_if(is_of_instances, "only instances of models and places have classes and tags")
    }

    /// A refusal with the line that says the change, if one does.
    fn of_line(&self, line: Option<usize>, refusal: Refusal) -> Refusal {
        match (self.from, line) {
            (Some(from), Some(line)) => refusal.at(format!("{}: line {line}", shown(from))),
            _ => refusal,
        }
    }

    /// A refusal with the first line that says the changes, if one does.
    fn of_lines(&self, changes: &Changes, refusal: Refusal) -> Refusal {
        self.of_line(changes.list.first().and_then(|change| change.line), refusal)
    }

    /// A file that is a single value, with the changes made.
    fn changed_value(&self, file: Vec<u8>, format: &dyn AnyFormat) -> Result<Vec<u8>, Refusal> {
        self.without_instances()?;
        let changed = self.changes.iter().try_fold(file, |bytes, changes| match &changes.address {
            None => self.edited(format, bytes, changes, ("", 0), not_edited),
            Some(address) if self.how.is_of_many && ["*", "**"].contains(&&**address) => {
                self.edited(format, bytes, changes, ("", 0), not_edited)
            }
            Some(address) => {
                let reason = format!(
                    "the file is a single value and has no address {address}; expected PATH=VALUE such as Fuel=42"
                );
                Err(self.of_lines(changes, usage(reason)))
            }
        })?;
        self.something_fits(1).map(|()| changed)
    }

    /// A value with the changes made, except changes of tags. `address` is its address in the file, and `start` its first byte
    /// there. `refused` explains why the value is not changed.
    fn edited(
        &self,
        format: &dyn AnyFormat,
        bytes: Vec<u8>,
        changes: &Changes,
        (address, start): (&str, u64),
        refused: fn(EditError) -> Refusal,
    ) -> Result<Vec<u8>, Refusal> {
        if let Some(whole) = changes.whole.as_ref().filter(|whole| **whole != bytes) {
            self.note_whole(format, address, Some(&bytes), Some(whole));
        }
        let bytes = changes.whole.clone().unwrap_or(bytes);
        if changes.list.is_empty() {
            return Ok(bytes);
        }
        let (mut line, mut hint) = (None, String::new());
        let edited = format.edit(&bytes, &self.settings.formats, &mut |node| {
            let mut editor = Editor::new(node, format.notation());
            let edited = self.edit(&mut editor, changes, format.notation(), address, &mut line);
            if matches!(edited, Err(EditError::NotFound(_) | EditError::Invalid(_))) && format.name() == ATTRIBUTES {
                hint = changes.list.iter().find_map(|change| dotted(&mut editor, change)).unwrap_or_default();
            }
            edited
        });
        edited.map_err(|error| {
            let refusal = refused(match error {
                EditError::Decode(error) => EditError::Decode(error.shifted(start)),
                error => error,
            });
            self.of_line(line, refusal.hint(&hint))
        })
    }

    /// Makes the changes inside a value, in order. A pattern matches the values that are there when its turn comes. `line`
    /// becomes the line of the last change that was begun.
    fn edit(
        &self,
        editor: &mut Editor<'_>,
        changes: &Changes,
        notation: Notation,
        address: &str,
        line: &mut Option<usize>,
    ) -> Result<(), EditError> {
        let is_taken = |node: &dyn Node| self.filter.is_none_or(|filter| filter.takes(node, notation));
        let takes_all = self.filter.is_none_or(Filter::takes_all_values);
        for change in &changes.list {
            let Assignment { path, pattern, edit, .. } = change;
            *line = change.line;
            let Some(pattern) = pattern else {
                let is_chosen = match editor.at(path) {
                    Ok(node) => is_taken(&*node),
                    Err(_) => takes_all && (!self.skips(changes) || (self.how.add && adds(edit))),
                };
                if is_chosen {
                    self.apply(editor, (path, edit), changes.is_bare, notation, address)?;
                }
                continue;
            };
            let found = find(editor.root()?, pattern, notation).into_iter();
            let mut found: Vec<_> = found.filter(|(_, node)| is_taken(*node)).map(|(path, _)| path).collect();
            if !adds(edit) {
                // the others keep their indices, and what is inside a value comes before it
                found.reverse();
            }
            for path in &found {
                self.apply(editor, (path, edit), false, notation, address)?;
            }
        }
        editor.finish()
    }

    /// Makes one change, and notes it.
    fn apply(
        &self,
        editor: &mut Editor<'_>,
        (path, edit): (&ValuePath, &Edit),
        is_bare: bool,
        notation: Notation,
        address: &str,
    ) -> Result<(), EditError> {
        self.fitted.set(self.fitted.get().saturating_add(1));
        let seen = |editor: &mut Editor<'_>| editor.at(path).ok().map(|node| self.seen(&*node, notation));
        let before = seen(editor);
        match edit {
            Edit::Set { text, .. } if is_bare => set_bare(editor, text)?,
            edit => editor.change(path, edit).map_err(|error| error.named(path))?,
        }
        let after = if adds(edit) { seen(editor) } else { None };
        self.note((address, path), edit, before, after);
        Ok(())
    }

    /// Returns true if missing values are skipped, because not every value that a pattern matches has them.
    fn skips(&self, changes: &Changes) -> bool {
        self.how.is_of_many || (self.how.all && changes.address.as_deref().is_some_and(is_pattern))
    }

    /// Refuses to write a file if the patterns of paths and the filter match nothing in it. `count` values were examined.
    fn something_fits(&self, count: usize) -> Result<(), Refusal> {
        let Some(filter) = self.filter else { return Ok(()) };
        // a value that is named by its path is an error of its own where it is not there
        let of = |changes: &'c Changes| changes.list.iter().map(move |change| (self.skips(changes), change));
        let is_chosen =
            |(skips, change): (bool, &Assignment)| skips || change.pattern.is_some() || !filter.takes_all_values();
        let mut list = self.changes.iter().flat_map(of).peekable();
        let are_chosen = list.peek().is_some() && list.all(is_chosen);
        if count > 0 && (!are_chosen || self.fitted.get() > 0) {
            return Ok(());
        }
        let filter = filter.unfit();
        let could_add = |(skips, change): (bool, &Assignment)| skips && change.pattern.is_none() && adds(&change.edit);
        let advice = match !self.how.add && self.changes.iter().flat_map(of).any(could_add) {
            true => "; pass --add to add it where it is missing",
            false => "",
        };
        Err(Status::NotFound.because(format!("no value fits{filter}{advice}")))
    }
}

/// The format whose keys often have dots.
const ATTRIBUTES: &str = "roblox-attributes";

/// Advice for a change whose path begins with keys that lead nowhere: its dots may belong to a key.
fn dotted(editor: &mut Editor<'_>, change: &Assignment) -> Option<String> {
    let Assignment { path: ValuePath(steps), pattern: None, edit, .. } = change else { return None };
    let keys: Vec<_> =
        steps.iter().map_while(|step| if let Step::Key(key) = step { Some(key.as_slice()) } else { None }).collect();
    let (first, rest) = (steps.first()?, steps.get(keys.len()..)?);
    let holds = |node: Found<'_>| !matches!(node.contents(), Contents::Leaf);
    if keys.len() < 2 || editor.at(&ValuePath(vec![first.clone()])).is_ok_and(holds) {
        return None;
    }
    let path = ValuePath([&[Step::key(keys.join(&b"."[..]))], rest].concat());
    let given = match edit {
        Edit::Set { type_name: Some(name), text } => argument(&format!("{path}:{name}={text}")),
        Edit::Set { text, .. } | Edit::SetPlain(text) => argument(&format!("{path}={text}")),
        // a key that is not there is not renamed or removed either
        _ if editor.at(&path).is_err() => return None,
        _ => argument(&path.to_string()),
    };
    Some(format!("; a key with dots needs quotes: {given}"))
}

/// Returns true if a change adds a missing value.
fn adds(edit: &Edit) -> bool {
    matches!(edit, Edit::Set { .. } | Edit::SetPlain(_))
}

/// Replaces the outermost value by one that `get` wrote alone: in the notation of the engine, or in plain JSON.
fn set_bare(editor: &mut Editor<'_>, text: &str) -> Result<(), EditError> {
    let own = Edit::Set { type_name: None, text: text.to_owned() };
    let plain = Edit::SetPlain(text.to_owned());
    // a list or an object keeps the types of its values only in plain JSON; a text has other escapes there
    let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    let (first, second) = if is_json { (plain, own) } else { (own, plain) };
    let outermost = ValuePath::default();
    editor.change(&outermost, &first).or_else(|error| editor.change(&outermost, &second).map_err(|_| error))
}

/// Why a file that is a single value is not changed.
fn not_edited(error: EditError) -> Refusal {
    let status = match &error {
        EditError::NotFound(_) => Status::NotFound,
        EditError::Invalid(_) => Status::Usage,
        EditError::Decode(error) => Status::from(error),
        _ => Status::Malformed,
    };
    status.because(error.to_string())
}

/// The error for a value in a container that is not changed. All of its bytes are present.
fn not_edited_inside(error: EditError) -> Refusal {
    not_edited(match error {
        EditError::Decode(error) => EditError::Decode(error.of_complete_input()),
        other => other,
    })
}

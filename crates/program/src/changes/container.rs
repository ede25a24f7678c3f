//! Changes of values in containers other than models.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use enginewire::formats::{change, AnyFormat, Edit, FormatOptions, Node, Step, ValuePath};
use enginewire_files::containers::{Addition, Address, Container, ContainerKind, FileSource, Replacement, ValueChange};
use serde_json::Value;

use super::{adds, not_edited, not_edited_inside, AddressFrom, Changes, FileChange, NEEDS_ALL};
use crate::commands::encode::save_rows;
use crate::exit_status::{usage, Refusal, Status};
use crate::files::destination::Destination;
use crate::formats;
use crate::input::assignment::Assignment;
use crate::input::containers::{error_text, has_keys, identity, is_row, keyed, more, only_address, row, status};
use crate::input::pattern::{is_like, is_pattern};
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::settings::Settings;
use crate::size::size_text;
use crate::text_encoding::utf_8;

/// The values of a container that get other bytes.
pub type Replaced = Vec<(Address, Vec<u8>)>;

/// The values of a container that change.
#[derive(Debug, Default)]
struct Changed {
    replaced: Replaced,
    removed: Vec<Address>,
    /// New values, with the texts of their addresses.
    added: Vec<(String, Vec<u8>)>,
}

impl Changed {
    fn len(&self) -> usize {
        self.replaced.len().saturating_add(self.removed.len()).saturating_add(self.added.len())
    }

    /// The size of all values held, in bytes.
    fn size(&self) -> usize {
        let replaced = self.replaced.iter().map(|(_, bytes)| bytes);
        replaced
            .chain(self.added.iter().map(|(_, bytes)| bytes))
            .fold(0, |size, bytes| size.saturating_add(bytes.len()))
    }
}

/// Returns true if values can be added to a container and removed from it.
pub(super) fn is_growing(kind: ContainerKind) -> bool {
    matches!(kind, ContainerKind::Project | ContainerKind::Config) || is_stream(kind)
}

/// Returns true if the values of a container have numbers instead of names.
fn is_stream(kind: ContainerKind) -> bool {
    matches!(
        kind,
        ContainerKind::Frames(_) | ContainerKind::Values(_) | ContainerKind::Packets | ContainerKind::PacketLines
    )
}

/// The address that a path begins with, and the rest of the path.
fn split(kind: ContainerKind, path: &ValuePath) -> Option<(String, ValuePath)> {
    let length = match (kind, &path.0[..]) {
        (ContainerKind::Project | ContainerKind::Config, [Step::Key(_), ..]) => 1,
        (ContainerKind::Frames(_) | ContainerKind::Values(_) | ContainerKind::Packets, [Step::Item(_), ..]) => 1,
        (ContainerKind::PacketLines | ContainerKind::Save, [Step::Key(_), Step::Item(_), ..]) => 2,
        _ => return None,
    };
    let (address, rest) = path.0.split_at_checked(length)?;
    let address = match address {
        [Step::Key(key)] => std::str::from_utf8(key).ok()?.to_owned(),
        steps => ValuePath(steps.to_vec()).to_string(),
    };
    Some((address, ValuePath(rest.to_vec())))
}

/// The same changes, those without an address with the one that their paths begin with, if all of them `may_begin` so.
fn addressed(kind: ContainerKind, all: &[Changes], may_begin: impl Fn(&ValuePath) -> bool) -> Vec<Cow<'_, Changes>> {
    let mut found: Vec<Cow<'_, Changes>> = Vec::with_capacity(all.len());
    for changes in all {
        let is_split = |change: &Assignment| {
            change.pattern.is_none() && may_begin(&change.path) && split(kind, &change.path).is_some()
        };
        if changes.address.is_some() || changes.list.is_empty() || !changes.list.iter().all(is_split) {
            found.push(Cow::Borrowed(changes));
            continue;
        }
        for change in &changes.list {
            let Some((address, path)) = split(kind, &change.path) else { continue };
            let change = Assignment { path, ..change.clone() };
            match found.last_mut() {
                Some(Cow::Owned(last)) if last.address.as_ref() == Some(&address) => last.list.push(change),
                _ => found.push(Cow::Owned(Changes::of(Some(address), vec![change]))),
            }
        }
    }
    found
}

/// Returns true if a change removes a whole value.
fn removes(change: &Assignment) -> bool {
    change.pattern.is_none() && change.path.0.is_empty() && change.edit == Edit::Remove
}

/// Returns true if changes begin with a whole value.
fn gives_value(changes: &Changes) -> bool {
    let is_value = |change: &Assignment| change.pattern.is_none() && change.path.0.is_empty() && adds(&change.edit);
    changes.whole.is_some() || changes.list.first().is_some_and(is_value)
}

impl FileChange<'_> {
    /// The bytes of a container other than a model, with the changes made.
    pub(super) fn changed_container(&self, kind: ContainerKind, source: FileSource) -> Result<Vec<u8>, Refusal> {
        let refused = |error| (status(&error), error_text(&error));
        let container = open(kind, source, self.settings)?;
        let format = formats::of_changed_values(kind.formats(), &*container, self.settings)?;
        let Changed { replaced, removed, added } = self.changed_values(kind, &*container, format)?;
        let is_first = self.how.first;
        let replaced = replaced.iter().map(|(address, bytes)| ValueChange::Replace(Replacement { address, bytes }));
        let added = added.iter().map(|(address, bytes)| ValueChange::Add(Addition { address, bytes, is_first }));
        let changes: Vec<_> = replaced.chain(removed.iter().map(ValueChange::Remove)).chain(added).collect();
        let changed = container.changed(&changes).map_err(refused)?;
        self.in_their_sections(kind, &changed).map(|()| changed)
    }

    /// Refuses to write a setting of another file into another section: `a/b/c` is `c` of one and `b/c` of the other.
    fn in_their_sections(&self, kind: ContainerKind, changed: &[u8]) -> Result<(), Refusal> {
        let copied = |changes: &Changes| match &changes.from {
            AddressFrom::Other { members, .. } if members.iter().any(|(name, _)| *name == "section") => {
                Some((changes.address.clone()?, members.clone()))
            }
            _ => None,
        };
        let mut left: HashMap<_, _> = self.changes.iter().filter_map(copied).collect();
        if kind != ContainerKind::Config || left.is_empty() {
            return Ok(());
        }
        // an error was reported when the values were read
        let _ = open(kind, FileSource::Bytes(changed.to_vec()), self.settings)?.values(&mut |value| {
            let (address, own) = (value.address.to_string(), identity(value.address.members()));
            if left.get(&address).is_some_and(|members| !differ(members, &own)) {
                left.remove(&address);
            }
            ControlFlow::Continue(())
        });
        let other = "would be a value of another section than in the other file";
        left.keys().min().map_or(Ok(()), |address| Err(usage(format!("{address} {other}"))))
    }

    /// Makes the changes of a save without writing them.
    pub(super) fn preview_save(&self) -> Result<(), Refusal> {
        let kind = ContainerKind::Save;
        let done = open(kind, FileSource::File(self.file.to_owned()), self.settings).and_then(|container| {
            let format = formats::of_changed_values(kind.formats(), &*container, self.settings)?;
            self.changed_values(kind, &*container, format)
        });
        done.map(drop).map_err(|refusal| self.at(refusal))
    }

    /// A save with the changes made.
    pub(super) fn write_save(
        &self,
        out: &Path,
        destination: &Destination,
        console: &mut Console,
    ) -> Result<(), Refusal> {
        let work = |container: &dyn Container, format: &dyn AnyFormat| {
            self.changed_values(ContainerKind::Save, container, format).map(|changed| changed.replaced)
        };
        write_save((self.file, out), destination, self.settings, console, work).map_err(|refusal| self.at(refusal))
    }

    /// The values that change. A change without an address is about the only value, if there is one.
    fn changed_values(
        &self,
        kind: ContainerKind,
        container: &dyn Container,
        format: &dyn AnyFormat,
    ) -> Result<Changed, Refusal> {
        let &FileChange { how, settings, .. } = self;
        self.without_instances()?;
        let only = only_address(kind, container);
        let changes = addressed(kind, self.changes, |path| self.is_outer(path, only));
        if !is_growing(kind) && (how.first || changes.iter().flat_map(|changes| &changes.list).any(removes)) {
            return Err(usage(
                "no value can be added to or removed from such a file; its values can be changed inside",
            ));
        }
        let renames = |change: &Assignment| change.path.0.is_empty() && matches!(change.edit, Edit::Rename(_));
        if changes.iter().flat_map(|changes| &changes.list).any(|change| change.pattern.is_none() && renames(change)) {
            return Err(usage("a whole value of a file cannot be renamed; add it anew and remove the old one"));
        }
        let mut exact: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut patterns = Vec::new();
        for (number, changes) in changes.iter().enumerate() {
            match changes.address.as_deref().or(only) {
                Some(pattern) if how.all && is_pattern(pattern) => patterns.push((pattern, number)),
                Some(keys) if keyed(keys).is_some() && !is_row(keys) => patterns.push((keys, number)),
                // a value that becomes the first of a stream is new, even if another value has its number
                Some(_) if how.first && is_stream(kind) && gives_value(changes) => {}
                Some(row)
                    if kind == ContainerKind::Save && keyed(row).is_none() && changes.from != AddressFrom::Here =>
                {
                    let reason = format!("{row} may be another row in another file");
                    let advice = "name it by its keys, as `get` does, or give the address of the row in this file";
                    return Err(self.of_lines(changes, usage(format!("{reason}; {advice}"))));
                }
                Some(address) => exact.entry(address).or_default().push(number),
                None => {}
            }
        }
        if let Some((keys, fits)) = several_named(container, &patterns).filter(|_| !how.all) {
            return Err(usage(format!("{keys} names {fits} values; give more of their keys, or pass --all")));
        }
        let (mut found, mut seen) = (vec![false; changes.len()], HashMap::new());
        let (mut all, mut failure) = (Changed::default(), None);
        let end = container.values(&mut |value| {
            let address = value.address.to_string();
            let mut wanted = exact.get(address.as_str()).cloned().unwrap_or_default();
            // also in the form of `get` and `ls`, and by the keys of a row
            let shown = Some(escaped(&address)).filter(|shown| *shown != address);
            for other in shown.into_iter().chain(row(value.address.members())) {
                wanted.extend(exact.get(other.as_str()).into_iter().flatten());
            }
            let own = identity(value.address.members());
            for (number, changes) in wanted.iter().filter_map(|number| Some((*number, changes.get(*number)?))) {
                let is_other = matches!(&changes.from, AddressFrom::Other { members, .. } if differ(members, &own));
                // a setting that is there twice is one
                let is_again = |before| kind == ContainerKind::Save || before != own;
                let reason = match seen.insert(number, own.clone()).is_some_and(is_again) {
                    _ if is_other => {
                        "is another value than in the other file; give the address in this one after --to FILE"
                    }
                    true => "names several values of this file, which are not changed",
                    false => continue,
                };
                failure = Some(self.of_lines(changes, usage(format!("{} {reason}", escaped(&address)))));
                return ControlFlow::Break(());
            }
            let is_named = |pattern| is_like(&address, pattern) || has_keys(&address, value.address.members(), pattern);
            wanted.extend(patterns.iter().filter(|(pattern, _)| is_named(pattern)).map(|(_, number)| *number));
            if wanted.is_empty() {
                return ControlFlow::Continue(());
            }
            // in the given order
            wanted.sort_unstable();
            wanted.iter().filter_map(|number| found.get_mut(*number).map(|found| *found = true)).for_each(drop);
            let changes: Vec<_> =
                wanted.iter().filter_map(|number| changes.get(*number)).map(|changes| &**changes).collect();
            if value.formats.is_empty() && value.bytes.is_ok() {
                // patterns fit it only by chance
                if changes.iter().any(|changes| changes.address.as_deref() == Some(&address)) {
                    let reason = format!("{} holds something else than a value, and is not changed", escaped(&address));
                    failure = Some(usage(reason));
                    return ControlFlow::Break(());
                }
                return ControlFlow::Continue(());
            }
            let refused = if value.is_open { not_edited } else { not_edited_inside };
            let bytes = value.bytes.map(Cow::into_owned).map_err(|error| (status(&error), error_text(&error)));
            if changes.iter().flat_map(|changes| &changes.list).any(removes) {
                if self.takes_whole(format, bytes.as_deref().ok()) {
                    self.fitted.set(self.fitted.get().saturating_add(1));
                    self.note_whole(format, &escaped(&address), bytes.as_deref().ok(), None);
                    all.removed.push(value.address);
                }
                return ControlFlow::Continue(());
            }
            let edited = changes.iter().fold(bytes, |bytes, changes| {
                // what is replaced as a whole may be broken
                let bytes = bytes.or_else(|error| {
                    let whole = changes.whole.clone().ok_or(error)?;
                    self.note_whole(format, &escaped(&address), Some(&[]), Some(&whole));
                    Ok(whole)
                })?;
                self.edited(format, bytes, changes, &escaped(&address), refused)
            });
            match edited {
                Ok(bytes) if how.first && changes.iter().any(|changes| gives_value(changes)) => {
                    all.removed.push(value.address);
                    all.added.push((address, bytes));
                }
                Ok(bytes) => all.replaced.push((value.address, bytes)),
                Err((status, message)) => {
                    // insert the address after the reason, before the line with the place
                    let (reason, line) = message.split_at(message.find("\n  --> ").unwrap_or(message.len()));
                    failure = Some((status, format!("{reason}, in {}{line}", escaped(&address))));
                }
            }
            if all.size() > settings.memory() {
                let limit = size_text(settings.memory());
                failure = Some((Status::Malformed, more(format!("the changed values take more than {limit}"))));
            }
            if failure.is_none() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        self.warnings.borrow_mut().extend(container.warnings());
        if let Some(failure) = failure {
            return Err(failure);
        }
        end.map_err(|error| (status(&error), error_text(&error)))?;
        for changes in changes.iter().zip(&found).filter(|(_, found)| !**found).map(|(changes, _)| changes) {
            let refusal = match changes.address.as_deref().or(only) {
                Some(address) if is_pattern(address) && !how.all => usage(NEEDS_ALL),
                Some(address) if self.may_add(kind, changes) => match self.new_value(format, changes, address) {
                    Ok(value) => {
                        all.added.push(value);
                        continue;
                    }
                    Err((status, reason)) => (status, format!("{reason}, in {}", escaped(address))),
                },
                Some(address) => {
                    let advice = match is_stream(kind) && gives_value(changes) {
                        true => "pass --add to add it after the last",
                        false => "`enginewire ls` lists the addresses",
                    };
                    (Status::NotFound, format!("no value {address}; {advice}"))
                }
                None => usage("the file has several values: give the address of one, as `enginewire ls` lists them"),
            };
            return Err(self.of_lines(changes, refusal));
        }
        self.something_fits(all.len()).map(|()| all)
    }

    /// Returns true if a path begins with an address. The only value of a stream (`only`) needs no address.
    fn is_outer(&self, path: &ValuePath, only: Option<&str>) -> bool {
        self.how.add || self.how.first || only.is_none_or(|only| path.to_string() == only)
    }

    /// Returns true if the filter takes a whole value. A filter for types or texts takes only values that can be read.
    fn takes_whole(&self, format: &dyn AnyFormat, bytes: Option<&[u8]>) -> bool {
        let Some(filter) = self.filter.filter(|filter| !filter.takes_all_values()) else { return true };
        let mut is_taken = false;
        let mut look = |node: &dyn Node| is_taken = filter.takes(node, format.notation());
        bytes.is_some_and(|bytes| format.visit(bytes, &self.settings.formats, &mut look).is_ok()) && is_taken
    }

    /// Returns true if changes may add a missing value.
    fn may_add(&self, kind: ContainerKind, changes: &Changes) -> bool {
        let takes_all = self.filter.is_none_or(|filter| filter.takes_all_values());
        let is_asked = self.how.add || self.how.first || matches!(kind, ContainerKind::Project | ContainerKind::Config);
        is_growing(kind) && is_asked && takes_all && !self.skips(changes) && gives_value(changes)
    }

    /// A value that is not there, with its address.
    fn new_value(
        &self,
        format: &dyn AnyFormat,
        changes: &Changes,
        address: &str,
    ) -> Result<(String, Vec<u8>), Refusal> {
        let options = self.settings.formats.clone().set("framing", "none");
        let options = options.unwrap_or_else(|_| self.settings.formats.clone());
        let mut list = changes.list.iter();
        let bytes = match (&changes.whole, list.next()) {
            (Some(whole), _) => whole.clone(),
            (None, Some(Assignment { edit, .. })) => new_bytes(format, edit, &options)?,
            (None, None) => Vec::new(),
        };
        let bytes = list.try_fold(bytes, |bytes, Assignment { path, edit, .. }| {
            let work = &mut |node: &mut dyn Node| change(node, path, edit, format.notation());
            format.edit(&bytes, &options, work)
        });
        let bytes = bytes.map_err(not_edited_inside)?;
        self.note_whole(format, &escaped(address), None, Some(&bytes));
        Ok((address.to_owned(), bytes))
    }
}

/// Returns true if members of the same names have other values.
fn differ(one: &[(&'static str, Value)], other: &[(&'static str, Value)]) -> bool {
    one.iter().map(|(name, _)| name).eq(other.iter().map(|(name, _)| name)) && one != other
}

/// The first of these addresses with keys that names several values, and how many they are.
fn several_named<'a>(container: &dyn Container, named: &[(&'a str, usize)]) -> Option<(&'a str, usize)> {
    let mut counts = vec![0usize; named.len()];
    if !named.iter().any(|(address, _)| keyed(address).is_some()) {
        return None;
    }
    // an error is reported when the values are read
    let _ = container.values(&mut |value| {
        let (address, members) = (value.address.to_string(), value.address.members());
        for ((wanted, _), count) in named.iter().zip(&mut counts) {
            *count = count.saturating_add(usize::from(has_keys(&address, members, wanted)));
        }
        ControlFlow::Continue(())
    });
    named.iter().zip(counts).find(|(_, count)| *count > 1).map(|((address, _), count)| (*address, count))
}

/// The bytes of a new value.
fn new_bytes(format: &dyn AnyFormat, edit: &Edit, options: &FormatOptions) -> Result<Vec<u8>, Refusal> {
    let begun = match edit {
        Edit::Set { type_name: None, text } => format.encode_notation(text, options),
        _ => format.encode_empty(options),
    };
    let notation = format.notation();
    // a new value is checked like a replacement; a text that is not a value was checked when it was read
    let work = &mut |node: &mut dyn Node| match edit {
        Edit::Set { type_name: None, .. } if node.type_name(notation).is_empty() => Ok(()),
        edit => change(node, &ValuePath::default(), edit, notation),
    };
    let begun = begun.map_err(|error| usage(error.to_string()))?;
    format.edit(&begun, options, work).map_err(not_edited_inside)
}

/// A container with other bytes for the values that `work` gives.
pub fn replaced(
    kind: ContainerKind,
    source: FileSource,
    settings: &Settings,
    work: impl FnOnce(&dyn Container, &dyn AnyFormat) -> Result<Replaced, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    let container = open(kind, source, settings)?;
    let format = formats::of_changed_values(kind.formats(), &*container, settings)?;
    let replaced = work(&*container, format)?;
    let replacements: Vec<_> = replaced.iter().map(|(address, bytes)| Replacement { address, bytes }).collect();
    container.replaced(&replacements).map_err(|error| (status(&error), error_text(&error)))
}

/// Opens a container. Lines may also be in UTF-16.
fn open(kind: ContainerKind, source: FileSource, settings: &Settings) -> Result<Box<dyn Container>, Refusal> {
    let source = match (kind, source) {
        (ContainerKind::PacketLines, FileSource::Bytes(lines)) => {
            FileSource::Bytes(utf_8(lines).map_err(|reason| (Status::Malformed, reason))?)
        }
        (_, source) => source,
    };
    kind.open(source, &settings.formats).map_err(|error| (status(&error), error_text(&error)))
}

/// Writes a save with other bytes for the values that `work` gives. A save is a database, and is changed by SQLite: nothing is
/// lost that is not yet in its main file.
pub fn write_save(
    (file, out): (&Path, &Path),
    destination: &Destination,
    settings: &Settings,
    console: &mut Console,
    work: impl FnOnce(&dyn Container, &dyn AnyFormat) -> Result<Replaced, Refusal>,
) -> Result<(), Refusal> {
    let kind = ContainerKind::Save;
    let container = open(kind, FileSource::File(file.to_owned()), settings)?;
    let format = formats::of_changed_values(kind.formats(), &*container, settings)?;
    let replaced = work(&*container, format)?;
    drop(container);
    let rows = replaced.into_iter().filter_map(|(address, bytes)| {
        let member = |wanted| address.members().iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let (table, row) = (member("table")?.as_str()?.to_owned(), member("row")?.as_i64()?);
        Some((table, row, bytes))
    });
    let options = (destination.in_place, destination.force);
    save_rows::put_rows(file, out, options, rows.collect(), settings, console)
}

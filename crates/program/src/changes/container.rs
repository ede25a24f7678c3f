//! Changes of values in containers other than models.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use enginewire::formats::{change, AnyFormat, Edit, FormatOptions, Node, Step, ValuePath};
use enginewire_files::address::{Address, Component, Index, Pattern, Syntax};
use enginewire_files::containers::{Container, ContainerKind, Member};
use enginewire_files::scrap_mechanic::save;

use super::noted::{text_shown, Counts};
use super::to_change::ChangedValues;
use super::{adds, not_edited, not_edited_inside, AddressFrom, Changes, FileChange, NEEDS_ALL};
use crate::exit_status::{usage, Refusal, Status};
use crate::input::assignment::Assignment;
use crate::input::containers::{identity, more, only_address};
use crate::input::wanted::Wanted;
use crate::output::escape::escaped;
use crate::size::size_text;

/// Returns true if values can be added to a container and removed from it.
pub(super) fn is_growing(kind: ContainerKind) -> bool {
    matches!(kind, ContainerKind::Project | ContainerKind::Config | ContainerKind::UidCache) || is_stream(kind)
}

/// Returns true if the values of a container are texts.
fn is_text(kind: ContainerKind) -> bool {
    matches!(kind, ContainerKind::Config | ContainerKind::TextResource)
}

/// Returns true if the values of a container have numbers instead of names.
pub fn is_stream(kind: ContainerKind) -> bool {
    matches!(
        kind,
        ContainerKind::Frames(_) | ContainerKind::Values(_) | ContainerKind::Packets | ContainerKind::PacketLines
    )
}

/// The address that a path begins with, and the rest of the path.
fn split(kind: ContainerKind, path: &ValuePath) -> Option<(Address, ValuePath)> {
    let length = match (kind, &path.0[..]) {
        (ContainerKind::Project | ContainerKind::Config | ContainerKind::UidCache, [Step::Key(_), ..]) => 1,
        (ContainerKind::Frames(_) | ContainerKind::Values(_) | ContainerKind::Packets, [Step::Item(_), ..]) => 1,
        (ContainerKind::PacketLines | ContainerKind::Save, [Step::Key(_), Step::Item(_), ..]) => 2,
        _ => return None,
    };
    let (address, rest) = path.0.split_at_checked(length)?;
    let address = match address {
        // a key without quotes is a section and a key
        [Step::Key(key)] => match std::str::from_utf8(key).ok().and_then(|text| exact(kind, text)) {
            Some(address) => address,
            None => Address::new(kind.syntax(), [Component::name(key)]),
        },
        steps => exact(kind, &ValuePath(steps.to_vec()).to_string())?,
    };
    Some((address, ValuePath(rest.to_vec())))
}

/// The address that a text is.
fn exact(kind: ContainerKind, text: &str) -> Option<Address> {
    Pattern::parse(kind.syntax(), text).ok()?.address()
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
            let address = address.to_string();
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
    /// The values that change. A change without an address is about the only value, if there is one.
    pub(super) fn changed_values(
        &self,
        kind: ContainerKind,
        container: &dyn Container,
        format: &dyn AnyFormat,
    ) -> Result<ChangedValues, Refusal> {
        let &FileChange { how, settings, .. } = self;
        self.without_instances()?;
        let only = only_address(kind, container);
        let changes = addressed(kind, self.changes, |path| self.is_outer(path, only.as_ref()));
        let is_removed = changes.iter().flat_map(|changes| &changes.list).any(removes);
        if !is_growing(kind) && (how.first || (is_removed && kind != ContainerKind::TextResource)) {
            return Err(usage(
                "no value can be added to or removed from such a file; its values can be changed inside",
            ));
        }
        let renames = |change: &Assignment| change.path.0.is_empty() && matches!(change.edit, Edit::Rename(_));
        if changes.iter().flat_map(|changes| &changes.list).any(|change| change.pattern.is_none() && renames(change)) {
            return Err(usage("a whole value of a file cannot be renamed; add it anew and remove the old one"));
        }
        let mut wanted_by = WantedBy::default();
        for (number, changes) in changes.iter().enumerate() {
            let text = changes.address.as_deref();
            let of_row = || self.of_lines(changes, usage(format!("{} {OF_ANOTHER_FILE}", text.unwrap_or_default())));
            let wanted = text.map(|text| Wanted::parse(kind.syntax(), text)).transpose();
            match wanted.map_err(|refusal| self.of_lines(changes, refusal))? {
                // a value that becomes the first of a stream is new, even if another value has its number
                Some(_) if how.first && is_stream(kind) && gives_value(changes) => {}
                Some(wanted) if wanted.is_pattern() => {
                    if how.all {
                        wanted_by.patterns.push((wanted, number));
                    }
                }
                Some(wanted) => match (wanted.address(), &changes.from) {
                    (Some(address), from) if is_row_number(&address) => match (kind, from) {
                        (ContainerKind::Save, AddressFrom::Here) => wanted_by.patterns.push((wanted, number)),
                        (ContainerKind::Save, _) => return Err(of_row()),
                        _ => wanted_by.exact.entry(address).or_default().push(number),
                    },
                    (Some(address), _) if is_partial(&address) => wanted_by.partial.push((wanted, number)),
                    (Some(address), _) => wanted_by.exact.entry(address).or_default().push(number),
                    // what lacks quotes may be found, but not in a table or in another file
                    (None, AddressFrom::Here) => wanted_by.patterns.push((wanted, number)),
                    (None, _) => {
                        let reason = wanted.error().map(ToString::to_string).unwrap_or_default();
                        return Err(self.of_lines(changes, usage(reason)));
                    }
                },
                None => {
                    let is_new = how.first && is_stream(kind) && gives_value(changes);
                    if let Some(only) = only.as_ref().filter(|_| !is_new) {
                        wanted_by.exact.entry(only.clone()).or_default().push(number);
                    }
                }
            }
        }
        if let Some((wanted, fits)) = several_named(container, &wanted_by.partial).filter(|_| !how.all) {
            return Err(usage(format!("{wanted} names {fits} values; give more of their keys, or pass --all")));
        }
        let (mut found, mut seen) = (vec![false; changes.len()], HashSet::new());
        let (mut all, mut same, mut failure) = (ChangedValues::default(), 0usize, None);
        let end = container.values(&mut |value| {
            let address = value.address.to_string();
            let mut wanted = wanted_by.exactly(&value.address);
            let own = identity(value.about.given());
            let others = wanted_by.others(&value.address);
            // what lacks quotes names one value, too
            let named = wanted.iter().chain(others.iter().filter(|number| !wanted_by.is_pattern(**number)));
            for (number, changes) in named.filter_map(|number| Some((*number, changes.get(*number)?))) {
                let is_other =
                    matches!(changes.from, AddressFrom::Other { .. }) && differ(&identity(&changes.about), &own);
                let reason = match !seen.insert(number) {
                    _ if is_other => {
                        "is another value than in the other file; give the address in this one after --to FILE"
                    }
                    true => "names several values of this file, which are not changed",
                    false => continue,
                };
                failure = Some(self.of_lines(changes, usage(format!("{} {reason}", escaped(&address)))));
                return ControlFlow::Break(());
            }
            wanted.extend(others);
            if wanted.is_empty() {
                return ControlFlow::Continue(());
            }
            let is_named = wanted.iter().any(|number| !wanted_by.is_pattern(*number));
            // in the given order
            wanted.sort_unstable();
            wanted.iter().filter_map(|number| found.get_mut(*number).map(|found| *found = true)).for_each(drop);
            let changes: Vec<_> =
                wanted.iter().filter_map(|number| changes.get(*number)).map(|changes| &**changes).collect();
            if value.formats.is_empty() && value.bytes.is_ok() {
                // patterns fit it only by chance
                if is_named {
                    let reason = format!("{} holds something else than a value, and is not changed", escaped(&address));
                    failure = Some(usage(reason));
                    return ControlFlow::Break(());
                }
                return ControlFlow::Continue(());
            }
            let start = value.start.unwrap_or_default();
            let refused = if value.is_open { not_edited } else { not_edited_inside };
            let bytes = value.bytes.map(Cow::into_owned).map_err(Refusal::from);
            if changes.iter().flat_map(|changes| &changes.list).any(removes) {
                if self.takes_whole(format, bytes.as_deref().ok()) {
                    self.fitted.set(self.fitted.get().saturating_add(1));
                    let before = bytes.as_deref().unwrap_or_default();
                    self.note_whole(format, &escaped(&address), Some(before), None);
                    all.removed.push(value.address.into_address());
                }
                return ControlFlow::Continue(());
            }
            let old = bytes.as_ref().ok().cloned();
            let unread = value.unread.as_deref().filter(|_| is_named && self.takes_whole(format, None));
            let edited = changes.iter().fold(bytes, |bytes, changes| {
                // what is replaced as a whole may be broken
                let bytes = match (bytes, &changes.whole, unread) {
                    (Err(_), Some(whole), _) => {
                        self.note_whole(format, &escaped(&address), Some(&[]), Some(whole));
                        Ok(whole.clone())
                    }
                    (Err(_), None, Some(text)) if gives_value(changes) => {
                        let (_, bytes) = self.made_value(format, changes, Address::clone(&value.address))?;
                        let shown = format.decode_notation(&bytes, &self.settings.formats).unwrap_or_default();
                        let what = format!("{} -> {shown}", text_shown(text));
                        self.note_line(&escaped(&address), &what, Counts::one(true, true));
                        return Ok(bytes);
                    }
                    (Err(refusal), None, None) if is_named && is_text(kind) && gives_value(changes) => {
                        let hint = "; the value is not replaced: it is not certain where its text ends";
                        return Err(refusal.hint(hint));
                    }
                    (bytes, ..) => bytes,
                }?;
                self.edited(format, bytes, changes, (&escaped(&address), start), refused)
            });
            match edited {
                Ok(bytes) if how.first && changes.iter().any(|changes| gives_value(changes)) => {
                    all.removed.push(Address::clone(&value.address));
                    all.added.push((value.address.into_address(), bytes));
                }
                Ok(bytes) if old.as_ref() == Some(&bytes) => same = same.saturating_add(1),
                Ok(bytes) => all.replaced.push((value.address.into_address(), bytes)),
                Err(refusal) => failure = Some(refusal.inside(escaped(&address))),
            }
            if all.size() > settings.memory() {
                let limit = size_text(settings.memory());
                failure = Some(Status::Malformed.because(more(format!("the changed values take more than {limit}"))));
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
        end.map_err(Refusal::from)?;
        for changes in changes.iter().zip(&found).filter(|(_, found)| !**found).map(|(changes, _)| changes) {
            let only = only.as_ref().map(Address::to_string);
            let text = changes.address.as_deref().or(only.as_deref());
            let wanted = text.map(|text| (text, Wanted::perhaps(kind.syntax(), text)));
            let refusal = match wanted.as_ref().map(|(text, wanted)| (*text, wanted.is_pattern(), wanted.address())) {
                Some((_, true, _)) if !how.all => usage(NEEDS_ALL),
                Some((text, _, Some(address))) if !address.is_hidden() && self.may_add(kind, changes, &address) => {
                    match self.new_value(format, changes, address) {
                        Ok(value) => {
                            all.about.insert(value.0.clone(), changes.about.clone());
                            all.added.push(value);
                            continue;
                        }
                        Err(refusal) => refusal.inside(escaped(text)),
                    }
                }
                Some((address, ..)) => {
                    let advice = match kind {
                        ContainerKind::Save => {
                            "`enginewire ls` lists the rows; `enginewire copy` adds one, by its whole address"
                        }
                        ContainerKind::TextResource => {
                            "`enginewire ls` lists the addresses; a node is added in the file, as [node name=\"B\" type=\"Node\" parent=\".\"]"
                        }
                        _ if is_stream(kind) && gives_value(changes) => "pass --add to add it after the last",
                        _ => "`enginewire ls` lists the addresses",
                    };
                    Status::NotFound.because(format!("no value {address}; {advice}"))
                }
                None => usage(
                    "a value of this file has an address, which comes before its path: `enginewire ls` lists them",
                ),
            };
            return Err(self.of_lines(changes, refusal));
        }
        all.is_first = how.first;
        self.something_fits(all.len().saturating_add(same)).map(|()| all)
    }

    /// Returns true if a path begins with an address. The only value of a stream (`only`) needs no address.
    fn is_outer(&self, path: &ValuePath, only: Option<&Address>) -> bool {
        self.how.add || self.how.first || only.is_none_or(|only| path.to_string() == only.to_string())
    }

    /// Returns true if the filter takes a whole value. A filter for types or texts takes only values that can be read.
    fn takes_whole(&self, format: &dyn AnyFormat, bytes: Option<&[u8]>) -> bool {
        let Some(filter) = self.filter.filter(|filter| !filter.takes_all_values()) else { return true };
        let mut is_taken = false;
        let mut look = |node: &dyn Node| is_taken = filter.takes(node, format.notation());
        bytes.is_some_and(|bytes| format.visit(bytes, &self.settings.formats, &mut look).is_ok()) && is_taken
    }

    /// Returns true if changes may add a missing value.
    fn may_add(&self, kind: ContainerKind, changes: &Changes, address: &Address) -> bool {
        let takes_all = self.filter.is_none_or(|filter| filter.takes_all_values());
        let is_asked = match kind {
            ContainerKind::Project | ContainerKind::Config | ContainerKind::UidCache => true,
            ContainerKind::TextResource => address.to_string() == ":connections",
            // a copied row has all columns
            ContainerKind::Save => {
                !changes.about.is_empty()
                    && (save::listed(address).is_some() || !(is_partial(address) || is_row_number(address)))
            }
            _ => is_stream(kind) && (self.how.add || self.how.first),
        };
        is_asked && takes_all && !self.skips(changes) && gives_value(changes)
    }

    /// A value that is not there, with its address.
    fn new_value(
        &self,
        format: &dyn AnyFormat,
        changes: &Changes,
        address: Address,
    ) -> Result<(Address, Vec<u8>), Refusal> {
        let (address, bytes) = self.made_value(format, changes, address)?;
        self.note_whole(format, &escaped(&address), None, Some(&bytes));
        Ok((address, bytes))
    }

    fn made_value(
        &self,
        format: &dyn AnyFormat,
        changes: &Changes,
        address: Address,
    ) -> Result<(Address, Vec<u8>), Refusal> {
        // as a row will be listed
        let address = save::listed(&address).unwrap_or(address);
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
        Ok((address, bytes.map_err(not_edited_inside)?))
    }
}

/// Returns true if members of the same names have other values.
fn differ(one: &[Member], other: &[Member]) -> bool {
    one.iter().map(|(name, _)| name).eq(other.iter().map(|(name, _)| name)) && one != other
}

/// The changes, by the addresses and patterns of their values.
#[derive(Default)]
struct WantedBy {
    exact: HashMap<Address, Vec<usize>>,
    /// Some columns of a row.
    partial: Vec<(Wanted, usize)>,
    patterns: Vec<(Wanted, usize)>,
}

impl WantedBy {
    /// The changes of exactly this address.
    fn exactly(&self, address: &Address) -> Vec<usize> {
        if self.exact.is_empty() {
            return Vec::new();
        }
        self.exact.get(address).cloned().unwrap_or_default()
    }

    /// The other changes that name this address.
    fn others(&self, address: &Address) -> Vec<usize> {
        let all = self.partial.iter().chain(&self.patterns);
        all.filter(|(wanted, _)| wanted.fits(address)).map(|(_, number)| *number).collect()
    }

    /// True for a change that may be one of several values.
    fn is_pattern(&self, number: usize) -> bool {
        let is_it = |(_, other): &&(Wanted, usize)| *other == number;
        let pattern = self.patterns.iter().find(is_it);
        self.partial.iter().any(|(_, other)| *other == number) || pattern.is_some_and(|(wanted, _)| wanted.is_pattern())
    }
}

/// Why a row is not looked for by its number.
const OF_ANOTHER_FILE: &str =
    "may be another row in another file; name it by its keys, as `get` does, or give the address of the row in this file";

/// True if an address ends with a number.
fn is_row_number(address: &Address) -> bool {
    matches!(address.components().last().and_then(Component::index), Some(Index::Number(_)))
}

/// True if an address has no or only some columns of a row, or any text for one.
fn is_partial(address: &Address) -> bool {
    let is_text =
        |(_, value): &(_, String)| value.contains(|char: char| char.is_ascii_uppercase() || "* ".contains(char));
    match address.components().last().and_then(Component::index) {
        Some(Index::Columns(columns)) => {
            let names: Vec<_> = columns.iter().map(|(name, _)| &**name).collect();
            !matches!(names[..], ["id", "channel"] | ["uid", "key"]) || columns.iter().any(is_text)
        }
        None => address.syntax() == Syntax::Items,
        Some(Index::Number(_)) => false,
    }
}

/// The first of these texts that names several values, and how many they are.
fn several_named<'a>(container: &dyn Container, named: &'a [(Wanted, usize)]) -> Option<(&'a Wanted, usize)> {
    let mut counts = vec![0usize; named.len()];
    if named.is_empty() {
        return None;
    }
    // an error is reported when the values are read
    let _ = container.values(&mut |value| {
        for ((wanted, _), count) in named.iter().zip(&mut counts) {
            *count = count.saturating_add(usize::from(wanted.fits(&value.address)));
        }
        ControlFlow::Continue(())
    });
    named.iter().zip(counts).find(|(_, count)| *count > 1).map(|((wanted, _), count)| (wanted, count))
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

//! The list of changed values, and their number.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use enginewire::formats::{AnyFormat, Edit, Node, Notation, ValuePath};

use super::FileChange;
use crate::output::escape::escaped;
use crate::output::text::{number, thousands};

/// The number of changed values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    all: usize,
    added: usize,
    removed: usize,
}

impl Counts {
    /// Returns true if nothing changes.
    pub fn is_none(self) -> bool {
        self.all == 0
    }

    /// One value, which was there before, and is there after.
    pub(super) fn one(before: bool, after: bool) -> Self {
        Counts { all: 1, added: usize::from(!before), removed: usize::from(!after) }
    }

    pub fn plus(self, other: Self) -> Self {
        Counts {
            all: self.all.saturating_add(other.all),
            added: self.added.saturating_add(other.added),
            removed: self.removed.saturating_add(other.removed),
        }
    }

    /// `3 values changed (1 added, 1 removed)`, or `3 values added` if all are.
    pub fn text(self, is_done: bool) -> String {
        let all = number(self.all, "value");
        match self.all {
            0 => {}
            count if count == self.added => return format!("{all} {}added", if is_done { "" } else { "would be " }),
            count if count == self.removed => {
                return format!("{all} {}removed", if is_done { "" } else { "would be " })
            }
            _ => {}
        }
        let done = if is_done { "changed" } else { "would change" };
        let parts = [(self.added, "added"), (self.removed, "removed")].into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, what)| format!("{} {what}", thousands(count))).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        format!("{all} {done}{parts}")
    }
}

/// Lines that list the changes.
#[derive(Debug, Default)]
pub(super) struct Preview {
    lines: String,
    /// The number of lines left out for lack of memory.
    left_out: usize,
}

impl Preview {
    pub(super) fn into_text(self) -> String {
        match self.left_out {
            0 => self.lines,
            more => format!("{}and {more} more\n", self.lines),
        }
    }
}

/// A value before or after a change.
#[derive(PartialEq)]
pub(super) struct Seen {
    /// Of its type and its text.
    hash: u64,
    /// The text, if it is to be shown.
    text: String,
}

/// The part of the memory limit that the lines of a preview may take.
const LINES: usize = 8;

/// The most characters of a value that a line shows.
const SHOWN: usize = 100;

impl FileChange<'_> {
    /// A value as it is now.
    pub(super) fn seen(&self, node: &dyn Node, notation: Notation) -> Seen {
        let text = node.text(Notation { typed: true, ..notation });
        let mut hasher = DefaultHasher::new();
        (node.type_name(notation), &text).hash(&mut hasher);
        Seen { hash: hasher.finish(), text: if self.preview.is_some() { cut(text) } else { String::new() } }
    }

    /// Notes what a change did to the value at this address and path.
    pub(super) fn note(
        &self,
        (address, path): (&str, &ValuePath),
        edit: &Edit,
        before: Option<Seen>,
        after: Option<Seen>,
    ) {
        let is_renamed = matches!(edit, Edit::Rename(_));
        let count = Counts::one(is_renamed || before.is_some(), is_renamed || after.is_some());
        let what = match (edit, before, after) {
            (Edit::Rename(key), ..) => format!("renamed to {}", ValuePath(vec![key.clone()])),
            (_, Some(before), Some(after)) if before.hash == after.hash => return,
            (_, Some(before), Some(after)) => format!("{} -> {}", before.text, after.text),
            (_, None, Some(after)) => format!("added {}", after.text),
            (_, Some(before), None) => format!("removed {}", before.text),
            (_, None, None) => return,
        };
        let path = path.to_string();
        let place = [address, &path].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        self.note_line(&place, &what, count);
    }

    /// Notes that a whole value changed to another, was added or removed.
    pub(super) fn note_whole(
        &self,
        format: &dyn AnyFormat,
        address: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) {
        let text = |bytes: Option<&[u8]>| {
            let text = |bytes| match format.decode_notation(bytes, &self.settings.formats) {
                Ok(text) => cut(text),
                Err(_) => "what cannot be read".to_owned(),
            };
            bytes.filter(|_| self.preview.is_some()).map(text).unwrap_or_default()
        };
        let what = match (before, after) {
            (Some(_), Some(_)) => format!("{} -> {}", text(before), text(after)),
            (None, after) => format!("added {}", text(after)),
            (before, None) => format!("removed {}", text(before)),
        };
        self.note_line(address, &what, Counts::one(before.is_some(), after.is_some()));
    }

    /// Notes the change of a value.
    pub(super) fn note_line(&self, place: &str, what: &str, count: Counts) {
        self.counts.set(self.counts.get().plus(count));
        let Some(preview) = &self.preview else { return };
        let mut preview = preview.borrow_mut();
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let line = escaped(format!("{place}{what}"));
        match preview.lines.len().saturating_add(line.len()) > self.settings.memory() / LINES {
            true => preview.left_out = preview.left_out.saturating_add(1),
            false => preview.lines.extend([&*line, "\n"]),
        }
    }
}

/// A text of a file that is not a value.
pub(super) fn text_shown(text: &[u8]) -> String {
    cut(String::from_utf8_lossy(text).into_owned())
}

/// The beginning of a long text.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.shrink_to_fit();
        text.push('…');
    }
    text
}

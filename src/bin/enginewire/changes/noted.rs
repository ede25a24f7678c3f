//! The list of changed values, and their number.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use enginewire::formats::{AnyFormat, Edit, Node, Notation, ValuePath};

use super::FileChange;
use crate::output::escape::escaped;

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
        self.note_line(&place, &what);
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
        self.note_line(address, &what);
    }

    /// Notes the change of a value.
    pub(super) fn note_line(&self, place: &str, what: &str) {
        self.count.set(self.count.get().saturating_add(1));
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

/// The beginning of a long text.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.shrink_to_fit();
        text.push('…');
    }
    text
}

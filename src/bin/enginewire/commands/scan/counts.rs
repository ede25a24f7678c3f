//! The counts of `scan --summary`.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use crate::output::console::Console;
use crate::output::styled_text::write_table;
use crate::output::text::thousands;

/// Kinds of types, classes and errors that are counted; a file can have any number.
const KINDS: usize = 4096;

/// The most bytes of the name of a kind.
const KIND: usize = 1024;

/// The counts for all files together.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    pub files: u64,
    /// Properties that have attributes.
    pub blobs: u64,
    pub attributes: u64,
    pub tags: u64,
    pub types: BTreeMap<String, u64>,
    pub classes: BTreeMap<String, u64>,
    pub errors: BTreeMap<String, u64>,
}

/// Adds `more` to the count of a kind. After the first [`KINDS`] kinds, new ones are counted together as `others`.
pub fn add(counts: &mut BTreeMap<String, u64>, name: &str, more: u64) {
    let mut end = name.len().min(KIND);
    while !name.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let name = name.get(..end).unwrap_or_default();
    if let Some(count) = counts.get_mut(name) {
        *count = count.saturating_add(more);
    } else if counts.len() < KINDS {
        counts.insert(name.to_owned(), more);
    } else {
        let count = counts.entry("others".to_owned()).or_default();
        *count = count.saturating_add(more);
    }
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        for (count, more) in [
            (&mut self.files, other.files),
            (&mut self.blobs, other.blobs),
            (&mut self.attributes, other.attributes),
            (&mut self.tags, other.tags),
        ] {
            *count = count.saturating_add(more);
        }
        for (counts, more) in
            [(&mut self.types, other.types), (&mut self.classes, other.classes), (&mut self.errors, other.errors)]
        {
            more.into_iter().for_each(|(name, more)| add(counts, &name, more));
        }
    }

    pub fn write(&self, json: bool, console: &mut Console) -> io::Result<()> {
        if json {
            return writeln!(console.out(), "{}", serde_json::to_string(self)?);
        }
        let mut rows = Vec::new();
        for (name, count) in
            [("files", self.files), ("blobs", self.blobs), ("attributes", self.attributes), ("tags", self.tags)]
        {
            rows.push((name.to_owned(), thousands(count)));
        }
        for (title, counts) in [("by type", &self.types), ("by class", &self.classes), ("by error", &self.errors)] {
            if counts.is_empty() {
                continue;
            }
            rows.push((title.to_owned(), String::new()));
            let mut counts: Vec<_> = counts.iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            rows.extend(counts.into_iter().map(|(name, count)| (format!("  {name}"), thousands(count))));
        }
        write_table(rows, console.out())
    }
}

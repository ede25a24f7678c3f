//! `enginewire ls --summary`

use std::collections::BTreeMap;
use std::io;

use enginewire::formats::{AnyFormat, Counts};
use serde::Serialize;

use crate::exit_status::{Done, Status};
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::Name;
use crate::output::styled_text::write_table;
use crate::output::text::thousands;
use crate::settings::Settings;

/// The results for all files together.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    values: u64,
    something_else: u64,
    broken: u64,
    bytes: u64,
    largest: Option<Largest>,
    #[serde(flatten)]
    counts: Counts,
    /// The instances of each class that have attributes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    classes: BTreeMap<String, u64>,
}

/// The most classes that are counted, since a file can have any number; the others are counted together.
const CLASSES: usize = 4096;

#[derive(Debug, Serialize)]
struct Largest {
    bytes: u64,
    of: Name,
}

impl Found {
    /// Counts a value.
    pub fn add(&mut self, format: &dyn AnyFormat, input: &Input, settings: &Settings, console: &mut Console) -> Done {
        if input.other.is_some() {
            self.something_else = self.something_else.saturating_add(1);
            return Ok(Status::Fine);
        }
        if let Some(reason) = input.may_exceed(settings) {
            self.broken = self.broken.saturating_add(1);
            return Ok(console.refused(Status::Malformed.because(reason).at(&input.name))?);
        }
        if let Err(error) = format.count(&input.bytes, &settings.formats, &mut self.counts) {
            self.broken = self.broken.saturating_add(1);
            return input.report(error, format, settings, console);
        }
        let bytes = u64::try_from(input.bytes.len()).unwrap_or(u64::MAX);
        if let Some(class) = input.origin.as_ref().and_then(|origin| origin.about.class()) {
            let is_known = self.classes.contains_key(&*class) || self.classes.len() < CLASSES;
            let class = if is_known { &*class } else { "others" };
            let count = self.classes.entry(class.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
        self.values = self.values.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.largest.as_ref().is_none_or(|largest| largest.bytes < bytes) {
            self.largest = Some(Largest { bytes, of: input.name.clone() });
        }
        Ok(Status::Fine)
    }

    /// Writes the counts, as one line of JSON or as a table.
    pub fn write(&self, json: bool, console: &mut Console) -> io::Result<()> {
        if json {
            return writeln!(console.out(), "{}", serde_json::to_string(self)?);
        }
        let mut rows = vec![("addresses".to_owned(), thousands(self.values))];
        let more = [("skipped", self.something_else), ("with an error", self.broken)];
        rows.extend(
            more.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), thousands(count))),
        );
        rows.push(("bytes".to_owned(), thousands(self.bytes)));
        if let Some(Largest { bytes, of }) = &self.largest {
            rows.push(("largest".to_owned(), format!("{}, {of}", thousands(bytes))));
        }
        rows.push(("depth".to_owned(), thousands(self.counts.depth)));
        rows.push(("types".to_owned(), String::new()));
        let mut types: Vec<_> = self.counts.types.iter().collect();
        types.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        rows.extend(types.into_iter().map(|(name, count)| (format!("  {name}"), thousands(count))));
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        if !classes.is_empty() {
            rows.push(("classes".to_owned(), String::new()));
        }
        rows.extend(classes.into_iter().map(|(name, count)| (format!("  {}", escaped(name)), thousands(*count))));
        write_table(rows, console.out())
    }
}

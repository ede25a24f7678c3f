//! JSON documents as they are written: their forms, and where they go.

use std::fmt::{self, Debug};
use std::io::{self, Write};

use serde::Serialize;

use crate::json::{text, Give};

/// A JSON form of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonForm {
    /// With every type, so that nothing is lost: a document that names its format.
    #[default]
    Exact,
    /// Without types: `{"Health": 100}`. See [`Plain`](super::Plain).
    Plain,
    /// As Rojo has attributes: `{"Health": {"Float64": 100.0}}`.
    Rojo,
}

impl JsonForm {
    /// The name: `"exact"`, `"plain"` or `"rojo"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            JsonForm::Exact => "exact",
            JsonForm::Plain => "plain",
            JsonForm::Rojo => "rojo",
        }
    }
}

/// The destination and the form of a JSON document. The document is written while it is made, because it may be long.
pub struct JsonWriter<'w> {
    out: &'w mut dyn Write,
    pub(super) form: JsonForm,
    pretty: bool,
    /// The number of levels that a document is nested in the text around it.
    level: usize,
    around: (&'w str, &'w str),
}

impl<'w> JsonWriter<'w> {
    /// Writes documents in one line, without a line break after it.
    pub fn new(out: &'w mut dyn Write) -> Self {
        JsonWriter { out, form: JsonForm::Exact, pretty: false, level: 0, around: ("", "") }
    }

    /// The form of documents, which is exact unless this is called.
    #[must_use]
    pub fn form(self, form: JsonForm) -> Self {
        JsonWriter { form, ..self }
    }

    /// Sets whether documents are indented.
    #[must_use]
    pub fn pretty(self, pretty: bool) -> Self {
        JsonWriter { pretty, ..self }
    }

    /// Writes these texts before and after every document, which is `level` levels inside of them where it is indented.
    #[must_use]
    pub fn around(self, before: &'w str, after: &'w str, level: usize) -> Self {
        JsonWriter { around: (before, after), level, ..self }
    }

    /// Writes a document.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn give(&mut self, document: &dyn Give) -> io::Result<()> {
        let level = self.pretty.then_some(self.level);
        self.write_around(|out| text::write(document, out, level))
    }

    /// The same for a document of serde.
    pub(super) fn write(&mut self, document: &impl Serialize) -> io::Result<()> {
        let text = match self.pretty {
            // strings of JSON have no line breaks
            true => serde_json::to_string_pretty(document)?.replace('\n', &format!("\n{}", "  ".repeat(self.level))),
            false => serde_json::to_string(document)?,
        };
        self.write_around(|out| out.write_all(text.as_bytes()))
    }

    fn write_around(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.out.write_all(self.around.0.as_bytes())?;
        write(self.out)?;
        self.out.write_all(self.around.1.as_bytes())
    }
}

impl Debug for JsonWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonWriter").field("pretty", &self.pretty).field("around", &self.around).finish_non_exhaustive()
    }
}

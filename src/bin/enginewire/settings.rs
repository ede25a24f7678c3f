//! What the command line says for every command.

use enginewire::formats::FormatOptions;

use crate::text_encoding::TextEncoding;

/// What is read, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the format, if one was given.
    pub format: Option<String>,
    /// How the input is written.
    pub input: TextEncoding,
    /// Whether a file holds several packets.
    pub dump: bool,
    /// The options of the formats.
    pub formats: FormatOptions,
}

impl Settings {
    /// Memory that a file may take.
    pub fn memory(&self) -> usize {
        self.formats.max_memory()
    }
}

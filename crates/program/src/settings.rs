//! Settings of the command line that apply to every command.

use enginewire::formats::FormatOptions;
use enginewire::godot::Version;
use enginewire_files::containers::ContainerKind;
use enginewire_files::scan::{Scan, Walk};
use serde::Serialize;

use crate::text_encoding::TextEncoding;

/// The option for the memory that a file may take.
pub const MAX_MEMORY: &str = "--max-memory";

/// The input, and the options for reading it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the format, if one was given.
    pub format: Option<String>,
    /// The kind of the file, if one was given that has no options of its own.
    pub kind: Option<ContainerKind>,
    /// The encoding of the input.
    pub input: TextEncoding,
    /// The part of the input that is read.
    pub part: Part,
    /// The entry of a pack that is read as a file.
    pub entry: Option<String>,
    /// The version of Godot that layers are written for, if it is another.
    pub written_for: Option<Version>,
    /// True if a whole file is put into the layers of another.
    pub replaces_inside: bool,
    /// True if a file holds several packets or values.
    pub dump: bool,
    /// The choice of files in folders.
    pub walk: Walk,
    /// The options of the formats.
    pub formats: FormatOptions,
    /// True if `check` reports scripts and objects.
    pub finds_objects: bool,
    /// True if only data is wanted.
    pub quiet: bool,
}

/// A part of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The bytes before it.
    pub offset: u64,
    /// The maximum number of its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

impl Part {
    /// Returns true if it is all of the input.
    pub fn is_all(self) -> bool {
        self == Part::default()
    }

    /// Its place in the input, if it is not all of that: `from byte 0x4`.
    pub fn place(self) -> Option<String> {
        (!self.is_all()).then(|| format!("from byte {:#x}", self.offset))
    }
}

impl Settings {
    /// Memory that a file may take.
    pub fn memory(&self) -> usize {
        self.formats.max_memory()
    }

    /// The options to read model files with.
    pub fn scan(&self) -> Scan {
        Scan::new(&self.formats, MAX_MEMORY)
    }

    /// Returns true if a file has hex packets, one per line, which are read as such.
    pub fn has_lines_of_hex(&self) -> bool {
        let is_dump = self.dump && self.input == TextEncoding::Hex && self.format.as_deref() == Some("roblox-remote");
        is_dump || self.kind == Some(ContainerKind::ScenePackets)
    }

    /// Returns true if a file is said to be a container, and so not a document.
    pub fn names_container(&self) -> bool {
        self.dump || self.kind.is_some()
    }

    /// The encoding of the whole input.
    pub fn encoding(&self) -> TextEncoding {
        if self.has_lines_of_hex() {
            TextEncoding::Raw
        } else {
            self.input
        }
    }

    /// Refuses to change what is only a part of a file.
    ///
    /// # Errors
    ///
    /// The reason, if it is.
    pub fn changes_whole_files(&self) -> Result<(), String> {
        match self.part.is_all() {
            true => Ok(()),
            false => Err("only whole files are changed; leave out --offset and --length".to_owned()),
        }
    }
}

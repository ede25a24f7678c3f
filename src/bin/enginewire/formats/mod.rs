//! The formats that the program knows. A new one is a file here, and a line in [`FORMATS`].

mod counts;
mod godot;
mod options;
pub mod roblox_attributes;
pub mod roblox_remote;
mod scrap_mechanic_lua;

use std::io::{self, Read, Write};

use enginewire::godot::{Framing, Version};
use enginewire::json::JsonError;
use enginewire::roblox::model::FileKind;
use enginewire::wire::{Findings, Provenance, ReadError, Tree, TypeNumber};
use enginewire::{DecodeError, EncodeError, Limits, Radix};
use serde::Serialize;
use thiserror::Error;

pub use counts::Counts;
pub use options::FormatOptions;

/// Every format, in the order in which they are listed.
pub static FORMATS: &[&dyn Format] = &[
    &roblox_attributes::RobloxAttributes,
    &roblox_remote::RobloxRemote,
    &scrap_mechanic_lua::ScrapMechanicLua,
    &godot::Godot(Version::V3),
    &godot::Godot(Version::V4),
];

/// The operations of a format.
pub trait Format: Sync {
    /// Its name, as in `--format` and in JSON documents.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn about(&self) -> &'static str;

    /// Where such bytes are found.
    fn found_in(&self) -> &'static str;

    /// What such bytes always begin with, if they do.
    fn magic(&self) -> Option<&'static [u8]>;

    /// Its type ids.
    fn types(&self) -> Vec<TypeRow>;

    /// Every field, with its place.
    fn inspect(&self, bytes: &[u8], given: &FormatOptions) -> Tree;

    /// Writes the JSON form, or nothing if there is an error in the bytes.
    fn decode(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>)
        -> Result<io::Result<()>, DecodeError>;

    /// Writes the JSON form of what comes before the error, if there is one.
    fn decode_partial(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>) -> io::Result<()>;

    /// Counts what bytes are made of.
    fn count(&self, bytes: &[u8], given: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError>;

    /// Encodes a JSON document.
    fn encode(&self, document: &[u8], given: &FormatOptions) -> Result<Vec<u8>, Unwritable>;

    /// Whether bytes are valid, and what is remarkable about them. No more than `limit` of them are held at once.
    fn check(&self, reader: &mut dyn Read, limit: usize, given: &FormatOptions) -> Result<Checked, ReadError>;

    /// How the lengths before its values are written, if the command line says that there are some.
    fn framing(&self, _: &FormatOptions) -> Option<Framing> {
        None
    }
}

/// Where a JSON text goes: as it is made, for it may be long.
pub struct JsonOut<'o> {
    pub out: &'o mut dyn Write,
    pub pretty: bool,
    /// Text before and after it.
    pub around: (&'o str, &'o str),
}

impl JsonOut<'_> {
    /// Writes a document, in one line or indented.
    pub fn write(&mut self, document: &impl Serialize) -> io::Result<()> {
        self.out.write_all(self.around.0.as_bytes())?;
        if self.pretty {
            serde_json::to_writer_pretty(&mut *self.out, document)?;
        } else {
            serde_json::to_writer(&mut *self.out, document)?;
        }
        writeln!(self.out, "{}", self.around.1)
    }
}

/// A line of a format's table of types.
#[derive(Debug)]
pub struct TypeRow {
    /// As the specification writes it.
    pub id: String,
    pub name: &'static str,
    pub status: &'static str,
}

/// The result of checking valid bytes.
#[derive(Debug)]
pub struct Checked {
    /// The number of entries, where that is what they are made of.
    pub entries: Option<u64>,
    /// How it is written that there are none, if so: for people, and for JSON.
    pub empty: Option<(&'static str, &'static str)>,
    pub findings: Findings,
}

/// Why a document gives no bytes.
#[derive(Debug, Error)]
pub enum Unwritable {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error(transparent)]
    Value(#[from] EncodeError),
}

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The format with this name, else the one detected from the first bytes, else the default.
pub fn chosen(name: Option<&str>, head: &[u8]) -> &'static dyn Format {
    let named = name.and_then(by_name);
    let told = || FORMATS.iter().copied().find(|format| format.magic().is_some_and(|magic| head.starts_with(magic)));
    named.or_else(told).unwrap_or(&roblox_attributes::RobloxAttributes)
}

/// The format that a document names: by its member `format`, and for Godot its version too.
pub fn named(name: &str, document: &[u8]) -> Option<&'static dyn Format> {
    #[derive(serde::Deserialize)]
    struct Head {
        version: u8,
    }
    if name != "godot-variant" {
        return by_name(name);
    }
    let mut reader = serde_json::Deserializer::from_slice(document);
    reader.disable_recursion_limit();
    // what is not asked for is skipped without recursion; what has no version is for the format to print_error about
    let version = serde::Deserialize::deserialize(&mut reader).map_or(4, |Head { version }| version);
    by_name(if version == 3 { "godot-3" } else { "godot-4" })
}

/// How many bytes are needed to detect the format.
pub const HEAD: usize = FileKind::HEAD;

/// The table of types of a format.
fn type_rows<T: TypeNumber>() -> Vec<TypeRow> {
    let status = |id: &T| match id.provenance() {
        Provenance::Spec => "spec",
        Provenance::Real => "real",
        Provenance::Draft => "draft",
        Provenance::Proposed => "proposed",
        _ => "",
    };
    let id = |id: &T| match T::RADIX {
        Radix::Decimal => id.number().to_string(),
        _ => format!("{:#04x}", id.number()),
    };
    T::ALL.iter().map(|row| TypeRow { id: id(row), name: row.name(), status: status(row) }).collect()
}

/// Memory that is left for the tree of these bytes.
fn tree_memory(bytes: &[u8], given: &FormatOptions) -> usize {
    given.max_memory.saturating_sub(bytes.len())
}

/// The limits asked for; `depth` is what the format has by default.
fn limits(given: &FormatOptions, depth: u16) -> Limits {
    Limits::new().with_depth(given.max_depth.unwrap_or(depth))
}

/// The names of all formats.
pub fn names() -> String {
    FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

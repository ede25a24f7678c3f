//! The formats that the program knows. A new one is a file here, and a line in [`FORMATS`].

mod roblox_attributes;

use std::io::Read;

use enginewire::json::JsonError;
use enginewire::wire::{ReadError, Remarks, Tree};
use enginewire::{DecodeError, EncodeError};
use serde::Serialize;
use thiserror::Error;

use crate::args::Common;

/// Every format, in the order in which they are listed.
pub static FORMATS: &[&dyn Format] = &[&roblox_attributes::RobloxAttributes];

/// What the program wants of a format.
pub trait Format: Sync {
    /// Its name, as in `--format` and in JSON documents.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn about(&self) -> &'static str;

    /// Where such bytes are found.
    fn found_in(&self) -> &'static str;

    /// Its type ids.
    fn types(&self) -> Vec<TypeRow>;

    /// Every field, with its place.
    fn inspect(&self, bytes: &[u8], common: &Common) -> Tree;

    /// The JSON form.
    fn decode(&self, bytes: &[u8], common: &Common, pretty: bool) -> Result<Json, DecodeError>;

    /// The JSON form of what comes before the error, if there is one.
    fn decode_partial(&self, bytes: &[u8], common: &Common, pretty: bool) -> (Json, Option<DecodeError>);

    /// The bytes that a JSON document stands for.
    fn encode(&self, document: &[u8], zero_length: bool) -> Result<Vec<u8>, Unwritable>;

    /// Whether bytes are valid, and what is remarkable about them. No more than `limit` of them are held at once.
    fn check(&self, reader: &mut dyn Read, limit: usize, common: &Common) -> Result<Verdict, ReadError>;
}

/// A JSON text. Writing one fails only where serde says so, and it has no reason to.
pub type Json = serde_json::Result<String>;

/// A line of a format's table of types.
#[derive(Debug)]
pub struct TypeRow {
    pub id: u32,
    pub name: &'static str,
    pub status: &'static str,
}

/// What a check has to say about valid bytes.
#[derive(Debug)]
pub struct Verdict {
    pub entries: u64,
    /// How it is written that there are none, if so: for people, and for JSON.
    pub empty: Option<(&'static str, &'static str)>,
    pub remarks: Remarks,
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

/// The format asked for, or the only one.
pub fn chosen(common: &Common) -> Option<&'static dyn Format> {
    match (&common.format, FORMATS) {
        (Some(name), _) => by_name(name),
        (None, [only]) => Some(*only),
        (None, _) => None,
    }
}

/// The names of all formats.
pub fn names() -> String {
    FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

fn json(document: &impl Serialize, pretty: bool) -> Json {
    if pretty {
        serde_json::to_string_pretty(document)
    } else {
        serde_json::to_string(document)
    }
}

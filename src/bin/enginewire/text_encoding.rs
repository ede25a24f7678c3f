//! Bytes written as text: hex and base64.

use std::fmt::Display;

use clap::ValueEnum;
use data_encoding::{DecodeKind, Encoding, BASE64, BASE64_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TextEncoding {
    Raw,
    Hex,
    Base64,
}

impl TextEncoding {
    /// Decodes text in this encoding.
    pub fn decode(self, text: Vec<u8>) -> Result<Vec<u8>, String> {
        match self {
            TextEncoding::Raw => Ok(text),
            TextEncoding::Hex => from_hex(&text),
            TextEncoding::Base64 => from_base64(&text),
        }
    }

    /// Encodes bytes; text ends with a newline.
    pub fn encode(self, bytes: Vec<u8>) -> Vec<u8> {
        let text = match self {
            TextEncoding::Raw => return bytes,
            TextEncoding::Hex => HEXLOWER.encode(&bytes),
            TextEncoding::Base64 => BASE64.encode(&bytes),
        };
        (text + "\n").into_bytes()
    }
}

fn from_hex(text: &[u8]) -> Result<Vec<u8>, String> {
    decode_text(text, text, &HEXLOWER_PERMISSIVE, "hex")
}

/// With or without padding.
fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut digits = trimmed(text);
    for _ in 0..2 {
        digits = trimmed(digits.strip_suffix(b"=").unwrap_or(digits));
    }
    decode_text(text, digits, &BASE64_NOPAD, "base64")
}

/// Decodes `digits`, the beginning of `text`.
fn decode_text(text: &[u8], digits: &[u8], encoding: &Encoding, name: &str) -> Result<Vec<u8>, String> {
    let dense: Vec<u8> = digits.iter().copied().filter(|digit| !digit.is_ascii_whitespace()).collect();
    encoding.decode(&dense).map_err(|error| {
        let mut places = digits.iter().enumerate().filter(|(_, digit)| !digit.is_ascii_whitespace());
        let (position, digit) = places.nth(error.position).unwrap_or((text.len(), &0));
        let what = match error.kind {
            DecodeKind::Symbol => format!("'{}' is not a {name} digit", digit.escape_ascii()),
            DecodeKind::Length if name == "hex" => "odd number of hex digits".to_owned(),
            DecodeKind::Length => format!("incomplete {name} text"),
            _ => format!("{name} text with unused bits that are not 0"),
        };
        format!("{what}, at {}", place(text, position))
    })
}

/// Line and column, counted from 1.
fn place(text: &[u8], position: usize) -> impl Display {
    let before = text.get(..position).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len).saturating_add(1);
    format!("line {line}, column {column}")
}

/// `text` without the whitespace at its end.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last.saturating_add(1));
    text.get(..end).unwrap_or_default()
}

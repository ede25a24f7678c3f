//! What is read: files and standard input, raw or written as text.

use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use data_encoding::{DecodeKind, Encoding, BASE64_NOPAD, HEXLOWER_PERMISSIVE};

use crate::args::{Common, Writing};
use crate::console::Console;
use crate::status::Status;

/// A file, read.
#[derive(Debug)]
pub struct Input {
    /// Its name, for messages.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Does `work` with every file; tells of those that cannot be read and goes on. The status is the highest of all.
pub fn each(
    files: &[PathBuf],
    common: &Common,
    console: &mut Console<'_>,
    mut work: impl FnMut(&Input, &mut Console<'_>) -> io::Result<Status>,
) -> io::Result<Status> {
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    if files == stdin && io::stdin().is_terminal() {
        console.remark("reading what you type; end it with Ctrl-D")?;
    }
    let mut highest = Status::Fine;
    for file in files {
        let status = match read(file, common.input) {
            Ok(input) => work(&input, console)?,
            Err((status, message)) => {
                console.error(message)?;
                status
            }
        };
        highest = highest.max(status);
    }
    Ok(highest)
}

fn read(file: &Path, writing: Writing) -> Result<Input, (Status, String)> {
    let (name, bytes) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        ("standard input".to_owned(), read.map(|_| bytes))
    } else {
        (file.display().to_string(), fs::read(file))
    };
    let bytes = bytes.map_err(|error| (Status::Io, format!("cannot read {name}: {}", reason(file, &error))))?;
    let bytes = match writing {
        Writing::Raw => Ok(bytes),
        Writing::Hex => from_hex(&bytes),
        Writing::Base64 => from_base64(&bytes),
    };
    let bytes = bytes.map_err(|reason| (Status::Malformed, format!("{reason}\n  --> {name}")))?;
    Ok(Input { name, bytes })
}

/// Systems have many words for trying to read a directory.
fn reason(file: &Path, error: &io::Error) -> String {
    if file.is_dir() {
        format!("it is a directory; name the files in it, as {}", file.join("*").display())
    } else {
        error.to_string()
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
    let (positions, digits): (Vec<usize>, Vec<u8>) =
        digits.iter().enumerate().filter(|(_, digit)| !digit.is_ascii_whitespace()).unzip();
    encoding.decode(&digits).map_err(|error| {
        let position = positions.get(error.position).copied().unwrap_or(text.len());
        let digit = digits.get(error.position).copied().unwrap_or_default();
        let what = match error.kind {
            DecodeKind::Symbol => format!("'{}' is no {name} digit", digit.escape_ascii()),
            DecodeKind::Length => format!("the {name} text lacks its end"),
            _ => format!("the {name} text ends with bits that belong to no byte"),
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

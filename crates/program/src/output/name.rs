//! Names of files, and of what is in them.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use data_encoding::HEXLOWER;
use enginewire_files::godot::Layers;
use enginewire_files::scan::text_or_hex;
use serde::{Serialize, Serializer};

use crate::output::escape::escaped_bytes;

/// The name of a file, and a place in it: for people escaped and with the layers of the file, for programs exact.
#[derive(Clone, Debug)]
pub struct Name {
    file: Arc<OsStr>,
    place: String,
    layers: Option<Arc<Layers>>,
}

impl Name {
    /// The name of a file; `-` is standard input.
    pub fn new(path: &Path) -> Self {
        let file = if path == Path::new("-") { OsStr::new("standard input") } else { path.as_os_str() };
        Name { file: file.into(), place: String::new(), layers: None }
    }

    /// Of a file in these layers.
    #[must_use]
    pub fn within(self, layers: Arc<Layers>) -> Self {
        Name { layers: Some(layers), ..self }
    }

    /// The same without layers.
    #[must_use]
    pub fn without_layers(&self) -> Self {
        Name { layers: None, ..self.clone() }
    }

    /// Of something in a file.
    #[must_use]
    pub fn at(&self, place: &str) -> Self {
        let Name { file, place: around, layers } = self;
        Name { file: file.clone(), place: [around, ": ", place].concat(), layers: layers.clone() }
    }

    /// Of the file alone.
    #[must_use]
    pub fn file(&self) -> Self {
        Name { place: String::new(), layers: None, ..self.clone() }
    }

    /// The layers of the file, if it has some.
    pub fn layers(&self) -> Option<&Layers> {
        self.layers.as_deref()
    }

    /// The same in a field: text as it is, and other bytes as JSON.
    pub fn text(&self) -> String {
        text_or_hex(&self.bytes()).into_owned()
    }

    /// Its bytes: text, on any system that has no other names.
    fn bytes(&self) -> Vec<u8> {
        [self.file.as_encoded_bytes(), self.place.as_bytes()].concat()
    }
}

/// A path, for people.
pub fn shown(path: &Path) -> Name {
    Name { file: path.as_os_str().into(), place: String::new(), layers: None }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped_bytes(self.file.as_encoded_bytes()))?;
        if let Some(layers) = self.layers.as_ref().filter(|layers| !layers.names().is_empty()) {
            write!(f, " ({})", layers.names())?;
        }
        f.write_str(&escaped_bytes(self.place.as_bytes()))
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BytesJson(self.bytes().as_bstr()).serialize(serializer)
    }
}

/// Bytes in JSON as in all documents: a string, or, if they are not UTF-8, `{"hex": "ff"}`.
#[derive(Clone, Copy, Debug)]
pub struct BytesJson<'b>(pub &'b BStr);

impl Serialize for BytesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_map([("hex", HEXLOWER.encode(self.0))]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_name_is_exact_in_json_and_escaped_for_people() {
        let name = Name::new(Path::new("a\u{1b}b.bin")).at("[3]");
        assert_eq!(name.to_string(), r"a\u{1b}b.bin: [3]");
        assert_eq!(serde_json::to_string(&name).unwrap(), r#""a\u001bb.bin: [3]""#);
        assert_eq!(Name::new(Path::new("-")).to_string(), "standard input");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf_8_is_hex_in_json() {
        use std::os::unix::ffi::OsStrExt;
        let name = Name::new(Path::new(std::ffi::OsStr::from_bytes(b"\xff.db"))).at("x");
        assert_eq!(name.to_string(), r"\xff.db: x");
        assert_eq!(serde_json::to_string(&name).unwrap(), r#"{"hex":"ff2e64623a2078"}"#);
    }
}

//! The JSON form of every format: lossless both ways.
//!
//! A document is one object whose first member is `"format"`. Where a value may have one of several types it is
//! `{"type": NAME, "value": …}`. Values that JSON cannot represent are written like this:
//!
//! | on the wire | in JSON |
//! |---|---|
//! | finite floating-point number | the shortest number that reads back to the same bits at its width |
//! | the quiet NaN `7fc00000`, `7ff8000000000000` | `"NaN"` |
//! | any other NaN | `{"bits": "0x7fc00001"}`, with 8 or 16 digits |
//! | infinities | `"Infinity"`, `"-Infinity"` |
//! | bytes that are UTF-8 | a string |
//! | other bytes | `{"hex": "ff00"}` |
//!
//! The types of this crate implement serde's traits, so that any serializer can write them; [`from_slice`] reads them
//! with errors that name the place, and at any depth that the formats allow.
//!
//! ```
//! use enginewire::{json, roblox::attributes};
//!
//! let attributes = attributes::decode(b"\x01\0\0\0\x02\0\0\0On\x03\x01")?;
//! let text = json::to_string(&attributes)?;
//! assert_eq!(text, r#"{"format":"roblox-attributes","entries":[{"key":"On","type":"Bool","value":true}]}"#);
//! assert_eq!(json::from_slice::<attributes::Attributes>(text.as_bytes())?, attributes);
//!
//! let wrong = text.replace("true", "1");
//! let error = json::from_slice::<attributes::Attributes>(wrong.as_bytes()).unwrap_err();
//! assert_eq!(error.path(), "entries[0].value");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod text;

use std::io;

use serde::Serialize;

use crate::error::range_of;

pub(crate) use crate::member::typed;
pub use crate::member::{Give, Given, Member, Mismatch, Receiver, Scalar, Shape, Tag, Tape};
use crate::TextError;

/// A value that is a document of its own.
///
/// Specification: `docs/spec/json.md`, section Document.
pub trait Document: Serialize + Member {
    /// The name of the format, in its member `"format"`.
    const FORMAT: &'static str;

    /// The limit for the nesting of objects and lists in a document.
    const LEVELS: usize;
}

/// In the words of this crate.
impl From<serde_json::Error> for TextError {
    fn from(error: serde_json::Error) -> Self {
        worded(&error)
    }
}

/// Writes a document, in one line.
///
/// # Errors
///
/// None are known: text in memory can always be written.
pub fn to_string<T: Document>(document: &T) -> Result<String, serde_json::Error> {
    text_of(document).map_err(serde_json::Error::io)
}

/// A value as JSON text, in one line.
pub(crate) fn text_of(value: &dyn Give) -> io::Result<String> {
    let mut text = Vec::with_capacity(128);
    text::write(value, &mut text, None)?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// Writes a document, in one line.
///
/// # Errors
///
/// If writing fails.
pub fn to_writer<T: Document>(mut writer: impl io::Write, document: &T) -> io::Result<()> {
    text::write(document, &mut writer, None)
}

/// Reads a document.
///
/// # Errors
///
/// If the text is not JSON, is nested deeper than the format allows, or has a member that is unknown, missing, of the wrong
/// type or out of range.
pub fn from_slice<T: Document>(text: &[u8]) -> Result<T, TextError> {
    read(Input::Text(text))
}

/// A document, or a value that is in documents.
#[derive(Clone, Copy, Debug)]
pub enum Input<'d> {
    /// As JSON text.
    Text(&'d [u8]),
    /// Its parts.
    Tape(&'d Tape<'d>),
}

/// Reads a document.
///
/// # Errors
///
/// As for [`from_slice`]. Those of a text name a line and a column.
pub fn read<T: Document>(source: Input<'_>) -> Result<T, TextError> {
    read_member(source, T::LEVELS)
}

/// Reads a value that is in documents and no document itself, such as a `roblox::attributes::Value`, whose objects and lists nest no
/// deeper than `levels`.
///
/// ```
/// use enginewire::json::{self, Input};
/// use enginewire::roblox::attributes::Value;
///
/// let value: Value<'_> = json::read_member(Input::Text(br#"{"type": "Int", "value": 7}"#), 16)?;
/// assert_eq!(value, Value::Int(7));
/// # Ok::<(), enginewire::TextError>(())
/// ```
///
/// # Errors
///
/// As for [`read`].
pub fn read_member<T: Member>(source: Input<'_>, levels: usize) -> Result<T, TextError> {
    take(source, levels, T::take)
}

/// A document as a value of `serde_json`, which is the same as that of its text. Members are in the order that a
/// `serde_json::Map` gives them.
///
/// ```
/// use enginewire::json;
/// use enginewire::roblox::attributes::Attributes;
///
/// let attributes: Attributes<'_> = [("Lit", true)].into_iter().collect();
/// let document = json::to_value(&attributes)?;
/// assert_eq!(document["entries"][0], serde_json::json!({"key": "Lit", "type": "Bool", "value": true}));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// None are known, as for [`to_string`].
pub fn to_value<T: Document>(document: &T) -> Result<serde_json::Value, serde_json::Error> {
    value_of(document)
}

/// Reads a document from a value of `serde_json`.
///
/// ```
/// use enginewire::json;
/// use enginewire::roblox::attributes::{Attributes, Value};
///
/// let mut document = serde_json::json!({
///     "format": "roblox-attributes",
///     "entries": [{"key": "Fuel", "type": "Double", "value": 42}],
/// });
/// let attributes: Attributes<'_> = json::from_value(&document)?;
/// assert_eq!(attributes.get("Fuel"), Some(&Value::Double(42.0)));
///
/// document["entries"][0]["value"] = "much".into();
/// let error = json::from_value::<Attributes<'_>>(&document).unwrap_err();
/// assert_eq!(error.path(), "entries[0].value");
/// # Ok::<(), enginewire::TextError>(())
/// ```
///
/// # Errors
///
/// As for [`from_slice`].
pub fn from_value<T: Document>(document: &serde_json::Value) -> Result<T, TextError> {
    limit_depth(document, T::LEVELS)?;
    take_value(document, T::take)
}

/// A text as a value of `serde_json`, by the reader of documents.
///
/// # Errors
///
/// As for [`from_slice`].
#[doc(hidden)] // for modules of WebAssembly: serde's own reader of values takes room there
pub fn value_from_slice(text: &[u8], levels: usize) -> Result<serde_json::Value, TextError> {
    take(Input::Text(text), levels, |given| Ok(given.to_value()))
}

/// The value that is written. It is read from its text, because only there are numbers of 32 bits as short as they can be.
pub(crate) fn value_of(value: &dyn Give) -> Result<serde_json::Value, serde_json::Error> {
    let text = text_of(value).map_err(serde_json::Error::io)?;
    let mut tape = Tape::new();
    read_all(&mut tape, &text)?;
    Ok(tape.to_value())
}

/// Makes something of a value that is in memory, with the path of an error.
pub(crate) fn take_value<T>(
    value: &serde_json::Value,
    take: impl FnOnce(Given<'_>) -> Result<T, Mismatch>,
) -> Result<T, TextError> {
    let mut tape = Tape::new();
    tape.read(Shape::Any, value)?;
    take_tape(&tape, take)
}

/// Refuses a value whose objects and lists nest deeper than `limit`, without recursion.
pub(crate) fn limit_depth(value: &serde_json::Value, limit: usize) -> Result<(), TextError> {
    let mut waiting = vec![(value, 0usize)];
    while let Some((value, depth)) = waiting.pop() {
        let (items, members) = match value {
            serde_json::Value::Array(items) => (Some(items), None),
            serde_json::Value::Object(members) => (None, Some(members)),
            _ => continue,
        };
        if depth >= limit {
            return Err(too_deep(limit, ""));
        }
        let inner = items.into_iter().flatten().chain(members.into_iter().flat_map(serde_json::Map::values));
        waiting.extend(inner.map(|value| (value, depth.saturating_add(1))));
    }
    Ok(())
}

/// The error for objects and lists that nest deeper than `limit`, with the place of the first of them.
fn too_deep(limit: usize, place: &str) -> TextError {
    TextError::new(format!("objects and lists are nested deeper than {limit} levels")).at(None, place)
}

fn take_tape<T>(tape: &Tape<'_>, take: impl FnOnce(Given<'_>) -> Result<T, Mismatch>) -> Result<T, TextError> {
    take(tape.given()).map_err(|mismatch| worded(&mismatch.error(tape)).inside(mismatch.path(tape)))
}

/// Makes something of a document whose objects and lists nest no deeper than `levels`.
pub(crate) fn take<T>(
    source: Input<'_>,
    levels: usize,
    take: impl FnOnce(Given<'_>) -> Result<T, Mismatch>,
) -> Result<T, TextError> {
    let text = match source {
        Input::Text(text) => text,
        Input::Tape(tape) if tape.deepest > levels => return Err(too_deep(levels, "")),
        Input::Tape(tape) => return take_tape(tape, take),
    };
    let mut tape = Tape::within(levels);
    if let Err(error) = read_text(&mut tape, text) {
        limit_levels(text, levels)?;
        return Err(error.inside(tape.failed_path()));
    }
    take(tape.given()).map_err(|mismatch| {
        // the reader knows the line of what it reads
        let error = read_text(&mut Tape::find(mismatch.clone()), text).err();
        error.unwrap_or_else(|| worded(&mismatch.error(&tape))).inside(mismatch.path(&tape))
    })
}

/// Reads all of a text.
fn read_text<'t>(tape: &mut Tape<'t>, text: &'t [u8]) -> Result<(), TextError> {
    if let Ok(text) = std::str::from_utf8(text) {
        return read_all(tape, text).map_err(|error| worded(&error));
    }
    // another error may come first
    let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match read_all(tape, valid) {
        Err(error) if !error.is_eof() => Err(worded(&error)),
        _ => {
            let (lines, last) =
                valid.split('\n').fold((0usize, ""), |(lines, _), line| (lines.saturating_add(1), line));
            let place = format!(" at line {lines} column {}", last.len().saturating_add(1));
            Err(TextError::new("a byte is not UTF-8").at(None, place))
        }
    }
}

/// The same, of UTF-8. The only reader, for each takes room in a module of WebAssembly.
fn read_all<'t>(tape: &mut Tape<'t>, text: &'t str) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // levels are bounded before, and the tape gets more stack if it needs it
    reader.disable_recursion_limit();
    tape.read(Shape::Any, &mut reader)?;
    reader.end()
}

/// A JSON error in the words of this crate, with its line and column.
fn worded(error: &serde_json::Error) -> TextError {
    let text = error.to_string();
    let place = if error.line() > 0 { text.rfind(" at line ") } else { None };
    let (text, place) = text.split_at(place.unwrap_or(text.len()));
    let mismatch =
        ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|what| text.strip_prefix(what));
    let text = match mismatch.and_then(|mismatch| mismatch.rsplit_once(", expected ")) {
        Some((found, expected)) => format!("expected {}, found {}", expected_words(expected), found_words(found)),
        None if text.starts_with("EOF while parsing") => "the JSON ends too early".to_owned(),
        None => match text {
            "expected value" | "expected ident" => "expected a JSON value",
            "key must be a string" => "expected a key in quotes",
            "trailing characters" => "expected the end of the JSON, found more",
            "recursion limit exceeded" => "objects and lists are nested too deeply",
            text if text.starts_with("control character") => {
                "a text has a control character, which JSON writes as \\u001f"
            }
            text => text,
        }
        .to_owned(),
    };
    TextError::new(text).at(None, place)
}

/// The expected value. Messages of serde name types of Rust.
fn expected_words(expected: &str) -> String {
    match expected {
        "f32" => "a number of 32 bits",
        "f64" => "a number of 64 bits",
        "a string" | "a borrowed string" | "str" | "string" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        "enum" => "a type and its value",
        other => {
            return range_of(other).map_or_else(|| other.to_owned(), |range| format!("a whole number from {range}"))
        }
    }
    .to_owned()
}

/// The found value, in the words of JSON.
fn found_words(found: &str) -> &str {
    let number =
        ["integer ", "floating point ", "boolean ", "string "].iter().find_map(|kind| found.strip_prefix(kind));
    match (number, found) {
        (Some(value), _) => value.trim_matches('`'),
        (None, "map") => "an object",
        (None, "sequence") => "a list",
        (None, "unit value") => "null",
        (None, other) => other,
    }
}

/// The format that a text names in the member `"format"` of its outermost object, at any place among the members.
#[must_use]
pub fn format_of(text: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: String,
    }
    let text = String::from_utf8_lossy(text);
    let mut reader = serde_json::Deserializer::from_str(&text);
    reader.disable_recursion_limit();
    // all other members are skipped, without recursion
    serde::Deserialize::deserialize(&mut reader).ok().map(|head: Head| head.format)
}

/// Refuses a text whose objects and lists nest deeper than `limit`, even if it is not JSON.
#[cold]
fn limit_levels(text: &[u8], limit: usize) -> Result<(), TextError> {
    let mut levels = 0usize;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            // to the end of the string
            b'"' => {
                while bytes.by_ref().find(|byte| matches!(byte, b'"' | b'\\')) == Some(&b'\\') {
                    bytes.next();
                }
            }
            b'[' | b'{' if levels == limit => {
                let before = text.get(..text.len().saturating_sub(bytes.len())).unwrap_or_default();
                let line = before.split(|byte| *byte == b'\n').count();
                return Err(too_deep(limit, &format!(" at line {line}")));
            }
            b'[' | b'{' => levels = levels.saturating_add(1),
            b']' | b'}' => levels = levels.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "roblox")]
mod tests {
    use super::*;
    use crate::roblox::attributes::Attributes;
    use pretty_assertions::assert_eq;

    #[test]
    fn levels_are_counted_outside_of_strings() {
        assert!(limit_levels(br#"[["[[[", "\"[["], []]"#, 2).is_ok());
        assert!(limit_levels(br#"["]]", [[]]]"#, 2).is_err());
        let error = limit_levels(b"[\n[[]]]", 2).unwrap_err();
        assert_eq!(error.to_string(), "objects and lists are nested deeper than 2 levels at line 2");
    }

    #[test]
    fn a_text_too_deep_is_an_error_and_no_crash() {
        let deep = "[".repeat(1 << 20);
        assert!(from_slice::<Attributes<'_>>(deep.as_bytes()).is_err());
        assert_eq!(format_of(deep.as_bytes()), None);
        let deep = format!(r#"{{"entries": {deep}"#);
        assert_eq!(format_of(deep.as_bytes()), None);
    }

    #[test]
    fn the_format_is_found_wherever_it_stands() {
        assert_eq!(format_of(br#"{"entries": [{"a": [1]}], "format": "x"}"#).as_deref(), Some("x"));
        assert_eq!(format_of(b"not json"), None);
    }

    /// A document has as many levels as its format says, and its errors name the member at fault.
    #[test]
    fn errors_of_documents() {
        let error = |text: &str| from_slice::<Attributes<'_>>(text.as_bytes()).unwrap_err();
        let wrong = error(r#"{"format": "roblox-attributes", "entries": [{"key": "a", "type": "Bool", "value": 1}]}"#);
        assert_eq!(wrong.path(), "entries[0].value");
        assert!(wrong.message().starts_with("expected a boolean, found 1 at line 1"));
        assert_eq!(wrong.to_string(), format!("entries[0].value: {}", wrong.message()));
        let behind = error(r#"{"format": "roblox-attributes", "entries": []} 1"#);
        assert_eq!(
            (behind.path(), &behind.message()[..]),
            ("", "expected the end of the JSON, found more at line 1 column 48")
        );
        assert_eq!(behind.to_string(), behind.message());
        // of several errors the first is returned; a byte that is not UTF-8 is one
        for (text, told) in [
            (&b"{\"a\":\n \"x\xff\"}"[..], "a: a byte is not UTF-8 at line 2 column 4"),
            (b"\xff", "a byte is not UTF-8 at line 1 column 1"),
            (b"{\"a\" 1, \"\xff\"}", "a: expected `:` at line 1 column 6"),
        ] {
            assert_eq!(from_slice::<Attributes<'_>>(text).unwrap_err().to_string(), told);
        }
        assert_eq!(format_of(b"{\"a\": \"\xff\", \"format\": \"x\"}").as_deref(), Some("x"));
    }

    /// The same document, also where its numbers have 32 bits, and the same errors except for lines and columns.
    #[test]
    fn documents_are_values_too() {
        let attributes: Attributes<'_> = [("a", 0.1_f32), ("b", -0.0), ("c", f32::NAN)].into_iter().collect();
        let value = to_value(&attributes).unwrap();
        assert_eq!(value, serde_json::from_str::<serde_json::Value>(&to_string(&attributes).unwrap()).unwrap());
        assert_eq!(value["entries"][0]["value"].to_string(), "0.1");
        let read: Attributes<'_> = from_value(&value).unwrap();
        assert_eq!(to_string(&read).unwrap(), to_string(&attributes).unwrap());

        let error = |value: serde_json::Value| from_value::<Attributes<'_>>(&value).unwrap_err();
        let entry = serde_json::json!({"key": "a", "type": "Bool", "value": 1});
        let wrong = error(serde_json::json!({"format": "roblox-attributes", "entries": [entry]}));
        assert_eq!(wrong.to_string(), "entries[0].value: expected a boolean, found 1");
        let deep = (0..=Attributes::LEVELS).fold(serde_json::Value::Null, |inner, _| vec![inner].into());
        assert_eq!(
            error(deep).message(),
            format!("objects and lists are nested deeper than {} levels", Attributes::LEVELS)
        );
    }

    /// Bytes, which JSON text cannot hold, are given as they are. Errors are the same except for lines and columns.
    #[test]
    fn documents_are_given_part_by_part() {
        let read = |key: Scalar<'static>, value: Scalar<'static>, depth: usize| {
            let mut tape = Tape::with_capacity(0);
            let texts = |tape: &mut Tape<'static>, texts: &[&'static str]| {
                texts.iter().for_each(|text| tape.scalar(Scalar::Text(text)));
            };
            let whole = tape.open(true);
            texts(&mut tape, &["format", Attributes::FORMAT, "entries"]);
            let mut open = vec![whole, tape.open(false), tape.open(true)];
            texts(&mut tape, &["key"]);
            let hex = tape.open(true);
            texts(&mut tape, &["hex"]);
            tape.scalar(key);
            tape.close(hex);
            texts(&mut tape, &["type", "Double", "value"]);
            open.extend((0..depth).map(|_| tape.open(false)));
            tape.scalar(value);
            open.into_iter().rev().for_each(|at| tape.close(at));
            super::read::<Attributes<'_>>(Input::Tape(&tape)).map_err(|error| error.to_string())
        };
        let read_back = read(Scalar::Bytes(b"\xff"), Scalar::F64(-0.0), 0).unwrap();
        let text = r#"{"format":"roblox-attributes","entries":[{"key":{"hex":"ff"},"type":"Double","value":-0.0}]}"#;
        assert_eq!(to_string(&read_back).unwrap(), text);
        assert_eq!(read(Scalar::Text("ff"), Scalar::F64(-0.0), 0), Ok(read_back));
        let wrong = read(Scalar::I64(1), Scalar::U64(2), 0).unwrap_err();
        assert_eq!(wrong, "entries[0].key.hex: expected a text, found 1");
        let wrong = read(Scalar::Text("ff"), Scalar::Bytes(b"\xff"), 0).unwrap_err();
        assert!(wrong.starts_with("entries[0].value: expected a number of 64 bits"), "{wrong}");
        let mut bytes = Tape::with_capacity(0);
        let at = bytes.open(true);
        [Scalar::Text("hex"), Scalar::Bytes(b"\xff\0")].into_iter().for_each(|part| bytes.scalar(part));
        bytes.close(at);
        assert_eq!(bytes.to_value().to_string(), r#"{"hex":"ff00"}"#);
        let mut unended = Tape::with_capacity(0);
        unended.open(true);
        ["format", Attributes::FORMAT, "entries"].into_iter().for_each(|text| unended.scalar(Scalar::Text(text)));
        unended.open(false);
        assert!(super::read::<Attributes<'_>>(Input::Tape(&unended)).unwrap().is_empty());
        let deep = read(Scalar::Text("ff"), Scalar::Unit, Attributes::LEVELS).unwrap_err();
        assert_eq!(deep, format!("objects and lists are nested deeper than {} levels", Attributes::LEVELS));
    }

    #[test]
    fn documents_are_written_in_one_line() {
        let attributes = from_slice::<Attributes<'_>>(b"{\"format\":\"roblox-attributes\",\n\"entries\":[]}").unwrap();
        let mut written = Vec::new();
        to_writer(&mut written, &attributes).unwrap();
        assert_eq!(written, to_string(&attributes).unwrap().into_bytes());
        assert_eq!(written, br#"{"format":"roblox-attributes","entries":[]}"#);
        assert!(to_writer(&mut [0_u8; 4][..], &attributes).is_err());
    }
}

//! JSON documents as written by `decode`, used for the values that they represent.

use enginewire::formats::{formats, AnyFormat, DecodeJsonError, JsonWriter};

use crate::commands::encode;
use crate::exit_status::{Refusal, Status};
use crate::settings::Settings;
use crate::text_encoding::utf_8_head;

/// Returns true if a file begins like a document: with the name of a format.
pub fn is_document(head: &[u8]) -> bool {
    let head = &*utf_8_head(head);
    let tokens: [&[u8]; 4] = [b"{", b"\"format\"", b":", b"\""];
    let rest = tokens.into_iter().try_fold(head, |rest, token| rest.trim_ascii_start().strip_prefix(token));
    let name = rest.and_then(|rest| rest.split(|byte| *byte == b'"').next());
    let name = name.and_then(|name| std::str::from_utf8(name).ok());
    name.is_some_and(|name| formats().iter().any(|format| format.reads(name, head)))
}

/// The value that a document represents, and its format.
pub fn value(document: &[u8], settings: &Settings) -> Result<(&'static dyn AnyFormat, Vec<u8>), Refusal> {
    let format = encode::format_of(document, settings)?;
    let bytes = format.encode_json(document, &settings.formats);
    bytes.map(|bytes| (format, bytes)).map_err(|error| Status::Malformed.because(encode::described(&error)))
}

/// A document of another value, indented if the one before was.
pub fn rewritten(
    document: &[u8],
    format: &dyn AnyFormat,
    bytes: &[u8],
    settings: &Settings,
) -> Result<Vec<u8>, Refusal> {
    let is_pretty = document.trim_ascii().contains(&b'\n');
    let mut text = Vec::new();
    let written = format.decode_json(bytes, &settings.formats, &mut JsonWriter::new(&mut text).pretty(is_pretty));
    written.map_err(|error| match error {
        DecodeJsonError::Decode(error) => Status::from(&error).because(error.to_string()),
        error => Status::Io.because(error.to_string()),
    })?;
    text.extend_from_slice(document.get(document.trim_ascii_end().len()..).unwrap_or_default());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_begin_with_the_name_of_their_format() {
        for text in
            [r#"{"format":"roblox-attributes","entries":[]}"#, " {\n  \"format\" : \"godot-variant\", \"version\": 4"]
        {
            assert!(is_document(text.as_bytes()), "{text}");
        }
        for text in [r#"{"bodies":[]}"#, r#"{"format":"other"}"#, r#"{"format":3}"#, "[1]", "{", ""] {
            assert!(!is_document(text.as_bytes()), "{text}");
        }
    }
}

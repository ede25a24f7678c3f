//! Files that hold no values that can be read as they are, by their first bytes.

use std::fmt;

use serde::de::IgnoredAny;
use serde::Deserialize;

/// The number of bytes at the start of a file that show its signature.
pub const HEAD: usize = 4096;

/// A kind of file that is recognised, but holds no values that can be read as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// A name for programs: `"gzip"`.
    pub name: &'static str,
    /// The finding, as a sentence: `"the file is compressed with gzip"`.
    pub about: &'static str,
    /// The next step for the user: `"unpack it first"`.
    pub advice: &'static str,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.about, self.advice)
    }
}

const fn of(name: &'static str, about: &'static str, advice: &'static str) -> Signature {
    Signature { name, about, advice }
}

const NO_VALUES: &str = "it holds no values to read";

/// The first bytes of files, and their kinds. Of two that fit, the first counts.
const SIGNATURES: [(&[u8], Signature); 22] = [
    (b"GCPF", of("GCPF", "the file is a compressed Godot file (GCPF)", "open what is inside its layers")),
    (
        b"GDEC",
        of("GDEC", "the file is an encrypted Godot file (GDEC)", "open what is inside its layers, with its password"),
    ),
    // enginewire-files opens it as a container
    (b"GDPC", of("GDPC", "the file is a Godot package (.pck)", "read its files with enginewire-files")),
    (b"GDSC\x02\0\0\0", of("shader cache", "the file is a shader cache of Godot 4 (version 2)", NO_VALUES)),
    (b"GDSC\x03\0\0\0", of("shader cache", "the file is a shader cache of Godot 4 (version 3)", NO_VALUES)),
    (b"GDSC\x04\0\0\0", of("shader cache", "the file is a shader cache of Godot 4 (version 4)", NO_VALUES)),
    (b"GDSC", of("GDSC", "the file is a compiled script of Godot (.gdc)", "its version is not known")),
    (b"RSCC", of("RSCC", "the file is a compressed Godot resource", "open what is inside its layers")),
    (
        b"RBXH",
        of(
            "RBXH",
            "the file is an entry of the cache of Roblox's client (RBXH)",
            "cut off its header: read from `<roblox` on, with --offset",
        ),
    ),
    (b"TILE", of("TILE", "the file is a Scrap Mechanic tile", "values in tiles are not read")),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\x1f\x8b\x08", of("gzip", "the file is compressed with gzip", "unpack it first")),
    (b"\x28\xb5\x2f\xfd", of("zstd", "the file is compressed with zstd", "unpack it first")),
    (b"\x89PNG\r\n\x1a\n", of("PNG", "the file is a PNG picture", NO_VALUES)),
    (b"\x7fELF", of("ELF", "the file is a program or library (ELF)", NO_VALUES)),
    (
        b"version https://git-lfs.github.com/spec/",
        of("Git LFS", "the file is a Git LFS pointer, not the file itself", "get the file with `git lfs pull`"),
    ),
    (b"%PDF-", of("PDF", "the file is a PDF document", NO_VALUES)),
    // enginewire-files opens it as a container, with the feature `saves`
    (
        b"SQLite format 3\0",
        of("SQLite", "the file is a SQLite database", "read its rows with enginewire-files, feature `saves`"),
    ),
    (b"\x89PNG\n\x1a\n", DAMAGED_PNG),
    (b"\x89PNG\r\r\n\x1a", DAMAGED_PNG),
    (b"\x89PNG\r\x1a\r", DAMAGED_PNG),
];

const ZIP: Signature = of("ZIP", "the file is a ZIP archive", "unpack it first");
const PE: Signature = of("PE", "the file is a program or library of Windows (PE)", NO_VALUES);
const CHANGED_MODEL: Signature = of(
    "changed model",
    "the file was a Roblox model or place, but its line ends were changed in transfer",
    "get it again, as a binary file; such changes cannot be undone",
);
const RECODED_MODEL: Signature = of(
    "recoded model",
    "the file was a Roblox model or place, but it was changed in transfer as if it was text",
    "get it again, as a binary file; such changes cannot be undone",
);
const DAMAGED_PNG: Signature = of(
    "changed PNG",
    "the file was a PNG picture, but its line ends were changed in transfer",
    "get it again, as a binary file",
);
const EMPTY: Signature = of(
    "empty",
    "the file is empty",
    "use a copy, or pass -f NAME if a value may have 0 bytes, as roblox-attributes may",
);
const ZEROS: Signature =
    of("zeros", "all bytes are 0", "nothing of the file was written, as after a crash: use a copy");
const UTF_16: Signature = of("UTF-16", "the file is UTF-16 text", "save it as UTF-8 if it encodes bytes");
const HTML: Signature =
    of("HTML", "the file is an HTML page, not a model file", "a browser shows what it says, such as an error");
const XML: Signature = of("XML", "the file is XML, not a Roblox model", "an editor shows what it says");
const JSON: Signature = of("JSON", "the file is JSON text, not a model file", "an editor shows what it says");
const GODOT_TEXT: Signature =
    of("Godot text", "the file is a Godot scene, resource or configuration as text", "an editor shows what it says");
#[doc(hidden)] // for the package of files
pub const TEXT: Signature =
    of("text", "the file is text", "if it encodes bytes, name the encoding: hex, base64, literal");

/// The signature of a file, if it has one that is of no format and no container. `file` is the file, or its first
/// [`HEAD`] bytes at least.
///
/// ```
/// use enginewire::signature::signature;
///
/// assert_eq!(signature(b"{\"errors\": []}").unwrap().about, "the file is JSON text, not a model file");
/// assert!(signature(b"\x02\0\0\0\x07\0\0\0").is_none()); // an integer of Godot
/// ```
#[must_use]
pub fn signature(file: &[u8]) -> Option<Signature> {
    if let Some(changed) = changed_model(file) {
        return Some(changed);
    }
    let head = file.get(..HEAD).unwrap_or(file);
    let known = SIGNATURES.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, signature)| *signature);
    match known {
        Some(known) => Some(known),
        None if head.is_empty() => Some(EMPTY),
        // a length of 23,117 begins so, too, but has zeros next
        None if head.starts_with(b"MZ") && !head.starts_with(b"MZ\0\0") => Some(PE),
        // four zeros are a value
        None if file.len() != 4 && file.iter().all(|byte| *byte == 0) => Some(ZEROS),
        None => text(head),
    }
}

/// The damage to a binary model that was transferred as text.
#[doc(hidden)] // for the package of files
#[must_use]
pub fn changed_model(file: &[u8]) -> Option<Signature> {
    let line = file.strip_prefix(b"<roblox!")?;
    let line = line.get(..16).unwrap_or(line);
    let without_ends: Vec<u8> = line.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
    if without_ends.starts_with(b"\x89\xff\x1a") && !line.starts_with(b"\x89\xff\r\n\x1a\n") {
        return Some(CHANGED_MODEL);
    }
    let recoded: [&[u8]; 3] = [b"\xef\xbf\xbd", b"\xc2\x89", b"??"];
    recoded.iter().any(|start| line.starts_with(start)).then_some(RECODED_MODEL)
}

/// The kind of text at the start of a file, if it is text.
fn text(head: &[u8]) -> Option<Signature> {
    let units = |order: fn([u8; 2]) -> u16| head.chunks_exact(2).map(move |pair| order([at(pair, 0), at(pair, 1)]));
    let is_utf_16 = match head {
        _ if !head.len().is_multiple_of(2) => false,
        [0xff, 0xfe, ..] => is_utf_16(units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => is_utf_16(units(u16::from_be_bytes)),
        // without a mark only where it is plain: several letters, each with a zero
        _ if head.len() < 8 => false,
        _ => [u16::from_le_bytes, u16::from_be_bytes].into_iter().any(|order: fn([u8; 2]) -> u16| {
            units(order).all(|unit| u8::try_from(unit).is_ok_and(|byte| is_letter(&byte)))
        }),
    };
    if is_utf_16 {
        return Some(UTF_16);
    }
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // a character that is cut
        Err(error) if error.error_len().is_none() && head.len() == HEAD => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    if text.bytes().any(|byte| byte.is_ascii_control() && !is_letter(&byte)) {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |start: &str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    Some(if begins("<!doctype html") || begins("<html") {
        HTML
    } else if begins("<?xml")
        || begins("<!")
        || text.strip_prefix('<').is_some_and(|name| name.starts_with(char::is_alphabetic))
    {
        XML
    } else if begins("[gd_") || begins("config_version=") || begins("; Engine configuration file.") {
        GODOT_TEXT
    } else if text.starts_with(['{', '[']) && is_json(text) {
        JSON
    } else {
        TEXT
    })
}

fn at(pair: &[u8], index: usize) -> u8 {
    pair.get(index).copied().unwrap_or_default()
}

/// True for the bytes that text may contain.
fn is_letter(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x1b' | b' '..=b'~')
        || (!byte.is_ascii() && !byte.is_ascii_control())
}

/// True if all units are characters.
fn is_utf_16(units: impl Iterator<Item = u16>) -> bool {
    let mut characters = char::decode_utf16(units).peekable();
    while let Some(character) = characters.next() {
        match character {
            Ok(character) if character.is_control() && !character.is_ascii_whitespace() => return false,
            Ok(_) => {}
            // half of a character, where the head ends
            Err(_) => return characters.peek().is_none(),
        }
    }
    true
}

/// True for JSON, and for the beginning of it.
fn is_json(text: &str) -> bool {
    // as the documents are read, so that it is compiled once
    let mut reader = serde_json::Deserializer::from_slice(text.as_bytes());
    // what is ignored is read without recursion
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).map_or_else(|error| error.is_eof(), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// Whatever follows a signature.
    #[test]
    fn signatures_come_first() {
        let models = [
            (&b"MZ\x90"[..], PE),
            (b"<roblox!\x89\xff\n\x1a\n", CHANGED_MODEL),
            (b"<roblox!\x89\xff\r\r\n\x1a\r\n", CHANGED_MODEL),
            (b"<roblox!\xef\xbf\xbd\xef\xbf\xbd", RECODED_MODEL),
        ];
        for (magic, expected) in SIGNATURES.iter().chain(&models) {
            let mut random = 1u32;
            for mutation in 0..10u32 {
                // the next bytes would tell another kind
                let next: &[u8] = if *magic == b"GDSC" { &[0xd] } else { &[] };
                let mut file = [magic, next].concat();
                for _ in 0..200 {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223 + mutation);
                    let byte = random.to_be_bytes()[0];
                    // small numbers, as values have
                    file.push(if mutation % 2 == 0 { byte } else { byte % 5 * (byte & 1) });
                }
                assert_eq!(signature(&file), Some(*expected));
                assert!(crate::formats::detect(&file).is_empty());
            }
        }
    }

    #[test]
    fn texts_are_told_apart() {
        let name = |text: &[u8]| signature(text).map(|signature| signature.name);
        for (text, expected) in [
            (&b""[..], "empty"),
            (b"Dear diary", "text"),
            (b"\xef\xbb\xbf{\"a\": 1}", "JSON"),
            (br#"{"level": 4, "bodies_found": 3}"#, "JSON"),
            (br#"{"name": "game", "tree": {"$className": "DataModel"#, "JSON"),
            (br#"[{"bodies": 1}]"#, "JSON"),
            (b"{\n\"pos\": Vector2(1, 2)\n}", "text"),
            (b"{0x01, 0}", "text"),
            (b"<?xml version=\"1.0\"?><svg/>", "XML"),
            (b"<svg xmlns=\"\"/>", "XML"),
            (b"<!DOCTYPE html><title>Error</title>", "HTML"),
            (b"[gd_scene format=3]", "Godot text"),
            (b"\xff\xfe{\0\"\0a\0", "UTF-16"),
            (b"\xfe\xff\0{\0\"", "UTF-16"),
            (b"0\x001\0 \0a\0b\0", "UTF-16"),
            (&[0; 5000], "zeros"),
            (b"\0\0", "zeros"),
            (b"<roblox!\x89\xff\n\x1a\n\0\0", "changed model"),
            (b"<roblox!\x89\xff\r\r\n\x1a\r\n\0\0", "changed model"),
            (b"<roblox!\xef\xbf\xbd\xef\xbf\xbd\r\n", "recoded model"),
            (b"<roblox!\xc2\x89\xc3\xbf\r\n", "recoded model"),
            (b"\x89PNG\n\x1a\n\0", "changed PNG"),
        ] {
            assert_eq!(name(text), Some(expected), "{}", text.escape_ascii());
        }
        for value in
            [&b"\0\0\0\0"[..], b"\x83\0", b"LUA\0\0\0\x01\x01", b"MZ\0\0\x02\0\0\0", b"\xff\xfe\xfd", b"<roblox!\0\0"]
        {
            assert_eq!(name(value), None, "{}", value.escape_ascii());
        }
        // a character that the head cuts
        assert_eq!(name("ä".repeat(3000).as_bytes()), Some("text"));
        assert_eq!(name(format!("a{}", "ä".repeat(3000)).as_bytes()), Some("text"));
    }
}

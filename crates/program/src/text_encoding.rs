//! Encodings of bytes in a file: as they are, as text such as hex, or compressed.

use std::borrow::Cow;
use std::fmt::Display;

use clap::ValueEnum;
use data_encoding::{DecodeKind, Encoding, BASE64, BASE64_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use enginewire::formats::FormatOptions;
use enginewire_files::godot::Layers;
use enginewire_files::roblox::model::FileKind;

use crate::files::destination::NOT_GZIP;
use crate::input::containers::error_text;

/// The encoding of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TextEncoding {
    /// As they are
    Raw,
    /// Hex digits, also with 0x, \x, commas, colons or spaces, and the dumps of xxd and hexdump -C
    Hex,
    /// Base64
    Base64,
    /// A literal of C, Rust, Python or Lua: "\x01\0" or {0x01, 0}
    Literal,
    /// Compressed with gzip
    Gzip,
}

/// The encoding of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputEncoding {
    /// As they are
    Raw,
    /// Hex digits in one line
    Hex,
    /// Base64 in one line
    Base64,
}

impl TextEncoding {
    /// Decodes a file in this encoding, to no more than `limit` bytes.
    pub fn decode(self, text: Vec<u8>, limit: usize) -> Result<Vec<u8>, String> {
        match self {
            TextEncoding::Raw => Ok(text),
            TextEncoding::Hex => from_hex(&utf_8(text)?),
            TextEncoding::Base64 => from_base64(&utf_8(text)?),
            TextEncoding::Literal => from_literal(&utf_8(text)?),
            TextEncoding::Gzip => from_gzip(text, limit),
        }
    }

    /// The encodings that a file may be in beside its own bytes. What they decode to is the proof.
    pub const WRAPPED: [TextEncoding; 4] =
        [TextEncoding::Gzip, TextEncoding::Hex, TextEncoding::Literal, TextEncoding::Base64];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TextEncoding::Raw => "raw",
            TextEncoding::Hex => "hex",
            TextEncoding::Base64 => "base64",
            TextEncoding::Literal => "literal",
            TextEncoding::Gzip => "gzip",
        }
    }
}

impl OutputEncoding {
    /// Encodes bytes; text ends with a newline.
    pub fn encode(self, bytes: Vec<u8>) -> Vec<u8> {
        let text = match self {
            OutputEncoding::Raw => return bytes,
            OutputEncoding::Hex => HEXLOWER.encode(&bytes),
            OutputEncoding::Base64 => BASE64.encode(&bytes),
        };
        (text + "\n").into_bytes()
    }
}

/// Unpacks the layers of gzip.
fn from_gzip(file: Vec<u8>, limit: usize) -> Result<Vec<u8>, String> {
    let options = FormatOptions::new().set("max_memory", limit).unwrap_or_default();
    match Layers::peel(file, &options) {
        Ok(layers) if layers.is_empty() => Err(NOT_GZIP.to_owned()),
        Ok(layers) => Ok(layers.into_inner()),
        Err(error) => Err(error_text(&error)),
    }
}

/// Decodes hex digits in common notations, or a dump with an offset before each line and text after it.
fn from_hex(text: &[u8]) -> Result<Vec<u8>, String> {
    // `hexdump -C` writes text between bars, and a last line with the offset alone
    let has_bars = text.contains(&b'|');
    let mut at = 0usize;
    let lines = text.split_inclusive(|byte| *byte == b'\n').flat_map(move |line| {
        let part = dumped(line, has_bars);
        let start = at.saturating_add(part.start);
        at = at.saturating_add(line.len());
        (start..).zip(line.get(part).unwrap_or_default().iter().copied())
    });
    let mut digits = lines.peekable();
    // "0x" and "\x" before digits, and separators between them
    let digits = std::iter::from_fn(move || loop {
        let (position, digit) = digits.next()?;
        match digit {
            b'0' | b'\\' if digits.next_if(|(_, next)| next.eq_ignore_ascii_case(&b'x')).is_some() => {}
            b',' | b':' | b';' | b'-' => {}
            digit if digit.is_ascii_whitespace() => {}
            digit => return Some((position, digit)),
        }
    });
    decode_text(text, digits, &HEXLOWER_PERMISSIVE, "hex")
}

/// The part of a line that contains the digits: all of it, or in a dump the part between offset and text.
fn dumped(line: &[u8], has_bars: bool) -> std::ops::Range<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    // `00000010: 0102 0304  ....`, and `00000010  01 02 03 04  |....|`
    let (start, end): (_, &[u8]) = match line.get(digits..).unwrap_or_default() {
        [b':', b' ', ..] if digits >= 4 => (digits.saturating_add(2), b"  "),
        [b' ', b' ', ..] | [b'\r' | b'\n', ..] | [] if digits >= 7 && has_bars => (digits, b" |"),
        _ => return 0..line.len(),
    };
    let after = line.get(start..).unwrap_or_default();
    let length = after.windows(2).position(|pair| pair == end).unwrap_or(after.len());
    start..start.saturating_add(length)
}

/// With or without padding, in the usual alphabet or the one for addresses.
fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut digits = text.trim_ascii_end();
    for _ in 0..2 {
        digits = digits.strip_suffix(b"=").unwrap_or(digits).trim_ascii_end();
    }
    let usual = |digit: u8| match digit {
        b'-' => b'+',
        b'_' => b'/',
        digit => digit,
    };
    let digits = digits.iter().copied().map(usual).enumerate();
    let digits = digits.filter(|(_, digit)| !digit.is_ascii_whitespace());
    decode_text(text, digits, &BASE64_NOPAD, "base64")
}

/// The number of digits decoded at a time, which are whole bytes in base64 and in hex.
const DIGITS: usize = 4096;

/// Decodes digits of `text`, each after its position.
fn decode_text(
    text: &[u8],
    mut digits: impl Iterator<Item = (usize, u8)>,
    encoding: &Encoding,
    name: &str,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    loop {
        let piece: Vec<(usize, u8)> = digits.by_ref().take(DIGITS).collect();
        if piece.is_empty() {
            return Ok(bytes);
        }
        bytes.extend(decode_piece(text, &piece, encoding, name)?);
    }
}

fn decode_piece(text: &[u8], digits: &[(usize, u8)], encoding: &Encoding, name: &str) -> Result<Vec<u8>, String> {
    let dense: Vec<u8> = digits.iter().map(|(_, digit)| *digit).collect();
    encoding.decode(&dense).map_err(|error| {
        let (position, digit) = digits.get(error.position).copied().unwrap_or((text.len(), 0));
        let what = match error.kind {
            DecodeKind::Symbol => format!("'{}' is not a {name} digit", digit.escape_ascii()),
            DecodeKind::Length if name == "hex" => "odd number of hex digits".to_owned(),
            DecodeKind::Length => format!("incomplete {name} text"),
            _ => format!("{name} text with unused bits that are not 0"),
        };
        format!("{what}, at {}", place(text, position))
    })
}

/// The bytes of a string literal, or of a list of numbers.
fn from_literal(text: &[u8]) -> Result<Vec<u8>, String> {
    // after the `=` of a declaration, whose type may have brackets too
    let quote = text.iter().position(|byte| b"\"'".contains(byte)).unwrap_or(text.len());
    let assigned = text.iter().take(quote).position(|byte| *byte == b'=').map_or(0, |at| at.saturating_add(1));
    let start = text.iter().skip(assigned).position(|byte| b"\"'{[(".contains(byte));
    let start = start.map(|start| assigned.saturating_add(start));
    let Some((start, rest)) = start.and_then(|start| Some((start, text.get(start..)?))) else {
        return Err(r#"expected a literal such as "\x01\0" or {0x01, 0}"#.to_owned());
    };
    match rest.split_first() {
        Some((quote @ (b'"' | b'\''), rest)) => string_literal(text, start.saturating_add(1), *quote, rest),
        _ => number_list(text, start.saturating_add(1)),
    }
}

/// The bytes of a string literal whose content begins at `at`. Strings that follow are joined to it, as C does.
fn string_literal(text: &[u8], mut at: usize, quote: u8, mut rest: &[u8]) -> Result<Vec<u8>, String> {
    let wrong = |at: usize, what: &str| format!("{what}, at {}", place(text, at));
    let mut bytes = Vec::with_capacity(rest.len());
    loop {
        let (taken, behind) = match rest {
            [] => return Err(wrong(at, "the string literal does not end")),
            [end, behind @ ..] if *end == quote => {
                let space = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                match behind.get(space..) {
                    Some([next, behind @ ..]) if *next == quote => (space.saturating_add(2), behind),
                    _ => return Ok(bytes),
                }
            }
            [b'\\', escape, behind @ ..] => {
                let (length, behind) =
                    escaped(*escape, behind, &mut bytes).ok_or_else(|| wrong(at, "unknown escape"))?;
                (length.saturating_add(2), behind)
            }
            [byte, behind @ ..] => {
                bytes.push(*byte);
                (1, behind)
            }
        };
        (at, rest) = (at.saturating_add(taken), behind);
    }
}

/// Adds the byte or character of an escape. Returns the number of bytes after its letter, and the rest of the text.
fn escaped<'t>(escape: u8, behind: &'t [u8], bytes: &mut Vec<u8>) -> Option<(usize, &'t [u8])> {
    let simple = match escape {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 0x07,
        b'b' => 0x08,
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'\\' | b'"' | b'\'' => escape,
        b'x' => {
            let (digits, behind) = behind.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            return Some((2, behind));
        }
        b'u' => {
            let end = behind.iter().position(|byte| *byte == b'}')?;
            let digits = behind.get(..end)?.strip_prefix(b"{")?;
            let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
            let length = end.saturating_add(1);
            return Some((length, behind.get(length..)?));
        }
        // a line that goes on
        b'\n' => return Some((0, behind)),
        b'0'..=b'9' => {
            // up to three digits: decimal in Lua, octal in C; only where both agree, or it is a lone 0
            let more = behind.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
            if escape != b'0' || more > 0 {
                return None;
            }
            0
        }
        _ => return None,
    };
    bytes.push(simple);
    Some((0, behind))
}

/// The numbers from `at` to the bracket that ends the list: decimal, or hexadecimal with 0x.
fn number_list(text: &[u8], at: usize) -> Result<Vec<u8>, String> {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| b"}])".contains(byte));
    let Some(list) = end.and_then(|end| rest.get(..end)) else {
        return Err("the list of numbers has no closing bracket".to_owned());
    };
    let mut bytes = Vec::new();
    let mut position = at;
    for item in list.split(|byte| *byte == b',') {
        let trimmed = std::str::from_utf8(item).unwrap_or("?").trim();
        if !trimmed.is_empty() {
            let digits = trimmed.trim_end_matches("u8");
            let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(hex) => u8::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            let wrong =
                |_| format!("{trimmed:?} is not a byte from 0 to 255 or 0x00 to 0xff, at {}", place(text, position));
            bytes.push(number.map_err(wrong)?);
        }
        position = position.saturating_add(item.len()).saturating_add(1);
    }
    Ok(bytes)
}

/// The text in UTF-8, without the byte order mark that some editors put before it. Text in UTF-16, which PowerShell writes, has
/// such a mark too.
///
/// # Errors
///
/// If UTF-16 is invalid.
pub fn utf_8(text: Vec<u8>) -> Result<Vec<u8>, String> {
    match text.as_slice() {
        [0xef, 0xbb, 0xbf, rest @ ..] => Ok(rest.to_vec()),
        [0xff, 0xfe, rest @ ..] => from_utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => from_utf_16(rest, u16::from_be_bytes),
        _ => Ok(text),
    }
}

fn from_utf_16(text: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Vec<u8>, String> {
    let pairs = text.chunks(2).map(|pair| <[u8; 2]>::try_from(pair).ok().map(unit));
    // an incomplete unit at the end is not a character either
    let units = pairs.map(|unit| unit.unwrap_or(0xd800));
    let (mut utf_8, mut at) = (String::with_capacity(text.len() / 2), 2usize);
    for character in char::decode_utf16(units) {
        let character = character.map_err(|_| format!("invalid UTF-16 text, at byte {at:#x}"))?;
        at = at.saturating_add(character.len_utf16().saturating_mul(2));
        utf_8.push(character);
    }
    Ok(utf_8.into_bytes())
}

/// The start of a text, in UTF-8. Converts only as much as is needed to recognise its format.
pub fn utf_8_head(head: &[u8]) -> Cow<'_, [u8]> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            // the last character may be cut off
            let most = head.len().min(FileKind::HEAD) & !1;
            let start = |length: usize| utf_8(head.get(..length)?.to_vec()).ok();
            start(most).or_else(|| start(most.saturating_sub(2))).map_or(Cow::Borrowed(head), Cow::Owned)
        }
        _ => Cow::Borrowed(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)),
    }
}

/// Line and column, counted from 1.
fn place(text: &[u8], position: usize) -> impl Display {
    let before = text.get(..position).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len).saturating_add(1);
    format!("line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn decoded(encoding: TextEncoding, text: &str) -> Result<Vec<u8>, String> {
        encoding.decode(text.as_bytes().to_vec(), 1 << 20)
    }

    #[test]
    fn hex_is_read_as_people_and_tools_write_it() {
        let bytes = Ok(b"\x01\0abcdefghijklmnop\xff".to_vec());
        for text in [
            "01006162636465666768696A6b6c6d6e6f70ff\n",
            "01 00 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 FF",
            "0x01, 0x00, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,\n0x70, 0xff",
            r"\x01\x00\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f\x70\xff",
            "01:00:61:62:63:64:65:66:67:68:69:6a:6b:6c:6d:6e:6f:70:ff",
            "00000000: 0100 6162 6364 6566 6768 696a 6b6c 6d6e  ..abcdefghijklmn\n00000010: 6f70 ff                                  op.\n",
            "00000000  01 00 61 62 63 64 65 66  67 68 69 6a 6b 6c 6d 6e  |..abcdefghijklmn|\n00000010  6f 70 ff                                          |op.|\n00000013\n",
        ] {
            assert_eq!(decoded(TextEncoding::Hex, text), bytes, "{text}");
        }
        let error = |text| decoded(TextEncoding::Hex, text).unwrap_err();
        assert_eq!(error("01 0g"), "'g' is not a hex digit, at line 1, column 5");
        assert_eq!(error("00000000: 01zz  .."), "'z' is not a hex digit, at line 1, column 13");
        assert_eq!(error("01\n0x2"), "odd number of hex digits, at line 2, column 3");
    }

    #[test]
    fn literals_are_read() {
        for text in [
            r#"b"\x01\0a\n\"""#,
            r#"const char data[] = "\x01\0a" "\n\"";"#,
            "{0x01, 0, 0x61, 10, 34}",
            "let data: [u8; 5] = [1, 0, 97, 10, 34,];",
            r#"local data = '\x01\0a\n"'"#,
        ] {
            assert_eq!(decoded(TextEncoding::Literal, text), Ok(b"\x01\0a\n\"".to_vec()), "{text}");
        }
        let error = |text| decoded(TextEncoding::Literal, text).unwrap_err();
        assert_eq!(error(r#""abc"#), "the string literal does not end, at line 1, column 5");
        assert_eq!(error(r#""a\q""#), "unknown escape, at line 1, column 3");
        assert_eq!(error(r#""\012""#), "unknown escape, at line 1, column 2");
        assert_eq!(error("{1, 300}"), "\"300\" is not a byte from 0 to 255 or 0x00 to 0xff, at line 1, column 4");
        assert_eq!(error("abc"), r#"expected a literal such as "\x01\0" or {0x01, 0}"#);
    }

    #[test]
    fn both_alphabets_of_base64_are_read() {
        assert_eq!(decoded(TextEncoding::Base64, "+/8="), Ok(vec![0xfb, 0xff]));
        assert_eq!(decoded(TextEncoding::Base64, "-_8"), Ok(vec![0xfb, 0xff]));
        assert_eq!(
            decoded(TextEncoding::Base64, "-_*8").unwrap_err(),
            "'*' is not a base64 digit, at line 1, column 3"
        );
    }
}

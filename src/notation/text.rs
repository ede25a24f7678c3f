//! Quoted strings, which may hold any bytes.

use std::fmt;

use nom::Parser;

use super::error::{expected, Read};
use super::form::{Dialect, Form};
use super::lex::{hex_digits, space};
use crate::wire::ByteString;

/// The escapes for unprintable characters.
#[derive(Clone, Copy)]
pub(crate) enum Printable {
    /// `\u{202e}`, and `\x1b` in ASCII.
    AsUnicode,
    /// `\u202e`, and `\U01d173` where four digits are too few.
    AsDigits,
}

/// True for characters that texts escape: they end a line, turn its direction, hide, or control a terminal. The joiners U+200C
/// and U+200D are kept: scripts and emoji need them.
#[must_use]
pub fn is_unprintable(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

/// Writes a character, with an escape if it is unprintable.
pub(crate) fn write_printable(char: char, printable: Printable, out: &mut dyn fmt::Write) -> fmt::Result {
    match char {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        char if !is_unprintable(char) => out.write_char(char),
        char => match (printable, u32::from(char)) {
            (Printable::AsUnicode, code @ ..=0x7f) => write!(out, "\\x{code:02x}"),
            (Printable::AsUnicode, code) => write!(out, "\\u{{{code:x}}}"),
            (Printable::AsDigits, code @ ..=0xffff) => write!(out, "\\u{code:04x}"),
            (Printable::AsDigits, code) => write!(out, "\\U{code:06x}"),
        },
    }
}

/// Writes bytes as a quoted string in one line. A byte that is not part of UTF-8 is written as `\xff`.
pub(crate) fn write_quoted(bytes: &[u8], printable: Printable, out: &mut dyn fmt::Write) -> fmt::Result {
    // most texts
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if let (true, Ok(text)) = (bytes.iter().all(is_plain), std::str::from_utf8(bytes)) {
        return ["\"", text, "\""].into_iter().try_for_each(|part| out.write_str(part));
    }
    out.write_char('"')?;
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        // plain text at once
        while let Some(at) = rest.find(|char| matches!(char, '"' | '\\') || is_unprintable(char)) {
            let (plain, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.write_str(plain)?;
            let mut chars = behind.chars();
            match chars.next() {
                Some(char @ ('"' | '\\')) => write!(out, "\\{char}")?,
                Some(char) => write_printable(char, printable, out)?,
                None => {}
            }
            rest = chars.as_str();
        }
        out.write_str(rest)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    out.write_char('"')
}

/// Reads a string in quotes, `"` or `'`; `escape` reads the text after a backslash.
pub(crate) fn quoted<'t>(input: &'t str, escape: impl Fn(&'t str, &mut Vec<u8>) -> Read<'t, ()>) -> Read<'t, Vec<u8>> {
    let input = space(input);
    let Some(quote) = input.chars().next().filter(|char| matches!(char, '"' | '\'')) else {
        return expected(input, "a string in quotes");
    };
    let mut rest = input.get(1..).unwrap_or_default();
    let mut bytes = Vec::new();
    loop {
        let plain = rest.find([quote, '\\']).unwrap_or(rest.len());
        let (text, behind) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        bytes.extend_from_slice(text.as_bytes());
        if let Some(escaped) = behind.strip_prefix('\\') {
            (rest, ()) = escape(escaped, &mut bytes)?;
        } else if let Some(behind) = behind.strip_prefix(quote) {
            bytes.shrink_to_fit();
            return Ok((behind, bytes));
        } else {
            return expected(behind, format_args!("`{quote}` at the end of a string"));
        }
    }
}

/// The character that a letter means after a backslash, in Lua and in GDScript.
pub(crate) fn escaped_char(letter: char) -> Option<char> {
    Some(match letter {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' | '"' | '\'' => letter,
        _ => return None,
    })
}

/// Adds a character.
pub(crate) fn push(char: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads a number of `count` hexadecimal digits.
pub(crate) fn digits(count: usize, input: &str) -> Read<'_, u32> {
    let (_, all) = hex_digits(input)?;
    let number = all.get(..count).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match (number, input.get(count..)) {
        (Some(number), Some(rest)) => Ok((rest, number)),
        _ => expected(input, format_args!("{count} hexadecimal digits")),
    }
}

/// The bytes of a colour such as `#ff0000`, which may be without `#`. Each byte has one digit, which is doubled, or two.
pub(crate) fn color_bytes(text: &str) -> Option<Vec<u8>> {
    let (mut rest, mut bytes) = (text.strip_prefix('#').unwrap_or(text), Vec::new());
    let (width, factor) = match rest.len() {
        3 | 4 => (1, 0x11),
        6 | 8 => (2, 1),
        _ => return None,
    };
    while !rest.is_empty() {
        let part;
        (rest, part) = digits(width, rest).ok()?;
        bytes.extend(u8::try_from(part.saturating_mul(factor)));
    }
    Some(bytes)
}

/// The byte of two hexadecimal digits.
pub(crate) fn hex_byte<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
    let (rest, byte) = digits(2, input)?;
    bytes.extend(u8::try_from(byte));
    Ok((rest, ()))
}

impl<D: Dialect> Form<D> for ByteString<'_> {
    fn read(input: &str) -> Read<'_, Self> {
        (|input| quoted(input, D::escape)).map(ByteString::from).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write_quoted(self, D::PRINTABLE, out)
    }
}

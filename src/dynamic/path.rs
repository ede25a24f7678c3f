//! The path of a value inside a value, as the program writes and reads it: `Weapons.Sword[2]."max damage"`.

use std::fmt;
use std::str::FromStr;

use bstr::{BStr, BString, ByteSlice};
use nom::branch::alt;
use nom::bytes::complete::take_while1;
use nom::character::complete::{anychar, char, none_of};
use nom::combinator::{eof, peek, recognize};
use nom::multi::{fold_many0, many0_count};
use nom::sequence::{delimited, preceded};
use nom::{Finish, Parser};

use crate::notation::{
    character, escaped_char, hex_byte, invalid, is_unprintable, push, quoted as text_in_quotes, Failure, Read,
};
use crate::TextError;

/// A step from a value to one of the values that it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To the value with this key or name, which is text or other bytes: `Fuel` or `"max fuel"`.
    Key(BString),
    /// To the value with this index, counted from 0, or with this key that is not text, in the notation of the format: `[2]` or
    /// `[Vector2(1, 2)]`. The second of two values with the same key has its place, counted from 0: `[#7]`.
    Item(String),
}

impl Step {
    /// The step to an item of a list.
    #[must_use]
    pub fn index(index: usize) -> Self {
        Step::Item(index.to_string())
    }

    /// The step to what has this key.
    #[must_use]
    pub fn key(key: impl AsRef<[u8]>) -> Self {
        Step::Key(key.as_ref().into())
    }

    /// The step to the item with this number, whatever its key: `[#7]`.
    #[must_use]
    pub(crate) fn numbered(number: usize) -> Self {
        Step::Item(format!("#{number}"))
    }

    /// Adds the step to the text of a path.
    pub fn append_to(&self, path: &mut String) {
        let is_first = path.is_empty();
        // writing to a string does not fail
        let _ = self.write(is_first, path);
    }

    /// Adds the step to what has this key to the text of a path.
    pub fn append_key(key: &[u8], path: &mut String) {
        if !path.is_empty() {
            path.push('.');
        }
        // writing to a string does not fail
        let _ = write_key(key.as_bstr(), path);
    }

    fn write(&self, is_first: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Step::Item(item) => write!(out, "[{item}]"),
            Step::Key(key) => {
                out.write_str(if is_first { "" } else { "." })?;
                write_key(key.as_bstr(), out)
            }
        }
    }
}

/// The steps from a value to another inside it, or to a part of one: `Spawn.x`, `points[3]`. No steps: the value itself.
///
/// ```
/// use enginewire::formats::{Step, ValuePath};
///
/// let path: ValuePath = r#"slots[3]."max damage"[Vector2(1, 2)]"#.parse()?;
/// assert_eq!(path.0[..3], [Step::key("slots"), Step::index(3), Step::key("max damage")]);
/// assert_eq!(path.0[3], Step::Item("Vector2(1, 2)".to_owned()));
/// assert_eq!(path.to_string(), r#"slots[3]."max damage"[Vector2(1, 2)]"#);
/// # Ok::<(), enginewire::TextError>(())
/// ```
///
/// A key stands as it is if it has no characters but letters, digits and `_ - / @ $ %`, and not only digits; else it is quoted, with the
/// escapes `\"`, `\\`, `\n`, `\r`, `\t`, `\xff` for a byte and `\u{1f600}` for a character. `["key"]` is the same as
/// `.key`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValuePath(pub Vec<Step>);

impl ValuePath {
    /// The path that goes one step further.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        ValuePath(self.0.iter().cloned().chain([step]).collect())
    }
}

/// The text expected at the start of a step.
const A_STEP: &str = "expected a key such as Fuel or \"max fuel\", or an index such as [2]";

/// Fails for good where the parser does not, with what was expected instead.
fn expected<'t, T>(
    mut parser: impl Parser<&'t str, Output = T, Error = Failure<'t>>,
    what: &'static str,
) -> impl FnMut(&'t str) -> Read<'t, T> {
    move |input| match parser.parse(input) {
        Err(nom::Err::Error(_)) => invalid(input, what),
        read => read,
    }
}

/// True if a key may contain this character without quotes around it.
fn is_bare(char: char) -> bool {
    char.is_alphanumeric() || "_-/@$%".contains(char)
}

fn bare(input: &str) -> Read<'_, BString> {
    take_while1(is_bare).map(BString::from).parse(input)
}

/// Reads the byte or character of an escape sequence, after its backslash.
fn escaped<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
    let mut chars = input.chars();
    let (first, rest) = (chars.next(), chars.as_str());
    let read = match first.map(|first| (escaped_char(first), first)) {
        Some((Some(char), 'n' | 'r' | 't' | '\\' | '"')) => {
            push(char, bytes);
            return Ok((rest, ()));
        }
        Some((_, 'x')) => hex_byte(rest, bytes),
        Some((_, 'u')) => character(rest, bytes),
        _ => invalid(input, ""),
    };
    read.or_else(|_| invalid(input, r#"expected one of \" \\ \n \r \t \xff \u{1f600}"#))
}

fn quoted(input: &str) -> Read<'_, BString> {
    peek(char('"')).parse(input)?;
    match text_in_quotes(input, escaped) {
        Err(nom::Err::Error(_)) => invalid(input.get(input.len()..).unwrap_or_default(), "expected a closing quote"),
        read => read.map(|(rest, key)| (rest, key.into())),
    }
}

/// Text in quotes, as it stands.
fn in_quotes(input: &str) -> Read<'_, &str> {
    let char_or_escape = alt((recognize((char('\\'), anychar)), recognize(none_of("\"\\"))));
    recognize(delimited(char('"'), many0_count(char_or_escape), char('"'))).parse(input)
}

/// The text in brackets, which may contain quotes and brackets. A loop instead of recursion, because brackets may nest without
/// limit.
fn bracketed(input: &str) -> Read<'_, &str> {
    let mut depth = 0usize;
    let mut rest = input;
    loop {
        let piece: Read<'_, &str> = alt((in_quotes, recognize(anychar))).parse(rest);
        let Ok((behind, piece)) = piece else {
            return invalid(rest, "expected a closing bracket");
        };
        depth = match piece {
            "[" | "(" | "{" => depth.saturating_add(1),
            "]" if depth == 0 => {
                let length = input.len().saturating_sub(rest.len());
                let (content, rest) = input.split_at_checked(length).unwrap_or_default();
                return Ok((rest, content));
            }
            "]" | ")" | "}" => depth.saturating_sub(1),
            _ => depth,
        };
        rest = behind;
    }
}

fn item(input: &str) -> Read<'_, Step> {
    let (rest, content) = delimited(char('['), bracketed, char(']')).parse(input)?;
    let content = content.trim();
    match quoted(content) {
        Ok(("", key)) => Ok((rest, Step::Key(key))),
        _ if content.is_empty() => invalid(input.get(1..).unwrap_or_default(), "expected an index such as 2, or a key"),
        _ => Ok((rest, Step::Item(content.to_owned()))),
    }
}

fn key(input: &str) -> Read<'_, Step> {
    alt((quoted, bare)).map(Step::Key).parse(input)
}

/// The first step of a path, and the others, which have a dot before a key.
fn steps(input: &str) -> Read<'_, Vec<Step>> {
    let (rest, first) = match alt((item, key)).parse(input) {
        Err(nom::Err::Error(_)) => return Ok((input, Vec::new())),
        first => first?,
    };
    let next = alt((item, preceded(char('.'), expected(key, A_STEP))));
    fold_many0(
        next,
        move || vec![first.clone()],
        |mut all, step| {
            all.push(step);
            all
        },
    )
    .parse(rest)
}

/// The path at the beginning of a text, which may have no steps, and what follows it.
///
/// # Errors
///
/// If a quote or bracket of the path has no end, or the text after a dot is not a key.
pub fn leading_path(text: &str) -> Result<(ValuePath, &str), TextError> {
    steps(text).finish().map(|(rest, steps)| (ValuePath(steps), rest)).map_err(|failure| failure.of_path(text))
}

/// The key in quotes at the beginning of a text, and what follows it.
///
/// # Errors
///
/// If the text does not begin with a quote, or its quote has no end.
pub fn leading_quoted(text: &str) -> Result<(BString, &str), TextError> {
    let key = expected(quoted, A_STEP)(text).finish();
    key.map(|(rest, key)| (key, rest)).map_err(|failure| failure.of_path(text))
}

impl FromStr for ValuePath {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let (path, rest) = leading_path(text)?;
        let more =
            if path.0.is_empty() { A_STEP } else { "expected a dot and a key, an index in brackets, or the end" };
        let end = expected(eof, more)(rest).finish();
        end.map(|_| path).map_err(|failure| failure.of_path(text))
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(number, step)| step.write(number == 0, f))
    }
}

/// A key in the form used in paths.
fn write_key(key: &BStr, f: &mut dyn fmt::Write) -> fmt::Result {
    // most keys
    let is_plain = key.first().is_some_and(u8::is_ascii_alphabetic) && key.iter().all(u8::is_ascii_alphanumeric);
    match std::str::from_utf8(key) {
        // digits alone would look like an index
        Ok(text) if is_plain => f.write_str(text),
        Ok(text) if text.chars().all(is_bare) && !text.bytes().all(|byte| byte.is_ascii_digit()) => f.write_str(text),
        _ => write_quoted(key, f),
    }
}

/// Writes a key in quotes, with the escapes of a [`ValuePath`].
///
/// # Errors
///
/// If writing fails.
pub fn write_quoted(key: &BStr, f: &mut dyn fmt::Write) -> fmt::Result {
    f.write_str("\"")?;
    for chunk in key.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' | '\\' => write!(f, "\\{char}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                // what a terminal would obey, or would not show
                char if is_unprintable(char) => write!(f, "\\u{{{:x}}}", u32::from(char))?,
                char => write!(f, "{char}")?,
            }
        }
        chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    #[test]
    fn keys_are_quoted_where_they_must_be() {
        for (key, text) in [
            (&b"Fuel"[..], "Fuel"),
            (b"application/config/name", "application/config/name"),
            ("größe".as_bytes(), "größe"),
            (b"", r#""""#),
            (b"12", r#""12""#),
            (b"3d", "3d"),
            (b"a.b", r#""a.b""#),
            (b"max fuel", r#""max fuel""#),
            (b"#1", r##""#1""##),
            (b"a=b:c", r#""a=b:c""#),
            (b"say \"hi\"\\", r#""say \"hi\"\\""#),
            (b"\xff\n\x1b", r#""\xff\n\u{1b}""#),
            ("\u{202e}".as_bytes(), r#""\u{202e}""#),
        ] {
            assert_eq!(ValuePath(vec![Step::key(key)]).to_string(), text);
            assert_eq!(text.parse(), Ok(ValuePath(vec![Step::key(key)])));
        }
        assert_eq!("12".parse(), Ok(ValuePath(vec![Step::key("12")])));
        assert_eq!(r#"["a b"]["c"]"#.parse::<ValuePath>().unwrap().to_string(), r#""a b".c"#);
        assert_eq!(r#"a[ Vector2(1, 2) ][{"x": [1]}]["]"]"#.parse::<ValuePath>().unwrap().0.len(), 4);
    }

    proptest! {
        #[test]
        fn every_path_comes_back(steps in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..6).prop_map(|key| Step::key(&key)),
                any::<String>().prop_map(|key| Step::key(&key)),
                any::<usize>().prop_map(Step::index),
            ],
            0..5,
        )) {
            let path = ValuePath(steps);
            prop_assert_eq!(path.to_string().parse::<ValuePath>(), Ok(path));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = text.parse::<ValuePath>();
        }
    }
}

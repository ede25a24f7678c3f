//! Numbers and strings of GDScript.

use crate::notation::{digits, escaped_char, expected, hex_byte, push, word, Dialect, Printable, Read, Special};

/// The part of GDScript that `var_to_str` writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum GdScript {}

impl Dialect for GdScript {
    const NAN: &'static str = "nan";
    const INFINITY: &'static str = "inf";
    const NEGATIVE_INFINITY: &'static str = "inf_neg";
    const PRINTABLE: Printable = Printable::AsDigits;

    /// | form | number |
    /// |---|---|
    /// | `nan`, `NAN` | NaN |
    /// | `inf`, `INF` | infinity |
    /// | `inf_neg`, `-inf`, `-INF` | its negative |
    fn special(input: &str) -> Read<'_, Special> {
        let (rest, name) = word(input.strip_prefix('-').unwrap_or(input)).unwrap_or((input, ""));
        match (input.starts_with('-'), name) {
            _ if rest.starts_with('(') => expected(input, "a number"),
            (false, "nan" | "NAN") => Ok((rest, Special::Nan)),
            (false, "inf" | "INF") => Ok((rest, Special::Infinity)),
            (false, "inf_neg") | (true, "inf" | "INF") => Ok((rest, Special::NegativeInfinity)),
            _ => expected(input, "a number"),
        }
    }

    /// | escape | what |
    /// |---|---|
    /// | `\a \b \f \n \r \t \v \\ \" \'` | a character |
    /// | `\u202e`, `\U01d173` | a character; what takes two surrogates may be both |
    /// | `\xff` | a byte, which GDScript does not have |
    fn escape<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
        let mut chars = input.chars();
        let Some(first) = chars.next() else { return expected(input, "an escape such as \\n") };
        let rest = chars.as_str();
        match (escaped_char(first), first) {
            (Some(char), _) => {
                push(char, bytes);
                Ok((rest, ()))
            }
            (None, 'x') => hex_byte(rest, bytes),
            (None, 'u') => character(4, rest, bytes),
            (None, 'U') => character(6, rest, bytes),
            _ => expected(input, "an escape such as \\n"),
        }
    }
}

/// Reads the number of a character, in `count` digits. If that is the first surrogate of a pair, reads the second, too.
pub(super) fn character<'t>(count: usize, input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
    let (mut rest, mut number) = digits(count, input)?;
    if (0xd800..0xdc00).contains(&number) {
        let second = rest.strip_prefix("\\u").and_then(|second| digits(4, second).ok());
        if let Some((behind, low @ 0xdc00..=0xdfff)) = second {
            let high = (number & 0x3ff) << 10;
            (rest, number) = (behind, 0x1_0000_u32.saturating_add(high | (low & 0x3ff)));
        }
    }
    match char::from_u32(number) {
        Some(char) => {
            push(char, bytes);
            Ok((rest, ()))
        }
        None => expected(input, "the number of a character"),
    }
}

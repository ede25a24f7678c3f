//! Numbers and strings of Lua and Luau.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n};
use nom::character::complete::char;
use nom::combinator::{opt, value};
use nom::sequence::delimited;
use nom::Parser;

use super::error::{expected, Failure, Read};
use super::form::Dialect;
use super::lex::{call, hex_digits, name, sign, space};
use super::number::{plain, Special};
use super::text::{escaped_char, hex_byte, push, Printable};

/// Lua, and Luau, which is made from it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lua {}

impl Dialect for Lua {
    const NAN: &'static str = "0/0";
    const INFINITY: &'static str = "math.huge";
    const NEGATIVE_INFINITY: &'static str = "-math.huge";
    const PRINTABLE: Printable = Printable::AsUnicode;

    /// | form | number |
    /// |---|---|
    /// | `0/0` | NaN |
    /// | `math.huge`, `-math.huge` | infinity |
    /// | `math.pi`, `-math.pi` | π |
    /// | `math.rad(90)`, `-math.rad(90)` | degrees in radians |
    fn special(input: &str) -> Read<'_, Special> {
        let degrees = |degrees: f64| Special::Number(degrees.to_radians());
        let positive = alt((
            value(Special::Infinity, name("math.huge")),
            value(Special::Number(std::f64::consts::PI), name("math.pi")),
            call("math.rad", plain).map(degrees),
        ));
        let number = (opt(sign('-')), positive).map(|(minus, number)| match (minus, number) {
            (Some(()), Special::Infinity) => Special::NegativeInfinity,
            (Some(()), Special::Number(number)) => Special::Number(-number),
            (_, number) => number,
        });
        alt((value(Special::Nan, (tag("0"), sign('/'), sign('0'))), number)).parse(input)
    }

    /// | escape | what |
    /// |---|---|
    /// | `\a \b \f \n \r \t \v \\ \" \'` | a character |
    /// | `\xff` | a byte |
    /// | `\255` | a byte, in up to three decimal digits |
    /// | `\u{202e}` | a character |
    /// | `\z` | nothing; the white space after it is skipped |
    fn escape<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
        let mut chars = input.chars();
        let Some(first) = chars.next() else { return expected(input, "an escape such as \\n") };
        let rest = chars.as_str();
        match (escaped_char(first), first) {
            (Some(char), _) | (None, char @ '\n') => {
                push(char, bytes);
                Ok((rest, ()))
            }
            (None, 'x') => hex_byte(rest, bytes),
            (None, 'z') => Ok((space(rest), ())),
            (None, 'u') => character(rest, bytes),
            (None, '0'..='9') => decimal(input, bytes),
            _ => expected(input, "an escape such as \\n"),
        }
    }
}

/// `{202e}`
pub(crate) fn character<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
    let read = delimited(char::<_, Failure<'_>>('{'), hex_digits, char('}')).parse(input);
    let number = read.ok().and_then(|(rest, digits)| Some((rest, u32::from_str_radix(digits, 16).ok()?)));
    match number.and_then(|(rest, number)| Some((rest, char::from_u32(number)?))) {
        Some((rest, char)) => {
            push(char, bytes);
            Ok((rest, ()))
        }
        None => expected(input, "the number of a character such as {202e}"),
    }
}

/// `255`
fn decimal<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
    let (rest, digits) = take_while_m_n(1, 3, |char: char| char.is_ascii_digit()).parse(input)?;
    match digits.parse::<u8>() {
        Ok(byte) => {
            bytes.push(byte);
            Ok((rest, ()))
        }
        Err(_) => expected(input, "a byte from 0 to 255"),
    }
}

/// Returns true if a key can be written as a bare name: `{name = 1}`.
pub(crate) fn is_bare_key(key: &[u8]) -> bool {
    const KEYWORDS: [&str; 22] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
        "not", "or", "repeat", "return", "then", "true", "until", "while",
    ];
    super::lex::is_name(key) && !KEYWORDS.iter().any(|keyword| keyword.as_bytes() == key)
}

/// Reads a key that is a bare name, and the `=` after it.
pub(crate) fn bare_key(input: &str) -> Option<(&str, &str)> {
    let (rest, word) = super::lex::word(space(input)).ok()?;
    let (rest, ()) = sign('=')(rest).ok()?;
    Some((rest, word))
}

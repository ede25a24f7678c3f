//! White space, names, signs, lists, calls.

use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, recognize};
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded};
use nom::Parser;

use super::error::{expected, Failure, Read};

/// Skips white space.
pub(crate) fn space(input: &str) -> &str {
    input.trim_start_matches([' ', '\t', '\n', '\r'])
}

/// A sign, after white space.
pub(crate) fn sign<'t>(sign: char) -> impl Fn(&'t str) -> Read<'t, ()> + Copy {
    move |input| match space(input).strip_prefix(sign) {
        Some(rest) => Ok((rest, ())),
        None => expected(space(input), format_args!("`{sign}`")),
    }
}

/// The comma between two items.
pub(crate) fn comma(input: &str) -> Read<'_, ()> {
    sign(',')(input)
}

/// After an item: one of these separators, or the end of the list, which stays.
pub(crate) fn separator<'t>(input: &'t str, separators: &[char], end: char) -> Read<'t, ()> {
    match input.strip_prefix(separators) {
        Some(rest) => Ok((space(rest), ())),
        None if input.starts_with(end) => Ok((input, ())),
        None => expected(input, format_args!("`,` or `{end}`")),
    }
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// A name: letters, digits and `_`. It does not begin with a digit.
pub(crate) fn word(input: &str) -> Read<'_, &str> {
    let read = take_while1::<_, _, Failure<'_>>(is_word).parse(input);
    match read {
        Ok((rest, word)) if !word.starts_with(|char: char| char.is_ascii_digit()) => Ok((rest, word)),
        _ => expected(input, "a name"),
    }
}

/// Returns true if bytes are a name.
pub(crate) fn is_name(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| matches!(word(text), Ok(("", _))))
}

/// Names with dots between them: `Vector3.new`.
fn dotted(input: &str) -> Read<'_, &str> {
    recognize(pair(word, many0_count(preceded(char('.'), word)))).parse(input)
}

/// Just these names.
pub(crate) fn name<'t>(name: &'static str) -> impl Fn(&'t str) -> Read<'t, ()> {
    move |input| {
        let input = space(input);
        match dotted(input) {
            Ok((rest, found)) if found == name => Ok((rest, ())),
            _ => expected(input, name),
        }
    }
}

/// Reads one of these names, and returns its meaning.
pub(crate) fn one_of<'t, T: Copy>(names: &'static [(&'static str, T)]) -> impl Fn(&'t str) -> Read<'t, T> {
    move |input| {
        let input = space(input);
        let (rest, found) = dotted(input)?;
        match names.iter().find(|(name, _)| *name == found) {
            Some((_, meant)) => Ok((rest, *meant)),
            None => expected(input, names.last().map_or("a name", |(name, _)| name)),
        }
    }
}

/// Reads `content` in parentheses.
pub(crate) fn parenthesised<'t, P>(content: P) -> impl Parser<&'t str, Output = P::Output, Error = Failure<'t>>
where
    P: Parser<&'t str, Error = Failure<'t>>,
{
    delimited(sign('('), content, sign(')'))
}

/// A call of `called` with these arguments, which bring the commas between them.
pub(crate) fn call<'t, P>(
    called: &'static str,
    arguments: P,
) -> impl Parser<&'t str, Output = P::Output, Error = Failure<'t>>
where
    P: Parser<&'t str, Error = Failure<'t>>,
{
    preceded(name(called), parenthesised(arguments))
}

/// Items with commas between them, and optionally one after the last, from one sign to another.
pub(crate) fn items<'t, T>(
    open: char,
    close: char,
    mut item: impl FnMut(&'t str) -> Read<'t, T>,
) -> impl FnMut(&'t str) -> Read<'t, Vec<T>> {
    move |input| {
        let (mut input, ()) = sign(open)(input)?;
        let mut items = Vec::new();
        loop {
            if let Ok((rest, ())) = sign(close)(input) {
                return Ok((rest, items));
            }
            let (rest, value) = item(space(input))?;
            items.push(value);
            let (rest, comma) = opt(comma).parse(rest)?;
            if comma.is_none() {
                let (rest, ()) = sign(close)(rest)?;
                return Ok((rest, items));
            }
            input = rest;
        }
    }
}

/// Hexadecimal digits.
pub(crate) fn hex_digits(input: &str) -> Read<'_, &str> {
    take_while(|char: char| char.is_ascii_hexdigit()).parse(input)
}

//! Numbers, exact both ways.

use std::borrow::Cow;
use std::fmt;

use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::preceded;
use nom::Parser;

use super::error::{expected, unfit, Failure, Read};
use super::form::{Dialect, Form};
use super::lex::{hex_digits, parenthesised, space, word};
use crate::float::Float;

fn is_digit(char: char) -> bool {
    char.is_ascii_digit() || char == '_'
}

/// A number as it is written: `-17`, `1.5e-3`, `0xff`.
enum Literal<'t> {
    /// Without a fraction.
    Whole(Cow<'t, str>),
    /// With a fraction or an exponent.
    Real(Cow<'t, str>),
}

/// Reads the digits of a number, with its sign.
///
/// | part | what |
/// |---|---|
/// | sign | `-`, or nothing |
/// | whole | `0x` and hexadecimal digits, `0b` and binary ones, or decimal ones |
/// | fraction | `.` and digits, or nothing |
/// | exponent | `e` or `E`, an optional sign, and digits; or nothing |
///
/// Digits may have `_` between them.
fn literal<'t>(input: &'t str) -> Read<'t, Literal<'t>> {
    let read = |input: &'t str| {
        let (rest, minus) = opt(char('-')).parse(input)?;
        let minus = if minus.is_some() { "-" } else { "" };
        for (prefix, radix) in [(["0x", "0X"], 16), (["0b", "0B"], 2)] {
            if let Some(digits) = prefix.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
                return whole(minus, radix, digits);
            }
        }
        let digits = || take_while1::<_, _, Failure<'_>>(is_digit);
        let fraction = || (char('.'), take_while(is_digit));
        let exponent = (one_of("eE"), opt(one_of("+-")), digits());
        let is_real = |part: &str| part.contains(['.', 'e', 'E']);
        let starts_right = |part: &str| !part.starts_with('_') && !part.starts_with("._");
        let number = recognize((
            nom::branch::alt((recognize((digits(), opt(fraction()))), recognize((char('.'), digits())))),
            opt(exponent),
        ));
        let (rest, _) = nom::combinator::verify(number, starts_right).parse(rest)?;
        let text = input.get(..input.len().saturating_sub(rest.len())).unwrap_or_default();
        let clean = if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
        Ok((rest, if is_real(text) { Literal::Real(clean) } else { Literal::Whole(clean) }))
    };
    match read(input) {
        // a letter cannot follow a number: `1x` is an error
        Ok((rest, number)) if !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_') => {
            Ok((rest, number))
        }
        _ => expected(input, "a number"),
    }
}

/// The decimal digits of a whole number of another radix.
fn whole<'t>(minus: &str, radix: u32, input: &'t str) -> Read<'t, Literal<'t>> {
    let (rest, digits) = take_while1(|char: char| char.is_digit(radix) || char == '_').parse(input)?;
    match u64::from_str_radix(&digits.replace('_', ""), radix) {
        Ok(number) => Ok((rest, Literal::Whole(format!("{minus}{number}").into()))),
        Err(_) => expected(input, "a number"),
    }
}

/// Whole numbers: every digit counts, and a fraction is refused.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl<D: Dialect> Form<D> for $type {
            fn read(input: &str) -> Read<'_, Self> {
                let input = space(input);
                match literal(input) {
                    Ok((rest, Literal::Whole(digits))) => match digits.parse() {
                        Ok(number) => Ok((rest, number)),
                        Err(_) => unfit(input, &digits, stringify!($type)),
                    },
                    _ => expected(input, format_args!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX)),
                }
            }

            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64);

/// A number that has no digits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Special {
    /// The quiet NaN with no other bit set.
    Nan,
    Infinity,
    NegativeInfinity,
    /// One that is computed, such as `math.pi`.
    Number(f64),
}

macro_rules! floats {
    ($($type:ident)*) => {$(
        impl<D: Dialect> Form<D> for $type {
            fn read(input: &str) -> Read<'_, Self> {
                read_float::<D, $type>(input)
            }

            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                write_float::<D, $type>(*self, "", out)
            }
        }
    )*};
}

floats!(f32 f64);

/// Reads a number of any bits.
fn read_float<D: Dialect, T: Float>(input: &str) -> Read<'_, T> {
    let input = space(input);
    if let Ok((rest, special)) = D::special(input) {
        let number = match special {
            Special::Nan => T::of_bits(T::QUIET_NAN),
            Special::Infinity => Some(T::nearest(f64::INFINITY)),
            Special::NegativeInfinity => Some(T::nearest(f64::NEG_INFINITY)),
            Special::Number(number) => Some(T::nearest(number)),
        };
        return number.map_or_else(|| expected(input, "a number"), |number| Ok((rest, number)));
    }
    if input.starts_with("nan(") {
        return nan(input);
    }
    plain(input)
}

/// A number that has digits.
pub(crate) fn plain<T: Float>(input: &str) -> Read<'_, T> {
    let input = space(input);
    let (rest, Literal::Whole(digits) | Literal::Real(digits)) = literal(input)?;
    match digits.parse::<T>().ok().filter(|number| number.is_finite()) {
        Some(number) => Ok((rest, number)),
        None => unfit(input, &digits, std::any::type_name::<T>()),
    }
}

/// A NaN with all its bits: `nan(0x7fc00001)`. No engine has a form for them.
fn nan<T: Float>(input: &str) -> Read<'_, T> {
    let (rest, _) = word(input)?;
    let (rest, digits) =
        parenthesised(preceded((space_before, nom::bytes::complete::tag("0x")), hex_digits)).parse(rest)?;
    let bits = (digits.len() == T::DIGITS).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    match bits.and_then(T::of_bits).filter(|number| number.is_nan()) {
        Some(number) => Ok((rest, number)),
        None => expected(input, format_args!("a NaN of {} bits such as nan(0x{:x})", T::WIDTH, T::QUIET_NAN)),
    }
}

fn space_before(input: &str) -> Read<'_, ()> {
    Ok((space(input), ()))
}

/// Writes a number of any bits: the fewest digits that are read as this number and no other. `whole` follows a finite one without
/// a fraction or an exponent.
pub(crate) fn write_float<D: Dialect, T: Float>(number: T, whole: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    if number.is_nan() {
        return match number.bits() {
            bits if bits == T::QUIET_NAN => out.write_str(D::NAN),
            bits => write!(out, "nan(0x{bits:0digits$x})", digits = T::DIGITS),
        };
    }
    if !number.is_finite() {
        return out.write_str(if number.is_negative() { D::NEGATIVE_INFINITY } else { D::INFINITY });
    }
    if let Some(number) = number.whole() {
        return write!(out, "{number}{whole}");
    }
    let (mut buffer, mut text) = (zmij::Buffer::new(), String::new());
    let digits = number.digits(&mut buffer).unwrap_or_else(|| {
        text = format!("{number:?}");
        &text
    });
    match digits.strip_suffix(".0") {
        Some(digits) => write!(out, "{digits}{whole}"),
        None => out.write_str(digits),
    }
}

/// Returns true if a number at the beginning of a text has neither a fraction nor an exponent.
pub(crate) fn is_whole(input: &str) -> bool {
    matches!(literal(input), Ok((_, Literal::Whole(_))))
}

/// Numbers with commas between them.
pub(crate) fn numbers<D: Dialect, T: Form<D> + Default + Copy, const N: usize>(input: &str) -> Read<'_, [T; N]> {
    let mut numbers = [T::default(); N];
    let mut input = input;
    for (index, number) in numbers.iter_mut().enumerate() {
        let rest = if index > 0 { super::lex::comma(input)?.0 } else { input };
        (input, *number) = T::read(rest)?;
    }
    Ok((input, numbers))
}

/// Writes values with commas between them.
pub(crate) fn write_all<'v, D: Dialect, T: Form<D> + 'v>(
    values: impl IntoIterator<Item = &'v T>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        value.write(out)?;
    }
    Ok(())
}

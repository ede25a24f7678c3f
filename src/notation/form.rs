//! Traits of languages, and of the types that have a form in them.

use std::fmt;

use super::error::Read;
use super::number::Special;
use super::text::Printable;

/// The syntax of numbers and strings in a language.
pub(crate) trait Dialect {
    /// The NaN that is written without its bits.
    const NAN: &'static str;
    const INFINITY: &'static str;
    const NEGATIVE_INFINITY: &'static str;
    /// The escapes for unprintable characters in strings.
    const PRINTABLE: Printable;

    /// Reads a number that has no digits.
    fn special(input: &str) -> Read<'_, Special>;

    /// Reads the text after a backslash in a string.
    fn escape<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()>;
}

/// A type with a form in the language `D`: its parser and its generator.
pub(crate) trait Form<D>: Sized {
    /// Reads a value, after white space.
    fn read(input: &str) -> Read<'_, Self>;

    /// Writes a value, such that [`read`](Self::read) gives the same, bit for bit.
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// Structures as calls with their fields for arguments: a row gives the name of what is called, the fields in the order of the
/// arguments, and other forms that are read.
macro_rules! calls {
    ($dialect:ty; $($type:ty = $name:literal($first:ident $(, $field:ident)*) $(or $other:path)*;)*) => {$(
        impl $crate::notation::Form<$dialect> for $type {
            fn read(input: &str) -> $crate::notation::Read<'_, Self> {
                #[allow(unused_imports)]
                use nom::Parser;
                let fields = (
                    $crate::notation::Form::<$dialect>::read,
                    $($crate::notation::after_comma(stringify!($field), $crate::notation::Form::<$dialect>::read),)*
                );
                let call = $crate::notation::call($name, fields).map(|($first, $($field,)*)| Self { $first, $($field),* });
                nom::branch::alt((call, $($other,)*)).parse(input)
            }

            fn write(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
                out.write_str(concat!($name, "("))?;
                $crate::notation::Form::<$dialect>::write(&self.$first, out)?;
                $(
                    out.write_str(", ")?;
                    $crate::notation::Form::<$dialect>::write(&self.$field, out)?;
                )*
                out.write_char(')')
            }
        }
    )*};
}
pub(crate) use calls;

impl<D, T: Form<D>> Form<D> for Box<T> {
    fn read(input: &str) -> Read<'_, Self> {
        T::read(input).map(|(rest, value)| (rest, Box::new(value)))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        T::write(self, out)
    }
}

/// `true` and `false`, in every language.
impl<D> Form<D> for bool {
    fn read(input: &str) -> Read<'_, Self> {
        let input = super::lex::space(input);
        match super::lex::word(input) {
            Ok((rest, "true")) => Ok((rest, true)),
            Ok((rest, "false")) => Ok((rest, false)),
            _ => super::error::expected(input, "true or false"),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self}")
    }
}

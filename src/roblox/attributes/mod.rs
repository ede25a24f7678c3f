//! Roblox attributes: the value of `Instance.AttributesSerialize`.
//!
//! A blob is nothing at all, or a [`dictionary`](dictionary()); every structure of it has a parser and a generator here
//! or in [`datatypes`](super::datatypes). Numbers are little-endian. The format has no alignment, no version and no checksum.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`]; [`decode_partial`] keeps what comes before an error |
//! | decode into a value without a lifetime | [`decode_owned`], [`decode_owned_with`] |
//! | encode | [`encode`], [`encode_with`], [`encode_to`] |
//! | your own types | `from_bytes` and `to_bytes`, with the feature `text` |
//! | change single entries, all others byte for byte | [`Patch`] |
//! | check | [`check`], [`check_with`]: valid? canonical? draft types? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`]; [`inspect_parts`], part by part |
//! | stream | [`Decoder`], [`Decoder::read`]; [`Encoder`]; `Codec`, with the feature `interop` |
//! | reuse in a larger parser | [`attributes`](attributes()), [`dictionary`](dictionary()), [`entry`](entry()), [`value`](value()), [`array`](array()), … |
//!
//! # Non-canonical bytes
//!
//! `encode(decode(bytes)) == bytes` for everything that decodes, except:
//!
//! 1. a Bool byte of 2…255, which comes back as 1;
//! 2. a length of 0, which comes back as no bytes, unless [`Options::empty`] asks for [`Empty::ZeroLength`];
//! 3. bytes after the last entry, where [`Options::trailing_bytes`] allows them: they are dropped.
//!
//! # Rejected bytes
//!
//! A type id or rotation id without a meaning, a length or count beyond the input, containers deeper than
//! [`Limits::depth`](crate::Limits::depth), bytes after the last entry. A value has no length of its own, so nothing
//! after an unknown type can be read.

mod array;
mod blob;
mod color_sequence;
#[cfg(feature = "text")]
mod described;
mod dictionary;
mod encoder;
mod entry;
mod enum_item;
mod font;
mod index;
#[cfg(feature = "text")]
mod json;
mod key_rules;
#[cfg(feature = "text")]
mod luau;
#[cfg(feature = "text")]
mod node;
mod number_sequence;
mod options;
mod patch;
#[cfg(feature = "text")]
mod rojo;
mod scalar;
mod stream;
mod string;
mod tween_info;
#[cfg(feature = "text")]
mod typed;
mod value;
#[cfg(feature = "text")]
mod value_rules;

pub use array::{array, gen_array};
pub use blob::{attributes, gen_attributes, Attributes};
pub use color_sequence::{color_sequence, gen_color_sequence, ColorSequence};
pub use dictionary::{dictionary, gen_dictionary};
pub use encoder::Encoder;
pub use entry::{entry, gen_entry, Entry};
pub use enum_item::{enum_item, gen_enum_item, EnumItem};
pub use font::{font, gen_font, Font};
pub use key_rules::{KeyError, KeyRule, KeyRules};
pub use number_sequence::{gen_number_sequence, number_sequence, NumberSequence};
pub use options::{Empty, Nesting, Options};
pub use patch::Patch;
pub use scalar::{bool, double, float, gen_bool, gen_double, gen_float, gen_int, int};
pub use stream::Entries;
pub use string::{gen_string, string};
pub use tween_info::{gen_tween_info, tween_info, TweenInfo};
#[cfg(feature = "text")]
pub use typed::{from_bytes, from_bytes_with, from_value, from_value_with, to_bytes, to_bytes_with, to_value};
pub use value::{gen_value, value, TypeId, Value};
#[cfg(feature = "text")]
pub use value_rules::ValueRule;

pub use crate::wire::{ByteString, IntoByteString, Provenance};

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{
    default_functions, format_functions, owned_by_method, uint32, Format, ItemOf, Le, Source, WireError,
};

/// Roblox attributes as a [`Format`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AttributesFormat;

impl Format for AttributesFormat {
    type Options = Options;
    type Value<'a> = Attributes<'a>;
    type Stream = Entries;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = Attributes<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        attributes(options)
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_attributes(options, value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        Some(items.into_iter().collect())
    }

    fn size_hint(value: &Attributes<'_>) -> usize {
        value.iter().map(Entry::size_hint).fold(4, usize::wrapping_add)
    }

    fn count(input: &[u8]) -> Option<u64> {
        let length = uint32::<Le, _, ()>().parse_complete(input);
        Some(length.map_or(0, |(_, length)| length.into()))
    }
}

owned_by_method!(Attributes);
format_functions!(AttributesFormat);
default_functions!(AttributesFormat, Options::new());

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// From the entry on that cannot be read, whether others come before it or the length alone.
    #[test]
    fn what_is_left_begins_with_the_broken_entry() {
        let options = Options::new();
        for (input, entries, rest) in [
            (&b"\x01\0\0\0\x01\0\0\0a\xff"[..], 0, &b"\x01\0\0\0a\xff"[..]),
            (b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\xff", 1, b"\x01\0\0\0b\xff"),
            (b"\x01\0\0", 0, b"\x01\0\0"),
            (b"\x01\0\0\0\x01\0\0\0a\x03\x01!", 1, b"!"),
        ] {
            let partial = decode_partial(input, &options);
            assert_eq!((partial.value.unwrap().len(), partial.rest), (entries, rest));
            assert_eq!(partial.error, decode_with(input, &options).err());
        }
        for valid in [&b""[..], b"\0\0\0\0", b"\x01\0\0\0\x01\0\0\0a\x03\x01"] {
            let partial = decode_partial(valid, &options);
            assert_eq!((partial.rest, partial.error), (&b""[..], None));
        }
        let partial = decode_partial(b"\0\0\0\0!", &options.trailing_bytes(true));
        assert_eq!((partial.rest, partial.error), (&b"!"[..], None));
    }
}

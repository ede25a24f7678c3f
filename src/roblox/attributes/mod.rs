//! Roblox attributes: the value of `Instance.AttributesSerialize`.
//!
//! A blob is nothing at all, or a [`dictionary`](dictionary()); every structure of it has a parser and a generator here
//! or in [`datatypes`](super::datatypes). Numbers are little-endian; there is no alignment, no version and no checksum.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`]; [`decode_partial`] keeps what comes before an error |
//! | encode | [`encode`], [`encode_with`], [`encode_to`] |
//! | change single entries, all others byte for byte | [`Patch`] |
//! | check | [`check`], [`check_with`]: valid? canonical? draft types? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`] |
//! | stream | [`Decoder`], [`Decoder::read`] |
//! | reuse in a larger parser | [`attributes`](attributes()), [`dictionary`](dictionary()), [`entry`](entry()), [`value`](value()), [`array`](array()), … |
//!
//! # What is not canonical
//!
//! `encode(decode(bytes)) == bytes` for everything that decodes, except:
//!
//! 1. a Bool byte of 2…255, which comes back as 1;
//! 2. a length of 0, which comes back as no bytes, unless [`Empty::ZeroLength`] is asked for;
//! 3. bytes after the last entry, where [`Options::trailing_bytes`] allows them: they are dropped.
//!
//! # What is an error
//!
//! A type id or rotation id without a meaning, a length or count beyond the input, containers deeper than
//! [`Limits::depth`](crate::Limits::depth), bytes after the last entry. A value has no length of its own, so nothing
//! behind an unknown type can be read.

mod array;
mod blob;
mod check;
mod color_sequence;
mod dictionary;
mod entry;
mod enum_item;
mod font;
#[cfg(feature = "json")]
mod json;
mod number_sequence;
mod options;
mod patch;
mod scalar;
mod stream;
mod string;
mod value;

use std::io;

use bstr::ByteSlice;

pub use array::{array, gen_array};
pub use blob::{attributes, gen_attributes, Attributes, Empty, KeyError, KeyRule, KeyRules};
pub use check::{check, check_with, Report};
pub use color_sequence::{color_sequence, gen_color_sequence, ColorSequence};
pub use dictionary::{dictionary, gen_dictionary};
pub use entry::{entry, gen_entry, Entry};
pub use enum_item::{enum_item, gen_enum_item, EnumItem};
pub use font::{font, gen_font, Font};
pub use number_sequence::{gen_number_sequence, number_sequence, NumberSequence};
pub use options::{Nesting, Options};
pub use patch::Patch;
pub use scalar::{bool, double, float, gen_bool, gen_double, gen_float, gen_int, int};
pub use stream::{Decoder, Entries};
pub use string::{gen_string, string};
pub use value::{gen_value, value, TypeId, Value};

pub use crate::wire::{ByteString, IntoByteString, Provenance};

use crate::budget;
use crate::error::{DecodeError, EncodeError, EncodeFault, Segment, WriteError};
use crate::wire::{self, all_consuming, generate_into, measure, Log, Tree};

/// Decodes a blob. The attributes borrow from it.
///
/// # Errors
///
/// Anything that the [module](self) calls an error, with its offset and path.
pub fn decode(input: &[u8]) -> Result<Attributes<'_>, DecodeError> {
    decode_with(input, &Options::new())
}

/// Decodes a blob as the options say.
///
/// # Errors
///
/// As for [`decode`], but for what the options allow.
pub fn decode_with<'a>(input: &'a [u8], options: &Options) -> Result<Attributes<'a>, DecodeError> {
    wire::run(input, all_consuming(options.trailing_bytes, attributes((*options).into())))
        .map(|(_, attributes)| attributes)
}

/// What could be decoded of a blob.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial<'a> {
    /// The entries before the error; all of them, if there is none.
    pub attributes: Attributes<'a>,
    /// The bytes from the first entry on that could not be decoded.
    pub rest: &'a [u8],
    /// Why that entry could not be decoded.
    pub error: Option<DecodeError>,
}

/// Decodes a blob as far as it goes.
///
/// ```
/// use enginewire::roblox::attributes::{decode_partial, Options, Value};
///
/// let input = b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\xff\x01\x02";
/// let partial = decode_partial(input, &Options::new());
/// assert_eq!(partial.attributes.get("a"), Some(&Value::Bool(true)));
/// assert_eq!(partial.rest, b"\x01\0\0\0b\xff\x01\x02");
/// assert_eq!(partial.error.unwrap().to_string(), r#"unknown type id 0xff, at byte 0x10 in entries[1] "b".value.type"#);
/// ```
#[must_use]
pub fn decode_partial<'a>(input: &'a [u8], options: &Options) -> Partial<'a> {
    let mut attributes = Attributes::new();
    let entries = attributes.entries_mut();
    let (rest, error) = wire::items(Entries::from(*options), input, |entry| entries.push(entry));
    Partial { attributes, rest, error }
}

/// Every field of a blob with its place and value; of a broken blob, those before the error.
#[must_use]
pub fn inspect(input: &[u8]) -> Tree {
    inspect_with(input, &Options::new())
}

/// Every field of a blob, read as the options say.
#[must_use]
pub fn inspect_with(input: &[u8], options: &Options) -> Tree {
    inspect_within(input, options, budget::DEFAULT)
}

/// Every field, read as the options say, as far as the tree takes no more than so many bytes of memory; 256 MiB unless said
/// otherwise. A tree that would take more ends there and says so: see [`Tree::limit`].
#[must_use]
pub fn inspect_within(input: &[u8], options: &Options, max_memory: usize) -> Tree {
    Log::within(max_memory).trace(input, all_consuming(options.trailing_bytes, attributes((*options).into())))
}

/// Encodes attributes, in the order they are in; none give no bytes.
///
/// # Errors
///
/// If a string or list is too long for its length field, or arrays and dictionaries nest too deep.
pub fn encode(attributes: &Attributes<'_>) -> Result<Vec<u8>, EncodeError> {
    encode_with(attributes, Empty::NoBytes)
}

/// Encodes attributes; `empty` says how, if there are none.
///
/// # Errors
///
/// As for [`encode`].
pub fn encode_with(attributes: &Attributes<'_>, empty: Empty) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(attributes.iter().map(Entry::size_hint).fold(4, usize::saturating_add));
    generate_into(gen_attributes(empty, attributes), &mut bytes).map_err(|reason| located(attributes, reason))?;
    Ok(bytes)
}

/// Encodes attributes and writes them out, in one piece.
///
/// # Errors
///
/// As for [`encode`], in which case nothing is written; or if writing fails.
pub fn encode_to(attributes: &Attributes<'_>, mut writer: impl io::Write) -> Result<(), WriteError> {
    Ok(writer.write_all(&encode(attributes)?)?)
}

/// The error with the entry that it came of. A generator cannot say where it failed, so it runs again, entry by entry.
#[cold]
fn located(attributes: &Attributes<'_>, reason: EncodeFault) -> EncodeError {
    let failed = attributes.iter().enumerate().find(|(_, entry)| measure(gen_entry(Nesting::DEEPEST, entry)).is_err());
    let path = failed.map(|(index, entry)| [Segment::Index(index), Segment::Key(wire::key_text(&entry.key.as_bstr()))]);
    EncodeError::new(path.into_iter().flatten().collect(), reason)
}

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
            assert_eq!((partial.attributes.len(), partial.rest), (entries, rest));
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

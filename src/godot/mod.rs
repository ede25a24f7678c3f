//! Godot Variant: what `var2bytes`, `store_var` and `put_var` write, and `var_to_bytes` in version 4.
//!
//! A value is a header of four bytes, which has its type, and what belongs to a value of that type. All of it is
//! little-endian and takes a multiple of four bytes. Versions 3 and 4 of the engine number their types differently, and the
//! bytes do not identify the version that wrote them: pass the [`Version`] in the [`Options`].
//! | what | how |
//! |---|---|
//! | decode | [`v3::decode`], [`v4::decode`], [`decode_with`]; [`decode_partial`] keeps what comes before an error |
//! | decode into a value without a lifetime | [`v3::decode_owned`], [`v4::decode_owned`], [`decode_owned_with`] |
//! | encode | [`v3::encode`], [`v4::encode`], [`encode_with`] |
//! | your own types | `from_bytes` and `to_bytes`, with the feature `text` |
//! | check | [`v3::check`], [`v4::check`], [`check_with`]: valid? canonical? |
//! | see every field | [`v3::inspect`], [`v4::inspect`], [`inspect_with`], [`inspect_within`]; [`inspect_parts`], part by part |
//! | stream | [`Decoder`]; for values with their lengths before them, as in files and TCP streams, [`FrameDecoder`] and [`write_frame`], or `FrameCodec` with the feature `interop` |
//! | several values in sequence | [`values`] |
//! | base64, as `Marshalls` writes it | `from_base64` and `to_base64`, with the feature `text` |
//! | files and messages that hold values | the package `enginewire-files` |
//! | reuse in a larger parser | [`variant`], [`string`](string()), [`vector3`], … |
//!
//! ```
//! use enginewire::godot::{self, Dictionary, Variant, Version};
//!
//! let bytes = b"\x12\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hp\0\0\x02\0\0\0\x07\0\0\0";
//! let value = godot::v3::decode(bytes)?; // borrows from `bytes`
//! assert_eq!(value.as_dictionary().and_then(|entries| entries.get("hp")), Some(&Variant::Int(7)));
//!
//! let value = Variant::from(Dictionary::new([("hp".into(), 7.into())]));
//! assert_eq!(godot::v3::encode(&value)?, bytes);
//!
//! let error = godot::v3::decode(&bytes[..26]).unwrap_err();
//! assert_eq!(error.path().to_string(), r#"dictionary.entries[0] "hp".value.int"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Non-canonical bytes
//!
//! `encode(decode(bytes)) == bytes` for everything that an engine writes, except for the padding of node paths, where
//! engines before 4.6 leave arbitrary bytes. The following decodes too, although no engine writes it, but `encode` gives
//! other bytes:
//!
//! 1. bits of a header that mean nothing for its type;
//! 2. a bool other than 0 and 1; an int or float of 64 bits that fits 32; a NaN of 32 bits;
//! 3. a count with bit 31 set, flags of a node path other than the first;
//! 4. padding that is not 0;
//! 5. a string in a packed array without its NUL;
//! 6. what [`Options::unpadded_bytes`] and [`Options::trailing_bytes`] allow.
//!
//! # Rejected bytes
//!
//! An unknown type, a length below 0 or beyond the input, text that is not UTF-8, the old form of a node path, values nested
//! deeper than [`Options::limits`], bytes after the value. If a vector, matrix, packed array or text is cut off, the error is
//! at its start, and counts all its bytes, with the padding.
//!
//! The meaning of values is not checked: whether a class exists, or whether elements have the type that their array names.

#[cfg(feature = "text")]
mod base64;
#[cfg(feature = "interop")]
mod codec;
mod datatypes;
#[cfg(feature = "text")]
mod described;
mod frame;
#[cfg(feature = "text")]
mod gdscript;
#[cfg(feature = "text")]
mod json;
#[cfg(feature = "text")]
pub(crate) mod node;
mod options;
pub mod resource;
#[cfg(feature = "text")]
mod typed;
#[doc(alias = "bytes2var")]
#[doc(alias = "var2bytes")]
pub mod v3;
#[doc(alias = "bytes_to_var")]
#[doc(alias = "var_to_bytes")]
pub mod v4;
mod variant;
mod version;
mod versioned;

#[cfg(feature = "text")]
pub use base64::{from_base64, to_base64, Base64Error};
#[cfg(feature = "interop")]
pub use codec::FrameCodec;
pub use datatypes::*;
#[cfg(feature = "text")]
pub use described::GodotFormat;
#[cfg(feature = "text")]
#[doc(hidden)] // for the package of files
pub use described::{KEY, MAGIC, PASSWORD};
pub use frame::{encode_frame, frame, write_frame, FrameDecoder, Frames, Framing};
#[cfg(feature = "text")]
#[doc(hidden)] // for the package of files
pub use gdscript::Saved;
pub use options::Options;
#[cfg(feature = "text")]
pub use typed::{from_bytes, from_bytes_with, from_value, from_value_with, to_bytes, to_bytes_with, to_value};
pub use variant::{
    container_type, gen_variant, header, variant, Array, ContainerType, Dictionary, Entry, EntryType, FullObject,
    Header, Object, Property, Variant,
};
pub use version::Version;
pub use versioned::Versioned;

pub use crate::wire::{ByteString, IntoByteString, Provenance};

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::error::DecodeError;
use crate::number::to_u64;
use crate::wire::{self, format_functions, owned_by_method, Format, ItemOf, Single, Source, WireError};

/// Godot Variant as a [`Format`].
#[derive(Clone, Copy, Debug, Default)]
pub struct VariantFormat;

impl Format for VariantFormat {
    type Options = Options;
    type Value<'a> = Variant<'a>;
    type Stream = Single<Self>;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = Variant<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        variant(options)
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_variant(options, value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        items.into_iter().next()
    }

    fn may_lack_end(options: &Options) -> bool {
        options.unpadded_bytes
    }

    fn size_hint(value: &Variant<'_>) -> usize {
        let count = match value {
            Variant::Array(array) => array.elements.len(),
            Variant::Dictionary(dictionary) => dictionary.entries.len().saturating_mul(2),
            _ => 1,
        };
        count.saturating_mul(24)
    }
}

owned_by_method!(Variant);
format_functions!(VariantFormat);

/// The values in `input`, which follow each other with nothing between them, each with its offset. An error is the last
/// item.
///
/// ```
/// use enginewire::godot::{values, Options, Variant, Version};
///
/// let mut values = values(b"\x02\0\0\0\x2a\0\0\0\0\0\0\0\x63", Options::new(Version::V4));
/// assert_eq!(values.next().unwrap()?, (0, Variant::Int(42)));
/// assert_eq!(values.next().unwrap()?, (8, Variant::Null));
/// assert_eq!(values.next().unwrap().unwrap_err().offset(), 12);
/// assert!(values.next().is_none());
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
#[inline]
pub fn values(input: &[u8], options: Options) -> impl Iterator<Item = Result<(u64, Variant<'_>), DecodeError>> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let offset = to_u64(input.len().saturating_sub(rest.len()));
        let bytes = Some(std::mem::take(&mut rest)).filter(|bytes| !bytes.is_empty())?;
        let value = wire::run(bytes, variant(options)).map(|(behind, value)| {
            rest = behind;
            (offset, value)
        });
        Some(value.map_err(|error| error.shifted(offset)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// Containers of every kind inside each other, and the deepest value.
    fn nest(levels: usize) -> Variant<'static> {
        (0..levels).fold(Variant::Null, |inner, level| match level % 4 {
            0 => vec![inner].into(),
            1 => Dictionary::new([("k".into(), inner)]).into(),
            2 => Dictionary::new([(inner, Variant::Null)]).into(),
            _ => Object::new("C", [Property { name: "p".into_byte_string(), value: inner }]).into(),
        })
    }

    /// Runs in a thread with the usual stack of 2 MiB.
    fn apart(work: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn all_that_recurses_fits_a_thread_of_2_mib() {
        let value = nest(1024);
        let step = |name: &str| std::io::Write::write_all(&mut std::io::stderr(), name.as_bytes()).unwrap();
        apart(move || {
            step("encode ");
            let bytes = v4::encode(&value).unwrap();
            step("decode ");
            let decoded = v4::decode(&bytes).unwrap();
            step("compare ");
            assert!(decoded == value);
            step("clone ");
            let copy = decoded.clone();
            step("own ");
            let copy = copy.into_owned();
            step("show ");
            assert_eq!(format!("{copy:?}"), format!("{decoded:?}"));
            step("drop ");
            drop((copy, decoded));
            step("check ");
            assert!(v4::check(&bytes).unwrap().is_canonical());
            step("keep ");
            let kept = v4::decode_owned(bytes.clone()).unwrap();
            assert!(kept.value() == &value && kept.into_bytes() == bytes);
            step("inspect ");
            assert_eq!(v4::inspect(&bytes).error(), None);
            step("partial ");
            let part = decode_partial(&bytes[..bytes.len() / 2], &Options::new(Version::V4));
            assert!(part.unfinished.is_some() && part.error.unwrap().is_truncated());
            step("stream ");
            let mut decoder = Decoder::with_options(Options::new(Version::V4));
            decoder.push(&bytes[..9000]);
            assert!(decoder.next().is_none());
            decoder.push(&bytes[9000..]);
            assert!(decoder.next().unwrap().is_ok());
        });
    }

    #[test]
    fn what_cannot_be_encoded_is_named() {
        let name = Variant::StringName("a".into_byte_string());
        let error = v3::encode(&vec![Variant::Null, name].into()).unwrap_err();
        assert_eq!(error.to_string(), "version 3 has no StringName in array.elements[1]");
        let wide = Variant::Vector2(Reals::Double(Box::default()));
        assert_eq!(v3::encode(&wide).unwrap_err().to_string(), "version 3 has no reals of 64 bits");
        let typed =
            Array { element_type: Some(Box::new(ContainerType::Class("A".into_byte_string()))), elements: vec![] };
        let error = v3::encode(&typed.into()).unwrap_err();
        assert_eq!(error.to_string(), "version 3 has no containers with types");
        let error = v3::encode(&Variant::Rid(Rid(1))).unwrap_err();
        assert_eq!(error.to_string(), "version 3 has no RID other than 0");
        assert!(v3::encode_to(&Variant::Callable, Vec::new()).is_err());
        let mut written = Vec::new();
        v4::encode_to(&Variant::Callable, &mut written).unwrap();
        assert_eq!(written, [25, 0, 0, 0]);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_value_is_small() {
        assert_eq!(std::mem::size_of::<Variant<'_>>(), 40);
    }

    #[test]
    fn values_that_follow_each_other() {
        let bytes = b"\x02\0\0\0\x2a\0\0\0\0\0\0\0\x63";
        let found: Vec<_> = values(bytes, Options::new(Version::V4))
            .map(|value| value.map_err(|error| error.offset().byte()))
            .collect();
        assert_eq!(found, [Ok((0, Variant::Int(42))), Ok((8, Variant::Null)), Err(12)]);
    }
}

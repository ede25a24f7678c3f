//! Signal.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::string::{gen_string, string};
use crate::godot::options::Options;
use crate::structure::structure;
use crate::wire::{field, gen_uint64, uint64, ByteString, Le, Source, WireError};

structure! {
    /// A signal of an object; in version 4 only.
    ///
    /// | field | type |
    /// |---|---|
    /// | name | [`string`] |
    /// | object_id | uint64 |
    #[derive(Default)]
    pub struct Signal<'a> {
        /// Its name.
        pub name: ByteString<'a>,
        /// The instance id of the object.
        pub object_id: u64,
    }
}

/// Reads a [`Signal`].
///
/// In little-endian, the bytes `03 00 00 00 61 62 63 00 ff 00 00 00 00 00 00 00` are the signal `abc` of the object 255. A name
/// that [`string`] refuses is refused.
///
/// Specification: `docs/spec/godot-variant.md`, section Signal.
#[inline]
pub fn signal<'a, I, E>(options: Options) -> impl Parser<I, Output = Signal<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    (field("name", string(options)), field("object_id", uint64::<Le, I, E>()))
        .map(|(name, object_id)| Signal { name, object_id })
}

/// Writes a [`Signal`], as [`signal`] reads it. A name that [`gen_string`] refuses is refused.
#[inline]
pub fn gen_signal<'v, W: Write + 'v>(options: Options, signal: &'v Signal<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        gen_uint64::<Le, W>(signal.object_id)(gen_string(options, BStr::new(signal.name.as_ref()))(out)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::test::{both_ways, hex};
    use crate::wire::IntoByteString;

    #[test]
    fn worked_example() {
        let value = Signal { name: "abc".into_byte_string(), object_id: 255 };
        let bytes = hex("03000000 61626300 ff000000 00000000");
        both_ways(
            &bytes,
            value.clone(),
            || signal(Options::new(Version::V4)),
            gen_signal(Options::new(Version::V4), &value),
        );
    }
}

//! File header.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::reserved::reserved;
use enginewire::wire::{field, gen_bytes, gen_int32, gen_uint16, int32, magic, uint16, Le, Source, WireError};

/// The first bytes of every binary file.
pub const MAGIC: &[u8] = b"<roblox!";

/// The bytes after the magic. A transfer as text would change them.
const SIGNATURE: &[u8] = b"\x89\xff\r\n\x1a\n";

/// The header of a file.
///
/// | field | type |
/// |---|---|
/// | magic | `<roblox!` |
/// | signature | `89 ff 0d 0a 1a 0a` |
/// | version | uint16, 0 |
/// | class_count | int32: the number of INST chunks |
/// | instance_count | int32 |
/// | reserved | 8 bytes of 0 |
///
/// The counts are hints: readers here do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// 0 in every file known.
    pub version: u16,
    /// The number of classes, as the file claims.
    pub class_count: i32,
    /// The number of instances, as the file claims.
    pub instance_count: i32,
}

/// Reads a [`Header`]. Unless `any` is true, its reserved bytes must be 0.
///
/// Specification: `docs/spec/roblox-model-files.md`, section File header.
#[inline]
pub fn header<I: Source, E: WireError<I>>(any: bool) -> impl Parser<I, Output = Header, Error = E> {
    (
        field("magic", magic(MAGIC)),
        field("signature", magic(SIGNATURE)),
        field("version", uint16::<Le, I, E>()),
        field("class_count", int32::<Le, I, E>()),
        field("instance_count", int32::<Le, I, E>()),
        field("reserved", reserved::<8, I, E>(any)),
    )
        .map(|(_, _, version, class_count, instance_count, _)| Header { version, class_count, instance_count })
}

/// Writes a [`Header`].
pub fn gen_header<W: Write>(header: Header) -> impl SerializeFn<W> {
    tuple((
        gen_bytes(MAGIC),
        gen_bytes(SIGNATURE),
        gen_uint16::<Le, W>(header.version),
        gen_int32::<Le, W>(header.class_count),
        gen_int32::<Le, W>(header.instance_count),
        gen_bytes([0; 8]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let value = Header { version: 0, class_count: 1, instance_count: 3 };
        let bytes =
            hex("3c 72 6f 62 6c 6f 78 21 89 ff 0d 0a 1a 0a 00 00 01 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00");
        both_ways(&bytes, value, || header(false), gen_header(value));
    }

    #[test]
    fn what_is_reserved_may_be_anything_if_allowed() {
        let empty = Header { version: 0, class_count: 0, instance_count: 0 };
        let mut bytes = cookie_factory::gen_simple(gen_header(empty), Vec::new()).unwrap();
        bytes[31] = 1;
        assert!(header::<_, ()>(false).parse_complete(&bytes[..]).is_err());
        assert!(header::<_, ()>(true).parse_complete(&bytes[..]).is_ok());
    }
}

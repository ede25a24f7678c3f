//! PRNT.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::referents::{gen_referents, referents};
use enginewire::wire::{field, flat_map, gen_length, gen_uint8, uint32, uint8, Le, Source, WireError};

/// The parents of all instances: the data of a PRNT chunk.
///
/// | field | type |
/// |---|---|
/// | version | uint8, 0 |
/// | count | uint32 |
/// | children | [`referents`](super::referents()) of `count` instances |
/// | parents | [`referents`](super::referents()) of `count` instances, -1 for none |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prnt {
    /// 0 in every file known.
    pub version: u8,
    /// The referents of all instances.
    pub children: Vec<i32>,
    /// The referent of the parent of each; -1 for none.
    pub parents: Vec<i32>,
}

/// Reads the data of a PRNT chunk.
///
/// Specification: `docs/spec/roblox-model-files.md`, section PRNT.
#[inline]
pub fn prnt<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Prnt, Error = E> {
    flat_map((field("version", uint8()), field("count", uint32::<Le, I, E>())), |(version, count)| {
        (field("children", referents::<I, E>(count)), field("parents", referents::<I, E>(count)))
            .map(move |(children, parents)| Prnt { version, children, parents })
    })
}

/// Writes the data of a PRNT chunk.
pub fn gen_prnt<'v, W: Write + 'v>(prnt: &'v Prnt) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_uint8(prnt.version),
        gen_length::<Le, W>(prnt.children.len()),
        gen_referents(&prnt.children),
        gen_referents(&prnt.parents),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let value = Prnt { version: 0, children: vec![0, 1], parents: vec![-1, 0] };
        let bytes = hex("00 02 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 01 02");
        both_ways(&bytes, value.clone(), prnt, gen_prnt(&value));
    }
}

//! INST.

use std::io::Write;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::referents::{gen_referents, referents};
use enginewire::wire::{
    field, fields, flat_map, gen_bytes, gen_length, gen_length_prefixed, gen_uint32, gen_uint8, length_prefixed, take,
    uint32, uint8, ByteString, Le, Source, WireError,
};

/// The instances of one class: the data of an INST chunk.
///
/// | field | type |
/// |---|---|
/// | class_id | uint32 |
/// | class_name | String |
/// | is_service | uint8: 1 for a service, else 0 |
/// | count | uint32 |
/// | referents | [`referents`](super::referents()) of `count` instances |
/// | markers | `count` bytes, of services only |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst<'a> {
    /// The id that other chunks use to refer to the class.
    pub class_id: u32,
    /// The name of the class.
    pub class_name: ByteString<'a>,
    /// The referents of its instances.
    pub referents: Vec<i32>,
    /// The markers of a service.
    pub markers: Option<ByteString<'a>>,
}

/// Reads the start of the data of an INST chunk: the id and the name of the class, whether it is a service, and how many
/// instances it has.
#[inline]
pub(super) fn inst_head<'a, I, E>() -> impl Parser<I, Output = (u32, &'a BStr, u8, u32), Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    fields((
        field("class_id", uint32::<Le, I, E>()),
        field("class_name", length_prefixed::<Le, I, E>()),
        field("is_service", uint8()),
        field("count", uint32::<Le, I, E>()),
    ))
}

/// Reads the data of an INST chunk.
///
/// Specification: `docs/spec/roblox-model-files.md`, section INST.
#[inline]
pub fn inst<'a, I, E>() -> impl Parser<I, Output = Inst<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(inst_head(), |(class_id, class_name, is_service, count): (u32, &'a BStr, u8, u32)| {
        let markers = if is_service == 0 { 0 } else { count };
        (field("referents", referents::<I, E>(count)), field("markers", take(markers.into()))).map(
            move |(referents, markers)| Inst {
                class_id,
                class_name: class_name.into(),
                referents,
                markers: (is_service != 0).then_some(markers.into()),
            },
        )
    })
}

/// Writes the data of an INST chunk. There must be as many markers as referents, if any.
pub fn gen_inst<'v, W: Write + 'v>(inst: &'v Inst<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_uint32::<Le, W>(inst.class_id),
        gen_length_prefixed::<Le, W>(&inst.class_name),
        gen_uint8(u8::from(inst.markers.is_some())),
        gen_length::<Le, W>(inst.referents.len()),
        gen_referents(&inst.referents),
        all(inst.markers.iter().map(|markers| gen_bytes(&***markers))),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        let folder = Inst { class_id: 3, class_name: BStr::new("Folder").into(), referents: vec![5], markers: None };
        let bytes = hex("03 00 00 00 06 00 00 00 46 6f 6c 64 65 72 00 01 00 00 00 00 00 00 0a");
        both_ways(&bytes, folder.clone(), inst, gen_inst(&folder));
        let service = Inst {
            class_id: 0,
            class_name: BStr::new("Run").into(),
            referents: vec![1, 2],
            markers: Some(BStr::new(b"\x01\x01").into()),
        };
        let bytes = hex("00 00 00 00 03 00 00 00 52 75 6e 01 02 00 00 00 00 00 00 00 00 00 02 02 01 01");
        both_ways(&bytes, service.clone(), inst, gen_inst(&service));
    }
}

//! Scrap Mechanic LuaObject, as the promises see it.

use arbitrary::Unstructured;
use enginewire::scrap_mechanic::lua_object::{
    self, Color, JsonTemplate, LuaObject, LuaSaveData, LuaSaveDataType, Options, Quat, Table, TableKeyValuePair,
    Userdata, UserdataTypeId, Uuid, Vec3, WeakScriptRef,
};
use enginewire::typed::Leniency;
use enginewire::wire::{IntoByteString, ItemOf, Note, Tree};
use enginewire::TextError;
use enginewire::{DecodeError, EncodeError, Fault, Limits, Offset};
use nom::{Err, Parser};

use super::codec::{self, Codec};
use super::typed::Any;
use super::{hex, list, string, LARGE};

pub(crate) struct ScrapMechanicLua;

impl Codec for ScrapMechanicLua {
    type Described = lua_object::LuaObjectFormat;
    const MEMORY: usize = 32;

    fn items<'a>(value: &codec::Value<'a, Self>) -> Vec<ItemOf<'a, codec::FormatOf<Self>>> {
        vec![value.clone()]
    }

    fn typed(bytes: &[u8], options: &Options) -> [Result<Any, DecodeError>; 2] {
        let read = lua_object::from_bytes_with(bytes, options, Leniency::new());
        [read, lua_object::decode_with(bytes, options).and_then(lua_object::from_value)]
    }

    fn exact(value: LuaObject<'static>) -> LuaObject<'static> {
        let written = lua_object::to_value(&value.data).unwrap();
        LuaObject { data: lua_object::from_value::<LuaSaveData<'static>>(written).unwrap() }
    }

    fn depth(value: &LuaObject<'_>) -> usize {
        depth(&value.data)
    }

    fn notation(value: &codec::Value<'_, Self>) -> Vec<(String, Result<codec::Value<'static, Self>, TextError>)> {
        let id = value.data.type_id();
        let (bare, typed) = (value.data.to_lua(), value.to_lua());
        let again = LuaSaveData::from_lua(&bare, Some(id)).map(LuaObject::new);
        let by_itself = LuaObject::from_lua(&typed);
        let both = LuaSaveData::from_lua(&typed, Some(id)).map(LuaObject::new);
        vec![(bare, again), (typed.clone(), by_itself), (typed, both)]
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<LuaObject<'static>> {
        // mostly a table, as objects are
        let data = if entropy.ratio(9, 10)? { table(entropy, 3)?.into() } else { value(entropy, 4)? };
        Ok(LuaObject { data })
    }

    fn deepest() -> [Vec<u8>; 2] {
        let depth = usize::from(Limits::MAX_DEPTH);
        [depth, depth + 1].map(|depth| {
            let (mut head, mut tail) = (String::new(), String::new());
            for level in 0..depth {
                head += &format!("{:08b}{:032b}", 5, 1);
                match level % 3 {
                    // an array, with its offset; the value of a pair; the key of a pair
                    0 => head += &format!("1{:032b}", 1),
                    1 => head += &format!("0{:08b}{:08b}", 8, 1),
                    _ => {
                        head += "0";
                        tail += &format!("{:08b}", 1);
                    }
                }
            }
            let mut bits = format!("{head}{:08b}{tail}", 1);
            bits += &"0".repeat(bits.len().next_multiple_of(8) - bits.len());
            let bytes = (0..bits.len()).step_by(8).map(|at| u8::from_str_radix(&bits[at..at + 8], 2).unwrap());
            hex("4c5541 00000001").into_iter().chain(bytes).collect()
        })
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let object = |value: &[u8]| [&hex("4c5541 00000001")[..], value].concat();
        let mut inputs = Vec::new();
        // a size or count of 0xffffffff wherever there is one
        for value in [
            "04 ff ff ff ff",
            "05 ff ff ff ff 00",
            "05 ff ff ff ff 80 00 00 00 00",
            "09 ff ff ff ff",
            "0c 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff ff ff ff",
        ] {
            inputs.push((format!("a length beyond the input: {value}"), object(&hex(value))));
            let longer = [hex(value), vec![1; 1000]].concat();
            inputs.push((format!("a length beyond a longer input: {value}"), object(&longer)));
        }
        // Nil takes 8 bits: 01 at each bit offset 1
        for (name, head, count) in [("elements", "80 00 00 00 80", LARGE as u32), ("pairs", "00", LARGE as u32 / 2)] {
            let body = vec![0x80; LARGE];
            // the form takes one bit, so that everything after it is shifted by one
            let head = hex(head);
            let (last, before) = head.split_last().unwrap();
            for (how, count) in [("exactly", count), ("and one too few", count + 1)] {
                let value = [&[5][..], &count.to_be_bytes(), before, &[*last], &body, &[0]].concat();
                inputs.push((format!("the smallest {name}, {how}"), object(&value)));
            }
        }
        for count in [1u32, 20, 100_000, u32::MAX] {
            let array = |inner: LuaSaveData<'static>| LuaSaveData::from(Table::list([inner]));
            let nested = (0..127).fold(LuaSaveData::Nil, |inner, _| array(inner));
            let mut bytes = lua_object::encode(&LuaObject::new(nested)).unwrap();
            bytes.extend(vec![0x80; LARGE]);
            // the counts of all tables, each 73 bits after the one before
            for level in 0..127 {
                set_bits(&mut bytes, 64 + level * 73, count);
            }
            inputs.push((format!("127 arrays in each other, each of {count}"), bytes));
        }
        inputs
    }
}

/// Writes a number at a bit.
fn set_bits(bytes: &mut [u8], at: usize, number: u32) {
    for bit in 0..32 {
        let (byte, mask) = ((at + bit) / 8, 0x80 >> ((at + bit) % 8));
        bytes[byte] = if number >> (31 - bit) & 1 == 1 { bytes[byte] | mask } else { bytes[byte] & !mask };
    }
}

fn depth(value: &LuaSaveData<'_>) -> usize {
    match value {
        LuaSaveData::Table(table) => {
            let keys = match table {
                Table::Pairs(pairs) => pairs.iter().map(|pair| depth(&pair.key)).max().unwrap_or_default(),
                Table::Array { .. } => 0,
            };
            1 + table.values().map(depth).max().unwrap_or_default().max(keys)
        }
        _ => 0,
    }
}

/// A value of any type, with up to `levels` tables inside each other.
fn value(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<LuaSaveData<'static>> {
    Ok(match *entropy.choose(LuaSaveDataType::ALL)? {
        LuaSaveDataType::Nil => LuaSaveData::Nil,
        LuaSaveDataType::Boolean => LuaSaveData::Boolean(entropy.arbitrary()?),
        LuaSaveDataType::Number => LuaSaveData::Number(entropy.arbitrary()?),
        LuaSaveDataType::String => LuaSaveData::String(string(entropy)?),
        LuaSaveDataType::Table if levels == 0 => LuaSaveData::Table(Table::default()),
        LuaSaveDataType::Table => LuaSaveData::Table(table(entropy, levels - 1)?),
        LuaSaveDataType::Int32 => LuaSaveData::Int32(entropy.arbitrary()?),
        LuaSaveDataType::Int16 => LuaSaveData::Int16(entropy.arbitrary()?),
        LuaSaveDataType::Int8 => LuaSaveData::Int8(entropy.arbitrary()?),
        LuaSaveDataType::Json => LuaSaveData::Json(string(entropy)?),
        LuaSaveDataType::Double => LuaSaveData::Double(entropy.arbitrary()?),
        LuaSaveDataType::JsonTemplate => {
            JsonTemplate { uuid: Uuid(entropy.arbitrary()?), json: string(entropy)? }.into()
        }
        LuaSaveDataType::Userdata => userdata(entropy)?.into(),
        LuaSaveDataType::WeakScriptRef => {
            WeakScriptRef { ref_id: entropy.arbitrary()?, flag: entropy.arbitrary()? }.into()
        }
        other => panic!("values of type {other:?} are not made here yet"),
    })
}

fn table(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<Table<'static>> {
    if entropy.arbitrary()? {
        return Ok(Table::Array {
            offset: entropy.arbitrary()?,
            elements: list(entropy, |entropy| value(entropy, levels))?.into(),
        });
    }
    let pair = |entropy: &mut Unstructured<'_>| {
        Ok(TableKeyValuePair { key: value(entropy, levels)?, value: value(entropy, levels)? })
    };
    Ok(Table::Pairs(list(entropy, pair)?.into()))
}

fn userdata(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Userdata> {
    Ok(match *entropy.choose(UserdataTypeId::ALL)? {
        UserdataTypeId::Uuid => Userdata::Uuid(Uuid(entropy.arbitrary()?)),
        UserdataTypeId::Vec3 => {
            let (x, y, z) = entropy.arbitrary()?;
            Userdata::Vec3(Vec3 { x, y, z })
        }
        UserdataTypeId::Quat => {
            let (x, y, z, w) = entropy.arbitrary()?;
            Userdata::Quat(Quat { x, y, z, w })
        }
        UserdataTypeId::Color => {
            let (r, g, b, a) = entropy.arbitrary()?;
            Userdata::Color(Color { r, g, b, a })
        }
        thing => Userdata::from_handle(thing, entropy.arbitrary()?).unwrap(),
    })
}

/// An object with these bytes in a string.
pub(crate) fn text_object(bytes: &[u8]) -> LuaObject<'static> {
    LuaObject { data: LuaSaveData::String(bytes.to_vec().into_byte_string()) }
}

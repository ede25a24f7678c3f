//! Scrap Mechanic LuaObject: values of Lua as the game stores them in saves, blueprints, tiles and packets.
//!
//! An object is packed in bits, from whole byte to whole byte: a Boolean and the form of a table take one bit, and
//! everything behind them begins wherever they end, up to the next string. Numbers are big-endian.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`] |
//! | encode | [`encode`], [`encode_to`] |
//! | check | [`check`], [`check_with`]: valid? canonical? types that were never seen? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`] |
//! | stream | [`Decoder`], [`Decoder::read`](crate::wire::Decoder::read) |
//! | reuse in a larger parser | [`lua_object`](lua_object()) among bytes; [`lua_save_data`], [`table`](table()), … within [`bits`](crate::wire::bits) |
//!
//! ```
//! use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData, Table};
//!
//! let bytes = b"LUA\0\0\0\x01\x05\0\0\0\x01\x02\0\0\0\x02\0mode\x08\0";
//! let object = lua_object::decode(bytes)?; // borrows from `bytes`
//! assert_eq!(object.data.as_table().and_then(|table| table.get("mode")), Some(&LuaSaveData::Int8(0)));
//!
//! let object = LuaObject::new(Table::from_entries([("mode".into(), LuaSaveData::number(0.0))]));
//! assert_eq!(lua_object::encode(&object)?, bytes);
//!
//! let error = lua_object::decode(&bytes[..23]).unwrap_err();
//! assert_eq!(error.path().to_string(), r#"data.table.elements[0] "mode".value.int8"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is not canonical
//!
//! `encode(decode(bytes)) == bytes` for everything that decodes, except:
//!
//! 1. padding that is not 0, where [`Options::any_padding`] allows it;
//! 2. bytes after the object, where [`Options::trailing_bytes`] allows them.
//!
//! Both are dropped. Widths, order, repeated keys and the form of every table are kept.
//!
//! # What is an error
//!
//! Another magic or version, a type or userdata type without a meaning or without a layout, padding that is not 0, a
//! size or count beyond the input, tables deeper than [`Limits::depth`](crate::Limits::depth), bytes after the object.
//! Offsets count bits: [`Offset`](crate::Offset).

mod check;
mod color;
#[cfg(feature = "json")]
mod json;
mod json_template;
mod object;
mod options;
mod quat;
mod save_data;
mod stream;
mod string;
mod table;
mod userdata;
mod uuid;
mod vec3;
mod weak_script_ref;

use std::io;

pub use check::{check, check_with};
pub use color::{color, gen_color, Color};
pub use json_template::{gen_json_template, json_template, JsonTemplate};
pub use object::{gen_lua_object, lua_object, LuaObject, MAGIC, VERSION};
pub use options::{Nesting, Options};
pub use quat::{gen_quat, quat, Quat};
pub use save_data::{gen_lua_save_data, lua_save_data, LuaSaveData, LuaSaveDataType};
pub use stream::{Decoder, Object};
pub use string::{gen_string, string};
pub use table::{gen_table, gen_table_key_value_pair, table, table_key_value_pair, Table, TableKeyValuePair};
pub use userdata::{gen_userdata, userdata, Userdata, UserdataTypeId};
pub use uuid::{gen_uuid, uuid, Uuid, UuidError};
pub use vec3::{gen_vec3, vec3, Vec3};
pub use weak_script_ref::{gen_weak_script_ref, weak_script_ref, WeakScriptRef};

pub use crate::wire::{ByteString, Findings, IntoByteString, Provenance};

use crate::budget;
use crate::error::{DecodeError, EncodeError, EncodeFault, Segment, WriteError};
use crate::wire::{self, all_consuming, gen_bits, generate_into, measure, Log, Tree};

/// Decodes an object. It borrows from the input.
///
/// # Errors
///
/// Anything that the [module](self) calls an error, with its offset and path.
pub fn decode(input: &[u8]) -> Result<LuaObject<'_>, DecodeError> {
    decode_with(input, &Options::new())
}

/// Decodes an object as the options say.
///
/// # Errors
///
/// As for [`decode`], but for what the options allow.
pub fn decode_with<'a>(input: &'a [u8], options: &Options) -> Result<LuaObject<'a>, DecodeError> {
    wire::run(input, all_consuming(options.trailing_bytes, lua_object((*options).into()))).map(|(_, object)| object)
}

/// What could be decoded of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial<'a> {
    /// The object, with every table that the error lies in ending before it; `None` if the error lies in the object, but
    /// in no table.
    pub object: Option<LuaObject<'a>>,
    /// Why the rest could not be decoded.
    pub error: Option<DecodeError>,
}

/// Decodes an object as far as it goes.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{decode_partial, LuaObject, LuaSaveData, Options, Table};
///
/// let partial = decode_partial(b"LUA\0\0\0\x01\x05\0\0\0\x02\x80\0\0\0\x84\x02\x84\x7f", &Options::new());
/// assert_eq!(partial.object, Some(LuaObject::new(Table::list([LuaSaveData::Int8(5)]))));
/// assert_eq!(partial.error.unwrap().path().to_string(), "data.table.elements[1].int8");
/// ```
#[must_use]
pub fn decode_partial<'a>(input: &'a [u8], options: &Options) -> Partial<'a> {
    match decode_with(input, options) {
        Ok(object) => Partial { object: Some(object), error: None },
        Err(error) => Partial { object: wire::recover(input, lua_object((*options).into())), error: Some(error) },
    }
}

/// Every field of an object with its place and value; of a broken object, those before the error.
#[must_use]
pub fn inspect(input: &[u8]) -> Tree {
    inspect_with(input, &Options::new())
}

/// Every field of an object, read as the options say.
#[must_use]
pub fn inspect_with(input: &[u8], options: &Options) -> Tree {
    inspect_within(input, options, budget::DEFAULT)
}

/// Every field, read as the options say, as far as the tree takes no more than so many bytes of memory; 256 MiB unless said
/// otherwise. A tree that would take more ends there and says so: see [`Tree::limit`].
#[must_use]
pub fn inspect_within(input: &[u8], options: &Options, max_memory: usize) -> Tree {
    Log::within(max_memory).trace(input, all_consuming(options.trailing_bytes, lua_object((*options).into())))
}

/// Encodes an object.
///
/// # Errors
///
/// If a string or table is too long for its size or count, or tables nest too deep.
pub fn encode(object: &LuaObject<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let generator = gen_lua_object(Nesting::DEEPEST, object);
    generate_into(generator, &mut bytes).map_err(|reason| located(object, reason))?;
    Ok(bytes)
}

/// The error with the value that it came of. A generator cannot say where it failed, so it runs again, value by value.
#[cold]
fn located(object: &LuaObject<'_>, reason: EncodeFault) -> EncodeError {
    let mut path = vec![Segment::Field("data")];
    let mut at = Some((Nesting::DEEPEST, &object.data));
    while let Some((nesting, value)) = at.take() {
        let (Some(table), Some(inside)) = (value.as_table(), nesting.deeper()) else { break };
        let fails = |value: &LuaSaveData<'_>| measure(gen_bits(gen_lua_save_data(inside, value))).is_err();
        let mut step = |index: usize, half: Option<&'static str>, value| {
            path.extend([Segment::Field("table"), Segment::Field("elements"), Segment::Index(index)]);
            path.extend(half.map(Segment::Field));
            Some((inside, value))
        };
        at = match table {
            Table::Array { elements, .. } => {
                let failed = elements.iter().enumerate().find(|(_, element)| fails(element));
                failed.and_then(|(index, element)| step(index, None, element))
            }
            Table::Pairs(pairs) => {
                let halves = pairs.iter().enumerate().flat_map(|(index, TableKeyValuePair { key, value })| {
                    [(index, "key", key), (index, "value", value)]
                });
                let failed = { halves }.find(|(_, _, value)| fails(value));
                failed.and_then(|(index, half, value)| step(index, Some(half), value))
            }
        };
    }
    EncodeError::new(path.into_iter().collect(), reason)
}

/// Encodes an object and writes it out, in one piece.
///
/// # Errors
///
/// As for [`encode`], in which case nothing is written; or if writing fails.
pub fn encode_to(object: &LuaObject<'_>, mut writer: impl io::Write) -> Result<(), WriteError> {
    Ok(writer.write_all(&encode(object)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_cannot_be_encoded_is_named() {
        let nest = |levels: usize| (0..levels).fold(LuaSaveData::Nil, |inner, _| Table::list([inner]).into());
        assert!(encode(&LuaObject::new(nest(128))).is_ok());
        let pairs = [("good".into(), nest(127)), ("bad".into(), nest(128))];
        let error = encode(&LuaObject::new(Table::from_entries(pairs))).unwrap_err();
        assert_eq!(error.reason(), &EncodeFault::TooDeep);
        let path = error.path().to_string();
        assert!(path.starts_with("data.table.elements[1].value.table.elements[0].table.elements[0]"), "{path}");
        assert!(encode_to(&LuaObject::new(nest(129)), Vec::new()).is_err());
        let mut written = Vec::new();
        encode_to(&LuaObject::default(), &mut written).unwrap();
        assert_eq!(written, encode(&LuaObject::default()).unwrap());
    }
}

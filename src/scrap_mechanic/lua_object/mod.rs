//! Scrap Mechanic LuaObject: values of Lua as the game stores them in saves, blueprints, tiles and packets.
//!
//! An object is packed in bits, from whole byte to whole byte: a Boolean and the form of a table take one bit, and
//! everything after them starts at the bit where they end, up to the next string. Numbers are big-endian.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`] |
//! | decode into a value without a lifetime | [`decode_owned`], [`decode_owned_with`] |
//! | encode | [`encode`], [`encode_to`] |
//! | your own types | `from_bytes` and `to_bytes`, with the feature `text` |
//! | check | [`check`], [`check_with`]: valid? canonical? types that were never seen? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`]; [`inspect_parts`], part by part |
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
//! # Non-canonical bytes
//!
//! `encode(decode(bytes)) == bytes` for everything that decodes, except:
//!
//! 1. padding that is not 0, where [`Options::any_padding`] allows it;
//! 2. bytes after the object, where [`Options::trailing_bytes`] allows them.
//!
//! Both are dropped. Widths, order, repeated keys and the form of every table are kept.
//!
//! # Rejected bytes
//!
//! Another magic or version, a type or userdata type without a meaning or without a layout, padding that is not 0, a
//! size or count beyond the input, tables deeper than [`Limits::depth`](crate::Limits::depth), bytes after the object.
//! Offsets count bits: [`Offset`](crate::Offset).

mod color;
#[cfg(feature = "text")]
mod described;
mod entries;
#[cfg(feature = "text")]
mod json;
mod json_template;
#[cfg(feature = "text")]
mod lua;
#[cfg(feature = "text")]
pub(crate) mod node;
mod object;
mod options;
mod quat;
mod save_data;
mod string;
mod table;
#[cfg(feature = "text")]
mod typed;
mod userdata;
mod uuid;
mod vec3;
mod weak_script_ref;

pub use color::{color, gen_color, Color};
pub use entries::{IntoIter, Iter, IterMut};
pub use json_template::{gen_json_template, json_template, JsonTemplate};
pub use object::{gen_lua_object, lua_object, LuaObject, MAGIC, VERSION};
pub use options::{Nesting, Options};
pub use quat::{gen_quat, quat, Quat};
pub use save_data::{gen_lua_save_data, lua_save_data, LuaSaveData, LuaSaveDataType};
pub use string::{gen_string, string};
pub use table::{gen_table, gen_table_key_value_pair, table, table_key_value_pair, Table, TableKeyValuePair};
#[cfg(feature = "text")]
pub use typed::{from_bytes, from_bytes_with, from_value, from_value_with, to_bytes, to_bytes_with, to_value};
pub use userdata::{gen_userdata, userdata, Userdata, UserdataTypeId};
pub use uuid::{gen_uuid, uuid, Uuid, UuidError};
pub use vec3::{gen_vec3, vec3, Vec3};
pub use weak_script_ref::{gen_weak_script_ref, weak_script_ref, WeakScriptRef};

pub use crate::wire::{ByteString, IntoByteString, Provenance};

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{default_functions, format_functions, owned_by_method, Format, ItemOf, Single, Source, WireError};

/// LuaObject as a [`Format`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LuaObjectFormat;

impl Format for LuaObjectFormat {
    type Options = Options;
    type Value<'a> = LuaObject<'a>;
    type Stream = Single<Self>;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = LuaObject<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        lua_object(options)
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_lua_object(options, value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        items.into_iter().next()
    }
}

owned_by_method!(LuaObject);
format_functions!(LuaObjectFormat);
default_functions!(LuaObjectFormat, Options::new());

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn an_object_is_written_to_a_writer() {
        let nest = |levels: usize| (0..levels).fold(LuaSaveData::Nil, |inner, _| Table::list([inner]).into());
        assert!(encode_to(&LuaObject::new(nest(129)), Vec::new()).is_err());
        let mut written = Vec::new();
        encode_to(&LuaObject::default(), &mut written).unwrap();
        assert_eq!(written, encode(&LuaObject::default()).unwrap());
    }

    #[test]
    fn a_value_is_its_only_item() {
        assert_eq!(LuaObjectFormat::from_items(vec![LuaObject::new(true)]), Some(LuaObject::new(true)));
        assert_eq!(LuaObjectFormat::from_items(vec![]), None);
    }
}

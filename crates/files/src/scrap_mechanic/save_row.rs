//! The column `data` of a row of a save, without the database: `save` reads that.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};
use serde_json::Value;

use crate::address::{Address, Component, Index, Syntax};

use enginewire::error::{DecodeError, EncodeError};
use enginewire::scrap_mechanic::lua_object::{self, LuaSaveData, Table, Uuid};
use enginewire::wire::{
    all_consuming, field, fixed, flat_map, gen_bytes, gen_length, gen_uint16, gen_uint32, gen_uint8, generate_into,
    length_error, run, take, uint16, uint32, uint8, Be, ByteString, IntoByteString, Source, WireError,
};

/// The layout of a row. The fields before the block repeat the other columns.
///
/// | field | Numbered | Reversed | Named |
/// |---|---|---|---|
/// | id | uint32 | | |
/// | world_id | uint16 | | |
/// | channel | uint8 | | |
/// | flags | uint8 | | |
/// | uid | | 16 bytes, in reverse | 16 bytes |
/// | key | | uint16 size, bytes | uint16 size, bytes |
/// | world_id | | | uint16 |
/// | flags | | | uint8 |
/// | block | uint32 size, bytes | uint32 size, bytes | uint32 size, bytes |
///
/// Numbers are big-endian. The block is a raw LZ4 block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Rows with an id and a channel.
    Numbered,
    /// Rows with a uid and a key, and no world.
    Reversed,
    /// Rows with a uid, a key and a world.
    Named,
}

/// The key of a row in its table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowKey<'a> {
    /// By numbers, up to version 26.
    Numbers {
        /// The number of the script.
        id: u32,
        /// The number of the object within the script.
        channel: u8,
    },
    /// By a UUID and a key, from version 26 on.
    Named {
        /// The UUID of its owner.
        uid: Uuid,
        /// The key of the object within the owner: a LuaObject, or a little-endian number of 4 bytes.
        key: ByteString<'a>,
    },
}

/// The uid in its usual form; a key of 4 bytes as its number, and any other by its value.
impl fmt::Display for RowKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowKey::Numbers { id, channel } => write!(f, "id {id} channel {channel}"),
            RowKey::Named { uid, key } => {
                write!(f, "uid {uid} key ")?;
                match (<[u8; 4]>::try_from(key.as_bytes()), lua_object::decode(key)) {
                    (_, Ok(key)) => key_value(&key.data, f),
                    (Ok(number), _) => write!(f, "{}", u32::from_le_bytes(number)),
                    _ => write!(f, "{key:?}"),
                }
            }
        }
    }
}

/// A number, a string or a list of them without its type.
fn key_value(value: &LuaSaveData<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        LuaSaveData::String(text) => write!(f, "{text:?}"),
        LuaSaveData::Table(Table::Array { elements, .. }) => {
            f.write_str("[")?;
            for (index, element) in elements.iter().enumerate() {
                f.write_str(if index > 0 { ", " } else { "" })?;
                key_value(element, f)?;
            }
            f.write_str("]")
        }
        other => match other.as_number() {
            Some(number) => write!(f, "{number}"),
            None => write!(f, "{other:?}"),
        },
    }
}

/// The address of a row: by its key, or by its number where the key cannot be read. Either finds it.
#[must_use]
pub fn address(table: &str, rowid: i64, data: Option<&RowData<'_>>) -> Address {
    let (name, number) = (Component::name(table), u64::try_from(rowid).ok());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let name = match data.map(RowData::members) {
        Some(members) => {
            let key = members.iter().take(2).map(|(name, value)| ((*name).into(), text(value))).collect();
            name.indexed(Index::Columns(key)).also(number.map(Index::Number))
        }
        None => name.numbered(number),
    };
    Address::new(Syntax::Items, [name])
}

/// The table of a row with this address, and the row with its key only; `None` if the address lacks a part of the key.
pub(super) fn key_of(address: &Address) -> Option<(String, RowData<'static>)> {
    let [row] = address.components() else { return None };
    let Index::Columns(columns) = row.index()? else { return None };
    let mut columns: Vec<_> = columns.iter().map(|(name, value)| (&**name, &**value)).collect();
    columns.sort_unstable();
    let key = match columns[..] {
        [("channel", channel), ("id", id)] => RowKey::Numbers { id: id.parse().ok()?, channel: channel.parse().ok()? },
        [("key", key), ("uid", uid)] => {
            let key = base16ct::mixed::decode_vec(key).ok()?.into_byte_string();
            RowKey::Named { uid: uid.parse().ok()?, key }
        }
        _ => return None,
    };
    let data = RowData { key, world_id: None, flags: None, block: Vec::new().into_byte_string() };
    Some((row.text()?.to_str().ok()?.to_owned(), data))
}

/// The address that a row is listed with, from one that has its whole key in another form, such as an upper case uid.
#[must_use]
pub fn listed(address: &Address) -> Option<Address> {
    let (table, data) = key_of(address)?;
    Some(self::address(&table, -1, Some(&data)))
}

/// The column `data` of a row. See [`Layout`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowData<'a> {
    /// The key of the row.
    pub key: RowKey<'a>,
    /// The world it belongs to; 65535 is any, and 65534 none. `None` where the layout has none.
    pub world_id: Option<u16>,
    /// Of unknown meaning. `None` where the layout has none.
    pub flags: Option<u8>,
    /// The stored bytes: a raw LZ4 block.
    pub block: ByteString<'a>,
}

impl<'a> RowData<'a> {
    /// Decodes the column `data` of a row.
    ///
    /// # Errors
    ///
    /// If it is not laid out so.
    pub fn decode(layout: Layout, data: &'a [u8]) -> Result<Self, DecodeError> {
        run(data, all_consuming(false, row_data(layout))).map(|(_, data)| data)
    }

    /// Encodes it. Fields of the layout that it does not have are 0.
    ///
    /// # Errors
    ///
    /// If the key or the block is longer than the layout allows.
    pub fn encode(&self, layout: Layout) -> Result<Vec<u8>, EncodeError> {
        let mut data = Vec::new();
        generate_into(gen_row_data(layout, self), &mut data)?;
        Ok(data)
    }

    /// The key of the row and its other columns, as the members of a JSON object.
    #[must_use]
    pub fn members(&self) -> Vec<(&'static str, serde_json::Value)> {
        let mut members = match &self.key {
            RowKey::Numbers { id, channel } => vec![("id", (*id).into()), ("channel", (*channel).into())],
            RowKey::Named { uid, key } => {
                vec![("uid", uid.to_string().into()), ("key", base16ct::lower::encode_string(key).into())]
            }
        };
        members.extend(self.world_id.map(|world| ("world", world.into())));
        members.extend(self.flags.map(|flags| ("flags", flags.into())));
        members
    }
}

/// Reads a [`RowData`].
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Save files.
pub fn row_data<'a, I, E>(layout: Layout) -> impl Parser<I, Output = RowData<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    RowParser { layout, error: PhantomData }
}

struct RowParser<E> {
    layout: Layout,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for RowParser<E> {
    type Output = RowData<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, RowData<'a>, E> {
        let key = || flat_map(field("size", uint16::<Be, I, E>()), |size: u16| field("key", take(size.into())));
        let block = || flat_map(field("size", uint32::<Be, I, E>()), |size: u32| field("block", take(size.into())));
        let (world_id, flags) = (|| field("world_id", uint16::<Be, I, E>()), || field("flags", uint8::<I, E>()));
        match self.layout {
            Layout::Numbered => {
                let id = field("id", uint32::<Be, I, E>());
                (id, world_id(), field("channel", uint8()), flags(), block())
                    .map(|(id, world_id, channel, flags, block)| RowData {
                        key: RowKey::Numbers { id, channel },
                        world_id: Some(world_id),
                        flags: Some(flags),
                        block: block.into(),
                    })
                    .process::<OM>(input)
            }
            Layout::Reversed => (field("uid", lua_object::uuid()), key(), block())
                .map(|(uid, key, block)| RowData {
                    key: RowKey::Named { uid, key: key.into() },
                    world_id: None,
                    flags: None,
                    block: block.into(),
                })
                .process::<OM>(input),
            Layout::Named => (field("uid", fixed().map(Uuid)), key(), world_id(), flags(), block())
                .map(|(uid, key, world_id, flags, block)| RowData {
                    key: RowKey::Named { uid, key: key.into() },
                    world_id: Some(world_id),
                    flags: Some(flags),
                    block: block.into(),
                })
                .process::<OM>(input),
        }
    }
}

/// Writes a [`RowData`]. Fields of the layout that it does not have are 0.
pub fn gen_row_data<'v, W: Write + 'v>(layout: Layout, row: &'v RowData<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let (id, channel, uid, key) = match &row.key {
            RowKey::Numbers { id, channel } => (*id, *channel, Uuid::default(), &[][..]),
            RowKey::Named { uid, key } => (0, 0, *uid, key.as_bytes()),
        };
        let (world_id, flags) = (row.world_id.unwrap_or_default(), row.flags.unwrap_or_default());
        let key_size = u16::try_from(key.len()).map_err(|_| length_error())?;
        let sized_key = |out| gen_bytes(key)(gen_uint16::<Be, W>(key_size)(out)?);
        let out = match layout {
            Layout::Numbered => {
                let out = gen_uint16::<Be, W>(world_id)(gen_uint32::<Be, W>(id)(out)?)?;
                gen_uint8(flags)(gen_uint8(channel)(out)?)?
            }
            Layout::Reversed => sized_key(lua_object::gen_uuid(uid)(out)?)?,
            Layout::Named => {
                let out = gen_uint16::<Be, W>(world_id)(sized_key(gen_bytes(uid.0)(out)?)?)?;
                gen_uint8(flags)(out)?
            }
        };
        gen_bytes(row.block.as_ref())(gen_length::<Be, W>(row.block.len())(out)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enginewire::scrap_mechanic::lua_object::LuaObject;
    use pretty_assertions::assert_eq;

    const UID: Uuid = Uuid([7; 16]);

    #[test]
    fn a_row_is_decoded_and_encoded() {
        let key = RowKey::Numbers { id: 3, channel: 2 };
        let row = RowData { key, world_id: Some(1), flags: Some(7), block: b"abc"[..].into_byte_string() };
        let bytes = row.encode(Layout::Numbered).unwrap();
        assert_eq!(bytes, [0, 0, 0, 3, 0, 1, 2, 7, 0, 0, 0, 3, b'a', b'b', b'c']);
        assert_eq!(RowData::decode(Layout::Numbered, &bytes).unwrap(), row);
        assert!(RowData::decode(Layout::Numbered, &bytes[..14]).is_err());
        let key = RowKey::Named { uid: UID, key: vec![0; 65_536].into_byte_string() };
        assert!(RowData { key, ..row }.encode(Layout::Named).is_err());
    }

    fn key(key: &[u8]) -> String {
        let shown = RowKey::Named { uid: UID, key: key.into_byte_string() }.to_string();
        shown.strip_prefix(&format!("uid {UID} key ")).unwrap().to_owned()
    }

    #[test]
    fn keys_are_shown_by_their_value() {
        assert_eq!(RowKey::Numbers { id: 3, channel: 2 }.to_string(), "id 3 channel 2");
        let object = |data: LuaSaveData<'static>| key(&lua_object::encode(&LuaObject::new(data)).unwrap());
        assert_eq!(key(&[1, 1, 0, 0]), "257");
        assert_eq!(key(b"abc"), "\"abc\"");
        assert_eq!(object("a".into()), "\"a\"");
        assert_eq!(object(5.into()), "5");
        assert_eq!(object(Table::list([1.into(), "b".into(), LuaSaveData::Nil]).into()), "[1, \"b\", Nil]");
        assert_eq!(object(Table::list([]).into()), "[]");
    }
}

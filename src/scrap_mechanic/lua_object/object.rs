//! LuaObject.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::Nesting;
use super::save_data::{gen_lua_save_data, lua_save_data, LuaSaveData};
use crate::error::Radix;
use crate::wire::{
    align, bits, field, fields, gen_bits, gen_bytes, gen_field, gen_uint32, magic, uint32, unknown, verify, Be, Source,
    WireError,
};

/// The first bytes of an object.
pub const MAGIC: &[u8] = b"LUA";

/// The version of the layout. No other is known.
pub const VERSION: u32 = 1;

/// A value of Lua, as the game stores it.
///
/// | field | bits | type |
/// |---|---|---|
/// | magic | 24 | `LUA` |
/// | version | 32 | uint32, big-endian: 1 |
/// | data | | [`LuaSaveData`] |
/// | padding | 0 to 7 | up to a whole byte |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LuaObject<'a> {
    /// The value.
    pub data: LuaSaveData<'a>,
}

impl<'a> LuaObject<'a> {
    /// The object of a value.
    pub fn new(data: impl Into<LuaSaveData<'a>>) -> Self {
        LuaObject { data: data.into() }
    }

    /// The same object, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> LuaObject<'static> {
        LuaObject { data: self.data.into_owned() }
    }
}

/// Reads a [`LuaObject`], from whole bytes to whole bytes.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{lua_object, LuaSaveData, Options};
/// use enginewire::wire::Traceback;
/// use nom::Parser;
///
/// let mut parser = lua_object::<_, Traceback<&[u8]>>(Options::new());
/// let (rest, object) = parser.parse_complete(&b"LUA\0\0\0\x01\x08\x11rest"[..]).unwrap();
/// assert_eq!((object.data, rest), (LuaSaveData::Int8(17), &b"rest"[..]));
/// ```
///
/// nom's `parse` is for streams: it returns `Incomplete` where the input ends. If all bytes are there, such as those of a part that
/// was cut out, call `parse_complete`. [`length_delimited`](crate::wire::length_delimited) knows that its part is complete.
///
/// In big-endian, the bytes `4c 55 41 00 00 00 01 08 11` are `LuaSaveData::Int8(17)`. Another magic or version is refused, a
/// value that [`lua_save_data`] refuses, and padding that is not 0, unless
/// [`Options::any_padding`](super::Options::any_padding) allows it.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section LuaObject.
#[inline]
pub fn lua_object<'a, I, E>(options: impl Into<Nesting>) -> impl Parser<I, Output = LuaObject<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let nesting = options.into();
    bits(fields((
        field("magic", magic(MAGIC)),
        field("version", version()),
        field("data", lua_save_data(nesting)),
        align(nesting.options().any_padding),
    )))
    .map(|(_, _, data, ())| LuaObject { data })
}

#[inline]
fn version<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    verify(uint32::<Be, I, E>(), |found| match found {
        VERSION => Ok(found),
        _ => Err(unknown("version", Radix::Decimal, found, [VERSION])),
    })
}

/// Writes a [`LuaObject`], as [`lua_object`] reads it. A value that [`gen_lua_save_data`] refuses is refused.
pub fn gen_lua_object<'v, W: Write + 'v>(
    options: impl Into<Nesting>,
    object: &'v LuaObject<'_>,
) -> impl SerializeFn<W> + 'v {
    let nesting = options.into();
    gen_bits(move |out: WriteContext<_>| {
        let out = gen_uint32::<Be, _>(VERSION)(gen_bytes(MAGIC)(out)?)?;
        gen_field("data", gen_lua_save_data(nesting, &object.data))(out)
    })
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::super::userdata::Userdata;
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        for (bytes, data) in [
            ("4c5541 00000001 01", LuaSaveData::Nil),
            ("4c5541 00000001 02 80", true.into()),
            ("4c5541 00000001 08 11", LuaSaveData::Int8(17)),
            ("4c5541 00000001 64 00002737 00000001", Userdata::ScriptableObject(1).into()),
            (
                "4c5541 00000001 05 00000001 02 00 00 00 02 00 6d6f6465 08 00",
                Table::from_entries([("mode".into(), LuaSaveData::Int8(0))]).into(),
            ),
        ] {
            let object = LuaObject::new(data);
            let generator = gen_lua_object(Nesting::default(), &object);
            both_ways(&hex(bytes), object.clone(), || lua_object(Nesting::default()), generator);
        }
    }
}

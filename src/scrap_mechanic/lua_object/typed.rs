//! Rust types in and out of objects, through serde.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::object::LuaObject;
use super::options::Options;
use super::save_data::{LuaSaveData, LuaSaveDataType};
use super::table::Table;
use super::userdata::{Userdata, UserdataTypeId};
use super::{decode_with, encode_with, inspect_with};
use crate::error::{DecodeError, EncodeError};
use crate::member::typed::Typed;
use crate::member::{Child, Given, Held, Holder, Member, Mismatch};
use crate::typed::look::{text, Rare};
use crate::typed::{self, Build, BuildError, Leniency, Look, Neutral, ReadError, Rules};
use crate::wire::IntoByteString;

/// Reads a Rust type from an object. See [`typed`](crate::typed).
///
/// ```
/// use enginewire::scrap_mechanic::lua_object;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Switch {
///     mode: u8,
/// }
///
/// let bytes = lua_object::to_bytes(&Switch { mode: 3 })?;
/// assert_eq!(lua_object::from_bytes::<Switch>(&bytes)?.mode, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`decode`](super::decode), and if the object has another form than the type.
pub fn from_bytes<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, DecodeError> {
    from_bytes_with(bytes, &Options::new(), Leniency::new())
}

/// Reads a Rust type from an object, as the options and the leniency say.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, Options};
/// use enginewire::typed::Leniency;
///
/// let padded = b"LUA\0\0\0\x01\x02\xff";
/// assert!(lua_object::from_bytes_with::<bool>(padded, &Options::new().any_padding(true), Leniency::new())?);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_bytes`].
pub fn from_bytes_with<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    options: &Options,
    leniency: Leniency,
) -> Result<T, DecodeError> {
    let object = decode_with(bytes, options)?;
    typed::read_value(&object.data, leniency).map_err(|error| located(error, bytes, options))
}

#[cold]
fn located(error: ReadError, bytes: &[u8], options: &Options) -> DecodeError {
    error.locate(&["data"], || inspect_with(bytes, options), || decode_with(bytes, options).err())
}

/// Reads a Rust type from an object in memory. Text that the type borrows must be borrowed by the object.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
///
/// assert_eq!(lua_object::from_value::<&str>(LuaObject::new("on"))?, "on");
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If it has another form than the type. The offset counts from the start of what `encode` writes for it.
pub fn from_value<'a, T: Deserialize<'a>>(object: LuaObject<'a>) -> Result<T, DecodeError> {
    from_value_with(object, Leniency::new())
}

/// Reads a Rust type from an object in memory, as the leniency says.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, LuaObject, Table};
/// use enginewire::typed::Leniency;
///
/// #[derive(serde::Deserialize)]
/// struct Switch {
///     mode: u8,
/// }
///
/// let twice = LuaObject::new(Table::from_entries([("mode".into(), 1.into()), ("mode".into(), 2.into())]));
/// assert!(lua_object::from_value::<Switch>(twice.clone()).is_err());
/// assert_eq!(lua_object::from_value_with::<Switch>(twice, Leniency::new().last_duplicate(true))?.mode, 2);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_value`].
pub fn from_value_with<'a, T: Deserialize<'a>>(object: LuaObject<'a>, leniency: Leniency) -> Result<T, DecodeError> {
    typed::read_value(&object.data, leniency).map_err(|error| {
        let options = Options::new();
        located(error, &encode_with(&object, &options).unwrap_or_default(), &options)
    })
}

/// Writes a Rust type as an object.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object;
///
/// assert_eq!(lua_object::to_bytes(&17)?, b"LUA\0\0\0\x01\x08\x11");
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// If no such value, such as an integer that is between two numbers of 64 bits.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, EncodeError> {
    to_bytes_with(value, &Options::new())
}

/// Writes a Rust type as an object, as the options say.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, Options};
///
/// assert_eq!(lua_object::to_bytes_with(&true, &Options::new())?, b"LUA\0\0\0\x01\x02\x80");
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_bytes_with<T: Serialize + ?Sized>(value: &T, options: &Options) -> Result<Vec<u8>, EncodeError> {
    encode_with(&to_value(value)?, options)
}

/// Makes an object of a Rust type.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
///
/// assert_eq!(lua_object::to_value("on")?, LuaObject::new("on"));
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<LuaObject<'static>, EncodeError> {
    Ok(LuaObject { data: typed::build(|writer| value.serialize(writer))? })
}

const RULES: Rules = Rules {
    exact: "$enginewire::scrap_mechanic::LuaSaveData",
    whole: true,
    text_keys: false,
    tables: true,
    empty_unit: false,
    structures: false,
};

impl<'a> Holder<'a> for LuaSaveData<'a> {
    fn held(&self) -> Held {
        match self.as_table() {
            Some(Table::Array { offset, elements }) => {
                Held::List { first: Some((*offset).into()), length: elements.len() }
            }
            Some(Table::Pairs(pairs)) => Held::Map { length: pairs.len(), named: false },
            None => Held::Nothing,
        }
    }

    fn child(&self, index: usize) -> Option<Child<'_, 'a, Self>> {
        Some(Child::Value(match self {
            LuaSaveData::Table(Table::Array { elements, .. }) => elements.get(index)?,
            LuaSaveData::Table(Table::Pairs(pairs)) => match (pairs.get(index / 2)?, index % 2) {
                (pair, 0) => &pair.key,
                (pair, _) => &pair.value,
            },
            _ => return None,
        }))
    }
}

impl<'de> typed::Value<'de> for LuaSaveData<'de> {
    const RULES: Rules = RULES;

    fn type_name(&self) -> &'static str {
        self.value_type()
    }

    fn is_unit(&self) -> bool {
        matches!(self, LuaSaveData::Nil)
    }

    fn look_of_leaf(&self) -> Look<'de> {
        match self {
            LuaSaveData::Nil => Look::Unit,
            LuaSaveData::Boolean(value) => Look::Bool(*value),
            LuaSaveData::Int8(number) => Look::Int((*number).into()),
            LuaSaveData::Int16(number) => Look::Int((*number).into()),
            LuaSaveData::Int32(number) => Look::Int((*number).into()),
            LuaSaveData::Number(number) => Look::Single(*number),
            LuaSaveData::Double(number) => Look::Double(*number),
            LuaSaveData::String(content) | LuaSaveData::Json(content) => Look::Rare(Rare::Text(text(content))),
            LuaSaveData::Userdata(userdata) => match userdata {
                Userdata::Uuid(value) => Look::Rare(Rare::Neutral(Neutral::of_member(value))),
                Userdata::Vec3(value) => Look::Rare(Rare::Neutral(Neutral::of_member(value))),
                Userdata::Quat(value) => Look::Rare(Rare::Neutral(Neutral::of_member(value))),
                Userdata::Color(value) => Look::Rare(Rare::Neutral(Neutral::of_member(value))),
                handle => handle.handle().map_or(Look::Unit, |handle| Look::Uint(handle.into())),
            },
            leaf => Look::Rare(Rare::Neutral(Neutral::of_member(leaf.bare()))),
        }
    }

    fn to_exact(&self) -> Option<Vec<u8>> {
        encode_with(&LuaObject { data: self.clone() }, &Options::new()).ok()
    }
}

impl Build for LuaSaveData<'static> {
    const RULES: Rules = RULES;
    const FORMAT: &'static str = "LuaObject";

    fn none() -> Option<Self> {
        Some(LuaSaveData::Nil)
    }

    fn unit() -> Self {
        LuaSaveData::Nil
    }

    fn bool(value: bool) -> Self {
        LuaSaveData::Boolean(value)
    }

    fn int(number: i64) -> Result<Self, BuildError> {
        match i32::try_from(number) {
            Ok(number) => Ok(LuaSaveData::integer(number)),
            Err(_) => Self::exact_double(number).map(LuaSaveData::number),
        }
    }

    fn single(number: f32) -> Self {
        LuaSaveData::number(number.into())
    }

    fn double(number: f64) -> Self {
        LuaSaveData::number(number)
    }

    fn text(text: Cow<'static, str>) -> Self {
        LuaSaveData::String(text.into())
    }

    fn bytes(bytes: Vec<u8>) -> Self {
        LuaSaveData::String(bytes.into_byte_string())
    }

    fn seq(items: Vec<Self>) -> Self {
        LuaSaveData::Table(Table::list(items))
    }

    fn map(entries: Vec<(Self, Self)>) -> Self {
        LuaSaveData::Table(Table::from_entries(entries))
    }

    fn of_type(name: &str, plain: Neutral<'static>) -> Result<Option<Self>, BuildError> {
        let value = match LuaSaveDataType::ALL.iter().find(|id| id.name() == name) {
            Some(LuaSaveDataType::Nil | LuaSaveDataType::Userdata) => return Err(Self::no_type(name)),
            Some(LuaSaveDataType::Table) => return plain.build(),
            Some(id) => plain.take(|given| LuaSaveData::take_of(*id, given)),
            None => {
                let id = UserdataTypeId::ALL.iter().find(|id| id.name() == name).copied();
                let id = id.ok_or_else(|| Self::no_type(name))?;
                plain.take(|given| userdata(id, given)).map(LuaSaveData::Userdata)
            }
        };
        value.map(Some).map_err(|error| BuildError::new(format!("as a {name}: {error}")))
    }

    fn of_exact(bytes: &[u8]) -> Option<Self> {
        decode_with(bytes, &Options::new()).ok().map(|object| object.data.into_owned())
    }
}

/// Userdata of this type.
fn userdata(id: UserdataTypeId, given: Given<'_>) -> Result<Userdata, Mismatch> {
    match id {
        UserdataTypeId::Uuid => Member::take(given).map(Userdata::Uuid),
        UserdataTypeId::Vec3 => Member::take(given).map(Userdata::Vec3),
        UserdataTypeId::Quat => Member::take(given).map(Userdata::Quat),
        UserdataTypeId::Color => Member::take(given).map(Userdata::Color),
        id => {
            let handle = Userdata::from_handle(id, Member::take(given)?);
            handle.ok_or_else(|| given.custom(format_args!("{} has no handle", id.name())))
        }
    }
}

//! Values that hold no others: which type a text shows, and which has to be named.

use std::fmt;

use super::forms::is_thing;
use crate::notation::{expected, name, word, written, Example, Form, Lua, Read};
use crate::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType, UserdataTypeId};

/// An example of each type.
const fn example(id: LuaSaveDataType) -> &'static str {
    match id {
        LuaSaveDataType::Nil => "nil",
        LuaSaveDataType::Boolean => "true",
        LuaSaveDataType::Number => "0.5",
        LuaSaveDataType::String => "\"text\"",
        LuaSaveDataType::Table => "{mode = 2, [3] = \"x\"}",
        LuaSaveDataType::Int32 => "70000",
        LuaSaveDataType::Int16 => "300",
        LuaSaveDataType::Int8 => "5",
        LuaSaveDataType::Json => "\"{}\"",
        LuaSaveDataType::Double => "0.1",
        LuaSaveDataType::JsonTemplate => {
            "JsonTemplate.new(sm.uuid.new(\"00112233-4455-6677-8899-aabbccddeeff\"), \"{}\")"
        }
        LuaSaveDataType::Userdata => "sm.vec3.new(1, 2, 3)",
        LuaSaveDataType::WeakScriptRef => "WeakScriptRef.new(7, true)",
    }
}

pub(super) fn shape(id: LuaSaveDataType) -> Example {
    Example { name: id.name(), example: example(id) }
}

/// A number without the name of its type.
pub(super) fn number(input: &str) -> Read<'_, LuaSaveData<'static>> {
    // one whose bits have to be said
    if let Ok((rest, nan)) = <f32 as Form<Lua>>::read(input)
        && nan.is_nan()
    {
        return Ok((rest, LuaSaveData::Number(nan)));
    }
    let (rest, number) = <f64 as Form<Lua>>::read(input)?;
    let value = if number.is_nan() { LuaSaveData::Double(number) } else { LuaSaveData::number(number) };
    Ok((rest, value))
}

/// Reads a value of this type, which is not a table.
pub(super) fn read_leaf(id: LuaSaveDataType, input: &str) -> Read<'_, LuaSaveData<'static>> {
    fn of<'t, T: Form<Lua>>(
        input: &'t str,
        value: impl FnOnce(T) -> LuaSaveData<'static>,
    ) -> Read<'t, LuaSaveData<'static>> {
        T::read(input).map(|(rest, read)| (rest, value(read)))
    }
    match id {
        LuaSaveDataType::Nil => name("nil")(input).map(|(rest, ())| (rest, LuaSaveData::Nil)),
        LuaSaveDataType::Boolean => of(input, LuaSaveData::Boolean),
        LuaSaveDataType::Number => of(input, LuaSaveData::Number),
        LuaSaveDataType::String => of(input, LuaSaveData::String),
        LuaSaveDataType::Int32 => of(input, LuaSaveData::Int32),
        LuaSaveDataType::Int16 => of(input, LuaSaveData::Int16),
        LuaSaveDataType::Int8 => of(input, LuaSaveData::Int8),
        LuaSaveDataType::Json => of(input, LuaSaveData::Json),
        LuaSaveDataType::Double => of(input, LuaSaveData::Double),
        LuaSaveDataType::JsonTemplate => of(input, LuaSaveData::JsonTemplate),
        LuaSaveDataType::Userdata => of(input, LuaSaveData::Userdata),
        LuaSaveDataType::WeakScriptRef => of(input, LuaSaveData::WeakScriptRef),
        LuaSaveDataType::Table => expected(input, shape(id)),
    }
}

/// Writes a value that is not a table.
pub(super) fn write_leaf(value: &LuaSaveData<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match value {
        LuaSaveData::Nil => out.write_str("nil"),
        LuaSaveData::Boolean(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Number(value) => Form::<Lua>::write(value, out),
        LuaSaveData::String(value) | LuaSaveData::Json(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Int32(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Int16(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Int8(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Double(value) => Form::<Lua>::write(value, out),
        LuaSaveData::JsonTemplate(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Userdata(value) => value.write(out),
        LuaSaveData::WeakScriptRef(value) => Form::<Lua>::write(value, out),
        LuaSaveData::Table(_) => Ok(()),
    }
}

/// The type that the text alone shows, if it is one of several that look alike.
pub(super) fn shown(input: &str) -> Option<LuaSaveDataType> {
    let name = word(input).map_or("", |(_, name)| name);
    match (input.chars().next()?, name) {
        ('"' | '\'', _) => Some(LuaSaveDataType::String),
        (_, "nil") => Some(LuaSaveDataType::Nil),
        (_, "true" | "false") => Some(LuaSaveDataType::Boolean),
        (_, "sm") => Some(LuaSaveDataType::Userdata),
        (_, "JsonTemplate") => Some(LuaSaveDataType::JsonTemplate),
        (_, "WeakScriptRef") => Some(LuaSaveDataType::WeakScriptRef),
        (_, name) => {
            let is_thing = |id: &&UserdataTypeId| id.name() == name && is_thing(**id);
            UserdataTypeId::ALL.iter().find(is_thing).map(|_| LuaSaveDataType::Userdata)
        }
    }
}

/// True if the text alone would not give the type of this number or string, so that the type has to be named.
pub(super) fn has_to_be_named(value: &LuaSaveData<'_>) -> bool {
    let is_number = match value {
        LuaSaveData::Json(_) => return true,
        LuaSaveData::Int8(_) | LuaSaveData::Int16(_) | LuaSaveData::Int32(_) => true,
        LuaSaveData::Number(_) | LuaSaveData::Double(_) => true,
        _ => return false,
    };
    let text = written(|out| write_leaf(value, out));
    let by_itself = number(&text).map(|(_, value)| value);
    is_number && !by_itself.is_ok_and(|other| is_same_number(value, &other))
}

fn is_same_number(one: &LuaSaveData<'_>, other: &LuaSaveData<'_>) -> bool {
    match (one, other) {
        (LuaSaveData::Number(one), LuaSaveData::Number(other)) => one.to_bits() == other.to_bits(),
        (LuaSaveData::Double(one), LuaSaveData::Double(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

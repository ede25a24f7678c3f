//! Structures as calls, and the objects of the game.

use std::fmt;

use nom::branch::alt;
use nom::Parser;

use crate::notation::{call, calls, expected, parenthesised, space, word, Form, Lua, Read};
use crate::scrap_mechanic::lua_object::{
    Color, JsonTemplate, Quat, Userdata, UserdataTypeId, Uuid, Vec3, WeakScriptRef,
};
use crate::wire::ByteString;

calls! {
    Lua;
    Vec3 = "sm.vec3.new"(x, y, z);
    Quat = "sm.quat.new"(x, y, z, w);
    Color = "sm.color.new"(r, g, b, a) or color_of_hex;
    JsonTemplate<'_> = "JsonTemplate.new"(uuid, json);
    WeakScriptRef = "WeakScriptRef.new"(ref_id, flag);
}

/// `sm.color.new("ff8000")`, with or without the bytes of how opaque it is.
fn color_of_hex(input: &str) -> Read<'_, Color> {
    let (rest, text) = call("sm.color.new", <ByteString<'_> as Form<Lua>>::read).parse(input)?;
    let digits = std::str::from_utf8(&text).unwrap_or_default().trim_start_matches('#');
    let digits = if digits.len() == 6 { format!("{digits}ff") } else { digits.to_owned() };
    let is_hex = digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    match u32::from_str_radix(&digits, 16) {
        Ok(number) if is_hex => {
            let [r, g, b, a] = number.to_be_bytes().map(|part| f32::from(part) / 255.0);
            Ok((rest, Color { r, g, b, a }))
        }
        _ => expected(space(input), "hexadecimal digits such as sm.color.new(\"ff8000\")"),
    }
}

/// `sm.uuid.new("00112233-4455-6677-8899-aabbccddeeff")`
impl Form<Lua> for Uuid {
    fn read(input: &str) -> Read<'_, Self> {
        let (rest, text) = call("sm.uuid.new", <ByteString<'_> as Form<Lua>>::read).parse(input)?;
        match std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok()) {
            Some(uuid) => Ok((rest, uuid)),
            None => expected(space(input), "a UUID such as 00112233-4455-6677-8899-aabbccddeeff in quotes"),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "sm.uuid.new(\"{self}\")")
    }
}

/// A structure as a call, something in the world by its type and number: `Shape(7)`.
impl Form<Lua> for Userdata {
    fn read(input: &str) -> Read<'_, Self> {
        let thing = |input| {
            let input = space(input);
            let read = word(input).ok();
            let id = |name| UserdataTypeId::ALL.iter().find(|id| id.name() == name && is_thing(**id));
            let Some((rest, id)) = read.and_then(|(rest, name)| Some((rest, id(name)?))) else {
                return expected(input, "an object of the game such as sm.vec3.new(1, 2, 3) or Shape(7)");
            };
            let (rest, number) = parenthesised(<u32 as Form<Lua>>::read).parse(rest)?;
            match Userdata::from_handle(*id, number) {
                Some(thing) => Ok((rest, thing)),
                None => expected(input, "something with a number"),
            }
        };
        alt((
            thing,
            <Uuid as Form<Lua>>::read.map(Userdata::Uuid),
            <Vec3 as Form<Lua>>::read.map(Userdata::Vec3),
            <Quat as Form<Lua>>::read.map(Userdata::Quat),
            <Color as Form<Lua>>::read.map(Userdata::Color),
        ))
        .parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Userdata::Uuid(value) => value.write(out),
            Userdata::Vec3(value) => Form::<Lua>::write(value, out),
            Userdata::Quat(value) => Form::<Lua>::write(value, out),
            Userdata::Color(value) => Form::<Lua>::write(value, out),
            thing => write!(out, "{}({})", thing.type_id().name(), thing.handle().unwrap_or_default()),
        }
    }
}

pub(super) fn is_thing(id: UserdataTypeId) -> bool {
    Userdata::from_handle(id, 0).is_some()
}

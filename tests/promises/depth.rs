//! Promise: a value may be as deep as the limit, whichever way it comes or goes, and one level more is an exact error.
//! `depth.txt` has the deepest value of every door and the error of a deeper one; `UPDATE_GOLDEN=1` writes it.

use std::fmt::{Display, Write};

use enginewire::formats::PlainJson;
use enginewire::formats::{self, set_plain, Described, FormatOptions, JsonForm, JsonWriter, Notation, Plain};
use enginewire::godot::{self, Dictionary, Object, Property, Variant};
use enginewire::roblox::datatypes::{CFrame, Rotation, Vector3};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData, Table, TableKeyValuePair};
use enginewire::typed::Leniency;
use enginewire::wire::IntoByteString;
use enginewire::{DecodeError, EncodeError};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::codec::{Options, Value};
use crate::support::golden::golden;
use crate::support::typed::Any;
use crate::support::{Codec, Godot, RobloxAttributes, RobloxRemote, ScrapMechanicLua};

/// The nesting of a format's values.
struct Nests<C: Codec, V: 'static> {
    /// A value that nests no further, and an empty container.
    innermost: [V; 2],
    /// Containers of an item, some with another before it.
    containers: &'static [fn(V) -> V],
    whole: fn(V) -> Value<'static, C>,
    to_bytes: fn(Any, &Options<C>) -> Result<Vec<u8>, EncodeError>,
    from_bytes: fn(&[u8], &Options<C>) -> Result<Any, DecodeError>,
}

/// The indices of the innermost value and of the container around it; true if all containers are of that kind.
type Shape = (usize, usize, bool);

type Door<'d> = (&'static str, Box<dyn Fn(usize) -> Result<(), String> + 'd>);

impl<C: Codec, V: Clone> Nests<C, V> {
    /// A value in `levels` containers: every kind in turn from `first`, or that kind alone.
    fn value(&self, levels: usize, (innermost, first, alone): Shape) -> Value<'static, C> {
        let step = if alone { self.containers.len() } else { 1 };
        let containers = self.containers.iter().cycle().skip(first).step_by(step).take(levels);
        (self.whole)(containers.fold(self.innermost[innermost].clone(), |inner, container| container(inner)))
    }

    fn say(&self) -> String {
        let (mut said, most) = (String::new(), usize::from(C::max_depth()));
        for innermost in 0..2 {
            for first in 0..self.containers.len() {
                self.say_within(3, (innermost, first, false), &mut said);
                // the others would be much of the same
                if innermost == 0 || first == 0 {
                    self.say_within(most, (innermost, first, true), &mut said);
                }
            }
        }
        said
    }

    fn say_within(&self, limit: usize, shape: Shape, said: &mut String) {
        writeln!(said, "== {}, limit {limit}, shape {shape:?}", C::NAME).unwrap();
        let mut outcomes: Vec<(String, Vec<&str>)> = Vec::new();
        for (name, door) in self.doors(limit, shape) {
            assert_eq!(door(limit - 1), Ok(()), "{name}");
            let levels = limit..limit + 4;
            let outcome = match levels.clone().find_map(|levels| Some((levels - 1, door(levels).err()?))) {
                Some((deepest, error)) => format!("{deepest} levels, then: {}", shortened(&error)),
                None => format!("{} levels and more", levels.end - 1),
            };
            match outcomes.iter_mut().find(|(other, _)| *other == outcome) {
                Some((_, names)) => names.push(name),
                None => outcomes.push((outcome, vec![name])),
            }
        }
        for (outcome, names) in outcomes {
            writeln!(said, "{}\n  {outcome}", names.join(", ")).unwrap();
        }
    }

    /// Every way to read or write a value, as a function of its levels.
    fn doors(&self, limit: usize, shape: Shape) -> Vec<Door<'_>> {
        fn told<T, E: Display>(result: Result<T, E>) -> Result<(), String> {
            result.map(drop).map_err(|error| error.to_string())
        }
        let format = formats::by_name(C::NAME).unwrap();
        let given = move || FormatOptions::new().set("max_depth", u16::try_from(limit).unwrap()).unwrap();
        let options = move || C::Described::options(&given());
        let value = move |levels| self.value(levels, shape);
        let bytes = move |levels| C::encode(&value(levels)).unwrap_or_else(|_| C::deepest()[1].clone());
        let plain =
            move |levels| serde_json::to_string(&Plain::new(C::Described::node(&value(levels)), format.notation()));
        let lists = |levels| (0..levels).fold(Any::Bool(true), |inner, _| Any::List(vec![Any::Bool(true), inner]));
        let write = move |form, levels| {
            format.decode_json(&bytes(levels), &given(), &mut JsonWriter::new(&mut Vec::new()).form(form))
        };
        vec![
            ("decode", Box::new(move |levels| told(C::decode(&bytes(levels), &options())))),
            ("check", Box::new(move |levels| told(C::check(&bytes(levels), &options())))),
            (
                "inspect",
                Box::new(move |levels| told(C::inspect(&bytes(levels), &options()).error().map_or(Ok(()), Err))),
            ),
            (
                "stream",
                Box::new(move |levels| {
                    let mut stream = format.stream(usize::MAX, &given());
                    stream.push(&bytes(levels));
                    while stream.next().is_some() {}
                    told(stream.finish())
                }),
            ),
            ("encode", Box::new(move |levels| told(C::encode_with(&value(levels), &options())))),
            ("JSON out", Box::new(move |levels| told(write(JsonForm::Exact, levels)))),
            (
                "JSON in",
                Box::new(move |levels| told(format.encode_json(C::to_json(value(levels)).as_bytes(), &given()))),
            ),
            ("JSON to a value", Box::new(move |levels| told(C::from_json(C::to_json(value(levels)).as_bytes())))),
            ("plain JSON out", Box::new(move |levels| told(write(JsonForm::Plain, levels)))),
            (
                "plain JSON in",
                Box::new(move |levels| {
                    let text = plain(levels).unwrap();
                    told(format.encode_form(JsonForm::Plain, text.as_bytes(), Some(&bytes(levels)), &given()))
                }),
            ),
            ("notation out", Box::new(move |levels| told(format.decode_notation(&bytes(levels), &given())))),
            (
                "notation in",
                Box::new(move |levels| {
                    told(format.encode_notation(&C::Described::to_notation(&value(levels)), &given()))
                }),
            ),
            (
                "notation to a value",
                Box::new(move |levels| C::notation(&value(levels)).into_iter().try_for_each(|(_, again)| told(again))),
            ),
            ("serde in", Box::new(move |levels| told((self.from_bytes)(&bytes(levels), &options())))),
            ("serde out", Box::new(move |levels| told((self.to_bytes)(lists(levels), &options())))),
        ]
    }
}

/// A text whose long middle repeats itself.
fn shortened(text: &str) -> String {
    match text.len() {
        length @ 500.. => format!("{} … {} of {length} bytes", &text[..150], &text[length - 150..]),
        _ => text.to_owned(),
    }
}

fn attributes() -> Nests<RobloxAttributes, attributes::Value<'static>> {
    use attributes::{Entry, Value};
    let cframe = CFrame { position: Vector3::default(), rotation: Rotation::Matrix([0.5; 9]) };
    Nests {
        innermost: [cframe.into(), Value::Array([].into())],
        containers: &[
            |inner| Value::Array([true.into(), inner].into()),
            |inner| Value::Dictionary([Entry::new("good", true), Entry::new("bad", inner)].into()),
        ],
        whole: |value| [("good", true.into()), ("bad", value)].into_iter().collect(),
        to_bytes: |any, options| attributes::to_bytes_with(&Any::Map(vec![(Any::Text("bad".into()), any)]), options),
        from_bytes: |bytes, options| attributes::from_bytes_with(bytes, options, Leniency::new()),
    }
}

fn remote() -> Nests<RobloxRemote, remote::Value<'static>> {
    use remote::{Event, PackedQuaternion, PacketData, Pair, Value};
    let rotation = PackedQuaternion::from_bytes([0x54, 0, 0x93, 0x91, 0xa6, 0xcc]).unwrap().into();
    Nests {
        innermost: [remote::CFrame { position: Vector3::default(), rotation }.into(), Value::Array([].into())],
        containers: &[
            |inner| Value::Array([Value::Nil, inner].into()),
            |inner| Value::Dictionary([Pair::new("good", true), Pair::new("bad", inner)].into()),
        ],
        whole: |value| {
            let event = Event::OnClientEvent { arguments: [true.into(), value].into() };
            [PacketData { remote: None, event_id: 0x0b6f, event }].into_iter().collect()
        },
        to_bytes: |any, options| remote::to_bytes_with(&[any], options),
        // the arguments of the only event
        from_bytes: |bytes, options| {
            let head = if bytes[2] == 0 { 5 } else { 9 };
            remote::from_bytes_with(&bytes[head..bytes.len() - 1], options, Leniency::new())
        },
    }
}

fn lua() -> Nests<ScrapMechanicLua, LuaSaveData<'static>> {
    Nests {
        innermost: [LuaSaveData::Nil, Table::list([]).into()],
        containers: &[
            |inner| Table::list([true.into(), inner]).into(),
            |inner| Table::from_entries([("good".into(), true.into()), ("bad".into(), inner)]).into(),
            |inner| Table::Pairs([TableKeyValuePair { key: inner, value: true.into() }].into()).into(),
        ],
        whole: LuaObject::new,
        to_bytes: |any, options| lua_object::to_bytes_with(&any, options),
        from_bytes: |bytes, options| lua_object::from_bytes_with(bytes, options, Leniency::new()),
    }
}

fn godot<const VERSION: u8>() -> Nests<Godot<VERSION>, Variant<'static>> {
    Nests {
        innermost: [Variant::Null, Vec::<Variant<'_>>::new().into()],
        containers: &[
            |inner| vec![true.into(), inner].into(),
            |inner| Dictionary::new([("good".into(), true.into()), ("bad".into(), inner)]).into(),
            |inner| Dictionary::new([(inner, Variant::Null)]).into(),
            |inner| Object::new("C", [Property { name: "p".into_byte_string(), value: inner }]).into(),
        ],
        whole: |value| value,
        to_bytes: |any, options| godot::to_bytes_with(&any, options),
        from_bytes: |bytes, options| godot::from_bytes_with(bytes, options, Leniency::new()),
    }
}

/// Runs `work` with the stack of an ordinary thread.
fn apart<T: Send + 'static>(work: fn() -> T) -> std::thread::JoinHandle<T> {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap()
}

#[test]
fn every_door_is_as_deep_as_the_limit() {
    let formats: [fn() -> String; 5] =
        [|| attributes().say(), || remote().say(), || lua().say(), || godot::<3>().say(), || godot::<4>().say()];
    let said: String = formats.map(apart).map(|thread| thread.join().unwrap()).concat();
    golden("tests/promises/depth.txt", &said);
}

/// Plain JSON alone has the same limit for every type.
#[test]
fn plain_json_nests_1040_levels() {
    fn hold<V: PlainJson>() {
        let deep = |levels| (0..levels).fold(json!(null), |inner, _| json!([inner]));
        let (deepest, deeper, mut value) = (deep(1040), deep(1041), V::from_plain_json(&deep(1)).unwrap());
        let error = "objects and lists are nested deeper than 1040 levels";
        assert_eq!(V::from_plain_json(&deepest).unwrap().to_plain_json(), deepest);
        assert_eq!(V::from_plain_json(&deeper).err().unwrap().to_string(), error);
        assert_eq!(value.set_plain_json(&deeper).unwrap_err().to_string(), error);
        let error = set_plain(&mut value, &b"[".repeat(1041), Notation::default()).unwrap_err();
        assert_eq!(error.to_string(), "objects and lists are nested deeper than 1040 levels at line 1");
    }
    for hold in [hold::<remote::Value<'_>>, hold::<LuaSaveData<'_>>, hold::<Variant<'_>>] {
        apart(hold).join().unwrap();
    }
}

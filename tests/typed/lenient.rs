//! Leniencies, each by its name.

use std::collections::BTreeMap;

use enginewire::godot::{self, Dictionary, IntoByteString, Object, Options, Property, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData, Table};
use enginewire::typed::Leniency;
use pretty_assertions::assert_eq;
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Two {
    a: i32,
    #[serde(default)]
    b: u8,
}

#[test]
fn floats_as_integers() {
    let value = |number: f64| Variant::from(Dictionary::new([("a".into(), number.into())]));
    let lenient = Leniency::new().float_to_int(true);
    let error = godot::from_value::<Two>(value(3.0)).unwrap_err();
    assert_eq!(error.fault().to_string(), "expected i32, found floating point `3.0`");
    assert_eq!(godot::from_value_with::<Two>(value(3.0), lenient).unwrap(), Two { a: 3, b: 0 });
    for number in [3.5, 1e300, f64::NAN, f64::INFINITY, -0.0] {
        assert!(godot::from_value_with::<Two>(value(number), lenient).is_err(), "{number}");
    }
    assert!(godot::from_value_with::<Two>(value(3e9), lenient)
        .unwrap_err()
        .fault()
        .to_string()
        .contains("does not fit"));
    // an integer is always read into a float
    assert_eq!(godot::from_value::<f64>(3.into()).unwrap(), 3.0);
    // numbers of Lua are of one type
    assert_eq!(lua_object::from_value::<u8>(LuaObject::new(LuaSaveData::Number(3.0))).unwrap(), 3);
    assert!(lua_object::from_value::<u8>(LuaObject::new(LuaSaveData::Number(3.5))).is_err());
}

/// Of fields that come twice the last counts; the error in it has its own number.
#[test]
fn duplicate_keys() {
    let entries = |b: i64| {
        let pairs = [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", b)];
        Variant::from(Dictionary::new(pairs.map(|(key, number)| (key.into(), number.into()))))
    };
    let lenient = Leniency::new().last_duplicate(true);
    assert!(godot::from_value::<Two>(entries(5)).is_err());
    assert_eq!(godot::from_value_with::<Two>(entries(5), lenient).unwrap(), Two { a: 3, b: 5 });
    let bytes = godot::v4::encode(&entries(999)).unwrap();
    let options = Options::new(Version::V4);
    let error = godot::from_bytes_with::<Two>(&bytes, &options, lenient).unwrap_err();
    assert_eq!(error.path().to_string(), r#"dictionary.entries[4] "b".value.int"#);
    let property = |name: &'static str, number: i64| Property { name: name.into_byte_string(), value: number.into() };
    let object = Object::new("C", [property("a", 1), property("b", 2), property("a", 3)]);
    let bytes = godot::v4::encode(&object.clone().into()).unwrap();
    assert_eq!(godot::from_bytes_with::<Two>(&bytes, &options, lenient).unwrap(), Two { a: 3, b: 2 });
    assert_eq!(godot::from_value_with::<Two>(object.clone().into(), lenient).unwrap(), Two { a: 3, b: 2 });
    let error = godot::from_value::<Two>(object.into()).unwrap_err();
    assert_eq!(error, godot::from_bytes::<Two>(Version::V4, &bytes).unwrap_err());
    assert_eq!(error.to_string(), "duplicate field `a`, at byte 0x4 in object");
    let blob = attributes::encode(&[("a", 1.0), ("a", 2.0)].into_iter().collect()).unwrap();
    let read = attributes::from_bytes_with::<Two>(&blob, &attributes::Options::new(), lenient).unwrap();
    assert_eq!(read.a, 2);
    let blob = [("a", 1.0), ("a", 2.0)].into_iter().collect::<attributes::Attributes<'_>>();
    assert!(attributes::from_value::<Two>(blob.clone()).is_err());
    assert_eq!(attributes::from_value_with::<Two>(blob, lenient).unwrap().a, 2);
    let object = LuaObject::new(Table::from_entries([("a".into(), 1.into()), ("a".into(), 2.into())]));
    assert!(lua_object::from_value::<Two>(object.clone()).is_err());
    assert_eq!(lua_object::from_value_with::<Two>(object, lenient).unwrap().a, 2);
    let pairs = [("a", 1.0), ("a", 2.0)].map(|(key, number)| remote::Pair::new(key, number));
    let arguments = vec![remote::Value::Dictionary(pairs.into())];
    assert!(remote::from_arguments::<(Two,)>(arguments.clone()).is_err());
    assert_eq!(remote::from_arguments_with::<(Two,)>(arguments, lenient).unwrap().0.a, 2);
}

/// A map takes the last, as maps of Rust do.
#[test]
fn maps_take_the_last() {
    let twice = Variant::from(Dictionary::new([("a".into(), 1.into()), ("a".into(), 2.into())]));
    assert_eq!(godot::from_value::<BTreeMap<String, i32>>(twice).unwrap(), [("a".to_owned(), 2)].into());
}

/// Tables of Lua are lists and maps at once.
#[test]
fn tables_are_lists_and_maps() {
    let list = || LuaObject::new(Table::Array { offset: 1, elements: [5.into(), 6.into()].into() });
    assert_eq!(lua_object::from_value::<Vec<u8>>(list()).unwrap(), [5, 6]);
    assert_eq!(lua_object::from_value::<BTreeMap<i32, u8>>(list()).unwrap(), [(1, 5), (2, 6)].into());
    let from_3 = LuaObject::new(Table::Array { offset: 3, elements: [5.into(), 999.into()].into() });
    assert_eq!(lua_object::from_value::<BTreeMap<i64, i32>>(from_3.clone()).unwrap(), [(3, 5), (4, 999)].into());
    let error = lua_object::from_value::<BTreeMap<i32, u8>>(from_3).unwrap_err();
    assert_eq!(error.path().to_string(), "data.table.elements[1].int32");
    for empty in [Table::default(), Table::list([])] {
        assert_eq!(lua_object::from_value::<Vec<u8>>(LuaObject::new(empty.clone())).unwrap(), [0; 0]);
        assert!(lua_object::from_value::<BTreeMap<String, u8>>(LuaObject::new(empty)).unwrap().is_empty());
    }
}

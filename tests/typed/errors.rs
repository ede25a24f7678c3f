//! Errors name the byte, the path, and what was expected.

use std::collections::BTreeMap;

use enginewire::godot::{self, Dictionary, Object, Property, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, Table};
use enginewire::{DecodeError, Fault};
use pretty_assertions::assert_eq;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    name: String,
    level: i8,
}

fn player(level: impl Into<Variant<'static>>) -> Variant<'static> {
    Dictionary::new([("name".into(), "Ada".into()), ("level".into(), level.into())]).into()
}

fn in_godot<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> DecodeError {
    godot::from_bytes::<T>(Version::V4, bytes).err().unwrap()
}

/// Only attributes write `()` as an empty list, which `shapes` tests. In other formats an empty list is an error for it.
#[test]
fn an_empty_list_is_not_a_unit() {
    let none: Vec<bool> = Vec::new();
    for version in [Version::V3, Version::V4] {
        let list = godot::to_bytes(version, &none).unwrap();
        assert!(godot::from_bytes::<()>(version, &list).is_err(), "{version:?}");
    }
    assert!(lua_object::from_bytes::<()>(&lua_object::to_bytes(&none).unwrap()).is_err());
    assert!(remote::from_bytes::<((),)>(&remote::to_bytes(&(none,)).unwrap()).is_err());
}

#[test]
fn the_number_the_byte_and_the_path() {
    let bytes = godot::v4::encode(&vec![player(1), player(2), player(999)].into()).unwrap();
    let error = in_godot::<Vec<Player>>(&bytes);
    let expected = r#"999 does not fit i8, -128 to 127, at byte 0xac in array.elements[2].dictionary.entries[1] "level".value.int"#;
    assert_eq!(error.to_string(), expected);
    assert_eq!(bytes[0xac..][..4], 999_i32.to_le_bytes());

    let blob = [("name", attributes::Value::from("Ada")), ("level", 999.0.into())].into_iter().collect();
    let bytes = attributes::encode(&blob).unwrap();
    let error = attributes::from_bytes::<Player>(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"999 does not fit i8, -128 to 127, at byte 0x1e in entries[1] "level".value.double"#
    );
    assert_eq!(attributes::from_value::<Player>(blob).unwrap_err(), error);

    let table =
        Table::from_entries([("name".into(), "Ada".into()), ("level".into(), lua_object::LuaSaveData::Int16(999))]);
    let object = LuaObject::new(table);
    let bytes = lua_object::encode(&object).unwrap();
    let error = lua_object::from_bytes::<Player>(&bytes).unwrap_err();
    assert!(error.to_string().starts_with("999 does not fit i8, -128 to 127, at byte "), "{error}");
    assert_eq!(error.path().to_string(), r#"data.table.elements[1] "level".value.int16"#);
    assert_eq!(lua_object::from_value::<Player>(object).unwrap_err(), error);

    let arguments = vec![remote::Value::Nil, vec![remote::Value::from(999.0)].into()];
    let error = remote::from_arguments::<((), Vec<i8>)>(arguments).unwrap_err();
    assert_eq!(
        error.to_string(),
        "999 does not fit i8, -128 to 127, at byte 0x5 in arguments[1].array.elements[0].number"
    );
}

#[test]
fn other_types() {
    let bytes = godot::v4::encode(&player("high")).unwrap();
    let error = in_godot::<Player>(&bytes);
    assert_eq!(
        error.to_string(),
        r#"expected i8, found string "high", at byte 0x34 in dictionary.entries[1] "level".value.string"#
    );
    assert!(matches!(error.fault(), Fault::Mismatch { expected, .. } if expected == "i8"));
    let error = in_godot::<Vec<bool>>(&bytes);
    assert_eq!(error.to_string(), "expected a sequence, found map, at byte 0x4 in dictionary");
    assert_eq!(
        in_godot::<bool>(b"\x02\0\0\0\x07\0\0\0").to_string(),
        "expected a boolean, found integer `7`, at byte 0x4 in int"
    );
    assert_eq!(in_godot::<String>(b"\0\0\0\0").to_string(), "expected a string, found unit value, at byte 0x0");
}

/// The error is at the structure, and names all fields.
#[test]
fn fields_that_are_missing_or_unknown() {
    let bytes = godot::v4::encode(&Dictionary::new([("name".into(), "Ada".into())]).into()).unwrap();
    let error = in_godot::<Player>(&bytes);
    assert_eq!(error.to_string(), "missing field `level`, at byte 0x4 in dictionary");
    assert_eq!(error.fault().expected().unwrap(), "one of name, level");
    assert!(error.report("a.bin", &bytes).to_string().contains("\n  expected one of name, level\n"));

    let bytes = godot::v4::encode(&Dictionary::new([("lvl".into(), 1.into())]).into()).unwrap();
    let error = in_godot::<Player>(&bytes);
    assert_eq!(
        error.to_string(),
        r#"unknown field `lvl`, expected `name` or `level`, at byte 0xc in dictionary.entries[0] "lvl".key.string"#
    );
    assert_eq!(error.fault().expected().unwrap(), "one of name, level");
    // the report does not say it again
    let report = error.report("a.bin", &bytes).to_string();
    assert!(report.starts_with("unknown field `lvl`, expected `name` or `level`\n  --> a.bin: byte 0xc\n"), "{report}");
    assert!(!report.contains("\n  expected"), "{report}");

    let twice = Dictionary::new([("name".into(), "A".into()), ("name".into(), "B".into())]);
    let error = in_godot::<Player>(&godot::v4::encode(&twice.into()).unwrap());
    assert_eq!(error.to_string(), "duplicate field `name`, at byte 0x4 in dictionary");
    assert_eq!(attributes::from_bytes::<Player>(b"").unwrap_err().to_string(), "missing field `name`, at byte 0x0");
    assert_eq!(
        in_godot::<Player>(b"\x1b\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0\0\0\0\0").to_string(),
        "expected a name, found an integer, at byte 0xc in dictionary.entries[0] 7.key.int"
    );
}

#[test]
fn variants_that_are_unknown() {
    #[derive(Debug, Deserialize)]
    enum Mode {
        #[serde(rename = "on")]
        On,
        #[serde(rename = "dimmed")]
        Dimmed(#[allow(dead_code)] u8), // it is read
    }
    let read = |value: Variant<'static>| in_godot::<Mode>(&godot::v4::encode(&value).unwrap());
    let error = read("off".into());
    assert_eq!(error.to_string(), "unknown variant `off`, expected `on` or `dimmed`, at byte 0x4 in string");
    assert_eq!(error.fault().expected().unwrap(), "one of on, dimmed");
    let error = read(Dictionary::new([("dimmed".into(), 300.into())]).into());
    assert_eq!(
        error.to_string(),
        r#"300 does not fit u8, 0 to 255, at byte 0x1c in dictionary.entries[0] "dimmed".value.int"#
    );
    let error = read(Dictionary::new([]).into());
    assert!(error.to_string().starts_with("expected an enum: "), "{error}");
    assert!(read(7.into()).to_string().contains("found an integer, at byte 0x4 in int"));
}

#[test]
fn lists_of_another_length() {
    let two = godot::v4::encode(&vec![Variant::Int(1), 2.into()].into()).unwrap();
    assert_eq!(
        in_godot::<[i32; 3]>(&two).to_string(),
        "expected an array of length 3, found 2 items, at byte 0x4 in array"
    );
    assert_eq!(in_godot::<[i32; 1]>(&two).to_string(), "expected no more than 1, found 2 items, at byte 0x4 in array");
    assert!(godot::from_bytes::<(i32, i32)>(Version::V4, &two).is_ok());
}

#[test]
fn integers_of_128_bits() {
    let message = "integers of 128 bits are not supported: no format has them";
    assert_eq!(in_godot::<i128>(b"\x02\0\0\0\x07\0\0\0").fault().to_string(), message);
    assert_eq!(godot::to_bytes(Version::V4, &7_u128).unwrap_err().to_string(), message);
    let error = attributes::to_bytes(&BTreeMap::from([("a", vec![7_i128])])).unwrap_err();
    assert_eq!(error.to_string(), format!(r#"{message} in "a"[0]"#));
}

/// Invalid bytes give the same error as `decode`, also in parts that the type skips.
#[test]
fn bytes_that_are_no_value() {
    let bytes = godot::v4::encode(&vec![player(1), Variant::Null].into()).unwrap();
    for end in 0..bytes.len() {
        let error = godot::v4::decode(&bytes[..end]).unwrap_err();
        assert_eq!(in_godot::<Vec<Player>>(&bytes[..end]), error, "{end}");
        assert_eq!(in_godot::<serde::de::IgnoredAny>(&bytes[..end]), error, "{end}");
    }
    let mut long = bytes.clone();
    long.push(0);
    assert_eq!(in_godot::<serde::de::IgnoredAny>(&long), godot::v4::decode(&long).unwrap_err());
    let huge = b"\x1c\0\0\0\xff\xff\xff\x7f\0\0\0\0";
    assert_eq!(in_godot::<Vec<()>>(huge), godot::v4::decode(huge).unwrap_err());
    assert!(attributes::from_bytes::<Player>(b"\x01").unwrap_err().is_truncated());
}

#[test]
fn objects_are_their_properties() {
    let property = |name: &'static str, value: Variant<'static>| Property {
        name: godot::IntoByteString::into_byte_string(name),
        value,
    };
    let object = |level: i64| Object::new("Node", [property("name", "Ada".into()), property("level", level.into())]);
    let bytes = godot::v4::encode(&object(7).into()).unwrap();
    let player: Player = godot::from_bytes(Version::V4, &bytes).unwrap();
    assert_eq!((player.name.as_str(), player.level), ("Ada", 7));
    let error = in_godot::<Player>(&godot::v4::encode(&object(999).into()).unwrap());
    assert_eq!(error.path().to_string(), r#"object.properties[1] "level".value.int"#);
    assert_eq!(godot::from_value::<Player>(object(999).into()).unwrap_err().to_string(), error.to_string());
}

#[test]
fn what_cannot_be_written_is_named() {
    let error = attributes::to_bytes(&vec![1]).unwrap_err();
    assert_eq!(error.to_string(), "attributes are a structure or a map, not a value of the type Array");
    let error = attributes::to_bytes(&BTreeMap::from([("a", vec![Some(1), None])])).unwrap_err();
    assert!(error.to_string().starts_with("the format of attributes has no null that is not a field"), "{error}");
    let error = attributes::to_bytes(&BTreeMap::from([("a", (1_i64 << 53) + 1)])).unwrap_err();
    assert!(error.to_string().contains("9007199254740993 is between two numbers"), "{error}");
    let error = attributes::to_bytes(&BTreeMap::from([("a", BTreeMap::from([((1, 2), 3)]))])).unwrap_err();
    assert!(error.to_string().contains("has only keys that are text"), "{error}");
    let range = "64 bits, -9223372036854775808 to 9223372036854775807";
    for (number, reason) in [
        (godot::to_bytes(Version::V4, &[u64::MAX]), format!("18446744073709551615 does not fit {range} in [0]")),
        (lua_object::to_bytes(&[u64::MAX]), format!("18446744073709551615 does not fit {range} in [0]")),
        (remote::to_bytes(&(u64::MAX,)), format!("18446744073709551615 does not fit {range} in [0]")),
        (
            attributes::to_bytes(&BTreeMap::from([("a", u64::MAX)])),
            format!("18446744073709551615 does not fit {range} in \"a\""),
        ),
    ] {
        assert_eq!(number.unwrap_err().to_string(), reason);
    }
    assert!(godot::to_bytes(Version::V4, &(i64::MAX as u64)).is_ok());
    let error = remote::to_bytes(&true).unwrap_err();
    assert_eq!(error.to_string(), "arguments are a list or a tuple, not a value of the type Boolean");
}

/// The path of the error has the names of the Rust type, and the reason is the one of `encode`.
#[test]
fn what_the_bytes_cannot_hold_is_named() {
    #[derive(Serialize)]
    struct Ship {
        name: String,
        places: Vec<Variant<'static>>,
    }
    let ship = Ship { name: "Ada".to_owned(), places: vec![true.into(), Variant::Callable] };
    assert!(godot::to_bytes(Version::V4, &ship).is_ok());
    let error = godot::to_bytes(Version::V3, &ship).unwrap_err();
    assert_eq!(error.to_string(), "version 3 has no Callable in places[1]");
    let attribute = attributes::to_bytes(&BTreeMap::from([("a", attributes::Value::Ref(7))])).unwrap_err();
    assert!(attribute.to_string().contains("Ref"), "{attribute}");
}

/// A type that leaves out what cannot be written is written without it, in bytes as in values.
#[test]
fn what_fails_is_taken_back() {
    struct Able(Vec<BTreeMap<&'static str, Vec<Option<i64>>>>);
    impl Serialize for Able {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut list = serializer.serialize_seq(None)?;
            for item in &self.0 {
                let _ = list.serialize_element(item);
            }
            list.end()
        }
    }
    let has = |numbers: &[Option<i64>]| BTreeMap::from([("k", numbers.to_vec())]);
    let (first, last) = (has(&[Some(1)]), has(&[Some(2)]));
    let able = Able(vec![first.clone(), has(&[Some(7), None]), last.clone()]);
    let expected = attributes::to_bytes(&BTreeMap::from([("a", [first, last])])).unwrap();
    assert_eq!(attributes::to_bytes(&BTreeMap::from([("a", &able)])).unwrap(), expected);
    let value = attributes::to_value(&BTreeMap::from([("a", &able)])).unwrap();
    assert_eq!(attributes::encode(&value).unwrap(), expected);
}

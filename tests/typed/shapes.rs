//! Everything that serde's derive can do, both ways.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::both_ways;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Newtype(i32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Tuple(bool, String, f64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    Newtype(u16),
    Tuple(i8, String),
    Struct { one: f32, other: Option<bool> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Internal {
    UnitCase,
    Newtype(Inner),
    StructCase { number: i64, list: Vec<u8> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(String),
    Tuple(u32, bool),
    Struct { x: f64 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i32),
    Text(String),
    List(Vec<bool>),
    Struct { only: f64 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inner {
    first_name: String,
    last_number: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    own: i16,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Maps {
    text: HashMap<String, Newtype>,
    integers: BTreeMap<i32, String>,
    unsigned: BTreeMap<u64, bool>,
    booleans: BTreeMap<bool, u8>,
    letters: BTreeMap<char, char>,
    variants: BTreeMap<Letter, ()>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Letter {
    A,
    B,
}

/// Every number that all formats can say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scalars {
    bytes: (i8, u8),
    shorts: (i16, u16),
    words: (i32, u32),
    longs: (i64, u64),
    reals: (f32, f64),
    other: (bool, char, String),
    nothing: (),
    unit: Unit,
    option: Option<i32>,
    deep: Option<Vec<Option<Newtype>>>,
    array: [u16; 3],
}

const EXACT: i64 = 1 << 53;

fn text() -> impl Strategy<Value = String> {
    "[a-c\u{e9}\u{10000} ]{0,6}"
}

/// A number except NaN, because NaN does not equal itself.
fn real() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), Just(3.0), any::<i32>().prop_map(f64::from), any::<f64>()]
        .prop_filter("it equals itself", |number| !number.is_nan())
}

fn narrow() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("it equals itself", |number| !number.is_nan())
}

fn inner() -> impl Strategy<Value = Inner> {
    (text(), any::<u32>()).prop_map(|(first_name, last_number)| Inner { first_name, last_number })
}

fn scalars() -> impl Strategy<Value = Scalars> {
    let numbers = (any::<(i8, u8, i16, u16, i32, u32)>(), (-EXACT..EXACT, 0..EXACT.unsigned_abs()), narrow(), real());
    let others = (any::<(bool, char)>(), text(), any::<Option<i32>>(), any::<[u16; 3]>());
    let deep = proptest::option::of(proptest::collection::vec(any::<i32>(), 0..3));
    (numbers, others, deep).prop_map(|((numbers, longs, single, double), (other, text, option, array), deep)| {
        let (a, b, c, d, e, f) = numbers;
        Scalars {
            bytes: (a, b),
            shorts: (c, d),
            words: (e, f),
            longs,
            reals: (single, double),
            other: (other.0, other.1, text),
            nothing: (),
            unit: Unit,
            option,
            // attributes have no null in a list
            deep: deep.map(|items| items.into_iter().map(|item| Some(Newtype(item))).collect()),
            array,
        }
    })
}

fn external() -> impl Strategy<Value = External> {
    prop_oneof![
        Just(External::Unit),
        any::<u16>().prop_map(External::Newtype),
        (any::<i8>(), text()).prop_map(|(number, text)| External::Tuple(number, text)),
        (narrow(), any::<Option<bool>>()).prop_map(|(one, other)| External::Struct { one, other }),
    ]
}

fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::UnitCase),
        inner().prop_map(Internal::Newtype),
        (-EXACT..EXACT, any::<Vec<u8>>()).prop_map(|(number, list)| Internal::StructCase { number, list }),
    ]
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        Just(Adjacent::Unit),
        text().prop_map(Adjacent::Newtype),
        any::<(u32, bool)>().prop_map(|(number, is)| Adjacent::Tuple(number, is)),
        real().prop_map(|x| Adjacent::Struct { x }),
    ]
}

fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        any::<i32>().prop_map(Untagged::Number),
        text().prop_map(Untagged::Text),
        proptest::collection::vec(any::<bool>(), 1..4).prop_map(Untagged::List),
        real().prop_map(|only| Untagged::Struct { only }),
    ]
}

fn maps() -> impl Strategy<Value = Maps> {
    let text_keys = proptest::collection::hash_map(text(), any::<i32>().prop_map(Newtype), 0..4);
    let integers = proptest::collection::btree_map(any::<i32>(), text(), 0..4);
    let unsigned = proptest::collection::btree_map(0..EXACT.unsigned_abs(), any::<bool>(), 0..4);
    let booleans = proptest::collection::btree_map(any::<bool>(), any::<u8>(), 0..3);
    let letters = proptest::collection::btree_map(any::<char>(), any::<char>(), 0..3);
    let variants = proptest::collection::btree_map(prop_oneof![Just(Letter::A), Just(Letter::B)], Just(()), 0..3);
    (text_keys, integers, unsigned, booleans, letters, variants).prop_map(
        |(text, integers, unsigned, booleans, letters, variants)| Maps {
            text,
            integers,
            unsigned,
            booleans,
            letters,
            variants,
        },
    )
}

fn flattened() -> impl Strategy<Value = Flattened> {
    let rest = proptest::collection::btree_map("[d-f]{1,3}", any::<i32>(), 0..4);
    (any::<i16>(), inner(), rest).prop_map(|(own, inner, rest)| Flattened { own, inner, rest })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scalars_options_and_tuples(value in scalars()) {
        both_ways(&value);
    }

    #[test]
    fn enums_of_every_kind(one in external(), other in internal(), third in adjacent(), last in untagged()) {
        both_ways(&one);
        both_ways(&other);
        both_ways(&third);
        both_ways(&last);
        both_ways(&(vec![one], Some(other), (third, last)));
    }

    #[test]
    fn maps_with_any_keys(value in maps()) {
        both_ways(&value);
    }

    #[test]
    fn flattened_structures(value in flattened()) {
        both_ways(&value);
    }

    #[test]
    fn newtypes_and_tuples(number in any::<i32>(), is in any::<bool>(), text in text(), real in real()) {
        both_ways(&Newtype(number));
        both_ways(&Tuple(is, text, real));
        both_ways(&Unit);
    }
}

/// Nothing is a value of its own inside a variant, except in attributes, which have no null. There it is left out of a structure,
/// and alone it is an empty list, which is not read as nothing.
#[test]
fn nothing_in_a_variant() {
    use enginewire::godot::{self, Version};
    use enginewire::roblox::{attributes, remote};
    use enginewire::scrap_mechanic::lua_object;
    use enginewire::{DecodeError, EncodeError};
    use pretty_assertions::assert_eq;

    #[derive(Debug, Serialize, Deserialize)]
    enum Holds {
        Newtype(Option<i32>),
        Tuple(Option<i32>, Option<i32>),
        Struct { a: Option<i32>, b: Option<i32> },
    }
    fn told(
        written: Result<Vec<u8>, EncodeError>,
        shown: impl Fn(&[u8]) -> String,
        read: impl Fn(&[u8]) -> Result<Holds, DecodeError>,
    ) -> String {
        let Ok(bytes) = &written else { return written.unwrap_err().to_string() };
        format!(
            "{} => {}",
            shown(bytes),
            read(bytes).map_or_else(|error| error.to_string(), |value| format!("{value:?}"))
        )
    }
    let mut found = Vec::new();
    for value in [
        Holds::Newtype(None),
        Holds::Tuple(None, Some(1)),
        Holds::Tuple(Some(1), None),
        Holds::Struct { a: None, b: Some(1) },
    ] {
        found.push(told(
            godot::to_bytes(Version::V4, &value),
            |bytes| godot::v4::decode(bytes).unwrap().to_gdscript(Version::V4),
            |bytes| godot::from_bytes(Version::V4, bytes),
        ));
        found.push(told(
            lua_object::to_bytes(&value),
            |bytes| lua_object::decode(bytes).unwrap().to_lua(),
            |bytes| lua_object::from_bytes(bytes),
        ));
        found.push(told(
            remote::to_bytes(&(&value,)),
            |_| remote::Value::Array(remote::to_arguments(&(&value,)).unwrap().into()).to_luau(),
            |bytes| remote::from_bytes::<(Holds,)>(bytes).map(|(value,)| value),
        ));
        found.push(told(
            attributes::to_bytes(&value),
            |bytes| attributes::decode(bytes).unwrap().to_luau(),
            |bytes| attributes::from_bytes(bytes),
        ));
    }
    assert_eq!(
        found,
        [
            r#"{ "Newtype": null } => Newtype(None)"#,
            "{Newtype = nil} => Newtype(None)",
            "{{Newtype = nil}} => Newtype(None)",
            r#"{Newtype = {}} => expected i32, found sequence, at byte 0x10 in entries[0] "Newtype".value.array"#,
            r#"{ "Tuple": [null, 1] } => Tuple(None, Some(1))"#,
            "{Tuple = {nil, 1}} => Tuple(None, Some(1))",
            "{{Tuple = {nil, 1}}} => Tuple(None, Some(1))",
            "the format of attributes has no null that is not a field in [0]",
            r#"{ "Tuple": [1, null] } => Tuple(Some(1), None)"#,
            "{Tuple = {1, nil}} => Tuple(Some(1), None)",
            "{{Tuple = {1, nil}}} => Tuple(Some(1), None)",
            "the format of attributes has no null that is not a field in [1]",
            r#"{ "Struct": { "a": null, "b": 1 } } => Struct { a: None, b: Some(1) }"#,
            "{Struct = {a = nil, b = 1}} => Struct { a: None, b: Some(1) }",
            "{{Struct = {a = nil, b = 1}}} => Struct { a: None, b: Some(1) }",
            "{Struct = {b = 1}} => Struct { a: None, b: Some(1) }",
        ]
    );
}

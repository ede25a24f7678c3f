//! Fields that hold any value of a format.

use std::collections::BTreeMap;

use enginewire::godot::{self, Array, ContainerType, Dictionary, Variant, Vector3, Version};
use enginewire::roblox::attributes::{self, Value};
use enginewire::roblox::datatypes;
use enginewire::scrap_mechanic::lua_object::{self, LuaSaveData, Table};
use pretty_assertions::assert_eq;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Any<V> {
    name: String,
    any: V,
    list: Vec<V>,
}

#[test]
fn values_pass_through() {
    let typed =
        Array { element_type: Some(Box::new(ContainerType::Builtin(godot::v4::TypeId::int))), elements: [].into() };
    let any = Dictionary::new([(Vector3 { x: 1, y: 2, z: 3 }.into(), typed.into())]);
    let value = Any { name: "a".into(), any: Variant::from(any), list: vec![Variant::Callable, 7.into()] };
    let tree = godot::to_value(&value).unwrap();
    assert_eq!(tree.as_dictionary().unwrap().get("any"), Some(&value.any));
    let bytes = godot::to_bytes(Version::V4, &value).unwrap();
    assert_eq!(godot::from_bytes::<Any<Variant<'static>>>(Version::V4, &bytes).unwrap(), value);
    assert_eq!(godot::from_value::<Any<Variant<'static>>>(tree).unwrap(), value);

    let point = datatypes::Vector3 { x: 1.0, y: 2.0, z: 3.0 };
    let value =
        Any { name: "a".into(), any: Value::from(vec![point.into(), Value::Ref(3)]), list: vec![Value::Int(7)] };
    let blob = attributes::to_value(&value).unwrap();
    assert_eq!(blob.get("any"), Some(&value.any));
    assert_eq!(attributes::from_value::<Any<Value<'static>>>(blob).unwrap(), value);

    let table = Table::Array { offset: -3, elements: [LuaSaveData::Int32(1)].into() };
    let value = Any { name: "a".into(), any: LuaSaveData::from(table), list: vec![LuaSaveData::Boolean(true)] };
    let bytes = lua_object::to_bytes(&value).unwrap();
    assert_eq!(lua_object::from_bytes::<Any<LuaSaveData<'static>>>(&bytes).unwrap(), value);
}

/// Version 3 writes other numbers for its types.
#[test]
fn values_of_version_3() {
    let value = Any { name: "a".into(), any: Variant::from(Dictionary::default()), list: vec![] };
    let bytes = godot::to_bytes(Version::V3, &value).unwrap();
    assert_eq!(godot::from_bytes::<Any<Variant<'static>>>(Version::V3, &bytes).unwrap(), value);
}

/// Serde buffers flattened fields. Values are written with their types, although a buffer has none when it is read.
#[test]
fn values_in_what_is_flattened() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has<V> {
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, V>,
    }
    let rest = BTreeMap::from([
        ("a".to_owned(), Variant::Int(7)),
        ("b".to_owned(), vec![Variant::Null, true.into()].into()),
        ("c".to_owned(), Variant::Float(0.5)),
    ]);
    let has = Has { name: "x".to_owned(), rest };
    let bytes = godot::to_bytes(Version::V4, &has).unwrap();
    assert_eq!(godot::from_bytes::<Has<Variant<'static>>>(Version::V4, &bytes).unwrap(), has);

    let point = datatypes::Vector3 { x: 1.0, y: 2.0, z: 3.0 };
    let rest = BTreeMap::from([("at".to_owned(), Value::from(point)), ("on".to_owned(), Value::Bool(true))]);
    let blob = attributes::to_value(&Has { name: "x".to_owned(), rest }).unwrap();
    assert_eq!(blob.get("at").unwrap().as_vector3(), Some(point));
    let read: Has<Value<'static>> = attributes::from_value(blob).unwrap();
    assert_eq!(read.rest.get("on"), Some(&Value::Bool(true)));
    assert_eq!(read.rest.get("at").unwrap().as_dictionary().unwrap().len(), 3);
}

#[test]
fn values_in_json_have_their_form() {
    let text = serde_json::to_string(&Variant::from(vec![Variant::Int(7)])).unwrap();
    assert_eq!(text, r#"{"type":"Array","value":[{"type":"int","value":7}]}"#);
    if cfg!(feature = "text") {
        assert_eq!(serde_json::from_str::<Variant<'_>>(&text).unwrap(), Variant::from(vec![Variant::Int(7)]));
    }
    let text = serde_json::to_string(&Value::Double(0.5)).unwrap();
    assert_eq!(text, r#"{"type":"Double","value":0.5}"#);
    assert_eq!(serde_json::from_str::<Value<'_>>(&text).unwrap(), Value::Double(0.5));
}

/// A value of another format is rejected.
#[test]
fn values_of_another_format() {
    assert!(godot::to_value(&Value::Bool(true)).is_err());
    assert!(godot::from_value::<Value<'static>>(true.into()).is_err());
}

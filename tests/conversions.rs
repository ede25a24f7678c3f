//! Conversions from and to the types of other crates: there and back for every type, and what cannot be held. The values of
//! attributes are compared with those that `rbx_types` reads in `tests/differential.rs`.

use std::collections::BTreeSet;
use std::path::Path;

use arbitrary::Unstructured;

use crate::support::{blobs, folder, Codec, Godot, RobloxAttributes, RobloxRemote, ScrapMechanicLua};
use enginewire::convert::{InstanceAttributes, InstanceError};
use enginewire::formats::PlainJson;
use enginewire::json::{self, Document};
use enginewire::roblox::attributes::{self, Attributes, EnumItem, Font, NumberSequence, Provenance, TypeId, Value};
use enginewire::roblox::datatypes::*;
use enginewire::wire::{IntoByteString, List};
use enginewire::{godot, roblox::remote, scrap_mechanic::lua_object};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use rbx_dom_weak::{ustr, InstanceBuilder, WeakDom};
use rbx_types::Variant;
use serde::Deserialize;

/// A value of every type of attributes.
fn all_types() -> Vec<(&'static str, Value<'static>)> {
    let bytes = std::fs::read(folder("roblox-attributes").join("all-types.bin")).unwrap();
    let all = attributes::decode(&bytes).unwrap().into_owned();
    let reference = Value::Ref(7);
    let values: Vec<_> = all.into_iter().map(|entry| entry.value).chain([reference]).collect();
    let found: BTreeSet<_> = values.iter().map(|value| value.type_id().id()).collect();
    assert_eq!(found.len(), TypeId::ALL.len());
    values.into_iter().map(|value| (value.type_id().name(), value)).collect()
}

/// The bytes of a value, so that NaNs and zeros are compared bit by bit.
fn bytes(value: &Value<'_>) -> Vec<u8> {
    let attributes: Attributes<'_> = [("a", value.clone())].into_iter().collect();
    attributes::encode_with(&attributes, &attributes::Options::new().refs(true)).unwrap()
}

fn font(weight: u16, style: u8, family: &'static [u8]) -> Value<'static> {
    let family = family.into_byte_string();
    Font { weight, style, family, cached_face_id: Default::default() }.into()
}

fn envelope(envelope: f32) -> Value<'static> {
    let keypoint = ColorSequenceKeypoint { envelope, ..ColorSequenceKeypoint::default() };
    List::from(vec![keypoint]).into()
}

#[test]
fn every_type_of_attributes_becomes_a_variant_and_comes_back() {
    let mut held = BTreeSet::new();
    for (name, value) in all_types() {
        let variant = match Variant::try_from(&value) {
            Ok(variant) => variant,
            Err(error) => {
                assert_eq!(error.to_string(), format!("rbx_types cannot hold values of the type {name}"));
                assert_eq!((error.type_name(), error.key()), (Some(name), None));
                continue;
            }
        };
        held.insert(name);
        assert_eq!(format!("{:?}", Variant::try_from(value.clone()).unwrap()), format!("{variant:?}"));
        let back = Value::try_from(&variant).unwrap();
        let mut expected = value.clone();
        if let Value::CFrame(CFrame { rotation, .. }) = &mut expected {
            *rotation = RotationId::from_matrix(&rotation.matrix()).map_or(*rotation, Rotation::Aligned);
        }
        assert_eq!(bytes(&back), bytes(&expected), "{name}");
        assert_eq!(bytes(&Value::try_from(variant.clone()).unwrap()), bytes(&expected), "{name}");
    }
    assert_eq!(held.len(), 25);
}

/// The table of the documentation has a row for each type, in the order of their ids, with the variant that it becomes.
#[test]
fn the_table_of_variants_is_true() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conversions.md")).unwrap();
    let table = text.split("| attribute | `Variant` |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<(String, String)> = rows
        .map(|line| {
            let mut cells = line.split('|').map(|cell| cell.trim().replace('`', ""));
            (cells.nth(1).unwrap(), cells.next().unwrap())
        })
        .collect();
    let mut values = all_types();
    values.sort_by_key(|(_, value)| value.type_id().id());
    values.dedup_by_key(|(name, _)| *name);
    let variant = |value| Variant::try_from(value).map_or(String::new(), |variant| format!("{:?}", variant.ty()));
    let expected: Vec<_> = values.into_iter().map(|(name, value)| (name.to_owned(), variant(value))).collect();
    assert_eq!(rows, expected);
    for other in [
        Variant::Attributes(rbx_types::Attributes::new()),
        rbx_types::Color3uint8::new(1, 2, 3).into(),
        rbx_types::Content::none().into(),
        rbx_types::ContentId::from("a").into(),
        rbx_types::Enum::from_u32(1).into(),
        Variant::Int64(1),
        rbx_types::MaterialColors::new().into(),
        rbx_types::NetAssetRef::new(vec![1]).into(),
        Variant::OptionalCFrame(None),
        rbx_types::PhysicalProperties::Default.into(),
        rbx_types::Ref::none().into(),
        rbx_types::SecurityCapabilities::default().into(),
        rbx_types::SharedString::new(vec![1]).into(),
        rbx_types::Tags::new().into(),
        rbx_types::UniqueId::nil().into(),
    ] {
        let name = format!("{:?}", other.ty());
        assert!(text.contains(&format!("`{name}`")), "{name}");
        let error = Value::try_from(other).unwrap_err();
        assert_eq!(error.to_string(), format!("an attribute cannot hold values of the type {name}"));
    }
}

/// Texts come in as strings, though they go out as bytes.
#[test]
fn texts_are_strings() {
    let variant = Variant::String("Torch".to_owned());
    assert_eq!(Value::try_from(&variant), Ok("Torch".into()));
    assert_eq!(Variant::try_from(Value::from("Torch")), Ok(Variant::BinaryString(b"Torch"[..].into())));
}

#[test]
fn what_rbx_types_cannot_hold_is_named() {
    let item = EnumItem { enum_name: b"\xff"[..].into_byte_string(), value: 1 };
    for (value, expected) in [
        (Value::Array([].into()), "values of the type Array"),
        (BrickColor(4).into(), "the number 4 in a value of the type BrickColor"),
        (BrickColor(65_536 + 194).into(), "the number 65730 in a value of the type BrickColor"),
        (Faces(0x40).into(), "the bits 0x40 in a value of the type Faces"),
        (Axes(0x101).into(), "the bits 0x101 in a value of the type Axes"),
        (font(450, 0, b"F"), "the weight 450 in a value of the type Font"),
        (font(400, 2, b"F"), "the style 2 in a value of the type Font"),
        (font(400, 0, b"\xff"), "\"\\xff\", which is not UTF-8, in a value of the type Font"),
        (item.into(), "\"\\xff\", which is not UTF-8, in a value of the type EnumItem"),
        (envelope(0.5), "the envelope 0.5 in a value of the type ColorSequence"),
        (envelope(-0.0), "the envelope -0.0 in a value of the type ColorSequence"),
    ] {
        let error = Variant::try_from(&value).unwrap_err();
        assert_eq!(error.to_string(), format!("rbx_types cannot hold {expected}"));
        let attributes: Attributes<'_> = [("max fuel", value)].into_iter().collect();
        let error = rbx_types::Attributes::try_from(&attributes).unwrap_err();
        assert_eq!(error.to_string(), format!("\"max fuel\": rbx_types cannot hold {expected}"));
        assert_eq!(error.key(), Some("max fuel".into()));
    }
    let error = |attributes: Attributes<'_>| rbx_types::Attributes::try_from(attributes).unwrap_err().to_string();
    let twice = [("a", 1), ("b", 2), ("a", 3)].into_iter().collect();
    assert_eq!(error(twice), "\"a\": rbx_types cannot hold a second attribute with this name");
    let bytes = [(&b"\xff"[..], 1)].into_iter().collect();
    assert_eq!(error(bytes), "\"\\xff\": rbx_types cannot hold a name that is not UTF-8");
    let theirs = rbx_types::Attributes::new().with("a", 1_i64);
    let error = Attributes::try_from(theirs).unwrap_err().to_string();
    assert_eq!(error, "\"a\": an attribute cannot hold values of the type Int64");
}

/// Datatypes that occur only as parts of attribute values.
#[test]
fn keypoints_and_rotations_convert_too() {
    let number = NumberSequenceKeypoint { envelope: 0.25, time: 0.5, value: 1.0 };
    assert_eq!(rbx_types::NumberSequenceKeypoint::from(number), rbx_types::NumberSequenceKeypoint::new(0.5, 1.0, 0.25));
    let numbers: NumberSequence<'_> = [number].into_iter().collect();
    assert_eq!(NumberSequence::from(&rbx_types::NumberSequence::from(&numbers)), numbers);
    for id in RotationId::all() {
        let matrix = rbx_types::Matrix3::from(Rotation::from(id));
        assert_eq!(matrix.to_basic_rotation_id(), Some(id.into()));
        assert_eq!(Rotation::from(matrix), Rotation::Aligned(id));
    }
}

#[test]
fn tags_convert_too() {
    use enginewire::roblox::Tags;

    for bytes in [&b""[..], b"Lamp", b"Lamp\0Old", b"\0Lamp\0\0Lamp"] {
        let ours = Tags::from_bytes(bytes);
        let theirs = rbx_types::Tags::try_from(&ours).unwrap();
        assert_eq!(theirs.encode(), bytes);
        assert_eq!(Tags::try_from(&theirs), Ok(ours));
    }
    let error = rbx_types::Tags::try_from(&Tags::from_bytes(b"Lamp\0\xff")).unwrap_err();
    assert_eq!(error.to_string(), "rbx_types cannot hold \"\\xff\", which is not UTF-8, in a value of the type Tags");
    for wrong in [vec![String::new()], vec!["a\0b".to_owned()]] {
        let error = Tags::try_from(&rbx_types::Tags::from(wrong)).unwrap_err();
        let expected = "an instance cannot hold an empty tag or one with a byte 0 in a value of the type Tags";
        assert_eq!(error.to_string(), expected);
    }
}

fn folder_with(property: &str, value: impl Into<Variant>) -> WeakDom {
    WeakDom::new(InstanceBuilder::new("Folder").with_property(property, value))
}

/// Of every type, whether `rbx_types` has it or not, nothing is lost but the form of a rotation.
#[test]
fn instances_hold_attributes_of_every_type() {
    let mut dom = WeakDom::new(InstanceBuilder::new("Folder"));
    assert_eq!(dom.root().attributes(), Ok(Attributes::new()));
    for (name, value) in all_types().into_iter().filter(|(name, _)| *name != "Ref") {
        let attributes: Attributes<'_> = [("a", value.clone())].into_iter().collect();
        dom.root_mut().set_attributes(&attributes).unwrap();
        let is_theirs = matches!(dom.root().properties[&ustr("Attributes")], Variant::Attributes(_));
        let written = value.type_id().provenance() != Provenance::Draft
            && !matches!(value.type_id(), TypeId::Array | TypeId::TweenInfo);
        assert_eq!(is_theirs, written, "{name}");
        let read = dom.root().attributes().unwrap();
        let read = read.get("a").unwrap();
        match (read, &value) {
            (Value::CFrame(read), Value::CFrame(value)) => assert_eq!(read.rotation.matrix(), value.rotation.matrix()),
            _ => assert_eq!(bytes(read), bytes(&value), "{name}"),
        }
    }
    let reference = [("a", Value::Ref(7))].into_iter().collect();
    assert!(matches!(dom.root_mut().set_attributes(&reference), Err(InstanceError::Encode(_))));
}

/// A value that `rbx_types` can hold, but would write as another, is set as bytes.
#[test]
fn a_matrix_that_rbx_types_takes_for_another_is_kept() {
    let halves = Rotation::Matrix([0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
    let cframe = CFrame { position: Vector3::default(), rotation: halves };
    let attributes: Attributes<'_> = [("a", cframe)].into_iter().collect();
    let mut dom = WeakDom::new(InstanceBuilder::new("Folder"));
    dom.root_mut().set_attributes(&attributes).unwrap();
    assert!(matches!(dom.root().properties[&ustr("Attributes")], Variant::BinaryString(_)));
    assert_eq!(dom.root().attributes(), Ok(attributes));
}

#[test]
fn attributes_of_instances_come_in_several_forms() {
    let attributes: Attributes<'_> = [("Fuel", 42.0)].into_iter().collect();
    let blob = attributes::encode(&attributes).unwrap();
    let binary = rbx_types::BinaryString::from(blob.clone());
    for dom in [
        folder_with("Attributes", rbx_types::Attributes::new().with("Fuel", 42.0)),
        folder_with("Attributes", binary.clone()),
        folder_with("AttributesSerialize", binary.clone()),
        folder_with("Attributes", rbx_types::SharedString::new(blob.clone())),
    ] {
        assert_eq!(dom.root().attributes().as_ref(), Ok(&attributes));
    }
    // in a tree without reflection they stay what they were
    let mut dom = folder_with("AttributesSerialize", binary.clone());
    dom.root_mut().set_attributes(&Attributes::new()).unwrap();
    assert_eq!(dom.root().properties[&ustr("AttributesSerialize")], Variant::BinaryString(Vec::new().into()));
    assert!(!dom.root().properties.contains_key(&ustr("Attributes")));
    assert_eq!(dom.root().attributes(), Ok(Attributes::new()));
    // beside each other, the one that is read is set
    let mut dom = folder_with("AttributesSerialize", binary);
    dom.root_mut().properties.insert(ustr("Attributes"), Variant::Attributes(rbx_types::Attributes::new()));
    dom.root_mut().set_attributes(&attributes).unwrap();
    assert_eq!(dom.root().attributes(), Ok(attributes));
}

#[test]
fn wrong_attributes_of_instances_say_what_is_wrong() {
    let error = |value: Variant| folder_with("Attributes", value).root().attributes().unwrap_err();
    let cut = error(rbx_types::BinaryString::from(&b"\x01\0\0\0\x01\0\0\0a\x06"[..]).into());
    assert!(matches!(&cut, InstanceError::Decode(error) if error.path().to_string().starts_with("entries[0] \"a\"")));
    assert_eq!(error(Variant::Bool(true)).to_string(), "Attributes cannot hold values of the type Bool");
    let wrong = error(rbx_types::Attributes::new().with("a", 1_i64).into());
    assert_eq!(wrong.to_string(), "\"a\": an attribute cannot hold values of the type Int64");
}

/// The documents of all fixtures, by way of a value of `serde_json`.
fn documents<T: Document + PartialEq + std::fmt::Debug>(folder_name: &str) {
    let blobs = blobs(&folder(folder_name));
    assert!(!blobs.is_empty());
    for blob in blobs {
        let document: T = json::from_slice(&blob.document).unwrap();
        let text = json::to_string(&document).unwrap();
        let value = json::to_value(&document).unwrap();
        let mut reader = serde_json::Deserializer::from_str(&text);
        reader.disable_recursion_limit();
        assert_eq!(value, serde_json::Value::deserialize(&mut reader).unwrap(), "{}", blob.name);
        let read: T = json::from_value(&value).unwrap_or_else(|error| panic!("{}: {error}", blob.name));
        assert_eq!(json::to_string(&read).unwrap(), text, "{}", blob.name);
    }
}

#[test]
fn documents_are_values_of_serde_json() {
    documents::<Attributes<'_>>("roblox-attributes");
    documents::<remote::Packet<'_>>("roblox-remote");
    documents::<lua_object::LuaObject<'_>>("scrap-mechanic-lua");
    documents::<godot::Versioned<'_>>("godot-3");
    documents::<godot::Versioned<'_>>("godot-4");
}

/// On the stack of a thread, with four objects and lists for each of 1,024 levels.
#[test]
fn the_deepest_values_have_forms_too() {
    let deepest = (0..1023).fold(godot::Variant::Null, |inner, level| match level % 2 {
        0 => godot::Dictionary::new([("a".into(), inner)]).into(),
        _ => vec![inner].into(),
    });
    let document = godot::Versioned::new(godot::Version::V4, deepest);
    let value = json::to_value(&document).unwrap();
    assert_eq!(json::from_value::<godot::Versioned<'_>>(&value).as_ref(), Ok(&document));
    let plain = document.value.to_plain_json();
    assert_eq!(godot::Variant::from_plain_json(&plain).as_ref(), Ok(&document.value));
}

/// Writing a value in the plain form and setting it from that changes nothing, so every type is kept.
fn unchanged<V: PlainJson + Clone + PartialEq + std::fmt::Debug>(value: &V, bytes: impl Fn(&V) -> Vec<u8>) {
    let mut same = value.clone();
    same.set_plain_json(&value.to_plain_json()).unwrap();
    assert_eq!(bytes(&same), bytes(value));
}

proptest! {
    /// The conversions that the fixtures pass are exact for any value.
    #[test]
    fn any_value_comes_back(entropy in vec(any::<u8>(), 0..600)) {
        if let Ok(value) = RobloxAttributes::arbitrary(&mut Unstructured::new(&entropy)) {
            let bytes = |value: &Attributes<'_>| attributes::encode_with(value, &attributes::Options::new().refs(true)).unwrap();
            let value = json::from_value::<Attributes<'_>>(&json::to_value(&value).unwrap()).unwrap();
            unchanged(&value, bytes);
            let mut dom = WeakDom::new(InstanceBuilder::new("Folder"));
            if dom.root_mut().set_attributes(&value).is_ok() {
                let (mut read, mut sorted) = (dom.root().attributes().unwrap().into_owned(), value.clone());
                for attributes in [&mut read, &mut sorted] {
                    attributes.sort();
                    for entry in attributes.entries_mut() {
                        if let Value::CFrame(CFrame { rotation, .. }) = &mut entry.value {
                            *rotation = RotationId::from_matrix(&rotation.matrix()).map_or(*rotation, Rotation::Aligned);
                        }
                    }
                }
                assert_eq!(bytes(&read), bytes(&sorted));
            }
        }
        if let Ok(value) = Godot::<4>::arbitrary(&mut Unstructured::new(&entropy)) {
            let bytes = |value: &godot::Variant<'_>| Godot::<4>::encode(value).unwrap();
            unchanged(&value, bytes);
        }
        if let Ok(value) = ScrapMechanicLua::arbitrary(&mut Unstructured::new(&entropy)) {
            let read = json::from_value::<lua_object::LuaObject<'_>>(&json::to_value(&value).unwrap()).unwrap();
            assert_eq!(ScrapMechanicLua::encode(&read).unwrap(), ScrapMechanicLua::encode(&value).unwrap());
        }
        if let Ok(value) = RobloxRemote::arbitrary(&mut Unstructured::new(&entropy)) {
            let read = json::from_value::<remote::Packet<'_>>(&json::to_value(&value).unwrap()).unwrap();
            assert_eq!(RobloxRemote::encode(&read).unwrap(), RobloxRemote::encode(&value).unwrap());
        }
    }
}

#[test]
fn values_of_every_format_come_back_from_plain_json() {
    for blob in blobs(&folder("roblox-attributes")) {
        let value = attributes::decode_with(&blob.bytes, &attributes::Options::new().refs(true)).unwrap();
        let options = attributes::Options::new().refs(true).empty(value.empty_form());
        unchanged(&value, |value| attributes::encode_with(value, &options).unwrap());
    }
    for blob in blobs(&folder("godot-4")) {
        let document: godot::Versioned<'_> = json::from_slice(&blob.document).unwrap();
        unchanged(&document.value, |value| godot::Versioned::new(document.version, value.clone()).encode().unwrap());
    }
    for blob in blobs(&folder("scrap-mechanic-lua")) {
        let document: lua_object::LuaObject<'_> = json::from_slice(&blob.document).unwrap();
        unchanged(&document.data, |data| lua_object::encode(&lua_object::LuaObject::new(data.clone())).unwrap());
    }
}

//! Promise: lossless. `encode(decode(x)) == x` for every canonical `x`; everything else is reported by `check`.

use std::fmt::Debug;

use crate::support::{fixtures, hex, Blob, FORMATS};
use enginewire::godot::{self, Version};
use enginewire::json;
use enginewire::roblox::attributes::{self, Attributes, Empty, Nesting, Options, Value};
use enginewire::roblox::remote;
use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::{generate_into, Note};
use nom::Parser;
use pretty_assertions::assert_eq;

/// The worked examples of the format's description: type, bytes after the type id, JSON.
const WORKED: &[(&str, &str, &str)] = &[
    ("String", "02 00 00 00 48 69", r#""Hi""#),
    ("String", "03 00 00 00 ff 00 c3", r#"{"hex":"ff00c3"}"#),
    ("Bool", "01", "true"),
    ("Int", "03 00 00 00", "3"),
    ("Float", "00 00 00 3f", "0.5"),
    ("Float", "01 23 a0 7f", r#"{"bits":"0x7fa02301"}"#),
    ("Double", "00 00 00 00 00 00 f0 bf", "-1"),
    ("Double", "00 00 00 00 00 00 f8 ff", r#"{"bits":"0xfff8000000000000"}"#),
    ("UDim", "00 00 f6 42 c8 01 00 00", r#"{"scale":123,"offset":456}"#),
    (
        "UDim2",
        "00 00 80 3f 02 00 00 00 00 00 40 40 04 00 00 00",
        r#"{"x":{"scale":1,"offset":2},"y":{"scale":3,"offset":4}}"#,
    ),
    ("BrickColor", "c2 00 00 00", "194"),
    ("Color3", "00 00 00 00 cd cc cc 3e 00 00 80 3f", r#"{"r":0,"g":0.4,"b":1}"#),
    ("Vector2", "00 00 20 41 00 00 a0 41", r#"{"x":10,"y":20}"#),
    ("Vector3", "00 00 20 41 00 00 a0 41 00 00 f0 41", r#"{"x":10,"y":20,"z":30}"#),
    ("CFrame", "00 00 80 3f 00 00 00 40 00 00 40 40 02", r#"{"position":{"x":1,"y":2,"z":3},"rotation":{"id":2}}"#),
    (
        "CFrame",
        "00 00 80 3f 00 00 00 40 00 00 40 40 00 f3 04 35 3f 00 00 00 00 f3 04 35 3f 00 00 00 00 00 00 80 3f
         00 00 00 00 f3 04 35 bf 00 00 00 00 f3 04 35 3f",
        r#"{"position":{"x":1,"y":2,"z":3},"rotation":{"matrix":[0.70710677,0,0.70710677,0,1,0,-0.70710677,0,0.70710677]}}"#,
    ),
    ("EnumItem", "08 00 00 00 4d 61 74 65 72 69 61 6c 00 02 00 00", r#"{"enum":"Material","value":512}"#),
    (
        "NumberSequence",
        "02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 00 00 80 3f 00 00 80 3f",
        r#"[{"envelope":0,"time":0,"value":0},{"envelope":0.5,"time":1,"value":1}]"#,
    ),
    (
        "ColorSequence",
        "01 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 00",
        r#"[{"envelope":0,"time":0,"value":{"r":1,"g":0,"b":0}}]"#,
    ),
    ("NumberRange", "00 00 a0 40 00 00 20 41", r#"{"min":5,"max":10}"#),
    ("Rect", "00 00 20 41 00 00 a0 41 00 00 f0 41 00 00 20 42", r#"{"min":{"x":10,"y":20},"max":{"x":30,"y":40}}"#),
    ("Font", "90 01 00 01 00 00 00 46 00 00 00 00", r#"{"weight":400,"style":0,"family":"F","cached_face_id":""}"#),
    ("Array", "02 00 00 00 03 01 04 ff ff ff ff", r#"[{"type":"Bool","value":true},{"type":"Int","value":-1}]"#),
    ("Dictionary", "01 00 00 00 01 00 00 00 6b 03 00", r#"[{"key":"k","type":"Bool","value":false}]"#),
    (
        "Ray",
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00",
        r#"{"origin":{"x":0,"y":0,"z":0},"direction":{"x":0,"y":1,"z":0}}"#,
    ),
    ("Faces", "05 00 00 00", "5"),
    ("Axes", "03 00 00 00", "3"),
    ("Vector2int16", "01 00 ff ff", r#"{"x":1,"y":-1}"#),
    ("Vector3int16", "01 00 02 00 fd ff", r#"{"x":1,"y":2,"z":-3}"#),
    ("NumberSequenceKeypoint", "00 00 00 00 00 00 00 3f 00 00 80 3f", r#"{"envelope":0,"time":0.5,"value":1}"#),
    (
        "ColorSequenceKeypoint",
        "00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f",
        r#"{"envelope":0,"time":1,"value":{"r":1,"g":1,"b":1}}"#,
    ),
    (
        "Region3",
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f",
        r#"{"min":{"x":0,"y":0,"z":0},"max":{"x":1,"y":1,"z":1}}"#,
    ),
    ("Region3int16", "00 00 00 00 00 00 01 00 01 00 01 00", r#"{"min":{"x":0,"y":0,"z":0},"max":{"x":1,"y":1,"z":1}}"#),
    (
        "TweenInfo",
        "00 00 c0 3f 00 00 d0 40 04 00 00 00 01 00 00 00 02 00 00 00 00",
        r#"{"time":1.5,"delay":6.5,"repeat_count":4,"easing_style":1,"easing_direction":2,"reverses":false}"#,
    ),
    ("Ref", "07 00 00 00", "7"),
];

/// Decode, compare, encode, compare, decode; and the same through JSON.
#[test]
fn worked_examples() {
    for (name, bytes, text) in WORKED {
        let id = attributes::TypeId::ALL.iter().find(|id| id.name() == *name).expect(name);
        let mut bytes = hex(bytes);
        bytes.insert(0, id.id());
        let nesting = Nesting::from(Options::new().refs(true));

        let parsed = attributes::value::<_, ()>(nesting).parse_complete(&bytes[..]);
        let Ok((&[], value)) = parsed else { panic!("{name}: {parsed:?}") };
        assert_eq!(serde_json::to_string(&value).unwrap(), format!(r#"{{"type":"{name}","value":{text}}}"#));

        let mut written = Vec::new();
        generate_into(attributes::gen_value(nesting, &value), &mut written).unwrap();
        assert_eq!(written, bytes, "{name}");

        let document =
            format!(r#"{{"format":"roblox-attributes","entries":[{{"key":"k","type":"{name}","value":{text}}}]}}"#);
        let read: Attributes<'_> = json::from_slice(document.as_bytes()).unwrap();
        let entry = [&[1, 0, 0, 0, 1, 0, 0, 0, b'k'], &bytes[..]].concat();
        assert_eq!(attributes::encode_with(&read, &Options::new().refs(true)).unwrap(), entry, "{name}");
        let owned = value.into_owned();
        let again: Attributes<'_> = [("k", owned)].into_iter().collect();
        assert_eq!(attributes::encode_with(&again, &Options::new().refs(true)).unwrap(), entry, "{name}");
    }
}

#[test]
fn every_type_has_a_worked_example() {
    for id in attributes::TypeId::ALL {
        assert!(WORKED.iter().any(|(name, ..)| *name == id.name()), "{id:?}");
    }
}

#[test]
fn every_fixture() {
    for format in FORMATS {
        fixtures(format.name).iter().for_each(format.lossless);
    }
}

/// All that is not canonical, with what it comes back as.
#[test]
fn what_is_not_canonical_is_reported() {
    let trailing = Options::new().trailing_bytes(true);
    for (bytes, back, offset, options) in [
        ("01 00 00 00 01 00 00 00 61 03 02", "01 00 00 00 01 00 00 00 61 03 01", 10, Options::new()),
        ("01 00 00 00 01 00 00 00 61 03 ff", "01 00 00 00 01 00 00 00 61 03 01", 10, Options::new()),
        ("00 00 00 00", "", 0, Options::new()),
        ("01 00 00 00 01 00 00 00 61 03 01 de ad", "01 00 00 00 01 00 00 00 61 03 01", 11, trailing),
    ] {
        let bytes = hex(bytes);
        let decoded = attributes::decode_with(&bytes, &options).unwrap();
        assert_eq!(attributes::encode(&decoded).unwrap(), hex(back));
        let mut notes = Vec::new();
        let report = attributes::check_with(&bytes, &options, |offset, note| notes.push((offset, note))).unwrap();
        assert!(!report.is_canonical());
        assert!(matches!(notes[..], [(found, Note::NonCanonical(_))] if found == offset), "{notes:?}");
        assert_eq!(report.findings.non_canonical.first.map(|found| found.offset), Some(offset.into()));
    }
}

#[test]
fn check_says_which_form_of_nothing_it_saw_and_which_drafts() {
    assert_eq!((attributes::check(&[]).unwrap().items, attributes::check(&[0; 4]).unwrap().items), (Some(0), Some(0)));
    assert_eq!(attributes::decode(&[0; 4]).unwrap().empty_form(), Empty::ZeroLength);
    let with_drafts = hex("01 00 00 00 01 00 00 00 61 07 01 00 00 00 0c 05 00 00 00");
    let report = attributes::check(&with_drafts).unwrap();
    assert_eq!((report.items, report.is_canonical()), (Some(1), true));
    let first = report.findings.drafts.first.unwrap();
    assert_eq!((report.findings.drafts.count, first.offset, first.what), (1, 14.into(), "Faces"));
}

/// The functions of each module, on its fixtures, whole and cut.
#[test]
fn a_value_and_its_input_are_kept_together() {
    fn assert_owns<T: Clone + PartialEq + Debug + Send + Sync + 'static>(_: &T) {}
    macro_rules! keeps {
        ($name:literal, $($functions:ident)::+, $module:ident, $options:expr) => {
            for Blob { name, bytes, .. } in fixtures($name) {
                let kept: [$module::Decoded; 2] = [
                    $($functions)::+::decode_owned(bytes.clone()).unwrap(),
                    $module::decode_owned_with(&bytes[..], &$options).unwrap(),
                ];
                assert_owns(&kept);
                let value = $($functions)::+::decode(&bytes).unwrap();
                for kept in kept {
                    // NaN is not equal to itself
                    assert_eq!(format!("{kept:?}"), format!("Decoded {{ value: {value:?}, .. }}"), "{name}");
                    assert_eq!((kept.bytes(), kept.clone().into_bytes()), (&bytes[..], bytes.clone()), "{name}");
                    assert_eq!(kept.into_bytes(), bytes, "{name}");
                }
                let Some((_, cut)) = bytes.split_last() else { continue };
                let error = $($functions)::+::decode(cut).unwrap_err();
                let errors = [
                    $($functions)::+::decode_owned(cut).unwrap_err(),
                    $module::decode_owned_with(cut.to_vec(), &$options).unwrap_err(),
                ];
                assert!(errors.iter().all(|kept| kept.error() == &error && kept.bytes() == cut), "{name}");
            }
        };
    }
    keeps!("roblox-attributes", attributes, attributes, Options::new());
    keeps!("roblox-remote", remote, remote, remote::Options::new());
    keeps!("godot-3", godot::v3, godot, godot::Options::new(Version::V3));
    keeps!("godot-4", godot::v4, godot, godot::Options::new(Version::V4));
    keeps!("scrap-mechanic-lua", lua_object, lua_object, lua_object::Options::new());
}

#[test]
fn encoding_writes_to_any_writer_or_not_at_all() {
    let attributes: Attributes<'_> = [("a", true)].into_iter().collect();
    let mut written = Vec::new();
    attributes::encode_to(&attributes, &mut written).unwrap();
    assert_eq!(written, attributes::encode(&attributes).unwrap());
    let mut small = [0; 5];
    assert!(attributes::encode_to(&attributes, &mut small[..]).is_err());

    let deep = (0..200).fold(Value::Bool(true), |inner, _| Value::Array([inner].into()));
    let attributes: Attributes<'_> = [("fine", Value::Bool(true)), ("deep", deep)].into_iter().collect();
    let mut written = Vec::new();
    let error = attributes::encode_to(&attributes, &mut written).unwrap_err();
    let expected = r#"containers are nested deeper than 128 levels in entries[1] "deep".value.array.elements[0].array"#;
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(written.is_empty());
}

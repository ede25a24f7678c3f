//! Rojo's JSON form of attributes beside serde's of `rbx_types`, which is what Rojo reads and writes.

use std::collections::BTreeSet;

use crate::support::{files, folder, Codec, RobloxAttributes};
use enginewire::formats::{self, FormatOptions, JsonForm, JsonWriter};
use enginewire::roblox::attributes::{self, Attributes, Entry, EnumItem, Font, TypeId, Value};
use enginewire::roblox::datatypes::*;
use enginewire::wire::{IntoByteString, List};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use rbx_types::Variant;

fn text(attributes: &Attributes<'_>) -> Result<String, String> {
    attributes.to_rojo().map(|form| serde_json::to_string(&form).unwrap()).map_err(|error| error.to_string())
}

fn error(text: &str) -> String {
    Attributes::from_rojo(text.as_bytes()).unwrap_err().to_string()
}

fn one(value: Value<'static>) -> Attributes<'static> {
    [Entry::new("a", value)].into_iter().collect()
}

/// A value of each type that Rojo has, and its text.
fn values() -> Vec<(Value<'static>, &'static str)> {
    let vector3 = |x, y, z| Vector3 { x, y, z };
    let turned = [0.0, 0.0, 1.0, 0.5, 1.0, 0.0, -1.0, 0.0, 0.0];
    let number = |time, value| NumberSequenceKeypoint { envelope: 0.25, time, value };
    let color = |time, g| ColorSequenceKeypoint { envelope: 0.0, time, value: Color3 { r: 1.0, g, b: 0.0 } };
    let numbers: List<'static, _> = [number(0.0, 1.0), number(1.0, 0.5)].into_iter().collect();
    let colors: List<'static, _> = [color(0.0, 0.5), color(1.0, 0.0)].into_iter().collect();
    let rotation = RotationId::try_from(0x06).unwrap();
    let font = |weight, style, cached: &'static str| Font {
        weight,
        style,
        family: "rbxasset://a.json".into_byte_string(),
        cached_face_id: cached.into_byte_string(),
    };
    let item = EnumItem { enum_name: "Material".into_byte_string(), value: 512 };
    vec![
        ("Torch".into(), r#"{"String":"Torch"}"#),
        (vec![0xff_u8, 0].into(), r#"{"BinaryString":"/wA="}"#),
        (true.into(), r#"{"Bool":true}"#),
        (Value::Int(-7), r#"{"Int32":-7}"#),
        (Value::Float(0.1), r#"{"Float32":0.1}"#),
        (100.0.into(), r#"{"Float64":100.0}"#),
        (Value::Double(-0.0), r#"{"Float64":-0.0}"#),
        (UDim { scale: 0.5, offset: -8 }.into(), r#"{"UDim":[0.5,-8]}"#),
        (
            UDim2 { x: UDim { scale: 1.0, offset: 2 }, y: UDim { scale: 3.0, offset: 4 } }.into(),
            r#"{"UDim2":[[1.0,2],[3.0,4]]}"#,
        ),
        (BrickColor(194).into(), r#"{"BrickColor":194}"#),
        (Color3 { r: 1.0, g: 0.5, b: 0.0 }.into(), r#"{"Color3":[1.0,0.5,0.0]}"#),
        (Vector2 { x: 1.0, y: -2.5 }.into(), r#"{"Vector2":[1.0,-2.5]}"#),
        (vector3(1.0, 2.0, 3.0).into(), r#"{"Vector3":[1.0,2.0,3.0]}"#),
        (
            CFrame { position: vector3(1.0, 2.0, 3.0), rotation: turned.into() }.into(),
            r#"{"CFrame":{"position":[1.0,2.0,3.0],"orientation":[[0.0,0.0,1.0],[0.5,1.0,0.0],[-1.0,0.0,0.0]]}}"#,
        ),
        (
            CFrame { position: vector3(0.0, 0.0, 0.0), rotation: rotation.into() }.into(),
            r#"{"CFrame":{"position":[0.0,0.0,0.0],"orientation":[[1.0,0.0,0.0],[0.0,0.0,1.0],[0.0,-1.0,0.0]]}}"#,
        ),
        (item.into(), r#"{"EnumItem":{"type":"Material","value":512}}"#),
        (
            numbers.into(),
            r#"{"NumberSequence":{"keypoints":[{"time":0.0,"value":1.0,"envelope":0.25},{"time":1.0,"value":0.5,"envelope":0.25}]}}"#,
        ),
        (
            colors.into(),
            r#"{"ColorSequence":{"keypoints":[{"time":0.0,"color":[1.0,0.5,0.0]},{"time":1.0,"color":[1.0,0.0,0.0]}]}}"#,
        ),
        (NumberRange { min: 5.0, max: 10.0 }.into(), r#"{"NumberRange":[5.0,10.0]}"#),
        (
            Rect { min: Vector2 { x: 1.0, y: 2.0 }, max: Vector2 { x: 3.0, y: 4.0 } }.into(),
            r#"{"Rect":[[1.0,2.0],[3.0,4.0]]}"#,
        ),
        (
            font(400, 0, "").into(),
            r#"{"Font":{"family":"rbxasset://a.json","weight":"Regular","style":"Normal","cachedFaceId":null}}"#,
        ),
        (
            font(900, 1, "rbxasset://b.ttf").into(),
            r#"{"Font":{"family":"rbxasset://a.json","weight":"Heavy","style":"Italic","cachedFaceId":"rbxasset://b.ttf"}}"#,
        ),
    ]
}

/// Asserts that `rbx_types` reads a text as the same attributes, compared as bytes.
fn read_alike(text: &str, attributes: &Attributes<'_>) {
    let theirs: rbx_types::Attributes = serde_json::from_str(text).unwrap();
    let mut bytes = Vec::new();
    theirs.to_writer(&mut bytes).unwrap();
    assert_eq!(bytes, attributes::encode(attributes).unwrap(), "{text}");
}

#[test]
fn every_type_both_ways() {
    for (value, expected) in values() {
        let (attributes, expected) = (one(value), format!(r#"{{"a":{expected}}}"#));
        assert_eq!(text(&attributes).as_deref(), Ok(expected.as_str()));
        let read = Attributes::from_rojo(expected.as_bytes()).unwrap();
        assert_eq!(attributes::encode(&read), attributes::encode(&attributes));
        read_alike(&expected, &attributes);
    }
}

/// `rbx_types` reads a blob and writes the same JSON. A text is bytes for it, as they may be anything.
#[test]
fn rbx_types_writes_the_same_text() {
    for (value, expected) in values() {
        let bytes = attributes::encode(&one(value.clone())).unwrap();
        let mut theirs = rbx_types::Attributes::from_reader(&bytes[..]).unwrap();
        if let (Some(text), Some(Variant::BinaryString(_))) = (value.as_str(), theirs.get("a")) {
            theirs.insert("a".to_owned(), Variant::String(text.to_owned()));
        }
        assert_eq!(serde_json::to_string(&theirs).unwrap(), format!(r#"{{"a":{expected}}}"#));
    }
}

/// Every type is in the list above, or refused by its name.
#[test]
fn other_types_are_refused() {
    let covered: BTreeSet<&str> = values().iter().map(|(value, _)| value.type_id().name()).collect();
    let all = std::fs::read(folder("roblox-attributes").join("all-types.bin")).unwrap();
    let options = attributes::Options::new().refs(true);
    let mut seen: BTreeSet<_> = ["Ref"].into();
    let reference = Entry::new("r", Value::Ref(7));
    for entry in attributes::decode_with(&all, &options).unwrap().iter().chain([&reference]) {
        let name = entry.value.type_id().name();
        seen.insert(name);
        if !covered.contains(name) {
            let attributes: Attributes<'_> = [entry.clone()].into_iter().collect();
            let expected = format!("{}: Rojo has no attributes of the type {name}", entry.key);
            assert_eq!(text(&attributes), Err(expected));
        }
    }
    assert_eq!(seen.len(), TypeId::ALL.len());
}

#[test]
fn what_rojo_cannot_have_is_named() {
    let font = |weight, style| Font { weight, style, family: Default::default(), cached_face_id: Default::default() };
    let envelope = ColorSequenceKeypoint { envelope: 0.5, time: 0.0, value: Color3 { r: 0.0, g: 0.0, b: 0.0 } };
    let colors: List<'static, _> = [envelope].into_iter().collect();
    for (value, reason) in [
        (Value::Double(f64::NAN), "Rojo has no form for the number NaN in an attribute of the type Double"),
        (
            Vector2 { x: 0.0, y: f32::INFINITY }.into(),
            "Rojo has no form for the number inf in an attribute of the type Vector2",
        ),
        (BrickColor(4).into(), "Rojo has no form for the number 4 in an attribute of the type BrickColor"),
        (font(450, 0).into(), "Rojo has no form for the weight 450 in an attribute of the type Font"),
        (font(400, 2).into(), "Rojo has no form for the style 2 in an attribute of the type Font"),
        (colors.into(), "Rojo has no form for the envelope 0.5 in an attribute of the type ColorSequence"),
        (
            EnumItem { enum_name: b"\xff".as_slice().into_byte_string(), value: 1 }.into(),
            "Rojo has no form for the text \"\\xff\", which is not UTF-8, in an attribute of the type EnumItem",
        ),
    ] {
        assert_eq!(text(&one(value)), Err(format!("a: {reason}")));
    }
    let twice: Attributes<'_> = [("max fuel", Value::Bool(true)), ("max fuel", false.into())].into_iter().collect();
    assert_eq!(
        text(&twice).unwrap_err(),
        "\"max fuel\": another attribute has this name, and Rojo has no form for that"
    );
    let bytes: Attributes<'_> = [Entry::new(b"\xff".as_slice(), true)].into_iter().collect();
    assert_eq!(text(&bytes).unwrap_err(), "\"\\xff\": the name is not UTF-8, and Rojo has no form for that");
}

/// The values in the test project of Rojo that need no type, and whole numbers where it has numbers.
#[test]
fn values_that_show_their_type_need_none() {
    let text = r#"{"Bool": true, "Number": 0.5, "String": "Test", "Whole": -3, "Large": 18446744073709551615}"#;
    let attributes = Attributes::from_rojo(text.as_bytes()).unwrap();
    let expected = [
        Entry::new("Bool", true),
        Entry::new("Number", 0.5),
        Entry::new("String", "Test"),
        Entry::new("Whole", -3.0),
        Entry::new("Large", 18_446_744_073_709_551_615.0),
    ];
    assert_eq!(attributes.entries(), expected);
    for text in [r#"{"a": {"UDim": [0, 0]}}"#, r#"{"a": {"Vector3": [1, 2, 3]}}"#, r#"{"a": {"Float32": 0}}"#] {
        read_alike(text, &Attributes::from_rojo(text.as_bytes()).unwrap());
    }
}

/// The values of properties on Rojo's own page about them, <https://rojo.space/docs/v7/properties>, of all types that it names
/// for attributes.
#[test]
fn the_examples_that_rojo_publishes_are_read() {
    let vector3 = |x, y, z| Vector3 { x, y, z };
    let color = |time, r, g, b| ColorSequenceKeypoint { envelope: 0.0, time, value: Color3 { r, g, b } };
    let number = |time, value, envelope| NumberSequenceKeypoint { envelope, time, value };
    let font = Font {
        weight: 400,
        style: 0,
        family: "rbxasset://fonts/families/LegacyArial.json".into_byte_string(),
        cached_face_id: Default::default(),
    };
    let rotation = Rotation::Matrix([4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    let udim = |scale, offset| UDim { scale, offset };
    for (text, value) in [
        ("true", Value::from(true)),
        (r#"{"Bool": false}"#, false.into()),
        (r#"{"BrickColor": 194}"#, BrickColor(194).into()),
        (
            r#"{"CFrame": {"position": [1.0, 2.0, 3.0],
                "orientation": [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]}}"#,
            CFrame { position: vector3(1.0, 2.0, 3.0), rotation }.into(),
        ),
        (
            r#"{"Color3": [0.6392156862745098, 0.6352941176470588, 0.6470588235294118]}"#,
            Color3 { r: 163.0 / 255.0, g: 162.0 / 255.0, b: 165.0 / 255.0 }.into(),
        ),
        (
            r#"{"ColorSequence": {"keypoints": [
                {"time": 0.0, "color": [1.0, 1.0, 0.5]}, {"time": 1.0, "color": [0.0, 0.0, 0.0]}]}}"#,
            List::from(vec![color(0.0, 1.0, 1.0, 0.5), color(1.0, 0.0, 0.0, 0.0)]).into(),
        ),
        ("15123.0", 15_123.0.into()),
        (r#"{"Float64": 15123.0}"#, 15_123.0.into()),
        (r#"{"Float32": 15.0}"#, Value::Float(15.0)),
        (r#"{"Int32": 6014}"#, Value::Int(6014)),
        (
            r#"{"Font": {"family": "rbxasset://fonts/families/LegacyArial.json", "weight": "Regular", "style": "Normal"}}"#,
            font.into(),
        ),
        (r#"{"NumberRange": [-36.0, 94.0]}"#, NumberRange { min: -36.0, max: 94.0 }.into()),
        (
            r#"{"NumberSequence": {"keypoints": [
                {"time": 0.0, "value": 5.0, "envelope": 2.0}, {"time": 1.0, "value": 22.0, "envelope": 0.0}]}}"#,
            List::from(vec![number(0.0, 5.0, 2.0), number(1.0, 22.0, 0.0)]).into(),
        ),
        (
            r#"{"Rect": [[0.0, 5.0], [10.0, 15.0]]}"#,
            Rect { min: Vector2 { x: 0.0, y: 5.0 }, max: Vector2 { x: 10.0, y: 15.0 } }.into(),
        ),
        (r#""Hello, world!""#, "Hello, world!".into()),
        (r#"{"String": "Hello, world!"}"#, "Hello, world!".into()),
        (r#"{"BinaryString": "SGVsbG8sIHdvcmxkIQ=="}"#, "Hello, world!".into()),
        (r#"{"UDim": [1.0, 32]}"#, udim(1.0, 32).into()),
        (r#"{"UDim2": [[-1.0, 100], [1.0, -100]]}"#, UDim2 { x: udim(-1.0, 100), y: udim(1.0, -100) }.into()),
        (r#"{"Vector2": [-50.0, 50.0]}"#, Vector2 { x: -50.0, y: 50.0 }.into()),
        (r#"{"Vector3": [-300.0, 0.0, 1500.0]}"#, vector3(-300.0, 0.0, 1500.0).into()),
    ] {
        let (text, expected) = (format!(r#"{{"a": {text}}}"#), one(value));
        assert_eq!(Attributes::from_rojo(text.as_bytes()).as_ref(), Ok(&expected), "{text}");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(Attributes::from_rojo_json(&json), Ok(expected), "{text}");
    }
}

#[test]
fn wrong_texts_say_where_and_what_was_expected() {
    for (text, expected) in [
        ("[]", "expected an object of attributes, such as {\"Health\": {\"Float64\": 100}}, found a list"),
        (r#"{"a": [1, 2, 3]}"#, "a: expected a value with its type such as"),
        (r#"{"a": null}"#, "a: expected a value with its type"),
        (r#"{"a": {}}"#, "a: expected a type and its value, found an object"),
        (r#"{"a": {"Int64": 1}}"#, "a.Int64: unknown name Int64 (did you mean Int32"),
        (r#"{"a": {"Bool": true, "Int32": 1}}"#, "a: a value has one type, but here is `Int32` too"),
        (r#"{"a": {"Vector3": [1, 2]}}"#, "a.Vector3: expected a list of 3 items, found 2"),
        (r#"{"a": {"Vector2": [1, "x"]}}"#, "a.Vector2[1]: expected a number of 64 bits, found \"x\""),
        (r#"{"a": {"Float32": 1e39}}"#, "a.Float32: 1e+39 does not fit 32 bits, -3.4028235e38 to 3.4028235e38"),
        (r#"{"a": {"Int32": 0.5}}"#, "a.Int32: expected a whole number from -2147483648 to 2147483647, found 0.5"),
        (r#"{"a": {"BrickColor": 4}}"#, "a: unknown BrickColor 4"),
        (r#"{"a": {"BinaryString": "="}}"#, "a.BinaryString: expected base64, found \"=\""),
        (
            r#"{"a": {"Font": {"family": "f", "weight": "Fat", "style": "Normal"}}}"#,
            "a.Font.weight: unknown name Fat (expected one of Thin",
        ),
        (r#"{"a": {"CFrame": {"position": [0, 0, 0]}}}"#, "a.CFrame: missing field `orientation`"),
        (r#"{"a": true, "a": false}"#, "the attribute \"a\" is there twice"),
        (r#"{"a": true} x"#, "expected the end of the JSON, found more"),
        (r#"{"a": [[[[[[[[[["#, "objects and lists are nested deeper than 8 levels"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

/// The palette that they read is ours.
#[test]
fn the_palette_is_that_of_rbx_types() {
    for number in 0..=u16::MAX {
        let known = rbx_types::BrickColor::from_number(number).is_some();
        assert_eq!(BrickColor(number.into()).is_known(), known, "{number}");
    }
}

/// The one number of 32 bits that readers of 64 bits take for its neighbour is written with a digit more.
#[test]
fn numbers_are_read_by_way_of_64_bits() {
    let number = f32::from_bits(0x15ae_43fd);
    let text = text(&one(Value::Float(number))).unwrap();
    assert_eq!(text, r#"{"a":{"Float32":7.0385307e-26}}"#);
    assert_eq!(Attributes::from_rojo(text.as_bytes()).unwrap(), one(Value::Float(number)));
    read_alike(&text, &one(Value::Float(number)));
}

/// Zeros of either sign are the same to Rojo where a matrix has an id.
#[test]
fn a_matrix_becomes_the_id_that_it_has() {
    for id in RotationId::all() {
        for zero in [0.0, -0.0] {
            let matrix = id.matrix().map(|number| if number == 0.0 { zero } else { number });
            let attributes = one(CFrame { position: Vector3::default(), rotation: matrix.into() }.into());
            let text = text(&attributes).unwrap();
            let read = Attributes::from_rojo(text.as_bytes()).unwrap();
            assert_eq!(read, one(CFrame { position: Vector3::default(), rotation: id.into() }.into()));
            read_alike(&text, &read);
        }
    }
}

/// A value that can be written as text is read back with the same bytes, except that a matrix that has a rotation id
/// becomes the id.
fn there_and_back(bytes: &[u8]) {
    let Ok(attributes) = attributes::decode(bytes) else { return };
    let Ok(text) = text(&attributes) else { return };
    let again = Attributes::from_rojo(text.as_bytes()).unwrap();
    let with_ids = |attributes: &Attributes<'_>| {
        let mut attributes = attributes.clone();
        for entry in attributes.entries_mut() {
            if let Value::CFrame(cframe) = &mut entry.value {
                let id = RotationId::all().find(|id| id.matrix() == cframe.rotation.matrix());
                cframe.rotation = id.map_or(cframe.rotation, Rotation::Aligned);
            }
        }
        attributes::encode(&attributes).unwrap()
    };
    assert_eq!(attributes::encode(&again).unwrap(), with_ids(&attributes), "{text}");
    let theirs: rbx_types::Attributes = serde_json::from_str(&text).unwrap();
    assert_eq!(theirs.iter().count(), attributes.len());
    let json = attributes.to_rojo_json().unwrap();
    assert_eq!(json, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    let (mut of_json, mut sorted) = (Attributes::from_rojo_json(&json).unwrap(), again.clone());
    of_json.sort();
    sorted.sort();
    assert_eq!(attributes::encode(&of_json), attributes::encode(&sorted));
    let format = formats::by_name("roblox-attributes").unwrap();
    let (options, mut written) = (FormatOptions::new(), Vec::new());
    format.decode_json(bytes, &options, &mut JsonWriter::new(&mut written).form(JsonForm::Rojo)).unwrap();
    assert_eq!(written, text.as_bytes());
    let encoded = format.encode_form(JsonForm::Rojo, &written, None, &options).unwrap();
    assert_eq!(encoded, attributes::encode(&again).unwrap());
}

proptest! {
    #[test]
    fn any_value(entropy in vec(any::<u8>(), 0..300)) {
        let mut entropy = arbitrary::Unstructured::new(&entropy);
        if let Ok(attributes) = RobloxAttributes::arbitrary(&mut entropy) {
            for entry in attributes.iter() {
                let attributes: Attributes<'_> = [entry.clone()].into_iter().collect();
                there_and_back(&attributes::encode_with(&attributes, &attributes::Options::new().refs(true)).unwrap());
            }
        }
    }

    #[test]
    fn any_text(text in any::<String>()) {
        let _ = Attributes::from_rojo(text.as_bytes());
    }
}

/// The fixtures, and real blobs if `ENGINEWIRE_CORPUS` names a folder with them.
#[test]
fn blobs_in_files() {
    let corpus =
        std::env::var_os("ENGINEWIRE_CORPUS").map(|corpus| std::path::Path::new(&corpus).join("roblox-attributes"));
    let folders: Vec<_> =
        corpus.iter().flat_map(|corpus| crate::support::folders(corpus)).chain([folder("roblox-attributes")]).collect();
    for file in folders.iter().flat_map(|folder| files(folder, "bin")) {
        there_and_back(&std::fs::read(file).unwrap());
    }
}

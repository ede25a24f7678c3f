//! Promise: the JSON form loses nothing, and says where a document is wrong.

use enginewire::json;
use enginewire::roblox::attributes::{Attributes, Value};
use pretty_assertions::assert_eq;

fn read(text: &str) -> Result<Attributes<'static>, json::JsonError> {
    json::from_slice(text.as_bytes())
}

fn document(entries: &str) -> String {
    format!(r#"{{"format": "roblox-attributes", "entries": [{entries}]}}"#)
}

#[test]
fn wrong_documents_name_the_place() {
    for (entries, path, message) in [
        (r#"{"key": "a", "type": "Vec3", "value": 1}"#, "entries[0].type", "unknown variant `Vec3`"),
        (r#"{"key": "a", "type": "Bool", "value": 1}"#, "entries[0].value", "expected a boolean, found 1"),
        (
            r#"{"key": "a", "type": "Int", "value": 2147483648}"#,
            "entries[0].value",
            "expected a whole number of 32 bits, found 2147483648",
        ),
        (
            r#"{"key": "a", "type": "Int", "value": 1.5}"#,
            "entries[0].value",
            "expected a whole number of 32 bits, found 1.5",
        ),
        (r#"{"key": "a", "type": "Float", "value": 1e39}"#, "entries[0].value", "expected a number of 32 bits"),
        (r#"{"key": "a", "type": "Double", "value": "nan"}"#, "entries[0].value", "expected a number of 64 bits"),
        (r#"{"key": "a", "type": "Double", "value": 1e999}"#, "entries[0].value", "number out of range"),
        (r#"{"key": 1, "type": "Bool", "value": true}"#, "entries[0].key", "expected a string"),
        (
            r#"{"key": {"hex": "0"}, "type": "Bool", "value": true}"#,
            "entries[0].key",
            "an even number of hexadecimal digits",
        ),
        (r#"{"key": {"hexx": ""}, "type": "Bool", "value": true}"#, "entries[0].key", "unknown field `hexx`"),
        (r#"{"type": "Bool", "value": true}"#, "entries[0]", "missing field `key`"),
        (r#"{"key": "a", "value": true}"#, "entries[0]", "missing field `type`"),
        (r#"{"key": "a", "type": "Bool"}"#, "entries[0]", "missing field `value`"),
        (r#"{"key": "a", "type": "Bool", "value": true, "note": 1}"#, "entries[0]", "unknown field `note`"),
        (r#"{"key": "a", "key": "b", "type": "Bool", "value": true}"#, "entries[0]", "duplicate field `key`"),
        (r#"{"key": "a", "type": "UDim", "value": {"scale": 1}}"#, "entries[0].value", "missing field `offset`"),
        (
            r#"{"key": "a", "type": "UDim", "value": {"scale": 1, "offset": 1, "x": 1}}"#,
            "entries[0].value",
            "unknown field `x`",
        ),
        (
            r#"{"key": "a", "type": "UDim2", "value": {"x": {"scale": true}}}"#,
            "entries[0].value.x.scale",
            "expected a number",
        ),
        (
            r#"{"key": "a", "type": "Vector2int16", "value": {"x": 32768, "y": 0}}"#,
            "entries[0].value.x",
            "expected a whole number of 16 bits, found 32768",
        ),
        (
            r#"{"key": "a", "type": "CFrame", "value": {"position": {"x": 0, "y": 0, "z": 0}, "rotation": {"id": 4}}}"#,
            "entries[0].value.rotation.id",
            "0x04 is not one of the 24 rotation ids",
        ),
        (
            r#"{"key": "a", "type": "CFrame", "value": {"position": {"x": 0, "y": 0, "z": 0}, "rotation": {"matrix": [1]}}}"#,
            "entries[0].value.rotation.matrix",
            "an array of length 9",
        ),
        (
            r#"{"key": "a", "type": "Bool", "value": true}, {"key": "b", "type": "Array", "value": [{"type": "Bool", "value": 0}]}"#,
            "entries[1].value[0].value",
            "expected a boolean",
        ),
    ] {
        let error = read(&document(entries)).expect_err(entries);
        assert!(error.path().starts_with(path) && error.message().contains(message), "{entries}\n{error}");
    }
    for (text, message) in [
        (r#"{"format": "roblox-remote", "entries": []}"#, "unknown variant `roblox-remote`"),
        (r#"{"entries": []}"#, "missing field `format`"),
        (r#"{"format": "roblox-attributes"}"#, "missing field `entries`"),
        (r#"{"format": "roblox-attributes", "entries": [], "version": 1}"#, "unknown field `version`"),
        (r#"{"format": "roblox-attributes", "entries": []} x"#, "expected the end of the JSON, found more"),
        ("{", "the JSON ends too early"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.message().contains(message) && error.message().contains("line 1"), "{text}\n{error}");
    }
}

#[test]
fn members_may_come_in_any_order() {
    let text = r#"{"entries": [{"value": {"offset": 2, "scale": 0.4}, "type": "UDim", "key": "k"}], "format": "roblox-attributes"}"#;
    let sorted = document(r#"{"key": "k", "type": "UDim", "value": {"scale": 0.4, "offset": 2}}"#);
    assert_eq!(read(text).unwrap(), read(&sorted).unwrap());
}

/// serde_json alone reads these types too, at its own depth.
#[test]
fn serde_traits_work_by_themselves() {
    let value: Value<'_> = serde_json::from_str(r#"{"type": "Float", "value": "NaN"}"#).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"type":"Float","value":"NaN"}"#);
}

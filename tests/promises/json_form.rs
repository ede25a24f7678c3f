//! Promise: the JSON form loses nothing. The errors of documents are in `tests/doors/refused/json.txt`.

use enginewire::json;
use enginewire::roblox::attributes::{Attributes, Value};
use pretty_assertions::assert_eq;

fn read(text: &str) -> Result<Attributes<'static>, enginewire::TextError> {
    json::from_slice(text.as_bytes())
}

fn document(entries: &str) -> String {
    format!(r#"{{"format": "roblox-attributes", "entries": [{entries}]}}"#)
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

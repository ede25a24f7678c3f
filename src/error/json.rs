//! Errors as JSON, in the form used by the program.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{DecodeError, DecodeOwnedError, EncodeError, Key, Path, RequireError, Segment, TypeError};
use crate::Offset;

/// `{"offset": 44}`, and `"bit"` if it is inside a byte.
impl Serialize for Offset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_offset::<S>(&mut map, *self)?;
        map.end()
    }
}

fn write_offset<S: Serializer>(map: &mut S::SerializeMap, offset: Offset) -> Result<(), S::Error> {
    map.serialize_entry("offset", &offset.byte())?;
    if offset.bit() > 0 {
        map.serialize_entry("bit", &offset.bit())?;
    }
    Ok(())
}

/// As text.
impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The name of a field, the number of an item, or a key.
impl Serialize for Segment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Segment::Field(name) => name.serialize(serializer),
            Segment::Index(index) => index.serialize(serializer),
            Segment::Key(key) => key.serialize(serializer),
        }
    }
}

/// An integer as a number. Text that is UTF-8 as it is, and anything else as paths show it.
impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Key::Integer(number) => serializer.serialize_i64(*number),
            key => match key.as_str() {
                Some(text) => serializer.serialize_str(text),
                None => serializer.collect_str(key),
            },
        }
    }
}

/// `{"code": "unknown-id", "message": "unknown type id 0x1d", "offset": 9, "path": "type", "truncated": false}`, and `"expected"`
/// if the fault states it.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let error = attributes::decode(b"\x01\0\0\0\x01\0\0\0a\x04").unwrap_err();
/// let json = serde_json::to_value(&error)?;
/// assert_eq!(json["code"], "truncated");
/// assert_eq!(json["message"], "input ends too early: 4 bytes needed, 0 left");
/// assert_eq!((&json["offset"], &json["path"]), (&10.into(), &r#"entries[0] "a".value.int"#.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for DecodeError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.fault().code())?;
        map.serialize_entry("message", &self.fault().to_string())?;
        write_offset::<S>(&mut map, self.offset())?;
        map.serialize_entry("path", self.path())?;
        map.serialize_entry("truncated", &self.is_truncated())?;
        if let Some(expected) = self.fault().expected() {
            map.serialize_entry("expected", &expected)?;
        }
        map.end()
    }
}

/// As its [`DecodeError`], without the input.
impl Serialize for DecodeOwnedError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.error().serialize(serializer)
    }
}

/// `{"message": …, "path": …}`
impl Serialize for EncodeError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("message", &self.reason().to_string())?;
        map.serialize_entry("path", self.path())?;
        map.end()
    }
}

/// `{"wanted": "f64", "found": "String"}`
impl Serialize for TypeError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("wanted", &self.wanted())?;
        map.serialize_entry("found", self.found())?;
        map.end()
    }
}

/// `{"key": "Health", "wanted": "f64", "found": "String"}`; `found` is null if the value is missing.
impl Serialize for RequireError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("key", &Key::Text(self.key().into()))?;
        map.serialize_entry("wanted", &self.wanted())?;
        map.serialize_entry("found", &self.found())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EncodeFault, Fault};
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::{json, to_value};

    #[test]
    fn errors_as_json() {
        let keys = [Key::Text("k".into()), Key::Integer(3), Key::Other("true".into()), Key::Text(b"\xff"[..].into())];
        let keys = keys.map(Segment::Key);
        assert_eq!(to_value(&keys).unwrap(), json!(["k", 3, "true", r#""\xff""#]));
        let path: Path = [Segment::Field("a"), Segment::Index(3)].into_iter().collect();
        assert_eq!(to_value(path.segments()).unwrap(), json!(["a", 3]));
        let error = DecodeError::new(Offset::new(7, 3), path.clone(), Fault::ReservedBit);
        let document = json!({
            "code": "reserved-bit", "message": "the reserved bit is 1, not 0", "offset": 7, "bit": 3, "path": "a[3]", "truncated": false,
        });
        assert_eq!(to_value(&error).unwrap(), document);
        assert_eq!(to_value(DecodeOwnedError::new(error, vec![7])).unwrap(), document);
        let error = EncodeError::new(path, EncodeFault::Text);
        assert_eq!(to_value(error).unwrap(), json!({ "message": "text is not UTF-8", "path": "a[3]" }));
        assert_eq!(to_value(Offset::from(5)).unwrap(), json!({ "offset": 5 }));
        let found = TypeError::new::<u8>("Text");
        assert_eq!(to_value(found).unwrap(), json!({ "wanted": "u8", "found": "Text" }));
        let missing = super::super::require::<String, &String>(b"k", None).unwrap_err();
        assert_eq!(to_value(missing).unwrap(), json!({ "key": "k", "wanted": "&String", "found": null }));
    }
}

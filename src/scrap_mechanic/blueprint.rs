//! Scrap Mechanic blueprints: JSON, in which every part with a script has its object, packed.
//!
//! `bodies[].childs[].controller.data` is base64 without `=` of a raw LZ4 block of a LuaObject. Parts without a script
//! have none.
//!
//! ```
//! use enginewire::scrap_mechanic::blueprint::Blueprint;
//! use enginewire::scrap_mechanic::lua_object::{LuaObject, LuaSaveData};
//!
//! let text = r#"{"bodies": [{"childs": [{"controller": {"data": "gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", "id": 1}}]}]}"#;
//! let mut blueprint = Blueprint::new(text)?;
//! let object = blueprint.parts().next().unwrap().decode()?;
//! assert_eq!(object.data.as_table().unwrap().get("mode"), Some(&LuaSaveData::Int8(0)));
//!
//! blueprint.replace(0, &LuaObject::new(true))?;
//! assert_eq!(blueprint.parts().next().unwrap().decode()?, LuaObject::new(true));
//! assert_eq!(blueprint.text().replace("kExVQQAAAAECgA", "…"), text.replace("gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", "…"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::ops::Range;

use data_encoding::BASE64_NOPAD;
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

use super::lua_object::{self, LuaObject, Options};
use super::packed::{pack, unpack, UnpackError, MAX_UNPACKED};
use crate::error::{DecodeError, EncodeError};

/// A blueprint. All of its text but the objects stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blueprint {
    text: String,
    places: Vec<Place>,
}

/// Where a part has its object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    body: usize,
    child: usize,
    /// The string in the text, quotes included.
    range: Range<usize>,
}

/// Why a text is no blueprint.
#[derive(Debug, Error)]
#[error("it is no blueprint: {0}")]
pub struct BlueprintError(#[from] serde_json::Error);

/// Why the object of a part cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartError {
    /// The member `data` is no string.
    #[error("data is no string")]
    NoString,
    /// The string is no base64.
    #[error("data is no base64: {0}")]
    Base64(#[from] data_encoding::DecodeError),
    /// The block cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The object. Offsets count from the start of what was unpacked.
    #[error("{0} of the object")]
    Object(#[from] DecodeError),
}

/// What matters of a blueprint; everything else may be there or not.
#[derive(Deserialize)]
struct Form<'t> {
    #[serde(borrow)]
    bodies: Vec<Body<'t>>,
}

#[derive(Deserialize)]
struct Body<'t> {
    #[serde(borrow, default)]
    childs: Vec<Child<'t>>,
}

#[derive(Deserialize)]
struct Child<'t> {
    #[serde(borrow, default)]
    controller: Option<Controller<'t>>,
}

#[derive(Deserialize)]
struct Controller<'t> {
    #[serde(borrow, default)]
    data: Option<&'t RawValue>,
}

impl Blueprint {
    /// The blueprint of this text.
    ///
    /// # Errors
    ///
    /// If it is no JSON, or lacks its bodies.
    pub fn new(text: impl Into<String>) -> Result<Self, BlueprintError> {
        let text = text.into();
        let form: Form<'_> = serde_json::from_str(&text)?;
        let mut places = Vec::new();
        for (body, Body { childs }) in form.bodies.iter().enumerate() {
            for (child, Child { controller }) in childs.iter().enumerate() {
                if let Some(data) = controller.as_ref().and_then(|controller| controller.data) {
                    places.push(Place { body, child, range: place(&text, data.get()) });
                }
            }
        }
        Ok(Blueprint { text, places })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parts that have an object, in the order of the text.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.places.iter().map(|Place { body, child, range }| Part {
            body: *body,
            child: *child,
            string: self.text.get(range.clone()).unwrap_or_default(),
        })
    }

    /// Gives another object to part number `index` of [`parts`](Self::parts), and says whether there is such a part.
    ///
    /// # Errors
    ///
    /// If the object cannot be encoded.
    pub fn replace(&mut self, index: usize, object: &LuaObject<'_>) -> Result<bool, EncodeError> {
        let string = format!("\"{}\"", pack_text(object)?);
        let Some(range) = self.places.get(index).map(|place| place.range.clone()) else { return Ok(false) };
        self.text.replace_range(range.clone(), &string);
        let end = range.start.saturating_add(string.len());
        for place in self.places.iter_mut().skip(index) {
            let [start, length] = [place.range.start, place.range.len()];
            let moved = if start == range.start {
                start..end
            } else {
                let start = start.saturating_sub(range.end).saturating_add(end);
                start..start.saturating_add(length)
            };
            place.range = moved;
        }
        Ok(true)
    }
}

/// Where `part`, a part of `text`, stands in it.
#[allow(clippy::as_conversions)] // addresses, to be compared only
fn place(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

/// A part of a blueprint that has an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'t> {
    body: usize,
    child: usize,
    /// As the text has it, quotes included.
    string: &'t str,
}

impl Part<'_> {
    /// Which of the bodies it belongs to.
    #[must_use]
    pub fn body(&self) -> usize {
        self.body
    }

    /// Which of the body's parts it is.
    #[must_use]
    pub fn child(&self) -> usize {
        self.child
    }

    /// The bytes of the object.
    ///
    /// # Errors
    ///
    /// If the string is none, no base64, or no LZ4 block, or unpacks to more than `limit` bytes.
    pub fn unpack(&self, limit: usize) -> Result<Vec<u8>, PartError> {
        let text: String = serde_json::from_str(self.string).map_err(|_| PartError::NoString)?;
        unpack_text(&text, limit)
    }

    /// The object.
    ///
    /// # Errors
    ///
    /// If it cannot be unpacked, or is no object.
    pub fn decode(&self) -> Result<LuaObject<'static>, PartError> {
        self.decode_with(&Options::new(), MAX_UNPACKED)
    }

    /// The object, read as the options say, unpacked to `limit` bytes at the most.
    ///
    /// # Errors
    ///
    /// If it cannot be unpacked, or is no object.
    pub fn decode_with(&self, options: &Options, limit: usize) -> Result<LuaObject<'static>, PartError> {
        Ok(lua_object::decode_with(&self.unpack(limit)?, options)?.into_owned())
    }
}

/// `bodies[0].childs[3]`
impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bodies[{}].childs[{}]", self.body, self.child)
    }
}

/// The bytes that a string of a blueprint stands for.
///
/// # Errors
///
/// If it is no base64, or no LZ4 block, or unpacks to more than `limit` bytes.
pub fn unpack_text(text: &str, limit: usize) -> Result<Vec<u8>, PartError> {
    let block = BASE64_NOPAD.decode(text.trim_end_matches('=').as_bytes())?;
    Ok(unpack(&block, limit)?)
}

/// The string that stands for an object in a blueprint.
///
/// # Errors
///
/// If the object cannot be encoded.
pub fn pack_text(object: &LuaObject<'_>) -> Result<String, EncodeError> {
    Ok(BASE64_NOPAD.encode(&pack(&lua_object::encode(object)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    const TEXT: &str = r#"{"bodies": [{"childs": [
        {"shapeId": "a", "pos": {"x": 1.0, "y": 1e2}},
        {"controller": {"data": "gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", "id": 1}},
        {"controller": null}, {"controller": {"id": 12345678901234567890123}}
    ]}, {}, {"childs": [{"controller": {"data": 7}}, {"controller": {"data": "gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA"}}]}],
    "version": 4}"#;

    #[test]
    fn worked_example() {
        let bytes = hex("4c5541 00000001 05 00000001 02 00 00 00 02 00 6d6f6465 08 00");
        assert_eq!(unpack_text("gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", 100), Ok(bytes));
        assert!(matches!(unpack_text("gExVQQ!", 100), Err(PartError::Base64(_))));
        assert!(matches!(unpack_text("gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", 10), Err(PartError::Unpack(_))));
    }

    #[test]
    fn a_part_that_cannot_be_read_does_not_hide_the_others() {
        let blueprint = Blueprint::new(TEXT).unwrap();
        let parts: Vec<_> = blueprint.parts().map(|part| (part.to_string(), part.decode())).collect();
        assert_eq!(parts.len(), 3);
        assert_eq!((&parts[0].0[..], parts[0].1.is_ok()), ("bodies[0].childs[1]", true));
        assert_eq!(parts[1], ("bodies[2].childs[0]".to_owned(), Err(PartError::NoString)));
        assert_eq!((&parts[2].0[..], parts[2].1.is_ok()), ("bodies[2].childs[1]", true));
    }

    #[test]
    fn all_else_stays_as_it_is() {
        let mut blueprint = Blueprint::new(TEXT).unwrap();
        let before = blueprint.parts().next().unwrap().decode().unwrap();
        let long = LuaObject::new("a text that does not repeat itself");
        for (index, object) in [(0, &long), (2, &LuaObject::default()), (1, &long), (0, &before), (2, &before)] {
            assert!(blueprint.replace(index, object).unwrap());
            assert_eq!(blueprint.parts().nth(index).unwrap().decode().as_ref(), Ok(object));
            assert_eq!(Blueprint::new(blueprint.text()).unwrap(), blueprint);
        }
        let packed = |object| format!("\"{}\"", pack_text(object).unwrap());
        let original = "\"gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA\"";
        let expected =
            TEXT.replace(original, &packed(&before)).replace("\"data\": 7", &format!("\"data\": {}", packed(&long)));
        assert_eq!(blueprint.text(), expected);
        assert!(!blueprint.replace(3, &before).unwrap());
    }

    #[test]
    fn other_texts_are_no_blueprints() {
        for text in ["", "[]", "{}", r#"{"bodies": 3}"#, r#"{"bodies": [{"childs": {}}]}"#] {
            assert!(Blueprint::new(text).is_err(), "{text}");
        }
    }
}

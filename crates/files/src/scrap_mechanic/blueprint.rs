//! Scrap Mechanic blueprints: JSON. Every part with a script contains its object, packed.
//!
//! `bodies[].childs[].controller.data` is base64 without `=` of a raw LZ4 block of a LuaObject. Parts without a script
//! have none.
//!
//! ```
//! use enginewire_files::scrap_mechanic::blueprint::Blueprint;
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

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use base64::prelude::{Engine, BASE64_STANDARD_NO_PAD};
use base64::DecodeError::{InvalidByte, InvalidLastSymbol};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::Deserializer;
use serde_json::value::RawValue;
use thiserror::Error;

use super::packed::{pack, room_for_object, unpack, UnpackError, MAX_UNPACKED};
use enginewire::budget::{self, Budget, OverBudget};
use enginewire::error::{DecodeError, EncodeError};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, Options, Uuid};
use enginewire::signature::HEAD;
use enginewire::TextError;

/// A blueprint. All of its text but the objects stays as it is.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Blueprints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blueprint {
    text: String,
    /// In the order of the text.
    places: Vec<Place>,
    max_memory: usize,
}

/// The location of the object of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    body: usize,
    child: usize,
    /// The string in the text, quotes included.
    range: Range<usize>,
    /// The member `shapeId`.
    shape: Option<Uuid>,
}

/// The reason why a text is not a blueprint.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BlueprintError {
    /// It is not JSON, or lacks what a blueprint has.
    #[error("not a Scrap Mechanic blueprint: {0}")]
    Json(TextError),
    /// It takes too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
}

/// Why the object of a part cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartError {
    /// The member `data` is not a string.
    #[error("data is not a string")]
    NoString,
    /// The string is not base64.
    #[error("data is not base64: {0}")]
    Base64(String),
    /// The block cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The unpacked bytes or the object take too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// The object. Offsets count from the start of what was unpacked.
    #[error("{0} of the object")]
    Object(#[from] DecodeError),
}

/// Reads what matters of a blueprint; all other members are skipped. Only the places of objects are kept.
struct Reader<'t> {
    text: &'t str,
    places: Vec<Place>,
    budget: Budget,
    over: Option<OverBudget>,
    has_bodies: bool,
}

impl<'t> Reader<'t> {
    fn read(text: &'t str, budget: Budget, trailing: bool) -> (Self, serde_json::Result<()>) {
        let mut reader = Reader { text, places: Vec::new(), budget, over: None, has_bodies: false };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = At { level: Level::AllConsuming, reader: &mut reader }.deserialize(&mut deserializer);
        let read = read.and_then(|()| if trailing { Ok(()) } else { deserializer.end() });
        (reader, read)
    }

    /// Notes where a part has its object.
    fn found(&mut self, body: usize, child: usize, data: &RawValue) -> Result<(), OverBudget> {
        if data.get() == "null" {
            return Ok(());
        }
        let place = Place { body, child, range: place(self.text, data.get()), shape: None };
        self.budget.push(&mut self.places, place).inspect_err(|error| self.over = Some(*error))
    }
}

/// A level of a blueprint. Reading it reads all levels below it.
enum Level {
    AllConsuming,
    Bodies,
    Body(usize),
    Parts(usize),
    Part(usize, usize),
    Controller(usize, usize),
}

struct At<'r, 't> {
    level: Level,
    reader: &'r mut Reader<'t>,
}

impl<'de> DeserializeSeed<'de> for At<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.level {
            Level::Bodies | Level::Parts(_) => deserializer.deserialize_seq(self),
            // a part without a script may have null for its controller
            Level::Controller(..) => deserializer.deserialize_option(self),
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for At<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.level {
            Level::AllConsuming => "an object with bodies",
            Level::Bodies => "a list of bodies",
            Level::Body(_) => "a body, which is an object",
            Level::Parts(_) => "a list of parts",
            Level::Part(..) => "a part, which is an object",
            Level::Controller(..) => "a controller, which is an object or null",
        })
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let At { level, reader } = self;
        let mut index: usize = 0;
        loop {
            let level = match level {
                Level::Parts(body) => Level::Part(body, index),
                _ => Level::Body(index),
            };
            if items.next_element_seed(At { level, reader: &mut *reader })?.is_none() {
                return Ok(());
            }
            index = index.saturating_add(1);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let At { level, reader } = self;
        let (name, inside) = match level {
            Level::Body(body) => ("childs", Level::Parts(body)),
            Level::Part(body, child) => ("controller", Level::Controller(body, child)),
            Level::Controller(body, child) => return controller(body, child, reader, members),
            _ => ("bodies", Level::Bodies),
        };
        let is_whole = matches!(level, Level::AllConsuming);
        let part = if let Level::Part(body, child) = level { Some((body, child)) } else { None };
        let (mut inside, mut shape) = (Some(inside), None);
        while let Some(member) = members.next_key_seed(Which([name, "shapeId"]))? {
            if member == Some(0) {
                reader.has_bodies = true;
                let level = inside.take().ok_or_else(|| A::Error::duplicate_field(name))?;
                members.next_value_seed(At { level, reader: &mut *reader })?;
            } else if member.is_some() && part.is_some() {
                shape = Some(members.next_value::<&RawValue>()?.get());
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        let own = reader.places.last_mut().filter(|place| part == Some((place.body, place.child)));
        own.into_iter().for_each(|place| place.shape = shape.and_then(|text| text.trim_matches('"').parse().ok()));
        if is_whole && inside.is_some() {
            return Err(A::Error::missing_field(name));
        }
        Ok(())
    }
}

fn controller<'de, A: MapAccess<'de>>(
    body: usize,
    child: usize,
    reader: &mut Reader<'_>,
    mut members: A,
) -> Result<(), A::Error> {
    let mut is_there = false;
    while let Some(member) = members.next_key_seed(Which(["data"]))? {
        if member.is_none() {
            members.next_value::<IgnoredAny>()?;
        } else if std::mem::replace(&mut is_there, true) {
            return Err(A::Error::duplicate_field("data"));
        } else {
            reader.found(body, child, members.next_value::<&RawValue>()?).map_err(A::Error::custom)?;
        }
    }
    Ok(())
}

/// Finds the name of a member among these.
struct Which<const N: usize>([&'static str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Which<N> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<const N: usize> Visitor<'_> for Which<N> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|other| *other == name))
    }
}

/// True if a file begins with an object in JSON whose member `bodies` begins within these bytes.
pub(crate) fn is_blueprint(head: &[u8]) -> bool {
    let head = head.get(..HEAD).unwrap_or(head);
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // the text ends anywhere
    Reader::read(text, Budget::new(budget::DEFAULT), true).0.has_bodies
}

impl Blueprint {
    /// The blueprint of this text, within 256 MiB.
    ///
    /// # Errors
    ///
    /// If it is not JSON, lacks its bodies, or takes too much memory.
    pub fn new(text: impl Into<String>) -> Result<Self, BlueprintError> {
        Self::with_max_memory(text, budget::DEFAULT)
    }

    /// The blueprint of this text, within this many bytes of memory. The text and the places of its objects together may
    /// take that much, and so may the unpacked bytes of each object together with its decoded form.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_max_memory(text: impl Into<String>, max_memory: usize) -> Result<Self, BlueprintError> {
        Self::read(text.into(), max_memory, false)
    }

    /// The same. With `trailing`, anything may follow the blueprint.
    pub(super) fn read(text: String, max_memory: usize, trailing: bool) -> Result<Self, BlueprintError> {
        let mut budget = Budget::new(max_memory);
        budget.take(text.len())?;
        let (reader, read) = Reader::read(&text, budget, trailing);
        if let Some(over) = reader.over {
            return Err(over.into());
        }
        read.map_err(|error| BlueprintError::Json(error.into()))?;
        let places = reader.places;
        Ok(Blueprint { text, places, max_memory })
    }

    /// The memory limit, in bytes.
    pub(super) fn max_memory(&self) -> usize {
        self.max_memory
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parts that have an object, in the order of the text.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.places.iter().map(|Place { body, child, range, shape }| Part {
            body: *body,
            child: *child,
            shape: *shape,
            string: self.text.get(range.clone()).unwrap_or_default(),
            max_memory: self.max_memory,
        })
    }

    /// Replaces the object of part number `index` of [`parts`](Self::parts). Returns false if no such part. For
    /// many parts, use [`replace_all`](Self::replace_all).
    ///
    /// # Errors
    ///
    /// If the object cannot be encoded.
    pub fn replace(&mut self, index: usize, object: &LuaObject<'_>) -> Result<bool, EncodeError> {
        self.replace_all([(index, object)])
    }

    /// Gives other objects to parts, by their numbers in [`parts`](Self::parts). The last object for a part counts.
    ///
    /// `false` if one of the parts is not there. Nothing is changed then, and nothing if there is an error.
    ///
    /// # Errors
    ///
    /// If an object cannot be encoded.
    pub fn replace_all<'c, 'o: 'c>(
        &mut self,
        changes: impl IntoIterator<Item = (usize, &'c LuaObject<'o>)>,
    ) -> Result<bool, EncodeError> {
        let mut strings = BTreeMap::new();
        for (index, object) in changes {
            if index >= self.places.len() {
                return Ok(false);
            }
            strings.insert(index, format!("\"{}\"", pack_text(object)?));
        }
        let mut text = String::with_capacity(self.text.len());
        let mut copied: usize = 0;
        for (index, place) in self.places.iter_mut().enumerate() {
            let old = place.range.clone();
            text.push_str(self.text.get(copied..old.start).unwrap_or_default());
            let start = text.len();
            match strings.get(&index) {
                Some(string) => text.push_str(string),
                None => text.push_str(self.text.get(old.clone()).unwrap_or_default()),
            }
            place.range = start..text.len();
            copied = old.end;
        }
        text.push_str(self.text.get(copied..).unwrap_or_default());
        self.text = text;
        Ok(true)
    }
}

/// The range of `part`, a slice of `text`, in `text`.
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
    shape: Option<Uuid>,
    /// As the text has it, quotes included.
    string: &'t str,
    max_memory: usize,
}

impl Part<'_> {
    /// The index of its body.
    #[must_use]
    pub fn body(&self) -> usize {
        self.body
    }

    /// The index of the part in its body.
    #[must_use]
    pub fn child(&self) -> usize {
        self.child
    }

    /// The UUID of its shape, which determines its kind.
    #[must_use]
    pub fn shape(&self) -> Option<Uuid> {
        self.shape
    }

    /// The bytes of the object.
    ///
    /// # Errors
    ///
    /// If the member is not a string, not base64 or not an LZ4 block, or unpacks to more than `limit` bytes.
    pub fn unpack(&self, limit: usize) -> Result<Vec<u8>, PartError> {
        let text: String = serde_json::from_str(self.string).map_err(|_| PartError::NoString)?;
        unpack_text(&text, limit.min(self.max_memory)).map_err(|error| match error {
            PartError::Unpack(UnpackError::TooLarge { .. }) if self.max_memory < limit => {
                OverBudget { limit: self.max_memory }.into()
            }
            other => other,
        })
    }

    /// The object.
    ///
    /// # Errors
    ///
    /// If it cannot be unpacked, or is not an object.
    pub fn decode(&self) -> Result<LuaObject<'static>, PartError> {
        self.decode_with(&Options::new(), MAX_UNPACKED)
    }

    /// The object, read as the options say, unpacked to `limit` bytes at the most.
    ///
    /// # Errors
    ///
    /// If it cannot be unpacked, is not an object, or takes too much memory.
    pub fn decode_with(&self, options: &Options, limit: usize) -> Result<LuaObject<'static>, PartError> {
        let bytes = self.unpack(limit)?;
        room_for_object(bytes.len(), 0, self.max_memory)?;
        let object = lua_object::decode_with(&bytes, options).map_err(DecodeError::of_complete_input)?;
        Ok(object.into_owned())
    }
}

/// `bodies[0].childs[3]`
impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bodies[{}].childs[{}]", self.body, self.child)
    }
}

/// Unpacks the bytes of an object from a string of a blueprint.
///
/// # Errors
///
/// If it is not base64 or not an LZ4 block, or unpacks to more than `limit` bytes.
pub fn unpack_text(text: &str, limit: usize) -> Result<Vec<u8>, PartError> {
    let text = text.trim_end_matches('=');
    let block = BASE64_STANDARD_NO_PAD.decode(text).map_err(|error| match error {
        InvalidByte(at, _) | InvalidLastSymbol(at, _) => at,
        _ => text.len(),
    });
    Ok(unpack(&block.map_err(|at| PartError::Base64(format!("wrong at character {at:#x}")))?, limit)?)
}

/// Packs an object into a string of a blueprint.
///
/// # Errors
///
/// If the object cannot be encoded.
pub fn pack_text(object: &LuaObject<'_>) -> Result<String, EncodeError> {
    Ok(BASE64_STANDARD_NO_PAD.encode(pack(&lua_object::encode(object)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    const TEXT: &str = r#"{"bodies": [{"childs": [
        {"shapeId": "a", "pos": {"x": 1.0, "y": 1e2}},
        {"controller": {"data": "gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA", "id": 1}, "shapeId": "585f7585-77b5-429d-820f-aa1ecfbba834"},
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
        let shapes: Vec<_> = blueprint.parts().map(|part| part.shape()).collect();
        assert_eq!(shapes, ["585f7585-77b5-429d-820f-aa1ecfbba834".parse().ok(), None, None]);
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

    #[test]
    fn errors_say_what_was_expected() {
        for (text, expected) in [
            ("7", "expected an object with bodies"),
            (r#"{"bodies": 7}"#, "expected a list of bodies"),
            (r#"{"bodies": [7]}"#, "expected a body, which is an object"),
            (r#"{"bodies": [{"childs": 7}]}"#, "expected a list of parts"),
            (r#"{"bodies": [{"childs": [7]}]}"#, "expected a part, which is an object"),
            (r#"{"bodies": [{"childs": [{"controller": 7}]}]}"#, "expected a controller, which is an object or null"),
            ("{}", "missing field `bodies`"),
        ] {
            let error = Blueprint::new(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    /// The smaller one of two limits is reported.
    #[test]
    fn a_part_unpacks_to_no_more_than_it_may() {
        let of = |max_memory| Part {
            body: 3,
            child: 4,
            shape: None,
            string: "\"gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgA\"",
            max_memory,
        };
        assert_eq!((of(0).body(), of(0).child()), (3, 4));
        let too_large = |limit| Err(PartError::Unpack(UnpackError::TooLarge { limit }));
        assert_eq!(of(24).unpack(24).map(|bytes| bytes.len()), Ok(24));
        assert_eq!(of(100).unpack(23), too_large(23));
        assert_eq!(of(23).unpack(23), too_large(23));
        assert_eq!(of(23).unpack(24), Err(OverBudget { limit: 23 }.into()));
    }

    #[test]
    fn errors_name_what_was_expected() {
        let childs = |childs: &str| format!(r#"{{"bodies":[{{"childs":{childs}}}]}}"#);
        for (text, expected, column) in [
            ("7".to_owned(), "an object with bodies", 1),
            (r#"{"bodies":7}"#.to_owned(), "a list of bodies", 11),
            (r#"{"bodies":[7]}"#.to_owned(), "a body, which is an object", 12),
            (childs("7"), "a list of parts", 22),
            (childs("[7]"), "a part, which is an object", 23),
            (childs(r#"[{"controller":7}]"#), "a controller, which is an object or null", 37),
        ] {
            let error = Blueprint::new(text).unwrap_err().to_string();
            let reason = format!("expected {expected}, found 7 at line 1 column {column}");
            assert_eq!(error, format!("not a Scrap Mechanic blueprint: {reason}"));
        }
    }
}

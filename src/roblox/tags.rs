//! The tags of an instance.

#[cfg(feature = "text")]
use std::fmt;

use bstr::{BStr, BString, ByteSlice};

/// The tags of an instance: the bytes of its property `Tags`, names with a byte 0 between them.
///
/// ```
/// use enginewire::roblox::Tags;
///
/// let mut tags = Tags::from_bytes(b"Lamp\0Old");
/// tags.add("Bright")?;
/// tags.remove("Old");
/// assert_eq!(tags.to_bytes(), b"Lamp\0Bright");
/// # Ok::<(), enginewire::roblox::TagError>(())
/// ```
///
/// Specification: `docs/spec/roblox-model-files.md`, section Tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<BString>);

/// Why an instance cannot have a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TagError {
    /// It has no bytes.
    #[error("is empty")]
    Empty,
    /// It has a byte 0, which separates tags.
    #[error("has a byte 0, which ends a tag")]
    Zero,
    /// It is longer than Roblox allows.
    #[error("is longer than 100 bytes")]
    TooLong,
}

impl TagError {
    /// Why no file can hold a tag.
    fn of(tag: &[u8]) -> Option<Self> {
        match tag {
            [] => Some(TagError::Empty),
            tag if tag.contains(&0) => Some(TagError::Zero),
            _ => None,
        }
    }
}

impl Tags {
    /// The length in bytes of the longest tag that Roblox allows.
    pub const LONGEST: usize = 100;

    /// The tags in the bytes of a property. An empty value has no tags.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Tags(if bytes.is_empty() { Vec::new() } else { bytes.split_str(b"\0").map(BString::from).collect() })
    }

    /// The bytes of the property.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bstr::join(b"\0", &self.0)
    }

    /// The tags, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BStr> {
        self.0.iter().map(|tag| tag.as_bstr())
    }

    /// Returns true if a tag is among them.
    #[must_use]
    pub fn contains(&self, tag: impl AsRef<[u8]>) -> bool {
        self.iter().any(|other| *other == *tag.as_ref())
    }

    /// The rule of Roblox that a tag breaks, if any.
    #[must_use]
    pub fn broken_by(tag: impl AsRef<[u8]>) -> Option<TagError> {
        let tag = tag.as_ref();
        TagError::of(tag).or((tag.len() > Self::LONGEST).then_some(TagError::TooLong))
    }

    /// Adds a tag as the last, unless it is there already.
    ///
    /// # Errors
    ///
    /// If Roblox does not allow it.
    pub fn add(&mut self, tag: impl AsRef<[u8]>) -> Result<(), TagError> {
        match Self::broken_by(&tag) {
            Some(error) => Err(error),
            None => self.add_of_any_length(tag),
        }
    }

    /// Like [`add`](Self::add), but allows a tag of any length.
    ///
    /// # Errors
    ///
    /// If a file cannot hold it.
    pub fn add_of_any_length(&mut self, tag: impl AsRef<[u8]>) -> Result<(), TagError> {
        let tag = tag.as_ref();
        if let Some(error) = TagError::of(tag) {
            return Err(error);
        }
        if !self.contains(tag) {
            self.0.push(tag.into());
        }
        Ok(())
    }

    /// Removes a tag, wherever it is. Returns true if it was there.
    pub fn remove(&mut self, tag: impl AsRef<[u8]>) -> bool {
        let before = self.0.len();
        self.0.retain(|other| *other != *tag.as_ref());
        self.0.len() < before
    }
}

/// A table of texts in Luau: `{"Lamp", "Old"}`.
#[cfg(feature = "text")]
impl fmt::Display for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::roblox::attributes::Value;

        f.write_str("{")?;
        for (number, tag) in self.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            f.write_str(&Value::from(tag).to_luau())?;
        }
        f.write_str("}")
    }
}

#[cfg(feature = "text")]
mod node {
    use super::*;
    use serde_json::Value as Json;

    use crate::dynamic::plain::in_place_of;
    use crate::dynamic::{Node, Notation, TypedText};
    use crate::json::typed::Typed;
    use crate::member::Receiver;
    use crate::roblox::attributes::{TypeId, Value};
    use crate::TextError;

    impl Tags {
        /// These tags, if they would be read as the same again.
        fn checked(tags: Vec<BString>) -> Result<Self, TextError> {
            let tags = Tags(tags);
            match Tags::from_bytes(&tags.to_bytes()) == tags {
                true => Ok(tags),
                false => Err(TextError::new("a tag is empty or has a byte 0, which ends a tag")),
            }
        }
    }

    /// One value, which is read and written as a table of texts.
    impl Node for Tags {
        fn type_name(&self, _: Notation) -> &'static str {
            "Tags"
        }

        fn text(&self, _: Notation) -> String {
            self.to_string()
        }

        fn assign(&mut self, given: TypedText<'_>, _: Notation) -> Result<(), TextError> {
            if let Some(name) = given.type_name.filter(|name| !name.eq_ignore_ascii_case("Tags")) {
                return Err(TextError::new(format!("tags have no type {name}")));
            }
            let value = Value::from_luau(given.text, Some(TypeId::Array))?;
            let tags = value.as_array().unwrap_or_default().iter().map(|tag| match tag.as_string() {
                Some(tag) => Ok(tag.into()),
                None => Err(TextError::new(format!("expected a text for each tag, found {}", tag.to_luau()))),
            });
            *self = Tags::checked(tags.collect::<Result<_, _>>()?)?;
            Ok(())
        }

        fn give_leaf(&self, _: Notation, to: &mut dyn Receiver) {
            to.list(self.iter().count());
            self.iter().for_each(|tag| to.item(Value::from(tag).bare()));
            to.end();
        }

        fn assign_json(&mut self, json: &Json, _: Notation) -> Result<(), TextError> {
            let expected = || TextError::new(format!("expected a list of tags, found {json}"));
            let text = Value::from("");
            let mut tags = Vec::new();
            for tag in json.as_array().ok_or_else(expected)? {
                let tag = in_place_of(&text, tag)?;
                tags.push(tag.as_string().ok_or_else(expected)?.into());
            }
            *self = Tags::checked(tags)?;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn tags_stand_between_bytes_of_zero() {
        for (bytes, tags) in [
            (&b""[..], &[][..]),
            (b"Lamp", &["Lamp"]),
            (b"Lamp\0Old", &["Lamp", "Old"]),
            // what no program should write
            (b"\0a\0", &["", "a", ""]),
        ] {
            let read = Tags::from_bytes(bytes);
            assert_eq!(read.iter().collect::<Vec<_>>(), tags);
            assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn a_tag_is_there_once() {
        let mut tags = Tags::from_bytes(b"a\0b\0a");
        tags.add("b").unwrap();
        assert_eq!(tags.to_bytes(), b"a\0b\0a");
        assert!(tags.remove("a") && !tags.remove("a"));
        tags.add("c").unwrap();
        assert_eq!(tags.to_bytes(), b"b\0c");
    }

    #[test]
    fn what_roblox_does_not_allow_is_refused() {
        let (longest, longer) = ("x".repeat(100), "x".repeat(101));
        let mut tags = Tags::default();
        assert_eq!(tags.add(""), Err(TagError::Empty));
        assert_eq!(tags.add("a\0b"), Err(TagError::Zero));
        assert_eq!(tags.add(&longer), Err(TagError::TooLong));
        assert_eq!(tags.add_of_any_length(""), Err(TagError::Empty));
        assert_eq!(tags.add_of_any_length("a\0b"), Err(TagError::Zero));
        assert_eq!((tags.to_bytes(), tags.add(&longest)), (Vec::new(), Ok(())));
        tags.add_of_any_length(&longer).unwrap();
        assert_eq!(tags.iter().map(|tag| tag.len()).collect::<Vec<_>>(), [100, 101]);
    }

    #[test]
    fn tags_are_a_table_of_texts() {
        use crate::dynamic::{Node, Notation, TypedText};

        let mut tags = Tags::from_bytes(b"Lamp\0an old\xff one");
        assert_eq!(tags.to_string(), r#"{"Lamp", "an old\xff one"}"#);
        let set = |tags: &mut Tags, text: &str| {
            tags.assign(TypedText { type_name: None, text }, Notation::default()).map_err(|error| error.to_string())
        };
        let text = tags.to_string();
        let mut same = Tags::default();
        assert_eq!((set(&mut same, &text), &same), (Ok(()), &tags));
        assert_eq!((set(&mut tags, "{}"), tags.to_bytes()), (Ok(()), Vec::new()));
        assert_eq!((set(&mut tags, r#"{"", "a"}"#), tags.to_bytes()), (Ok(()), b"\0a".to_vec()));
        // and a list in plain JSON
        let mut same = Tags::default();
        for bytes in [&b"Lamp\0an old\xff one"[..], b"", b"\0a", b"A\0A"] {
            let tags = Tags::from_bytes(bytes);
            let json = crate::json::value_of(&crate::dynamic::Plain::new(&tags, Notation::default())).unwrap();
            same.assign_json(&json, Notation::default()).unwrap();
            assert_eq!(same.to_bytes(), bytes, "{json}");
        }
        let refused = |json: serde_json::Value| Tags::default().assign_json(&json, Notation::default()).unwrap_err();
        assert_eq!(refused("Lamp".into()).to_string(), "expected a list of tags, found \"Lamp\"");
        assert!(refused(serde_json::json!([1])).to_string().contains("expected"));
        assert!(refused(serde_json::json!([""])).to_string().contains("a tag is empty"));
        for (text, reason) in [
            (r#"{"a", 1}"#, "expected a text for each tag, found 1"),
            (r#"{""}"#, "a tag is empty or has a byte 0, which ends a tag"),
            (r#"{"a\0b"}"#, "a tag is empty or has a byte 0, which ends a tag"),
        ] {
            assert_eq!(set(&mut tags, text), Err(reason.to_owned()));
        }
        assert!(set(&mut tags, "Lamp").is_err());
        assert!(tags.assign(TypedText { type_name: Some("String"), text: "{}" }, Notation::default()).is_err());
        assert_eq!(tags.to_bytes(), b"\0a");
    }
}

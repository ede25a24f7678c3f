//! Properties, and their places in the file.

use std::ops::Range;

use bstr::BStr;

use super::binary::{ChunkHeader, Compression};
use super::error::ValueError;
use super::kind::Kind;
#[cfg(doc)]
use super::Listing;
use enginewire::error::DecodeError;
use enginewire::roblox::attributes::{self, Attributes};

/// A property of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Property<'l> {
    /// Its instance, as an index into [`Listing::instances`].
    pub instance: usize,
    /// The kind of the property.
    pub kind: Kind,
    /// Its place in the file.
    pub place: Place,
    /// Its bytes, or why they cannot be read.
    pub bytes: Result<&'l BStr, ValueError>,
}

/// Why the attributes of a property cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// Its bytes cannot be read.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// Its bytes are not valid attributes. Offsets count from the first of these bytes.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// No instance has this index.
    #[error("no instance with index {0}")]
    NoInstance(usize),
}

impl<'l> Property<'l> {
    /// Decodes the attributes, which borrow from the listing. [`Kind::is_attributes`] determines which properties hold some.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be read, or are not valid attributes.
    pub fn decode(&self, options: &attributes::Options) -> Result<Attributes<'l>, PropertyError> {
        let bytes = self.bytes.clone()?;
        Ok(attributes::decode_with(bytes, options).map_err(DecodeError::of_complete_input)?)
    }

    /// The tags, if the property is [`Kind::Tags`]. If its bytes are empty or cannot be read, there are none.
    pub fn tags(&self) -> impl Iterator<Item = &'l BStr> {
        let bytes = self.bytes.as_ref().ok().copied();
        let bytes = bytes.filter(|bytes| self.kind == Kind::Tags && !bytes.is_empty());
        bytes.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == 0)).map(BStr::new)
    }
}

/// The place of a property in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a binary file.
    Binary(BinaryPlace),
    /// In an XML file.
    Xml(XmlPlace),
}

/// The place of a property in a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BinaryPlace {
    /// The offset in the file of the header of the PROP chunk.
    pub property: u64,
    /// Its index among the values of that chunk.
    pub index: u32,
    /// The offset in the file of the header of the chunk with its bytes: the PROP chunk, or the SSTR chunk of shared
    /// strings.
    pub chunk: u64,
    /// The header of that chunk.
    pub header: ChunkHeader,
    /// The compression of that chunk.
    pub compression: Compression,
    /// The offset of its first byte in the unpacked data of that chunk.
    pub offset: u64,
}

/// The place of a property in an XML file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XmlPlace {
    /// The range of its element in the file, from the first `<` to the last `>`.
    pub element: Range<u64>,
    /// The range between the start tag and the end tag; `None` for an element with one tag.
    pub content: Option<Range<u64>>,
    /// True if the content is the key of a shared string.
    pub is_shared: bool,
}

impl Place {
    /// The offset of its first byte in the file; `None` if it is compressed or XML.
    #[must_use]
    pub fn file_offset(&self) -> Option<u64> {
        match self {
            Place::Binary(place) if place.compression == Compression::None => {
                Some(place.chunk.saturating_add(16).saturating_add(place.offset))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn tags_are_those_of_tags_only() {
        let property = |kind, bytes| {
            let place = Place::Xml(XmlPlace { element: 0..0, content: None, is_shared: false });
            Property { instance: 0, kind, place, bytes }
        };
        let tags = |kind, bytes| property(kind, bytes).tags().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(tags(Kind::Tags, Ok("a\0bc".into())), ["a", "bc"]);
        assert_eq!(tags(Kind::Tags, Ok("".into())), [""; 0]);
        assert_eq!(tags(Kind::AttributesSerialize, Ok("a".into())), [""; 0]);
        assert_eq!(tags(Kind::Tags, Err(ValueError::Base64 { offset: 1 })), [""; 0]);
    }
}

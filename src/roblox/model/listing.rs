//! What a file has.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use super::binary::{ChunkHeader, Compression};
use super::error::{ModelError, ValueError};
use crate::error::DecodeError;
use crate::roblox::attributes::{self, Attributes};

/// The properties of a file, and the instances that have them.
#[derive(Debug, Default)]
pub struct Listing {
    /// The instances: those of the properties, and those above them.
    pub instances: Vec<Instance>,
    /// The properties, in the order of the file.
    pub properties: Vec<Property>,
    /// What could not be read. The rest of the file was.
    pub problems: Vec<ModelError>,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its class; of one that only a parent names, empty.
    pub class: Arc<BString>,
    /// What the file knows it by.
    pub referent: Referent,
    /// Its name.
    pub name: BString,
    /// The instance that it is in, by its index in [`Listing::instances`].
    pub parent: Option<usize>,
}

/// What a file knows an instance by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Referent {
    /// In a binary file.
    Number(i32),
    /// In an XML file.
    Text(BString),
}

impl fmt::Display for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Referent::Number(number) => number.fmt(f),
            Referent::Text(text) => text.fmt(f),
        }
    }
}

/// Which property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Attributes, of any instance.
    AttributesSerialize,
    /// Of a StyleRule attributes, of a Path2D something else.
    PropertiesSerialize,
    /// Tags, of any instance.
    Tags,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Kind::AttributesSerialize, Kind::PropertiesSerialize, Kind::Tags];

    /// The most bytes that a name has.
    pub(super) const LONGEST: usize = "PropertiesSerialize".len();

    /// The property of this name.
    #[must_use]
    pub fn of(name: &[u8]) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name().as_bytes() == name)
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::AttributesSerialize => "AttributesSerialize",
            Kind::PropertiesSerialize => "PropertiesSerialize",
            Kind::Tags => "Tags",
        }
    }

    /// Whether an instance of this class has attributes in it.
    #[must_use]
    pub fn is_attributes(self, class: &BStr) -> bool {
        match self {
            Kind::AttributesSerialize => true,
            Kind::PropertiesSerialize => class == "StyleRule",
            Kind::Tags => false,
        }
    }
}

/// A property of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The instance, by its index in [`Listing::instances`].
    pub instance: usize,
    /// Which property.
    pub kind: Kind,
    /// Where it stands.
    pub place: Place,
    /// Its bytes, or why there are none.
    pub bytes: Result<BString, ValueError>,
}

/// Why a property has no attributes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// There are no bytes.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// They are no attributes. Offsets count from their start.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl Property {
    /// The attributes, which borrow from it. Whether it should have any is for [`Kind::is_attributes`] to say.
    ///
    /// # Errors
    ///
    /// If it has no bytes, or they are no attributes.
    pub fn decode(&self, options: &attributes::Options) -> Result<Attributes<'_>, PropertyError> {
        let bytes = self.bytes.as_ref().map_err(Clone::clone)?;
        Ok(attributes::decode_with(bytes, options)?)
    }

    /// The tags, if that is what it has. None are no bytes.
    pub fn tags(&self) -> impl Iterator<Item = &BStr> {
        let bytes = self.bytes.as_ref().ok().filter(|bytes| self.kind == Kind::Tags && !bytes.is_empty());
        bytes.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == 0)).map(BStr::new)
    }
}

/// Where a property stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a binary file.
    Binary(BinaryPlace),
    /// In an XML file.
    Xml(XmlPlace),
}

/// Where a property stands in a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryPlace {
    /// Where the header of the PROP chunk begins in the file.
    pub property: u64,
    /// Which of the values of that chunk it is.
    pub index: u32,
    /// Where the header of the chunk with its bytes begins in the file: the same, or that of the shared strings.
    pub chunk: u64,
    /// What that header says.
    pub header: ChunkHeader,
    /// How that chunk is stored.
    pub compression: Compression,
    /// Where its first byte is in the data of that chunk.
    pub offset: u64,
}

/// Where a property stands in an XML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlPlace {
    /// Its element in the file, from the first `<` to the last `>`.
    pub element: Range<u64>,
    /// What stands between the tags, if there are two.
    pub content: Option<Range<u64>>,
    /// Whether the content is the name of a shared string.
    pub is_shared: bool,
}

impl Place {
    /// Where its first byte is in the file: only known where it is stored as it is.
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

/// How many steps up are followed; a file may claim that an instance is within itself.
const HIGHEST: usize = 1000;

impl Listing {
    /// The instance of a property.
    #[must_use]
    pub fn instance_of(&self, property: &Property) -> Option<&Instance> {
        self.instances.get(property.instance)
    }

    /// The names from the root to instance number `index`, with dots between them.
    #[must_use]
    pub fn path(&self, index: usize) -> BString {
        let mut names: Vec<&BStr> = Vec::new();
        let mut next = Some(index);
        while let Some(instance) = next.and_then(|index| self.instances.get(index)) {
            if names.len() == HIGHEST {
                names.push(BStr::new("…"));
                break;
            }
            names.push(instance.name.as_bstr());
            next = instance.parent;
        }
        names.reverse();
        bstr::join(".", names).into()
    }

    /// The instances with this path, or, after a `#`, with this referent.
    #[must_use]
    pub fn find(&self, path: &BStr) -> Vec<usize> {
        let referent = path.strip_prefix(b"#").map(|referent| referent.as_bstr().to_string());
        let is_there = |(index, instance): &(usize, &Instance)| {
            referent.as_ref().is_some_and(|referent| instance.referent.to_string() == *referent)
                || (path.ends_with(&instance.name) && self.path(*index) == path)
        };
        self.instances.iter().enumerate().filter(is_there).map(|(index, _)| index).collect()
    }

    /// The property `kind` of instance number `instance`: of several, the last, as Studio takes it.
    #[must_use]
    pub fn property(&self, instance: usize, kind: Kind) -> Option<&Property> {
        self.properties.iter().rfind(|property| property.instance == instance && property.kind == kind)
    }

    /// Keeps only the instances that a property names, and those above them.
    pub(super) fn without_others(&mut self) {
        let mut wanted = vec![false; self.instances.len()];
        for property in &self.properties {
            let mut next = Some(property.instance);
            while let Some(index) = next {
                match wanted.get_mut(index) {
                    Some(wanted) if !*wanted => *wanted = true,
                    _ => break,
                }
                next = self.instances.get(index).and_then(|instance| instance.parent);
            }
        }
        let places = wanted.iter().enumerate().filter(|(_, wanted)| **wanted).map(|(old, _)| old);
        let places: HashMap<usize, usize> = places.enumerate().map(|(new, old)| (old, new)).collect();
        let mut keep = wanted.into_iter();
        self.instances.retain(|_| keep.next().unwrap_or_default());
        let moved = |old: &usize| places.get(old).copied();
        for instance in &mut self.instances {
            instance.parent = instance.parent.as_ref().and_then(moved);
        }
        for property in &mut self.properties {
            property.instance = moved(&property.instance).unwrap_or_default();
        }
    }
}

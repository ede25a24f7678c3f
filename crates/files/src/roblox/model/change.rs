//! Changes of properties, as they are asked for and as they are written.

use std::ops::Range;

use super::instance::{Instance, InstancePlace};
use super::kind::Kind;
use super::listing::Made;
use super::property::{Place, Property};
use enginewire::wire::{ByteString, IntoByteString};

/// New bytes for a property, borrowed or owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'c> {
    pub(super) site: Site,
    /// As the file will have them.
    pub(super) bytes: ByteString<'c>,
}

/// The place of a property in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// The value with this index of the PROP chunk at this offset.
    Value { chunk: u64, index: u32 },
    /// The element at this range of an XML file.
    Element { element: Range<u64> },
    /// The property of an instance, which may not have it yet.
    Instance { place: InstancePlace, kind: Kind },
}

impl<'c> Change<'c> {
    /// New bytes for a listed property.
    ///
    /// ```
    /// use enginewire_files::roblox::model::{list_bytes, Change, Options};
    ///
    /// let listing = list_bytes(&std::fs::read("../../fixtures/roblox-model/tags.rbxm")?, &Options::new())?;
    /// let changes: Vec<_> = listing.properties().map(|property| Change::of(&property, b"Lamp".to_vec())).collect();
    /// # assert!(!changes.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(property: &Property<'_>, bytes: impl IntoByteString<'c>) -> Self {
        let site = match &property.place {
            Place::Binary(place) => Site::Value { chunk: place.property, index: place.index },
            Place::Xml(place) => Site::Element { element: place.element.clone() },
        };
        Change { site, bytes: property.kind.stored(bytes.into_byte_string()) }
    }

    /// New bytes for a property of a listed instance. If the instance does not have the property, it is added.
    #[must_use]
    pub fn of_instance(instance: &Instance<'_>, kind: Kind, bytes: impl IntoByteString<'c>) -> Self {
        Change::at(instance.place, kind, bytes)
    }

    /// New bytes for a property of the instance at this place. If the instance does not have the property, it is added.
    #[must_use]
    pub fn at(place: InstancePlace, kind: Kind, bytes: impl IntoByteString<'c>) -> Self {
        Change { site: Site::Instance { place, kind }, bytes: kind.stored(bytes.into_byte_string()) }
    }

    /// The same change, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Change<'static> {
        Change { site: self.site, bytes: self.bytes.into_owned() }
    }
}

/// A range of the file and the bytes that replace it.
pub(super) type Piece = (Range<usize>, Vec<u8>);

/// An edit of a file: the bytes to write, and the values that change with them.
#[derive(Default)]
pub(super) struct Edits {
    pub(super) pieces: Vec<Piece>,
    pub(super) made: Vec<Made>,
}

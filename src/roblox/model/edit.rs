//! Changing what instances have.

use std::borrow::Cow;
use std::ops::Range;

use super::binary::Store;
use super::error::ModelError;
use super::listing::{Instance, Kind, Place, Property, Referent};
use super::options::Options;
use super::{binary, xml, FileKind};
use crate::roblox::attributes::{self, Attributes, Empty};

/// A property that gets other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'c> {
    pub(super) site: Site,
    pub(super) bytes: &'c [u8],
}

/// Where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// A value of a PROP chunk.
    Value { chunk: u64, index: u32 },
    /// An element.
    Element { element: Range<u64> },
    /// A property of an instance that may have none.
    Referent { referent: i32, kind: Kind },
    /// The same in an XML file.
    Item { referent: bstr::BString, kind: Kind },
}

impl<'c> Change<'c> {
    /// Other bytes for a property that was listed.
    #[must_use]
    pub fn of(property: &Property, bytes: &'c [u8]) -> Self {
        let site = match &property.place {
            Place::Binary(place) => Site::Value { chunk: place.property, index: place.index },
            Place::Xml(place) => Site::Element { element: place.element.clone() },
        };
        Change { site, bytes }
    }

    /// Other bytes for a property of an instance, which may have none until then.
    #[must_use]
    pub fn of_instance(instance: &Instance, kind: Kind, bytes: &'c [u8]) -> Self {
        let site = match &instance.referent {
            Referent::Number(referent) => Site::Referent { referent: *referent, kind },
            Referent::Text(referent) => Site::Item { referent: referent.clone(), kind },
        };
        Change { site, bytes }
    }
}

/// The file with other bytes in some places.
pub(super) fn spliced(file: &[u8], mut pieces: Vec<(Range<usize>, Vec<u8>)>) -> Cow<'_, [u8]> {
    if pieces.is_empty() {
        return Cow::Borrowed(file);
    }
    // what comes behind a place that changes begins where that ends
    pieces.sort_by_key(|(range, _)| (range.start, range.end));
    let mut bytes = Vec::with_capacity(file.len());
    let mut done = 0;
    for (range, piece) in pieces {
        bytes.extend_from_slice(file.get(done..range.start).unwrap_or_default());
        bytes.extend_from_slice(&piece);
        done = range.end;
    }
    bytes.extend_from_slice(file.get(done..).unwrap_or_default());
    Cow::Owned(bytes)
}

impl Kind {
    /// The bytes that say that there is nothing.
    #[must_use]
    pub const fn none(self) -> &'static [u8] {
        match self {
            Kind::PropertiesSerialize => &[0; 4],
            Kind::AttributesSerialize | Kind::Tags => &[],
        }
    }

    /// The bytes of these attributes, as this property must have them.
    ///
    /// # Errors
    ///
    /// If they cannot be encoded.
    pub fn encode(self, attributes: &Attributes<'_>) -> Result<Vec<u8>, crate::EncodeError> {
        let empty = if self == Kind::PropertiesSerialize { Empty::ZeroLength } else { Empty::NoBytes };
        attributes::encode_with(attributes, empty)
    }
}

/// The file with other bytes for some properties; all else stays as it is, byte for byte. If nothing changes, the file
/// itself.
///
/// Of a binary file, `store` says how the chunks that change are stored. A shared string becomes one of its own.
///
/// ```
/// use enginewire::roblox::attributes::Options as AttributeOptions;
/// use enginewire::roblox::model::{edit, list_bytes, Change, Options, Store};
///
/// let file = br#"<roblox version="4"><Item class="Folder" referent="A"><Properties>
/// <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString><string name="Name">Torch</string>
/// </Properties></Item></roblox>"#;
/// let listing = list_bytes(file, &Options::new())?;
/// let property = &listing.properties[0];
/// assert_eq!(listing.path(property.instance), "Torch");
///
/// let mut attributes = property.decode(&AttributeOptions::new())?;
/// attributes.insert("On", false);
/// let bytes = property.kind.encode(&attributes)?;
/// let changed = edit(file, &[Change::of(property, &bytes)], Store::AsBefore, &Options::new())?;
/// assert_eq!(changed.as_ref(), String::from_utf8_lossy(file).replace("AQAAAAIAAABPbgMB", "AQAAAAIAAABPbgMA").as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, or a property is not there.
pub fn edit<'f>(
    file: &'f [u8],
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<Cow<'f, [u8]>, ModelError> {
    match FileKind::of(file) {
        Some(FileKind::Binary) => binary::edit(file, changes, store, options),
        Some(FileKind::Xml) => xml::edit(file, changes, options),
        None => Err(ModelError::NotAModel),
    }
}

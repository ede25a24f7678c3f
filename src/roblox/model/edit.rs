//! Changing what instances have.

use std::borrow::Cow;
use std::ops::Range;

use super::binary::Store;
use super::error::ModelError;
use super::listing::{Instance, InstancePlace, Kind, Made, Place, Property};
use super::options::Options;
use super::{binary, list_bytes, xml, FileKind};
use crate::roblox::attributes::{self, Attributes, Empty};

/// A property that gets other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'c> {
    pub(super) site: Site,
    pub(super) bytes: &'c [u8],
}

/// Its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// A value of a PROP chunk.
    Value { chunk: u64, index: u32 },
    /// An element.
    Element { element: Range<u64> },
    /// A property of an instance that may have none.
    Instance { place: InstancePlace, kind: Kind },
}

impl<'c> Change<'c> {
    /// Other bytes for a property that was listed.
    #[must_use]
    pub fn of(property: &Property<'_>, bytes: &'c [u8]) -> Self {
        let site = match &property.place {
            Place::Binary(place) => Site::Value { chunk: place.property, index: place.index },
            Place::Xml(place) => Site::Element { element: place.element.clone() },
        };
        Change { site, bytes }
    }

    /// Other bytes for a property of an instance, which may have none until then.
    #[must_use]
    pub fn of_instance(instance: &Instance<'_>, kind: Kind, bytes: &'c [u8]) -> Self {
        Change::at(instance.place, kind, bytes)
    }

    /// Other bytes for a property of the instance at a place, which may have none until then.
    #[must_use]
    pub fn at(place: InstancePlace, kind: Kind, bytes: &'c [u8]) -> Self {
        Change { site: Site::Instance { place, kind }, bytes }
    }
}

/// What part of a file becomes what.
pub(super) type Piece = (Range<usize>, Vec<u8>);

/// What is to be written into a file, and what of its values that changes.
#[derive(Default)]
pub(super) struct Edits {
    pub(super) pieces: Vec<Piece>,
    pub(super) made: Vec<Made>,
}

/// The file with other bytes in some places.
fn spliced<'f>(file: &'f [u8], mut pieces: Vec<Piece>, options: &Options) -> Result<Cow<'f, [u8]>, ModelError> {
    if pieces.is_empty() {
        return Ok(Cow::Borrowed(file));
    }
    // what comes after a place that changes begins where that ends
    pieces.sort_by_key(|(range, _)| (range.start, range.end));
    let size = pieces.iter().fold(file.len(), |size, (_, piece)| size.saturating_add(piece.len()));
    options.budget().room_for(size)?;
    let mut bytes = Vec::with_capacity(size);
    let mut done = 0;
    for (range, piece) in pieces {
        bytes.extend_from_slice(file.get(done..range.start).unwrap_or_default());
        bytes.extend_from_slice(&piece);
        done = range.end;
    }
    bytes.extend_from_slice(file.get(done..).unwrap_or_default());
    Ok(Cow::Owned(bytes))
}

/// Fails if the changed file has anything else than the file, with the changes made.
fn verify(file: &[u8], changed: &[u8], made: &[Made], options: &Options) -> Result<(), ModelError> {
    let options = options.taken(changed.len());
    let summary = |bytes: &[u8], options: &Options| {
        let mut listing = list_bytes(bytes, &options.all_instances(true).empty(false))?;
        match listing.problems.iter().position(ModelError::is_of_limit) {
            // what was not seen cannot be compared
            Some(place) => Err(listing.problems.swap_remove(place)),
            None => Ok(listing.summary(options.budget())?),
        }
    };
    let expected = summary(file, &options)?.with(made);
    if summary(changed, &options.taken(expected.memory()))? != expected {
        return Err(ModelError::NotOnly);
    }
    Ok(())
}

impl Kind {
    /// The bytes that say that there is nothing.
    #[must_use]
    pub const fn none(self) -> &'static [u8] {
        match self {
            Kind::PropertiesSerialize => &[0; 4],
            Kind::AttributesSerialize | Kind::Tags | Kind::SerializedEmulatedPolicyInfo => &[],
        }
    }

    /// How attributes are written if there are none.
    #[must_use]
    pub const fn empty(self) -> Empty {
        match self {
            Kind::PropertiesSerialize => Empty::ZeroLength,
            Kind::AttributesSerialize | Kind::Tags | Kind::SerializedEmulatedPolicyInfo => Empty::NoBytes,
        }
    }

    /// The bytes of these attributes, as this property must have them.
    ///
    /// # Errors
    ///
    /// If they cannot be encoded.
    pub fn encode(
        self,
        attributes: &Attributes<'_>,
        options: &attributes::Options,
    ) -> Result<Vec<u8>, crate::EncodeError> {
        attributes::encode_with(attributes, &options.empty(self.empty()))
    }
}

/// The file with other bytes for some properties; all else stays as it is, byte for byte. If nothing changes, the file
/// itself.
///
/// Of a binary file, `store` says how the chunks that change are stored. A shared string becomes one of its own. The changed
/// file is listed again, and is an error if it differs from the file in anything but the changes.
///
/// ```
/// use enginewire::roblox::attributes::Options as AttributeOptions;
/// use enginewire::roblox::model::{edit, list_bytes, Change, Options, Store};
///
/// let file = br#"<roblox version="4"><Item class="Folder" referent="A"><Properties>
/// <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString><string name="Name">Torch</string>
/// </Properties></Item></roblox>"#;
/// let listing = list_bytes(file, &Options::new())?;
/// let property = listing.properties().next().unwrap();
/// assert_eq!(listing.path(property.instance), "Torch");
///
/// let mut attributes = property.decode(&AttributeOptions::new())?;
/// attributes.insert("On", false);
/// let bytes = property.kind.encode(&attributes, &AttributeOptions::new())?;
/// let changed = edit(file, &[Change::of(&property, &bytes)], Store::AsBefore, &Options::new())?;
/// assert_eq!(changed.as_ref(), String::from_utf8_lossy(file).replace("AQAAAAIAAABPbgMB", "AQAAAAIAAABPbgMA").as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, a property is not there or is changed twice, or the changed file would differ in anything
/// else.
pub fn edit<'f>(
    file: &'f [u8],
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<Cow<'f, [u8]>, ModelError> {
    let Edits { pieces, made } = match FileKind::of(file) {
        Some(FileKind::Binary) => binary::edit(file, changes, store, options)?,
        Some(FileKind::Xml) => xml::edit(file, changes, options)?,
        None => return Err(ModelError::NotAModel),
    };
    let changed = spliced(file, pieces, options)?;
    if let Cow::Owned(changed) = &changed {
        verify(file, changed, &made, options)?;
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn file(tags: &str, name: &str) -> Vec<u8> {
        let properties = format!("<S name=\"Tags\">{tags}</S><string name=\"Name\">{name}</string>");
        format!("<roblox ><Item class=\"A\" referent=\"R\"><Properties>{properties}</Properties></Item></roblox>")
            .into()
    }

    /// A change that reaches further than it says is noticed.
    #[test]
    fn only_what_was_to_change_may_differ() {
        let options = Options::new();
        let made = |old: &[u8], new| [Made::new(0, Kind::Tags, &Ok(old.into()), new)];
        let verified = |changed: &[u8], made: &[Made]| match verify(&file("YQ==", "n"), changed, made, &options) {
            Ok(()) => true,
            Err(ModelError::NotOnly) => false,
            Err(error) => panic!("{error}"),
        };
        let as_meant = file("Yg==", "n");
        assert!(verified(&as_meant, &made(b"a", b"b")));
        assert!(verified(&file("YQ==", "n"), &[]));
        assert!(!verified(&as_meant, &[]));
        assert!(!verified(&as_meant, &made(b"a", b"c")));
        assert!(!verified(&as_meant, &made(b"x", b"b")));
        assert!(!verified(&file("Yg==", "m"), &made(b"a", b"b")));
        assert!(!verified(&file("YQ==", "n"), &made(b"a", b"b")));
        assert!(verified(&file("", "n"), &made(b"a", b"")));
    }

    #[test]
    fn what_both_files_take_is_counted() {
        let (file, changed) = (file("YQ==", "n"), file("Yg==", "n"));
        let made = [Made::new(0, Kind::Tags, &Ok("a".into()), b"b")];
        let within = |limit| verify(&file, &changed, &made, &Options::new().max_memory(limit)).is_ok();
        let least = (0..20_000).find(|limit| within(*limit)).unwrap();
        assert!(least > changed.len() + 500, "{least}");
        assert!((least..least + 300).all(within));
    }

    #[test]
    fn attributes_are_written_as_the_property_has_them() {
        let options = attributes::Options::new();
        let none = Attributes::default();
        let mut one = Attributes::default();
        one.insert("On", true);
        for kind in Kind::ALL {
            assert_eq!(kind.encode(&none, &options).unwrap(), kind.none());
            assert_eq!(kind.encode(&one, &options).unwrap(), b"\x01\0\0\0\x02\0\0\0On\x03\x01");
        }
    }
}

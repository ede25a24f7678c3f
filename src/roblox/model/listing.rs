//! What a file has.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use super::binary::{ChunkHeader, ChunkRef, Compression};
use super::error::{ModelError, ValueError};
use super::lookup::{rows, Lookup, Table};
use super::FileKind;
use crate::budget::{Budget, OverBudget};
use crate::error::DecodeError;
use crate::roblox::attributes::{self, Attributes};
use crate::wire::to_usize;

/// The properties of a file, and the instances that have them.
///
/// Texts and values are kept in one piece of memory, each once, however many instances and properties share it. The views
/// [`Instance`] and [`Property`] borrow from it.
#[derive(Debug, Default)]
pub struct Listing {
    /// What could not be read. The rest of the file was.
    pub problems: Vec<ModelError>,
    is_xml: bool,
    classes: Vec<StoredClass>,
    instances: Vec<StoredInstance>,
    properties: Vec<StoredProperty>,
    /// The chunks of a binary file that have values.
    chunks: Vec<StoredChunk>,
    /// The elements of an XML file that have values: one for each property.
    elements: Vec<XmlPlace>,
    /// The properties by instance and kind; of equal ones the last comes last.
    order: Vec<u32>,
    /// All texts and values.
    text: Vec<u8>,
    lookup: Box<Lookup>,
}

/// A piece of [`Listing::text`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Text {
    start: u32,
    length: u32,
}

#[derive(Clone, Copy, Debug)]
struct StoredClass {
    name: Text,
    /// Where its INST chunk begins in a binary file.
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredInstance {
    pub(super) class: u32,
    /// [`NONE`] if it has none.
    pub(super) parent: u32,
    pub(super) name: Text,
    pub(super) referent: StoredReferent,
    /// In a binary file which of its class it is, in an XML file where its element begins.
    pub(super) place: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum StoredReferent {
    Number(i32),
    Text(Text),
}

/// The bytes of a text that is looked up by where it is, rather than looked at again. A place in a map takes fewer.
const LONG: u32 = 128;

/// No parent.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredProperty {
    pub(super) instance: u32,
    pub(super) kind: Kind,
    pub(super) place: StoredPlace,
    pub(super) bytes: StoredBytes,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum StoredPlace {
    /// The PROP chunk and the one with the bytes, both by their index in [`Listing::chunks`].
    Binary { property: u32, index: u32, chunk: u32, offset: u32 },
    /// The index in [`Listing::elements`].
    Xml(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum StoredBytes {
    Here(Text),
    /// A shared string that is not there, or not yet: its index in a binary file, its key in an XML file.
    Shared(u32),
    Key(Text),
    /// A text that is no base64, and where it begins.
    Base64(u64),
}

#[derive(Clone, Copy, Debug)]
struct StoredChunk {
    chunk: ChunkRef,
    compression: Compression,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance<'l> {
    /// Its class.
    pub class: &'l BStr,
    /// The name that the file gives it to refer to it. Files exist in which several instances have the same, or none.
    pub referent: Referent<'l>,
    /// Its name.
    pub name: &'l BStr,
    /// The instance that it is in, by its index in [`Listing::instances`].
    pub parent: Option<usize>,
    /// Its place in the file, which no other instance has.
    pub place: InstancePlace,
}

/// How a file refers to an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Referent<'l> {
    /// In a binary file.
    Number(i32),
    /// In an XML file.
    Text(&'l BStr),
}

impl fmt::Display for Referent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Referent::Number(number) => number.fmt(f),
            Referent::Text(text) => text.fmt(f),
        }
    }
}

/// The place of an instance in the file: `@0x20:3` is the instance with index 3 in the INST chunk at byte 0x20 of a
/// binary file, `@0x1f4` the `Item` that begins at byte 0x1f4 of an XML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstancePlace {
    /// Where the INST chunk or the element begins in the file.
    pub offset: u64,
    /// Which instance of the chunk it is; `None` in an XML file.
    pub index: Option<u32>,
}

impl fmt::Display for InstancePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{:#x}", self.offset)?;
        self.index.map_or(Ok(()), |index| write!(f, ":{index}"))
    }
}

impl InstancePlace {
    /// The place that a text such as `@0x20:3` stands for.
    fn parse(text: &BStr) -> Option<Self> {
        let text = text.strip_prefix(b"@0x")?.to_str().ok()?;
        let (offset, index) = match text.split_once(':') {
            Some((offset, index)) => (offset, Some(index.parse().ok()?)),
            None => (text, None),
        };
        Some(InstancePlace { offset: u64::from_str_radix(offset, 16).ok()?, index })
    }
}

/// Which property.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Attributes, of any instance.
    AttributesSerialize,
    /// Of a StyleRule attributes, of a Path2D something else.
    PropertiesSerialize,
    /// Tags, of any instance.
    Tags,
    /// Attributes of the PlayerEmulatorService, beside those that it has as an instance.
    SerializedEmulatedPolicyInfo,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Kind::AttributesSerialize, Kind::PropertiesSerialize, Kind::Tags, Kind::SerializedEmulatedPolicyInfo];

    /// The most bytes that a name has.
    pub(super) const LONGEST: usize = "SerializedEmulatedPolicyInfo".len();

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
            Kind::SerializedEmulatedPolicyInfo => "SerializedEmulatedPolicyInfo",
        }
    }

    /// Whether an instance of this class has attributes in it.
    #[must_use]
    pub fn is_attributes(self, class: &BStr) -> bool {
        match self {
            Kind::AttributesSerialize => true,
            Kind::PropertiesSerialize => class == "StyleRule",
            Kind::Tags => false,
            Kind::SerializedEmulatedPolicyInfo => class == "PlayerEmulatorService",
        }
    }
}

/// A property of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property<'l> {
    /// The instance, by its index in [`Listing::instances`].
    pub instance: usize,
    /// Which property.
    pub kind: Kind,
    /// Its place in the file.
    pub place: Place,
    /// Its bytes, or why there are none.
    pub bytes: Result<&'l BStr, ValueError>,
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

impl<'l> Property<'l> {
    /// The attributes, which borrow from the listing. Whether it should have any is for [`Kind::is_attributes`] to say.
    ///
    /// # Errors
    ///
    /// If it has no bytes, or they are no attributes.
    pub fn decode(&self, options: &attributes::Options) -> Result<Attributes<'l>, PropertyError> {
        let bytes = self.bytes.clone()?;
        Ok(attributes::decode_with(bytes, options)?)
    }

    /// The tags, if that is what it has. None are no bytes.
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

/// The place of a property in an XML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlPlace {
    /// Its element in the file, from the first `<` to the last `>`.
    pub element: Range<u64>,
    /// What is between the tags, if there are two.
    pub content: Option<Range<u64>>,
    /// Whether the content is the key of a shared string.
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

/// What is sought among the instances.
#[derive(Clone, Copy, Debug)]
enum Sought<'t> {
    Place(InstancePlace),
    /// A referent of a binary file, or none of these.
    Number(Option<i32>),
    /// A referent of an XML file.
    Referent(&'t [u8]),
    Path(&'t BStr),
}

/// The most steps from an instance towards the root that [`Listing::path`] takes; a file may claim that an instance is
/// within itself.
const HIGHEST: usize = 100;

impl Listing {
    /// The most bytes that [`path`](Self::path) gives.
    pub const LONGEST_PATH: usize = 4096;

    /// The instances: those of the properties, and those above them; in the order of the file.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'_>> + DoubleEndedIterator {
        self.instances.iter().map(|stored| self.view(stored))
    }

    /// Instance number `index`.
    #[must_use]
    pub fn instance(&self, index: usize) -> Option<Instance<'_>> {
        self.instances.get(index).map(|stored| self.view(stored))
    }

    /// The properties, in the order of the file.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = Property<'_>> + DoubleEndedIterator {
        self.properties.iter().map(|stored| self.property_view(stored))
    }

    /// Property number `index`.
    #[must_use]
    pub fn property_at(&self, index: usize) -> Option<Property<'_>> {
        self.properties.get(index).map(|stored| self.property_view(stored))
    }

    /// The instance of a property.
    #[must_use]
    pub fn instance_of(&self, property: &Property<'_>) -> Option<Instance<'_>> {
        self.instance(property.instance)
    }

    /// The names from the root to instance number `index`, with dots between them. Of more than
    /// [`LONGEST_PATH`](Self::LONGEST_PATH) bytes, or of more than 100 names, the last are given, after `…`.
    #[must_use]
    pub fn path(&self, index: usize) -> BString {
        let mut room = Self::LONGEST_PATH;
        let mut names: Vec<&[u8]> = Vec::new();
        let mut next = self.instances.get(index);
        while let Some(instance) = next {
            let name = self.text(instance.name);
            next = self.stored(instance.parent);
            // the dot before it too, if there is to be one
            let needed = name.len().saturating_add(usize::from(next.is_some()));
            if names.len() == HIGHEST || needed > room {
                let rest = if names.len() == HIGHEST { &[] } else { end_of(name, room) };
                let path: Vec<&[u8]> = [rest].into_iter().chain(names.into_iter().rev()).collect();
                return ["…".as_bytes(), &path.join(&b'.')].concat().into();
            }
            room = room.saturating_sub(needed);
            names.push(name);
        }
        names.reverse();
        names.join(&b'.').into()
    }

    /// The instances with this path; after a `#`, those with this referent; or the one at this place, such as `@0x20:3`.
    ///
    /// An instance whose own name begins with `#` is found by its referent or place only.
    ///
    /// Places are looked up in the order of the file. The first search by a path builds a table of all paths, and the first
    /// by a referent one of all referents, which take 20 bytes for each instance. Where
    /// [`Options::max_memory`](super::Options::max_memory) has left less than that, every search looks at all instances.
    pub fn find<'l>(&'l self, path: &'l BStr) -> impl Iterator<Item = usize> + 'l {
        let sought = self.sought(path);
        let is_it = move |index: &usize| self.instances.get(*index).is_some_and(|stored| self.is_it(stored, sought));
        self.candidates(sought).filter(is_it)
    }

    /// What a text stands for that [`find`](Self::find) is given.
    fn sought<'t>(&self, text: &'t BStr) -> Sought<'t> {
        match (InstancePlace::parse(text), text.strip_prefix(b"#")) {
            (Some(place), _) => Sought::Place(place),
            (None, Some(referent)) if self.is_xml => Sought::Referent(referent),
            (None, Some(number)) => Sought::Number(number.to_str().ok().and_then(|number| number.parse().ok())),
            (None, None) => Sought::Path(text),
        }
    }

    /// The instances that may be those sought, with few others among them, in order.
    fn candidates(&self, sought: Sought<'_>) -> impl Iterator<Item = usize> + '_ {
        let within = |table: Option<_>, hash| match table {
            Some(table) => (Some(table), rows(table, hash)),
            None => (None, 0..self.instances.len()),
        };
        let (table, range): (Option<&Table>, _) = match sought {
            Sought::Place(place) => (None, self.at_place(place)),
            Sought::Number(None) => (None, 0..0),
            Sought::Number(Some(number)) => within(self.referents(), number.cast_unsigned()),
            Sought::Referent(text) => within(self.referents(), self.lookup.hash().of(text)),
            Sought::Path(path) => {
                let table = self.lookup.paths(&self.instances, |instance| self.text(instance.name));
                within(table, self.lookup.hash().of(path))
            }
        };
        range.filter_map(move |row| table.map_or(Some(row), |table| table.get(row).map(|(_, index)| to_usize(*index))))
    }

    fn referents(&self) -> Option<&Table> {
        self.lookup.referents(&self.instances, |instance| match instance.referent {
            StoredReferent::Number(number) => number.cast_unsigned(),
            StoredReferent::Text(text) => self.lookup.hash().of(self.text(text)),
        })
    }

    /// The instances at a place, of which there is one at the most. Instances are in the order of their places.
    fn at_place(&self, place: InstancePlace) -> Range<usize> {
        let key = |place: InstancePlace| (place.offset, place.index);
        let start = self.instances.partition_point(|stored| key(self.place(stored)) < key(place));
        let end = self.instances.partition_point(|stored| key(self.place(stored)) <= key(place));
        start..end
    }

    fn is_it(&self, stored: &StoredInstance, sought: Sought<'_>) -> bool {
        match (sought, stored.referent) {
            (Sought::Place(place), _) => self.place(stored) == place,
            (Sought::Number(number), StoredReferent::Number(other)) => number == Some(other),
            (Sought::Referent(text), StoredReferent::Text(other)) => self.text(other) == text,
            (Sought::Path(path), _) => self.has_path(stored, path),
            _ => false,
        }
    }

    /// The property `kind` of instance number `instance`: of several, the last, as Studio takes it.
    #[must_use]
    pub fn property(&self, instance: usize, kind: Kind) -> Option<Property<'_>> {
        let instance = u32::try_from(instance).ok()?;
        let key = |place: &u32| self.properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind));
        let end = self.order.partition_point(|place| key(place) <= Some((instance, kind)));
        let last = self.order.get(end.checked_sub(1)?)?;
        let stored = self.properties.get(to_usize(*last))?;
        ((stored.instance, stored.kind) == (instance, kind)).then(|| self.property_view(stored))
    }

    /// Whether the names from the root to an instance are these. Every step takes a byte of the path at least.
    fn has_path(&self, instance: &StoredInstance, path: &BStr) -> bool {
        let mut rest: &[u8] = path;
        let mut next = instance;
        loop {
            let Some(before) = rest.strip_suffix(self.text(next.name)) else { return false };
            match (self.stored(next.parent), before.strip_suffix(b".")) {
                (None, _) => return before.is_empty(),
                (Some(_), None) => return false,
                (Some(parent), Some(before)) => (next, rest) = (parent, before),
            }
        }
    }

    fn stored(&self, index: u32) -> Option<&StoredInstance> {
        self.instances.get(to_usize(index))
    }

    fn view(&self, stored: &StoredInstance) -> Instance<'_> {
        let class = self.classes.get(to_usize(stored.class)).map_or(Text::default(), |class| class.name);
        Instance {
            class: self.text(class).as_bstr(),
            referent: match stored.referent {
                StoredReferent::Number(number) => Referent::Number(number),
                StoredReferent::Text(text) => Referent::Text(self.text(text).as_bstr()),
            },
            name: self.text(stored.name).as_bstr(),
            parent: (stored.parent != NONE).then(|| to_usize(stored.parent)),
            place: self.place(stored),
        }
    }

    fn place(&self, stored: &StoredInstance) -> InstancePlace {
        if self.is_xml {
            return InstancePlace { offset: stored.place, index: None };
        }
        let offset = self.classes.get(to_usize(stored.class)).map_or(0, |class| class.offset);
        InstancePlace { offset, index: u32::try_from(stored.place).ok() }
    }

    fn property_view(&self, stored: &StoredProperty) -> Property<'_> {
        let bytes = match stored.bytes {
            StoredBytes::Here(text) => Ok(self.text(text).as_bstr()),
            StoredBytes::Shared(index) => Err(ValueError::SharedString(index.to_string().into())),
            StoredBytes::Key(key) => Err(ValueError::SharedString(self.text(key).into())),
            StoredBytes::Base64(offset) => Err(ValueError::Base64 { offset }),
        };
        let place = match stored.place {
            StoredPlace::Binary { property, index, chunk, offset } => self.binary_place(property, index, chunk, offset),
            StoredPlace::Xml(element) => self.elements.get(to_usize(element)).cloned().map(Place::Xml),
        };
        // every index that is stored is one of what is stored
        let place = place.unwrap_or(Place::Xml(XmlPlace { element: 0..0, content: None, is_shared: false }));
        Property { instance: to_usize(stored.instance), kind: stored.kind, place, bytes }
    }

    fn binary_place(&self, property: u32, index: u32, chunk: u32, offset: u32) -> Option<Place> {
        let property = self.chunks.get(to_usize(property))?.chunk.offset;
        let StoredChunk { chunk: ChunkRef { offset: chunk, header }, compression } =
            *self.chunks.get(to_usize(chunk))?;
        Some(Place::Binary(BinaryPlace { property, index, chunk, header, compression, offset: offset.into() }))
    }

    pub(super) fn text(&self, text: Text) -> &[u8] {
        let start = to_usize(text.start);
        self.text.get(start..start.saturating_add(to_usize(text.length))).unwrap_or_default()
    }
}

/// Making one.
impl Listing {
    pub(super) fn new(kind: FileKind) -> Self {
        Listing { is_xml: kind == FileKind::Xml, ..Listing::default() }
    }

    /// Keeps a text or value.
    #[inline]
    pub(super) fn keep(&mut self, budget: &mut Budget, bytes: &[u8]) -> Result<Text, OverBudget> {
        if bytes.is_empty() {
            return Ok(Text::default());
        }
        let room = self.text.capacity().saturating_sub(self.text.len());
        if room < bytes.len() {
            budget.grow(&mut self.text, bytes.len())?;
        }
        let most = u32::try_from(self.text.len()).ok().zip(u32::try_from(bytes.len()).ok());
        let (start, length) = most.ok_or(OverBudget { limit: to_usize(u32::MAX) })?;
        start.checked_add(length).ok_or(OverBudget { limit: to_usize(u32::MAX) })?;
        self.text.extend_from_slice(bytes);
        Ok(Text { start, length })
    }

    /// Makes room for so many bytes of texts and values, which come next.
    pub(super) fn make_room(&mut self, budget: &mut Budget, bytes: usize) -> Result<(), OverBudget> {
        if self.text.capacity().saturating_sub(self.text.len()) < bytes {
            budget.grow(&mut self.text, bytes)?;
        }
        Ok(())
    }

    /// Adds a class; gives its number.
    pub(super) fn add_class(&mut self, budget: &mut Budget, name: Text, offset: u64) -> Result<u32, OverBudget> {
        let number = index_of(&self.classes)?;
        budget.push(&mut self.classes, StoredClass { name, offset })?;
        Ok(number)
    }

    /// Adds an instance; gives its index.
    pub(super) fn add_instance(&mut self, budget: &mut Budget, instance: StoredInstance) -> Result<u32, OverBudget> {
        let index = index_of(&self.instances)?;
        budget.push(&mut self.instances, instance)?;
        Ok(index)
    }

    /// Makes room for so many instances.
    pub(super) fn expect_instances(&mut self, budget: &mut Budget, count: usize) -> Result<(), OverBudget> {
        budget.grow(&mut self.instances, count)
    }

    /// Makes room for so many properties.
    pub(super) fn expect_properties(&mut self, budget: &mut Budget, count: usize) -> Result<(), OverBudget> {
        if self.properties.capacity().saturating_sub(self.properties.len()) < count {
            budget.grow(&mut self.properties, count)?;
        }
        Ok(())
    }

    pub(super) fn add_property(&mut self, budget: &mut Budget, property: StoredProperty) -> Result<(), OverBudget> {
        budget.push(&mut self.properties, property)
    }

    /// Adds a property of an XML file, whose bytes may come later.
    pub(super) fn add_element(
        &mut self,
        budget: &mut Budget,
        instance: u32,
        kind: Kind,
        place: XmlPlace,
        bytes: StoredBytes,
    ) -> Result<(), OverBudget> {
        let element = index_of(&self.elements)?;
        budget.push(&mut self.elements, place)?;
        self.add_property(budget, StoredProperty { instance, kind, place: StoredPlace::Xml(element), bytes })
    }

    /// Adds a chunk that has values; gives its number.
    pub(super) fn add_chunk(
        &mut self,
        budget: &mut Budget,
        chunk: ChunkRef,
        compression: Compression,
    ) -> Result<u32, OverBudget> {
        let number = index_of(&self.chunks)?;
        budget.push(&mut self.chunks, StoredChunk { chunk, compression })?;
        Ok(number)
    }

    pub(super) fn stored_instances_mut(&mut self) -> &mut Vec<StoredInstance> {
        &mut self.instances
    }

    pub(super) fn stored_properties_mut(&mut self) -> &mut Vec<StoredProperty> {
        &mut self.properties
    }

    pub(super) fn stored_properties(&self) -> &[StoredProperty] {
        &self.properties
    }

    /// Drops properties without bytes.
    pub(super) fn without_empty(&mut self) {
        self.properties.retain(|property| !matches!(property.bytes, StoredBytes::Here(Text { length: 0, .. })));
    }

    /// Keeps only the instances that a property names, and those above them.
    pub(super) fn without_others(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let count = self.instances.len();
        let size = count.saturating_mul(size_of::<u32>());
        budget.take(size)?;
        // first which are wanted, then where each of them goes
        let mut places = vec![NONE; count];
        for property in &self.properties {
            let mut next = property.instance;
            while let Some(place) = places.get_mut(to_usize(next)).filter(|place| **place == NONE) {
                *place = 0;
                next = self.instances.get(to_usize(next)).map_or(NONE, |instance| instance.parent);
            }
        }
        let mut wanted = 0u32;
        for place in places.iter_mut().filter(|place| **place != NONE) {
            *place = wanted;
            wanted = wanted.saturating_add(1);
        }
        let moved = |old: u32| places.get(to_usize(old)).copied().unwrap_or(NONE);
        let mut index = 0usize;
        self.instances.retain_mut(|instance| {
            let keep = places.get(index).is_some_and(|place| *place != NONE);
            index = index.saturating_add(1);
            instance.parent = moved(instance.parent);
            keep
        });
        for property in &mut self.properties {
            property.instance = moved(property.instance);
        }
        drop(places);
        budget.give_back(size);
        Ok(())
    }

    /// Puts the properties into an order in which they can be looked up, and lets what is left be used to look up instances.
    pub(super) fn index(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let count = index_of(&self.properties)?;
        budget.take(to_usize(count).saturating_mul(size_of::<u32>()))?;
        self.order = (0..count).collect();
        let properties = &self.properties;
        let key = |place: &u32| properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind, *place));
        self.order.sort_unstable_by_key(key);
        self.lookup.allow(budget);
        Ok(())
    }

    /// How much memory it takes, but for its problems.
    fn memory(&self) -> usize {
        fn of<T>(list: &Vec<T>) -> usize {
            list.capacity().saturating_mul(size_of::<T>())
        }
        let lists = [of(&self.classes), of(&self.instances), of(&self.properties), of(&self.chunks)];
        let more = [of(&self.elements), of(&self.order), of(&self.text), self.lookup.memory()];
        lists.into_iter().chain(more).fold(0, usize::saturating_add)
    }

    /// What must not change where a property does: everything, in little memory.
    pub(super) fn summary(&self, mut budget: Budget) -> Result<Summary, OverBudget> {
        budget.take(self.memory())?;
        let mut values = Vec::new();
        budget.grow(&mut values, self.properties.len())?;
        let mut hasher = DefaultHasher::new();
        for instance in self.instances() {
            (instance.class, instance.name, instance.parent).hash(&mut hasher);
            instance.referent.hash(&mut hasher);
        }
        // a long text may be that of very many properties
        let mut known: HashMap<Text, Option<Value>> = HashMap::new();
        budget.take(self.text.len())?;
        values.extend(self.properties.iter().filter_map(|stored| {
            let value = || Value::of(&self.property_view(stored).bytes);
            let value = match stored.bytes {
                StoredBytes::Here(text) if text.length >= LONG => *known.entry(text).or_insert_with(value),
                _ => value(),
            };
            Some((stored.instance, stored.kind, value?))
        }));
        values.sort_unstable();
        Ok(Summary { instances: hasher.finish(), values, problems: self.problems.len() })
    }
}

/// A value that is not empty, as a number that others are very unlikely to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Value(u64);

impl Value {
    fn of(bytes: &Result<&BStr, ValueError>) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        match bytes {
            Ok(bytes) if bytes.is_empty() => return None,
            Ok(bytes) => bytes.hash(&mut hasher),
            // what is wrong with it, but not where, for that may move
            Err(ValueError::Base64 { .. }) => hasher.write_u8(1),
            Err(ValueError::SharedString(key)) => key.hash(&mut hasher),
        }
        Some(Value(hasher.finish()))
    }
}

/// All instances of a file, and all values that are not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    instances: u64,
    values: Vec<(u32, Kind, Value)>,
    problems: usize,
}

/// A value that takes the place of another: of which instance, by its number in the file, and of which property.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    instance: u32,
    kind: Kind,
    old: Option<Value>,
    new: Option<Value>,
}

impl Made {
    pub(super) fn new(instance: u32, kind: Kind, old: &Result<&BStr, ValueError>, new: &[u8]) -> Self {
        Made { instance, kind, old: Value::of(old), new: Value::of(&Ok(new.as_bstr())) }
    }
}

impl Summary {
    /// How much memory it takes.
    pub(super) fn memory(&self) -> usize {
        self.values.capacity().saturating_mul(size_of::<(u32, Kind, Value)>())
    }

    /// The same with some values in the place of others.
    pub(super) fn with(self, made: &[Made]) -> Self {
        let mut gone: Vec<_> = made.iter().filter_map(|made| Some((made.instance, made.kind, made.old?))).collect();
        gone.sort_unstable();
        let mut gone = gone.into_iter().peekable();
        let mut values = self.values;
        values.retain(|value| gone.next_if_eq(value).is_none());
        values.reserve_exact(made.len());
        values.extend(made.iter().filter_map(|made| Some((made.instance, made.kind, made.new?))));
        values.sort_unstable();
        Summary { values, ..self }
    }
}

/// The last `count` bytes of a text at the most, from the start of a character on.
fn end_of(text: &[u8], count: usize) -> &[u8] {
    let end = text.get(text.len().saturating_sub(count)..).unwrap_or_default();
    let partial = end.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    end.get(partial..).unwrap_or_default()
}

/// The index of what is pushed next.
fn index_of<T>(list: &[T]) -> Result<u32, OverBudget> {
    u32::try_from(list.len()).ok().filter(|index| *index != NONE).ok_or(OverBudget { limit: to_usize(u32::MAX) })
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A listing with room for tables, or without, of instances with such parents and names.
    fn listing(kind: FileKind, room: bool, instances: impl Iterator<Item = (u32, String)>) -> Listing {
        let mut listing = Listing::new(kind);
        let mut budget = Budget::new(1 << 30);
        let mut class = 0;
        for (index, (parent, name)) in (0u64..).zip(instances) {
            // some have the same referent
            let referent = match kind {
                FileKind::Binary => StoredReferent::Number(i32::try_from(index / 2).unwrap() - 2),
                FileKind::Xml => {
                    StoredReferent::Text(listing.keep(&mut budget, (index / 2).to_string().as_bytes()).unwrap())
                }
            };
            if index % 5 == 0 {
                class = listing.add_class(&mut budget, Text::default(), 32 + index).unwrap();
            }
            let place = if kind == FileKind::Binary { index % 5 } else { 10 * index };
            let name = listing.keep(&mut budget, name.as_bytes()).unwrap();
            listing.add_instance(&mut budget, StoredInstance { class, parent, name, referent, place }).unwrap();
        }
        let mut left = if room { budget } else { Budget::new(0) };
        listing.index(&mut left).unwrap();
        listing
    }

    /// A tree: models with parts that all have the same names.
    fn models(models: u32, parts: u32) -> impl Iterator<Item = (u32, String)> {
        (0..=models * (parts + 1)).map(move |index| match (index.checked_sub(1), parts + 1) {
            (None, _) => (NONE, "Workspace".to_owned()),
            (Some(index), each) if index % each == 0 => (0, format!("Model{}", index / each)),
            (Some(index), each) => (1 + index / each * each, format!("Part{}", index % each)),
        })
    }

    fn searches(listing: &Listing) -> Vec<BString> {
        let of = |(index, instance): (usize, Instance<'_>)| {
            [listing.path(index), format!("#{}", instance.referent).into(), instance.place.to_string().into()]
        };
        listing.instances().enumerate().flat_map(of).collect()
    }

    /// Time would be in proportion to the square of the number of instances if every search looked at all of them.
    #[test]
    fn a_search_looks_at_what_it_finds_and_at_little_else() {
        for kind in [FileKind::Binary, FileKind::Xml] {
            let listing = listing(kind, true, models(300, 99));
            let searches = searches(&listing);
            assert_eq!(searches.len(), 3 * 30_001);
            let found: usize = searches.iter().map(|text| listing.find(text.as_bstr()).count()).sum();
            // each path and place once; each referent is that of two, but for the last
            assert_eq!(found, 4 * 30_000 + 3);
            let seen = searches.iter().map(|text| listing.candidates(listing.sought(text.as_bstr())).count());
            // two texts may have the same hash, but it takes very many to make that likely
            assert!(seen.sum::<usize>() <= found + 20);
        }
    }

    #[test]
    fn tables_change_nothing() {
        let names = ["a", "b", "a.b", ".", "", "a.", "\u{ff}", "#1", "@0x20"];
        let texts =
            ["", ".", "a", "a.b", "a.b.a", "..", "a..b", "#", "#-2", "#+1", "#01", "#x", "@0x20:0", "@0x2", "@0x"];
        let mut found = 0;
        for seed in 0..60u64 {
            let mut state = seed;
            let mut below = |count: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(state >> 33).unwrap() % count
            };
            // any parents, so that some instances are within themselves; or those before them, so that none are
            let instances: Vec<_> = (0..40)
                .map(|index| {
                    let parent = if seed % 2 == 0 { below(60) } else { below(index + 3) };
                    let parent = if parent < (if seed % 2 == 0 { 40 } else { index }) { parent } else { NONE };
                    (parent, names[to_usize(below(9))].to_owned())
                })
                .collect();
            for kind in [FileKind::Binary, FileKind::Xml] {
                let [with, without] = [true, false].map(|room| listing(kind, room, instances.iter().cloned()));
                let texts = texts.iter().map(|text| BString::from(*text));
                for text in searches(&with).into_iter().chain(texts) {
                    let sought = with.sought(text.as_bstr());
                    let all = (0..40).filter(|index| with.is_it(&with.instances[*index], sought));
                    let all: Vec<usize> = all.collect();
                    for listing in [&with, &without] {
                        assert_eq!(listing.find(text.as_bstr()).collect::<Vec<_>>(), all, "{text:?}");
                    }
                    found += all.len();
                }
                assert!(with.lookup.memory() > 0 && without.lookup.memory() == 0);
            }
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn tables_take_what_is_left_and_no_more() {
        for (room, has_tables) in [(20 * 101 + 3, true), (20 * 101 + 2, false)] {
            let mut listing = listing(FileKind::Binary, true, models(10, 9));
            let before = listing.memory();
            // what is taken already is the odd bytes
            listing.lookup.allow(&Budget::with(room, 3));
            assert_eq!(listing.find("Workspace.Model3.Part7".into()).count(), 1);
            assert_eq!(listing.find("#7".into()).count(), 2);
            assert_eq!(listing.memory() - before, if has_tables { 16 * 101 } else { 0 });
        }
    }

    #[test]
    fn referents_and_places_are_shown_as_they_are_sought() {
        let shown = [Referent::Number(-3).to_string(), Referent::Text("a\u{e4}".into()).to_string()];
        assert_eq!(shown, ["-3", "a\u{e4}"]);
        let place = InstancePlace { offset: 0x20, index: Some(3) };
        assert_eq!(place.to_string(), "@0x20:3");
        assert_eq!(InstancePlace { index: None, ..place }.to_string(), "@0x20");
    }

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

    /// Each instance is in the one before it.
    fn chain(names: &[&str]) -> Listing {
        let parents = std::iter::once(NONE).chain(0..);
        listing(FileKind::Binary, true, parents.zip(names.iter().map(|name| (*name).to_owned())))
    }

    #[test]
    fn a_path_has_a_hundred_names_at_the_most() {
        let listing = chain(&["a"; 102]);
        assert_eq!(listing.path(99), ["a"; 100].join("."));
        assert_eq!(listing.path(100), format!("….{}", ["a"; 100].join(".")));
        assert_eq!(listing.path(101), listing.path(100));
        assert_eq!(listing.path(102), "");
    }

    #[test]
    fn a_path_has_no_more_bytes_than_it_may() {
        let most = Listing::LONGEST_PATH;
        let long = |count: usize| "x".repeat(count);
        // the name that is outermost needs no dot, and the others do
        let listing = chain(&["ab", &long(most - 3)]);
        assert_eq!(listing.path(1), format!("ab.{}", long(most - 3)));
        let listing = chain(&["ab", &long(most - 2)]);
        assert_eq!(listing.path(1), format!("…b.{}", long(most - 2)));
        let listing = chain(&["ab", &long(most - 1)]);
        assert_eq!(listing.path(1), format!("….{}", long(most - 1)));
        let listing = chain(&["ab", &long(most)]);
        assert_eq!(listing.path(1), format!("…{}", long(most)));
        assert_eq!(chain(&[&long(most)]).path(0), long(most));
        assert_eq!(chain(&[&long(most + 1)]).path(0), format!("…{}", long(most)));
    }

    #[test]
    fn an_end_begins_with_a_character() {
        let text = "a\u{e4}\u{1f600}b".as_bytes();
        let ends: Vec<_> = (0..=9).map(|count| BStr::new(end_of(text, count))).collect();
        let (b, face, both) = ("b", "\u{1f600}b", "\u{e4}\u{1f600}b");
        assert_eq!(ends, ["", b, b, b, b, face, face, both, "a\u{e4}\u{1f600}b", "a\u{e4}\u{1f600}b"].map(BStr::new));
    }

    /// A listing that makes room as it goes has as much as was asked for, and its budget knows.
    #[test]
    fn room_is_made_once() {
        let mut budget = Budget::new(1 << 20);
        let mut listing = Listing::new(FileKind::Binary);
        listing.make_room(&mut budget, 100).unwrap();
        listing.make_room(&mut budget, 100).unwrap();
        assert_eq!((listing.text.capacity(), budget.left()), (100, (1 << 20) - 100));
        let text = listing.keep(&mut budget, &[7; 100]).unwrap();
        assert_eq!((listing.text(text), listing.text.capacity()), (&[7; 100][..], 100));
        listing.make_room(&mut budget, 0).unwrap();
        assert_eq!(listing.text.capacity(), 100);
        listing.keep(&mut budget, b"a").unwrap();
        assert_eq!((listing.text.capacity(), budget.left()), (200, (1 << 20) - 200));

        listing.expect_instances(&mut budget, 10).unwrap();
        assert_eq!(listing.instances.capacity(), 10);
        listing.expect_properties(&mut budget, 10).unwrap();
        listing.expect_properties(&mut budget, 10).unwrap();
        assert_eq!(listing.properties.capacity(), 10);
        listing.expect_properties(&mut budget, 11).unwrap();
        assert_eq!(listing.properties.capacity(), 20);
        let lists = 10 * size_of::<StoredInstance>() + 20 * size_of::<StoredProperty>();
        assert_eq!(listing.memory(), 200 + lists);
        assert_eq!(budget.left(), (1 << 20) - listing.memory());

        let mut small = Budget::new(3);
        assert_eq!(listing.make_room(&mut small, 1000), Err(OverBudget { limit: 3 }));
        assert_eq!(listing.expect_instances(&mut small, 1000), Err(OverBudget { limit: 3 }));
        assert_eq!(listing.expect_properties(&mut small, 1000), Err(OverBudget { limit: 3 }));
    }

    #[test]
    fn values_differ_where_they_tell_something_else() {
        let shared = |key: &str| Err(ValueError::SharedString(key.into()));
        let of = |bytes: Result<&str, ValueError>| Value::of(&bytes.map(BStr::new));
        assert_eq!(of(Ok("")), None);
        assert_ne!(of(Ok("a")), None);
        assert_ne!(of(Ok("a")), of(Ok("b")));
        assert_ne!(of(shared("a")), of(shared("b")));
        assert_eq!(of(Err(ValueError::Base64 { offset: 1 })), of(Err(ValueError::Base64 { offset: 2 })));
    }

    /// Tags of one instance after the other, all of them kept once.
    fn tagged(texts: &[&[u8]], uses: &[usize]) -> Listing {
        let mut listing = chain(&["n"; 3]);
        let mut budget = Budget::new(1 << 30);
        let texts: Vec<Text> = texts.iter().map(|text| listing.keep(&mut budget, text).unwrap()).collect();
        for (instance, text) in (0..).zip(uses) {
            let bytes = StoredBytes::Here(texts[*text]);
            let place = StoredPlace::Xml(0);
            listing.add_property(&mut budget, StoredProperty { instance, kind: Kind::Tags, place, bytes }).unwrap();
        }
        listing
    }

    #[test]
    fn a_summary_has_every_value_and_takes_what_it_says() {
        let [long, other] = [[7; 128], [8; 128]];
        let summary = |uses: &[usize]| {
            let listing = tagged(&[b"", b"a", &long, &other], uses);
            listing.summary(Budget::new(1 << 30)).unwrap()
        };
        assert_eq!(summary(&[0, 1, 2]).values.len(), 2);
        assert_eq!(summary(&[2, 2, 3]).values[1].2, Value::of(&Ok(long.as_bstr())).unwrap());
        assert_ne!(summary(&[2, 2, 3]), summary(&[2, 2, 2]));
        let row = size_of::<(u32, Kind, Value)>();
        assert_eq!(summary(&[1, 2, 3]).memory(), 4 * row);
        // what the listing takes, room for the values, and the texts
        let listing = tagged(&[b"", b"a", &long, &other], &[1, 2, 3]);
        let needed = listing.memory() + 4 * row + listing.text.len();
        assert!(listing.summary(Budget::new(needed)).is_ok());
        assert!(listing.summary(Budget::new(needed - 1)).is_err());
    }

    #[test]
    fn an_instance_knows_the_one_that_it_is_in() {
        let listing = chain(&["a", "b", "c"]);
        assert_eq!(listing.instances().map(|instance| instance.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    }
}

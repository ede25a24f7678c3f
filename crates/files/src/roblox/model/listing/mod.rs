//! The properties and instances of a file.

mod build;
mod find;
mod later;
mod lookup;
mod namesakes;
mod owned;
#[cfg(test)]
mod samples;
mod stored;
mod summary;

use std::fmt;
use std::hash::Hasher;

use bstr::{BStr, BString, ByteSlice};

use super::binary::ChunkRef;
use super::error::{ModelError, ValueError};
use super::instance::{Instance, InstancePlace, Referent};
use super::kind::Kind;
use super::property::{BinaryPlace, Place, Property, XmlPlace};
use super::reference::AttributeReference;
use crate::address::{hash_name, write_end, write_name, Address, Collected, Component, Index, Syntax, TEXT};
use enginewire::notation::is_unprintable;
use enginewire::number::{to_u64, to_usize};
use later::Later;
use lookup::Lookup;
use stored::{StoredChunk, StoredClass, StoredReference};

pub(super) use build::sort_by_instance;
pub(super) use build::PROBLEM;
pub(super) use namesakes::Namesakes;
pub(super) use stored::{StoredBytes, StoredInstance, StoredPlace, StoredProperty, StoredReferent, Text, NONE};
pub(super) use summary::Made;

/// The properties of a file, and the instances that have them.
///
/// A text or value that several instances or properties share is kept in memory once. [`Instance`] and [`Property`] borrow
/// from the listing.
#[derive(Debug, Default)]
pub struct Listing {
    /// The parts of the file that could not be read. All others are listed.
    pub problems: Vec<ModelError>,
    /// Faults that do not prevent reading, each with its offset: of more than
    /// [`MOST_WARNINGS`](Self::MOST_WARNINGS), the first. An edit keeps these bytes.
    pub warnings: Vec<ModelError>,
    /// The number of warnings, including those that are not kept.
    pub warning_count: usize,
    is_xml: bool,
    classes: Vec<StoredClass>,
    instances: Vec<StoredInstance>,
    properties: Vec<StoredProperty>,
    /// The chunks of a binary file that have values.
    chunks: Vec<StoredChunk>,
    /// The elements of an XML file that have values: one for each property.
    elements: Vec<XmlPlace>,
    /// The attributes of an XML file that hold references, sorted by instance.
    references: Vec<StoredReference>,
    /// The indices of the properties, sorted by instance and kind; of equal ones the last comes last.
    order: Vec<u32>,
    /// True if some instance has a property several times.
    has_repeated: bool,
    /// All texts and values.
    text: Vec<u8>,
    /// True if some instance has a number.
    has_namesakes: bool,
    /// True if all instances with the same parent and name have numbers.
    is_numbered: bool,
    lookup: Box<Lookup>,
    /// The file, if some values are read when they are asked for.
    later: Option<Box<Later>>,
}

/// The most names that [`Listing::path`] joins: a file may claim that an instance is inside itself.
const MOST_NAMES: usize = 100;

/// The most properties of one kind and instance that have numbers; of more, none has one.
const MOST_SAME: usize = 100;

impl Listing {
    /// The length in bytes that [`path`](Self::path) keeps of a longer path.
    pub const LONGEST_PATH: usize = 4096;

    /// The most [`warnings`](Self::warnings) that are kept.
    pub const MOST_WARNINGS: usize = 10;

    /// The texts of the [`warnings`](Self::warnings), and how many there are besides.
    #[must_use]
    pub fn warning_texts(&self) -> Vec<String> {
        let mut texts: Vec<_> = self.warnings.iter().map(ToString::to_string).collect();
        match self.warning_count.saturating_sub(texts.len()) {
            0 => {}
            1 => texts.push("there is 1 more warning".to_owned()),
            more => texts.push(format!("there are {more} more warnings")),
        }
        texts
    }

    /// The instances that have a listed property or a [reference](Self::references) or are referred to, and those above them, in the order of the file.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'_>> + DoubleEndedIterator {
        self.instances.iter().map(|stored| self.view(stored))
    }

    /// The instance with this index in [`instances`](Self::instances).
    #[must_use]
    pub fn instance(&self, index: usize) -> Option<Instance<'_>> {
        self.instances.get(index).map(|stored| self.view(stored))
    }

    /// The properties, in the order of the file.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = Property<'_>> + DoubleEndedIterator {
        self.properties.iter().map(|stored| self.property_view(stored))
    }

    /// The property with this index in [`properties`](Self::properties).
    #[must_use]
    pub fn property_at(&self, index: usize) -> Option<Property<'_>> {
        self.properties.get(index).map(|stored| self.property_view(stored))
    }

    /// The attributes of an XML file that hold references, in the order of their instances. They are not properties, and an
    /// edit does not change them.
    pub fn references(&self) -> impl ExactSizeIterator<Item = AttributeReference<'_>> {
        self.references.iter().map(|stored| self.reference_view(stored))
    }

    /// The reference with this index in [`references`](Self::references).
    #[must_use]
    pub fn reference_at(&self, index: usize) -> Option<AttributeReference<'_>> {
        self.references.get(index).map(|stored| self.reference_view(stored))
    }

    /// The references of the instance with this index.
    pub fn references_of(&self, instance: usize) -> impl ExactSizeIterator<Item = AttributeReference<'_>> {
        let start = self.references.partition_point(|stored| to_usize(stored.instance) < instance);
        let end = self.references.partition_point(|stored| to_usize(stored.instance) <= instance);
        let own = self.references.get(start..end).unwrap_or_default();
        own.iter().map(|stored| self.reference_view(stored))
    }

    fn reference_view(&self, stored: &StoredReference) -> AttributeReference<'_> {
        let target = (stored.target != NONE).then(|| to_usize(stored.target));
        AttributeReference::new(to_usize(stored.instance), self.text(stored.key), self.text(stored.text), target)
    }

    /// The target of a reference: the address of the instance, `#` and the referent of one that the file does not have, or `nil`.
    #[must_use]
    pub fn reference_text(&self, reference: &AttributeReference<'_>) -> String {
        match (reference.target, reference.referent) {
            (Some(target), _) => self.address(target).to_string(),
            (None, Some(referent)) => format!("#{referent}"),
            (None, None) => "nil".to_owned(),
        }
    }

    /// The instance of a property.
    #[must_use]
    pub fn instance_of(&self, property: &Property<'_>) -> Option<Instance<'_>> {
        self.instance(property.instance)
    }

    /// The path of the instance with this index: the names from the root to it, with dots between them. Of a path with more
    /// than [`LONGEST_PATH`](Self::LONGEST_PATH) bytes or 100 names only the end is given, after `…`. Several instances may have
    /// the same path.
    #[must_use]
    pub fn path(&self, index: usize) -> BString {
        let mut room = Self::LONGEST_PATH;
        let mut names: Vec<&[u8]> = Vec::new();
        let mut next = self.instances.get(index);
        while let Some(instance) = next {
            let name = self.text(instance.name);
            next = self.stored(instance.parent);
            // with the dot before it, unless it is the first
            let needed = name.len().saturating_add(usize::from(next.is_some()));
            if names.len() == MOST_NAMES || needed > room {
                let rest = if names.len() == MOST_NAMES { &[] } else { end_of(name, room) };
                let path: Vec<&[u8]> = [rest].into_iter().chain(names.iter().rev().copied()).collect();
                return ["…".as_bytes(), &path.join(&b'.')].concat().into();
            }
            room = room.saturating_sub(needed);
            names.push(name);
        }
        names.reverse();
        names.join(&b'.').into()
    }

    /// The address of the instance with this index, which [`find`](Self::find) finds by it alone: its names, with numbers where
    /// several instances have the same parent and name, from 1 on in the order of the file. Instances that are not
    /// [listed](crate::roblox::model::Options::all_instances) count too.
    ///
    /// If the path is cut, or several instances have it because there was no memory to count them, the address is the referent,
    /// such as `#12`, which means another instance in another file. If several have that referent too, it is the place, such
    /// as `@0x20:3`.
    ///
    /// ```
    /// use enginewire_files::roblox::model::{list_bytes, Options};
    ///
    /// let options = Options::new().all_instances(true);
    /// let listing = list_bytes(&std::fs::read("../../fixtures/roblox-model/bad/twins.rbxm")?, &options)?;
    /// let addresses = (0..2).map(|index| listing.address(index).to_string());
    /// assert_eq!(addresses.collect::<Vec<_>>(), ["Twin[1]", "Twin[2]"]);
    /// assert_eq!(listing.find("Twin[2]".into()).collect::<Vec<_>>(), [1]);
    /// assert_eq!(listing.find("Twin".into()).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn address(&self, index: usize) -> Address {
        let Some(instance) = self.instances.get(index) else { return Address::of_file() };
        if let Some(names) = self.names(instance).filter(|_| self.is_numbered) {
            return Address::new(Syntax::Instances, names);
        }
        let sign = |text: String| Address::new(Syntax::Instances, [Component::sign(text)]);
        let place = sign(self.place(instance).to_string());
        if !self.has_tables() {
            return place;
        }
        let referent = self.view(instance).referent.to_string();
        let is_shown = !referent.is_empty() && !referent.contains(|char| is_unprintable(char) || ":[".contains(char));
        match is_shown && self.with_referent(&referent) == [index] {
            true => sign(format!("#{referent}")),
            false => place,
        }
    }

    /// The names from the root to an instance, with their numbers; `None` if its path is cut.
    fn names(&self, instance: &StoredInstance) -> Option<Vec<Component>> {
        let mut names = Vec::new();
        self.each_name(instance, &mut |name, number| {
            names.push(Component::name(name).numbered(Some(number).filter(|number| *number > 0)));
        })?;
        Some(names)
    }

    /// Calls `each` with the names from the root to an instance, and their numbers or 0. Gives how many there are; `None`, without a
    /// call, if its path is cut.
    fn each_name<'l>(&'l self, instance: &'l StoredInstance, each: &mut dyn FnMut(&'l [u8], u64)) -> Option<usize> {
        let (mut above, mut count, mut room) = ([instance; MOST_NAMES], 0usize, Self::LONGEST_PATH);
        let mut next = Some(instance);
        while let Some(instance) = next {
            room = room.checked_sub(to_usize(instance.name.length).saturating_add(1))?;
            *above.get_mut(count)? = instance;
            count = count.saturating_add(1);
            next = self.stored(instance.parent);
        }
        for instance in above.iter().take(count).rev() {
            each(self.text(instance.name), instance.number.into());
        }
        Some(count)
    }

    /// Hashes the address of an instance, or of a property of it, as [`Address::hash_in_any_file`] does.
    pub(crate) fn hash_address(
        &self,
        index: usize,
        (property, earlier): (Option<&BStr>, Option<u64>),
        state: &mut impl Hasher,
    ) {
        let mut all = Collected::new();
        let mut each = |name: &[u8], number| {
            let index = Index::Number(number);
            hash_name((TEXT, name), Some(&index).filter(|_| number > 1), &mut all);
        };
        match self.numbered(index).and_then(|instance| self.each_name(instance, &mut each)) {
            Some(count) => all.end(count, property, earlier, state),
            None => {
                self.address(index).with_property(property.map(|name| &**name)).earlier(earlier).hash_in_any_file(state)
            }
        }
    }

    /// Writes the address of an instance, or of a property of it.
    pub(crate) fn write_address(
        &self,
        index: usize,
        (property, earlier): (Option<&BStr>, Option<u64>),
        f: &mut dyn fmt::Write,
    ) -> fmt::Result {
        let (mut done, mut is_first) = (Ok(()), true);
        let mut each = |name: &[u8], number: u64| {
            let dot = if std::mem::take(&mut is_first) { "" } else { "." };
            let written = f.write_str(dot).and_then(|()| write_name(name.as_bstr(), Syntax::Instances, f));
            let written = written.and_then(|()| if number > 0 { write!(f, "[{number}]") } else { Ok(()) });
            done = done.and(written);
        };
        match self.numbered(index).and_then(|instance| self.each_name(instance, &mut each)) {
            Some(_) => done.and_then(|()| write_end(property, earlier, Syntax::Instances, f)),
            None => {
                let address = self.address(index).with_property(property.map(|name| &**name)).earlier(earlier);
                write!(f, "{address}")
            }
        }
    }

    /// The instance with this index, if its address is its names.
    fn numbered(&self, index: usize) -> Option<&StoredInstance> {
        self.instances.get(index).filter(|_| self.is_numbered)
    }

    /// About the number of bytes of the address of an instance, as [`Address::size`] has it.
    pub(crate) fn address_size(&self, index: usize) -> usize {
        let mut size = 0usize;
        let mut each = |name: &[u8], _| size = size.saturating_add(name.len()).saturating_add(8);
        match self.numbered(index).and_then(|instance| self.each_name(instance, &mut each)) {
            Some(_) => size,
            None => self.address(index).size(),
        }
    }

    /// The property `kind` of the instance with this index. If the file has it several times, the last, as Roblox Studio
    /// does.
    #[must_use]
    pub fn property(&self, instance: usize, kind: Kind) -> Option<Property<'_>> {
        let instance = u32::try_from(instance).ok()?;
        let key = |place: &u32| self.properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind));
        let end = self.order.partition_point(|place| key(place) <= Some((instance, kind)));
        let last = self.order.get(end.checked_sub(1)?)?;
        let stored = self.properties.get(to_usize(*last))?;
        ((stored.instance, stored.kind) == (instance, kind)).then(|| self.property_view(stored))
    }

    /// True if no property of the same kind and instance follows this one, which Roblox Studio would read instead.
    #[must_use]
    pub fn is_last(&self, property: &Property<'_>) -> bool {
        let last = || self.property(property.instance, property.kind);
        !self.has_repeated || last().is_none_or(|last| last.place == property.place)
    }

    /// The number of properties of the same kind and instance that are before this one, if another follows.
    pub(crate) fn earlier(&self, property: &Property<'_>) -> Option<u64> {
        if !self.has_repeated {
            return None;
        }
        let key = (u32::try_from(property.instance).ok()?, property.kind);
        let of = |place: &u32| self.properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind));
        let start = self.order.partition_point(|place| of(place) < Some(key));
        let all = self.order.get(start..).unwrap_or_default().iter().take_while(|place| of(place) == Some(key));
        let places = all.filter_map(|place| self.property_at(to_usize(*place))).map(|found| found.place);
        let places: Vec<_> = places.take(MOST_SAME).collect();
        let number = places.iter().position(|place| *place == property.place)?;
        (number.saturating_add(1) < places.len()).then(|| to_u64(number))
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
            StoredBytes::Here(text) => stored.kind.content(self.text(text).as_bstr()),
            StoredBytes::Later(0) => Ok(BStr::new("")),
            StoredBytes::Later(length) => Err(ValueError::Later { length }),
            StoredBytes::Shared(index) => Err(ValueError::SharedString(index.to_string().into())),
            StoredBytes::Key(key) => Err(ValueError::SharedString(self.text(key).into())),
            StoredBytes::Base64(offset) => Err(ValueError::Base64 { offset: u64::from_le_bytes(offset) }),
            StoredBytes::References(offset) => Err(ValueError::References { offset: u64::from_le_bytes(offset) }),
        };
        let prefix = match bytes {
            Ok(_) | Err(ValueError::Later { .. }) => to_u64(stored.kind.prefix().len()),
            Err(_) => 0,
        };
        let place = match stored.place {
            StoredPlace::Binary { property, chunk, offset } => {
                let index = self.stored(stored.instance).and_then(|instance| u32::try_from(instance.place).ok());
                let offset = u64::from(offset).saturating_add(prefix);
                self.binary_place(property, index.unwrap_or_default(), chunk, offset)
            }
            StoredPlace::Xml(element) => self.elements.get(to_usize(element)).cloned().map(Place::Xml),
        };
        // never missing: every stored index is in its list
        let place = place.unwrap_or(Place::Xml(XmlPlace { element: 0..0, content: None, is_shared: false }));
        Property { instance: to_usize(stored.instance), kind: stored.kind, place, bytes }
    }

    fn binary_place(&self, property: u32, index: u32, chunk: u32, offset: u64) -> Option<Place> {
        let property = self.chunks.get(to_usize(property))?.chunk.offset;
        let StoredChunk { chunk: ChunkRef { offset: chunk, header }, compression } =
            *self.chunks.get(to_usize(chunk))?;
        Some(Place::Binary(BinaryPlace { property, index, chunk, header, compression, offset }))
    }

    /// The memory that the listing takes, and the tables of [`find`](Self::find), if there is memory for them.
    pub(super) fn memory_with_tables(&self) -> usize {
        let built = self.lookup.memory();
        self.memory().saturating_sub(built).saturating_add(self.lookup.most_memory(&self.instances).max(built))
    }

    /// The memory that the listing takes without its problems, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        fn of<T>(list: &Vec<T>) -> usize {
            list.capacity().saturating_mul(size_of::<T>())
        }
        let lists = [of(&self.classes), of(&self.instances), of(&self.properties), of(&self.chunks)];
        let more = [of(&self.elements), of(&self.references), of(&self.order), of(&self.text), self.lookup.memory()];
        lists.into_iter().chain(more).fold(0, usize::saturating_add)
    }

    pub(crate) fn text(&self, text: Text) -> &[u8] {
        let start = to_usize(text.start);
        self.text.get(start..start.saturating_add(to_usize(text.length))).unwrap_or_default()
    }
}

/// The number of an instance in brackets, as it follows the name.
fn in_brackets(number: u32) -> String {
    format!("[{number}]")
}

/// The end of a text, at most `count` bytes of it, which begins with a whole character.
fn end_of(text: &[u8], count: usize) -> &[u8] {
    let end = text.get(text.len().saturating_sub(count)..).unwrap_or_default();
    let partial = end.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    end.get(partial..).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use crate::roblox::model::listing::samples::chain;
    use pretty_assertions::assert_eq;

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

    #[test]
    fn an_instance_knows_the_one_that_it_is_in() {
        let listing = chain(&["a", "b", "c"]);
        assert_eq!(listing.instances().map(|instance| instance.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    }
}

//! Model and place files as containers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Write};
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use bstr::{BStr, ByteSlice};
use serde_json::{json, Value};

use super::{
    binary::Store, edit, edit_to, list, list_file, AttributeReference, Change, ChunkName, Instance, Kind, Listing,
    ModelError, Options, Place, Property, ValueError,
};
use crate::address::Address;
use crate::containers::{
    located, About, Addition, Container, ContainerError, Embedded, FileSource, Listed, Member, ValueAddress,
    ValueChange,
};
use enginewire::budget::{Budget, OverBudget};
use enginewire::error::write_text;
use enginewire::number::to_u64;

const FORMATS: &[&str] = &["roblox-attributes"];

/// A model or place file as a [`Container`]. The address of a value is that of its [instance](Listing::address):
/// `Workspace.Torch`, or `Workspace.Torch:Tags` for another property than the attributes.
#[derive(Debug)]
pub struct ModelFile {
    source: FileSource,
    max_memory: usize,
    trailing_bytes: bool,
    /// Those that were found first.
    warnings: OnceLock<Vec<String>>,
    /// The listing of all instances, if it was made and is small.
    kept: OnceLock<Listing>,
}

/// The part of the memory limit that a listing may take to be kept: one sixteenth.
const KEPT: usize = 16;

impl ModelFile {
    /// A model file with this source, which is read each time that the values are listed, unless it is small.
    #[must_use]
    pub fn new(source: FileSource, max_memory: usize) -> Self {
        ModelFile { source, max_memory, trailing_bytes: false, warnings: OnceLock::new(), kept: OnceLock::new() }
    }

    /// Sets whether bytes may follow the end without a warning; false by default.
    #[must_use]
    pub fn trailing_bytes(self, allowed: bool) -> Self {
        ModelFile { trailing_bytes: allowed, ..self }
    }

    fn options(&self) -> Options {
        let options = Options::new().max_memory(self.max_memory).trailing_bytes(self.trailing_bytes);
        options.max_total(to_u64(self.max_memory).saturating_mul(4))
    }

    fn listing(&self, all_instances: bool) -> Result<Listing, ContainerError> {
        let options = self.options().all_instances(all_instances).taken(self.in_memory());
        self.list_with(&options).map_err(|error| (&error).into())
    }

    /// The number of bytes of the file that are in memory.
    #[must_use]
    pub fn in_memory(&self) -> usize {
        if let FileSource::Bytes(bytes) = &self.source {
            bytes.len()
        } else {
            0
        }
    }

    /// Lists the file with these options.
    ///
    /// # Errors
    ///
    /// As for [`list`].
    pub fn list_with(&self, options: &Options) -> Result<Listing, ModelError> {
        match &self.source {
            FileSource::Bytes(bytes) => list(Cursor::new(bytes), options),
            FileSource::File(path) => list_file(File::open(path)?, options),
        }
    }

    /// Writes the file with these changes.
    ///
    /// # Errors
    ///
    /// As for [`edit_to`].
    pub fn edit_with(
        &self,
        changes: &[Change<'_>],
        store: Store,
        options: &Options,
        to: &mut dyn Write,
    ) -> Result<(), ModelError> {
        match &self.source {
            FileSource::Bytes(bytes) => edit_to(Cursor::new(bytes), to, changes, store, options),
            FileSource::File(path) => edit_to(File::open(path)?, to, changes, store, options),
        }
    }
}

impl ModelFile {
    fn each_listed(
        &self,
        listing: &Listing,
        each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>,
    ) -> Result<(), ContainerError> {
        self.warnings.get_or_init(|| listing.warning_texts());
        let count = listing.count_within(self.max_memory);
        let taken = listing.memory_with_tables().saturating_add(self.in_memory());
        let budget = Budget::with(self.max_memory, taken);
        for (index, property) in (0..).zip(listing.properties().take(count.unwrap_or(usize::MAX))) {
            if listing.with_bytes(property, |property| each(embedded(listing, (index, property), &budget))).is_break() {
                return Ok(());
            }
        }
        if count.is_some() {
            let what = "the values of the file, counting shared ones at every use, are larger than";
            return Err(ContainerError::TooLarge { what, limit: self.max_memory });
        }
        for reference in listing.references() {
            if each(referring(listing, &reference)).is_break() {
                return Ok(());
            }
        }
        for problem in &listing.problems {
            let embedded = Embedded::new(Address::of_file(), FORMATS, Err::<&[u8], _>(problem.into()));
            if each(Embedded { broken_at: problem.offset(), ..embedded }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The changes of these values.
    fn changes<'c>(&self, changes: &[ValueChange<'c>]) -> Result<Vec<Change<'c>>, ContainerError> {
        let (new, changes): (Vec<_>, Vec<_>) = changes.iter().partition(|change| matches!(change, ValueChange::Add(_)));
        let changes = located(self, &changes)?;
        let listing = self.listing(!new.is_empty())?;
        if let Some(problem) = listing.problems.first() {
            return Err(problem.into());
        }
        let change = |(number, bytes): (usize, &'c [u8])| match listing.property_at(number) {
            Some(property) => Ok(Change::of(&property, bytes)),
            None => {
                let reason = "a reference in an attribute cannot be changed; change the property in the XML";
                Err(ContainerError::Malformed(reason.to_owned()))
            }
        };
        let changes = changes.into_iter().map(change).collect::<Result<Vec<_>, _>>()?;
        Ok(changes.into_iter().chain(self.added(&listing, &new)?).collect())
    }

    /// Properties that the instances at these addresses do not have yet.
    fn added<'c>(&self, listing: &Listing, new: &[ValueChange<'c>]) -> Result<Vec<Change<'c>>, ContainerError> {
        let mut wanted = HashMap::new();
        for change in new {
            let ValueChange::Add(Addition { address, bytes, .. }) = change else { continue };
            let kind = address.property().map_or(Some(Kind::AttributesSerialize), |name| Kind::of(name));
            let kind = kind.filter(|_| !address.is_hidden());
            let kind = kind.ok_or_else(|| ContainerError::NoSuchValue(address.to_string()))?;
            let of_instance = (*address).clone().with_property(None);
            wanted.entry(of_instance).or_insert_with(Vec::new).push((*address, kind, *bytes));
        }
        let mut changes = Vec::with_capacity(new.len());
        for (index, instance) in listing.instances().enumerate() {
            if wanted.is_empty() {
                break;
            }
            for (address, kind, bytes) in wanted.remove(&listing.address(index)).unwrap_or_default() {
                if listing.property(index, kind).is_some() {
                    return Err(ContainerError::Refused(format!("{address} is there already")));
                }
                changes.push(Change::of_instance(&instance, kind, bytes));
            }
        }
        match wanted.into_keys().next() {
            Some(address) => Err(ContainerError::NoSuchValue(address.to_string())),
            None => Ok(changes),
        }
    }
}

impl Container for ModelFile {
    /// Many properties can share one value. Counted at every use, values take no more than the memory allowed.
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        match self.kept.get() {
            Some(listing) => self.each_listed(listing, each),
            None => self.each_listed(&self.listing(false)?, each),
        }
    }

    fn contents(&self, each: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let large;
        let listing = match self.kept.get() {
            Some(kept) => kept,
            None => {
                let listing = self.listing(true)?;
                if listing.memory_with_tables() <= self.max_memory / KEPT {
                    self.kept.get_or_init(|| listing)
                } else {
                    large = listing;
                    &large
                }
            }
        };
        for (index, instance) in listing.instances().enumerate() {
            if each(Listed::Instance(&ValueAddress::of_instance(listing, index), instance.class)).is_break() {
                return Ok(());
            }
        }
        self.each_listed(listing, &mut |value| each(Listed::Value(value)))
    }

    /// The file is read for them, unless its values were listed before.
    fn warnings(&self) -> Vec<String> {
        let read = || self.listing(false).map(|listing| listing.warning_texts()).unwrap_or_default();
        self.warnings.get_or_init(read).clone()
    }

    /// A file with a problem is not changed. The result is listed again and compared, as [`edit()`] does.
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let file = self.source.clone().bytes(self.max_memory)?;
        let options = self.options().taken(file.len());
        let all = self.changes(changes)?;
        let changed = edit(&file, &all, Store::AsBefore, &options).map_err(|error| ContainerError::from(&error))?;
        Ok(changed.into_owned())
    }

    /// See [`edit_to`].
    fn rewrite(&self, changes: &[ValueChange<'_>], to: &mut dyn Write) -> Result<(), ContainerError> {
        let all = self.changes(changes)?;
        let held = all.iter().map(|change| change.bytes.len()).fold(0, usize::saturating_add);
        let options = self.options().taken(held.saturating_add(self.in_memory()));
        let written = self.edit_with(&all, Store::AsBefore, &options, to);
        written.map_err(|error| (&error).into())
    }
}

impl From<&ModelError> for ContainerError {
    fn from(error: &ModelError) -> Self {
        let text = error.to_string();
        match error {
            ModelError::Io(_) => ContainerError::Unreadable(text),
            ModelError::NoEnd { .. } | ModelError::XmlEnd { .. } => ContainerError::Truncated(text),
            ModelError::File(error) if error.is_truncated() => ContainerError::Truncated(text),
            error if error.is_of_limit() => ContainerError::OverLimit(text),
            _ => ContainerError::Malformed(text),
        }
    }
}

fn embedded<'l>(listing: &'l Listing, (index, property): (usize, Property<'l>), budget: &Budget) -> Embedded<'l> {
    let address = ValueAddress::of_property(listing, index);
    let formats = if is_attributes(listing, &property) { FORMATS } else { &[] };
    let mut bytes = match &property.bytes {
        Ok(bytes) => Ok(Cow::Borrowed(&***bytes)),
        Err(error) => Err(ContainerError::malformed(error)),
    };
    let mut shown = property;
    if let Err(error) = room_for_tags(&shown, budget) {
        bytes = Err(ContainerError::OverLimit(error.to_string()));
        // nor is there room for the texts that its error would show
        shown.bytes = Ok(BStr::new(""));
    }
    let broken_at = match &shown.bytes {
        Err(ValueError::Base64 { offset }) => Some(*offset),
        _ => None,
    };
    let (start, about) = (shown.place.file_offset(), About::property(listing, shown));
    Embedded { address, formats, bytes, start, broken_at, is_open: false, unread: None, about }
}

/// The address of a property: that of its instance, with the name of the property unless it is that of the attributes. If the
/// instance has the property several times, the last one is meant, as Roblox Studio does, and the others have numbers.
#[must_use]
pub fn address(listing: &Listing, property: &Property<'_>) -> Address {
    address_of_kind(listing, property.instance, property.kind).earlier(listing.earlier(property))
}

/// The text of the [address] of a property.
#[must_use]
pub fn address_text(listing: &Listing, property: &Property<'_>) -> String {
    let end = (shown_kind(property.kind).map(BStr::new), listing.earlier(property));
    let mut text = String::with_capacity(64);
    // writing to a string does not fail
    let _ = listing.write_address(property.instance, end, &mut text);
    text
}

/// The address of a property that the instance with this index may have.
#[must_use]
pub fn address_of_kind(listing: &Listing, instance: usize, kind: Kind) -> Address {
    with_kind(listing.address(instance), kind)
}

fn with_kind(address: Address, kind: Kind) -> Address {
    address.with_property(shown_kind(kind).map(str::as_bytes))
}

/// The name of a property in an address: none for that of the attributes.
pub(crate) fn shown_kind(kind: Kind) -> Option<&'static str> {
    Some(kind.name()).filter(|_| kind != Kind::AttributesSerialize)
}

/// An attribute that holds a reference. It is not a value of any format: its bytes are the text of its target.
fn referring(listing: &Listing, reference: &AttributeReference<'_>) -> Embedded<'static> {
    let mut members = owner_of_reference(listing, reference);
    members.push(("reference", json!(reference.referent.map(cut))));
    let text = listing.reference_text(reference);
    members.push(("target", json!(reference.referent.map(|_| &text))));
    let property = cut(format_args!("{}{}", AttributeReference::PREFIX, reference.key));
    let address = listing.address(reference.instance).with_property(Some(property.as_bytes()));
    Embedded::new(address, &[], Ok(text.into_bytes())).with_members(members)
}

/// Fails if there is not enough memory for the text of each tag. Even a tag without bytes needs memory, because its text
/// becomes a JSON value where rows are written.
fn room_for_tags(property: &Property<'_>, budget: &Budget) -> Result<(), OverBudget> {
    let count = property.tags().count();
    if count == 0 {
        return Ok(());
    }
    let length = property.bytes.as_ref().map_or(0, |bytes| text_length(bytes));
    let each = size_of::<String>().saturating_add(size_of::<Value>());
    budget.room_for(count.saturating_mul(each).saturating_add(length))
}

/// The texts of the tags of a property.
pub(crate) fn tag_texts(property: &Property<'_>) -> Vec<String> {
    let mut tags = Vec::with_capacity(property.tags().count());
    tags.extend(property.tags().map(to_text));
    tags
}

/// The length of the text of these bytes: a byte that is not of UTF-8 becomes `\u{fffd}`, which has three.
fn text_length(bytes: &BStr) -> usize {
    bytes.chars().map(char::len_utf8).sum()
}

/// The text of these bytes, which takes no more memory than its length.
fn to_text(bytes: &BStr) -> String {
    let mut text = String::with_capacity(text_length(bytes));
    text.extend(bytes.chars());
    text
}

impl Listing {
    /// The number of properties, from the first on, whose values take at most `limit` bytes in all; `None` if those of
    /// all properties do. A value that several properties share counts for each of them: a small file can have output of
    /// any size.
    #[must_use]
    pub fn count_within(&self, limit: usize) -> Option<usize> {
        let mut total = 0usize;
        // those that are not in memory are not shared
        let mut lengths = self.properties().map(|property| property.bytes.map_or(0, |bytes| bytes.len()));
        lengths.position(|length| {
            total = total.saturating_add(length);
            total > limit
        })
    }
}

/// The start of a text, at most as long as a path, and `…` if there is more.
fn cut(text: impl fmt::Display) -> String {
    let mut start = String::new();
    write_text(&mut start, &format_args!("{text}"), Listing::LONGEST_PATH);
    start
}

/// The class of an instance, as far as it is shown: it may have any length in a file.
pub(crate) fn class_text<'l>(class: &'l BStr) -> Cow<'l, str> {
    match class.to_str() {
        Ok(class) if class.len() <= Listing::LONGEST_PATH => class.into(),
        _ => cut(class).into(),
    }
}

/// The JSON members of a value: those of its [owner] and of its [place].
pub(crate) fn members(listing: &Listing, property: &Property<'_>) -> Vec<Member> {
    owner(listing, property).into_iter().chain(place(property)).collect()
}

/// The JSON members that name the instance, by its [address](Listing::address), and the property.
#[must_use]
pub fn owner(listing: &Listing, property: &Property<'_>) -> Vec<(&'static str, Value)> {
    let mut members = instance(listing, property.instance, &listing.address(property.instance));
    members.push(("property", json!(property.kind.name())));
    members
}

/// The JSON members that name an instance.
fn instance(listing: &Listing, index: usize, address: &Address) -> Vec<(&'static str, Value)> {
    let mut members = vec![("instance", Value::String(address.to_string()))];
    if let Some(Instance { class, referent, .. }) = listing.instance(index) {
        // they are written for each attribute, and may have any length in a file
        members.extend([("class", json!(class_text(class))), ("referent", Value::String(cut(referent)))]);
    }
    members
}

/// The JSON members that name the instance of a reference, and its property.
#[must_use]
pub fn owner_of_reference(listing: &Listing, reference: &AttributeReference<'_>) -> Vec<(&'static str, Value)> {
    let mut members = instance(listing, reference.instance, &listing.address(reference.instance));
    let property = cut(format_args!("{}{}", AttributeReference::PREFIX, reference.key));
    members.push(("property", Value::String(property)));
    members
}

/// The JSON members that give the location of a property in the file.
#[must_use]
pub fn place(property: &Property<'_>) -> Vec<(&'static str, Value)> {
    match &property.place {
        Place::Binary(place) => {
            let chunk = json!({
                "offset": place.chunk,
                "compression": place.compression.name(),
                "compressed_length": place.header.compressed_length,
                "length": place.header.length,
            });
            let mut members = vec![
                ("chunk", chunk),
                ("index", json!(place.index)),
                ("offset_in_chunk", json!(place.offset)),
                ("file_offset", json!(property.place.file_offset())),
            ];
            // a class may have a property in two chunks, whose values are the same shared string
            if place.chunk != place.property {
                members.push(("property_chunk", json!({ "offset": place.property })));
            }
            members
        }
        Place::Xml(place) => {
            let range = |range: &Range<u64>| json!([range.start, range.end]);
            vec![("element", range(&place.element)), ("content", json!(place.content.as_ref().map(range)))]
        }
    }
}

/// A description of the location of a property in the file, for people.
#[must_use]
pub fn stored(property: &Property<'_>) -> Option<String> {
    match &property.place {
        Place::Binary(place) => {
            let name = if place.chunk == place.property { ChunkName::PROP } else { ChunkName::SSTR };
            let chunk = format!("the {name} chunk at byte {:#x}", place.chunk);
            Some(match property.place.file_offset() {
                Some(offset) => format!("at byte {offset:#x}, in {chunk}"),
                None => {
                    let how = place.compression.name();
                    format!("compressed ({how}), at byte {:#x} of the data of {chunk}", place.offset)
                }
            })
        }
        Place::Xml(place) => {
            let how = if place.is_shared { "as a shared string, referenced" } else { "as base64," };
            place.content.as_ref().map(|content| format!("{how} at byte {:#x}", content.start))
        }
    }
}

/// Returns true if a property holds attributes. Its bytes may still be unreadable.
#[must_use]
pub fn is_attributes(listing: &Listing, property: &Property<'_>) -> bool {
    let instance = listing.instance_of(property);
    instance.is_some_and(|instance| property.kind.is_attributes(instance.class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::{list_bytes, Kind, XmlPlace};
    use std::hash::{DefaultHasher, Hasher};

    use pretty_assertions::assert_eq;

    /// A model with an instance of a long class, with attributes and tags.
    fn model() -> String {
        let class = "Ä".repeat(Listing::LONGEST_PATH);
        format!(
            "<roblox version=\"4\"><Item class=\"{class}\" referent=\"R1\"><Properties><string name=\"Name\">A</string>\
             <BinaryString name=\"AttributesSerialize\">AQAAAAEAAABhAwE=</BinaryString>\
             <BinaryString name=\"Tags\">b25lAHR3bw==</BinaryString></Properties></Item></roblox>"
        )
    }

    #[test]
    fn values_are_listed_with_their_places_and_tags() {
        let model = model();
        let file = ModelFile::new(FileSource::Bytes(model.clone().into()), 1 << 20);
        let values = file.list().unwrap();
        let [attributes, tags] = &values[..] else { panic!("{values:?}") };
        assert_eq!(attributes.address.to_string(), "A");
        assert_eq!((attributes.formats, tags.formats), (FORMATS, &[][..]));
        assert_eq!((attributes.about.tags(), tags.about.tags()), (vec![], vec!["one".to_owned(), "two".to_owned()]));
        let member = |value: &Embedded<'_>, name| {
            let members = value.about.members();
            members.iter().find(|(found, _)| *found == name).map(|(_, value)| value.clone())
        };
        assert_eq!(member(attributes, "instance"), Some(json!("A")));
        assert_eq!(member(attributes, "referent"), Some(json!("R1")));
        assert_eq!(member(attributes, "property"), Some(json!("AttributesSerialize")));
        // a class is no longer than a path, and is cut between two characters
        let shown = format!("{}…", "Ä".repeat(Listing::LONGEST_PATH / 2));
        assert_eq!(member(attributes, "class"), Some(json!(shown)));
        let start = model.find("AQAAAA").unwrap();
        assert_eq!(attributes.about.stored(), Some(format!("as base64, at byte {start:#x}")));
        assert_eq!(member(attributes, "content"), Some(json!([start, start + 16])));
    }

    #[test]
    fn properties_are_added_to_instances() {
        let model = model().replace("<BinaryString name=\"Tags\">b25lAHR3bw==</BinaryString>", "");
        let file = ModelFile::new(FileSource::Bytes(model.into()), 1 << 20);
        let address = |name: &[u8]| file.listing(true).unwrap().address(0).with_property(Some(name));
        let add = |file: &ModelFile, address: &Address| {
            file.changed(&[ValueChange::Add(Addition { address, bytes: b"new", about: &[], is_first: false })])
        };
        let changed = ModelFile::new(FileSource::Bytes(add(&file, &address(b"Tags")).unwrap()), 1 << 20);
        let tags: Vec<_> = changed.list().unwrap().iter().map(|value| value.about.tags()).collect();
        assert!(tags.len() == 2 && tags.contains(&vec!["new".to_owned()]), "{tags:?}");
        assert!(matches!(add(&changed, &address(b"Tags")), Err(ContainerError::Refused(_))));
        assert!(matches!(add(&file, &address(b"Other")), Err(ContainerError::NoSuchValue(_))));
        let elsewhere = Address::new(crate::address::Syntax::Instances, [crate::address::Component::name("B")]);
        assert!(matches!(add(&file, &elsewhere), Err(ContainerError::NoSuchValue(_))));
    }

    /// Also of namesakes, of a name in quotes, of a property that is there twice, and of an instance whose path is cut.
    #[test]
    fn an_address_that_is_not_made_is_that_which_is() {
        let item = |name: &str, inside: &str| {
            format!(
                "<Item class=\"A\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
                 <BinaryString name=\"AttributesSerialize\">AQAAAAEAAABhAwE=</BinaryString>\
                 <BinaryString name=\"AttributesSerialize\">AQAAAAEAAABiAwE=</BinaryString>\
                 <BinaryString name=\"Tags\">b25lAHR3bw==</BinaryString></Properties>{inside}</Item>"
            )
        };
        let deep = (0..101).fold(String::new(), |inside, _| item("d", &inside));
        let inside = [item("b", ""), item("b", ""), item("b.c", &deep)].concat();
        let model = format!("<roblox version=\"4\">{}</roblox>", item("a", &inside));
        let file = ModelFile::new(FileSource::Bytes(model.into()), 1 << 20);
        let mut texts = Vec::new();
        let mut compare = |address: &ValueAddress<'_>| {
            let hash = |hash: &dyn Fn(&mut DefaultHasher)| {
                let mut hasher = DefaultHasher::new();
                hash(&mut hasher);
                hasher.finish()
            };
            let (text, size) = (address.to_string(), address.size());
            let hashed = hash(&|state| address.hash_in_any_file(state));
            let made = address.clone().into_address();
            assert_eq!((&text, size), (&made.to_string(), made.size()));
            assert_eq!(hashed, hash(&|state| made.hash_in_any_file(state)), "{text}");
            assert!(*address == made && address.to_string() == text && !address.is_file());
            texts.push(text);
        };
        let listed = file.contents(&mut |content| {
            match content {
                Listed::Instance(address, _) => compare(address),
                Listed::Value(value) => compare(&value.address),
            }
            ControlFlow::Continue(())
        });
        listed.unwrap();
        let expected = ["a", "a.b[1]", "a.b[2]", "a.\"b.c\"", "a.\"b.c\".d"];
        assert_eq!((texts.len(), &texts[..5]), (4 * 105, &expected.map(str::to_owned)[..]));
        assert!(texts.iter().any(|text| text.starts_with('@')) && texts.contains(&"a.b[2]:Tags".to_owned()));
        assert!(texts.contains(&"a.b[1][#0]".to_owned()), "{texts:?}");
    }

    #[test]
    fn a_text_is_cut_at_the_length_of_a_path() {
        let (fits, longer) = ("a".repeat(Listing::LONGEST_PATH), "a".repeat(Listing::LONGEST_PATH + 1));
        assert_eq!((cut(&fits), cut(&longer)), (fits.clone(), format!("{fits}…")));
    }

    /// A byte that is not text is shown as a character of three bytes.
    #[test]
    fn texts_take_the_memory_that_is_counted_for_them() {
        let bytes = BStr::new(b"a\xff\xc3\xa4\xe2\x82");
        let text = to_text(bytes);
        assert_eq!((&*text, text.capacity()), ("a\u{fffd}\u{e4}\u{fffd}", 9));
        assert_eq!(text, bytes.to_string());
        let place = Place::Xml(XmlPlace { element: 0..0, content: None, is_shared: false });
        let property = Property { instance: 0, kind: Kind::Tags, place, bytes: Ok(bytes) };
        let each = size_of::<String>() + size_of::<Value>();
        let room = |memory| room_for_tags(&property, &Budget::new(memory)).ok();
        assert_eq!([room(each + 8), room(each + 9)], [None, Some(())]);
    }

    /// An error of the memory limit has no texts of tags: there is no memory for them.
    #[test]
    fn tags_over_the_limit_are_not_listed() {
        let digits = data_encoding::BASE64.encode("a\0".repeat(5000).as_bytes());
        let model = model().replace("b25lAHR3bw==", &digits);
        let mut over = 0;
        for limit in (100_000..500_000).step_by(20_000) {
            let file = ModelFile::new(FileSource::Bytes(model.clone().into()), limit);
            for value in file.list().unwrap().iter().filter(|value| value.bytes.is_err()) {
                assert!(matches!(value.bytes, Err(ContainerError::OverLimit(_))) && value.about.tags().is_empty());
                over += usize::from(!value.address.is_file());
            }
        }
        assert!(over > 0);
    }

    /// 14 bytes of attributes and 7 of tags.
    #[test]
    fn values_are_counted_up_to_a_limit() {
        let listing = ModelFile::new(FileSource::Bytes(model().into()), 1 << 20).listing(false).unwrap();
        let lengths: Vec<_> = listing.properties().map(|property| property.bytes.unwrap().len()).collect();
        let [first, second] = lengths[..] else { panic!("{lengths:?}") };
        let within = |limit| listing.count_within(limit);
        assert_eq!([within(first - 1), within(first)], [Some(0), Some(1)]);
        assert_eq!([within(first + second - 1), within(first + second)], [Some(1), None]);
    }

    #[test]
    fn a_file_has_the_memory_that_it_is_given() {
        let read = |limit| ModelFile::new(FileSource::Bytes(model().into()), limit);
        let over = |error: &ContainerError, limit: usize| {
            let ContainerError::OverLimit(reason) = error else { panic!("{error:?}") };
            assert_eq!(*reason, format!("more memory is needed than the limit of {limit} bytes"));
        };
        // the bytes, and what is read of them
        let limit = 2 * model().len();
        let values = read(limit).list().unwrap();
        let [value] = &values[..] else { panic!("{values:?}") };
        assert_eq!(value.address.to_string(), "the file");
        over(value.bytes.as_ref().unwrap_err(), limit);
        assert!(read(4 * limit).list().unwrap().iter().all(|value| value.bytes.is_ok()));
        let other = ModelFile::new(FileSource::Bytes(b"something else".to_vec()), 1000).list();
        let Err(ContainerError::Malformed(reason)) = other else { panic!("{other:?}") };
        assert_eq!(reason, "not a Roblox model or place file");
    }

    #[test]
    fn errors_keep_their_kind() {
        let of = |bytes: &[u8]| list_bytes(bytes, &Options::new()).map(|mut listing| listing.problems.remove(0));
        let header = b"<roblox!\x89\xff\r\n\x1a\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        let Err(ModelError::File(cut)) = of(&header[..20]) else { panic!("the header is cut") };
        let Err(ModelError::File(reserved)) = of(&[&header[..31], &[1]].concat()) else { panic!("a byte is reserved") };
        let kind = |error: &ModelError| ContainerError::from(error);
        assert!(matches!(kind(&of(header).unwrap()), ContainerError::Truncated(_)));
        assert!(matches!(kind(&cut.into()), ContainerError::Truncated(_)));
        assert!(matches!(kind(&reserved.into()), ContainerError::Malformed(_)));
        let gone = ModelFile::new(FileSource::File("no such file".into()), 1000).list();
        assert!(matches!(gone, Err(ContainerError::Unreadable(_))));
    }
}

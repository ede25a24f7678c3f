//! Lists an XML file.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::ops::Range;

use base64::prelude::{Engine, BASE64_STANDARD};
use bstr::{BStr, BString};

use super::read::{each_piece, Fault, Piece, Tag};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::{Listing, StoredBytes, StoredInstance, StoredReferent, Text, NONE};
use crate::roblox::model::options::Options;
use crate::roblox::model::property::XmlPlace;
use crate::roblox::model::reference::AttributeReference;
use crate::roblox::model::window::{self, Window};
use crate::roblox::model::FileKind;
use enginewire::budget::{Budget, OverBudget};
use enginewire::number::{to_u64, to_usize};

/// An element that is open.
#[derive(Debug)]
enum Element {
    /// The outermost.
    Root,
    /// An instance.
    Item { instance: u32 },
    /// The properties of an instance.
    Properties { instance: u32 },
    /// A property that is listed.
    Property(Box<OpenProperty>),
    /// The name of an instance.
    Name { instance: u32 },
    /// An attribute that holds a reference.
    Reference { instance: u32, key: Text },
    /// Strings that properties share.
    SharedStrings,
    /// One of them: its key, and where its content begins.
    SharedString(Box<(BString, u64)>),
    /// Anything else.
    Other,
}

/// An open property. Boxed in [`Element`], because many elements can be open and few of them are properties.
#[derive(Debug)]
struct OpenProperty {
    instance: u32,
    kind: Kind,
    start: u64,
    content: u64,
    is_shared: bool,
}

/// The place for a new property of an instance: after the start tag of its properties, or after the only tag.
pub(super) struct Room {
    pub(super) instance: u32,
    pub(super) place: u64,
    pub(super) is_empty: bool,
}

pub(super) struct Lister {
    options: Options,
    /// True if the places for new properties are listed, which an edit needs; then names and values are not kept.
    with_rooms: bool,
    has_root: bool,
    open: Vec<Element>,
    /// The text of the property that is open.
    text: Vec<u8>,
    /// The offset of the first character reference in it.
    reference: Option<u64>,
    /// True if text after the outermost element was found.
    has_trailing: bool,
    pub(super) listing: Listing,
    classes: HashMap<BString, u32>,
    /// The ranges of the contents of shared strings in the file, by their keys.
    shared: HashMap<BString, Range<u64>>,
    pub(super) rooms: Vec<Room>,
}

/// About the memory that an entry of a map takes besides its text, in bytes.
const KEY: usize = 128;

/// Lists an XML file, up to the first error if there is one.
pub(crate) fn list<R: Read + Seek>(file: &mut Window<R>, options: &Options, budget: &mut Budget) -> Listing {
    let mut lister = Lister::new(*options, false);
    let done = lister.read(file, budget);
    lister.listing.problems.extend(done.err());
    let done = lister.finish(file, budget);
    lister.listing.problems.extend(done.err());
    lister.listing
}

impl Lister {
    pub(super) fn new(options: Options, with_rooms: bool) -> Self {
        Lister {
            options,
            with_rooms,
            has_root: false,
            open: Vec::new(),
            text: Vec::new(),
            reference: None,
            has_trailing: false,
            listing: Listing::new(FileKind::Xml),
            classes: HashMap::new(),
            shared: HashMap::new(),
            rooms: Vec::new(),
        }
    }

    pub(super) fn read<R: Read + Seek>(&mut self, file: &mut Window<R>, budget: &mut Budget) -> Result<(), ModelError> {
        // the piece of the file that is in memory, and its text
        budget.take(to_usize(file.length().min(window::SIZE)).saturating_mul(2))?;
        each_piece(file, 0..file.length(), budget, |budget, piece, range| match piece {
            Piece::Open { tag, is_empty } => {
                self.open(budget, &tag, is_empty, &range)?;
                if is_empty {
                    self.close(budget, range, None)?;
                }
                Ok(())
            }
            Piece::Close => {
                let until = range.start;
                self.close(budget, range, Some(until))
            }
            Piece::Text { text, is_reference, fault } => self.take(budget, &text, is_reference, fault, range.start),
        })
    }

    fn open(
        &mut self,
        budget: &mut Budget,
        tag: &Tag<'_>,
        is_empty: bool,
        range: &Range<u64>,
    ) -> Result<(), ModelError> {
        let content = range.end;
        let mut fault = None;
        let element = match self.open.last() {
            None if self.has_root => {
                let reason = "there is more than one outermost element".to_owned();
                return Err(ModelError::Xml { offset: range.start, reason });
            }
            None => {
                fault = tag.attributes([]).1;
                Element::Root
            }
            Some(Element::Root | Element::Item { .. }) if tag.is("Item") => self.item(budget, tag, range.start)?,
            Some(Element::Item { instance }) if tag.is("Properties") => {
                let instance = *instance;
                if self.with_rooms {
                    budget.push(&mut self.rooms, Room { instance, place: content, is_empty })?;
                }
                fault = tag.attributes([]).1;
                if is_empty {
                    fault = fault.or(Some((range.start, "the element Properties is empty")));
                }
                Element::Properties { instance }
            }
            Some(Element::Properties { instance }) => {
                let instance = *instance;
                let (property, found) = tag.property()?;
                fault = found;
                match Kind::of(&property) {
                    Some(kind) => {
                        let (is_shared, start) = (tag.is("SharedString"), range.start);
                        Element::Property(Box::new(OpenProperty { instance, kind, start, content, is_shared }))
                    }
                    None if *property == *b"Name" => Element::Name { instance },
                    None if property.starts_with(AttributeReference::PREFIX.as_bytes()) => {
                        let key = property.get(AttributeReference::PREFIX.len()..).unwrap_or_default();
                        Element::Reference { instance, key: self.listing.keep(budget, key)? }
                    }
                    None => Element::Other,
                }
            }
            Some(Element::Root) if tag.is("SharedStrings") => Element::SharedStrings,
            Some(Element::SharedStrings) => {
                let ([key], found) = tag.attributes(["md5"]);
                fault = found;
                Element::SharedString(Box::new((key, content)))
            }
            _ => {
                fault = tag.attributes([]).1;
                Element::Other
            }
        };
        self.warn(budget, fault);
        self.has_root = true;
        if matches!(element, Element::Property(_) | Element::Name { .. } | Element::Reference { .. }) {
            self.text.clear();
            self.reference = None;
        }
        Ok(budget.push(&mut self.open, element)?)
    }

    fn item(&mut self, budget: &mut Budget, tag: &Tag<'_>, start: u64) -> Result<Element, ModelError> {
        let ([class, referent], fault) = tag.attributes(["class", "referent"]);
        self.warn(budget, fault);
        let class = match self.classes.get(&class) {
            Some(class) => *class,
            None => {
                budget.take(class.len().saturating_add(KEY))?;
                let name = self.listing.keep(budget, &class)?;
                let number = self.listing.add_class(budget, name, 0)?;
                *self.classes.entry(class).or_insert(number)
            }
        };
        let parent = match self.open.last() {
            Some(Element::Item { instance }) => *instance,
            _ => NONE,
        };
        let referent = StoredReferent::Text(self.listing.keep(budget, &referent)?);
        let instance = StoredInstance { class, parent, name: Text::default(), referent, place: start, number: 0 };
        Ok(Element::Item { instance: self.listing.add_instance(budget, instance)? })
    }

    fn take(
        &mut self,
        budget: &mut Budget,
        text: &[u8],
        is_reference: bool,
        fault: Option<Fault>,
        start: u64,
    ) -> Result<(), ModelError> {
        let content = text.trim_ascii_start();
        let is_blank = content.is_empty();
        let first = start.saturating_add(to_u64(text.len().saturating_sub(content.len())));
        match self.open.last() {
            // faults in its text are reported with its bytes
            Some(Element::Property(_)) => {
                self.reference = self.reference.or(is_reference.then_some(start));
                return Ok(self.add(budget, text)?);
            }
            Some(Element::Name { .. } | Element::Reference { .. }) => self.add(budget, text)?,
            None if is_blank || self.has_trailing => return Ok(()),
            None => {
                self.has_trailing = true;
                if !self.options.trailing_bytes {
                    self.listing.warn(budget, ModelError::Trailing { offset: first });
                }
                return Ok(());
            }
            Some(Element::Root | Element::Item { .. } | Element::Properties { .. } | Element::SharedStrings)
                if fault.is_none() && !is_blank =>
            {
                self.warn(budget, Some((first, "text that belongs to no property")));
            }
            _ => {}
        }
        self.warn(budget, fault);
        Ok(())
    }

    /// Adds to the text of an element. An edit does not need the text.
    fn add(&mut self, budget: &mut Budget, text: &[u8]) -> Result<(), OverBudget> {
        if self.with_rooms {
            Ok(())
        } else {
            add(budget, &mut self.text, text)
        }
    }

    fn warn(&mut self, budget: &mut Budget, fault: Option<Fault>) {
        if let Some((offset, reason)) = fault {
            self.listing.warn(budget, ModelError::Xml { offset, reason: reason.to_owned() });
        }
    }

    /// Closes the innermost element, which ends with `tag`. Its content ends at `until`; `None` if it has only one tag.
    fn close(&mut self, budget: &mut Budget, tag: Range<u64>, until: Option<u64>) -> Result<(), ModelError> {
        match self.open.pop() {
            Some(Element::Property(open)) => {
                let OpenProperty { instance, kind, start, content, is_shared } = *open;
                let content = until.map(|until| content..until);
                let place = XmlPlace { element: start..tag.end, content, is_shared };
                let text = self.text.trim_ascii();
                if text.is_empty() && !self.options.empty {
                    return Ok(());
                }
                let bytes = if self.with_rooms {
                    StoredBytes::Here(Text::default())
                } else if is_shared {
                    StoredBytes::Key(self.listing.keep(budget, text)?)
                } else {
                    let at = place.content.as_ref().map_or(place.element.start, |content| content.start);
                    match kept_base64(budget, &mut self.listing, &self.text, at)? {
                        StoredBytes::Base64(at) => {
                            let reference = self.reference.map(u64::to_le_bytes);
                            reference.map_or(StoredBytes::Base64(at), StoredBytes::References)
                        }
                        bytes => bytes,
                    }
                };
                self.listing.add_element(budget, instance, kind, place, bytes)?;
            }
            Some(Element::Name { instance }) => {
                let name = self.listing.keep(budget, &self.text)?;
                if let Some(instance) = self.listing.stored_instances_mut().get_mut(to_usize(instance)) {
                    instance.name = name;
                }
            }
            Some(Element::Reference { instance, key }) => {
                let text = self.listing.keep(budget, self.text.trim_ascii())?;
                self.listing.add_reference(budget, instance, key, text)?;
            }
            Some(Element::SharedString(open)) => {
                let (key, content) = *open;
                budget.take(key.len().saturating_add(KEY))?;
                self.shared.entry(key).or_insert(content..until.unwrap_or(content));
            }
            _ => {}
        }
        Ok(())
    }

    /// The range of the content of a shared string.
    pub(super) fn shared(&self, key: &BStr) -> Option<&Range<u64>> {
        self.shared.get(key)
    }

    /// Sets the bytes of properties that are shared strings. Each string is kept once.
    pub(super) fn finish<R: Read + Seek>(
        &mut self,
        file: &mut Window<R>,
        budget: &mut Budget,
    ) -> Result<(), ModelError> {
        let mut known: HashMap<BString, StoredBytes> = HashMap::new();
        for index in 0..self.listing.stored_properties().len() {
            let Some(StoredBytes::Key(key)) = self.listing.stored_properties().get(index).map(|stored| stored.bytes)
            else {
                continue;
            };
            let key = self.listing.text(key);
            let bytes = match (known.get(bstr::BStr::new(key)), self.shared.get(bstr::BStr::new(key))) {
                (Some(bytes), _) => *bytes,
                (None, Some(content)) => {
                    let key: BString = key.into();
                    let text = text_of(file, content, budget)?;
                    let bytes = kept_base64(budget, &mut self.listing, &text, content.start)?;
                    budget.give_back(text.capacity());
                    budget.take(key.len().saturating_add(KEY))?;
                    *known.entry(key).or_insert(bytes)
                }
                (None, None) => continue,
            };
            if let Some(stored) = self.listing.stored_properties_mut().get_mut(index) {
                stored.bytes = bytes;
            }
        }
        if !self.options.empty {
            self.listing.without_empty();
        }
        self.listing.number(budget);
        self.listing.resolve(budget)?;
        if !self.options.all_instances {
            self.listing.without_others(budget)?;
        }
        Ok(self.listing.index(budget)?)
    }
}

/// Appends to a text, and counts the memory.
fn add(budget: &mut Budget, text: &mut Vec<u8>, more: &[u8]) -> Result<(), OverBudget> {
    if text.capacity().saturating_sub(text.len()) < more.len() {
        budget.grow(text, more.len())?;
    }
    text.extend_from_slice(more);
    Ok(())
}

/// The text of an element with this content, without that of the elements in it.
pub(super) fn text_of<R: Read + Seek>(
    file: &mut Window<R>,
    content: &Range<u64>,
    budget: &mut Budget,
) -> Result<Vec<u8>, ModelError> {
    let mut all = Vec::new();
    let mut depth = 0usize;
    each_piece(file, content.clone(), budget, |budget, piece, _| {
        match piece {
            Piece::Open { is_empty, .. } => depth = depth.saturating_add(usize::from(!is_empty)),
            Piece::Close => depth = depth.saturating_sub(1),
            Piece::Text { text, .. } if depth == 0 => add(budget, &mut all, &text)?,
            Piece::Text { .. } => {}
        }
        Ok(())
    })?;
    Ok(all)
}

/// Decodes a base64 text that begins at `offset`, and keeps the bytes.
fn kept_base64(
    budget: &mut Budget,
    listing: &mut Listing,
    text: &[u8],
    offset: u64,
) -> Result<StoredBytes, OverBudget> {
    match from_base64(budget, text)? {
        Some(bytes) => listing.keep(budget, &bytes).map(StoredBytes::Here),
        None => Ok(StoredBytes::Base64(offset.to_le_bytes())),
    }
}

/// The bytes of a base64 text; `None` if the text is invalid.
pub(super) fn from_base64(budget: &Budget, text: &[u8]) -> Result<Option<Vec<u8>>, OverBudget> {
    // the digits without whitespace, and the bytes that they encode
    budget.room_for(text.len().saturating_mul(2))?;
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    Ok(BASE64_STANDARD.decode(&digits).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn text_that_is_added_counts_where_it_needs_room() {
        let (mut budget, mut text) = (Budget::new(100), Vec::new());
        for (more, capacity) in [(&b"abcdef"[..], 6), (b"", 6), (b"g", 12), (b"hijkl", 12), (b"m", 24)] {
            add(&mut budget, &mut text, more).unwrap();
            assert_eq!((text.capacity(), budget.left()), (capacity, 100 - capacity));
        }
        assert_eq!(text, b"abcdefghijklm");
        assert_eq!(add(&mut budget, &mut text, &[0; 80]), Err(OverBudget { limit: 100 }));
    }
}

//! Editing an XML file.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use bstr::BStr;
use data_encoding::BASE64;

use super::list::Lister;
use crate::roblox::model::change::{Change, Edits, Piece, Site};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::instance::Instance;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::Made;
use crate::roblox::model::options::Options;
use crate::roblox::model::property::{Place, Property, XmlPlace};
use crate::wire::to_usize;

/// About the memory that the tags of an element take that gets properties, in bytes.
const OPENED: usize = 256;

/// The edit that makes these changes.
pub(in crate::roblox::model) fn edit(
    file: &[u8],
    changes: &[Change<'_>],
    options: &Options,
) -> Result<Edits, ModelError> {
    let mut budget = options.budget();
    let mut lister = Lister::new(options.empty(true).all_instances(true), true);
    lister.read(file, &mut budget)?;
    lister.finish(file, &mut budget)?;
    // of several `Properties` elements of an instance, the first
    lister.rooms.sort_by_key(|room| room.instance);
    lister.rooms.dedup_by_key(|room| room.instance);
    let Lister { listing, rooms, .. } = &lister;
    let elements = ByOffset::new(listing.properties(), |property| match &property.place {
        Place::Xml(place) => place.element.start,
        Place::Binary(_) => 0,
    });
    let items = ByOffset::new(listing.instances(), |instance: &Instance<'_>| instance.place.offset);
    let mut edits = Edits::default();
    let mut changed = HashSet::new();
    // elements `<Properties/>` that get properties
    let mut opened = BTreeSet::new();
    for change in changes {
        let (property, instance, kind) = match &change.site {
            Site::Element { element } => {
                let property = elements.at(element.start).and_then(|index| listing.property_at(index));
                let property = property.filter(|property| range_of(property) == Some(element));
                let Some(property) = property else {
                    return Err(ModelError::NoPlace(format!("there is no property at byte {:#x}", element.start)));
                };
                let (instance, kind) = (property.instance, property.kind);
                (Some(property), instance, kind)
            }
            Site::Instance { place, kind } => {
                let instance = items.at(place.offset).filter(|_| place.index.is_none());
                let instance = instance.ok_or_else(|| ModelError::NoPlace(format!("there is no instance {place}")))?;
                (listing.property(instance, *kind), instance, *kind)
            }
            Site::Value { .. } => return Err(ModelError::NoPlace("the file is in XML".to_owned())),
        };
        // an existing property by its offset, a new one by its instance and kind
        if !changed.insert((property.as_ref().and_then(range_of).map(|range| range.start), instance, kind)) {
            return Err(ModelError::NoPlace("a property is changed twice".to_owned()));
        }
        let number = u32::try_from(instance).unwrap_or(u32::MAX);
        let old = property.as_ref().and_then(|property| property.bytes.clone().ok());
        let new = kind.content(BStr::new(&*change.bytes)).ok();
        let piece = match &property {
            // the element stays as it is if the bytes are the same
            _ if old.map_or(property.is_none() && change.bytes.is_empty(), |old| Some(old) == new) => continue,
            Some(property) => element(file, property, &change.bytes),
            None => {
                let room = rooms.binary_search_by_key(&number, |room| room.instance).ok();
                let room = room.and_then(|room| rooms.get(room));
                let room = room.ok_or_else(|| ModelError::NoPlace("the instance has no properties".to_owned()))?;
                let place = to_usize(room.place);
                if room.is_empty {
                    opened.insert(place);
                    Some((place..place, whole_element(kind, &to_base64(&change.bytes))))
                } else {
                    Some(new_element(file, place, kind, &change.bytes))
                }
            }
        };
        let old = property.map_or(Ok(Default::default()), |property| property.bytes);
        edits.made.push(Made::new(number, kind, &old, &change.bytes));
        if let Some(piece) = piece {
            budget.take(piece.1.capacity())?;
            edits.pieces.push(piece);
        }
    }
    for end in opened {
        budget.take(OPENED)?;
        edits.pieces.push((end.saturating_sub(2)..end, b">".to_vec()));
        // after the new properties, which have the same place
        edits.pieces.push((end..end, b"</Properties>".to_vec()));
    }
    Ok(edits)
}

/// Offsets in the order of the file.
struct ByOffset(Vec<u64>);

impl ByOffset {
    fn new<T>(all: impl Iterator<Item = T>, place: impl Fn(&T) -> u64) -> Self {
        ByOffset(all.map(|one| place(&one)).collect())
    }

    /// The index of this offset.
    fn at(&self, offset: u64) -> Option<usize> {
        self.0.binary_search(&offset).ok()
    }
}

fn range_of<'p>(property: &'p Property<'_>) -> Option<&'p Range<u64>> {
    match &property.place {
        Place::Xml(place) => Some(&place.element),
        Place::Binary(_) => None,
    }
}

/// The new element of a property, or its new content.
fn element(file: &[u8], property: &Property<'_>, bytes: &[u8]) -> Option<Piece> {
    let Place::Xml(XmlPlace { element, content, is_shared }) = &property.place else { return None };
    let range = |range: &Range<u64>| to_usize(range.start)..to_usize(range.end);
    let text = to_base64(bytes);
    match content {
        Some(content) if !is_shared => Some((range(content), text)),
        None if !is_shared => {
            // `<name …/>`
            let tag = file.get(range(element))?.strip_suffix(b"/>")?.trim_ascii_end();
            let name = tag.strip_prefix(b"<")?.split(u8::is_ascii_whitespace).next()?;
            Some((range(element), [tag, b">", &text, b"</", name, b">"].concat()))
        }
        _ => Some((range(element), whole_element(property.kind, &text))),
    }
}

fn whole_element(kind: Kind, text: &[u8]) -> Vec<u8> {
    let name = kind.name().as_bytes();
    [b"<BinaryString name=\"", name, b"\">", text, b"</BinaryString>"].concat()
}

/// A new property after the start tag of the properties, with the same whitespace that follows this tag.
fn new_element(file: &[u8], room: usize, kind: Kind, bytes: &[u8]) -> Piece {
    let after = file.get(room..).unwrap_or_default();
    let space = after.len().saturating_sub(after.trim_ascii_start().len());
    let space = after.get(..space).unwrap_or_default();
    // an end tag is indented one step less
    let space = if after.trim_ascii_start().starts_with(b"</") { [space, b"\t"].concat() } else { space.to_owned() };
    (room..room, [&space[..], &whole_element(kind, &to_base64(bytes))].concat())
}

/// The characters of base64 on a line, if it takes several.
const LINE: usize = 72;

/// Base64 as Roblox Studio writes it: long texts in lines, within CDATA.
pub(super) fn to_base64(bytes: &[u8]) -> Vec<u8> {
    let digits = BASE64.encode(bytes).into_bytes();
    if digits.len() <= LINE {
        return digits;
    }
    let lines: Vec<&[u8]> = digits.chunks(LINE).collect();
    [b"<![CDATA[", &lines.join(&b'\n')[..], b"]]>"].concat()
}

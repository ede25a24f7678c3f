//! Editing an XML file.

use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::Range;

use base64::prelude::{Engine, BASE64_STANDARD};
use bstr::{BStr, ByteSlice};

use super::list::{from_base64, list, text_of, Lister};
use crate::roblox::model::change::{Change, Edits, Piece, Site};
use crate::roblox::model::error::{ModelError, ValueError};
use crate::roblox::model::instance::Instance;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::{sort_by_instance, Made};
use crate::roblox::model::options::Options;
use crate::roblox::model::property::{Place, Property, XmlPlace};
use crate::roblox::model::window::{self, Window};
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};

/// The memory for writing new bytes as text and reading that again, as a multiple of their length.
const WRITTEN: usize = 8;

/// The edit that makes these changes.
pub(crate) fn edit<R: Read + Seek>(
    file: &mut Window<R>,
    changes: &[Change<'_>],
    options: &Options,
) -> Result<Edits, ModelError> {
    let mut edits = Edits::default();
    let Edits { pieces, made } = &mut edits;
    each_change(file, changes, options, &mut |_, budget, step, old, piece| {
        let old = old.and_then(|old| step.kind.content(old));
        made.push(Made::new(step.instance, step.kind, &old, step.new));
        budget.take(piece.1.capacity())?;
        pieces.push(piece);
        Ok(())
    })?;
    Ok(edits)
}

/// Writes the file with these changes. Each new element is read again before it is written.
pub(crate) fn edit_to<R: Read + Seek>(
    file: &mut Window<R>,
    writer: &mut impl Write,
    changes: &[Change<'_>],
    options: &Options,
) -> Result<(), ModelError> {
    let mut done = 0;
    each_change(file, changes, options, &mut |file, budget, step, _, (range, piece)| {
        if !is_as_meant(file, step, (&range, &piece), options, *budget)? {
            return Err(ModelError::NotOnly);
        }
        file.copy(done..to_u64(range.start), writer)?;
        writer.write_all(&piece)?;
        done = to_u64(range.end);
        Ok(())
    })?;
    Ok(file.copy(done..file.length(), writer)?)
}

/// An edit at one place of the file.
struct Step<'c> {
    /// The range of the file that it replaces.
    range: Range<usize>,
    /// The index of the instance.
    instance: u32,
    kind: Kind,
    /// The place of the property, if the instance has it.
    place: Option<XmlPlace>,
    /// Set for a new property in `<Properties/>`.
    opened: Option<Opened>,
    new: &'c [u8],
}

/// The position of a new property among those in `<Properties/>`: the first turns this tag into a start tag, and the
/// last adds the end tag.
#[derive(Clone, Copy, Default)]
struct Opened {
    is_first: bool,
    is_last: bool,
}

impl Opened {
    fn before(self) -> &'static [u8] {
        if self.is_first {
            b">"
        } else {
            b""
        }
    }

    fn after(self) -> &'static [u8] {
        if self.is_last {
            b"</Properties>"
        } else {
            b""
        }
    }
}

/// A callback for each change, with the file, its place, the old bytes, and the piece that it makes.
type Each<'e, R> = &'e mut dyn FnMut(
    &mut Window<R>,
    &mut Budget,
    &Step<'_>,
    Result<&BStr, ValueError>,
    Piece,
) -> Result<(), ModelError>;

/// Calls `each` with every change that changes something, in the order of the file. One new element is in memory at a time.
fn each_change<R: Read + Seek>(
    file: &mut Window<R>,
    changes: &[Change<'_>],
    options: &Options,
    each: Each<'_, R>,
) -> Result<(), ModelError> {
    let mut budget = options.budget();
    let mut lister = Lister::new(options.empty(true).all_instances(true), true);
    lister.read(file, &mut budget)?;
    lister.finish(file, &mut budget)?;
    for step in &steps(&mut lister, changes, &mut budget)? {
        let old = match &step.place {
            Some(place) => old(file, place, &lister, &mut budget)?,
            None => Ok(Vec::new()),
        };
        let old = old.as_ref().map(|old| old.as_bstr()).map_err(Clone::clone);
        // the element stays as it is if the bytes are the same
        if old.as_ref().is_ok_and(|old| **old == *step.new) {
            continue;
        }
        budget.room_for(step.new.len().saturating_mul(WRITTEN))?;
        let piece = match &step.place {
            Some(place) => element(file, step.kind, place, step.new)?,
            None => Some(new_element(file, step)?),
        };
        if let Some(piece) = piece {
            each(file, &mut budget, step, old, piece)?;
        }
    }
    Ok(())
}

/// The steps of an edit, in the order of the file.
fn steps<'c>(lister: &mut Lister, changes: &'c [Change<'_>], budget: &mut Budget) -> Result<Vec<Step<'c>>, ModelError> {
    // of several `Properties` elements of an instance, the first
    sort_by_instance(&mut lister.rooms, |room| room.instance);
    lister.rooms.dedup_by_key(|room| room.instance);
    let Lister { listing, rooms, .. } = &*lister;
    let counts = [listing.properties().len(), listing.instances().len()];
    budget.take(counts.into_iter().fold(0, usize::saturating_add).saturating_mul(size_of::<u64>()))?;
    budget.take(changes.len().saturating_mul(size_of::<Step<'_>>()))?;
    let elements = ByOffset::new(listing.properties(), |property| match &property.place {
        Place::Xml(place) => place.element.start,
        Place::Binary(_) => 0,
    });
    let items = ByOffset::new(listing.instances(), |instance: &Instance<'_>| instance.place.offset);
    let mut steps: Vec<Step<'_>> = Vec::with_capacity(changes.len());
    for change in changes {
        let (property, instance, kind) = match &change.site {
            Site::Element { element } => {
                let property = elements.at(element.start).and_then(|index| listing.property_at(index));
                let property = property.filter(|property| range_of(property) == Some(element));
                let Some(property) = property else {
                    return Err(ModelError::NoPlace(format!("no property at byte {:#x}", element.start)));
                };
                let (instance, kind) = (property.instance, property.kind);
                (Some(property), instance, kind)
            }
            Site::Instance { place, kind } => {
                let instance = items.at(place.offset).filter(|_| place.index.is_none());
                let instance = instance.ok_or_else(|| ModelError::NoPlace(format!("no instance {place}")))?;
                (listing.property(instance, *kind), instance, *kind)
            }
            Site::Value { .. } => return Err(ModelError::NoPlace("the file is in XML".to_owned())),
        };
        let (instance, new) = (u32::try_from(instance).unwrap_or(u32::MAX), &*change.bytes);
        let (range, place, opened) = match property.map(|property| property.place) {
            Some(Place::Xml(place)) => (target(&place), Some(place), None),
            _ if new.is_empty() => continue,
            _ => {
                let room = rooms.binary_search_by_key(&instance, |room| room.instance).ok();
                let room = room.and_then(|room| rooms.get(room));
                let room = room.ok_or_else(|| ModelError::NoPlace("the instance has no properties".to_owned()))?;
                (room.place..room.place, None, room.is_empty.then(Opened::default))
            }
        };
        let range = to_usize(range.start)..to_usize(range.end);
        steps.push(Step { range, instance, kind, place, opened, new });
    }
    // they do not overlap, but several new properties of an instance begin at one place
    steps.sort_unstable_by_key(|step| (step.range.start, step.range.end, step.kind));
    let key = |step: &Step<'_>| (step.range.clone(), step.kind, step.place.is_some());
    let is_twice = steps.iter().zip(steps.iter().skip(1)).any(|(one, next)| key(one) == key(next));
    if is_twice {
        return Err(ModelError::NoPlace("a property is changed twice".to_owned()));
    }
    // several new properties share one `<Properties/>`
    let place = |step: &Step<'_>| step.opened.map(|_| step.range.end);
    let places: Vec<_> = steps.iter().map(place).collect();
    for (number, step) in steps.iter_mut().enumerate() {
        let Some(opened) = &mut step.opened else { continue };
        let other = |number: Option<usize>| number.and_then(|number| places.get(number).copied().flatten());
        opened.is_first = other(number.checked_sub(1)) != Some(step.range.end);
        opened.is_last = other(number.checked_add(1)) != Some(step.range.end);
        if opened.is_first {
            // the `/>` is replaced
            step.range.start = step.range.start.saturating_sub(2);
        }
    }
    Ok(steps)
}

/// The bytes of a property.
fn old<R: Read + Seek>(
    file: &mut Window<R>,
    place: &XmlPlace,
    lister: &Lister,
    budget: &mut Budget,
) -> Result<Result<Vec<u8>, ValueError>, ModelError> {
    let offset = place.content.as_ref().map_or(place.element.start, |content| content.start);
    let mut text = |range: &Range<u64>, budget: &mut Budget| {
        let text = text_of(file, range, budget)?;
        budget.give_back(text.capacity());
        Ok::<_, ModelError>(text)
    };
    let own = place.content.as_ref().map_or(Ok(Vec::new()), |content| text(content, budget))?;
    let decoded =
        |budget: &Budget, text: &[u8], offset| Ok(from_base64(budget, text)?.ok_or(ValueError::Base64 { offset }));
    let key = own.trim_ascii().as_bstr();
    match (place.is_shared, lister.shared(key)) {
        (false, _) => decoded(budget, &own, offset),
        (true, None) => Ok(Err(ValueError::SharedString(key.into()))),
        (true, Some(content)) => {
            let shared = text(content, budget)?;
            decoded(budget, &shared, content.start)
        }
    }
}

/// Returns true if a new element is read back as intended.
fn is_as_meant<R: Read + Seek>(
    file: &mut Window<R>,
    step: &Step<'_>,
    (range, piece): (&Range<usize>, &[u8]),
    options: &Options,
    mut budget: Budget,
) -> Result<bool, ModelError> {
    let (before, after) = match &step.place {
        Some(place) => (place.element.start..to_u64(range.start), to_u64(range.end)..place.element.end),
        None => (0..0, 0..0),
    };
    budget.room_for(to_usize(
        before.end.saturating_sub(before.start).saturating_add(after.end.saturating_sub(after.start)),
    ))?;
    let before = part(file, before)?.to_vec();
    let after = part(file, after)?;
    let opened = step.opened.unwrap_or_default();
    let piece =
        piece.strip_prefix(opened.before()).and_then(|piece| piece.strip_suffix(opened.after())).unwrap_or(piece);
    let around = [&b"<roblox ><Item class=\"\" referent=\"\"><Properties>"[..], b"</Properties></Item></roblox>"];
    let [start, end] = around;
    let text = [start, &before, piece, after, end].concat();
    budget.take(text.len())?;
    let listing = list(&mut Window::open(Cursor::new(&text))?, &options.empty(true), &mut budget);
    if let Some(place) = listing.problems.iter().position(ModelError::is_of_limit) {
        let mut problems = listing.problems;
        return Err(problems.swap_remove(place));
    }
    let mut properties = listing.properties();
    let meant = step.kind.content(BStr::new(step.new));
    let is_it = |property: Property<'_>| property.kind == step.kind && property.bytes == meant;
    Ok(properties.next().is_some_and(is_it) && properties.next().is_none())
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

/// The range that a change of a property replaces: its content, or the whole element if it has no content of its own.
fn target(place: &XmlPlace) -> Range<u64> {
    let content = place.content.clone().filter(|_| !place.is_shared);
    content.unwrap_or_else(|| place.element.clone())
}

/// The new element of a property, or its new content.
fn element<R: Read + Seek>(
    file: &mut Window<R>,
    kind: Kind,
    place: &XmlPlace,
    bytes: &[u8],
) -> io::Result<Option<Piece>> {
    let range = target(place);
    let text = to_base64(bytes);
    let piece = match place.content {
        _ if place.is_shared => whole_element(kind, &text),
        Some(_) => text,
        None => {
            // `<name …/>`
            let tag = part(file, range.clone())?.strip_suffix(b"/>").unwrap_or_default().trim_ascii_end();
            let name = tag.strip_prefix(b"<").and_then(|tag| tag.split(u8::is_ascii_whitespace).next());
            let Some(name) = name else { return Ok(None) };
            [tag, b">", &text, b"</", name, b">"].concat()
        }
    };
    Ok(Some((to_usize(range.start)..to_usize(range.end), piece)))
}

fn whole_element(kind: Kind, text: &[u8]) -> Vec<u8> {
    let name = kind.name().as_bytes();
    [b"<BinaryString name=\"", name, b"\">", text, b"</BinaryString>"].concat()
}

/// A new property after the start tag of the properties, with the same whitespace that follows this tag.
fn new_element<R: Read + Seek>(file: &mut Window<R>, step: &Step<'_>) -> io::Result<Piece> {
    let new = whole_element(step.kind, &to_base64(step.new));
    if let Some(opened) = step.opened {
        return Ok((step.range.clone(), [opened.before(), &new, opened.after()].concat()));
    }
    // as much of it as is in memory anyway
    let after = file.view(to_u64(step.range.end), window::SIZE)?;
    let space = after.len().saturating_sub(after.trim_ascii_start().len());
    let space = after.get(..space).unwrap_or_default();
    // an end tag is indented one step less
    let space = if after.trim_ascii_start().starts_with(b"</") { [space, b"\t"].concat() } else { space.to_owned() };
    Ok((step.range.clone(), [&space[..], &new].concat()))
}

/// A part of the file.
fn part<R: Read + Seek>(file: &mut Window<R>, range: Range<u64>) -> io::Result<&[u8]> {
    file.view(range.start, range.end.saturating_sub(range.start))
}

/// The characters of base64 on a line, if it takes several.
const LINE: usize = 72;

/// Base64 as Roblox Studio writes it: long texts in lines, within CDATA.
pub(super) fn to_base64(bytes: &[u8]) -> Vec<u8> {
    let digits = BASE64_STANDARD.encode(bytes).into_bytes();
    if digits.len() <= LINE {
        return digits;
    }
    let lines: Vec<&[u8]> = digits.chunks(LINE).collect();
    [b"<![CDATA[", &lines.join(&b'\n')[..], b"]]>"].concat()
}

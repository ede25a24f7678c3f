//! Reads the tags and texts of XML.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind, Read, Seek};
use std::ops::Range;

use bstr::{BString, ByteSlice};
use quick_xml::errors::SyntaxError;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::{AttrError, Attributes};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::Reader;

use super::BOM;
use crate::roblox::model::error::ModelError;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::window::{self, Window};
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};

/// A piece of XML.
pub(super) enum Piece<'f> {
    /// A start tag. An empty element has no other tag.
    Open { tag: Tag<'f>, is_empty: bool },
    /// An end tag.
    Close,
    /// Text, with its references replaced.
    Text { text: Cow<'f, [u8]>, is_reference: bool, fault: Option<Fault> },
}

/// A fault in the XML that does not stop the reader: its offset in the file, and a description.
pub(super) type Fault = (u64, &'static str);

const NO_REFERENCE: &str = "an & begins no reference such as &amp; and is read as text";
const TWICE: &str = "an attribute is there twice, and the first counts";
const END_OF_CDATA: &str = "a ]]> outside of CDATA (inside CDATA, write it as ]]]]><![CDATA[>)";

/// A start tag.
pub(super) struct Tag<'f> {
    tag: BytesStart<'f>,
    start: u64,
}

/// Calls `each` with every piece of a part of a file, and its range in the file. One piece is in memory at a time.
pub(super) fn each_piece<R: Read + Seek>(
    window: &mut Window<R>,
    part: Range<u64>,
    budget: &mut Budget,
    mut each: impl FnMut(&mut Budget, Piece<'_>, Range<u64>) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let bom = if window.view(part.start, to_u64(BOM.len()))? == BOM { to_u64(BOM.len()) } else { 0 };
    let skipped = part.start.saturating_add(bom);
    let end = part.end.min(window.length());
    let utf8 = Utf8 { window, next: skipped, end, piece: Vec::new(), used: 0, other: 0, limit: 0 };
    let mut reader = Reader::from_reader(utf8);
    reader.config_mut().allow_dangling_amp = true;
    let (mut depth, mut held, mut buffer) = (0usize, 0usize, Vec::new());
    let mut cdata = Cdata::default();
    loop {
        let start = reader.buffer_position().saturating_add(skipped);
        // what the largest piece takes, counts while the others are read
        budget.take(buffer.capacity().saturating_sub(held))?;
        held = buffer.capacity();
        buffer.clear();
        reader.get_mut().limit = start.saturating_add(to_u64(budget.left().saturating_add(held)) / COPIES);
        let event = reader.read_event_into(&mut buffer).map_err(|error| {
            let offset = reader.error_position().saturating_add(skipped);
            let reason = cdata.explain(error.to_string());
            match error {
                quick_xml::Error::Io(error) if error.kind() == ErrorKind::OutOfMemory => budget.exceeded().into(),
                quick_xml::Error::Io(error) => io::Error::new(error.kind(), error.to_string()).into(),
                quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup) => ModelError::Xml { offset, reason },
                // the end of a tag is missing
                quick_xml::Error::Syntax(_) => ModelError::XmlEnd { offset, reason },
                _ => ModelError::Xml { offset, reason },
            }
        })?;
        let range = start..reader.buffer_position().saturating_add(skipped);
        match event {
            Event::Start(tag) if tag.name().as_ref().starts_with(CONFLICT) => {
                let line = reader.get_mut().lines(start)?.saturating_add(1);
                let reason = format!("a conflict of Git begins in line {line}, which has two versions: choose one");
                return Err(ModelError::Xml { offset: start, reason });
            }
            Event::Start(tag) => {
                // the reader keeps the names of all open elements
                budget.take(tag.name().as_ref().len().saturating_add(OPEN))?;
                depth = depth.saturating_add(1);
                cdata.goes_on = true;
                each(budget, Piece::Open { tag: Tag { tag, start }, is_empty: false }, range)?;
            }
            Event::Empty(tag) => each(budget, Piece::Open { tag: Tag { tag, start }, is_empty: true }, range)?,
            Event::End(tag) => {
                budget.give_back(tag.name().as_ref().len().saturating_add(OPEN));
                depth = depth.saturating_sub(1);
                cdata.close(depth);
                each(budget, Piece::Close, range)?;
            }
            Event::Text(text) => {
                let text = reader.get_mut().as_it_was(&text, range.start)?;
                cdata.goes_on |= !text.trim_ascii().is_empty();
                let fault = fault_of(&text).map(|(at, reason)| (range.start.saturating_add(to_u64(at)), reason));
                each(budget, Piece::Text { text, is_reference: false, fault }, range)?;
            }
            Event::CData(text) => {
                let [start, end] = [range.start.saturating_add(9), range.end.saturating_sub(3)];
                cdata = Cdata { end, depth, goes_on: false };
                let text = reader.get_mut().as_it_was(&text, start)?;
                each(budget, Piece::Text { text, is_reference: false, fault: None }, range)?;
            }
            Event::GeneralRef(reference) => {
                let resolved = resolved(&reference);
                let fault = resolved.is_none().then_some((start, NO_REFERENCE));
                let text = match resolved {
                    Some(text) => text,
                    None => {
                        let name = reader.get_mut().as_it_was(&reference, start.saturating_add(1))?;
                        [b"&", &*name, b";"].concat()
                    }
                };
                each(budget, Piece::Text { text: text.into(), is_reference: true, fault }, range)?;
            }
            Event::DocType(_) => {
                return Err(ModelError::Xml { offset: start, reason: "a document type is not allowed".to_owned() })
            }
            Event::Eof if depth == 0 => break,
            Event::Eof => {
                let reason = cdata.explain("the file ends inside an element".to_owned());
                return Err(ModelError::XmlEnd { offset: start, reason });
            }
            _ => {}
        }
    }
    budget.give_back(held);
    Ok(())
}

/// A part of a file in UTF-8, as the reader needs it: with `?` for every byte that is not.
struct Utf8<'w, R> {
    window: &'w mut Window<R>,
    /// The offset after the piece.
    next: u64,
    /// The end of the part.
    end: u64,
    piece: Vec<u8>,
    /// The number of bytes of the piece that were read.
    used: usize,
    /// The offset after the last byte that is not UTF-8.
    other: u64,
    /// The last offset for which there is memory.
    limit: u64,
}

/// The most copies of a text in memory: two in the growing buffer of the reader, the piece of the file, and the one for the caller.
const COPIES: u64 = 4;

impl<R: Read + Seek> Utf8<'_, R> {
    /// The text from an offset on, with the bytes that are not UTF-8.
    fn as_it_was<'t>(&mut self, text: &'t str, start: u64) -> io::Result<Cow<'t, [u8]>> {
        match self.other > start {
            true => Ok(self.window.view(start, to_u64(text.len()))?.to_vec().into()),
            false => Ok(text.as_bytes().into()),
        }
    }

    /// The number of line ends before an offset.
    fn lines(&mut self, end: u64) -> io::Result<usize> {
        let (mut offset, mut lines) = (0u64, 0usize);
        while offset < end {
            let piece = self.window.view(offset, window::SIZE.min(end.saturating_sub(offset)))?;
            lines = lines.saturating_add(piece.iter().filter(|byte| **byte == b'\n').count());
            offset = offset.saturating_add(to_u64(piece.len().max(1)));
        }
        Ok(lines)
    }
}

impl<R: Read + Seek> Read for Utf8<'_, R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read + Seek> BufRead for Utf8<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.piece.len() && self.next < self.end {
            if self.next > self.limit {
                return Err(ErrorKind::OutOfMemory.into());
            }
            let left = self.end.saturating_sub(self.next);
            let raw = self.window.view(self.next, window::SIZE.min(left))?;
            let raw = raw.get(..to_usize(left)).unwrap_or(raw);
            let is_last = to_u64(raw.len()) == left;
            self.piece.clear();
            self.used = 0;
            // most files have no others
            if std::str::from_utf8(raw).is_ok() {
                self.piece.extend_from_slice(raw);
            } else {
                for chunk in ByteSlice::utf8_chunks(raw) {
                    self.piece.extend_from_slice(chunk.valid().as_bytes());
                    if !chunk.invalid().is_empty() && (is_last || !chunk.incomplete()) {
                        self.piece.resize(self.piece.len().saturating_add(chunk.invalid().len()), b'?');
                        self.other = self.next.saturating_add(to_u64(self.piece.len()));
                    }
                }
            }
            self.next = self.next.saturating_add(to_u64(self.piece.len()));
        }
        Ok(self.piece.get(self.used..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.used = self.used.saturating_add(count).min(self.piece.len());
    }
}

/// The begin of a line that Git writes before two versions, without its first character, as the name of an element.
const CONFLICT: &str = "<<<<<<";

/// The CDATA section that ended last, in an element that is still open.
#[derive(Default)]
struct Cdata {
    /// The offset of the `]]>`.
    end: u64,
    /// The number of open elements around it; 0 without a section.
    depth: usize,
    /// True if more than an end tag came after it.
    goes_on: bool,
}

impl Cdata {
    /// An element has closed, and `depth` are open.
    fn close(&mut self, depth: usize) {
        if depth < self.depth {
            self.depth = 0;
        }
    }

    /// The reason of an error; with the end of the section, if it may have ended too early.
    fn explain(&self, reason: String) -> String {
        if self.depth == 0 || !self.goes_on {
            return reason;
        }
        let end = self.end;
        format!("{reason} (the CDATA section before it ended at the ]]> at byte {end:#x}; inside CDATA, write ]]> as ]]]]><![CDATA[>)")
    }
}

/// The first fault of a text, and its place in it. The reader begins a new text with each `&`.
fn fault_of(text: &[u8]) -> Option<(usize, &'static str)> {
    match text.first() {
        Some(b'&') => Some((0, NO_REFERENCE)),
        // to look for one byte needs no preparation
        _ => text.find_byte(b']').and_then(|_| text.find(b"]]>")).map(|at| (at, END_OF_CDATA)),
    }
}

/// The memory that the reader takes for an open element besides its name, in bytes.
const OPEN: usize = 16;

impl Tag<'_> {
    /// Returns true if the element has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.tag.name().as_ref() == name
    }

    /// The raw values of these attributes, empty if missing, and the first fault of all attributes. If there is a fault, the
    /// attributes are read as in HTML: without quotes, or without values.
    fn raw<'t, const N: usize>(&'t self, names: [&str; N]) -> ([Cow<'t, str>; N], Option<Fault>) {
        let read = |mut attributes: Attributes<'t>| {
            let mut found = [const { None }; N];
            let mut fault = None;
            // the check would hold the names of all
            for attribute in attributes.with_checks(false) {
                let new = match attribute {
                    Ok(attribute) => {
                        let place = names.iter().position(|name| attribute.key.as_ref() == *name);
                        match place.and_then(|place| found.get_mut(place)) {
                            Some(Some(_)) => Some((self.start, TWICE)),
                            Some(place) => {
                                *place = Some(attribute.value);
                                None
                            }
                            None => None,
                        }
                    }
                    Err(error) => Some(self.fault(error)),
                };
                fault = fault.or(new);
            }
            (found, fault)
        };
        let (found, fault) = match read(self.tag.attributes()) {
            (found, None) => (found, None),
            (_, fault) => (read(self.tag.html_attributes()).0, fault),
        };
        (found.map(Option::unwrap_or_default), fault)
    }

    fn fault(&self, error: AttrError) -> Fault {
        let (at, reason) = match error {
            AttrError::ExpectedEq(at) | AttrError::ExpectedValue(at) => (at, "an attribute has no value"),
            AttrError::UnquotedValue(at) => (at, "the value of an attribute has no quotes"),
            AttrError::ExpectedQuote(at, _) => (at, "the value of an attribute has no quote at its end"),
            AttrError::Duplicated(at, _) => (at, TWICE),
        };
        // the reader counts from the name of the element
        (self.start.saturating_add(1).saturating_add(to_u64(at)), reason)
    }

    /// The values of these attributes, empty where they are missing, and the first fault of all attributes.
    pub(super) fn attributes<const N: usize>(&self, names: [&str; N]) -> ([BString; N], Option<Fault>) {
        let (raw, mut fault) = self.raw(names);
        let values = raw.map(|raw| match quick_xml::escape::unescape(&raw) {
            Ok(value) => value.into_owned().into(),
            Err(_) => {
                fault = fault.or(Some((self.start, NO_REFERENCE)));
                unescaped(&raw).into()
            }
        });
        (values, fault)
    }

    /// The name of a property, and the first fault of all attributes. The name of one that is listed must not have entities, because
    /// other programs read those in different ways.
    pub(super) fn property(&self) -> Result<(Cow<'_, [u8]>, Option<Fault>), ModelError> {
        let ([name], fault) = self.raw(["name"]);
        if !name.contains('&') {
            let name = match name {
                Cow::Borrowed(name) => name.as_bytes().into(),
                Cow::Owned(name) => name.into_bytes().into(),
            };
            return Ok((name, fault));
        }
        let ([name], other) = self.attributes(["name"]);
        if Kind::of(&name).is_some() || name == "Name" {
            let reason = "the name of a property has an entity, which is not allowed".to_owned();
            return Err(ModelError::Xml { offset: self.start, reason });
        }
        Ok((Vec::from(name).into(), fault.or(other)))
    }
}

/// The value of an attribute with its references replaced; an `&` that does not begin a reference stays.
fn unescaped(raw: &str) -> String {
    let mut parts = raw.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let found = part.split_once(';').and_then(|(name, rest)| {
            let reference = format!("&{name};");
            Some((quick_xml::escape::unescape(&reference).ok()?.into_owned(), rest))
        });
        match found {
            Some((found, rest)) => text.extend([&found, rest]),
            None => text.extend(["&", part]),
        }
    }
    text
}

/// The text of a character reference or an entity; `None` if there is no such.
fn resolved(reference: &BytesRef<'_>) -> Option<Vec<u8>> {
    let mut bytes = [0; 4];
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return Some(char.encode_utf8(&mut bytes).as_bytes().to_owned());
    }
    resolve_predefined_entity(reference).map(|text| text.as_bytes().to_owned())
}

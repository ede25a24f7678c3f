//! Reads the tags and texts of XML.

use std::borrow::Cow;
use std::ops::Range;

use bstr::BString;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::Reader;

use super::BOM;
use crate::budget::Budget;
use crate::roblox::model::error::ModelError;
use crate::wire::{to_u64, to_usize};

/// A piece of XML.
pub(super) enum Piece<'f> {
    /// A start tag. An empty element has no other tag.
    Open { tag: Tag<'f>, is_empty: bool },
    /// An end tag.
    Close,
    /// Text, with its references replaced.
    Text(Cow<'f, [u8]>),
}

/// A start tag.
pub(super) struct Tag<'f> {
    tag: BytesStart<'f>,
    start: u64,
}

/// Calls `each` with every piece of a part of a file, and its range in the file.
pub(super) fn each_piece(
    file: &[u8],
    part: Range<usize>,
    budget: &mut Budget,
    mut each: impl FnMut(&mut Budget, Piece<'_>, Range<u64>) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let part = part.start..part.end.min(file.len());
    let all = file.get(part.clone()).unwrap_or_default();
    let text = all.strip_prefix(BOM).unwrap_or(all);
    let skipped = to_u64(part.start.saturating_add(all.len().saturating_sub(text.len())));
    // the reader needs UTF-8; other texts are taken from the file itself
    let text = match std::str::from_utf8(text) {
        Ok(_) => Cow::Borrowed(text),
        Err(_) => {
            budget.take(text.len())?;
            Cow::Owned(in_utf8(text))
        }
    };
    let mut reader = Reader::from_reader(&text[..]);
    let mut depth = 0usize;
    loop {
        let start = reader.buffer_position().saturating_add(skipped);
        let event = reader.read_event().map_err(|error| ModelError::Xml {
            offset: reader.error_position().saturating_add(skipped),
            reason: error.to_string(),
        })?;
        let range = start..reader.buffer_position().saturating_add(skipped);
        let bytes = |start: u64, end: u64| file.get(to_usize(start)..to_usize(end)).unwrap_or_default();
        match event {
            Event::Start(tag) => {
                // the reader keeps the names of all open elements
                budget.take(tag.name().as_ref().len().saturating_add(OPEN))?;
                depth = depth.saturating_add(1);
                each(budget, Piece::Open { tag: Tag { tag, start }, is_empty: false }, range)?;
            }
            Event::Empty(tag) => each(budget, Piece::Open { tag: Tag { tag, start }, is_empty: true }, range)?,
            Event::End(tag) => {
                budget.give_back(tag.name().as_ref().len().saturating_add(OPEN));
                depth = depth.saturating_sub(1);
                each(budget, Piece::Close, range)?;
            }
            Event::Text(_) => each(budget, Piece::Text(bytes(range.start, range.end).into()), range)?,
            Event::CData(_) => {
                let [start, end] = [range.start.saturating_add(9), range.end.saturating_sub(3)];
                each(budget, Piece::Text(bytes(start, end).into()), range)?;
            }
            Event::GeneralRef(reference) => each(budget, Piece::Text(resolved(&reference).into()), range)?,
            Event::DocType(_) => {
                return Err(ModelError::Xml { offset: start, reason: "a document type is not allowed".to_owned() })
            }
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => {
                return Err(ModelError::Xml { offset: start, reason: "the file ends inside an element".to_owned() })
            }
            _ => {}
        }
    }
}

/// The memory that the reader takes for an open element besides its name, in bytes.
const OPEN: usize = 16;

/// A text of the same length, with `?` for every byte that is not UTF-8.
fn in_utf8(text: &[u8]) -> Vec<u8> {
    let mut valid = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.extend_from_slice(chunk.valid().as_bytes());
        valid.resize(valid.len().saturating_add(chunk.invalid().len()), b'?');
    }
    valid
}

impl Tag<'_> {
    /// Whether the element has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.tag.name().as_ref() == name
    }

    /// The value of an attribute as it is written; empty if it is missing. All attributes must be well-formed.
    fn raw(&self, name: &str) -> Result<String, ModelError> {
        let mut found = None;
        for attribute in self.tag.attributes() {
            let attribute = attribute.map_err(|error| self.error(format!("invalid attribute: {error}")))?;
            if attribute.key.as_ref() == name {
                found = Some(attribute.value.into_owned());
            }
        }
        Ok(found.unwrap_or_default())
    }

    /// The value of an attribute; empty if it is missing.
    pub(super) fn attribute(&self, name: &str) -> Result<BString, ModelError> {
        let raw = self.raw(name)?;
        let value = quick_xml::escape::unescape(&raw);
        Ok(value.map_err(|error| self.error(format!("invalid attribute {name}: {error}")))?.into_owned().into())
    }

    /// The name of a property. It must not have entities, because other programs read those in different ways.
    pub(super) fn property(&self) -> Result<BString, ModelError> {
        let name = self.raw("name")?;
        if name.contains('&') {
            return Err(self.error("the name of a property has an entity, which is not allowed".to_owned()));
        }
        Ok(name.into())
    }

    fn error(&self, reason: String) -> ModelError {
        ModelError::Xml { offset: self.start, reason }
    }
}

/// The text of a character reference or an entity; the reference itself if the entity is unknown.
fn resolved(reference: &BytesRef<'_>) -> Vec<u8> {
    let mut bytes = [0; 4];
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return char.encode_utf8(&mut bytes).as_bytes().to_owned();
    }
    match resolve_predefined_entity(reference) {
        Some(text) => text.as_bytes().to_owned(),
        None => format!("&{};", &**reference).into_bytes(),
    }
}

//! A tree as JSON.

use std::io::{self, Write};
use std::ops::Range;

use enginewire::wire::{Node, Tree};
use enginewire::{DecodeError, Offset, Segment};
use serde::{Serialize, Serializer};

use crate::output::name::Name;
use crate::output::text::note_text;

/// Writes the document of `inspect --json`. `limit` is the memory limit, if the tree exceeded it.
pub fn write(out: &mut dyn Write, tree: &Tree, limit: Option<usize>, name: &Name, format: &str) -> io::Result<()> {
    let document = JsonTree {
        file: name,
        format,
        length: tree.length(),
        nodes: Siblings(tree.nodes()),
        error: tree.error().map(JsonFault::from),
        limit,
        gap: tree.gap().map(JsonRange::from),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct JsonTree<'t> {
    file: &'t Name,
    format: &'t str,
    length: u64,
    nodes: Siblings<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JsonFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<JsonRange>,
}

/// A range; bits are written only where they are not 0.
#[derive(Serialize)]
struct JsonRange {
    start: u64,
    #[serde(skip_serializing_if = "is_zero")]
    start_bit: u8,
    end: u64,
    #[serde(skip_serializing_if = "is_zero")]
    end_bit: u8,
}

impl From<Range<Offset>> for JsonRange {
    fn from(Range { start, end }: Range<Offset>) -> Self {
        JsonRange { start: start.byte(), start_bit: start.bit(), end: end.byte(), end_bit: end.bit() }
    }
}

/// A position: `"offset"`, and `"bit"` if it is inside a byte.
#[derive(Serialize)]
pub struct JsonOffset {
    offset: u64,
    #[serde(skip_serializing_if = "is_zero")]
    bit: u8,
}

impl From<Offset> for JsonOffset {
    fn from(offset: Offset) -> Self {
        JsonOffset { offset: offset.byte(), bit: offset.bit() }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it so
fn is_zero(bit: &u8) -> bool {
    *bit == 0
}

/// An error in decoding.
#[derive(Serialize)]
pub struct JsonFault {
    message: String,
    #[serde(flatten)]
    at: JsonOffset,
    path: String,
    truncated: bool,
}

impl From<&DecodeError> for JsonFault {
    fn from(error: &DecodeError) -> Self {
        JsonFault {
            message: error.fault().to_string(),
            at: error.offset().into(),
            path: error.path().to_string(),
            truncated: error.is_truncated(),
        }
    }
}

/// Nodes of one depth, each followed by those within it.
#[derive(Clone, Copy)]
struct Siblings<'t>(&'t [Node]);

impl Siblings<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'t> Iterator for Siblings<'t> {
    type Item = (&'t Node, Siblings<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let (node, after) = self.0.split_first()?;
        let end = after.iter().position(|other| other.depth <= node.depth).unwrap_or(after.len());
        let (within, rest) = after.split_at(end);
        self.0 = rest;
        Some((node, Siblings(within)))
    }
}

impl Serialize for Siblings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.map(|(node, children)| JsonNode::new(node, children)))
    }
}

#[derive(Serialize)]
struct JsonNode<'t> {
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'t str>,
    #[serde(flatten)]
    range: JsonRange,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    broken: bool,
    #[serde(skip_serializing_if = "Siblings::is_empty")]
    children: Siblings<'t>,
}

impl<'t> JsonNode<'t> {
    fn new(node: &'t Node, children: Siblings<'t>) -> Self {
        let (label, index) = match &node.label {
            Segment::Field(name) => (Some(*name), None),
            Segment::Index(index) => (None, Some(*index)),
            Segment::Key(key) => (Some(key.as_str()), None),
            _ => (None, None),
        };
        JsonNode {
            label,
            index,
            key: node.key.as_deref(),
            range: node.range.clone().into(),
            value: node.value.as_deref(),
            note: node.note.map(note_text),
            broken: node.broken,
            children,
        }
    }
}

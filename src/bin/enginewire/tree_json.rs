//! A tree as JSON.

use enginewire::wire::{Node, Tree};
use enginewire::{DecodeError, Segment};
use serde::{Serialize, Serializer};

use crate::input::Input;
use crate::words::note_text;

/// The document that `inspect --json` writes.
pub fn to_json(tree: &Tree, input: &Input, format: &str) -> serde_json::Result<String> {
    serde_json::to_string(&JsonTree {
        file: &input.name,
        format,
        length: tree.length(),
        nodes: Siblings(tree.nodes()),
        error: tree.error().map(JsonFault::from),
        gap: tree.gap().map(|gap| JsonRange { start: gap.start, end: gap.end }),
    })
}

#[derive(Serialize)]
struct JsonTree<'t> {
    file: &'t str,
    format: &'t str,
    length: u64,
    nodes: Siblings<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JsonFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<JsonRange>,
}

#[derive(Serialize)]
struct JsonRange {
    start: u64,
    end: u64,
}

/// An error in decoding.
#[derive(Serialize)]
pub struct JsonFault {
    message: String,
    offset: u64,
    path: String,
    truncated: bool,
}

impl From<&DecodeError> for JsonFault {
    fn from(error: &DecodeError) -> Self {
        JsonFault {
            message: error.fault().to_string(),
            offset: error.offset(),
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
    start: u64,
    end: u64,
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
            start: node.range.start,
            end: node.range.end,
            value: node.value.as_deref(),
            note: node.note.map(note_text),
            broken: node.broken,
            children,
        }
    }
}

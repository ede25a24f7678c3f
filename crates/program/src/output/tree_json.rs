//! A tree as JSON.

use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::Range;
use std::rc::Rc;

use enginewire::wire::{Node, Tree, TreePart};
use enginewire::{DecodeError, Offset, Segment};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::output::name::Name;
use crate::output::text::note_text;

/// A tree that is written as it is made.
pub struct JsonTree<'t> {
    pub file: &'t Name,
    pub format: &'static str,
    pub length: u64,
    /// The offset of the input in the file. It is added to all ranges.
    start: u64,
    nodes: RefCell<Nodes<'t>>,
    /// The last part of the document, after all nodes.
    end: &'t RefCell<End>,
}

/// Data that is known only after all nodes.
#[derive(Default)]
pub struct End {
    pub error: Option<DecodeError>,
    /// The memory limit, if the tree exceeded it.
    pub limit: Option<usize>,
    pub gap: Option<Range<Offset>>,
}

/// All nodes, in the order of the input.
struct Nodes<'t> {
    parts: Box<dyn Iterator<Item = TreePart> + 't>,
    /// The tree with the next node, and its number there.
    next: (Rc<Tree>, usize),
}

impl Nodes<'_> {
    /// The tree with the next node, and its number there; `None` after the last one.
    fn peek(&mut self) -> Option<(Rc<Tree>, usize)> {
        while self.next.1 >= self.next.0.nodes().len() {
            let part = self.parts.next()?;
            self.next = (Rc::new(part.tree), part.repeated);
        }
        Some(self.next.clone())
    }

    /// The depth of the next node.
    fn depth(&mut self) -> Option<usize> {
        let (tree, index) = self.peek()?;
        tree.node(index).map(|node| node.depth)
    }
}

impl<'t> JsonTree<'t> {
    /// The tree of these parts. `end` is looked at when they were written.
    pub fn new(
        file: &'t Name,
        format: &'static str,
        (start, length): (u64, u64),
        parts: impl Iterator<Item = TreePart> + 't,
        end: &'t RefCell<End>,
    ) -> Self {
        let nodes = Nodes { parts: Box::new(parts), next: Default::default() };
        JsonTree { file, format, length, start, nodes: RefCell::new(nodes), end }
    }

    /// Writes the document of `inspect --json`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        writeln!(out)
    }
}

impl Serialize for JsonTree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", self.file)?;
        map.serialize_entry("format", self.format)?;
        map.serialize_entry("length", &self.length)?;
        map.serialize_entry("nodes", &Siblings { nodes: &self.nodes, start: self.start, depth: 0 })?;
        let End { error, limit, gap } = &*self.end.borrow();
        if let Some(error) = error {
            map.serialize_entry("error", &error.clone().shifted(self.start))?;
        }
        if let Some(limit) = limit {
            map.serialize_entry("limit", limit)?;
        }
        if let Some(gap) = gap {
            map.serialize_entry("gap", &JsonRange::new(gap, self.start))?;
        }
        map.end()
    }
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

impl JsonRange {
    /// Of input that begins at byte `from`.
    fn new(&Range { start, end }: &Range<Offset>, from: u64) -> Self {
        let byte = |offset: Offset| offset.byte().saturating_add(from);
        JsonRange { start: byte(start), start_bit: start.bit(), end: byte(end), end_bit: end.bit() }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it so
fn is_zero(bit: &u8) -> bool {
    *bit == 0
}

/// The nodes of one depth that come next, each followed by those within it.
struct Siblings<'s, 't> {
    nodes: &'s RefCell<Nodes<'t>>,
    start: u64,
    depth: usize,
}

impl Siblings<'_, '_> {
    fn is_empty(&self) -> bool {
        self.nodes.borrow_mut().depth().is_none_or(|depth| depth < self.depth)
    }

    fn next(&self) -> Option<(Rc<Tree>, usize)> {
        let mut nodes = self.nodes.borrow_mut();
        nodes.depth().filter(|depth| *depth >= self.depth)?;
        let next = nodes.peek();
        nodes.next.1 = nodes.next.1.saturating_add(1);
        next
    }
}

impl Serialize for Siblings<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        while let Some((tree, index)) = self.next() {
            let Some(node) = tree.node(index) else { continue };
            let children = Siblings { depth: node.depth.saturating_add(1), ..*self };
            list.serialize_element(&JsonNode::new(&node, children))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct JsonNode<'t, 'n> {
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
    children: Siblings<'t, 'n>,
}

impl<'t, 'n> JsonNode<'t, 'n> {
    fn new(node: &'t Node<'_>, children: Siblings<'t, 'n>) -> Self {
        let (label, index) = match &node.label {
            Segment::Field(name) => (Some(*name), None),
            Segment::Index(index) => (None, Some(*index)),
            Segment::Key(key) => (key.as_str(), None),
            _ => (None, None),
        };
        JsonNode {
            label,
            index,
            key: node.key,
            range: JsonRange::new(&node.range, children.start),
            value: node.value,
            note: node.note.map(note_text),
            broken: node.broken,
            children,
        }
    }
}

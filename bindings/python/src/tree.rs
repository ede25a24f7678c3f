//! The tree of all fields: what `enginewire.inspect` is built on.

use enginewire::wire::{Note, Tree};
use enginewire::{Offset, Segment};
use pyo3::prelude::*;

use crate::buffers::detached;
use crate::errors::decode_error;

/// A field or structure: its label, its key, depth, range (each end as a byte and a bit), value, note, and whether it is broken.
type Parts = (String, Option<String>, usize, (u64, u8), (u64, u8), Option<String>, Option<String>, bool);

/// The parts of a tree, and the error if there is one.
pub type TreeParts = (Vec<Parts>, Option<Py<PyAny>>);

fn place(offset: Offset) -> (u64, u8) {
    (offset.byte(), offset.bit())
}

fn parts(tree: &Tree) -> Vec<Parts> {
    let nodes = tree.nodes().map(|node| {
        let label = match &node.label {
            Segment::Field(name) => (*name).to_owned(),
            Segment::Index(index) => format!("[{index}]"),
            Segment::Key(key) => key.to_string(),
            other => format!("{other:?}"),
        };
        let text = |text: Option<&str>| text.map(str::to_owned);
        let note = node.note.map(|note| match note {
            Note::NonCanonical(what) => format!("not canonical: {what}"),
            Note::Draft(what) => format!("{what} was never seen in real data"),
            other => format!("{other:?}"),
        });
        let (start, end) = (place(node.range.start), place(node.range.end));
        (label, text(node.key), node.depth, start, end, text(node.value), note, node.broken)
    });
    nodes.collect()
}

/// The tree that `inspect` makes of bytes, for Python.
pub fn tree_parts<'b>(py: Python<'_>, bytes: &'b [u8], inspect: impl FnOnce(&'b [u8]) -> Tree + Send) -> TreeParts {
    let (parts, error) = detached(py, bytes, |bytes| {
        let tree = inspect(bytes);
        (parts(&tree), tree.error().cloned())
    });
    (parts, error.map(|error| decode_error(py, &error).into_value(py).into_any()))
}

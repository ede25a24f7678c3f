//! Every field of an input with its place and value.

use std::cell::RefCell;
use std::fmt::Debug;
use std::ops::Range;

use nom::{Complete, Emit, OutputM, Parser};

use super::instrumented::Instrumented;
use crate::budget::{self, Budget, OverBudget};
use crate::error::{write_short_text, write_text, DecodeError, Key, Segment, KEY_TEXT};
use crate::number::to_u64;
use crate::wire::error::located;
use crate::wire::{Label, Note, Traceback};
use crate::Offset;

/// A listener to everything that a parser reads through an [`Instrumented`] source. Offsets count from the start of the input.
pub trait Tracer: Debug {
    /// A part begins.
    fn open(&self, _at: Offset, _label: Label<'_>) {}

    /// The part opened last ends.
    fn close(&self, _at: Offset, _value: &dyn Debug) {}

    /// The part opened last has a key.
    fn key(&self, _key: &dyn Debug) {}

    /// Adds a note about the input that begins here, which is valid.
    fn note(&self, _at: Offset, _note: Note) {}

    /// Returns true if it cannot keep more. The parser then finds the input at its end.
    fn is_full(&self) -> bool {
        false
    }
}

/// A part of the input: a structure, a field, an item.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// Its name in the specification, or its place as an item.
    pub label: Segment,
    /// Its key, quoted and shortened, if it is an item of a map.
    pub key: Option<Box<str>>,
    /// The number of nodes around it.
    pub depth: usize,
    /// The place of its bytes. A broken part ends after its last field that could be read.
    pub range: Range<Offset>,
    /// Its value. That of a field is kept up to 200 characters, that of a structure only if it is short and more than a list of
    /// its fields. An item of a map has none: the nodes of its key and its value do. With the feature `text`, the values of a
    /// format are in the notation of their engine.
    pub value: Option<Box<str>>,
    /// The note about it.
    pub note: Option<Note>,
    /// True if it could not be read to its end.
    pub broken: bool,
}

/// All parts of an input, which may be broken.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let tree = attributes::inspect(b"\x01\0\0\0\x01\0\0\0a\x03\x01");
/// let labels: Vec<_> = tree.nodes().iter().map(|node| (node.depth, tree.path(node).to_string())).collect();
/// assert_eq!(labels[0], (0, "length".into()));
/// assert_eq!(labels.last().unwrap(), &(3, r#"entries[0] "a".value.bool"#.into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) note: Option<Note>,
    pub(crate) error: Option<DecodeError>,
    pub(crate) limit: Option<usize>,
    pub(crate) length: u64,
    pub(crate) read: Offset,
}

impl Tree {
    /// The parts in the order of the input, each before the parts within it.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The parts that [`nodes`](Self::nodes) returns.
    #[must_use]
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// The tree with other nodes. Each of these must still come before those within it.
    #[must_use]
    pub fn map_nodes(self, map: impl FnOnce(Vec<Node>) -> Vec<Node>) -> Self {
        Tree { nodes: map(self.nodes), ..self }
    }

    /// The reason why the input could not be read to its end. The error is in the last node that is broken.
    #[must_use]
    pub fn error(&self) -> Option<&DecodeError> {
        self.error.as_ref()
    }

    /// The limit of memory, in bytes, that the tree reached: it ends there, and the rest was not read. `None` if
    /// the tree is complete.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// The note about the input as a whole, or about bytes after its last part.
    #[must_use]
    pub fn note(&self) -> Option<Note> {
        self.note
    }

    /// The same tree of input that is known to be complete, as a value in a container is. See
    /// [`DecodeError::of_complete_input`].
    #[must_use]
    pub fn of_complete_input(self) -> Self {
        Tree { error: self.error.map(DecodeError::of_complete_input), ..self }
    }

    /// The bytes that belong to no part: those after the error or the end of the value.
    #[must_use]
    pub fn gap(&self) -> Option<Range<Offset>> {
        let length = Offset::from(self.length);
        (self.read < length).then_some(self.read..length)
    }

    /// The length of the input in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The path of `node`, which is a node of this tree.
    #[must_use]
    pub fn path(&self, node: &Node) -> crate::Path {
        let place = self.nodes.iter().position(|other| std::ptr::eq(other, node)).unwrap_or_default();
        let mut depth = node.depth.saturating_add(1);
        let mut path = Vec::new();
        for ancestor in self.nodes.iter().take(place.saturating_add(1)).rev() {
            if ancestor.depth < depth {
                depth = ancestor.depth;
                path.extend(ancestor.key.clone().map(|key| Segment::Key(Key::Other(key))));
                path.push(ancestor.label.clone());
            }
        }
        path.into_iter().rev().collect()
    }

    /// The nodes directly within `node`, which is a node of this tree; for `None`, the outermost nodes.
    pub fn children<'t>(&'t self, node: Option<&Node>) -> impl Iterator<Item = &'t Node> {
        let place = node.and_then(|node| self.nodes.iter().position(|other| std::ptr::eq(other, node)));
        let depth = node.map_or(0, |node| node.depth.saturating_add(1));
        let below = self.nodes.get(place.map_or(0, |place| place.saturating_add(1))..).unwrap_or_default();
        below.iter().take_while(move |other| other.depth >= depth).filter(move |other| other.depth == depth)
    }
}

/// The [`Tracer`] that makes a [`Tree`].
///
/// ```
/// use enginewire::roblox::datatypes::udim;
/// use enginewire::wire::{Le, Log};
///
/// let log = Log::default();
/// let tree = log.trace(&[0, 0, 0, 0x3f, 7][..], udim::<Le, _, _>());
/// assert_eq!(tree.nodes()[0].value.as_deref(), Some("0.5"));
/// assert_eq!(tree.error().unwrap().path().to_string(), "offset");
/// assert_eq!(tree.gap().unwrap().end, 5);
/// ```
#[derive(Clone, Debug)]
pub struct Log {
    pub(crate) limit: usize,
    pub(crate) levels: usize,
    nodes: RefCell<Nodes>,
}

#[derive(Clone, Debug, Default)]
struct Nodes {
    all: Vec<Node>,
    /// Indexes of the nodes not yet closed, outermost first.
    open: Vec<usize>,
    /// A note that belongs to no node.
    note: Option<Note>,
    /// Memory that is left for them.
    budget: Budget,
    /// The number of open parts that are too deep, or that had no memory left. No part in them is kept.
    unkept: usize,
    /// The last node with a part that was too deep.
    cut: Option<usize>,
    is_full: bool,
    /// A buffer for the text of values, which is used again and again.
    text: String,
}

/// Bytes that a node costs besides its own: the parser also builds values, in lists that grow by doubling.
const VALUE: usize = 64;

/// Bytes that an item costs that is too deep for a node: the parser builds its value all the same.
const CUT_VALUE: usize = 40;

/// Bytes that a text costs besides its own.
const TEXT: usize = 16;

/// The most bytes of text that are kept of the value of a field, and of the value of a structure.
const FIELD_TEXT: usize = 200;
const STRUCTURE_TEXT: usize = 48;

impl Default for Log {
    /// 256 MiB.
    fn default() -> Self {
        Log::within(budget::DEFAULT)
    }
}

impl Log {
    /// A log of at most `max_memory` bytes. A tree that would take more ends there: see [`Tree::limit`].
    ///
    /// ```
    /// use enginewire::wire::{repeat, uint8, Log};
    ///
    /// let tree = Log::within(4096).trace(&[0; 1000][..], repeat(1000, 1, uint8()));
    /// assert_eq!((tree.limit(), tree.error()), (Some(4096), None));
    /// assert!(tree.nodes().len() < 100 && tree.gap().is_some());
    /// ```
    #[must_use]
    pub fn within(max_memory: usize) -> Self {
        let nodes = Nodes { budget: Budget::new(max_memory), ..Nodes::default() };
        Log { limit: max_memory, levels: usize::MAX, nodes: nodes.into() }
    }

    /// The same, with at most `levels` levels of nodes. Nodes in the innermost level have the same values as in the whole tree;
    /// an item of a map keeps the node of its value, which is one level deeper.
    ///
    /// ```
    /// use enginewire::wire::{field, repeat, uint8, Log};
    ///
    /// let tree = Log::default().levels(1).trace(&[7; 3][..], field("numbers", repeat(3, 1, uint8())));
    /// assert_eq!((tree.nodes().len(), tree.nodes()[0].value.as_deref()), (1, Some("[7, 7, 7]")));
    /// ```
    #[must_use]
    pub fn levels(self, levels: usize) -> Self {
        Log { levels, ..self }
    }

    /// Runs `parser` over the whole of `input` and returns the tree of everything read.
    pub fn trace<'a, 't, P>(&'t self, input: &'a [u8], parser: P) -> Tree
    where
        P: Parser<Instrumented<'a, 't>, Error = Traceback<Instrumented<'a, 't>>>,
    {
        self.trace_part(input, 0, parser).0
    }

    /// Runs `parser` from `at` on, which is a place in `input`, and gives its value too.
    pub(crate) fn trace_part<'a, 't, P>(
        &'t self,
        input: &'a [u8],
        at: usize,
        mut parser: P,
    ) -> (Tree, Option<P::Output>)
    where
        P: Parser<Instrumented<'a, 't>, Error = Traceback<Instrumented<'a, 't>>>,
    {
        self.nodes.borrow_mut().begin(self.limit);
        let start = Instrumented::traced(input, self);
        let (read, value) = match parser.process::<OutputM<Emit, Emit, Complete>>(start.from(at)) {
            Ok((rest, value)) => (Ok(rest.place()), Some(value)),
            Err(error) => (Err(located(error, &start)), None),
        };
        (self.tree(to_u64(input.len()), read), value)
    }

    /// The tree of everything logged, for input of this length that was read up to a place or an error.
    fn tree(&self, length: u64, read: Result<Offset, DecodeError>) -> Tree {
        let (read, error) = match read {
            Ok(read) => (read, None),
            Err(error) => (error.offset(), Some(error)),
        };
        let Nodes { all, open, note, is_full, .. } = &mut *self.nodes.borrow_mut();
        for index in &*open {
            if let Some(node) = all.get_mut(*index) {
                node.broken = true;
                node.range.end = read.max(node.range.start);
            }
        }
        // the parser found an end that is not in the input
        let (error, limit) = if *is_full { (None, Some(self.limit)) } else { (error, None) };
        Tree { nodes: std::mem::take(all), note: *note, error, limit, length, read }
    }
}

impl Nodes {
    /// Empties them for another tree. The buffers are used again.
    fn begin(&mut self, max_memory: usize) {
        self.open.clear();
        let (open, text) = (std::mem::take(&mut self.open), std::mem::take(&mut self.text));
        let budget = Budget::with(max_memory, open.capacity().saturating_mul(size_of::<usize>()));
        *self = Nodes { open, text, budget, ..Nodes::default() };
    }

    /// The node opened last, if there was memory for it.
    fn last_open(&mut self) -> Option<&mut Node> {
        let last = self.open.last().copied().filter(|_| self.unkept == 0)?;
        self.all.get_mut(last)
    }

    fn keep(&mut self, node: Node) -> Result<(), OverBudget> {
        self.budget.take(VALUE)?;
        let index = self.all.len();
        self.budget.push(&mut self.open, index)?;
        let kept = self.budget.push(&mut self.all, node);
        if kept.is_err() {
            self.open.pop();
        }
        kept
    }

    /// The start of a value as text; `None` if its memory would exceed the limit.
    fn text(&mut self, value: &dyn Debug, limit: usize) -> Option<Box<str>> {
        write_text(&mut self.text, value, limit);
        self.kept()
    }

    /// A short value as text. `None` if it is long, lists its fields, which are nodes of their own, or would exceed the limit of
    /// memory.
    fn short_text(&mut self, value: &dyn Debug) -> Option<Box<str>> {
        write_short_text(&mut self.text, value, STRUCTURE_TEXT).ok()?;
        self.kept()
    }

    /// The text that was written last.
    fn kept(&mut self) -> Option<Box<str>> {
        let is_kept = self.budget.take(self.text.len().saturating_add(TEXT)).is_ok();
        self.is_full |= !is_kept;
        is_kept.then(|| self.text.as_str().into())
    }
}

impl Tracer for Log {
    fn open(&self, at: Offset, label: Label<'_>) {
        let nodes = &mut *self.nodes.borrow_mut();
        let depth = nodes.open.len();
        let is_value = |nodes: &mut Nodes| nodes.last_open().is_some_and(|item| item.key.is_some());
        let is_value = depth == self.levels && matches!(label, Label::Field("value")) && is_value(nodes);
        if depth >= self.levels && !is_value && !nodes.is_full {
            nodes.unkept = nodes.unkept.saturating_add(1);
            nodes.cut = nodes.open.last().copied();
            let size = if matches!(label, Label::Index(_)) { CUT_VALUE } else { 0 };
            nodes.is_full = nodes.budget.take(size).is_err();
            return;
        }
        let node =
            Node { label: label.into(), key: None, depth, range: at..at, value: None, note: None, broken: false };
        if nodes.is_full || nodes.keep(node).is_err() {
            nodes.is_full = true;
            nodes.unkept = nodes.unkept.saturating_add(1);
        }
    }

    fn close(&self, at: Offset, value: &dyn Debug) {
        let nodes = &mut *self.nodes.borrow_mut();
        if nodes.unkept > 0 {
            nodes.unkept = nodes.unkept.saturating_sub(1);
            return;
        }
        let Some(index) = nodes.open.pop() else { return };
        let is_field = index.saturating_add(1) == nodes.all.len() && nodes.cut != Some(index);
        let is_keyed = nodes.all.get(index).is_some_and(|node| node.key.is_some());
        let value = match is_field {
            true => nodes.text(value, FIELD_TEXT),
            false if is_keyed => None,
            false => nodes.short_text(value),
        };
        let Some(node) = nodes.all.get_mut(index) else { return };
        node.range.end = at;
        node.value = value;
    }

    fn key(&self, key: &dyn Debug) {
        let nodes = &mut *self.nodes.borrow_mut();
        if nodes.unkept > 0 {
            return;
        }
        let text = nodes.text(key, KEY_TEXT);
        if let Some(node) = nodes.last_open() {
            node.key = text;
        }
    }

    fn note(&self, _at: Offset, note: Note) {
        let nodes = &mut *self.nodes.borrow_mut();
        let is_unkept = nodes.is_full || nodes.unkept > 0;
        match nodes.last_open() {
            Some(node) => node.note = Some(note),
            None if is_unkept => {}
            None => nodes.note = Some(note),
        }
    }

    fn is_full(&self) -> bool {
        self.nodes.borrow().is_full
    }
}

#[cfg(test)]
#[cfg(feature = "roblox")]
mod tests {
    use super::*;
    use crate::roblox::attributes::{inspect, inspect_with, Options};
    use crate::wire::{field, flat_map, keyed, repeat, take, uint8};
    use pretty_assertions::assert_eq;

    type Error<'t> = Traceback<Instrumented<'t, 't>>;

    fn node(tree: &Tree, path: &str) -> Node {
        tree.nodes().iter().find(|node| tree.path(node).to_string() == path).unwrap().clone()
    }

    /// A value is in the notation of its engine, and a structure without one has its fields.
    #[test]
    #[cfg(feature = "text")]
    fn values_are_in_the_notation_of_their_engine() {
        let tree = inspect(b"\x01\0\0\0\x01\0\0\0a\x10\0\0\x80\x3f\0\0\0\x40");
        assert_eq!(node(&tree, r#"entries[0] "a".value"#).value.as_deref(), Some("Vector2.new(1, 2)"));
        assert_eq!(node(&tree, r#"entries[0] "a".value.vector2"#).value, None);
    }

    /// A listener that wants no more than the labels.
    #[derive(Debug, Default)]
    struct Labels(RefCell<Vec<String>>);

    impl Tracer for Labels {
        fn open(&self, at: Offset, label: Label<'_>) {
            self.0.borrow_mut().push(format!("{at} {label:?}"));
        }
    }

    #[test]
    fn a_listener_need_not_listen_to_everything() {
        let labels = Labels::default();
        let mut parser = (field("first", uint8::<_, ()>()), field("second", uint8()));
        assert!(parser.parse_complete(Instrumented::traced(&[1, 2], &labels)).is_ok());
        assert_eq!(*labels.0.borrow(), [r#"0x0 Field("first")"#, r#"0x1 Field("second")"#]);
    }

    /// Entries of a key, numbers and a text, each with its length before it.
    fn entries(limit: usize, input: &[u8]) -> Tree {
        let log = Log::within(limit);
        let text = || flat_map(uint8::<_, Error<'_>>(), |length: u8| take(length.into()));
        let numbers = || flat_map(uint8(), |count: u8| field("numbers", repeat(count.into(), 1, uint8())));
        let entry = || {
            keyed(field("key", text()), field("value", (numbers(), field("text", text()))), |key, value| (key, value))
        };
        log.trace(input, flat_map(uint8(), |count: u8| field("entries", repeat(count.into(), 1, entry()))))
    }

    /// A tree that ends at its limit is the beginning of the whole tree, and reports the limit.
    #[test]
    fn a_limited_tree_is_the_beginning_of_the_whole() {
        let (key, text) = ([b'k'; 40], [b't'; 60]);
        let input = [&[2, 40][..], &key, &[0, 60], &text, &[0, 3, 1, 2, 3, 0]].concat();
        let whole = entries(budget::DEFAULT, &input);
        assert_eq!((whole.limit(), whole.error(), whole.gap()), (None, None, None));
        let mut lengths = std::collections::BTreeSet::new();
        for limit in 0.. {
            let tree = entries(limit, &input);
            if tree == whole {
                break;
            }
            assert_eq!((tree.limit(), tree.error(), tree.gap().is_some()), (Some(limit), None, true));
            for (node, of_whole) in tree.nodes().iter().zip(whole.nodes()) {
                assert_eq!((&node.label, node.depth), (&of_whole.label, of_whole.depth));
                assert_eq!(node.range.start, of_whole.range.start);
                assert!(node.broken || node.range.end == of_whole.range.end, "{limit}: {node:?}, {of_whole:?}");
                assert!(node.value.is_none() || node.value == of_whole.value);
            }
            lengths.insert(tree.nodes().len());
        }
        assert!(lengths.len() > 3, "{lengths:?}");
    }

    /// A value that would exceed the memory is left out, and the tree reports it.
    #[test]
    fn a_tree_without_all_its_values_is_limited() {
        let tree = |limit| Log::within(limit).trace(&[b'x'; 8 * 190][..], repeat(8, 190, take::<_, Error<'_>>(190)));
        let whole = tree(budget::DEFAULT);
        for limit in 0.. {
            let tree = tree(limit);
            if tree == whole {
                break;
            }
            assert_eq!(tree.limit(), Some(limit));
        }
    }

    #[test]
    fn children_are_those_directly_within() {
        let log = Log::default();
        let list = |name| field(name, repeat(2, 1, uint8::<_, Error<'_>>()));
        let tree = log.trace(&[1, 2, 3, 4][..], field("all", (list("a"), list("b"))));
        let labels =
            |of: Option<&Node>| tree.children(of).map(|child| tree.path(child).to_string()).collect::<Vec<_>>();
        assert_eq!(labels(None), ["all"]);
        let all = &tree.nodes()[0];
        assert_eq!(labels(Some(all)), ["all.a", "all.b"]);
        let a = tree.children(Some(all)).next().unwrap();
        assert_eq!(labels(Some(a)), ["all.a[0]", "all.a[1]"]);
        assert_eq!(labels(tree.children(Some(a)).last()), [""; 0]);
    }

    #[test]
    fn a_field_keeps_a_long_value_and_a_structure_a_short_one() {
        let bytes: Vec<u8> = (0..100).collect();
        let log = Log::default();
        let few = field("few", repeat(2, 1, uint8::<_, Error<'_>>()));
        let many = field("many", repeat(30, 1, uint8::<_, Error<'_>>()));
        let tree = log.trace(&bytes[..], (few, many, field("string", take(60))));
        assert_eq!(node(&tree, "few").value.as_deref(), Some("[0, 1]"));
        assert_eq!(node(&tree, "many").value, None);
        let value = node(&tree, "string").value.unwrap();
        assert!(value.len() > STRUCTURE_TEXT && value.starts_with("\" !"), "{value}");
    }

    #[test]
    fn notes_stand_at_their_field_or_at_the_whole() {
        let bool_of_2 = b"\x01\0\0\0\x01\0\0\0a\x03\x02";
        let tree = inspect(bool_of_2);
        let noted: Vec<_> = tree.nodes().iter().filter(|node| node.note.is_some()).collect();
        assert_eq!(noted.len(), 1);
        assert_eq!(tree.path(noted[0]).to_string(), r#"entries[0] "a".value.bool"#);
        assert_eq!(tree.note(), None);
        let trailing = [&bool_of_2[..10], &[1, 0]].concat();
        let tree = inspect_with(&trailing, &Options::new().trailing_bytes(true));
        assert_eq!(tree.note(), Some(Note::NonCanonical("bytes after the end of the value")));
        assert!(tree.nodes().iter().all(|node| node.note.is_none()));
    }
}

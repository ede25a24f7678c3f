//! Every field of an input with its place and value.

use std::cell::RefCell;
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::ops::Range;

use nom::{Complete, Emit, OutputM, Parser};

use super::instrumented::Instrumented;
use crate::budget::{self, Budget, OverBudget};
use crate::error::{append_short_text, append_text, DecodeError, Key, Segment, KEY_TEXT};
use crate::number::{to_u64, to_usize};
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

/// A part of the input: a structure, a field, an item. Its texts are those of its [`Tree`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node<'t> {
    /// Its number among the nodes of the tree.
    pub index: usize,
    /// Its name in the specification, or its place as an item.
    pub label: Segment,
    /// Its key, quoted and shortened, if it is an item of a map.
    pub key: Option<&'t str>,
    /// The number of nodes around it.
    pub depth: usize,
    /// The place of its bytes. A broken part ends after its last field that could be read.
    pub range: Range<Offset>,
    /// Its value. That of a field is kept up to 200 characters, that of a structure only if it is short and more than a list of
    /// its fields. An item of a map has none: the nodes of its key and its value do. With the feature `text`, the values of a
    /// format are in the notation of their engine.
    pub value: Option<&'t str>,
    /// The note about it.
    pub note: Option<Note>,
    /// True if it could not be read to its end.
    pub broken: bool,
}

/// A [`Node`] as its tree keeps it, in 64 bytes: a tree may have millions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    label: Name,
    /// In bits.
    start: u64,
    /// In bits.
    end: u64,
    key: Option<Span>,
    value: Option<Span>,
    /// Few nodes have one.
    note: Option<Box<Note>>,
    depth: u32,
    broken: bool,
}

/// A [`Label`] of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Field(&'static str),
    Index(usize),
}

/// A part of the text of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// One more than its place.
    start: NonZeroU32,
    length: u16,
}

const _: () = assert!(size_of::<Kept>() <= 64);

impl Kept {
    /// Sets what is known only after the nodes within it.
    pub(crate) fn complete(&mut self, end: Offset, broken: bool) {
        (self.end, self.broken, self.value) = (end.bits(), broken, None);
    }
}

/// All parts of an input, which may be broken.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let tree = attributes::inspect(b"\x01\0\0\0\x01\0\0\0a\x03\x01");
/// let labels: Vec<_> = tree.nodes().map(|node| (node.depth, tree.path(&node).to_string())).collect();
/// assert_eq!(labels[0], (0, "length".into()));
/// assert_eq!(labels.last().unwrap(), &(3, r#"entries[0] "a".value.bool"#.into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(crate) kept: Vec<Kept>,
    /// The keys and values of the nodes.
    pub(crate) text: String,
    pub(crate) note: Option<Note>,
    pub(crate) error: Option<DecodeError>,
    pub(crate) limit: Option<usize>,
    pub(crate) length: u64,
    pub(crate) read: Offset,
}

/// An iterator over nodes of a [`Tree`].
#[derive(Clone, Debug)]
pub struct Nodes<'t> {
    tree: &'t Tree,
    range: Range<usize>,
}

impl<'t> Iterator for Nodes<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        self.range.next().and_then(|index| self.tree.node(index))
    }

    fn nth(&mut self, count: usize) -> Option<Node<'t>> {
        self.range.nth(count).and_then(|index| self.tree.node(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.range.next_back().and_then(|index| self.tree.node(index))
    }
}

impl ExactSizeIterator for Nodes<'_> {}

impl Tree {
    /// The parts in the order of the input, each before the parts within it.
    #[must_use]
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes { tree: self, range: 0..self.kept.len() }
    }

    /// The node with this number.
    #[must_use]
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        let kept = self.kept.get(index)?;
        let text = |span: Span| {
            let start = to_usize(span.start.get().saturating_sub(1));
            self.text.get(start..start.saturating_add(span.length.into()))
        };
        let offset = |bits: u64| Offset::new(bits / 8, u8::try_from(bits % 8).unwrap_or_default());
        let label = match kept.label {
            Name::Field(name) => Segment::Field(name),
            Name::Index(index) => Segment::Index(index),
        };
        Some(Node {
            index,
            label,
            key: kept.key.and_then(text),
            depth: to_usize(kept.depth),
            range: offset(kept.start)..offset(kept.end),
            value: kept.value.and_then(text),
            note: kept.note.as_deref().copied(),
            broken: kept.broken,
        })
    }

    /// All nodes within `node`, which is a node of this tree.
    #[must_use]
    pub fn within(&self, node: &Node<'_>) -> Nodes<'_> {
        let first = node.index.saturating_add(1);
        let behind = self.kept.get(first..).unwrap_or_default();
        let count = behind.iter().position(|other| to_usize(other.depth) <= node.depth).unwrap_or(behind.len());
        Nodes { tree: self, range: first..first.saturating_add(count) }
    }

    /// The same tree with those of its nodes that `map` returns, with their depth, key and value. Each of them must still come before
    /// those within it.
    #[must_use]
    pub fn map_nodes<'t>(&'t self, mut map: impl FnMut(Node<'t>) -> Option<Node<'t>>) -> Self {
        let mut tree = Tree { kept: Vec::new(), text: String::new(), error: self.error.clone(), ..*self };
        for node in self.nodes() {
            let kept = self.kept.get(node.index);
            let (Some(kept), Some(node)) = (kept, map(node)) else { continue };
            let mut add = |text: &str| {
                let start = tree.text.len();
                tree.text.push_str(text);
                span(start, tree.text.len())
            };
            let (key, value) = (node.key.and_then(&mut add), node.value.and_then(&mut add));
            let depth = u32::try_from(node.depth).unwrap_or(u32::MAX);
            tree.kept.push(Kept { key, value, depth, ..kept.clone() });
        }
        tree
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
    pub fn path(&self, node: &Node<'_>) -> crate::Path {
        let mut depth = node.depth.saturating_add(1);
        let mut path = Vec::new();
        for (index, kept) in self.kept.iter().enumerate().take(node.index.saturating_add(1)).rev() {
            if to_usize(kept.depth) < depth {
                depth = to_usize(kept.depth);
                let around = self.node(index);
                path.extend(around.iter().filter_map(|node| node.key).map(|key| Segment::Key(Key::Other(key.into()))));
                path.extend(around.map(|node| node.label));
            }
            if depth == 0 {
                break;
            }
        }
        path.into_iter().rev().collect()
    }

    /// The nodes directly within `node`, which is a node of this tree; for `None`, the outermost nodes.
    pub fn children<'t>(&'t self, node: Option<&Node<'_>>) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let depth = node.map_or(0, |node| node.depth.saturating_add(1));
        let within = node.map_or_else(|| self.nodes(), |node| self.within(node));
        within.filter(move |other| other.depth == depth)
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
/// assert_eq!(tree.node(0).unwrap().value, Some("0.5"));
/// assert_eq!(tree.error().unwrap().path().to_string(), "offset");
/// assert_eq!(tree.gap().unwrap().end, 5);
/// ```
#[derive(Clone, Debug)]
pub struct Log {
    pub(crate) limit: usize,
    pub(crate) levels: usize,
    opened: Vec<(Range<Offset>, usize)>,
    state: RefCell<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    all: Vec<Kept>,
    /// The keys and values of the nodes.
    text: String,
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
}

/// Bytes that a node costs besides its own: the parser also builds values, in lists that grow by doubling.
const VALUE: usize = 64;

/// Bytes that an item costs that is too deep for a node: the parser builds its value all the same.
const CUT_VALUE: usize = 40;

/// The most bytes of text that are kept of the value of a field, and of the value of a structure.
const FIELD_TEXT: usize = 200;
const STRUCTURE_TEXT: usize = 48;

/// The room for the texts of the first nodes, in bytes.
const FIRST_TEXTS: usize = 64;

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
        let state = State { budget: Budget::new(max_memory), ..State::default() };
        Log { limit: max_memory, levels: usize::MAX, opened: Vec::new(), state: state.into() }
    }

    /// The same, with at most `levels` levels of nodes. Nodes in the innermost level have the same values as in the whole tree;
    /// an item of a map keeps the node of its value, which is one level deeper.
    ///
    /// ```
    /// use enginewire::wire::{field, repeat, uint8, Log};
    ///
    /// let tree = Log::default().levels(1).trace(&[7; 3][..], field("numbers", repeat(3, 1, uint8())));
    /// assert_eq!((tree.nodes().len(), tree.node(0).unwrap().value), (1, Some("[7, 7, 7]")));
    /// ```
    #[must_use]
    pub fn levels(self, levels: usize) -> Self {
        Log { levels, ..self }
    }

    /// The same, with more levels in parts of the input: in each of these ranges, as many as are named with it.
    ///
    /// ```
    /// use enginewire::wire::{field, repeat, uint8, Log};
    /// use enginewire::Offset;
    ///
    /// let log = Log::default().levels(1).opened(vec![(Offset::from(1)..Offset::from(3), 2)]);
    /// let both = (field("first", repeat(1, 1, uint8())), field("second", repeat(2, 1, uint8())));
    /// let tree = log.trace(&[7; 3][..], both);
    /// assert_eq!(tree.nodes().map(|node| node.depth).collect::<Vec<_>>(), [0, 0, 1, 1]);
    /// ```
    #[must_use]
    pub fn opened(self, opened: Vec<(Range<Offset>, usize)>) -> Self {
        Log { opened, ..self }
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
        self.state.borrow_mut().begin(self.limit);
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
        let State { all, text, open, note, is_full, .. } = &mut *self.state.borrow_mut();
        for index in &*open {
            if let Some(node) = all.get_mut(*index) {
                node.broken = true;
                node.end = read.bits().max(node.start);
            }
        }
        // the parser found an end that is not in the input
        let (error, limit) = if *is_full { (None, Some(self.limit)) } else { (error, None) };
        Tree { kept: std::mem::take(all), text: std::mem::take(text), note: *note, error, limit, length, read }
    }
}

/// The part of a text between two places; `None` if it is beyond 4 GiB.
fn span(start: usize, end: usize) -> Option<Span> {
    let length = u16::try_from(end.saturating_sub(start)).ok()?;
    let start = u32::try_from(start.saturating_add(1)).ok().and_then(NonZeroU32::new)?;
    Some(Span { start, length })
}

impl State {
    /// Empties it for another tree. Its list of open nodes is used again.
    fn begin(&mut self, max_memory: usize) {
        self.open.clear();
        let open = std::mem::take(&mut self.open);
        let budget = Budget::with(max_memory, open.capacity().saturating_mul(size_of::<usize>()));
        *self = State { open, budget, ..State::default() };
    }

    /// The node opened last, if there was memory for it.
    fn last_open(&mut self) -> Option<&mut Kept> {
        let last = self.open.last().copied().filter(|_| self.unkept == 0)?;
        self.all.get_mut(last)
    }

    fn keep(&mut self, node: Kept) -> Result<(), OverBudget> {
        self.budget.take(VALUE)?;
        let index = self.all.len();
        self.budget.push(&mut self.open, index)?;
        let kept = self.budget.push(&mut self.all, node);
        if kept.is_err() {
            self.open.pop();
        }
        kept
    }

    /// Keeps the start of a value as text; `None` if its memory would exceed the limit.
    fn text(&mut self, value: &dyn Debug, limit: usize) -> Option<Span> {
        self.write(limit, |text| {
            append_text(text, value, limit);
            true
        })
    }

    /// Keeps a short value as text. `None` if it is long, lists its fields, which are nodes of their own, or would exceed the limit
    /// of memory.
    fn short_text(&mut self, value: &dyn Debug) -> Option<Span> {
        self.write(STRUCTURE_TEXT, |text| append_short_text(text, value, STRUCTURE_TEXT).is_ok())
    }

    /// Keeps the text that `write` adds, of at most `limit` bytes and `…`, if it returns true.
    fn write(&mut self, limit: usize, write: impl FnOnce(&mut String) -> bool) -> Option<Span> {
        let (start, room) = (self.text.len(), limit.saturating_add('…'.len_utf8()));
        if self.text.capacity().saturating_sub(start) < room && self.grow(room).is_err() {
            self.is_full = true;
            return None;
        }
        if write(&mut self.text) {
            let kept = span(start, self.text.len());
            self.is_full |= kept.is_none();
            return kept;
        }
        self.text.truncate(start);
        None
    }

    /// Makes room for more text, and counts its memory.
    #[cold]
    fn grow(&mut self, count: usize) -> Result<(), OverBudget> {
        let (length, before) = (self.text.len(), self.text.capacity());
        let after = length.saturating_add(count).max(before.saturating_mul(2)).max(FIRST_TEXTS);
        // the old memory and the new one exist while the text moves
        self.budget.room_for(after)?;
        self.text.reserve_exact(after.saturating_sub(length));
        self.budget.give_back(before);
        self.budget.take(after)
    }
}

impl Tracer for Log {
    fn open(&self, at: Offset, label: Label<'_>) {
        let state = &mut *self.state.borrow_mut();
        let depth = state.open.len();
        let is_value = |state: &mut State| state.last_open().is_some_and(|item| item.key.is_some());
        let is_value = depth == self.levels && matches!(label, Label::Field("value")) && is_value(state);
        let is_opened = || self.opened.iter().any(|(range, levels)| depth < *levels && range.contains(&at));
        let is_deep = depth >= self.levels && !is_value && (state.unkept > 0 || !is_opened());
        if is_deep && !state.is_full {
            state.unkept = state.unkept.saturating_add(1);
            state.cut = state.open.last().copied();
            let size = if matches!(label, Label::Index(_)) { CUT_VALUE } else { 0 };
            state.is_full = state.budget.take(size).is_err();
            return;
        }
        let label = match label {
            Label::Field(name) => Name::Field(name),
            Label::Index(index) => Name::Index(index),
            // parsers tell keys by `key`
            Label::Key(_) => Name::Field(""),
        };
        let (at, depth) = (at.bits(), u32::try_from(depth).unwrap_or(u32::MAX));
        let node = Kept { label, start: at, end: at, key: None, value: None, note: None, depth, broken: false };
        if state.is_full || state.keep(node).is_err() {
            state.is_full = true;
            state.unkept = state.unkept.saturating_add(1);
        }
    }

    fn close(&self, at: Offset, value: &dyn Debug) {
        let state = &mut *self.state.borrow_mut();
        if state.unkept > 0 {
            state.unkept = state.unkept.saturating_sub(1);
            return;
        }
        let Some(index) = state.open.pop() else { return };
        let is_field = index.saturating_add(1) == state.all.len() && state.cut != Some(index);
        let is_keyed = state.all.get(index).is_some_and(|node| node.key.is_some());
        let value = match is_field {
            true => state.text(value, FIELD_TEXT),
            false if is_keyed => None,
            false => state.short_text(value),
        };
        let Some(node) = state.all.get_mut(index) else { return };
        node.end = at.bits();
        node.value = value;
    }

    fn key(&self, key: &dyn Debug) {
        let state = &mut *self.state.borrow_mut();
        if state.unkept > 0 {
            return;
        }
        let text = state.text(key, KEY_TEXT);
        if let Some(node) = state.last_open() {
            node.key = text;
        }
    }

    fn note(&self, _at: Offset, note: Note) {
        let state = &mut *self.state.borrow_mut();
        let is_unkept = state.is_full || state.unkept > 0;
        match state.last_open() {
            Some(node) => node.note = Some(Box::new(note)),
            None if is_unkept => {}
            None => state.note = Some(note),
        }
    }

    fn is_full(&self) -> bool {
        self.state.borrow().is_full
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

    fn node<'t>(tree: &'t Tree, path: &str) -> Node<'t> {
        tree.nodes().find(|node| tree.path(node).to_string() == path).unwrap()
    }

    /// A value is in the notation of its engine, and a structure without one has its fields.
    #[test]
    #[cfg(feature = "text")]
    fn values_are_in_the_notation_of_their_engine() {
        let tree = inspect(b"\x01\0\0\0\x01\0\0\0a\x10\0\0\x80\x3f\0\0\0\x40");
        assert_eq!(node(&tree, r#"entries[0] "a".value"#).value, Some("Vector2.new(1, 2)"));
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
            for (node, of_whole) in tree.nodes().zip(whole.nodes()) {
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
            |of: Option<&Node>| tree.children(of).map(|child| tree.path(&child).to_string()).collect::<Vec<_>>();
        assert_eq!(labels(None), ["all"]);
        let all = &tree.node(0).unwrap();
        assert_eq!(labels(Some(all)), ["all.a", "all.b"]);
        let a = tree.children(Some(all)).next().unwrap();
        assert_eq!(labels(Some(&a)), ["all.a[0]", "all.a[1]"]);
        assert_eq!(labels(tree.children(Some(&a)).last().as_ref()), [""; 0]);
    }

    #[test]
    fn a_field_keeps_a_long_value_and_a_structure_a_short_one() {
        let bytes: Vec<u8> = (0..100).collect();
        let log = Log::default();
        let few = field("few", repeat(2, 1, uint8::<_, Error<'_>>()));
        let many = field("many", repeat(30, 1, uint8::<_, Error<'_>>()));
        let tree = log.trace(&bytes[..], (few, many, field("string", take(60))));
        assert_eq!(node(&tree, "few").value, Some("[0, 1]"));
        assert_eq!(node(&tree, "many").value, None);
        let value = node(&tree, "string").value.unwrap();
        assert!(value.len() > STRUCTURE_TEXT && value.starts_with("\" !"), "{value}");
    }

    #[test]
    fn notes_stand_at_their_field_or_at_the_whole() {
        let bool_of_2 = b"\x01\0\0\0\x01\0\0\0a\x03\x02";
        let tree = inspect(bool_of_2);
        let noted: Vec<_> = tree.nodes().filter(|node| node.note.is_some()).collect();
        assert_eq!(noted.len(), 1);
        assert_eq!(tree.path(&noted[0]).to_string(), r#"entries[0] "a".value.bool"#);
        assert_eq!(tree.note(), None);
        let trailing = [&bool_of_2[..10], &[1, 0]].concat();
        let tree = inspect_with(&trailing, &Options::new().trailing_bytes(true));
        assert_eq!(tree.note(), Some(Note::NonCanonical("bytes after the end of the value")));
        assert!(tree.nodes().all(|node| node.note.is_none()));
    }
}

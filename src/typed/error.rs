//! Errors between a value and a Rust type, before their place is known.

use std::fmt::{self, Display};

use serde::de::{Expected, Unexpected};

use crate::error::{DecodeError, EncodeError, EncodeFault, Fault, Path, Segment};
use crate::wire::{AsKey, Label, Node, Nodes, Tree};
use crate::Offset;

/// A step from a container to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An item, or the value of an entry.
    Item(usize),
    /// The key of an entry.
    Key(usize),
}

/// The reason why a Rust type cannot be read from a value.
///
/// It is one pointer wide, and stores only the steps to its place. The offset is looked up when the error is returned.
#[derive(Debug)]
pub(crate) struct ReadError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    /// The fault; `None` if the bytes are not a value. Decoding them then finds the error.
    fault: Option<Fault>,
    /// Innermost first.
    steps: Vec<Step>,
}

impl ReadError {
    #[cold]
    pub(crate) fn new(fault: Fault) -> Self {
        ReadError(Box::new(Inner { fault: Some(fault), steps: Vec::new() }))
    }

    /// The bytes are not a value.
    #[cold]
    pub(crate) fn broken() -> Self {
        ReadError(Box::new(Inner { fault: None, steps: Vec::new() }))
    }

    #[cold]
    pub(crate) fn mismatch(found: impl Into<String>, expected: impl Into<String>) -> Self {
        ReadError::new(Fault::Mismatch { found: found.into(), expected: expected.into() })
    }

    /// The same error at the target of this step.
    #[cold]
    pub(crate) fn within(mut self, step: Step) -> Self {
        self.0.steps.push(step);
        self
    }

    /// The same error of a structure with these fields: a missing field then names them.
    #[cold]
    pub(crate) fn of_fields(mut self, fields: &'static [&'static str]) -> Self {
        if let (Some(Fault::Name { known, .. }), true) = (&mut self.0.fault, self.0.steps.is_empty())
            && known.is_empty()
        {
            *known = fields;
        }
        self
    }

    /// The error with its place in the bytes. `tree` has all their fields, and the fields named `root` lead to the outermost
    /// value. `decode` returns the error of bytes that are not a value.
    #[cold]
    pub(crate) fn locate(
        self,
        root: &[&'static str],
        tree: impl FnOnce() -> Tree,
        decode: impl FnOnce() -> Option<DecodeError>,
    ) -> DecodeError {
        let Inner { fault, steps } = *self.0;
        let Some(fault) = fault else {
            let unknown = || DecodeError::new(Offset::default(), Path::default(), Fault::Other(NO_VALUE.to_owned()));
            return decode().unwrap_or_else(unknown);
        };
        let tree = tree();
        let mut place = Place { tree: &tree, at: None };
        for name in root {
            place.enter(name);
        }
        for step in steps.into_iter().rev() {
            place.step(step);
        }
        place.enter_payload();
        match place.node() {
            Some(node) => DecodeError::new(node.range.start, tree.path(&node), fault),
            None => DecodeError::new(Offset::default(), Path::default(), fault),
        }
    }
}

const NO_VALUE: &str = "the bytes are no value";

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.fault {
            Some(fault) => fault.fmt(f),
            None => f.write_str(NO_VALUE),
        }
    }
}

impl std::error::Error for ReadError {}

fn named(problem: &'static str, name: &str, known: &'static [&'static str]) -> ReadError {
    ReadError::new(Fault::Name { problem, name: name.into(), known })
}

impl serde::de::Error for ReadError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        ReadError::new(Fault::Other(message.to_string()))
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ReadError::mismatch(found.to_string(), expected.to_string())
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let target = expected.to_string();
        let number = match found {
            Unexpected::Signed(number) => number.to_string(),
            Unexpected::Unsigned(number) => number.to_string(),
            Unexpected::Float(number) => number.to_string(),
            found => return ReadError::mismatch(found.to_string(), target),
        };
        ReadError::new(Fault::DoesNotFit { number, target })
    }

    #[cold]
    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        ReadError::mismatch(items(length), expected.to_string())
    }

    #[cold]
    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        named("unknown variant", name, known)
    }

    #[cold]
    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        named("unknown field", name, known)
    }

    #[cold]
    fn missing_field(name: &'static str) -> Self {
        named("missing field", name, &[])
    }

    #[cold]
    fn duplicate_field(name: &'static str) -> Self {
        named("duplicate field", name, &[])
    }
}

/// A number of items, in words.
pub(crate) fn items(count: usize) -> String {
    format!("{count} item{}", if count == 1 { "" } else { "s" })
}

/// A node of a tree on the way to another.
struct Place<'t> {
    tree: &'t Tree,
    /// The node; at first `None`, which means all of them.
    at: Option<usize>,
}

impl<'t> Place<'t> {
    fn node(&self) -> Option<Node<'t>> {
        self.at.and_then(|at| self.tree.node(at))
    }

    /// The depth of the nodes directly within this one.
    fn below(&self) -> usize {
        self.node().map_or(0, |node| node.depth.saturating_add(1))
    }

    /// The nodes within this one.
    fn within(&self) -> Nodes<'t> {
        self.node().map_or_else(|| self.tree.nodes(), |node| self.tree.within(&node))
    }

    /// The fields directly within this one, with their numbers and names.
    fn fields(&self) -> impl Iterator<Item = (usize, &'static str)> + use<'t> {
        let depth = self.below();
        self.within().filter(move |node| node.depth == depth).filter_map(|node| match node.label {
            Segment::Field(name) => Some((node.index, name)),
            _ => None,
        })
    }

    /// Moves to the field of this name, if there is one.
    fn enter(&mut self, name: &str) {
        self.at = self.fields().find(|(_, field)| *field == name).map(|(at, _)| at).or(self.at);
    }

    /// Moves to the target of the step.
    fn step(&mut self, step: Step) {
        let (index, names) = match step {
            Step::Item(index) => (index, &["value"][..]),
            Step::Key(index) => (index, &["key", "name"][..]),
        };
        // the items of a container are the only indexed nodes that are not inside others
        let mut items = self.within().skip_while(|node| !matches!(node.label, Segment::Index(_)));
        let Some(first) = items.next() else { return };
        let depth = first.depth;
        let is_item = |node: &Node<'_>| node.depth == depth && node.label == Segment::Index(index);
        let item = std::iter::once(first).chain(items).find(is_item).map(|node| node.index);
        self.at = item.or(self.at);
        if item.is_some() {
            names.iter().for_each(|name| self.enter(name));
        }
    }

    /// Moves from a value to the part after its type.
    fn enter_payload(&mut self) {
        let mut fields = self.fields();
        if let Some((_, "header" | "type")) = fields.next() {
            self.at = fields.next().map(|(at, _)| at).or(self.at);
        }
    }
}

/// The reason why a value of a Rust type cannot be written.
#[derive(Debug)]
pub(crate) struct BuildError(Box<(EncodeFault, Vec<Segment>)>);

impl BuildError {
    #[cold]
    pub(crate) fn new(message: impl Into<String>) -> Self {
        BuildError(Box::new((EncodeFault::Other(message.into()), Vec::new())))
    }

    /// The same error in this item.
    #[cold]
    pub(crate) fn within(mut self, segment: Segment) -> Self {
        self.0 .1.push(segment);
        self
    }

    #[cold]
    pub(crate) fn within_key(self, key: &dyn AsKey) -> Self {
        self.within(Label::Key(key).into())
    }
}

/// An error of a part. Its own path is dropped: the names of the Rust fields give the place.
impl From<EncodeError> for BuildError {
    #[cold]
    fn from(error: EncodeError) -> Self {
        BuildError(Box::new((error.into_reason(), Vec::new())))
    }
}

impl From<BuildError> for EncodeError {
    fn from(error: BuildError) -> Self {
        let (fault, path) = *error.0;
        EncodeError::new(path.into_iter().rev().collect(), fault)
    }
}

impl Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0 .0.fmt(f)
    }
}

impl std::error::Error for BuildError {}

impl serde::ser::Error for BuildError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        BuildError::new(message.to_string())
    }
}

//! The tree of a value in parts. Only one part is in memory at a time.

use super::run::{self, Head, Item, Whole};
use super::stream::{ItemStream, Next, Step, Stepper};
use super::trace::{Kept, Log, Tree};
use crate::error::{DecodeError, Fault, Path};
use crate::number::{to_u64, to_usize};
use crate::wire::{Format, TRAILING};
use crate::Offset;

/// A part of the tree of a value: the nodes before its items, one item, or the end. Made by [`TreeParts`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreePart {
    /// The nodes, with those around them. Offsets and the length are those of the whole input. Error, limit, gap and note are
    /// those of the whole, and in the last part.
    pub tree: Tree,
    /// The number of nodes around the item. They come first.
    pub around: usize,
    /// The number of these that an earlier part has too: all or none.
    pub repeated: usize,
}

/// The tree of a value, part by part. Its memory is that of the largest item of the value's stream.
///
/// All nodes except the repeated ones, part by part, are the nodes of [`inspect`](crate::wire::format::inspect). Only the nodes around
/// the items have no values. A value of few items, or of a small tree, is a single part.
///
/// ```
/// use enginewire::roblox::attributes::{AttributesFormat, Options};
/// use enginewire::wire::TreeParts;
///
/// let bytes = b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\x03\x00";
/// let parts = TreeParts::<AttributesFormat>::new(bytes, &Options::new(), 1 << 20).whole_within(0);
/// let paths = parts.map(|part| part.tree.node(part.repeated).map(|node| part.tree.path(&node).to_string()));
/// let paths: Vec<_> = paths.flatten().collect();
/// assert_eq!(paths, ["length", "entries", r#"entries[1] "b""#]);
/// ```
#[derive(Clone, Debug)]
pub struct TreeParts<'a, F: Format> {
    input: &'a [u8],
    options: F::Options,
    log: Log,
    whole: usize,
    state: State<F::Stream>,
}

/// The next step.
#[derive(Clone, Copy, Debug)]
enum State<S> {
    Start,
    Part(Place<S>),
    End,
}

/// A place in the input, and the state of the stream there.
#[derive(Clone, Copy, Debug)]
struct Place<S> {
    stream: S,
    at: usize,
    /// True if an item came before, with the nodes around it.
    is_within: bool,
    items: Items,
}

/// All items of a value, as far as they can be read.
#[derive(Clone, Copy, Debug, Default)]
struct Items {
    count: u64,
    end: u64,
    /// True if one of them has an error.
    are_broken: bool,
}

/// A tree of at most this many bytes is not divided by default.
const WHOLE: usize = 1 << 20;

impl<'a, F: Format> TreeParts<'a, F> {
    /// The tree of `input`, read as the options say. A part takes at most `max_memory` bytes. One that would take more ends
    /// there, reports it, and is the last.
    #[must_use]
    pub fn new(input: &'a [u8], options: &F::Options, max_memory: usize) -> Self {
        TreeParts { input, options: *options, log: Log::within(max_memory), whole: WHOLE, state: State::Start }
    }

    /// Limits the tree to `levels` levels; all unless set. The levels that are left out take no memory.
    #[must_use]
    pub fn levels(self, levels: usize) -> Self {
        TreeParts { log: self.log.levels(levels), ..self }
    }

    /// A tree that takes at most `bytes` bytes is not divided; 1 MiB unless set.
    #[must_use]
    pub fn whole_within(self, bytes: usize) -> Self {
        TreeParts { whole: bytes, ..self }
    }

    /// The tree, if it is small or has fewer than two items.
    fn whole(&self) -> Result<Tree, Place<F::Stream>> {
        let log = &self.log;
        let within = |log: &Log| run::trace(log, self.input, 0, Whole::<F>(&self.options)).0;
        let tree = within(&Log::within(self.whole.min(log.limit)).levels(log.levels));
        if tree.limit.is_none() {
            return Ok(tree);
        }
        let stream = F::Stream::new(self.options);
        let items = Items::of(stream, self.input);
        if items.count < 2 {
            return Ok(within(log));
        }
        Err(Place { stream, at: 0, is_within: false, items })
    }

    /// The part at `place`, and the place of the next one, if there is one.
    fn part(&self, place: Place<F::Stream>) -> (TreePart, Option<Place<F::Stream>>) {
        let Place { mut stream, at, is_within, items } = place;
        let is_at_end = at >= self.input.len();
        let (mut around, mut is_item) = (0, false);
        let (mut tree, next) = match stream.next() {
            Next::Head | Next::Item if is_at_end && stream.may_end() => (self.end(at, None), None),
            Next::Head => run::trace(&self.log, self.input, at, Head(stream)),
            Next::Item => {
                let (mut tree, item) = run::trace(&self.log, self.input, at, Item(stream));
                around = stream.path().segments().len().saturating_sub(1).min(tree.kept.len());
                tree.kept.iter_mut().take(around).for_each(|node| items.surround(node));
                is_item = true;
                stream.advance();
                (tree, item.map(|_| stream))
            }
            Next::End if !is_at_end => (self.end(at, Some(Fault::Trailing)), None),
            Next::End | Next::Ignored => (self.end(at, None), None),
        };
        let next = next.filter(|_| tree.limit.is_none()).map(|stream| {
            let at = to_usize(tree.read.byte());
            // the bytes after it are not left unread
            tree.read = tree.length.into();
            Place { stream, at, is_within: is_within || is_item, items }
        });
        (TreePart { tree, around, repeated: if is_within { around } else { 0 } }, next)
    }

    /// The end, after the items: nothing, bytes that are allowed there, or an error.
    fn end(&self, at: usize, fault: Option<Fault>) -> Tree {
        let read = Offset::from(to_u64(at));
        let note = (fault.is_none() && at < self.input.len()).then_some(TRAILING);
        let error = fault.map(|fault| DecodeError::new(read, Path::default(), fault));
        Tree { note, error, read, length: to_u64(self.input.len()), ..Tree::default() }
    }
}

impl<F: Format> Iterator for TreeParts<'_, F> {
    type Item = TreePart;

    fn next(&mut self) -> Option<TreePart> {
        loop {
            let place = match std::mem::replace(&mut self.state, State::End) {
                State::Start => match self.whole() {
                    Ok(tree) => return Some(TreePart { tree, around: 0, repeated: 0 }),
                    Err(place) => place,
                },
                State::Part(place) => place,
                State::End => return None,
            };
            let (part, next) = self.part(place);
            let Some(next) = next else { return Some(part) };
            self.state = State::Part(next);
            // a head without nodes only states whether items follow
            if !part.tree.kept.is_empty() {
                return Some(part);
            }
        }
    }
}

impl Items {
    /// Those that `stream` gives for `input`.
    fn of<S: ItemStream>(stream: S, input: &[u8]) -> Self {
        let (mut stepper, mut rest, mut items) = (Stepper::new(stream), input, Items::default());
        loop {
            let before = to_u64(input.len().saturating_sub(rest.len()));
            match stepper.step(rest, true) {
                Ok((used, Step::Item(_))) => {
                    rest = rest.get(used..).unwrap_or_default();
                    items.count = items.count.saturating_add(1);
                    items.end = before.saturating_add(to_u64(used));
                }
                Ok(_) => return items,
                Err(error) => {
                    items.are_broken = stepper.stream.next() == Next::Item;
                    if items.are_broken {
                        items.end = before.saturating_add(error.offset().byte());
                    }
                    return items;
                }
            }
        }
    }

    /// Completes a node around the items with facts that are known only after the last of them.
    fn surround(&self, node: &mut Kept) {
        node.complete(self.end.into(), self.are_broken);
    }
}

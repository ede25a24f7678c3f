//! Values inside values to great depth, with little stack for each level.
//!
//! A parser that calls itself takes kilobytes of stack for a level in a debug build. Here a format only says how a value
//! begins; which containers are open is kept in small frames, many to a call, with the same labels, marks and bounds as
//! [`field`](super::field()), [`keyed`](super::keyed) and [`repeat`](super::repeat()) have.

use std::fmt::Debug;

use nom::{Err, Mode, OutputMode, PResult, Parser};

use super::error::{within, Failed, WireError};
use super::field::{field, Builds, Unvalued, Valued};
use super::source::{to_u64, to_usize, Label, Source};
use crate::error::Fault;

/// What the items of a container are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A value.
    Value,
    /// A value called `key`, and another called `value`.
    Pair,
    /// What [`Unfold::name`] reads, and a value called `value`.
    Named,
}

/// A kind of container.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The field of the value that it is.
    pub(crate) field: &'static str,
    /// The field with its items.
    pub(crate) items: &'static str,
    pub(crate) item: Item,
    /// The fewest bytes that an item takes, which must not be 0.
    pub(crate) smallest: usize,
}

/// How a value begins.
pub(crate) enum Head {
    /// It holds no others, and is complete.
    Value,
    /// It is a container of so many items, read up to these.
    Container(&'static Kind, u32),
}

/// The beginning of a value, and the input behind it.
pub(crate) type Begun<OM, I, E> = Result<(I, Head), Failed<OM, E>>;

/// A format whose values hold values.
///
/// Values are put where they belong as they are read: handed from call to call, every one would be moved several times.
pub(crate) trait Unfold<I: Source>: Copy {
    type Error: WireError<I>;
    /// The default holds a place until the value is read.
    type Value: Debug + Default;
    /// A container that is being read.
    type Container: Debug + Default;

    /// Reads a value that lies in `depth` containers, into `value`; or of a container what stands before its items, into
    /// `container`, where it also [opens](Source::open) the field that this is.
    fn head<OM: OutputMode>(
        self,
        input: I,
        depth: u16,
        value: &mut Self::Value,
        container: &mut Self::Container,
    ) -> Begun<OM, I, Self::Error>;

    /// Reads the name of a [named](Item::Named) item.
    fn name<OM: OutputMode>(self, input: I) -> PResult<OM, I, Self::Value, Self::Error>;

    /// Makes room for exactly so many items.
    fn reserve(container: &mut Self::Container, count: usize);

    /// Adds an item that is to be read, whose name was read if it is [named](Item::Named): where its first value goes.
    fn begin(container: &mut Self::Container, name: Option<Self::Value>) -> Option<&mut Self::Value>;

    /// Where the value goes that is being read: the last item, or the value behind its key.
    fn place(container: &mut Self::Container, keyed: bool) -> Option<&mut Self::Value>;

    /// Drops the items behind the first `count`.
    fn truncate(container: &mut Self::Container, count: usize);

    /// Hands the key or name of the last item to `hear`, as paths show it.
    fn key<T>(container: &Self::Container, hear: impl FnOnce(&dyn Debug) -> T) -> T;

    /// A value as paths show it where it is a key.
    fn as_key(value: &Self::Value) -> impl Debug + '_;

    /// The last item, as trees show it.
    fn last(container: &Self::Container) -> &dyn Debug;

    /// The value that a container is, which has all its items, unless one is broken: then all that come before.
    fn close(container: Self::Container) -> Self::Value;
}

/// Reads a value and all that it holds, as `format` says.
#[inline]
pub(crate) fn unfold<U>(format: U) -> Unfolded<U> {
    Unfolded(format)
}

/// A parser for values inside values. Made by [`unfold`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfolded<U>(U);

impl<I: Source, U: Unfold<I>> Parser<I> for Unfolded<U> {
    type Output = U::Value;
    type Error = U::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, U::Value, U::Error> {
        if !Builds::<OM>::VALUES {
            if let Some((opened, rest)) = input.recall() {
                return reopened::<OM, I, U>(self.0, &input, rest, 0, &opened);
            }
        }
        match value::<OM, I, U>(self.0, input.clone(), input.clone(), 0, 0) {
            // there was no room for the items of a container: the input is broken, but behind this
            Err(Err::Failure(error)) if Open::<I, U>::reserves::<OM>() => {
                value::<Unvalued<OM>, I, U>(self.0, input.clone(), input, 0, 0)?;
                Err(Err::Failure(error))
            }
            done => done,
        }
    }
}

/// Reads a value that lies in `depth` containers, whose items take `owed` more bytes behind it at least.
#[cfg_attr(not(debug_assertions), inline(always))]
fn value<OM, I, U>(format: U, start: I, input: I, depth: u16, owed: usize) -> PResult<OM, I, U::Value, U::Error>
where
    OM: OutputMode,
    I: Source,
    U: Unfold<I>,
{
    let (mut value, mut container) = (U::Value::default(), U::Container::default());
    let (rest, head) = format.head::<OM>(input, depth, &mut value, &mut container)?;
    match head {
        Head::Value => Ok((rest, OM::Output::bind(|| value))),
        Head::Container(kind, count) => {
            let mut open = Open::<I, U>::new(format, start, depth, owed);
            let rest = open.open::<OM>(rest, kind, count, container)?;
            open.read::<OM>(rest)
        }
    }
}

/// Reads on in containers that were left open, of which `depth` are dealt with already.
fn reopened<OM, I, U>(
    format: U,
    start: &I,
    input: I,
    depth: u16,
    opened: &[Opened],
) -> PResult<OM, I, U::Value, U::Error>
where
    OM: OutputMode,
    I: Source,
    U: Unfold<I>,
{
    let (these, inside) = opened.split_at_checked(LEVELS).unwrap_or((opened, &[]));
    let mut open = Open::<I, U>::new(format, start.clone(), depth, 0);
    for (slot, Opened { kind, count, index, keyed }) in open.frames.iter_mut().zip(these.iter().copied()) {
        let container = U::Container::default();
        *slot = Some(Frame { kind, count, index, keyed, owed: 0, left: input.remaining(), container });
        open.count = open.count.saturating_add(1);
    }
    if inside.is_empty() {
        return open.read::<OM>(input);
    }
    let rest = match reopened::<OM, I, U>(format, start, input, open.inside(), inside) {
        Ok((rest, value)) => open.put::<OM>(rest, value),
        Err(error) => return Err(open.name::<OM>(error)),
    };
    open.read::<OM>(rest)
}

/// A container that is open, as far as a later run must know it.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    kind: &'static Kind,
    count: u32,
    index: u32,
    keyed: bool,
}

/// How many containers a call keeps track of.
const LEVELS: usize = 8;

/// Containers inside each other.
struct Open<I: Source, U: Unfold<I>> {
    format: U,
    /// Where the outermost value begins.
    start: I,
    /// How many containers there are around these.
    depth: u16,
    /// How many bytes the items that are still to come in those take at least.
    owed: usize,
    frames: [Option<Frame<U::Container>>; LEVELS],
    count: usize,
}

/// A container whose items are being read.
struct Frame<C> {
    kind: &'static Kind,
    count: u32,
    /// The item that is being read.
    index: u32,
    /// Whether its key was read.
    keyed: bool,
    /// How many bytes the items that are still to come in the containers around take at least.
    owed: usize,
    /// How many bytes are left from its first on, where nothing is built: less to keep than the place itself.
    left: usize,
    container: C,
}

impl<C> Frame<C> {
    /// How many bytes the items behind the one that is being read take at least, in this container and those around.
    fn owed(&self) -> usize {
        let behind = self.count.saturating_sub(self.index).saturating_sub(1);
        to_usize(behind).saturating_mul(self.kind.smallest).saturating_add(self.owed)
    }
}

impl<I: Source, U: Unfold<I>> Open<I, U> {
    fn new(format: U, start: I, depth: u16, owed: usize) -> Self {
        Open { format, start, depth, owed, frames: std::array::from_fn(|_| None), count: 0 }
    }

    /// Whether memory is reserved, and must be bounded. A listener wants to hear of every field once, and what is
    /// salvaged may end anywhere: there lists grow as they are read.
    fn reserves<OM: OutputMode>() -> bool {
        Builds::<OM>::VALUES && !I::TRACED && !I::SALVAGED
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn last(&mut self) -> Option<&mut Frame<U::Container>> {
        self.frames.get_mut(self.count.checked_sub(1)?)?.as_mut()
    }

    /// How many containers a value that is read now lies in.
    fn inside(&self) -> u16 {
        self.depth.saturating_add(u16::try_from(self.count).unwrap_or(u16::MAX))
    }

    /// Reads the items of the containers, and what they hold.
    #[inline(never)]
    fn read<OM: OutputMode>(&mut self, mut input: I) -> PResult<OM, I, U::Value, U::Error> {
        let mut container = U::Container::default();
        loop {
            input = match self.items::<OM>(input, &mut container) {
                Ok((rest, Head::Container(kind, count))) => {
                    self.open::<OM>(rest, kind, count, std::mem::take(&mut container))?
                }
                Ok((rest, Head::Value)) => {
                    let (rest, value) = self.close::<OM>(rest);
                    if self.count == 0 {
                        return Ok((rest, value));
                    }
                    self.put::<OM>(rest, value)
                }
                Err(error) if I::SALVAGED => self.cut().ok_or(error)?,
                Err(error) if U::Error::LABELLED => return Err(self.name::<OM>(error)),
                Err(error) => return Err(error),
            };
        }
    }

    /// Ends the last container before the item that is being read, and with it the input.
    fn cut(&mut self) -> Option<I> {
        let frame = self.last()?;
        (frame.count, frame.keyed) = (frame.index, false);
        U::truncate(&mut frame.container, to_usize(frame.index));
        Some(self.start.clone().over())
    }

    /// Where so many bytes are left.
    fn at(&self, left: usize) -> I {
        let passed = self.start.remaining().saturating_sub(left);
        self.start.bytes(passed).map_or_else(|| self.start.clone(), |(_, rest)| rest)
    }

    /// Opens a container of so many items.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn open<OM: OutputMode>(
        &mut self,
        input: I,
        kind: &'static Kind,
        count: u32,
        mut container: U::Container,
    ) -> Result<I, Failed<OM, U::Error>> {
        input.open(Label::Field(kind.items));
        let start = input;
        let owed = self.last().map(|frame| frame.owed()).unwrap_or(self.owed);
        if Self::reserves::<OM>() {
            let size = to_usize(count).saturating_mul(kind.smallest);
            if size > start.remaining().saturating_sub(owed) {
                return Err(no_room::<I, OM, U::Error>(start, size));
            }
            U::reserve(&mut container, to_usize(count));
        } else if !Builds::<OM>::VALUES {
            start.remember(&self.start, usize::from(self.inside()), Opened { kind, count, index: 0, keyed: false });
        }
        if let Some(slot) = self.frames.get_mut(self.count) {
            *slot = Some(Frame { kind, count, index: 0, keyed: false, owed, left: start.remaining(), container });
            self.count = self.count.saturating_add(1);
        }
        Ok(start)
    }

    /// Closes the last container.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn close<OM: OutputMode>(&mut self, input: I) -> (I, <OM::Output as Mode>::Output<U::Value>) {
        self.count = self.count.saturating_sub(1);
        let frame = self.frames.get_mut(self.count).and_then(Option::take);
        let value = OM::Output::bind(|| {
            let container = frame.map(|frame| frame.container).unwrap_or_default();
            input.close(&container);
            input.close(&container);
            U::close(container)
        });
        (input, value)
    }

    /// Reads on in the last container, up to the first item that is a container too, or to its end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn items<OM: OutputMode>(&mut self, mut input: I, container: &mut U::Container) -> Begun<OM, I, U::Error> {
        let (format, inside, is_full) = (self.format, self.inside(), self.count == LEVELS);
        let mut nowhere = U::Value::default();
        let last = self.count.checked_sub(1).and_then(|last| self.frames.get_mut(last)?.as_mut());
        let Some(frame) = last else { return Ok((input, Head::Value)) };
        let item = frame.kind.item;
        loop {
            let owed = if is_full { frame.owed() } else { 0 };
            let place = if frame.keyed {
                U::place(&mut frame.container, true)
            } else if frame.index >= frame.count {
                return Ok((input, Head::Value));
            } else {
                if !Builds::<OM>::VALUES {
                    frame.left = input.remaining();
                }
                input.open(Label::Index(to_usize(frame.index)));
                if item == Item::Named {
                    let (rest, name) = field("name", Name(format)).process::<OM>(input)?;
                    input = rest;
                    OM::Output::map(name, |name| {
                        U::begin(&mut frame.container, Some(name));
                        U::key(&frame.container, |key| input.key(key));
                    });
                    input.open(Label::Field("value"));
                    frame.keyed = true;
                    U::place(&mut frame.container, true)
                } else {
                    if item == Item::Pair {
                        input.open(Label::Field("key"));
                    }
                    if Builds::<OM>::VALUES {
                        U::begin(&mut frame.container, None)
                    } else {
                        None
                    }
                }
            };
            let place = match place {
                Some(place) => place,
                None if Builds::<OM>::VALUES => return Ok((input, Head::Value)),
                None => &mut nowhere,
            };
            if is_full {
                let (rest, value) = value::<OM, I, U>(format, self.start.clone(), input, inside, owed)?;
                OM::Output::map(value, |value| *place = value);
                input = rest;
            } else {
                match format.head::<OM>(input, inside, place, container)? {
                    (rest, Head::Value) => input = rest,
                    container => return Ok(container),
                }
            }
            frame.add::<OM, I, U>(item, &self.start, inside, &input);
        }
    }

    /// Puts a value where it belongs in the last container, and goes on behind it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put<OM: OutputMode>(&mut self, rest: I, value: <OM::Output as Mode>::Output<U::Value>) -> I {
        let inside = self.inside();
        let last = self.count.checked_sub(1).and_then(|last| self.frames.get_mut(last)?.as_mut());
        let Some(frame) = last else { return rest };
        OM::Output::map(value, |value| {
            if let Some(place) = U::place(&mut frame.container, frame.keyed) {
                *place = value;
            }
        });
        frame.add::<OM, I, U>(frame.kind.item, &self.start, inside, &rest);
        rest
    }

    /// An error in the next value, with the way to it.
    #[cold]
    #[inline(never)]
    fn name<OM: OutputMode>(&mut self, mut error: Failed<OM, U::Error>) -> Failed<OM, U::Error> {
        // where the rest is still to come there is no error, and where there is no room it is another
        if let Err::Incomplete(_) | Err::Failure(_) = error {
            return error;
        }
        while let Some(frame) = self.count.checked_sub(1).and_then(|last| self.frames.get_mut(last)?.take()) {
            self.count = self.count.saturating_sub(1);
            let depth = self.inside().saturating_add(1);
            let at = self.at(frame.left);
            error = frame.name::<OM, I, U>(self.format, at, depth, error);
        }
        error
    }
}

impl<C> Frame<C> {
    /// Goes on behind a value that is in its place, lies in `inside` containers and ends before `rest`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<OM, I, U>(&mut self, item: Item, start: &I, inside: u16, rest: &I)
    where
        OM: OutputMode,
        I: Source,
        U: Unfold<I, Container = C>,
    {
        if Builds::<OM>::VALUES && I::TRACED {
            if let Some(value) = U::place(&mut self.container, self.keyed) {
                rest.close(value);
            }
        }
        if item == Item::Pair && !self.keyed {
            self.keyed = true;
            if Builds::<OM>::VALUES && I::TRACED {
                U::key(&self.container, |key| rest.key(key));
            }
            rest.open(Label::Field("value"));
        } else {
            if item != Item::Value {
                self.keyed = false;
                if Builds::<OM>::VALUES && I::TRACED {
                    rest.close(U::last(&self.container));
                }
            }
            self.index = self.index.saturating_add(1);
        }
        if !Builds::<OM>::VALUES {
            let Frame { kind, count, index, keyed, .. } = *self;
            rest.remember(start, usize::from(inside).saturating_sub(1), Opened { kind, count, index, keyed });
        }
    }

    /// An error in this container, whose items lie in `depth` of them, in the item `at` this place.
    #[cold]
    #[inline(never)]
    fn name<OM, I, U>(self, format: U, at: I, depth: u16, mut error: Failed<OM, U::Error>) -> Failed<OM, U::Error>
    where
        OM: OutputMode,
        I: Source,
        U: Unfold<I, Container = C>,
    {
        let Frame { kind, index, keyed, container, .. } = self;
        if keyed {
            error = within::<I, OM, U::Error>(error, Label::Field("value"));
            if Builds::<OM>::VALUES {
                error = U::key(&container, |key| within::<I, OM, U::Error>(error, Label::Key(key)));
            } else {
                // nothing was built, so that the key is read once more
                let key = match kind.item {
                    Item::Named => field("name", Name(format)).process::<Valued<OM>>(at),
                    _ => value::<Valued<OM>, I, U>(format, at.clone(), at, depth, 0),
                };
                if let Ok((_, key)) = key {
                    error = within::<I, OM, U::Error>(error, Label::Key(&U::as_key(&key)));
                }
            }
        } else if kind.item == Item::Pair {
            error = within::<I, OM, U::Error>(error, Label::Field("key"));
        }
        error = within::<I, OM, U::Error>(error, Label::Index(to_usize(index)));
        error = within::<I, OM, U::Error>(error, Label::Field(kind.items));
        within::<I, OM, U::Error>(error, Label::Field(kind.field))
    }
}

/// The parser of a name.
#[derive(Clone, Copy)]
struct Name<U>(U);

impl<I: Source, U: Unfold<I>> Parser<I> for Name<U> {
    type Output = U::Value;
    type Error = U::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, U::Value, U::Error> {
        self.0.name::<OM>(input)
    }
}

/// The items of a container that promise more bytes than there are. Which of them is missing is to be found out.
#[cold]
#[inline(never)]
fn no_room<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: usize) -> Failed<OM, E> {
    let left = to_u64(at.remaining());
    Err::Failure(E::fault(at, Fault::Truncated { needed: to_u64(needed), left }))
}

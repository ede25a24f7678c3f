//! Lists: items one after the other, or packed ones that are taken in one piece.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::sequence::pair;
use cookie_factory::{gen_simple, SerializeFn};
use nom::error::ParseError;
use nom::{IsStreaming, Mode, OutputMode, PResult, Parser};

use super::bytes::gen_length;
use super::encode::{gen_bytes, generate_into};
use super::error::{fault, truncated, within, Failed, WireError};
use super::field::{field, flat_map, Builds, Unvalued, Valued};
use super::nest::Nesting;
use super::number::{uint32, ByteOrder};
use super::source::{to_u64, to_usize, Label, Source};
use crate::error::Fault;

/// `count` items, each read by `item` and each at least `smallest` bytes long.
///
/// Memory is reserved for as many items as the input can hold at most, whatever `count` says: `smallest` must not be 0.
#[inline]
pub fn repeat<P>(count: u32, smallest: usize, item: P) -> Repeat<Uniform<P>> {
    Repeat { count, smallest, items: Uniform(item) }
}

/// The same for items that can hold lists themselves, which together reserve no more than the input can hold.
#[inline]
pub fn repeat_nested<O, F, P>(nesting: Nesting<O>, count: u32, smallest: usize, item: F) -> Repeat<Bounded<O, F>>
where
    F: Fn(Nesting<O>) -> P,
{
    Repeat { count, smallest, items: Bounded { nesting, item } }
}

/// A list of items. Made by [`repeat()`].
#[derive(Clone, Copy, Debug)]
pub struct Repeat<S> {
    count: u32,
    smallest: usize,
    items: S,
}

/// How each item of a list is read.
pub trait Each<I> {
    /// What it is.
    type Item;

    /// The error.
    type Error: ParseError<I>;

    /// Reads one, with items behind it that take so many bytes at least.
    ///
    /// # Errors
    ///
    /// Those of the item.
    fn next<OM: OutputMode>(&mut self, input: I, behind: usize) -> PResult<OM, I, Self::Item, Self::Error>;

    /// How many bytes the items of the lists around this one take at least, if that is known and not yet proven.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn behind(&self) -> Option<usize> {
        None
    }
}

/// The same parser for every item.
#[derive(Clone, Copy, Debug)]
pub struct Uniform<P>(P);

impl<I, P: Parser<I>> Each<I> for Uniform<P> {
    type Item = P::Output;
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next<OM: OutputMode>(&mut self, input: I, _behind: usize) -> PResult<OM, I, P::Output, P::Error> {
        self.0.process::<OM>(input)
    }
}

/// A parser for each item that knows what comes behind it.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<O, F> {
    nesting: Nesting<O>,
    item: F,
}

impl<I, O: Copy, F: Fn(Nesting<O>) -> P, P: Parser<I>> Each<I> for Bounded<O, F> {
    type Item = P::Output;
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next<OM: OutputMode>(&mut self, input: I, behind: usize) -> PResult<OM, I, P::Output, P::Error> {
        (self.item)(self.nesting.before(behind)).process::<OM>(input)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn behind(&self) -> Option<usize> {
        self.nesting.behind()
    }
}

impl<S> Repeat<S> {
    /// How many items `input` can hold.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn possible<I: Source>(&self, input: &I) -> usize
    where
        S: Each<I>,
    {
        let left = input.remaining().saturating_sub(self.items.behind().unwrap_or_default());
        left.checked_div(self.smallest).unwrap_or_default()
    }
}

impl<I, S> Parser<I> for Repeat<S>
where
    I: Source,
    S: Each<I>,
    S::Item: Debug,
    S::Error: WireError<I>,
{
    type Output = Vec<S::Item>;
    type Error = S::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Vec<S::Item>, S::Error> {
        let count = to_usize(self.count);
        let mut items = Vec::new();
        let (first, mut input) = if Builds::<OM>::VALUES {
            let possible = self.possible(&input);
            if count > possible && self.items.behind().is_some() {
                let needed = u64::from(self.count).saturating_mul(to_u64(self.smallest));
                let left = to_u64(input.remaining());
                return Err(fault::<I, OM, S::Error>(input, Fault::Truncated { needed, left }));
            }
            // what is salvaged may end anywhere
            if !I::RECOVERED {
                items.reserve_exact(count.min(possible));
            }
            (0, input)
        } else if count > 0 {
            input.resume().unwrap_or((0, input))
        } else {
            // nothing to remember, and another list may begin in the same place
            (0, input)
        };
        for index in first..count {
            let before = if I::RECOVERED { Some(input.clone()) } else { None };
            if I::RECOVERED {
                items.reserve(1);
            } else if Builds::<OM>::VALUES && items.len() == items.capacity() {
                // only where the next item is missing, or one took fewer bytes than the smallest should
                items.reserve_exact(self.possible(&input).max(1));
            }
            input.open(Label::Index(index));
            let behind = count.saturating_sub(index).saturating_sub(1).saturating_mul(self.smallest);
            match self.items.next::<OM>(input, if Builds::<OM>::VALUES { behind } else { 0 }) {
                Ok((rest, value)) => {
                    // not `map` for the value of the list: that would move it in every round
                    OM::Output::map(value, |value| {
                        rest.close(&value);
                        push_reserved(&mut items, value);
                    });
                    rest.reached(index.saturating_add(1));
                    input = rest;
                }
                Err(error) => match before {
                    Some(before) => return Ok((before.exhaust(), OM::Output::bind(|| items))),
                    None => return Err(within::<I, OM, S::Error>(error, Label::Index(index))),
                },
            }
        }
        let input = if Builds::<OM>::VALUES || count == 0 { input } else { input.leave() };
        Ok((input, OM::Output::bind(|| items)))
    }
}

/// Items, each read by `item` and each at least `smallest` bytes long, up to a byte `end`, which is not read. No item may
/// begin with it. Where the input ends instead, so does the list.
#[inline]
pub fn repeat_until<P>(end: u8, smallest: usize, item: P) -> RepeatUntil<P> {
    RepeatUntil { end, smallest, item }
}

/// A list of items with a mark behind it. Made by [`repeat_until`].
#[derive(Clone, Copy, Debug)]
pub struct RepeatUntil<P> {
    end: u8,
    smallest: usize,
    item: P,
}

impl<I, P> Parser<I> for RepeatUntil<P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    P::Output: Debug,
{
    type Output = Vec<P::Output>;
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Vec<P::Output>, P::Error> {
        let mut items = Vec::new();
        // nothing to remember then, and another list may begin in the same place
        let is_empty = matches!(input.chunk(), Some(([byte], _)) if byte == self.end);
        let (mut index, mut input) = match Builds::<OM>::VALUES || is_empty {
            true => (0, input),
            false => input.resume().unwrap_or((0usize, input)),
        };
        loop {
            match input.chunk::<1>() {
                Some(([byte], _)) if byte != self.end => {}
                None if OM::Incomplete::is_streaming() => return Err(truncated::<I, OM, P::Error>(input, 1)),
                _ => break,
            }
            if Builds::<OM>::VALUES && items.len() == items.capacity() {
                // twice the items, but no more than the input can hold
                let possible = input.remaining().checked_div(self.smallest).unwrap_or_default();
                items.reserve_exact(items.len().clamp(1, possible.max(1)));
            }
            let before = if I::RECOVERED { Some(input.clone()) } else { None };
            input.open(Label::Index(index));
            match self.item.process::<OM>(input) {
                Ok((rest, value)) => {
                    OM::Output::map(value, |value| {
                        rest.close(&value);
                        push_reserved(&mut items, value);
                    });
                    index = index.saturating_add(1);
                    rest.reached(index);
                    input = rest;
                }
                Err(error) => match before {
                    Some(before) => return Ok((before.exhaust(), OM::Output::bind(|| items))),
                    None => return Err(within::<I, OM, P::Error>(error, Label::Index(index))),
                },
            }
        }
        let input = if Builds::<OM>::VALUES || is_empty { input } else { input.leave() };
        Ok((input, OM::Output::bind(|| items)))
    }
}

/// Pushes where there is room, as there always is here.
///
/// Where a list could grow, it could fail, and the item would have to be dropped; for that it would have to stand in
/// memory from its start instead of being written to its place. That doubles the time that a list of values takes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn push_reserved<T>(items: &mut Vec<T>, item: T) {
    debug_assert!(items.len() < items.capacity(), "room was made before the item was read");
    if items.len() < items.capacity() {
        items.push(item);
    } else {
        std::mem::forget(item);
    }
}

/// A structure of always the same size, whose lists can be kept as the bytes they are.
pub trait Packed: Copy + Debug + PartialEq + 'static {
    /// Bytes that one takes.
    const SIZE: usize;

    /// Its parser.
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E>;

    /// Its generator.
    fn generator<W: Write>(self) -> impl SerializeFn<W>;
}

/// A list of structures of one size, kept as the bytes that they are on the wire: borrowed from the input when it was
/// decoded, owned when it was built.
///
/// ```
/// use enginewire::roblox::datatypes::NumberSequenceKeypoint;
/// use enginewire::wire::List;
///
/// let keypoint = |time, value| NumberSequenceKeypoint { envelope: 0.0, time, value };
/// let mut fade: List<'_, _> = [keypoint(0.0, 1.0), keypoint(1.0, 0.5)].into_iter().collect();
/// fade.set(1, keypoint(1.0, 0.0));
/// assert_eq!(fade.get(1).unwrap().value, 0.0);
/// assert_eq!(fade.iter().map(|keypoint| keypoint.time).collect::<Vec<_>>(), [0.0, 1.0]);
/// ```
#[derive(Clone)]
pub struct List<'a, T> {
    /// Always a whole number of items.
    bytes: Cow<'a, [u8]>,
    items: PhantomData<T>,
}

impl<'a, T: Packed> List<'a, T> {
    /// `bytes` must be a whole number of items.
    pub(crate) fn of_bytes(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        List { bytes: bytes.into(), items: PhantomData }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.chunks_exact(T::SIZE).len()
    }

    /// The bytes that the items take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Those bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Item number `index`, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T> {
        self.bytes.chunks_exact(T::SIZE).nth(index).and_then(unpack)
    }

    /// The items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + '_ {
        self.bytes.chunks_exact(T::SIZE).filter_map(unpack)
    }

    /// Puts another item in the place of number `index`, and says whether there is such a place. What is borrowed is
    /// copied first.
    pub fn set(&mut self, index: usize, item: T) -> bool {
        let place = self.bytes.to_mut().chunks_exact_mut(T::SIZE).nth(index);
        place.map(|place| gen_simple(item.generator(), place)).is_some()
    }

    /// The same list, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> List<'static, T> {
        List::of_bytes(self.bytes.into_owned())
    }
}

/// The item in `bytes`, which hold just one; so it is never `None`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn unpack<T: Packed>(bytes: &[u8]) -> Option<T> {
    T::parser::<_, ()>().parse_complete(bytes).ok().map(|(_, item)| item)
}

impl<T: Packed> Default for List<'_, T> {
    fn default() -> Self {
        List::of_bytes(&[][..])
    }
}

impl<T: Packed> Extend<T> for List<'_, T> {
    fn extend<It: IntoIterator<Item = T>>(&mut self, items: It) {
        let bytes = self.bytes.to_mut();
        for item in items {
            // writing to memory does not fail, and packed structures have no length that could be too great
            let _ = generate_into(item.generator(), bytes);
        }
    }
}

impl<T: Packed> FromIterator<T> for List<'_, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        let mut list = List::default();
        list.extend(items);
        list
    }
}

impl<T: Packed> From<Vec<T>> for List<'_, T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Packed> PartialEq for List<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Packed> Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A list of packed structures, with its length before it; `name` is what the specification calls the items.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | `name` | `length` structures |
#[inline]
pub fn list<'a, B, T, I, E>(name: &'static str) -> impl Parser<I, Output = List<'a, T>, Error = E>
where
    B: ByteOrder,
    T: Packed,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", uint32::<B, I, E>()), move |count| field(name, Items { count, item: PhantomData }))
}

#[derive(Debug)]
struct Items<T, E> {
    count: u32,
    item: PhantomData<fn() -> (T, E)>,
}

impl<'a, T: Packed, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Items<T, E> {
    type Output = List<'a, T>;
    type Error = E;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, List<'a, T>, E> {
        let size = u64::from(self.count).saturating_mul(to_u64(T::SIZE));
        if I::TRACED {
            repeat(self.count, T::SIZE, T::parser()).process::<Valued<OM>>(input.clone())?;
        }
        match input.bytes(to_usize(size)) {
            Some((bytes, rest)) => Ok((rest, OM::Output::bind(|| List::of_bytes(bytes.as_bytes())))),
            None => Err(self.find_missing::<OM, I>(input, size)),
        }
    }
}

impl<T: Packed, E> Items<T, E> {
    /// Goes through the items one by one for the very field that the input ends in.
    #[cold]
    #[inline(never)]
    fn find_missing<OM: OutputMode, I: Source>(&self, input: I, size: u64) -> Failed<OM, E>
    where
        E: WireError<I>,
    {
        if !OM::Incomplete::is_streaming() {
            if let Err(error) = repeat(self.count, T::SIZE, T::parser()).process::<Unvalued<OM>>(input.clone()) {
                return error;
            }
        }
        truncated::<I, OM, E>(input, size)
    }
}

/// Writes what [`list`] reads.
///
/// Fails with [`GenError::CustomError`](cookie_factory::GenError::CustomError) if the length does not fit 32 bits.
#[inline]
pub fn gen_list<'v, B: ByteOrder + 'v, T: Packed, W: Write + 'v>(list: &'v List<'_, T>) -> impl SerializeFn<W> + 'v {
    pair(gen_length::<B, W>(list.len()), gen_bytes(&list.bytes))
}

/// `N` items one after the other, without a count before them.
#[inline]
pub fn array<const N: usize, P>(item: P) -> Array<N, P> {
    Array(item)
}

/// A fixed number of items. Made by [`array()`].
#[derive(Clone, Copy, Debug)]
pub struct Array<const N: usize, P>(P);

impl<const N: usize, I, P> Parser<I> for Array<N, P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    P::Output: Copy + Debug + Default,
{
    type Output = [P::Output; N];
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, mut input: I) -> PResult<OM, I, [P::Output; N], P::Error> {
        let mut items = [P::Output::default(); N];
        for (index, slot) in items.iter_mut().enumerate() {
            input.open(Label::Index(index));
            match self.0.process::<OM>(input) {
                Ok((rest, value)) => {
                    OM::Output::map(value, |value| {
                        rest.close(&value);
                        *slot = value;
                    });
                    input = rest;
                }
                Err(error) => return Err(within::<I, OM, P::Error>(error, Label::Index(index))),
            }
        }
        Ok((input, OM::Output::bind(|| items)))
    }
}

#[cfg(test)]
#[cfg(feature = "roblox")]
mod tests {
    use super::*;
    use crate::roblox::datatypes::NumberSequenceKeypoint;
    use pretty_assertions::assert_eq;

    fn keypoint(time: f32, value: f32) -> NumberSequenceKeypoint {
        NumberSequenceKeypoint { envelope: 0.0, time, value }
    }

    #[test]
    fn a_list_is_read_and_changed_like_any_other() {
        let mut list: List<'_, _> = vec![keypoint(0.0, 1.0), keypoint(1.0, 0.5)].into();
        assert_eq!((list.len(), list.size(), list.is_empty()), (2, 24, false));
        assert_eq!((list.get(1), list.get(2)), (Some(keypoint(1.0, 0.5)), None));
        assert!(list.set(1, keypoint(1.0, 0.0)));
        assert!(!list.set(2, keypoint(2.0, 0.0)));
        assert_eq!(list.iter().rev().map(|keypoint| keypoint.value).collect::<Vec<_>>(), [0.0, 1.0]);
        list.extend([keypoint(2.0, 7.0)]);
        assert_eq!((list.len(), list.get(2)), (3, Some(keypoint(2.0, 7.0))));
        let none = List::<NumberSequenceKeypoint>::default();
        assert_eq!((none.len(), none.size(), none.is_empty()), (0, 0, true));
    }

    #[test]
    fn lists_are_equal_if_their_items_are() {
        let list = |values: &[f32]| values.iter().map(|value| keypoint(0.0, *value)).collect::<List<'_, _>>();
        assert_eq!(list(&[0.0, 1.0]), list(&[-0.0, 1.0]));
        assert_ne!(list(&[0.0, 1.0]), list(&[0.0, 2.0]));
        assert_ne!(list(&[0.0]), list(&[0.0, 0.0]));
        assert_ne!(list(&[f32::NAN]), list(&[f32::NAN]));
        let shown = "[NumberSequenceKeypoint { envelope: 0.0, time: 0.0, value: 1.0 }]";
        assert_eq!(format!("{:?}", list(&[1.0])), shown);
    }
}

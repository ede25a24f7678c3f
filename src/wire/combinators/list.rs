//! Lists of structures of one size, kept as the bytes that they are.

use std::fmt::{self, Debug};
use std::io::Write;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice::ChunksExact;

use bstr::{BStr, ByteSlice};
use cookie_factory::sequence::pair;
use cookie_factory::{gen_simple, SerializeFn};
use nom::{Mode, OutputMode, PResult, Parser};

use super::bytes::gen_length;
use super::encode::{gen_bytes, generate_into};
use super::field::{field, flat_map, Unvalued, Valued};
use super::number::{uint32, ByteOrder};
use super::repeat::repeat;
use crate::number::{to_u64, to_usize};
use crate::wire::{may_go_on, truncated, ByteArray, Failed, Source, WireError};

/// A structure that always takes the same number of bytes, so that its lists can be kept as bytes.
#[diagnostic::on_unimplemented(
    message = "a `List` cannot keep `{Self}` as bytes",
    note = "use a `Vec`, or implement `enginewire::wire::Packed` if it always takes the same number of bytes"
)]
pub trait Packed: Copy + Debug + PartialEq + 'static {
    /// The size of one, in bytes.
    const SIZE: usize;

    /// The size of each number in it, in bytes.
    const NUMBER: usize;

    /// Its parser.
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E>;

    /// Its generator.
    fn generator<W: Write>(self) -> impl SerializeFn<W>;
}

/// Reads a structure. If its last number is cut off, the error is at its first, and counts the bytes of all.
#[inline]
pub(crate) fn unit<T: Packed, I: Source, E: WireError<I>>() -> Unit<T, E> {
    Unit(PhantomData)
}

#[derive(Debug)]
pub(crate) struct Unit<T, E>(PhantomData<fn() -> (T, E)>);

impl<T: Packed, I: Source, E: WireError<I>> Parser<I> for Unit<T, E> {
    type Output = T;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, E> {
        if input.remaining() < T::SIZE {
            return Err(truncated::<I, OM, E>(input, to_u64(T::SIZE)));
        }
        T::parser().process::<OM>(input)
    }
}

/// A list of structures of one size, kept as their bytes. A decoded list borrows them from the input.
///
/// ```
/// use enginewire::roblox::datatypes::NumberSequenceKeypoint;
/// use enginewire::wire::List;
///
/// let keypoint = |time, value| NumberSequenceKeypoint { envelope: 0.0, time, value };
/// let mut fade = List::from([keypoint(0.0, 1.0), keypoint(1.0, 0.5)]);
/// fade.set(1, keypoint(1.0, 0.0));
/// assert_eq!(fade.get(1).unwrap().value, 0.0);
/// assert_eq!(fade.iter().map(|keypoint| keypoint.time).collect::<Vec<_>>(), [0.0, 1.0]);
/// ```
#[derive(Clone)]
pub struct List<'a, T> {
    /// Always a whole number of items.
    bytes: ByteArray<'a>,
    items: PhantomData<T>,
}

impl<'a, T: Packed> List<'a, T> {
    /// `bytes` must be a whole number of items.
    pub(crate) fn of_bytes(bytes: impl Into<ByteArray<'a>>) -> Self {
        List { bytes: bytes.into(), items: PhantomData }
    }

    /// The list that these bytes are; `None` unless they are a whole number of items. Any numbers can be in them, in the byte
    /// order of the list's own bytes.
    ///
    /// ```
    /// use enginewire::godot::Vector2;
    /// use enginewire::wire::List;
    ///
    /// let list = List::<Vector2<i32>>::from_bytes(&[1, 0, 0, 0, 2, 0, 0, 0][..]).unwrap();
    /// assert_eq!(list.get(0), Some(Vector2::new(1, 2)));
    /// assert!(List::<Vector2<i32>>::from_bytes(&[1, 0, 0][..]).is_none());
    /// ```
    #[must_use]
    pub fn from_bytes(bytes: impl Into<ByteArray<'a>>) -> Option<Self> {
        let bytes = bytes.into();
        bytes.chunks_exact(T::SIZE).remainder().is_empty().then(|| List::of_bytes(bytes))
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.chunks_exact(T::SIZE).len()
    }

    /// The size of the items, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of the items.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns true if the list is empty.
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
    pub fn iter(&self) -> ListIter<'_, T> {
        ListIter { bytes: self.bytes.chunks_exact(T::SIZE), items: PhantomData }
    }

    /// Replaces item number `index`. Returns true if there is such an item. Borrowed bytes are copied first.
    pub fn set(&mut self, index: usize, item: T) -> bool {
        let place = self.bytes.to_mut().chunks_exact_mut(T::SIZE).nth(index);
        place.map(|place| gen_simple(item.generator(), place)).is_some()
    }

    pub(crate) fn owns_memory(&self) -> bool {
        self.bytes.as_borrowed().is_none()
    }

    /// The same list, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> List<'static, T> {
        List { bytes: self.bytes.into_owned(), items: PhantomData }
    }
}

/// The items of a [`List`]. Made by [`List::iter`].
#[derive(Clone, Debug)]
pub struct ListIter<'l, T> {
    bytes: ChunksExact<'l, u8>,
    items: PhantomData<T>,
}

impl<T: Packed> Iterator for ListIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.bytes.next().and_then(unpack)
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<T> {
        self.bytes.nth(count).and_then(unpack)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.bytes.size_hint()
    }
}

impl<T: Packed> DoubleEndedIterator for ListIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.bytes.next_back().and_then(unpack)
    }
}

impl<T: Packed> ExactSizeIterator for ListIter<'_, T> {}

/// The items of a [`List`], and the list itself. Made by its `into_iter`.
#[derive(Clone)]
pub struct ListIntoIter<'a, T> {
    list: List<'a, T>,
    left: Range<usize>,
}

impl<T: Packed> Debug for ListIntoIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListIntoIter").field("list", &self.list).field("left", &self.left).finish()
    }
}

impl<T: Packed> Iterator for ListIntoIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left.next().and_then(|index| self.list.get(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T: Packed> DoubleEndedIterator for ListIntoIter<'_, T> {
    fn next_back(&mut self) -> Option<T> {
        self.left.next_back().and_then(|index| self.list.get(index))
    }
}

impl<T: Packed> ExactSizeIterator for ListIntoIter<'_, T> {}

impl<'a, T: Packed> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIntoIter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        ListIntoIter { left: 0..self.len(), list: self }
    }
}

impl<'l, T: Packed> IntoIterator for &'l List<'_, T> {
    type Item = T;
    type IntoIter = ListIter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The item in `bytes`, which are those of one item. So it is never `None`.
#[cfg_attr(fast, inline(always))]
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
            // it does not fail: memory can be written to, and packed structures have no length fields
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

impl<T: Packed, const N: usize> From<[T; N]> for List<'_, T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Packed> From<&[T]> for List<'_, T> {
    fn from(items: &[T]) -> Self {
        items.iter().copied().collect()
    }
}

impl<T: Packed> From<List<'_, T>> for Vec<T> {
    fn from(list: List<'_, T>) -> Self {
        list.iter().collect()
    }
}

/// By their items.
impl<T: Packed> PartialEq<[T]> for List<'_, T> {
    fn eq(&self, other: &[T]) -> bool {
        self.iter().eq(other.iter().copied())
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

/// Reads a list of packed structures, with its length before it; `name` is the name of the items in the specification.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | `name` | `length` structures |
///
/// In little-endian, the bytes `01 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f` are one structure of three float32 numbers: 0,
/// 0 and 1. Only too few bytes are refused.
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

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, List<'a, T>, E> {
        let size = u64::from(self.count).saturating_mul(to_u64(T::SIZE));
        if input.is_traced() {
            repeat(self.count, T::SIZE, T::parser()).process::<Valued<OM>>(input.clone())?;
        }
        match input.bytes(to_usize(size)) {
            Some((bytes, rest)) => Ok((rest, OM::Output::bind(|| List::of_bytes(bytes.as_bytes())))),
            None => Err(self.find_missing::<OM, I>(input, size)),
        }
    }
}

impl<T: Packed, E> Items<T, E> {
    /// Reads the items one by one to find the field that the input ends in.
    #[cold]
    #[inline(never)]
    fn find_missing<OM: OutputMode, I: Source>(&self, input: I, size: u64) -> Failed<OM, E>
    where
        E: WireError<I>,
    {
        if !may_go_on::<OM, I>(&input)
            && let Err(error) = repeat(self.count, T::SIZE, T::parser()).process::<Unvalued<OM>>(input.clone())
        {
            return error;
        }
        truncated::<I, OM, E>(input, size)
    }
}

/// Writes a list of packed structures, as [`list`] reads it.
///
/// Fails with [`GenError::CustomError`](cookie_factory::GenError::CustomError) if the length does not fit 32 bits.
#[inline]
pub fn gen_list<'v, B: ByteOrder + 'v, T: Packed, W: Write + 'v>(list: &'v List<'_, T>) -> impl SerializeFn<W> + 'v {
    pair(gen_length::<B, W>(list.len()), gen_bytes(&list.bytes))
}
#[cfg(test)]
#[cfg(feature = "roblox")]
mod tests {
    use super::*;
    use crate::roblox::datatypes::NumberSequenceKeypoint;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;
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
        assert_eq!((list.iter().len(), list.iter().nth(2), list.iter().nth(3)), (3, Some(keypoint(2.0, 7.0)), None));
        let items: Vec<_> = (&list).into_iter().collect();
        assert_eq!((list == items[..], list == items[..2], List::from(&items[..])), (true, false, list.clone()));
        let mut owned = list.into_iter();
        assert_eq!((owned.len(), owned.next_back(), owned.next(), owned.len()), (3, Some(items[2]), Some(items[0]), 1));
        assert_eq!((owned.next(), owned.next()), (Some(items[1]), None));
        assert_eq!(Vec::from(List::from([items[1]])), [items[1]]);
        let none = List::<NumberSequenceKeypoint>::default();
        assert_eq!((none.len(), none.size(), none.is_empty()), (0, 0, true));
    }

    #[test]
    fn worked_example() {
        let items = List::from([keypoint(0.0, 1.0)]);
        let bytes = hex("01 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f");
        both_ways(&bytes, items.clone(), || list::<Le, _, _, _>("keypoints"), gen_list::<Le, _, _>(&items));
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

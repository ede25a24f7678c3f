//! The input of parsers: plain bytes, or bytes with a listener.

use std::fmt::Debug;

use bstr::BStr;

use super::frame::Frame;
use crate::error::AsKey;
use crate::number::to_u64;
use crate::Offset;

/// The name that a part of the input has in its format.
///
/// Labels make the path of an error (`entries[3] "Health".value.double`) and the rows of a [`Tree`](crate::wire::Tree).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Label<'k> {
    /// A field of a structure, named as the specification names it.
    Field(&'static str),
    /// An item of a list, counted from 0.
    Index(usize),
    /// The key that an item of a map turned out to have.
    Key(&'k dyn AsKey),
}

/// Something to know about input that is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The bytes decode, but encoding the value gives other bytes. The text is a description.
    NonCanonical(&'static str),
    /// The type is described somewhere, but was never seen in real data. The text is its name.
    Draft(&'static str),
}

/// The note about bytes after the end of a value.
pub(crate) const TRAILING: Note = Note::NonCanonical("bytes after the end of the value");

/// Bytes that parsers read.
///
/// `&[u8]` only reads. [`Checked`](crate::wire::Checked) also reports notes to a listener. [`Instrumented`](crate::wire::Instrumented) can
/// report every field, and in a [`Decoder`](crate::wire::Decoder) it stores how many items of a list were read. For this, parsers call
/// hooks: `open`, `close`, `key`, `note`, `resume`, `reached` and the like. The hooks of plain bytes do nothing and compile to
/// nothing.
///
/// A parser that reads through `Source` never indexes and never panics: it gets `None` for missing bytes.
#[diagnostic::on_unimplemented(
    message = "enginewire's parsers do not read `{Self}`",
    note = "pass a slice, `&bytes[..]`; errors have offsets without a wrapper: see `Traceback::into_error`"
)]
pub trait Source: Clone + Debug {
    /// Some bytes of the input: `&'a BStr`, a slice that is shown as text, where the input can lend them.
    type Bytes: AsRef<[u8]> + AsKey + Clone + Debug;

    /// True if the purpose of the source is chosen at run time. Its parsers need not be fast, and branches are not inlined.
    const INSTRUMENTED: bool = false;

    /// True if a listener gets every field of this input. Parsers that could take many fields at once then read them one by
    /// one.
    #[cfg_attr(fast, inline(always))]
    fn is_traced(&self) -> bool {
        false
    }

    /// True if a list with a broken item in this input is kept as far as that item. In other sources such a list is an error.
    #[cfg_attr(fast, inline(always))]
    fn is_recovered(&self) -> bool {
        false
    }

    /// True if more may follow the end of this input, even where the parser runs in nom's mode for complete input.
    #[cfg_attr(fast, inline(always))]
    fn may_grow(&self) -> bool {
        false
    }

    /// The same input, which nothing can follow.
    #[cfg_attr(fast, inline(always))]
    fn completed(self) -> Self {
        self
    }

    /// The number of whole bytes left.
    fn remaining(&self) -> usize;

    /// The distance of this source from `start`, an earlier position of the same input.
    fn offset_from(&self, start: &Self) -> Offset;

    /// The next `N` bytes and the source after them, or `None` if there are fewer.
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)>;

    /// The next `count` bytes and the source after them, or `None` if there are fewer.
    fn bytes(&self, count: usize) -> Option<(Self::Bytes, Self)>;

    /// The next `length` bytes as a source of their own, and the source after them, or `None` if there are fewer.
    fn part(&self, length: usize) -> Option<(Self, Self)>;

    /// The same place, `bit` bits further: a source to call hooks on, not to read from.
    #[cfg_attr(fast, inline(always))]
    fn at_bit(&self, _bit: u8) -> Self {
        self.clone()
    }

    /// The number of bits since the last whole byte.
    #[cfg_attr(fast, inline(always))]
    fn bit(&self) -> u8 {
        0
    }

    /// A part named `label` begins here.
    #[cfg_attr(fast, inline(always))]
    fn open(&self, _label: Label<'_>) {}

    /// The part opened last ends here and has this value.
    #[cfg_attr(fast, inline(always))]
    fn close(&self, _value: &dyn Debug) {}

    /// The part opened last has this key.
    #[cfg_attr(fast, inline(always))]
    fn key(&self, _key: &dyn Debug) {}

    /// Adds a note about the input that begins here, which is valid.
    #[cfg_attr(fast, inline(always))]
    fn note(&self, note: Note) {
        self.note_at_bit(0, note);
    }

    /// The same for the input that begins `bit` bits further.
    #[cfg_attr(fast, inline(always))]
    fn note_at_bit(&self, _bit: u8, _note: Note) {}

    /// The end of the input, because a list was cut off: nothing after it is read.
    #[cfg_attr(fast, inline(always))]
    fn exhaust(self) -> Self {
        self
    }

    /// True if this is the end that [`exhaust`](Self::exhaust) gave.
    #[cfg_attr(fast, inline(always))]
    fn is_exhausted(&self) -> bool {
        false
    }

    /// A list begins here: how many of its items an earlier run read, and the source after them; `None` if no earlier run
    /// is remembered.
    #[cfg_attr(fast, inline(always))]
    fn resume(&self) -> Option<(usize, Self)> {
        None
    }

    /// `count` items of the list that was resumed last were read, up to here.
    #[cfg_attr(fast, inline(always))]
    fn reached(&self, _count: usize) {}

    /// The list that was resumed last ends here: the source to continue with.
    #[cfg_attr(fast, inline(always))]
    fn leave(self) -> Self {
        self
    }

    /// A value begins here that may hold others to any depth: its containers that an earlier run did not read to their
    /// ends, outermost first, and the source after the part of them that was read; `None` if no earlier run is stored.
    #[cfg_attr(fast, inline(always))]
    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        None
    }

    /// In the value that began at `start`, the container `opened`, which lies in `depth` others, continues here. Containers that
    /// lie deeper were read to their ends.
    #[cfg_attr(fast, inline(always))]
    fn remember(&self, _start: &Self, _depth: usize, _opened: Frame) {}
}

impl<'a> Source for &'a [u8] {
    type Bytes = &'a BStr;

    #[cfg_attr(fast, inline(always))]
    fn remaining(&self) -> usize {
        self.len()
    }

    /// The distance of the addresses, so that it is also right in a part of a larger input. An address outside of `start` counts
    /// as its end.
    #[allow(clippy::as_conversions)] // addresses, to be compared only
    fn offset_from(&self, start: &Self) -> Offset {
        let distance = (self.as_ptr() as usize).checked_sub(start.as_ptr() as usize);
        to_u64(distance.map_or(start.len(), |distance| distance.min(start.len()))).into()
    }

    #[cfg_attr(fast, inline(always))]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        self.split_first_chunk().map(|(head, rest)| (*head, rest))
    }

    #[cfg_attr(fast, inline(always))]
    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        if count <= self.len() {
            let (bytes, rest) = self.split_at(count);
            Some((BStr::new(bytes), rest))
        } else {
            None
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        self.split_at_checked(length)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// The first bytes of every source.
    pub(in crate::wire) const BYTES: &[u8] = &[1, 2, 3, 4, 5, 6];

    /// Checks behaviour that all sources share, at the start of [`BYTES`].
    pub(in crate::wire) fn reads_like_any_other<I: Source>(start: &I) {
        assert_eq!((start.remaining(), start.offset_from(start), start.bit()), (6, 0.into(), 0));
        assert!(!start.is_exhausted());
        let (two, behind) = start.chunk().unwrap();
        assert_eq!((two, behind.remaining(), behind.offset_from(start)), ([1, 2], 4, 2.into()));
        assert!(start.chunk::<7>().is_none());
        let (all, end) = start.bytes(6).unwrap();
        assert_eq!((all.as_ref(), end.remaining(), end.offset_from(start)), (BYTES, 0, 6.into()));
        assert!(start.bytes(7).is_none());
        let (part, rest) = behind.part(2).unwrap();
        assert_eq!((part.remaining(), part.offset_from(start)), (2, 2.into()));
        assert_eq!(part.chunk().map(|(bytes, _)| bytes), Some([3, 4]));
        assert!(part.chunk::<3>().is_none());
        assert_eq!((rest.remaining(), rest.offset_from(start)), (2, 4.into()));
        assert_eq!(rest.chunk().map(|(bytes, _)| bytes), Some([5, 6]));
        assert!(behind.part(4).is_some() && behind.part(5).is_none());
    }

    #[test]
    fn plain_bytes_read_like_any_other() {
        reads_like_any_other(&BYTES);
    }

    #[test]
    fn plain_bytes_give_no_more_than_they_have() {
        let input: &[u8] = &[1, 2, 3];
        assert_eq!(input.chunk::<2>(), Some(([1, 2], &input[2..])));
        assert_eq!(input.chunk::<4>(), None);
        assert_eq!(input.bytes(3), Some((BStr::new(&[1, 2, 3]), &input[3..])));
        assert_eq!(input.bytes(4), None);
    }

    #[test]
    fn offsets_hold_in_a_part_of_a_larger_input() {
        let whole: &[u8] = &[0; 10];
        let part = &whole[4..8];
        assert_eq!((&part[1..]).offset_from(&whole), 5);
        assert_eq!((&part[4..]).offset_from(&whole), 8);
        let elsewhere: &[u8] = &[1; 4];
        assert_eq!((&elsewhere[2..]).offset_from(&elsewhere), 2);
        assert!(elsewhere.offset_from(&whole) <= 10.into());
    }
}

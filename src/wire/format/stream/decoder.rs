//! Input that is pushed in pieces of any size.

use super::stepper::{Prepared, Stepper};
use super::{ItemStream, Next};
use crate::error::{DecodeError, Fault};
use crate::number::{to_u64, to_usize};
use crate::wire::format::run::{self, Head, Item};
use crate::wire::{fill, Note};
use crate::Offset;

/// Decodes a stream that is pushed in pieces of any size.
///
/// It keeps the bytes of the unfinished item, and of items that were not asked for yet. It takes at most the memory of the
/// last piece and twice that of the largest item, or three times while the buffer grows. [`item_limit`](Self::item_limit)
/// limits the size of an item.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let mut decoder = attributes::Decoder::default();
/// for piece in b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\x03\x00".chunks(3) {
///     decoder.push(piece);
///     while let Some(entry) = decoder.next() {
///         println!("{:?}", entry?);
///     }
/// }
/// decoder.finish()?;
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct Decoder<F> {
    buffer: Vec<u8>,
    progress: Progress<F>,
}

/// The state of a [`Decoder`] without its buffer, which the items borrow.
#[derive(Debug)]
pub(super) struct Progress<F> {
    stepper: Stepper<F>,
    /// The number of used bytes at the start of the buffer.
    pub(super) start: usize,
    /// The number of unused bytes that must be there before another try.
    wanted: usize,
    /// The offset of `start` in the stream.
    offset: u64,
    /// The most bytes that an item may take.
    limit: usize,
    /// True if no more bytes will come.
    ended: bool,
    failed: Option<DecodeError>,
}

impl<F: ItemStream + Default> Default for Decoder<F> {
    fn default() -> Self {
        Self::with_stream(F::default())
    }
}

impl<F: ItemStream + Default> Decoder<F> {
    /// At the start of a stream, with the default options of its format.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<F: ItemStream> Decoder<F> {
    /// A decoder at the start of a stream, with these options of its format.
    #[must_use]
    pub fn with_options(options: F::Options) -> Self {
        Self::with_stream(F::new(options))
    }

    /// At the start of a stream.
    pub fn with_stream(stream: F) -> Self {
        Decoder { buffer: Vec::new(), progress: Progress::new(stream) }
    }

    /// Sets the most bytes that an item may take; unlimited unless set. A longer item is [`Fault::TooLarge`], with the offset of
    /// its start, and the decoder does not wait for the rest of it.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Decoder;
    ///
    /// let mut decoder = Decoder::new().item_limit(1 << 20);
    /// decoder.push(b"\x01\0\0\0\x01\0\0\0a\x02\xff\xff\xff\x7f");
    /// let error = decoder.next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "an item takes more than the limit of 1048576 bytes, at byte 0x4 in entries[0]");
    /// ```
    #[must_use]
    pub fn item_limit(mut self, bytes: usize) -> Self {
        self.progress.set_limit(bytes);
        self
    }

    /// Takes the next bytes of the stream. Ask [`next`](Self::next) for the items that are complete now.
    pub fn push(&mut self, bytes: &[u8]) {
        let progress = &mut self.progress;
        if progress.failed.is_some() || progress.stepper.stream.next() == Next::Ignored {
            return;
        }
        if progress.wanted > 0 {
            // only part of one item is left, so that each byte moves once at the most
            self.buffer.drain(..progress.start);
            progress.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next item that is complete, or `None` if more bytes are needed, the stream is at its end, or an error came
    /// before.
    ///
    /// # Errors
    ///
    /// Why the stream cannot be read further. The same error comes again from [`finish`](Self::finish).
    #[cfg_attr(fast, inline(always))]
    #[allow(clippy::should_implement_trait)] // an item borrows from the decoder, which no Iterator can say
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, DecodeError>> {
        self.progress.next(self.buffer.get(self.progress.start..).unwrap_or_default())
    }

    /// Says that no more bytes will come. [`next`](Self::next) then also gives an item that options allow to lack something
    /// at the end of the input, and the error if the stream ends inside an item.
    ///
    /// ```
    /// use enginewire::godot::{Decoder, Options, Variant, Version};
    ///
    /// let mut decoder = Decoder::with_options(Options::new(Version::V3).unpadded_bytes(true));
    /// decoder.push(b"\x14\0\0\0\x01\0\0\0\x07");
    /// assert!(decoder.next().is_none()); // three bytes of padding may follow
    /// decoder.end();
    /// assert_eq!(decoder.next().unwrap()?, vec![7_u8].into());
    /// # Ok::<(), enginewire::DecodeError>(())
    /// ```
    pub fn end(&mut self) {
        self.progress.set_ended(true);
    }

    /// Ends the stream. Items that were not asked for are decoded and dropped.
    ///
    /// # Errors
    ///
    /// If the stream ends inside an item, or failed before.
    #[cold]
    #[inline(never)]
    pub fn finish(mut self) -> Result<(), DecodeError> {
        self.end();
        while let Some(item) = self.next() {
            item?;
        }
        self.progress.failed.map_or(Ok(()), Err)
    }

    /// Checks the next item if it is complete. Returns true if there was one.
    pub(super) fn check_next(&mut self, each: &mut dyn FnMut(Offset, Note)) -> Result<bool, DecodeError> {
        self.progress.check(self.buffer.get(self.progress.start..).unwrap_or_default(), each)
    }

    /// Returns true if no more bytes will come.
    pub(super) fn has_ended(&self) -> bool {
        self.progress.ended
    }

    /// The stream, as far as it came.
    pub(super) fn stream(&self) -> &F {
        self.progress.stream()
    }

    /// The unused bytes, and the state after the used ones.
    #[cfg(feature = "interop")]
    pub(super) fn into_parts(mut self) -> (Vec<u8>, Progress<F>) {
        self.buffer.drain(..self.progress.start);
        self.progress.start = 0;
        (self.buffer, self.progress)
    }

    /// The number of bytes of the stream that belong to the items given so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.progress.offset
    }

    /// The bytes that were pushed and not used yet.
    #[must_use]
    pub fn unused(&self) -> &[u8] {
        self.buffer.get(self.progress.start..).unwrap_or_default()
    }
}

impl<F: ItemStream> Progress<F> {
    /// At the start of a stream.
    pub(super) fn new(stream: F) -> Self {
        let stepper = Stepper::new(stream);
        Progress { stepper, start: 0, wanted: 0, offset: 0, limit: usize::MAX, ended: false, failed: None }
    }

    /// Sets how many bytes an item may take.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes.max(1);
    }

    /// Says whether more bytes will come.
    pub(super) fn set_ended(&mut self, ended: bool) {
        if ended != self.ended {
            (self.ended, self.wanted) = (ended, 0);
        }
    }

    /// The stream, as far as it came.
    pub(super) fn stream(&self) -> &F {
        &self.stepper.stream
    }

    /// Why the stream cannot be read further.
    #[cfg(feature = "interop")]
    pub(super) fn failed(&self) -> Option<&DecodeError> {
        self.failed.as_ref()
    }

    /// The next item in `unused`, which begins at `start`.
    #[cfg_attr(fast, inline(always))]
    pub(super) fn next<'a>(&mut self, mut unused: &'a [u8]) -> Option<Result<F::Item<'a>, DecodeError>> {
        let mut slot = None;
        while unused.len() >= self.wanted && self.failed.is_none() {
            let view = unused.get(..self.limit).unwrap_or(unused);
            if let Some(used) = self.stepper.item(view, &mut slot) {
                self.use_up(used);
                break;
            }
            let end = self.ended && view.len() == unused.len();
            if let Some(used) = self.stepper.last_item(view, end, &mut slot) {
                self.use_up(used);
                break;
            }
            match self.prepare(view, end) {
                Ok(Some(used)) => unused = unused.get(used..).unwrap_or_default(),
                Ok(None) => break,
                Err(error) => {
                    fill(&mut slot, Some(Err(error)));
                    break;
                }
            }
        }
        slot
    }

    /// Like [`next`](Self::next), but nothing is built, and `each` is called for every note. Gives whether there was an
    /// item.
    fn check(&mut self, mut unused: &[u8], each: &mut dyn FnMut(Offset, Note)) -> Result<bool, DecodeError> {
        if unused.len() < self.wanted {
            return Ok(false);
        }
        loop {
            let (stream, offset) = (self.stepper.stream, self.offset);
            let view = unused.get(..self.limit).unwrap_or(unused);
            let end = self.ended && view.len() == unused.len();
            let Some(used) = self.prepare(view, end)? else { return Ok(false) };
            // only complete items are checked, so that no note comes twice
            let mut each = |at: Offset, note| each(at.after(offset.into()), note);
            if stream.next() == Next::Item {
                let (used, _) = run::check(view, Item(stream), &mut each)?;
                self.stepper.stream.advance();
                self.use_up(to_usize(used.byte()));
                return Ok(true);
            }
            run::check(view, Head(stream), &mut each)?;
            unused = unused.get(used..).unwrap_or_default();
        }
    }

    /// Does everything except reading an item. Returns the number of bytes of other things before it, or `None` if it is not
    /// there. If `end` is true, no bytes follow `view`.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, view: &[u8], end: bool) -> Result<Option<usize>, DecodeError> {
        match self.stepper.prepare(view, end) {
            Ok(Prepared::Item(used)) => {
                self.use_up(used);
                Ok(Some(used))
            }
            Ok(Prepared::Need(more)) => {
                self.wanted = view.len().saturating_add(more);
                if self.wanted > self.limit {
                    return Err(self.too_large());
                }
                Ok(None)
            }
            Ok(Prepared::Done) => Ok(None),
            Err(error) => Err(self.fail(error)),
        }
    }

    /// The error for an item that begins at the start of `view` and exceeds the limit. The place of the limit in the item does
    /// not matter, and would depend on the pieces of the stream.
    #[cold]
    fn too_large(&mut self) -> DecodeError {
        let fault = Fault::TooLarge { limit: to_u64(self.limit) };
        self.fail(DecodeError::new(Offset::default(), self.stepper.stream.path(), fault))
    }

    #[cold]
    fn fail(&mut self, error: DecodeError) -> DecodeError {
        let error = error.shifted(self.offset);
        self.failed = Some(error.clone());
        error
    }

    #[cfg_attr(fast, inline(always))]
    fn use_up(&mut self, used: usize) {
        self.start = self.start.saturating_add(used);
        self.offset = self.offset.saturating_add(to_u64(used));
        self.wanted = 0;
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{bit, bits, flat_map, moved, repeat, repeat_until, uint8, Puts, Source, WireError};
    use bstr::BStr;
    use nom::sequence::{preceded, terminated};
    use nom::{OutputMode, PResult, Parser};
    use pretty_assertions::assert_eq;
    use std::cell::Cell;
    use std::fmt::Debug;
    use std::marker::PhantomData;

    thread_local! {
        /// The number of bytes that were read, counting repeated ones.
        static READ_BYTES: Cell<usize> = const { Cell::new(0) };
    }

    /// A byte that is counted.
    struct Counted<E>(PhantomData<fn() -> E>);

    impl<I: Source, E: WireError<I>> Parser<I> for Counted<E> {
        type Output = u8;
        type Error = E;

        fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, u8, E> {
            READ_BYTES.set(READ_BYTES.get().saturating_add(1));
            uint8().process::<OM>(input)
        }
    }

    fn counted<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u8, Error = E> {
        Counted(PhantomData)
    }

    /// A stream of items.
    macro_rules! stream {
        ($(#[$doc:meta])* $name:ident($item:ty) $parser:expr) => {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default)]
            struct $name;

            impl ItemStream for $name {
                type Item<'a> = $item;
                type Options = ();

                fn new((): ()) -> Self {
                    $name
                }

                fn next(&self) -> Next {
                    Next::Item
                }

                fn may_end(&self) -> bool {
                    true
                }

                fn item<'a, I, E>(self) -> impl Puts<I, Output = $item, Error = E>
                where
                    I: Source<Bytes = &'a BStr>,
                    E: WireError<I>,
                {
                    moved($parser)
                }

                fn advance(&mut self) {}
            }
        };
    }

    stream! {
        /// Ten lists of ten lists of ten bytes.
        Nested(Vec<Vec<Vec<u8>>>) repeat(10, 100, repeat(10, 10, repeat(10, 1, counted())))
    }

    stream! {
        /// Ten lists of ten bytes, after a bit.
        InBits(Vec<Vec<u8>>) bits(preceded(bit(), repeat(10, 10, repeat(10, 1, counted()))))
    }

    /// A list with its count before it.
    fn list<I: Source, P: Parser<I>>(
        item: impl Fn() -> P + Copy,
    ) -> impl Parser<I, Output = Vec<P::Output>, Error = P::Error>
    where
        P::Output: Debug,
        P::Error: WireError<I>,
    {
        flat_map(counted(), move |count: u8| repeat(count.into(), 1, item()))
    }

    stream! {
        /// Lists of lists of bytes, with their counts.
        Lists(Vec<Vec<Vec<u8>>>) list(|| list(|| list(counted)))
    }

    stream! {
        /// Lists of bytes up to a 0, up to a byte 0xff.
        Ended(Vec<Vec<u8>>) {
            terminated(repeat_until(0xff, 1, terminated(repeat_until(0, 1, counted()), counted())), counted())
        }
    }

    /// The items of `bytes`, which come byte by byte, with the offset at which each was there, and how many bytes were read.
    fn read<F: ItemStream + Default>(bytes: &[u8]) -> (Vec<(u64, String)>, usize)
    where
        for<'a> F::Item<'a>: Debug,
    {
        READ_BYTES.set(0);
        let mut decoder = Decoder::<F>::new();
        let mut items = Vec::new();
        for (offset, byte) in bytes.iter().enumerate() {
            decoder.push(&[*byte]);
            items.extend(decoder.next().map(|item| (to_u64(offset).saturating_add(1), format!("{:?}", item.unwrap()))));
        }
        let reads = READ_BYTES.get();
        assert_eq!((decoder.offset(), decoder.finish()), (to_u64(bytes.len()), Ok(())));
        (items, reads)
    }

    /// If an item comes byte by byte, the bytes that were there are not read again.
    #[test]
    fn work_is_linear_in_the_bytes() {
        let bytes: Vec<u8> = (0..1000).map(|index: u32| index.to_le_bytes()[0]).collect();
        let (items, reads) = read::<Nested>(&bytes);
        // each byte is read when it is missing, when it is there, and for the value; the first is never missing
        assert_eq!((items.len(), reads), (1, 3 * 1000 - 1));
        let (items, reads) = read::<InBits>(&bytes[..101]);
        assert_eq!((items.len(), reads), (1, 3 * 100));
        // the count of an unfinished list is read again
        let (items, reads) = read::<Lists>(&[&[100][..], &[0; 100]].concat());
        assert!(items.len() == 1 && reads <= 5 * 101, "{reads}");
        let (items, reads) = read::<Ended>(&[&[0; 100][..], &[0xff]].concat());
        assert!(items.len() == 1 && reads <= 5 * 101, "{reads}");
    }

    /// The marks of an item, and empty lists in it, do not affect other lists or the next item.
    #[test]
    fn an_item_comes_with_its_last_byte() {
        let long = [3, 0, 2, 0, 3, 1, 2, 3, 1, 1, 4];
        let (items, _) = read::<Lists>(&[&long[..], &[1, 2, 1, 5, 0], &[0], &long].concat());
        let [whole, part] = ["[[], [[], [1, 2, 3]], [[4]]]", "[[[5], []]]"].map(str::to_owned);
        assert_eq!(items, [(11, whole.clone()), (16, part), (17, "[]".to_owned()), (28, whole)]);

        let long = [1, 2, 3, 0, 0, 4, 0, 0, 0xff];
        let (items, _) = read::<Ended>(&[&long[..], &[0, 7, 0, 0xff, 0xff], &long].concat());
        let [whole, part] = ["[[1, 2, 3], [], [4], []]", "[[], [7]]"].map(str::to_owned);
        assert_eq!(items, [(9, whole.clone()), (13, part), (14, "[]".to_owned()), (23, whole)]);
    }
}

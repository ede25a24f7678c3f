//! Streams: input that comes in pieces of any size.
//!
//! [`Stepper`] decides and owns no bytes; [`Decoder`] keeps the bytes of an unfinished item; [`ReadItems`] reads from a
//! [`std::io::Read`]. All of them give the same items and the same error, however the input is cut.

use std::cell::RefCell;
use std::fmt::Debug;
use std::io;

use bstr::BStr;
use nom::{Check, Emit, Err, Needed, OutputM, Parser, Streaming};
use thiserror::Error;

use super::error::{Traceback, WireError};
use super::source::{to_u64, Source};
use crate::error::{DecodeError, Fault, Path};

/// A format as a stream: which parser comes next, and what its value means for those after it.
pub trait Feed: Debug {
    /// What the stream is made of for its user.
    type Item<'a>;

    /// An item that borrows nothing.
    type Owned;

    /// What one run of the parser reads: an item, or a part that stands between them.
    type Piece<'a>;

    /// What may come next.
    fn next(&self) -> Next;

    /// The parser for the next piece.
    fn piece<'a, I, E>(&self) -> impl Parser<I, Output = Self::Piece<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// Takes note of a piece that was read, and gives the item in it, if it is one.
    fn accept<'a>(&mut self, piece: Self::Piece<'a>) -> Option<Self::Item<'a>>;

    /// The item with all that it borrows copied.
    fn into_owned(item: Self::Item<'_>) -> Self::Owned;
}

/// What may come next in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another piece must come.
    Piece,
    /// Another piece, or the end.
    PieceOrEnd,
    /// The end must come.
    End,
    /// Whatever comes is none of ours.
    Ignored,
}

/// What a [`Stepper`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// An item.
    Item(T),
    /// At least so many more bytes are needed to go on.
    Need(usize),
    /// The stream is at its end.
    Done,
}

/// Goes from item to item through bytes that it is handed. It owns no bytes and does no input.
#[derive(Debug)]
pub struct Stepper<F> {
    feed: F,
    /// Whether the piece that comes next was tried before, with too few bytes.
    tried: bool,
    marks: RefCell<Vec<Mark>>,
}

impl<F: Feed> Stepper<F> {
    /// At the start of a stream.
    pub fn new(feed: F) -> Self {
        Stepper { feed, tried: false, marks: RefCell::default() }
    }

    /// The next item in `input`, and how many bytes to drop before the next call.
    ///
    /// `input` begins where the bytes dropped so far end. `end` says that nothing will follow it. An item that `input`
    /// holds only in part is not parsed from its start again, so that the work is linear in the bytes.
    ///
    /// # Errors
    ///
    /// With the offset counted from the start of `input`.
    pub fn step<'a>(&mut self, input: &'a [u8], end: bool) -> Result<(usize, Step<F::Item<'a>>), DecodeError> {
        let mut rest = input;
        loop {
            let used = input.len().saturating_sub(rest.len());
            match self.feed.next() {
                Next::End if !rest.is_empty() => {
                    return Err(DecodeError::new(to_u64(used), Path::default(), Fault::Trailing));
                }
                Next::End | Next::Ignored => return Ok((used, Step::Done)),
                Next::PieceOrEnd if end && rest.is_empty() => return Ok((used, Step::Done)),
                Next::Piece | Next::PieceOrEnd => {}
            }
            match self.piece(rest, end) {
                Ok((behind, piece)) => {
                    rest = behind;
                    if let Some(item) = self.feed.accept(piece) {
                        return Ok((input.len().saturating_sub(rest.len()), Step::Item(item)));
                    }
                }
                Err(Err::Incomplete(needed)) => {
                    let needed = if let Needed::Size(size) = needed { size.get() } else { 1 };
                    return Ok((used, Step::Need(needed)));
                }
                Err(Err::Error(error) | Err::Failure(error)) => return Err(error.into_error(&input)),
            }
        }
    }

    fn piece<'a>(&mut self, input: &'a [u8], end: bool) -> nom::IResult<&'a [u8], F::Piece<'a>, Traceback<&'a [u8]>> {
        if end {
            return self.feed.piece().parse_complete(input);
        }
        if self.tried {
            let skim = Skim { whole: input, at: 0, level: 0, marks: &self.marks };
            let mut piece = self.feed.piece::<Skim<'_, '_>, ()>();
            if let Err(Err::Incomplete(needed)) = piece.process::<OutputM<Check, Check, Streaming>>(skim) {
                return Err(Err::Incomplete(needed));
            }
        }
        let piece = self.feed.piece().process::<OutputM<Emit, Emit, Streaming>>(input);
        self.tried = matches!(piece, Err(Err::Incomplete(_)));
        self.marks.borrow_mut().clear();
        piece
    }
}

/// Bytes of one piece, for finding out whether all of it is there.
///
/// Every list leaves a mark of how far it came, and goes on from there in the next run: nothing before is read again,
/// but for the heads of the lists that the last byte lies in.
#[derive(Clone, Debug)]
struct Skim<'a, 'm> {
    whole: &'a [u8],
    at: usize,
    /// How many lists this position lies in.
    level: usize,
    marks: &'m RefCell<Vec<Mark>>,
}

#[derive(Debug)]
struct Mark {
    level: usize,
    /// Where the list begins.
    start: usize,
    /// How many items were read, and where the next begins.
    count: usize,
    at: usize,
}

impl<'a> Skim<'a, '_> {
    fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    fn behind(&self, rest: &[u8]) -> Self {
        Skim { at: self.whole.len().saturating_sub(rest.len()), ..self.clone() }
    }
}

impl<'a> Source for Skim<'a, '_> {
    type Bytes = &'a BStr;

    fn remaining(&self) -> usize {
        self.rest().len()
    }

    fn offset_from(&self, start: &Self) -> u64 {
        to_u64(self.at.saturating_sub(start.at))
    }

    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        self.rest().chunk().map(|(bytes, rest)| (bytes, self.behind(rest)))
    }

    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        self.rest().bytes(count).map(|(bytes, rest)| (bytes, self.behind(rest)))
    }

    fn resume(&self) -> (usize, Self) {
        let marks = &mut *self.marks.borrow_mut();
        let level = self.level.saturating_add(1);
        let (count, at) = match marks.iter().find(|mark| mark.level == level && mark.start == self.at) {
            Some(mark) => (mark.count, mark.at),
            None => {
                marks.push(Mark { level, start: self.at, count: 0, at: self.at });
                (0, self.at)
            }
        };
        (count, Skim { at, level, ..self.clone() })
    }

    fn reached(&self, count: usize) {
        let marks = &mut *self.marks.borrow_mut();
        if let Some(index) = marks.iter().rposition(|mark| mark.level == self.level) {
            // the lists inside the item just read are done with
            marks.truncate(index.saturating_add(1));
            marks.iter_mut().skip(index).for_each(|mark| (mark.count, mark.at) = (count, self.at));
        }
    }

    fn leave(self) -> Self {
        Skim { level: self.level.saturating_sub(1), ..self }
    }
}

/// Decodes a stream that is pushed in pieces of any size.
///
/// It keeps the bytes of the one unfinished item, and those not yet asked for. The memory it takes is at most that of
/// the piece just pushed and twice that of the largest item.
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
    stepper: Stepper<F>,
    buffer: Vec<u8>,
    /// What of the buffer was used.
    start: usize,
    /// How many unused bytes must be there before another try.
    wanted: usize,
    /// Where in the stream `start` is.
    offset: u64,
    failed: Option<DecodeError>,
}

impl<F: Feed + Default> Default for Decoder<F> {
    fn default() -> Self {
        Self::with_feed(F::default())
    }
}

impl<F: Feed> Decoder<F> {
    /// At the start of a stream.
    pub fn with_feed(feed: F) -> Self {
        let stepper = Stepper::new(feed);
        Decoder { stepper, buffer: Vec::new(), start: 0, wanted: 0, offset: 0, failed: None }
    }

    /// Takes the next bytes of the stream. Ask [`next`](Self::next) for the items that are complete now.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed.is_some() || self.stepper.feed.next() == Next::Ignored {
            return;
        }
        if self.wanted > 0 {
            // only part of one item is left, so that each byte moves once at the most
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next item that is complete, or `None` if more bytes are needed, the stream is at its end, or an error came
    /// before.
    ///
    /// # Errors
    ///
    /// Why the stream cannot be read further. It comes once here, and again from [`finish`](Self::finish).
    #[allow(clippy::should_implement_trait)] // an item borrows from the decoder, which no Iterator can say
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, DecodeError>> {
        let unused = self.buffer.get(self.start..).unwrap_or_default();
        if self.failed.is_some() || unused.len() < self.wanted {
            return None;
        }
        match self.stepper.step(unused, false) {
            Ok((used, step)) => {
                self.start = self.start.saturating_add(used);
                self.offset = self.offset.saturating_add(to_u64(used));
                match step {
                    Step::Item(item) => {
                        self.wanted = 0;
                        Some(Ok(item))
                    }
                    Step::Need(more) => {
                        self.wanted = unused.len().saturating_sub(used).saturating_add(more);
                        None
                    }
                    Step::Done => None,
                }
            }
            Err(error) => {
                let error = error.shifted(self.offset);
                self.failed = Some(error.clone());
                Some(Err(error))
            }
        }
    }

    /// Says that the stream is at its end. Items that were not asked for are decoded and dropped.
    ///
    /// # Errors
    ///
    /// If the stream ends inside an item, or failed before.
    pub fn finish(mut self) -> Result<(), DecodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut unused = self.buffer.get(self.start..).unwrap_or_default();
        loop {
            let (used, step) = self.stepper.step(unused, true).map_err(|error| error.shifted(self.offset))?;
            if let Step::Done = step {
                return Ok(());
            }
            self.offset = self.offset.saturating_add(to_u64(used));
            unused = unused.get(used..).unwrap_or_default();
        }
    }

    /// How many bytes of the stream were used for the items given so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that were pushed and not used yet.
    #[must_use]
    pub fn unused(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }
}

/// Why items could not be read from a [`std::io::Read`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Decoding failed.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// The items of a stream that a reader gives, as an iterator. The last one may be an error.
///
/// ```
/// use enginewire::roblox::attributes::Decoder;
///
/// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01"; // a file, a socket, …
/// for entry in Decoder::default().read(input) {
///     println!("{:?}", entry?);
/// }
/// # Ok::<(), enginewire::wire::ReadError>(())
/// ```
#[derive(Debug)]
pub struct ReadItems<R, F> {
    reader: R,
    /// Where it reads to.
    bytes: Vec<u8>,
    /// `None` when nothing more will come.
    decoder: Option<Decoder<F>>,
}

/// How much is read at once.
const READ: usize = 8192;

impl<F: Feed> Decoder<F> {
    /// Reads the stream from `reader`, which needs no buffer of its own.
    pub fn read<R: io::Read>(self, reader: R) -> ReadItems<R, F> {
        ReadItems { reader, bytes: vec![0; READ], decoder: Some(self) }
    }
}

impl<R: io::Read, F: Feed> Iterator for ReadItems<R, F> {
    type Item = Result<F::Owned, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let decoder = self.decoder.as_mut()?;
        let end = loop {
            match decoder.next() {
                Some(Ok(item)) => return Some(Ok(F::into_owned(item))),
                Some(Err(error)) => break Err(error.into()),
                None => {}
            }
            match self.reader.read(&mut self.bytes) {
                Ok(0) => break Ok(()),
                Ok(count) => decoder.push(self.bytes.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error.into()),
            }
        };
        let decoder = self.decoder.take()?;
        end.and_then(|()| decoder.finish().map_err(ReadError::from)).err().map(Err)
    }
}

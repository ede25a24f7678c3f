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

use super::check::{Checker, Findings, Report};
use super::error::{Traceback, WireError};
use super::frame::Frame;
use super::run::{run, TRAILING};
use super::source::{to_u64, to_usize, Note, Source};
use crate::error::{DecodeError, Fault, Path};
use crate::Offset;

/// A format as a stream: perhaps a head, then items, then perhaps an end.
pub trait ItemStream: Copy + Debug {
    /// What comes before the items and says something about them, such as how many there are.
    type Head;

    /// What the stream is made of for its user.
    type Item<'a>;

    /// What reading allows.
    type Options;

    /// The start of a stream that is read as the options say.
    fn new(options: Self::Options) -> Self;

    /// What must come next, unless [`may_end`](Self::may_end) says otherwise.
    fn next(&self) -> Next;

    /// The way to the next item.
    fn path(&self) -> Path;

    /// Whether the stream may end here instead.
    fn may_end(&self) -> bool;

    /// The parser for the head.
    fn head<'a, I, E>(self) -> impl Parser<I, Output = Self::Head, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// Takes note of the head.
    fn begin(&mut self, head: Self::Head);

    /// The parser for the next item. Where all of it is there, it must not ask for more.
    fn item<'a, I, E>(self) -> impl Parser<I, Output = Self::Item<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// Takes note of an item that was read.
    fn advance(&mut self);

    /// How many items there are, if what was read so far says so.
    fn count(&self) -> Option<u64> {
        None
    }

    /// The item with all that it borrows copied.
    fn into_owned(item: Self::Item<'_>) -> Self::Item<'static>;
}

/// What must come next in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The head.
    Head,
    /// An item.
    Item,
    /// The end.
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
    stream: F,
    /// Whether the item that comes next was tried before, with too few bytes.
    tried: bool,
    marks: RefCell<Vec<Checkpoint>>,
    open: RefCell<Containers>,
}

/// What is known before an item is read.
enum Prepared {
    /// An item is there, after so many bytes of other things.
    Item(usize),
    /// At least so many more bytes are needed.
    Need(usize),
    /// There are no more items.
    Done,
}

impl<F: ItemStream> Stepper<F> {
    /// At the start of a stream.
    pub fn new(stream: F) -> Self {
        Stepper { stream, tried: false, marks: RefCell::default(), open: RefCell::default() }
    }

    /// The next item in `input`, and how many bytes to drop before the next call.
    ///
    /// `input` begins where the bytes dropped so far end. `end` says that nothing will follow it. An item that `input`
    /// holds only in part is not parsed from its start again, so that the work is linear in the bytes.
    ///
    /// # Errors
    ///
    /// With the offset counted from the start of `input`.
    #[inline]
    pub fn step<'a>(&mut self, input: &'a [u8], end: bool) -> Result<(usize, Step<F::Item<'a>>), DecodeError> {
        let mut rest = input;
        loop {
            let before = input.len().saturating_sub(rest.len());
            if let Some((used, item)) = self.item(rest) {
                return Ok((before.saturating_add(used), Step::Item(item)));
            }
            match self.prepare(rest, end).map_err(|error| error.shifted(to_u64(before)))? {
                Prepared::Item(used) => rest = rest.get(used..).unwrap_or_default(),
                Prepared::Need(more) => return Ok((before, Step::Need(more))),
                Prepared::Done => return Ok((before, Step::Done)),
            }
        }
    }

    /// The next item, if all of it is there and nothing else comes first; [`prepare`](Self::prepare) knows about that.
    ///
    /// Apart, because an item that shared its place with errors and needs would be built elsewhere and moved there,
    /// which takes twice the time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn item<'a>(&mut self, input: &'a [u8]) -> Option<(usize, F::Item<'a>)> {
        if self.tried || self.stream.next() != Next::Item {
            return None;
        }
        let (rest, item) = self.stream.item::<_, ()>().process::<OutputM<Emit, Check, Streaming>>(input).ok()?;
        self.stream.advance();
        Some((input.len().saturating_sub(rest.len()), item))
    }

    /// Everything but reading an item: the head, the end, an item that is not all there, an error.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, input: &[u8], end: bool) -> Result<Prepared, DecodeError> {
        let next = self.stream.next();
        if end && input.is_empty() && (next == Next::End || self.stream.may_end()) {
            return Ok(Prepared::Done);
        }
        match next {
            Next::Ignored => Ok(Prepared::Done),
            Next::End if input.is_empty() => Ok(Prepared::Done),
            Next::End => Err(DecodeError::new(Offset::default(), Path::default(), Fault::Trailing)),
            Next::Head => {
                let mut head = self.stream.head();
                match if end { head.parse_complete(input) } else { head.parse(input) } {
                    Ok((rest, head)) => {
                        self.stream.begin(head);
                        Ok(Prepared::Item(input.len().saturating_sub(rest.len())))
                    }
                    Err(error) => stopped(error, input),
                }
            }
            Next::Item if end => self.found(input),
            Next::Item => match self.prescan(input) {
                Ok(()) => Ok(self.ready()),
                Err(Err::Incomplete(needed)) => {
                    self.tried = true;
                    Ok(Prepared::Need(missing(needed)))
                }
                Err(_) => self.found(input),
            },
        }
    }

    /// What is to be said of the next item where no more bytes will come, or its error lies before those that are missing.
    fn found(&mut self, input: &[u8]) -> Result<Prepared, DecodeError> {
        run(input, self.stream.item()).map(|_| self.ready())
    }

    /// Whether all of the next item is there; from where it was left, if it was not.
    fn prescan(&self, input: &[u8]) -> Result<(), Err<()>> {
        let prescan = Prescan { whole: input, at: 0, bit: 0, level: 0, marks: &self.marks, open: &self.open };
        let mut item = self.stream.item::<Prescan<'_, '_>, ()>();
        item.process::<OutputM<Check, Check, Streaming>>(prescan).map(drop)
    }

    /// All of the next item is there.
    fn ready(&mut self) -> Prepared {
        self.tried = false;
        self.marks.borrow_mut().clear();
        self.open.borrow_mut().list.clear();
        Prepared::Item(0)
    }
}

/// Hands the items of `input`, which is complete, to `each`, to the end or to an error. What is left then: of an item that
/// cannot be read, all from its first byte on. The stream stays before that item.
pub(super) fn items<'a, F: ItemStream>(
    stream: &mut F,
    input: &'a [u8],
    mut each: impl FnMut(F::Item<'a>),
) -> (&'a [u8], Option<DecodeError>) {
    let mut rest = input;
    loop {
        let next = stream.next();
        if next == Next::Ignored || rest.is_empty() && (next == Next::End || stream.may_end()) {
            return (rest, None);
        }
        let step = match next {
            Next::Head => run(rest, stream.head()).map(|(behind, head)| {
                stream.begin(head);
                behind
            }),
            Next::Item => run(rest, stream.item()).map(|(behind, item)| {
                stream.advance();
                each(item);
                behind
            }),
            Next::End | Next::Ignored => Err(DecodeError::new(Offset::default(), Path::default(), Fault::Trailing)),
        };
        match step {
            Ok(behind) => rest = behind,
            Err(error) => {
                let offset = input.len().saturating_sub(rest.len());
                return (rest, Some(error.shifted(to_u64(offset))));
            }
        }
    }
}

/// What it means that a parser came out with an error.
fn stopped(error: Err<Traceback<&[u8]>>, input: &[u8]) -> Result<Prepared, DecodeError> {
    match error {
        Err::Incomplete(needed) => Ok(Prepared::Need(missing(needed))),
        Err::Error(error) | Err::Failure(error) => Err(error.into_error(&input)),
    }
}

fn missing(needed: Needed) -> usize {
    match needed {
        Needed::Size(size) => size.get(),
        Needed::Unknown => 1,
    }
}

/// Bytes of one item, for finding out whether all of it is there.
///
/// Every list leaves a mark of how far it came, and goes on from there in the next run: nothing before is read again,
/// but for the heads of the lists that the last byte lies in.
#[derive(Clone, Debug)]
struct Prescan<'a, 'm> {
    whole: &'a [u8],
    at: usize,
    /// The bit of that byte, for the marks.
    bit: u8,
    /// How many lists this position lies in.
    level: usize,
    marks: &'m RefCell<Vec<Checkpoint>>,
    open: &'m RefCell<Containers>,
}

/// The containers of a value that are open.
#[derive(Debug, Default)]
struct Containers {
    /// Where the value begins.
    start: usize,
    list: Vec<Frame>,
    /// Where the innermost goes on.
    at: usize,
}

#[derive(Debug)]
struct Checkpoint {
    level: usize,
    /// Where the list begins: byte and bit.
    start: (usize, u8),
    /// How many items were read, and where the next begins.
    count: usize,
    at: (usize, u8),
}

impl<'a> Prescan<'a, '_> {
    fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    fn behind(&self, rest: &[u8]) -> Self {
        Prescan { at: self.whole.len().saturating_sub(rest.len()), ..self.clone() }
    }
}

impl<'a> Source for Prescan<'a, '_> {
    type Bytes = &'a BStr;

    fn remaining(&self) -> usize {
        self.rest().len()
    }

    fn offset_from(&self, start: &Self) -> Offset {
        to_u64(self.at.saturating_sub(start.at)).into()
    }

    fn at_bit(&self, bit: u8) -> Self {
        Prescan { bit, ..self.clone() }
    }

    fn bit(&self) -> u8 {
        self.bit
    }

    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        self.rest().chunk().map(|(bytes, rest)| (bytes, self.behind(rest)))
    }

    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        self.rest().bytes(count).map(|(bytes, rest)| (bytes, self.behind(rest)))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let end = self.at.checked_add(length)?;
        Some((Prescan { whole: self.whole.get(..end)?, ..self.clone() }, Prescan { at: end, ..self.clone() }))
    }

    fn resume(&self) -> Option<(usize, Self)> {
        let marks = &mut *self.marks.borrow_mut();
        let level = self.level.saturating_add(1);
        let here = (self.at, self.bit);
        // they stand in the order in which they were made
        let found = marks.binary_search_by_key(&(here, level), |mark| (mark.start, mark.level));
        let (count, (at, bit)) = match found.map(|index| marks.get(index)) {
            Ok(Some(mark)) => (mark.count, mark.at),
            Ok(None) => (0, here),
            Err(index) => {
                marks.insert(index, Checkpoint { level, start: here, count: 0, at: here });
                (0, here)
            }
        };
        Some((count, Prescan { at, bit, level, ..self.clone() }))
    }

    fn reached(&self, count: usize) {
        let marks = &mut *self.marks.borrow_mut();
        if let Some(index) = marks.iter().rposition(|mark| mark.level == self.level) {
            // the lists inside the item just read are done with
            marks.truncate(index.saturating_add(1));
            marks.iter_mut().skip(index).for_each(|mark| (mark.count, mark.at) = (count, (self.at, self.bit)));
        }
    }

    fn leave(self) -> Self {
        Prescan { level: self.level.saturating_sub(1), ..self }
    }

    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        let open = self.open.borrow();
        let is_known = open.start == self.at && !open.list.is_empty();
        is_known.then(|| (open.list.clone(), Prescan { at: open.at, ..self.clone() }))
    }

    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        let open = &mut *self.open.borrow_mut();
        open.list.truncate(depth);
        open.list.push(opened);
        (open.start, open.at) = (start.at, self.at);
        // the lists inside what was just read are done with
        self.marks.borrow_mut().retain(|mark| mark.level <= self.level);
    }
}

/// Decodes a stream that is pushed in pieces of any size.
///
/// It keeps the bytes of the one unfinished item, and those not yet asked for. The memory it takes is at most that of
/// the piece just pushed and twice that of the largest item, three times while the buffer grows;
/// [`item_limit`](Self::item_limit) says how large an item may be.
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

/// How far a [`Decoder`] came. Apart from its buffer, which the items borrow.
#[derive(Debug)]
struct Progress<F> {
    stepper: Stepper<F>,
    /// What of the buffer was used.
    start: usize,
    /// How many unused bytes must be there before another try.
    wanted: usize,
    /// Where in the stream `start` is.
    offset: u64,
    /// How many bytes an item may take.
    limit: usize,
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
    /// At the start of a stream that is read as these options of its format say.
    #[must_use]
    pub fn with_options(options: F::Options) -> Self {
        Self::with_stream(F::new(options))
    }

    /// At the start of a stream.
    pub fn with_stream(stream: F) -> Self {
        let stepper = Stepper::new(stream);
        let progress = Progress { stepper, start: 0, wanted: 0, offset: 0, limit: usize::MAX, failed: None };
        Decoder { buffer: Vec::new(), progress }
    }

    /// Sets how many bytes an item may take; without, there is no limit but memory. A longer item is
    /// [`Fault::TooLarge`], with the offset of its start, and is not waited for.
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
        self.progress.limit = bytes.max(1);
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
    /// Why the stream cannot be read further. It comes once here, and again from [`finish`](Self::finish).
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::should_implement_trait)] // an item borrows from the decoder, which no Iterator can say
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, DecodeError>> {
        self.progress.next(self.buffer.get(self.progress.start..).unwrap_or_default())
    }

    /// Says that the stream is at its end. Items that were not asked for are decoded and dropped.
    ///
    /// # Errors
    ///
    /// If the stream ends inside an item, or failed before.
    pub fn finish(mut self) -> Result<(), DecodeError> {
        while let Some(item) = self.next() {
            item?;
        }
        let Progress { mut stepper, start, offset, failed, .. } = self.progress;
        match failed {
            Some(error) => Err(error),
            None => {
                let unused = self.buffer.get(start..).unwrap_or_default();
                stepper.step(unused, true).map(drop).map_err(|error| error.shifted(offset))
            }
        }
    }

    /// How many bytes of the stream were used for the items given so far.
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next<'a>(&mut self, mut unused: &'a [u8]) -> Option<Result<F::Item<'a>, DecodeError>> {
        if unused.len() < self.wanted || self.failed.is_some() {
            return None;
        }
        loop {
            let view = unused.get(..self.limit).unwrap_or(unused);
            if let Some((used, item)) = self.stepper.item(view) {
                self.use_up(used);
                return Some(Ok(item));
            }
            match self.prepare(view) {
                Ok(Some(used)) => unused = unused.get(used..).unwrap_or_default(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Like [`next`](Self::next), but nothing is built, and `each` hears of what is remarkable. Whether there was an
    /// item.
    fn check(&mut self, mut unused: &[u8], each: &mut dyn FnMut(Offset, Note)) -> Result<bool, DecodeError> {
        if unused.len() < self.wanted {
            return Ok(false);
        }
        loop {
            let (stream, offset) = (self.stepper.stream, self.offset);
            let view = unused.get(..self.limit).unwrap_or(unused);
            let Some(used) = self.prepare(view)? else { return Ok(false) };
            // all of it is there, so that nothing is heard of twice
            let mut each = |at: Offset, note| each(at.after(offset.into()), note);
            let checker = Checker::new(&mut each);
            if stream.next() == Next::Item {
                let used = checker.check_part(view, stream.item())?;
                self.stepper.stream.advance();
                self.use_up(to_usize(used.byte()));
                return Ok(true);
            }
            checker.check_part(view, stream.head())?;
            unused = unused.get(used..).unwrap_or_default();
        }
    }

    /// Everything but reading an item: how many bytes of other things came before it, or `None` if it is not there.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, view: &[u8]) -> Result<Option<usize>, DecodeError> {
        match self.stepper.prepare(view, false) {
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

    /// The error for an item that begins at the start of `view` and does not fit the limit. Where in the item the limit
    /// lies does not matter, and would depend on how the stream was cut.
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

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn use_up(&mut self, used: usize) {
        self.start = self.start.saturating_add(used);
        self.offset = self.offset.saturating_add(to_u64(used));
        self.wanted = 0;
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

impl<F: ItemStream> Decoder<F> {
    /// Reads the stream from `reader`, which needs no buffer of its own.
    pub fn read<R: io::Read>(self, reader: R) -> ReadItems<R, F> {
        ReadItems { reader, bytes: vec![0; READ], decoder: Some(self) }
    }

    /// Checks the stream that `reader` gives, to its end: nothing is built, and one item is kept at a time. `each` hears
    /// of everything remarkable, with its offset. Of bytes after the end that the format allows, the first is read.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Decoder;
    ///
    /// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x02"; // a file, a socket, …
    /// let report = Decoder::new().check(input, |offset, note| println!("{offset}: {note:?}"))?;
    /// assert_eq!(report.items, Some(1));
    /// assert_eq!(report.findings.non_canonical.first.unwrap().offset, 10);
    /// # Ok::<(), enginewire::wire::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If reading fails, or decoding would.
    pub fn check<R: io::Read>(
        mut self,
        mut reader: R,
        mut each: impl FnMut(Offset, Note),
    ) -> Result<Report, ReadError> {
        let mut findings = Findings::default();
        let mut remark = |offset, note| {
            findings.add(offset, note);
            each(offset, note);
        };
        let mut bytes = vec![0; READ];
        loop {
            while self.progress.check(self.buffer.get(self.progress.start..).unwrap_or_default(), &mut remark)? {}
            let piece = read_some(&mut reader, &mut bytes)?;
            if self.progress.stepper.stream.next() == Next::Ignored {
                if !(self.unused().is_empty() && piece.is_empty()) {
                    remark(self.offset().into(), TRAILING);
                }
                break;
            }
            if piece.is_empty() {
                break;
            }
            self.push(piece);
        }
        let count = self.progress.stepper.stream.count();
        self.finish()?;
        Ok(Report::new(count, findings))
    }
}

/// The next bytes that `reader` gives; none at its end.
fn read_some<'b>(reader: &mut impl io::Read, bytes: &'b mut [u8]) -> io::Result<&'b [u8]> {
    loop {
        match reader.read(bytes) {
            Ok(count) => return Ok(bytes.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl<R: io::Read, F: ItemStream> Iterator for ReadItems<R, F> {
    type Item = Result<F::Item<'static>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let decoder = self.decoder.as_mut()?;
        let end = loop {
            match decoder.next() {
                Some(Ok(item)) => return Some(Ok(F::into_owned(item))),
                Some(Err(error)) => break Err(error.into()),
                None => {}
            }
            match read_some(&mut self.reader, &mut self.bytes) {
                Ok([]) => break Ok(()),
                Ok(piece) => decoder.push(piece),
                Err(error) => break Err(error.into()),
            }
        };
        let decoder = self.decoder.take()?;
        end.and_then(|()| decoder.finish().map_err(ReadError::from)).err().map(Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{repeat, uint8};
    use nom::{OutputMode, PResult};
    use pretty_assertions::assert_eq;
    use std::cell::Cell;

    thread_local! {
        /// How many bytes were read, again and again ones too.
        static READ_BYTES: Cell<usize> = const { Cell::new(0) };
    }

    /// A byte that is counted.
    struct Counted<E>(std::marker::PhantomData<fn() -> E>);

    impl<I: Source, E: WireError<I>> Parser<I> for Counted<E> {
        type Output = u8;
        type Error = E;

        fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, u8, E> {
            READ_BYTES.set(READ_BYTES.get().saturating_add(1));
            uint8().process::<OM>(input)
        }
    }

    /// A single item: ten lists of ten lists of ten bytes.
    #[derive(Clone, Copy, Debug)]
    struct Nested {
        done: bool,
    }

    impl ItemStream for Nested {
        type Head = ();
        type Item<'a> = Vec<Vec<Vec<u8>>>;
        type Options = ();

        fn new((): ()) -> Self {
            Nested { done: false }
        }

        fn next(&self) -> Next {
            if self.done {
                Next::End
            } else {
                Next::Item
            }
        }

        fn path(&self) -> Path {
            Path::default()
        }

        fn may_end(&self) -> bool {
            false
        }

        fn head<'a, I, E>(self) -> impl Parser<I, Output = (), Error = E>
        where
            I: Source<Bytes = &'a BStr>,
            E: WireError<I>,
        {
            nom::combinator::success(())
        }

        fn begin(&mut self, (): ()) {}

        fn item<'a, I, E>(self) -> impl Parser<I, Output = Self::Item<'a>, Error = E>
        where
            I: Source<Bytes = &'a BStr>,
            E: WireError<I>,
        {
            repeat(10, 100, repeat(10, 10, repeat(10, 1, Counted(std::marker::PhantomData))))
        }

        fn advance(&mut self) {
            self.done = true;
        }

        fn into_owned(item: Self::Item<'_>) -> Self::Item<'static> {
            item
        }
    }

    /// Of an item that comes byte by byte, what was there is not read again.
    #[test]
    fn work_is_linear_in_the_bytes() {
        let bytes: Vec<u8> = (0..1000).map(|index: u32| index.to_le_bytes()[0]).collect();
        let mut decoder = Decoder::with_stream(Nested { done: false });
        for byte in bytes.chunks(1) {
            decoder.push(byte);
            let item = decoder.next();
            assert_eq!(item.is_some(), decoder.offset() == 1000);
        }
        assert_eq!(decoder.finish(), Ok(()));
        // each once where it is missing, once where it is there, and once for the value; and the first in a first try
        assert_eq!(READ_BYTES.get(), 3 * bytes.len() + 1);
    }
}

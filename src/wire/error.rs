//! Errors on the way out of a parser.

use std::fmt::{self, Debug, Display};

use nom::error::{ContextError, ErrorKind, FromExternalError, ParseError};
use nom::{Err, IsStreaming, Mode, Needed, OutputMode};

use super::source::{to_u64, Label, Source};
use crate::error::{DecodeError, Fault, Path, Segment};
use crate::Offset;

/// An error type that our parsers can return.
///
/// Any type that already implements nom's [`ParseError`] joins with an empty `impl`; it then learns that parsing failed
/// and where. [`Traceback`] is the implementation that keeps everything.
///
/// ```
/// # use nom::error::{ErrorKind, ParseError};
/// struct MyError(usize, ErrorKind);
/// impl ParseError<&[u8]> for MyError {
///     fn from_error_kind(input: &[u8], kind: ErrorKind) -> Self { MyError(input.len(), kind) }
///     fn append(_: &[u8], _: ErrorKind, other: Self) -> Self { other }
/// }
/// impl enginewire::wire::WireError<&[u8]> for MyError {}
/// ```
pub trait WireError<I>: ParseError<I> {
    /// Whether it keeps the labels that it is [`within`](Self::within). Keys are not read again for those that do not.
    const LABELLED: bool = true;

    /// What stands at `at` is at fault.
    #[cold]
    fn fault(at: I, _fault: Fault) -> Self {
        Self::from_error_kind(at, ErrorKind::Fail)
    }

    /// What is at fault stands not at the byte that was named, but `bit` bits further.
    #[cold]
    fn at_bit(self, _bit: u8) -> Self {
        self
    }

    /// The error lies within the part named `label`.
    #[cold]
    fn within(self, _label: Label<'_>) -> Self {
        self
    }
}

impl<I> WireError<I> for () {
    const LABELLED: bool = false;
}

impl<I> WireError<I> for nom::error::Error<I> {
    const LABELLED: bool = false;
}

/// Where parsing stopped, why, and all the fields it was in.
///
/// One pointer wide: a parser's result stays small, and nothing is allocated until something fails.
/// [`into_error`](Self::into_error) makes it a [`DecodeError`], which stands without the input.
#[derive(Clone)]
pub struct Traceback<I>(Box<Inner<I>>);

#[derive(Clone)]
struct Inner<I> {
    at: I,
    bit: u8,
    fault: Fault,
    /// Innermost first, as they are met on the way out.
    path: Vec<Segment>,
}

impl<I> Traceback<I> {
    #[cold]
    fn new(at: I, fault: Fault) -> Self {
        Traceback(Box::new(Inner { at, bit: 0, fault, path: Vec::new() }))
    }

    /// The input at the field that failed.
    #[must_use]
    pub fn at(&self) -> &I {
        &self.0.at
    }

    /// Why it failed.
    #[must_use]
    pub fn fault_found(&self) -> &Fault {
        &self.0.fault
    }

    /// The error by itself, with its offset from `start`, the input as it was before any of it was parsed.
    #[must_use]
    pub fn into_error(self, start: &I) -> DecodeError
    where
        I: Source,
    {
        let Inner { at, bit, fault, path } = *self.0;
        // what nom's own parsers call the end of the input
        let fault = match fault {
            Fault::Parser(ErrorKind::Eof) => {
                let left = to_u64(at.remaining());
                Fault::Truncated { needed: left.saturating_add(1), left }
            }
            fault => fault,
        };
        let offset = at.offset_from(start).after(Offset::new(0, bit));
        DecodeError::new(offset, path.into_iter().rev().collect::<Path>(), fault)
    }

    #[cold]
    fn push(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }
}

/// Without the input, which may be long and is not the error's own.
impl<I> Debug for Traceback<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Path = self.0.path.iter().rev().cloned().collect();
        f.debug_struct("Traceback").field("fault", &self.0.fault).field("path", &path.to_string()).finish()
    }
}

impl<I> WireError<I> for Traceback<I> {
    #[cold]
    fn fault(at: I, fault: Fault) -> Self {
        Self::new(at, fault)
    }

    #[cold]
    fn at_bit(mut self, bit: u8) -> Self {
        self.0.bit = bit;
        self
    }

    #[cold]
    fn within(self, label: Label<'_>) -> Self {
        self.push(label.into())
    }
}

impl<I> ParseError<I> for Traceback<I> {
    #[cold]
    fn from_error_kind(at: I, kind: ErrorKind) -> Self {
        Self::new(at, Fault::Parser(kind))
    }

    #[cold]
    fn append(_at: I, _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<I> ContextError<I> for Traceback<I> {
    #[cold]
    fn add_context(_at: I, name: &'static str, other: Self) -> Self {
        other.push(Segment::Field(name))
    }
}

impl<I, X: Display> FromExternalError<I, X> for Traceback<I> {
    #[cold]
    fn from_external_error(at: I, _kind: ErrorKind, error: X) -> Self {
        Self::new(at, Fault::Other(error.to_string()))
    }
}

/// The error that a parser came out with, by itself.
#[cold]
pub(crate) fn located<I: Source>(error: Err<Traceback<I>>, start: &I) -> DecodeError {
    match error {
        Err::Error(error) | Err::Failure(error) => error.into_error(start),
        // a parser outside this crate that takes no notice of the mode
        Err::Incomplete(_) => {
            Traceback::fault(start.clone(), Fault::Other("it asks for more input".into())).into_error(start)
        }
    }
}

impl From<Label<'_>> for Segment {
    fn from(label: Label<'_>) -> Self {
        match label {
            Label::Field(name) => Segment::Field(name),
            Label::Index(index) => Segment::Index(index),
            Label::Key(key) => Segment::Key(key_text(key)),
        }
    }
}

/// How much text of a key is shown.
pub(crate) const KEY_TEXT: usize = 64;

/// A key as errors and trees show it.
pub(crate) fn key_text(key: &dyn Debug) -> String {
    let mut text = String::new();
    write_text(&mut text, key, KEY_TEXT);
    text
}

/// `value` as text of at most `limit` bytes, and `…` if there would be more, in place of what `text` holds. Formatting
/// stops there, however large the value is.
pub(crate) fn write_text(text: &mut String, value: &dyn Debug, limit: usize) {
    struct Limited<'t>(&'t mut String, usize);
    impl fmt::Write for Limited<'_> {
        fn write_str(&mut self, more: &str) -> fmt::Result {
            let room = self.1.saturating_sub(self.0.len());
            if more.len() <= room {
                self.0.push_str(more);
                return Ok(());
            }
            let fits = (0..=room).rev().find_map(|end| more.get(..end));
            self.0.push_str(fits.unwrap_or_default());
            self.0.push('…');
            Err(fmt::Error)
        }
    }
    text.clear();
    // the only error is our own: the limit was reached
    let _ = fmt::write(&mut Limited(text, limit), format_args!("{value:?}"));
}

/// The error of a parser that runs in mode `OM`.
pub(crate) type Failed<OM, E> = Err<E, <<OM as OutputMode>::Error as Mode>::Output<E>>;

/// What a parser returns that found `fault` at `at`.
#[cold]
#[inline(never)]
pub fn fault<I, OM: OutputMode, E: WireError<I>>(at: I, fault: Fault) -> Failed<OM, E> {
    Err::Error(OM::Error::bind(|| E::fault(at, fault)))
}

/// What a parser returns that needs `needed` bytes where fewer are left.
#[cold]
#[inline(never)]
pub fn truncated<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: u64) -> Failed<OM, E> {
    let left = to_u64(at.remaining());
    truncated_with::<I, OM, E>(at, needed, left)
}

/// What a parser returns that read at `at` that `needed` bytes must follow, of which `left` do.
#[cold]
#[inline(never)]
pub fn truncated_with<I, OM: OutputMode, E: WireError<I>>(at: I, needed: u64, left: u64) -> Failed<OM, E> {
    if OM::Incomplete::is_streaming() {
        let missing = usize::try_from(needed.saturating_sub(left)).unwrap_or(usize::MAX);
        return Err::Incomplete(Needed::new(missing));
    }
    fault::<I, OM, E>(at, Fault::Truncated { needed, left })
}

/// `error`, which came out of the part named `label`.
#[cold]
#[inline(never)]
pub(crate) fn within<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, label: Label<'_>) -> Failed<OM, E> {
    match error {
        Err::Error(error) => Err::Error(OM::Error::map(error, |error| error.within(label))),
        Err::Failure(error) => Err::Failure(error.within(label)),
        Err::Incomplete(needed) => Err::Incomplete(needed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_traceback_is_one_pointer_wide() {
        assert_eq!(std::mem::size_of::<Traceback<&[u8]>>(), std::mem::size_of::<usize>());
    }

    #[test]
    fn text_stops_at_its_limit_and_between_characters() {
        let text = |value: &dyn Debug, limit| {
            let mut text = "what was there before".to_owned();
            write_text(&mut text, value, limit);
            text
        };
        assert_eq!(text(&"short", 64), "\"short\"");
        assert_eq!(text(&"ääää", 4), "\"ä…");
        assert_eq!(text(&vec![0u8; 1 << 20], 5), "[0, 0…");
    }

    #[test]
    fn nom_errors_are_kept_with_their_place() {
        let input: &[u8] = b"abc";
        let mut parser = nom::error::context("magic", nom::bytes::complete::tag::<_, _, Traceback<&[u8]>>("xyz"));
        let Err(Err::Error(error)) = nom::Parser::parse(&mut parser, &input[1..]) else { panic!("it matched") };
        let error = error.into_error(&input);
        assert_eq!((error.offset(), error.path().to_string()), (1.into(), "magic".to_owned()));
        assert_eq!(error.fault(), &Fault::Parser(ErrorKind::Tag));
    }

    #[test]
    fn a_traceback_shows_its_fault_and_path_without_the_input() {
        let error = Traceback::fault(&[0; 1000][..], Fault::Trailing).within(Label::Field("a")).within(Label::Index(3));
        assert_eq!(format!("{error:?}"), r#"Traceback { fault: Trailing, path: "[3].a" }"#);
    }
}

//! Errors of parsers.

use std::fmt::{self, Debug, Display};

use nom::error::{ContextError, ErrorKind, FromExternalError, ParseError};
use nom::{Err, IsStreaming, Mode, Needed, OutputMode};

use super::input::source::{Label, Source};
use crate::error::{AsKey, DecodeError, Fault, Path, Segment};
use crate::number::to_u64;
use crate::Offset;

/// An error type that our parsers can return.
///
/// A type that implements nom's [`ParseError`] needs only an empty `impl`. It then learns where parsing failed, but not why.
/// [`Traceback`] keeps everything.
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
///
/// One that keeps the reason and the path as well, and tells a part that is too short from an input that is cut off:
///
/// ```
/// use enginewire::roblox::datatypes::udim;
/// use enginewire::wire::{field, length_delimited, uint8, Label, Le, WireError};
/// use enginewire::{Fault, Path, Segment};
/// use nom::error::{ErrorKind, ParseError};
/// use nom::{Err, Parser};
///
/// struct MyError<'a> {
///     at: &'a [u8],
///     fault: Option<Fault>, // none of nom's own parsers
///     path: Vec<Segment>,   // innermost first
/// }
///
/// impl<'a> ParseError<&'a [u8]> for MyError<'a> {
///     fn from_error_kind(at: &'a [u8], _: ErrorKind) -> Self { MyError { at, fault: None, path: Vec::new() } }
///     fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self { other }
/// }
///
/// impl<'a> WireError<&'a [u8]> for MyError<'a> {
///     fn fault(at: &'a [u8], fault: Fault) -> Self { MyError { at, fault: Some(fault), path: Vec::new() } }
///     fn within(mut self, label: Label<'_>) -> Self {
///         self.path.push(label.into());
///         self
///     }
///     fn in_complete_part(mut self) -> Self {
///         if let Some(Fault::Truncated { needed, left }) = self.fault {
///             self.fault = Some(Fault::TooShort { needed, left });
///         }
///         self
///     }
/// }
///
/// let bytes = &b"\x06\0\0\0\x3f\x2a\0"[..]; // a part of 6 bytes; a UDim takes 8
/// let mut width = field("width", length_delimited(uint8(), udim::<Le, _, MyError<'_>>()));
/// let Err(Err::Error(MyError { at, fault, path })) = width.parse_complete(bytes) else { panic!() };
/// assert_eq!((bytes.len() - at.len(), fault), (5, Some(Fault::TooShort { needed: 4, left: 2 })));
/// assert_eq!(path.into_iter().rev().collect::<Path>().to_string(), "width.offset");
/// ```
///
/// A type of another crate, which cannot get an `impl` in yours, is used in [`Foreign`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error type that the parsers of enginewire return",
    note = "use `enginewire::wire::Traceback`, which has the offset, the path and the reason",
    note = "if the type is yours and implements nom's `ParseError`, write an empty `impl` of `WireError` for it",
    note = "if it is of another crate and also implements nom's `ContextError`, use `enginewire::wire::Foreign<{Self}, _>`"
)]
pub trait WireError<I>: ParseError<I> {
    /// True if it keeps the labels of [`within`](Self::within). If not, keys are not read again for them.
    const LABELLED: bool = true;

    /// The error `fault` at the place `at`.
    #[cold]
    fn fault(at: I, _fault: Fault) -> Self {
        Self::from_error_kind(at, ErrorKind::Fail)
    }

    /// The same error, `bit` bits further.
    #[cold]
    fn at_bit(self, _bit: u8) -> Self {
        self
    }

    /// The same error within the part named `label`.
    #[cold]
    fn within(self, _label: Label<'_>) -> Self {
        self
    }

    /// The same error in a part whose bytes are all there: [`Fault::Truncated`] becomes [`Fault::TooShort`].
    #[cold]
    fn in_complete_part(self) -> Self {
        self
    }
}

impl<I> WireError<I> for () {
    const LABELLED: bool = false;
}

impl<I> WireError<I> for nom::error::Error<I> {
    const LABELLED: bool = false;
}

/// An error type of another crate that implements nom's [`ParseError`] and [`ContextError`].
///
/// Each field around the fault is a context of it, innermost first, at the place of the fault. Numbers of items and keys are
/// none, because a context is a constant text. The end of the input is [`ErrorKind::Eof`], any other fault [`ErrorKind::Fail`].
/// The reason itself is kept beside the error.
///
/// ```
/// use enginewire::roblox::datatypes::udim;
/// use enginewire::wire::{Foreign, Le};
/// use nom::{error::ErrorKind, Err, Parser};
/// use nom_language::error::{VerboseError, VerboseErrorKind};
///
/// let bytes = &b"\0\0\0\x3f\x2a\0"[..];
/// let result = udim::<Le, _, Foreign<VerboseError<&[u8]>, _>>().parse_complete(bytes);
/// let Err(Err::Error(Foreign { error, fault, .. })) = result else { panic!() };
/// let at = &bytes[4..];
/// assert_eq!(error.errors[0], (at, VerboseErrorKind::Nom(ErrorKind::Eof)));
/// assert_eq!(error.errors[1], (at, VerboseErrorKind::Context("offset")));
/// assert_eq!(fault.unwrap().to_string(), "input ends too early: 4 bytes needed, 2 left");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign<E, I> {
    /// The error.
    pub error: E,
    /// The input at the fault.
    pub at: I,
    /// Why it failed; `None` if a parser of nom itself did. It is boxed so that the result of a parser stays small.
    pub fault: Option<Box<Fault>>,
}

impl<I: Clone, E: ParseError<I>> ParseError<I> for Foreign<E, I> {
    #[cold]
    fn from_error_kind(at: I, kind: ErrorKind) -> Self {
        Foreign { error: E::from_error_kind(at.clone(), kind), at, fault: None }
    }

    #[cold]
    fn append(at: I, kind: ErrorKind, other: Self) -> Self {
        Foreign { error: E::append(at, kind, other.error), ..other }
    }
}

impl<I: Clone, E: ContextError<I>> ContextError<I> for Foreign<E, I> {
    #[cold]
    fn add_context(at: I, name: &'static str, other: Self) -> Self {
        Foreign { error: E::add_context(at, name, other.error), ..other }
    }
}

impl<I: Clone, X, E: FromExternalError<I, X>> FromExternalError<I, X> for Foreign<E, I> {
    #[cold]
    fn from_external_error(at: I, kind: ErrorKind, error: X) -> Self {
        Foreign { error: E::from_external_error(at.clone(), kind, error), at, fault: None }
    }
}

impl<I: Clone, E: ParseError<I> + ContextError<I>> WireError<I> for Foreign<E, I> {
    #[cold]
    fn fault(at: I, fault: Fault) -> Self {
        let is_end = matches!(fault, Fault::Truncated { .. } | Fault::TooShort { .. });
        let kind = if is_end { ErrorKind::Eof } else { ErrorKind::Fail };
        Foreign { fault: Some(fault.into()), ..Self::from_error_kind(at, kind) }
    }

    #[cold]
    fn within(self, label: Label<'_>) -> Self {
        match label {
            Label::Field(name) => Self::add_context(self.at.clone(), name, self),
            Label::Index(_) | Label::Key(_) => self,
        }
    }

    #[cold]
    fn in_complete_part(self) -> Self {
        Foreign { fault: self.fault.map(|fault| fault.of_complete_input().into()), ..self }
    }
}

/// The place where parsing stopped, the reason, and all the fields around that place.
///
/// It is one pointer wide, so that the result of a parser stays small, and allocates only if something fails.
/// [`into_error`](Self::into_error) makes it a [`DecodeError`], which does not hold the input.
#[derive(Clone)]
pub struct Traceback<I>(Box<Inner<I>>);

#[derive(Clone)]
struct Inner<I> {
    at: I,
    bit: u8,
    fault: Fault,
    /// True in a part whose bytes are all there. An end of input found by nom's own parsers is then not that of the input.
    is_in_complete_part: bool,
    /// Innermost first.
    path: Vec<Segment>,
}

impl<I> Traceback<I> {
    #[cold]
    fn new(at: I, fault: Fault) -> Self {
        Traceback(Box::new(Inner { at, bit: 0, fault, is_in_complete_part: false, path: Vec::new() }))
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

    /// The error without the input. Its offset counts from `start`, the input before anything was parsed. Bytes that are not a part
    /// of `start`, such as those that a chunk was unpacked to, have no place in it: for an error in these, pass them all as `start`.
    ///
    /// ```
    /// use enginewire::wire::{uint32, Le, Traceback};
    /// use nom::{Err, Parser};
    ///
    /// let bytes = vec![0, 1, 2];
    /// let Err(Err::Error(error)) = uint32::<Le, _, Traceback<&[u8]>>().parse_complete(&bytes[1..]) else { panic!() };
    /// assert_eq!(error.into_error(&bytes).to_string(), "input ends too early: 4 bytes needed, 2 left, at byte 0x1");
    /// ```
    #[must_use]
    pub fn into_error(self, start: I) -> DecodeError
    where
        I: Source,
    {
        let Inner { at, bit, fault, is_in_complete_part, path } = *self.0;
        // nom's own parsers report the end of the input like this
        let fault = match fault {
            Fault::Parser { name } if *name == *ErrorKind::Eof.description() => {
                let left = to_u64(at.remaining());
                Fault::Truncated { needed: left.saturating_add(1), left }
            }
            fault => fault,
        };
        let fault = if is_in_complete_part { fault.of_complete_input() } else { fault };
        let offset = at.offset_from(&start).after(Offset::new(0, bit));
        DecodeError::new(offset, path.into_iter().rev().collect::<Path>(), fault)
    }

    #[cold]
    fn push(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }
}

/// Without the input, which may be long.
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

    #[cold]
    fn in_complete_part(mut self) -> Self {
        let fault = std::mem::replace(&mut self.0.fault, Fault::Trailing);
        self.0.fault = fault.of_complete_input();
        self.0.is_in_complete_part = true;
        self
    }
}

impl<I> ParseError<I> for Traceback<I> {
    #[cold]
    fn from_error_kind(at: I, kind: ErrorKind) -> Self {
        Self::new(at, Fault::Parser { name: kind.description().to_owned() })
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

/// The error of a parser without its input.
#[cold]
pub(crate) fn located<I: Source>(error: Err<Traceback<I>>, start: &I) -> DecodeError {
    match error {
        Err::Error(error) | Err::Failure(error) => error.into_error(start.clone()),
        // of a parser outside this crate that ignores the mode
        Err::Incomplete(_) => {
            Traceback::fault(start.clone(), Fault::Other("it asks for more input".into())).into_error(start.clone())
        }
    }
}

impl From<Label<'_>> for Segment {
    fn from(label: Label<'_>) -> Self {
        match label {
            Label::Field(name) => Segment::Field(name),
            Label::Index(index) => Segment::Index(index),
            Label::Key(key) => Segment::Key(key.to_key()),
        }
    }
}

/// The error of a parser that runs in mode `OM`.
pub(crate) type Failed<OM, E> = Err<E, <<OM as OutputMode>::Error as Mode>::Output<E>>;

/// The result of a parser that found `fault` at `at`.
#[cfg_attr(fast, inline(always))]
pub fn fault<I: Clone, OM: OutputMode, E: WireError<I>>(at: I, fault: Fault) -> Failed<OM, E> {
    // a copy in memory: see `perf`
    fault_outlined::<I, OM, E>(at.clone(), fault)
}

#[cold]
#[inline(never)]
fn fault_outlined<I, OM: OutputMode, E: WireError<I>>(at: I, fault: Fault) -> Failed<OM, E> {
    Err::Error(OM::Error::bind(|| E::fault(at, fault)))
}

/// The result of a parser that needs `needed` bytes, where fewer are left.
#[cfg_attr(fast, inline(always))]
pub fn truncated<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: u64) -> Failed<OM, E> {
    let left = to_u64(at.remaining());
    truncated_outlined::<I, OM, E>(at.clone(), needed, left)
}

/// The result of a parser that needs `needed` bytes, according to the number at `at`, when only `left` are left.
#[cfg_attr(fast, inline(always))]
pub fn truncated_with<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: u64, left: u64) -> Failed<OM, E> {
    truncated_outlined::<I, OM, E>(at.clone(), needed, left)
}

/// Returns true if more bytes may follow the end of an input.
#[cfg_attr(fast, inline(always))]
pub(crate) fn may_go_on<OM: OutputMode, I: Source>(input: &I) -> bool {
    OM::Incomplete::is_streaming() || input.may_grow()
}

#[cold]
#[inline(never)]
fn truncated_outlined<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: u64, left: u64) -> Failed<OM, E> {
    if may_go_on::<OM, I>(&at) {
        let missing = usize::try_from(needed.saturating_sub(left)).unwrap_or(usize::MAX);
        return Err::Incomplete(Needed::new(missing));
    }
    fault_outlined::<I, OM, E>(at, Fault::Truncated { needed, left })
}

/// `error`, within the part named `label`.
#[cfg_attr(fast, inline(always))]
pub(crate) fn within<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, label: Label<'_>) -> Failed<OM, E> {
    // by the content of the label, which is passed in registers
    match label {
        _ if !E::LABELLED => error,
        Label::Field(name) => within_field::<I, OM, E>(error, name),
        Label::Index(index) => within_index::<I, OM, E>(error, index),
        Label::Key(key) => within_key::<I, OM, E>(error, key),
    }
}

/// `error`, in a part whose bytes are all there.
#[cold]
#[inline(never)]
pub(crate) fn in_complete_part<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>) -> Failed<OM, E> {
    changed::<I, OM, E>(error, E::in_complete_part)
}

#[cold]
#[inline(never)]
fn within_field<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, name: &'static str) -> Failed<OM, E> {
    labelled::<I, OM, E>(error, Label::Field(name))
}

#[cold]
#[inline(never)]
fn within_index<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, index: usize) -> Failed<OM, E> {
    labelled::<I, OM, E>(error, Label::Index(index))
}

#[cold]
#[inline(never)]
fn within_key<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, key: &dyn AsKey) -> Failed<OM, E> {
    labelled::<I, OM, E>(error, Label::Key(key))
}

fn labelled<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, label: Label<'_>) -> Failed<OM, E> {
    changed::<I, OM, E>(error, |error| error.within(label))
}

fn changed<I, OM: OutputMode, E: WireError<I>>(error: Failed<OM, E>, change: impl Fn(E) -> E) -> Failed<OM, E> {
    match error {
        Err::Error(error) => Err::Error(OM::Error::map(error, change)),
        Err::Failure(error) => Err::Failure(change(error)),
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
    fn nom_errors_are_kept_with_their_place() {
        let input: &[u8] = b"abc";
        let mut parser = nom::error::context("magic", nom::bytes::complete::tag::<_, _, Traceback<&[u8]>>("xyz"));
        let Err(Err::Error(error)) = nom::Parser::parse(&mut parser, &input[1..]) else { panic!("it matched") };
        let error = error.into_error(input);
        assert_eq!((error.offset(), error.path().to_string()), (1.into(), "magic".to_owned()));
        assert_eq!(error.fault(), &Fault::Parser { name: "Tag".to_owned() });
    }

    #[test]
    fn a_traceback_shows_its_fault_and_path_without_the_input() {
        let error = Traceback::fault(&[0; 1000][..], Fault::Trailing).within(Label::Field("a")).within(Label::Index(3));
        assert_eq!(format!("{error:?}"), r#"Traceback { fault: Trailing, path: "[3].a" }"#);
    }
}

//! All the ways in which the parser of a structure is run.
//!
//! Reading and checking bytes that are all there have a source of their own, and are compiled to what a parser that was written for
//! this alone would be. Everything else shares one source that knows at run time what it is for: see [`Instrumented`].

use bstr::BStr;
use nom::{Check, Complete, Emit, Err, OutputM, Parser};

use super::check::{Checker, Findings};
use super::error::{located, Traceback, WireError};
use super::format::Format;
use super::instrumented::Instrumented;
use super::nest::Limited;
#[cfg(not(target_family = "wasm"))]
use super::run::run;
use super::run::{all_consuming, recover};
use super::source::{Note, Source};
use super::stream::{ItemStream, Memory};
use super::trace::{Log, Tree};
use crate::error::DecodeError;
use crate::Offset;

/// A structure, which has one parser for every source.
pub(crate) trait Structure<'a> {
    /// What the parser gives.
    type Value;

    /// The parser.
    fn parser<I, E>(self) -> impl Parser<I, Output = Self::Value, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;
}

/// A value of a format, and nothing behind it unless the options allow it.
pub(super) struct Whole<'o, F: Format>(pub(super) &'o F::Options);

impl<'a, F: Format> Structure<'a> for Whole<'_, F> {
    type Value = F::Value<'a>;

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = F::Value<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        all_consuming(self.0.allows_trailing_bytes(), F::parser(*self.0))
    }
}

/// The next item of a stream.
pub(super) struct Item<S>(pub(super) S);

impl<'a, S: ItemStream> Structure<'a> for Item<S> {
    type Value = S::Item<'a>;

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S::Item<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.item()
    }
}

/// What comes before the items of a stream.
pub(super) struct Head<S>(pub(super) S);

impl<'a, S: ItemStream> Structure<'a> for Head<S> {
    type Value = S;

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.head()
    }
}

/// Reads a structure, and gives what follows it.
#[cfg(not(target_family = "wasm"))]
#[cfg_attr(fast, inline(always))]
pub(crate) fn read<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Result<(&'a [u8], S::Value), DecodeError> {
    run(input, structure.parser())
}

/// The same in a module that is loaded from a network: it is a tenth smaller if reading and checking share the source of
/// everything else.
#[cfg(target_family = "wasm")]
pub(crate) fn read<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Result<(&'a [u8], S::Value), DecodeError> {
    let start = Instrumented::whole(input);
    match structure.parser().process::<OutputM<Emit, Emit, Complete>>(start) {
        Ok((rest, value)) => Ok((rest.rest(), value)),
        Err(error) => Err(located(error, &start)),
    }
}

/// Checks a structure, and says where it ends. `each` is called for every finding.
#[cfg(not(target_family = "wasm"))]
#[cfg_attr(fast, inline(always))]
pub(crate) fn check<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<(Offset, Findings), DecodeError> {
    let checker = Checker::new(input, each);
    let end = checker.check_part(structure.parser())?;
    Ok((end, checker.findings()))
}

/// The same in a module that is loaded from a network.
#[cfg(target_family = "wasm")]
pub(crate) fn check<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<(Offset, Findings), DecodeError> {
    let checker = Checker::new(input, each);
    let start = Instrumented::checked(input, &checker);
    let end = match structure.parser().process::<OutputM<Check, Emit, Complete>>(start) {
        Ok((rest, _)) => rest.place(),
        Err(error) => return Err(located(error, &start)),
    };
    Ok((end, checker.findings()))
}

/// What can be kept of a broken structure.
pub(crate) fn read_broken<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<S::Value> {
    recover(input, structure.parser())
}

/// Every field of a structure at `at`, which is a place in `input`, and the structure itself.
pub(crate) fn trace<'a, S: Structure<'a>>(
    log: &Log,
    input: &'a [u8],
    at: usize,
    structure: S,
) -> (Tree, Option<S::Value>) {
    log.trace_part(input, at, structure.parser())
}

/// A structure of a stream and what follows it, or how many bytes are missing, or what is wrong.
type Streamed<'a, T> = Result<(&'a [u8], T), Result<usize, DecodeError>>;

/// Reads a structure of a stream. If bytes of it are missing, says how many.
pub(crate) fn read_streaming<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Streamed<'a, S::Value> {
    let start = Instrumented::beginning(input);
    match structure.parser().process::<OutputM<Emit, Emit, Complete>>(start) {
        Ok((rest, value)) => Ok((rest.rest(), value)),
        Err(Err::Incomplete(needed)) => Err(Ok(missing(needed))),
        Err(error) => Err(Err(located(error, &start))),
    }
}

/// Whether all of a structure of a stream is there. If not, how many bytes are missing; `None` if it is invalid.
pub(crate) fn scan<'a, S: Structure<'a>>(input: &'a [u8], structure: S, memory: &Memory) -> Result<(), Option<usize>> {
    match structure
        .parser::<_, Traceback<_>>()
        .process::<OutputM<Check, Emit, Complete>>(Instrumented::scanned(input, memory))
    {
        Ok(_) => Ok(()),
        Err(Err::Incomplete(needed)) => Err(Some(missing(needed))),
        Err(_) => Err(None),
    }
}

/// Bytes that are missing in a stream.
fn missing(needed: nom::Needed) -> usize {
    match needed {
        nom::Needed::Size(size) => size.get(),
        nom::Needed::Unknown => 1,
    }
}

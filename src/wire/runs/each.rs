//! A source for each way.

use nom::{Check, Complete, Emit, Err, OutputM, OutputMode, Parser, Streaming};

use super::{missing, Streamed, Structure};
use crate::error::DecodeError;
use crate::wire::check::{Checker, Findings};
use crate::wire::error::{located, Traceback};
use crate::wire::source::Note;
use crate::wire::stream::{Memory, Prescan};
use crate::wire::trace::{Log, Tree};
use crate::wire::{recover, run};
use crate::Offset;

/// How the part with a length before it is read, which nothing follows.
pub(crate) type InPart<OM> = OutputM<<OM as OutputMode>::Output, <OM as OutputMode>::Error, Complete>;

/// Reads a structure, and gives what follows it.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn read<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Result<(&'a [u8], S::Value), DecodeError> {
    run(input, structure.parser())
}

/// What can be kept of a broken structure.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn read_broken<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<S::Value> {
    recover(input, structure.parser())
}

/// Checks a structure, and says where it ends. `each` is called for every finding.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn check<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<(Offset, Findings), DecodeError> {
    let checker = Checker::new(input, each);
    let end = checker.check_part(structure.parser())?;
    Ok((end, checker.findings()))
}

/// Every field of a structure at `at`, which is a place in `input`, and the structure itself.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn trace<'a, S: Structure<'a>>(
    log: &Log,
    input: &'a [u8],
    at: usize,
    structure: S,
) -> (Tree, Option<S::Value>) {
    log.trace_part(input, input.get(at..).unwrap_or_default(), structure.parser())
}

/// Reads a structure of a stream, if all of it is there and valid.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn attempt<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<(&'a [u8], S::Value)> {
    structure.parser::<_, ()>().process::<OutputM<Emit, Check, Streaming>>(input).ok()
}

/// Whether all of a structure of a stream is there. If not, how many bytes are missing; `None` if it is invalid.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn prescan<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    memory: &Memory,
) -> Result<(), Option<usize>> {
    let mut parser = structure.parser::<_, ()>();
    match parser.process::<OutputM<Check, Check, Streaming>>(Prescan::new(input, memory)) {
        Ok(_) => Ok(()),
        Err(Err::Incomplete(needed)) => Err(Some(missing(needed))),
        Err(_) => Err(None),
    }
}

/// Reads a structure of a stream. If bytes of it are missing, says how many.
#[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
pub(crate) fn read_streaming<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Streamed<'a, S::Value> {
    match structure.parser::<_, Traceback<_>>().parse(input) {
        Ok(read) => Ok(read),
        Err(Err::Incomplete(needed)) => Err(Ok(missing(needed))),
        Err(error) => Err(Err(located(error, &input))),
    }
}

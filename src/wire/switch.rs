//! Dispatch on a type id.

use nom::{OutputMode, PResult, Parser};

/// Runs one branch of a `match` on a type id: the parser that `branch` makes.
///
/// Optimised, it is nothing but that parser. A debug build keeps room for what every branch works with, in the frame of
/// whoever dispatches and once for each level of recursion; so there each branch is a call of its own.
///
/// # Errors
///
/// Those of the parser.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn switch_to<OM, I, P>(input: I, branch: impl FnOnce() -> P) -> PResult<OM, I, P::Output, P::Error>
where
    OM: OutputMode,
    P: Parser<I>,
{
    branch().process::<OM>(input)
}

//! Checking a packet without decoding it.

use super::options::Options;
use super::packet::packet;
use crate::error::DecodeError;
use crate::wire::{all_consuming, Checker, Findings, Note};
use crate::Offset;

/// Whether a packet decodes, and what is remarkable about it. Allocates nothing, unless there is an error.
///
/// ```
/// use enginewire::roblox::remote::check;
///
/// assert!(check(b"\x83\x07\x01\x7f\x6d\x11\0\x0b\x6f\0\0")?.is_canonical());
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`decode`](super::decode).
pub fn check(input: &[u8]) -> Result<Findings, DecodeError> {
    check_with(input, &Options::new(), |_, _| {})
}

/// Whether a packet decodes as the options say; `each` hears of everything remarkable, with its offset.
///
/// # Errors
///
/// As for [`decode_with`](super::decode_with).
pub fn check_with(
    input: &[u8],
    options: &Options,
    mut each: impl FnMut(Offset, Note),
) -> Result<Findings, DecodeError> {
    checked(input, options, &mut each)
}

/// Compiled once, whatever hears of it.
fn checked(input: &[u8], options: &Options, each: &mut dyn FnMut(Offset, Note)) -> Result<Findings, DecodeError> {
    Checker::new(each).check(input, all_consuming(options.trailing_bytes, packet(*options)))
}

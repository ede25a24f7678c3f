//! Checking a value without decoding it.

use super::options::Options;
use super::variant::variant;
use super::version::Version;
use crate::error::DecodeError;
use crate::wire::{all_consuming, Checker, Findings, Note};
use crate::Offset;

/// Whether a value decodes, and what is remarkable about it. Allocates nothing, unless there is an error.
///
/// # Errors
///
/// As for [`decode`](super::decode).
pub fn check(version: Version, input: &[u8]) -> Result<Findings, DecodeError> {
    check_with(version, input, &Options::new(), |_, _| {})
}

/// Whether a value decodes as the options say; `each` hears of everything remarkable, with its offset.
///
/// ```
/// use enginewire::godot::{check_with, Options, Version};
///
/// let findings = check_with(Version::V4, b"\x01\0\0\0\x02\0\0\0", &Options::new(), |_, _| {})?;
/// assert_eq!(findings.non_canonical.first.unwrap().offset, 4);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`decode_with`](super::decode_with).
pub fn check_with(
    version: Version,
    input: &[u8],
    options: &Options,
    mut each: impl FnMut(Offset, Note),
) -> Result<Findings, DecodeError> {
    checked(version, input, options, &mut each)
}

/// Compiled once, whatever hears of it.
fn checked(
    version: Version,
    input: &[u8],
    options: &Options,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<Findings, DecodeError> {
    Checker::new(each).check(input, all_consuming(options.trailing_bytes, variant(version, *options)))
}

//! Checking an object without decoding it.

use super::object::lua_object;
use super::options::Options;
use crate::error::DecodeError;
use crate::wire::{all_consuming, Checker, Findings, Note};
use crate::Offset;

/// Whether an object decodes, and what is remarkable about it. Allocates nothing, unless there is an error.
///
/// # Errors
///
/// As for [`decode`](super::decode).
pub fn check(input: &[u8]) -> Result<Findings, DecodeError> {
    check_with(input, &Options::new(), |_, _| {})
}

/// Whether an object decodes as the options say; `each` hears of everything remarkable, with its offset.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{check_with, Options};
///
/// let options = Options::new().any_padding(true);
/// let findings = check_with(b"LUA\0\0\0\x01\x02\x81", &options, |_, _| {})?;
/// assert_eq!(findings.non_canonical.first.unwrap().offset.to_string(), "0x8.1");
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
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
    Checker::new(each).check(input, all_consuming(options.trailing_bytes, lua_object((*options).into())))
}

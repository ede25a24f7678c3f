//! Checking a blob without decoding it.

use nom::Parser;

use super::blob::{attributes, Empty};
use super::options::Options;
use crate::error::DecodeError;
use crate::wire::{uint32, whole, Checker, Le, Note, Remarks};

/// What [`check`] has to say about a blob that decodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries.
    pub entries: u32,
    /// How it is written that there are none, if so.
    pub empty: Option<Empty>,
    /// What is not canonical, and which draft types were used.
    pub remarks: Remarks,
}

impl Report {
    /// Whether encoding what this decodes to gives the same bytes.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.remarks.non_canonical.count == 0
    }
}

/// Whether a blob decodes, and what is remarkable about it. Allocates nothing, unless there is an error.
///
/// ```
/// use enginewire::roblox::attributes::check;
///
/// let report = check(b"\x01\0\0\0\x01\0\0\0a\x03\x02")?;
/// assert_eq!((report.entries, report.is_canonical()), (1, false));
/// assert_eq!(report.remarks.non_canonical.first.unwrap().offset, 10);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`decode`](super::decode).
pub fn check(input: &[u8]) -> Result<Report, DecodeError> {
    check_with(input, &Options::new(), |_, _| {})
}

/// Whether a blob decodes as the options say; `each` hears of everything remarkable, with its offset.
///
/// # Errors
///
/// As for [`decode_with`](super::decode_with).
pub fn check_with(input: &[u8], options: &Options, each: impl FnMut(u64, Note)) -> Result<Report, DecodeError> {
    let remarks = Checker::new(each).check(input, whole(options.trailing_bytes, attributes((*options).into())))?;
    let entries = uint32::<Le, _, ()>().parse_complete(input).map_or(0, |(_, length)| length);
    let empty = match (entries, input) {
        (1.., _) => None,
        (0, []) => Some(Empty::NoBytes),
        (0, _) => Some(Empty::ZeroLength),
    };
    Ok(Report { entries, empty, remarks })
}

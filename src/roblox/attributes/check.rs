//! Checking a blob without decoding it.

use std::io;

use nom::Parser;

use super::blob::{attributes, Empty};
use super::options::Options;
use super::stream::{Decoder, Entries};
use crate::error::DecodeError;
use crate::wire::{all_consuming, uint32, Checker, Findings, ItemStream, Le, Note, ReadError};
use crate::Offset;

/// What [`check`] has to say about a blob that decodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries.
    pub entries: u32,
    /// How it is written that there are none, if so.
    pub empty: Option<Empty>,
    /// What is not canonical, and which draft types were used.
    pub findings: Findings,
}

impl Report {
    /// Whether encoding what this decodes to gives the same bytes.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.findings.is_canonical()
    }
}

/// Whether a blob decodes, and what is remarkable about it. Allocates nothing, unless there is an error.
///
/// ```
/// use enginewire::roblox::attributes::check;
///
/// let report = check(b"\x01\0\0\0\x01\0\0\0a\x03\x02")?;
/// assert_eq!((report.entries, report.is_canonical()), (1, false));
/// assert_eq!(report.findings.non_canonical.first.unwrap().offset, 10);
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
pub fn check_with(input: &[u8], options: &Options, mut each: impl FnMut(Offset, Note)) -> Result<Report, DecodeError> {
    checked(input, options, &mut each)
}

/// Compiled once, whatever hears of it.
fn checked(input: &[u8], options: &Options, each: &mut dyn FnMut(Offset, Note)) -> Result<Report, DecodeError> {
    let findings =
        Checker::new(each).check(input, all_consuming(options.trailing_bytes, attributes((*options).into())))?;
    let mut entries = Entries::from(*options);
    if let Ok((_, length)) = uint32::<Le, _, ()>().parse_complete(input) {
        entries.begin(length);
    }
    Ok(Report::new(&entries, findings))
}

impl Report {
    fn new(entries: &Entries, findings: Findings) -> Self {
        Report { entries: entries.length().unwrap_or_default(), empty: entries.empty(), findings }
    }
}

impl Decoder {
    /// Whether the blob that `reader` gives decodes, and what is remarkable about it; `each` hears of everything
    /// remarkable, with its offset. No more than one entry is kept at a time.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Decoder;
    ///
    /// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01"; // a file, a socket, …
    /// assert!(Decoder::new().report(input, |_, _| {})?.is_canonical());
    /// # Ok::<(), enginewire::wire::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If reading fails, or decoding would.
    pub fn report(self, reader: impl io::Read, each: impl FnMut(Offset, Note)) -> Result<Report, ReadError> {
        self.check(reader, each).map(|(entries, findings)| Report::new(&entries, findings))
    }
}

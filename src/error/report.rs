//! Errors as text for a person to read: with the bytes around them.

use std::fmt::{self, Write as _};
use std::ops::Range;

use super::{DecodeError, Fault};
use crate::number::{to_u64, to_usize};

/// The result of [`DecodeError::report`].
pub(super) struct Report<'r> {
    pub(super) error: &'r DecodeError,
    pub(super) name: &'r str,
    pub(super) input: &'r [u8],
    /// The offset of `input` in its source.
    pub(super) start: u64,
}

/// Bytes in a row of a hexdump.
const ROW: usize = 16;

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError { offset, path, fault } = self.error;
        writeln!(f, "{fault}\n  --> {}: byte {}", self.name, offset.after(self.start.into()))?;
        if !path.segments().is_empty() {
            writeln!(f, "  in {path}")?;
        }
        let is_in_message = matches!(fault, Fault::Name { problem, .. } if problem.starts_with("unknown "));
        if let Some(expected) = fault.expected().filter(|_| !is_in_message) {
            writeln!(f, "  expected {expected}")?;
        }
        let at = to_usize(offset.byte());
        let last = at.checked_div(ROW).unwrap_or_default();
        for row in last.saturating_sub(1)..=last.saturating_add(1) {
            hexdump_row(f, self.input, row, at, self.start)?;
        }
        Ok(())
    }
}

/// One row of the dump, with the byte at `mark` in brackets; nothing if the input has no such row.
fn hexdump_row(f: &mut fmt::Formatter<'_>, input: &[u8], row: usize, mark: usize, from: u64) -> fmt::Result {
    let start = row.saturating_mul(ROW);
    let bytes = input.get(start..).unwrap_or_default();
    let bytes = bytes.get(..ROW).unwrap_or(bytes);
    if bytes.is_empty() && start != mark {
        return Ok(());
    }
    write!(f, "{:08x} ", from.saturating_add(to_u64(start)))?;
    let mut closing = ' ';
    for (column, byte) in bytes.iter().enumerate() {
        let marked = start.saturating_add(column) == mark;
        if column == ROW / 2 {
            f.write_fmt(format_args!("{closing}"))?;
            closing = ' ';
        }
        write!(f, "{}{byte:02x}", if marked { '[' } else { closing })?;
        closing = if marked { ']' } else { ' ' };
    }
    if start.saturating_add(bytes.len()) == mark && bytes.len() < ROW {
        write!(f, "{}", if bytes.len() == ROW / 2 { "  [" } else { "[" })?;
        closing = ']';
    }
    writeln!(f, "{}", if closing == ']' { "]" } else { "" })
}

/// The bytes around an error as a hexdump, and where the error is in that text: for libraries that draw errors beneath their
/// source, such as ariadne and [miette](https://docs.rs/miette), which want text.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let input = b"\x01\0\0\0\x01\0\0\0a\x1d\x07";
/// let error = attributes::decode(input).unwrap_err();
/// let excerpt = error.excerpt(input);
/// assert_eq!(excerpt.text(), "00000000  01 00 00 00 01 00 00 00  61 1d 07\n");
/// assert_eq!(&excerpt.text()[excerpt.span()], "1d");
/// ```
///
/// If the input ends too early, `--` marks the missing byte, provided that all bytes before it were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    span: Range<usize>,
}

/// The most rows with broken bytes that an excerpt shows.
const BROKEN_ROWS: usize = 3;

impl Excerpt {
    /// The rows of `input` around the bytes of `range`.
    pub(super) fn new(input: &[u8], range: Range<u64>) -> Self {
        let start = to_usize(range.start).min(input.len());
        let end = to_usize(range.end).clamp(start, input.len());
        let row = start.checked_div(ROW).unwrap_or_default();
        let last_broken = end.saturating_sub(1).checked_div(ROW).unwrap_or_default();
        let last = last_broken.min(row.saturating_add(BROKEN_ROWS.saturating_sub(1))).max(row).saturating_add(1);
        let mut excerpt = Excerpt { text: String::new(), span: 0..0 };
        for row in row.saturating_sub(1)..=last {
            excerpt.add_row(input, row, start..end, row < last);
        }
        excerpt
    }

    /// Adds a row. Bytes of `broken` in it belong to the span if `is_broken`.
    fn add_row(&mut self, input: &[u8], row: usize, broken: Range<usize>, is_broken: bool) {
        let first = row.saturating_mul(ROW);
        let bytes = input.get(first..).unwrap_or_default();
        let bytes = bytes.get(..ROW).unwrap_or(bytes);
        let is_end = broken.is_empty() && (first..first.saturating_add(ROW)).contains(&broken.start);
        let missing = (is_end && broken.start == input.len()).then_some("--".to_owned());
        if bytes.is_empty() && missing.is_none() {
            return;
        }
        // it does not fail: a string can be written to
        let _ = write!(self.text, "{first:08x} ");
        for (column, byte) in bytes.iter().map(|byte| format!("{byte:02x}")).chain(missing).enumerate() {
            self.text.push_str(if column == ROW / 2 { "  " } else { " " });
            let (at, place) = (first.saturating_add(column), self.text.len());
            self.text.push_str(&byte);
            if is_broken && (broken.contains(&at) || broken.is_empty() && at == broken.start) {
                let start = if self.span.is_empty() { place } else { self.span.start };
                self.span = start..self.text.len();
            }
        }
        self.text.push('\n');
    }

    /// Rows of a hexdump: at most one before the error, and one after it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The range of the broken bytes in the text, in bytes. The text is ASCII.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, Path};
    use super::*;
    use pretty_assertions::assert_eq;

    /// The brackets are at the place of the next byte.
    #[test]
    fn the_end_of_a_full_row_is_the_start_of_the_next() {
        let error = DecodeError::new(16.into(), Path::default(), Fault::ReservedBit);
        let report = error.report("a", &[0; 16]).to_string();
        let rows: Vec<_> = report.lines().filter(|line| line.starts_with("0000")).collect();
        assert_eq!(rows, ["00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00", "00000010 []"]);
    }

    #[test]
    fn an_excerpt_marks_the_broken_bytes() {
        let input: Vec<u8> = (0..100).collect();
        let marked = |length: usize, range: Range<u64>| {
            let excerpt = Excerpt::new(&input[..length], range);
            (excerpt.text().lines().count(), excerpt.text()[excerpt.span()].to_owned())
        };
        assert_eq!(marked(100, 0..1), (2, "00".to_owned()));
        assert_eq!(marked(100, 0x27..0x29), (3, "27  28".to_owned()));
        assert_eq!(marked(100, 0x1f..0x21), (4, "1f\n00000020  20".to_owned()));
        // nothing is left of a field that is missing
        assert_eq!(marked(3, 3..3), (1, "--".to_owned()));
        assert_eq!(marked(16, 16..16), (2, "--".to_owned()));
        assert_eq!(marked(0, 0..0), (1, "--".to_owned()));
        // the rest of a long input is not shown, and an error need not belong to this input
        let (rows, text) = marked(100, 0..100);
        assert!(rows == 4 && text.starts_with("00 01") && text.ends_with("2f"), "{text}");
        assert_eq!(marked(5, 70..u64::MAX), (1, "--".to_owned()));
    }
}

//! Bytes as lines of hexadecimal digits. People write down packets in this form.

use thiserror::Error;

/// A line of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The number of the line, counted from 1.
    pub number: usize,
    /// Its bytes.
    pub bytes: Result<Vec<u8>, LineError>,
}

/// The reason why a line cannot be read as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// A byte that is not a hexadecimal digit.
    #[error("'{}' is not a hex digit, in column {column}", .found.escape_ascii())]
    Digit {
        /// The byte.
        found: u8,
        /// Its column, counted from 1.
        column: usize,
    },
    /// An odd number of digits.
    #[error("the last byte lacks a digit")]
    Odd,
}

/// The lines of `text` with their bytes. Blanks between digits, lines without digits, and comments after a `#` are
/// ignored.
///
/// ```
/// use enginewire::wire::lines;
///
/// let bytes: Vec<_> = lines(b"# two packets\n8300\n\n83 07000b6f00 00\n").map(|line| line.bytes.unwrap()).collect();
/// assert_eq!(bytes, [&b"\x83\0"[..], b"\x83\x07\0\x0b\x6f\0\0"]);
/// ```
pub fn lines(text: &[u8]) -> impl Iterator<Item = Line> + '_ {
    let lines = text.split(|byte| *byte == b'\n').zip(1..);
    lines.filter_map(|(line, number)| {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        (!is_blank).then(|| Line { number, bytes: unhex(line) })
    })
}

fn unhex(line: &[u8]) -> Result<Vec<u8>, LineError> {
    let mut bytes = Vec::with_capacity(line.len() / 2);
    let mut high = None;
    for (found, column) in line.iter().copied().zip(1..) {
        let digit = char::from(found).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (digit, high.take()) {
            (Some(digit), None) => high = Some(digit),
            (Some(digit), Some(before)) => bytes.push(before << 4 | digit),
            (None, before) if found.is_ascii_whitespace() => high = before,
            (None, _) => return Err(LineError::Digit { found, column }),
        }
    }
    match high {
        None => Ok(bytes),
        Some(_) => Err(LineError::Odd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_line_stands_by_itself() {
        let found: Vec<_> = lines(b"8300\r\n83 0\nxx\n\n 8 3 0 0 # 99").map(|line| (line.number, line.bytes)).collect();
        let good = || Ok(vec![0x83, 0]);
        let digit = LineError::Digit { found: b'x', column: 1 };
        assert_eq!(found, [(1, good()), (2, Err(LineError::Odd)), (3, Err(digit)), (5, good())]);
        assert_eq!(digit.to_string(), "'x' is not a hex digit, in column 1");
    }
}

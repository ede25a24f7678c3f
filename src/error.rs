//! Errors: what is wrong, where, and in which field.

use std::fmt;

use bstr::BString;
use thiserror::Error;

use crate::Offset;

/// Why input cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The input ends inside a field.
    #[error("input ends too early: {needed} byte{} needed, {left} left", if *.needed == 1 { "" } else { "s" })]
    Truncated {
        /// How many bytes the field takes.
        needed: u64,
        /// How many bytes are left.
        left: u64,
    },
    /// A value ends inside a field, though all of its bytes are there: a length before it, or what holds it, says where it
    /// ends. More input cannot help.
    #[error("value ends too early: {needed} byte{} needed, {left} left", if *.needed == 1 { "" } else { "s" })]
    TooShort {
        /// How many bytes the field takes.
        needed: u64,
        /// How many bytes of the value are left.
        left: u64,
    },
    /// The input does not begin as its format does.
    #[error("expected {expected:?}, found {found:?}")]
    Magic {
        /// What it begins with.
        found: BString,
        /// What it should begin with.
        expected: BString,
    },
    /// A type id, rotation id or the like that has no meaning.
    #[error("unknown {what} {}", .radix.show(*.found))]
    Unknown {
        /// What was read: `"type id"`, `"rotation id"`.
        what: &'static str,
        /// The value in the input.
        found: u32,
        /// How the specification writes such values.
        radix: Radix,
        /// The values that would have had a meaning.
        known: Vec<u32>,
    },
    /// A type that is known, but switched off by an option.
    #[error("type {} {name} is refused: {reason}", .radix.show(*.found))]
    Refused {
        /// The type id in the input.
        found: u32,
        /// How the specification writes such ids.
        radix: Radix,
        /// The name of the type.
        name: &'static str,
        /// Which option refuses it.
        reason: &'static str,
    },
    /// Containers nest deeper than [`Limits::depth`](crate::Limits::depth) allows.
    #[error("containers are nested deeper than the limit of {limit}")]
    TooDeep {
        /// The limit that was set.
        limit: u16,
    },
    /// An item of a stream takes more bytes than the decoder may keep.
    #[error("an item takes more than the limit of {limit} bytes")]
    TooLarge {
        /// The limit that was set.
        limit: u64,
    },
    /// The bits between the end of a field and the next whole byte are not 0.
    #[error("expected padding of 0, found {found:#b}")]
    Padding {
        /// The bits.
        found: u8,
    },
    /// A length or count below 0.
    #[error("negative length {found}")]
    Negative {
        /// What was read.
        found: i64,
    },
    /// Text is not UTF-8.
    #[error("text is not UTF-8: unexpected byte {found:#04x}")]
    Text {
        /// The first byte that is not UTF-8.
        found: u8,
    },
    /// An integer that takes more bytes than it needs.
    #[error("an integer takes more bytes than it needs")]
    Overlong,
    /// An integer of variable length takes more bits than it may.
    #[error("an integer takes more than {bits} bits")]
    TooManyBits {
        /// How many it may take.
        bits: u32,
    },
    /// A reserved bit is not 0.
    #[error("the reserved bit is 1, not 0")]
    ReservedBit,
    /// Bytes after the end of the value.
    #[error("unexpected bytes after the end of the value")]
    Trailing,
    /// A parser of nom itself, used together with ours, did not match.
    #[error("nom's {} did not match", .0.description())]
    Parser(nom::error::ErrorKind),
    /// The error of a parser outside this crate.
    #[error("{0}")]
    Other(String),
}

impl Fault {
    /// What it is where no more input can come.
    pub(crate) fn of_complete_input(self) -> Self {
        match self {
            Fault::Truncated { needed, left } => Fault::TooShort { needed, left },
            other => other,
        }
    }

    /// What was expected, if the message does not say so already.
    #[must_use]
    pub fn expected(&self) -> Option<String> {
        match self {
            Fault::Unknown { known, radix, .. } if !known.is_empty() => {
                let ids: Vec<_> = known.iter().map(|id| radix.digits(*id)).collect();
                Some(format!("one of {}", ids.join(" ")))
            }
            _ => None,
        }
    }
}

/// How a specification writes ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Radix {
    /// `0x0c`
    Hexadecimal,
    /// `12`
    Decimal,
}

impl Radix {
    fn digits(self, id: u32) -> String {
        match self {
            // whole bytes, as the specifications write them
            Radix::Hexadecimal if id > 0xff => format!("{id:04x}"),
            Radix::Hexadecimal => format!("{id:02x}"),
            Radix::Decimal => id.to_string(),
        }
    }

    /// The id as errors show it.
    pub(crate) fn show(self, id: u32) -> String {
        match self {
            Radix::Hexadecimal => format!("0x{}", self.digits(id)),
            Radix::Decimal => self.digits(id),
        }
    }
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Segment {
    /// A field of a structure.
    Field(&'static str),
    /// An item of a list, counted from 0.
    Index(usize),
    /// The key of the item just named, quoted and shortened for reading.
    Key(String),
}

/// How many steps of a long path are shown at its start, and at its end.
const SHOWN: usize = 12;

/// The path from the outermost structure to a field: `entries[3] "Health".value.double`.
///
/// Shown as text, a path through many levels of containers is shortened in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The steps, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The first index of the path: which item of the outermost list it leads through.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.0.iter().find_map(|segment| match segment {
            Segment::Index(index) => Some(*index),
            _ => None,
        })
    }

    /// The first key of the path, in quotation marks.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.iter().find_map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            _ => None,
        })
    }
}

impl Path {
    /// The path with `segment` before it.
    #[must_use]
    pub fn within(mut self, segment: Segment) -> Self {
        self.0.insert(0, segment);
        self
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<T: IntoIterator<Item = Segment>>(segments: T) -> Self {
        Path(segments.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = SHOWN..self.0.len().saturating_sub(SHOWN);
        for (step, segment) in self.0.iter().enumerate() {
            if hidden.contains(&step) {
                if step == SHOWN {
                    f.write_str(" … ")?;
                }
                continue;
            }
            match segment {
                Segment::Field(name) if step == 0 || (step == hidden.end && !hidden.is_empty()) => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, " {key}")?,
            }
        }
        Ok(())
    }
}

/// Why decoding stopped, where, and in which field.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let error = attributes::decode(b"\x01\0\0\0\x04\0\0\0Kind\x15\x08\0\0\0Mate").unwrap_err();
/// assert_eq!(error.offset(), 17);
/// assert_eq!(error.path().to_string(), r#"entries[0] "Kind".value.enum_item.enum.content"#);
/// assert_eq!(
///     error.to_string(),
///     r#"input ends too early: 8 bytes needed, 4 left, at byte 0x11 in entries[0] "Kind".value.enum_item.enum.content"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{fault}, at byte {offset}{}", InPath(.path))]
pub struct DecodeError {
    offset: Offset,
    path: Path,
    fault: Fault,
}

struct InPath<'p>(&'p Path);

impl fmt::Display for InPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.segments().is_empty() {
            return Ok(());
        }
        write!(f, " in {}", self.0)
    }
}

impl DecodeError {
    pub(crate) fn new(offset: Offset, path: Path, fault: Fault) -> Self {
        Self { offset, path, fault }
    }

    /// Where the field with the error begins.
    #[must_use]
    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// The field with the error.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Whether the input ends too early and has no other error.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self.fault, Fault::Truncated { .. })
    }

    /// The same error of input that is known to be complete, as a value in a container is: [`Fault::Truncated`] becomes
    /// [`Fault::TooShort`].
    #[must_use]
    pub fn of_complete_input(self) -> Self {
        DecodeError { fault: self.fault.of_complete_input(), ..self }
    }

    /// The error as if `bytes` more bytes stood before the input.
    #[must_use]
    pub fn shifted(mut self, bytes: u64) -> Self {
        self.offset = self.offset.after(bytes.into());
        self
    }

    /// The same error within a larger structure: with `segment` before its path.
    #[must_use]
    pub fn within(self, segment: Segment) -> Self {
        DecodeError { path: self.path.within(segment), ..self }
    }

    /// The error for a person to read: what, where, and the bytes around it.
    ///
    /// `name` says where the input came from; `input` is the same input that failed to decode.
    ///
    /// ```
    /// # use enginewire::roblox::attributes;
    /// let input = b"\x01\0\0\0\x01\0\0\0a\x04\x07";
    /// let error = attributes::decode(input).unwrap_err();
    /// assert_eq!(error.report("a.bin", input).to_string(), "\
    /// input ends too early: 4 bytes needed, 1 left
    ///   --> a.bin: byte 0xa
    ///   in entries[0] \"a\".value.int
    /// 00000000  01 00 00 00 01 00 00 00  61 04[07]
    /// ");
    /// ```
    #[must_use]
    pub fn report<'r>(&'r self, name: &'r str, input: &'r [u8]) -> impl fmt::Display + 'r {
        Report { error: self, name, input }
    }
}

/// Why input cannot be decoded that was handed over to a `decode_owned`, and the input itself.
///
/// It becomes the [`DecodeError`] alone where `?` asks for that.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// let blob = b"\x01\0\0\0\x01\0\0\0a\x04\x07".to_vec();
/// let error = attributes::decode_owned(blob).unwrap_err();
/// assert_eq!(error.to_string(), "input ends too early: 4 bytes needed, 1 left, at byte 0xa in entries[0] \"a\".value.int");
/// eprintln!("{}", error.report("player.bin")); // with the bytes around it
/// let blob = error.into_bytes();
/// assert_eq!(blob.len(), 11);
/// ```
#[derive(Clone, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct DecodeOwnedError {
    error: DecodeError,
    bytes: Vec<u8>,
}

impl DecodeOwnedError {
    pub(crate) fn new(error: DecodeError, bytes: Vec<u8>) -> Self {
        Self { error, bytes }
    }

    /// What is wrong, where, and in which field: the error that decoding without keeping the input gives.
    #[must_use]
    pub fn error(&self) -> &DecodeError {
        &self.error
    }

    /// The input.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The input, as it was handed over.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Both.
    #[must_use]
    pub fn into_parts(self) -> (DecodeError, Vec<u8>) {
        (self.error, self.bytes)
    }

    /// The error for a person to read, as of [`DecodeError::report`]. `name` says where the input came from.
    #[must_use]
    pub fn report<'r>(&'r self, name: &'r str) -> impl fmt::Display + 'r {
        self.error.report(name, &self.bytes)
    }
}

/// Shows how many bytes there are, which may be too many to show.
impl fmt::Debug for DecodeOwnedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeOwnedError")
            .field("error", &self.error)
            .field("bytes", &format_args!("{} bytes", self.bytes.len()))
            .finish()
    }
}

impl From<DecodeOwnedError> for DecodeError {
    fn from(error: DecodeOwnedError) -> Self {
        error.error
    }
}

struct Report<'r> {
    error: &'r DecodeError,
    name: &'r str,
    input: &'r [u8],
}

/// Bytes in a row of a hexdump.
const ROW: usize = 16;

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError { offset, path, fault } = self.error;
        writeln!(f, "{fault}\n  --> {}: byte {offset}", self.name)?;
        if !path.segments().is_empty() {
            writeln!(f, "  in {path}")?;
        }
        if let Some(expected) = fault.expected() {
            writeln!(f, "  expected {expected}")?;
        }
        let at = usize::try_from(offset.byte()).unwrap_or(usize::MAX);
        let last = at.checked_div(ROW).unwrap_or_default();
        for row in last.saturating_sub(1)..=last.saturating_add(1) {
            hexdump_row(f, self.input, row, at)?;
        }
        Ok(())
    }
}

/// One row of the dump, with the byte at `mark` in brackets; nothing if the input has no such row.
fn hexdump_row(f: &mut fmt::Formatter<'_>, input: &[u8], row: usize, mark: usize) -> fmt::Result {
    let start = row.saturating_mul(ROW);
    let bytes = input.get(start..).unwrap_or_default();
    let bytes = bytes.get(..ROW).unwrap_or(bytes);
    if bytes.is_empty() && start != mark {
        return Ok(());
    }
    write!(f, "{start:08x} ")?;
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

/// Why a value cannot be written. Nothing has been written when this comes back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}{}", InPath(.path))]
pub struct EncodeError {
    path: Path,
    reason: EncodeFault,
}

/// What about a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeFault {
    /// A string or list has more bytes or items than its length field can say.
    #[error("a length does not fit its 32 bits")]
    TooLong,
    /// Containers inside containers, deeper than the options allow.
    #[error("containers are nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: u16,
    },
    /// The options refuse it, so that a decoder with the same options would too.
    #[error("the options refuse {what}: {reason}")]
    Refused {
        /// What they refuse.
        what: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// Text that must be UTF-8 is not.
    #[error("text is not UTF-8")]
    Text,
    /// The version of the format that was asked for cannot say this.
    #[error("version {version} has no {what}")]
    NotInVersion {
        /// The version.
        version: u8,
        /// What it cannot say.
        what: &'static str,
    },
    /// A writer or a generator outside this crate failed.
    #[error("{0}")]
    Other(String),
}

impl EncodeError {
    pub(crate) fn new(path: Path, reason: EncodeFault) -> Self {
        Self { path, reason }
    }

    /// The same error in an item of a larger value: `segment` comes first in its path.
    #[must_use]
    pub fn within(self, segment: Segment) -> Self {
        EncodeError { path: self.path.within(segment), ..self }
    }

    /// The item that cannot be written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn reason(&self) -> &EncodeFault {
        &self.reason
    }
}

/// Why a value could not be written out.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_step_is_put_before_a_path() {
        let path: Path = [Segment::Field("length")].into_iter().collect();
        assert_eq!(path.clone().within(Segment::Index(2)).to_string(), "[2].length");
        let error = DecodeError::new(4.into(), path.clone(), Fault::ReservedBit).within(Segment::Field("frame"));
        assert_eq!((error.path().to_string(), error.offset()), ("frame.length".to_owned(), 4.into()));
        let error = EncodeError::new(path, EncodeFault::TooLong).within(Segment::Index(0));
        assert_eq!(error.path().to_string(), "[0].length");
    }

    #[test]
    fn an_error_has_the_input() {
        let error = DecodeError::new(1.into(), Path::default(), Fault::ReservedBit);
        let owned = DecodeOwnedError::new(error.clone(), vec![7, 8]);
        assert_eq!((owned.error(), owned.bytes()), (&error, &[7, 8][..]));
        assert_eq!(owned.to_string(), error.to_string());
        assert_eq!(owned.report("a").to_string(), error.report("a", &[7, 8]).to_string());
        assert_eq!(owned.clone().into_bytes(), [7, 8]);
        assert_eq!(owned.clone().into_parts(), (error.clone(), vec![7, 8]));
        let shown = format!("DecodeOwnedError {{ error: {error:?}, bytes: 2 bytes }}");
        assert_eq!(format!("{owned:?}"), shown);
        assert_eq!(DecodeError::from(owned), error);
    }

    #[test]
    fn the_first_index_and_key_of_a_path() {
        let key = Segment::Key("\"k\"".to_owned());
        let path: Path = [Segment::Field("a"), Segment::Index(3), key, Segment::Index(1)].into_iter().collect();
        assert_eq!((path.index(), path.key()), (Some(3), Some("\"k\"")));
        assert_eq!((Path::default().index(), Path::default().key()), (None, None));
    }

    /// A long path is shortened in the middle, and what follows the gap has no dot before it.
    #[test]
    fn the_middle_of_a_long_path_is_left_out() {
        let path = |steps: usize| (0..steps).map(|_| Segment::Field("a")).collect::<Path>().to_string();
        let half = ["a"; SHOWN].join(".");
        assert_eq!(path(2 * SHOWN), vec!["a"; 2 * SHOWN].join("."));
        assert_eq!(path(2 * SHOWN + 1), format!("{half} … {half}"));
        assert_eq!(path(2 * SHOWN + 9), format!("{half} … {half}"));
    }

    /// The bracket stands where the next byte would.
    #[test]
    fn the_end_of_a_full_row_is_the_start_of_the_next() {
        let error = DecodeError::new(16.into(), Path::default(), Fault::ReservedBit);
        let report = error.report("a", &[0; 16]).to_string();
        let rows: Vec<_> = report.lines().filter(|line| line.starts_with("0000")).collect();
        assert_eq!(rows, ["00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00", "00000010 []"]);
    }

    #[test]
    fn ids_that_are_expected() {
        let unknown = |known, radix| Fault::Unknown { what: "type id", found: 9, radix, known };
        let expected = unknown(vec![1, 0xc], Radix::Hexadecimal).expected();
        assert_eq!(expected.as_deref(), Some("one of 01 0c"));
        assert_eq!(unknown(vec![], Radix::Decimal).expected(), None);
    }
}

//! Errors: the fault, its offset and the path of its field.

mod encode;
#[cfg(feature = "text")]
mod json;
mod path;
mod report;
mod require;
mod text;

use std::error::Error as StdError;
use std::fmt;
use std::ops::Range;

use bstr::BString;
use thiserror::Error;

use crate::number::to_u64;
use crate::Offset;

pub use encode::{EncodeError, EncodeFault, WriteError};
use path::InPath;
pub(crate) use path::KEY_TEXT;
pub use path::{AsKey, Key, Path, Segment};
pub use report::Excerpt;
use report::Report;
pub(crate) use require::require;
pub use require::{RequireError, TypeError, UnknownType};
#[doc(hidden)] // for the package of files
pub use text::write_text;
pub(crate) use text::{append_short_text, append_text, does_not_fit, listed};
#[cfg(feature = "text")]
pub(crate) use text::{named_form, range_of, with_article};

/// Why input cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The input ends inside a field.
    #[error("input ends too early: {needed} byte{} needed, {left} left", if *.needed == 1 { "" } else { "s" })]
    Truncated {
        /// The size of the field, in bytes.
        needed: u64,
        /// The number of bytes left.
        left: u64,
    },
    /// A value ends inside a field although all of its bytes are there: a length before it, or its container, sets the end. More
    /// input cannot help.
    #[error("value ends too early: {needed} byte{} needed, {left} left", if *.needed == 1 { "" } else { "s" })]
    TooShort {
        /// The size of the field, in bytes.
        needed: u64,
        /// The number of bytes left of the value.
        left: u64,
    },
    /// The input does not begin as its format does.
    #[error("expected {expected:?}, found {found:?}")]
    Magic {
        /// The bytes at the start of the input.
        found: BString,
        /// The bytes that the format starts with.
        expected: BString,
    },
    /// A type id, rotation id or the like that has no meaning.
    #[error("unknown {what} {}", .radix.show(*.found))]
    Unknown {
        /// The kind of the value: `"type id"`, `"rotation id"`.
        what: &'static str,
        /// The value in the input.
        found: u32,
        /// The base that the specification uses for such values.
        radix: Radix,
        /// The values that would have had a meaning.
        known: Vec<u32>,
    },
    /// A type that is known, but switched off by an option.
    #[error("type {} {name} is refused: {reason}", .radix.show(*.found))]
    Refused {
        /// The type id in the input.
        found: u32,
        /// The base that the specification uses for such ids.
        radix: Radix,
        /// The name of the type.
        name: &'static str,
        /// The option that refuses it.
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
        /// The length or count in the input.
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
        /// The limit, in bits.
        bits: u32,
    },
    /// A reserved bit is not 0.
    #[error("the reserved bit is 1, not 0")]
    ReservedBit,
    /// Bytes after the end of the value.
    #[error("unexpected bytes after the end of the value")]
    Trailing,
    /// A parser of nom itself, used together with ours, did not match.
    #[error("nom's {name} did not match")]
    Parser {
        /// nom's name for the parser: `"Tag"`.
        name: String,
    },
    /// The error of a parser outside this crate.
    #[error("{0}")]
    Other(String),
    /// A value of another form than the Rust type that is read from it.
    #[error("expected {expected}, found {found}")]
    Mismatch {
        /// The form of the value.
        found: String,
        /// The form that the Rust type expects.
        expected: String,
    },
    /// A number out of the range of the Rust type that is read from it.
    #[error("{}", does_not_fit(.number, .target, .target))]
    DoesNotFit {
        /// The number.
        number: String,
        /// The Rust type.
        target: String,
    },
    /// A name that the Rust type does not have, or one that it has and the value lacks.
    #[error("{problem} `{name}`{}", instead(.problem, .known))]
    Name {
        /// The problem: `"unknown field"`, `"missing field"`, `"duplicate field"`, `"unknown variant"`.
        problem: &'static str,
        /// The name.
        name: Box<str>,
        /// The names of the type.
        known: &'static [&'static str],
    },
}

/// Gives each kind of fault its code, and lists them.
macro_rules! codes {
    ($($variant:ident $code:literal $about:literal;)*) => {
        impl Fault {
            /// Every [`code`](Self::code), with a sentence about its meaning.
            pub const CODES: &'static [(&'static str, &'static str)] = &[$(($code, $about),)*];

            /// A short name of this kind of fault, for programs. It stays the same from version to version, while the message
            /// may change. `check --json`, `inspect --json` and SARIF have it too.
            ///
            /// ```
            /// use enginewire::{roblox::attributes, Fault};
            ///
            /// let error = attributes::decode(b"\x01\0\0\0\x01\0\0\0a\x1d").unwrap_err();
            /// assert_eq!(error.fault().code(), "unknown-id");
            /// assert!(Fault::CODES.iter().any(|(code, about)| *code == "unknown-id" && !about.is_empty()));
            /// ```
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Fault::$variant { .. } => $code,)*
                }
            }
        }
    };
}

codes! {
    Truncated "truncated" "The input ends too early.";
    TooShort "too-short" "A value ends too early, though all of its bytes are there.";
    Magic "wrong-magic" "The input does not begin as its format does.";
    Unknown "unknown-id" "A type id, rotation id or the like has no meaning.";
    Refused "refused-type" "A type is known, but an option refuses it.";
    TooDeep "too-deep" "Containers are nested deeper than the limit.";
    TooLarge "too-large" "An item takes more bytes than the limit.";
    Padding "padding" "The bits between a field and the next whole byte are not 0.";
    Negative "negative-length" "A length or count is below 0.";
    Text "invalid-text" "Text is not UTF-8.";
    Overlong "overlong" "An integer takes more bytes than it needs.";
    TooManyBits "too-many-bits" "An integer of variable length takes more bits than it may.";
    ReservedBit "reserved-bit" "A reserved bit is not 0.";
    Trailing "trailing-bytes" "Bytes follow the end of the value.";
    Parser "parser" "A parser of nom did not match.";
    Other "other" "Something else is wrong: the message says what.";
    Mismatch "wrong-type" "A value has another form than the Rust type that is read from it.";
    DoesNotFit "out-of-range" "A number is out of the range of the Rust type that is read from it.";
    Name "wrong-name" "A Rust type does not have a name, or a value lacks one.";
}

impl Fault {
    /// The same fault for input that cannot grow: `Truncated` becomes `TooShort`.
    pub(crate) fn of_complete_input(self) -> Self {
        match self {
            Fault::Truncated { needed, left } => Fault::TooShort { needed, left },
            other => other,
        }
    }

    /// The expected ids or names.
    #[must_use]
    pub fn expected(&self) -> Option<String> {
        match self {
            Fault::Unknown { known, radix, .. } if !known.is_empty() => {
                let ids: Vec<_> = known.iter().map(|id| radix.digits(*id)).collect();
                Some(format!("one of {}", ids.join(" ")))
            }
            Fault::Name { known, .. } if !known.is_empty() => Some(format!("one of {}", known.join(", "))),
            _ => None,
        }
    }
}

/// The names that there are instead of an unknown one.
fn instead(problem: &str, known: &[&str]) -> String {
    match (problem.strip_prefix("unknown "), known) {
        (None, _) => String::new(),
        (Some(kind), []) => format!(", there are no {kind}s"),
        (_, known) => format!(", expected {}", listed(known)),
    }
}

/// The base of the ids in a specification.
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
            // two digits for each byte, like in the specifications
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

/// The fault that stopped decoding, its offset, and the path of its field.
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
    #[source]
    fault: Fault,
}

impl DecodeError {
    #[doc(hidden)] // for the package of files
    #[must_use]
    pub fn new(offset: Offset, path: Path, fault: Fault) -> Self {
        Self { offset, path, fault }
    }

    /// The offset of the field with the error.
    #[must_use]
    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// The field with the error.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fault.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The range of the broken bytes, as far as it is known: the rest of a truncated field, a wrong magic, or otherwise the first
    /// byte of the field.
    ///
    /// The range is empty if nothing of the field is left. Its end may lie after that of the input if a stream was read in parts.
    ///
    /// ```
    /// # use enginewire::roblox::attributes;
    /// let error = attributes::decode(b"\x01\0\0\0\x01\0\0\0a\x04\x07\x08").unwrap_err();
    /// assert_eq!(error.range(), 10..12);
    /// ```
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        let start = self.offset.byte();
        let length = match &self.fault {
            Fault::Truncated { left, .. } | Fault::TooShort { left, .. } => *left,
            Fault::Magic { found, .. } => to_u64(found.len()),
            _ => 1,
        };
        start..start.saturating_add(length)
    }

    /// Returns true if the input ends too early and has no other error.
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

    /// The error for a person to read: the fault, its place, and the bytes around it.
    ///
    /// `name` is the source of the input, such as a file name; `input` is the same input that failed to decode.
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
        self.report_from(name, input, 0)
    }

    /// The same, of input that begins at byte `start` of the source with this name: offsets count from the start of the source.
    #[must_use]
    pub fn report_from<'r>(&'r self, name: &'r str, input: &'r [u8], start: u64) -> impl fmt::Display + 'r {
        Report { error: self, name, input, start }
    }

    /// The bytes around the error as text, with the place of the error in it. `input` is the input that failed to decode.
    #[must_use]
    pub fn excerpt(&self, input: &[u8]) -> Excerpt {
        Excerpt::new(input, self.range())
    }
}

/// The error of a `decode_owned`, and the input that was passed to it.
///
/// `?` converts it to the [`DecodeError`] alone.
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
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeOwnedError {
    error: DecodeError,
    bytes: Vec<u8>,
}

impl DecodeOwnedError {
    pub(crate) fn new(error: DecodeError, bytes: Vec<u8>) -> Self {
        Self { error, bytes }
    }

    /// The fault, its offset and its path: the same error as from decoding without keeping the input.
    #[must_use]
    pub fn error(&self) -> &DecodeError {
        &self.error
    }

    /// The input.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The input, as it was passed to the function.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Both.
    #[must_use]
    pub fn into_parts(self) -> (DecodeError, Vec<u8>) {
        (self.error, self.bytes)
    }

    /// The error for a person to read, like [`DecodeError::report`]. `name` is the source of the input, such as a file name.
    #[must_use]
    pub fn report<'r>(&'r self, name: &'r str) -> impl fmt::Display + 'r {
        self.error.report(name, &self.bytes)
    }
}

impl fmt::Display for DecodeOwnedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl StdError for DecodeOwnedError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
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
    fn the_fault_is_the_source_of_an_error() {
        let error = DecodeError::new(1.into(), Path::default(), Fault::ReservedBit);
        let fault = |error: &dyn StdError| error.source().and_then(|source| source.downcast_ref::<Fault>()).cloned();
        assert_eq!(fault(&error), Some(Fault::ReservedBit));
        assert_eq!(fault(&DecodeOwnedError::new(error, vec![])), Some(Fault::ReservedBit));
        let error = EncodeError::new(Path::default(), EncodeFault::TooLong);
        assert_eq!(error.source().and_then(|source| source.downcast_ref()), Some(&EncodeFault::TooLong));
    }

    #[test]
    fn the_bytes_that_are_broken() {
        let range = |fault| DecodeError::new(Offset::new(7, 3), Path::default(), fault).range();
        assert_eq!(range(Fault::Truncated { needed: 8, left: 3 }), 7..10);
        assert_eq!(range(Fault::TooShort { needed: 8, left: 0 }), 7..7);
        assert_eq!(range(Fault::Magic { found: "LUB".into(), expected: "LUA".into() }), 7..10);
        assert_eq!(range(Fault::ReservedBit), 7..8);
        assert_eq!(range(Fault::Truncated { needed: 1, left: u64::MAX }), 7..u64::MAX);
    }

    #[test]
    fn every_code_is_its_own() {
        let mut codes: Vec<_> = Fault::CODES.iter().map(|(code, _)| *code).collect();
        assert!(codes.iter().all(|code| code.bytes().all(|byte| byte.is_ascii_lowercase() || b"-".contains(&byte))));
        assert_eq!(Fault::Other(String::new()).code(), "other");
        assert_eq!(Fault::Truncated { needed: 1, left: 0 }.code(), "truncated");
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Fault::CODES.len());
    }

    #[test]
    fn ids_that_are_expected() {
        let unknown = |known, radix| Fault::Unknown { what: "type id", found: 9, radix, known };
        let expected = unknown(vec![1, 0xc], Radix::Hexadecimal).expected();
        assert_eq!(expected.as_deref(), Some("one of 01 0c"));
        assert_eq!(unknown(vec![], Radix::Decimal).expected(), None);
    }
}

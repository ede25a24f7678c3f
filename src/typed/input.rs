//! A reader of the bytes of values, which builds no tree.

use std::borrow::Cow;

#[cfg(any(feature = "roblox", feature = "godot"))]
use nom::Parser;
use serde::Deserialize;

use super::de::Typed;
use super::error::ReadError;
use super::exact::Reading;
use super::look::{Look, Rare, Reader, Rules};
use super::Leniency;

/// Options of a format that determine how its values are read. Each function reads a value at the start of the input, inside
/// `depth` containers, and returns `None` if the bytes are not a value.
pub(crate) trait Decoding: Copy {
    const RULES: Rules;

    /// Reads a value, or the head of a container. A container with more items than fit into the input is not a value.
    fn head(self, depth: u16, input: &[u8]) -> Option<(&[u8], Look<'_>)>;

    /// Reads a value if it is text; `Some(None)` if it is not.
    fn text(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], &[u8])>>;

    /// Reads a key that is text, without a type.
    fn key(self, input: &[u8]) -> Option<(&[u8], &[u8])>;

    /// The name of the type of a value.
    fn type_name(self, depth: u16, input: &[u8]) -> Option<&'static str>;

    /// Returns true if a value is null.
    fn is_unit(self, depth: u16, input: &[u8]) -> Option<bool>;

    /// Reads a value and checks all of it. Returns the input after it.
    fn skip(self, depth: u16, input: &[u8]) -> Option<&[u8]>;

    /// The bytes of a value, as a field that holds any value gets them.
    fn exact(self, depth: u16, value: &[u8]) -> Option<Cow<'_, [u8]>>;

    /// Returns true if text may be other than UTF-8.
    fn allows_any_text(self) -> bool {
        true
    }

    /// Returns true if bytes may follow the outermost value.
    fn allows_trailing(self) -> bool;
}

/// Reads a Rust type from bytes.
#[inline]
pub(crate) fn read_bytes<'de, D: Decoding, T: Deserialize<'de>>(
    bytes: &'de [u8],
    decoding: D,
    leniency: Leniency,
) -> Result<T, ReadError> {
    let _reading = Reading::begin();
    let mut input = Input { rest: bytes, decoding, depth: 0, is_key: false };
    let value = T::deserialize(Typed::new(&mut input, leniency))?;
    match input.rest.is_empty() || decoding.allows_trailing() {
        true => Ok(value),
        false => Err(ReadError::broken()),
    }
}

/// Bytes that values are read from. If they are not a value, `decode` finds the error.
struct Input<'de, D> {
    rest: &'de [u8],
    decoding: D,
    /// The number of containers around the next value.
    depth: u16,
    /// True if a key without a type comes next.
    is_key: bool,
}

/// The value that was read, or the error of bytes that are not a value.
#[inline]
fn valid<T>(read: Option<T>) -> Result<T, ReadError> {
    read.ok_or_else(ReadError::broken)
}

/// Text as serde sees it: bytes if it is not UTF-8, where that is allowed.
#[inline]
pub(crate) fn look_of_text(text: &[u8], any_text: bool) -> Option<Look<'_>> {
    match std::str::from_utf8(text) {
        Ok(text) => Some(Look::Str(text)),
        Err(_) => any_text.then_some(Look::Rare(Rare::Text(Cow::Borrowed(text)))),
    }
}

/// The first look at the value that a parser reads.
#[cfg(any(feature = "roblox", feature = "godot"))]
#[cfg_attr(fast, inline(always))]
pub(crate) fn look_of<'i, T>(
    mut parser: impl Parser<&'i [u8], Output = T>,
    input: &'i [u8],
    show: impl FnOnce(T) -> Look<'i>,
) -> Option<(&'i [u8], Look<'i>)> {
    let (rest, value) = parser.parse_complete(input).ok()?;
    Some((rest, show(value)))
}

impl<'de, D: Decoding> Input<'de, D> {
    /// Reads a key without a type.
    #[inline(never)]
    fn next_key(&mut self) -> Result<Look<'de>, ReadError> {
        let (rest, key) = valid(self.decoding.key(self.rest))?;
        let look = valid(look_of_text(key, self.decoding.allows_any_text()))?;
        (self.rest, self.is_key) = (rest, false);
        Ok(look)
    }
}

impl<'de, D: Decoding> Reader<'de> for Input<'de, D> {
    const RULES: Rules = D::RULES;

    fn type_name(&mut self) -> Result<&'static str, ReadError> {
        match self.is_key {
            true => Ok("String"),
            false => valid(self.decoding.type_name(self.depth, self.rest)),
        }
    }

    #[inline]
    fn is_unit(&mut self) -> Result<bool, ReadError> {
        match self.is_key {
            true => Ok(false),
            false => valid(self.decoding.is_unit(self.depth, self.rest)),
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn next(&mut self) -> Result<Look<'de>, ReadError> {
        if self.is_key {
            return self.next_key();
        }
        let (rest, look) = valid(self.decoding.head(self.depth, self.rest))?;
        self.rest = rest;
        Ok(look)
    }

    #[inline]
    fn next_str(&mut self, likely: &'static str) -> Result<Option<&'de str>, ReadError> {
        let read = match self.is_key {
            true => self.decoding.key(self.rest).map(Some),
            false => self.decoding.text(self.depth, self.rest),
        };
        let Some((rest, text)) = valid(read)? else { return Ok(None) };
        let read = if text == likely.as_bytes() { Ok(likely) } else { std::str::from_utf8(text) };
        match read {
            Ok(text) => {
                (self.rest, self.is_key) = (rest, false);
                Ok(Some(text))
            }
            Err(_) if self.decoding.allows_any_text() => Ok(None),
            Err(_) => Err(ReadError::broken()),
        }
    }

    #[inline]
    fn skip(&mut self) -> Result<(), ReadError> {
        if self.is_key {
            return self.next().map(|_| ());
        }
        self.rest = valid(self.decoding.skip(self.depth, self.rest))?;
        Ok(())
    }

    fn exact(&mut self) -> Result<Cow<'de, [u8]>, ReadError> {
        if self.is_key {
            return Err(ReadError::mismatch("the key of an entry", "a value"));
        }
        let whole = self.rest;
        self.skip()?;
        let bytes = whole.get(..whole.len().saturating_sub(self.rest.len()));
        valid(bytes.and_then(|bytes| self.decoding.exact(self.depth, bytes)))
    }

    #[inline]
    fn enter(&mut self) {
        self.depth = self.depth.saturating_add(1);
    }

    #[inline]
    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    #[inline]
    fn expect_name(&mut self) {
        self.is_key = true;
    }
}

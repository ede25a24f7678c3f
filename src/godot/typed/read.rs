//! A reader of values that builds no tree.

use std::borrow::Cow;

use nom::{Check, Complete, Emit, OutputM, Parser};
use serde::Deserialize;

use super::shape::{show, RULES};
use crate::godot::datatypes::{bool, float, int, string};
use crate::godot::options::Options;
use crate::godot::variant::{begin, header, variant, Begun, Object, Variant};
use crate::godot::version::Version;
use crate::godot::{decode_with, encode_with, v4};
use crate::limits::Limits;
use crate::typed::{Leniency, ReadError, Reader, Reading, Rules, Shape, Typed};
use crate::wire::Limited;

/// Reads a Rust type from the bytes of a value.
#[inline]
pub(super) fn read<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    options: Options,
    leniency: Leniency,
) -> Result<T, ReadError> {
    let _reading = Reading::begin();
    let mut reader = Bytes { rest: bytes, options, depth: 0, is_name: false };
    let value = T::deserialize(Typed::new(&mut reader, leniency))?;
    match reader.rest.is_empty() || options.allows_trailing_bytes() {
        true => Ok(value),
        false => Err(ReadError::broken()),
    }
}

/// Bytes of which values are read. What is wrong with bytes that are no value is left to `decode`.
struct Bytes<'de> {
    rest: &'de [u8],
    options: Options,
    /// How many containers are around the next value.
    depth: u16,
    /// Whether the next value is the name of a property.
    is_name: bool,
}

impl<'de> Bytes<'de> {
    /// Reads a string, whose text is looked at once.
    #[inline]
    fn text(&mut self, input: &'de [u8]) -> Result<Result<&'de str, &'de [u8]>, ReadError> {
        let any = string::<_, ()>(self.options.any_text(true)).parse_complete(input);
        let (rest, text) = any.map_err(|_| ReadError::broken())?;
        let text: &[u8] = text.as_borrowed().unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| text);
        if text.is_err() && !self.options.any_text {
            return Err(ReadError::broken());
        }
        (self.rest, self.is_name) = (rest, false);
        Ok(text)
    }

    /// Goes on behind a value that was read.
    #[inline]
    fn scalar<T>(
        &mut self,
        read: Result<(&'de [u8], T), nom::Err<()>>,
        shape: impl FnOnce(T) -> Shape<'de>,
    ) -> Result<Shape<'de>, ReadError> {
        let (rest, value) = read.map_err(|_| ReadError::broken())?;
        self.rest = rest;
        Ok(shape(value))
    }

    /// The bytes of the next value.
    fn take(&mut self) -> Result<&'de [u8], ReadError> {
        let depth = Limited::limits(&self.options).depth().checked_sub(self.depth).ok_or_else(ReadError::broken)?;
        let options = self.options.limits(Limits::new().with_depth(depth));
        let whole = self.rest;
        let mut value = variant::<&[u8], ()>(options);
        let (rest, ()) =
            value.process::<OutputM<Check, Emit, Complete>>(whole).map_err(|_: nom::Err<()>| ReadError::broken())?;
        self.rest = rest;
        Ok(whole.get(..whole.len().saturating_sub(rest.len())).unwrap_or_default())
    }
}

/// Text, which is bytes if it is not UTF-8.
fn show_text<'de>(text: Result<&'de str, &'de [u8]>) -> Shape<'de> {
    text.map_or_else(|bytes| Shape::Text(Cow::Borrowed(bytes)), Shape::Str)
}

impl<'de> Reader<'de> for Bytes<'de> {
    const RULES: Rules = RULES;

    fn type_name(&mut self) -> Result<&'static str, ReadError> {
        if self.is_name {
            return Ok(v4::TypeId::String.name());
        }
        let read = header::<_, ()>(self.options, self.depth).parse_complete(self.rest);
        read.map(|(_, header)| header.type_id.name()).map_err(|_| ReadError::broken())
    }

    #[inline]
    fn is_unit(&mut self) -> Result<bool, ReadError> {
        if self.is_name {
            return Ok(false);
        }
        let (_, header) =
            header::<_, ()>(self.options, self.depth).parse_complete(self.rest).map_err(|_| ReadError::broken())?;
        Ok(match header.type_id {
            v4::TypeId::null => true,
            v4::TypeId::Object => matches!(
                begin(self.options, self.depth, self.rest),
                Some((_, Begun::Value(Variant::Object(Object::Null))))
            ),
            _ => false,
        })
    }

    #[inline]
    fn next(&mut self) -> Result<Shape<'de>, ReadError> {
        if self.is_name {
            return self.text(self.rest).map(show_text);
        }
        // what most values are, without a `Variant` in between
        let head = header::<_, ()>(self.options, self.depth).parse_complete(self.rest);
        let (rest, head) = head.map_err(|_| ReadError::broken())?;
        match head.type_id {
            v4::TypeId::bool => return self.scalar(bool().parse_complete(rest), Shape::Bool),
            v4::TypeId::int => return self.scalar(int(head.is_wide()).parse_complete(rest), Shape::Int),
            v4::TypeId::float => return self.scalar(float(head.is_wide()).parse_complete(rest), Shape::Double),
            v4::TypeId::String => {
                return self.text(rest).map(show_text);
            }
            _ => {}
        }
        let (rest, begun) = begin(self.options, self.depth, self.rest).ok_or_else(ReadError::broken)?;
        self.rest = rest;
        Ok(match begun {
            Begun::Value(value) => show(value),
            Begun::Array(count) => Shape::Seq(count, None),
            Begun::Dictionary(count) => Shape::Map { count, named: false },
            Begun::Object(count) => Shape::Map { count, named: true },
        })
    }

    #[inline]
    fn next_str(&mut self) -> Result<Option<&'de str>, ReadError> {
        let before = (self.rest, self.is_name);
        let mut input = self.rest;
        if !self.is_name {
            let read = header::<_, ()>(self.options, self.depth).parse_complete(input);
            let (rest, head) = read.map_err(|_| ReadError::broken())?;
            if head.type_id != v4::TypeId::String {
                return Ok(None);
            }
            input = rest;
        }
        let text = self.text(input)?.ok();
        if text.is_none() {
            (self.rest, self.is_name) = before;
        }
        Ok(text)
    }

    #[inline]
    fn skip(&mut self) -> Result<(), ReadError> {
        match self.is_name {
            true => self.text(self.rest).map(|_| ()),
            false => self.take().map(|_| ()),
        }
    }

    fn exact(&mut self) -> Result<Cow<'de, [u8]>, ReadError> {
        let bytes = self.take()?;
        if self.options.version() == Version::V4 {
            return Ok(Cow::Borrowed(bytes));
        }
        let value = decode_with(bytes, &self.options).map_err(|_| ReadError::broken())?;
        let options = Options::new(Version::V4).any_text(true);
        encode_with(&value, &options).map(Cow::Owned).map_err(|_| ReadError::broken())
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
        self.is_name = true;
    }
}

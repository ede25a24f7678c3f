//! Values read from bytes without a tree.

use std::borrow::Cow;

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::shape::{show, RULES};
use crate::godot::datatypes::{bool, float, int, string};
use crate::godot::options::Options;
use crate::godot::variant::{begin, header, variant, Begun, Header, Object, Variant};
use crate::godot::version::Version;
use crate::godot::{decode_with, encode_with, v4};
use crate::limits::Limits;
use crate::typed::{shape_of_text, Decoding, Rules, Shape};
use crate::wire::Limited;

impl Options {
    #[inline]
    fn header(self, depth: u16, input: &[u8]) -> Option<(&[u8], Header)> {
        header::<_, ()>(self, depth).parse_complete(input).ok()
    }
}

impl Decoding for Options {
    const RULES: Rules = RULES;

    #[inline]
    fn head(self, depth: u16, input: &[u8]) -> Option<(&[u8], Shape<'_>)> {
        // what most values are, without a `Variant` in between
        let (rest, header) = self.header(depth, input)?;
        match header.type_id {
            v4::TypeId::bool => {
                let (rest, value) = bool::<_, ()>().parse_complete(rest).ok()?;
                return Some((rest, Shape::Bool(value)));
            }
            v4::TypeId::int => {
                let (rest, number) = int::<_, ()>(header.is_wide()).parse_complete(rest).ok()?;
                return Some((rest, Shape::Int(number)));
            }
            v4::TypeId::float => {
                let (rest, number) = float::<_, ()>(header.is_wide()).parse_complete(rest).ok()?;
                return Some((rest, Shape::Double(number)));
            }
            v4::TypeId::String => {
                let (rest, text) = self.key(rest)?;
                return Some((rest, shape_of_text(text, self.any_text)?));
            }
            _ => {}
        }
        let (rest, begun) = begin(self, depth, input)?;
        Some((
            rest,
            match begun {
                Begun::Value(value) => show(value),
                Begun::Array(count) => Shape::Seq(count, None),
                Begun::Dictionary(count) => Shape::Map { count, named: false },
                Begun::Object(count) => Shape::Map { count, named: true },
            },
        ))
    }

    #[inline]
    fn text(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], &[u8])>> {
        let (rest, header) = self.header(depth, input)?;
        match header.type_id {
            v4::TypeId::String => self.key(rest).map(Some),
            _ => Some(None),
        }
    }

    /// Whether it is UTF-8 is looked at once, by who asks.
    #[inline]
    fn key(self, input: &[u8]) -> Option<(&[u8], &[u8])> {
        let (rest, text) = string::<_, ()>(self.any_text(true)).parse_complete(input).ok()?;
        Some((rest, text.as_borrowed().unwrap_or_default()))
    }

    fn type_name(self, depth: u16, input: &[u8]) -> Option<&'static str> {
        self.header(depth, input).map(|(_, header)| header.type_id.name())
    }

    #[inline]
    fn is_unit(self, depth: u16, input: &[u8]) -> Option<bool> {
        let (_, header) = self.header(depth, input)?;
        Some(match header.type_id {
            v4::TypeId::null => true,
            v4::TypeId::Object => {
                matches!(begin(self, depth, input), Some((_, Begun::Value(Variant::Object(Object::Null)))))
            }
            _ => false,
        })
    }

    fn skip(self, depth: u16, input: &[u8]) -> Option<&[u8]> {
        let levels = Limited::limits(&self).depth().checked_sub(depth)?;
        let mut value = variant::<&[u8], ()>(self.limits(Limits::new().with_depth(levels)));
        value.process::<OutputM<Check, Emit, Complete>>(input).ok().map(|(rest, ())| rest)
    }

    fn exact(self, _: u16, value: &[u8]) -> Option<Cow<'_, [u8]>> {
        if self.version() == Version::V4 {
            return Some(Cow::Borrowed(value));
        }
        let value = decode_with(value, &self).ok()?;
        encode_with(&value, &Options::new(Version::V4).any_text(true)).ok().map(Cow::Owned)
    }

    fn allows_any_text(self) -> bool {
        self.any_text
    }

    fn allows_trailing(self) -> bool {
        self.allows_trailing_bytes()
    }
}

//! Values read from bytes without a tree.

use std::borrow::Cow;

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::look::{show, Show, RULES};
use crate::dynamic::reader::{CommonTypes, Reader};
use crate::godot::datatypes::{bool, float, int, string, vector2, vector3, Vector2, Vector3};
use crate::godot::json::Typed;
use crate::godot::options::Options;
use crate::godot::variant::{begin, header, items, variant, Begun, Header, Object, Variant, ARRAY, DICTIONARY};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::godot::{decode_with, encode_with, v4};
use crate::json::Document;
use crate::limits::{Limited, Limits};
use crate::member::Receiver;
use crate::typed::{look_of, look_of_text, Decoding, Look, Rules};
use crate::wire::{read_part, Traceback};

impl Options {
    #[cfg_attr(fast, inline(always))]
    fn header(self, depth: u16, input: &[u8]) -> Option<(&[u8], Header)> {
        header::<_, ()>(self, depth).parse_complete(input).ok()
    }
}

impl Options {
    /// Reads a value of a common type that holds no others, without a `Variant`. `Some(None)` if it has another type.
    #[cfg_attr(fast, inline(always))]
    fn scalar(self, header: Header, input: &[u8]) -> Option<Option<(&[u8], Look<'_>)>> {
        Some(Some(match header.type_id {
            v4::TypeId::null => (input, Look::Unit),
            v4::TypeId::bool => {
                let (rest, value) = bool::<_, ()>().parse_complete(input).ok()?;
                (rest, Look::Bool(value))
            }
            v4::TypeId::int => {
                let (rest, number) = int::<_, ()>(header.is_wide()).parse_complete(input).ok()?;
                (rest, Look::Int(number))
            }
            v4::TypeId::float => {
                let (rest, number) = float::<_, ()>(header.is_wide()).parse_complete(input).ok()?;
                (rest, Look::Double(number))
            }
            v4::TypeId::String => {
                let (rest, text) = self.key(input)?;
                (rest, look_of_text(text, self.any_text)?)
            }
            _ => return Some(None),
        }))
    }
}

impl CommonTypes for Options {
    type Value<'i> = Variant<'i>;

    fn common(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], Look<'_>)>> {
        let (rest, header) = self.header(depth, input)?;
        match header.type_id {
            v4::TypeId::Array if header.kinds() == [0, 0] => {
                items(&ARRAY, rest).map(|(rest, count)| Some((rest, Look::Seq(count, None))))
            }
            v4::TypeId::Dictionary if header.kinds() == [0, 0] => {
                items(&DICTIONARY, rest).map(|(rest, count)| Some((rest, Look::Map { count, named: false })))
            }
            _ => self.scalar(header, rest),
        }
    }

    fn value(self, depth: u16, input: &[u8]) -> Option<(&[u8], Variant<'_>)> {
        let levels = Limited::limits(&self).depth().checked_sub(depth)?;
        read_part(input, variant(self.limits(Limits::new().with_depth(levels))))
    }

    fn name(look: &Look<'_>) -> &'static str {
        let id = match look {
            Look::Bool(_) => v4::TypeId::bool,
            Look::Int(_) => v4::TypeId::int,
            Look::Double(_) => v4::TypeId::float,
            Look::Seq(..) => v4::TypeId::Array,
            Look::Map { .. } => v4::TypeId::Dictionary,
            Look::Str(_) | Look::Rare(_) => v4::TypeId::String,
            _ => v4::TypeId::null,
        };
        // the same in both versions
        id.name()
    }

    fn give_members(self, value: &Variant<'_>, to: &mut dyn Receiver) {
        Typed(self.version(), value).give_members(to);
    }

    fn give_document(self, reader: &Reader<'_, Self>, to: &mut dyn Receiver) {
        to.structure("Versioned", 4);
        to.member("format", &Versioned::FORMAT);
        to.member("version", &self.version().number());
        reader.members(to);
        to.end();
    }
}

/// Reads a value of a rarer type, of a container its head. What follows its header is `rest`.
#[inline(never)]
fn rare_head<'i>(
    options: Options,
    depth: u16,
    header: Header,
    rest: &'i [u8],
    input: &'i [u8],
) -> Option<(&'i [u8], Look<'i>)> {
    match header.type_id {
        v4::TypeId::Array if header.kinds() == [0, 0] => {
            return items(&ARRAY, rest).map(|(rest, count)| (rest, Look::Seq(count, None)));
        }
        v4::TypeId::Dictionary if header.kinds() == [0, 0] => {
            return items(&DICTIONARY, rest).map(|(rest, count)| (rest, Look::Map { count, named: false }));
        }
        v4::TypeId::Vector2 if !header.is_wide() => return look_of(vector2::<_, _, ()>(), rest, Vector2::<f32>::show),
        v4::TypeId::Vector3 if !header.is_wide() => return look_of(vector3::<_, _, ()>(), rest, Vector3::<f32>::show),
        _ => {}
    }
    let (rest, begun) = begin(options, depth, input)?;
    let look = match begun {
        Begun::Value(value) => show(value),
        Begun::Array(count) => Look::Seq(count, None),
        Begun::Dictionary(count) => Look::Map { count, named: false },
        Begun::Object(count) => Look::Map { count, named: true },
    };
    Some((rest, look))
}

impl Decoding for Options {
    const RULES: Rules = RULES;

    #[cfg_attr(fast, inline(always))]
    fn head(self, depth: u16, input: &[u8]) -> Option<(&[u8], Look<'_>)> {
        let (rest, header) = self.header(depth, input)?;
        match self.scalar(header, rest)? {
            None => rare_head(self, depth, header, rest, input),
            scalar => scalar,
        }
    }

    #[inline]
    fn text(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], &[u8])>> {
        let (rest, header) = self.header(depth, input)?;
        match header.type_id {
            v4::TypeId::String => self.key(rest).map(Some),
            _ => Some(None),
        }
    }

    /// Does not check for UTF-8: the caller does so, once.
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
        let mut value = variant::<_, Traceback<&[u8]>>(self.limits(Limits::new().with_depth(levels)));
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

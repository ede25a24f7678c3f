//! Values made of Rust types.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

use super::look::RULES;
use crate::error::EncodeError;
use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::inside::{gen_any, gen_empty, gen_leaf};
use crate::godot::variant::{Array, Dictionary, Variant};
use crate::godot::version::Version;
use crate::godot::{decode_with, json};
use crate::member::{serialize_by_give, Give, Receiver};
use crate::typed::look::Numbers;
use crate::typed::{exact, Build, BuildError, Container, Encoding, Neutral, Row, Rules, Scalar};
use crate::wire::{generate_into, ByteArray, IntoByteString};

/// The value of the type with a name that a row is: of each type, what its integers are, and its members.
macro_rules! rows {
    ($name:ident, $row:ident { $($type:ident $($integers:ident)? { $($member:ident),* })* }) => {
        match $name {
            $(stringify!($type) => match $row.of([$(stringify!($member)),*])? {
                Numbers::Single([$($member,)* ..]) => Some($type { $($member),* }.into()),
                Numbers::Double([$($member,)* ..]) => Some(Variant::$type(Reals::Double($type { $($member),* }.into()))),
                Numbers::Int([$($member,)* ..]) => rows!(@integers [$($integers)?] $type { $($member),* }),
            },)*
            _ => None,
        }
    };
    (@integers [$variant:ident] $value:expr) => {
        Some(Variant::$variant($value))
    };
    (@integers [] $value:expr) => {{
        let _ = $value;
        None
    }};
}

impl Build for Variant<'static> {
    const RULES: Rules = RULES;
    const FORMAT: &'static str = "Godot";

    fn none() -> Option<Self> {
        Some(Variant::Null)
    }

    fn unit() -> Self {
        Variant::Null
    }

    fn bool(value: bool) -> Self {
        Variant::Bool(value)
    }

    fn int(number: i64) -> Result<Self, BuildError> {
        Ok(Variant::Int(number))
    }

    fn single(number: f32) -> Self {
        Variant::Float(number.into())
    }

    fn double(number: f64) -> Self {
        Variant::Float(number)
    }

    fn text(text: Cow<'static, str>) -> Self {
        Variant::String(text.into())
    }

    fn bytes(bytes: Vec<u8>) -> Self {
        Variant::PackedByteArray(bytes.into())
    }

    fn seq(elements: Vec<Self>) -> Self {
        Array { element_type: None, elements }.into()
    }

    fn map(entries: Vec<(Self, Self)>) -> Self {
        Dictionary::new(entries).into()
    }

    fn of_row(name: &str, row: &Row) -> Option<Self> {
        if name == "Color" {
            let Numbers::Single([r, g, b, a]) = row.of(["r", "g", "b", "a"])? else { return None };
            return Some(Color { r, g, b, a }.into());
        }
        rows!(name, row {
            Vector2 Vector2i { x, y }
            Vector3 Vector3i { x, y, z }
            Vector4 Vector4i { x, y, z, w }
            Quaternion { x, y, z, w }
        })
    }

    fn of_type(name: &str, plain: Neutral<'static>) -> Result<Option<Self>, BuildError> {
        let id = type_of(name, number(&plain)).ok_or_else(|| Self::no_type(name))?;
        let double = matches!(number(&plain), Some(Neutral::Double(_)));
        match id {
            TypeId::Array | TypeId::Dictionary => return plain.build(),
            TypeId::null | TypeId::Object | TypeId::Callable => return Err(Self::no_type(name)),
            _ => {}
        }
        let value = plain.take(|given| Variant::take_leaf(id, given.double(double)));
        value.map(Some).map_err(|error| BuildError::new(format!("as a {}: {error}", id.name())))
    }

    fn of_exact(bytes: &[u8]) -> Option<Self> {
        decode_with(bytes, &Options::new(Version::V4).any_text(true)).ok().map(Variant::into_owned)
    }
}

impl Encoding for Options {
    type Value<'v> = Variant<'v>;

    const EMPTY_COUNT: usize = 4;

    #[inline]
    fn write(self, value: &Variant<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_any(self, value, depth), bytes)
    }

    #[inline]
    fn write_scalar(self, scalar: Scalar<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match scalar {
            Scalar::Bool(value) => generate_into(gen_leaf(self, TypeId::bool, &value, depth), bytes),
            Scalar::Int(number) => generate_into(gen_leaf(self, TypeId::int, &number, depth), bytes),
            Scalar::Single(number) => generate_into(gen_leaf(self, TypeId::float, &f64::from(number), depth), bytes),
            Scalar::Double(number) => generate_into(gen_leaf(self, TypeId::float, &number, depth), bytes),
            Scalar::Text(text) => self.write_key(text, depth, bytes),
            Scalar::Bytes(value) => {
                generate_into(gen_leaf(self, TypeId::PackedByteArray, &ByteArray::from(value), depth), bytes)
            }
        }
    }

    fn write_empty(self, container: Container, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let id = match container {
            Container::Seq => TypeId::Array,
            Container::Map => TypeId::Dictionary,
        };
        generate_into(gen_empty(self, id, depth), bytes)
    }

    /// It is known to be UTF-8.
    #[inline]
    fn write_key(self, key: &str, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_leaf(self.any_text(true), TypeId::String, &key.into_byte_string(), depth), bytes)
    }

    fn write_count(self, count: usize, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_length(count), bytes)
    }
}

/// The type with a name. Of integers it is the one for them, if there is one: `Vector3i` for `Vector3`.
fn type_of(name: &str, number: Option<&Neutral<'_>>) -> Option<TypeId> {
    let named = |name: &str| TypeId::ALL.iter().find(|id| id.name() == name).copied();
    let name = if name == "Aabb" { TypeId::AABB.name() } else { name };
    match number {
        Some(Neutral::Int(_) | Neutral::Uint(_)) => named(&format!("{name}i")).or_else(|| named(name)),
        _ => named(name),
    }
}

/// The first number in a structure or list.
fn number<'p>(plain: &'p Neutral<'static>) -> Option<&'p Neutral<'static>> {
    match plain {
        Neutral::Seq(items) => items.first().and_then(number),
        Neutral::Map(members) => members.first().and_then(|(_, value)| number(value)),
        Neutral::Int(_) | Neutral::Uint(_) | Neutral::Single(_) | Neutral::Double(_) => Some(plain),
        _ => None,
    }
}

/// In formats of bytes as its bytes in version 4; in text as `{"type": …, "value": …}`, with the names of version 4.
impl Give for Variant<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        match to.takes_bytes() {
            true => exact::give(self, to),
            false => json::Typed(Version::V4, self).give(to),
        }
    }
}

serialize_by_give!([] Variant<'_>);

impl<'de> Deserialize<'de> for Variant<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        exact::deserialize::<Variant<'static>, D>(deserializer)
    }
}

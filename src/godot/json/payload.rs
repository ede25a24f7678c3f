//! The JSON forms of values that hold no others.

use std::fmt;

use base16ct::{lower, mixed};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

use crate::godot::datatypes::*;
use crate::godot::v4::TypeId;
use crate::godot::variant::{type_table, Variant};
use crate::member::Member;
use crate::member::{single, strings};
use crate::wire::{ByteArray, ByteString, List, Packed};

/// The JSON form of what a [`Variant`] holds.
pub(super) trait Form: Sized {
    /// Whether it has reals of 64 bits, so that `"double": true` stands before it.
    fn is_double(&self) -> bool {
        false
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads it, with reals of 64 bits if `double`.
    fn read<'de, D: Deserializer<'de>>(double: bool, deserializer: D) -> Result<Self, D::Error>;
}

macro_rules! by_member {
    ($($type:ty),*) => {$(
        impl Form for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_json(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
                Self::from_json(deserializer)
            }
        }
    )*};
}

by_member! {
    bool, i64, f64, ByteString<'_>, NodePath<'_>, Rid, Signal<'_>, Color, Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>,
    Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>, Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>,
    Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>, Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>,
    Basis<f32>, Basis<f64>, Transform3D<f32>, Transform3D<f64>, Projection<f32>, Projection<f64>
}

impl<T: Packed + Member> Form for List<'_, T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(deserializer)
    }
}

impl<T: Form> Form for Box<T> {
    fn is_double(&self) -> bool {
        T::is_double(self)
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(double: bool, deserializer: D) -> Result<Self, D::Error> {
        T::read(double, deserializer).map(Box::new)
    }
}

impl<S: Form, D: Form> Form for Reals<S, D> {
    fn is_double(&self) -> bool {
        matches!(self, Reals::Double(_))
    }

    fn write<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        match self {
            Reals::Single(value) => value.write(serializer),
            Reals::Double(value) => value.write(serializer),
        }
    }

    fn read<'de, R: Deserializer<'de>>(double: bool, deserializer: R) -> Result<Self, R::Error> {
        if double {
            D::read(double, deserializer).map(|value| Reals::Double(Box::new(value)))
        } else {
            S::read(double, deserializer).map(Reals::Single)
        }
    }
}

/// As `{"hex": "…"}`.
impl Form for ByteArray<'_> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self);
        }
        single(serializer, "hex", &lower::encode_string(self))
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return crate::member::bytes(deserializer).map(ByteArray::from);
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Hex {
            hex: String,
        }

        /// An object: by itself, a structure of serde may be a list too, which could be one of bytes.
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Hex;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"{"hex": "…"}"#)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Hex, A::Error> {
                Hex::deserialize(MapAccessDeserializer::new(map))
            }
        }
        let Hex { hex } = deserializer.deserialize_map(Object)?;
        let bytes = mixed::decode_vec(&hex);
        bytes.map(ByteArray::from).map_err(|_| D::Error::custom("expected an even number of hexadecimal digits"))
    }
}

impl Form for Vec<ByteString<'_>> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        strings::serialize(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        strings::deserialize(deserializer)
    }
}

/// Defines the JSON form of every type.
macro_rules! json_form {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        /// The JSON form of values that hold no others.
        impl Variant<'_> {
            pub(in crate::godot) fn is_double(&self) -> bool {
                match self {
                    $(Variant::$name(value) => value.is_double(),)*
                    _ => false,
                }
            }

            pub(in crate::godot) fn write_leaf<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Variant::$name(value) => Form::write(value, serializer),)*
                    _ => serializer.serialize_unit(),
                }
            }

            pub(in crate::godot) fn read_leaf<'de, D: serde::Deserializer<'de>>(
                id: TypeId,
                double: bool,
                deserializer: D,
            ) -> Result<Variant<'static>, D::Error> {
                match id {
                    $(TypeId::$id => Form::read(double, deserializer).map(Variant::$name),)*
                    TypeId::Callable => serde::Deserialize::deserialize(deserializer).map(|()| Variant::Callable),
                    _ => serde::Deserialize::deserialize(deserializer).map(|()| Variant::Null),
                }
            }
        }
    };
}

type_table!(json_form);

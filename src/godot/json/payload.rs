//! The JSON forms of values that hold no others.

use base16ct::lower;
use serde::Serializer;

use crate::godot::datatypes::*;
use crate::godot::v4::TypeId;
use crate::godot::variant::{type_table, Variant};
use crate::member::{hex, single, Given, Member, Mismatch};
use crate::wire::{ByteArray, ByteString, List, Packed};

/// The JSON form of what a [`Variant`] holds.
pub(super) trait Form: Sized {
    /// Whether it has reals of 64 bits, so that `"double": true` stands before it.
    fn is_double(&self) -> bool {
        false
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Makes it of what was given, with reals of 64 bits if `double`.
    fn take(double: bool, given: Given<'_>) -> Result<Self, Mismatch>;
}

macro_rules! by_member {
    ($($type:ty),*) => {$(
        impl Form for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_json(serializer)
            }

            fn take(_: bool, given: Given<'_>) -> Result<Self, Mismatch> {
                Member::take(given)
            }
        }
    )*};
}

by_member! {
    bool, i64, f64, ByteString<'_>, Vec<ByteString<'_>>, NodePath<'_>, Rid, Signal<'_>, Color, Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>,
    Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>, Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>,
    Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>, Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>,
    Basis<f32>, Basis<f64>, Transform3D<f32>, Transform3D<f64>, Projection<f32>, Projection<f64>
}

impl<T: Packed + Member> Form for List<'_, T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json(serializer)
    }

    fn take(_: bool, given: Given<'_>) -> Result<Self, Mismatch> {
        Member::take(given)
    }
}

impl<T: Form> Form for Box<T> {
    fn is_double(&self) -> bool {
        T::is_double(self)
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(self, serializer)
    }

    fn take(double: bool, given: Given<'_>) -> Result<Self, Mismatch> {
        T::take(double, given).map(Box::new)
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

    fn take(double: bool, given: Given<'_>) -> Result<Self, Mismatch> {
        if double {
            D::take(double, given).map(|value| Reals::Double(Box::new(value)))
        } else {
            S::take(double, given).map(Reals::Single)
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

    fn take(_: bool, given: Given<'_>) -> Result<Self, Mismatch> {
        match given {
            text if !text.is_text() => given.bytes().map(ByteArray::from),
            object if object.is_map() => {
                given.structure(&["hex"])?;
                hex(given).map(ByteArray::from)
            }
            _ => Err(given.invalid_type(r#"{"hex": "…"}"#)),
        }
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

            pub(in crate::godot) fn take_leaf(
                id: TypeId,
                double: bool,
                given: Given<'_>,
            ) -> Result<Variant<'static>, Mismatch> {
                match id {
                    $(TypeId::$id => Form::take(double, given).map(Variant::$name),)*
                    TypeId::Callable => given.null().map(|()| Variant::Callable),
                    _ => given.null().map(|()| Variant::Null),
                }
            }
        }
    };
}

type_table!(json_form);

//! The JSON forms of values that hold no others.

use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::{type_table, Payload, Variant, WIDE};
use crate::member::{hex, Give, Given, Member, Mismatch, Receiver, Shape};
use crate::wire::{ByteArray, ByteString, List};

impl<S: Give, D: Give> Give for Reals<S, D> {
    fn give(&self, to: &mut dyn Receiver) {
        match self {
            Reals::Single(value) => value.give(to),
            Reals::Double(value) => value.give(to),
        }
    }
}

impl<S: Member, D: Member> Member for Reals<S, D> {
    const SHAPE: Shape = Shape::Reals(&S::SHAPE, &D::SHAPE);

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        match given.is_double() {
            true => D::take(given).map(|value| Reals::Double(Box::new(value))),
            false => S::take(given).map(Reals::Single),
        }
    }
}

/// As `{"hex": "…"}`.
impl Member for ByteArray<'_> {
    const SHAPE: Shape = Shape::Form("ByteArray");

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        match given {
            text if !text.is_text() => given.bytes().map(ByteArray::from),
            object if object.is_map() => {
                given.structure("", &["hex"])?;
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
        impl<'a> Variant<'a> {
            /// True if its numbers have 64 bits where they may have 32.
            pub(in crate::godot) fn is_wide(&self) -> bool {
                match self {
                    $(Variant::$name(value) => Payload::<Options>::flags(value) & WIDE != 0,)*
                    _ => false,
                }
            }

            /// True if it has reals of 64 bits. Then `"double": true` comes before it.
            pub(in crate::godot) fn is_double(&self) -> bool {
                // of these the header alone has a width
                self.is_wide() && !matches!(self, Variant::Int(_) | Variant::Float(_))
            }

            /// The value without its type.
            pub(in crate::godot) fn leaf(&self) -> &dyn Give {
                match self {
                    $(Variant::$name(value) => value,)*
                    _ => &(),
                }
            }

            /// The shape of the values of a type.
            pub(in crate::godot) fn shape_of(id: TypeId) -> Shape {
                match id {
                    $(TypeId::$id => <$type as Member>::SHAPE,)*
                    TypeId::null | TypeId::Callable => Shape::Null,
                    container => Shape::Form(container.name()),
                }
            }

            pub(in crate::godot) fn take_leaf(id: TypeId, given: Given<'_>) -> Result<Variant<'static>, Mismatch> {
                match id {
                    $(TypeId::$id => Member::take(given).map(Variant::$name),)*
                    TypeId::Callable => given.null().map(|()| Variant::Callable),
                    _ => given.null().map(|()| Variant::Null),
                }
            }
        }
    };
}

type_table!(json_form);

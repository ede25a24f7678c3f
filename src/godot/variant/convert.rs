//! Values of Rust from a [`Variant`], and the other way round.

use bstr::{BString, ByteSlice};

use super::value::{Array, Dictionary, Object, Variant};
use crate::godot::datatypes::*;
use crate::wire::{ByteString, IntoByteString};

impl<'a> Variant<'a> {
    /// The value of a `Bool`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Variant::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an `Int`.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Variant::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a `Float`.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Variant::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of a `String` or `StringName`.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Variant::String(value) | Variant::StringName(value) => Some(value.as_bytes()),
            _ => None,
        }
    }

    /// The text of a `String` or `StringName`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes()?.to_str().ok()
    }

    /// The elements of an `Array`.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Variant<'a>]> {
        match self {
            Variant::Array(value) => Some(&value.elements),
            _ => None,
        }
    }

    /// A `Dictionary`.
    #[must_use]
    pub fn as_dictionary(&self) -> Option<&Dictionary<'a>> {
        match self {
            Variant::Dictionary(value) => Some(value),
            _ => None,
        }
    }
}

/// Conversions from the types of Rust that correspond to one type of the engine.
macro_rules! from {
    ($($type:ty: $value:ident => $variant:expr;)*) => {$(
        impl<'a> From<$type> for Variant<'a> {
            fn from($value: $type) -> Self {
                $variant
            }
        }
    )*};
}

from! {
    bool: value => Variant::Bool(value);
    i32: value => Variant::Int(value.into());
    u32: value => Variant::Int(value.into());
    i64: value => Variant::Int(value);
    f32: value => Variant::Float(value.into());
    f64: value => Variant::Float(value);
    &'a str: value => Variant::String(value.into_byte_string());
    String: value => Variant::String(value.into_byte_string());
    BString: value => Variant::String(value.into_byte_string());
    ByteString<'a>: value => Variant::String(value);
    Vector2<f32>: value => Variant::Vector2(Reals::Single(value));
    Vector2<i32>: value => Variant::Vector2i(value);
    Vector3<f32>: value => Variant::Vector3(Reals::Single(value));
    Vector3<i32>: value => Variant::Vector3i(value);
    Vector4<f32>: value => Variant::Vector4(Reals::Single(value));
    Color: value => Variant::Color(value);
    Array<'a>: value => Variant::Array(value);
    Dictionary<'a>: value => Variant::Dictionary(value);
    Object<'a>: value => Variant::Object(value);
    NodePath<'a>: value => Variant::NodePath(Box::new(value));
    Vec<Variant<'a>>: value => Variant::Array(Array::new(value));
    &'a [u8]: value => Variant::PackedByteArray(value.into());
    Vec<u8>: value => Variant::PackedByteArray(value.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::List;
    use pretty_assertions::assert_eq;

    #[test]
    fn values_of_rust_there_and_back() {
        assert_eq!(Variant::from(true).as_bool(), Some(true));
        assert_eq!(Variant::from(false).as_bool(), Some(false));
        assert_eq!(Variant::from(u32::MAX).as_int(), Some(4_294_967_295));
        assert_eq!(Variant::from(i64::MIN).as_int(), Some(i64::MIN));
        assert_eq!(Variant::from(0.5_f32).as_float(), Some(0.5));
        assert_eq!(Variant::from(0.1_f64).as_float(), Some(0.1));
        for text in [Variant::from("é"), "é".to_owned().into(), Variant::StringName("é".into_byte_string())] {
            assert_eq!((text.as_str(), text.as_bytes()), (Some("é"), Some(&b"\xc3\xa9"[..])));
        }
        let bytes = Variant::from(BString::from(&b"\xff"[..]));
        assert_eq!((bytes.as_str(), bytes.as_bytes()), (None, Some(&b"\xff"[..])));
        assert_eq!(Variant::from(vec![Variant::Null]).as_array(), Some(&[Variant::Null][..]));
        let dictionary = Dictionary::new([("a".into(), 1.into())]);
        assert_eq!(Variant::from(dictionary.clone()).as_dictionary(), Some(&dictionary));
        assert_eq!(Variant::from(vec![1_u8]), Variant::PackedByteArray(vec![1].into()));
    }

    /// What is asked of a value of another type is not there, however near the types are.
    #[test]
    fn values_of_another_type() {
        let list: List<'_, i32> = [1].into_iter().collect();
        for other in [Variant::Null, Variant::PackedInt32Array(list), Object::Null.into()] {
            assert_eq!((other.as_bool(), other.as_int(), other.as_float()), (None, None, None));
            assert_eq!((other.as_bytes(), other.as_str()), (None, None));
            assert_eq!((other.as_array(), other.as_dictionary()), (None, None));
        }
        assert_eq!((Variant::Int(1).as_float(), Variant::Int(1).as_bool()), (None, None));
        assert_eq!(Variant::Float(1.0).as_int(), None);
        assert_eq!(Variant::from(vec![1_u8]).as_bytes(), None);
    }
}

//! Values of Rust from a [`Variant`], and the other way round.

use bstr::{BStr, BString, ByteSlice};

use super::value::{Array, Dictionary, Object, Variant};
use crate::godot::datatypes::*;
use crate::wire::{ByteString, IntoByteString, List};
use crate::TypeError;

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

/// Access to values that are made of reals, which hides the width of these.
macro_rules! reals {
    ($($name:ident($type:ident) $method:ident;)*) => {
        /// Values made of reals, which have 32 or 64 bits: here always 64, which hold all of 32. The variants of [`Variant`] tell
        /// which width it is.
        ///
        /// ```
        /// use enginewire::godot::{Variant, Vector3};
        ///
        /// let value = Variant::from(Vector3::new(0.5_f32, 1.0, 2.0));
        /// assert_eq!(value.as_vector3(), Some(Vector3::new(0.5_f64, 1.0, 2.0)));
        /// assert_eq!(value.as_vector2(), None);
        /// ```
        impl Variant<'_> {
            $(
                #[doc = concat!("The value of a `", stringify!($name), "`.")]
                #[must_use]
                pub fn $method(&self) -> Option<$type<f64>> {
                    match self {
                        Variant::$name(value) => Some(value.to_double()),
                        _ => None,
                    }
                }
            )*
        }

        $(
            /// With reals of 32 bits, which most engines use. A conversion from 64 bits does not exist, because it would
            /// apply to a literal such as `1.0`; use [`Reals::Double`].
            impl From<$type<f32>> for Variant<'_> {
                fn from(value: $type<f32>) -> Self {
                    Variant::$name(Reals::Single(value).into())
                }
            }

            /// From reals of either width.
            impl TryFrom<&Variant<'_>> for $type<f64> {
                type Error = TypeError;

                fn try_from(value: &Variant<'_>) -> Result<Self, TypeError> {
                    value.$method().ok_or_else(|| mismatch::<Self>(value))
                }
            }

            /// From reals of 32 bits alone.
            impl TryFrom<&Variant<'_>> for $type<f32> {
                type Error = TypeError;

                fn try_from(value: &Variant<'_>) -> Result<Self, TypeError> {
                    match value {
                        Variant::$name(reals) => match reals.as_single() {
                            Some(value) => Ok(*value),
                            None => Err(TypeError::new::<Self>(concat!(stringify!($name), " in reals of 64 bits"))),
                        },
                        other => Err(mismatch::<Self>(other)),
                    }
                }
            }
        )*

        by_value! { $($type<f64>, $type<f32>,)* }
    };
}

/// The error for a value that is not a `T`.
fn mismatch<T: ?Sized>(found: &Variant<'_>) -> TypeError {
    TypeError::new::<T>(found.type_id().name())
}

/// `TryFrom` a value where there is one from a reference to it, for types that borrow nothing.
macro_rules! by_value {
    ($($type:ty,)*) => {$(
        impl TryFrom<Variant<'_>> for $type {
            type Error = TypeError;

            fn try_from(value: Variant<'_>) -> Result<Self, TypeError> {
                <$type>::try_from(&value)
            }
        }
    )*};
}

reals! {
    Vector2(Vector2) as_vector2;
    Rect2(Rect2) as_rect2;
    Vector3(Vector3) as_vector3;
    Transform2D(Transform2D) as_transform2d;
    Vector4(Vector4) as_vector4;
    Plane(Plane) as_plane;
    Quaternion(Quaternion) as_quaternion;
    Aabb(Aabb) as_aabb;
    Basis(Basis) as_basis;
    Transform3D(Transform3D) as_transform3d;
    Projection(Projection) as_projection;
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
    i8: value => Variant::Int(value.into());
    i16: value => Variant::Int(value.into());
    i32: value => Variant::Int(value.into());
    u8: value => Variant::Int(value.into());
    u16: value => Variant::Int(value.into());
    u32: value => Variant::Int(value.into());
    f32: value => Variant::Float(value.into());
    &'a str: value => Variant::String(value.into_byte_string());
    String: value => Variant::String(value.into_byte_string());
    BString: value => Variant::String(value.into_byte_string());
    NodePath<'a>: value => Variant::NodePath(Box::new(value));
    Vec<Variant<'a>>: value => Array::new(value).into();
    &'a [u8]: value => Variant::PackedByteArray(value.into());
    Vec<u8>: value => Variant::PackedByteArray(value.into());
}

/// The content of a variant, unboxed.
trait Unboxed<T> {
    fn unboxed(self) -> T;
}

impl<T> Unboxed<T> for T {
    fn unboxed(self) -> T {
        self
    }
}

impl<T> Unboxed<T> for Box<T> {
    fn unboxed(self) -> T {
        *self
    }
}

/// Conversions in both directions between a variant and its content. Variants after the `+` only convert to the content.
macro_rules! exact {
    ($($type:ty: $name:ident $(+ $other:ident)*;)*) => {$(
        impl<'a> From<$type> for Variant<'a> {
            fn from(value: $type) -> Self {
                Variant::$name(value.into())
            }
        }

        impl<'a> TryFrom<Variant<'a>> for $type {
            type Error = TypeError;

            fn try_from(value: Variant<'a>) -> Result<Self, TypeError> {
                match value {
                    Variant::$name(value) $(| Variant::$other(value))* => Ok(Unboxed::unboxed(value)),
                    other => Err(mismatch::<Self>(&other)),
                }
            }
        }

        /// A copy of what the value holds.
        impl<'a> TryFrom<&Variant<'a>> for $type {
            type Error = TypeError;

            fn try_from(value: &Variant<'a>) -> Result<Self, TypeError> {
                match value {
                    Variant::$name(value) $(| Variant::$other(value))* => Ok(<$type>::clone(value)),
                    other => Err(mismatch::<Self>(other)),
                }
            }
        }
    )*};
}

exact! {
    bool: Bool;
    i64: Int;
    f64: Float;
    ByteString<'a>: String + StringName;
    Vector2<i32>: Vector2i;
    Rect2<i32>: Rect2i;
    Vector3<i32>: Vector3i;
    Vector4<i32>: Vector4i;
    Color: Color;
    Rid: Rid;
    Array<'a>: Array;
    Dictionary<'a>: Dictionary;
    Object<'a>: Object;
    List<'a, i32>: PackedInt32Array;
    List<'a, i64>: PackedInt64Array;
    List<'a, f32>: PackedFloat32Array;
    List<'a, f64>: PackedFloat64Array;
    List<'a, Color>: PackedColorArray;
    Vec<ByteString<'a>>: PackedStringArray;
}

/// Conversions from a reference to a value.
macro_rules! try_from {
    ($(<$($lifetime:lifetime),*> $type:ty: $value:ident => $($variant:pat => $result:expr),+;)*) => {$(
        impl<$($lifetime),*> TryFrom<&'v Variant<'a>> for $type {
            type Error = TypeError;

            fn try_from($value: &'v Variant<'a>) -> Result<Self, TypeError> {
                match $value {
                    $($variant => $result,)+
                    other => Err(mismatch::<Self>(other)),
                }
            }
        }
    )*};
}

try_from! {
    <'v, 'a> &'v str: value => Variant::String(text) | Variant::StringName(text) =>
        text.to_str().map_err(|_| TypeError::new::<Self>("String that is not UTF-8"));
    <'v, 'a> &'v BStr: value => Variant::String(text) | Variant::StringName(text) => Ok(text.as_bstr());
    <'v, 'a> &'v [u8]: value => Variant::PackedByteArray(bytes) => Ok(bytes);
    <'v, 'a> &'v [Variant<'a>]: value => Variant::Array(array) => Ok(&array.elements);
    <'v, 'a> &'v Array<'a>: value => Variant::Array(array) => Ok(array);
    <'v, 'a> &'v Dictionary<'a>: value => Variant::Dictionary(dictionary) => Ok(dictionary);
    <'v, 'a> &'v Object<'a>: value => Variant::Object(object) => Ok(object);
    <'v, 'a> &'v NodePath<'a>: value => Variant::NodePath(path) => Ok(path);
    <'v, 'a> String: value => Variant::String(_) | Variant::StringName(_) =>
        <&str>::try_from(value).map(str::to_owned).map_err(|error| error.wanting::<Self>());
    <'v, 'a> BString: value => Variant::String(text) | Variant::StringName(text) => Ok(text.as_bytes().into());
    <'v, 'a> Vec<u8>: value => Variant::PackedByteArray(bytes) => Ok(bytes.to_vec());
    <'v, 'a> f32: value => Variant::Float(number) => narrow(*number);
}

by_value! { String, BString, Vec<u8>, f32, }

/// A number that has the same value in 32 bits.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
fn narrow(number: f64) -> Result<f32, TypeError> {
    let narrow = number as f32;
    match f64::from(narrow) == number || number.is_nan() {
        true => Ok(narrow),
        false => Err(TypeError::new::<f32>("float that 32 bits cannot hold")),
    }
}

/// Integers that the value may not fit.
macro_rules! integers {
    ($($type:ident)*) => {
        $(
            impl TryFrom<&Variant<'_>> for $type {
                type Error = TypeError;

                fn try_from(value: &Variant<'_>) -> Result<Self, TypeError> {
                    match value {
                        Variant::Int(number) => $type::try_from(*number)
                            .map_err(|_| TypeError::new::<Self>(concat!("int that does not fit ", stringify!($type)))),
                        other => Err(mismatch::<Self>(other)),
                    }
                }
            }
        )*

        by_value! { $($type,)* }
    };
}

integers! { i8 i16 i32 u8 u16 u32 u64 usize }

#[cfg(test)]
mod tests {
    use super::*;
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

    /// An accessor returns nothing for a value of another type, however similar the types are.
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

    /// The content of a value converts back to an equal value. An error names both types.
    #[test]
    fn values_are_taken_as_types_of_rust() {
        macro_rules! both_ways {
            ($($type:ty: $value:expr;)*) => {$({
                let value: $type = $value;
                let variant = Variant::from(value.clone());
                assert_eq!(<$type>::try_from(&variant).as_ref(), Ok(&value));
                assert_eq!(<$type>::try_from(variant), Ok(value));
                assert_eq!(<$type>::try_from(&Variant::Null), Err(TypeError::new::<$type>("null")));
                assert_eq!(<$type>::try_from(Variant::Null), Err(TypeError::new::<$type>("null")));
            })*};
        }
        both_ways! {
            bool: true;
            i8: -7; i16: -7; i32: -7; i64: -7; u8: 7; u16: 7; u32: 7;
            f32: 0.1; f64: 0.1;
            String: "a".to_owned(); BString: "a".into(); ByteString<'_>: "a".into_byte_string();
            Vec<u8>: vec![1, 2];
            Vector2<i32>: Vector2 { x: 1, y: 2 };
            Vector2<f32>: Vector2 { x: 0.1, y: 2.0 };
            Basis<f32>: Basis { rows: [[1.0, 2.0, 3.0]; 3] };
            Transform3D<f32>: Transform3D::default();
            Color: Color { r: 1.0, g: 0.5, b: 0.0, a: 1.0 };
            List<'_, f32>: [0.5, 1.0].into_iter().collect();
            Dictionary<'_>: Dictionary::new([("a".into(), 1.into())]);
        }
        let int = Variant::Int(300);
        assert_eq!((u64::try_from(&int), usize::try_from(&int)), (Ok(300), Ok(300)));
        assert_eq!(u8::try_from(&int).unwrap_err().to_string(), "expected u8, found int that does not fit u8");
        assert_eq!(f32::try_from(Variant::Float(0.1)), Err(TypeError::new::<f32>("float that 32 bits cannot hold")));
        assert!(f32::try_from(Variant::Float(f64::NAN)).is_ok_and(f32::is_nan));
        let name = Variant::StringName("n".into_byte_string());
        assert_eq!((<&str>::try_from(&name), <&BStr>::try_from(&name)), (Ok("n"), Ok(BStr::new("n"))));
        let bytes = Variant::String(b"\xff"[..].into_byte_string());
        assert_eq!(String::try_from(&bytes), Err(TypeError::new::<String>("String that is not UTF-8")));
        let list = Variant::from(vec![Variant::Null]);
        assert_eq!(<&[Variant<'_>]>::try_from(&list), Ok(&[Variant::Null][..]));
        assert_eq!(<&[u8]>::try_from(&Variant::from(vec![7_u8])), Ok(&[7][..]));
        assert_eq!(<&Dictionary<'_>>::try_from(&list).unwrap_err().to_string(), "expected &Dictionary, found Array");
    }

    /// Reals of 32 bits are taken as those of 64, and not the other way round.
    #[test]
    fn reals_of_either_width() {
        let single = Variant::from(Vector3 { x: 0.5_f32, y: 1.0, z: 2.0 });
        let value = Vector3 { x: 0.5_f64, y: 1.0, z: 2.0 };
        let double = Variant::Vector3(Reals::Double(Box::new(value)));
        // a literal is taken as 32 bits, which all versions have
        assert_eq!(Variant::from(Vector3 { x: 0.5, y: 1.0, z: 2.0 }), single);
        assert_eq!((single.as_vector3(), double.as_vector3()), (Some(value), Some(value)));
        assert_eq!((Vector3::<f64>::try_from(&single), Vector3::<f64>::try_from(&double)), (Ok(value), Ok(value)));
        let error = Vector3::<f32>::try_from(double).unwrap_err();
        assert_eq!(error.to_string(), "expected Vector3<f32>, found Vector3 in reals of 64 bits");
        let basis = Variant::from(Basis { rows: [[0.5_f32; 3]; 3] });
        assert_eq!((basis.as_basis(), basis.as_plane()), (Some(Basis { rows: [[0.5; 3]; 3] }), None));
    }
}

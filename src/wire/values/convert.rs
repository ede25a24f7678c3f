//! Conversions between values and types of Rust, as the tables of types make them.

/// The type as which a row borrows its value.
macro_rules! lent {
    ($type:ty) => {
        $type
    };
    ($type:ty, $lent:ty) => {
        $lent
    };
}
pub(crate) use lent;

/// Conversion of a row's Rust type into a value, and back. The types in the last brackets are `also` taken as this one.
macro_rules! conversions {
    ([] $value:ident, $name:ident, $type:ty, [$($narrow:ident)*]) => {
        impl<'a> From<$type> for $value<'a> {
            fn from(value: $type) -> Self {
                $value::$name(value)
            }
        }

        impl<'a> TryFrom<$value<'a>> for $type {
            type Error = $crate::TypeError;

            fn try_from(value: $value<'a>) -> Result<Self, $crate::TypeError> {
                match value {
                    $value::$name(value) => Ok(value),
                    $($value::$narrow(value) => Ok(value.into()),)*
                    other => Err($crate::TypeError::new::<Self>(other.type_id().name())),
                }
            }
        }

        /// A copy of the content of the value.
        impl<'v, 'a> TryFrom<&'v $value<'a>> for $type {
            type Error = $crate::TypeError;

            fn try_from(value: &'v $value<'a>) -> Result<Self, $crate::TypeError> {
                match value {
                    $value::$name(value) => Ok(Clone::clone(value)),
                    $($value::$narrow(value) => Ok((*value).into()),)*
                    other => Err($crate::TypeError::new::<Self>(other.type_id().name())),
                }
            }
        }
    };
    ([From] $value:ident, $name:ident, $type:ty, []) => {};
}
pub(crate) use conversions;

/// Implements `TryFrom` with `$method`, which borrows from a value.
macro_rules! borrowing {
    ($value:ident, $method:ident, $lent:ty) => {
        impl<'v, 'a> TryFrom<&'v $value<'a>> for &'v $lent {
            type Error = $crate::TypeError;

            fn try_from(value: &'v $value<'a>) -> Result<Self, $crate::TypeError> {
                value.$method().ok_or_else(|| $crate::TypeError::new::<Self>(value.type_id().name()))
            }
        }
    };
}
pub(crate) use borrowing;

/// Conversion of a `Vec` into the value `$name`, whose list it is, and back.
macro_rules! list_conversions {
    ($value:ident: $($name:ident($item:ident)),*) => {$(
        impl<'a> From<Vec<$item<'a>>> for $value<'a> {
            fn from(items: Vec<$item<'a>>) -> Self {
                $value::$name(items.into())
            }
        }

        impl<'a> TryFrom<$value<'a>> for Vec<$item<'a>> {
            type Error = $crate::TypeError;

            fn try_from(value: $value<'a>) -> Result<Self, $crate::TypeError> {
                match $crate::wire::ValueVec::<$item<'a>>::try_from(value) {
                    Ok(items) => Ok(items.into()),
                    Err(error) => Err(error.wanting::<Self>()),
                }
            }
        }
    )*};
}
pub(crate) use list_conversions;

/// Conversion of the types of Rust that are text or bytes into the value `$name`, and back. Text must be UTF-8.
macro_rules! text_conversions {
    ($value:ident $name:ident) => {
        $crate::wire::text_conversions!(@into $value $name: &'a str, &'a [u8], &'a bstr::BStr, String, Vec<u8>, bstr::BString);
        $crate::wire::text_conversions!(@bytes $value: Vec<u8>, bstr::BString);
        $crate::wire::text_conversions!(@text $value $name);

        impl<'v, 'a> TryFrom<&'v $value<'a>> for &'v [u8] {
            type Error = $crate::TypeError;

            fn try_from(value: &'v $value<'a>) -> Result<Self, $crate::TypeError> {
                <&bstr::BStr>::try_from(value).map(AsRef::as_ref).map_err(|error| error.wanting::<Self>())
            }
        }
    };
    // text alone, where `&BStr` and `ByteString` are values already
    (@text $value:ident $name:ident) => {
        impl<'v, 'a> TryFrom<&'v $value<'a>> for &'v str {
            type Error = $crate::TypeError;

            fn try_from(value: &'v $value<'a>) -> Result<Self, $crate::TypeError> {
                let text = <&bstr::BStr>::try_from(value).map_err(|error| error.wanting::<Self>())?;
                std::str::from_utf8(text)
                    .map_err(|_| $crate::TypeError::new::<Self>(concat!(stringify!($name), " that is not UTF-8")))
            }
        }

        impl<'a> TryFrom<&$value<'a>> for String {
            type Error = $crate::TypeError;

            fn try_from(value: &$value<'a>) -> Result<Self, $crate::TypeError> {
                <&str>::try_from(value).map(str::to_owned).map_err(|error| error.wanting::<Self>())
            }
        }

        impl<'a> TryFrom<$value<'a>> for String {
            type Error = $crate::TypeError;

            fn try_from(value: $value<'a>) -> Result<Self, $crate::TypeError> {
                let text = $crate::wire::ByteString::try_from(value).map_err(|error| error.wanting::<Self>())?;
                String::from_utf8(text.into_owned().into())
                    .map_err(|_| $crate::TypeError::new::<Self>(concat!(stringify!($name), " that is not UTF-8")))
            }
        }
    };
    (@bytes $value:ident: $($type:ty),*) => {$(
        impl<'a> TryFrom<$value<'a>> for $type {
            type Error = $crate::TypeError;

            fn try_from(value: $value<'a>) -> Result<Self, $crate::TypeError> {
                let text = $crate::wire::ByteString::try_from(value).map_err(|error| error.wanting::<Self>())?;
                Ok(text.into_owned().into())
            }
        }

        impl<'a> TryFrom<&$value<'a>> for $type {
            type Error = $crate::TypeError;

            fn try_from(value: &$value<'a>) -> Result<Self, $crate::TypeError> {
                <&bstr::BStr>::try_from(value).map(|text| text.to_vec().into()).map_err(|error| error.wanting::<Self>())
            }
        }
    )*};
    (@into $value:ident $name:ident: $($type:ty),*) => {$(
        impl<'a> From<$type> for $value<'a> {
            fn from(value: $type) -> Self {
                $value::$name($crate::wire::IntoByteString::into_byte_string(value))
            }
        }
    )*};
}
pub(crate) use text_conversions;

//! [`Bytes`] as keys and values.

use bytes::Bytes;

use crate::wire::{ByteString, IntoByteString};

/// Bytes are copied only if others share them, or if they are a part of more.
impl<'a> IntoByteString<'a> for Bytes {
    fn into_byte_string(self) -> ByteString<'a> {
        Vec::from(self).into_byte_string()
    }
}

impl<'a> IntoByteString<'a> for &'a Bytes {
    fn into_byte_string(self) -> ByteString<'a> {
        self[..].into_byte_string()
    }
}

/// The types that a vector of bytes, or a slice, can be a value of.
macro_rules! values {
    ($($game:literal $value:ty;)*) => {$(
        /// As a `Vec<u8>`. The bytes are copied only if others share them, or if they are a part of more.
        #[cfg(feature = $game)]
        impl<'a> From<Bytes> for $value {
            fn from(bytes: Bytes) -> Self {
                Vec::from(bytes).into()
            }
        }

        /// As a slice, which is borrowed.
        #[cfg(feature = $game)]
        impl<'a> From<&'a Bytes> for $value {
            fn from(bytes: &'a Bytes) -> Self {
                bytes[..].into()
            }
        }
    )*};
}

values! {
    "roblox" crate::roblox::attributes::Value<'a>;
    "roblox" crate::roblox::remote::Value<'a>;
    "godot" crate::godot::Variant<'a>;
    "scrap_mechanic" crate::scrap_mechanic::lua_object::LuaSaveData<'a>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn bytes_are_moved_or_borrowed() {
        let bytes = Bytes::from(b"Torch".to_vec());
        let place = bytes.as_ptr();
        let borrowed = (&bytes).into_byte_string();
        assert_eq!(borrowed.as_borrowed().map(|text| text.as_ptr()), Some(place));
        let owned = bytes.into_byte_string();
        assert_eq!(&**owned, b"Torch");
        assert_eq!((owned.as_borrowed(), owned.as_ptr()), (None, place));
    }

    #[test]
    #[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
    fn bytes_are_the_values_that_vectors_are() {
        use crate::roblox::{attributes, remote};
        use crate::scrap_mechanic::lua_object::LuaSaveData;

        let (bytes, vector) = (Bytes::from_static(b"\xff\0"), vec![0xff, 0]);
        assert_eq!(attributes::Value::from(bytes.clone()), vector.clone().into());
        assert_eq!(attributes::Value::from(&bytes), vector.clone().into());
        assert_eq!(remote::Value::from(bytes.clone()), vector.clone().into());
        assert_eq!(remote::Value::from(&bytes), vector.clone().into());
        assert_eq!(LuaSaveData::from(bytes.clone()), vector.clone().into());
        assert_eq!(LuaSaveData::from(&bytes), vector.clone().into());
        assert_eq!(crate::godot::Variant::from(bytes.clone()), vector.clone().into());
        assert_eq!(crate::godot::Variant::from(&bytes), vector.into());
    }
}

//! Values as base64, in the form of the engine's `Marshalls`.

use base64::prelude::{Engine, BASE64_STANDARD};
use base64::DecodeError as Wrong;
use thiserror::Error;

use crate::error::{DecodeError, EncodeError};
use crate::godot::options::Options;
use crate::godot::variant::Variant;

/// Why a text cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Base64Error {
    /// It is not base64.
    #[error("not base64 at character {position}")]
    Text {
        /// The index of the character at fault, counted from 0.
        position: usize,
    },
    /// Its bytes are not a value.
    #[error(transparent)]
    Value(#[from] DecodeError),
}

/// Decodes a text of `Marshalls.variant_to_base64`.
///
/// ```
/// use enginewire::godot::{from_base64, to_base64, Options, Variant, Version};
///
/// let options = Options::new(Version::V4);
/// assert_eq!(from_base64("AgAAACoAAAA=", &options)?, Variant::Int(42));
/// assert_eq!(to_base64(&Variant::Int(42), &options)?, "AgAAACoAAAA=");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the text is not base64, or as for [`decode_with`](super::decode_with).
pub fn from_base64(text: &str, options: &Options) -> Result<Variant<'static>, Base64Error> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|error| match error {
        Wrong::InvalidByte(position, _) | Wrong::InvalidLastSymbol(position, _) => Base64Error::Text { position },
        _ => Base64Error::Text { position: text.len() },
    })?;
    Ok(super::decode_with(&bytes, options)?.into_owned())
}

/// Encodes a value as a text for `Marshalls.base64_to_variant`.
///
/// # Errors
///
/// As for [`encode_with`](super::encode_with).
pub fn to_base64(value: &Variant<'_>, options: &Options) -> Result<String, EncodeError> {
    Ok(BASE64_STANDARD.encode(super::encode_with(value, options)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use pretty_assertions::assert_eq;

    const OPTIONS: Options = Options::new(Version::V3);

    #[test]
    fn errors_of_texts() {
        let error = |text| from_base64(text, &OPTIONS).unwrap_err().to_string();
        assert_eq!(error("AgAAACoAA*A="), "not base64 at character 9");
        assert_eq!(error("AgAAACoA"), "input ends too early: 4 bytes needed, 2 left, at byte 0x4 in int");
        let value: Variant<'_> = vec![Variant::Null, "text".into()].into();
        let text = to_base64(&value, &OPTIONS).unwrap();
        assert_eq!(from_base64(&text, &OPTIONS), Ok(value));
    }
}

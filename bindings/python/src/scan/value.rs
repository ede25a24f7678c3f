//! Values of attributes in the columns of their kind.

use enginewire::roblox::attributes::Value;
use enginewire::roblox::datatypes::CFrame;

use crate::fields::Variants;

/// The one number of a value.
pub fn number_of(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::BrickColor(color) => Some(f64::from(color.0)),
        Value::EnumItem(item) => Some(f64::from(item.value)),
        value => value.as_number(),
    }
}

/// The text of a value.
pub fn text_of<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::EnumItem(item) => item.enum_name.as_str(),
        Value::Font(font) => font.family.as_str(),
        value => value.as_str(),
    }
}

/// The bytes of a string that is not UTF-8.
pub fn bytes_of<'v>(value: &'v Value<'_>) -> Option<&'v [u8]> {
    match value {
        Value::String(bytes) if bytes.as_str().is_none() => Some(bytes),
        _ => None,
    }
}

/// The numbers of a value that has several, in the order of its fields.
pub fn numbers_of(value: &Value<'_>) -> Option<Vec<f64>> {
    match value {
        Value::BrickColor(_) | Value::EnumItem(_) | Value::Font(_) => None,
        Value::Faces(_) | Value::Axes(_) | Value::Ref(_) => None,
        Value::CFrame(CFrame { position, rotation }) => {
            let position = [position.x, position.y, position.z];
            Some(position.into_iter().chain(rotation.matrix()).map(f64::from).collect())
        }
        value => value.numbers(),
    }
}

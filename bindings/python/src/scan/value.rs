//! Values of attributes in the columns of their kind.

use enginewire::roblox::attributes::{TweenInfo, Value};
use enginewire::roblox::datatypes::{
    CFrame, Color3, ColorSequenceKeypoint, NumberSequenceKeypoint, UDim, Vector2, Vector3, Vector3int16,
};

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
    let mut numbers = Vec::new();
    match value {
        Value::UDim(value) => value.add_to(&mut numbers),
        Value::UDim2(value) => [value.x, value.y].add_to(&mut numbers),
        Value::Ray(value) => [value.origin, value.direction].add_to(&mut numbers),
        Value::Color3(value) => value.add_to(&mut numbers),
        Value::Vector2(value) => value.add_to(&mut numbers),
        Value::Vector3(value) => value.add_to(&mut numbers),
        Value::Vector2int16(value) => [value.x, value.y].add_to(&mut numbers),
        Value::Vector3int16(value) => value.add_to(&mut numbers),
        Value::CFrame(value) => value.add_to(&mut numbers),
        Value::NumberSequence(value) => value.iter().for_each(|keypoint| keypoint.add_to(&mut numbers)),
        Value::NumberSequenceKeypoint(value) => value.add_to(&mut numbers),
        Value::ColorSequence(value) => value.iter().for_each(|keypoint| keypoint.add_to(&mut numbers)),
        Value::ColorSequenceKeypoint(value) => value.add_to(&mut numbers),
        Value::NumberRange(value) => [value.min, value.max].add_to(&mut numbers),
        Value::Rect(value) => [value.min, value.max].add_to(&mut numbers),
        Value::Region3(value) => [value.min, value.max].add_to(&mut numbers),
        Value::Region3int16(value) => [value.min, value.max].add_to(&mut numbers),
        Value::TweenInfo(value) => value.add_to(&mut numbers),
        _ => return None,
    }
    Some(numbers)
}

/// What consists of numbers.
trait Numbers {
    fn add_to(&self, numbers: &mut Vec<f64>);
}

impl<N: Numbers, const COUNT: usize> Numbers for [N; COUNT] {
    fn add_to(&self, numbers: &mut Vec<f64>) {
        self.iter().for_each(|part| part.add_to(numbers));
    }
}

macro_rules! numbers {
    ($($type:ty: $($field:ident)*;)*) => {$(
        impl Numbers for $type {
            fn add_to(&self, numbers: &mut Vec<f64>) {
                $(self.$field.add_to(numbers);)*
            }
        }
    )*};
    (of $($type:ty)*) => {$(
        impl Numbers for $type {
            fn add_to(&self, numbers: &mut Vec<f64>) {
                numbers.push(f64::from(*self));
            }
        }
    )*};
}

numbers!(of i16 i32 u32 f32);

numbers! {
    UDim: scale offset;
    Color3: r g b;
    Vector2: x y;
    Vector3: x y z;
    Vector3int16: x y z;
    NumberSequenceKeypoint: envelope time value;
    ColorSequenceKeypoint: envelope time value;
    TweenInfo: time delay repeat_count easing_style easing_direction;
}

impl Numbers for CFrame {
    fn add_to(&self, numbers: &mut Vec<f64>) {
        self.position.add_to(numbers);
        self.rotation.matrix().add_to(numbers);
    }
}

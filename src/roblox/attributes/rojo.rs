//! The JSON form of Rojo.

use std::collections::HashSet;
use std::fmt;

use bstr::{BStr, ByteSlice};
use data_encoding::BASE64;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Attributes, Entry, EnumItem, Font, Value};
use crate::formats::{Step, ValuePath};
use crate::json::{self, JsonError};
use crate::member::float::{Finite, Float};
use crate::member::Name;
use crate::roblox::datatypes::*;
use crate::wire::{IntoByteString, List};

/// A number as Rojo has it.
type Real = Finite<f32>;

/// A value under the name that Rojo has for its type: `{"Float64": 100.0}`.
///
/// Specification: `docs/spec/json.md`, section Rojo.
#[derive(Serialize, Deserialize)]
enum Variant {
    BinaryString(Base64),
    Bool(bool),
    BrickColor(u32),
    CFrame(Placed),
    Color3([Real; 3]),
    ColorSequence(Keypoints<ColorKeypoint>),
    EnumItem(Item),
    Float32(Real),
    Float64(Finite<f64>),
    Font(Face),
    Int32(i32),
    NumberRange([Real; 2]),
    NumberSequence(Keypoints<NumberKeypoint>),
    Rect([[Real; 2]; 2]),
    String(String),
    UDim((Real, i32)),
    UDim2([(Real, i32); 2]),
    Vector2([Real; 2]),
    Vector3([Real; 3]),
}

/// Bytes in base64.
struct Base64(Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    position: [Real; 3],
    orientation: [[Real; 3]; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keypoints<K> {
    keypoints: Vec<K>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberKeypoint {
    time: Real,
    value: Real,
    envelope: Real,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColorKeypoint {
    time: Real,
    color: [Real; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(rename = "type")]
    enum_name: String,
    value: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Face {
    family: String,
    weight: Weight,
    style: Style,
    #[serde(default)]
    cached_face_id: Option<String>,
}

/// The names that Rojo has for numbers.
macro_rules! named_numbers {
    ($name:ident($number:ident) { $($variant:ident = $value:literal)* }) => {
        #[derive(Clone, Copy, Serialize, Deserialize)]
        enum $name {
            $($variant,)*
        }

        impl $name {
            fn of(number: $number) -> Option<Self> {
                match number {
                    $($value => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn number(self) -> $number {
                match self {
                    $($name::$variant => $value,)*
                }
            }
        }
    };
}

named_numbers! {
    Weight(u16) {
        Thin = 100 ExtraLight = 200 Light = 300 Regular = 400 Medium = 500 SemiBold = 600 Bold = 700 ExtraBold = 800
        Heavy = 900
    }
}
named_numbers! { Style(u8) { Normal = 0 Italic = 1 } }

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64.decode(text.as_bytes()).map(Base64).map_err(|error| D::Error::custom(format_args!("no base64: {error}")))
    }
}

/// A number that JSON can say.
fn real<T: Float + fmt::Debug>(number: T) -> Result<Finite<T>, Option<String>> {
    Finite::of(number).ok_or_else(|| Some(format!("the number {number:?}")))
}

fn reals<const N: usize>(numbers: [f32; N]) -> Result<[Real; N], Option<String>> {
    let mut found = [Finite::default(); N];
    for (place, number) in found.iter_mut().zip(numbers) {
        *place = real(number)?;
    }
    Ok(found)
}

fn udim(UDim { scale, offset }: UDim) -> Result<(Real, i32), Option<String>> {
    Ok((real(scale)?, offset))
}

fn text(bytes: &[u8]) -> Result<String, Option<String>> {
    let lacks = |_| Some(format!("the text {:?}, which is not UTF-8,", BStr::new(bytes)));
    bytes.to_str().map(str::to_owned).map_err(lacks)
}

fn keypoints<T: crate::wire::Packed, K>(
    list: &List<'_, T>,
    keypoint: impl Fn(T) -> Result<K, Option<String>>,
) -> Result<Keypoints<K>, Option<String>> {
    Ok(Keypoints { keypoints: list.iter().map(keypoint).collect::<Result<_, _>>()? })
}

impl Variant {
    /// The value as Rojo has it, or what of it Rojo lacks: the type, if nothing is named.
    fn of(value: &Value<'_>) -> Result<Self, Option<String>> {
        Ok(match value {
            Value::String(bytes) => match bytes.to_str() {
                Ok(text) => Variant::String(text.to_owned()),
                Err(_) => Variant::BinaryString(Base64(bytes.to_vec())),
            },
            Value::Bool(value) => Variant::Bool(*value),
            Value::Int(number) => Variant::Int32(*number),
            Value::Float(number) => Variant::Float32(real(*number)?),
            Value::Double(number) => Variant::Float64(real(*number)?),
            Value::UDim(value) => Variant::UDim(udim(*value)?),
            Value::UDim2(UDim2 { x, y }) => Variant::UDim2([udim(*x)?, udim(*y)?]),
            Value::BrickColor(color) if color.is_known() => Variant::BrickColor(color.0),
            Value::BrickColor(BrickColor(number)) => return Err(Some(format!("the number {number}"))),
            Value::Color3(Color3 { r, g, b }) => Variant::Color3(reals([*r, *g, *b])?),
            Value::Vector2(Vector2 { x, y }) => Variant::Vector2(reals([*x, *y])?),
            Value::Vector3(Vector3 { x, y, z }) => Variant::Vector3(reals([*x, *y, *z])?),
            Value::CFrame(cframe) => {
                let CFrame { position: Vector3 { x, y, z }, rotation } = *cframe;
                let matrix = match rotation {
                    // without the zeros that are negative
                    Rotation::Aligned(id) => id.matrix().map(|number| number + 0.0),
                    Rotation::Matrix(matrix) => matrix,
                };
                let [a, b, c, d, e, f, g, h, i] = reals(matrix)?;
                Variant::CFrame(Placed { position: reals([x, y, z])?, orientation: [[a, b, c], [d, e, f], [g, h, i]] })
            }
            Value::EnumItem(EnumItem { enum_name, value }) => {
                Variant::EnumItem(Item { enum_name: text(enum_name)?, value: *value })
            }
            Value::NumberSequence(list) => Variant::NumberSequence(keypoints(list, |keypoint| {
                let NumberSequenceKeypoint { envelope, time, value } = keypoint;
                Ok(NumberKeypoint { time: real(time)?, value: real(value)?, envelope: real(envelope)? })
            })?),
            Value::ColorSequence(list) => Variant::ColorSequence(keypoints(list, |keypoint| {
                let ColorSequenceKeypoint { envelope, time, value: Color3 { r, g, b } } = keypoint;
                if envelope.to_bits() != 0 {
                    return Err(Some(format!("the envelope {envelope:?}")));
                }
                Ok(ColorKeypoint { time: real(time)?, color: reals([r, g, b])? })
            })?),
            Value::NumberRange(NumberRange { min, max }) => Variant::NumberRange(reals([*min, *max])?),
            Value::Rect(Rect { min, max }) => Variant::Rect([reals([min.x, min.y])?, reals([max.x, max.y])?]),
            Value::Font(font) => Variant::Font(Face {
                family: text(&font.family)?,
                weight: Weight::of(font.weight).ok_or_else(|| Some(format!("the weight {}", font.weight)))?,
                style: Style::of(font.style).ok_or_else(|| Some(format!("the style {}", font.style)))?,
                cached_face_id: (!font.cached_face_id.is_empty()).then(|| text(&font.cached_face_id)).transpose()?,
            }),
            _ => return Err(None),
        })
    }

    fn value<E: serde::de::Error>(self) -> Result<Value<'static>, E> {
        let udim = |(scale, offset): (Real, i32)| UDim { scale: scale.number(), offset };
        let vector2 = |[x, y]: [Real; 2]| Vector2 { x: x.number(), y: y.number() };
        let vector3 = |[x, y, z]: [Real; 3]| Vector3 { x: x.number(), y: y.number(), z: z.number() };
        let color3 = |[r, g, b]: [Real; 3]| Color3 { r: r.number(), g: g.number(), b: b.number() };
        Ok(match self {
            Variant::BinaryString(Base64(bytes)) => bytes.into(),
            Variant::String(text) => text.into(),
            Variant::Bool(value) => value.into(),
            Variant::Int32(number) => number.into(),
            Variant::Float32(number) => number.number().into(),
            Variant::Float64(number) => number.number().into(),
            Variant::UDim(value) => udim(value).into(),
            Variant::UDim2([x, y]) => UDim2 { x: udim(x), y: udim(y) }.into(),
            Variant::BrickColor(number) if BrickColor(number).is_known() => BrickColor(number).into(),
            Variant::BrickColor(number) => return Err(E::custom(format_args!("there is no BrickColor {number}"))),
            Variant::Color3(color) => color3(color).into(),
            Variant::Vector2(vector) => vector2(vector).into(),
            Variant::Vector3(vector) => vector3(vector).into(),
            Variant::CFrame(Placed { position, orientation: [[a, b, c], [d, e, f], [g, h, i]] }) => {
                let matrix = [a, b, c, d, e, f, g, h, i].map(Finite::number);
                // zeros of either sign are equal, as in Rojo
                let rotation = RotationId::from_matrix(&matrix).map_or(Rotation::Matrix(matrix), Rotation::Aligned);
                CFrame { position: vector3(position), rotation }.into()
            }
            Variant::EnumItem(Item { enum_name, value }) => {
                EnumItem { enum_name: enum_name.into_byte_string(), value }.into()
            }
            Variant::NumberSequence(Keypoints { keypoints }) => {
                let keypoint = |NumberKeypoint { time, value, envelope }| NumberSequenceKeypoint {
                    envelope: Finite::number(envelope),
                    time: Finite::number(time),
                    value: Finite::number(value),
                };
                keypoints.into_iter().map(keypoint).collect::<List<'_, _>>().into()
            }
            Variant::ColorSequence(Keypoints { keypoints }) => {
                let keypoint = |ColorKeypoint { time, color }| ColorSequenceKeypoint {
                    envelope: 0.0,
                    time: Finite::number(time),
                    value: color3(color),
                };
                keypoints.into_iter().map(keypoint).collect::<List<'_, _>>().into()
            }
            Variant::NumberRange([min, max]) => NumberRange { min: min.number(), max: max.number() }.into(),
            Variant::Rect([min, max]) => Rect { min: vector2(min), max: vector2(max) }.into(),
            Variant::Font(Face { family, weight, style, cached_face_id }) => Font {
                weight: weight.number(),
                style: style.number(),
                family: family.into_byte_string(),
                cached_face_id: cached_face_id.unwrap_or_default().into_byte_string(),
            }
            .into(),
        })
    }
}

/// All attributes by their names, in their order.
struct Document(Vec<(String, Variant)>);

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Attributes that are read.
struct ReadDocument(Attributes<'static>);

impl<'de> Deserialize<'de> for ReadDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;

        impl<'de> Visitor<'de> for Names {
            type Value = Attributes<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"an object of attributes, such as {"Health": {"Float64": 100}}"#)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut entries, mut seen) = (Vec::new(), HashSet::new());
                while let Some(key) = map.next_key::<String>()? {
                    let ReadValue(value) = map.next_value()?;
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom(format_args!("the attribute {key:?} is there twice")));
                    }
                    entries.push(Entry::new(key, value));
                }
                Ok(entries.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Names).map(ReadDocument)
    }
}

/// A value that is read: with its type, or alone where that shows its type.
struct ReadValue(Value<'static>);

impl<'de> Deserialize<'de> for ReadValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Typed;

        impl<'de> Visitor<'de> for Typed {
            type Value = Value<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    r#"a value with its type such as {"Vector3": [1, 2, 3]}, or true, false, a number or a text"#,
                )
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(value.into())
            }

            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(number.into())
            }

            #[allow(clippy::as_conversions)] // to the nearest number, as a fraction would be
            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok((number as f64).into())
            }

            #[allow(clippy::as_conversions)] // to the nearest number, as a fraction would be
            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok((number as f64).into())
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(text.to_owned().into())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let value = Variant::deserialize(MapAccessDeserializer::new(&mut map))?;
                match map.next_key::<Name<'_>>()? {
                    None => value.value(),
                    Some(other) => {
                        Err(A::Error::custom(format_args!("a value has one type, but here is `{other}` too")))
                    }
                }
            }
        }
        deserializer.deserialize_any(Typed).map(ReadValue)
    }
}

/// How deep objects and lists may nest: a keypoint of a sequence has a colour.
const LEVELS: usize = 8;

impl Attributes<'_> {
    /// The attributes in the form that projects and models of [Rojo](https://rojo.space) have them, and `rbx_types` with serde:
    /// `{"Health": {"Float64": 100.0}}`. They stay in their order.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Attributes;
    /// use enginewire::roblox::datatypes::Vector3;
    ///
    /// let mut attributes = Attributes::new();
    /// attributes.insert("Health", 100.0);
    /// attributes.insert("Spawn", Vector3 { x: 1.0, y: 2.0, z: 3.0 });
    /// let text = serde_json::to_string(&attributes.to_rojo()?)?;
    /// assert_eq!(text, r#"{"Health":{"Float64":100.0},"Spawn":{"Vector3":[1.0,2.0,3.0]}}"#);
    /// assert_eq!(Attributes::from_rojo(text.as_bytes())?, attributes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If Rojo has no form for an attribute: for its type, a number that is not finite, a colour or font without a name, text that
    /// is not UTF-8 where Rojo wants text, the envelope of a colour, or a name that is there twice.
    pub fn to_rojo(&self) -> Result<impl Serialize, JsonError> {
        let mut seen = HashSet::new();
        let variant = |Entry { key, value }: &Entry<'_>| {
            let failed = |reason| JsonError::new(ValuePath(vec![Step::key(key.as_bytes())]).to_string(), reason);
            let name =
                key.to_str().map_err(|_| failed("the name is not UTF-8, and Rojo has no form for that".to_owned()))?;
            let type_name = value.type_id().name();
            let value = Variant::of(value).map_err(|what| match what {
                Some(what) => failed(format!("Rojo has no form for {what} in an attribute of the type {type_name}")),
                None => failed(format!("Rojo has no attributes of the type {type_name}")),
            })?;
            match seen.insert(name.to_owned()) {
                true => Ok((name.to_owned(), value)),
                false => Err(failed("another attribute has this name, and Rojo has no form for that".to_owned())),
            }
        };
        self.iter().map(variant).collect::<Result<_, _>>().map(Document)
    }

    /// Reads what [`to_rojo`](Self::to_rojo) writes. As in Rojo, `true` and `false` are a Bool, a number is a Double and a text is a
    /// String where no type is named. A rotation that has an id gets it.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, an attribute has no type or one that Rojo has not for attributes, a value is not one of its type, or
    /// a name is there twice.
    pub fn from_rojo(text: &[u8]) -> Result<Attributes<'static>, JsonError> {
        json::read(text, LEVELS).map(|ReadDocument(attributes)| attributes)
    }

    /// The form of [`to_rojo`](Self::to_rojo) as a value of `serde_json`, to be put into a project or model.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Attributes;
    /// use enginewire::roblox::datatypes::{UDim, UDim2};
    ///
    /// let size = UDim2 { x: UDim { scale: 1.0, offset: 0 }, y: UDim { scale: 0.0, offset: 48 } };
    /// let attributes: Attributes<'_> = [("Size", size)].into_iter().collect();
    /// let model = serde_json::json!({"className": "Frame", "attributes": attributes.to_rojo_json()?});
    /// assert_eq!(model["attributes"]["Size"], serde_json::json!({"UDim2": [[1.0, 0], [0.0, 48]]}));
    /// # Ok::<(), enginewire::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`to_rojo`](Self::to_rojo).
    pub fn to_rojo_json(&self) -> Result<serde_json::Value, JsonError> {
        json::value_of(&self.to_rojo()?).map_err(|error| JsonError::new(String::new(), error.to_string()))
    }

    /// Reads what [`to_rojo_json`](Self::to_rojo_json) gives, as [`from_rojo`](Self::from_rojo) does. The order is that of the
    /// members in a `serde_json::Map`.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Attributes, Value};
    ///
    /// let model = serde_json::json!({"className": "Frame", "attributes": {"Fuel": 42, "Level": {"Int32": 7}}});
    /// let attributes = Attributes::from_rojo_json(&model["attributes"])?;
    /// assert_eq!(attributes.get("Fuel"), Some(&Value::Double(42.0)));
    /// assert_eq!(attributes.get("Level"), Some(&Value::Int(7)));
    /// # Ok::<(), enginewire::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`from_rojo`](Self::from_rojo).
    pub fn from_rojo_json(json: &serde_json::Value) -> Result<Attributes<'static>, JsonError> {
        json::of_value(json, LEVELS).map(|ReadDocument(attributes)| attributes)
    }
}

//! The JSON form of Rojo.

use std::collections::HashSet;
use std::fmt;

use base64::prelude::{Engine, BASE64_STANDARD};
use bstr::{BStr, ByteSlice};
use serde::{Serialize, Serializer};

use super::{Attributes, Entry, EnumItem, Font, Value};
use crate::dynamic::{Step, ValuePath};
use crate::json::{self, Input};
use crate::member::float::{nearest, Finite, Float};
use crate::member::{field, Given, Items, Member, Mismatch};
use crate::roblox::datatypes::*;
use crate::wire::{IntoByteString, List};
use crate::TextError;

/// A value in the form used by Rojo.
///
/// Specification: `docs/spec/json.md`, section Rojo.
enum Form {
    Bool(bool),
    Integer(i64),
    Single(Finite<f32>),
    Double(Finite<f64>),
    /// Null if none.
    Text(Option<String>),
    List(Vec<Form>),
    Object(Vec<(&'static str, Form)>),
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Form::Bool(value) => serializer.serialize_bool(*value),
            Form::Integer(number) => serializer.serialize_i64(*number),
            Form::Single(number) => number.serialize(serializer),
            Form::Double(number) => number.serialize(serializer),
            Form::Text(text) => text.serialize(serializer),
            Form::List(items) => items.serialize(serializer),
            Form::Object(members) => serializer.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// Numbers, and the names that Rojo has for them.
type Names<N> = (&'static [N], &'static [&'static str]);

const WEIGHTS: Names<u16> = (
    &[100, 200, 300, 400, 500, 600, 700, 800, 900],
    &["Thin", "ExtraLight", "Light", "Regular", "Medium", "SemiBold", "Bold", "ExtraBold", "Heavy"],
);

const STYLES: Names<u8> = (&[0, 1], &["Normal", "Italic"]);

fn named<N: PartialEq + fmt::Display>(what: &str, number: N, (numbers, names): Names<N>) -> Result<Form, Lacks> {
    let name = numbers.iter().position(|known| *known == number).and_then(|place| names.get(place));
    name.map(|name| Form::Text(Some((*name).to_owned()))).ok_or_else(|| Some(format!("the {what} {number}")))
}

fn take_named<N: Copy>(given: Given<'_>, (numbers, names): Names<N>) -> Result<N, Mismatch> {
    let place = given.name_of(names)?;
    numbers.get(place).copied().ok_or_else(|| given.custom("there is no such name"))
}

/// The part of a value that Rojo cannot represent; `None` means its type.
type Lacks = Option<String>;

/// A number that JSON can represent.
fn finite<T: Float>(number: T) -> Result<Finite<T>, Lacks> {
    Finite::of(number).ok_or_else(|| Some(format!("the number {number:?}")))
}

fn single(number: f32) -> Result<Form, Lacks> {
    finite(number).map(Form::Single)
}

fn reals<const N: usize>(numbers: [f32; N]) -> Result<Form, Lacks> {
    numbers.into_iter().map(single).collect::<Result<_, _>>().map(Form::List)
}

fn udim(UDim { scale, offset }: UDim) -> Result<Form, Lacks> {
    Ok(Form::List(vec![single(scale)?, Form::Integer(offset.into())]))
}

fn text(bytes: &[u8]) -> Result<Form, Lacks> {
    let lacks = |_| Some(format!("the text {:?}, which is not UTF-8,", BStr::new(bytes)));
    bytes.to_str().map(|text| Form::Text(Some(text.to_owned()))).map_err(lacks)
}

fn keypoints<T: crate::wire::Packed>(
    list: &List<'_, T>,
    keypoint: impl Fn(T) -> Result<Vec<(&'static str, Form)>, Lacks>,
) -> Result<Form, Lacks> {
    let keypoints = list.iter().map(|one| keypoint(one).map(Form::Object)).collect::<Result<_, _>>()?;
    Ok(Form::Object(vec![("keypoints", Form::List(keypoints))]))
}

/// The name that Rojo has for the type of a value, and the value.
fn form_of(value: &Value<'_>) -> Result<(&'static str, Form), Lacks> {
    Ok(match value {
        Value::String(bytes) => match bytes.to_str() {
            Ok(text) => ("String", Form::Text(Some(text.to_owned()))),
            Err(_) => ("BinaryString", Form::Text(Some(BASE64_STANDARD.encode(bytes)))),
        },
        Value::Bool(value) => ("Bool", Form::Bool(*value)),
        Value::Int(number) => ("Int32", Form::Integer((*number).into())),
        Value::Float(number) => ("Float32", single(*number)?),
        Value::Double(number) => ("Float64", Form::Double(finite(*number)?)),
        Value::UDim(value) => ("UDim", udim(*value)?),
        Value::UDim2(UDim2 { x, y }) => ("UDim2", Form::List(vec![udim(*x)?, udim(*y)?])),
        Value::BrickColor(color) if color.is_known() => ("BrickColor", Form::Integer(color.0.into())),
        Value::BrickColor(BrickColor(number)) => return Err(Some(format!("the number {number}"))),
        Value::Color3(Color3 { r, g, b }) => ("Color3", reals([*r, *g, *b])?),
        Value::Vector2(Vector2 { x, y }) => ("Vector2", reals([*x, *y])?),
        Value::Vector3(Vector3 { x, y, z }) => ("Vector3", reals([*x, *y, *z])?),
        Value::CFrame(cframe) => {
            let CFrame { position: Vector3 { x, y, z }, rotation } = *cframe;
            let matrix = match rotation {
                // without the zeros that are negative
                Rotation::Aligned(id) => id.matrix().map(|number| number + 0.0),
                Rotation::Matrix(matrix) => matrix,
            };
            let [a, b, c, d, e, f, g, h, i] = matrix;
            let rows = [[a, b, c], [d, e, f], [g, h, i]].into_iter().map(reals).collect::<Result<_, _>>()?;
            ("CFrame", Form::Object(vec![("position", reals([x, y, z])?), ("orientation", Form::List(rows))]))
        }
        Value::EnumItem(EnumItem { enum_name, value }) => {
            let members = vec![("type", text(enum_name)?), ("value", Form::Integer((*value).into()))];
            ("EnumItem", Form::Object(members))
        }
        Value::NumberSequence(list) => {
            let keypoint = |keypoint| {
                let NumberSequenceKeypoint { envelope, time, value } = keypoint;
                Ok(vec![("time", single(time)?), ("value", single(value)?), ("envelope", single(envelope)?)])
            };
            ("NumberSequence", keypoints(list, keypoint)?)
        }
        Value::ColorSequence(list) => {
            let keypoint = |keypoint| {
                let ColorSequenceKeypoint { envelope, time, value: Color3 { r, g, b } } = keypoint;
                if envelope.to_bits() != 0 {
                    return Err(Some(format!("the envelope {envelope:?}")));
                }
                Ok(vec![("time", single(time)?), ("color", reals([r, g, b])?)])
            };
            ("ColorSequence", keypoints(list, keypoint)?)
        }
        Value::NumberRange(NumberRange { min, max }) => ("NumberRange", reals([*min, *max])?),
        Value::Rect(Rect { min, max }) => ("Rect", Form::List(vec![reals([min.x, min.y])?, reals([max.x, max.y])?])),
        Value::Font(font) => {
            let cached = !font.cached_face_id.is_empty();
            let members = vec![
                ("family", text(&font.family)?),
                ("weight", named("weight", font.weight, WEIGHTS)?),
                ("style", named("style", font.style, STYLES)?),
                ("cachedFaceId", if cached { text(&font.cached_face_id)? } else { Form::Text(None) }),
            ];
            ("Font", Form::Object(members))
        }
        _ => return Err(None),
    })
}

/// A value that is read: with its type, or alone where that shows its type.
fn take_value(given: Given<'_>) -> Result<Value<'static>, Mismatch> {
    if let Some(number) = given.number() {
        return Ok(number.into());
    }
    if let Some(text) = given.as_text() {
        return Ok(text.to_owned().into());
    }
    if let Ok(value) = given.bool() {
        return Ok(value.into());
    }
    let mut members =
        given.members(r#"a value with its type such as {"Vector3": [1, 2, 3]}, or true, false, a number or a text"#)?;
    let Some((name, value)) = members.next() else { return Err(given.invalid_type("a type and its value")) };
    let read = take_typed(name, value)?;
    match members.next() {
        None => Ok(read),
        Some((other, _)) => {
            let other = other.text()?;
            Err(given.custom(format_args!("a value has one type, but here is `{other}` too")))
        }
    }
}

/// A value of the type with this name.
fn take_typed(name: Given<'_>, given: Given<'_>) -> Result<Value<'static>, Mismatch> {
    const NAMES: &[&str] = &[
        "BinaryString",
        "Bool",
        "BrickColor",
        "CFrame",
        "Color3",
        "ColorSequence",
        "EnumItem",
        "Float32",
        "Float64",
        "Font",
        "Int32",
        "NumberRange",
        "NumberSequence",
        "Rect",
        "String",
        "UDim",
        "UDim2",
        "Vector2",
        "Vector3",
    ];
    name.name_of(NAMES)?;
    Ok(match name.text()? {
        "BinaryString" => {
            let bytes = BASE64_STANDARD.decode(given.text()?);
            bytes.map_err(|_| given.invalid_value("base64"))?.into()
        }
        "Bool" => given.bool()?.into(),
        "BrickColor" => match BrickColor(u32::take(given)?) {
            color if color.is_known() => color.into(),
            BrickColor(number) => return Err(given.custom(format_args!("unknown BrickColor {number}")).around()),
        },
        "CFrame" => {
            let [position, orientation] = given.structure("", &["position", "orientation"])?;
            let position = vector3(position.ok_or_else(|| given.missing("position"))?)?;
            let rows = orientation.ok_or_else(|| given.missing("orientation"))?.array::<3>()?;
            let mut matrix = Vec::with_capacity(9);
            for row in rows {
                matrix.extend(taken::<3>(row)?);
            }
            let matrix = matrix.try_into().unwrap_or_default();
            // zeros of either sign are equal, as in Rojo
            let rotation = RotationId::from_matrix(&matrix).map_or(Rotation::Matrix(matrix), Rotation::Aligned);
            CFrame { position, rotation }.into()
        }
        "Color3" => color3(given)?.into(),
        "ColorSequence" => {
            let keypoint = |given: Given<'_>| {
                let [time, color] = given.structure("", &["time", "color"])?;
                let time = take_real(time.ok_or_else(|| given.missing("time"))?)?;
                let value = color3(color.ok_or_else(|| given.missing("color"))?)?;
                Ok(ColorSequenceKeypoint { envelope: 0.0, time, value })
            };
            keypoints_of(given)?.map(keypoint).collect::<Result<List<'_, _>, _>>()?.into()
        }
        "EnumItem" => {
            let [enum_name, value] = given.structure("", &["type", "value"])?;
            let enum_name = enum_name.ok_or_else(|| given.missing("type"))?.text()?.to_owned().into_byte_string();
            EnumItem { enum_name, value: field(given, "value", value)? }.into()
        }
        "Float32" => take_real::<f32>(given)?.into(),
        "Float64" => take_real::<f64>(given)?.into(),
        "Font" => {
            let names = &["family", "weight", "style", "cachedFaceId"];
            let [family, weight, style, cached_face_id] = given.structure("", names)?;
            let family = family.ok_or_else(|| given.missing("family"))?.text()?;
            let cached = cached_face_id.filter(|id| !id.is_null()).map_or(Ok(""), Given::text)?;
            Font {
                weight: take_named(weight.ok_or_else(|| given.missing("weight"))?, WEIGHTS)?,
                style: take_named(style.ok_or_else(|| given.missing("style"))?, STYLES)?,
                family: family.to_owned().into_byte_string(),
                cached_face_id: cached.to_owned().into_byte_string(),
            }
            .into()
        }
        "Int32" => i32::take(given)?.into(),
        "NumberRange" => {
            let [min, max] = taken(given)?;
            NumberRange { min, max }.into()
        }
        "NumberSequence" => {
            let keypoint = |given: Given<'_>| {
                let names = &["time", "value", "envelope"];
                let [time, value, envelope] = given.structure("", names)?;
                Ok(NumberSequenceKeypoint {
                    time: take_real(time.ok_or_else(|| given.missing("time"))?)?,
                    value: take_real(value.ok_or_else(|| given.missing("value"))?)?,
                    envelope: take_real(envelope.ok_or_else(|| given.missing("envelope"))?)?,
                })
            };
            keypoints_of(given)?.map(keypoint).collect::<Result<List<'_, _>, _>>()?.into()
        }
        "Rect" => {
            let [min, max] = given.array()?;
            Rect { min: vector2(min)?, max: vector2(max)? }.into()
        }
        "UDim" => take_udim(given)?.into(),
        "UDim2" => {
            let [x, y] = given.array()?;
            UDim2 { x: take_udim(x)?, y: take_udim(y)? }.into()
        }
        "Vector2" => vector2(given)?.into(),
        "Vector3" => vector3(given)?.into(),
        _ => given.text()?.to_owned().into(),
    })
}

fn take_real<T: Float>(given: Given<'_>) -> Result<T, Mismatch> {
    let number = given.number().ok_or_else(|| given.invalid_type("f64"))?;
    nearest(number).ok_or_else(|| given.unfit("f32", "a number of 32 bits"))
}

fn taken<const N: usize>(given: Given<'_>) -> Result<[f32; N], Mismatch> {
    let mut numbers = [0.0; N];
    for (place, item) in numbers.iter_mut().zip(given.array::<N>()?) {
        *place = take_real(item)?;
    }
    Ok(numbers)
}

fn vector2(given: Given<'_>) -> Result<Vector2, Mismatch> {
    taken(given).map(Vector2::from)
}

fn vector3(given: Given<'_>) -> Result<Vector3, Mismatch> {
    taken(given).map(Vector3::from)
}

fn color3(given: Given<'_>) -> Result<Color3, Mismatch> {
    taken(given).map(|[r, g, b]| Color3 { r, g, b })
}

fn take_udim(given: Given<'_>) -> Result<UDim, Mismatch> {
    let [scale, offset] = given.array()?;
    Ok(UDim { scale: take_real(scale)?, offset: Member::take(offset)? })
}

fn keypoints_of(given: Given<'_>) -> Result<Items<'_>, Mismatch> {
    let [keypoints] = given.structure("", &["keypoints"])?;
    keypoints.ok_or_else(|| given.missing("keypoints"))?.items("a sequence")
}

/// All attributes by their names, in their order: each with the name of its type.
struct Document(Vec<(String, (&'static str, Form))>);

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, Named(value))))
    }
}

/// A value in an object, by the name of its type.
struct Named<'f>(&'f (&'static str, Form));

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0 .0, &self.0 .1)])
    }
}

/// Attributes that are read.
fn take(given: Given<'_>) -> Result<Attributes<'static>, Mismatch> {
    let (mut entries, mut seen) = (Vec::new(), HashSet::new());
    for (key, value) in given.members(r#"an object of attributes, such as {"Health": {"Float64": 100}}"#)? {
        let (name, read) = (key.text()?, take_value(value)?);
        if !seen.insert(name) {
            return Err(given.custom(format_args!("the attribute {name:?} is there twice")));
        }
        entries.push(Entry::new(name.to_owned(), read));
    }
    Ok(entries.into_iter().collect())
}

/// The deepest nesting of objects and lists: a keypoint of a sequence has a colour.
const LEVELS: usize = 8;

impl Attributes<'_> {
    /// The attributes in the form used by projects and models of [Rojo](https://rojo.space), and by `rbx_types` with serde:
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
    pub fn to_rojo(&self) -> Result<impl Serialize, TextError> {
        let mut seen = HashSet::new();
        let variant = |Entry { key, value }: &Entry<'_>| {
            let failed = |reason| TextError::new(reason).inside(ValuePath(vec![Step::key(key.as_bytes())]));
            let name =
                key.to_str().map_err(|_| failed("the name is not UTF-8, and Rojo has no form for that".to_owned()))?;
            let type_name = value.type_id().name();
            let value = form_of(value).map_err(|what| match what {
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

    /// Reads the output of [`to_rojo`](Self::to_rojo). As in Rojo, `true` and `false` are a Bool, a number is a Double and a text
    /// is a String where no type is named. A rotation that has an id gets it.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, an attribute has no type or one that Rojo does not use for attributes, a value does not match its
    /// type, or a name appears twice.
    pub fn from_rojo(text: &[u8]) -> Result<Attributes<'static>, TextError> {
        json::take(Input::Text(text), LEVELS, take)
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
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`to_rojo`](Self::to_rojo).
    pub fn to_rojo_json(&self) -> Result<serde_json::Value, TextError> {
        // by way of its text, for only there are numbers of 32 bits as short as they can be
        let value = serde_json::to_string(&self.to_rojo()?).and_then(|text| serde_json::from_str(&text));
        value.map_err(|error| TextError::new(error.to_string()))
    }

    /// Reads the output of [`to_rojo_json`](Self::to_rojo_json), like [`from_rojo`](Self::from_rojo). The order is that of the
    /// members in a `serde_json::Map`.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Attributes, Value};
    ///
    /// let model = serde_json::json!({"className": "Frame", "attributes": {"Fuel": 42, "Level": {"Int32": 7}}});
    /// let attributes = Attributes::from_rojo_json(&model["attributes"])?;
    /// assert_eq!(attributes.get("Fuel"), Some(&Value::Double(42.0)));
    /// assert_eq!(attributes.get("Level"), Some(&Value::Int(7)));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`from_rojo`](Self::from_rojo).
    pub fn from_rojo_json(json: &serde_json::Value) -> Result<Attributes<'static>, TextError> {
        json::limit_depth(json, LEVELS)?;
        json::take_value(json, take)
    }
}

//! `enginewire.attributes`: Roblox attributes.

use enginewire::roblox::attributes::{self, gen_string, gen_value, Attributes, Empty, Entry, Options, Value};
use enginewire::roblox::datatypes;
use enginewire::wire::{gen_length, generate_into, ByteString, Le, Limited, ValueVec};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyTuple};

use crate::direct::{write_entries, Bytes, Direct};
use crate::errors::{encode_error, no_class, refused};
use crate::fields::{
    argument, classes, either, object, record, shown_integer, text, text_bytes, through, to_integer, value_error,
    vector, wrapper, Field, Keys, Of, Real, Variants,
};
use crate::functions::functions;
use crate::mapping::{
    as_entries, entries_of, entries_of_mapping, list_of, mapping_of, Class, Level, Objects, Pair, ENTRIES,
};

/// A number of 32 bits.
pub static FLOAT: Class = Class::new("enginewire._numbers", "Float");

/// An integer of 32 bits.
pub static INT: Class = Class::new("enginewire._numbers", "Int");

/// Defines a class of colours.
macro_rules! colour {
    ($($class:tt)*) => {
        $crate::fields::vector! {
            methods {
                /// The colour of `#ff8000` or `#f80`.
                #[staticmethod]
                fn from_hex(py: Python<'_>, text: &str) -> PyResult<Self> {
                    let parts = py.import("enginewire._numbers")?.call_method1("colour", (text,))?;
                    let (r, g, b) = parts.extract()?;
                    Ok(Self { r, g, b })
                }
            }
            $($class)*
        }
    };
}

/// Defines a class of positions and rotations.
macro_rules! frame {
    ($($class:tt)*) => {
        $crate::fields::record! {
            methods {
                /// The matrix of the rotation, row by row, also of one that is an id.
                #[getter]
                fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                    PyTuple::new(py, self.rotation.matrix().map(Real::wide))
                }

                /// The rotation as the quaternion x, y, z, w of length 1.
                #[getter]
                fn quaternion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                    PyTuple::new(py, self.rotation.quaternion().map(Real::wide))
                }

                /// With the rotation of a quaternion x, y, z, w of any length.
                #[staticmethod]
                fn from_quaternion(position: &Bound<'_, PyAny>, quaternion: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let position = argument("position", position)?;
                    let numbers: Vec<f32> = argument("quaternion", quaternion)?;
                    let rotation = numbers.try_into().ok().and_then(datatypes::Rotation::from_quaternion);
                    let rotation = rotation.ok_or_else(|| value_error("expected the 4 numbers of a quaternion, not all 0"))?;
                    Ok(Self { position, rotation })
                }

                /// With rotations about the axes, in radians: those of the Roblox function `CFrame.fromEulerAngles`.
                #[staticmethod]
                #[pyo3(signature = (position, x, y, z, order = "XYZ"))]
                fn from_euler(position: &Bound<'_, PyAny>, x: f64, y: f64, z: f64, order: &str) -> PyResult<Self> {
                    let numbers = position.py().import("enginewire._numbers")?.call_method1("euler", (x, y, z, order))?;
                    let numbers: Vec<f32> = argument("matrix", &numbers)?;
                    let rotation = datatypes::Rotation::from_matrix(numbers.to()?);
                    Ok(Self { position: argument("position", position)?, rotation })
                }
            }
            $($class)*
        }
    };
}

classes! {
    add_classes "enginewire.attributes" for Value<'_>;

    /// A point in space.
    vector Vector3 = datatypes::Vector3 { x: f32, y: f32, z: f32 };

    /// A colour: each part from 0 to 1.
    colour Color3 = datatypes::Color3 { r: f32, g: f32, b: f32 };

    /// A position or size on the screen.
    record UDim2 = datatypes::UDim2 { x: UDim, y: UDim };

    /// A length on the screen: a part of that around it, and pixels.
    vector UDim = datatypes::UDim { scale: f32, offset: i32 };

    /// A point in the plane.
    vector Vector2 = datatypes::Vector2 { x: f32, y: f32 };

    /// A range of numbers.
    vector NumberRange = datatypes::NumberRange { min: f32, max: f32 };

    /// A rectangle.
    record Rect = datatypes::Rect { min: Vector2, max: Vector2 };

    /// A half-line.
    record Ray = datatypes::Ray { origin: Vector3, direction: Vector3 };

    /// A point in the plane, in whole numbers.
    vector Vector2int16 = datatypes::Vector2int16 { x: i16, y: i16 };

    /// A point in space, in whole numbers.
    vector Vector3int16 = datatypes::Vector3int16 { x: i16, y: i16, z: i16 };

    /// A number at a time.
    vector NumberSequenceKeypoint = datatypes::NumberSequenceKeypoint { envelope: f32, time: f32, value: f32 };

    /// A colour at a time.
    record ColorSequenceKeypoint = datatypes::ColorSequenceKeypoint { envelope: f32, time: f32, value: Color3 };

    /// A box in space.
    record Region3 = datatypes::Region3 { min: Vector3, max: Vector3 };

    /// A box in space, in whole numbers.
    record Region3int16 = datatypes::Region3int16 { min: Vector3int16, max: Vector3int16 };

    /// The timing of an animation from one value to another. The style and the direction are numbers of `Enum.EasingStyle` and
    /// `Enum.EasingDirection`.
    record TweenInfo = attributes::TweenInfo {
        time: f32, delay: f32, repeat_count: i32, easing_style: u32, easing_direction: u32, reverses: bool
    };

    /// A position and a rotation. The rotation is the id of one of the 24 that are aligned with the axes, or the nine numbers
    /// of a matrix, row by row.
    frame CFrame = datatypes::CFrame { position: Vector3, rotation: datatypes::Rotation };

    /// A colour of the palette, by its number.
    wrapper BrickColor { number: u32 };

    /// An item of an enum.
    record EnumItem = attributes::EnumItem<'a> { enum_name: ByteString<'static>, value: u32 };

    /// A number that changes over time.
    wrapper NumberSequence { keypoints: Vec<NumberSequenceKeypoint> };

    /// A colour that changes over time.
    wrapper ColorSequence { keypoints: Vec<ColorSequenceKeypoint> };

    /// A font.
    record Font = attributes::Font<'a> { weight: u16, style: u8, family: ByteString<'static>, cached_face_id: ByteString<'static> };

    /// A set of sides: bits 0 to 5 are right, top, back, left, bottom and front.
    wrapper Faces { bits: u32 };

    /// A set of axes: bits 0 to 2 are x, y and z.
    wrapper Axes { bits: u32 };

    /// The number of an instance in the file around.
    wrapper Ref { number: i32 };
}

// the others are in `to_python` and `leaf_to_python`
const _: () = assert!(attributes::TypeId::ALL.len() == <Value<'_> as Variants>::CLASSES + 7, "a type has no class");

through! {
    u32 = datatypes::BrickColor: |color| color.0, |number| Ok(datatypes::BrickColor(*number));
    u32 = datatypes::Faces: |faces| faces.0, |bits| Ok(datatypes::Faces(*bits));
    u32 = datatypes::Axes: |axes| axes.0, |bits| Ok(datatypes::Axes(*bits));
    u8 = datatypes::RotationId: |id| (*id).into(), |id| (*id).try_into().map_err(value_error::<datatypes::UnknownRotationId>);
    datatypes::Rotation = datatypes::Rotation: |rotation| *rotation, |rotation| Ok(*rotation);
}

either!(datatypes::Rotation: PyInt => Aligned(u8), else Matrix(Vec<f32>));

/// A Python `int` as the number that Roblox has for it, if that is the same number.
pub fn whole_double(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let number: f64 = value.extract().unwrap_or(f64::INFINITY);
    // all integers below are numbers of 64 bits
    match number.abs() < 2_f64.powi(53) || PyFloat::new(value.py(), number).as_any().eq(value)? {
        true => Ok(number),
        false => {
            let shown = shown_integer(value);
            Err(refused(value.py(), format!("{shown} is not a float of 64 bits, which numbers of Roblox are")))
        }
    }
}

/// A value as a Python object.
fn to_python<'py>(keys: &Keys<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Array(items) => list_of(keys.py, items, |item| to_python(keys, item)),
        Value::Dictionary(entries) => dictionary(keys, entries),
        leaf => leaf_to_python(keys.py, leaf),
    }
}

fn dictionary<'py>(keys: &Keys<'py>, entries: &[Entry<'_>]) -> PyResult<Bound<'py, PyAny>> {
    mapping_of(keys.py, entries, |entry| Ok((keys.get(&entry.key), to_python(keys, &entry.value)?)))
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::String(bytes) => Ok(text(py, bytes)),
        Value::Bool(value) => object(py, *value),
        Value::Int(value) => INT.wrap(object(py, *value)?),
        Value::Float(value) => FLOAT.wrap(value.to_object(py)?),
        Value::Double(value) => object(py, *value),
        other => other.to_class(py)?.ok_or_else(|| no_class(py, other.type_id().name())),
    }
}

type Written = Bytes<Options>;

impl Direct for Written {
    const FORMAT: &'static str = "Roblox attributes";
    type Value<'v> = Value<'v>;

    #[inline(always)] // a scalar goes to its place, and is not copied from a result
    fn scalar<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Value<'a>>> {
        Ok(Some(if let Some(bytes) = text_bytes(value)? {
            Value::String(bytes)
        } else if let Ok(number) = value.cast_exact::<PyFloat>() {
            Value::Double(number.value())
        } else if let Ok(value) = value.cast::<PyBool>() {
            Value::Bool(value.is_true())
        } else if let Ok(number) = value.cast::<PyFloat>() {
            match FLOAT.narrows::<PyFloat>(value)? {
                true => Value::Float(f32::nearest(number.value())),
                false => Value::Double(number.value()),
            }
        } else if value.is_instance_of::<PyInt>() {
            match INT.narrows::<PyInt>(value)? {
                true => Value::Int(to_integer(value)?),
                false => Value::Double(whole_double(value)?),
            }
        } else {
            return Ok(None);
        }))
    }

    #[inline(never)]
    fn put(&mut self, py: Python<'_>, value: &Value<'_>) -> PyResult<()> {
        generate_into(gen_value(self.options.into(), value), &mut self.bytes).map_err(|error| encode_error(py, &error))
    }

    #[inline(never)]
    fn put_object(&mut self, object: &Bound<'_, PyAny>, _: Level<'_, '_>) -> PyResult<bool> {
        let value = Value::from_class(object)?;
        value.map(|value| self.put(object.py(), &value)).transpose().map(|put| put.is_some())
    }

    fn list(&mut self, py: Python<'_>, _first: i32, count: u32) -> PyResult<()> {
        self.put(py, &Value::Array(ValueVec::new())).map(|()| self.count(count))
    }

    fn dictionary(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.put(py, &Value::Dictionary(ValueVec::new())).map(|()| self.count(count))
    }

    #[inline]
    fn key<'py>(&mut self, key: &Bound<'py, PyAny>, _: Level<'_, 'py>) -> PyResult<()> {
        self.once(key, |to| {
            let written = generate_into(gen_string(&key_bytes(key)?), &mut to.bytes);
            written.map_err(|error| encode_error(key.py(), &error))
        })
    }
}

/// The bytes of a key.
#[inline(always)]
pub fn key_bytes<'a>(key: &'a Bound<'_, PyAny>) -> PyResult<ByteString<'a>> {
    text_bytes(key)?.ok_or_else(|| refused(key.py(), "a key is not str or bytes"))
}

/// All attributes as a mapping. A length of 0, where no bytes would do, is `Entries` without any.
pub fn all_to_python<'py>(py: Python<'py>, attributes: &Attributes<'_>) -> PyResult<Bound<'py, PyAny>> {
    match attributes.is_empty() && attributes.empty_form() == Empty::ZeroLength {
        true => as_entries(py, Vec::new()),
        false => dictionary(&Keys::new(py), attributes.entries()),
    }
}

/// Encodes a mapping, or an object with fields.
pub fn encode<'py>(value: &Bound<'py, PyAny>, options: &Options, objects: &Objects<'py>) -> PyResult<Vec<u8>> {
    let level = objects.level(Limited::limits(options).depth());
    let entries = match level.fields_of(Written::FORMAT, value)? {
        None => entries_of(value)?,
        fields => fields,
    };
    match entries {
        Some(entries) => encode_entries(value.py(), &entries, options, level),
        None => {
            let (plain, level) = level.plain(Written::FORMAT, value)?;
            encode_entries(value.py(), &entries_of_mapping(&plain)?, options, level)
        }
    }
}

/// Encodes entries.
pub fn encode_entries<'py>(
    py: Python<'py>,
    entries: &[Pair<'py>],
    options: &Options,
    level: Level<'_, 'py>,
) -> PyResult<Vec<u8>> {
    let mut to = Bytes::new(*options);
    if entries.is_empty() {
        return attributes::encode_with(&Attributes::default(), options).map_err(|error| encode_error(py, &error));
    }
    let count = generate_into(gen_length::<Le, _>(entries.len()), &mut to.bytes);
    count.map_err(|error| encode_error(py, &error))?;
    write_entries(&mut to, entries, level).map(|()| to.bytes)
}

functions! {
    add_functions(attributes::Options = Options::new().draft_types(draft_types).refs(refs));
    draft_types: bool = true, refs: bool = false;

    /// Decodes attributes, as `AttributesSerialize` holds them, to a `dict`; to `Entries`, another mapping, where a key repeats.
    /// With `type`, to an object of that type, such as a dataclass.
    loads(buffer, input, value) => all_to_python(buffer.py(), value);

    /// Checks attributes without decoding them to objects. Other threads run meanwhile.
    check;
}

/// Encodes a mapping of attributes, or an object with fields such as a dataclass. `default` is called with each object of any
/// other type, and returns one to encode instead.
#[pyfunction]
#[pyo3(signature = (value, *, default = None))]
fn dumps<'py>(value: &Bound<'py, PyAny>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
    let empty = if ENTRIES.has(value)? { Empty::ZeroLength } else { Empty::NoBytes };
    let options = Options::new().refs(true).empty(empty);
    Ok(PyBytes::new(value.py(), &encode(value, &options, &Objects::new(default))?))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_classes(module)?;
    add_functions(module)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)
}

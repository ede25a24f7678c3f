//! `enginewire.attributes`: Roblox attributes.

use enginewire::roblox::attributes::{self, Attributes, Empty, Entry, Options, Value};
use enginewire::roblox::datatypes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt};

use crate::buffers::{detached, Input};
use crate::errors::{decode_error, encode_error, no_value, refused, within};
use crate::fields::{
    object, record, show_any, shown_integer, text, text_bytes, to_integer, Field, Keys, Real, Text, F32,
};
use crate::mapping::{as_entries, entries_of, is_container, items_of, mapping, Class, Pair, ENTRIES};
use crate::report::{report, Report};
use crate::tree::{tree_parts, TreeParts};

/// A number of 32 bits.
static FLOAT: Class = Class::new("enginewire._numbers", "Float");

/// An integer of 32 bits.
pub static INT: Class = Class::new("enginewire._numbers", "Int");

record! {
    /// A length on the screen: a part of that around it, and pixels.
    "enginewire.attributes" UDim "UDim" = datatypes::UDim { scale: F32, offset: i32 }
}

record! {
    /// A position or size on the screen.
    "enginewire.attributes" UDim2 "UDim2" = datatypes::UDim2 { x: UDim, y: UDim }
}

record! {
    /// A point in the plane.
    "enginewire.attributes" Vector2 "Vector2" = datatypes::Vector2 { x: F32, y: F32 }
}

record! {
    /// A point in space.
    "enginewire.attributes" Vector3 "Vector3" = datatypes::Vector3 { x: F32, y: F32, z: F32 }
}

record! {
    /// A point in the plane, in whole numbers.
    "enginewire.attributes" Vector2int16 "Vector2int16" = datatypes::Vector2int16 { x: i16, y: i16 }
}

record! {
    /// A point in space, in whole numbers.
    "enginewire.attributes" Vector3int16 "Vector3int16" = datatypes::Vector3int16 { x: i16, y: i16, z: i16 }
}

record! {
    /// A colour: each part from 0 to 1.
    "enginewire.attributes" Color3 "Color3" = datatypes::Color3 { r: F32, g: F32, b: F32 }
}

record! {
    /// A half-line.
    "enginewire.attributes" Ray "Ray" = datatypes::Ray { origin: Vector3, direction: Vector3 }
}

record! {
    /// A rectangle.
    "enginewire.attributes" Rect "Rect" = datatypes::Rect { min: Vector2, max: Vector2 }
}

record! {
    /// A box in space.
    "enginewire.attributes" Region3 "Region3" = datatypes::Region3 { min: Vector3, max: Vector3 }
}

record! {
    /// A box in space, in whole numbers.
    "enginewire.attributes" Region3int16 "Region3int16" = datatypes::Region3int16 { min: Vector3int16, max: Vector3int16 }
}

record! {
    /// A range of numbers.
    "enginewire.attributes" NumberRange "NumberRange" = datatypes::NumberRange { min: F32, max: F32 }
}

record! {
    /// A number at a time.
    "enginewire.attributes" NumberSequenceKeypoint "NumberSequenceKeypoint" = datatypes::NumberSequenceKeypoint {
        envelope: F32, time: F32, value: F32
    }
}

record! {
    /// A colour at a time.
    "enginewire.attributes" ColorSequenceKeypoint "ColorSequenceKeypoint" = datatypes::ColorSequenceKeypoint {
        envelope: F32, time: F32, value: Color3
    }
}

record! {
    /// How a number changes over time.
    "enginewire.attributes" NumberSequence "NumberSequence" { keypoints: Items<NumberSequenceKeypoint> }
}

record! {
    /// How a colour changes over time.
    "enginewire.attributes" ColorSequence "ColorSequence" { keypoints: Items<ColorSequenceKeypoint> }
}

record! {
    /// A colour of the palette, by its number.
    "enginewire.attributes" BrickColor "BrickColor" { number: u32 }
}

record! {
    /// A set of sides: bits 0 to 5 are right, top, back, left, bottom and front.
    "enginewire.attributes" Faces "Faces" { bits: u32 }
}

record! {
    /// A set of axes: bits 0 to 2 are x, y and z.
    "enginewire.attributes" Axes "Axes" { bits: u32 }
}

record! {
    /// An item of an enum.
    "enginewire.attributes" EnumItem "EnumItem" { enum_name: Text, value: u32 }
}

record! {
    /// A font.
    "enginewire.attributes" Font "Font" { weight: u16, style: u8, family: Text, cached_face_id: Text }
}

record! {
    /// How an animation goes from one value to another. The style and the direction are numbers of `Enum.EasingStyle` and
    /// `Enum.EasingDirection`.
    "enginewire.attributes" TweenInfo "TweenInfo" = attributes::TweenInfo {
        time: F32, delay: F32, repeat_count: i32, easing_style: u32, easing_direction: u32, reverses: bool
    }
}

record! {
    /// The number of an instance in the file around.
    "enginewire.attributes" Ref "Ref" { number: i32 }
}

record! {
    /// A position and a rotation. The rotation is the id of one of the 24 that are aligned with the axes, or the nine numbers
    /// of a matrix, row by row.
    "enginewire.attributes" CFrame "CFrame" { position: Vector3, rotation: Rotation }
}

/// A tuple of items of one class.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Items<T>(pub Vec<T>);

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Items<T> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyTuple::new(py, self.0)
    }
}

impl<T> FromPyObject<'_, '_> for Items<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let items = object.try_iter()?.map(|item| item?.extract::<T>().map_err(Into::into));
        items.collect::<PyResult<_>>().map(Items)
    }
}

impl<T: Field> Field for Items<T> {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        let items: PyResult<Vec<_>> = self.0.iter().map(|item| item.show(py)).collect();
        Ok(match &items?[..] {
            [one] => format!("({one},)"),
            items => format!("({})", items.join(", ")),
        })
    }
}

/// The rotation of a CFrame, in the form that it has in the bytes.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Rotation {
    Id(u8),
    Matrix([F32; 9]),
}

impl<'py> IntoPyObject<'py> for Rotation {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self {
            Rotation::Id(id) => id.into_bound_py_any(py),
            Rotation::Matrix(matrix) => Ok(PyTuple::new(py, matrix)?.into_any()),
        }
    }
}

impl FromPyObject<'_, '_> for Rotation {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyInt>() {
            let id = object.extract()?;
            let known = datatypes::RotationId::try_from(id);
            return known.map(|_| Rotation::Id(id)).map_err(|error| PyValueError::new_err(error.to_string()));
        }
        let numbers = Items::<F32>::extract(object)?.0;
        let count = numbers.len();
        let wrong = |_| PyValueError::new_err(format!("expected the 9 numbers of a matrix, found {count}"));
        numbers.try_into().map(Rotation::Matrix).map_err(wrong)
    }
}

impl Field for Rotation {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        match self {
            Rotation::Id(id) => id.show(py),
            Rotation::Matrix(matrix) => Items(matrix.to_vec()).show(py),
        }
    }
}

impl From<datatypes::Rotation> for Rotation {
    fn from(rotation: datatypes::Rotation) -> Self {
        match rotation {
            datatypes::Rotation::Aligned(id) => Rotation::Id(id.into()),
            datatypes::Rotation::Matrix(matrix) => Rotation::Matrix(matrix.map(F32)),
        }
    }
}

impl TryFrom<Rotation> for datatypes::Rotation {
    type Error = PyErr;

    fn try_from(rotation: Rotation) -> PyResult<Self> {
        Ok(match rotation {
            Rotation::Id(id) => {
                let id = datatypes::RotationId::try_from(id);
                datatypes::Rotation::Aligned(id.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
            Rotation::Matrix(matrix) => datatypes::Rotation::Matrix(matrix.map(f32::from)),
        })
    }
}

impl From<datatypes::CFrame> for CFrame {
    fn from(value: datatypes::CFrame) -> Self {
        CFrame { position: value.position.into(), rotation: value.rotation.into() }
    }
}

impl TryFrom<CFrame> for datatypes::CFrame {
    type Error = PyErr;

    fn try_from(value: CFrame) -> PyResult<Self> {
        Ok(datatypes::CFrame { position: value.position.into(), rotation: value.rotation.try_into()? })
    }
}

/// A float of a class that says how many bits it has.
pub fn wide_float<'py>(py: Python<'py>, class: &Class, number: f32) -> PyResult<Bound<'py, PyAny>> {
    class.wrap(PyFloat::new(py, number.wide()).into_any())
}

/// A Python `int` as the number that Roblox has for it, if that is the same number.
pub fn whole_double(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let number = value.extract().unwrap_or(f64::INFINITY);
    match PyFloat::new(value.py(), number).as_any().eq(value)? {
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
        Value::Array(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| to_python(keys, item)).collect();
            Ok(PyList::new(keys.py, items?)?.into_any())
        }
        Value::Dictionary(entries) => dictionary(keys, entries),
        leaf => leaf_to_python(keys.py, leaf),
    }
}

fn dictionary<'py>(keys: &Keys<'py>, entries: &[Entry<'_>]) -> PyResult<Bound<'py, PyAny>> {
    let entries = entries.iter().map(|entry| Ok((keys.get(&entry.key), to_python(keys, &entry.value)?)));
    mapping(keys.py, entries.collect::<PyResult<_>>()?)
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::String(bytes) => Ok(text(py, bytes)),
        Value::Bool(value) => object(py, *value),
        Value::Int(value) => INT.wrap(object(py, *value)?),
        Value::Float(value) => wide_float(py, &FLOAT, *value),
        Value::Double(value) => object(py, *value),
        Value::UDim(value) => object(py, UDim::from(*value)),
        Value::UDim2(value) => object(py, UDim2::from(*value)),
        Value::Ray(value) => object(py, Ray::from(*value)),
        Value::Faces(value) => object(py, Faces { bits: value.0 }),
        Value::Axes(value) => object(py, Axes { bits: value.0 }),
        Value::BrickColor(value) => object(py, BrickColor { number: value.0 }),
        Value::Color3(value) => object(py, Color3::from(*value)),
        Value::Vector2(value) => object(py, Vector2::from(*value)),
        Value::Vector3(value) => object(py, Vector3::from(*value)),
        Value::Vector2int16(value) => object(py, Vector2int16::from(*value)),
        Value::Vector3int16(value) => object(py, Vector3int16::from(*value)),
        Value::CFrame(value) => object(py, CFrame::from(*value)),
        Value::EnumItem(value) => {
            object(py, EnumItem { enum_name: Text(value.enum_name.to_vec()), value: value.value })
        }
        Value::NumberSequence(value) => {
            object(py, NumberSequence { keypoints: Items(value.iter().map(Into::into).collect()) })
        }
        Value::NumberSequenceKeypoint(value) => object(py, NumberSequenceKeypoint::from(*value)),
        Value::ColorSequence(value) => {
            object(py, ColorSequence { keypoints: Items(value.iter().map(Into::into).collect()) })
        }
        Value::ColorSequenceKeypoint(value) => object(py, ColorSequenceKeypoint::from(*value)),
        Value::NumberRange(value) => object(py, NumberRange::from(*value)),
        Value::Rect(value) => object(py, Rect::from(*value)),
        Value::Region3(value) => object(py, Region3::from(*value)),
        Value::Region3int16(value) => object(py, Region3int16::from(*value)),
        Value::Font(value) => {
            let [family, cached_face_id] = [&value.family, &value.cached_face_id].map(|text| Text(text.to_vec()));
            object(py, Font { weight: value.weight, style: value.style, family, cached_face_id })
        }
        Value::TweenInfo(value) => object(py, TweenInfo::from(*value)),
        Value::Ref(number) => object(py, Ref { number: *number }),
        other => Err(crate::errors::file_error(py, format!("{} has no class", other.type_id().name()), 0, "other")),
    }
}

/// How deep Python containers may nest: deeper than any format allows, which is left to the encoder to say.
pub const DEPTH: u16 = 256;

/// A Python object as a value, with `depth` levels of containers left.
pub fn from_python(value: &Bound<'_, PyAny>, depth: u16) -> PyResult<Value<'static>> {
    let py = value.py();
    if let Some(items) = items_of(value) {
        let depth = deeper(py, depth)?;
        let items = items
            .iter()
            .enumerate()
            .map(|(index, item)| from_python(item, depth).map_err(|error| within(py, error, || format!("[{index}]"))));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    let leaf = if is_container(value) { None } else { leaf_from_python(value)? };
    match leaf {
        Some(leaf) => Ok(leaf),
        None => match entries_of(value)? {
            Some(entries) => Ok(Value::Dictionary(entries_from_python(py, entries, deeper(py, depth)?)?)),
            None => Err(no_value("Roblox attributes", value)),
        },
    }
}

/// One level less.
pub fn deeper(py: Python<'_>, depth: u16) -> PyResult<u16> {
    depth.checked_sub(1).ok_or_else(|| refused(py, "containers are nested too deep"))
}

/// The bytes of a key.
pub fn key_bytes(key: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    text_bytes(key)?.ok_or_else(|| refused(key.py(), "a key is not str or bytes"))
}

/// An item of a path, for a key.
pub fn key_item(key: &Bound<'_, PyAny>) -> String {
    format!("[{}]", show_any(key).unwrap_or_default())
}

fn entries_from_python(py: Python<'_>, entries: Vec<Pair<'_>>, depth: u16) -> PyResult<Vec<Entry<'static>>> {
    let entries = entries.iter().map(|(key, value)| {
        let entry = || Ok(Entry { key: key_bytes(key)?.into(), value: from_python(value, depth)? });
        entry().map_err(|error| within(py, error, || key_item(key)))
    });
    entries.collect()
}

#[inline(never)]
fn leaf_from_python(value: &Bound<'_, PyAny>) -> PyResult<Option<Value<'static>>> {
    if let Some(bytes) = text_bytes(value)? {
        return Ok(Some(Value::String(bytes.into())));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(Value::Bool(value.is_true())));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Some(match FLOAT.narrows::<PyFloat>(value)? {
            true => Value::Float(f32::nearest(number.value())),
            false => Value::Double(number.value()),
        }));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(match INT.narrows::<PyInt>(value)? {
            true => Value::Int(to_integer(value)?),
            false => Value::Double(whole_double(value)?),
        }));
    }
    macro_rules! records {
        ($($name:ident)*) => {
            $(if let Ok(found) = value.cast::<$name>() {
                return Ok(Some(Value::$name(found.get().clone().into())));
            })*
        };
    }
    records! {
        Vector3 Color3 UDim2 UDim Vector2 NumberRange Rect Ray Vector2int16 Vector3int16 NumberSequenceKeypoint
        ColorSequenceKeypoint Region3 Region3int16 TweenInfo
    }
    if let Ok(found) = value.cast::<CFrame>() {
        return Ok(Some(Value::CFrame(found.get().clone().try_into()?)));
    }
    if let Ok(found) = value.cast::<BrickColor>() {
        return Ok(Some(Value::BrickColor(datatypes::BrickColor(found.get().number))));
    }
    if let Ok(found) = value.cast::<EnumItem>() {
        let EnumItem { enum_name, value } = found.get().clone();
        return Ok(Some(Value::EnumItem(attributes::EnumItem { enum_name: enum_name.0.into(), value })));
    }
    if let Ok(found) = value.cast::<NumberSequence>() {
        let keypoints = found.get().keypoints.0.iter().cloned();
        return Ok(Some(Value::NumberSequence(keypoints.map(datatypes::NumberSequenceKeypoint::from).collect())));
    }
    if let Ok(found) = value.cast::<ColorSequence>() {
        let keypoints = found.get().keypoints.0.iter().cloned();
        return Ok(Some(Value::ColorSequence(keypoints.map(datatypes::ColorSequenceKeypoint::from).collect())));
    }
    if let Ok(found) = value.cast::<Font>() {
        let Font { weight, style, family, cached_face_id } = found.get().clone();
        let (family, cached_face_id) = (family.0.into(), cached_face_id.0.into());
        return Ok(Some(Value::Font(attributes::Font { weight, style, family, cached_face_id })));
    }
    if let Ok(found) = value.cast::<Faces>() {
        return Ok(Some(Value::Faces(datatypes::Faces(found.get().bits))));
    }
    if let Ok(found) = value.cast::<Axes>() {
        return Ok(Some(Value::Axes(datatypes::Axes(found.get().bits))));
    }
    if let Ok(found) = value.cast::<Ref>() {
        return Ok(Some(Value::Ref(found.get().number)));
    }
    Ok(None)
}

/// All attributes as a `dict` or `Entries`. A length of 0, where no bytes would do, is `Entries` without any.
pub fn all_to_python<'py>(py: Python<'py>, attributes: &Attributes<'_>) -> PyResult<Bound<'py, PyAny>> {
    match attributes.is_empty() && attributes.empty_form() == Empty::ZeroLength {
        true => as_entries(py, &ENTRIES, Vec::new()),
        false => dictionary(&Keys::new(py), attributes.entries()),
    }
}

/// A `dict` or `Entries` as attributes, and how to write that there are none.
pub fn all_from_python(value: &Bound<'_, PyAny>) -> PyResult<(Attributes<'static>, Empty)> {
    let py = value.py();
    let entries = entries_of(value)?.ok_or_else(|| crate::errors::wrong_type("dict or Entries", value))?;
    let mut all = Attributes::new();
    *all.entries_mut() = entries_from_python(py, entries, DEPTH)?;
    let empty = if ENTRIES.has(value)? { Empty::ZeroLength } else { Empty::NoBytes };
    Ok((all, empty))
}

fn options(draft_types: bool, refs: bool) -> Options {
    Options::new().draft_types(draft_types).refs(refs)
}

/// loads(buffer, *, draft_types=True, refs=False)
/// --
///
/// Decodes attributes, as `AttributesSerialize` holds them, to a `dict`. Where a key repeats, they are `Entries`.
#[pyfunction]
#[pyo3(signature = (buffer, *, draft_types = true, refs = false))]
fn loads<'py>(buffer: &Bound<'py, PyAny>, draft_types: bool, refs: bool) -> PyResult<Bound<'py, PyAny>> {
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let options = options(draft_types, refs);
    let decoded = detached(py, input.bytes(), |bytes| attributes::decode_with(bytes, &options));
    all_to_python(py, &decoded.map_err(|error| decode_error(py, &error))?)
}

/// Encodes a `dict` or `Entries` of attributes.
#[pyfunction]
fn dumps<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    let (all, empty) = all_from_python(value)?;
    let options = Options::new().refs(true).empty(empty);
    let bytes = attributes::encode_with(&all, &options).map_err(|error| encode_error(py, &error))?;
    Ok(pyo3::types::PyBytes::new(py, &bytes))
}

/// Checks attributes without decoding them to objects. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (buffer, *, draft_types = true, refs = false))]
fn check(buffer: &Bound<'_, PyAny>, draft_types: bool, refs: bool) -> PyResult<Report> {
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let options = options(draft_types, refs);
    report(py, detached(py, input.bytes(), |bytes| attributes::check_with(bytes, &options, |_, _| {})))
}

/// Every field of the bytes, with its place.
#[pyfunction]
#[pyo3(signature = (buffer, *, draft_types = true, refs = false))]
fn tree(buffer: &Bound<'_, PyAny>, draft_types: bool, refs: bool) -> PyResult<TreeParts> {
    let options = options(draft_types, refs);
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    Ok(tree_parts(py, input.bytes(), |bytes| attributes::inspect_with(bytes, &options)))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<UDim>()?;
    module.add_class::<UDim2>()?;
    module.add_class::<Vector2>()?;
    module.add_class::<Vector3>()?;
    module.add_class::<Vector2int16>()?;
    module.add_class::<Vector3int16>()?;
    module.add_class::<Color3>()?;
    module.add_class::<Ray>()?;
    module.add_class::<Rect>()?;
    module.add_class::<Region3>()?;
    module.add_class::<Region3int16>()?;
    module.add_class::<NumberRange>()?;
    module.add_class::<NumberSequenceKeypoint>()?;
    module.add_class::<ColorSequenceKeypoint>()?;
    module.add_class::<NumberSequence>()?;
    module.add_class::<ColorSequence>()?;
    module.add_class::<BrickColor>()?;
    module.add_class::<Faces>()?;
    module.add_class::<Axes>()?;
    module.add_class::<EnumItem>()?;
    module.add_class::<Font>()?;
    module.add_class::<TweenInfo>()?;
    module.add_class::<Ref>()?;
    module.add_class::<CFrame>()?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(tree, module)?)
}

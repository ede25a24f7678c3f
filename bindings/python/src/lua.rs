//! `enginewire.lua`: Scrap Mechanic LuaObject.

use enginewire::scrap_mechanic::lua_object::{
    self, LuaObject, LuaSaveData, Options, Table, TableKeyValuePair, Userdata, UserdataTypeId,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList};

use crate::attributes::{deeper, key_item, DEPTH};
use crate::buffers::{detached, Input};
use crate::errors::{about_value, decode_error, encode_error, no_value, refused, within};
use crate::fields::{narrow, object, record, text, text_bytes, to_integer, Keys, Real, Text, F32};
use crate::mapping::{entries_of, is_container, items_of, mapping, Class};
use crate::report::{report, Report};
use crate::tree::{tree_parts, TreeParts};

static INT16: Class = Class::new("enginewire.lua", "Int16");
static INT32: Class = Class::new("enginewire.lua", "Int32");
static DOUBLE: Class = Class::new("enginewire.lua", "Double");
static ARRAY: Class = Class::new("enginewire.lua", "Array");
static UUID: Class = Class::new("uuid", "UUID");

record! {
    /// A point or direction in space.
    "enginewire.lua" Vec3 "Vec3" = lua_object::Vec3 { x: F32, y: F32, z: F32 }
}

record! {
    /// A rotation.
    "enginewire.lua" Quat "Quat" = lua_object::Quat { x: F32, y: F32, z: F32, w: F32 }
}

record! {
    /// A colour: each part from 0 to 1.
    "enginewire.lua" Color "Color" = lua_object::Color { r: F32, g: F32, b: F32, a: F32 }
}

record! {
    /// The number of something in the world. The kind is one of `KINDS`, such as `Shape`.
    "enginewire.lua" Handle "Handle" { kind: String, number: u32 } check Handle::check
}

record! {
    /// JSON text, which is not looked into.
    "enginewire.lua" Json "Json" { text: Text }
}

record! {
    /// JSON text that belongs to something with an id.
    "enginewire.lua" JsonTemplate "JsonTemplate" { uuid: String, json: Text } check JsonTemplate::check
}

record! {
    /// A reference to a script that does not keep it.
    "enginewire.lua" WeakScriptRef "WeakScriptRef" = lua_object::WeakScriptRef { ref_id: u32, flag: bool }
}

impl crate::fields::Field for String {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        crate::fields::show_any(pyo3::types::PyString::new(py, self).as_any())
    }
}

impl Handle {
    fn check(self) -> PyResult<Self> {
        match self.userdata() {
            Some(_) => Ok(self),
            None => Err(PyValueError::new_err(format!(
                "unknown kind {:?}; expected one of {}",
                self.kind,
                kinds().join(", ")
            ))),
        }
    }

    fn userdata(&self) -> Option<Userdata> {
        let id = UserdataTypeId::ALL.iter().find(|id| id.name() == self.kind)?;
        Userdata::from_handle(*id, self.number)
    }
}

/// The kinds of things that have numbers.
fn kinds() -> Vec<&'static str> {
    let is_kind = |id: &&UserdataTypeId| Userdata::from_handle(**id, 0).is_some();
    UserdataTypeId::ALL.iter().filter(is_kind).map(|id| id.name()).collect()
}

impl JsonTemplate {
    fn check(self) -> PyResult<Self> {
        let uuid: Result<lua_object::Uuid, _> = self.uuid.parse();
        uuid.map(|uuid| JsonTemplate { uuid: uuid.to_string(), ..self })
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A value as a Python object.
pub fn to_python<'py>(py: Python<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    value_to_python(&Keys::new(py), value)
}

fn value_to_python<'py>(keys: &Keys<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py;
    let LuaSaveData::Table(table) = value else { return leaf_to_python(py, value) };
    match table {
        Table::Array { offset, elements } => {
            let elements: PyResult<Vec<_>> = elements.iter().map(|element| value_to_python(keys, element)).collect();
            let list = PyList::new(py, elements?)?.into_any();
            match offset {
                1 => Ok(list),
                offset => ARRAY.call(py, (list, *offset)),
            }
        }
        Table::Pairs(pairs) => {
            let pairs = pairs.iter().map(|pair| {
                let key = match &pair.key {
                    LuaSaveData::String(bytes) => keys.get(bytes),
                    other => value_to_python(keys, other)?,
                };
                Ok((key, value_to_python(keys, &pair.value)?))
            });
            mapping(py, pairs.collect::<PyResult<_>>()?)
        }
    }
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        LuaSaveData::Nil => Ok(py.None().into_bound(py)),
        LuaSaveData::Boolean(value) => object(py, *value),
        // what a float becomes by itself
        LuaSaveData::Number(value) => object(py, F32(*value)),
        LuaSaveData::Double(value) => match is_number(*value) {
            true => DOUBLE.wrap(PyFloat::new(py, *value).into_any()),
            false => object(py, *value),
        },
        LuaSaveData::String(bytes) => Ok(text(py, bytes)),
        LuaSaveData::Int8(value) => object(py, *value),
        LuaSaveData::Int16(value) => match LuaSaveData::integer((*value).into()) == LuaSaveData::Int16(*value) {
            true => object(py, *value),
            false => INT16.wrap(object(py, *value)?),
        },
        LuaSaveData::Int32(value) => match LuaSaveData::integer(*value) == LuaSaveData::Int32(*value) {
            true => object(py, *value),
            false => INT32.wrap(object(py, *value)?),
        },
        LuaSaveData::Json(bytes) => object(py, Json { text: Text(bytes.to_vec()) }),
        LuaSaveData::JsonTemplate(template) => {
            object(py, JsonTemplate { uuid: template.uuid.to_string(), json: Text(template.json.to_vec()) })
        }
        LuaSaveData::Userdata(userdata) => match *userdata {
            Userdata::Uuid(uuid) => {
                let bytes = PyDict::new(py);
                bytes.set_item("bytes", PyBytes::new(py, &uuid.0))?;
                UUID.get(py)?.call((), Some(&bytes))
            }
            Userdata::Vec3(ref value) => object(py, Vec3::from(*value)),
            Userdata::Quat(ref value) => object(py, Quat::from(*value)),
            Userdata::Color(ref value) => object(py, Color::from(*value)),
            ref thing => {
                let number = thing.handle().unwrap_or_default();
                object(py, Handle { kind: thing.type_id().name().to_owned(), number })
            }
        },
        LuaSaveData::WeakScriptRef(value) => object(py, WeakScriptRef::from(*value)),
        other => Err(crate::errors::file_error(py, format!("{} has no class", other.type_id().name()), 0, "other")),
    }
}

/// Whether an f32 says the same number, so that the game writes a Number.
fn is_number(number: f64) -> bool {
    number.is_nan() || f32::nearest(number).wide() == number
}

/// A Python object as a value, with `depth` levels of containers left.
pub fn from_python(value: &Bound<'_, PyAny>, depth: u16) -> PyResult<LuaSaveData<'static>> {
    let py = value.py();
    let is_container = is_container(value);
    if !is_container {
        if let Some(leaf) = leaf_from_python(value)? {
            return Ok(leaf);
        }
    }
    let (list, offset) = match !is_container && ARRAY.has(value)? {
        true => (value.getattr("elements")?, value.getattr("offset")?.extract()?),
        false => (value.clone(), 1),
    };
    if let Some(items) = items_of(&list) {
        let depth = deeper(py, depth)?;
        let elements = items
            .iter()
            .enumerate()
            .map(|(index, item)| from_python(item, depth).map_err(|error| within(py, error, || format!("[{index}]"))));
        return Ok(Table::Array { offset, elements: elements.collect::<PyResult<_>>()? }.into());
    }
    let Some(entries) = entries_of(value)? else { return Err(no_value("LuaObject", value)) };
    let depth = deeper(py, depth)?;
    let pairs = entries.iter().map(|(key, value)| {
        let pair = || Ok(TableKeyValuePair { key: from_python(key, depth)?, value: from_python(value, depth)? });
        pair().map_err(|error| within(py, error, || key_item(key)))
    });
    Ok(Table::Pairs(pairs.collect::<PyResult<_>>()?).into())
}

#[inline(never)]
fn leaf_from_python(value: &Bound<'_, PyAny>) -> PyResult<Option<LuaSaveData<'static>>> {
    let py = value.py();
    if value.is_none() {
        return Ok(Some(LuaSaveData::Nil));
    }
    if let Some(bytes) = text_bytes(value)? {
        return Ok(Some(LuaSaveData::String(bytes.into())));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(value.is_true().into()));
    }
    if value.is_instance_of::<PyInt>() {
        let number: i32 = to_integer(value)?;
        return Ok(Some(match (INT16.narrows::<PyInt>(value)?, INT32.narrows::<PyInt>(value)?) {
            (true, _) => LuaSaveData::Int16(to_integer(value)?),
            (_, true) => LuaSaveData::Int32(number),
            _ => LuaSaveData::integer(number),
        }));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let (number, is_double) = (number.value(), DOUBLE.narrows::<PyFloat>(value)?);
        return Ok(Some(match is_number(number) && !is_double {
            true => LuaSaveData::Number(narrow(number)?),
            false => LuaSaveData::Double(number),
        }));
    }
    if let Ok(found) = value.cast::<Vec3>() {
        return Ok(Some(Userdata::Vec3(found.get().clone().into()).into()));
    }
    if let Ok(found) = value.cast::<Quat>() {
        return Ok(Some(Userdata::Quat(found.get().clone().into()).into()));
    }
    if let Ok(found) = value.cast::<Color>() {
        return Ok(Some(Userdata::Color(found.get().clone().into()).into()));
    }
    if let Ok(found) = value.cast::<Handle>() {
        let userdata = found.get().userdata().ok_or_else(|| refused(py, "unknown kind"))?;
        return Ok(Some(userdata.into()));
    }
    if UUID.has(value)? {
        let bytes: [u8; 16] = value.getattr("bytes")?.extract()?;
        return Ok(Some(Userdata::Uuid(lua_object::Uuid(bytes)).into()));
    }
    if let Ok(found) = value.cast::<Json>() {
        return Ok(Some(LuaSaveData::Json(found.get().text.0.clone().into())));
    }
    if let Ok(found) = value.cast::<JsonTemplate>() {
        let JsonTemplate { uuid, json } = found.get();
        let uuid = uuid.parse().map_err(|error: lua_object::UuidError| refused(py, error))?;
        let template = lua_object::JsonTemplate { uuid, json: json.0.clone().into() };
        return Ok(Some(LuaSaveData::JsonTemplate(Box::new(template))));
    }
    if let Ok(found) = value.cast::<WeakScriptRef>() {
        return Ok(Some(LuaSaveData::WeakScriptRef(found.get().clone().into())));
    }
    Ok(None)
}

/// A Python object as a LuaObject.
pub fn object_from_python(value: &Bound<'_, PyAny>) -> PyResult<LuaObject<'static>> {
    let data = from_python(value, DEPTH).map_err(|error| about_value(value.py(), error))?;
    Ok(LuaObject { data })
}

fn options(any_padding: bool, unverified_types: bool) -> Options {
    Options::new().any_padding(any_padding).unverified_types(unverified_types)
}

/// Decodes a LuaObject.
#[pyfunction]
#[pyo3(signature = (buffer, *, any_padding = false, unverified_types = true))]
fn loads<'py>(buffer: &Bound<'py, PyAny>, any_padding: bool, unverified_types: bool) -> PyResult<Bound<'py, PyAny>> {
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let options = options(any_padding, unverified_types);
    let decoded = detached(py, input.bytes(), |bytes| lua_object::decode_with(bytes, &options));
    to_python(py, &decoded.map_err(|error| decode_error(py, &error))?.data)
}

/// Encodes a value as a LuaObject.
#[pyfunction]
fn dumps<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let options = Options::new().unverified_types(true);
    let bytes =
        lua_object::encode_with(&object_from_python(value)?, &options).map_err(|error| encode_error(py, &error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Checks a LuaObject without decoding it to objects. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (buffer, *, any_padding = false, unverified_types = true))]
fn check(buffer: &Bound<'_, PyAny>, any_padding: bool, unverified_types: bool) -> PyResult<Report> {
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let options = options(any_padding, unverified_types);
    report(py, detached(py, input.bytes(), |bytes| lua_object::check_with(bytes, &options, |_, _| {})))
}

/// Every field of the bytes, with its place.
#[pyfunction]
#[pyo3(signature = (buffer, *, any_padding = false, unverified_types = true))]
fn tree(buffer: &Bound<'_, PyAny>, any_padding: bool, unverified_types: bool) -> PyResult<TreeParts> {
    let options = options(any_padding, unverified_types);
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    Ok(tree_parts(py, input.bytes(), |bytes| lua_object::inspect_with(bytes, &options)))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Vec3>()?;
    module.add_class::<Quat>()?;
    module.add_class::<Color>()?;
    module.add_class::<Handle>()?;
    module.add_class::<Json>()?;
    module.add_class::<JsonTemplate>()?;
    module.add_class::<WeakScriptRef>()?;
    module.add("KINDS", pyo3::types::PyTuple::new(module.py(), kinds())?)?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(tree, module)?)
}

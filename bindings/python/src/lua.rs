//! `enginewire.lua`: Scrap Mechanic LuaObject.

use std::cell::Cell;

use enginewire::scrap_mechanic::lua_object::{
    self, LuaObject, LuaSaveData, Options, Table, TableKeyValuePair, Userdata, UserdataTypeId, Uuid,
};
use enginewire::wire::cookie_factory::{SerializeFn, WriteContext};
use enginewire::wire::{
    gen_bit, gen_bits, gen_bytes, gen_int32, gen_uint32, gen_uint8, generate_into, length_error, Be, BitWriter,
    ByteString, Limited,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt};

use crate::buffers::roomy;
use crate::direct::{count_of, write_items, write_value, Direct};
use crate::errors::{decode_error, encode_error, no_class};
use crate::fields::{
    checked, classes, object, record, text, text_bytes, through, to_integer, value_error, vector, wrapper, Field, Keys,
    Of, Real, Variants,
};
use crate::functions::functions;
use crate::mapping::{
    as_entries, is_container, items_of_sequence, list_of, mapping_of, Class, Level, Objects, Pair, ENTRIES,
};

static INT16: Class = Class::new("enginewire.lua", "Int16");
static INT32: Class = Class::new("enginewire.lua", "Int32");
static DOUBLE: Class = Class::new("enginewire.lua", "Double");
static ARRAY: Class = Class::new("enginewire.lua", "Array");
static UUID: Class = Class::new("uuid", "UUID");

classes! {
    add_values "enginewire.lua" for LuaSaveData<'_>;

    /// JSON text, which is not looked into.
    wrapper Json { text: ByteString<'static> };

    /// A reference to a script that does not keep it.
    record WeakScriptRef = lua_object::WeakScriptRef { ref_id: u32, flag: bool };
}

classes! {
    add_userdata "enginewire.lua" for Userdata;

    /// A point or direction in space.
    vector Vec3 = lua_object::Vec3 { x: f32, y: f32, z: f32 };

    /// A rotation.
    vector Quat = lua_object::Quat { x: f32, y: f32, z: f32, w: f32 };

    /// A colour: each part from 0 to 1.
    vector Color = lua_object::Color { r: f32, g: f32, b: f32, a: f32 };
}

classes! {
    add_others "enginewire.lua";

    /// The number of something in the world. The kind is one of `KINDS`, such as `Shape`.
    record Handle { kind: String, number: u32 } check checked::<Userdata, _>;

    /// JSON text that belongs to something with an id.
    record JsonTemplate = lua_object::JsonTemplate<'a> { uuid: String, json: ByteString<'static> }
        check checked::<lua_object::JsonTemplate<'_>, _>;
}

// the others are in `value_to_python` and `leaf_to_python`
const _: () = assert!(
    lua_object::LuaSaveDataType::ALL.len() == <LuaSaveData<'_> as Variants>::CLASSES + 11,
    "a type has no class"
);

impl Of<Userdata> for Handle {
    fn of(thing: &Userdata) -> Self {
        Handle { kind: thing.type_id().name().to_owned(), number: thing.handle().unwrap_or_default() }
    }

    fn to(&self) -> PyResult<Userdata> {
        let id = UserdataTypeId::ALL.iter().find(|id| id.name() == self.kind);
        id.and_then(|id| Userdata::from_handle(*id, self.number)).ok_or_else(|| {
            value_error(format_args!("unknown kind {:?}; expected one of {}", self.kind, kinds().join(", ")))
        })
    }
}

through! { String = Uuid: |uuid| uuid.to_string(), |uuid| uuid.parse().map_err(value_error::<lua_object::UuidError>); }

/// The kinds of things that have numbers.
fn kinds() -> Vec<&'static str> {
    let is_kind = |id: &&UserdataTypeId| Userdata::from_handle(**id, 0).is_some();
    UserdataTypeId::ALL.iter().filter(is_kind).map(|id| id.name()).collect()
}

/// The bytes that `dumps` returns.
const OPTIONS: Options = Options::new().unverified_types(true);

/// A value as a Python object.
pub fn to_python<'py>(py: Python<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    value_to_python(&Keys::new(py), value)
}

fn value_to_python<'py>(keys: &Keys<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py;
    let LuaSaveData::Table(table) = value else { return leaf_to_python(py, value) };
    match table {
        Table::Array { offset, elements } => {
            let list = list_of(py, elements, |element| value_to_python(keys, element))?;
            match offset {
                1 => Ok(list),
                offset => ARRAY.call(py, (list, *offset)),
            }
        }
        Table::Pairs(pairs) => {
            let make = |pair: &TableKeyValuePair<'_>| {
                let key = match &pair.key {
                    LuaSaveData::String(bytes) => keys.get(bytes),
                    other => value_to_python(keys, other)?,
                };
                Ok((key, value_to_python(keys, &pair.value)?))
            };
            match is_run(pairs) {
                // a plain dict becomes an array, as in the game
                true => as_entries(py, pairs.iter().map(make).collect::<PyResult<_>>()?),
                false => mapping_of(py, pairs, make),
            }
        }
    }
}

/// True if the keys are consecutive integers, so that the game writes an array.
fn is_run(pairs: &[TableKeyValuePair<'_>]) -> bool {
    let first = pairs.first().and_then(|pair| pair.key.as_integer());
    first.is_some_and(|first| {
        (i64::from(first)..).zip(pairs).all(|(key, pair)| pair.key.as_integer().map(i64::from) == Some(key))
    })
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &LuaSaveData<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        LuaSaveData::Nil => Ok(py.None().into_bound(py)),
        LuaSaveData::Boolean(value) => object(py, *value),
        // a plain float becomes a Number, if an f32 can hold it
        LuaSaveData::Number(value) => value.to_object(py),
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
        LuaSaveData::JsonTemplate(template) => object(py, JsonTemplate::of(template)),
        LuaSaveData::Userdata(Userdata::Uuid(uuid)) => {
            let bytes = PyDict::new(py);
            bytes.set_item("bytes", PyBytes::new(py, &uuid.0))?;
            UUID.get(py)?.call((), Some(&bytes))
        }
        LuaSaveData::Userdata(other) => match other.to_class(py)? {
            Some(object) => Ok(object),
            None => object(py, Handle::of(other)),
        },
        other => other.to_class(py)?.ok_or_else(|| no_class(py, other.type_id().name())),
    }
}

/// True if an f32 holds the same number, so that the game writes a Number.
fn is_number(number: f64) -> bool {
    number.is_nan() || f32::nearest(number).wide() == number
}

/// The bits of an object, as far as they are written; none after an error.
struct LuaBits<'w>(Option<WriteContext<BitWriter<&'w mut Vec<u8>>>>);

impl<'w> LuaBits<'w> {
    #[inline(always)]
    fn append(&mut self, py: Python<'_>, generator: impl SerializeFn<BitWriter<&'w mut Vec<u8>>>) -> PyResult<()> {
        if let Some(out) = self.0.take() {
            self.0 = Some(generator(out).map_err(|error| encode_error(py, &error.into()))?);
        }
        Ok(())
    }

    /// The bits before the elements of a table.
    fn table(&mut self, py: Python<'_>, count: u32, is_array: bool) -> PyResult<()> {
        let id = lua_object::LuaSaveDataType::Table.id();
        self.append(py, move |out| gen_bit(is_array)(gen_uint32::<Be, _>(count)(gen_uint8(id)(out)?)?))
    }
}

impl Direct for LuaBits<'_> {
    const FORMAT: &'static str = "LuaObject";
    type Value<'v> = LuaSaveData<'v>;

    #[inline(always)] // a scalar goes to its place, and is not copied from a result
    fn scalar<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<LuaSaveData<'a>>> {
        Ok(Some(if value.is_none() {
            LuaSaveData::Nil
        } else if let Some(bytes) = text_bytes(value)? {
            LuaSaveData::String(bytes)
        } else if let Ok(value) = value.cast::<PyBool>() {
            value.is_true().into()
        } else if value.is_instance_of::<PyInt>() {
            let number: i32 = to_integer(value)?;
            match (INT16.narrows::<PyInt>(value)?, INT32.narrows::<PyInt>(value)?) {
                (true, _) => LuaSaveData::Int16(to_integer(value)?),
                (_, true) => LuaSaveData::Int32(number),
                _ => LuaSaveData::integer(number),
            }
        } else if let Ok(number) = value.cast::<PyFloat>() {
            let (number, is_double) = (number.value(), DOUBLE.narrows::<PyFloat>(value)?);
            match is_number(number) && !is_double {
                true => LuaSaveData::Number(f32::narrow(number)?),
                false => LuaSaveData::Double(number),
            }
        } else {
            return Ok(None);
        }))
    }

    #[inline(never)]
    fn put(&mut self, py: Python<'_>, value: &LuaSaveData<'_>) -> PyResult<()> {
        self.append(py, lua_object::gen_lua_save_data(OPTIONS.into(), value))
    }

    #[inline(never)]
    fn put_object<'py>(&mut self, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<bool> {
        let py = object.py();
        let value = if is_container(object) {
            return Ok(false);
        } else if let Some(userdata) = Userdata::from_class(object)? {
            userdata.into()
        } else if let Ok(found) = object.cast::<Handle>() {
            LuaSaveData::Userdata(found.get().to()?)
        } else if let Ok(found) = object.cast::<JsonTemplate>() {
            LuaSaveData::JsonTemplate(Box::new(found.get().to()?))
        } else if let Some(value) = LuaSaveData::from_class(object)? {
            value
        } else if UUID.has(object)? {
            Userdata::Uuid(Uuid(object.getattr("bytes")?.extract()?)).into()
        } else if ARRAY.has(object)? {
            let items = items_of_sequence("list", &object.getattr("elements")?)?;
            self.list(py, i32::of_object(&object.getattr("offset")?)?, count_of(py, items.len())?)?;
            return write_items(self, &items, level.deeper(py)?).map(|()| true);
        } else {
            return Ok(false);
        };
        self.put(py, &value).map(|()| true)
    }

    fn list(&mut self, py: Python<'_>, first: i32, count: u32) -> PyResult<()> {
        self.table(py, count, true)?;
        self.append(py, gen_int32::<Be, _>(first))
    }

    fn dictionary(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.table(py, count, false)
    }

    /// Consecutive integers are an array, but not those of `Entries`.
    fn first_of_list(object: &Bound<'_, PyAny>, entries: &[Pair<'_>]) -> PyResult<Option<i32>> {
        if !entries.first().is_some_and(|(key, _)| key.is_instance_of::<PyInt>()) || ENTRIES.has(object)? {
            return Ok(None);
        }
        let number = |(key, _): &Pair<'_>| Self::scalar(key).ok().flatten().and_then(|key| key.as_integer());
        let first = entries.first().and_then(number);
        Ok(first.filter(|first| {
            (i64::from(*first)..).zip(entries).all(|(key, entry)| number(entry).map(i64::from) == Some(key))
        }))
    }
}

/// Encodes an object.
pub fn encode<'py>(value: &Bound<'py, PyAny>, objects: &Objects<'py>) -> PyResult<Vec<u8>> {
    let (mut bytes, failed) = (Vec::new(), Cell::new(None));
    let written = gen_bits(|out: WriteContext<_>| {
        let mut bits = LuaBits(Some(gen_uint32::<Be, _>(lua_object::VERSION)(gen_bytes(lua_object::MAGIC)(out)?)?));
        failed.set(write_value(&mut bits, value, objects, Limited::limits(&OPTIONS).depth()).err());
        bits.0.ok_or_else(length_error)
    });
    let written = generate_into(written, &mut bytes);
    match failed.into_inner() {
        Some(error) => Err(error),
        None => written.map(|()| bytes).map_err(|error| encode_error(value.py(), &error)),
    }
}

/// A Python object as a LuaObject.
pub fn object_from_python(value: &Bound<'_, PyAny>) -> PyResult<LuaObject<'static>> {
    let (py, bytes) = (value.py(), encode(value, &Objects::new(None))?);
    let object = roomy(|| lua_object::decode_with(&bytes, &OPTIONS).map(LuaObject::into_owned));
    object.map_err(|error| decode_error(py, &error))
}

functions! {
    add_functions(
        lua_object::Options = Options::new().any_padding(any_padding).unverified_types(unverified_types)
    );
    any_padding: bool = false, unverified_types: bool = true;

    /// Decodes a LuaObject; with `type`, to an object of that type, such as a dataclass.
    loads(buffer, input, value) => to_python(buffer.py(), &value.data);

    /// Checks a LuaObject without decoding it to objects. Other threads run meanwhile.
    check;
}

/// Encodes a value as a LuaObject. `default` is called with each object of a type that is not known, and returns one to encode
/// instead.
#[pyfunction]
#[pyo3(signature = (value, *, default = None))]
fn dumps<'py>(value: &Bound<'py, PyAny>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(value.py(), &encode(value, &Objects::new(default))?))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_values(module)?;
    add_userdata(module)?;
    add_others(module)?;
    add_functions(module)?;
    module.add("KINDS", pyo3::types::PyTuple::new(module.py(), kinds())?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)
}

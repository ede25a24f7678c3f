//! Shared by all formats: dictionaries whose keys Python can hold, wrapper classes, numbers and names.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use enginewire::wire::ByteString;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyDict, PyList, PyMapping, PySequence, PyString, PyTuple, PyType};

use crate::buffers::is_stack_low;
use crate::errors::{about_value, check_stack, nested_too_deep, wrong_type};
use crate::fields::{show_any, text_bytes};

/// A class that is written in Python.
pub struct Class {
    module: &'static str,
    name: &'static str,
    class: PyOnceLock<Py<PyType>>,
}

impl Class {
    pub const fn new(module: &'static str, name: &'static str) -> Self {
        Class { module, name, class: PyOnceLock::new() }
    }

    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        self.class.import(py, self.module, self.name)
    }

    /// True if an object is of this class, which is a subclass of `T`. A plain `T` is not.
    pub fn narrows<T: PyTypeInfo>(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(!object.is_exact_instance_of::<T>() && self.has(object)?)
    }

    /// True if an object is of this class.
    pub fn has(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        object.is_instance(self.get(object.py())?)
    }

    /// A new object of the class.
    pub fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.get(py)?.call1(arguments)
    }

    /// A new exception of the class. It is a function of its own, so that a level of nesting takes little stack.
    #[cold]
    #[inline(never)]
    pub fn exception<'py>(&self, py: Python<'py>, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
        self.call(py, arguments).map_or_else(|error| error, PyErr::from_value)
    }

    /// A new object of a class below that of the value, whose own `__new__` has nothing left to check.
    pub fn wrap<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        value.get_type().call_method1(pyo3::intern!(py, "__new__"), (self.get(py)?, value))
    }
}

/// Classes that are written in Python, by their module and names.
macro_rules! python_classes {
    ($module:literal: $($class:ident $name:literal),*) => {
        $(static $class: $crate::mapping::Class = $crate::mapping::Class::new($module, $name);)*
    };
}
pub(crate) use python_classes;

/// Ordered entries that a `dict` cannot hold.
pub static ENTRIES: Class = Class::new("enginewire._mapping", "Entries");

/// A key and its value.
pub type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A `list` of what is made of each item.
#[inline]
pub fn list_of<'py, T>(
    py: Python<'py>,
    items: &[T],
    make: impl Fn(&T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    check_stack(py)?;
    let mut made = Vec::with_capacity(items.len());
    for item in items {
        made.push(make(item)?);
    }
    Ok(PyList::new(py, made)?.into_any())
}

/// A mapping of what is made of each entry.
#[inline]
pub fn mapping_of<'py, T>(
    py: Python<'py>,
    entries: &[T],
    make: impl Fn(&T) -> PyResult<Pair<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    check_stack(py)?;
    let mut made = Vec::with_capacity(entries.len());
    for entry in entries {
        made.push(make(entry)?);
    }
    mapping(py, made)
}

/// A `dict` of these entries, or `Entries` where keys repeat or cannot be hashed.
fn mapping<'py>(py: Python<'py>, entries: Vec<Pair<'py>>) -> PyResult<Bound<'py, PyAny>> {
    let dict = PyDict::new(py);
    for (key, value) in &entries {
        match dict.set_item(key, value) {
            Ok(()) => {}
            Err(error) if error.is_instance_of::<PyTypeError>(py) => return as_entries(py, entries),
            Err(error) => return Err(error),
        }
    }
    match dict.len() == entries.len() {
        true => Ok(dict.into_any()),
        false => as_entries(py, entries),
    }
}

/// These entries as an object of `Entries`.
pub fn as_entries<'py>(py: Python<'py>, entries: Vec<Pair<'py>>) -> PyResult<Bound<'py, PyAny>> {
    ENTRIES.call(py, (PyList::new(py, entries)?,))
}

/// True if an object is a `dict`, a `list` or a plain `tuple`, and so not a single value.
pub fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyDict>() || object.is_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>()
}

/// The classes that were met, and the replacement of objects of other classes.
pub struct Objects<'py> {
    /// The shapes of the classes, by their addresses.
    shapes: RefCell<HashMap<usize, Rc<Shape<'py>>>>,
    /// The address of the last class that has no fields, which is often that of the next object, too.
    last_plain: Cell<usize>,
    /// The function `default`, which returns an object to encode instead of one that cannot be.
    default: Option<Bound<'py, PyAny>>,
}

/// The result of `_typed.shape` for a class; without fields if its objects are values themselves.
struct Shape<'py> {
    fields: Option<Fields<'py>>,
    /// It is held, so that no other class gets its address.
    _class: Bound<'py, PyType>,
}

#[derive(FromPyObject)]
enum Fields<'py> {
    /// The entries that all objects have, the key and the name of each field, and the values that are left out.
    Named(Vec<Pair<'py>>, Vec<Pair<'py>>, Vec<Bound<'py, PyAny>>),
    /// A function gives a `dict` of them.
    Function(Bound<'py, PyAny>),
}

impl<'py> Objects<'py> {
    pub fn new(default: Option<Bound<'py, PyAny>>) -> Self {
        Objects { shapes: RefCell::default(), last_plain: Cell::default(), default }
    }

    /// The level of a value whose containers may nest this deep.
    pub fn level(&self, depth: u16) -> Level<'_, 'py> {
        Level { objects: self, depth, replaced: 0 }
    }
}

/// The depth that the containers of a value may have, and the classes that were met.
#[derive(Clone, Copy)]
pub struct Level<'a, 'py> {
    objects: &'a Objects<'py>,
    depth: u16,
    /// The number of objects that this one replaces: more than one if their replacements have no type of the format, either.
    replaced: u8,
}

impl<'py> Level<'_, 'py> {
    /// One level less.
    pub fn deeper(self, py: Python<'py>) -> PyResult<Self> {
        let depth = self.depth.checked_sub(1).filter(|_| !is_stack_low()).ok_or_else(|| nested_too_deep(py))?;
        Ok(Level { depth, replaced: 0, ..self })
    }

    /// The replacement of an object whose type the format does not have, such as the value of an enum. It is a function of its own, so
    /// that a level takes little stack.
    #[cold]
    #[inline(never)]
    pub fn plain(self, format: &str, object: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Self)> {
        static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = object.py();
        let plain = PLAIN.import(py, "enginewire._typed", "plain")?;
        let replaced = self.replaced.checked_add(1).filter(|_| !is_stack_low()).ok_or_else(|| nested_too_deep(py))?;
        Ok((plain.call1((object, format, self.objects.default.as_ref()))?, Level { replaced, ..self }))
    }

    /// The fields of an object of a class of the user, such as a dataclass, as entries; `None` of any other object. It is a function of
    /// its own, so that a level takes little stack.
    #[inline(never)]
    pub fn fields_of(self, format: &str, object: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Pair<'py>>>> {
        let address = object.get_type_ptr() as usize;
        if object.is_exact_instance_of::<PyDict>() || self.objects.last_plain.get() == address {
            return Ok(None);
        }
        let shape = self.shape_of(format, object.get_type())?;
        let (same, fields, left_out) = match &shape.fields {
            Some(Fields::Named(same, fields, left_out)) => (same, fields, left_out),
            Some(Fields::Function(function)) => {
                let fields = function.call1((object,))?;
                return Ok(fields.cast::<PyDict>().ok().map(pairs_in));
            }
            None => {
                self.objects.last_plain.set(address);
                return Ok(None);
            }
        };
        let mut pairs = Vec::with_capacity(same.len() + fields.len());
        pairs.extend_from_slice(same);
        for (key, name) in fields {
            let value = object.getattr(name.cast::<PyString>()?)?;
            if !left_out.iter().any(|one| one.is(&value)) {
                pairs.push((key.clone(), value));
            }
        }
        Ok(Some(pairs))
    }

    fn shape_of(self, format: &str, class: Bound<'py, PyType>) -> PyResult<Rc<Shape<'py>>> {
        static SHAPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let address = class.as_ptr() as usize;
        if let Some(known) = self.objects.shapes.borrow().get(&address) {
            return Ok(known.clone());
        }
        let fields = SHAPE.import(class.py(), "enginewire._typed", "shape")?.call1((&class, format))?.extract()?;
        let shape = Rc::new(Shape { fields, _class: class });
        self.objects.shapes.borrow_mut().insert(address, shape.clone());
        Ok(shape)
    }
}

/// The items of a `list` or a plain `tuple` as they are now, because it may change meanwhile; `None` of any other object.
pub fn items_of<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    match object.cast::<PyList>() {
        Ok(list) => Some(list.iter().collect()),
        Err(_) => Some(object.cast_exact::<PyTuple>().ok()?.iter().collect()),
    }
}

/// The items of an object that has to be a `list`, as an error calls it, or another sequence.
pub fn items_of_sequence<'py>(expected: &str, object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    match (items_of(object), object.cast::<PySequence>()) {
        (Some(items), _) => Ok(items),
        (None, Ok(items)) if text_bytes(object)?.is_none() => Ok(items.to_list()?.iter().collect()),
        _ => Err(wrong_type(expected, object)),
    }
}

/// The entries of a `dict` or another mapping as they are now; `None` of any other object.
pub fn entries_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Pair<'py>>>> {
    if let Ok(dict) = object.cast::<PyDict>() {
        return Ok(Some(pairs_in(dict)));
    }
    let Ok(mapping) = object.cast::<PyMapping>() else { return Ok(None) };
    let entries = mapping.items().and_then(|items| items.iter().map(|entry| entry.extract()).collect());
    entries.map(Some).map_err(|error| about_value(object.py(), error))
}

/// The entries of an object that has to be a mapping.
pub fn entries_of_mapping<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Pair<'py>>> {
    entries_of(object)?.ok_or_else(|| wrong_type("dict or another mapping", object))
}

/// The entries of a `dict`. The iterator of pyo3 asks for its length again with each.
#[allow(unsafe_code)]
pub fn pairs_in<'py>(dict: &Bound<'py, PyDict>) -> Vec<Pair<'py>> {
    let (py, mut pairs, mut place) = (dict.py(), Vec::with_capacity(dict.len()), 0);
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: no code of Python runs meanwhile, so that the dict stays as it is; it holds the objects until they are held here, too.
    unsafe {
        while ffi::PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) != 0 {
            pairs.push((Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, value)));
        }
    }
    pairs
}

/// The bytes of a name.
pub fn name_of<'a>(name: &'a Bound<'_, PyAny>) -> PyResult<ByteString<'a>> {
    text_bytes(name)?.ok_or_else(|| wrong_type("str or bytes", name))
}

/// The item of a path that names a key.
pub fn key_item(key: &Bound<'_, PyAny>) -> String {
    format!("[{}]", show_any(key).unwrap_or_default())
}

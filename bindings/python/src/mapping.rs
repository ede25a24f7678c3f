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
use typed_arena::Arena;

use crate::buffers::is_stack_low;
use crate::errors::{about_value, check_stack, nested_too_deep, within_object, wrong_type};
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

/// The objects of containers at the time of reading. Values borrow from them, because a container may change meanwhile.
pub struct Objects<'py> {
    items: Arena<Bound<'py, PyAny>>,
    pairs: Arena<Vec<Pair<'py>>>,
    /// The shapes of the classes that were met, by the addresses of the classes.
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
    pub fn new() -> Self {
        Self::with_default(None)
    }

    pub fn with_default(default: Option<Bound<'py, PyAny>>) -> Self {
        Objects {
            items: Arena::with_capacity(0),
            pairs: Arena::with_capacity(0),
            shapes: RefCell::default(),
            last_plain: Cell::default(),
            default,
        }
    }

    /// The level of a value whose containers may nest this deep.
    pub fn level(&self, depth: u16) -> Level<'_, 'py> {
        Level { objects: self, depth }
    }
}

/// The depth that the containers of a value may have, and the objects that it borrows from.
#[derive(Clone, Copy)]
pub struct Level<'a, 'py> {
    objects: &'a Objects<'py>,
    depth: u16,
}

impl<'a, 'py> Level<'a, 'py> {
    /// One level less.
    pub fn deeper(self, py: Python<'py>) -> PyResult<Self> {
        let depth = self.depth.checked_sub(1).filter(|_| !is_stack_low()).ok_or_else(|| nested_too_deep(py))?;
        Ok(Level { depth, ..self })
    }

    /// An object that was not in a container.
    pub fn keep(self, object: Bound<'py, PyAny>) -> &'a Bound<'py, PyAny> {
        self.objects.items.alloc(object)
    }

    /// The items of a `list` or a plain `tuple`; `None` of any other object.
    pub fn items_of(self, object: &Bound<'py, PyAny>) -> Option<&'a [Bound<'py, PyAny>]> {
        if let Ok(list) = object.cast::<PyList>() {
            return Some(self.objects.items.alloc_extend(list));
        }
        object.cast_exact::<PyTuple>().ok().map(|tuple| &*self.objects.items.alloc_extend(tuple))
    }

    /// The items of an object that has to be a `list`, as an error calls it, or another sequence.
    pub fn list_of(self, expected: &str, object: &Bound<'py, PyAny>) -> PyResult<&'a [Bound<'py, PyAny>]> {
        match (self.items_of(object), object.cast::<PySequence>()) {
            (Some(items), _) => Ok(items),
            (None, Ok(items)) if text_bytes(object)?.is_none() => Ok(self.objects.items.alloc_extend(items.to_list()?)),
            _ => Err(wrong_type(expected, object)),
        }
    }

    /// Makes a value from the replacement of an object whose type the format does not have, such as the value of an enum. It is
    /// a function of its own, so that a level takes little stack.
    #[cold]
    #[inline(never)]
    pub fn plain<T>(
        self,
        format: &str,
        object: &Bound<'py, PyAny>,
        make: impl FnOnce(&'a Bound<'py, PyAny>, Self) -> PyResult<T>,
    ) -> PyResult<T> {
        static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = object.py();
        let plain = PLAIN.import(py, "enginewire._typed", "plain")?;
        let plain = plain.call1((object, format, self.objects.default.as_ref()))?;
        make(self.keep(plain), self.deeper(py)?)
    }

    /// The fields of an object of a class of the user, such as a dataclass, as entries; `None` of any other object. It is a function of
    /// its own, so that a level takes little stack.
    #[inline(never)]
    pub fn fields_of(self, format: &str, object: &Bound<'py, PyAny>) -> PyResult<Option<&'a [Pair<'py>]>> {
        let address = object.get_type_ptr() as usize;
        if object.is_exact_instance_of::<PyDict>() || self.objects.last_plain.get() == address {
            return Ok(None);
        }
        let shape = self.shape_of(format, object.get_type())?;
        let (same, fields, left_out) = match &shape.fields {
            Some(Fields::Named(same, fields, left_out)) => (same, fields, left_out),
            Some(Fields::Function(function)) => {
                let fields = function.call1((object,))?;
                return Ok(fields.cast::<PyDict>().ok().map(|fields| self.keep_pairs(pairs_in(fields))));
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
        Ok(Some(self.keep_pairs(pairs)))
    }

    fn keep_pairs(self, pairs: Vec<Pair<'py>>) -> &'a [Pair<'py>] {
        self.objects.pairs.alloc(pairs)
    }

    /// The entries of an object of a class of the user or of a mapping; `None` of any other object.
    pub fn fields_or_entries_of(self, format: &str, object: &Bound<'py, PyAny>) -> PyResult<Option<&'a [Pair<'py>]>> {
        match self.fields_of(format, object)? {
            Some(fields) => Ok(Some(fields)),
            None => self.entries_of(object),
        }
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

    /// The entries of a `dict` or another mapping; `None` of any other object.
    pub fn entries_of(self, object: &Bound<'py, PyAny>) -> PyResult<Option<&'a [Pair<'py>]>> {
        if let Ok(dict) = object.cast::<PyDict>() {
            return Ok(Some(self.keep_pairs(pairs_in(dict))));
        }
        let Ok(mapping) = object.cast::<PyMapping>() else { return Ok(None) };
        let entries = mapping.items().and_then(|items| items.iter().map(|entry| entry.extract()).collect());
        let entries: Vec<Pair<'py>> = entries.map_err(|error| about_value(object.py(), error))?;
        Ok(Some(self.keep_pairs(entries)))
    }

    /// The entries of an object that has to be a mapping.
    pub fn pairs_of(self, object: &Bound<'py, PyAny>) -> PyResult<&'a [Pair<'py>]> {
        self.entries_of(object)?.ok_or_else(|| wrong_type("dict or another mapping", object))
    }
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

/// The nesting limit for Python containers. It is higher than in most formats, so that the encoder reports their limit.
pub const DEPTH: u16 = 256;

/// Makes a value from each item. An error names the item. It is a function of its own, so that a level takes little stack.
#[inline(never)]
pub fn each_item<'a, 'py, T>(
    items: &'a [Bound<'py, PyAny>],
    make: impl Fn(&'a Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let mut made = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match make(item) {
            Ok(value) => made.push(value),
            Err(error) => return Err(within_object(item, error, || format!("[{index}]"))),
        }
    }
    Ok(made)
}

/// Makes a value from each key and each value, and joins both, like `each_item`.
#[inline(never)]
pub fn each_entry<'a, 'py, K, V, T>(
    entries: &'a [Pair<'py>],
    make_key: impl Fn(&'a Bound<'py, PyAny>) -> PyResult<K>,
    make_value: impl Fn(&'a Bound<'py, PyAny>) -> PyResult<V>,
    mut join: impl FnMut(K, V) -> T,
) -> PyResult<Vec<T>> {
    let mut made = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let wrong = |error| within_object(value, error, || key_item(key));
        // not a result of both, which would be copied from place to place
        let made_key = match make_key(key) {
            Ok(made) => made,
            Err(error) => return Err(wrong(error)),
        };
        match make_value(value) {
            Ok(value) => made.push(join(made_key, value)),
            Err(error) => return Err(wrong(error)),
        }
    }
    Ok(made)
}

/// The item of a path that names a key.
pub fn key_item(key: &Bound<'_, PyAny>) -> String {
    format!("[{}]", show_any(key).unwrap_or_default())
}

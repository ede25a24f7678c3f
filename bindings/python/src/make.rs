//! Makes objects of types from the values of a format. `_typed.py` compiles the types, and makes what has no case of its own here.

use pyo3::exceptions::{PyRecursionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySequence, PyTuple, PyType};

use crate::buffers::is_stack_low;
use crate::fields::show_any;
use crate::mapping::{key_item, Class};

/// A value that is not of a type, and the way to it.
static WRONG: Class = Class::new("enginewire._typed", "_Wrong");

/// Makes an object of a type. An error about the value is a `_Wrong`.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct Maker {
    /// The classes whose objects are of the type as they are.
    exact: Vec<Py<PyType>>,
    how: How,
}

enum How {
    Other(Py<PyAny>),
    /// A list of items. `items` returns those of another value.
    Items {
        items: Py<PyAny>,
        part: Py<PyAny>,
        class: Py<PyAny>,
    },
    /// A dict. `entries` returns that of another value.
    Entries {
        entries: Py<PyAny>,
        key: Py<PyAny>,
        value: Py<PyAny>,
    },
    /// An object of a class. `entries` returns the dict of another value; `is_ordered` is true if the class takes the fields by their
    /// order.
    Fields {
        entries: Py<PyAny>,
        class: Py<PyAny>,
        fields: Vec<Field>,
        is_ordered: bool,
    },
}

#[derive(FromPyObject)]
struct Field {
    #[pyo3(item(0))]
    key: Py<PyAny>,
    /// The name of the argument.
    #[pyo3(item(1))]
    name: Py<PyAny>,
    #[pyo3(item(2))]
    make: Py<PyAny>,
    #[pyo3(item(3))]
    is_needed: bool,
    #[pyo3(item(4))]
    may_be_none: bool,
}

#[pymethods]
impl Maker {
    /// The objects of these classes as they are, and what is made of others.
    #[new]
    fn new(exact: Vec<Py<PyType>>, other: Py<PyAny>) -> Self {
        Maker { exact, how: How::Other(other) }
    }

    #[staticmethod]
    fn items(items: Py<PyAny>, part: Py<PyAny>, class_: Py<PyAny>) -> Self {
        Maker { exact: Vec::new(), how: How::Items { items, part, class: class_ } }
    }

    #[staticmethod]
    fn entries(entries: Py<PyAny>, key: Py<PyAny>, value: Py<PyAny>) -> Self {
        Maker { exact: Vec::new(), how: How::Entries { entries, key, value } }
    }

    #[staticmethod]
    fn fields(entries: Py<PyAny>, class_: Py<PyAny>, fields: Vec<Field>, is_ordered: bool) -> Self {
        Maker { exact: Vec::new(), how: How::Fields { entries, class: class_, fields, is_ordered } }
    }

    #[getter]
    fn exact<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.exact)
    }

    fn __call__<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, class) = (value.py(), value.get_type());
        if self.exact.iter().any(|exact| exact.is(&class)) {
            return Ok(value.clone());
        }
        if let How::Other(other) = &self.how {
            return other.bind(py).call1((value,));
        }
        if is_stack_low() {
            return Err(PyRecursionError::new_err("little of the stack is left"));
        }
        match &self.how {
            How::Other(other) => other.bind(py).call1((value,)),
            How::Items { items, part, class } => made_items(value, items.bind(py), part.bind(py), class.bind(py)),
            How::Entries { entries, key, value: one } => {
                made_entries(value, entries.bind(py), key.bind(py), one.bind(py))
            }
            How::Fields { entries, class, fields, is_ordered } => {
                made_fields(&dict_of(value, entries.bind(py))?, class.bind(py), fields, *is_ordered)
            }
        }
    }
}

/// The object that a `Maker` or a function of Python makes.
fn made<'py>(make: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match make.cast_exact::<Maker>() {
        Ok(maker) => maker.get().__call__(value),
        Err(_) => make.call1((value,)),
    }
}

/// Adds a step to the way of an error about a value.
#[cold]
fn within(py: Python<'_>, error: PyErr, place: usize, shown: String) -> PyErr {
    let is_wrong = WRONG.get(py).is_ok_and(|wrong| error.is_instance(py, wrong));
    let append = || error.value(py).getattr("steps")?.call_method1("append", ((place, shown),));
    match is_wrong.then(append) {
        Some(Err(other)) => other,
        _ => error,
    }
}

/// The result of a call of a class. Its `TypeError` or `ValueError` is an error about the values.
fn called<'py>(py: Python<'py>, result: PyResult<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    result.map_err(|error| match error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py) {
        true => {
            let wrong = WRONG.exception(py, (error.value(py).to_string(),));
            wrong.set_cause(py, Some(error));
            wrong
        }
        false => error,
    })
}

fn made_items<'py>(
    value: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
    part: &Bound<'py, PyAny>,
    class: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let found = match value.cast_exact::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => items.call1((value,))?.cast_into::<PySequence>()?.to_list()?,
    };
    let list = PyList::empty(py);
    for (place, item) in found.iter().enumerate() {
        list.append(made(part, &item).map_err(|error| within(py, error, place, format!("[{place}]")))?)?;
    }
    match class.is(py.get_type::<PyList>()) {
        true => Ok(list.into_any()),
        false => called(py, class.call1((list,))),
    }
}

fn dict_of<'py>(value: &Bound<'py, PyAny>, entries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    match value.cast_exact::<PyDict>() {
        Ok(dict) => Ok(dict.clone()),
        Err(_) => Ok(entries.call1((value,))?.cast_into()?),
    }
}

fn made_entries<'py>(
    value: &Bound<'py, PyAny>,
    entries: &Bound<'py, PyAny>,
    make_key: &Bound<'py, PyAny>,
    make_value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let dict = PyDict::new(py);
    for (place, (key, one)) in dict_of(value, entries)?.iter().enumerate() {
        let entry = made(make_key, &key).and_then(|made_key| dict.set_item(made_key, made(make_value, &one)?));
        entry.map_err(|error| within(py, error, place, key_item(&key)))?;
    }
    Ok(dict.into_any())
}

fn made_fields<'py>(
    entries: &Bound<'py, PyDict>,
    class: &Bound<'py, PyAny>,
    fields: &[Field],
    is_ordered: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let mut arguments = Vec::with_capacity(fields.len());
    for Field { key, name, make, is_needed, may_be_none } in fields {
        let key = key.bind(py);
        if let Some(found) = entries.get_item(key)? {
            let field = made(make.bind(py), &found).map_err(|error| {
                let place = entries.iter().position(|(other, _)| other.eq(key).unwrap_or_default());
                within(py, error, place.unwrap_or_default(), key_item(key))
            })?;
            arguments.push((name, field));
        } else if *is_needed && *may_be_none {
            arguments.push((name, py.None().into_bound(py)));
        } else if *is_needed {
            return Err(WRONG.exception(py, (format!("the key {} is missing", show_any(key)?),)));
        }
    }
    let object = match is_ordered && arguments.len() == fields.len() {
        true => class.call1(PyTuple::new(py, arguments.into_iter().map(|(_, field)| field))?),
        false => {
            let named = PyDict::new(py);
            for (name, field) in arguments {
                named.set_item(name, field)?;
            }
            class.call((), Some(&named))
        }
    };
    called(py, object)
}

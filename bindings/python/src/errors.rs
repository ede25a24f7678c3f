//! The errors of the library as exceptions of Python.

use enginewire::{DecodeError, EncodeError};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::buffers::is_stack_low;
use crate::mapping::Class;

static DECODE_ERROR: Class = Class::new("enginewire._errors", "DecodeError");
static ENCODE_ERROR: Class = Class::new("enginewire._errors", "EncodeError");

/// A `DecodeError`.
pub fn decode_error(py: Python<'_>, error: &DecodeError) -> PyErr {
    let fault = error.fault();
    let offset = error.offset();
    let arguments =
        (error.to_string(), offset.byte(), offset.bit(), error.path().to_string(), fault.expected(), fault.code());
    DECODE_ERROR.exception(py, arguments)
}

/// A `DecodeError` about a file. It has no path and no expected values.
pub fn file_error(py: Python<'_>, message: impl ToString, offset: u64, code: &str) -> PyErr {
    let none: Option<String> = None;
    DECODE_ERROR.exception(py, (message.to_string(), offset, 0, "", none, code))
}

/// A `DecodeError` for a type of the library that Python has no class for.
pub fn no_class(py: Python<'_>, name: &str) -> PyErr {
    file_error(py, format!("{name} has no class"), 0, "other")
}

/// An `EncodeError` of the library.
pub fn encode_error(py: Python<'_>, error: &EncodeError) -> PyErr {
    ENCODE_ERROR.exception(py, (error.reason().to_string(), error.path().to_string()))
}

/// An `EncodeError`, at no path yet.
pub fn refused(py: Python<'_>, message: impl ToString) -> PyErr {
    ENCODE_ERROR.exception(py, (message.to_string(), ""))
}

/// An `EncodeError` for a value that is nested too deep, perhaps since it contains itself: `within_object` finds out.
#[cold]
pub fn nested_too_deep(py: Python<'_>) -> PyErr {
    ENCODE_ERROR.exception(py, (if is_stack_low() { NO_STACK } else { "containers are nested too deep" }, "…"))
}

const NO_STACK: &str =
    "containers are nested too deep for the stack of this thread; threading.stack_size gives new threads more";

/// A `DecodeError` if little stack is left for the objects in a container. They are made on the stack that Python watches.
#[inline]
pub fn check_stack(py: Python<'_>) -> PyResult<()> {
    match is_stack_low() {
        true => Err(file_error(py, NO_STACK, 0, "too-deep")),
        false => Ok(()),
    }
}

/// A `TypeError` for an argument.
pub fn wrong_type(expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {expected}, found {name}"))
}

/// An error about a value as an `EncodeError`; any other error as it is.
pub fn about_value(py: Python<'_>, error: PyErr) -> PyErr {
    let is_of_argument = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
        || error.is_instance_of::<PyValueError>(py);
    match is_of_argument && !is_encode_error(py, &error) {
        true => refused(py, error.value(py)),
        false => error,
    }
}

fn is_encode_error(py: Python<'_>, error: &PyErr) -> bool {
    ENCODE_ERROR.get(py).is_ok_and(|class| error.is_instance(py, class))
}

/// Adds the item, which is this object, to the path of an `EncodeError`. An error about an argument becomes an `EncodeError`, too.
#[cold]
#[inline(never)]
pub fn within_object(object: &Bound<'_, PyAny>, error: PyErr, item: impl FnOnce() -> String) -> PyErr {
    let py = object.py();
    let error = about_value(py, error);
    if !is_encode_error(py, &error) {
        return error;
    }
    match error.value(py).call_method1("_within", (item(), object)) {
        Ok(_) => error,
        Err(other) => other,
    }
}

//! Bytes of Python objects, read without copying them where nobody can change them.

use std::sync::{Mutex, MutexGuard};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyMemoryView};

/// The bytes of an object with the buffer protocol.
pub enum Input<'py> {
    /// A `bytes` object, which never changes: the object itself, or a copy of a buffer that Python code can write to.
    Bytes(Bound<'py, PyBytes>),
    /// A read-only buffer.
    Buffer(PyBuffer<u8>),
}

impl<'py> Input<'py> {
    /// The bytes of an object.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone()));
        }
        // a closed buffer raises its own error
        let wrong = |error: PyErr| match error.is_instance_of::<PyTypeError>(object.py()) {
            true => crate::errors::wrong_type("an object with a buffer, such as bytes", object),
            false => error,
        };
        let buffer = match PyBuffer::<u8>::get(object) {
            Ok(buffer) if buffer.is_c_contiguous() => buffer,
            // of another item type: the same memory as bytes
            _ => {
                let view = PyMemoryView::from(object).map_err(wrong)?;
                match view.call_method1("cast", ("B",)).and_then(|flat| PyBuffer::get(&flat)) {
                    Ok(buffer) => buffer,
                    // not in one piece
                    Err(_) => return Ok(Input::Bytes(view.call_method0("tobytes")?.cast_into()?)),
                }
            }
        };
        // a view that cannot be written through, but of what can be
        let viewed = object.cast::<PyMemoryView>().ok().and_then(|view| view.getattr("obj").ok());
        let is_fixed =
            |object: &Bound<'py, PyAny>| PyBuffer::<u8>::get(object).map_or(true, |buffer| buffer.readonly());
        match buffer.readonly() && viewed.is_none_or(|object| is_fixed(&object)) {
            true => Ok(Input::Buffer(buffer)),
            false => Ok(Input::Bytes(PyBytes::new(object.py(), &buffer.to_vec(object.py())?))),
        }
    }

    /// The object whose buffer has these bytes, for views of it.
    pub fn owner(&self, object: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        match self {
            Input::Bytes(bytes) => bytes.clone().into_any(),
            Input::Buffer(_) => object.clone(),
        }
    }

    /// The bytes.
    #[allow(unsafe_code)]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes.as_bytes(),
            Input::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: the buffer is contiguous and read-only, which `of` checked, and it is held, so that its memory stays
            // where it is for as long as `self` lives. An exporter that says read-only promises not to write.
            Input::Buffer(buffer) => unsafe {
                std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>().cast_const(), buffer.len_bytes())
            },
        }
    }
}

/// Inputs below this size are not worth another thread's turn.
const LARGE: usize = 16 << 10;

/// Works on bytes; other Python threads run meanwhile if there are many.
pub fn detached<'b, T: Send>(py: Python<'_>, bytes: &'b [u8], work: impl FnOnce(&'b [u8]) -> T + Send) -> T {
    match bytes.len() < LARGE {
        true => work(bytes),
        false => py.detach(|| work(bytes)),
    }
}

/// Locks a mutex from a thread of Python.
pub fn locked<'m, T>(py: Python<'_>, mutex: &'m Mutex<T>) -> PyResult<MutexGuard<'m, T>> {
    mutex.lock_py_attached(py).map_err(|_| PyRuntimeError::new_err("an earlier call ended in the middle"))
}

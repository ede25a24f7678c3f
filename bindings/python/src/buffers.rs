//! Bytes of Python objects, read without copying them where nobody can change them.

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

/// A buffer that stays where it is for as long as this object lives: its owner refuses to close or to resize it.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct Held(PyBuffer<u8>);

#[pymethods]
impl Held {
    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let Held(buffer) = slf.get();
        let length = buffer.len_bytes() as ffi::Py_ssize_t;
        // SAFETY: Python gives the view to fill, and this holds the memory, which nobody may write to.
        match unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), buffer.buf_ptr(), length, 1, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// The bytes of an object with the buffer protocol.
pub enum Input<'py> {
    /// A `bytes` object, which never changes: the object itself, or a copy of what may change.
    Bytes(Bound<'py, PyBytes>),
    /// Other memory that nobody can write to.
    Held(Bound<'py, Held>),
}

impl<'py> Input<'py> {
    /// The bytes of an object.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone()));
        }
        let py = object.py();
        match py.import("enginewire._buffers")?.call_method1("fixed", (object,))?.cast_into::<PyBytes>() {
            Ok(bytes) => Ok(Input::Bytes(bytes)),
            Err(view) => Ok(Input::Held(Bound::new(py, Held(PyBuffer::get(&view.into_inner())?))?)),
        }
    }

    /// The object whose buffer has these bytes, for views of it.
    pub fn owner(&self) -> &Bound<'py, PyAny> {
        match self {
            Input::Bytes(bytes) => bytes,
            Input::Held(held) => held,
        }
    }

    /// The bytes.
    #[allow(unsafe_code)]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes.as_bytes(),
            // SAFETY: the memory stays where it is for as long as the buffer is held, and nobody writes to it: see `_buffers.py`.
            Input::Held(held) => held.get().0.as_slice_ptr().map_or(&[], |bytes| unsafe { bytes.as_ref() }),
        }
    }
}

/// Inputs below this size are not worth another thread's turn.
const LARGE: usize = 16 << 10;

/// Works on bytes; other Python threads run meanwhile if there are many.
pub fn detached<'b, T: Send>(py: Python<'_>, bytes: &'b [u8], work: impl FnOnce(&'b [u8]) -> T + Send) -> T {
    match bytes.len() < LARGE {
        true => roomy(|| work(bytes)),
        false => away(py, || work(bytes)),
    }
}

/// Works while other Python threads run.
pub fn away<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| roomy(work))
}

/// The stack that the deepest value takes, with a reserve. It is less than a thread has on any system, so that few calls need more.
const STACK: usize = if cfg!(debug_assertions) { 3 << 20 } else { 3 << 19 };

/// Works with as much stack as the deepest value takes. What calls Python must not do so there: it watches the stack of the thread.
pub fn roomy<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK, 2 * STACK, work)
}

/// True if little of the stack of the thread is left for what a container holds.
pub fn is_stack_low() -> bool {
    stacker::remaining_stack().is_some_and(|left| left < 48 << 10)
}

/// Locks a mutex from a thread of Python.
pub fn locked<'m, T>(py: Python<'_>, mutex: &'m Mutex<T>) -> PyResult<MutexGuard<'m, T>> {
    mutex.lock_py_attached(py).map_err(|_| PyRuntimeError::new_err("an earlier call ended in the middle"))
}

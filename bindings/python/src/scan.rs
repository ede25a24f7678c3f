//! `enginewire.scan`: the attributes of many files as record batches of Arrow.

mod file;
mod items;
mod schema;
mod threads;
mod value;
mod walk;

use std::num::NonZero;
use std::path::PathBuf;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::RecordBatchIterator;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::ArrowError;
use enginewire::formats::FormatOptions;
use enginewire_files::scan::{path_of, Walk, Walked};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};

use items::Items;
use schema::{Columns, COLUMNS};

/// The files to scan.
enum Input {
    Paths { paths: Vec<PathBuf>, walk: Walk, threads: usize },
    Items(Py<PyAny>),
}

/// The rows of many files, as record batches of Arrow. Whatever reads the PyCapsule interface of Arrow reads it:
/// `pyarrow.table(scan)`, `polars.DataFrame(scan)`, DuckDB by way of its name. Each reading scans the files again.
#[pyclass(module = "enginewire", frozen)]
pub struct Scan {
    input: Input,
    columns: Columns,
    scan: enginewire_files::scan::Scan,
}

fn columns_of(names: Option<Vec<String>>, filter: Vec<(String, Vec<String>)>) -> PyResult<Columns> {
    Columns::new(names.as_deref(), filter).map_err(PyValueError::new_err)
}

fn scan_within(max_memory: usize) -> PyResult<enginewire_files::scan::Scan> {
    if max_memory == 0 {
        return Err(PyValueError::new_err("max_memory is 0; expected a number of bytes"));
    }
    let mut scan = enginewire_files::scan::Scan::new(&FormatOptions::new(), "max_memory");
    scan.limit.bytes = max_memory;
    Ok(scan)
}

/// Works with Python in a stream, whose reader may have it or not. pyo3 believes that a thread has it where an outer call of the
/// package does, even if a library between the two has released it. `None` where Python has ended.
#[allow(unsafe_code)]
fn with_python<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    // SAFETY: the first may always be called, the others while Python runs. A panic does not leave a stream: it aborts.
    unsafe {
        if ffi::Py_IsInitialized() == 0 {
            return None;
        }
        let state = ffi::PyGILState_Ensure();
        let done = Python::try_attach(work);
        ffi::PyGILState_Release(state);
        done
    }
}

/// An exception as an error of Arrow. Libraries keep only its text, so Ctrl-C is set again for Python to raise.
fn raised(py: Python<'_>, error: PyErr) -> ArrowError {
    // before Ctrl-C is set: any code of Python after that would raise it
    let text = error.to_string();
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        let _ = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
    }
    ArrowError::ExternalError(text.into())
}

#[pymethods]
impl Scan {
    /// A stream of record batches, which is read once.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // the interface lets a producer keep its own types
        let _ = requested_schema;
        let batches: Box<dyn Iterator<Item = _> + Send> = match &self.input {
            Input::Paths { paths, walk, threads } => {
                let files = walk::files(paths.clone(), *walk);
                let batches = threads::batches(files, self.columns.clone(), self.scan, *threads);
                Box::new(batches.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?)
            }
            Input::Items(items) => {
                let items = PyIterator::from_object(items.bind(py))?.unbind();
                Box::new(Items::new(items, self.columns.clone(), self.scan))
            }
        };
        // a library that reads all batches does not look for Ctrl-C, which comes to the main thread
        let interrupted = || with_python(|py| py.check_signals().map_err(|error| raised(py, error))).unwrap_or(Ok(()));
        let batches = batches.map(move |batch| batch.and_then(|batch| interrupted().map(|()| batch)));
        let batches = Box::new(RecordBatchIterator::new(batches, self.columns.schema()));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), c"arrow_array_stream")
    }

    /// The schema of the record batches.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.columns.schema());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

/// The rows of files and folders; see `enginewire.scan`.
#[pyfunction]
pub fn scan_paths(
    paths: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    filter: Vec<(String, Vec<String>)>,
    max_memory: usize,
    threads: Option<usize>,
    hidden: bool,
    no_ignore: bool,
) -> PyResult<Scan> {
    let threads = match threads {
        Some(0) => return Err(PyValueError::new_err("threads is 0; expected at least 1")),
        Some(threads) => threads.min(256),
        None => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    let input = Input::Paths { paths, walk: Walk { hidden, no_ignore }, threads };
    Ok(Scan { input, columns: columns_of(columns, filter)?, scan: scan_within(max_memory)? })
}

/// The rows of an iterable of `(name, source)`; see `enginewire.scan_items`.
#[pyfunction]
pub fn scan_items(
    items: Py<PyAny>,
    columns: Option<Vec<String>>,
    filter: Vec<(String, Vec<String>)>,
    max_memory: usize,
) -> PyResult<Scan> {
    let input = Input::Items(items);
    Ok(Scan { input, columns: columns_of(columns, filter)?, scan: scan_within(max_memory)? })
}

/// The files that a scan of these paths reads, with their sizes; 0 for one that cannot be read.
#[pyfunction]
pub fn list_files(py: Python<'_>, paths: Vec<PathBuf>, hidden: bool, no_ignore: bool) -> Vec<(PathBuf, u64)> {
    let about = |file: Walked| {
        let path = path_of(&file);
        (path.to_owned(), path.metadata().map_or(0, |about| about.len()))
    };
    py.detach(|| walk::files(paths, Walk { hidden, no_ignore }).map(about).collect())
}

/// The number of files that a scan of these paths reads.
#[pyfunction]
pub fn count_files(py: Python<'_>, paths: Vec<PathBuf>, hidden: bool, no_ignore: bool) -> usize {
    py.detach(|| walk::files(paths, Walk { hidden, no_ignore }).count())
}

/// The names of the columns, and what each is.
#[pyfunction]
pub fn scan_columns() -> Vec<(&'static str, &'static str)> {
    COLUMNS.iter().map(|column| (column.name, column.about)).collect()
}

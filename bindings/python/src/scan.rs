//! `enginewire.scan`: the attributes of many files as record batches of Arrow.

mod file;
mod items;
mod schema;
mod threads;
mod value;
mod walk;

use std::num::NonZero;
use std::path::{Path, PathBuf};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::RecordBatchReader;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};

use items::Items;
use schema::{Column, Columns};
use threads::Batches;
use walk::Rules;

/// What files are read from.
enum Input {
    Paths { paths: Vec<PathBuf>, rules: Rules, threads: usize },
    Items(Py<PyAny>),
}

/// The rows of many files, as record batches of Arrow. Whatever reads the PyCapsule interface of Arrow reads it:
/// `pyarrow.table(scan)`, `polars.DataFrame(scan)`, DuckDB by way of its name. Each reading scans the files again.
#[pyclass(module = "enginewire", frozen)]
struct Scan {
    input: Input,
    columns: Columns,
    limit: usize,
}

fn columns_of(names: Option<Vec<String>>) -> PyResult<Columns> {
    Columns::new(names.as_deref()).map_err(|name| {
        let known: Vec<_> = Column::ALL.iter().map(|column| column.name()).collect();
        PyValueError::new_err(format!("unknown column {name:?}; expected some of {}", known.join(", ")))
    })
}

fn limit_of(max_memory: usize) -> PyResult<usize> {
    match max_memory {
        0 => Err(PyValueError::new_err("max_memory is 0; expected a number of bytes")),
        limit => Ok(limit),
    }
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
        let batches: Box<dyn RecordBatchReader + Send> = match &self.input {
            Input::Paths { paths, rules, threads } => {
                let files = walk::files(paths.clone(), *rules);
                let batches = Batches::new(files, self.columns.clone(), self.limit, *threads);
                Box::new(batches.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?)
            }
            Input::Items(items) => {
                let items = PyIterator::from_object(items.bind(py))?.unbind();
                Box::new(Items::new(items, self.columns.clone(), self.limit))
            }
        };
        PyCapsule::new(py, FFI_ArrowArrayStream::new(batches), Some(c"arrow_array_stream".to_owned()))
    }

    /// The schema of the record batches.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.columns.schema());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new(py, schema, Some(c"arrow_schema".to_owned()))
    }
}

/// The rows of files and folders; see `enginewire.scan`.
#[pyfunction]
fn scan_paths(
    paths: Vec<PathBuf>,
    columns: Option<Vec<String>>,
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
    let input = Input::Paths { paths, rules: Rules { hidden, no_ignore }, threads };
    Ok(Scan { input, columns: columns_of(columns)?, limit: limit_of(max_memory)? })
}

/// The rows of an iterable of `(name, source)`; see `enginewire.scan_items`.
#[pyfunction]
fn scan_items(items: Py<PyAny>, columns: Option<Vec<String>>, max_memory: usize) -> PyResult<Scan> {
    Ok(Scan { input: Input::Items(items), columns: columns_of(columns)?, limit: limit_of(max_memory)? })
}

/// The files that a scan of these paths reads, with their sizes; 0 for one that cannot be read.
#[pyfunction]
fn list_files(py: Python<'_>, paths: Vec<PathBuf>, hidden: bool, no_ignore: bool) -> Vec<(PathBuf, u64)> {
    let size = |path: &Path| path.metadata().map_or(0, |about| about.len());
    let files = || threads::paths(walk::files(paths, Rules { hidden, no_ignore }));
    py.detach(|| files().map(|path| (path.clone(), size(&path))).collect())
}

/// The names of the columns, and what each is.
#[pyfunction]
fn scan_columns() -> Vec<(&'static str, &'static str)> {
    Column::ALL.iter().map(|column| (column.name(), column.about())).collect()
}

/// Adds the scan to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Scan>()?;
    module.add_function(wrap_pyfunction!(scan_paths, module)?)?;
    module.add_function(wrap_pyfunction!(scan_items, module)?)?;
    module.add_function(wrap_pyfunction!(list_files, module)?)?;
    module.add_function(wrap_pyfunction!(scan_columns, module)?)
}

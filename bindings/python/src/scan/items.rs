//! Files that Python hands over one by one: bytes, local copies, or why they cannot be read.

use std::ops::ControlFlow;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use enginewire_files::scan::Scan;
use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyIterator};

use crate::buffers::roomy;

use super::file::{Reading, Source};
use super::schema::{Columns, Rows};
use super::{raised, with_python};

/// The batches of an iterator of `(name, source)`.
pub struct Items {
    /// `None` once this is dropped.
    items: Option<Py<PyIterator>>,
    columns: Columns,
    rows: Rows,
    scan: Scan,
    reading: Option<Reading>,
    is_done: bool,
}

impl Items {
    pub fn new(items: Py<PyIterator>, columns: Columns, scan: Scan) -> Self {
        Items { items: Some(items), rows: Rows::new(&columns), columns, scan, reading: None, is_done: false }
    }

    /// The next file.
    fn next_file(&self) -> Result<Option<(String, Source)>, ArrowError> {
        let next = |py: Python<'_>| {
            let item = self.items.as_ref().and_then(|items| items.bind(py).clone().next());
            let Some(item) = item else { return Ok(None) };
            let (name, source): (String, Bound<'_, PyAny>) = item?.extract()?;
            Ok(Some((name, source_of(&source)?)))
        };
        with_python(|py| next(py).map_err(|error| raised(py, error)))
            .unwrap_or_else(|| Err(ArrowError::ExternalError("Python has ended".into())))
    }

    fn fill(&mut self) -> Result<(), ArrowError> {
        while !self.is_done && !self.rows.is_full() {
            match &mut self.reading {
                Some(reading) => {
                    if !roomy(|| reading.step(&mut self.rows)) {
                        self.reading = None;
                    }
                }
                None => match self.next_file() {
                    Ok(Some((name, source))) => {
                        let (of, all) = ((&self.scan, &self.columns), self.scan.limit.most());
                        let reading = roomy(|| Reading::new(name, &source, of, all, || ControlFlow::Continue(())));
                        self.reading = reading.continue_value();
                        with_python(|_| drop(source));
                    }
                    Ok(None) => self.is_done = true,
                    Err(error) => {
                        self.is_done = true;
                        return Err(error);
                    }
                },
            }
        }
        Ok(())
    }
}

fn source_of(source: &Bound<'_, PyAny>) -> PyResult<Source> {
    if let Ok(bytes) = source.extract::<PyBackedBytes>() {
        return Ok(Source::Bytes(bytes));
    }
    if source.is_instance_of::<PyBaseException>() {
        return Ok(Source::Unread(source.str()?.to_string_lossy().into_owned()));
    }
    if source.hasattr("__fspath__")? {
        return Ok(Source::Path(source.extract::<PathBuf>()?));
    }
    // memoryview and the like are copied
    match source.py().get_type::<PyBytes>().call1((source,)) {
        Ok(bytes) if !source.is_instance_of::<pyo3::types::PyInt>() => Ok(Source::Bytes(bytes.extract()?)),
        _ => {
            let name = source.get_type().name()?;
            Err(PyTypeError::new_err(format!("expected bytes, a path or an exception, found {name}")))
        }
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        let items = self.items.take();
        with_python(|_| drop(items));
    }
}

impl Iterator for Items {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            return Some(Err(error));
        }
        (!self.rows.is_empty()).then(|| self.rows.take())
    }
}

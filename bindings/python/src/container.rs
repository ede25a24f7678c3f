//! Any file that holds values, with the layers around it: what `enginewire.open_file` is built on.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use enginewire::formats::{FormatOptions, OptionError, OptionValue};
use enginewire_files::address::{Pattern, Syntax};
use enginewire_files::containers::{Addition, ContainerError, FileSource, ValueChange};
use enginewire_files::file::{self, Asked, AskedError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffers::{away, Input};
use crate::errors::{file_error, refused};
use crate::fields::argument;

fn container_error(py: Python<'_>, error: &ContainerError, offset: Option<u64>) -> PyErr {
    let code = match error {
        ContainerError::Truncated(_) => "truncated",
        ContainerError::TooLarge { .. } | ContainerError::TooMuch(_) | ContainerError::OverLimit(_) => "too-large",
        ContainerError::Refused(_) | ContainerError::NeedsKey(_) => "refused",
        ContainerError::Unreadable(_) => "unreadable",
        ContainerError::Unknown(_) => "unknown-file",
        _ => "malformed",
    };
    file_error(py, error, offset.unwrap_or_default(), code)
}

/// The error of a change that a file cannot have.
fn changed_error(py: Python<'_>, error: &ContainerError) -> PyErr {
    match error {
        ContainerError::Refused(reason) => refused(py, reason),
        other => container_error(py, other, None),
    }
}

/// The options with these names.
pub fn options_of(options: Option<&Bound<'_, PyDict>>) -> PyResult<FormatOptions> {
    let mut all = FormatOptions::new();
    for (name, value) in options.into_iter().flatten() {
        let name = name.extract::<String>()?;
        let value = match value.extract::<bool>() {
            Ok(flag) => OptionValue::from(flag),
            _ if value.hasattr("__index__")? => value.extract::<u64>()?.into(),
            _ => argument::<String>(&name, &value)?.into(),
        };
        all = all.set(&name, value).map_err(|error| match error {
            OptionError::Unknown { .. } => PyTypeError::new_err(error.to_string()),
            other => PyValueError::new_err(other.to_string()),
        })?;
    }
    Ok(all)
}

/// A pattern of addresses.
pub fn pattern_of(syntax: Syntax, text: &str) -> PyResult<Pattern> {
    Pattern::parse(syntax, text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A file, as it was when it was read.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct File(file::File);

/// A value that was listed.
struct Listed {
    address: String,
    is_value: bool,
    /// A range of the file inside the layers, or else a copy.
    bytes: Result<Result<Range<usize>, Vec<u8>>, ContainerError>,
    broken_at: Option<u64>,
    about: Option<String>,
}

/// All values, the error after them, and the formats that they can have.
type All = (Vec<Listed>, Option<ContainerError>, Vec<String>);

/// Address, whether it is a value, the place of its bytes in the file inside the layers, else its bytes, else the error; and a
/// description.
type ValueParts = (String, bool, Option<(usize, usize)>, Option<Py<PyBytes>>, Option<Py<PyAny>>, String);

/// All values, the error after them, and the formats that they can have.
type FileParts = (Vec<ValueParts>, Option<Py<PyAny>>, Vec<String>);

impl File {
    /// All values, the error after them, and the formats that they can have.
    fn list(&self) -> Result<All, ContainerError> {
        let (inner, mut all) = (self.0.layers().inner(), Vec::new());
        let end = self.0.values(&mut |value| {
            let is_value = !value.formats.is_empty();
            let bytes = value.bytes.map(|bytes| {
                let start = value.start.and_then(|start| usize::try_from(start).ok()).unwrap_or_default();
                let place = start..start.saturating_add(bytes.len());
                match inner.get(place.clone()) == Some(&*bytes) {
                    true => Ok(place),
                    false => Err(bytes.into_owned()),
                }
            });
            let (address, about) = (self.0.text_of(&value.address), value.about.stored());
            all.push(Listed { address, is_value, bytes, broken_at: value.broken_at, about });
            ControlFlow::Continue(())
        });
        Ok((all, end.err(), self.0.formats()?.into_iter().map(str::to_owned).collect()))
    }
}

#[pymethods]
impl File {
    #[new]
    fn new(buffer: &Bound<'_, PyAny>, asked: Option<&str>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (py, input, options) = (buffer.py(), Input::of(buffer)?, options_of(Some(options))?);
        let asked = asked.map(str::parse).transpose();
        let asked: Asked =
            asked.map_err(|error: AskedError| PyValueError::new_err(error.to_string()))?.unwrap_or_default();
        let bytes = input.bytes();
        away(py, || file::File::open(FileSource::Bytes(bytes.to_vec()), &asked, &options))
            .map(File)
            .map_err(|error| container_error(py, &error, None))
    }

    /// The layers, outermost first.
    #[getter]
    fn layers(&self) -> String {
        self.0.layers().names()
    }

    /// The kind of the file inside the layers.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind_name()
    }

    /// All values, the error after them, and the formats that they can have.
    fn values(&self, py: Python<'_>) -> PyResult<FileParts> {
        let raised = |error: &ContainerError, offset| container_error(py, error, offset).into_value(py).into_any();
        let listed = away(py, || self.list()).map_err(|error| container_error(py, &error, None))?;
        let (values, end, formats) = listed;
        let values = values.into_iter().map(|Listed { address, is_value, bytes, broken_at, about }| {
            let (mut place, mut data, mut error) = (None, None, None);
            match bytes {
                Ok(Ok(at)) => place = Some((at.start, at.end)),
                Ok(Err(bytes)) => data = Some(PyBytes::new(py, &bytes).unbind()),
                Err(fault) => error = Some(raised(&fault, broken_at)),
            }
            (address, is_value, place, data, error, about.unwrap_or_default())
        });
        Ok((values.collect(), end.map(|error| raised(&error, None)), formats))
    }

    /// The numbers of the values whose addresses match a pattern.
    fn glob(&self, py: Python<'_>, pattern: &str) -> PyResult<Vec<usize>> {
        let pattern = pattern_of(self.0.syntax(), pattern)?;
        let (mut found, mut number) = (Vec::new(), 0);
        // an error after the values is in the list of them
        let _ = away(py, || {
            self.0.values(&mut |value| {
                if pattern.fits(&value.address) {
                    found.push(number);
                }
                number += 1;
                ControlFlow::Continue(())
            })
        });
        Ok(found)
    }

    /// Bytes of the file inside the layers.
    fn part<'py>(&self, py: Python<'py>, start: usize, end: usize) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.layers().inner().get(start..end).unwrap_or_default())
    }

    /// An error if no value of such a file has this address.
    fn check_address(&self, py: Python<'_>, address: &str) -> PyResult<()> {
        self.0.address(address).map(drop).map_err(|error| changed_error(py, &error))
    }

    /// The whole file with other bytes for the values with these numbers, or without them, and with new values.
    fn replaced<'py>(
        &self,
        py: Python<'py>,
        changes: HashMap<usize, Option<Vec<u8>>>,
        added: Vec<(String, Vec<u8>)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let replaced = away(py, || {
            let added: Result<Vec<_>, ContainerError> =
                added.iter().map(|(address, bytes)| Ok((self.0.address(address)?, bytes))).collect();
            let added = added?;
            let (mut addresses, mut number) = (Vec::new(), 0);
            // an error after the values is that of `changed`, if it matters there
            let _ = self.0.values(&mut |value| {
                if let Some(bytes) = changes.get(&number) {
                    addresses.push((value.address.into_address(), bytes));
                }
                number += 1;
                ControlFlow::Continue(())
            });
            let changes = addresses.iter().map(|(address, bytes)| match bytes {
                Some(bytes) => ValueChange::Replace { address, bytes },
                None => ValueChange::Remove(address),
            });
            let added = added
                .iter()
                .map(|(address, bytes)| ValueChange::Add(Addition { address, bytes, about: &[], is_first: false }));
            self.0.changed(&changes.chain(added).collect::<Vec<_>>())
        });
        replaced.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| changed_error(py, &error))
    }
}

/// The names most like one that is not known.
#[pyfunction]
pub fn nearest(name: &str, known: Vec<String>) -> Vec<String> {
    enginewire::formats::nearest(name, known.into_iter())
}

//! Any file that holds values, with the layers around it: what `enginewire.open_file` is built on.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use enginewire::formats::{Confidence, FormatOptions, OptionError, OptionValue};
use enginewire::godot::Framing;
use enginewire_files::address::Address;
use enginewire_files::containers::{Container, ContainerError, ContainerKind, Embedded, FileSource, ValueChange};
use enginewire_files::godot::Layers;
use enginewire_files::guess::{guess, Guess, Kind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffers::{away, Input};
use crate::errors::{file_error, refused};

fn container_error(py: Python<'_>, error: &ContainerError, offset: Option<u64>) -> PyErr {
    let code = match error {
        ContainerError::Truncated(_) => "truncated",
        ContainerError::TooLarge { .. } | ContainerError::TooMuch(_) | ContainerError::OverLimit(_) => "too-large",
        ContainerError::Refused(_) | ContainerError::NeedsKey(_) => "refused",
        ContainerError::Unreadable(_) => "unreadable",
        _ => "malformed",
    };
    file_error(py, error, offset.unwrap_or_default(), code)
}

/// The options with these names.
pub fn options_of(options: Option<&Bound<'_, PyDict>>) -> PyResult<FormatOptions> {
    let mut all = FormatOptions::new();
    for (name, value) in options.into_iter().flatten() {
        let value = match (value.extract::<bool>(), value.extract::<i128>()) {
            (Ok(flag), _) => OptionValue::from(flag),
            // a negative number is too large for any option
            (_, Ok(number)) => u64::try_from(number).unwrap_or(u64::MAX).into(),
            _ => value.extract::<String>()?.into(),
        };
        all = all.set(&name.extract::<String>()?, value).map_err(|error| match error {
            OptionError::Unknown { .. } => PyTypeError::new_err(error.to_string()),
            other => PyValueError::new_err(other.to_string()),
        })?;
    }
    Ok(all)
}

/// A file, as it was when it was read.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct File {
    layers: Layers,
    /// `None` if the file inside the layers is one value, or something that is not read.
    container: Option<ContainerKind>,
    kind: &'static str,
    /// The formats that the values can have, or the one that was asked for.
    formats: Vec<String>,
    options: FormatOptions,
}

/// The file inside the layers as a container of one value, whose address is empty.
#[derive(Debug)]
struct Single<'f>(&'f [u8]);

impl Container for Single<'_> {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let _ = each(Embedded::new(Address::of_file(), &[], Ok(self.0)));
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        match changes.first() {
            Some(ValueChange::Replace { bytes, .. }) => Ok(bytes.to_vec()),
            _ => Ok(self.0.to_vec()),
        }
    }
}

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
    fn detect(layers: Layers, format: Option<&str>, options: FormatOptions) -> Result<Self, String> {
        let inner = layers.inner();
        let (mut kind, mut formats) = ("value", Vec::from_iter(format.map(str::to_owned)));
        let mut container = match format {
            Some("godot-packets") => Some(ContainerKind::ScenePackets),
            _ => ContainerKind::detect(inner),
        };
        container = container.or(Framing::given(&options).map(ContainerKind::Frames));
        if container.is_none() {
            let guesses = guess(inner, &options);
            let is_plain = |guess: &&Guess| {
                let is_whole = guess.offset == 0 && guess.length.is_none() && guess.option.is_none();
                is_whole && guess.confidence > Confidence::Possible
            };
            let mut plain = guesses.iter().filter(is_plain);
            // one value of the format that was asked for, or what is likeliest
            let is_asked = |guess: &&Guess| matches!(guess.kind, Kind::Value(found) if Some(found.name()) == format);
            let found = plain.clone().find(is_asked).or_else(|| plain.next());
            match found.map(|guess| guess.kind) {
                Some(Kind::Values(found, of)) if format.is_none_or(|format| format == of.name()) => {
                    container = Some(found);
                }
                _ if format.is_some() => {}
                Some(Kind::Value(_)) => {
                    let values = guesses.iter().filter(is_plain).filter(|guess| matches!(guess.kind, Kind::Value(_)));
                    formats = values.filter_map(|guess| Some(guess.format()?.name().to_owned())).collect();
                }
                _ if layers.is_empty() => {
                    let reason =
                        guesses.first().map_or("no known kind of file".to_owned(), |guess| guess.reason.clone());
                    return Err(format!("the file holds no values that can be listed: {reason}"));
                }
                Some(Kind::Other(signature)) => kind = signature.name,
                _ => kind = "bytes",
            }
        }
        if let Some(found) = container {
            kind = found.name();
            let known = found.formats();
            match format.filter(|format| *format != "godot-packets") {
                Some(format) if !known.contains(&format) => {
                    return Err(format!("the file is of the kind {kind}, which holds no values of {format}"));
                }
                Some(_) => {}
                None => formats = known.iter().copied().map(str::to_owned).collect(),
            }
        }
        Ok(File { layers, container, kind, formats, options })
    }

    fn open(&self) -> Result<Box<dyn Container + '_>, ContainerError> {
        let inner = self.layers.inner();
        Ok(match self.container {
            Some(kind) => kind.open(FileSource::Bytes(inner.to_vec()), &self.options)?,
            None => Box::new(Single(inner)),
        })
    }

    /// All values, the error after them, and the formats that they can have.
    fn list(&self) -> Result<All, ContainerError> {
        let (container, inner, mut all) = (self.open()?, self.layers.inner(), Vec::new());
        let end = container.values(&mut |value| {
            let is_value = self.container.is_none() || !value.formats.is_empty();
            let bytes = value.bytes.map(|bytes| {
                let start = value.start.and_then(|start| usize::try_from(start).ok()).unwrap_or_default();
                let place = start..start.saturating_add(bytes.len());
                match inner.get(place.clone()) == Some(&*bytes) {
                    true => Ok(place),
                    false => Err(bytes.into_owned()),
                }
            });
            let address = self.container.map(|_| value.address.to_string()).unwrap_or_default();
            let about = value.about.stored();
            all.push(Listed { address, is_value, bytes, broken_at: value.broken_at, about });
            ControlFlow::Continue(())
        });
        let told = container.format().filter(|_| self.formats.len() > 1).map(|format| vec![format.to_owned()]);
        Ok((all, end.err(), told.unwrap_or_else(|| self.formats.clone())))
    }
}

#[pymethods]
impl File {
    #[new]
    fn new(buffer: &Bound<'_, PyAny>, format: Option<&str>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (py, input, options) = (buffer.py(), Input::of(buffer)?, options_of(Some(options))?);
        let bytes = input.bytes();
        away(py, || Layers::peel(bytes.to_vec(), &options).map(|layers| File::detect(layers, format, options)))
            .map_err(|error| container_error(py, &error, None))?
            .map_err(|reason| file_error(py, reason, 0, "unknown-file"))
    }

    /// The layers, outermost first.
    #[getter]
    fn layers(&self) -> String {
        self.layers.names()
    }

    /// The kind of the file inside the layers.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
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

    /// Bytes of the file inside the layers.
    fn part<'py>(&self, py: Python<'py>, start: usize, end: usize) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.layers.inner().get(start..end).unwrap_or_default())
    }

    /// The whole file with other bytes for the values with these numbers.
    fn replaced<'py>(&self, py: Python<'py>, changes: HashMap<usize, Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
        let replaced = away(py, || {
            let (container, mut addresses, mut number) = (self.open()?, Vec::new(), 0);
            // an error after the values is that of `replaced`, if it matters there
            let _ = container.values(&mut |value| {
                if let Some(bytes) = changes.get(&number) {
                    addresses.push((value.address, bytes));
                }
                number += 1;
                ControlFlow::Continue(())
            });
            let changes = addresses.iter().map(|(address, bytes)| ValueChange::Replace { address, bytes });
            let inner = match addresses.is_empty() {
                true => self.layers.inner().to_vec(),
                false => container.changed(&changes.collect::<Vec<_>>())?,
            };
            if self.layers.is_empty() {
                Ok(inner)
            } else {
                self.layers.wrap(&inner)
            }
        });
        let bytes = replaced.map_err(|error| match error {
            ContainerError::Refused(reason) => refused(py, reason),
            other => container_error(py, &other, None),
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// The names most like one that is not known.
#[pyfunction]
fn nearest(name: &str, known: Vec<String>) -> Vec<String> {
    enginewire::formats::nearest(name, known.into_iter())
}

/// Adds the class and the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<File>()?;
    module.add_function(wrap_pyfunction!(nearest, module)?)
}

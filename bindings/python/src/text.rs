//! Values of any format as text: the JSON forms, and the notations of the engines.

use enginewire::formats::{by_name, formats, named, AnyFormat, DecodeJsonError, JsonForm, JsonWriter};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffers::{away, detached, Input};
use crate::container::options_of;
use crate::errors::{decode_error, refused};
use crate::fields::value_error;
use crate::tree::{tree_parts, TreeParts};

pub fn format_of(name: &str) -> PyResult<&'static dyn AnyFormat> {
    by_name(name).ok_or_else(|| {
        let known: Vec<_> = formats().iter().map(|format| format.name()).collect();
        value_error(format_args!("unknown format {name:?}; expected one of {}", known.join(", ")))
    })
}

fn form_of(name: &str) -> PyResult<JsonForm> {
    let found = [JsonForm::Exact, JsonForm::Plain, JsonForm::Rojo].into_iter().find(|form| form.name() == name);
    found.ok_or_else(|| value_error(format_args!("unknown form {name:?}; expected exact, plain or rojo")))
}

/// The JSON document of a value. `form` is `exact`, which names every type; `plain`, which names none; or `rojo`. `options` are those of
/// the program, such as `any_text=True`.
#[pyfunction]
#[pyo3(signature = (data, format, form = "exact", *, indent = false, **options))]
pub fn to_json(
    data: &Bound<'_, PyAny>,
    format: &str,
    form: &str,
    indent: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let (py, input, format, form) = (data.py(), Input::of(data)?, format_of(format)?, form_of(form)?);
    if !format.forms().contains(&form) {
        return Err(value_error(format_args!("{} has no {} form", format.name(), form.name())));
    }
    let options = options_of(options)?;
    let written = detached(py, input.bytes(), |bytes| {
        let mut text = Vec::new();
        format.decode_json(bytes, &options, &mut JsonWriter::new(&mut text).form(form).pretty(indent)).map(|()| text)
    });
    match written {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(DecodeJsonError::Decode(error)) => Err(decode_error(py, &error)),
        Err(other) => Err(value_error(other)),
    }
}

/// The value of a JSON document. An exact document names its format. A plain one has the types of the value `like`.
#[pyfunction]
#[pyo3(signature = (text, format = None, form = "exact", *, like = None, **options))]
pub fn from_json<'py>(
    py: Python<'py>,
    text: &str,
    format: Option<&str>,
    form: &str,
    like: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (form, options, document) = (form_of(form)?, options_of(options)?, text.as_bytes());
    let format = match format {
        Some(name) => format_of(name)?,
        None => named(document).ok_or_else(|| refused(py, "the document names no format that is known"))?,
    };
    let like = like.map(Input::of).transpose()?;
    let like = like.as_ref().map(Input::bytes);
    let encoded = away(py, || format.encode_form(form, document, like, &options));
    encoded.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| refused(py, error))
}

/// The readable part of a broken value, as the bytes of a value of its own, and the error. The bytes are `None` if nothing before the
/// error is a value; the error is `None` if the value is whole.
#[pyfunction]
#[pyo3(signature = (data, format, **options))]
pub fn recover<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Option<Bound<'py, PyBytes>>, Option<PyErr>)> {
    let (py, input, format, options) = (data.py(), Input::of(data)?, format_of(format)?, options_of(options)?);
    let recovered = detached(py, input.bytes(), |bytes| format.recover(bytes, &options));
    let recovered = recovered.map_err(value_error)?;
    let bytes = recovered.bytes.map(|bytes| PyBytes::new(py, &bytes));
    Ok((bytes, recovered.error.map(|error| decode_error(py, &error))))
}

/// The value in the notation of its engine: Luau, GDScript or Lua.
#[pyfunction]
#[pyo3(signature = (data, format, **options))]
pub fn to_notation(data: &Bound<'_, PyAny>, format: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    let (py, input, format, options) = (data.py(), Input::of(data)?, format_of(format)?, options_of(options)?);
    detached(py, input.bytes(), |bytes| format.decode_notation(bytes, &options))
        .map_err(|error| decode_error(py, &error))
}

/// The value of a text in the notation of an engine.
#[pyfunction]
#[pyo3(signature = (text, format, **options))]
pub fn from_notation<'py>(
    py: Python<'py>,
    text: &str,
    format: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (format, options) = (format_of(format)?, options_of(options)?);
    let encoded = away(py, || format.encode_notation(text, &options));
    encoded.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| refused(py, error))
}

/// Every field of a value, with its place: see `enginewire.inspect`.
#[pyfunction]
#[pyo3(signature = (data, format, **options))]
pub fn tree(data: &Bound<'_, PyAny>, format: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<TreeParts> {
    let (py, input, format, options) = (data.py(), Input::of(data)?, format_of(format)?, options_of(options)?);
    Ok(tree_parts(py, input.bytes(), |bytes| format.inspect(bytes, &options)))
}

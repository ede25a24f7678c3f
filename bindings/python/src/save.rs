//! Saves and blueprints of Scrap Mechanic: what `enginewire.Save` and `enginewire.Blueprint` are built on.

use std::path::PathBuf;
use std::sync::Mutex;

use enginewire_files::scrap_mechanic::blueprint::{self, BlueprintError, PartError};
use enginewire_files::scrap_mechanic::save::{self, RowError, SaveError};
use pyo3::exceptions::{PyIndexError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::{away, locked, roomy};
use crate::errors::{decode_error, encode_error, file_error};
use crate::lua::{object_from_python, to_python};
use crate::mapping::Class;

static CHANGED_MEANWHILE: Class = Class::new("enginewire._atomic", "ChangedMeanwhile");

fn save_error(py: Python<'_>, error: &SaveError) -> PyErr {
    match error {
        SaveError::Changed => CHANGED_MEANWHILE.exception(py, (error.to_string(),)),
        SaveError::Encode(error) => encode_error(py, error),
        SaveError::Row(error) => decode_error(py, error),
        SaveError::Memory(_) | SaveError::TooManySteps { .. } => file_error(py, error, 0, "too-large"),
        SaveError::Unreadable { error: inside, .. } if matches!(**inside, SaveError::Memory(_)) => {
            file_error(py, error, 0, "too-large")
        }
        other if other.is_malformed() => file_error(py, other, 0, "save"),
        other => PyOSError::new_err(other.to_string()),
    }
}

fn row_error(py: Python<'_>, error: &RowError) -> PyErr {
    match error {
        RowError::Row(error) | RowError::Object(error) => decode_error(py, error),
        RowError::Memory(_) => file_error(py, error, 0, "too-large"),
        other => file_error(py, other, 0, "save"),
    }
}

/// An open save file, to be read.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct SaveFile {
    save: Mutex<save::Save>,
}

/// A row of a save, as it was when it was read.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct SaveRow {
    row: save::Row,
}

#[pymethods]
impl SaveFile {
    #[new]
    #[pyo3(signature = (path, max_memory = 268435456))]
    fn new(py: Python<'_>, path: PathBuf, max_memory: usize) -> PyResult<Self> {
        let opened = away(py, || save::Save::open(&path));
        let save = opened.map_err(|error| save_error(py, &error))?.max_memory(max_memory);
        Ok(SaveFile { save: Mutex::new(save) })
    }

    /// The version of the save.
    #[getter]
    fn version(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(locked(py, &self.save)?.version())
    }

    /// Faults that do not prevent reading.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(locked(py, &self.save)?.warnings())
    }

    /// All rows. One that cannot be read is an exception in its place.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let save = locked(py, &self.save)?;
        let rows = roomy(|| save.rows().map(Vec::from_iter)).map_err(|error| save_error(py, &error))?;
        let rows = rows.into_iter().map(|row| match row {
            Ok(row) => Py::new(py, SaveRow { row }).map(Py::into_any),
            Err(error) => Ok(save_error(py, &error).into_value(py).into_any()),
        });
        rows.collect()
    }

    /// Writes other objects into some rows of the save at `path`: all of them or none. With `copy`, `path` is a new or
    /// empty file, and all of this save is copied to it first.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        changes: Vec<(Py<SaveRow>, Bound<'_, PyAny>)>,
        copy: bool,
    ) -> PyResult<()> {
        let mut objects = Vec::with_capacity(changes.len());
        for (row, value) in &changes {
            objects.push((&row.get().row, object_from_python(value)?));
        }
        let save = locked(py, &self.save)?;
        let write = || {
            if copy {
                save.copy_to(&path)?;
            }
            let mut written = save::Save::open_to_write(&path)?;
            written.change_all(objects.iter().map(|(row, object)| (*row, Some(object))))?;
            written.close()
        };
        roomy(write).map_err(|error| save_error(py, &error))
    }
}

#[pymethods]
impl SaveRow {
    /// The table that contains it.
    #[getter]
    fn table(&self) -> &'static str {
        self.row.table()
    }

    /// Its number in the table.
    #[getter]
    fn rowid(&self) -> i64 {
        self.row.rowid()
    }

    /// The content of its column `data`, unpacked: a LuaObject, or something else.
    fn unpack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = away(py, || self.row.unpack()).map_err(|error| row_error(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The LuaObject of the row as a Python object, in a tuple; `None` if the row holds something else.
    fn decode<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        let object = away(py, || self.row.decode()).map_err(|error| row_error(py, &error))?;
        object.map(|object| Ok((to_python(py, &object.data)?,))).transpose()
    }

    fn __str__(&self) -> String {
        self.row.to_string()
    }
}

/// The text of a blueprint.
#[pyclass(module = "enginewire._enginewire")]
pub struct BlueprintText {
    blueprint: blueprint::Blueprint,
}

fn part_error(py: Python<'_>, error: &PartError) -> PyErr {
    match error {
        PartError::Object(error) => decode_error(py, error),
        PartError::Memory(_) => file_error(py, error, 0, "too-large"),
        other => file_error(py, other, 0, "blueprint"),
    }
}

#[pymethods]
impl BlueprintText {
    #[new]
    #[pyo3(signature = (text, max_memory = 268435456))]
    fn new(py: Python<'_>, text: String, max_memory: usize) -> PyResult<Self> {
        let read = away(py, || blueprint::Blueprint::with_max_memory(text, max_memory));
        let code = if matches!(read, Err(BlueprintError::Memory(_))) { "too-large" } else { "blueprint" };
        let blueprint = read.map_err(|error| file_error(py, error, 0, code))?;
        Ok(BlueprintText { blueprint })
    }

    /// The text, with the changes.
    #[getter]
    fn text(&self) -> &str {
        self.blueprint.text()
    }

    /// The numbers of the body and child of each part that has an object.
    fn parts(&self) -> Vec<(usize, usize)> {
        self.blueprint.parts().map(|part| (part.body(), part.child())).collect()
    }

    /// The object of a part.
    fn decode<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let part = self.blueprint.parts().nth(index);
        let part = part.ok_or_else(|| PyIndexError::new_err(format!("there is no part {index}")))?;
        let object = roomy(|| part.decode()).map_err(|error| part_error(py, &error))?;
        to_python(py, &object.data)
    }

    /// Gives a part another object.
    fn replace(&mut self, py: Python<'_>, index: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = object_from_python(value)?;
        match roomy(|| self.blueprint.replace(index, &object)).map_err(|error| encode_error(py, &error))? {
            true => Ok(()),
            false => Err(PyIndexError::new_err(format!("there is no part {index}"))),
        }
    }
}

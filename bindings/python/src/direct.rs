//! Objects of Python written as they are found, without values of the library for their containers.
//!
//! An error here has no path. So an object that is refused is encoded again, as a value of the library.

use std::ops::Range;

use enginewire::EncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::buffers::roomy;
use crate::errors::{encode_error, is_about_value, refused};
use crate::mapping::{pairs_in, Level, Pair};

/// The bytes of a format, which objects are appended to.
pub trait Direct {
    const FORMAT: &'static str;
    type Value<'v>;

    /// The value of an object that is a scalar. It owns no memory.
    fn scalar<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Self::Value<'a>>>;

    /// The value of an object of a class of the format; a function of its own, too.
    fn class<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Self::Value<'a>>>;

    /// The value of an object that is not a scalar. It is a function of its own, so that a level of nesting takes little stack.
    fn other<'a, 'py>(object: &'a Bound<'py, PyAny>, level: Level<'a, 'py>) -> PyResult<Self::Value<'a>>;

    fn put(&mut self, value: &Self::Value<'_>) -> Result<(), EncodeError>;

    /// Writes what is before the items of a list.
    fn list(&mut self, count: u32) -> Result<(), EncodeError>;

    /// Writes what is before the entries of a dictionary.
    fn dictionary(&mut self, count: u32) -> Result<(), EncodeError>;

    fn key<'py>(&mut self, key: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()>
    where
        Self: Sized,
    {
        write(self, key, level)
    }

    /// True if these entries are a dictionary in the format.
    fn is_dictionary(_entries: &[Pair<'_>]) -> bool {
        true
    }
}

/// The value of an object.
#[inline(always)]
pub fn value_of<'a, 'py, D: Direct>(object: &'a Bound<'py, PyAny>, level: Level<'a, 'py>) -> PyResult<D::Value<'a>> {
    match D::scalar(object)? {
        Some(scalar) => Ok(scalar),
        None => D::other(object, level),
    }
}

/// Writes an object. Its containers are fewer than the format allows, because no container here counts those around it.
#[inline(always)]
pub fn write<'py, D: Direct>(to: &mut D, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
    let Some(value) = D::scalar(object)? else { return write_other(to, object, level) };
    let written = to.put(&value);
    // it borrows its text: there is nothing to drop, and to find that out takes as long as to write a number
    std::mem::forget(value);
    written.map_err(|error| encode_error(object.py(), &error))
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn write_other<'py, D: Direct>(to: &mut D, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
    let py = object.py();
    let failed = |error: EncodeError| encode_error(py, &error);
    let count = |count: usize| u32::try_from(count).map_err(|_| refused(py, "too many items"));
    // what a container holds is held here, because the container may change meanwhile
    let items = match (object.cast_exact::<PyList>(), object.cast_exact::<PyTuple>()) {
        (Ok(list), _) => Some(list.iter().collect::<Vec<_>>()),
        (_, Ok(tuple)) => Some(tuple.iter().collect()),
        _ => None,
    };
    if let Some(items) = items {
        let level = level.deeper(py)?;
        to.list(count(items.len())?).map_err(failed)?;
        return items.iter().try_for_each(|item| write(to, item, level));
    }
    let pairs;
    let entries = if let Ok(dict) = object.cast_exact::<PyDict>() {
        pairs = pairs_in(dict);
        Some(&pairs[..])
    } else if let Some(fields) = level.fields_of(D::FORMAT, object)? {
        Some(fields)
    } else if let Some(value) = D::class(object)? {
        return to.put(&value).map_err(failed);
    } else {
        None
    };
    let Some(entries) = entries.filter(|entries| D::is_dictionary(entries)) else {
        let value = D::other(level.keep(object.clone()), level)?;
        return roomy(move || to.put(&value)).map_err(failed);
    };
    let level = level.deeper(py)?;
    to.dictionary(count(entries.len())?).map_err(failed)?;
    write_entries(to, entries, level)
}

/// Writes entries, without what is before them.
#[inline]
pub fn write_entries<'py, D: Direct>(to: &mut D, entries: &[Pair<'py>], level: Level<'_, 'py>) -> PyResult<()> {
    entries.iter().try_for_each(|(key, value)| {
        to.key(key, level)?;
        write(to, value, level)
    })
}

/// True if all was written, and false if the object has to be encoded again for the path of what is refused.
pub fn is_done(py: Python<'_>, written: PyResult<()>) -> PyResult<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if is_about_value(py, &error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The bytes that are written with these options.
pub struct Bytes<O> {
    pub options: O,
    pub bytes: Vec<u8>,
    /// The places of keys that were written: many dictionaries have the same keys.
    keys: Vec<Option<(Py<PyAny>, Range<usize>)>>,
}

impl<O> Bytes<O> {
    /// The number of keys that are kept.
    const KEYS: usize = 256;

    pub fn new(options: O) -> Self {
        Bytes { options, bytes: Vec::new(), keys: Vec::new() }
    }

    /// Puts this count at the end, where an empty container was written, whose count is its end.
    pub fn count(&mut self, count: u32) {
        if let Some(empty) = self.bytes.last_chunk_mut() {
            *empty = count.to_le_bytes();
        }
    }

    /// Writes a key, or copies its bytes if it was written before.
    #[inline]
    pub fn once(&mut self, key: &Bound<'_, PyAny>, write: impl FnOnce(&mut Self) -> PyResult<()>) -> PyResult<()> {
        let (address, start) = (key.as_ptr() as usize, self.bytes.len());
        let slot = (address >> 4 ^ address >> 12) % Self::KEYS;
        match self.keys.get(slot) {
            Some(Some((same, range))) if same.is(key) => self.bytes.extend_from_within(range.clone()),
            _ => {
                write(self)?;
                self.keep(slot, key, start);
            }
        }
        Ok(())
    }

    /// Keeps the place of a key. It is held, so that no other gets its address, and it is text, so that it never changes.
    fn keep(&mut self, slot: usize, key: &Bound<'_, PyAny>, start: usize) {
        if key.is_exact_instance_of::<PyString>() {
            self.keys.resize_with(Self::KEYS, || None);
            // the first stays: to replace it takes as long as to write a key, and all may be different
            if let Some(slot @ None) = self.keys.get_mut(slot) {
                *slot = Some((key.clone().unbind(), start..self.bytes.len()));
            }
        }
    }
}

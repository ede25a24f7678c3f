//! Objects of Python written as they are found, without values of the library for their containers.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::{about_value, refused, within_object};
use crate::mapping::{entries_of, items_of, key_item, pairs_in, Level, Objects, Pair};

/// The bytes of a format, which objects are appended to.
pub trait Direct: Sized {
    const FORMAT: &'static str;
    /// True if a container without items is a level of nesting, too.
    const COUNTS_EMPTY: bool = true;
    type Value<'v>;

    /// The value of an object that is a scalar. It owns no memory.
    fn scalar<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Self::Value<'a>>>;

    fn put(&mut self, py: Python<'_>, value: &Self::Value<'_>) -> PyResult<()>;

    /// Writes an object of a class of the format, or returns false. It is a function of its own, so that a level of nesting takes little
    /// stack.
    fn put_object<'py>(&mut self, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<bool>;

    /// Writes what is before the items of a list, whose first index is 1 where a format keeps it.
    fn list(&mut self, py: Python<'_>, first: i32, count: u32) -> PyResult<()>;

    /// Writes what is before the entries of a dictionary.
    fn dictionary(&mut self, py: Python<'_>, count: u32) -> PyResult<()>;

    fn key<'py>(&mut self, key: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
        write(self, key, level)
    }

    /// The first key, if the entries of this object are a list in the format.
    fn first_of_list(_object: &Bound<'_, PyAny>, _entries: &[Pair<'_>]) -> PyResult<Option<i32>> {
        Ok(None)
    }
}

/// Writes a whole value, whose containers may nest this deep.
pub fn write_value<'py, D: Direct>(
    to: &mut D,
    object: &Bound<'py, PyAny>,
    objects: &Objects<'py>,
    depth: u16,
) -> PyResult<()> {
    write(to, object, objects.level(depth)).map_err(|error| about_value(object.py(), error))
}

/// Writes an object.
#[inline(always)]
pub fn write<'py, D: Direct>(to: &mut D, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
    match put_scalar(to, object)? {
        true => Ok(()),
        false => write_other(to, object, level),
    }
}

/// Writes a scalar, or returns false. It is a function of its own, because a value takes much of the stack where nothing is optimised.
#[inline]
fn put_scalar<D: Direct>(to: &mut D, object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(value) = D::scalar(object)? else { return Ok(false) };
    let written = to.put(object.py(), &value);
    // it borrows its text: there is nothing to drop, and to find that out takes as long as to write a number
    std::mem::forget(value);
    written.map(|()| true)
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn write_other<'py, D: Direct>(to: &mut D, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
    let py = object.py();
    let inner = |count| if D::COUNTS_EMPTY || count > 0 { level.deeper(py) } else { Ok(level) };
    let is_list = object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>();
    let mut entries = None;
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        entries = Some(pairs_in(dict));
    } else if !is_list {
        entries = level.fields_of(D::FORMAT, object)?;
        if entries.is_none() && to.put_object(object, level)? {
            return Ok(());
        }
    }
    if entries.is_none() {
        if let Some(items) = items_of(object) {
            to.list(py, 1, count_of(py, items.len())?)?;
            return write_items(to, &items, inner(items.len())?);
        }
        entries = entries_of(object)?;
    }
    let Some(entries) = entries else {
        let (plain, level) = level.plain(D::FORMAT, object)?;
        return write(to, &plain, level);
    };
    let count = count_of(py, entries.len())?;
    let level = inner(entries.len())?;
    let Some(first) = D::first_of_list(object, &entries)? else {
        to.dictionary(py, count)?;
        return write_entries(to, &entries, level);
    };
    to.list(py, first, count)?;
    for (key, item) in &entries {
        write_at(to, item, level, || key_item(key))?;
    }
    Ok(())
}

/// The number of items of a container.
pub fn count_of(py: Python<'_>, count: usize) -> PyResult<u32> {
    u32::try_from(count).map_err(|_| refused(py, "too many items"))
}

/// Writes an item of a container. An error names it.
#[inline(always)]
pub fn write_at<'py, D: Direct>(
    to: &mut D,
    item: &Bound<'py, PyAny>,
    level: Level<'_, 'py>,
    name: impl FnOnce() -> String,
) -> PyResult<()> {
    write(to, item, level).map_err(|error| within_object(item, error, name))
}

/// Writes items, without what is before them.
#[inline]
pub fn write_items<'py, D: Direct>(to: &mut D, items: &[Bound<'py, PyAny>], level: Level<'_, 'py>) -> PyResult<()> {
    for (index, item) in items.iter().enumerate() {
        write_at(to, item, level, || format!("[{index}]"))?;
    }
    Ok(())
}

/// Writes entries, without what is before them.
#[inline]
pub fn write_entries<'py, D: Direct>(to: &mut D, entries: &[Pair<'py>], level: Level<'_, 'py>) -> PyResult<()> {
    for (key, value) in entries {
        to.key(key, level).map_err(|error| within_object(value, error, || key_item(key)))?;
        write_at(to, value, level, || key_item(key))?;
    }
    Ok(())
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

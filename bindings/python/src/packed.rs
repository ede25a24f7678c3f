//! Packed arrays: views of the input for numpy, or memoryviews where it is not installed.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyMemoryView;

/// The class of arrays, if numpy is installed.
fn array_class(py: Python<'_>) -> Option<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
    let class = || py.import("numpy")?.getattr("ndarray").map(Bound::unbind);
    CLASS.get_or_init(py, || class().ok()).as_ref().map(|class| class.bind(py))
}

/// The bytes of an item of this type, and what numpy calls it.
pub fn about(item: char) -> (usize, &'static str) {
    match item {
        'B' => (1, "uint8"),
        'i' => (4, "int32"),
        'q' => (8, "int64"),
        'f' => (4, "float32"),
        _ => (8, "float64"),
    }
}

/// A view of `length` bytes of an object with a buffer: rows of this many items of this type. True if it alone determines the type of the
/// array.
pub fn to_array<'py>(
    owner: &Bound<'py, PyAny>,
    offset: usize,
    length: usize,
    item: char,
    columns: usize,
) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let py = owner.py();
    let (size, name) = about(item);
    let count = length / size;
    let shape = if columns == 1 { vec![count] } else { vec![count / columns, columns] };
    if let Some(class) = array_class(py) {
        // the bytes are little-endian on every system
        let dtype = format!("<{}{size}", name.get(..1).unwrap_or_default());
        return Ok((class.call1((shape, dtype, owner, offset))?, true));
    }
    let part = pyo3::types::PySlice::new(py, offset as isize, (offset + length) as isize, 1);
    let view = PyMemoryView::from(owner)?.as_any().get_item(part)?;
    // a memoryview without rows cannot have several columns
    let object = if count == 0 { view.call_method1("cast", (item,)) } else { view.call_method1("cast", (item, shape)) };
    Ok((object?, columns == 1 || count > 0))
}

/// The bytes of a packed array, as Python code gives it.
pub struct PackedBytes {
    pub bytes: Vec<u8>,
    /// The type of an item: `B`, `i` (32 bits), `q` (64 bits), `f` or `d`.
    pub item: char,
    pub columns: usize,
}

impl PackedBytes {
    /// The bytes of an object with a buffer of numbers in one or two dimensions; `None` of any other object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        let is_scalar = object.getattr("ndim").and_then(|ndim| ndim.eq(0)).unwrap_or_default();
        let Ok(view) = PyMemoryView::from(object) else { return Ok(None) };
        if is_scalar || object.hasattr("mask")? {
            return Ok(None);
        }
        let format: String = view.getattr("format")?.extract()?;
        let size: usize = view.getattr("itemsize")?.extract()?;
        let shape: Vec<usize> = view.getattr("shape")?.extract()?;
        let item = match (format.trim_start_matches(['@', '=', '<']), size) {
            ("B" | "c", 1) => 'B',
            ("i" | "l", 4) => 'i',
            ("q" | "l", 8) => 'q',
            ("f", 4) => 'f',
            ("d", 8) => 'd',
            _ => {
                let dtype = object.getattr("dtype").map_or(format, |dtype| dtype.to_string());
                return Err(crate::errors::refused(py, format!("no packed array has items of type {dtype}")));
            }
        };
        let columns = match shape[..] {
            [_] => 1,
            [_, columns] => columns,
            _ => return Err(crate::errors::refused(py, "a packed array has one dimension or two")),
        };
        let bytes = view.call_method0("tobytes")?.extract()?;
        Ok(Some(PackedBytes { bytes, item, columns }))
    }
}

//! Frozen classes with named fields, and the types that their fields have.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt};

/// The value of a field.
pub trait Field {
    /// As Python source.
    fn show(&self, py: Python<'_>) -> PyResult<String>;
}

/// Any Python object, as Python source.
pub fn show_any(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.repr()?.to_string())
}

/// `Name(a, b)`: what makes an equal object when it is run.
pub fn show(py: Python<'_>, name: &str, fields: &[&dyn Field]) -> PyResult<String> {
    let fields: PyResult<Vec<String>> = fields.iter().map(|field| field.show(py)).collect();
    Ok(format!("{name}({})", fields?.join(", ")))
}

/// A real, whose bits survive the way to a Python float and back.
pub trait Real: Copy + PartialEq {
    /// Whether it has 64 bits.
    const DOUBLE: bool;

    /// The same number in 64 bits.
    fn wide(self) -> f64;

    /// The nearest number.
    fn nearest(number: f64) -> Self;
}

impl Real for f64 {
    const DOUBLE: bool = true;

    fn wide(self) -> f64 {
        self
    }

    fn nearest(number: f64) -> Self {
        number
    }
}

/// A conversion by the processor would make every NaN a quiet one.
impl Real for f32 {
    const DOUBLE: bool = false;

    fn wide(self) -> f64 {
        if !self.is_nan() {
            return f64::from(self);
        }
        let bits = u64::from(self.to_bits());
        f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | (bits & 0x7f_ffff) << 29)
    }

    #[allow(clippy::cast_possible_truncation)]
    fn nearest(number: f64) -> Self {
        if !number.is_nan() {
            return number as f32;
        }
        let bits = number.to_bits();
        let fraction = (bits >> 29) as u32 & 0x7f_ffff;
        // a NaN whose bits are all below those of an f32 stays a NaN
        let fraction = if fraction == 0 { 0x40_0000 } else { fraction };
        f32::from_bits((bits >> 32) as u32 & 0x8000_0000 | 0x7f80_0000 | fraction)
    }
}

/// The number in 32 bits, unless it is too large for them.
pub fn narrow(number: f64) -> PyResult<f32> {
    let narrow = f32::nearest(number);
    match narrow.is_infinite() && number.is_finite() {
        true => Err(PyOverflowError::new_err(format!("{number:e} does not fit 32 bits"))),
        false => Ok(narrow),
    }
}

/// An integer of this type. `OverflowError` says which number does not fit.
pub fn to_integer<'a, 'py, T: FromPyObject<'a, 'py>>(number: &'a Bound<'py, PyAny>) -> PyResult<T> {
    number.extract().map_err(Into::into).map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(number.py()) {
            return error;
        }
        let bits = 8 * std::mem::size_of::<T>();
        PyOverflowError::new_err(format!("{} does not fit {bits} bits", shown_integer(number)))
    })
}

/// An integer as an error shows it, unless it has very many digits.
pub fn shown_integer(number: &Bound<'_, PyAny>) -> String {
    show_any(number).ok().filter(|shown| shown.len() <= 50).unwrap_or_else(|| "the integer".to_owned())
}

/// A float as Python source: the shortest digits that mean the same number in so many bits.
pub fn show_real(py: Python<'_>, number: f64, double: bool) -> PyResult<String> {
    if !number.is_finite() {
        return Ok(if number.is_nan() {
            "float('nan')".to_owned()
        } else {
            format!("float('{}inf')", if number < 0.0 { "-" } else { "" })
        });
    }
    let number = if double { number } else { shortest(number) };
    show_any(PyFloat::new(py, number).as_any())
}

/// The number with the fewest digits that is the same one in 32 bits. Python reads it as 64 bits first.
fn shortest(number: f64) -> f64 {
    let narrow = f32::nearest(number);
    let same = |read: &f64| f32::nearest(*read).to_bits() == narrow.to_bits();
    // nine digits always tell two numbers of 32 bits apart
    let digits = (5..9).filter_map(|digits| format!("{narrow:.digits$e}").parse().ok());
    let short = format!("{narrow:e}").parse().ok();
    short.into_iter().chain(digits).find(same).unwrap_or(number)
}

/// A float of 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct F32(pub f32);

/// A float of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct F64(pub f64);

macro_rules! floats {
    ($($name:ident($number:ident) $of:expr;)*) => {$(
        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                $name(number)
            }
        }

        impl From<$name> for $number {
            fn from(number: $name) -> Self {
                number.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        /// Equal numbers have equal hashes: 0 and -0 too.
        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                let number = if self.0 == 0.0 { 0.0 } else { self.0 };
                number.to_bits().hash(state);
            }
        }

        impl<'py> IntoPyObject<'py> for $name {
            type Target = PyFloat;
            type Output = Bound<'py, PyFloat>;
            type Error = std::convert::Infallible;

            fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
                Ok(PyFloat::new(py, self.0.wide()))
            }
        }

        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                let number: f64 = object.extract()?;
                let of: fn(f64) -> PyResult<$number> = $of;
                of(number).map($name)
            }
        }

        impl Field for $name {
            fn show(&self, py: Python<'_>) -> PyResult<String> {
                show_real(py, self.0.wide(), <$number as Real>::DOUBLE)
            }
        }
    )*};
}

floats! {
    F32(f32) narrow;
    F64(f64) Ok;
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn show(&self, _: Python<'_>) -> PyResult<String> {
                Ok(self.to_string())
            }
        }
    )*};
}

plain!(i16 i32 u8 u16 u32 u64);

impl Field for bool {
    fn show(&self, _: Python<'_>) -> PyResult<String> {
        Ok(if *self { "True" } else { "False" }.to_owned())
    }
}

/// Bytes, usually text: a `str` where they are UTF-8, else `bytes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

/// The Python object for bytes that are usually text.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyAny> {
    match std::str::from_utf8(bytes) {
        Ok(text) => PyString::new(py, text).into_any(),
        Err(_) => PyBytes::new(py, bytes).into_any(),
    }
}

/// Keys that were made before: one that many dictionaries have is one object.
pub struct Keys<'py> {
    pub py: Python<'py>,
    recent: RefCell<Vec<Option<Bound<'py, PyString>>>>,
}

impl<'py> Keys<'py> {
    /// How many are kept.
    const MOST: usize = 256;

    /// The longest that is kept, in bytes.
    const LONGEST: usize = 32;

    pub fn new(py: Python<'py>) -> Self {
        Keys { py, recent: RefCell::default() }
    }

    /// The Python object for the bytes of a key, which are usually text.
    pub fn get(&self, bytes: &[u8]) -> Bound<'py, PyAny> {
        let key = match std::str::from_utf8(bytes) {
            Ok(key) if key.len() <= Self::LONGEST => key,
            _ => return text(self.py, bytes),
        };
        // FNV-1a
        let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        let mut recent = self.recent.borrow_mut();
        if recent.is_empty() {
            recent.resize(Self::MOST, None);
        }
        let Some(slot) = recent.get_mut(hash as usize % Self::MOST) else { return text(self.py, bytes) };
        match slot {
            Some(found) if found.to_str().is_ok_and(|found| found == key) => found.clone().into_any(),
            _ => slot.insert(PyString::new(self.py, key)).clone().into_any(),
        }
    }
}

/// The bytes of a `str` or `bytes`; `None` of any other object.
pub fn text_bytes(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(text.to_str()?.as_bytes().to_vec()));
    }
    Ok(object.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().to_vec()))
}

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(text(py, &self.0))
    }
}

impl FromPyObject<'_, '_> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match text_bytes(&object)? {
            Some(bytes) => Ok(Text(bytes)),
            None => Err(crate::errors::wrong_type("str or bytes", &object)),
        }
    }
}

impl Field for Text {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        show_any(&text(py, &self.0))
    }
}

/// The arguments that make an equal object, for `pickle` and `copy`.
pub fn arguments<'py>(py: Python<'py>, fields: Vec<PyResult<Bound<'py, PyAny>>>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, fields.into_iter().collect::<PyResult<Vec<_>>>()?)
}

/// A field as a Python object.
pub fn object<'py, T: IntoPyObject<'py>>(py: Python<'py>, value: T) -> PyResult<Bound<'py, PyAny>> {
    value.into_bound_py_any(py)
}

/// Defines a frozen class with these fields, which compares, hashes, matches, pickles and shows itself by them. With `= type`,
/// it is made of that type of the library and back, field by field. With `check`, that function sees every new object first.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $module:literal $name:ident $title:literal { $($field:ident: $type:ty),* $(,)? } check $check:expr
    ) => {
        $(#[$meta])*
        #[pyo3::pyclass(frozen, eq, hash, module = $module, name = $title)]
        #[derive(Clone, Debug, PartialEq, Hash)]
        pub struct $name {
            $(#[pyo3(get)] pub $field: $type,)*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            fn new($($field: $type),*) -> pyo3::PyResult<Self> {
                let check: fn(Self) -> pyo3::PyResult<Self> = $check;
                check($name { $($field),* })
            }

            fn __repr__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                $crate::fields::show(py, $title, &[$(&self.$field),*])
            }

            fn __reduce__<'py>(
                slf: &pyo3::Bound<'py, Self>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::types::PyType>, pyo3::Bound<'py, pyo3::types::PyTuple>)> {
                use pyo3::types::PyAnyMethods;
                let (py, this) = (slf.py(), slf.get());
                let fields = vec![$($crate::fields::object(py, this.$field.clone())),*];
                Ok((slf.get_type(), $crate::fields::arguments(py, fields)?))
            }

            #[classattr]
            fn __match_args__(py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Py<pyo3::types::PyTuple>> {
                let names: &[&str] = &[$(stringify!($field)),*];
                pyo3::types::PyTuple::new(py, names).map(pyo3::Bound::unbind)
            }
        }

        impl $crate::fields::Field for $name {
            fn show(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                self.__repr__(py)
            }
        }
    };
    ($(#[$meta:meta])* $module:literal $name:ident $title:literal { $($field:ident: $type:ty),* $(,)? }) => {
        $crate::fields::record! { $(#[$meta])* $module $name $title { $($field: $type),* } check Ok }
    };
    (
        $(#[$meta:meta])*
        $module:literal $name:ident $title:literal = $of:path { $($field:ident: $type:ty),* $(,)? }
    ) => {
        $crate::fields::record! { $(#[$meta])* $module $name $title { $($field: $type),* } check Ok }

        impl From<$of> for $name {
            fn from(value: $of) -> Self {
                $name { $($field: value.$field.into()),* }
            }
        }

        impl From<$name> for $of {
            fn from(value: $name) -> Self {
                $of { $($field: value.$field.into()),* }
            }
        }
    };
}
pub(crate) use record;

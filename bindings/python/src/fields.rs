//! Frozen classes with named fields, and the types that their fields have.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use enginewire::wire::{ByteString, List, Packed};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt};

/// The value of a field.
pub trait Field: Clone + for<'py> IntoPyObject<'py> {
    /// As Python source.
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        show_any(&object(py, self.clone())?)
    }
}

/// A class, or the type of a field, for a type of the library.
pub trait Of<L>: Sized {
    fn of(value: &L) -> Self;

    /// An error if the library has no such value.
    fn to(&self) -> PyResult<L>;
}

/// A new object, in the form that the library has of such a value.
pub fn checked<L, T: Of<L>>(new: T) -> PyResult<T> {
    new.to().map(|value| T::of(&value))
}

/// A `ValueError` with the message of an error of the library.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Any Python object, as Python source.
pub fn show_any(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.repr()?.to_string())
}

/// `Name(a, b)`: what makes an equal object when it is run.
pub fn show<const N: usize>(name: &str, fields: [PyResult<String>; N]) -> PyResult<String> {
    let fields: PyResult<Vec<String>> = fields.into_iter().collect();
    Ok(format!("{name}({})", fields?.join(", ")))
}

/// A real, whose bits survive the way to a Python float and back.
pub trait Real: Copy + PartialEq {
    /// Whether it has 64 bits.
    const DOUBLE: bool;

    /// The same number in 64 bits.
    fn wide(self) -> f64;

    /// The nearest number of 32 bits.
    fn single(self) -> f32;

    /// The nearest number.
    fn nearest(number: impl Real) -> Self;

    /// The nearest number, unless it is too large for the bits.
    fn narrow(number: f64) -> PyResult<Self> {
        let narrow = Self::nearest(number);
        match narrow.wide().is_infinite() && number.is_finite() {
            true => Err(PyOverflowError::new_err(format!("{number:e} does not fit 32 bits"))),
            false => Ok(narrow),
        }
    }
}

/// A conversion by the processor would make every NaN a quiet one.
impl Real for f64 {
    const DOUBLE: bool = true;

    fn wide(self) -> f64 {
        self
    }

    #[allow(clippy::cast_possible_truncation)]
    fn single(self) -> f32 {
        if !self.is_nan() {
            return self as f32;
        }
        let bits = self.to_bits();
        let fraction = (bits >> 29) as u32 & 0x7f_ffff;
        // a NaN whose bits are all below those of an f32 stays a NaN
        let fraction = if fraction == 0 { 0x40_0000 } else { fraction };
        f32::from_bits((bits >> 32) as u32 & 0x8000_0000 | 0x7f80_0000 | fraction)
    }

    fn nearest(number: impl Real) -> Self {
        number.wide()
    }
}

impl Real for f32 {
    const DOUBLE: bool = false;

    fn wide(self) -> f64 {
        if !self.is_nan() {
            return f64::from(self);
        }
        let bits = u64::from(self.to_bits());
        f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | (bits & 0x7f_ffff) << 29)
    }

    fn single(self) -> f32 {
        self
    }

    fn nearest(number: impl Real) -> Self {
        number.single()
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

/// A float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float<N>(pub N);

pub type F32 = Float<f32>;
pub type F64 = Float<f64>;

/// Equal numbers have equal hashes: 0 and -0 too.
impl<N: Real> Hash for Float<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let number = self.0.wide();
        let number = if number == 0.0 { 0.0 } else { number };
        number.to_bits().hash(state);
    }
}

impl<'py, N: Real> IntoPyObject<'py> for Float<N> {
    type Target = PyFloat;
    type Output = Bound<'py, PyFloat>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyFloat::new(py, self.0.wide()))
    }
}

impl<N: Real> FromPyObject<'_, '_> for Float<N> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        N::narrow(object.extract()?).map(Float)
    }
}

impl<N: Real> Field for Float<N> {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        show_real(py, self.0.wide(), N::DOUBLE)
    }
}

impl<N: Real, L: Real> Of<L> for Float<N> {
    fn of(number: &L) -> Self {
        Float(N::nearest(*number))
    }

    fn to(&self) -> PyResult<L> {
        Ok(L::nearest(self.0))
    }
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Field for $type {}

        impl Of<$type> for $type {
            fn of(value: &$type) -> Self {
                *value
            }

            fn to(&self) -> PyResult<$type> {
                Ok(*self)
            }
        }
    )*};
}

plain!(i16 i32 u8 u16 u32 u64 bool Option<u64>);

impl Field for String {}

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

impl Field for Text {}

impl<'a> Of<ByteString<'a>> for Text {
    fn of(bytes: &ByteString<'a>) -> Self {
        Text(bytes.to_vec())
    }

    fn to(&self) -> PyResult<ByteString<'a>> {
        Ok(self.0.clone().into())
    }
}

/// A tuple of items of one class.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Items<T>(pub Vec<T>);

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Items<T> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyTuple::new(py, self.0)
    }
}

impl<T> FromPyObject<'_, '_> for Items<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let items = object.try_iter()?.map(|item| item?.extract::<T>().map_err(Into::into));
        items.collect::<PyResult<_>>().map(Items)
    }
}

impl<T: Field> Field for Items<T> {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        let items: PyResult<Vec<_>> = self.0.iter().map(|item| item.show(py)).collect();
        Ok(match &items?[..] {
            [one] => format!("({one},)"),
            items => format!("({})", items.join(", ")),
        })
    }
}

impl<L, T: Of<L>> Of<Vec<L>> for Items<T> {
    fn of(items: &Vec<L>) -> Self {
        Items(items.iter().map(T::of).collect())
    }

    fn to(&self) -> PyResult<Vec<L>> {
        self.0.iter().map(T::to).collect()
    }
}

impl<'a, L: Packed, T: Of<L>> Of<List<'a, L>> for Items<T> {
    fn of(items: &List<'a, L>) -> Self {
        Items(items.iter().map(|item| T::of(&item)).collect())
    }

    fn to(&self) -> PyResult<List<'a, L>> {
        self.0.iter().map(T::to).collect()
    }
}

impl<L, T: Of<L>, const N: usize> Of<[L; N]> for Items<T> {
    fn of(items: &[L; N]) -> Self {
        Items(items.iter().map(T::of).collect())
    }

    fn to(&self) -> PyResult<[L; N]> {
        let items: Vec<L> = self.to()?;
        let count = items.len();
        items.try_into().map_err(|_| value_error(format_args!("expected {N} items, found {count}")))
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

/// Defines a frozen class with these fields, which compares, hashes, matches and pickles itself by them, and has these methods.
macro_rules! class {
    (
        $module:literal $(#[$meta:meta])* $name:ident $(as $title:literal)? { $($field:ident: $type:ty),* }
        match { $($matched:ident),* } $($methods:tt)*
    ) => {
        $(#[$meta])*
        #[pyclass(frozen, eq, hash, module = $module $(, name = $title)?)]
        #[derive(Clone, Debug, PartialEq, Hash)]
        pub struct $name {
            $(#[pyo3(get)] pub $field: $type,)*
        }

        #[pymethods]
        impl $name {
            $($methods)*

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, pyo3::types::PyTuple>)> {
                let (py, this) = (slf.py(), slf.get());
                let fields = vec![$($crate::fields::object(py, this.$field.clone())),*];
                Ok((slf.get_type().into_any(), $crate::fields::arguments(py, fields)?))
            }

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Py<pyo3::types::PyTuple>> {
                let names: &[&str] = &[$(stringify!($matched)),*];
                pyo3::types::PyTuple::new(py, names).map(Bound::unbind)
            }
        }

        impl $crate::fields::Field for $name {
            fn show(&self, py: Python<'_>) -> PyResult<String> {
                self.__repr__(py)
            }
        }
    };
}
pub(crate) use class;

/// Defines a class that shows itself by its fields. With `= type`, its fields are those of that type of the library.
/// With `check`, that function sees every new object first.
macro_rules! record {
    (
        $module:literal $(#[$meta:meta])* $name:ident $(as $title:literal)? { $($field:ident: $type:ty),* $(,)? }
        $(check $check:expr)?
    ) => {
        $crate::fields::class! {
            $module $(#[$meta])* $name $(as $title)? { $($field: $type),* }
            match { $($field),* }

            #[new]
            fn new($($field: $type),*) -> PyResult<Self> {
                let new = $name { $($field),* };
                $(let new = ($check)(new)?;)?
                Ok(new)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$($crate::fields::Field::show(&self.$field, py)),*];
                $crate::fields::show(<Self as pyo3::PyTypeInfo>::NAME, fields)
            }
        }
    };
    (
        $module:literal $(#[$meta:meta])* $name:ident = $($of:ident)::+ $(<$part:tt>)? { $($field:ident: $type:ty),* $(,)? }
        $(check $check:expr)?
    ) => {
        $crate::fields::record! { $module $(#[$meta])* $name { $($field: $type),* } $(check $check)? }

        impl<'a> $crate::fields::Of<$($of)::+ $(<$part>)?> for $name {
            #[inline]
            fn of(value: &$($of)::+ $(<$part>)?) -> Self {
                $name { $($field: $crate::fields::Of::of(&value.$field)),* }
            }

            #[inline]
            fn to(&self) -> PyResult<$($of)::+ $(<$part>)?> {
                Ok($($of)::+ { $($field: $crate::fields::Of::to(&self.$field)?),* })
            }
        }
    };
}
pub(crate) use record;

/// Defines a class with one field, for the same type of the library as the field.
macro_rules! wrapper {
    ($module:literal $(#[$meta:meta])* $name:ident { $field:ident: $type:ty }) => {
        $crate::fields::record! { $module $(#[$meta])* $name { $field: $type } }

        impl<L> $crate::fields::Of<L> for $name
        where
            $type: $crate::fields::Of<L>,
        {
            fn of(value: &L) -> Self {
                $name { $field: $crate::fields::Of::of(value) }
            }

            fn to(&self) -> PyResult<L> {
                self.$field.to()
            }
        }
    };
}
pub(crate) use wrapper;

/// An enum of the library. The values in its variants have classes of the same names.
pub trait Variants: Sized {
    /// The object for a variant that has a class.
    fn to_class<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// The value of an object that is of one of the classes.
    fn from_class(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>>;
}

/// Defines classes, and a function that adds them to a module. A row is the macro that defines the class, and what this is
/// given. The classes are also those of an enum `for` which they are, and so may be others that are defined elsewhere.
/// An object is compared with them in this order: frequent ones stand first.
macro_rules! classes {
    ($add:ident $module:literal; $(
        $(#[$meta:meta])* $kind:ident $name:ident $(as $title:literal)? $(= $($of:ident)::+ $(<$part:tt>)?)? { $($fields:tt)* }
            $(check $check:expr)?;
    )*) => {
        $($kind! {
            $module $(#[$meta])* $name $(as $title)? $(= $($of)::+ $(<$part>)?)? { $($fields)* } $(check $check)?
        })*

        fn $add(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$name>()?;)*
            Ok(())
        }
    };
    ($add:ident $module:literal for $enum:ty $(, and of $other:ident: $($shared:ident)*)?; $(
        $(#[$meta:meta])* $kind:ident $name:ident $(as $title:literal)? $(= $($of:ident)::+ $(<$part:tt>)?)? { $($fields:tt)* }
            $(check $check:expr)?;
    )*) => {
        $crate::fields::classes! { $add $module; $(
            $(#[$meta])* $kind $name $(as $title)? $(= $($of)::+ $(<$part>)?)? { $($fields)* } $(check $check)?;
        )* }

        impl $crate::fields::Variants for $enum {
            #[inline]
            fn to_class<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                match self {
                    $($(Self::$shared(value) => {
                        $crate::fields::object(py, <$other::$shared as $crate::fields::Of<_>>::of(value)).map(Some)
                    })*)?
                    $(Self::$name(value) => {
                        $crate::fields::object(py, <$name as $crate::fields::Of<_>>::of(value)).map(Some)
                    })*
                    _ => Ok(None),
                }
            }

            #[inline]
            fn from_class(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
                $($(if let Ok(found) = object.cast::<$other::$shared>() {
                    return Ok(Some(Self::$shared($crate::fields::Of::to(found.get())?)));
                })*)?
                $(if let Ok(found) = object.cast::<$name>() {
                    return Ok(Some(Self::$name($crate::fields::Of::to(found.get())?)));
                })*
                Ok(None)
            }
        }
    };
}
pub(crate) use classes;

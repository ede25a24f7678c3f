//! Frozen classes with named fields, and the types that their fields have.

use std::cell::RefCell;
use std::hash::Hasher;

use enginewire::wire::{ByteString, List, Packed};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

/// The type of a field.
pub trait Field {
    /// The type that Python gets. Where that is a `tuple`, it may give any iterable.
    fn hint() -> String
    where
        Self: Sized;

    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;

    fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self>
    where
        Self: Sized;

    /// Calls `each` with the parts of the field, in the order of its fields.
    fn leaves(&self, each: &mut dyn FnMut(Leaf<'_>));

    /// As Python source.
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        show_any(&self.to_object(py)?)
    }
}

/// A part of a field.
pub enum Leaf<'l> {
    Number(f64),
    Bytes(&'l [u8]),
}

/// Hashes a field. Equal fields have the same hash, even with 0 and -0.
pub fn hash(field: &dyn Field, state: &mut impl Hasher) {
    field.leaves(&mut |leaf| match leaf {
        Leaf::Number(number) => state.write_u64(if number == 0.0 { 0 } else { number.to_bits() }),
        Leaf::Bytes(bytes) => state.write(bytes),
    });
}

/// The numbers of a field.
pub fn numbers(field: &dyn Field) -> Vec<f64> {
    let mut numbers = Vec::new();
    field.leaves(&mut |leaf| match leaf {
        Leaf::Number(number) => numbers.push(number),
        Leaf::Bytes(_) => {}
    });
    numbers
}

/// An argument of a constructor. An error about it contains its name.
pub fn argument<T: Field>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = object.py();
    let named = |error: PyErr| {
        let message = format!("argument {name:?}: {}", error.value(py));
        match (error.is_instance_of::<PyTypeError>(py), error.is_instance_of::<PyOverflowError>(py)) {
            (true, _) => PyTypeError::new_err(message),
            (_, true) => PyOverflowError::new_err(message),
            _ => error,
        }
    };
    T::of_object(object).map_err(named)
}

/// A class, or the type of a field, that represents a type of the library.
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
pub fn value_error<E: std::fmt::Display>(error: E) -> PyErr {
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

/// A real, whose bits survive the way to a Python float and back. A conversion by the processor would make every NaN a quiet one.
pub trait Real: Copy + PartialEq {
    /// True if it has 64 bits.
    const DOUBLE: bool;

    /// The same number in 64 bits.
    fn wide(self) -> f64;

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

impl Real for f64 {
    const DOUBLE: bool = true;

    fn wide(self) -> f64 {
        self
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

    #[allow(clippy::cast_possible_truncation)]
    fn nearest(number: impl Real) -> Self {
        let number = number.wide();
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

/// An integer of this type. An `OverflowError` contains the number that does not fit.
pub fn to_integer<'a, 'py, T: FromPyObject<'a, 'py>>(number: &'a Bound<'py, PyAny>) -> PyResult<T> {
    integer_or(number, |shown| format!("{shown} does not fit {} bits", 8 * std::mem::size_of::<T>()))
}

/// An object of this type, else the error; of an integer that is too large, with this message.
fn integer_or<'a, 'py, T: FromPyObject<'a, 'py>>(
    object: &'a Bound<'py, PyAny>,
    message: impl FnOnce(String) -> String,
) -> PyResult<T> {
    object.extract().map_err(Into::into).map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(object.py()) {
            true => PyOverflowError::new_err(message(shown_integer(object))),
            false => error,
        }
    })
}

/// An integer as an error shows it, unless it has very many digits.
pub fn shown_integer(number: &Bound<'_, PyAny>) -> String {
    show_any(number).ok().filter(|shown| shown.len() <= 50).unwrap_or_else(|| "the integer".to_owned())
}

/// A float as Python source: the shortest digits that give the same number in 64 bits or, if not `double`, in 32.
pub fn show_real(py: Python<'_>, number: f64, double: bool) -> PyResult<String> {
    let number = if double { number } else { shortest(number) };
    let shown = show_any(PyFloat::new(py, number).as_any())?;
    Ok(if number.is_finite() { shown } else { format!("float('{shown}')") })
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

impl<N: Real> Field for N {
    fn hint() -> String {
        "float".to_owned()
    }

    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, self.wide()).into_any())
    }

    fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        N::narrow(object.extract()?)
    }

    fn leaves(&self, each: &mut dyn FnMut(Leaf<'_>)) {
        each(Leaf::Number(self.wide()));
    }

    fn show(&self, py: Python<'_>) -> PyResult<String> {
        show_real(py, self.wide(), N::DOUBLE)
    }
}

impl<N: Real, L: Real> Of<L> for N {
    fn of(number: &L) -> Self {
        N::nearest(*number)
    }

    fn to(&self) -> PyResult<L> {
        Ok(L::nearest(*self))
    }
}

/// Types of fields for types of the library: how each is made of the other.
macro_rules! through {
    ($($field:ty = $library:ty: |$value:ident| $of:expr, |$own:ident| $to:expr;)*) => {$(
        impl<'a> $crate::fields::Of<$library> for $field {
            fn of($value: &$library) -> Self {
                $of
            }

            fn to(&self) -> PyResult<$library> {
                let $own = self;
                $to
            }
        }
    )*};
}
pub(crate) use through;

macro_rules! plain {
    ($($hint:literal |$value:ident| $kind:ident($leaf:expr): $($type:ty)*;)*) => {$($(
        impl Field for $type {
            fn hint() -> String {
                $hint.to_owned()
            }

            fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                object(py, self.clone())
            }

            fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
                integer_or(object, |number| {
                    let bits = (8 * std::mem::size_of::<Self>()).min(64);
                    let (least, most) = match std::any::type_name::<Self>().starts_with('i') {
                        true => (-1_i128 << (bits - 1), (1_i128 << (bits - 1)) - 1),
                        false => (0, (1 << bits) - 1),
                    };
                    format!("{number} is not from {least} to {most}")
                })
            }

            fn leaves(&self, each: &mut dyn FnMut(Leaf<'_>)) {
                let $value = self;
                each(Leaf::$kind($leaf));
            }
        }

        through! { $type = $type: |value| value.clone(), |value| Ok(value.clone()); }
    )*)*};
}

plain! {
    "int" |number| Number(f64::from(*number)): i16 i32 u8 u16 u32;
    "int" |number| Bytes(&number.to_ne_bytes()): u64 i64;
    "int | None" |number| Bytes(&number.unwrap_or(u64::MAX).to_ne_bytes()): Option<u64>;
    "bool" |bool| Bytes(&[(*bool).into()]): bool;
    "str" |text| Bytes(text.as_bytes()): String;
}

/// An enum of two types of fields. Python objects of the class before the first are of that type, all others of the second.
macro_rules! either {
    ($enum:ty: $class:ty => $one:ident($first:ty), else $other:ident($second:ty)) => {
        const _: () = {
            type Either = $enum;

            fn part(either: &Either) -> Box<dyn Field> {
                match either {
                    Either::$one(value) => Box::new(<$first>::of(value)),
                    Either::$other(value) => Box::new(<$second>::of(value)),
                }
            }

            impl Field for $enum {
                fn hint() -> String {
                    format!("{} | {}", <$first>::hint(), <$second>::hint())
                }

                fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    part(self).to_object(py)
                }

                fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
                    match object.is_instance_of::<$class>() {
                        true => <$first>::of_object(object)?.to().map(Self::$one),
                        false => <$second>::of_object(object)?.to().map(Self::$other),
                    }
                }

                fn leaves(&self, each: &mut dyn FnMut($crate::fields::Leaf<'_>)) {
                    part(self).leaves(each);
                }

                fn show(&self, py: Python<'_>) -> PyResult<String> {
                    part(self).show(py)
                }
            }
        };
    };
}
pub(crate) use either;

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
    /// The number of keys that are kept.
    const MOST: usize = 256;

    /// The longest that is kept, in bytes.
    const LONGEST: usize = 32;

    pub fn new(py: Python<'py>) -> Self {
        Keys { py, recent: RefCell::default() }
    }

    /// The Python object for the bytes of a key, which are usually text.
    pub fn get(&self, bytes: &[u8]) -> Bound<'py, PyAny> {
        if bytes.len() > Self::LONGEST {
            return text(self.py, bytes);
        }
        // FNV-1a
        let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        let mut recent = self.recent.borrow_mut();
        if recent.is_empty() {
            recent.resize(Self::MOST, None);
        }
        let Some(slot) = recent.get_mut(hash as usize % Self::MOST) else { return text(self.py, bytes) };
        match slot {
            Some(found) if found.to_str().is_ok_and(|found| found.as_bytes() == bytes) => found.clone().into_any(),
            _ => match std::str::from_utf8(bytes) {
                Ok(key) => slot.insert(PyString::new(self.py, key)).clone().into_any(),
                Err(_) => PyBytes::new(self.py, bytes).into_any(),
            },
        }
    }
}

/// The bytes of a `str` or `bytes`; `None` of any other object.
#[inline(always)] // a result in memory would be copied from there
pub fn text_bytes<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<ByteString<'a>>> {
    // what most objects are, by the address of the class alone
    if let Ok(text) = object.cast_exact::<PyString>() {
        return Ok(Some(text.to_str()?.into()));
    }
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(None);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(text.to_str()?.into()));
    }
    Ok(object.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().into()))
}

/// Bytes, usually text: a `str` where they are UTF-8, else `bytes`.
impl Field for ByteString<'static> {
    fn hint() -> String {
        "str | bytes".to_owned()
    }

    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(text(py, self))
    }

    fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = text_bytes(object)?.ok_or_else(|| crate::errors::wrong_type("str or bytes", object))?;
        Ok(bytes.into_owned())
    }

    fn leaves(&self, each: &mut dyn FnMut(Leaf<'_>)) {
        each(Leaf::Bytes(self));
    }
}

through! { ByteString<'static> = ByteString<'a>: |text| text.clone().into_owned(), |text| Ok(text.clone()); }

/// A tuple of items of one class.
impl<T: Field> Field for Vec<T> {
    fn hint() -> String {
        format!("tuple[{}, ...]", T::hint())
    }

    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let items: PyResult<Vec<_>> = self.iter().map(|item| item.to_object(py)).collect();
        Ok(PyTuple::new(py, items?)?.into_any())
    }

    fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if text_bytes(object)?.is_some() {
            return Err(crate::errors::wrong_type("a sequence", object));
        }
        object.try_iter()?.map(|item| T::of_object(&item?)).collect()
    }

    fn leaves(&self, each: &mut dyn FnMut(Leaf<'_>)) {
        self.iter().for_each(|item| item.leaves(each));
    }

    fn show(&self, py: Python<'_>) -> PyResult<String> {
        let items: PyResult<Vec<_>> = self.iter().map(|item| item.show(py)).collect();
        Ok(match &items?[..] {
            [one] => format!("({one},)"),
            items => format!("({})", items.join(", ")),
        })
    }
}

impl<L, T: Of<L>> Of<Vec<L>> for Vec<T> {
    fn of(items: &Vec<L>) -> Self {
        items.iter().map(T::of).collect()
    }

    fn to(&self) -> PyResult<Vec<L>> {
        self.iter().map(T::to).collect()
    }
}

impl<'a, L: Packed, T: Of<L>> Of<List<'a, L>> for Vec<T> {
    fn of(items: &List<'a, L>) -> Self {
        items.iter().map(|item| T::of(&item)).collect()
    }

    fn to(&self) -> PyResult<List<'a, L>> {
        self.iter().map(T::to).collect()
    }
}

impl<L, T: Of<L>, const N: usize> Of<[L; N]> for Vec<T> {
    fn of(items: &[L; N]) -> Self {
        items.iter().map(T::of).collect()
    }

    fn to(&self) -> PyResult<[L; N]> {
        let items: Vec<L> = self.to()?;
        let count = items.len();
        items.try_into().map_err(|_| value_error(format_args!("expected the {N} numbers of a matrix, found {count}")))
    }
}

/// A tuple of fields.
pub fn tuple<'py>(py: Python<'py>, fields: &[&dyn Field]) -> PyResult<Bound<'py, PyTuple>> {
    let fields: PyResult<Vec<_>> = fields.iter().map(|field| field.to_object(py)).collect();
    PyTuple::new(py, fields?)
}

/// The same object with some fields changed.
pub fn replaced<'py>(
    object: &Bound<'py, PyAny>,
    fields: Bound<'py, PyDict>,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(changes) = changes {
        fields.update(changes.as_mapping())?;
    }
    object.get_type().call((), Some(&fields))
}

/// A Rust value as a Python object.
pub fn object<'py, T: IntoPyObject<'py>>(py: Python<'py>, value: T) -> PyResult<Bound<'py, PyAny>> {
    value.into_bound_py_any(py)
}

/// Defines a frozen class with these fields, which compares, hashes, matches and pickles itself by them, and has these methods.
macro_rules! class {
    (
        $module:literal $(#[$meta:meta])* $name:ident $(as $title:literal)? { $($field:ident: $type:ty),* }
        match { $($matched:ident),* } $($methods:tt)*
    ) => {
        #[pyclass(frozen, eq, hash, from_py_object, module = $module $(, name = $title)?)]
        $(#[$meta])*
        #[derive(Clone, PartialEq)]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                $crate::fields::hash(self, state);
            }
        }

        #[pymethods]
        impl $name {
            $($methods)*

            $(
                #[getter]
                fn $field<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    $crate::fields::Field::to_object(&self.$field, py)
                }
            )*

            /// The arguments that make an equal object, for `pickle` and `copy`.
            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, pyo3::types::PyTuple>)> {
                let this = slf.get();
                Ok((slf.get_type().into_any(), $crate::fields::tuple(slf.py(), &[$(&this.$field),*])?))
            }

            /// For `copy.replace`.
            #[pyo3(signature = (**changes))]
            fn __replace__<'py>(
                slf: &Bound<'py, Self>,
                changes: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let (py, this) = (slf.py(), slf.get());
                let fields = [$((stringify!($field), $crate::fields::Field::to_object(&this.$field, py)?)),*];
                $crate::fields::replaced(slf.as_any(), pyo3::types::IntoPyDict::into_py_dict(fields, py)?, changes)
            }

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Py<pyo3::types::PyTuple>> {
                let names: &[&str] = &[$(stringify!($matched)),*];
                pyo3::types::PyTuple::new(py, names).map(Bound::unbind)
            }

            /// The stubs are made of them.
            #[classattr]
            fn __annotations__(py: Python<'_>) -> PyResult<Py<pyo3::types::PyDict>> {
                let hints = [$((stringify!($field), <$type as $crate::fields::Field>::hint())),*];
                pyo3::types::IntoPyDict::into_py_dict(hints, py).map(Bound::unbind)
            }
        }

        impl $crate::fields::Field for $name {
            fn hint() -> String {
                <Self as pyo3::PyClass>::NAME.to_owned()
            }

            fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::fields::object(py, self.clone())
            }

            fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
                object.extract().map_err(Into::into)
            }

            fn leaves(&self, each: &mut dyn FnMut($crate::fields::Leaf<'_>)) {
                $($crate::fields::Field::leaves(&self.$field, each);)*
            }

            fn show(&self, py: Python<'_>) -> PyResult<String> {
                self.__repr__(py)
            }
        }
    };
}
pub(crate) use class;

/// Makes a class of a structure of the library with the same fields, and back.
macro_rules! by_fields {
    ([$($generic:tt)*] $name:ident { $($field:ident)* }) => {};
    ([$($generic:tt)*] $name:ident { $($field:ident)* $(, $more:ident: $value:expr)? } = $($of:ident)::+ $(<$part:tt>)?) => {
        impl<$($generic)*> $crate::fields::Of<$($of)::+ $(<$part>)?> for $name {
            #[inline]
            fn of(value: &$($of)::+ $(<$part>)?) -> Self {
                $name { $($field: $crate::fields::Of::of(&value.$field),)* $($more: $value)? }
            }

            #[inline]
            fn to(&self) -> PyResult<$($of)::+ $(<$part>)?> {
                Ok($($of)::+ { $($field: $crate::fields::Of::to(&self.$field)?),* })
            }
        }
    };
}
pub(crate) use by_fields;

/// Defines a class that shows itself by its fields. With `= type`, its fields are those of that type of the library.
/// With `check`, that function sees every new object first.
macro_rules! record {
    (
        $(methods { $($method:tt)* })? $module:literal $(#[$meta:meta])* $name:ident $(as $title:literal)? $(= $($of:ident)::+ $(<$part:tt>)?)?
        { $($field:ident: $type:ty),* $(,)? } $(check $check:expr)?
    ) => {
        $crate::fields::class! {
            $module $(#[$meta])* $name $(as $title)? { $($field: $type),* }
            match { $($field),* }

            #[new]
            fn new($($field: &Bound<'_, PyAny>),*) -> PyResult<Self> {
                let new = $name { $($field: $crate::fields::argument(stringify!($field), $field)?),* };
                $(let new = ($check)(new)?;)?
                Ok(new)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$($crate::fields::Field::show(&self.$field, py)),*];
                $crate::fields::show(<Self as pyo3::PyClass>::NAME, fields)
            }

            $($($method)*)?
        }

        $crate::fields::by_fields! { ['a] $name { $($field)* } $(= $($of)::+ $(<$part>)?)? }
    };
}
pub(crate) use record;

/// Defines a class whose fields are all numbers: it is also a sequence of them.
macro_rules! vector {
    (
        $(methods { $($method:tt)* })? $module:literal $(#[$meta:meta])* $name:ident $(= $($of:ident)::+ $(<$part:tt>)?)?
        { $($field:ident: $type:ty),* }
    ) => {
        $crate::fields::record! {
            methods {
                fn __len__(&self) -> usize {
                    [$(stringify!($field)),*].len()
                }

                fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    $crate::fields::tuple(index.py(), &[$(&self.$field),*])?.as_any().get_item(index)
                }

                fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
                    $crate::fields::tuple(py, &[$(&self.$field),*])?.try_iter()
                }

                $($($method)*)?
            }
            $module $(#[$meta])* #[pyo3(sequence)] $name $(= $($of)::+ $(<$part>)?)? { $($field: $type),* }
        }
    };
}
pub(crate) use vector;

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
    /// The number of variants that have a class.
    const CLASSES: usize;

    /// The object for a variant that has a class.
    fn to_class<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// The numbers of a variant that has a class.
    fn numbers(&self) -> Option<Vec<f64>>;

    /// The value of an object that is of one of the classes.
    fn from_class(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>>;
}

/// Defines classes, and a function that adds them to a module. A row is the macro that defines the class, and what this is
/// given. The classes are also those of an enum `for` which they are, and so may be others that are defined elsewhere.
/// An object is compared with them in this order: frequent ones stand first.
macro_rules! classes {
    ($add:ident $module:literal $(for $enum:ty $(, and of $other:ident: $($shared:ident)*)?)?; $(
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

        $crate::fields::variants! { $($enum)?: $($($($shared $other::$shared;)*)?)? $($name $name;)* }
    };
}
pub(crate) use classes;

macro_rules! variants {
    (: $($row:tt)*) => {};
    ($enum:ty: $($variant:ident $class:path;)*) => {
        impl $crate::fields::Variants for $enum {
            const CLASSES: usize = [$(stringify!($variant)),*].len();

            #[inline]
            fn to_class<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                match self {
                    $(Self::$variant(value) => {
                        $crate::fields::object(py, <$class as $crate::fields::Of<_>>::of(value)).map(Some)
                    })*
                    _ => Ok(None),
                }
            }

            fn numbers(&self) -> Option<Vec<f64>> {
                match self {
                    $(Self::$variant(value) => {
                        Some($crate::fields::numbers(&<$class as $crate::fields::Of<_>>::of(value)))
                    })*
                    _ => None,
                }
            }

            #[inline]
            fn from_class(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
                // none of them has subclasses
                $(if let Ok(found) = object.cast_exact::<$class>() {
                    return Ok(Some(Self::$variant($crate::fields::Of::to(found.get())?)));
                })*
                Ok(None)
            }
        }
    };
}
pub(crate) use variants;

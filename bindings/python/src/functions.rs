//! The functions that all formats have.

use pyo3::prelude::*;

use crate::tree::TreeParts;

/// Converts an object of this format to a type. An error has the offset that the tree of the bytes has for it.
pub fn typed<'py>(
    object: Bound<'py, PyAny>,
    r#type: &Bound<'py, PyAny>,
    format: &str,
    tree: impl FnOnce() -> TreeParts,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let module = py.import("enginewire._typed")?;
    module.call_method1("convert", (object, r#type, format)).or_else(|error| {
        let error = module.call_method1("located", (error.into_value(py), tree()))?;
        Err(PyErr::from_value(error))
    })
}

/// Defines `loads` and `check` of a format of the library, and a function that adds them to a module. `options` is made
/// from their arguments. The argument in brackets needs no name. `loads` ends by making an object from a value.
macro_rules! functions {
    (
        $add:ident($format:ident::$options:ident = $made:expr);
        $([$place:ident: $place_type:ty = $place_default:tt])? $($option:ident: $type:ty = $default:tt),*;
        $(#[$loads:meta])* loads($buffer:ident, $input:ident, $value:ident) => $object:expr;
        $(#[$check:meta])* check;
    ) => {
        $(#[$loads])*
        #[pyfunction]
        #[pyo3(signature = (buffer, $($place = $place_default,)? *, r#type = None, $($option = $default),*))]
        fn loads<'py>(
            buffer: &Bound<'py, PyAny>,
            $($place: $place_type,)?
            r#type: Option<&Bound<'py, PyAny>>,
            $($option: $type),*
        ) -> PyResult<Bound<'py, PyAny>> {
            let options: $format::$options = $made;
            let ($buffer, $input) = (buffer, &$crate::buffers::Input::of(buffer)?);
            let py = buffer.py();
            let decoded = $crate::buffers::detached(py, $input.bytes(), |bytes| $format::decode_with(bytes, &options));
            let decoded = decoded.map_err(|error| $crate::errors::decode_error(py, &error))?;
            let $value = &decoded;
            let object: PyResult<Bound<'py, PyAny>> = $object;
            $crate::buffers::roomy(|| drop(decoded));
            let Some(r#type) = r#type else { return object };
            let tree = || $crate::tree::tree_parts(py, $input.bytes(), |bytes| $format::inspect_with(bytes, &options));
            $crate::functions::typed(object?, r#type, stringify!($format), tree)
        }

        $(#[$check])*
        #[pyfunction]
        #[pyo3(signature = (buffer, $($place = $place_default,)? *, $($option = $default),*))]
        fn check(
            buffer: &Bound<'_, PyAny>,
            $($place: $place_type,)?
            $($option: $type),*
        ) -> PyResult<$crate::report::Report> {
            let options: $format::$options = $made;
            let (py, input) = (buffer.py(), $crate::buffers::Input::of(buffer)?);
            let check = |bytes| $format::check_with(bytes, &options, |_, _| {});
            $crate::report::report(py, $crate::buffers::detached(py, input.bytes(), check))
        }

        fn $add(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_function(wrap_pyfunction!(loads, module)?)?;
            module.add_function(wrap_pyfunction!(check, module)?)
        }
    };
}
pub(crate) use functions;

//! The extension module of the Python package. What users import is in `python/enginewire`.

use pyo3::prelude::*;

mod attributes;
mod buffers;
mod container;
mod errors;
mod fields;
mod functions;
mod godot;
mod guess;
mod lua;
mod make;
mod mapping;
mod model;
mod packed;
mod remote;
mod report;
mod save;
mod scan;
mod survive;
mod text;
mod tree;

/// Adds a module below the extension module, so that `import` finds it, too.
fn add_submodule(
    parent: &Bound<'_, PyModule>,
    name: &str,
    fill: impl FnOnce(&Bound<'_, PyModule>) -> PyResult<()>,
) -> PyResult<()> {
    let py = parent.py();
    // its functions are pickled by the name of the public module
    let module = PyModule::new(py, &format!("enginewire.{name}"))?;
    fill(&module)?;
    module.delattr("__all__")?;
    parent.add(name, &module)?;
    let full_name = format!("enginewire._enginewire.{name}");
    module.setattr("__name__", &full_name)?;
    py.import("sys")?.getattr("modules")?.set_item(full_name, module)
}

/// The extension module of the Python package.
#[pymodule]
fn _enginewire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_submodule(module, "attributes", attributes::add)?;
    add_submodule(module, "godot", godot::add)?;
    add_submodule(module, "lua", lua::add)?;
    add_submodule(module, "remote", remote::add)?;
    module.add_class::<report::Report>()?;
    module.add_class::<make::Maker>()?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(model::broken_rule, module)?)?;
    module.add_function(wrap_pyfunction!(model::check_types, module)?)?;
    module.add_class::<save::SaveFile>()?;
    module.add_class::<save::SaveRow>()?;
    module.add_class::<save::BlueprintText>()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    container::register(module)?;
    guess::register(module)?;
    scan::register(module)?;
    survive::register(module)?;
    text::register(module)?;
    // what users import says itself what is public
    module.delattr("__all__")
}

//! The extension module of the Python package. What users import is in `python/enginewire`.

use pyo3::prelude::*;

mod attributes;
mod buffers;
mod container;
mod direct;
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
mod _enginewire {
    use super::*;

    #[pymodule_export]
    use container::{nearest, File};
    #[pymodule_export]
    use guess::guess;
    #[pymodule_export]
    use make::Maker;
    #[pymodule_export]
    use model::{broken_rule, check_types, Model};
    #[pymodule_export]
    use report::Report;
    #[pymodule_export]
    use save::{BlueprintText, SaveFile, SaveRow};
    #[pymodule_export]
    use scan::{count_files, list_files, scan_columns, scan_items, scan_paths, Scan};
    #[pymodule_export]
    use survive::harms;
    #[pymodule_export]
    use text::{from_json, from_notation, recover, to_json, to_notation, tree};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        add_submodule(module, "attributes", attributes::add)?;
        add_submodule(module, "godot", godot::add)?;
        add_submodule(module, "lua", lua::add)?;
        add_submodule(module, "remote", remote::add)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // what users import says itself what is public
        module.delattr("__all__")
    }
}

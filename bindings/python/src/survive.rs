//! `enginewire.harms`: values that other tools change, lose or refuse.

use enginewire_files::address::Address;
use enginewire_files::containers::ContainerKind;
use enginewire_files::survive::{check, named, Harm, Held, Tool, TOOLS};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffers::{detached, Input};
use crate::container::{options_of, pattern_of};
use crate::errors::decode_error;
use crate::fields::value_error;
use crate::text::format_of;

/// The tool with its version, effect, outcome, advice, and the path and offset of the field.
type Parts = (&'static str, &'static str, String, &'static str, String, Option<u64>);

fn parts(harm: Harm) -> Parts {
    let Harm { tool, row, outcome, path, at, .. } = harm;
    (tool.version, row.effect.name(), outcome, row.advice, path.to_string(), at.map(|at| at.byte()))
}

fn tool_of(name: &String) -> PyResult<&'static Tool> {
    named(name).ok_or_else(|| {
        let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        value_error(format_args!("unknown tool {name:?}; expected one of {}", known.join(", ")))
    })
}

/// The harm that the tools do to a value at an address in a file of this kind, or alone; see `enginewire.harms`.
#[pyfunction]
#[pyo3(signature = (data, tools, format, carrier, address, **options))]
pub fn harms(
    data: &Bound<'_, PyAny>,
    tools: Vec<String>,
    format: &str,
    carrier: Option<&str>,
    address: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Parts>> {
    let (py, input, format, options) = (data.py(), Input::of(data)?, format_of(format)?, options_of(options)?);
    let tools = tools.iter().map(tool_of).collect::<PyResult<Vec<_>>>()?;
    let kind = |name: &str| {
        ContainerKind::named(name).next().ok_or_else(|| value_error(format_args!("unknown kind of file {name:?}")))
    };
    let carrier = carrier.map(kind).transpose()?;
    let address = match (address, carrier) {
        (Some(text), Some(kind)) => pattern_of(kind.syntax(), text)?
            .address()
            .ok_or_else(|| value_error(format_args!("{text} may name several values")))?,
        (Some(_), None) => return Err(value_error("an address needs carrier, the kind of the file that it is in")),
        (None, _) => Address::of_file(),
    };
    let found = detached(py, input.bytes(), |bytes| {
        format.check(bytes, &options)?;
        let (tree, mut all) = (format.inspect(bytes, &options), Vec::new());
        let held = Held { format: format.name(), bytes, carrier, address: &address };
        let _ = check(&tools, held, &tree, &mut |harm| {
            all.push(parts(harm));
            Ok::<_, ()>(())
        });
        Ok(all)
    });
    found.map_err(|error| decode_error(py, &error))
}

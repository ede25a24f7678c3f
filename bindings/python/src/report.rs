//! The result of `check`.

use enginewire::wire;
use enginewire::DecodeError;
use pyo3::prelude::*;

use crate::errors::decode_error;
use crate::fields::record;

record! {
    "enginewire"
    /// The result of `check` for valid bytes: how many items they have, if the format counts them, how many findings are not
    /// canonical, and how many are types that were never seen in real data.
    Report { items: Option<u64>, non_canonical: u64, drafts: u64 }
}

/// The result for Python.
pub fn report(py: Python<'_>, checked: Result<wire::Report, DecodeError>) -> PyResult<Report> {
    let found = checked.map_err(|error| decode_error(py, &error))?;
    let (non_canonical, drafts) = (found.findings.non_canonical.count, found.findings.drafts.count);
    Ok(Report { items: found.items, non_canonical, drafts })
}

//! `enginewire.guess`: what bytes may be.

use enginewire::formats::{Confidence, FormatOptions};
use enginewire_files::guess::{guess as guesses, Guess, Kind};
use pyo3::prelude::*;

use crate::buffers::{detached, Input};

/// Name, confidence, reason, and whether the bytes are a whole value without further options.
type Parts = (&'static str, String, String, bool);

/// The possible kinds of bytes, the likeliest first; see `enginewire.guess`.
#[pyfunction]
pub fn guess(buffer: &Bound<'_, PyAny>) -> PyResult<Vec<Parts>> {
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let found =
        detached(py, input.bytes(), |bytes| guesses(bytes, &FormatOptions::new()).into_iter().map(parts).collect());
    Ok(found)
}

fn parts(guess: Guess) -> Parts {
    let is_plain = guess.offset == 0 && guess.length.is_none() && guess.option.is_none();
    let is_value = is_plain && guess.confidence > Confidence::Possible && matches!(guess.kind, Kind::Value(_));
    let name = match guess.kind {
        Kind::Other(signature) => signature.name,
        Kind::Container(kind) => kind.name(),
        _ => guess.format().map_or("", |format| format.name()),
    };
    (name, guess.confidence.to_string(), guess.reason, is_value)
}

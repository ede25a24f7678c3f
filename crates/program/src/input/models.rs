//! Model and place files, as several commands use them.

use std::io;
use std::path::Path;

use enginewire_files::roblox::model::{self, AttributeReference, Listing, ModelError, Property};
use enginewire_files::scan::{Content, Scan};

use crate::exit_status::{Refusal, Status};
use crate::files::read;
use crate::output::escape::escaped;
use crate::output::name::shown;

/// All bytes of a file, or of standard input, if they are at most `limit`.
pub fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Refusal> {
    read::file(path, limit).map_err(|error| unreadable(path, &error))
}

pub fn refusal(path: &Path, error: &ModelError, scan: &Scan) -> Refusal {
    let name = shown(path);
    let text = scan.refusal(&name.to_string(), Content::File(path), error);
    match error {
        ModelError::Io(_) => Status::Io.because(text),
        error => status(error).because(text).at(name),
    }
}

pub fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    Status::Io.because(format!("cannot read {}: {error}", shown(path)))
}

/// The status that an error of a file gives.
pub fn status(error: &ModelError) -> Status {
    match error {
        ModelError::File(error) => Status::from(error),
        ModelError::NoEnd { .. } | ModelError::XmlEnd { .. } => Status::Truncated,
        ModelError::Io(_) => Status::Io,
        _ => Status::Malformed,
    }
}

/// The address of a property, for messages.
pub fn name(listing: &Listing, property: &Property<'_>) -> String {
    escaped(model::address_text(listing, property))
}

/// The target of a reference, in one line.
pub fn reference_text(listing: &Listing, reference: &AttributeReference<'_>) -> String {
    escaped(listing.reference_text(reference))
}

//! Model and place files, as several commands use them.

use std::fs::File;
use std::io;
use std::path::Path;

use enginewire::formats::guess::{signature, HEAD};
use enginewire::formats::{Described, TRAILING_BYTES};
use enginewire::roblox::attributes::{self, AttributesFormat};
use enginewire::roblox::model::{self, AttributeReference, Listing, ModelError, Options, Property};
use enginewire::DecodeError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::Value;

use crate::exit_status::Status;
use crate::files::read;
use crate::input::instance_path::named;
use crate::output::escape::escaped;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::size::size_text;

/// How model files are read.
pub fn options(settings: &Settings) -> Options {
    options_within(settings.memory(), settings)
}

/// How model files are read in a part of the memory that they may take. Time is bounded in proportion.
pub fn options_within(part: usize, settings: &Settings) -> Options {
    let memory = settings.memory();
    let total = u64::try_from(memory).unwrap_or(u64::MAX).saturating_mul(4);
    let options = Options::new().max_memory(memory).taken(memory.saturating_sub(part));
    options.max_total(total).trailing_bytes(settings.formats.is(&TRAILING_BYTES))
}

/// The exit status and the message of an error.
pub type Refusal = (Status, String);

/// Lists the instances of a file that is not a stream.
pub fn open(path: &Path, options: &Options) -> Result<Listing, ModelError> {
    model::list(File::open(path)?, options)
}

/// Whether a memory limit was exceeded, for all of a file or for a part of it.
pub fn is_over_limit(listing: &Result<Listing, ModelError>) -> bool {
    match listing {
        Ok(listing) => listing.problems.iter().any(ModelError::is_of_limit),
        Err(error) => error.is_of_limit(),
    }
}

/// How many properties of a file to read, and why not all: many properties can share one value, so that a small file
/// can have output of any size.
pub fn within(listing: &Listing, limit: usize) -> (usize, Option<String>) {
    match listing.count_within(limit) {
        None => (usize::MAX, None),
        Some(count) => {
            let limit = size_text(limit);
            let reason = format!(
                "the values of the file, counting shared ones at every use, are larger than the limit of {limit}"
            );
            (count, Some(format!("{reason}; raise the limit with --max-memory")))
        }
    }
}

/// Memory that the largest value of a file may take when it is decoded.
pub fn decoded(listing: &Result<Listing, ModelError>) -> usize {
    let lengths = listing.iter().flat_map(Listing::properties);
    let lengths = lengths.filter_map(|property| property.bytes.as_ref().map(|bytes| bytes.len()).ok());
    lengths.max().unwrap_or_default().saturating_mul(read::DECODED)
}

/// All bytes of a file, or of standard input, if they are no more than so many.
pub fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Refusal> {
    read::file(path, limit).map_err(|error| unreadable(path, &error))
}

pub fn refusal(path: &Path, error: &ModelError) -> Refusal {
    match error {
        ModelError::Io(error) => unreadable(path, error),
        ModelError::NotAModel => {
            let found = read::head(path, HEAD).ok().and_then(|head| signature(&head));
            let about = found.map(|found| format!(": {}", found.about)).unwrap_or_default();
            (status(error), format!("{error}{about}\n  --> {}", shown(path)))
        }
        error => (status(error), format!("{}\n  --> {}", problem_text(error), shown(path))),
    }
}

pub fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    (Status::Io, format!("cannot read {}: {error}", shown(path)))
}

/// The text of an error, with how to raise a limit that was exceeded.
pub fn problem_text(problem: &ModelError) -> String {
    match problem.is_of_limit() {
        true => format!("{problem}; raise the limit with --max-memory"),
        false => problem.to_string(),
    }
}

/// The status that an error of a file gives.
pub fn status(error: &ModelError) -> Status {
    match error {
        ModelError::File(error) => Status::from(error),
        ModelError::NoEnd { .. } => Status::Truncated,
        ModelError::Io(_) => Status::Io,
        _ => Status::Malformed,
    }
}

/// Which property of which instance it is, for people.
pub fn name(listing: &Listing, property: &Property<'_>) -> String {
    format!("{} {}", named(listing, property.instance), property.kind.name())
}

/// The name of the type of attributes that hold references.
pub const REFERENCE: &str = "Reference";

/// What a reference refers to, in one line.
pub fn reference_text(listing: &Listing, reference: &AttributeReference<'_>) -> String {
    escaped(listing.reference_text(reference))
}

/// An entry in JSON.
#[derive(Debug, Deserialize, Serialize)]
pub struct EntryJson {
    pub key: Value,
    #[serde(rename = "type")]
    pub name: String,
    /// As it was written: another number of as many bits would have other digits.
    #[serde(default = "nothing")]
    pub value: Box<RawValue>,
}

/// Types without a value have none to write.
fn nothing() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

impl EntryJson {
    pub fn new(entry: &attributes::Entry<'_>) -> serde_json::Result<Self> {
        serde_json::from_str(&serde_json::to_string(entry)?)
    }
}

/// The attributes of a property as far as they can be read, and what is wrong with the rest.
pub fn partial<'p>(
    property: &Property<'p>,
    settings: &Settings,
) -> (attributes::Attributes<'p>, Option<(String, Option<DecodeError>)>) {
    match &property.bytes {
        Ok(bytes) if read::may_exceed(bytes, settings.memory()).is_some() => {
            (attributes::Attributes::new(), read::may_exceed(bytes, settings.memory()).map(|reason| (reason, None)))
        }
        Ok(bytes) => {
            let partial = attributes::decode_partial(bytes, &AttributesFormat::options(&settings.formats));
            let error = partial.error.map(DecodeError::of_complete_input);
            (partial.value.unwrap_or_default(), error.map(|error| (error.to_string(), Some(error))))
        }
        Err(error) => (attributes::Attributes::new(), Some((error.to_string(), None))),
    }
}

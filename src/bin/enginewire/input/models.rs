//! Model and place files, as several commands use them.

use std::fs::File;
use std::io::{self, Cursor};
use std::path::Path;

use enginewire::formats::{Described, TRAILING_BYTES};
use enginewire::roblox::attributes::{self, AttributesFormat};
use enginewire::roblox::model::{self, ChunkName, Instance, Listing, ModelError, Options, Place, Property};
use enginewire::DecodeError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{json, Value};

use crate::exit_status::Status;
use crate::files::read;
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

/// Lists the instances of a file. A stream is read completely, up to `limit` bytes.
pub fn list(path: &Path, options: &Options, limit: usize) -> Result<Listing, Refusal> {
    let listing = if read::is_stream(path) {
        let bytes = read(path, limit)?;
        let options = options.taken(bytes.len());
        model::list(Cursor::new(bytes), &options)
    } else {
        open(path, options)
    };
    listing.map_err(|error| refusal(path, &error))
}

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
    let mut total = 0usize;
    let mut lengths = listing.properties().map(|property| property.bytes.map_or(0, |bytes| bytes.len()));
    let is_exhausted = |length: usize| {
        total = total.saturating_add(length);
        total > limit
    };
    match lengths.position(is_exhausted) {
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

/// The start of a text, and `…` if there is more of it than of any path.
fn cut(text: &str) -> String {
    if text.len() <= Listing::LONGEST_PATH {
        return text.to_owned();
    }
    let end = (0..=Listing::LONGEST_PATH).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Which property of which instance it is, for people.
pub fn name(listing: &Listing, property: &Property<'_>) -> String {
    format!("{} {}", escaped(listing.path(property.instance)), property.kind.name())
}

/// The JSON members that name the instance and the property.
pub fn owner(listing: &Listing, property: &Property<'_>) -> Vec<(&'static str, Value)> {
    let mut members = vec![("instance", json!(listing.path(property.instance).to_string()))];
    if let Some(Instance { class, referent, .. }) = listing.instance_of(property) {
        // they are written for each attribute, and may have any length in a file
        members.extend([("class", json!(cut(&class.to_string()))), ("referent", json!(cut(&referent.to_string())))]);
    }
    members.push(("property", json!(property.kind.name())));
    members
}

/// The JSON members that give its location in the file.
pub fn place(property: &Property<'_>) -> Vec<(&'static str, Value)> {
    match &property.place {
        Place::Binary(place) => {
            let chunk = json!({
                "offset": place.chunk,
                "compression": place.compression.name(),
                "compressed_length": place.header.compressed_length,
                "length": place.header.length,
            });
            vec![
                ("chunk", chunk),
                ("index", json!(place.index)),
                ("offset_in_chunk", json!(place.offset)),
                ("file_offset", json!(property.place.file_offset())),
            ]
        }
        Place::Xml(place) => {
            let range = |range: &std::ops::Range<u64>| json!([range.start, range.end]);
            vec![("element", range(&place.element)), ("content", json!(place.content.as_ref().map(range)))]
        }
        _ => Vec::new(),
    }
}

/// The same for people.
pub fn stored(property: &Property<'_>) -> Option<String> {
    match &property.place {
        Place::Binary(place) => {
            let name = if place.chunk == place.property { ChunkName::PROP } else { ChunkName::SSTR };
            let chunk = format!("the {name} chunk at byte {:#x}", place.chunk);
            Some(match property.place.file_offset() {
                Some(offset) => format!("at byte {offset:#x}, in {chunk}"),
                None => {
                    let how = place.compression.name();
                    format!("compressed ({how}), at byte {:#x} of the data of {chunk}", place.offset)
                }
            })
        }
        Place::Xml(place) => {
            let how = if place.is_shared { "as a shared string, referenced" } else { "as base64," };
            place.content.as_ref().map(|content| format!("{how} at byte {:#x}", content.start))
        }
        _ => None,
    }
}

/// Whether it has attributes, if what it has can be read.
pub fn is_attributes(listing: &Listing, property: &Property<'_>) -> bool {
    let instance = listing.instance_of(property);
    instance.is_some_and(|instance| property.kind.is_attributes(instance.class))
}

/// The tags, if that is what it has.
pub fn tags(property: &Property<'_>) -> Vec<String> {
    property.tags().map(ToString::to_string).collect()
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
            (partial.value.unwrap_or_default(), partial.error.map(|error| (error.to_string(), Some(error))))
        }
        Err(error) => (attributes::Attributes::new(), Some((error.to_string(), None))),
    }
}

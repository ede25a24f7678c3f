//! The rows of one file. They equal those of `enginewire scan`.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use enginewire::formats::guess::{signature, HEAD};
use enginewire::notation::is_unprintable;
use enginewire::roblox::attributes::{self, Attributes};
use enginewire::roblox::model::{
    self, AttributeReference, ChunkFault, Listing, ModelError, Options, Place, Property, ValueError,
};
use enginewire::DecodeError;
use pyo3::pybacked::PyBackedBytes;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::schema::{Column, Columns, Fact, FileColumns, Problem, PropertyColumns, Row, Rows, Tags};
use super::value::{json_of, name_of};

/// The largest factor between the bytes of a value and the memory of its decoded form.
const DECODED: usize = 32;

/// A file is read at once if it is no longer.
const SMALL: u64 = 4 << 20;

/// How much of a larger file is hashed at once.
const PIECE: usize = 256 << 10;

/// Where a file comes from.
#[derive(Debug)]
pub enum Source {
    Path(PathBuf),
    Bytes(PyBackedBytes),
    /// Why it cannot be read.
    Unread(String),
}

/// What reading takes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The limit, as the user set it.
    pub limit: usize,
    /// The part of it that this file may take.
    pub part: usize,
}

impl Memory {
    fn options(self) -> Options {
        let total = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_mul(4);
        Options::new().max_memory(self.limit).taken(self.limit.saturating_sub(self.part)).max_total(total)
    }
}

/// A file that is opened and hashed, and not yet listed.
#[derive(Debug)]
pub struct Opened {
    file: FileColumns,
    content: Result<Content, Problem>,
}

#[derive(Debug)]
enum Content {
    Path(PathBuf),
    Bytes(Vec<u8>),
    Shared(PyBackedBytes),
}

impl Opened {
    /// Opens a file. What it takes is no more than a few megabytes, or what a stream has up to the limit.
    pub fn new(name: String, source: Source, limit: usize, columns: &Columns) -> Self {
        let wants_hash = columns.has(Column::Sha256);
        let mut file = FileColumns { name, size: None, sha256: None };
        let hash = |bytes: &[u8]| wants_hash.then(|| hexadecimal(Sha256::digest(bytes)));
        let content = match source {
            Source::Unread(reason) => Err(reason),
            Source::Bytes(bytes) => {
                (file.size, file.sha256) = (Some(to_u64(bytes.len())), hash(&bytes));
                Ok(Content::Shared(bytes))
            }
            Source::Path(path) => match read(&path, limit) {
                Ok((_, Some(bytes))) => {
                    (file.size, file.sha256) = (Some(to_u64(bytes.len())), hash(&bytes));
                    Ok(Content::Bytes(bytes))
                }
                Ok((size, None)) => {
                    file.size = Some(size);
                    match wants_hash.then(|| hash_of(&path)).transpose() {
                        Ok(hash) => {
                            file.sha256 = hash;
                            Ok(Content::Path(path))
                        }
                        Err(error) => Err(error.to_string()),
                    }
                }
                Err(error) => Err(error.to_string()),
            },
        };
        let content = content.map_err(|reason| {
            let message = format!("cannot read {}: {reason}", shown(&file.name));
            Problem { message, code: "not-read", ..Problem::default() }
        });
        Opened { file, content }
    }

    /// Its length in bytes; 0 if it cannot be read.
    pub fn size(&self) -> usize {
        usize::try_from(self.file.size.unwrap_or_default()).unwrap_or(usize::MAX)
    }

    /// Lists its properties. What needs more memory than the part of this file comes back as it was, if that is not all
    /// there is.
    pub fn list(self, memory: Memory, all: usize) -> Result<Reading, Box<Self>> {
        let Opened { file, content } = self;
        let content = match content {
            Ok(content) => content,
            Err(problem) => return Ok(Reading::unread(file, problem)),
        };
        let options = memory.options();
        let listing = match &content {
            Content::Path(path) => {
                File::open(path).map_err(ModelError::from).and_then(|file| model::list(file, &options))
            }
            Content::Bytes(bytes) => model::list(Cursor::new(bytes), &options),
            Content::Shared(bytes) => model::list(Cursor::new(bytes), &options),
        };
        let is_over = match &listing {
            Ok(listing) => listing.problems.iter().any(ModelError::is_of_limit) || decoded(listing) > memory.part / 2,
            Err(error) => error.is_of_limit(),
        };
        if is_over && memory.part < all {
            return Err(Box::new(Opened { file, content: Ok(content) }));
        }
        Ok(match listing {
            Ok(listing) => Reading::new(file, listing, memory.limit),
            Err(error) => {
                let problem = unread_problem(&error, &file.name, &content);
                Reading::unread(file, problem)
            }
        })
    }
}

/// The length of a file, and its bytes if they are few or can be read only once.
fn read(path: &Path, limit: usize) -> io::Result<(u64, Option<Vec<u8>>)> {
    let mut opened = File::open(path)?;
    let about = opened.metadata()?;
    if about.is_file() && about.len() > SMALL {
        return Ok((about.len(), None));
    }
    let mut bytes = Vec::new();
    let most = to_u64(limit).saturating_add(1);
    (&mut opened).take(most).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        let reason = format!("it is larger than {}; raise the limit with max_memory", size_text(limit));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok((to_u64(bytes.len()), Some(bytes)))
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hexadecimal(hash.finalize())),
            Ok(length) => hash.update(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Memory that the largest value of a file may take when it is decoded.
fn decoded(listing: &Listing) -> usize {
    let lengths = listing.properties().filter_map(|property| property.bytes.as_ref().map(|bytes| bytes.len()).ok());
    lengths.max().unwrap_or_default().saturating_mul(DECODED)
}

/// A file whose rows are made, property by property, and then reference by reference.
#[derive(Debug)]
pub struct Reading {
    file: FileColumns,
    content: Result<Listing, Problem>,
    limit: usize,
    /// How many properties are to be read, if not all.
    within: Option<usize>,
    /// The index of the next property; after the properties, their number plus the index of the next reference.
    next: usize,
    has_rows: bool,
}

impl Reading {
    fn new(file: FileColumns, listing: Listing, limit: usize) -> Self {
        let within = listing.count_within(limit);
        Reading { file, content: Ok(listing), limit, within, next: 0, has_rows: false }
    }

    fn unread(file: FileColumns, problem: Problem) -> Self {
        Reading { file, content: Err(problem), limit: 0, within: None, next: 0, has_rows: false }
    }

    /// Adds the rows of one more property or reference, or the last rows. Whether there are more to come.
    pub fn step(&mut self, rows: &mut Rows) -> bool {
        let before = self.next;
        self.next = before.saturating_add(1);
        let mut file = FileRows { file: &self.file, limit: self.limit, rows, has_rows: false };
        let has_more = match &self.content {
            Err(problem) => {
                file.problem(&PropertyColumns::default(), problem);
                false
            }
            Ok(listing) => {
                let properties = self.within.unwrap_or_else(|| listing.properties().len());
                let property = listing.property_at(before).filter(|_| before < properties);
                let reference = before.checked_sub(properties).and_then(|index| listing.reference_at(index));
                if let Some(property) = &property {
                    file.property(listing, property);
                } else if let Some(reference) = &reference {
                    file.reference(listing, reference);
                } else {
                    if self.within.is_some() {
                        file.problem(&PropertyColumns::default(), &over_limit(self.limit));
                    }
                    for problem in &listing.problems {
                        file.problem(&PropertyColumns::default(), &file_problem(problem));
                    }
                }
                property.is_some() || reference.is_some()
            }
        };
        self.has_rows |= file.has_rows;
        if !has_more && !self.has_rows {
            file.row(&PropertyColumns::default(), &Fact::Nothing);
        }
        has_more
    }
}

struct FileRows<'f> {
    file: &'f FileColumns,
    limit: usize,
    rows: &'f mut Rows,
    has_rows: bool,
}

impl FileRows<'_> {
    fn row(&mut self, of: &PropertyColumns, fact: &Fact<'_>) {
        self.has_rows = true;
        self.rows.push(&Row { file: self.file, of, fact });
    }

    fn problem(&mut self, of: &PropertyColumns, problem: &Problem) {
        self.row(of, &Fact::Problem(problem));
    }

    fn property(&mut self, listing: &Listing, property: &Property<'_>) {
        if model::is_attributes(listing, property) {
            self.attributes(listing, property);
        } else {
            self.tags(listing, property);
        }
    }

    fn reference(&mut self, listing: &Listing, reference: &AttributeReference<'_>) {
        let of = owner_of(model::owner_of_reference(listing, reference));
        let target = reference.referent.map(|_| listing.reference_text(reference));
        let json = self.rows.has(Column::ValueJson).then(|| Json::from(target.as_deref()).to_string());
        let key = String::from_utf8_lossy(reference.key).into_owned();
        self.row(&of, &Fact::Reference { key, target, json });
    }

    fn tags(&mut self, listing: &Listing, property: &Property<'_>) {
        let count = property.tags().count();
        if count == 0 && property.bytes.is_ok() {
            return;
        }
        let of = place_of(listing, property);
        if let Err(error) = &property.bytes {
            return self.problem(&of, &value_problem(error));
        }
        // in Arrow and in JSON: a tag may have no bytes, but takes some for its place and its quotes
        let length = property.bytes.as_ref().map_or(0, |bytes| bytes.len()).saturating_sub(count.saturating_sub(1));
        let needed = count.saturating_mul(8).saturating_add(length.saturating_mul(9));
        if needed > self.limit {
            let limit = size_text(self.limit);
            let message = format!(
                "{} tags need more memory than the limit of {limit}; raise it with max_memory",
                thousands(count)
            );
            return self.problem(&of, &Problem { message, code: "over-limit", ..Problem::default() });
        }
        let tags = Tags(property);
        match self.rows.has(Column::ValueJson).then(|| serde_json::to_string(&tags)).transpose() {
            Ok(json) => self.row(&of, &Fact::Tags { tags, json }),
            Err(error) => self.problem(&of, &not_json(&error)),
        }
    }

    fn attributes(&mut self, listing: &Listing, property: &Property<'_>) {
        let (attributes, problem) = match &property.bytes {
            Err(error) => (Attributes::new(), Some(value_problem(error))),
            Ok(bytes) if bytes.len().saturating_mul(DECODED) > self.limit => {
                (Attributes::new(), Some(too_long(bytes.len(), self.limit)))
            }
            Ok(bytes) => {
                let partial = attributes::decode_partial(bytes, &attributes::Options::new());
                let error = partial.error.map(DecodeError::of_complete_input);
                (partial.value.unwrap_or_default(), error.as_ref().map(decode_problem))
            }
        };
        if attributes.is_empty() && problem.is_none() {
            return;
        }
        let of = place_of(listing, property);
        let wants_json = self.rows.has(Column::ValueJson);
        for entry in &attributes {
            match wants_json.then(|| json_of(entry)).transpose() {
                Ok(json) => self.row(&of, &Fact::Attribute { key: name_of(&entry.key), value: &entry.value, json }),
                Err(error) => self.problem(&of, &not_json(&error)),
            }
        }
        if let Some(problem) = problem {
            self.problem(&of, &problem);
        }
    }
}

/// The columns of an instance and its property, as JSON members give them.
fn owner_of(members: Vec<(&str, Json)>) -> PropertyColumns {
    let mut of = PropertyColumns::default();
    for (name, value) in members {
        let text = match value {
            Json::String(text) => Some(text),
            _ => None,
        };
        match name {
            "instance" => of.instance = text,
            "class" => of.class = text,
            "referent" => of.referent = text,
            _ => of.property = text,
        }
    }
    of
}

/// The columns of a property.
fn place_of(listing: &Listing, property: &Property<'_>) -> PropertyColumns {
    let mut of = owner_of(model::owner(listing, property));
    match &property.place {
        Place::Binary(place) => {
            (of.chunk_offset, of.offset_in_chunk) = (Some(place.chunk), Some(place.offset));
            of.file_offset = property.place.file_offset();
        }
        // the value is stored where the content of its element begins
        Place::Xml(place) => of.file_offset = place.content.as_ref().map(|content| content.start),
        _ => {}
    }
    of
}

fn decode_problem(error: &DecodeError) -> Problem {
    let fault = error.fault();
    Problem {
        message: fault.to_string(),
        code: fault.code(),
        offset: Some(error.offset().byte()),
        path: Some(error.path().to_string()),
    }
}

fn value_problem(error: &ValueError) -> Problem {
    let code = match error {
        ValueError::Base64 { .. } | ValueError::References { .. } => "invalid-base64",
        ValueError::SharedString(_) => "no-shared-string",
        _ => "malformed",
    };
    Problem { message: error.to_string(), code, ..Problem::default() }
}

/// The kind of an error of a file.
fn code(error: &ModelError) -> &'static str {
    match error {
        ModelError::Io(_) => "not-read",
        ModelError::NotAModel => "not-a-model",
        ModelError::File(error) => error.fault().code(),
        ModelError::NoEnd { .. } => "truncated",
        ModelError::Trailing { .. } => "trailing-bytes",
        ModelError::Chunk { fault: ChunkFault::Data(error), .. } => error.fault().code(),
        error if error.is_of_limit() => "over-limit",
        _ => "malformed",
    }
}

/// A problem of a file that has other rows too.
fn file_problem(error: &ModelError) -> Problem {
    match error {
        ModelError::File(error) => decode_problem(error),
        ModelError::Xml { offset, .. } | ModelError::NoEnd { offset } | ModelError::Trailing { offset } => {
            Problem { message: error.to_string(), code: code(error), offset: Some(*offset), path: None }
        }
        error => Problem { message: error.to_string(), code: code(error), ..Problem::default() },
    }
}

/// What a file is that is not a model, if its first bytes tell.
fn other_kind(content: &Content) -> Option<&'static str> {
    let mut head = Vec::new();
    let bytes = match content {
        Content::Path(path) => {
            File::open(path).and_then(|file| file.take(to_u64(HEAD)).read_to_end(&mut head)).ok()?;
            &head
        }
        Content::Bytes(bytes) => bytes.get(..HEAD).unwrap_or(bytes),
        Content::Shared(bytes) => bytes.get(..HEAD).unwrap_or(bytes),
    };
    Some(signature(bytes)?.about)
}

/// The problem of a file that has no other rows.
fn unread_problem(error: &ModelError, name: &str, content: &Content) -> Problem {
    let message = match error {
        ModelError::NotAModel => {
            let about = other_kind(content).map(|about| format!(": {about}")).unwrap_or_default();
            format!("{error}{about}")
        }
        ModelError::Io(error) => format!("cannot read {}: {error}", shown(name)),
        error if error.is_of_limit() => format!("{error}; raise the limit with max_memory"),
        error => error.to_string(),
    };
    // what follows is an excerpt
    let message = message.lines().next().unwrap_or_default().to_owned();
    Problem { message, code: code(error), ..Problem::default() }
}

fn over_limit(limit: usize) -> Problem {
    let limit = size_text(limit);
    let reason =
        format!("the values of the file, counting shared ones at every use, are larger than the limit of {limit}");
    Problem { message: format!("{reason}; raise the limit with max_memory"), code: "over-limit", ..Problem::default() }
}

fn too_long(length: usize, limit: usize) -> Problem {
    let (length, limit) = (thousands(length), size_text(limit));
    let reason = format!("a value of {length} bytes may need {DECODED} times as much memory, but the limit is {limit}");
    Problem { message: format!("{reason}; raise it with max_memory"), code: "over-limit", ..Problem::default() }
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem { message: error.to_string(), code: "other", ..Problem::default() }
}

/// A name in a line of text.
fn shown(name: &str) -> String {
    let mut text = String::new();
    for char in name.chars() {
        if is_unprintable(char) {
            text.extend(char.escape_default());
        } else {
            text.push(char);
        }
    }
    text
}

/// `1,234`
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// `256M`
fn size_text(bytes: usize) -> String {
    let unit =
        [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)].into_iter().find(|(_, unit)| bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes} bytes"), |(letter, unit)| format!("{}{letter}", bytes / unit))
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

//! What `scan` finds in one file.

use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use enginewire::roblox::model::{self, AttributeReference, Listing, ModelError, Property};
use enginewire::DecodeError;
use indicatif::ProgressBar;

use super::board::lock;
use super::counts::{add, Counts};
use super::memory::Memory;
use super::record::Written;
use super::row::{Fact, Form, Row, Tags};
use super::spool::{Room, Spool};
use crate::exit_status::Status;
use crate::input::containers::Origin;
use crate::input::models::{self, Refusal};
use crate::input::opened::{OpenFile, Unreadable};
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::Settings;

/// Data shared by all threads.
pub struct Shared<'s> {
    /// Whether only counts are wanted.
    pub summary: bool,
    /// How rows are written.
    pub form: Form,
    pub settings: &'s Settings,
    /// For what is read.
    pub memory: Memory,
    /// What a file that is not large may take, so that each thread can have one.
    pub share: usize,
    /// For what waits to be written.
    pub room: &'s Room,
    pub counts: Mutex<Counts>,
}

/// What a message begins with that is kept: whether it is an error or a warning.
const ERROR: u8 = b'e';
const WARNING: u8 = b'w';

/// The output of one file, kept until its turn.
pub struct Found<'r> {
    pub path: PathBuf,
    lines: Spool<'r>,
    errors: Spool<'r>,
    status: Status,
}

/// What a file has. Most take little memory, and several can be read at once; one that takes more than its share is read
/// alone.
fn list(file: &Input, size: usize, shared: &Shared<'_>) -> Result<Listing, ModelError> {
    let options = models::options_within(size, shared.settings);
    match file {
        Input::File(path) => models::open(path, &options),
        Input::Bytes(bytes) => model::list(Cursor::new(bytes), &options.taken(bytes.len())),
    }
}

/// A file, or all that was read of one that can be read only once: a stream, or what is packed.
enum Input {
    File(PathBuf),
    Bytes(Vec<u8>),
}

pub fn scan<'s>(path: &Path, shared: &Shared<'s>) -> Found<'s> {
    let size = path.metadata().map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
    let mut bytes = size.saturating_mul(8).clamp(shared.share, shared.memory.all());
    let refused = |Unreadable(status, message): Unreadable| unread(path, (status, message), shared);
    let opened = match OpenFile::open(path, shared.settings) {
        Ok(opened) => opened,
        Err(error) => return refused(error),
    };
    let is_stream = opened.is_stream();
    if is_stream {
        // it can be read only once
        bytes = shared.memory.all();
    }
    let mut permit = shared.memory.take(bytes);
    let file = match is_stream {
        true => opened.limit(bytes).all_consuming().map(|file| Input::Bytes(file.bytes)),
        false => Ok(Input::File(path.to_owned())),
    };
    let file = match file {
        Ok(file) => file,
        Err(error) => return refused(error),
    };
    let mut listing = list(&file, bytes, shared);
    if bytes < shared.memory.all() && (models::is_over_limit(&listing) || models::decoded(&listing) > bytes / 2) {
        drop((listing, permit));
        bytes = shared.memory.all();
        permit = shared.memory.take(bytes);
        listing = list(&file, bytes, shared);
    }
    drop(file);
    let listing = match listing {
        Ok(listing) => listing,
        Err(error) => return unread(path, models::refusal(path, &error), shared),
    };
    let mut file = File::new(path, shared);
    let (count, over) = models::within(&listing, shared.settings.memory());
    for property in listing.properties().take(count) {
        file.property(&listing, &property);
    }
    for reference in listing.references() {
        file.reference(&listing, &reference);
    }
    if let Some(reason) = over {
        file.fail(Status::Malformed, format!("{reason}\n  --> {}", file.name), &reason);
        file.line_of_file(&Fact::error(&reason));
    }
    for problem in &listing.problems {
        let kind = problem.to_string();
        let kind = kind.split(" (").next().and_then(|kind| kind.split(", at byte").next()).unwrap_or_default();
        file.fail(models::status(problem), format!("{}\n  --> {}", models::problem_text(problem), file.name), kind);
        file.line_of_file(&Fact::of_file(problem));
    }
    for text in listing.warning_texts() {
        file.tell(WARNING, &text);
    }
    // what it took is free before it is written
    drop((listing, permit));
    file.finish()
}

/// The output for a file that cannot be read.
pub fn unread<'s>(path: &Path, (status, message): Refusal, shared: &Shared<'s>) -> Found<'s> {
    let mut file = File::new(path, shared);
    let reason = message.lines().next().unwrap_or_default().to_owned();
    // the name of the file is not part of what kind of error it is
    file.fail(status, message, if status == Status::Io { "it cannot be read" } else { &reason });
    file.line_of_file(&Fact::error(&reason));
    file.finish()
}

/// A file that is read.
struct File<'f, 's> {
    name: Name,
    shared: &'f Shared<'s>,
    counts: Counts,
    found: Found<'s>,
    has_lines: bool,
    /// Why what it gives cannot be kept until its turn.
    broken: Option<io::Error>,
}

impl<'f, 's> File<'f, 's> {
    fn new(path: &Path, shared: &'f Shared<'s>) -> Self {
        let [lines, errors] = [Spool::new(shared.room), Spool::new(shared.room)];
        let counts = Counts { files: 1, ..Counts::default() };
        let found = Found { path: path.to_owned(), lines, errors, status: Status::Fine };
        File { name: Name::new(path), shared, counts, found, has_lines: false, broken: None }
    }

    fn property(&mut self, listing: &Listing, property: &Property<'_>) {
        let origin = Origin::new(&self.name, model::owner(listing, property));
        let place = Origin::of(model::place(property));
        if !model::is_attributes(listing, property) {
            let count = property.tags().count();
            self.counts.tags = self.counts.tags.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
            if count > 0 {
                self.line(&origin, &Fact::Tags { tags: Tags(property) }, &place);
            }
            if let Err(error) = &property.bytes {
                self.failed(listing, property, (error.to_string(), None));
                self.line(&origin, &Fact::error(error), &place);
            }
            return;
        }
        self.counts.blobs = self.counts.blobs.saturating_add(1);
        let (attributes, error) = models::partial(property, self.shared.settings);
        if let Some(instance) = listing.instance_of(property) {
            add(&mut self.counts.classes, &instance.class.to_string(), 1);
        }
        for entry in &attributes {
            self.counts.attributes = self.counts.attributes.saturating_add(1);
            if self.shared.summary {
                add(&mut self.counts.types, entry.value.type_id().name(), 1);
            } else {
                self.line(&origin, &Fact::Entry(entry), &place);
            }
        }
        if let Some((message, error)) = error {
            let fact = error.as_ref().map_or_else(|| Fact::error(&message), Fact::of_value);
            self.line(&origin, &fact, &place);
            self.failed(listing, property, (message, error));
        }
    }

    /// An attribute that holds a reference.
    fn reference(&mut self, listing: &Listing, reference: &AttributeReference<'_>) {
        self.counts.attributes = self.counts.attributes.saturating_add(1);
        if self.shared.summary {
            add(&mut self.counts.types, models::REFERENCE, 1);
        } else {
            let origin = Origin::new(&self.name, model::owner_of_reference(listing, reference));
            self.line(&origin, &Fact::of_reference(listing, reference), &Origin::default());
        }
    }

    fn failed(&mut self, listing: &Listing, property: &Property<'_>, (message, error): (String, Option<DecodeError>)) {
        let place = models::name(listing, property);
        let kind = error.map_or_else(|| message.clone(), |error| error.fault().to_string());
        self.fail(Status::Malformed, format!("{message}\n  --> {}: {place}", self.name), &kind);
    }

    /// Counts an error as one of its kind: what it says before the first colon.
    fn fail(&mut self, status: Status, message: String, kind: &str) {
        let kind = kind.split(": ").next().unwrap_or_default();
        self.found.status = self.found.status.max(status);
        add(&mut self.counts.errors, kind, 1);
        self.tell(ERROR, &message);
    }

    /// Keeps a message until its turn.
    fn tell(&mut self, kind: u8, message: &str) {
        let written = self.found.errors.write_all(&[&[kind], message.replace('\0', "\\0").as_bytes(), b"\0"].concat());
        self.keep(written);
    }

    fn line(&mut self, origin: &Origin, fact: &Fact<'_>, place: &Origin) {
        if self.shared.summary {
            return;
        }
        self.has_lines = true;
        let written = Row { origin, fact, place }.write(self.shared.form, &mut self.found.lines);
        self.keep(written);
    }

    /// A line about the whole file.
    fn line_of_file(&mut self, fact: &Fact<'_>) {
        self.line(&Origin::new(&self.name, Vec::new()), fact, &Origin::default());
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.broken.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Found<'s> {
        if !self.has_lines {
            self.line_of_file(&Fact::Nothing {});
        }
        let finished = self.found.lines.finish().and_then(|()| self.found.errors.finish());
        self.keep(finished);
        if let Some(error) = self.broken.take() {
            // partial output would look like complete output
            let reason = format!("cannot write to a temporary file: {error}");
            let message = format!("{reason}\n  --> {}", self.name);
            self.found.lines = Spool::new(self.shared.room);
            self.found.errors = Spool::new(self.shared.room);
            // so little stays in memory
            self.line_of_file(&Fact::error(reason));
            self.tell(ERROR, &message);
            self.found.status = Status::Io;
        }
        lock(&self.shared.counts).add(self.counts);
        self.found
    }
}

impl Found<'_> {
    /// Writes the rows into a file, or to standard output; and the errors. The inner error says which file cannot be written.
    pub fn write(
        mut self,
        mut rows: Option<&mut Written>,
        bar: &ProgressBar,
        console: &mut Console,
    ) -> io::Result<Result<Status, String>> {
        let unreadable = |error: io::Error, console: &mut Console| {
            console.error(format_args!("cannot read a temporary file: {error}")).map(|()| Ok(Status::Io))
        };
        let mut lines = match self.lines.read() {
            Ok(lines) => lines,
            Err(error) => return unreadable(error, console),
        };
        let mut piece = vec![0; 64 << 10];
        loop {
            let length = match lines.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) => return unreadable(error, console),
            };
            let bytes = piece.get(..length).unwrap_or_default();
            match &mut rows {
                None => console.out().write_all(bytes)?,
                Some(rows) => {
                    if let Err(message) = rows.write(bytes) {
                        return Ok(Err(message));
                    }
                }
            }
        }
        drop(lines);
        if self.errors.is_empty() {
            return Ok(Ok(self.status));
        }
        let errors = match self.errors.read() {
            Ok(errors) => errors,
            Err(error) => return unreadable(error, console),
        };
        for error in io::BufRead::split(io::BufReader::new(errors), 0) {
            match error {
                Ok(message) => bar.suspend(|| {
                    let (kind, text) = message.split_first().unwrap_or((&ERROR, &[]));
                    let text = String::from_utf8_lossy(text);
                    match *kind {
                        WARNING => console.warnings(shown(&self.path), &[text.into_owned()]),
                        _ => console.error(text),
                    }
                })?,
                Err(error) => return unreadable(error, console),
            }
        }
        Ok(Ok(self.status))
    }
}

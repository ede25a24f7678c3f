//! The rows of one file.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use enginewire_files::containers::ContainerKind;
use enginewire_files::roblox::model::Kind;
use enginewire_files::scan::{is_model, Content, Fact, Problem, Row, Scan};
use indicatif::ProgressBar;

use super::memory::Memory;
use super::record::Written;
use super::row::{self, Choice};
use super::spool::{Room, Spool};
use crate::commands::get::{self, Asked, Form};
use crate::exit_status::{Done, Refusal, Status};
use crate::input::models;
use crate::input::opened::OpenFile;
use crate::output::console::{Console, Message};
use crate::output::name::{shown, Name};
use crate::settings::Settings;

/// The lines of a file that is not a model.
#[derive(Clone)]
struct Lines(Rc<RefCell<Spool>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Data shared by all threads.
pub struct Shared {
    /// The output form of rows.
    pub form: Form,
    pub choice: Choice,
    pub settings: Settings,
    /// For what is read.
    pub memory: Memory,
    /// The memory for a file that is not large, so that each thread can read one.
    pub share: usize,
    /// For what waits to be written.
    pub room: Arc<Room>,
}

/// The first byte of a kept message: error or warning.
const ERROR: u8 = b'e';
const WARNING: u8 = b'w';

/// The output of one file, kept until its turn.
pub struct Found {
    path: PathBuf,
    lines: Spool,
    errors: Spool,
    status: Status,
    /// True if it has rows that were asked for.
    pub has_rows: bool,
}

/// Reads a file. Most files take little memory, and several can be read at once. A file that takes more than its share is read
/// alone.
pub fn scan(path: &Path, shared: &Shared) -> Found {
    let (scan, all) = (shared.settings.scan(), shared.memory.all());
    let size = path.metadata().map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
    let mut file = File::new(path, shared);
    let mut opened = match OpenFile::open(path, &shared.settings) {
        Ok(opened) => opened,
        Err(refusal) => return file.unread(refusal),
    };
    if !is_model(path) && !matches!(opened.container(&shared.settings), Ok(Some(ContainerKind::Model(_)))) {
        let _permit = shared.memory.take(all);
        return file.other(path);
    }
    // what can be read only once cannot be listed again in more memory
    let bytes = if opened.is_stream() { all } else { size.saturating_mul(8).clamp(shared.share, all) };
    let mut permit = shared.memory.take(bytes);
    let held = match opened.is_stream().then(|| opened.limit(bytes).all_consuming()).transpose() {
        Ok(held) => held.map(|file| file.bytes),
        Err(refusal) => return file.unread(refusal),
    };
    let content = held.as_deref().map_or(Content::File(path), Content::Bytes);
    let mut listing = scan.list(content, bytes.saturating_sub(held.as_ref().map_or(0, Vec::len)));
    if bytes < all && Scan::needs_more(&listing, bytes) {
        drop((listing, permit));
        permit = shared.memory.take(all);
        listing = scan.list(content, all);
    }
    let mut reading = scan.reading(&shown(path).to_string(), content, listing);
    drop(held);
    if let Some(error) = reading.error() {
        return file.unread(models::refusal(path, error, &scan));
    }
    while reading.step(&mut |row| file.row(row)) {}
    for text in reading.listing().into_iter().flat_map(|listing| listing.warning_texts()) {
        file.tell(WARNING, &text);
    }
    // what it took is free before it is written
    drop((reading, permit));
    file.finish()
}

/// The output for a file that cannot be read.
pub fn unread(path: &Path, refusal: Refusal, shared: &Shared) -> Found {
    File::new(path, shared).unread(refusal)
}

/// A file that is read.
struct File<'f> {
    name: Name,
    shared: &'f Shared,
    found: Found,
    has_lines: bool,
    /// The last property and its address: most rows are about the same as the row before.
    address: (Option<(usize, Kind)>, String),
    /// Why what it gives cannot be kept until its turn.
    broken: Option<io::Error>,
}

impl<'f> File<'f> {
    fn new(path: &Path, shared: &'f Shared) -> Self {
        let [lines, errors] = [Spool::new(&shared.room), Spool::new(&shared.room)];
        let found = Found { path: path.to_owned(), lines, errors, status: Status::Fine, has_rows: false };
        File { name: Name::new(path), shared, found, has_lines: false, address: Default::default(), broken: None }
    }

    fn unread(mut self, refusal: Refusal) -> Found {
        self.refused(refusal.status, &refusal.to_string());
        self.finish()
    }

    /// Reports an error about the whole file.
    fn refused(&mut self, status: Status, message: &str) {
        let reason = message.lines().next().unwrap_or_default();
        self.fail(status, message);
        self.line(&Row::of_file(Fact::Problem(Problem::Unread { message: reason, error: None })));
    }

    /// The values of a file that is not a model.
    fn other(mut self, path: &Path) -> Found {
        let Shared { form, choice: Choice { address, path: asked, filter }, settings, room, .. } = self.shared;
        let lines = Lines(Rc::new(RefCell::new(Spool::new(room))));
        let messages = Rc::new(RefCell::new(Vec::new()));
        let kept = messages.clone();
        let mut console =
            Console::waiting(Box::new(lines.clone()), Box::new(move |message| kept.borrow_mut().push(message)));
        let (file, of_many) = (path.to_owned(), Some(self.name.clone()));
        let address = address.as_ref().map(ToString::to_string);
        let (path, filter) = (asked.clone(), filter.clone());
        let asked = Asked { file, address, path, filter, form: *form, has_addresses: true, of_many };
        let read = get::read(&asked, settings, &mut console);
        let read = console.told(read);
        drop(console);
        std::mem::swap(&mut self.found.lines, &mut lines.0.borrow_mut());
        self.has_lines = !self.found.lines.is_empty();
        self.found.has_rows = self.has_lines;
        let status = read.as_ref().map_or(Status::Io, |status| *status);
        self.keep(read.map(drop));
        for message in messages.take() {
            match message {
                Message::Error(message) => self.refused(status, &message),
                Message::Warning(text) => self.tell(WARNING, &text),
            }
        }
        self.finish()
    }

    fn row(&mut self, row: &Row<'_>) {
        if !self.shared.choice.takes(row) {
            return;
        }
        if let Fact::Problem(problem) = &row.fact {
            self.problem(row, problem);
        }
        self.found.has_rows = true;
        self.line(row);
    }

    fn problem(&mut self, row: &Row<'_>, problem: &Problem<'_>) {
        let (mut text, mut status) = (problem.message().into_owned(), Status::Malformed);
        match problem {
            Problem::File(error) => {
                (text, status) = (self.shared.settings.scan().error_text(error), models::status(error));
            }
            Problem::Decode(error) => {
                let start = row.property.and_then(|(_, property)| property.place.file_offset());
                text = error.clone().shifted(start.unwrap_or_default()).to_string();
            }
            _ => {}
        }
        let place = row.property.map(|(listing, property)| format!(": {}", models::name(listing, property)));
        let place = format!("{}{}", self.name, place.unwrap_or_default());
        self.fail(status, &status.because(text).at(place).to_string());
    }

    fn fail(&mut self, status: Status, message: &str) {
        self.found.status = self.found.status.max(status);
        self.tell(ERROR, message);
    }

    /// Keeps a message until its turn.
    fn tell(&mut self, kind: u8, message: &str) {
        let written = self.found.errors.write_all(&[&[kind], message.replace('\0', "\\0").as_bytes(), b"\0"].concat());
        self.keep(written);
    }

    fn line(&mut self, row: &Row<'_>) {
        self.has_lines = true;
        let property = row.property.map(|(_, property)| (property.instance, property.kind));
        if property.is_none() || self.address.0 != property {
            self.address = (property, row::address(row));
        }
        let written = row::write(&self.name, row, &self.address.1, self.shared.form, &mut self.found.lines);
        self.keep(written);
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.broken.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Found {
        let nothing = Row::of_file(Fact::Nothing);
        if !self.has_lines && self.shared.choice.takes(&nothing) {
            self.line(&nothing);
        }
        let finished = self.found.lines.finish().and_then(|()| self.found.errors.finish());
        self.keep(finished);
        if let Some(error) = self.broken.take() {
            // partial output would look like complete output
            let reason = format!("cannot write to a temporary file: {error}");
            let message = format!("{reason}\n  --> {}", self.name);
            self.found.lines = Spool::new(&self.shared.room);
            self.found.errors = Spool::new(&self.shared.room);
            // so little stays in memory
            self.line(&Row::of_file(Fact::Problem(Problem::Unread { message: &reason, error: None })));
            self.tell(ERROR, &message);
            self.found.status = Status::Io;
        }
        self.found
    }
}

impl Found {
    /// Writes the rows into a file or to standard output, and prints the errors. The inner error names the file that cannot be
    /// written.
    pub fn write(mut self, mut rows: Option<&mut Written>, bar: &ProgressBar, console: &mut Console) -> Done {
        let unreadable = |error: io::Error, console: &mut Console| {
            Ok(console.refused(Status::Io.because(format!("cannot read a temporary file: {error}")))?)
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
                Some(rows) => rows.write(bytes)?,
            }
        }
        drop(lines);
        if self.errors.is_empty() {
            return Ok(self.status);
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
        Ok(self.status)
    }
}

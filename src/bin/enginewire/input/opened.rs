//! An opened file, and the values in it.

use std::cell::RefCell;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire::containers::{Container, ContainerError, ContainerKind, Embedded, Replacement, Source, Workers};
use enginewire::formats::{AnyFormat, RESYNC};
use enginewire::godot::{FramedReader, Framing, Version};
use enginewire::json;
use enginewire::wire::ReadError;
use enginewire::DecodeError;

use crate::exit_status::Status;
use crate::files::read;
use crate::files::temporary::Temporary;
use crate::formats::{self, HEAD};
use crate::input::containers::{error_text, is_of, other, status, Origin, CONTAINERS};
use crate::input::document::{self, is_document};
use crate::input::models::Refusal;
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::{Part, Settings};
use crate::text_encoding::TextEncoding;

/// A file that was read, or a value in a container.
#[derive(Debug)]
pub struct Input {
    /// Its name.
    pub name: Name,
    pub bytes: Vec<u8>,
    /// Its address in a container, as text; empty for a file.
    pub address: String,
    /// The same for JSON, if it is in a container.
    pub origin: Option<Origin>,
    /// A description, if it is in a container but is not a value.
    pub other: Option<String>,
    /// Whether all of its bytes are there, as those of a value in a container are.
    pub is_complete: bool,
    /// Where its bytes begin in the file; 0 if they are not in it as they are.
    pub start: u64,
}

/// A file that can be read.
pub struct OpenFile {
    /// Its name.
    pub name: Name,
    path: PathBuf,
    reader: Box<dyn Read>,
    writing: TextEncoding,
    /// The part of the decoded bytes that is read.
    part: Part,
    /// Where what is read begins in the file.
    start: u64,
    limit: usize,
    /// Whether all of it is known to be within the limit.
    fits: bool,
    /// Whether it can be read only once.
    is_stream: bool,
}

/// A container, in the form in which it is read.
enum Held {
    File(PathBuf),
    /// A copy, removed when it was read.
    Copy(Temporary),
    Bytes(Vec<u8>),
}

/// A container that was opened.
pub struct OpenContainer {
    /// The name of its file.
    pub name: Name,
    pub container: Box<dyn Container>,
    /// What is read, which must be there as long.
    _held: Held,
}

/// What is done with each value of a format for several values at a time.
pub type Prepare<'w, T> = dyn Fn(&'static dyn AnyFormat, &Input) -> T + Sync + 'w;

/// What is done then with each value and what was made of it, in the order of the file.
pub type Work<'w, T> = dyn FnMut(&'static dyn AnyFormat, &Input, T, &mut Console) -> io::Result<Status> + 'w;

/// Why a file cannot be used: the exit status, and the message.
#[derive(Debug)]
pub struct Unreadable(pub Status, pub String);

impl Input {
    /// The bytes of a file.
    pub fn of_file(name: Name, bytes: Vec<u8>) -> Self {
        Input { name, bytes, address: String::new(), origin: None, other: None, is_complete: false, start: 0 }
    }

    /// Reports an error in its bytes.
    pub fn report(&self, error: DecodeError, console: &mut Console) -> io::Result<Status> {
        let error = if self.is_complete { error.of_complete_input() } else { error };
        let report = error.report_from(&self.name.to_string(), &self.bytes, self.start).to_string();
        console.error(if self.address.is_empty() { formats::with_advice(report, &self.bytes) } else { report })?;
        Ok(Status::from(&error))
    }

    /// Whether it is a value of several in a file.
    pub fn is_embedded(&self) -> bool {
        !self.address.is_empty()
    }

    /// Why it is not decoded, if it may take more memory than there is.
    pub fn may_exceed(&self, settings: &Settings) -> Option<String> {
        self.origin.as_ref().and_then(|_| read::may_exceed(&self.bytes, settings.memory()))
    }
}

/// Detects the container from the first bytes, if it can hold the format asked for.
pub fn container(head: &[u8], settings: &Settings) -> Option<ContainerKind> {
    let format = settings.format.as_deref();
    ContainerKind::detect(head).filter(|kind| format.is_none_or(|format| is_of(*kind, format)))
}

/// The container that a file is said to be.
pub fn dump(settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
    if !settings.dump {
        return Ok(None);
    }
    if Framing::given(&settings.formats).is_some() {
        return Err((
            Status::Usage,
            "--dump is for values without lengths before them; leave out --framing".to_owned(),
        ));
    }
    match (settings.format.as_deref(), settings.input) {
        (Some("godot-3" | "godot-4"), _) if settings.formats.is(&RESYNC) => Err((
            Status::Usage,
            "--resync needs --framing: without lengths, nothing tells where the next value begins".to_owned(),
        )),
        (Some("godot-3"), TextEncoding::Raw) => Ok(Some(ContainerKind::Values(Version::V3))),
        (Some("godot-4"), TextEncoding::Raw) => Ok(Some(ContainerKind::Values(Version::V4))),
        (Some(format @ ("godot-3" | "godot-4")), other) => {
            Err((Status::Usage, format!("--dump reads --input raw for {format}, not {}", other.name())))
        }
        (Some("roblox-remote"), TextEncoding::Raw) => Ok(Some(ContainerKind::Packets)),
        (Some("roblox-remote"), TextEncoding::Hex) => Ok(Some(ContainerKind::PacketLines)),
        (Some("roblox-remote"), other) => {
            Err((Status::Usage, format!("--dump reads --input raw or hex, not {}", other.name())))
        }
        _ => Err((Status::Usage, "--dump needs -f roblox-remote, godot-3 or godot-4".to_owned())),
    }
}

impl OpenFile {
    pub fn open(file: &Path, settings: &Settings) -> Result<Self, Unreadable> {
        let (path, name) = (file.to_owned(), Name::new(file));
        let (writing, limit, part) = (settings.input, settings.memory(), settings.part);
        let start = part.offset;
        if file == Path::new("-") {
            let reader = Box::new(io::stdin().lock());
            return OpenFile { name, path, reader, writing, limit, part, start, fits: false, is_stream: true }
                .partial();
        }
        match File::open(file) {
            Ok(reader) => {
                let size = reader.metadata().ok().filter(Metadata::is_file).map(|file| file.len());
                let fits = size.is_some_and(|size| usize::try_from(size).is_ok_and(|size| size <= limit));
                let (reader, is_stream) = (Box::new(reader), size.is_none());
                OpenFile { name, path, reader, writing, limit, part, start, fits, is_stream }.partial()
            }
            Err(error) => Err(unreadable(&name, file, &error)),
        }
    }

    /// The part of the file that is to be read. Of text, that is a part of the bytes which it stands for.
    fn partial(mut self) -> Result<Self, Unreadable> {
        let Some(place) = self.part.place() else { return Ok(self) };
        self.name = self.name.at(&place);
        if self.writing == TextEncoding::Raw {
            io::copy(&mut self.reader.by_ref().take(self.part.offset), &mut io::sink())
                .map_err(|error| unreadable(&self.name, &self.path, &error))?;
            self.reader = Box::new(self.reader.take(self.part.length.unwrap_or(u64::MAX)));
            (self.part, self.is_stream) = (Part::default(), true);
        }
        Ok(self)
    }

    /// Whether it can be read only once.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// What container it is, if it is one.
    pub fn container(&mut self, settings: &Settings) -> Result<Option<ContainerKind>, Unreadable> {
        if let Some(kind) = dump(settings).map_err(|(status, reason)| Unreadable(status, reason))? {
            // the container itself reads lines of hex
            self.writing = TextEncoding::Raw;
            return Ok(Some(kind));
        }
        if settings.formats.is(&RESYNC) {
            let framing = formats::framing_of(settings).ok_or_else(|| {
                let reason = "--resync is about streams and dumps: pass --framing or --dump".to_owned();
                Unreadable(Status::Usage, reason)
            })?;
            return Ok(Some(ContainerKind::Frames(framing)));
        }
        if self.writing != TextEncoding::Raw {
            return Ok(None);
        }
        // the first value of a stream may be all that comes for now
        let length = if formats::of_stream(settings).is_some() { FRAME } else { HEAD };
        let head = self.head(length)?;
        let found = container(&head, settings);
        if let (None, Some(format)) = (found, settings.format.as_deref().filter(|format| CONTAINERS.contains(format))) {
            return Err(Unreadable(Status::Malformed, format!("not an {format} file\n  --> {}", self.name)));
        }
        Ok(found)
    }

    /// The first bytes, which are read again.
    fn head(&mut self, length: usize) -> Result<Vec<u8>, Unreadable> {
        let head = head_of(&mut self.reader, length).map_err(|error| unreadable(&self.name, &self.path, &error))?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(head)
    }

    /// The value that a JSON document stands for, with its format; the file as it is, if it is no document.
    pub fn document(
        mut self,
        settings: &Settings,
    ) -> Result<Result<(&'static dyn AnyFormat, Input), Self>, Unreadable> {
        // a stream is no document, and may not have so many bytes yet
        let is_bytes = self.writing != TextEncoding::Raw || settings.dump || formats::of_stream(settings).is_some();
        if is_bytes || !is_document(&self.head(HEAD)?) {
            return Ok(Err(self));
        }
        let input = self.all_consuming()?;
        match document::value(&input.bytes, settings) {
            Ok((format, bytes)) => Ok(Ok((format, Input { bytes, start: 0, ..input }))),
            Err((status, reason)) => Err(Unreadable(status, format!("{reason}\n  --> {}", input.name))),
        }
    }

    /// Calls `work` with every value in the container; reports those that cannot be read. Returns the highest status.
    pub fn each_embedded(
        self,
        container: ContainerKind,
        settings: &Settings,
        console: &mut Console,
        work: &mut dyn FnMut(&'static dyn AnyFormat, &Input, &mut Console) -> io::Result<Status>,
    ) -> io::Result<Result<Status, Unreadable>> {
        let work = &mut |format, input: &Input, (), console: &mut Console| work(format, input, console);
        self.each_prepared(container, settings, &Workers::new().threads(1), console, &|_, _| (), work)
    }

    /// The same, with what `prepare` makes of each value, for several values at a time.
    pub fn each_prepared<T: Send>(
        self,
        kind: ContainerKind,
        settings: &Settings,
        workers: &Workers,
        console: &mut Console,
        prepare: &Prepare<'_, T>,
        work: &mut Work<'_, T>,
    ) -> io::Result<Result<Status, Unreadable>> {
        let start = self.start;
        let opened = match self.open_container(kind, settings) {
            Ok(opened) => opened,
            Err(unreadable) => return Ok(Err(unreadable)),
        };
        let OpenContainer { name, container, .. } = &opened;
        let format = match formats::of_values(kind.formats(), &**container, settings) {
            Ok(format) => format,
            Err((status, reason)) => return Ok(Err(Unreadable(status, format!("{reason}\n  --> {name}")))),
        };
        let prepare = &|input: &Input| prepare(format, input);
        let each = &mut |input: &Input, prepared, console: &mut Console| work(format, input, prepared, console);
        let (highest, end) = each_of(&**container, (name, start), true, workers, console, prepare, each)?;
        Ok(end.map(|()| highest).map_err(|error| refused(name, &error)))
    }

    /// The same for a stream, of which no more is in memory than is worked on. The value of a stream that is not a file is worked
    /// on as soon as it is there.
    pub fn each_framed<T: Send>(
        self,
        format: &'static dyn AnyFormat,
        framing: Framing,
        workers: &Workers,
        console: &mut Console,
        prepare: &Prepare<'_, T>,
        work: &mut Work<'_, T>,
    ) -> io::Result<Result<Status, Unreadable>> {
        let (name, start, limit, is_stream) = (self.name.clone(), self.start, self.limit, self.is_stream);
        let reader: Box<dyn Read> = match self.writing {
            TextEncoding::Raw => self.reader,
            _ => match self.all_consuming() {
                Ok(file) => Box::new(Cursor::new(file.bytes)),
                Err(unreadable) => return Ok(Err(unreadable)),
            },
        };
        let frames = FramedReader::new(BufReader::new(reader), framing).max_memory(limit);
        let alone = Workers::new().threads(1);
        let workers = if is_stream { &alone } else { workers };
        let prepare = &|input: &Input| prepare(format, input);
        let each = &mut |input: &Input, prepared, console: &mut Console| {
            let status = work(format, input, prepared, console)?;
            if is_stream {
                console.flush()?;
            }
            Ok(status)
        };
        let (highest, end) =
            each_of(&Frames(RefCell::new(frames)), (&name, start), false, workers, console, prepare, each)?;
        Ok(end.map(|()| highest).map_err(|error| refused(&name, &error)))
    }

    /// Opens the container that it is.
    pub fn open_container(self, kind: ContainerKind, settings: &Settings) -> Result<OpenContainer, Unreadable> {
        let name = self.name.clone();
        let mut held = self.held(kind)?;
        // a document begins as a blueprint does
        if let (ContainerKind::Blueprint, Held::Bytes(bytes)) = (kind, &held) {
            if let Some(format) = json::format_of(bytes) {
                let reason =
                    format!("the file is a JSON document of the format {format}; `enginewire encode` gives its bytes");
                return Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {name}")));
            }
        }
        let source = match &mut held {
            Held::File(path) => Source::File(std::mem::take(path)),
            Held::Copy(copy) => Source::File(copy.path().to_owned()),
            Held::Bytes(bytes) => Source::Bytes(std::mem::take(bytes)),
        };
        match kind.open(source, &settings.formats) {
            Ok(container) => Ok(OpenContainer { name, container, _held: held }),
            Err(error) => Err(refused(&name, &error)),
        }
    }

    /// The container in the form in which it is read. A stream is read here.
    fn held(mut self, container: ContainerKind) -> Result<Held, Unreadable> {
        match container {
            ContainerKind::Save | ContainerKind::Model(_) if !self.is_stream => Ok(Held::File(self.path)),
            // a database is not read from its first byte to its last
            ContainerKind::Save => match read::copied(&mut self.reader, self.limit) {
                Ok(copy) => Ok(Held::Copy(copy)),
                Err(error) => Err(unreadable(&self.name, &self.path, &error)),
            },
            _ => self.all_consuming().map(|file| Held::Bytes(file.bytes)),
        }
    }

    /// All bytes.
    pub fn all_consuming(self) -> Result<Input, Unreadable> {
        let OpenFile { name, path, reader, writing, limit, part, start, .. } = self;
        let bytes = read::all_of(reader, limit).map_err(|error| unreadable(&name, &path, &error))?;
        match writing.decode(bytes, limit) {
            Ok(mut bytes) => {
                let end = part.length.map_or(u64::MAX, |length| part.offset.saturating_add(length));
                bytes.truncate(usize::try_from(end).unwrap_or(usize::MAX));
                bytes.drain(..usize::try_from(part.offset).unwrap_or(usize::MAX).min(bytes.len()));
                Ok(Input { start, ..Input::of_file(name, bytes) })
            }
            Err(reason) => Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {name}"))),
        }
    }

    /// Calls `work` with the format, a reader of all bytes, and how many bytes it may hold at once. Hex and the like are
    /// read completely. A decoding error is a result, not a failure.
    pub fn stream<T>(
        self,
        settings: &Settings,
        work: impl FnOnce(&'static dyn AnyFormat, &mut dyn Read, usize) -> Result<T, ReadError>,
    ) -> Result<(&'static dyn AnyFormat, Result<T, DecodeError>), Unreadable> {
        let (name, path) = (self.name.clone(), self.path.clone());
        // what claims to be larger than all of a small file is cut off, not too large
        let limit = if self.fits { usize::MAX } else { self.limit };
        let mut reader: Box<dyn Read> = match self.writing {
            TextEncoding::Raw => self.reader,
            _ => Box::new(Cursor::new(self.all_consuming()?.bytes)),
        };
        let head = head_of(&mut reader, HEAD).map_err(|error| unreadable(&name, &path, &error))?;
        let format = formats::chosen(settings, &head)
            .map_err(|(status, reason)| Unreadable(status, format!("{reason}\n  --> {name}")))?;
        match work(format, &mut Cursor::new(&head).chain(reader), limit) {
            Ok(value) => Ok((format, Ok(value))),
            Err(ReadError::Decode(error)) => Ok((format, Err(error))),
            Err(ReadError::Io(error)) => Err(unreadable(&name, &path, &error)),
            Err(error) => Err(Unreadable(Status::Io, format!("cannot read {name}: {error}"))),
        }
    }
}

/// Calls `work` with every value in a container and with what `prepare` makes of it; reports those that cannot be read. Gives the
/// highest status, and why the rest of the container cannot be read. `start` is where the container begins in the file; `placed` says
/// whether the addresses go into the output.
pub fn each_of<T: Send>(
    container: &dyn Container,
    (file, start): (&Name, u64),
    placed: bool,
    workers: &Workers,
    console: &mut Console,
    prepare: &(dyn Fn(&Input) -> T + Sync),
    work: &mut dyn FnMut(&Input, T, &mut Console) -> io::Result<Status>,
) -> io::Result<(Status, Result<(), ContainerError>)> {
    let read = |mut value: Embedded<'_>| {
        let address = value.address.to_string();
        // what is wrong with the whole file has no place in it
        let name = if value.address.members().is_empty() { file.clone() } else { file.at(&address) };
        let (other, is_complete, start) =
            (other(&value), !value.is_open, value.start.map_or(0, |inside| inside.saturating_add(start)));
        let origin = placed.then(|| Origin::embedded(file, &value.address, value.stored.take(), value.tags));
        match value.bytes {
            Ok(bytes) => {
                let input = Input { name, bytes: bytes.into_owned(), address, origin, other, is_complete, start };
                let prepared = prepare(&input);
                Ok((input, prepared))
            }
            Err(error) => Err((name, error)),
        }
    };
    each_listed(container, workers, read, &mut |value| match value {
        Ok((input, prepared)) => work(&input, prepared, console),
        Err((name, error)) => {
            let status = status(&error).max(Status::Malformed);
            console.error(format_args!("{}\n  --> {name}", error_text(&error))).map(|()| status)
        }
    })
}

/// Calls `read` with every value in a container, also with those that cannot be read, and `work` with what that gives, in the
/// order of the file. Gives the highest status, and why the rest of the container cannot be read.
pub fn each_listed<T: Send>(
    container: &dyn Container,
    workers: &Workers,
    read: impl Fn(Embedded<'_>) -> T + Sync,
    work: &mut dyn FnMut(T) -> io::Result<Status>,
) -> io::Result<(Status, Result<(), ContainerError>)> {
    let (mut highest, mut failure) = (Status::Fine, None);
    let end = workers.map(container, read, |value| match work(value) {
        Ok(status) => {
            highest = highest.max(status);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    });
    failure.map_or(Ok((highest, end)), Err)
}

/// The values of a stream, which can be gone through once.
struct Frames(RefCell<FramedReader<BufReader<Box<dyn Read>>>>);

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Frames")
    }
}

impl Container for Frames {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        for value in &mut *self.0.borrow_mut() {
            match value.bytes {
                Err(error @ ContainerError::Unreadable(_)) => return Err(error),
                _ if each(value).is_break() => break,
                _ => {}
            }
        }
        Ok(())
    }

    fn replaced(&self, _: &[Replacement<'_>]) -> Result<Vec<u8>, ContainerError> {
        Err(ContainerError::Malformed("a stream is read once, and not changed".to_owned()))
    }
}

/// Why a container cannot be used.
pub fn refused(name: &Name, error: &ContainerError) -> Unreadable {
    match error {
        ContainerError::Unreadable(reason) => Unreadable(Status::Io, format!("cannot read {name}: {reason}")),
        error => Unreadable(status(error), format!("{}\n  --> {name}", error_text(error))),
    }
}

/// How many bytes tell a stream of values from the container that has values of the same format.
const FRAME: usize = 4;

/// The first bytes, from which the format is detected.
fn head_of(reader: &mut dyn Read, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut head)?;
    Ok(head)
}

/// The message for a directory does not depend on the system.
fn unreadable(name: &Name, file: &Path, error: &io::Error) -> Unreadable {
    let reason = if file.is_dir() {
        format!("it is a directory; name the files in it, such as {}", shown(&file.join("*")))
    } else {
        error.to_string()
    };
    Unreadable(Status::Io, format!("cannot read {name}: {reason}"))
}

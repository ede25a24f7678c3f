//! What is read: files and standard input, raw or written as text.

use std::env;
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};

use data_encoding::{DecodeKind, Encoding, BASE64_NOPAD, HEXLOWER_PERMISSIVE};

use enginewire::godot::Framing;
use enginewire::wire::ReadError;
use enginewire::DecodeError;

use crate::args::{size_text, Common, Writing};
use crate::console::Console;
use crate::containers::{Container, Embedded, Failure, Origin, CARRIERS};
use crate::exit_status::Status;
use crate::formats::{self, roblox_remote, Format, HEAD};
use crate::name::{shown, Name};
use crate::temporary::{Access, Temporary};
use crate::text::count;

/// A file, read, or what a file carries.
#[derive(Debug)]
pub struct Input {
    /// Its name.
    pub name: Name,
    pub bytes: Vec<u8>,
    /// Where it stands in the file that carries it, if one does.
    pub origin: Option<Origin>,
    /// What it is, if not what its carrier was asked for.
    pub other: Option<String>,
}

/// A file that can be read.
pub struct Frame {
    /// Its name.
    pub name: Name,
    path: PathBuf,
    reader: Box<dyn Read>,
    writing: Writing,
    limit: usize,
    /// Whether all of it is known to be within the limit.
    fits: bool,
    /// Whether it can be read only once.
    is_stream: bool,
}

/// What carries values, as those read it who read them.
enum Held {
    File(PathBuf),
    /// One that is there for as long as it is read.
    Copy(Temporary),
    Bytes(Vec<u8>),
}

/// Why there is nothing to work with, and the status that this gives.
#[derive(Debug)]
pub struct Unreadable(Status, String);

/// Does `work` with every file; tells of those that cannot be read and goes on. The status is the highest of all.
pub fn each(
    files: &[PathBuf],
    common: &Common,
    console: &mut Console<'_>,
    mut work: impl FnMut(Frame, &mut Console<'_>) -> io::Result<Result<Status, Unreadable>>,
) -> io::Result<Status> {
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    if files == stdin && io::stdin().is_terminal() {
        console.remark("reading what you type; end it with Ctrl-D")?;
    }
    let limit = common.memory();
    let mut highest = Status::Fine;
    for file in files {
        let status = match Frame::open(file, common.input, limit) {
            Ok(opened) => work(opened, console)?,
            Err(unreadable) => Err(unreadable),
        };
        let status = match status {
            Ok(status) => status,
            Err(Unreadable(status, message)) => {
                console.error(message)?;
                status
            }
        };
        highest = highest.max(status);
    }
    Ok(highest)
}

/// What editors of one system put before UTF-8. It is no part of JSON.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a file can be read only once: standard input, a named pipe, or what a shell makes of `<(…)`.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// All bytes of a file or of standard input, if they are no more than so many.
pub fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return all_of(io::stdin().lock(), limit);
    }
    all_of(File::open(path)?, limit)
}

/// All bytes that are left to read. Memory is taken as they come.
pub fn all_of(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // one more, to see whether there is more
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = reader.take(most).read_to_end(&mut bytes);
    let error = match read {
        Ok(_) if bytes.len() <= limit => return Ok(bytes),
        Ok(_) => return Err(too_large(limit)),
        Err(error) => error,
    };
    Err(match error.kind() {
        io::ErrorKind::OutOfMemory => {
            let reason = format!("the system has no memory for more than {} bytes of it", bytes.len());
            io::Error::new(io::ErrorKind::OutOfMemory, reason)
        }
        _ => error,
    })
}

/// A temporary file that has all that is left to read.
pub fn copied(reader: impl Read, limit: usize) -> io::Result<Temporary> {
    let folder = env::temp_dir();
    let copy = Temporary::new(&folder, Access::Private).map_err(|error| {
        let reason = format!("no temporary file can be made in {}: {error}", shown(&folder));
        io::Error::new(error.kind(), reason)
    })?;
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    if io::copy(&mut reader.take(most.saturating_add(1)), &mut copy.file()?)? > most {
        return Err(too_large(limit));
    }
    Ok(copy)
}

fn too_large(limit: usize) -> io::Error {
    let reason = format!("it has more than {}; --max-memory allows more", size_text(limit));
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// How many times the bytes of a value its decoded form may take, at most: in a list of booleans, for example.
pub const DECODED: usize = 32;

/// Why a value in a container is not decoded: a small container can hold a large one, of which much may be built. A file
/// that is a value itself has been measured by whoever names it.
pub fn may_exceed(bytes: &[u8], common: &Common) -> Option<String> {
    (bytes.len().saturating_mul(DECODED) > common.memory()).then(|| {
        let (length, limit) = (count(u64::try_from(bytes.len()).unwrap_or(u64::MAX)), size_text(common.memory()));
        format!("a value of {length} may take {DECODED} times as much memory, and the limit is {limit}; --max-memory allows more")
    })
}

impl Input {
    /// Why it is not decoded, if it may take more memory than there is.
    pub fn may_exceed(&self, common: &Common) -> Option<String> {
        self.origin.as_ref().and_then(|_| may_exceed(&self.bytes, common))
    }
}

/// Does `work` with every document in JSON.
pub fn each_whole(
    files: &[PathBuf],
    common: &Common,
    console: &mut Console<'_>,
    mut work: impl FnMut(&Input, &mut Console<'_>) -> io::Result<Status>,
) -> io::Result<Status> {
    each(files, common, console, |opened, console| match opened.all_consuming() {
        Ok(mut input) => {
            if input.bytes.starts_with(BYTE_ORDER_MARK) {
                input.bytes.drain(..BYTE_ORDER_MARK.len());
            }
            work(&input, console).map(Ok)
        }
        Err(unreadable) => Ok(Err(unreadable)),
    })
}

/// Does `work` with all bytes of every file, or with all that it carries, one by one.
pub fn each_value(
    files: &[PathBuf],
    common: &Common,
    console: &mut Console<'_>,
    mut work: impl FnMut(&Input, &mut Console<'_>) -> io::Result<Status>,
) -> io::Result<Status> {
    each(files, common, console, |mut opened, console| match opened.carrier(common) {
        Ok(Some(carrier)) => opened.each_carried(carrier, common, console, &mut work),
        Ok(None) => match opened.all_consuming() {
            Ok(input) => match formats::chosen(common, &input.bytes).framing(common) {
                Some(framing) => each_frame(&input, framing, console, &mut work).map(Ok),
                None => work(&input, console).map(Ok),
            },
            Err(unreadable) => Ok(Err(unreadable)),
        },
        Err(unreadable) => Ok(Err(unreadable)),
    })
}

/// Does `work` with every value that has its length before it. The status is the highest of all.
fn each_frame(
    file: &Input,
    framing: Framing,
    console: &mut Console<'_>,
    work: &mut dyn FnMut(&Input, &mut Console<'_>) -> io::Result<Status>,
) -> io::Result<Status> {
    let mut highest = Status::Fine;
    let mut rest = file.bytes.as_slice();
    for number in 0usize.. {
        if rest.is_empty() {
            break;
        }
        let name = file.name.at(&format!("[{number}]"));
        let length = rest.split_first_chunk::<4>().map(|(length, rest)| (framing.length(*length), rest));
        let frame = length.and_then(|(length, rest)| rest.split_at_checked(usize::try_from(length).ok()?));
        let Some((bytes, behind)) = frame else {
            let at = file.bytes.len().saturating_sub(rest.len());
            let size = length.map(|(length, _)| format!(" of {length} bytes")).unwrap_or_default();
            console.error(format_args!("input ends inside a frame{size} that begins at byte {at:#x}\n  --> {name}"))?;
            return Ok(highest.max(Status::Truncated));
        };
        let input = Input { name, bytes: bytes.to_vec(), origin: None, other: None };
        highest = highest.max(work(&input, console)?);
        rest = behind;
    }
    Ok(highest)
}

/// What kind of carrier begins like this, if the command line allows one.
fn carrier(head: &[u8], common: &Common) -> Option<Container> {
    let format = common.format.as_deref();
    Container::of(head).filter(|carrier| format.is_none_or(|format| carrier.is_of(format)))
}

impl Frame {
    fn open(file: &Path, writing: Writing, limit: usize) -> Result<Self, Unreadable> {
        let path = file.to_owned();
        if file == Path::new("-") {
            let reader = Box::new(io::stdin().lock());
            return Ok(Frame { name: Name::new(file), path, reader, writing, limit, fits: false, is_stream: true });
        }
        let name = Name::new(file);
        match File::open(file) {
            Ok(reader) => {
                let size = reader.metadata().ok().filter(Metadata::is_file).map(|file| file.len());
                let fits = size.is_some_and(|size| usize::try_from(size).is_ok_and(|size| size <= limit));
                Ok(Frame { name, path, reader: Box::new(reader), writing, limit, fits, is_stream: size.is_none() })
            }
            Err(error) => Err(unreadable(&name, file, &error)),
        }
    }

    /// What kind of carrier it is, if it is one.
    pub fn carrier(&mut self, common: &Common) -> Result<Option<Container>, Unreadable> {
        if common.dump {
            return match (common.format.as_deref(), self.writing) {
                (Some("roblox-remote"), Writing::Raw) => Ok(Some(Container::Packets)),
                (Some("roblox-remote"), Writing::Hex) => {
                    self.writing = Writing::Raw;
                    Ok(Some(Container::PacketLines))
                }
                (Some("roblox-remote"), Writing::Base64) => {
                    Err(Unreadable(Status::Usage, "a dump is raw or hex, not base64".to_owned()))
                }
                _ => Err(Unreadable(Status::Usage, "only -f roblox-remote has dumps".to_owned())),
            };
        }
        if self.writing != Writing::Raw {
            return Ok(None);
        }
        let head = head_of(&mut self.reader).map_err(|error| unreadable(&self.name, &self.path, &error))?;
        let found = carrier(&head, common);
        if let (None, Some(format)) = (found, common.format.as_deref().filter(|format| CARRIERS.contains(format))) {
            return Err(Unreadable(Status::Malformed, format!("it is no {format} file\n  --> {}", self.name)));
        }
        if found == Some(Container::Project) && common.format.is_none() {
            let what = "settings of Godot do not say their version: give -f godot-3 or -f godot-4";
            return Err(Unreadable(Status::Usage, format!("{what}\n  --> {}", self.name)));
        }
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(reader));
        Ok(found)
    }

    /// Does `work` with all that it carries; tells of what cannot be read and goes on. The status is the highest of all.
    pub fn each_carried(
        self,
        carrier: Container,
        common: &Common,
        console: &mut Console<'_>,
        work: &mut dyn FnMut(&Input, &mut Console<'_>) -> io::Result<Status>,
    ) -> io::Result<Result<Status, Unreadable>> {
        let (name, limit) = (self.name.clone(), self.limit);
        let mut held = match self.held(carrier) {
            Ok(held) => held,
            Err(unreadable) => return Ok(Err(unreadable)),
        };
        let (path, text) = match &mut held {
            Held::File(path) => (std::mem::take(path), Vec::new()),
            Held::Copy(copy) => (copy.path().to_owned(), Vec::new()),
            Held::Bytes(bytes) => (PathBuf::from("-"), std::mem::take(bytes)),
        };
        let mut highest = Status::Fine;
        let options = roblox_remote::options(common);
        let carried = carrier.each(&path, text, limit, options, |Embedded { place, mut origin, bytes, other }| {
            origin.within(&name);
            let name = name.at(&place);
            let status = match bytes {
                Ok(bytes) => work(&Input { name, bytes, origin: Some(origin), other }, console)?,
                Err(reason) => {
                    console.error(format_args!("{reason}\n  --> {name}"))?;
                    Status::Malformed
                }
            };
            highest = highest.max(status);
            Ok(())
        });
        match carried {
            Ok(()) => Ok(Ok(highest)),
            Err(Failure::Work(error)) => Err(error),
            Err(Failure::Unreadable(reason)) => {
                Ok(Err(Unreadable(Status::Io, format!("cannot read {name}: {reason}"))))
            }
            Err(Failure::File(reason)) => Ok(Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {name}")))),
        }
    }

    /// It as those read it who read what it carries. What can be read only once is read here.
    fn held(mut self, carrier: Container) -> Result<Held, Unreadable> {
        match carrier {
            Container::Save | Container::Model(_) if !self.is_stream => Ok(Held::File(self.path)),
            // a database is not read from its first byte to its last
            Container::Save => match copied(&mut self.reader, self.limit) {
                Ok(copy) => Ok(Held::Copy(copy)),
                Err(error) => Err(unreadable(&self.name, &self.path, &error)),
            },
            _ => self.all_consuming().map(|file| Held::Bytes(file.bytes)),
        }
    }

    /// All bytes.
    pub fn all_consuming(self) -> Result<Input, Unreadable> {
        let Frame { name, path, reader, writing, limit, .. } = self;
        let bytes = all_of(reader, limit).map_err(|error| unreadable(&name, &path, &error))?;
        let bytes = match writing {
            Writing::Raw => Ok(bytes),
            Writing::Hex => from_hex(&bytes),
            Writing::Base64 => from_base64(&bytes),
        };
        match bytes {
            Ok(bytes) => Ok(Input { name, bytes, origin: None, other: None }),
            Err(reason) => Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {name}"))),
        }
    }

    /// Does `work` with the bytes as they come, of which no more than so many may be held at once; it is told the first of
    /// them beforehand. Text is read whole all the same. An error in decoding is a result.
    pub fn stream<T>(
        self,
        work: impl FnOnce(&[u8], &mut dyn Read, usize) -> (&'static dyn Format, Result<T, ReadError>),
    ) -> Result<(&'static dyn Format, Result<T, DecodeError>), Unreadable> {
        let (name, path) = (self.name.clone(), self.path.clone());
        // what claims to be larger than all of a small file is cut off, not too large
        let limit = if self.fits { usize::MAX } else { self.limit };
        let mut reader: Box<dyn Read> = match self.writing {
            Writing::Raw => self.reader,
            Writing::Hex | Writing::Base64 => Box::new(Cursor::new(self.all_consuming()?.bytes)),
        };
        let head = head_of(&mut reader).map_err(|error| unreadable(&name, &path, &error))?;
        let (format, result) = work(&head, &mut Cursor::new(&head).chain(reader), limit);
        match result {
            Ok(value) => Ok((format, Ok(value))),
            Err(ReadError::Decode(error)) => Ok((format, Err(error))),
            Err(ReadError::Io(error)) => Err(unreadable(&name, &path, &error)),
            Err(error) => Err(Unreadable(Status::Io, format!("cannot read {name}: {error}"))),
        }
    }
}

/// The first bytes, which tell the format.
fn head_of(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(u64::try_from(HEAD).unwrap_or(u64::MAX)).read_to_end(&mut head)?;
    Ok(head)
}

/// Systems have many words for trying to read a directory.
fn unreadable(name: &Name, file: &Path, error: &io::Error) -> Unreadable {
    let reason = if file.is_dir() {
        format!("it is a directory; name the files in it, as {}", shown(&file.join("*")))
    } else {
        error.to_string()
    };
    Unreadable(Status::Io, format!("cannot read {name}: {reason}"))
}

fn from_hex(text: &[u8]) -> Result<Vec<u8>, String> {
    decode_text(text, text, &HEXLOWER_PERMISSIVE, "hex")
}

/// With or without padding.
fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut digits = trimmed(text);
    for _ in 0..2 {
        digits = trimmed(digits.strip_suffix(b"=").unwrap_or(digits));
    }
    decode_text(text, digits, &BASE64_NOPAD, "base64")
}

/// Decodes `digits`, the beginning of `text`.
fn decode_text(text: &[u8], digits: &[u8], encoding: &Encoding, name: &str) -> Result<Vec<u8>, String> {
    let dense: Vec<u8> = digits.iter().copied().filter(|digit| !digit.is_ascii_whitespace()).collect();
    encoding.decode(&dense).map_err(|error| {
        let mut places = digits.iter().enumerate().filter(|(_, digit)| !digit.is_ascii_whitespace());
        let (position, digit) = places.nth(error.position).unwrap_or((text.len(), &0));
        let what = match error.kind {
            DecodeKind::Symbol => format!("'{}' is no {name} digit", digit.escape_ascii()),
            DecodeKind::Length => format!("the {name} text lacks its end"),
            _ => format!("the {name} text ends with bits that belong to no byte"),
        };
        format!("{what}, at {}", place(text, position))
    })
}

/// Line and column, counted from 1.
fn place(text: &[u8], position: usize) -> impl Display {
    let before = text.get(..position).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len).saturating_add(1);
    format!("line {line}, column {column}")
}

/// `text` without the whitespace at its end.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last.saturating_add(1));
    text.get(..end).unwrap_or_default()
}

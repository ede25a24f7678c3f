//! An opened file, and the values in it.

use std::cell::RefCell;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use enginewire::formats::{AnyFormat, RESYNC};
use enginewire::godot::{Framing, Version};
use enginewire::json;
use enginewire::wire::ReadError;
use enginewire::DecodeError;
use enginewire_files::address::Address;
use enginewire_files::containers::{
    Container, ContainerError, ContainerKind, Embedded, FileSource, ValueAddress, ValueChange,
};
use enginewire_files::godot::encrypted::Key;
use enginewire_files::godot::{FramedReader, Layers, PackFile, PACK_MAGIC};
use enginewire_files::guess::{may_be_framed, signature};

use crate::exit_status::{usage, Done, Failure, Placed, Refusal, Status};
use crate::files::destination::NOT_GZIP;
use crate::files::read;
use crate::files::temporary::{read_from, Temporary};
use crate::files::walk::is_known;
use crate::formats::{self, HEAD};
use crate::input::containers::{other, Origin};
use crate::input::document::{self, is_document};
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::{Part, Settings};
use crate::text_encoding::{utf_8, TextEncoding};

/// A file that was read, or a value in a container.
#[derive(Debug)]
pub struct Input<'v> {
    /// Its name.
    pub name: Name,
    pub bytes: Vec<u8>,
    /// Its address in a container; `None` for a file.
    pub address: Option<ValueAddress<'v>>,
    /// The text of the address; empty for a file.
    pub listed: String,
    /// The same for JSON, if it is in a container.
    pub origin: Option<Origin<'v>>,
    /// A description, if it is in a container but is not a value.
    pub other: Option<String>,
    /// True if all of its bytes are present, like those of a value in a container.
    pub is_complete: bool,
    /// The offset of its first byte in the file; 0 if the file does not contain its bytes unchanged.
    pub start: u64,
}

/// A file that can be read.
pub struct OpenFile {
    /// Its name.
    pub name: Name,
    path: PathBuf,
    /// Its bytes, unpacked and decoded.
    reader: Box<dyn Read>,
    /// The offset among them where reading begins.
    start: u64,
    limit: usize,
    /// True if all of it is known to be within the limit.
    fits: bool,
    /// The number of its bytes, if known.
    size: Option<u64>,
    /// True if it can be read only once.
    is_stream: bool,
    /// True if the file writes its bytes as text.
    is_text: bool,
    /// Why there are no more bytes, if one of its layers is cut.
    pub fault: Option<Refusal>,
}

/// A container, in the form that is read.
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
    /// The data that the container is read from, which must live as long.
    _held: Held,
}

/// A function called with each value of a format.
pub type Work<'w> = dyn FnMut(&'static dyn AnyFormat, &Input, &mut Console) -> Done + 'w;

impl Input<'static> {
    /// The bytes of a file.
    pub fn of_file(name: Name, bytes: Vec<u8>) -> Self {
        let (address, listed, origin, other) = (None, String::new(), None, None);
        Input { name, bytes, address, listed, origin, other, is_complete: false, start: 0 }
    }
}

impl Input<'_> {
    /// Reports an error in its bytes, which were read in this format.
    pub fn report(
        &self,
        error: DecodeError,
        format: &dyn AnyFormat,
        settings: &Settings,
        console: &mut Console,
    ) -> Done {
        let error = if self.is_complete { error.of_complete_input() } else { error };
        let mut report = error.report_from(&self.name.to_string(), &self.bytes, self.start).to_string();
        let place = self.start.saturating_add(error.offset().byte());
        // in gzip and zstd a byte comes from no place of its own
        let is_placed = |names: &str| !names.split(" > ").any(|name| matches!(name, "gzip" | "zstd"));
        let layers = self.name.layers().filter(|layers| is_placed(&layers.names()));
        if let Some(place) = layers.and_then(|layers| layers.place(place)) {
            report = format!("{}\n  {place}", report.trim_end());
        }
        console.error(match self.address.is_none() {
            true => formats::with_advice(report, &self.bytes, format, settings),
            false => formats::with_other_format(report, &self.bytes, format),
        })?;
        Ok(Status::from(&error))
    }

    /// A copy without its place in JSON.
    pub fn copied(&self) -> Input<'static> {
        let Input { name, bytes, address, listed, other, is_complete, start, .. } = self;
        let address = address.as_ref().map(|address| Address::clone(address).into());
        let (name, bytes, other) = (name.clone(), bytes.clone(), other.clone());
        let (listed, is_complete, start) = (listed.clone(), *is_complete, *start);
        Input { name, bytes, address, listed, origin: None, other, is_complete, start }
    }

    /// Why it is not decoded, if it may take more memory than there is.
    pub fn may_exceed(&self, settings: &Settings) -> Option<String> {
        self.origin.as_ref().and_then(|_| read::may_exceed(&self.bytes, settings.memory()))
    }
}

/// Detects the container from the first bytes, if it can hold the format asked for.
pub fn container(head: &[u8], settings: &Settings) -> Option<ContainerKind> {
    let format = settings.format.as_deref();
    ContainerKind::detect(head).filter(|kind| format.is_none_or(|format| kind.formats().contains(&format)))
}

/// A `ConfigFile` without values, which only its name tells.
fn blank_config(path: &Path, head: &[u8], settings: &Settings) -> Option<ContainerKind> {
    let (kind, format) = (ContainerKind::Config, settings.format.as_deref());
    let is_named = path.extension().is_some_and(|end| end == "cfg" || end == "godot");
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_blank =
        |line: &[u8]| line.is_empty() || line.starts_with(b";") || (line.starts_with(b"[") && line.ends_with(b"]"));
    let fits = is_named && format.is_none_or(|format| kind.formats().contains(&format)) && lines.all(is_blank);
    fits.then_some(kind)
}

/// The container that a file is said to be.
pub fn dump(settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
    let resync = settings.formats.is(&RESYNC);
    if let Some(kind) = settings.kind {
        let option = [
            (resync, "--resync"),
            (Framing::given(&settings.formats).is_some(), "--framing"),
            (settings.dump && kind != ContainerKind::ScenePackets, "--dump"),
        ];
        return match option.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => Err(usage(format!("{option} is not for -f {}", kind.name()))),
            None => Ok(Some(kind)),
        };
    }
    if !settings.dump {
        return Ok(None);
    }
    if Framing::given(&settings.formats).is_some() {
        return Err(usage("--dump is for values without lengths before them; leave out --framing"));
    }
    match settings.format.as_deref() {
        Some("godot-3" | "godot-4") if resync => {
            Err(usage("--resync needs --framing: without lengths, the start of the next value is unknown"))
        }
        Some("godot-3") => Ok(Some(ContainerKind::Values(Version::V3))),
        Some("godot-4") => Ok(Some(ContainerKind::Values(Version::V4))),
        Some("roblox-remote") if settings.has_lines_of_hex() => Ok(Some(ContainerKind::PacketLines)),
        Some("roblox-remote") => Ok(Some(ContainerKind::Packets)),
        _ => Err(usage("--dump needs -f roblox-remote, godot-3, godot-4 or godot-packets")),
    }
}

/// Refuses a file whose first bytes tell another kind than the one that was asked for.
pub fn confirmed(kind: ContainerKind, head: &[u8]) -> Result<ContainerKind, Refusal> {
    kind.refusal(head).map_or(Ok(kind), |reason| Err(Status::Malformed.because(reason)))
}

/// The container that the bytes of a file are, or are said to be.
pub fn container_of(file: &[u8], name: &Name, settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
    if let Some(kind) = dump(settings)? {
        return confirmed(kind, file).map(Some).at(name);
    }
    let framing = || formats::framing_of(settings).or_else(|| formats::found_framing(file, name, settings));
    let is_program = || signature(file).is_some_and(|found| matches!(found.name, "ELF" | "PE"));
    let pack = || (file.ends_with(PACK_MAGIC) && is_program()).then_some(ContainerKind::Pack);
    let blank = || blank_config(Path::new(&name.file().to_string()), file, settings);
    let found = container(file, settings).or_else(pack).or_else(blank);
    Ok(found.or_else(|| framing().map(ContainerKind::Frames)))
}

impl OpenFile {
    /// Opens a file. A cut layer is an error.
    pub fn open(file: &Path, settings: &Settings) -> Result<Self, Refusal> {
        Self::open_partial(file, settings)?.whole()
    }

    fn whole(mut self) -> Result<Self, Refusal> {
        self.fault.take().map_or(Ok(self), Err)
    }

    /// Opens a file. If one of its layers is cut, the bytes before the cut are read, and `fault` has the error.
    pub fn open_partial(file: &Path, settings: &Settings) -> Result<Self, Refusal> {
        let (path, name, limit) = (file.to_owned(), Name::new(file), settings.memory());
        let mut opened = if file == Path::new("-") {
            Self::stream_of(name, path, Box::new(io::stdin().lock()), limit)
        } else {
            let reader = File::open(file).map_err(|error| unreadable(&name, file, &error))?;
            let metadata = reader.metadata().ok().filter(Metadata::is_file);
            metadata.iter().for_each(read_from);
            let size = metadata.map(|file| file.len());
            let fits = size.is_some_and(|size| usize::try_from(size).is_ok_and(|size| size <= limit));
            let is_stream = size.is_none();
            OpenFile { fits, size, is_stream, ..Self::stream_of(name, path, Box::new(reader), limit) }
        };
        if let Some(entry) = &settings.entry {
            // the pack itself may be in a layer
            if opened.is_stream || !read::is_pack(file) {
                opened.unpack(settings)?;
            }
            opened.enter(entry, settings)?;
        }
        opened.decode(settings)?;
        opened.cut(settings.part)?;
        Ok(opened)
    }

    fn stream_of(name: Name, path: PathBuf, reader: Box<dyn Read>, limit: usize) -> Self {
        let (fits, size, is_stream, is_text, fault) = (false, None, true, false, None);
        OpenFile { name, path, reader, start: 0, limit, fits, size, is_stream, is_text, fault }
    }

    /// A file in a pack without its layers, if its first bytes tell its format. What it unpacks to is taken from `left`, the bytes that
    /// all files of the pack may together unpack to.
    pub fn entry(name: Name, bytes: &[u8], settings: &Settings, left: &mut usize) -> Option<Result<Self, Refusal>> {
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        // most files of a pack are pictures and sounds, and not copied
        if !is_known(head) && !Layers::may_begin(head, &settings.formats) {
            return None;
        }
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let mut opened = Self::stream_of(name, PathBuf::new(), reader, settings.memory());
        let most = settings.memory().min(left.saturating_add(bytes.len()));
        let formats = settings.formats.clone().set("max_memory", most).unwrap_or_else(|_| settings.formats.clone());
        let unpacked = match opened.unpacked(&Settings { formats, ..settings.clone() }) {
            Ok(length) => {
                *left = left.saturating_sub(length);
                opened.whole()
            }
            // up to the limit it was unpacked
            Err(Ok(ContainerError::TooLarge { .. } | ContainerError::OverLimit(_))) if most < settings.memory() => {
                *left = 0;
                let reason = "the files in the pack unpack to more than is looked into";
                Err(Status::Malformed.because(reason).at(&opened.name))
            }
            Err(Ok(error)) => Err(refused(&opened.name, &error)),
            Err(Err(refusal)) => Err(refusal),
        };
        unpacked.and_then(|mut opened| Ok(is_known(&opened.head(HEAD)?).then_some(opened))).transpose()
    }

    /// Reads an entry of a pack instead of the pack.
    fn enter(&mut self, entry: &str, settings: &Settings) -> Result<(), Refusal> {
        let source = match self.is_stream {
            true => FileSource::Bytes(self.rest()?),
            false => FileSource::File(self.path.clone()),
        };
        let content = pack(source, settings).and_then(|pack| pack.content_of(entry));
        let content = content.map_err(|error| refused(&self.name, &error))?;
        self.name = self.name.at(entry);
        self.replace(content);
        Ok(())
    }

    /// All bytes that are left.
    fn rest(&mut self) -> Result<Vec<u8>, Refusal> {
        read::all_of(&mut self.reader, self.limit).map_err(|error| unreadable(&self.name, &self.path, &error))
    }

    /// Takes off the layers, and decodes text where the command line says that it is some.
    fn decode(&mut self, settings: &Settings) -> Result<(), Refusal> {
        self.unpack(settings)?;
        match settings.encoding() {
            TextEncoding::Raw => Ok(()),
            encoding if self.name.layers().is_some_and(|layers| layers.names().starts_with(encoding.name())) => Ok(()),
            TextEncoding::Gzip => Err(Status::Malformed.because(NOT_GZIP).at(&self.name)),
            encoding => {
                let text = self.rest()?;
                let bytes = encoding.decode(text, self.limit);
                let bytes = bytes.map_err(|reason| Status::Malformed.because(reason).at(&self.name))?;
                (self.name, self.is_text) = (self.name.without_layers(), true);
                self.replace(bytes);
                self.unpack(settings)
            }
        }
    }

    /// Takes off the layers that the first bytes tell, such as gzip. Reads only the bytes needed to recognise them.
    fn unpack(&mut self, settings: &Settings) -> Result<(), Refusal> {
        match self.unpacked(settings) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.map_or_else(|refusal| refusal, |error| refused(&self.name, &error))),
        }
    }

    /// The same, with the number of bytes that were in layers; or the error of a layer, or of reading.
    fn unpacked(&mut self, settings: &Settings) -> Result<usize, Result<ContainerError, Refusal>> {
        let mut head = Vec::new();
        while head.len() < Layers::HEAD && Layers::may_begin(&head, &settings.formats) {
            let next = head_of(&mut self.reader, 1).map_err(|error| Err(unreadable(&self.name, &self.path, &error)))?;
            if next.is_empty() {
                break;
            }
            head.extend(next);
        }
        let has_layers = Layers::may_begin(&head, &settings.formats);
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(reader));
        if !has_layers {
            return Ok(0);
        }
        let file = self.rest().map_err(Err)?;
        let (mut layers, fault) = Layers::peel_partial(file, &settings.formats);
        match fault {
            Some(error @ ContainerError::Truncated(_)) if !layers.inner().is_empty() => {
                self.fault = Some(refused(&self.name, &error));
            }
            Some(error) => return Err(Ok(error)),
            None => {}
        }
        let length = if layers.is_empty() { 0 } else { layers.inner().len() };
        self.replace(layers.take_inner());
        if !layers.is_empty() {
            self.name = self.name.clone().within(Arc::new(layers));
        }
        Ok(length)
    }

    /// Reads these bytes instead of those of the file.
    fn replace(&mut self, bytes: Vec<u8>) {
        (self.reader, self.fits, self.size, self.is_stream) = (Box::new(Cursor::new(bytes)), false, None, true);
    }

    /// All bytes, which are read again.
    pub fn kept(&mut self) -> Result<Vec<u8>, Refusal> {
        let bytes = self.rest()?;
        self.reader = Box::new(Cursor::new(bytes.clone()));
        Ok(bytes)
    }

    /// Reads only this part of the bytes.
    fn cut(&mut self, part: Part) -> Result<(), Refusal> {
        let Some(place) = part.place() else { return Ok(()) };
        self.name = self.name.at(&place);
        io::copy(&mut self.reader.by_ref().take(part.offset), &mut io::sink())
            .map_err(|error| unreadable(&self.name, &self.path, &error))?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(reader.take(part.length.unwrap_or(u64::MAX)));
        (self.start, self.is_stream, self.size) = (part.offset, true, None);
        Ok(())
    }

    /// The same, holding at most `limit` bytes at once.
    pub fn limit(self, limit: usize) -> Self {
        OpenFile { limit, ..self }
    }

    /// Returns true if the file writes its bytes as text.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Returns true if it can be read only once.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// The kind of container, if it is one.
    pub fn container(&mut self, settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
        if let Some(kind) = dump(settings)? {
            let head = self.head(if settings.kind.is_some() { HEAD } else { 0 })?;
            return confirmed(kind, &head).map(Some).at(&self.name);
        }
        if settings.formats.is(&RESYNC) {
            let framing = formats::framing_of(settings).ok_or_else(|| {
                let reason = "--resync is about streams and dumps: pass --framing or --dump".to_owned();
                usage(reason)
            })?;
            return Ok(Some(ContainerKind::Frames(framing)));
        }
        // the first value of a stream may be all that comes for now
        let length = if formats::of_stream(settings).is_some() { FRAME } else { HEAD };
        let head = self.head(length)?;
        let found = match container(&head, settings) {
            None if self.ends_in_pack(&head)? => Some(ContainerKind::Pack),
            None => blank_config(&self.path, &head, settings),
            found => found,
        };
        if found.is_none() && formats::may_be_stream(settings) && may_be_framed(&head, self.size) {
            return Ok(self.found_framing(settings)?.map(ContainerKind::Frames));
        }
        Ok(found)
    }

    /// Returns true for a program with a pack at its end.
    fn ends_in_pack(&mut self, head: &[u8]) -> Result<bool, Refusal> {
        let is_program = signature(head).is_some_and(|found| matches!(found.name, "ELF" | "PE"));
        match (is_program, self.is_stream) {
            (false, _) => Ok(false),
            (true, false) => Ok(read::is_pack(&self.path)),
            (true, true) => Ok(self.head(self.limit.saturating_add(1))?.ends_with(PACK_MAGIC)),
        }
    }

    /// The length before each value, if all of the file is values with their lengths. A file that is larger than the memory limit is
    /// not looked at.
    fn found_framing(&mut self, settings: &Settings) -> Result<Option<Framing>, Refusal> {
        let limit = u64::try_from(self.limit).unwrap_or(u64::MAX);
        if self.size.is_some_and(|size| size > limit) {
            return Ok(None);
        }
        let file = self.head(self.limit.saturating_add(1))?;
        Ok(Some(file)
            .filter(|file| file.len() <= self.limit)
            .and_then(|file| formats::found_framing(&file, &self.name, settings)))
    }

    /// The first bytes, which are read again.
    pub fn head(&mut self, length: usize) -> Result<Vec<u8>, Refusal> {
        let head = head_of(&mut self.reader, length).map_err(|error| unreadable(&self.name, &self.path, &error))?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(head)
    }

    /// The value that a JSON document represents, with its format; the file unchanged if it is not a document.
    pub fn document(
        mut self,
        settings: &Settings,
    ) -> Result<Result<(&'static dyn AnyFormat, Input<'static>), Self>, Refusal> {
        // a stream is not a document, and may not have that many bytes yet
        let is_bytes = settings.names_container() || formats::of_stream(settings).is_some();
        if is_bytes || !is_document(&self.head(HEAD)?) {
            return Ok(Err(self));
        }
        let input = self.all_text()?;
        let (format, bytes) = document::value(&input.bytes, settings).at(&input.name)?;
        Ok(Ok((format, Input { bytes, start: 0, ..input })))
    }

    /// Calls `work` with every value in the container; reports those that cannot be read. Returns the highest status.
    pub fn each_embedded(
        self,
        kind: ContainerKind,
        settings: &Settings,
        console: &mut Console,
        work: &mut Work<'_>,
    ) -> Done {
        let start = self.start;
        let opened = self.open_container(kind, settings)?;
        let OpenContainer { name, container, .. } = &opened;
        let format = formats::of_values(kind.formats(), &**container, settings).at(name)?;
        let each = &mut |input: &Input, console: &mut Console| work(format, input, console);
        // the values of a stream are written as with --framing
        let placed = !matches!(kind, ContainerKind::Frames(_)) || settings.formats.is(&RESYNC);
        let (highest, end) = each_of(&**container, (name, start), placed, console, each)?;
        console.warnings(name, &container.warnings())?;
        end.map_err(|error| refused(name, &error))?;
        Ok(highest)
    }

    /// The same for a stream. Only the values being worked on are in memory. If the stream is not a file, work on a value starts
    /// as soon as the value arrives.
    pub fn each_framed(
        self,
        format: &'static dyn AnyFormat,
        framing: Framing,
        console: &mut Console,
        work: &mut Work<'_>,
    ) -> Done {
        let OpenFile { name, reader, start, limit, is_stream, .. } = self;
        let frames = FramedReader::new(BufReader::new(reader), framing).max_memory(limit);
        let each = &mut |input: &Input, console: &mut Console| {
            let status = work(format, input, console)?;
            if is_stream {
                console.flush()?;
            }
            Ok(status)
        };
        let (highest, end) = each_of(&Frames(RefCell::new(frames)), (&name, start), false, console, each)?;
        end.map_err(|error| refused(&name, &error))?;
        Ok(highest)
    }

    /// Opens the container that it is.
    pub fn open_container(self, kind: ContainerKind, settings: &Settings) -> Result<OpenContainer, Refusal> {
        let name = self.name.clone();
        let mut held = self.held(kind)?;
        // a document begins as a blueprint does
        if let (ContainerKind::Blueprint, Held::Bytes(bytes)) = (kind, &held)
            && let Some(format) = json::format_of(bytes)
        {
            let reason =
                format!("the file is a JSON document of the format {format}; `enginewire encode` gives its bytes");
            return Err(Status::Malformed.because(reason).at(name));
        }
        let source = match &mut held {
            Held::File(path) => FileSource::File(std::mem::take(path)),
            Held::Copy(copy) => FileSource::File(copy.path().to_owned()),
            Held::Bytes(bytes) => FileSource::Bytes(std::mem::take(bytes)),
        };
        match kind.open(source, settings.format.as_deref(), &settings.formats) {
            Ok(container) => Ok(OpenContainer { name, container, _held: held }),
            Err(error) => Err(refused(&name, &error)),
        }
    }

    /// The container in the form that is read. A stream is read here.
    fn held(self, container: ContainerKind) -> Result<Held, Refusal> {
        match container {
            ContainerKind::Save | ContainerKind::Model(_) | ContainerKind::Pack if !self.is_stream => {
                Ok(Held::File(self.path))
            }
            // a database is not read from its first byte to its last
            ContainerKind::Save => self.copied().map(Held::Copy),
            ContainerKind::PacketLines | ContainerKind::ScenePackets => {
                self.all_text().map(|file| Held::Bytes(file.bytes))
            }
            _ => self.all_consuming().map(|file| Held::Bytes(file.bytes)),
        }
    }

    /// A copy in a temporary file.
    pub fn copied(self) -> Result<Temporary, Refusal> {
        let OpenFile { name, path, reader, limit, .. } = self;
        read::copied(reader, limit).map_err(|error| unreadable(&name, &path, &error))
    }

    /// All bytes.
    pub fn all_consuming(self) -> Result<Input<'static>, Refusal> {
        let OpenFile { name, path, reader, start, limit, .. } = self;
        match read::all_of(reader, limit) {
            Ok(bytes) => Ok(Input { start, ..Input::of_file(name, bytes) }),
            Err(error) => Err(unreadable(&name, &path, &error)),
        }
    }

    /// All bytes of a text, in UTF-8.
    pub fn all_text(self) -> Result<Input<'static>, Refusal> {
        let input = self.all_consuming()?;
        match utf_8(input.bytes) {
            Ok(bytes) => Ok(Input { bytes, ..input }),
            Err(reason) => Err(Status::Malformed.because(reason).at(&input.name)),
        }
    }

    /// Calls `work` with the format, a reader of all bytes, and how many bytes it may hold at once. A
    /// decoding error is a result, not a failure.
    pub fn stream<T>(
        self,
        settings: &Settings,
        work: impl FnOnce(&'static dyn AnyFormat, &mut dyn Read, usize) -> Result<T, ReadError>,
    ) -> Result<(&'static dyn AnyFormat, Result<T, DecodeError>), Refusal> {
        let OpenFile { name, path, mut reader, limit, fits, .. } = self;
        // what claims to be larger than all of a small file is cut off, not too large
        let limit = if fits { usize::MAX } else { limit };
        let head = head_of(&mut reader, HEAD.saturating_add(1)).map_err(|error| unreadable(&name, &path, &error))?;
        let chosen = match head.len() > HEAD {
            true => formats::chosen_by_head(settings, &head),
            false => formats::chosen(settings, &head),
        };
        let format = chosen.at(&name)?;
        match work(format, &mut Cursor::new(&head).chain(reader), limit) {
            Ok(value) => Ok((format, Ok(value))),
            Err(ReadError::Decode(error)) => Ok((format, Err(error))),
            Err(ReadError::Io(error)) => Err(unreadable(&name, &path, &error)),
            Err(error) => Err(Status::Io.because(format!("cannot read {name}: {error}"))),
        }
    }
}

/// A pack of Godot.
pub fn pack(source: FileSource, settings: &Settings) -> Result<PackFile, ContainerError> {
    if let FileSource::File(path) = &source {
        path.metadata().iter().for_each(read_from);
    }
    PackFile::open(source, settings.memory(), Key::given(&settings.formats))
}

/// Calls `work` with every value in a container; reports those that cannot be read. Returns the highest status, and the error if the
/// rest of the container cannot be read. `start` is the offset of the container in the file. `placed` is true if the output contains
/// addresses.
pub fn each_of(
    container: &dyn Container,
    (file, start): (&Name, u64),
    placed: bool,
    console: &mut Console,
    work: &mut dyn FnMut(&Input, &mut Console) -> Done,
) -> Result<(Status, Result<(), ContainerError>), Failure> {
    each_listed(container, &mut |value| {
        // an error of the whole file has no address
        let listed = value.address.to_string();
        let name = if value.address.is_file() { file.clone() } else { file.at(&listed) };
        let (other, is_complete, start) =
            (other(&value), !value.is_open, value.start.map_or(0, |inside| inside.saturating_add(start)));
        let origin = placed.then(|| Origin::embedded(file, value.about));
        match value.bytes {
            Ok(bytes) => {
                let address = Some(value.address);
                let input =
                    Input { name, bytes: bytes.into_owned(), address, listed, origin, other, is_complete, start };
                work(&input, console)
            }
            Err(error) => {
                let refusal = Refusal::from(error).at_least(Status::Malformed).at(name);
                Ok(console.refused(refusal)?)
            }
        }
    })
}

/// Calls `work` with every value in a container, also with those that cannot be read, in the order of the file. Returns the highest
/// status, and the error if the rest of the container cannot be read.
pub fn each_listed(
    container: &dyn Container,
    work: &mut dyn FnMut(Embedded<'_>) -> Done,
) -> Result<(Status, Result<(), ContainerError>), Failure> {
    let (mut highest, mut failure) = (Status::Fine, None);
    let end = container.values(&mut |value| match work(value) {
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

    fn changed(&self, _: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        Err(ContainerError::Malformed("a stream is read once, and not changed".to_owned()))
    }
}

/// Why a container cannot be used.
pub fn refused(name: &Name, error: &ContainerError) -> Refusal {
    match error {
        ContainerError::Unreadable(reason) => Status::Io.because(format!("cannot read {name}: {reason}")),
        error => Refusal::from(error).at(name),
    }
}

/// The number of bytes that distinguish a stream of values from a container with values of the same format.
const FRAME: usize = 4;

/// The first bytes, to detect the format.
fn head_of(reader: &mut dyn Read, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut head)?;
    Ok(head)
}

/// The message for a directory does not depend on the system.
fn unreadable(name: &Name, file: &Path, error: &io::Error) -> Refusal {
    let reason = if file.is_dir() {
        format!("it is a directory; name the files in it, such as {}", shown(&file.join("*")))
    } else {
        error.to_string()
    };
    Status::Io.because(format!("cannot read {name}: {reason}"))
}

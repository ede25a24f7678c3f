//! The destination of a changed file. Every verb makes a list of changes, and this module writes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire_files::containers::{Container, ContainerKind, FileSource, ValueChange};
use enginewire_files::godot::Layers;

use crate::changes::to_change::{ChangedValues, FileToChange};
use crate::exit_status::{usage, Placed, Refusal, Status};
use crate::files::atomic_write::{self, destination, is_standard, is_standard_output, may_write_into, save};
use crate::files::atomic_write::{Locked, Replacement};
use crate::files::keep::Keep;
use crate::files::read;
use crate::files::temporary::read_from;
use crate::formats;
use crate::input::document::is_document;
use crate::input::models;
use crate::input::opened::{confirmed, container, dump, pack, refused, OpenFile};
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::Settings;
use crate::text_encoding::TextEncoding;

/// The options of a verb that changes a file.
#[derive(Debug, Default, clap::Args)]
pub struct Destination {
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Change the file itself
    #[arg(short, long)]
    pub in_place: bool,

    /// Also write to a read-only or linked file
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub keep: Keep,
}

/// A function that makes the changes of a file.
pub type Make<'m> = dyn FnMut(&FileToChange) -> Result<ChangedValues, Refusal> + 'm;

impl Destination {
    /// Returns true if any option is given.
    pub fn is_given(&self) -> bool {
        self.output.is_some() || self.in_place || self.force || self.keep.is_given()
    }

    /// The file to write.
    pub fn of<'p>(&'p self, file: &'p Path) -> Result<&'p Path, Refusal> {
        let usage = |reason: &str| usage(reason);
        let out = destination(file, self.output.as_deref(), self.in_place).map_err(usage)?;
        if !self.in_place && is_standard_output(out) && io::stdout().is_terminal() {
            return Err(usage("refusing to write binary to a terminal; use -o FILE or a pipe"));
        }
        Ok(out)
    }

    /// Writes `file` with the changes that `make` gives. In place, nobody else changes it meanwhile.
    pub fn write(
        &self,
        file: &Path,
        settings: &Settings,
        console: &mut Console,
        make: &mut Make<'_>,
    ) -> Result<(), Refusal> {
        let out = self.of(file)?;
        self.keep.check(self.in_place, out)?;
        let mut kept = self.keep.begin();
        let written = self.written((file, out), settings, console, &mut |opened| {
            let made = make(opened)?;
            self.keep.before((file, out), opened, &made, &mut kept)?;
            Ok(made)
        });
        self.keep.after((file, out, settings.entry.as_deref()), kept, written)
    }

    fn written(
        &self,
        (file, out): (&Path, &Path),
        settings: &Settings,
        console: &mut Console,
        make: &mut Make<'_>,
    ) -> Result<(), Refusal> {
        if self.in_place {
            may_replace(file, settings)?;
        }
        if let Some(kind) = in_pieces(file, settings)? {
            return self.write_pieces(kind, (file, out), settings, console, make);
        }
        if self.in_place {
            let mut locked = Locked::open(file, self.force).map_err(|error| unwritable(file, &error))?;
            let bytes = locked.read(settings.memory()).map_err(|error| models::unreadable(file, &error))?;
            let refused = |error| refused(&shown(file), &error);
            let layers = Layers::peel(bytes, &settings.formats).map_err(refused)?;
            if settings.encoding() == TextEncoding::Gzip && layers.is_empty() {
                return Err(Status::Malformed.because(NOT_GZIP).at(shown(file)));
            }
            let bytes = changed_within(layers, &shown(file), settings, make)?;
            return locked.replace(&bytes).map_err(|error| unwritable(file, &error));
        }
        let bytes = changed_of(file, settings, make)?;
        self.put(out, &bytes, console)
    }

    /// Writes a whole file.
    pub fn put(&self, out: &Path, bytes: &[u8], console: &mut Console) -> Result<(), Refusal> {
        let written =
            if is_standard_output(out) { console.out().write_all(bytes) } else { save(out, bytes, self.force) };
        written.map_err(|error| unwritable(out, &error))
    }

    /// Writes a model or a save. Only a part of it is in memory at a time.
    fn write_pieces(
        &self,
        kind: ContainerKind,
        (file, out): (&Path, &Path),
        settings: &Settings,
        console: &mut Console,
        make: &mut Make<'_>,
    ) -> Result<(), Refusal> {
        let unreadable = |error: io::Error| models::unreadable(file, &error);
        let unwritable = |error: io::Error| unwritable(out, &error);
        let mut open = || {
            let opened = FileToChange::open(kind, FileSource::File(file.to_owned()), &shown(file), settings)?;
            make(&opened).map(|made| (opened, made))
        };
        if self.in_place && kind == ContainerKind::Save {
            let (opened, made) = open()?;
            may_write_into(file, self.force).map_err(unwritable)?;
            return opened.change_in_place(&made);
        }
        if self.in_place {
            let mut locked = Locked::open(file, self.force).map_err(unwritable)?;
            locked.reader().map_err(unreadable)?;
            let (opened, made) = open()?;
            let replacement = locked.replacement().map_err(unwritable)?;
            rewritten(&opened, &made, replacement.file().map_err(unwritable)?, out)?;
            drop(opened);
            return locked.commit(replacement).map_err(unwritable);
        }
        read_from(&file.metadata().map_err(unreadable)?);
        let (opened, made) = open()?;
        if kind == ContainerKind::Save {
            let warnings = parts_of_save(file, out)?;
            // a closed standard output is reported where output is written to it
            let _ = console.warnings(shown(file), &warnings);
        }
        let replacement = match is_standard_output(out) {
            true => None,
            false => Replacement::of(out, self.force).map_err(unwritable)?,
        };
        if let Some(replacement) = replacement {
            rewritten(&opened, &made, replacement.file().map_err(unwritable)?, out)?;
            return replacement.commit().map_err(unwritable);
        }
        // nothing is written unless all of it can be
        let copy = read::copied(io::empty(), 0).map_err(unwritable)?;
        let mut copied = copy.file().map_err(unwritable)?;
        rewritten(&opened, &made, copied, copy.path())?;
        let written = copied.rewind().and_then(|()| match is_standard_output(out) {
            true => io::copy(&mut copied, console.out()),
            false => io::copy(&mut copied, &mut OpenOptions::new().write(true).open(out)?),
        });
        written.map(drop).map_err(unwritable)
    }
}

/// Makes the changes of `file` without writing them.
pub fn preview(file: &Path, settings: &Settings, make: &mut Make<'_>) -> Result<(), Refusal> {
    match in_pieces(file, settings)? {
        Some(kind) => {
            let opened = FileToChange::open(kind, FileSource::File(file.to_owned()), &shown(file), settings)?;
            let made = make(&opened)?;
            opened.rewrite(&made, &mut io::sink())
        }
        None => changed_of(file, settings, make).map(drop),
    }
}

/// The kind of a file that is read in parts, if it is one and not in layers. If the file cannot be read, the code that reads it
/// reports why.
fn in_pieces(path: &Path, settings: &Settings) -> Result<Option<ContainerKind>, Refusal> {
    let is_plain = settings.encoding() == TextEncoding::Raw && settings.entry.is_none() && !settings.replaces_inside;
    if !is_plain || is_standard(path) || read::is_stream(path) {
        return Ok(None);
    }
    let Ok(head) = read::head(path, formats::HEAD) else { return Ok(None) };
    let is_document = !settings.names_container() && is_document(&head);
    let kind = match dump(settings)? {
        Some(kind) => Some(confirmed(kind, &head).at(shown(path))?),
        None => container(&head, settings).filter(|_| !is_document),
    };
    Ok(kind.filter(|kind| matches!(kind, ContainerKind::Save | ContainerKind::Model(_))))
}

/// Why a file is not read with `--input gzip`.
pub const NOT_GZIP: &str = "the file does not begin as gzip does; leave out --input gzip";

/// Refuses to change a file in place whose values are written as text.
///
/// # Errors
///
/// Advice on changing it by other means.
pub fn may_replace(file: &Path, settings: &Settings) -> Result<(), Refusal> {
    match settings.encoding() {
        TextEncoding::Raw | TextEncoding::Gzip => Ok(()),
        encoding => {
            let name = encoding.name();
            let reason = format!(
                "the file is written as {name} and is not changed in place; write a changed copy with `set -o FILE`"
            );
            Err(usage(reason).at(shown(file)))
        }
    }
}

/// A file that is read as a whole, with its changes and its layers.
fn changed_of(file: &Path, settings: &Settings, make: &mut Make<'_>) -> Result<Vec<u8>, Refusal> {
    let input = OpenFile::open(file, &Settings { entry: None, ..settings.clone() })?.all_consuming()?;
    match input.name.layers() {
        Some(layers) => {
            let changed = changed_entry(input.bytes, &input.name, settings, make)?;
            wrapped(layers.clone(), &changed, &input.name, settings)
        }
        None => changed_entry(input.bytes, &input.name, settings, make),
    }
}

/// The content of these layers with its changes, in the same layers.
fn changed_within(
    mut layers: Layers,
    name: &Name,
    settings: &Settings,
    make: &mut Make<'_>,
) -> Result<Vec<u8>, Refusal> {
    let bytes = changed_entry(layers.take_inner(), name, settings, make)?;
    wrapped(layers, &bytes, name, settings)
}

/// A file in its layers.
fn wrapped(layers: Layers, inner: &[u8], name: &Name, settings: &Settings) -> Result<Vec<u8>, Refusal> {
    let layers = match settings.written_for {
        Some(version) => layers.for_version(version),
        None => layers,
    };
    layers.wrap(inner).map_err(|error| refused(name, &error))
}

/// A file with its changes, or a pack with the changes of the entry that is read.
fn changed_entry(file: Vec<u8>, name: &Name, settings: &Settings, make: &mut Make<'_>) -> Result<Vec<u8>, Refusal> {
    let Some(entry) = &settings.entry else {
        let opened = FileToChange::of_bytes(file, name, settings)?;
        let made = make(&opened)?;
        return opened.changed(&made);
    };
    let refused = |error| refused(&name.at(entry), &error);
    let pack = pack(FileSource::Bytes(file), settings).map_err(refused)?;
    let layers = Layers::peel(pack.content_of(entry).map_err(refused)?, &settings.formats).map_err(refused)?;
    let bytes = &changed_within(layers, name, &Settings { entry: None, ..settings.clone() }, make)?;
    let mut address = None;
    let listed = pack.values(&mut |value| {
        address = Some(value.address.into_address()).filter(|address| address.to_string() == *entry);
        if address.is_none() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    listed.map_err(refused)?;
    let changes: Vec<_> = address.iter().map(|address| ValueChange::Replace { address, bytes }).collect();
    pack.changed(&changes).map_err(refused)
}

/// Writes a file with its changes to another.
fn rewritten(opened: &FileToChange, made: &ChangedValues, writer: &File, out: &Path) -> Result<(), Refusal> {
    let mut writer = Noting { writer: BufWriter::new(writer), failed: None };
    let changed = opened.rewrite(made, &mut writer);
    let changed = changed.and_then(|()| writer.flush().map_err(|error| unwritable(out, &error)));
    match writer.failed {
        // it can fail to read or to write, and its error does not show which
        Some(error) => Err(unwritable(out, &error)),
        None => changed,
    }
}

/// A writer that keeps its last error.
struct Noting<W> {
    writer: W,
    failed: Option<io::Error>,
}

impl<W: Write> Noting<W> {
    fn noted<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            // an interrupted call is made again
            self.failed = Some(error).filter(|_| kind != io::ErrorKind::Interrupted);
            kind.into()
        })
    }
}

impl<W: Write> Write for Noting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.noted(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        self.noted(flushed)
    }
}

/// Warnings about a journal or log beside a save: a copy of the save contains its data.
fn parts_of_save(from: &Path, out: &Path) -> Result<Vec<String>, Refusal> {
    let beside = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        Some(PathBuf::from(name)).filter(|file| fs::metadata(file).is_ok_and(|file| file.len() > 0))
    };
    let endings = ["-journal", "-wal"];
    // SQLite would use it as a part of the new file
    if let Some(part) = endings.iter().find_map(|ending| beside(out, ending)) {
        let reason = format!("{} is part of the save to replace", shown(&part));
        return Err(Status::Io.because(format!("cannot write {}: {reason}", shown(out))));
    }
    let warning = |part: PathBuf| {
        format!("{} is part of the save: the copy has what it holds, the file alone does not", shown(&part))
    };
    Ok(endings.iter().filter_map(|ending| beside(from, ending)).map(warning).collect())
}

pub fn unwritable(path: &Path, error: &io::Error) -> Refusal {
    atomic_write::status(error).because(format!("cannot write {}: {error}", shown(path)))
}

//! The destination of a changed file: the file itself, or another one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire_files::containers::{self, Container, FileSource};
use enginewire_files::godot::Layers;

use crate::exit_status::{Refusal, Status};
use crate::files::atomic_write::{self, destination, is_standard_output, save, Locked, Replacement};
use crate::files::read;
use crate::files::temporary::read_from;
use crate::input::models;
use crate::input::opened::{pack, refused, OpenFile};
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
}

impl Destination {
    /// Returns true if any option is given.
    pub fn is_given(&self) -> bool {
        self.output.is_some() || self.in_place || self.force
    }

    /// The file to write.
    pub fn of<'p>(&'p self, file: &'p Path) -> Result<&'p Path, Refusal> {
        let usage = |reason: &str| (Status::Usage, reason.to_owned());
        let out = destination(file, self.output.as_deref(), self.in_place).map_err(usage)?;
        if !self.in_place && is_standard_output(out) && io::stdout().is_terminal() {
            return Err(usage("refusing to write binary to a terminal; use -o FILE or a pipe"));
        }
        Ok(out)
    }

    /// Writes what `change` makes of the bytes of `file`. `opened` is the whole file, if it is open already: it may be a pipe.
    pub fn write(
        &self,
        file: &Path,
        opened: Option<OpenFile>,
        settings: &Settings,
        console: &mut Console,
        change: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refusal>,
    ) -> Result<(), Refusal> {
        let out = self.of(file)?;
        if self.in_place {
            drop(opened);
            return self.replace(file, settings, change);
        }
        let whole = Settings { entry: None, ..settings.clone() };
        let opened = opened.map_or_else(|| OpenFile::open(file, &whole), Ok)?;
        let input = opened.all_consuming()?;
        let changed = changed_entry(input.bytes, &input.name, settings, change)?;
        let bytes = match input.name.layers() {
            Some(layers) => wrapped(layers.clone(), &changed, &input.name, settings)?,
            None => changed,
        };
        let written =
            if is_standard_output(out) { console.out().write_all(&bytes) } else { save(out, &bytes, self.force) };
        written.map_err(|error| unwritable(out, &error))
    }

    /// Writes what `change` makes of the bytes of `file` into the file itself, which nobody else changes meanwhile.
    pub fn replace(
        &self,
        file: &Path,
        settings: &Settings,
        change: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refusal>,
    ) -> Result<(), Refusal> {
        may_replace(file, settings)?;
        let mut locked = Locked::open(file, self.force).map_err(|error| unwritable(file, &error))?;
        let bytes = locked.read(settings.memory()).map_err(|error| models::unreadable(file, &error))?;
        let refused = |error| refused(&shown(file), &error);
        let mut layers = Layers::peel(bytes, &settings.formats).map_err(refused)?;
        if settings.encoding() == TextEncoding::Gzip && layers.is_empty() {
            return Err((Status::Malformed, format!("{NOT_GZIP}\n  --> {}", shown(file))));
        }
        let bytes = changed_entry(layers.take_inner(), &shown(file), settings, change)?;
        let bytes = wrapped(layers, &bytes, &shown(file), settings)?;
        locked.replace(&bytes).map_err(|error| unwritable(file, &error))
    }
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
            Err((Status::Usage, format!("{reason}\n  --> {}", shown(file))))
        }
    }
}

/// A file in its layers.
fn wrapped(layers: Layers, inner: &[u8], name: &Name, settings: &Settings) -> Result<Vec<u8>, Refusal> {
    let layers = match settings.written_for {
        Some(version) => layers.for_version(version),
        None => layers,
    };
    layers.wrap(inner).map_err(|error| refused(name, &error))
}

/// Applies `change` to a file, or to the entry of a pack that is read. For an entry, the result is the changed pack.
fn changed_entry(
    file: Vec<u8>,
    name: &Name,
    settings: &Settings,
    change: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    let Some(entry) = &settings.entry else { return change(file) };
    let refused = |error| refused(&name.at(entry), &error);
    let pack = pack(FileSource::Bytes(file), settings).map_err(refused)?;
    let content = pack.content_of(entry).map_err(refused)?;
    let mut layers = Layers::peel(content, &settings.formats).map_err(refused)?;
    let bytes = change(layers.take_inner())?;
    let bytes = &wrapped(layers, &bytes, name, settings)?;
    let mut address = None;
    let listed = pack.values(&mut |value| {
        address = Some(value.address).filter(|address| address.to_string() == *entry);
        if address.is_none() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    listed.map_err(refused)?;
    let replacements: Vec<_> = address.iter().map(|address| containers::Replacement { address, bytes }).collect();
    pack.replaced(&replacements).map_err(refused)
}

/// A change of a file: a function that reads the file and writes to another.
pub type Rewrite<'r> = dyn FnOnce(&File, &mut dyn Write) -> Result<(), Refusal> + 'r;

impl Destination {
    /// Writes the output of `change` for `file`. Only a part of the file is in memory at a time.
    pub fn rewrite(&self, file: &Path, console: &mut Console, change: Box<Rewrite<'_>>) -> Result<(), Refusal> {
        let out = self.of(file)?;
        let unreadable = |error: io::Error| models::unreadable(file, &error);
        let unwritable = |error: io::Error| unwritable(out, &error);
        if self.in_place {
            let mut locked = Locked::open(file, self.force).map_err(unwritable)?;
            let reader = locked.reader().map_err(unreadable)?.try_clone().map_err(unreadable)?;
            let replacement = locked.replacement().map_err(unwritable)?;
            rewritten(&reader, replacement.file().map_err(unwritable)?, out, change)?;
            drop(reader);
            return locked.commit(replacement).map_err(unwritable);
        }
        let reader = File::open(file).map_err(unreadable)?;
        read_from(&reader.metadata().map_err(unreadable)?);
        let replacement = match is_standard_output(out) {
            true => None,
            false => Replacement::of_regular(out, self.force).map_err(unwritable)?,
        };
        if let Some(replacement) = replacement {
            rewritten(&reader, replacement.file().map_err(unwritable)?, out, change)?;
            return replacement.commit().map_err(unwritable);
        }
        // nothing is written unless all of it can be
        let copy = read::copied(io::empty(), 0).map_err(unwritable)?;
        let mut file = copy.file().map_err(unwritable)?;
        rewritten(&reader, file, copy.path(), change)?;
        let copied = file.rewind().and_then(|()| match is_standard_output(out) {
            true => io::copy(&mut file, console.out()),
            false => io::copy(&mut file, &mut OpenOptions::new().write(true).open(out)?),
        });
        copied.map(drop).map_err(unwritable)
    }
}

/// Writes what `change` makes of a file to another.
fn rewritten(reader: &File, writer: &File, out: &Path, change: Box<Rewrite<'_>>) -> Result<(), Refusal> {
    let mut writer = Noting { writer: BufWriter::new(writer), failed: None };
    let changed = change(reader, &mut writer).and_then(|()| writer.flush().map_err(|error| unwritable(out, &error)));
    match writer.failed {
        // `change` can fail to read or to write, and its error does not show which
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

pub fn unwritable(path: &Path, error: &io::Error) -> Refusal {
    (atomic_write::status(error), format!("cannot write {}: {error}", shown(path)))
}

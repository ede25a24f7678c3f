//! The destination of a changed file: the file itself, or another one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};

use crate::exit_status::{Refusal, Status};
use crate::files::atomic_write::{self, destination, is_standard_output, save, Locked, Replacement};
use crate::files::read::{self, is_stream};
use crate::input::models;
use crate::input::opened::OpenFile;
use crate::output::console::Console;
use crate::output::name::shown;
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

    /// Writes what `change` makes of the bytes of `file`.
    pub fn write(
        &self,
        file: &Path,
        settings: &Settings,
        console: &mut Console,
        change: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refusal>,
    ) -> Result<(), Refusal> {
        let out = self.of(file)?;
        if self.in_place {
            return self.replace(file, settings, change);
        }
        let input = OpenFile::open(file, settings).and_then(OpenFile::all_consuming);
        let bytes = change(input?.bytes)?;
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
        locked.replace(&change(bytes)?).map_err(|error| unwritable(file, &error))
    }
}

/// Refuses to change a file in place whose values are packed or written as text.
///
/// # Errors
///
/// Advice on changing it by other means.
pub fn may_replace(file: &Path, settings: &Settings) -> Result<(), Refusal> {
    let encoding = settings.encoding();
    let is_packed = || !is_stream(file) && OpenFile::open(file, settings).is_ok_and(|opened| opened.is_decoded());
    let (what, advice) = match encoding {
        TextEncoding::Raw if !is_packed() => return Ok(()),
        TextEncoding::Raw | TextEncoding::Gzip => {
            ("packed with gzip".to_owned(), "unpack it first with `gzip -d`, or ")
        }
        encoding => (format!("written as {}", encoding.name()), ""),
    };
    let message =
        format!("the file is {what} and is not changed in place; {advice}write a changed copy with `set -o FILE`");
    Err((Status::Usage, format!("{message}\n  --> {}", shown(file))))
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

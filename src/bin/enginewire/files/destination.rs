//! Where a changed file is written: into the file itself, or into another.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::exit_status::Status;
use crate::files::atomic_write::{self, destination, is_standard_output, save, Locked};
use crate::files::read::is_stream;
use crate::input::models::{self, Refusal};
use crate::input::opened::{OpenFile, Unreadable};
use crate::output::console::Console;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::text_encoding::TextEncoding;

/// The options of a verb that changes a file.
#[derive(Debug, Default, clap::Args)]
pub struct Destination {
    /// File to write, replaced only when complete; `-` is standard output. An existing file keeps its mode, owner and
    /// extended attributes
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Change the file itself, or the target of a symbolic link; several runs at once wait for each other
    #[arg(long)]
    pub in_place: bool,

    /// Also replace a read-only file or one of several hard links, and write to a device or named pipe
    #[arg(long)]
    pub force: bool,
}

impl Destination {
    /// The file to write.
    pub fn of<'p>(&'p self, file: &'p Path) -> Result<&'p Path, Refusal> {
        let usage = |reason: &str| (Status::Usage, reason.to_owned());
        let out = destination(file, self.out.as_deref(), self.in_place).map_err(usage)?;
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
        let bytes = change(input.map_err(|Unreadable(status, message)| (status, message))?.bytes)?;
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
/// How it can be changed instead.
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

fn unwritable(path: &Path, error: &io::Error) -> Refusal {
    (atomic_write::status(error), format!("cannot write {}: {error}", shown(path)))
}

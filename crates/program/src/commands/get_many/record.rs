//! The file of rows.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use enginewire_files::scan::is_model;

use crate::exit_status::{usage, Refusal};
use crate::files::atomic_write::same_file;
use crate::files::destination::unwritable;
use crate::files::temporary::restrict;
use crate::output::name::shown;

/// A file that is written.
pub struct Written {
    path: PathBuf,
    file: BufWriter<File>,
    is_new: bool,
}

impl Written {
    /// A new, empty file. It must not be a file that is read.
    pub fn open(path: &Path, read: &[PathBuf]) -> Result<Self, Refusal> {
        not_read(path, read)?;
        let is_new = !path.exists();
        let file = File::create(path).map_err(|error| unwritable(path, &error))?;
        Ok(Written { path: path.to_owned(), file: BufWriter::new(file), is_new })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let private = if self.is_new { restrict(self.file.get_ref()) } else { Ok(()) };
        private.and_then(|()| self.file.write_all(bytes)).map_err(|error| unwritable(&self.path, &error))
    }

    pub fn finish(mut self) -> Result<(), Refusal> {
        self.file.flush().map_err(|error| unwritable(&self.path, &error))
    }
}

/// Refuses to write to a model, or to a file that is read.
///
/// # Errors
///
/// If the path that `--output` names is one.
pub fn not_read(path: &Path, read: &[PathBuf]) -> Result<(), Refusal> {
    let reason = match path {
        path if is_model(path) => "would overwrite a model file",
        path if read.iter().any(|file| same_file(file, path)) => "is a file to read",
        _ => return Ok(()),
    };
    Err(usage(format!("--output {} {reason}; name another file to write to", shown(path))))
}

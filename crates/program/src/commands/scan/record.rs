//! The output: rows, the paths of files with errors, and the state.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use enginewire_files::scan::is_model;
use indicatif::ProgressBar;

use super::file::Found;
use super::state::{State, StateError};
use super::{row, Args, Job};
use crate::exit_status::{Refusal, Status};
use crate::files::atomic_write::same_file;
use crate::output::console::Console;
use crate::output::escape::escaped_bytes;
use crate::output::name::shown;

/// The files that are written.
#[derive(Default)]
pub struct Record {
    rows: Option<Written>,
    failed: Option<Written>,
    state: Option<(State, PathBuf)>,
    /// The byte that ends a path in the list of files with errors.
    end: u8,
}

/// A file that is written.
pub struct Written {
    path: PathBuf,
    file: BufWriter<File>,
    length: u64,
}

impl Written {
    /// A new file, or one whose first `length` bytes are kept.
    fn open(path: &Path, length: u64) -> Result<Self, String> {
        let open = || {
            let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            if file.metadata()?.is_file() {
                file.set_len(length)?;
                file.seek(io::SeekFrom::End(0))?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| cannot_write(path, &error))?;
        Ok(Written { path: path.to_owned(), file: BufWriter::new(file), length })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.length = self.length.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.file.write_all(bytes).map_err(|error| cannot_write(&self.path, &error))
    }

    fn flush(&mut self) -> Result<(), String> {
        self.file.flush().map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", shown(path))
}

/// Refuses to write to a model, or to a file that is read.
///
/// # Errors
///
/// If the path that the option names is one.
pub fn not_read(option: &str, path: &Path, read: &[PathBuf]) -> Result<(), Refusal> {
    let reason = match path {
        path if is_model(path) => "would overwrite a model file",
        path if read.iter().any(|file| same_file(file, path)) => "is a file to read",
        _ => return Ok(()),
    };
    Err((Status::Usage, format!("{option} {} {reason}; name another file to write to", shown(path))))
}

impl Record {
    /// Opens the files that the arguments name.
    pub fn open(job: &Job<'_>) -> Result<Self, Refusal> {
        let Args { failed, resume, null, .. } = job.args;
        let io = |message| (Status::Io, message);
        let named = [("--output", job.output), ("--failed", failed.as_deref()), ("--resume", resume.as_deref())];
        let named: Vec<_> = named.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
        for (number, (option, path)) in named.iter().enumerate() {
            not_read(option, path, &job.paths)?;
            if let Some((other, _)) = named.iter().take(number).find(|(_, other)| other == path) {
                let message = format!("{other} and {option} name the same file, {}; name two files", shown(path));
                return Err((Status::Usage, message));
            }
        }
        let mut record = Record { end: if *null { 0 } else { b'\n' }, ..Record::default() };
        let mut kept = 0;
        if let (Some(path), Some(output)) = (resume, job.output) {
            let state = State::open(path, &job.rows()).map_err(|error| match error {
                StateError::Io(error) => (Status::Io, format!("cannot use {}: {error}", shown(path))),
                error => (Status::Usage, format!("cannot use {}: {error}", shown(path))),
            })?;
            let length = fs::metadata(output).map_or(0, |file| file.len());
            kept = state.length;
            if length < kept {
                let (output, path) = (shown(output), shown(path));
                let reason = format!("{output} has {length} bytes, but {kept} bytes of rows were written to it before");
                let advice = format!("restore that file, or remove {path} to read all files again");
                return Err((Status::Usage, format!("cannot resume: {reason}; {advice}")));
            }
            record.state = Some((state, path.clone()));
        }
        if let Some(path) = job.output {
            let mut rows = Written::open(path, kept).map_err(io)?;
            if kept == 0 {
                rows.write(row::head(job.form).as_bytes()).map_err(io)?;
            }
            record.rows = Some(rows);
        }
        if let Some(path) = failed {
            record.failed = Some(Written::open(path, 0).map_err(io)?);
            let before = record.state.as_mut().map(|(state, _)| std::mem::take(&mut state.failed));
            for path in before.unwrap_or_default() {
                record.fail(&path).map_err(io)?;
            }
        }
        Ok(record)
    }

    /// Returns true if rows go to standard output.
    pub fn is_to_console(&self) -> bool {
        self.rows.is_none()
    }

    /// The paths of the files that were done before, and the highest status of them.
    pub fn before(&mut self) -> (HashSet<Vec<u8>>, Status) {
        self.state.as_mut().map_or_else(
            || (HashSet::new(), Status::Fine),
            |(state, _)| (std::mem::take(&mut state.done), state.highest),
        )
    }

    /// Writes the results for a file. The inner error names the file that cannot be written.
    pub fn put(
        &mut self,
        found: Found,
        bar: &ProgressBar,
        console: &mut Console,
    ) -> io::Result<Result<Status, String>> {
        let path = found.path.clone();
        Ok(match found.write(self.rows.as_mut(), bar, console)? {
            Ok(status) => self.done(&path, status).map(|()| status),
            Err(message) => Err(message),
        })
    }

    fn done(&mut self, path: &Path, status: Status) -> Result<(), String> {
        if status > Status::Fine {
            self.fail(path.as_os_str().as_encoded_bytes())?;
        }
        let Some((state, name)) = &mut self.state else { return Ok(()) };
        let mut length = 0;
        if let Some(rows) = &mut self.rows {
            rows.flush()?;
            length = rows.length;
        }
        state.add(path, status, length).map_err(|error| cannot_write(name, &error))
    }

    /// Adds a path to the list of files with errors.
    fn fail(&mut self, path: &[u8]) -> Result<(), String> {
        let Some(failed) = &mut self.failed else { return Ok(()) };
        if path.contains(&self.end) {
            let name = escaped_bytes(path);
            return Err(format!("cannot list {name} in --failed: its name has a line break; use -0"));
        }
        failed.write(path)?;
        failed.write(&[self.end])?;
        // so that it is there if the scan is stopped
        failed.flush()
    }

    pub fn finish(mut self) -> Result<(), String> {
        self.rows.as_mut().map_or(Ok(()), Written::flush)
    }
}

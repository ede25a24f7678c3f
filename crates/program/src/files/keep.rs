//! Keeps a copy of a file that changes, or a table that undoes the changes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use enginewire_files::containers::ContainerKind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::changes::to_change::{ChangedValues, FileToChange};
use crate::exit_status::{refuse_if, usage, Refusal, Status};
use crate::files::atomic_write::{is_standard, same_file};
use crate::files::destination::unwritable;
use crate::files::temporary::{read_from, restrict};
use crate::input::models;
use crate::output::name::{shown, Name};

/// The usual end of the name of a backup.
const BACKUP: &str = ".bak";

/// The options of what is kept.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Keep {
    /// Write a table that undoes the changes
    #[arg(long, value_name = "FILE")]
    pub undo: Option<PathBuf>,

    /// With -i: keep the old file as FILE.bak
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, default_missing_value = BACKUP, require_equals = true)]
    pub backup: Option<String>,

    /// The open table.
    #[arg(skip)]
    table: Arc<Mutex<Option<File>>>,
}

/// A value as it was before a change: a line of the table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// Empty for a file that is a single value.
    pub address: String,
    /// Its bytes as base64; `None` if it was added or could not be read.
    pub bytes: Option<String>,
    /// Its text as base64, if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// The line after those of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The name of the file, for people.
    pub undo: String,
    /// The entry of a pack that was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The number of lines before this one.
    pub values: usize,
    /// The digest of the whole file after the change.
    pub sha256: String,
}

/// What was kept of a file before it changes.
#[derive(Debug)]
pub struct Kept {
    /// The length of the table before its lines.
    length: u64,
    /// The number of values that change.
    values: usize,
    backup: Option<PathBuf>,
}

impl Keep {
    /// Returns true if any option is given.
    pub fn is_given(&self) -> bool {
        self.undo.is_some() || self.backup.is_some()
    }

    /// Refuses options that make no sense for what is written.
    pub fn check(&self, in_place: bool, out: &Path) -> Result<(), Refusal> {
        refuse_if(self.backup.is_some() && !in_place, "--backup needs -i; -o leaves the file unchanged")?;
        if self.backup.as_ref().is_some_and(|suffix| suffix.is_empty() || suffix.contains(['/', '\\'])) {
            return Err(usage("--backup needs the end of a name, such as --backup=.bak"));
        }
        match &self.undo {
            Some(undo) if is_standard(undo) || is_standard(out) => Err(usage("--undo and the changed file need names")),
            _ => Ok(()),
        }
    }

    /// Begins with a file.
    pub fn begin(&self) -> Kept {
        let length = self.table().as_mut().and_then(|table| table.stream_position().ok()).unwrap_or_default();
        Kept { length, values: 0, backup: None }
    }

    /// Keeps what the options ask for, before a file changes.
    pub fn before(
        &self,
        (file, out): (&Path, &Path),
        opened: &FileToChange,
        made: &ChangedValues,
        kept: &mut Kept,
    ) -> Result<(), Refusal> {
        if made.is_empty() {
            return Ok(());
        }
        let rows = if self.undo.is_some() { opened.before(made)? } else { Vec::new() };
        if let (Some(path), false) = (&self.undo, rows.is_empty()) {
            let failed = |error: io::Error| unwritable(path, &error);
            let mut open = self.table();
            let table = match &mut *open {
                Some(table) => table,
                none => none.insert(OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?),
            };
            refuse_if(same_file(path, out), "--undo names the file that is written; choose another file")?;
            // as private as every file whose values it has
            file.metadata().iter().for_each(read_from);
            restrict(table).map_err(failed)?;
            for row in &rows {
                serde_json::to_writer(&mut *table, row).map_err(|error| failed(error.into()))?;
                table.write_all(b"\n").map_err(failed)?;
            }
            table.sync_all().map_err(failed)?;
            kept.values = rows.len();
        }
        if let Some(suffix) = &self.backup {
            kept.backup = Some(backed_up(file, suffix, opened)?);
        }
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, Option<File>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the lines of a file that was written. If it was not, removes them and the backup.
    pub fn after(
        &self,
        (file, out, entry): (&Path, &Path, Option<&str>),
        Kept { length, values, backup }: Kept,
        written: Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if let (Err(_), Some(backup)) = (&written, &backup) {
            // the file is as it was
            let _ = fs::remove_file(backup);
        }
        let mut open = self.table();
        let Some((path, table)) = self.undo.as_deref().zip(open.as_mut()) else { return written };
        let failed = |error: io::Error| unwritable(path, &error);
        if let Err(refusal) = written {
            let cut = table.set_len(length).and_then(|()| table.seek(SeekFrom::Start(length)));
            if length == 0 || cut.is_err() {
                *open = None;
                // a table without its end is refused
                let _ = fs::remove_file(path);
            }
            return Err(refusal);
        }
        if values > 0 {
            let sha256 = digest(out).map_err(|error| models::unreadable(out, &error))?;
            let end = End { undo: shown(file).to_string(), entry: entry.map(str::to_owned), values, sha256 };
            serde_json::to_writer(&mut *table, &end).map_err(|error| failed(error.into()))?;
            table.write_all(b"\n").and_then(|()| table.sync_all()).map_err(failed)?;
        }
        Ok(())
    }
}

/// Copies a file to the first free name with this end: `place.rbxl.bak`, `place.rbxl.bak2`, …
fn backed_up(file: &Path, suffix: &str, opened: &FileToChange) -> Result<PathBuf, Refusal> {
    for number in 1u32.. {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        if number > 1 {
            name.push(number.to_string());
        }
        let path = PathBuf::from(name);
        let mut copy = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            copy => copy.map_err(|error| unwritable(&path, &error))?,
        };
        let private = file.metadata().and_then(|file| copy.set_permissions(file.permissions()));
        let copied = private.map_err(|error| unwritable(&path, &error)).and_then(|()| match opened.container() {
            // what is in its log, too
            Some((ContainerKind::Save, save)) => {
                save.rewrite(&[], &mut copy).map_err(|error| Status::Io.because(error.to_string()))
            }
            _ => {
                let copied = File::open(file).and_then(|mut file| io::copy(&mut file, &mut copy));
                copied.map(drop).map_err(|error| unwritable(&path, &error))
            }
        });
        let copied = copied.and_then(|()| copy.sync_all().map_err(|error| unwritable(&path, &error)));
        if copied.is_err() {
            // an incomplete copy is not a backup
            let _ = fs::remove_file(&path);
        }
        return copied.map(|()| path);
    }
    Err(Status::Io.because("no name for a backup is free"))
}

/// Returns true for a copy that --backup made of a file beside it, with the end that it usually has.
pub fn is_backup(file: &Path) -> bool {
    let name = file.to_string_lossy();
    let kept = name.trim_end_matches(|char: char| char.is_ascii_digit()).strip_suffix(BACKUP);
    kept.is_some_and(|kept| Path::new(kept).is_file())
}

/// The SHA-256 of a file, in hexadecimal digits.
fn digest(file: &Path) -> io::Result<String> {
    let (mut file, mut digest, mut piece) = (File::open(file)?, Sha256::new(), Vec::new());
    loop {
        piece.clear();
        if Read::by_ref(&mut file).take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(data_encoding::HEXLOWER.encode(&digest.finalize()));
        }
        digest.update(&piece);
    }
}

/// The number of bytes read at a time.
const PIECE: u64 = 64 << 10;

/// The values of a file as they were.
#[derive(Debug)]
pub struct Undo {
    pub rows: Vec<Before>,
    pub end: End,
}

impl Undo {
    /// Returns true if the values may be those of this file, by its name.
    pub fn may_be_of(&self, file: &Path) -> bool {
        Path::new(&self.end.undo).file_name() == Path::new(&shown(file).to_string()).file_name()
    }
}

/// The tables of files that a file has; `None` if it is another file.
///
/// # Errors
///
/// If the table is not complete.
pub fn tables(bytes: &[u8], from: &Path) -> Result<Option<Vec<Undo>>, Refusal> {
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for (line, number) in lines.zip(1usize..) {
        // a list could be read as the members of either, in their order
        let object = Some(line).filter(|line| line.trim_ascii_start().starts_with(b"{"));
        if let Some(Ok(row)) = object.map(serde_json::from_slice) {
            rows.push(row);
            continue;
        }
        match object.map(serde_json::from_slice::<End>) {
            Some(Ok(end)) if end.values == rows.len() => all.push(Undo { rows: std::mem::take(&mut rows), end }),
            _ if number == 1 => return Ok(None),
            _ => {
                let reason = "expected a line of the table that --undo wrote; it is not complete";
                return Err(Status::Malformed.because(reason).at(format!("{}: line {number}", Name::new(from))));
            }
        }
    }
    match (rows.is_empty(), all.is_empty()) {
        (false, _) => {
            let reason = "the table of --undo has no end: the change was not finished";
            Err(Status::Malformed.because(reason).at(Name::new(from)))
        }
        (true, true) => Ok(None),
        (true, false) => Ok(Some(all)),
    }
}

/// The table that fits a file: that of the last change that was made in it.
///
/// # Errors
///
/// If the file is not as any of them says.
pub fn fitting(all: Vec<Undo>, file: &Path, entry: Option<&str>) -> Result<Undo, Refusal> {
    refuse_if(is_standard(file), "name the file whose changes are taken back: it is read more than once")?;
    let digest = digest(file).map_err(|error| models::unreadable(file, &error))?;
    let found = all.into_iter().rev().find(|undo| undo.end.sha256 == digest);
    let found = found.ok_or_else(|| {
        let reason = "the file is not as it was after the changes that the table takes back: it has changed since, or is another";
        usage(reason).at(shown(file))
    })?;
    match &found.end.entry {
        Some(other) if entry != Some(other) => {
            Err(usage(format!("the changes were made in {other}; pass --entry {other}")))
        }
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list has no names, and a value in plain JSON may be one.
    #[test]
    fn lists_are_no_lines_of_a_table() {
        for line in [r#"["8299857","58714327"]"#, r#"["file",0,"",null]"#, r#" ["a",null]"#] {
            assert!(tables(line.as_bytes(), Path::new("-")).is_ok_and(|found| found.is_none()), "{line}");
        }
    }
}

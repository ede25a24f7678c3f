//! The state file of `--resume`: which files are done, so that a command that was stopped can go on.
//!
//! | record | text before a byte 0 |
//! |---|---|
//! | header | `enginewire get 1 ROWS`: the form of the rows, and the options that choose them |
//! | file | `STATUS LENGTH PATH`: its exit status, and the length of the file of rows after its last row |
//!
//! A record is added after the rows of its file are written. A record without its byte 0 was cut off, and does not count.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use bstr::ByteSlice;
use thiserror::Error;

use crate::exit_status::Status;
use crate::output::escape::escaped_bytes;

/// The first record begins so.
const HEADER: &str = "enginewire get 1 ";

/// A state file that is written to.
#[derive(Debug)]
pub struct State {
    file: File,
    /// The paths of the files that are done.
    pub done: HashSet<Vec<u8>>,
    /// The paths of the files that have errors.
    pub failed: Vec<Vec<u8>>,
    /// The highest status of a file.
    pub highest: Status,
    /// The length of the file of rows after the last file that is done.
    pub length: u64,
}

/// Why the command cannot go on.
#[derive(Debug, Error)]
pub enum StateError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is not a state file; --resume takes a new file, or one that an earlier --resume wrote")]
    NotAState,
    #[error("its rows were {found}; repeat the options of that command, or name a new file to begin again")]
    OtherForm { found: String },
    #[error("another command is using it; give each a state file of its own")]
    Busy,
}

impl State {
    /// Opens a state file, or begins one for these rows.
    pub fn open(path: &Path, rows: &str) -> Result<Self, StateError> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StateError::Busy),
            // some file systems have no locks
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let header = format!("{HEADER}{rows}");
        let whole = bytes.rfind_byte(0).map_or(0, |last| last.saturating_add(1));
        // a path has no byte 0
        let records = bytes.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == 0);
        let mut records = records.filter_map(|record| record.strip_suffix(b"\0"));
        let (done, failed) = (HashSet::new(), Vec::new());
        let mut state = State { file, done, failed, highest: Status::Fine, length: 0 };
        match records.next() {
            // a header that was cut off, if anything
            None if header.as_bytes().starts_with(&bytes) => {
                state.file.set_len(0)?;
                state.file.write_all(format!("{header}\0").as_bytes())?;
                return Ok(state);
            }
            Some(first) if first == header.as_bytes() => {}
            first => {
                let found = first.and_then(|first| first.strip_prefix(HEADER.as_bytes()));
                let other = |found: &[u8]| StateError::OtherForm { found: escaped_bytes(found) };
                return Err(found.map_or(StateError::NotAState, other));
            }
        }
        for record in records {
            let mut fields = record.splitn(3, |byte| *byte == b' ');
            let [status, length, path] = [fields.next(), fields.next(), fields.next()].map(Option::unwrap_or_default);
            let (Some(status), Some(length)) = (status_of(status), number(length)) else {
                return Err(StateError::NotAState);
            };
            state.length = length;
            state.note(status, path);
        }
        state.file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))?;
        Ok(state)
    }

    /// Adds a file whose rows are written.
    pub fn add(&mut self, path: &Path, status: Status, length: u64) -> io::Result<()> {
        let path = path.as_os_str().as_encoded_bytes();
        let record = [format!("{} {length} ", status.code()).as_bytes(), path, b"\0"].concat();
        self.file.write_all(&record)
    }

    fn note(&mut self, status: Status, path: &[u8]) {
        self.highest = self.highest.max(status);
        if status > Status::Fine {
            self.failed.push(path.to_owned());
        }
        self.done.insert(path.to_owned());
    }
}

fn number(text: &[u8]) -> Option<u64> {
    text.to_str().ok()?.parse().ok()
}

/// The status of this number, of those that a file can have.
fn status_of(text: &[u8]) -> Option<Status> {
    let statuses = [Status::Fine, Status::Io, Status::Malformed, Status::Truncated];
    let code = number(text)?;
    statuses.into_iter().find(|status| u64::from(status.code()) == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::fs;

    #[test]
    fn a_state_that_is_cut_anywhere_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let mut state = State::open(&path, "json").unwrap();
        state.add(Path::new("a b\nc"), Status::Fine, 100).unwrap();
        state.add(Path::new("d"), Status::Malformed, 120).unwrap();
        assert!(matches!(State::open(&path, "json"), Err(StateError::Busy)));
        drop(state);
        let whole = fs::read(&path).unwrap();
        assert_eq!(whole.as_bstr(), "enginewire get 1 json\x000 100 a b\nc\x004 120 d\x00");
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let state = State::open(&path, "json").unwrap();
            let (one, two) = (cut >= 34, cut >= 42);
            assert_eq!((state.done.contains(&b"a b\nc"[..]), state.done.contains(&b"d"[..])), (one, two), "{cut}");
            let expected = if two { (120, Status::Malformed) } else { (if one { 100 } else { 0 }, Status::Fine) };
            assert_eq!((state.length, state.highest), expected, "{cut}");
            assert_eq!(state.failed.len(), usize::from(two));
            drop(state);
            // nothing is left of a record that was cut
            let rest = fs::read(&path).unwrap();
            assert!(whole.starts_with(&rest) && rest.ends_with(b"\0"), "{cut}");
        }
    }

    #[test]
    fn other_files_are_refused_and_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        for other in ["<roblox!\0\0", "text", "enginewire get 2 json\0", "enginewire get 1 json\0x 1 a\0"] {
            fs::write(&path, other).unwrap();
            let error = State::open(&path, "json").unwrap_err();
            assert!(matches!(error, StateError::NotAState), "{other:?}: {error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
        fs::write(&path, "enginewire get 1 csv\0").unwrap();
        let error = State::open(&path, "json").unwrap_err();
        assert!(
            matches!(error, StateError::OtherForm { .. }) && error.to_string().contains("rows were csv"),
            "{error}"
        );
    }
}

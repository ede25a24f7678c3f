//! Why a save or a row cannot be read or written.

use std::io;

use rusqlite::types::Type;
use thiserror::Error;

use super::super::packed::UnpackError;
use enginewire::budget::OverBudget;
use enginewire::error::{DecodeError, EncodeError};

/// Why a save cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Database(DatabaseError),
    /// Another program writes to the save, or keeps others from reading it.
    #[error("another program, perhaps the game, is using the save; close it and try again")]
    Locked,
    /// A statement took more steps than a file of this size can need.
    #[error("the database needs more than the limit of {limit} steps for one statement")]
    TooManySteps {
        /// The limit on steps.
        limit: u64,
    },
    /// Reading or writing the save takes too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// A table of the save lacks a column that its rows are read by.
    #[error("save version {version} cannot be read: its table {table} has no column {column}")]
    NoColumn {
        /// The version that the save says it has.
        version: u32,
        /// The name of the table.
        table: &'static str,
        /// The name of the column.
        column: &'static str,
    },
    /// The file is a database, but no save.
    #[error("not a Scrap Mechanic save: the table Game with a version is missing")]
    NoSave,
    /// Something other than an ordinary table has the name of one of the tables of a save.
    #[error("not a Scrap Mechanic save: {table} {reason}")]
    NotATable {
        /// Its name.
        table: &'static str,
        /// The reason, such as `is not a table`.
        reason: &'static str,
    },
    /// A journal beside the save names other files, which rolling it back would remove.
    #[error("the journal beside the save belongs to several databases at once; saves have no such journals")]
    ForeignJournal,
    /// The object cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A row cannot be read from the database, or is larger than the limit of memory.
    #[error("{table}[{rowid}]: {error}")]
    Unreadable {
        /// The table that contains it.
        table: &'static str,
        /// Its number in the table.
        rowid: i64,
        /// Why.
        error: Box<SaveError>,
    },
    /// The row that is to be written does not have the layout of its table.
    #[error(transparent)]
    Row(#[from] DecodeError),
    /// A row cannot be added: the save has no place for it, or not all of it is known.
    #[error("{0}")]
    NotAdded(String),
    /// The row that is to be written has changed since it was read.
    #[error("the row has changed since it was read")]
    Changed,
    /// The database is damaged, or a statement had another effect than it should have. Nothing was written.
    #[error("the database is damaged: {0}")]
    Damaged(String),
}

impl SaveError {
    /// Returns true if the file is malformed; otherwise the system or another program is the reason.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        use rusqlite::ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown};
        let blamed = [ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown];
        match self {
            SaveError::Io(_) | SaveError::Locked => false,
            SaveError::Database(error) => error.0.sqlite_error_code().is_none_or(|code| blamed.contains(&code)),
            _ => true,
        }
    }
}

/// An error of SQLite about a database.
#[derive(Debug, Error)]
#[error("{}", reason(.0))]
pub struct DatabaseError(#[source] pub(super) rusqlite::Error);

/// The meaning of an SQLite error for a save.
fn reason(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode;
    if let rusqlite::Error::InvalidColumnType(_, column, found) = error {
        let found = match found {
            Type::Null => "nothing",
            Type::Integer => "an integer",
            Type::Real => "a number",
            Type::Text => "text",
            Type::Blob => "bytes",
        };
        return format!("the column {column} holds {found}, which is not what it holds in a save");
    }
    let text = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "the file is not a database",
        Some(ErrorCode::DatabaseCorrupt) => "the database is damaged",
        Some(ErrorCode::CannotOpen) => "the database cannot be opened",
        Some(ErrorCode::PermissionDenied) => "the database may not be opened",
        Some(ErrorCode::ReadOnly) => "the database is read-only",
        Some(ErrorCode::DiskFull) => "the disk is full",
        Some(ErrorCode::SystemIoFailure) => "the system cannot read or write the database",
        Some(ErrorCode::OutOfMemory) => "out of memory",
        Some(ErrorCode::TooBig) => "a row is larger than SQLite can hold",
        Some(ErrorCode::ConstraintViolation) => "a value breaks a rule of its table",
        Some(_) => "the tables of the database are not those of a save",
        None => "a row of the database is not laid out as in a save",
    };
    text.to_owned()
}

/// Why the object of a row cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowError {
    /// The column `data` is not laid out as it should be. Offsets count from its start.
    #[error("{0} of the row")]
    Row(DecodeError),
    /// The block cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The row, its unpacked bytes or the object take too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// The object. Offsets count from the start of what was unpacked.
    #[error("{0} of the object")]
    Object(DecodeError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn the_file_is_to_blame_or_not() {
        let database =
            |code| SaveError::Database(DatabaseError(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)));
        for code in
            [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB, ffi::SQLITE_CONSTRAINT, ffi::SQLITE_TOOBIG, ffi::SQLITE_ERROR]
        {
            assert!(database(code).is_malformed(), "{code}");
        }
        for code in [ffi::SQLITE_READONLY, ffi::SQLITE_CANTOPEN, ffi::SQLITE_IOERR, ffi::SQLITE_FULL, ffi::SQLITE_NOMEM]
        {
            assert!(!database(code).is_malformed(), "{code}");
        }
        // no code of SQLite: the row is not what it should be
        assert!(SaveError::Database(DatabaseError(rusqlite::Error::QueryReturnedNoRows)).is_malformed());
        assert!(!SaveError::Io(io::Error::other("full")).is_malformed());
        assert!(!SaveError::Locked.is_malformed());
        let no_column = SaveError::NoColumn { version: 29, table: "ScriptData", column: "data" };
        assert!(SaveError::NoSave.is_malformed() && no_column.is_malformed());
    }
}

//! The database of a save, opened so that a file from a stranger does no harm.
//!
//! Nothing in the schema runs: no trigger, view, foreign key or virtual table. Every statement has a budget of steps.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::error::{DatabaseError, SaveError};
use enginewire::budget;

/// The time to wait for another program that is writing.
const PATIENCE: Duration = Duration::from_millis(500);

/// The number of steps of SQLite's virtual machine that a statement may take for a file of any size.
const STEPS: u64 = 1_000_000;

/// The number of further steps for each byte of the file.
const STEPS_PER_BYTE: u64 = 16;

/// Steps are counted in units of this many.
const TICK: i32 = 100;

/// The number of attempts to copy a save while another program writes to it.
const ATTEMPTS: u32 = 3;

/// The limits of SQLite that do not depend on the limit of memory. A save of the game has about 30 objects in its schema,
/// of a few hundred bytes each.
const LIMITS: [(Limit, i32); 12] = [
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 16 << 10),
    (Limit::SQLITE_LIMIT_SCHEMA, 1000),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 50),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
    (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 16),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// The settings that limit what the schema of an untrusted file may do.
const CONFIGURATION: [(DbConfig, bool); 9] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    // an update could cascade to other rows
    (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
    (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
];

/// A connection to a save.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    /// The number of ticks left for the current statement.
    ticks: Arc<AtomicU64>,
    /// The number of steps that a statement may take.
    steps: u64,
    /// A file that is read without a lock, as it was when it was opened.
    watched: Option<(Files, [Stamp; 3])>,
    /// Removed after the connection is closed.
    _copy: Option<TempDir>,
}

impl Database {
    /// Opens a database to be read. Nothing is written to the file or beside it.
    ///
    /// - A rollback journal database is read under SQLite's shared lock.
    /// - One with a write-ahead log, or with a journal that has to be rolled back, is copied to a temporary folder.
    /// - One in WAL mode without a log is opened as immutable, because SQLite would make a log. Nobody has it open.
    pub(super) fn open(path: &Path) -> Result<Self, SaveError> {
        let files = Files::of(path)?;
        let stamps = files.stamps()?;
        let [_, log, _] = stamps;
        if log.is_some_and(|(size, _)| size > 0) {
            return Self::open_copy(&files);
        }
        if log.is_some() || is_wal(&files.main)? {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let database = Self::connect(&immutable(&files.main)?, flags, files.size()?, None)?;
            return Ok(Database { watched: Some((files, stamps)), ..database });
        }
        match Self::connect(&files.main, OpenFlags::SQLITE_OPEN_READ_ONLY, files.size()?, None) {
            // there is a journal to be rolled back, or no way to lock
            Err(SaveError::Database(error))
                if matches!(
                    error.0.sqlite_error_code(),
                    Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure)
                ) =>
            {
                Self::open_copy(&files)
            }
            opened => opened,
        }
    }

    /// Opens a database to be read and written.
    pub(super) fn open_to_write(path: &Path) -> Result<Self, SaveError> {
        let files = Files::of(path)?;
        files.refuse_foreign_journal()?;
        Self::connect(&files.main, OpenFlags::SQLITE_OPEN_READ_WRITE, files.size()?, None)
    }

    /// Opens a private copy of the file, its journal and its log.
    fn open_copy(files: &Files) -> Result<Self, SaveError> {
        files.refuse_foreign_journal()?;
        for _ in 0..ATTEMPTS {
            let before = files.stamps()?;
            let folder = tempfile::Builder::new().prefix("enginewire-").tempdir()?;
            let copy = Files::at(folder.path().join("save.db"));
            for (from, to) in files.all().into_iter().zip(copy.all()) {
                if let Some(mut from) = if_there(File::open(from))? {
                    io::copy(&mut from, &mut OpenOptions::new().write(true).create_new(true).open(to)?)?;
                }
            }
            if files.stamps()? == before {
                let size = copy.size()?.saturating_add(copy.stamps()?.iter().flatten().map(|(size, _)| size).sum());
                let database = Self::connect(&copy.main, OpenFlags::SQLITE_OPEN_READ_WRITE, size, Some(folder))?;
                database.ask(|connection| connection.execute_batch("PRAGMA query_only = ON"))?;
                return Ok(database);
            }
        }
        Err(SaveError::Locked)
    }

    fn connect(path: &Path, flags: OpenFlags, size: u64, copy: Option<TempDir>) -> Result<Self, SaveError> {
        let steps = size.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS);
        let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|error| failure(error, steps))?;
        let ticks = Arc::new(AtomicU64::new(0));
        let left = Arc::clone(&ticks);
        let spent =
            move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        connection.progress_handler(TICK, Some(spent)).map_err(|error| failure(error, steps))?;
        let database = Database { connection, ticks, steps, watched: None, _copy: copy };
        database.limit_length(budget::DEFAULT);
        database.ask(|connection| {
            connection.busy_timeout(PATIENCE)?;
            for (limit, value) in LIMITS {
                connection.set_limit(limit, value)?;
            }
            for (option, value) in CONFIGURATION {
                connection.set_db_config(option, value)?;
            }
            connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -2048")
        })?;
        // a lock, a log or a journal is in the way now or never
        database.ask(|connection| connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())))?;
        Ok(database)
    }

    /// SQLite reads and writes no larger value.
    pub(super) fn limit_length(&self, bytes: usize) {
        // the schema is made of values too
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX).max(64 << 10);
        // fails for negative numbers only
        let _ = self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes);
    }

    /// Does `work`, one statement, with a full budget of steps.
    pub(super) fn ask<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, SaveError> {
        self.refill();
        work(&self.connection).map_err(|error| self.failure(error))
    }

    /// Gives the next statement a full budget of steps.
    pub(super) fn refill(&self) {
        let ticks = self.steps.checked_div(u64::from(TICK.unsigned_abs())).unwrap_or_default();
        self.ticks.store(ticks, Ordering::Relaxed);
    }

    pub(super) fn failure(&self, error: rusqlite::Error) -> SaveError {
        failure(error, self.steps)
    }

    /// Fails if a file that is read without a lock has changed.
    pub(super) fn still_same(&self) -> Result<(), SaveError> {
        match &self.watched {
            Some((files, stamps)) if files.stamps()? != *stamps => Err(SaveError::Locked),
            _ => Ok(()),
        }
    }

    /// Copies all that is committed into an empty file. It is never created here: who removes it while the copy is made, such as
    /// after a signal, would find it again.
    pub(super) fn copy_to(&self, path: &Path) -> Result<(), SaveError> {
        if OpenOptions::new().write(true).open(path)?.metadata()?.len() > 0 {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
        }
        let path = std::path::absolute(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut copy = Connection::open_with_flags(path, flags).map_err(|error| self.failure(error))?;
        let backup = Backup::new(&self.connection, &mut copy).map_err(|error| self.failure(error))?;
        loop {
            self.refill();
            match backup.step(1024).map_err(|error| self.failure(error))? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => return Err(SaveError::Locked),
            }
        }
        drop(backup);
        copy.close().map_err(|(_, error)| self.failure(error))?;
        self.still_same()
    }

    /// Writes the file as it is, unless a log or journal beside it has more. Returns whether it was written.
    pub(super) fn write_to(&self, to: &mut dyn Write) -> Result<bool, SaveError> {
        let Some(path) = self.connection.path().filter(|path| !path.is_empty()) else { return Ok(false) };
        let files = Files::at(path.into());
        let [_, log, journal] = files.stamps()?;
        if [log, journal].iter().flatten().any(|(size, _)| *size > 0) {
            return Ok(false);
        }
        io::copy(&mut File::open(&files.main)?, to)?;
        self.still_same().map(|()| true)
    }

    /// Closes the database, with all of it in its own file.
    pub(super) fn close(self) -> Result<(), SaveError> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy: bool = self.ask(|connection| connection.query_row(checkpoint, [], |row| row.get(0)))?;
        if is_busy {
            return Err(SaveError::Locked);
        }
        let steps = self.steps;
        self.connection.close().map_err(|(_, error)| failure(error, steps))
    }
}

fn failure(error: rusqlite::Error, steps: u64) -> SaveError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SaveError::Locked,
        Some(ErrorCode::OperationInterrupted) => SaveError::TooManySteps { limit: steps },
        _ => SaveError::Database(DatabaseError(error)),
    }
}

/// The state of a file, to notice changes: its size and time, if it exists.
type Stamp = Option<(u64, SystemTime)>;

/// The files of a database. The paths are absolute: SQLite takes `:memory:` and `file:save.db` for something else.
#[derive(Clone, Debug)]
struct Files {
    main: PathBuf,
    log: PathBuf,
    journal: PathBuf,
}

impl Files {
    /// The files of an existing database. SQLite, too, expects the others next to the target of a link.
    fn of(path: &Path) -> Result<Self, SaveError> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
        }
        let main = if cfg!(unix) { fs::canonicalize(path)? } else { std::path::absolute(path)? };
        Ok(Self::at(main))
    }

    fn at(main: PathBuf) -> Self {
        let beside = |ending: &str| {
            let mut name = OsString::from(&main);
            name.push(ending);
            PathBuf::from(name)
        };
        Files { log: beside("-wal"), journal: beside("-journal"), main }
    }

    fn all(&self) -> [&Path; 3] {
        [&self.main, &self.log, &self.journal]
    }

    fn stamps(&self) -> io::Result<[Stamp; 3]> {
        let stamp = |path: &Path| -> io::Result<Stamp> {
            let Some(file) = if_there(fs::metadata(path))? else { return Ok(None) };
            Ok(Some((file.len(), file.modified()?)))
        };
        Ok([stamp(&self.main)?, stamp(&self.log)?, stamp(&self.journal)?])
    }

    fn size(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.main)?.len())
    }

    /// A journal may name a file for SQLite to remove when it is rolled back. Saves have no such journals.
    fn refuse_foreign_journal(&self) -> Result<(), SaveError> {
        const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        let Some(mut journal) = if_there(File::open(&self.journal))? else { return Ok(()) };
        if journal.metadata()?.len() < 8 {
            return Ok(());
        }
        let mut end = [0; 8];
        journal.seek(SeekFrom::End(-8))?;
        journal.read_exact(&mut end)?;
        if end == MAGIC {
            return Err(SaveError::ForeignJournal);
        }
        Ok(())
    }
}

/// The result for a file, or `None` if there is no such file.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// True if the header says that there is a write-ahead log.
fn is_wal(path: &Path) -> io::Result<bool> {
    let mut header = Vec::new();
    File::open(path)?.take(20).read_to_end(&mut header)?;
    Ok(header.get(18..20).is_some_and(|versions| versions.contains(&2)))
}

/// The URI for SQLite to open a file that does not change.
fn immutable(path: &Path) -> io::Result<PathBuf> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    let bytes = {
        let path = path.to_str().ok_or(io::ErrorKind::InvalidFilename)?.replace('\\', "/");
        // a drive gets a slash before it, and a share has two
        if path.starts_with("//") { path } else { format!("/{path}") }.into_bytes()
    };
    let mut uri = String::from("file://");
    for byte in bytes {
        match byte {
            b'/' | b':' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Ok(uri.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn database(folder: &Path) -> Database {
        let path = folder.join("a.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE a (x)").unwrap();
        Database::open(&path).unwrap()
    }

    #[test]
    fn a_statement_takes_no_more_than_its_steps() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path());
        let size = fs::metadata(folder.path().join("a.db")).unwrap().len();
        assert_eq!(database.steps, 1_000_000 + 16 * size);
        let count = |rows: u64| {
            let endless =
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ?1) SELECT count(*) FROM c";
            database.ask(|connection| {
                connection.query_row(endless, [i64::try_from(rows).unwrap()], |row| row.get::<_, i64>(0))
            })
        };
        // a row takes about ten steps, and every statement has all of them
        for _ in 0..3 {
            assert_eq!(count(database.steps / 20).unwrap(), i64::try_from(database.steps / 20).unwrap());
            let error = count(database.steps).unwrap_err();
            assert!(matches!(error, SaveError::TooManySteps { limit } if limit == database.steps), "{error}");
            let text = format!("the database needs more than the limit of {} steps for one statement", database.steps);
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn nothing_is_left_to_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path());
        let connection = &database.connection;
        for (option, value) in CONFIGURATION {
            assert_eq!(connection.db_config(option), Ok(value), "{option:?}");
        }
        for (limit, value) in LIMITS {
            assert_eq!(connection.limit(limit), Ok(value), "{limit:?}");
        }
        let pragma =
            |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((pragma("cell_size_check"), pragma("cache_size"), pragma("mmap_size")), (1, -2048, 0));
        assert_eq!(connection.limit(Limit::SQLITE_LIMIT_LENGTH), Ok(256 << 20));
        for (bytes, limit) in [(0, 64 << 10), (64 << 10, 64 << 10), (100_000, 100_000), (usize::MAX, 1_000_000_000)] {
            database.limit_length(bytes);
            assert_eq!(connection.limit(Limit::SQLITE_LIMIT_LENGTH), Ok(limit));
        }
    }

    #[test]
    fn rows_of_more_than_the_default_may_be_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.db");
        let schema = "CREATE TABLE Game (savegameversion integer); INSERT INTO Game VALUES (28)";
        Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        let save = super::super::Save::open(&path).unwrap().max_memory(300 << 20);
        assert_eq!(save.database.connection.limit(Limit::SQLITE_LIMIT_LENGTH), Ok(300 << 20));
    }

    #[test]
    fn the_path_in_the_uri_is_no_part_of_it() {
        if cfg!(unix) {
            let uri = immutable(Path::new("/a b/%?#&é/c-d_e.DB9")).unwrap();
            assert_eq!(uri, Path::new("file:///a%20b/%25%3F%23%26%C3%A9/c-d_e.DB9?immutable=1"));
        } else {
            for (path, uri) in [(r"C:\a b\c.db", "file:///C:/a%20b/c.db"), (r"\\a\b\c.db", "file:////a/b/c.db")] {
                assert_eq!(immutable(Path::new(path)).unwrap(), Path::new(&format!("{uri}?immutable=1")));
            }
        }
    }

    /// A journal ends with these 8 bytes if it names another file.
    #[test]
    fn a_journal_may_have_any_length() {
        let folder = tempfile::tempdir().unwrap();
        drop(database(folder.path()));
        let path = folder.path().join("a.db");
        let name = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        for (journal, is_foreign) in [
            (&b""[..], false),
            (&name[1..], false),
            (&name, true),
            (&[&[0; 100][..], &name].concat(), true),
            (&[&[0; 100][..], &name, &[0]].concat(), false),
        ] {
            fs::write(folder.path().join("a.db-journal"), journal).unwrap();
            let refused = matches!(Database::open_to_write(&path), Err(SaveError::ForeignJournal));
            assert_eq!(refused, is_foreign, "{journal:?}");
        }
        // a file that is not a database is not copied to be rolled back, even with a journal beside it
        fs::write(&path, "this is a text, and rather longer than the head of a database would have to be").unwrap();
        fs::write(folder.path().join("a.db-journal"), [&[0; 100][..], &name].concat()).unwrap();
        let error = Database::open(&path).unwrap_err();
        assert_eq!(error.to_string(), "the file is not a database");
    }

    /// A log or journal that is there and cannot be opened may have what the file lacks.
    #[test]
    #[cfg(unix)]
    fn what_is_beside_the_file_is_not_passed_over() {
        for ending in ["-wal", "-journal"] {
            let folder = tempfile::tempdir().unwrap();
            drop(database(folder.path()));
            let path = folder.path().join("a.db");
            // a link that leads to itself
            let link = folder.path().join(format!("a.db{ending}"));
            std::os::unix::fs::symlink(&link, &link).unwrap();
            assert!(matches!(Database::open(&path), Err(SaveError::Io(_))), "{ending}");
            if ending == "-journal" {
                assert!(matches!(Database::open_to_write(&path), Err(SaveError::Io(_))));
            }
        }
    }

    /// It is copied in pieces of 1024 pages.
    #[test]
    fn a_large_database_is_copied_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let large = "PRAGMA page_size = 512; CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(1000000))";
        Connection::open(&path).unwrap().execute_batch(large).unwrap();
        let copy = folder.path().join("b.db");
        fs::write(&copy, "").unwrap();
        Database::open(&path).unwrap().copy_to(&copy).unwrap();
        assert_eq!(fs::read(copy).unwrap().len(), fs::read(path).unwrap().len());
        let length = "SELECT length(x) FROM a";
        let copied = Connection::open(folder.path().join("b.db")).unwrap();
        assert_eq!(copied.query_row(length, [], |row| row.get(0)), Ok(1_000_000));
    }
}

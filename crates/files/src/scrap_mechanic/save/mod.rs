//! Scrap Mechanic saves: databases of SQLite, in whose rows scripts keep their objects.
//!
//! ```no_run
//! use enginewire_files::scrap_mechanic::save::Save;
//!
//! let save = Save::open("Survival/save.db")?; // nothing is written
//! for row in save.rows()? {
//!     let row = row?;
//!     match row.decode() {
//!         Ok(Some(object)) => println!("{row}: {:?}", object.data),
//!         Ok(None) => println!("{row}: no LuaObject"),
//!         Err(error) => eprintln!("{row}: {error}"),
//!     }
//! }
//! # Ok::<(), enginewire_files::scrap_mechanic::save::SaveError>(())
//! ```
//!
//! | columns of the table | tables that have them in known versions | row |
//! |---|---|---|
//! | `id` | 24, 26: `ScriptData`, `GenericData` | [`Layout::Numbered`] |
//! | `uid` | 26: `ScriptDataUuid` | [`Layout::Reversed`] |
//! | `uid`, `worldId` | 27, 28: `ScriptData`, `GenericData` | [`Layout::Named`] |
//!
//! A save of any version is read by the columns of its tables; [`Save::warnings`] says if the version is not known.
//! `GenericData` mostly holds other things than objects.

mod database;
mod error;
mod row;
mod rows;
mod tables;

pub use super::save_row::{gen_row_data, listed, row_data, Layout, RowData, RowKey};
pub use error::{DatabaseError, RowError, SaveError};
pub use row::Row;

pub use super::save_file::SaveFile;

use std::cell::Cell;
use std::io::Write;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{params, params_from_iter, Connection, OptionalExtension, Transaction, TransactionBehavior};

use self::database::Database;
use self::row::Stored;
use self::rows::{Rows, Snapshot};
use self::tables::{tables, version, warning};
use super::packed::MAX_UNPACKED;
use enginewire::budget;
use enginewire::scrap_mechanic::lua_object::{LuaObject, Options, Uuid};
use enginewire::wire::IntoByteString;

/// A save file.
///
/// Files come from strangers. Only real tables are read: views, virtual tables and tables without row numbers are errors.
/// Triggers, foreign keys and functions of the schema do not run. A statement may take 1,000,000 steps of SQLite's virtual
/// machine and 16 more for each byte of the file; memory is limited by [`max_memory`](Self::max_memory).
#[derive(Debug)]
pub struct Save {
    database: Database,
    version: u32,
    tables: Vec<(&'static str, Layout)>,
    options: Options,
    max_unpacked: usize,
    max_memory: usize,
    /// The number of iterators in use. All read the state of the database that the first of them found.
    readers: Cell<usize>,
}

impl Save {
    /// Opens a save to be read. Nothing is written, not even beside it.
    ///
    /// Committed changes in a write-ahead log are read as well: the save and its log are then copied to a temporary
    /// folder. The path is always that of a file, whatever SQLite would make of it.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or is not a save, or if one of its tables lacks a column that is needed to read its
    /// rows.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        Self::of(Database::open(path.as_ref())?)
    }

    /// Opens a save to be read and written.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_to_write(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        Self::of(Database::open_to_write(path.as_ref())?)
    }

    fn of(database: Database) -> Result<Self, SaveError> {
        let version = version(&database)?;
        let tables = tables(&database, version)?;
        let (max_unpacked, max_memory) = (MAX_UNPACKED, budget::DEFAULT);
        let readers = Cell::new(0);
        Ok(Save { database, version, tables, options: Options::new(), max_unpacked, max_memory, readers })
    }

    /// The same save, its objects decoded as the options say.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Save { options, ..self }
    }

    /// The same save, with another limit for what a row unpacks to; [`MAX_UNPACKED`] unless said otherwise.
    #[must_use]
    pub fn max_unpacked(self, bytes: usize) -> Self {
        Save { max_unpacked: bytes, ..self }
    }

    /// The same save, with another limit of memory for a row; 256 MiB unless said otherwise.
    ///
    /// A row and what it unpacks to stay within it together, whatever [`max_unpacked`](Self::max_unpacked) allows.
    /// [`Row::decode`] counts as much again as the object can take: 32 bytes for each byte that it unpacks to. Rows are
    /// read one by one, so that their number does not matter.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        self.database.limit_length(bytes);
        Save { max_memory: bytes, ..self }
    }

    /// The version of the save.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Faults that do not prevent reading: an unknown version.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        warning(self.version).into_iter().collect()
    }

    /// All rows of scripts, table by table, in the order of storage. A row that cannot be read gives an error in its place.
    ///
    /// All rows show the save at one moment: while the iterator exists, other programs may have to wait before they write.
    ///
    /// # Errors
    ///
    /// If the tables cannot be read at all.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<Row, SaveError>> + '_, SaveError> {
        Rows::of(self)
    }

    /// The row of a table with this number, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn row(&self, table: &str, rowid: i64) -> Result<Option<Row>, SaveError> {
        self.find(table, rowid, false)
    }

    /// The same, to replace its object: also a row whose column `data` is not bytes, which then has none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn row_to_replace(&self, table: &str, rowid: i64) -> Result<Option<Row>, SaveError> {
        self.find(table, rowid, true)
    }

    fn find(&self, table: &str, rowid: i64, any: bool) -> Result<Option<Row>, SaveError> {
        match self.tables.iter().find(|(name, _)| *name == table) {
            Some((table, layout)) => {
                let mut found = Vec::new();
                self.seek(table, rowid, 1, &mut found)?;
                let found = found.into_iter().find(|(found, _)| *found == rowid);
                found.map(|(rowid, size)| self.read(table, *layout, rowid, size, any)).transpose()
            }
            None => Ok(None),
        }
    }

    /// Copies the save into an empty file: all that is committed, and nothing else.
    ///
    /// # Errors
    ///
    /// If the save cannot be read, or the file does not exist, is not empty, or cannot be written. What was written so
    /// far stays.
    pub fn copy_to(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let _snapshot = Snapshot::of(self)?;
        self.database.copy_to(path.as_ref())
    }

    /// Writes the bytes of the file, if they are all that is committed. Returns false if a log or journal beside the file has more.
    pub(in crate::scrap_mechanic) fn write_to(&self, to: &mut dyn Write) -> Result<bool, SaveError> {
        let _snapshot = Snapshot::of(self)?;
        self.database.write_to(to)
    }

    /// Closes the save. What was written is then in the file itself, and no log is left beside it.
    ///
    /// # Errors
    ///
    /// If the write-ahead log cannot be merged into the file. The save then consists of both files.
    pub fn close(self) -> Result<(), SaveError> {
        self.database.close()
    }

    /// The fields before the object of a row, taken from the other columns; `None` if these do not contain them.
    #[must_use]
    pub fn columns(&self, row: &Row) -> Option<RowData<'static>> {
        let columns = match row.layout {
            Layout::Numbered => "id, channel, worldId, flags",
            Layout::Reversed => "uid, key, NULL, NULL",
            Layout::Named => "uid, key, worldId, flags",
        };
        // a row cannot have a longer key
        let fits = if row.layout == Layout::Numbered { "" } else { " AND length(key) < 65536" };
        let read = format!("SELECT {columns} FROM {} WHERE rowid = ?1{fits}", row.table);
        let data = self.database.ask(|connection| {
            connection.prepare_cached(&read)?.query_row([row.rowid], |found| {
                let key = match row.layout {
                    Layout::Numbered => RowKey::Numbers { id: found.get(0)?, channel: found.get(1)? },
                    Layout::Reversed | Layout::Named => {
                        let key: Vec<u8> = found.get(1)?;
                        RowKey::Named { uid: Uuid(found.get(0)?), key: key.into_byte_string() }
                    }
                };
                let block = Vec::new().into_byte_string();
                Ok(RowData { key, world_id: found.get(2)?, flags: found.get(3)?, block })
            })
        });
        data.ok()
    }

    /// A row that the save does not have. [`replace`](Self::replace) adds it with an object.
    ///
    /// # Errors
    ///
    /// If the save lacks the table, the rows of the table have other keys, or a column of it is not known.
    pub fn new_row(&self, table: &str, data: &RowData<'_>) -> Result<Row, SaveError> {
        let not = |reason: String| Err(SaveError::NotAdded(reason));
        let Some(&(table, layout)) = self.tables.iter().find(|(name, _)| *name == table) else {
            return not(format!("the save has no table {table}"));
        };
        let cells = cells(data);
        let is_known = |name: &&String| {
            name.eq_ignore_ascii_case("data") || cells.iter().any(|(known, _)| name.eq_ignore_ascii_case(known))
        };
        let columns = "SELECT name FROM pragma_table_info(?1)";
        let columns: Vec<String> = self
            .database
            .ask(|connection| connection.prepare_cached(columns)?.query_map([table], |row| row.get(0))?.collect())?;
        if let Some(other) = columns.iter().find(|name| !is_known(name)) {
            return not(format!("the column {other} of the new row of {table} is not known"));
        }
        Ok(self.row_of((table, layout), 0, data.encode(layout)?, Stored::Nothing))
    }

    fn row_of(&self, (table, layout): (&'static str, Layout), rowid: i64, data: Vec<u8>, stored: Stored) -> Row {
        let (options, max_unpacked, max_memory) = (self.options, self.max_unpacked, self.max_memory);
        Row { table, rowid, layout, data, stored, options, max_unpacked, max_memory }
    }

    /// Replaces the object of `row`. Everything else in the row and in the database stays as it is. If the fields before
    /// the object cannot be read, they are written as in the other columns.
    ///
    /// The whole file is examined before the change is final. For many rows there is [`change_all`](Self::change_all).
    ///
    /// # Errors
    ///
    /// If the object cannot be encoded, the row cannot be read or has changed since it was read, or the database cannot be
    /// written. Nothing is changed then.
    pub fn replace(&mut self, row: &Row, object: &LuaObject<'_>) -> Result<(), SaveError> {
        self.change_all([(row, Some(object))])
    }

    /// Replaces the objects of several rows, adds new rows, and removes the rows whose object is `None`: all of them or, if there
    /// is an error, none.
    ///
    /// Each change is read back, the number of changed rows is compared, and the structure of the file is examined before
    /// the changes are final.
    ///
    /// # Errors
    ///
    /// As for [`replace`](Self::replace). A row may come only once: the second time it has changed.
    pub fn change_all<'r, 'o: 'r>(
        &mut self,
        changes: impl IntoIterator<Item = (&'r Row, Option<&'r LuaObject<'o>>)>,
    ) -> Result<(), SaveError> {
        let database = &self.database;
        database.refill();
        let failed = |error| database.failure(error);
        // rolled back when it is dropped
        let transaction =
            Transaction::new_unchecked(&database.connection, TransactionBehavior::Immediate).map_err(failed)?;
        let before = transaction.total_changes();
        let mut asked: u64 = 0;
        for (row, object) in changes {
            let data = object.map(|object| row.with(object, || self.columns(row))).transpose()?;
            let Row { table, rowid, .. } = *row;
            let old = (row.stored == Stored::Bytes).then_some(&row.data);
            let same = "WHERE rowid = ?2 AND (data = ?3 OR (?3 IS NULL AND typeof(data) <> 'blob'))";
            // the schema may say that a row in the way is replaced
            let change = match data {
                Some(_) => format!("UPDATE OR ABORT {table} SET data = ?1 {same}"),
                None => format!("DELETE FROM {table} {same}"),
            };
            let change =
                |connection: &Connection| connection.prepare_cached(&change)?.execute(params![data, rowid, old]);
            let rowid = match (row.stored, &data) {
                (Stored::Nothing, Some(data)) => self.insert(row, data)?,
                _ if database.ask(change)? == 1 => rowid,
                _ => return Err(SaveError::Changed),
            };
            let read = format!("SELECT data FROM {table} WHERE rowid = ?1");
            let is_there = database.ask(|connection| {
                let mut read = connection.prepare_cached(&read)?;
                let is_it = |row: &rusqlite::Row<'_>| Ok(row.get_ref(0)?.as_blob().ok() == data.as_deref());
                read.query_row([rowid], is_it).optional()
            })?;
            if !is_there.unwrap_or(data.is_none()) {
                return Err(SaveError::Damaged(format!("{table}[{rowid}] does not read back")));
            }
            asked = asked.saturating_add(1);
        }
        let changed = transaction.total_changes().saturating_sub(before);
        if changed != asked {
            return Err(SaveError::Damaged(format!("{changed} rows changed instead of {asked}")));
        }
        let examine = |connection: &Connection| connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let found: String = database.ask(examine)?;
        if found != "ok" {
            return Err(SaveError::Damaged(found));
        }
        database.refill();
        transaction.commit().map_err(failed)
    }

    /// Adds a new row with this column `data`. Returns its number.
    fn insert(&self, row: &Row, data: &[u8]) -> Result<i64, SaveError> {
        let (names, mut values): (Vec<_>, Vec<_>) = cells(&row.data()?).into_iter().unzip();
        let same = names.iter().zip(["?1", "?2"]).map(|(name, place)| format!("{name} = {place}"));
        let same = format!("SELECT 1 FROM {} WHERE {}", row.table, Vec::from_iter(same).join(" AND "));
        values.push(data.to_vec().into());
        let (names, places) = (names.join(", "), vec!["?"; values.len()].join(", "));
        let insert =
            format!("INSERT OR ABORT INTO {} ({names}, data) SELECT {places} WHERE NOT EXISTS ({same})", row.table);
        match self.database.ask(|connection| connection.prepare_cached(&insert)?.execute(params_from_iter(values)))? {
            0 => Err(SaveError::NotAdded(format!("{} has a row with these keys already", row.table))),
            _ => Ok(self.database.connection.last_insert_rowid()),
        }
    }
}

/// The columns of a row beside `data`, those of the key first.
fn cells(data: &RowData<'_>) -> Vec<(&'static str, Value)> {
    let mut cells: Vec<(_, Value)> = match &data.key {
        RowKey::Numbers { id, channel } => vec![("id", (*id).into()), ("channel", (*channel).into())],
        RowKey::Named { uid, key } => vec![("uid", uid.0.to_vec().into()), ("key", key.to_vec().into())],
    };
    cells.extend(data.world_id.map(|world| ("worldId", world.into())));
    cells.extend(data.flags.map(|flags| ("flags", flags.into())));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A save made of these statements.
    pub(super) fn save(statements: &str) -> Result<Save, SaveError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.db");
        Connection::open(&path).unwrap().execute_batch(statements).unwrap();
        Save::open(&path)
    }

    #[test]
    fn a_save_keeps_its_options() {
        let save = save("CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES (24)").unwrap();
        let options = Options::new().any_padding(true);
        let save = save.options(options).max_unpacked(3).max_memory(5);
        assert_eq!((save.version(), save.options, save.max_unpacked, save.max_memory), (24, options, 3, 5));
    }
}

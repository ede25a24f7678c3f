//! Scrap Mechanic saves: databases of SQLite, in whose rows scripts keep their objects.
//!
//! ```no_run
//! use enginewire::scrap_mechanic::save::Save;
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
//! # Ok::<(), enginewire::scrap_mechanic::save::SaveError>(())
//! ```
//!
//! | save version | tables | row |
//! |---|---|---|
//! | 24, 26 | `ScriptData`, `GenericData` | [`Layout::Numbered`] |
//! | 26 | `ScriptDataUuid` | [`Layout::Reversed`] |
//! | 28 | `ScriptData`, `GenericData` | [`Layout::Named`] |
//!
//! `GenericData` mostly holds other things than objects.

mod database;

#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub use super::container_file::saves::SaveFile;

use std::cell::Cell;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};
use rusqlite::{params, Connection, OptionalExtension, Transaction, TransactionBehavior};
use thiserror::Error;

use self::database::Database;
use super::lua_object::{self, LuaObject, LuaSaveData, Options, Table, Uuid, MAGIC};
use super::packed::{pack, room_for_object, unpack, UnpackError, MAX_UNPACKED};
use crate::budget::{self, Budget, OverBudget};
use crate::error::{DecodeError, EncodeError};
use crate::wire::{
    self, all_consuming, field, fixed, flat_map, gen_bytes, gen_length, gen_uint16, gen_uint32, gen_uint8,
    generate_into, take, uint16, uint32, uint8, Be, ByteString, IntoByteString, Source, WireError,
};

/// How a row is laid out. What stands before the block repeats the other columns.
///
/// | field | Numbered | Reversed | Named |
/// |---|---|---|---|
/// | id | uint32 | | |
/// | world_id | uint16 | | |
/// | channel | uint8 | | |
/// | flags | uint8 | | |
/// | uid | | 16 bytes, in reverse | 16 bytes |
/// | key | | uint16 size, bytes | uint16 size, bytes |
/// | world_id | | | uint16 |
/// | flags | | | uint8 |
/// | block | uint32 size, bytes | uint32 size, bytes | uint32 size, bytes |
///
/// Numbers are big-endian. The block is a raw LZ4 block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Rows with an id and a channel.
    Numbered,
    /// Rows with a uid and a key, and no world.
    Reversed,
    /// Rows with a uid, a key and a world.
    Named,
}

/// Which row of its table it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowKey<'a> {
    /// By numbers, up to version 26.
    Numbers {
        /// The number of the script.
        id: u32,
        /// Which of its objects.
        channel: u8,
    },
    /// By a UUID and a key, from version 26 on.
    Named {
        /// Whose it is.
        uid: Uuid,
        /// Which of its objects: a LuaObject, or a little-endian number of 4 bytes.
        key: ByteString<'a>,
    },
}

/// The uid as it is written down; a key of 4 bytes as its number, and others by their value.
impl fmt::Display for RowKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowKey::Numbers { id, channel } => write!(f, "id {id} channel {channel}"),
            RowKey::Named { uid, key } => {
                write!(f, "uid {uid} key ")?;
                match (<[u8; 4]>::try_from(key.as_bytes()), lua_object::decode(key)) {
                    (_, Ok(key)) => key_value(&key.data, f),
                    (Ok(number), _) => write!(f, "{}", u32::from_le_bytes(number)),
                    _ => write!(f, "{key:?}"),
                }
            }
        }
    }
}

/// Numbers, strings and lists of them by themselves.
fn key_value(value: &LuaSaveData<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        LuaSaveData::String(text) => write!(f, "{text:?}"),
        LuaSaveData::Table(Table::Array { elements, .. }) => {
            f.write_str("[")?;
            for (index, element) in elements.iter().enumerate() {
                f.write_str(if index > 0 { ", " } else { "" })?;
                key_value(element, f)?;
            }
            f.write_str("]")
        }
        other => match other.as_number() {
            Some(number) => write!(f, "{number}"),
            None => write!(f, "{other:?}"),
        },
    }
}

/// The column `data` of a row. See [`Layout`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowData<'a> {
    /// Which row it is.
    pub key: RowKey<'a>,
    /// The world it belongs to; 65535 is any, and 65534 none. `None` where the layout has none.
    pub world_id: Option<u16>,
    /// Of unknown meaning. `None` where the layout has none.
    pub flags: Option<u8>,
    /// What is stored: a raw LZ4 block.
    pub block: ByteString<'a>,
}

/// Reads a [`RowData`].
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Save files.
pub fn row_data<'a, I, E>(layout: Layout) -> impl Parser<I, Output = RowData<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    RowParser { layout, error: std::marker::PhantomData }
}

struct RowParser<E> {
    layout: Layout,
    error: std::marker::PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for RowParser<E> {
    type Output = RowData<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, RowData<'a>, E> {
        let key = || flat_map(field("size", uint16::<Be, I, E>()), |size: u16| field("key", take(size.into())));
        let block = || flat_map(field("size", uint32::<Be, I, E>()), |size: u32| field("block", take(size.into())));
        let (world_id, flags) = (|| field("world_id", uint16::<Be, I, E>()), || field("flags", uint8::<I, E>()));
        match self.layout {
            Layout::Numbered => {
                let id = field("id", uint32::<Be, I, E>());
                (id, world_id(), field("channel", uint8()), flags(), block())
                    .map(|(id, world_id, channel, flags, block)| RowData {
                        key: RowKey::Numbers { id, channel },
                        world_id: Some(world_id),
                        flags: Some(flags),
                        block: block.into(),
                    })
                    .process::<OM>(input)
            }
            Layout::Reversed => (field("uid", lua_object::uuid()), key(), block())
                .map(|(uid, key, block)| RowData {
                    key: RowKey::Named { uid, key: key.into() },
                    world_id: None,
                    flags: None,
                    block: block.into(),
                })
                .process::<OM>(input),
            Layout::Named => (field("uid", fixed().map(Uuid)), key(), world_id(), flags(), block())
                .map(|(uid, key, world_id, flags, block)| RowData {
                    key: RowKey::Named { uid, key: key.into() },
                    world_id: Some(world_id),
                    flags: Some(flags),
                    block: block.into(),
                })
                .process::<OM>(input),
        }
    }
}

/// Writes a [`RowData`]; what it lacks for the layout is 0.
pub fn gen_row_data<'v, W: Write + 'v>(layout: Layout, row: &'v RowData<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let (id, channel, uid, key) = match &row.key {
            RowKey::Numbers { id, channel } => (*id, *channel, Uuid::default(), &[][..]),
            RowKey::Named { uid, key } => (0, 0, *uid, key.as_bytes()),
        };
        let (world_id, flags) = (row.world_id.unwrap_or_default(), row.flags.unwrap_or_default());
        let key_size = u16::try_from(key.len()).map_err(|_| wire::length_error())?;
        let sized_key = |out| gen_bytes(key)(gen_uint16::<Be, W>(key_size)(out)?);
        let out = match layout {
            Layout::Numbered => {
                let out = gen_uint16::<Be, W>(world_id)(gen_uint32::<Be, W>(id)(out)?)?;
                gen_uint8(flags)(gen_uint8(channel)(out)?)?
            }
            Layout::Reversed => sized_key(lua_object::gen_uuid(uid)(out)?)?,
            Layout::Named => {
                let out = gen_uint16::<Be, W>(world_id)(sized_key(gen_bytes(uid.0)(out)?)?)?;
                gen_uint8(flags)(out)?
            }
        };
        gen_bytes(row.block.as_ref())(gen_length::<Be, W>(row.block.len())(out)?)
    }
}

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
    /// How many iterators read the state of the database that the first of them found.
    readers: Cell<usize>,
}

/// Why a save cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Database(rusqlite::Error),
    /// Another program writes to the save, or keeps others from reading it.
    #[error("another program, perhaps the game, is using the save; close it and try again")]
    Locked,
    /// A statement took more steps than a file of this size can need.
    #[error("the database needs more than the limit of {limit} steps for one statement")]
    TooManySteps {
        /// How many steps there may be.
        limit: u64,
    },
    /// Reading or writing the save takes too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// The file is a database, but no save of a version that is known.
    #[error("save version {0} is unknown; known are 24, 26 and 28")]
    UnknownVersion(i64),
    /// The file is a database, but no save.
    #[error("not a Scrap Mechanic save: there is no table Game with a version")]
    NoSave,
    /// What has the name of a table is something else.
    #[error("not a Scrap Mechanic save: {table} {reason}")]
    NotATable {
        /// Its name.
        table: &'static str,
        /// What it is.
        reason: &'static str,
    },
    /// A journal beside the save names other files, which rolling it back would remove.
    #[error("the journal beside the save belongs to several databases at once; saves have no such journals")]
    ForeignJournal,
    /// The object cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A row cannot be read from the database.
    #[error("{table} row {rowid}: {error}")]
    Unreadable {
        /// The table it stands in.
        table: &'static str,
        /// Its number in the table.
        rowid: i64,
        /// Why.
        error: rusqlite::Error,
    },
    /// A row is larger than the limit of memory.
    #[error("{table} row {rowid}: {error}")]
    TooLarge {
        /// The table it stands in.
        table: &'static str,
        /// Its number in the table.
        rowid: i64,
        /// The limit.
        error: OverBudget,
    },
    /// The row that was to be written is not laid out as it should be.
    #[error(transparent)]
    Row(#[from] DecodeError),
    /// The row that was to be written is not what it was when it was read.
    #[error("the row has changed since it was read")]
    Changed,
    /// The database is damaged, or did not do what it was asked to. Nothing was written.
    #[error("the database is damaged: {0}")]
    Damaged(String),
}

impl SaveError {
    /// Whether the file is malformed; otherwise the system or another program is the reason.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        use rusqlite::ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown};
        let blamed = [ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown];
        match self {
            SaveError::Io(_) | SaveError::Locked => false,
            SaveError::Database(error) => error.sqlite_error_code().is_none_or(|code| blamed.contains(&code)),
            _ => true,
        }
    }
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
    /// The row, what it unpacks to or the object takes too much memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// The object. Offsets count from the start of what was unpacked.
    #[error("{0} of the object")]
    Object(DecodeError),
}

/// The tables that may hold objects.
const TABLES: [&str; 3] = ["ScriptData", "ScriptDataUuid", "GenericData"];

impl Save {
    /// Opens a save to be read. Nothing is written, not even beside it.
    ///
    /// Committed changes in a write-ahead log are read as well: the save and its log are then copied to a temporary
    /// folder. The path is always that of a file, whatever SQLite would make of it.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or is no save of a known version.
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
        // of another type it is no version
        let version = "SELECT CASE typeof(savegameversion) WHEN 'integer' THEN savegameversion END FROM Game LIMIT 1";
        let version: Option<i64> = if is_table(&database, "Game")? && has_column(&database, "Game", "savegameversion")?
        {
            database.ask(|connection| connection.query_row(version, [], |row| row.get(0)).optional())?.flatten()
        } else {
            None
        };
        let version = match version.ok_or(SaveError::NoSave)? {
            24 => 24,
            26 => 26,
            28 => 28,
            other => return Err(SaveError::UnknownVersion(other)),
        };
        let mut tables = Vec::new();
        for table in TABLES {
            let layout = if !is_table(&database, table)? || !has_column(&database, table, "data")? {
                continue;
            } else if !has_column(&database, table, "uid")? {
                Layout::Numbered
            } else if has_column(&database, table, "worldId")? {
                Layout::Named
            } else {
                Layout::Reversed
            };
            tables.push((table, layout));
        }
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

    /// All rows of scripts, table by table, in the order in which they were stored. Of a row that cannot be read the
    /// error comes in its place.
    ///
    /// They are those of one moment: while the iterator is there, other programs may have to wait before they write.
    ///
    /// # Errors
    ///
    /// If the tables cannot be read at all.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<Row, SaveError>> + '_, SaveError> {
        Ok(Rows { snapshot: Snapshot::of(self)?, tables: self.tables.iter(), scan: None })
    }

    /// The row of a table with this number, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn row(&self, table: &str, rowid: i64) -> Result<Option<Row>, SaveError> {
        match self.tables.iter().find(|(name, _)| *name == table) {
            Some((table, layout)) => {
                let mut found = Vec::new();
                self.seek(table, rowid, 1, &mut found)?;
                let found = found.into_iter().find(|(found, _)| *found == rowid);
                found.map(|(rowid, size)| self.read(table, *layout, rowid, size)).transpose()
            }
            None => Ok(None),
        }
    }

    /// The next rows after this number. In a damaged table numbers do not ascend, and rows could come twice or not at all.
    fn scan(&self, table: &'static str, layout: Layout, after: Option<i64>) -> Scan {
        let mut found = Vec::new();
        let read = self.seek(table, after.unwrap_or(i64::MIN), BATCH, &mut found);
        let is_full = found.len() == BATCH;
        let mut ordered = Vec::with_capacity(found.len());
        // the one that the last rows ended with is the first of these
        let mut last = after;
        let starts_there = after.is_none_or(|after| found.first().is_some_and(|(rowid, _)| *rowid == after));
        for row in found.drain(..).skip(usize::from(after.is_some())) {
            if !starts_there || last.is_some_and(|last| last >= row.0) {
                break;
            }
            last = Some(row.0);
            ordered.push(row);
        }
        let counted = ordered.len().saturating_add(usize::from(after.is_some()));
        let next = match read {
            Err(error) => Err(error),
            Ok(count) if !starts_there || count != counted => {
                Err(SaveError::Damaged(format!("the rows of {table} are not in order")))
            }
            Ok(_) => Ok(last.filter(|_| is_full)),
        };
        Scan { table, layout, found: ordered.into_iter(), next }
    }

    /// The numbers and sizes of the first rows from this number on, as far as they can be read, and how many they are.
    fn seek(&self, table: &str, from: i64, most: usize, found: &mut Vec<(i64, i64)>) -> Result<usize, SaveError> {
        let rows = format!("SELECT rowid, octet_length(data) FROM {table} WHERE rowid >= ?1 ORDER BY rowid LIMIT ?2");
        self.database.ask(|connection| {
            let mut statement = connection.prepare_cached(&rows)?;
            let mut rows = statement.query(params![from, i64::try_from(most).unwrap_or(i64::MAX)])?;
            while let Some(row) = rows.next()? {
                found.push((row.get(0)?, row.get::<_, Option<i64>>(1)?.unwrap_or_default()));
            }
            Ok(found.len())
        })
    }

    fn read(&self, table: &'static str, layout: Layout, rowid: i64, size: i64) -> Result<Row, SaveError> {
        let fits = Budget::new(self.max_memory).room_for(usize::try_from(size).unwrap_or(usize::MAX));
        fits.map_err(|error| SaveError::TooLarge { table, rowid, error })?;
        let data = self.database.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT data FROM {table} WHERE rowid = ?1"))?;
            statement.query_row([rowid], |row| row.get::<_, Option<Vec<u8>>>(0))
        });
        let data = data.map_err(|error| match error {
            SaveError::Database(error) => SaveError::Unreadable { table, rowid, error },
            other => other,
        })?;
        let (max_unpacked, max_memory) = (self.max_unpacked, self.max_memory);
        Ok(Row {
            table,
            rowid,
            layout,
            data: data.unwrap_or_default(),
            options: self.options,
            max_unpacked,
            max_memory,
        })
    }

    /// Copies the save into a new or empty file: all that is committed, and nothing else.
    ///
    /// # Errors
    ///
    /// If the save cannot be read, or the file is there already with bytes in it or cannot be written. What was written so far stays.
    pub fn copy_to(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let _snapshot = Snapshot::of(self)?;
        self.database.copy_to(path.as_ref())
    }

    /// Closes the save. What was written is then in the file itself, and no log is left beside it.
    ///
    /// # Errors
    ///
    /// If the log cannot be brought into the file, which is complete only together with it then.
    pub fn close(self) -> Result<(), SaveError> {
        self.database.close()
    }

    /// Puts `object` in the place of what `row` holds. All that stands around it in the row stays as it is, and so does
    /// the rest of the database.
    ///
    /// The whole file is examined before the change is final. For many rows there is [`replace_all`](Self::replace_all).
    ///
    /// # Errors
    ///
    /// If the object cannot be encoded, the row cannot be read or is not what it was, or the database does not take it.
    /// Nothing is changed then.
    pub fn replace(&mut self, row: &Row, object: &LuaObject<'_>) -> Result<(), SaveError> {
        self.replace_all([(row, object)])
    }

    /// Puts objects in the place of what rows hold: all of them or, if there is an error, none.
    ///
    /// Before the changes are final, every one of them is read back, their number is compared, and the structure of the
    /// file is examined.
    ///
    /// # Errors
    ///
    /// As for [`replace`](Self::replace). A row that comes twice is not what it was.
    pub fn replace_all<'r, 'o: 'r>(
        &mut self,
        changes: impl IntoIterator<Item = (&'r Row, &'r LuaObject<'o>)>,
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
            let data = row.with(object)?;
            let Row { table, rowid, data: old, .. } = row;
            // the schema may say that a row in the way is replaced
            let update = format!("UPDATE OR ABORT {table} SET data = ?1 WHERE rowid = ?2 AND data = ?3");
            let update =
                |connection: &Connection| connection.prepare_cached(&update)?.execute(params![data, rowid, old]);
            if database.ask(update)? != 1 {
                return Err(SaveError::Changed);
            }
            let read = format!("SELECT data FROM {table} WHERE rowid = ?1");
            let is_there = database.ask(|connection| {
                let mut read = connection.prepare_cached(&read)?;
                read.query_row([rowid], |row| Ok(row.get_ref(0)?.as_blob().is_ok_and(|found| found == data)))
            })?;
            if !is_there {
                return Err(SaveError::Damaged(format!("{table} row {rowid} does not read back")));
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
}

/// How many rows of a table are looked up at once.
const BATCH: usize = 256;

/// The rows of a save.
struct Rows<'s> {
    snapshot: Snapshot<'s>,
    tables: std::slice::Iter<'s, (&'static str, Layout)>,
    scan: Option<Scan>,
}

/// Some rows of a table.
struct Scan {
    table: &'static str,
    layout: Layout,
    /// Their numbers and sizes.
    found: std::vec::IntoIter<(i64, i64)>,
    /// The number after which there may be more, or an error that comes after them.
    next: Result<Option<i64>, SaveError>,
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, SaveError>;

    fn next(&mut self) -> Option<Result<Row, SaveError>> {
        let save = self.snapshot.save;
        loop {
            let Some(scan) = &mut self.scan else {
                let Some((table, layout)) = self.tables.next() else {
                    // nothing more comes after an error
                    return self.snapshot.end().err().map(Err);
                };
                self.scan = Some(save.scan(table, *layout, None));
                continue;
            };
            let (table, layout) = (scan.table, scan.layout);
            if let Some((rowid, size)) = scan.found.next() {
                return Some(save.read(table, layout, rowid, size));
            }
            match std::mem::replace(&mut scan.next, Ok(None)) {
                Ok(Some(last)) => self.scan = Some(save.scan(table, layout, Some(last))),
                Ok(None) => self.scan = None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Keeps the database as it is, to be read statement by statement.
struct Snapshot<'s> {
    save: &'s Save,
    is_exhausted: bool,
}

impl<'s> Snapshot<'s> {
    fn of(save: &'s Save) -> Result<Self, SaveError> {
        if save.readers.get() == 0 {
            save.database.ask(|connection| connection.execute_batch("BEGIN"))?;
        }
        save.readers.set(save.readers.get().saturating_add(1));
        let snapshot = Snapshot { save, is_exhausted: false };
        // the moment is that of the first statement
        let first = "SELECT count(*) FROM sqlite_schema";
        save.database.ask(|connection| connection.query_row(first, [], |_| Ok(())))?;
        Ok(snapshot)
    }

    /// Whether it was kept as it is.
    fn end(&mut self) -> Result<(), SaveError> {
        if std::mem::replace(&mut self.is_exhausted, true) {
            return Ok(());
        }
        self.save.database.still_same()
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let left = self.save.readers.get().saturating_sub(1);
        self.save.readers.set(left);
        if left == 0 {
            // nothing was written
            let _ = self.save.database.ask(|connection| connection.execute_batch("ROLLBACK"));
        }
    }
}

/// Whether there is such a table; what only has its name is an error.
fn is_table(database: &Database, table: &'static str) -> Result<bool, SaveError> {
    // SQLite itself refuses a view with a page, and a name that is not in the statement
    let find = "SELECT type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE %', \
                (SELECT count(*) FROM sqlite_schema AS other WHERE other.rootpage = this.rootpage) \
                FROM sqlite_schema AS this WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view') LIMIT 1";
    let found: Option<(bool, i64)> = database
        .ask(|connection| connection.query_row(find, [table], |row| Ok((row.get(0)?, row.get(1)?))).optional())?;
    let Some((is_stored, sharing)) = found else { return Ok(false) };
    let not = |reason| Err(SaveError::NotATable { table, reason });
    if !is_stored {
        return not("is not a table");
    }
    if sharing != 1 {
        return not("shares its pages with another table");
    }
    // only of a table without row numbers there is such an index
    let index = "SELECT count(*) FROM pragma_index_info(?1)";
    if database.ask(|connection| connection.query_row(index, [table], |row| row.get::<_, i64>(0)))? > 0 {
        return not("is a table without row numbers (WITHOUT ROWID)");
    }
    if has_column(database, table, "rowid")? {
        return not("has a column of its own that is called rowid");
    }
    Ok(true)
}

fn has_column(database: &Database, table: &str, column: &str) -> Result<bool, SaveError> {
    let found = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE";
    let found = database.ask(|connection| connection.query_row(found, [table, column], |row| row.get::<_, i64>(0)))?;
    Ok(found > 0)
}

/// A row of a save.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    table: &'static str,
    rowid: i64,
    layout: Layout,
    data: Vec<u8>,
    options: Options,
    max_unpacked: usize,
    max_memory: usize,
}

impl Row {
    /// The table it stands in.
    #[must_use]
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// Its number in the table.
    #[must_use]
    pub fn rowid(&self) -> i64 {
        self.rowid
    }

    /// How its column `data` is laid out.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The column `data` as it is.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The column `data`.
    ///
    /// # Errors
    ///
    /// If it is not laid out as it should be.
    pub fn data(&self) -> Result<RowData<'_>, DecodeError> {
        wire::run(&self.data[..], all_consuming(false, row_data(self.layout))).map(|(_, data)| data)
    }

    /// The column `data` with another object in it.
    fn with(&self, object: &LuaObject<'_>) -> Result<Vec<u8>, SaveError> {
        let block = pack(&lua_object::encode(object)?);
        let changed = RowData { block: block.into_byte_string(), ..self.data()? };
        let mut data = Vec::new();
        generate_into(gen_row_data(self.layout, &changed), &mut data)?;
        Ok(data)
    }

    /// What is stored, unpacked: a LuaObject, or something else.
    ///
    /// # Errors
    ///
    /// If the row cannot be read or unpacked, or unpacks to more than is allowed.
    pub fn unpack(&self) -> Result<Vec<u8>, RowError> {
        let data = self.data().map_err(RowError::Row)?;
        let left = self.max_memory.saturating_sub(self.data.len());
        unpack(&data.block, self.max_unpacked.min(left)).map_err(|error| match error {
            UnpackError::TooLarge { .. } if left < self.max_unpacked => OverBudget { limit: self.max_memory }.into(),
            other => other.into(),
        })
    }

    /// The object that is stored; `None` if it is something else.
    ///
    /// # Errors
    ///
    /// If the row cannot be read or unpacked, or what begins like an object is none or takes too much memory.
    pub fn decode(&self) -> Result<Option<LuaObject<'static>>, RowError> {
        let bytes = self.unpack()?;
        if !bytes.starts_with(MAGIC) {
            return Ok(None);
        }
        room_for_object(bytes.len(), self.data.len(), self.max_memory)?;
        let object = lua_object::decode_with(&bytes, &self.options).map_err(RowError::Object)?;
        Ok(Some(object.into_owned()))
    }
}

/// `ScriptData row 12, uid … key …`
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} row {}", self.table, self.rowid)?;
        match self.data() {
            Ok(data) => write!(f, ", {}", data.key),
            Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const UID: Uuid = Uuid([7; 16]);

    fn key(key: &[u8]) -> String {
        let shown = RowKey::Named { uid: UID, key: key.into_byte_string() }.to_string();
        shown.strip_prefix(&format!("uid {UID} key ")).unwrap().to_owned()
    }

    #[test]
    fn keys_are_shown_by_their_value() {
        assert_eq!(RowKey::Numbers { id: 3, channel: 2 }.to_string(), "id 3 channel 2");
        let object = |data: LuaSaveData<'static>| key(&lua_object::encode(&LuaObject::new(data)).unwrap());
        assert_eq!(key(&[1, 1, 0, 0]), "257");
        assert_eq!(key(b"abc"), "\"abc\"");
        assert_eq!(object("a".into()), "\"a\"");
        assert_eq!(object(5.into()), "5");
        assert_eq!(object(Table::list([1.into(), "b".into(), LuaSaveData::Nil]).into()), "[1, \"b\", Nil]");
        assert_eq!(object(Table::list([]).into()), "[]");
    }

    fn row(object: &LuaObject<'_>) -> Row {
        let data = RowData {
            key: RowKey::Numbers { id: 3, channel: 2 },
            world_id: None,
            flags: Some(0),
            block: pack(&lua_object::encode(object).unwrap()).into_byte_string(),
        };
        let mut bytes = Vec::new();
        generate_into(gen_row_data(Layout::Numbered, &data), &mut bytes).unwrap();
        let (max_unpacked, max_memory) = (MAX_UNPACKED, budget::DEFAULT);
        let (table, options) = ("ScriptData", Options::new());
        Row { table, rowid: 12, layout: Layout::Numbered, data: bytes, options, max_unpacked, max_memory }
    }

    /// Of two limits the smaller one is told.
    #[test]
    fn a_row_unpacks_to_no_more_than_it_may() {
        let object = LuaObject::new("a text that does not repeat itself");
        let row = row(&object);
        assert_eq!(row.to_string(), "ScriptData row 12, id 3 channel 2");
        let bytes = lua_object::encode(&object).unwrap();
        let [length, held] = [bytes.len(), row.data.len()];
        let within = |max_unpacked, max_memory| Row { max_unpacked, max_memory, ..row.clone() };
        assert_eq!(within(length, held + length).unpack().unwrap(), bytes);
        let message = |row: Row| row.unpack().unwrap_err().to_string();
        let too_large = UnpackError::TooLarge { limit: length - 1 }.to_string();
        assert!(message(within(length - 1, 1 << 20)).contains(&too_large));
        assert!(message(within(length - 1, held + length - 1)).contains(&too_large));
        let over = OverBudget { limit: held + length - 1 }.to_string();
        assert!(message(within(length, held + length - 1)).contains(&over));
        let most = held + length + length * size_of::<LuaSaveData<'_>>();
        assert_eq!(within(length, most).decode().unwrap(), Some(object));
        assert!(within(length, most - 1).decode().is_err());
    }

    /// A save made of these statements.
    fn save(statements: &str) -> Result<Save, SaveError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.db");
        Connection::open(&path).unwrap().execute_batch(statements).unwrap();
        Save::open(&path)
    }

    #[test]
    fn tables_are_those_with_their_columns() {
        assert!(matches!(save("CREATE TABLE Game (other)"), Err(SaveError::NoSave)));
        assert!(matches!(save("CREATE TABLE Other (savegameversion)"), Err(SaveError::NoSave)));
        let game = "CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES (26);";
        let tables = |more: &str| save(&format!("{game}{more}")).unwrap().tables;
        assert_eq!(tables(""), []);
        assert_eq!(tables("CREATE TABLE ScriptData (other)"), []);
        let layout = |columns| {
            let tables = tables(&format!("CREATE TABLE ScriptData ({columns})"));
            tables.iter().map(|(name, layout)| (*name, *layout)).collect::<Vec<_>>()
        };
        assert_eq!(layout("data"), [("ScriptData", Layout::Numbered)]);
        assert_eq!(layout("data, uid, worldId"), [("ScriptData", Layout::Named)]);
        assert_eq!(layout("data, uid"), [("ScriptData", Layout::Reversed)]);
    }

    #[test]
    fn a_save_keeps_its_options() {
        let save = save("CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES (24)").unwrap();
        let options = Options::new().any_padding(true);
        let save = save.options(options).max_unpacked(3).max_memory(5);
        assert_eq!((save.version(), save.options, save.max_unpacked, save.max_memory), (24, options, 3, 5));
    }
}

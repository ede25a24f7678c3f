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

use std::fmt;
use std::io::Write;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};
use rusqlite::{params, Connection, OpenFlags, OptionalExtension};
use thiserror::Error;

use super::lua_object::{self, LuaObject, LuaSaveData, Options, Table, Uuid, MAGIC};
use super::packed::{pack, unpack, UnpackError, MAX_UNPACKED};
use crate::error::{DecodeError, EncodeError};
use crate::wire::{
    self, field, fixed, gen_bytes, gen_length, gen_uint16, gen_uint32, gen_uint8, generate_into, take, then, uint16,
    uint32, uint8, whole, Be, ByteString, IntoByteString, Source, WireError,
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
        let key = || then(field("size", uint16::<Be, I, E>()), |size: u16| field("key", take(size.into())));
        let block = || then(field("size", uint32::<Be, I, E>()), |size: u32| field("block", take(size.into())));
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
#[derive(Debug)]
pub struct Save {
    connection: Connection,
    version: u32,
    tables: Vec<(&'static str, Layout)>,
    options: Options,
    max_unpacked: usize,
}

/// Why a save cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The database.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// The file is a database, but no save of a version that is known.
    #[error("save version {0} is unknown; known are 24, 26 and 28")]
    UnknownVersion(i64),
    /// The file is a database, but no save.
    #[error("it is no save of Scrap Mechanic: there is no table Game with a version")]
    NoSave,
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
    /// The row that was to be written is not laid out as it should be.
    #[error(transparent)]
    Row(#[from] DecodeError),
    /// The row that was to be written is not what it was when it was read.
    #[error("the row has changed since it was read")]
    Changed,
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
    /// The object. Offsets count from the start of what was unpacked.
    #[error("{0} of the object")]
    Object(DecodeError),
}

/// The tables that may hold objects.
const TABLES: [&str; 3] = ["ScriptData", "ScriptDataUuid", "GenericData"];

impl Save {
    /// Opens a save to be read. Nothing is written, not even beside it.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or is no save of a known version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        Self::with_flags(path.as_ref(), OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// Opens a save to be read and written.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_to_write(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        Self::with_flags(path.as_ref(), OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    fn with_flags(path: &Path, flags: OpenFlags) -> Result<Self, SaveError> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        let version: Option<i64> = if has_column(&connection, "Game", "savegameversion")? {
            connection.query_row("SELECT savegameversion FROM Game", [], |row| row.get(0)).optional()?
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
            let layout = if !has_column(&connection, table, "data")? {
                continue;
            } else if !has_column(&connection, table, "uid")? {
                Layout::Numbered
            } else if has_column(&connection, table, "worldId")? {
                Layout::Named
            } else {
                Layout::Reversed
            };
            tables.push((table, layout));
        }
        Ok(Save { connection, version, tables, options: Options::new(), max_unpacked: MAX_UNPACKED })
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

    /// The version of the save.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All rows of scripts, table by table, in the order in which they were stored. Of a row that cannot be read the
    /// error comes in its place.
    ///
    /// # Errors
    ///
    /// If the tables cannot be read at all.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<Row, SaveError>> + '_, SaveError> {
        let mut places = Vec::new();
        for (table, layout) in &self.tables {
            let mut statement = self.connection.prepare(&format!("SELECT rowid FROM {table} ORDER BY rowid"))?;
            for rowid in statement.query_map([], |row| row.get(0))? {
                places.push((*table, *layout, rowid?));
            }
        }
        Ok(places.into_iter().map(|(table, layout, rowid)| self.row(table, layout, rowid)))
    }

    fn row(&self, table: &'static str, layout: Layout, rowid: i64) -> Result<Row, SaveError> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT data FROM {table} WHERE rowid = ?"))?;
        let data = statement.query_row([rowid], |row| row.get::<_, Option<Vec<u8>>>(0));
        let data = data.map_err(|error| SaveError::Unreadable { table, rowid, error })?.unwrap_or_default();
        Ok(Row { table, rowid, layout, data, options: self.options, max_unpacked: self.max_unpacked })
    }

    /// Puts `object` in the place of what `row` holds. All that stands around it in the row stays as it is, and so does
    /// the rest of the database.
    ///
    /// # Errors
    ///
    /// If the object cannot be encoded, the row cannot be read or is not what it was, or the database does not take it.
    pub fn replace(&mut self, row: &Row, object: &LuaObject<'_>) -> Result<(), SaveError> {
        self.replace_all([(row, object)])
    }

    /// Puts objects in the place of what rows hold: all of them or, if there is an error, none.
    ///
    /// # Errors
    ///
    /// As for [`replace`](Self::replace).
    pub fn replace_all<'r, 'o: 'r>(
        &mut self,
        changes: impl IntoIterator<Item = (&'r Row, &'r LuaObject<'o>)>,
    ) -> Result<(), SaveError> {
        let transaction = self.connection.transaction()?;
        for (row, object) in changes {
            let statement = format!("UPDATE {} SET data = ?1 WHERE rowid = ?2 AND data = ?3", row.table);
            let data = row.with(object)?;
            if transaction.execute(&statement, params![data, row.rowid, row.data])? != 1 {
                return Err(SaveError::Changed);
            }
        }
        Ok(transaction.commit()?)
    }
}

fn has_column(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    let found = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    connection.query_row(found, [table, column], |row| row.get::<_, i64>(0)).map(|count| count > 0)
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
        wire::run(&self.data[..], whole(false, row_data(self.layout))).map(|(_, data)| data)
    }

    /// The column `data` with another object in it.
    fn with(&self, object: &LuaObject<'_>) -> Result<Vec<u8>, SaveError> {
        let block = pack(&lua_object::encode(object)?);
        let changed = RowData { block: block.into_byte_string(), ..self.data()? };
        let mut data = Vec::new();
        let generated = generate_into(gen_row_data(self.layout, &changed), &mut data);
        generated.map_err(|reason| EncodeError::new(crate::Path::default(), reason))?;
        Ok(data)
    }

    /// What is stored, unpacked: a LuaObject, or something else.
    ///
    /// # Errors
    ///
    /// If the row cannot be read or unpacked.
    pub fn unpack(&self) -> Result<Vec<u8>, RowError> {
        let data = self.data().map_err(RowError::Row)?;
        Ok(unpack(&data.block, self.max_unpacked)?)
    }

    /// The object that is stored; `None` if it is something else.
    ///
    /// # Errors
    ///
    /// If the row cannot be read or unpacked, or what begins like an object is none.
    pub fn decode(&self) -> Result<Option<LuaObject<'static>>, RowError> {
        let bytes = self.unpack()?;
        if !bytes.starts_with(MAGIC) {
            return Ok(None);
        }
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

//! Saves as containers.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use serde_json::json;
use tempfile::{NamedTempFile, TempDir};

use super::blueprint_file::{object, FORMATS};
use super::UnpackError;
use crate::address::{Address, Component, Index};
use crate::containers::{no_text, several, Addition, Container, ContainerError, Embedded, FileSource, ValueChange};
use crate::scrap_mechanic::save::{Row, RowData, RowError, Save, SaveError};
use crate::scrap_mechanic::save_row;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};

/// A row, and its new object; `None` removes it.
type Changed<'c> = (Row, Option<LuaObject<'c>>);

/// A save as a [`Container`]. The address of a value is its table and row.
#[derive(Debug)]
pub struct SaveFile {
    save: Save,
    /// The file; `None` for a save in memory, which is copied to a temporary one.
    path: Option<PathBuf>,
    max_memory: usize,
    _copy: Option<NamedTempFile>,
}

impl SaveFile {
    /// Opens a save for reading. A save in memory is copied to a temporary file.
    ///
    /// # Errors
    ///
    /// As for [`Save::open`].
    pub fn open(source: FileSource, max_memory: usize) -> Result<Self, ContainerError> {
        let (path, copy) = match source {
            FileSource::File(path) => (path, None),
            FileSource::Bytes(bytes) => {
                let copy = NamedTempFile::new()?;
                std::fs::write(copy.path(), bytes)?;
                (copy.path().to_owned(), Some(copy))
            }
        };
        let save = Save::open(&path)?.max_unpacked(max_memory).max_memory(max_memory);
        let path = Some(path).filter(|_| copy.is_none());
        Ok(SaveFile { save, path, max_memory, _copy: copy })
    }
}

impl Container for SaveFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        for row in self.save.rows()? {
            let value = match row {
                Ok(row) => embedded(&row, &self.save),
                // the rows that were read are not those of one moment
                Err(error) if !error.is_malformed() => return Err(error.into()),
                Err(error) => unreadable(error),
            };
            if each(value).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        self.save.warnings()
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let mut file = Vec::new();
        if changes.is_empty() && self.save.write_to(&mut file)? {
            return Ok(file);
        }
        let (_folder, path) = self.changed_copy(changes)?;
        FileSource::File(path).bytes(self.max_memory)
    }

    fn rewrite(&self, changes: &[ValueChange<'_>], to: &mut dyn Write) -> Result<(), ContainerError> {
        if changes.is_empty() && self.save.write_to(to)? {
            return Ok(());
        }
        let (_folder, path) = self.changed_copy(changes)?;
        io::copy(&mut File::open(path)?, to)?;
        Ok(())
    }

    fn change_in_place(&self, changes: &[ValueChange<'_>]) -> Option<Result<(), ContainerError>> {
        let path = self.path.as_ref()?;
        Some(self.rows(changes).and_then(|rows| self.change_in(path, &rows)))
    }
}

impl SaveFile {
    /// A copy in a folder that is removed when it is dropped, with the changes made as [`Save::change_all`] does.
    fn changed_copy(&self, changes: &[ValueChange<'_>]) -> Result<(TempDir, PathBuf), ContainerError> {
        let rows = self.rows(changes)?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("save.db");
        File::create_new(&path)?;
        self.save.copy_to(&path)?;
        self.change_in(&path, &rows)?;
        Ok((folder, path))
    }

    fn change_in(&self, path: &Path, rows: &[Changed<'_>]) -> Result<(), ContainerError> {
        let mut save = Save::open_to_write(path)?.max_unpacked(self.max_memory).max_memory(self.max_memory);
        save.change_all(rows.iter().map(|(row, object)| (row, object.as_ref())))?;
        Ok(save.close()?)
    }

    /// The rows that change.
    fn rows<'c>(&self, changes: &[ValueChange<'c>]) -> Result<Vec<Changed<'c>>, ContainerError> {
        let (mut rows, mut held, mut seen) = (Vec::with_capacity(changes.len()), 0usize, HashSet::new());
        for change in changes {
            let (row, address, bytes) = match *change {
                ValueChange::Replace { address, bytes } => (self.row_of(address)?, address, Some(bytes)),
                ValueChange::Remove(address) => (self.row_of(address)?, address, None),
                ValueChange::Add(added) => (self.new_row(&added)?, added.address, Some(added.bytes)),
                ValueChange::Text { address, .. } => return Err(no_text(address)),
            };
            let new = Some(address).filter(|_| matches!(change, ValueChange::Add(_)));
            if !seen.insert((row.table(), row.rowid(), new)) {
                return Err(ContainerError::ChangedTwice(address.to_string()));
            }
            held = held.saturating_add(row.bytes().len());
            if held > self.max_memory {
                let what = "the rows to change take more than";
                return Err(ContainerError::TooLarge { what, limit: self.max_memory });
            }
            rows.push((row, bytes));
        }
        let rows = rows.into_iter().map(|(row, bytes)| Ok((row, bytes.map(object).transpose()?)));
        // an object that stays the same keeps its bytes
        let is_new = |(row, new): &Changed<'_>| new.is_none() || row.decode().ok().flatten() != *new;
        rows.filter(|changed| changed.as_ref().map_or(true, is_new)).collect()
    }

    /// The row that a new value is.
    fn new_row(&self, Addition { address, about, .. }: &Addition<'_>) -> Result<Row, ContainerError> {
        let Some((table, data)) = save_row::key_of(address) else {
            let expected = "a row such as ScriptData[id=9,channel=2] or ScriptData[uid=UUID,key=HEXADECIMAL]";
            return Err(ContainerError::Refused(format!("expected {expected}, found {address}")));
        };
        let column = |name| about.iter().find(|(member, _)| *member == name)?.1.as_u64();
        let world_id = column("world").and_then(|world| world.try_into().ok());
        let flags = column("flags").and_then(|flags| flags.try_into().ok());
        Ok(self.save.new_row(&table, &RowData { world_id, flags, ..data })?)
    }

    /// The row that was listed with this address. What is replaced may be broken.
    fn row_of(&self, address: &Address) -> Result<Row, ContainerError> {
        let missing = || ContainerError::NoSuchValue(address.to_string());
        let row = address.components().last();
        let table = row.and_then(Component::text).and_then(|name| name.to_str().ok()).unwrap_or_default();
        let own = |row: Option<&Component>| row.and_then(Component::own_number);
        let mut numbers = Vec::from_iter(own(row));
        if numbers.is_empty() {
            // the address is a text, without the number that it was listed with
            self.values(&mut |value| {
                numbers.extend(own(value.address.components().last()).filter(|_| value.address == *address));
                ControlFlow::Continue(())
            })?;
        }
        let number = match numbers[..] {
            [] => return Err(missing()),
            [number] => i64::try_from(number).unwrap_or_default(),
            _ => return Err(several(address)),
        };
        let found = self.save.row_to_replace(table, number)?;
        let is_numbered = matches!(row.and_then(Component::index), Some(Index::Number(_)));
        let is_it = |row: &Row| {
            let data = row.data().ok().or_else(|| self.save.columns(row)).filter(|_| !is_numbered);
            save_row::address(table, number, data.as_ref()) == *address
        };
        found.filter(is_it).ok_or_else(missing)
    }
}

fn embedded(row: &Row, save: &Save) -> Embedded<'static> {
    let bytes = row.unpack().map_err(|error| match error {
        RowError::Memory(_) | RowError::Unpack(UnpackError::TooLarge { .. }) => {
            ContainerError::OverLimit(error.to_string())
        }
        other => ContainerError::malformed(other),
    });
    let is_value = bytes.as_ref().map_or(true, |bytes| bytes.starts_with(lua_object::MAGIC));
    let value = Embedded::new(Address::of_file(), if is_value { FORMATS } else { &[] }, bytes);
    at_row(value, row.table(), row.rowid(), row.data().ok().or_else(|| save.columns(row)).as_ref())
}

/// A value at the address of its row: its key, or its number where the key cannot be read.
fn at_row<'v>(value: Embedded<'v>, table: &str, rowid: i64, data: Option<&RowData<'_>>) -> Embedded<'v> {
    let mut members = vec![("table", json!(table)), ("row", json!(rowid))];
    members.extend(data.into_iter().flat_map(RowData::members));
    let address = save_row::address(table, rowid, data);
    Embedded { address: address.into(), ..value.with_members(members) }
}

/// A row that cannot be read.
fn unreadable(error: SaveError) -> Embedded<'static> {
    let value = |reason| Embedded::new(Address::of_file(), FORMATS, Err::<&[u8], _>(reason));
    match error {
        SaveError::Unreadable { table, rowid, error } => at_row(value((*error).into()), table, rowid, None),
        other => value(ContainerError::malformed(other)),
    }
}

impl From<SaveError> for ContainerError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Memory(error) => ContainerError::OverLimit(error.to_string()),
            SaveError::NotAdded(reason) => ContainerError::Refused(reason),
            SaveError::Changed => ContainerError::ChangedMeanwhile(error.to_string()),
            SaveError::NoSave | SaveError::NotATable { .. } => ContainerError::Unknown(error.to_string()),
            error if error.is_malformed() => ContainerError::malformed(error),
            error => ContainerError::Unreadable(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Syntax;
    use crate::scrap_mechanic::pack;
    use enginewire::budget::{self, OverBudget};
    use enginewire::scrap_mechanic::lua_object::LuaSaveData;
    use pretty_assertions::assert_eq;
    use rusqlite::Connection;

    /// The column `data` of a row of version 24.
    fn data(id: u8, bytes: &[u8]) -> Vec<u8> {
        let block = pack(bytes);
        let size = u32::try_from(block.len()).unwrap().to_be_bytes();
        [&[0, 0, 0, id, 0, 1, 2, 3], &size[..], &block].concat()
    }

    /// A save of version 24 whose rows have these columns `data`.
    fn save(rows: &[rusqlite::types::Value]) -> Vec<u8> {
        let file = NamedTempFile::new().unwrap();
        let database = Connection::open(file.path()).unwrap();
        let schema = "CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES (24);
                      CREATE TABLE ScriptData (id, channel, worldId, flags, data)";
        database.execute_batch(schema).unwrap();
        for row in rows {
            database.execute("INSERT INTO ScriptData (data) VALUES (?1)", [row]).unwrap();
        }
        drop(database);
        std::fs::read(file.path()).unwrap()
    }

    fn encoded(value: impl Into<LuaSaveData<'static>>) -> Vec<u8> {
        lua_object::encode(&LuaObject::new(value)).unwrap()
    }

    /// An address that was read from a text has no number of a row.
    #[test]
    fn a_row_is_changed_by_the_text_of_its_address() {
        let row = data(9, &encoded(true));
        let file = SaveFile::open(FileSource::Bytes(save(&[row.clone().into()])), 1 << 20).unwrap();
        let address = |text| crate::address::Pattern::parse(Syntax::Items, text).unwrap().address().unwrap();
        let (address, other) = (address("ScriptData[id=9,channel=2]"), address("ScriptData[id=8,channel=2]"));
        let bytes = &*encoded(false);
        let changed = file.changed(&[ValueChange::Replace { address: &address, bytes }]).unwrap();
        let again = SaveFile::open(FileSource::Bytes(changed), 1 << 20).unwrap().list().unwrap();
        assert_eq!((&*again[0].address, again[0].bytes.as_deref().unwrap()), (&address, bytes));
        let missing = file.changed(&[ValueChange::Replace { address: &other, bytes }]);
        assert!(matches!(missing, Err(ContainerError::NoSuchValue(_))), "{missing:?}");
        // two rows have these keys
        let file = SaveFile::open(FileSource::Bytes(save(&[row.clone().into(), row.into()])), 1 << 20).unwrap();
        let several = file.changed(&[ValueChange::Replace { address: &address, bytes }]);
        assert!(matches!(several, Err(ContainerError::Refused(_))), "{several:?}");
        // each of them has a number where it is listed
        let listed = file.list().unwrap();
        let both: Vec<_> = listed.iter().map(|value| ValueChange::Replace { address: &value.address, bytes }).collect();
        assert!(file.changed(&both).is_ok());
    }

    /// A removed row comes back with the columns that it was listed with.
    #[test]
    fn rows_are_added_and_removed() {
        let open = |bytes: Vec<u8>| SaveFile::open(FileSource::Bytes(bytes), 1 << 20).unwrap();
        let file = open(save(&[data(9, &encoded(true)).into(), b"broken".to_vec().into()]));
        let listed = file.list().unwrap();
        let (address, bytes, about) = (&listed[0].address, &*encoded(true), listed[0].about.given());
        let less = file.changed(&[ValueChange::Remove(address), ValueChange::Remove(&listed[1].address)]).unwrap();
        assert!(open(less.clone()).list().unwrap().is_empty());
        let add = |about| ValueChange::Add(Addition { address, bytes, about, is_first: false });
        let again = open(open(less.clone()).changed(&[add(about)]).unwrap());
        assert_eq!(again.save.rows().unwrap().next().unwrap().unwrap().bytes(), data(9, bytes));
        let error = |file: &SaveFile, changes: &[_]| file.changed(changes).unwrap_err();
        for (file, changes, reason) in [
            (&again, &[add(about)][..], "ScriptData has a row with these keys already"),
            (&open(less.clone()), &[add(about), add(about)], "ScriptData[id=9,channel=2] is changed twice"),
            (&open(less.clone()), &[add(&[])], "the column worldId of the new row of ScriptData is not known"),
            (&again, &[ValueChange::Remove(&listed[1].address)], "the file has no value ScriptData[2]"),
        ] {
            assert_eq!(error(file, changes).to_string(), reason);
        }
        // a row in the way stays, although the schema says that it is replaced
        let mut odd = NamedTempFile::new().unwrap();
        odd.write_all(&less).unwrap();
        let schema = "DROP TABLE ScriptData;
                      CREATE TABLE ScriptData (id, channel, worldId, flags UNIQUE ON CONFLICT REPLACE, data);
                      INSERT INTO ScriptData VALUES (1, 2, 3, 3, x'01')";
        Connection::open(odd.path()).unwrap().execute_batch(schema).unwrap();
        let odd = open(std::fs::read(odd.path()).unwrap());
        assert_eq!(error(&odd, &[add(about)]).to_string(), "a value breaks a rule of its table");
        // what is not an object is not written
        let none = Addition { address, bytes: b"none", about, is_first: false };
        assert!(matches!(error(&open(less), &[ValueChange::Add(none)]), ContainerError::Malformed(_)));
    }

    #[test]
    fn every_row_is_listed_with_its_bytes_or_what_is_wrong() {
        let bytes = save(&[
            data(9, &encoded(true)).into(),
            data(9, b"something else").into(),
            data(9, &encoded("a".repeat(5000))).into(),
            vec![0; 3].into(),
            "a text".to_owned().into(),
            vec![0; 2000].into(),
        ]);
        let file = SaveFile::open(FileSource::Bytes(bytes), 1000).unwrap();
        let values = file.list().unwrap();
        assert_eq!(values[0].address.to_string(), "ScriptData[id=9,channel=2]");
        let row = |number: i64| vec![("table", json!("ScriptData")), ("row", json!(number))];
        let columns = [("id", 9), ("channel", 2), ("world", 1), ("flags", 3)].map(|(name, value)| (name, json!(value)));
        assert_eq!(values[0].about.given(), [row(1), columns.to_vec()].concat());
        assert_eq!(values[0].bytes.as_deref().unwrap(), encoded(true));
        assert_eq!((values[0].formats, values[1].formats), (FORMATS, &[][..]));
        assert_eq!(values[1].bytes.as_deref().unwrap(), b"something else");
        assert!(matches!(values[2].bytes, Err(ContainerError::OverLimit(_))));
        assert_eq!(values[2].formats, FORMATS);
        assert!(matches!(values[3].bytes, Err(ContainerError::Malformed(_))));
        for (value, number) in values[3..].iter().zip(4..) {
            assert_eq!(value.address.to_string(), format!("ScriptData[{number}]"));
            assert_eq!(value.about.given(), row(number));
        }
        let Err(ContainerError::Malformed(reason)) = &values[4].bytes else { panic!("{:?}", values[4]) };
        assert!(reason.starts_with("the column data holds "), "{reason}");
        assert!(matches!(values[5].bytes, Err(ContainerError::OverLimit(_))));
        assert_eq!(values.len(), 6);
    }

    /// A log beside the file has more than the file.
    #[test]
    fn without_changes_the_bytes_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.db");
        let bytes = save(&[data(9, &encoded(true)).into()]);
        std::fs::write(&path, &bytes).unwrap();
        let written = |path: &Path| {
            let (file, mut written) = (SaveFile::open(FileSource::File(path.into()), 1 << 20).unwrap(), Vec::new());
            file.rewrite(&[], &mut written).unwrap();
            assert_eq!(file.changed(&[]).unwrap().len(), written.len());
            written
        };
        assert!(written(&path) == bytes);
        assert!(SaveFile::open(FileSource::Bytes(bytes.clone()), 1 << 20).unwrap().changed(&[]).unwrap() == bytes);
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
        writer.execute("INSERT INTO ScriptData (data) VALUES (?1)", [data(8, &encoded(false))]).unwrap();
        let (asked, options) = (crate::file::Asked::default(), enginewire::formats::FormatOptions::new());
        let file = crate::file::File::open(FileSource::File(path.clone()), &asked, &options).unwrap();
        for bytes in [written(&path), file.changed(&[]).unwrap()] {
            let again = SaveFile::open(FileSource::Bytes(bytes), 1 << 20).unwrap();
            assert_eq!(again.list().unwrap().len(), 2);
        }
    }

    /// The rows to change are held together, and then the file.
    #[test]
    fn changes_stay_within_the_limit() {
        // no two bytes in a row repeat, so that nothing is packed
        let noise = |id: u8| -> String {
            let mut state = u32::from(id);
            let letters = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from(u8::try_from(33 + (state >> 24) % 90).unwrap())
            });
            letters.take(40_000).collect()
        };
        let rows = [1, 2].map(|id| data(id, &encoded(noise(id))));
        let held = rows.iter().map(Vec::len).sum::<usize>();
        let bytes = save(&rows.map(Into::into));
        let change = |max_memory| {
            let file = SaveFile::open(FileSource::Bytes(bytes.clone()), max_memory).unwrap();
            let (values, other) = (file.list().unwrap(), encoded(7));
            let changes: Vec<_> =
                values.iter().map(|value| ValueChange::Replace { address: &value.address, bytes: &other }).collect();
            file.changed(&changes)
        };
        let Err(error) = change(held - 1) else { panic!() };
        assert_eq!(error.to_string(), format!("the rows to change take more than the limit of {} bytes", held - 1));
        let Err(error) = change(held) else { panic!() };
        assert_eq!(error.to_string(), format!("the file is larger than the limit of {held} bytes"));
        let changed = SaveFile::open(FileSource::Bytes(change(budget::DEFAULT).unwrap()), budget::DEFAULT).unwrap();
        for value in changed.list().unwrap() {
            assert_eq!(value.bytes.unwrap(), encoded(7));
        }
    }

    /// Rows are only returned if all are from the same moment.
    #[test]
    fn a_save_that_changes_while_it_is_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.db");
        std::fs::write(&path, save(&[data(9, &encoded(true)).into()])).unwrap();
        Connection::open(&path).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
        let file = SaveFile::open(FileSource::File(path), 1000).unwrap();
        assert_eq!(file.list().unwrap().len(), 1);
        std::fs::write(folder.path().join("save.db-wal"), "").unwrap();
        assert!(matches!(file.list(), Err(ContainerError::Unreadable(_))));
    }

    #[test]
    fn errors_keep_their_kind() {
        let of = ContainerError::from;
        assert!(matches!(of(SaveError::Memory(OverBudget { limit: 1 })), ContainerError::OverLimit(_)));
        assert!(matches!(of(SaveError::NoSave), ContainerError::Unknown(_)));
        assert!(matches!(of(SaveError::Locked), ContainerError::Unreadable(_)));
    }
}

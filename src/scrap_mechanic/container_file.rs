//! Saves and blueprints as containers.

use std::ops::ControlFlow;

use serde_json::json;

use super::lua_object::{self, LuaObject};
use super::UnpackError;
use crate::containers::{located, Address, Container, ContainerError, Embedded, Replacement};

const FORMATS: &[&str] = &["scrap-mechanic-lua"];

/// The object that these bytes are.
fn object(bytes: &[u8]) -> Result<LuaObject<'_>, ContainerError> {
    lua_object::decode(bytes).map_err(ContainerError::malformed)
}

#[cfg(feature = "blueprints")]
mod blueprints {
    use super::*;
    use crate::containers::within;
    use crate::scrap_mechanic::blueprint::{Blueprint, BlueprintError, PartError};

    impl Blueprint {
        /// The blueprint of these bytes, within so many bytes of memory.
        pub(crate) fn open(bytes: Vec<u8>, max_memory: usize) -> Result<Self, ContainerError> {
            let text = String::from_utf8(bytes).map_err(ContainerError::malformed)?;
            Blueprint::with_max_memory(text, max_memory).map_err(|error| match error {
                BlueprintError::Memory(error) => ContainerError::OverLimit(error.to_string()),
                other => ContainerError::malformed(other),
            })
        }
    }

    /// The address of a value is that of its part: `bodies[0].childs[3]`.
    impl Container for Blueprint {
        fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
            for part in self.parts() {
                let members = vec![("body", json!(part.body())), ("child", json!(part.child()))];
                let bytes = part.unpack(self.max_memory()).map_err(|error| match error {
                    PartError::Memory(_) | PartError::Unpack(UnpackError::TooLarge { .. }) => {
                        ContainerError::OverLimit(error.to_string())
                    }
                    other => ContainerError::malformed(other),
                });
                if each(Embedded::new(Address::new(part.to_string(), members), FORMATS, bytes)).is_break() {
                    break;
                }
            }
            Ok(())
        }

        fn replaced(&self, changes: &[Replacement<'_>]) -> Result<Vec<u8>, ContainerError> {
            let changes = located(self, changes)?;
            let objects: Vec<_> = changes
                .iter()
                .map(|(number, bytes)| Ok((*number, object(bytes)?)))
                .collect::<Result<_, ContainerError>>()?;
            let mut changed = self.clone();
            let objects = objects.iter().map(|(number, object)| (*number, object));
            changed.replace_all(objects).map_err(ContainerError::malformed)?;
            within(changed.text().as_bytes().to_vec(), self.max_memory())
        }
    }
}

#[cfg(feature = "saves")]
pub(super) mod saves {
    use std::path::Path;

    use tempfile::NamedTempFile;

    use super::*;
    use crate::containers::Source;
    use crate::scrap_mechanic::save::{Row, RowError, RowKey, Save, SaveError};

    /// A save as a [`Container`]. The address of a value is its table and row.
    #[derive(Debug)]
    pub struct SaveFile {
        save: Save,
        max_memory: usize,
        /// What the save is read from, if that is not a file of its own.
        _copy: Option<NamedTempFile>,
    }

    impl SaveFile {
        /// Opens a save to be read. One in memory is copied to a temporary file.
        ///
        /// # Errors
        ///
        /// If it cannot be read, or is no save of a known version.
        pub fn open(source: Source, max_memory: usize) -> Result<Self, ContainerError> {
            match source {
                Source::File(path) => Self::of(&path, None, max_memory),
                Source::Bytes(bytes) => {
                    let copy = NamedTempFile::new()?;
                    std::fs::write(copy.path(), bytes)?;
                    let path = copy.path().to_owned();
                    Self::of(&path, Some(copy), max_memory)
                }
            }
        }

        fn of(path: &Path, copy: Option<NamedTempFile>, max_memory: usize) -> Result<Self, ContainerError> {
            let save = Save::open(path)?.max_unpacked(max_memory).max_memory(max_memory);
            Ok(SaveFile { save, max_memory, _copy: copy })
        }
    }

    impl Container for SaveFile {
        fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
            for row in self.save.rows()? {
                let value = match row {
                    Ok(row) => embedded(&row),
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

        /// The save is copied to a temporary file, which is changed as [`Save::replace_all`] does.
        fn replaced(&self, changes: &[Replacement<'_>]) -> Result<Vec<u8>, ContainerError> {
            let changes = located(self, changes)?;
            let (mut rows, mut held) = (Vec::with_capacity(changes.len()), 0usize);
            for (number, row) in self.save.rows()?.enumerate() {
                let Some(bytes) = changes.get(&number) else { continue };
                let row = row?;
                held = held.saturating_add(row.bytes().len());
                if held > self.max_memory {
                    let what = "the rows to change take more than";
                    return Err(ContainerError::TooLarge { what, limit: self.max_memory });
                }
                rows.push((row, object(bytes)?));
            }
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("save.db");
            self.save.copy_to(&path)?;
            let mut copy = Save::open_to_write(&path)?.max_unpacked(self.max_memory).max_memory(self.max_memory);
            copy.replace_all(rows.iter().map(|(row, object)| (row, object)))?;
            copy.close()?;
            Source::File(path).bytes(self.max_memory)
        }
    }

    fn embedded(row: &Row) -> Embedded<'static> {
        let bytes = row.unpack().map_err(|error| match error {
            RowError::Memory(_) | RowError::Unpack(UnpackError::TooLarge { .. }) => {
                ContainerError::OverLimit(error.to_string())
            }
            other => ContainerError::malformed(other),
        });
        let mut members = vec![("table", json!(row.table())), ("row", json!(row.rowid()))];
        if let Ok(data) = row.data() {
            match &data.key {
                RowKey::Numbers { id, channel } => members.extend([("id", json!(id)), ("channel", json!(channel))]),
                RowKey::Named { uid, key } => {
                    let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
                    members.extend([("uid", json!(uid.to_string())), ("key", json!(key))]);
                }
            }
            members.extend(data.world_id.map(|world| ("world", json!(world))));
            members.extend(data.flags.map(|flags| ("flags", json!(flags))));
        }
        let is_value = bytes.as_ref().map_or(true, |bytes| bytes.starts_with(lua_object::MAGIC));
        Embedded::new(Address::new(row.to_string(), members), if is_value { FORMATS } else { &[] }, bytes)
    }

    /// A row that cannot be read.
    fn unreadable(error: SaveError) -> Embedded<'static> {
        let row = |table: &str, rowid| {
            Address::new(format!("{table} row {rowid}"), vec![("table", json!(table)), ("row", json!(rowid))])
        };
        let (address, reason) = match error {
            SaveError::Unreadable { table, rowid, error } => (row(table, rowid), ContainerError::malformed(error)),
            SaveError::TooLarge { table, rowid, error } => {
                (row(table, rowid), ContainerError::OverLimit(error.to_string()))
            }
            other => (Address::new("a row", Vec::new()), ContainerError::malformed(other)),
        };
        Embedded::new(address, FORMATS, Err::<&[u8], _>(reason))
    }

    impl From<SaveError> for ContainerError {
        fn from(error: SaveError) -> Self {
            match error {
                SaveError::Memory(error) => ContainerError::OverLimit(error.to_string()),
                error if error.is_malformed() => ContainerError::malformed(error),
                error => ContainerError::Unreadable(error.to_string()),
            }
        }
    }
}

//! A row of a save.

use std::fmt;

use super::super::packed::{pack, room_for_object, unpack, UnpackError};
use super::error::{RowError, SaveError};
use super::{Layout, RowData};
use enginewire::budget::OverBudget;
use enginewire::error::DecodeError;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, Options, MAGIC};
use enginewire::wire::IntoByteString;

/// A row of a save.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub(super) table: &'static str,
    pub(super) rowid: i64,
    pub(super) layout: Layout,
    pub(super) data: Vec<u8>,
    pub(super) stored: Stored,
    pub(super) options: Options,
    pub(super) max_unpacked: usize,
    pub(super) max_memory: usize,
}

/// The content of the column `data` of a row in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Bytes,
    /// Null or another type.
    Other,
    /// The row is a new one.
    Nothing,
}

impl Row {
    /// The table that contains it.
    #[must_use]
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// Its number in the table.
    #[must_use]
    pub fn rowid(&self) -> i64 {
        self.rowid
    }

    /// The layout of its column `data`.
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
        RowData::decode(self.layout, &self.data)
    }

    /// The column `data` with another object in it. The fields before the object stay as they are. If they cannot be read,
    /// `columns` supplies them from the other columns.
    pub(super) fn with(
        &self,
        object: &LuaObject<'_>,
        columns: impl FnOnce() -> Option<RowData<'static>>,
    ) -> Result<Vec<u8>, SaveError> {
        let block = pack(&lua_object::encode(object)?);
        let data = self.data().or_else(|error| columns().ok_or(error))?;
        Ok(RowData { block: block.into_byte_string(), ..data }.encode(self.layout)?)
    }

    /// The stored bytes, unpacked: a LuaObject, or something else.
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
    /// If the row cannot be read or unpacked, or if its bytes begin like an object but are not one or take too much memory.
    pub fn decode(&self) -> Result<Option<LuaObject<'static>>, RowError> {
        let bytes = self.unpack()?;
        if !bytes.starts_with(MAGIC) {
            return Ok(None);
        }
        room_for_object(bytes.len(), self.data.len(), self.max_memory)?;
        let object = lua_object::decode_with(&bytes, &self.options);
        let object = object.map_err(|error| RowError::Object(error.of_complete_input()))?;
        Ok(Some(object.into_owned()))
    }
}

/// `ScriptData[12], uid … key …`
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.table, self.rowid)?;
        match self.data() {
            Ok(data) => write!(f, ", {}", data.key),
            Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrap_mechanic::packed::MAX_UNPACKED;
    use crate::scrap_mechanic::save::RowKey;
    use enginewire::budget;
    use enginewire::scrap_mechanic::lua_object::LuaSaveData;
    use pretty_assertions::assert_eq;

    fn row(object: &LuaObject<'_>) -> Row {
        let data = RowData {
            key: RowKey::Numbers { id: 3, channel: 2 },
            world_id: None,
            flags: Some(0),
            block: pack(&lua_object::encode(object).unwrap()).into_byte_string(),
        };
        let bytes = data.encode(Layout::Numbered).unwrap();
        let (max_unpacked, max_memory) = (MAX_UNPACKED, budget::DEFAULT);
        let (table, options) = ("ScriptData", Options::new());
        Row {
            table,
            rowid: 12,
            layout: Layout::Numbered,
            data: bytes,
            stored: Stored::Bytes,
            options,
            max_unpacked,
            max_memory,
        }
    }

    /// The smaller one of two limits is reported.
    #[test]
    fn a_row_unpacks_to_no_more_than_it_may() {
        let object = LuaObject::new("a text that does not repeat itself");
        let row = row(&object);
        assert_eq!(row.to_string(), "ScriptData[12], id 3 channel 2");
        assert_eq!((row.table(), row.rowid(), row.layout()), ("ScriptData", 12, Layout::Numbered));
        assert_eq!(row.bytes(), row.data);
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
}

//! The rows of saves of Scrap Mechanic. TypeScript reads them from the database.

use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::ByteString;
use enginewire::OverBudget;
use enginewire_files::scrap_mechanic::save_row::{address, Layout, RowData};
use enginewire_files::scrap_mechanic::{pack, unpack, UnpackError, MAX_UNPACKED};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::Failure;

/// The column `data` of a row, by the number of its layout.
fn row(layout: u8, data: &[u8]) -> Result<(Layout, RowData<'_>), Failure> {
    let layout = match layout {
        0 => Layout::Numbered,
        1 => Layout::Reversed,
        _ => Layout::Named,
    };
    let row = RowData::decode(layout, data);
    Ok((layout, row.map_err(|error| Failure::of_error(&error).within("row"))?))
}

/// The address of a row, by its number where its key cannot be read.
#[wasm_bindgen]
pub fn save_address(table: &str, number: &str, layout: u8, data: &[u8]) -> String {
    let row = row(layout, data).ok();
    address(table, number.parse().unwrap_or_default(), row.as_ref().map(|(_, row)| row)).to_string()
}

/// The key and the other columns of a row, as a JSON object, with the key for people as `shown`.
#[wasm_bindgen]
pub fn save_row(layout: u8, data: &[u8]) -> Result<String, JsValue> {
    let (_, row) = row(layout, data).map_err(Failure::thrown)?;
    // collecting them would sort them, by code of its own
    let mut members = Map::new();
    members.extend(row.members().into_iter().map(|(name, value)| (name.to_owned(), value)));
    members.insert("shown".to_owned(), row.key.to_string().into());
    Ok(Value::from(members).to_string())
}

/// The unpacked content of a row. The row and its content together take no more than `max_memory` bytes.
#[wasm_bindgen]
pub fn save_unpack(layout: u8, data: &[u8], max_memory: f64) -> Result<Vec<u8>, JsValue> {
    let unpacked = || {
        let (_, row) = row(layout, data)?;
        let (max_memory, left) = (max_memory as usize, (max_memory as usize).saturating_sub(data.len()));
        unpack(&row.block, MAX_UNPACKED.min(left)).map_err(|error| match error {
            UnpackError::TooLarge { .. } if left < MAX_UNPACKED => {
                Failure::of_file("too-large", &OverBudget { limit: max_memory }, None)
            }
            UnpackError::TooLarge { .. } => Failure::of_file("too-large", &error, None),
            error => Failure::of_file("save", &error, None),
        })
    };
    unpacked().map_err(Failure::thrown)
}

/// The column `data` with another object in it. The object is checked first.
#[wasm_bindgen]
pub fn save_replace(layout: u8, data: &[u8], object: &[u8]) -> Result<Vec<u8>, JsValue> {
    let replaced = || {
        let (layout, row) = row(layout, data)?;
        lua_object::decode(object).map_err(|error| Failure::of_error(&error).within("object"))?;
        Ok(RowData { block: ByteString::from(pack(object)), ..row }.encode(layout)?)
    };
    replaced().map_err(Failure::thrown)
}

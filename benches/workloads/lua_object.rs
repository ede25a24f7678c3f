//! A LuaObject like the terrain of a world, the same in every run.

use enginewire::scrap_mechanic::lua_object::{LuaObject, LuaSaveData, Table, TableKeyValuePair, Uuid};

/// A terrain: cells in `rows` rows, from −72 on: small numbers mostly, and a UUID in every eighth.
pub(crate) fn terrain_of(rows: i32) -> LuaObject<'static> {
    let cell = |index: i32| match index % 8 {
        0 => Uuid((index as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes()).into(),
        1 => LuaSaveData::integer(index * 7),
        2 => LuaSaveData::number(f64::from(index) / 3.0),
        _ => LuaSaveData::integer(index % 100),
    };
    let row = |row: i32| Table::Array { offset: -72, elements: (0..145).map(|at| cell(row * 145 + at)).collect() };
    let rows = (0..rows).map(|index| row(index).into());
    let pair = |key: &'static str, value| TableKeyValuePair { key: key.into(), value };
    let cells = Table::Array { offset: -72, elements: rows.collect() };
    LuaObject::new(Table::Pairs([pair("version", LuaSaveData::Int8(1)), pair("cells", cells.into())].into()))
}

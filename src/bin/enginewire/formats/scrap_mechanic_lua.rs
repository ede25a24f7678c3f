//! Scrap Mechanic LuaObject.

use std::io::{self, Read};

use enginewire::json;
use enginewire::scrap_mechanic::lua_object::{
    self, Decoder, LuaObject, LuaSaveData, LuaSaveDataType, Options, Table, UserdataTypeId,
};
use enginewire::wire::{ReadError, Tree};
use enginewire::{DecodeError, Limits};

use super::{Checked, Counts, Format, FormatOptions, JsonOut, TypeRow, Unwritable};

#[derive(Debug)]
pub struct ScrapMechanicLua;

impl Format for ScrapMechanicLua {
    fn name(&self) -> &'static str {
        "scrap-mechanic-lua"
    }

    fn about(&self) -> &'static str {
        "values of Scrap Mechanic scripts"
    }

    fn found_in(&self) -> &'static str {
        "saves, blueprints, tiles"
    }

    fn magic(&self) -> Option<&'static [u8]> {
        Some(lua_object::MAGIC)
    }

    fn types(&self) -> Vec<TypeRow> {
        let mut rows = super::type_rows::<LuaSaveDataType>();
        rows.extend(super::type_rows::<UserdataTypeId>());
        rows
    }

    fn inspect(&self, bytes: &[u8], given: &FormatOptions) -> Tree {
        lua_object::inspect_within(bytes, &options(given), super::tree_memory(bytes, given))
    }

    fn decode(
        &self,
        bytes: &[u8],
        given: &FormatOptions,
        out: &mut JsonOut<'_>,
    ) -> Result<io::Result<()>, DecodeError> {
        lua_object::decode_with(bytes, &options(given)).map(|object| out.write(&object))
    }

    fn decode_partial(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>) -> io::Result<()> {
        let partial = lua_object::decode_partial(bytes, &options(given));
        partial.value.or(partial.unfinished).map_or(Ok(()), |object| out.write(&object))
    }

    fn count(&self, bytes: &[u8], given: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError> {
        count(&lua_object::decode_with(bytes, &options(given))?.data, 0, counts);
        Ok(())
    }

    fn encode(&self, document: &[u8], _: &FormatOptions) -> Result<Vec<u8>, Unwritable> {
        let object: LuaObject<'_> = json::from_slice(document)?;
        Ok(lua_object::encode(&object)?)
    }

    fn check(&self, reader: &mut dyn Read, limit: usize, given: &FormatOptions) -> Result<Checked, ReadError> {
        let decoder = Decoder::with_options(options(given)).item_limit(limit);
        let report = decoder.check(reader, |_, _| {})?;
        Ok(Checked { entries: report.items, empty: None, findings: report.findings })
    }
}

/// Keys too. Of Userdata, which type of it.
fn count(value: &LuaSaveData<'_>, depth: u64, counts: &mut Counts) {
    let inside = depth.saturating_add(1);
    match value.as_table() {
        Some(Table::Array { elements, .. }) => elements.iter().for_each(|element| count(element, inside, counts)),
        Some(Table::Pairs(pairs)) => pairs.iter().for_each(|pair| {
            count(&pair.key, inside, counts);
            count(&pair.value, inside, counts);
        }),
        _ => {}
    }
    let name = value.as_userdata().map_or(value.type_id().name(), |userdata| userdata.type_id().name());
    counts.add(name, depth);
}

fn options(given: &FormatOptions) -> Options {
    Options::new()
        .limits(super::limits(given, Limits::MAX_DEPTH))
        .unverified_types(!given.no_draft_types)
        .any_padding(given.allow_padding)
        .trailing_bytes(given.allow_trailing)
}

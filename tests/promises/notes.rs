//! Promise: everything that is not canonical is reported with its offset, to the bit.

use enginewire::roblox::remote;
use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::{Note, Report};
use enginewire::{DecodeError, Offset};
use pretty_assertions::assert_eq;

use crate::support::hex;

/// Hears the findings of a check.
fn heard(check: impl FnOnce(&mut dyn FnMut(Offset, Note)) -> Result<Report, DecodeError>) -> Vec<String> {
    let mut notes = Vec::new();
    check(&mut |offset, note| notes.push(format!("{offset} {note:?}"))).unwrap();
    notes
}

#[test]
fn of_a_lua_object() {
    use lua_object::{LuaObject, LuaSaveData, Options, Table, WeakScriptRef};
    let reference = WeakScriptRef { ref_id: 7, flag: true };
    let inner = Table::from_entries([("k".into(), reference.into())]);
    let json = LuaSaveData::Json(b"{}".to_vec().into());
    let mut bytes = lua_object::encode(&LuaObject::new(Table::list([json, inner.into()]))).unwrap();
    *bytes.last_mut().unwrap() |= 1;
    bytes.push(7);
    let options = Options::new().any_padding(true).trailing_bytes(true);
    let notes = heard(|each| lua_object::check_with(&bytes, &options, each));
    assert_eq!(
        notes,
        [
            r#"0x10.1 Draft("Json")"#,
            r#"0x24 Draft("WeakScriptRef")"#,
            r#"0x29.1 NonCanonical("padding that is not 0")"#,
            r#"0x2a NonCanonical("bytes after the end of the value")"#,
        ]
    );
}

#[test]
fn of_packets() {
    let bytes = hex("83 07 00 0b6f 01 01 07 00 0b6f 00 00 07");
    let notes = heard(|each| remote::check_with(&bytes, &remote::Options::new().trailing_bytes(true), each));
    assert_eq!(notes, [r#"0xd NonCanonical("bytes after the end of the value")"#]);
}

//! What carries LuaObjects: saves and blueprints of Scrap Mechanic.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)] // a test may panic

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use enginewire::json;
use enginewire::scrap_mechanic::blueprint::{pack_text, Blueprint, PartError};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData, Table};
use enginewire::scrap_mechanic::save::{Layout, Row, RowError, RowKey, Save, SaveError};
use enginewire::scrap_mechanic::{unpack, UnpackError};
use pretty_assertions::assert_eq;
use serde_json::Value;

fn carriers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scrap-mechanic-lua")
}

/// A copy of a fixture that may be changed; each test has its own.
fn copy(name: &str, test: &str) -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{name}"));
    fs::copy(carriers().join(name), &copy).unwrap();
    copy
}

fn document(text: &Value) -> LuaObject<'static> {
    json::from_slice(text.to_string().as_bytes()).unwrap()
}

fn rows(save: &Save) -> Vec<Row> {
    save.rows().unwrap().map(Result::unwrap).collect()
}

/// A row as the collection describes it: its table, and its key columns.
fn describes(expected: &Value, row: &Row) -> bool {
    let data = row.data().unwrap();
    let columns = &expected["columns"];
    let number = |name: &str, found: Option<u64>| columns[name].as_u64() == found;
    let key = match &data.key {
        RowKey::Numbers { id, channel } => {
            number("id", Some((*id).into())) && number("channel", Some((*channel).into()))
        }
        RowKey::Named { uid, key } => {
            columns["uid"] == HEXLOWER.encode(&uid.0) && columns["key"] == HEXLOWER.encode(key)
        }
    };
    expected["table"] == row.table() && key
}

#[test]
fn every_row_of_every_save() {
    for (version, layouts) in
        [(24, &[Layout::Numbered][..]), (26, &[Layout::Numbered, Layout::Reversed]), (28, &[Layout::Named])]
    {
        let save = Save::open(carriers().join(format!("save-v{version}.db"))).unwrap();
        assert_eq!(save.version(), version);
        let text = fs::read(carriers().join(format!("save-v{version}.rows.json"))).unwrap();
        let expected: Vec<Value> = serde_json::from_slice(&text).unwrap();
        let rows = rows(&save);
        assert_eq!(rows.len(), expected.len());
        for row in &rows {
            assert!(layouts.contains(&row.layout()));
            let expected: Vec<_> = expected.iter().filter(|expected| describes(expected, row)).collect();
            let [expected] = expected[..] else { panic!("{row} is described {} times", expected.len()) };
            let data = row.data().unwrap();
            for (name, found) in [("worldId", data.world_id.map(u64::from)), ("flags", data.flags.map(u64::from))] {
                assert_eq!(expected["columns"][name].as_u64(), found, "{name} of {row}");
            }
            assert_eq!(expected["hex"], HEXLOWER.encode(&row.unpack().unwrap()));
            let object = row.decode().unwrap();
            assert_eq!(object.is_none(), expected["document"].is_null(), "{row}");
            if let Some(object) = object {
                assert_eq!(object, document(&expected["document"]));
            }
            if let (RowKey::Named { key, .. }, Some(expected)) = (&data.key, expected.get("key_document")) {
                assert_eq!(lua_object::decode(key).unwrap(), document(expected));
            }
        }
    }
}

#[test]
fn reading_writes_nothing() {
    let path = copy("save-v28.db", "reading");
    let before = fs::read(&path).unwrap();
    assert!(!rows(&Save::open(&path).unwrap()).is_empty());
    assert_eq!(fs::read(&path).unwrap(), before);
    let mut save = Save::open(&path).unwrap();
    let row = rows(&save).remove(0);
    assert!(matches!(save.replace(&row, &LuaObject::default()), Err(SaveError::Database(_))));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_object_is_put_in_the_place_of_another() {
    let object = LuaObject::new(Table::from_entries([("name".into(), "changed".into())]));
    for version in [24, 26, 28] {
        let path = copy(&format!("save-v{version}.db"), "replace");
        let before = rows(&Save::open(&path).unwrap());
        for index in 0..before.len() {
            let mut save = Save::open_to_write(&path).unwrap();
            let row = rows(&save).remove(index);
            save.replace(&row, &object).unwrap();
            // what was read is not there any more
            assert!(matches!(save.replace(&row, &object), Err(SaveError::Changed)));
        }
        let after = rows(&Save::open(&path).unwrap());
        assert_eq!(after.len(), before.len());
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(after.decode().unwrap().as_ref(), Some(&object));
            let (before_data, after_data) = (before.data().unwrap(), after.data().unwrap());
            assert_eq!(
                (&after_data.key, after_data.world_id, after_data.flags),
                (&before_data.key, before_data.world_id, before_data.flags)
            );
            let head = before.bytes().len() - before_data.block.len() - 4;
            assert_eq!(after.bytes()[..head], before.bytes()[..head]);
            assert_eq!((after.table(), after.rowid()), (before.table(), before.rowid()));
        }
    }
}

#[test]
fn what_is_no_save_is_told() {
    let no_database = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-database.db");
    fs::write(&no_database, "this is a text, and rather longer than the head of a database would have to be").unwrap();
    assert!(matches!(Save::open(&no_database), Err(SaveError::Database(_))));
    assert!(matches!(Save::open("no such file"), Err(SaveError::Io(error)) if error.kind() == ErrorKind::NotFound));
    for (name, expected) in [
        ("version", "save version 29 is unknown; known are 24, 26 and 28"),
        ("without-version", "not a Scrap Mechanic save: there is no table Game with a version"),
        ("without-game", "not a Scrap Mechanic save: there is no table Game with a version"),
    ] {
        let path = carriers().join(format!("bad/save-{name}.db"));
        assert_eq!(Save::open(&path).unwrap_err().to_string(), expected);
    }
}

/// A row that cannot be read does not hide the others.
#[test]
fn broken_rows_are_told_and_the_others_read() {
    let count = rows(&Save::open(carriers().join("save-v28.db")).unwrap()).len();
    let save = Save::open(carriers().join("bad/save-broken-rows.db")).unwrap();
    let results: Vec<_> = save.rows().unwrap().collect();
    assert_eq!(results.len(), count);
    let broken = results.iter().filter(|row| row.as_ref().map_or(true, |row| row.decode().is_err())).count();
    assert_eq!(broken, 4);
    let first = results[0].as_ref().unwrap().decode().unwrap_err();
    assert!(matches!(&first, RowError::Row(error) if error.is_truncated()), "{first}");
}

#[test]
fn unpacking_is_bounded() {
    let path = carriers().join("save-v28.db");
    let save = Save::open(path).unwrap().max_unpacked(10);
    let refused = rows(&save).iter().filter(|row| row.unpack().is_err()).count();
    assert!(refused > 5);
    assert_eq!(unpack(&[0x1f, 0, 1, 0, 255, 255, 255, 0, 0], 100), Err(UnpackError::TooLarge { limit: 100 }));
}

#[test]
fn every_part_of_every_blueprint() {
    for name in ["logic", "mixed", "vehicle"] {
        let text = fs::read_to_string(carriers().join(format!("{name}.blueprint.json"))).unwrap();
        let expected = fs::read(carriers().join(format!("{name}.expected.json"))).unwrap();
        let expected: Vec<Value> = serde_json::from_slice(&expected).unwrap();
        let mut blueprint = Blueprint::new(text.clone()).unwrap();
        let mut objects = Vec::new();
        for (part, expected) in blueprint.parts().zip(&expected) {
            assert_eq!(
                [&expected["body"], &expected["child"]].map(Value::as_u64),
                [part.body(), part.child()].map(|at| u64::try_from(at).ok())
            );
            assert_eq!(expected["hex"], HEXLOWER.encode(&part.unpack(1 << 20).unwrap()));
            assert_eq!(part.decode().unwrap(), document(&expected["document"]));
            objects.push(part.decode().unwrap());
        }
        assert_eq!(objects.len(), expected.len());
        let other = LuaObject::new(LuaSaveData::number(0.1));
        for index in 0..objects.len() {
            assert_eq!(blueprint.replace(index, &other), Ok(true));
        }
        assert!(blueprint.parts().all(|part| part.decode().as_ref() == Ok(&other)));
        // everything else is what it was
        let strip = |text: &str| {
            let mut value: Value = serde_json::from_str(text).unwrap();
            for body in value["bodies"].as_array_mut().unwrap() {
                for child in body["childs"].as_array_mut().unwrap() {
                    if let Some(controller) = child.get_mut("controller").and_then(Value::as_object_mut) {
                        controller.remove("data");
                    }
                }
            }
            value
        };
        assert_eq!(strip(blueprint.text()), strip(&text));
    }
}

#[test]
fn a_part_with_something_else_is_told() {
    let part = |data: &str| {
        let text = format!(r#"{{"bodies": [{{"childs": [{{"controller": {{"data": {data}}}}}]}}]}}"#);
        let blueprint = Blueprint::new(text).unwrap();
        let part = blueprint.parts().next().unwrap();
        part.decode()
    };
    assert_eq!(part(r#""""#).unwrap_err().to_string().split(':').next(), Some("not an LZ4 block"));
    assert!(matches!(part("7"), Err(PartError::NoString)));
    let none = r#"{"bodies": [{"childs": [{"controller": {"data": null}}]}]}"#;
    assert_eq!(Blueprint::new(none).unwrap().parts().count(), 0);
    let packed = pack_text(&LuaObject::new(true)).unwrap();
    assert_eq!(part(&format!("{packed:?}")), Ok(LuaObject::new(true)));
    assert_eq!(part(&format!("\"{packed}==\"")), Ok(LuaObject::new(true)));
}

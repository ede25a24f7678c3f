//! Saves and blueprints of Scrap Mechanic.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use enginewire::json;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData, Table};
use enginewire::OverBudget;
use enginewire_files::scrap_mechanic::blueprint::{pack_text, Blueprint, BlueprintError, PartError};
use enginewire_files::scrap_mechanic::save::{Layout, Row, RowError, RowKey, Save, SaveError};
use enginewire_files::scrap_mechanic::{pack, unpack, UnpackError};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scrap-mechanic-lua")
}

/// A copy of a fixture that may be changed; each test has its own.
fn copy(name: &str, test: &str) -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", name.replace('/', "-")));
    fs::copy(fixtures().join(name), &copy).unwrap();
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
        let save = Save::open(fixtures().join(format!("save-v{version}.db"))).unwrap();
        assert_eq!(save.version(), version);
        let text = fs::read(fixtures().join(format!("save-v{version}.rows.json"))).unwrap();
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
    for name in ["save-v24.db", "save-v26.db", "save-v28.db", "../reports/save-v27.db", "../reports/save-v29.db"] {
        let path = copy(name, "replace");
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
        ("without-data", "save version 29 cannot be read: its table ScriptData has no column data"),
        ("without-version", "not a Scrap Mechanic save: the table Game with a version is missing"),
        ("without-game", "not a Scrap Mechanic save: the table Game with a version is missing"),
    ] {
        let path = fixtures().join(format!("bad/save-{name}.db"));
        assert_eq!(Save::open(&path).unwrap_err().to_string(), expected);
    }
}

/// A row that cannot be read does not hide the others.
#[test]
fn broken_rows_are_told_and_the_others_read() {
    let count = rows(&Save::open(fixtures().join("save-v28.db")).unwrap()).len();
    let save = Save::open(fixtures().join("bad/save-broken-rows.db")).unwrap();
    let results: Vec<_> = save.rows().unwrap().collect();
    assert_eq!(results.len(), count);
    let broken = results.iter().filter(|row| row.as_ref().map_or(true, |row| row.decode().is_err())).count();
    assert_eq!(broken, 4);
    let first = results[0].as_ref().unwrap().decode().unwrap_err();
    assert!(matches!(&first, RowError::Row(error) if error.is_truncated()), "{first}");
}

#[test]
fn unpacking_is_bounded() {
    let path = fixtures().join("save-v28.db");
    let save = Save::open(path).unwrap().max_unpacked(10);
    let refused = rows(&save).iter().filter(|row| row.unpack().is_err()).count();
    assert!(refused > 5);
    assert_eq!(unpack(&[0x1f, 0, 1, 0, 255, 255, 255, 0, 0], 100), Err(UnpackError::TooLarge { limit: 100 }));
}

#[test]
fn every_part_of_every_blueprint() {
    for name in ["logic", "mixed", "vehicle"] {
        let text = fs::read_to_string(fixtures().join(format!("{name}.blueprint.json"))).unwrap();
        let expected = fs::read(fixtures().join(format!("{name}.expected.json"))).unwrap();
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

/// A folder of its own, which is removed at the end of the test.
fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Every file of a folder, with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn objects(save: &Save) -> Vec<Option<LuaObject<'static>>> {
    rows(save).iter().map(|row| row.decode().unwrap()).collect()
}

/// Every row of every table, whatever its name.
fn everything(path: &Path) -> BTreeMap<String, Vec<Vec<rusqlite::types::Value>>> {
    let database = Connection::open(path).unwrap();
    let mut names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let table = |name: String| {
        let mut all = database.prepare(&format!("SELECT rowid, * FROM {name} ORDER BY rowid")).unwrap();
        let columns = all.column_count();
        let all = all.query_map([], |row| (0..columns).map(|column| row.get(column)).collect()).unwrap();
        (name, all.map(Result::unwrap).collect())
    };
    names.into_iter().map(table).collect()
}

/// A save of version 28 with this schema besides.
fn made(path: &Path, schema: &str) {
    let database = Connection::open(path).unwrap();
    database.execute_batch("CREATE TABLE Game (savegameversion integer); INSERT INTO Game VALUES (28)").unwrap();
    database.execute_batch(schema).unwrap();
}

const TABLE: &str = "CREATE TABLE ScriptData (uid blob, key blob, worldId integer, flags integer, data blob)";

/// The column `data` of a row of version 28 with this object.
fn row_bytes(object: &LuaObject<'_>) -> Vec<u8> {
    let block = pack(&lua_object::encode(object).unwrap());
    let size = u32::try_from(block.len()).unwrap().to_be_bytes();
    [&[7; 16][..], &[0, 4, 1, 0, 0, 0], &[0xff, 0xff], &[3], &size, &block].concat()
}

/// A save with a row for each object.
fn filled<'o>(path: &Path, schema: &str, objects: impl IntoIterator<Item = LuaObject<'o>>) {
    made(path, schema);
    let mut database = Connection::open(path).unwrap();
    let transaction = database.transaction().unwrap();
    for object in objects {
        transaction.execute("INSERT INTO ScriptData (data) VALUES (?1)", [row_bytes(&object)]).unwrap();
    }
    transaction.commit().unwrap();
}

fn number(number: u32) -> LuaObject<'static> {
    LuaObject::new(LuaSaveData::number(number.into()))
}

#[test]
fn hostile_saves_are_errors_or_right_rows() {
    let table = |table: &str| format!("not a Scrap Mechanic save: {table} is not a table");
    let no_version = "not a Scrap Mechanic save: the table Game with a version is missing".to_owned();
    let without = "not a Scrap Mechanic save: ScriptData is a table without row numbers (WITHOUT ROWID)".to_owned();
    for (name, expected) in [
        ("h1", Err(table("Game"))),
        ("h2", Err(table("ScriptData"))),
        ("h3", Err(table("ScriptData"))),
        ("h4", Ok((15, 15))),
        ("h5", Err(no_version.clone())),
        ("h6", Ok((5, 0))),
        ("h7", Err(without)),
        ("h8", Err(no_version.clone())),
        ("h9", Err(no_version)),
        ("h10", Ok((0, 0))),
    ] {
        let folder = folder();
        let path = folder.path().join("save.db");
        fs::copy(fixtures().join(format!("hostile/{name}.db")), &path).unwrap();
        let before = files(folder.path());
        let found = Save::open(&path).map_err(|error| error.to_string()).map(|save| {
            let rows: Vec<_> = save.rows().unwrap().collect();
            let good = rows.iter().filter(|row| row.as_ref().is_ok_and(|row| row.decode().is_ok())).count();
            (rows.len(), good)
        });
        assert_eq!(found, expected, "{name}");
        assert_eq!(files(folder.path()), before, "{name}");
        let written = Save::open_to_write(&path).map_err(|error| error.to_string());
        assert_eq!(written.map(drop), expected.map(drop), "{name}");
        assert_eq!(files(folder.path()), before, "{name}");
    }
}

/// No trigger, foreign key or conflict clause of the schema takes part in an edit.
#[test]
fn an_edit_changes_one_row_whatever_the_schema_says() {
    let folder = folder();
    let triggers = folder.path().join("triggers.db");
    fs::copy(fixtures().join("hostile/h4.db"), &triggers).unwrap();
    let cascade = folder.path().join("cascade.db");
    let table = "CREATE TABLE ScriptData (uid blob, worldId integer, data blob unique)";
    let other = "CREATE TABLE Other (id integer, other blob references ScriptData (data) ON UPDATE CASCADE)";
    filled(&cascade, &format!("{table}; {other}"), [number(1), number(2)]);
    let database = Connection::open(&cascade).unwrap();
    database.execute("INSERT INTO Other SELECT 1, data FROM ScriptData WHERE rowid = 1", []).unwrap();
    drop(database);
    for path in [triggers, cascade] {
        let before = everything(&path);
        let mut save = Save::open_to_write(&path).unwrap();
        let row = save.row("ScriptData", 1).unwrap().unwrap();
        save.replace(&row, &number(7)).unwrap();
        let after = Save::open(&path).unwrap().row("ScriptData", 1).unwrap().unwrap();
        assert_eq!(after.decode().unwrap(), Some(number(7)));
        let mut expected = before.clone();
        let cells = &mut expected.get_mut("ScriptData").unwrap()[0];
        *cells.last_mut().unwrap() = rusqlite::types::Value::Blob(after.bytes().to_vec());
        assert_ne!(expected, before);
        assert_eq!(everything(&path), expected);
    }
    // a row in the way stays
    let path = folder.path().join("conflict.db");
    let table = "CREATE TABLE ScriptData (uid blob, worldId integer, data blob unique on conflict replace)";
    filled(&path, table, [number(1), number(2)]);
    let before = fs::read(&path).unwrap();
    let mut save = Save::open_to_write(&path).unwrap();
    let row = rows(&save).remove(0);
    assert!(matches!(save.replace(&row, &number(2)), Err(SaveError::Database(_))));
    drop(save);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn only_ordinary_tables_are_read() {
    let shared = format!(
        "{TABLE}; CREATE TABLE GenericData (uid blob, worldId integer, data blob);
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'ScriptData')
         WHERE name = 'GenericData'"
    );
    for (schema, lie) in [
        ("CREATE TABLE Other (uid blob, data blob)", "name = 'ScriptData'"),
        ("CREATE VIEW Other AS SELECT x'' AS data", "name = 'ScriptData', type = 'table', rootpage = 2"),
        ("CREATE VIEW ScriptData AS SELECT x'' AS data", "type = 'table', rootpage = 2"),
        ("CREATE VIEW ScriptData AS SELECT x'' AS data", "type = 'index', rootpage = 2"),
    ] {
        let folder = folder();
        let path = folder.path().join("save.db");
        let lie = format!("UPDATE sqlite_schema SET {lie} WHERE name IN ('Other', 'ScriptData')");
        made(&path, &format!("{schema}; PRAGMA writable_schema = ON; {lie}"));
        match Save::open(&path) {
            Err(SaveError::Database(_)) => {}
            opened => panic!("{schema}, {lie}: {opened:?}"),
        }
    }
    for (schema, reason) in [
        ("CREATE VIEW ScriptData AS SELECT x'' AS data", "ScriptData is not a table"),
        ("CREATE VIRTUAL TABLE GenericData USING rtree(id, data, uid)", "GenericData is not a table"),
        (
            "CREATE TABLE ScriptDataUuid (rowid text, data blob)",
            "ScriptDataUuid has a column of its own that is called rowid",
        ),
        (
            "CREATE TABLE ScriptDataUuid (RowID text, data blob)",
            "ScriptDataUuid has a column of its own that is called rowid",
        ),
        (
            "CREATE TABLE Page (x); CREATE VIRTUAL TABLE ScriptData USING rtree(id, data, uid); DROP TABLE Page;
             PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'ScriptData'",
            "ScriptData is not a table",
        ),
        (&shared, "ScriptData shares its pages with another table"),
    ] {
        let folder = folder();
        let path = folder.path().join("save.db");
        made(&path, schema);
        let error = Save::open(&path).unwrap_err();
        assert!(matches!(error, SaveError::NotATable { .. }), "{schema}: {error:?}");
        assert_eq!(error.to_string(), format!("not a Scrap Mechanic save: {reason}"));
    }
    for schema in [
        "CREATE TABLE \"ScriptData\" (uid blob, worldId integer, data blob)",
        "CREATE TABLE [ScriptData](uid blob, worldId integer, data blob)",
        "create table if not exists scriptdata (uid blob, worldId integer, data blob)",
        "CREATE TABLE main.'ScriptData'\n(id integer primary key, uid blob, worldId integer, data blob)",
    ] {
        let folder = folder();
        let path = folder.path().join("save.db");
        filled(&path, schema, [number(1)]);
        assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(1))], "{schema}");
    }
    // what is computed is not stored
    let folder = folder();
    let path = folder.path().join("save.db");
    made(
        &path,
        "CREATE TABLE ScriptData (id integer, data blob generated always as (zeroblob(900000000)));
                 INSERT INTO ScriptData (id) VALUES (1)",
    );
    assert!(matches!(Save::open(&path), Err(SaveError::NoColumn { column: "data", .. })));
}

/// A schema that is made to take memory.
#[test]
fn a_schema_is_bounded() {
    let columns = (0..200).map(|index| format!("c{index}")).collect::<Vec<_>>().join(",");
    let long = "x".repeat(20_000);
    let many: String = (0..1100).map(|index| format!("CREATE TABLE t{index} (x);")).collect();
    for (schema, fits) in [
        (format!("CREATE TABLE t ({columns})"), false),
        (format!("CREATE TABLE t (x text default '{long}')"), false),
        (format!("BEGIN; {many} COMMIT"), false),
        ("CREATE TABLE t (x)".to_owned(), true),
    ] {
        let folder = folder();
        let path = folder.path().join("save.db");
        made(&path, &schema);
        assert_eq!(Save::open(&path).is_ok(), fits, "{:.40}", schema);
    }
}

#[test]
fn a_save_of_any_version_is_read_by_its_columns() {
    for version in [-1, 0, 20, 23, 24, 25, 26, 27, 28, 29] {
        let folder = folder();
        let path = folder.path().join("save.db");
        made(&path, TABLE);
        Connection::open(&path).unwrap().execute("UPDATE Game SET savegameversion = ?1", [version]).unwrap();
        for opened in [Save::open(&path), Save::open_to_write(&path)] {
            match opened {
                Ok(save) => {
                    assert_eq!(i64::from(save.version()), version);
                    let unknown = format!(
                        "save version {version} is unknown; known are 24, 26, 27 and 28, and the rows are read by the \
                         columns of their tables"
                    );
                    let expected = if matches!(version, 24 | 26 | 27 | 28) { vec![] } else { vec![unknown] };
                    assert_eq!(save.warnings(), expected);
                }
                Err(error) => assert!(version < 0 && matches!(error, SaveError::NoSave), "{version}: {error}"),
            }
        }
    }
}

/// Committed pages of a log are read and copied, others are not, and the files stay as they are.
#[test]
fn a_log_is_read_and_left_alone() {
    let live = folder();
    let path = live.path().join("save.db");
    filled(&path, TABLE, (0..50).map(number));
    let writer = Connection::open(&path).unwrap();
    let wal = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5";
    writer.execute_batch(wal).unwrap();
    writer.execute("UPDATE ScriptData SET data = ?1 WHERE rowid = 3", [row_bytes(&number(1000))]).unwrap();
    // this spills, and is never committed
    let large = LuaObject::new("a text that is long enough to need a page for itself ".repeat(100));
    writer.execute_batch("BEGIN").unwrap();
    writer.execute("UPDATE ScriptData SET data = ?1 || randomblob(3000)", [row_bytes(&large)]).unwrap();
    let before = files(live.path());
    assert_eq!(before.keys().collect::<Vec<_>>(), ["save.db", "save.db-shm", "save.db-wal"]);
    assert!(before["save.db-wal"].len() > 50 * 3000, "the change is in the log");

    let expected: Vec<_> = (0..50).map(|index| Some(number(if index == 2 { 1000 } else { index }))).collect();
    // the save while the game has it open, and the files that are left after a system crash
    let left = folder();
    for name in ["save.db", "save.db-wal"] {
        fs::copy(live.path().join(name), left.path().join(name)).unwrap();
    }
    for place in [live.path(), left.path()] {
        let before = files(place);
        let save = Save::open(place.join("save.db")).unwrap();
        assert_eq!(objects(&save), expected);
        let copies = folder();
        let copy = copies.path().join("copy.db");
        assert!(matches!(save.copy_to(&copy), Err(SaveError::Io(error)) if error.kind() == ErrorKind::NotFound));
        fs::write(&copy, "").unwrap();
        save.copy_to(&copy).unwrap();
        assert!(matches!(save.copy_to(&copy), Err(SaveError::Io(error)) if error.kind() == ErrorKind::AlreadyExists));
        drop(save);
        assert_eq!(files(copies.path()).keys().collect::<Vec<_>>(), ["copy.db"]);
        let mut save = Save::open_to_write(&copy).unwrap();
        assert_eq!(objects(&save), expected);
        let row = rows(&save).remove(0);
        save.replace(&row, &number(77)).unwrap();
        save.close().unwrap();
        // all of it is in the one file
        assert_eq!(files(copies.path()).keys().collect::<Vec<_>>(), ["copy.db"]);
        let save = Save::open(&copy).unwrap();
        assert_eq!((objects(&save)[0].clone(), &objects(&save)[1..]), (Some(number(77)), &expected[1..]));
        drop(save);
        assert_eq!(files(copies.path()).keys().collect::<Vec<_>>(), ["copy.db"]);
        assert_eq!(files(place), before);
    }
    // what was read is a copy, which nothing can be written to
    let mut save = Save::open(left.path().join("save.db")).unwrap();
    let row = rows(&save).remove(0);
    assert!(matches!(save.replace(&row, &number(7)), Err(SaveError::Database(_))));
}

/// A save in WAL mode without a log, under names that SQLite would take for something else.
#[test]
fn a_path_is_a_path() {
    let folder = folder();
    let plain = folder.path().join("plain.db");
    filled(&plain, TABLE, [number(5)]);
    let wal = folder.path().join("wal.db");
    fs::copy(&plain, &wal).unwrap();
    Connection::open(&wal).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
    assert_eq!(fs::read(&wal).unwrap()[18], 2);
    for (index, name) in
        ["file:x.db", ":memory:", "a?mode=memory&x=#y", "%41 %00 é", "file:%2e?immutable=0"].into_iter().enumerate()
    {
        for original in [&plain, &wal] {
            let folder = folder.path().join(format!("{index}-{}", original.file_stem().unwrap().to_str().unwrap()));
            fs::create_dir(&folder).unwrap();
            let path = folder.join(name);
            fs::copy(original, &path).unwrap();
            let before = files(&folder);
            assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(5))], "{name}");
            assert_eq!(files(&folder), before);
            let mut save = Save::open_to_write(&path).unwrap();
            let row = rows(&save).remove(0);
            save.replace(&row, &number(6)).unwrap();
            save.close().unwrap();
            assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(6))], "{name}");
            assert_eq!(files(&folder).len(), 1, "{name}");
        }
    }
    let error = Save::open(folder.path()).unwrap_err();
    assert_eq!(error.to_string(), "not a regular file");
}

/// An empty log is ignored. SQLite would create an index for it.
#[test]
fn an_empty_log_is_left_alone() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, [number(5)]);
    for mode in ["DELETE", "WAL"] {
        Connection::open(&path).unwrap().execute_batch(&format!("PRAGMA journal_mode = {mode}")).unwrap();
        fs::write(folder.path().join("save.db-wal"), "").unwrap();
        let before = files(folder.path());
        assert_eq!(before.len(), 2);
        assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(5))]);
        assert_eq!(files(folder.path()), before, "{mode}");
        // the file itself is read, and a change of it is detected
        let save = Save::open(&path).unwrap();
        fs::write(folder.path().join("save.db-wal"), "more").unwrap();
        let read: Vec<_> = save.rows().unwrap().collect();
        assert!(matches!(read[..], [Ok(_), Err(SaveError::Locked)]), "{mode}");
        fs::remove_file(folder.path().join("save.db-wal")).unwrap();
    }
}

/// If a program stopped in the middle of a change, its save is read as it was before the change.
#[test]
fn a_journal_is_rolled_back_in_a_copy() {
    let live = folder();
    let path = live.path().join("save.db");
    filled(&path, TABLE, (0..50).map(number));
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA cache_size = 2; PRAGMA synchronous = FULL; BEGIN").unwrap();
    writer.execute("UPDATE ScriptData SET data = ?1 || randomblob(3000)", [row_bytes(&number(7))]).unwrap();
    // it has written some of its pages
    assert!(matches!(Save::open(&path), Err(SaveError::Locked)));
    let left = folder();
    for name in ["save.db", "save.db-journal"] {
        fs::copy(live.path().join(name), left.path().join(name)).unwrap();
    }
    let before = files(left.path());
    let stopped = left.path().join("save.db");
    let expected: Vec<_> = (0..50).map(|index| Some(number(index))).collect();
    let save = Save::open(&stopped).unwrap();
    assert_eq!(objects(&save), expected);
    drop(save);
    assert_eq!(files(left.path()), before);
    // a journal that names another file, which would be removed with it
    let victim = left.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let mut journal = before["save.db-journal"].clone();
    let name = victim.to_str().unwrap().as_bytes();
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    journal.extend(1_073_741_824_u32.div_euclid(4096).to_be_bytes());
    journal.extend(name);
    journal.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(left.path().join("save.db-journal"), journal).unwrap();
    let before = files(left.path());
    for opened in [Save::open(&stopped), Save::open_to_write(&stopped)] {
        assert!(matches!(opened, Err(SaveError::ForeignJournal)), "{opened:?}");
    }
    assert_eq!(files(left.path()), before);
}

/// A program that only prepares a change is not in the way of reading, and the other way round.
#[test]
fn a_save_in_use_is_locked() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, [number(1), number(2)]);
    let before = fs::read(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(1)), Some(number(2))]);
    let mut save = Save::open_to_write(&path).unwrap();
    let row = rows(&save).remove(0);
    let error = save.replace(&row, &number(3)).unwrap_err();
    assert!(matches!(error, SaveError::Locked));
    // the lock is taken before the first change
    assert!(matches!(save.change_all([]), Err(SaveError::Locked)));
    assert_eq!(error.to_string(), "another program, perhaps the game, is using the save; close it and try again");
    other.execute_batch("ROLLBACK; BEGIN EXCLUSIVE").unwrap();
    assert!(matches!(Save::open(&path), Err(SaveError::Locked)));
    assert!(matches!(Save::open_to_write(&path), Err(SaveError::Locked)));
    assert!(matches!(save.rows().map(drop), Err(SaveError::Locked)));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    // while rows are read, they are those of one moment, for every iterator
    other.busy_timeout(std::time::Duration::ZERO).unwrap();
    let mut first = save.rows().unwrap();
    assert!(other.execute("DELETE FROM ScriptData", []).is_err());
    assert_eq!(save.rows().unwrap().count(), 2);
    first.next().unwrap().unwrap();
    assert!(other.execute("DELETE FROM ScriptData", []).is_err());
    assert_eq!(first.count(), 1);
    assert_eq!(other.execute("DELETE FROM ScriptData", []).unwrap(), 2);
    assert_eq!(rows(&save).len(), 0);
}

/// Changes stay in the log until it is merged into the file. That is impossible while another program reads the
/// previous state.
#[test]
fn closing_says_that_a_log_is_left() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, [number(1)]);
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("PRAGMA journal_mode = WAL; BEGIN").unwrap();
    assert_eq!(reader.query_row("SELECT count(*) FROM ScriptData", [], |row| row.get(0)), Ok(1));
    let change = |object| {
        let mut save = Save::open_to_write(&path).unwrap();
        let row = rows(&save).remove(0);
        save.replace(&row, &object).unwrap();
        save.close()
    };
    assert!(matches!(change(number(2)), Err(SaveError::Locked)));
    reader.execute_batch("COMMIT").unwrap();
    change(number(3)).unwrap();
    drop(reader);
    assert_eq!(files(folder.path()).len(), 1);
    assert_eq!(objects(&Save::open(&path).unwrap()), [Some(number(3))]);
}

/// A file that is read without a lock, and is not the same at the end.
#[test]
fn a_file_that_changes_under_the_reader_is_told() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, [number(1), number(2)]);
    Connection::open(&path).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
    let save = Save::open(&path).unwrap();
    assert_eq!(rows(&save).len(), 2);
    fs::write(folder.path().join("save.db-wal"), "").unwrap();
    let read: Vec<_> = save.rows().unwrap().collect();
    assert!(matches!(read[..], [Ok(_), Ok(_), Err(SaveError::Locked)]));
    let copy = folder.path().join("copy.db");
    fs::write(&copy, "").unwrap();
    assert!(matches!(save.copy_to(copy), Err(SaveError::Locked)));
}

#[test]
fn a_failed_edit_changes_nothing() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, (0..5).map(number));
    let before = fs::read(&path).unwrap();
    let deep = (0..200).fold(LuaSaveData::Nil, |inner, _| Table::list([inner]).into());
    let mut save = Save::open_to_write(&path).unwrap();
    let rows = rows(&save);
    let [good, deep] = [number(70), LuaObject::new(deep)];
    let failed = save.change_all([(&rows[0], Some(&good)), (&rows[1], Some(&deep)), (&rows[2], Some(&good))]);
    assert!(matches!(failed, Err(SaveError::Encode(_))));
    // a row that comes twice is not what it was
    let failed = save.change_all([(&rows[0], Some(&good)), (&rows[3], Some(&good)), (&rows[0], Some(&deep))]);
    assert!(matches!(failed, Err(SaveError::Encode(_))));
    let failed = save.change_all([(&rows[0], Some(&good)), (&rows[3], Some(&good)), (&rows[0], Some(&number(71)))]);
    assert!(matches!(failed, Err(SaveError::Changed)));
    let expected: Vec<_> = (0..5).map(|index| Some(number(index))).collect();
    assert_eq!(objects(&save), expected);
    drop(save);
    assert_eq!(fs::read(&path).unwrap(), before);
    // a row that another program has changed
    Connection::open(&path).unwrap().execute("UPDATE ScriptData SET data = x'00' WHERE rowid = 4", []).unwrap();
    let before = fs::read(&path).unwrap();
    let mut save = Save::open_to_write(&path).unwrap();
    assert!(matches!(save.change_all([(&rows[0], Some(&good)), (&rows[3], Some(&good))]), Err(SaveError::Changed)));
    drop(save);
    assert_eq!(fs::read(&path).unwrap(), before);
    let mut save = Save::open_to_write(&path).unwrap();
    save.change_all([(&rows[0], Some(&good)), (&rows[4], Some(&good))]).unwrap();
    assert_eq!(save.row("ScriptData", 5).unwrap().unwrap().decode().unwrap(), Some(good));
    assert_eq!(save.row("ScriptData", 6).unwrap(), None);
    assert_eq!(save.row("ScriptData", 0).unwrap(), None);
    assert_eq!(save.row("Game", 1).unwrap(), None);
}

/// Numbers of rows go from the least to the greatest that there can be.
#[test]
fn every_number_of_a_row() {
    let folder = folder();
    let path = folder.path().join("save.db");
    made(&path, TABLE);
    let numbers = [i64::MIN, -1, 0, 1, 7, i64::MAX];
    for rowid in numbers {
        let insert = "INSERT INTO ScriptData (rowid, data) VALUES (?1, ?2)";
        let object = LuaObject::new(rowid.to_string());
        Connection::open(&path).unwrap().execute(insert, rusqlite::params![rowid, row_bytes(&object)]).unwrap();
    }
    let save = Save::open(&path).unwrap();
    assert_eq!(rows(&save).iter().map(Row::rowid).collect::<Vec<_>>(), numbers);
    for rowid in numbers {
        let row = save.row("ScriptData", rowid).unwrap().unwrap();
        assert_eq!((row.rowid(), row.decode()), (rowid, Ok(Some(LuaObject::new(rowid.to_string())))));
    }
    for rowid in [i64::MIN + 1, -2, 2, 6, i64::MAX - 1] {
        assert_eq!(save.row("ScriptData", rowid).unwrap(), None);
    }
}

/// Rows that are not in the order of their numbers could be missed: the first of them that is not is an error.
#[test]
fn rows_out_of_order_are_told() {
    let folder = folder();
    let path = folder.path().join("save.db");
    for (count, swapped) in [(2, 0), (5, 1), (5, 3), (600, 254), (600, 255), (600, 256), (600, 511)] {
        let _ = fs::remove_file(&path);
        let large = "PRAGMA page_size = 65536";
        filled(&path, &format!("{large}; VACUUM; {TABLE}"), (0..count).map(number));
        let mut bytes = fs::read(&path).unwrap();
        // the third page is the table: 8 bytes of header, then where each row is
        let page = 2 * 65536;
        assert_eq!(
            (bytes[page], u16::from_be_bytes([bytes[page + 3], bytes[page + 4]])),
            (13, u16::try_from(count).unwrap())
        );
        let at = page + 8 + 2 * swapped;
        bytes[at..at + 4].rotate_left(2);
        fs::write(&path, &bytes).unwrap();
        let rows: Vec<_> = Save::open(&path).unwrap().rows().unwrap().collect();
        let (last, good) = rows.split_last().unwrap();
        // no row is given for another
        for row in good.iter().flatten() {
            assert_eq!(row.decode().unwrap(), Some(number(u32::try_from(row.rowid()).unwrap() - 1)));
        }
        let error = last.as_ref().unwrap_err();
        assert_eq!(error.to_string(), "the database is damaged: the rows of ScriptData are not in order");
        // a batch ends with a row that is found again or not
        assert!(good.len() <= swapped + 1 && swapped <= good.len() + 1, "{swapped}: {}", good.len());
    }
}

/// Batches of rows end where the table does, or do not.
#[test]
fn any_number_of_rows() {
    let folder = folder();
    for count in [0, 1, 255, 256, 257, 511, 512, 513] {
        let path = folder.path().join(format!("{count}.db"));
        filled(&path, TABLE, (0..count).map(number));
        assert_eq!(objects(&Save::open(&path).unwrap()), (0..count).map(|at| Some(number(at))).collect::<Vec<_>>());
    }
}

/// A damaged file is not made worse: two tables have a page in common.
#[test]
fn a_damaged_save_is_not_written_to() {
    let folder = folder();
    let path = folder.path().join("save.db");
    made(&path, &format!("PRAGMA page_size = 1024; {TABLE}; CREATE TABLE Other (data blob)"));
    let large = LuaObject::new("0123456789".chars().cycle().take(10).collect::<String>());
    let database = Connection::open(&path).unwrap();
    for _ in 0..100 {
        database.execute("INSERT INTO ScriptData (data) VALUES (?1)", [row_bytes(&large)]).unwrap();
        database.execute("INSERT INTO Other (data) VALUES (?1)", [row_bytes(&large)]).unwrap();
    }
    let root = |name: &str| -> usize {
        let find = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        database.query_row(find, [name], |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap()
    };
    let page: usize =
        database.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap();
    let (one, other) = ((root("ScriptData") - 1) * page, (root("Other") - 1) * page);
    drop(database);
    let mut bytes = fs::read(&path).unwrap();
    // a table whose root is a copy of the other's has all its pages below the root
    bytes.copy_within(one..one + page, other);
    fs::write(&path, &bytes).unwrap();
    let mut save = Save::open_to_write(&path).unwrap();
    let row = save.row("ScriptData", 1).unwrap().unwrap();
    let error = save.replace(&row, &number(1)).unwrap_err();
    assert!(matches!(error, SaveError::Damaged(_)), "{error:?}");
    drop(save);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

/// Each limit is exact: a value is read if the limit is its size. With one byte less, reading fails with an error that
/// names the limit.
#[test]
fn limits_are_exact() {
    let folder = folder();
    let path = folder.path().join("save.db");
    let object = LuaObject::new("a".repeat(5000));
    filled(&path, TABLE, [object.clone()]);
    let unpacked = lua_object::encode(&object).unwrap().len();
    let row = rows(&Save::open(&path).unwrap()).remove(0);
    let stored = row.bytes().len();
    assert!(stored < 100 && unpacked > 5000);

    let with = |memory: usize| Save::open(&path).unwrap().max_memory(memory);
    let error = with(stored - 1).rows().unwrap().next().unwrap().unwrap_err();
    let is_over = |error: &SaveError| matches!(error, SaveError::Unreadable { table: "ScriptData", rowid: 1, error } if matches!(**error, SaveError::Memory(_)));
    assert!(is_over(&error), "{error:?}");
    let limit = format!("more memory is needed than the limit of {} bytes", stored - 1);
    assert_eq!(error.to_string(), format!("ScriptData[1]: {limit}"));
    assert!(with(stored - 1).row("ScriptData", 1).is_err_and(|error| is_over(&error)));
    let row = rows(&with(stored)).remove(0);
    assert_eq!(row.unpack(), Err(RowError::Memory(OverBudget { limit: stored })));
    let row = rows(&with(stored + unpacked - 1)).remove(0);
    assert_eq!(row.unpack(), Err(RowError::Memory(OverBudget { limit: stored + unpacked - 1 })));
    let row = rows(&with(stored + unpacked)).remove(0);
    assert_eq!(row.unpack().map(|bytes| bytes.len()), Ok(unpacked));
    let whole = stored + unpacked + 32 * unpacked;
    let row = rows(&with(whole - 1)).remove(0);
    assert_eq!(row.decode(), Err(RowError::Memory(OverBudget { limit: whole - 1 })));
    assert_eq!(rows(&with(whole)).remove(0).decode(), Ok(Some(object.clone())));

    let with = |bytes: usize| rows(&Save::open(&path).unwrap().max_unpacked(bytes)).remove(0);
    assert_eq!(with(unpacked).decode(), Ok(Some(object)));
    let error = UnpackError::TooLarge { limit: unpacked - 1 };
    assert_eq!(with(unpacked - 1).unpack(), Err(RowError::Unpack(error.clone())));
    assert_eq!(with(unpacked - 1).decode(), Err(RowError::Unpack(error)));
    // if a value exceeds both limits, the error names the memory limit if that is lower
    let both = Save::open(&path).unwrap().max_unpacked(100).max_memory(stored + 100);
    assert_eq!(rows(&both)[0].unpack(), Err(RowError::Unpack(UnpackError::TooLarge { limit: 100 })));
    let both = Save::open(&path).unwrap().max_unpacked(100).max_memory(stored + 99);
    assert_eq!(rows(&both)[0].unpack(), Err(RowError::Memory(OverBudget { limit: stored + 99 })));
}

/// A block of zeros unpacks to 255 times its size, and each zero becomes a value.
#[test]
fn a_large_row_is_bounded() {
    let folder = folder();
    let path = folder.path().join("save.db");
    filled(&path, TABLE, [LuaObject::new(Table::list(vec![LuaSaveData::Nil; 2_000_000])), number(1)]);
    Connection::open(&path).unwrap().execute("INSERT INTO ScriptData (data) VALUES (zeroblob(9000000))", []).unwrap();
    let save = Save::open(&path).unwrap().max_memory(8 << 20);
    let mut found = Vec::new();
    let used = allocation_counter::measure(|| {
        for row in save.rows().unwrap() {
            found.push(
                row.map(|row| row.decode().map_err(|error| error.to_string())).map_err(|error| error.to_string()),
            );
        }
    });
    let over = "more memory is needed than the limit of 8 MiB";
    assert_eq!(found, [Ok(Err(over.to_owned())), Ok(Ok(Some(number(1)))), Err(format!("ScriptData[3]: {over}"))]);
    assert!(used.bytes_max <= 8 << 20, "{used:?}");
}

/// Ten times the rows take ten times the work, and no more memory.
#[test]
fn rows_are_read_and_changed_in_linear_time() {
    let folder = folder();
    let measure = |count: u32| {
        let path = folder.path().join(format!("{count}.db"));
        filled(&path, TABLE, (0..count).map(number));
        let save = Save::open(&path).unwrap();
        let read =
            allocation_counter::measure(|| assert_eq!(save.rows().unwrap().count(), usize::try_from(count).unwrap()));
        let mut save = Save::open_to_write(&path).unwrap();
        let rows = rows(&save);
        let changes: Vec<_> = (0..count).map(|index| number(index + 1)).collect();
        let edit = allocation_counter::measure(|| save.change_all(rows.iter().zip(changes.iter().map(Some))).unwrap());
        assert_eq!(objects(&save), changes.into_iter().map(Some).collect::<Vec<_>>());
        (read, edit)
    };
    let (small, large) = (measure(600), measure(6000));
    assert!(large.0.bytes_max <= small.0.bytes_max + 100, "{small:?} {large:?}");
    assert!(large.1.bytes_max <= small.1.bytes_max + 100, "{small:?} {large:?}");
    for (small, large) in [(small.0, large.0), (small.1, large.1)] {
        assert!(large.bytes_total <= 11 * small.bytes_total, "{small:?} {large:?}");
    }
}

/// A blueprint with `count` parts.
fn parts(count: usize) -> String {
    let part = format!(r#"{{"controller":{{"data":"{}"}}}}"#, pack_text(&number(1)).unwrap());
    format!(r#"{{"bodies":[{{"childs":[{}]}}]}}"#, vec![part; count].join(","))
}

#[test]
fn parts_are_changed_in_linear_time() {
    let measure = |count: usize| {
        let mut blueprint = Blueprint::new(parts(count)).unwrap();
        let other = LuaObject::new("another length");
        let used = allocation_counter::measure(|| {
            assert_eq!(blueprint.replace_all((0..count).map(|index| (index, &other))), Ok(true));
        });
        assert!(blueprint.parts().all(|part| part.decode().as_ref() == Ok(&other)));
        used.bytes_total
    };
    let (small, large) = (measure(500), measure(5000));
    assert!(large <= 12 * small, "{small} {large}");
}

/// All parts or none: one that is not there, or an object that cannot be encoded, leaves the text as it is.
#[test]
fn parts_are_changed_together() {
    let mut blueprint = Blueprint::new(parts(3)).unwrap();
    let before = blueprint.clone();
    let deep = LuaObject::new((0..200).fold(LuaSaveData::Nil, |inner, _| Table::list([inner]).into()));
    let [two, three] = [number(2), number(3)];
    assert!(blueprint.replace_all([(0, &two), (1, &deep)]).is_err());
    assert_eq!(blueprint.replace_all([(0, &two), (3, &two)]), Ok(false));
    assert_eq!(blueprint.replace(3, &two), Ok(false));
    assert_eq!(blueprint, before);
    assert_eq!(blueprint.replace_all([(2, &two), (0, &two), (2, &three)]), Ok(true));
    let after: Vec<_> = blueprint.parts().map(|part| part.decode().unwrap()).collect();
    assert_eq!(after, [two, number(1), three]);
}

/// Parts without values take no memory, and nesting takes no stack.
#[test]
fn hostile_blueprints_are_bounded() {
    let deep = format!(r#"{{"x":{}{},"bodies":[]}}"#, "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(Blueprint::new(deep).unwrap().parts().count(), 0);
    for levels in [127, 128, 1000, 1_000_000] {
        let nested = format!(r#"{{"bodies":[{{"childs":[{{"controller":{{"data":{}1}}}}]}}]}}"#, "[".repeat(levels));
        assert!(Blueprint::new(nested).is_err());
        let closed = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let nested = format!(r#"{{"bodies":[{{"childs":[{{"controller":{{"data":{closed}}}}}]}}]}}"#);
        let blueprint = Blueprint::new(nested).unwrap();
        assert_eq!(blueprint.parts().next().unwrap().decode(), Err(PartError::NoString));
    }
    let empty = format!(r#"{{"bodies":[{}{{}}]}}"#, r#"{"childs":[]},{},"#.repeat(500_000));
    let limit = empty.len() + 1000;
    let used = allocation_counter::measure(|| {
        assert_eq!(Blueprint::with_max_memory(empty, limit).unwrap().parts().count(), 0);
    });
    assert!(used.bytes_max <= 1000, "{used:?}");
    let text = parts(1000);
    let size = text.len();
    assert_eq!(Blueprint::with_max_memory(&*text, size * 4).unwrap().parts().count(), 1000);
    for limit in [size - 1, size, size + 1000] {
        let error = Blueprint::with_max_memory(&*text, limit).unwrap_err();
        assert!(matches!(error, BlueprintError::Memory(OverBudget { limit: told }) if told == limit));
    }
    let none = r#"{"bodies":[]}"#;
    assert!(Blueprint::with_max_memory(none, none.len()).is_ok());
    assert!(Blueprint::with_max_memory(none, none.len() - 1).is_err());
}

/// Limits of a part: the size of its unpacked bytes, and the size of its decoded value.
#[test]
fn limits_of_parts_are_exact() {
    let object = LuaObject::new(Table::list(vec![LuaSaveData::Nil; 1000]));
    let size = lua_object::encode(&object).unwrap().len();
    let text =
        format!(r#"{{"bodies":[{{"childs":[{{"controller":{{"data":"{}"}}}}]}}]}}"#, pack_text(&object).unwrap());
    let blueprint = Blueprint::new(&*text).unwrap();
    let part = blueprint.parts().next().unwrap();
    let too_large = PartError::Unpack(UnpackError::TooLarge { limit: size - 1 });
    assert_eq!(part.unpack(size).map(|bytes| bytes.len()), Ok(size));
    assert_eq!(part.unpack(size - 1), Err(too_large.clone()));
    let options = lua_object::Options::new();
    assert_eq!(part.decode_with(&options, size), Ok(object.clone()));
    assert_eq!(part.decode_with(&options, size - 1), Err(too_large));
    // the options count as well
    let shallow = lua_object::Options::new().limits(enginewire::Limits::new().with_depth(0));
    assert!(matches!(part.decode_with(&shallow, size), Err(PartError::Object(_))));

    let whole = size + size * size_of::<LuaSaveData<'_>>();
    let memory = |bytes: usize| Blueprint::with_max_memory(&*text, bytes).unwrap();
    assert_eq!(memory(whole).parts().next().unwrap().decode(), Ok(object));
    let over = |limit: usize| PartError::Memory(OverBudget { limit });
    assert_eq!(memory(whole - 1).parts().next().unwrap().decode(), Err(over(whole - 1)));
    let low = memory(size - 1);
    assert_eq!(low.parts().next().unwrap().unpack(size), Err(over(size - 1)));
    assert_eq!(
        low.parts().next().unwrap().unpack(size - 1),
        Err(PartError::Unpack(UnpackError::TooLarge { limit: size - 1 }))
    );
}

#[test]
fn a_blueprint_has_one_member_of_each_name() {
    let object = pack_text(&number(1)).unwrap();
    let data = format!(r#""data":"{object}""#);
    for (text, parts) in [
        (format!(r#"{{"bodies":[{{"childs":[{{"controller":{{{data}}}}}]}}]}}"#), Some(1)),
        // the same, with an escape in a name
        (format!(r#"{{"bod\u0069es":[{{"childs":[{{"controller":{{{data},"id":[{{}}]}},"x":{{}}}}]}}]}}"#), Some(1)),
        (format!(r#"{{"bodies":[{{"childs":[{{"controller":{{{data},{data}}}}}]}}]}}"#), None),
        (r#"{"bodies":[],"bodies":[]}"#.to_owned(), None),
        (r#"{"bodies":[{"childs":[],"childs":[]}]}"#.to_owned(), None),
        (r#"{"bodies":[{"childs":[{"controller":null,"controller":null}]}]}"#.to_owned(), None),
        (r#"{"bodies":[{"childs":[{"controller":null},{"controller":{}},{}]},{}]}"#.to_owned(), Some(0)),
        (r#"{"bodies":[[]]}"#.to_owned(), None),
        (r#"{"bodies":null}"#.to_owned(), None),
        (r#"{"bodies":[]} {}"#.to_owned(), None),
        (r#"{"childs":[]}"#.to_owned(), None),
        (r#"{"bodies":[{"childs":[7]}]}"#.to_owned(), None),
        (r#"{"bodies":[{"childs":[{"controller":7}]}]}"#.to_owned(), None),
    ] {
        let found = Blueprint::new(&*text).map(|blueprint| blueprint.parts().count());
        assert_eq!(found.as_ref().ok().copied(), parts, "{text}: {found:?}");
        if let Err(error) = found {
            assert!(error.to_string().starts_with("not a Scrap Mechanic blueprint: "), "{error}");
        }
    }
}

/// A save with any of its bytes changed: reading it gives rows or errors, and an edit that succeeds changes one row.
#[test]
fn a_save_with_a_changed_byte_is_read_or_refused() {
    let original = fs::read(fixtures().join("save-v28.db")).unwrap();
    let folder = folder();
    let path = folder.path().join("save.db");
    let listed = |save: &Save| -> Vec<_> {
        // other numbers are other rows, and no row can be read twice
        let rows: Vec<_> = save.rows().unwrap().take(1000).collect();
        assert!(rows.len() < 1000);
        rows.into_iter()
            .map(|row| row.map(|row| (row.to_string(), row.bytes().to_vec())).map_err(|e| e.to_string()))
            .collect()
    };
    let mut edited = 0;
    let step = original.len() / 150;
    for (index, at) in (0..100).chain((100..original.len()).step_by(step)).enumerate() {
        let mut bytes = original.clone();
        bytes[at] ^= [0x01, 0x80, 0xff, 0x10][index % 4];
        fs::write(&path, &bytes).unwrap();
        let Ok(save) = Save::open(&path) else { continue };
        let before = listed(&save);
        drop(save);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        let Ok(mut save) = Save::open_to_write(&path) else { continue };
        let Some(row) = save.rows().unwrap().flatten().next() else { continue };
        let done = save.replace(&row, &number(9)).and_then(|()| save.close());
        if done.is_err() {
            assert_eq!(fs::read(&path).unwrap(), bytes, "byte {at}");
            continue;
        }
        edited += 1;
        let after = listed(&Save::open(&path).unwrap());
        let changed: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).collect();
        assert_eq!((before.len(), changed.len()), (after.len(), 1), "byte {at}");
        assert_eq!(changed[0].0.as_ref().map(|row| &row.0), Ok(&row.to_string()));
    }
    assert!(edited > 50, "{edited}");
}

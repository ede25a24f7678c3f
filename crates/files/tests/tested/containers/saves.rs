//! Saves of Scrap Mechanic as containers: databases of SQLite, with tables and rows of every kind.

use std::fs;
use std::path::Path;

use allocation_counter::opt_out;
use arbitrary::Unstructured;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
use enginewire_files::containers::ContainerKind;
use enginewire_files::scrap_mechanic::pack;
use enginewire_files::scrap_mechanic::save::{Row, Save};
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use super::temporary::TemporaryFile;
use super::{peak_of, Contents, Edited, Shape, TestedContainer, MORE};
use crate::support::scrap_mechanic_lua::text_object;
use crate::support::{bytes, files, folder, list, rare, Codec, ScrapMechanicLua};

/// Databases with rows that carry objects.
pub(crate) struct Saves;

fn read(path: &Path, limit: usize) {
    let Ok(save) = Save::open(path) else { return };
    let save = save.max_memory(limit).max_unpacked(usize::MAX);
    let Ok(rows) = save.rows() else { return };
    for row in rows.flatten() {
        let _ = row.decode();
        let _ = row.to_string();
    }
}

/// All values in the real tables of a database, except those in the column `data` of tables that may have objects.
fn others(path: &Path) -> rusqlite::Result<Vec<String>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 4 << 20)?;
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    let mut lines = Vec::new();
    let mut tables = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |index| row.get::<_, Value>(index);
        lines.push(format!("{:?} {:?} {:?} {:?}", text(0)?, text(1)?, text(2)?, text(3)?));
        if let (Value::Text(kind), Value::Text(name), Value::Text(sql)) = (text(0)?, text(1)?, text(3)?)
            && kind == "table"
            && sql.starts_with("CREATE TABLE")
        {
            tables.push(name);
        }
    }
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let is_ours = ["ScriptData", "ScriptDataUuid", "GenericData"].contains(&&table[..]);
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut line = table.clone();
            for (index, column) in columns.iter().enumerate() {
                if !(is_ours && column == "data") {
                    line += &format!(" {:?}", row.get::<_, Value>(index)?);
                }
            }
            lines.push(line);
        }
    }
    Ok(lines)
}

fn rows(save: &Save) -> Result<Vec<Row>, String> {
    let mut all = Vec::new();
    for row in save.rows().map_err(|error| error.to_string())? {
        all.extend(row.ok());
    }
    Ok(all)
}

fn contents(path: &Path, limit: usize) -> Result<Contents, String> {
    let save = Save::open(path).map_err(|error| error.to_string())?.max_memory(limit).max_unpacked(limit);
    let rows = rows(&save)?;
    let value = |row: &Row| (row.to_string(), row.unpack().map_err(|error| error.to_string()));
    let values: Vec<_> = rows.iter().map(value).collect();
    let frame = others(path).map_err(|error| error.to_string())?;
    Ok(Contents { frame, places: values.len(), values })
}

/// A table as one of the versions has it, with a column for the bytes of its rows.
fn table(name: &str, layout: usize) -> String {
    let columns = [
        "id INTEGER NOT NULL, worldId INTEGER NOT NULL, channel INTEGER NOT NULL, flags INTEGER, data BLOB",
        "uid BLOB, key BLOB, data BLOB",
        "uid BLOB, key BLOB, worldId INTEGER, flags INTEGER, data BLOB",
    ][layout];
    format!("CREATE TABLE {name} ({columns})")
}

/// The column `data` of a row.
fn data(layout: usize, number: usize, block: &[u8]) -> Vec<u8> {
    let number = (number as u32).to_be_bytes();
    let head = match layout {
        0 => [&number[..], &[0, 1, 2, 3]].concat(),
        1 => [&[7; 12][..], &number, &[0, 1], b"k"].concat(),
        _ => [&[7; 12][..], &number, &[0, 1], b"k", &[0xff, 0xff, 1]].concat(),
    };
    [&head, &(block.len() as u32).to_be_bytes()[..], block].concat()
}

/// A database on which the statements were run. Statements that SQLite refuses are skipped.
fn database(statements: &[(String, Vec<Vec<u8>>)]) -> Vec<u8> {
    let place = TemporaryFile::new();
    let connection = Connection::open(&place.path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA page_size = 512; BEGIN")
        .unwrap();
    for (statement, blobs) in statements {
        let _ = connection.execute(statement, rusqlite::params_from_iter(blobs));
    }
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    fs::read(&place.path).unwrap()
}

fn plain(statement: &str) -> (String, Vec<Vec<u8>>) {
    (statement.to_owned(), Vec::new())
}

/// As many rows of a version.
fn many(size: usize, layout: usize) -> Vec<u8> {
    let block = pack(&lua_object::encode(&LuaObject::new("a text")).unwrap());
    let mut statements =
        vec![plain("CREATE TABLE Game (savegameversion INTEGER)"), plain("INSERT INTO Game VALUES (28)")];
    statements.push(plain(&table("ScriptData", layout)));
    for number in 0..size {
        statements.push(("INSERT INTO ScriptData (data) VALUES (?1)".to_owned(), vec![data(layout, number, &block)]));
    }
    if layout == 0 {
        statements[2].0 = statements[2].0.replace(" NOT NULL", "");
    }
    database(&statements)
}

impl TestedContainer for Saves {
    const NAME: &'static str = "save";
    const KIND: ContainerKind = ContainerKind::Save;
    const HAS_OWN_EDIT: bool = true;
    // what SQLite itself takes is not seen by the allocator
    const EACH: usize = 0;
    const EDIT_EACH: usize = 4;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], limit: usize) -> u64 {
        let place = TemporaryFile::of(bytes);
        read(&place.path, limit);
        // the copy to compare with does not count as memory of the library
        opt_out(|| assert!(fs::read(&place.path).unwrap() == bytes, "a save that is read was written"));
        place.assert_alone();
        0
    }

    fn value(bytes: &[u8]) -> Vec<u8> {
        lua_object::encode(&text_object(bytes)).unwrap()
    }

    fn rest(bytes: &[u8]) -> Result<Vec<String>, String> {
        others(&TemporaryFile::of(bytes).path).map_err(|error| error.to_string())
    }

    fn list(bytes: &[u8], limit: usize) -> Result<Contents, String> {
        contents(&TemporaryFile::of(bytes).path, limit)
    }

    fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
        let place = TemporaryFile::of(bytes);
        let mut expected = contents(&place.path, MORE * limit).ok()?;
        let before = expected.clone();
        let object = text_object(value);
        expected.values.get_mut(which)?.1 = Ok(lua_object::encode(&object).unwrap());
        let mut save = Save::open_to_write(&place.path).ok()?.max_memory(MORE * limit).max_unpacked(MORE * limit);
        let rows = rows(&save).ok()?;
        let (done, peak) = peak_of(|| save.replace(&rows[which], &object).map_err(|error| error.to_string()));
        let done = done.and_then(|()| save.close().map_err(|error| error.to_string()));
        if done.is_err() {
            assert!(contents(&place.path, MORE * limit) == Ok(before), "an edit that failed has changed the save");
        }
        Some(Edited { file: done.map(|()| fs::read(&place.path).unwrap()), expected, peak })
    }

    fn edit_all(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
        let place = TemporaryFile::of(bytes);
        let object = text_object(value);
        let mut save = Save::open_to_write(&place.path).ok()?.max_memory(limit);
        // if the memory is not enough for a row, nothing is known about it
        let rows = save.rows().ok()?.collect::<Result<Vec<Row>, _>>().ok()?;
        let done = save.change_all(rows.iter().map(|row| (row, Some(&object)))).and_then(|()| save.close());
        Some(done.map(|()| fs::read(&place.path).unwrap()).map_err(|error| error.to_string()))
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let mut statements = Vec::new();
        let version = *entropy.choose(&[
            "24", "24", "24", "26", "26", "26", "28", "28", "28", "28", "28", "28", "25", "'28'", "NULL", "28.0", "-1",
        ])?;
        statements.push(plain(entropy.choose(&[
            "CREATE TABLE Game (savegameversion INTEGER, flags INTEGER, seed INTEGER)",
            "CREATE TABLE Game (savegameversion INTEGER)",
            "CREATE TABLE Game (savegameversion INTEGER)",
            "CREATE TABLE Game (savegameversion INTEGER PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE Game (savegameversion)",
            "CREATE TABLE Real (savegameversion INTEGER)",
        ])?));
        statements.push(plain(&format!("INSERT INTO Game (savegameversion) VALUES ({version})")));
        if rare(entropy, 10)? {
            statements.push(plain("CREATE VIEW Game AS SELECT savegameversion FROM Real"));
            statements.push(plain(&format!("INSERT INTO Real VALUES ({version})")));
        }
        let mut number = 0;
        for name in ["ScriptData", "ScriptDataUuid", "GenericData", "Other"] {
            let layout = entropy.int_in_range(0..=2)?;
            let mut create = table(name, layout).replace(" NOT NULL", "");
            match entropy.int_in_range(0..=19)? {
                0 => create = create.replace("data BLOB)", "data BLOB PRIMARY KEY) WITHOUT ROWID"),
                1 => create = create.replace("data BLOB)", "data TEXT)"),
                2 => create = create.replace("data BLOB)", "data BLOB, rowid TEXT)"),
                3 => create = create.replace("data BLOB)", "data BLOB, number INTEGER PRIMARY KEY)"),
                4 => create = create.replace("data BLOB)", "raw BLOB, data BLOB AS (raw))"),
                5 => create = create.replace("data BLOB)", "data BLOB CHECK (length(data) < 100))"),
                6 => create = create.replace("data BLOB)", "data BLOB UNIQUE)"),
                7 | 8 => continue,
                9 => create = format!("CREATE VIEW {name} AS SELECT rowid, data FROM Other"),
                _ => {}
            }
            statements.push(plain(&create));
            for _ in 0..entropy.int_in_range(0..=4)? {
                number += 1;
                let block = match entropy.int_in_range(0..=9)? {
                    0 => bytes(entropy)?,
                    1 => pack(&bytes(entropy)?),
                    2 => pack(&vec![0; 1 << entropy.int_in_range(0..=22)?]),
                    _ => pack(&ScrapMechanicLua::encode(&ScrapMechanicLua::arbitrary(entropy)?).unwrap()),
                };
                let mut row = data(layout, number, &block);
                if rare(entropy, 20)? {
                    row.truncate(entropy.int_in_range(0..=row.len())?);
                }
                let what = *entropy.choose(&[
                    "?1",
                    "?1",
                    "?1",
                    "?1",
                    "?1",
                    "?1",
                    "CAST(?1 AS TEXT)",
                    "NULL",
                    "7",
                    "zeroblob(2000000)",
                ])?;
                let blobs = if what.contains('?') { vec![row] } else { Vec::new() };
                statements.push((format!("INSERT INTO {name} (data) VALUES ({what})"), blobs));
            }
            let extra = [
                format!("CREATE TRIGGER changed_{name} AFTER UPDATE ON {name} BEGIN DELETE FROM Other; END"),
                format!("CREATE TRIGGER not_{name} BEFORE UPDATE ON {name} BEGIN SELECT RAISE(IGNORE); END"),
                format!("CREATE INDEX index_{name} ON {name} (data)"),
                format!("CREATE INDEX part_{name} ON {name} (length(data)) WHERE data IS NOT NULL"),
            ];
            if rare(entropy, 5)? {
                statements.push(plain(entropy.choose(&extra)?));
            }
        }
        for other in list(entropy, |entropy| entropy.int_in_range(0..=2))? {
            statements.push(plain([
                "CREATE VIEW Endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
                "CREATE TABLE Container (id INTEGER PRIMARY KEY, data BLOB)",
                "INSERT INTO Container (data) VALUES (zeroblob(3000))",
            ][other]));
        }
        Ok(database(&statements))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let folder = folder("scrap-mechanic-lua").join("hostile");
        let files = if folder.is_dir() { files(&folder, "db") } else { Vec::new() };
        files.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect()
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape { name: "rows of version 24", made: |size| many(size, 0), few: 100 },
            Shape { name: "rows of version 28", made: |size| many(size, 2), few: 100 },
        ]
    }
}

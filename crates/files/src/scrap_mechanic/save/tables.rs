//! The version and the tables of a save.

use rusqlite::OptionalExtension;

use super::database::Database;
use super::error::SaveError;
use super::Layout;

/// The tables that may hold objects.
const TABLES: [&str; 3] = ["ScriptData", "ScriptDataUuid", "GenericData"];

/// The versions whose tables are known.
const KNOWN: [u32; 4] = [24, 26, 27, 28];

/// A warning if the version is not known.
pub(super) fn warning(version: u32) -> Option<String> {
    let known = "known are 24, 26, 27 and 28, and the rows are read by the columns of their tables";
    (!KNOWN.contains(&version)).then(|| format!("save version {version} is unknown; {known}"))
}

/// The version that the save says it has.
pub(super) fn version(database: &Database) -> Result<u32, SaveError> {
    // a value of another type is not a version
    let version = "SELECT CASE typeof(savegameversion) WHEN 'integer' THEN savegameversion END FROM Game LIMIT 1";
    let version: Option<i64> = if is_table(database, "Game")? && has_column(database, "Game", "savegameversion")? {
        database.ask(|connection| connection.query_row(version, [], |row| row.get(0)).optional())?.flatten()
    } else {
        None
    };
    version.and_then(|version| u32::try_from(version).ok()).ok_or(SaveError::NoSave)
}

/// Those of [`TABLES`] that the save has, with the layout of their rows, which their columns tell.
pub(super) fn tables(database: &Database, version: u32) -> Result<Vec<(&'static str, Layout)>, SaveError> {
    let mut tables = Vec::new();
    for table in TABLES {
        if !is_table(database, table)? {
            continue;
        }
        let no = |column| Err(SaveError::NoColumn { version, table, column });
        let has = |column| has_column(database, table, column);
        let layout = match (has("uid")?, has("worldId")?) {
            (true, true) => Layout::Named,
            (true, false) => Layout::Reversed,
            (false, _) if has("id")? => Layout::Numbered,
            (false, _) => return no("uid or id"),
        };
        if !has("data")? {
            return no("data");
        }
        tables.push((table, layout));
    }
    Ok(tables)
}

/// Returns true if there is such a table. Anything else with its name is an error.
fn is_table(database: &Database, table: &'static str) -> Result<bool, SaveError> {
    // SQLite itself refuses a view with a page, and a name that is not in the statement
    let find = "SELECT type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE %', \
                (SELECT count(*) FROM sqlite_schema AS other WHERE other.rootpage = this.rootpage) \
                FROM sqlite_schema AS this WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view') LIMIT 1";
    let found: Option<(bool, i64)> = database
        .ask(|connection| connection.query_row(find, [table], |row| Ok((row.get(0)?, row.get(1)?))).optional())?;
    let Some((is_stored, sharing)) = found else { return Ok(false) };
    let not = |reason| Err(SaveError::NotATable { table, reason });
    if !is_stored {
        return not("is not a table");
    }
    if sharing != 1 {
        return not("shares its pages with another table");
    }
    // only of a table without row numbers there is such an index
    let index = "SELECT count(*) FROM pragma_index_info(?1)";
    if database.ask(|connection| connection.query_row(index, [table], |row| row.get::<_, i64>(0)))? > 0 {
        return not("is a table without row numbers (WITHOUT ROWID)");
    }
    if has_column(database, table, "rowid")? {
        return not("has a column of its own that is called rowid");
    }
    Ok(true)
}

fn has_column(database: &Database, table: &str, column: &str) -> Result<bool, SaveError> {
    let found = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE";
    let found = database.ask(|connection| connection.query_row(found, [table, column], |row| row.get::<_, i64>(0)))?;
    Ok(found > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrap_mechanic::save::tests::save;
    use pretty_assertions::assert_eq;

    #[test]
    fn tables_are_those_with_their_columns() {
        assert!(matches!(save("CREATE TABLE Game (other)"), Err(SaveError::NoSave)));
        assert!(matches!(save("CREATE TABLE Other (savegameversion)"), Err(SaveError::NoSave)));
        for none in ["-1", "4294967296", "9223372036854775807", "'28'", "NULL", "28.0"] {
            let game = format!("CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES ({none})");
            assert!(matches!(save(&game), Err(SaveError::NoSave)), "{none}");
        }
        let game = "CREATE TABLE Game (savegameversion); INSERT INTO Game VALUES (26);";
        let tables = |more: &str| save(&format!("{game}{more}")).unwrap().tables;
        assert_eq!(tables(""), []);
        for (columns, lacks) in
            [("other", "uid or id"), ("data", "uid or id"), ("uid, key, worldId", "data"), ("id", "data")]
        {
            let error = save(&format!("{game}CREATE TABLE GenericData ({columns})")).unwrap_err();
            let expected = format!("save version 26 cannot be read: its table GenericData has no column {lacks}");
            assert_eq!(error.to_string(), expected);
        }
        let layout = |columns| {
            let tables = tables(&format!("CREATE TABLE ScriptData ({columns})"));
            tables.iter().map(|(name, layout)| (*name, *layout)).collect::<Vec<_>>()
        };
        assert_eq!(layout("id, data"), [("ScriptData", Layout::Numbered)]);
        assert_eq!(layout("data, uid, worldId"), [("ScriptData", Layout::Named)]);
        assert_eq!(layout("data, uid"), [("ScriptData", Layout::Reversed)]);
    }
}

//! Puts objects into the rows of a save.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use enginewire::formats::{set_plain, JsonForm, Notation};
use enginewire::json;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
use enginewire_files::scrap_mechanic::save::{Save, SaveError};
use enginewire_files::scrap_mechanic::save_row::RowData;
use serde_json::Value;

use super::described;
use super::into::{malformed, Change, Job, Line};
use crate::exit_status::{Refusal, Status};
use crate::files::atomic_write::{self, is_standard_output, Replacement};
use crate::files::read;
use crate::files::temporary::Temporary;
use crate::input::containers::more;
use crate::input::opened::{without_name, OpenFile};
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::size::size_text;

/// The new object of a row of a save.
pub struct Row {
    table: String,
    number: i64,
    object: New,
    /// The place of the line that asks for it, if one does.
    line: Option<String>,
    /// The members of the line that are keys of the row: they may be those of a row of another save.
    keys: Vec<(String, Value)>,
}

/// A new object.
enum New {
    Object(LuaObject<'static>),
    /// In plain JSON, which takes the types of the object that it replaces.
    Plain(String),
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", escaped(&self.table), self.number)
    }
}

impl Row {
    fn refused(&self, reason: impl fmt::Display) -> Refusal {
        let message = match &self.line {
            Some(place) => format!("{reason}\n  --> {place}"),
            None => format!("{reason}, in {self}"),
        };
        (Status::Malformed, message)
    }

    /// The object that takes the place of `old`, if it is another.
    fn in_place_of(&self, old: Option<LuaObject<'static>>) -> Result<Option<Cow<'_, LuaObject<'static>>>, Refusal> {
        let new = match (&self.object, &old) {
            (New::Object(object), _) => Cow::Borrowed(object),
            (New::Plain(text), Some(old)) => {
                let mut object = old.clone();
                set_plain(&mut object.data, text.as_bytes(), Notation::default())
                    .map_err(|error| self.refused(described(&error.into())))?;
                Cow::Owned(object)
            }
            (New::Plain(_), None) => {
                return Err(self.refused(format!("{self} holds no object, so that its types are not known")));
            }
        };
        Ok((old.as_ref() != Some(&*new)).then_some(new))
    }
}

/// The rows of a save, named by these changes.
pub fn rows(changes: &[Change<'_>], form: JsonForm) -> Result<Vec<Row>, Refusal> {
    let mut first: HashMap<(String, i64), usize> = HashMap::new();
    let mut rows = Vec::new();
    for change in changes {
        let Line { address, document } = change.line()?;
        let member = |name: &str| address.get(name);
        let place = member("table").and_then(Value::as_str).zip(member("row").and_then(Value::as_i64));
        let (table, number) =
            place.ok_or_else(|| change.refused("the line names no table and row, but the file is a save"))?;
        let object = match form {
            JsonForm::Exact => json::from_slice(document.get().as_bytes()).map(New::Object),
            JsonForm::Plain => Ok(New::Plain(document.get().to_owned())),
            form => return Err(change.refused(format!("objects of a save have no form {}", form.name()))),
        };
        let object = object.map_err(|error| change.refused(error.to_string()))?;
        let is_key = |name: &str| ["id", "channel", "uid", "key"].contains(&name);
        let keys = address.iter().filter(|(name, _)| is_key(name)).map(|(name, key)| (name.clone(), key.clone()));
        let (line, keys) = (Some(change.place()), keys.collect());
        let row = Row { table: table.to_owned(), number, object, line, keys };
        if let Some(before) = first.insert((table.to_owned(), number), change.number) {
            return Err(row.refused(format!("{row} is already changed by line {before}")));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Changes rows of a save: of the file itself or of a copy.
pub fn put_rows_into(
    &Job { into, in_place, force, .. }: &Job<'_>,
    file: OpenFile,
    out: &Path,
    rows: &[Row],
    limit: usize,
    console: &mut Console,
) -> Result<(), Refusal> {
    let unwritable = |error: io::Error| (atomic_write::status(&error), format!("cannot write {}: {error}", shown(out)));
    // SQLite opens the file again, and locks it
    let stream = match file.is_stream() {
        true => Some(file.copied().map_err(without_name)?),
        false => {
            drop(file);
            None
        }
    };
    let from = stream.as_ref().map_or(into, Temporary::path);
    // a closed standard output is reported where output is written to it
    let mut warn = |warnings: Vec<String>| drop(console.warnings(shown(into), &warnings));
    if in_place {
        atomic_write::may_write_into(into, force).map_err(unwritable)?;
        return put_into_save(into, rows, limit).map(warn);
    }
    if is_standard_output(out) {
        // SQLite writes to files
        let copy = read::copied(io::empty(), 0).map_err(unwritable)?;
        warn(put_into_copy(from, copy.path(), copy.path(), rows, limit)?);
        let written = File::open(copy.path()).and_then(|mut copy| io::copy(&mut copy, console.out()));
        drop(copy);
        return written.map(drop).map_err(unwritable);
    }
    let copy = Replacement::of(out, force).map_err(unwritable)?;
    warn(put_into_copy(from, copy.path(), out, rows, limit)?);
    copy.commit().map_err(unwritable)
}

/// Changes rows of a save: a table, the number of a row in it, and the bytes of its new object.
pub fn put_rows(
    save: &Path,
    out: &Path,
    (in_place, force): (bool, bool),
    rows: Vec<(String, i64, Vec<u8>)>,
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Refusal> {
    let row = |(table, number, bytes): (String, i64, Vec<u8>)| match lua_object::decode(&bytes) {
        Ok(object) => Ok(Row { table, number, object: New::Object(object.into_owned()), line: None, keys: Vec::new() }),
        Err(error) => Err(malformed(format!("{error}, in {}[{number}]", escaped(&table)))),
    };
    let rows = rows.into_iter().map(row).collect::<Result<Vec<_>, Refusal>>()?;
    let job = Job { files: &[], into: save, out: Some(out), in_place, force, form: JsonForm::Exact };
    let file = OpenFile::open(save, settings).map_err(without_name)?;
    put_rows_into(&job, file, out, &rows, settings.memory(), console)
}

/// Copies a save into a single file, and changes the copy. Gives the warnings.
fn put_into_copy(from: &Path, copy: &Path, out: &Path, rows: &[Row], limit: usize) -> Result<Vec<String>, Refusal> {
    let mut warnings = Vec::new();
    let has_bytes = |file: &PathBuf| fs::metadata(file).is_ok_and(|file| file.len() > 0);
    for ending in ["-journal", "-wal"] {
        let part = with_ending(from, ending);
        if has_bytes(&part) {
            warnings.push(format!(
                "{} is part of the save: the copy has what it holds, the file alone does not",
                shown(&part)
            ));
        }
        let beside = with_ending(out, ending);
        // SQLite would use it as a part of the new file
        if has_bytes(&beside) {
            let reason = format!("{} is part of the save to replace", shown(&beside));
            return Err((Status::Io, format!("cannot write {}: {reason}", shown(out))));
        }
    }
    let original = Save::open(from).map_err(failed)?;
    original.copy_to(copy).map_err(failed)?;
    drop(original);
    warnings.extend(put_into_save(copy, rows, limit)?);
    Ok(warnings)
}

fn put_into_save(path: &Path, rows: &[Row], limit: usize) -> Result<Vec<String>, Refusal> {
    let mut save = Save::open_to_write(path).map_err(failed)?.max_unpacked(limit).max_memory(limit);
    let mut pairs = Vec::new();
    let mut held: usize = 0;
    for new in rows {
        let Row { table, number, .. } = new;
        let row = save.row_to_replace(table, *number).map_err(failed)?;
        let row = row.ok_or_else(|| new.refused(format!("{table} has no row {number}")))?;
        let has = |data: RowData<'_>| {
            let own = data.members();
            new.keys.iter().all(|(name, key)| own.iter().any(|(own, is)| own == name && is == key))
        };
        if !new.keys.is_empty() && !row.data().is_ok_and(has) && !save.columns(&row).is_some_and(has) {
            return Err(new.refused(format!("{new} is another row than in the line: it has other keys")));
        }
        // an unchanged object keeps its bytes
        if let Some(object) = new.in_place_of(row.decode().ok().flatten())? {
            held = held.saturating_add(row.bytes().len());
            if held > limit {
                let reason = format!("the rows to change take more than {}", size_text(limit));
                return Err(malformed(more(reason)));
            }
            pairs.push((row, object));
        }
    }
    save.replace_all(pairs.iter().map(|(row, object)| (row, &**object))).map_err(failed)?;
    let warnings = save.warnings();
    save.close().map_err(failed).map(|()| warnings)
}

fn failed(error: SaveError) -> Refusal {
    match error {
        SaveError::Changed => (Status::ChangedMeanwhile, error.to_string()),
        SaveError::Memory(_) | SaveError::TooLarge { .. } => malformed(more(error)),
        error if error.is_malformed() => malformed(error),
        error => (Status::Io, error.to_string()),
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Part;
    use crate::text_encoding::TextEncoding;
    use anstream::ColorChoice;
    use enginewire::formats::FormatOptions;
    use enginewire_files::scan::Walk;
    use pretty_assertions::assert_eq;

    /// Of rows that no lines ask for, a refusal names the address.
    #[test]
    fn refusals_of_rows_name_the_row() {
        let save = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scrap-mechanic-lua/save-v28.db");
        let folder = tempfile::tempdir().unwrap();
        let (part, formats) = (Part::default(), FormatOptions::new());
        let (walk, input) = (Walk::default(), TextEncoding::Raw);
        let [format, entry] = [None, None];
        let settings =
            Settings { format, input, part, entry, written_for: None, dump: false, walk, formats, quiet: false };
        let mut console = Console::plain(true, ColorChoice::Never);
        let mut put = |row, bytes: &[u8]| {
            let rows = vec![("ScriptData".to_owned(), row, bytes.to_vec())];
            put_rows(&save, &folder.path().join("copy.db"), (false, false), rows, &settings, &mut console)
        };
        let nil = b"LUA\0\0\0\x01\x01";
        let message = "ScriptData has no row 999, in ScriptData[999]";
        assert_eq!(put(999, nil), Err((Status::Malformed, message.to_owned())));
        let (status, message) = put(999, &nil[..7]).unwrap_err();
        assert_eq!(status, Status::Malformed);
        assert!(message.ends_with(", in ScriptData[999]"), "{message}");
    }
}

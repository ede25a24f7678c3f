//! `enginewire encode --into`: puts documents back into the container they were decoded from.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use enginewire::containers::ContainerKind;
use enginewire::json;
use enginewire::scrap_mechanic::blueprint::{Blueprint, BlueprintError};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
use enginewire::scrap_mechanic::save::{Save, SaveError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::exit_status::Status;
use crate::files::atomic_write::{self, same_file, save, Locked, Replacement};
use crate::files::read;
use crate::files::temporary::Temporary;
use crate::formats::HEAD;
use crate::input::containers::more;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::size::size_text;

/// A line as `decode` writes it: the address of the object, and the object.
#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    place: Place,
    document: Option<Box<RawValue>>,
}

#[derive(Deserialize, PartialEq, Eq, Hash)]
#[serde(untagged)]
enum Place {
    Row { table: String, row: i64 },
    Part { body: usize, child: usize },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Row { table, row } => write!(f, "{}[{row}]", escaped(table)),
            Place::Part { body, child } => write!(f, "bodies[{body}].childs[{child}]"),
        }
    }
}

/// An object, and where it goes.
struct Change {
    place: Place,
    object: LuaObject<'static>,
    /// The file and the line in it that ask for it, if lines do.
    line: Option<(Rc<str>, usize)>,
}

impl Change {
    fn refused(&self, reason: impl fmt::Display) -> Refusal {
        let message = match &self.line {
            Some((file, line)) => format!("{reason}\n  --> {file}: line {line}"),
            None => format!("{reason}, in {}", self.place),
        };
        (Status::Malformed, message)
    }

    fn misplaced(&self, what: &str, file: &str) -> Refusal {
        self.refused(format_args!("the line names {what}, but the file is a {file}"))
    }
}

/// Why it cannot be done, and the status that this gives.
type Refusal = (Status, String);

/// What to put where.
#[derive(Debug)]
pub struct Job<'j> {
    /// The lines.
    pub files: &'j [PathBuf],
    /// The file that they go back into.
    pub into: &'j Path,
    /// Where the changed copy goes.
    pub out: Option<&'j Path>,
    pub in_place: bool,
    pub force: bool,
}

pub fn run(job: &Job<'_>, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    let out = match target(job) {
        Ok(out) => out,
        Err(message) => {
            console.error(message)?;
            return Ok(Status::Usage);
        }
    };
    let mut changes = Vec::new();
    let status = each::each_whole(job.files, settings, console, |input, console| match read(input, &mut changes) {
        Ok(()) => Ok(Status::Fine),
        Err(message) => console.error(message).map(|()| Status::Malformed),
    })?;
    if status != Status::Fine {
        return Ok(status);
    }
    match put(job, out, &changes, settings) {
        Ok(()) => Ok(Status::Fine),
        Err((status, message)) => console.error(format_args!("{message}\n  --> {}", shown(job.into))).map(|()| status),
    }
}

/// Where the changed file goes.
fn target<'j>(&Job { files, into, out, in_place, .. }: &Job<'j>) -> Result<&'j Path, &'static str> {
    if out.is_some_and(|out| files.iter().any(|lines| same_file(lines, out))) {
        return Err("the copy would overwrite the input; choose another file");
    }
    match (out, in_place) {
        (None, true) => Ok(into),
        (Some(_), true) => Err("use either -o or --in-place, not both"),
        (Some(out), false) if same_file(into, out) => {
            Err("the copy would overwrite the original; use --in-place for that")
        }
        (Some(out), false) => Ok(out),
        (None, false) => Err("choose a file for the copy with -o, or change the original with --in-place"),
    }
}

/// Reads the changes from the lines of a file; a line without a document is skipped.
fn read(input: &Input, changes: &mut Vec<Change>) -> Result<(), String> {
    let file: Rc<str> = input.name.to_string().into();
    for (number, line) in input.bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line_number = number.saturating_add(1);
        let at = |error: String| format!("{error}\n  --> {}: line {line_number}", input.name);
        let Line { place, document } = serde_json::from_slice(line)
            .map_err(|error| at(format!("expected one JSON object per line, as written by `decode`: {error}")))?;
        if let Some(document) = document {
            let object = json::from_slice(document.get().as_bytes()).map_err(|error| at(error.to_string()))?;
            changes.push(Change { place, object, line: Some((Rc::clone(&file), line_number)) });
        }
    }
    Ok(())
}

/// The changes by address, each of which may occur once.
fn placed(changes: &[Change]) -> Result<HashMap<&Place, &Change>, Refusal> {
    let mut found: HashMap<&Place, &Change> = HashMap::new();
    for change in changes {
        if let Some(first) = found.insert(&change.place, change) {
            let before = first.line.as_ref().map(|(_, line)| format!(" by line {line}")).unwrap_or_default();
            return Err(change.refused(format!("{} is already changed{before}", change.place)));
        }
    }
    Ok(found)
}

fn put(job: &Job<'_>, out: &Path, changes: &[Change], settings: &Settings) -> Result<(), Refusal> {
    placed(changes)?;
    let &Job { into, in_place, force, .. } = job;
    let limit = settings.memory();
    let unreadable = |error: io::Error| (Status::Io, format!("cannot read the file: {error}"));
    let unwritable = |error: io::Error| (atomic_write::status(&error), format!("cannot write {}: {error}", shown(out)));
    let mut file = File::open(into).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.by_ref().take(to_u64(HEAD)).read_to_end(&mut bytes).map_err(unreadable)?;
    match ContainerKind::detect(&bytes) {
        Some(ContainerKind::Blueprint) if in_place => {
            let mut file = Locked::open(into, force).map_err(unwritable)?;
            let text = String::from_utf8(file.read(limit).map_err(unreadable)?).map_err(malformed)?;
            file.replace(put_into_blueprint(text, changes, limit)?.as_bytes()).map_err(unwritable)
        }
        Some(ContainerKind::Blueprint) => {
            file.take(to_u64(limit)).read_to_end(&mut bytes).map_err(unreadable)?;
            if bytes.len() > limit {
                return Err((Status::Io, more(format!("it is larger than {}", size_text(limit)))));
            }
            let text = String::from_utf8(bytes).map_err(malformed)?;
            save(out, put_into_blueprint(text, changes, limit)?.as_bytes(), force).map_err(unwritable)
        }
        Some(ContainerKind::Save) => {
            // SQLite opens the file again, and locks it
            let stream = match read::is_stream(into) {
                true => Some(read::copied(bytes.as_slice().chain(file), limit).map_err(unreadable)?),
                false => {
                    drop(file);
                    None
                }
            };
            let from = stream.as_ref().map_or(into, Temporary::path);
            if in_place {
                atomic_write::may_write_into(into, force).map_err(unwritable)?;
                return put_into_save(into, changes, limit);
            }
            let copy = Replacement::of(out, force).map_err(unwritable)?;
            put_into_copy(from, copy.path(), out, changes, limit)?;
            copy.commit().map_err(unwritable)
        }
        Some(ContainerKind::Model(_)) => {
            Err((Status::Malformed, "use `enginewire set` to change a model file".to_owned()))
        }
        _ => Err((Status::Malformed, "not a save or blueprint of Scrap Mechanic".to_owned())),
    }
}

/// Changes rows of a save: a table, the number of a row in it, and the bytes of its new object.
pub fn put_rows(
    save: &Path,
    out: &Path,
    (in_place, force): (bool, bool),
    rows: Vec<(String, i64, Vec<u8>)>,
    settings: &Settings,
) -> Result<(), Refusal> {
    let change = |(table, row, bytes): (String, i64, Vec<u8>)| {
        let place = Place::Row { table, row };
        match lua_object::decode(&bytes) {
            Ok(object) => Ok(Change { place, object: object.into_owned(), line: None }),
            Err(error) => Err(malformed(format!("{error}, in {place}"))),
        }
    };
    let changes = rows.into_iter().map(change).collect::<Result<Vec<_>, Refusal>>()?;
    let job = Job { files: &[], into: save, out: Some(out), in_place, force };
    put(&job, out, &changes, settings)
}

fn put_into_blueprint(text: String, changes: &[Change], limit: usize) -> Result<String, Refusal> {
    let mut blueprint = Blueprint::with_max_memory(text, limit).map_err(|error| match error {
        BlueprintError::Memory(error) => malformed(more(error)),
        other => malformed(other),
    })?;
    let indices: HashMap<_, _> =
        blueprint.parts().enumerate().map(|(index, part)| ((part.body(), part.child()), index)).collect();
    let mut parts = Vec::with_capacity(changes.len());
    for change in changes {
        let Place::Part { body, child } = change.place else { return Err(change.misplaced("a row", "blueprint")) };
        let index = indices.get(&(body, child));
        parts.push((*index.ok_or_else(|| change.refused(format!("{} has no object", change.place)))?, &change.object));
    }
    blueprint.replace_all(parts).map_err(malformed)?;
    Ok(blueprint.text().to_owned())
}

/// Copies a save into a single file, and changes the copy.
fn put_into_copy(from: &Path, copy: &Path, out: &Path, changes: &[Change], limit: usize) -> Result<(), Refusal> {
    for ending in ["-journal", "-wal"] {
        let beside = with_ending(out, ending);
        // SQLite would use it as a part of the new file
        if fs::metadata(&beside).is_ok_and(|file| file.len() > 0) {
            let reason = format!("{} belongs to the save that would be replaced", shown(&beside));
            return Err((Status::Io, format!("cannot write {}: {reason}", shown(out))));
        }
    }
    let original = Save::open(from).map_err(failed)?;
    original.copy_to(copy).map_err(failed)?;
    drop(original);
    put_into_save(copy, changes, limit)
}

fn put_into_save(path: &Path, changes: &[Change], limit: usize) -> Result<(), Refusal> {
    let mut save = Save::open_to_write(path).map_err(failed)?.max_unpacked(limit).max_memory(limit);
    let mut pairs = Vec::new();
    let mut held: usize = 0;
    for change in changes {
        let Place::Row { table, row: number } = &change.place else { return Err(change.misplaced("a part", "save")) };
        let row = save.row(table, *number).map_err(failed)?;
        let row = row.ok_or_else(|| change.refused(format!("{table} has no row {number}")))?;
        // an unchanged object keeps its bytes
        if row.decode().ok().flatten().as_ref() != Some(&change.object) {
            held = held.saturating_add(row.bytes().len());
            if held > limit {
                let reason = format!("the rows to change take more than {}", size_text(limit));
                return Err(malformed(more(reason)));
            }
            pairs.push((row, &change.object));
        }
    }
    save.replace_all(pairs.iter().map(|(row, object)| (row, *object))).map_err(failed)?;
    save.close().map_err(failed)
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

fn to_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn malformed(error: impl ToString) -> Refusal {
    (Status::Malformed, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Part;
    use crate::text_encoding::TextEncoding;
    use enginewire::formats::FormatOptions;
    use pretty_assertions::assert_eq;

    /// Of rows that no lines ask for, a refusal names the address.
    #[test]
    fn refusals_of_rows_name_the_row() {
        let save = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scrap-mechanic-lua/save-v28.db");
        let folder = tempfile::tempdir().unwrap();
        let (part, formats) = (Part::default(), FormatOptions::new());
        let settings = Settings { format: None, input: TextEncoding::Raw, part, dump: false, formats };
        let put = |row, bytes: &[u8]| {
            let rows = vec![("ScriptData".to_owned(), row, bytes.to_vec())];
            put_rows(&save, &folder.path().join("copy.db"), (false, false), rows, &settings)
        };
        let nil = b"LUA\0\0\0\x01\x01";
        let message = "ScriptData has no row 999, in ScriptData[999]";
        assert_eq!(put(999, nil), Err((Status::Malformed, message.to_owned())));
        let (status, message) = put(999, &nil[..7]).unwrap_err();
        assert_eq!(status, Status::Malformed);
        assert!(message.ends_with(", in ScriptData[999]"), "{message}");
    }
}

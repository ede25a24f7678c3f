//! `enginewire encode --into`: documents back into the file that carried them.

use std::fs;
use std::io;
use std::path::Path;

use enginewire::json;
use enginewire::scrap_mechanic::blueprint::Blueprint;
use enginewire::scrap_mechanic::lua_object::LuaObject;
use enginewire::scrap_mechanic::save::{Row, Save};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::args::{Common, Encode};
use crate::atomic_write::{self, same_file, save, Locked, Replacement};
use crate::carriers::Carrier;
use crate::console::Console;
use crate::input::{self, Input};
use crate::name::shown;
use crate::status::Status;

/// A line as `decode` writes it: where the object stands, and the object.
#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    place: Place,
    document: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    Row { table: String, row: i64 },
    Part { body: usize, child: usize },
}

/// An object, and where it goes.
struct Change {
    place: Place,
    object: LuaObject<'static>,
}

/// Why it cannot be done, and the status that this gives.
type Refusal = (Status, String);

pub fn run(
    args: &Encode,
    into: &Path,
    out: Option<&Path>,
    common: &Common,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let out = match target(args, into, out) {
        Ok(out) => out,
        Err(message) => {
            console.error(message)?;
            return Ok(Status::Usage);
        }
    };
    let mut changes = Vec::new();
    let status = input::each_whole(&args.files, common, console, |input, console| match read(input, &mut changes) {
        Ok(()) => Ok(Status::Fine),
        Err(message) => console.error(message).map(|()| Status::Malformed),
    })?;
    if status != Status::Fine {
        return Ok(status);
    }
    match put(into, out, &changes, args, common) {
        Ok(()) => Ok(Status::Fine),
        Err((status, message)) => console.error(format_args!("{message}\n  --> {}", shown(into))).map(|()| status),
    }
}

/// Where the changed file goes.
fn target<'a>(args: &Encode, into: &'a Path, out: Option<&'a Path>) -> Result<&'a Path, &'static str> {
    if out.is_some_and(|out| args.files.iter().any(|lines| same_file(lines, out))) {
        return Err("the copy would replace the lines to put into it; name another file");
    }
    match (out, args.in_place) {
        (None, true) => Ok(into),
        (Some(_), true) => Err("either -o or --in-place"),
        (Some(out), false) if same_file(into, out) => {
            Err("the copy would replace the original; --in-place allows that")
        }
        (Some(out), false) => Ok(out),
        (None, false) => Err("name a file for the copy with -o, or change the original with --in-place"),
    }
}

/// The changes that the lines of a file ask for. Those without a document ask for none.
fn read(input: &Input, changes: &mut Vec<Change>) -> Result<(), String> {
    for (number, line) in input.bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = |error: String| format!("{error}\n  --> {}: line {}", input.name, number.saturating_add(1));
        let Line { place, document } =
            serde_json::from_slice(line).map_err(|error| at(format!("this is no line of `decode`: {error}")))?;
        if let Some(document) = document {
            let object = json::from_slice(document.get().as_bytes()).map_err(|error| at(error.to_string()))?;
            changes.push(Change { place, object });
        }
    }
    Ok(())
}

fn put(into: &Path, out: &Path, changes: &[Change], args: &Encode, common: &Common) -> Result<(), Refusal> {
    let limit = common.memory();
    let unreadable = |error: io::Error| (Status::Io, format!("cannot read it: {error}"));
    let unwritable = |error: io::Error| (atomic_write::status(&error), format!("cannot write {}: {error}", shown(out)));
    let bytes = input::read(into, limit).map_err(unreadable)?;
    match Carrier::of(&bytes) {
        Some(Carrier::Blueprint) if args.in_place => {
            let mut file = Locked::open(into, args.force).map_err(unwritable)?;
            let text = String::from_utf8(file.read(limit).map_err(unreadable)?).map_err(malformed)?;
            file.replace(put_into_blueprint(text, changes)?.as_bytes()).map_err(unwritable)
        }
        Some(Carrier::Blueprint) => {
            let text = String::from_utf8(bytes).map_err(malformed)?;
            save(out, put_into_blueprint(text, changes)?.as_bytes(), args.force).map_err(unwritable)
        }
        Some(Carrier::Save) if args.in_place => {
            atomic_write::may_write_into(into, args.force).map_err(unwritable)?;
            put_into_save(into, changes)
        }
        Some(Carrier::Save) => {
            let copy = Replacement::of(out, args.force).map_err(unwritable)?;
            fs::write(copy.path(), bytes).map_err(unwritable)?;
            put_into_save(copy.path(), changes)?;
            copy.commit().map_err(unwritable)
        }
        Some(Carrier::Model(_)) => Err((Status::Malformed, "model files are changed with `enginewire set`".to_owned())),
        _ => Err((Status::Malformed, "it is neither a save nor a blueprint".to_owned())),
    }
}

fn put_into_blueprint(text: String, changes: &[Change]) -> Result<String, Refusal> {
    let mut blueprint = Blueprint::new(text).map_err(malformed)?;
    for Change { place, object } in changes {
        let Place::Part { body, child } = place else { return Err(misplaced("a row", "blueprint")) };
        let index = blueprint.parts().position(|part| (part.body(), part.child()) == (*body, *child));
        let index =
            index.ok_or_else(|| (Status::Malformed, format!("bodies[{body}].childs[{child}] has no object")))?;
        blueprint.replace(index, object).map_err(malformed)?;
    }
    Ok(blueprint.text().to_owned())
}

fn put_into_save(path: &Path, changes: &[Change]) -> Result<(), Refusal> {
    let failed = |error: enginewire::scrap_mechanic::save::SaveError| (Status::Io, error.to_string());
    let mut save = Save::open_to_write(path).map_err(failed)?;
    let rows: Vec<Row> = save.rows().map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    let mut pairs = Vec::new();
    for Change { place, object } in changes {
        let Place::Row { table, row: number } = place else { return Err(misplaced("a part", "save")) };
        let row = rows.iter().find(|row| row.table() == table && row.rowid() == *number);
        let row = row.ok_or_else(|| (Status::Malformed, format!("{table} has no row {number}")))?;
        // what is the same already keeps its bytes
        if row.decode().ok().flatten().as_ref() != Some(object) {
            pairs.push((row, object));
        }
    }
    save.replace_all(pairs).map_err(failed)
}

fn malformed(error: impl ToString) -> Refusal {
    (Status::Malformed, error.to_string())
}

fn misplaced(what: &str, file: &str) -> Refusal {
    (Status::Malformed, format!("a line names {what}, and the file is a {file}"))
}

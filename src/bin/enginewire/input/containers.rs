//! Containers: files that hold values of a format. Every command goes through these values one by one.

use std::fs::File;
use std::io::{self, Cursor};
use std::path::Path;

use data_encoding::HEXLOWER;
use enginewire::godot::project::{self, Setting};
use enginewire::roblox::model::{self, FileKind, Listing, ModelError, Options, Property};
use enginewire::roblox::remote::{self, dump};
use enginewire::scrap_mechanic::blueprint::{Blueprint, BlueprintError, Part, PartError};
use enginewire::scrap_mechanic::lua_object::MAGIC;
use enginewire::scrap_mechanic::save::{Row, RowError, RowKey, Save, SaveError};
use enginewire::scrap_mechanic::UnpackError;
use rusqlite::ErrorCode;
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

use crate::input::models;
use crate::output::escape::escaped;
use crate::output::name::Name;
use crate::size::size_text;

/// A file that holds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A save of Scrap Mechanic.
    Save,
    /// A blueprint of Scrap Mechanic.
    Blueprint,
    /// Remote packets of Roblox, one after the other.
    Packets,
    /// Remote packets of Roblox, each a line of hexadecimal digits.
    PacketLines,
    /// A model or place of Roblox.
    Model(FileKind),
    /// The settings of a project of Godot.
    Project,
}

/// Names of containers that `--format` accepts.
pub const CONTAINERS: [&str; 2] = ["rbxm", "rbxmx"];

/// A value in a container.
#[derive(Debug)]
pub struct Embedded {
    /// Its address, for people.
    pub place: String,
    /// Its address, for programs.
    pub origin: Origin,
    /// Its bytes, or why there are none.
    pub bytes: Result<Vec<u8>, String>,
    /// A description, if it is not a value of the format.
    pub other: Option<String>,
}

/// The address of a value: members of a JSON object, in their order.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    members: Vec<(&'static str, Value)>,
    /// Where its bytes are, for people.
    pub stored: Option<String>,
}

impl Origin {
    /// Of these members.
    pub fn of(members: Vec<(&'static str, Value)>) -> Self {
        Origin { members, stored: None }
    }

    /// Of these members, in a file.
    pub fn new(file: &Name, members: Vec<(&'static str, Value)>) -> Self {
        let mut origin = Origin::of(members);
        origin.within(file);
        origin
    }

    /// In this file.
    pub fn within(&mut self, file: &Name) {
        self.members.insert(0, ("file", json!(file)));
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members.iter().map(|(name, value)| (name, value)))
    }
}

/// The description of a part that is not a value of the format.
const NOT_A_VALUE: &str = "not an attribute or Lua value (skipped)";

/// The first bytes of every SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

impl Container {
    /// Detects the container from the first bytes of a file.
    pub fn of(head: &[u8]) -> Option<Self> {
        let text = head.trim_ascii_start();
        let object = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        if let Some(kind) = FileKind::of(head) {
            Some(Container::Model(kind))
        } else if head.starts_with(SQLITE) {
            Some(Container::Save)
        } else if object.is_some_and(|object| object.starts_with(b"\"")) {
            Some(Container::Blueprint)
        } else if head.starts_with(project::MAGIC) {
            Some(Container::Project)
        } else {
            None
        }
    }

    /// Whether it can hold values of this format.
    pub fn is_of(self, format: &str) -> bool {
        match self {
            Container::Save | Container::Blueprint => format == "scrap-mechanic-lua",
            Container::Packets | Container::PacketLines => format == "roblox-remote",
            Container::Model(FileKind::Binary) => matches!(format, "rbxm" | "roblox-attributes"),
            Container::Model(FileKind::Xml) => matches!(format, "rbxmx" | "roblox-attributes"),
            Container::Project => matches!(format, "godot-3" | "godot-4"),
        }
    }

    /// Calls `work` with every value in the file. `path` is that of the file, or `-` if `text` has all its bytes.
    pub fn each(
        self,
        path: &Path,
        text: Vec<u8>,
        limit: usize,
        options: remote::Options,
        mut work: impl FnMut(Embedded) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match self {
            Container::Save if path == Path::new("-") => {
                Err(Failure::File("a save is read from a file, not from standard input".to_owned()))
            }
            Container::Save => {
                let save = Save::open(path).map_err(Failure::of_save)?.max_unpacked(limit).max_memory(limit);
                for row in save.rows().map_err(Failure::of_save)? {
                    match row {
                        Ok(row) => work(of_row(&row))?,
                        // the rows that were read are not those of one moment
                        Err(error) if !is_malformed(&error) => return Err(Failure::of_save(error)),
                        Err(error) => work(unreadable(error))?,
                    }
                }
                Ok(())
            }
            Container::Blueprint => {
                let text = String::from_utf8(text).map_err(Failure::of_file)?;
                let blueprint = Blueprint::with_max_memory(text, limit).map_err(|error| match error {
                    BlueprintError::Memory(error) => Failure::File(more(error)),
                    other => Failure::of_file(other),
                })?;
                for part in blueprint.parts() {
                    work(of_part(part, limit))?;
                }
                Ok(())
            }
            Container::Packets => {
                for found in dump::packets(&text, options) {
                    work(of_packet(&found))?;
                }
                Ok(())
            }
            Container::PacketLines => {
                for line in dump::lines(&text) {
                    work(of_line(line))?;
                }
                Ok(())
            }
            Container::Project => {
                if text.len().saturating_add(project::list_size(&text)) > limit {
                    let reason = format!("the settings take more memory than the limit of {}", size_text(limit));
                    return Err(Failure::File(more(reason)));
                }
                let project = project::decode(&text).map_err(Failure::of_file)?;
                for (offset, setting) in project.placed() {
                    work(of_setting(offset, setting))?;
                }
                Ok(())
            }
            Container::Model(_) => {
                let total = u64::try_from(limit).unwrap_or(u64::MAX).saturating_mul(4);
                let options = Options::new().max_memory(limit).taken(text.len()).max_total(total);
                let listing = if path == Path::new("-") {
                    model::list(Cursor::new(text), &options)
                } else {
                    File::open(path).map_err(ModelError::Io).and_then(|file| model::list(file, &options))
                };
                let listing = listing.map_err(Failure::of_file)?;
                let (count, over) = models::within(&listing, limit);
                for property in listing.properties().take(count) {
                    work(of_property(&listing, &property))?;
                }
                if let Some(reason) = over {
                    return Err(Failure::File(reason));
                }
                for problem in &listing.problems {
                    work(of_problem(problem))?;
                }
                Ok(())
            }
        }
    }
}

fn of_packet(found: &dump::Found<'_>) -> Embedded {
    Embedded {
        place: format!("packet at byte {:#x}", found.offset),
        origin: Origin::of(vec![("offset", json!(found.offset))]),
        bytes: Ok(found.bytes.to_vec()),
        other: None,
    }
}

fn of_line(line: dump::Line) -> Embedded {
    Embedded {
        place: format!("line {}", line.number),
        origin: Origin::of(vec![("line", json!(line.number))]),
        bytes: line.bytes.map_err(|error| error.to_string()),
        other: None,
    }
}

fn of_setting(offset: u64, setting: &Setting<'_>) -> Embedded {
    let key = setting.key.to_string();
    Embedded {
        place: key.clone(),
        origin: Origin::of(vec![("key", json!(key)), ("offset", json!(offset))]),
        bytes: Ok(setting.value.to_vec()),
        other: None,
    }
}

/// Why the values of a file could not all be processed.
#[derive(Debug)]
pub enum Failure {
    /// The work failed.
    Work(io::Error),
    /// The file is malformed.
    File(String),
    /// The file cannot be read, or not now.
    Unreadable(String),
}

/// Whether the save is malformed; otherwise the system or another program caused the error.
pub fn is_malformed(error: &SaveError) -> bool {
    use ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown};
    let blamed = [ConstraintViolation, DatabaseCorrupt, NotADatabase, TooBig, TypeMismatch, Unknown];
    match error {
        SaveError::Io(_) | SaveError::Locked => false,
        SaveError::Database(error) => error.sqlite_error_code().is_none_or(|code| blamed.contains(&code)),
        _ => true,
    }
}

/// Adds how to raise the limit to an error about memory.
pub fn more(error: impl ToString) -> String {
    format!("{}; raise the limit with --max-memory", error.to_string())
}

impl Failure {
    fn of_file(error: impl ToString) -> Self {
        Failure::File(error.to_string())
    }

    fn of_save(error: SaveError) -> Self {
        match error {
            SaveError::Memory(error) => Failure::File(more(error)),
            error if is_malformed(&error) => Failure::of_file(error),
            error => Failure::Unreadable(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Work(error)
    }
}

fn of_part(part: Part<'_>, limit: usize) -> Embedded {
    Embedded {
        place: part.to_string(),
        origin: Origin::of(vec![("body", json!(part.body())), ("child", json!(part.child()))]),
        bytes: part.unpack(limit).map_err(|error| match error {
            PartError::Memory(_) | PartError::Unpack(UnpackError::TooLarge { .. }) => more(error),
            other => other.to_string(),
        }),
        other: None,
    }
}

fn of_property(listing: &Listing, property: &Property<'_>) -> Embedded {
    let mut origin = models::owner(listing, property);
    origin.extend(models::place(property));
    let tags = models::tags(property);
    let other = match &tags[..] {
        _ if models::is_attributes(listing, property) => None,
        [] => Some(NOT_A_VALUE.to_owned()),
        tags => Some(escaped(tags.join(", "))),
    };
    if !tags.is_empty() {
        origin.push(("tags", json!(tags)));
    }
    Embedded {
        place: format!("{} {}", listing.path(property.instance), property.kind.name()),
        origin: Origin { members: origin, stored: models::stored(property) },
        bytes: property.bytes.clone().map(|bytes| bytes.to_vec()).map_err(|error| error.to_string()),
        other,
    }
}

/// What is wrong with the rest of the file.
fn of_problem(problem: &ModelError) -> Embedded {
    Embedded {
        place: "the file".to_owned(),
        origin: Origin::default(),
        bytes: Err(models::problem_text(problem)),
        other: None,
    }
}

fn of_row(row: &Row) -> Embedded {
    let bytes = row.unpack().map_err(|error| match error {
        RowError::Memory(_) | RowError::Unpack(UnpackError::TooLarge { .. }) => more(error),
        other => other.to_string(),
    });
    let mut origin = vec![("table", json!(row.table())), ("row", json!(row.rowid()))];
    if let Ok(data) = row.data() {
        match &data.key {
            RowKey::Numbers { id, channel } => origin.extend([("id", json!(id)), ("channel", json!(channel))]),
            RowKey::Named { uid, key } => {
                origin.extend([("uid", json!(uid.to_string())), ("key", json!(HEXLOWER.encode(key)))]);
            }
        }
        origin.extend(data.world_id.map(|world| ("world", json!(world))));
        origin.extend(data.flags.map(|flags| ("flags", json!(flags))));
    }
    let is_value = bytes.as_ref().map_or(true, |bytes| bytes.starts_with(MAGIC));
    let other = (!is_value).then(|| NOT_A_VALUE.to_owned());
    Embedded { place: row.to_string(), origin: Origin::of(origin), bytes, other }
}

fn unreadable(error: SaveError) -> Embedded {
    let (place, origin, reason) = match error {
        SaveError::Unreadable { table, rowid, error } => {
            let origin = vec![("table", json!(table)), ("row", json!(rowid))];
            (format!("{table} row {rowid}"), origin, error.to_string())
        }
        SaveError::TooLarge { table, rowid, error } => {
            let origin = vec![("table", json!(table)), ("row", json!(rowid))];
            (format!("{table} row {rowid}"), origin, more(error))
        }
        other => ("a row".to_owned(), Vec::new(), other.to_string()),
    };
    Embedded { place, origin: Origin::of(origin), bytes: Err(reason), other: None }
}

//! The rows of `get` in folders: lines of text, JSON or CSV.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};

use enginewire::formats::{Node, Notation, Plain, Step, ValuePath};
use enginewire::roblox::Tags;
use enginewire_files::address::{Address, Pattern, Syntax};
use enginewire_files::roblox::model;
use enginewire_files::scan::{Fact, Problem, Row};
use serde::Serialize;

use crate::commands::get::{Form, Reference};
use crate::input::containers::Origin;
use crate::input::filter::Filter;
use crate::input::pattern::is_like_path;
use crate::input::wanted::Wanted;
use crate::output::csv::{self, Field};
use crate::output::escape::escaped;
use crate::output::name::Name;

/// The rows that are asked for.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub address: Option<Wanted>,
    pub path: Option<String>,
    pub filter: Filter,
}

/// The choice in the form of the arguments: ` "**.Torch" --class "Part"`.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.address.as_ref().map(Wanted::to_string);
        for name in [&address, &self.path].into_iter().flatten() {
            write!(f, " {name:?}")?;
        }
        self.filter.fmt(f)
    }
}

impl Choice {
    /// Returns true if it takes all rows.
    pub fn is_all(&self) -> bool {
        self.address.is_none() && self.path.is_none() && self.filter.is_all()
    }

    /// Returns true if this row is asked for. Errors always are.
    pub fn takes(&self, row: &Row<'_>) -> bool {
        if self.is_all() || row.problem().is_some() {
            return true;
        }
        let is_of_instance = match (row.property, row.owner("class")) {
            (Some((listing, property)), _) => self.filter.takes_instance(listing, property.instance),
            (None, Some(class)) => self.filter.takes_class(class),
            (None, None) => false,
        };
        let is_at = |wanted: &Wanted| place(row).is_some_and(|place| wanted.fits(&place));
        let is_named = |wanted: &String| is_like_path(&path(row), wanted);
        is_of_instance
            && self.address.as_ref().is_none_or(is_at)
            && self.path.as_ref().is_none_or(is_named)
            && with_node(row, |node| self.filter.takes(node, Notation::default())).unwrap_or_default()
    }
}

/// The address of the property of a row.
pub fn address(row: &Row<'_>) -> String {
    place(row).map(escaped).unwrap_or_default()
}

fn place(row: &Row<'_>) -> Option<Address> {
    match row.property {
        Some((listing, property)) => Some(model::address(listing, property)),
        // a reference
        None => Pattern::parse(Syntax::Instances, row.owner("instance")?).ok()?.address(),
    }
}

/// The path of the value of a row.
fn path(row: &Row<'_>) -> String {
    row.key().map(|key| ValuePath::default().then(Step::key(&*key)).to_string()).unwrap_or_default()
}

/// Calls `work` with the value of a row, if it has one.
fn with_node<T>(row: &Row<'_>, work: impl FnOnce(&dyn Node) -> T) -> Option<T> {
    match &row.fact {
        Fact::Attribute(entry) => Some(work(&entry.value)),
        Fact::Tags(_) => {
            let bytes = row.property.and_then(|(_, property)| property.bytes.as_ref().ok());
            Some(work(&Tags::from_bytes(bytes?)))
        }
        Fact::Reference { target, .. } => Some(work(&Reference(escaped(target.as_deref().unwrap_or_default())))),
        _ => None,
    }
}

/// The text before the first row.
pub fn head(form: Form) -> String {
    if form == Form::Csv {
        format!("{}\n", COLUMNS.join(","))
    } else {
        String::new()
    }
}

/// The columns of CSV, in their order. The first are those of one file.
const COLUMNS: [&str; 17] = [
    "file",
    "address",
    "path",
    "type",
    "text",
    "instance",
    "class",
    "referent",
    "property",
    "key",
    "value",
    "chunk_offset",
    "offset_in_chunk",
    "file_offset",
    "error",
    "error_offset",
    "error_path",
];

/// Writes a row of a file, and the end of its line. Lines of text have values only.
pub fn write(file: &Name, row: &Row<'_>, address: &str, form: Form, out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'r> {
        file: &'r Name,
        #[serde(flatten)]
        place: Option<Place<'r>>,
        #[serde(flatten)]
        row: &'r Row<'r>,
    }
    // a row is written in many small pieces
    let out = &mut BufWriter::new(out);
    let place = |typed: fn(&dyn Node) -> bool| {
        let text = |node: &dyn Node| node.text(Notation { typed: typed(node), ..Notation::default() });
        with_node(row, text).map(|text| Place { address, path: path(row), text })
    };
    match form {
        Form::Text | Form::Plain | Form::Bytes => {
            if let Some(Place { address, path, text }) = place(|_| true) {
                writeln!(out, "{file}\t{address}\t{path}={text}")?;
            }
        }
        Form::Json => {
            serde_json::to_writer(&mut *out, &Line { file, place: place(has_items), row })?;
            out.write_all(b"\n")?;
        }
        Form::Csv => csv::write(&fields(file, place(has_items).unwrap_or_default(), row)?, out)?,
    }
    out.flush()
}

/// Returns true if a value holds others, whose types belong to its text.
pub fn has_items(node: &dyn Node) -> bool {
    !node.steps(Notation::default()).is_empty()
}

/// The columns of a row that `set` reads.
#[derive(Debug, Default, Serialize)]
struct Place<'r> {
    address: &'r str,
    path: String,
    text: String,
}

/// A value that is not in a model.
pub struct Other<'r> {
    pub file: &'r Name,
    pub origin: Option<&'r Origin<'r>>,
    pub address: &'r str,
    pub path: &'r str,
    pub node: &'r dyn Node,
    pub notation: Notation,
}

impl Other<'_> {
    /// Writes it as a row, and the end of its line.
    pub fn write(&self, form: Form, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'r> {
            file: &'r Name,
            #[serde(flatten)]
            origin: Option<&'r Origin<'r>>,
            address: &'r str,
            path: &'r str,
            #[serde(rename = "type")]
            type_name: &'static str,
            text: String,
            value: Plain<'r>,
        }
        let Other { file, origin, address, path, node, notation } = *self;
        let text = |typed| node.text(Notation { typed, ..notation });
        if !matches!(form, Form::Json | Form::Csv) {
            return writeln!(out, "{file}\t{address}\t{path}={}", text(true));
        }
        let typed = !node.steps(notation).is_empty();
        let (type_name, text, value) = (node.type_name(notation), text(typed), Plain::new(node, notation));
        if form == Form::Json {
            let line = Line { file, origin, address, path, type_name, text, value };
            return writeln!(out, "{}", serde_json::to_string(&line)?);
        }
        let value = serde_json::to_string(&value)?;
        let mut fields = [file.text().into(), address.into(), path.into(), type_name.into(), text.into()].into_iter();
        let fields = COLUMNS.map(|name| {
            if name == "value" {
                value.as_str().into()
            } else {
                fields.next().unwrap_or_else(|| "".into())
            }
        });
        csv::write(&fields, out)
    }
}

/// The fields of CSV, as [`COLUMNS`] names them.
fn fields<'r>(file: &'r Name, place: Place<'r>, row: &'r Row<'_>) -> io::Result<[Field<'r>; 17]> {
    let text = |text: Option<Cow<'r, str>>| Field::Text(text.unwrap_or_default());
    let owner = |name| text(row.owner(name).map(Cow::from));
    let number = |number: Option<u64>| text(number.map(|number| number.to_string().into()));
    let value = match &row.fact {
        Fact::Tags(tags) => Field::Tags(*tags),
        _ => text(row.value_json()?.map(Cow::from)),
    };
    let [instance, class, referent, property] = ["instance", "class", "referent", "property"].map(owner);
    let [chunk, within, stored] = row.offsets().map(number);
    let problem = row.problem();
    Ok([
        text(Some(file.text().into())),
        place.address.into(),
        place.path.into(),
        text(row.type_name().map(Cow::from)),
        place.text.into(),
        instance,
        class,
        referent,
        property,
        text(row.key()),
        value,
        chunk,
        within,
        stored,
        text(problem.map(Problem::message)),
        number(problem.and_then(Problem::offset)),
        text(problem.and_then(Problem::path).map(Cow::from)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MAX_MEMORY;
    use enginewire::formats::FormatOptions;
    use enginewire_files::scan::{Content, Scan};
    use pretty_assertions::assert_eq;
    use std::path::Path;

    #[test]
    fn a_row_has_the_same_in_both_forms() {
        let model =
            b"<roblox version=\"4\"><Item class=\"A\" referent=\"R\"><Properties><string name=\"Name\">A, B</string>\
            <BinaryString name=\"Tags\">SG90AENvbGQ=</BinaryString></Properties></Item></roblox>";
        let scan = Scan::new(&FormatOptions::new(), MAX_MEMORY);
        let content = Content::Bytes(model);
        let mut reading = scan.reading("a.rbxm", content, scan.list(content, 1 << 20));
        let file = Name::new(Path::new("a.rbxm"));
        let [mut json, mut csv] = [Vec::new(), Vec::new()];
        while reading.step(&mut |row| {
            write(&file, row, &address(row), Form::Json, &mut json).unwrap();
            write(&file, row, &address(row), Form::Csv, &mut csv).unwrap();
        }) {}
        let place = r#""element":[94,147],"content":[120,132]}"#;
        let expected = r#"{"file":"a.rbxm","address":"\"A, B\":Tags","path":"","text":"{\"Hot\", \"Cold\"}","instance":"\"A, B\"","class":"A","referent":"R","property":"Tags","tags":["Hot","Cold"],"#;
        assert_eq!(String::from_utf8(json).unwrap(), format!("{expected}{place}\n"));
        let expected = "a.rbxm,\"\"\"A, B\"\":Tags\",,,\"{\"\"Hot\"\", \"\"Cold\"\"}\",\"\"\"A, B\"\"\",A,R,Tags,,\"[\"\"Hot\"\",\"\"Cold\"\"]\",,,120,,,\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}

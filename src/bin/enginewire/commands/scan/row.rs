//! The rows of `scan`: lines of JSON or CSV.

use std::io::{self, Write};

use bstr::ByteSlice;
use enginewire::roblox::attributes::Entry;
use enginewire::roblox::model::{AttributeReference, Listing, ModelError, Property};
use enginewire::DecodeError;
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

use crate::input::containers::Origin;
use crate::input::models::{self, EntryJson};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json,
    Csv,
}

impl Form {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Csv => "csv",
        }
    }

    /// What comes before the first row.
    pub fn head(self) -> String {
        match self {
            Form::Json => String::new(),
            Form::Csv => format!("{}\n", COLUMNS.join(",")),
        }
    }
}

/// The columns of CSV, in their order.
pub const COLUMNS: [&str; 14] = [
    "file",
    "instance",
    "class",
    "referent",
    "property",
    "key",
    "type",
    "value",
    "chunk_offset",
    "offset_in_chunk",
    "file_offset",
    "error",
    "error_offset",
    "error_path",
];

/// A row: which property of which instance, a fact about it, and its place in the file.
#[derive(Serialize)]
pub struct Row<'r> {
    #[serde(flatten)]
    pub origin: &'r Origin,
    #[serde(flatten)]
    pub fact: &'r Fact<'r>,
    #[serde(flatten)]
    pub place: &'r Origin,
}

/// What a row says.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Fact<'r> {
    /// An attribute.
    Entry(&'r Entry<'r>),
    /// The tags of an instance.
    Tags { tags: Tags<'r> },
    /// An attribute that holds a reference, with the path of the instance.
    Reference {
        key: String,
        #[serde(rename = "type")]
        name: &'static str,
        value: Option<String>,
    },
    /// An error in a value, or in the file.
    Error { error: Value },
    /// The file has none of these.
    Nothing {},
}

/// The tags of a property, written one after the other: a small file can have millions of them.
pub struct Tags<'r>(pub &'r Property<'r>);

impl Serialize for Tags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.tags().map(|tag| tag.to_str_lossy()))
    }
}

impl Fact<'_> {
    /// An attribute that holds a reference.
    pub fn of_reference(listing: &Listing, reference: &AttributeReference<'_>) -> Self {
        Fact::Reference {
            key: reference.key.to_str_lossy().into_owned(),
            name: models::REFERENCE,
            value: reference.referent.map(|_| listing.reference_text(reference)),
        }
    }

    /// An error without a place.
    pub fn error(message: impl ToString) -> Self {
        Fact::Error { error: json!({ "message": message.to_string() }) }
    }

    /// An error in a value. The offset counts from the start of the value.
    pub fn of_value(error: &DecodeError) -> Self {
        let message = error.fault().to_string();
        let (offset, path) = (error.offset().byte(), error.path().to_string());
        Fact::Error { error: json!({ "message": message, "offset": offset, "path": path }) }
    }

    /// An error in a file. The offset counts from the start of the file.
    pub fn of_file(problem: &ModelError) -> Self {
        match problem {
            ModelError::File(error) => Fact::of_value(error),
            ModelError::Xml { offset, .. } | ModelError::NoEnd { offset } | ModelError::Trailing { offset } => {
                Fact::Error { error: json!({ "message": problem.to_string(), "offset": offset }) }
            }
            problem => Fact::error(problem),
        }
    }
}

impl Row<'_> {
    /// Writes the row and the end of its line.
    pub fn write(&self, form: Form, out: &mut impl Write) -> io::Result<()> {
        match form {
            Form::Json => serde_json::to_writer(&mut *out, self)?,
            Form::Csv => write_record(&self.columns()?, out)?,
        }
        out.write_all(b"\n")
    }

    /// The fields of CSV, as [`COLUMNS`] names them.
    fn columns(&self) -> io::Result<[Field<'_>; 14]> {
        let [file, instance, class, referent, property] =
            ["file", "instance", "class", "referent", "property"].map(|name| text(self.origin.member(name)));
        let place = |name: &str| self.place.member(name);
        let chunk = place("chunk").map(|chunk| &chunk["offset"]);
        // in XML the value is stored where the content of its element begins
        let stored = place("file_offset").or_else(|| place("content").map(|content| &content[0]));
        let (mut key, mut kind, mut value) = (String::new(), String::new(), Field::Text(String::new()));
        let mut error = &Value::Null;
        match self.fact {
            Fact::Entry(entry) => {
                let entry = EntryJson::new(entry)?;
                (key, kind, value) = (text(Some(&entry.key)), entry.name, Field::Text(entry.value.get().to_owned()));
            }
            Fact::Tags { tags } => value = Field::Tags(tags),
            Fact::Reference { key: found, name, value: target } => {
                let target = target.as_ref().map_or(Value::Null, |target| json!(target));
                (key, kind, value) = (found.clone(), (*name).to_owned(), Field::Text(target.to_string()));
            }
            Fact::Error { error: found } => error = found,
            Fact::Nothing {} => {}
        }
        let [message, offset, path] = ["message", "offset", "path"].map(|name| text(Some(&error[name])));
        let [chunk, within, stored] = [chunk, place("offset_in_chunk"), stored].map(text);
        let [file, instance, class, referent, property, key, kind] =
            [file, instance, class, referent, property, key, kind].map(Field::Text);
        let [chunk, within, stored, message, offset, path] =
            [chunk, within, stored, message, offset, path].map(Field::Text);
        Ok([file, instance, class, referent, property, key, kind, value, chunk, within, stored, message, offset, path])
    }
}

/// A text as it is, anything else as JSON, and nothing for null.
fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A field of CSV.
enum Field<'r> {
    Text(String),
    /// As JSON.
    Tags(&'r Tags<'r>),
}

/// The inside of a field in quotes, where a quote is written twice.
struct Quoted<W>(W);

impl<W: Write> Write for Quoted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'"') {
            self.0.write_all(piece)?;
            if piece.ends_with(b"\"") {
                self.0.write_all(b"\"")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a record of RFC 4180, without the end of the line.
fn write_record(fields: &[Field<'_>], out: &mut impl Write) -> io::Result<()> {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        match field {
            Field::Text(text) if !text.contains(['"', ',', '\n', '\r']) => out.write_all(text.as_bytes())?,
            field => {
                out.write_all(b"\"")?;
                match field {
                    Field::Text(text) => Quoted(&mut *out).write_all(text.as_bytes())?,
                    Field::Tags(tags) => serde_json::to_writer(Quoted(&mut *out), tags)?,
                }
                out.write_all(b"\"")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use enginewire::roblox::model::{list_bytes, Options};
    use pretty_assertions::assert_eq;

    #[test]
    fn what_csv_uses_itself_is_quoted() {
        let mut out = Vec::new();
        let fields = ["a", "", "b,c", "say \"x\"", "two\nlines", "\r"].map(|text| Field::Text(text.to_owned()));
        write_record(&fields, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\"");
    }

    #[test]
    fn a_row_has_the_same_in_both_forms() {
        let origin = Origin::of(vec![("file", json!("a.rbxm")), ("instance", json!("A, B")), ("referent", json!("7"))]);
        let place = Origin::of(vec![("chunk", json!({ "offset": 82 })), ("file_offset", Value::Null)]);
        let model = b"<roblox version=\"4\"><Item class=\"A\" referent=\"R\"><Properties>\
            <BinaryString name=\"Tags\">SG90AENvbGQ=</BinaryString></Properties></Item></roblox>";
        let listing = list_bytes(model, &Options::new()).unwrap();
        let property = listing.property_at(0).unwrap();
        let tags = Fact::Tags { tags: Tags(&property) };
        let row = Row { origin: &origin, fact: &tags, place: &place };
        let written = |form| {
            let mut out = Vec::new();
            row.write(form, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let json = r#"{"file":"a.rbxm","instance":"A, B","referent":"7","tags":["Hot","Cold"],"#;
        assert_eq!(written(Form::Json), format!("{json}\"chunk\":{{\"offset\":82}},\"file_offset\":null}}\n"));
        assert_eq!(written(Form::Csv), "a.rbxm,\"A, B\",,7,,,,\"[\"\"Hot\"\",\"\"Cold\"\"]\",82,,,,,\n");
    }
}

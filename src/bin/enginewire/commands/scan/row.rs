//! The rows of `scan`: lines of JSON or CSV.

use std::borrow::Cow;
use std::io::{self, Write};

use enginewire::scan::{Fact, Problem, Row, Tags};
use serde::Serialize;

use crate::output::name::Name;

/// The output form of rows.
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

    /// The text before the first row.
    pub fn head(self) -> String {
        match self {
            Form::Json => String::new(),
            Form::Csv => format!("{}\n", COLUMNS.join(",")),
        }
    }
}

/// The columns of CSV, in their order.
const COLUMNS: [&str; 14] = [
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

/// Writes a row of a file, and the end of its line.
pub fn write(file: &Name, row: &Row<'_>, form: Form, out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'r> {
        file: &'r Name,
        #[serde(flatten)]
        row: &'r Row<'r>,
    }
    match form {
        Form::Json => serde_json::to_writer(&mut *out, &Line { file, row })?,
        Form::Csv => write_record(&fields(file, row)?, out)?,
    }
    out.write_all(b"\n")
}

/// The fields of CSV, as [`COLUMNS`] names them.
fn fields<'r>(file: &'r Name, row: &'r Row<'_>) -> io::Result<[Field<'r>; 14]> {
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
        instance,
        class,
        referent,
        property,
        text(row.key()),
        text(row.type_name().map(Cow::from)),
        value,
        chunk,
        within,
        stored,
        text(problem.map(Problem::message)),
        number(problem.and_then(Problem::offset)),
        text(problem.and_then(Problem::path).map(Cow::from)),
    ])
}

/// A field of CSV.
enum Field<'r> {
    Text(Cow<'r, str>),
    /// As JSON.
    Tags(Tags<'r>),
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
    use crate::settings::MAX_MEMORY;
    use enginewire::formats::FormatOptions;
    use enginewire::scan::{Content, Scan};
    use pretty_assertions::assert_eq;
    use std::path::Path;

    #[test]
    fn what_csv_uses_itself_is_quoted() {
        let mut out = Vec::new();
        let fields = ["a", "", "b,c", "say \"x\"", "two\nlines", "\r"].map(|text| Field::Text(text.into()));
        write_record(&fields, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\"");
    }

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
            write(&file, row, Form::Json, &mut json).unwrap();
            write(&file, row, Form::Csv, &mut csv).unwrap();
        }) {}
        let place = r#""element":[94,147],"content":[120,132]}"#;
        let expected =
            r#"{"file":"a.rbxm","instance":"A, B","class":"A","referent":"R","property":"Tags","tags":["Hot","Cold"],"#;
        assert_eq!(String::from_utf8(json).unwrap(), format!("{expected}{place}\n"));
        let expected = "a.rbxm,\"A, B\",A,R,Tags,,,\"[\"\"Hot\"\",\"\"Cold\"\"]\",,,120,,,\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}

//! CSV, as RFC 4180 has it.

use std::borrow::Cow;
use std::io::{self, Write};

use enginewire_files::scan::Tags;

/// A field of CSV.
#[derive(Debug)]
pub enum Field<'r> {
    Text(Cow<'r, str>),
    /// As JSON.
    Tags(Tags<'r>),
}

impl<'r, T: Into<Cow<'r, str>>> From<T> for Field<'r> {
    fn from(text: T) -> Self {
        Field::Text(text.into())
    }
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

/// Returns true if a spreadsheet might run a text as a formula, or if it is one that [`write`] has marked. Numbers are none.
fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches(MARK);
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

/// Before a text that might be a formula, so that spreadsheets take it as text. [`unmarked`] takes it away.
const MARK: char = '\'';

/// The text of a field that [`write`] has written.
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix(MARK).filter(|_| is_formula(text)).unwrap_or(text)
}

/// Writes a record of RFC 4180. A text that a spreadsheet might run as a formula begins with a single quote.
pub fn write(fields: &[Field<'_>], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        let mark = if matches!(field, Field::Text(text) if is_formula(text)) { "'" } else { "" };
        match field {
            Field::Text(text) if !text.contains(['"', ',', '\n', '\r']) => write!(out, "{mark}{text}")?,
            field => {
                write!(out, "\"{mark}")?;
                match field {
                    Field::Text(text) => Quoted(&mut *out).write_all(text.as_bytes())?,
                    Field::Tags(tags) => serde_json::to_writer(Quoted(&mut *out), tags)?,
                }
                out.write_all(b"\"")?;
            }
        }
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_csv_uses_itself_is_quoted() {
        let mut out = Vec::new();
        let fields = ["a", "", "b,c", "say \"x\"", "two\nlines", "\r"].map(|text| Field::Text(text.into()));
        write(&fields, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\"'\r\"\n");
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_marked_and_comes_back() {
        let texts =
            ["=1+1", "+1", "-1", "-1e3", "-2+3", "@a", "\t=a", "'=a", "''=a", "'a", "a=b", "", "\"=a\"", "=\",\n"];
        let mut out = Vec::new();
        write(&texts.map(|text| Field::Text(text.into())), &mut out).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
        let record = reader.records().next().unwrap().unwrap();
        let shown = [
            "'=1+1", "+1", "-1", "-1e3", "'-2+3", "'@a", "'\t=a", "''=a", "'''=a", "'a", "a=b", "", "\"=a\"", "'=\",\n",
        ];
        assert_eq!(record.iter().collect::<Vec<_>>(), shown);
        assert_eq!(record.iter().map(unmarked).collect::<Vec<_>>(), texts);
    }
}

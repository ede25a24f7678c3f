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

/// Writes a record of RFC 4180.
pub fn write(fields: &[Field<'_>], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
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
        assert_eq!(String::from_utf8(out).unwrap(), "a,,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\"\n");
    }
}

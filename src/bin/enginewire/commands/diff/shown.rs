//! Values as `diff` writes them.

use std::fmt::{self, Display, Write as _};
use std::io;

use bstr::BStr;
use enginewire::roblox::attributes::{Entry, Value};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::output::escape::{printable_json, SHOWN};
use crate::output::name::BytesJson;

/// What is written of a value.
pub enum Shown<'v> {
    /// A value, after the name of its type.
    Named(&'v Value<'v>),
    /// A value without its type.
    Bare(&'v Value<'v>),
    Typed(&'v Value<'v>),
    Entry(&'v Entry<'v>),
    Key(&'v BStr),
    Json(Json),
}

impl Shown<'_> {
    /// Its beginning, for people.
    pub fn cut(&self) -> String {
        struct Cut(String);
        impl fmt::Write for Cut {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let room = SHOWN.saturating_sub(self.0.len());
                if text.len() <= room {
                    self.0.push_str(text);
                    return Ok(());
                }
                let fits = (0..=room).rev().find_map(|end| text.get(..end));
                self.0.push_str(fits.unwrap_or_default());
                self.0.push('…');
                Err(fmt::Error)
            }
        }
        let mut cut = Cut(String::new());
        // the only error is our own: it was cut
        let _ = write!(cut, "{self}");
        printable_json(&cut.0).into_owned()
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Named(value) => {
                write!(f, "{} ", value.type_id().name())?;
                Shown::Bare(value).fmt(f)
            }
            Shown::Bare(value) => {
                let head = format!(r#"{{"type":"{}","value":"#, value.type_id().name()).len();
                json(&mut JsonText { out: f, skip: head, last: None }, value)
            }
            Shown::Typed(value) => whole_json(f, value),
            Shown::Entry(entry) => whole_json(f, entry),
            Shown::Key(key) => whole_json(f, &BytesJson(key)),
            Shown::Json(value) => whole_json(f, value),
        }
    }
}

/// The text of a value may be long, so that it is written as it comes.
impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// JSON without its first bytes, and without the last.
struct JsonText<'t, 'f> {
    out: &'t mut fmt::Formatter<'f>,
    skip: usize,
    last: Option<String>,
}

impl io::Write for JsonText<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let kept = text.get(self.skip.min(text.len())..).unwrap_or_default();
        self.skip = self.skip.saturating_sub(text.len());
        if !kept.is_empty() {
            if let Some(last) = self.last.replace(kept.to_owned()) {
                self.out.write_str(&last).map_err(io::Error::other)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same, all of it.
struct WholeText<'t, 'f>(&'t mut fmt::Formatter<'f>);

impl io::Write for WholeText<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn whole_json(f: &mut fmt::Formatter<'_>, value: &impl Serialize) -> fmt::Result {
    serde_json::to_writer(WholeText(f), value).map_err(|_| fmt::Error)
}

fn json(text: &mut JsonText<'_, '_>, value: &Value<'_>) -> fmt::Result {
    serde_json::to_writer(&mut *text, value).map_err(|_| fmt::Error)?;
    let last = text.last.take().unwrap_or_default();
    text.out.write_str(last.strip_suffix('}').unwrap_or(&last))
}

//! JSON text, written while values give their parts.

use std::io::{self, Write};
use std::mem::take;

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::member::{in_text, Give, GiveEntries, GiveItems, GiveMembers, Receiver, Scalar, Tag, Text};

/// Writes a value, in one line.
pub(crate) fn write(value: &dyn Give, out: impl Write) -> io::Result<()> {
    write_with(value, out, CompactFormatter)
}

/// Writes a value, indented.
pub(crate) fn write_pretty(value: &dyn Give, out: impl Write) -> io::Result<()> {
    write_with(value, out, PrettyFormatter::new())
}

fn write_with(value: &dyn Give, out: impl Write, formatter: impl Formatter) -> io::Result<()> {
    let mut text = JsonText { out, formatter, written: Ok(()) };
    value.give(&mut text);
    text.written
}

/// What serde_json's serializer writes, without a serializer for each value.
struct JsonText<W, F> {
    out: W,
    formatter: F,
    /// The first error. Nothing is written after it.
    written: io::Result<()>,
}

impl<W: Write, F: Formatter> JsonText<W, F> {
    #[inline]
    fn write(&mut self, write: impl FnOnce(&mut F, &mut W) -> io::Result<()>) {
        if self.written.is_ok() {
            self.written = write(&mut self.formatter, &mut self.out);
        }
    }

    fn text(&mut self, text: &str) {
        self.write(|_, out| Ok(serde_json::to_writer(out, text)?));
    }

    /// The name of a member, before its value. `name` writes it in quotes.
    fn name(&mut self, is_first: &mut bool, name: impl FnOnce(&mut W) -> io::Result<()>) {
        self.write(|formatter, out| {
            formatter.begin_object_key(out, take(is_first))?;
            name(out)?;
            formatter.end_object_key(out)?;
            formatter.begin_object_value(out)
        });
    }

    /// `{name: value}`
    fn single(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.write(F::begin_object);
        self.name(&mut true, |out| in_quotes(out, name));
        value(self);
        self.write(|formatter, out| {
            formatter.end_object_value(out)?;
            formatter.end_object(out)
        });
    }

    /// A value that is no text and that text has as it is.
    fn plain(&mut self, scalar: Scalar<'_>) {
        self.write(|formatter, out| match scalar {
            Scalar::Bool(value) => formatter.write_bool(out, value),
            Scalar::U8(number) => formatter.write_u8(out, number),
            Scalar::U16(number) => formatter.write_u16(out, number),
            Scalar::U32(number) => formatter.write_u32(out, number),
            Scalar::U64(number) => formatter.write_u64(out, number),
            Scalar::I8(number) => formatter.write_i8(out, number),
            Scalar::I16(number) => formatter.write_i16(out, number),
            Scalar::I32(number) => formatter.write_i32(out, number),
            Scalar::I64(number) => formatter.write_i64(out, number),
            Scalar::F32(number) => formatter.write_f32(out, number),
            Scalar::F64(number) => formatter.write_f64(out, number),
            _ => formatter.write_null(out),
        });
    }
}

/// Writes a name of this crate, which has nothing to escape.
fn in_quotes(out: &mut impl Write, name: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    out.write_all(name.as_bytes())?;
    out.write_all(b"\"")
}

impl<W: Write, F: Formatter> Receiver for JsonText<W, F> {
    fn scalar(&mut self, scalar: Scalar<'_>) {
        match scalar {
            Scalar::Text(text) => self.text(text),
            Scalar::Name(_, _, name) => self.write(|_, out| in_quotes(out, name)),
            scalar if scalar.has_text() => match in_text(scalar) {
                Text::Scalar(Scalar::Text(text)) => self.text(text),
                Text::Scalar(scalar) => self.plain(scalar),
                Text::Digits(digits) => self.text(&digits),
                Text::Object(name, text) => self.single(name, |json| json.text(&text)),
            },
            scalar => self.plain(scalar),
        }
    }

    fn tagged(&mut self, tag: Tag, value: &dyn Give) {
        match tag {
            Tag::Variant(_, _, name) => self.single(name, |json| value.give(json)),
            _ => value.give(self),
        }
    }

    fn list(&mut self, _: usize, items: GiveItems<'_>) {
        self.write(F::begin_array);
        let mut is_first = true;
        items(&mut |item| {
            self.write(|formatter, out| formatter.begin_array_value(out, take(&mut is_first)));
            item.give(self);
            self.write(F::end_array_value);
        });
        self.write(F::end_array);
    }

    fn structure(&mut self, _: &'static str, _: usize, members: GiveMembers<'_>) {
        self.write(F::begin_object);
        let mut is_first = true;
        members(&mut |name, value| {
            self.name(&mut is_first, |out| in_quotes(out, name));
            value.give(self);
            self.write(F::end_object_value);
        });
        self.write(F::end_object);
    }

    fn map(&mut self, _: Option<usize>, entries: GiveEntries<'_>) {
        self.write(F::begin_object);
        let mut is_first = true;
        entries(&mut |name, value| {
            self.name(&mut is_first, |out| Ok(serde_json::to_writer(out, name)?));
            value.give(self);
            self.write(F::end_object_value);
        });
        self.write(F::end_object);
    }

    fn refuse(&mut self, reason: &str) {
        self.write(|_, _| Err(io::Error::other(reason)));
    }
}

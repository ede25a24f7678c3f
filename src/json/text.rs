//! JSON text, written while values give their parts.

use std::io::{self, Write};
use std::mem::take;

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::member::{text_form, Give, GiveEntries, GiveItems, GiveMembers, Receiver, Scalar, Tag, TextForm};

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

    /// A value in another.
    #[inline]
    fn part(&mut self, value: &dyn Give) {
        if self.written.is_ok() {
            value.give(self);
        }
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

    /// A value whose form in text is its own, and no string.
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

/// Writes a name of a program, which mostly has nothing to escape.
fn in_quotes(mut out: impl Write, name: &str) -> io::Result<()> {
    if !name.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        return Ok(serde_json::to_writer(out, name)?);
    }
    out.write_all(b"\"")?;
    out.write_all(name.as_bytes())?;
    out.write_all(b"\"")
}

impl<W: Write, F: Formatter> Receiver for JsonText<W, F> {
    fn scalar(&mut self, scalar: Scalar<'_>) {
        match scalar {
            Scalar::Text(text) => self.text(text),
            Scalar::Name(_, _, name) => self.write(|_, out| in_quotes(out, name)),
            scalar if scalar.has_text() => match text_form(scalar) {
                TextForm::Scalar(Scalar::Text(text)) => self.text(text),
                TextForm::Scalar(scalar) => self.plain(scalar),
                TextForm::Digits(digits) => self.text(&digits),
                TextForm::Object(name, text) => self.single(name, |json| json.text(&text)),
            },
            scalar => self.plain(scalar),
        }
    }

    fn tagged(&mut self, tag: Tag, value: &dyn Give) {
        match tag {
            Tag::Variant(_, _, name) => self.single(name, |json| value.give(json)),
            Tag::Line => self.write(|_, out| {
                let out: &mut dyn Write = out;
                write(value, out)
            }),
            _ => value.give(self),
        }
    }

    fn list(&mut self, _: usize, items: GiveItems<'_>) {
        self.write(F::begin_array);
        let mut is_first = true;
        items(&mut |item| {
            self.write(|formatter, out| formatter.begin_array_value(out, take(&mut is_first)));
            self.part(item);
            self.write(F::end_array_value);
        });
        self.write(F::end_array);
    }

    fn structure(&mut self, _: &'static str, _: usize, members: GiveMembers<'_>) {
        self.write(F::begin_object);
        let mut is_first = true;
        members(&mut |name, value| {
            self.name(&mut is_first, |out| in_quotes(out, name));
            self.part(value);
            self.write(F::end_object_value);
        });
        self.write(F::end_object);
    }

    fn map(&mut self, _: Option<usize>, entries: GiveEntries<'_>) {
        self.write(F::begin_object);
        let mut is_first = true;
        entries(&mut |name, value| {
            self.name(&mut is_first, |out| Ok(serde_json::to_writer(out, name)?));
            self.part(value);
            self.write(F::end_object_value);
        });
        self.write(F::end_object);
    }

    fn refuse(&mut self, reason: &str) {
        self.write(|_, _| Err(io::Error::other(reason)));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::wire::ByteString;
    use pretty_assertions::assert_eq;

    /// Everything that a value can give.
    struct All;

    impl Give for All {
        fn give(&self, to: &mut dyn Receiver) {
            to.structure("All", 9, &mut |member| {
                member("a \"name\"\\\n", &"a \"text\"\u{7f}\u{2028}");
                member("none", &[None::<bool>, Some(true)]);
                member("empty", &[ByRef(&Vec::<u8>::new()), ByRef(&Empty)]);
                member("numbers", &vec![0.5, -0.0, 1e300, f64::NAN, f64::NEG_INFINITY]);
                member("singles", &vec![0.1_f32, 16_777_217.0, f32::from_bits(0xffc0_0001)]);
                member("integers", &[i64::MIN, -9_007_199_254_740_991, 9_007_199_254_740_992]);
                member("bytes", &ByteString::from(&b"\xff\x00"[..]));
                member("choice", &Choice);
                member("nothing", &());
            });
        }
    }

    struct ByRef<'v>(&'v dyn Give);

    impl Give for ByRef<'_> {
        fn give(&self, to: &mut dyn Receiver) {
            self.0.give(to);
        }
    }

    struct Empty;

    impl Give for Empty {
        fn give(&self, to: &mut dyn Receiver) {
            to.map(None, &mut |_| {});
        }
    }

    struct Choice;

    impl Give for Choice {
        fn give(&self, to: &mut dyn Receiver) {
            to.tagged(Tag::Variant("Choice", 0, "id"), &7_u8);
        }
    }

    #[test]
    fn it_is_what_serde_json_writes() {
        let [mut line, mut pretty] = [Vec::new(), Vec::new()];
        write(&All, &mut line).unwrap();
        write_pretty(&All, &mut pretty).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), serde_json::to_string::<dyn Give>(&All).unwrap());
        assert_eq!(String::from_utf8(pretty).unwrap(), serde_json::to_string_pretty::<dyn Give>(&All).unwrap());
    }

    /// Takes some bytes, and then no more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Counted<'c>(&'c Cell<u32>);

    impl Give for Counted<'_> {
        fn give(&self, to: &mut dyn Receiver) {
            self.0.set(self.0.get().saturating_add(1));
            to.scalar(Scalar::U8(7));
        }
    }

    #[test]
    fn nothing_is_asked_for_after_an_error() {
        let count = Cell::new(0);
        let items: Vec<_> = (0..9).map(|_| Counted(&count)).collect();
        // "[7,7", and no comma
        assert_eq!(write(&items, Full(4)).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(count.get(), 2);

        struct Refused;
        impl Give for Refused {
            fn give(&self, to: &mut dyn Receiver) {
                to.refuse("there is none");
            }
        }
        assert_eq!(write(&Refused, Vec::new()).unwrap_err().to_string(), "there is none");
        assert_eq!(serde_json::to_string::<dyn Give>(&Refused).unwrap_err().to_string(), "there is none");
    }
}

//! JSON text, written while values give their parts.

use std::io::{self, Write};

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::member::{text_form, Give, Receiver, Scalar, Tag, TextForm};

/// Writes a value: in lines that are indented, or in one line.
pub(crate) fn write(value: &dyn Give, out: impl Write, pretty: bool) -> io::Result<()> {
    match pretty {
        true => write_with(value, out, PrettyFormatter::new()),
        false => write_with(value, out, CompactFormatter),
    }
}

fn write_with(value: &dyn Give, out: impl Write, formatter: impl Formatter) -> io::Result<()> {
    let mut text = JsonText { out, formatter, is_first: true, is_list: false, written: Ok(()) };
    value.give(&mut text);
    text.written
}

/// Writes the same as serde_json's serializer, without a serializer for each value.
struct JsonText<W, F> {
    out: W,
    formatter: F,
    /// True before the first part of the innermost list or object.
    is_first: bool,
    /// True if that is a list.
    is_list: bool,
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

    /// A list or an object begins.
    fn begin(&mut self, is_list: bool) {
        (self.is_first, self.is_list) = (true, is_list);
        self.write(|formatter, out| if is_list { formatter.begin_array(out) } else { formatter.begin_object(out) });
    }

    /// A part of a list or an object.
    #[inline]
    fn part(&mut self, value: &dyn Give) {
        if self.written.is_ok() {
            let is_list = self.is_list;
            value.give(self);
            (self.is_first, self.is_list) = (false, is_list);
        }
    }

    /// The name of a member, before its value. `name` writes it in quotes.
    fn name(&mut self, is_first: bool, name: impl FnOnce(&mut W) -> io::Result<()>) {
        self.write(|formatter, out| {
            formatter.begin_object_key(out, is_first)?;
            name(out)?;
            formatter.end_object_key(out)?;
            formatter.begin_object_value(out)
        });
    }

    /// `{name: value}`
    fn single(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.write(F::begin_object);
        self.name(true, |out| in_quotes(out, name));
        value(self);
        self.write(F::end_object_value);
        self.write(F::end_object);
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
                write_with(value, out, CompactFormatter)
            }),
            _ => value.give(self),
        }
    }

    fn list(&mut self, _: usize) {
        self.begin(true);
    }

    fn item(&mut self, value: &dyn Give) {
        let is_first = self.is_first;
        self.write(|formatter, out| formatter.begin_array_value(out, is_first));
        self.part(value);
        self.write(F::end_array_value);
    }

    fn structure(&mut self, _: &'static str, _: usize) {
        self.begin(false);
    }

    fn member(&mut self, name: &'static str, value: &dyn Give) {
        self.name(self.is_first, |out| in_quotes(out, name));
        self.part(value);
        self.write(F::end_object_value);
    }

    fn map(&mut self, _: Option<usize>) {
        self.begin(false);
    }

    fn entry(&mut self, name: &str, value: &dyn Give) {
        self.name(self.is_first, |out| Ok(serde_json::to_writer(out, name)?));
        self.part(value);
        self.write(F::end_object_value);
    }

    fn end(&mut self) {
        let is_list = self.is_list;
        self.write(|formatter, out| if is_list { formatter.end_array(out) } else { formatter.end_object(out) });
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
            to.structure("All", 9);
            to.member("a \"name\"\\\n", &"a \"text\"\u{7f}\u{2028}");
            to.member("none", &[None::<bool>, Some(true)]);
            to.member("empty", &[ByRef(&Vec::<u8>::new()), ByRef(&Empty)]);
            to.member("numbers", &vec![0.5, -0.0, 1e300, f64::NAN, f64::NEG_INFINITY]);
            to.member("singles", &vec![0.1_f32, 16_777_217.0, f32::from_bits(0xffc0_0001)]);
            to.member("integers", &[i64::MIN, -9_007_199_254_740_991, 9_007_199_254_740_992]);
            to.member("bytes", &ByteString::from(&b"\xff\x00"[..]));
            to.member("choice", &Choice);
            to.member("nothing", &());
            to.end();
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
            to.map(None);
            to.end();
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
        write(&All, &mut line, false).unwrap();
        write(&All, &mut pretty, true).unwrap();
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
        assert_eq!(write(&items, Full(4), false).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(count.get(), 2);

        struct Refused;
        impl Give for Refused {
            fn give(&self, to: &mut dyn Receiver) {
                to.refuse("there is none");
            }
        }
        assert_eq!(write(&Refused, Vec::new(), false).unwrap_err().to_string(), "there is none");
        assert_eq!(serde_json::to_string::<dyn Give>(&Refused).unwrap_err().to_string(), "there is none");
    }
}

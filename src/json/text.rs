//! JSON text, written while values give their parts.

use std::io::{self, Write};

use serde_json::ser::{CompactFormatter, Formatter};

use crate::member::{text_form, Give, Receiver, Scalar, Tag, TextForm};

/// The size of the text that is collected before it is written. A larger size makes no program faster, and a small document is
/// written at once.
const ENOUGH: usize = 8 << 10;

/// Writes a value in one line. With a `level`, writes several lines: the first is not indented, and the others by at least this
/// many levels.
pub(crate) fn write(value: &dyn Give, out: &mut dyn Write, level: Option<usize>) -> io::Result<()> {
    let mut json =
        JsonText { out, text: Vec::with_capacity(128), level, is_first: true, is_list: false, written: Ok(()) };
    value.give(&mut json);
    json.flush();
    json.written
}

/// Writes the same as serde_json's serializer, without a serializer for each value.
struct JsonText<'o> {
    out: &'o mut dyn Write,
    /// Text that is not written yet.
    text: Vec<u8>,
    /// By how many levels lines are indented. None if everything is in one line.
    level: Option<usize>,
    /// True before the first part of the innermost list or object.
    is_first: bool,
    /// True if that is a list.
    is_list: bool,
    /// The first error. Nothing is asked for after it.
    written: io::Result<()>,
}

impl JsonText<'_> {
    fn flush(&mut self) {
        if self.written.is_ok() {
            self.written = self.out.write_all(&self.text);
        }
        self.text.clear();
    }

    /// Writes with serde_json, which cannot fail in memory.
    fn write(&mut self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        if let Err(error) = write(&mut self.text) {
            self.written = Err(error);
        }
    }

    fn text(&mut self, text: &str) {
        if text.len() < ENOUGH {
            return self.write(|out| Ok(serde_json::to_writer(out, text)?));
        }
        self.flush();
        if self.written.is_ok() {
            self.written = serde_json::to_writer(&mut *self.out, text).map_err(io::Error::from);
        }
    }

    /// Writes a name, which has nothing to escape.
    #[inline]
    fn name(&mut self, name: &str) {
        debug_assert!(name.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\'), "{name:?}");
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.text.push(b'"');
    }

    /// A list or an object begins.
    fn begin(&mut self, is_list: bool) {
        self.text.push(if is_list { b'[' } else { b'{' });
        self.level = self.level.map(|level| level.saturating_add(1));
        (self.is_first, self.is_list) = (true, is_list);
    }

    /// Writes the line break and indentation before a part or the end.
    #[inline]
    fn line(&mut self) {
        if let Some(level) = self.level {
            self.text.push(b'\n');
            (0..level).for_each(|_| self.text.extend_from_slice(b"  "));
        }
    }

    /// Writes the comma, line break and indentation before a part.
    #[inline]
    fn next(&mut self) {
        if !self.is_first {
            self.text.push(b',');
        }
        self.line();
    }

    /// Writes the colon between a name and its value.
    #[inline]
    fn colon(&mut self) {
        self.text.extend_from_slice(if self.level.is_some() { b": " } else { b":" });
    }

    /// A part of a list or an object.
    #[inline]
    fn part(&mut self, value: &dyn Give) {
        if self.text.len() >= ENOUGH {
            self.flush();
        }
        if self.written.is_ok() {
            let is_list = self.is_list;
            value.give(self);
            (self.is_first, self.is_list) = (false, is_list);
        }
    }

    /// `{name: value}`
    fn single(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.begin(false);
        self.next();
        self.name(name);
        self.colon();
        value(self);
        (self.is_first, self.is_list) = (false, false);
        self.end();
    }

    /// A value whose form in text is its own, and no string.
    fn plain(&mut self, scalar: Scalar<'_>) {
        self.write(|out| match scalar {
            Scalar::Bool(value) => CompactFormatter.write_bool(out, value),
            Scalar::U8(number) => CompactFormatter.write_u8(out, number),
            Scalar::U16(number) => CompactFormatter.write_u16(out, number),
            Scalar::U32(number) => CompactFormatter.write_u32(out, number),
            Scalar::U64(number) => CompactFormatter.write_u64(out, number),
            Scalar::I8(number) => CompactFormatter.write_i8(out, number),
            Scalar::I16(number) => CompactFormatter.write_i16(out, number),
            Scalar::I32(number) => CompactFormatter.write_i32(out, number),
            Scalar::I64(number) => CompactFormatter.write_i64(out, number),
            Scalar::F32(number) => CompactFormatter.write_f32(out, number),
            Scalar::F64(number) => CompactFormatter.write_f64(out, number),
            _ => CompactFormatter.write_null(out),
        });
    }
}

impl Receiver for JsonText<'_> {
    fn scalar(&mut self, scalar: Scalar<'_>) {
        match scalar {
            Scalar::Text(text) => self.text(text),
            Scalar::Name(_, _, name) => self.name(name),
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
            Tag::Line => {
                let level = self.level.take();
                value.give(self);
                self.level = level;
            }
            _ => value.give(self),
        }
    }

    fn list(&mut self, _: usize) {
        self.begin(true);
    }

    fn item(&mut self, value: &dyn Give) {
        self.next();
        self.part(value);
    }

    fn structure(&mut self, _: &'static str, _: usize) {
        self.begin(false);
    }

    fn member(&mut self, name: &'static str, value: &dyn Give) {
        self.next();
        self.name(name);
        self.colon();
        self.part(value);
    }

    fn map(&mut self, _: Option<usize>) {
        self.begin(false);
    }

    fn entry(&mut self, name: &str, value: &dyn Give) {
        self.next();
        self.text(name);
        self.colon();
        self.part(value);
    }

    fn end(&mut self) {
        self.level = self.level.map(|level| level.saturating_sub(1));
        if !self.is_first {
            self.line();
        }
        self.text.push(if self.is_list { b']' } else { b'}' });
    }

    fn refuse(&mut self, reason: &str) {
        if self.written.is_ok() {
            self.written = Err(io::Error::other(reason));
        }
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
            to.map(Some(10));
            to.entry("a \"name\"\\\n", &"a \"text\"\u{7f}\u{2028}");
            to.entry("none", &[None::<bool>, Some(true)]);
            to.entry("empty", &[ByRef(&Vec::<u8>::new()), ByRef(&Empty)]);
            to.entry("numbers", &vec![0.5, -0.0, 1e300, f64::NAN, f64::NEG_INFINITY]);
            to.entry("singles", &vec![0.1_f32, 16_777_217.0, f32::from_bits(0xffc0_0001)]);
            to.entry("integers", &[i64::MIN, -9_007_199_254_740_991, 9_007_199_254_740_992]);
            to.entry("bytes", &ByteString::from(&b"\xff\x00"[..]));
            to.entry("choice", &Choice);
            to.entry("nothing", &());
            to.entry("structure", &Members);
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

    struct Members;

    impl Give for Members {
        fn give(&self, to: &mut dyn Receiver) {
            to.structure("Members", 2);
            to.member("a", &true);
            to.member("b_2", &[0_u8]);
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
        write(&All, &mut line, None).unwrap();
        write(&All, &mut pretty, Some(0)).unwrap();
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
        let items: Vec<_> = (0..9_999).map(|_| Counted(&count)).collect();
        assert_eq!(write(&items, &mut Full(4), None).unwrap_err().kind(), io::ErrorKind::StorageFull);
        // two bytes each
        assert_eq!(count.get(), 4_096);

        struct Refused;
        impl Give for Refused {
            fn give(&self, to: &mut dyn Receiver) {
                to.refuse("there is none");
            }
        }
        assert_eq!(write(&Refused, &mut Vec::new(), None).unwrap_err().to_string(), "there is none");
        assert_eq!(serde_json::to_string::<dyn Give>(&Refused).unwrap_err().to_string(), "there is none");
    }
}

//! The texts of values in errors and trees.

use std::fmt::{self, Debug, Display};

/// The range of a type of numbers of Rust, in words: of `i8`, `-128 to 127`. Nothing if it is no such type.
pub(crate) fn range_of(of: &str) -> Option<&'static str> {
    Some(match of {
        "i8" => "-128 to 127",
        "i16" => "-32768 to 32767",
        "i32" => "-2147483648 to 2147483647",
        "i64" => "-9223372036854775808 to 9223372036854775807",
        "i128" => "-170141183460469231731687303715884105728 to 170141183460469231731687303715884105727",
        "u8" => "0 to 255",
        "u16" => "0 to 65535",
        "u32" => "0 to 4294967295",
        "u64" => "0 to 18446744073709551615",
        "f32" => "-3.4028235e38 to 3.4028235e38",
        "f64" => "-1.7976931348623157e308 to 1.7976931348623157e308",
        _ => return None,
    })
}

/// Why a type cannot hold a number: `300 does not fit Int8, -128 to 127`. `of` is the type of Rust; without a name, its bits are
/// named.
#[cold]
pub(crate) fn does_not_fit(number: &dyn Display, name: &str, of: &str) -> String {
    let bits = if name.is_empty() { format!("{} bits", of.get(1..).unwrap_or_default()) } else { String::new() };
    let range = range_of(of).map_or_else(String::new, |range| format!(", {range}"));
    format!("{number} does not fit {name}{bits}{range}")
}

/// A name with its article: `an Array`.
#[cfg(feature = "text")]
pub(crate) fn with_article(name: &str) -> String {
    let article = if name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// The form of the values of a type, after its name: `a Vector3 as an object with x, y, z`.
#[cfg(feature = "text")]
#[cold]
pub(crate) fn named_form(name: &str, form: &str) -> String {
    if name.is_empty() {
        return form.to_owned();
    }
    format!("{} as {form}", with_article(name))
}

/// Names as serde lists them: `` `a` or `b` ``.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [one] => format!("`{one}`"),
        [one, other] => format!("`{one}` or `{other}`"),
        all => format!("one of `{}`", all.join("`, `")),
    }
}

/// Replaces `text` by `value` as text of at most `limit` bytes, and `…` if there would be more. Formatting stops there, even if
/// the value is large. The minus selects the notation of the engine.
pub fn write_text(text: &mut String, value: &dyn Debug, limit: usize) {
    text.clear();
    append_text(text, value, limit);
}

/// Adds `value` as text, as [`write_text`] writes it.
pub(crate) fn append_text(text: &mut String, value: &dyn Debug, limit: usize) {
    // it fails only where it stops
    let _ = Limited::append(text, value, limit, false);
}

/// The same; an error if that would not be the whole text, or if it lists the fields of a structure of Rust:
/// `Name { field: … }`.
pub(crate) fn append_short_text(text: &mut String, value: &dyn Debug, limit: usize) -> fmt::Result {
    Limited::append(text, value, limit, true)
}

/// The start of Rust's text for an optional value.
const SOME: &str = "Some(";

struct Limited<'t> {
    text: &'t mut String,
    /// The length of the text before it.
    start: usize,
    limit: usize,
    stops_at_fields: bool,
}

impl Limited<'_> {
    fn append(text: &mut String, value: &dyn Debug, limit: usize, stops_at_fields: bool) -> fmt::Result {
        let start = text.len();
        fmt::write(&mut Limited { text, start, limit, stops_at_fields }, format_args!("{value:-?}"))?;
        let written = text.get(start..).unwrap_or_default();
        // `Some` only means that the value could be missing
        if stops_at_fields && written.starts_with(SOME) && written.ends_with(')') {
            text.pop();
            text.drain(start..start.saturating_add(SOME.len()));
        }
        Ok(())
    }

    fn written(&self) -> &str {
        self.text.get(self.start..).unwrap_or_default()
    }

    /// Returns true if only the name of a structure was written.
    fn is_name(&self) -> bool {
        let name = self.written().strip_prefix(SOME).unwrap_or_else(|| self.written());
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

impl fmt::Write for Limited<'_> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.stops_at_fields && more.starts_with(" { ") && self.is_name() {
            return Err(fmt::Error);
        }
        let room = self.limit.saturating_sub(self.text.len().saturating_sub(self.start));
        if more.len() <= room {
            self.text.push_str(more);
            return Ok(());
        }
        let fits = (0..=room).rev().find_map(|end| more.get(..end));
        self.text.push_str(fits.unwrap_or_default());
        self.text.push('…');
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_number_that_does_not_fit_is_said_with_its_range() {
        for (number, name, of, said) in [
            ("300", "Int8", "i8", "300 does not fit Int8, -128 to 127"),
            ("-1", "", "u8", "-1 does not fit 8 bits, 0 to 255"),
            ("40000", "i16", "i16", "40000 does not fit i16, -32768 to 32767"),
            ("3e9", "Int", "i32", "3e9 does not fit Int, -2147483648 to 2147483647"),
            ("9", "int", "i64", "9 does not fit int, -9223372036854775808 to 9223372036854775807"),
            ("9", "", "u64", "9 does not fit 64 bits, 0 to 18446744073709551615"),
            ("1e39", "Float", "f32", "1e39 does not fit Float, -3.4028235e38 to 3.4028235e38"),
            ("1e999", "", "f64", "1e999 does not fit 64 bits, -1.7976931348623157e308 to 1.7976931348623157e308"),
            ("-1", "usize", "usize", "-1 does not fit usize"),
            ("0", "a nonzero u8", "a nonzero u8", "0 does not fit a nonzero u8"),
        ] {
            assert_eq!(does_not_fit(&number, name, of), said);
        }
        macro_rules! ranges {
            ($($type:ident)*) => {$(
                assert_eq!(range_of(stringify!($type)), Some(&*format!("{:?} to {:?}", $type::MIN, $type::MAX)));
            )*};
        }
        ranges!(i8 i16 i32 i64 i128 u8 u16 u32 u64 f32 f64);
        assert_eq!(range_of("usize"), None);
    }

    #[test]
    fn names_and_forms_in_words() {
        assert_eq!(["a"].map(|one| listed(&[one])), ["`a`"]);
        assert_eq!([listed(&["a", "b"]), listed(&["a", "b", "c"])], ["`a` or `b`", "one of `a`, `b`, `c`"]);
        #[cfg(feature = "text")]
        assert_eq!([named_form("Array", "a list"), named_form("", "a list")], ["an Array as a list", "a list"]);
    }

    #[test]
    fn an_optional_value_is_shown_like_any_other() {
        #[derive(Debug)]
        struct Named {
            field: u8,
        }
        let text = |value: &dyn Debug| {
            let mut text = String::new();
            append_short_text(&mut text, value, 100).ok().map(|()| text)
        };
        assert_eq!(text(&Some(5)).as_deref(), Some("5"));
        assert_eq!(text(&None::<u8>).as_deref(), Some("None"));
        assert_eq!(text(&"Some(5)").as_deref(), Some("\"Some(5)\""));
        // a text that lists fields is left out
        let named = Named { field: 1 };
        assert_eq!((named.field, text(&named), text(&Some(named))), (1, None, None));
    }

    #[test]
    fn text_stops_at_its_limit_and_between_characters() {
        let text = |value: &dyn Debug, limit| {
            let mut text = "what was there before".to_owned();
            write_text(&mut text, value, limit);
            text
        };
        assert_eq!(text(&"short", 64), "\"short\"");
        assert_eq!(text(&"ääää", 4), "\"ä…");
        assert_eq!(text(&vec![0u8; 1 << 20], 5), "[0, 0…");
    }

    /// A text that is cut off, or that lists fields, is refused.
    #[test]
    fn a_short_text_is_whole() {
        #[derive(Debug)]
        #[allow(dead_code)] // it is shown
        struct Named {
            name: u8,
        }
        let text = |value: &dyn Debug| {
            let mut text = "what was there before".to_owned();
            append_short_text(&mut text, value, 12).map(|()| text)
        };
        for shown in ["", "{ \"a\": 1 }", "{a = 1}", "V(1, 2)", "Name.new(1)", "[1, 2]", "Name"] {
            assert_eq!(text(&format_args!("{shown}")).unwrap(), format!("what was there before{shown}"));
        }
        assert!(text(&Named { name: 1 }).is_err());
        assert!(text(&vec![0; 100]).is_err());
    }
}

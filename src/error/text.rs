//! The texts of values in errors and trees.

use std::fmt::{self, Debug};

/// Replaces `text` by `value` as text of at most `limit` bytes, and `…` if there would be more. Formatting stops there, even if
/// the value is large. The minus selects the notation of the engine.
pub fn write_text(text: &mut String, value: &dyn Debug, limit: usize) {
    // it fails only where it stops
    let _ = Limited::write(text, value, limit, false);
}

/// The same; an error if that would not be the whole text, or if it lists the fields of a structure of Rust:
/// `Name { field: … }`.
pub(crate) fn write_short_text(text: &mut String, value: &dyn Debug, limit: usize) -> fmt::Result {
    Limited::write(text, value, limit, true)
}

/// The start of Rust's text for an optional value.
const SOME: &str = "Some(";

struct Limited<'t> {
    text: &'t mut String,
    limit: usize,
    stops_at_fields: bool,
}

impl Limited<'_> {
    fn write(text: &mut String, value: &dyn Debug, limit: usize, stops_at_fields: bool) -> fmt::Result {
        text.clear();
        fmt::write(&mut Limited { text, limit, stops_at_fields }, format_args!("{value:-?}"))?;
        // `Some` only means that the value could be missing
        if stops_at_fields && text.starts_with(SOME) && text.ends_with(')') {
            text.pop();
            text.drain(..SOME.len());
        }
        Ok(())
    }

    /// Returns true if only the name of a structure was written.
    fn is_name(&self) -> bool {
        let name = self.text.strip_prefix(SOME).unwrap_or(self.text);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

impl fmt::Write for Limited<'_> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.stops_at_fields && more.starts_with(" { ") && self.is_name() {
            return Err(fmt::Error);
        }
        let room = self.limit.saturating_sub(self.text.len());
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
    fn an_optional_value_is_shown_like_any_other() {
        #[derive(Debug)]
        struct Named {
            field: u8,
        }
        let text = |value: &dyn Debug| {
            let mut text = String::new();
            write_short_text(&mut text, value, 100).ok().map(|()| text)
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
            write_short_text(&mut text, value, 12).map(|()| text)
        };
        for shown in ["", "{ \"a\": 1 }", "{a = 1}", "V(1, 2)", "Name.new(1)", "[1, 2]", "Name"] {
            assert_eq!(text(&format_args!("{shown}")).unwrap(), shown);
        }
        assert!(text(&Named { name: 1 }).is_err());
        assert!(text(&vec![0; 100]).is_err());
    }
}

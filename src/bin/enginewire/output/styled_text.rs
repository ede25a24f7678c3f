//! A line of styled text that knows its width.

use std::fmt;
use std::io::{self, Write};

use anstyle::Style;
use enginewire::notation::is_unprintable;
use unicode_width::UnicodeWidthChar;

use crate::output::escape::{escaped, SHOWN};
use crate::output::theme::PLAIN;

/// Pieces of text, each with its style.
#[derive(Clone, Debug, Default)]
pub struct Line(Vec<(Style, String)>);

impl Line {
    /// Appends text, with control characters escaped.
    #[must_use]
    pub fn with(self, style: Style, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.len() > SHOWN || !is_ascii_text(&text) && text.contains(is_unprintable) {
            text = escaped(text);
        }
        self.joined(style, text)
    }

    /// Appends a character, which must be printable.
    pub fn push(&mut self, style: Style, char: char) {
        match self.0.last_mut() {
            Some((last, before)) if *last == style => before.push(char),
            _ => self.0.push((style, char.into())),
        }
    }

    fn joined(mut self, style: Style, text: String) -> Self {
        match self.0.last_mut() {
            Some((last, before)) if *last == style => before.push_str(&text),
            _ => self.0.push((style, text)),
        }
        self
    }

    /// Appends another line.
    #[must_use]
    pub fn and(self, other: Line) -> Self {
        other.0.into_iter().fold(self, |line, (style, text)| line.joined(style, text))
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text_width(text)).sum()
    }

    /// Pads the line with blanks to at least `columns`.
    #[must_use]
    pub fn padded(self, columns: usize) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.with(Style::new(), " ".repeat(missing))
    }

    /// The beginning of the line and `…`, if it takes more than `columns`.
    #[must_use]
    pub fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut room = columns.saturating_sub(1);
        let mut cut = Vec::new();
        for (style, text) in self.0 {
            let kept: String = text
                .chars()
                .take_while(|char| room.checked_sub(char_width(*char)).map(|left| room = left).is_some())
                .collect();
            let whole = kept.len() == text.len();
            cut.push((style, kept));
            if !whole {
                break;
            }
        }
        if let Some((_, text)) = cut.last_mut() {
            text.push('…');
        }
        Line(cut)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end =
            self.0.iter().rposition(|(_, text)| !text.trim_end().is_empty()).map_or(0, |last| last.saturating_add(1));
        let pieces = self.0.get(..end).unwrap_or_default();
        for (index, (style, text)) in pieces.iter().enumerate() {
            let text = if index.saturating_add(1) == end { text.trim_end() } else { text };
            write!(f, "{style}{text}{style:#}")?;
        }
        Ok(())
    }
}

/// `text` in lines of at most `columns`, broken at blanks.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        let width = text_width(line).saturating_add(text_width(word)).saturating_add(1);
        if line.is_empty() {
            line.push_str(word);
        } else if width <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The end of `text`, in at most `columns`, with `…` for what is missing.
pub fn end_of(text: &str, columns: usize) -> String {
    let mut width = 0usize;
    let mut end = text.len();
    // from the end, for a name may be very long
    for (start, char) in text.char_indices().rev() {
        width = width.saturating_add(char_width(char));
        if width > columns {
            return format!("…{}", text.get(end..).unwrap_or_default());
        }
        if width < columns {
            end = start;
        }
    }
    text.to_owned()
}

/// Writes names and values in two columns.
pub fn write_table(rows: Vec<(String, String)>, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<_> = rows.into_iter().map(|(name, value)| (Line::default().with(PLAIN, name), value)).collect();
    let rows: Vec<_> = rows.into_iter().map(|(name, value)| (name.cut(NAME), value)).collect();
    let width = rows.iter().map(|(name, _)| name.width()).max().unwrap_or_default();
    rows.into_iter().try_for_each(|(name, value)| {
        let line = name.padded(width.saturating_add(2)).with(PLAIN, value);
        writeln!(out, "{line}")
    })
}

/// The most columns of a name in a table.
const NAME: usize = 60;

fn text_width(text: &str) -> usize {
    if is_ascii_text(text) {
        return text.len();
    }
    text.chars().map(char_width).sum()
}

/// Whether every byte is a character of one column, as those of most texts are.
fn is_ascii_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Letters of East Asia and pictures take two columns.
fn char_width(char: char) -> usize {
    char.width().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn plain(text: &str) -> Line {
        Line::default().with(Style::new(), text)
    }

    #[test]
    fn a_cut_line_takes_no_more_than_its_columns() {
        assert_eq!(plain("12345").cut(5).to_string(), "12345");
        assert_eq!(plain("123").with(Style::new(), "456").cut(5).to_string(), "1234…");
        assert_eq!(plain("123").with(Style::new(), "456").cut(3).to_string(), "12…");
        assert_eq!(plain("äöü").cut(2).to_string(), "ä…");
        // a wide letter that would cross the edge is removed, with all that follows
        assert_eq!(plain("a木b").cut(3).to_string(), "a…");
        assert_eq!(plain("a木b").width(), 4);
    }

    #[test]
    fn of_a_long_name_the_end_is_kept() {
        assert_eq!(end_of("a/b.bin", 7), "a/b.bin");
        assert_eq!(end_of("a/b.bin", 6), "…b.bin");
        assert_eq!(end_of("木/b", 4), "木/b");
        assert_eq!(end_of("木/b", 3), "…/b");
        assert_eq!(end_of("ab", 0), "…");
    }

    #[test]
    fn tables_go_by_columns() {
        let mut out = Vec::new();
        let rows = [("木", "1"), ("abc", ""), (&"x".repeat(100), "2"), ("a\nb", "3")];
        write_table(rows.map(|(name, value)| (name.to_owned(), value.to_owned())).into(), &mut out).unwrap();
        let long = "x".repeat(59);
        let expected = format!("木{:60}1\nabc\n{long}…  2\na\\nb{:58}3\n", "", "");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn text_is_broken_at_blanks() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}

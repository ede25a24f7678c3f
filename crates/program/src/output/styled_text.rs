//! A line of styled text that knows its width.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use anstyle::Style;
use enginewire::notation::is_unprintable;
use unicode_width::UnicodeWidthChar;

use crate::output::escape::{escaped, SHOWN};
use crate::output::html::write_piece;
use crate::output::theme::PLAIN;

/// Pieces of text, each with its style.
#[derive(Clone, Debug, Default)]
pub struct Line {
    text: String,
    /// The style of each piece, and where in the text it ends.
    pieces: Vec<(Style, usize)>,
    /// The width of the text, in columns.
    width: usize,
    /// True if it is written without styles, and keeps none.
    is_plain: bool,
}

impl Line {
    /// An empty line to write in this form.
    pub fn of(form: Form) -> Self {
        Line { is_plain: form == Form::Plain, ..Line::default() }
    }

    /// Appends text, with control characters escaped.
    #[must_use]
    pub fn with(mut self, style: Style, text: impl fmt::Display) -> Self {
        self.write_styled(style, text);
        self
    }

    /// Like [`with`](Self::with), in place.
    pub fn write_styled(&mut self, style: Style, text: impl fmt::Display) {
        let start = self.text.len();
        // writing to a String does not fail
        let _ = write!(self.text, "{text}");
        self.end_piece(style, start);
    }

    /// Like [`write_styled`](Self::write_styled), of text that stands somewhere already.
    pub fn push_str(&mut self, style: Style, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.end_piece(style, start);
    }

    /// Ends the piece that was appended from `start` on.
    fn end_piece(&mut self, style: Style, start: usize) {
        let added = self.text.get(start..).unwrap_or_default();
        let mut is_ascii = is_ascii_text(added);
        if added.len() > SHOWN || !is_ascii && added.contains(is_unprintable) {
            let escaped = escaped(added);
            self.text.truncate(start);
            self.text.push_str(&escaped);
            is_ascii = false;
        }
        let added = self.text.get(start..).unwrap_or_default();
        let width = if is_ascii { added.len() } else { text_width(added) };
        self.added(style, width);
    }

    /// Like [`push_str`](Self::push_str), of printable text that takes this many columns.
    pub fn push_columns(&mut self, style: Style, text: &str, columns: usize) {
        self.text.push_str(text);
        self.added(style, columns);
    }

    /// Records that text of `width` columns was appended.
    fn added(&mut self, style: Style, width: usize) {
        self.width = self.width.saturating_add(width);
        self.piece(style, self.text.len());
    }

    fn piece(&mut self, style: Style, end: usize) {
        match self.pieces.last_mut() {
            _ if self.is_plain => {}
            Some((last, before)) if *last == style => *before = end,
            _ => self.pieces.push((style, end)),
        }
    }

    /// Appends another line.
    pub fn append(&mut self, other: &Line) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.width = self.width.saturating_add(other.width);
        for (style, end) in &other.pieces {
            self.piece(*style, end.saturating_add(start));
        }
    }

    /// Removes everything; the memory is used again.
    pub fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.width = 0;
    }

    /// Its width, in columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pads the line with blanks to at least `columns`.
    #[must_use]
    pub fn padded(mut self, columns: usize) -> Self {
        self.pad(columns);
        self
    }

    /// Like [`padded`](Self::padded), in place.
    pub fn pad(&mut self, columns: usize) {
        while self.width < columns {
            let missing = columns.saturating_sub(self.width).min(BLANKS.len());
            self.push_columns(PLAIN, BLANKS.get(..missing).unwrap_or_default(), missing);
        }
    }

    /// The beginning of the line and `…`, if it takes more than `columns`.
    #[must_use]
    pub fn cut(mut self, columns: usize) -> Self {
        self.shorten(columns);
        self
    }

    /// Like [`cut`](Self::cut), in place.
    pub fn shorten(&mut self, columns: usize) {
        if self.width <= columns {
            return;
        }
        let mut width = 0usize;
        let mut end = 0;
        for (start, char) in self.text.char_indices() {
            let more = width.saturating_add(char_width(char));
            if more > columns.saturating_sub(1) {
                break;
            }
            (width, end) = (more, start.saturating_add(char.len_utf8()));
        }
        self.text.truncate(end);
        self.text.push('…');
        self.width = width.saturating_add(1);
        // the piece that is cut is the last
        let last = self.pieces.iter().position(|(_, piece)| *piece > end).unwrap_or_default();
        self.pieces.truncate(last.saturating_add(1));
        if let Some((_, piece)) = self.pieces.last_mut() {
            *piece = self.text.len();
        }
    }

    /// Its end, for [`cut_back`](Self::cut_back).
    pub fn mark(&self) -> Mark {
        let last = self.pieces.len().checked_sub(1).and_then(|last| self.pieces.get(last)).copied();
        Mark { text: self.text.len(), pieces: self.pieces.len(), last, width: self.width }
    }

    /// Removes what was appended since the mark.
    pub fn cut_back(&mut self, mark: &Mark) {
        self.text.truncate(mark.text);
        self.pieces.truncate(mark.pieces);
        if let (Some(last), Some(marked)) = (self.pieces.last_mut(), mark.last) {
            *last = marked;
        }
        self.width = mark.width;
    }
}

/// The end of a line, as it was.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    text: usize,
    pieces: usize,
    last: Option<(Style, usize)>,
    width: usize,
}

/// Padding, as much as most lines need at once.
const BLANKS: &str = "                                                                ";

/// The output form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Without styles.
    Plain,
    /// With the escape sequences of terminals.
    Terminal,
    /// As a line of HTML.
    Html,
}

impl Line {
    /// Writes the line, without blanks at its end.
    pub fn write(&self, out: &mut dyn Write, form: Form) -> io::Result<()> {
        match form {
            Form::Plain => {
                out.write_all(self.text.trim_end().as_bytes())?;
                out.write_all(b"\n")
            }
            Form::Terminal => writeln!(out, "{self}"),
            Form::Html => {
                let pieces = |f: &mut fmt::Formatter<'_>| self.pieces(|style, piece| write_piece(f, style, piece));
                writeln!(out, "<span>{}</span>", Written(pieces))
            }
        }
    }

    /// Calls `each` with every piece of the line, without blanks at its end.
    fn pieces(&self, mut each: impl FnMut(Style, &str) -> fmt::Result) -> fmt::Result {
        let text = self.text.trim_end();
        let mut start = 0;
        for (style, end) in &self.pieces {
            let piece = text.get(start..text.len().min(*end)).unwrap_or_default();
            if !piece.is_empty() {
                each(*style, piece)?;
            }
            start = *end;
        }
        Ok(())
    }
}

/// Displays the output of a function.
struct Written<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for Written<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// With its styles, as escape sequences for terminals.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces(|style, piece| write!(f, "{style}{piece}{style:#}"))
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
    // from the end, because a name may be very long
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

/// Returns true if every byte is a character of one column, as in most texts.
fn is_ascii_text(text: &str) -> bool {
    // without a branch for each byte
    text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'))
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
    fn a_line_is_cut_back_to_a_mark() {
        let bold = Style::new().bold();
        let head = plain("a").with(bold, "木");
        let mark = head.mark();
        let mut line = head.clone().with(bold, "b").with(Style::new(), "c");
        assert_eq!((line.to_string(), line.width()), (head.clone().with(bold, "b").to_string() + "c", 5));
        line.cut_back(&mark);
        assert_eq!((line.to_string(), line.width()), (head.to_string(), 3));
        line.clear();
        line.append(&head);
        assert_eq!((line.to_string(), line.width()), (head.to_string(), 3));
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

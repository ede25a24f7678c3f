//! A tree next to the bytes it was read from.
//!
//! ```text
//! offset  00 01 02 03 04 05 06 07  ascii    │ field
//! 000000  02 00 00 00              ····     │ length: 2
//!                                           │ entries
//!                                           │   [0] "On": Bool(true)
//! ```
//!
//! Bytes are shown next to their fields; a structure is above its fields. The text of a node may take more or fewer lines
//! than its bytes.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use enginewire::wire::{Node, Tree, TreePart};
use enginewire::{DecodeError, Offset};

use crate::output::name::Name;
use crate::output::styled_text::{end_of, wrapped, Form, Line};
use crate::output::text::{count, descendants, label, note_text, place, shown_value, style_of, thousands};
use crate::output::theme::{BOLD, DIM, ERROR, NOTE, PLAIN};

/// Bytes in a row.
const ROW: usize = 8;

/// Rows of a long field, unless all are asked for.
const ROWS: usize = 4;

/// Columns that hex and ascii take.
const HEX: usize = 23;
const ASCII: usize = 8;

/// Columns reserved for the text of a field, however deeply it is nested.
const TEXT: usize = 22;

/// What a tree was read from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Its name.
    pub name: &'s Name,
    /// Its bytes.
    pub bytes: &'s [u8],
    /// Where they are in a file, if they are a part of one.
    pub stored: Option<&'s str>,
}

/// What is needed to show a tree, part by part.
#[derive(Debug)]
pub struct View<'v> {
    /// How many bytes it was read from.
    length: u64,
    input: &'v Source<'v>,
    format: &'static str,
    columns: Option<usize>,
    /// How wide the title may be.
    title_columns: Option<usize>,
    verbose: bool,
    form: Form,
    /// Columns that an offset takes.
    offset: usize,
    /// Whether fields begin between the bits of a byte.
    packed: bool,
    /// Whether it is an empty value of no bytes.
    is_empty: bool,
}

/// The rows of a node.
struct Rows<'v> {
    range: Range<Offset>,
    bytes: &'v [u8],
    lines: Vec<Line>,
    /// Whether its offset is shown even if it has no bytes.
    placed: bool,
}

impl<'v> View<'v> {
    /// `tree`: its first part. `columns`: how wide lines may be. `verbose`: all bytes of long fields, and all ranges.
    pub fn new(
        tree: &Tree,
        input: &'v Source<'v>,
        format: &'static str,
        columns: Option<usize>,
        verbose: bool,
    ) -> Self {
        let length = tree.length();
        let offset = format!("{length:x}").len();
        // fields that begin between the bits of a byte are those of a format whose tree is one part
        let packed = tree.nodes().iter().any(|node| node.range.start.bit() > 0);
        let offset = offset.max("offset".len()).saturating_add(if packed { ".0".len() } else { 0 });
        let is_empty = length == 0 && tree.nodes().is_empty() && tree.error().is_none();
        let form = Form::Terminal;
        View { length, input, format, columns, title_columns: columns, verbose, form, offset, packed, is_empty }
    }

    /// How wide the title may be: into a file, the name is not cut.
    #[must_use]
    pub fn title_columns(self, title_columns: Option<usize>) -> Self {
        View { title_columns, ..self }
    }

    /// How lines are written; for a terminal unless this is called.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        View { form, ..self }
    }

    /// Writes a part of the tree, and after the last part what is wrong with the whole.
    pub fn part(&self, out: &mut dyn Write, TreePart { tree, repeated, .. }: &TreePart) -> io::Result<()> {
        let nodes = tree.nodes();
        let failed = tree.error().and_then(|_| nodes.iter().rposition(|node| node.broken));
        let failed = failed.filter(|failed| failed >= repeated);
        for (index, node) in nodes.iter().enumerate().skip(*repeated) {
            let within = descendants(nodes, index);
            let bytes = if within.is_empty() { self.bytes(&node.range) } else { &[] };
            let rows = match tree.error() {
                Some(error) if failed == Some(index) => self.failure(node, error, bytes),
                _ => Rows { range: node.range.clone(), bytes, lines: self.node(node, within), placed: false },
            };
            self.rows(out, rows)?;
        }
        if let (Some(error), None) = (tree.error(), failed) {
            let lines = self.remark(ERROR, 0, &format!("✗ {}", error.fault()));
            self.rows(out, Rows { range: error.offset()..error.offset(), bytes: &[], lines, placed: true })?;
        }
        if tree.limit().is_some() {
            let lines = self.remark(ERROR, 0, "✗ the tree ends here: it takes more memory than --max-memory allows");
            let end = tree.gap().map_or_else(|| self.length.into(), |gap| gap.start);
            self.rows(out, Rows { range: end..end, bytes: &[], lines, placed: true })?;
        }
        if let Some(gap) = tree.gap() {
            self.gap(out, gap)?;
        }
        match tree.note() {
            Some(note) => {
                let lines = self.remark(NOTE, 0, &format!("! {}", note_text(note)));
                self.rows(out, Rows { range: Offset::default()..self.length.into(), bytes: &[], lines, placed: false })
            }
            None => Ok(()),
        }
    }

    /// Writes the name of the file, and of the columns.
    pub fn title(&self, out: &mut dyn Write) -> io::Result<()> {
        let about = Line::default().with(PLAIN, format!(": {}, {}", self.format, count(self.length)));
        let room = self.title_columns.unwrap_or(usize::MAX).saturating_sub(about.width());
        Line::default().with(BOLD, end_of(&self.input.name.to_string(), room)).and(&about).write(out, self.form)?;
        if let Some(stored) = self.input.stored {
            for line in wrapped(&format!("stored {stored}"), self.columns.unwrap_or(usize::MAX)) {
                Line::default().with(DIM, line).write(out, self.form)?;
            }
        }
        if self.is_empty {
            return Line::default().with(PLAIN, "(no bytes: an empty value)").write(out, self.form);
        }
        let head = format!("{:width$}  00 01 02 03 04 05 06 07  ascii   ", "offset", width = self.offset);
        let range =
            if self.verbose { format!("  {:width$}", "range", width = self.range_width()) } else { String::new() };
        Line::default().with(DIM, head + &range + " │ field").write(out, self.form)
    }

    /// A part that was read. The value of a structure is also that of the fields below: it is shown only if it fits.
    fn node(&self, node: &Node, within: &[Node]) -> Vec<Line> {
        let head = self.indent(node.depth).and(&label(node, PLAIN));
        let line = match shown_value(node, within) {
            Some(value) => head.clone().with(PLAIN, ": ").with(style_of(value, within), value),
            None => head.clone(),
        };
        let line = if within.is_empty() || line.width() <= self.room() { line } else { head };
        match node.note {
            Some(note) => self.remarked(line, node.depth, NOTE, &format!("! {}", note_text(note))),
            None => vec![self.fit(line)],
        }
    }

    /// The part that could not be read.
    fn failure(&self, node: &Node, error: &DecodeError, bytes: &'v [u8]) -> Rows<'v> {
        let line = self.indent(node.depth).and(&label(node, ERROR)).with(ERROR, ":");
        let lines = self.remarked(line, node.depth, ERROR, &format!("✗ {}", error.fault()));
        Rows { range: node.range.clone(), bytes, lines, placed: true }
    }

    /// A line with a remark after it, or below it if it is too long.
    fn remarked(&self, line: Line, depth: usize, style: Style, text: &str) -> Vec<Line> {
        let joined = line.clone().with(PLAIN, " ").with(style, text);
        if joined.width() <= self.room() {
            return vec![joined];
        }
        let mut lines = vec![self.fit(line)];
        lines.extend(self.remark(style, depth.saturating_add(1), text));
        lines
    }

    /// The bytes that were not read.
    fn gap(&self, out: &mut dyn Write, gap: Range<Offset>) -> io::Result<()> {
        let begun = if gap.start.bit() > 0 { "the rest of a byte, and " } else { "" };
        let text = format!("(unread: {begun}{})", count(gap.end.byte().saturating_sub(gap.start.ceil())));
        let bytes = self.bytes(&gap);
        self.rows(out, Rows { range: gap, bytes, lines: vec![Line::default().with(NOTE, text)], placed: false })
    }

    /// Text that is too important to be cut.
    fn remark(&self, style: Style, depth: usize, text: &str) -> Vec<Line> {
        let indent = self.indent(depth);
        let room = self.room().saturating_sub(indent.width());
        wrapped(text, room).into_iter().map(|text| self.fit(indent.clone().with(style, text))).collect()
    }

    /// Bytes on the left and text on the right, in as many rows as it takes.
    fn rows(&self, out: &mut dyn Write, rows: Rows<'_>) -> io::Result<()> {
        let placed = (rows.placed && rows.bytes.is_empty()).then(|| self.left(rows.range.start, &[]));
        let mut left = self.hexdump(rows.range.start, rows.bytes).chain(placed);
        let mut lines = rows.lines.into_iter();
        let mut range = self.verbose.then(|| format!("{}..{}", place(rows.range.start), place(rows.range.end)));
        loop {
            let (row, line) = (left.next(), lines.next());
            if row.is_none() && line.is_none() {
                return Ok(());
            }
            let mut row = row.unwrap_or_else(Line::row).padded(self.left_width());
            if self.verbose {
                let range = range.take().unwrap_or_default();
                row = row.with(DIM, format_args!("  {range:width$}", width = self.range_width()));
            }
            row.with(DIM, " │ ").and(&line.unwrap_or_default()).write(out, self.form)?;
        }
    }

    fn hexdump<'b>(&'b self, start: Offset, bytes: &'b [u8]) -> impl Iterator<Item = Line> + 'b {
        let shown = if self.verbose { usize::MAX } else { ROWS };
        let following = (start.byte()..).step_by(ROW).skip(1).map(Offset::from);
        let rows = std::iter::once(start).chain(following).zip(bytes.chunks(ROW)).take(shown);
        let rows = rows.map(|(at, row)| self.left(at, row));
        rows.chain(self.more(bytes.len().saturating_sub(shown.saturating_mul(ROW))))
    }

    /// The row for `bytes` bytes that are not shown.
    fn more(&self, bytes: usize) -> Option<Line> {
        if bytes == 0 {
            return None;
        }
        let plural = if bytes == 1 { "" } else { "s" };
        let text =
            format!("{:width$}… {} more byte{plural}", "", thousands(bytes), width = self.offset.saturating_add(2));
        Some(Line::default().with(DIM, text))
    }

    /// Offset, hex and ascii of a row.
    fn left(&self, at: Offset, bytes: &[u8]) -> Line {
        let width = if self.packed { self.offset.saturating_sub(".0".len()) } else { self.offset };
        let line = Line::row().with(DIM, format_args!("{:0width$x}", at.byte()));
        let mut line = match (self.packed, at.bit()) {
            (false, _) => line.with(DIM, "  "),
            (true, 0) => line.with(DIM, "    "),
            (true, bit) => line.with(DIM, format_args!(".{bit}  ")),
        };
        for byte in bytes {
            let style = if *byte == 0 { DIM } else { PLAIN };
            for digit in [byte >> 4, byte & 0xf] {
                line.push(style, char::from_digit(digit.into(), 16).unwrap_or_default());
            }
            line.push(style, ' ');
        }
        line = line.padded(self.offset.saturating_add(2 + HEX + 2));
        for byte in bytes {
            match byte {
                b' '..=b'~' => line.push(PLAIN, char::from(*byte)),
                _ => line.push(DIM, '·'),
            }
        }
        line
    }

    fn left_width(&self) -> usize {
        self.offset.saturating_add(2 + HEX + 2 + ASCII)
    }

    fn range_width(&self) -> usize {
        place(Offset::new(self.length, if self.packed { 1 } else { 0 }))
            .len()
            .saturating_mul(2)
            .saturating_add("..".len())
    }

    /// Columns on the right of the bar.
    fn room(&self) -> usize {
        let range = if self.verbose { self.range_width().saturating_add(2) } else { 0 };
        let left = self.left_width().saturating_add(range).saturating_add(" │ ".chars().count());
        self.columns.map_or(usize::MAX, |columns| columns.saturating_sub(left).max(TEXT))
    }

    fn fit(&self, line: Line) -> Line {
        line.cut(self.room())
    }

    /// Indents by two columns per level, as far as there is room; further levels are given as a number.
    fn indent(&self, depth: usize) -> Line {
        let levels = self.room().saturating_sub(TEXT) / 2;
        let beyond = depth.saturating_sub(levels);
        if beyond == 0 {
            return Line::default().padded(depth.saturating_mul(2));
        }
        let width = levels.saturating_mul(2);
        Line::default().with(DIM, format_args!("{:>width$}", format!("+{beyond} ")))
    }

    /// The bytes that a range touches.
    fn bytes(&self, range: &Range<Offset>) -> &'v [u8] {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        self.input.bytes.get(place(range.start.byte())..place(range.end.ceil())).unwrap_or_default()
    }
}

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
use std::str::from_utf8;

use anstyle::Style;
use enginewire::wire::{Node, Nodes, Tree, TreePart};
use enginewire::{DecodeError, Offset};

use crate::output::name::Name;
use crate::output::styled_text::{end_of, wrapped, Form, Line};
use crate::output::text::{note_text, number, place, push_label, shown_value, style_of};
use crate::output::theme::{BOLD, DIM, ERROR, NOTE, PLAIN};

/// The most bytes in a row.
const ROW: usize = 16;

/// Rows of a long field, unless all are asked for.
const ROWS: usize = 4;

/// The ascii of a row of bytes that are not ascii.
const DOTS: &str = "················";

/// Bytes in a row, and columns reserved for the text of a field, however deeply it is nested, in lines of this width.
fn bytes_and_text(columns: Option<usize>) -> (usize, usize) {
    match columns {
        Some(..60) => (4, 15),
        Some(120..) => (ROW, 40),
        _ => (8, 22),
    }
}

/// The input of a tree.
#[derive(Clone, Copy, Debug)]
pub struct ShownInput<'s> {
    /// Its name.
    pub name: &'s Name,
    /// Its bytes.
    pub bytes: &'s [u8],
    /// Their offset in a file.
    pub start: u64,
    /// Their location in a file, for messages, if they are a part of one.
    pub stored: Option<&'s str>,
}

/// Data needed to show a tree, part by part.
#[derive(Debug)]
pub struct View<'v> {
    /// The number of bytes that it was read from.
    length: u64,
    input: &'v ShownInput<'v>,
    format: &'static str,
    columns: Option<usize>,
    /// Bytes in a row.
    row: usize,
    /// Columns reserved for the text of a field.
    text: usize,
    /// The maximum width of the title.
    title_columns: Option<usize>,
    verbose: bool,
    form: Form,
    /// Columns that an offset takes.
    offset: usize,
    /// Columns that a range takes, if ranges are shown, with the blanks before it.
    range: usize,
    /// True if fields begin between the bits of a byte.
    packed: bool,
    /// True if it is an empty value of no bytes.
    is_empty: bool,
    /// The separator between bytes and text.
    bar: Line,
}

/// The bytes that a text belongs to.
struct Rows<'v> {
    range: Range<Offset>,
    bytes: &'v [u8],
    /// True if its offset is shown even if it has no bytes.
    placed: bool,
}

/// The content on the left of the bar.
enum Left<'v> {
    /// Some bytes, and the offset of the first of them.
    Bytes(Offset, &'v [u8]),
    /// This number of bytes, which are not shown.
    More(usize),
}

/// The output, and a row for it. The memory of the row is used again, because a tree may have millions.
struct Paper<'o> {
    out: &'o mut dyn Write,
    row: Line,
}

impl<'v> View<'v> {
    /// `tree`: its first part. `columns`: how wide lines may be. `verbose`: all bytes of long fields, and all ranges.
    pub fn new(
        tree: &Tree,
        input: &'v ShownInput<'v>,
        format: &'static str,
        columns: Option<usize>,
        verbose: bool,
    ) -> Self {
        let length = tree.length();
        let offset = format!("{:x}", input.start.saturating_add(length)).len();
        // fields that begin between the bits of a byte are those of a format whose tree is one part
        let packed = tree.nodes().any(|node| node.range.start.bit() > 0);
        let offset = offset.max("offset".len()).saturating_add(if packed { ".0".len() } else { 0 });
        let is_empty = length == 0 && tree.nodes().len() == 0 && tree.error().is_none();
        let bar = Line::default().with(DIM, " │ ");
        let end = place(Offset::new(input.start.saturating_add(length), packed.into()));
        let range = if verbose { format!("  {end}..{end}").len() } else { 0 };
        let (title_columns, form) = (columns, Form::Terminal);
        let (row, text) = bytes_and_text(columns);
        View {
            length,
            input,
            format,
            columns,
            row,
            text,
            title_columns,
            verbose,
            form,
            offset,
            range,
            packed,
            is_empty,
            bar,
        }
    }

    /// Sets the form of lines, by default that for a terminal, and the maximum width of the title. The name is not cut when writing
    /// to a file.
    #[must_use]
    pub fn form(self, form: Form, title_columns: Option<usize>) -> Self {
        View { form, title_columns, ..self }
    }

    /// Writes the parts of the tree, and after the last part what is wrong with the whole.
    pub fn parts(&self, out: &mut dyn Write, mut parts: impl Iterator<Item = TreePart>) -> io::Result<()> {
        let mut paper = Paper { out, row: Line::of(self.form) };
        parts.try_for_each(|part| self.part(&mut paper, &part))
    }

    fn part(&self, paper: &mut Paper<'_>, TreePart { tree, repeated, .. }: &TreePart) -> io::Result<()> {
        let failed = tree.error().and_then(|_| tree.nodes().rfind(|node| node.broken)).map(|node| node.index);
        let failed = failed.filter(|failed| failed >= repeated);
        for node in tree.nodes().skip(*repeated) {
            let within = tree.within(&node);
            let bytes = if within.len() == 0 { self.bytes(&node.range) } else { &[] };
            let error = tree.error().filter(|_| failed == Some(node.index));
            let rows = Rows { range: node.range.clone(), bytes, placed: error.is_some() };
            self.rows(paper, rows, |line| match error {
                Some(error) => self.failure(&node, error, line),
                None => self.node(&node, within, line),
            })?;
        }
        if let (Some(error), None) = (tree.error(), failed) {
            let rows = Rows { range: error.offset()..error.offset(), bytes: &[], placed: true };
            self.message(paper, rows, ERROR, &format!("✗ {}", error.fault()))?;
        }
        if tree.limit().is_some() {
            let text = "✗ the tree ends here: it takes more memory than --max-memory allows";
            let end = tree.gap().map_or_else(|| self.length.into(), |gap| gap.start);
            self.message(paper, Rows { range: end..end, bytes: &[], placed: true }, ERROR, text)?;
        }
        if let Some(gap) = tree.gap() {
            self.gap(paper, gap)?;
        }
        let Some(note) = tree.note() else { return Ok(()) };
        let rows = Rows { range: Offset::default()..self.length.into(), bytes: &[], placed: false };
        self.message(paper, rows, NOTE, &format!("! {}", note_text(note)))
    }

    /// Writes the name of the file, and of the columns.
    pub fn title(&self, out: &mut dyn Write) -> io::Result<()> {
        let about = Line::default().with(PLAIN, format!(": {}, {}", self.format, number(self.length, "byte")));
        let room = self.title_columns.unwrap_or(usize::MAX).saturating_sub(about.width());
        let mut title = Line::default().with(BOLD, end_of(&self.input.name.to_string(), room));
        title.append(&about);
        title.write(out, self.form)?;
        if let Some(stored) = self.input.stored {
            for line in wrapped(&format!("stored {stored}"), self.columns.unwrap_or(usize::MAX)) {
                Line::default().with(DIM, line).write(out, self.form)?;
            }
        }
        if self.is_empty {
            return Line::default().with(PLAIN, "(no bytes: an empty value)").write(out, self.form);
        }
        let bytes: String = (0..self.row).map(|byte| format!("{byte:02x} ")).collect();
        let ascii = if self.ascii() > 0 { format!(" {:row$}", "ascii", row = self.row) } else { String::new() };
        let head = format!("{:width$}  {bytes}{ascii}", "offset", width = self.offset);
        let range = if self.verbose { "  range" } else { "" };
        Line::default().with(DIM, format!("{head}{range:width$} │ field", width = self.range)).write(out, self.form)
    }

    /// A part that was read. The value of a structure is also that of the fields below: it is shown only if it fits.
    fn node<'t>(&self, node: &Node<'t>, within: Nodes<'t>, line: &mut Line) -> Vec<Line> {
        self.indent(line, node.depth);
        push_label(line, node, PLAIN);
        let label = line.mark();
        let is_field = within.len() == 0;
        if let Some(value) = shown_value(node, within) {
            line.push_str(PLAIN, ": ");
            line.push_str(style_of(value, is_field), value);
        }
        if !is_field && line.width() > self.end() {
            line.cut_back(&label);
        }
        if let Some(note) = node.note {
            return self.remarked(line, node.depth, NOTE, &format!("! {}", note_text(note)));
        }
        line.shorten(self.end());
        Vec::new()
    }

    /// The part that could not be read.
    fn failure(&self, node: &Node<'_>, error: &DecodeError, line: &mut Line) -> Vec<Line> {
        self.indent(line, node.depth);
        push_label(line, node, ERROR);
        line.push_str(ERROR, ":");
        self.remarked(line, node.depth, ERROR, &format!("✗ {}", error.fault()))
    }

    /// A remark at the end of a line. If that is too long, the lines of the remark go below.
    fn remarked(&self, line: &mut Line, depth: usize, style: Style, remark: &str) -> Vec<Line> {
        let before = line.mark();
        line.push_str(PLAIN, " ");
        line.push_str(style, remark);
        if line.width() <= self.end() {
            return Vec::new();
        }
        line.cut_back(&before);
        line.shorten(self.end());
        self.remark(style, depth.saturating_add(1), remark)
    }

    /// The bytes that were not read.
    fn gap(&self, paper: &mut Paper<'_>, gap: Range<Offset>) -> io::Result<()> {
        let begun = if gap.start.bit() > 0 { "the rest of a byte, and " } else { "" };
        let text = format!("(unread: {begun}{})", number(gap.end.byte().saturating_sub(gap.start.ceil()), "byte"));
        let bytes = self.bytes(&gap);
        self.rows(paper, Rows { range: gap, bytes, placed: false }, |line| {
            line.push_str(NOTE, &text);
            Vec::new()
        })
    }

    /// Writes a text without bytes.
    fn message(&self, paper: &mut Paper<'_>, rows: Rows<'_>, style: Style, text: &str) -> io::Result<()> {
        self.rows(paper, rows, |line| {
            let mut lines = self.remark(style, 0, text);
            lines.drain(..1).for_each(|first| line.append(&first));
            lines
        })
    }

    /// Text that is too important to be cut.
    fn remark(&self, style: Style, depth: usize, text: &str) -> Vec<Line> {
        let mut indent = Line::default();
        self.indent(&mut indent, depth);
        let lines = wrapped(text, self.room().saturating_sub(indent.width()));
        lines.into_iter().map(|text| indent.clone().with(style, text).cut(self.room())).collect()
    }

    /// Bytes on the left and text on the right, in as many rows as it takes. `text` completes the first row, and returns the text
    /// of those below.
    fn rows<F>(&self, Paper { out, row }: &mut Paper<'_>, rows: Rows<'_>, text: F) -> io::Result<()>
    where
        F: FnOnce(&mut Line) -> Vec<Line>,
    {
        let placed = (rows.placed && rows.bytes.is_empty()).then_some(Left::Bytes(rows.range.start, &[]));
        let mut left = self.hexdump(rows.range.start, rows.bytes).chain(placed);
        let mut range =
            self.verbose.then(|| format!("  {}..{}", self.place(rows.range.start), self.place(rows.range.end)));
        let (mut text, mut below) = (Some(text), Vec::new().into_iter());
        loop {
            let (left, line) = (left.next(), below.next());
            if left.is_none() && line.is_none() && text.is_none() {
                return Ok(());
            }
            row.clear();
            left.into_iter().for_each(|left| self.left(row, left));
            row.pad(self.left_width());
            if self.verbose {
                let range = range.take().unwrap_or_default();
                row.write_styled(DIM, format_args!("{range:width$}", width = self.range));
            }
            row.append(&self.bar);
            match text.take() {
                Some(text) => below = text(row).into_iter(),
                None => line.into_iter().for_each(|line| row.append(&line)),
            }
            row.write(*out, self.form)?;
        }
    }

    fn hexdump<'b>(&self, start: Offset, bytes: &'b [u8]) -> impl Iterator<Item = Left<'b>> {
        let shown = if self.verbose { usize::MAX } else { ROWS };
        let more = bytes.len().saturating_sub(shown.saturating_mul(self.row));
        let rows = bytes.chunks(self.row).take(shown).zip((start.byte()..).step_by(self.row));
        let rows = rows.map(move |(bytes, at)| Left::Bytes(start.max(at.into()), bytes));
        rows.chain((more > 0).then_some(Left::More(more)))
    }

    /// Offset, hex and ascii of a row, or how many bytes are not shown.
    fn left(&self, line: &mut Line, left: Left<'_>) {
        let (at, bytes) = match left {
            Left::Bytes(at, bytes) => (at, bytes),
            Left::More(bytes) => {
                let indent = self.offset.saturating_add(2);
                return line.write_styled(DIM, format_args!("{:indent$}… {}", "", number(bytes, "more byte")));
            }
        };
        let width = if self.packed { self.offset.saturating_sub(".0".len()) } else { self.offset };
        let byte = self.input.start.saturating_add(at.byte());
        let digit = |digit: u8| b"0123456789abcdef".get(usize::from(digit & 0xf)).copied().unwrap_or_default();
        let place = byte.to_be_bytes().map(|byte| [digit(byte >> 4), digit(byte)]);
        let place = place.as_flattened().get(16usize.saturating_sub(width)..).unwrap_or_default();
        line.push_columns(DIM, from_utf8(place).unwrap_or_default(), width);
        match (self.packed, at.bit()) {
            (false, _) => line.push_columns(DIM, "  ", 2),
            (true, 0) => line.push_columns(DIM, "    ", 4),
            (true, bit) => line.write_styled(DIM, format_args!(".{bit}  ")),
        }
        for same in bytes.chunk_by(|one, other| self.form == Form::Plain || (*one == 0) == (*other == 0)) {
            let mut hex = [[b' '; 3]; ROW];
            hex.iter_mut().zip(same).for_each(|(hex, byte)| *hex = [digit(byte >> 4), digit(*byte), b' ']);
            let hex = hex.get(..same.len()).unwrap_or_default().as_flattened();
            let style = if same.first() == Some(&0) { DIM } else { PLAIN };
            line.push_columns(style, from_utf8(hex).unwrap_or_default(), hex.len());
        }
        if self.ascii() == 0 {
            return;
        }
        line.pad(self.offset.saturating_add(self.row.saturating_mul(3)).saturating_add(3));
        let is_ascii = |byte: &u8| matches!(byte, b' '..=b'~');
        for same in bytes.chunk_by(|one, other| is_ascii(one) == is_ascii(other)) {
            let dots = DOTS.get(..same.len().saturating_mul("·".len())).unwrap_or_default();
            let is_ascii = same.first().is_some_and(is_ascii);
            let (style, text) = if is_ascii { (PLAIN, from_utf8(same).unwrap_or_default()) } else { (DIM, dots) };
            line.push_columns(style, text, same.len());
        }
    }

    fn left_width(&self) -> usize {
        self.offset.saturating_add(2).saturating_add(self.row.saturating_mul(3)).saturating_add(self.ascii())
    }

    /// Columns of the ascii of a row, and the blank before it. Narrow lines have none.
    fn ascii(&self) -> usize {
        if self.row < 8 {
            0
        } else {
            self.row.saturating_add(1)
        }
    }

    /// A place in the file, as text.
    fn place(&self, offset: Offset) -> String {
        place(Offset::new(self.input.start.saturating_add(offset.byte()), offset.bit()))
    }

    /// Columns up to the end of the bar.
    fn start(&self) -> usize {
        self.left_width().saturating_add(self.range).saturating_add(self.bar.width())
    }

    /// Columns up to the end of a row.
    fn end(&self) -> usize {
        self.columns.map_or(usize::MAX, |columns| columns.max(self.start().saturating_add(self.text)))
    }

    /// Columns on the right of the bar.
    fn room(&self) -> usize {
        self.end().saturating_sub(self.start())
    }

    /// Indents by two columns per level, as far as there is room; further levels are given as a number.
    fn indent(&self, line: &mut Line, depth: usize) {
        let levels = self.room().saturating_sub(self.text) / 2;
        let beyond = depth.saturating_sub(levels);
        if beyond == 0 {
            return line.pad(line.width().saturating_add(depth.saturating_mul(2)));
        }
        let width = levels.saturating_mul(2);
        line.write_styled(DIM, format_args!("{:>width$}", format!("+{beyond} ")));
    }

    /// The bytes that a range touches.
    fn bytes(&self, range: &Range<Offset>) -> &'v [u8] {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        self.input.bytes.get(place(range.start.byte())..place(range.end.ceil())).unwrap_or_default()
    }
}

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
use crate::output::text::{count, descendants, note_text, place, push_label, shown_value, style_of, thousands};
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

/// The input of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
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
    input: &'v Source<'v>,
    format: &'static str,
    columns: Option<usize>,
    /// The maximum width of the title.
    title_columns: Option<usize>,
    verbose: bool,
    form: Form,
    /// Columns that an offset takes.
    offset: usize,
    /// Columns on the right of the bar.
    room: usize,
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

/// Lines whose memory is reused, because a tree may have millions.
struct Paper {
    /// The text on the right of the bar.
    text: Vec<Line>,
    /// A row of both.
    row: Line,
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
        let offset = format!("{:x}", input.start.saturating_add(length)).len();
        // fields that begin between the bits of a byte are those of a format whose tree is one part
        let packed = tree.nodes().iter().any(|node| node.range.start.bit() > 0);
        let offset = offset.max("offset".len()).saturating_add(if packed { ".0".len() } else { 0 });
        let is_empty = length == 0 && tree.nodes().is_empty() && tree.error().is_none();
        let bar = Line::default().with(DIM, " │ ");
        let (form, room) = (Form::Terminal, usize::MAX);
        let title_columns = columns;
        let view =
            View { length, input, format, columns, title_columns, verbose, form, offset, room, packed, is_empty, bar };
        let range = if verbose { view.range_width().saturating_add(2) } else { 0 };
        let left = view.left_width().saturating_add(range).saturating_add(view.bar.width());
        let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(left).max(TEXT));
        View { room, ..view }
    }

    /// Sets the maximum width of the title. The name is not cut when writing to a file.
    #[must_use]
    pub fn title_columns(self, title_columns: Option<usize>) -> Self {
        View { title_columns, ..self }
    }

    /// Sets the form of lines. The default is that for a terminal.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        View { form, ..self }
    }

    /// Writes the parts of the tree, and after the last part what is wrong with the whole.
    pub fn parts(&self, out: &mut dyn Write, mut parts: impl Iterator<Item = TreePart>) -> io::Result<()> {
        let mut paper = Paper { text: Vec::new(), row: Line::of(self.form) };
        parts.try_for_each(|part| self.part(out, &part, &mut paper))
    }

    fn part(&self, out: &mut dyn Write, part: &TreePart, paper: &mut Paper) -> io::Result<()> {
        let TreePart { tree, repeated, .. } = part;
        let nodes = tree.nodes();
        let failed = tree.error().and_then(|_| nodes.iter().rposition(|node| node.broken));
        let failed = failed.filter(|failed| failed >= repeated);
        for (index, node) in nodes.iter().enumerate().skip(*repeated) {
            let within = descendants(nodes, index);
            let bytes = if within.is_empty() { self.bytes(&node.range) } else { &[] };
            let mut line = paper.text.drain(..).next().unwrap_or_else(|| Line::of(self.form));
            line.clear();
            let error = tree.error().filter(|_| failed == Some(index));
            match error {
                Some(error) => self.failure(node, error, line, &mut paper.text),
                None => self.node(node, within, line, &mut paper.text),
            }
            self.rows(out, Rows { range: node.range.clone(), bytes, placed: error.is_some() }, paper)?;
        }
        if let (Some(error), None) = (tree.error(), failed) {
            paper.text = self.remark(ERROR, 0, &format!("✗ {}", error.fault()));
            self.rows(out, Rows { range: error.offset()..error.offset(), bytes: &[], placed: true }, paper)?;
        }
        if tree.limit().is_some() {
            let text = "✗ the tree ends here: it takes more memory than --max-memory allows";
            paper.text = self.remark(ERROR, 0, text);
            let end = tree.gap().map_or_else(|| self.length.into(), |gap| gap.start);
            self.rows(out, Rows { range: end..end, bytes: &[], placed: true }, paper)?;
        }
        if let Some(gap) = tree.gap() {
            self.gap(out, gap, paper)?;
        }
        match tree.note() {
            Some(note) => {
                paper.text = self.remark(NOTE, 0, &format!("! {}", note_text(note)));
                let range = Offset::default()..self.length.into();
                self.rows(out, Rows { range, bytes: &[], placed: false }, paper)
            }
            None => Ok(()),
        }
    }

    /// Writes the name of the file, and of the columns.
    pub fn title(&self, out: &mut dyn Write) -> io::Result<()> {
        let about = Line::default().with(PLAIN, format!(": {}, {}", self.format, count(self.length)));
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
        let head = format!("{:width$}  00 01 02 03 04 05 06 07  ascii   ", "offset", width = self.offset);
        let range =
            if self.verbose { format!("  {:width$}", "range", width = self.range_width()) } else { String::new() };
        Line::default().with(DIM, head + &range + " │ field").write(out, self.form)
    }

    /// A part that was read. The value of a structure is also that of the fields below: it is shown only if it fits.
    fn node(&self, node: &Node, within: &[Node], mut line: Line, text: &mut Vec<Line>) {
        self.indent(&mut line, node.depth);
        push_label(&mut line, node, PLAIN);
        let label = line.mark();
        if let Some(value) = shown_value(node, within) {
            line.push_str(PLAIN, ": ");
            line.push_str(style_of(value, within), value);
        }
        if !within.is_empty() && line.width() > self.room {
            line.cut_back(&label);
        }
        match node.note {
            Some(note) => self.remarked(line, node.depth, NOTE, &format!("! {}", note_text(note)), text),
            None => text.push(self.fit(line)),
        }
    }

    /// The part that could not be read.
    fn failure(&self, node: &Node, error: &DecodeError, mut line: Line, text: &mut Vec<Line>) {
        self.indent(&mut line, node.depth);
        push_label(&mut line, node, ERROR);
        line.push_str(ERROR, ":");
        self.remarked(line, node.depth, ERROR, &format!("✗ {}", error.fault()), text);
    }

    /// A line with a remark after it, or below it if it is too long.
    fn remarked(&self, mut line: Line, depth: usize, style: Style, remark: &str, text: &mut Vec<Line>) {
        let before = line.mark();
        line.push_str(PLAIN, " ");
        line.push_str(style, remark);
        if line.width() <= self.room {
            return text.push(line);
        }
        line.cut_back(&before);
        text.push(self.fit(line));
        text.extend(self.remark(style, depth.saturating_add(1), remark));
    }

    /// The bytes that were not read.
    fn gap(&self, out: &mut dyn Write, gap: Range<Offset>, paper: &mut Paper) -> io::Result<()> {
        let begun = if gap.start.bit() > 0 { "the rest of a byte, and " } else { "" };
        let text = format!("(unread: {begun}{})", count(gap.end.byte().saturating_sub(gap.start.ceil())));
        let bytes = self.bytes(&gap);
        paper.text = vec![Line::default().with(NOTE, text)];
        self.rows(out, Rows { range: gap, bytes, placed: false }, paper)
    }

    /// Text that is too important to be cut.
    fn remark(&self, style: Style, depth: usize, text: &str) -> Vec<Line> {
        let mut indent = Line::default();
        self.indent(&mut indent, depth);
        let room = self.room.saturating_sub(indent.width());
        wrapped(text, room).into_iter().map(|text| self.fit(indent.clone().with(style, text))).collect()
    }

    /// Bytes on the left and text on the right, in as many rows as it takes.
    fn rows(&self, out: &mut dyn Write, rows: Rows<'_>, Paper { text, row }: &mut Paper) -> io::Result<()> {
        let placed = (rows.placed && rows.bytes.is_empty()).then_some(Left::Bytes(rows.range.start, &[]));
        let mut left = self.hexdump(rows.range.start, rows.bytes).chain(placed);
        let mut text = text.iter();
        let mut range =
            self.verbose.then(|| format!("{}..{}", self.place(rows.range.start), self.place(rows.range.end)));
        loop {
            let (left, text) = (left.next(), text.next());
            if left.is_none() && text.is_none() {
                return Ok(());
            }
            row.clear();
            left.into_iter().for_each(|left| self.left(row, left));
            row.pad(self.left_width());
            if self.verbose {
                let range = range.take().unwrap_or_default();
                row.write_styled(DIM, format_args!("  {range:width$}", width = self.range_width()));
            }
            row.append(&self.bar);
            text.into_iter().for_each(|text| row.append(text));
            row.write(out, self.form)?;
        }
    }

    fn hexdump<'b>(&self, start: Offset, bytes: &'b [u8]) -> impl Iterator<Item = Left<'b>> {
        let shown = if self.verbose { usize::MAX } else { ROWS };
        let more = bytes.len().saturating_sub(shown.saturating_mul(ROW));
        let rows = bytes.chunks(ROW).take(shown).zip((start.byte()..).step_by(ROW));
        let rows = rows.map(move |(bytes, at)| Left::Bytes(start.max(at.into()), bytes));
        rows.chain((more > 0).then_some(Left::More(more)))
    }

    /// Offset, hex and ascii of a row, or how many bytes are not shown.
    fn left(&self, line: &mut Line, left: Left<'_>) {
        let (at, bytes) = match left {
            Left::Bytes(at, bytes) => (at, bytes),
            Left::More(bytes) => {
                let plural = if bytes == 1 { "" } else { "s" };
                let indent = self.offset.saturating_add(2);
                return line.write_styled(DIM, format_args!("{:indent$}… {} more byte{plural}", "", thousands(bytes)));
            }
        };
        let width = if self.packed { self.offset.saturating_sub(".0".len()) } else { self.offset };
        let byte = self.input.start.saturating_add(at.byte());
        let digit = |digit: u8| char::from_digit(u32::from(digit & 0xf), 16).unwrap_or_default();
        let big = |place: usize| byte.to_le_bytes().get(place / 2).map_or('0', |byte| digit(byte >> (place % 2 * 4)));
        line.extend(DIM, (0..width).rev().map(big));
        match (self.packed, at.bit()) {
            (false, _) => line.extend(DIM, [' ', ' ']),
            (true, 0) => line.extend(DIM, [' ', ' ', ' ', ' ']),
            (true, bit) => line.extend(DIM, ['.', digit(bit), ' ', ' ']),
        }
        for byte in bytes {
            let style = if *byte == 0 { DIM } else { PLAIN };
            line.extend(style, [digit(byte >> 4), digit(*byte), ' ']);
        }
        line.pad(self.offset.saturating_add(2 + HEX + 2));
        for byte in bytes {
            match byte {
                b' '..=b'~' => line.extend(PLAIN, [char::from(*byte)]),
                _ => line.extend(DIM, ['·']),
            }
        }
    }

    fn left_width(&self) -> usize {
        self.offset.saturating_add(2 + HEX + 2 + ASCII)
    }

    fn range_width(&self) -> usize {
        self.place(Offset::new(self.length, if self.packed { 1 } else { 0 }))
            .len()
            .saturating_mul(2)
            .saturating_add("..".len())
    }

    /// A place in the file, as text.
    fn place(&self, offset: Offset) -> String {
        place(Offset::new(self.input.start.saturating_add(offset.byte()), offset.bit()))
    }

    fn fit(&self, line: Line) -> Line {
        line.cut(self.room)
    }

    /// Indents by two columns per level, as far as there is room; further levels are given as a number.
    fn indent(&self, line: &mut Line, depth: usize) {
        let levels = self.room.saturating_sub(TEXT) / 2;
        let beyond = depth.saturating_sub(levels);
        if beyond == 0 {
            return line.pad(depth.saturating_mul(2));
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

//! What is said about a node.

use std::borrow::Cow;

use anstyle::Style;
use enginewire::wire::{Node, Note};
use enginewire::{Offset, Segment};

use crate::styled_text::Line;
use crate::theme::{DIM, ID, KEY, NUMBER, PLAIN, STRING};

/// The nodes within the one at `index`.
pub fn descendants(nodes: &[Node], index: usize) -> &[Node] {
    let Some((node, after)) = nodes.get(index..).and_then(<[Node]>::split_first) else { return &[] };
    let end = after.iter().position(|other| other.depth <= node.depth).unwrap_or(after.len());
    after.get(..end).unwrap_or_default()
}

/// What is shown behind the label. An item with a key is a pair of which the label already shows the key: of the
/// other half, the value.
pub fn shown_value<'n>(node: &'n Node, within: &'n [Node]) -> Option<&'n str> {
    if node.key.is_none() {
        return node.value.as_deref();
    }
    let child = node.depth.saturating_add(1);
    let value = |other: &&Node| other.depth == child && other.label == Segment::Field("value");
    within.iter().find(value).and_then(|value| value.value.as_deref())
}

/// The name of a field, or the number and key of an item.
pub fn label(node: &Node, style: Style) -> Line {
    let line = match &node.label {
        Segment::Index(index) if style == PLAIN => Line::default().with(DIM, format!("[{index}]")),
        Segment::Index(index) => Line::default().with(style, format!("[{index}]")),
        Segment::Field(name) => Line::default().with(style, *name),
        other => Line::default().with(style, format!("{other:?}")),
    };
    match &node.key {
        Some(key) => line.with(KEY, format!(" {key}")),
        None => line,
    }
}

/// The text of a note, without the mark before it.
pub fn note_text(note: Note) -> String {
    match note {
        Note::NonCanonical(what) => format!("not canonical: {what}"),
        Note::Draft(_) => "draft type".to_owned(),
        _ => String::new(),
    }
}

/// The colour of a value: of a field by what it is, of a structure none of its own.
pub fn style_of(value: &str, within: &[Node]) -> Style {
    let number = |char: char| char.is_ascii_digit() || char == '-';
    if value.starts_with('"') {
        STRING
    } else if !within.is_empty() {
        DIM
    } else if value.starts_with("0x") {
        ID
    } else if value.starts_with(number) || matches!(value, "NaN" | "inf" | "true" | "false") {
        NUMBER
    } else {
        PLAIN
    }
}

/// `0x0c`, or `0x0c.3` between the bits of a byte.
pub fn place(offset: Offset) -> String {
    match offset.bit() {
        0 => format!("{:#04x}", offset.byte()),
        bit => format!("{:#04x}.{bit}", offset.byte()),
    }
}

/// `1,234 bytes`
pub fn count(bytes: u64) -> String {
    let plural = if bytes == 1 { "" } else { "s" };
    format!("{} byte{plural}", thousands(bytes))
}

/// `1,234`
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The most bytes of a text of a file that are shown to people.
pub const SHOWN: usize = 4096;

/// Text of a file in a line of text: what could end the line, turn its direction, or tell the terminal something, is
/// escaped, and text after [`SHOWN`] bytes is cut.
pub fn escaped(text: impl ToString) -> String {
    escaped_bytes(text.to_string().as_bytes())
}

/// The same of bytes that need not be UTF-8; a byte that is not is shown as `\xff`.
pub fn escaped_bytes(bytes: &[u8]) -> String {
    escaped_within(bytes, SHOWN)
}

/// The same, cut after another number of bytes.
pub fn escaped_within(bytes: &[u8], most: usize) -> String {
    let shown = if bytes.len() > most { whole_chars(bytes.get(..most).unwrap_or_default()) } else { bytes };
    let is_plain = std::str::from_utf8(shown).is_ok_and(|text| !text.contains(is_unprintable));
    let mut text = String::with_capacity(shown.len());
    for chunk in shown.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                // else it could not be told from what escapes here
                '\\' if !is_plain => text.push_str("\\\\"),
                char if is_unprintable(char) => text.extend(char.escape_default()),
                char => text.push(char),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    if shown.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// Without a character that is cut in two at the end.
fn whole_chars(bytes: &[u8]) -> &[u8] {
    let last = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    let end = bytes.len().saturating_sub(last);
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..end).unwrap_or_default(),
        _ => bytes,
    }
}

/// JSON in a line of text: the same as [`escaped`], by the escapes of JSON. It is the same document still.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_harmful = |char: char| is_unprintable(char) && !matches!(char, '\n' | '\t');
    if !json.contains(is_harmful) {
        return json.into();
    }
    let mut text = String::with_capacity(json.len());
    for char in json.chars() {
        if is_harmful(char) {
            text.push_str(&format!("\\u{:04x}", u32::from(char)));
        } else {
            text.push(char);
        }
    }
    text.into()
}

/// Whether a character could end a line, turn its direction, or tell a terminal something.
pub fn is_unprintable(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        for char in ('\0'..='\u{10ffff}').filter(|char| is_unprintable(*char)) {
            let text = escaped(format!("a{char}b"));
            assert!(text.is_ascii() && !text.contains(|char: char| char.is_control()), "{text}");
        }
        let hostile =
            "\u{1b}]0;x\u{7}\r\n\u{7f}\u{9b}31m\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}";
        assert_eq!(
            escaped(hostile),
            r"\u{1b}]0;x\u{7}\r\n\u{7f}\u{9b}31m\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}"
        );
        assert_eq!(escaped("plain, ä木🎉 and C:\\temp"), "plain, ä木🎉 and C:\\temp");
    }

    #[test]
    fn bytes_that_are_no_text_are_told_from_text() {
        assert_eq!(escaped_bytes(b"a\xff\xc3"), r"a\xff\xc3");
        assert_eq!(escaped_bytes(b"a\\xff\xff"), r"a\\xff\xff");
        assert_eq!(escaped_bytes(br"a\xff"), r"a\xff");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(escaped_within("aäb".as_bytes(), 4), "aäb");
        assert_eq!(escaped_within("aäb".as_bytes(), 3), "aä…");
        assert_eq!(escaped_within("aäb".as_bytes(), 2), "a…");
        assert_eq!(escaped_within(b"\xff\xff\xff", 2), r"\xff\xff…");
        assert_eq!(escaped("x".repeat(1 << 20)).len(), SHOWN + "…".len());
    }
}

//! Texts about nodes, and numbers.

use anstyle::Style;
use enginewire::wire::{Node, Nodes, Note};
use enginewire::{Offset, Segment};
pub use enginewire_files::scan::thousands;

use crate::output::styled_text::Line;
use crate::output::theme::{DIM, ID, KEY, NUMBER, PLAIN, STRING};

/// The value shown after the label. The label of a pair already shows its key, so this is the value of the pair.
pub fn shown_value<'t>(node: &Node<'t>, mut within: Nodes<'t>) -> Option<&'t str> {
    if node.key.is_none() {
        return node.value;
    }
    let child = node.depth.saturating_add(1);
    let value = |other: &Node<'_>| other.depth == child && other.label == Segment::Field("value");
    // where the nodes below are not shown, the item has the value itself
    within.find(value).map_or(node.value, |value| value.value)
}

/// Appends the name of a field, or the number and key of an item.
pub fn push_label(line: &mut Line, node: &Node<'_>, style: Style) {
    match &node.label {
        Segment::Index(index) => line.write_styled(if style == PLAIN { DIM } else { style }, format_args!("[{index}]")),
        Segment::Field(name) => line.push_str(style, name),
        other => line.write_styled(style, format_args!("{other:?}")),
    }
    if let Some(key) = node.key {
        line.push_str(KEY, " ");
        line.push_str(KEY, key);
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

/// The style of a value: that of a field depends on its kind; a structure is dimmed.
pub fn style_of(value: &str, is_field: bool) -> Style {
    let number = |char: char| char.is_ascii_digit() || char == '-';
    if value.starts_with('"') {
        STRING
    } else if !is_field {
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
pub fn number(count: impl ToString, what: &str) -> String {
    let count = thousands(count);
    [&*count, " ", what, if count == "1" { "" } else { "s" }].concat()
}

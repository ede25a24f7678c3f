//! Styled lines as HTML.

use std::fmt;
use std::io::{self, Write};

use anstyle::Style;

use crate::output::theme::{BOLD, DIM, ERROR, ID, KEY, NOTE, NUMBER, STRING};

/// The class of each style, as the page's own style sheet has it.
const CLASSES: [(Style, &str); 8] = [
    (DIM, "dim"),
    (BOLD, "bold"),
    (KEY, "key"),
    (NUMBER, "number"),
    (STRING, "string"),
    (ID, "id"),
    (NOTE, "note"),
    (ERROR, "error"),
];

/// The page before the first line. It needs no other file, and follows the reader's choice of light or dark.
const HEAD: &str = include_str!("head.html");

/// Begins the page.
pub fn begin_page(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())
}

/// Ends the page.
pub fn end_page(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</html>")
}

/// Writes a piece of text in its style.
pub fn write_piece(f: &mut fmt::Formatter<'_>, style: Style, text: &str) -> fmt::Result {
    match CLASSES.iter().find(|(of, _)| *of == style) {
        Some((_, class)) => write!(f, "<span class={class}>{}</span>", Escaped(text)),
        None => write!(f, "{}", Escaped(text)),
    }
}

/// Text with the special characters of HTML escaped.
struct Escaped<'t>(&'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>']) {
            let (before, behind) = rest.split_at(at);
            f.write_str(before)?;
            let (char, behind) = behind.split_at(1);
            f.write_str(match char {
                "&" => "&amp;",
                "<" => "&lt;",
                _ => "&gt;",
            })?;
            rest = behind;
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_html_would_obey_is_escaped() {
        assert_eq!(Escaped("<b>&amp;</b> ä").to_string(), "&lt;b&gt;&amp;amp;&lt;/b&gt; ä");
    }

    #[test]
    fn every_class_is_in_the_style_sheet() {
        for (_, class) in CLASSES {
            assert!(HEAD.contains(&format!(".{class} {{")), "{class}");
        }
    }
}

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
const HEAD: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>enginewire inspect</title>
<style>
:root { color-scheme: light dark; --text: #1b1f24; --page: #ffffff; --dim: #6b7280; --key: #0b5cad; --number: #0b6e74;
  --string: #2c6b1f; --id: #8a2be2; --note: #8a5a00; --error: #c01c28; --line: #eef2f7; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #16181d; --dim: #8b93a1; --key: #6cb6ff;
  --number: #56d4dd; --string: #8ddb8c; --id: #d2a8ff; --note: #e3b341; --error: #ff7b72; --line: #232730; } }
body { color: var(--text); background: var(--page); margin: 1.5em; }
pre { font: 14px/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto; margin: 0 0 2em; }
pre > span { display: inline-block; min-width: 100%; white-space: pre; }
pre > span:hover { background: var(--line); }
.dim { color: var(--dim); } .bold { font-weight: bold; } .key { color: var(--key); font-weight: bold; }
.number { color: var(--number); } .string { color: var(--string); } .id { color: var(--id); }
.note { color: var(--note); } .error { color: var(--error); font-weight: bold; }
</style>
"#;

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

//! Text of files, escaped so that it can be shown: no control characters, no changes of direction.

use std::borrow::Cow;

use enginewire::notation::is_unprintable;

/// The most bytes of a text of a file that are shown to people.
pub const SHOWN: usize = 4096;

/// Text of a file in a line of text: what could end the line, turn its direction, or tell the terminal something, is
/// escaped, and text after [`SHOWN`] bytes is cut.
pub fn escaped(text: impl ToString) -> String {
    let text = text.to_string();
    match text.len() <= SHOWN && is_plain(text.as_bytes()) {
        true => text,
        false => escaped_bytes(text.as_bytes()),
    }
}

/// Returns true for printable ASCII, which needs no escapes.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// The same of bytes that need not be UTF-8; a byte that is not is shown as `\xff`.
pub fn escaped_bytes(bytes: &[u8]) -> String {
    escaped_within(bytes, SHOWN)
}

/// The same, cut after another number of bytes.
pub fn escaped_within(bytes: &[u8], most: usize) -> String {
    let shown = if bytes.len() > most { whole_chars(bytes.get(..most).unwrap_or_default()) } else { bytes };
    // most texts
    if let Some(text) = std::str::from_utf8(shown).ok().filter(|_| is_plain(shown))
        && shown.len() == bytes.len()
    {
        return text.to_owned();
    }
    let is_plain = std::str::from_utf8(shown).is_ok_and(|text| !text.contains(is_unprintable));
    let mut text = String::with_capacity(shown.len());
    for chunk in shown.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                // a backslash of the text must differ from those added here
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

/// A text as an argument for a shell: in single quotes, if it has other characters than those of names.
pub fn argument(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./:=@%+,".contains(char);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", escaped(text.replace('\'', r"'\''"))),
    }
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

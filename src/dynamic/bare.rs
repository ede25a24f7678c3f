//! Texts without quotes around them, where nothing else can be meant.

use super::node::{Node, Notation, TypedText};
use super::path::Step;
use crate::TextError;

/// Like [`Node::assign`], but a text may come without quotes.
///
/// # Errors
///
/// Those of [`Node::assign`].
pub(super) fn assign(node: &mut dyn Node, given: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
    let can_be_text = (given.type_name.is_some() || node.bytes().is_some()) && !is_quoted(given.text);
    node.assign(given, notation).or_else(|error| match can_be_text {
        true => node.assign(TypedText { text: &quoted(given.text), ..given }, notation).map_err(|_| error),
        false => Err(error),
    })
}

/// Like [`Node::insert`], but a text may come without quotes.
///
/// # Errors
///
/// Those of [`Node::insert`].
pub(super) fn insert(
    node: &mut dyn Node,
    key: &Step,
    given: TypedText<'_>,
    notation: Notation,
) -> Result<(), TextError> {
    let can_be_text = if given.type_name.is_some() { !is_quoted(given.text) } else { is_words(given.text) };
    node.insert(key, given, notation).or_else(|error| match can_be_text {
        true => node.insert(key, TypedText { text: &quoted(given.text), ..given }, notation).map_err(|_| error),
        false => Err(error),
    })
}

/// True if a text begins with a quote of one of the notations.
fn is_quoted(text: &str) -> bool {
    const QUOTES: [&str; 7] = ["\"", "'", "`", "[[", "[=", "&\"", "^\""];
    QUOTES.iter().any(|quote| text.trim_start().starts_with(quote))
}

/// True if a text is words rather than a value with a mistake in it, such as `True` or `Vector3.new(1, 2`.
fn is_words(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "nil", "null", "none", "nan", "inf", "infinity", "undefined"];
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // a constant, such as `Vector3.zero`
    let is_constant =
        || text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains('.') && text.split('.').all(is_name);
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !text.contains(['(', ')', '[', ']', '{', '}', '"', '\'', '`', '\n'])
        && !WORDS.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
        && !is_constant()
}

/// A text with quotes around it, as all notations have it.
fn quoted(text: &str) -> String {
    let escaped = text.chars().fold(String::with_capacity(text.len()), |mut escaped, character| {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            other => escaped.push(other),
        }
        escaped
    });
    format!("\"{escaped}\"")
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use crate::dynamic::{change, Edit, FormatOptions, ValuePath};
    use crate::formats::by_name;
    use pretty_assertions::assert_eq;

    /// The value after a change: `path` set to `text`.
    fn set(format: &str, before: &str, path: &str, text: &str) -> Result<String, String> {
        let (format, options) = (by_name(format).unwrap(), FormatOptions::new());
        let bytes = format.encode_notation(before, &options).unwrap();
        let (path, type_name) = path.split_once(':').map_or((path, None), |(path, name)| (path, Some(name.to_owned())));
        let (path, edit) = (path.parse::<ValuePath>().unwrap(), Edit::Set { type_name, text: text.to_owned() });
        let edited = format.edit(&bytes, &options, &mut |node| change(node, &path, &edit, format.notation()));
        edited.map(|bytes| format.decode_notation(&bytes, &options).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_needs_no_quotes_where_nothing_else_can_be_meant() {
        for (format, before) in [
            ("roblox-attributes", r#"{a = "x", n = 1}"#),
            ("godot-4", r#"{ "a": "x", "n": 1 }"#),
            ("godot-3", r#"{ "a": "x", "n": 1 }"#),
            ("scrap-mechanic-lua", r#"{a = "x", n = 1}"#),
        ] {
            // a text stays one when it is set to any of these
            for text in
                ["bob", "7", "true", "nil", "", " a b ", r#"C:\new "x" "#, "Vector3.new(1, 2", "it's", "ä", "a\nb"]
            {
                let quoted = super::quoted(text);
                assert_eq!(set(format, before, "a", text), set(format, before, "a", &quoted), "{format} {text}");
                assert!(set(format, before, "a", text).is_ok(), "{format} {text}");
            }
            for text in ["bob", "bob smith", "élan", "_x", "example.com", "a-b/c"] {
                let quoted = super::quoted(text);
                assert_eq!(set(format, before, "new", text), set(format, before, "new", &quoted), "{format} {text}");
            }
            // a mistake stays one
            for (path, text) in [
                ("n", "bob"),
                ("n", ""),
                ("new", "True"),
                ("new", "Vector3.new(1, 2"),
                ("new", "Vector3.zeroo"),
                ("new", "4x"),
                ("new", r#"bob""#),
                ("new", ""),
                ("a", r#""bob"#),
                ("a", "'bob"),
                ("n:Nonsense", "bob"),
            ] {
                assert!(set(format, before, path, text).is_err(), "{format} {path} {text}");
            }
            assert_eq!(set(format, before, "n:String", "7 x"), set(format, before, "n:String", r#""7 x""#), "{format}");
        }
    }
}

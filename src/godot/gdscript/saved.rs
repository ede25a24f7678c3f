//! Values in the form used by the engine in text files.

use super::dialect::GdScript;
use crate::godot::variant::Variant;
use crate::godot::version::Version;
use crate::notation::{word, Form};
use crate::wire::ByteString;

/// Words of the notation that engines do not read.
const ADDED: [&str; 4] = ["double", "EncodedObjectAsID", "Signal", "Class"];

impl Variant<'_> {
    /// The value as `ConfigFile.save` of a version writes it, with a line for each entry of a Dictionary, and line ends and tabs in
    /// strings as they are. `None` if the engine would not read the text.
    #[doc(hidden)] // for the package of files
    pub fn to_saved_text(&self, version: Version) -> Option<String> {
        let text = self.to_gdscript(version);
        let is_v3 = version == Version::V3;
        let (mut out, mut rest) = (String::with_capacity(text.len()), &*text);
        // the brackets that are open, each with whether its items are apart from it
        let mut open: Vec<(char, bool)> = Vec::new();
        while let Some(char) = rest.chars().next() {
            let (all, after) = (rest, rest.get(char.len_utf8()..).unwrap_or_default());
            rest = after;
            let in_dictionary = open.last().is_some_and(|(bracket, _)| *bracket == '{');
            match char {
                '"' => {
                    let (behind, string) = <ByteString<'_> as Form<GdScript>>::read(all).ok()?;
                    let string = std::str::from_utf8(&string).ok().filter(|string| !string.contains('\0'))?;
                    out.push('"');
                    out.push_str(&string.replace('\\', "\\\\").replace('"', "\\\""));
                    out.push('"');
                    rest = behind;
                }
                '{' => {
                    out.push_str(if is_v3 || !after.starts_with('}') { "{\n" } else { "{" });
                    rest = after.strip_prefix(' ').unwrap_or(after);
                    open.push(('{', is_v3 || !after.starts_with('}')));
                }
                '[' | '(' => {
                    let before = out.trim_end_matches(|char: char| char.is_ascii_alphanumeric());
                    let name = out.get(before.len()..).unwrap_or_default();
                    let is_apart = is_v3 && !["NodePath", "Object", "Resource"].contains(&name);
                    out.push(char);
                    out.push_str(if is_apart { " " } else { "" });
                    open.push((char, is_apart));
                }
                ' ' if in_dictionary && after.starts_with('}') => {}
                '}' | ']' | ')' => {
                    let is_apart = open.pop()?.1;
                    out.push_str(if !is_apart {
                        ""
                    } else if char == '}' {
                        "\n"
                    } else {
                        " "
                    });
                    out.push(char);
                }
                ',' if in_dictionary => {
                    out.push_str(",\n");
                    rest = after.strip_prefix(' ').unwrap_or(after);
                }
                'A'..='Z' | 'a'..='z' | '_' => {
                    let (behind, name) = word(all).ok()?;
                    if ADDED.contains(&name) || (name == "null" && out.ends_with("Object(")) {
                        return None;
                    }
                    out.push_str(name);
                    rest = behind;
                }
                _ => out.push(char),
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::Options;
    use pretty_assertions::assert_eq;

    #[test]
    fn values_are_laid_out_as_by_the_engine() {
        for (text, v3, v4) in [
            ("{}", "{\n\n}", "{}"),
            ("[]", "[  ]", "[]"),
            (
                "[1, {\"k\": [2.5], 3: {}}]",
                "[ 1, {\n\"k\": [ 2.5 ],\n3: {\n\n}\n} ]",
                "[1, {\n\"k\": [2.5],\n3: {}\n}]",
            ),
            ("Vector2(1, -2)", "Vector2( 1, -2 )", "Vector2(1, -2)"),
            ("NodePath(\"a/b:c\")", "NodePath(\"a/b:c\")", "NodePath(\"a/b:c\")"),
            (
                "[SubResource(1), ExtResource(2)]",
                "[ SubResource( 1 ), ExtResource( 2 ) ]",
                "[SubResource(1), ExtResource(2)]",
            ),
            (
                "[SubResource(\"1\"), Resource(\"res://a\")]",
                "[ SubResource( \"1\" ), Resource(\"res://a\") ]",
                "[SubResource(\"1\"), Resource(\"res://a\")]",
            ),
            (r#""a\n\t\"\\\u0001{, }""#, "\"a\n\t\\\"\\\\\u{1}{, }\"", "\"a\n\t\\\"\\\\\u{1}{, }\""),
        ] {
            for (version, expected) in [(Version::V3, v3), (Version::V4, v4)] {
                let options = Options::new(version);
                let value = Variant::from_gdscript(text, None, &options).unwrap();
                let saved = value.to_saved_text(version).unwrap();
                assert_eq!(saved, expected);
                assert_eq!(Variant::from_gdscript(&saved, None, &options).unwrap(), value);
            }
        }
    }

    /// A byte that is not UTF-8, the end of strings in the engine, and forms of this crate.
    #[test]
    fn what_the_engine_does_not_read_is_not_written() {
        for text in [r#""\xff""#, r#""a\u0000""#, "[Object(null)]", "double(Vector2(1, 2))", "Signal(\"pressed\", 255)"]
        {
            let value = Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap();
            assert_eq!(value.to_saved_text(Version::V4), None, "{text}");
        }
    }
}

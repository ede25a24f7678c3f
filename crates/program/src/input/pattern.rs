//! Patterns: `*` matches any part of a name, `**` any characters.

use enginewire::formats::{leading_path, Node, Notation, ValuePath};

/// Returns true if a path inside a value matches a pattern. Dots and brackets separate its keys and indices.
pub fn is_like_path(path: &str, pattern: &str) -> bool {
    fits(path, pattern, b".[")
}

/// Returns true if a text, such as a class or a value, matches a pattern: `*` matches any characters.
pub fn is_like_text(text: &str, pattern: &str) -> bool {
    fits(text, pattern, b"")
}

/// Returns true if a text matches a pattern. A single star does not match a separator.
fn fits(text: &str, pattern: &str, separators: &[u8]) -> bool {
    let text = text.as_bytes();
    // at which bytes of the text the pattern up to here can end
    let mut ends = vec![false; text.len().saturating_add(1)];
    if let Some(first) = ends.first_mut() {
        *first = true;
    }
    let mut pattern = pattern.as_bytes();
    while let Some((piece, rest)) = pattern.split_first() {
        let is_any = rest.first() == Some(&b'*');
        pattern = if *piece == b'*' && is_any { rest.get(1..).unwrap_or_default() } else { rest };
        let mut before = false;
        for (number, end) in ends.iter_mut().enumerate() {
            let byte = number.checked_sub(1).and_then(|last| text.get(last));
            let was = *end;
            *end = match (piece, byte) {
                (b'*', Some(byte)) => was || (before && (is_any || !separators.contains(byte))),
                (b'*', None) => was,
                (piece, byte) => before && byte == Some(piece),
            };
            // a star goes on from where it came to, any other byte from where the last piece ended
            before = if *piece == b'*' { *end } else { was };
        }
    }
    ends.last() == Some(&true)
}

/// Returns true if a text contains a star.
pub fn is_pattern(text: &str) -> bool {
    text.contains('*')
}

/// The pattern of paths at the beginning of a text, up to an equals sign or a colon, and what follows it. A star in quotes is
/// part of a key, so a text without other stars is a path, not a pattern.
pub fn leading_pattern(text: &str) -> Option<(&str, &str)> {
    let (mut in_quotes, mut is_escaped, mut brackets, mut stars) = (false, false, 0usize, false);
    let end = text.find(|char: char| {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_quotes,
            '"' => in_quotes = !in_quotes,
            '[' if !in_quotes => brackets = brackets.saturating_add(1),
            ']' if !in_quotes => brackets = brackets.saturating_sub(1),
            '*' if !in_quotes => stars = true,
            '=' | ':' => return !in_quotes && brackets == 0,
            _ => {}
        }
        false
    });
    let (pattern, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    // a value can be a key, and an expression with a star in it
    let is_path = || leading_path(pattern).is_ok_and(|(_, rest)| rest.is_empty()) && !pattern.contains("[*]");
    (stars && !is_path()).then_some((pattern, rest))
}

/// The values inside a value whose paths match a pattern, in their order. A single star matches a key or an index, or a part of
/// one.
pub fn find<'n>(root: &'n dyn Node, pattern: &str, notation: Notation) -> Vec<(ValuePath, &'n dyn Node)> {
    let mut found = Vec::new();
    // those still to be looked at, the next one last
    let mut left = vec![(ValuePath::default(), root)];
    while let Some((path, node)) = left.pop() {
        let steps = node.steps(notation).into_iter().enumerate().rev();
        left.extend(steps.filter_map(|(number, step)| Some((path.then(step), node.item(number)?))));
        if !path.0.is_empty() && !node.type_name(notation).is_empty() && is_like_path(&path.to_string(), pattern) {
            found.push((path, node));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_part_of_a_name_and_two_are_several_names() {
        for (address, pattern) in [
            ("Workspace.Torch", "Workspace.Torch"),
            ("Workspace.Torch", "Workspace.*"),
            ("Workspace.Torch", "*.Torch"),
            ("Workspace.Torch", "Work*.T*ch"),
            ("Workspace.A.B.Torch", "Workspace.**"),
            ("Workspace.A.B.Torch", "**.Torch"),
            ("Workspace.A.B.Torch", "Workspace.**.Torch"),
            ("Workspace.A.B.Torch", "**"),
            ("", "*"),
        ] {
            assert!(is_like_path(address, pattern), "{address} {pattern}");
        }
        for (address, pattern) in [
            ("Workspace.Torch", "Workspace"),
            ("Workspace.A.Torch", "Workspace.*"),
            ("Workspace.A.Torch", "*"),
            ("Workspace.Torches", "**.Torch"),
            ("Workspace", "Workspace.**"),
        ] {
            assert!(!is_like_path(address, pattern), "{address} {pattern}");
        }
        assert!(is_like_path("slots[3].id", "slots[*].*") && !is_like_path("slots[3]", "*"));
        assert!(is_like_text("Vector2.new(1.5, 2)", "V*2)") && !is_like_text("true", "t"));
        assert_eq!(leading_pattern("slots[*].id:Int8=3"), Some(("slots[*].id", ":Int8=3")));
        assert_eq!(leading_pattern("a*[x=1]=[2]"), Some(("a*[x=1]", "=[2]")));
        assert_eq!((leading_pattern("\"a*\"=1"), leading_pattern("slots[1]=\"*\"")), (None, None));
        let long = "a".repeat(2000);
        assert!(!is_like_path(&long, &"a*".repeat(200)) || is_like_path(&long, "a*"));
        assert!(!is_like_path(&long, &("a*".repeat(200) + "b")));
    }
}

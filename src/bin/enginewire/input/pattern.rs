//! Patterns for addresses: `*` stands for any characters but a dot, `**` for any.

/// Whether an address fits a pattern.
pub fn is_like(address: &str, pattern: &str) -> bool {
    let address = address.as_bytes();
    // at which bytes of the address the pattern up to here can end
    let mut ends = vec![false; address.len().saturating_add(1)];
    if let Some(first) = ends.first_mut() {
        *first = true;
    }
    let mut pattern = pattern.as_bytes();
    while let Some((piece, rest)) = pattern.split_first() {
        let is_any = rest.first() == Some(&b'*');
        pattern = if *piece == b'*' && is_any { rest.get(1..).unwrap_or_default() } else { rest };
        let mut before = false;
        for (number, end) in ends.iter_mut().enumerate() {
            let byte = number.checked_sub(1).and_then(|last| address.get(last));
            let was = *end;
            *end = match (piece, byte) {
                (b'*', Some(byte)) => was || (before && (is_any || *byte != b'.')),
                (b'*', None) => was,
                (piece, byte) => before && byte == Some(piece),
            };
            // a star goes on from where it came to, any other byte from where the last piece ended
            before = if *piece == b'*' { *end } else { was };
        }
    }
    ends.last() == Some(&true)
}

/// Whether it has stars.
pub fn is_pattern(text: &str) -> bool {
    text.contains('*')
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
            ("ScriptData[12]", "ScriptData*"),
            ("", "*"),
        ] {
            assert!(is_like(address, pattern), "{address} {pattern}");
        }
        for (address, pattern) in [
            ("Workspace.Torch", "Workspace"),
            ("Workspace.A.Torch", "Workspace.*"),
            ("Workspace.A.Torch", "*"),
            ("Workspace.Torches", "**.Torch"),
            ("Workspace", "Workspace.**"),
        ] {
            assert!(!is_like(address, pattern), "{address} {pattern}");
        }
        let long = "a".repeat(2000);
        assert!(!is_like(&long, &"a*".repeat(200)) || is_like(&long, "a*"));
        assert!(!is_like(&long, &("a*".repeat(200) + "b")));
    }
}

//! Characters that no output may contain: a second list, so that a mistake in that of the library is found.

/// True for characters that end a line, turn its direction, hide, or control a terminal.
pub(crate) fn is_unprintable(char: char) -> bool {
    let number = u32::from(char);
    number < 0x20
        || (0x7f..0xa0).contains(&number)
        || [0x61c, 0x200b, 0x200e, 0x200f, 0xfeff].contains(&number)
        || (0x2028..=0x202e).contains(&number)
        || (0x2060..=0x206f).contains(&number)
}

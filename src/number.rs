//! Lengths of any width.

/// A length in memory as the type that positions have everywhere.
#[cfg_attr(fast, inline(always))]
pub fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A length from the wire as one in memory. A length that does not fit is more than any input holds.
#[cfg_attr(fast, inline(always))]
pub fn to_usize(length: impl TryInto<usize>) -> usize {
    length.try_into().unwrap_or(usize::MAX)
}

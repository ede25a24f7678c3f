//! The limit of memory, and the messages about it.

use std::io;

use crate::roblox::model::{Listing, ValueError};
use enginewire::number::to_usize;

/// The largest factor between the bytes of a value and the memory of its decoded form, such as that of a list of
/// booleans.
const DECODED: usize = 32;

/// A limit of memory.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The number of bytes.
    pub bytes: usize,
    /// The name of the option that sets it, for messages.
    pub name: &'static str,
}

impl Limit {
    /// The most that reading one file may take: the rest is for its rows.
    #[must_use]
    pub const fn most(self) -> usize {
        self.bytes.saturating_sub(self.bytes / 8)
    }

    /// The reason not to decode a value of this length in a container, if its decoded form may exceed the limit: a small
    /// container can hold a large value.
    #[must_use]
    pub fn may_exceed(self, length: usize) -> Option<String> {
        (decoded(length) > self.bytes).then(|| {
            let (count, plural) = (thousands(length), if length == 1 { "" } else { "s" });
            let reason = format!("a value of {count} byte{plural} may need {DECODED} times as much memory");
            format!("{reason}, but the limit is {}; raise it with {}", size_text(self.bytes), self.name)
        })
    }

    /// The number of properties to read of a file, and the reason if these are not all: many properties can share one value,
    /// so that a small file can have output of any size.
    #[must_use]
    pub fn within(self, listing: &Listing) -> (usize, Option<String>) {
        let Some(count) = listing.count_within(self.bytes) else { return (usize::MAX, None) };
        let limit = size_text(self.bytes);
        let reason =
            format!("the values of the file, counting shared ones at every use, are larger than the limit of {limit}");
        (count, Some(format!("{reason}; raise the limit with {}", self.name)))
    }

    /// The error for input that is longer than the limit.
    #[must_use]
    pub fn too_large(self) -> io::Error {
        let reason = format!("it is larger than {}; raise the limit with {}", size_text(self.bytes), self.name);
        io::Error::new(io::ErrorKind::FileTooLarge, reason)
    }
}

/// The memory that the largest value of a file may take when it is decoded.
pub(super) fn largest(listing: &Listing) -> usize {
    let lengths = listing.properties().map(|property| match property.bytes {
        Ok(bytes) => bytes.len(),
        Err(ValueError::Later { length }) => to_usize(length),
        Err(_) => 0,
    });
    decoded(lengths.max().unwrap_or_default())
}

const fn decoded(length: usize) -> usize {
    length.saturating_mul(DECODED)
}

/// A number of bytes, such as `256M`.
#[must_use]
pub fn size_text(bytes: usize) -> String {
    let units = [('G', 30), ('M', 20), ('K', 10)];
    let unit = units.into_iter().find(|(_, bits)| bytes.trailing_zeros() >= *bits);
    unit.map_or_else(|| format!("{bytes} bytes"), |(letter, bits)| format!("{}{letter}", bytes >> bits))
}

/// A count with commas, such as `1,234`.
#[must_use]
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    if digits.len() <= 3 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

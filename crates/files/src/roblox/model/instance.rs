//! Instances.

use std::fmt;

use bstr::{BStr, ByteSlice};

#[cfg(doc)]
use super::Listing;

/// An instance in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instance<'l> {
    /// Its class: `Folder`.
    pub class: &'l BStr,
    /// The identifier that the file uses to refer to it. In some files several instances have the same one, or none.
    pub referent: Referent<'l>,
    /// Its name, the property `Name`.
    pub name: &'l BStr,
    /// Its parent, as an index into [`Listing::instances`]; `None` at the root.
    pub parent: Option<usize>,
    /// Its place in the file, which is unique.
    pub place: InstancePlace,
}

/// The identifier that a file uses to refer to an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Referent<'l> {
    /// In a binary file.
    Number(i32),
    /// In an XML file.
    Text(&'l BStr),
}

impl fmt::Display for Referent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Referent::Number(number) => number.fmt(f),
            Referent::Text(text) => text.fmt(f),
        }
    }
}

/// The place of an instance in the file. `@0x20:3` is the instance with index 3 in the INST chunk at byte 0x20 of a binary
/// file; `@0x1f4` is the `Item` element at byte 0x1f4 of an XML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstancePlace {
    /// The offset of the INST chunk or of the element in the file.
    pub offset: u64,
    /// The index of the instance in the chunk; `None` in an XML file.
    pub index: Option<u32>,
}

impl fmt::Display for InstancePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{:#x}", self.offset)?;
        self.index.map_or(Ok(()), |index| write!(f, ":{index}"))
    }
}

impl InstancePlace {
    /// Reads a place from a text such as `@0x20:3`.
    pub(super) fn parse(text: &BStr) -> Option<Self> {
        let text = text.strip_prefix(b"@0x")?.to_str().ok()?;
        let (offset, index) = match text.split_once(':') {
            Some((offset, index)) => (offset, Some(index.parse().ok()?)),
            None => (text, None),
        };
        Some(InstancePlace { offset: u64::from_str_radix(offset, 16).ok()?, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn referents_and_places_are_shown_as_they_are_searched_for() {
        let shown = [Referent::Number(-3).to_string(), Referent::Text("a\u{e4}".into()).to_string()];
        assert_eq!(shown, ["-3", "a\u{e4}"]);
        let place = InstancePlace { offset: 0x20, index: Some(3) };
        assert_eq!(place.to_string(), "@0x20:3");
        assert_eq!(InstancePlace { index: None, ..place }.to_string(), "@0x20");
    }
}

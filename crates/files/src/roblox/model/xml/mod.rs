//! The XML form: `.rbxmx` and `.rbxlx`.
//!
//! ```xml
//! <roblox version="4">
//!   <Item class="Folder" referent="RBX1">
//!     <Properties>
//!       <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString>
//!       <string name="Name">Torch</string>
//!     </Properties>
//!   </Item>
//!   <SharedStrings><SharedString md5="KEY">base64</SharedString></SharedStrings>
//! </roblox>
//! ```
//!
//! An XML declaration and comments may come first. A property is a child of `Properties`, known by its `name`; the element
//! may have any name of its own. One that is `SharedString` has the key of a shared string for its text. Any other has
//! base64 in it, as text, CDATA or both, with whitespace anywhere.
//!
//! Other properties may have text that is not UTF-8.

mod edit;
mod list;
mod read;

pub(super) use edit::{edit, edit_to};
pub(super) use list::list;

/// The byte order mark that a text in UTF-8 may begin with.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Returns true if a text begins like a file in XML: `<roblox` after whitespace, an XML declaration and comments.
pub(super) fn is_xml(head: &[u8]) -> bool {
    let mut text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    while let Some(end) = [(&b"<?"[..], &b"?>"[..]), (b"<!--", b"-->")].iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?;
        let at = inner.windows(close.len()).position(|window| window == *close)?;
        Some(open.len().saturating_add(at).saturating_add(close.len()))
    }) {
        text = text.get(end..).unwrap_or_default().trim_ascii_start();
    }
    text.strip_prefix(b"<roblox").is_some_and(|text| text.first().is_some_and(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests;

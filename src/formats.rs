//! Every format as data: for programs that learn only at run time which format bytes have.
//!
//! [`formats()`](formats) lists the formats as [`&dyn AnyFormat`](AnyFormat). Each has its name and table of types, is
//! detected from first bytes, and is decoded to JSON, encoded from JSON, checked, inspected and streamed with options
//! that are [set by name](FormatOptions::set). If you know the format beforehand, use its module instead, such as
//! [`roblox::attributes`](crate::roblox::attributes): that gives typed values.
//!
//! ```
//! use enginewire::formats::{self, FormatOptions, JsonWriter};
//!
//! let bytes = b"LUA\0\0\0\x01\x05\0\0\0\x01\x02\0\0\0\x02\0mode\x08\0";
//! let (format, detection) = formats::detect(bytes).remove(0);
//! assert_eq!(format.name(), "scrap-mechanic-lua");
//! assert_eq!(detection.to_string(), r#"certain: the bytes begin with "LUA""#);
//!
//! let options = FormatOptions::new().set("any_padding", true)?;
//! let mut document = Vec::new();
//! format.decode_json(bytes, &options, &mut JsonWriter::new(&mut document))?;
//! assert!(document.starts_with(br#"{"format":"scrap-mechanic-lua","version":1,"type":"Table""#));
//!
//! let format = formats::named(&document).ok_or("an unknown format")?;
//! assert_eq!(format.encode_json(&document, &options)?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A format of your own
//!
//! A type that implements [`Described`] is a [`dyn AnyFormat`](AnyFormat).

pub use crate::dynamic::{
    at, change, change_all, leading_path, leading_quoted, part_names, set_plain, write_quoted, Accepts, AnyFormat,
    Checked, Confidence, Contents, Counts, DecodeJsonError, Described, Detectable, Detection, Edit, EditError, Edited,
    Editor, EmptyForm, FormatOptions, Found, FromText, JsonForm, JsonItems, JsonStream, JsonWriter, Node, Notation,
    OptionError, OptionRow, OptionValue, OptionsOf, Part, Plain, PlainJson, Recovered, Step, TypeRow, TypedText,
    ValueOf, ValuePath, DRAFT_TYPES, MAX_DEPTH, MAX_MEMORY, RESYNC, TRAILING_BYTES,
};
use crate::signature::signature;
pub use crate::suggest::nearest;

macro_rules! formats {
    ($($feature:literal $format:expr;)*) => {
        static FORMATS: &[&dyn AnyFormat] = &[$(
            #[cfg(feature = $feature)]
            &$format,
        )*];

        #[doc(hidden)] // for the package of files
        pub static DETECTABLE: &[&dyn Detectable] = &[$(
            #[cfg(feature = $feature)]
            &$format,
        )*];

        /// The options of every format. Whoever needs no more than these need not hold on to all that can be done with a format.
        static OPTIONS: &[&[OptionRow]] = &[$(
            #[cfg(feature = $feature)]
            options_of($format),
        )*];
    };
}

const fn options_of<D: Described>(_: D) -> &'static [OptionRow] {
    D::OPTIONS
}

// a new format is one line here
formats! {
    "roblox" crate::roblox::attributes::AttributesFormat;
    "roblox" crate::roblox::remote::RemoteFormat;
    "scrap_mechanic" crate::scrap_mechanic::lua_object::LuaObjectFormat;
    "godot" crate::godot::GodotFormat::<3>;
    "godot" crate::godot::GodotFormat::<4>;
    "godot" crate::godot::resource::ResourceFormat;
}

/// Every format of this crate.
///
/// ```
/// let names: Vec<_> = enginewire::formats().iter().map(|format| format.name()).collect();
/// assert_eq!(names, ["roblox-attributes", "roblox-remote", "scrap-mechanic-lua", "godot-3", "godot-4", "godot-resource"]);
/// ```
#[must_use]
pub fn formats() -> &'static [&'static dyn AnyFormat] {
    FORMATS
}

/// The format with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn AnyFormat> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The format of a JSON document: the one that its member `format` names, with its `version` where there are several.
#[must_use]
pub fn named(document: &[u8]) -> Option<&'static dyn AnyFormat> {
    detectable_of(document).and_then(|format| by_name(format.name()))
}

/// The formats that bytes may have, the most likely first. `bytes` are the first of a value, or all of it.
///
/// Only a format with a signature is [certain](Confidence::Certain). Bytes of any other may be valid in several formats;
/// [`detect_one`] gives a format only if it is likelier than all others. Bytes with a [signature] of other
/// files have none. `enginewire_files::guess` also finds containers and streams.
#[must_use]
pub fn detect(bytes: &[u8]) -> Vec<(&'static dyn AnyFormat, Detection)> {
    if signature(bytes).is_some() {
        return Vec::new();
    }
    let mut found = detected(bytes);
    found.sort_by_key(|(_, detection)| std::cmp::Reverse((detection.confidence, detection.fields)));
    found.into_iter().filter_map(|(format, detection)| Some((by_name(format.name())?, detection))).collect()
}

/// The format of bytes, if it is certain: it has a signature, or it is the only one that reads all bytes as a value.
#[must_use]
pub fn detect_one(bytes: &[u8]) -> Option<&'static dyn AnyFormat> {
    let found = detect(bytes);
    let ((first, best), others) = found.split_first()?;
    let is_alone = others.iter().all(|(_, other)| other.confidence < best.confidence);
    (best.confidence > Confidence::Possible && is_alone).then_some(*first)
}

impl FormatOptions {
    /// Sets the option with this name. A flag or number may be given as text: `"true"`, `"128"`.
    ///
    /// # Errors
    ///
    /// If no format has the option, or the option cannot have the value.
    pub fn set(self, name: &str, value: impl Into<OptionValue>) -> Result<Self, OptionError> {
        let rows = || OPTIONS.iter().copied().flatten();
        match rows().find(|row| row.name == name) {
            Some(row) => self.set_row(row, value),
            None => {
                let mut known = Vec::new();
                for row in rows() {
                    if let Err(place) = known.binary_search(&row.name) {
                        known.insert(place, row.name);
                    }
                }
                Err(OptionError::Unknown { name: name.to_owned(), known })
            }
        }
    }
}

/// The formats that bytes may have.
#[doc(hidden)] // for the package of files
#[must_use]
pub fn detected(bytes: &[u8]) -> Vec<(&'static dyn Detectable, Detection)> {
    DETECTABLE.iter().filter_map(|format| format.detect(bytes).map(|detection| (*format, detection))).collect()
}

/// The format that the member `format` of a JSON document names.
#[doc(hidden)] // for the package of files
#[must_use]
pub fn detectable_of(document: &[u8]) -> Option<&'static dyn Detectable> {
    let name = crate::json::format_of(document)?;
    DETECTABLE.iter().copied().find(|format| format.reads(&name, document))
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_unique_and_find_their_format() {
        for format in formats() {
            assert_eq!(by_name(format.name()).map(|format| format.name()), Some(format.name()));
            assert!(!format.types().is_empty());
        }
        assert!(by_name("godot").is_none());
    }

    #[test]
    fn documents_name_their_format() {
        let name = |document: &str| named(document.as_bytes()).map(|format| format.name());
        for format in ["roblox-attributes", "roblox-remote", "scrap-mechanic-lua"] {
            assert_eq!(name(&format!(r#"{{"x": [[]], "format": "{format}"}}"#)), Some(format));
        }
        assert_eq!(name(r#"{"format": "godot-variant", "version": 3}"#), Some("godot-3"));
        assert_eq!(name(r#"{"format": "godot-variant", "version": 4}"#), Some("godot-4"));
        // encoding reports what is wrong with it
        assert_eq!(name(r#"{"format": "godot-variant"}"#), Some("godot-4"));
        assert_eq!([name(r#"{"format": "x"}"#), name("x")], [None, None]);
    }

    #[test]
    fn bytes_are_detected_with_a_reason() {
        let found = |bytes: &[u8]| -> Vec<String> {
            detect(bytes).into_iter().map(|(format, found)| format!("{}: {found}", format.name())).collect()
        };
        let lua = r#"scrap-mechanic-lua: certain: the bytes begin with "LUA""#;
        assert_eq!(found(b"LUA\0\0\0\x01\x01"), [lua]);
        assert_eq!(found(b"\x83\0"), ["roblox-remote: likely: all bytes are a value"]);
        // an integer of Godot, or the beginning of two attributes
        let int = b"\x02\0\0\0\x2a\0\0\0";
        assert_eq!(found(int), ["godot-3: likely: all bytes are a value", "godot-4: likely: all bytes are a value"]);
        assert!(detect_one(int).is_none());
        let attribute = b"\x01\0\0\0\x02\0\0\0Up\x0c\x02\0\0\0";
        assert_eq!(found(attribute), ["roblox-attributes: likely: all bytes are a value"]);
        assert_eq!(detect_one(attribute).map(|format| format.name()), Some("roblox-attributes"));
        assert_eq!(found(&attribute[..13]), ["roblox-attributes: possible: the bytes are valid so far"]);
        let broken = [&attribute[..10], b"\xee"].concat();
        assert_eq!(found(&broken), ["roblox-attributes: possible: the fields before byte 0xa are valid"]);
        // what is merely possible does not suffice
        let one = |bytes: &[u8]| detect_one(bytes).map(|format| format.name());
        assert_eq!([one(&attribute[..13]), one(&broken)], [None, None]);
        let rect = &[[7, 0, 0, 0], [0; 4], [0; 4], [0; 4], [0; 4]].concat()[..];
        assert_eq!((detect(rect).len() > 1, one(rect)), (true, Some("godot-4")));
        let followed = [&attribute[..], &[1]].concat();
        assert_eq!(found(&followed), ["roblox-attributes: possible: a whole value of 15 bytes, then 1 other"]);
        // a key is text
        assert_eq!(found(b"\x01\0\0\0\x02\0\0\0\x01\0\xee\xee\xee"), [""; 0]);
        // text and pictures begin with numbers too
        assert_eq!(found(b"Hello, world: this is no value."), [""; 0]);
        assert_eq!(found(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), [""; 0]);
        assert_eq!(found(b""), [""; 0]);
    }

    #[test]
    fn values_are_checked_when_they_are_set() {
        let error = |name, value: OptionValue| FormatOptions::new().set(name, value).unwrap_err().to_string();
        let invalid = "invalid value for the option";
        assert_eq!(error("refs", 1.into()), format!("{invalid} refs: expected true or false"));
        assert_eq!(error("max_depth", (-1).into()), format!("{invalid} max_depth: expected a number from 0 to 65535"));
        assert_eq!(error("framing", "x".into()), format!("{invalid} framing: expected one of none, le, be"));
        assert_eq!(error("event_ids", "x".into()), format!("{invalid} event_ids: line 1: \"x\" is not NAME = ID"));
        assert_eq!(error("event_ids", true.into()), format!("{invalid} event_ids: expected a text"));
    }

    #[test]
    fn a_text_stands_for_a_flag_or_number() {
        let of = |name, value: OptionValue| FormatOptions::new().set(name, value).unwrap();
        assert_eq!(of("refs", "true".into()), of("refs", true.into()));
        assert_eq!(of("max_depth", "8".to_owned().into()), of("max_depth", 8.into()));
        assert_eq!(of("max_depth", 8.into()).limits(&MAX_DEPTH).depth(), 8);
    }

    /// Options of the same name mean the same in every format.
    #[test]
    fn formats_agree_about_shared_options() {
        let mut kinds: BTreeMap<&str, String> = BTreeMap::new();
        for row in formats().iter().flat_map(|format| format.options()) {
            let kind = format!("{:?}", row.accepts);
            assert_eq!(kinds.entry(row.name).or_insert(kind.clone()), &kind, "{}", row.name);
            assert!(FormatOptions::new().set(row.name, row.default.clone()).is_ok(), "{}", row.name);
        }
    }
}

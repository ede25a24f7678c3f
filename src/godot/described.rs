//! Godot Variant as formats that are chosen at run time: each version is a format of its own.

use std::borrow::Cow;
use std::io::Read;

use serde::Deserialize;

use super::json::type_name;
use super::{v3, Decoder, FrameDecoder, Framing, Options, Variant, VariantFormat, Version, Versioned};
use crate::dynamic::reader::read;
use crate::dynamic::{
    check_as_stream, Accepts, Counts, Described, FormatOptions, JsonItems, JsonStream, Node, Notation, OptionRow,
    OptionValue, TypeRow, ValueOf, MAX_DEPTH, MAX_MEMORY, RESYNC, TRAILING_BYTES,
};
use crate::error::{DecodeError, EncodeError};
use crate::json::{self, Document, Give, Input, Shape, Tape};
use crate::typed::write;
use crate::wire::{format, ItemOf, ReadError, Report};
use crate::TextError;

/// Values of one version, 3 or 4, as a [`Described`] format.
#[derive(Clone, Copy, Debug, Default)]
pub struct GodotFormat<const VERSION: u8>;

impl<const VERSION: u8> GodotFormat<VERSION> {
    const VERSION: Version = if VERSION == 3 { Version::V3 } else { Version::V4 };
}

const DEPTH: OptionRow = OptionRow { default: OptionValue::Number(1024), ..MAX_DEPTH };
const OBJECTS: OptionRow =
    OptionRow::flag("objects", true, "Read objects in their full form, with all properties, as data");
const ANY_TEXT: OptionRow = OptionRow::flag("any_text", false, "Allow text that is not UTF-8");
const UNPADDED_BYTES: OptionRow = OptionRow::flag(
    "unpadded_bytes",
    false,
    "Allow a string or byte array without its padding at the end of the input",
);
const FRAMING: OptionRow = OptionRow {
    name: "framing",
    about: "Length before each value of a stream: none, or 4 bytes, little- or big-endian",
    default: OptionValue::Text(Cow::Borrowed("none")),
    accepts: Accepts::OneOf(&["none", "le", "be"]),
};

/// The password of an encrypted file.
pub const PASSWORD: OptionRow = OptionRow {
    name: "password",
    about: "Password of an encrypted file",
    default: OptionValue::Text(Cow::Borrowed("")),
    accepts: Accepts::Text(|_| Ok(())),
};
/// The key of an encrypted file.
pub const KEY: OptionRow = OptionRow {
    name: "key",
    about: "Key of an encrypted file, as 64 hexadecimal digits; used instead of a password",
    default: OptionValue::Text(Cow::Borrowed("")),
    accepts: Accepts::Text(|digits| match digits {
        "" => Ok(()),
        _ if digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => Ok(()),
        _ => Err("expected 64 hexadecimal digits".to_owned()),
    }),
};
/// Other first bytes of encrypted files.
pub const MAGIC: OptionRow = OptionRow {
    name: "magic",
    about: "First four characters of encrypted files, if a game uses others than GDEC",
    default: OptionValue::Text(Cow::Borrowed("GDEC")),
    accepts: Accepts::Text(|magic| match magic.is_ascii() && magic.len() == 4 {
        true => Ok(()),
        false => Err("expected four ASCII characters".to_owned()),
    }),
};

impl Framing {
    /// The framing that the option `framing` asks for, if it asks for one.
    #[must_use]
    pub fn given(options: &FormatOptions) -> Option<Self> {
        match options.text(&FRAMING) {
            "le" => Some(Framing::LittleEndian),
            "be" => Some(Framing::BigEndian),
            _ => None,
        }
    }

    /// The value of the option `framing` that asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Framing::LittleEndian => "le",
            Framing::BigEndian => "be",
        }
    }
}

impl<const VERSION: u8> Described for GodotFormat<VERSION> {
    type Format = VariantFormat;

    const NAME: &'static str = match Self::VERSION {
        Version::V3 => "godot-3",
        Version::V4 => "godot-4",
    };
    const ABOUT: &'static str = match Self::VERSION {
        Version::V3 => "values of Godot 3",
        Version::V4 => "values of Godot 4",
    };
    const VERSION: u8 = VERSION;
    const FOUND_IN: &'static str = "store_var, put_var, var2bytes";
    const OPTIONS: &'static [OptionRow] =
        &[DEPTH, MAX_MEMORY, TRAILING_BYTES, OBJECTS, ANY_TEXT, UNPADDED_BYTES, FRAMING, RESYNC, PASSWORD, KEY, MAGIC];

    const TYPES: fn() -> Vec<TypeRow> = || match Self::VERSION {
        Version::V3 => TypeRow::all(|id: v3::TypeId| match Variant::shape_of(id.to_v4()) {
            _ if id == v3::TypeId::RID => Shape::Null,
            Shape::Reals(single, _) => *single,
            shape => shape,
        }),
        Version::V4 => TypeRow::all(Variant::shape_of),
    };

    fn options(given: &FormatOptions) -> Options {
        Options::new(Self::VERSION)
            .limits(given.limits(&DEPTH))
            .trailing_bytes(given.is(&TRAILING_BYTES))
            .objects(given.is(&OBJECTS))
            .any_text(given.is(&ANY_TEXT))
            .unpadded_bytes(given.is(&UNPADDED_BYTES))
    }

    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a {
        Versioned { version: Self::VERSION, value }
    }

    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a {
        Self::to_json(item)
    }

    /// The version is that of the document.
    fn from_json(document: Input<'_>, _: &FormatOptions) -> Result<(Variant<'static>, Options), TextError> {
        let Versioned { version, value } = json::read(document)?;
        Ok((value, Options::new(version).any_text(true)))
    }

    fn encode_untyped(tape: &Tape<'_>, given: &FormatOptions) -> Option<Result<Vec<u8>, EncodeError>> {
        Some(write(Self::options(given), |writer| writer.given(tape.given())))
    }

    fn read_to(bytes: &[u8], given: &FormatOptions, is_plain: bool, hear: &mut dyn FnMut(&dyn Give)) -> bool {
        read(bytes, Self::options(given), is_plain.then_some(Notation { typed: false, version: VERSION }), hear)
    }

    fn reads(format: &str, document: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Head {
            version: u8,
        }
        if format != Versioned::FORMAT {
            return false;
        }
        let document = String::from_utf8_lossy(document);
        let mut reader = serde_json::Deserializer::from_str(&document);
        reader.disable_recursion_limit();
        // what is not asked for is skipped without recursion; encoding reports a version that is missing
        let version = Head::deserialize(&mut reader).map_or(4, |Head { version }| version);
        (version == 3) == (Self::VERSION == Version::V3)
    }

    /// Null.
    fn node<'v>(value: &'v Variant<'_>) -> &'v dyn Node {
        value
    }

    fn node_mut<'v>(value: &'v mut Variant<'_>) -> &'v mut dyn Node {
        value
    }

    const NOTATION: &'static str = "GDScript";
    const NOTHING: &'static str = "null";

    fn to_notation(value: &Variant<'_>) -> String {
        value.to_gdscript(Self::VERSION)
    }

    fn from_notation(text: &str, given: &FormatOptions) -> Result<(Variant<'static>, Options), TextError> {
        let options = Self::options(given);
        Variant::from_gdscript(text, None, &options).map(|value| (value, options.any_text(true)))
    }

    fn count(value: &Variant<'_>, counts: &mut Counts) {
        counts.add_all([value], |value| type_name(Self::VERSION, value.type_id()));
    }

    fn check(bytes: &[u8], given: &FormatOptions) -> Result<Report, DecodeError> {
        match Framing::given(given) {
            None => format::check::<Self::Format>(bytes, &Self::options(given), &mut |_, _| {}),
            Some(_) => check_as_stream::<Self>(bytes, given),
        }
    }

    fn check_reader(reader: &mut dyn Read, item_limit: usize, given: &FormatOptions) -> Result<Report, ReadError> {
        let options = Self::options(given);
        match Framing::given(given) {
            None => Decoder::with_options(options).item_limit(item_limit).check(reader, |_, _| {}),
            Some(framing) => FrameDecoder::framed(framing, options).item_limit(item_limit).check(reader, |_, _| {}),
        }
    }

    fn stream(item_limit: usize, given: &FormatOptions) -> Box<dyn JsonStream> {
        let options = Self::options(given);
        match Framing::given(given) {
            None => Box::new(JsonItems::<Self, _>::new(Decoder::with_options(options).item_limit(item_limit))),
            Some(framing) => {
                Box::new(JsonItems::<Self, _>::new(FrameDecoder::framed(framing, options).item_limit(item_limit)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{Dictionary, IntoByteString, Object, Property};
    use pretty_assertions::assert_eq;

    /// A document belongs to the format of its version, and one without a version to that of version 4.
    #[test]
    fn documents_of_each_version() {
        let reads = |format, document: &str| {
            let document = document.as_bytes();
            (GodotFormat::<3>::reads(format, document), GodotFormat::<4>::reads(format, document))
        };
        assert_eq!(reads("godot-variant", r#"{"version": 3}"#), (true, false));
        assert_eq!(reads("godot-variant", r#"{"value": [[]], "version": 4}"#), (false, true));
        assert_eq!(reads("godot-variant", "{}"), (false, true));
        assert_eq!(reads("roblox-attributes", r#"{"version": 3}"#), (false, false));
    }

    #[test]
    fn lengths_before_values() {
        let framing = |text: &'static str| Framing::given(&FormatOptions::new().set_row(&FRAMING, text).unwrap());
        assert_eq!(Framing::given(&FormatOptions::new()), None);
        assert_eq!((framing("none"), framing("le")), (None, Some(Framing::LittleEndian)));
        assert_eq!(framing("be"), Some(Framing::BigEndian));
    }

    /// Every value counts, keys too, under the name that its version gives to its type.
    #[test]
    fn values_that_are_counted() {
        let object = Object::new("C", [Property { name: "p".into_byte_string(), value: vec![1_u8].into() }]);
        let inner = Dictionary::new([("k".into(), object.into()), ("l".into(), vec![Variant::Null].into())]);
        let value: Variant<'_> = vec![Variant::Int(1), inner.into()].into();
        let counted = |version| {
            let mut counts = Counts::default();
            counts.add_all([&value], |value| type_name(version, value.type_id()));
            let types: Vec<_> = counts.types.iter().map(|(name, count)| format!("{name} {count}")).collect();
            (types.join(", "), counts.depth)
        };
        let of_4 = "Array 2, Dictionary 1, Object 1, PackedByteArray 1, String 2, int 1, null 1";
        assert_eq!(counted(Version::V4), (of_4.to_owned(), 3));
        assert_eq!(counted(Version::V3), (of_4.replace("Packed", "Pool"), 3));
    }
}

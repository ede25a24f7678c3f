//! A file in GDScript: a Dictionary with the parts of the file. What is missing is as in [`Resource::default`].

use super::file::{External, Internal, Resource, NO_UID, UIDS};
use super::options::Options;
use super::uid::{id_of, text_of};
use crate::error::with_article;
use crate::godot::gdscript::read_within;
use crate::godot::variant::{Array, Dictionary, FullObject, Object, Variant};
use crate::godot::version::Version;
use crate::wire::ByteString;
use crate::TextError;
use bstr::ByteSlice;

/// The containers around a value: the file, the list of resources, the resource, and its object.
const AROUND: u16 = 4;

/// Gives names and values as a Dictionary.
fn dictionary<'a, const N: usize>(entries: [(&'static str, Variant<'a>); N]) -> Variant<'a> {
    Dictionary::new(entries.map(|(name, value)| (name.into(), value))).into()
}

/// An unsigned number of 64 bits as the integer that engines take it for.
fn int(number: u64) -> Variant<'static> {
    Variant::Int(i64::from_le_bytes(number.to_le_bytes()))
}

impl<'a> Resource<'a> {
    /// The file in GDScript, in one line. [`from_gdscript`](Self::from_gdscript) gives the same file.
    #[must_use]
    pub fn to_gdscript(&self) -> String {
        let moved = (self.importmd_ofs != 0).then(|| ("importmd_ofs", int(self.importmd_ofs)));
        let internal = |Internal { path, object }: &Internal<'a>| {
            let object = Variant::Object(Object::Full(Box::new(object.clone())));
            dictionary([("path", Variant::String(path.clone())), ("object", object)])
        };
        let file = [
            ("version", i64::from(self.version).into()),
            ("big_endian", self.big_endian.into()),
            ("major", i64::from(self.major).into()),
            ("minor", i64::from(self.minor).into()),
            ("class", Variant::String(self.class.clone())),
            ("flags", i64::from(self.flags).into()),
            ("uid", if self.has(UIDS) { unique_id(self.uid) } else { int(self.uid) }),
            ("script_class", Variant::String(self.script_class.clone())),
            ("strings", Variant::PackedStringArray(self.strings.clone())),
            ("external", Array::new(self.external.iter().map(External::to_variant)).into()),
            ("internal", Array::new(self.internal.iter().map(internal)).into()),
        ];
        let entries = file.into_iter().chain(moved).map(|(name, value)| (name.into(), value));
        Variant::from(Dictionary::new(entries)).to_gdscript(Version::V4)
    }

    /// Reads what [`to_gdscript`](Self::to_gdscript) writes.
    ///
    /// ```
    /// use enginewire::godot::resource::Resource;
    ///
    /// let text = r#"{ "internal": [{ "path": "local://1", "object": Object(Resource, "health": 7) }] }"#;
    /// let file = Resource::from_gdscript(text)?;
    /// assert_eq!(file.main().map(|main| main.properties.len()), Some(1));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not a Dictionary with the parts of a file.
    pub fn from_gdscript(text: &str) -> Result<Resource<'static>, TextError> {
        let mut file = Resource::default();
        for (name, value) in entries(read_within(text, Options::MAX_DEPTH.saturating_add(AROUND))?, "a file")? {
            match name.as_bytes() {
                b"version" => file.version = number(value, "version")?,
                b"big_endian" => file.big_endian = take(value, "big_endian", |value| bool::try_from(&value).ok())?,
                b"major" => file.major = number(value, "major")?,
                b"minor" => file.minor = number(value, "minor")?,
                b"class" => file.class = string(value, "class")?,
                b"importmd_ofs" => file.importmd_ofs = unsigned(value, "importmd_ofs")?,
                b"flags" => file.flags = number(value, "flags")?,
                b"uid" => file.uid = uid(value)?,
                b"script_class" => file.script_class = string(value, "script_class")?,
                b"strings" => file.strings = take(value, "strings", strings)?,
                b"external" => file.external = list(value, "external", External::from_variant)?,
                b"internal" => file.internal = list(value, "internal", internal)?,
                _ => return Err(unknown("file", &name)),
            }
        }
        Ok(file)
    }
}

#[doc(hidden)] // for the package of files
impl<'a> External<'a> {
    /// A Dictionary with its class, path and uid. The uid is a text such as `uid://b2c`, and empty if it does not have one.
    pub fn to_variant(&self) -> Variant<'a> {
        let (class, path) = (Variant::String(self.class.clone()), Variant::String(self.path.clone()));
        dictionary([("class", class), ("path", path), ("uid", unique_id(self.uid))])
    }

    /// From such a Dictionary.
    pub fn from_variant(value: Variant<'static>) -> Result<External<'static>, TextError> {
        let mut external = External { class: ByteString::default(), path: ByteString::default(), uid: NO_UID };
        for (name, value) in entries(value, "external")? {
            match name.as_bytes() {
                b"class" => external.class = string(value, "class")?,
                b"path" => external.path = string(value, "path")?,
                b"uid" => external.uid = uid(value)?,
                _ => return Err(unknown("external resource", &name)),
            }
        }
        Ok(external)
    }
}

/// A unique id as text, or as a number if it has no text.
fn unique_id(id: u64) -> Variant<'static> {
    match i64::try_from(id) {
        Ok(_) => text_of(id).into(),
        Err(_) if id == NO_UID => "".into(),
        Err(_) => int(id),
    }
}

/// The reverse; a number is read for any id.
fn uid(value: Variant<'static>) -> Result<u64, TextError> {
    match &value {
        Variant::String(text) if text.is_empty() => Ok(NO_UID),
        Variant::String(text) => {
            id_of(text).ok_or_else(|| TextError::new(format!("expected a uid such as \"uid://b2c\", found {:?}", text)))
        }
        _ => unsigned(value, "uid"),
    }
}

fn internal(value: Variant<'static>) -> Result<Internal<'static>, TextError> {
    let mut internal = Internal::default();
    let object = |value: Variant<'static>| -> Option<FullObject<'static>> {
        match value {
            Variant::Object(Object::Full(object)) => Some(*object),
            _ => None,
        }
    };
    for (name, value) in entries(value, "internal")? {
        match name.as_bytes() {
            b"path" => internal.path = string(value, "path")?,
            b"object" => internal.object = take(value, "object", object)?,
            _ => return Err(unknown("resource", &name)),
        }
    }
    Ok(internal)
}

/// The error of a part that is not what it must be.
#[cold]
fn wrong(part: &str) -> TextError {
    TextError::new(format!("expected the {part} of a file of resources, found another value"))
}

#[cold]
fn unknown(whole: &str, part: &ByteString<'_>) -> TextError {
    TextError::new(format!("{} has no {part:?}", with_article(whole)))
}

fn take<T>(
    value: Variant<'static>,
    part: &str,
    to: impl FnOnce(Variant<'static>) -> Option<T>,
) -> Result<T, TextError> {
    to(value).ok_or_else(|| wrong(part))
}

fn entries(
    value: Variant<'static>,
    part: &str,
) -> Result<impl Iterator<Item = (ByteString<'static>, Variant<'static>)>, TextError> {
    let Variant::Dictionary(dictionary) = value else { return Err(wrong(part)) };
    let named = |entry: crate::godot::Entry<'static>| match entry.key {
        Variant::String(name) => Ok((name, entry.value)),
        _ => Err(wrong(part)),
    };
    Ok(dictionary.entries.into_iter().map(named).collect::<Result<Vec<_>, _>>()?.into_iter())
}

fn list<T>(
    value: Variant<'static>,
    part: &str,
    item: impl Fn(Variant<'static>) -> Result<T, TextError>,
) -> Result<Vec<T>, TextError> {
    let Variant::Array(array) = value else { return Err(wrong(part)) };
    array.elements.into_iter().map(item).collect()
}

fn strings(value: Variant<'static>) -> Option<Vec<ByteString<'static>>> {
    match value {
        Variant::PackedStringArray(strings) => Some(strings),
        _ => None,
    }
}

fn string(value: Variant<'static>, part: &str) -> Result<ByteString<'static>, TextError> {
    take(value, part, |value| match value {
        Variant::String(text) => Some(text),
        _ => None,
    })
}

fn number(value: Variant<'static>, part: &str) -> Result<u32, TextError> {
    take(value, part, |value| match value {
        Variant::Int(number) => u32::try_from(number).ok(),
        _ => None,
    })
}

fn unsigned(value: Variant<'static>, part: &str) -> Result<u64, TextError> {
    take(value, part, |value| match value {
        Variant::Int(number) => Some(u64::from_le_bytes(number.to_le_bytes())),
        _ => None,
    })
}

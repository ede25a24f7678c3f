//! The requirements for every format, for use by several tests.
#![allow(dead_code, unused_imports)] // no test needs all of it

pub(crate) mod codec;
mod godot;
mod godot_resource;
pub(crate) mod golden;
pub(crate) mod mutate;
pub(crate) mod properties;
pub(crate) mod random;
mod roblox_attributes;
mod roblox_remote;
mod root;
pub(crate) mod scrap_mechanic_lua;
pub(crate) mod typed;
mod unprintable;

use std::path::{Path, PathBuf};

use arbitrary::Unstructured;
use enginewire::wire::{ByteString, IntoByteString};

pub(crate) use codec::{Codec, FORMATS};
pub(crate) use godot::Godot;
pub(crate) use godot_resource::GodotResource;
pub(crate) use roblox_attributes::RobloxAttributes;
pub(crate) use roblox_remote::RobloxRemote;
pub(crate) use root::{every, root};
pub(crate) use scrap_mechanic_lua::ScrapMechanicLua;

/// Bytes written in hex.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    data_encoding::HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap()
}

/// A blob and the document it decodes to.
pub(crate) struct Blob {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) document: Vec<u8>,
}

/// Every `NAME.bin` of a folder with its `NAME.json`.
pub(crate) fn blobs(folder: &Path) -> Vec<Blob> {
    files(folder, "bin")
        .iter()
        .map(|path| Blob {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            bytes: std::fs::read(path).unwrap(),
            document: std::fs::read(path.with_extension("json")).unwrap(),
        })
        .collect()
}

/// A folder and those directly in it.
pub(crate) fn folders(folder: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut folders: Vec<PathBuf> = inside.map(|file| file.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.push(folder.to_owned());
    folders.sort();
    folders
}

/// The files of a folder whose names end so, in order.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The folder with the fixtures of a format.
pub(crate) fn folder(format: &str) -> PathBuf {
    root().join("fixtures").join(format)
}

/// The good blobs of a format in this repository.
pub(crate) fn fixtures(format: &str) -> Vec<Blob> {
    let blobs = blobs(&folder(format));
    assert!(blobs.len() >= 5, "there are only {} fixtures", blobs.len());
    blobs
}

/// Bytes of a large input: enough for its size to outweigh everything constant.
pub(crate) const LARGE: usize = 1 << 18;

/// A list of any length.
pub(crate) fn list<T>(
    entropy: &mut Unstructured<'_>,
    item: impl Fn(&mut Unstructured<'_>) -> arbitrary::Result<T>,
) -> arbitrary::Result<Vec<T>> {
    let mut items = Vec::new();
    // one chance in four to end, so that the entropy is spent on the items
    while !entropy.is_empty() && entropy.ratio(3, 4)? {
        items.push(item(entropy)?);
    }
    Ok(items)
}

/// True once in `times` calls. False if the entropy is used up, because rare parts would be added endlessly otherwise.
pub(crate) fn rare(entropy: &mut Unstructured<'_>, times: u32) -> arbitrary::Result<bool> {
    Ok(entropy.int_in_range(1..=times)? == times)
}

/// Words and signs with a meaning in some notation, and characters that hide.
const WORDS: [&str; 32] = [
    "nil", "null", "true", "end", "function", "var", "and", "inf", "NaN", "Variant", "Vector2", "Object", "Array",
    "int", "Color3", "Enum", "Float", "_", "1a", "0x1", "--", "#", "[[", "]]", "${}", "\u{200b}", "\u{200d}",
    "\u{2060}", "\u{2069}", "\u{206a}", "\u{206f}", "\u{feff}",
];

/// Any bytes, half of the time such as names and notations have.
pub(crate) fn bytes(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
    if entropy.ratio(1, 2)? {
        return entropy.arbitrary();
    }
    if entropy.ratio(1, 2)? {
        return Ok(entropy.choose(&WORDS)?.as_bytes().to_vec());
    }
    list(entropy, |entropy| entropy.choose(b"abcXYZ_.-/ 09\0\xe4").copied())
}

pub(crate) fn string(entropy: &mut Unstructured<'_>) -> arbitrary::Result<ByteString<'static>> {
    Ok(bytes(entropy)?.into_byte_string())
}

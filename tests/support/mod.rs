//! What every format must do, whichever test asks for it.
#![allow(dead_code, unused_imports)] // no test needs all of it

pub(crate) mod codec;
mod mutate;
pub(crate) mod properties;
pub(crate) mod random;
mod roblox_attributes;

use std::path::{Path, PathBuf};

pub(crate) use codec::{Codec, FORMATS};
pub(crate) use roblox_attributes::RobloxAttributes;

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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(format)
}

/// The good blobs of a format in this repository.
pub(crate) fn fixtures(format: &str) -> Vec<Blob> {
    let blobs = blobs(&folder(format));
    assert!(blobs.len() >= 5, "there are only {} fixtures", blobs.len());
    blobs
}

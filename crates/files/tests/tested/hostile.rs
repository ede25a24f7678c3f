//! The hostile files of the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

/// The models of a folder, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension.to_str().unwrap().starts_with("rbxm")));
    files.sort();
    assert!(files.len() >= 20);
    files
}

//! Texts that are kept in files. `UPDATE_GOLDEN=1` rewrites them.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;

/// Compares a text with that of a file of this repository.
pub(crate) fn golden(path: &str, said: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, said).unwrap();
    }
    assert_eq!(said, fs::read_to_string(&file).unwrap_or_default(), "{path}");
}

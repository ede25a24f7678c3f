//! The root of the paths in tests.

use std::path::Path;

/// The folder of the repository.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("fixtures").is_dir()).unwrap()
}

/// Every n-th is enough where all are dear, unless at least 256 random values are tried of each, as `.ci/run --full` does.
pub(crate) fn every(nth: usize) -> usize {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    if cases.is_none_or(|cases: u32| cases >= 256) {
        1
    } else {
        nth
    }
}

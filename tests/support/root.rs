//! The root of the paths in tests.

use std::path::Path;

/// The folder of the repository.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("fixtures").is_dir()).unwrap()
}

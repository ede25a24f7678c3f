//! The folder that all paths of tests begin with.

use std::path::Path;

/// The folder of the repository, of which this package is a part.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("fixtures").is_dir()).unwrap()
}

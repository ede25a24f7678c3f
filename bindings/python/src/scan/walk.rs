//! Finds the files of a scan: by paths, folders and patterns, with the rules of `enginewire scan`.

use std::path::PathBuf;

use enginewire_files::scan::{is_model, Walk, Walked};

/// The files, each once: of one path in the order of the paths in it, of several in the order of all paths.
pub fn files(paths: Vec<PathBuf>, walk: Walk) -> Box<dyn Iterator<Item = Walked> + Send> {
    let is_sorted = paths.len() > 1;
    walk.files(paths.into_iter().flat_map(expanded), is_sorted, is_model)
}

/// The paths that a pattern matches, in their order. A path that exists, or has no sign of a pattern, is taken as it is.
fn expanded(path: PathBuf) -> Box<dyn Iterator<Item = Walked> + Send> {
    let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']) && path.symlink_metadata().is_err());
    let Some(pattern) = pattern else { return Box::new(std::iter::once(Ok(path))) };
    let found = match glob::glob(pattern) {
        Ok(found) => found,
        Err(error) => return Box::new(std::iter::once(Err((path, error.to_string())))),
    };
    let mut found =
        found.map(|found| found.map_err(|error| (error.path().to_owned(), error.error().to_string()))).peekable();
    if found.peek().is_none() {
        return Box::new(std::iter::once(Err((path, "no file matches the pattern".to_owned()))));
    }
    Box::new(found)
}

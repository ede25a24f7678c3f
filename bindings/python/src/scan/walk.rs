//! Which files a scan reads: paths, folders and patterns, by the rules of `enginewire scan`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

/// The extensions of model and place files.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// What is read in folders that is not read by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Hidden files and folders.
    pub hidden: bool,
    /// What `.gitignore` and the like exclude.
    pub no_ignore: bool,
}

/// A file, or a path that cannot be read, and why.
pub type Walked = Result<PathBuf, (PathBuf, String)>;

/// The files, each once: of one path in the order of the paths in it, of several in the order of all paths.
pub fn files(paths: Vec<PathBuf>, rules: Rules) -> Box<dyn Iterator<Item = Walked> + Send> {
    let is_one = paths.len() < 2;
    let all = paths.into_iter().flat_map(move |path| expanded(path)).flat_map(move |path| match path {
        Ok(path) => walk(path, rules),
        Err(refused) => Box::new(std::iter::once(Err(refused))),
    });
    if is_one {
        return each_once(all);
    }
    // one may lie within another
    let mut files: Vec<_> = all.collect();
    files.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    each_once(files.into_iter())
}

fn path_of(walked: &Walked) -> &Path {
    match walked {
        Ok(path) | Err((path, _)) => path,
    }
}

/// The paths that a pattern matches, in their order; a path that exists, or has no sign of a pattern, stands for itself.
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

fn walk(root: PathBuf, rules: Rules) -> Box<dyn Iterator<Item = Walked> + Send> {
    // a link to a folder is that folder
    let within = if root.is_symlink() && root.is_dir() { root.join("") } else { root.clone() };
    let mut walk = WalkBuilder::new(within);
    walk.standard_filters(!rules.no_ignore).hidden(!rules.hidden).sort_by_file_name(Ord::cmp);
    Box::new(walk.build().filter_map(move |entry| match entry {
        Ok(entry) => is_wanted(&entry).then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(unwalked(&error, &root))),
    }))
}

fn is_wanted(entry: &DirEntry) -> bool {
    let path = entry.path();
    // a named pipe in a folder might never be written to; a dangling link is reported
    entry.file_type().is_some_and(|kind| match entry.depth() {
        0 => !kind.is_dir(),
        _ => {
            let is_file =
                kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file()));
            is_file && is_model(path)
        }
    })
}

/// Whether a file is a model or place, going by its name.
fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)))
}

fn each_once(files: impl Iterator<Item = Walked> + Send + 'static) -> Box<dyn Iterator<Item = Walked> + Send> {
    let mut seen = HashSet::new();
    Box::new(files.filter(move |file| match file {
        Ok(path) => identity(path).is_none_or(|file| seen.insert(file)),
        Err(_) => true,
    }))
}

/// What two names of one file have in common.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// What two names of one file have in common.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// What could not be walked, and why: the crate that walks names the path twice.
fn unwalked(error: &ignore::Error, root: &Path) -> (PathBuf, String) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let inner = err.io_error().and_then(|error| error.get_ref()?.source());
            (path.clone(), inner.map_or_else(|| err.to_string(), ToString::to_string))
        }
        ignore::Error::WithDepth { err, .. } => unwalked(err, root),
        error => (root.to_owned(), error.to_string()),
    }
}

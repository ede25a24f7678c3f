//! Walking folders: the choice of the files in them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

/// The extensions of model and place files.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// Returns whether the name of a file is that of a model or place.
#[must_use]
pub fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)))
}

/// The path of a file, or a path that cannot be read with the reason.
pub type Walked = Result<PathBuf, (PathBuf, String)>;

/// The path, also of one that cannot be read.
#[must_use]
pub fn path_of(walked: &Walked) -> &Path {
    match walked {
        Ok(path) | Err((path, _)) => path,
    }
}

/// The options to walk folders with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// Includes hidden files and folders.
    pub hidden: bool,
    /// Includes files that `.gitignore`, `.ignore` and the other rules of git exclude.
    pub no_ignore: bool,
}

impl Walk {
    /// The files with these paths, and all wanted files in the folders with these paths. Each file comes once, and a file given by
    /// its own path need not be wanted. They are sorted by path, or else follow the order of `paths`,
    /// whose errors are given too.
    pub fn files<'a>(
        self,
        paths: impl Iterator<Item = Walked> + Send + 'a,
        sorted: bool,
        is_wanted: impl Fn(&Path) -> bool + Clone + Send + 'a,
    ) -> Box<dyn Iterator<Item = Walked> + Send + 'a> {
        let files = paths.flat_map(move |path| match path {
            Ok(path) => self.within(path, is_wanted.clone()),
            refused => Box::new([refused].into_iter()),
        });
        let mut seen = HashSet::new();
        let is_new = move |file: &Walked| match file {
            Ok(path) => identity(path).is_none_or(|file| seen.insert(file)),
            Err(_) => true,
        };
        if !sorted {
            return Box::new(files.filter(is_new).fuse());
        }
        let mut files: Vec<_> = files.collect();
        files.sort_by(|a, b| path_of(a).cmp(path_of(b)));
        Box::new(files.into_iter().filter(is_new))
    }

    /// The files in a folder, or a file.
    fn within<'a>(
        self,
        root: PathBuf,
        is_wanted: impl Fn(&Path) -> bool + Send + 'a,
    ) -> Box<dyn Iterator<Item = Walked> + Send + 'a> {
        // a link to a folder is that folder
        let mut walk = WalkBuilder::new(if root.is_symlink() && root.is_dir() { root.join("") } else { root.clone() });
        // in the order of whole paths, but sooner sorted
        walk.standard_filters(!self.no_ignore).hidden(!self.hidden).sort_by_file_name(Ord::cmp);
        Box::new(walk.build().filter_map(move |entry| match entry {
            Ok(entry) => is_read(&entry, &is_wanted).then(|| Ok(entry.into_path())),
            Err(error) => Some(Err(unwalked(&error, &root))),
        }))
    }
}

fn is_read(entry: &DirEntry, is_wanted: impl Fn(&Path) -> bool) -> bool {
    let path = entry.path();
    // a named pipe in a folder might never be written to; a dangling link is reported
    entry.file_type().is_some_and(|kind| match entry.depth() {
        0 => !kind.is_dir(),
        _ => {
            (kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file())))
                && is_wanted(path)
        }
    })
}

/// The same for all names of one file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// The same for all names of one file.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// The path that cannot be walked, and the reason without the path, which the crate `ignore` adds.
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

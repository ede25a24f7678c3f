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

/// One of several shards. Together, they have every file exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, counted from 1.
    pub number: u64,
    /// The number of shards.
    pub of: u64,
}

impl Shard {
    /// Returns whether a file belongs to this shard, by a hash of its path that is the same on every machine.
    fn has(self, path: &Path) -> bool {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        // FNV-1a, and a last step that lets all bits have a say in the lowest
        let hash = parts
            .join("/")
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash.checked_rem(self.of) == Some(self.number.saturating_sub(1))
    }
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
    /// Only the files of this shard.
    pub shard: Option<Shard>,
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
            Err(refused) => Box::new([(self.is_first(), Err(refused))].into_iter()),
        });
        let mut seen = HashSet::new();
        // before the others of the shard, so that all shards agree which of several names it is read by
        let is_new = move |(is_of_shard, file): (bool, Walked)| match &file {
            Ok(path) if identity(path).is_some_and(|file| !seen.insert(file)) => None,
            _ => is_of_shard.then_some(file),
        };
        if !sorted {
            return Box::new(files.filter_map(is_new).fuse());
        }
        let mut files: Vec<_> = files.collect();
        files.sort_by(|(_, a), (_, b)| path_of(a).cmp(path_of(b)));
        Box::new(files.into_iter().filter_map(is_new))
    }

    /// The files in a folder, or a file, and whether they belong to the shard.
    fn within<'a>(
        self,
        root: PathBuf,
        is_wanted: impl Fn(&Path) -> bool + Send + 'a,
    ) -> Box<dyn Iterator<Item = (bool, Walked)> + Send + 'a> {
        // a link to a folder is that folder
        let mut walk = WalkBuilder::new(if root.is_symlink() && root.is_dir() { root.join("") } else { root.clone() });
        // in the order of whole paths, but sooner sorted
        walk.standard_filters(!self.no_ignore).hidden(!self.hidden).sort_by_file_name(Ord::cmp);
        Box::new(walk.build().filter_map(move |entry| match entry {
            Ok(entry) if is_read(&entry, &is_wanted) => {
                // the path of the folder may differ between machines
                let within = entry.path().strip_prefix(&root).ok().filter(|within| *within != Path::new(""));
                let is_of_shard = self.shard.is_none_or(|shard| shard.has(within.unwrap_or(entry.path())));
                Some((is_of_shard, Ok(entry.into_path())))
            }
            Ok(_) => None,
            Err(error) => Some((self.is_first(), Err(unwalked(&error, &root)))),
        }))
    }

    /// Only the first shard reports errors.
    fn is_first(self) -> bool {
        self.shard.is_none_or(|shard| shard.number == 1)
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

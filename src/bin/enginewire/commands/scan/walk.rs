//! The files that `scan` reads.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::exit_status::Status;
use crate::input::models::Refusal;
use crate::output::name::shown;

/// How the names of the files end.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// Shard `number`, counted from 1, of `of` shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: u64,
    pub of: u64,
}

/// `I/N`
pub fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    numbers
        .map(|(number, of)| Shard { number, of })
        .filter(|Shard { number, of }| (1..=*of).contains(number))
        .ok_or_else(|| "expected I/N, such as 1/8".to_owned())
}

/// A file, or a path that cannot be read, and why.
pub type Walked = Result<PathBuf, (PathBuf, Refusal)>;

/// The model files in folders, in order and each once, of one shard. A file given by name always counts as one.
pub fn files<'a>(dirs: &'a [PathBuf], shard: Option<&'a Shard>) -> Box<dyn Iterator<Item = Walked> + 'a> {
    let files = dirs.iter().flat_map(move |dir| {
        // a link to a folder is that folder
        let is_link = dir.is_symlink() && dir.is_dir();
        let root = if is_link { Cow::Owned(dir.join("")) } else { Cow::Borrowed(dir) };
        // in the order of whole paths, but sooner sorted
        let walk = WalkBuilder::new(&*root).sort_by_file_name(Ord::cmp).build();
        walk.filter_map(move |entry| match entry {
            Ok(entry) if is_wanted(&entry) => {
                // the path of the folder may differ between machines
                let within = entry.path().strip_prefix(dir).ok().filter(|within| *within != Path::new(""));
                let is_of_shard = shard.is_none_or(|shard| shard.has(within.unwrap_or(entry.path())));
                Some((is_of_shard, Ok(entry.into_path())))
            }
            Ok(_) => None,
            Err(error) => Some((shard.is_none_or(|shard| shard.number == 1), Err(unwalked(&error, dir)))),
        })
    });
    let files: Box<dyn Iterator<Item = (bool, Walked)> + 'a> = if dirs.len() < 2 {
        Box::new(files.fuse())
    } else {
        // one may lie within another
        let mut files: Vec<_> = files.collect();
        files.sort_by(|(_, a), (_, b)| path(a).cmp(path(b)));
        Box::new(files.into_iter())
    };
    let mut seen = HashSet::new();
    // before the others of the shard, so that all shards agree which of several names it is read by
    let is_new = move |(is_of_shard, file): (bool, Walked)| match &file {
        Ok(path) if identity(path).is_some_and(|file| !seen.insert(file)) => None,
        _ => is_of_shard.then_some(file),
    };
    Box::new(files.filter_map(is_new))
}

fn path(walked: &Walked) -> &Path {
    match walked {
        Ok(path) | Err((path, _)) => path,
    }
}

/// What two names of one file have in settings.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// What two names of one file have in settings.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

fn is_wanted(entry: &DirEntry) -> bool {
    let path = entry.path();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_model = extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)));
    // a named pipe in a folder might never be written to; a dangling link is reported
    let is_file = entry.file_type().is_some_and(|kind| match entry.depth() {
        0 => !kind.is_dir(),
        _ => kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file())),
    });
    is_file && (is_model || entry.depth() == 0)
}

/// What could not be walked, and why: the crate that walks names the path twice.
fn unwalked(error: &ignore::Error, dir: &Path) -> (PathBuf, Refusal) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let inner = err.io_error().and_then(|error| error.get_ref()?.source());
            let reason = inner.map_or_else(|| err.to_string(), ToString::to_string);
            (path.clone(), (Status::Io, format!("cannot read {}: {reason}", shown(path))))
        }
        ignore::Error::WithDepth { err, .. } => unwalked(err, dir),
        error => (dir.to_owned(), (Status::Io, error.to_string())),
    }
}

impl Shard {
    /// Whether a file belongs to it: every file to one, by a hash of its path that is the same everywhere.
    fn has(&self, path: &Path) -> bool {
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

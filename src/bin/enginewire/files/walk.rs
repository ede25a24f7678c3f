//! Walking folders: which files in them are read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::exit_status::Status;
use crate::input::models::Refusal;
use crate::output::name::shown;

/// The extensions of model and place files.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// What is read in folders that is not read by default.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct WalkArgs {
    /// In folders: also read hidden files and folders, whose names begin with a dot
    #[arg(long)]
    pub hidden: bool,

    /// In folders: also read what .gitignore, .ignore and the other rules named below exclude
    #[arg(long)]
    pub no_ignore: bool,
}

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

/// How folders are walked.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    pub args: WalkArgs,
    /// Only the files of this shard.
    pub shard: Option<&'a Shard>,
    /// Whether a file in a folder is read. A file given by name always is.
    pub is_wanted: &'a dyn Fn(&Path) -> bool,
}

impl<'a> Walk<'a> {
    /// The files in these folders, in the order of their paths and each once.
    pub fn sorted(self, dirs: &'a [PathBuf]) -> Box<dyn Iterator<Item = Walked> + 'a> {
        let files = self.all(dirs);
        if dirs.len() < 2 {
            return self.each_once(files);
        }
        // one may lie within another
        let mut files: Vec<_> = files.collect();
        files.sort_by(|(_, a), (_, b)| path(a).cmp(path(b)));
        self.each_once(files.into_iter())
    }

    /// The files in these folders, in the order of the folders and each once.
    pub fn listed(self, dirs: &'a [PathBuf]) -> Box<dyn Iterator<Item = Walked> + 'a> {
        self.each_once(self.all(dirs))
    }

    /// The files in these folders, and whether they belong to the shard.
    fn all(self, dirs: &'a [PathBuf]) -> impl Iterator<Item = (bool, Walked)> + 'a {
        let Walk { args: WalkArgs { hidden, no_ignore }, shard, .. } = self;
        let files = dirs.iter().flat_map(move |dir| {
            // a link to a folder is that folder
            let is_link = dir.is_symlink() && dir.is_dir();
            let root = if is_link { Cow::Owned(dir.join("")) } else { Cow::Borrowed(dir) };
            // in the order of whole paths, but sooner sorted
            let mut walk = WalkBuilder::new(&*root);
            walk.standard_filters(!no_ignore).hidden(!hidden).sort_by_file_name(Ord::cmp);
            walk.build().filter_map(move |entry| match entry {
                Ok(entry) if self.is_wanted(&entry) => {
                    // the path of the folder may differ between machines
                    let within = entry.path().strip_prefix(dir).ok().filter(|within| *within != Path::new(""));
                    let is_of_shard = shard.is_none_or(|shard| shard.has(within.unwrap_or(entry.path())));
                    Some((is_of_shard, Ok(entry.into_path())))
                }
                Ok(_) => None,
                Err(error) => Some((shard.is_none_or(|shard| shard.number == 1), Err(unwalked(&error, dir)))),
            })
        });
        files.fuse()
    }

    /// The files of the shard, each once.
    fn each_once(self, files: impl Iterator<Item = (bool, Walked)> + 'a) -> Box<dyn Iterator<Item = Walked> + 'a> {
        let mut seen = HashSet::new();
        // before the others of the shard, so that all shards agree which of several names it is read by
        let is_new = move |(is_of_shard, file): (bool, Walked)| match &file {
            Ok(path) if identity(path).is_some_and(|file| !seen.insert(file)) => None,
            _ => is_of_shard.then_some(file),
        };
        Box::new(files.filter_map(is_new))
    }

    fn is_wanted(&self, entry: &DirEntry) -> bool {
        let path = entry.path();
        // a named pipe in a folder might never be written to; a dangling link is reported
        let is_file = entry.file_type().is_some_and(|kind| match entry.depth() {
            0 => !kind.is_dir(),
            _ => kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file())),
        });
        is_file && (entry.depth() == 0 || (self.is_wanted)(path))
    }
}

/// Whether a file is a model or place, going by its name.
pub fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)))
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

//! Temporary files, which exist only while the program runs.
//!
//! Their names begin with `.enginewire-` and end in `.tmp`. They are removed when they are dropped, and on INT, TERM and
//! HUP. Files left over after SIGKILL or a crash are removed by the next run that creates one in the same folder: a run
//! holds a lock on each of its files, so a file that can be locked is left over.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

use crate::files::signals;

const PREFIX: &str = ".enginewire-";
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// The suffixes of the files that SQLite creates beside a database.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The maximum number of attempts, in case another run removes the new file at once.
const ATTEMPTS: usize = 100;

/// All temporary files of this run.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is removed in the end, unless it gets another name.
#[derive(Debug)]
pub struct Temporary {
    file: Option<NamedTempFile>,
    path: PathBuf,
}

/// Who may read a temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner only.
    Private,
    /// Whoever may read new files.
    AsNew,
}

impl Temporary {
    /// A new one, empty.
    pub fn new(folder: &Path, access: Access) -> io::Result<Self> {
        remove_leftovers(folder);
        Temporary::another(folder, access)
    }

    /// A new one in a folder that had one in this run.
    pub fn another(folder: &Path, access: Access) -> io::Result<Self> {
        signals::on_end(remove_all)?;
        for _ in 0..ATTEMPTS {
            let temporary = Temporary::create(folder, access)?;
            if temporary.is_claimed()? {
                return Ok(temporary);
            }
        }
        Err(io::Error::other("temporary files disappear as soon as they are created"))
    }

    fn create(folder: &Path, access: Access) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
        if let (Access::AsNew, Some(permissions)) = (access, of_new_files()) {
            builder.permissions(permissions);
        }
        // a signal finds it either not made or noted
        let mut paths = paths();
        let file = builder.tempfile_in(folder).map_err(|error| without_path(&error))?;
        let path = file.path().to_owned();
        paths.push(path.clone());
        Ok(Temporary { file: Some(file), path })
    }

    /// Returns true if the file is known to be in use. Another run may have removed it as a leftover just after it was created.
    fn is_claimed(&self) -> io::Result<bool> {
        if !LOCKED {
            return Ok(true);
        }
        match self.file().map(File::try_lock) {
            Ok(Ok(())) => Ok(self.path.try_exists()?),
            Ok(Err(fs::TryLockError::WouldBlock)) => Ok(false),
            // a file system without locks: no other run can remove it as left over
            Ok(Err(fs::TryLockError::Error(_))) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> io::Result<&File> {
        self.file.as_ref().map(NamedTempFile::as_file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Gives it another name by `place`, which gets its path and leaves a file of the new name.
    pub fn placed(mut self, place: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let mut paths = paths();
        let Some(file) = self.file.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let placed = place(&self.path);
        // it is gone if it was renamed, and removed if it has a second name
        drop(file);
        paths.retain(|other| *other != self.path);
        placed
    }

    /// Renames it within its folder, replacing any file of that name.
    pub fn rename(mut self, path: &Path) -> io::Result<()> {
        let mut paths = paths();
        let Some(file) = self.file.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let renamed = file.persist(path).map(drop).map_err(|error| error.error);
        paths.retain(|other| *other != self.path);
        renamed
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // a signal finds it either there and noted or gone
        let mut paths = paths();
        if let Some(file) = self.file.take() {
            drop(file);
            remove_beside(&self.path);
        }
        paths.retain(|other| *other != self.path);
    }
}

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all of them. Nobody can make another, or give one its name, until the program has ended.
fn remove_all() {
    let paths = paths();
    for path in paths.iter() {
        let _ = fs::remove_file(path);
        remove_beside(path);
    }
    std::mem::forget(paths);
}

fn remove_beside(path: &Path) {
    for ending in BESIDE {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = fs::remove_file(name);
    }
}

/// True if a lock distinguishes a file in use from one left over. It is false where locks of two kinds exclude each other: SQLite
/// could not lock the file it works on.
const LOCKED: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// On systems without locks, the age from which a file counts as left over.
const OLD: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// Removes what earlier runs left, if it is certain that they have ended. What cannot be removed stays.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|_| is_file) else { continue };
        let path = entry.path();
        if is_ours(name) {
            let _ = remove_if_left_over(&path);
        } else if let Some(base) = BESIDE.iter().find_map(|ending| name.strip_suffix(ending)) {
            let is_left = is_ours(base) && matches!(path.with_file_name(base).try_exists(), Ok(false));
            if is_left {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn is_ours(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn remove_if_left_over(path: &Path) -> io::Result<()> {
    if LOCKED {
        let file = File::open(path)?;
        file.try_lock()?;
        // the lock is held until it is gone
        fs::remove_file(path)?;
        drop(file);
    } else {
        let age = fs::symlink_metadata(path)?.modified()?.elapsed().unwrap_or_default();
        if age < OLD {
            return Ok(());
        }
        fs::remove_file(path)?;
    }
    remove_beside(path);
    Ok(())
}

/// The error without the name of the temporary file, which means nothing to the user.
fn without_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let reason = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), reason.to_owned())
}

/// The widest mode of new files. It is narrower once a file was read that others cannot read.
#[cfg(unix)]
static ALLOWED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0o666);

/// Notes a file that is read. If others cannot read it, new files of this run are allowed no more than it is.
#[cfg(unix)]
pub fn read_from(file: &fs::Metadata) {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.permissions().mode();
    if file.is_file() && mode & 0o004 == 0 {
        ALLOWED.fetch_and(mode & 0o666, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(not(unix))]
pub fn read_from(_file: &fs::Metadata) {}

/// The mode of new files, out of the one that the system gave one.
#[cfg(unix)]
pub fn allowed(mode: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    // their owner may always read and write them
    let allowed = ALLOWED.load(std::sync::atomic::Ordering::Relaxed) | 0o600;
    Permissions::from_mode(mode.mode() & allowed)
}

#[cfg(not(unix))]
pub fn allowed(mode: Permissions) -> Permissions {
    mode
}

/// Takes from a new file what its mode allows beyond that, before more is written to it.
pub fn restrict(new: &File) -> io::Result<()> {
    let mode = new.metadata()?.permissions();
    let allowed = allowed(mode.clone());
    if allowed != mode {
        new.set_permissions(allowed)?;
    }
    Ok(())
}

#[cfg(unix)]
fn of_new_files() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    // the system takes away what new files of this user shall not have
    Some(allowed(Permissions::from_mode(0o666)))
}

#[cfg(not(unix))]
fn of_new_files() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_is_left_over_is_removed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let used = Temporary::new(folder, Access::Private)?;
        let theirs =
            [".enginewire-abc.tmp", ".enginewire-abcdef.tmp.bak", "enginewire-abcdef.tmp", ".other-abcdef.tmp-wal"];
        for name in theirs {
            fs::write(folder.join(name), "theirs")?;
        }
        fs::create_dir(folder.join(".enginewire-folder.tmp"))?;
        std::os::unix::fs::symlink("other", folder.join(".enginewire-symlnk.tmp"))?;
        let used_name = used.path().file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        fs::write(folder.join(format!("{used_name}-journal")), "ours, in use")?;
        let kept = names(folder)?;
        for name in [".enginewire-abcdef.tmp", ".enginewire-abcdef.tmp-journal", ".enginewire-ghijkl.tmp-wal"] {
            fs::write(folder.join(name), "left over")?;
        }
        drop(Temporary::new(folder, Access::Private)?);
        assert_eq!(names(folder)?, kept);
        drop(used);
        assert_eq!(names(folder)?.len(), kept.len().saturating_sub(2));
        Ok(())
    }

    #[test]
    fn it_is_gone_in_the_end_or_has_its_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let temporary = Temporary::new(folder.path(), Access::AsNew)?;
        assert_eq!(names(folder.path())?.len(), 1);
        drop(temporary);
        assert!(names(folder.path())?.is_empty());
        Temporary::new(folder.path(), Access::AsNew)?.rename(&folder.path().join("file"))?;
        assert_eq!(names(folder.path())?, ["file"]);
        // a folder is in the way
        fs::create_dir(folder.path().join("folder"))?;
        assert!(Temporary::new(folder.path(), Access::AsNew)?.rename(&folder.path().join("folder")).is_err());
        assert_eq!(names(folder.path())?, ["file", "folder"]);
        Ok(())
    }
}

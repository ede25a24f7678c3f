//! Atomic writes: a file is replaced completely or not at all, and keeps its mode, owner and attributes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::exit_status::Status;
use crate::files::temporary::{allowed, Access, Temporary};
use crate::files::{read, signals};
use crate::output::name::shown;

/// The longest chain of links that is followed.
const LINKS: usize = 40;

/// Another program wrote to a file between reading and writing it.
#[derive(Debug, thiserror::Error)]
#[error("another program changed the file meanwhile; nothing was written, so you can try again")]
struct ChangedMeanwhile;

/// The status that an error of writing gives. A pipe that nobody reads any more ends the program.
pub fn status(error: &io::Error) -> Status {
    if error.kind() == io::ErrorKind::BrokenPipe {
        signals::end_by_closed_pipe();
    }
    match error.get_ref() {
        Some(error) if error.is::<ChangedMeanwhile>() => Status::ChangedMeanwhile,
        _ => Status::Io,
    }
}

/// Writes `bytes` to a new file next to `path`, which is then renamed to `path`. A regular file keeps its mode, its owner and its
/// extended attributes; a link stays a link. What should not be replaced is refused unless it is to be with `force`.
pub fn save(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    match Replacement::of(path, force)? {
        None => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Some(replacement) => {
            replacement.file()?.write_all(bytes)?;
            replacement.commit()
        }
    }
}

/// Refuses a file that must not be written to in place, as SQLite does. Hard links are allowed: they stay the same file.
pub fn may_write_into(path: &Path, force: bool) -> io::Result<()> {
    match Place::of(path, true)? {
        Some(place) if !force => place.check_writable(),
        Some(_) => Ok(()),
        None => Err(refusal(io::ErrorKind::InvalidInput, "it is not a regular file".to_owned())),
    }
}

/// Returns true if a path is `-`, which is standard output (or standard input, where a file is read).
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns true if output to a path goes to standard output.
pub fn is_standard_output(path: &Path) -> bool {
    is_standard(path) || (cfg!(unix) && ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].map(Path::new).contains(&path))
}

/// The file that is written when `file` is changed: a copy, or the file itself.
///
/// # Errors
///
/// The option to choose, if neither or both are given.
pub fn destination<'p>(file: &'p Path, copy: Option<&'p Path>, in_place: bool) -> Result<&'p Path, &'static str> {
    match (copy, in_place) {
        (Some(_), true) => Err("use either -o or --in-place, not both"),
        (None, false) => Err("pass -i to change the file itself, or -o FILE to write a changed copy"),
        (None, true) if is_standard(file) => Err("standard input cannot be changed in place"),
        (Some(copy), false) if same_file(file, copy) => {
            Err("the copy would overwrite the original; use --in-place for that")
        }
        (Some(copy), false) => Ok(copy),
        (None, true) => Ok(file),
    }
}

/// Returns true if the input and the output are the same file, by whatever names. `-` is standard input and output.
pub fn same_file(input: &Path, output: &Path) -> bool {
    let input = if is_standard(input) { standard(io::stdin()) } else { fs::metadata(input).ok() };
    let output = if is_standard_output(output) { standard(io::stdout()) } else { fs::metadata(output).ok() };
    // a terminal can be both input and output, but it is not a file
    input.zip(output).is_some_and(|(input, output)| input.is_file() && output.is_file() && is_one(&input, &output))
}

#[cfg(unix)]
fn standard(stream: impl std::os::fd::AsFd) -> Option<Metadata> {
    File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(not(unix))]
fn standard(_stream: impl io::IsTerminal) -> Option<Metadata> {
    None
}

#[cfg(unix)]
fn is_one(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// An approximation: true if the sizes, the creation times and the modification times are equal.
#[cfg(not(unix))]
fn is_one(one: &Metadata, other: &Metadata) -> bool {
    let of = |file: &Metadata| (file.len(), file.created().ok(), file.modified().ok());
    of(one) == of(other)
}

/// The location of a regular file, which need not exist yet.
#[derive(Clone, Debug)]
struct Place {
    /// The path, with all links followed.
    path: PathBuf,
    /// The existing file.
    old: Option<Metadata>,
    force: bool,
}

impl Place {
    /// The location that a path leads to; `None` for a device or the like, which is written to directly.
    fn of(path: &Path, force: bool) -> io::Result<Option<Self>> {
        let old = match fs::metadata(path) {
            // Windows has none of its null device
            _ if cfg!(windows) && path.as_os_str().eq_ignore_ascii_case("NUL") => return Ok(None),
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(Place { path: end_of_links(path)?, old: None, force }));
            }
            Err(error) => return Err(error),
        };
        if old.is_dir() {
            return Err(refusal(io::ErrorKind::IsADirectory, "it is a directory; name a file in it".to_owned()));
        }
        // `/dev/fd/N` cannot be replaced, but the file that it refers to can, unless it is unknown, as on macOS
        if old.is_file() && !(cfg!(target_os = "macos") && is_harmless(path)) {
            let place = Place { path: fs::canonicalize(path)?, old: Some(old), force };
            place.check()?;
            return Ok(Some(place));
        }
        if force || is_harmless(path) {
            return Ok(None);
        }
        let kind = kind_of(&old);
        Err(refusal(io::ErrorKind::InvalidInput, format!("it is {kind}, not a regular file; --force writes to it")))
    }

    /// Returns an error if the existing file must not be replaced.
    fn check(&self) -> io::Result<()> {
        let Some(old) = self.old.as_ref().filter(|_| !self.force) else { return Ok(()) };
        let links = links_of(old);
        if links > 1 {
            let what = format!("it has {links} hard links, and its other names would keep the old content");
            return Err(refusal(io::ErrorKind::InvalidInput, format!("{what}; --force replaces this name only")));
        }
        self.check_writable()
    }

    fn check_writable(&self) -> io::Result<()> {
        let Some(old) = &self.old else { return Ok(()) };
        let may_write = || match OpenOptions::new().write(true).open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => false,
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => false,
            _ => true,
        };
        if old.permissions().readonly() || !may_write() {
            // elsewhere a read-only file cannot be replaced: see `keep`
            let what = if cfg!(unix) { "it is read-only; --force writes it anyway" } else { "it is read-only" };
            return Err(refusal(io::ErrorKind::PermissionDenied, what.to_owned()));
        }
        Ok(())
    }

    fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        folder.unwrap_or(Path::new("."))
    }
}

fn refusal(kind: io::ErrorKind, message: String) -> io::Error {
    io::Error::new(kind, message)
}

/// The target of a dangling link: writing creates it, as in a shell.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().map(|folder| folder.join(&to)).unwrap_or(to),
            Err(_) if path.file_name().is_none() => break,
            Err(_) => return Ok(path),
        }
    }
    Err(refusal(io::ErrorKind::InvalidInput, "it does not lead to a file".to_owned()))
}

/// Returns true if writing to a path destroys nothing: a descriptor opened for this program, or `/dev/null`.
fn is_harmless(path: &Path) -> bool {
    let is_descriptor = ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)));
    cfg!(unix) && (is_descriptor || ["/dev/null", "/dev/stdout", "/dev/stderr"].map(Path::new).contains(&path))
}

#[cfg(unix)]
fn kind_of(file: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = file.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_of(_file: &Metadata) -> &'static str {
    "a device"
}

#[cfg(unix)]
fn links_of(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(file)
}

#[cfg(not(unix))]
fn links_of(_file: &Metadata) -> u64 {
    1
}

/// A temporary file that will replace another.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    place: Place,
    /// The permissions of new files here. Until it gets them, only the owner may read the file.
    mode: fs::Permissions,
}

impl Replacement {
    /// For what is at `path`, or will be; `None` for a device or the like, which is written to directly.
    pub fn of(path: &Path, force: bool) -> io::Result<Option<Self>> {
        Place::of(path, force)?.map(Replacement::new).transpose()
    }

    fn new(place: Place) -> io::Result<Self> {
        let access = if place.old.is_some() { Access::Private } else { Access::AsNew };
        let temporary = Temporary::new(place.folder(), access).map_err(|error| {
            let reason = format!("cannot create a file in {}: {error}", shown(place.folder()));
            io::Error::new(error.kind(), reason)
        })?;
        let mode = temporary.file()?.metadata()?.permissions();
        #[cfg(unix)]
        temporary.file()?.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok(Replacement { temporary, place, mode })
    }

    /// The open file that receives the new content.
    pub fn file(&self) -> io::Result<&File> {
        self.temporary.file()
    }

    /// Renames it to its final name, once all of it is on the disk.
    pub fn commit(self) -> io::Result<()> {
        self.commit_if(|_| Ok(()))
    }

    /// The same, if `check` allows it just before.
    fn commit_if(self, check: impl FnOnce(&Place) -> io::Result<()>) -> io::Result<()> {
        let Replacement { temporary, place, mode } = self;
        match &place.old {
            Some(old) => keep(old, &place, temporary.file()?)?,
            None => temporary.file()?.set_permissions(allowed(mode))?,
        }
        temporary.file()?.sync_all()?;
        check(&place)?;
        temporary.rename(&place.path)?;
        sync_folder(place.folder())
    }
}

/// Syncs the folder, so that the rename survives a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // some file systems have nothing to sync there, and a folder may be one to write but not to read
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Copies the extended attributes, the owner and the mode of the old file to the new one.
#[cfg(unix)]
fn keep(old: &Metadata, place: &Place, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{fchown, MetadataExt, PermissionsExt};
    keep_attributes(place, file)?;
    let new = file.metadata()?;
    let is_owner_kept = old.uid() == new.uid() || fchown(file, Some(old.uid()), None).is_ok();
    let is_group_kept = old.gid() == new.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mut mode = old.mode() & 0o7777;
    // what was allowed to the old owner or group is not allowed to another
    if !is_owner_kept || !is_group_kept {
        mode &= 0o1777;
    }
    if !is_group_kept {
        mode = (mode & !0o070) | ((mode & 0o007) << 3);
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep(old: &Metadata, place: &Place, file: &File) -> io::Result<()> {
    // a file that is read-only could not get its name
    let _ = (place, file);
    if old.permissions().readonly() {
        return Err(refusal(io::ErrorKind::PermissionDenied, "it is read-only".to_owned()));
    }
    Ok(())
}

/// Who may do what, beyond the mode.
#[cfg(unix)]
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Those that are true of the old content only, or that the system gives each file itself.
#[cfg(unix)]
const OF_CONTENT: [&str; 3] = ["security.capability", "security.ima", "security.evm"];

#[cfg(unix)]
fn keep_attributes(place: &Place, file: &File) -> io::Result<()> {
    use xattr::FileExt;
    // not every file system has them
    let Ok(old) = xattr::list(&place.path) else { return Ok(()) };
    let old: Vec<_> = old.collect();
    // what the folder gives to new files
    if !old.iter().any(|name| name == ACCESS_LIST) {
        let _ = file.remove_xattr(ACCESS_LIST);
    }
    for name in old.iter().filter(|name| !OF_CONTENT.iter().any(|other| name == other)) {
        let kept = match xattr::get(&place.path, name) {
            Ok(Some(value)) if file.get_xattr(name).ok().flatten().as_ref() == Some(&value) => Ok(()),
            Ok(Some(value)) => file.set_xattr(name, &value),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        // those of the system may need rights that few have
        let is_users = name == ACCESS_LIST || name.to_string_lossy().starts_with("user.");
        if let (Err(error), true, false) = (kept, is_users, place.force) {
            let what = format!("its extended attribute {} cannot be kept: {error}", name.to_string_lossy());
            return Err(refusal(error.kind(), format!("{what}; --force drops it")));
        }
    }
    Ok(())
}

/// A file that is changed in place, while other runs of this program wait.
#[derive(Debug)]
pub struct Locked {
    named: PathBuf,
    place: Place,
    file: File,
    seen: Option<Seen>,
}

/// True if locks are advisory. A mandatory lock would keep this program itself from reading the file again.
const LOCKED: bool = cfg!(unix);

/// The length and hash of a file, to notice changes.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    length: usize,
    hash: u64,
}

/// The number of bytes hashed at a time.
const PIECE: u64 = 64 << 10;

impl Seen {
    fn of(mut reader: impl Read) -> io::Result<Self> {
        let (mut hasher, mut length, mut piece) = (DefaultHasher::new(), 0usize, Vec::new());
        loop {
            piece.clear();
            reader.by_ref().take(PIECE).read_to_end(&mut piece)?;
            if piece.is_empty() {
                return Ok(Seen { length, hash: hasher.finish() });
            }
            hasher.write(&piece);
            length = length.saturating_add(piece.len());
        }
    }
}

impl Locked {
    /// Opens the file, after waiting until no other run of this program is changing it.
    pub fn open(path: &Path, force: bool) -> io::Result<Self> {
        loop {
            let Some(Place { path: target, .. }) = Place::of(path, force)? else {
                return Err(refusal(
                    io::ErrorKind::InvalidInput,
                    "only a regular file can be changed in place".to_owned(),
                ));
            };
            let file = File::open(&target)?;
            // without locks, what others change is still noticed at the end
            let locked = if LOCKED { file.lock() } else { Ok(()) };
            if locked.is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
                continue;
            }
            // the previous holder of the lock may have replaced the file
            let Some(place) = Place::of(path, force)? else { continue };
            let opened = file.metadata()?;
            if place.old.as_ref().is_some_and(|there| is_one(there, &opened)) {
                return Ok(Locked { named: path.to_owned(), place, file, seen: None });
            }
        }
    }

    /// All its bytes.
    pub fn read(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        let bytes = read::all_of(&mut self.file, limit)?;
        self.seen = Some(Seen::of(&bytes[..])?);
        Ok(bytes)
    }

    /// The file, to be read in pieces.
    pub fn reader(&mut self) -> io::Result<&File> {
        self.file.rewind()?;
        self.seen = Some(Seen::of(&self.file)?);
        self.file.rewind()?;
        Ok(&self.file)
    }

    /// A new file that can replace this one.
    pub fn replacement(&self) -> io::Result<Replacement> {
        Replacement::new(self.place.clone())
    }

    /// Replaces its bytes, if the file has not changed since it was read.
    pub fn replace(self, bytes: &[u8]) -> io::Result<()> {
        let replacement = self.replacement()?;
        replacement.file()?.write_all(bytes)?;
        self.commit(replacement)
    }

    /// Puts the replacement in its place, if the file has not changed since it was read.
    pub fn commit(self, replacement: Replacement) -> io::Result<()> {
        let Locked { named, file, seen, .. } = self;
        // where a file that is open cannot be replaced, it is closed first
        let _held = LOCKED.then_some(file);
        replacement.commit_if(|place| {
            let is_same = |there: &Metadata| place.old.as_ref().is_some_and(|old| is_unchanged(old, there));
            let there = fs::metadata(&named).ok().filter(is_same);
            // the clock of a file system may be too coarse to tell
            let now = there.and_then(|_| Seen::of(File::open(&named).ok()?).ok());
            if now.is_some() && now == seen {
                return Ok(());
            }
            Err(io::Error::other(ChangedMeanwhile))
        })
    }
}

#[cfg(unix)]
fn is_unchanged(old: &Metadata, new: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |file: &Metadata| (file.len(), file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec());
    is_one(old, new) && of(old) == of(new)
}

#[cfg(not(unix))]
fn is_unchanged(old: &Metadata, new: &Metadata) -> bool {
    is_one(old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder, and a file in it.
    fn file() -> io::Result<(tempfile::TempDir, PathBuf)> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("model.rbxm");
        fs::write(&path, "old")?;
        Ok((folder, path))
    }

    #[test]
    fn nothing_else_is_left_in_the_folder() -> io::Result<()> {
        let (folder, path) = file()?;
        save(&path, b"new", false)?;
        assert_eq!(fs::read(&path)?, b"new");
        let replacement = Replacement::of(&path, false)?.unwrap();
        replacement.file()?.write_all(b"newer")?;
        assert_eq!(fs::read(&path)?, b"new");
        replacement.commit()?;
        assert_eq!(fs::read(&path)?, b"newer");
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn the_null_device_is_written_to_and_stays() -> io::Result<()> {
        for name in if cfg!(windows) { ["NUL", "nul"] } else { ["/dev/null"; 2] } {
            assert!(Replacement::of(Path::new(name), false)?.is_none());
            save(Path::new(name), b"new", false)?;
        }
        Ok(())
    }

    #[test]
    fn what_changed_meanwhile_is_not_written_over() -> io::Result<()> {
        let changes: [fn(&Path) -> io::Result<()>; 4] = [
            |path| fs::write(path, "other"),
            |path| fs::remove_file(path),
            |path| {
                fs::write(path.with_file_name("another"), "old")
                    .and_then(|()| fs::rename(path.with_file_name("another"), path))
            },
            // of one length, at what a coarse clock takes for the same moment
            |path| {
                let modified = fs::metadata(path)?.modified()?;
                fs::write(path, "odd")?;
                File::options().write(true).open(path)?.set_modified(modified)
            },
        ];
        for change in changes {
            let (folder, path) = file()?;
            let mut locked = Locked::open(&path, false)?;
            assert_eq!(locked.read(3)?, b"old");
            change(&path)?;
            let there = fs::read(&path).ok();
            let error = locked.replace(b"new").err();
            assert_eq!(error.as_ref().map(status), Some(Status::ChangedMeanwhile), "{error:?}");
            assert_eq!(fs::read(&path).ok(), there);
            assert_eq!(fs::read_dir(folder.path())?.count(), usize::from(there.is_some()));
        }
        Ok(())
    }

    #[test]
    fn what_stays_as_it_was_is_written_over() -> io::Result<()> {
        let (_folder, path) = file()?;
        assert!(Locked::open(&path, false)?.read(2).is_err());
        let mut locked = Locked::open(&path, false)?;
        assert_eq!(locked.read(3)?, b"old");
        locked.replace(b"new")?;
        assert_eq!(fs::read(&path)?, b"new");
        Ok(())
    }
}

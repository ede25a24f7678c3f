//! Folders that several files are written into. No link in them is followed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::temporary::{Access, Temporary};

/// A folder to write new files into, each at a path in it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// True once the files that other runs left in it are removed.
    is_clean: bool,
}

impl Folder {
    /// The folder at this path, which is made if it is not there. The path itself may lead through links.
    pub fn new(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Folder { path: path.to_owned(), is_clean: false })
    }

    /// Writes a file at a relative path, and makes the folders before it. It is there as a whole or not at all.
    ///
    /// # Errors
    ///
    /// If a folder on the way is a link, or there is something at the path that is not replaced without `force`.
    pub fn write(&mut self, inside: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
        let temporary = match self.is_clean {
            true => Temporary::another(&self.path, Access::AsNew)?,
            false => Temporary::new(&self.path, Access::AsNew)?,
        };
        self.is_clean = true;
        temporary.file()?.write_all(bytes)?;
        temporary.placed(|path| place(&self.path, path, inside, force))
    }
}

fn is_a_link(part: &Path) -> io::Error {
    io::Error::other(format!("{} is a link, or no folder", crate::output::name::shown(part)))
}

/// Gives the file `new` of a folder its name at a path in it. Nothing can come between that a link would lead elsewhere.
#[cfg(unix)]
fn place(top: &Path, new: &Path, inside: &Path, force: bool) -> io::Result<()> {
    use rustix::fs::{linkat, mkdirat, open, openat, renameat, AtFlags, Mode, OFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = open(top, flags, Mode::empty())?;
    let mut folder = openat(&top, ".", flags, Mode::empty())?;
    let parent = inside.parent().unwrap_or(Path::new(""));
    for part in parent {
        folder = match openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::NOENT) => match mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
                Err(error) if error != Errno::EXIST => return Err(error.into()),
                _ => openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?,
            },
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(is_a_link(Path::new(part))),
            opened => opened?,
        };
    }
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let (new, name) = (new.file_name().ok_or_else(missing)?, inside.file_name().ok_or_else(missing)?);
    if force {
        return Ok(renameat(&top, new, &folder, name)?);
    }
    // a link to the new file fails where there is anything, also a link that leads nowhere
    match linkat(&top, new, &folder, name, AtFlags::empty()) {
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
            match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => Ok(renameat(&top, new, &folder, name)?),
                Err(error) => Err(error.into()),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            }
        }
        linked => Ok(linked?),
    }
}

#[cfg(not(unix))]
fn place(top: &Path, new: &Path, inside: &Path, force: bool) -> io::Result<()> {
    let mut folder = top.to_owned();
    for part in inside.parent().unwrap_or(Path::new("")) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(&folder)?,
            Err(error) => return Err(error),
            Ok(found) if !found.is_dir() => return Err(is_a_link(&folder)),
            Ok(_) => {}
        }
    }
    let to = top.join(inside);
    if !force && fs::symlink_metadata(&to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(new, to)
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A folder on the way that becomes a link again and again, also between a look at it and the writing, leads nothing
    /// out of the folder.
    #[test]
    fn a_link_put_in_the_way_is_not_followed() {
        let held = tempfile::tempdir().unwrap();
        let [top, inside, aside, outside] = ["top", "top/a", "top/b", "outside"].map(|name| held.path().join(name));
        fs::create_dir_all(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        let is_over = AtomicBool::new(false);
        let (mut written, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    // the writer may have made the folder again
                    let _ = fs::rename(&inside, &aside);
                    let _ = std::os::unix::fs::symlink(&outside, &inside);
                    let _ = fs::remove_file(&inside);
                    let _ = fs::rename(&aside, &inside);
                }
            });
            let mut folder = Folder::new(&top).unwrap();
            for turn in 0..2_000 {
                match folder.write(Path::new(&format!("a/{}", turn % 10)), b"content", true) {
                    Ok(()) => written += 1,
                    Err(_) => refused += 1,
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{written} written, {refused} refused");
        assert_eq!(written + refused, 2_000);
    }
}

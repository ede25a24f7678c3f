//! Writing a file so that it is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to a file beside `path` and then gives it that name. What was there before keeps its permissions;
/// devices and pipes are written to directly.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // a link stays a link
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = beside(&path)?;
    // never into what somebody else put there
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let renamed = fill(file, bytes, old.map(|old| old.permissions())).and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // the first error is the one to tell
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// A name that nothing has, in the same directory: only there can it be renamed.
pub fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    let numbered = |number: u32| {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.{number}.tmp", std::process::id()));
        path.with_file_name(temporary)
    };
    let free = (0..1000).map(numbered).find(|path| fs::symlink_metadata(path).is_err());
    free.ok_or_else(|| io::ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_left_alone() -> io::Result<()> {
        let folder = std::env::temp_dir().join(format!("enginewire-save-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let path = folder.join("model.rbxm");
        let taken = beside(&path)?;
        fs::write(&taken, "theirs")?;
        assert_ne!(beside(&path)?, taken);
        save(&path, b"ours")?;
        assert_eq!((fs::read(&path)?, fs::read(&taken)?), (b"ours".to_vec(), b"theirs".to_vec()));
        assert_eq!(fs::read_dir(&folder)?.count(), 2);
        fs::remove_dir_all(&folder)
    }
}

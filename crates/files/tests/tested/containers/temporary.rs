//! Files for tests.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file that is removed when it is dropped, with what was written beside it.
pub(crate) struct TemporaryFile {
    pub(crate) path: PathBuf,
}

impl TemporaryFile {
    /// A name that no file has yet.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        TemporaryFile { path: folder.join(format!("container-{}-{number}.file", std::process::id())) }
    }

    /// A file with these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let file = TemporaryFile::new();
        fs::write(&file.path, bytes).unwrap();
        file
    }

    /// The files that SQLite may write beside a database.
    fn beside(&self) -> [PathBuf; 3] {
        ["-wal", "-shm", "-journal"].map(|end| {
            let mut name = self.path.clone().into_os_string();
            name.push(end);
            name.into()
        })
    }

    /// Fails if something was written beside the file.
    pub(crate) fn assert_alone(&self) {
        for file in self.beside() {
            assert!(!file.exists(), "{} was written beside a file that is only read", file.display());
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.beside().iter().for_each(|file| drop(fs::remove_file(file)));
    }
}

//! Reading files and standard input within a limit.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use enginewire_files::scan::Limit;

use crate::files::temporary::{read_from, Access, Temporary};
use crate::output::name::shown;
use crate::settings::MAX_MEMORY;

/// Returns true if a file can be read only once: standard input, a named pipe, or `<(…)` of a shell.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// The first bytes of a file.
pub fn head(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut head)?;
    Ok(head)
}

/// Returns true if a file is a pack of Godot, or a program with one at its end.
pub fn is_pack(path: &Path) -> bool {
    let ends = || {
        let (mut file, mut end) = (File::open(path)?, [0; PACK.len()]);
        let start = head(path, PACK.len())?;
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut end)?;
        Ok::<_, io::Error>(start == PACK || end == PACK)
    };
    path.is_file() && ends().is_ok_and(|is_pack| is_pack)
}

/// The signature of a pack, at its start or at the end of a program.
const PACK: [u8; 4] = *b"GDPC";

/// Reads a file or standard input, up to `limit` bytes.
pub fn file(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return all_of(io::stdin().lock(), limit);
    }
    let file = File::open(path)?;
    read_from(&file.metadata()?);
    all_of(file, limit)
}

/// Reads the remaining bytes, up to `limit`. Memory is allocated as they arrive.
pub fn all_of(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // one byte beyond the limit shows that it is exceeded
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = reader.take(most).read_to_end(&mut bytes);
    let error = match read {
        Ok(_) if bytes.len() <= limit => return Ok(bytes),
        Ok(_) => return Err(within(limit).too_large()),
        Err(error) => error,
    };
    Err(match error.kind() {
        io::ErrorKind::OutOfMemory => {
            let reason = format!("out of memory after {} bytes", bytes.len());
            io::Error::new(io::ErrorKind::OutOfMemory, reason)
        }
        _ => error,
    })
}

/// Copies the remaining bytes to a temporary file.
pub fn copied(reader: impl Read, limit: usize) -> io::Result<Temporary> {
    let folder = env::temp_dir();
    let copy = Temporary::new(&folder, Access::Private).map_err(|error| {
        let reason = format!("cannot create a temporary file in {}: {error}", shown(&folder));
        io::Error::new(error.kind(), reason)
    })?;
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    if io::copy(&mut reader.take(most.saturating_add(1)), &mut copy.file()?)? > most {
        return Err(within(limit).too_large());
    }
    Ok(copy)
}

fn within(bytes: usize) -> Limit {
    Limit { bytes, name: MAX_MEMORY }
}

/// The reason not to decode a value in a container, if there is one. A file that is a value itself has no such limit: its size is
/// known to the user.
pub fn may_exceed(bytes: &[u8], limit: usize) -> Option<String> {
    within(limit).may_exceed(bytes.len())
}

//! Reading files and standard input within a limit.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::files::temporary::{Access, Temporary};
use crate::output::name::shown;
use crate::output::text::count;
use crate::size::size_text;

/// Whether a file can be read only once: standard input, a named pipe, or what a shell makes of `<(…)`.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// All bytes of a file or of standard input, if they are no more than so many.
pub fn file(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return all_of(io::stdin().lock(), limit);
    }
    all_of(File::open(path)?, limit)
}

/// All bytes that are left to read. Memory is taken as they come.
pub fn all_of(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // one more, to see whether there is more
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = reader.take(most).read_to_end(&mut bytes);
    let error = match read {
        Ok(_) if bytes.len() <= limit => return Ok(bytes),
        Ok(_) => return Err(too_large(limit)),
        Err(error) => error,
    };
    Err(match error.kind() {
        io::ErrorKind::OutOfMemory => {
            let reason = format!("the system has no memory for more than {} bytes of it", bytes.len());
            io::Error::new(io::ErrorKind::OutOfMemory, reason)
        }
        _ => error,
    })
}

/// A temporary file that has all that is left to read.
pub fn copied(reader: impl Read, limit: usize) -> io::Result<Temporary> {
    let folder = env::temp_dir();
    let copy = Temporary::new(&folder, Access::Private).map_err(|error| {
        let reason = format!("no temporary file can be made in {}: {error}", shown(&folder));
        io::Error::new(error.kind(), reason)
    })?;
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    if io::copy(&mut reader.take(most.saturating_add(1)), &mut copy.file()?)? > most {
        return Err(too_large(limit));
    }
    Ok(copy)
}

fn too_large(limit: usize) -> io::Error {
    let reason = format!("it has more than {}; --max-memory allows more", size_text(limit));
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// How many times the bytes of a value its decoded form may take, at most: in a list of booleans, for example.
pub const DECODED: usize = 32;

/// Why a value in a container is not decoded: a small container can hold a large one, of which much may be built. A file
/// that is a value itself has been measured by whoever names it.
pub fn may_exceed(bytes: &[u8], limit: usize) -> Option<String> {
    (bytes.len().saturating_mul(DECODED) > limit).then(|| {
        let (length, limit) = (count(u64::try_from(bytes.len()).unwrap_or(u64::MAX)), size_text(limit));
        format!("a value of {length} may take {DECODED} times as much memory, and the limit is {limit}; --max-memory allows more")
    })
}

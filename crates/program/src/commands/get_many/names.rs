//! Lists of files for `--files-from`.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use enginewire::budget::Budget;

use crate::exit_status::{usage, Refusal};
use crate::files::read;
use crate::input::containers::more;
use crate::input::models::unreadable;
use crate::output::escape::escaped_bytes;
use crate::output::name::shown;
use crate::text_encoding::utf_8;

/// The memory that a path takes beside its bytes.
const PATH: usize = size_of::<PathBuf>() + 32;

/// The paths in a list: each on a line of its own or, with `null`, before a byte 0. Empty lines do not count. The list and the paths may
/// take `limit` bytes.
pub fn read(list: &Path, null: bool, limit: usize) -> Result<Vec<PathBuf>, Refusal> {
    let bytes = read::file(list, limit).map_err(|error| unreadable(list, &error))?;
    let bytes = utf_8(bytes).map_err(|reason| usage(reason).at(shown(list)))?;
    if !null && bytes.contains(&0) {
        let message = format!("the names in {} end with a byte 0; use -0", shown(list));
        return Err(usage(message));
    }
    let end = if null { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == end).filter(|name| !name.is_empty());
    let count = names.clone().count();
    Budget::with(limit, bytes.len().saturating_mul(2))
        .take(count.saturating_mul(PATH))
        .map_err(|error| usage(more(error)).at(shown(list)))?;
    let path = |name: &[u8]| {
        // lines of Windows
        let name = if cfg!(windows) && !null { name.strip_suffix(b"\r").unwrap_or(name) } else { name };
        name.to_path().map(Path::to_owned)
    };
    let wrong = |name: &[u8]| usage(format!("a name in the list is not UTF-8: {}", escaped_bytes(name)));
    names.map(|name| path(name).map_err(|_| wrong(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit_status::Status;
    use pretty_assertions::assert_eq;
    use std::fs;

    #[test]
    fn names_end_with_the_line_or_with_a_byte_0() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        fs::write(&list, "a b\n\nc\n").unwrap();
        assert_eq!(read(&list, false, 1 << 10).unwrap(), paths(&["a b", "c"]));
        assert_eq!(read(&list, true, 1 << 10).unwrap(), paths(&["a b\n\nc\n"]));
        fs::write(&list, "a\nb\0c").unwrap();
        assert_eq!(read(&list, true, 1 << 10).unwrap(), paths(&["a\nb", "c"]));
        let Refusal { status, message, .. } = read(&list, false, 1 << 10).unwrap_err();
        assert!(status == Status::Usage && message.ends_with("end with a byte 0; use -0"), "{message}");
        // the list is read, and its paths would take more
        fs::write(&list, "a\n".repeat(100)).unwrap();
        let Refusal { status, message, .. } = read(&list, false, 1 << 10).unwrap_err();
        assert!(
            status == Status::Usage && message.starts_with("more memory is needed than the limit of 1 KiB"),
            "{message}"
        );
        assert_eq!(read(&list, false, 1 << 14).unwrap().len(), 100);
    }
}

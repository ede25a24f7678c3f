//! The rows of one file. They equal those of `enginewire scan`.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use enginewire::notation::is_unprintable;
use enginewire_files::scan::{self, size_text, thousands, Content, Fact, Limit, Problem, Row, Scan};
use pyo3::pybacked::PyBackedBytes;
use sha2::{Digest, Sha256};

use super::schema::{Columns, FileColumns, Rows};

/// A file is read at once if it is no longer.
const SMALL: u64 = 4 << 20;

/// The bytes of a larger file that are hashed at once.
const PIECE: usize = 256 << 10;

/// The source of a file.
#[derive(Debug)]
pub enum Source {
    Path(PathBuf),
    Bytes(PyBackedBytes),
    /// The reason if it cannot be read.
    Unread(String),
}

/// A file that gives its rows.
#[derive(Debug)]
pub struct Reading {
    file: FileColumns,
    reading: scan::Reading,
    limit: Limit,
}

impl Reading {
    /// Opens a file, hashes it, and lists its properties: in a share of the memory, or after a wait in all of it if it needs that.
    pub fn new(
        name: String,
        source: &Source,
        (scan, columns): (&Scan, &Columns),
        share: usize,
        wait: impl Fn() -> ControlFlow<()>,
    ) -> ControlFlow<(), Self> {
        let (shown, all, mut bytes) = (shown(&name), scan.limit.most(), Vec::new());
        let mut file = FileColumns { name, size: None, sha256: None };
        let (content, listing) = match open(source, &mut bytes, scan.limit, columns, &mut file) {
            Err(error) => (Content::Bytes(&[]), Err(error.into())),
            Ok(content) => {
                let is_small = file.size.unwrap_or_default().saturating_mul(8) <= share as u64;
                let listing = is_small.then(|| scan.list(content, share));
                let listing = match listing.filter(|listing| share == all || !Scan::needs_more(listing, share)) {
                    Some(listing) => listing,
                    None => {
                        wait()?;
                        scan.list(content, all)
                    }
                };
                (content, listing)
            }
        };
        let reading = scan.reading(&shown, content, listing);
        ControlFlow::Continue(Reading { file, reading, limit: scan.limit })
    }

    /// Adds the rows of one more property or reference, or the last rows. Returns whether more rows may come.
    pub fn step(&mut self, rows: &mut Rows) -> bool {
        let Reading { file, reading, limit } = self;
        reading.step(&mut |row| match too_many(row, *limit) {
            Some(reason) => rows.push(file, &row.with(Fact::Problem(Problem::Limit(reason.into())))),
            None => rows.push(file, row),
        })
    }
}

/// The content of a file, with its columns. Into `bytes` come no more than a few megabytes, or a stream up to the limit.
fn open<'c>(
    source: &'c Source,
    bytes: &'c mut Vec<u8>,
    limit: Limit,
    columns: &Columns,
    file: &mut FileColumns,
) -> io::Result<Content<'c>> {
    let wants_hash = columns.has("sha256");
    let bytes: &[u8] = match source {
        Source::Unread(reason) => return Err(io::Error::other(reason.clone())),
        Source::Bytes(bytes) => bytes,
        Source::Path(path) => {
            let opened = File::open(path)?;
            let about = opened.metadata()?;
            if about.is_file() && about.len() > SMALL {
                file.size = Some(about.len());
                file.sha256 = wants_hash.then(|| hash_of(opened)).transpose()?;
                return Ok(Content::File(path));
            }
            opened.take((limit.bytes as u64).saturating_add(1)).read_to_end(bytes)?;
            if bytes.len() > limit.bytes {
                return Err(limit.too_large());
            }
            bytes
        }
    };
    file.size = Some(bytes.len() as u64);
    file.sha256 = wants_hash.then(|| hexadecimal(Sha256::digest(bytes)));
    Ok(Content::Bytes(bytes))
}

fn hash_of(mut file: File) -> io::Result<String> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hexadecimal(hash.finalize())),
            Ok(length) => hash.update(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The reason if the tags of a row are too many for a list.
fn too_many(row: &Row<'_>, limit: Limit) -> Option<String> {
    let Fact::Tags(tags) = row.fact else { return None };
    let count = tags.iter().count();
    // in Arrow and in JSON: a tag may have no bytes, but takes some for its place and its quotes
    let bytes = row.property.and_then(|(_, property)| property.bytes.as_ref().ok()).map_or(0, |bytes| bytes.len());
    let length = bytes.saturating_sub(count.saturating_sub(1));
    let needed = count.saturating_mul(8).saturating_add(length.saturating_mul(9));
    let (count, most) = (thousands(count), size_text(limit.bytes));
    (needed > limit.bytes)
        .then(|| format!("{count} tags need more memory than the limit of {most}; raise it with {}", limit.name))
}

/// A name in a line of text.
fn shown(name: &str) -> String {
    let shown = |char: char| if is_unprintable(char) { char.escape_default().to_string() } else { char.into() };
    name.chars().map(shown).collect()
}

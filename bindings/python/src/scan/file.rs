//! The rows of one file. They equal those of `enginewire scan`.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire::notation::is_unprintable;
use enginewire::scan::{self, size_text, thousands, Content, Fact, Limit, Problem, Row, Scan};
use pyo3::pybacked::PyBackedBytes;
use sha2::{Digest, Sha256};

use super::schema::{Columns, FileColumns, Rows};

/// A file is read at once if it is no longer.
const SMALL: u64 = 4 << 20;

/// How much of a larger file is hashed at once.
const PIECE: usize = 256 << 10;

/// Where a file comes from.
#[derive(Debug)]
pub enum Source {
    Path(PathBuf),
    Bytes(PyBackedBytes),
    /// Why it cannot be read.
    Unread(String),
}

/// A file that is opened and hashed, and not yet listed.
#[derive(Debug)]
pub struct Opened {
    file: FileColumns,
    content: io::Result<Held>,
}

#[derive(Debug)]
enum Held {
    Path(PathBuf),
    Bytes(Vec<u8>),
    Shared(PyBackedBytes),
}

impl Opened {
    /// Opens a file. What it takes is no more than a few megabytes, or what a stream has up to the limit.
    pub fn new(name: String, source: Source, limit: Limit, columns: &Columns) -> Self {
        let wants_hash = columns.has("sha256");
        let mut file = FileColumns { name, size: None, sha256: None };
        let hash = |bytes: &[u8]| wants_hash.then(|| hexadecimal(Sha256::digest(bytes)));
        let content = match source {
            Source::Unread(reason) => Err(io::Error::other(reason)),
            Source::Bytes(bytes) => {
                (file.size, file.sha256) = (Some(to_u64(bytes.len())), hash(&bytes));
                Ok(Held::Shared(bytes))
            }
            Source::Path(path) => read(&path, limit).and_then(|(size, bytes)| {
                file.size = Some(size);
                match bytes {
                    Some(bytes) => {
                        file.sha256 = hash(&bytes);
                        Ok(Held::Bytes(bytes))
                    }
                    None => {
                        file.sha256 = wants_hash.then(|| hash_of(&path)).transpose()?;
                        Ok(Held::Path(path))
                    }
                }
            }),
        };
        Opened { file, content }
    }

    /// Lists its properties in a share of the memory, or after a wait in all of it, if it needs that.
    pub fn read(self, scan: &Scan, share: usize, wait: impl Fn() -> ControlFlow<()>) -> ControlFlow<(), Reading> {
        let Opened { file, content } = self;
        let (name, all) = (shown(&file.name), scan.limit.most());
        let reading = match content {
            Err(error) => scan.reading(&name, Content::Bytes(&[]), Err(error.into())),
            Ok(held) => {
                let content = match &held {
                    Held::Path(path) => Content::File(path),
                    Held::Bytes(bytes) => Content::Bytes(bytes),
                    Held::Shared(bytes) => Content::Bytes(bytes),
                };
                let is_large = file.size.unwrap_or_default().saturating_mul(8) > to_u64(share);
                let mut listing = None;
                if !is_large {
                    listing = Some(scan.list(content, share))
                        .filter(|listing| share == all || !Scan::needs_more(listing, share));
                }
                let listing = match listing {
                    Some(listing) => listing,
                    None => {
                        wait()?;
                        scan.list(content, all)
                    }
                };
                scan.reading(&name, content, listing)
            }
        };
        ControlFlow::Continue(Reading { file, reading, limit: scan.limit })
    }
}

/// The length of a file, and its bytes if they are few or can be read only once.
fn read(path: &Path, limit: Limit) -> io::Result<(u64, Option<Vec<u8>>)> {
    let mut opened = File::open(path)?;
    let about = opened.metadata()?;
    if about.is_file() && about.len() > SMALL {
        return Ok((about.len(), None));
    }
    let mut bytes = Vec::new();
    let most = to_u64(limit.bytes).saturating_add(1);
    (&mut opened).take(most).read_to_end(&mut bytes)?;
    if bytes.len() > limit.bytes {
        let reason = format!("it is larger than {}; raise the limit with {}", size_text(limit.bytes), limit.name);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok((to_u64(bytes.len()), Some(bytes)))
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
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

/// A file whose rows are made.
#[derive(Debug)]
pub struct Reading {
    file: FileColumns,
    reading: scan::Reading,
    limit: Limit,
}

impl Reading {
    /// Adds the rows of one more property or reference, or the last rows. Whether there are more to come.
    pub fn step(&mut self, rows: &mut Rows) -> bool {
        let Reading { file, reading, limit } = self;
        reading.step(&mut |row| match too_many(row, *limit) {
            Some(reason) => rows.push(file, &Row { fact: Fact::Problem(Problem::Limit(reason.into())), ..*row }),
            None => rows.push(file, row),
        })
    }
}

/// Why the tags of a row do not become a list.
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
    let mut text = String::new();
    for char in name.chars() {
        if is_unprintable(char) {
            text.extend(char.escape_default());
        } else {
            text.push(char);
        }
    }
    text
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

//! Errors of model files.

use std::io;

use bstr::BString;
use thiserror::Error;

use super::binary::{ChunkName, UnpackError};
use enginewire::budget::{size, OverBudget};
use enginewire::error::{DecodeError, EncodeError};

/// An error in a file, or in a part of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read, or the changed file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file begins like neither kind of model file.
    #[error("not a Roblox model or place file")]
    NotAModel,
    /// An error in the header of the file or of a chunk. Offsets count from the start of the file.
    #[error(transparent)]
    File(#[from] DecodeError),
    /// An error in a chunk.
    #[error("{fault} ({name} chunk at byte {offset:#x})")]
    Chunk {
        /// The name of the chunk.
        name: ChunkName,
        /// The offset of its header in the file.
        offset: u64,
        /// The error.
        fault: ChunkFault,
    },
    /// The END chunk is missing.
    #[error("the END chunk is missing; the file ends at byte {offset:#x}")]
    NoEnd {
        /// The offset where it should be: the end of the file.
        offset: u64,
    },
    /// There are bytes after the END chunk, or after the outermost element of an XML file: a warning.
    #[error("unexpected bytes after the end of the file's content, at byte {offset:#x}")]
    Trailing {
        /// Their offset.
        offset: u64,
    },
    /// More memory is needed than [`Options::max_memory`](super::Options::max_memory).
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// Invalid XML, or XML that a model file cannot have. A warning if Roblox Studio reads it all the same.
    #[error("{reason}, at byte {offset:#x}")]
    Xml {
        /// The offset in the file.
        offset: u64,
        /// The error.
        reason: String,
    },
    /// An XML file that ends inside a tag or an element.
    #[error("{reason}, at byte {offset:#x}")]
    XmlEnd {
        /// The offset in the file.
        offset: u64,
        /// The error.
        reason: String,
    },
    /// A limit of memory was reached, and it is known which one is enough.
    #[error("{error}; {} is enough", size(*enough))]
    Limit {
        /// The error.
        error: Box<ModelError>,
        /// The limit that is enough for listing and for editing the file, in bytes.
        enough: usize,
    },
    /// A value cannot be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A property that is to be changed does not exist, or is no longer what it was when it was listed.
    #[error("cannot change the property: {0}")]
    NoPlace(String),
    /// The changed file, listed again, differs from the file in more than the changes.
    #[error("the changed file would differ in more than the changes; it is not written")]
    NotOnly,
}

/// An error in a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkFault {
    /// Its body cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// Its data needs more memory than [`Options::max_memory`](super::Options::max_memory).
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// All chunks together unpack to more than [`Options::max_total`](super::Options::max_total).
    #[error("all chunks together unpack to more than the limit of {limit} bytes")]
    TooMuch {
        /// The limit, in bytes.
        limit: u64,
    },
    /// An error in its data. Offsets count from the start of the unpacked data.
    #[error("{0} of the data")]
    Data(#[from] DecodeError),
    /// It defines a class that an earlier chunk defined.
    #[error("class {0} occurs twice")]
    DuplicateClass(u32),
    /// It ends after the name of a property: a warning, because the property has no values.
    #[error("the property has no value type and no values")]
    NoType,
    /// It has a property of a class that no earlier chunk defined.
    #[error("no class {0}")]
    UnknownClass(u32),
}

/// Why the bytes of a property cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text of the element in an XML file is not base64.
    #[error("invalid base64 at byte {offset:#x}")]
    Base64 {
        /// The offset in the file.
        offset: u64,
    },
    /// The text of the element in an XML file has the bytes as character references, and is not base64.
    #[error(
        "expected base64, found a character reference such as &#1; at byte {offset:#x}; write the bytes as base64"
    )]
    References {
        /// The offset of the first reference in the file.
        offset: u64,
    },
    /// It does not begin as the property does in every known file.
    #[error("expected the bytes 02 00 before the attributes, found {found}")]
    Prefix {
        /// The first bytes, as hexadecimal digits.
        found: BString,
    },
    /// It is not in memory: [`Listing::read`](super::Listing::read) reads it.
    #[error("the value is not in memory")]
    Later {
        /// The number of its bytes.
        length: u32,
    },
    /// It was listed, and cannot be read again.
    #[error("cannot read the value again: {0}")]
    Again(BString),
    /// It refers to a shared string that does not exist.
    #[error("no shared string {0}")]
    SharedString(BString),
}

impl ModelError {
    /// The offset in the file of what is wrong, if it has one: of an error in a chunk, that of the header of the chunk.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            ModelError::File(error) => Some(error.offset().byte()),
            ModelError::Chunk { offset, .. }
            | ModelError::NoEnd { offset }
            | ModelError::Trailing { offset }
            | ModelError::Xml { offset, .. }
            | ModelError::XmlEnd { offset, .. } => Some(*offset),
            ModelError::Limit { error, .. } => error.offset(),
            _ => None,
        }
    }

    /// Returns true if a limit was reached. Then the file may be valid.
    #[must_use]
    pub fn is_of_limit(&self) -> bool {
        let is_of_limit = |fault: &ChunkFault| matches!(fault, ChunkFault::Memory(_) | ChunkFault::TooMuch { .. });
        match self {
            ModelError::Memory(_) | ModelError::Limit { .. } => true,
            ModelError::Chunk { fault, .. } => is_of_limit(fault),
            _ => false,
        }
    }
}

//! What can be wrong with a file.

use std::io;

use bstr::BString;
use thiserror::Error;

use super::binary::{ChunkName, UnpackError};
use crate::budget::OverBudget;
use crate::error::{DecodeError, EncodeError};

/// What is wrong with a file, or with a part of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It begins like neither form.
    #[error("not a Roblox model or place file")]
    NotAModel,
    /// The header of the file, or of a chunk. Offsets count from the start of the file.
    #[error(transparent)]
    File(#[from] DecodeError),
    /// A chunk.
    #[error("{fault} ({name} chunk at byte {offset:#x})")]
    Chunk {
        /// What kind of chunk.
        name: ChunkName,
        /// Where its header begins in the file.
        offset: u64,
        /// What is wrong with it.
        fault: ChunkFault,
    },
    /// There is no END chunk.
    #[error("there is no END chunk; the file ends at byte {offset:#x}")]
    NoEnd {
        /// Where it should be.
        offset: u64,
    },
    /// There are bytes after the END chunk.
    #[error("unexpected bytes after the END chunk, at byte {offset:#x}")]
    Trailing {
        /// Where they begin.
        offset: u64,
    },
    /// More memory is needed than [`Options::max_memory`](super::Options::max_memory).
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// Invalid XML, or XML that means nothing in such a file.
    #[error("{reason}, at byte {offset:#x}")]
    Xml {
        /// Where in the file.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// A value cannot be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// What was to be changed is not there, or is not what it was when it was listed.
    #[error("cannot change it: {0}")]
    NoPlace(String),
    /// The changed file, read again, differs from the file in something that was not to be changed.
    #[error("the changed file would differ in other places too; it is not written")]
    NotOnly,
}

/// What is wrong with a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkFault {
    /// Its data cannot be had.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// Its data needs more memory than [`Options::max_memory`](super::Options::max_memory).
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// All chunks together are more than [`Options::max_total`](super::Options::max_total).
    #[error("all chunks together unpack to more than the limit of {limit} bytes")]
    TooMuch {
        /// The limit.
        limit: u64,
    },
    /// Its data. Offsets count from the start of what was unpacked.
    #[error("{0} of the data")]
    Data(#[from] DecodeError),
    /// It has a class that another one had.
    #[error("class {0} occurs twice")]
    DuplicateClass(u32),
    /// It has a property of a class that is not there.
    #[error("there is no class {0}")]
    UnknownClass(u32),
}

/// Why a property has no bytes that could be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text of an XML file is no base64.
    #[error("invalid base64 at byte {offset:#x}")]
    Base64 {
        /// Where in the file.
        offset: u64,
    },
    /// It names a shared string that is not there.
    #[error("there is no shared string {0}")]
    SharedString(BString),
}

impl ModelError {
    /// Whether it is a limit that was reached, so that nothing is known to be wrong with the file.
    #[must_use]
    pub fn is_of_limit(&self) -> bool {
        let is_of_limit = |fault: &ChunkFault| matches!(fault, ChunkFault::Memory(_) | ChunkFault::TooMuch { .. });
        match self {
            ModelError::Memory(_) => true,
            ModelError::Chunk { fault, .. } => is_of_limit(fault),
            _ => false,
        }
    }
}

//! What can be wrong with a file.

use std::io;

use bstr::BString;
use thiserror::Error;

use super::binary::{ChunkName, UnpackError};
use crate::error::{DecodeError, EncodeError};

/// What is wrong with a file, or with a part of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It begins like neither kind of file.
    #[error("it is no model or place file")]
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
    /// There are bytes behind the END chunk.
    #[error("unexpected bytes after the END chunk, at byte {offset:#x}")]
    Trailing {
        /// Where they begin.
        offset: u64,
    },
    /// There are more properties or instances than may be listed.
    #[error("there are more than {limit} properties or instances to list")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// An XML file is larger than may be held.
    #[error("the file has more than the limit of {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// An XML file that is none.
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
    #[error("nothing can be changed there: {0}")]
    NoPlace(String),
}

/// What is wrong with a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkFault {
    /// Its data cannot be had.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// All chunks together are more than may be decompressed.
    #[error("all chunks together unpack to more than the limit of {limit} bytes")]
    TooMuch {
        /// The limit.
        limit: u64,
    },
    /// Its data. Offsets count from the start of what was unpacked.
    #[error("{0} of the data")]
    Data(#[from] DecodeError),
    /// It has a class that another one had.
    #[error("class {0} is there twice")]
    DuplicateClass(u32),
    /// It has a property of a class that is not there.
    #[error("class {0} is not there")]
    UnknownClass(u32),
}

/// Why a property has no bytes that could be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text of an XML file is no base64.
    #[error("its text is no base64 at byte {offset:#x}")]
    Base64 {
        /// Where in the file.
        offset: u64,
    },
    /// It names a shared string that is not there.
    #[error("shared string {0} is not there")]
    SharedString(BString),
}

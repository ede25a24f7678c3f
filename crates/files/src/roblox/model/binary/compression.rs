//! The compression of the data of a chunk.
//!
//! | compressed_length | body | data |
//! |---|---|---|
//! | 0 | `length` bytes | the body |
//! | not 0 | begins with `28 b5 2f fd` | one zstd frame |
//! | not 0 | anything else | one LZ4 block, without frame or size |

use thiserror::Error;

use super::chunk::ChunkHeader;
use crate::zstd;

/// The compression of the data of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all: the body is the data.
    None,
    /// The body is an LZ4 block.
    Lz4,
    /// The body is a zstd frame.
    Zstd,
}

impl Compression {
    /// The compression of a chunk, by its header and the first four bytes of its body.
    #[must_use]
    #[inline]
    pub fn of(header: &ChunkHeader, body: &[u8]) -> Self {
        if header.compressed_length == 0 {
            Compression::None
        } else if body.starts_with(&zstd::MAGIC) {
            Compression::Zstd
        } else {
            Compression::Lz4
        }
    }

    /// `none`, `lz4` or `zstd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
        }
    }
}

/// Why the body of a chunk cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// It is malformed, or ends too early.
    #[error("invalid {} data: {reason}", .compression.name())]
    Malformed {
        /// Its compression.
        compression: Compression,
        /// The reason.
        reason: String,
    },
    /// It unpacks to more or fewer bytes than its header claims.
    #[error("the length of its data is {}{found}, its header says {expected}", if .found > .expected { "at least " } else { "" })]
    Length {
        /// The number of bytes that it unpacks to. If that is more than expected, this is a lower bound.
        found: u64,
        /// The number of bytes in the header.
        expected: u64,
    },
    /// The header claims more bytes than the caller allows, or than the body can unpack to.
    #[error("its header says that it unpacks to {length} bytes; the limit is {limit}")]
    TooLarge {
        /// The number of bytes in the header.
        length: u64,
        /// The bytes that the caller allows, or the most that a body of this length can unpack to.
        limit: u64,
    },
}

pub(super) fn malformed(compression: Compression, reason: impl ToString) -> UnpackError {
    UnpackError::Malformed { compression, reason: reason.to_string() }
}

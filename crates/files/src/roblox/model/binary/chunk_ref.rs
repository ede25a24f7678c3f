//! References to chunks.

use super::chunk::ChunkHeader;
use crate::roblox::model::error::{ChunkFault, ModelError};
use enginewire::number::to_u64;

/// A chunk in a file: its header, and the offset of that header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRef {
    pub(crate) offset: u64,
    pub(crate) header: ChunkHeader,
}

impl ChunkRef {
    /// The offset of its body in the file.
    pub(super) fn body(self) -> u64 {
        self.offset.saturating_add(to_u64(ChunkHeader::SIZE))
    }

    /// The offset of its end in the file.
    pub(super) fn end(self) -> u64 {
        self.body().saturating_add(self.header.stored_length().into())
    }

    /// An error in this chunk.
    pub(super) fn fault(self, fault: impl Into<ChunkFault>) -> ModelError {
        ModelError::Chunk { name: self.header.name, offset: self.offset, fault: fault.into() }
    }
}

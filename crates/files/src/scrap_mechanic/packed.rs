//! Compressed objects: raw LZ4 blocks, as saves and blueprints hold them.

use lz4_flex::block::{compress, decompress_into, DecompressError};
use thiserror::Error;

use enginewire::budget::{Budget, OverBudget};
use enginewire::scrap_mechanic::lua_object::LuaSaveData;

/// The default limit for the size of an unpacked object: 64 MiB. The largest known object has 640 kB.
pub const MAX_UNPACKED: usize = 64 << 20;

/// Why a block cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// It is not an LZ4 block, or ends too early.
    #[error("not an LZ4 block: {0}")]
    Malformed(String),
    /// It would become larger than it may.
    #[error("it unpacks to more than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
}

/// Unpacks a raw LZ4 block to `limit` bytes at the most.
///
/// The block does not contain its unpacked size: the buffer grows fourfold until the bytes fit, up to `limit` or the most
/// that the block can unpack to.
///
/// # Errors
///
/// If it is no such block, or unpacks to more.
pub fn unpack(block: &[u8], limit: usize) -> Result<Vec<u8>, UnpackError> {
    // a byte of a block unpacks to 255 at the most
    let most = block.len().saturating_mul(255).saturating_add(64);
    let mut room = block.len().saturating_mul(4).saturating_add(64);
    loop {
        let mut bytes = vec![0; room.min(most).min(limit)];
        match decompress_into(block, &mut bytes) {
            Ok(size) => {
                bytes.truncate(size);
                return Ok(bytes);
            }
            Err(DecompressError::OutputTooSmall { .. }) if bytes.len() == limit => {
                return Err(UnpackError::TooLarge { limit });
            }
            Err(DecompressError::OutputTooSmall { .. }) if bytes.len() < most => room = room.saturating_mul(4),
            Err(error) => return Err(UnpackError::Malformed(error.to_string())),
        }
    }
}

/// Checks that there is room for `bytes` bytes, for `beside` others that are held meanwhile, and for the object that the
/// bytes are decoded to. A byte becomes one value at the most.
pub(super) fn room_for_object(bytes: usize, beside: usize, max_memory: usize) -> Result<(), OverBudget> {
    let mut budget = Budget::new(max_memory);
    budget.take(beside)?;
    budget.take(bytes)?;
    budget.room_for(bytes.saturating_mul(size_of::<LuaSaveData<'_>>()))
}

/// Packs `bytes` into a raw LZ4 block.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    compress(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let block = hex("80 4c55410000000105 0500 c0 02000000 02006d6f64650800");
        let bytes = hex("4c5541 00000001 05 00000001 02 00 00 00 02 00 6d6f6465 08 00");
        assert_eq!(unpack(&block, MAX_UNPACKED), Ok(bytes.clone()));
        assert_eq!(unpack(&pack(&bytes), MAX_UNPACKED), Ok(bytes));
    }

    #[test]
    fn a_block_unpacks_to_no_more_than_it_may() {
        let zeros = vec![0; 1 << 20];
        let block = pack(&zeros);
        assert!(block.len() < 5000);
        assert_eq!(unpack(&block, 1 << 20), Ok(zeros));
        assert_eq!(unpack(&block, (1 << 20) - 1), Err(UnpackError::TooLarge { limit: (1 << 20) - 1 }));
        for cut in 0..block.len() {
            assert!(unpack(&block[..cut], 1 << 20).map_or(true, |bytes| bytes.len() < 1 << 20));
        }
        assert!(matches!(unpack(&[0xff; 40], 1 << 20), Err(UnpackError::Malformed(_) | UnpackError::TooLarge { .. })));
        assert!(matches!(unpack(&[], 1 << 20), Err(UnpackError::Malformed(_))));
    }

    #[test]
    fn an_object_has_room_to_the_byte() {
        let most = 5 + 10 + 10 * size_of::<LuaSaveData<'_>>();
        assert_eq!(room_for_object(10, 5, most), Ok(()));
        assert_eq!(room_for_object(10, 5, most - 1), Err(OverBudget { limit: most - 1 }));
    }
}

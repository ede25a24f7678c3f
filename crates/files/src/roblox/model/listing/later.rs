//! Values that are read when they are asked for.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use bstr::{BStr, ByteSlice};

use super::stored::{StoredBytes, StoredChunk};
use super::Listing;
use crate::roblox::model::binary::Pieces;
use crate::roblox::model::error::{ModelError, ValueError};
use crate::roblox::model::property::{Place, Property};
use crate::roblox::model::window::Window;
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{ByteString, IntoByteString};

/// The file with such values, and the chunk that was read last, from where it was left.
pub(super) type Later = Mutex<(Window<File>, Option<Pieces>)>;

impl Listing {
    /// Keeps the file, if values are to be read from it.
    pub(in crate::roblox::model) fn with_file(mut self, file: Window<File>) -> Self {
        let is_needed = self.properties.iter().any(|stored| matches!(stored.bytes, StoredBytes::Later(_)));
        self.later = is_needed.then(|| Box::new(Mutex::new((file, None))));
        self
    }

    /// The bytes of a property: those of [`Property::bytes`], or those in the file, if the listing does not have them in memory. Several
    /// are read fastest in the order of the file.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn read<'l>(&self, property: &Property<'l>) -> Result<ByteString<'l>, ValueError> {
        match property.bytes {
            Err(ValueError::Later { length }) => {
                let again = |reason: String| ValueError::Again(reason.into());
                let bytes = self.again(&property.place, length, property.kind.prefix().len());
                let bytes = bytes.map_err(|error| again(error.to_string()))?;
                let bytes = bytes.ok_or_else(|| again("the file has changed".to_owned()))?;
                let gone = bytes.len().saturating_sub(property.kind.content(bytes.as_bstr())?.len());
                Ok(bytes.into_iter().skip(gone).collect::<Vec<_>>().into_byte_string())
            }
            _ => property.bytes.clone().map(ByteString::from),
        }
    }

    /// The property with the bytes that [`read`](Self::read) gives.
    pub fn with_bytes<T>(&self, property: Property<'_>, work: impl FnOnce(Property<'_>) -> T) -> T {
        let Err(ValueError::Later { .. }) = property.bytes else { return work(property) };
        match self.read(&property) {
            Ok(bytes) => work(Property { bytes: Ok(&bytes), ..property }),
            Err(error) => work(Property { bytes: Err(error), ..property }),
        }
    }

    /// The bytes at a place, which has `length` of them and begins after a prefix; `None` if the file has something else there.
    fn again(&self, place: &Place, length: u32, prefix: usize) -> Result<Option<Vec<u8>>, ModelError> {
        let (Some(later), Place::Binary(place)) = (&self.later, place) else { return Ok(None) };
        let mut later = later.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, last) = &mut *later;
        let start = place.offset.saturating_sub(to_u64(prefix)).saturating_sub(4);
        let is_after = |pieces: &Pieces| pieces.chunk.offset == place.chunk && pieces.offset() <= start;
        let pieces = match last.take().filter(is_after) {
            Some(pieces) => last.insert(pieces),
            None => {
                let is_it = |stored: &&StoredChunk| stored.chunk.offset == place.chunk;
                let chunk =
                    self.chunks.iter().find(is_it).and_then(|stored| Pieces::new(stored.chunk, place.compression));
                match chunk {
                    Some(pieces) => last.insert(pieces),
                    None => return Ok(None),
                }
            }
        };
        pieces.skip(file, start.saturating_sub(pieces.offset()))?;
        let string: &BStr = pieces.string(file, &Budget::new(to_usize(length).saturating_add(4)), 0)?;
        Ok((to_u64(string.len()) == u64::from(length)).then(|| string.to_vec()))
    }
}

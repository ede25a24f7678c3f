//! The storage of instances and properties in a listing. Each takes few bytes, because a small file can have millions.

use crate::roblox::model::binary::{ChunkRef, Compression};
use crate::roblox::model::kind::Kind;

/// A part of the text of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Text {
    pub(super) start: u32,
    pub(super) length: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredClass {
    pub(super) name: Text,
    /// The offset of its INST chunk in a binary file.
    pub(super) offset: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredInstance {
    pub(crate) class: u32,
    /// The index of its parent; [`NONE`] at the root.
    pub(crate) parent: u32,
    pub(crate) name: Text,
    pub(crate) referent: StoredReferent,
    /// Its index in the INST chunk of a binary file, or the offset of its element in an XML file.
    pub(crate) place: u64,
    /// Its number among the instances with its parent and name, from 1 on; 0 if there are no others, or they are not known.
    pub(crate) number: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredReferent {
    Number(i32),
    Text(Text),
}

/// A number of 8 bytes that takes no room before it.
pub(crate) type Bytes = [u8; 8];

/// The index of no instance.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredProperty {
    pub(crate) instance: u32,
    pub(crate) kind: Kind,
    pub(crate) place: StoredPlace,
    pub(crate) bytes: StoredBytes,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredPlace {
    /// The PROP chunk and the one with the bytes, as indices into the chunks of the listing. The index in the PROP chunk is that of the
    /// instance in its INST chunk.
    Binary { property: u32, chunk: u32, offset: u32 },
    /// An index into the elements of the listing.
    Xml(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredBytes {
    Here(Text),
    /// This many bytes, which are read when they are asked for.
    Later(u32),
    /// A shared string of a binary file that is missing or not read yet: its index.
    Shared(u32),
    /// A shared string of an XML file that is missing or not read yet: its key.
    Key(Text),
    /// A text that is not base64: its offset in the file.
    Base64(Bytes),
    /// A text with character references that is not base64: the offset of the first.
    References(Bytes),
}

/// An attribute that holds a reference: its instance, its name, the text of the reference, and the index of the instance with this
/// referent or [`NONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredReference {
    pub(super) instance: u32,
    pub(super) key: Text,
    pub(super) text: Text,
    pub(super) target: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredChunk {
    pub(super) chunk: ChunkRef,
    pub(super) compression: Compression,
}

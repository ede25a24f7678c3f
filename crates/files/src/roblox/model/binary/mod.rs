//! The binary container: `.rbxm` and `.rbxl`.
//!
//! A file is a [`Header`] and then chunks; each is a [`ChunkHeader`] and a body that [stores](Compression) the data of
//! one of these:
//!
//! | name | data | how many | position |
//! |---|---|---|---|
//! | `META` | [`Meta`] | at most one | first |
//! | `SSTR` | [`Sstr`] | at most one | |
//! | `INST` | [`Inst`] | one for each class | |
//! | `PROP` | [`PropHead`], a value type, and values: [`StringProp`] | one for each property of a class | |
//! | `PRNT` | [`Prnt`] | one | |
//! | `END` | `</roblox>` | one | last |
//!
//! Numbers are little-endian, a String is a uint32 length and bytes; [`referents`](referents()) have an encoding of their own.

mod chunk;
mod chunk_ref;
mod compression;
mod edit;
mod file;
mod header;
mod inst;
mod list;
mod lz4;
mod meta;
mod pack;
mod pieces;
mod prnt;
mod prop;
mod referents;
mod reserved;
mod sstr;
mod unpack;
mod values;

pub use chunk::{chunk, chunk_header, gen_chunk, gen_chunk_header, Chunk, ChunkHeader, ChunkName};
pub use compression::{Compression, UnpackError};
pub use header::{gen_header, header, Header, MAGIC};
pub use inst::{gen_inst, inst, Inst};
pub use meta::{gen_meta, meta, Meta};
pub use pack::Store;
pub use prnt::{gen_prnt, prnt, Prnt};
pub use prop::{
    gen_prop_head, gen_string_prop, prop_head, string_values, value_type, PropHead, StringProp, SHARED_STRING, STRING,
};
pub use referents::{gen_interleaved, gen_referents, interleaved, referents};
pub use sstr::{gen_shared_string, gen_sstr, shared_string, sstr, SharedString, Sstr};
pub use unpack::unpack;

pub(super) use chunk_ref::ChunkRef;
pub(super) use edit::{edit, edit_to};
pub(super) use list::list;
pub(super) use pieces::Pieces;

//! Variant: a value of any type.

mod collections;
mod container_type;
mod convert;
mod encoding;
pub(super) mod generator;
mod header;
mod labels;
pub(super) mod parser;
mod table;
pub(super) mod value;

pub use container_type::{container_type, ContainerType};
pub(super) use encoding::{contents, payload, wide, Encoding, Payload};
pub use generator::gen_variant;
#[cfg(feature = "text")]
pub(super) use generator::inside;
pub(super) use generator::leaf_error;
pub(super) use header::Written;
pub(super) use header::WIDE;
pub use header::{header, Header};
#[cfg(feature = "text")]
pub(super) use labels::{ARRAY, DICTIONARY};
pub use parser::variant;
#[cfg(feature = "text")]
pub(super) use parser::{begin, items, Begun};
pub(super) use parser::{values, Building};
pub(super) use table::type_table;
pub use value::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant};

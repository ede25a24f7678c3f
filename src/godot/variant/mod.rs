//! Variant: a value of any type.

mod collections;
mod container_type;
mod convert;
mod generator;
mod header;
mod labels;
mod parser;
mod payload;
mod table;
mod value;

pub use container_type::{container_type, ContainerType};
pub use generator::gen_variant;
#[cfg(feature = "text")]
pub(super) use generator::inside;
pub(super) use generator::{leaf_error, within_depth, within_entry, within_item};
#[cfg(feature = "text")]
pub(super) use header::WIDE;
pub use header::{header, Header};
pub(super) use labels::{ARRAY, DICTIONARY};
pub use parser::variant;
#[cfg(feature = "text")]
pub(super) use parser::{begin, items, Begun};
pub(super) use parser::{count, known, values, Building, Encoding};
#[cfg(feature = "text")]
pub(super) use payload::Payload;
pub(super) use table::type_table;
pub use value::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant};

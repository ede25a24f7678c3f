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
pub use header::{header, Header};
pub use parser::variant;
#[cfg(feature = "json")]
pub(super) use table::type_table;
pub use value::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant};

//! Formats and values that are known only at run time: see [`formats`](crate::formats).

mod any;
mod bare;
mod described;
mod editor;
mod json_writer;
pub(crate) mod node;
mod options;
pub(crate) mod part;
mod path;
pub(crate) mod plain;
pub(crate) mod plain_json;
pub(crate) mod reader;
mod splice;

pub use any::{
    AnyFormat, Checked, Confidence, Counts, DecodeJsonError, Detectable, Detection, EmptyForm, JsonStream, Recovered,
    TypeRow,
};
pub(crate) use described::{check_as_stream, rewrite};
pub use described::{Described, Edited, FromText, JsonItems, OptionsOf, ValueOf};
pub use editor::{change, change_all, Editor};
pub use json_writer::{JsonForm, JsonWriter};
pub use node::{at, Contents, Edit, EditError, Node, Notation, TypedText};
pub use options::{Accepts, FormatOptions, OptionError, OptionRow, OptionValue};
pub use options::{DRAFT_TYPES, MAX_DEPTH, MAX_MEMORY, RESYNC, TRAILING_BYTES};
pub use part::{part_names, Found, Part};
pub use path::{leading_path, leading_quoted, write_quoted, Step, ValuePath};
pub use plain::{set_plain, Plain};
pub use plain_json::PlainJson;

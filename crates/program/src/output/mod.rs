//! Output of commands: data, trees, tables and messages.

pub mod console;
pub mod csv;
pub mod escape;
pub mod html;
pub mod layout;
pub mod name;
pub mod selection;
pub mod styled_text;
pub mod summary;
pub mod text;
pub mod theme;
pub mod tree_json;

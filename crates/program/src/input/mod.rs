//! Input of commands: files, the values in them, and models.

pub mod assignment;
pub mod containers;
pub mod document;
pub mod each;
pub mod filter;
pub mod instance_path;
pub mod models;
pub mod objects;
pub mod opened;
pub mod pattern;
pub mod wanted;

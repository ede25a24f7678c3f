//! Roblox model and place files: the properties of instances that hold attributes, and tags.
//!
//! `.rbxm` and `.rbxl` are one [binary] container, `.rbxmx` and `.rbxlx` one XML form; the first bytes tell which it is.
//!
//! | what | how |
//! |---|---|
//! | find every such property | [`list`], [`list_bytes`] |
//! | its attributes | [`Property::decode`] |
//! | change some | [`edit()`] |
//! | reuse in a larger parser | the structures of the [binary] container |
//!
//! ```
//! use std::fs::File;
//! use enginewire::roblox::{attributes, model};
//!
//! # fn print(path: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let listing = model::list(File::open(path)?, &model::Options::new())?;
//! for property in listing.properties() {
//!     println!("{}: {:?}", listing.path(property.instance), property.decode(&attributes::Options::new()));
//! }
//! # Ok(()) }
//! ```
//!
//! # What is read
//!
//! Of a binary file INST and PRNT, the PROP chunks of these properties, and the names of the instances that have them. Of
//! any other PROP no more is unpacked than its name, and of values that are all empty nothing. One chunk is held at a time.
//!
//! Whatever is wrong with a value stays with it ([`Property::bytes`], [`Property::decode`]), and what is wrong with a
//! chunk or the end of the file is one of [`Listing::problems`]: the rest is listed all the same.

pub mod binary;
#[cfg(feature = "json")]
mod container;
mod edit;
mod error;
mod listing;
mod lookup;
mod options;
mod window;
mod xml;

use std::io::{Cursor, Read, Seek};

pub use binary::{ChunkHeader, ChunkName, Compression, Store, UnpackError};
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub use container::{is_attributes, owner, place, stored, ModelFile};
pub use edit::{edit, Change};
pub use error::{ChunkFault, ModelError, ValueError};
pub use listing::{
    BinaryPlace, Instance, InstancePlace, Kind, Listing, Place, Property, PropertyError, Referent, XmlPlace,
};
pub use options::Options;

use crate::wire::{to_u64, to_usize};
use window::Window;

/// How a file is written.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `.rbxm`, `.rbxl`
    Binary,
    /// `.rbxmx`, `.rbxlx`
    Xml,
}

impl FileKind {
    /// How a file is written that begins like this; `None` if it is no model.
    ///
    /// ```
    /// use enginewire::roblox::model::FileKind;
    ///
    /// assert_eq!(FileKind::of(b"<roblox!\x89\xff\r\n"), Some(FileKind::Binary));
    /// assert_eq!(FileKind::of(b"\n<roblox version"), Some(FileKind::Xml));
    /// assert_eq!(FileKind::of(b"<?xml version=\"1.0\"?><!-- Made by hand --><roblox version"), Some(FileKind::Xml));
    /// assert_eq!(FileKind::of(b"<roblo"), None);
    /// ```
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(binary::MAGIC) {
            Some(FileKind::Binary)
        } else {
            xml::is_xml(head).then_some(FileKind::Xml)
        }
    }

    /// How many bytes of a file tell: comments may come first, but no more of them.
    pub const HEAD: usize = 4096;
}

/// Every property that holds attributes or tags.
///
/// # Errors
///
/// If it cannot be read, or is no model. What is wrong with a part of it is one of [`Listing::problems`].
pub fn list<R: Read + Seek>(file: R, options: &Options) -> Result<Listing, ModelError> {
    let mut file = Window::open(file)?;
    match FileKind::of(file.view(0, to_u64(FileKind::HEAD))?) {
        Some(FileKind::Binary) => binary::list(file, options),
        Some(FileKind::Xml) => {
            let mut budget = options.budget();
            budget.take(to_usize(file.length()))?;
            Ok(xml::list(file.view(0, file.length())?, options, &mut budget))
        }
        None => Err(ModelError::NotAModel),
    }
}

/// Every property that holds attributes or tags, of a file in memory.
///
/// # Errors
///
/// As for [`list`].
pub fn list_bytes(file: &[u8], options: &Options) -> Result<Listing, ModelError> {
    match FileKind::of(file) {
        Some(FileKind::Binary) => binary::list(Window::open(Cursor::new(file))?, options),
        Some(FileKind::Xml) => Ok(xml::list(file, options, &mut options.budget())),
        None => Err(ModelError::NotAModel),
    }
}

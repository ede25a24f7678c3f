//! Roblox model and place files: the properties of instances that hold attributes or tags.
//!
//! `.rbxm` and `.rbxl` files are [binary], `.rbxmx` and `.rbxlx` files are XML. They are detected by their first bytes.
//!
//! | to | use |
//! |---|---|
//! | list these properties | [`list`], [`list_bytes`]; [`list_file`] for files with much in them |
//! | decode their attributes | [`Property::decode`], [`Listing::attributes_of`] |
//! | find the instances with a tag | [`Listing::instances_with_tag`] |
//! | change some of them | [`edit()`]; [`edit_to`] for files of any size |
//! | make a change | [`Listing::set_attributes`], [`Listing::set_tags`], [`Change`] |
//! | add and remove tags | [`Tags`] |
//! | build a larger parser | the structures in [binary] |
//!
//! ```
//! use std::fs::File;
//! use enginewire::roblox::attributes;
//! use enginewire_files::roblox::model;
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
//! Of a binary file: the INST and PRNT chunks, the PROP chunks of these properties, and those of the names of the instances.
//! Of any other PROP chunk only the start is unpacked, to read its name; chunks whose values are all empty are mostly not
//! unpacked at all. One chunk is in memory at a time.
//!
//! An error in a value is in [`Property::bytes`] or the result of [`Property::decode`]. An error in a chunk or at the end of
//! the file is one of [`Listing::problems`]. Everything else is listed all the same. What Roblox Studio reads although it is
//! not valid is one of [`Listing::warnings`].

pub mod binary;
mod change;
mod container;
mod edit;
mod error;
mod instance;
mod kind;
mod listing;
mod options;
mod property;
mod reference;
mod window;
mod xml;

use std::fs::File;
use std::io::{Cursor, Read, Seek};

pub use binary::{ChunkHeader, ChunkName, Compression, Store, UnpackError};
pub use change::Change;
pub use container::{
    address, address_of_kind, address_text, is_attributes, owner, owner_of_reference, place, stored, ModelFile,
};
pub(crate) use container::{class_text, members, shown_kind, tag_texts};
pub use edit::{edit, edit_to};
pub use enginewire::roblox::{TagError, Tags};
pub use error::{ChunkFault, ModelError, ValueError};
pub use instance::{Instance, InstancePlace, Referent};
pub use kind::Kind;
pub use listing::Listing;
pub use options::Options;
pub use property::{BinaryPlace, Place, Property, PropertyError, XmlPlace};
pub use reference::AttributeReference;

use enginewire::number::to_u64;
use window::Window;

/// The two kinds of file.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// `.rbxm`, `.rbxl`
    Binary,
    /// `.rbxmx`, `.rbxlx`
    Xml,
}

impl FileKind {
    /// Detects the kind of file by its first bytes; `None` if they are not of a model or place file.
    ///
    /// ```
    /// use enginewire_files::roblox::model::FileKind;
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

    /// The number of bytes of a file that [`of`](Self::of) needs. XML comments may come first, within these bytes.
    pub const HEAD: usize = 4096;
}

/// Lists every property that holds attributes or tags.
///
/// # Errors
///
/// If the file cannot be read, or is not a model or place file. An error in a part of it is one of [`Listing::problems`].
pub fn list<R: Read + Seek>(file: R, options: &Options) -> Result<Listing, ModelError> {
    let mut file = Window::open(file)?;
    match FileKind::of(file.view(0, to_u64(FileKind::HEAD))?) {
        Some(FileKind::Binary) => binary::list(file, options),
        Some(FileKind::Xml) => Ok(xml::list(&mut file, options, &mut options.budget())),
        None => Err(ModelError::NotAModel),
    }
}

/// As [`list`], but values that would take too much memory are not kept: [`Listing::read`] reads them from the file, which must not
/// change before. A place whose attributes are larger than the memory for them can be listed like this.
///
/// # Errors
///
/// As for [`list`].
pub fn list_file(file: File, options: &Options) -> Result<Listing, ModelError> {
    let again = file.try_clone()?;
    let listing = list(file, &options.later())?;
    Ok(listing.with_file(Window::open(again)?))
}

/// Lists every property that holds attributes or tags, of a file in memory.
///
/// # Errors
///
/// As for [`list`].
pub fn list_bytes(file: &[u8], options: &Options) -> Result<Listing, ModelError> {
    match FileKind::of(file) {
        Some(FileKind::Binary) => binary::list(Window::open(Cursor::new(file))?, options),
        Some(FileKind::Xml) => Ok(xml::list(&mut Window::open(Cursor::new(file))?, options, &mut options.budget())),
        None => Err(ModelError::NotAModel),
    }
}

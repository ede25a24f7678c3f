//! Containers: files that hold values of a format, such as model files, saves, blueprints, settings and dumps.
//!
//! [`ContainerKind::detect`] detects a container by its first bytes, and [`ContainerKind::open`] opens it. A
//! [`Container`] lists its values, each with an [`Address`], and gives the whole file with other bytes for some of them.
//!
//! ```
//! use enginewire_files::containers::{ContainerKind, FileSource, ValueChange};
//! use enginewire::formats::{self, FormatOptions};
//!
//! let file = b"ECFG\x01\0\0\0\x04\0\0\0name\x08\0\0\0\x02\0\0\0\x2a\0\0\0".to_vec();
//! let (kind, options) = (ContainerKind::detect(&file).unwrap(), FormatOptions::new());
//! let container = kind.open(FileSource::Bytes(file), None, &options)?;
//! let values = container.list()?;
//! assert_eq!(values[0].address.to_string(), "name");
//! assert_eq!(values[0].formats, ["godot-3", "godot-4"]);
//!
//! let format = formats::by_name("godot-4").unwrap();
//! let other = format.encode_json(br#"{"format":"godot-variant","version":4,"type":"int","value":7}"#, &options)?;
//! let changed = container.changed(&[ValueChange::Replace { address: &values[0].address, bytes: &other }])?;
//! assert!(changed.ends_with(b"\x02\0\0\0\x07\0\0\0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};
use std::fs::File;
use std::hash::Hasher;
#[cfg(feature = "godot")]
use std::hash::{BuildHasher, Hash, RandomState};
use std::io::{self, Read, Write};
use std::ops::{ControlFlow, Deref};
use std::path::PathBuf;
use std::sync::OnceLock;

use bstr::BStr;
use serde_json::Value;
use thiserror::Error;

use crate::address::{Address, Syntax};
#[cfg(feature = "godot")]
use crate::godot::{project, PACK_MAGIC};
#[cfg(feature = "roblox")]
use crate::roblox::model::{self, FileKind, Listing, Property};
#[cfg(feature = "scrap_mechanic")]
use crate::scrap_mechanic::blueprint::is_blueprint;
use enginewire::formats::FormatOptions;
#[cfg(any(feature = "roblox", feature = "godot"))]
use enginewire::formats::RESYNC;
#[cfg(feature = "godot")]
use enginewire::godot::{Framing, GodotFormat, Version};
use enginewire::number::to_u64;
#[cfg(feature = "roblox")]
use enginewire::signature::changed_model;

/// A file that holds values of a format.
pub trait Container: Debug {
    /// Calls `each` with every value, in the order of the file, until it breaks. An error in one value is in its
    /// [`Embedded::bytes`], and the others follow.
    ///
    /// # Errors
    ///
    /// If the rest of the file cannot be read.
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError>;

    /// The whole file with these changes, and nothing else changed. The file itself is not written to.
    ///
    /// ```
    /// use enginewire_files::address::{Address, Component, Syntax};
    /// use enginewire_files::containers::{Addition, ContainerKind, FileSource, ValueChange};
    /// use enginewire::formats::FormatOptions;
    ///
    /// let file = b"ECFG\x01\0\0\0\x04\0\0\0name\x04\0\0\0\0\0\0\0".to_vec();
    /// let container = ContainerKind::Project.open(FileSource::Bytes(file), None, &FormatOptions::new())?;
    /// let name = &container.list()?[0].address;
    /// let level = Address::new(Syntax::Keys, [Component::name("level")]);
    /// let added = Addition { address: &level, bytes: b"\0\0\0\0", about: &[], is_first: false };
    /// let changed = container.changed(&[ValueChange::Remove(name), ValueChange::Add(added)])?;
    /// assert_eq!(changed, b"ECFG\x01\0\0\0\x05\0\0\0level\x04\0\0\0\0\0\0\0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no value has one of the addresses, two changes have the same address, the new bytes are not a value that the container
    /// can hold, the file has no place for more or fewer values, a new value cannot have its address, the file cannot be read, or
    /// more memory would be needed than allowed.
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError>;

    /// Writes what [`changed`](Self::changed) gives. Of a binary model, only one chunk is in memory at a time; a save is copied to
    /// a temporary file, and changed there.
    ///
    /// # Errors
    ///
    /// The same, or if writing fails. A part of the file may then be written.
    fn rewrite(&self, changes: &[ValueChange<'_>], to: &mut dyn Write) -> Result<(), ContainerError> {
        Ok(to.write_all(&self.changed(changes)?)?)
    }

    /// Makes the changes in the file itself, in one transaction: saves that were opened as files. `None` if other files are to be
    /// written anew.
    fn change_in_place(&self, changes: &[ValueChange<'_>]) -> Option<Result<(), ContainerError>> {
        let _ = changes;
        None
    }

    /// The name of the format of all values, if the file specifies it.
    fn format(&self) -> Option<&'static str> {
        None
    }

    /// Warnings: faults of the file that do not prevent reading. Each is a text with an offset.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Calls `each` with every instance of a model, also with those without values, and then with every value, until it breaks.
    /// Other containers have no instances. The file is read once.
    ///
    /// # Errors
    ///
    /// As for [`values`](Self::values).
    fn contents(&self, each: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        self.values(&mut |value| each(Listed::Value(value)))
    }

    /// Every value, in the order of the file. Together they may take much more memory than one;
    /// [`values`](Self::values) holds one at a time.
    ///
    /// # Errors
    ///
    /// As for [`values`](Self::values).
    fn list(&self) -> Result<Vec<Embedded<'static>>, ContainerError> {
        let mut all = Vec::new();
        self.values(&mut |value| {
            all.push(value.into_owned());
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }
}

/// An instance or a value.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // there is one at a time
pub enum Listed<'c> {
    /// An instance of a model: its address and its class.
    Instance(&'c ValueAddress<'c>, &'c BStr),
    /// A value.
    Value(Embedded<'c>),
}

/// The kinds of containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContainerKind {
    /// A Roblox model or place file.
    #[cfg(feature = "roblox")]
    Model(FileKind),
    /// Consecutive Roblox remote packets.
    #[cfg(feature = "roblox")]
    Packets,
    /// Roblox remote packets, each a line of hexadecimal digits.
    #[cfg(feature = "roblox")]
    PacketLines,
    /// A Scrap Mechanic save. It is opened only with the feature `saves`.
    #[cfg(feature = "scrap_mechanic")]
    Save,
    /// A Scrap Mechanic blueprint.
    #[cfg(feature = "scrap_mechanic")]
    Blueprint,
    /// The settings of a Godot project, `project.binary`.
    #[cfg(feature = "godot")]
    Project,
    /// A Godot pack, `.pck`, or a program with one at its end. The bytes of its values are files.
    #[cfg(feature = "godot")]
    Pack,
    /// A compiled script, `.gdc`. Its values cannot be changed.
    #[cfg(feature = "godot")]
    Script,
    /// The unique ids of the files of a Godot project, `uid_cache.bin`.
    #[cfg(feature = "godot")]
    UidCache,
    /// A Godot `ConfigFile` as text, `project.godot` and the like.
    #[cfg(feature = "godot")]
    Config,
    /// Godot values, each with its length before it.
    #[cfg(feature = "godot")]
    Frames(Framing),
    /// Consecutive Godot values of a version.
    #[cfg(feature = "godot")]
    Values(Version),
    /// Packets of Godot's `SceneMultiplayer`, each a line of hexadecimal digits.
    #[cfg(feature = "godot")]
    ScenePackets,
    /// A scene of Godot, whose nodes have values: see [`is_scene`](enginewire::godot::resource::is_scene).
    #[cfg(feature = "godot")]
    Scene,
    /// A scene or resource of Godot as text, `.tscn` or `.tres`.
    #[cfg(feature = "godot")]
    TextResource,
}

/// A row of the table of kinds: the kind, its name, the formats of the values, and the form of their addresses. The function is true
/// for the first bytes of such a file; packets, frames and Godot values have none, because they have no signature.
type KindRow = (ContainerKind, &'static str, &'static [&'static str], Syntax, Option<fn(&[u8]) -> bool>);

#[cfg(feature = "godot")]
const VERSIONS: &[&str] = &["godot-3", "godot-4"];

impl ContainerKind {
    /// Every kind. They are detected in this order.
    const KINDS: &[&[KindRow]] = &[
        #[cfg(feature = "roblox")]
        &[
            (
                Self::Model(FileKind::Binary),
                "rbxm",
                &["roblox-attributes"],
                Syntax::Instances,
                Some(|head| is_model(head, FileKind::Binary)),
            ),
            (
                Self::Model(FileKind::Xml),
                "rbxmx",
                &["roblox-attributes"],
                Syntax::Instances,
                Some(|head| is_model(head, FileKind::Xml)),
            ),
            (Self::Packets, "roblox-packets", &["roblox-remote"], Syntax::Items, None),
            (Self::PacketLines, "roblox-packet-lines", &["roblox-remote"], Syntax::Items, None),
        ],
        #[cfg(feature = "scrap_mechanic")]
        &[
            (Self::Save, "scrap-mechanic-save", &["scrap-mechanic-lua"], Syntax::Items, Some(is_save)),
            (Self::Blueprint, "scrap-mechanic-blueprint", &["scrap-mechanic-lua"], Syntax::Items, Some(is_blueprint)),
        ],
        #[cfg(feature = "godot")]
        &[
            (Self::Scene, "godot-scene", VERSIONS, Syntax::Nodes, Some(enginewire::godot::resource::is_scene)),
            (Self::Project, "godot-project", VERSIONS, Syntax::Keys, Some(|head| head.starts_with(project::MAGIC))),
            (Self::Pack, "godot-pack", &[], Syntax::Entries, Some(|head| head.starts_with(PACK_MAGIC))),
            (Self::Script, "godot-script", VERSIONS, Syntax::Items, Some(crate::godot::is_script)),
            (Self::UidCache, "godot-uid-cache", &["godot-4"], Syntax::Keys, Some(crate::godot::is_uid_cache)),
            (Self::TextResource, "godot-text", VERSIONS, Syntax::Nodes, Some(crate::godot::is_text_resource)),
            (Self::Config, "godot-config", VERSIONS, Syntax::Settings, Some(crate::godot::is_config)),
            (Self::Frames(Framing::LittleEndian), "godot-frames-le", VERSIONS, Syntax::Items, None),
            (Self::Frames(Framing::BigEndian), "godot-frames-be", VERSIONS, Syntax::Items, None),
            (Self::Values(Version::V3), "godot-values", &["godot-3"], Syntax::Items, None),
            (Self::Values(Version::V4), "godot-values", &["godot-4"], Syntax::Items, None),
            (Self::ScenePackets, "godot-packets", &["godot-4"], Syntax::Items, None),
        ],
    ];

    /// Every kind. They are detected in this order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::KINDS.iter().copied().flatten().map(|row| row.0)
    }

    fn row(self) -> KindRow {
        let none = (self, "", &[][..], Syntax::Items, None);
        // every kind has a row
        Self::KINDS.iter().copied().flatten().find(|row| row.0 == self).copied().unwrap_or(none)
    }

    /// Its name: `"godot-project"`. Those of values without lengths, of both versions, have the same.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The kinds with this name: none, one, or the versions of `"godot-values"`.
    ///
    /// ```
    /// use enginewire_files::containers::ContainerKind;
    ///
    /// assert_eq!(ContainerKind::named("godot-pack").collect::<Vec<_>>(), [ContainerKind::Pack]);
    /// ```
    pub fn named(name: &str) -> impl Iterator<Item = Self> + '_ {
        Self::all().filter(move |kind| kind.name() == name)
    }

    /// Detects a container by the first 4,096 bytes of a file: a blueprint is an object in JSON with the member `bodies`. Packets, frames and Godot values cannot be detected: they have no
    /// signature.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        Self::KINDS.iter().copied().flatten().find(|row| row.4.is_some_and(|begins| begins(head))).map(|row| row.0)
    }

    /// Why a file with these first bytes is not of this kind, if they tell another one. A model always begins as such.
    #[must_use]
    pub fn refusal(self, head: &[u8]) -> Option<String> {
        let begins = self.row().4?;
        let (is_model, name) = (self.syntax() == Syntax::Instances, self.name());
        let found = match Self::detect(head) {
            _ if begins(head) => return None,
            Some(found) => format!(": the file is of the kind {}", found.name()),
            None if is_model => {
                crate::guess::signature(head).map_or(String::new(), |found| format!(": {}", found.about))
            }
            None => return None,
        };
        Some(format!("not {} {name} file{found}", if is_model { "an" } else { "a" }))
    }

    /// True if a log beside the file may have more than the file.
    pub(crate) fn has_log(self) -> bool {
        self.name() == "scrap-mechanic-save"
    }

    /// The form of the addresses of its values.
    #[must_use]
    pub fn syntax(self) -> Syntax {
        self.row().3
    }

    /// The names of the formats that its values can have. For settings and frames these are two, because their bytes do not
    /// tell the version.
    #[must_use]
    pub fn formats(self) -> &'static [&'static str] {
        self.row().2
    }

    /// Opens a container. It takes no more memory than the option `max_memory` allows. The values of a ConfigFile are read in the
    /// format, if one is given, also if the file specifies another.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no such container.
    pub fn open(
        self,
        source: FileSource,
        format: Option<&str>,
        options: &FormatOptions,
    ) -> Result<Box<dyn Container>, ContainerError> {
        let (max_memory, trailing) = (options.max_memory(), options.is(&enginewire::formats::TRAILING_BYTES));
        Ok(match self {
            #[cfg(feature = "roblox")]
            ContainerKind::Model(_) => {
                Box::new(crate::roblox::model::ModelFile::new(source, max_memory).trailing_bytes(trailing))
            }
            #[cfg(feature = "roblox")]
            ContainerKind::Packets | ContainerKind::PacketLines => {
                use enginewire::formats::Described;
                let resync = options.is(&RESYNC);
                let options = enginewire::roblox::remote::RemoteFormat::options(options);
                let is_hex = matches!(self, ContainerKind::PacketLines);
                let dump = crate::roblox::Dump::new(source.bytes(max_memory)?, is_hex, options);
                Box::new(dump.max_memory(max_memory).resync(resync))
            }
            #[cfg(feature = "saves")]
            ContainerKind::Save => Box::new(crate::scrap_mechanic::save::SaveFile::open(source, max_memory)?),
            #[cfg(all(feature = "scrap_mechanic", not(feature = "saves")))]
            ContainerKind::Save => {
                let reason = "the file is a database, which the library opens only with its feature saves";
                return Err(ContainerError::Refused(reason.to_owned()));
            }
            #[cfg(feature = "scrap_mechanic")]
            ContainerKind::Blueprint => {
                let text = source.bytes(max_memory)?;
                Box::new(crate::scrap_mechanic::blueprint::Blueprint::open(text, max_memory, trailing)?)
            }
            #[cfg(feature = "godot")]
            ContainerKind::Project => {
                let file = crate::godot::SettingsFile::open(source.bytes(max_memory)?, max_memory)?;
                Box::new(file.trailing_bytes(trailing))
            }
            #[cfg(feature = "godot")]
            ContainerKind::Pack => {
                let key = crate::godot::encrypted::Key::given(options);
                Box::new(crate::godot::PackFile::open(source, max_memory, key)?)
            }
            #[cfg(feature = "godot")]
            ContainerKind::Script => Box::new(crate::godot::ScriptFile::open(source.bytes(max_memory)?, max_memory)?),
            #[cfg(feature = "godot")]
            ContainerKind::UidCache => Box::new(crate::godot::UidCache::new(source.bytes(max_memory)?, max_memory)),
            #[cfg(feature = "godot")]
            ContainerKind::Config => {
                let file = crate::godot::ConfigFile::new(source.bytes(max_memory)?, max_memory);
                let version = format.and_then(|format| format.strip_prefix("godot-")?.parse().ok());
                let version = version.unwrap_or(file.version());
                Box::new(file.of_version(version))
            }
            #[cfg(feature = "godot")]
            ContainerKind::TextResource => {
                Box::new(crate::godot::TextResource::new(source.bytes(max_memory)?, max_memory))
            }
            #[cfg(feature = "godot")]
            ContainerKind::Scene => {
                let file = crate::godot::SceneFile::open(source.bytes(max_memory)?, max_memory)?;
                Box::new(file.trailing_bytes(trailing))
            }
            #[cfg(feature = "godot")]
            ContainerKind::Frames(framing) => {
                let file = crate::godot::FramedFile::new(source.bytes(max_memory)?, framing);
                Box::new(file.max_memory(max_memory).resync(options.is(&RESYNC)))
            }
            #[cfg(feature = "godot")]
            ContainerKind::Values(version) => {
                use enginewire::formats::Described;
                let options = match version {
                    Version::V3 => GodotFormat::<3>::options(options),
                    Version::V4 => GodotFormat::<4>::options(options),
                };
                let file = crate::godot::ValuesFile::new(source.bytes(max_memory)?, options);
                Box::new(file.max_memory(max_memory))
            }
            #[cfg(feature = "godot")]
            ContainerKind::ScenePackets => {
                Box::new(crate::godot::multiplayer::PacketLines::new(source.bytes(max_memory)?))
            }
        })
    }
}

/// True if a file begins as a model of this kind, and was not changed by a tool that takes it for text.
#[cfg(feature = "roblox")]
fn is_model(head: &[u8], kind: FileKind) -> bool {
    FileKind::of(head) == Some(kind) && changed_model(head).is_none()
}

#[cfg(feature = "scrap_mechanic")]
fn is_save(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

/// The source of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileSource {
    /// A file. Model files and saves are read in parts, others as a whole.
    File(PathBuf),
    /// All bytes of a file.
    Bytes(Vec<u8>),
}

impl FileSource {
    /// All bytes, if a file has no more than `limit`.
    pub(crate) fn bytes(self, limit: usize) -> Result<Vec<u8>, ContainerError> {
        let path = match self {
            FileSource::Bytes(bytes) => return Ok(bytes),
            FileSource::File(path) => path,
        };
        let mut bytes = Vec::new();
        File::open(path)?.take(to_u64(limit).saturating_add(1)).read_to_end(&mut bytes)?;
        within(bytes, limit)
    }
}

/// These bytes, if they are no more than `limit`.
pub(crate) fn within(bytes: Vec<u8>, limit: usize) -> Result<Vec<u8>, ContainerError> {
    within_limit(bytes.len(), limit)?;
    Ok(bytes)
}

/// Fails if a file of this length has more bytes than `limit`.
pub(crate) fn within_limit(length: usize, limit: usize) -> Result<(), ContainerError> {
    match length > limit {
        true => Err(ContainerError::TooLarge { what: "the file is larger than", limit }),
        false => Ok(()),
    }
}

/// Appends bytes to a file that is being written, which may get no larger than `limit`.
#[cfg(any(feature = "roblox", feature = "godot"))]
pub(crate) fn append(file: &mut Vec<u8>, bytes: &[u8], limit: usize) -> Result<(), ContainerError> {
    if file.len().saturating_add(bytes.len()) > limit {
        return Err(ContainerError::TooLarge { what: "the changed file is larger than", limit });
    }
    file.extend_from_slice(bytes);
    Ok(())
}

/// A member of a JSON object.
pub type Member = (&'static str, Value);

/// A value in a container.
#[derive(Debug)]
#[non_exhaustive]
pub struct Embedded<'c> {
    /// Its address. Several values of a broken file may have the same one.
    pub address: ValueAddress<'c>,
    /// The names of the formats that its bytes can have; none if they are not a value.
    pub formats: &'static [&'static str],
    /// Its bytes, unpacked, or why there are none.
    pub bytes: Result<Cow<'c, [u8]>, ContainerError>,
    /// The offset of its bytes in the file, unless they are compressed or encoded there.
    pub start: Option<u64>,
    /// The offset of the error in the file, if the value has no bytes and the offset is known.
    pub broken_at: Option<u64>,
    /// True if the value may continue after the end of the file: the packets of a dump do not contain their length. Any other
    /// value has all its bytes, so that one that ends too early is malformed:
    /// [`of_complete_input`](enginewire::DecodeError::of_complete_input).
    pub is_open: bool,
    /// The text of a value that cannot be read, if it is certain where the text ends. Such a value of a text can be replaced, and
    /// [`ValueChange::Text`] brings the text back.
    pub unread: Option<Cow<'c, [u8]>>,
    /// Its place as texts.
    pub about: About<'c>,
}

impl<'c> Embedded<'c> {
    /// A value with this address, these formats and these bytes. Everything else is unknown.
    #[must_use]
    pub fn new(
        address: Address,
        formats: &'static [&'static str],
        bytes: Result<impl Into<Cow<'c, [u8]>>, ContainerError>,
    ) -> Self {
        let (bytes, about) = (bytes.map(Into::into), About::default());
        Embedded {
            address: address.into(),
            formats,
            bytes,
            start: None,
            broken_at: None,
            is_open: false,
            unread: None,
            about,
        }
    }

    /// The same with these members.
    #[must_use]
    pub fn with_members(mut self, members: Vec<Member>) -> Self {
        self.about.members = members;
        self
    }

    /// The same with this description of where and how its bytes are stored.
    #[must_use]
    pub fn with_stored(mut self, stored: Option<String>) -> Self {
        self.about.stored = stored;
        self
    }

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Embedded<'static> {
        let Embedded { formats, start, broken_at, is_open, .. } = self;
        let address = self.address.into_address().into();
        let (bytes, about) = (self.bytes.map(|bytes| Cow::Owned(bytes.into_owned())), self.about.into_owned());
        let unread = self.unread.map(|text| Cow::Owned(text.into_owned()));
        Embedded { address, formats, bytes, start, broken_at, is_open, unread, about }
    }
}

/// The [`Address`] of a value. That of a property of a model, or of an instance, is made when it is asked for.
#[derive(Clone, Debug)]
pub struct ValueAddress<'c> {
    made: OnceLock<Address>,
    /// The instance or property whose address it is.
    #[cfg(feature = "roblox")]
    listed: Option<(&'c Listing, InListing)>,
    #[cfg(not(feature = "roblox"))]
    listed: std::marker::PhantomData<&'c ()>,
}

/// An index into a listing.
#[cfg(feature = "roblox")]
#[derive(Clone, Copy, Debug)]
enum InListing {
    Instance(usize),
    Property(usize),
}

#[cfg(feature = "roblox")]
impl<'c> ValueAddress<'c> {
    pub(crate) fn of_instance(listing: &'c Listing, index: usize) -> Self {
        ValueAddress { made: OnceLock::new(), listed: Some((listing, InListing::Instance(index))) }
    }

    pub(crate) fn of_property(listing: &'c Listing, index: usize) -> Self {
        ValueAddress { made: OnceLock::new(), listed: Some((listing, InListing::Property(index))) }
    }

    /// Its listing, its instance, and its property.
    fn listed(&self) -> Option<(&'c Listing, usize, Option<Property<'c>>)> {
        let (listing, at) = self.listed?;
        Some(match at {
            InListing::Instance(index) => (listing, index, None),
            InListing::Property(index) => {
                let property = listing.property_at(index)?;
                (listing, property.instance, Some(property))
            }
        })
    }
}

/// The end of the address of a property, after the names of its instance.
#[cfg(feature = "roblox")]
fn end(listing: &Listing, property: Option<&Property<'_>>) -> (Option<&'static BStr>, Option<u64>) {
    let kind = property.and_then(|property| model::shown_kind(property.kind));
    (kind.map(BStr::new), property.and_then(|property| listing.earlier(property)))
}

impl ValueAddress<'_> {
    /// The address itself.
    #[must_use]
    pub fn into_address(self) -> Address {
        let _ = &*self;
        self.made.into_inner().unwrap_or_else(Address::of_file)
    }

    /// As [`Address::is_file`].
    #[must_use]
    pub fn is_file(&self) -> bool {
        #[cfg(feature = "roblox")]
        if self.listed.is_some() {
            return false;
        }
        (**self).is_file()
    }

    /// As [`Address::hash_in_any_file`].
    pub fn hash_in_any_file(&self, state: &mut impl Hasher) {
        #[cfg(feature = "roblox")]
        if let Some((listing, instance, property)) = self.listed() {
            return listing.hash_address(instance, end(listing, property.as_ref()), state);
        }
        (**self).hash_in_any_file(state);
    }

    /// As [`Address::size`].
    #[must_use]
    pub fn size(&self) -> usize {
        #[cfg(feature = "roblox")]
        if let Some((listing, instance, property)) = self.listed() {
            let (property, _) = end(listing, property.as_ref());
            return listing.address_size(instance).saturating_add(property.map_or(0, |name| name.len()));
        }
        (**self).size()
    }
}

impl Deref for ValueAddress<'_> {
    type Target = Address;

    fn deref(&self) -> &Address {
        self.made.get_or_init(|| {
            #[cfg(feature = "roblox")]
            if let Some((listing, instance, property)) = self.listed() {
                return property
                    .map_or_else(|| listing.address(instance), |property| model::address(listing, &property));
            }
            Address::of_file()
        })
    }
}

impl From<Address> for ValueAddress<'_> {
    fn from(address: Address) -> Self {
        ValueAddress { made: address.into(), listed: Default::default() }
    }
}

impl fmt::Display for ValueAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "roblox")]
        if let (None, Some((listing, instance, property))) = (self.made.get(), self.listed()) {
            return listing.write_address(instance, end(listing, property.as_ref()), f);
        }
        fmt::Display::fmt(&**self, f)
    }
}

impl PartialEq for ValueAddress<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Address> for ValueAddress<'_> {
    fn eq(&self, other: &Address) -> bool {
        **self == *other
    }
}

/// The place of a value as texts. Those of a property of a model are made when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct About<'c> {
    members: Vec<Member>,
    stored: Option<String>,
    tags: Vec<String>,
    /// The property whose texts these are.
    #[cfg(feature = "roblox")]
    property: Option<(&'c Listing, Property<'c>)>,
    #[cfg(not(feature = "roblox"))]
    property: std::marker::PhantomData<&'c ()>,
}

impl<'c> About<'c> {
    /// Of a property of a model.
    #[cfg(feature = "roblox")]
    pub(crate) fn property(listing: &'c Listing, property: Property<'c>) -> Self {
        About { property: Some((listing, property)), ..About::default() }
    }

    /// The place of the value, as the members of a JSON object, for programs.
    #[must_use]
    pub fn members(&self) -> Cow<'_, [Member]> {
        #[cfg(feature = "roblox")]
        if let Some((listing, property)) = &self.property {
            return Cow::Owned(model::members(listing, property));
        }
        Cow::Borrowed(&self.members)
    }

    /// The members that the value was listed with. A property of a model has none: [`members`](Self::members) makes its own.
    #[must_use]
    pub fn given(&self) -> &[Member] {
        &self.members
    }

    /// The class of its instance, if it is in a model.
    #[must_use]
    pub fn class(&self) -> Option<Cow<'_, str>> {
        #[cfg(feature = "roblox")]
        if let Some((listing, property)) = &self.property {
            return listing.instance_of(property).map(|instance| model::class_text(instance.class));
        }
        self.members.iter().find(|(name, _)| *name == "class").and_then(|(_, class)| Some(class.as_str()?.into()))
    }

    /// The kind of the property, if it is one of a model.
    #[cfg(feature = "roblox")]
    #[must_use]
    pub fn kind(&self) -> Option<model::Kind> {
        self.property.as_ref().map(|(_, property)| property.kind)
    }

    /// A description of where and how its bytes are stored, for people; `None` if the address says it all.
    #[must_use]
    pub fn stored(&self) -> Option<String> {
        #[cfg(feature = "roblox")]
        if let Some((_, property)) = &self.property {
            return model::stored(property);
        }
        self.stored.clone()
    }

    /// True if it is a list of tags instead of a value.
    #[must_use]
    pub fn is_tags(&self) -> bool {
        #[cfg(feature = "roblox")]
        if let Some((_, property)) = &self.property {
            return property.tags().next().is_some();
        }
        !self.tags.is_empty()
    }

    /// The tags, if it is a list of tags instead of a value.
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        #[cfg(feature = "roblox")]
        if let Some((_, property)) = &self.property {
            return model::tag_texts(property);
        }
        self.tags.clone()
    }

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> About<'static> {
        let (members, stored, tags) = (self.members().into_owned(), self.stored(), self.tags());
        About { members, stored, tags, property: Default::default() }
    }
}

/// A change of a container: of a value, or of the list of values.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueChange<'c> {
    /// A value gets other bytes.
    Replace {
        /// The address that the value was listed with.
        address: &'c Address,
        /// Its new bytes, as [`Embedded::bytes`] would give them.
        bytes: &'c [u8],
    },
    /// The value that was listed with this address is removed.
    Remove(&'c Address),
    /// A value is added.
    Add(Addition<'c>),
    /// A value of a text gets this text, which may be one that cannot be read: a repair is taken back.
    Text {
        /// The address that the value was listed with when it could not be read.
        address: &'c Address,
        /// The text that [`Embedded::unread`] gave.
        text: &'c [u8],
    },
}

/// A new value in a container.
#[derive(Clone, Copy, Debug)]
pub struct Addition<'c> {
    /// Its address: for settings one that is not there, for streams and dumps that of the number after the last, `[3]`.
    pub address: &'c Address,
    /// Its bytes.
    pub bytes: &'c [u8],
    /// The members of the value that it is a copy of, as [`About::given`] has them. A row of a save takes from them what its key
    /// does not say: the world and the flags.
    pub about: &'c [Member],
    /// True to make it the first of the file instead of the last. Its number then is 0, and those of all others increase.
    pub is_first: bool,
}

/// Changes of a container, by the indices of the values in the order of the file.
#[cfg(any(feature = "roblox", feature = "godot"))]
#[derive(Debug)]
pub(crate) struct Arranged<'c> {
    /// The new bytes of values that are there; `None` for those that are removed.
    pub values: BTreeMap<usize, Option<&'c [u8]>>,
    /// New values before all others.
    pub first: Vec<Addition<'c>>,
    /// New values after all others.
    pub last: Vec<Addition<'c>>,
}

#[cfg(any(feature = "roblox", feature = "godot"))]
impl<'c> Arranged<'c> {
    pub(crate) fn new(container: &dyn Container, changes: &[ValueChange<'c>]) -> Result<Self, ContainerError> {
        let added = |is_first| {
            let added = changes.iter().filter_map(|change| match change {
                ValueChange::Add(addition) => Some(*addition),
                _ => None,
            });
            added.filter(move |addition| addition.is_first == is_first).collect()
        };
        let values = located_by(container, changes)?;
        Ok(Arranged { values, first: added(true), last: added(false) })
    }

    /// The bytes of all new values, those that replace others first.
    pub(crate) fn new_bytes(&self) -> impl Iterator<Item = &'c [u8]> + '_ {
        let added = self.first.iter().chain(&self.last).map(|addition| addition.bytes);
        self.values.values().filter_map(|bytes| *bytes).chain(added)
    }

    /// Checks that new values have the addresses `of` the numbers from `first` and from `next` on.
    pub(crate) fn check_addresses(
        &self,
        (first, next): (usize, usize),
        of: impl Fn(usize) -> Address,
    ) -> Result<(), ContainerError> {
        for (added, start, place) in [(&self.first, first, "before the first"), (&self.last, next, "after the last")] {
            let wrong = (start..).zip(added).find(|(number, addition)| of(*number) != *addition.address);
            if let Some((number, addition)) = wrong {
                let reason = format!("a value can be added {place}, as {}; found {}", of(number), addition.address);
                return Err(ContainerError::Refused(reason));
            }
        }
        Ok(())
    }
}

/// Why nothing can be added to values without lengths.
#[cfg(any(feature = "roblox", feature = "godot"))]
pub(crate) const AFTER_BROKEN: &str = "the last value is broken, so that a value after it would not be found";

/// An error of a container, or of a value in it.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The file or the value is malformed.
    #[error("{0}")]
    Malformed(String),
    /// It is not known what the file is, or it has no values of the format that was asked for.
    #[error("{0}")]
    Unknown(String),
    /// The file ends too early.
    #[error("{0}")]
    Truncated(String),
    /// The file cannot be read or written, or not at this time.
    #[error("{0}")]
    Unreadable(String),
    /// A limit was reached. The text names it.
    #[error("{0}")]
    OverLimit(String),
    /// It would be more work than its size explains, and no option allows it.
    #[error("{0}")]
    TooMuch(String),
    /// More memory is needed than allowed.
    #[error("{what} the limit of {limit} bytes")]
    TooLarge {
        /// The start of the message, which names the thing: `"the file is larger than"`.
        what: &'static str,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The file or a part of it is encrypted, and a key is missing.
    #[error("{0} is encrypted; set the option password, or key to its 64 hexadecimal digits")]
    NeedsKey(String),
    /// No value has this address. After it, the message may have another that was perhaps meant.
    #[error("the file has no value {0}")]
    NoSuchValue(String),
    /// Two changes have the same address.
    #[error("{0} is changed twice")]
    ChangedTwice(String),
    /// The file was changed by another program after it was read.
    #[error("{0}")]
    ChangedMeanwhile(String),
    /// The container cannot be changed so.
    #[error("{0}")]
    Refused(String),
}

impl ContainerError {
    pub(crate) fn malformed(error: impl ToString) -> Self {
        ContainerError::Malformed(error.to_string())
    }
}

impl From<io::Error> for ContainerError {
    fn from(error: io::Error) -> Self {
        ContainerError::Unreadable(error.to_string())
    }
}

/// The new bytes of values, by the indices of the values in the order of the file, where none is added or removed.
pub(crate) fn located<'c>(
    container: &dyn Container,
    changes: &[ValueChange<'c>],
) -> Result<BTreeMap<usize, &'c [u8]>, ContainerError> {
    if changes.iter().any(|change| matches!(change, ValueChange::Remove(_) | ValueChange::Add(_))) {
        return Err(ContainerError::Refused("no value can be added to or removed from such a file".to_owned()));
    }
    let located = located_by(container, changes)?;
    Ok(located.into_iter().filter_map(|(number, bytes)| Some((number, bytes?))).collect())
}

/// The new bytes of values, and `None` for those that are removed, by the indices of the values in the order of the file. A value
/// that has these bytes already does not change.
fn located_by<'c>(
    container: &dyn Container,
    changes: &[ValueChange<'c>],
) -> Result<BTreeMap<usize, Option<&'c [u8]>>, ContainerError> {
    let mut wanted = HashMap::new();
    for change in changes {
        let (address, bytes) = match *change {
            ValueChange::Replace { address, bytes } => (address, Some(bytes)),
            ValueChange::Remove(address) => (address, None),
            ValueChange::Add(_) => continue,
            ValueChange::Text { address, .. } => return Err(no_text(address)),
        };
        if wanted.insert(address, Some(bytes)).is_some() {
            return Err(ContainerError::ChangedTwice(address.to_string()));
        }
    }
    let (mut found, mut number, mut twice) = (BTreeMap::new(), 0usize, None);
    if wanted.is_empty() {
        return Ok(found);
    }
    container.values(&mut |value| {
        match wanted.get_mut(&*value.address).map(Option::take) {
            Some(Some(new)) if new.is_none() || value.bytes.as_deref().ok() != new => {
                found.insert(number, new);
            }
            Some(Some(_)) => {}
            Some(None) => twice = Some(several(&value.address)),
            None => {}
        }
        number = number.saturating_add(1);
        ControlFlow::Continue(())
    })?;
    if let Some(error) = twice {
        return Err(error);
    }
    match wanted.into_iter().find(|(_, change)| change.is_some()) {
        Some((address, _)) => Err(ContainerError::NoSuchValue(address.to_string())),
        None => Ok(found),
    }
}

/// Texts that values get, by their addresses.
#[cfg(feature = "godot")]
pub(crate) type Texts<'c> = BTreeMap<String, (&'c Address, &'c [u8])>;

/// The texts that values get, and the other changes.
#[cfg(feature = "godot")]
pub(crate) fn texts_apart<'c>(
    changes: &[ValueChange<'c>],
) -> Result<(Texts<'c>, Vec<ValueChange<'c>>), ContainerError> {
    let (mut texts, mut others) = (BTreeMap::new(), Vec::new());
    for change in changes {
        match *change {
            ValueChange::Text { address, text } => {
                if texts.insert(address.to_string(), (address, text)).is_some() {
                    return Err(ContainerError::ChangedTwice(address.to_string()));
                }
            }
            other => others.push(other),
        }
    }
    Ok((texts, others))
}

/// Why a value does not get a text.
pub(crate) fn no_text(address: &Address) -> ContainerError {
    ContainerError::Refused(format!("{address} has no text in such a file"))
}

/// Why a value is not changed whose address others have, too.
pub(crate) fn several(address: &Address) -> ContainerError {
    ContainerError::Refused(format!("{address} names several values, which are not changed"))
}

/// The keys that a later one repeats.
#[cfg(feature = "godot")]
#[derive(Debug)]
pub(crate) struct Repeated(Vec<(usize, u64)>);

#[cfg(feature = "godot")]
impl Repeated {
    /// Those of these keys.
    pub(crate) fn of<K: Hash>(keys: impl Iterator<Item = K>) -> Self {
        let hasher = RandomState::new();
        let mut all: Vec<(usize, u64)> = (0..).zip(keys.map(|key| hasher.hash_one(key))).collect();
        all.sort_unstable_by_key(|(place, hash)| (*hash, *place));
        for same in all.chunk_by_mut(|(_, one), (_, other)| one == other) {
            same.iter_mut().zip(0..).for_each(|((_, hash), number)| *hash = number);
            same.last_mut().into_iter().for_each(|(_, number)| *number = u64::MAX);
        }
        all.retain(|(_, number)| *number < u64::MAX);
        all.sort_unstable();
        Repeated(all)
    }

    /// The number of equal keys before the one at this place, if a later one is equal, too.
    pub(crate) fn earlier(&self, place: usize) -> Option<u64> {
        let found = self.0.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        self.0.get(found).map(|(_, number)| *number)
    }
}

#[cfg(test)]
#[cfg(all(feature = "godot", feature = "saves"))]
mod tests {
    use super::*;
    use crate::address::{Component, Pattern};
    use pretty_assertions::assert_eq;

    /// Every format of a container is one of the crate.
    #[test]
    fn containers_say_what_their_values_are() {
        let (attributes, remote, lua) = (["roblox-attributes"], ["roblox-remote"], ["scrap-mechanic-lua"]);
        for (kind, formats) in [
            (ContainerKind::Model(FileKind::Binary), &attributes[..]),
            (ContainerKind::Packets, &remote),
            (ContainerKind::PacketLines, &remote),
            (ContainerKind::Save, &lua),
            (ContainerKind::Blueprint, &lua),
            (ContainerKind::Project, &["godot-3", "godot-4"]),
            (ContainerKind::Config, &["godot-3", "godot-4"]),
            (ContainerKind::TextResource, &["godot-3", "godot-4"]),
            (ContainerKind::Pack, &[]),
            (ContainerKind::Script, &["godot-3", "godot-4"]),
            (ContainerKind::UidCache, &["godot-4"]),
            (ContainerKind::Frames(Framing::BigEndian), &["godot-3", "godot-4"]),
            (ContainerKind::Values(Version::V3), &["godot-3"]),
            (ContainerKind::Values(Version::V4), &["godot-4"]),
        ] {
            assert_eq!(kind.formats(), formats);
            assert!(formats.iter().all(|name| enginewire::formats::by_name(name).is_some()));
        }
    }

    /// A name and a format of its values name one kind.
    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for kind in ContainerKind::all() {
            let of_format = |other: &ContainerKind| other.formats() == kind.formats();
            assert_eq!(ContainerKind::named(kind.name()).filter(of_format).collect::<Vec<_>>(), [kind]);
        }
        assert_eq!(ContainerKind::named("pack").next(), None);
    }

    #[test]
    fn a_file_with_a_place_for_each_value_gets_no_others() {
        let file = FileSource::Bytes(br#"{"bodies": []}"#.to_vec());
        let blueprint = ContainerKind::Blueprint.open(file, None, &FormatOptions::new()).unwrap();
        assert!(blueprint.changed(&[]).is_ok());
        let address = &Address::new(Syntax::Items, [Component::name("bodies").numbered(Some(0))]);
        let addition = Addition { address, bytes: b"", about: &[], is_first: false };
        let refused = blueprint.changed(&[ValueChange::Add(addition)]);
        assert!(matches!(refused, Err(ContainerError::Refused(_))), "{refused:?}");
    }

    /// Values of one file, whose addresses may be equal.
    #[derive(Debug)]
    struct Values(&'static [(&'static str, &'static [u8])]);

    impl Container for Values {
        fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
            for (name, bytes) in self.0 {
                let _ = each(Embedded::new(named(name), &[], Ok(*bytes)));
            }
            Ok(())
        }

        fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
            located(self, changes).map(|_| Vec::new())
        }
    }

    fn named(name: &str) -> Address {
        Address::new(Syntax::Nodes, [Component::name(name)])
    }

    /// Whatever the new bytes are: one of several values with one address is not changed.
    #[test]
    fn a_change_is_of_one_value() {
        let file = Values(&[("a", b"1"), ("b", b"2"), ("a", b"3"), ("c", b"4")]);
        let several = "a names several values, which are not changed";
        for (changes, expected) in [
            (&[][..], Ok(&[][..])),
            (&[("b", "9")], Ok(&[(1, "9")])),
            (&[("c", "8"), ("b", "9")], Ok(&[(1, "9"), (3, "8")])),
            (&[("b", "2")], Ok(&[])),
            (&[("a", "9")], Err(several)),
            (&[("a", "1")], Err(several)),
            (&[("a", "3")], Err(several)),
            (&[("b", "9"), ("a", "9")], Err(several)),
            (&[("b", "9"), ("b", "8")], Err("b is changed twice")),
            (&[("b", "9"), ("d", "9")], Err("the file has no value d")),
        ] {
            let changes: Vec<_> = changes.iter().map(|(name, bytes)| (named(name), bytes.as_bytes())).collect();
            let changes: Vec<_> =
                changes.iter().map(|(address, bytes)| ValueChange::Replace { address, bytes }).collect();
            let found = located(&file, &changes).map_err(|error| error.to_string());
            let expected = expected.map(|list| list.iter().map(|(number, text)| (*number, text.as_bytes())).collect());
            assert_eq!(found, expected.map_err(str::to_owned));
        }
    }

    /// A value that is added and removed again leaves no trace, and the address of a new one has to be the next.
    #[test]
    fn values_are_added_and_removed() {
        let settings = b"ECFG\x01\0\0\0\x04\0\0\0name\x04\0\0\0\0\0\0\0";
        let frames = b"\x04\0\0\0\0\0\0\0";
        for (kind, file, added, wrong) in [
            (ContainerKind::Project, &settings[..], "level", "name"),
            (ContainerKind::Frames(Framing::LittleEndian), frames, "[1]", "[2]"),
            (ContainerKind::Values(Version::V4), &frames[4..], "[1]", "[0]"),
        ] {
            let open = |file: &[u8]| kind.open(FileSource::Bytes(file.to_vec()), None, &FormatOptions::new()).unwrap();
            let of = |text: &str| Pattern::parse(kind.syntax(), text).unwrap().address().unwrap();
            for is_first in [false, true] {
                let address = of(if is_first && added == "[1]" { "[0]" } else { added });
                let add = ValueChange::Add(Addition { address: &address, bytes: b"\0\0\0\0", about: &[], is_first });
                let changed = open(file).changed(&[add]).unwrap();
                let values = open(&changed).list().unwrap();
                let new = &*values[usize::from(!is_first)].address;
                assert_eq!((values.len(), new), (2, &address), "{kind:?}");
                assert_eq!(open(&changed).changed(&[ValueChange::Remove(new)]).unwrap(), file, "{kind:?}");
            }
            let wrong = Addition { address: &of(wrong), bytes: b"\0\0\0\0", about: &[], is_first: false };
            let refused = open(file).changed(&[ValueChange::Add(wrong)]);
            assert!(matches!(refused, Err(ContainerError::Refused(_))), "{refused:?}");
        }
    }

    #[test]
    fn containers_are_detected_by_their_first_bytes() {
        for (head, kind) in [
            (&b"SQLite format 3\0"[..], Some(ContainerKind::Save)),
            (b"SQLite format 2\0", None),
            (b" { \"bodies\"", Some(ContainerKind::Blueprint)),
            (br#"{"version": [4, {"a": "\"}"}], "bodies": []}"#, Some(ContainerKind::Blueprint)),
            (b"{}", None),
            (br#"{"name": "game", "tree": {"bodies": []}}"#, None),
            (br#"{"errors": ["bodies", {"code": 0}], "a": "bodies", "b\"odies"#, None),
            (br#"{"level": 4} "bodies""#, None),
            (b"[\"bodies\"]", None),
            (b"ECFG\0", Some(ContainerKind::Project)),
            (b"GDPC\x02\0\0\0", Some(ContainerKind::Pack)),
            (b"GDSC\x64\0\0\0", Some(ContainerKind::Script)),
            (b"GDSC\x0d\0\0\0", Some(ContainerKind::Script)),
            (b"GDSC\x04\0\0\0", None),
            (b"; c\n[video]\n\nwidth=1280\n", Some(ContainerKind::Config)),
            (b"; c\n\n[ gd_scene format=3]\n", Some(ContainerKind::TextResource)),
            (b"[gd_resource]\na=1", Some(ContainerKind::TextResource)),
            (b"[gd_scenes]\na=1", Some(ContainerKind::Config)),
            (b"a=1 [gd_scene]", None),
            (b"<roblox!\x89\xff\r\n\x1a\n", Some(ContainerKind::Model(FileKind::Binary))),
            (b"", None),
        ] {
            assert_eq!(ContainerKind::detect(head), kind, "{}", head.escape_ascii());
        }
    }
}

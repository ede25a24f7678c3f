//! A file that is to be changed, and its changes as data.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::Write;
use std::ops::ControlFlow;

use enginewire::formats::{AnyFormat, TRAILING_BYTES};
use enginewire::godot::Version;
use enginewire_files::address::{Address, Pattern};
use enginewire_files::containers::{
    Addition, Container, ContainerError, ContainerKind, FileSource, Member, ValueChange,
};
use enginewire_files::godot::ConfigFile;
use enginewire_files::roblox::model::{Change, Kind, ModelFile, Options, Store};

use super::container::is_stream;
use crate::exit_status::{usage, Placed, Refusal, Status};
use crate::files::keep::Before;
use crate::formats;
use crate::input::document::{self, is_document};
use crate::input::opened::{container_of, refused};
use crate::output::name::Name;
use crate::settings::Settings;
use crate::text_encoding::utf_8;

/// A file that is to be changed, without its layers.
pub struct FileToChange {
    name: Name,
    pub values: Values,
}

/// The values of a file.
pub enum Values {
    /// Those of a model or place.
    Model(ContainerKind, ModelFile),
    /// Those of another container.
    Container(ContainerKind, Box<dyn Container>),
    /// A single value.
    One(OneValue),
}

/// A single value, or the JSON document of one.
pub struct OneValue {
    pub bytes: Vec<u8>,
    /// The document, and the format that it names.
    document: Option<(Vec<u8>, &'static dyn AnyFormat)>,
    settings: Settings,
}

/// Values and their addresses.
pub type Addressed = Vec<(Address, Vec<u8>)>;

/// The changes of a file.
#[derive(Debug, Default)]
pub struct ChangedValues {
    /// The values that get other bytes.
    pub replaced: Addressed,
    pub removed: Vec<Address>,
    /// New values.
    pub added: Addressed,
    /// Values that get a text again that cannot be read.
    pub unread: Addressed,
    /// The members of the values that new ones are copies of.
    pub about: HashMap<Address, Vec<Member>>,
    /// True if new values become the first of the file.
    pub is_first: bool,
    /// The values that change as they are before, where they are known already.
    pub before: Addressed,
    /// Properties of instances, and how they are written.
    pub properties: Option<(Vec<Change<'static>>, Store, Options)>,
}

impl From<Addressed> for ChangedValues {
    fn from(replaced: Addressed) -> Self {
        ChangedValues { replaced, ..ChangedValues::default() }
    }
}

impl ChangedValues {
    /// The number of values that change.
    pub fn len(&self) -> usize {
        let lists = [self.replaced.len(), self.removed.len(), self.added.len(), self.unread.len()];
        lists.into_iter().fold(0, usize::saturating_add)
    }

    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.properties.as_ref().is_none_or(|(changes, ..)| changes.is_empty())
    }

    /// The size of all new values, in bytes.
    pub fn size(&self) -> usize {
        let all = self.replaced.iter().chain(&self.added);
        all.fold(0, |size, (_, bytes)| size.saturating_add(bytes.len()))
    }

    fn list(&self) -> Vec<ValueChange<'_>> {
        let replaced = self.replaced.iter().map(|(address, bytes)| ValueChange::Replace { address, bytes });
        let added = self.added.iter().map(|(address, bytes)| {
            let about = self.about.get(address).map_or(&[][..], Vec::as_slice);
            ValueChange::Add(Addition { address, bytes, about, is_first: self.is_first })
        });
        let unread = self.unread.iter().map(|(address, text)| ValueChange::Text { address, text });
        replaced.chain(self.removed.iter().map(ValueChange::Remove)).chain(added).chain(unread).collect()
    }
}

impl OneValue {
    /// The format of the value.
    pub fn format(&self) -> Result<&'static dyn AnyFormat, Refusal> {
        self.document.as_ref().map_or_else(|| formats::chosen(&self.settings, &self.bytes), |(_, format)| Ok(*format))
    }

    /// Returns true if the file is a JSON document.
    pub fn is_document(&self) -> bool {
        self.document.is_some()
    }

    /// The bytes of the file.
    pub fn file(&self) -> &[u8] {
        self.document.as_ref().map_or(&self.bytes, |(document, _)| document)
    }

    fn changed(&self, made: &ChangedValues) -> Result<Vec<u8>, Refusal> {
        let bytes = made.replaced.first().map_or(&self.bytes, |(_, bytes)| bytes);
        match &self.document {
            // a document that stays the same keeps its form
            Some((document, _)) if *bytes == self.bytes => Ok(document.clone()),
            Some((document, format)) => {
                let text = utf_8(document.clone()).map_err(|reason| Status::Malformed.because(reason))?;
                document::rewritten(&text, *format, bytes, &self.settings)
            }
            None => Ok(bytes.clone()),
        }
    }
}

impl FileToChange {
    /// A file of this kind.
    pub fn open(kind: ContainerKind, source: FileSource, name: &Name, settings: &Settings) -> Result<Self, Refusal> {
        let memory = settings.memory();
        let values = match (kind, source, settings.written_for) {
            (ContainerKind::Model(_), source, _) => {
                let trailing = settings.formats.is(&TRAILING_BYTES);
                Values::Model(kind, ModelFile::new(source, memory).trailing_bytes(trailing))
            }
            // a text does not specify its version
            (ContainerKind::Config, FileSource::Bytes(text), Some(version)) => {
                let from = if version == Version::V3 { Version::V4 } else { Version::V3 };
                let config = ConfigFile::new(text, memory).of_version(from).written_for(version);
                Values::Container(kind, Box::new(config))
            }
            (_, source, _) => {
                let source = match (kind, source) {
                    (ContainerKind::PacketLines, FileSource::Bytes(lines)) => {
                        let lines = utf_8(lines).map_err(|reason| Status::Malformed.because(reason).at(name))?;
                        FileSource::Bytes(lines)
                    }
                    (_, source) => source,
                };
                let opened = kind.open(source, settings.format.as_deref(), &settings.formats);
                let opened = opened.map_err(|error| refused(name, &error))?;
                Values::Container(kind, opened)
            }
        };
        Ok(FileToChange { name: name.clone(), values })
    }

    /// The file that these bytes are.
    pub fn of_bytes(file: Vec<u8>, name: &Name, settings: &Settings) -> Result<Self, Refusal> {
        let one = |bytes, document| {
            let one = OneValue { bytes, document, settings: settings.clone() };
            FileToChange { name: name.clone(), values: Values::One(one) }
        };
        if settings.replaces_inside {
            return Ok(one(file, None));
        }
        let document = if !settings.names_container() && is_document(&file) {
            let value = utf_8(file.clone()).map_err(|reason| Status::Malformed.because(reason));
            let value = value.and_then(|document| document::value(&document, settings));
            Some(value.at(name)?)
        } else {
            None
        };
        let (bytes, document) = match document {
            Some((format, bytes)) => (bytes, Some((file, format))),
            None => match container_of(&file, name, settings)? {
                Some(kind) => return FileToChange::open(kind, FileSource::Bytes(file), name, settings),
                None => (file, None),
            },
        };
        Ok(one(bytes, document))
    }

    /// The container and its kind; `None` for a single value.
    pub fn container(&self) -> Option<(ContainerKind, &dyn Container)> {
        match &self.values {
            Values::Model(kind, model) => Some((*kind, model)),
            Values::Container(kind, container) => Some((*kind, &**container)),
            Values::One(_) => None,
        }
    }

    /// The format of the values that change.
    pub fn format(&self, settings: &Settings) -> Result<&'static dyn AnyFormat, Refusal> {
        let format = match &self.values {
            Values::One(one) => one.format(),
            Values::Model(kind, model) => formats::of_changed_values(kind.formats(), model, settings),
            Values::Container(kind, values) => formats::of_changed_values(kind.formats(), &**values, settings),
        };
        format.at(&self.name)
    }

    /// The whole file with these changes.
    pub fn changed(&self, made: &ChangedValues) -> Result<Vec<u8>, Refusal> {
        match &self.values {
            Values::One(one) => one.changed(made).at(&self.name),
            Values::Model(..) => {
                let mut changed = Vec::new();
                self.rewrite(made, &mut changed).map(|()| changed)
            }
            Values::Container(_, container) => container.changed(&made.list()).map_err(|error| self.refused(&error)),
        }
    }

    /// Writes the whole file with these changes.
    pub fn rewrite(&self, made: &ChangedValues, to: &mut dyn Write) -> Result<(), Refusal> {
        let error = |error: std::io::Error| self.refused(&error.into());
        match (&self.values, &made.properties) {
            (Values::Model(_, model), Some((changes, store, options))) => {
                let written = model.edit_with(changes, *store, options, to);
                written.map_err(|error| self.refused(&ContainerError::from(&error)))
            }
            (Values::Model(_, model), None) => model.rewrite(&made.list(), to).map_err(|error| self.refused(&error)),
            (Values::Container(_, container), _) => {
                container.rewrite(&made.list(), to).map_err(|error| self.refused(&error))
            }
            (Values::One(_), _) => to.write_all(&self.changed(made)?).map_err(error),
        }
    }

    /// Makes these changes in the file itself, if its kind is changed so.
    pub fn change_in_place(&self, made: &ChangedValues) -> Result<(), Refusal> {
        let done = self.container().and_then(|(_, container)| container.change_in_place(&made.list()));
        done.unwrap_or(Ok(())).map_err(|error| match error {
            // the reason is a whole sentence
            ContainerError::Unreadable(reason) => Status::Io.because(reason).at(&self.name),
            error => self.refused(&error),
        })
    }

    /// The values as they are before these changes.
    pub fn before(&self, made: &ChangedValues) -> Result<Vec<Before>, Refusal> {
        let kind = self.container().map(|(kind, _)| kind);
        let moves = !made.removed.is_empty() || (made.is_first && !made.replaced.is_empty());
        let refused = match kind {
            Some(ContainerKind::TextResource) if moves => Some("--undo does not keep the tag of a node"),
            Some(ContainerKind::TextResource) if made.replaced.iter().any(|(address, _)| is_connections(address)) => {
                Some("--undo does not keep all parts of a connection")
            }
            Some(ContainerKind::Save) if moves => Some("--undo does not keep the other columns of a row"),
            Some(kind) if moves && is_stream(kind) => {
                Some("--undo cannot name values of a stream whose numbers change")
            }
            _ => None,
        };
        if let Some(reason) = refused {
            return Err(usage(format!("{reason}; pass --backup instead")).at(&self.name));
        }
        let base64 = |bytes: &[u8]| Some(data_encoding::BASE64.encode(bytes));
        let row = |address: &Address, bytes| Before { address: address.to_string(), bytes, unread: None };
        let mut rows: Vec<_> = made.before.iter().map(|(address, bytes)| row(address, base64(bytes))).collect();
        if let (Values::One(one), Some((_, new))) = (&self.values, made.replaced.first())
            && *new != one.bytes
        {
            rows.push(Before { address: String::new(), bytes: base64(&one.bytes), unread: None });
        }
        if let Some((_, container)) = self.container().filter(|_| made.before.is_empty()) {
            let new = made.replaced.iter().map(|(address, bytes)| (address, Some(bytes)));
            let new: HashMap<_, _> = new.chain(made.removed.iter().map(|address| (address, None))).collect();
            let mut unread = None;
            let listed = container.values(&mut |value| {
                match (new.get(&*value.address), value.bytes, value.unread) {
                    (Some(after), Ok(bytes), _) if after.is_none_or(|after| **after != *bytes) => {
                        rows.push(row(&value.address, base64(&bytes)));
                    }
                    (Some(Some(_)), Err(_), Some(text)) => {
                        rows.push(Before { unread: base64(&text), ..row(&value.address, None) });
                    }
                    (Some(_), Err(error), _) => unread = Some(error),
                    _ => {}
                }
                ControlFlow::Continue(())
            });
            unread.map_or(listed, Err).map_err(|error| {
                let refusal = self.refused(&error);
                Refusal { message: format!("--undo needs every value that changes: {}", refusal.message), ..refusal }
            })?;
        }
        // what comes first is taken away first
        rows.extend(made.added.iter().map(|(address, _)| row(address, None)));
        let mut texts = HashSet::new();
        let twice = rows.iter().find(|row| !texts.insert(&row.address)).map(|row| several(&self.name, &row.address));
        twice.map_or(Ok(rows), Err)
    }

    /// The changes that give values these bytes again.
    pub fn taken_back(&self, rows: &[Before]) -> Result<ChangedValues, Refusal> {
        let decoded = |row: &Before, text: &Option<String>| {
            let decoded = text.as_ref().map(|text| data_encoding::BASE64.decode(text.as_bytes()));
            decoded
                .transpose()
                .map_err(|error| Status::Malformed.because(format!("{error} in {}", row.address)).at(&self.name))
        };
        let bytes = |row: &Before| decoded(row, &row.bytes);
        let mut made = ChangedValues::default();
        let Some((kind, container)) = self.container() else {
            let all = rows.iter().filter_map(|row| bytes(row).transpose());
            made.replaced = all.map(|bytes| Ok((Address::of_file(), bytes?))).collect::<Result<_, Refusal>>()?;
            return Ok(made);
        };
        let (mut wanted, mut taken, mut twice) = (HashMap::new(), HashSet::new(), None);
        for row in rows {
            let address = Pattern::parse(kind.syntax(), &row.address).ok().and_then(|pattern| pattern.address());
            let address =
                address.ok_or_else(|| usage(format!("expected an address, found {:?}", row.address)).at(&self.name))?;
            match decoded(row, &row.unread)? {
                Some(text) => made.unread.push((address, text)),
                None => drop(wanted.insert(address, bytes(row)?)),
            }
        }
        let listed = container.values(&mut |value| {
            let address = Address::clone(&value.address);
            if taken.contains(&address) {
                twice = Some(address);
                return ControlFlow::Break(());
            }
            let Some(new) = wanted.remove(&address) else { return ControlFlow::Continue(()) };
            taken.insert(address);
            made.before.extend(value.bytes.ok().map(|bytes| (Address::clone(&value.address), bytes.into_owned())));
            // an instance has a property that holds nothing
            let none = value.address.property().map_or(Some(Kind::AttributesSerialize), |name| Kind::of(name));
            let none = none.filter(|_| matches!(kind, ContainerKind::Model(_))).map(|kind| kind.none().to_vec());
            match new.or(none) {
                Some(bytes) => made.replaced.push((value.address.into_address(), bytes)),
                None => made.removed.push(value.address.into_address()),
            }
            ControlFlow::Continue(())
        });
        listed.map_err(|error| self.refused(&error))?;
        if let Some(address) = twice {
            return Err(several(&self.name, &address.to_string()));
        }
        made.added = wanted.into_iter().filter_map(|(address, bytes)| Some((address, bytes?))).collect();
        Ok(made)
    }

    fn refused(&self, error: &ContainerError) -> Refusal {
        refused(&self.name, error)
    }
}

/// True for the list of connections of a scene.
fn is_connections(address: &Address) -> bool {
    address.to_string() == ":connections"
}

/// Why a value is not taken back that is not the only one with its address: two rows may have equal keys.
fn several(name: &Name, address: &str) -> Refusal {
    usage(format!("{address} names several values, which --undo cannot tell apart; pass --backup instead")).at(name)
}

impl fmt::Debug for FileToChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

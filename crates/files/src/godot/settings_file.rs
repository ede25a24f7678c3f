//! The settings of a project as a container.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::json;

use super::project::{self, Setting};
use crate::address::{Address, Component, Syntax};
use crate::containers::{Addition, Arranged, Container, ContainerError, Embedded, Repeated, ValueChange};
use enginewire::error::{DecodeError, Fault};
use enginewire::godot::{check_with, Options, Version};
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::IntoByteString;

/// The formats that values may have: a file does not say its version.
pub(super) const FORMATS: &[&str] = &["godot-3", "godot-4"];

/// The key of a setting.
fn key_of(address: &Address) -> &[u8] {
    address.components().first().and_then(Component::text).map_or(&[], |key| key)
}

/// The version of the value of a setting, if it or its key tells.
fn version_of(key: &[u8], value: &[u8]) -> Option<Version> {
    let is_valid = |version| check_with(value, &Options::new(version), |_, _| {}).is_ok();
    match (is_valid(Version::V3), is_valid(Version::V4), key) {
        (true, false, _) | (true, true, b"environment/default_environment") => Some(Version::V3),
        (false, true, _) => Some(Version::V4),
        _ => None,
    }
}

/// Fails if new values are of a version that no value has which stays, but of another.
pub(super) fn of_one_version(container: &dyn Container, changes: &Arranged<'_>) -> Result<(), ContainerError> {
    let mut new = changes.new_bytes().filter_map(|bytes| version_of(b"", bytes));
    let Some(version) = new.next() else { return Ok(()) };
    let (mut is_known, mut other, mut number) = (false, new.find(|other| *other != version), 0usize);
    container.values(&mut |value| {
        let kept = value.bytes.ok().filter(|_| !changes.values.contains_key(&number));
        match kept.and_then(|bytes| version_of(key_of(&value.address), &bytes)) {
            Some(found) if found == version => is_known = true,
            found => other = other.or(found),
        }
        number = number.saturating_add(1);
        ControlFlow::Continue(())
    })?;
    match other.filter(|_| !is_known) {
        Some(other) => Err(ContainerError::Refused(format!(
            "a value of Godot {version} does not go with those of Godot {other}; convert it first"
        ))),
        None => Ok(()),
    }
}

/// The settings of a project as a [`Container`]. The address of a value is its key.
#[derive(Debug)]
pub struct SettingsFile {
    bytes: Vec<u8>,
    max_memory: usize,
    trailing_bytes: bool,
}

impl SettingsFile {
    /// The settings in these bytes. The bytes and the list of settings may together take `max_memory` bytes.
    ///
    /// # Errors
    ///
    /// If they take more memory.
    pub fn open(bytes: Vec<u8>, max_memory: usize) -> Result<Self, ContainerError> {
        if bytes.len().saturating_add(project::list_size(&bytes)) > max_memory {
            return Err(ContainerError::TooLarge { what: "the settings take more memory than", limit: max_memory });
        }
        Ok(SettingsFile { bytes, max_memory, trailing_bytes: false })
    }

    /// Sets whether bytes may follow the last setting. By default they are an error; if allowed, a change keeps them.
    #[must_use]
    pub fn trailing_bytes(self, allowed: bool) -> Self {
        SettingsFile { trailing_bytes: allowed, ..self }
    }

    /// The settings, and the bytes after them if there may be such.
    fn parts(&self) -> (&[u8], &[u8]) {
        let end = match project::decode(&self.bytes) {
            Err(error) if self.trailing_bytes && *error.fault() == Fault::Trailing => error.offset().byte(),
            _ => to_u64(self.bytes.len()),
        };
        self.bytes.split_at_checked(to_usize(end)).unwrap_or((&self.bytes, &[]))
    }
}

/// Why settings cannot be read.
pub(super) fn unread(error: &DecodeError) -> ContainerError {
    match error.is_truncated() {
        true => ContainerError::Truncated(error.to_string()),
        false => ContainerError::malformed(error),
    }
}

impl Container for SettingsFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let (project, error) = project::decode_partial(self.parts().0);
        let repeated = Repeated::of(project.settings.iter().map(|setting| &setting.key));
        for (number, (offset, setting)) in project.placed().enumerate() {
            let address = Address::new(Syntax::Keys, [Component::name(&*setting.key)]);
            let address = address.earlier(repeated.earlier(number));
            let members = vec![("key", json!(setting.key.to_string())), ("offset", json!(offset))];
            let embedded = Embedded::new(address, FORMATS, Ok(&*setting.value)).with_members(members);
            if each(Embedded { start: Some(offset), ..embedded }).is_break() {
                return Ok(());
            }
        }
        error.map_or(Ok(()), |error| Err(unread(&error)))
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let (settings, rest) = self.parts();
        let mut project = project::decode(settings).map_err(|error| unread(&error))?;
        let changes = Arranged::new(self, changes)?;
        of_one_version(self, &changes)?;
        let added = |addition: &Addition<'_>| Setting {
            key: key_of(addition.address).to_vec().into_byte_string(),
            value: Cow::Owned(addition.bytes.to_vec()),
        };
        let mut settings: Vec<_> = changes.first.iter().map(added).collect();
        for (number, mut setting) in std::mem::take(&mut project.settings).into_iter().enumerate() {
            match changes.values.get(&number) {
                Some(None) => continue,
                Some(Some(bytes)) => setting.value = Cow::Borrowed(bytes),
                None => {}
            }
            settings.push(setting);
        }
        settings.extend(changes.last.iter().map(added));
        let mut keys: HashSet<&[u8]> = HashSet::new();
        if !(changes.first.is_empty() && changes.last.is_empty())
            && let Some(twice) = settings.iter().find(|setting| !keys.insert(&setting.key))
        {
            return Err(ContainerError::Refused(format!("there is a setting {} already", twice.key)));
        }
        project.settings = settings;
        let mut changed = project::encode(&project).map_err(ContainerError::malformed)?;
        changed.extend_from_slice(rest);
        crate::containers::within(changed, self.max_memory)
    }

    /// The version of the first setting that only one version has.
    fn format(&self) -> Option<&'static str> {
        let project = project::decode_partial(self.parts().0).0;
        let version = project.settings.iter().find_map(|setting| version_of(&setting.key, &setting.value));
        version.map(|version| match version {
            Version::V3 => "godot-3",
            Version::V4 => "godot-4",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enginewire::budget;
    use enginewire::godot::Variant;
    use pretty_assertions::assert_eq;

    #[test]
    fn settings_tell_their_version() {
        let format = |key: &str, value: &Variant<'_>, version| {
            let settings = vec![
                Setting::new("a", &Variant::Int(1), &Options::new(version)).unwrap(),
                Setting::new(key, value, &Options::new(version)).unwrap(),
            ];
            let bytes = project::encode(&project::Project { settings }).unwrap();
            SettingsFile::open(bytes, budget::DEFAULT).unwrap().format()
        };
        let features = Variant::from(vec!["4.3".into_byte_string()]);
        assert_eq!(format("application/config/features", &features, Version::V4), Some("godot-4"));
        assert_eq!(format("b", &Variant::from(vec!["4".into_byte_string()]), Version::V3), Some("godot-3"));
        assert_eq!(format("environment/default_environment", &"res://e.tres".into(), Version::V3), Some("godot-3"));
        assert_eq!(format("b", &Variant::Int(2), Version::V4), None);
    }

    #[test]
    fn new_values_are_of_the_version_of_those_that_stay() {
        let bytes = |text: &str, version| {
            let value = Variant::from(vec![text.into_byte_string()]);
            Setting::new("a", &value, &Options::new(version)).unwrap().value.into_owned()
        };
        let (old, new) = (bytes("3", Version::V3), bytes("4", Version::V4));
        let project = |settings: &[(&'static str, &[u8])]| {
            let setting = |(key, value): &(&'static str, &[u8])| Setting {
                key: (*key).into_byte_string(),
                value: Cow::Owned(value.to_vec()),
            };
            let settings = settings.iter().map(setting).collect();
            let bytes = project::encode(&project::Project { settings }).unwrap();
            SettingsFile::open(bytes, budget::DEFAULT).unwrap()
        };
        let set = |file: &SettingsFile, values: &[(&str, &[u8])]| {
            let list = file.list().unwrap();
            let address = |key| &list.iter().find(|value| value.address.to_string() == key).unwrap().address;
            let replacements: Vec<_> =
                values.iter().map(|&(key, bytes)| ValueChange::Replace { address: address(key), bytes }).collect();
            file.changed(&replacements).map(|_| ()).map_err(|error| error.to_string())
        };
        let refused = |new: &str, old: &str| {
            Err(format!("a value of Godot {new} does not go with those of Godot {old}; convert it first"))
        };
        let both = project(&[("a", &old), ("b", &old)]);
        assert_eq!(set(&both, &[("a", &old)]), Ok(()));
        assert_eq!(set(&both, &[("a", &new)]), refused("4", "3"));
        // all of them at once, but not some of each
        assert_eq!(set(&both, &[("a", &new), ("b", &new)]), Ok(()));
        assert_eq!(set(&both, &[("a", &new), ("b", &old)]), refused("4", "3"));
    }

    #[test]
    fn settings_that_are_cut_are_truncated_and_others_malformed() {
        let bytes = b"ECFG\x01\0\0\0\x01\0\0\0k\x04\0\0\0\0\0\0\0";
        let list = |bytes: &[u8]| SettingsFile::open(bytes.to_vec(), 1 << 10).unwrap().list();
        assert_eq!(list(bytes).unwrap().len(), 1);
        for cut in 0..bytes.len() {
            assert!(matches!(list(&bytes[..cut]), Err(ContainerError::Truncated(_))), "{cut}");
        }
        assert!(matches!(list(&[&bytes[..], b"!"].concat()), Err(ContainerError::Malformed(_))));
    }

    /// A file of settings takes its own bytes and the list of settings, and after a change not more than the limit either.
    #[test]
    fn memory_of_settings() {
        let bytes: &[u8] = b"ECFG\x01\0\0\0\x01\0\0\0a\x04\0\0\0\0\0\0\0";
        let size = bytes.len() + project::list_size(bytes);
        let error = SettingsFile::open(bytes.to_vec(), size - 1).unwrap_err();
        assert_eq!(error.to_string(), format!("the settings take more memory than the limit of {} bytes", size - 1));
        let file = SettingsFile::open(bytes.to_vec(), size).unwrap();
        let values = file.list().unwrap();
        let [value] = &values[..] else { panic!("{values:?}") };
        assert_eq!((value.address.to_string().as_str(), value.formats), ("a", FORMATS));
        let change = |bytes: &[u8]| file.changed(&[ValueChange::Replace { address: &value.address, bytes }]);
        let room = vec![7; size - bytes.len() + 4];
        assert_eq!(change(&room).unwrap().len(), size);
        assert!(change(&vec![7; room.len() + 1]).is_err());
        assert_eq!(change(b"\0\0\0\0").unwrap(), bytes);
    }
}

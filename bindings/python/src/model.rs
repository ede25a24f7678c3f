//! Roblox model and place files: what `enginewire.Place` is built on.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use bstr::ByteSlice;
use enginewire::roblox::attributes::{self, Entry, KeyRules, Patch};
use enginewire::roblox::Tags;
use enginewire::wire::Limited;
use enginewire::DecodeError;
use enginewire_files::address::Syntax;
use enginewire_files::roblox::model::{
    edit, list_bytes, Change, Kind, Listing, ModelError, Options, PropertyError, Referent, Store,
};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::attributes::{all_to_python, encode, encode_entries, key_bytes};
use crate::buffers::{away, locked, roomy, Input};
use crate::container::pattern_of;
use crate::errors::{decode_error, encode_error, file_error, refused};
use crate::fields::text;
use crate::mapping::{name_of, Objects};

/// A model or place file with changes that are not in its bytes yet. Instances are named by their index.
#[pyclass(frozen, module = "enginewire._enginewire")]
pub struct Model {
    inner: Mutex<Inner>,
}

struct Inner {
    file: Vec<u8>,
    listing: Listing,
    options: Options,
    /// The new bytes of properties, by instance.
    attributes: BTreeMap<usize, Vec<u8>>,
    tags: BTreeMap<usize, Vec<u8>>,
    /// The attributes that were asked for last, by the address and length of their bytes: all keys are often read one by one, and
    /// instances may share the bytes.
    decoded: VecDeque<(usize, usize, Py<PyAny>)>,
}

/// The most attributes that are kept decoded besides the last.
const DECODED: usize = 16;

/// The most bytes that these have together.
const DECODED_BYTES: usize = 4 << 20;

/// An instance in the form that Python receives: class, name, referent, parent and place.
type InstanceParts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Option<usize>, String);

fn model_error(py: Python<'_>, error: &ModelError) -> PyErr {
    match error {
        ModelError::Io(error) => PyOSError::new_err(error.to_string()),
        ModelError::Encode(error) => encode_error(py, error),
        ModelError::File(error) => decode_error(py, error),
        other => {
            let code = if other.is_of_limit() { "too-large" } else { "model" };
            file_error(py, other, other.offset().unwrap_or_default(), code)
        }
    }
}

fn property_error(py: Python<'_>, error: &PropertyError) -> PyErr {
    match error {
        PropertyError::Decode(error) => decode_error(py, error),
        PropertyError::NoInstance(_) => PyIndexError::new_err(error.to_string()),
        other => file_error(py, other, 0, "model"),
    }
}

fn list(file: &[u8], options: &Options) -> Result<Listing, ModelError> {
    list_bytes(file, &options.all_instances(true).empty(true))
}

impl Inner {
    fn bytes(&self, instance: usize, kind: Kind) -> Result<&[u8], PropertyError> {
        let changed = match kind {
            Kind::Tags => self.tags.get(&instance),
            _ => self.attributes.get(&instance),
        };
        if let Some(bytes) = changed {
            return Ok(bytes);
        }
        if self.listing.instance(instance).is_none() {
            return Err(PropertyError::NoInstance(instance));
        }
        match self.listing.property(instance, kind) {
            Some(property) => Ok(property.bytes?),
            None => Ok(&[]),
        }
    }

    fn attribute_bytes(&self, py: Python<'_>, instance: usize) -> PyResult<&[u8]> {
        self.bytes(instance, Kind::AttributesSerialize).map_err(|error| property_error(py, &error))
    }

    /// Changes the attributes of an instance: those that stay as they are keep their bytes. Returns what `change` does.
    fn patch<T>(
        &mut self,
        py: Python<'_>,
        instance: usize,
        any_type: bool,
        change: impl FnOnce(&mut Patch<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        let bytes = self.attribute_bytes(py, instance)?;
        let patch = roomy(|| Patch::new(bytes, &attributes::Options::new()));
        let mut patch = patch.map_err(|error| decode_error(py, &error.of_complete_input()))?;
        let returned = change(&mut patch)?;
        let changed =
            roomy(|| patch.encode(Kind::AttributesSerialize.empty())).map_err(|error| encode_error(py, &error))?;
        self.replace(py, instance, any_type, changed)?;
        Ok(returned)
    }

    fn replace(&mut self, py: Python<'_>, instance: usize, any_type: bool, attributes: Vec<u8>) -> PyResult<()> {
        if !any_type {
            check_types(py, self.attribute_bytes(py, instance)?, &attributes)?;
        }
        // other bytes may come to the same address
        self.decoded.clear();
        self.attributes.insert(instance, attributes);
        Ok(())
    }

    fn changed(&self) -> Result<Vec<u8>, ModelError> {
        let mut changes = Vec::new();
        let all = [(Kind::AttributesSerialize, &self.attributes), (Kind::Tags, &self.tags)];
        for (kind, changed) in all {
            for (index, bytes) in changed {
                let before = self.listing.property(*index, kind).and_then(|property| property.bytes.ok());
                if before.is_some_and(|before| *before == *bytes) || (before.is_none() && bytes.is_empty()) {
                    continue;
                }
                if let Some(instance) = self.listing.instance(*index) {
                    changes.push(Change::of_instance(&instance, kind, bytes));
                }
            }
        }
        edit(&self.file, &changes, Store::AsBefore, &self.options).map(Cow::into_owned)
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (buffer, max_memory = 268435456))]
    fn new(buffer: &Bound<'_, PyAny>, max_memory: usize) -> PyResult<Self> {
        let (py, input) = (buffer.py(), Input::of(buffer)?);
        let options = Options::new().max_memory(max_memory);
        let file = input.bytes().to_vec();
        let listed = away(py, || list(&file, &options).map(|listing| (file, listing)));
        let (file, listing) = listed.map_err(|error| model_error(py, &error))?;
        let (attributes, tags, decoded) = Default::default();
        let inner = Inner { file, listing, options, attributes, tags, decoded };
        Ok(Model { inner: Mutex::new(inner) })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner| Ok(inner.listing.instances().len()))
    }

    /// The problems with parts that could not be read, as text.
    fn problems(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |inner| Ok(inner.listing.problems.iter().map(ToString::to_string).collect()))
    }

    /// The class, name, referent, parent and place of an instance.
    fn instance<'py>(&self, py: Python<'py>, index: usize) -> PyResult<InstanceParts<'py>> {
        self.with(py, |inner| {
            let instance = inner.listing.instance(index);
            let instance = instance.ok_or_else(|| property_error(py, &PropertyError::NoInstance(index)))?;
            let referent = match instance.referent {
                Referent::Number(number) => crate::fields::object(py, number)?,
                Referent::Text(name) => text(py, name),
            };
            let place = instance.place.to_string();
            Ok((text(py, instance.class), text(py, instance.name), referent, instance.parent, place))
        })
    }

    /// The parent of each instance.
    fn parents(&self, py: Python<'_>) -> PyResult<Vec<Option<usize>>> {
        self.with(py, |inner| Ok(inner.listing.instances().map(|instance| instance.parent).collect()))
    }

    /// The names from the root to an instance.
    fn path<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        self.with(py, |inner| Ok(text(py, &inner.listing.path(index))))
    }

    /// The instances with this path, referent or place.
    fn find(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let path = name_of(path)?;
        self.with(py, |inner| Ok(inner.listing.find(&path).collect()))
    }

    /// The instances whose addresses match a pattern.
    fn glob(&self, py: Python<'_>, pattern: &str) -> PyResult<Vec<usize>> {
        let pattern = pattern_of(Syntax::Instances, pattern)?;
        self.fitting(py, |inner, index| pattern.fits_names(&inner.listing.address(index)))
    }

    /// The instances that have attributes.
    fn with_attributes(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        let kind = Kind::AttributesSerialize;
        self.fitting(py, |inner, index| inner.bytes(index, kind).is_ok_and(|bytes| !bytes.is_empty()))
    }

    /// The instances with this tag.
    fn with_tag(&self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let tag = name_of(tag)?;
        let has = |bytes: &[u8]| bytes.split_str(b"\0").any(|other| tag == other) && !bytes.is_empty();
        self.fitting(py, |inner, index| inner.bytes(index, Kind::Tags).is_ok_and(has))
    }

    /// The attributes of an instance. They are kept: what can be changed in them must not be.
    fn attributes<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        self.with(py, |inner| {
            let bytes = inner.attribute_bytes(py, index)?;
            let (address, length) = (bytes.as_ptr().addr(), bytes.len());
            if let Some((.., found)) = inner.decoded.iter().find(|(at, of, _)| (*at, *of) == (address, length)) {
                return Ok(found.bind(py).clone());
            }
            let decoded = roomy(|| attributes::decode(bytes)).map_err(DecodeError::of_complete_input);
            let found = all_to_python(py, &decoded.map_err(|error| decode_error(py, &error))?)?;
            let mut kept = length;
            inner.decoded.truncate(DECODED);
            inner.decoded.retain(|(_, length, _)| {
                kept = kept.saturating_add(*length);
                kept <= DECODED_BYTES
            });
            inner.decoded.push_front((address, length, found.clone().unbind()));
            Ok(found)
        })
    }

    /// Their bytes, also of broken ones.
    fn attribute_bytes<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.with(py, |inner| Ok(PyBytes::new(py, inner.attribute_bytes(py, index)?)))
    }

    /// Sets some attributes: all of them or none.
    fn update(
        &self,
        py: Python<'_>,
        index: usize,
        items: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        any_type: bool,
    ) -> PyResult<()> {
        // those that Roblox does not have yet are refused below
        let options = attributes::Options::new().draft_types(true);
        let bytes = encode_entries(py, &items, &options, Objects::new(None).level(Limited::limits(&options).depth()))?;
        let new = roomy(|| attributes::decode_with(&bytes, &options)).map_err(|error| decode_error(py, &error))?;
        self.with(py, |inner| {
            inner.patch(py, index, any_type, |patch| {
                let insert = |Entry { key, value }: Entry<'_>| patch.insert(key.into_owned(), value.into_owned());
                roomy(|| new.into_iter().try_for_each(insert)).map_err(|error| encode_error(py, &error))
            })
        })
    }

    /// Removes an attribute. Returns true if it existed.
    fn remove_attribute(&self, py: Python<'_>, index: usize, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = key_bytes(key)?;
        self.with(py, |inner| inner.patch(py, index, true, |patch| Ok(patch.remove(&key))))
    }

    /// Gives an instance these attributes and no others.
    fn set_attributes(&self, py: Python<'_>, index: usize, value: &Bound<'_, PyAny>, any_type: bool) -> PyResult<()> {
        let kind = Kind::AttributesSerialize;
        let bytes = encode(value, &attributes::Options::new().empty(kind.empty()), &Objects::new(None))?;
        self.with(py, |inner| inner.replace(py, index, any_type, bytes))
    }

    /// The tags of an instance.
    fn tags<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.with(py, |inner| {
            let bytes = inner.bytes(index, Kind::Tags).map_err(|error| property_error(py, &error))?;
            Ok(Tags::from_bytes(bytes).iter().map(|tag| text(py, tag)).collect())
        })
    }

    /// Adds or removes a tag. Returns true if that changed anything.
    fn change_tag(&self, py: Python<'_>, index: usize, tag: &Bound<'_, PyAny>, add: bool) -> PyResult<bool> {
        let tag = name_of(tag)?;
        self.with(py, |inner| {
            let bytes = inner.bytes(index, Kind::Tags).map_err(|error| property_error(py, &error))?;
            let mut tags = Tags::from_bytes(bytes);
            let before = tags.to_bytes();
            match add {
                true => tags.add(&tag).map(drop).map_err(|error| PyValueError::new_err(format!("the tag {error}")))?,
                false => drop(tags.remove(&tag)),
            }
            let after = tags.to_bytes();
            let is_changed = after != before;
            if is_changed {
                inner.tags.insert(index, after);
            }
            Ok(is_changed)
        })
    }

    /// Returns true if there are changes that are not in the bytes yet.
    fn is_changed(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |inner| Ok(!inner.attributes.is_empty() || !inner.tags.is_empty()))
    }

    /// The file with the changes. Every other byte of an XML file, and every other chunk of a binary one, is as before.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = locked(py, &self.inner)?;
        let locked = &*inner;
        let changed = away(py, || locked.changed()).map_err(|error| model_error(py, &error))?;
        Ok(PyBytes::new(py, &changed))
    }
}

/// Why Roblox does not allow a name of an attribute, if so.
#[pyfunction]
pub fn broken_rule(name: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(KeyRules::CURRENT.broken_by(key_bytes(name)?.as_bstr()).map(|rule| rule.to_string()))
}

/// Refuses attributes that no script can set, unless they were so before.
#[pyfunction]
pub fn check_types(py: Python<'_>, before: &[u8], after: &[u8]) -> PyResult<()> {
    let decoded = |bytes| roomy(|| attributes::decode(bytes)).unwrap_or_default();
    let (before, after) = (decoded(before), decoded(after));
    let Some((entry, rule)) = after.newly_broken(&before) else { return Ok(()) };
    let (type_name, key) = (entry.value.type_id().name(), text(py, entry.key.as_bstr()).repr()?);
    let reason =
        format!("Roblox does not allow the {type_name} {key}, which {rule}; any_type=True sets it all the same");
    Err(refused(py, reason))
}

impl Model {
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> PyResult<T>) -> PyResult<T> {
        work(&mut *locked(py, &self.inner)?)
    }

    /// The instances that fit.
    fn fitting(&self, py: Python<'_>, fits: impl Fn(&Inner, usize) -> bool) -> PyResult<Vec<usize>> {
        self.with(py, |inner| Ok((0..inner.listing.instances().len()).filter(|index| fits(inner, *index)).collect()))
    }
}

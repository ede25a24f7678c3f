//! Model and place files of Roblox.

use std::borrow::Cow;
use std::collections::BTreeMap;

use enginewire::formats::{change, Described, Edit, FormatOptions, Notation, Step, ValuePath};
use enginewire::json::{self, Document, Give, Input, Receiver, Scalar};
use enginewire::roblox::attributes::{self, Attributes, AttributesFormat, Entry, KeyRules, Value};
use enginewire::roblox::Tags;
use enginewire::wire::bstr::BStr;
use enginewire_files::roblox::model::{
    edit, list_bytes, Change, Instance, Kind, Listing, Options, PropertyError, Store,
};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::{or_zero, Failure};
use crate::objects;
use crate::stream::Held;

/// A file, and the changes that are not in its bytes yet.
struct Model {
    file: Vec<u8>,
    listing: Listing,
    options: Options,
    /// The new bytes of properties, by instance and kind.
    changed: BTreeMap<(usize, Kind), Vec<u8>>,
}

impl Model {
    fn open(file: Vec<u8>, max_memory: usize) -> Result<Self, Failure> {
        let options = Options::new().max_memory(max_memory).all_instances(true).empty(true);
        let listing = list_bytes(&file, &options)?;
        Ok(Model { file, listing, options, changed: BTreeMap::new() })
    }

    fn instance(&self, index: usize) -> Result<Instance<'_>, Failure> {
        Ok(self.listing.instance(index).ok_or(PropertyError::NoInstance(index))?)
    }

    fn bytes(&self, index: usize, kind: Kind) -> Result<Cow<'_, [u8]>, Failure> {
        if let Some(bytes) = self.changed.get(&(index, kind)) {
            return Ok(Cow::Borrowed(bytes));
        }
        self.instance(index)?;
        match self.listing.property(index, kind) {
            Some(property) => Ok(Cow::Borrowed(property.bytes.map_err(PropertyError::from)?)),
            None => Ok(Cow::Borrowed(kind.none())),
        }
    }

    /// The property that holds attributes of an instance.
    fn kind(&self, index: usize, kind: &str) -> Result<Kind, Failure> {
        let class = self.instance(index)?.class;
        let found = Kind::of(kind.as_bytes()).filter(|kind| kind.is_attributes(class));
        found.ok_or_else(|| Failure::of_options(format!("a {class} has no attributes in {kind}")))
    }

    fn decoded<'m>(&self, bytes: &'m [u8]) -> Result<Attributes<'m>, Failure> {
        attributes::decode(bytes).map_err(|error| Failure::of_error(&error.of_complete_input()))
    }

    /// Changes the attributes of an instance: those that stay as they are keep their bytes.
    fn edit(
        &mut self,
        index: usize,
        kind: Kind,
        work: impl FnOnce(&mut Attributes<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let before = self.bytes(index, kind)?;
        let mut attributes = self.decoded(&before)?;
        work(&mut attributes)?;
        let new = AttributesFormat::rewrite(&before, &attributes, &FormatOptions::new())?;
        let is_empty = attributes.is_empty();
        drop(attributes);
        self.changed.insert((index, kind), if is_empty { kind.none().to_vec() } else { new });
        Ok(())
    }

    /// Refuses a new attribute whose name Roblox does not allow.
    fn allow(&self, attributes: &Attributes<'_>, key: &str) -> Result<(), Failure> {
        if attributes.contains_key(key) {
            return Ok(());
        }
        let rule = KeyRules::CURRENT.allow_reserved().broken_by(key.into());
        let reason = match rule {
            Some(rule) => rule.to_string(),
            None if key.is_empty() => "is empty".to_owned(),
            None => return Ok(()),
        };
        Err(Failure::of_options(format!(
            "Roblox does not allow the name {key:?}, which {reason}; anyKey sets it all the same"
        )))
    }

    fn save(&self) -> Result<Vec<u8>, Failure> {
        let mut changes = Vec::new();
        for ((index, kind), bytes) in &self.changed {
            let before = self.listing.property(*index, *kind).and_then(|property| property.bytes.ok());
            if before.is_some_and(|before| *before == **bytes) || (before.is_none() && **bytes == *kind.none()) {
                continue;
            }
            changes.push(Change::of_instance(&self.instance(*index)?, *kind, &bytes[..]));
        }
        if changes.is_empty() {
            return Ok(self.file.clone());
        }
        if let Some(problem) = self.listing.problems.first() {
            let message = format!("the file is broken and is not changed: {problem}");
            return Err(Failure::of_file("model", &message, problem.offset()));
        }
        Ok(edit(&self.file, &changes, Store::AsBefore, &self.options)?.into_owned())
    }
}

thread_local! {
    static MODELS: Held<Model> = const { Held::new() };
}

fn with<R>(number: usize, work: impl FnOnce(&mut Model) -> Result<R, Failure>) -> Result<R, Failure> {
    MODELS.with(|all| all.with(number, work)).and_then(|result| result)
}

/// A file, by its number.
#[wasm_bindgen]
pub fn model_open(file: Vec<u8>, max_memory: f64) -> Result<usize, JsValue> {
    let model = Model::open(file, max_memory as usize).map_err(Failure::thrown)?;
    Ok(MODELS.with(|all| all.add(model)))
}

/// Frees a file.
#[wasm_bindgen]
pub fn model_free(model: usize) {
    drop(MODELS.with(|all| all.take(model)));
}

/// The parts of the file that could not be read.
#[wasm_bindgen]
pub fn model_problems(model: usize) -> Result<Vec<String>, JsValue> {
    let problems = with(model, |model| Ok(model.listing.problems.iter().map(ToString::to_string).collect()));
    problems.map_err(Failure::thrown)
}

/// Text that is mostly UTF-8.
struct Name<'l>(&'l BStr);

impl Give for Name<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.scalar(Scalar::Text(&String::from_utf8_lossy(self.0)));
    }
}

/// All instances.
struct Instances<'m>(&'m Model);

impl Give for Instances<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let Instances(model) = *self;
        to.list(model.listing.instances().count());
        let instances = model.listing.instances().enumerate();
        instances.for_each(|(index, instance)| to.item(&Row { model, index, instance }));
        to.end();
    }
}

struct Row<'m> {
    model: &'m Model,
    index: usize,
    instance: Instance<'m>,
}

impl Give for Row<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let Row { model, index, instance } = self;
        let has = |kind: Kind| model.bytes(*index, kind).map_or(true, |bytes| *bytes != *kind.none());
        to.structure("Instance", 8);
        to.member("index", &u32::try_from(*index).unwrap_or(u32::MAX));
        to.member("class", &Name(instance.class));
        to.member("name", &Name(instance.name));
        to.member("referent", &&*instance.referent.to_string());
        to.member("parent", &instance.parent.and_then(|parent| u32::try_from(parent).ok()));
        to.member("place", &&*instance.place.to_string());
        to.member("hasAttributes", &has(Kind::AttributesSerialize));
        to.member("hasTags", &has(Kind::Tags));
        to.end();
    }
}

/// All instances, on the tape.
#[wasm_bindgen]
pub fn model_instances(model: usize) -> usize {
    or_zero(with(model, |model| objects::document(&Instances(model))))
}

/// The names from the root to an instance.
#[wasm_bindgen]
pub fn model_path(model: usize, instance: usize) -> Result<String, JsValue> {
    let path = with(model, |model| {
        model.instance(instance)?;
        Ok(model.listing.path(instance).to_string())
    });
    path.map_err(Failure::thrown)
}

/// The instances with this path, referent or place.
#[wasm_bindgen]
pub fn model_find(model: usize, path: &str) -> Result<Vec<u32>, JsValue> {
    let found = with(model, |model| {
        Ok(model.listing.find(BStr::new(path)).filter_map(|index| u32::try_from(index).ok()).collect())
    });
    found.map_err(Failure::thrown)
}

/// The attributes of an instance, on the tape.
#[wasm_bindgen]
pub fn model_attributes(model: usize, instance: usize, kind: &str) -> usize {
    or_zero(with(model, |model| {
        let kind = model.kind(instance, kind)?;
        objects::document(&model.decoded(&model.bytes(instance, kind)?)?)
    }))
}

/// The bytes of a property of an instance, with the changes.
#[wasm_bindgen]
pub fn model_bytes(model: usize, instance: usize, kind: &str) -> Result<Vec<u8>, JsValue> {
    let bytes = with(model, |model| {
        let kind = Kind::of(kind.as_bytes()).ok_or_else(|| Failure::of_options("no such property"))?;
        Ok(model.bytes(instance, kind)?.into_owned())
    });
    bytes.map_err(Failure::thrown)
}

/// Sets an attribute. The value has its type, as in a document; or it is plain, and then the attribute keeps its type.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments)] // JavaScript passes no structures
pub fn model_set(
    model: usize,
    instance: usize,
    kind: &str,
    key: &str,
    words: &[u8],
    text: &[u8],
    is_typed: bool,
    any_key: bool,
    any_type: bool,
) -> Result<(), JsValue> {
    let set = with(model, |model| {
        let kind = model.kind(instance, kind)?;
        if !any_key {
            model.allow(&model.decoded(&model.bytes(instance, kind)?)?, key)?;
        }
        model.edit(instance, kind, |attributes| {
            let (tape, path) = (objects::given(words, text), ValuePath(vec![Step::key(key)]));
            let rule = |attributes: &Attributes<'_>| attributes.get(key).and_then(Value::broken_rule);
            let before = rule(attributes);
            let changed = |attributes: &mut Attributes<'_>, edit| {
                let node = AttributesFormat::node_mut(attributes);
                change(node, &path, &edit, Notation::default())
            };
            if is_typed {
                let value = json::read_member::<Value<'static>>(Input::Tape(&tape), Attributes::LEVELS);
                let value = value.map_err(|error| Failure::of_member(key, &error))?;
                let mut same = (0..).zip(attributes.iter()).filter(|(_, entry)| *entry.key == *key.as_bytes());
                match (same.next().map(|(number, _): (usize, _)| number), same.next().is_some()) {
                    (None, _) => attributes.entries_mut().push(Entry::new(key.to_owned(), value)),
                    (Some(number), false) => attributes.entries_mut()[number].value = value,
                    // the error of several
                    _ => changed(attributes, Edit::Remove)?,
                }
            } else {
                changed(attributes, Edit::SetPlain(tape.to_value().to_string()))?;
            }
            match rule(attributes).filter(|rule| before != Some(*rule)) {
                Some(rule) if kind == Kind::AttributesSerialize && !any_type => Err(Failure::of_options(format!(
                    "Roblox does not allow the attribute {key:?}, which {rule}; anyType sets it all the same"
                ))),
                _ => Ok(()),
            }
        })
    });
    set.map_err(Failure::thrown)
}

/// Removes the attributes with this key. Returns true if there was one.
#[wasm_bindgen]
pub fn model_remove(model: usize, instance: usize, kind: &str, key: &str) -> Result<bool, JsValue> {
    let removed = with(model, |model| {
        let kind = model.kind(instance, kind)?;
        let mut is_there = false;
        model.edit(instance, kind, |attributes| {
            let before = attributes.len();
            attributes.entries_mut().retain(|entry| *entry.key != *key.as_bytes());
            is_there = attributes.len() < before;
            Ok(())
        })?;
        Ok(is_there)
    });
    removed.map_err(Failure::thrown)
}

/// Gives an instance the attributes of this document, and no others.
#[wasm_bindgen]
pub fn model_replace(model: usize, instance: usize, kind: &str, words: &[u8], text: &[u8]) -> Result<(), JsValue> {
    let replaced = with(model, |model| {
        let kind = model.kind(instance, kind)?;
        let attributes: Attributes<'static> = json::read(Input::Tape(&objects::given(words, text)))?;
        let bytes = kind.encode(&attributes, &attributes::Options::new())?;
        model.changed.insert((instance, kind), bytes);
        Ok(())
    });
    replaced.map_err(Failure::thrown)
}

/// The tags of an instance.
#[wasm_bindgen]
pub fn model_tags(model: usize, instance: usize) -> Result<Vec<String>, JsValue> {
    let tags = with(model, |model| {
        let bytes = model.bytes(instance, Kind::Tags)?;
        Ok(Tags::from_bytes(&bytes).iter().map(|tag| String::from_utf8_lossy(tag).into_owned()).collect())
    });
    tags.map_err(Failure::thrown)
}

/// Adds or removes a tag. Returns true if that changed anything.
#[wasm_bindgen]
pub fn model_tag(model: usize, instance: usize, tag: &str, is_added: bool) -> Result<bool, JsValue> {
    let tagged = with(model, |model| {
        let before = model.bytes(instance, Kind::Tags)?.into_owned();
        let mut tags = Tags::from_bytes(&before);
        let is_changed = tags.contains(tag) != is_added;
        if is_changed {
            match is_added {
                true => tags.add(tag).map_err(|error| {
                    Failure::of_options(format!("Roblox does not allow the tag {tag:?}, which {error}"))
                })?,
                false => drop(tags.remove(tag)),
            }
            model.changed.insert((instance, Kind::Tags), tags.to_bytes());
        }
        Ok(is_changed)
    });
    tagged.map_err(Failure::thrown)
}

/// The file with the changes. Every other byte of an XML file, and every other chunk of a binary one, is as before.
#[wasm_bindgen]
pub fn model_save(model: usize) -> Result<Vec<u8>, JsValue> {
    with(model, |model| model.save()).map_err(Failure::thrown)
}

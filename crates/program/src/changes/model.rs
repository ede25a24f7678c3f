//! Changes of instances of models and places: their attributes and tags.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter;

use bstr::{BStr, ByteSlice};
use enginewire::formats::{self as library, AnyFormat, Described, Edit, Editor, FormatOptions, Notation, Step};
use enginewire::roblox::attributes::{self, AttributesFormat, Entry, KeyRules};
use enginewire::roblox::{TagError, Tags};
use enginewire_files::address::{Address, Syntax};
use enginewire_files::roblox::model::{
    self, AttributeReference, Change, Instance, InstancePlace, Kind, Listing, ModelFile, Property,
};

use super::noted::Counts;
use super::to_change::ChangedValues;
use super::{adds, not_edited_inside, set_bare, AddressFrom, Changes, FileChange, How, TagChange, NEEDS_ALL};
use crate::exit_status::{refuse_if, usage, Placed, Refusal, Status};
use crate::files::read::may_exceed;
use crate::input::assignment::Assignment;
use crate::input::containers::more;
use crate::input::instance_path::{named, Named};
use crate::input::models;
use crate::input::wanted::Wanted;
use crate::output::escape::escaped;
use crate::output::name::shown;

/// The values that lines of an unknown file name: of an instance and a property, those with a key or the whole. Each with its line.
type NamedByLines = BTreeMap<(usize, Kind, Option<Vec<u8>>), Option<usize>>;

/// The properties that change.
struct Properties {
    /// Their places, and their bytes.
    all: BTreeMap<(usize, Kind), (InstancePlace, Vec<u8>)>,
    /// The memory that they take, and may take.
    held: usize,
    limit: usize,
    named: NamedByLines,
    /// The number of instances with the path of an instance, where it was asked for.
    counts: HashMap<usize, usize>,
}

/// About the memory that a property takes beside its bytes, here and where it is written.
const EACH: usize = 208;

impl Properties {
    /// Sets the bytes of a property, if there is memory for them.
    fn set(&mut self, key: (usize, Kind), property: (InstancePlace, Vec<u8>)) -> Result<(), Refusal> {
        let size = |(_, bytes): &(InstancePlace, Vec<u8>)| bytes.len().saturating_add(EACH);
        let before = self.all.get(&key).map_or(0, size);
        self.held = self.held.saturating_sub(before).saturating_add(size(&property));
        if self.held > self.limit {
            let reason = more("the changed values take more memory than there is beside the file");
            return Err(Status::Malformed.because(reason));
        }
        self.all.insert(key, property);
        Ok(())
    }
}

impl FileChange<'_> {
    /// The changes of a model.
    pub(super) fn changed_model(&self, model: &ModelFile) -> Result<ChangedValues, Refusal> {
        let settings = self.settings;
        // the changed file is in memory, too
        let taken = model.in_memory().saturating_mul(2);
        let memory = settings.memory().saturating_sub(taken);
        let scan = settings.scan();
        let options = scan.options(memory).all_instances(true).empty(true);
        let refused = |error| models::refusal(self.file, &error, &scan);
        let listing = model.list_with(&options).map_err(refused)?;
        self.warnings.borrow_mut().extend(listing.warning_texts());
        if let Some(problem) = listing.problems.first() {
            let what = if problem.is_of_limit() { "is" } else { "is broken and is" };
            let reason = format!("the file {what} not changed: {}", scan.error_text(problem));
            return Err(models::status(problem).because(reason).at(shown(self.file)));
        }
        let format = library::by_name("roblox-attributes");
        let format = format.ok_or_else(|| Status::Malformed.because("no such format").at(shown(self.file)))?;
        // if several lines change one instance, their changes are made in order
        let limit = settings.memory().saturating_sub(taken).saturating_sub(listing.memory());
        let (all, named, counts) = (BTreeMap::new(), BTreeMap::new(), HashMap::new());
        let (mut properties, mut count) = (Properties { all, held: 0, limit, named, counts }, 0usize);
        for changes in self.changes {
            count = count.saturating_add(self.instances(&listing, format, changes, &mut properties)?);
        }
        all_named(&listing, &properties.named)
            .map_err(|(line, refusal)| self.of_line(line, refusal).at(shown(self.file)))?;
        self.something_fits(count).at(shown(self.file))?;
        let Properties { all, held, .. } = properties;
        let mut before = Vec::new();
        for (index, kind) in all.keys().filter(|_| self.keeps.get()) {
            let bytes = match listing.property(*index, *kind).map(|property| listing.read(&property)) {
                Some(Ok(bytes)) => bytes.into_vec(),
                Some(Err(error)) => return Err(Status::Malformed.because(error.to_string()).at(shown(self.file))),
                None => kind.none().to_vec(),
            };
            before.push((model::address_of_kind(&listing, *index, *kind), bytes));
        }
        // the edit lists the file again, so that there is memory for one listing only
        drop(listing);
        let changes = all.into_iter().map(|((_, kind), (place, bytes))| Change::at(place, kind, bytes)).collect();
        let properties = Some((changes, self.how.store.into(), options.taken(held)));
        Ok(ChangedValues { before, properties, ..ChangedValues::default() })
    }

    /// Makes the changes of the instances that an address names. Gives how many there are.
    fn instances(
        &self,
        listing: &Listing,
        format: &dyn AnyFormat,
        changes: &Changes,
        properties: &mut Properties,
    ) -> Result<usize, Refusal> {
        let Some(address) = &changes.address else {
            let reason = "expected the address of an instance, such as Workspace.Torch, or '**' with --all for all of them: before the changes, or in a line of --from";
            return Err(self.of_lines(changes, usage(reason)).at(shown(self.file)));
        };
        let how = self.how;
        let refused = |refusal| self.of_lines(changes, refusal).at(shown(self.file));
        let wanted = Wanted::parse(Syntax::Instances, address).map_err(refused)?;
        if wanted.is_pattern() && !how.all {
            return Err(refused(usage(NEEDS_ALL)));
        }
        let named_by = match changes.from {
            AddressFrom::Here => Named::by(listing, address),
            _ => from_elsewhere(listing, &wanted, &changes.from, &mut properties.counts),
        };
        let named_by = named_by.map_err(refused)?;
        let (is_chosen, is_named, kind) = (named_by.is_pattern, named_by.property.is_some(), named_by.kind());
        if let (Some(key), Some(instance)) = (named_by.reference(), named_by.instances.first()) {
            let found = listing.references_of(*instance).find(|found| found.key == key);
            let missing = || Status::NotFound.because(format!("no reference {}", escaped(BStr::new(key))));
            return Err(refused(found.map_or_else(missing, |found| unchangeable(listing, &found))));
        }
        let (kind, found) = (kind.unwrap_or(Kind::AttributesSerialize), named_by.instances);
        let is_taken = |index: &usize| self.filter.is_none_or(|filter| filter.takes_instance(listing, *index));
        let found: Vec<_> = found.into_iter().filter(is_taken).collect();
        let (count, skips) = (found.len(), self.skips(changes));
        for index in found {
            let name = named(listing, index);
            let in_instance = |refusal: Refusal| refusal.at(format!("{}: {name}", shown(self.file)));
            let rest = match kind {
                Kind::AttributesSerialize => without_references(listing, index, changes),
                _ => Ok(None),
            };
            let rest = rest.at(shown(self.file))?;
            // of what a pattern fits, only what has such a property, unless it is to be added
            let has_values = || {
                let is_set =
                    |property: Property<'_>| listing.read(&property).map_or(true, |bytes| **bytes != *kind.none());
                properties.all.contains_key(&(index, kind)) || listing.property(index, kind).is_some_and(is_set)
            };
            let is_possible = |instance: Instance<'_>| kind == Kind::Tags || kind.is_attributes(instance.class);
            let is_meant = !skips || (listing.instance(index).is_some_and(is_possible) && (how.add || has_values()));
            if is_meant && (!changes.list.is_empty() || changes.whole.is_some()) {
                let changes = rest.as_ref().unwrap_or(changes);
                // without a number, it is the only one
                if changes.from == AddressFrom::Lines && !is_chosen && is_numbered(&listing.address(index)) {
                    let key = |change: &Assignment| change.path.0.first().and_then(text_of).map(<[u8]>::to_vec);
                    let named = changes.list.iter().map(|change| ((index, kind, key(change)), change.line));
                    properties.named.extend(named);
                }
                let allowed = allowed(listing, (index, kind), is_named, changes, (how.any_key, !skips || how.add));
                allowed.map_err(|(line, refusal)| self.of_line(line, refusal).at(shown(self.file)))?;
                let (place, before) = stored(listing, (index, kind), changes, properties).at(shown(self.file))?;
                let new = match kind {
                    Kind::Tags => {
                        let tags = self.tags(&before).and_then(|tags| self.listed_tags(tags, changes, &name));
                        tags.map_err(|refusal| self.of_lines(changes, refusal))
                    }
                    _ => {
                        let label = if is_named { format!("{name}:{}", kind.name()) } else { name.clone() };
                        let start = listing.property(index, kind).and_then(|property| property.place.file_offset());
                        self.edited(
                            format,
                            before.clone(),
                            changes,
                            (&label, start.unwrap_or_default()),
                            not_edited_inside,
                        )
                    }
                };
                let new = new.map_err(in_instance)?;
                if kind == Kind::AttributesSerialize && changes.whole.is_none() && !how.any_type && new != before {
                    let settable = settable((&before, &new), changes, &self.settings.formats);
                    settable.map_err(|(line, refusal)| self.of_line(line, in_instance(refusal)))?;
                }
                // what has lost its last value has the form that the engine writes
                let is_none = new.is_empty() || (new != before && *new == [0; 4]);
                let new = if is_none { kind.none().into() } else { new };
                if new != before || changes.whole.is_some() {
                    properties.set((index, kind), (place, new)).at(shown(self.file))?;
                }
            }
            if !changes.tags.is_empty() {
                let (place, before) =
                    stored(listing, (index, Kind::Tags), &Changes::default(), properties).at(shown(self.file))?;
                let tags = self.tags(&before).and_then(|tags| {
                    let changed = tagged(tags.clone(), &changes.tags, how)?;
                    self.note_tags(&name, &tags, &changed);
                    Ok(changed.to_bytes())
                });
                let new = tags.map_err(in_instance)?;
                if new != before {
                    properties.set((index, Kind::Tags), (place, new)).at(shown(self.file))?;
                }
            }
        }
        Ok(count)
    }

    /// The tags as a whole, after the changes of this list.
    fn listed_tags(&self, before: Tags, changes: &Changes, name: &str) -> Result<Vec<u8>, Refusal> {
        refuse_if(changes.whole.is_some(), "attributes cannot take the place of tags")?;
        let mut tags = before.clone();
        for Assignment { path, pattern, edit, .. } in &changes.list {
            let is_taken = self.filter.is_none_or(|filter| filter.takes(&tags, Notation::default()));
            match edit {
                _ if !path.0.is_empty() || pattern.is_some() => {
                    return Err(usage("tags are one value; expected ={\"Lamp\"}, or --add-tag and --remove-tag"));
                }
                _ if !is_taken => continue,
                Edit::Remove => tags = Tags::default(),
                Edit::Set { text, .. } if changes.is_bare => {
                    set_bare(&mut Editor::new(&mut tags, Notation::default()), text).map_err(not_edited_inside)?;
                }
                edit => library::change(&mut tags, path, edit, Notation::default()).map_err(not_edited_inside)?,
            }
            self.fitted.set(self.fitted.get().saturating_add(1));
        }
        for tag in tags.iter().filter(|tag| !before.contains(tag)) {
            match Tags::broken_by(tag) {
                Some(TagError::TooLong) if self.how.any_key => {}
                Some(error) => return Err(not_allowed(tag, error)),
                None => {}
            }
        }
        self.note_tags(name, &before, &tags);
        Ok(tags.to_bytes())
    }

    /// Notes how the tags of an instance change.
    pub(super) fn note_tags(&self, name: &str, before: &Tags, after: &Tags) {
        if before != after {
            self.note_line(&format!("{name}:Tags"), &format!("{before} -> {after}"), Counts::one(true, true));
        }
    }

    /// The tags in these bytes, if there is memory for them.
    fn tags(&self, bytes: &[u8]) -> Result<Tags, Refusal> {
        match may_exceed(bytes, self.settings.memory()) {
            Some(reason) => Err(Status::Malformed.because(reason)),
            None => Ok(Tags::from_bytes(bytes)),
        }
    }
}

/// The instance that an address names. One from another file must be exactly that of this instance, and as many instances must have
/// its path there.
fn from_elsewhere(
    listing: &Listing,
    wanted: &Wanted,
    from: &AddressFrom,
    known: &mut HashMap<usize, usize>,
) -> Result<Named, Refusal> {
    let text = wanted.to_string();
    let is_sign = |address: &Address| address.components().first().is_some_and(|name| name.sign_text().is_some());
    if wanted.address().as_ref().is_some_and(is_sign) {
        let reason = "may be another instance in another file";
        return Err(usage(format!("{text} {reason}; give the address of the instance in this one")));
    }
    let found = Named::by(listing, &text)?;
    let Some(index) = found.instances.first().copied().filter(|_| !found.is_pattern) else { return Ok(found) };
    let here = listing.address(index);
    if wanted.address().map(|address| address.with_property(None)).as_ref() != Some(&here) {
        let here = escaped(here);
        let reason = format!("no instance {text:?}: in this file, it could only be {here:?}");
        return Err(Status::NotFound.because(format!("{reason}; give that address if it is meant")));
    }
    if let AddressFrom::Other { counts } = from {
        let around = iter::successors(Some(index), |index| listing.instance(*index)?.parent);
        let mut count = |index: usize| {
            if !known.contains_key(&index) {
                let all = listing.namesakes(index);
                known.extend(all.iter().map(|index| (*index, all.len())));
            }
            known.get(&index).copied().unwrap_or_default()
        };
        let mut own: Vec<_> = around.take(counts.len()).map(&mut count).collect();
        own.reverse();
        let is_only = [&own, counts].iter().all(|counts| counts.last() == Some(&1));
        let names = here.without_numbers();
        let different = (1..).zip(own.iter().zip(counts)).collect::<Vec<_>>();
        let different = different.into_iter().rev().find(|(_, (here, there))| here != there);
        if let Some((length, (here, there))) = different.filter(|_| !is_only) {
            let around = Address::new(Syntax::Instances, names.into_iter().take(length));
            let reason = format!("{text} may be another instance: this file has {here} and the other {there}");
            let advice = "give the address in this file after --to FILE";
            return Err(usage(format!("{reason} with the path {around}; {advice}")));
        }
    }
    Ok(found)
}

/// True if a name of an address has a number.
fn is_numbered(address: &Address) -> bool {
    address.components().iter().any(|component| component.index().is_some())
}

/// Refuses lines of an unknown file that name some of the instances that have the same path. In that file, there may be more or
/// fewer of them. The lines must name all, or all that have the value.
fn all_named(listing: &Listing, named: &NamedByLines) -> Result<(), (Option<usize>, Refusal)> {
    let mut seen = HashSet::new();
    for ((index, kind, key), line) in named {
        if seen.contains(&(*index, kind, key)) {
            continue;
        }
        let all = listing.namesakes(*index);
        seen.extend(all.iter().map(|index| (*index, kind, key)));
        let is_named = |index: &usize| named.contains_key(&(*index, *kind, key.clone()));
        let bytes = |index| listing.property(index, *kind).map(|property| listing.read(&property));
        let has = |index: &usize| match (bytes(*index), key) {
            (Some(Ok(bytes)), Some(key)) => enginewire::roblox::attributes::decode(&bytes)
                .is_ok_and(|attributes| attributes.entries().iter().any(|entry| *entry.key == **key)),
            // what has no bytes is not listed
            (Some(Ok(bytes)), None) => !bytes.is_empty(),
            (property, key) => property.is_some() && key.is_none(),
        };
        if all.len() < 2 || all.iter().all(is_named) || all.iter().all(|index| is_named(index) == has(index)) {
            continue;
        }
        let (count, path) = (all.iter().filter(|index| is_named(index)).count(), escaped(listing.path(*index)));
        let what = key.as_ref().map_or(kind.name().to_owned(), |key| escaped(BStr::new(key)));
        let reason =
            format!("the lines name {count} of the {} instances {path}, and not all that have {what}", all.len());
        let reason = format!("{reason}: those of another file may have other numbers; if the lines are of this file");
        return Err((*line, usage(format!("{reason}, begin each with its name and a tab"))));
    }
    Ok(())
}

/// Why a reference is not changed.
fn unchangeable(listing: &Listing, reference: &AttributeReference<'_>) -> Refusal {
    let (key, target) = (escaped(reference.key), models::reference_text(listing, reference));
    let path = escaped(listing.path(reference.instance));
    let property = format!("{}{key}", AttributeReference::PREFIX);
    usage(format!(
        "{key} of {path} is a reference to {target}, which cannot be changed here; change {property} in the XML"
    ))
}

/// The changes without those that set a reference to its present target; `None` if there are no such changes. Any other change of
/// a reference is refused: a reference is not a value among the attributes, but a property of its own.
fn without_references(listing: &Listing, index: usize, changes: &Changes) -> Result<Option<Changes>, Refusal> {
    let references: HashMap<&[u8], _> =
        listing.references_of(index).map(|reference| (reference.key.as_bytes(), reference)).collect();
    let mut list = Vec::new();
    for change in changes.list.iter().take_while(|_| !references.is_empty()) {
        let Some(reference) = change.path.0.first().and_then(text_of).and_then(|key| references.get(key)) else {
            list.push(change.clone());
            continue;
        };
        let target = models::reference_text(listing, reference);
        let is_same = match &change.edit {
            Edit::Set { text, .. } => text.trim() == target,
            Edit::SetPlain(json) => serde_json::from_str::<String>(json).is_ok_and(|text| text == target),
            _ => false,
        };
        if !is_same || change.path.0.len() > 1 {
            return Err(unchangeable(listing, reference));
        }
    }
    let is_less = !references.is_empty() && list.len() < changes.list.len();
    Ok(is_less.then(|| {
        let Changes { address, whole, is_bare, from, .. } = changes;
        let (address, whole, from) = (address.clone(), whole.clone(), from.clone());
        Changes { address, whole, list, is_bare: *is_bare, from, ..Changes::default() }
    }))
}

/// The bytes of a property that changes, as they are so far.
fn stored(
    listing: &Listing,
    (index, kind): (usize, Kind),
    changes: &Changes,
    properties: &Properties,
) -> Result<(InstancePlace, Vec<u8>), Refusal> {
    let malformed = |message: String| Status::Malformed.because(message);
    if let Some(property) = properties.all.get(&(index, kind)) {
        return Ok(property.clone());
    }
    let instance = listing.instance(index).ok_or_else(|| malformed("no such instance".to_owned()))?;
    let bytes = match listing.property(index, kind).map(|property| listing.read(&property)) {
        Some(Ok(bytes)) => bytes.into_vec(),
        // what is replaced as a whole may be broken
        Some(Err(error)) if changes.whole.is_none() => return Err(malformed(error.to_string())),
        _ => kind.none().to_vec(),
    };
    Ok((instance.place, bytes))
}

/// The tags with those that were added and removed.
fn tagged(mut tags: Tags, changes: &[TagChange], how: How) -> Result<Tags, Refusal> {
    for change in changes {
        match change {
            TagChange::Add(tag) => {
                let added = if how.any_key { tags.add_of_any_length(tag) } else { tags.add(tag) };
                added.map_err(|error| not_allowed(tag.as_str().into(), error))?;
            }
            TagChange::Remove(tag) => {
                // not every instance that a pattern fits has it
                if !tags.remove(tag) && !how.all {
                    return Err(Status::NotFound.because(format!("no tag {tag:?}")));
                }
            }
        }
    }
    Ok(tags)
}

fn not_allowed(tag: &BStr, error: TagError) -> Refusal {
    let more = if error == TagError::TooLong { "; --any-key sets it all the same" } else { "" };
    usage(format!("Roblox does not allow the tag \"{}\", which {error}{more}", escaped(tag)))
}

/// Refuses changes of a property that the instance cannot have, and changes that would not do what was meant. `is_named`: the
/// address names the property. `any_key`: all names are allowed. `adds_missing`: missing values are added.
fn allowed(
    listing: &Listing,
    (index, kind): (usize, Kind),
    is_named: bool,
    changes: &Changes,
    (any_key, adds_missing): (bool, bool),
) -> Result<(), (Option<usize>, Refusal)> {
    let Some(instance) = listing.instance(index) else { return Ok(()) };
    let first = changes.list.first().and_then(|change| change.line);
    let path = || named(listing, index);
    if !kind.is_attributes(instance.class) && kind != Kind::Tags {
        let (path, class) = (path(), escaped(instance.class));
        let reason = match kind {
            Kind::PropertiesSerialize => format!("{path} is not a StyleRule, but a {class}"),
            kind => format!("{path}, a {class}, has no attributes in {}", kind.name()),
        };
        return Err((first, usage(reason)));
    }
    if kind != Kind::AttributesSerialize {
        return Ok(());
    }
    let attributes = |kind: Kind| {
        let bytes = listing.property(index, kind).and_then(|property| listing.read(&property).ok()).unwrap_or_default();
        let attributes = enginewire::roblox::attributes::decode(&bytes).unwrap_or_default();
        attributes.entries().iter().map(|entry| entry.key.to_vec()).collect::<HashSet<_>>()
    };
    let keys = || changes.list.iter().filter_map(|change| Some((change, text_of(change.path.0.first()?)?)));
    if instance.class == "StyleRule" && !is_named {
        let properties = attributes(Kind::PropertiesSerialize);
        if let Some((change, key)) = keys().find(|(_, key)| properties.contains(*key)) {
            let (key, path) = (escaped(BStr::new(key)), path());
            return Err((change.line, usage(format!("the StyleRule has a property {key}: change it at the address '{path}:PropertiesSerialize', because an attribute of the same name has no effect"))));
        }
    }
    if any_key {
        return Ok(());
    }
    let known = attributes(kind);
    let outer = changes.list.iter().filter(|change| change.path.0.len() == 1);
    let new = outer.filter_map(|change| {
        let step = match &change.edit {
            Edit::Rename(key) => key,
            edit if adds(edit) && adds_missing => change.path.0.first()?,
            _ => return None,
        };
        Some((change, text_of(step)?))
    });
    for (change, key) in new.filter(|(_, key)| !known.contains(*key)) {
        let rule = KeyRules::CURRENT.broken_by(key.into());
        if key.is_empty() || rule.is_some() {
            let reason = rule.map_or_else(|| "is empty".to_owned(), |rule| rule.to_string());
            let key = escaped(BStr::new(key));
            let reason =
                format!("Roblox does not allow the name \"{key}\", which {reason}; --any-key sets it all the same");
            return Err((change.line, usage(reason)));
        }
    }
    Ok(())
}

/// Refuses attributes that no script can set, unless the file has them so already.
fn settable(
    (before, new): (&[u8], &[u8]),
    changes: &Changes,
    options: &FormatOptions,
) -> Result<(), (Option<usize>, Refusal)> {
    let options = AttributesFormat::options(options).refs(true);
    let decoded = |bytes| attributes::decode_partial(bytes, &options).value.unwrap_or_default();
    let (before, new) = (decoded(before), decoded(new));
    let Some((Entry { key, value }, rule)) = new.newly_broken(&before) else { return Ok(()) };
    let is_of = |change: &&Assignment| change.path.0.first().and_then(text_of) == Some(&key[..]);
    let line = changes.list.iter().find(is_of).and_then(|change| change.line);
    let (type_name, key) = (value.type_id().name(), escaped(BStr::new(&key[..])));
    let reason =
        format!("Roblox does not allow the {type_name} \"{key}\", which {rule}; --any-type sets it all the same");
    Err((line, usage(reason)))
}

fn text_of(step: &Step) -> Option<&[u8]> {
    match step {
        Step::Key(key) => Some(key),
        Step::Item(_) => None,
    }
}

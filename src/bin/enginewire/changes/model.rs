//! Changes of instances of models and places: their attributes and tags.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};

use bstr::BStr;
use enginewire::formats::{self as library, AnyFormat, Edit, Notation, Step, TRAILING_BYTES};
use enginewire::roblox::attributes::KeyRules;
use enginewire::roblox::model::{self, Change, InstancePlace, Kind, Listing, ModelError, TagError, Tags};

use super::{not_edited_inside, usage, Changes, FileChange, How, TagChange, NEEDS_ALL};
use crate::exit_status::Status;
use crate::files::read::may_exceed;
use crate::input::assignment::Assignment;
use crate::input::containers::more;
use crate::input::instance_path::{matching, one, split};
use crate::input::models::{self, Refusal};
use crate::input::pattern::is_pattern;
use crate::output::escape::escaped;
use crate::output::name::shown;

/// The properties that change.
struct Properties {
    /// Their places, and their bytes.
    all: BTreeMap<(usize, Kind), (InstancePlace, Vec<u8>)>,
    /// The memory that they take, and may take.
    held: usize,
    limit: usize,
}

/// About the memory that a property takes beside its bytes, here and where it is written.
const EACH: usize = 208;

impl Properties {
    /// Counts the memory of a property that had so many bytes, or was not there, and has so many now.
    fn count(&mut self, before: Option<usize>, now: usize) -> Result<(), Refusal> {
        let before = before.map_or(0, |before| before.saturating_add(EACH));
        self.held = self.held.saturating_sub(before).saturating_add(now).saturating_add(EACH);
        match self.held > self.limit {
            true => Err((Status::Malformed, more("the changed values take more memory than there is beside the file"))),
            false => Ok(()),
        }
    }
}

impl FileChange<'_> {
    /// Writes a model with the changes made, of which so many bytes are in memory already.
    pub(super) fn change_model(
        &self,
        (mut file, taken): (impl Read + Seek, usize),
        writer: &mut dyn Write,
    ) -> Result<(), Refusal> {
        let settings = self.settings;
        let options = models::options_within(settings.memory().saturating_sub(taken), settings).all_instances(true);
        let refused = |error| models::refusal(self.file, &error);
        let listing = model::list(&mut file, &options).map_err(refused)?;
        let is_broken = |problem: &&ModelError| {
            !settings.formats.is(&TRAILING_BYTES) || !matches!(problem, ModelError::Trailing { .. })
        };
        if let Some(problem) = listing.problems.iter().find(is_broken) {
            let reason = format!("the file is broken and is not changed: {}", models::problem_text(problem));
            return Err(self.at((models::status(problem), reason)));
        }
        let format = library::by_name("roblox-attributes");
        let format = format.ok_or_else(|| self.at((Status::Malformed, "no such format".to_owned())))?;
        // those of an instance that several lines change are changed one after the other
        let limit = settings.memory().saturating_sub(taken).saturating_sub(listing.memory());
        let mut properties = Properties { all: BTreeMap::new(), held: 0, limit };
        for changes in self.changes {
            self.instances(&listing, format, changes, &mut properties)?;
        }
        let Properties { all, held, .. } = properties;
        self.something_fits(all.len()).map_err(|refusal| self.at(refusal))?;
        // the edit lists the file again, so that there is memory for one listing only
        drop(listing);
        let changes = all.iter().map(|((_, kind), (place, bytes))| Change::at(*place, *kind, bytes));
        let changes: Vec<_> = changes.collect();
        model::edit_to(file, writer, &changes, self.how.store.into(), &options.taken(held)).map_err(refused)
    }

    /// Makes the changes of the instances that an address names.
    fn instances(
        &self,
        listing: &Listing,
        format: &dyn AnyFormat,
        changes: &Changes,
        properties: &mut Properties,
    ) -> Result<(), Refusal> {
        let Some(address) = &changes.address else {
            let reason = "expected the address of an instance, such as Workspace.Torch: before the changes, or in a line of --from";
            return Err(self.at(usage(reason)));
        };
        let how = self.how;
        let (path, kind) = split(listing, address);
        let is_named = kind.is_some();
        let kind = kind.unwrap_or(if how.style { Kind::PropertiesSerialize } else { Kind::AttributesSerialize });
        let found = if how.all { matching(listing, path) } else { one(listing, path).map(|index| vec![index]) };
        let found = found.map_err(|refusal| match is_pattern(address) && !how.all {
            true => self.at(usage(NEEDS_ALL)),
            false => self.at(refusal),
        })?;
        let is_taken = |index: &usize| self.filter.is_none_or(|filter| filter.takes_instance(listing, *index));
        for index in found.into_iter().filter(is_taken) {
            let name = escaped(listing.path(index));
            let in_instance =
                |(status, message): Refusal| (status, format!("{message}\n  --> {}: {name}", shown(self.file)));
            if !changes.list.is_empty() || changes.whole.is_some() {
                allowed(listing, (index, kind), is_named, changes, how).map_err(|refusal| self.at(refusal))?;
                let bytes = stored(listing, (index, kind), changes, properties);
                let bytes = bytes.map_err(|refusal| self.at(refusal))?;
                let before = std::mem::take(bytes);
                let length = before.len();
                let new = match kind {
                    Kind::Tags => self.tags(&before).and_then(|tags| listed_tags(tags, changes, how)),
                    _ => self.edited(format, before, changes).map_err(not_edited_inside),
                };
                let new = new.map_err(in_instance)?;
                *bytes = if new.is_empty() { kind.none().into() } else { new };
                let now = bytes.len();
                properties.count(Some(length), now).map_err(|refusal| self.at(refusal))?;
            }
            if !changes.tags.is_empty() {
                let bytes = stored(listing, (index, Kind::Tags), &Changes::default(), properties);
                let bytes = bytes.map_err(|refusal| self.at(refusal))?;
                let length = bytes.len();
                let tags = self.tags(bytes).and_then(|tags| tagged(tags, &changes.tags, how));
                *bytes = tags.map_err(in_instance)?;
                let now = bytes.len();
                properties.count(Some(length), now).map_err(|refusal| self.at(refusal))?;
            }
        }
        Ok(())
    }

    /// The tags in these bytes, if there is memory for them.
    fn tags(&self, bytes: &[u8]) -> Result<Tags, Refusal> {
        match may_exceed(bytes, self.settings.memory()) {
            Some(reason) => Err((Status::Malformed, reason)),
            None => Ok(Tags::from_bytes(bytes)),
        }
    }
}

/// The bytes of a property that changes, as they are so far.
fn stored<'p>(
    listing: &Listing,
    (index, kind): (usize, Kind),
    changes: &Changes,
    properties: &'p mut Properties,
) -> Result<&'p mut Vec<u8>, Refusal> {
    let malformed = |message: String| (Status::Malformed, message);
    if !properties.all.contains_key(&(index, kind)) {
        let instance = listing.instance(index).ok_or_else(|| malformed("there is no such instance".to_owned()))?;
        let bytes = match listing.property(index, kind).map(|property| property.bytes) {
            Some(Ok(bytes)) => bytes.to_vec(),
            // what is replaced as a whole may be broken
            Some(Err(error)) if changes.whole.is_none() => return Err(malformed(error.to_string())),
            _ => kind.none().to_vec(),
        };
        properties.count(None, bytes.len())?;
        properties.all.insert((index, kind), (instance.place, bytes));
    }
    let property = properties.all.get_mut(&(index, kind));
    property.map(|(_, bytes)| bytes).ok_or_else(|| malformed("there is no such property".to_owned()))
}

/// The tags with those that were added and removed.
fn tagged(mut tags: Tags, changes: &[TagChange], how: How) -> Result<Vec<u8>, Refusal> {
    for change in changes {
        match change {
            TagChange::Add(tag) => {
                let added = if how.any_key { tags.add_of_any_length(tag) } else { tags.add(tag) };
                added.map_err(|error| not_allowed(tag.as_str().into(), error))?;
            }
            TagChange::Remove(tag) => {
                // not every instance that a pattern fits has it
                if !tags.remove(tag) && !how.all {
                    return Err((Status::NotFound, format!("there is no tag {tag:?}")));
                }
            }
        }
    }
    Ok(tags.to_bytes())
}

/// The tags as a whole, after the changes of this list.
fn listed_tags(before: Tags, changes: &Changes, how: How) -> Result<Vec<u8>, Refusal> {
    if changes.whole.is_some() {
        return Err(usage("attributes cannot take the place of tags"));
    }
    let mut tags = before.clone();
    for Assignment { path, pattern, edit } in &changes.list {
        match edit {
            _ if !path.0.is_empty() || pattern.is_some() => {
                return Err(usage("tags are one value; expected ={\"Lamp\"}, or --add-tag and --remove-tag"));
            }
            Edit::Remove => tags = Tags::default(),
            edit => {
                library::change(&mut tags, path, edit, Notation::default()).map_err(not_edited_inside)?;
            }
        }
    }
    for tag in tags.iter().filter(|tag| !before.contains(tag)) {
        match Tags::broken_by(tag) {
            Some(TagError::TooLong) if how.any_key => {}
            Some(error) => return Err(not_allowed(tag, error)),
            None => {}
        }
    }
    Ok(tags.to_bytes())
}

fn not_allowed(tag: &BStr, error: TagError) -> Refusal {
    let more = if error == TagError::TooLong { "; --any-key sets it all the same" } else { "" };
    usage(format!("Roblox does not allow the tag \"{}\", which {error}{more}", escaped(tag)))
}

/// Refuses changes of a property that the instance cannot have, or that would not do what was meant. `is_named` says whether the
/// address names the property.
fn allowed(
    listing: &Listing,
    (index, kind): (usize, Kind),
    is_named: bool,
    changes: &Changes,
    how: How,
) -> Result<(), Refusal> {
    let Some(instance) = listing.instance(index) else { return Ok(()) };
    let path = || escaped(listing.path(index));
    if !kind.is_attributes(instance.class) && kind != Kind::Tags {
        let (path, class) = (path(), escaped(instance.class));
        return Err(usage(match kind {
            Kind::PropertiesSerialize => format!("{path} is not a StyleRule, but a {class}"),
            kind => format!("{path}, a {class}, has no attributes in {}", kind.name()),
        }));
    }
    if kind != Kind::AttributesSerialize {
        return Ok(());
    }
    let attributes = |kind: Kind| {
        let bytes = listing.property(index, kind).and_then(|property| property.bytes.ok()).unwrap_or_default();
        enginewire::roblox::attributes::decode(bytes).unwrap_or_default()
    };
    let keys = || changes.list.iter().filter_map(|change| Some((change, text_of(change.path.0.first()?)?)));
    if instance.class == "StyleRule" && !is_named {
        let properties = attributes(Kind::PropertiesSerialize);
        if let Some((_, key)) = keys().find(|(_, key)| properties.get(key).is_some()) {
            let (key, path) = (escaped(BStr::new(key)), path());
            return Err(usage(format!("the StyleRule has a property {key}: change it with --style or at the address '{path} PropertiesSerialize', for an attribute of the same name would have no effect")));
        }
    }
    if how.any_key {
        return Ok(());
    }
    let known = attributes(kind);
    let sets = |edit: &Edit| matches!(edit, Edit::Set { .. } | Edit::SetPlain(_));
    let is_set = |change: &Assignment| change.path.0.len() == 1 && sets(&change.edit);
    for (_, key) in keys().filter(|(change, key)| is_set(change) && known.get(key).is_none()) {
        let rule = KeyRules::CURRENT.allow_reserved().broken_by(key.into());
        if key.is_empty() || rule.is_some() {
            let reason = rule.map_or_else(|| "is empty".to_owned(), |rule| rule.to_string());
            let key = escaped(BStr::new(key));
            return Err(usage(format!(
                "Roblox does not allow the name \"{key}\", which {reason}; --any-key sets it all the same"
            )));
        }
    }
    Ok(())
}

fn text_of(step: &Step) -> Option<&[u8]> {
    match step {
        Step::Key(key) => Some(key),
        Step::Item(_) => None,
    }
}

//! The two sides of a comparison: files, and the attributes in them.

use std::cmp::Ordering;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use enginewire::formats::Described;
use enginewire::roblox::attributes::{self, Attributes, AttributesFormat, Entry};
use enginewire::roblox::model::{self, FileKind, Listing};

use crate::exit_status::Status;
use crate::files::read;
use crate::formats::HEAD;
use crate::input::models::{self, Refusal};
use crate::output::name::shown;
use crate::settings::Settings;
use crate::size::size_text;

/// A file that is compared.
pub struct Side<'d> {
    pub path: &'d Path,
    pub file: Content,
}

pub enum Content {
    Blob(Vec<u8>),
    Model(Listing),
}

/// Attributes of a file: the path of their instance, the property, and which of several such.
pub struct Place<'s> {
    pub instance: BString,
    pub property: &'static str,
    pub number: usize,
    pub path: &'s Path,
    pub source: Source<'s>,
}

/// What attributes are read from.
#[derive(Clone, Copy)]
pub enum Source<'s> {
    Blob(&'s [u8]),
    /// A property of a file, by its number.
    Property(&'s Listing, usize),
}

/// How a file begins.
fn head(path: &Path) -> Result<Vec<u8>, Refusal> {
    let mut head = Vec::new();
    let most = u64::try_from(HEAD).unwrap_or(u64::MAX);
    match File::open(path).and_then(|file| file.take(most).read_to_end(&mut head)) {
        Ok(_) => Ok(head),
        Err(error) => Err(models::unreadable(path, &error)),
    }
}

/// A file, which takes no more than half of the memory.
pub fn read<'d>(path: &'d Path, settings: &Settings) -> Result<Side<'d>, Refusal> {
    let limit = settings.memory() / 2;
    let options = models::options_within(limit, settings);
    let whole = if read::is_stream(path) { Some(models::read(path, limit)?) } else { None };
    let is_model = match &whole {
        Some(bytes) => FileKind::of(bytes).is_some(),
        None => FileKind::of(&head(path)?).is_some(),
    };
    let file = match whole {
        Some(bytes) if is_model => {
            let listing = model::list_bytes(&bytes, &options.taken(bytes.len()));
            Content::Model(listing.map_err(|error| models::refusal(path, &error))?)
        }
        None if is_model => Content::Model(models::list(path, &options, limit)?),
        Some(bytes) => Content::Blob(bytes),
        None => Content::Blob(models::read(path, limit)?),
    };
    Ok(Side { path, file })
}

/// Where a file has attributes, in order.
pub fn places_of<'s>(side: &'s Side<'_>, settings: &Settings) -> Result<Vec<Place<'s>>, Refusal> {
    let listing = match &side.file {
        Content::Blob(bytes) => {
            let source = Source::Blob(bytes);
            let property = "AttributesSerialize";
            return Ok(vec![Place { instance: BString::default(), property, number: 0, path: side.path, source }]);
        }
        Content::Model(listing) => listing,
    };
    let limit = settings.memory() / 8;
    let mut taken = 0usize;
    let mut places = Vec::new();
    let (_, over) = models::within(listing, settings.memory());
    if let Some(reason) = over {
        return Err((Status::Malformed, format!("{reason}\n  --> {}", shown(side.path))));
    }
    let properties = listing.properties().enumerate();
    for (index, property) in properties.filter(|(_, property)| model::is_attributes(listing, property)) {
        let instance = listing.path(property.instance);
        taken = taken.saturating_add(instance.len()).saturating_add(size_of::<Place<'_>>());
        if taken > limit {
            let reason = format!("the paths of the instances take more than {}", size_text(limit));
            let message = format!(
                "{reason}, an eighth of the memory limit; raise it with --max-memory\n  --> {}",
                shown(side.path)
            );
            return Err((Status::Malformed, message));
        }
        let name = property.kind.name();
        let source = Source::Property(listing, index);
        places.push(Place { instance, property: name, number: 0, path: side.path, source });
    }
    places.sort_by(|a, b| (&a.instance, a.property).cmp(&(&b.instance, b.property)));
    number(&mut places, |a, b| (&a.instance, a.property) == (&b.instance, b.property), |place| &mut place.number);
    Ok(places)
}

/// Numbers those that are the same, one after the other.
fn number<T>(items: &mut [T], is_same: impl Fn(&T, &T) -> bool, number: impl Fn(&mut T) -> &mut usize) {
    for group in items.chunk_by_mut(is_same) {
        group.iter_mut().enumerate().for_each(|(index, item)| *number(item) = index);
    }
}

impl<'s> Source<'s> {
    pub fn bytes(self) -> Option<&'s [u8]> {
        match self {
            Source::Blob(bytes) => Some(bytes),
            Source::Property(listing, index) => listing.property_at(index)?.bytes.ok().map(|bytes| bytes.as_ref()),
        }
    }
}

impl<'s> Place<'s> {
    /// What can be read, and what is wrong with the rest.
    pub fn attributes(&self, settings: &Settings) -> (Attributes<'s>, Option<Refusal>) {
        let file = shown(self.path);
        match self.source {
            Source::Blob(bytes) => {
                let partial = attributes::decode_partial(bytes, &AttributesFormat::options(&settings.formats));
                let refusal = |error: enginewire::DecodeError| {
                    (Status::from(&error), error.report(&file.to_string(), bytes).to_string())
                };
                (partial.value.unwrap_or_default(), partial.error.map(refusal))
            }
            Source::Property(listing, index) => {
                let Some(property) = listing.property_at(index) else { return (Attributes::new(), None) };
                let (attributes, error) = models::partial(&property, settings);
                let refusal = |(message, _)| {
                    let place = models::name(listing, &property);
                    (Status::Malformed, format!("{message}\n  --> {file}: {place}"))
                };
                (attributes, error.map(refusal))
            }
        }
    }
}

/// Pairs of what is in both of two sorted lists, and what is in one only, in order.
pub fn merged<'m, T, K: Ord>(
    a: &'m [T],
    b: &'m [T],
    key: impl Fn(&'m T) -> K,
) -> impl Iterator<Item = (Option<&'m T>, Option<&'m T>)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => key(a).cmp(&key(b)),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let pair = (if order.is_le() { a.next() } else { None }, if order.is_ge() { b.next() } else { None });
        (pair.0.is_some() || pair.1.is_some()).then_some(pair)
    })
}

/// Entries by their keys, and by which of several such they are.
pub fn sorted<'e>(attributes: &'e Attributes<'_>) -> Vec<(&'e BStr, usize, &'e Entry<'e>)> {
    let mut entries: Vec<_> = attributes.iter().map(|entry| (entry.key.as_bstr(), 0, entry)).collect();
    entries.sort_by_key(|(key, ..)| *key);
    number(&mut entries, |a, b| a.0 == b.0, |entry| &mut entry.1);
    entries
}

//! What one file has.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use super::limit::{largest, Limit};
use super::row::{Fact, Member, Problem, Row, Tags};
use crate::formats::guess::{signature, HEAD};
use crate::formats::{Described, FormatOptions, TRAILING_BYTES};
use crate::roblox::attributes::{self, Attributes, AttributesFormat};
use crate::roblox::model::{
    self, is_attributes, owner, owner_of_reference, place, AttributeReference, Listing, ModelError, Property,
};
use crate::wire::to_u64;
use crate::DecodeError;

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The memory that all of it may take.
    pub limit: Limit,
    trailing_bytes: bool,
    attributes: attributes::Options,
}

/// The bytes of a file.
#[derive(Clone, Copy, Debug)]
pub enum Content<'c> {
    /// Those of the file with this path.
    File(&'c Path),
    /// These, which do not count towards the limit.
    Bytes(&'c [u8]),
}

impl Scan {
    /// By the options of attributes. The name is that of the option `max_memory` in messages.
    #[must_use]
    pub fn new(options: &FormatOptions, name: &'static str) -> Self {
        Scan {
            limit: Limit { bytes: options.max_memory(), name },
            trailing_bytes: options.is(&TRAILING_BYTES),
            attributes: AttributesFormat::options(options),
        }
    }

    /// How files are listed in a part of the memory. Time is bounded in proportion to all of it.
    #[must_use]
    pub fn options(&self, part: usize) -> model::Options {
        let Limit { bytes, .. } = self.limit;
        let options = model::Options::new().max_memory(bytes).taken(bytes.saturating_sub(part));
        options.max_total(to_u64(bytes).saturating_mul(4)).trailing_bytes(self.trailing_bytes)
    }

    /// Lists the properties of a file in a part of the memory.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no model or place file.
    pub fn list(&self, content: Content<'_>, part: usize) -> Result<Listing, ModelError> {
        let options = self.options(part);
        match content {
            Content::File(path) => model::list(File::open(path)?, &options),
            Content::Bytes(bytes) => model::list(Cursor::new(bytes), &options),
        }
    }

    /// Whether a file cannot be read in this part of the memory, so that it is to be listed again in a larger one.
    #[must_use]
    pub fn needs_more(listing: &Result<Listing, ModelError>, part: usize) -> bool {
        Self::is_over_limit(listing) || listing.as_ref().is_ok_and(|listing| largest(listing) > part / 2)
    }

    /// Whether a file, or a part of it, cannot be listed within the memory.
    #[must_use]
    pub fn is_over_limit(listing: &Result<Listing, ModelError>) -> bool {
        match listing {
            Ok(listing) => listing.problems.iter().any(ModelError::is_of_limit),
            Err(error) => error.is_of_limit(),
        }
    }

    /// What to read of a file. The name is that of the file in messages.
    #[must_use]
    pub fn reading(&self, name: &str, content: Content<'_>, listing: Result<Listing, ModelError>) -> Reading {
        let listing = listing.map_err(|error| {
            let message = match &error {
                ModelError::Io(error) => format!("cannot read {name}: {error}"),
                ModelError::NotAModel => match other_kind(content) {
                    Some(about) => format!("{error}: {about}"),
                    None => error.to_string(),
                },
                // what follows is an excerpt
                error => self.with_advice(error).lines().next().unwrap_or_default().to_owned(),
            };
            (error, message)
        });
        let (count, over) = listing.as_ref().map_or((0, None), |listing| self.limit.within(listing));
        Reading { scan: *self, listing, count, over, next: 0, has_rows: false }
    }

    /// The text of an error, with how to raise a limit that was exceeded.
    fn with_advice(&self, error: &ModelError) -> String {
        match error.is_of_limit() {
            true => format!("{error}; raise the limit with {}", self.limit.name),
            false => error.to_string(),
        }
    }

    /// The attributes of a property as far as they can be read, and what is wrong with the rest.
    #[must_use]
    pub fn attributes<'p>(&self, property: &'p Property<'_>) -> (Attributes<'p>, Option<Problem<'p>>) {
        let bytes = match &property.bytes {
            Ok(bytes) => bytes,
            Err(error) => return (Attributes::new(), Some(Problem::Value(error))),
        };
        if let Some(reason) = self.limit.may_exceed(bytes.len()) {
            return (Attributes::new(), Some(Problem::Limit(reason.into())));
        }
        let partial = attributes::decode_partial(bytes, &self.attributes);
        let error = partial.error.map(DecodeError::of_complete_input);
        (partial.value.unwrap_or_default(), error.map(Problem::Decode))
    }
}

/// What a file is that is not a model, if its first bytes tell.
fn other_kind(content: Content<'_>) -> Option<&'static str> {
    let mut head = Vec::new();
    let bytes = match content {
        Content::File(path) => {
            File::open(path).and_then(|file| file.take(to_u64(HEAD)).read_to_end(&mut head)).ok()?;
            &head
        }
        Content::Bytes(bytes) => bytes.get(..HEAD).unwrap_or(bytes),
    };
    Some(signature(bytes)?.about)
}

/// A file that was listed, and whose rows are made.
#[derive(Debug)]
pub struct Reading {
    scan: Scan,
    listing: Result<Listing, (ModelError, String)>,
    /// How many properties are to be read.
    count: usize,
    /// Why these are not all.
    over: Option<String>,
    /// The index of the next property; after the properties, their number plus the index of the next reference.
    next: usize,
    has_rows: bool,
}

impl Reading {
    /// Gives the rows of one more property or reference, or the last rows. Whether there are more to come.
    pub fn step(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> bool {
        let (index, mut has_rows) = (self.next, self.has_rows);
        let has_more = self.rows(index, &mut |row| {
            has_rows = true;
            each(row);
        });
        (self.next, self.has_rows) = (index.saturating_add(1), has_rows);
        if !has_more && !has_rows {
            each(&Row::of_file(Fact::Nothing));
        }
        has_more
    }

    fn rows(&self, index: usize, each: &mut dyn FnMut(&Row<'_>)) -> bool {
        let mut problem = |problem| each(&Row::of_file(Fact::Problem(problem)));
        let listing = match &self.listing {
            Ok(listing) => listing,
            Err((error, message)) => {
                problem(Problem::Unread { message, error: Some(error) });
                return false;
            }
        };
        let count = self.count.min(listing.properties().len());
        let reference = index.checked_sub(count).map(|index| listing.reference_at(index));
        match (listing.property_at(index), reference) {
            (Some(property), None) => self.property(listing, &property, each),
            (_, Some(Some(reference))) => {
                let owner = owner_of_reference(listing, &reference);
                each(&Row { owner: &owner, ..Row::of_file(fact_of(listing, &reference)) });
            }
            _ => {
                if let Some(reason) = &self.over {
                    problem(Problem::Limit(reason.into()));
                }
                listing.problems.iter().for_each(|error| problem(Problem::File(error)));
                return false;
            }
        }
        true
    }

    fn property(&self, listing: &Listing, property: &Property<'_>, each: &mut dyn FnMut(&Row<'_>)) {
        let mut members: Option<[Vec<Member>; 2]> = None;
        let mut row = |fact| {
            let [owner, place] = members.get_or_insert_with(|| [owner(listing, property), place(property)]);
            each(&Row { owner, place, property: Some((listing, property)), fact });
        };
        if !is_attributes(listing, property) {
            match &property.bytes {
                Err(error) => row(Fact::Problem(Problem::Value(error))),
                Ok(_) if property.tags().next().is_some() => row(Fact::Tags(Tags(property))),
                Ok(_) => {}
            }
            return;
        }
        let (attributes, problem) = self.scan.attributes(property);
        for entry in &attributes {
            row(Fact::Attribute(entry));
        }
        if let Some(problem) = problem {
            row(Fact::Problem(problem));
        }
    }

    /// Why the file cannot be read, if it cannot.
    #[must_use]
    pub fn error(&self) -> Option<&ModelError> {
        self.listing.as_ref().err().map(|(error, _)| error)
    }

    /// What was listed, if the file could be read.
    #[must_use]
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref().ok()
    }

    /// The properties that have attributes and are read.
    pub fn attributes(&self) -> impl Iterator<Item = Property<'_>> {
        self.listing().into_iter().flat_map(|listing| {
            listing.properties().take(self.count).filter(|property| is_attributes(listing, property))
        })
    }
}

fn fact_of(listing: &Listing, reference: &AttributeReference<'_>) -> Fact<'static> {
    let target = reference.referent.map(|_| listing.reference_text(reference));
    Fact::Reference { key: String::from_utf8_lossy(reference.key).into_owned(), target }
}

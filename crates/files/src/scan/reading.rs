//! Reading one file.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use super::limit::{largest, Limit};
use super::row::{Fact, Member, Problem, Row, Tags};
use crate::guess::signature;
use crate::roblox::model::{self, is_attributes, owner, owner_of_reference, place, Listing, ModelError, Property};
use enginewire::formats::{Described, FormatOptions, TRAILING_BYTES};
use enginewire::number::to_u64;
use enginewire::roblox::attributes::{self, Attributes, AttributesFormat};
use enginewire::signature::HEAD;
use enginewire::DecodeError;

/// The options to read files with.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The limit of memory.
    pub limit: Limit,
    trailing_bytes: bool,
    attributes: attributes::Options,
}

/// The bytes of a file.
#[derive(Clone, Copy, Debug)]
pub enum Content<'c> {
    /// The bytes of the file with this path.
    File(&'c Path),
    /// These bytes, which do not count towards the limit.
    Bytes(&'c [u8]),
}

impl Scan {
    /// Takes the limits of memory and depth, and the leniencies, from the options of attributes. `name` is the name of the
    /// option `max_memory` in messages.
    #[must_use]
    pub fn new(options: &FormatOptions, name: &'static str) -> Self {
        Scan {
            limit: Limit { bytes: options.max_memory(), name },
            trailing_bytes: options.is(&TRAILING_BYTES),
            attributes: AttributesFormat::options(options),
        }
    }

    /// The options to list a file in this part of the memory. Time is bounded in proportion to all of it.
    #[must_use]
    pub fn options(&self, part: usize) -> model::Options {
        let Limit { bytes, .. } = self.limit;
        let options = model::Options::new().max_memory(bytes).taken(bytes.saturating_sub(part));
        options.max_total(to_u64(bytes).saturating_mul(4)).trailing_bytes(self.trailing_bytes)
    }

    /// Lists the properties of a file in this part of the memory.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not a model or place file.
    pub fn list(&self, content: Content<'_>, part: usize) -> Result<Listing, ModelError> {
        let options = self.options(part);
        match content {
            Content::File(path) => model::list_file(File::open(path)?, &options),
            Content::Bytes(bytes) => model::list(Cursor::new(bytes), &options),
        }
    }

    /// Returns whether a file must be listed again in a larger part of the memory than this.
    #[must_use]
    pub fn needs_more(listing: &Result<Listing, ModelError>, part: usize) -> bool {
        Self::is_over_limit(listing) || listing.as_ref().is_ok_and(|listing| largest(listing) > part / 2)
    }

    /// Returns whether a file, or a part of it, exceeds the memory that it was listed in.
    #[must_use]
    pub fn is_over_limit(listing: &Result<Listing, ModelError>) -> bool {
        match listing {
            Ok(listing) => listing.problems.iter().any(ModelError::is_of_limit),
            Err(error) => error.is_of_limit(),
        }
    }

    /// Starts to give the rows of a file that was listed. `name` is the name of the file in messages.
    #[must_use]
    pub fn reading(&self, name: &str, content: Content<'_>, listing: Result<Listing, ModelError>) -> Reading {
        let listing = listing.map_err(|error| {
            let text = self.refusal(name, content, &error);
            let message = match &error {
                ModelError::Io(_) => text,
                // an excerpt may follow
                _ => text.lines().next().unwrap_or_default().to_owned(),
            };
            (error, message)
        });
        let (count, over) = listing.as_ref().map_or((0, None), |listing| self.limit.within(listing));
        Reading { scan: *self, listing, count, over, next: 0, has_rows: false }
    }

    /// The text of the error of a file that cannot be listed. `name` is the name of the file.
    #[must_use]
    pub fn refusal(&self, name: &str, content: Content<'_>, error: &ModelError) -> String {
        match error {
            ModelError::Io(error) => format!("cannot read {name}: {error}"),
            ModelError::NotAModel => match other_kind(content) {
                Some(about) => format!("{error}: {about}"),
                None => error.to_string(),
            },
            error => self.error_text(error),
        }
    }

    /// The text of an error, with the name of the option if a limit was exceeded.
    #[must_use]
    pub fn error_text(&self, error: &ModelError) -> String {
        match error.is_of_limit() {
            true => format!("{error}; raise the limit with {}", self.limit.name),
            false => error.to_string(),
        }
    }

    /// The attributes of a property up to its first error, and that error.
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

/// The kind of a file that is not a model, if its first bytes are known.
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

/// A file that was listed, and gives its rows.
#[derive(Debug)]
pub struct Reading {
    scan: Scan,
    listing: Result<Listing, (ModelError, String)>,
    /// The number of properties to read.
    count: usize,
    /// The reason if these are not all.
    over: Option<String>,
    /// The index of the next property; after the properties, their number plus the index of the next reference.
    next: usize,
    has_rows: bool,
}

impl Reading {
    /// Calls `each` for the rows of one more property or reference, or for the last rows. Returns whether more rows may come.
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
            (Some(property), None) => {
                listing.with_bytes(property, |property| self.property(listing, &property, each));
            }
            (_, Some(Some(reference))) => {
                let owner = owner_of_reference(listing, &reference);
                let key = String::from_utf8_lossy(reference.key).into_owned();
                let target = reference.referent.map(|_| listing.reference_text(&reference));
                each(&Row { owner: &owner, ..Row::of_file(Fact::Reference { key, target }) });
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

    /// The error, if the file could not be listed.
    #[must_use]
    pub fn error(&self) -> Option<&ModelError> {
        self.listing.as_ref().err().map(|(error, _)| error)
    }

    /// The list of properties, unless there was an error.
    #[must_use]
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref().ok()
    }

    /// The properties to read that have attributes.
    pub fn attributes(&self) -> impl Iterator<Item = Property<'_>> {
        self.listing().into_iter().flat_map(|listing| {
            listing.properties().take(self.count).filter(|property| is_attributes(listing, property))
        })
    }
}

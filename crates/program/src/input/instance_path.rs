//! Instances of a model file by their addresses.

use bstr::BStr;
use enginewire::formats::nearest;
use enginewire_files::address::{Address, Pattern, Syntax};
use enginewire_files::roblox::model::{AttributeReference, Kind, Listing};

use crate::exit_status::{usage, Refusal, Status};
use crate::input::wanted::Wanted;
use crate::output::escape::{argument, escaped};

/// The maximum number of instances with the same path that an error lists.
const LISTED: usize = 20;

/// The instances that ADDRESS names, and the property.
#[derive(Debug)]
pub struct Named {
    /// In ascending order: one, or all that a pattern fits.
    pub instances: Vec<usize>,
    /// True if a pattern named them.
    pub is_pattern: bool,
    pub property: Option<Property>,
}

/// A property that ADDRESS names after a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    Kind(Kind),
    /// The attribute with this name, which holds a reference.
    Reference(String),
}

impl Named {
    /// The instances of a file that a text names.
    pub fn by(listing: &Listing, text: &str) -> Result<Self, Refusal> {
        let wanted = Wanted::parse(Syntax::Instances, text)?;
        let property = match wanted.pattern().and_then(Pattern::property) {
            None => None,
            Some(name) => Some(property_of(name)?),
        };
        if wanted.address().is_some_and(|address| address.is_hidden()) {
            let reason =
                "a property with [#…] is hidden by a later one; leave out [#…] for the one that Roblox Studio reads";
            return Err(usage(format!("{text}: {reason}")));
        }
        let (instances, is_pattern) = match wanted.pattern() {
            Some(pattern) => (listing.matching(pattern), wanted.is_pattern()),
            None => (listing.find(BStr::new(text)).collect(), false),
        };
        match instances.len() {
            0 if is_pattern => Err(Status::NotFound.because(format!("no instance is like {text:?}"))),
            0 => Err(missing(listing, &wanted)),
            1 => Ok(Named { instances, is_pattern, property }),
            _ if is_pattern => Ok(Named { instances, is_pattern, property }),
            count => {
                let addresses: Vec<_> = instances.iter().take(LISTED).map(|index| named(listing, *index)).collect();
                let addresses = addresses.join(" ");
                let more = match count.saturating_sub(LISTED) {
                    0 => String::new(),
                    more => format!(", and {more} more"),
                };
                let reason = format!("{count} instances have the path {text:?}; use one of these instead");
                Err(usage(format!("{reason}: {addresses}{more}")))
            }
        }
    }

    /// The property, if it is one of those that hold values.
    pub fn kind(&self) -> Option<Kind> {
        match self.property {
            Some(Property::Kind(kind)) => Some(kind),
            Some(Property::Reference(_)) | None => None,
        }
    }

    /// The name of the attribute that holds a reference, if that is named.
    pub fn reference(&self) -> Option<&str> {
        match &self.property {
            Some(Property::Reference(key)) => Some(key),
            Some(Property::Kind(_)) | None => None,
        }
    }
}

fn property_of(name: &BStr) -> Result<Property, Refusal> {
    let key = name.strip_prefix(AttributeReference::PREFIX.as_bytes());
    let reference = key.map(|key| Property::Reference(String::from_utf8_lossy(key).into_owned()));
    let kind = || Kind::of(name).map(Property::Kind);
    reference.or_else(kind).ok_or_else(|| {
        let known: Vec<_> = Kind::ALL.into_iter().map(Kind::name).collect();
        usage(format!("no property {} holds values; those that do are {}", escaped(name), known.join(", ")))
    })
}

/// The error for an address that no instance has, with the addresses that are most like it.
fn missing(listing: &Listing, wanted: &Wanted) -> Refusal {
    let text = wanted.to_string();
    // the form of earlier versions
    if let Some((instance, property)) = text.rsplit_once(' ')
        && property_of(BStr::new(property)).is_ok()
        && let Some(index) = listing.find(BStr::new(instance)).next()
    {
        return usage(format!("the property follows a colon: {}:{property}", named(listing, index)));
    }
    Status::NotFound.because(missing_text(listing, wanted, &text))
}

fn missing_text(listing: &Listing, wanted: &Wanted, text: &str) -> String {
    if let Some(address) = wanted.address()
        && let Some((last, around)) = address.components().split_last()
        && last.index().is_some()
    {
        let names = around.iter().cloned().chain([last.clone().numbered(None)]);
        let others = listing.with_address(&Address::new(Syntax::Instances, names));
        if let Some(first) = others.first() {
            let first = named(listing, *first);
            return match others.len() {
                1 => format!("no instance {text:?}; there is only {first}"),
                count => format!("no instance {text:?}; there are {count}, and the first is {first}"),
            };
        }
    }
    // the name of an instance, or the end of its path
    let anywhere = format!("**.{text}");
    let somewhere = Pattern::parse(Syntax::Instances, &anywhere).ok();
    if somewhere.is_some_and(|pattern| !listing.matching(&pattern).is_empty()) {
        return format!("no instance {text:?}; did you mean {}?", argument(&anywhere));
    }
    let paths = (0..listing.instances().len()).map(|index| listing.address(index).to_string());
    let similar: Vec<_> = nearest(text, paths).into_iter().map(|path| argument(&path)).collect();
    match similar.is_empty() {
        true => format!("no instance {text:?}"),
        false => format!("no instance {text:?}; did you mean {}?", similar.join(" or ")),
    }
}

/// The address of an instance, escaped. No other instance has the same address.
pub fn named(listing: &Listing, index: usize) -> String {
    escaped(listing.address(index))
}

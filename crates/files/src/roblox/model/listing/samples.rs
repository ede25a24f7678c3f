//! Listings for tests.

#![allow(clippy::arithmetic_side_effects)] // a test may panic

use super::stored::{StoredInstance, StoredReferent, Text, NONE};
use super::Listing;
use crate::roblox::model::FileKind;
use enginewire::budget::Budget;

/// A listing with room for tables, or without, of instances with such parents and names.
pub(super) fn listing(kind: FileKind, room: bool, instances: impl Iterator<Item = (u32, String)>) -> Listing {
    let mut listing = Listing::new(kind);
    let mut budget = Budget::new(1 << 30);
    let mut class = 0;
    for (index, (parent, name)) in (0u64..).zip(instances) {
        // some have the same referent
        let referent = match kind {
            FileKind::Binary => StoredReferent::Number(i32::try_from(index / 2).unwrap() - 2),
            FileKind::Xml => {
                StoredReferent::Text(listing.keep(&mut budget, (index / 2).to_string().as_bytes()).unwrap())
            }
        };
        if index % 5 == 0 {
            class = listing.add_class(&mut budget, Text::default(), 32 + index).unwrap();
        }
        let place = if kind == FileKind::Binary { index % 5 } else { 10 * index };
        let name = listing.keep(&mut budget, name.as_bytes()).unwrap();
        listing.add_instance(&mut budget, StoredInstance { class, parent, name, referent, place, number: 0 }).unwrap();
    }
    listing.number(&budget);
    let mut left = if room { budget } else { Budget::new(0) };
    listing.index(&mut left).unwrap();
    listing
}

/// Each instance is in the one before it.
pub(super) fn chain(names: &[&str]) -> Listing {
    let parents = std::iter::once(NONE).chain(0..);
    listing(FileKind::Binary, true, parents.zip(names.iter().map(|name| (*name).to_owned())))
}

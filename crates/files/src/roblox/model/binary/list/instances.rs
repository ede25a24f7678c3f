//! The instances of a file, and which of them are listed.

use std::collections::HashSet;

use super::classes::{Class, Classes};
use super::parents::Parents;
use crate::roblox::model::listing::{Listing, StoredInstance, StoredReferent, Text, NONE};
use enginewire::budget::{Budget, OverBudget};
use enginewire::number::to_usize;

/// Adds all instances to a listing, or those with properties and those above them, in the order of the file. Gives their
/// numbers in the file. The properties of the listing have such numbers until now, and indices of instances from now on.
pub(super) fn add_instances(
    budget: &mut Budget,
    classes: &Classes,
    parents: &Parents,
    listing: &mut Listing,
    all: bool,
) -> Result<Vec<u32>, OverBudget> {
    let wanted = if all { None } else { Some(needed(budget, classes, listing, parents)?) };
    // most instances are not needed, which this tells sooner
    let range = wanted.as_ref().map_or((i32::MIN, i32::MAX), |wanted| {
        (wanted.iter().copied().min().unwrap_or(i32::MAX), wanted.iter().copied().max().unwrap_or(i32::MIN))
    });
    // referents, and the numbers of their instances
    let mut index: Vec<(i32, u32)> = Vec::new();
    if all {
        budget.grow(&mut index, classes.instance_count())?;
    }
    for class in classes.iter() {
        for (number, referent) in (class.first..).zip(&class.referents) {
            let is_near = (range.0..=range.1).contains(referent);
            if is_near && wanted.as_ref().is_none_or(|wanted| wanted.contains(referent)) {
                budget.push(&mut index, (*referent, number))?;
            }
        }
    }
    let mut numbers: Vec<u32> = Vec::new();
    budget.grow(&mut numbers, index.len())?;
    numbers.extend(index.iter().map(|(_, number)| *number));
    index.sort_unstable();
    numbers.sort_unstable();
    let position = |number: u32| numbers.binary_search(&number).ok().and_then(|at| u32::try_from(at).ok());

    listing.expect_instances(budget, numbers.len())?;
    let mut rest = classes.iter().peekable();
    let mut current: Option<(&Class, u32)> = None;
    for number in &numbers {
        while let Some(class) = rest.next_if(|class| class.first <= *number) {
            current = Some((class, NONE));
        }
        let Some((class, added)) = &mut current else { continue };
        if *added == NONE {
            *added = listing.add_class(budget, class.name, class.chunk.offset)?;
        }
        let place = number.saturating_sub(class.first);
        let referent = class.referents.get(to_usize(place)).copied().unwrap_or_default();
        let parent = parents.of(referent).and_then(|parent| {
            let first = index.get(index.partition_point(|(other, _)| *other < parent))?;
            (first.0 == parent).then_some(first.1)
        });
        let instance = StoredInstance {
            class: *added,
            parent: parent.and_then(position).unwrap_or(NONE),
            name: Text::default(),
            referent: StoredReferent::Number(referent),
            place: place.into(),
            number: 0,
        };
        listing.add_instance(budget, instance)?;
    }
    if !all {
        for property in listing.stored_properties_mut() {
            property.instance = position(property.instance).unwrap_or(NONE);
        }
    }
    budget.give_back(index.capacity().saturating_mul(size_of::<(i32, u32)>()));
    Ok(numbers)
}

/// The referents of the instances with properties, and of all instances above them.
fn needed(
    budget: &mut Budget,
    classes: &Classes,
    listing: &Listing,
    parents: &Parents,
) -> Result<HashSet<i32>, OverBudget> {
    let mut needed = HashSet::new();
    let mut last = None;
    for property in listing.stored_properties() {
        if last.replace(property.instance) == Some(property.instance) {
            continue;
        }
        let mut next = classes.referent(property.instance);
        while let Some(referent) = next {
            // the next one may double it
            budget.room_for(needed.len().saturating_mul(32))?;
            if !needed.insert(referent) {
                break;
            }
            next = parents.of(referent);
        }
    }
    budget.take(needed.capacity().saturating_mul(8))?;
    Ok(needed)
}

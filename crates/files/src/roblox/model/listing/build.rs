//! The functions that readers of files use to fill a listing.

use std::collections::HashMap;

use super::stored::{
    StoredBytes, StoredChunk, StoredClass, StoredInstance, StoredPlace, StoredProperty, StoredReference,
    StoredReferent, Text, NONE,
};
use super::Listing;
use crate::roblox::model::binary::{ChunkRef, Compression};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::property::XmlPlace;
use crate::roblox::model::FileKind;
use enginewire::budget::{Budget, OverBudget};
use enginewire::number::to_usize;

/// About the memory that a problem or warning takes, with its text, in bytes. Twice, because their list doubles as it grows.
pub(crate) const PROBLEM: usize = 2 * (size_of::<ModelError>() + 256);

/// About the memory that an entry of a map of texts takes while references are resolved, and one of a list, in bytes.
const ENTRY: usize = 64;

/// Sorts items by the instance that each belongs to. Those of one instance keep their order. In files, most are sorted. A sort for
/// each type would take room in modules of WebAssembly.
pub(crate) fn sort_by_instance<T>(items: &mut Vec<T>, instance: impl Fn(&T) -> u32) {
    if items.is_sorted_by_key(&instance) {
        return;
    }
    let mut order: Vec<(u32, usize)> = items.iter().map(instance).zip(0..).collect();
    order.sort_unstable();
    let mut places: Vec<_> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|(_, place)| places.get_mut(place)?.take()));
}

impl Listing {
    pub(crate) fn new(kind: FileKind) -> Self {
        Listing { is_xml: kind == FileKind::Xml, ..Listing::default() }
    }

    /// Adds a text or value.
    #[inline]
    pub(crate) fn keep(&mut self, budget: &mut Budget, bytes: &[u8]) -> Result<Text, OverBudget> {
        if bytes.is_empty() {
            return Ok(Text::default());
        }
        let room = self.text.capacity().saturating_sub(self.text.len());
        if room < bytes.len() {
            budget.grow(&mut self.text, bytes.len())?;
        }
        let most = u32::try_from(self.text.len()).ok().zip(u32::try_from(bytes.len()).ok());
        let (start, length) = most.ok_or(OverBudget { limit: to_usize(u32::MAX) })?;
        start.checked_add(length).ok_or(OverBudget { limit: to_usize(u32::MAX) })?;
        self.text.extend_from_slice(bytes);
        Ok(Text { start, length })
    }

    /// Adds a warning, if it is one of the first and there is memory for it.
    #[cold]
    pub(crate) fn warn(&mut self, budget: &mut Budget, warning: ModelError) {
        self.warning_count = self.warning_count.saturating_add(1);
        if self.warnings.len() < Self::MOST_WARNINGS && budget.take(PROBLEM).is_ok() {
            self.warnings.push(warning);
        }
    }

    /// Makes room for `bytes` more bytes of texts and values.
    pub(crate) fn make_room(&mut self, budget: &mut Budget, bytes: usize) -> Result<(), OverBudget> {
        if self.text.capacity().saturating_sub(self.text.len()) < bytes {
            budget.grow(&mut self.text, bytes)?;
        }
        Ok(())
    }

    /// Adds a class and returns its index.
    pub(crate) fn add_class(&mut self, budget: &mut Budget, name: Text, offset: u64) -> Result<u32, OverBudget> {
        let number = index_of(&self.classes)?;
        budget.push(&mut self.classes, StoredClass { name, offset })?;
        Ok(number)
    }

    /// Adds an instance and returns its index.
    pub(crate) fn add_instance(&mut self, budget: &mut Budget, instance: StoredInstance) -> Result<u32, OverBudget> {
        let index = index_of(&self.instances)?;
        budget.push(&mut self.instances, instance)?;
        Ok(index)
    }

    /// Makes room for `count` more instances.
    pub(crate) fn expect_instances(&mut self, budget: &mut Budget, count: usize) -> Result<(), OverBudget> {
        budget.grow(&mut self.instances, count)
    }

    /// Makes room for `count` more properties.
    pub(crate) fn expect_properties(&mut self, budget: &mut Budget, count: usize) -> Result<(), OverBudget> {
        if self.properties.capacity().saturating_sub(self.properties.len()) < count {
            budget.grow(&mut self.properties, count)?;
        }
        Ok(())
    }

    pub(crate) fn add_property(&mut self, budget: &mut Budget, property: StoredProperty) -> Result<(), OverBudget> {
        budget.push(&mut self.properties, property)
    }

    /// Adds a property of an XML file. Its bytes may be set later.
    pub(crate) fn add_element(
        &mut self,
        budget: &mut Budget,
        instance: u32,
        kind: Kind,
        place: XmlPlace,
        bytes: StoredBytes,
    ) -> Result<(), OverBudget> {
        let element = index_of(&self.elements)?;
        budget.push(&mut self.elements, place)?;
        self.add_property(budget, StoredProperty { instance, kind, place: StoredPlace::Xml(element), bytes })
    }

    /// Adds an attribute that holds a reference.
    pub(crate) fn add_reference(
        &mut self,
        budget: &mut Budget,
        instance: u32,
        key: Text,
        text: Text,
    ) -> Result<(), OverBudget> {
        budget.push(&mut self.references, StoredReference { instance, key, text, target: NONE })
    }

    /// Adds a chunk that has values and returns its index.
    pub(crate) fn add_chunk(
        &mut self,
        budget: &mut Budget,
        chunk: ChunkRef,
        compression: Compression,
    ) -> Result<u32, OverBudget> {
        let number = index_of(&self.chunks)?;
        budget.push(&mut self.chunks, StoredChunk { chunk, compression })?;
        Ok(number)
    }

    pub(crate) fn stored_instances_mut(&mut self) -> &mut Vec<StoredInstance> {
        &mut self.instances
    }

    pub(crate) fn stored_properties_mut(&mut self) -> &mut Vec<StoredProperty> {
        &mut self.properties
    }

    pub(crate) fn stored_properties(&self) -> &[StoredProperty] {
        &self.properties
    }

    /// Finds the instances that references refer to: the first with the referent.
    pub(crate) fn resolve(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let size = self.references.len().saturating_mul(ENTRY);
        budget.take(size)?;
        let mut found: HashMap<&[u8], u32> = HashMap::with_capacity(self.references.len());
        found.extend(self.references.iter().map(|reference| (self.text(reference.text), NONE)));
        for (index, instance) in (0..NONE).zip(&self.instances) {
            let StoredReferent::Text(referent) = instance.referent else { continue };
            if let Some(target) = found.get_mut(self.text(referent)).filter(|target| **target == NONE) {
                *target = index;
            }
        }
        let targets: Vec<_> =
            self.references.iter().filter_map(|reference| found.get(self.text(reference.text)).copied()).collect();
        for (reference, target) in self.references.iter_mut().zip(targets) {
            reference.target = target;
        }
        budget.give_back(size);
        Ok(())
    }

    /// Removes the properties without bytes.
    pub(crate) fn without_empty(&mut self) {
        self.properties.retain(|property| !matches!(property.bytes, StoredBytes::Here(Text { length: 0, .. })));
    }

    /// Removes the instances that have no property or reference, are not referred to, and are not ancestors of others that stay.
    pub(crate) fn without_others(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let count = self.instances.len();
        let size = count.saturating_mul(size_of::<u32>());
        budget.take(size)?;
        // first 0 for each instance that stays, then its new index
        let mut places = vec![NONE; count];
        let owners = self.properties.iter().map(|property| property.instance);
        let referring = self.references.iter().flat_map(|reference| [reference.instance, reference.target]);
        for owner in owners.chain(referring) {
            let mut next = owner;
            while let Some(place) = places.get_mut(to_usize(next)).filter(|place| **place == NONE) {
                *place = 0;
                next = self.instances.get(to_usize(next)).map_or(NONE, |instance| instance.parent);
            }
        }
        let mut wanted = 0u32;
        for place in places.iter_mut().filter(|place| **place != NONE) {
            *place = wanted;
            wanted = wanted.saturating_add(1);
        }
        let moved = |old: u32| places.get(to_usize(old)).copied().unwrap_or(NONE);
        let mut index = 0usize;
        self.instances.retain_mut(|instance| {
            let keep = places.get(index).is_some_and(|place| *place != NONE);
            index = index.saturating_add(1);
            instance.parent = moved(instance.parent);
            keep
        });
        for property in &mut self.properties {
            property.instance = moved(property.instance);
        }
        for reference in &mut self.references {
            reference.instance = moved(reference.instance);
            reference.target = moved(reference.target);
        }
        drop(places);
        budget.give_back(size);
        Ok(())
    }

    /// Sorts the properties so that they can be looked up. The tables of instances may take what is left of the budget.
    pub(crate) fn index(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let count = index_of(&self.properties)?;
        budget.take(to_usize(count).saturating_mul(size_of::<u32>()))?;
        self.order = (0..count).collect();
        let properties = &self.properties;
        let key = |place: &u32| properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind, *place));
        self.order.sort_unstable_by_key(key);
        let of = |place: &u32| properties.get(to_usize(*place)).map(|stored| (stored.instance, stored.kind));
        self.has_repeated = self.order.windows(2).any(|pair| matches!(pair, [one, next] if of(one) == of(next)));
        sort_by_instance(&mut self.references, |reference| reference.instance);
        self.lookup.allow(budget);
        Ok(())
    }
}

/// The index of the next item of a list.
fn index_of<T>(list: &[T]) -> Result<u32, OverBudget> {
    u32::try_from(list.len()).ok().filter(|index| *index != NONE).ok_or(OverBudget { limit: to_usize(u32::MAX) })
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A listing that makes room as it goes has as much as was asked for, and its budget knows.
    #[test]
    fn room_is_made_once() {
        let mut budget = Budget::new(1 << 20);
        let mut listing = Listing::new(FileKind::Binary);
        listing.make_room(&mut budget, 100).unwrap();
        listing.make_room(&mut budget, 100).unwrap();
        assert_eq!((listing.text.capacity(), budget.left()), (100, (1 << 20) - 100));
        let text = listing.keep(&mut budget, &[7; 100]).unwrap();
        assert_eq!((listing.text(text), listing.text.capacity()), (&[7; 100][..], 100));
        listing.make_room(&mut budget, 0).unwrap();
        assert_eq!(listing.text.capacity(), 100);
        listing.keep(&mut budget, b"a").unwrap();
        assert_eq!((listing.text.capacity(), budget.left()), (200, (1 << 20) - 200));

        listing.expect_instances(&mut budget, 10).unwrap();
        assert_eq!(listing.instances.capacity(), 10);
        listing.expect_properties(&mut budget, 10).unwrap();
        listing.expect_properties(&mut budget, 10).unwrap();
        assert_eq!(listing.properties.capacity(), 10);
        listing.expect_properties(&mut budget, 11).unwrap();
        assert_eq!(listing.properties.capacity(), 20);
        let lists = 10 * size_of::<StoredInstance>() + 20 * size_of::<StoredProperty>();
        assert_eq!(listing.memory(), 200 + lists);
        assert_eq!(budget.left(), (1 << 20) - listing.memory());

        let mut small = Budget::new(3);
        assert_eq!(listing.make_room(&mut small, 1000), Err(OverBudget { limit: 3 }));
        assert_eq!(listing.expect_instances(&mut small, 1000), Err(OverBudget { limit: 3 }));
        assert_eq!(listing.expect_properties(&mut small, 1000), Err(OverBudget { limit: 3 }));
    }
}

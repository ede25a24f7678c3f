//! What values are made of.

use std::collections::BTreeMap;

use serde::Serialize;

/// What values are made of.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// How many there are of each type, by its name.
    pub types: BTreeMap<&'static str, u64>,
    /// How deep containers nest.
    pub depth: u64,
}

impl Counts {
    /// Counts one of this type, within so many containers.
    pub fn add(&mut self, name: &'static str, depth: u64) {
        let count = self.types.entry(name).or_default();
        *count = count.saturating_add(1);
        self.depth = self.depth.max(depth);
    }
}

//! The names of containers and keys in paths and trees.

use std::fmt::{self, Debug};

use bstr::ByteSlice;

use super::value::Variant;
use crate::error;
use crate::wire::{AsKey, Item, Kind};

pub(in crate::godot) static ARRAY: Kind = Kind { field: "array", items: "elements", item: Item::Value, smallest: 4 };
pub(in crate::godot) static DICTIONARY: Kind =
    Kind { field: "dictionary", items: "entries", item: Item::Pair, smallest: 8 };
pub(super) static OBJECT: Kind = Kind { field: "object", items: "properties", item: Item::Named, smallest: 8 };

/// A key as paths and trees show it: text and numbers without their types.
pub(super) struct Key<'v, 'a>(pub(super) &'v Variant<'a>);

impl Debug for Key<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Variant::String(text) | Variant::StringName(text) => text.as_bstr().fmt(f),
            Variant::Int(number) => number.fmt(f),
            Variant::Float(number) => number.fmt(f),
            other => other.fmt(f),
        }
    }
}

impl AsKey for Key<'_, '_> {
    fn to_key(&self) -> error::Key {
        match self.0 {
            Variant::String(text) | Variant::StringName(text) => text.to_key(),
            Variant::Int(number) => number.to_key(),
            _ => error::Key::shown(self),
        }
    }
}

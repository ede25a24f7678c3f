//! The JSON form of a value.

mod payload;
mod read;
mod write;

use super::v3;
use super::v4::TypeId;
use super::version::Version;
use super::versioned::Versioned;
use crate::json::Document;

/// `{"format": "godot-variant", "version": 3, "type": …, "value": …}`
impl Document for Versioned<'_> {
    const FORMAT: &'static str = "godot-variant";

    /// Up to four objects and lists for each value inside another, and a structure in the innermost.
    const LEVELS: usize = 4 * 1024 + 8;
}

/// The name of a type in a version. A type that the version lacks has its name in version 4.
pub(super) fn type_name(version: Version, id: TypeId) -> &'static str {
    match version {
        Version::V3 => v3::TypeId::from_v4(id).map_or(id.name(), v3::TypeId::name),
        Version::V4 => id.name(),
    }
}

/// The type with this name in a version.
fn type_named(version: Version, name: &str) -> Option<TypeId> {
    match version {
        Version::V3 => v3::TypeId::ALL.iter().find(|id| id.name() == name).map(|id| id.to_v4()),
        Version::V4 => TypeId::ALL.iter().find(|id| id.name() == name).copied(),
    }
}

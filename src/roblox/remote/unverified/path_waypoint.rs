//! PathWaypoint.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::super::options::ValueOptions;
use crate::roblox::datatypes::{gen_vector3, vector3, Vector3};
use crate::structure::structure;
use crate::wire::{field, field_value, gen_uint32, uint32, Be, Source, WireError};

structure! {
    /// A point of a path, and what to do there.
    ///
    /// | field | type |
    /// |---|---|
    /// | position | Vector3 |
    /// | action | uint32 |
    #[derive(Copy)]
    pub struct PathWaypoint {
        /// The position.
        pub position: Vector3,
        /// An item of the enum `PathWaypointAction`.
        pub action: u32,
    }
}

/// Reads a [`PathWaypoint`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section PathWaypoint.
#[inline]
pub fn path_waypoint<I: Source, E: WireError<I>>() -> impl Parser<I, Output = PathWaypoint, Error = E> {
    (field("position", vector3::<Be, I, E>()), field("action", uint32::<Be, I, E>()))
        .map(|(position, action)| PathWaypoint { position, action })
}

/// Writes a [`PathWaypoint`].
#[inline]
pub fn gen_path_waypoint<W: Write>(PathWaypoint { position, action }: PathWaypoint) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| gen_uint32::<Be, W>(action)(gen_vector3::<Be, W>(position)(out)?)
}

field_value!(ValueOptions: PathWaypoint = |nesting, value| path_waypoint(), gen_path_waypoint(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn example() {
        let waypoint = PathWaypoint { position: Vector3 { x: 1.0, y: 0.0, z: -1.0 }, action: 1 };
        let bytes = hex("3f800000 00000000 bf800000 00000001");
        both_ways(&bytes, waypoint, path_waypoint, gen_path_waypoint(waypoint));
    }
}

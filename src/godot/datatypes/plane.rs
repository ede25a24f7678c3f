//! Plane.

use super::number::structure_of_numbers;
use super::vector3::Vector3;

structure_of_numbers! {
    /// A plane in space.
    ///
    /// | field | type |
    /// |---|---|
    /// | normal | [`Vector3`] |
    /// | d | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Plane.
    pub struct Plane<N> {
        /// The direction it faces.
        pub normal: Vector3<N>,
        /// Its distance from the origin, along the normal.
        pub d: N,
    }
    plane gen_plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::test::numbers;

    #[test]
    fn numbers_in_order() {
        let value = Plane { normal: Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 }, d: 4.0 };
        numbers(value, plane, gen_plane(value));
    }
}

//! Ray.

use super::vector3::{gen_vector3, vector3, Vector3};
use crate::structure::{constructor, structure};

structure! {
    /// A half-line.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Ray.
    #[derive(Copy, Default)]
    pub struct Ray(ray, gen_ray) {
        /// The origin.
        pub origin: Vector3 = vector3, gen_vector3;
        /// The direction.
        pub direction: Vector3 = vector3, gen_vector3;
    }
}

constructor!(Ray { origin: Vector3, direction: Vector3 });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00");
        let value = Ray { origin: Vector3::default(), direction: Vector3 { x: 0.0, y: 1.0, z: 0.0 } };
        both_ways(&bytes, value, ray::<Le, _, _>, gen_ray::<Le, _>(value));
    }
}

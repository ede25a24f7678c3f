//! PhysicalProperties.

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::super::boolean::{boolean, gen_boolean};
use super::super::options::ValueOptions;
use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, Be, Source, Valued, WireError};

structure! {
    /// The physics of a part, where it differs from that of its material.
    ///
    /// | field | type |
    /// |---|---|
    /// | custom | boolean; if it is 0, nothing follows |
    /// | density | float32 |
    /// | friction | float32 |
    /// | elasticity | float32 |
    /// | friction_weight | float32 |
    /// | elasticity_weight | float32 |
    #[derive(Copy)]
    pub struct PhysicalProperties {
        /// The mass per volume.
        pub density: f32,
        /// The friction.
        pub friction: f32,
        /// The elasticity: how strongly the part bounces.
        pub elasticity: f32,
        /// The weight of its friction, relative to that of another part.
        pub friction_weight: f32,
        /// The weight of its elasticity, relative to that of another part.
        pub elasticity_weight: f32,
    }
}

/// Reads [`PhysicalProperties`], if there are any.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section PhysicalProperties.
#[inline]
pub fn physical_properties<I: Source, E: WireError<I>>(
) -> impl Parser<I, Output = Option<PhysicalProperties>, Error = E> {
    PhysicalPropertiesParser(PhantomData)
}

struct PhysicalPropertiesParser<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for PhysicalPropertiesParser<E> {
    type Output = Option<PhysicalProperties>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Option<PhysicalProperties>, E> {
        let (rest, custom) = field("custom", boolean()).process::<Valued<OM>>(input)?;
        if !custom {
            return Ok((rest, OM::Output::bind(|| None)));
        }
        (
            field("density", float32::<Be, I, E>()),
            field("friction", float32::<Be, I, E>()),
            field("elasticity", float32::<Be, I, E>()),
            field("friction_weight", float32::<Be, I, E>()),
            field("elasticity_weight", float32::<Be, I, E>()),
        )
            .map(|(density, friction, elasticity, friction_weight, elasticity_weight)| {
                Some(PhysicalProperties { density, friction, elasticity, friction_weight, elasticity_weight })
            })
            .process::<OM>(rest)
    }
}

/// Writes [`PhysicalProperties`], or `false` for `None`.
#[inline]
pub fn gen_physical_properties<W: Write>(value: Option<PhysicalProperties>) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| {
        let out = gen_boolean(value.is_some())(out)?;
        match value {
            Some(PhysicalProperties { density, friction, elasticity, friction_weight, elasticity_weight }) => {
                gen_float32s::<Be, 5, W>([density, friction, elasticity, friction_weight, elasticity_weight])(out)
            }
            None => Ok(out),
        }
    }
}

field_value!(ValueOptions: Option<PhysicalProperties> = |nesting, value| physical_properties(), gen_physical_properties(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn examples() {
        let ice = PhysicalProperties {
            density: 1.0,
            friction: 0.0,
            elasticity: 0.5,
            friction_weight: 2.0,
            elasticity_weight: -1.0,
        };
        for (bytes, value) in [("00", None), ("01 3f800000 00000000 3f000000 40000000 bf800000", Some(ice))] {
            both_ways(&hex(bytes), value, physical_properties, gen_physical_properties(value));
        }
    }
}

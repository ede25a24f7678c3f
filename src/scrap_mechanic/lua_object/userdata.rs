//! Userdata.

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};

use super::color::{color, gen_color, Color};
use super::options::Options;
use super::quat::{gen_quat, quat, Quat};
use super::uuid::{gen_uuid, uuid, Uuid};
use super::vec3::{gen_vec3, vec3, Vec3};
use crate::error::{Fault, Radix};
use crate::wire::{
    field, field_value, gen_uint32, never_borrows, switch_to, type_numbers, uint32, verify, Be, Source, TypeNumber,
    Valued, WireError,
};

/// Writes the table of types as an enum of values, an enum of ids, and a `match` for every way to use them.
macro_rules! userdata {
    (
        ($value:ident)
        structures {
            $($id:literal $name:ident($type:ident) $field:literal $parser:expr, $generator:expr, $doc:literal;)*
        }
        handles {
            $($handle_id:literal $handle:ident $handle_status:ident $handle_doc:literal;)*
        }
    ) => {
        type_numbers! {
            /// The type of a [`Userdata`].
            pub enum UserdataTypeId(u32, "userdata type", Decimal) {
                $($id $name Real $doc;)*
                $($handle_id $handle $handle_status $handle_doc;)*
            }
        }

        /// An object of the game: a value of one of its own types, or the number of an object in the world.
        ///
        /// | field | bits | type |
        /// |---|---|---|
        /// | type_id | 32 | uint32, big-endian, a [`UserdataTypeId`] |
        /// | data | | as the type says; for things in the world, their number: uint32, big-endian |
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Userdata {
            $(
                #[doc = concat!("Type ", stringify!($id), ": ", $doc)]
                $name($type),
            )*
            $(
                #[doc = concat!("Type ", stringify!($handle_id), ": ", $handle_doc)]
                $handle(u32),
            )*
        }

        impl Userdata {
            /// The type.
            #[must_use]
            pub const fn type_id(&self) -> UserdataTypeId {
                match self {
                    $(Userdata::$name(_) => UserdataTypeId::$name,)*
                    $(Userdata::$handle(_) => UserdataTypeId::$handle,)*
                }
            }

            /// The number of the thing in the world, if it is one.
            #[must_use]
            pub const fn handle(&self) -> Option<u32> {
                match self {
                    $(Userdata::$handle(handle) => Some(*handle),)*
                    _ => None,
                }
            }

            /// The thing of this type with this number, if this is a type of things.
            #[must_use]
            pub const fn from_handle(id: UserdataTypeId, handle: u32) -> Option<Self> {
                match id {
                    $(UserdataTypeId::$handle => Some(Userdata::$handle(handle)),)*
                    _ => None,
                }
            }
        }

        impl<I: Source, E: WireError<I>> Parser<I> for UserdataParser<E> {
            type Output = Userdata;
            type Error = E;

            #[cfg_attr(fast, inline(always))]
            fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Userdata, E> {
                let (rest, id) = field("type_id", type_id()).process::<Valued<OM>>(input)?;
                match id {
                    $(UserdataTypeId::$name =>
                        switch_to::<OM, _, _>(rest, || field($field, $parser).map(Userdata::$name)),)*
                    $(UserdataTypeId::$handle =>
                        switch_to::<OM, _, _>(rest, || field("handle", uint32::<Be, I, E>()).map(Userdata::$handle)),)*
                }
            }
        }

        /// Writes a [`Userdata`], as [`userdata`] reads it.
        #[inline]
        pub fn gen_userdata<W: Write>(userdata: Userdata) -> impl SerializeFn<W> {
            move |out: WriteContext<W>| {
                let out = gen_uint32::<Be, W>(userdata.type_id().id())(out)?;
                match userdata {
                    $(Userdata::$name($value) => ($generator)(out),)*
                    $(Userdata::$handle(handle) => gen_uint32::<Be, W>(handle)(out),)*
                }
            }
        }
    };
}

userdata! {
    (value)
    structures {
        10001 Uuid(Uuid) "uuid" uuid(), gen_uuid(value), "an id of 128 bits.";
        10003 Vec3(Vec3) "vec3" vec3(), gen_vec3(value), "a point or direction.";
        10004 Quat(Quat) "quat" quat(), gen_quat(value), "a rotation.";
        10005 Color(Color) "color" color(), gen_color(value), "a colour.";
    }
    handles {
        10021 Shape Real "a part or block.";
        10022 Body Spec "a body: parts that move as one.";
        10023 Interactable Real "a part that can be interacted with.";
        10024 Container Real "a container of items.";
        10025 Harvestable Real "something to harvest.";
        10027 World Real "a world.";
        10028 Unit Real "a unit: a bot or an animal.";
        10030 Player Real "a player.";
        10031 Character Spec "a character.";
        10032 Joint Spec "a joint.";
        10036 Portal Spec "a portal.";
        10037 PathNode Real "a node of a path.";
        10038 Lift Spec "a lift.";
        10039 ScriptableObject Real "an object that is made of a script alone.";
        20002 Tool Spec "a tool.";
    }
}

/// Types that have a number, but whose values the game does not write.
const UNSERIALISABLE: &[(u32, &str)] = &[
    (10006, "RaycastResult"),
    (10008, "Effect"),
    (10026, "Network"),
    (10029, "Storage"),
    (10033, "AiState"),
    (10035, "AreaTrigger"),
    (10040, "BuilderGuide"),
    (10041, "CullSphereGroup"),
    (20006, "GuiInterface"),
    (20007, "BlueprintVisualization"),
];

/// Reads a [`Userdata`].
///
/// A type whose values the game does not write is [`Fault::Refused`], any other number [`Fault::Unknown`]; the length of
/// its data cannot be known.
///
/// In big-endian, the bytes `00 00 27 25 00 00 00 07` are `Userdata::Shape(7)`.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Userdata.
#[inline]
pub fn userdata<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Userdata, Error = E> {
    UserdataParser(PhantomData)
}

struct UserdataParser<E>(PhantomData<fn() -> E>);

#[inline]
fn type_id<I: Source, E: WireError<I>>() -> impl Parser<I, Output = UserdataTypeId, Error = E> {
    verify(uint32::<Be, I, E>(), |number| UserdataTypeId::from_id(number).ok_or_else(|| undecodable(number)))
}

#[cold]
fn undecodable(found: u32) -> Fault {
    let radix = Radix::Decimal;
    match UNSERIALISABLE.iter().find(|(number, _)| *number == found) {
        Some((_, name)) => Fault::Refused { found, radix, name, reason: "the game writes no values of it" },
        None => {
            let known = UserdataTypeId::ALL.iter().map(|id| id.id()).collect();
            Fault::Unknown { what: UserdataTypeId::WHAT, found, radix, known }
        }
    }
}

/// `{"id": "Vec3", "x": …, "y": …, "z": …}`, `{"id": "Uuid", "uuid": …}`, `{"id": "Shape", "handle": 7}`
#[cfg(feature = "text")]
mod json {
    use super::*;
    use crate::member::{field, Give, Given, Member, Mismatch, Receiver, Shape};

    /// The forms of the types that are structures have their fields.
    macro_rules! forms {
        ($($name:ident { $($field:ident),* })*) => {
            impl Give for Userdata {
                fn give(&self, to: &mut dyn Receiver) {
                    to.map(None);
                    to.entry("id", &self.type_id());
                    match self {
                        $(Userdata::$name($name { $($field),* }) => {
                            $(to.entry(stringify!($field), $field);)*
                        })*
                        Userdata::Uuid(uuid) => to.entry("uuid", uuid),
                        thing => to.entry("handle", &thing.handle().unwrap_or_default()),
                    }
                    to.end();
                }
            }

            impl Member for Userdata {
                const SHAPE: Shape = Shape::Form("Userdata");

                fn take(given: Given<'_>) -> Result<Self, Mismatch> {
                    let id = given.member("userdata with its id", "id")?.ok_or_else(|| given.missing("id"))?;
                    match UserdataTypeId::take(id)? {
                        $(UserdataTypeId::$name => {
                            let [_, $($field),*] = given.fields("", &["id", $(stringify!($field)),*])?;
                            Ok(Userdata::$name($name { $($field: field(given, stringify!($field), $field)?),* }))
                        })*
                        UserdataTypeId::Uuid => {
                            let [_, uuid] = given.fields("", &["id", "uuid"])?;
                            field(given, "uuid", uuid).map(Userdata::Uuid)
                        }
                        thing => {
                            let [_, handle] = given.fields("", &["id", "handle"])?;
                            let unknown = || given.custom(format_args!("{} has no handle", thing.name()));
                            Userdata::from_handle(thing, field(given, "handle", handle)?).ok_or_else(unknown)
                        }
                    }
                }
            }

            impl Userdata {
                /// The shape of the members next to the id.
                pub(in super::super) fn shape_of(id: UserdataTypeId) -> Shape {
                    match id {
                        $(UserdataTypeId::$name => $name::SHAPE,)*
                        UserdataTypeId::Uuid => Shape::Structure("", &["uuid"], &[Uuid::SHAPE]),
                        _ => Shape::Structure("", &["handle"], &[Shape::U32]),
                    }
                }
            }
        };
    }

    forms! { Vec3 { x, y, z } Quat { x, y, z, w } Color { r, g, b, a } }
}

never_borrows!(Userdata);
field_value!(Options: Userdata = |nesting, value| userdata(), gen_userdata(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Traceback;
    use nom::Err;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        for (bytes, value) in [
            ("00 00 27 25 00 00 00 07", Userdata::Shape(7)),
            ("00 00 4e 22 00 00 00 ff", Userdata::Tool(255)),
            ("00 00 27 13 3f 80 00 00 00 00 00 00 00 00 00 00", Userdata::Vec3(Vec3 { x: 1.0, y: 0.0, z: 0.0 })),
        ] {
            both_ways(&hex(bytes), value, userdata, gen_userdata(value));
        }
    }

    #[test]
    fn ids_and_handles_agree() {
        for id in UserdataTypeId::ALL {
            assert_eq!(UserdataTypeId::from_id(id.id()), Some(*id));
            if let Some(thing) = Userdata::from_handle(*id, 9) {
                assert_eq!((thing.type_id(), thing.handle()), (*id, Some(9)));
            }
        }
        assert_eq!(Userdata::from_handle(UserdataTypeId::Vec3, 9), None);
        assert_eq!(Userdata::Uuid(Uuid::default()).handle(), None);
        assert_eq!(UserdataTypeId::ALL.len(), 19);
    }

    #[test]
    fn what_cannot_be_decoded_is_named() {
        let error = |id: u32| {
            let bytes = id.to_be_bytes();
            let Err(Err::Error(error)) = userdata::<_, Traceback<_>>().parse_complete(&bytes[..]) else { panic!() };
            error.into_error(&bytes[..])
        };
        let refused = "type 10006 RaycastResult is refused: the game writes no values of it, at byte 0x0 in type_id";
        assert_eq!(error(10006).to_string(), refused);
        assert_eq!(error(10007).to_string(), "unknown userdata type 10007, at byte 0x0 in type_id");
        assert!(error(10007).fault().expected().unwrap().starts_with("one of 10001 10003 10004 10005 10021 "));
        for (id, _) in UNSERIALISABLE {
            assert_eq!(UserdataTypeId::from_id(*id), None);
        }
    }
}

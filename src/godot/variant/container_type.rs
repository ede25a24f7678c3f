//! What a typed container may hold.

use std::fmt::Debug;
use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{GenResult, WriteContext};
use nom::{OutputMode, PResult, Parser};

use crate::error::Radix;
use crate::godot::datatypes::{gen_string, string};
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::wire::{
    field, gen_uint32, switch_to, uint32, unknown, verify, ByteString, Le, Source, TypeNumber, WireError,
};

/// The type that the elements of an Array, or the keys or values of a Dictionary, are said to have; in version 4 only.
///
/// | kind, in the header | type information |
/// |---|---|
/// | 1 | int32, a [`TypeId`] |
/// | 2 | the name of a class: [`string`] |
/// | 3 | the path of a script: [`string`] |
///
/// Kind 0 is no type at all. What a container holds is not compared with its type.
#[derive(Clone, Debug, PartialEq)]
pub enum ContainerType<'a> {
    /// A type of the engine. The type null says nothing.
    Builtin(TypeId),
    /// Objects of a class.
    Class(ByteString<'a>),
    /// Objects with a script.
    Script(ByteString<'a>),
}

impl ContainerType<'_> {
    /// The same type, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> ContainerType<'static> {
        match self {
            ContainerType::Builtin(id) => ContainerType::Builtin(id),
            ContainerType::Class(name) => ContainerType::Class(name.into_owned().into()),
            ContainerType::Script(path) => ContainerType::Script(path.into_owned().into()),
        }
    }

    /// What the header says about it.
    pub(super) const fn kind(&self) -> u8 {
        match self {
            ContainerType::Builtin(_) => 1,
            ContainerType::Class(_) => 2,
            ContainerType::Script(_) => 3,
        }
    }
}

/// Reads the type of this kind, which is 1, 2 or 3.
///
/// Specification: `docs/spec/godot-variant.md`, section Container types.
#[inline]
pub fn container_type<'a, I, E>(kind: u8, options: Options) -> impl Parser<I, Output = ContainerType<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    ContainerTypeParser { kind, options, error: PhantomData }
}

/// A type of a value, by its number.
#[inline]
fn builtin<I: Source, E: WireError<I>>() -> impl Parser<I, Output = TypeId, Error = E> {
    verify(uint32::<Le, I, E>(), |found| {
        TypeId::from_number(found)
            .ok_or_else(|| unknown("container type", Radix::Decimal, found, TypeId::ALL.iter().map(|id| id.number())))
    })
}

struct ContainerTypeParser<E> {
    kind: u8,
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for ContainerTypeParser<E> {
    type Output = ContainerType<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Self::Output, E> {
        let options = self.options;
        match self.kind {
            1 => switch_to::<OM, _, _>(input, || field("builtin", builtin()).map(ContainerType::Builtin)),
            2 => switch_to::<OM, _, _>(input, || field("class", string(options)).map(ContainerType::Class)),
            _ => switch_to::<OM, _, _>(input, || field("script", string(options)).map(ContainerType::Script)),
        }
    }
}

/// Writes a type, or nothing.
#[inline]
pub(super) fn write_container_type<W: Write>(
    options: Options,
    container_type: Option<&ContainerType<'_>>,
    out: WriteContext<W>,
) -> GenResult<W> {
    match container_type {
        None => Ok(out),
        Some(ContainerType::Builtin(id)) => gen_uint32::<Le, W>(id.number())(out),
        Some(ContainerType::Class(text) | ContainerType::Script(text)) => {
            gen_string(options, BStr::new(text.as_ref()))(out)
        }
    }
}

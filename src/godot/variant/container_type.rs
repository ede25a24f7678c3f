//! The types of typed containers.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{GenResult, WriteContext};
use nom::{OutputMode, PResult, Parser};

use crate::error::Radix;
use crate::godot::datatypes::{gen_string, string};
#[cfg(feature = "text")]
use crate::godot::gdscript::write_type;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::wire::{
    field, gen_field, gen_uint32, switch_to, uint32, unknown, verify, ByteString, Le, Source, TypeNumber, WireError,
};

/// The declared type of an Array's elements, or of a Dictionary's keys or values; in version 4 only.
///
/// | kind, in the header | type information |
/// |---|---|
/// | 1 | int32, a [`TypeId`] |
/// | 2 | the name of a class: [`string`] |
/// | 3 | the path of a script: [`string`] |
///
/// Kind 0 means untyped. The values of a container are not checked against its type.
#[derive(Clone, PartialEq)]
pub enum ContainerType<'a> {
    /// A type of the engine. Null means any type.
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
            ContainerType::Class(name) => ContainerType::Class(name.into_owned()),
            ContainerType::Script(path) => ContainerType::Script(path.into_owned()),
        }
    }

    /// Its kind in the header.
    pub(super) const fn kind(&self) -> u8 {
        match self {
            ContainerType::Builtin(_) => 1,
            ContainerType::Class(_) => 2,
            ContainerType::Script(_) => 3,
        }
    }
}

/// As `derive` does it; and where the crate has notations, `{:-?}` writes the type as GDScript does.
impl fmt::Debug for ContainerType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "text")]
        if f.sign_minus() {
            return write_type(Some(self), f);
        }
        let (name, field): (_, &dyn fmt::Debug) = match self {
            ContainerType::Builtin(id) => ("Builtin", id),
            ContainerType::Class(name) => ("Class", name),
            ContainerType::Script(path) => ("Script", path),
        };
        f.debug_tuple(name).field(field).finish()
    }
}

/// Reads the type of this kind, which is 1, 2 or 3.
///
/// In little-endian, the bytes `02 00 00 00` are `ContainerType::Builtin(TypeId::int)` if the kind is 1. The number of an
/// unknown type is refused, and a name or path that [`string`] refuses.
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

/// Reads the number of a type.
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

/// Writes a type.
#[inline]
pub(super) fn write_container_type<W: Write>(
    options: Options,
    container_type: &ContainerType<'_>,
    out: WriteContext<W>,
) -> GenResult<W> {
    match container_type {
        ContainerType::Builtin(id) => gen_uint32::<Le, W>(id.number())(out),
        ContainerType::Class(name) => gen_field("class", gen_string(options, name.as_bstr()))(out),
        ContainerType::Script(path) => gen_field("script", gen_string(options, path.as_bstr()))(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::godot::{v4, Array, Dictionary, EntryType};
    use crate::test::{both_ways, hex};
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let options = Options::new(Version::V4);
        for (kind, bytes, value) in [
            (1, "02000000", ContainerType::Builtin(TypeId::int)),
            (2, "04000000 4e6f6465", ContainerType::Class("Node".into_byte_string())),
            (3, "04000000 612e6764", ContainerType::Script("a.gd".into_byte_string())),
        ] {
            assert_eq!(value.kind(), kind);
            let generator = |out| write_container_type(options, &value, out);
            both_ways(&hex(bytes), value.clone(), || container_type(kind, options), generator);
        }
    }

    /// The header of a Dictionary says both kinds, each on its own.
    #[test]
    fn types_of_containers() {
        let int = || ContainerType::Builtin(TypeId::int);
        let class = || ContainerType::Class("A".into_byte_string());
        let array = Array { element_type: Some(Box::new(class())), elements: vec![] };
        let bytes = hex("1c000200 01000000 41000000 00000000");
        assert_eq!(v4::encode(&array.clone().into()), Ok(bytes.clone()));
        assert_eq!(v4::decode(&bytes), Ok(array.into()));
        for (key, value, bytes) in [
            (Some(int()), None, "1b000100 02000000 00000000"),
            (None, Some(int()), "1b000400 02000000 00000000"),
            (Some(int()), Some(class()), "1b000900 02000000 01000000 41000000 00000000"),
        ] {
            let types = Some(Box::new(EntryType { key, value }));
            let dictionary = Dictionary { types, entries: vec![] };
            assert_eq!(v4::encode(&dictionary.clone().into()), Ok(hex(bytes)));
            assert_eq!(v4::decode(&hex(bytes)), Ok(dictionary.into()));
        }
    }

    #[test]
    fn errors_name_the_type() {
        let error = v4::decode(&hex("1c000100 27000000 00000000")).unwrap_err();
        assert_eq!(error.to_string(), "unknown container type 39, at byte 0x4 in array.type.builtin");
        assert!(error
            .fault()
            .expected()
            .is_some_and(|known| known.starts_with("one of 0 1 2 ") && known.ends_with(" 38")));
        let error = v4::decode(&hex("1b000800 01000000 ff000000")).unwrap_err();
        assert_eq!(error.path().to_string(), "dictionary.value_type.class.text");
        let error = v4::decode(&hex("1b000300 01000000")).unwrap_err();
        assert_eq!(error.path().to_string(), "dictionary.key_type.script.text");
    }
}

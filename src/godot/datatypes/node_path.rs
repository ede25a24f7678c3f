//! NodePath.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::string::{gen_string, string};
use crate::error::Fault;
use crate::godot::options::Options;
use crate::structure::structure;
use crate::wire::{
    field, gen_uint32, length_error, noted, repeat, uint32, verify, ByteString, Le, Note, Source, Valued, WireError,
};

structure! {
    /// The path to a node, and from there to a property.
    ///
    /// | field | type |
    /// |---|---|
    /// | name_count | uint32, with bit 31 set |
    /// | subname_count | uint32 |
    /// | flags | uint32: bit 0 if it is absolute, bit 1 if there is one subname more than their count |
    /// | names | `name_count` × [`string`] |
    /// | subnames | `subname_count` × [`string`] |
    ///
    /// Without bit 31, a path is in an old form that no engine reads. Flags other than bit 0 are not canonical, nor is padding
    /// that is not 0, although engines before 4.6 write arbitrary bytes there.
    #[derive(Default)]
    pub struct NodePath<'a> {
        /// True if it begins at the root.
        pub absolute: bool,
        /// The names of the nodes.
        pub names: Vec<ByteString<'a>>,
        /// The name of a property, and of what is inside it.
        pub subnames: Vec<ByteString<'a>>,
    }
}

/// Bit 31 of the count of names.
const NEW_FORM: u32 = 0x8000_0000;

/// Reads a [`NodePath`].
///
/// In little-endian, the bytes `01 00 00 80 00 00 00 00 01 00 00 00 01 00 00 00 61 00 00 00` are the absolute path of the node
/// `a`. The old form of a path is refused, and a name that [`string`] refuses.
///
/// Specification: `docs/spec/godot-variant.md`, section NodePath.
#[inline]
pub fn node_path<'a, I, E>(options: Options) -> impl Parser<I, Output = NodePath<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    NodePathParser { options, error: PhantomData }
}

/// The number of names. Its highest bit tells the form that engines read.
#[inline]
fn name_count<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    verify(uint32::<Le, I, E>(), |count| match count & NEW_FORM {
        0 => Err(Fault::Other("the old form of a node path, which no engine reads".to_owned())),
        _ => Ok(count & !NEW_FORM),
    })
}

#[inline]
fn flags<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    let old = Note::NonCanonical("flags of a node path that are not written any more");
    noted(uint32::<Le, I, E>(), move |flags: &u32| (*flags > 1).then_some(old))
}

struct NodePathParser<E> {
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for NodePathParser<E> {
    type Output = NodePath<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, NodePath<'a>, E> {
        let (rest, names) = field("name_count", name_count()).process::<Valued<OM>>(input)?;
        let (rest, mut subnames) = field("subname_count", uint32::<Le, I, E>()).process::<Valued<OM>>(rest)?;
        let (rest, flags) = field("flags", flags()).process::<Valued<OM>>(rest)?;
        if flags & 2 != 0 {
            subnames = subnames.saturating_add(1);
        }
        let options = self.options;
        let (rest, names) = field("names", repeat(names, 4, string(options))).process::<OM>(rest)?;
        let (rest, subnames) = field("subnames", repeat(subnames, 4, string(options))).process::<OM>(rest)?;
        let absolute = flags & 1 != 0;
        Ok((rest, OM::Output::combine(names, subnames, |names, subnames| NodePath { absolute, names, subnames })))
    }
}

/// Writes a [`NodePath`], as [`node_path`] reads it. Too many names are refused, and a name that [`gen_string`] refuses.
#[inline]
pub fn gen_node_path<'v, W: Write + 'v>(options: Options, path: &'v NodePath<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let names = i32::try_from(path.names.len()).ok().and_then(|count| u32::try_from(count).ok());
        let subnames = u32::try_from(path.subnames.len()).ok();
        let (Some(names), Some(subnames)) = (names, subnames) else { return Err(length_error()) };
        let out = gen_uint32::<Le, W>(names | NEW_FORM)(out)?;
        let out = gen_uint32::<Le, W>(subnames)(out)?;
        let out = gen_uint32::<Le, W>(path.absolute.into())(out)?;
        let mut strings = path.names.iter().chain(&path.subnames);
        strings.try_fold(out, |out, name| gen_string(options, BStr::new(name.as_ref()))(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::godot::{v4, Variant};
    use crate::test::{both_ways, hex};
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let subnames = vec!["b".into_byte_string(), "c".into_byte_string(), "d".into_byte_string()];
        let value = NodePath { absolute: true, names: vec!["a".into_byte_string()], subnames };
        let bytes =
            hex("01000080 03000000 01000000 01000000 61000000 01000000 62000000 01000000 63000000 01000000 64000000");
        both_ways(
            &bytes,
            value.clone(),
            || node_path(Options::new(Version::V4)),
            gen_node_path(Options::new(Version::V4), &value),
        );
    }

    /// Bit 0 of the flags marks an absolute path. Bit 1, which is no longer written, adds a subname.
    #[test]
    fn flags_of_paths() {
        let path = |absolute, subnames: &[&'static str]| {
            let subnames = subnames.iter().map(|name| name.into_byte_string()).collect();
            Variant::from(NodePath { absolute, names: vec!["a".into_byte_string()], subnames })
        };
        for (bytes, expected, is_canonical) in [
            ("01000080 00000000 00000000 01000000 61000000", path(false, &[]), true),
            ("01000080 00000000 01000000 01000000 61000000", path(true, &[]), true),
            ("01000080 00000000 02000000 01000000 61000000 01000000 62000000", path(false, &["b"]), false),
            ("01000080 00000000 03000000 01000000 61000000 01000000 62000000", path(true, &["b"]), false),
            ("01000080 01000000 04000000 01000000 61000000 01000000 62000000", path(false, &["b"]), false),
        ] {
            let bytes = hex(&format!("16000000 {bytes}"));
            assert_eq!(v4::decode(&bytes), Ok(expected.clone()));
            assert_eq!(v4::check(&bytes).unwrap().is_canonical(), is_canonical);
            assert_eq!(v4::encode(&expected).unwrap() == bytes, is_canonical);
        }
    }

    #[test]
    fn paths_that_are_none() {
        let message = |bytes: &str| v4::decode(&hex(bytes)).unwrap_err().to_string();
        assert_eq!(
            message("16000000 01000000 61000000"),
            "the old form of a node path, which no engine reads, at byte 0x4 in node_path.name_count"
        );
        assert!(message("16000000 00000080 ffffffff 02000000 00000000").contains("in node_path.subnames"));
        let names = vec![b"\xff".to_vec().into_byte_string()];
        assert!(v4::encode(&NodePath { names, ..NodePath::default() }.into()).is_err());
    }
}

//! Binary resources of Godot: `.res`, `.scn`, and the many other files that `ResourceSaver` writes in the binary format, such as
//! `.mesh` and `.translation`.
//!
//! A file holds a table of strings, the paths of resources in other files, and its own resources, each with a class and
//! properties. The values of properties are [`Variant`](super::Variant)s in an encoding of their own. The last resource is the main one.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`] |
//! | decode into a value without a lifetime | [`decode_owned`], [`decode_owned_with`] |
//! | encode | [`encode`], [`encode_to`] |
//! | check | [`check`], [`check_with`]: valid? canonical? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`]; [`inspect_parts`], part by part |
//! | stream | [`Decoder`]; a file is one item |
//! | reuse in a larger parser | [`resource`] |
//!
//! ```
//! use enginewire::godot::resource::{self, Internal, Resource};
//! use enginewire::godot::{FullObject, Property, Variant};
//!
//! let health = Property { name: "health".into(), value: Variant::Int(7) };
//! let main = Internal { path: "local://1".into(), object: FullObject { class: "Resource".into(), properties: vec![health] } };
//! let file = Resource { class: "Resource".into(), strings: vec!["health".into()], internal: vec![main], ..Resource::default() };
//! let bytes = resource::encode(&file)?;
//! assert_eq!(resource::decode(&bytes)?, file);
//!
//! let error = resource::decode(&bytes[..bytes.len() - 6]).unwrap_err();
//! assert_eq!(error.path().to_string(), r#"internal[0] "local://1".properties[0] "health".value.int"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Compressed files
//!
//! A file that begins with `RSCC` is a compressed container. It holds a file of resources without its first [`MAGIC`]:
//! [`Options::headless`].
//!
//! # Non-canonical bytes
//!
//! `encode(decode(bytes)) == bytes` for everything that an engine writes. The following decodes too, but `encode` gives other
//! bytes:
//!
//! 1. a bool or byte order other than 0 and 1; reserved numbers other than 0;
//! 2. an int64 that fits an int, a double that is exact in 32 bits, a float that is not;
//! 3. a name as text that the table of strings has, or by an index that is not the lowest of that text;
//! 4. a string without its NUL, a count with bit 31 set, padding that is not 0;
//! 5. what [`Options::trailing_bytes`] allows.
//!
//! # Rejected bytes
//!
//! An unknown version or type, a length or count beyond the input, text that is not UTF-8, import metadata of Godot 2, values
//! nested deeper than [`Options::limits`], bytes after the end, and resources that do not begin where the one before ends.
//!
//! The meaning of values is not checked: whether a class or another file exists, or whether a resource is in the file.

#[cfg(feature = "text")]
mod described;
mod file;
#[cfg(feature = "text")]
mod json;
#[cfg(feature = "text")]
mod node;
#[cfg(feature = "text")]
mod notation;
mod options;
mod reference;
mod scene;
mod strings;
mod uid;
mod value;

#[doc(hidden)] // for the package of files
pub use file::move_offsets;
pub use file::{
    gen_resource, resource, External, Internal, Resource, DOUBLE_REALS, MAGIC, NAMED_IDS, NO_UID, SCRIPT_CLASS, UIDS,
};
pub use options::Options;
pub use reference::Reference;
pub use scene::{
    is_scene, Connection, NamedNode, NodePlace, NodeProperty, Scene, SceneError, SceneNode, SceneProperty,
};
#[cfg(feature = "text")]
#[doc(hidden)] // for the package of files
pub use scene::{NewConnection, NewNode, SceneBuilder};
#[doc(hidden)] // for the package of files
pub use uid::{id_of, text_of};
pub use value::ValueType;

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{default_functions, format_functions, owned_by_method, Format, ItemOf, Single, Source, WireError};

/// Binary resources as a [`Format`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceFormat;

impl Format for ResourceFormat {
    type Options = Options;
    type Value<'a> = Resource<'a>;
    type Stream = Single<Self>;

    /// Files of resources are few, and have many types.
    const FAST: bool = false;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = Resource<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        resource(options)
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_resource(options, value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        items.into_iter().next()
    }
}

owned_by_method!(Resource);
format_functions!(ResourceFormat);
default_functions!(ResourceFormat, Options::new());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{Dictionary, FullObject, Property, Variant};
    use pretty_assertions::assert_eq;

    fn nest(levels: usize) -> Variant<'static> {
        (0..levels).fold(Variant::Null, |inner, level| match level % 3 {
            0 => vec![inner].into(),
            1 => Dictionary::new([("k".into(), inner)]).into(),
            _ => Dictionary::new([(inner, Variant::Null)]).into(),
        })
    }

    fn file(value: Variant<'static>) -> Resource<'static> {
        let properties = vec![Property { name: "p".into(), value }];
        let object = FullObject { class: "C".into(), properties };
        let internal = vec![Internal { path: "local://1".into(), object }];
        Resource { strings: vec!["p".into()], internal, ..Resource::default() }
    }

    #[test]
    fn all_that_recurses_fits_a_thread_of_2_mib() {
        let deepest = file(nest(512));
        let work = move || {
            let step = |name: &str| std::io::Write::write_all(&mut std::io::stderr(), name.as_bytes()).unwrap();
            step("encode ");
            let bytes = encode(&deepest).unwrap();
            step("decode ");
            let decoded = decode(&bytes).unwrap();
            step("compare ");
            assert!(decoded == deepest);
            step("own ");
            let copy = decoded.clone().into_owned();
            step("show ");
            assert_eq!(format!("{copy:?}"), format!("{decoded:?}"));
            step("check ");
            assert!(check(&bytes).unwrap().is_canonical());
            step("inspect ");
            assert_eq!(inspect(&bytes).error(), None);
            step("partial ");
            let cut = decode_partial(&bytes[..bytes.len() / 2], &Options::new());
            assert!(cut.unfinished.is_some() && cut.error.unwrap().is_truncated());
        };
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
        let error = encode(&file(nest(513))).unwrap_err().to_string();
        assert!(error.starts_with("containers are nested deeper than 512 levels"), "{error:.100}");
    }
}

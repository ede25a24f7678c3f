//! Binary resources of Godot, as the promises see them.

use arbitrary::Unstructured;
use enginewire::godot::resource::{
    self, External, Internal, Options, Reference, Resource, DOUBLE_REALS, NAMED_IDS, NO_UID, SCRIPT_CLASS, UIDS,
};
use enginewire::godot::{self, FullObject, Object, Property, Reals, Rid, Signal, Variant, Version};
use enginewire::wire::{ByteString, ItemOf};
use enginewire::DecodeError;
use enginewire::TextError;

use super::codec::{self, Codec};
use super::godot::{depth, value};
use super::typed::Any;
use super::{list, string, LARGE};

pub(crate) struct GodotResource;

impl Codec for GodotResource {
    type Described = resource::ResourceFormat;
    const MEMORY: usize = 32;
    /// The strings, their order, and the index.
    const CHECK_BLOCKS: u64 = 3;

    fn items<'a>(value: &codec::Value<'a, Self>) -> Vec<ItemOf<'a, codec::FormatOf<Self>>> {
        vec![value.clone()]
    }

    /// The main resource.
    fn typed(bytes: &[u8], options: &Options) -> [Result<Any, DecodeError>; 2] {
        let read = resource::decode_with(bytes, options).and_then(|file| match file.main() {
            Some(main) => godot::from_value(Variant::Object(Object::Full(Box::new(main.clone())))),
            None => godot::from_value(Variant::Null),
        });
        [read.clone(), read]
    }

    fn exact(value: Resource<'static>) -> Resource<'static> {
        value
    }

    fn depth(value: &Resource<'_>) -> usize {
        let properties = value.internal.iter().flat_map(|internal| &internal.object.properties);
        properties.map(|property| depth(&property.value)).max().unwrap_or_default()
    }

    fn notation(value: &codec::Value<'_, Self>) -> Vec<(String, Result<codec::Value<'static, Self>, TextError>)> {
        let text = value.to_gdscript();
        let again = Resource::from_gdscript(&text);
        vec![(text, again)]
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Resource<'static>> {
        let flags = NAMED_IDS | [0, UIDS, DOUBLE_REALS, SCRIPT_CLASS, 15][entropy.choose_index(5)?];
        let internal = list(entropy, |entropy| internal(entropy, flags & DOUBLE_REALS != 0))?;
        let names = internal.iter().flat_map(|internal| &internal.object.properties);
        let mut strings: Vec<_> = names.map(|property| property.name.clone()).collect();
        if entropy.ratio(1, 3)? {
            // names as text, names that nothing has, and names twice
            strings = list(entropy, string)?;
        }
        let external = |entropy: &mut Unstructured<'_>| {
            let uid = if flags & UIDS != 0 { entropy.arbitrary()? } else { NO_UID };
            Ok(External { class: string(entropy)?, path: string(entropy)?, uid })
        };
        Ok(Resource {
            big_endian: entropy.arbitrary()?,
            major: entropy.arbitrary()?,
            minor: entropy.arbitrary()?,
            version: entropy.int_in_range(3..=6)?,
            class: string(entropy)?,
            importmd_ofs: if entropy.ratio(1, 3)? { entropy.arbitrary()? } else { 0 },
            flags,
            uid: entropy.arbitrary()?,
            script_class: if flags & SCRIPT_CLASS != 0 { string(entropy)? } else { ByteString::default() },
            strings,
            external: list(entropy, external)?,
            internal,
        })
    }

    fn deepest() -> [Vec<u8>; 2] {
        let depth = usize::from(Options::MAX_DEPTH);
        [depth, depth + 1].map(|depth| {
            let (mut head, mut tail) = (Vec::new(), Vec::new());
            for level in 0..depth {
                match level % 3 {
                    0 => head.extend([30, 0, 0, 0, 1, 0, 0, 0]),
                    1 => head.extend([26, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, b'k', 0]),
                    // the key is what nests
                    _ => {
                        head.extend([26, 0, 0, 0, 1, 0, 0, 0]);
                        tail.extend([1, 0, 0, 0]);
                    }
                }
            }
            with_value(&[head, vec![1, 0, 0, 0], tail].concat())
        })
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let mut inputs = Vec::new();
        let empty = resource::encode(&Resource::default()).unwrap();
        let head = &empty[..empty.len() - 16];
        let zeros = |count: usize| vec![0; count];
        let counts = [0x7fff_ffff_u32, 0xffff_ffff, 0x1000_0000, 0x1555_5556];
        for (name, before) in [("strings", 0), ("external resources", 4), ("resources", 8)] {
            for count in counts {
                let bytes = [head, &zeros(before), &count.to_le_bytes()].concat();
                inputs.push((format!("{count:#x} {name}"), bytes.clone()));
                inputs.push((format!("{count:#x} {name}, longer"), [bytes, zeros(1000)].concat()));
            }
        }
        for (name, before, size) in [("strings", 0, 4), ("external resources", 4, 16), ("resources", 8, 12)] {
            let count = (LARGE / size) as u32;
            let bytes = [head, &zeros(before), &count.to_le_bytes(), &zeros(LARGE + 16)].concat();
            inputs.push((format!("the smallest {name}"), bytes));
        }
        let many = Resource { internal: vec![Internal::default(); LARGE / 20], ..Resource::default() };
        inputs.push(("empty resources".to_owned(), resource::encode(&many).unwrap()));
        let same = Resource { strings: vec![ByteString::from("abc"); LARGE / 8], ..Resource::default() };
        inputs.push(("a string many times".to_owned(), resource::encode(&same).unwrap()));
        for id in [5_u8, 26, 30, 31, 32, 33, 34, 35, 36, 37, 48, 49, 53] {
            for count in counts {
                let value = [&[id, 0, 0, 0][..], &count.to_le_bytes()].concat();
                inputs.push((format!("a length of {count:#x} for type {id}"), with_value(&value)));
                let longer = [value, zeros(1000)].concat();
                inputs.push((format!("the same, longer: {count:#x} for type {id}"), with_value(&longer)));
            }
        }
        for count in [1u32, 20, 100_000, 0x7fff_ffff] {
            let head = [&[30, 0, 0, 0][..], &count.to_le_bytes()].concat();
            let nulls = [1, 0, 0, 0].repeat(LARGE / 4);
            let value = [head.repeat(1000), nulls].concat();
            inputs.push((format!("1000 arrays in each other, each of {count}"), with_value(&value)));
        }
        let nulls = [&[30, 0, 0, 0][..], &(LARGE as u32 / 4).to_le_bytes(), &[1, 0, 0, 0].repeat(LARGE / 4)].concat();
        inputs.push(("the smallest elements".to_owned(), with_value(&nulls)));
        // empty names as text
        let path = [&[22, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f][..], &[1, 0, 0, 0x80, 0].repeat(0xffff + 0x7fff)].concat();
        inputs.push(("empty names of a node path".to_owned(), with_value(&path)));
        // the properties claim more than there is
        let mut claim = with_value(&[1, 0, 0, 0]);
        let at = claim.len() - 16;
        claim[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        inputs.push(("too many properties".to_owned(), [claim, zeros(LARGE)].concat()));
        inputs
    }
}

/// A file with this value as its only property.
fn with_value(value: &[u8]) -> Vec<u8> {
    let object =
        FullObject { class: "C".into(), properties: vec![Property { name: "p".into(), value: Variant::Null }] };
    let internal = vec![Internal { path: "local://1".into(), object }];
    let file = resource::encode(&Resource { strings: vec!["p".into()], internal, ..Resource::default() }).unwrap();
    let (before, end) = file.split_at(file.len() - 4);
    [&before[..before.len() - 4], value, end].concat()
}

fn internal(entropy: &mut Unstructured<'_>, double: bool) -> arbitrary::Result<Internal<'static>> {
    let version = if double || entropy.arbitrary()? { Version::V4 } else { Version::V3 };
    let property = |entropy: &mut Unstructured<'_>| {
        Ok(Property { name: string(entropy)?, value: stored(value(entropy, version, 3)?, double) })
    };
    let (path, class) = (string(entropy)?, string(entropy)?);
    Ok(Internal { path, object: FullObject { class, properties: list(entropy, property)? } })
}

/// A value like this one that a file can have.
fn stored(value: Variant<'static>, double: bool) -> Variant<'static> {
    match value {
        Variant::Array(mut array) => {
            array.element_type = None;
            array.elements = array.elements.into_iter().map(|element| stored(element, double)).collect();
            Variant::Array(array)
        }
        Variant::Dictionary(mut dictionary) => {
            dictionary.types = None;
            for entry in &mut dictionary.entries {
                entry.key = stored(std::mem::take(&mut entry.key), double);
                entry.value = stored(std::mem::take(&mut entry.value), double);
            }
            Variant::Dictionary(dictionary)
        }
        Variant::Rid(Rid(id)) => Variant::Rid(Rid(id & 0xffff_ffff)),
        Variant::Signal(_) => Variant::Signal(Box::new(Signal::default())),
        Variant::Object(Object::Id(id)) if id % 2 == 0 => Object::from(Reference::Internal(id as u32)).into(),
        Variant::Object(Object::Id(id)) => Object::from(Reference::External(id as u32)).into(),
        Variant::Object(Object::Full(object)) => {
            Object::from(Reference::Path { path: object.class.clone(), class: object.class }).into()
        }
        other if is_double(&other).is_some_and(|found| found != double) => Variant::Null,
        other => other,
    }
}

/// True if the reals of a value have 64 bits; `None` if it is not of reals.
fn is_double(value: &Variant<'_>) -> Option<bool> {
    fn of<S, D>(reals: &Reals<S, D>) -> Option<bool> {
        Some(reals.as_double().is_some())
    }
    match value {
        Variant::Vector2(reals) => of(reals),
        Variant::Rect2(reals) => of(reals),
        Variant::Vector3(reals) => of(reals),
        Variant::Transform2D(reals) => of(reals),
        Variant::Vector4(reals) => of(reals),
        Variant::Plane(reals) => of(reals),
        Variant::Quaternion(reals) => of(reals),
        Variant::Aabb(reals) => of(reals),
        Variant::Basis(reals) => of(reals),
        Variant::Transform3D(reals) => of(reals),
        Variant::Projection(reals) => of(reals),
        Variant::PackedVector2Array(reals) => of(reals),
        Variant::PackedVector3Array(reals) => of(reals),
        Variant::PackedVector4Array(reals) => of(reals),
        _ => None,
    }
}

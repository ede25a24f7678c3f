//! Godot Variant, as the promises see it: each version is a format of its own.

use arbitrary::Unstructured;
use enginewire::godot::{
    self, v3, v4, Aabb, Array, Basis, Color, ContainerType, Dictionary, Entry, EntryType, NodePath, Number, Object,
    Options, Plane, Projection, Property, Quaternion, Reals, Rect2, Rid, Signal, Transform2D, Transform3D, Variant,
    Vector2, Vector3, Vector4, Version, Versioned,
};
use enginewire::typed::Leniency;
use enginewire::wire::{ItemOf, Note, Packed, Tree};
use enginewire::TextError;
use enginewire::{DecodeError, EncodeError, Fault, Limits, Offset};
use nom::{Err, Parser};

use super::codec::{self, Codec};
use super::typed::Any;
use super::{hex, list, string, LARGE};

/// One of the two versions.
pub(crate) struct Godot<const VERSION: u8>;

impl<const VERSION: u8> Godot<VERSION> {
    fn version() -> Version {
        Version::from_number(VERSION).unwrap()
    }

    /// The ids of Null, String, Object, Dictionary and Array, then of the packed arrays and how large their elements are.
    fn ids() -> ([u8; 5], Vec<(u8, usize)>) {
        match Self::version() {
            Version::V3 => ([0, 4, 17, 18, 19], vec![(20, 1), (21, 4), (22, 4), (23, 8), (24, 8), (25, 12), (26, 16)]),
            _ => (
                [0, 4, 24, 27, 28],
                vec![(29, 1), (30, 4), (31, 8), (32, 4), (33, 8), (34, 8), (35, 8), (36, 12), (37, 16), (38, 16)],
            ),
        }
    }
}

impl<const VERSION: u8> Codec for Godot<VERSION> {
    type Described = godot::GodotFormat<VERSION>;
    const MEMORY: usize = 32;

    fn items<'a>(value: &codec::Value<'a, Self>) -> Vec<ItemOf<'a, codec::FormatOf<Self>>> {
        vec![value.clone()]
    }

    fn typed(bytes: &[u8], options: &Options) -> [Result<Any, DecodeError>; 2] {
        let read = godot::from_bytes_with(bytes, options, Leniency::new());
        [read, godot::decode_with(bytes, options).and_then(godot::from_value)]
    }

    fn exact(value: Variant<'static>) -> Variant<'static> {
        let written = godot::to_value(&value).unwrap();
        let bytes = Self::encode_with(&written, &Options::new(Version::V4).any_text(true)).unwrap();
        let options = Options::new(Version::V4).any_text(true);
        let read: Variant<'static> = godot::from_bytes_with(&bytes, &options, Leniency::new()).unwrap();
        godot::from_value(read).unwrap()
    }

    fn depth(value: &Variant<'_>) -> usize {
        depth(value)
    }

    fn notation(value: &codec::Value<'_, Self>) -> Vec<(String, Result<codec::Value<'static, Self>, TextError>)> {
        let text = value.to_gdscript(Self::version());
        let options = Options::new(Self::version());
        let by_itself = Variant::from_gdscript(&text, None, &options);
        let again = Variant::from_gdscript(&text, Some(value.type_id()), &options);
        vec![(text.clone(), by_itself), (text, again)]
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Variant<'static>> {
        // mostly a container, as what games send is
        Ok(match entropy.int_in_range(0..=9)? {
            0..=3 => dictionary(entropy, Self::version(), 3)?.into(),
            4..=7 => array(entropy, Self::version(), 3)?.into(),
            _ => value(entropy, Self::version(), 4)?,
        })
    }

    fn deepest() -> [Vec<u8>; 2] {
        let ([null, string, object, dictionary, array], _) = Self::ids();
        let depth = usize::from(Options::MAX_DEPTH);
        [depth, depth + 1].map(|depth| {
            let (mut head, mut tail) = (Vec::new(), Vec::new());
            for level in 0..depth {
                match level % 4 {
                    0 => head.extend([array, 0, 0, 0, 1, 0, 0, 0]),
                    1 => head.extend([dictionary, 0, 0, 0, 1, 0, 0, 0, string, 0, 0, 0, 1, 0, 0, 0, b'k', 0, 0, 0]),
                    2 => {
                        head.extend([object, 0, 0, 0, 1, 0, 0, 0, b'C', 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, b'p', 0, 0, 0])
                    }
                    // the key is what nests
                    _ => {
                        head.extend([dictionary, 0, 0, 0, 1, 0, 0, 0]);
                        tail.extend([null, 0, 0, 0]);
                    }
                }
            }
            [head, vec![null, 0, 0, 0], tail].concat()
        })
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let ([null, string, object, dictionary, array], packed) = Self::ids();
        let mut inputs = Vec::new();
        let class = [object, 0, 0, 0, 1, 0, 0, 0, b'C', 0, 0, 0];
        let heads = [vec![string, 0, 0, 0], vec![dictionary, 0, 0, 0], vec![array, 0, 0, 0], class.to_vec()];
        let arrays = packed.iter().map(|(id, _)| vec![*id, 0, 0, 0]);
        for head in heads.into_iter().chain(arrays) {
            for count in [0x7fff_ffff_u32, 0xffff_ffff, 0x1000_0000, 0x1555_5556] {
                let value = [&head[..], &count.to_le_bytes()].concat();
                inputs.push((format!("a length of {count:#x} after {head:?}"), value.clone()));
                inputs.push((format!("the same, longer: {count:#x} after {head:?}"), [value, vec![0; 1000]].concat()));
            }
        }
        for (id, size) in packed {
            let count = (LARGE / size) as u32;
            let value = [&[id, 0, 0, 0][..], &count.to_le_bytes(), &vec![0; LARGE]].concat();
            inputs.push((format!("a packed array of type {id}"), value));
        }
        for (name, id, count) in [("elements", array, LARGE as u32 / 4), ("entries", dictionary, LARGE as u32 / 8)] {
            for (how, count) in [("exactly", count), ("and one too few", count + 1)] {
                let value = [&[id, 0, 0, 0][..], &count.to_le_bytes(), &vec![null; LARGE]].concat();
                inputs.push((format!("the smallest {name}, {how}"), value));
            }
            let empty = [&[id, 0, 0, 0][..], &[0; 4]].concat();
            let (key, count) =
                if id == array { (empty.clone(), LARGE as u32 / 8) } else { (empty.clone(), LARGE as u32 / 16) };
            let items = if id == array { key.repeat(LARGE / 8) } else { [key, empty].concat().repeat(LARGE / 16) };
            let value = [&[id, 0, 0, 0][..], &count.to_le_bytes(), &items].concat();
            inputs.push((format!("empty {name} in {name}"), value));
        }
        for count in [1u32, 20, 100_000, 0x7fff_ffff] {
            let head = [&[array, 0, 0, 0][..], &count.to_le_bytes()].concat();
            let value = [head.repeat(1000), vec![null; LARGE]].concat();
            inputs.push((format!("1000 arrays in each other, each of {count}"), value));
        }
        // names of a node path, four bytes each
        let path = if VERSION == 3 { 15 } else { 22 };
        let count = (LARGE as u32 / 4) | 0x8000_0000;
        let value = [&[path, 0, 0, 0][..], &count.to_le_bytes(), &[0; 8], &vec![0; LARGE]].concat();
        inputs.push(("empty names of a node path".to_owned(), value));
        inputs.push((
            "counts of a node path that wrap".to_owned(),
            hex(&format!("{path:02x}000000 01000080 ffffffff 03000000")),
        ));
        inputs
    }
}

/// The nesting depth of the values in a value.
pub(super) fn depth(value: &Variant<'_>) -> usize {
    let inside: Option<usize> = match value {
        Variant::Array(array) => array.elements.iter().map(depth).max(),
        Variant::Dictionary(dictionary) => {
            dictionary.entries.iter().map(|entry| depth(&entry.key).max(depth(&entry.value))).max()
        }
        Variant::Object(Object::Full(object)) => object.properties.iter().map(|property| depth(&property.value)).max(),
        _ => None,
    };
    inside.map_or(0, |inside| inside + 1)
}

/// A value of any type, with up to `levels` containers inside each other.
pub(super) fn value(
    entropy: &mut Unstructured<'_>,
    version: Version,
    levels: usize,
) -> arbitrary::Result<Variant<'static>> {
    let id = match version {
        Version::V3 => entropy.choose(v3::TypeId::ALL)?.to_v4(),
        _ => *entropy.choose(v4::TypeId::ALL)?,
    };
    Ok(match id {
        v4::TypeId::null => Variant::Null,
        v4::TypeId::bool => Variant::Bool(entropy.arbitrary()?),
        v4::TypeId::int if entropy.arbitrary()? => Variant::Int(entropy.arbitrary::<i32>()?.into()),
        v4::TypeId::int => Variant::Int(entropy.arbitrary()?),
        v4::TypeId::float if entropy.arbitrary()? => Variant::Float(f64::from(entropy.arbitrary::<i16>()?) / 8.0),
        v4::TypeId::float => Variant::Float(entropy.arbitrary()?),
        v4::TypeId::String => Variant::String(string(entropy)?),
        v4::TypeId::Vector2 => Variant::Vector2(reals(entropy, version, vector2, vector2)?),
        v4::TypeId::Vector2i => Variant::Vector2i(vector2(entropy)?),
        v4::TypeId::Rect2 => Variant::Rect2(reals(entropy, version, rect2, rect2)?),
        v4::TypeId::Rect2i => Variant::Rect2i(rect2(entropy)?),
        v4::TypeId::Vector3 => Variant::Vector3(reals(entropy, version, vector3, vector3)?),
        v4::TypeId::Vector3i => Variant::Vector3i(vector3(entropy)?),
        v4::TypeId::Transform2D => Variant::Transform2D(Box::new(reals(entropy, version, transform2d, transform2d)?)),
        v4::TypeId::Vector4 => Variant::Vector4(reals(entropy, version, vector4, vector4)?),
        v4::TypeId::Vector4i => Variant::Vector4i(vector4(entropy)?),
        v4::TypeId::Plane => Variant::Plane(reals(entropy, version, plane, plane)?),
        v4::TypeId::Quaternion => Variant::Quaternion(reals(entropy, version, quaternion, quaternion)?),
        v4::TypeId::AABB => Variant::Aabb(Box::new(reals(entropy, version, aabb, aabb)?)),
        v4::TypeId::Basis => Variant::Basis(Box::new(reals(entropy, version, basis, basis)?)),
        v4::TypeId::Transform3D => Variant::Transform3D(Box::new(reals(entropy, version, transform3d, transform3d)?)),
        v4::TypeId::Projection => Variant::Projection(Box::new(reals(entropy, version, projection, projection)?)),
        v4::TypeId::Color => Variant::Color(color(entropy)?),
        v4::TypeId::StringName => Variant::StringName(string(entropy)?),
        v4::TypeId::NodePath => Variant::NodePath(Box::new(NodePath {
            absolute: entropy.arbitrary()?,
            names: list(entropy, string)?,
            subnames: list(entropy, string)?,
        })),
        v4::TypeId::RID if version == Version::V3 => Variant::Rid(Rid(0)),
        v4::TypeId::RID => Variant::Rid(Rid(entropy.arbitrary()?)),
        v4::TypeId::Object => Variant::Object(object(entropy, version, levels)?),
        v4::TypeId::Callable => Variant::Callable,
        v4::TypeId::Signal => {
            Variant::Signal(Box::new(Signal { name: string(entropy)?, object_id: entropy.arbitrary()? }))
        }
        v4::TypeId::Dictionary if levels == 0 => Dictionary::default().into(),
        v4::TypeId::Dictionary => dictionary(entropy, version, levels - 1)?.into(),
        v4::TypeId::Array if levels == 0 => Array::default().into(),
        v4::TypeId::Array => array(entropy, version, levels - 1)?.into(),
        v4::TypeId::PackedByteArray => Variant::PackedByteArray(entropy.arbitrary::<Vec<u8>>()?.into()),
        v4::TypeId::PackedInt32Array => Variant::PackedInt32Array(packed(entropy, number)?),
        v4::TypeId::PackedInt64Array => Variant::PackedInt64Array(packed(entropy, number)?),
        v4::TypeId::PackedFloat32Array => Variant::PackedFloat32Array(packed(entropy, number)?),
        v4::TypeId::PackedFloat64Array => Variant::PackedFloat64Array(packed(entropy, number)?),
        v4::TypeId::PackedStringArray => Variant::PackedStringArray(list(entropy, string)?),
        v4::TypeId::PackedVector2Array => Variant::PackedVector2Array(reals(
            entropy,
            version,
            |entropy| packed(entropy, vector2),
            |entropy| packed(entropy, vector2),
        )?),
        v4::TypeId::PackedVector3Array => Variant::PackedVector3Array(reals(
            entropy,
            version,
            |entropy| packed(entropy, vector3),
            |entropy| packed(entropy, vector3),
        )?),
        v4::TypeId::PackedColorArray => Variant::PackedColorArray(packed(entropy, color)?),
        v4::TypeId::PackedVector4Array => Variant::PackedVector4Array(reals(
            entropy,
            version,
            |entropy| packed(entropy, vector4),
            |entropy| packed(entropy, vector4),
        )?),
        other => unreachable!("{other:?} is new"),
    })
}

type Made<T> = arbitrary::Result<T>;

/// Something made of reals, of either width where the version has both.
fn reals<S, D>(
    entropy: &mut Unstructured<'_>,
    version: Version,
    single: impl Fn(&mut Unstructured<'_>) -> Made<S>,
    double: impl Fn(&mut Unstructured<'_>) -> Made<D>,
) -> Made<Reals<S, D>> {
    if version == Version::V4 && entropy.arbitrary()? {
        return Ok(Reals::Double(Box::new(double(entropy)?)));
    }
    single(entropy).map(Reals::Single)
}

/// Any numbers.
fn numbers<T: Number, const N: usize>(entropy: &mut Unstructured<'_>) -> Made<[T; N]> {
    let mut numbers = [T::default(); N];
    for number in &mut numbers {
        let mut bytes = [0; 8];
        entropy.fill_buffer(&mut bytes)?;
        *number = T::parser::<_, ()>().parse_complete(&bytes[..]).unwrap().1;
    }
    Ok(numbers)
}

fn vector2<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Vector2<T>> {
    numbers(entropy).map(|[x, y]| Vector2 { x, y })
}

fn vector3<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Vector3<T>> {
    numbers(entropy).map(|[x, y, z]| Vector3 { x, y, z })
}

fn vector4<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Vector4<T>> {
    numbers(entropy).map(|[x, y, z, w]| Vector4 { x, y, z, w })
}

fn quaternion<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Quaternion<T>> {
    numbers(entropy).map(|[x, y, z, w]| Quaternion { x, y, z, w })
}

fn rect2<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Rect2<T>> {
    Ok(Rect2 { position: vector2(entropy)?, size: vector2(entropy)? })
}

fn plane<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Plane<T>> {
    numbers(entropy).map(|[x, y, z, d]| Plane { normal: Vector3 { x, y, z }, d })
}

fn aabb<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Aabb<T>> {
    Ok(Aabb { position: vector3(entropy)?, size: vector3(entropy)? })
}

fn transform2d<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Transform2D<T>> {
    Ok(Transform2D { x: vector2(entropy)?, y: vector2(entropy)?, origin: vector2(entropy)? })
}

fn basis<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Basis<T>> {
    Ok(Basis { rows: [numbers(entropy)?, numbers(entropy)?, numbers(entropy)?] })
}

fn transform3d<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Transform3D<T>> {
    Ok(Transform3D { basis: basis(entropy)?, origin: vector3(entropy)? })
}

fn projection<T: Number>(entropy: &mut Unstructured<'_>) -> Made<Projection<T>> {
    let [x, y, z, w] = [vector4(entropy)?, vector4(entropy)?, vector4(entropy)?, vector4(entropy)?];
    Ok(Projection { x, y, z, w })
}

fn color(entropy: &mut Unstructured<'_>) -> Made<Color> {
    numbers(entropy).map(|[r, g, b, a]| Color { r, g, b, a })
}

fn packed<T: Packed>(
    entropy: &mut Unstructured<'_>,
    item: impl Fn(&mut Unstructured<'_>) -> Made<T>,
) -> Made<enginewire::wire::List<'static, T>> {
    Ok(list(entropy, item)?.into())
}

fn object(entropy: &mut Unstructured<'_>, version: Version, levels: usize) -> Made<Object<'static>> {
    Ok(match entropy.int_in_range(0..=2)? {
        0 => Object::Null,
        1 => Object::Id(entropy.arbitrary()?),
        _ => {
            let class = string(entropy)?;
            if class.is_empty() {
                return Ok(Object::Null);
            }
            let property = |entropy: &mut Unstructured<'_>| {
                Ok(Property { name: string(entropy)?, value: value(entropy, version, levels.saturating_sub(1))? })
            };
            let properties = if levels == 0 { Vec::new() } else { list(entropy, property)? };
            Object::new(class, properties)
        }
    })
}

fn container_type(entropy: &mut Unstructured<'_>) -> Made<ContainerType<'static>> {
    Ok(match entropy.int_in_range(0..=2)? {
        0 => ContainerType::Builtin(*entropy.choose(v4::TypeId::ALL)?),
        1 => ContainerType::Class(string(entropy)?),
        _ => ContainerType::Script(string(entropy)?),
    })
}

fn array(entropy: &mut Unstructured<'_>, version: Version, levels: usize) -> Made<Array<'static>> {
    let is_typed = version == Version::V4 && entropy.ratio(1, 3)?;
    let element_type = if is_typed { Some(Box::new(container_type(entropy)?)) } else { None };
    Ok(Array { element_type, elements: list(entropy, |entropy| value(entropy, version, levels))? })
}

fn dictionary(entropy: &mut Unstructured<'_>, version: Version, levels: usize) -> Made<Dictionary<'static>> {
    let mut types = None;
    if version == Version::V4 && entropy.ratio(1, 3)? {
        let key = if entropy.arbitrary()? { Some(container_type(entropy)?) } else { None };
        let value = if key.is_none() || entropy.arbitrary()? { Some(container_type(entropy)?) } else { None };
        types = Some(Box::new(EntryType { key, value }));
    }
    let entry = |entropy: &mut Unstructured<'_>| {
        Ok(Entry { key: value(entropy, version, levels.min(1))?, value: value(entropy, version, levels)? })
    };
    Ok(Dictionary { types, entries: list(entropy, entry)? })
}

fn number<T: Number>(entropy: &mut Unstructured<'_>) -> Made<T> {
    numbers(entropy).map(|[number]| number)
}

//! Writing values.

use std::io::Write;

use bstr::ByteSlice;
use cookie_factory::{GenError, SerializeFn, WriteContext};

use super::container_type::{write_container_type, ContainerType};
use super::encoding::{Encoding, Payload};
use super::header::{write_header, Written, FULL_OBJECT, WIDE};
use super::labels::{Key, ARRAY, DICTIONARY, OBJECT};
use super::value::{Array, Dictionary, Object, Variant};
use crate::error::{EncodeFault, Segment};
use crate::godot::datatypes::{gen_length, gen_string};
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::limits::Limited;
use crate::wire::{gen_uint64, AsKey, Kind, Le, Unwritten};

/// Fails if `depth` is greater than the options allow.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn within_depth(options: impl Limited, depth: u16) -> Result<(), Box<Unwritten>> {
    let limit = options.limits().depth();
    match depth > limit {
        true => Err(EncodeFault::TooDeep { limit }.into()),
        false => Ok(()),
    }
}

/// The kind of a container's type in its header; 0 for none.
const fn kind(container_type: Option<&ContainerType<'_>>) -> u8 {
    match container_type {
        Some(container_type) => container_type.kind(),
        None => 0,
    }
}

/// The error of a value in a container: in this part of this item, or in the whole item.
#[cold]
pub(in crate::godot) fn within_item(
    mut unwritten: Box<Unwritten>,
    kind: &Kind,
    index: usize,
    half: Option<&'static str>,
) -> Box<Unwritten> {
    for segment in half.map(Segment::Field).into_iter().chain([
        Segment::Index(index),
        Segment::Field(kind.items),
        Segment::Field(kind.field),
    ]) {
        unwritten = unwritten.within(segment);
    }
    unwritten
}

/// The error of the value of an entry. Its path has the key, as the path of a decoding error does.
#[cold]
pub(in crate::godot) fn within_entry(unwritten: Box<Unwritten>, index: usize, key: &Variant<'_>) -> Box<Unwritten> {
    let unwritten = unwritten.within(Segment::Field("value")).within(Segment::Key(Key(key).to_key()));
    within_item(unwritten, &DICTIONARY, index, None)
}

/// The error of a field of a value.
#[cold]
#[inline(never)]
pub(in crate::godot) fn leaf_error(error: GenError, field: &'static str) -> Box<Unwritten> {
    Box::<Unwritten>::from(error).within(Segment::Field(field))
}

/// Writes a value that holds no others.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn write_leaf<'a, X: Encoding<'a>, T: Payload<'a, X>, W: Write>(
    encoding: &X,
    id: TypeId,
    field: &'static str,
    value: &T,
    out: WriteContext<W>,
) -> Written<W> {
    let out = encoding.write_header(id, value.flags(), out)?;
    match value.write(*encoding, out) {
        Ok(out) => Ok(out),
        Err(error) => Err(leaf_error(error, field)),
    }
}

/// Writes the type that a container of this kind has in this field, if it has one.
#[cfg_attr(fast, inline(always))]
fn write_type<'a, X: Encoding<'a>, W: Write>(
    encoding: &X,
    container_type: Option<&ContainerType<'_>>,
    field: &'static str,
    kind: &Kind,
    out: WriteContext<W>,
) -> Written<W> {
    let Some(container_type) = container_type.filter(|_| X::TYPED) else { return Ok(out) };
    let written = write_container_type(encoding.options(), container_type, out);
    written.map_err(|error| leaf_error(error, field).within(Segment::Field(kind.field)))
}

/// Writes an [`Array`].
pub(in crate::godot) fn write_array<'a, X: Encoding<'a>, W: Write>(
    encoding: &X,
    array: &Array<'a>,
    depth: u16,
    out: WriteContext<W>,
) -> Written<W> {
    let element_type = array.element_type.as_deref();
    let out = encoding.write_header(TypeId::Array, kind(element_type), out)?;
    let out = write_type(encoding, element_type, "type", &ARRAY, out)?;
    let mut out = encoding.count(array.elements.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, element) in array.elements.iter().enumerate() {
        out = encoding.write_value(element, depth, out).map_err(|error| within_item(error, &ARRAY, index, None))?;
    }
    Ok(out)
}

/// Writes a [`Dictionary`].
pub(in crate::godot) fn write_dictionary<'a, X: Encoding<'a>, W: Write>(
    encoding: &X,
    dictionary: &Dictionary<'a>,
    depth: u16,
    out: WriteContext<W>,
) -> Written<W> {
    let types = dictionary.types.as_deref();
    let (key, value) = types.map_or((None, None), |types| (types.key.as_ref(), types.value.as_ref()));
    let out = encoding.write_header(TypeId::Dictionary, kind(key) | kind(value) << 2, out)?;
    let out = write_type(encoding, key, "key_type", &DICTIONARY, out)?;
    let out = write_type(encoding, value, "value_type", &DICTIONARY, out)?;
    let mut out = encoding.count(dictionary.entries.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, entry) in dictionary.entries.iter().enumerate() {
        out = encoding
            .write_value(&entry.key, depth, out)
            .map_err(|error| within_item(error, &DICTIONARY, index, Some("key")))?;
        out = encoding.write_value(&entry.value, depth, out).map_err(|error| within_entry(error, index, &entry.key))?;
    }
    Ok(out)
}

/// Writes an [`Object`].
pub(super) fn write_object<W: Write>(
    options: &Options,
    object: &Object<'_>,
    depth: u16,
    out: WriteContext<W>,
) -> Written<W> {
    let flags = if matches!(object, Object::Id(_)) { WIDE } else { 0 };
    let out = write_header(options.version(), TypeId::Object, flags, out)?;
    let object = match object {
        Object::Id(id) => return Ok(gen_uint64::<Le, W>(*id)(out)?),
        Object::Null => return Ok(gen_length(0)(out)?),
        Object::Full(object) => object,
        Object::Resource(_) => {
            let (version, what) = (options.version().number(), "references to resources");
            return Err(EncodeFault::NotInVersion { version, what }.into());
        }
    };
    if !options.objects {
        return Err(EncodeFault::Refused { what: "Object", reason: FULL_OBJECT }.into());
    }
    if object.class.is_empty() {
        return Err(EncodeFault::Other("an object has properties, but no class".to_owned()).into());
    }
    let class = gen_string(*options, object.class.as_bstr())(out);
    let out = class.map_err(|error| leaf_error(error, "class").within(Segment::Field(OBJECT.field)))?;
    let mut out = gen_length(object.properties.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, property) in object.properties.iter().enumerate() {
        let named = gen_string(*options, property.name.as_bstr())(out).map_err(Box::<Unwritten>::from);
        out = named.map_err(|error| within_item(error, &OBJECT, index, Some("name")))?;
        out = options.write_value(&property.value, depth, out).map_err(|error| {
            let key = Segment::Key(property.name.to_key());
            within_item(error.within(Segment::Field("value")).within(key), &OBJECT, index, None)
        })?;
    }
    Ok(out)
}

/// Writes a [`Variant`] as the version in the options does, and as [`variant`](super::variant()) reads it.
///
/// Fails if the version does not have such a value, the options refuse it, or it is too long or nested too deep.
#[inline]
pub fn gen_variant<'v, W: Write + 'v>(options: Options, value: &'v Variant<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| Ok(options.write_value(value, 0, out)?)
}

/// Values inside `depth` containers that are written by someone else.
#[cfg(feature = "text")]
pub(in crate::godot) mod inside {
    use super::*;

    /// Writes any value.
    #[inline]
    pub(in crate::godot) fn gen_any<'v, W: Write + 'v>(
        options: Options,
        value: &'v Variant<'_>,
        depth: u16,
    ) -> impl SerializeFn<W> + 'v {
        move |out: WriteContext<W>| Ok(options.write_value(value, depth, out)?)
    }

    /// Writes a value of this type, which holds no others.
    #[cfg_attr(fast, inline(always))]
    pub(in crate::godot) fn gen_leaf<'v, 'a: 'v, T: Payload<'a, Options>, W: Write + 'v>(
        options: Options,
        id: TypeId,
        value: &'v T,
        depth: u16,
    ) -> impl SerializeFn<W> + 'v {
        move |out: WriteContext<W>| {
            within_depth(options, depth)?;
            Ok(write_leaf(&options, id, id.name(), value, out)?)
        }
    }

    /// Writes a container of this type without items.
    #[inline]
    pub(in crate::godot) fn gen_empty<W: Write>(options: Options, id: TypeId, depth: u16) -> impl SerializeFn<W> {
        move |out: WriteContext<W>| {
            within_depth(options, depth)?;
            gen_length(0)(write_header(options.version(), id, 0, out)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::godot::{encode_with, v3, v4, EntryType, Property, Rid};
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    const BROKEN: &[u8] = b"\xff";

    fn broken() -> Variant<'static> {
        BROKEN.to_vec().into_byte_string().into()
    }

    fn property(name: &'static [u8], value: Variant<'static>) -> Property<'static> {
        Property { name: name.to_vec().into_byte_string(), value }
    }

    fn object(properties: impl IntoIterator<Item = Property<'static>>) -> Variant<'static> {
        Object::new("C", properties).into()
    }

    /// An error names the value that cannot be written with the path that decoding would give it.
    #[test]
    fn errors_name_the_value() {
        let of_4 = |value: Variant<'static>| v4::encode(&value).unwrap_err().to_string();
        assert_eq!(of_4(broken()), "text is not UTF-8 in string");
        assert_eq!(of_4(vec![Variant::Null, broken()].into()), "text is not UTF-8 in array.elements[1].string");
        let entries = |key, value| Dictionary::new([(1.into(), Variant::Null), (key, value)]).into();
        assert_eq!(of_4(entries(broken(), 0.into())), "text is not UTF-8 in dictionary.entries[1].key.string");
        assert_eq!(
            of_4(entries("k".into(), broken())),
            r#"text is not UTF-8 in dictionary.entries[1] "k".value.string"#
        );
        assert_eq!(of_4(entries(7.into(), broken())), "text is not UTF-8 in dictionary.entries[1] 7.value.string");
        let names = [property(b"p", Variant::Null), property(BROKEN, Variant::Null)];
        assert_eq!(of_4(object(names)), "text is not UTF-8 in object.properties[1].name");
        let values = [property(b"p", Variant::Null), property(b"q", broken())];
        assert_eq!(of_4(object(values)), r#"text is not UTF-8 in object.properties[1] "q".value.string"#);
        assert_eq!(of_4(Object::new(BROKEN.to_vec(), []).into()), "text is not UTF-8 in object.class");
        let class = || ContainerType::Class(BROKEN.to_vec().into_byte_string());
        let array = Array { element_type: Some(Box::new(class())), elements: vec![] };
        assert_eq!(of_4(array.into()), "text is not UTF-8 in array.type.class");
        let script = ContainerType::Script(BROKEN.to_vec().into_byte_string());
        for (key, value, path) in [(None, Some(script), "value_type.script"), (Some(class()), None, "key_type.class")] {
            let dictionary = Dictionary { types: Some(Box::new(EntryType { key, value })), entries: vec![] };
            assert_eq!(of_4(dictionary.into()), format!("text is not UTF-8 in dictionary.{path}"));
        }
    }

    #[test]
    fn what_a_version_lacks() {
        let of_3 = |value: Variant<'static>| v3::encode(&value).map_err(|error| error.to_string());
        assert_eq!(of_3(Variant::Callable), Err("version 3 has no Callable".to_owned()));
        assert_eq!(of_3(Variant::Rid(Rid(0))), Ok(vec![16, 0, 0, 0]));
        assert_eq!(of_3(Variant::Rid(Rid(1))), Err("version 3 has no RID other than 0".to_owned()));
        assert_eq!(of_3(Object::Id(1).into()), Ok(vec![17, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(v4::encode(&Variant::Rid(Rid(1))), Ok(vec![23, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(v4::encode(&Variant::Null), Ok(vec![0; 4]));
    }

    #[test]
    fn objects_that_are_not_written() {
        let strict = Options::new(Version::V4).objects(false);
        for (value, is_written) in [(object([]), false), (Object::Id(1).into(), true), (Object::Null.into(), true)] {
            assert_eq!(encode_with(&value, &strict).is_ok(), is_written, "{value:?}");
            assert!(v4::encode(&value).is_ok());
        }
        let error = encode_with(&object([]), &strict).unwrap_err();
        assert_eq!(error.to_string(), format!("the options refuse Object: {FULL_OBJECT}"));
        let error = v4::encode(&Object::new("", []).into()).unwrap_err();
        assert_eq!(error.to_string(), "an object has properties, but no class");
    }
}

//! Writing values.

use std::io::Write;

use bstr::ByteSlice;
use cookie_factory::{GenError, SerializeFn, WriteContext};

use super::container_type::{write_container_type, ContainerType};
use super::header::{write_header, Written, FULL_OBJECT, WIDE};
use super::labels::{Key, ARRAY, DICTIONARY, OBJECT};
use super::payload::Payload;
use super::table::type_table;
use super::value::{outlined, Array, Dictionary, Object, Variant};
use crate::error::{EncodeFault, Segment};
use crate::godot::datatypes::{gen_length, gen_string, Rid};
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::version::Version;
use crate::wire::{gen_uint64, key_text, Kind, Le, Unwritten};

/// Defines `write_value`, which writes a value of any type.
macro_rules! write_value {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        /// Writes a value that lies in `depth` containers. Of one that cannot be written, says which.
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn write_value<W: Write>(options: &Options, value: &Variant<'_>, depth: u16, out: WriteContext<W>) -> Written<W> {
            if depth > options.depth() {
                return Err(EncodeFault::TooDeep { limit: options.depth() }.into());
            }
            let version = options.version();
            match value {
                Variant::Null => outlined(|| write_header(version, TypeId::null, 0, out)),
                Variant::Callable => outlined(|| write_header(version, TypeId::Callable, 0, out)),
                Variant::Object(object) => write_object(options, object, depth, out),
                Variant::Dictionary(dictionary) => write_dictionary(options, dictionary, depth, out),
                Variant::Array(array) => write_array(options, array, depth, out),
                Variant::Rid(rid) if version == Version::V3 => outlined(|| match rid {
                    Rid(0) => write_header(version, TypeId::RID, 0, out),
                    Rid(_) => Err(EncodeFault::NotInVersion { version: 3, what: "RID other than 0" }.into()),
                }),
                $(Variant::$name(value) => write_leaf(options, TypeId::$id, $field, value, out),)*
            }
        }
    };
}

type_table!(write_value);

/// The kind of a container's type in its header.
const fn kind(container_type: Option<&ContainerType<'_>>) -> u8 {
    match container_type {
        Some(container_type) => container_type.kind(),
        None => 0,
    }
}

/// A value inside a container cannot be written: this half of this item, or all of it.
#[cold]
fn within_item(mut unwritten: Box<Unwritten>, kind: &Kind, index: usize, half: Option<&'static str>) -> Box<Unwritten> {
    for segment in half.map(Segment::Field).into_iter().chain([
        Segment::Index(index),
        Segment::Field(kind.items),
        Segment::Field(kind.field),
    ]) {
        unwritten = unwritten.within(segment);
    }
    unwritten
}

/// The value of an entry cannot be written: its path has the key, as that of a decode error does.
#[cold]
fn within_entry(unwritten: Box<Unwritten>, index: usize, key: &Variant<'_>) -> Box<Unwritten> {
    let unwritten = unwritten.within(Segment::Field("value")).within(Segment::Key(key_text(&Key(key))));
    within_item(unwritten, &DICTIONARY, index, None)
}

/// A value that holds no others cannot be written.
#[cold]
#[inline(never)]
fn leaf_error(error: GenError, field: &'static str) -> Box<Unwritten> {
    Box::<Unwritten>::from(error).within(Segment::Field(field))
}

/// Writes a value that holds no others.
#[cfg_attr(not(debug_assertions), inline(always))]
fn write_leaf<'a, T: Payload<'a>, W: Write>(
    options: &Options,
    id: TypeId,
    field: &'static str,
    value: &T,
    out: WriteContext<W>,
) -> Written<W> {
    let out = write_header(options.version(), id, value.flags(), out)?;
    match value.write(*options, out) {
        Ok(out) => Ok(out),
        Err(error) => Err(leaf_error(error, field)),
    }
}

/// Writes an [`Array`].
fn write_array<W: Write>(options: &Options, array: &Array<'_>, depth: u16, out: WriteContext<W>) -> Written<W> {
    let element_type = array.element_type.as_deref();
    let out = write_header(options.version(), TypeId::Array, kind(element_type), out)?;
    let out = write_container_type(*options, element_type, out)?;
    let mut out = gen_length(array.elements.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, element) in array.elements.iter().enumerate() {
        out = write_value(options, element, depth, out).map_err(|error| within_item(error, &ARRAY, index, None))?;
    }
    Ok(out)
}

/// Writes a [`Dictionary`].
fn write_dictionary<W: Write>(
    options: &Options,
    dictionary: &Dictionary<'_>,
    depth: u16,
    out: WriteContext<W>,
) -> Written<W> {
    let types = dictionary.types.as_deref();
    let (key, value) = types.map_or((None, None), |types| (types.key.as_ref(), types.value.as_ref()));
    let out = write_header(options.version(), TypeId::Dictionary, kind(key) | kind(value) << 2, out)?;
    let out = write_container_type(*options, value, write_container_type(*options, key, out)?)?;
    let mut out = gen_length(dictionary.entries.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, entry) in dictionary.entries.iter().enumerate() {
        out = write_value(options, &entry.key, depth, out)
            .map_err(|error| within_item(error, &DICTIONARY, index, Some("key")))?;
        out = write_value(options, &entry.value, depth, out).map_err(|error| within_entry(error, index, &entry.key))?;
    }
    Ok(out)
}

/// Writes an [`Object`].
fn write_object<W: Write>(options: &Options, object: &Object<'_>, depth: u16, out: WriteContext<W>) -> Written<W> {
    let flags = if matches!(object, Object::Id(_)) { WIDE } else { 0 };
    let out = write_header(options.version(), TypeId::Object, flags, out)?;
    let object = match object {
        Object::Id(id) => return Ok(gen_uint64::<Le, W>(*id)(out)?),
        Object::Null => return Ok(gen_length(0)(out)?),
        Object::Full(object) => object,
    };
    if !options.objects {
        return Err(EncodeFault::Refused { what: "Object", reason: FULL_OBJECT }.into());
    }
    if object.class.is_empty() {
        return Err(EncodeFault::Other("an object has properties, but no class".to_owned()).into());
    }
    let out = gen_string(*options, object.class.as_bstr())(out)?;
    let mut out = gen_length(object.properties.len())(out)?;
    let depth = depth.saturating_add(1);
    for (index, property) in object.properties.iter().enumerate() {
        let named = gen_string(*options, property.name.as_bstr())(out).map_err(Box::<Unwritten>::from);
        out = named.map_err(|error| within_item(error, &OBJECT, index, Some("name")))?;
        out = write_value(options, &property.value, depth, out).map_err(|error| {
            let key = Segment::Key(key_text(&property.name.as_bstr()));
            within_item(error.within(Segment::Field("value")).within(key), &OBJECT, index, None)
        })?;
    }
    Ok(out)
}

/// Writes a [`Variant`] as the version in the options has it.
///
/// Fails if the version has no such values, the options refuse them, or they are too long or too deep.
#[inline]
pub fn gen_variant<'v, W: Write + 'v>(options: Options, value: &'v Variant<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| Ok(write_value(&options, value, 0, out)?)
}

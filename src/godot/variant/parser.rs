//! Reading values.

use std::fmt::{self, Debug};
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
#[cfg(feature = "text")]
use nom::{Complete, Emit, OutputM};
use nom::{Mode, OutputMode, PResult, Parser};

use super::container_type::{container_type, ContainerType};
use super::encoding::{Encoding, Payload};
use super::header::Header;
use super::labels::{Key, ARRAY, DICTIONARY, OBJECT};
use super::value::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant};
use crate::godot::datatypes::{length, string};
use crate::godot::options::Options;
#[cfg(feature = "text")]
use crate::number::to_usize;
use crate::wire::{
    field, fill, noted, push_reserved, recursive, switch_outlined, switch_to, uint32, uint64, within, AsKey, Head,
    HeadResult, Label, Le, Note, Recursive, Source, Valued, WireError,
};
#[cfg(feature = "text")]
use crate::wire::{Kind, Traceback};

/// Reads a [`Variant`] of a version.
///
/// Values may nest as deep as the options allow, at most in 1024 containers. The usual stack of a thread, 2 MiB, is enough
/// for that.
///
/// ```
/// use enginewire::godot::{variant, Options, Variant, Version};
/// use enginewire::wire::Traceback;
/// use nom::Parser;
///
/// let mut parser = variant::<_, Traceback<&[u8]>>(Options::new(Version::V4));
/// let (rest, value) = parser.parse_complete(&b"\x02\0\0\0\x2a\0\0\0rest"[..]).unwrap();
/// assert_eq!((value, rest), (Variant::Int(42), &b"rest"[..]));
/// ```
///
/// nom's `parse` is for streams: it returns `Incomplete` where the input ends. If all bytes are there, such as those of a part that
/// was cut out, call `parse_complete`. [`length_delimited`](crate::wire::length_delimited) knows that its part is complete.
///
/// In little-endian, the bytes `02 00 00 00 2a 00 00 00` are `Variant::Int(42)`. A header that [`header`](super::header()) refuses is refused,
/// and a value that the parser of its type refuses.
///
/// Specification: `docs/spec/godot-variant.md`, section Variant.
#[inline]
pub fn variant<'a, I, E>(options: Options) -> impl Parser<I, Output = Variant<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    values(options)
}

/// Reads a value of an encoding, and all values in it.
#[inline]
pub(in crate::godot) fn values<'a, X, I, E>(encoding: X) -> impl Parser<I, Output = Variant<'a>, Error = E>
where
    X: Encoding<'a>,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    recursive(Values { encoding, error: PhantomData })
}

/// The parser of values: how a value begins, and where the values in it go.
struct Values<X, E> {
    encoding: X,
    error: PhantomData<fn() -> E>,
}

impl<X: Copy, E> Clone for Values<X, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X: Copy, E> Copy for Values<X, E> {}

/// Reads a value up to the values in it.
#[cfg_attr(fast, inline(always))]
fn head<'a, OM: OutputMode, X: Encoding<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
    encoding: X,
    input: I,
    depth: u16,
    place: &mut Variant<'a>,
    container: &mut Building<'a>,
) -> HeadResult<OM, I, E> {
    let (rest, header) = encoding.header::<I, E>(depth).process::<Valued<OM>>(input)?;
    encoding.content::<OM, I, E>(header, rest, place, container)
}

/// A payload as the field of a value.
struct Leaf<X, H, T, E> {
    encoding: X,
    header: H,
    types: PhantomData<fn() -> (T, E)>,
}

impl<'a, X, T, I, E> Parser<I> for Leaf<X, X::Header, T, E>
where
    X: Encoding<'a>,
    T: Payload<'a, X>,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    type Output = T;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, E> {
        T::read::<OM, I, E>(self.encoding, self.header, input)
    }
}

/// Reads a value that holds no others: `variant` makes it of its payload, which paths call `name`.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn leaf<
    'a,
    OM: OutputMode,
    X: Encoding<'a>,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
    T: Payload<'a, X>,
>(
    name: &'static str,
    encoding: X,
    header: X::Header,
    input: I,
    place: &mut Variant<'a>,
    variant: impl FnMut(T) -> Variant<'a>,
) -> HeadResult<OM, I, E> {
    let parser = || Parser::<I>::map(field(name, Leaf { encoding, header, types: PhantomData }), variant);
    // known when compiled, so that only one of the two is
    let (rest, value) = match const { X::OUTLINED || T::OUTLINED } {
        true => switch_outlined::<OM, I, _>(input, parser),
        false => switch_to::<OM, I, _>(input, parser),
    }?;
    OM::Output::map(value, |value| fill(place, value));
    Ok((rest, Head::Value))
}

/// Places a value that has nothing after its header.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn known<'a, OM: OutputMode>(place: &mut Variant<'a>, value: impl FnMut() -> Variant<'a>) -> Head {
    OM::Output::map(OM::Output::bind(value), |value| fill(place, value));
    Head::Value
}

/// A container that is being read. `repr(u8)`, because its kind is found faster in a byte of its own.
#[derive(Default)]
#[repr(u8)]
pub(in crate::godot) enum Building<'a> {
    /// Nothing is built.
    #[default]
    Nothing,
    Array(Array<'a>),
    Dictionary(Dictionary<'a>),
    Object(FullObject<'a>),
}

/// Objects are rare. Their code is not inlined, which makes that of all other values faster.
impl<'a> Building<'a> {
    #[cold]
    #[inline(never)]
    fn begin_property(&mut self, name: Option<Variant<'a>>) -> Option<&mut Variant<'a>> {
        let (Building::Object(object), Some(Variant::String(name))) = (self, name) else { return None };
        grow(&mut object.properties, || Property { name, value: Variant::Null }).map(|property| &mut property.value)
    }

    #[cold]
    #[inline(never)]
    fn property(&mut self) -> Option<&mut Variant<'a>> {
        let Building::Object(object) = self else { return None };
        object.properties.last_mut().map(|property| &mut property.value)
    }
}

impl Debug for Building<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Building::Nothing => Ok(()),
            Building::Array(array) => array.fmt(f),
            Building::Dictionary(dictionary) => dictionary.fmt(f),
            Building::Object(object) => object.fmt(f),
        }
    }
}

impl<'a, X: Encoding<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>> Recursive<I> for Values<X, E> {
    type Error = E;
    type Value = Variant<'a>;
    type Container = Building<'a>;

    #[cfg_attr(fast, inline(always))]
    fn head<OM: OutputMode>(
        self,
        input: I,
        depth: u16,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E> {
        head::<OM, X, I, E>(self.encoding, input, depth, place, container)
    }

    #[cfg_attr(fast, inline(always))]
    fn name<OM: OutputMode>(self, input: I) -> PResult<OM, I, Variant<'a>, E> {
        string(self.encoding.options()).map(Variant::String).process::<OM>(input)
    }

    #[cfg_attr(fast, inline(always))]
    fn reserve(container: &mut Building<'a>, count: usize) {
        match container {
            Building::Nothing => {}
            Building::Array(array) => array.elements.reserve_exact(count),
            Building::Dictionary(dictionary) => dictionary.entries.reserve_exact(count),
            Building::Object(object) => object.properties.reserve_exact(count),
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn begin<'c>(container: &'c mut Building<'a>, name: Option<Variant<'a>>) -> Option<&'c mut Variant<'a>> {
        match container {
            Building::Array(array) => grow(&mut array.elements, || Variant::Null),
            Building::Dictionary(dictionary) => {
                let entry = grow(&mut dictionary.entries, || Entry { key: Variant::Null, value: Variant::Null })?;
                Some(&mut entry.key)
            }
            rare => rare.begin_property(name),
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn place<'c>(container: &'c mut Building<'a>, keyed: bool) -> Option<&'c mut Variant<'a>> {
        match container {
            Building::Array(array) => array.elements.last_mut(),
            Building::Dictionary(dictionary) => {
                dictionary.entries.last_mut().map(|entry| if keyed { &mut entry.value } else { &mut entry.key })
            }
            rare => rare.property(),
        }
    }

    fn truncate(container: &mut Building<'a>, count: usize) {
        match container {
            Building::Nothing => {}
            Building::Array(array) => array.elements.truncate(count),
            Building::Dictionary(dictionary) => dictionary.entries.truncate(count),
            Building::Object(object) => object.properties.truncate(count),
        }
    }

    fn key<T>(container: &Building<'a>, hear: impl FnOnce(&dyn AsKey) -> T) -> T {
        match container {
            Building::Dictionary(Dictionary { entries, .. }) => match entries.last() {
                Some(entry) => hear(&Key(&entry.key)),
                None => hear(&""),
            },
            Building::Object(object) => {
                hear(&object.properties.last().map_or(BStr::new(""), |last| last.name.as_bstr()))
            }
            Building::Array(_) | Building::Nothing => hear(&""),
        }
    }

    fn as_key<'v>(value: &'v Variant<'a>) -> impl AsKey + 'v {
        Key(value)
    }

    fn last<'c>(container: &'c Building<'a>) -> &'c dyn Debug {
        let (entry, property) = match container {
            Building::Dictionary(dictionary) => (dictionary.entries.last(), None),
            Building::Object(object) => (None, object.properties.last()),
            _ => (None, None),
        };
        match (entry, property) {
            (Some(entry), _) => entry,
            (_, Some(property)) => property,
            _ => &"",
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn close(container: Building<'a>) -> Variant<'a> {
        match container {
            Building::Nothing => Variant::Null,
            Building::Array(array) => Variant::Array(array),
            Building::Dictionary(dictionary) => Variant::Dictionary(dictionary),
            Building::Object(object) => Variant::Object(Object::Full(Box::new(object))),
        }
    }
}

/// Adds an item. There is room for it already, unless the input is traced.
#[cfg_attr(fast, inline(always))]
fn grow<T>(items: &mut Vec<T>, item: impl FnOnce() -> T) -> Option<&mut T> {
    if items.len() == items.capacity() {
        items.reserve(1);
    }
    push_reserved(items, item());
    items.last_mut()
}

/// The bit of a count that once meant that a container is shared.
const SHARED: u32 = 1 << 31;

/// Reads a count. [`SHARED`] is ignored.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn count<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    let shared = |word: &u32| (word & SHARED != 0).then_some(Note::NonCanonical("a count with bit 31 set"));
    noted(uint32::<Le, I, E>(), shared).map(|word| word & !SHARED)
}

/// Reads the type of a container, if it has one according to its header.
#[cfg_attr(fast, inline(always))]
fn typed<'a, OM: OutputMode, X: Encoding<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
    name: &'static str,
    kind: u8,
    encoding: X,
    input: I,
) -> PResult<OM, I, Option<ContainerType<'a>>, E> {
    if !X::TYPED || kind == 0 {
        return Ok((input, OM::Output::bind(|| None)));
    }
    switch_to::<OM, _, _>(input, || field(name, container_type(kind, encoding.options())).map(Some))
}

/// Reads an [`Array`] up to its elements.
#[cfg_attr(debug_assertions, inline(never))]
pub(in crate::godot) fn array<'a, OM: OutputMode, X: Encoding<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
    encoding: X,
    header: X::Header,
    input: I,
    container: &mut Building<'a>,
) -> HeadResult<OM, I, E> {
    input.open(Label::Field(ARRAY.field));
    let [kind, _] = X::kinds(header);
    let mut head = |input| {
        let (rest, element_type) = typed::<Valued<OM>, X, I, E>("type", kind, encoding, input)?;
        let (rest, count) = field("count", count()).process::<Valued<OM>>(rest)?;
        OM::Output::bind(|| {
            let element_type = element_type.map(Box::new);
            *container = Building::Array(Array { element_type, elements: Vec::new() });
        });
        Ok((rest, Head::Container(&ARRAY, count)))
    };
    head(input).map_err(|error| within::<I, OM, E>(error, Label::Field(ARRAY.field)))
}

/// Reads a [`Dictionary`] up to its entries.
#[cfg_attr(debug_assertions, inline(never))]
pub(in crate::godot) fn dictionary<
    'a,
    OM: OutputMode,
    X: Encoding<'a>,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
>(
    encoding: X,
    header: X::Header,
    input: I,
    container: &mut Building<'a>,
) -> HeadResult<OM, I, E> {
    input.open(Label::Field(DICTIONARY.field));
    let [key, value] = X::kinds(header);
    let mut head = |input| {
        let (rest, key) = typed::<Valued<OM>, X, I, E>("key_type", key, encoding, input)?;
        let (rest, value) = typed::<Valued<OM>, X, I, E>("value_type", value, encoding, rest)?;
        let (rest, count) = field("count", count()).process::<Valued<OM>>(rest)?;
        OM::Output::bind(|| {
            let is_typed = key.is_some() || value.is_some();
            let types = is_typed.then(|| Box::new(EntryType { key, value }));
            *container = Building::Dictionary(Dictionary { types, entries: Vec::new() });
        });
        Ok((rest, Head::Container(&DICTIONARY, count)))
    };
    head(input).map_err(|error| within::<I, OM, E>(error, Label::Field(DICTIONARY.field)))
}

/// Reads an [`Object`], up to its properties if it has some.
#[cfg_attr(debug_assertions, inline(never))]
pub(super) fn object<'a, OM, I, E>(
    header: Header,
    options: Options,
    input: I,
    place: &mut Variant<'a>,
    container: &mut Building<'a>,
) -> HeadResult<OM, I, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    input.open(Label::Field(OBJECT.field));
    let mut closed = |rest: I, object: Object<'a>| {
        OM::Output::map(OM::Output::bind(|| object), |object| {
            rest.close(&object);
            fill(place, Variant::Object(object));
        });
        Ok((rest, Head::Value))
    };
    let mut head = |input| {
        if header.is_wide() {
            let (rest, id) = field("id", uint64::<Le, I, E>()).process::<Valued<OM>>(input)?;
            return closed(rest, Object::Id(id));
        }
        let (rest, class) = field("class", string(options)).process::<Valued<OM>>(input)?;
        if class.is_empty() {
            return closed(rest, Object::Null);
        }
        let (rest, count) = field("count", length()).process::<Valued<OM>>(rest)?;
        OM::Output::bind(|| {
            *container = Building::Object(FullObject { class, properties: Vec::new() });
        });
        Ok((rest, Head::Container(&OBJECT, count)))
    };
    head(input).map_err(|error| within::<I, OM, E>(error, Label::Field(OBJECT.field)))
}

/// A value as far as its first look: of a container, how many items follow.
#[cfg(feature = "text")]
pub(in crate::godot) enum Begun<'a> {
    Value(Variant<'a>),
    Array(usize),
    Dictionary(usize),
    Object(usize),
}

/// Reads the number of items in a container of this kind. Returns `None` if they cannot all fit into the input.
#[cfg(feature = "text")]
#[inline]
pub(in crate::godot) fn items<'i>(kind: &Kind, input: &'i [u8]) -> Option<(&'i [u8], usize)> {
    let (rest, count) = count::<&[u8], ()>().parse_complete(input).ok()?;
    fitting(kind, count, rest)
}

/// So many items, if they fit into the rest of the input.
#[cfg(feature = "text")]
#[inline]
fn fitting<'i>(kind: &Kind, count: u32, rest: &'i [u8]) -> Option<(&'i [u8], usize)> {
    let count = to_usize(count);
    (count.saturating_mul(kind.smallest) <= rest.len()).then_some((rest, count))
}

/// Reads a value that lies in `depth` containers, or the head of a container whose items fit into the input.
#[cfg(feature = "text")]
#[inline]
pub(in crate::godot) fn begin(options: Options, depth: u16, input: &[u8]) -> Option<(&[u8], Begun<'_>)> {
    let (mut value, mut container) = (Variant::Null, Building::Nothing);
    let head =
        head::<OutputM<Emit, Emit, Complete>, _, _, Traceback<_>>(options, input, depth, &mut value, &mut container);
    let (rest, head) = head.ok()?;
    let (kind, count) = match head {
        Head::Value => return Some((rest, Begun::Value(value))),
        Head::Container(kind, count) => (kind, count),
    };
    let (rest, count) = fitting(kind, count, rest)?;
    let begun = match container {
        Building::Dictionary(_) => Begun::Dictionary(count),
        Building::Object(_) => Begun::Object(count),
        Building::Array(_) | Building::Nothing => Begun::Array(count),
    };
    Some((rest, begun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{decode_partial, gen_variant, v3, v4, Rid, Version};
    use crate::test::{both_ways, hex};
    use crate::wire::{ByteString, IntoByteString};
    use pretty_assertions::assert_eq;

    fn text(text: &str) -> ByteString<'_> {
        text.into_byte_string()
    }

    #[test]
    fn worked_example() {
        let (options, value) = (Options::new(Version::V4), Variant::Int(42));
        both_ways(&hex("02 00 00 00 2a 00 00 00"), value.clone(), || variant(options), gen_variant(options, &value));
    }

    #[test]
    fn objects_of_every_form() {
        for (bytes, object) in [
            ("18000100 0500000000000080", Object::Id(0x8000_0000_0000_0005)),
            ("18000000 00000000", Object::Null),
            ("18000000 01000000 43000000 00000000", Object::new("C", [])),
            (
                "18000000 01000000 43000000 02000000 01000000 70000000 00000000 00000000 19000000",
                Object::new(
                    "C",
                    [
                        Property { name: text("p"), value: Variant::Null },
                        Property { name: text(""), value: Variant::Callable },
                    ],
                ),
            ),
        ] {
            let value = Variant::from(object);
            assert_eq!(v4::decode(&hex(bytes)), Ok(value.clone()), "{bytes}");
            assert_eq!(v4::encode(&value), Ok(hex(bytes)));
        }
        // a RID of version 3 has no bytes
        assert_eq!(v3::decode(&hex("10000000")), Ok(Variant::Rid(Rid(0))));
        assert!(v3::decode(&hex("10000000 00000000 00000000")).is_err());
    }

    /// An error contains its place, and the number, key or name of the item.
    #[test]
    fn paths_of_errors() {
        let path = |bytes: &str| v4::decode(&hex(bytes)).unwrap_err().path().to_string();
        assert_eq!(path("1c000000 02000000 00000000 63000000"), "array.elements[1].header");
        assert_eq!(path("1c000000"), "array.count");
        assert_eq!(path("1b000000 01000000 04000000 ffffffff"), "dictionary.entries[0].key.string.length");
        let key = "1b000000 01000000 04000000 01000000 6b000000";
        assert_eq!(path(&format!("{key} 63000000")), r#"dictionary.entries[0] "k".value.header"#);
        assert_eq!(path("1b000000 01000000 02000000 07000000 02000000"), "dictionary.entries[0] 7.value.int");
        assert_eq!(path("1b000000 01000000 03000000 0000003f 02000000"), "dictionary.entries[0] 0.5.value.int");
        let null = if cfg!(feature = "text") { "null" } else { "Null" };
        assert_eq!(path("1b000000 01000000 00000000 02000000"), format!("dictionary.entries[0] {null}.value.int"));
        assert_eq!(path("18000000 ffffffff"), "object.class.length");
        assert_eq!(path("18000000 01000000 43000000 ffffffff"), "object.count");
        let object = "18000000 01000000 43000000 01000000";
        assert_eq!(path(&format!("{object} 01000000 ff000000")), "object.properties[0].name.text");
        assert_eq!(path(&format!("{object} 01000000 70000000 63000000")), r#"object.properties[0] "p".value.header"#);
    }

    /// Bit 31 of a count means nothing, and the fewest bytes that items take bound it.
    #[test]
    fn counts_of_items() {
        for bytes in ["1c000000 01000080 00000000", "1b000000 01000080 00000000 00000000"] {
            let bytes = hex(bytes);
            assert!(!v4::check(&bytes).unwrap().is_canonical());
            let again = v4::encode(&v4::decode(&bytes).unwrap()).unwrap();
            assert_eq!(again, [&bytes[..7], &[0], &bytes[8..]].concat());
            assert!(v4::check(&again).unwrap().is_canonical());
        }
        // the highest count, which does not have bit 31
        assert!(v4::decode(&hex("1c000000 ffffff7f")).unwrap_err().is_truncated());
    }

    /// Broken input gives all items that come before the error.
    #[test]
    fn what_comes_before_an_error() {
        let partial = |bytes: &str| {
            let bytes = hex(bytes);
            let partial = decode_partial(&bytes, &Options::new(Version::V4));
            assert!(partial.error.is_some());
            partial.unfinished.map(|value| format!("{value:?}"))
        };
        let of_array = partial("1c000000 03000000 01000000 01000000 00000000 63000000");
        assert_eq!(of_array.as_deref(), Some("Array([Bool(true), Null])"));
        let of_dictionary = partial("1b000000 02000000 02000000 01000000 00000000 00000000 63000000");
        assert_eq!(of_dictionary.as_deref(), Some("Dictionary({Int(1): Null})"));
        let object = "18000000 01000000 43000000 02000000 01000000 70000000 00000000";
        let of_object = partial(&format!("{object} 01000000 71000000 63000000"));
        assert_eq!(of_object.as_deref(), Some(r#"Object(Full("C" {"p": Null}))"#));
    }

    /// In a tree, short containers and their items have their values, as fields have.
    #[test]
    fn short_containers_are_shown() {
        let shown = |bytes: &str| -> Vec<String> {
            let tree = v4::inspect(&hex(bytes));
            let all = tree.nodes().map(|node| (tree.path(&node).to_string(), node.value.map(str::to_owned)));
            all.map(|(path, value)| format!("{path} {}", value.unwrap_or_default())).collect()
        };
        let null = if cfg!(feature = "text") { "null" } else { "Null" };
        assert_eq!(
            shown("1c000000 01000000 00000000"),
            [
                "header 28 Array",
                &format!("array [{null}]"),
                "array.count 1",
                &format!("array.elements [{null}]"),
                &format!("array.elements[0] {null}"),
                "array.elements[0].header 0 null",
            ]
        );
        let dictionary = shown("1b000000 01000000 00000000 00000000");
        assert_eq!(dictionary[1], format!("dictionary {{{null}: {null}}}"));
        // the key and the value are nodes of their own
        assert_eq!(dictionary[4], format!("dictionary.entries[0] {null} "));
        let object = shown("18000000 01000000 43000000 01000000 01000000 70000000 00000000");
        assert_eq!(object[1], format!(r#"object "C" {{"p": {null}}}"#));
        assert_eq!(object[7], r#"object.properties[0] "p" "#);
    }

    /// Room for all items of a container is made at once.
    #[test]
    fn a_container_is_allocated_once() {
        let nulls = |id: &str, count: usize| hex(&format!("{id}000000 64000000 {}", "00000000".repeat(count)));
        let object = format!("18000000 01000000 43000000 64000000 {}", "01000000 70000000 00000000".repeat(100));
        for bytes in [nulls("1c", 100), nulls("1b", 200)] {
            let count = allocation_counter::measure(|| drop(v4::decode(&bytes).unwrap())).count_total;
            assert_eq!(count, 1);
        }
        let bytes = hex(&object);
        // an object is in a box
        assert_eq!(allocation_counter::measure(|| drop(v4::decode(&bytes).unwrap())).count_total, 2);
    }
}

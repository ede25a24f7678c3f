//! Variant: the table of types, and the dispatch on it.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use cookie_factory::{GenError, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::container::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property};
use super::container_type::{container_type, write_container_type, ContainerType};
use super::datatypes::*;
use super::header::{header, write_header, Header, WIDE};
#[cfg(feature = "json")]
use super::json::Form;
use super::options::Options;
use super::payload::Payload;
use super::v4::TypeId;
use super::version::Version;
use crate::error::{EncodeFault, Segment};
use crate::wire::{
    field, fill, gen_uint64, key_text, noted, push_reserved, recursive, switch_outlined, switch_to, uint32, uint64,
    within, ByteString, Head, HeadResult, IntoByteString, Item, Kind, Label, Le, List, Note, Recursive, Source,
    Unwritten, Valued, WireError,
};

/// Writes the table of types as an enum of values and a `match` for every way to use them.
macro_rules! types {
    (
        $($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*
    ) => {
        /// A value of Godot, of version 3 or 4.
        ///
        /// | field | type |
        /// |---|---|
        /// | header | [`Header`] |
        /// | value | as the type says |
        ///
        /// Which types there are depends on the version; see [`v3::TypeId`](super::v3::TypeId) and
        /// [`v4::TypeId`](super::v4::TypeId). Here they have the names of version 4.
        #[derive(Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub enum Variant<'a> {
            /// Nothing.
            #[default]
            Null,
            /// A function of version 4, of which nothing is written.
            Callable,
            /// An object.
            Object(Object<'a>),
            /// Values with keys.
            Dictionary(Dictionary<'a>),
            /// Values.
            Array(Array<'a>),
            $(
                #[doc = $doc]
                $name($type),
            )*
        }

        impl Variant<'_> {
            /// The type, as version 4 calls it.
            #[must_use]
            pub const fn type_id(&self) -> TypeId {
                match self {
                    Variant::Null => TypeId::null,
                    Variant::Callable => TypeId::Callable,
                    Variant::Object(_) => TypeId::Object,
                    Variant::Dictionary(_) => TypeId::Dictionary,
                    Variant::Array(_) => TypeId::Array,
                    $(Variant::$name(_) => TypeId::$id,)*
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> Variant<'static> {
                match self {
                    Variant::Null => Variant::Null,
                    Variant::Callable => Variant::Callable,
                    Variant::Object(value) => outlined(|| Variant::Object(value.into_owned())),
                    Variant::Dictionary(value) => outlined(|| Variant::Dictionary(value.into_owned())),
                    Variant::Array(value) => outlined(|| Variant::Array(value.into_owned())),
                    $(Variant::$name(value) => outlined(|| Variant::$name(Payload::into_owned(value))),)*
                }
            }
        }

        impl Clone for Variant<'_> {
            fn clone(&self) -> Self {
                match self {
                    Variant::Null => Variant::Null,
                    Variant::Callable => Variant::Callable,
                    Variant::Object(value) => outlined(|| Variant::Object(value.clone())),
                    Variant::Dictionary(value) => outlined(|| Variant::Dictionary(value.clone())),
                    Variant::Array(value) => outlined(|| Variant::Array(value.clone())),
                    $(Variant::$name(value) => outlined(|| Variant::$name(value.clone())),)*
                }
            }
        }

        impl<E> Values<E> {
            /// What follows the header.
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn body<'a, OM: OutputMode, I: Source<Bytes = &'a BStr>>(
                self,
                header: Header,
                input: I,
                place: &mut Variant<'a>,
                container: &mut Building<'a>,
            ) -> HeadResult<OM, I, E>
            where
                E: WireError<I>,
            {
                let options = self.options;
                match header.type_id {
                    TypeId::null => Ok((input, known::<OM>(place, || Variant::Null))),
                    TypeId::Callable => Ok((input, known::<OM>(place, || Variant::Callable))),
                    TypeId::Object => object::<OM, I, E>(header, options, input, place, container),
                    TypeId::Dictionary => dictionary::<OM, I, E>(header, options, input, container),
                    TypeId::Array => array::<OM, I, E>(header, options, input, container),
                    TypeId::RID if options.version() == Version::V3 => {
                        Ok((input, known::<OM>(place, || Variant::Rid(Rid::default()))))
                    }
                    $(TypeId::$id => leaf::<OM, I, _>(<$type as Payload>::OUTLINED, input, place, || {
                        field($field, Leaf::<$type, E>::new(header, options)).map(Variant::$name)
                    }),)*
                }
            }
        }

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

        /// What holds no other values, in JSON.
        #[cfg(feature = "json")]
        impl Variant<'_> {
            pub(super) fn is_double(&self) -> bool {
                match self {
                    $(Variant::$name(value) => value.is_double(),)*
                    _ => false,
                }
            }

            pub(super) fn write_leaf<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Variant::$name(value) => Form::write(value, serializer),)*
                    _ => serializer.serialize_unit(),
                }
            }

            pub(super) fn read_leaf<'de, D: serde::Deserializer<'de>>(
                id: TypeId,
                double: bool,
                deserializer: D,
            ) -> Result<Variant<'static>, D::Error> {
                match id {
                    $(TypeId::$id => Form::read(double, deserializer).map(Variant::$name),)*
                    TypeId::Callable => serde::Deserialize::deserialize(deserializer).map(|()| Variant::Callable),
                    _ => serde::Deserialize::deserialize(deserializer).map(|()| Variant::Null),
                }
            }
        }
    };
}

types! {
    bool Bool(bool) "bool" "True or false.";
    int Int(i64) "int" "An integer. It takes 32 bits where it can.";
    float Float(f64) "float" "A number. It takes 32 bits where they can say it.";
    String String(ByteString<'a>) "string" "Text.";
    Vector2 Vector2(Reals<Vector2<f32>, Vector2<f64>>) "vector2" "Two numbers.";
    Vector2i Vector2i(Vector2<i32>) "vector2i" "Two integers.";
    Rect2 Rect2(Reals<Rect2<f32>, Rect2<f64>>) "rect2" "A rectangle.";
    Rect2i Rect2i(Rect2<i32>) "rect2i" "A rectangle of integers.";
    Vector3 Vector3(Reals<Vector3<f32>, Vector3<f64>>) "vector3" "Three numbers.";
    Vector3i Vector3i(Vector3<i32>) "vector3i" "Three integers.";
    Transform2D Transform2D(Box<Reals<Transform2D<f32>, Transform2D<f64>>>) "transform2d"
        "A transformation of the plane.";
    Vector4 Vector4(Reals<Vector4<f32>, Vector4<f64>>) "vector4" "Four numbers.";
    Vector4i Vector4i(Vector4<i32>) "vector4i" "Four integers.";
    Plane Plane(Reals<Plane<f32>, Plane<f64>>) "plane" "A plane in space.";
    Quaternion Quaternion(Reals<Quaternion<f32>, Quaternion<f64>>) "quaternion" "A rotation; Quat in version 3.";
    AABB Aabb(Box<Reals<Aabb<f32>, Aabb<f64>>>) "aabb" "A box.";
    Basis Basis(Box<Reals<Basis<f32>, Basis<f64>>>) "basis" "A matrix of three by three.";
    Transform3D Transform3D(Box<Reals<Transform3D<f32>, Transform3D<f64>>>) "transform3d"
        "A transformation of space; Transform in version 3.";
    Projection Projection(Box<Reals<Projection<f32>, Projection<f64>>>) "projection" "A matrix of four by four.";
    Color Color(Color) "color" "A colour.";
    StringName StringName(ByteString<'a>) "string_name" "A name.";
    NodePath NodePath(Box<NodePath<'a>>) "node_path" "The way to a node or property.";
    RID Rid(Rid) "rid" "A resource.";
    Signal Signal(Box<Signal<'a>>) "signal" "A signal of an object.";
    PackedByteArray PackedByteArray(Cow<'a, [u8]>) "packed_byte_array" "Bytes; PoolByteArray in version 3.";
    PackedInt32Array PackedInt32Array(List<'a, i32>) "packed_int32_array"
        "Integers of 32 bits; PoolIntArray in version 3.";
    PackedInt64Array PackedInt64Array(List<'a, i64>) "packed_int64_array" "Integers of 64 bits.";
    PackedFloat32Array PackedFloat32Array(List<'a, f32>) "packed_float32_array"
        "Numbers of 32 bits; PoolRealArray in version 3.";
    PackedFloat64Array PackedFloat64Array(List<'a, f64>) "packed_float64_array" "Numbers of 64 bits.";
    PackedStringArray PackedStringArray(Vec<ByteString<'a>>) "packed_string_array"
        "Texts; PoolStringArray in version 3.";
    PackedVector2Array PackedVector2Array(Reals<List<'a, Vector2<f32>>, List<'a, Vector2<f64>>>)
        "packed_vector2_array" "Vectors; PoolVector2Array in version 3.";
    PackedVector3Array PackedVector3Array(Reals<List<'a, Vector3<f32>>, List<'a, Vector3<f64>>>)
        "packed_vector3_array" "Vectors; PoolVector3Array in version 3.";
    PackedColorArray PackedColorArray(List<'a, Color>) "packed_color_array" "Colours; PoolColorArray in version 3.";
    PackedVector4Array PackedVector4Array(Reals<List<'a, Vector4<f32>>, List<'a, Vector4<f64>>>)
        "packed_vector4_array" "Vectors.";
}

/// Makes a value in a call of its own, in a debug build, so that whoever recurses keeps no room for every kind of value.
#[cfg_attr(not(debug_assertions), inline(always))]
fn outlined<T>(make: impl FnOnce() -> T) -> T {
    make()
}

/// The kind of a container's type in its header.
const fn kind(container_type: Option<&ContainerType<'_>>) -> u8 {
    match container_type {
        Some(container_type) => container_type.kind(),
        None => 0,
    }
}

/// Reads a [`Variant`] of a version.
///
/// Values may nest as deep as the options say, 1024 containers at most; the stack of a thread, 2 MiB, is enough for that.
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
/// Specification: `docs/spec/godot-variant.md`, section Variant.
#[inline]
pub fn variant<'a, I, E>(options: Options) -> impl Parser<I, Output = Variant<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    recursive(Values { options, error: PhantomData })
}

/// How values begin.
struct Values<E> {
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<E> Clone for Values<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Values<E> {}

/// A payload as the field of a value.
struct Leaf<T, E> {
    header: Header,
    options: Options,
    types: PhantomData<fn() -> (T, E)>,
}

impl<T, E> Leaf<T, E> {
    fn new(header: Header, options: Options) -> Self {
        Leaf { header, options, types: PhantomData }
    }
}

impl<'a, T: Payload<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Leaf<T, E> {
    type Output = T;
    type Error = E;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, E> {
        T::read::<OM, I, E>(self.header, self.options, input)
    }
}

/// A value that holds no others.
#[cfg_attr(not(debug_assertions), inline(always))]
fn leaf<'a, OM, I, P>(
    outlined: bool,
    input: I,
    place: &mut Variant<'a>,
    parser: impl FnOnce() -> P,
) -> HeadResult<OM, I, P::Error>
where
    OM: OutputMode,
    I: Source,
    P: Parser<I, Output = Variant<'a>>,
{
    let (rest, value) =
        if outlined { switch_outlined::<OM, I, P>(input, parser) } else { switch_to::<OM, I, P>(input, parser) }?;
    OM::Output::map(value, |value| fill(place, value));
    Ok((rest, Head::Value))
}

/// Puts a value that nothing has to be read for.
#[cfg_attr(not(debug_assertions), inline(always))]
fn known<'a, OM: OutputMode>(place: &mut Variant<'a>, value: impl FnMut() -> Variant<'a>) -> Head {
    OM::Output::map(OM::Output::bind(value), |value| fill(place, value));
    Head::Value
}

static ARRAY: Kind = Kind { field: "array", items: "elements", item: Item::Value, smallest: 4 };
static DICTIONARY: Kind = Kind { field: "dictionary", items: "entries", item: Item::Pair, smallest: 8 };
/// Why options refuse objects.
pub(super) const FULL_OBJECT: &str = "objects are not allowed in their full form";

static OBJECT: Kind = Kind { field: "object", items: "properties", item: Item::Named, smallest: 8 };

/// A container that is being read. Its kind has a place of its own, where it is found soonest.
#[derive(Default)]
#[repr(u8)]
enum Building<'a> {
    /// Nothing is built.
    #[default]
    Nothing,
    Array(Array<'a>),
    Dictionary(Dictionary<'a>),
    Object(FullObject<'a>),
}

/// Objects have calls of their own: one `match` less of those that every value comes through.
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

/// A key as paths and trees show it: text and numbers by themselves.
struct Key<'v, 'a>(&'v Variant<'a>);

impl Debug for Key<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Variant::String(text) | Variant::StringName(text) => text.as_bstr().fmt(f),
            Variant::Int(number) => number.fmt(f),
            Variant::Float(number) => number.fmt(f),
            other => other.fmt(f),
        }
    }
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Recursive<I> for Values<E> {
    type Error = E;
    type Value = Variant<'a>;
    type Container = Building<'a>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn head<OM: OutputMode>(
        self,
        input: I,
        depth: u16,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E> {
        let head = header::<I, E>(self.options, depth);
        let (rest, header) = field("header", head).process::<Valued<OM>>(input)?;
        self.body::<OM, I>(header, rest, place, container)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn name<OM: OutputMode>(self, input: I) -> PResult<OM, I, Variant<'a>, E> {
        string(self.options).map(Variant::String).process::<OM>(input)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reserve(container: &mut Building<'a>, count: usize) {
        match container {
            Building::Nothing => {}
            Building::Array(array) => array.elements.reserve_exact(count),
            Building::Dictionary(dictionary) => dictionary.entries.reserve_exact(count),
            Building::Object(object) => object.properties.reserve_exact(count),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
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

    #[cfg_attr(not(debug_assertions), inline(always))]
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

    fn key<T>(container: &Building<'a>, hear: impl FnOnce(&dyn Debug) -> T) -> T {
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

    fn as_key<'v>(value: &'v Variant<'a>) -> impl Debug + 'v {
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

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn close(container: Building<'a>) -> Variant<'a> {
        match container {
            Building::Nothing => Variant::Null,
            Building::Array(array) => Variant::Array(array),
            Building::Dictionary(dictionary) => Variant::Dictionary(dictionary),
            Building::Object(object) => Variant::Object(Object::Full(Box::new(object))),
        }
    }
}

/// Adds an item. There is room for it already, unless it is read for somebody who watches.
#[cfg_attr(not(debug_assertions), inline(always))]
fn grow<T>(items: &mut Vec<T>, item: impl FnOnce() -> T) -> Option<&mut T> {
    if items.len() == items.capacity() {
        items.reserve(1);
    }
    push_reserved(items, item());
    items.last_mut()
}

/// A count, of which bit 31 is ignored: it once said that a container is shared.
#[cfg_attr(not(debug_assertions), inline(always))]
fn count<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    let shared =
        |word: &u32| (*word > i32::MAX.unsigned_abs()).then_some(Note::NonCanonical("a count with bit 31 set"));
    noted(uint32::<Le, I, E>(), shared).map(|word| word & 0x7fff_ffff)
}

/// The type of a container, if its header says that it has one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn typed<'a, OM, I, E>(
    name: &'static str,
    kind: u8,
    options: Options,
    input: I,
) -> PResult<OM, I, Option<ContainerType<'a>>, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    match kind {
        0 => Ok((input, OM::Output::bind(|| None))),
        kind => switch_to::<OM, _, _>(input, || field(name, container_type(kind, options)).map(Some)),
    }
}

/// Reads an [`Array`] up to its elements.
#[cfg_attr(debug_assertions, inline(never))]
fn array<'a, OM, I, E>(header: Header, options: Options, input: I, container: &mut Building<'a>) -> HeadResult<OM, I, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    input.open(Label::Field(ARRAY.field));
    let mut head = |input| {
        let (rest, element_type) = typed::<Valued<OM>, I, E>("type", header.first_kind(), options, input)?;
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
fn dictionary<'a, OM, I, E>(
    header: Header,
    options: Options,
    input: I,
    container: &mut Building<'a>,
) -> HeadResult<OM, I, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    input.open(Label::Field(DICTIONARY.field));
    let mut head = |input| {
        let (rest, key) = typed::<Valued<OM>, I, E>("key_type", header.first_kind(), options, input)?;
        let (rest, value) = typed::<Valued<OM>, I, E>("value_type", header.second_kind(), options, rest)?;
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
fn object<'a, OM, I, E>(
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

/// The output behind a value, or why it cannot be written. In a box, so that the output is handed on in registers.
pub(super) type Written<W> = Result<WriteContext<W>, Box<Unwritten>>;

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

impl<'a> Variant<'a> {
    /// The value of a `Bool`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Variant::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an `Int`.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Variant::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a `Float`.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Variant::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of a `String` or `StringName`.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Variant::String(value) | Variant::StringName(value) => Some(value.as_bytes()),
            _ => None,
        }
    }

    /// The text of a `String` or `StringName`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes()?.to_str().ok()
    }

    /// The elements of an `Array`.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Variant<'a>]> {
        match self {
            Variant::Array(value) => Some(&value.elements),
            _ => None,
        }
    }

    /// A `Dictionary`.
    #[must_use]
    pub fn as_dictionary(&self) -> Option<&Dictionary<'a>> {
        match self {
            Variant::Dictionary(value) => Some(value),
            _ => None,
        }
    }
}

/// Each type of Rust as the type of the engine that is the same.
macro_rules! from {
    ($($type:ty: $value:ident => $variant:expr;)*) => {$(
        impl<'a> From<$type> for Variant<'a> {
            fn from($value: $type) -> Self {
                $variant
            }
        }
    )*};
}

from! {
    bool: value => Variant::Bool(value);
    i32: value => Variant::Int(value.into());
    u32: value => Variant::Int(value.into());
    i64: value => Variant::Int(value);
    f32: value => Variant::Float(value.into());
    f64: value => Variant::Float(value);
    &'a str: value => Variant::String(value.into_byte_string());
    String: value => Variant::String(value.into_byte_string());
    BString: value => Variant::String(value.into_byte_string());
    ByteString<'a>: value => Variant::String(value);
    Vector2<f32>: value => Variant::Vector2(Reals::Single(value));
    Vector2<i32>: value => Variant::Vector2i(value);
    Vector3<f32>: value => Variant::Vector3(Reals::Single(value));
    Vector3<i32>: value => Variant::Vector3i(value);
    Vector4<f32>: value => Variant::Vector4(Reals::Single(value));
    Color: value => Variant::Color(value);
    Array<'a>: value => Variant::Array(value);
    Dictionary<'a>: value => Variant::Dictionary(value);
    Object<'a>: value => Variant::Object(value);
    NodePath<'a>: value => Variant::NodePath(Box::new(value));
    Vec<Variant<'a>>: value => Variant::Array(Array::new(value));
    &'a [u8]: value => Variant::PackedByteArray(value.into());
    Vec<u8>: value => Variant::PackedByteArray(value.into());
}

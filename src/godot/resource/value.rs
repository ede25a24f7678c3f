//! Values of properties: a [`Variant`] in the encoding of resources.

use std::fmt::Debug;
use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{GenResult, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::reference::{gen_object, object};
use super::strings::{gen_name, gen_text, name, text, Strings};
use crate::error::{EncodeFault, Fault};
use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::{
    count, known, leaf_error, type_table, values, within_depth, within_entry, within_item, Building, Dictionary,
    Encoding, Object, Variant, ARRAY, DICTIONARY,
};
use crate::godot::Array;
use crate::wire::{
    encode_fault, field, fill, flat_map, float64, gen_bytes, gen_field, gen_repeat, generate_into, length_error, noted,
    repeat, switch_outlined, type_number, type_numbers, uint16, uint32, unit, verify, within, Be, ByteArray, ByteOrder,
    ByteString, Head, HeadResult, Kind, Label, Le, List, Note, Packed, Source, TypePolicy, Unwritten, Valued,
    WireError,
};

/// Data shared by all values of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'s, 'a> {
    pub(super) options: Options,
    pub(super) strings: &'s Strings<'s, 'a>,
    pub(super) big_endian: bool,
    /// True if reals have 64 bits.
    pub(super) double: bool,
    /// The version of the layout.
    pub(super) version: u32,
}

impl Context<'_, '_> {
    /// Writes the bytes of a number, given as little-endian.
    pub(super) fn number<W: Write, const N: usize>(self, bytes: [u8; N]) -> impl SerializeFn<W> {
        gen_bytes(if self.big_endian { Be::order(bytes) } else { bytes })
    }

    pub(super) fn uint32<W: Write>(self, value: u32) -> impl SerializeFn<W> {
        self.number(value.to_le_bytes())
    }

    /// Writes a count, which must fit 31 bits.
    pub(super) fn count<W: Write>(self, count: usize) -> impl SerializeFn<W> {
        move |out| match i32::try_from(count) {
            Ok(count) => self.number(count.to_le_bytes())(out),
            Err(_) => Err(length_error()),
        }
    }

    /// The bytes of numbers of this width in the other byte order, if it is that of the file.
    fn ordered(self, mut bytes: Vec<u8>, width: usize) -> Vec<u8> {
        if self.big_endian {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        bytes
    }
}

/// Defines the types of values: a row has the id, the name, the type of version 4, and what it is. Values of the last rows are of
/// a type that comes before.
macro_rules! value_types {
    ($($id:literal $name:ident $of:ident $doc:literal;)* wide { $($wide_id:literal $wide:ident $wide_of:ident $wide_doc:literal;)* }) => {
        type_numbers! {
            /// The type of a value in a resource.
            #[allow(non_camel_case_types)] // the engine's own names
            pub enum ValueType(u8, "type", Decimal) {
                $($id $name Spec $doc;)*
                $($wide_id $wide Spec $wide_doc;)*
            }
        }

        impl ValueType {
            /// The type of such values in version 4.
            #[must_use]
            pub const fn type_id(self) -> TypeId {
                match self {
                    $(ValueType::$name => TypeId::$of,)*
                    $(ValueType::$wide => TypeId::$wide_of,)*
                }
            }

            /// The type that a value has in a resource.
            pub(super) fn of(value: &Variant<'_>) -> ValueType {
                match value {
                    Variant::Int(value) if is_wide_int(*value) => ValueType::int64,
                    Variant::Float(value) if is_wide_float(*value) => ValueType::double,
                    _ => match value.type_id() {
                        $(TypeId::$of => ValueType::$name,)*
                    },
                }
            }
        }
    };
}

value_types! {
    1 null null "nothing.";
    2 bool bool "true or false.";
    3 int int "an integer of 32 bits.";
    4 float float "a real.";
    5 String String "text.";
    10 Vector2 Vector2 "two reals.";
    11 Rect2 Rect2 "a rectangle.";
    12 Vector3 Vector3 "three reals.";
    13 Plane Plane "a plane in space.";
    14 Quaternion Quaternion "a rotation.";
    15 AABB AABB "a box.";
    16 Basis Basis "a matrix of three by three.";
    17 Transform3D Transform3D "a transformation of space.";
    18 Transform2D Transform2D "a transformation of the plane.";
    20 Color Color "a colour, of 32 bits each.";
    22 NodePath NodePath "the way to a node or property.";
    23 RID RID "a resource of a server; its number has no meaning in a file.";
    24 Object Object "a resource.";
    26 Dictionary Dictionary "values with keys.";
    30 Array Array "values.";
    31 PackedByteArray PackedByteArray "bytes.";
    32 PackedInt32Array PackedInt32Array "integers of 32 bits.";
    33 PackedFloat32Array PackedFloat32Array "numbers of 32 bits.";
    34 PackedStringArray PackedStringArray "texts.";
    35 PackedVector3Array PackedVector3Array "vectors.";
    36 PackedColorArray PackedColorArray "colours.";
    37 PackedVector2Array PackedVector2Array "vectors.";
    42 Callable Callable "a function, which is not written.";
    43 Signal Signal "a signal, which is not written.";
    44 StringName StringName "a name.";
    45 Vector2i Vector2i "two integers.";
    46 Rect2i Rect2i "a rectangle of integers.";
    47 Vector3i Vector3i "three integers.";
    48 PackedInt64Array PackedInt64Array "integers of 64 bits.";
    49 PackedFloat64Array PackedFloat64Array "numbers of 64 bits.";
    50 Vector4 Vector4 "four reals.";
    51 Vector4i Vector4i "four integers.";
    52 Projection Projection "a matrix of four by four.";
    53 PackedVector4Array PackedVector4Array "vectors.";
    wide {
        40 int64 int "an integer of 64 bits.";
        41 double float "a number of 64 bits.";
    }
}

/// Reads a value and all values in it.
///
/// | field | type |
/// |---|---|
/// | type | uint32, a [`ValueType`] |
/// | value | what belongs to a value of its type |
///
/// An int of 64 bits that fits 32 is not canonical, nor is a double that is exact in 32 bits, or a float that is not.
///
/// Specification: `docs/spec/godot-resource.md`, section Value.
pub(super) fn value<'a, I, E>(context: &Context<'_, 'a>) -> impl Parser<I, Output = Variant<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    values(context)
}

/// Defines `body`, which reads what follows a type, and `write_value`.
macro_rules! all_types {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        impl<'a> Context<'_, 'a> {
            /// Reads what follows the type.
            fn body<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
                self,
                found: ValueType,
                input: I,
                place: &mut Variant<'a>,
                container: &mut Building<'a>,
            ) -> HeadResult<OM, I, E> {
                match found.type_id() {
                    TypeId::null => Ok((input, known::<OM>(place, || Variant::Null))),
                    TypeId::Callable => Ok((input, known::<OM>(place, || Variant::Callable))),
                    TypeId::Object => {
                        leaf::<OM, I, E, _>(input, place, || field("object", object(self)).map(Variant::Object))
                    }
                    TypeId::Dictionary => items::<OM, I, E>(&DICTIONARY, input, container, || {
                        Building::Dictionary(Dictionary::default())
                    }),
                    TypeId::Array => {
                        items::<OM, I, E>(&ARRAY, input, container, || Building::Array(Array::default()))
                    }
                    $(TypeId::$id => leaf::<OM, I, E, _>(input, place, || {
                        field($field, Leaf::<$type, E>::new(self, found)).map(Variant::$name)
                    }),)*
                }
            }
        }

        /// Writes a value inside `depth` containers. An error has the path of the value that cannot be written.
        fn write_value<W: Write>(context: &Context<'_, '_>, value: &Variant<'_>, depth: u16, out: WriteContext<W>) -> Written<W> {
            within_depth(context.options, depth)?;
            let out = write_type(context, value, out)?;
            match value {
                Variant::Null | Variant::Callable => Ok(out),
                Variant::Object(object) => write_object(context, object, out),
                Variant::Dictionary(dictionary) => write_dictionary(context, dictionary, depth, out),
                Variant::Array(array) => write_array(context, array, depth, out),
                $(Variant::$name(value) => write_leaf(context, $field, value, out),)*
            }
        }
    };
}

type_table!(all_types);

type Written<W> = Result<WriteContext<W>, Box<Unwritten>>;

/// By reference, because it is passed on with every value.
impl<'a> Encoding<'a> for &Context<'_, 'a> {
    fn head<OM, I, E>(
        self,
        input: I,
        depth: u16,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let id = type_number::<ValueType, I, _>(uint32::<Le, I, E>(), |_| TypePolicy::Allowed);
        let limit = self.options.depth();
        let within = |found| if depth > limit { Err(Fault::TooDeep { limit }) } else { Ok(found) };
        let (rest, found) = field("type", verify(id, within)).process::<Valued<OM>>(input)?;
        self.body::<OM, I, E>(found, rest, place, container)
    }

    fn options(self) -> Options {
        self.options
    }
}

/// Reads a value that holds no others into its place, in a call of its own.
fn leaf<'a, OM, I, E, P>(input: I, place: &mut Variant<'a>, parser: impl FnOnce() -> P) -> HeadResult<OM, I, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
    P: Parser<I, Output = Variant<'a>, Error = E>,
{
    let (rest, value) = switch_outlined::<OM, I, _>(input, parser)?;
    OM::Output::map(value, |value| fill(place, value));
    Ok((rest, Head::Value))
}

/// Reads a container up to its items.
fn items<'a, OM, I, E>(
    kind: &'static Kind,
    input: I,
    container: &mut Building<'a>,
    empty: impl Fn() -> Building<'a>,
) -> HeadResult<OM, I, E>
where
    OM: OutputMode,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    input.open(Label::Field(kind.field));
    match field("count", count::<I, E>()).process::<Valued<OM>>(input) {
        Ok((rest, count)) => {
            OM::Output::bind(|| *container = empty());
            Ok((rest, Head::Container(kind, count)))
        }
        Err(error) => Err(within::<I, OM, E>(error, Label::Field(kind.field))),
    }
}

/// The content of a value that holds no others.
trait Stored<'a>: Debug + Sized {
    /// Runs its parser.
    fn read<OM, I, E>(context: Context<'_, 'a>, found: ValueType, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// Runs its generator.
    fn write<W: Write>(&self, context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W>;
}

/// A [`Stored`] content as a parser.
struct Leaf<'s, 'a, T, E> {
    context: Context<'s, 'a>,
    found: ValueType,
    types: PhantomData<fn() -> (T, E)>,
}

impl<'s, 'a, T, E> Leaf<'s, 'a, T, E> {
    fn new(context: Context<'s, 'a>, found: ValueType) -> Self {
        Leaf { context, found, types: PhantomData }
    }
}

impl<'a, T: Stored<'a>, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Leaf<'_, 'a, T, E> {
    type Output = T;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, E> {
        T::read::<OM, I, E>(self.context, self.found, input)
    }
}

/// [`Stored`] from a parser and a generator.
macro_rules! stored {
    (($context:ident, $found:ident, $value:ident) $($type:ty: $parser:expr, $generator:expr;)*) => {$(
        impl<'a> Stored<'a> for $type {
            #[allow(unused_variables)] // most types need only some of them
            fn read<OM, I, E>($context: Context<'_, 'a>, $found: ValueType, input: I) -> PResult<OM, I, Self, E>
            where
                OM: OutputMode,
                I: Source<Bytes = &'a BStr>,
                E: WireError<I>,
            {
                ($parser).process::<OM>(input)
            }

            #[allow(unused_variables)]
            fn write<W: Write>(&self, $context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W> {
                let $value = self;
                ($generator)(out)
            }
        }
    )*};
}

stored! {
    (context, found, value)
    bool: bool(), context.uint32((*value).into());
    i64: int(found == ValueType::int64), gen_int(context, *value);
    f64: real(context, found), gen_real(context, *value);
    ByteString<'a>: text(context.options), gen_text(context, value);
    NodePath<'a>: node_path(context), gen_node_path(context, value);
    Rid: uint32::<Le, I, E>().map(|id| Rid(id.into())), gen_rid(context, *value);
    Signal<'a>: nom::combinator::success(Signal::default()), gen_signal(value);
    ByteArray<'a>: packed_byte_array(context.options), gen_bytes_padded(context, value);
    Vec<ByteString<'a>>:
        flat_map(field("count", length()), move |count| field("elements", repeat(count, 4, text(context.options)))),
        gen_texts(context, value);
}

/// Writes an int, in 32 bits if it fits.
fn gen_int<'v, W: Write>(context: Context<'v, 'v>, value: i64) -> impl SerializeFn<W> + 'v {
    move |out| match i32::try_from(value) {
        Ok(value) => context.number(value.to_le_bytes())(out),
        Err(_) => context.number(value.to_le_bytes())(out),
    }
}

/// Reads a number: a real, whose width is that of the file, or a double.
fn real<I: Source, E: WireError<I>>(context: Context<'_, '_>, found: ValueType) -> Real<E> {
    Real { wide: found == ValueType::double, double: context.double, error: PhantomData }
}

struct Real<E> {
    wide: bool,
    double: bool,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Real<E> {
    type Output = f64;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, f64, E> {
        if self.wide || !self.double {
            return float(self.wide).process::<OM>(input);
        }
        let inexact =
            |number: &f64| is_wide_float(*number).then_some(Note::NonCanonical("a float that needs a double"));
        noted(float64::<Le, I, E>(), inexact).process::<OM>(input)
    }
}

/// Writes a number: a real if that is exact in 32 bits, else a double.
fn gen_real<'v, W: Write>(context: Context<'v, 'v>, value: f64) -> impl SerializeFn<W> + 'v {
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // exact
    move |out| match is_wide_float(value) || context.double {
        true => context.number(value.to_le_bytes())(out),
        false => context.number((value as f32).to_le_bytes())(out),
    }
}

/// Reads a [`NodePath`].
///
/// | field | type |
/// |---|---|
/// | name_count | uint16 |
/// | subname_count | uint16, with bit 15 if it is absolute; in versions before 3, there is one subname more |
/// | names | `name_count` × a name |
/// | subnames | `subname_count` × a name |
///
/// Specification: `docs/spec/godot-resource.md`, section NodePath.
fn node_path<'a, I, E>(context: Context<'_, 'a>) -> impl Parser<I, Output = NodePath<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    NodePathParser { context, error: PhantomData }
}

struct NodePathParser<'s, 'a, E> {
    context: Context<'s, 'a>,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for NodePathParser<'_, 'a, E> {
    type Output = NodePath<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, NodePath<'a>, E> {
        let context = self.context;
        let (rest, names) = field("name_count", uint16::<Le, I, E>()).process::<Valued<OM>>(input)?;
        let (rest, subnames) = field("subname_count", uint16::<Le, I, E>()).process::<Valued<OM>>(rest)?;
        let absolute = subnames & ABSOLUTE != 0;
        let subnames = u32::from(subnames & !ABSOLUTE).saturating_add((context.version < NO_PROPERTY).into());
        let (rest, names) = field("names", repeat(names.into(), 4, name(context))).process::<OM>(rest)?;
        let (rest, subnames) = field("subnames", repeat(subnames, 4, name(context))).process::<OM>(rest)?;
        Ok((rest, OM::Output::combine(names, subnames, |names, subnames| NodePath { absolute, names, subnames })))
    }
}

/// The bit of an absolute path.
const ABSOLUTE: u16 = 0x8000;

/// The first version whose node paths have no property apart from their subnames.
const NO_PROPERTY: u32 = 3;

/// Writes a [`NodePath`]. Fails if there are too many names or they are too long.
fn gen_node_path<'v, W: Write + 'v>(context: Context<'v, 'v>, path: &'v NodePath<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let names = u16::try_from(path.names.len()).map_err(|_| length_error())?;
        let subnames = path.subnames.len().checked_sub((context.version < NO_PROPERTY).into());
        let lacks =
            || encode_fault(EncodeFault::Other("a node path without a property in a file before version 3".to_owned()));
        let subnames = u16::try_from(subnames.ok_or_else(lacks)?).ok().filter(|count| count & ABSOLUTE == 0);
        let subnames = subnames.ok_or_else(length_error)?;
        let absolute = if path.absolute { ABSOLUTE } else { 0 };
        let out = context.number(names.to_le_bytes())(out)?;
        let out = context.number((subnames | absolute).to_le_bytes())(out)?;
        path.names.iter().chain(&path.subnames).try_fold(out, |out, name| gen_name(context, name)(out))
    }
}

/// Writes a [`Rid`]. Fails if it does not fit 32 bits.
fn gen_rid<'v, W: Write>(context: Context<'v, 'v>, rid: Rid) -> impl SerializeFn<W> + 'v {
    move |out| match u32::try_from(rid.0) {
        Ok(id) => context.uint32(id)(out),
        Err(_) => Err(encode_fault(EncodeFault::Other("a RID in a resource has 32 bits".to_owned()))),
    }
}

/// Writes nothing. Fails unless the signal is empty.
fn gen_signal<'v, W: Write + 'v>(signal: &'v Signal<'_>) -> impl SerializeFn<W> + 'v {
    move |out| match *signal == Signal::default() {
        true => Ok(out),
        false => {
            let (what, reason) = ("Signal", "resources do not store the object and name of a signal");
            Err(encode_fault(EncodeFault::Refused { what, reason }))
        }
    }
}

/// Writes an array of bytes and its padding.
fn gen_bytes_padded<'v, W: Write + 'v>(context: Context<'v, 'v>, bytes: &'v [u8]) -> impl SerializeFn<W> + 'v {
    move |out| write_padded(context.count(bytes.len())(out)?, bytes)
}

/// Writes an array of strings.
fn gen_texts<'v, W: Write + 'v>(context: Context<'v, 'v>, texts: &'v [ByteString<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        gen_field("elements", gen_repeat(texts, |text| gen_text(context, text)))(context.count(texts.len())(out)?)
    }
}

/// A structure of numbers of one width.
trait Numbers: Packed {
    /// The width of its numbers, in bytes.
    const WIDTH: usize;
}

macro_rules! widths {
    ($($width:literal: $($type:ty),*;)*) => {$($(
        impl Numbers for $type {
            const WIDTH: usize = $width;
        }
    )*)*};
}

widths! {
    4: f32, i32;
    8: f64, i64;
}

macro_rules! structures {
    ($($width:literal: $($type:ty),*;)*) => {
        widths! { $($width: $($type),*;)* }

        $($(
            impl<'a> Stored<'a> for $type {
                fn read<OM, I, E>(_: Context<'_, 'a>, _: ValueType, input: I) -> PResult<OM, I, Self, E>
                where
                    OM: OutputMode,
                    I: Source<Bytes = &'a BStr>,
                    E: WireError<I>,
                {
                    unit::<$type, I, E>().process::<OM>(input)
                }

                fn write<W: Write>(&self, context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W> {
                    let mut bytes = Vec::new();
                    // it does not fail: memory can be written to
                    let _ = generate_into(self.generator(), &mut bytes);
                    gen_bytes(context.ordered(bytes, Self::WIDTH))(out)
                }
            }
        )*)*
    };
}

structures! {
    4: Vector2<f32>, Vector2<i32>, Vector3<f32>, Vector3<i32>, Vector4<f32>, Vector4<i32>, Rect2<f32>, Rect2<i32>, Plane<f32>,
        Quaternion<f32>, Aabb<f32>, Basis<f32>, Transform2D<f32>, Transform3D<f32>, Projection<f32>, Color;
    8: Vector2<f64>, Vector3<f64>, Vector4<f64>, Rect2<f64>, Plane<f64>, Quaternion<f64>, Aabb<f64>, Basis<f64>,
        Transform2D<f64>, Transform3D<f64>, Projection<f64>;
}

impl<'a, T: Numbers> Stored<'a> for List<'a, T> {
    fn read<OM, I, E>(context: Context<'_, 'a>, _: ValueType, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let ordered = |list: List<'a, T>| match context.big_endian {
            true => List::of_bytes(context.ordered(list.as_bytes().to_vec(), T::WIDTH)),
            false => list,
        };
        flat_map(field("count", length()), |count| field("elements", elements::<T, I, E>(count).map(ordered)))
            .process::<OM>(input)
    }

    fn write<W: Write>(&self, context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W> {
        let out = context.count(self.len())(out)?;
        match context.big_endian {
            true => gen_bytes(context.ordered(self.as_bytes().to_vec(), T::WIDTH))(out),
            false => gen_bytes(self.as_bytes())(out),
        }
    }
}

impl<'a, T: Stored<'a>> Stored<'a> for Box<T> {
    fn read<OM, I, E>(context: Context<'_, 'a>, found: ValueType, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let (rest, value) = T::read::<OM, I, E>(context, found, input)?;
        Ok((rest, OM::Output::map(value, Box::new)))
    }

    fn write<W: Write>(&self, context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W> {
        T::write(self, context, out)
    }
}

/// All reals of a file have the same width.
impl<'a, S: Stored<'a>, D: Stored<'a>> Stored<'a> for Reals<S, D> {
    fn read<OM, I, E>(context: Context<'_, 'a>, found: ValueType, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        if context.double {
            let (rest, value) = Box::<D>::read::<OM, I, E>(context, found, input)?;
            return Ok((rest, OM::Output::map(value, Reals::Double)));
        }
        let (rest, value) = S::read::<OM, I, E>(context, found, input)?;
        Ok((rest, OM::Output::map(value, Reals::Single)))
    }

    fn write<W: Write>(&self, context: Context<'_, '_>, out: WriteContext<W>) -> GenResult<W> {
        let mismatch = |found: u8, width: u8| {
            let hint = if width == 64 { "; double(…) around a value in text gives it those" } else { "" };
            let reason = format!("reals of {found} bits in a file whose reals have {width}{hint}");
            Err(encode_fault(EncodeFault::Other(reason)))
        };
        match self {
            Reals::Single(value) if !context.double => value.write(context, out),
            Reals::Double(value) if context.double => value.write(context, out),
            Reals::Single(_) => mismatch(32, 64),
            Reals::Double(_) => mismatch(64, 32),
        }
    }
}

/// Writes the type of a value.
#[inline(never)]
fn write_type<W: Write>(context: &Context<'_, '_>, value: &Variant<'_>, out: WriteContext<W>) -> Written<W> {
    Ok(context.uint32(ValueType::of(value).id().into())(out)?)
}

/// Writes an object.
#[inline(never)]
fn write_object<W: Write>(context: &Context<'_, '_>, object: &Object<'_>, out: WriteContext<W>) -> Written<W> {
    gen_object(*context, object)(out).map_err(|error| leaf_error(error, "object"))
}

/// Writes the number of items of a container, which must not have types.
#[inline(never)]
fn write_count<W: Write>(
    context: &Context<'_, '_>,
    count: usize,
    types: Option<&'static str>,
    out: WriteContext<W>,
) -> Written<W> {
    if let Some(what) = types {
        let reason = "resources do not say the types of containers";
        return Err(EncodeFault::Refused { what, reason }.into());
    }
    Ok(context.count(count)(out)?)
}

/// Writes a value that holds no others.
fn write_leaf<'a, T: Stored<'a>, W: Write>(
    context: &Context<'_, '_>,
    field: &'static str,
    value: &T,
    out: WriteContext<W>,
) -> Written<W> {
    value.write(*context, out).map_err(|error| leaf_error(error, field))
}

/// Writes an Array.
fn write_array<W: Write>(context: &Context<'_, '_>, array: &Array<'_>, depth: u16, out: WriteContext<W>) -> Written<W> {
    let types = array.element_type.as_ref().map(|_| "Array[…]");
    let mut out = write_count(context, array.elements.len(), types, out)?;
    let depth = depth.saturating_add(1);
    for (index, element) in array.elements.iter().enumerate() {
        out = write_value(context, element, depth, out).map_err(|error| within_item(error, &ARRAY, index, None))?;
    }
    Ok(out)
}

/// Writes a Dictionary.
fn write_dictionary<W: Write>(
    context: &Context<'_, '_>,
    dictionary: &Dictionary<'_>,
    depth: u16,
    out: WriteContext<W>,
) -> Written<W> {
    let types = dictionary.types.as_ref().map(|_| "Dictionary[…]");
    let mut out = write_count(context, dictionary.entries.len(), types, out)?;
    let depth = depth.saturating_add(1);
    for (index, entry) in dictionary.entries.iter().enumerate() {
        out = write_value(context, &entry.key, depth, out)
            .map_err(|error| within_item(error, &DICTIONARY, index, Some("key")))?;
        out = write_value(context, &entry.value, depth, out).map_err(|error| within_entry(error, index, &entry.key))?;
    }
    Ok(out)
}

/// Writes a value. Fails if resources have no such value, or it is too long or nested too deep.
pub(super) fn gen_value<'v, W: Write + 'v>(
    context: Context<'v, 'v>,
    value: &'v Variant<'_>,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| Ok(write_value(&context, value, 0, out)?)
}

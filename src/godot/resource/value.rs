//! Values of properties: a [`Variant`] in the encoding of resources.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{GenError, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::reference::{gen_object, object};
use super::strings::{gen_name, gen_text, name, text, Strings};
use crate::error::{EncodeFault, Fault};
use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::{
    contents, leaf_error, payload, type_table, values, wide, Building, Encoding, Object, Variant, Written, WIDE,
};
use crate::wire::{
    encode_fault, field, fill, flat_map, float64, gen_field, gen_repeat, length_error, noted, repeat, switch_outlined,
    type_number, type_numbers, uint16, uint32, verify, ByteString, Head, HeadResult, Le, Note, Source, TypePolicy,
    Valued, WireError,
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
    pub(super) fn uint32<W: Write>(self, value: u32) -> impl SerializeFn<W> {
        self.number(value.to_le_bytes())
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

            /// The type of such values in a resource; of numbers that need 64 bits, if they are wide.
            pub(super) fn of(type_id: TypeId, wide: bool) -> ValueType {
                match type_id {
                    $(TypeId::$wide_of if wide => ValueType::$wide,)*
                    $(TypeId::$of => ValueType::$name,)*
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
    values(*context)
}

impl<'s, 'a> Encoding<'a> for Context<'s, 'a> {
    type Header = ValueType;

    type_table!(contents);

    const OUTLINED: bool = true;
    const BOTH_ORDERS: bool = true;

    fn options(self) -> Options {
        self.options
    }

    fn is_big_endian(self) -> bool {
        self.big_endian
    }

    fn header<I: Source, E: WireError<I>>(self, depth: u16) -> impl Parser<I, Output = ValueType, Error = E> {
        let id = type_number::<ValueType, I, _>(uint32::<Le, I, E>(), |_| TypePolicy::Allowed);
        let limit = self.options.depth();
        let within = move |found| if depth > limit { Err(Fault::TooDeep { limit }) } else { Ok(found) };
        field("type", verify(id, within))
    }

    fn type_id(header: ValueType) -> TypeId {
        header.type_id()
    }

    fn is_wide(header: ValueType) -> bool {
        matches!(header, ValueType::int64 | ValueType::double)
    }

    fn is_double(self, _: ValueType) -> bool {
        self.double
    }

    fn object<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        self,
        _: ValueType,
        input: I,
        place: &mut Variant<'a>,
        _: &mut Building<'a>,
    ) -> HeadResult<OM, I, E> {
        let parser = || field("object", object(self)).map(Variant::Object);
        let (rest, value) = switch_outlined::<OM, I, _>(input, parser)?;
        OM::Output::map(value, |value| fill(place, value));
        Ok((rest, Head::Value))
    }

    fn write_header<W: Write>(self, id: TypeId, flags: u8, out: WriteContext<W>) -> Written<W> {
        let refused = |what| {
            let reason = "resources do not say the types of containers";
            Err(EncodeFault::Refused { what, reason }.into())
        };
        match (id, flags) {
            (TypeId::Array, 1..) => refused("Array[…]"),
            (TypeId::Dictionary, 1..) => refused("Dictionary[…]"),
            _ => Ok(self.uint32(ValueType::of(id, flags & WIDE != 0).id().into())(out)?),
        }
    }

    /// All reals of a file have the same width.
    fn check_reals(self, double: bool) -> Result<(), GenError> {
        let (found, width, hint) = match double {
            true => (64, 32, ""),
            false => (32, 64, "; double(…) around a value in text gives it those"),
        };
        let reason = || format!("reals of {found} bits in a file whose reals have {width}{hint}");
        match double == self.double {
            true => Ok(()),
            false => Err(encode_fault(EncodeFault::Other(reason()))),
        }
    }

    #[inline(never)]
    fn write_object<W: Write>(self, object: &Object<'a>, _: u16, out: WriteContext<W>) -> Written<W> {
        let out = self.write_header(TypeId::Object, 0, out)?;
        gen_object(self, object)(out).map_err(|error| leaf_error(error, "object"))
    }
}

payload! {
    ['s] Context<'s, 'a>, |context, header, value|
    f64: real(context, header), wide(is_wide_float(*value)), gen_real(context, *value);
    ByteString<'a>: text(context.options), 0, gen_text(context, value);
    NodePath<'a>: node_path(context), 0, gen_node_path(context, value);
    Rid: uint32::<Le, I, E>().map(|id| Rid(id.into())), 0, gen_rid(context, *value);
    Signal<'a>: nom::combinator::success(Signal::default()), 0, gen_signal(value);
    Vec<ByteString<'a>>:
        flat_map(field("count", length()), move |count| field("elements", repeat(count, 4, text(context.options)))),
        0, gen_texts(context, value);
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

/// Writes an array of strings.
fn gen_texts<'v, W: Write + 'v>(context: Context<'v, 'v>, texts: &'v [ByteString<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        gen_field("elements", gen_repeat(texts, |text| gen_text(context, text)))(context.count(texts.len())(out)?)
    }
}

/// Writes a value. Fails if resources have no such value, or it is too long or nested too deep.
pub(super) fn gen_value<'v, W: Write + 'v>(
    context: Context<'v, 'v>,
    value: &'v Variant<'_>,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| Ok(context.write_value(value, 0, out)?)
}

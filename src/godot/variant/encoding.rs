//! The encodings of values: one for each version, and one for resources. An encoding reads and writes the header of a value. The content
//! of most types is the same in all encodings, and is read and written here.

use std::fmt::Debug;
use std::io::Write;

use bstr::BStr;
use cookie_factory::{GenResult, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::generator::write_object;
use super::header::{header, write_header, Header, Written, WIDE};
use super::parser::{object, Building};
use super::table::type_table;
use super::value::{Object, Variant};
use crate::error::EncodeFault;
use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::version::Version;
use crate::wire::{
    field, gen_bytes, length_error, unit, Be, ByteArray, ByteOrder, ByteString, HeadResult, List, Packed, Source,
    WireError,
};

/// A layout of values.
pub(in crate::godot) trait Encoding<'a>: Copy {
    /// The part of a value before its content.
    type Header: Copy;

    /// True if functions that are not inlined read all types.
    const OUTLINED: bool = false;

    /// True if containers may have declared types. Otherwise no code for them is compiled.
    const TYPED: bool = false;

    /// True if numbers may be in big-endian. Otherwise no code for that is compiled.
    const BOTH_ORDERS: bool = false;

    /// The options that texts are read with.
    fn options(self) -> Options;

    /// True if numbers are written in big-endian. They are read as little-endian: see [`ordered`](crate::wire::ordered).
    #[cfg_attr(fast, inline(always))]
    fn is_big_endian(self) -> bool {
        false
    }

    /// True if a RID has no content.
    #[cfg_attr(fast, inline(always))]
    fn has_bare_rids(self) -> bool {
        false
    }

    /// Reads the header of a value that lies in `depth` containers.
    fn header<I: Source, E: WireError<I>>(self, depth: u16) -> impl Parser<I, Output = Self::Header, Error = E>;

    /// The type of the value.
    fn type_id(header: Self::Header) -> TypeId;

    /// True if an int or a float has 64 bits.
    fn is_wide(header: Self::Header) -> bool;

    /// True if the reals of a structure have 64 bits.
    fn is_double(self, header: Self::Header) -> bool;

    /// The kinds of the declared types of a container; 0 for none. Without [`TYPED`](Self::TYPED) there are none.
    fn kinds(_: Self::Header) -> [u8; 2] {
        [0; 2]
    }

    /// Reads an object, up to its properties if it has some.
    fn object<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        self,
        header: Self::Header,
        input: I,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E>;

    /// Writes the header of a value.
    fn write_header<W: Write>(self, id: TypeId, flags: u8, out: WriteContext<W>) -> Written<W>;

    /// Fails if no structure has reals of 64 bits, or none of 32.
    #[cfg_attr(fast, inline(always))]
    fn check_reals(self, _double: bool) -> Result<(), cookie_factory::GenError> {
        Ok(())
    }

    /// Writes an object that lies in `depth` containers.
    fn write_object<W: Write>(self, object: &Object<'a>, depth: u16, out: WriteContext<W>) -> Written<W>;

    /// Reads a value after its header, up to the values in it.
    fn content<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        self,
        header: Self::Header,
        input: I,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E>;

    /// Writes a value that lies in `depth` containers. An error has the path of the value that cannot be written.
    fn write_value<W: Write>(&self, value: &Variant<'a>, depth: u16, out: WriteContext<W>) -> Written<W>;

    /// Writes a number, given in little-endian.
    #[cfg_attr(fast, inline(always))]
    fn number<W: Write, const N: usize>(self, bytes: [u8; N]) -> impl SerializeFn<W> {
        gen_bytes(if Self::BOTH_ORDERS && self.is_big_endian() { Be::order(bytes) } else { bytes })
    }

    /// Writes a count, which must fit 31 bits.
    #[cfg_attr(fast, inline(always))]
    fn count<W: Write>(self, count: usize) -> impl SerializeFn<W> {
        move |out| match i32::try_from(count) {
            Ok(count) => self.number(count.to_le_bytes())(out),
            Err(_) => Err(length_error()),
        }
    }
}

/// Defines how an encoding reads and writes values of every type.
macro_rules! contents {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        #[cfg_attr(fast, inline(always))]
        fn content<OM: nom::OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
            self,
            header: Self::Header,
            input: I,
            place: &mut Variant<'a>,
            container: &mut Building<'a>,
        ) -> HeadResult<OM, I, E> {
            use crate::godot::variant::parser::{array, dictionary, known, leaf};
            match Self::type_id(header) {
                TypeId::null => Ok((input, known::<OM>(place, || Variant::Null))),
                TypeId::Callable => Ok((input, known::<OM>(place, || Variant::Callable))),
                TypeId::Object => self.object::<OM, I, E>(header, input, place, container),
                TypeId::Dictionary => dictionary::<OM, Self, I, E>(self, header, input, container),
                TypeId::Array => array::<OM, Self, I, E>(self, header, input, container),
                TypeId::RID if self.has_bare_rids() => Ok((input, known::<OM>(place, || Rid::default().into()))),
                $(TypeId::$id => leaf::<OM, Self, I, E, _>($field, self, header, input, place, Variant::$name),)*
            }
        }

        #[cfg_attr(fast, inline(always))]
        fn write_value<W: Write>(&self, value: &Variant<'a>, depth: u16, out: WriteContext<W>) -> Written<W> {
            use crate::godot::variant::generator::{within_depth, write_array, write_dictionary, write_leaf};
            use crate::godot::variant::value::outlined;
            within_depth(self.options(), depth)?;
            match value {
                Variant::Null => outlined(|| self.write_header(TypeId::null, 0, out)),
                Variant::Callable => outlined(|| self.write_header(TypeId::Callable, 0, out)),
                Variant::Object(object) => self.write_object(object, depth, out),
                Variant::Dictionary(dictionary) => write_dictionary(self, dictionary, depth, out),
                Variant::Array(array) => write_array(self, array, depth, out),
                Variant::Rid(rid) if self.has_bare_rids() => outlined(|| match rid {
                    Rid(0) => self.write_header(TypeId::RID, 0, out),
                    Rid(_) => Err(EncodeFault::NotInVersion { version: 3, what: "RID other than 0" }.into()),
                }),
                $(Variant::$name(value) => write_leaf(self, TypeId::$id, $field, value, out),)*
            }
        }
    };
}
pub(in crate::godot) use contents;

/// Values of the options' version.
impl<'a> Encoding<'a> for Options {
    type Header = Header;

    const TYPED: bool = true;

    type_table!(contents);

    #[cfg_attr(fast, inline(always))]
    fn options(self) -> Options {
        self
    }

    #[cfg_attr(fast, inline(always))]
    fn has_bare_rids(self) -> bool {
        self.version() == Version::V3
    }

    #[cfg_attr(fast, inline(always))]
    fn header<I: Source, E: WireError<I>>(self, depth: u16) -> impl Parser<I, Output = Header, Error = E> {
        field("header", header(self, depth))
    }

    #[cfg_attr(fast, inline(always))]
    fn type_id(header: Header) -> TypeId {
        header.type_id
    }

    #[cfg_attr(fast, inline(always))]
    fn is_wide(header: Header) -> bool {
        header.is_wide()
    }

    #[cfg_attr(fast, inline(always))]
    fn is_double(self, header: Header) -> bool {
        header.is_wide()
    }

    #[cfg_attr(fast, inline(always))]
    fn kinds(header: Header) -> [u8; 2] {
        header.kinds()
    }

    #[cfg_attr(fast, inline(always))]
    fn object<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        self,
        header: Header,
        input: I,
        place: &mut Variant<'a>,
        container: &mut Building<'a>,
    ) -> HeadResult<OM, I, E> {
        object::<OM, I, E>(header, self, input, place, container)
    }

    #[cfg_attr(fast, inline(always))]
    fn write_header<W: Write>(self, id: TypeId, flags: u8, out: WriteContext<W>) -> Written<W> {
        write_header(self.version(), id, flags, out)
    }

    #[cfg_attr(fast, inline(always))]
    fn write_object<W: Write>(self, object: &Object<'a>, depth: u16, out: WriteContext<W>) -> Written<W> {
        write_object(&self, object, depth, out)
    }
}

/// The content of a [`Variant`] that does not hold other values, in an encoding.
pub(in crate::godot) trait Payload<'a, X: Encoding<'a>>: Debug + Sized {
    /// True if a function that is not inlined reads it, because it is rare or long.
    const OUTLINED: bool = false;

    /// Runs its parser.
    fn read<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        encoding: X,
        header: X::Header,
        input: I,
    ) -> PResult<OM, I, Self, E>;

    /// The flags that its header must have.
    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        0
    }

    /// Runs its generator.
    fn write<W: Write>(&self, encoding: X, out: WriteContext<W>) -> GenResult<W>;
}

/// [`Payload`] in an encoding from a parser, the flags and a generator.
macro_rules! payload {
    (
        $generics:tt $encoding_type:ty, |$encoding:ident, $header:ident, $value:ident|
        $($($type:ty),+: $parser:expr, $flags:expr, $generator:expr;)*
    ) => {$($(
        $crate::godot::variant::payload! {
            @impl $generics $encoding_type, $type, $encoding $header $value $parser, $flags, $generator
        }
    )+)*};
    (
        @impl [$($generics:tt)*] $encoding_type:ty, $type:ty,
        $encoding:ident $header:ident $value:ident $parser:expr, $flags:expr, $generator:expr
    ) => {
        impl<'a, $($generics)*> $crate::godot::variant::Payload<'a, $encoding_type> for $type {
            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)] // most types need only some of them
            fn read<OM, I, E>(
                $encoding: $encoding_type,
                $header: <$encoding_type as $crate::godot::variant::Encoding<'a>>::Header,
                input: I,
            ) -> nom::PResult<OM, I, Self, E>
            where
                OM: nom::OutputMode,
                I: $crate::wire::Source<Bytes = &'a bstr::BStr>,
                E: $crate::wire::WireError<I>,
            {
                nom::Parser::process::<OM>(&mut ($parser), input)
            }

            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)]
            fn flags(&self) -> u8 {
                let $value = self;
                $flags
            }

            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)]
            fn write<W: std::io::Write>(
                &self,
                $encoding: $encoding_type,
                out: cookie_factory::WriteContext<W>,
            ) -> cookie_factory::GenResult<W> {
                let $value = self;
                ($generator)(out)
            }
        }
    };
}
pub(in crate::godot) use payload;

/// The flag for 64 bits.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn wide(wide: bool) -> u8 {
    if wide {
        WIDE
    } else {
        0
    }
}

payload! {
    [X: Encoding<'a>] X, |encoding, header, value|
    bool: bool(), 0, encoding.number(u32::from(*value).to_le_bytes());
    i64: int(X::is_wide(header)), wide(is_wide_int(*value)), |out| match i32::try_from(*value) {
        Ok(narrow) => encoding.number(narrow.to_le_bytes())(out),
        Err(_) => encoding.number(value.to_le_bytes())(out),
    };
    ByteArray<'a>:
        packed_byte_array(encoding.options()), 0, |out| write_padded(encoding.count(value.len())(out)?, value);
    Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>, Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>,
    Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>, Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>,
    Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>, Basis<f32>, Basis<f64>, Transform3D<f32>,
    Transform3D<f64>, Projection<f32>, Projection<f64>, Color: unit(), 0, |out| match X::BOTH_ORDERS && encoding.is_big_endian() {
        true => gen_bytes(reversed(&List::from([*value])))(out),
        false => value.generator()(out),
    };
}

payload! {
    [] Options, |options, header, value|
    f64: float(header.is_wide()), wide(is_wide_float(*value)), gen_float(*value);
    ByteString<'a>: string(options), 0, gen_string(options, BStr::new(value.as_ref()));
    Rid: rid(), 0, gen_rid(*value);
    NodePath<'a>: node_path(options), 0, gen_node_path(options, value);
    Signal<'a>: signal(options), 0, gen_signal(options, value);
    Vec<ByteString<'a>>: packed_string_array(options), 0, gen_packed_string_array(options, value);
}

/// The bytes of numbers in reverse order.
fn reversed<T: Packed>(list: &List<'_, T>) -> Vec<u8> {
    let mut bytes = list.as_bytes().to_vec();
    bytes.chunks_exact_mut(T::NUMBER).for_each(<[u8]>::reverse);
    bytes
}

impl<'a, X: Encoding<'a>, T: Packed> Payload<'a, X> for List<'a, T> {
    const OUTLINED: bool = true;

    #[cfg_attr(fast, inline(always))]
    fn read<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        encoding: X,
        _: X::Header,
        input: I,
    ) -> PResult<OM, I, Self, E> {
        let read = packed_array::<T, I, E>().process::<OM>(input);
        if !X::BOTH_ORDERS || !encoding.is_big_endian() {
            return read;
        }
        read.map(|(rest, list)| (rest, OM::Output::map(list, |list| List::of_bytes(reversed(&list)))))
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, encoding: X, out: WriteContext<W>) -> GenResult<W> {
        let out = encoding.count(self.len())(out)?;
        match X::BOTH_ORDERS && encoding.is_big_endian() {
            true => gen_bytes(reversed(self))(out),
            false => gen_bytes(self.as_bytes())(out),
        }
    }
}

impl<'a, X: Encoding<'a>, T: Payload<'a, X>> Payload<'a, X> for Box<T> {
    const OUTLINED: bool = true;

    #[cfg_attr(fast, inline(always))]
    fn read<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        encoding: X,
        header: X::Header,
        input: I,
    ) -> PResult<OM, I, Self, E> {
        let (rest, value) = T::read::<OM, I, E>(encoding, header, input)?;
        Ok((rest, OM::Output::map(value, Box::new)))
    }

    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        T::flags(self)
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, encoding: X, out: WriteContext<W>) -> GenResult<W> {
        T::write(self, encoding, out)
    }
}

impl<'a, X: Encoding<'a>, S: Payload<'a, X>, D: Payload<'a, X>> Payload<'a, X> for Reals<S, D> {
    const OUTLINED: bool = S::OUTLINED;

    #[cfg_attr(fast, inline(always))]
    fn read<OM: OutputMode, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
        encoding: X,
        header: X::Header,
        input: I,
    ) -> PResult<OM, I, Self, E> {
        if encoding.is_double(header) {
            let (rest, value) = Box::<D>::read::<OM, I, E>(encoding, header, input)?;
            return Ok((rest, OM::Output::map(value, Reals::Double)));
        }
        let (rest, value) = S::read::<OM, I, E>(encoding, header, input)?;
        Ok((rest, OM::Output::map(value, Reals::Single)))
    }

    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        wide(matches!(self, Reals::Double(_)))
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, encoding: X, out: WriteContext<W>) -> GenResult<W> {
        encoding.check_reals(matches!(self, Reals::Double(_)))?;
        match self {
            Reals::Single(value) => value.write(encoding, out),
            Reals::Double(value) => D::write(value, encoding, out),
        }
    }
}

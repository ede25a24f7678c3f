//! Tables of types. A row describes one type of value, and all code for the type is made from it.
//!
//! The parser and generator belong to the type: it implements [`FieldValue`]. The row adds the type's number, name and
//! documentation.

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::nest::Nesting;
use super::number::*;
#[cfg(all(feature = "text", feature = "roblox"))]
use crate::error::EncodeError;
use crate::limits::Limited;
use crate::wire::{Source, WireError};

/// The options of a format, which also determine how the format writes its values.
pub trait Layout: Limited + 'static {
    /// The byte order of numbers.
    type Order: ByteOrder;

    /// The source of values: `I` if they begin at whole bytes, [`Bits<I>`](crate::wire::Bits) if they begin at any bit.
    type Input<I: Source>: Source<Bytes = I::Bytes>;

    /// The writer of values: `W`, or [`BitWriter<W>`](crate::wire::BitWriter).
    type Writer<W: Write>: Write;
}

/// A type that can be the value of a row in a table of types: how the format with the options `O` reads and writes it.
pub trait FieldValue<'a, O: Layout>: Sized {
    /// The parser.
    fn parser<I, E>(nesting: Nesting<O>) -> impl Parser<O::Input<I>, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<O::Input<I>>;

    /// The generator.
    fn generator<'v, W: Write + 'v>(&'v self, nesting: Nesting<O>) -> impl SerializeFn<O::Writer<W>>;
}

/// Writes a value that holds no others, of a type that every option allows: the number of its type, and its content.
#[cfg(all(feature = "text", feature = "roblox"))]
#[inline]
pub(crate) fn write_leaf<'w, 'a, T, O>(id: u8, value: &T, options: O, to: &'w mut Vec<u8>) -> Result<(), EncodeError>
where
    T: FieldValue<'a, O>,
    O: Layout<Writer<&'w mut Vec<u8>> = &'w mut Vec<u8>> + Into<Nesting<O>>,
{
    super::encode::generate_into(move |out| value.generator::<&'w mut _>(options.into())(gen_uint8(id)(out)?), to)
}

/// Implements [`FieldValue`] with a parser and a generator: `field_value!(UDim: udim, gen_udim);` for a `Copy` type whose layout
/// differs between formats only in the byte order, and
/// `field_value!(Options: Font<'a> = |nesting, value| font(), gen_font(value));` for a type of one format.
macro_rules! field_value {
    ($type:ty: $parser:ident, $generator:ident) => {
        $crate::wire::field_value! {
            @impl (O: $crate::wire::Layout) O, $type,
            nesting $parser::<O::Order, O::Input<I>, E>(), value $generator::<O::Order, O::Writer<W>>(*value)
        }
    };
    ($options:ty: $type:ty = |$nesting:ident, $value:ident| $parser:expr, $generator:expr) => {
        $crate::wire::field_value! {
            @impl () $options, $type, $nesting $parser, $value $generator
        }
    };
    (
        @impl ($($generics:tt)*) $options:ty, $type:ty,
        $nesting:ident $parser:expr, $value:ident $generator:expr
    ) => {
        impl<'a, $($generics)*> $crate::wire::FieldValue<'a, $options> for $type {
            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)] // few types need the nesting
            fn parser<I, E>(
                $nesting: $crate::wire::Nesting<$options>,
            ) -> impl nom::Parser<<$options as $crate::wire::Layout>::Input<I>, Output = Self, Error = E>
            where
                I: $crate::wire::Source<Bytes = &'a bstr::BStr>,
                E: $crate::wire::WireError<<$options as $crate::wire::Layout>::Input<I>>,
            {
                $parser
            }

            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)]
            fn generator<'v, W: std::io::Write + 'v>(
                &'v self,
                $nesting: $crate::wire::Nesting<$options>,
            ) -> impl cookie_factory::SerializeFn<<$options as $crate::wire::Layout>::Writer<W>> {
                let $value = self;
                $generator
            }
        }
    };
}
pub(crate) use field_value;

/// Numbers in the byte order of the format.
macro_rules! numbers {
    ($($type:ty: $parser:expr, $value:ident $generator:expr;)*) => {$(
        field_value!(@impl (O: Layout) O, $type, nesting $parser, $value $generator);
    )*};
}

numbers! {
    i8: int8(), value gen_int8(*value);
    i16: int16::<O::Order, _, E>(), value gen_int16::<O::Order, _>(*value);
    i32: int32::<O::Order, _, E>(), value gen_int32::<O::Order, _>(*value);
    f32: float32::<O::Order, _, E>(), value gen_float32::<O::Order, _>(*value);
    f64: float64::<O::Order, _, E>(), value gen_float64::<O::Order, _>(*value);
}

impl<'a, O: Layout, T: FieldValue<'a, O>> FieldValue<'a, O> for Box<T> {
    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(nesting: Nesting<O>) -> impl Parser<O::Input<I>, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<O::Input<I>>,
    {
        T::parser::<I, E>(nesting).map(Box::new)
    }

    #[cfg_attr(fast, inline(always))]
    fn generator<'v, W: Write + 'v>(&'v self, nesting: Nesting<O>) -> impl SerializeFn<O::Writer<W>> {
        T::generator(self, nesting)
    }
}

/// Implements `Debug` for an enum of values, like `derive`. Where the crate has notations, `{:-?}` writes the value in the
/// notation of its engine; trees and paths show it like this. No type of the standard library uses the minus.
macro_rules! debug_value {
    ($value:ident { $($unit:ident)*; $($name:ident($inner:ident))* }) => {
        impl std::fmt::Debug for $value<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                #[cfg(feature = "text")]
                if f.sign_minus() {
                    return self.write_notation(f);
                }
                match self {
                    $($value::$unit => f.write_str(stringify!($unit)),)*
                    $($value::$name($inner) => f.debug_tuple(stringify!($name)).field($inner).finish(),)*
                }
            }
        }
    };
}
pub(crate) use debug_value;

/// Makes the code of a table of types: the enum of values, the enum of type numbers, and all conversions between them.
///
/// ```text
/// 0x09 UDim(UDim) "udim" *as_udim Spec "a length on the screen.";
/// ```
///
/// - `0x09` is the type's number and `UDim` its name.
/// - `(UDim)` is the Rust type of the value, a [`FieldValue`].
/// - `"udim"` is the value's name in paths.
/// - `*as_udim` makes a method that copies the value. `&as_font` makes one that borrows it, and `&as_string(BStr)` one that
///   borrows it as a `BStr`. Without this part, the value has no such method.
/// - `Spec` is the [`Provenance`](crate::wire::Provenance), followed by the documentation.
///
/// The row also makes `From` and `TryFrom` between a `UDim` and a value. It ends in `without From` if another row has the same
/// Rust type, and in `also Int Float` if values of these types can be taken as this one too, because it can represent every one
/// of their numbers. A row `unit 0x01 Nil …` is a type without a value.
macro_rules! value_table {
    (
        $(#[$value_meta:meta])*
        pub enum $value:ident<'a>;

        $(#[$id_meta:meta])*
        pub enum $type_id:ident($number:ident, $what:literal, $radix:ident);

        $(#[$read_meta:meta])*
        pub fn $read:ident($options:ty) -> $input:ty, $read_type:ident;

        $(#[$write_meta:meta])*
        pub fn $write:ident($options_again:ty) -> $writer:ty, $policy:ident;

        $(#[$access_meta:meta])*
        impl access;

        $($(#[$unit_meta:meta])* unit $unit_id:literal $unit:ident $unit_provenance:ident $unit_doc:literal;)*
        $(
            $id:literal $name:ident($type:ty) $field:literal
            $(* $copied:ident)? $(& $borrowed:ident $(($lent:ty))?)?
            $provenance:ident $doc:literal $(without $from:ident)? $(also $($narrow:ident)+)?;
        )*
    ) => {
        $(#[$value_meta])*
        pub enum $value<'a> {
            $(
                #[doc = concat!("Type `", stringify!($unit_id), "`: ", $unit_doc)]
                $(#[$unit_meta])*
                $unit,
            )*
            $(
                #[doc = concat!("Type `", stringify!($id), "`: ", $doc)]
                $name($type),
            )*
        }

        $crate::wire::type_numbers! {
            $(#[$id_meta])*
            pub enum $type_id($number, $what, $radix) {
                $($unit_id $unit $unit_provenance $unit_doc;)*
                $($id $name $provenance $doc;)*
            }
        }

        $crate::wire::debug_value! {
            $value { $($unit)*; $($name(value))* }
        }

        impl<'a> $value<'a> {
            /// The type.
            #[must_use]
            pub const fn type_id(&self) -> $type_id {
                match self {
                    $($value::$unit => $type_id::$unit,)*
                    $($value::$name(_) => $type_id::$name,)*
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> $value<'static> {
                match self {
                    $($value::$unit => $value::$unit,)*
                    $($value::$name(value) => $value::$name($crate::wire::IntoOwned::into_owned(value)),)*
                }
            }
        }

        impl $crate::wire::IntoOwned for $value<'_> {
            type Owned = $value<'static>;

            #[inline]
            fn into_owned(self) -> $value<'static> {
                self.into_owned()
            }

            #[cfg_attr(fast, inline(always))]
            fn owns_memory(&self) -> bool {
                match self {
                    $($value::$unit => false,)*
                    $($value::$name(value) => $crate::wire::IntoOwned::owns_memory(value),)*
                }
            }
        }

        $(#[$read_meta])*
        #[inline]
        pub fn $read<'a, I, E>(
            nesting: $crate::wire::Nesting<$options>,
        ) -> impl $crate::wire::Puts<$input, Output = $value<'a>, Error = E>
        where
            I: $crate::wire::Source<Bytes = &'a bstr::BStr>,
            E: $crate::wire::WireError<$input>,
        {
            ValueParser { nesting, error: std::marker::PhantomData }
        }

        struct ValueParser<E> {
            nesting: $crate::wire::Nesting<$options>,
            error: std::marker::PhantomData<fn() -> E>,
        }

        impl<'a, I, E> nom::Parser<$input> for ValueParser<E>
        where
            I: $crate::wire::Source<Bytes = &'a bstr::BStr>,
            E: $crate::wire::WireError<$input>,
        {
            type Output = $value<'a>;
            type Error = E;

            #[cfg_attr(fast, inline(always))]
            fn process<OM: nom::OutputMode>(&mut self, input: $input) -> nom::PResult<OM, $input, $value<'a>, E> {
                let nesting = self.nesting;
                let (rest, id) = $crate::wire::field("type", $read_type(nesting))
                    .process::<$crate::wire::Valued<OM>>(input)?;
                match id {
                    $($type_id::$unit => Ok((rest, <OM::Output as nom::Mode>::bind(|| $value::$unit))),)*
                    $($type_id::$name => $crate::wire::switch_to_type::<OM, _, _, { $type_id::$name.provenance().is_settled() }>(rest, move || {
                        let parser = <$type as $crate::wire::FieldValue<'a, $options>>::parser::<I, E>(nesting);
                        $crate::wire::field($field, parser).map($value::$name)
                    }),)*
                }
            }
        }

        impl<'a, I, E> $crate::wire::Puts<$input> for ValueParser<E>
        where
            I: $crate::wire::Source<Bytes = &'a bstr::BStr>,
            E: $crate::wire::WireError<$input>,
        {
            #[cfg_attr(fast, inline(always))]
            fn put<OM: nom::OutputMode>(
                &mut self,
                input: $input,
                place: impl $crate::wire::Place<$input, $value<'a>>,
            ) -> Result<$input, $crate::wire::Failed<OM, E>> {
                let nesting = self.nesting;
                let (rest, id) = $crate::wire::field("type", $read_type(nesting))
                    .process::<$crate::wire::Valued<OM>>(input)?;
                match id {
                    $($type_id::$unit => {
                        if $crate::wire::Builds::<OM>::VALUES {
                            place.put(&rest, $value::$unit);
                        }
                        Ok(rest)
                    })*
                    $($type_id::$name => $crate::wire::put_type::<OM, _, _, { $type_id::$name.provenance().is_settled() }>(rest, move || {
                        let parser = <$type as $crate::wire::FieldValue<'a, $options>>::parser::<I, E>(nesting);
                        $crate::wire::field($field, parser).map($value::$name)
                    }, place),)*
                }
            }
        }

        $(#[$write_meta])*
        #[cfg_attr(fast, inline(always))]
        pub fn $write<'v, W: std::io::Write + 'v>(
            nesting: $crate::wire::Nesting<$options_again>,
            value: &'v $value<'_>,
        ) -> impl cookie_factory::SerializeFn<$writer> + 'v {
            move |out: cookie_factory::WriteContext<$writer>| match value {
                $($value::$unit => $crate::wire::gen_uint8($unit_id)(out),)*
                $($value::$name(value) => {
                    $crate::wire::gen_type($type_id::$name, $policy(nesting.options()))?;
                    $crate::wire::gen_switch_to($crate::wire::gen_uint8($id)(out)?, || {
                        let generator = $crate::wire::FieldValue::<'_, $options>::generator::<W>(value, nesting);
                        $crate::wire::gen_field($field, generator)
                    })
                })*
            }
        }

        $(#[$access_meta])*
        impl<'a> $value<'a> {
            $(
                $(
                    #[doc = concat!("The value of a `", stringify!($name), "`.")]
                    #[must_use]
                    pub fn $copied(&self) -> Option<$type> {
                        match self {
                            $value::$name(value) => Some(*value),
                            _ => None,
                        }
                    }
                )?
                $(
                    #[doc = concat!("The value of a `", stringify!($name), "`.")]
                    #[must_use]
                    pub fn $borrowed(&self) -> Option<&$crate::wire::lent!($type $(, $lent)?)> {
                        match self {
                            $value::$name(value) => Some(value),
                            _ => None,
                        }
                    }
                )?
            )*
        }

        $(
            $crate::wire::conversions!([$($from)?] $value, $name, $type, [$($($narrow)+)?]);
            $($crate::wire::borrowing!($value, $borrowed, $crate::wire::lent!($type $(, $lent)?));)?
        )*

        $crate::value_doors! { $value $type_id { $($unit)*; $($name($type))* } }
    };
}
pub(crate) use value_table;

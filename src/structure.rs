//! Structures of specifications.

/// Defines a structure of a specification: its fields, its conversion to an owned value, and with the feature `text` its JSON
/// form.
///
/// A structure that consists only of fields, in order, is defined by their list alone: `pub struct Vector2(vector2, gen_vector2)`
/// also defines the parser `vector2` and the generator `gen_vector2`, in either byte order, and a
/// [`FieldValue`](crate::wire::FieldValue), and shows the table of its fields. Fields that are not all `f32` name their own
/// parser and generator. A structure whose numbers are of any type, `pub struct Vector2<N: Number>(vector2, gen_vector2)`, is
/// [`Packed`](crate::wire::Packed), in little-endian. The example after the fields is shown, and tested in both directions.
macro_rules! structure {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($parser:ident, $generator:ident $(, $order:ident)?) {
            $($(#[$field_meta:meta])* pub $field:ident: f32,)*
        }
        $bytes:literal is $example:expr
    ) => {
        crate::structure::structure! {
            @codec [$($order)?] $name($parser, $generator)
            { $(#[$meta])* } { $($(#[$field_meta])* pub $field: f32 = float32, "float32";)* }
            $bytes is $example;
            B value => crate::wire::gen_float32s::<B, { [$(stringify!($field)),*].len() }, W>([$(value.$field),*])
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident($parser:ident, $generator:ident) {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ident = $read:ident, $write:ident;)*
        }
        $bytes:literal is $example:expr
    ) => {
        crate::structure::structure! {
            @codec [] $name($parser, $generator)
            { $(#[$meta])* } { $($(#[$field_meta])* pub $field: $type = $read, crate::structure::title!($type $read);)* }
            $bytes is $example;
            B value => cookie_factory::sequence::tuple(($($write::<B, W>(value.$field),)*))
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$number:ident: $bound:ident>($parser:ident, $generator:ident) {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ident $(<$of:ident>)?,)*
        }
        $bytes:literal is $example:expr
    ) => {
        $(#[$meta])*
        ///
        /// | field | type |
        /// |---|---|
        $(#[doc = concat!("| ", stringify!($field), " | ", crate::structure::title!($type $($of)?), " |")])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name<$number> {
            $($(#[$field_meta])* pub $field: $type $(<$of>)?,)*
        }

        impl<$number: $bound> crate::wire::Packed for $name<$number> {
            #[allow(clippy::arithmetic_side_effects)] // known when compiled
            const SIZE: usize = 0 $(+ <$type $(<$of>)? as crate::wire::Packed>::SIZE)*;
            const NUMBER: usize = $number::NUMBER;

            #[inline]
            fn parser<I: crate::wire::Source, E: crate::wire::WireError<I>>(
            ) -> impl nom::Parser<I, Output = Self, Error = E> {
                let fields = ($(
                    crate::wire::field(stringify!($field), <$type $(<$of>)? as crate::wire::Packed>::parser::<I, E>()),
                )*);
                nom::Parser::map(fields, |($($field,)*)| $name { $($field,)* })
            }

            #[inline]
            fn generator<W: std::io::Write>(self) -> impl cookie_factory::SerializeFn<W> {
                move |out| {
                    $(let out = crate::wire::Packed::generator(self.$field)(out)?;)*
                    Ok(out)
                }
            }
        }

        /// In reals of 64 bits.
        impl From<$name<f32>> for $name<f64> {
            fn from(value: $name<f32>) -> Self {
                $name { $($field: value.$field.into(),)* }
            }
        }

        impl<$number> crate::wire::IntoOwned for $name<$number> {
            type Owned = Self;

            #[inline]
            fn into_owned(self) -> Self {
                self
            }
        }

        #[doc = concat!("Reads a [`", stringify!($name), "`]. If it is cut off, the error is at its first number.")]
        ///
        #[doc = concat!(
            "In little-endian, with reals of 32 bits, the bytes `", $bytes, "` are `", stringify!($example), "`."
        )]
        /// Only too few bytes are refused.
        #[inline]
        pub fn $parser<$number: $bound, I: crate::wire::Source, E: crate::wire::WireError<I>>(
        ) -> impl nom::Parser<I, Output = $name<$number>, Error = E> {
            crate::wire::unit()
        }

        #[doc = concat!("Writes a [`", stringify!($name), "`], as [`", stringify!($parser), "`] reads it.")]
        #[inline]
        pub fn $generator<$number: $bound, W: std::io::Write>(
            value: $name<$number>,
        ) -> impl cookie_factory::SerializeFn<W> {
            crate::wire::Packed::generator(value)
        }

        #[cfg(feature = "text")]
        crate::structure::by_members! {
            [$number: crate::member::Member] $name, $name<$number> { $($field: $type $(<$of>)?,)* }
        }

        #[cfg(test)]
        mod $parser {
            use super::*;

            #[test]
            fn example() {
                let generator = $generator::<f32, _>($example);
                crate::test::both_ways(&crate::test::hex($bytes), $example, $parser::<f32, _, _>, generator);
            }
        }
    };
    (@codec [] $name:ident($parser:ident, $generator:ident) $($rest:tt)*) => {
        crate::structure::structure! {
            @functions [B: crate::wire::ByteOrder,] "little", Le, $name($parser, $generator) $($rest)*
        }
        crate::wire::field_value!($name: $parser, $generator);
    };
    (@codec [$order:ident] $name:ident($parser:ident, $generator:ident) $($rest:tt)*) => {
        type B = crate::wire::$order;
        crate::structure::structure! { @functions [] "big", , $name($parser, $generator) $($rest)* }
    };
    (
        @functions [$($generics:tt)*] $endian:literal, $($order:ident)?, $name:ident($parser:ident, $generator:ident)
        { $(#[$meta:meta])* } { $($(#[$field_meta:meta])* pub $field:ident: $type:ident = $read:ident, $title:expr;)* }
        $bytes:literal is $example:expr;
        $B:ident $value:ident => $write:expr
    ) => {
        crate::structure::structure! {
            $(#[$meta])*
            ///
            /// | field | type |
            /// |---|---|
            $(#[doc = concat!("| ", stringify!($field), " | ", $title, " |")])*
            pub struct $name {
                $($(#[$field_meta])* pub $field: $type,)*
            }
        }

        #[doc = concat!("Reads a [`", stringify!($name), "`], field by field.")]
        ///
        #[doc = concat!("In ", $endian, "-endian, the bytes `", $bytes, "` are `", stringify!($example), "`.")]
        /// Only too few bytes are refused.
        #[inline]
        pub fn $parser<$($generics)* I: crate::wire::Source, E: crate::wire::WireError<I>>(
        ) -> impl nom::Parser<I, Output = $name, Error = E> {
            nom::Parser::map(
                ($(crate::wire::field(stringify!($field), $read::<$B, I, E>()),)*),
                |($($field,)*)| $name { $($field,)* },
            )
        }

        #[doc = concat!("Writes a [`", stringify!($name), "`], as [`", stringify!($parser), "`] reads it.")]
        #[inline]
        pub fn $generator<$($generics)* W: std::io::Write>($value: $name) -> impl cookie_factory::SerializeFn<W> {
            $write
        }

        #[cfg(test)]
        mod $parser {
            use super::*;

            #[test]
            fn example() {
                let bytes = crate::test::hex($bytes);
                $(use crate::wire::$order;)?
                let generator = $generator::<$($order,)? _>($example);
                crate::test::both_ways(&bytes, $example, $parser::<$($order,)? _, _>, generator);
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$lifetime:lifetime>)? {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name $(<$lifetime>)? {
            $(
                $(#[$field_meta])*
                pub $field: $type,
            )*
        }

        crate::structure::owned!($name $(<$lifetime>)? { $($field)* });

        #[cfg(feature = "text")]
        crate::structure::by_members!([$($lifetime)?] $name, $name $(<$lifetime>)? { $($field: $type,)* });
    };
}
pub(crate) use structure;

/// A structure with these fields for serde. Its name identifies it to the formats of this crate.
#[cfg(feature = "text")]
macro_rules! by_members {
    ([$($generic:tt)*] $title:ident, $name:ty { $($field:ident: $type:ty,)* }) => {
        impl<$($generic)*> crate::member::Give for $name {
            fn give(&self, to: &mut dyn crate::member::Receiver) {
                let length = [$(stringify!($field)),*].len();
                to.structure(concat!("$enginewire::", stringify!($title)), length);
                $(to.member(crate::structure::member_name!($field), &self.$field);)*
                to.end();
            }
        }

        impl<$($generic)*> crate::member::Member for $name {
            const SHAPE: crate::member::Shape = crate::member::Shape::Structure(
                stringify!($title),
                &[$(crate::structure::member_name!($field)),*],
                &[$(<$type as crate::member::Member>::SHAPE),*],
            );

            fn take(given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                let [$($field),*] = given.structure(stringify!($title), &[$(crate::structure::member_name!($field)),*])?;
                Ok($title { $($field: crate::member::field(given, crate::structure::member_name!($field), $field)?,)* })
            }

            #[inline]
            fn of_singles(numbers: &mut std::slice::Iter<'_, f32>) -> Option<Self> {
                Some($title { $($field: <$type as crate::member::Member>::of_singles(numbers)?,)* })
            }
        }

        crate::member::serde_by_member!([$($generic)*] $name);
    };
}
#[cfg(feature = "text")]
pub(crate) use by_members;

/// The name of a field for serde.
#[cfg(feature = "text")]
macro_rules! member_name {
    (enum_name) => {
        "enum"
    };
    (enum_id) => {
        "enum"
    };
    ($field:ident) => {
        stringify!($field)
    };
}
#[cfg(feature = "text")]
pub(crate) use member_name;

/// The name of a field's type in a specification: numbers by their parsers, structures by their names.
macro_rules! title {
    (N) => {
        "number"
    };
    (f32 $read:ident) => {
        stringify!($read)
    };
    (i32 $read:ident) => {
        stringify!($read)
    };
    (i16 $read:ident) => {
        stringify!($read)
    };
    (u16 $read:ident) => {
        stringify!($read)
    };
    ($type:ident $read:ident) => {
        concat!("[`", stringify!($type), "`]")
    };
}
pub(crate) use title;

/// The same structure, borrowing nothing.
macro_rules! owned {
    ($name:ident { $($field:ident)* }) => {
        crate::wire::never_borrows!($name);
    };
    ($name:ident <$lifetime:lifetime> { $($field:ident)* }) => {
        impl $name<'_> {
            /// The same, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> $name<'static> {
                $name { $($field: crate::wire::IntoOwned::into_owned(self.$field),)* }
            }
        }

        crate::wire::owned_by_method!($name { $($field)* });
    };
}
pub(crate) use owned;

/// The constructor of a structure from its fields, in their order.
macro_rules! constructor {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        impl $name {
            /// From its fields, in their order.
            ///
            /// ```
            #[doc = concat!("use enginewire::roblox::datatypes::", stringify!($name), ";")]
            ///
            #[doc = concat!("let (", stringify!($($field),*), ") = Default::default();")]
            #[doc = concat!("let value = ", stringify!($name), "::new(", stringify!($($field),*), ");")]
            #[doc = concat!("assert_eq!(value, ", stringify!($name), " { ", stringify!($($field),*), " });")]
            /// ```
            #[must_use]
            pub const fn new($($field: $type),*) -> Self {
                $name { $($field),* }
            }
        }
    };
}
pub(crate) use constructor;

/// The constructor of a structure whose fields are all numbers of one type, and conversions from and into an array of them:
/// `vector!("roblox::datatypes", Vector3 [f32; 3] { x, y, z });`. A type `Vector2<N>` has numbers of any type.
macro_rules! vector {
    ($module:literal, $name:ident [$number:ty; $count:literal] { $($field:ident),* }) => {
        crate::structure::vector! { @impl $module, $name, () $name [$number; $count, $number] { $($field),* } }
    };
    ($module:literal, $name:ident<$number:ident> [f32; $count:literal] { $($field:ident),* }) => {
        crate::structure::vector! { @impl $module, $name, (<$number>) $name<$number> [$number; $count, f32] { $($field),* } }
    };
    (
        @impl $module:literal, $title:ident, ($($generics:tt)*)
        $name:ty [$number:ty; $count:literal, $example:ty] { $($field:ident),* }
    ) => {
        impl $($generics)* $name {
            /// From its numbers, in their order.
            ///
            /// ```
            #[doc = concat!("use enginewire::", $module, "::", stringify!($title), ";")]
            ///
            #[doc = concat!("let numbers = <[", stringify!($example), "; ", $count, "]>::default();")]
            #[doc = concat!("let [", stringify!($($field),*), "] = numbers;")]
            #[doc = concat!("let value = ", stringify!($title), "::new(", stringify!($($field),*), ");")]
            /// assert_eq!(value, numbers.into());
            #[doc = concat!("assert_eq!(numbers, <[", stringify!($example), "; ", $count, "]>::from(value));")]
            /// ```
            #[must_use]
            pub const fn new($($field: $number),*) -> Self {
                Self { $($field),* }
            }
        }

        /// From its numbers, in their order.
        impl $($generics)* From<[$number; $count]> for $name {
            fn from([$($field),*]: [$number; $count]) -> Self {
                Self { $($field),* }
            }
        }

        /// Its numbers, in their order.
        impl $($generics)* From<$name> for [$number; $count] {
            fn from(value: $name) -> Self {
                [$(value.$field),*]
            }
        }
    };
}
pub(crate) use vector;

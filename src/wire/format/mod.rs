//! A format, and everything that can be done with one.
//!
//! A [`Format`] has options, a value, an outermost parser, an outermost generator and a stream. The functions here work
//! with any format: [`decode`], [`decode_owned`], [`decode_partial`], [`check`], [`inspect`], [`encode`], and the streaming
//! [`Decoder`](crate::wire::Decoder). The module of each format offers them as functions of its own.

pub(crate) mod check;
pub(crate) mod decoded;
pub(crate) mod instrumented;
pub(crate) mod parts;
pub(crate) mod run;
pub(crate) mod stream;
pub(crate) mod trace;

use std::fmt::Debug;
use std::io::{self, Write};

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::error::{DecodeError, DecodeOwnedError, EncodeError, WriteError};
use crate::limits::Limited;
use crate::number::to_usize;
use crate::wire::{generate_into, moved, IntoOwned, Note, Puts, Source, WireError};
use crate::Offset;
use check::Report;
use decoded::{Decoded, KeepsInput};
use run::{Item, Whole};
use stream::{items, ItemStream, Next};
use trace::{Log, Tree};

/// A format of values.
///
/// It is a type without data, such as `scrap_mechanic::lua_object::LuaObjectFormat`. The file `examples/own_format.rs`
/// in the repository shows how to write one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format",
    note = "name one, such as `enginewire::scrap_mechanic::lua_object::LuaObjectFormat`; `examples/own_format.rs` is one of your own"
)]
pub trait Format: Copy + Debug + Default + Send + Sync + 'static {
    /// The options for reading and writing. A value that was encoded with some options decodes with the same options.
    type Options: Limited + Debug + PartialEq + Send + Sync + 'static;

    /// The value, which may borrow from the input.
    type Value<'a>: Clone + Debug + PartialEq + IntoOwned<Owned = Self::Value<'static>>;

    /// The stream that reads a value item by item: [`Single`] if it is one item.
    type Stream: ItemStream<Options = Self::Options>;

    /// True if reading and checking each have compiled code of their own, which is faster. False if they share the code that
    /// inspects and streams, which builds faster.
    const FAST: bool = true;

    /// The outermost parser. It stops where the value ends.
    fn parser<'a, I, E>(options: Self::Options) -> impl Parser<I, Output = Self::Value<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// The outermost generator. It fails for every value that the parser, with the same options, would not read back.
    fn generator<'v, W: Write + 'v>(options: Self::Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v;

    /// The value that consists of these items, or `None` if a value needs more.
    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>>;

    /// Returns true if these options allow a value that lacks its last bytes at the end of the input.
    #[must_use]
    fn may_lack_end(_options: &Self::Options) -> bool {
        false
    }

    /// The approximate size of a value, in bytes, to reserve before it is encoded. A sum of hints that is too large wraps.
    fn size_hint(_value: &Self::Value<'_>) -> usize {
        0
    }

    /// The number of items of a value, if its first bytes state it.
    fn count(_input: &[u8]) -> Option<u64> {
        None
    }
}

/// An item of the stream of a format.
pub type ItemOf<'a, F> = <<F as Format>::Stream as ItemStream>::Item<'a>;

/// The part of a value that could be decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Partial<'a, V, U = V> {
    /// The value; of a broken one, the items before the error. `None` if the value needs the broken item.
    pub value: Option<V>,
    /// The item with the error. In it, each list around the error ends before the error. `None` if the error is not in a list.
    pub unfinished: Option<U>,
    /// The bytes that were not decoded, from the start of the broken item on.
    pub rest: &'a [u8],
    /// Why they could not be decoded.
    pub error: Option<DecodeError>,
}

/// Decodes a value, which borrows from the input.
///
/// # Errors
///
/// The fault of the input, with its offset and path.
pub fn decode<'a, F: Format>(input: &'a [u8], options: &F::Options) -> Result<F::Value<'a>, DecodeError> {
    run::read(input, Whole::<F>(options)).map(|(_, value)| value)
}

/// Decodes a value, and keeps the input together with it.
///
/// # Errors
///
/// As for [`decode`], with the input.
pub fn decode_owned<F: KeepsInput>(bytes: Vec<u8>, options: &F::Options) -> Result<Decoded<F>, DecodeOwnedError> {
    match F::keep(bytes, |bytes| decode::<F>(bytes, options)) {
        Ok(kept) => Ok(Decoded::new(kept)),
        Err((bytes, error)) => Err(DecodeOwnedError::new(error, bytes)),
    }
}

/// Decodes a value as far as it goes.
#[must_use]
pub fn decode_partial<'a, F: Format>(
    input: &'a [u8],
    options: &F::Options,
) -> Partial<'a, F::Value<'a>, ItemOf<'a, F>> {
    let error = match run::read(input, Whole::<F>(options)) {
        Ok((rest, value)) => return Partial { value: Some(value), unfinished: None, rest, error: None },
        Err(error) => Some(error),
    };
    let mut stream = F::Stream::new(*options);
    let mut read = Vec::new();
    let rest = items(&mut stream, input, |item| read.push(item));
    let unfinished = if stream.next() == Next::Item { run::read_broken(rest, Item(stream)) } else { None };
    Partial { value: F::from_items(read), unfinished, rest, error }
}

/// Checks a value: nothing is built, and nothing allocated but an error. `each` is called for every finding.
///
/// # Errors
///
/// As for [`decode`].
pub fn check<F: Format>(
    input: &[u8],
    options: &F::Options,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<Report, DecodeError> {
    run::check(input, Whole::<F>(options), each).map(|(_, findings)| Report::new(F::count(input), findings))
}

/// The length of the value that the input begins with, in bytes. The options determine whether others may follow.
///
/// # Errors
///
/// As for [`decode`].
pub fn length<F: Format>(input: &[u8], options: &F::Options) -> Result<usize, DecodeError> {
    run::check(input, Whole::<F>(options), &mut |_, _| {}).map(|(end, _)| to_usize(end.byte()))
}

/// Every field of a value with its place and content; of a broken value, those before the error. A tree that would take more than
/// `max_memory` bytes ends there, and [reports](Tree::limit) it.
#[must_use]
pub fn inspect<F: Format>(input: &[u8], options: &F::Options, max_memory: usize) -> Tree {
    inspect_to::<F>(input, options, &Log::within(max_memory))
}

/// The same, as the log limits it.
pub(crate) fn inspect_to<F: Format>(input: &[u8], options: &F::Options, log: &Log) -> Tree {
    run::trace(log, input, 0, Whole::<F>(options)).0
}

/// Encodes a value.
///
/// # Errors
///
/// If the format has no such value, or the options refuse it.
pub fn encode<F: Format>(value: &F::Value<'_>, options: &F::Options) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(F::size_hint(value));
    generate_into(F::generator(*options, value), &mut bytes)?;
    Ok(bytes)
}

/// Encodes a value and writes it out, in one piece.
///
/// # Errors
///
/// As for [`encode`], and then nothing is written; or if writing fails.
pub fn encode_to<F: Format>(
    value: &F::Value<'_>,
    options: &F::Options,
    mut writer: impl io::Write,
) -> Result<(), WriteError> {
    Ok(writer.write_all(&encode::<F>(value, options)?)?)
}

/// The stream of a format whose value is a single item.
#[derive(Clone, Copy, Debug)]
pub struct Single<F: Format> {
    pub(super) options: F::Options,
    done: bool,
}

impl<F: Format> Default for Single<F>
where
    F::Options: Default,
{
    fn default() -> Self {
        Single::new(F::Options::default())
    }
}

impl<F: Format> ItemStream for Single<F> {
    type Item<'a> = F::Value<'a>;
    type Options = F::Options;

    const FAST: bool = F::FAST;

    fn new(options: F::Options) -> Self {
        Single { options, done: false }
    }

    fn next(&self) -> Next {
        match self.done {
            false => Next::Item,
            true if self.options.allows_trailing_bytes() => Next::Ignored,
            true => Next::End,
        }
    }

    fn may_lack_end(&self) -> bool {
        F::may_lack_end(&self.options)
    }

    fn item<'a, I, E>(self) -> impl Puts<I, Output = F::Value<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        moved(F::parser(self.options))
    }

    fn advance(&mut self) {
        self.done = true;
    }
}

/// The functions of a format that take options, and its types, as items of its module.
///
/// They are `inline`, so that a crate that depends on this one compiles those that it calls and no others.
macro_rules! format_functions {
    ($format:ident) => {
        $crate::keeps_input!($format);

        /// A value together with the input that it borrows from. See [`wire::Decoded`](crate::wire::Decoded) for the
        /// methods.
        pub type Decoded = $crate::wire::Decoded<$format>;

        /// The part of a value that could be decoded. See [`decode_partial`].
        pub type Partial<'a> =
            $crate::wire::Partial<'a, <$format as $crate::wire::Format>::Value<'a>, $crate::wire::ItemOf<'a, $format>>;

        /// The stream of the format: it defines the items that a [`Decoder`] returns.
        pub type Stream = <$format as $crate::wire::Format>::Stream;

        /// Decodes input that is pushed in pieces of any size. See [`wire::Decoder`](crate::wire::Decoder) for the methods.
        pub type Decoder = $crate::wire::Decoder<Stream>;

        /// The format as a codec of tokio. See [`wire::Codec`](crate::wire::Codec) for the methods.
        #[cfg(feature = "interop")]
        pub type Codec = $crate::wire::Codec<Stream>;

        /// Decodes a value as the options say. It borrows from the input.
        ///
        /// # Errors
        ///
        /// Anything that the [module](self) calls an error, with its offset and path.
        #[inline]
        pub fn decode_with<'a>(
            input: &'a [u8],
            options: &Options,
        ) -> Result<<$format as $crate::wire::Format>::Value<'a>, $crate::DecodeError> {
            $crate::wire::format::decode::<$format>(input, options)
        }

        /// Decodes a value as the options say. It borrows from the bytes, which are kept together with it.
        ///
        /// # Errors
        ///
        /// As for [`decode_with`]. The error has the bytes.
        #[inline]
        pub fn decode_owned_with(
            bytes: impl Into<Vec<u8>>,
            options: &Options,
        ) -> Result<Decoded, $crate::DecodeOwnedError> {
            $crate::wire::format::decode_owned::<$format>(bytes.into(), options)
        }

        /// Decodes a value as far as possible: the part before an error, the error, and the bytes from there on.
        #[must_use]
        #[inline]
        pub fn decode_partial<'a>(input: &'a [u8], options: &Options) -> Partial<'a> {
            $crate::wire::format::decode_partial::<$format>(input, options)
        }

        /// Checks a value as the options say, without building it. `each` is called for every finding, with its offset.
        ///
        /// # Errors
        ///
        /// As for [`decode_with`].
        #[inline]
        pub fn check_with(
            input: &[u8],
            options: &Options,
            mut each: impl FnMut($crate::Offset, $crate::wire::Note),
        ) -> Result<$crate::wire::Report, $crate::DecodeError> {
            $crate::wire::format::check::<$format>(input, options, &mut each)
        }

        /// Every field, read as the options say.
        #[must_use]
        #[inline]
        pub fn inspect_with(input: &[u8], options: &Options) -> $crate::wire::Tree {
            inspect_within(input, options, $crate::budget::DEFAULT)
        }

        /// Every field, read as the options say, in a tree of at most `max_memory` bytes; 256 MiB in the other functions. A tree
        /// that would take more ends there and reports it: see [`Tree::limit`](crate::wire::Tree::limit).
        #[must_use]
        #[inline]
        pub fn inspect_within(input: &[u8], options: &Options, max_memory: usize) -> $crate::wire::Tree {
            $crate::wire::format::inspect::<$format>(input, options, max_memory)
        }

        /// Every field, part by part. Only one part is in memory at a time, and it takes at most `max_memory` bytes. See
        /// [`wire::TreeParts`](crate::wire::TreeParts).
        #[must_use]
        #[inline]
        pub fn inspect_parts<'a>(
            input: &'a [u8],
            options: &Options,
            max_memory: usize,
        ) -> $crate::wire::TreeParts<'a, $format> {
            $crate::wire::TreeParts::new(input, options, max_memory)
        }

        /// Encodes a value that [`decode_with`] decodes with the same options.
        ///
        /// # Errors
        ///
        /// If a string or list is too long for its length field, containers nest too deep, or the options refuse the value.
        #[inline]
        pub fn encode_with(
            value: &<$format as $crate::wire::Format>::Value<'_>,
            options: &Options,
        ) -> Result<Vec<u8>, $crate::EncodeError> {
            $crate::wire::format::encode::<$format>(value, options)
        }
    };
}
pub(crate) use format_functions;

/// The functions of a format that take no options: they use `$options`.
macro_rules! default_functions {
    ($format:ty, $options:expr) => {
        /// Decodes a value. It borrows from the input.
        ///
        /// # Errors
        ///
        /// Anything that the [module](self) calls an error, with its offset and path.
        #[doc(alias = "from_slice")]
        #[doc(alias = "deserialize")]
        #[doc(alias = "parse")]
        #[inline]
        pub fn decode(input: &[u8]) -> Result<<$format as $crate::wire::Format>::Value<'_>, $crate::DecodeError> {
            $crate::wire::format::decode::<$format>(input, &$options)
        }

        /// Decodes a value. It borrows from the bytes, which are kept together with it, so that no string is copied and the
        /// result has no lifetime. See [`wire::Decoded`](crate::wire::Decoded).
        ///
        /// ```no_run
        #[doc = concat!("use ", module_path!(), "::decode_owned;")]
        ///
        /// let decoded = decode_owned(std::fs::read("value.bin")?)?;
        /// println!("{:?}", decoded.value());
        /// std::fs::write("copy.bin", decoded.into_bytes())?;
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        ///
        /// As for [`decode`]. The error has the bytes.
        #[inline]
        pub fn decode_owned(
            bytes: impl Into<Vec<u8>>,
        ) -> Result<$crate::wire::Decoded<$format>, $crate::DecodeOwnedError> {
            $crate::wire::format::decode_owned::<$format>(bytes.into(), &$options)
        }

        /// Checks a value: whether it decodes, whether it is canonical, and whether it has types that were never seen in
        /// real data. Allocates nothing, unless there is an error.
        ///
        /// # Errors
        ///
        /// As for [`decode`].
        #[inline]
        pub fn check(input: &[u8]) -> Result<$crate::wire::Report, $crate::DecodeError> {
            $crate::wire::format::check::<$format>(input, &$options, &mut |_, _| {})
        }

        /// Every field with its place and value; of broken input, those before the error.
        #[must_use]
        #[inline]
        pub fn inspect(input: &[u8]) -> $crate::wire::Tree {
            $crate::wire::format::inspect::<$format>(input, &$options, $crate::budget::DEFAULT)
        }

        /// Encodes a value that [`decode`] decodes.
        ///
        /// # Errors
        ///
        /// If a string or list is too long for its length field, containers nest too deep, or the default options refuse
        /// the value.
        #[doc(alias = "to_vec")]
        #[doc(alias = "serialize")]
        #[inline]
        pub fn encode(value: &<$format as $crate::wire::Format>::Value<'_>) -> Result<Vec<u8>, $crate::EncodeError> {
            $crate::wire::format::encode::<$format>(value, &$options)
        }

        /// Encodes a value and writes it out, in one piece.
        ///
        /// # Errors
        ///
        /// As for [`encode`], and then nothing is written; or if writing fails.
        #[inline]
        pub fn encode_to(
            value: &<$format as $crate::wire::Format>::Value<'_>,
            writer: impl std::io::Write,
        ) -> Result<(), $crate::WriteError> {
            $crate::wire::format::encode_to::<$format>(value, &$options, writer)
        }
    };
}
pub(crate) use default_functions;

//! All the ways in which the parser of a structure is run.
//!
//! Each way can have a source, an error and a mode of its own: then everything that a way does not need is compiled away, and it is
//! as fast as a parser that was written for it alone ([`each`]). The price is that every parser is compiled once for each way. A
//! module of WebAssembly is loaded from a network: there all ways share one source ([`one`]), which learns at run time what it is for.
//!
//! `RUSTFLAGS="--cfg enginewire_small" cargo test` tests the ways of WebAssembly on any machine.

#[cfg(any(test, not(any(target_family = "wasm", enginewire_small))))]
#[cfg_attr(any(target_family = "wasm", enginewire_small), allow(dead_code))]
mod each;
#[cfg(any(test, target_family = "wasm", enginewire_small))]
#[cfg_attr(not(any(target_family = "wasm", enginewire_small)), allow(dead_code))]
mod one;

#[cfg(not(any(target_family = "wasm", enginewire_small)))]
pub(crate) use each::*;
#[cfg(any(target_family = "wasm", enginewire_small))]
pub(crate) use one::*;

use bstr::BStr;
use nom::Parser;

use super::error::WireError;
use super::format::Format;
use super::nest::Limited;
use super::run::all_consuming;
use super::source::Source;
use super::stream::ItemStream;
use crate::error::DecodeError;

/// A structure, which has one parser for every source.
pub(crate) trait Structure<'a> {
    /// What the parser gives.
    type Value;

    /// The parser.
    fn parser<I, E>(self) -> impl Parser<I, Output = Self::Value, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;
}

/// A value of a format, and nothing behind it unless the options allow it.
pub(super) struct Whole<'o, F: Format>(pub(super) &'o F::Options);

impl<'a, F: Format> Structure<'a> for Whole<'_, F> {
    type Value = F::Value<'a>;

    #[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = F::Value<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        all_consuming(self.0.allows_trailing_bytes(), F::parser(*self.0))
    }
}

/// The next item of a stream.
pub(super) struct Item<S>(pub(super) S);

impl<'a, S: ItemStream> Structure<'a> for Item<S> {
    type Value = S::Item<'a>;

    #[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S::Item<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.item()
    }
}

/// What comes before the items of a stream.
pub(super) struct Head<S>(pub(super) S);

impl<'a, S: ItemStream> Structure<'a> for Head<S> {
    type Value = S;

    #[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.head()
    }
}

/// A structure of a stream and what follows it, or how many bytes are missing, or what is wrong.
pub(crate) type Streamed<'a, T> = Result<(&'a [u8], T), Result<usize, DecodeError>>;

/// Bytes that are missing in a stream.
fn missing(needed: nom::Needed) -> usize {
    match needed {
        nom::Needed::Size(size) => size.get(),
        nom::Needed::Unknown => 1,
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use crate::godot::{self, VariantFormat};
    use crate::roblox::attributes::{self, AttributesFormat};
    use crate::roblox::remote::RemoteFormat;
    use crate::scrap_mechanic::lua_object::LuaObjectFormat;
    use crate::wire::source::Note;
    use crate::wire::stream::Memory;
    use crate::wire::trace::Log;
    use crate::Offset;
    use pretty_assertions::assert_eq;

    /// Runs the parser of a format in all ways over `bytes`.
    macro_rules! all_ways {
        ($ways:ident, $format:ty, $options:expr, $bytes:expr) => {{
            let (options, bytes): (_, &[u8]) = ($options, $bytes);
            let whole = || Whole::<$format>(&options);
            let mut heard = Vec::new();
            let checked = $ways::check(bytes, whole(), &mut |at: Offset, note: Note| heard.push((at, note)));
            let stream = || Item(<$format as Format>::Stream::new(options));
            (
                $ways::read(bytes, whole()),
                $ways::read_broken(bytes, whole()),
                (checked, heard),
                $ways::trace(&Log::default(), bytes, 0, whole()),
                ($ways::attempt(bytes, stream()), $ways::prescan(bytes, stream(), &Memory::default())),
                $ways::read_streaming(bytes, stream()),
            )
        }};
    }

    /// All beginnings of a value, and the value with one byte changed.
    macro_rules! agree {
        ($format:ty, $options:expr, $path:literal) => {{
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/", $path);
            let bytes = std::fs::read(path).unwrap();
            for length in 0..=bytes.len() {
                let mut cut = bytes[..length].to_vec();
                assert_eq!(all_ways!(one, $format, $options, &cut), all_ways!(each, $format, $options, &cut));
                if let Some(last) = cut.last_mut() {
                    *last ^= 0x41;
                }
                cut.extend(&bytes[length..]);
                assert_eq!(all_ways!(one, $format, $options, &cut), all_ways!(each, $format, $options, &cut));
            }
        }};
    }

    #[test]
    fn all_sources_give_the_same() {
        agree!(AttributesFormat, attributes::Options::new(), "roblox-attributes/readable.bin");
        agree!(VariantFormat, godot::Options::new(godot::Version::V4), "godot-4/packet_typical.bin");
        agree!(RemoteFormat, crate::roblox::remote::Options::new(), "roblox-remote/readable.bin");
        agree!(LuaObjectFormat, crate::scrap_mechanic::lua_object::Options::new(), "scrap-mechanic-lua/readable.bin");
    }
}

//! The parts that formats are written with. Independent of any format.
//!
//! A parser here is a function that returns `impl Parser<I, Output = T, Error = E>` for every [`Source`] `I` and every
//! [`WireError`] `E`. That makes one definition of a structure serve for everything:
//!
//! | run | with | gives |
//! |---|---|---|
//! | decode | `.parse_complete(bytes)` | the value, borrowing from the input |
//! | stream | `.parse(bytes)` | the value, or `Incomplete` |
//! | check | `.process::<OutputM<Check, Emit, Complete>>(bytes)` | valid or not; nothing is built |
//! | explain | the error type [`Traceback`] | offset, path, expected and found |
//! | inspect | the input [`Instrumented`] | every field with its place and value, broken input too |
//!
//! # Start with
//!
//! | for | there is |
//! |---|---|
//! | a number | [`uint8`], [`uint16`] … [`float64`], in the byte order of their first parameter: [`Le`] or [`Be`]; [`varint32`], [`zigzag32`] |
//! | bytes | [`magic`], [`take`], [`length_prefixed`] |
//! | a part with its length before it | [`length_delimited`](length_delimited()), [`exactly`] |
//! | a list with its count before it | [`flat_map`] and [`repeat`](repeat()); lists in lists: [`nested`], [`repeat_nested`] |
//! | the fields of a structure | [`field`](field()) in a tuple; four fields, one of them a list: [`fields`] |
//! | the key and value of a map | [`keyed`] |
//! | a value that may be refused | [`verify`](verify()); one that is not canonical: [`noted`] |
//! | bits | [`bits`](bits()), [`bit`], [`align`] |
//! | writing | `gen_…` of the same name, [`gen_field`], [`gen_repeat`], [`generate_into`] |
//! | running a parser over bytes that are all there | [`run`](run()), [`all_consuming`] |
//! | an error | [`Traceback`]; of your own: [`WireError`]; of another crate: [`Foreign`] |
//! | a whole format, with streams and values that own their bytes | [`Format`] |
//!
//! A structure is a parser and a generator. Both are written once, for both byte orders:
//!
//! ```
//! use std::io::Write;
//!
//! use enginewire::wire::bstr::BStr;
//! use enginewire::wire::cookie_factory::{SerializeFn, WriteContext};
//! use enginewire::wire::nom::Parser;
//! use enginewire::wire::{
//!     field, fields, flat_map, gen_bytes, gen_field, gen_int16, gen_length, gen_length_prefixed, gen_repeat, gen_uint8,
//!     generate_into, int16, length_prefixed, magic, repeat, run, uint32, uint8, verify, ByteOrder, Le, Source, WireError,
//! };
//! use enginewire::Fault;
//!
//! /// `TRK`, a speed that is not 0, a name with its length before it, and heights with their count before them.
//! #[derive(Debug, PartialEq)]
//! struct Track<'a> {
//!     speed: u8,
//!     name: &'a BStr,
//!     heights: Vec<i16>,
//! }
//!
//! fn track<'a, B, I, E>() -> impl Parser<I, Output = Track<'a>, Error = E>
//! where
//!     B: ByteOrder,
//!     I: Source<Bytes = &'a BStr>,
//!     E: WireError<I>,
//! {
//!     let moving = |speed| if speed > 0 { Ok(speed) } else { Err(Fault::Other("the track stands still".to_owned())) };
//!     let heights = flat_map(field("count", uint32::<B, I, E>()), |count| {
//!         field("heights", repeat(count, 2, int16::<B, I, E>())) // each of 2 bytes at least
//!     });
//!     fields((
//!         field("magic", magic(b"TRK")),
//!         field("speed", verify(uint8(), moving)),
//!         field("name", length_prefixed::<B, I, E>()),
//!         heights,
//!     ))
//!     .map(|(_, speed, name, heights)| Track { speed, name, heights })
//! }
//!
//! fn gen_track<'v, B: ByteOrder + 'v, W: Write + 'v>(track: &'v Track<'_>) -> impl SerializeFn<W> + 'v {
//!     move |out: WriteContext<W>| {
//!         let out = gen_uint8(track.speed)(gen_bytes(b"TRK")(out)?)?;
//!         let out = gen_length::<B, W>(track.heights.len())(gen_length_prefixed::<B, W>(track.name)(out)?)?;
//!         gen_field("heights", gen_repeat(&track.heights, |height| gen_int16::<B, W>(*height)))(out)
//!     }
//! }
//!
//! let bytes = b"TRK\x07\x02\0\0\0Up\x02\0\0\0\x01\0\xff\xff";
//! let (_, up) = run(&bytes[..], track::<Le, _, _>())?;
//! assert_eq!(up, Track { speed: 7, name: "Up".into(), heights: vec![1, -1] });
//! let mut written = Vec::new();
//! generate_into(gen_track::<Le, _>(&up), &mut written)?;
//! assert_eq!(written, bytes);
//!
//! let error = run(&bytes[..17], track::<Le, _, _>()).unwrap_err();
//! assert_eq!(error.to_string(), "input ends too early: 2 bytes needed, 1 left, at byte 0x10 in heights[1]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use {bstr, cookie_factory, nom};
// for `keeps_input!` in other crates
#[doc(hidden)]
pub use self_cell;

pub(crate) mod combinators;
mod error;
pub mod format;
mod input;
mod perf;
mod values;

pub use crate::error::AsKey;
pub use crate::limits::Limited;
pub use combinators::bytes::{bounded_length, gen_length, gen_length_prefixed, length_prefixed, magic, take};
pub use combinators::encode::{
    encode_fault, gen_bytes, gen_field, gen_item, gen_keyed, gen_repeat, generate_into, measure,
};
pub use combinators::field::{field, fields, flat_map, item, keyed, Field, Fields, FlatMap, Keyed, Valued};
pub use combinators::length_delimited::{exactly, length_delimited, Exactly, LengthDelimited};
pub(crate) use combinators::list::unit;
pub use combinators::list::{gen_list, list, List, ListIntoIter, ListIter, Packed};
pub use combinators::nest::{bounded, gen_nested, nested, Nested, Nesting};
pub use combinators::number::*;
pub use combinators::repeat::{
    array, moved, repeat, repeat_nested, repeat_until, repeat_values, Array, Bounded, Each, Moved, Place, Placed, Puts,
    Repeat, RepeatUntil, Uniform,
};
pub use combinators::switch::{gen_switch_to, gen_type, switch_to, type_number, Provenance, TypeNumber, TypePolicy};
pub use combinators::table::{FieldValue, Layout};
pub use combinators::varint::*;
pub use combinators::verify::{noted, verify, Noted, Verify};
pub use error::{fault, truncated, truncated_with, Foreign, Traceback, WireError};
pub use format::check::{Checked, Checker, Finding, FindingSummary, Findings, Report};
pub use format::decoded::{Decoded, KeepsInput};
pub use format::instrumented::Instrumented;
pub use format::parts::{TreePart, TreeParts};
pub use format::run::{all_consuming, recover, run, AllConsuming};
#[cfg(feature = "interop")]
pub use format::stream::Codec;
pub use format::stream::{Decoder, ItemStream, Next, ReadError, ReadItems, Step, Stepper};
pub use format::trace::{Log, Node, Nodes, Tracer, Tree};
pub use format::{Format, ItemOf, Partial, Single};
pub use input::bits::{align, bit, bits, gen_align, gen_bit, gen_bits, BitError, BitWriter, Bits, InBits};
pub use input::frame::Frame;
pub use input::lines::{lines, Line, LineError};
pub use input::source::{Label, Note, Source};
pub use values::byte_string::{ByteArray, ByteString, IntoByteString};
pub use values::owned::IntoOwned;
pub use values::value_vec::ValueVec;

pub(crate) use combinators::bytes::is_utf8;
#[doc(hidden)] // for the package of files
pub use combinators::encode::length_error;
pub(crate) use combinators::encode::Unwritten;
pub(crate) use combinators::field::Builds;
pub(crate) use error::{may_go_on, within, Failed};
pub(crate) use values::convert::{borrowing, conversions, lent, list_conversions, text_conversions};

pub(crate) use combinators::nest::too_deep;
#[cfg(all(feature = "text", feature = "roblox"))]
pub(crate) use combinators::nest::too_deep_to_write;
pub(crate) use combinators::recursion::{recursive, Head, HeadResult, Recursive};
pub(crate) use combinators::switch::{put_type, switch_outlined, switch_to_type, type_numbers};
#[cfg(all(feature = "text", feature = "roblox"))]
pub(crate) use combinators::table::write_leaf;
pub(crate) use combinators::table::{debug_value, field_value, value_table};
#[doc(hidden)] // for the package of files
pub use combinators::verify::unknown;
#[cfg(feature = "text")]
pub(crate) use format::run::read_part;
#[cfg(feature = "interop")]
pub(crate) use format::stream::codec_encodes;
pub(crate) use format::{default_functions, format_functions};
pub(crate) use input::frame::{Item, Kind};
#[cfg(feature = "godot")]
pub(crate) use input::order::{ordered, Ordered, OrderedError};
pub(crate) use input::source::TRAILING;
pub(crate) use perf::{fill, push_reserved};
pub(crate) use values::owned::{never_borrows, owned_by_method};

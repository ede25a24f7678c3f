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

pub use {bstr, cookie_factory, nom};
// for `keeps_input!` in other crates
#[doc(hidden)]
pub use self_cell;

mod bits;
mod byte_string;
mod bytes;
mod check;
mod convert;
mod decoded;
pub(crate) mod encode;
mod error;
mod field;
pub mod format;
mod frame;
mod instrumented;
mod length_delimited;
mod lines;
mod list;
mod nest;
mod number;
#[cfg(feature = "godot")]
mod order;
mod owned;
mod parts;
mod perf;
mod recursion;
mod repeat;
pub(crate) mod run;
mod source;
mod stream;
mod switch;
mod table;
mod trace;
mod value_vec;
mod varint;
mod verify;

pub use crate::error::AsKey;
pub use crate::limits::Limited;
pub use bits::{align, bit, bits, gen_align, gen_bit, gen_bits, BitError, BitWriter, Bits, InBits};
pub use byte_string::{ByteArray, ByteString, IntoByteString};
pub use bytes::{bounded_length, gen_length, gen_length_prefixed, length_prefixed, magic, take};
pub use check::{Checked, Checker, Finding, FindingSummary, Findings, Report};
pub use decoded::{Decoded, KeepsInput};
pub use encode::{encode_fault, gen_bytes, gen_field, gen_item, gen_keyed, gen_repeat, generate_into, measure};
pub use error::{fault, truncated, truncated_with, Foreign, Traceback, WireError};
pub use field::{field, fields, flat_map, item, keyed, Field, Fields, FlatMap, Keyed, Valued};
pub use format::{Format, ItemOf, Partial, Single};
pub use frame::Frame;
pub use instrumented::Instrumented;
pub use length_delimited::{exactly, length_delimited, Exactly, LengthDelimited};
pub use lines::{lines, Line, LineError};
pub use list::{gen_list, list, List, ListIntoIter, ListIter, Packed};
pub use nest::{bounded, gen_nested, nested, Nested, Nesting};
pub use number::*;
pub use owned::IntoOwned;
pub use parts::{TreePart, TreeParts};
pub use repeat::{
    array, moved, repeat, repeat_nested, repeat_until, repeat_values, Array, Bounded, Each, Moved, Place, Placed, Puts,
    Repeat, RepeatUntil, Uniform,
};
pub use run::{all_consuming, recover, run, AllConsuming};
pub use source::{Label, Note, Source};
#[cfg(feature = "interop")]
pub use stream::Codec;
pub use stream::{Decoder, ItemStream, Next, ReadError, ReadItems, Step, Stepper};
pub use switch::{gen_switch_to, gen_type, switch_to, type_number, Provenance, TypeNumber, TypePolicy};
pub use table::{FieldValue, Layout};
pub use trace::{Log, Node, Tracer, Tree};
pub use value_vec::ValueVec;
pub use varint::*;
pub use verify::{noted, verify, Noted, Verify};

pub(crate) use bytes::is_utf8;
pub(crate) use convert::{borrowing, conversions, lent, list_conversions, text_conversions};
#[doc(hidden)] // for the package of files
pub use encode::length_error;
pub(crate) use encode::Unwritten;
pub(crate) use error::{may_go_on, within, Failed};
pub(crate) use field::Builds;

pub(crate) use format::{default_functions, format_functions};
pub(crate) use frame::{Item, Kind};
pub(crate) use nest::too_deep;
#[cfg(all(feature = "text", feature = "roblox"))]
pub(crate) use nest::too_deep_to_write;
#[cfg(feature = "godot")]
pub(crate) use order::{ordered, Ordered, OrderedError};
pub(crate) use owned::{never_borrows, owned_by_method};
pub(crate) use perf::{fill, push_reserved};
pub(crate) use recursion::{recursive, Head, HeadResult, Recursive};
#[cfg(feature = "interop")]
pub(crate) use stream::codec_encodes;
pub(crate) use switch::{put_type, switch_outlined, switch_to_type, type_numbers};
#[cfg(all(feature = "text", feature = "roblox"))]
pub(crate) use table::write_leaf;
pub(crate) use table::{debug_value, field_value, value_table};
#[doc(hidden)] // for the package of files
pub use verify::unknown;

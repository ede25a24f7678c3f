//! The vocabulary that the formats are written in. It knows no format.
//!
//! A parser here is a function that returns `impl Parser<I, Output = T, Error = E>` for every [`Source`] `I` and every
//! [`WireError`] `E`. That makes one definition of a structure serve for everything:
//!
//! | run | with | gives |
//! |---|---|---|
//! | decode | `.parse_complete(bytes)` | the value, borrowing from the input |
//! | stream | `.parse(bytes)` | the value, or `Incomplete` |
//! | check | `.process::<OutputM<Check, Emit, Complete>>(bytes)` | valid or not; nothing is built |
//! | explain | the error type [`Traceback`] | offset, path, what was expected and found |
//! | inspect | the input [`Traced`] | every field with its place and value, broken input too |

mod bits;
mod bytes;
mod error;
mod feed;
mod field;
pub(crate) mod generate;
mod nest;
mod number;
mod part;
mod repeat;
mod run;
mod salvage;
mod source;
mod switch;
mod trace;
mod unfold;
mod varint;

pub use bits::{align, bit, bits, gen_align, gen_bit, gen_bits, BitError, BitWriter, Bits, InBits};
pub use bytes::{fitting, gen_length, gen_length_prefixed, length_prefixed, magic, take, ByteString, IntoByteString};
pub use error::{fault, lacking, short, Traceback, WireError};
pub use feed::{Decoder, Feed, Next, ReadError, ReadItems, Step, Stepper};
pub use field::{field, fields, item, keyed, then, Field, Fields, Keyed, Then};
pub use generate::{gen_bytes, generate_into, measure};
pub use nest::{Limited, Nesting};
pub use number::*;
pub use part::{part, InPart};
pub use repeat::{array, gen_list, list, repeat, repeat_until, Alike, Array, Each, List, Packed, Repeat, RepeatUntil};
pub use run::{run, whole, Checker, Found, Remark, Remarks, Whole};
pub use salvage::{salvage, Salvaged};
pub use source::{Label, Note, Source};
pub use switch::{gen_switch_to, switch_to, type_number, Status, TypeNumber, Verdict};
pub use trace::{Log, Node, Traced, Tracer, Tree};
pub use unfold::Opened;
pub use varint::*;

pub(crate) use error::{key_text, within};
pub(crate) use feed::items;
pub(crate) use field::Valued;
pub(crate) use generate::{fault_error, length_error};
pub(crate) use nest::{bounded, nested, nested_generator, too_deep};
pub(crate) use repeat::{push_within, repeat_nested};
pub(crate) use source::{to_u64, to_usize};
pub(crate) use switch::{switch_apart, type_numbers};
pub(crate) use unfold::{fill, unfold, Begun, Head, Item, Kind, Unfold};

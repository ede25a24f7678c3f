//! Strings, the table of strings, and names, which may be in the table.

use std::fmt::{self, Debug};
use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::value::Context;
use crate::error::{EncodeFault, Fault};
use crate::godot::datatypes::{is_text, no_text};
use crate::godot::options::Options;
use crate::number::to_usize;
use crate::wire::{
    encode_fault, field, flat_map, gen_bytes, length_error, truncated, uint32, verify, ByteString, Le, Note, Source,
    Valued, WireError,
};

/// The bit of a name that is a length and not an index.
const INLINE: u32 = 1 << 31;

/// Reads a string.
///
/// | field | type |
/// |---|---|
/// | length | uint32, of the text and a NUL |
/// | text | `length` bytes |
///
/// A string without the NUL is read too, but is not canonical.
///
/// Specification: `docs/spec/godot-resource.md`, section String.
pub(super) fn text<'a, I, E>(options: Options) -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", uint32::<Le, I, E>()), move |length| field("text", terminated(length, options)))
}

/// Reads `length` bytes of text and its NUL.
fn terminated<'a, I, E>(length: u32, options: Options) -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    Terminated { length, options, error: PhantomData }
}

struct Terminated<E> {
    length: u32,
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Terminated<E> {
    type Output = ByteString<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, ByteString<'a>, E> {
        let Some((bytes, rest)) = input.bytes(to_usize(self.length)) else {
            return Err(truncated::<I, OM, E>(input, self.length.into()));
        };
        if !is_text(self.options, bytes) {
            return Err(no_text::<OM, I, E>(input, bytes));
        }
        let text = bytes.strip_suffix(b"\0").map(BStr::new);
        if text.is_none() {
            input.note(Note::NonCanonical("a string without its NUL"));
        }
        Ok((rest, OM::Output::bind(|| ByteString::from(text.unwrap_or(bytes)))))
    }
}

/// Writes a string. Fails if it is too long, or is not UTF-8 and the options do not allow that.
pub(super) fn gen_text<'v, W: Write + 'v>(context: Context<'v, 'v>, text: &'v [u8]) -> impl SerializeFn<W> + 'v {
    gen_terminated(context, 0, text)
}

/// Writes a string whose length has this flag.
fn gen_terminated<'v, W: Write + 'v>(context: Context<'v, 'v>, flag: u32, text: &'v [u8]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        if !is_text(context.options, BStr::new(text)) {
            return Err(encode_fault(EncodeFault::Text));
        }
        match i32::try_from(text.len().saturating_add(1)).ok().and_then(|length| u32::try_from(length).ok()) {
            Some(length) => gen_bytes([0])(gen_bytes(text)(context.uint32(length | flag)(out)?)?),
            None => Err(length_error()),
        }
    }
}

/// A table that finds strings by their text.
#[derive(Debug)]
pub(super) struct Strings<'s, 'a> {
    list: &'s [ByteString<'a>],
    /// The indices of the strings, sorted by text and then by index.
    sorted: Vec<u32>,
}

impl<'s, 'a> Strings<'s, 'a> {
    pub(super) fn new(list: &'s [ByteString<'a>]) -> Self {
        let mut sorted: Vec<u32> = (0..).zip(list).map(|(index, _)| index).collect();
        let text = |index: &u32| list.get(to_usize(*index)).map(|text| &**text);
        sorted.sort_unstable_by(|one, other| text(one).cmp(&text(other)).then(one.cmp(other)));
        Strings { list, sorted }
    }

    fn get(&self, index: u32) -> Option<&'s ByteString<'a>> {
        self.list.get(to_usize(index))
    }

    /// The first index of a text.
    fn index(&self, text: &[u8]) -> Option<u32> {
        let first = self.sorted.partition_point(|index| self.get(*index).is_some_and(|found| **found < *text));
        self.sorted.get(first).copied().filter(|index| self.get(*index).is_some_and(|found| **found == *text))
    }
}

/// Reads a name.
///
/// | field | type |
/// |---|---|
/// | index | uint32: that of a string in the table, or with bit 31 the length of the text that follows |
/// | text | as many bytes |
///
/// Not canonical are the text of a string in the table, and the index of a string that has a lower index too.
///
/// Specification: `docs/spec/godot-resource.md`, section Name.
pub(super) fn name<'a, I, E>(context: Context<'_, 'a>) -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    Name { context, error: PhantomData }
}

struct Name<'s, 'a, E> {
    context: Context<'s, 'a>,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Name<'_, 'a, E> {
    type Output = ByteString<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, ByteString<'a>, E> {
        let Context { options, strings, .. } = self.context;
        let known = |index: u32| match (index & INLINE, strings.get(index)) {
            (0, None) => Err(Fault::Other(format!("the table of strings has no string {index}"))),
            (_, string) => Ok((index, string)),
        };
        let (rest, (index, string)) = field("index", verify(uint32::<Le, I, E>(), known).map(Index))
            .map(|Index(found)| found)
            .process::<Valued<OM>>(input.clone())?;
        let Some(string) = string else {
            let text = field("text", terminated(index & !INLINE, options));
            let (rest, text) = { text }.process::<Valued<OM>>(rest)?;
            if strings.index(&text).is_some() {
                input.note(Note::NonCanonical("the text of a name that the table of strings has"));
            }
            return Ok((rest, OM::Output::bind(|| text)));
        };
        if strings.index(string) != Some(index) {
            input.note(Note::NonCanonical("the index of a string that has a lower index too"));
        }
        Ok((rest, OM::Output::bind(|| string.clone())))
    }
}

/// The first field of a name, shown as a number.
struct Index<'s, 'a>((u32, Option<&'s ByteString<'a>>));

impl Debug for Index<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0 .0, f)
    }
}

/// Writes a name: its index if the table has it, else its text.
pub(super) fn gen_name<'v, W: Write + 'v>(context: Context<'v, 'v>, name: &'v [u8]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| match context.strings.index(name) {
        Some(index) => context.uint32(index)(out),
        None => gen_terminated(context, INLINE, name)(out),
    }
}

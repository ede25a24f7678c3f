//! A format of your own, with everything that the formats of this crate have: decode, check, inspect, encode, partial
//! decode, values that own their bytes, streams, limits of depth and memory, errors with offsets and paths.
//!
//! The format is a tree of numbers: a value is a byte 0 and a number, or a byte 1, a count and that number of values.
//!
//! Run with `cargo run --example own_format`.

use std::io::Write;
use std::marker::PhantomData;

use enginewire::wire::nom::{OutputMode, PResult, Parser};
use enginewire::wire::{
    bstr::BStr, cookie_factory::SerializeFn, cookie_factory::WriteContext, fault, field, flat_map, format, gen_field,
    gen_length, gen_nested, gen_repeat, gen_uint32, gen_uint8, nested, repeat_nested, switch_to, uint32, uint8,
    Decoder, Format, IntoOwned, ItemOf, Le, Limited, Nesting, Single, Source, Valued, WireError,
};
use enginewire::{Fault, Limits, Radix};

/// The value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Number(u32),
    List(Vec<Tree>),
}

/// It borrows nothing.
impl IntoOwned for Tree {
    type Owned = Self;

    fn into_owned(self) -> Self {
        self
    }
}

/// The options of decoding and encoding: here, only how deep lists may nest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    limits: Limits,
}

impl Options {
    pub(crate) fn new(limits: Limits) -> Self {
        Options { limits }
    }
}

impl Limited for Options {
    fn limits(&self) -> Limits {
        self.limits
    }
}

/// The parser. What decides by a type is a named struct, so that it keeps the mode that it runs in.
pub(crate) fn tree<I: Source, E: WireError<I>>(nesting: Nesting<Options>) -> impl Parser<I, Output = Tree, Error = E> {
    TreeParser { nesting, error: PhantomData }
}

struct TreeParser<E> {
    nesting: Nesting<Options>,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for TreeParser<E> {
    type Output = Tree;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Tree, E> {
        let (rest, kind) = field("type", uint8::<I, E>()).process::<Valued<OM>>(input.clone())?;
        match kind {
            0 => switch_to::<OM, _, _>(rest, || field("number", uint32::<Le, _, _>()).map(Tree::Number)),
            1 => switch_to::<OM, _, _>(rest, || field("list", nested(self.nesting, list)).map(Tree::List)),
            found => {
                let (found, known) = (found.into(), vec![0, 1]);
                Err(fault::<I, OM, E>(input, Fault::Unknown { what: "type", found, radix: Radix::Decimal, known }))
            }
        }
    }
}

/// Each value of a list takes at least 2 bytes, which bounds the memory that a count can reserve.
fn list<I: Source, E: WireError<I>>(nesting: Nesting<Options>) -> impl Parser<I, Output = Vec<Tree>, Error = E> {
    flat_map(field("count", uint32::<Le, I, E>()), move |count| field("values", repeat_nested(nesting, count, 2, tree)))
}

/// The generator, with the same names.
pub(crate) fn gen_tree<'v, W: Write + 'v>(nesting: Nesting<Options>, tree: &'v Tree) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| match tree {
        Tree::Number(number) => gen_field("number", gen_uint32::<Le, W>(*number))(gen_uint8(0)(out)?),
        Tree::List(values) => gen_field("list", gen_nested(nesting, values, gen_list))(gen_uint8(1)(out)?),
    }
}

/// Boxed, because a generator that contains itself has no known size.
#[allow(clippy::ptr_arg)] // what `gen_nested` hands on
fn gen_list<'v, W: Write + 'v>(nesting: Nesting<Options>, values: &'v Vec<Tree>) -> Box<dyn SerializeFn<W> + 'v> {
    Box::new(move |out: WriteContext<W>| {
        let out = gen_length::<Le, W>(values.len())(out)?;
        gen_field("values", gen_repeat(values, move |value| gen_tree(nesting, value)))(out)
    })
}

/// The format. All functions of `enginewire::wire::format` follow from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TreeFormat;

impl Format for TreeFormat {
    type Options = Options;
    type Value<'a> = Tree;
    type Stream = Single<Self>;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = Tree, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        tree(options.into())
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_tree(options.into(), value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        items.into_iter().next()
    }
}

// for values that have their bytes with them
enginewire::keeps_input!(TreeFormat);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::new(Limits::new().with_depth(16));
    let value = Tree::List(vec![Tree::Number(7), Tree::List(vec![Tree::Number(8)])]);
    let bytes = format::encode::<TreeFormat>(&value, &options)?;
    assert_eq!(format::decode::<TreeFormat>(&bytes, &options)?, value);
    assert_eq!(format::decode_owned::<TreeFormat>(bytes.clone(), &options)?.value(), &value);
    assert!(format::check::<TreeFormat>(&bytes, &options, &mut |_, _| {})?.is_canonical());

    let mut out = std::io::stdout().lock();
    let tree = format::inspect::<TreeFormat>(&bytes, &options, 1 << 20);
    for node in tree.nodes() {
        writeln!(out, "{}..{} {} {:?}", node.range.start, node.range.end, tree.path(&node), node.value)?;
    }
    let mut decoder = Decoder::<Single<TreeFormat>>::with_options(options);
    for byte in &bytes {
        decoder.push(&[*byte]);
    }
    assert_eq!(decoder.next().transpose()?, Some(value));

    let cut = bytes.split_last().map_or(&[][..], |(_, cut)| cut);
    let partial = format::decode_partial::<TreeFormat>(cut, &options);
    writeln!(out, "{:?}", partial.unfinished)?;
    if let Some(error) = partial.error {
        writeln!(out, "{error}")?;
    }
    Ok(())
}

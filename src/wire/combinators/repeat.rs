//! Lists of items.

use std::fmt::Debug;

use nom::error::ParseError;
use nom::{Mode, OutputMode, PResult, Parser};

use super::field::Builds;
use super::nest::Nesting;
use crate::error::Fault;
use crate::number::{to_u64, to_usize};
use crate::wire::{
    fault, may_go_on, push_reserved, truncated, within, Failed, IntoOwned, Label, Source, ValueVec, WireError,
};

/// `count` items, each read by `item` and each at least `smallest` bytes long, which must not be 0.
///
/// Memory is reserved for no more items than the input can hold, however large `count` is.
#[inline]
pub fn repeat<P>(count: u32, smallest: usize, item: P) -> Repeat<Uniform<P>> {
    Repeat { count, smallest, items: Uniform(item) }
}

/// The same for items that can hold lists themselves. All these lists together reserve no more than the input can hold.
#[inline]
pub fn repeat_nested<O, F, P>(nesting: Nesting<O>, count: u32, smallest: usize, item: F) -> Repeat<Bounded<O, F>>
where
    O: Copy,
    F: Fn(Nesting<O>) -> P,
{
    Repeat { count, smallest, items: Bounded { nesting: nesting.of_items(), item } }
}

/// The same for items that are values of a table of types. Each of them is written to its place in the list at once.
#[inline]
pub fn repeat_values<O, F, P>(nesting: Nesting<O>, count: u32, smallest: usize, item: F) -> Repeat<Placed<O, F>>
where
    O: Copy,
    F: Fn(Nesting<O>) -> P,
{
    Repeat { count, smallest, items: Placed(Bounded { nesting: nesting.of_items(), item }) }
}

/// A list of items. Made by [`repeat()`], [`repeat_nested`] and [`repeat_values`].
#[derive(Clone, Copy, Debug)]
pub struct Repeat<S> {
    count: u32,
    smallest: usize,
    items: S,
}

/// A way to read each item of a list.
pub trait Each<I> {
    /// The item.
    type Item;

    /// The list of items.
    type List;

    /// The error.
    type Error: ParseError<I>;

    /// Reads one item, puts it into its place, and returns the input after it. The items after it in its list take at least `behind`
    /// bytes.
    ///
    /// # Errors
    ///
    /// Those of the item.
    fn next<OM: OutputMode>(
        &mut self,
        input: I,
        behind: usize,
        place: impl Place<I, Self::Item>,
    ) -> Result<I, Failed<OM, Self::Error>>;

    /// The minimum size, in bytes, of the items that follow in the surrounding lists; `None` if that does not limit this list.
    #[cfg_attr(fast, inline(always))]
    fn behind(&self) -> Option<usize> {
        None
    }

    /// True if an item has memory of its own, which must be freed. Only for a list that asks.
    #[cfg_attr(fast, inline(always))]
    fn owns_memory(_item: &Self::Item) -> bool {
        true
    }

    /// The list of these items. `owns` is true if any of them has memory of its own.
    fn list(items: Vec<Self::Item>, owns: bool) -> Self::List;
}

/// The same parser for every item.
#[derive(Clone, Copy, Debug)]
pub struct Uniform<P>(P);

impl<I, P: Parser<I>> Each<I> for Uniform<P> {
    type Item = P::Output;
    type List = Vec<P::Output>;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn next<OM: OutputMode>(
        &mut self,
        input: I,
        _behind: usize,
        place: impl Place<I, P::Output>,
    ) -> Result<I, Failed<OM, P::Error>> {
        put_processed::<OM, I, P>(&mut self.0, input, place)
    }

    #[cfg_attr(fast, inline(always))]
    fn list(items: Vec<P::Output>, _owns: bool) -> Vec<P::Output> {
        items
    }
}

/// A place for a value. The compiler does not always inline a closure, so each place is a type.
pub trait Place<I, T> {
    /// Puts a value there that ends before `rest`.
    fn put(self, rest: &I, value: T);
}

/// The end of a list, which has room for one item more.
struct End<'v, I, S: Each<I>> {
    items: &'v mut Vec<S::Item>,
    /// True if any of the items owns memory.
    owns: &'v mut bool,
}

impl<I: Source, S: Each<I, Item: Debug>> Place<I, S::Item> for End<'_, I, S> {
    #[cfg_attr(fast, inline(always))]
    fn put(self, rest: &I, value: S::Item) {
        rest.close(&value);
        *self.owns |= S::owns_memory(&value);
        push_reserved(self.items, value);
    }
}

/// A parser that can put its value into its place where it makes it, in each of its branches, instead of where they come
/// together. The comments of the module `perf` list the savings.
pub trait Puts<I>: Parser<I> {
    /// Reads a value, puts it into its place, and returns the input after it.
    ///
    /// # Errors
    ///
    /// Those of the parser.
    fn put<OM: OutputMode>(
        &mut self,
        input: I,
        place: impl Place<I, Self::Output>,
    ) -> Result<I, Failed<OM, Self::Error>>;
}

/// The values of `parser`, moved to their places when they are whole.
#[inline]
pub fn moved<P>(parser: P) -> Moved<P> {
    Moved(parser)
}

/// A parser whose values are moved to their places. Made by [`moved`].
#[derive(Clone, Copy, Debug)]
pub struct Moved<P>(P);

impl<I, P: Parser<I>> Parser<I> for Moved<P> {
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        self.0.process::<OM>(input)
    }
}

impl<I, P: Parser<I>> Puts<I> for Moved<P> {
    #[cfg_attr(fast, inline(always))]
    fn put<OM: OutputMode>(&mut self, input: I, place: impl Place<I, P::Output>) -> Result<I, Failed<OM, P::Error>> {
        put_processed::<OM, I, P>(&mut self.0, input, place)
    }
}

/// Runs a parser and puts its value into its place.
#[cfg_attr(fast, inline(always))]
fn put_processed<OM: OutputMode, I, P: Parser<I>>(
    parser: &mut P,
    input: I,
    place: impl Place<I, P::Output>,
) -> Result<I, Failed<OM, P::Error>> {
    let (rest, value) = parser.process::<OM>(input)?;
    put_built::<OM, I, P::Output>(&rest, value, place);
    Ok(rest)
}

/// Puts a value into its place, if the mode builds any.
#[cfg_attr(fast, inline(always))]
pub(crate) fn put_built<OM: OutputMode, I, T>(
    rest: &I,
    value: <OM::Output as Mode>::Output<T>,
    place: impl Place<I, T>,
) {
    // not in a closure, which is not always inlined
    let mut built = None;
    OM::Output::map(value, |value| built = Some(value));
    if let Some(value) = built {
        place.put(rest, value);
    }
}

/// A parser for each item, which gets the bytes that the following items take at least.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<O, F> {
    nesting: Nesting<O>,
    item: F,
}

impl<I, O: Copy, F: Fn(Nesting<O>) -> P, P: Parser<I>> Each<I> for Bounded<O, F> {
    type Item = P::Output;
    type List = Vec<P::Output>;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn next<OM: OutputMode>(
        &mut self,
        input: I,
        behind: usize,
        place: impl Place<I, P::Output>,
    ) -> Result<I, Failed<OM, P::Error>> {
        put_processed::<OM, I, P>(&mut (self.item)(self.nesting.before(behind)), input, place)
    }

    #[cfg_attr(fast, inline(always))]
    fn behind(&self) -> Option<usize> {
        self.nesting.behind()
    }

    #[cfg_attr(fast, inline(always))]
    fn list(items: Vec<P::Output>, _owns: bool) -> Vec<P::Output> {
        items
    }
}

/// The same, with a parser that [`Puts`] its value.
#[derive(Clone, Copy, Debug)]
pub struct Placed<O, F>(Bounded<O, F>);

impl<I, O: Copy, F: Fn(Nesting<O>) -> P, P: Puts<I, Output: IntoOwned>> Each<I> for Placed<O, F> {
    type Item = P::Output;
    type List = ValueVec<P::Output>;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn next<OM: OutputMode>(
        &mut self,
        input: I,
        behind: usize,
        place: impl Place<I, P::Output>,
    ) -> Result<I, Failed<OM, P::Error>> {
        (self.0.item)(self.0.nesting.before(behind)).put::<OM>(input, place)
    }

    #[cfg_attr(fast, inline(always))]
    fn behind(&self) -> Option<usize> {
        self.0.nesting.behind()
    }

    #[cfg_attr(fast, inline(always))]
    fn owns_memory(item: &P::Output) -> bool {
        item.owns_memory()
    }

    #[cfg_attr(fast, inline(always))]
    fn list(items: Vec<P::Output>, owns: bool) -> ValueVec<P::Output> {
        ValueVec::read(items, owns)
    }
}

/// The number of items that `input` can hold.
#[cfg_attr(fast, inline(always))]
fn possible<I: Source>(input: &I, smallest: usize, behind: Option<usize>) -> usize {
    let left = input.remaining().saturating_sub(behind.unwrap_or_default());
    left.checked_div(smallest).unwrap_or_default()
}

/// The number of items to reserve memory for at once, or an error if the input cannot hold `count` items.
#[cfg_attr(fast, inline(always))]
fn room<I: Source>(input: &I, count: u32, smallest: usize, behind: Option<usize>) -> Result<usize, Fault> {
    let possible = possible(input, smallest, behind);
    if to_usize(count) > possible && behind.is_some() {
        let needed = u64::from(count).saturating_mul(to_u64(smallest));
        return Err(Fault::Truncated { needed, left: to_u64(input.remaining()) });
    }
    // broken input may end anywhere
    Ok(if input.is_recovered() { 0 } else { possible.min(to_usize(count)) })
}

/// The first item of a list that is still to be checked, and the input before it. An empty list needs no mark, and its mark
/// could be taken for that of another list in the same place.
#[cfg_attr(fast, inline(always))]
fn resumed<I: Source>(input: I, is_empty: bool) -> (usize, I) {
    let resumed = if is_empty { None } else { input.resume() };
    resumed.unwrap_or((0, input))
}

/// The input before an item, if what is broken ends its list.
#[cfg_attr(fast, inline(always))]
fn recovered<I: Source>(input: &I) -> Option<I> {
    if input.is_recovered() {
        Some(input.clone())
    } else {
        None
    }
}

impl<I, S> Parser<I> for Repeat<S>
where
    I: Source,
    S: Each<I>,
    S::Item: Debug,
    S::Error: WireError<I>,
{
    type Output = S::List;
    type Error = S::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, S::List, S::Error> {
        let count = to_usize(self.count);
        let mut owns = false;
        let (mut items, first, mut input) = if Builds::<OM>::VALUES {
            match room(&input, self.count, self.smallest, self.items.behind()) {
                Ok(room) => (Vec::with_capacity(room), 0, input),
                Err(missing) => return Err(fault::<I, OM, S::Error>(input, missing)),
            }
        } else {
            let (first, input) = resumed(input, count == 0);
            (Vec::new(), first, input)
        };
        // counted down, because the items that follow decide how much room there is
        let mut left = count.saturating_sub(first);
        while let Some(following) = left.checked_sub(1) {
            left = following;
            let index = count.wrapping_sub(left).wrapping_sub(1);
            let before = recovered(&input);
            if before.is_some() {
                items.reserve(1);
            } else if Builds::<OM>::VALUES && items.len() == items.capacity() {
                // if the next item is missing, or an item took less than `smallest` bytes
                items.reserve_exact(possible(&input, self.smallest, self.items.behind()).max(1));
            }
            input.open(Label::Index(index));
            let behind = if Builds::<OM>::VALUES { following.saturating_mul(self.smallest) } else { 0 };
            match self.items.next::<OM>(input, behind, End::<I, S> { items: &mut items, owns: &mut owns }) {
                Ok(rest) => {
                    if !Builds::<OM>::VALUES {
                        rest.reached(index.saturating_add(1));
                    }
                    input = rest;
                }
                Err(error) => match before {
                    Some(before) => return Ok((before.exhaust(), OM::Output::bind(|| S::list(items, owns)))),
                    None => return Err(within::<I, OM, S::Error>(error, Label::Index(index))),
                },
            }
        }
        let input = if Builds::<OM>::VALUES || count == 0 { input } else { input.leave() };
        Ok((input, OM::Output::bind(|| S::list(items, owns))))
    }
}

/// Items, each read by `item` and each at least `smallest` bytes long, up to the byte `end`, which is left unread. No item
/// may begin with this byte. The list also ends at the end of the input.
#[inline]
pub fn repeat_until<P>(end: u8, smallest: usize, item: P) -> RepeatUntil<P> {
    RepeatUntil { end, smallest, item }
}

/// A list of items up to a certain byte. Made by [`repeat_until`].
#[derive(Clone, Copy, Debug)]
pub struct RepeatUntil<P> {
    end: u8,
    smallest: usize,
    item: P,
}

impl<I, P> Parser<I> for RepeatUntil<P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    P::Output: Debug,
{
    type Output = Vec<P::Output>;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Vec<P::Output>, P::Error> {
        let mut items = Vec::new();
        let is_empty = matches!(input.chunk(), Some(([byte], _)) if byte == self.end);
        let (mut index, mut input) = resumed(input, Builds::<OM>::VALUES || is_empty);
        loop {
            match input.chunk::<1>() {
                Some(([byte], _)) if byte != self.end => {}
                None if may_go_on::<OM, I>(&input) => return Err(truncated::<I, OM, P::Error>(input, 1)),
                _ => break,
            }
            if Builds::<OM>::VALUES && items.len() == items.capacity() {
                // twice the items, but no more than the input can hold
                items.reserve_exact(items.len().clamp(1, possible(&input, self.smallest, None).max(1)));
            }
            let before = recovered(&input);
            input.open(Label::Index(index));
            match self.item.process::<OM>(input) {
                Ok((rest, value)) => {
                    OM::Output::map(value, |value| {
                        rest.close(&value);
                        push_reserved(&mut items, value);
                    });
                    index = index.saturating_add(1);
                    if !Builds::<OM>::VALUES {
                        rest.reached(index);
                    }
                    input = rest;
                }
                Err(error) => match before {
                    Some(before) => return Ok((before.exhaust(), OM::Output::bind(|| items))),
                    None => return Err(within::<I, OM, P::Error>(error, Label::Index(index))),
                },
            }
        }
        let input = if Builds::<OM>::VALUES || is_empty { input } else { input.leave() };
        Ok((input, OM::Output::bind(|| items)))
    }
}

/// `N` items in order, without a count before them.
#[inline]
pub fn array<const N: usize, P>(item: P) -> Array<N, P> {
    Array(item)
}

/// A fixed number of items. Made by [`array()`].
#[derive(Clone, Copy, Debug)]
pub struct Array<const N: usize, P>(P);

impl<const N: usize, I, P> Parser<I> for Array<N, P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    P::Output: Copy + Debug + Default,
{
    type Output = [P::Output; N];
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, mut input: I) -> PResult<OM, I, [P::Output; N], P::Error> {
        let mut items = [P::Output::default(); N];
        for (index, slot) in items.iter_mut().enumerate() {
            input.open(Label::Index(index));
            match self.0.process::<OM>(input) {
                Ok((rest, value)) => {
                    OM::Output::map(value, |value| {
                        rest.close(&value);
                        *slot = value;
                    });
                    input = rest;
                }
                Err(error) => return Err(within::<I, OM, P::Error>(error, Label::Index(index))),
            }
        }
        Ok((input, OM::Output::bind(|| items)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::uint8;
    use nom::{Err, Needed};
    use pretty_assertions::assert_eq;

    #[test]
    fn a_list_takes_the_memory_of_its_items() {
        let (rest, items) = repeat(3, 1, uint8::<_, ()>()).parse_complete(&[7; 100][..]).unwrap();
        assert_eq!((rest.len(), items.len(), items.capacity()), (97, 3, 3));
    }

    #[test]
    fn a_list_up_to_a_byte_may_go_on_where_a_stream_is_not_at_its_end() {
        let mut list = repeat_until(0, 1, uint8::<_, ()>());
        assert_eq!(list.parse(&[1, 2, 0][..]), Ok((&[0][..], vec![1, 2])));
        assert_eq!(list.parse(&[1, 2][..]), Err(Err::Incomplete(Needed::new(1))));
        assert_eq!(list.parse_complete(&[1, 2][..]), Ok((&[][..], vec![1, 2])));
    }
}

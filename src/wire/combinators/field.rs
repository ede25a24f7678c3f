//! Names for parts: fields of structures, items of lists, keys of maps.

use std::fmt::Debug;
use std::marker::PhantomData;

use nom::{Emit, Err, Mode, OutputM, OutputMode, PResult, Parser};

use super::repeat::{Place, Puts};
use crate::error::AsKey;
use crate::wire::{within, Failed, Label, Source, WireError};

/// The mode `OM`, but with the value built: for a value that determines the next parser.
pub type Valued<OM> = OutputM<Emit, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

/// The mode `OM`, but with no value built: to learn only whether the input is valid.
pub(crate) type Unvalued<OM> = OutputM<nom::Check, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

/// The values that a mode builds, as a constant: code for other modes is not even compiled.
pub(crate) struct Builds<OM>(PhantomData<OM>);

impl<OM: OutputMode> Builds<OM> {
    /// True if it builds values.
    pub(crate) const VALUES: bool = size_of::<<OM::Output as Mode>::Output<u8>>() > 0;
}

/// A parser whose part of the input has a name. Made by [`field`] and [`item`].
#[derive(Clone, Copy, Debug)]
pub struct Field<P> {
    label: Label<'static>,
    parser: P,
}

/// The field `name` of a structure, read by `parser`.
///
/// The name appears in the path of an error and in the tree; it costs nothing otherwise.
///
/// ```
/// use enginewire::wire::{field, float32, int32, Le, Traceback};
/// use nom::Parser;
///
/// let input = &b"\0\0\0\x3f\x2a\0\0\0"[..];
/// let mut udim = (field("scale", float32::<Le, _, Traceback<&[u8]>>()), field("offset", int32::<Le, _, _>()));
/// assert_eq!(udim.parse_complete(input).unwrap(), (&b""[..], (0.5, 42)));
/// ```
#[inline]
pub fn field<P>(name: &'static str, parser: P) -> Field<P> {
    Field { label: Label::Field(name), parser }
}

/// Item number `index` of a list, read by `parser`. [`repeat`](crate::wire::repeat()) names its items itself.
#[inline]
pub fn item<P>(index: usize, parser: P) -> Field<P> {
    Field { label: Label::Index(index), parser }
}

impl<I, P> Parser<I> for Field<P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    P::Output: Debug,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        input.open(self.label);
        match self.parser.process::<OM>(input) {
            Ok((rest, value)) => {
                let value = OM::Output::map(value, |value| {
                    rest.close(&value);
                    value
                });
                Ok((rest, value))
            }
            Err(error) => Err(within::<I, OM, P::Error>(error, self.label)),
        }
    }
}

impl<I, P> Puts<I> for Field<P>
where
    I: Source,
    P: Puts<I>,
    P::Error: WireError<I>,
    P::Output: Debug,
{
    #[cfg_attr(fast, inline(always))]
    fn put<OM: OutputMode>(&mut self, input: I, place: impl Place<I, P::Output>) -> Result<I, Failed<OM, P::Error>> {
        input.open(self.label);
        match self.parser.put::<OM>(input, Closing(place)) {
            Ok(rest) => Ok(rest),
            Err(error) => Err(within::<I, OM, P::Error>(error, self.label)),
        }
    }
}

/// The place of a field, which ends with its value.
struct Closing<P>(P);

impl<I: Source, T: Debug, P: Place<I, T>> Place<I, T> for Closing<P> {
    #[cfg_attr(fast, inline(always))]
    fn put(self, rest: &I, value: T) {
        rest.close(&value);
        self.0.put(rest, value);
    }
}

/// Four fields in order, like a tuple of parsers, but in the mode of the whole.
///
/// nom's tuples build the values of their parts in any mode. That costs nothing for numbers and much for lists, so use this
/// for a structure that has lists in it.
#[inline]
pub fn fields<T>(parsers: T) -> Fields<T> {
    Fields(parsers)
}

/// Fields in order. Made by [`fields`].
#[derive(Clone, Copy, Debug)]
pub struct Fields<T>(T);

impl<I, A, B, C, D> Parser<I> for Fields<(A, B, C, D)>
where
    A: Parser<I>,
    B: Parser<I, Error = A::Error>,
    C: Parser<I, Error = A::Error>,
    D: Parser<I, Error = A::Error>,
    A::Error: WireError<I>,
{
    type Output = (A::Output, B::Output, C::Output, D::Output);
    type Error = A::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Self::Output, A::Error> {
        let (a, b, c, d) = &mut self.0;
        let (rest, a) = a.process::<OM>(input)?;
        let (rest, b) = b.process::<OM>(rest)?;
        let (rest, c) = c.process::<OM>(rest)?;
        let (rest, d) = d.process::<OM>(rest)?;
        let before = OM::Output::combine(a, b, |a, b| (a, b));
        let behind = OM::Output::combine(c, d, |c, d| (c, d));
        Ok((rest, OM::Output::combine(before, behind, |(a, b), (c, d)| (a, b, c, d))))
    }
}

/// A key and the value that belongs to it. Made by [`keyed`].
#[derive(Clone, Copy, Debug)]
pub struct Keyed<K, V, F> {
    key: K,
    value: V,
    make: F,
}

/// One item of a map: `key`, then `value`; `make` puts them together. Errors in the value, and the item in a tree, show the key.
#[inline]
pub fn keyed<K, V, F>(key: K, value: V, make: F) -> Keyed<K, V, F> {
    Keyed { key, value, make }
}

impl<I, K, V, F, T> Parser<I> for Keyed<K, V, F>
where
    I: Source,
    K: Parser<I>,
    V: Parser<I, Error = K::Error>,
    F: Fn(K::Output, V::Output) -> T,
    K::Error: WireError<I>,
    K::Output: AsKey,
{
    type Output = T;
    type Error = K::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, K::Error> {
        if !Builds::<OM>::VALUES {
            return self.check::<OM, I, T>(input);
        }
        let (rest, key) = self.key.process::<Valued<OM>>(input)?;
        rest.key(&key);
        match self.value.process::<OM>(rest) {
            Ok((rest, value)) => Ok((rest, OM::Output::map(value, |value| (self.make)(key, value)))),
            Err(error) => {
                // a copy in memory: see `perf`
                let key = key;
                Err(within::<I, OM, K::Error>(error, Label::Key(&key)))
            }
        }
    }
}

impl<I, K, V, F, T> Puts<I> for Keyed<K, V, F>
where
    I: Source,
    K: Parser<I>,
    V: Puts<I, Error = K::Error>,
    F: Fn(K::Output, V::Output) -> T,
    K::Error: WireError<I>,
    K::Output: AsKey,
{
    #[cfg_attr(fast, inline(always))]
    fn put<OM: OutputMode>(&mut self, input: I, place: impl Place<I, T>) -> Result<I, Failed<OM, K::Error>> {
        if !Builds::<OM>::VALUES {
            return self.check::<OM, I, T>(input).map(|(rest, _)| rest);
        }
        let (rest, key) = self.key.process::<Valued<OM>>(input)?;
        rest.key(&key);
        // the value takes it, or else the error
        let mut key = Some(key);
        match self.value.put::<OM>(rest, WithKey { key: &mut key, make: &self.make, place }) {
            Ok(rest) => Ok(rest),
            Err(error) => match key {
                Some(key) => Err(within::<I, OM, K::Error>(error, Label::Key(&key))),
                None => Err(error),
            },
        }
    }
}

/// The place of an item whose value is still to come.
struct WithKey<'k, K, F, P> {
    key: &'k mut Option<K>,
    make: &'k F,
    place: P,
}

impl<I, K, V, T, F: Fn(K, V) -> T, P: Place<I, T>> Place<I, V> for WithKey<'_, K, F, P> {
    #[cfg_attr(fast, inline(always))]
    fn put(self, rest: &I, value: V) {
        if let Some(key) = self.key.take() {
            self.place.put(rest, (self.make)(key, value));
        }
    }
}

impl<K, V, F> Keyed<K, V, F> {
    /// Does not build the key, which may be large: only an error needs it, and reads it again.
    #[cfg_attr(fast, inline(always))]
    fn check<OM: OutputMode, I: Source, T>(&mut self, input: I) -> PResult<OM, I, T, K::Error>
    where
        K: Parser<I>,
        V: Parser<I, Error = K::Error>,
        F: Fn(K::Output, V::Output) -> T,
        K::Error: WireError<I>,
        K::Output: AsKey,
    {
        let (rest, key) = self.key.process::<OM>(input.clone())?;
        match self.value.process::<OM>(rest) {
            Ok((rest, value)) => Ok((rest, OM::Output::combine(key, value, &self.make))),
            // incomplete input is not an error yet, and reading the key again would disturb the marks of its lists
            Err(Err::Incomplete(needed)) => Err(Err::Incomplete(needed)),
            // not a call that borrows this parser: see `perf`
            Err(error) if K::Error::LABELLED => match self.key.process::<Valued<OM>>(input.clone()) {
                Ok((_, key)) => Err(within::<I, OM, K::Error>(error, Label::Key(&key))),
                Err(_) => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

/// `first`, and then the parser that `next` makes of its value: for example a length, and then that number of bytes.
///
/// It does what nom's `flat_map` does, and is inlined.
#[inline]
pub fn flat_map<F, G>(first: F, next: G) -> FlatMap<F, G> {
    FlatMap { first, next }
}

/// Two parsers, the second made from the value of the first. Made by [`flat_map`].
#[derive(Clone, Copy, Debug)]
pub struct FlatMap<F, G> {
    first: F,
    next: G,
}

impl<I, F, G, P> Parser<I> for FlatMap<F, G>
where
    F: Parser<I>,
    G: FnMut(F::Output) -> P,
    P: Parser<I, Error = F::Error>,
{
    type Output = P::Output;
    type Error = F::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, F::Error> {
        let (rest, value) = self.first.process::<Valued<OM>>(input)?;
        (self.next)(value).process::<OM>(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;
    use crate::wire::{uint8, verify, Traceback};
    use nom::{Check, Complete};
    use pretty_assertions::assert_eq;
    use std::cell::Cell;

    /// The number of times that the key of an item with a broken value is read, and the error.
    fn check<'a, E: WireError<&'a [u8]>>() -> (usize, E) {
        let reads = Cell::new(0_usize);
        let key = verify(uint8::<_, E>(), |key| {
            reads.set(reads.get().saturating_add(1));
            Ok(key)
        });
        let mut pair = item(0, keyed(key, verify(uint8(), |_| Err::<(), _>(Fault::ReservedBit)), |_, ()| ()));
        let result = pair.process::<OutputM<Check, Emit, Complete>>(&[7, 0][..]);
        let Err(nom::Err::Error(error)) = result else { panic!("it matched") };
        (reads.get(), error)
    }

    #[test]
    fn a_key_is_read_again_only_for_an_error_that_shows_it() {
        let (reads, error) = check::<Traceback<&[u8]>>();
        assert_eq!((reads, error.into_error(&[0, 0][..]).path().to_string()), (2, "[0] 7".to_owned()));
        assert_eq!(check::<()>(), (1, ()));
    }
}

//! The ways to run the parser of a structure over an input.
//!
//! Reading and checking complete bytes have a source of their own, and compile to what a parser written only for this would be.
//! Everything else shares one source, whose purpose is chosen at run time: see [`Instrumented`].

use bstr::BStr;
use nom::{Check, Complete, Emit, Err, OutputM, OutputMode, PResult, Parser};

use super::check::{Checker, Findings, Listener};
use super::instrumented::Instrumented;
use super::stream::{ItemStream, Memory};
use super::trace::{Log, Tree};
use crate::error::{DecodeError, Fault};
use crate::limits::Limited;
use crate::wire::error::located;
use crate::wire::{fault, Format, Place, Puts, Source, Traceback, WireError, TRAILING};
use crate::Offset;

/// `parser`, and then the end of the input. Bytes after the value are [`Fault::Trailing`]; where `trailing` allows them,
/// they get a note and are left unread.
#[inline]
pub fn all_consuming<P>(trailing: bool, parser: P) -> AllConsuming<P> {
    AllConsuming { trailing, parser }
}

/// A parser that must reach the end of the input. Made by [`all_consuming`].
#[derive(Clone, Copy, Debug)]
pub struct AllConsuming<P> {
    trailing: bool,
    parser: P,
}

impl<I: Source, P: Parser<I>> Parser<I> for AllConsuming<P>
where
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, value) = self.parser.process::<OM>(input)?;
        if rest.remaining() > 0 {
            if !self.trailing {
                // a copy in memory: see `perf`
                let _dropped = value;
                return Err(fault::<I, OM, P::Error>(rest, Fault::Trailing));
            }
            rest.note(TRAILING);
        }
        Ok((rest, value))
    }
}

/// The value that `parser` reads from `input`, which is complete and broken. Every list around the error ends before the
/// item with the error. `None` if the error is not in a list.
///
/// ```
/// use enginewire::wire::{field, recover, repeat, uint8};
///
/// let list = || field("items", repeat(5, 1, uint8()));
/// assert_eq!(recover(&[1, 2, 3], list()), Some(vec![1, 2, 3]));
/// assert_eq!(recover(&[], field("item", uint8())), None);
/// ```
pub fn recover<'a, P>(input: &'a [u8], mut parser: P) -> Option<P::Output>
where
    P: Parser<Instrumented<'a, 'static>, Error = Traceback<Instrumented<'a, 'static>>>,
{
    parser.process::<OutputM<Emit, Emit, Complete>>(Instrumented::broken(input)).ok().map(|(_, value)| value)
}

/// The value that `parser` reads from the start of `input`, and the bytes after it; with the source that all share.
#[cfg(feature = "text")]
pub(crate) fn read_part<'a, P>(input: &'a [u8], mut parser: P) -> Option<(&'a [u8], P::Output)>
where
    P: Parser<Instrumented<'a, 'static>, Error = Traceback<Instrumented<'a, 'static>>>,
{
    let read = parser.process::<OutputM<Emit, Emit, Complete>>(Instrumented::whole(input));
    read.ok().map(|(rest, value)| (rest.rest(), value))
}

/// Runs `parser` over `input`, which is complete. Returns the rest of the input, and the value.
///
/// # Errors
///
/// The error of the parser, with its offset counted from the start of `input`.
#[cfg_attr(fast, inline(always))]
pub fn run<I, P>(input: I, mut parser: P) -> Result<(I, P::Output), DecodeError>
where
    I: Source,
    P: Parser<I, Error = Traceback<I>>,
{
    match parser.process::<OutputM<Emit, Emit, Complete>>(input.clone()) {
        Ok(done) => Ok(done),
        Err(error) => Err(located(error, &input)),
    }
}

/// The same, with the value put into its place.
#[cfg_attr(fast, inline(always))]
pub(crate) fn run_into<I, P>(input: I, mut parser: P, place: impl Place<I, P::Output>) -> Result<I, DecodeError>
where
    I: Source,
    P: Puts<I, Error = Traceback<I>>,
{
    match parser.put::<OutputM<Emit, Emit, Complete>>(input.clone(), place) {
        Ok(rest) => Ok(rest),
        Err(error) => Err(located(error, &input)),
    }
}

/// A structure, which has one parser for every source.
pub(crate) trait Structure<'a> {
    /// The output of the parser.
    type Value;

    /// True if reading and checking have sources of their own: see [`Format::FAST`]. In WebAssembly none has, which makes a module a
    /// tenth smaller. As a constant, it spares the compiler what is not used.
    const FAST: bool = !cfg!(target_family = "wasm");

    /// The parser.
    fn parser<I, E>(self) -> impl Parser<I, Output = Self::Value, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;
}

/// A value of a format, and nothing after it unless the options allow it.
pub(crate) struct Whole<'o, F: Format>(pub(super) &'o F::Options);

impl<'a, F: Format> Structure<'a> for Whole<'_, F> {
    type Value = F::Value<'a>;

    const FAST: bool = F::FAST && !cfg!(target_family = "wasm");

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = F::Value<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        all_consuming(self.0.allows_trailing_bytes(), F::parser(*self.0))
    }
}

/// The next item of a stream.
pub(crate) struct Item<S>(pub(crate) S);

impl<'a, S: ItemStream> Structure<'a> for Item<S> {
    type Value = S::Item<'a>;

    const FAST: bool = S::FAST && !cfg!(target_family = "wasm");

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S::Item<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.item()
    }
}

/// The head of a stream, before its items.
pub(crate) struct Head<S>(pub(super) S);

impl<'a, S: ItemStream> Structure<'a> for Head<S> {
    type Value = S;

    #[cfg_attr(fast, inline(always))]
    fn parser<I, E>(self) -> impl Parser<I, Output = S, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        self.0.head()
    }
}

/// Reads a structure. Returns the bytes after it, too.
#[cfg_attr(fast, inline(always))]
pub(crate) fn read<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Result<(&'a [u8], S::Value), DecodeError> {
    if !S::FAST {
        let (rest, value) = run(Instrumented::whole(input), structure.parser())?;
        return Ok((rest.rest(), value));
    }
    run(input, structure.parser())
}

/// Reads the next item of a stream into its place. Returns the bytes after it.
#[cfg_attr(fast, inline(always))]
pub(crate) fn put<'a, S: ItemStream>(
    input: &'a [u8],
    stream: S,
    place: impl Place<&'a [u8], S::Item<'a>>,
) -> Result<&'a [u8], DecodeError> {
    if !Item::<S>::FAST {
        let (rest, item) = read(input, Item(stream))?;
        place.put(&rest, item);
        return Ok(rest);
    }
    run_into(input, stream.item(), place)
}

/// Checks a structure, and returns where it ends. `each` is called for every finding.
#[cfg_attr(fast, inline(always))]
pub(crate) fn check<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    each: Listener<'_>,
) -> Result<(Offset, Findings), DecodeError> {
    let checker = Checker::new(input, each);
    let end = if !S::FAST {
        let start = Instrumented::checked(input, &checker);
        let checked = structure.parser().process::<OutputM<Check, Emit, Complete>>(start);
        checked.map(|(rest, _)| rest.place()).map_err(|error| located(error, &start))?
    } else {
        checker.check_part(structure.parser())?
    };
    Ok((end, checker.findings()))
}

/// Reads as much of a broken structure as can be kept.
pub(crate) fn read_broken<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<S::Value> {
    recover(input, structure.parser())
}

/// Every field of a structure at the byte `at` of `input`, and the structure itself.
pub(crate) fn trace<'a, S: Structure<'a>>(
    log: &Log,
    input: &'a [u8],
    at: usize,
    structure: S,
) -> (Tree, Option<S::Value>) {
    log.trace_part(input, at, structure.parser())
}

/// A structure of a stream and the bytes after it; or the number of missing bytes; or the error.
type Streamed<'a, T> = Result<(&'a [u8], T), Result<usize, DecodeError>>;

/// Reads a structure of a stream. If bytes of it are missing, returns how many.
pub(crate) fn read_streaming<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Streamed<'a, S::Value> {
    let start = Instrumented::beginning(input);
    match structure.parser().process::<OutputM<Emit, Emit, Complete>>(start) {
        Ok((rest, value)) => Ok((rest.rest(), value)),
        Err(Err::Incomplete(needed)) => Err(Ok(missing(needed))),
        Err(error) => Err(Err(located(error, &start))),
    }
}

/// Checks that a structure of a stream is complete. If not, returns how many bytes are missing; `None` if it is invalid.
pub(crate) fn scan<'a, S: Structure<'a>>(input: &'a [u8], structure: S, memory: &Memory) -> Result<(), Option<usize>> {
    match structure
        .parser::<_, Traceback<_>>()
        .process::<OutputM<Check, Emit, Complete>>(Instrumented::scanned(input, memory))
    {
        Ok(_) => Ok(()),
        Err(Err::Incomplete(needed)) => Err(Some(missing(needed))),
        Err(_) => Err(None),
    }
}

/// The number of bytes missing in a stream.
fn missing(needed: nom::Needed) -> usize {
    match needed {
        nom::Needed::Size(size) => size.get(),
        nom::Needed::Unknown => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{Options, VariantFormat, Version};
    use crate::roblox::attributes::AttributesFormat;
    use crate::roblox::remote::RemoteFormat;
    use crate::scrap_mechanic::lua_object::LuaObjectFormat;
    use crate::wire::Note;
    use pretty_assertions::assert_eq;

    /// The values of a folder of fixtures.
    fn fixtures(folder: &str) -> Vec<Vec<u8>> {
        let files = std::fs::read_dir(format!("fixtures/{folder}")).unwrap().map(|file| file.unwrap().path());
        let values = files.filter(|path| path.extension().is_some_and(|extension| extension == "bin"));
        let values: Vec<_> = values.map(|path| std::fs::read(path).unwrap()).collect();
        assert!(values.len() > 3, "{folder}");
        values
    }

    /// A structure that is read and checked with the source of everything else.
    struct Shared<S>(S);

    impl<'a, S: Structure<'a>> Structure<'a> for Shared<S> {
        type Value = S::Value;

        const FAST: bool = false;

        fn parser<I, E>(self) -> impl Parser<I, Output = S::Value, Error = E>
        where
            I: Source<Bytes = &'a BStr>,
            E: WireError<I>,
        {
            self.0.parser()
        }
    }

    /// The result of a check, with every finding.
    fn heard<T>(check: impl FnOnce(Listener<'_>) -> T) -> (T, Vec<(Offset, Note)>) {
        let mut notes = Vec::new();
        let checked = check(&mut |at, note| notes.push((at, note)));
        (checked, notes)
    }

    /// Both ways to read and to check give the same of a value, of each beginning of it, and with any of its bytes changed.
    fn agree<F: Format>(folder: &str, options: F::Options) {
        let whole = || Whole::<F>(&options);
        // as text: a NaN is not equal to itself
        let shown = |read: Result<(&[u8], F::Value<'_>), DecodeError>| format!("{read:?}");
        let try_one = |input: &[u8]| {
            assert_eq!(shown(read(input, whole())), shown(read(input, Shared(whole()))));
            let own = heard(|each| check(input, whole(), each));
            assert_eq!(own, heard(|each| check(input, Shared(whole()), each)));
        };
        for value in fixtures(folder) {
            // of long ones some hundred places
            for at in (0..=value.len()).step_by((value.len() / 200).max(1)) {
                try_one(&value[..at]);
                let mut changed = value.clone();
                if let Some(byte) = changed.get_mut(at) {
                    *byte ^= 1 << (at % 8);
                }
                try_one(&changed);
            }
        }
    }

    #[test]
    fn both_ways_to_read_and_to_check_agree() {
        agree::<AttributesFormat>("roblox-attributes", Default::default());
        agree::<RemoteFormat>("roblox-remote", Default::default());
        agree::<LuaObjectFormat>("scrap-mechanic-lua", Default::default());
        agree::<VariantFormat>("godot-3", Options::new(Version::V3));
        agree::<VariantFormat>("godot-4", Options::new(Version::V4));
    }
}

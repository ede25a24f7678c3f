//! Parts that are packed in bits, the most significant of a byte first.
//!
//! | leaf | bits | parser | generator |
//! |---|---|---|---|
//! | flag | 1 | [`bit`] | [`gen_bit`] |
//! | padding | 0 to 7, up to a whole byte | [`align`] | [`gen_align`] |
//! | a part that begins and ends with a whole byte | any | [`bits`] | [`gen_bits`] |
//!
//! Inside [`bits`] the source is [`Bits`]. All other combinators of `wire` work on it as they do on bytes: fields, numbers,
//! lists, dispatch, streaming, checking, traces. Inside [`gen_bits`] the writer is a [`BitWriter`], which every generator can
//! write to.

use std::fmt::Debug;
use std::io::{self, Write};
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::error::{ErrorKind, ParseError};
use nom::{Err, Mode, OutputMode, PResult, Parser};

use super::source::{Label, Note, Source};
use crate::error::Fault;
use crate::number::{to_u64, to_usize};
use crate::wire::{fault, truncated, WireError};
use crate::Offset;

/// A [`Source`] whose position may be inside a byte.
///
/// Numbers are read from any bit. Borrowed bytes begin at the next whole byte; [`align`] moves to it and checks the bits that are
/// passed over.
#[derive(Clone, Copy, Debug)]
pub struct Bits<I> {
    input: I,
    /// The number of bits of the first byte of `input` that were already read: 0 to 7.
    bit: u8,
}

impl<I: Source> Bits<I> {
    /// At the first bit of `input`.
    #[cfg_attr(fast, inline(always))]
    fn new(input: I) -> Self {
        Bits { input, bit: 0 }
    }

    /// The source at this bit, for hooks.
    #[cfg_attr(fast, inline(always))]
    fn here(&self) -> I {
        self.input.at_bit(self.bit)
    }

    /// The next bit, and the source after it.
    #[cfg_attr(fast, inline(always))]
    fn next(&self) -> Option<(bool, Self)> {
        let ([byte], rest) = self.input.chunk()?;
        let is_set = byte.wrapping_shl(self.bit.into()) & 0x80 != 0;
        let behind = match self.bit {
            7 => Bits::new(rest),
            bit => Bits { input: self.input.clone(), bit: bit.saturating_add(1) },
        };
        Some((is_set, behind))
    }

    /// The bits up to the next whole byte (none if the position is at one), and the bytes after them.
    #[cfg_attr(fast, inline(always))]
    fn aligned(&self) -> (u8, I) {
        match self.input.chunk() {
            Some(([byte], rest)) if self.bit > 0 => (byte & 0xff_u8.wrapping_shr(self.bit.into()), rest),
            _ => (0, self.input.clone()),
        }
    }
}

impl<I: Source> Source for Bits<I> {
    type Bytes = I::Bytes;
    const INSTRUMENTED: bool = I::INSTRUMENTED;

    #[cfg_attr(fast, inline(always))]
    fn is_traced(&self) -> bool {
        self.input.is_traced()
    }

    #[cfg_attr(fast, inline(always))]
    fn is_recovered(&self) -> bool {
        self.input.is_recovered()
    }

    #[cfg_attr(fast, inline(always))]
    fn may_grow(&self) -> bool {
        self.input.may_grow()
    }

    #[cfg_attr(fast, inline(always))]
    fn completed(self) -> Self {
        Bits { input: self.input.completed(), ..self }
    }

    #[cfg_attr(fast, inline(always))]
    fn remaining(&self) -> usize {
        self.input.remaining().saturating_sub(usize::from(self.bit > 0))
    }

    #[cfg_attr(fast, inline(always))]
    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input).after(Offset::new(0, self.bit))
    }

    #[cfg_attr(fast, inline(always))]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (bytes, rest) = self.input.chunk::<N>()?;
        let behind = |rest| Bits { input: rest, bit: self.bit };
        // few bytes, and the one after them, are loaded at once
        if N < size_of::<u64>()
            && let Some((wide, _)) = self.input.chunk()
        {
            let wide = u64::from_be_bytes(wide).wrapping_shl(self.bit.into());
            return wide.to_be_bytes().first_chunk().map(|bytes| (*bytes, behind(rest)));
        }
        let next = match rest.chunk() {
            Some(([next], _)) => next,
            None if self.bit == 0 => 0,
            None => return None,
        };
        Some((shifted(bytes, next, self.bit), behind(rest)))
    }

    #[cfg_attr(fast, inline(always))]
    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        self.aligned().1.bytes(count).map(|(bytes, rest)| (bytes, Bits::new(rest)))
    }

    /// Only at a whole byte: bytes cannot be borrowed from inside another.
    #[cfg_attr(fast, inline(always))]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let (part, rest) = self.input.part(length).filter(|_| self.bit == 0)?;
        Some((Bits::new(part), Bits::new(rest)))
    }

    #[cfg_attr(fast, inline(always))]
    fn open(&self, label: Label<'_>) {
        self.here().open(label);
    }

    #[cfg_attr(fast, inline(always))]
    fn close(&self, value: &dyn Debug) {
        self.here().close(value);
    }

    #[cfg_attr(fast, inline(always))]
    fn key(&self, key: &dyn Debug) {
        self.here().key(key);
    }

    #[cfg_attr(fast, inline(always))]
    fn note_at_bit(&self, bit: u8, note: Note) {
        self.input.note_at_bit(self.bit.saturating_add(bit), note);
    }

    #[cfg_attr(fast, inline(always))]
    fn exhaust(self) -> Self {
        Bits::new(self.input.exhaust())
    }

    #[cfg_attr(fast, inline(always))]
    fn is_exhausted(&self) -> bool {
        self.input.is_exhausted()
    }

    #[cfg_attr(fast, inline(always))]
    fn resume(&self) -> Option<(usize, Self)> {
        let (count, input) = self.here().resume()?;
        let bit = input.bit();
        Some((count, Bits { input: input.at_bit(0), bit }))
    }

    #[cfg_attr(fast, inline(always))]
    fn reached(&self, count: usize) {
        self.here().reached(count);
    }

    #[cfg_attr(fast, inline(always))]
    fn leave(self) -> Self {
        Bits { input: self.input.leave(), ..self }
    }
}

/// The `N` bytes that begin at bit number `bit` of `bytes` and end in `next`.
#[cfg_attr(fast, inline(always))]
fn shifted<const N: usize>(mut bytes: [u8; N], next: u8, bit: u8) -> [u8; N] {
    let [mut carry, _] = u16::from(next).wrapping_shl(bit.into()).to_be_bytes();
    for byte in bytes.iter_mut().rev() {
        let [above, shifted] = u16::from(*byte).wrapping_shl(bit.into()).to_be_bytes();
        (*byte, carry) = (shifted | carry, above);
    }
    bytes
}

/// The error of a parser on [`Bits`], where that of the parser around it is `E`.
#[derive(Clone, Copy, Debug)]
pub struct BitError<E>(E);

impl<I, E: ParseError<I>> ParseError<Bits<I>> for BitError<E> {
    #[cold]
    fn from_error_kind(at: Bits<I>, kind: ErrorKind) -> Self {
        BitError(E::from_error_kind(at.input, kind))
    }

    #[cold]
    fn append(at: Bits<I>, kind: ErrorKind, other: Self) -> Self {
        BitError(E::append(at.input, kind, other.0))
    }
}

impl<I, E: WireError<I>> WireError<Bits<I>> for BitError<E> {
    const LABELLED: bool = E::LABELLED;

    #[cold]
    fn fault(at: Bits<I>, fault: Fault) -> Self {
        BitError(E::fault(at.input, fault).at_bit(at.bit))
    }

    #[cold]
    fn at_bit(self, bit: u8) -> Self {
        BitError(self.0.at_bit(bit))
    }

    #[cold]
    fn within(self, label: Label<'_>) -> Self {
        BitError(self.0.within(label))
    }

    #[cold]
    fn in_complete_part(self) -> Self {
        BitError(self.0.in_complete_part())
    }
}

/// Reads a part that is packed in bits, among parsers of bytes. The bits of the last byte that `parser` leaves are skipped.
///
/// ```
/// use enginewire::wire::{align, bit, bits, field, uint8, Traceback};
/// use nom::Parser;
///
/// let mut flags = bits((field("is_set", bit()), field("count", uint8()), align(false)));
/// let (rest, (is_set, count, _)) = flags.parse_complete(&[0b1000_0001, 0b1000_0000, 0xff][..]).unwrap();
/// assert_eq!((is_set, count, rest), (true, 3, &[0xff][..]));
///
/// let Err(nom::Err::Error(error)) = flags.parse_complete(&[0x80][..]) else { panic!() };
/// let error: Traceback<&[u8]> = error;
/// assert_eq!(error.into_error(&[0x80][..]).offset().to_string(), "0x0.1");
/// ```
#[inline]
pub fn bits<P>(parser: P) -> InBits<P> {
    InBits(parser)
}

/// A part that is packed in bits. Made by [`bits`].
#[derive(Clone, Copy, Debug)]
pub struct InBits<P>(P);

impl<I, P, E> Parser<I> for InBits<P>
where
    I: Source,
    P: Parser<Bits<I>, Error = BitError<E>>,
    E: WireError<I>,
{
    type Output = P::Output;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, E> {
        match self.0.process::<OM>(Bits::new(input)) {
            Ok((rest, value)) => Ok((rest.aligned().1, value)),
            Err(Err::Error(error)) => Err(Err::Error(OM::Error::map(error, |BitError(error)| error))),
            Err(Err::Failure(BitError(error))) => Err(Err::Failure(error)),
            Err(Err::Incomplete(needed)) => Err(Err::Incomplete(needed)),
        }
    }
}

/// Reads a single bit, which is true if set.
///
/// The first bit of the byte `80` is `true`, and the next is `false`. Only a missing bit is refused.
#[inline]
pub fn bit<I: Source, E: WireError<Bits<I>>>() -> impl Parser<Bits<I>, Output = bool, Error = E> {
    Bit(PhantomData)
}

#[derive(Debug)]
struct Bit<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<Bits<I>>> Parser<Bits<I>> for Bit<E> {
    type Output = bool;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: Bits<I>) -> PResult<OM, Bits<I>, bool, E> {
        match input.next() {
            Some((is_set, rest)) => Ok((rest, OM::Output::bind(|| is_set))),
            None => Err(truncated::<Bits<I>, OM, E>(input, 1)),
        }
    }
}

/// Skips the padding up to the next whole byte. Its bits must be 0; if `lenient`, other bits are noted and ignored.
///
/// A tree shows the padding as a field named `padding`, unless it is empty.
///
/// After one [`bit`], the padding in the byte `80` is skipped, and that in the byte `81` is refused unless `lenient`.
#[inline]
pub fn align<I: Source, E: WireError<Bits<I>>>(lenient: bool) -> impl Parser<Bits<I>, Output = (), Error = E> {
    Align { lenient, error: PhantomData }
}

#[derive(Debug)]
struct Align<E> {
    lenient: bool,
    error: PhantomData<fn() -> E>,
}

/// The note for padding that is not 0 but allowed.
const PADDING: Note = Note::NonCanonical("padding that is not 0");

impl<I: Source, E: WireError<Bits<I>>> Parser<Bits<I>> for Align<E> {
    type Output = ();
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: Bits<I>) -> PResult<OM, Bits<I>, (), E> {
        let (padding, rest) = input.aligned();
        let rest = Bits::new(rest);
        if input.bit > 0 {
            input.open(Label::Field("padding"));
            if padding != 0 {
                if !self.lenient {
                    let error = fault::<Bits<I>, OM, E>(input, Fault::Padding { found: padding });
                    return Err(crate::wire::error::within::<Bits<I>, OM, E>(error, Label::Field("padding")));
                }
                input.note(PADDING);
            }
            rest.close(&padding);
        }
        Ok((rest, OM::Output::bind(|| ())))
    }
}

/// Writes bits, and bytes at any bit, to a writer of bytes.
#[derive(Debug)]
pub struct BitWriter<W> {
    writer: W,
    /// The number of bytes that were written.
    count: u64,
    /// The bits that are not written yet, the first one most significant, and their number: less than 64.
    pending: u64,
    bits: u32,
}

impl<W: Write> BitWriter<W> {
    #[cfg_attr(fast, inline(always))]
    fn new(writer: W) -> Self {
        BitWriter { writer, count: 0, pending: 0, bits: 0 }
    }

    #[cfg_attr(fast, inline(always))]
    fn write_out(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.count = self.count.saturating_add(to_u64(bytes.len()));
        self.writer.write_all(bytes)
    }

    /// Writes the first `bits` bits of `value`, at most 64. All other bits of `value` are 0.
    #[cfg_attr(fast, inline(always))]
    fn put(&mut self, value: u64, bits: u32) -> io::Result<()> {
        self.pending |= value.wrapping_shr(self.bits);
        let filled = self.bits.saturating_add(bits);
        if filled < u64::BITS {
            self.bits = filled;
            return Ok(());
        }
        self.write_out(&self.pending.to_be_bytes())?;
        self.pending = value.checked_shl(u64::BITS.saturating_sub(self.bits)).unwrap_or(0);
        self.bits = filled.saturating_sub(u64::BITS);
        Ok(())
    }

    /// Writes zero bits up to the next whole byte.
    #[cfg_attr(fast, inline(always))]
    fn align(&mut self) -> io::Result<()> {
        self.put(0, self.bits.next_multiple_of(u8::BITS).saturating_sub(self.bits))
    }

    /// Writes the bits that are not written yet, and zero bits up to the next whole byte.
    fn finish(&mut self) -> io::Result<()> {
        let bytes = self.pending.to_be_bytes();
        let count = to_usize(self.bits.div_ceil(u8::BITS));
        (self.pending, self.bits) = (0, 0);
        self.write_out(bytes.get(..count).unwrap_or(&bytes))
    }
}

impl<W: Write> Write for BitWriter<W> {
    #[cfg_attr(fast, inline(always))]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[cfg_attr(fast, inline(always))]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > size_of::<u64>() && self.bits.is_multiple_of(u8::BITS) {
            self.finish()?;
            return self.write_out(bytes);
        }
        let (whole, rest) = bytes.as_chunks();
        for piece in whole {
            self.put(u64::from_be_bytes(*piece), u64::BITS)?;
        }
        let mut last = [0; size_of::<u64>()];
        last.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
        let bits = u32::try_from(rest.len()).map_or(0, |count| count.saturating_mul(u8::BITS));
        self.put(u64::from_be_bytes(last), bits)
    }

    /// Bits that do not fill a byte are not written yet.
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The counterpart of [`bits`]: writes `generator`, and then zero bits up to the next whole byte.
///
/// ```
/// use cookie_factory::sequence::pair;
/// use enginewire::wire::{gen_bit, gen_bits, gen_uint8, generate_into};
///
/// let mut bytes = Vec::new();
/// generate_into(gen_bits(pair(gen_bit(true), gen_uint8(3))), &mut bytes)?;
/// assert_eq!(bytes, [0b1000_0001, 0b1000_0000]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
#[cfg_attr(fast, inline(always))]
pub fn gen_bits<W: Write, G: SerializeFn<BitWriter<W>>>(generator: G) -> impl SerializeFn<W> {
    move |WriteContext { write, position }: WriteContext<W>| {
        let inner = generator(WriteContext { write: BitWriter::new(write), position })?;
        let mut written = inner.write;
        written.finish()?;
        Ok(WriteContext { write: written.writer, position: position.saturating_add(written.count) })
    }
}

/// Writes a single bit, as [`bit`] reads it.
#[cfg_attr(fast, inline(always))]
pub fn gen_bit<W: Write>(is_set: bool) -> impl SerializeFn<BitWriter<W>> {
    move |mut out: WriteContext<BitWriter<W>>| {
        out.write.put(u64::from(is_set).rotate_right(1), 1)?;
        Ok(out)
    }
}

/// Writes zero bits up to the next whole byte, as [`align`] reads them.
#[cfg_attr(fast, inline(always))]
pub fn gen_align<W: Write>() -> impl SerializeFn<BitWriter<W>> {
    move |mut out: WriteContext<BitWriter<W>>| {
        out.write.align()?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::combinators::encode::generated;
    use crate::wire::input::source;
    use crate::wire::{
        field, float64, gen_bytes, gen_uint32, item, keyed, length_delimited, measure, recover, repeat, run, take,
        uint32, uint8, verify, Be, Checker, Log, Traceback,
    };
    use cookie_factory::combinator::slice;
    use cookie_factory::sequence::{pair, tuple};
    use nom::Needed;
    use pretty_assertions::assert_eq;

    type Result<'a, T> = std::result::Result<(Bits<&'a [u8]>, T), Err<()>>;

    /// The bits of `bytes` from number `bit` on, as text.
    fn text(bytes: &[u8], bit: usize) -> String {
        bytes.iter().map(|byte| format!("{byte:08b}")).collect::<String>().split_off(bit)
    }

    fn at(bytes: &[u8], bit: u8) -> Bits<&[u8]> {
        Bits { input: bytes, bit }
    }

    #[test]
    fn numbers_are_read_and_written_at_any_bit() {
        let bytes: Vec<u8> = (0..24).map(|index: u8| index.wrapping_mul(0x9d) ^ 0x5a).collect();
        macro_rules! each {
            ($($count:literal)*) => {$(
                for bit in 0..8 {
                    let (read, rest) = at(&bytes, bit).chunk::<$count>().unwrap();
                    assert_eq!(text(&read, 0), text(&bytes, bit.into())[..$count * 8], "{} bytes at bit {bit}", $count);
                    assert_eq!((rest.input, rest.bit), (&bytes[$count..], bit));
                    let exact = &bytes[..$count + usize::from(bit > 0)];
                    assert!(at(exact, bit).chunk::<$count>().is_some());
                    assert!(at(&exact[..exact.len() - 1], bit).chunk::<$count>().is_none());

                    let lead = |out| (0..bit).try_fold(out, |out, _| gen_bit(true)(out));
                    let written = generated(gen_bits(pair(lead, gen_bytes(read)))).unwrap();
                    let end = usize::from(bit) + $count * 8;
                    assert_eq!(text(&written, 0)[..end], "1".repeat(bit.into()) + &text(&read, 0));
                    assert_eq!((written.len(), text(&written, end).find('1')), (end.div_ceil(8), None));
                }
            )*};
        }
        each!(1 2 3 4 7 8 9 12 16 17);
    }

    #[test]
    fn bits_are_read_and_written_one_by_one() {
        both_ways(&hex("80"), (true, false), || bits((bit(), bit())), gen_bits(pair(gen_bit(true), gen_bit(false))));
        let bytes: &[u8] = &[0b1011_0010, 0b0100_0000];
        let mut input = Bits::new(bytes);
        let mut read = String::new();
        for offset in 0..16_u64 {
            assert_eq!(input.offset_from(&Bits::new(bytes)).bits(), offset);
            let (rest, is_set) = bit::<_, ()>().parse_complete(input).unwrap();
            read.push(if is_set { '1' } else { '0' });
            input = rest;
        }
        assert_eq!(read, text(bytes, 0));
        let none: Result<'_, bool> = bit().parse_complete(input);
        assert!(none.is_err());
        let generator = |out| read.chars().try_fold(out, |out, bit| gen_bit(bit == '1')(out));
        assert_eq!(generated(gen_bits(generator)).unwrap(), bytes);
    }

    #[test]
    fn whole_bytes_read_like_any_other() {
        source::tests::reads_like_any_other(&Bits::new(source::tests::BYTES));
        assert!(at(b"abc", 3).part(1).is_none());
    }

    #[test]
    fn bytes_are_lent_from_whole_bytes() {
        let (rest, bytes) = take::<_, ()>(2).parse_complete(at(b"\xffab!", 3)).unwrap();
        assert_eq!((bytes.as_ref(), rest.input, rest.bit), (&b"ab"[..], &b"!"[..], 0));
        assert_eq!(at(b"abc", 3).remaining(), 2);
        assert_eq!(at(b"abc", 0).remaining(), 3);
    }

    /// `padding` of the last 5 bits of a byte, and the notes.
    fn aligned(lenient: bool, byte: u8) -> (std::result::Result<u8, crate::DecodeError>, Vec<(String, Note)>) {
        let mut notes = Vec::new();
        let mut each = |offset: Offset, note| notes.push((offset.to_string(), note));
        let input = [0, byte, 7];
        let checker = Checker::new(&input[..], &mut each);
        let parser = (uint8(), bits((bit(), bit(), bit(), align(lenient))), uint8());
        let result = checker.check(parser).map(|_| 7);
        (result, notes)
    }

    #[test]
    fn padding_is_0_or_noted() {
        let generator = gen_bits(pair(gen_bit(true), gen_align()));
        both_ways(&hex("80"), (true, ()), || bits((bit(), align(false))), generator);
        let error = run(&hex("81")[..], bits((bit(), align(false)))).unwrap_err();
        assert_eq!(error.fault(), &Fault::Padding { found: 1 });
        for lenient in [false, true] {
            assert_eq!(aligned(lenient, 0b1110_0000), (Ok(7), vec![]));
        }
        let (error, notes) = aligned(false, 0b1110_0100);
        let error = error.unwrap_err();
        assert_eq!(
            (error.to_string(), notes.len()),
            ("expected padding of 0, found 0b100, at byte 0x1.3 in padding".to_owned(), 0)
        );
        assert_eq!(aligned(true, 0b1110_0100), (Ok(7), vec![("0x1.3".to_owned(), PADDING)]));
    }

    #[test]
    fn fields_have_their_bits_in_a_tree() {
        let parser = || bits((field("flag", bit()), field("number", uint8()), align(false)));
        let log = Log::default();
        let tree = log.trace(&[0x81, 0x80, 0xff][..], parser());
        let rows: Vec<_> = tree
            .nodes()
            .map(|node| format!("{} {}..{} {:?}", tree.path(&node), node.range.start, node.range.end, node.value))
            .collect();
        assert_eq!(
            rows,
            [r#"flag 0x0..0x0.1 Some("true")"#, r#"number 0x0.1..0x1.1 Some("3")"#, r#"padding 0x1.1..0x2 Some("0")"#,]
        );
        assert_eq!(tree.gap().unwrap().start, 2);
        let log = Log::default();
        let broken = log.trace(&[0x81][..], parser());
        assert_eq!(
            broken.error().unwrap().to_string(),
            "input ends too early: 1 byte needed, 0 left, at byte 0x0.1 in number"
        );
        assert_eq!(broken.gap().unwrap().start, Offset::new(0, 1));
    }

    #[test]
    fn at_a_whole_byte_there_is_no_padding() {
        let log = Log::default();
        let tree = log.trace(&[7][..], bits((field("number", uint8()), align(false))));
        let labels: Vec<_> = tree.nodes().map(|node| tree.path(&node).to_string()).collect();
        assert_eq!((labels, tree.error()), (vec!["number".to_owned()], None));
    }

    #[test]
    fn items_have_their_keys_in_a_tree() {
        let log = Log::default();
        let flag = keyed(field("key", uint8()), field("value", bit()), |key, value| (key, value));
        let tree = log.trace(&[0x03, 0xc0][..], bits((bit(), item(0, flag))));
        let labels: Vec<_> = tree.nodes().map(|node| tree.path(&node).to_string()).collect();
        assert_eq!(labels, ["[0] 7", "[0] 7.key", "[0] 7.value"]);
    }

    /// Two digits, and their length before them.
    fn digits<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vec<u8>, Error = E> {
        let digit = verify(uint8(), |digit| if digit < 10 { Ok(digit) } else { Err(Fault::ReservedBit) });
        length_delimited(uint8::<I, E>(), repeat(2, 1, digit))
    }

    #[test]
    fn a_broken_list_ends_all_that_is_around_it() {
        let bytes = &[2, 1, 2, 2, 3, 200, 2, 5, 6][..];
        let kept = Some(vec![vec![1, 2], vec![3]]);
        assert_eq!(recover(bytes, repeat(3, 3, digits())), kept);
        assert_eq!(recover(bytes, bits(repeat(3, 3, digits()))), kept);
    }

    #[test]
    fn a_stream_is_told_what_is_missing() {
        let mut parser = bits((bit(), uint32::<Be, _, BitError<()>>()));
        assert_eq!(parser.parse(&[0x80, 1][..]), Err(Err::Incomplete(Needed::new(3))));
        assert_eq!(parser.parse(&[0x80, 0, 0, 1, 0x80][..]), Ok((&[][..], (true, 3))));
        assert_eq!(bits(bit::<_, BitError<()>>()).parse(&[][..]), Err(Err::Incomplete(Needed::new(1))));
        assert_eq!(bits(float64::<Be, _, BitError<()>>()).parse(&[0; 7][..]), Err(Err::Incomplete(Needed::new(1))));
    }

    #[test]
    fn the_generators_of_cookie_factory_write_at_any_bit() {
        let generator = tuple((gen_bit(true), slice(b"\x01\x02"), slice([0xff; 9])));
        let bytes = generated(gen_bits(generator)).unwrap();
        assert_eq!(text(&bytes, 0), format!("1{:016b}{}{}", 0x0102, "1".repeat(72), "0".repeat(7)));
    }

    #[test]
    fn bits_that_make_no_byte_stay_where_they_are_when_the_writer_is_flushed() {
        let mut writer = BitWriter::new(io::BufWriter::new(Vec::new()));
        writer.write_all(&[7; 16]).unwrap();
        writer.put(1 << 63, 1).unwrap();
        assert!(writer.writer.get_ref().is_empty());
        writer.flush().unwrap();
        assert_eq!(writer.writer.get_ref(), &[7; 16]);
        writer.finish().unwrap();
        writer.flush().unwrap();
        assert_eq!(writer.writer.get_ref()[16..], [0x80]);
    }

    #[test]
    fn measuring_counts_the_last_byte_too() {
        assert_eq!(measure(gen_bits(tuple((gen_bit(true), gen_uint32::<Be, _>(1))))), Ok(5));
        assert_eq!(measure(pair(gen_bytes([0; 2]), gen_bits(gen_bit(true)))), Ok(3));
    }

    #[test]
    fn errors_of_nom_pass_through() {
        let mut parser = bits((bit(), nom::combinator::fail::<_, (), BitError<Traceback<&[u8]>>>()));
        let Err(Err::Error(error)) = parser.parse_complete(&[0x80][..]) else { panic!("it matched") };
        assert_eq!(error.fault_found(), &Fault::Parser { name: "Fail".to_owned() });
    }

    #[test]
    fn whole_bytes_are_a_part_of_their_own() {
        let bytes = [1, 2, 3];
        let (part, rest) = at(&bytes, 0).part(2).unwrap();
        assert_eq!((part.input, part.bit, rest.input, rest.bit), (&bytes[..2], 0, &bytes[2..], 0));
        assert!(at(&bytes, 0).part(4).is_none() && at(&bytes, 3).part(1).is_none());
    }

    /// A writer of bits may be written to as any other.
    #[test]
    fn a_writer_takes_all_that_it_is_given() {
        struct Flushed(bool);
        impl Write for Flushed {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                self.0 = true;
                Ok(())
            }
        }
        let mut writer = BitWriter::new(Flushed(false));
        assert_eq!([writer.write(b"").unwrap(), writer.write(b"abc").unwrap()], [0, 3]);
        writer.flush().unwrap();
        assert!(writer.writer.0);
    }
}

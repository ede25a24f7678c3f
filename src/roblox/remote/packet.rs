//! Packet 0x83.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::Options;
use super::packet_data::{gen_packet_data, packet_data, PacketData, SMALLEST_DATA};
use crate::error::Radix;
use crate::wire::{
    field, gen_field, gen_repeat, gen_uint8, repeat_until, uint8, unknown, verify, Source, Valued, WireError,
};

/// The first byte of a packet.
pub const PACKET_TYPE: u8 = 0x83;

/// The last byte of a packet.
pub const DELIMITER: u8 = 0x00;

/// A packet: everything that was sent within a short time, in order.
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | packet_type | uint8: 0x83 | Packet Type |
/// | packets | [`PacketData`] | Packet Data 1, Packet Data 2, … |
/// | delimiter | uint8: 0 | Packet Delimiter |
///
/// Nothing separates the data: each begins with its 7. Data have no lengths either, so the bytes after an unknown
/// subtype, event or type of value cannot be interpreted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet<'a> {
    /// The data.
    pub packets: Vec<PacketData<'a>>,
}

impl Packet<'_> {
    /// The same packet, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Packet<'static> {
        Packet { packets: self.packets.into_iter().map(PacketData::into_owned).collect() }
    }
}

impl<'a> FromIterator<PacketData<'a>> for Packet<'a> {
    fn from_iter<T: IntoIterator<Item = PacketData<'a>>>(packets: T) -> Self {
        Packet { packets: packets.into_iter().collect() }
    }
}

impl<'a, const N: usize> From<[PacketData<'a>; N]> for Packet<'a> {
    fn from(packets: [PacketData<'a>; N]) -> Self {
        packets.into_iter().collect()
    }
}

impl<'a> Extend<PacketData<'a>> for Packet<'a> {
    fn extend<T: IntoIterator<Item = PacketData<'a>>>(&mut self, packets: T) {
        self.packets.extend(packets);
    }
}

impl<'a> IntoIterator for Packet<'a> {
    type Item = PacketData<'a>;
    type IntoIter = std::vec::IntoIter<PacketData<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.packets.into_iter()
    }
}

impl<'s, 'a> IntoIterator for &'s Packet<'a> {
    type Item = &'s PacketData<'a>;
    type IntoIter = std::slice::Iter<'s, PacketData<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.packets.iter()
    }
}

impl<'s, 'a> IntoIterator for &'s mut Packet<'a> {
    type Item = &'s mut PacketData<'a>;
    type IntoIter = std::slice::IterMut<'s, PacketData<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.packets.iter_mut()
    }
}

/// Reads a [`Packet`].
///
/// ```
/// use enginewire::roblox::remote::{packet, Options};
/// use enginewire::wire::Traceback;
/// use nom::Parser;
///
/// let mut parser = packet::<_, Traceback<&[u8]>>(Options::new());
/// let bytes = b"\x83\x07\x01\x67\x96\x0b\0\x0b\x70\x01\x59\x89\x0a\0\0\0rest";
/// let (rest, packet) = parser.parse_complete(&bytes[..]).unwrap();
/// assert_eq!((packet.packets[0].event.arguments().len(), rest), (0, &b"rest"[..]));
/// ```
///
/// nom's `parse` is for streams: it returns `Incomplete` where the input ends. If all bytes are there, such as those of a part that
/// was cut out, call `parse_complete`. [`length_delimited`](crate::wire::length_delimited) knows that its part is complete.
///
/// The bytes `83 07 01 67 96 0b 00 0b 70 01 59 89 0a 00 00 00` are one OnServerEvent without arguments. Numbers are big-endian,
/// except for the id of a [`Ref`](super::Ref). Another first byte is refused, data that [`packet_data`] refuses, and a packet
/// without its delimiter.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Packet.
#[inline]
pub fn packet<'a, I, E>(options: Options) -> impl Parser<I, Output = Packet<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    PacketParser { options, error: PhantomData }
}

struct PacketParser<E> {
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for PacketParser<E> {
    type Output = Packet<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Packet<'a>, E> {
        let (rest, _) = packet_type().process::<Valued<OM>>(input)?;
        let packets = repeat_until(DELIMITER, SMALLEST_DATA, packet_data(self.options));
        let (rest, packets) = field("packets", packets).process::<OM>(rest)?;
        let (rest, _) = delimiter().process::<Valued<OM>>(rest)?;
        Ok((rest, OM::Output::map(packets, |packets| Packet { packets })))
    }
}

/// Reads the type of a packet, which must be [`PACKET_TYPE`].
#[inline]
pub(super) fn packet_type<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Byte, Error = E> {
    field("packet_type", always("packet type", PACKET_TYPE))
}

/// Reads the end of a packet. It is there, or the input has ended: anything else begins the next data.
#[inline]
pub(super) fn delimiter<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Byte, Error = E> {
    field("delimiter", always("packet delimiter", DELIMITER))
}

/// A byte with a meaning, formatted in hexadecimal like in the documentation.
pub(super) struct Byte(pub(super) u8);

impl fmt::Debug for Byte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x}", self.0)
    }
}

/// A byte that is always the same.
#[inline]
fn always<I: Source, E: WireError<I>>(what: &'static str, byte: u8) -> impl Parser<I, Output = Byte, Error = E> {
    verify(uint8(), move |found| match found == byte {
        true => Ok(Byte(found)),
        false => Err(unknown(what, Radix::Hexadecimal, found, [byte])),
    })
}

/// Writes a [`Packet`], as [`packet`] reads it. Data that [`gen_packet_data`] refuses are refused.
pub fn gen_packet<'v, W: Write + 'v>(options: Options, packet: &'v Packet<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_uint8(PACKET_TYPE)(out)?;
        let out = gen_field("packets", gen_repeat(&packet.packets, |data| gen_packet_data(options, data)))(out)?;
        gen_uint8(DELIMITER)(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet_data::Event;
    use super::super::reference::Ref;
    use super::super::value::Value;
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn bytes_with_a_meaning_are_shown_as_documented() {
        let tree = super::super::inspect(&[PACKET_TYPE, DELIMITER]);
        let values: Vec<_> =
            tree.nodes().map(|node| (tree.path(&node).to_string(), node.value.map(str::to_owned))).collect();
        let value = |text: &str| Some(text.into());
        assert_eq!(values[0], ("packet_type".to_owned(), value("0x83")));
        assert_eq!(values[2], ("delimiter".to_owned(), value("0x00")));
    }

    #[test]
    fn worked_examples() {
        let data = |arguments| {
            let [remote, player] = [759_399, 690_521].map(|id| Some(Ref::of_server(id)));
            PacketData { remote, event_id: 0x0b70, event: Event::OnServerEvent { player, arguments } }
        };
        for (bytes, packets) in [
            ("83 00", vec![]),
            ("83 07 01 67960b00 0b70 01 59890a00 00 00", vec![data([].into())]),
            (
                "83 07 01 67960b00 0b70 01 59890a00 00 07 01 67960b00 0b70 01 59890a00 02 09 01 01 00",
                vec![data([].into()), data([true.into(), Value::Nil].into())],
            ),
        ] {
            let value = Packet { packets };
            let generator = gen_packet(Options::new(), &value);
            both_ways(&hex(bytes), value.clone(), || packet(Options::new()), generator);
            assert_eq!(value.clone().into_owned(), value);
        }
    }

    #[test]
    fn errors_name_the_part() {
        let error = |bytes: &str| run(&hex(bytes)[..], packet(Options::new())).unwrap_err().to_string();
        assert_eq!(error("84 00"), "unknown packet type 0x84, at byte 0x0 in packet_type");
        assert_eq!(error("83 01"), "unknown packet subtype 0x01, at byte 0x1 in packets[0].subtype");
        assert_eq!(error("83 07 00 0b6f 00"), "input ends too early: 1 byte needed, 0 left, at byte 0x6 in delimiter",);
        assert_eq!(
            error("83 07 00 0b6f 01 1b 00"),
            "input ends too early: 4 bytes needed, 1 left, at byte 0x7 in packets[0].arguments[0].cframe.position.x",
        );
    }
}

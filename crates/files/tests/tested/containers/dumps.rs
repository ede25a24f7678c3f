//! Dumps of Roblox packets as containers.

use arbitrary::Unstructured;
use enginewire::roblox::remote::{self, dump};
use enginewire_files::containers::{ContainerKind, Embedded};

use super::{Shape, TestedContainer};
use crate::support::{list, Codec, RobloxRemote, LARGE};

/// Packets without a separator.
pub(crate) struct Dumps;

/// A packet in each line, in hex.
pub(crate) struct HexDumps;

fn packets(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Vec<u8>>> {
    list(entropy, |entropy| Ok(RobloxRemote::encode(&RobloxRemote::arbitrary(entropy)?).unwrap()))
}

/// A packet with these bytes in a string.
fn packet(bytes: &[u8]) -> Vec<u8> {
    let mut packet = b"\x83\x07\0\x0b\x6f\x01\x02".to_vec();
    let mut length = bytes.len();
    while length > 127 {
        packet.push(length as u8 | 0x80);
        length >>= 7;
    }
    packet.push(length as u8);
    packet.extend(bytes);
    packet.push(0);
    packet
}

/// A packet with a number in it.
const PACKET: &[u8] = b"\x83\x07\0\x0b\x6f\0\0";

impl TestedContainer for Dumps {
    const NAME: &'static str = "dump";
    const KIND: ContainerKind = ContainerKind::Packets;
    // one packet at a time, which may be all there is
    const EACH: usize = 2 * 32;
    const EDIT_EACH: usize = 2 * 32;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let [_, options] = RobloxRemote::options();
        dump::packets(bytes, options).count() as u64 + dump::packets(bytes, remote::Options::new()).count() as u64
    }

    fn value(bytes: &[u8]) -> Vec<u8> {
        packet(bytes)
    }

    /// A change can make a packet of other bytes, so that their address is another.
    fn name(number: usize, _: &Embedded<'_>) -> String {
        number.to_string()
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        Ok(packets(entropy)?.concat())
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("the smallest packets".to_owned(), b"\x83\0".repeat(LARGE / 2)),
            ("nothing but beginnings".to_owned(), vec![0x83; LARGE]),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![Shape { name: "packets", made: |size| PACKET.repeat(size), few: 1000 }]
    }
}

fn hex_lines(packets: &[Vec<u8>]) -> Vec<u8> {
    packets.iter().flat_map(|packet| (data_encoding::HEXLOWER.encode(packet) + "\n").into_bytes()).collect()
}

impl TestedContainer for HexDumps {
    const NAME: &'static str = "dump-hex";
    const KIND: ContainerKind = ContainerKind::PacketLines;
    const EACH: usize = 2 * 32;
    const EDIT_EACH: usize = 2 * 32;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let mut count = 0;
        for line in dump::lines(bytes) {
            count += 1;
            let _ = line.bytes.map(|bytes| drop(remote::decode(&bytes)));
        }
        count
    }

    fn value(bytes: &[u8]) -> Vec<u8> {
        packet(bytes)
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        Ok(hex_lines(&packets(entropy)?))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("one long line".to_owned(), b"83".repeat(LARGE / 2)),
            ("lines without digits".to_owned(), b"\n".repeat(LARGE)),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![Shape { name: "lines", made: |size| hex_lines(&vec![PACKET.to_vec(); size]), few: 1000 }]
    }
}

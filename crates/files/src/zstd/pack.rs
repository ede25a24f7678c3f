//! Writing a zstd frame.

use std::mem::take;

use ruzstd::encoding::{CompressionLevel, FrameCompressor};

use super::matches::Matches;
use super::{header, Block, Frame, Window, BLOCK};
use enginewire::number::to_usize;

/// The most memory that packing takes in addition to the data and the frame, in bytes: for one block, independent of the
/// length of the data.
pub(crate) const PACKING: usize = 2 << 20;

/// A frame of this data, unless it is longer than `most` bytes. Its header has the size of the data, as the reference
/// program writes it. The time is linear.
///
/// Each block is encoded alone. ruzstd 0.9.1 remembers the codes of a block that it then stores uncompressed, and the next
/// block could refer to these codes, which no decoder knows.
pub(crate) fn pack(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let length = u32::try_from(data.len()).ok()?;
    let mut frame = Vec::with_capacity(most);
    // with this window, larger data is unpacked in the memory of a block
    frame.extend(header((length > BLOCK).then_some(Window::BLOCK), length));
    let mut compressor = FrameCompressor::new_with_matcher(Matches::new(), CompressionLevel::Fastest);
    let mut pieces = data.chunks(to_usize(BLOCK)).peekable();
    // `None` without data: it would have no blocks
    pieces.peek()?;
    let mut alone = Vec::new();
    while let Some(piece) = pieces.next() {
        alone.clear();
        compressor.set_source(piece);
        compressor.set_drain(take(&mut alone));
        compressor.compress();
        alone = compressor.take_drain()?;
        let mut rest = &alone[..];
        Frame::next(&mut rest)?;
        let Block { head: [first, second, third], body } = Block::next(&mut rest)?;
        if frame.len().saturating_add(3).saturating_add(body.len()) > most {
            return None;
        }
        let first = if pieces.peek().is_none() { first | 1 } else { first & !1 };
        frame.extend([first, second, third]);
        frame.extend(body);
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use crate::zstd::unpack;
    use allocation_counter::measure;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, prop_oneof, proptest, Just, ProptestConfig, Strategy};
    use ruzstd::encoding::compress_to_vec;

    fn length(data: &[u8]) -> u32 {
        u32::try_from(data.len()).unwrap()
    }

    fn packed(data: &[u8]) -> Vec<u8> {
        let frame = pack(data, usize::from(u16::MAX) * 16).unwrap();
        assert_eq!(unpack(&frame, length(data)).as_deref(), Ok(data));
        frame
    }

    /// Numbers without order.
    fn random(seed: u32) -> impl Iterator<Item = u8> {
        let numbers = std::iter::successors(Some(seed), |number| {
            Some(number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        });
        numbers.map(|number| number.to_be_bytes()[0])
    }

    /// Blocks of one byte that repeats, of bytes as they are, and of sequences.
    #[test]
    fn a_frame_says_how_long_its_data_is() {
        assert_eq!(packed(&[7; 1000]), hex("28b52ffd a0 e8030000  431f00 07"));
        let two = vec![7; to_usize(BLOCK) + 2];
        assert_eq!(packed(&two[..two.len() - 2]), hex("28b52ffd a0 00000200  030010 07"));
        // a window of 128 KiB
        assert_eq!(packed(&two), hex("28b52ffd 80 38 02000200  020010 07  130000 07"));
        assert_eq!(packed(b"abc"), hex("28b52ffd a0 03000000  190000 616263"));
        let data = [&b"abcdefghi"[..], &b"jklmnopqrstuvwxyz".repeat(20)].concat();
        let frame = packed(&data);
        assert_eq!(frame[9] & 7, 5);
        assert!(frame.len() < 70, "{frame:02x?}");
        assert_eq!(pack(b"", 100), None);
    }

    #[test]
    fn a_frame_that_is_too_long_is_none() {
        let random: Vec<u8> = random(1).take(300_000).collect();
        for data in [&[7; 1000][..], b"abc", &random] {
            let frame = pack(data, 1 << 20).unwrap();
            assert_eq!(pack(data, frame.len()).as_ref(), Some(&frame));
            for most in [0, 5, frame.len() - 1] {
                assert_eq!(pack(data, most), None);
            }
        }
    }

    /// Data that make the encoder take the most memory.
    #[test]
    fn memory_is_that_of_a_block() {
        let words: Vec<Vec<u8>> = (0..4000).map(|seed| random(seed).skip(3).take(5).collect()).collect();
        let mut places = random(2);
        let mut place = || usize::from(places.next().unwrap()) << 8 | usize::from(places.next().unwrap());
        let few: Vec<u8> = random(3).map(|byte| byte & 3).take(1 << 20).collect();
        let many = (0..1 << 18).flat_map(|_| &words[place() % 4000]).copied().take(1 << 20).collect::<Vec<u8>>();
        for data in [few, many, random(4).take(1 << 20).collect(), vec![0; 1 << 20]] {
            for data in [&data[..], &data[..1 << 17], &data[..1000]] {
                let most = data.len() + 100;
                let peak = measure(|| drop(pack(data, most))).bytes_max;
                assert!(to_usize(peak) <= most + PACKING, "{peak} bytes for {}", data.len());
            }
        }
    }

    /// Values of attributes take less than with the matcher of ruzstd.
    #[test]
    fn repetitions_are_found() {
        let mut data = Vec::new();
        for (number, byte) in (0..2000u32).zip(random(5)) {
            data.extend(b"\x3a\0\0\0\x02\0\0\0\x06\0\0\0Health\x06");
            data.extend(f64::from(byte).to_le_bytes());
            data.extend(format!("\x05\0\0\0Owner\x02\x11\0\0\0player number {:03}", number % 700).bytes());
        }
        let (own, other) = (packed(&data).len(), compress_to_vec(&data[..], CompressionLevel::Fastest).len());
        assert!(own * 20 < other * 19, "{own} and {other} bytes");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// The data may also end shortly before or after the end of a block.
        #[test]
        fn frames_unpack_to_the_data(
            pieces in vec((vec(any::<u8>(), 0..40), 1usize..3000, 0usize..3000, 0u32..8), 0..40),
            size in 0usize..200_000,
            end in prop_oneof![Just(None), (0usize..6).prop_map(Some)],
        ) {
            let mut data = Vec::new();
            for (literals, distance, length, bits) in pieces {
                data.extend(literals.iter().map(|byte| byte >> bits));
                let from = data.len().saturating_sub(distance);
                let copied: Vec<u8> = data[from..].iter().copied().cycle().take(length).collect();
                data.extend(copied);
            }
            let more = data.clone().into_iter().cycle().take(size);
            data.extend(more);
            if let Some(end) = end {
                data.truncate(to_usize(BLOCK - 3).saturating_add(end));
            }
            if let Some(frame) = pack(&data, 1 << 20) {
                prop_assert_eq!(unpack(&frame, length(&data)), Ok(data));
            }
        }
    }
}

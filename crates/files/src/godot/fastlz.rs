//! FastLZ blocks, of both levels.
//!
//! | field | |
//! |---|---|
//! | control | 1 byte; the upper three bits of the first are the level less 1, and count as 0 after that |
//! | literals | if control < 32: control + 1 bytes, and the instruction ends here |
//! | more of the length | if the upper three bits are 7: level 1: 1 byte; level 2: bytes up to the first that is not 255 |
//! | distance | 1 byte, below the lower five bits of control; the distance is one more |
//! | far distance | level 2, if those 13 bits are all 1: 2 bytes, big-endian; the distance is 8,192 more |
//!
//! A copy is the upper three bits + 2 bytes long, and more by the sum of the bytes of the length. It may overlap itself.

use crate::zstd::next;

/// The shortest data that level 2 is used for, in bytes.
pub(super) const LEVEL_2: usize = 65_536;

/// The most bytes that a block of `stored` bytes can unpack to: one byte of a length makes at most 255 bytes of data.
pub(super) fn most(stored: u64) -> u64 {
    stored.saturating_mul(255).saturating_add(64)
}

/// The number of distances that two bytes are enough for in level 2, and one less than in level 1.
const NEAR: usize = 8191;

/// The largest distance in level 2.
const FAR: usize = NEAR + 1 + 0xffff;

/// The shortest copies that take fewer bytes than their literals: at near and at far distances.
const SHORTEST: (usize, usize) = (3, 5);

/// Appends the data of a block to `data`, which is at most `most` bytes long. After an error the data before it is there.
pub(super) fn unpack(mut body: &[u8], most: usize, data: &mut Vec<u8>) -> Result<(), &'static str> {
    const CUT: &str = "it ends inside an instruction";
    let start = data.len();
    let end = start.saturating_add(most);
    let [first] = next(&mut body).ok_or("it is empty")?;
    let is_level_2 = match first >> 5 {
        0 => false,
        1 => true,
        _ => return Err("its level is neither 1 nor 2"),
    };
    let mut control = first & 31;
    loop {
        let room = end.saturating_sub(data.len());
        if control < 32 {
            let (literals, rest) = body.split_at_checked(usize::from(control).saturating_add(1)).ok_or(CUT)?;
            data.extend(literals.get(..room).unwrap_or(literals));
            if literals.len() > room {
                return Err("it unpacks to more bytes than expected");
            }
            body = rest;
        } else {
            let mut length = usize::from(control >> 5).saturating_add(2);
            while length >= 9 {
                let [more] = next(&mut body).ok_or(CUT)?;
                length = length.saturating_add(more.into());
                if !is_level_2 || more != 255 {
                    break;
                }
            }
            let [low] = next(&mut body).ok_or(CUT)?;
            let mut distance = usize::from(u16::from_be_bytes([control & 31, low])).saturating_add(1);
            if is_level_2 && distance > NEAR {
                let far = next(&mut body).ok_or(CUT)?;
                distance = distance.saturating_add(u16::from_be_bytes(far).into());
            }
            let from = data.len().checked_sub(distance).filter(|from| *from >= start);
            let from = from.ok_or("a copy begins before the data")?;
            let mut left = length.min(room);
            while left > 0 {
                // what was copied before can be copied again
                let piece = left.min(data.len().saturating_sub(from));
                data.extend_from_within(from..from.saturating_add(piece));
                left = left.saturating_sub(piece);
            }
            if length > room {
                return Err("it unpacks to more bytes than expected");
            }
        }
        match next(&mut body) {
            Some([next]) => control = next,
            None => return Ok(()),
        }
    }
}

/// A block of this data: level 1 for less than [`LEVEL_2`] bytes, else level 2. The time is linear.
pub(super) fn pack(data: &[u8]) -> Vec<u8> {
    let is_level_2 = data.len() >= LEVEL_2;
    let farthest = if is_level_2 { FAR } else { NEAR.saturating_add(1) };
    let mut block = Vec::new();
    // the last place of each hash, plus 1; 0 for none
    let mut places = vec![0usize; 1 << 13];
    let (mut at, mut literals) = (0usize, 0usize);
    while let Some(key) = data.get(at..).and_then(<[u8]>::first_chunk::<3>) {
        let place = places.get_mut(hash(*key)).map(|place| std::mem::replace(place, at.saturating_add(1)));
        let found = place.and_then(|place| place.checked_sub(1)).and_then(|from| {
            let distance = at.checked_sub(from).filter(|distance| *distance <= farthest)?;
            let (before, here) = (data.get(from..)?, data.get(at..)?);
            let length = before.iter().zip(here).take_while(|(before, here)| before == here).count();
            let shortest = if distance > NEAR && is_level_2 { SHORTEST.1 } else { SHORTEST.0 };
            (length >= shortest).then_some((distance, length))
        });
        let Some((distance, length)) = found else {
            at = at.saturating_add(1);
            continue;
        };
        put_literals(&mut block, data.get(literals..at).unwrap_or_default());
        put_copies(&mut block, is_level_2, distance, length);
        at = at.saturating_add(length);
        literals = at;
    }
    put_literals(&mut block, data.get(literals..).unwrap_or_default());
    if let (true, Some(first)) = (is_level_2, block.first_mut()) {
        *first |= 1 << 5;
    }
    block
}

/// A number below 2^13 for three bytes.
fn hash([a, b, c]: [u8; 3]) -> usize {
    usize::try_from(u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9e37_79b1) >> 19).unwrap_or_default()
}

fn put_literals(block: &mut Vec<u8>, literals: &[u8]) {
    for literals in literals.chunks(32) {
        block.push(u8::try_from(literals.len().saturating_sub(1)).unwrap_or_default());
        block.extend_from_slice(literals);
    }
}

/// Puts one copy, or several if it is too long for one of level 1. A rest that is too short for a copy of its own is left by
/// the one before it.
fn put_copies(block: &mut Vec<u8>, is_level_2: bool, distance: usize, mut length: usize) {
    const LONGEST: usize = 264;
    let is_far = is_level_2 && distance > NEAR;
    let [high, low] = if is_far { [31, 255] } else { short(distance.saturating_sub(1)) };
    while length > 0 {
        let piece = match length {
            _ if is_level_2 => length,
            0..=LONGEST => length,
            _ => LONGEST.min(length.saturating_sub(SHORTEST.0)),
        };
        length = length.saturating_sub(piece);
        match u8::try_from(piece.saturating_sub(2)) {
            Ok(short @ 0..=6) => block.extend([short << 5 | high, low]),
            _ => {
                block.push(7 << 5 | high);
                let mut more = piece.saturating_sub(9);
                while is_level_2 && more >= 255 {
                    block.push(255);
                    more = more.saturating_sub(255);
                }
                block.extend([u8::try_from(more).unwrap_or(255), low]);
            }
        }
        if is_far {
            block.extend(short(distance.saturating_sub(NEAR).saturating_sub(1)));
        }
    }
}

/// A number below 2^16 in two bytes.
fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    fn unpacked(block: &[u8], most: usize) -> Result<Vec<u8>, &'static str> {
        let mut data = b"before".to_vec();
        let result = unpack(block, most, &mut data);
        assert!(data.starts_with(b"before"));
        let data = data.split_off(6);
        assert!(data.len() <= most);
        result.map(|()| data)
    }

    /// The first two are from Godot 3.2.3: 16 zeros, and `t` with 15 zeros.
    #[test]
    fn blocks_of_the_engine() {
        assert_eq!(unpacked(&hex("01 0000 e00201 02 000000"), 16), Ok(vec![0; 16]));
        assert_eq!(unpacked(&hex("0f 74000000000000000000000000000000"), 16).unwrap()[..2], *b"t\0");
    }

    /// Distances and lengths at both sides of every limit.
    #[test]
    fn instructions_at_their_limits() {
        // level 1: 8,192 is the farthest; level 2: 8,191 is near, 8,192 and 73,727 are far
        for (zeros, distance, added) in [
            (0, 8191, 3),
            (0, 8192, 3),
            (0, 8193, 10),
            (LEVEL_2, 8191, 3),
            (LEVEL_2, 8192, 5),
            (LEVEL_2, FAR, 5),
            (LEVEL_2, FAR + 1, 10),
        ] {
            let mut data = [&vec![0; zeros][..], b"abcdefghi", &vec![0; distance - 9]].concat();
            let before = pack(&data).len();
            data.extend(b"abcdefghi");
            let block = pack(&data);
            assert_eq!((block.len() - before, unpacked(&block, data.len())), (added, Ok(data)), "{distance}");
        }
        for (head, more) in [("00 61", 0), ("20 61", 1)] {
            let far = unpacked(&[hex(head), hex("3f ff")].concat(), 99);
            assert_eq!(far, Err(["a copy begins before the data", "it ends inside an instruction"][more]));
        }
        for length in (1..12).chain(250..300).chain(500..540) {
            for size in [0, LEVEL_2] {
                let mut data = vec![7; length];
                data.extend(random().take(size));
                assert_eq!(unpacked(&pack(&data), data.len()), Ok(data), "{length}");
            }
        }
        assert_eq!(pack(&[0; LEVEL_2]).len(), 2 + 1 + (LEVEL_2 - 1 - 9) / 255 + 1 + 1);
        assert_eq!(unpacked(&hex("20 61 e0 ff 02 00"), 1000), Ok(vec![b'a'; 1 + 9 + 257]));
    }

    #[test]
    fn exact_errors() {
        for (block, error) in [
            ("", "it is empty"),
            ("40 61", "its level is neither 1 nor 2"),
            ("01 61", "it ends inside an instruction"),
            ("00 61 e0 00", "it ends inside an instruction"),
            ("20 61 e0 ff ff", "it ends inside an instruction"),
            ("00 61 20 01", "a copy begins before the data"),
            ("00 61 e0 ff 00", "it unpacks to more bytes than expected"),
            ("02 616161 0f 62626262626262626262626262626262", "it unpacks to more bytes than expected"),
        ] {
            assert_eq!(unpacked(&hex(block), 16), Err(error), "{block}");
        }
        let mut data = Vec::new();
        assert!(unpack(&hex("00 61 20 00 e0 20 01"), 40, &mut data).is_err());
        // what was before the error is there
        assert_eq!(data, [b'a'; 40]);
    }

    /// Numbers without order.
    fn random() -> impl Iterator<Item = u8> {
        let numbers =
            std::iter::successors(Some(1u32), |n| Some(n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)));
        numbers.map(|number| number.to_be_bytes()[0])
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(pieces in vec((vec(any::<u8>(), 1..40), 1usize..9), 0..60), times in 1usize..300) {
            let mut data: Vec<u8> = pieces.iter().flat_map(|(piece, times)| piece.repeat(*times)).collect();
            data = data.repeat(times);
            data.truncate(200_000);
            if !data.is_empty() {
                let block = pack(&data);
                prop_assert!(to_most(&block) >= data.len());
                prop_assert_eq!(unpacked(&block, data.len()), Ok(data));
            }
        }

        #[test]
        fn random_bytes_never_panic(block in vec(any::<u8>(), 0..300), limit in 0usize..3000) {
            let data = unpacked(&block, limit).unwrap_or_default();
            prop_assert!(data.len() <= to_most(&block));
        }
    }

    fn to_most(block: &[u8]) -> usize {
        usize::try_from(most(u64::try_from(block.len()).unwrap())).unwrap()
    }
}

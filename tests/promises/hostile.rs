//! Promise: no panic and no abort on any input. Memory is measured in `memory.rs`.

use enginewire::roblox::attributes::{check, decode, decode_with, inspect, Options, TypeId};
use enginewire::{Fault, Limits};
use pretty_assertions::assert_eq;

use crate::support::properties::chunking_with;
use crate::support::{hex, RobloxAttributes, FORMATS};

/// One level of containers takes five bytes.
#[test]
fn nesting_without_end() {
    for container in ["07 01 00 00 00", "08 01 00 00 00 00 00 00 00"] {
        let mut bytes = hex("01 00 00 00 01 00 00 00 61");
        bytes.extend(hex(container).repeat(100_000));
        FORMATS.iter().for_each(|format| format.hold_all(&bytes[..20_000]));
        let error = decode(&bytes).unwrap_err();
        assert_eq!(error.fault(), &Fault::TooDeep { limit: Limits::DEFAULT_DEPTH });
        for depth in [0, 1, Limits::MAX_DEPTH, u16::MAX] {
            let limits = Limits::new().with_depth(depth);
            let error = decode_with(&bytes, &Options::new().limits(limits)).unwrap_err();
            assert_eq!(error.fault(), &Fault::TooDeep { limit: depth.min(Limits::MAX_DEPTH) });
        }
    }
}

/// Everything that recurses, at the deepest limit, with the stack of an ordinary thread.
#[test]
fn the_deepest_nesting_fits_a_thread_of_2_mib() {
    for format in FORMATS {
        let work = move || {
            let [deepest, deeper] = (format.deepest)();
            assert!((format.is_valid)(&deepest) && !(format.is_valid)(&deeper));
            format.hold_all(&deepest);
            format.hold_all(&deeper);
            (format.depths)();
        };
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
    }
}

/// The error for a string that is cut has its full length. If the count of items times their size does not fit in 32
/// bits, it must not wrap around: for the second count of each type, the product is 2³² plus the number of bytes that
/// are present.
#[test]
fn lengths_beyond_32_bits() {
    let error = decode(&hex("01 00 00 00 01 00 00 00 61 02 ff ff ff ff 62")).unwrap_err();
    assert_eq!(error.fault(), &Fault::Truncated { needed: u32::MAX.into(), left: 1 });
    for (id, count, present) in [
        (TypeId::NumberSequence, u32::MAX, 24),
        (TypeId::NumberSequence, 0x1555_5556, 8),
        (TypeId::ColorSequence, u32::MAX, 40),
        (TypeId::ColorSequence, 0x0ccc_cccd, 4),
    ] {
        let mut bytes = hex("01 00 00 00 01 00 00 00 61");
        bytes.push(id.id());
        bytes.extend(count.to_le_bytes());
        bytes.resize(bytes.len() + present, 0);
        let error = decode(&bytes).unwrap_err();
        assert_eq!(error.fault(), &Fault::Truncated { needed: 4, left: 0 });
        assert_eq!(error.offset(), bytes.len() as u64);
        assert_eq!(check(&bytes).unwrap_err(), error);
        chunking_with::<RobloxAttributes>(&bytes, &Options::new());
    }
}

/// Every type, with every byte of its layout missing or all bits set.
#[test]
fn every_type_cut_and_overflowing() {
    for id in 0..=u8::MAX {
        // what follows an unknown type is not looked at
        let lengths = if TypeId::from_id(id).is_some() { 0..60 } else { 7..8 };
        for length in lengths {
            for filler in [0x00, 0xff] {
                let mut bytes = hex("02 00 00 00 01 00 00 00 61");
                bytes.push(id);
                bytes.extend(vec![filler; length]);
                let result = decode(&bytes);
                assert!(result.is_err());
                if TypeId::from_id(id).is_none() {
                    assert_eq!(result.unwrap_err().offset(), 9);
                }
                assert!(check(&bytes).is_err() && inspect(&bytes).error().is_some());
            }
        }
    }
}

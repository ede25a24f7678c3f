//! Promise: no surprise memory. The peak is at most a constant and a small multiple of the input, whatever the input
//! says; checking allocates nothing.
//!
//! | what | peak |
//! |---|---|
//! | decode | 64 KiB + 32 × input |
//! | streaming decoder | 64 KiB + 2 × the largest item, and what decoding that item takes if containers nest in it |
//! | check | nothing |
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)] // a test that fails may as well panic

mod support;

use enginewire::roblox::attributes::{self, Decoder, Options};
use enginewire::Limits;
use support::hex;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const CONSTANT: usize = 64 * 1024;

/// The peak memory of `work` in bytes, and its number of allocations.
fn peak(work: impl FnOnce()) -> (usize, u64) {
    let profiler = dhat::Profiler::builder().testing().build();
    work();
    let stats = dhat::HeapStats::get();
    drop(profiler);
    (stats.max_bytes, stats.total_blocks)
}

fn entry(value: &[u8]) -> Vec<u8> {
    [&[1, 0, 0, 0, 1, 0, 0, 0, b'a'], value].concat()
}

/// Inputs that ask for as much memory as they can.
fn hostile() -> Vec<(String, Vec<u8>)> {
    let mut inputs = vec![
        ("14 bytes that ask for 51 GB".to_owned(), entry(&hex("17 ff ff ff ff"))),
        ("14 bytes that ask for 69 GB".to_owned(), entry(&hex("19 ff ff ff ff"))),
        ("a count without entries".to_owned(), hex("ff ff ff ff")),
    ];
    let megabyte = 1 << 20;
    let smallest = hex("00 00 00 00 03 01").repeat(megabyte / 6);
    let length = u32::try_from(megabyte / 6).unwrap().to_le_bytes();
    inputs.push(("the smallest entries".to_owned(), [&length[..], &smallest].concat()));
    inputs.push(("the smallest entries, and one too few".to_owned(), [&[0xff; 4][..], &smallest].concat()));
    let bools = hex("03 01").repeat(megabyte / 2);
    for (name, count) in [("exactly", 1 << 19), ("with a count too great", u32::MAX)] {
        let head = [&[7][..], &count.to_le_bytes()].concat();
        inputs.push((format!("the smallest elements, {name}"), entry(&[&head[..], &bools].concat())));
    }
    for count in [1u32, 20, 100, 100_000, u32::MAX] {
        let head = [&[7][..], &count.to_le_bytes()].concat();
        let nested = entry(&[&head.repeat(63)[..], &bools].concat());
        inputs.push((format!("63 arrays in each other, each of {count}"), nested.clone()));
        inputs.push((format!("63 arrays in each other, each of {count}, cut"), nested[..1000].to_vec()));
        inputs.push((format!("arrays without end, each of {count}"), entry(&head.repeat(50_000))));
        let head = [&[8][..], &count.to_le_bytes(), &[0; 4]].concat();
        inputs.push((format!("dictionaries without end, each of {count}"), entry(&head.repeat(50_000))));
    }
    inputs
}

/// All in one test: the profiler sees the whole process.
#[test]
fn memory_is_bounded_by_the_input() {
    let deepest = Options::new().limits(Limits::new().with_depth(Limits::MAX_DEPTH));
    for (name, bytes) in hostile() {
        for options in [Options::new(), deepest] {
            let (peak, _) = peak(|| drop(attributes::decode_with(&bytes, &options)));
            assert!(peak <= CONSTANT + 32 * bytes.len(), "decode, {name}: {peak} for {}", bytes.len());
        }
        let item = bytes.len();
        let (peak, _) = self::peak(|| {
            let mut decoder = Decoder::new();
            for piece in bytes.chunks(4096) {
                decoder.push(piece);
                while let Some(entry) = decoder.next() {
                    drop(entry);
                }
            }
        });
        assert!(peak <= CONSTANT + (2 + 32) * item, "decoder, {name}: {peak} for {item}");
    }

    // many entries of which the largest is small
    let string = [&hex("01 00 00 00 61 02 40 1f 00 00")[..], &[b's'; 8000]].concat();
    let many = [&1000u32.to_le_bytes()[..], &string.repeat(1000)].concat();
    let (peak, _) = self::peak(|| {
        let mut decoder = Decoder::new();
        let mut entries = 0;
        for piece in many.chunks(1000) {
            decoder.push(piece);
            while let Some(entry) = decoder.next() {
                entry.unwrap();
                entries += 1;
            }
        }
        decoder.finish().unwrap();
        assert_eq!(entries, 1000);
    });
    assert!(peak <= CONSTANT + 2 * string.len(), "decoder: {peak} for items of {}", string.len());

    // one large string
    let large = [&hex("01 00 00 00 61 02 00 00 80 00")[..], &vec![b's'; 8 << 20]].concat();
    let (peak, _) = self::peak(|| {
        let mut decoder = Decoder::new();
        decoder.push(&[1, 0, 0, 0]);
        for piece in large.chunks(1000) {
            decoder.push(piece);
        }
        assert!(decoder.next().is_some());
    });
    assert!(peak <= CONSTANT + 2 * large.len(), "decoder: {peak} for an item of {}", large.len());

    for blob in
        support::fixtures().iter().map(|blob| &blob.bytes).chain([&many, &entry(&hex("07 01 00 00 00 07 00 00 00 00"))])
    {
        let (_, blocks) = self::peak(|| assert!(attributes::check(blob).is_ok()));
        assert_eq!(blocks, 0, "check");
    }
    let (_, blocks) = self::peak(|| drop(attributes::decode(&many).unwrap()));
    assert_eq!(blocks, 1, "decode borrows all but the list of entries");
}

//! Promise: no surprise memory. The peak is at most a constant and a small multiple of the input, whatever sizes the
//! input declares; checking allocates nothing. The property `decode` measures it for any input; the inputs here ask for
//! the most memory.
//!
//! | what | peak |
//! |---|---|
//! | decode, with and without its input | 64 KiB + 32 × input |
//! | streaming decoder | 64 KiB + 2 × the largest item, 3 × while its buffer grows; and what decoding that item takes if containers nest in it |
//! | check | nothing |

use allocation_counter::measure;
use enginewire::roblox::attributes::{self, Decoder};

use crate::support::properties::CONSTANT;
use crate::support::{every, hex, FORMATS};

#[test]
fn hostile_input_gets_no_more_than_any_other() {
    for format in FORMATS {
        for (name, bytes) in (format.hostile)().into_iter().step_by(every(3)) {
            let (peak, size) = ((format.memory)(&bytes), bytes.len());
            println!("{:5.2} × {size} bytes: {}, {name}", peak as f64 / size as f64, format.name);
            if bytes.len() <= 2000 {
                format.hold_all(&bytes);
            } else {
                format.hold("decode", &bytes);
            }
        }
    }
}

/// A value that keeps its input takes two more small blocks, and no copy of the input. It returns the input at the same
/// address.
#[test]
fn an_input_that_is_kept_is_not_copied() {
    let string = [&hex("01 00 00 00 61 02 40 1f 00 00")[..], &[b's'; 8000]].concat();
    let many = [&100u32.to_le_bytes()[..], &string.repeat(100)].concat();
    let place = many.as_ptr();
    let mut kept = None;
    let blocks = measure(|| kept = Some(attributes::decode_owned(many).unwrap()));
    assert_eq!(blocks.count_total, 3, "{blocks:?}");
    let kept = kept.unwrap();
    assert_eq!(measure(|| drop(kept.clone())).count_total, 0);
    assert_eq!(kept.value().entries().len(), 100);
    let many = kept.into_bytes();
    assert_eq!(many.as_ptr(), place);
}

#[test]
fn a_stream_keeps_one_item_at_a_time() {
    let string = [&hex("01 00 00 00 61 02 40 1f 00 00")[..], &[b's'; 8000]].concat();
    let many = [&1000u32.to_le_bytes()[..], &string.repeat(1000)].concat();
    let peak = measure(|| {
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
    assert!(peak.bytes_max <= (CONSTANT + 2 * string.len()) as u64, "{peak:?} for items of {}", string.len());
    let borrowed = measure(|| drop(attributes::decode(&many).unwrap()));
    assert_eq!(borrowed.count_total, 1, "decode borrows all but the list of entries");
}

#[test]
fn a_large_item_is_kept_once() {
    let large = [&hex("01 00 00 00 61 02 00 00 80 00")[..], &vec![b's'; 8 << 20]].concat();
    let peak = measure(|| {
        let mut decoder = Decoder::new();
        decoder.push(&[1, 0, 0, 0]);
        for piece in large.chunks(1000) {
            decoder.push(piece);
        }
        assert!(decoder.next().is_some());
    });
    assert!(peak.bytes_max <= (CONSTANT + 3 * large.len()) as u64, "{peak:?} for an item of {}", large.len());
}

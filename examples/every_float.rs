//! Every number of 32 bits, written as JSON and read back. It takes some minutes on two cores.
//!
//! Run with `cargo run --release --features json --example every_float`.

use std::error::Error;
use std::io::Write;
use std::thread;

use enginewire::json::Member;

const CORES: u32 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let parts: Vec<_> = (0..CORES).map(|first| thread::spawn(move || changed(first))).collect();
    let mut out = std::io::stdout().lock();
    let mut lost = false;
    for part in parts {
        for bits in part.join().map_err(|_| "a thread panicked")? {
            lost = true;
            writeln!(out, "{bits:#010x} comes back as another number")?;
        }
    }
    if lost {
        return Err("not every number comes back".into());
    }
    writeln!(out, "every number comes back, bit by bit")?;
    Ok(())
}

/// The numbers of one part that come back changed.
fn changed(first: u32) -> Vec<u32> {
    let mut text = Vec::new();
    let mut comes_back = |bits: &u32| {
        text.clear();
        let written = f32::from_bits(*bits).to_json(&mut serde_json::Serializer::new(&mut text));
        let read = f32::from_json(&mut serde_json::Deserializer::from_slice(&text));
        written.is_ok() && read.is_ok_and(|number| number.to_bits() == *bits)
    };
    (first..=u32::MAX).step_by(usize::try_from(CORES).unwrap_or(1)).filter(|bits| !comes_back(bits)).collect()
}

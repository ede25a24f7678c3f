//! Every number of 32 bits, written as JSON and read back: by this library, by a reader of 32 bits, and by a reader of 64 bits
//! whose result is rounded to 32 bits, as in Python or JavaScript. It takes some minutes on two cores.
//!
//! Run with `cargo run --release --example every_float`.

use std::error::Error;
use std::io::Write;
use std::thread;

use enginewire::json;

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
        let written = serde_json::to_writer::<_, dyn json::Give>(&mut text, &f32::from_bits(*bits));
        let read = json::read_member::<f32>(json::Input::Text(&text), 1);
        written.is_ok() && read.is_ok_and(|number| number.to_bits() == *bits) && others_read(&text, *bits)
    };
    (first..=u32::MAX).step_by(usize::try_from(CORES).unwrap_or(1)).filter(|bits| !comes_back(bits)).collect()
}

/// True if readers of 32 and of 64 bits read a text as this number. NaN and infinities must be a text or an object instead.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what such a reader does
fn others_read(text: &[u8], bits: u32) -> bool {
    if !f32::from_bits(bits).is_finite() {
        return text.starts_with(b"\"") || text.starts_with(b"{");
    }
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let narrow = text.parse().map(f32::to_bits);
    let wide = text.parse().map(|number: f64| (number as f32).to_bits());
    narrow == Ok(bits) && wide == Ok(bits)
}

//! Sizes of memory in their usual notation: `64K`, `256M`.

pub use enginewire_files::scan::size_text;

/// The units of a size.
const UNITS: [(char, usize); 3] = [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

/// The error for anything else.
const EXPECTED: &str = "expected a size such as 64K";

/// Parses a number of bytes, such as `64K`.
pub fn size(text: &str) -> Result<usize, String> {
    let of_unit =
        |(letter, unit): (char, usize)| Some((text.strip_suffix([letter, letter.to_ascii_lowercase()])?, unit));
    let (digits, unit) = UNITS.into_iter().find_map(of_unit).unwrap_or((text, 1));
    let number: usize = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    number.checked_mul(unit).filter(|size| *size > 0).ok_or_else(|| EXPECTED.to_owned())
}

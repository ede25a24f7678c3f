//! Sizes of memory as people write them: `64K`, `256M`.

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

/// Formats a size as [`size`] parses it.
pub fn size_text(bytes: usize) -> String {
    let unit = UNITS.into_iter().find(|(_, unit)| bytes.checked_rem(*unit) == Some(0));
    match unit {
        Some((letter, unit)) => format!("{}{letter}", bytes.checked_div(unit).unwrap_or_default()),
        None => format!("{bytes} bytes"),
    }
}

//! Real numbers in texts. Engines do not always read the number that is nearest to the digits.

use crate::float::Float;

/// The digits that count; more are left out.
const DIGITS: usize = 18;

/// The powers of ten that an exponent is made of, by its bits.
const POWERS: [f64; 9] = [1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256];

/// The largest exponent.
const MOST: u32 = 511;

/// The number that engines read in digits with a point or an exponent: the first 18 of them, zeros too, multiplied with or divided by a
/// power of ten, and rounded each time.
pub(super) fn read(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) =
        digits.trim_start_matches('-').split_once('.').unwrap_or((digits.trim_start_matches('-'), ""));
    let counted: String = whole.chars().chain(fraction.chars()).take(DIGITS).collect();
    let (high, low) = counted.split_at_checked(counted.len().saturating_sub(9)).unwrap_or_default();
    let [high, low] = [high, low].map(|part| f64::from(part.parse::<u32>().unwrap_or_default()));
    let size = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let end = if exponent.starts_with('-') { i32::MIN } else { i32::MAX };
    let exponent = exponent.parse().unwrap_or(end).saturating_add(size(whole).saturating_sub(size(&counted)));
    let bits = exponent.unsigned_abs().min(MOST);
    let scale =
        (0..).zip(POWERS).filter(|(bit, _)| (bits >> bit) & 1 == 1).fold(1.0, |scale, (_, power)| scale * power);
    let number = if exponent < 0 { (1e9 * high + low) / scale } else { (1e9 * high + low) * scale };
    match () {
        // 0 with a power that is infinite
        () if number.is_nan() => f64::NAN,
        () if digits.starts_with('-') => -number,
        () => number,
    }
}

/// The text that engines read as the number nearest to these digits: the digits, or more of them. One in some hundred numbers, and most
/// below 1e-290, have no such text: these keep their digits. A number of 32 bits is rounded after it was read.
pub(super) fn written(digits: &str, is_single: bool) -> String {
    let wanted = digits.parse::<f64>().unwrap_or_default();
    let is_read = |text: &String| match is_single {
        true => f32::nearest(read(text)).bits() == digits.parse().unwrap_or(f32::NAN).bits(),
        false => read(text).bits() == wanted.bits(),
    };
    let more = (14..DIGITS).map(|places| format!("{wanted:.places$e}"));
    // the neighbours of 17 and 18 digits, which are multiples of 2 and 16 in 64 bits
    let near = [(16, 2), (17, 16)].into_iter().flat_map(|(places, unit)| {
        let text = format!("{:.places$e}", wanted.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.replace('.', "").parse::<u64>().unwrap_or_default();
        let (sign, exponent) = (if digits.starts_with('-') { "-" } else { "" }, exponent.to_owned());
        (-16..=16i64).map(move |step| {
            let near = mantissa.saturating_add_signed(step.saturating_mul(unit)).to_string();
            let (first, rest) = near.split_at_checked(1).unwrap_or_default();
            format!("{sign}{first}.{rest}e{exponent}")
        })
    });
    let same = || digits.to_owned();
    [same()].into_iter().chain(more).chain(near).find(is_read).unwrap_or_else(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    /// As 3.2.3, 3.6.2 and 4.6.3 read them.
    #[test]
    fn digits_are_read_as_by_the_engine() {
        for (text, number) in [
            ("0.1", 0.1),
            ("-2.5e3", -2500.0),
            ("1e400", f64::INFINITY),
            ("1e-99999999999", 0.0),
            ("5e-324", 0.0),
            ("3.124560e+55", f64::from_bits(0x4b74_6382_3141_d0a5)),
            ("744.40164972583562314", f64::from_bits(0x4087_4336_9421_a74b)),
        ] {
            assert_eq!(read(text), number, "{text}");
        }
        assert_eq!(read("-0.0").to_bits(), (-0.0f64).to_bits());
        assert_eq!(read("-0e400").to_bits(), f64::NAN.to_bits());
    }

    #[test]
    fn more_digits_are_written_if_engines_need_them() {
        for (number, text) in [("0.1", "0.1"), ("1e-7", "1e-7"), ("5e-324", "5e-324")] {
            assert_eq!(written(number, false), text);
        }
        let needs_more = 0.920_086_434_932_721_9;
        let (number, text) = (format!("{needs_more:?}"), written(&format!("{needs_more:?}"), false));
        assert_ne!(read(&number), needs_more);
        assert_eq!(read(&text), needs_more);
    }

    proptest! {
        #[test]
        fn numbers_of_32_bits_are_always_read(number in any::<f32>()) {
            let text = written(&format!("{number:?}"), true);
            prop_assert_eq!(f32::nearest(read(&text)).to_bits(), number.to_bits());
        }
    }
}

//! Floating-point numbers, bit for bit.

use serde::{Serialize, Serializer};

use super::give::{write_scalar, TextForm};
use super::{Given, Member, Mismatch, Scalar, Shape};
pub(crate) use crate::float::Float;

/// The only number of 32 bits, apart from its negative, whose shortest digits are not enough for a reader of 64 bits: as a number
/// of 64 bits, [`BETWEEN`] is halfway between it and its neighbour, and rounding to even takes the neighbour.
/// `examples/every_float.rs` shows that it is the only one.
const ROUNDED_TWICE: u64 = 0x15ae_43fd;

/// The sign of a number of 32 bits.
const SIGN: u64 = 0x8000_0000;

/// The shortest digits of [`ROUNDED_TWICE`].
const BETWEEN: f64 = 7.038_531e-26;

/// [`ROUNDED_TWICE`] with one digit more, the shortest that both readers take for it. In 64 bits these digits are the
/// shortest of their number too, so they are written as they are.
const ITS_DIGITS: f64 = 7.038_530_7e-26;

/// The nearest number of a width, or `None` if it is out of range.
///
/// A decimal is rounded to 64 bits first. If the result is halfway between two numbers of 32 bits, it no longer shows which of
/// them was nearer. Only [`BETWEEN`] is written like this, and is then read as [`ROUNDED_TWICE`].
pub(crate) fn nearest<T: Float>(number: f64) -> Option<T> {
    let near = T::nearest(number);
    if T::WIDTH == 32 && number.abs() == BETWEEN {
        return T::of_bits(ROUNDED_TWICE | (near.bits() & SIGN));
    }
    near.is_finite().then_some(near)
}

/// The shortest digits of a finite number that a reader of this width reads back. A number of 32 bits is also read back by a
/// reader of 64 bits that rounds its result to 32 bits.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // the same number
fn shortest<T: Float>(number: T) -> Scalar<'static> {
    let wide: f64 = number.into();
    match T::WIDTH {
        32 if number.bits() & !SIGN == ROUNDED_TWICE => Scalar::F64(ITS_DIGITS.copysign(wide)),
        32 => Scalar::F32(wide as f32),
        _ => Scalar::F64(wide),
    }
}

/// The form of a number in text.
pub(super) fn text_form<T: Float>(number: T) -> TextForm<'static> {
    if number.is_nan() {
        return match number.bits() {
            bits if bits == T::QUIET_NAN => TextForm::Scalar(Scalar::Text("NaN")),
            bits => TextForm::Object("bits", format!("0x{bits:0digits$x}", digits = T::DIGITS)),
        };
    }
    TextForm::Scalar(match number.whole() {
        Some(whole) => Scalar::I64(whole),
        None if number.is_finite() => shortest(number),
        None if number.is_negative() => Scalar::Text("-Infinity"),
        None => Scalar::Text("Infinity"),
    })
}

/// Makes a number from a given value. Only text formats have names and bits for some numbers.
fn take<T: Float>(given: Given<'_>) -> Result<T, Mismatch> {
    let single = given.single();
    if let Some(found) = single.filter(|number| T::WIDTH == 32 && number.is_nan()) {
        return T::of_bits(found.bits()).ok_or_else(|| given.invalid_type("f32"));
    }
    let number = single.map(f64::from).or(given.number());
    if !given.is_text() || single.is_some_and(|number| !number.is_finite()) {
        return number.map(T::nearest).ok_or_else(|| given.invalid_type(&format!("f{}", T::WIDTH)));
    }
    let expected = || {
        let (bits, digits) = (T::WIDTH, T::DIGITS);
        format!(r#"a number of {bits} bits, "NaN", "Infinity", "-Infinity", or {{"bits": "0x…"}} with {digits} digits"#)
    };
    let found = match number {
        Some(number) => nearest(number),
        None => match given.as_text() {
            Some(text) => named(text),
            None if given.is_map() => {
                let text = given.only(&["bits"])?.text()?;
                // by its name, where text would be taken for text
                named(text).or_else(|| of_digits(text))
            }
            None => return Err(given.invalid_type(&expected())),
        },
    };
    found.ok_or_else(|| given.unfit(std::any::type_name::<T>(), &expected()))
}

/// The number that has a name and no digits.
fn named<T: Float>(name: &str) -> Option<T> {
    match name {
        "NaN" => T::of_bits(T::QUIET_NAN),
        "Infinity" => Some(T::nearest(f64::INFINITY)),
        "-Infinity" => Some(T::nearest(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// The number of these hexadecimal digits, which are all of its bits.
fn of_digits<T: Float>(text: &str) -> Option<T> {
    let digits = text.strip_prefix("0x")?;
    let is_whole = digits.len() == T::DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_whole).and_then(T::of_bits)
}

/// A number that is finite, which JSON always writes with a fraction: `100.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Finite<T>(T);

impl<T: Float> Finite<T> {
    /// The number, if it is finite.
    pub(crate) fn of(number: T) -> Option<Self> {
        number.is_finite().then_some(Finite(number))
    }
}

impl<T: Float> Serialize for Finite<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_scalar(shortest(self.0), serializer)
    }
}

impl Member for f32 {
    const SHAPE: Shape = Shape::F32;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        take(given)
    }

    fn of_singles(numbers: &mut std::slice::Iter<'_, f32>) -> Option<Self> {
        numbers.next().copied()
    }
}

impl Member for f64 {
    const SHAPE: Shape = Shape::F64;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        take(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::member::Give;
    use pretty_assertions::assert_eq;

    fn written<T: Member>(number: T) -> String {
        serde_json::to_string::<dyn Give>(&number).unwrap()
    }

    fn read<T: Member>(text: &str) -> Result<T, String> {
        let read: Result<T, serde_json::Error> =
            crate::member::deserialize(&mut serde_json::Deserializer::from_str(text));
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn single_precision() {
        for (bits, text) in [
            (0x3f00_0000, "0.5"),
            (0x3ecc_cccd, "0.4"),
            (0x4300_0000, "128"),
            (0x0000_0000, "0"),
            (0x8000_0000, "-0.0"),
            (0x0000_0001, "1e-45"),
            (0x7f7f_ffff, "3.4028235e38"),
            (0x15ae_43fd, "7.0385307e-26"),
            (0x95ae_43fd, "-7.0385307e-26"),
            (0xff80_0000, "\"-Infinity\""),
            (0x7fc0_0000, "\"NaN\""),
            (0x7fa0_2301, "{\"bits\":\"0x7fa02301\"}"),
        ] {
            let number = f32::from_bits(bits);
            // where two decimals are equally short, either will do
            assert!([text, &text.replace("e38", "e+38")].contains(&written(number).as_str()), "{}", written(number));
            assert_eq!(read::<f32>(text).map(f32::to_bits), Ok(bits), "{text}");
        }
    }

    /// A reader of JSON in Python or JavaScript reads 64 bits, and whoever wants 32 rounds that.
    #[test]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what such a reader does
    fn both_readings_give_the_number() {
        let through_64_bits = |text: &str| text.parse::<f64>().unwrap() as f32;
        for bits in [0x15ae_43fd, 0x95ae_43fd, 0x15ae_43fc, 0x15ae_43fe, 0x0000_0001, 0x7f7f_ffff] {
            let text = written(f32::from_bits(bits));
            assert_eq!(text.parse().map(f32::to_bits), Ok(bits), "{text}");
            assert_eq!(through_64_bits(&text).to_bits(), bits, "{text}");
        }
        // no digits of 7 places do, nor fewer
        for text in ["7.038530e-26", "7.038531e-26", "7.038532e-26"] {
            assert_ne!(through_64_bits(text).to_bits(), 0x15ae_43fd, "{text}");
        }
        // who has written them all the same meant it
        assert_eq!(read::<f32>("7.038531e-26").map(f32::to_bits), Ok(0x15ae_43fd));
        assert_eq!(read::<f32>("-7.038531e-26").map(f32::to_bits), Ok(0x95ae_43fd));
    }

    #[test]
    fn a_number_without_digits_is_read_by_its_name() {
        for name in ["NaN", "Infinity", "-Infinity"] {
            let [alone, object] = [format!("\"{name}\""), format!("{{\"bits\": \"{name}\"}}")];
            assert_eq!(read::<f32>(&object).map(f32::to_bits), read::<f32>(&alone).map(f32::to_bits));
            assert_eq!(read::<f64>(&object).map(f64::to_bits), read::<f64>(&alone).map(f64::to_bits));
            assert!(read::<f64>(&alone).is_ok());
        }
        assert!(read::<f32>(r#"{"bits": "1"}"#).is_err());
    }

    /// Other readers of text than those of JSON may give infinities, and numbers of 32 bits.
    #[test]
    fn infinities_that_are_numbers() {
        fn read<T: Member>(number: f32) -> Result<T, serde::de::value::Error> {
            crate::member::deserialize(serde::de::IntoDeserializer::into_deserializer(number))
        }
        for number in [f32::INFINITY, f32::NEG_INFINITY, 0.5] {
            assert_eq!((read(number), read(number)), (Ok(number), Ok(f64::from(number))));
        }
    }

    #[test]
    fn double_precision() {
        for (bits, text) in [
            (0xbff0_0000_0000_0000, "-1"),
            (0x3fb9_9999_9999_999a, "0.1"),
            (0x8000_0000_0000_0000, "-0.0"),
            (0x4340_0000_0000_0000, "9007199254740992.0"),
            (0x7ff0_0000_0000_0000, "\"Infinity\""),
            (0x7ff8_0000_0000_0000, "\"NaN\""),
            (0xfff8_0000_0000_0000, "{\"bits\":\"0xfff8000000000000\"}"),
        ] {
            let number = f64::from_bits(bits);
            assert_eq!(written(number), text);
            assert_eq!(read::<f64>(text).map(f64::to_bits), Ok(bits), "{text}");
        }
    }

    #[test]
    fn whole_numbers_need_no_fraction() {
        assert_eq!(read("16777217"), Ok(16_777_216_f32));
        assert_eq!(read::<f32>("-0").map(f32::to_bits), Ok(0x8000_0000));
    }

    /// Halfway between two numbers, as no number is written, the even one counts.
    #[test]
    fn what_lies_between_two_numbers_is_one_of_them() {
        for (text, bits) in [
            ("16777217.0", 0x4b80_0000),
            ("16777219.0", 0x4b80_0002),
            ("7.006492321624085e-46", 0x0000_0000),
            ("2.1019476964872256e-45", 0x0000_0002),
            ("3.4028235677973366e38", 0x7f80_0000),
        ] {
            assert_eq!(read::<f32>(text).map_or(0x7f80_0000, f32::to_bits), bits, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_of_this_width_is_refused() {
        for text in
            ["1e39", "-1e39", "\"nan\"", "true", "null", "{\"bits\":\"0x7fc0\"}", "{\"bits\":\"7fc00001\"}", "{}"]
        {
            assert!(read::<f32>(text).is_err(), "{text}");
        }
        for text in ["{\"bits\":\"0x7fc00001\"}", "{\"bits\":\"0x+ff8000000000000\"}", "{\"hex\":\"00\"}"] {
            assert!(read::<f64>(text).is_err(), "{text}");
        }
        // older versions of serde_json write `1e39`, others `1e+39`
        let number = serde_json::json!(1e39);
        let said = format!("{number} does not fit 32 bits, -3.4028235e38 to 3.4028235e38");
        assert!(read::<f32>("1e39").unwrap_err().contains(&said));
    }
}

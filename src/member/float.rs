//! Floating-point numbers, bit for bit.

use serde::{Serialize, Serializer};

use super::{single, Given, Member, Mismatch, Shape};

/// What differs between the two widths.
pub(crate) trait Float: Copy + Into<f64> {
    /// The NaN that is written as `"NaN"`.
    const QUIET_NAN: u64;
    /// Hexadecimal digits of the bits.
    const DIGITS: usize;
    /// Whole numbers below this are exact, and are written without a fraction.
    const WHOLE: f64;
    const INFINITY: Self;
    const NEGATIVE_INFINITY: Self;
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
    /// The nearest number of this width, or `None` if it is out of range.
    fn nearest(number: f64) -> Option<Self>;
    fn write<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// The one number of 32 bits, but for its sign, whose shortest digits are not enough for a reader of 64 bits:
/// [`BETWEEN`] is, in 64 bits, just between it and its neighbour, and rounding to even takes the neighbour.
/// `examples/every_float.rs` shows that there is no other.
const ROUNDED_TWICE: u32 = 0x15ae_43fd;

/// The shortest digits of [`ROUNDED_TWICE`].
const BETWEEN: f64 = 7.038_531e-26;

/// [`ROUNDED_TWICE`] with one digit more, the shortest that both readers take for it. In 64 bits these digits are the
/// shortest of their number too, so they are written as they are.
const ITS_DIGITS: f64 = 7.038_530_7e-26;

impl Float for f32 {
    const QUIET_NAN: u64 = 0x7fc0_0000;
    const DIGITS: usize = 8;
    const WHOLE: f64 = 16_777_216.0;

    const INFINITY: Self = f32::INFINITY;
    const NEGATIVE_INFINITY: Self = f32::NEG_INFINITY;
    fn bits(self) -> u64 {
        self.to_bits().into()
    }

    fn of_bits(bits: u64) -> Self {
        f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX))
    }

    /// A decimal is rounded to 64 bits first. Where that lands just between two numbers of 32 bits, nothing says any more
    /// which of them was nearer. Only [`BETWEEN`] is written like this, and then it stands for [`ROUNDED_TWICE`].
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
    fn nearest(number: f64) -> Option<Self> {
        let near = Some(number as f32).filter(|near| near.is_finite())?;
        Some(if number.abs() == BETWEEN { f32::from_bits(ROUNDED_TWICE).copysign(near) } else { near })
    }

    /// The shortest digits that a reader of 32 bits takes for this number, and a reader of 64 bits, which rounds what it read
    /// to 32 bits, takes for it too.
    fn write<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.abs().to_bits() == ROUNDED_TWICE {
            return serializer.serialize_f64(ITS_DIGITS.copysign(self.into()));
        }
        serializer.serialize_f32(self)
    }
}

impl Float for f64 {
    const QUIET_NAN: u64 = 0x7ff8_0000_0000_0000;
    const DIGITS: usize = 16;
    const WHOLE: f64 = 9_007_199_254_740_992.0;

    const INFINITY: Self = f64::INFINITY;
    const NEGATIVE_INFINITY: Self = f64::NEG_INFINITY;
    fn bits(self) -> u64 {
        self.to_bits()
    }

    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }

    fn nearest(number: f64) -> Option<Self> {
        Some(number)
    }

    fn write<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self)
    }
}

fn to_json<T: Float + Serialize, S: Serializer>(number: T, serializer: S) -> Result<S::Ok, S::Error> {
    // formats of bytes can say every number
    if !serializer.is_human_readable() {
        return number.serialize(serializer);
    }
    let wide: f64 = number.into();
    if wide.is_nan() {
        return match number.bits() {
            bits if bits == T::QUIET_NAN => serializer.serialize_str("NaN"),
            bits => single(serializer, "bits", &format!("0x{bits:0digits$x}", digits = T::DIGITS)),
        };
    }
    if wide.is_infinite() {
        return serializer.serialize_str(if wide.is_sign_positive() { "Infinity" } else { "-Infinity" });
    }
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // exact where it comes back
    let whole = wide as i64;
    #[allow(clippy::as_conversions)]
    if whole as f64 == wide && wide.abs() < T::WHOLE && (whole != 0 || wide.is_sign_positive()) {
        return serializer.serialize_i64(whole);
    }
    number.write(serializer)
}

/// Makes a number from what was given. Only text has names and bits for some.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
fn take<T: Float>(given: Given<'_>) -> Result<T, Mismatch> {
    let digits = T::DIGITS;
    if let Some(number) = given.single().filter(|number| !number.is_finite()) {
        return Ok(T::of_bits(if digits == 8 { number.to_bits().into() } else { f64::from(number).to_bits() }));
    }
    let number = given.single().map(f64::from).or(given.number());
    if !given.is_text() {
        let number = number.ok_or_else(|| given.invalid_type(if digits == 8 { "f32" } else { "f64" }))?;
        return Ok(T::of_bits(if digits == 8 { (number as f32).to_bits().into() } else { number.to_bits() }));
    }
    let expected = || {
        let bits = digits.saturating_mul(4);
        format!(r#"a number of {bits} bits, "NaN", "Infinity", "-Infinity", or {{"bits": "0x…"}} with {digits} digits"#)
    };
    let found = match number {
        Some(number) => T::nearest(number),
        None => match given.as_text() {
            Some(text) => named(text),
            None if given.is_map() => {
                let text = given.only("bits")?;
                // by its name, where text would be taken for text
                named(text).or_else(|| of_digits(text))
            }
            None => return Err(given.invalid_type(&expected())),
        },
    };
    found.ok_or_else(|| given.invalid_value(&expected()))
}

/// The number that has a name and no digits.
fn named<T: Float>(name: &str) -> Option<T> {
    match name {
        "NaN" => Some(T::of_bits(T::QUIET_NAN)),
        "Infinity" => Some(T::INFINITY),
        "-Infinity" => Some(T::NEGATIVE_INFINITY),
        _ => None,
    }
}

/// The number of these hexadecimal digits, which are all of its bits.
fn of_digits<T: Float>(text: &str) -> Option<T> {
    let digits = text.strip_prefix("0x")?;
    let is_whole = digits.len() == T::DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_whole).map(T::of_bits)
}

/// A number that is finite, which JSON always writes with a fraction: `100.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Finite<T>(T);

impl<T: Float> Finite<T> {
    /// The number, if it is finite.
    pub(crate) fn of(number: T) -> Option<Self> {
        let wide: f64 = number.into();
        wide.is_finite().then_some(Finite(number))
    }
}

impl<T: Float> Serialize for Finite<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

macro_rules! members {
    ($($type:ident $shape:ident)*) => {$(
        impl Member for $type {
            const SHAPE: Shape = Shape::$shape;

            fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                to_json(*self, serializer)
            }

            fn take(given: Given<'_>) -> Result<Self, Mismatch> {
                take(given)
            }
        }
    )*};
}

members! {
    f32 F32
    f64 F64
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn written<T: Member>(number: T) -> String {
        let mut text = Vec::new();
        number.to_json(&mut serde_json::Serializer::new(&mut text)).unwrap();
        String::from_utf8(text).unwrap()
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
        assert!(read::<f32>("1e39").unwrap_err().contains("expected a number of 32 bits"));
    }
}

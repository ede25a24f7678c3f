//! Floating-point numbers of both widths.

use std::fmt::Debug;

/// The differences between the two widths of floating-point numbers.
pub(crate) trait Float: Copy + Debug + Into<f64> + std::str::FromStr {
    const WIDTH: u32;
    /// Hexadecimal digits of the bits.
    const DIGITS: usize;
    /// The NaN that is written without its bits.
    const QUIET_NAN: u64;
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Option<Self>;
    /// The nearest number of this width.
    fn nearest(number: f64) -> Self;
    fn is_nan(self) -> bool;
    fn is_finite(self) -> bool;
    fn is_negative(self) -> bool;
    /// The whole number that it is, if every whole number around that one has a value of its own.
    fn whole(self) -> Option<i64>;
    /// The fewest digits that are read as this number, without an exponent; `None` if it may need one.
    fn digits(self, buffer: &mut zmij::Buffer) -> Option<&str>;
}

macro_rules! floats {
    ($($type:ident $bits:ident $width:literal $digits:literal $nan:literal;)*) => {$(
        impl Float for $type {
            const WIDTH: u32 = $width;
            const DIGITS: usize = $digits;
            const QUIET_NAN: u64 = $nan;

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn of_bits(bits: u64) -> Option<Self> {
                $bits::try_from(bits).ok().map($type::from_bits)
            }

            #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
            fn nearest(number: f64) -> Self {
                number as $type
            }

            fn is_nan(self) -> bool {
                $type::is_nan(self)
            }

            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }

            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }

            #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // no digit is lost
            fn whole(self) -> Option<i64> {
                let whole = self as i64;
                let is_exact = whole as $type == self && self.abs() < (1_u64 << $type::MANTISSA_DIGITS) as $type;
                (is_exact && (whole != 0 || self.is_sign_positive())).then_some(whole)
            }

            fn digits(self, buffer: &mut zmij::Buffer) -> Option<&str> {
                (1e-4..1e12).contains(&self.abs()).then(|| buffer.format_finite(self))
            }
        }
    )*};
}

floats! {
    f32 u32 32 8 0x7fc0_0000;
    f64 u64 64 16 0x7ff8_0000_0000_0000;
}

#[cfg(test)]
mod tests {
    use super::Float;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    /// Of two texts as short as each other and as near to the number, `Debug` may have the other.
    fn check<T: Float>(number: T) {
        let mut buffer = zmij::Buffer::new();
        if let Some(digits) = number.digits(&mut buffer) {
            let shown = format!("{number:?}");
            assert_eq!((digits.len(), digits.find('.')), (shown.len(), shown.find('.')));
            assert_eq!(digits.parse().ok().map(T::bits), Some(number.bits()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn digits_are_as_few_as_those_of_debug(single: f32, double: f64, exponent in -5..13_i32) {
            check(single);
            check(double);
            check(single % 10_f32.powi(exponent));
            check(double % 10_f64.powi(exponent));
        }
    }
}

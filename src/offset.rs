//! Places in the input.

use std::fmt;

/// A place in the input: a number of bytes from its start and, in data that is packed in bits, up to 7 bits more.
///
/// It is shown as `0x2c`, or as `0x2c.3` with bits, and can be compared with a number of bytes.
///
/// ```
/// use enginewire::Offset;
///
/// assert_eq!(Offset::new(44, 3).to_string(), "0x2c.3");
/// assert_eq!(Offset::from(44), 44);
/// assert!(Offset::from(44) < Offset::new(44, 3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset {
    byte: u64,
    bit: u8,
}

impl Offset {
    /// The place `bit` bits after the start of byte number `byte`. `bit` may be larger than 7.
    #[must_use]
    #[inline]
    pub fn new(byte: u64, bit: u8) -> Self {
        Offset { byte: byte.saturating_add(u64::from(bit / 8)), bit: bit % 8 }
    }

    /// The byte that the place is in, counted from 0.
    #[must_use]
    #[inline]
    pub const fn byte(self) -> u64 {
        self.byte
    }

    /// The bit of that byte, counted from 0. Bit 0 is the most significant.
    #[must_use]
    #[inline]
    pub const fn bit(self) -> u8 {
        self.bit
    }

    /// The number of bits before the place.
    #[must_use]
    #[inline]
    pub fn bits(self) -> u64 {
        self.byte.saturating_mul(8).saturating_add(self.bit.into())
    }

    /// The first whole byte at or after the place.
    #[must_use]
    #[inline]
    pub fn ceil(self) -> u64 {
        self.byte.saturating_add(u64::from(self.bit > 0))
    }

    /// This place, counted from `start` instead of from 0.
    #[must_use]
    #[inline]
    pub(crate) fn after(self, start: Offset) -> Self {
        Offset::new(self.byte.saturating_add(start.byte), self.bit.saturating_add(start.bit))
    }
}

impl From<u64> for Offset {
    #[inline]
    fn from(byte: u64) -> Self {
        Offset::new(byte, 0)
    }
}

impl PartialEq<u64> for Offset {
    fn eq(&self, byte: &u64) -> bool {
        *self == Offset::from(*byte)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.byte)?;
        if self.bit > 0 {
            write!(f, ".{}", self.bit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn bits_carry_into_bytes() {
        assert_eq!(Offset::new(1, 9), Offset::new(2, 1));
        assert_eq!(Offset::new(1, 7).after(Offset::new(2, 2)), Offset::new(4, 1));
        assert_eq!((Offset::new(2, 1).bits(), Offset::new(2, 1).ceil(), Offset::new(2, 0).ceil()), (17, 3, 2));
    }

    #[test]
    fn an_offset_is_equal_to_its_byte_only() {
        assert!(Offset::new(3, 0) == 3 && Offset::new(3, 1) != 3 && Offset::new(4, 0) != 3);
        assert_eq!((Offset::new(3, 5).byte(), Offset::new(3, 5).bit()), (3, 5));
    }
}

//! Font.

use std::io::Write;

use bstr::BStr;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use super::string::{gen_string, string};
use crate::structure::structure;
use crate::wire::{field, field_value, gen_uint16, gen_uint8, uint16, uint8, ByteString, Le, Source, WireError};

structure! {
    /// A font. The numbers are kept as they are, known or not.
    ///
    /// | field | type |
    /// |---|---|
    /// | weight | uint16 |
    /// | style | uint8 |
    /// | family | String |
    /// | cached_face_id | String |
    pub struct Font<'a> {
        /// The weight: 400 is regular.
        pub weight: u16,
        /// 0 is upright, 1 italic.
        pub style: u8,
        /// The family, an asset id.
        pub family: ByteString<'a>,
        /// The file that was last used for it, an asset id; often empty.
        pub cached_face_id: ByteString<'a>,
    }
}

/// Reads a [`Font`].
///
/// In little-endian, the bytes `90 01 00 01 00 00 00 46 00 00 00 00` are the family `F` with weight 400 and style 0. Only too
/// few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Font.
#[inline]
pub fn font<'a, I, E>() -> impl Parser<I, Output = Font<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    (
        field("weight", uint16::<Le, I, E>()),
        field("style", uint8()),
        field("family", string()),
        field("cached_face_id", string()),
    )
        .map(|(weight, style, family, cached_face_id)| Font { weight, style, family, cached_face_id })
}

/// Writes a [`Font`], as [`font`] reads it. A string that is too long is refused.
#[inline]
pub fn gen_font<'v, W: Write + 'v>(font: &'v Font<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_uint16::<Le, W>(font.weight),
        gen_uint8(font.style),
        gen_string(&font.family),
        gen_string(&font.cached_face_id),
    ))
}

field_value!(Options: Font<'a> = |nesting, value| font(), gen_font(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("90 01 00 01 00 00 00 46 00 00 00 00");
        let font_value = Font { weight: 400, style: 0, family: "F".into(), cached_face_id: ByteString::default() };
        both_ways(&bytes, font_value.clone(), font, gen_font(&font_value));
    }
}

//! Helpers for the tests of parsers and generators.

use std::fmt::Debug;

use cookie_factory::{gen_simple, SerializeFn};
use nom::{Check, Complete, Emit, Err, Needed, OutputM, Parser};
use pretty_assertions::assert_eq;

use crate::wire::Traceback;

/// Bytes from hex digits, as in the references.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap()
}

/// `bytes` decode to `value`, `value` encodes to `bytes`, and every cut is noticed: in streaming mode with a need
/// that can be met, in complete mode with an offset within the input.
pub(crate) fn both_ways<'a, T, P>(
    bytes: &'a [u8],
    value: T,
    parser: impl Fn() -> P,
    generator: impl SerializeFn<Vec<u8>>,
) where
    T: PartialEq + Debug,
    P: Parser<&'a [u8], Output = T, Error = Traceback<&'a [u8]>>,
{
    let (rest, decoded) = parser().parse_complete(bytes).unwrap();
    assert_eq!((rest.len(), decoded), (0, value));
    assert_eq!(gen_simple(generator, Vec::new()).unwrap(), bytes);
    assert!(parser().process::<OutputM<Check, Emit, Complete>>(bytes).is_ok());
    for cut in 0..bytes.len() {
        match parser().parse(&bytes[..cut]) {
            Err(Err::Incomplete(Needed::Size(needed))) => {
                assert!(cut.saturating_add(needed.get()) <= bytes.len(), "cut {cut}");
            }
            other => panic!("cut {cut}: {other:?}"),
        }
        match parser().parse_complete(&bytes[..cut]) {
            Err(Err::Error(error)) => {
                let error = error.into_error(&bytes[..cut]);
                assert!(
                    error.is_truncated() && error.offset() <= crate::number::to_u64(cut).into(),
                    "cut {cut}: {error}"
                );
            }
            other => panic!("cut {cut}: {other:?}"),
        }
    }
}

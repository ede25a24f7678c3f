//! Running generators: how many bytes, and then the bytes.

use std::io::{self, Write};

use cookie_factory::{gen, GenError, GenResult, SerializeFn, WriteContext};

use super::source::to_u64;
use crate::error::EncodeFault;

/// The codes that our generators fail with.
const TOO_LONG: u32 = 1;
const TOO_DEEP: u32 = 2;
const NOT_IN_VERSION: u32 = 3;

/// The error of a generator whose length field is too narrow for a value.
#[cold]
pub(crate) fn length_error() -> GenError {
    GenError::CustomError(TOO_LONG)
}

/// The error of a generator for containers that are nested too deep.
#[cold]
pub(crate) fn depth_error() -> GenError {
    GenError::CustomError(TOO_DEEP)
}

/// A fault as the error of a generator, which has no room for more than its kind.
#[cold]
pub(crate) fn fault_error(fault: &EncodeFault) -> GenError {
    GenError::CustomError(match fault {
        EncodeFault::TooLong => TOO_LONG,
        EncodeFault::TooDeep | EncodeFault::Deeper { .. } => TOO_DEEP,
        _ => NOT_IN_VERSION,
    })
}

impl From<GenError> for EncodeFault {
    fn from(error: GenError) -> Self {
        match error {
            GenError::CustomError(TOO_LONG) => EncodeFault::TooLong,
            GenError::CustomError(TOO_DEEP) => EncodeFault::TooDeep,
            other => EncodeFault::Other(other.to_string()),
        }
    }
}

/// Writes `bytes` as they are: what all our generators come down to.
///
/// cookie-factory's `slice` does the same, but through a writer that compilers do not inline, which takes a third more
/// time.
#[inline]
pub fn gen_bytes<S: AsRef<[u8]>, W: Write>(bytes: S) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| put(out, bytes.as_ref())
}

#[inline]
pub(crate) fn put<W: Write>(mut out: WriteContext<W>, bytes: &[u8]) -> GenResult<W> {
    out.write.write_all(bytes)?;
    out.position = out.position.wrapping_add(to_u64(bytes.len()));
    Ok(out)
}

/// How many bytes `generator` writes.
///
/// Run before anything is written, it also finds every error that writing to memory can meet.
///
/// # Errors
///
/// Whatever the generator fails with.
#[inline]
pub fn measure(generator: impl SerializeFn<io::Sink>) -> Result<u64, EncodeFault> {
    Ok(gen(generator, io::sink())?.1)
}

/// Appends the bytes that `generator` writes to `bytes`.
///
/// The generator gets `&mut Vec<u8>` for a writer: cookie-factory hands the writer from field to field by value, and a
/// reference is the cheapest to hand on.
///
/// # Errors
///
/// Whatever the generator fails with.
#[inline]
pub fn generate_into<'w>(
    generator: impl SerializeFn<&'w mut Vec<u8>>,
    bytes: &'w mut Vec<u8>,
) -> Result<(), EncodeFault> {
    gen(generator, bytes)?;
    Ok(())
}

/// The bytes that `generator` writes: for tests, where its way of handing the writer on may be slow.
#[cfg(test)]
pub(crate) fn generated(generator: impl SerializeFn<Vec<u8>>) -> Result<Vec<u8>, EncodeFault> {
    Ok(gen(generator, Vec::new())?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cookie_factory::sequence::pair;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_fault_of_a_generator() {
        let failing = |error: fn() -> GenError| measure(move |_| Err(error()));
        assert_eq!(failing(length_error), Err(EncodeFault::TooLong));
        assert_eq!(failing(depth_error), Err(EncodeFault::TooDeep));
        let other = failing(|| GenError::BufferTooSmall(3));
        assert!(matches!(&other, Err(EncodeFault::Other(text)) if text.contains('3')), "{other:?}");
    }

    #[test]
    fn measuring_counts_what_would_be_written() {
        assert_eq!(measure(pair(gen_bytes([1, 2]), gen_bytes("abc"))), Ok(5));
        let mut bytes = vec![0];
        generate_into(pair(gen_bytes([1, 2]), gen_bytes("abc")), &mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 2, b'a', b'b', b'c']);
    }
}

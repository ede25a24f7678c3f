//! Generators: the basic ones, how they are run, and how their errors get a path.
//!
//! cookie-factory's errors have no room for a path. So a generator of this crate fails with a [`GenError::IoError`] that
//! holds the reason, and every [`gen_field`], [`gen_item`] and [`gen_keyed`] around it adds its name to that error. The
//! path is the same as that of a decode error, and nothing is run twice.

use std::io::{self, Write};

use cookie_factory::{r#gen, GenError, GenResult, SerializeFn, WriteContext};
use thiserror::Error;

use crate::error::{AsKey, EncodeError, EncodeFault, Segment};
use crate::number::to_u64;

/// Why a value cannot be written, and the path to it, from the inside out.
#[derive(Debug, Error)]
#[error("{reason}")]
pub(crate) struct Unwritten {
    reason: EncodeFault,
    path: Vec<Segment>,
}

impl Unwritten {
    /// It is inside this part.
    #[cold]
    #[inline(never)]
    pub(crate) fn within(mut self: Box<Self>, segment: Segment) -> Box<Self> {
        self.path.push(segment);
        self
    }
}

impl From<EncodeFault> for Box<Unwritten> {
    #[cold]
    fn from(reason: EncodeFault) -> Self {
        Box::new(Unwritten { reason, path: Vec::new() })
    }
}

impl From<GenError> for Box<Unwritten> {
    #[cold]
    fn from(error: GenError) -> Self {
        let reason = match error {
            GenError::IoError(error) => match error.downcast::<Box<Unwritten>>() {
                Ok(unwritten) => return unwritten,
                Err(error) => error.to_string(),
            },
            other => other.to_string(),
        };
        EncodeFault::Other(reason).into()
    }
}

impl From<Box<Unwritten>> for GenError {
    #[cold]
    fn from(unwritten: Box<Unwritten>) -> Self {
        GenError::IoError(io::Error::other(unwritten))
    }
}

impl From<GenError> for EncodeError {
    fn from(error: GenError) -> Self {
        let unwritten = Box::<Unwritten>::from(error);
        EncodeError::new(unwritten.path.into_iter().rev().collect(), unwritten.reason)
    }
}

/// The error of a generator that cannot write a value.
#[cold]
#[inline(never)]
pub fn encode_fault(fault: EncodeFault) -> GenError {
    Box::<Unwritten>::from(fault).into()
}

/// The error of a generator whose length field is too narrow for a value.
#[cold]
pub fn length_error() -> GenError {
    encode_fault(EncodeFault::TooLong)
}

/// The error, inside this part.
#[cold]
#[inline(never)]
pub(crate) fn error_within(error: GenError, segment: Segment) -> GenError {
    Box::<Unwritten>::from(error).within(segment).into()
}

/// Writes the field `name`, as [`field`](crate::wire::field()) reads it: an error inside has the name in its path.
#[inline]
pub fn gen_field<W: Write>(name: &'static str, generator: impl SerializeFn<W>) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| generator(out).map_err(|error| error_within(error, Segment::Field(name)))
}

/// Writes item number `index` of a list, as [`item`](crate::wire::item()) reads it.
#[inline]
pub fn gen_item<W: Write>(index: usize, generator: impl SerializeFn<W>) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| generator(out).map_err(|error| error_within(error, Segment::Index(index)))
}

/// Writes the value that belongs to `key`, like [`keyed`](crate::wire::keyed) reads it: an error has the key in its path.
#[inline]
pub fn gen_keyed<'v, W: Write>(
    key: &'v (impl AsKey + ?Sized),
    generator: impl SerializeFn<W> + 'v,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| generator(out).map_err(|error| error_within(error, key_segment(&key)))
}

#[cold]
#[inline(never)]
fn key_segment(key: &dyn AsKey) -> Segment {
    Segment::Key(key.to_key())
}

/// Writes `items` in order, like [`repeat`](crate::wire::repeat()) reads them: an error has the index in its path.
#[inline]
pub fn gen_repeat<'v, T, W, G>(items: &'v [T], generator: impl Fn(&'v T) -> G + 'v) -> impl SerializeFn<W> + 'v
where
    W: Write + 'v,
    G: SerializeFn<W>,
{
    move |mut out: WriteContext<W>| {
        for (index, item) in items.iter().enumerate() {
            out = match generator(item)(out) {
                Ok(out) => out,
                Err(error) => return Err(error_within(error, Segment::Index(index))),
            };
        }
        Ok(out)
    }
}

/// Writes `bytes` as they are. All generators of this crate write through it.
///
/// It does what cookie-factory's `slice` does, and is inlined.
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

/// The number of bytes that `generator` writes.
///
/// It fails with every error that writing to memory can have, before anything is written.
///
/// # Errors
///
/// Whatever the generator fails with.
#[inline]
pub fn measure(generator: impl SerializeFn<io::Sink>) -> Result<u64, EncodeError> {
    Ok(r#gen(generator, io::sink())?.1)
}

/// Appends the bytes that `generator` writes to `bytes`.
///
/// cookie-factory hands the writer from field to field by value. A `&mut Vec<u8>` is cheaper to hand on than a `Vec<u8>`.
///
/// # Errors
///
/// Whatever the generator fails with.
#[inline]
pub fn generate_into<'w>(
    generator: impl SerializeFn<&'w mut Vec<u8>>,
    bytes: &'w mut Vec<u8>,
) -> Result<(), EncodeError> {
    r#gen(generator, bytes)?;
    Ok(())
}

/// The bytes that `generator` writes, where its way of handing the writer on may be slow.
#[cfg(any(test, feature = "roblox"))]
pub(crate) fn generated(generator: impl SerializeFn<Vec<u8>>) -> Result<Vec<u8>, EncodeError> {
    Ok(r#gen(generator, Vec::new())?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cookie_factory::sequence::pair;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_fault_of_a_generator() {
        let failing = |error: fn() -> GenError| measure(move |_| Err(error())).unwrap_err();
        assert_eq!(failing(length_error).reason(), &EncodeFault::TooLong);
        let other = failing(|| GenError::BufferTooSmall(3));
        assert!(matches!(other.reason(), EncodeFault::Other(text) if text.contains('3')), "{other:?}");
        let other = failing(|| GenError::IoError(io::Error::other("full")));
        assert_eq!(other.to_string(), "full");
    }

    #[test]
    fn an_error_has_the_path_of_what_failed() {
        let fails = |fails: &bool| {
            let fails = *fails;
            move |out| if fails { Err(length_error()) } else { Ok(out) }
        };
        let list = [false, false, true];
        let error = measure(gen_field("list", gen_keyed("k", gen_item(7, gen_repeat(&list, fails))))).unwrap_err();
        assert_eq!(error.to_string(), r#"a length does not fit its 32 bits in list "k"[7][2]"#);
        let reaches_the_end = measure(gen_field("list", gen_repeat(&list[..2], fails)));
        assert_eq!(reaches_the_end, Ok(0));
    }

    #[test]
    fn measuring_counts_what_would_be_written() {
        assert_eq!(measure(pair(gen_bytes([1, 2]), gen_bytes("abc"))), Ok(5));
        let mut bytes = vec![0];
        generate_into(pair(gen_bytes([1, 2]), gen_bytes("abc")), &mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 2, b'a', b'b', b'c']);
    }
}

//! The targets for values of Rust: a tree of values of a format, or its bytes at once.

use super::error::BuildError;
use super::ser::Build;
use crate::error::EncodeError;

/// A value that holds no others, and that every format has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'v> {
    Bool(bool),
    Int(i64),
    Single(f32),
    Double(f64),
    Text(&'v str),
    Bytes(&'v [u8]),
}

/// A kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// A list.
    Seq,
    /// Entries: each key is before its value.
    Map,
}

/// The value of a format that a scalar is.
pub(crate) fn value_of<B: Build>(scalar: Scalar<'_>) -> Result<B, BuildError> {
    Ok(match scalar {
        Scalar::Bool(value) => B::bool(value),
        Scalar::Int(number) => B::int(number)?,
        Scalar::Single(number) => B::single(number),
        Scalar::Double(number) => B::double(number),
        Scalar::Text(text) => B::text(text.to_owned().into()),
        Scalar::Bytes(bytes) => B::bytes(bytes.to_vec()),
    })
}

/// A target that values are written into, in order.
pub(crate) trait Sink {
    type Value: Build;
    /// A place in what was written.
    type Position: Copy;

    /// Writes a value.
    fn put(&mut self, value: Self::Value) -> Result<(), BuildError>;

    /// Writes a value that holds no others.
    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), BuildError>;

    /// Writes a key that is text.
    fn key(&mut self, key: &str) -> Result<(), BuildError>;

    /// The place of the next value.
    fn position(&self) -> Self::Position;

    /// Truncates to this position, even in the middle of a value.
    fn truncate(&mut self, position: Self::Position);

    /// Begins a container. Returns its start, which [`end`](Self::end) takes.
    fn begin(&mut self, container: Container) -> Result<usize, BuildError>;

    /// Ends a container that has `count` items or entries.
    fn end(&mut self, container: Container, start: usize, count: usize) -> Result<(), BuildError>;
}

/// Values in memory, as a stack. The items of a container are on top of it until the container takes them.
pub(crate) struct Tree<B> {
    below: Vec<B>,
    /// The topmost value. It is separate, so that a value that is not a container takes no memory.
    top: Option<B>,
}

impl<B> Default for Tree<B> {
    fn default() -> Self {
        Tree { below: Vec::new(), top: None }
    }
}

impl<B> Tree<B> {
    /// The value, if one was written.
    pub(crate) fn into_value(self) -> Option<B> {
        self.top
    }
}

impl<B: Build> Sink for Tree<B> {
    type Value = B;
    type Position = usize;

    #[inline]
    fn put(&mut self, value: B) -> Result<(), BuildError> {
        if let Some(below) = self.top.replace(value) {
            self.below.push(below);
        }
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), BuildError> {
        self.put(value_of(scalar)?)
    }

    fn key(&mut self, key: &str) -> Result<(), BuildError> {
        self.scalar(Scalar::Text(key))
    }

    fn position(&self) -> usize {
        self.below.len().saturating_add(self.top.is_some().into())
    }

    fn truncate(&mut self, position: usize) {
        self.below.extend(self.top.take());
        self.below.truncate(position);
        self.top = self.below.pop();
    }

    fn begin(&mut self, _: Container) -> Result<usize, BuildError> {
        Ok(self.position())
    }

    fn end(&mut self, container: Container, start: usize, _: usize) -> Result<(), BuildError> {
        self.below.extend(self.top.take());
        let mut items = self.below.drain(start.min(self.below.len())..);
        let value = match container {
            Container::Seq => B::seq(items.collect()),
            Container::Map => {
                let mut entries = Vec::with_capacity(items.len() / 2);
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    entries.push((key, value));
                }
                drop(items);
                B::map(entries)
            }
        };
        self.top = Some(value);
        Ok(())
    }
}

/// Options of a format that determine how its values are written. Each function appends to the bytes. A value is inside `depth`
/// containers, counting the outermost one.
pub(crate) trait Encoding: Copy {
    type Value<'v>;

    /// The size of the count of an empty container, in bytes.
    const EMPTY_COUNT: usize;

    /// Writes any value.
    fn write(self, value: &Self::Value<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Writes a value that holds no others.
    fn write_scalar(self, scalar: Scalar<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Writes an empty container, which has its count at its end.
    fn write_empty(self, container: Container, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Writes a key that is text.
    fn write_key(self, key: &str, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Writes the count of a container.
    fn write_count(self, count: usize, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;
}

/// Bytes of values.
pub(crate) struct Encoded<E> {
    encoding: E,
    /// The number of containers around the next value.
    depth: u16,
    bytes: Vec<u8>,
}

/// The capacity at first, in bytes: most messages are smaller.
const ROOM: usize = 512;

impl<E> Encoded<E> {
    pub(crate) fn new(encoding: E) -> Self {
        Encoded { encoding, depth: 0, bytes: Vec::with_capacity(ROOM) }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<E> Sink for Encoded<E>
where
    E: Encoding,
    E::Value<'static>: Build,
{
    type Value = E::Value<'static>;
    type Position = (usize, u16);

    #[inline]
    fn put(&mut self, value: Self::Value) -> Result<(), BuildError> {
        Ok(self.encoding.write(&value, self.depth, &mut self.bytes)?)
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), BuildError> {
        Ok(self.encoding.write_scalar(scalar, self.depth, &mut self.bytes)?)
    }

    #[inline]
    fn key(&mut self, key: &str) -> Result<(), BuildError> {
        Ok(self.encoding.write_key(key, self.depth, &mut self.bytes)?)
    }

    #[inline]
    fn position(&self) -> (usize, u16) {
        (self.bytes.len(), self.depth)
    }

    fn truncate(&mut self, (length, depth): (usize, u16)) {
        self.bytes.truncate(length);
        self.depth = depth;
    }

    /// Writes an empty container. Its real count is written at its end.
    fn begin(&mut self, container: Container) -> Result<usize, BuildError> {
        self.encoding.write_empty(container, self.depth, &mut self.bytes)?;
        self.depth = self.depth.saturating_add(1);
        Ok(self.bytes.len())
    }

    fn end(&mut self, _: Container, start: usize, count: usize) -> Result<(), BuildError> {
        self.depth = self.depth.saturating_sub(1);
        if count == 0 {
            return Ok(());
        }
        let (empty, end) = (start.saturating_sub(E::EMPTY_COUNT), self.bytes.len());
        self.encoding.write_count(count, &mut self.bytes)?;
        if self.bytes.len().saturating_sub(end) == E::EMPTY_COUNT {
            self.bytes.copy_within(end.., empty);
            self.bytes.truncate(end);
        } else {
            let count = self.bytes.split_off(end);
            self.bytes.splice(empty..start, count);
        }
        Ok(())
    }
}

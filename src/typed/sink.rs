//! Where values of Rust are written: into a tree of values of a format, or at once as its bytes.

use super::error::BuildError;
use super::ser::Build;
use crate::error::EncodeError;

/// A kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// A list.
    Seq,
    /// Entries: each key is before its value.
    Map,
}

/// What values are written into, one after the other.
pub(crate) trait Sink {
    type Value: Build;
    /// Where something begins.
    type Position: Copy;

    /// Writes a value.
    fn put(&mut self, value: Self::Value) -> Result<(), BuildError>;

    /// Writes text.
    fn text(&mut self, text: &str) -> Result<(), BuildError>;

    /// Writes a key that is text.
    fn key(&mut self, key: &str) -> Result<(), BuildError>;

    /// Where the next value begins.
    fn position(&self) -> Self::Position;

    /// Takes back what was written since this position, also half of it.
    fn truncate(&mut self, position: Self::Position);

    /// Begins a container. Its start is what its end is told.
    fn begin(&mut self, container: Container) -> Result<usize, BuildError>;

    /// Ends a container that has `count` items or entries.
    fn end(&mut self, container: Container, start: usize, count: usize) -> Result<(), BuildError>;
}

/// Values in memory. What a container holds is on top of what was before it, until the container takes it.
pub(crate) struct Tree<B> {
    below: Vec<B>,
    /// The topmost value. It is apart, so that a value that is no container takes no memory.
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

    fn put(&mut self, value: B) -> Result<(), BuildError> {
        self.below.extend(self.top.replace(value));
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), BuildError> {
        self.put(B::text(text.to_owned().into()))
    }

    fn key(&mut self, key: &str) -> Result<(), BuildError> {
        self.text(key)
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

/// Options of a format that say how its values are written.
pub(crate) trait Encoding: Copy {
    type Value<'v>;

    /// How many bytes the count of an empty container takes.
    const EMPTY_COUNT: usize;

    fn text(text: &str) -> Self::Value<'_>;

    /// Writes a value that is inside `depth` containers, one of which is the outermost. A container that is empty has its
    /// count at its end.
    fn write(self, value: &Self::Value<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Writes a key that is text.
    fn write_key(self, key: &str, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(&Self::text(key), depth, bytes)
    }

    /// Writes the count of a container.
    fn write_count(self, count: usize, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;
}

/// Bytes of values.
pub(crate) struct Encoded<E> {
    encoding: E,
    /// How many containers are around the next value.
    depth: u16,
    bytes: Vec<u8>,
}

/// How many bytes there is room for at first: most messages are smaller.
const ROOM: usize = 256;

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
    fn text(&mut self, text: &str) -> Result<(), BuildError> {
        Ok(self.encoding.write(&E::text(text), self.depth, &mut self.bytes)?)
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

    /// Writes a container without items. What it counts is said at its end.
    fn begin(&mut self, container: Container) -> Result<usize, BuildError> {
        self.put(match container {
            Container::Seq => Build::seq(Vec::new()),
            Container::Map => Build::map(Vec::new()),
        })?;
        self.depth = self.depth.saturating_add(1);
        Ok(self.bytes.len())
    }

    fn end(&mut self, _: Container, start: usize, count: usize) -> Result<(), BuildError> {
        self.depth = self.depth.saturating_sub(1);
        if count > 0 {
            let end = self.bytes.len();
            self.encoding.write_count(count, &mut self.bytes)?;
            let count = self.bytes.split_off(end);
            self.bytes.splice(start.saturating_sub(E::EMPTY_COUNT)..start, count);
        }
        Ok(())
    }
}

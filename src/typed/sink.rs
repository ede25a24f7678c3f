//! Where values of Rust are written: into a tree of values of a format.

use super::error::BuildError;
use super::ser::Build;

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
fn value_of<B: Build>(scalar: Scalar<'_>) -> Result<B, BuildError> {
    Ok(match scalar {
        Scalar::Bool(value) => B::bool(value),
        Scalar::Int(number) => B::int(number)?,
        Scalar::Single(number) => B::single(number),
        Scalar::Double(number) => B::double(number),
        Scalar::Text(text) => B::text(text.to_owned().into()),
        Scalar::Bytes(bytes) => B::bytes(bytes.to_vec()),
    })
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

impl<B: Build> Tree<B> {
    /// Writes a value.
    #[inline]
    pub(crate) fn put(&mut self, value: B) {
        if let Some(below) = self.top.replace(value) {
            self.below.push(below);
        }
    }

    /// Writes a value that holds no others.
    #[inline]
    pub(crate) fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), BuildError> {
        self.put(value_of(scalar)?);
        Ok(())
    }

    /// Where the next value begins.
    pub(crate) fn position(&self) -> usize {
        self.below.len().saturating_add(self.top.is_some().into())
    }

    /// Takes back what was written since this position.
    pub(crate) fn truncate(&mut self, position: usize) {
        self.below.extend(self.top.take());
        self.below.truncate(position);
        self.top = self.below.pop();
    }

    /// Makes a container of what was written since `start`.
    pub(crate) fn end(&mut self, container: Container, start: usize) {
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
    }
}

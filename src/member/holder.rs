//! The one view of a value and the values in it, for counts, paths, edits and serde.

use crate::wire::ByteString;

/// The contents of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// No values.
    Nothing,
    /// Values in a row. With the number of the first, they are also entries whose keys are numbers.
    List { first: Option<i64>, length: usize },
    /// Values with keys, which are text if they are `named`.
    Map { length: usize, named: bool },
}

/// A value or key in a container.
pub(crate) enum Child<'t, 'a, T> {
    Value(&'t T),
    /// A key that is text, or the name of a property.
    Key(&'t ByteString<'a>),
}

impl<T> Clone for Child<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Child<'_, '_, T> {}

/// A value that may hold others.
pub(crate) trait Holder<'a>: Sized {
    /// Its contents.
    fn held(&self) -> Held;

    /// Child number `index`: each key of a map is before its value.
    fn child(&self, index: usize) -> Option<Child<'_, 'a, Self>>;

    /// The value with this number, without its key.
    fn item<'s>(&'s self, number: usize) -> Option<&'s Self>
    where
        'a: 's,
    {
        let index = match self.held() {
            Held::Map { .. } => number.checked_mul(2)?.checked_add(1)?,
            Held::Nothing | Held::List { .. } => number,
        };
        match self.child(index)? {
            Child::Value(value) => Some(value),
            Child::Key(_) => None,
        }
    }
}

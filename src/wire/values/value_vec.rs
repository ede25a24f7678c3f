//! Lists of values that are freed at once where the values own no memory.

use std::fmt::{self, Debug};
use std::mem::{self, ManuallyDrop};
use std::ops::{Deref, DerefMut};

use super::owned::IntoOwned;

/// A list of values. It is used like a `Vec`, whose other methods [`to_mut`](Self::to_mut) has.
///
/// Values that were decoded borrow from the input, and often none of a list owns memory. Such a list is freed without a look at
/// its values.
///
/// ```
/// use enginewire::wire::ValueVec;
///
/// let mut items = ValueVec::from([1, 2]);
/// items.push(3);
/// items[0] = 0;
/// assert_eq!(items[..], [0, 2, 3]);
/// ```
pub struct ValueVec<T>(Memory<T>);

enum Memory<T> {
    /// No value owns memory: none has to be dropped.
    Plain(ManuallyDrop<Box<[T]>>),
    Owning(Vec<T>),
}

impl<T> ValueVec<T> {
    /// No values.
    #[must_use]
    pub const fn new() -> Self {
        ValueVec(Memory::Owning(Vec::new()))
    }

    /// A list that was read. `owns_memory` is true if any of its values owns memory.
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn read(items: Vec<T>, owns_memory: bool) -> Self {
        match owns_memory {
            true => items.into(),
            false => ValueVec(Memory::Plain(ManuallyDrop::new(items.into_boxed_slice()))),
        }
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.to_mut().push(value);
    }

    /// The values, to be changed in any way.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Memory::Plain(items) = &mut self.0 {
            self.0 = Memory::Owning(mem::take(&mut **items).into_vec());
        }
        match &mut self.0 {
            Memory::Owning(items) => items,
            Memory::Plain(_) => unreachable!("it was replaced above"),
        }
    }

    /// The values.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        mem::take(self.to_mut())
    }
}

/// Frees the memory of a list whose values own none.
impl<T> Drop for ValueVec<T> {
    #[inline]
    fn drop(&mut self) {
        if let Memory::Plain(items) = &mut self.0 {
            let mut items = mem::take(&mut **items).into_vec();
            // what is drained is not in the list any more, and what is forgotten is not dropped
            mem::forget(items.drain(..));
        }
    }
}

impl<T> Deref for ValueVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Plain(items) => items,
            Memory::Owning(items) => items,
        }
    }
}

impl<T> DerefMut for ValueVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> Default for ValueVec<T> {
    #[inline]
    fn default() -> Self {
        ValueVec::new()
    }
}

impl<T: Clone> Clone for ValueVec<T> {
    fn clone(&self) -> Self {
        match &self.0 {
            // a copy of what owns nothing owns nothing
            Memory::Plain(items) => ValueVec(Memory::Plain(items.clone())),
            Memory::Owning(items) => items.clone().into(),
        }
    }
}

impl<T: PartialEq> PartialEq for ValueVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for ValueVec<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        **self == **other
    }
}

impl<T: Debug> Debug for ValueVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> From<Vec<T>> for ValueVec<T> {
    #[inline]
    fn from(items: Vec<T>) -> Self {
        ValueVec(Memory::Owning(items))
    }
}

impl<T> From<ValueVec<T>> for Vec<T> {
    fn from(items: ValueVec<T>) -> Self {
        items.into_vec()
    }
}

impl<T, const N: usize> From<[T; N]> for ValueVec<T> {
    fn from(items: [T; N]) -> Self {
        Vec::from(items).into()
    }
}

impl<T> FromIterator<T> for ValueVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T> Extend<T> for ValueVec<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.to_mut().extend(items);
    }
}

impl<T> IntoIterator for ValueVec<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'s, T> IntoIterator for &'s ValueVec<T> {
    type Item = &'s T;
    type IntoIter = std::slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'s, T> IntoIterator for &'s mut ValueVec<T> {
    type Item = &'s mut T;
    type IntoIter = std::slice::IterMut<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: IntoOwned> IntoOwned for ValueVec<T> {
    type Owned = ValueVec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ByteString;
    use pretty_assertions::assert_eq;
    use std::rc::Rc;

    #[test]
    fn a_list_of_values_is_no_larger_than_a_vec() {
        assert_eq!(size_of::<Option<ValueVec<ByteString<'_>>>>(), size_of::<Vec<ByteString<'_>>>());
    }

    #[test]
    fn values_that_own_memory_are_dropped_once() {
        let owned = Rc::new(());
        let list = || ValueVec::read(vec![Some(owned.clone()), None], true);
        let mut changed = list();
        changed[1] = Some(owned.clone());
        drop((list(), changed.clone(), list().into_vec()));
        assert_eq!(Rc::strong_count(&owned), 3);
        drop(changed);
        assert_eq!(Rc::strong_count(&owned), 1);
        // also those that come into a list of others
        let mut plain = ValueVec::read(vec![None, None], false);
        plain[0] = Some(owned.clone());
        plain.extend([Some(owned.clone())]);
        assert_eq!((plain.len(), Rc::strong_count(&owned)), (3, 3));
        drop(plain);
        assert_eq!(Rc::strong_count(&owned), 1);
    }
}

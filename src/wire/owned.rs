//! Values that borrow from the input, and copies of them that borrow nothing.

/// A value with a copy that borrows nothing.
pub trait IntoOwned {
    /// The type of the copy.
    type Owned;

    /// The same value, borrowing nothing.
    #[must_use]
    fn into_owned(self) -> Self::Owned;
}

/// [`IntoOwned`] for types that never borrow.
macro_rules! never_borrows {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::wire::IntoOwned for $type {
            type Owned = Self;

            #[inline]
            fn into_owned(self) -> Self {
                self
            }
        }
    )*};
}
pub(crate) use never_borrows;

never_borrows!(bool, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// [`IntoOwned`] for types that have a method of this name.
macro_rules! owned_by_method {
    ($($type:ident),* $(,)?) => {$(
        impl $crate::wire::IntoOwned for $type<'_> {
            type Owned = $type<'static>;

            #[inline]
            fn into_owned(self) -> $type<'static> {
                $type::into_owned(self)
            }
        }
    )*};
}
pub(crate) use owned_by_method;

impl<T: super::Packed> IntoOwned for super::List<'_, T> {
    type Owned = super::List<'static, T>;

    fn into_owned(self) -> Self::Owned {
        super::List::into_owned(self)
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Box<T> {
    type Owned = Box<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Box::new(T::into_owned(*self))
    }
}

//! Values that borrow from the input, and copies of them that borrow nothing.

/// A value with a copy that borrows nothing.
pub trait IntoOwned: Sized {
    /// The type of the copy.
    type Owned;

    /// The same value, borrowing nothing.
    #[must_use]
    fn into_owned(self) -> Self::Owned;

    /// True if the value has memory of its own, which must be freed. What it borrows does not count.
    fn owns_memory(&self) -> bool {
        std::mem::needs_drop::<Self>()
    }
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

/// [`IntoOwned`] for types that have a method of this name. With fields, `Entry { key value }`, memory is owned only if one of
/// them owns it.
macro_rules! owned_by_method {
    ($($type:ident $({ $($field:ident)* })?),* $(,)?) => {$(
        impl $crate::wire::IntoOwned for $type<'_> {
            type Owned = $type<'static>;

            #[inline]
            fn into_owned(self) -> $type<'static> {
                $type::into_owned(self)
            }

            $(
                #[cfg_attr(fast, inline(always))]
                fn owns_memory(&self) -> bool {
                    false $(|| $crate::wire::IntoOwned::owns_memory(&self.$field))*
                }
            )?
        }
    )*};
}
pub(crate) use owned_by_method;

impl<T: crate::wire::Packed> IntoOwned for crate::wire::List<'_, T> {
    type Owned = crate::wire::List<'static, T>;

    fn into_owned(self) -> Self::Owned {
        crate::wire::List::into_owned(self)
    }

    #[cfg_attr(fast, inline(always))]
    fn owns_memory(&self) -> bool {
        crate::wire::List::owns_memory(self)
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

    #[cfg_attr(fast, inline(always))]
    fn owns_memory(&self) -> bool {
        self.as_ref().is_some_and(T::owns_memory)
    }
}

impl<T: IntoOwned> IntoOwned for Box<T> {
    type Owned = Box<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Box::new(T::into_owned(*self))
    }
}

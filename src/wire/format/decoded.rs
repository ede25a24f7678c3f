//! Values together with the input that they borrow from.

use std::fmt;
use std::sync::Arc;

use crate::error::DecodeError;
use crate::wire::Format;

/// A value together with the input that it borrows from. It has no lifetime, and no string of it is copied.
///
/// The `decode_owned` of each format makes it.
///
/// ```
/// use enginewire::roblox::attributes::{self, Decoded, Value};
/// use enginewire::DecodeError;
///
/// struct Player {
///     attributes: Decoded, // borrows from nothing outside
/// }
///
/// fn read(blob: Vec<u8>) -> Result<Player, DecodeError> {
///     Ok(Player { attributes: attributes::decode_owned(blob)? })
/// }
///
/// let blob = b"\x01\0\0\0\x04\0\0\0Name\x02\x05\0\0\0Torch".to_vec();
/// let player = read(blob.clone())?;
/// assert_eq!(player.attributes.value().get("Name").and_then(Value::as_str), Some("Torch"));
/// assert_eq!(player.attributes.into_bytes(), blob);
/// # Ok::<(), DecodeError>(())
/// ```
///
/// A clone shares both with the original. To change the value, clone it: `decoded.value().clone()` borrows from `decoded`,
/// and [`into_owned`](crate::wire::IntoOwned::into_owned) makes it independent.
pub struct Decoded<F: KeepsInput>(Arc<F::Kept>);

impl<F: KeepsInput> Decoded<F> {
    pub(crate) fn new(kept: F::Kept) -> Self {
        Decoded(Arc::new(kept))
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &F::Value<'_> {
        F::value(&self.0)
    }

    /// The input. It may differ from the encoded value: it may have forms that are not canonical, and bytes
    /// after the value where the options allow them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        F::bytes(&self.0)
    }

    /// The input, as it was passed to the function. It is copied only if a clone still has it.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match Arc::try_unwrap(self.0) {
            Ok(kept) => F::into_bytes(kept),
            Err(shared) => F::bytes(&shared).to_vec(),
        }
    }
}

impl<F: KeepsInput> Clone for Decoded<F> {
    fn clone(&self) -> Self {
        Decoded(Arc::clone(&self.0))
    }
}

/// Shows the value.
impl<F: KeepsInput> fmt::Debug for Decoded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded").field("value", self.value()).finish_non_exhaustive()
    }
}

/// Compares the values. The bytes may differ where they are not canonical.
impl<F: KeepsInput> PartialEq for Decoded<F> {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

/// A format whose values can be kept together with their input, as [`Decoded`].
///
/// [`keeps_input!`](crate::keeps_input) implements it for one format at a time: the compiler can only see for a concrete type of
/// value that it is covariant in its lifetime.
pub trait KeepsInput: Format {
    /// The input, and the value that borrows from it.
    type Kept;

    /// Decodes the value and keeps the input with it.
    ///
    /// # Errors
    ///
    /// That of `decode`, with the input.
    fn keep(
        bytes: Vec<u8>,
        decode: impl for<'a> FnOnce(&'a [u8]) -> Result<Self::Value<'a>, DecodeError>,
    ) -> Result<Self::Kept, (Vec<u8>, DecodeError)>;

    /// The value.
    fn value(kept: &Self::Kept) -> &Self::Value<'_>;

    /// The input.
    fn bytes(kept: &Self::Kept) -> &[u8];

    /// Drops the value and gives the input.
    fn into_bytes(kept: Self::Kept) -> Vec<u8>;
}

/// Implements [`wire::KeepsInput`](crate::wire::KeepsInput) for a format, so that
/// [`wire::format::decode_owned`](crate::wire::format::decode_owned) works with it. The file `examples/own_format.rs` in the
/// repository uses it.
///
/// The value must be covariant in its lifetime. One with a `Cell`, a `&mut` or a function of that lifetime in it does not
/// compile.
#[macro_export]
macro_rules! keeps_input {
    ($format:ty) => {
        const _: () = {
            type DecodedValue<'a> = <$format as $crate::wire::Format>::Value<'a>;

            $crate::wire::self_cell::self_cell! {
                pub struct InputAndValue {
                    owner: ::std::vec::Vec<u8>,
                    #[covariant]
                    dependent: DecodedValue,
                }
            }

            impl $crate::wire::KeepsInput for $format {
                type Kept = InputAndValue;

                #[inline]
                fn keep(
                    bytes: ::std::vec::Vec<u8>,
                    decode: impl for<'a> FnOnce(&'a [u8]) -> ::std::result::Result<DecodedValue<'a>, $crate::DecodeError>,
                ) -> ::std::result::Result<InputAndValue, (::std::vec::Vec<u8>, $crate::DecodeError)> {
                    InputAndValue::try_new_or_recover(bytes, |bytes| decode(bytes))
                }

                #[inline]
                fn value(kept: &InputAndValue) -> &DecodedValue<'_> {
                    kept.borrow_dependent()
                }

                #[inline]
                fn bytes(kept: &InputAndValue) -> &[u8] {
                    kept.borrow_owner()
                }

                #[inline]
                fn into_bytes(kept: InputAndValue) -> ::std::vec::Vec<u8> {
                    kept.into_owner()
                }
            }
        };
    };
}

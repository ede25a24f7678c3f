//! Bytes that are borrowed from the input or owned: [`ByteArray`], and text as [`ByteString`].

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bstr::{BStr, BString};

use super::owned::IntoOwned;
use crate::error::{AsKey, Key};

/// Bytes, borrowed or owned. Decoded ones are borrowed from the input.
///
/// It is used like a `Cow<[u8]>`, but its methods have plainer names.
///
/// ```
/// use enginewire::wire::ByteArray;
///
/// let mut bytes = ByteArray::from(&[1, 2, 3][..]);
/// assert_eq!(bytes.as_borrowed(), Some(&[1, 2, 3][..]));
/// bytes.to_mut().push(4); // copies them first
/// assert_eq!(&bytes[..], [1, 2, 3, 4]);
/// assert_eq!(bytes.as_borrowed(), None);
/// ```
#[derive(Clone, Default)]
pub struct ByteArray<'a>(Cow<'a, [u8]>);

impl<'a> ByteArray<'a> {
    /// The bytes for as long as the input lives, if they are borrowed from it.
    #[must_use]
    #[inline]
    pub fn as_borrowed(&self) -> Option<&'a [u8]> {
        match self.0 {
            Cow::Borrowed(bytes) => Some(bytes),
            Cow::Owned(_) => None,
        }
    }

    /// The bytes, to be changed. Borrowed ones are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<u8> {
        self.0.to_mut()
    }

    /// The bytes. Borrowed ones are copied.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_owned()
    }

    /// The same bytes, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> ByteArray<'static> {
        self.into_vec().into()
    }
}

impl Deref for ByteArray<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes, usually UTF-8. Decoded ones are borrowed from the input.
///
/// It is used like a `Cow<BStr>`. Text comes in by `from`, and goes out by the functions of [`BStr`] and, with its trait
/// in scope, of [`ByteSlice`](bstr::ByteSlice).
///
/// ```
/// use enginewire::wire::ByteString;
///
/// let name = ByteString::from("Torch");
/// assert_eq!(name, "Torch");
/// assert_eq!(name.as_str(), Some("Torch"));
/// assert_eq!(name.as_borrowed().map(|text| text.len()), Some(5));
/// assert_eq!(name.clone().into_owned().as_borrowed(), None);
/// ```
#[derive(Clone, Default)]
pub struct ByteString<'a>(ByteArray<'a>);

impl<'a> ByteString<'a> {
    /// The bytes for as long as the input lives, if they are borrowed from it.
    #[must_use]
    #[inline]
    pub fn as_borrowed(&self) -> Option<&'a BStr> {
        self.0.as_borrowed().map(BStr::new)
    }

    /// The text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The bytes, to be changed. Borrowed ones are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<u8> {
        self.0.to_mut()
    }

    /// The bytes. Borrowed ones are copied.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_vec()
    }

    /// The same bytes, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> ByteString<'static> {
        ByteString(self.0.into_owned())
    }
}

impl Deref for ByteString<'_> {
    type Target = BStr;

    #[inline]
    fn deref(&self) -> &BStr {
        BStr::new(&*self.0)
    }
}

impl fmt::Display for ByteString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Debug for ByteArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// As a `BStr` is shown.
impl fmt::Debug for ByteString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // a `BStr` is written character by character; of a long one, most writers want only the first
        let is_plain = self.len() <= 256 && self.iter().copied().all(is_shown_as_it_is);
        match if is_plain { self.as_str() } else { None } {
            Some(text) => {
                f.write_str("\"")?;
                f.write_str(text)?;
                f.write_str("\"")
            }
            None => fmt::Debug::fmt(&**self, f),
        }
    }
}

/// Returns true if a text in quotes shows this byte without an escape.
fn is_shown_as_it_is(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\'' | b'\\')
}

/// The traits of both types: they are compared and hashed as the bytes that they hold.
macro_rules! as_bytes {
    ($($name:ident: $target:ty;)*) => {$(
        impl PartialEq for $name<'_> {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl Eq for $name<'_> {}

        impl PartialOrd for $name<'_> {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name<'_> {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                (**self).cmp(&**other)
            }
        }

        impl Hash for $name<'_> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }

        impl Borrow<$target> for $name<'_> {
            fn borrow(&self) -> &$target {
                self
            }
        }

        impl AsRef<[u8]> for $name<'_> {
            #[inline]
            fn as_ref(&self) -> &[u8] {
                self
            }
        }

        impl<T: AsRef<[u8]> + ?Sized> PartialEq<&T> for $name<'_> {
            fn eq(&self, other: &&T) -> bool {
                let bytes: &[u8] = self;
                bytes == other.as_ref()
            }
        }

        impl IntoOwned for $name<'_> {
            type Owned = $name<'static>;

            fn into_owned(self) -> $name<'static> {
                $name::into_owned(self)
            }

            #[cfg_attr(fast, inline(always))]
            fn owns_memory(&self) -> bool {
                self.as_borrowed().is_none()
            }
        }

        impl<'a> From<$name<'a>> for Cow<'a, [u8]> {
            fn from(bytes: $name<'a>) -> Self {
                match bytes.as_borrowed() {
                    Some(bytes) => Cow::Borrowed(bytes),
                    None => Cow::Owned(bytes.into_vec()),
                }
            }
        }

        impl From<$name<'_>> for Vec<u8> {
            fn from(bytes: $name<'_>) -> Self {
                bytes.into_vec()
            }
        }
    )*};
}

as_bytes! {
    ByteArray: [u8];
    ByteString: BStr;
}

impl From<ByteString<'_>> for BString {
    fn from(text: ByteString<'_>) -> Self {
        text.into_vec().into()
    }
}

impl<'a> From<&'a [u8]> for ByteArray<'a> {
    #[inline]
    fn from(bytes: &'a [u8]) -> Self {
        ByteArray(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for ByteArray<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        ByteArray(Cow::Owned(bytes))
    }
}

impl<'a> From<Cow<'a, [u8]>> for ByteArray<'a> {
    fn from(bytes: Cow<'a, [u8]>) -> Self {
        ByteArray(bytes)
    }
}

impl<'a> From<Cow<'a, str>> for ByteString<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

/// A type that a key or string can be made from: text or bytes, borrowed or owned.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither text nor bytes",
    note = "give a `&str`, `String`, `&[u8]` or `Vec<u8>`"
)]
pub trait IntoByteString<'a> {
    /// The bytes, copied only if they must be.
    fn into_byte_string(self) -> ByteString<'a>;
}

macro_rules! into_byte_string {
    ($($type:ty: $value:ident => $bytes:expr;)*) => {$(
        impl<'a> From<$type> for ByteString<'a> {
            #[inline]
            fn from($value: $type) -> Self {
                ByteString(ByteArray::from($bytes))
            }
        }

        impl<'a> IntoByteString<'a> for $type {
            #[inline]
            fn into_byte_string(self) -> ByteString<'a> {
                self.into()
            }
        }
    )*};
}

into_byte_string! {
    &'a str: text => text.as_bytes();
    &'a [u8]: bytes => bytes;
    &'a BStr: text => &**text;
    &'a Vec<u8>: bytes => bytes.as_slice();
    String: text => text.into_bytes();
    Vec<u8>: bytes => bytes;
    BString: text => Vec::from(text);
}

impl<'a, const N: usize> From<&'a [u8; N]> for ByteString<'a> {
    #[inline]
    fn from(bytes: &'a [u8; N]) -> Self {
        bytes[..].into()
    }
}

impl<'a, const N: usize> IntoByteString<'a> for &'a [u8; N] {
    fn into_byte_string(self) -> ByteString<'a> {
        self.into()
    }
}

impl<'a> IntoByteString<'a> for ByteString<'a> {
    fn into_byte_string(self) -> ByteString<'a> {
        self
    }
}

impl AsKey for ByteString<'_> {
    fn to_key(&self) -> Key {
        Key::Text(BString::from(&**self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn bytes_are_what_they_hold_borrowed_or_owned() {
        let (borrowed, owned) = (ByteString::from("é"), ByteString::from("é".to_owned()));
        assert_eq!(borrowed, owned);
        assert_eq!(borrowed.cmp(&owned), std::cmp::Ordering::Equal);
        assert_eq!((borrowed.as_borrowed(), owned.as_borrowed()), (Some(BStr::new("é")), None));
        assert_eq!((borrowed.to_string(), format!("{owned:?}")), ("é".to_owned(), "\"é\"".to_owned()));
        assert_eq!(std::collections::HashSet::from([borrowed.clone(), owned]).len(), 1);
        assert!(std::collections::HashSet::from([borrowed]).contains(BStr::new("é")));
        let [first, last] = ["a", "b"].map(ByteString::from);
        assert!(first < last);
        assert_ne!(ByteString::from(&b"\xff"[..]), "é");
        assert!(ByteString::from(vec![0xff]).as_str().is_none());
    }

    /// Every byte alone and among others, and a long text.
    #[test]
    fn a_byte_string_is_shown_as_a_bstr() {
        let long = "x".repeat(257);
        let texts = (0..=u8::MAX).flat_map(|byte| [vec![byte], vec![b'a', byte, b'b']]);
        for text in texts.chain([b"".to_vec(), long.into_bytes(), "é\u{200e}'".into()]) {
            assert_eq!(format!("{:?}", ByteString::from(&*text)), format!("{:?}", BStr::new(&text)));
        }
    }

    #[test]
    fn borrowed_bytes_are_copied_where_they_are_changed() {
        let mut bytes = ByteArray::from(&b"ab"[..]);
        bytes.to_mut().push(b'c');
        bytes.to_mut().push(b'd');
        assert_eq!(bytes, b"abcd");
        assert_eq!(Vec::from(bytes), b"abcd");
        let mut text = ByteString::default();
        text.to_mut().extend(b"xy");
        assert_eq!(BString::from(text.clone()), "xy");
        assert_eq!(text.into_owned(), "xy");
        assert_eq!(ByteArray::from(Cow::from(&b"q"[..])), ByteArray::from(Cow::from(b"q".to_vec())));
        let [lent, kept] = [ByteString::from(Cow::from("q")), ByteString::from(Cow::from("q".to_owned()))];
        assert!(matches!(Cow::from(lent), Cow::Borrowed(b"q")));
        assert!(matches!(Cow::from(kept), Cow::Owned(bytes) if bytes == b"q"));
    }
}

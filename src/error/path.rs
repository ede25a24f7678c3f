//! Paths to the fields of a value, through its items.

use std::borrow::Cow;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};

use super::text::write_text;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Segment {
    /// A field of a structure.
    Field(&'static str),
    /// An item of a list, counted from 0.
    Index(usize),
    /// The key of the item just named.
    Key(Key),
}

/// The key of an item of a map, as a [`Path`] keeps it.
///
/// It is shown as text in quotes or as a number, and shortened if it is long. Its content is not shortened.
///
/// ```
/// use enginewire::roblox::attributes;
/// use enginewire::Key;
///
/// let error = attributes::decode(b"\x01\0\0\0\x04\0\0\0Kind\xff").unwrap_err();
/// let key = error.path().key().unwrap();
/// assert_eq!((key.as_str(), key.to_string()), (Some("Kind"), "\"Kind\"".to_owned()));
/// assert_eq!(*key, Key::Text("Kind".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key {
    /// A string: its bytes, which are usually text.
    Text(BString),
    /// An integer.
    Integer(i64),
    /// Any other value, as text for a person to read. It is shortened, because such a value may be of any size.
    Other(Box<str>),
}

/// The most bytes of a key's text that are shown.
pub(crate) const KEY_TEXT: usize = 64;

impl Key {
    /// The bytes of a string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Key::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes()?.to_str().ok()
    }

    /// A value as text for a person, shortened.
    pub(crate) fn shown(value: &dyn fmt::Debug) -> Self {
        Key::Other(short_text(value).into())
    }
}

fn short_text(value: &dyn fmt::Debug) -> String {
    let mut text = String::new();
    write_text(&mut text, value, KEY_TEXT);
    text
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Text(text) => f.write_str(&short_text(&BStr::new(text))),
            Key::Integer(number) => write!(f, "{number}"),
            Key::Other(text) => f.write_str(text),
        }
    }
}

/// A value that can be the key of an item: [`keyed`](crate::wire::keyed) and [`gen_keyed`](crate::wire::gen_keyed) take it.
///
/// A type of your own needs only an empty `impl`; paths then show its `{:?}` text.
///
/// ```
/// use enginewire::wire::AsKey;
/// use enginewire::Key;
///
/// #[derive(Debug)]
/// struct Slot(u8);
/// impl AsKey for Slot {}
///
/// assert_eq!(Slot(3).to_key(), Key::Other("Slot(3)".into()));
/// assert_eq!(3_u8.to_key(), Key::Integer(3));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not shown as the key of an item",
    note = "write an empty `impl` of `enginewire::wire::AsKey` for it, or make the key text, bytes or an integer"
)]
pub trait AsKey: fmt::Debug {
    /// The key as a [`Path`] keeps it.
    fn to_key(&self) -> Key {
        Key::shown(&self)
    }
}

macro_rules! text_keys {
    ($($type:ty),*) => {$(
        impl AsKey for $type {
            fn to_key(&self) -> Key {
                Key::Text(BString::from(AsRef::<[u8]>::as_ref(self)))
            }
        }
    )*};
}
text_keys!(str, String, [u8], Vec<u8>, BStr, BString);

impl AsKey for Cow<'_, BStr> {
    fn to_key(&self) -> Key {
        BStr::to_key(self)
    }
}

macro_rules! integer_keys {
    ($($type:ty),*) => {$(
        impl AsKey for $type {
            fn to_key(&self) -> Key {
                i64::try_from(*self).map_or_else(|_| Key::Other(self.to_string().into()), Key::Integer)
            }
        }
    )*};
}
integer_keys!(u8, u16, u32, u64, usize, i8, i16, i32, i64);

impl AsKey for bool {}
impl AsKey for f32 {}
impl AsKey for f64 {}
impl AsKey for () {}
impl<T: AsKey> AsKey for Option<T> {}

impl<T: AsKey + ?Sized> AsKey for &T {
    fn to_key(&self) -> Key {
        T::to_key(self)
    }
}

impl<T: AsKey + ?Sized> AsKey for Box<T> {
    fn to_key(&self) -> Key {
        T::to_key(self)
    }
}

/// The number of steps that are shown at the start of a long path, and at its end.
const SHOWN: usize = 12;

/// The path from the outermost structure to a field: `entries[3] "Health".value.double`.
///
/// Shown as text, a path through many levels of containers is shortened in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The steps, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The first index of the path: which item of the outermost list it leads through.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.0.iter().find_map(|segment| match segment {
            Segment::Index(index) => Some(*index),
            _ => None,
        })
    }

    /// The first key of the path.
    #[must_use]
    pub fn key(&self) -> Option<&Key> {
        self.0.iter().find_map(|segment| match segment {
            Segment::Key(key) => Some(key),
            _ => None,
        })
    }

    /// The path with `segment` before it.
    #[must_use]
    pub fn within(mut self, segment: Segment) -> Self {
        self.0.insert(0, segment);
        self
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<T: IntoIterator<Item = Segment>>(segments: T) -> Self {
        Path(segments.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = SHOWN..self.0.len().saturating_sub(SHOWN);
        for (step, segment) in self.0.iter().enumerate() {
            if hidden.contains(&step) {
                if step == SHOWN {
                    f.write_str(" … ")?;
                }
                continue;
            }
            // no step comes right before it, so it needs no separator
            let begins = step == 0 || (step == hidden.end && !hidden.is_empty());
            match segment {
                Segment::Field(name) if begins => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if begins => write!(f, "{key}")?,
                Segment::Key(key) => write!(f, " {key}")?,
            }
        }
        Ok(())
    }
}

/// ` in entries[3]`, or nothing if the path is empty.
pub(super) struct InPath<'p>(pub(super) &'p Path);

impl fmt::Display for InPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.segments().is_empty() {
            return Ok(());
        }
        write!(f, " in {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error in a thousand containers has five thousand steps.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn steps_are_small() {
        assert_eq!(std::mem::size_of::<Segment>(), 24);
    }

    use pretty_assertions::assert_eq;

    #[test]
    fn the_first_index_and_key_of_a_path() {
        let key = Key::Text("k".into());
        let path: Path = [Segment::Field("a"), Segment::Index(3), Segment::Key(key.clone()), Segment::Index(1)]
            .into_iter()
            .collect();
        assert_eq!((path.index(), path.key()), (Some(3), Some(&key)));
        assert_eq!((Path::default().index(), Path::default().key()), (None, None));
    }

    /// A long path is shortened in the middle, and no dot comes directly after the gap.
    #[test]
    fn the_middle_of_a_long_path_is_left_out() {
        let path = |steps: usize| (0..steps).map(|_| Segment::Field("a")).collect::<Path>().to_string();
        let half = ["a"; SHOWN].join(".");
        assert_eq!(path(2 * SHOWN), vec!["a"; 2 * SHOWN].join("."));
        assert_eq!(path(2 * SHOWN + 1), format!("{half} … {half}"));
        assert_eq!(path(2 * SHOWN + 9), format!("{half} … {half}"));
    }

    #[test]
    fn a_key_at_the_start_has_no_space_before_it() {
        let steps = [Segment::Key(Key::Text("a".into())), Segment::Index(0), Segment::Key(Key::Integer(7))];
        assert_eq!(Path::from_iter(steps).to_string(), r#""a"[0] 7"#);
        let many = (0..=2 * SHOWN).map(|_| Segment::Key(Key::Integer(7))).collect::<Path>().to_string();
        let half = ["7"; SHOWN].join(" ");
        assert_eq!(many, format!("{half} … {half}"));
    }

    /// Only what is shown is shortened.
    #[test]
    fn keys_are_whole() {
        let long = "k".repeat(1000);
        let key = long.as_str().to_key();
        assert_eq!((key.as_str(), key.as_bytes()), (Some(&long[..]), Some(long.as_bytes())));
        assert_eq!(key.to_string(), format!("\"{}…", "k".repeat(KEY_TEXT - 1)));
        let bytes = b"a\xff"[..].to_key();
        assert_eq!((bytes.as_str(), bytes.to_string()), (None, r#""a\xff""#.to_owned()));
        assert_eq!((7_u8.to_key(), (-7_i64).to_key()), (Key::Integer(7), Key::Integer(-7)));
        assert_eq!(u64::MAX.to_key(), Key::Other(u64::MAX.to_string().into()));
        assert_eq!((0.5_f64.to_key(), Some(1).to_key()), (Key::Other("0.5".into()), Key::Other("Some(1)".into())));
    }
}

//! Entry.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};

use super::options::Nesting;
use super::string::{gen_string, string};
use super::value::{gen_value, value, Value};
use crate::wire::{
    field, gen_field, gen_keyed, keyed, owned_by_method, ByteString, IntoByteString, Puts, Source, WireError,
};

/// A key and its value.
///
/// | field | type |
/// |---|---|
/// | key | String |
/// | value | [`Value`] |
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The name: any bytes, and not checked. See [`KeyRules`](super::KeyRules).
    pub key: ByteString<'a>,
    /// The value.
    pub value: Value<'a>,
}

impl<'a> Entry<'a> {
    /// An entry from anything that makes a key and a value: `Entry::new("Health", 100.0)`.
    pub fn new(key: impl IntoByteString<'a>, value: impl Into<Value<'a>>) -> Self {
        Entry { key: key.into_byte_string(), value: value.into() }
    }

    /// About how many bytes it takes, for making room: two lengths and a type, and what they belong to.
    #[inline]
    pub(super) fn size_hint(&self) -> usize {
        self.key.len().wrapping_add(self.value.size_hint()).wrapping_add(9)
    }

    /// The same entry, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        Entry { key: self.key.into_owned(), value: self.value.into_owned() }
    }
}

owned_by_method!(Entry { key value });

/// Reads an [`Entry`]. Errors in the value name the key.
///
/// In little-endian, the bytes `02 00 00 00 4f 6e 03 01` are `Entry::new("On", true)`. A value that [`value`] refuses is
/// refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Entry.
#[inline]
pub fn entry<'a, I, E>(nesting: Nesting) -> impl Puts<I, Output = Entry<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    keyed(field("key", string()), field("value", value(nesting)), |key, value| Entry { key, value })
}

/// Writes an [`Entry`], as [`entry`] reads it. A key that is too long is refused, and a value that [`gen_value`] refuses.
#[inline]
pub fn gen_entry<'v, W: Write + 'v>(nesting: Nesting, entry: &'v Entry<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_field("key", gen_string(&entry.key))(out)?;
        gen_keyed(&entry.key, gen_field("value", gen_value(nesting, &entry.value)))(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        for (bytes, value) in [
            ("02 00 00 00 4f 6e 03 01", Entry::new("On", true)),
            ("01 00 00 00 4e 06 00 00 00 00 00 00 e0 3f", Entry::new("N", 0.5)),
        ] {
            let generator = gen_entry(Nesting::default(), &value);
            both_ways(&hex(bytes), value.clone(), || entry(Nesting::default()), generator);
        }
    }
}

//! Serde's access to the parts of containers and structures.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::de::Typed;
use super::error::{ReadError, Step};
use super::look::{One, Reader, Record};
use super::plain::Neutral;
use super::Leniency;

/// The items of a container.
pub(super) struct Items<'r, R> {
    pub(super) reader: &'r mut R,
    pub(super) leniency: Leniency,
    /// True if a key, which is skipped, comes before each item.
    pub(super) keyed: bool,
    pub(super) index: usize,
    pub(super) count: usize,
}

impl<'de, R: Reader<'de>> SeqAccess<'de> for &mut Items<'_, R> {
    type Error = ReadError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let index = self.index;
        if index >= self.count {
            return Ok(None);
        }
        self.index = index.saturating_add(1);
        if self.keyed {
            self.reader.skip()?;
        }
        let value = seed.deserialize(Typed::new(&mut *self.reader, self.leniency));
        value.map(Some).map_err(|error| error.within(Step::Item(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.count.checked_sub(self.index)
    }
}

/// The entries of a container.
pub(super) struct Entries<'r, R> {
    pub(super) reader: &'r mut R,
    pub(super) leniency: Leniency,
    pub(super) named: bool,
    /// The number that is the first key, where keys are numbers that are not read.
    pub(super) first: Option<i64>,
    /// The keys that are likely, in their order.
    pub(super) likely: &'static [&'static str],
    pub(super) index: usize,
    pub(super) count: usize,
}

impl<'de, R: Reader<'de>> MapAccess<'de> for &mut Entries<'_, R> {
    type Error = ReadError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        if self.leniency.last_duplicate {
            while self.index < self.count && self.reader.is_overridden() {
                self.reader.skip()?;
                self.reader.skip()?;
                self.index = self.index.saturating_add(1);
            }
        }
        if self.index >= self.count {
            return Ok(None);
        }
        let index = self.index;
        let at = |error: ReadError| error.within(Step::Key(index));
        if let Some(first) = self.first {
            let number = i64::try_from(index).unwrap_or(i64::MAX).saturating_add(first);
            let key = Neutral::Int(number).read(|key| seed.deserialize(key));
            return key.map(Some).map_err(at);
        }
        if self.named {
            self.reader.expect_name();
        }
        let likely = self.likely.get(index).copied().unwrap_or_default();
        let key = Typed::key(&mut *self.reader, self.leniency, likely);
        seed.deserialize(key).map(Some).map_err(at)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let index = self.index;
        self.index = index.saturating_add(1);
        let value = seed.deserialize(Typed::new(&mut *self.reader, self.leniency));
        value.map_err(|error| error.within(Step::Item(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.count.checked_sub(self.index)
    }
}

/// A variant of an enum: an entry from its name to its value.
pub(super) struct Variant<'r, R> {
    pub(super) reader: &'r mut R,
    pub(super) leniency: Leniency,
}

impl<'de, R: Reader<'de>> EnumAccess<'de> for Variant<'_, R> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), ReadError> {
        let key = Typed::key(&mut *self.reader, self.leniency, "");
        let name = seed.deserialize(key).map_err(|error| error.within(Step::Key(0)))?;
        Ok((name, self))
    }
}

/// An error in the value of a variant.
#[cold]
fn in_variant(error: ReadError) -> ReadError {
    error.within(Step::Item(0))
}

impl<'de, R: Reader<'de>> VariantAccess<'de> for Variant<'_, R> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        serde::Deserialize::deserialize(Typed::new(self.reader, self.leniency)).map_err(in_variant)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(Typed::new(self.reader, self.leniency)).map_err(in_variant)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        Typed::new(self.reader, self.leniency).deserialize_tuple(length, visitor).map_err(in_variant)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        Typed::new(self.reader, self.leniency).deserialize_struct("", fields, visitor).map_err(in_variant)
    }
}

/// Values that are made one by one.
pub(super) struct Made<'i, 'de> {
    pub(super) item: &'i dyn Fn(usize) -> Option<Neutral<'de>>,
    pub(super) index: usize,
    pub(super) length: usize,
}

impl<'de> SeqAccess<'de> for &mut Made<'_, 'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = Some(self.index).filter(|index| *index < self.length).and_then(self.item) else {
            return Ok(None);
        };
        self.index = self.index.saturating_add(1);
        item.read(|item| seed.deserialize(item)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        self.length.checked_sub(self.index)
    }
}

/// The numbers of a record, by their names.
pub(super) struct Members {
    pub(super) record: Record,
    pub(super) next: usize,
}

impl<'de> MapAccess<'de> for Members {
    type Error = ReadError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        match self.record.names.get(self.next) {
            Some(name) => seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let mut number = One(self.record.number(self.next));
        self.next = self.next.saturating_add(1);
        seed.deserialize(Typed::new(&mut number, Leniency::new()))
    }
}

impl<'de> SeqAccess<'de> for Members {
    type Error = ReadError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        match self.next < self.record.names.len() {
            true => self.next_value_seed(seed).map(Some),
            false => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.record.names.len().checked_sub(self.next)
    }
}

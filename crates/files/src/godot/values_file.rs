//! A sequence of values as a container.

use std::ops::ControlFlow;

use serde_json::json;

use crate::address::item;
use crate::containers::{append, Arranged, Container, ContainerError, Embedded, ValueChange, AFTER_BROKEN};
use enginewire::budget;
use enginewire::godot::{Options, VariantFormat, Version};
use enginewire::number::to_u64;
use enginewire::wire::format::length;

/// Values that follow each other with nothing between them, as a [`Container`]. The address of a value is its number and
/// its offset.
///
/// A value has no length prefix. After one that cannot be read, the start of the next is unknown, so all bytes from its
/// start on are the last value.
#[derive(Clone, Debug)]
pub struct ValuesFile {
    bytes: Vec<u8>,
    options: Options,
    max_memory: usize,
}

impl ValuesFile {
    /// The values in these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>, options: Options) -> Self {
        ValuesFile { bytes, options, max_memory: budget::DEFAULT }
    }

    /// The file may have this size after a change, in bytes; 256 MiB unless set.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        ValuesFile { max_memory: bytes, ..self }
    }

    /// The bytes of each value, with their offsets.
    fn parts(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut rest = &*self.bytes;
        std::iter::from_fn(move || {
            let offset = self.bytes.len().saturating_sub(rest.len());
            let bytes = Some(rest).filter(|rest| !rest.is_empty())?;
            let length = length::<VariantFormat>(bytes, &self.options.trailing_bytes(true)).unwrap_or(bytes.len());
            let (value, behind) = bytes.split_at_checked(length)?;
            rest = behind;
            Some((offset, value))
        })
    }

    /// The formats of the values.
    const fn formats(&self) -> &'static [&'static str] {
        match self.options.version() {
            Version::V3 => &["godot-3"],
            Version::V4 => &["godot-4"],
        }
    }
}

impl Container for ValuesFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        for (number, (offset, bytes)) in self.parts().enumerate() {
            let members = vec![("index", json!(number)), ("offset", json!(offset))];
            let embedded = Embedded::new(item(number), self.formats(), Ok(bytes)).with_members(members);
            if each(Embedded { is_open: true, start: Some(to_u64(offset)), ..embedded }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Each value must be one whole value: anything else would change what follows it.
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = Arranged::new(self, changes)?;
        let whole = self.options.trailing_bytes(false).unpadded_bytes(false);
        for bytes in changes.new_bytes() {
            enginewire::godot::check_with(bytes, &whole, |_, _| {}).map_err(ContainerError::malformed)?;
        }
        let (mut changed, mut count, mut last) = (Vec::new(), 0usize, None);
        for addition in &changes.first {
            append(&mut changed, addition.bytes, self.max_memory)?;
        }
        for (number, (_, bytes)) in self.parts().enumerate() {
            count = number.saturating_add(1);
            let bytes = changes.values.get(&number).copied().unwrap_or(Some(bytes));
            append(&mut changed, bytes.unwrap_or_default(), self.max_memory)?;
            last = bytes.or(last);
        }
        changes.check_addresses((0, count), item)?;
        let is_broken = |bytes: &[u8]| enginewire::godot::check_with(bytes, &self.options, |_, _| {}).is_err();
        if !changes.last.is_empty() && last.is_some_and(is_broken) {
            return Err(ContainerError::Refused(AFTER_BROKEN.to_owned()));
        }
        for addition in &changes.last {
            append(&mut changed, addition.bytes, self.max_memory)?;
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// true, 42, null
    const VALUES: &[u8] = b"\x01\0\0\0\x01\0\0\0\x02\0\0\0\x2a\0\0\0\0\0\0\0";

    fn listed(bytes: &[u8], options: Options) -> Vec<(String, usize)> {
        let values = ValuesFile::new(bytes.to_vec(), options).list().unwrap();
        values.into_iter().map(|value| (value.address.to_string(), value.bytes.unwrap().len())).collect()
    }

    #[test]
    fn values_are_listed_up_to_the_one_that_cannot_be_read() {
        let options = Options::new(Version::V4);
        let all = [("[0]", 8), ("[1]", 8), ("[2]", 4)].map(|(address, length)| (address.to_owned(), length));
        assert_eq!(listed(VALUES, options), all);
        assert_eq!(listed(&VALUES[..14], options), [all[0].clone(), ("[1]".to_owned(), 6)]);
        let broken = [&VALUES[..8], b"\x63\0\0\0", VALUES].concat();
        assert_eq!(listed(&broken, options), [all[0].clone(), ("[1]".to_owned(), 24)]);
        let unpadded = [VALUES, b"\x1d\0\0\0\x01\0\0\0\x07"].concat();
        assert_eq!(listed(&unpadded, options.unpadded_bytes(true))[3], ("[3]".to_owned(), 9));
        assert_eq!(listed(b"", options), []);
    }

    #[test]
    fn only_a_whole_value_replaces_another() {
        let file = ValuesFile::new(VALUES.to_vec(), Options::new(Version::V4).trailing_bytes(true));
        let values = file.list().unwrap();
        let replaced = |bytes: &[u8]| file.changed(&[ValueChange::Replace { address: &values[1].address, bytes }]);
        assert_eq!(replaced(b"\0\0\0\0").unwrap(), [&VALUES[..8], &[0; 8]].concat());
        assert_eq!(file.changed(&[]).unwrap(), VALUES);
        for bytes in [&b""[..], b"\x02\0\0\0", b"\0\0\0\0\0\0\0\0", b"\x1d\0\0\0\x01\0\0\0\x07"] {
            assert!(matches!(replaced(bytes), Err(ContainerError::Malformed(_))), "{bytes:?}");
        }
        let change = [ValueChange::Replace { address: &values[1].address, bytes: b"\0\0\0\0" }];
        assert_eq!(file.clone().max_memory(16).changed(&change).unwrap().len(), 16);
        assert!(matches!(file.clone().max_memory(15).changed(&change), Err(ContainerError::TooLarge { .. })));
    }
}

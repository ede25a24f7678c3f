//! Attributes that are written entry by entry.

use std::io::{self, Write};

use super::entry::{gen_entry, Entry};
use super::options::{Nesting, Options};
use crate::error::{EncodeError, EncodeFault, Path, WriteError};
use crate::number::to_usize;
use crate::wire::{gen_field, gen_item, gen_uint32, generate_into, Le};

/// Writes attributes entry by entry: the bytes of [`encode`](super::encode). It keeps at most one entry and 8 KiB in
/// memory. The number of entries is written before them.
///
/// ```
/// use enginewire::roblox::attributes::{self, Encoder, Entry};
///
/// let mut encoder = Encoder::new(Vec::new(), 1000)?; // a file, a socket, …
/// for number in 0..1000 {
///     encoder.write(&Entry::new(format!("Slot{number}"), number))?;
/// }
/// let bytes = encoder.finish()?;
/// assert_eq!(attributes::decode(&bytes)?.get("Slot999").and_then(attributes::Value::as_int), Some(999));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "the last entries are written by `finish`"]
pub struct Encoder<W> {
    writer: W,
    options: Options,
    /// The bytes that are not written out yet.
    bytes: Vec<u8>,
    /// The number of entries that was announced.
    length: u32,
    /// The number of entries so far.
    written: u32,
}

/// The number of bytes that are written out at once, unless an entry has more.
const STEP: usize = 8 << 10;

impl<W: Write> Encoder<W> {
    /// An encoder of `count` entries.
    ///
    /// # Errors
    ///
    /// If `count` does not fit the length field of 32 bits.
    pub fn new(writer: W, count: usize) -> Result<Self, EncodeError> {
        Self::with_options(writer, count, &Options::new())
    }

    /// An encoder of `count` entries, with these options.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Empty, Encoder, Options};
    ///
    /// let options = Options::new().empty(Empty::ZeroLength);
    /// assert_eq!(Encoder::with_options(Vec::new(), 0, &options)?.finish()?, [0; 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_options(writer: W, count: usize, options: &Options) -> Result<Self, EncodeError> {
        let length = u32::try_from(count).map_err(|_| EncodeError::new(Path::default(), EncodeFault::TooLong))?;
        let mut bytes = Vec::new();
        if length > 0 || options.writes_zero_length() {
            generate_into(gen_uint32::<Le, _>(length), &mut bytes)?;
        }
        Ok(Encoder { writer, options: *options, bytes, length, written: 0 })
    }

    /// Writes the next entry.
    ///
    /// # Errors
    ///
    /// If the entry cannot be encoded, or all announced entries are written already: then nothing of it is written, and
    /// another entry may be. Also if writing fails.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        if self.written == self.length {
            return Err(self.miscounted(u64::from(self.length).saturating_add(1)).into());
        }
        let before = self.bytes.len();
        let generator = gen_item(to_usize(self.written), gen_entry(Nesting::from(self.options), entry));
        if let Err(error) = generate_into(gen_field("entries", generator), &mut self.bytes) {
            self.bytes.truncate(before);
            return Err(error.into());
        }
        self.written = self.written.saturating_add(1);
        if self.bytes.len() >= STEP {
            self.write_out()?;
        }
        Ok(())
    }

    /// Writes the last bytes out, and returns the writer.
    ///
    /// # Errors
    ///
    /// If fewer entries were written than announced, or writing fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if self.written != self.length {
            return Err(self.miscounted(self.written.into()).into());
        }
        self.write_out()?;
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn miscounted(&self, found: u64) -> EncodeError {
        EncodeError::new(Path::default(), EncodeFault::Count { expected: self.length.into(), found })
    }

    fn write_out(&mut self) -> io::Result<()> {
        let written = self.writer.write_all(&self.bytes);
        self.bytes.clear();
        // the memory of one large entry is not kept
        self.bytes.shrink_to(2 * STEP);
        written
    }
}

#[cfg(test)]
mod tests {
    use super::super::Empty;
    use super::super::{encode_with, Attributes, Value};
    use super::*;
    use allocation_counter::measure;
    use pretty_assertions::assert_eq;

    fn written(entries: &Attributes<'_>, options: &Options) -> Vec<u8> {
        let mut encoder = Encoder::with_options(Vec::new(), entries.len(), options).unwrap();
        entries.iter().for_each(|entry| encoder.write(entry).unwrap());
        encoder.finish().unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_encode() {
        let long = "x".repeat(3 * STEP);
        for count in [0, 1, 2, 3000] {
            for empty in [Empty::NoBytes, Empty::ZeroLength] {
                let options = Options::new().empty(empty);
                let mut entries: Attributes<'_> = (0..count).map(|number| (number.to_string(), number)).collect();
                assert_eq!(written(&entries, &options), encode_with(&entries, &options).unwrap());
                entries.insert("long", &*long);
                assert_eq!(written(&entries, &options), encode_with(&entries, &options).unwrap());
            }
        }
    }

    #[test]
    fn as_many_entries_are_written_as_were_announced() {
        let entry = Entry::new("a", true);
        let mut encoder = Encoder::new(Vec::new(), 2).unwrap();
        encoder.write(&entry).unwrap();
        let fewer = Encoder { writer: Vec::new(), bytes: encoder.bytes.clone(), ..encoder }.finish().unwrap_err();
        assert_eq!(fewer.to_string(), "the length says that there are 2 items, and there are 1");
        let mut encoder = Encoder::new(Vec::new(), 1).unwrap();
        encoder.write(&entry).unwrap();
        let more = encoder.write(&entry).unwrap_err();
        assert_eq!(more.to_string(), "the length says that there are 1 items, and there are 2");
        assert_eq!(encoder.finish().unwrap(), b"\x01\0\0\0\x01\0\0\0a\x03\x01");
        #[cfg(target_pointer_width = "64")]
        assert_eq!(Encoder::new(Vec::new(), 1 << 32).unwrap_err().reason(), &EncodeFault::TooLong);
    }

    /// The error is that of `encode`, and nothing of the entry is written.
    #[test]
    fn an_entry_that_cannot_be_encoded_can_be_left_out() {
        let deep = (0..200).fold(Value::Bool(true), |inner, _| Value::from(vec![inner]));
        let [good, bad] = [Entry::new("good", 1), Entry::new("bad", deep)];
        let all: Attributes<'_> = [good.clone(), bad.clone()].into_iter().collect();
        let mut encoder = Encoder::new(Vec::new(), 2).unwrap();
        encoder.write(&good).unwrap();
        let WriteError::Encode(error) = encoder.write(&bad).unwrap_err() else { panic!() };
        assert_eq!(error, encode_with(&all, &Options::new()).unwrap_err());
        encoder.write(&good).unwrap();
        let twice: Attributes<'_> = [good.clone(), good].into_iter().collect();
        assert_eq!(encoder.finish().unwrap(), encode_with(&twice, &Options::new()).unwrap());
    }

    #[test]
    fn a_full_writer_is_an_error() {
        let mut room = [0; 10];
        let mut encoder = Encoder::new(&mut room[..], 1).unwrap();
        encoder.write(&Entry::new("a", "long text")).unwrap();
        assert!(matches!(encoder.finish(), Err(WriteError::Io(_))));
    }

    #[test]
    fn memory_does_not_grow_with_the_entries() {
        let entry = Entry::new("key", "some text that is a hundred bytes long".repeat(3));
        let peak = |count| {
            let write = || {
                let mut encoder = Encoder::new(io::sink(), count).unwrap();
                (0..count).for_each(|_| encoder.write(&entry).unwrap());
                encoder.finish().unwrap();
            };
            measure(write).bytes_max
        };
        assert!(peak(20_000) <= 4 * 8192, "{}", peak(20_000));
        assert_eq!(peak(200_000), peak(20_000));
    }
}

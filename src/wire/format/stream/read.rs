//! Input that a reader gives.

use std::io;

use thiserror::Error;

use super::{Decoder, ItemStream, Next};
use crate::error::DecodeError;
use crate::wire::{Findings, IntoOwned, Note, Report, TRAILING};
use crate::Offset;

/// Why items could not be read from a [`std::io::Read`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Decoding failed.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// The items of a stream that a reader gives, as an iterator. The last one may be an error.
///
/// ```
/// use enginewire::roblox::attributes::Decoder;
///
/// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01"; // a file, a socket, …
/// for entry in Decoder::default().read(input) {
///     println!("{:?}", entry?);
/// }
/// # Ok::<(), enginewire::wire::ReadError>(())
/// ```
#[derive(Debug)]
pub struct ReadItems<R, F> {
    reader: R,
    /// The buffer for reading.
    bytes: Vec<u8>,
    /// `None` when nothing more will come.
    decoder: Option<Decoder<F>>,
}

/// The most bytes to read at once.
const READ: usize = 8192;

impl<F: ItemStream> Decoder<F> {
    /// Reads the stream from `reader`, which needs no buffer of its own.
    pub fn read<R: io::Read>(self, reader: R) -> ReadItems<R, F> {
        ReadItems { reader, bytes: vec![0; READ], decoder: Some(self) }
    }

    /// Checks the stream that `reader` gives, to its end. Nothing is built, and one item is kept at a time. `each` is called for
    /// every note, with its offset. Bytes that are allowed after the end are not all read.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Decoder;
    ///
    /// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x02"; // a file, a socket, …
    /// let report = Decoder::new().check(input, |offset, note| println!("{offset}: {note:?}"))?;
    /// assert_eq!(report.items, Some(1));
    /// assert_eq!(report.findings.non_canonical.first.unwrap().offset, 10);
    /// # Ok::<(), enginewire::wire::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If reading fails, or decoding would.
    pub fn check<R: io::Read>(
        mut self,
        mut reader: R,
        mut each: impl FnMut(Offset, Note),
    ) -> Result<Report, ReadError> {
        let mut findings = Findings::default();
        let mut remark = |offset, note| {
            findings.add(offset, note);
            each(offset, note);
        };
        let mut bytes = vec![0; READ];
        loop {
            while self.check_next(&mut remark)? {}
            let piece = read_some(&mut reader, &mut bytes)?;
            if self.stream().next() == Next::Ignored {
                if !(self.unused().is_empty() && piece.is_empty()) {
                    remark(self.offset().into(), TRAILING);
                }
                break;
            }
            if piece.is_empty() {
                self.end();
                while self.check_next(&mut remark)? {}
                break;
            }
            self.push(piece);
        }
        let count = self.stream().count();
        self.finish()?;
        Ok(Report::new(count, findings))
    }
}

/// The next bytes of `reader`; empty at its end.
fn read_some<'b>(reader: &mut impl io::Read, bytes: &'b mut [u8]) -> io::Result<&'b [u8]> {
    loop {
        match reader.read(bytes) {
            Ok(count) => return Ok(bytes.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl<R: io::Read, F: ItemStream> Iterator for ReadItems<R, F> {
    type Item = Result<F::Item<'static>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let decoder = self.decoder.as_mut()?;
        let end = loop {
            match decoder.next() {
                Some(Ok(item)) => return Some(Ok(item.into_owned())),
                Some(Err(error)) => break Some(error.into()),
                None => {}
            }
            if decoder.has_ended() {
                break None;
            }
            match read_some(&mut self.reader, &mut self.bytes) {
                Ok([]) => decoder.end(),
                Ok(piece) => decoder.push(piece),
                Err(error) => break Some(error.into()),
            }
        };
        self.decoder = None;
        end.map(Err)
    }
}

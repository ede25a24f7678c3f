//! Reading a file in pieces.

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use enginewire::number::{to_u64, to_usize};

/// The number of bytes of a file that are read at a time.
pub(super) const SIZE: u64 = 64 << 10;

/// A file with one piece of it in memory: the bytes requested last, and those after them.
#[derive(Debug)]
pub(super) struct Window<R> {
    reader: R,
    length: u64,
    piece: Vec<u8>,
    /// The offset of the piece.
    start: u64,
}

impl<R: Read + Seek> Window<R> {
    pub(super) fn open(mut reader: R) -> std::io::Result<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        Ok(Window { reader, length, piece: Vec::new(), start: 0 })
    }

    /// The length of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The memory that the piece takes, in bytes.
    pub(super) fn held(&self) -> usize {
        self.piece.capacity()
    }

    /// Frees the memory of a large piece.
    pub(super) fn give_back(&mut self) {
        if self.piece.capacity() > to_usize(SIZE) {
            self.piece = Vec::new();
        }
    }

    /// The `count` bytes from `offset` on, or fewer if the file ends before.
    #[inline]
    pub(super) fn view(&mut self, offset: u64, count: u64) -> std::io::Result<&[u8]> {
        let skipped = to_usize(offset.wrapping_sub(self.start));
        if self.piece.len() < skipped.saturating_add(to_usize(count)) {
            self.slide(offset, count)?;
        }
        let bytes = self.piece.get(to_usize(offset.wrapping_sub(self.start))..).unwrap_or_default();
        Ok(bytes.get(..to_usize(count)).unwrap_or(bytes))
    }

    /// Writes a part of the file out, piece by piece.
    pub(super) fn copy(&mut self, range: Range<u64>, writer: &mut impl Write) -> std::io::Result<()> {
        let mut offset = range.start;
        while offset < range.end {
            let piece = self.view(offset, SIZE.min(range.end.saturating_sub(offset)))?;
            if piece.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            writer.write_all(piece)?;
            offset = offset.saturating_add(to_u64(piece.len()));
        }
        Ok(())
    }

    /// Reads `count` bytes from `offset` on, and more of them if they are few.
    #[cold]
    #[inline(never)]
    fn slide(&mut self, offset: u64, count: u64) -> std::io::Result<()> {
        self.reader.seek(SeekFrom::Start(offset))?;
        let count = to_usize(count.max(SIZE).min(self.length.saturating_sub(offset)));
        // the memory of a larger piece is freed
        self.piece.truncate(count);
        self.piece.shrink_to(count.max(to_usize(SIZE)));
        if self.piece.capacity() < count {
            // freed before the larger one is taken
            self.piece = Vec::new();
            self.piece.reserve_exact(count);
        }
        self.piece.resize(count, 0);
        self.start = offset;
        let filled = self.reader.read_exact(&mut self.piece);
        if filled.is_err() {
            self.piece.clear();
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A file that is read a few bytes at a time, and interrupted, and breaks at `breaks`.
    struct Slow {
        file: Cursor<Vec<u8>>,
        reads: usize,
        breaks: u64,
    }

    impl Read for Slow {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            self.reads = self.reads.wrapping_add(1);
            if self.file.position() >= self.breaks {
                return Err(std::io::Error::other("broken"));
            }
            if self.reads.is_multiple_of(2) {
                return Err(ErrorKind::Interrupted.into());
            }
            let few = room.len().min(1000);
            self.file.read(&mut room[..few])
        }
    }

    impl Seek for Slow {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.file.seek(to)
        }
    }

    fn slow(length: usize, breaks: u64) -> (Vec<u8>, Window<Slow>) {
        let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let file = Cursor::new(bytes.clone());
        (bytes, Window::open(Slow { file, reads: 0, breaks }).unwrap())
    }

    #[test]
    fn any_piece_can_be_seen() {
        let (bytes, mut window) = slow(100_000, u64::MAX);
        assert_eq!(window.length(), 100_000);
        for (offset, count) in
            [(0, 8), (4, 0), (65_530, 16), (10, 50_000), (10, 20), (0, 1), (99_990, 10), (99_990, 11)]
        {
            let end = (offset + count).min(bytes.len());
            let seen = window.view(to_u64(offset), to_u64(count)).unwrap();
            assert_eq!(seen, &bytes[offset..end], "{count} from {offset}");
        }
        for offset in [100_000, 100_001, u64::MAX] {
            assert_eq!(window.view(offset, 5).unwrap(), b"");
            assert_eq!(window.view(offset, u64::MAX).unwrap(), b"");
        }
    }

    #[test]
    fn what_breaks_is_an_error_each_time() {
        let (bytes, mut window) = slow(100_000, 70_000);
        assert_eq!(window.view(0, 10).unwrap(), &bytes[..10]);
        for _ in 0..2 {
            assert_eq!(window.view(60_000, 20_000).unwrap_err().to_string(), "broken");
        }
        assert_eq!(window.view(5, 20).unwrap(), &bytes[5..25]);
    }

    #[test]
    fn a_large_piece_is_given_back() {
        let (_, mut window) = slow(1 << 20, u64::MAX);
        assert_eq!(window.view(0, 1 << 20).unwrap().len(), 1 << 20);
        assert_eq!(window.view((1 << 20) - 5, 10).unwrap().len(), 5);
        assert!(window.piece.capacity() <= to_usize(SIZE));
    }

    #[test]
    fn parts_are_copied() {
        let (bytes, mut window) = slow(300_000, 250_000);
        for range in [0..0, 5..6, 100..65_636, 70_000..180_000] {
            let mut copy = Vec::new();
            window.copy(range.clone(), &mut copy).unwrap();
            assert_eq!(copy, &bytes[to_usize(range.start)..to_usize(range.end)], "{range:?}");
            assert!(window.held() <= to_usize(SIZE));
        }
        assert_eq!(window.copy(200_000..300_000, &mut Vec::new()).unwrap_err().to_string(), "broken");
        let past = slow(10, u64::MAX).1.copy(0..11, &mut Vec::new()).unwrap_err();
        assert_eq!(past.kind(), ErrorKind::UnexpectedEof);
        let full = slow(10, u64::MAX).1.copy(0..10, &mut &mut [0; 9][..]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::WriteZero);
    }

    /// The pieces have the lengths that were read, and what is held is counted.
    #[test]
    fn what_is_there_is_not_read_again() {
        let (bytes, mut window) = slow(200_000, u64::MAX);
        let size = to_usize(SIZE);
        assert_eq!((window.held(), window.reader.reads), (0, 0));
        assert_eq!(window.view(0, 1).unwrap(), &bytes[..1]);
        assert_eq!(window.held(), size);
        let reads = window.reader.reads;
        // to the last byte of the piece, and one further
        assert_eq!(window.view(SIZE - 10, 10).unwrap(), &bytes[size - 10..size]);
        assert_eq!((window.start, window.reader.reads), (0, reads));
        assert_eq!(window.view(SIZE - 10, 11).unwrap(), &bytes[size - 10..=size]);
        assert_eq!(window.start, SIZE - 10);
        assert!(window.reader.reads > reads);
    }

    #[test]
    fn only_the_room_for_a_large_piece_is_given_back() {
        let (_, mut window) = slow(200_000, u64::MAX);
        window.view(0, SIZE).unwrap();
        window.give_back();
        assert_eq!(window.held(), to_usize(SIZE));
        window.view(0, SIZE + 1).unwrap();
        assert_eq!(window.held(), to_usize(SIZE) + 1);
        window.give_back();
        assert_eq!(window.held(), 0);
        assert_eq!(window.view(7, 3).unwrap(), &[7, 8, 9]);
    }

    /// There are never two pieces: the old room is gone before the new one is made.
    #[test]
    fn there_is_room_for_one_piece_only() {
        let (_, mut window) = slow(1 << 20, u64::MAX);
        window.view(0, 300_000).unwrap();
        let peak = allocation_counter::measure(|| assert_eq!(window.view(5, 600_000).unwrap().len(), 600_000));
        assert!(peak.bytes_max <= 300_000, "{peak:?}");
        assert_eq!(window.held(), 600_000);
        // room that is large enough is used again
        let again = allocation_counter::measure(|| assert_eq!(window.view(400_010, 600_000).unwrap().len(), 600_000));
        assert_eq!(again.count_total, 0);
    }
}

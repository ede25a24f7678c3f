//! Output that waits for its turn: in memory as far as there is room, then in a temporary file without a name.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Memory for all output that waits.
#[derive(Debug)]
pub struct Room {
    limit: usize,
    taken: AtomicUsize,
}

impl Room {
    pub fn new(limit: usize) -> Self {
        Room { limit, taken: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> bool {
        let take = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= self.limit);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes that are written now and read later.
#[derive(Debug)]
pub struct Spool {
    room: Arc<Room>,
    /// The part of the room that it has taken.
    taken: usize,
    /// The bytes before those in memory.
    file: Option<File>,
    memory: Vec<u8>,
}

/// The least that is written into a file at once.
const PIECE: usize = 64 << 10;

impl Spool {
    pub fn new(room: &Arc<Room>) -> Self {
        Spool { room: room.clone(), taken: 0, file: None, memory: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.file.is_none() && self.memory.is_empty()
    }

    /// Nothing more will come: memory that is not needed is given back.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            self.spill()?;
        }
        self.memory.shrink_to_fit();
        let unused = self.taken.saturating_sub(self.memory.len());
        self.room.give_back(unused);
        self.taken = self.taken.saturating_sub(unused);
        Ok(())
    }

    /// All that was written.
    pub fn read(&mut self) -> io::Result<impl Read + '_> {
        let file = match &mut self.file {
            Some(file) => {
                file.rewind()?;
                Some(file)
            }
            None => None,
        };
        let file: Box<dyn Read + '_> = match file {
            Some(file) => Box::new(file),
            None => Box::new(io::empty()),
        };
        Ok(file.chain(self.memory.as_slice()))
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.memory)?;
        self.memory.clear();
        Ok(())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let needed = self.memory.len().saturating_add(bytes.len());
        if needed > self.taken && needed > PIECE {
            // as much again as there is, or as little as will do
            let least = needed.saturating_sub(self.taken).max(PIECE);
            let more = [least.max(self.taken), least];
            match more.into_iter().find(|more| self.file.is_none() && self.room.take(*more)) {
                Some(more) => {
                    self.taken = self.taken.saturating_add(more);
                    self.memory.reserve_exact(self.taken.saturating_sub(self.memory.len()));
                }
                None => self.spill()?,
            }
        }
        self.memory.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.room.give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_does_not_fit_into_memory_waits_in_a_file() {
        let room = Arc::new(Room::new(4 * PIECE));
        let bytes: Vec<u8> = (0..40 * PIECE).map(|index| u8::try_from(index % 251).unwrap()).collect();
        for (length, in_file) in [(0, false), (10, false), (3 * PIECE, false), (40 * PIECE, true)] {
            let mut spools = [Spool::new(&room), Spool::new(&room)];
            for spool in &mut spools {
                bytes[..length].chunks(1000).for_each(|piece| spool.write_all(piece).unwrap());
                assert!(spool.memory.capacity() <= room.limit);
                spool.finish().unwrap();
            }
            assert!(room.taken.load(Ordering::Relaxed) <= room.limit);
            assert_eq!(spools[0].file.is_some(), in_file);
            assert_eq!(spools[0].is_empty(), length == 0);
            for spool in &mut spools {
                let mut read = Vec::new();
                spool.read().unwrap().read_to_end(&mut read).unwrap();
                assert!(read == bytes[..length]);
            }
            drop(spools);
            assert_eq!(room.taken.load(Ordering::Relaxed), 0);
        }
    }
}

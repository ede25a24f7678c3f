//! Memory shared by several threads: each takes as much as it may need, and waits until that is free.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The memory.
#[derive(Debug)]
pub struct Memory {
    all: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Waiting threads are served in order, so that large requests are served too.
    next: u64,
    serving: u64,
}

/// A part of it, until it is dropped.
#[derive(Debug)]
pub struct Permit<'m> {
    memory: &'m Memory,
    bytes: usize,
}

impl Memory {
    pub fn new(all: usize) -> Self {
        Memory { all, state: Mutex::new(State { free: all, next: 0, serving: 0 }), changed: Condvar::new() }
    }

    /// All there is.
    pub fn all(&self) -> usize {
        self.all
    }

    /// Waits for this many bytes, or for all there are. The caller must not hold a permit.
    pub fn take(&self, bytes: usize) -> Permit<'_> {
        let bytes = bytes.min(self.all);
        let mut state = self.lock();
        let ticket = state.next;
        state.next = state.next.wrapping_add(1);
        let mut state = self
            .changed
            .wait_while(state, |state| state.serving != ticket || state.free < bytes)
            .unwrap_or_else(PoisonError::into_inner);
        state.serving = state.serving.wrapping_add(1);
        state.free = state.free.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
        Permit { memory: self, bytes }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.memory.lock();
        state.free = state.free.saturating_add(self.bytes);
        drop(state);
        self.memory.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn never_more_is_taken_than_there_is_and_all_get_theirs() {
        let memory = Memory::new(100);
        let (taken, served) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for thread in 0..8 {
                let (memory, taken, served) = (&memory, &taken, &served);
                scope.spawn(move || {
                    for round in 0..200 {
                        let bytes = [1, 30, 60, 1000][(thread + round) % 4];
                        let permit = memory.take(bytes);
                        let before = taken.fetch_add(bytes.min(100), Ordering::SeqCst);
                        assert!(before + bytes.min(100) <= 100);
                        taken.fetch_sub(bytes.min(100), Ordering::SeqCst);
                        drop(permit);
                        served.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(served.into_inner(), 1600);
        assert_eq!(memory.lock().free, 100);
    }
}

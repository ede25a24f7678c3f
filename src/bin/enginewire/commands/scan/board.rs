//! Work for several threads, whose results are taken in order.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many files may be read before those before them are written.
const READ: usize = 256;

/// Which files are to be read, and what those gave that were.
pub struct Board<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// One more is done.
    finished: Condvar,
}

struct State<T> {
    waiting: VecDeque<(usize, PathBuf)>,
    done: HashMap<usize, T>,
    written: usize,
    is_exhausted: bool,
}

/// Ends all work when it is dropped.
pub struct End<'b, T>(pub &'b Board<T>);

impl<T> Drop for End<'_, T> {
    fn drop(&mut self) {
        lock(&self.0.state).is_exhausted = true;
        self.0.changed.notify_all();
        self.0.finished.notify_all();
    }
}

pub fn lock<M>(mutex: &Mutex<M>) -> MutexGuard<'_, M> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Default for Board<T> {
    fn default() -> Self {
        let state = State { waiting: VecDeque::new(), done: HashMap::new(), written: 0, is_exhausted: false };
        Board { state: Mutex::new(state), changed: Condvar::new(), finished: Condvar::new() }
    }
}

impl<T> Board<T> {
    pub fn add(&self, number: usize, file: PathBuf) {
        lock(&self.state).waiting.push_back((number, file));
        self.changed.notify_one();
    }

    pub fn done(&self, number: usize, found: T) {
        lock(&self.state).done.insert(number, found);
        self.finished.notify_one();
    }

    /// What file `number` gave, which is the next to be written. `None` if it is not done, or never will be.
    pub fn take(&self, number: usize, wait: bool) -> Option<T> {
        let state = lock(&self.state);
        let is_missing = |state: &mut State<T>| wait && !state.is_exhausted && !state.done.contains_key(&number);
        let mut state = self.finished.wait_while(state, is_missing).unwrap_or_else(PoisonError::into_inner);
        let found = state.done.remove(&number)?;
        state.written = number.saturating_add(1);
        drop(state);
        self.changed.notify_all();
        Some(found)
    }

    /// Reads files until there are no more.
    pub fn work(&self, read: impl Fn(&Path) -> T) {
        /// Nobody waits for what a thread does not do that is gone.
        struct Watch<'b, T>(&'b Board<T>);
        impl<T> Drop for Watch<'_, T> {
            fn drop(&mut self) {
                if thread::panicking() {
                    drop(End(self.0));
                }
            }
        }
        let _watch = Watch(self);
        while let Some((number, file)) = self.next() {
            self.done(number, read(&file));
        }
    }

    fn next(&self) -> Option<(usize, PathBuf)> {
        let is_early = |state: &mut State<T>| {
            let first = state.waiting.front();
            !state.is_exhausted && first.is_none_or(|(number, _)| *number >= state.written.saturating_add(READ))
        };
        let state = self.changed.wait_while(lock(&self.state), is_early);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.is_exhausted {
            return None;
        }
        state.waiting.pop_front()
    }
}

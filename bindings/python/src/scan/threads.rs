//! Several threads that read files. Their batches come in the order of the files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::file::{Memory, Opened, Source};
use super::schema::{Columns, Rows};
use super::value::name_of;
use super::walk::Walked;

/// A thread takes files until they have so many bytes together, …
const BYTES: u64 = 4 << 20;

/// … or are so many.
const FILES: usize = 256;

/// How many batches of a task may wait.
const BATCHES: usize = 2;

/// Enough stack for the deepest nesting, in any build.
const STACK: usize = 8 << 20;

/// What all threads share.
struct Shared {
    columns: Columns,
    limit: usize,
    /// What a file may take that is read beside others.
    share: usize,
    /// What a file may take that is read alone.
    all: usize,
    /// How many tasks may be begun before those before them are done.
    ahead: usize,
    files: Mutex<Files>,
    state: Mutex<State>,
    changed: Condvar,
}

struct Files {
    iter: Box<dyn Iterator<Item = Walked> + Send>,
    /// How many tasks were taken.
    taken: usize,
}

struct State {
    tasks: BTreeMap<usize, Receiver<Message>>,
    /// The task whose batches are taken.
    head: usize,
    /// How many tasks there are, once that is known.
    count: Option<usize>,
    is_stopped: bool,
    /// Threads that still run.
    threads: usize,
}

enum Message {
    Batch(Result<RecordBatch, ArrowError>),
    /// Nothing more comes of this task.
    Done,
}

/// Nobody takes the batches.
struct Stopped;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The batches of all files.
pub struct Batches {
    shared: Arc<Shared>,
    current: Option<Receiver<Message>>,
    threads: Vec<JoinHandle<()>>,
}

impl Batches {
    /// Begins to read. Up to twice `limit` bytes are taken for what is read, besides the batches.
    pub fn new(
        files: Box<dyn Iterator<Item = Walked> + Send>,
        columns: Columns,
        limit: usize,
        threads: usize,
    ) -> std::io::Result<Self> {
        let all = all_of(limit);
        let shared = Arc::new(Shared {
            columns,
            limit,
            share: all / threads.max(1),
            all,
            ahead: threads.saturating_mul(2),
            files: Mutex::new(Files { iter: files, taken: 0 }),
            state: Mutex::new(State { tasks: BTreeMap::new(), head: 0, count: None, is_stopped: false, threads: 0 }),
            changed: Condvar::new(),
        });
        let mut batches = Batches { shared, current: None, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let shared = batches.shared.clone();
            lock(&shared.state).threads += 1;
            let thread = std::thread::Builder::new().stack_size(STACK).name(format!("enginewire {number}"));
            match thread.spawn(move || shared.work()) {
                Ok(thread) => batches.threads.push(thread),
                Err(error) => {
                    lock(&batches.shared.state).threads -= 1;
                    if number == 0 {
                        return Err(error);
                    }
                    // those that could be started do it all
                    break;
                }
            }
        }
        Ok(batches)
    }

    /// The batches of the next task.
    fn next_task(&self) -> Option<Result<Receiver<Message>, ArrowError>> {
        let is_missing = |state: &mut State| {
            !state.tasks.contains_key(&state.head) && state.count != Some(state.head) && state.threads > 0
        };
        let state = self.shared.changed.wait_while(lock(&self.shared.state), is_missing);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let head = state.head;
        match state.tasks.remove(&head) {
            Some(task) => Some(Ok(task)),
            None if state.count == Some(head) => None,
            None => Some(Err(gone())),
        }
    }
}

/// What one file may take of all memory.
pub fn all_of(limit: usize) -> usize {
    limit - limit / 8
}

fn gone() -> ArrowError {
    ArrowError::ExternalError("a thread of the scan ended too early".into())
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(current) = &self.current else {
                match self.next_task()? {
                    Ok(task) => self.current = Some(task),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            };
            match current.recv() {
                Ok(Message::Batch(batch)) => return Some(batch),
                Ok(Message::Done) => {
                    self.current = None;
                    lock(&self.shared.state).head += 1;
                    self.shared.changed.notify_all();
                }
                Err(_) => return Some(Err(gone())),
            }
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.shared.columns.schema()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.current = None;
        let mut state = lock(&self.shared.state);
        state.is_stopped = true;
        state.tasks.clear();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // a panic was told as an error
            let _ = thread.join();
        }
    }
}

/// Counts a thread out, however it ends.
struct Running<'s>(&'s Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).threads -= 1;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn work(&self) {
        let _running = Running(self);
        while let Some((number, files, to)) = self.take() {
            if self.run(number, files, &to).is_err() {
                return;
            }
        }
    }

    /// The next files, which are one task.
    fn take(&self) -> Option<(usize, Vec<Walked>, SyncSender<Message>)> {
        let mut files = lock(&self.files);
        let number = files.taken;
        let is_early = |state: &mut State| !state.is_stopped && number >= state.head.saturating_add(self.ahead);
        let state = self.changed.wait_while(lock(&self.state), is_early);
        if state.unwrap_or_else(PoisonError::into_inner).is_stopped {
            return None;
        }
        let (mut task, mut bytes) = (Vec::new(), 0u64);
        while bytes < BYTES && task.len() < FILES {
            let Some(file) = files.iter.next() else { break };
            let size = file.as_ref().ok().and_then(|path| path.metadata().ok()).map_or(0, |about| about.len());
            bytes = bytes.saturating_add(size);
            task.push(file);
        }
        let mut state = lock(&self.state);
        if task.is_empty() {
            state.count = Some(number);
            drop(state);
            self.changed.notify_all();
            return None;
        }
        files.taken += 1;
        let (to, from) = sync_channel(BATCHES);
        state.tasks.insert(number, from);
        drop(state);
        self.changed.notify_all();
        Some((number, task, to))
    }

    fn run(&self, number: usize, files: Vec<Walked>, to: &SyncSender<Message>) -> Result<(), Stopped> {
        let mut rows = Rows::new(&self.columns);
        for file in files {
            let (path, source) = match file {
                Ok(path) => (path.clone(), Source::Path(path)),
                Err((path, reason)) => (path, Source::Unread(reason)),
            };
            let name = name_of(path.as_os_str().as_encoded_bytes());
            let opened = Opened::new(name, source, self.limit, &self.columns);
            let small = Memory { limit: self.limit, part: self.share };
            let listed = match opened.size().saturating_mul(8) > self.share {
                true => Err(Box::new(opened)),
                false => opened.list(small, self.all),
            };
            let listed = listed.or_else(|opened| {
                // one file at a time may take all: that whose rows are next
                self.wait_for_turn(number)?;
                opened.list(Memory { limit: self.limit, part: self.all }, self.all).map_err(|_| Stopped)
            });
            let mut reading = listed?;
            loop {
                let has_more = reading.step(&mut rows);
                if rows.is_full() {
                    to.send(Message::Batch(rows.take())).map_err(|_| Stopped)?;
                }
                if !has_more {
                    break;
                }
            }
        }
        if !rows.is_empty() {
            to.send(Message::Batch(rows.take())).map_err(|_| Stopped)?;
        }
        to.send(Message::Done).map_err(|_| Stopped)
    }

    fn wait_for_turn(&self, number: usize) -> Result<(), Stopped> {
        let is_early = |state: &mut State| !state.is_stopped && state.head != number;
        let state = self.changed.wait_while(lock(&self.state), is_early).unwrap_or_else(PoisonError::into_inner);
        if state.is_stopped {
            return Err(Stopped);
        }
        Ok(())
    }
}

/// The paths of the files.
pub fn paths(files: impl Iterator<Item = Walked>) -> impl Iterator<Item = PathBuf> {
    files.map(|file| match file {
        Ok(path) | Err((path, _)) => path,
    })
}

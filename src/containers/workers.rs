//! The values of a container, worked on by several threads.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::OnceLock;
use std::thread::available_parallelism;
use std::time::Instant;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::{Container, ContainerError, Embedded};
use crate::budget;

/// Enough stack for the deepest nesting that can be asked for, in any build.
const STACK: usize = 8 << 20;

/// Bytes and values that a thread takes at once: enough that handing them over costs little in comparison with the work.
const BATCH: (usize, usize) = (64 << 10, 256);

/// Bytes and values in a trial of each way, with other threads and without.
const TRIAL: (usize, usize) = (8 << 20, 8 << 10);

/// Batches for each thread that may wait for it, or for those before them.
const AHEAD: usize = 4;

/// Threads that work on the values of one container: decode them, check them.
///
/// One thread reads the container, and all others work on the values that it has read. The results are the same as with one
/// thread, in the same order.
///
/// Handing a value to another thread can take longer than the work on it. So both ways are tried and timed on thousands of
/// values, and the faster one is kept, until it is time to try again.
///
/// ```
/// use enginewire::containers::{ContainerKind, Source, Workers};
/// use enginewire::formats::{self, FormatOptions};
/// use enginewire::godot::Framing;
/// use std::ops::ControlFlow;
///
/// let (options, format) = (FormatOptions::new(), formats::by_name("godot-4").unwrap());
/// let stream = Source::Bytes(b"\x08\0\0\0\x02\0\0\0\x2a\0\0\0\x02\0\0\0\x02\0".to_vec());
/// let container = ContainerKind::Frames(Framing::LittleEndian).open(stream, &options)?;
/// let check = |bytes: &[u8]| format.check(bytes, &options).is_ok();
/// let mut valid = Vec::new();
/// Workers::new().map(
///     &*container,
///     |value| (value.address.to_string(), value.bytes.is_ok_and(|bytes| check(&bytes))),
///     |checked| {
///         valid.push(checked);
///         ControlFlow::Continue(())
///     },
/// )?;
/// assert_eq!(valid, [("[0]".to_owned(), true), ("[1]".to_owned(), false)]);
/// # Ok::<(), enginewire::containers::ContainerError>(())
/// ```
pub struct Workers {
    threads: usize,
    /// Bytes of values that may be held at once. A value that is larger than a quarter of it is worked on alone.
    room: usize,
    /// They start with the first container. `None` if the system has no more threads.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Workers {
    /// As many threads as there are cores.
    #[must_use]
    pub fn new() -> Self {
        let threads = available_parallelism().map_or(1, usize::from);
        Workers { threads, room: 0, pool: OnceLock::new() }.max_memory(budget::DEFAULT)
    }

    /// So many threads; one works as if there were none.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Workers { threads, ..self }
    }

    /// The limit of memory, in bytes; 256 MiB unless set. The values that are read ahead take a 64th of it at most: as decoding
    /// takes up to 32 times the memory of the bytes, half of it.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        Workers { room: bytes / 64, ..self }
    }

    /// Calls `work` with every value, on several threads, and `each` with every result, on this thread and in the order of the
    /// file, until it breaks. A value that is too large to be read ahead is worked on by this thread.
    ///
    /// # Errors
    ///
    /// If the rest of the file cannot be read, as [`Container::values`] has it.
    ///
    /// # Panics
    ///
    /// If `work` or `each` does.
    pub fn map<T: Send>(
        &self,
        container: &dyn Container,
        work: impl Fn(Embedded<'_>) -> T + Sync,
        mut each: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), ContainerError> {
        let work = &work;
        let Some(pool) = self.pool() else {
            return container.values(&mut |value| each(work(value)));
        };
        pool.in_place_scope(|scope| {
            let (mut batch, mut queue) = (Batch::default(), Queue::default());
            let mut pace = Pace::new(Instant::now());
            let mut flow = ControlFlow::Continue(());
            let end = container.values(&mut |value| {
                let size = size(&value);
                if size > self.room / 4 {
                    queue.start(scope, work, &mut batch);
                    flow = queue.hand_out(0, 0, &mut each);
                    flow?;
                    flow = each(work(value));
                } else if pace.shares {
                    batch.push(value, size);
                    if batch.bytes >= BATCH.0.min(self.room / 4) || batch.values.len() >= BATCH.1 {
                        queue.start(scope, work, &mut batch);
                        flow = queue.hand_out(self.threads.saturating_mul(AHEAD), self.room, &mut each);
                    }
                } else {
                    flow = each(work(value));
                }
                flow?;
                if pace.ends_with(size) {
                    queue.start(scope, work, &mut batch);
                    flow = queue.hand_out(0, 0, &mut each);
                    pace.next(Instant::now());
                }
                flow
            });
            if flow.is_continue() && queue.waiting.is_empty() {
                // so few values are done before another thread has begun
                let _ = batch.each(|value| each(work(value)));
            } else if flow.is_continue() {
                queue.start(scope, work, &mut batch);
                let _ = queue.hand_out(0, 0, &mut each);
            }
            end
        })
    }

    /// The threads, unless one is enough or the system has no more.
    fn pool(&self) -> Option<&ThreadPool> {
        if self.threads < 2 {
            return None;
        }
        let start = || ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK).build().ok();
        self.pool.get_or_init(start).as_ref()
    }
}

impl Default for Workers {
    fn default() -> Self {
        Workers::new()
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// About how many bytes a value takes, with its address, which may be a long path and is text and members.
fn size(value: &Embedded<'_>) -> usize {
    let bytes = value.bytes.as_ref().map_or(0, |bytes| bytes.len());
    let address = value.address.text.len().saturating_mul(4);
    bytes.saturating_add(address).saturating_add(size_of_val(&*value.tags))
}

/// Decides whether values are handed to other threads. Which way is faster depends on the values, the work and the machine.
struct Pace {
    shares: bool,
    /// Seconds for a byte of what was done without other threads, and with them, when it was last tried.
    alone: Option<f64>,
    shared: Option<f64>,
    /// True if this way was chosen as the faster one, and is not a trial.
    is_kept: bool,
    /// The faster way is kept for this number of trials, and for more each time that the other way was tried in vain.
    patience: usize,
    started: Instant,
    /// Bytes and values since then, and the most of both.
    done: (usize, usize),
    most: (usize, usize),
}

impl Pace {
    /// The first batch is worked on by this thread: few values are done before another one has begun.
    fn new(now: Instant) -> Self {
        Pace {
            shares: false,
            alone: None,
            shared: None,
            is_kept: false,
            patience: 2,
            started: now,
            done: (0, 0),
            most: BATCH,
        }
    }

    /// Counts a value of this size. True if it is the last one before [`next`](Self::next).
    fn ends_with(&mut self, size: usize) -> bool {
        self.done = (self.done.0.saturating_add(size), self.done.1.saturating_add(1));
        self.done.0 >= self.most.0 || self.done.1 >= self.most.1
    }

    /// Goes on with the way that is faster, or with a trial of the other one.
    #[allow(clippy::as_conversions)] // a time need not be exact
    fn next(&mut self, now: Instant) {
        let cost = now.duration_since(self.started).as_secs_f64() / self.done.0.max(1) as f64;
        *(if self.shares { &mut self.shared } else { &mut self.alone }) = Some(cost);
        let trials = match (self.alone, self.shared) {
            (Some(alone), Some(shared)) if !self.is_kept => {
                let shares = shared < alone;
                self.patience = if shares == self.shares { 8 } else { self.patience.saturating_mul(4) };
                (self.is_kept, self.shares) = (true, shares);
                self.patience
            }
            _ => {
                (self.is_kept, self.shares) = (false, !self.shares);
                1
            }
        };
        (self.started, self.done) = (now, (0, 0));
        self.most = (TRIAL.0.saturating_mul(trials), TRIAL.1.saturating_mul(trials));
    }
}

/// Values that one thread takes at once. Their bytes follow each other in one piece of memory.
#[derive(Default)]
struct Batch {
    values: Vec<(Range<usize>, Embedded<'static>)>,
    data: Vec<u8>,
    /// About how many bytes they take in all.
    bytes: usize,
}

impl Batch {
    fn push(&mut self, value: Embedded<'_>, size: usize) {
        let start = self.data.len();
        let bytes = value.bytes.map(|bytes| {
            self.data.extend_from_slice(&bytes);
            Cow::Borrowed(&[][..])
        });
        self.values.push((start..self.data.len(), Embedded { bytes, ..value }));
        self.bytes = self.bytes.saturating_add(size);
    }

    /// Calls `work` with every value, until it breaks.
    fn each(self, mut work: impl FnMut(Embedded<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let Batch { values, data, .. } = self;
        values.into_iter().try_for_each(|(range, value)| {
            let bytes = value.bytes.map(|_| Cow::Borrowed(data.get(range).unwrap_or_default()));
            work(Embedded { bytes, ..value })
        })
    }
}

/// Batches that were handed to the threads, in the order of the file.
struct Queue<T> {
    waiting: VecDeque<(usize, Receiver<Vec<T>>)>,
    /// The size of their values, in bytes.
    bytes: usize,
}

impl<T: Send> Queue<T> {
    /// Hands a batch to the threads.
    fn start<'s>(&mut self, scope: &Scope<'s>, work: &'s (impl Fn(Embedded<'_>) -> T + Sync), batch: &mut Batch)
    where
        T: 's,
    {
        let batch = std::mem::take(batch);
        if batch.values.is_empty() {
            return;
        }
        let (sender, receiver) = sync_channel(1);
        self.waiting.push_back((batch.bytes, receiver));
        self.bytes = self.bytes.saturating_add(batch.bytes);
        scope.spawn(move |_| {
            let mut done = Vec::with_capacity(batch.values.len());
            let _ = batch.each(|value| {
                done.push(work(value));
                ControlFlow::Continue(())
            });
            // nobody takes them any more where there was a break
            let _ = sender.send(done);
        });
    }

    /// Hands out finished results in order. Waits for more until at most `batches` batches with `bytes` bytes are left.
    fn hand_out(
        &mut self,
        batches: usize,
        bytes: usize,
        each: &mut impl FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some((size, receiver)) = self.waiting.front() {
            let done = if self.waiting.len() > batches || self.bytes > bytes {
                // none comes if `work` has panicked, which the scope passes on
                let Ok(done) = receiver.recv() else { return ControlFlow::Break(()) };
                done
            } else if let Ok(done) = receiver.try_recv() {
                done
            } else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(*size);
            self.waiting.pop_front();
            for result in done {
                each(result)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue { waiting: VecDeque::new(), bytes: 0 }
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot"))]
mod tests {
    use super::*;
    use crate::containers::{ContainerKind, Source};
    use crate::formats::FormatOptions;
    use crate::godot::Framing;
    use pretty_assertions::assert_eq;
    use std::panic::{catch_unwind, AssertUnwindSafe};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Frames of these lengths. Their content does not matter here.
    fn frames(lengths: impl IntoIterator<Item = u32>) -> Vec<u8> {
        let frame = |length: u32| [&length.to_le_bytes()[..], &vec![7; length.try_into().unwrap()]].concat();
        lengths.into_iter().flat_map(frame).collect()
    }

    /// The addresses and lengths, up to `most`, and how many values were worked on.
    fn mapped(workers: &Workers, bytes: &[u8], most: usize) -> (Vec<(String, usize)>, usize) {
        let kind = ContainerKind::Frames(Framing::LittleEndian);
        let container = kind.open(Source::Bytes(bytes.to_vec()), &FormatOptions::new()).unwrap();
        let (count, mut seen) = (AtomicUsize::new(0), Vec::new());
        let work = |value: Embedded<'_>| {
            count.fetch_add(1, Ordering::Relaxed);
            (value.address.to_string(), value.bytes.map_or(usize::MAX, |bytes| bytes.len()))
        };
        let each = |result| {
            seen.push(result);
            if seen.len() == most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        workers.map(&*container, work, each).unwrap();
        (seen, count.into_inner())
    }

    #[test]
    fn results_come_in_the_order_of_the_file() {
        // few and many values, small and large ones, an end inside a frame
        let mixed = |count: u32| (0..count).map(|index| if index % 97 == 0 { 70_000 } else { index % 200 });
        for bytes in [frames([]), frames([5]), frames(mixed(3)), frames(mixed(3000)), frames([1, 2_000_000, 3])] {
            for bytes in [&bytes[..], &bytes[..bytes.len().saturating_sub(1)]] {
                let alone = mapped(&Workers::new().threads(1), bytes, usize::MAX);
                for memory in [0, 1 << 20, 256 << 20] {
                    let several = mapped(&Workers::new().threads(3).max_memory(memory), bytes, usize::MAX);
                    assert_eq!(several, alone);
                }
            }
        }
    }

    /// Both ways are used for this number of values, and the results are the same.
    #[test]
    fn results_of_both_ways_are_in_order() {
        let bytes = frames((0..200_000).map(|index| index % 7));
        let alone = mapped(&Workers::new().threads(1), &bytes, usize::MAX);
        assert_eq!(mapped(&Workers::new().threads(3), &bytes, usize::MAX), alone);
    }

    #[test]
    fn the_faster_way_is_kept() {
        let start = Instant::now();
        let (mut pace, mut now) = (Pace::new(start), start);
        // nanoseconds for a byte alone and with others, and what is done in turn: whether it is shared, for how many trials
        let mut run = |alone: u64, shared: u64, rounds: usize| -> Vec<(bool, usize)> {
            let round = |_| {
                let ran = (pace.shares, pace.most.1 / TRIAL.1);
                let mut bytes = 100;
                while !pace.ends_with(100) {
                    bytes += 100;
                }
                now += std::time::Duration::from_nanos(bytes * if ran.0 { shared } else { alone });
                pace.next(now);
                ran
            };
            (0..rounds).map(round).collect()
        };
        let slow = run(10, 25, 6);
        assert_eq!(slow, [(false, 0), (true, 1), (false, 8), (true, 1), (false, 32), (true, 1)]);
        // what comes next takes longer, so that others can help
        let fast = run(100, 60, 6);
        assert_eq!(fast, [(false, 128), (true, 1), (true, 8), (false, 1), (true, 32), (false, 1)]);
    }

    /// Only the values that were read ahead are worked on in vain.
    #[test]
    fn a_break_ends_the_work() {
        let bytes = frames((0..100_000).map(|index| 100 + index % 50));
        let all = mapped(&Workers::new().threads(1), &bytes, usize::MAX).0;
        for most in [1, 500] {
            let (seen, worked_on) = mapped(&Workers::new().threads(3), &bytes, most);
            assert_eq!(seen, all[..most]);
            assert!(worked_on <= most + (3 * AHEAD + 2) * BATCH.1, "{worked_on}");
        }
    }

    /// Values that are read ahead take no more than a 64th of the memory, and a batch.
    #[test]
    fn little_is_read_ahead() {
        let bytes = frames(vec![10_000; 1000]);
        let container =
            ContainerKind::Frames(Framing::LittleEndian).open(Source::Bytes(bytes), &FormatOptions::new()).unwrap();
        let (room, begun, mut taken, mut ahead) = (100_000, AtomicUsize::new(0), 0, 0);
        let work = |_: Embedded<'_>| begun.fetch_add(1, Ordering::Relaxed);
        Workers::new()
            .threads(3)
            .max_memory(64 * room)
            .map(&*container, work, |_| {
                taken += 1;
                ahead = ahead.max(begun.load(Ordering::Relaxed).saturating_sub(taken));
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(taken, 1000);
        assert!(ahead * 10_000 <= room * 5 / 4 + BATCH.0, "{ahead}");
    }

    #[test]
    fn a_panic_of_the_work_is_passed_on() {
        let bytes = frames((0..10_000).map(|index| 100 + index % 50));
        let container =
            ContainerKind::Frames(Framing::LittleEndian).open(Source::Bytes(bytes), &FormatOptions::new()).unwrap();
        let map =
            || Workers::new().threads(2).map(&*container, |_| panic!("as expected"), |()| ControlFlow::Continue(()));
        assert!(catch_unwind(AssertUnwindSafe(map)).is_err());
    }

    #[test]
    fn workers_can_be_shown() {
        assert_eq!(format!("{:?}", Workers::default().threads(2)), "Workers { threads: 2, .. }");
    }
}

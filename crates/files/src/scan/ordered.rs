//! Work on several threads, with results in the order of the tasks.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// The number of results of a task that may wait.
const RESULTS: usize = 2;

/// Enough stack for the deepest nesting, in any build.
const STACK: usize = 8 << 20;

/// The results of tasks that several threads work on, in the order of the tasks. The only error is that a thread ended too early,
/// because it panicked. Dropping it stops all threads, and waits for them.
///
/// ```
/// use enginewire_files::scan::Ordered;
///
/// let results = Ordered::new(0..100, 4, 10, |number, turn| turn.give(2 * number))?;
/// let results = results.collect::<Result<Vec<_>, _>>()?;
/// assert!(results.into_iter().eq((0..100).map(|number| 2 * number)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Ordered<T> {
    shared: Arc<Shared<T>>,
    current: Option<Receiver<Option<T>>>,
    threads: Vec<JoinHandle<()>>,
}

/// The data that all threads share.
#[derive(Debug)]
struct Shared<T> {
    /// The number of tasks, from the one whose results are taken, that may be started.
    ahead: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    tasks: BTreeMap<usize, Receiver<Option<T>>>,
    /// The task whose results are taken.
    head: usize,
    /// The number of tasks, once it is known.
    count: Option<usize>,
    is_stopped: bool,
    /// Threads that still run.
    threads: usize,
}

/// The place of a task among the others, to give its results. Both methods break if no more results will be taken.
#[derive(Debug)]
pub struct Turn<'t, T> {
    number: usize,
    to: SyncSender<Option<T>>,
    shared: &'t Shared<T>,
}

impl<T: Send + 'static> Ordered<T> {
    /// Starts the threads, at least one, which call `work` for each task. At most `ahead` tasks, and at least one, are in work or
    /// wait for their results to be taken. `work` may break only if its `Turn` does.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn new<I: Send + 'static>(
        tasks: impl Iterator<Item = I> + Send + 'static,
        threads: usize,
        ahead: usize,
        work: impl Fn(I, &Turn<'_, T>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let state = State { tasks: BTreeMap::new(), head: 0, count: None, is_stopped: false, threads: 0 };
        let shared = Arc::new(Shared { ahead: ahead.max(1), state: Mutex::new(state), changed: Condvar::new() });
        let job = Arc::new((Mutex::new((tasks.fuse(), 0)), work));
        let mut ordered = Ordered { shared, current: None, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (shared, job) = (ordered.shared.clone(), job.clone());
            let running = Running::new(shared);
            let work = move || {
                let (tasks, work) = &*job;
                while let Some((task, turn)) = running.0.next(tasks) {
                    if work(task, &turn).is_break() || turn.to.send(None).is_err() {
                        break;
                    }
                }
            };
            match Builder::new().stack_size(STACK).name(format!("enginewire {number}")).spawn(work) {
                Ok(thread) => ordered.threads.push(thread),
                Err(error) if number == 0 => return Err(error),
                // the others do all the work
                Err(_) => break,
            }
        }
        Ok(ordered)
    }
}

/// Counts a thread out, however it ends.
struct Running<T>(Arc<Shared<T>>);

impl<T> Running<T> {
    fn new(shared: Arc<Shared<T>>) -> Self {
        let mut state = shared.lock();
        state.threads = state.threads.saturating_add(1);
        drop(state);
        Running(shared)
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.threads = state.threads.saturating_sub(1);
        drop(state);
        self.0.changed.notify_all();
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until(&self, is_ready: impl Fn(&State<T>) -> bool) -> MutexGuard<'_, State<T>> {
        let waited = self.changed.wait_while(self.lock(), |state| !is_ready(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task.
    fn next<I>(&self, tasks: &Mutex<(impl Iterator<Item = I>, usize)>) -> Option<(I, Turn<'_, T>)> {
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let (tasks, taken) = &mut *tasks;
        let number = *taken;
        let state = self.wait_until(|state| state.is_stopped || number < state.head.saturating_add(self.ahead));
        if state.is_stopped {
            return None;
        }
        drop(state);
        let task = tasks.next();
        let mut state = self.lock();
        let next = match task {
            None => {
                state.count = Some(number);
                None
            }
            Some(task) => {
                *taken = number.saturating_add(1);
                let (to, from) = sync_channel(RESULTS);
                state.tasks.insert(number, from);
                Some((task, Turn { number, to, shared: self }))
            }
        };
        drop(state);
        self.changed.notify_all();
        next
    }
}

impl<T> Turn<'_, T> {
    /// Gives a result, and waits if earlier ones of this task were not taken yet.
    pub fn give(&self, result: T) -> ControlFlow<()> {
        match self.to.send(Some(result)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Waits until the results of this task are the next to be taken.
    pub fn wait(&self) -> ControlFlow<()> {
        match self.shared.wait_until(|state| state.is_stopped || state.head == self.number).is_stopped {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl<T> Iterator for Ordered<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let gone = || Some(Err(io::Error::other("a thread of the scan ended too early")));
        loop {
            match self.current.as_ref().map(Receiver::recv) {
                Some(Ok(Some(result))) => return Some(Ok(result)),
                Some(Err(_)) => return gone(),
                Some(Ok(None)) => {
                    let mut state = self.shared.lock();
                    state.head = state.head.saturating_add(1);
                    drop(state);
                    self.shared.changed.notify_all();
                }
                None => {}
            }
            let is_there = |state: &State<T>| state.tasks.contains_key(&state.head);
            let is_over = |state: &State<T>| state.count == Some(state.head);
            let mut state = self.shared.wait_until(|state| is_there(state) || is_over(state) || state.threads == 0);
            let head = state.head;
            self.current = state.tasks.remove(&head);
            if self.current.is_none() {
                return if is_over(&state) { None } else { gone() };
            }
        }
    }
}

impl<T> Drop for Ordered<T> {
    fn drop(&mut self) {
        self.current = None;
        let mut state = self.shared.lock();
        state.is_stopped = true;
        state.tasks.clear();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // `next` reports a panic
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        // every third task gives nothing, others more than wait
        let work = |number: usize, turn: &Turn<'_, usize>| {
            if number.is_multiple_of(7) {
                turn.wait()?;
            }
            (0..number % 3 * 4).try_for_each(|_| turn.give(number))
        };
        let expected: Vec<_> = (0..500).flat_map(|number| vec![number; number % 3 * 4]).collect();
        for threads in [1, 4] {
            let mut found = Ordered::new(0..500, threads, 3, work).unwrap();
            assert_eq!(found.by_ref().collect::<io::Result<Vec<_>>>().unwrap(), expected);
            assert!(found.next().is_none());
        }
    }

    #[test]
    fn a_reader_may_stop() {
        let mut numbers = Ordered::new(0.., 3, 5, |number: usize, turn| turn.give(number)).unwrap();
        assert_eq!(numbers.next().unwrap().unwrap(), 0);
    }

    #[test]
    fn a_panic_is_an_error() {
        let work = |number, turn: &Turn<'_, usize>| match number {
            1 => panic!("as expected"),
            number => turn.give(number),
        };
        let found: Vec<_> = Ordered::new(0..9, 1, 2, work).unwrap().take(2).map(Result::ok).collect();
        assert_eq!(found, [Some(0), None]);
    }
}

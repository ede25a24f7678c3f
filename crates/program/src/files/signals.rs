//! Cleaning up when a signal ends the program.

use std::io;

pub use imp::{end_by_closed_pipe, on_end, prepare, without_interrupt};

#[cfg(unix)]
mod imp {
    use std::ffi::c_int;
    use std::fs;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;

    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::{emulate_default_handler, exit, unregister};

    use super::io;
    use crate::exit_status::Status;

    /// Those that ask a program to end.
    const ENDING: [c_int; 3] = [SIGINT, SIGTERM, SIGHUP];

    /// Enough to remove a few files.
    const STACK: usize = 128 << 10;

    /// Prepares the whole program: exceeding the file size limit of the system is an ordinary write error, and running
    /// out of memory gives an exit status instead of a core dump.
    pub fn prepare() {
        // without them the program works as well, it only ends less politely
        let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let _ = flag::register_conditional_shutdown(SIGABRT, Status::Io.code().into(), Arc::new(AtomicBool::new(true)));
    }

    /// Ends the program as programs end whose output nobody reads any more: by SIGPIPE, so that nobody takes it for done.
    pub fn end_by_closed_pipe() {
        let _ = emulate_default_handler(SIGPIPE);
    }

    /// Runs `work` before a signal ends the program. Only the first call has an effect.
    pub fn on_end(work: fn()) -> io::Result<()> {
        static IS_ON: Mutex<bool> = Mutex::new(false);
        let mut is_on = IS_ON.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_on {
            return Ok(());
        }
        // `nohup` and shells have signals ignored; that stays so
        let ignored = ignored();
        let mut signals = Signals::new(ENDING.into_iter().filter(|signal| !is_in(ignored, *signal)))?;
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                work();
                // ends the program as the signal would without a handler
                let _ = emulate_default_handler(signal);
                exit(signal.saturating_add(128));
            }
        };
        let started = thread::Builder::new().stack_size(STACK).spawn(wait);
        started.map_err(|error| io::Error::new(error.kind(), format!("cannot start a thread: {error}")))?;
        *is_on = true;
        Ok(())
    }

    /// Runs `work`, a program of the user in the same terminal, during which Ctrl-C is a matter of that program alone. It
    /// inherits nothing of this: handlers end where a program starts.
    pub fn without_interrupt<T>(work: impl FnOnce() -> T) -> io::Result<T> {
        let ids = [SIGINT, SIGQUIT].map(|signal| flag::register(signal, Arc::new(AtomicBool::new(false))));
        let result = work();
        for id in ids {
            unregister(id?);
        }
        Ok(result)
    }

    /// The signals that are ignored, a bit each, where the system tells.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }

    fn is_in(mask: u64, signal: c_int) -> bool {
        let bit = u32::try_from(signal.saturating_sub(1)).unwrap_or(u32::MAX);
        mask.checked_shr(bit).is_some_and(|mask| mask & 1 == 1)
    }
}

#[cfg(not(unix))]
mod imp {
    use super::io;

    pub fn prepare() {}

    /// Nothing: there is no such signal.
    pub fn end_by_closed_pipe() {}

    /// Nothing: a later run removes the remaining files.
    pub fn on_end(_work: fn()) -> io::Result<()> {
        Ok(())
    }

    /// Runs `work`.
    pub fn without_interrupt<T>(work: impl FnOnce() -> T) -> io::Result<T> {
        Ok(work())
    }
}

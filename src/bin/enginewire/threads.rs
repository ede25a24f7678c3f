//! Threads with enough stack.

use std::thread::Builder;

/// Enough for the deepest nesting that can be asked for, in any build. Not every system gives its first thread as much.
const STACK: usize = 8 << 20;

/// A thread that can decode values of any depth.
pub fn builder() -> Builder {
    Builder::new().stack_size(STACK)
}

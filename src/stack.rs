//! Stack for values that nest deeply.

/// If less stack than this is left for a value, it gets a new segment.
const RED_ZONE: usize = 128 << 10;
/// The size of a new segment of stack.
const SEGMENT: usize = 2 << 20;

/// Runs `work` with enough stack for a value that may nest deeper than the stack of the thread allows.
#[inline]
pub(crate) fn growing<T>(work: impl FnOnce() -> T) -> T {
    // WebAssembly has one stack
    if cfg!(target_family = "wasm") {
        return work();
    }
    stacker::maybe_grow(RED_ZONE, SEGMENT, work)
}

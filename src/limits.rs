//! Bounds that every decoder keeps.

/// How much a decoder will take on before it gives up with an error.
///
/// Memory needs no limit of its own: no decoder reserves more than the input can fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    depth: u16,
}

impl Limits {
    /// The deepest nesting that can be asked for, in most formats. A parser that calls itself needs stack for each level;
    /// this much fits into a thread with 2 MiB even in a debug build. A format that goes deeper says so.
    pub const MAX_DEPTH: u16 = 128;

    /// The same, as a length.
    #[cfg(feature = "json")]
    #[allow(clippy::as_conversions)] // from 16 bits
    pub(crate) const MAX_LEVELS: usize = Self::MAX_DEPTH as usize;

    /// The default depth: the deepest, so that whatever is encoded can be decoded.
    pub const DEFAULT_DEPTH: u16 = Self::MAX_DEPTH;

    /// The default limits.
    #[must_use]
    pub const fn new() -> Self {
        Self { depth: Self::DEFAULT_DEPTH }
    }

    /// How many containers may stand inside each other. More than a format can do, most often
    /// [`MAX_DEPTH`](Self::MAX_DEPTH), counts as that.
    #[must_use]
    pub const fn with_depth(self, depth: u16) -> Self {
        Self { depth }
    }

    /// The same, but no deeper than this.
    #[must_use]
    pub(crate) const fn at_most(self, depth: u16) -> Self {
        Self { depth: if self.depth < depth { self.depth } else { depth } }
    }

    /// How many containers may stand inside each other.
    #[must_use]
    pub const fn depth(&self) -> u16 {
        self.depth
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

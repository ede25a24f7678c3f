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

/// What the options of every format share. Containers nest at most `MAX_DEPTH` levels, whatever is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommonOptions<const MAX_DEPTH: u16> {
    limits: Limits,
    trailing_bytes: bool,
}

impl<const MAX_DEPTH: u16> CommonOptions<MAX_DEPTH> {
    /// As deep as the format allows, and nothing after the value.
    pub(crate) const fn new() -> Self {
        CommonOptions { limits: Limits { depth: MAX_DEPTH }, trailing_bytes: false }
    }

    /// These limits, as far as the format allows them.
    pub(crate) const fn with_limits(self, limits: Limits) -> Self {
        let depth = if limits.depth < MAX_DEPTH { limits.depth } else { MAX_DEPTH };
        CommonOptions { limits: Limits { depth }, ..self }
    }

    pub(crate) const fn with_trailing_bytes(self, trailing_bytes: bool) -> Self {
        CommonOptions { trailing_bytes, ..self }
    }

    pub(crate) const fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) const fn trailing_bytes(&self) -> bool {
        self.trailing_bytes
    }
}

/// The methods of options that all formats share; `$common` is where the options keep their [`CommonOptions`].
macro_rules! common_options {
    ($options:ident, $($common:ident).+) => {
        impl $options {
            /// How deep containers may nest. The default is the most that the format allows; more counts as that.
            #[must_use]
            pub const fn limits(mut self, limits: $crate::Limits) -> Self {
                self.$($common).+ = self.$($common).+.with_limits(limits);
                self
            }

            /// Whether bytes may follow the value; false unless said otherwise. They are dropped.
            #[must_use]
            pub const fn trailing_bytes(mut self, allowed: bool) -> Self {
                self.$($common).+ = self.$($common).+.with_trailing_bytes(allowed);
                self
            }
        }
    };
}
pub(crate) use common_options;

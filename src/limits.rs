//! Limits that every decoder keeps.

/// Limits of a decoder. Input beyond them is an error.
///
/// Memory has no limit here, because a decoder takes memory only in proportion to its input: `decode` takes at most 64 KiB and 32
/// times the input, `check` none. A streaming [`Decoder`](crate::wire::Decoder) keeps one item, whose size its `item_limit` limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    depth: u16,
}

impl Limits {
    /// The deepest nesting that most formats allow; a format with another maximum states it in its options. A parser that calls
    /// itself needs stack for each level: this many levels fit the stack of a thread with 2 MiB, in a debug build too.
    pub const MAX_DEPTH: u16 = 128;

    /// The same, as a length.
    #[cfg(feature = "text")]
    #[allow(clippy::as_conversions)] // from 16 bits
    pub(crate) const MAX_LEVELS: usize = Self::MAX_DEPTH as usize;

    /// The depth of [`Limits::new`]. The options of a format begin with the deepest nesting that the format allows, which
    /// may be more: `godot::Options::MAX_DEPTH`.
    pub const DEFAULT_DEPTH: u16 = Self::MAX_DEPTH;

    /// The default limits.
    #[must_use]
    pub const fn new() -> Self {
        Self { depth: Self::DEFAULT_DEPTH }
    }

    /// Sets how many containers may be inside each other. More than the format allows, which is
    /// [`MAX_DEPTH`](Self::MAX_DEPTH) for most, counts as that.
    #[must_use]
    pub const fn with_depth(self, depth: u16) -> Self {
        Self { depth }
    }

    /// The maximum number of containers inside each other.
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

/// Options that limit a decoder.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not limit a decoder",
    note = "implement `enginewire::wire::Limited` for your options; its method `limits` has no default"
)]
pub trait Limited: Copy {
    /// The maximum depth of nested containers.
    fn limits(&self) -> Limits;

    /// Returns true if bytes may follow the value; by default, they are an error.
    fn allows_trailing_bytes(&self) -> bool {
        false
    }
}

/// The options that every format has: the depth, at most `MAX_DEPTH`, and above it [`TRAILING_BYTES`] and flags of the format. They
/// are in one number because options are passed on with every value: see [`perf`](crate::wire::perf).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommonOptions<const MAX_DEPTH: u16>(u16);

/// The flag that allows bytes after the value. A format may use the three below it.
const TRAILING_BYTES: u16 = 1 << 15;

/// All flags. They are above any depth.
const FLAGS: u16 = 0xf000;

impl<const MAX_DEPTH: u16> CommonOptions<MAX_DEPTH> {
    /// As deep as the format allows, and no flags.
    pub(crate) const fn new() -> Self {
        CommonOptions(MAX_DEPTH)
    }

    /// With these limits, as far as the format allows them.
    pub(crate) const fn with_limits(self, limits: Limits) -> Self {
        let depth = if limits.depth < MAX_DEPTH { limits.depth } else { MAX_DEPTH };
        CommonOptions(depth | self.0 & FLAGS)
    }

    pub(crate) const fn with_flag(self, flag: u16, set: bool) -> Self {
        CommonOptions(if set { self.0 | flag } else { self.0 & !flag })
    }

    pub(crate) const fn flag(self, flag: u16) -> bool {
        self.0 & flag != 0
    }

    pub(crate) const fn with_trailing_bytes(self, trailing_bytes: bool) -> Self {
        self.with_flag(TRAILING_BYTES, trailing_bytes)
    }

    pub(crate) const fn limits(&self) -> Limits {
        Limits { depth: self.0 & !FLAGS }
    }

    pub(crate) const fn trailing_bytes(&self) -> bool {
        self.flag(TRAILING_BYTES)
    }
}

/// The methods of options that all formats share; `$common` is where the options keep their [`CommonOptions`], and
/// `$max_depth` the depth that these allow.
macro_rules! common_options {
    ($options:ident, $($common:ident).+, $max_depth:literal) => {
        impl $options {
            /// Sets the maximum depth of nested containers.
            #[doc = concat!("The default is [`", $max_depth, "`], which is the most: greater depths count as that.")]
            #[must_use]
            pub const fn limits(mut self, limits: $crate::Limits) -> Self {
                self.$($common).+ = self.$($common).+.with_limits(limits);
                self
            }

            /// Allows bytes after the value, which are dropped; false unless set.
            #[must_use]
            pub const fn trailing_bytes(mut self, allowed: bool) -> Self {
                self.$($common).+ = self.$($common).+.with_trailing_bytes(allowed);
                self
            }
        }

        impl $crate::limits::Limited for $options {
            fn limits(&self) -> $crate::Limits {
                self.$($common).+.limits()
            }

            fn allows_trailing_bytes(&self) -> bool {
                self.$($common).+.trailing_bytes()
            }
        }
    };
}
pub(crate) use common_options;

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn depth_and_trailing_bytes_do_not_disturb_each_other() {
        for trailing in [false, true] {
            for (asked, depth) in [(0, 0), (7, 7), (128, 128), (129, 128), (u16::MAX, 128)] {
                let options = CommonOptions::<128>::new().with_trailing_bytes(trailing);
                let options = options.with_limits(Limits::new().with_depth(asked));
                assert_eq!((options.limits().depth(), options.trailing_bytes()), (depth, trailing));
                for flag in [1 << 14, 1 << 13, 1 << 12] {
                    let flagged = options.with_flag(flag, true).with_limits(Limits::new().with_depth(asked));
                    assert_eq!((flagged.limits().depth(), flagged.trailing_bytes()), (depth, trailing));
                    assert!(flagged.flag(flag) && !options.flag(flag));
                    assert_eq!(flagged.with_flag(flag, false), options);
                }
                let other = options.with_trailing_bytes(!trailing);
                assert_eq!((other.limits().depth(), other.trailing_bytes()), (depth, !trailing));
            }
        }
    }
}

//! Options for reading and writing resources.

use crate::godot::options::Options as VariantOptions;
use crate::godot::version::Version;
use crate::limits::{common_options, CommonOptions};

/// Options for decoding and encoding. By default, text must be UTF-8, and the file begins with [`MAGIC`](super::MAGIC).
///
/// ```
/// use enginewire::godot::resource::{self, Options, Resource};
///
/// let file = resource::encode(&Resource::default())?;
/// let headless = Options::new().headless(true);
/// assert_eq!(resource::decode_with(&file[4..], &headless)?, resource::decode(&file)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    common: CommonOptions<{ Options::MAX_DEPTH }>,
    any_text: bool,
    pub(super) headless: bool,
}

impl Options {
    /// The maximum nesting depth of containers in a value. Engines have none; in their files there are a few.
    pub const MAX_DEPTH: u16 = 512;

    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { common: CommonOptions::new(), any_text: false, headless: false }
    }

    /// Sets whether text that is not UTF-8 is allowed; false by default. Its bytes are kept.
    #[must_use]
    pub const fn any_text(self, allowed: bool) -> Self {
        Options { any_text: allowed, ..self }
    }

    /// Sets whether the first [`MAGIC`](super::MAGIC) is missing; false by default. It is missing in what a compressed file
    /// (`RSCC`) holds.
    #[must_use]
    pub const fn headless(self, headless: bool) -> Self {
        Options { headless, ..self }
    }

    /// The options for parts that resources share with values.
    pub(super) const fn of_values(self) -> VariantOptions {
        VariantOptions::new(Version::V4).any_text(self.any_text).limits(self.common.limits())
    }
}

common_options!(Options, common, "Options::MAX_DEPTH");

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

//! Errors of writing.

use thiserror::Error;

use super::path::{InPath, Path, Segment};

/// Why a value cannot be written. Nothing has been written when this comes back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}{}", InPath(.path))]
pub struct EncodeError {
    path: Path,
    #[source]
    reason: EncodeFault,
}

/// The reason why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeFault {
    /// A string or list has more bytes or items than its length field can hold.
    #[error("a length does not fit its 32 bits")]
    TooLong,
    /// Containers inside containers, deeper than the options allow.
    #[error("containers are nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: u16,
    },
    /// The options refuse it, so that a decoder with the same options would too.
    #[error("the options refuse {what}: {reason}")]
    Refused {
        /// The name of the refused type.
        what: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// Text that must be UTF-8 is not.
    #[error("text is not UTF-8")]
    Text,
    /// The requested version of the format does not have this.
    #[error("version {version} has no {what}")]
    NotInVersion {
        /// The version.
        version: u8,
        /// The feature that the version lacks.
        what: &'static str,
    },
    /// Several values have the key of one that is to change. The texts are their paths.
    #[error("several values have this key, and readers do not agree on the one that counts: remove them first, or name {}", .0.join(" or "))]
    SeveralKeys(Vec<String>),
    /// A writer or a generator outside this crate failed.
    #[error("{0}")]
    Other(String),
    /// There are more or fewer items than the length before them states.
    #[error("the length says that there are {expected} items, and there are {found}")]
    Count {
        /// The number of items that the length states.
        expected: u64,
        /// The number of items that there are, or would be.
        found: u64,
    },
}

impl EncodeError {
    #[cfg(feature = "text")]
    pub(crate) fn into_reason(self) -> EncodeFault {
        self.reason
    }

    #[doc(hidden)] // for the package of files
    pub fn new(path: Path, reason: EncodeFault) -> Self {
        Self { path, reason }
    }

    /// The same error in an item of a larger value: `segment` comes first in its path.
    #[must_use]
    pub fn within(self, segment: Segment) -> Self {
        EncodeError { path: self.path.within(segment), ..self }
    }

    /// The item that cannot be written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason why it cannot be written.
    #[must_use]
    pub fn reason(&self) -> &EncodeFault {
        &self.reason
    }
}

/// Why a value could not be written out.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

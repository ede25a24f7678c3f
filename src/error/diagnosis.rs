//! Errors as miette draws them.

use std::error::Error;
use std::fmt::{self, Display};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::{DecodeError, DecodeOwnedError};

/// An error and the bytes around it, for [miette](miette::Diagnostic): what `?` makes a [`miette::Report`] of. Made by
/// [`DecodeError::diagnosis`].
///
/// The source that is shown is a hexdump, in which the broken bytes are marked.
///
/// ```
/// use enginewire::roblox::attributes;
///
/// fn read(blob: &[u8]) -> miette::Result<usize> {
///     let attributes = attributes::decode(blob).map_err(|error| error.diagnosis("player.bin", blob))?;
///     Ok(attributes.len())
/// }
///
/// let report = read(b"\x01\0\0\0\x01\0\0\0a\x1d").unwrap_err();
/// assert_eq!(report.to_string(), "unknown type id 0x1d");
/// assert_eq!(report.code().unwrap().to_string(), "enginewire::unknown-id");
/// ```
#[derive(Debug)]
pub struct Diagnosis {
    error: DecodeError,
    source: NamedSource<String>,
    label: LabeledSpan,
}

impl Diagnosis {
    pub(super) fn new(error: &DecodeError, name: &str, input: &[u8]) -> Self {
        let excerpt = error.excerpt(input);
        let place = format!("byte {}{}", error.offset(), super::InPath(error.path()));
        Diagnosis {
            error: error.clone(),
            label: LabeledSpan::new_with_span(Some(place), excerpt.span()),
            source: NamedSource::new(name, excerpt.text().to_owned()),
        }
    }

    /// The error.
    #[must_use]
    pub fn error(&self) -> &DecodeError {
        &self.error
    }
}

impl DecodeOwnedError {
    /// The error for miette, as of [`DecodeError::diagnosis`].
    #[must_use]
    pub fn diagnosis(&self, name: &str) -> Diagnosis {
        self.error().diagnosis(name, self.bytes())
    }
}

/// What is wrong, without the place.
impl Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fault().fmt(f)
    }
}

impl Error for Diagnosis {}

impl Diagnostic for Diagnosis {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(format!("enginewire::{}", self.error.fault().code())))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.error.fault().expected().map(|expected| -> Box<dyn Display> { Box::new(format!("expected {expected}")) })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, Path};
    use super::*;
    use miette::SourceSpan;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_diagnosis_has_the_broken_bytes() {
        let error = DecodeError::new(2.into(), Path::default(), Fault::ReservedBit);
        let owned = DecodeOwnedError::new(error.clone(), vec![1, 2, 3]);
        let diagnosis = owned.diagnosis("a.bin");
        assert_eq!((diagnosis.error(), diagnosis.to_string()), (&error, error.fault().to_string()));
        let label = diagnosis.labels().unwrap().next().unwrap();
        assert_eq!(label.label(), Some("byte 0x2"));
        let shown = diagnosis.source_code().unwrap().read_span(label.inner(), 0, 0).unwrap();
        assert_eq!((shown.data(), label.inner()), (&b"03"[..], &SourceSpan::from((16, 2))));
        assert!(diagnosis.help().is_none());
    }
}

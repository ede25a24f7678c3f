//! Attributes that hold references to instances.

use bstr::{BStr, ByteSlice};

#[cfg(doc)]
use super::Listing;

/// An attribute that holds a reference to an instance. In an XML file it is not among the other attributes, but a property of its
/// own: `<Ref name="__attrRef_Target">RBX2</Ref>`. It is read only.
///
/// Specification: `docs/spec/roblox-model-files.md`, section References in attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AttributeReference<'l> {
    /// The instance that has the attribute, as an index into [`Listing::instances`].
    pub instance: usize,
    /// The name of the attribute.
    pub key: &'l BStr,
    /// The referent of the instance that it refers to; `None` if the reference is empty.
    pub referent: Option<&'l BStr>,
    /// The instance that it refers to, as an index into [`Listing::instances`]; `None` if the file does not have it.
    pub target: Option<usize>,
}

impl<'l> AttributeReference<'l> {
    /// The start of the name of the property.
    pub const PREFIX: &'static str = "__attrRef_";

    /// The text of a property that refers to no instance.
    const NOTHING: &'static [u8] = b"null";

    pub(super) fn new(instance: usize, key: &'l [u8], text: &'l [u8], target: Option<usize>) -> Self {
        let referent = (!text.is_empty() && text != Self::NOTHING).then(|| text.as_bstr());
        AttributeReference { instance, key: key.as_bstr(), referent, target: referent.and(target) }
    }
}

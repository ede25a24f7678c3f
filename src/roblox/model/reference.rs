//! Attributes that hold references to instances.

use bstr::{BStr, ByteSlice};

/// An attribute that holds a reference to an instance. In an XML file it is not among the other attributes, but a property of its
/// own: `<Ref name="__attrRef_Target">RBX2</Ref>`. It is read only.
///
/// Specification: `docs/spec/roblox-model-files.md`, section References in attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeReference<'l> {
    /// The instance that has the attribute, as an index into [`Listing::instances`](super::Listing::instances).
    pub instance: usize,
    /// The name of the attribute.
    pub key: &'l BStr,
    /// The referent of the instance that it refers to; `None` if it refers to none.
    pub target: Option<&'l BStr>,
}

impl AttributeReference<'_> {
    /// The start of the name of the property.
    pub const PREFIX: &'static str = "__attrRef_";

    /// What a property has as its text if it refers to no instance.
    const NOTHING: &'static [u8] = b"null";
}

impl<'l> AttributeReference<'l> {
    pub(super) fn new(instance: usize, key: &'l [u8], text: &'l [u8]) -> Self {
        let target = (!text.is_empty() && text != Self::NOTHING).then(|| text.as_bstr());
        AttributeReference { instance, key: key.as_bstr(), target }
    }

    /// The instance that it refers to, as an address: `#RBX2`; `nil` if it refers to none.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.target.map_or_else(|| "nil".to_owned(), |target| format!("#{target}"))
    }
}

#[cfg(feature = "json")]
mod node {
    use super::AttributeReference;
    use crate::formats::{Node, Notation, Shape, Step};
    use serde_json::value::{to_raw_value, RawValue};

    /// A leaf.
    impl Node for AttributeReference<'_> {
        fn type_name(&self, _: Notation) -> &'static str {
            "Reference"
        }

        fn steps(&self, _: Notation) -> Vec<Step> {
            Vec::new()
        }

        fn item(&self, _: usize) -> Option<&dyn Node> {
            None
        }

        fn item_mut(&mut self, _: usize) -> Option<&mut dyn Node> {
            None
        }

        fn text(&self, _: Notation) -> String {
            self.to_text()
        }

        fn json(&self, _: Notation) -> serde_json::Result<Box<RawValue>> {
            to_raw_value(&self.target.map(|_| self.to_text()))
        }
    }

    /// The references of an instance, by their names.
    impl Node for Vec<AttributeReference<'_>> {
        fn steps(&self, _: Notation) -> Vec<Step> {
            self.iter().map(|reference| Step::key(reference.key)).collect()
        }

        fn item(&self, number: usize) -> Option<&dyn Node> {
            Some(self.get(number)?)
        }

        fn item_mut(&mut self, _: usize) -> Option<&mut dyn Node> {
            None
        }

        fn shape(&self) -> Shape {
            Shape::Object
        }
    }
}

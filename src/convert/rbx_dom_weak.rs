//! The attributes of an [`Instance`].

use rbx_dom_weak::{ustr, Instance};
use rbx_types::{BinaryString, Variant};
use thiserror::Error;

use super::ConvertError;
use crate::roblox::attributes::{self, Attributes};
use crate::{DecodeError, EncodeError};

/// The property that has attributes, as `rbx_binary` and `rbx_xml` name it.
const PROPERTY: &str = "Attributes";

/// The same as it is named in files, and by those two if they know no classes.
const SERIALIZED: &str = "AttributesSerialize";

/// The attributes of an instance of `rbx_dom_weak`.
///
/// `rbx_binary` and `rbx_xml` decode attributes with `rbx_types`, and keep the bytes where that fails, such as for arrays: the
/// property is `Variant::Attributes`, or else `Variant::BinaryString`. Here both are attributes.
///
/// ```
/// use enginewire::convert::InstanceAttributes;
/// use enginewire::roblox::attributes::Value;
/// use rbx_dom_weak::{InstanceBuilder, WeakDom};
///
/// let mut dom = WeakDom::new(InstanceBuilder::new("Folder"));
/// let folder = dom.root_mut();
/// let mut attributes = folder.attributes()?.into_owned();
/// attributes.insert("Fuel", 42.0);
/// folder.set_attributes(&attributes)?;
/// assert_eq!(folder.attributes()?.get("Fuel").and_then(Value::as_double), Some(42.0));
/// # Ok::<(), enginewire::convert::InstanceError>(())
/// ```
pub trait InstanceAttributes {
    /// The attributes; none, if the instance has no such property.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid, or an attribute is of a type that attributes cannot have.
    fn attributes(&self) -> Result<Attributes<'_>, InstanceError>;

    /// Sets the attributes. Those that `rbx_types` can hold and write become `Variant::Attributes`; if there is one that it cannot,
    /// all become `Variant::BinaryString`, as `rbx_binary` would read them, and nothing is lost.
    ///
    /// ```
    /// use enginewire::convert::InstanceAttributes;
    /// use enginewire::roblox::attributes::{Attributes, Value};
    /// use rbx_dom_weak::{types::Variant, ustr, InstanceBuilder, WeakDom};
    ///
    /// let mut dom = WeakDom::new(InstanceBuilder::new("Folder"));
    /// let list = Value::Array([1.0.into(), 2.0.into()].into()); // rbx_types has no arrays
    /// let attributes: Attributes<'_> = [("List", list)].into_iter().collect();
    /// dom.root_mut().set_attributes(&attributes)?;
    /// assert!(matches!(dom.root().properties[&ustr("Attributes")], Variant::BinaryString(_)));
    /// assert_eq!(dom.root().attributes()?, attributes);
    /// # Ok::<(), enginewire::convert::InstanceError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If they cannot be encoded.
    fn set_attributes(&mut self, attributes: &Attributes<'_>) -> Result<(), InstanceError>;
}

/// Why the attributes of an instance cannot be read or set.
///
/// ```
/// use enginewire::convert::{InstanceAttributes, InstanceError};
/// use rbx_dom_weak::{types::BinaryString, InstanceBuilder, WeakDom};
///
/// let broken = BinaryString::from(&b"\x01\0\0\0\x01\0\0\0a\xff"[..]);
/// let dom = WeakDom::new(InstanceBuilder::new("Folder").with_property("Attributes", broken));
/// let error: InstanceError = dom.root().attributes().unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown type id 0xff, at byte 0x9 in entries[0] "a".value.type"#);
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The bytes are invalid.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The attributes cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The property, or an attribute, is of a type that attributes cannot have.
    #[error(transparent)]
    Convert(#[from] ConvertError),
}

impl InstanceAttributes for Instance {
    fn attributes(&self) -> Result<Attributes<'_>, InstanceError> {
        let property = [PROPERTY, SERIALIZED].into_iter().find_map(|name| self.properties.get(&ustr(name)));
        match property {
            None => Ok(Attributes::new()),
            Some(Variant::Attributes(attributes)) => Ok(attributes.try_into()?),
            Some(Variant::BinaryString(bytes)) => Ok(attributes::decode(bytes.as_ref())?),
            Some(Variant::String(bytes)) => Ok(attributes::decode(bytes.as_bytes())?),
            Some(Variant::SharedString(bytes)) => Ok(attributes::decode(bytes.data())?),
            Some(other) => Err(ConvertError::of_type(PROPERTY, format!("{:?}", other.ty())).into()),
        }
    }

    fn set_attributes(&mut self, attributes: &Attributes<'_>) -> Result<(), InstanceError> {
        let has = |name| self.properties.contains_key(&ustr(name));
        let (name, held) = match has(SERIALIZED) && !has(PROPERTY) {
            true => (SERIALIZED, None),
            false => (PROPERTY, held(attributes)),
        };
        let value = match held {
            Some(held) => Variant::Attributes(held),
            None => Variant::BinaryString(BinaryString::from(attributes::encode(attributes)?)),
        };
        self.properties.insert(ustr(name), value);
        Ok(())
    }
}

/// The attributes as `rbx_types` holds them, if it can, and if it writes what it holds: it refuses some types, and takes some
/// matrices for others.
fn held(attributes: &Attributes<'_>) -> Option<rbx_types::Attributes> {
    let theirs = rbx_types::Attributes::try_from(attributes).ok()?;
    let mut written = Vec::new();
    theirs.to_writer(&mut written).ok()?;
    let expected = attributes::encode(&Attributes::try_from(&theirs).ok()?).ok()?;
    (written == expected).then_some(theirs)
}

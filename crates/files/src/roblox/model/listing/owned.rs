//! The attributes and the tags of an instance.

use super::Listing;
use crate::roblox::model::change::Change;
use crate::roblox::model::error::ModelError;
use crate::roblox::model::instance::Instance;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::property::PropertyError;
use enginewire::roblox::attributes::{self, Attributes};
use enginewire::roblox::Tags;

impl Listing {
    /// The instances that have this tag, as indices into [`instances`](Self::instances).
    ///
    /// ```
    /// use enginewire_files::roblox::model::{list_bytes, Options};
    ///
    /// let listing = list_bytes(&std::fs::read("../../fixtures/roblox-model/tags.rbxm")?, &Options::new())?;
    /// let tagged: Vec<_> = listing.instances_with_tag("My").map(|instance| listing.path(instance)).collect();
    /// assert_eq!(tagged, ["Folder"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn instances_with_tag<'l>(&'l self, tag: impl AsRef<[u8]> + 'l) -> impl Iterator<Item = usize> + 'l {
        let has_tag = move |instance: &usize| {
            let tags = self.property(*instance, Kind::Tags);
            tags.is_some_and(|tags| tags.tags().any(|other| *other == *tag.as_ref()))
        };
        (0..self.instances.len()).filter(has_tag)
    }

    /// The attributes of the instance with this index, which borrow from the listing: its property AttributesSerialize,
    /// without which it has none.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Value;
    /// use enginewire_files::roblox::model::{edit, list_bytes, Options, Store};
    ///
    /// let file = std::fs::read("../../fixtures/roblox-model/made.rbxm")?;
    /// let listing = list_bytes(&file, &Options::new())?;
    /// let torch = listing.find("Workspace.Torch.Torch".into()).next().unwrap();
    /// let mut attributes = listing.attributes_of(torch)?;
    /// attributes.insert("Fuel", 42.0);
    /// let changes = [listing.set_attributes(torch, &attributes)?];
    ///
    /// let changed = edit(&file, &changes, Store::AsBefore, &Options::new())?;
    /// let listing = list_bytes(&changed, &Options::new())?;
    /// assert_eq!(listing.attributes_of(torch)?.get("Fuel").and_then(Value::as_double), Some(42.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no such instance, or the property cannot be read or holds no valid attributes.
    pub fn attributes_of(&self, instance: usize) -> Result<Attributes<'_>, PropertyError> {
        self.listed(instance)?;
        let property = self.property(instance, Kind::AttributesSerialize);
        property.map_or_else(|| Ok(Attributes::new()), |property| property.decode(&attributes::Options::new()))
    }

    /// The change that gives an instance these attributes and no others. It borrows nothing. See
    /// [`attributes_of`](Self::attributes_of) for an example.
    ///
    /// All of them are written anew. With [`Patch`](enginewire::roblox::attributes::Patch) and [`Change::of`], those that do not
    /// change keep their bytes, also where they are not canonical.
    ///
    /// # Errors
    ///
    /// If no such instance, or the attributes cannot be encoded.
    pub fn set_attributes(&self, instance: usize, attributes: &Attributes<'_>) -> Result<Change<'static>, ModelError> {
        let kind = Kind::AttributesSerialize;
        let bytes = kind.encode(attributes, &attributes::Options::new())?;
        Ok(Change::of_instance(&self.listed_to_change(instance)?, kind, bytes))
    }

    /// The tags of the instance with this index.
    ///
    /// ```
    /// use enginewire_files::roblox::model::{list_bytes, Options};
    ///
    /// let listing = list_bytes(&std::fs::read("../../fixtures/roblox-model/tags.rbxm")?, &Options::new())?;
    /// let mut tags = listing.tags_of(0)?;
    /// tags.add("Lamp")?;
    /// let change = listing.set_tags(0, &tags)?; // for `edit`
    /// # let _ = change;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no such instance, or the property cannot be read.
    pub fn tags_of(&self, instance: usize) -> Result<Tags, PropertyError> {
        self.listed(instance)?;
        match self.property(instance, Kind::Tags) {
            Some(property) => Ok(Tags::from_bytes(property.bytes?)),
            None => Ok(Tags::default()),
        }
    }

    /// The change that gives an instance these tags and no others. It borrows nothing. See [`tags_of`](Self::tags_of) for an
    /// example.
    ///
    /// # Errors
    ///
    /// If no such instance.
    pub fn set_tags(&self, instance: usize, tags: &Tags) -> Result<Change<'static>, ModelError> {
        Ok(Change::of_instance(&self.listed_to_change(instance)?, Kind::Tags, tags.to_bytes()))
    }

    fn listed(&self, instance: usize) -> Result<Instance<'_>, PropertyError> {
        self.instance(instance).ok_or(PropertyError::NoInstance(instance))
    }

    fn listed_to_change(&self, instance: usize) -> Result<Instance<'_>, ModelError> {
        self.listed(instance).map_err(|error| ModelError::NoPlace(error.to_string()))
    }
}

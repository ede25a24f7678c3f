//! A file as values that are found and changed by their paths: the properties of the main resource, and after them the other
//! resources by their paths, such as `["local://1"].offsets`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::file::{Internal, Resource};
use crate::dynamic::node::distinct;
use crate::dynamic::{Contents, Node, Notation, Step, TypedText};
use crate::godot::variant::{FullObject, Property};
use crate::TextError;

impl<'a> Resource<'a> {
    /// The properties of the main resource, and the other resources.
    fn parts(&self) -> (&[Property<'a>], &[Internal<'a>]) {
        match self.internal.split_last() {
            Some((main, others)) => (&main.object.properties, others),
            None => (&[], &[]),
        }
    }

    /// The main resource, to be changed.
    fn changed(&mut self) -> Result<&mut FullObject<'a>, TextError> {
        self.main_mut().ok_or_else(|| TextError::new("the file has no resource"))
    }
}

impl<'a> Node for Resource<'a> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        let (properties, others) = self.parts();
        let properties = properties.iter().map(|property| Step::key(&*property.name));
        distinct(properties.chain(others.iter().map(|internal| Step::key(&*internal.path))))
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        let (properties, others) = self.parts();
        match properties.get(number) {
            Some(property) => Some(&property.value),
            None => Some(&others.get(number.checked_sub(properties.len())?)?.object),
        }
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        let (main, others) = self.internal.split_last_mut()?;
        let count = main.object.properties.len();
        match main.object.properties.get_mut(number) {
            Some(property) => Some(&mut property.value),
            None => Some(&mut others.get_mut(number.checked_sub(count)?)?.object),
        }
    }

    /// All but the properties, and the texts of their names.
    fn without_items(&self, _: Notation) -> String {
        let empty = |internal: &Internal<'a>| {
            let object = FullObject { class: internal.object.class.clone(), properties: Vec::new() };
            Internal { path: internal.path.clone(), object }
        };
        let mut bare = Resource { internal: Vec::new(), strings: Vec::new(), ..self.clone() };
        bare.internal.extend(self.internal.iter().map(empty));
        bare.to_gdscript()
    }

    fn text(&self, _: Notation) -> String {
        self.to_gdscript()
    }

    fn assign(&mut self, given: TypedText<'_>, _: Notation) -> Result<(), TextError> {
        *self = Resource::from_gdscript(given.text)?;
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        self.changed()?.insert(step, text, notation)
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }

    fn insert_json(&mut self, step: &Step, json: &Value, notation: Notation) -> Result<(), TextError> {
        self.changed()?.insert_json(step, json, notation)
    }

    /// Only properties: references count on the places of resources.
    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        let count = self.parts().0.len();
        match numbers.last() {
            None => Ok(()),
            Some(last) if *last < count => self.changed()?.remove(numbers),
            _ => Err(TextError::new("a resource cannot be removed, because others may refer to it")),
        }
    }

    fn rename(&mut self, number: usize, key: &Step, notation: Notation) -> Result<(), TextError> {
        if number < self.parts().0.len() {
            return self.changed()?.rename(number, key, notation);
        }
        Err(TextError::new("the path of a resource cannot be changed"))
    }
}

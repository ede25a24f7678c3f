//! Blueprints as containers.

use std::ops::ControlFlow;

use serde_json::json;

use super::UnpackError;
use crate::address::{Address, Component, Index, Syntax};
use crate::containers::{located, within, Container, ContainerError, Embedded, ValueChange};
use crate::scrap_mechanic::blueprint::{Blueprint, BlueprintError, PartError};
use enginewire::number::to_u64;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};

pub(super) const FORMATS: &[&str] = &["scrap-mechanic-lua"];

/// Decodes an object.
pub(super) fn object(bytes: &[u8]) -> Result<LuaObject<'_>, ContainerError> {
    lua_object::decode(bytes).map_err(ContainerError::malformed)
}

impl Blueprint {
    /// Opens a blueprint from its bytes, after which others may follow with `trailing`. It takes at most `max_memory` bytes
    /// of memory.
    pub(crate) fn open(bytes: Vec<u8>, max_memory: usize, trailing: bool) -> Result<Self, ContainerError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            ContainerError::Malformed(format!("not a Scrap Mechanic blueprint: not UTF-8, at byte {offset:#x}"))
        })?;
        Blueprint::read(text, max_memory, trailing).map_err(|error| match error {
            BlueprintError::Memory(error) => ContainerError::OverLimit(error.to_string()),
            other => ContainerError::malformed(other),
        })
    }
}

/// The address of a value is that of its part: `bodies[0].childs[3]`.
impl Container for Blueprint {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        for part in self.parts() {
            let mut members = vec![("body", json!(part.body())), ("child", json!(part.child()))];
            members.extend(part.shape().map(|shape| ("shape", json!(shape.to_string()))));
            let bytes = part.unpack(self.max_memory()).map_err(|error| match error {
                PartError::Memory(_) | PartError::Unpack(UnpackError::TooLarge { .. }) => {
                    ContainerError::OverLimit(error.to_string())
                }
                other => ContainerError::malformed(other),
            });
            let index = |name, number| Component::name(name).numbered(Some(to_u64(number)));
            let shape = part.shape().map(|shape| Index::Columns(vec![("shape".into(), shape.to_string())]));
            let names = [index("bodies", part.body()), index("childs", part.child()).also(shape)];
            let address = Address::new(Syntax::Items, names);
            if each(Embedded::new(address, FORMATS, bytes).with_members(members)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = located(self, changes)?;
        let objects: Vec<_> = changes
            .iter()
            .map(|(number, bytes)| Ok((*number, object(bytes)?)))
            .collect::<Result<_, ContainerError>>()?;
        let mut changed = self.clone();
        let objects = objects.iter().map(|(number, object)| (*number, object));
        changed.replace_all(objects).map_err(ContainerError::malformed)?;
        within(changed.text().as_bytes().to_vec(), self.max_memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrap_mechanic::blueprint::pack_text;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_part_is_listed_with_its_bytes_or_what_is_wrong() {
        let objects = [LuaObject::new("a".repeat(5000)), LuaObject::new(true)];
        let [long, short] = objects.each_ref().map(|object| pack_text(object).unwrap());
        let child = |data: &str| format!(r#"{{"controller":{{"data":"{data}"}}}}"#);
        let children = [child(&long), "{}".to_owned(), child("!"), child(&short)].join(",");
        let text = format!(r#"{{"bodies":[{{}},{{"childs":[{children}]}}]}}"#);
        let blueprint = Blueprint::open(text.clone().into(), 4000, false).unwrap();
        let values = blueprint.list().unwrap();
        let addresses: Vec<_> = values.iter().map(|value| value.address.to_string()).collect();
        assert_eq!(addresses, [0, 2, 3].map(|child| format!("bodies[1].childs[{child}]")));
        assert_eq!(values[1].about.given(), [("body", json!(1)), ("child", json!(2))]);
        assert!(matches!(values[0].bytes, Err(ContainerError::OverLimit(_))));
        assert!(matches!(values[1].bytes, Err(ContainerError::Malformed(_))));
        assert_eq!(values[2].bytes.as_deref().unwrap(), lua_object::encode(&objects[1]).unwrap());
        let mut seen = 0;
        blueprint
            .values(&mut |_| {
                seen += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(seen, 1);

        let change = |max_memory, object: &LuaObject<'_>| {
            let blueprint = Blueprint::open(text.clone().into(), max_memory, false).unwrap();
            let bytes = lua_object::encode(object).unwrap();
            let changed = blueprint.changed(&[ValueChange::Replace { address: &values[1].address, bytes: &bytes }]);
            changed.map(|changed| String::from_utf8(changed).unwrap()).map_err(|error| error.to_string())
        };
        let number = LuaObject::new(7);
        let expected = text.replace("\"!\"", &format!("{:?}", pack_text(&number).unwrap()));
        assert_eq!(change(text.len() + 500, &number), Ok(expected));
        let numbers = (100..500).map(|number| number.to_string()).collect::<String>();
        let too_large = format!("the file is larger than the limit of {} bytes", text.len() + 500);
        assert_eq!(change(text.len() + 500, &LuaObject::new(numbers)), Err(too_large));
    }

    #[test]
    fn what_cannot_be_opened_is_told() {
        let open = |bytes: &[u8], max_memory| Blueprint::open(bytes.to_vec(), max_memory, false).unwrap_err();
        assert!(matches!(open(b"{\"bodies\":[]}", 5), ContainerError::OverLimit(_)));
        assert!(matches!(open(b"{}", 100), ContainerError::Malformed(_)));
        assert!(matches!(open(b"{\"bodies\":[\xff]}", 100), ContainerError::Malformed(_)));
    }
}

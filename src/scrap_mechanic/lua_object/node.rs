//! A LuaObject as values that are found and changed by their paths. An integer key of a table, in brackets, is that of Lua.

use std::collections::BTreeSet;

use super::{LuaSaveData, LuaSaveDataType as TypeId, Table, TableKeyValuePair, Userdata, UserdataTypeId};
use serde_json::Value;

use crate::dynamic::node::{distinct, remove_from};
use crate::dynamic::part::typed_part;
use crate::dynamic::plain::{in_place_of, Untyped};
use crate::dynamic::plain_json::plain_json;
use crate::dynamic::{Contents, Node, Notation, Step, TypedText};
use crate::json::{typed::Typed, Shape};
use crate::member::{Holder, Receiver};
use crate::suggest::advice;
use crate::TextError;

/// The step to the value of a key.
fn step(key: &LuaSaveData<'_>) -> Step {
    match key {
        LuaSaveData::String(text) => Step::key(&**text),
        key => Step::Item(key.to_lua()),
    }
}

/// The key of a step.
pub(crate) fn key(step: &Step) -> Result<LuaSaveData<'static>, TextError> {
    match step {
        Step::Key(key) => Ok(LuaSaveData::from(key.to_vec())),
        Step::Item(text) => LuaSaveData::from_lua(text, None),
    }
}

/// A number has the type that scripts of the game give it.
impl Untyped for LuaSaveData<'_> {
    fn is_nothing(&self) -> bool {
        matches!(self, LuaSaveData::Nil)
    }

    fn of_json(json: &Value) -> Option<Self> {
        match json {
            Value::Null => Some(LuaSaveData::Nil),
            Value::Bool(value) => Some((*value).into()),
            Value::Number(number) => number.as_f64().map(LuaSaveData::number),
            Value::String(text) => Some(text.clone().into()),
            _ => None,
        }
    }
}

/// The value that a text writes. The type may be one of Userdata.
fn read(given: TypedText<'_>, current: Option<TypeId>) -> Result<LuaSaveData<'static>, TextError> {
    let is_given = |name: &str| given.type_name.is_some_and(|wanted| wanted.eq_ignore_ascii_case(name));
    let name = given.type_name.filter(|_| !TypeId::ALL.iter().any(|id| is_given(id.name())));
    let Some(name) = name else { return given.read(current, LuaSaveData::from_lua) };
    let invalid = |reason| Err(TextError::new(reason));
    let Some(wanted) = UserdataTypeId::ALL.iter().find(|id| is_given(id.name())) else {
        let kinds = UserdataTypeId::ALL.iter().map(|id| id.name());
        let known: Vec<_> = TypeId::ALL.iter().map(|id| id.name()).chain(kinds).collect();
        return invalid(format!("unknown type {name}; {}", advice(name, &known)));
    };
    let value = LuaSaveData::from_lua(given.text, Some(TypeId::Userdata))?;
    match value.value_type() {
        found if found == wanted.name() => Ok(value),
        found => invalid(format!("expected {}, found {found}", wanted.name())),
    }
}

impl LuaSaveData<'_> {
    /// The name of its type; of Userdata, that of the type within.
    pub(super) fn value_type(&self) -> &'static str {
        self.as_userdata().map_or(self.type_id().name(), |userdata| userdata.type_id().name())
    }

    /// Adds a value, as the last.
    fn put(&mut self, step: &Step, value: LuaSaveData<'static>, notation: Notation) -> Result<(), TextError> {
        match self {
            LuaSaveData::Table(Table::Array { offset, elements }) => {
                let next = i64::from(*offset).saturating_add(i64::try_from(elements.len()).unwrap_or(i64::MAX));
                if *step != Step::Item(next.to_string()) {
                    return Err(TextError::new(format!("the next free index is [{next}]")));
                }
                elements.push(value);
                Ok(())
            }
            LuaSaveData::Table(Table::Pairs(pairs)) => {
                pairs.push(TableKeyValuePair { key: key(step)?, value });
                Ok(())
            }
            other => Err(TextError::holds_none(other.type_name(notation), other.shape())),
        }
    }
}

impl Node for LuaSaveData<'_> {
    fn type_name(&self, _: Notation) -> &'static str {
        self.value_type()
    }

    fn steps(&self, _: Notation) -> Vec<Step> {
        match self.as_table() {
            Some(Table::Pairs(pairs)) => distinct(pairs.iter().map(|pair| step(&pair.key))),
            _ => self.contents().steps(),
        }
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(Holder::item(self, number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        match self {
            LuaSaveData::Table(Table::Array { elements, .. }) => Some(elements.get_mut(number)?),
            LuaSaveData::Table(Table::Pairs(pairs)) => Some(&mut pairs.get_mut(number)?.value),
            _ => None,
        }
    }

    fn shape(&self) -> Shape {
        match self.as_userdata() {
            Some(userdata) => Userdata::shape_of(userdata.type_id()),
            None => LuaSaveData::shape_of(self.type_id()),
        }
    }

    fn part(&self, shape: Shape, json: &Value) -> Option<Box<dyn Node>> {
        typed_part::<LuaSaveData<'static>>(shape, json)
    }

    fn text(&self, notation: Notation) -> String {
        match notation.typed {
            true => self.to_typed_lua(),
            false => self.to_lua(),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.as_bytes()
    }

    fn assign(&mut self, text: TypedText<'_>, _: Notation) -> Result<(), TextError> {
        *self = read(text, Some(self.type_id()))?;
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        self.put(step, read(text, None)?, notation)
    }

    /// A table with consecutive keys is a list.
    fn contents(&self) -> Contents {
        self.held().into()
    }

    fn give_leaf(&self, _: Notation, to: &mut dyn Receiver) {
        self.bare().give(to);
    }

    fn assign_json(&mut self, json: &Value, _: Notation) -> Result<(), TextError> {
        *self = in_place_of(self, json)?;
        Ok(())
    }

    fn insert_json(&mut self, step: &Step, json: &Value, notation: Notation) -> Result<(), TextError> {
        self.put(step, LuaSaveData::by_itself(json)?, notation)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        match self {
            LuaSaveData::Table(Table::Pairs(pairs)) => remove_from(pairs.to_mut(), numbers),
            LuaSaveData::Table(Table::Array { elements, .. }) => remove_from(elements.to_mut(), numbers),
            other => Err(TextError::holds_none(other.type_id().name(), other.shape())),
        }
    }

    fn rename(&mut self, number: usize, new: &Step, _: Notation) -> Result<(), TextError> {
        match self {
            LuaSaveData::Table(Table::Pairs(pairs)) => {
                if let Some(pair) = pairs.get_mut(number) {
                    pair.key = key(new)?;
                }
                Ok(())
            }
            other => Err(TextError::has_no_keys(other.type_id().name())),
        }
    }
}

plain_json!(LuaSaveData, LuaSaveData<'a>,
    step => key(step),
    items => Table::list(items).into(),
    members => Table::from_entries(members).into());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::{at, change, Edit, EditError};
    use pretty_assertions::assert_eq;

    const LUA: Notation = Notation { typed: false, version: 0 };

    #[test]
    fn items_of_tables_are_found_and_changed() {
        let mut value = LuaSaveData::from_lua(r#"{mode = 2, [5] = {"a", true}}"#, None).unwrap();
        let text = |value: &LuaSaveData<'_>, path: &str| Some(at(value, &path.parse().unwrap(), LUA).ok()?.text(LUA));
        let found = ["mode", "[5][1]", "[5][2]", "[5][3]"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("2"), Some("\"a\""), Some("true"), None]);
        let node = |path: &str| at(&value, &path.parse().unwrap(), LUA).unwrap();
        assert_eq!((node("mode").type_name(LUA), node("[5]").type_name(LUA)), ("Int8", "Table"));
        let shape = LuaSaveData::from_lua("Shape(7)", None).unwrap();
        assert_eq!(shape.type_name(LUA), "Shape");
        assert_eq!((node("[5][1]").bytes(), node("mode").bytes()), (Some(&b"a"[..]), None));

        let rename = |key: &str| Edit::Rename(Step::Item(key.to_owned()));
        let mut changed = |path: &str, edit: &Edit| change(&mut value, &path.parse().unwrap(), edit, LUA);
        changed("mode", &rename("7")).unwrap();
        changed("[5][1]", &Edit::Set { type_name: None, text: "\"b\"".to_owned() }).unwrap();
        assert!(matches!(changed("[7]", &rename("5")), Err(EditError::Invalid(_))));
        assert_eq!(changed("[5][1]", &rename("9")), Err(TextError::has_no_keys("Table").into()));
        let found = ["mode", "[7]", "[5][1]"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [None, Some("2"), Some("\"b\"")]);
    }
}

//! JSON whose objects keep their order.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::member::{Given, Mismatch};

/// Any JSON text. An object keeps the order of its members, whose names all differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// The same as what `serde_json` has.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Array(items) => Tree::List(items.iter().map(Tree::of_value).collect()),
            Value::Object(members) => {
                Tree::Object(members.iter().map(|(name, value)| (name.clone(), Tree::of_value(value))).collect())
            }
            scalar => Tree::Scalar(scalar.clone()),
        }
    }

    /// Any JSON, with more stack if little is left.
    pub(crate) fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        crate::stack::growing(|| Tree::take_here(given))
    }

    fn take_here(given: Given<'_>) -> Result<Self, Mismatch> {
        if given.is_list() {
            return given.items("")?.map(Tree::take).collect::<Result<_, _>>().map(Tree::List);
        }
        if !given.is_map() {
            return Ok(Tree::Scalar(given.to_value()));
        }
        let (mut members, mut seen) = (Vec::new(), HashSet::new());
        for (key, value) in given.members("")? {
            let name = key.text()?;
            if !seen.insert(name) {
                return Err(value.custom(format_args!("the member {name:?} is there twice")).around());
            }
            members.push((name.to_owned(), Tree::take(value)?));
        }
        Ok(Tree::Object(members))
    }

    /// The same as a value of `serde_json`.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Tree::Scalar(value) => value,
            Tree::List(items) => items.into_iter().map(Tree::into_value).collect(),
            Tree::Object(members) => {
                // collecting them would sort them, by code of its own
                let mut all = Map::new();
                all.extend(members.into_iter().map(|(name, value)| (name, value.into_value())));
                all.into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn members_keep_their_order_and_come_once() {
        let read = |text: &str| {
            crate::json::take(crate::json::Input::Text(text.as_bytes()), 64, Tree::take)
                .map_err(|error| error.message())
        };
        let Ok(Tree::Object(members)) = read(r#"{"b": [1, -1, 0.5, null], "a": {"c": true, "d": "x"}}"#) else {
            panic!("an object was expected")
        };
        assert_eq!(members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        let tree = Tree::Object(members);
        let value = tree.clone().into_value();
        assert_eq!(Tree::of_value(&value).into_value(), value);
        assert_eq!(value, serde_json::json!({"a": {"c": true, "d": "x"}, "b": [1, -1, 0.5, null]}));
    }
}

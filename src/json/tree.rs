//! JSON whose objects keep their order.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Any JSON text. An object keeps the order of its members, of which no two have the same name.
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

    /// The same as a value of `serde_json`.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Tree::Scalar(value) => value,
            Tree::List(items) => items.into_iter().map(Tree::into_value).collect(),
            Tree::Object(members) => members.into_iter().map(|(name, value)| (name, value.into_value())).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Tree;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON")
            }

            fn visit_unit<E>(self) -> Result<Tree, E> {
                Ok(Tree::Scalar(Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
                Ok(Tree::Scalar(value.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
                Ok(Tree::Scalar(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
                Ok(Tree::Scalar(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
                Ok(Tree::Scalar(number.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
                Ok(Tree::Scalar(text.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Tree::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
                let (mut members, mut seen) = (Vec::new(), HashSet::new());
                while let Some(name) = map.next_key::<String>()? {
                    let value = map.next_value()?;
                    if !seen.insert(name.clone()) {
                        return Err(A::Error::custom(format_args!("the member {name:?} is there twice")));
                    }
                    members.push((name, value));
                }
                Ok(Tree::Object(members))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn members_keep_their_order_and_come_once() {
        let read = |text: &str| serde_json::from_str::<Tree>(text).map_err(|error| error.to_string());
        let Ok(Tree::Object(members)) = read(r#"{"b": [1, -1, 0.5, null], "a": {"c": true, "d": "x"}}"#) else {
            panic!("an object was expected")
        };
        assert_eq!(members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        let tree = Tree::Object(members);
        let value = tree.clone().into_value();
        assert_eq!(Tree::of_value(&value).into_value(), value);
        assert_eq!(value, serde_json::json!({"a": {"c": true, "d": "x"}, "b": [1, -1, 0.5, null]}));
        let error = read(r#"{"a": {"b": 1, "b": 2}}"#).unwrap_err();
        assert!(error.starts_with(r#"the member "b" is there twice"#), "{error}");
    }
}

//! Values that are written in Luau, as values that are found and changed by their paths.

use crate::dynamic::TypedText;
use crate::member::typed::Typed;
use crate::wire::TypeNumber;
use crate::TextError;

/// The value of a text. Its type is the one with this name, otherwise `current`, otherwise the one that the text shows.
/// `from_luau` reads it; a JSON object is read in the form used in documents.
pub(crate) fn read_node<V: Typed<Type: TypeNumber>>(
    from_luau: impl Fn(&str, Option<V::Type>) -> Result<V, TextError>,
    given: TypedText<'_>,
    current: Option<V::Type>,
) -> Result<V, TextError> {
    given.read(current, |text, wanted| from_luau(text, wanted).or_else(|error| from_json(wanted, text).ok_or(error)))
}

/// The value of a JSON object.
fn from_json<V: Typed>(wanted: Option<V::Type>, text: &str) -> Option<V> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let wanted = wanted?;
    crate::json::take(crate::json::Input::Text(text.as_bytes()), usize::MAX, |given| V::take_of(wanted, given)).ok()
}

/// [`Node`](crate::formats::Node) for the values of a table of types, including containers, and for pairs of a key and a value.
macro_rules! luau_nodes {
    ($value:ident, $type_id:ident, $pair:ident; list $list:ident; pairs $pairs:ident) => {
        const _: () = {
            use $crate::dynamic::node::{
                insert_keyed, keyed, keyed_steps, push_next, remove_from, rename_keyed, Keyed,
            };
            use $crate::dynamic::part::typed_part;
            use $crate::dynamic::plain::{in_place_of, Untyped};
            use $crate::dynamic::{Contents, Node, Notation, Step, TypedText};
            use $crate::json::{typed::Typed, Shape};
            use $crate::member::{Child, Held, Holder};
            use $crate::TextError;

            keyed!($pair { key, value: $value });

            impl<'a> Holder<'a> for $value<'a> {
                fn held(&self) -> Held {
                    match self {
                        $value::$list(items) => Held::List { first: None, length: items.len() },
                        $value::$pairs(pairs) => Held::Map { length: pairs.len(), named: false },
                        _ => Held::Nothing,
                    }
                }

                fn child(&self, index: usize) -> Option<Child<'_, 'a, Self>> {
                    Some(match self {
                        $value::$list(items) => Child::Value(items.get(index)?),
                        $value::$pairs(pairs) => match (pairs.get(index / 2)?, index % 2) {
                            (pair, 0) => Child::Key(&pair.key),
                            (pair, _) => Child::Value(&pair.value),
                        },
                        _ => return None,
                    })
                }
            }

            impl $value<'_> {
                /// Adds a value, as the last.
                fn put(&mut self, key: &Step, value: $value<'static>) -> Result<(), TextError> {
                    match self {
                        $value::$pairs(entries) => insert_keyed(entries.to_mut(), key, value),
                        $value::$list(elements) => push_next(elements.to_mut(), key, value),
                        other => Err(TextError::holds_none(other.type_id().name(), other.shape())),
                    }
                }
            }

            impl Node for $value<'_> {
                fn type_name(&self, _: Notation) -> &'static str {
                    self.type_id().name()
                }

                fn steps(&self, _: Notation) -> Vec<Step> {
                    match self {
                        $value::$pairs(entries) => keyed_steps(entries),
                        other => other.contents().steps(),
                    }
                }

                fn item(&self, number: usize) -> Option<&dyn Node> {
                    Some(Holder::item(self, number)?)
                }

                fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
                    match self {
                        $value::$list(elements) => Some(elements.get_mut(number)?),
                        $value::$pairs(entries) => Some(entries.get_mut(number)?.value_mut()),
                        _ => None,
                    }
                }

                fn shape(&self) -> Shape {
                    Self::shape_of(self.type_id())
                }

                fn part(&self, shape: Shape, json: &serde_json::Value) -> Option<Box<dyn Node>> {
                    typed_part::<$value<'static>>(shape, json)
                }

                fn text(&self, notation: Notation) -> String {
                    match notation.typed {
                        true => self.to_typed_luau(),
                        false => self.to_luau(),
                    }
                }

                fn write_text(&self, notation: Notation, to: &mut String) {
                    $crate::roblox::luau::write_to(self, notation.typed, to);
                }

                fn bytes(&self) -> Option<&[u8]> {
                    self.as_string().map(|text| &**text)
                }

                fn assign(&mut self, text: TypedText<'_>, _: Notation) -> Result<(), TextError> {
                    *self = $crate::roblox::luau::read_node($value::from_luau, text, Some(self.type_id()))?;
                    Ok(())
                }

                fn insert(&mut self, key: &Step, text: TypedText<'_>, _: Notation) -> Result<(), TextError> {
                    self.put(key, $crate::roblox::luau::read_node($value::from_luau, text, None)?)
                }

                fn contents(&self) -> Contents {
                    self.held().into()
                }

                fn give_leaf(&self, _: Notation, to: &mut dyn $crate::member::Receiver) {
                    self.bare().give(to);
                }

                fn assign_json(&mut self, json: &serde_json::Value, _: Notation) -> Result<(), TextError> {
                    *self = in_place_of(self, json)?;
                    Ok(())
                }

                fn insert_json(&mut self, key: &Step, json: &serde_json::Value, _: Notation) -> Result<(), TextError> {
                    self.put(key, $value::by_itself(json)?)
                }

                fn remove(&mut self, numbers: &std::collections::BTreeSet<usize>) -> Result<(), TextError> {
                    match self {
                        $value::$list(elements) => remove_from(elements.to_mut(), numbers),
                        $value::$pairs(entries) => remove_from(entries.to_mut(), numbers),
                        other => Err(TextError::holds_none(other.type_id().name(), other.shape())),
                    }
                }

                fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), TextError> {
                    match self {
                        $value::$pairs(entries) => rename_keyed(entries.to_mut(), number, key),
                        other => Err(TextError::has_no_keys(other.type_id().name())),
                    }
                }
            }
        };
    };
}
pub(crate) use luau_nodes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::attributes::{TypeId, Value};
    use crate::roblox::datatypes::Color3;
    use pretty_assertions::assert_eq;

    fn read(wanted: Option<TypeId>, text: &str) -> Option<Value<'static>> {
        from_json(wanted, text)
    }

    /// One object. Nothing after it may be taken for a member of the document.
    #[test]
    fn an_object_is_read_as_documents_have_it() {
        let wanted = Some(TypeId::Color3);
        let color = r#"{"r":1,"g":0.5,"b":0}"#;
        assert_eq!(read(wanted, color), Some(Value::Color3(Color3 { r: 1.0, g: 0.5, b: 0.0 })));
        assert_eq!(read(wanted, &format!(" {color}\n")), read(wanted, color));
        for text in [&format!("{color},"), &format!(r#"{color}, "type": "Bool""#), &format!("{color}}}"), "{", "[1]"] {
            assert_eq!(read(wanted, text), None, "{text}");
        }
        assert_eq!([read(None, color), read(Some(TypeId::Bool), color)], [None, None]);
    }
}

//! The plain form as values of `serde_json`.

use serde_json::Value as Json;

use super::node::{Node, Notation};
use super::path::{Step, ValuePath};
use super::plain::{set_plain_value, step_of, with_stack, Plain, Untyped, LEVELS};
use crate::json::{limit_depth, value_of};
use crate::TextError;

/// Values from and to `serde_json::Value` in the plain form, without types: `{"Health": 100}`. `docs/plain.md` in the repository
/// has the form of every type.
pub trait PlainJson: Node + Sized {
    /// The value in its plain form. The order of members is that of a `serde_json::Map`.
    ///
    /// ```
    /// use enginewire::formats::PlainJson;
    /// use enginewire::roblox::attributes::Attributes;
    /// use enginewire::roblox::datatypes::Vector2;
    ///
    /// let attributes: Attributes<'_> = [("Size", Vector2 { x: 0.1, y: 2.0 })].into_iter().collect();
    /// assert_eq!(attributes.to_plain_json(), serde_json::json!({"Size": {"x": 0.1, "y": 2}}));
    /// ```
    #[must_use]
    fn to_plain_json(&self) -> Json {
        // it does not fail: keys are texts, as are numbers that JSON lacks
        value_of(&Plain::new(self, Notation::default())).unwrap_or_default()
    }

    /// Changes the value to what plain JSON says, with the types that it has: see [`set_plain`](crate::formats::set_plain).
    ///
    /// ```
    /// use enginewire::godot::{Dictionary, Variant, Vector2};
    /// use enginewire::formats::PlainJson;
    ///
    /// let mut player = Variant::from(Dictionary::new([("at".into(), Vector2 { x: 1.0_f32, y: 2.0 }.into())]));
    /// let mut json = player.to_plain_json();
    /// json["at"]["x"] = 5.into();
    /// player.set_plain_json(&json)?;
    /// let at = player.as_dictionary().and_then(|player| player.get("at"));
    /// assert_eq!(at, Some(&Vector2 { x: 5.0_f32, y: 2.0 }.into()));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`set_plain`](crate::formats::set_plain). The value may have changed in part.
    fn set_plain_json(&mut self, json: &Json) -> Result<(), TextError> {
        limit_depth(json, LEVELS)?;
        set_plain_value(self, json, Notation::default())
    }

    /// The value that plain JSON describes, with these default types:
    ///
    /// | | number | list | object | null |
    /// |---|---|---|---|---|
    /// | [`Attributes`](crate::roblox::attributes::Attributes) | Double | error | error, except for the attributes themselves | error |
    /// | [`remote::Value`](crate::roblox::remote::Value) | Number | Array | Dictionary | Nil |
    /// | [`godot::Variant`](crate::godot::Variant) | int, float with a fraction or exponent | Array | Dictionary | null |
    /// | [`LuaSaveData`](crate::scrap_mechanic::lua_object::LuaSaveData) | as the game's scripts write it | Table | Table | Nil |
    ///
    /// A text is a String. [`to_plain_json`](Self::to_plain_json) writes other types as objects, lists and texts too, which do not
    /// become the same values again here; [`set_plain_json`](Self::set_plain_json) keeps their types.
    ///
    /// ```
    /// use enginewire::formats::PlainJson;
    /// use enginewire::roblox::attributes::{Attributes, Value};
    ///
    /// let attributes = Attributes::from_plain_json(&serde_json::json!({"Health": 100, "Name": "Torch"}))?;
    /// assert_eq!(attributes.get("Health"), Some(&Value::Double(100.0)));
    ///
    /// let error = Attributes::from_plain_json(&serde_json::json!({"Spawn": [1, 2, 3]})).unwrap_err();
    /// assert_eq!(error.path(), "Spawn");
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If JSON has no default type here, is not an object where attributes are expected, or has an invalid key in brackets.
    fn from_plain_json(json: &Json) -> Result<Self, TextError>;
}

/// A type with default types for lists and objects.
pub(crate) trait Nested: Untyped {
    /// The type of the keys of an object.
    type Key;

    fn key(step: &Step) -> Result<Self::Key, TextError>;
    fn list(items: Vec<Self>) -> Self;
    fn object(members: Vec<(Self::Key, Self)>) -> Self;
}

/// The value that JSON describes, with default types.
pub(crate) fn from_json<V: Nested>(json: &Json) -> Result<V, TextError> {
    limit_depth(json, LEVELS)?;
    nested(json)
}

fn nested<V: Nested>(json: &Json) -> Result<V, TextError> {
    let inside = |error: TextError, step: &Step| error.inside(ValuePath(vec![step.clone()]));
    with_stack(|| match json {
        Json::Array(items) => {
            let item = |(number, json)| nested(json).map_err(|error| inside(error, &Step::index(number)));
            items.iter().enumerate().map(item).collect::<Result<_, _>>().map(V::list)
        }
        Json::Object(members) => {
            let member = |(name, json): (&String, &Json)| {
                let step = step_of(name)?;
                let key = V::key(&step).map_err(|error| inside(error, &step))?;
                Ok((key, nested(json).map_err(|error| inside(error, &step))?))
            };
            members.iter().map(member).collect::<Result<_, TextError>>().map(V::object)
        }
        scalar => V::by_itself(scalar),
    })
}

/// The default types of lists and objects in plain JSON, and the trait that stands on them.
macro_rules! plain_json {
    ($value:ident, $key:ty, $step:ident => $read:expr, $items:ident => $list:expr, $members:ident => $object:expr) => {
        impl<'a> crate::dynamic::plain_json::Nested for $value<'a> {
            type Key = $key;

            fn key($step: &crate::dynamic::Step) -> Result<$key, crate::TextError> {
                $read
            }

            fn list($items: Vec<Self>) -> Self {
                $list
            }

            fn object($members: Vec<($key, Self)>) -> Self {
                $object
            }
        }

        impl crate::dynamic::PlainJson for $value<'_> {
            fn from_plain_json(json: &serde_json::Value) -> Result<Self, crate::TextError> {
                crate::dynamic::plain_json::from_json(json)
            }
        }
    };
}
pub(crate) use plain_json;

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use crate::godot::Variant;
    use crate::roblox::attributes::{self, Attributes};
    use crate::roblox::remote::Value;
    use crate::scrap_mechanic::lua_object::LuaSaveData;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    /// The value that JSON describes is written as the same JSON.
    fn there_and_back<V: PlainJson>(json: &Json) -> V {
        let value = V::from_plain_json(json).unwrap();
        assert_eq!(value.to_plain_json(), *json);
        value
    }

    #[test]
    fn json_stands_for_values_by_itself() {
        let json = json!({"a": [1, 0.5, "x", null, true, []], "b": {"c": {"d": -7}}});
        let variant: Variant<'_> = there_and_back(&json);
        let a = variant.as_dictionary().unwrap().get("a").unwrap().as_array().unwrap();
        let expected = [1.into(), 0.5.into(), "x".into(), Variant::Null, true.into(), Vec::<Variant<'_>>::new().into()];
        assert_eq!(a, expected);
        let packet: Value<'_> = there_and_back(&json);
        assert_eq!(packet.get("a").unwrap().as_array().unwrap()[0], Value::Number(1.0));
        let lua: LuaSaveData<'_> = there_and_back(&json!({"a": [1, 0.5, "x", null, true], "b": {"c": {"d": -7}}}));
        assert_eq!(
            lua.as_table().unwrap().get("a").unwrap().as_table().unwrap().at(2),
            Some(&LuaSaveData::Number(0.5))
        );
        let attributes: Attributes<'_> = there_and_back(&json!({"a": 1, "b": "x", "c": true}));
        assert_eq!(attributes.get("a"), Some(&attributes::Value::Double(1.0)));
    }

    /// Keys that are not text are written in brackets, and read from them.
    #[test]
    fn keys_in_brackets() {
        let json = json!({"[5]": "five", "[Vector2(1, 2)]": true});
        let variant: Variant<'_> = there_and_back(&json);
        assert_eq!(variant.as_dictionary().unwrap().entries[0].key, Variant::Int(5));
        let lua: LuaSaveData<'_> = there_and_back(&json!({"[5]": "five", "[true]": 1}));
        assert_eq!(lua.as_table().unwrap().at(5), Some(&"five".into()));
    }

    #[test]
    fn values_keep_their_types() {
        let mut attributes: Attributes<'_> =
            [("a", attributes::Value::Int(1)), ("b", true.into())].into_iter().collect();
        attributes.set_plain_json(&json!({"a": 2, "c": "x"})).unwrap();
        assert_eq!(attributes, [("a", attributes::Value::Int(2)), ("c", "x".into())].into_iter().collect());
        assert!(attributes.set_plain_json(&json!({"a": 0.5})).is_err());
    }
}

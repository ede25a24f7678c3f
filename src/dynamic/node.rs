//! Values inside values, of any format: what `get`, `set` and `diff` go through.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use thiserror::Error;

use super::part::{part_names, Found, Part};
use super::path::{Step, ValuePath};
use crate::error::EncodeFault;
use crate::json::{Receiver, Scalar, Shape};
use crate::member::Held;
use crate::suggest::advice;
use crate::wire::TypeNumber;
use crate::TextError;

/// Settings for writing values as text, and reading them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// True to write the type where the text alone would not show it.
    pub typed: bool,
    /// The version of the format, if it has several.
    pub version: u8,
}

/// A value as text: of the type with this name, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct TypedText<'t> {
    /// The name of the type.
    pub type_name: Option<&'t str>,
    /// The value in the notation of its format.
    pub text: &'t str,
}

impl TypedText<'_> {
    /// The value, by `read`. Without the name of a type it is of the type `current`, if that is one.
    pub(crate) fn read<T: TypeNumber, V>(
        self,
        current: Option<T>,
        read: impl FnOnce(&str, Option<T>) -> Result<V, TextError>,
    ) -> Result<V, TextError> {
        let wanted = self.type_name.map(type_of::<T>).transpose()?.or(current);
        read(self.text, wanted)
    }
}

/// The contents of a value in its [plain](super::Plain) form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contents {
    /// No values: [`Node::give_leaf`] gives all of it.
    Leaf,
    /// Values in a row, which have consecutive indices.
    List {
        /// The index of the first.
        first: i64,
        /// The number of values.
        length: usize,
    },
    /// Values with keys.
    Object,
}

impl From<Held> for Contents {
    fn from(held: Held) -> Self {
        match held {
            Held::Nothing => Contents::Leaf,
            Held::List { first, length } => Contents::List { first: first.unwrap_or(0), length },
            Held::Map { .. } => Contents::Object,
        }
    }
}

impl Contents {
    /// A list of `length` values, whose indices begin at 0.
    #[must_use]
    pub fn list(length: usize) -> Self {
        Contents::List { first: 0, length }
    }

    /// The steps to the values of a list.
    pub(crate) fn steps(self) -> Vec<Step> {
        match self {
            Contents::List { first, length } => {
                (first..).take(length).map(|index| Step::Item(index.to_string())).collect()
            }
            Contents::Leaf | Contents::Object => Vec::new(),
        }
    }
}

/// A value that may hold others, each at a [`Step`]. Made by [`AnyFormat::visit`](super::AnyFormat::visit) and
/// [`AnyFormat::edit`](super::AnyFormat::edit).
///
/// The outermost node of some formats is not a value but the list of them, such as the entries of attributes. It has no
/// [`type_name`](Self::type_name) and no text.
pub trait Node {
    /// The name of its type; empty if the node is not a value.
    fn type_name(&self, _notation: Notation) -> &'static str {
        ""
    }

    /// The steps to the values that it holds, in their order, each step once.
    fn steps(&self, _notation: Notation) -> Vec<Step> {
        self.contents().steps()
    }

    /// The keys of its items, if each is text or other bytes and there once, in their order: its [steps](Self::steps) are these.
    fn keys(&self) -> Option<Vec<&[u8]>> {
        None
    }

    /// The number of items of a list whose steps are the indices from 0 on; `None` if the node is not such a list.
    fn list_length(&self) -> Option<usize> {
        match self.contents() {
            Contents::List { first: 0, length } => Some(length),
            _ => None,
        }
    }

    /// The text that a value with items would have without them, if there are several such: arrays of different types, objects of
    /// different classes. Values of the same type, with the same items and the same of these texts, are equal.
    fn without_items(&self, _notation: Notation) -> String {
        String::new()
    }

    /// The numbers of items that share a key, for each such key, where readers differ in which of them counts. The first of them
    /// is also found by its number, `[#0]`.
    fn repeated(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// The item with this number among the [steps](Self::steps).
    fn item(&self, _number: usize) -> Option<&dyn Node> {
        None
    }

    /// The same, to be changed.
    fn item_mut(&mut self, _number: usize) -> Option<&mut dyn Node> {
        None
    }

    /// The form of a value that holds no others, which shows its parts: the `x` of a vector, the items of a packed array.
    fn shape(&self) -> Shape {
        Shape::Any
    }

    /// A part of it as a value: of this form, from its JSON form.
    fn part(&self, _: Shape, _: &Value) -> Option<Box<dyn Node>> {
        None
    }

    /// Fails if the node cannot hold the item with this number, which has changed: a list may declare the type of its items.
    ///
    /// # Errors
    ///
    /// If the item is of another type.
    fn check_item(&self, _number: usize) -> Result<(), TextError> {
        Ok(())
    }

    /// The value in the notation of the format, in one line; empty if the node is not a value.
    fn text(&self, _notation: Notation) -> String {
        String::new()
    }

    /// Adds the [text](Self::text) to another.
    fn write_text(&self, notation: Notation, to: &mut String) {
        to.push_str(&self.text(notation));
    }

    /// The bytes of a text, without quotes around them.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }

    /// Replaces the value by the one that a text describes: of the type with this name, else of the type that it has.
    ///
    /// # Errors
    ///
    /// If the type does not exist, or the text is not a value of it.
    fn assign(&mut self, _text: TypedText<'_>, _notation: Notation) -> Result<(), TextError> {
        Err(TextError::new("it is a list of values, which can be changed one by one"))
    }

    /// Adds a value with this key, as the last: of the type with this name, else of the type that the text shows.
    ///
    /// # Errors
    ///
    /// As for [`assign`](Self::assign), or if it holds no values with such keys.
    fn insert(&mut self, _: &Step, _text: TypedText<'_>, n: Notation) -> Result<(), TextError> {
        Err(TextError::holds_none(self.type_name(n), self.shape()))
    }

    /// The contents in its [plain](super::Plain) form.
    fn contents(&self) -> Contents {
        Contents::Leaf
    }

    /// Gives a [leaf](Contents::Leaf) in its JSON form, without its type.
    fn give_leaf(&self, _notation: Notation, to: &mut dyn Receiver) {
        to.scalar(Scalar::Unit);
    }

    /// Replaces a [leaf](Contents::Leaf) by the value of its type that JSON describes. A leaf that is null or nil has no type, and
    /// takes the default type of the JSON.
    ///
    /// # Errors
    ///
    /// If the JSON is not a value of the type.
    fn assign_json(&mut self, _json: &Value, _notation: Notation) -> Result<(), TextError> {
        Err(TextError::new("it cannot be changed"))
    }

    /// Adds a number, text, boolean or null at a step, as the last, with its default type.
    ///
    /// # Errors
    ///
    /// If it has no default type, or no value can be added there.
    fn insert_json(&mut self, _: &Step, _json: &Value, notation: Notation) -> Result<(), TextError> {
        Err(TextError::holds_none(self.type_name(notation), self.shape()))
    }

    /// True if the plain form may omit the item with this number, which then stays unchanged.
    fn may_be_left_out(&self, _number: usize) -> bool {
        false
    }

    /// Removes the items with these numbers among the [steps](Self::steps).
    ///
    /// # Errors
    ///
    /// If nothing can be removed from it, even with an empty list of numbers, or an item does not exist.
    fn remove(&mut self, _numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        Err(TextError::new("it cannot be removed"))
    }

    /// Gives the item with this number another key, which no other item has.
    ///
    /// # Errors
    ///
    /// If its items have no keys, or not such ones.
    fn rename(&mut self, _number: usize, _key: &Step, notation: Notation) -> Result<(), TextError> {
        Err(TextError::has_no_keys(self.type_name(notation)))
    }
}

/// Adds a value after the last of a list, whose index the step must be.
///
/// # Errors
///
/// If it is another.
pub(crate) fn push_next<T>(list: &mut Vec<T>, step: &Step, value: T) -> Result<(), TextError> {
    if *step != Step::index(list.len()) {
        return Err(TextError::new(format!("the next free index is [{}]", list.len())));
    }
    list.push(value);
    Ok(())
}

/// Removes the items of a list with these numbers.
///
/// # Errors
///
/// If there is no such item.
pub(crate) fn remove_from<T>(list: &mut Vec<T>, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Ok(()) };
    if *last >= list.len() {
        return Err(TextError::new(format!("no item {last}")));
    }
    let behind = list.split_off(*first);
    list.extend((*first..).zip(behind).filter(|(number, _)| !numbers.contains(number)).map(|(_, item)| item));
    Ok(())
}

/// Why a value cannot be encoded or changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// No value has this path.
    #[error("no value {0}")]
    NotFound(ValuePath),
    /// The text does not describe such a value, or the change is not possible.
    #[error(transparent)]
    Invalid(#[from] TextError),
    /// The bytes are invalid.
    #[error(transparent)]
    Decode(#[from] crate::DecodeError),
    /// The format has no such value, or cannot hold it.
    #[error(transparent)]
    Encode(#[from] crate::EncodeError),
    /// More than the named value would change: the bytes are not as this crate writes them.
    #[error("other bytes than those of the named value would change, because the input is not canonical")]
    NotCanonical,
}

impl EditError {
    /// The same with the path of the value.
    #[must_use]
    pub fn named(self, path: &ValuePath) -> Self {
        match self {
            EditError::Invalid(error) if !path.0.is_empty() => TextError::new(error.to_string()).inside(path).into(),
            other => other,
        }
    }
}

impl TextError {
    /// Items with these numbers of the value at these steps have one key.
    pub(crate) fn several(steps: &[Step], numbers: &[usize]) -> Self {
        let path = |number: &usize| ValuePath(steps.to_vec()).then(Step::numbered(*number)).to_string();
        TextError::new(EncodeFault::SeveralKeys(numbers.iter().map(path).collect()).to_string())
    }

    /// A value of this type and shape takes no others.
    pub(crate) fn holds_none(type_name: &str, shape: Shape) -> Self {
        let name = if type_name.is_empty() { "list" } else { type_name };
        let parts = match part_names(shape) {
            [] => String::new(),
            names => format!("; its parts are {}", names.join(", ")),
        };
        TextError::new(format!("no value can be added to this {name} by this key{parts}"))
    }

    /// There is a value with this key already.
    pub(crate) fn taken(key: &Step) -> Self {
        TextError::new(format!("there is a value {} already", ValuePath(vec![key.clone()])))
    }

    /// The items of a value of this type have no keys that could change.
    pub(crate) fn has_no_keys(type_name: &str) -> Self {
        let name = if type_name.is_empty() { "list" } else { type_name };
        TextError::new(format!("the items of a {name} have no keys that can be changed"))
    }
}

/// A change of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// The value becomes the one that `text` describes; if no value has this path, it is added.
    Set {
        /// Of the type with this name, else of the type that it had.
        type_name: Option<String>,
        /// The value in the notation of the format. A text needs no quotes where nothing else can be meant: where the old value
        /// is a text, or where a new value begins with a letter and is not a value of another type.
        text: String,
    },
    /// The value becomes the one that plain JSON describes, with the types that it had; if no value has this path, a number, text
    /// or boolean is added. See [`set_plain`](super::set_plain).
    SetPlain(String),
    /// The value is removed, with its key.
    Remove,
    /// The value gets another key.
    Rename(Step),
}

/// The value at a path from a node, or the part of a value that holds no others.
///
/// # Errors
///
/// [`EditError::NotFound`].
pub fn at<'n>(mut node: &'n dyn Node, path: &ValuePath, notation: Notation) -> Result<Found<'n>, EditError> {
    let mut left = &path.0[..];
    while let Some((step, rest)) = left.split_first() {
        let number = node.steps(notation).iter().position(|other| other == step).or_else(|| {
            let mut first = node.repeated().into_iter().filter_map(|numbers| numbers.first().copied());
            first.find(|number| Step::numbered(*number) == *step)
        });
        let Some(item) = number.and_then(|number| node.item(number)) else {
            let part = Part::new(node, step, notation).and_then(|part| part.at(rest, notation));
            return part.map(Found::Part).ok_or_else(|| EditError::NotFound(path.clone()));
        };
        (node, left) = (item, rest);
    }
    Ok(Found::Value(node))
}

/// A value with a key that is text or other bytes.
pub(crate) trait Keyed {
    /// The type of the value.
    type Value: Node;

    /// An item of this key and value.
    fn keyed(key: Vec<u8>, value: Self::Value) -> Self;

    /// The key.
    fn key(&self) -> &[u8];

    /// Gives it another key.
    fn set_key(&mut self, key: Vec<u8>);

    /// The value.
    fn value(&self) -> &Self::Value;

    /// The value, to be changed.
    fn value_mut(&mut self) -> &mut Self::Value;
}

/// [`Keyed`] for a structure of a key and a value.
macro_rules! keyed {
    ($item:ident { $key:ident, $value:ident: $type:ident }) => {
        impl<'a> $crate::dynamic::node::Keyed for $item<'a> {
            type Value = $type<'a>;

            fn keyed(key: Vec<u8>, $value: $type<'a>) -> Self {
                $item { $key: $crate::wire::IntoByteString::into_byte_string(key), $value }
            }

            fn key(&self) -> &[u8] {
                &self.$key
            }

            fn set_key(&mut self, key: Vec<u8>) {
                self.$key = $crate::wire::IntoByteString::into_byte_string(key);
            }

            fn value(&self) -> &$type<'a> {
                &self.$value
            }

            fn value_mut(&mut self) -> &mut $type<'a> {
                &mut self.$value
            }
        }
    };
}
pub(crate) use keyed;

/// The steps with each of them only once: the first of several equal ones stays, the others become their number, `[#7]`.
pub(crate) fn distinct(steps: impl Iterator<Item = Step>) -> Vec<Step> {
    let mut steps: Vec<_> = steps.collect();
    // keys are often sorted, and then each is there once
    if steps.is_sorted_by(|one, next| one < next) {
        return steps;
    }
    let mut seen = HashSet::new();
    let repeated: Vec<_> =
        (0..).zip(&steps).filter(|(_, step)| !seen.insert(*step)).map(|(number, _)| number).collect();
    for number in repeated {
        if let Some(step) = steps.get_mut(number) {
            *step = Step::numbered(number);
        }
    }
    steps
}

/// The numbers of items that share a key, for each such key.
pub(crate) fn repeated_keys<K: Keyed>(items: &[K]) -> Vec<Vec<usize>> {
    if items.is_sorted_by(|one, next| one.key() < next.key()) {
        return Vec::new();
    }
    let key = |number: &usize| items.get(*number).map(K::key);
    let mut all: Vec<usize> = (0..items.len()).collect();
    all.sort_unstable_by_key(|number| (key(number), *number));
    let same = all.chunk_by(|one, next| key(one) == key(next));
    same.filter(|numbers| numbers.len() > 1).map(<[usize]>::to_vec).collect()
}

/// The keys of keyed items, if they are sorted, so that each is there once.
pub(crate) fn sorted_keys<K: Keyed>(items: &[K]) -> Option<Vec<&[u8]>> {
    let is_sorted = items.is_sorted_by(|one, next| one.key() < next.key());
    is_sorted.then(|| items.iter().map(K::key).collect())
}

/// The steps to keyed items.
pub(crate) fn keyed_steps<K: Keyed>(items: &[K]) -> Vec<Step> {
    distinct(items.iter().map(|item| Step::key(item.key())))
}

/// Adds a keyed item, as the last.
///
/// # Errors
///
/// If the key is not text.
pub(crate) fn insert_keyed<K: Keyed>(items: &mut Vec<K>, key: &Step, value: K::Value) -> Result<(), TextError> {
    items.push(K::keyed(text_key(key)?.to_vec(), value));
    Ok(())
}

/// Gives a keyed item another key.
///
/// # Errors
///
/// If the key is not text.
pub(crate) fn rename_keyed<K: Keyed>(items: &mut [K], number: usize, key: &Step) -> Result<(), TextError> {
    let key = text_key(key)?;
    if let Some(item) = items.get_mut(number) {
        item.set_key(key.to_vec());
    }
    Ok(())
}

/// The key of a step, where only text can be one.
///
/// # Errors
///
/// If it is no such key.
pub(crate) fn text_key(step: &Step) -> Result<&[u8], TextError> {
    match step {
        Step::Key(key) => Ok(key),
        Step::Item(item) => Err(TextError::new(format!("expected a key that is text, found [{item}]"))),
    }
}

/// The type with this name, without regard to case.
///
/// # Errors
///
/// If no type has this name.
pub(crate) fn type_of<T: TypeNumber>(name: &str) -> Result<T, TextError> {
    let found = T::ALL.iter().copied().find(|id| id.name().eq_ignore_ascii_case(name));
    let names = || T::ALL.iter().map(|id| id.name()).collect::<Vec<_>>();
    found.ok_or_else(|| TextError::new(format!("unknown type {name}; {}", advice(name, &names()))))
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use crate::dynamic::{change, change_all, AnyFormat, FormatOptions};
    use crate::formats::by_name;
    use crate::roblox::attributes::Attributes;
    use crate::roblox::remote::{Event, PacketData};
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    fn format(name: &str) -> &'static dyn AnyFormat {
        by_name(name).unwrap()
    }

    /// The bytes of a value in the notation of its format.
    fn bytes(name: &str, text: &str) -> Vec<u8> {
        format(name).encode_notation(text, &FormatOptions::new()).unwrap()
    }

    /// The value after changes: `path` set to `text`, or removed, or given another key.
    fn changed(name: &str, bytes: &[u8], changes: &[(&str, Edit)]) -> Result<String, String> {
        let (format, options) = (format(name), FormatOptions::new());
        let changes: Vec<(ValuePath, &Edit)> =
            changes.iter().map(|(path, edit)| (path.parse().unwrap(), edit)).collect();
        let changes = || changes.iter().map(|(path, edit)| (path, *edit));
        let all = format.edit(bytes, &options, &mut |node| change_all(node, changes(), format.notation()));
        // one by one is the same
        let each = format.edit(bytes, &options, &mut |node| {
            changes().try_for_each(|(path, edit)| change(node, path, edit, format.notation()))
        });
        assert_eq!(all.is_ok(), each.is_ok());
        let bytes = all.map_err(|error| error.to_string())?;
        assert_eq!(Ok(&bytes), each.as_ref());
        Ok(format.decode_notation(&bytes, &options).unwrap())
    }

    fn set(text: &str) -> Edit {
        Edit::Set { type_name: None, text: text.to_owned() }
    }

    fn typed(name: &str, text: &str) -> Edit {
        Edit::Set { type_name: Some(name.to_owned()), text: text.to_owned() }
    }

    #[test]
    fn values_are_changed_wherever_they_are() {
        for (name, before, changes, after) in [
            (
                "godot-4",
                r#"{ "hp": 7, "at": [1, { 5: "x" }], 2: true }"#,
                vec![("hp", set("8")), ("at[1][5]", set(r#""y""#)), ("[2]", Edit::Remove), ("mp", set("1.5"))],
                r#"{ "hp": 8, "at": [1, { 5: "y" }], "mp": 1.5 }"#,
            ),
            ("godot-4", r#"{ "a": 1 }"#, vec![("a", Edit::Rename(Step::key("b"))), ("b", set("2"))], r#"{ "b": 2 }"#),
            ("godot-3", "[1, 2, 3]", vec![("[1]", Edit::Remove), ("[2]", set("4"))], "[1, 3, 4]"),
            ("godot-4", "7", vec![("", typed("Vector2i", "Vector2i(1, 2)"))], "Vector2i(1, 2)"),
            (
                "scrap-mechanic-lua",
                r#"{slots = {"a", "b"}, [true] = 1}"#,
                vec![("slots[2]", set(r#""c""#)), ("slots[3]", set(r#""d""#)), ("[true]", Edit::Remove)],
                r#"{slots = {"a", "c", "d"}}"#,
            ),
            (
                "roblox-attributes",
                r#"{Fuel = 42, Tags = Array({1, "x"}), Deep = Dictionary({k = true})}"#,
                vec![
                    ("Tags[1]", typed("Bool", "true")),
                    ("Deep.k", set("false")),
                    ("Deep.l", set("2")),
                    ("New", set("3")),
                ],
                r#"{Fuel = 42, Tags = {1, true}, Deep = {k = false, l = 2}, New = 3}"#,
            ),
            (
                "roblox-attributes",
                r#"{a = 1, b = Array({1, 2}), c = Dictionary({k = true, l = 2})}"#,
                vec![
                    ("a", Edit::Rename(Step::key("z"))),
                    ("b[2]", set("3")),
                    ("b[0]", Edit::Remove),
                    ("c.k", Edit::Remove),
                    ("c.l", Edit::Rename(Step::key("m"))),
                    ("v", typed("Vector3", r#" {"x": 1, "y": 2, "z": 3}"#)),
                ],
                r#"{z = 1, b = {2, 3}, c = {m = 2}, v = Vector3.new(1, 2, 3)}"#,
            ),
            ("roblox-attributes", "{a = 1}", vec![("", set("{b = true}"))], "{b = true}"),
            (
                "roblox-remote",
                PACKET,
                vec![
                    ("packets[0].arguments[0][2]", set("3")),
                    ("packets[0].arguments[0][1]", Edit::Remove),
                    ("packets[0].arguments[0][0]", set("4")),
                    ("packets[0].arguments[1].k", Edit::Rename(Step::key("n"))),
                    ("packets[0].arguments[1].l", Edit::Remove),
                    ("packets[0].arguments[1].n", set(r#""y""#)),
                    ("packets[0].arguments[1].m", set("5")),
                    ("packets[0].arguments[2]", Edit::Remove),
                    ("packets[0].arguments[2]", set("false")),
                    ("packets[1]", Edit::Remove),
                ],
                r#"{{event = "OnClientEvent", event_id = 2927, arguments = {{4, 3}, {n = "y", m = 5}, false}}}"#,
            ),
        ] {
            let found = changed(name, &bytes(name, before), &changes).unwrap();
            // compared as bytes, because a notation may have several forms
            assert_eq!(bytes(name, &found), bytes(name, after), "{found}");
        }
    }

    const PACKET: &str = r#"{{event = "OnClientEvent", event_id = 2927, arguments = {{1, true}, {k = "x", l = 2}, "s"}},
        {event = "OnClientEvent", event_id = 2927, arguments = {}}}"#;

    /// Every node of a value, with its path, its type, its text and its bytes.
    fn nodes(node: &dyn Node, notation: Notation, path: &ValuePath, rows: &mut Vec<String>) {
        let bytes = node.bytes().map(|bytes| format!(" = {}", bytes.escape_ascii())).unwrap_or_default();
        rows.push(format!("{path}: {} {}{bytes}", node.type_name(notation), node.text(notation)));
        for (number, step) in node.steps(notation).into_iter().enumerate() {
            nodes(node.item(number).unwrap(), notation, &path.then(step), rows);
        }
    }

    #[test]
    fn every_value_is_found_by_its_path() {
        let found = |name: &str, text: &str, typed| {
            let (format, mut rows) = (format(name), Vec::new());
            let notation = Notation { typed, ..format.notation() };
            let list = &mut |node: &dyn Node| nodes(node, notation, &ValuePath::default(), &mut rows);
            format.visit(&bytes(name, text), &FormatOptions::new(), list).unwrap();
            rows
        };
        let attributes = r#"{Fuel = 4, Tags = Array({1, "x"}), Deep = Dictionary({k = true})}"#;
        let rows = [
            r#":  {Fuel = 4, Tags = {1, "x"}, Deep = {k = true}}"#,
            "Fuel: Double 4",
            r#"Tags: Array {1, "x"}"#,
            "Tags[0]: Double 1",
            r#"Tags[1]: String "x" = x"#,
            "Deep: Dictionary {k = true}",
            "Deep.k: Bool true",
        ];
        assert_eq!(found("roblox-attributes", attributes, false), rows);
        assert_eq!(found("roblox-attributes", "{a = Float(1)}", true), [":  {a = Float(1)}", "a: Float Float(1)"]);
        let rows = [
            ":  ",
            "packets:  ",
            "packets[0]:  ",
            "packets[0].remote: Instance nil",
            r#"packets[0].event: String "OnClientEvent""#,
            "packets[0].event_id: Number 2927",
            "packets[0].arguments:  ",
            "packets[0].arguments[0]: Array {1, true}",
            "packets[0].arguments[0][0]: Number 1",
            "packets[0].arguments[0][1]: Boolean true",
            r#"packets[0].arguments[1]: Dictionary {k = "x", l = 2}"#,
            r#"packets[0].arguments[1].k: String "x" = x"#,
            "packets[0].arguments[1].l: Number 2",
            r#"packets[0].arguments[2]: String "s" = s"#,
            "packets[1]:  ",
            "packets[1].remote: Instance nil",
            r#"packets[1].event: String "OnClientEvent""#,
            "packets[1].event_id: Number 2927",
            "packets[1].arguments:  ",
        ];
        assert_eq!(found("roblox-remote", PACKET, false), rows);
        assert_eq!(found("godot-4", "[1.5]", false), [": Array [1.5]", "[0]: float 1.5"]);
        assert_eq!((format("godot-3").notation().version, format("godot-4").notation().version), (3, 4));
        // an error has a message and no arguments
        let event = Event::RemoteOnInvokeError { call: 1, message: "no".into_byte_string() };
        let steps = PacketData { remote: None, event_id: 2938, event }.steps(Notation::default());
        assert_eq!(steps, ["remote", "event", "event_id", "call", "message"].map(Step::key));
    }

    /// A node that counts how often its steps are listed.
    struct Counting {
        node: Attributes<'static>,
        lists: std::cell::Cell<usize>,
    }

    impl Node for Counting {
        fn steps(&self, notation: Notation) -> Vec<Step> {
            self.lists.set(self.lists.get().saturating_add(1));
            self.node.steps(notation)
        }

        fn item(&self, number: usize) -> Option<&dyn Node> {
            self.node.item(number)
        }

        fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
            self.node.item_mut(number)
        }

        fn insert(&mut self, key: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
            Node::insert(&mut self.node, key, text, notation)
        }
    }

    #[test]
    fn many_changes_are_found_in_one_list() {
        let node = "{a = 1, d = Dictionary({k = 1, l = 2})}";
        let node = Attributes::from_luau(node).unwrap();
        let mut node = Counting { node, lists: 0.into() };
        let changes: Vec<(ValuePath, Edit)> =
            [("a", set("2")), ("new", set("3")), ("d.k", set("4")), ("d.l", Edit::Remove), ("new", set("5"))]
                .map(|(path, edit)| (path.parse().unwrap(), edit))
                .into();
        change_all(&mut node, changes.iter().map(|(path, edit)| (path, edit)), Notation::default()).unwrap();
        assert_eq!(node.node.to_luau(), "{a = 2, d = {k = 4}, new = 5}");
        assert_eq!(node.lists.get(), 1);
    }

    #[test]
    fn what_is_not_there_is_not_removed() {
        let mut list = vec!['a', 'b', 'c'];
        assert_eq!(remove_from(&mut list, &[0, 2].into()), Ok(()));
        let error = TextError::new("no item 1");
        assert_eq!(remove_from(&mut list, &[0, 1].into()), Err(error));
        assert_eq!(list, ['b']);
    }

    /// An object whose members cannot be removed.
    struct Fixed;

    impl Node for Fixed {
        fn steps(&self, _: Notation) -> Vec<Step> {
            ["a", "b"].map(Step::key).into()
        }

        fn contents(&self) -> Contents {
            Contents::Object
        }
    }

    #[test]
    fn the_first_member_that_is_missing_is_named() {
        let error = crate::dynamic::set_plain(&mut Fixed, b"{}", Notation::default()).unwrap_err();
        assert_eq!(error.to_string(), "a: it cannot be removed");
    }

    #[test]
    fn arguments_of_packets_are_changed() {
        let packet = std::fs::read("fixtures/roblox-remote/readable.bin").unwrap();
        let (format, options) = (format("roblox-remote"), FormatOptions::new());
        let mut paths = Vec::new();
        format
            .visit(&packet, &options, &mut |node| {
                let path: ValuePath = "packets[0].arguments".parse().unwrap();
                let list = at(node, &path, format.notation()).unwrap();
                paths.extend(list.steps(format.notation()).into_iter().map(|step| path.then(step)));
            })
            .unwrap();
        assert!(!paths.is_empty());
        for path in paths {
            let edit = typed("String", r#""other""#);
            let changed = format.edit(&packet, &options, &mut |node| change(node, &path, &edit, format.notation()));
            let check = &mut |node: &dyn Node| {
                assert_eq!(at(node, &path, format.notation()).unwrap().text(format.notation()), r#""other""#);
            };
            format.visit(&changed.unwrap(), &options, check).unwrap();
        }
        // with a path like those in documents
        let path: ValuePath = "packets[1].arguments[2]".parse().unwrap();
        let edit = typed("Vector2", r#"{"x":1,"y":2}"#);
        let changed =
            format.edit(&packet, &options, &mut |node| change(node, &path, &edit, format.notation())).unwrap();
        let check = &mut |node: &dyn Node| {
            assert_eq!(at(node, &path, format.notation()).unwrap().text(format.notation()), "Vector2.new(1, 2)");
        };
        format.visit(&changed, &options, check).unwrap();
    }

    /// Only the named value changes, or nothing.
    #[test]
    fn what_is_not_canonical_stays_or_is_refused() {
        // a Bool that is written as 7, and a key that is there twice
        let blob = b"\x03\0\0\0\x01\0\0\0a\x03\x07\x01\0\0\0b\x03\x00\x01\0\0\0b\x03\x01";
        let format = format("roblox-attributes");
        let edit = |path: &str, edit: &Edit| {
            let path = path.parse().unwrap();
            format.edit(blob, &FormatOptions::new(), &mut |node| change(node, &path, edit, format.notation())).unwrap()
        };
        assert_eq!(edit("[#1]", &set("true"))[4..11], blob[4..11]);
        assert_eq!(edit("[#2]", &set("false")), [&blob[..24], b"\0"].concat());
        assert_eq!(edit("[#1]", &Edit::Remove), [b"\x02", &blob[1..11], &blob[18..]].concat());
        // a key is not part of the value
        assert_eq!(edit("a", &Edit::Rename(Step::key("c"))), [&blob[..8], b"c", &blob[9..]].concat());
        // each of two entries with the same key keeps its own bytes
        let twice = [&blob[..11], b"\x01\0\0\0b\x03\x07", &blob[11..18]].concat();
        let path = "a".parse().unwrap();
        let removed = format
            .edit(&twice, &FormatOptions::new(), &mut |node| change(node, &path, &Edit::Remove, format.notation()));
        assert_eq!(removed.unwrap(), [b"\x02", &blob[1..4], &twice[11..]].concat());
        // between others that are removed, changed or added at the same time, it is found by its key
        let several = [b"\x03\0\0\0", &b"\x01\0\0\0x\x03\0"[..], &blob[4..18], b"??"].concat();
        for (changes, expected) in [
            (&[("x", Edit::Remove), ("b", set("true"))][..], [b"\x02\0\0\0", &blob[4..17], b"\x01??"].concat()),
            (
                &[("x", Edit::Remove), ("n", set("true"))],
                [b"\x03\0\0\0", &blob[4..18], b"\x01\0\0\0n\x03\x01??"].concat(),
            ),
            (
                &[("x", set("true")), ("n", set("true"))],
                [b"\x04\0\0\0\x01\0\0\0x\x03\x01", &blob[4..18], b"\x01\0\0\0n\x03\x01??"].concat(),
            ),
        ] {
            let changed =
                format.edit(&several, &FormatOptions::new().set("trailing_bytes", true).unwrap(), &mut |node| {
                    let changes: Vec<_> = changes.iter().map(|(path, edit)| (path.parse().unwrap(), edit)).collect();
                    change_all(node, changes.iter().map(|(path, edit)| (path, *edit)), format.notation())
                });
            assert_eq!(changed.unwrap(), expected);
        }
        // what follows the entries stays too, and a list that loses its last entry stays a list
        let lenient = FormatOptions::new().set("trailing_bytes", true).unwrap();
        let remove = |bytes: &[u8], path: &str, options: &FormatOptions| {
            let path = path.parse().unwrap();
            format.edit(bytes, options, &mut |node| change(node, &path, &Edit::Remove, format.notation())).unwrap()
        };
        assert_eq!(
            remove(&[&twice, &b"??"[..]].concat(), "a", &lenient),
            [b"\x02", &blob[1..4], &twice[11..], b"??"].concat()
        );
        assert_eq!(remove(b"\x01\0\0\0\x01\0\0\0a\x03\x07", "a", &FormatOptions::new()), [0; 4]);
        // two Bools that are written as 7: the other keeps its bytes
        let dictionary = b"\x01\0\0\0\x01\0\0\0d\x08\x02\0\0\0\x01\0\0\0x\x03\x07\x01\0\0\0y\x03\x07";
        let edit = |path: &str, edit: &Edit| {
            let path = path.parse().unwrap();
            let work = &mut |node: &mut dyn Node| change(node, &path, edit, format.notation());
            format.edit(dictionary, &FormatOptions::new(), work).unwrap()
        };
        assert_eq!(edit("d.x", &set("false")), [&dictionary[..20], b"\0", &dictionary[21..]].concat());
        assert_eq!(
            edit("d.x", &Edit::Remove),
            [&dictionary[..10], b"\x01", &dictionary[11..14], &dictionary[21..]].concat()
        );
        let more = [&dictionary[..10], b"\x03", &dictionary[11..], b"\x01\0\0\0z\x06\0\0\0\0\0\0\xf0\x3f"].concat();
        assert_eq!(edit("d.z", &set("1")), more);
        assert_eq!(changed("roblox-attributes", dictionary, &[("d", typed("Double", "1"))]).as_deref(), Ok("{d = 1}"));
        let same = changed("roblox-attributes", dictionary, &[("d.x", set("true"))]);
        assert_eq!(same.as_deref(), Ok("{d = {x = true, y = true}}"));
    }
}

//! A Variant as values that are found and changed by their paths.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::json::{read_leaf, type_name, Bare};
use super::v4::TypeId;
use super::{v3, Array, ContainerType, Dictionary, Entry, FullObject, Object, Options, Property, Variant, Version};
use crate::dynamic::node::{
    distinct, insert_keyed, keyed, keyed_steps, push_next, remove_from, rename_keyed, type_of, Keyed,
};
use crate::dynamic::part::type_of_part;
use crate::dynamic::plain::{with_stack, Untyped};
use crate::dynamic::plain_json::plain_json;
use crate::dynamic::{Contents, Node, Notation, Step, TypedText, ValuePath};
use crate::json::{take_value, Shape};
use crate::member::{Give, Holder, Receiver};
use crate::wire::IntoByteString;
use crate::TextError;

fn version(notation: Notation) -> Version {
    Version::from_number(notation.version).unwrap_or(Version::V4)
}

/// Reads a value from text: of the type with this name, else of the type `wanted`, else of the type that the text shows. Without
/// the name of a type, its containers keep the types of those in `old`.
fn read(
    given: TypedText<'_>,
    wanted: Option<TypeId>,
    old: Option<&Variant<'_>>,
    notation: Notation,
) -> Result<Variant<'static>, TextError> {
    let version = version(notation);
    let options = Options::new(version);
    let named = |name| match version {
        Version::V3 => type_of::<v3::TypeId>(name).map(v3::TypeId::to_v4),
        Version::V4 => type_of::<TypeId>(name),
    };
    let empty = match given.type_name {
        Some(name) if name.contains('[') => Some(empty(name, &options)?),
        _ => None,
    };
    let wanted = match (&empty, given.type_name) {
        (Some(empty), _) => Some(empty.type_id()),
        (None, Some(name)) => Some(named(name)?),
        (None, None) => wanted,
    };
    let mut value = Variant::from_gdscript(given.text, wanted, &options)?;
    if old.is_some_and(|old| given.type_name.is_none() && old.widens(&value)) {
        value = widened(given.text, &options)?;
    }
    let old = if given.type_name.is_some() { empty.as_ref() } else { old };
    value.settle(old.filter(|old| old.shapes_others()), notation)?;
    Ok(value)
}

/// Reads a value with reals of 64 bits.
fn widened(text: &str, options: &Options) -> Result<Variant<'static>, TextError> {
    Variant::from_gdscript(&format!("double({text})"), None, options)
}

/// The container without items that has the types in a name such as `Array[int]`.
fn empty(name: &str, options: &Options) -> Result<Variant<'static>, TextError> {
    let items = if name.starts_with("Array") { "([])" } else { "({})" };
    Variant::from_gdscript(&format!("{name}{items}"), None, options).map_err(|_| {
        TextError::new(format!("unknown type {name}; expected one such as Array[int] or Dictionary[String, int]"))
    })
}

/// The step to the value of a key.
fn step(key: &Variant<'_>, notation: Notation) -> Step {
    match key {
        Variant::String(text) => Step::key(&**text),
        key => Step::Item(key.to_gdscript(version(notation))),
    }
}

/// The key of a step.
pub(crate) fn key(step: &Step, notation: Notation) -> Result<Variant<'static>, TextError> {
    match step {
        Step::Key(key) => Ok(Variant::String(key.to_vec().into_byte_string())),
        Step::Item(text) => read(TypedText { type_name: None, text }, None, None, notation),
    }
}

keyed!(Property { name, value: Variant });

/// A number without a fraction is an int, as in GDScript.
impl Untyped for Variant<'_> {
    fn is_nothing(&self) -> bool {
        matches!(self, Variant::Null)
    }

    fn of_json(json: &Value) -> Option<Self> {
        match json {
            Value::Null => Some(Variant::Null),
            Value::Bool(value) => Some((*value).into()),
            Value::Number(number) if number.is_f64() => number.as_f64().map(Variant::from),
            Value::Number(number) => number.as_i64().map(Variant::from),
            Value::String(text) => Some(text.clone().into()),
            _ => None,
        }
    }
}

/// Returns true if a container of this type takes a value. A class is not compared, because others may derive from it.
fn takes(container_type: &ContainerType<'_>, value: &Variant<'_>) -> bool {
    match container_type {
        ContainerType::Builtin(TypeId::null) => true,
        ContainerType::Builtin(id) if *id != TypeId::Object => value.type_id() == *id,
        _ => matches!(value, Variant::Null | Variant::Object(_)),
    }
}

impl<'a> Variant<'a> {
    /// The declared types of its keys and of its items.
    fn types(&self) -> [Option<&ContainerType<'a>>; 2] {
        match self {
            Variant::Array(array) => [None, array.element_type.as_deref()],
            Variant::Dictionary(Dictionary { types: Some(types), .. }) => [types.key.as_ref(), types.value.as_ref()],
            _ => [None, None],
        }
    }

    /// The type of the engine that all its items have, if it declares one.
    fn item_type(&self) -> Option<TypeId> {
        match self.types() {
            [_, Some(ContainerType::Builtin(id))] if ![TypeId::null, TypeId::Object].contains(id) => Some(*id),
            _ => None,
        }
    }

    /// A container of the same types without items.
    fn emptied(&self) -> Option<Variant<'a>> {
        Some(match self {
            Variant::Array(array) => Array { element_type: array.element_type.clone(), elements: Vec::new() }.into(),
            Variant::Dictionary(dictionary) => {
                Dictionary { types: dictionary.types.clone(), entries: Vec::new() }.into()
            }
            _ => return None,
        })
    }

    /// The key of the item with this number in a Dictionary.
    fn key(&self, number: usize) -> Option<&Variant<'a>> {
        match self {
            Variant::Dictionary(dictionary) => dictionary.entries.get(number).map(|entry| &entry.key),
            _ => None,
        }
    }

    /// The item with this number, to be changed.
    fn entry_mut(&mut self, number: usize) -> Option<&mut Variant<'a>> {
        match self {
            Variant::Array(array) => array.elements.get_mut(number),
            Variant::Dictionary(dictionary) => Some(&mut dictionary.entries.get_mut(number)?.value),
            Variant::Object(Object::Full(object)) => Some(&mut object.properties.get_mut(number)?.value),
            _ => None,
        }
    }

    /// Returns true if a value in its place has reals of 64 bits, as it has.
    fn widens(&self, new: &Variant<'_>) -> bool {
        self.is_double() && new.type_id() == self.type_id() && !new.is_double()
    }

    /// Returns true if a value in its place takes something from it: types that it, or a container in it, declares, or the width of
    /// reals.
    fn shapes_others(&self) -> bool {
        let mut work = vec![self];
        while let Some(value) = work.pop() {
            if value.types() != [None, None] || value.is_double() {
                return true;
            }
            work.extend((0..).map_while(|number| Holder::item(value, number)));
        }
        false
    }

    /// Its type, with those that it declares.
    fn declared(&self) -> String {
        let empty = self.emptied().map(|empty| format!("{empty:-?}")).unwrap_or_default();
        empty.trim_end_matches(['(', '{', '}', ')']).trim_end_matches("([]").to_owned()
    }

    /// Fails unless these may be the key and the value of an item in it: they are of the types that it declares. A class is not
    /// compared, because others may derive from it.
    ///
    /// ```
    /// use enginewire::godot::{Options, Variant, Version};
    ///
    /// let array = Variant::from_gdscript("Array[int]([1])", None, &Options::new(Version::V4))?;
    /// assert!(array.check_entry(None, Some(&Variant::Int(2))).is_ok());
    /// let error = array.check_entry(None, Some(&Variant::from("x"))).unwrap_err();
    /// assert_eq!(error.to_string(), "expected int as a value of Array[int], found String");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An error with the type that it declares and the one that was found.
    pub fn check_entry(&self, key: Option<&Variant<'_>>, value: Option<&Variant<'_>>) -> Result<(), TextError> {
        for ((declared, found), what) in self.types().into_iter().zip([key, value]).zip(["key", "value"]) {
            if let (Some(declared), Some(found)) = (declared, found)
                && !takes(declared, found)
            {
                let (container, found) = (self.declared(), found.type_id().name());
                let reason = format!("expected {declared:-?} as a {what} of {container}, found {found}");
                return Err(TextError::new(reason));
            }
        }
        Ok(())
    }

    /// Fails if an item other than this one has the same key in the engine: a String and a StringName of one text are the same.
    fn check_other(&self, number: usize, key: &Variant<'_>, notation: Notation) -> Result<(), TextError> {
        let (Variant::Dictionary(dictionary), Some(text)) = (self, key.as_bytes()) else { return Ok(()) };
        let is_same = |other: &Variant<'_>| other.type_id() != key.type_id() && other.as_bytes() == Some(text);
        let mut entries = (0..).zip(&dictionary.entries);
        let other = entries.find(|(place, entry)| *place != number && is_same(&entry.key));
        other.map_or(Ok(()), |(_, entry)| Err(TextError::taken(&step(&entry.key, notation))))
    }

    /// Gives every container without types those of the container that was in its place in `old`, and every value of reals its width;
    /// reads whole numbers as floats where these are declared, and fails where an item does not fit.
    fn settle(&mut self, old: Option<&Variant<'_>>, notation: Notation) -> Result<(), TextError> {
        let old = old.filter(|old| old.type_id() == self.type_id());
        match (&mut *self, old.and_then(Variant::emptied).map(Variant::into_owned)) {
            (Variant::Array(new), Some(Variant::Array(old))) if new.element_type.is_none() => {
                new.element_type = old.element_type;
            }
            (Variant::Dictionary(new), Some(Variant::Dictionary(old))) if new.types.is_none() => new.types = old.types,
            (new, Some(old)) if old.types() != [None, None] && new.types() != old.types() => {
                let (old, new) = (old.declared(), new.declared());
                let reason = format!("expected {old}, found {new}; PATH:{new} gives it this type");
                return Err(TextError::new(reason));
            }
            _ => {}
        }
        if old.is_some_and(|old| old.widens(self)) {
            *self = widened(&self.to_gdscript(version(notation)), &Options::new(version(notation)))?;
        }
        let is_of_floats = self.item_type() == Some(TypeId::float);
        let steps = |value: &Variant<'_>| if old.is_some() { value.steps(notation) } else { Vec::new() };
        let places: HashMap<Step, usize> = old.map(steps).unwrap_or_default().into_iter().zip(0..).collect();
        let steps = steps(self);
        for number in 0.. {
            let Some(item) = self.entry_mut(number) else { break };
            if let Variant::Int(whole) = item
                && is_of_floats
            {
                *item = Variant::Float(whole.to_string().parse().unwrap_or_default());
            }
            let old = steps.get(number).and_then(|step| Holder::item(old?, *places.get(step)?));
            let stays = item.contents() == Contents::Leaf && !old.is_some_and(|old| old.widens(item));
            let settled = if stays { Ok(()) } else { with_stack(|| item.settle(old, notation)) };
            let checked = settled.and_then(|()| self.check_entry(self.key(number), Holder::item(self, number)));
            checked.map_err(|error| {
                let item = ValuePath(self.steps(notation).into_iter().skip(number).take(1).collect());
                TextError::new(format!("{item}: {error}"))
            })?;
        }
        Ok(())
    }

    /// Adds a value, as the last.
    fn put(&mut self, step: &Step, value: Variant<'static>, notation: Notation) -> Result<(), TextError> {
        self.check_entry(None, Some(&value))?;
        let key = key(step, notation);
        if let (Variant::Dictionary(_), Ok(key)) = (&*self, &key) {
            self.check_entry(Some(key), None)?;
            self.check_other(usize::MAX, key, notation)?;
        }
        match self {
            Variant::Array(array) => push_next(&mut array.elements, step, value),
            Variant::Dictionary(dictionary) => {
                dictionary.entries.push(Entry { key: key?, value });
                Ok(())
            }
            Variant::Object(Object::Full(object)) => insert_keyed(&mut object.properties, step, value),
            other => Err(TextError::holds_none(other.type_name(notation), other.shape())),
        }
    }
}

impl Node for Variant<'_> {
    fn type_name(&self, notation: Notation) -> &'static str {
        type_name(version(notation), self.type_id())
    }

    fn steps(&self, notation: Notation) -> Vec<Step> {
        match self {
            Variant::Dictionary(dictionary) => {
                distinct(dictionary.entries.iter().map(|entry| step(&entry.key, notation)))
            }
            Variant::Object(Object::Full(object)) => object.steps(notation),
            other => other.contents().steps(),
        }
    }

    fn without_items(&self, notation: Notation) -> String {
        match self {
            Variant::Object(Object::Full(object)) => object.without_items(notation),
            // the items of a packed array do not tell its width
            leaf if leaf.is_double() => "double".to_owned(),
            container => container.emptied().map(|empty| empty.text(notation)).unwrap_or_default(),
        }
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(Holder::item(self, number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.entry_mut(number)?)
    }

    fn shape(&self) -> Shape {
        Variant::shape_of(self.type_id())
    }

    fn part(&self, shape: Shape, json: &Value) -> Option<Box<dyn Node>> {
        let double = self.is_double();
        let part: Variant<'static> = match type_of_part(shape, Variant::shape_of) {
            Some(id) => take_value(json, |given| Variant::take_leaf(id, given.double(double))).ok()?,
            None => Variant::of_json(json)?,
        };
        Some(Box::new(part))
    }

    fn check_item(&self, number: usize) -> Result<(), TextError> {
        self.check_entry(None, Holder::item(self, number))
    }

    fn text(&self, notation: Notation) -> String {
        self.to_gdscript(version(notation))
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.as_bytes()
    }

    fn assign(&mut self, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        *self = read(text, Some(self.type_id()), Some(self), notation)?;
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        self.put(step, read(text, self.item_type(), None, notation)?, notation)
    }

    fn contents(&self) -> Contents {
        self.held().into()
    }

    fn give_leaf(&self, notation: Notation, to: &mut dyn Receiver) {
        Bare(version(notation), self).give(to);
    }

    fn assign_json(&mut self, json: &Value, notation: Notation) -> Result<(), TextError> {
        *self = match self.is_nothing() {
            true => Variant::by_itself(json)?,
            false => read_leaf(version(notation), (self.type_id(), self.is_double()), json)?,
        };
        Ok(())
    }

    fn insert_json(&mut self, step: &Step, json: &Value, notation: Notation) -> Result<(), TextError> {
        let value = match self.item_type() {
            Some(id) => read_leaf(version(notation), (id, false), json)?,
            None => Variant::by_itself(json)?,
        };
        self.put(step, value, notation)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        match self {
            Variant::Array(array) => remove_from(&mut array.elements, numbers),
            Variant::Dictionary(dictionary) => remove_from(&mut dictionary.entries, numbers),
            Variant::Object(Object::Full(object)) => object.remove(numbers),
            other => Err(TextError::holds_none(other.type_id().name(), other.shape())),
        }
    }

    fn rename(&mut self, number: usize, new: &Step, notation: Notation) -> Result<(), TextError> {
        match self {
            Variant::Dictionary(_) => {
                let key = key(new, notation)?;
                self.check_entry(Some(&key), None)?;
                self.check_other(number, &key, notation)?;
                if let Variant::Dictionary(dictionary) = self
                    && let Some(entry) = dictionary.entries.get_mut(number)
                {
                    entry.key = key;
                }
                Ok(())
            }
            Variant::Object(Object::Full(object)) => object.rename(number, new, notation),
            other => Err(TextError::has_no_keys(other.type_name(notation))),
        }
    }
}

/// An object as a value.
fn object(object: FullObject<'_>) -> Variant<'_> {
    Variant::Object(Object::Full(Box::new(object)))
}

impl Node for FullObject<'_> {
    fn type_name(&self, _: Notation) -> &'static str {
        TypeId::Object.name()
    }

    fn steps(&self, _: Notation) -> Vec<Step> {
        keyed_steps(&self.properties)
    }

    fn without_items(&self, notation: Notation) -> String {
        object(FullObject { class: self.class.clone(), properties: Vec::new() }).text(notation)
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.properties.get(number)?.value())
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.properties.get_mut(number)?.value_mut())
    }

    fn text(&self, notation: Notation) -> String {
        object(self.clone()).text(notation)
    }

    fn assign(&mut self, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        match read(text, Some(TypeId::Object), None, notation)? {
            Variant::Object(Object::Full(object)) => *self = *object,
            _ => return Err(TextError::new("expected an object with a class")),
        }
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        insert_keyed(&mut self.properties, step, read(text, None, None, notation)?)
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }

    fn insert_json(&mut self, step: &Step, json: &Value, _: Notation) -> Result<(), TextError> {
        insert_keyed(&mut self.properties, step, Variant::by_itself(json)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        remove_from(&mut self.properties, numbers)
    }

    fn rename(&mut self, number: usize, new: &Step, _: Notation) -> Result<(), TextError> {
        rename_keyed(&mut self.properties, number, new)
    }
}

plain_json!(Variant, Variant<'a>,
    step => key(step, Notation::default()),
    items => items.into(),
    members => Dictionary::new(members).into());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::{at, change, change_all, Edit};
    use pretty_assertions::assert_eq;

    const V4: Notation = Notation { typed: false, version: 4 };

    fn read_as(text: &str) -> Variant<'static> {
        Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap()
    }

    fn object(class: &str) -> Variant<'static> {
        let hp = Property { name: "hp".to_owned().into_byte_string(), value: Variant::Int(5) };
        let class = class.to_owned().into_byte_string();
        Variant::Object(Object::Full(Box::new(FullObject { class, properties: vec![hp] })))
    }

    fn text(value: &Variant<'_>, path: &str) -> Option<String> {
        Some(at(value, &path.parse().unwrap(), V4).ok()?.text(V4))
    }

    #[test]
    fn items_of_every_container_are_found_and_changed() {
        let mut value = read_as(r#"{"list": [1, "two"], "node": null}"#);
        let Variant::Dictionary(dictionary) = &mut value else { panic!("{value:?}") };
        dictionary.entries[1].value = object("Node");
        let found = ["list[0]", "list[1]", "node.hp", "node.mp", "list[2]"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("1"), Some("\"two\""), Some("5"), None, None]);
        let bytes = |path: &str| at(&value, &path.parse().unwrap(), V4).unwrap().bytes().map(<[u8]>::to_vec);
        assert_eq!((bytes("list[1]"), bytes("list[0]")), (Some(b"two".to_vec()), None));

        let mut changed = |path: &str, edit: &Edit| change(&mut value, &path.parse().unwrap(), edit, V4);
        changed("node.hp", &Edit::Set { type_name: None, text: "7".to_owned() }).unwrap();
        changed("node.hp", &Edit::Rename(Step::key("mp"))).unwrap();
        changed("list[0]", &Edit::Set { type_name: Some("float".to_owned()), text: "1.5".to_owned() }).unwrap();
        let found = ["list[0]", "node.hp", "node.mp"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("1.5"), None, Some("7")]);
    }

    /// To Godot 4 a String and a StringName of one text are the same key.
    #[test]
    fn equal_keys_of_two_types_are_refused() {
        let mut value = read_as(r#"{ &"seed": 1, "hp": 2 }"#);
        let mut changed = |path: &str, edit: &Edit| {
            let done = change(&mut value, &path.parse().unwrap(), edit, V4).map_err(|error| error.to_string());
            done.map(|()| value.text(V4))
        };
        let five = Edit::Set { type_name: None, text: "5".to_owned() };
        let renamed = |key: &str| Edit::Rename(key.parse::<ValuePath>().unwrap().0[0].clone());
        let taken = |key: &str| Err(format!("there is a value {key} already"));
        assert_eq!(changed("seed", &five), taken("[&\"seed\"]"));
        assert_eq!(changed("seed", &Edit::SetPlain("5".to_owned())), taken("[&\"seed\"]"));
        assert_eq!(changed("[&\"hp\"]", &five), taken("hp"));
        assert_eq!(changed("hp", &renamed("seed")), taken("[&\"seed\"]"));
        assert_eq!(changed("[&\"seed\"]", &renamed("seed")).unwrap(), r#"{ "seed": 1, "hp": 2 }"#);
        assert_eq!(changed("[5]", &five).unwrap(), r#"{ "seed": 1, "hp": 2, 5: 5 }"#);
    }

    /// A container keeps its types and takes only what fits, wherever it is and however it is changed.
    #[test]
    fn containers_keep_their_types() {
        let before = r#"{ "i": Array[int]([1]), "f": Array[float]([0.5]), "n": Array[StringName]([]), "o": Array[Node]([null]),
            "s": Array[Resource("res://a.gd")]([]), "d": Dictionary[String, int]({ "k": 1 }), "v": Dictionary[Variant, float]({}),
            "k": Dictionary[StringName, Variant]({ &"a": 1 }), "l": [Array[int]([1]), [2]], "a": Array[Array]([[1]]), "u": [1] }"#;
        let edit = |change: &str| {
            let (path, text) = change.split_once(" = ").unwrap();
            let (path, type_name) = path.split_once(':').map_or((path, None), |(path, name)| (path, Some(name)));
            let text = text.to_owned();
            let edit = match (type_name, text.strip_prefix("json ")) {
                (Some("key"), _) => Edit::Rename(text.parse::<ValuePath>().unwrap().0[0].clone()),
                (_, Some(json)) => Edit::SetPlain(json.to_owned()),
                (name, None) => Edit::Set { type_name: name.map(str::to_owned), text },
            };
            (path.parse::<ValuePath>().unwrap(), edit)
        };
        let changed = |all: &str| {
            let mut value = read_as(before);
            let changes: Vec<_> = all.split("; ").map(edit).collect();
            change_all(&mut value, changes.iter().map(|(path, edit)| (path, edit)), V4)
                .map_err(|error| error.to_string())?;
            let top = ValuePath(vec![changes[0].0 .0[0].clone()]);
            Ok::<_, String>(at(&value, &top, V4).unwrap().text(V4))
        };
        for (change, after) in [
            ("i = [1, 2]", "Array[int]([1, 2])"),
            ("i = []; i[0] = 3", "Array[int]([3])"),
            ("i = Array[int]([4])", "Array[int]([4])"),
            ("i:Array = [1, \"x\"]", "[1, \"x\"]"),
            ("i:Array = Array[int]([5])", "Array[int]([5])"),
            ("i:Array[float] = [1, 2.5]", "Array[float]([1.0, 2.5])"),
            ("i:Array[Node] = [null, Object(Node)]", "Array[Node]([null, Object(Node)])"),
            ("i:Array[Resource(\"res://b.gd\")] = []", "Array[Resource(\"res://b.gd\")]([])"),
            ("i:Dictionary[String, int] = {\"a\": 1}", "Dictionary[String, int]({ \"a\": 1 })"),
            ("i:Array[Variant] = [1, true]", "[1, true]"),
            ("i = json [1, 2]; i[2] = json 3", "Array[int]([1, 2, 3])"),
            ("f[1] = 2; f[0] = 3; f[2] = json 4", "Array[float]([3.0, 2.0, 4.0])"),
            ("f = [9007199254740993]; f[1] = json 0.5", "Array[float]([9007199254740992.0, 0.5])"),
            ("f = json [1, 2]", "Array[float]([1.0, 2.0])"),
            ("n[0] = &\"x\"; n[1] = json \"y\"", "Array[StringName]([&\"x\", &\"y\"])"),
            (
                "o[1] = Object(Node2D); o[2] = EncodedObjectAsID(7); o[3] = json null",
                "Array[Node]([null, Object(Node2D), EncodedObjectAsID(7), null])",
            ),
            ("s = [null]; s[1] = Object(Node)", "Array[Resource(\"res://a.gd\")]([null, Object(Node)])"),
            ("d.z = 2; d.k:key = m", "Dictionary[String, int]({ \"m\": 1, \"z\": 2 })"),
            ("d = {\"q\": 3}; d.r = json 4", "Dictionary[String, int]({ \"q\": 3, \"r\": 4 })"),
            ("v[5] = 1; v.x = json 2", "Dictionary[Variant, float]({ 5: 1.0, \"x\": 2.0 })"),
            (
                "k[&\"b\"] = true; k[&\"a\"]:key = [&\"c\"]",
                "Dictionary[StringName, Variant]({ &\"c\": 1, &\"b\": true })",
            ),
            ("l = [[2], [\"x\"], [3]]", "[Array[int]([2]), [\"x\"], [3]]"),
            ("l[0] = [2]; l[1][0]:String = \"x\"", "[Array[int]([2]), [\"x\"]]"),
            ("l:Array = [[2]]", "[[2]]"),
            ("a[1] = Array[int]([2]); a[0][0]:String = \"x\"", "Array[Array]([[\"x\"], Array[int]([2])])"),
            ("u = Array[int]([2])", "Array[int]([2])"),
        ] {
            assert_eq!(changed(change).as_deref(), Ok(after), "{change}");
        }
        for (change, reason) in [
            ("i = [1, \"x\"]", "i: [1]: expected int as a value of Array[int], found String"),
            ("i = [1.5]", "i: [0]: expected int as a value of Array[int], found float"),
            (
                "i = Array[float]([1.5])",
                "i: expected Array[int], found Array[float]; PATH:Array[float] gives it this type",
            ),
            ("i = Array[int]([true])", "i: [0]: expected int as a value of Array[int], found bool"),
            ("i[1] = \"x\"", "i[1]: expected an int such as 17, found \"x\""),
            ("i[1]:String = \"x\"", "i[1]: expected int as a value of Array[int], found String"),
            ("i[0]:String = x", "i[0]: expected int as a value of Array[int], found String"),
            ("i[0] = json \"x\"", "i[0]: expected an integer of the type i64"),
            ("i[1] = json \"x\"", "i[1]: expected "),
            ("i = json [1, null]", "i: [1]: expected "),
            ("i:Array[String] = [1]", "i: [0]: expected String as a value of Array[String], found int"),
            ("i:Array[ = []", "i: unknown type Array[; expected one such as Array[int] or Dictionary[String, int]"),
            ("i:Array[int]x = []", "i: unknown type Array[int]x; "),
            ("f = [\"x\"]", "f: [0]: expected float as a value of Array[float], found String"),
            ("n = [\"x\"]", "n: [0]: expected StringName as a value of Array[StringName], found String"),
            ("o[0]:int = 1", "o[0]: expected Node as a value of Array[Node], found int"),
            ("o = json [5]", "o: [0]: expected Node as a value of Array[Node], found int"),
            ("o[1] = 5", "o[1]: expected Node as a value of Array[Node], found int"),
            (
                "s[0] = 5",
                "s[0]: expected Resource(\"res://a.gd\") as a value of Array[Resource(\"res://a.gd\")], found int",
            ),
            ("d.z = \"q\"", "d.z: expected an int such as 17, found \"q\""),
            ("d[5] = 2", "d[5]: expected String as a key of Dictionary[String, int], found int"),
            ("d = {5: 2}", "d: [5]: expected String as a key of Dictionary[String, int], found int"),
            ("d.k:key = [5]", "d.k: expected String as a key of Dictionary[String, int], found int"),
            (
                "d = json {\"k\": 1, \"[5]\": 2}",
                "d: [5]: expected String as a key of Dictionary[String, int], found int",
            ),
            ("k.b = 1", "k.b: expected StringName as a key of Dictionary[StringName, Variant], found String"),
            ("v.x = true", "v.x: expected a float such as 17.5, found true"),
            ("l = [[\"x\"]]", "l: [0]: [0]: expected int as a value of Array[int], found String"),
            ("l[0][1] = 1.5", "l[0][1]: expected an int such as 17, found 1.5"),
            ("a[0]:int = 1", "a[0]: expected Array as a value of Array[Array], found int"),
        ] {
            let error = changed(change).unwrap_err();
            assert!(error.starts_with(reason), "{change}: {error}");
        }
    }

    #[test]
    fn types_classes_and_lengths_tell_containers_apart() {
        let [typed, plain] = ["Array[int]([1, 2])", "[1, 2, 3]"].map(read_as);
        assert_eq!([typed.list_length(), plain.list_length(), read_as("{}").list_length()], [Some(2), Some(3), None]);
        assert_eq!([&typed, &plain].map(|array| array.without_items(V4)), ["Array[int]([])", "[]"]);
        assert_eq!(read_as("Dictionary[int, int]({1: 2})").without_items(V4), "Dictionary[int, int]({})");
        assert_ne!(object("Node").without_items(V4), object("Sprite").without_items(V4));
        assert!(!object("Node").without_items(V4).contains("hp"));
        assert_eq!(Variant::Int(1).without_items(V4), "");
        let widths = ["PackedVector2Array(1, 2)", "double(PackedVector2Array(1, 2))"]
            .map(|text| read_as(text).without_items(V4));
        assert_eq!(widths, ["", "double"]);
    }
}

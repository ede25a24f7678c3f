//! The plain JSON form: a value without its types, `{"Health": 100}`.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::node::{Contents, Node, Notation};
use super::path::{Step, ValuePath};
use crate::error::named_form;
use crate::json::{self, Input};
use crate::member::typed::Typed;
use crate::member::{serialize_by_give, Contents as Form, Give, Given, Items, Members, Mismatch, Receiver, Tag};
use crate::TextError;

/// The limit for the nesting of objects and lists in a text: a list or an object for each level that a format allows, and a few
/// for the innermost value.
pub(crate) const LEVELS: usize = 1024 + 16;

/// Runs what may recurse, with more stack if little is left.
pub(crate) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    crate::stack::growing(run)
}

/// A value that `serde_json` writes in its plain form.
///
/// ```
/// use enginewire::formats::Plain;
/// use enginewire::roblox::attributes::Attributes;
/// use enginewire::roblox::datatypes::Vector3;
///
/// let mut attributes = Attributes::new();
/// attributes.insert("Health", 100.0);
/// attributes.insert("Spawn", Vector3 { x: 1.0, y: 2.0, z: 3.0 });
/// let plain = serde_json::to_value(Plain::new(&attributes, Default::default()))?;
/// assert_eq!(plain, serde_json::json!({"Health": 100, "Spawn": {"x": 1, "y": 2, "z": 3}}));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Specification: `docs/spec/json.md`, section Plain.
#[derive(Clone, Copy)]
pub struct Plain<'n> {
    node: &'n dyn Node,
    notation: Notation,
}

impl<'n> Plain<'n> {
    /// The value of a node. Keys that are not text are written in the notation.
    #[must_use]
    pub fn new(node: &'n dyn Node, notation: Notation) -> Self {
        Plain { node, notation }
    }

    fn of(&self, node: &'n dyn Node) -> Self {
        Plain { node, ..*self }
    }
}

impl std::fmt::Debug for Plain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Plain").field(&self.node.text(self.notation)).finish()
    }
}

impl Give for Plain<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        with_stack(|| match self.node.contents() {
            Contents::Leaf => to.tagged(Tag::Line, &Leaf(self)),
            Contents::List { length, .. } => {
                to.list(length);
                (0..length).filter_map(|number| self.node.item(number)).for_each(|value| to.item(&self.of(value)));
                to.end();
            }
            Contents::Object => {
                to.map(None);
                let mut names = Names::default();
                for (number, step) in (0..).zip(self.node.steps(self.notation)) {
                    let name = names.next(&step);
                    if let Some(item) = self.node.item(number) {
                        to.entry(&name, &self.of(item));
                    }
                }
                to.end();
            }
        });
    }
}

serialize_by_give!([] Plain<'_>);

/// A value that holds no others.
struct Leaf<'p>(&'p Plain<'p>);

impl Give for Leaf<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        self.0.node.give_leaf(self.0.notation, to);
    }
}

/// The names of members, each once: a name that is taken becomes its number, `[#7]`.
#[derive(Default)]
pub(super) struct Names {
    /// The number of members so far.
    count: usize,
    /// The names that two different keys may have: text in brackets, and a key of another type that is written as text.
    quoted: HashSet<String>,
}

impl Names {
    /// The next member has a text as its key.
    pub(super) fn skip(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    /// The name of the next member, which is at this step.
    pub(super) fn next(&mut self, step: &Step) -> String {
        let (name, number) = (member_name(step), self.count);
        self.skip();
        match name.starts_with("[\"") && !self.quoted.insert(name.clone()) {
            true => format!("[#{number}]"),
            false => name,
        }
    }
}

/// The name of the member at a step: a key that is text as it is, and every other in brackets, like in paths.
fn member_name(step: &Step) -> String {
    match step {
        Step::Key(key) => match std::str::from_utf8(key) {
            Ok(text) if !text.starts_with('[') => text.to_owned(),
            _ => format!("[{}]", ValuePath(vec![step.clone()])),
        },
        item => ValuePath(vec![item.clone()]).to_string(),
    }
}

/// The step to the member of a name.
pub(crate) fn step_of(name: &str) -> Result<Step, TextError> {
    if !name.starts_with('[') {
        return Ok(Step::key(name));
    }
    let mut steps = name.parse::<ValuePath>()?.0;
    let step = steps.pop().filter(|_| steps.is_empty());
    let step = step.ok_or_else(|| TextError::new(format!("expected one key in brackets, found {name}")))?;
    match member_name(&step) {
        same if same == name => Ok(step),
        other => Err(TextError::new(format!("the key {name} is written {other}"))),
    }
}

/// Changes a value to match a plain text. Every value keeps its type. Values that the text lacks are removed, and values that are
/// only in the text are added, with the default type of a number, a text or a boolean in this format.
///
/// ```
/// use enginewire::formats::set_plain;
/// use enginewire::roblox::attributes::{Attributes, Value};
///
/// let mut attributes: Attributes<'_> = [("Health", Value::Int(100)), ("Old", true.into())].into_iter().collect();
/// set_plain(&mut attributes, br#"{"Health": 80, "Name": "Torch"}"#, Default::default())?;
/// assert_eq!(attributes, [("Health", Value::Int(80)), ("Name", "Torch".into())].into_iter().collect());
///
/// let error = set_plain(&mut attributes, br#"{"Health": 0.5, "Name": "Torch"}"#, Default::default()).unwrap_err();
/// assert_eq!(error.to_string(), "Health: expected a whole number from -2147483648 to 2147483647, found 0.5");
/// # Ok::<(), enginewire::TextError>(())
/// ```
///
/// # Errors
///
/// If the text is not JSON, has a member twice, a value is not one of the type that it had, or a new value shows no type. The error
/// names the path of the value. The node may have changed in part.
pub fn set_plain(node: &mut dyn Node, text: &[u8], notation: Notation) -> Result<(), TextError> {
    with_plain(text, |given| set(node, given, &ValuePath::default(), notation))
}

/// The same for plain JSON in memory.
pub(crate) fn set_plain_value(node: &mut dyn Node, json: &Value, notation: Notation) -> Result<(), TextError> {
    json::take_value(json, |given| Ok(set(node, given, &ValuePath::default(), notation)))?
}

/// Adds the value of a plain text at a step.
pub(super) fn add_plain(node: &mut dyn Node, step: &Step, text: &[u8], notation: Notation) -> Result<(), TextError> {
    with_plain(text, |given| add_value(node, step, given, notation))
}

/// Calls `work` with a plain text. An object that has a member twice is an error.
fn with_plain<T>(text: &[u8], work: impl FnOnce(Given<'_>) -> Result<T, TextError>) -> Result<T, TextError> {
    json::take(Input::Text(text), LEVELS, |given| distinct_names(given).map(|()| work(given)))?
}

fn distinct_names(given: Given<'_>) -> Result<(), Mismatch> {
    with_stack(|| match given.contents() {
        Form::Scalar(_) => Ok(()),
        Form::List(mut items) => items.try_for_each(distinct_names),
        Form::Map(mut members) => {
            let mut seen = HashSet::new();
            members.try_for_each(|(key, value)| match key.text()? {
                name if seen.insert(name) => distinct_names(value),
                name => Err(value.custom(format_args!("the member {name:?} is there twice")).around()),
            })
        }
    })
}

fn set(node: &mut dyn Node, json: Given<'_>, path: &ValuePath, notation: Notation) -> Result<(), TextError> {
    with_stack(|| match (node.contents(), json.contents()) {
        (Contents::Leaf, _) => set_leaf(node, &json.to_value(), notation).map_err(|error| error.inside(path)),
        (Contents::List { first, length }, Form::List(items)) => set_list(node, (first, length), items, path, notation),
        (Contents::List { .. }, _) => Err(expected(node, "a list", notation).inside(path)),
        (Contents::Object, Form::Map(members)) => set_members(node, members, path, notation),
        (Contents::Object, _) => Err(expected(node, "an object", notation).inside(path)),
    })
}

/// The error of a value that has another form.
fn expected(node: &dyn Node, form: &str, notation: Notation) -> TextError {
    TextError::new(format!("expected {}", named_form(node.type_name(notation), form)))
}

fn set_leaf(node: &mut dyn Node, given: &Value, notation: Notation) -> Result<(), TextError> {
    node.assign_json(given, notation)?;
    let written = || json::value_of(&Plain::new(node, notation));
    match given.is_object() || given.is_array() {
        true if has_list_for_object(given, &written()?) => {
            Err(expected(node, "an object with the names of its parts, found a list", notation))
        }
        _ => Ok(()),
    }
}

/// True if there is a list instead of an object. Serde takes that for the members in their order, but a reader of the text would
/// not know which is which.
fn has_list_for_object(given: &Value, written: &Value) -> bool {
    match (given, written) {
        (Value::Array(_), Value::Object(_)) => true,
        (Value::Array(given), Value::Array(written)) => {
            given.iter().zip(written).any(|(given, written)| has_list_for_object(given, written))
        }
        (Value::Object(given), Value::Object(written)) => given
            .iter()
            .any(|(name, given)| written.get(name).is_some_and(|written| has_list_for_object(given, written))),
        _ => false,
    }
}

fn set_list(
    node: &mut dyn Node,
    (first, length): (i64, usize),
    items: Items<'_>,
    path: &ValuePath,
    notation: Notation,
) -> Result<(), TextError> {
    let count = items.clone().count();
    if count < length {
        let mut numbers = BTreeSet::new();
        numbers.extend(count..length);
        node.remove(&numbers).map_err(|error| error.inside(path))?;
    }
    for ((number, index), json) in (0..).zip(first..).zip(items) {
        let step = Step::Item(index.to_string());
        // what is of another type already stays so
        let has_fitted = node.check_item(number).is_ok();
        match node.item_mut(number) {
            Some(item) => {
                set(item, json, &path.then(step.clone()), notation)?;
                if has_fitted {
                    node.check_item(number).map_err(|error| error.inside(path.then(step)))?;
                }
            }
            None => add(node, &step, json, path, notation)?,
        }
    }
    Ok(())
}

fn set_members(
    node: &mut dyn Node,
    members: Members<'_>,
    path: &ValuePath,
    notation: Notation,
) -> Result<(), TextError> {
    let mut members: Vec<_> = members.map(|(name, value)| Some((name.as_text().unwrap_or_default(), value))).collect();
    let mut json: HashMap<&str, usize> = members.iter().flatten().map(|(name, _)| *name).zip(0..).collect();
    let mut missing = Vec::new();
    let mut names = Names::default();
    for (number, step) in (0..).zip(node.steps(notation)) {
        let given = json.remove(&*names.next(&step)).and_then(|place| members.get_mut(place)?.take());
        let has_fitted = node.check_item(number).is_ok();
        match (given, node.item_mut(number)) {
            (Some((_, json)), Some(item)) => {
                set(item, json, &path.then(step.clone()), notation)?;
                if has_fitted {
                    node.check_item(number).map_err(|error| error.inside(path.then(step)))?;
                }
            }
            _ => missing.push((number, step)),
        }
    }
    missing.retain(|(number, _)| !node.may_be_left_out(*number));
    if let Some((_, step)) = missing.first() {
        let first = path.then(step.clone());
        let mut numbers = BTreeSet::new();
        numbers.extend(missing.into_iter().map(|(number, _)| number));
        node.remove(&numbers).map_err(|error| error.inside(&first))?;
    }
    for (name, json) in members.into_iter().flatten() {
        let step = step_of(name).map_err(|error| error.inside(path))?;
        add(node, &step, json, path, notation)?;
    }
    Ok(())
}

/// Adds a value that is only in the text.
fn add(
    node: &mut dyn Node,
    step: &Step,
    json: Given<'_>,
    path: &ValuePath,
    notation: Notation,
) -> Result<(), TextError> {
    add_value(node, step, json, notation).map_err(|error| error.inside(path.then(step.clone())))
}

fn add_value(node: &mut dyn Node, step: &Step, json: Given<'_>, notation: Notation) -> Result<(), TextError> {
    match json.contents() {
        Form::Scalar(_) => node.insert_json(step, &json.to_value(), notation),
        Form::List(_) => Err(TextError::new(NO_TYPE.replace('_', "list"))),
        Form::Map(_) => Err(TextError::new(NO_TYPE.replace('_', "object"))),
    }
}

/// Why a new list or object is refused.
const NO_TYPE: &str =
    "a new _ can be of several types; expected a number, a text or a boolean, or a value that is there already";

/// A value that JSON can describe without naming its type.
pub(crate) trait Untyped: Sized {
    /// True if it is null or nil, which has no type to keep.
    fn is_nothing(&self) -> bool;

    /// The value of a number, text, boolean or null, if that has a default type.
    fn of_json(json: &Value) -> Option<Self>;

    /// The same, or the reason why it has no default type.
    ///
    /// # Errors
    ///
    /// If the JSON has no default type.
    fn by_itself(json: &Value) -> Result<Self, TextError> {
        let reason = || format!("{json} has no known type here; expected a number, a text or a boolean");
        Self::of_json(json).ok_or_else(|| TextError::new(reason()))
    }
}

/// The value that JSON describes, to replace `current`: of its type, if it has one to keep.
///
/// # Errors
///
/// If the JSON is not a value of the type.
pub(crate) fn in_place_of<V: Untyped + Typed>(current: &V, json: &Value) -> Result<V, TextError> {
    match current.is_nothing() {
        true => V::by_itself(json),
        false => json::take_value(json, |given| V::take_of(current.type_of(), given)),
    }
}

//! Parts of values that hold no others: the `x` of a vector, an item of a packed array.

use base16ct::{lower, mixed};
use serde_json::{json, Map, Value as Json};

use super::bare;
use super::editor::change;
use super::node::{Edit, EditError, Node, Notation, TypedText};
use super::path::{Step, ValuePath};
use super::plain::{set_plain, Plain, Untyped};
use crate::json::{take_value, value_of};
use crate::member::typed::Typed;
use crate::member::Shape;
use crate::wire::TypeNumber;
use crate::TextError;

/// A part of a value that holds no others, made a value.
#[allow(missing_debug_implementations)] // a node has no such text
pub struct Part {
    value: Box<dyn Node>,
    /// The JSON form of the whole value. If it is bytes, they are a list.
    whole: Json,
    /// Places in the JSON form of the part, and where these are in that of the whole.
    places: Vec<(&'static str, String)>,
    is_of_bytes: bool,
}

impl Part {
    /// The part of a leaf at a step.
    pub(super) fn new(leaf: &dyn Node, step: &Step, notation: Notation) -> Option<Self> {
        let (shape, places) = places(leaf.shape(), step)?;
        let mut whole = value_of(&Plain::new(leaf, notation)).ok()?;
        let is_of_bytes = whole.is_object() && matches!(step, Step::Item(_));
        if is_of_bytes {
            whole = mixed::decode_vec(whole.get("hex")?.as_str()?).ok()?.into();
        }
        let found = |(name, place): &(&str, String)| Some(((*name).to_owned(), whole.pointer(place)?.clone()));
        let mut parts = places.iter().map(found);
        let json = match shape {
            Shape::Structure(..) if places.len() > 1 => {
                // collecting them would sort them, by code of its own
                let mut all = Map::new();
                parts.try_for_each(|part| part.map(|(name, part)| drop(all.insert(name, part))))?;
                all.into()
            }
            _ => parts.next()??.1,
        };
        Some(Part { value: leaf.part(shape, &json)?, whole, places, is_of_bytes })
    }

    /// The part at further steps.
    pub(super) fn at(self, steps: &[Step], notation: Notation) -> Option<Self> {
        match steps.split_first() {
            Some((step, rest)) => Part::new(&*self.value, step, notation)?.at(rest, notation),
            None => Some(self),
        }
    }

    /// The change of the whole that this change of the part, or inside it, is.
    pub(super) fn changed(mut self, steps: &[Step], edit: &Edit, notation: Notation) -> Result<Edit, EditError> {
        let invalid = |reason: String| Err(TextError::new(reason).into());
        let type_name = self.value.type_name(notation);
        match edit {
            _ if !steps.is_empty() => change(&mut *self.value, &ValuePath(steps.to_vec()), edit, notation)?,
            Edit::Set { type_name, text } => {
                bare::assign(&mut *self.value, TypedText { type_name: type_name.as_deref(), text }, notation)?;
            }
            Edit::SetPlain(text) => set_plain(&mut *self.value, text.as_bytes(), notation)?,
            Edit::Remove | Edit::Rename(_) => {
                return invalid("it is a part of a value, which changes only as a whole".to_owned());
            }
        }
        if self.value.type_name(notation) != type_name {
            return invalid(format!("it is a {type_name} in another value, and stays one"));
        }
        let json = value_of(&Plain::new(&*self.value, notation)).unwrap_or_default();
        for (name, place) in &self.places {
            let part = json.get(name).unwrap_or(&json);
            if let Some(place) = self.whole.pointer_mut(place) {
                place.clone_from(part);
            }
        }
        if self.is_of_bytes {
            let bytes: Result<Vec<u8>, _> = serde_json::from_value(self.whole);
            let Ok(bytes) = bytes else { return invalid("a byte is a whole number from 0 to 255".to_owned()) };
            self.whole = json!({"hex": lower::encode_string(&bytes)});
        }
        Ok(Edit::SetPlain(self.whole.to_string()))
    }
}

/// The shape of the part at a step, and its places.
fn places(shape: Shape, step: &Step) -> Option<(Shape, Vec<(&'static str, String)>)> {
    let name = |names: &[&str]| names.iter().position(|name| *step == Step::key(name));
    let index = |text: &str| text.parse::<usize>().ok().filter(|index| *step == Step::index(*index));
    let (part, place) = match (single(shape), step) {
        (Shape::Structure(_, names, shapes), _) => {
            let number = name(names)?;
            (*shapes.get(number)?, format!("/{}", names.get(number)?))
        }
        // a matrix is written row by row, and its axes are its columns
        (Shape::Tuple(3, Shape::Tuple(3, _)), _) => {
            let column = name(&AXES)?;
            let places = AXES.iter().enumerate().map(|(row, axis)| (*axis, format!("/{row}/{column}")));
            return Some((Shape::Structure("Vector3", &[], &[]), places.collect()));
        }
        (Shape::List(item) | Shape::Tuple(_, item), Step::Item(text)) => (*item, format!("/{}", index(text)?)),
        (Shape::Form("ByteArray"), Step::Item(text)) => (Shape::U8, format!("/{}", index(text)?)),
        _ => return None,
    };
    Some((part, vec![("", place)]))
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The names of the parts that values of a shape have.
#[must_use]
pub fn part_names(shape: Shape) -> &'static [&'static str] {
    match single(shape) {
        Shape::Structure(_, names, _) => names,
        Shape::Tuple(3, Shape::Tuple(3, _)) => &AXES,
        _ => &[],
    }
}

/// The shape of a value that is there. Reals of 64 bits make no other shape than those of 32.
fn single(shape: Shape) -> Shape {
    match shape {
        Shape::Reals(single, _) | Shape::Option(single) => *single,
        shape => shape,
    }
}

/// The type whose values have the shape of a part.
pub(crate) fn type_of_part<T: TypeNumber>(part: Shape, shape_of: impl Fn(T) -> Shape) -> Option<T> {
    let first = |fits: &dyn Fn(Shape) -> bool| T::ALL.iter().copied().find(|id| fits(shape_of(*id)));
    match single(part) {
        Shape::F32 | Shape::F64 => {
            first(&|shape| shape == part).or_else(|| first(&|shape| matches!(shape, Shape::F32 | Shape::F64)))
        }
        Shape::U8 | Shape::U16 | Shape::U32 | Shape::I8 | Shape::I16 | Shape::I32 | Shape::I64 => {
            first(&|shape| matches!(shape, Shape::I32 | Shape::I64))
        }
        Shape::Structure("", ..) => None,
        Shape::Structure(name, ..) => {
            first(&|shape| matches!(single(shape), Shape::Structure(other, ..) if other == name))
        }
        _ => first(&|shape| single(shape) == part),
    }
}

/// The value of a part in a table of types.
pub(crate) fn typed_part<V: Typed<Type: TypeNumber> + Untyped + Node + 'static>(
    part: Shape,
    json: &Json,
) -> Option<Box<dyn Node>> {
    let typed = type_of_part(part, V::shape_of).and_then(|id| take_value(json, |given| V::take_of(id, given)).ok());
    Some(Box::new(typed.or_else(|| V::of_json(json))?))
}

/// A value that a path leads to: in its place, or a part of a value that holds no others.
#[allow(missing_debug_implementations)] // as for Part
pub enum Found<'n> {
    /// A value in its place.
    Value(&'n dyn Node),
    /// A part of one.
    Part(Part),
}

impl<'n> std::ops::Deref for Found<'n> {
    type Target = dyn Node + 'n;

    fn deref(&self) -> &(dyn Node + 'n) {
        match self {
            Found::Value(node) => *node,
            Found::Part(part) => &*part.value,
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use crate::dynamic::{at, change_all, FormatOptions, ValuePath};
    use crate::formats::by_name;
    use pretty_assertions::assert_eq;

    /// The type and the text of the value at a path, and the whole after that is set to another text.
    fn part(format: &str, text: &str, path: &str, new: &str) -> Result<[String; 2], String> {
        let (format, options) = (by_name(format).unwrap(), FormatOptions::new());
        let (notation, path) = (format.notation(), path.parse::<ValuePath>().unwrap());
        let bytes = format.encode_notation(text, &options).map_err(|error| error.to_string())?;
        let mut found = Err(EditError::NotFound(path.clone()));
        let look = &mut |node: &dyn Node| {
            found =
                at(node, &path, notation).map(|node| format!("{} {}", node.type_name(notation), node.text(notation)));
        };
        format.visit(&bytes, &options, look).unwrap();
        let found = found.map_err(|error| error.to_string())?;
        let edited = |text: &str| {
            let edit = Edit::Set { type_name: None, text: text.to_owned() };
            format.edit(&bytes, &options, &mut |node| change_all(node, [(&path, &edit)], notation))
        };
        let text = found.split_once(' ').unwrap().1.to_owned();
        assert_eq!(edited(&text).as_ref(), Ok(&bytes), "{text}");
        let edited = edited(new).map_err(|error| error.to_string())?;
        Ok([found, format.decode_notation(&edited, &options).unwrap()])
    }

    #[test]
    fn parts_are_found_and_changed_in_every_format() {
        for (format, whole, path, found, new, after) in [
            (
                "roblox-attributes",
                "{a = Vector3.new(1, 0/0, 3.5)}",
                "a.z",
                "Float 3.5",
                "-1",
                "{a = Vector3.new(1, 0/0, -1)}",
            ),
            ("roblox-attributes", "{a = UDim.new(0, 1)}", "a.offset", "Int 1", "7", "{a = UDim.new(0, 7)}"),
            (
                "roblox-attributes",
                "{a = Rect.new(1, 2, 3, 4)}",
                "a.max.y",
                "Float 4",
                "9",
                "{a = Rect.new(1, 2, 3, 9)}",
            ),
            (
                "roblox-attributes",
                "{a = CFrame.new(1, 2, 3)}",
                "a.position",
                "Vector3 Vector3.new(1, 2, 3)",
                "Vector3.new(0, 0, 0)",
                "{a = CFrame.new(0, 0, 0)}",
            ),
            ("godot-4", "Vector2(1, 2)", "x", "float 1.0", "0.1", "Vector2(0.1, 2)"),
            ("godot-4", "{ \"a\": [Vector2i(1, 2)] }", "a[0].y", "int 2", "-3", "{ \"a\": [Vector2i(1, -3)] }"),
            (
                "godot-4",
                "PackedVector2Array(1, 2, 3, 4)",
                "[1]",
                "Vector2 Vector2(3, 4)",
                "Vector2(5, 6)",
                "PackedVector2Array(1, 2, 5, 6)",
            ),
            ("godot-4", "PackedByteArray(1, 2, 255)", "[2]", "int 255", "16", "PackedByteArray(1, 2, 16)"),
            (
                "godot-4",
                "Transform3D(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0)",
                "basis.x.y",
                "float 4.0",
                "0",
                "Transform3D(1, 2, 3, 0, 5, 6, 7, 8, 9, 0, 0, 0)",
            ),
            (
                "godot-4",
                "Basis(1, 2, 3, 4, 5, 6, 7, 8, 9)",
                "y",
                "Vector3 Vector3(2, 5, 8)",
                "Vector3(0, 1, 0)",
                "Basis(1, 0, 3, 4, 1, 6, 7, 0, 9)",
            ),
            (
                "godot-3",
                "Transform(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)",
                "basis",
                "Basis Basis(1, 0, 0, 0, 1, 0, 0, 0, 1)",
                "Basis(2, 0, 0, 0, 2, 0, 0, 0, 2)",
                "Transform(2, 0, 0, 0, 2, 0, 0, 0, 2, 5, 6, 7)",
            ),
            (
                "scrap-mechanic-lua",
                "{pos = sm.vec3.new(1, 2, 3)}",
                "pos.z",
                "Number 3",
                "4.5",
                "{pos = sm.vec3.new(1, 2, 4.5)}",
            ),
            (
                "roblox-attributes",
                "{a = Enum.Material.Grass}",
                "a.value",
                "Int 1280",
                "7",
                "{a = Enum.Material:FromValue(7)}",
            ),
            (
                "roblox-attributes",
                "{a = ColorSequence.new({ColorSequenceKeypoint.new(0, Color3.new(1, 0, 0))})}",
                "a[0].value.g",
                "Float 0",
                "0.5",
                "{a = ColorSequence.new({ColorSequenceKeypoint.new(0, Color3.new(1, 0.5, 0))})}",
            ),
            (
                "godot-4",
                "PackedStringArray(\"a\", \"b\")",
                "[1]",
                "String \"b\"",
                "\"c\"",
                "PackedStringArray(\"a\", \"c\")",
            ),
            (
                "godot-4",
                "PackedInt64Array(9007199254740993, 1)",
                "[0]",
                "int 9007199254740993",
                "-9007199254740995",
                "PackedInt64Array(-9007199254740995, 1)",
            ),
            ("godot-4", "PackedFloat64Array(0.1, 1)", "[1]", "float 1.0", "2", "PackedFloat64Array(0.1, 2)"),
            (
                "godot-4",
                "NodePath(\"/root/Player:position:x\")",
                "names[1]",
                "String \"Player\"",
                "\"Enemy\"",
                "NodePath(\"/root/Enemy:position:x\")",
            ),
        ] {
            assert_eq!(part(format, whole, path, new), Ok([found.to_owned(), after.to_owned()]), "{whole} {path}");
        }
    }

    /// Errors of paths to no part, of changes to no value of its type, and of values that do not fit.
    #[test]
    fn what_is_no_part_is_refused() {
        let no_value = |path: &str| format!("no value {path}");
        for (format, whole, path, new, reason) in [
            ("roblox-attributes", "{a = Vector3.new(1, 2, 3)}", "a.w", "1", no_value("a.w")),
            ("roblox-attributes", "{a = \"xyz\"}", "a.hex", "1", no_value("a.hex")),
            ("roblox-attributes", "{a = \"\\xff\"}", "a.hex", "1", no_value("a.hex")),
            ("roblox-attributes", "{a = \"\\xff\"}", "a[0]", "1", no_value("a[0]")),
            ("godot-4", "PackedInt32Array(1)", "[1]", "1", no_value("[1]")),
            ("godot-4", "PackedInt32Array(1)", "[-1]", "1", no_value("[-1]")),
            ("godot-4", "PackedInt32Array(1, 2)", "[01]", "1", no_value("[01]")),
            ("godot-4", "Basis(1, 0, 0, 0, 1, 0, 0, 0, 1)", "[0]", "1", no_value("[0]")),
            ("godot-4", "PackedByteArray(1)", "[0]", "256", "[0]: a byte is a whole number from 0 to 255".to_owned()),
            (
                "godot-4",
                "PackedInt32Array(1)",
                "[0]",
                "2147483648",
                "[0]: 2147483648 does not fit 32 bits, -2147483648 to 2147483647".to_owned(),
            ),
        ] {
            assert_eq!(part(format, whole, path, new), Err(reason), "{whole} {path}");
        }
    }
}

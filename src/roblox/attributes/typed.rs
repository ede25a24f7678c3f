//! Rust types in and out of attributes, through serde.

use std::borrow::Cow;

use nom::{Check, Complete, Emit, OutputM, Parser};
use serde::{Deserialize, Serialize};

use super::array::SMALLEST_VALUE;
use super::blob::{self, Attributes};
use super::dictionary::{gen_dictionary, SMALLEST_ENTRY};
use super::entry::Entry;
use super::options::{Nesting, Options};
use super::scalar::bool;
use super::string::{gen_string, string};
use super::value::{gen_value, type_id, value as value_parser, TypeId, Value};
use super::{decode_with, encode_with, inspect_with};
use crate::dynamic::reader::{CommonTypes, Reader};
use crate::error::{DecodeError, EncodeError};
use crate::json::Document;
use crate::limits::Limited;
use crate::member::typed::{give_members as typed_members, Typed};
use crate::member::{All, Member, Receiver};
use crate::number::to_usize;
use crate::roblox::datatypes::{Color3, Vector2, Vector3};
use crate::typed::look::{text, List as Made, Numbers, Rare, Record};
use crate::typed::{
    self, look_of, look_of_text, Build, BuildError, Container, Decoding, Encoded, Encoding, Leniency, Look, Neutral,
    ReadError, Row, Rules, Scalar, Writer,
};
use crate::wire::{
    float32, float64, gen_length, generate_into, read_part, too_deep_to_write, uint32, write_leaf, IntoByteString, Le,
    List, Packed, Traceback, ValueVec,
};

/// Reads a Rust type from attributes. See [`typed`](crate::typed).
///
/// ```
/// use enginewire::roblox::attributes::{self, Value};
///
/// #[derive(serde::Deserialize)]
/// struct Lamp<'a> {
///     name: &'a str,
///     on: bool,
/// }
///
/// let bytes = attributes::encode(&[("name", Value::from("Wall")), ("on", true.into())].into_iter().collect())?;
/// let lamp: Lamp = attributes::from_bytes(&bytes)?;
/// assert_eq!((lamp.name, lamp.on), ("Wall", true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`decode`](super::decode), and if the attributes have another form than the type.
pub fn from_bytes<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, DecodeError> {
    from_bytes_with(bytes, &Options::new(), Leniency::new())
}

/// Reads a Rust type from attributes, with these options and this leniency.
///
/// ```
/// use enginewire::roblox::attributes::{self, Options};
/// use enginewire::typed::Leniency;
///
/// let twice = attributes::encode(&[("a", 1.0), ("a", 2.0)].into_iter().collect())?;
/// let lenient = Leniency::new().last_duplicate(true);
/// let read: Vec<(String, u8)> = attributes::from_bytes_with::<std::collections::BTreeMap<_, _>>(&twice, &Options::new(), lenient)?
///     .into_iter()
///     .collect();
/// assert_eq!(read, [("a".to_owned(), 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`from_bytes`].
pub fn from_bytes_with<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    options: &Options,
    leniency: Leniency,
) -> Result<T, DecodeError> {
    let read = match leniency.takes_last_duplicate() {
        true => read(&root(decode_with(bytes, options)?), leniency),
        false => typed::read_bytes(bytes, *options, leniency),
    };
    read.map_err(|error| located(error, bytes, options))
}

/// Outermost is the blob, and what is in it is in one container more than the options count.
impl Decoding for Options {
    const RULES: Rules = RULES;

    #[cfg_attr(fast, inline(always))]
    fn head(self, depth: u16, input: &[u8]) -> Option<(&[u8], Look<'_>)> {
        if depth == 0 {
            return match input {
                [] => Some((input, Look::Map { count: 0, named: true })),
                _ => head_of_entries(input),
            };
        }
        let (rest, id) = type_id::<_, ()>(self.into()).parse_complete(input).ok()?;
        match self.scalar(id, rest)? {
            None => rare_head(self, depth, id, rest, input),
            scalar => scalar,
        }
    }

    #[inline]
    fn text(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], &[u8])>> {
        match input.split_first() {
            Some((id, rest)) if depth > 0 && *id == TypeId::String.id() => self.key(rest).map(Some),
            _ => Some(None),
        }
    }

    #[inline]
    fn key(self, input: &[u8]) -> Option<(&[u8], &[u8])> {
        let (rest, key) = string::<_, ()>().parse_complete(input).ok()?;
        Some((rest, key.as_borrowed().unwrap_or_default()))
    }

    fn type_name(self, depth: u16, input: &[u8]) -> Option<&'static str> {
        let id = match depth.checked_sub(1) {
            Some(_) => type_id::<_, ()>(self.into()).parse_complete(input).ok()?.1,
            None => TypeId::Dictionary,
        };
        Some(id.name())
    }

    fn is_unit(self, _: u16, _: &[u8]) -> Option<bool> {
        Some(false)
    }

    fn skip(self, depth: u16, input: &[u8]) -> Option<&[u8]> {
        let nesting = Nesting::from(self);
        let skipped = match depth.checked_sub(1) {
            Some(levels) => value_parser::<_, Traceback<&[u8]>>(nesting.inside(levels)?).process::<Checking>(input),
            None => blob::attributes::<_, Traceback<&[u8]>>(nesting).process::<Checking>(input),
        };
        skipped.ok().map(|(rest, ())| rest)
    }

    fn exact(self, depth: u16, value: &[u8]) -> Option<Cow<'_, [u8]>> {
        let entries = if value.is_empty() { &NO_ENTRIES } else { value };
        Some(match depth {
            0 => [&[TypeId::Dictionary.id()], entries].concat().into(),
            _ => value.into(),
        })
    }

    fn allows_trailing(self) -> bool {
        self.allows_trailing_bytes()
    }
}

impl Options {
    /// Reads a value of a common type, without a `Value`. `Some(None)` if it has another type.
    #[cfg_attr(fast, inline(always))]
    fn scalar(self, id: TypeId, input: &[u8]) -> Option<Option<(&[u8], Look<'_>)>> {
        let read = match id {
            TypeId::Bool => look_of(bool::<_, ()>(), input, Look::Bool),
            TypeId::Float => look_of(float32::<Le, _, ()>(), input, Look::Single),
            TypeId::Double => look_of(float64::<Le, _, ()>(), input, Look::Double),
            TypeId::String => self.key(input).and_then(|(rest, text)| Some((rest, look_of_text(text, true)?))),
            _ => return Some(None),
        };
        read.map(Some)
    }
}

impl CommonTypes for Options {
    type Value<'i> = Value<'i>;

    fn common(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], Look<'_>)>> {
        match (depth, input) {
            (0, []) => return Some(Some((input, Look::Map { count: 0, named: true }))),
            (0, _) => return head_of_entries(input).map(Some),
            _ => {}
        }
        let (rest, id) = type_id::<_, ()>(self.into()).parse_complete(input).ok()?;
        self.scalar(id, rest)
    }

    fn value(self, depth: u16, input: &[u8]) -> Option<(&[u8], Value<'_>)> {
        read_part(input, value_parser(Nesting::from(self).inside(depth.checked_sub(1)?)?))
    }

    fn name(look: &Look<'_>) -> &'static str {
        let id = match look {
            Look::Bool(_) => TypeId::Bool,
            Look::Single(_) => TypeId::Float,
            Look::Double(_) => TypeId::Double,
            _ => TypeId::String,
        };
        id.name()
    }

    fn give_members(self, value: &Value<'_>, to: &mut dyn Receiver) {
        typed_members(value, to);
    }

    fn give_document(self, reader: &Reader<'_, Self>, to: &mut dyn Receiver) {
        to.structure("Form", 2);
        to.member("format", &Attributes::FORMAT);
        to.member("entries", &All(|to: &mut dyn Receiver| reader.bare(to)));
        to.end();
    }
}

/// Reads a value of a rarer type, of a container its head. What follows its type is `rest`.
#[inline(never)]
fn rare_head<'i>(
    options: Options,
    depth: u16,
    id: TypeId,
    rest: &'i [u8],
    input: &'i [u8],
) -> Option<(&'i [u8], Look<'i>)> {
    let nesting = Nesting::from(options).inside(depth.checked_sub(1)?)?;
    match id {
        TypeId::Array => {
            nesting.deeper()?;
            let (rest, count) = count(rest, SMALLEST_VALUE)?;
            Some((rest, Look::Seq(count, None)))
        }
        TypeId::Dictionary => {
            nesting.deeper()?;
            head_of_entries(rest)
        }
        _ => look_of(value_parser::<_, Traceback<&[u8]>>(nesting), input, |value| typed::Value::look(&value)),
    }
}

/// Reads a value for what is wrong with it alone.
type Checking = OutputM<Check, Emit, Complete>;

/// The head of a dictionary.
#[inline]
fn head_of_entries(input: &[u8]) -> Option<(&[u8], Look<'_>)> {
    let (rest, count) = count(input, SMALLEST_ENTRY)?;
    Some((rest, Look::Map { count, named: true }))
}

/// Reads how many items of at least `smallest` bytes follow.
#[inline]
fn count(input: &[u8], smallest: usize) -> Option<(&[u8], usize)> {
    let (rest, count) = uint32::<Le, _, ()>().parse_complete(input).ok()?;
    let count = to_usize(count);
    (count.checked_mul(smallest)? <= rest.len()).then_some((rest, count))
}

/// The dictionary that attributes are.
fn root(mut attributes: Attributes<'_>) -> Value<'_> {
    Value::Dictionary(std::mem::take(attributes.entries_mut()).into())
}

fn read<'a, T: Deserialize<'a>>(root: &Value<'a>, leniency: Leniency) -> Result<T, ReadError> {
    typed::read_value(root, leniency)
}

#[cold]
fn located(error: ReadError, bytes: &[u8], options: &Options) -> DecodeError {
    error.locate(&[], || inspect_with(bytes, options), || decode_with(bytes, options).err())
}

/// Reads a Rust type from attributes in memory. Text that the type borrows must be borrowed by the attributes.
///
/// ```
/// use enginewire::roblox::attributes::{self, Attributes};
/// use std::collections::BTreeMap;
///
/// let attributes: Attributes = [("a", 1.0)].into_iter().collect();
/// assert_eq!(attributes::from_value::<BTreeMap<&str, u8>>(attributes)?, [("a", 1)].into());
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If they have another form than the type. The offset counts from the start of what `encode` writes for them.
pub fn from_value<'a, T: Deserialize<'a>>(attributes: Attributes<'a>) -> Result<T, DecodeError> {
    from_value_with(attributes, Leniency::new())
}

/// Reads a Rust type from attributes in memory, with this leniency.
///
/// ```
/// use enginewire::roblox::attributes::{self, Attributes};
/// use enginewire::typed::Leniency;
///
/// #[derive(serde::Deserialize)]
/// struct Torch {
///     fuel: u8,
/// }
///
/// let twice: Attributes = [("fuel", 1.0), ("fuel", 2.0)].into_iter().collect();
/// assert!(attributes::from_value::<Torch>(twice.clone()).is_err());
/// assert_eq!(attributes::from_value_with::<Torch>(twice, Leniency::new().last_duplicate(true))?.fuel, 2);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_value`].
pub fn from_value_with<'a, T: Deserialize<'a>>(
    attributes: Attributes<'a>,
    leniency: Leniency,
) -> Result<T, DecodeError> {
    let root = root(attributes);
    read(&root, leniency).map_err(|error| {
        let options = Options::new().refs(true);
        let attributes = match root {
            Value::Dictionary(entries) => entries.into_iter().collect(),
            _ => Attributes::new(),
        };
        located(error, &encode_with(&attributes, &options).unwrap_or_default(), &options)
    })
}

/// Writes a Rust type as attributes. It must be a structure or a map.
///
/// ```
/// use enginewire::roblox::attributes::{self, Value};
/// use std::collections::BTreeMap;
///
/// let bytes = attributes::to_bytes(&BTreeMap::from([("Fuel", 7)]))?;
/// assert_eq!(attributes::decode(&bytes)?.get("Fuel"), Some(&Value::Double(7.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If attributes have no such value: null in a list, an integer that is between two numbers of 64 bits.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, EncodeError> {
    to_bytes_with(value, &Options::new())
}

/// Writes a Rust type as attributes, with these options.
///
/// ```
/// use enginewire::roblox::attributes::{self, Empty, Options};
/// use std::collections::BTreeMap;
///
/// let none = BTreeMap::<&str, bool>::new();
/// assert_eq!(attributes::to_bytes_with(&none, &Options::new().empty(Empty::ZeroLength))?, [0, 0, 0, 0]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_bytes_with<T: Serialize + ?Sized>(value: &T, options: &Options) -> Result<Vec<u8>, EncodeError> {
    write(*options, |writer| value.serialize(writer))
}

/// The output of `write` as attributes.
pub(super) fn write(
    options: Options,
    write: impl FnOnce(Writer<'_, Encoded<Options>>) -> Result<bool, BuildError>,
) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = typed::write(options, write)?;
    if bytes == NO_ENTRIES && !options.writes_zero_length() {
        bytes.clear();
    }
    Ok(bytes)
}

/// A dictionary of length 0.
const NO_ENTRIES: [u8; 4] = [0; 4];

/// Makes attributes of a Rust type. It must be a structure or a map.
///
/// ```
/// use enginewire::roblox::attributes::{self, Value};
/// use std::collections::BTreeMap;
///
/// let attributes = attributes::to_value(&BTreeMap::from([("On", true)]))?;
/// assert_eq!(attributes.get("On"), Some(&Value::Bool(true)));
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Attributes<'static>, EncodeError> {
    match typed::build(|writer| value.serialize(writer))? {
        Value::Dictionary(entries) => Ok(entries.into_iter().collect()),
        other => Err(no_attributes(&other)),
    }
}

#[cold]
fn no_attributes(value: &Value<'_>) -> EncodeError {
    let found = value.type_id().name();
    BuildError::new(format!("attributes are a structure or a map, not a value of the type {found}")).into()
}

impl Encoding for Options {
    type Value<'v> = Value<'v>;

    const EMPTY_COUNT: usize = 4;

    /// The outermost dictionary is not a value: it has no type.
    fn write(self, value: &Value<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let nesting = Nesting::from(self);
        match (depth.checked_sub(1), value) {
            (Some(levels), value) => {
                let nesting = nesting.inside(levels).ok_or_else(|| too_deep_to_write(self))?;
                generate_into(gen_value(nesting, value), bytes)
            }
            (None, Value::Dictionary(entries)) => generate_into(gen_dictionary(nesting, entries), bytes),
            (None, other) => Err(no_attributes(other)),
        }
    }

    #[inline]
    fn write_scalar(self, scalar: Scalar<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        if depth == 0 {
            return self.write(&typed::value_of(scalar)?, depth, bytes);
        }
        match scalar {
            Scalar::Bool(value) => write_leaf(TypeId::Bool.id(), &value, self, bytes),
            Scalar::Int(number) => write_leaf(TypeId::Double.id(), &Value::exact_double(number)?, self, bytes),
            Scalar::Single(number) => write_leaf(TypeId::Float.id(), &number, self, bytes),
            Scalar::Double(number) => write_leaf(TypeId::Double.id(), &number, self, bytes),
            Scalar::Text(text) => write_leaf(TypeId::String.id(), &text.into_byte_string(), self, bytes),
            Scalar::Bytes(value) => write_leaf(TypeId::String.id(), &value.into_byte_string(), self, bytes),
        }
    }

    fn write_empty(self, container: Container, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let empty = match container {
            Container::Seq => Value::Array(ValueVec::new()),
            Container::Map => Value::Dictionary(ValueVec::new()),
        };
        self.write(&empty, depth, bytes)
    }

    #[inline]
    fn write_key(self, key: &str, _: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_string(key.as_ref()), bytes)
    }

    fn write_count(self, count: usize, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_length::<Le, _>(count), bytes)
    }
}

const RULES: Rules = Rules {
    exact: "$enginewire::roblox::attributes::Value",
    whole: true,
    text_keys: true,
    tables: true,
    empty_unit: true,
    structures: false,
};

/// All values, as a field holds them that is a value.
fn any_value() -> Nesting {
    Options::new().refs(true).into()
}

/// A list of structures.
fn list<'de, T: Packed + Member>(list: &List<'de, T>) -> Look<'de> {
    let list = list.clone();
    Look::Rare(Rare::List(Made {
        length: list.len(),
        item: Box::new(move |index| list.get(index).map(|item| Neutral::of_member(&item))),
    }))
}

fn record<'de>(names: &'static [&'static str], numbers: [f32; 4]) -> Look<'de> {
    Look::Record(Record { names, numbers: Numbers::Single(numbers) })
}

impl<'de> typed::Value<'de> for Value<'de> {
    const RULES: Rules = RULES;

    fn type_name(&self) -> &'static str {
        self.type_id().name()
    }

    fn is_unit(&self) -> bool {
        false
    }

    fn look_of_leaf(&self) -> Look<'de> {
        match self {
            Value::String(content) => Look::Rare(Rare::Text(text(content))),
            Value::Bool(value) => Look::Bool(*value),
            Value::Int(number) | Value::Ref(number) => Look::Int((*number).into()),
            Value::Float(number) => Look::Single(*number),
            Value::Double(number) => Look::Double(*number),
            Value::NumberSequence(keypoints) => list(keypoints),
            Value::ColorSequence(keypoints) => list(keypoints),
            Value::Vector2(value) => record(&["x", "y"], [value.x, value.y, 0.0, 0.0]),
            Value::Vector3(value) => record(&["x", "y", "z"], [value.x, value.y, value.z, 0.0]),
            Value::Color3(value) => record(&["r", "g", "b"], [value.r, value.g, value.b, 0.0]),
            leaf => Look::Rare(Rare::Neutral(Neutral::of_member(leaf.bare()))),
        }
    }

    fn to_exact(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        generate_into(gen_value(any_value(), self), &mut bytes).ok()?;
        Some(bytes)
    }
}

impl Build for Value<'static> {
    const RULES: Rules = RULES;
    const FORMAT: &'static str = "the format of attributes";

    fn none() -> Option<Self> {
        None
    }

    fn unit() -> Self {
        Value::Array(ValueVec::new())
    }

    fn bool(value: bool) -> Self {
        Value::Bool(value)
    }

    fn int(number: i64) -> Result<Self, BuildError> {
        Self::exact_double(number).map(Value::Double)
    }

    fn single(number: f32) -> Self {
        Value::Float(number)
    }

    fn double(number: f64) -> Self {
        Value::Double(number)
    }

    fn text(text: Cow<'static, str>) -> Self {
        Value::String(text.into())
    }

    fn bytes(bytes: Vec<u8>) -> Self {
        Value::String(bytes.into_byte_string())
    }

    fn seq(items: Vec<Self>) -> Self {
        Value::Array(items.into())
    }

    fn map(entries: Vec<(Self, Self)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| match key {
            Value::String(key) => Entry { key, value },
            // all keys are text
            _ => Entry::new("", value),
        });
        Value::Dictionary(entries.collect())
    }

    fn of_row(name: &str, row: &Row) -> Option<Self> {
        match name {
            "Vector2" => row.singles(["x", "y"]).map(|[x, y, ..]| Vector2 { x, y }.into()),
            "Vector3" => row.singles(["x", "y", "z"]).map(|[x, y, z, _]| Vector3 { x, y, z }.into()),
            "Color3" => row.singles(["r", "g", "b"]).map(|[r, g, b, _]| Color3 { r, g, b }.into()),
            _ => None,
        }
    }

    fn of_type(name: &str, plain: Neutral<'static>) -> Result<Option<Self>, BuildError> {
        let id = TypeId::ALL.iter().find(|id| id.name() == name).copied().ok_or_else(|| Self::no_type(name))?;
        match id {
            TypeId::Array | TypeId::Dictionary => plain.build(),
            id => {
                let value = plain.take(|given| Value::take_of(id, given));
                value.map(Some).map_err(|error| BuildError::new(format!("as a {name}: {error}")))
            }
        }
    }

    fn of_exact(bytes: &[u8]) -> Option<Self> {
        match value_parser::<_, ()>(any_value()).parse_complete(bytes) {
            Ok((&[], value)) => Some(value.into_owned()),
            _ => None,
        }
    }
}

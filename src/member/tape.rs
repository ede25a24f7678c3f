//! The output of any reader, as one list. Values are made from it, so no reader is compiled for their types.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::Deserializer;

use super::given::{Given, Mismatch, Place};
use super::{serialize_by_give, Give, Receiver, Scalar, Shape};
use crate::stack::growing;

/// A part of a given value. Containers have the place after their last part, and [`OPEN`] while they are being read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event<'t> {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
    Text(&'t str),
    /// The number of a text that is nowhere else.
    Owned(usize),
    /// The number of some bytes.
    Bytes(usize),
    List(usize),
    /// Names and values in turn.
    Map(usize),
}

/// The end of a container that is being read.
const OPEN: usize = usize::MAX;

/// The output of a reader: a value and all values in it, each before those in it.
///
/// A program that has a document in a form of its own gives its parts one after another, without making text of them:
///
/// ```
/// use enginewire::json::{self, Input, Scalar, Tape};
/// use enginewire::roblox::attributes::Value;
///
/// let mut tape = Tape::with_capacity(6);
/// let at = tape.open(true);
/// for part in [Scalar::Text("type"), Scalar::Text("Int"), Scalar::Text("value"), Scalar::I64(7)] {
///     tape.scalar(part);
/// }
/// tape.close(at);
/// assert_eq!(json::read_member::<Value<'_>>(Input::Tape(&tape), 16)?, Value::Int(7));
/// # Ok::<(), enginewire::TextError>(())
/// ```
#[derive(Debug)]
pub struct Tape<'t> {
    pub(super) events: Vec<Event<'t>>,
    pub(super) owned: Vec<String>,
    pub(super) bytes: Vec<Cow<'t, [u8]>>,
    /// True for a text format, where numbers and bytes have other forms.
    pub(super) is_text: bool,
    /// The number of containers being read, its limit, and the most that it was.
    levels: usize,
    limit: Option<usize>,
    pub(crate) deepest: usize,
    /// True if the part requested last has begun.
    has_begun: bool,
    /// The error that another run found.
    found: Option<Mismatch>,
}

/// The value on the tape, with the types that its parts have.
impl Give for Tape<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        self.given().give(to);
    }
}

serialize_by_give!([] Tape<'_>);

/// A step from a container to a value in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Item(usize),
    Name(String),
}

/// A path of such steps: `entries[0].value`.
pub(super) fn path(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |mut path, step| {
        match step {
            Step::Item(index) => path.push_str(&format!("[{index}]")),
            Step::Name(name) => {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(name);
            }
        }
        path
    })
}

impl<'t> Tape<'t> {
    /// Everything that a reader gives for a value of this shape.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) fn read<D: Deserializer<'t>>(&mut self, shape: Shape, reader: D) -> Result<(), D::Error> {
        self.is_text = reader.is_human_readable();
        let shape = if self.is_text { Shape::Any } else { shape };
        Seed(self, shape).deserialize(reader)
    }

    /// A tape for about this number of parts of a document. They have the forms that they have in JSON text, except that the value of
    /// `{"hex": …}` may be the bytes themselves.
    #[must_use]
    pub fn with_capacity(parts: usize) -> Self {
        Tape { is_text: true, events: Vec::with_capacity(parts), ..Tape::new() }
    }

    /// A tape for any reader. [`read`](Self::read) sets `is_text` to that of the reader.
    pub(crate) fn new() -> Self {
        let (events, owned, bytes) = (Vec::new(), Vec::new(), Vec::new());
        Tape { events, owned, bytes, is_text: false, levels: 0, limit: None, deepest: 0, has_begun: false, found: None }
    }

    /// The next part: an item of a list, a name or a value of an object.
    #[inline(always)] // it is given what it matches
    pub fn scalar(&mut self, scalar: Scalar<'t>) {
        self.events.push(match scalar {
            Scalar::Unit | Scalar::None => Event::Null,
            Scalar::Bool(value) => Event::Bool(value),
            Scalar::U8(number) => Event::Unsigned(number.into()),
            Scalar::U16(number) => Event::Unsigned(number.into()),
            Scalar::U32(number) => Event::Unsigned(number.into()),
            Scalar::U64(number) => Event::Unsigned(number),
            Scalar::I8(number) => Event::Signed(number.into()),
            Scalar::I16(number) => Event::Signed(number.into()),
            Scalar::I32(number) => Event::Signed(number.into()),
            Scalar::I64(number) => Event::Signed(number),
            Scalar::F32(number) => Event::Single(number),
            Scalar::F64(number) => Event::Double(number),
            Scalar::Text(text) | Scalar::Name(_, _, text) => Event::Text(text),
            Scalar::Bytes(bytes) => {
                self.bytes.push(Cow::Borrowed(bytes));
                Event::Bytes(self.bytes.len().saturating_sub(1))
            }
        });
    }

    /// A list, or an object of names and values in turn, begins. Returns its place.
    pub fn open(&mut self, is_object: bool) -> usize {
        self.levels = self.levels.saturating_add(1);
        self.deepest = self.deepest.max(self.levels);
        self.events.push(if is_object { Event::Map(OPEN) } else { Event::List(OPEN) });
        self.events.len().saturating_sub(1)
    }

    /// The list or object at a place ends. One that is not ended has all parts after it.
    pub fn close(&mut self, at: usize) {
        self.levels = self.levels.saturating_sub(1);
        let behind = self.events.len();
        if let Some(Event::List(end) | Event::Map(end)) = self.events.get_mut(at) {
            *end = behind;
        }
    }

    /// The document as a value of `serde_json`.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        self.given().to_value()
    }

    /// A tape with containers at most `levels` deep.
    pub(crate) fn within(levels: usize) -> Self {
        Tape { limit: Some(levels), ..Tape::new() }
    }

    /// A tape for a second run, which fails at `mismatch`, so that the reader adds its position.
    pub(crate) fn find(mismatch: Mismatch) -> Self {
        Tape { found: Some(mismatch), ..Tape::new() }
    }

    /// The value that was read.
    pub(crate) fn given(&self) -> Given<'_> {
        Given::new(self, 0)
    }

    /// The path to where reading failed.
    pub(crate) fn failed_path(&self) -> String {
        path(&self.steps_to(self.events.len()))
    }

    /// The place after the event at `at` and all within it.
    #[inline]
    pub(super) fn behind(&self, at: usize) -> usize {
        match self.events.get(at) {
            Some(Event::List(end) | Event::Map(end)) => *end,
            _ => at.saturating_add(1),
        }
    }

    /// The text of an event, if it is text.
    #[inline]
    pub(super) fn text(&self, event: Event<'t>) -> Option<&str> {
        match event {
            Event::Text(text) => Some(text),
            Event::Owned(number) => self.owned.get(number).map(String::as_str),
            _ => None,
        }
    }

    /// The bytes of an event, if it is text or bytes.
    pub(super) fn bytes(&self, event: Event<'t>) -> Option<&[u8]> {
        match event {
            Event::Bytes(number) => self.bytes.get(number).map(|bytes| &**bytes),
            event => self.text(event).map(str::as_bytes),
        }
    }

    /// The steps to the event at `place`, or to the next one.
    pub(super) fn steps_to(&self, place: usize) -> Vec<Step> {
        let (mut steps, mut at) = (Vec::new(), 0);
        while at < place && self.behind(at) > place {
            let is_map = matches!(self.events.get(at), Some(Event::Map(_)));
            let (mut index, mut part) = (0usize, at.saturating_add(1));
            let mut name = part;
            while self.behind(part) <= place {
                (index, part) = (index.saturating_add(1), self.behind(part));
                // names and values alternate
                name = if index % 2 == 0 { part } else { name };
            }
            let is_read = part < self.events.len() || self.has_begun;
            steps.push(match self.events.get(name) {
                Some(name) if is_map => Step::Name(self.name(*name)),
                None if is_map => break,
                _ if is_read => Step::Item(index),
                _ => break,
            });
            at = part;
        }
        steps
    }

    fn name(&self, event: Event<'t>) -> String {
        self.bytes(event).map_or_else(|| "?".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Fails where another run found the error.
    #[inline]
    fn find_at<E: serde::de::Error>(&self, place: Place, at: usize) -> Result<(), E> {
        match &self.found {
            Some(found) if found.is(place, at) => Err(found.error(self)),
            _ => Ok(()),
        }
    }

    #[inline]
    fn push<E: serde::de::Error>(&mut self, event: Event<'t>) -> Result<(), E> {
        self.events.push(event);
        self.find_at(Place::At, self.events.len().saturating_sub(1))
    }

    fn push_owned<E: serde::de::Error>(&mut self, text: String) -> Result<(), E> {
        self.owned.push(text);
        self.push(Event::Owned(self.owned.len().saturating_sub(1)))
    }

    fn push_bytes<E: serde::de::Error>(&mut self, bytes: Cow<'t, [u8]>) -> Result<(), E> {
        self.bytes.push(bytes);
        self.push(Event::Bytes(self.bytes.len().saturating_sub(1)))
    }

    fn begin<E: serde::de::Error>(&mut self, is_object: bool) -> Result<usize, E> {
        if self.limit.is_some_and(|limit| self.levels >= limit) {
            return Err(E::custom("objects and lists are nested too deeply"));
        }
        // most structures have fewer parts
        if self.events.is_empty() {
            self.events.reserve(8);
        }
        let at = self.open(is_object);
        self.find_at(Place::At, at)?;
        Ok(at)
    }

    fn end<E: serde::de::Error>(&mut self, at: usize) -> Result<(), E> {
        self.close(at);
        self.find_at(Place::Behind, at)
    }
}

/// Reads one value onto the tape.
struct Seed<'s, 't>(&'s mut Tape<'t>, Shape);

impl<'t> DeserializeSeed<'t> for Seed<'_, 't> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, reader: D) -> Result<(), D::Error> {
        self.0.has_begun = true;
        self.0.find_at(Place::Before, self.0.events.len())?;
        match self.1 {
            Shape::Bool => reader.deserialize_bool(self),
            Shape::U8 => reader.deserialize_u8(self),
            Shape::U16 => reader.deserialize_u16(self),
            Shape::U32 => reader.deserialize_u32(self),
            Shape::I8 => reader.deserialize_i8(self),
            Shape::I16 => reader.deserialize_i16(self),
            Shape::I32 => reader.deserialize_i32(self),
            Shape::F32 => reader.deserialize_f32(self),
            Shape::F64 => reader.deserialize_f64(self),
            Shape::List(_) => reader.deserialize_seq(self),
            Shape::Tuple(length, _) => reader.deserialize_tuple(length, self),
            // by this name, `typed` gives fields in order, without their names
            Shape::Structure(_, names, _) => reader.deserialize_struct("$enginewire", names, self),
            Shape::Choice(names, _) | Shape::Name(names) => reader.deserialize_enum("$enginewire", names, self),
            // text has other forms of numbers of 64 bits, bytes and reals
            _ => reader.deserialize_any(self),
        }
    }
}

impl<'t> Seed<'_, 't> {
    fn again(&mut self, shape: Shape) -> Seed<'_, 't> {
        Seed(self.0, shape)
    }

    /// The shape of the part at this index.
    fn inner(&self, index: usize) -> Shape {
        match self.1 {
            Shape::List(shape) | Shape::Tuple(_, shape) => *shape,
            Shape::Structure(_, _, shapes) | Shape::Choice(_, shapes) => {
                shapes.get(index).copied().unwrap_or(Shape::Any)
            }
            _ => Shape::Any,
        }
    }

    /// The shape of the part with the name that was read last.
    #[inline]
    fn named(&self) -> Shape {
        let (Shape::Structure(_, names, _) | Shape::Choice(names, _)) = self.1 else { return Shape::Any };
        let Some(event) = self.0.events.last() else { return Shape::Any };
        let place = match event {
            Event::Unsigned(number) => usize::try_from(*number).ok(),
            event => self.0.text(*event).and_then(|name| names.iter().position(|known| *known == name)),
        };
        place.map_or(Shape::Any, |place| self.inner(place))
    }

    fn items<A: SeqAccess<'t>>(mut self, mut items: A) -> Result<(), A::Error> {
        let at = self.0.begin(false)?;
        for index in 0usize.. {
            let shape = self.inner(index);
            self.0.has_begun = false;
            if items.next_element_seed(self.again(shape))?.is_none() {
                break;
            }
        }
        self.0.end(at)
    }

    fn members<A: MapAccess<'t>>(mut self, mut members: A) -> Result<(), A::Error> {
        let at = self.0.begin(true)?;
        while members.next_key_seed(self.again(Shape::Any))?.is_some() {
            let shape = self.named();
            members.next_value_seed(self.again(shape))?;
        }
        self.0.end(at)
    }
}

impl<'t> Visitor<'t> for Seed<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.1 {
            Shape::Bool => "a boolean",
            Shape::List(_) | Shape::Tuple(..) => "a list",
            Shape::Structure(..) => "a structure",
            Shape::Choice(..) | Shape::Name(_) => "a choice",
            Shape::Any | Shape::Form(_) | Shape::Null | Shape::Option(_) | Shape::Text | Shape::Reals(..) => {
                "any value"
            }
            // types of Rust
            Shape::U8 => "u8",
            Shape::U16 => "u16",
            Shape::U32 => "u32",
            Shape::U64 => "u64",
            Shape::I8 => "i8",
            Shape::I16 => "i16",
            Shape::I32 => "i32",
            Shape::I64 => "i64",
            Shape::F32 => "f32",
            Shape::F64 => "f64",
        })
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.0.push(Event::Null)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.0.push(Event::Null)
    }

    fn visit_some<D: Deserializer<'t>>(self, reader: D) -> Result<(), D::Error> {
        self.deserialize(reader)
    }

    fn visit_newtype_struct<D: Deserializer<'t>>(self, reader: D) -> Result<(), D::Error> {
        self.deserialize(reader)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.0.push(Event::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.0.push(Event::Signed(number))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.0.push(Event::Unsigned(number))
    }

    fn visit_f32<E: serde::de::Error>(self, number: f32) -> Result<(), E> {
        self.0.push(Event::Single(number))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        self.0.push(Event::Double(number))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.0.push_owned(text.to_owned())
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'t str) -> Result<(), E> {
        self.0.push(Event::Text(text))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<(), E> {
        self.0.push_owned(text)
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<(), E> {
        self.0.push_bytes(bytes.to_vec().into())
    }

    fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'t [u8]) -> Result<(), E> {
        self.0.push_bytes(bytes.into())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, items: A) -> Result<(), A::Error> {
        // values may nest deeper than the stack of the thread allows
        growing(|| self.items(items))
    }

    fn visit_map<A: MapAccess<'t>>(self, members: A) -> Result<(), A::Error> {
        growing(|| self.members(members))
    }

    fn visit_enum<A: EnumAccess<'t>>(mut self, variant: A) -> Result<(), A::Error> {
        if let Shape::Name(_) = self.1 {
            let ((), content) = variant.variant_seed(Identifier(self.again(Shape::Any)))?;
            return content.unit_variant();
        }
        let at = self.0.begin(true)?;
        let ((), content) = variant.variant_seed(Identifier(self.again(Shape::Any)))?;
        let shape = self.named();
        content.newtype_variant_seed(self.again(shape))?;
        self.0.end(at)
    }
}

/// Reads the name of a variant.
struct Identifier<'s, 't>(Seed<'s, 't>);

impl<'t> DeserializeSeed<'t> for Identifier<'_, 't> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_identifier(self.0)
    }
}

//! A value as a reader gave it. Values of the crate are made from it.

use std::fmt::Display;

use serde::de::Unexpected;
use serde_json::{Map, Value};

use super::tape::{path, Event, Tape};
use super::{Give, Member, Receiver, Scalar};
use crate::error::{does_not_fit, named_form};
use crate::stack::growing;
use crate::suggest::advice;

/// The reason why a value cannot be made from a given one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    at: usize,
    place: Place,
    /// True if the object around it is at fault.
    is_around: bool,
    kind: Kind,
}

/// The position of a reader when it finds the error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Before,
    /// After a name or number, or where a list or object begins.
    At,
    Behind,
}

/// A kind of error, as in serde.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Custom(String),
    Type(String),
    Value(String),
    /// A number, the type of Rust that cannot hold it, and the name of the type in the format.
    Unfit(String, &'static str, String),
    Length(usize, String),
    Missing(&'static str),
    Unknown(String, &'static [&'static str]),
    Variant(String, &'static [&'static str]),
    Duplicate(&'static str),
}

impl Mismatch {
    /// True if a reader finds the error here, at the event with this number.
    pub(super) fn is(&self, place: Place, at: usize) -> bool {
        (self.0.place, self.0.at) == (place, at)
    }

    /// The mismatch as an error of the reader of a tape.
    #[cold]
    pub(crate) fn error<E: serde::de::Error>(&self, tape: &Tape<'_>) -> E {
        let found = || Given::new(tape, self.0.at).unexpected();
        match &self.0.kind {
            Kind::Custom(message) => E::custom(message),
            Kind::Type(expected) => E::invalid_type(found(), &expected.as_str()),
            Kind::Value(expected) => E::invalid_value(found(), &expected.as_str()),
            Kind::Unfit(number, of, name) => E::custom(does_not_fit(number, name, of)),
            Kind::Length(length, expected) => E::invalid_length(*length, &expected.as_str()),
            Kind::Missing(name) => E::missing_field(name),
            Kind::Unknown(name, names) => E::unknown_field(name, names),
            Kind::Variant(name, names) => E::custom(format_args!("unknown name {name} ({})", advice(name, names))),
            Kind::Duplicate(name) => E::duplicate_field(name),
        }
    }

    /// The path to the error.
    pub(crate) fn path(&self, tape: &Tape<'_>) -> String {
        let mut steps = tape.steps_to(self.0.at);
        if self.0.is_around {
            steps.pop();
        }
        path(&steps)
    }

    /// The same error of a value of the type with this name.
    #[cold]
    pub(crate) fn of(mut self, given: Given<'_>, type_name: &str) -> Self {
        match &mut self.0.kind {
            _ if self.0.at != given.at => {}
            Kind::Unfit(_, _, name) => type_name.clone_into(name),
            Kind::Type(form) if ["an object", "a list"].iter().any(|start| form.starts_with(start)) => {
                *form = named_form(type_name, form);
            }
            _ => {}
        }
        self
    }

    /// The same error, in the object around it.
    #[cold]
    pub(crate) fn around(mut self) -> Self {
        self.0.is_around = true;
        self
    }
}

/// A value as a reader gave it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'t> {
    tape: &'t Tape<'t>,
    at: usize,
    /// True if reals are to have 64 bits, where a type has a form of each width.
    is_double: bool,
}

/// A value by what it holds.
pub(crate) enum Contents<'t> {
    Scalar(Scalar<'t>),
    List(Items<'t>),
    Map(Members<'t>),
}

/// The value with the types that its parts have.
impl Give for Given<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        match self.contents() {
            Contents::Scalar(scalar) => to.scalar(scalar),
            Contents::List(items) => growing(|| {
                to.list(items.clone().count());
                items.for_each(|item| to.item(&item));
                to.end();
            }),
            Contents::Map(members) => growing(|| {
                to.map(None);
                members.for_each(|(name, value)| to.entry(name.as_text().unwrap_or_default(), &value));
                to.end();
            }),
        }
    }
}

impl<'t> Given<'t> {
    pub(super) fn new(tape: &'t Tape<'t>, at: usize) -> Self {
        Given { tape, at, is_double: false }
    }

    #[inline]
    fn event(self) -> Event<'t> {
        self.tape.events.get(self.at).copied().unwrap_or(Event::Null)
    }

    /// The value with the types that its parts have.
    pub(crate) fn contents(self) -> Contents<'t> {
        Contents::Scalar(match self.event() {
            Event::Null => Scalar::None,
            Event::Bool(value) => Scalar::Bool(value),
            Event::Signed(number) => Scalar::I64(number),
            Event::Unsigned(number) => Scalar::U64(number),
            Event::Single(number) => Scalar::F32(number),
            Event::Double(number) => Scalar::F64(number),
            Event::Text(_) | Event::Owned(_) => Scalar::Text(self.as_text().unwrap_or_default()),
            Event::Bytes(_) => Scalar::Bytes(self.as_bytes().unwrap_or_default()),
            Event::List(end) => return Contents::List(self.within(end)),
            Event::Map(end) => return Contents::Map(Members(self.within(end))),
        })
    }

    /// True for a text format, where numbers and bytes have other forms.
    pub(crate) fn is_text(self) -> bool {
        self.tape.is_text
    }

    #[cold]
    fn wrong(self, place: Place, kind: Kind) -> Mismatch {
        Mismatch(Box::new(Inner { at: self.at, place, is_around: false, kind }))
    }

    /// An error with this message.
    #[cold]
    pub(crate) fn custom(self, message: impl Display) -> Mismatch {
        let place = if self.is_list() || self.is_map() { Place::Behind } else { Place::At };
        self.wrong(place, Kind::Custom(message.to_string()))
    }

    /// The same, found before the value is read.
    #[cold]
    pub(crate) fn refused(self, message: impl Display) -> Mismatch {
        self.wrong(Place::Before, Kind::Custom(message.to_string()))
    }

    #[cold]
    pub(crate) fn missing(self, name: &'static str) -> Mismatch {
        self.wrong(Place::Behind, Kind::Missing(name))
    }

    /// It has another type.
    #[cold]
    pub(crate) fn invalid_type(self, expected: &str) -> Mismatch {
        self.wrong(Place::At, Kind::Type(expected.to_owned()))
    }

    /// It has the right type, but an invalid value.
    #[cold]
    pub(crate) fn invalid_value(self, expected: &str) -> Mismatch {
        self.wrong(Place::At, Kind::Value(expected.to_owned()))
    }

    /// This type of Rust cannot hold it, or it is something else than expected.
    #[cold]
    pub(crate) fn unfit(self, of: &'static str, expected: &str) -> Mismatch {
        let is_whole = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        let is_integer = |text: &str| of.starts_with(['i', 'u']) && is_whole(text);
        let is_number = self.number().is_some() || self.as_text().is_some_and(is_integer);
        match self.is_text() && is_number {
            true => self.wrong(Place::At, Kind::Unfit(self.to_value().to_string(), of, String::new())),
            false => self.invalid_value(expected),
        }
    }

    fn unexpected(self) -> Unexpected<'t> {
        match self.event() {
            Event::Null => Unexpected::Unit,
            Event::Bool(value) => Unexpected::Bool(value),
            Event::Signed(number) => Unexpected::Signed(number),
            Event::Unsigned(number) => Unexpected::Unsigned(number),
            Event::Single(number) => Unexpected::Float(number.into()),
            Event::Double(number) => Unexpected::Float(number),
            Event::List(_) => Unexpected::Seq,
            Event::Map(_) => Unexpected::Map,
            event => match self.tape.text(event) {
                Some(text) => Unexpected::Str(text),
                None => Unexpected::Bytes(self.tape.bytes(event).unwrap_or_default()),
            },
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self.event() == Event::Null
    }

    pub(crate) fn is_map(self) -> bool {
        matches!(self.event(), Event::Map(_))
    }

    /// True if it came before `other`.
    pub(crate) fn is_before(self, other: Given<'_>) -> bool {
        self.at < other.at
    }

    /// The same, with reals of this width.
    pub(crate) fn double(self, is_double: bool) -> Self {
        Given { is_double, ..self }
    }

    pub(crate) fn is_double(self) -> bool {
        self.is_double
    }

    /// The member of an object that has this name.
    pub(crate) fn member(self, expected: &str, name: &'static str) -> Result<Option<Given<'t>>, Mismatch> {
        let found = self.members(expected)?.find(|(key, _)| key.as_text() == Some(name));
        Ok(found.map(|(_, value)| value))
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self.event(), Event::List(_))
    }

    pub(crate) fn null(self) -> Result<(), Mismatch> {
        match self.event() {
            Event::Null => Ok(()),
            _ => Err(self.invalid_type("null")),
        }
    }

    pub(crate) fn bool(self) -> Result<bool, Mismatch> {
        match self.event() {
            Event::Bool(value) => Ok(value),
            _ => Err(self.invalid_type("a boolean")),
        }
    }

    /// An integer in 64 bits with a sign. -0 is 0: JavaScript has such a 0, and readers of JSON give it as a float. They give a
    /// number of more bits as the nearest float, which no integer is.
    pub(crate) fn integer(self, of: &'static str, expected: &str) -> Result<i128, Mismatch> {
        match self.event() {
            Event::Signed(number) => Ok(number.into()),
            Event::Unsigned(number) => Ok(number.into()),
            Event::Double(number) if number.to_bits() == (-0.0_f64).to_bits() => Ok(0),
            Event::Double(number) if self.is_text() && number.abs() >= 2_f64.powi(63) => Err(self.unfit(of, expected)),
            _ => Err(self.invalid_type(expected)),
        }
    }

    /// A number, in 64 bits.
    #[allow(clippy::as_conversions)] // to the nearest number, as a fraction would be
    pub(crate) fn number(self) -> Option<f64> {
        match self.event() {
            Event::Signed(number) => Some(number as f64),
            Event::Unsigned(number) => Some(number as f64),
            Event::Double(number) => Some(number),
            _ => None,
        }
    }

    /// A number of 32 bits, as only readers of bytes give it.
    pub(crate) fn single(self) -> Option<f32> {
        match self.event() {
            Event::Single(number) => Some(number),
            _ => None,
        }
    }

    /// A text, if it is one.
    #[inline]
    pub(crate) fn as_text(self) -> Option<&'t str> {
        self.tape.text(self.event())
    }

    pub(crate) fn text(self) -> Result<&'t str, Mismatch> {
        self.as_text().ok_or_else(|| self.invalid_type("a string"))
    }

    /// The bytes of a text, or bytes.
    pub(crate) fn as_bytes(self) -> Option<&'t [u8]> {
        self.tape.bytes(self.event())
    }

    /// Bytes, given as bytes, text or integers.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Mismatch> {
        match self.as_bytes() {
            Some(bytes) => Ok(bytes.to_vec()),
            None => self.items("bytes")?.map(u8::take).collect(),
        }
    }

    /// The same as a value of `serde_json`.
    pub(crate) fn to_value(self) -> Value {
        match self.event() {
            Event::Null => Value::Null,
            Event::Bool(value) => value.into(),
            Event::Signed(number) => number.into(),
            Event::Unsigned(number) => number.into(),
            Event::Single(number) => number.into(),
            Event::Double(number) => number.into(),
            Event::List(_) => growing(|| self.items("").into_iter().flatten().map(Given::to_value).collect()),
            Event::Map(_) => growing(|| {
                let mut all = Map::new();
                for (name, value) in self.members("").into_iter().flatten() {
                    all.insert(name.as_text().unwrap_or_default().to_owned(), value.to_value());
                }
                all.into()
            }),
            // the bytes of `{"hex": …}`
            Event::Bytes(_) if self.is_text() => {
                base16ct::lower::encode_string(self.as_bytes().unwrap_or_default()).into()
            }
            _ => String::from_utf8_lossy(self.as_bytes().unwrap_or_default()).into(),
        }
    }

    /// The place of a text among these names.
    pub(crate) fn name_of(self, names: &'static [&'static str]) -> Result<usize, Mismatch> {
        // readers of bytes may give the number of a name
        if let Event::Unsigned(number) = self.event() {
            let place = usize::try_from(number).ok().filter(|place| !self.is_text() && *place < names.len());
            return place.ok_or_else(|| self.invalid_type("a string"));
        }
        let name = self.text()?;
        let found = names.iter().position(|known| *known == name);
        found.ok_or_else(|| self.wrong(Place::At, Kind::Variant(name.to_owned(), names)))
    }

    /// The member `format` of a document, which has this name.
    pub(crate) fn format(self, format: Option<Given<'t>>, names: &'static [&'static str; 1]) -> Result<(), Mismatch> {
        let format = format.ok_or_else(|| self.missing("format"))?;
        match format.text()? {
            text if names.contains(&text) => Ok(()),
            other => Err(format.wrong(Place::At, Kind::Variant(other.to_owned(), names))),
        }
    }

    /// The items of a list.
    pub(crate) fn items(self, expected: &str) -> Result<Items<'t>, Mismatch> {
        match self.event() {
            Event::List(end) => Ok(self.within(end)),
            _ => Err(self.invalid_type(expected)),
        }
    }

    /// The parts within a container that ends at `end`, or where the tape does.
    fn within(self, end: usize) -> Items<'t> {
        Items { tape: self.tape, at: self.at.saturating_add(1), end: end.min(self.tape.events.len()) }
    }

    /// A list of exactly `N` items.
    pub(crate) fn array<const N: usize>(self) -> Result<[Given<'t>; N], Mismatch> {
        let expected = || format!("a list of {N} items");
        let Ok(mut items) = self.items("") else { return Err(self.invalid_type(&expected())) };
        let mut length = 0usize;
        let array = std::array::from_fn(|_| {
            let item = items.next();
            length = length.saturating_add(item.is_some().into());
            item.unwrap_or(self)
        });
        length = length.saturating_add(items.count());
        match length == N {
            true => Ok(array),
            false => Err(self.wrong(Place::Behind, Kind::Length(length, expected()))),
        }
    }

    /// The names and values of an object.
    pub(crate) fn members(self, expected: &str) -> Result<Members<'t>, Mismatch> {
        match self.event() {
            Event::Map(end) => Ok(Members(self.within(end))),
            _ => Err(self.invalid_type(expected)),
        }
    }

    /// The members of an object with these names, each at most once, and no others. A list counts as its values. `title` is the
    /// name of the structure, if it has one.
    pub(crate) fn structure<const N: usize>(
        self,
        title: &str,
        names: &'static [&'static str; N],
    ) -> Result<[Option<Given<'t>>; N], Mismatch> {
        match self.event() {
            Event::List(_) => self.array().map(|items| items.map(Some)),
            Event::Map(_) => self.members_named("", names, |unknown| unknown),
            _ => Err(self.invalid_type(&named_form(title, &format!("an object with {}", names.join(", "))))),
        }
    }

    /// The members of an object with these names, each at most once, and no others.
    pub(crate) fn fields<const N: usize>(
        self,
        expected: &str,
        names: &'static [&'static str; N],
    ) -> Result<[Option<Given<'t>>; N], Mismatch> {
        self.members_named(expected, names, Mismatch::around)
    }

    fn members_named<const N: usize>(
        self,
        expected: &str,
        names: &'static [&'static str; N],
        unknown: fn(Mismatch) -> Mismatch,
    ) -> Result<[Option<Given<'t>>; N], Mismatch> {
        let mut fields = [None; N];
        let mut next = 0usize;
        for (name, value) in self.members(expected)? {
            let text = name.text()?;
            // mostly in their order
            let place = match names.get(next) {
                Some(known) if *known == text => next,
                _ => names
                    .iter()
                    .position(|known| *known == text)
                    .ok_or_else(|| unknown(name.wrong(Place::At, Kind::Unknown(text.to_owned(), names))))?,
            };
            next = place.saturating_add(1);
            match fields.get_mut(place) {
                Some(field @ None) => *field = Some(value),
                _ => {
                    return Err(name
                        .wrong(Place::At, Kind::Duplicate(names.get(place).copied().unwrap_or_default()))
                        .around())
                }
            }
        }
        Ok(fields)
    }

    /// The only member of an object, by the place of its name among these.
    pub(crate) fn choice(self, names: &'static [&'static str]) -> Result<(usize, Given<'t>), Mismatch> {
        let Ok(mut members) = self.members("") else { return Err(self.invalid_type(&choice_of(names))) };
        match (members.next(), members.next()) {
            (Some((name, value)), None) => Ok((name.name_of(names).map_err(Mismatch::around)?, value)),
            _ => Err(self.no_choice(names)),
        }
    }

    /// It is not an object with exactly one of these names.
    #[cold]
    pub(crate) fn no_choice(self, names: &[&str]) -> Mismatch {
        self.custom(format_args!("expected {}", choice_of(names)))
    }

    /// The only member of an object, which has this name.
    pub(crate) fn only(self, names: &'static [&'static str; 1]) -> Result<Given<'t>, Mismatch> {
        let ([name], [value]) = (*names, self.fields("an object", names)?);
        value.ok_or_else(|| self.missing(name))
    }
}

fn choice_of(names: &[&str]) -> String {
    format!("an object with {}", names.join(" or "))
}

/// The items of a list.
#[derive(Clone, Debug)]
pub(crate) struct Items<'t> {
    tape: &'t Tape<'t>,
    at: usize,
    end: usize,
}

impl<'t> Iterator for Items<'t> {
    type Item = Given<'t>;

    fn next(&mut self) -> Option<Given<'t>> {
        let given = Given::new(self.tape, self.at);
        (self.at < self.end).then(|| {
            self.at = self.tape.behind(self.at);
            given
        })
    }
}

/// The names and values of an object.
#[derive(Clone, Debug)]
pub(crate) struct Members<'t>(Items<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (Given<'t>, Given<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

//! Rust types in and out of the arguments of remotes, through serde.

use std::borrow::Cow;

use nom::{Check, Complete, Emit, OutputM, Parser};
use serde::{Deserialize, Serialize};

use super::boolean::boolean;
use super::dictionary::{Pair, SMALLEST_PAIR};
use super::options::{Nesting, Options, ValueOptions};
use super::text::{gen_text, text as text_parser};
use super::tuple::{gen_tuple, tuple};
use super::value::{gen_value, type_id, value as value_parser, TypeId, Value, SMALLEST_VALUE};
use crate::error::{DecodeError, EncodeError};
use crate::limits::Limited;
use crate::member::typed::Typed;
use crate::number::to_usize;
use crate::roblox::datatypes::{Vector2, Vector3};
use crate::typed::look::{text, Numbers, Rare, Record};
use crate::typed::{
    self, look_of, look_of_text, Build, BuildError, Container, Decoding, Encoding, Leniency, Look, Neutral, ReadError,
    Row, Rules, Scalar,
};
use crate::wire::{
    all_consuming, float64, gen_varlength, generate_into, run, too_deep_to_write, varlength, write_leaf, Be,
    IntoByteString, Log, Traceback, ValueVec,
};

/// Reads a Rust type from the bytes of a [`tuple`](super::tuple()): arguments, with their count before them. The type is
/// a list or a tuple. See [`typed`](crate::typed).
///
/// ```
/// use enginewire::roblox::remote;
///
/// let bytes = b"\x02\x02\x02Hi\x09\x01";
/// assert_eq!(remote::from_bytes::<(&str, bool)>(bytes)?, ("Hi", true));
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If the bytes are not arguments, or have another form than the type.
pub fn from_bytes<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, DecodeError> {
    from_bytes_with(bytes, &Options::new(), Leniency::new())
}

/// Reads a Rust type from the bytes of arguments, with these options and this leniency.
///
/// ```
/// use enginewire::roblox::remote::{self, Options};
/// use enginewire::typed::Leniency;
///
/// let options = Options::new().trailing_bytes(true);
/// assert_eq!(remote::from_bytes_with::<[bool; 1]>(b"\x01\x09\x01\0", &options, Leniency::new())?, [true]);
/// # Ok::<(), enginewire::DecodeError>(())
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
    let decode = || run(bytes, all_consuming(options.allows_trailing_bytes(), tuple((*options).into())));
    let read = match leniency.takes_last_duplicate() {
        true => typed::read_value(&Value::Array(decode()?.1), leniency),
        false => typed::read_bytes(bytes, options.values, leniency),
    };
    read.map_err(|error| located(error, bytes, *options))
}

/// Outermost are the arguments, and what is in them is in one container more than the options count.
impl Decoding for ValueOptions {
    const RULES: Rules = RULES;

    #[cfg_attr(fast, inline(always))]
    fn head(self, depth: u16, input: &[u8]) -> Option<(&[u8], Look<'_>)> {
        if depth == 0 {
            return head_of_list(input);
        }
        // what most values are, without a `Value` in between
        let (rest, id) = type_id::<_, ()>(self.into()).parse_complete(input).ok()?;
        match id {
            TypeId::Boolean => look_of(boolean::<_, ()>(), rest, Look::Bool),
            TypeId::Number => look_of(float64::<Be, _, ()>(), rest, Look::Double),
            TypeId::String => self.key(rest).and_then(|(rest, text)| Some((rest, look_of_text(text, true)?))),
            _ => rare_head(self, depth, input),
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
        let (rest, key) = text_parser::<_, ()>().parse_complete(input).ok()?;
        Some((rest, key.as_borrowed().unwrap_or_default()))
    }

    fn type_name(self, depth: u16, input: &[u8]) -> Option<&'static str> {
        let id = match depth.checked_sub(1) {
            Some(levels) => type_id::<_, ()>(Nesting::from(self).inside(levels)?).parse_complete(input).ok()?.1,
            None => TypeId::Array,
        };
        Some(id.name())
    }

    #[inline]
    fn is_unit(self, depth: u16, input: &[u8]) -> Option<bool> {
        Some(depth > 0 && *input.first()? == TypeId::Nil.id())
    }

    fn skip(self, depth: u16, input: &[u8]) -> Option<&[u8]> {
        let nesting = Nesting::from(self);
        let skipped = match depth.checked_sub(1) {
            Some(levels) => value_parser::<_, Traceback<&[u8]>>(nesting.inside(levels)?).process::<Checking>(input),
            None => tuple::<_, Traceback<&[u8]>>(nesting).process::<Checking>(input),
        };
        skipped.ok().map(|(rest, ())| rest)
    }

    /// At depth 0 the value is the arguments without a type; this adds that of an array.
    fn exact(self, depth: u16, value: &[u8]) -> Option<Cow<'_, [u8]>> {
        Some(match depth {
            0 => [&[TypeId::Array.id()], value].concat().into(),
            _ => value.into(),
        })
    }

    fn allows_trailing(self) -> bool {
        self.allows_trailing_bytes()
    }
}

/// Reads a value of a rarer type, of a container its head.
#[inline(never)]
fn rare_head(options: ValueOptions, depth: u16, input: &[u8]) -> Option<(&[u8], Look<'_>)> {
    let nesting = Nesting::from(options).inside(depth.checked_sub(1)?)?;
    let (rest, id) = type_id::<_, ()>(nesting).parse_complete(input).ok()?;
    match id {
        TypeId::Array => head_of_list(rest),
        TypeId::Dictionary => {
            look_of(varlength::<_, ()>(SMALLEST_PAIR), rest, |count| Look::Map { count: to_usize(count), named: true })
        }
        _ => look_of(value_parser::<_, Traceback<&[u8]>>(nesting), input, |value| typed::Value::look(&value)),
    }
}

/// Reads a value for what is wrong with it alone.
type Checking = OutputM<Check, Emit, Complete>;

/// The head of an array, or of arguments.
#[inline]
fn head_of_list(input: &[u8]) -> Option<(&[u8], Look<'_>)> {
    let (rest, count) = varlength::<_, ()>(SMALLEST_VALUE).parse_complete(input).ok()?;
    Some((rest, Look::Seq(to_usize(count), None)))
}

#[cold]
fn located(error: ReadError, bytes: &[u8], options: Options) -> DecodeError {
    let tree = || Log::default().trace(bytes, all_consuming(options.allows_trailing_bytes(), tuple(options.into())));
    let decode = || run(bytes, all_consuming(options.allows_trailing_bytes(), tuple(options.into()))).err();
    error.locate(&[], tree, decode)
}

/// Reads a Rust type from arguments. Text that the type borrows must be borrowed by them.
///
/// ```
/// use enginewire::roblox::remote;
///
/// assert_eq!(remote::from_arguments::<(String, u8)>(vec!["Fuel".into(), 7.0.into()])?, ("Fuel".to_owned(), 7));
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If they have another form than the type. The offset counts from the start of what
/// [`gen_tuple`](super::gen_tuple()) writes for them.
pub fn from_arguments<'a, T: Deserialize<'a>>(arguments: Vec<Value<'a>>) -> Result<T, DecodeError> {
    from_arguments_with(arguments, Leniency::new())
}

/// Reads a Rust type from arguments, with this leniency.
///
/// ```
/// use enginewire::roblox::remote::{self, Pair, Value};
/// use enginewire::typed::Leniency;
///
/// #[derive(serde::Deserialize)]
/// struct Torch {
///     fuel: u8,
/// }
///
/// let twice = Value::from(vec![Pair::new("fuel", 1.0), Pair::new("fuel", 2.0)]);
/// let lenient = Leniency::new().last_duplicate(true);
/// assert_eq!(remote::from_arguments_with::<(Torch,)>(vec![twice], lenient)?.0.fuel, 2);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_arguments`].
pub fn from_arguments_with<'a, T: Deserialize<'a>>(
    arguments: Vec<Value<'a>>,
    leniency: Leniency,
) -> Result<T, DecodeError> {
    let arguments = Value::Array(arguments.into());
    typed::read_value(&arguments, leniency).map_err(|error| {
        let options = Options::new();
        let mut bytes = Vec::new();
        if let Value::Array(arguments) = &arguments {
            // what cannot be written has no place either
            let _ = generate_into(gen_tuple(options.into(), arguments), &mut bytes);
        }
        located(error, &bytes, options)
    })
}

/// Writes a Rust type, which is a list or a tuple, as arguments, with their count before them.
///
/// ```
/// use enginewire::roblox::remote;
///
/// assert_eq!(remote::to_bytes(&("Hi", true))?, b"\x02\x02\x02Hi\x09\x01");
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// If remotes do not have such a value, or the type is not a list.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, EncodeError> {
    to_bytes_with(value, &Options::new())
}

/// Writes a Rust type as arguments, with these options.
///
/// ```
/// use enginewire::roblox::remote::{self, Options};
///
/// assert_eq!(remote::to_bytes_with(&[true], &Options::new())?, [1, 9, 1]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_bytes_with<T: Serialize + ?Sized>(value: &T, options: &Options) -> Result<Vec<u8>, EncodeError> {
    typed::write(options.values, |writer| value.serialize(writer))
}

/// Makes arguments of a Rust type, which is a list or a tuple.
///
/// ```
/// use enginewire::roblox::remote;
///
/// assert_eq!(remote::to_arguments(&("Fuel", 7))?, ["Fuel".into(), 7.0.into()]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_arguments<T: Serialize + ?Sized>(value: &T) -> Result<Vec<Value<'static>>, EncodeError> {
    match typed::build(|writer| value.serialize(writer))? {
        Value::Array(arguments) => Ok(arguments.into_vec()),
        other => Err(no_arguments(&other)),
    }
}

#[cold]
fn no_arguments(value: &Value<'_>) -> EncodeError {
    let found = value.type_id().name();
    BuildError::new(format!("arguments are a list or a tuple, not a value of the type {found}")).into()
}

impl Encoding for ValueOptions {
    type Value<'v> = Value<'v>;

    const EMPTY_COUNT: usize = 1;

    /// The outermost list is not a value: it has no type.
    fn write(self, value: &Value<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let nesting = Nesting::from(self);
        match (depth.checked_sub(1), value) {
            (Some(levels), value) => {
                let nesting = nesting.inside(levels).ok_or_else(|| too_deep_to_write(self))?;
                generate_into(gen_value(nesting, value), bytes)
            }
            (None, Value::Array(arguments)) => generate_into(gen_tuple(nesting, arguments), bytes),
            (None, other) => Err(no_arguments(other)),
        }
    }

    #[inline]
    fn write_scalar(self, scalar: Scalar<'_>, depth: u16, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        if depth == 0 {
            return self.write(&typed::value_of(scalar)?, depth, bytes);
        }
        match scalar {
            Scalar::Bool(value) => write_leaf(TypeId::Boolean.id(), &value, self, bytes),
            Scalar::Int(number) => write_leaf(TypeId::Number.id(), &Value::exact_double(number)?, self, bytes),
            Scalar::Single(number) => write_leaf(TypeId::Number.id(), &f64::from(number), self, bytes),
            Scalar::Double(number) => write_leaf(TypeId::Number.id(), &number, self, bytes),
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
        generate_into(gen_text(key.as_ref()), bytes)
    }

    fn write_count(self, count: usize, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        generate_into(gen_varlength(count), bytes)
    }
}

const RULES: Rules = Rules {
    exact: "$enginewire::roblox::remote::Value",
    whole: true,
    text_keys: true,
    tables: true,
    empty_unit: false,
    structures: false,
};

fn record<'de>(names: &'static [&'static str], numbers: [f32; 4]) -> Look<'de> {
    Look::Record(Record { names, numbers: Numbers::Single(numbers) })
}

impl<'de> typed::Value<'de> for Value<'de> {
    const RULES: Rules = RULES;

    fn type_name(&self) -> &'static str {
        self.type_id().name()
    }

    fn is_unit(&self) -> bool {
        matches!(self, Value::Nil)
    }

    fn look_of_leaf(&self) -> Look<'de> {
        match self {
            Value::Nil => Look::Unit,
            Value::String(content) => Look::Rare(Rare::Text(text(content))),
            Value::Boolean(value) => Look::Bool(*value),
            Value::Number(number) => Look::Double(*number),
            Value::Vector2(value) => record(&["x", "y"], [value.x, value.y, 0.0, 0.0]),
            Value::Vector3(value) => record(&["x", "y", "z"], [value.x, value.y, value.z, 0.0]),
            leaf => Look::Rare(Rare::Neutral(Neutral::of_member(leaf.bare()))),
        }
    }

    fn to_exact(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        generate_into(gen_value(Nesting::default(), self), &mut bytes).ok()?;
        Some(bytes)
    }
}

impl Build for Value<'static> {
    const RULES: Rules = RULES;
    const FORMAT: &'static str = "the format of remotes";

    fn none() -> Option<Self> {
        Some(Value::Nil)
    }

    fn unit() -> Self {
        Value::Nil
    }

    fn bool(value: bool) -> Self {
        Value::Boolean(value)
    }

    fn int(number: i64) -> Result<Self, BuildError> {
        Self::exact_double(number).map(Value::Number)
    }

    fn single(number: f32) -> Self {
        Value::Number(number.into())
    }

    fn double(number: f64) -> Self {
        Value::Number(number)
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
        let pairs = entries.into_iter().map(|(key, value)| match key {
            Value::String(key) => Pair { key, value },
            // all keys are text
            _ => Pair::new("", value),
        });
        Value::Dictionary(pairs.collect())
    }

    fn of_row(name: &str, row: &Row) -> Option<Self> {
        match name {
            "Vector2" => row.singles(["x", "y"]).map(|[x, y, ..]| Vector2 { x, y }.into()),
            "Vector3" => row.singles(["x", "y", "z"]).map(|[x, y, z, _]| Vector3 { x, y, z }.into()),
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
        match value_parser::<_, ()>(Nesting::default()).parse_complete(bytes) {
            Ok((&[], value)) => Some(value.into_owned()),
            _ => None,
        }
    }
}

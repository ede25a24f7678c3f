//! Serde's side of writing: values go one by one into a [`Sink`], which makes a tree of them or writes their bytes.

use std::borrow::Cow;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::BuildError;
use super::look::Rules;
use super::number::NumberOnly;
use super::plain::Neutral;
use super::row::Row;
use super::sink::{Container, Scalar, Sink, Tree};
use super::type_of_name;
use crate::error::{self, does_not_fit, Segment};
use crate::member::{write_scalar, Contents, Given};
use crate::stack::growing;
use crate::wire::AsKey;

/// A value of a format, made of values of Rust.
pub(crate) trait Build: Sized {
    const RULES: Rules;
    /// The name of the format in errors: `"Godot"`.
    const FORMAT: &'static str;

    /// No value; `None` if that is left out.
    fn none() -> Option<Self>;
    /// `()`.
    fn unit() -> Self;
    fn bool(value: bool) -> Self;
    fn int(number: i64) -> Result<Self, BuildError>;
    fn single(number: f32) -> Self;
    fn double(number: f64) -> Self;
    fn text(text: Cow<'static, str>) -> Self;
    fn bytes(bytes: Vec<u8>) -> Self;
    fn seq(items: Vec<Self>) -> Self;
    fn map(entries: Vec<(Self, Self)>) -> Self;

    /// An unsigned integer. Most formats have none.
    fn uint(number: u64) -> Result<Self, BuildError> {
        let signed = number.try_into();
        Self::int(signed.map_err(|_| BuildError::new(does_not_fit(&number, "", "i64")))?)
    }

    /// The value of the type with this name that is made of these numbers. `None` if no such type exists, or if it needs
    /// [`of_type`](Self::of_type).
    #[inline]
    fn of_row(_name: &str, _row: &Row) -> Option<Self> {
        None
    }

    /// The value of the type with this name.
    fn of_type(name: &str, plain: Neutral<'static>) -> Result<Option<Self>, BuildError>;

    /// The value of a field that holds any value.
    fn of_exact(bytes: &[u8]) -> Option<Self>;

    #[cold]
    fn no_null() -> BuildError {
        BuildError::new(format!("{} has no null that is not a field", Self::FORMAT))
    }

    #[cold]
    fn no_key() -> BuildError {
        BuildError::new(format!("{} has only keys that are text", Self::FORMAT))
    }

    #[cold]
    fn no_type(name: &str) -> BuildError {
        BuildError::new(format!("{} has no type {name}", Self::FORMAT))
    }

    /// The integer as a number of 64 bits, in formats without integers.
    #[allow(clippy::as_conversions)] // compared afterwards
    fn exact_double(number: i64) -> Result<f64, BuildError> {
        let double = number as f64;
        match super::de::whole(double) == Some(number) {
            true => Ok(double),
            false => {
                Err(BuildError::new(format!("{} has no integers, and {number} is between two numbers", Self::FORMAT)))
            }
        }
    }
}

/// Writes values of Rust into a sink. Each call returns true if anything was written: a format may not have null.
pub(crate) struct Writer<'s, S>(&'s mut S);

/// Makes a value of the output of `write`.
pub(crate) fn tree<B: Build>(
    write: impl FnOnce(Writer<'_, Tree<B>>) -> Result<bool, BuildError>,
) -> Result<Option<B>, BuildError> {
    let mut tree = Tree::default();
    write(Writer(&mut tree))?;
    Ok(tree.into_value())
}

impl<'s, S: Sink> Writer<'s, S> {
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Writer(sink)
    }

    /// A writer for the values inside a container, into the same sink.
    fn again(&mut self) -> Writer<'_, S> {
        Writer(self.0)
    }

    fn put(self, value: S::Value) -> Result<bool, BuildError> {
        self.0.put(value).map(|()| true)
    }

    fn put_if_any(self, value: Option<S::Value>) -> Result<bool, BuildError> {
        value.map_or(Ok(false), |value| self.put(value))
    }

    /// The value of a type that is named.
    fn put_of_type(self, name: &'static str, plain: Option<Neutral<'static>>) -> Result<bool, BuildError> {
        let value = match plain {
            None | Some(Neutral::Unit) => S::Value::none(),
            Some(plain) => match plain.to_row().and_then(|row| S::Value::of_row(name, &row)) {
                None => S::Value::of_type(name, plain)?,
                value => value,
            },
        };
        self.put_if_any(value)
    }

    #[inline]
    fn scalar(self, scalar: Scalar<'_>) -> Result<bool, BuildError> {
        self.0.scalar(scalar).map(|()| true)
    }

    /// Writes a value of a reader, with the types that its parts have, as serde would.
    pub(crate) fn given(self, given: Given<'_>) -> Result<bool, BuildError> {
        match given.contents() {
            Contents::Scalar(scalar) => write_scalar(scalar, self),
            Contents::List(items) => {
                let mut open = self.begin(Container::Seq)?;
                for item in items {
                    open.add(|writer| writer.given(item))?;
                }
                open.end_all()
            }
            Contents::Map(members) => {
                let mut open = self.begin(Container::Map)?;
                for (name, value) in members {
                    let name = name.as_text().unwrap_or_default();
                    let before = open.writer.0.position();
                    open.writer.0.key(name)?;
                    let written = open.add_value(before, |writer| writer.given(value));
                    written.map_err(|error| error.within_key(&name.as_bytes()))?;
                }
                open.end_all()
            }
        }
    }

    fn begin(self, container: Container) -> Result<Open<'s, S>, BuildError> {
        let start = self.0.begin(container)?;
        Ok(Open { writer: self, container, start, count: 0, variant: None })
    }

    /// Begins a variant of an enum: a map from its name to this container.
    fn begin_variant(mut self, name: &'static str, container: Container) -> Result<Open<'s, S>, BuildError> {
        let variant = self.begin_entry(name)?;
        let open = self.begin(container)?;
        Ok(Open { variant: Some(variant), ..open })
    }

    /// Begins a map of one entry.
    fn begin_entry(&mut self, name: &'static str) -> Result<usize, BuildError> {
        let start = self.0.begin(Container::Map)?;
        self.0.key(name)?;
        Ok(start)
    }
}

macro_rules! scalars {
    ($($method:ident($type:ty) => $scalar:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<bool, BuildError> {
            self.scalar(Scalar::$scalar(value.into()))
        }
    )*};
}

impl<'s, S: Sink> Serializer for Writer<'s, S> {
    type Ok = bool;
    type Error = BuildError;
    type SerializeSeq = Open<'s, S>;
    type SerializeTuple = Open<'s, S>;
    type SerializeTupleStruct = Open<'s, S>;
    type SerializeTupleVariant = Open<'s, S>;
    type SerializeMap = Entries<'s, S>;
    type SerializeStruct = Fields<'s, S>;
    type SerializeStructVariant = Open<'s, S>;

    fn is_human_readable(&self) -> bool {
        false
    }

    scalars! {
        serialize_bool(bool) => Bool;
        serialize_i8(i8) => Int;
        serialize_i16(i16) => Int;
        serialize_i32(i32) => Int;
        serialize_i64(i64) => Int;
        serialize_u8(u8) => Int;
        serialize_u16(u16) => Int;
        serialize_u32(u32) => Int;
        serialize_f32(f32) => Single;
        serialize_f64(f64) => Double;
        serialize_str(&str) => Text;
        serialize_bytes(&[u8]) => Bytes;
    }

    #[inline]
    fn serialize_u64(self, number: u64) -> Result<bool, BuildError> {
        match i64::try_from(number) {
            Ok(number) => self.scalar(Scalar::Int(number)),
            Err(_) => self.put(S::Value::uint(number)?),
        }
    }

    fn serialize_i128(self, _: i128) -> Result<bool, BuildError> {
        Err(BuildError::new(NO_128))
    }

    fn serialize_u128(self, _: u128) -> Result<bool, BuildError> {
        Err(BuildError::new(NO_128))
    }

    fn serialize_char(self, value: char) -> Result<bool, BuildError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<bool, BuildError> {
        self.put_if_any(S::Value::none())
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, BuildError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<bool, BuildError> {
        self.put(S::Value::unit())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<bool, BuildError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<bool, BuildError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<bool, BuildError> {
        if name == S::Value::RULES.exact {
            let Neutral::Bytes(bytes) = Neutral::of(value)? else { return Err(BuildError::new("expected bytes")) };
            return match S::Value::of_exact(&bytes) {
                Some(value) => self.put(value),
                None => Err(BuildError::new(format!("{} has no such value", S::Value::FORMAT))),
            };
        }
        match type_of_name(name) {
            Some(name) => self.put_of_type(name, tree(|writer| value.serialize(writer))?),
            None => growing(|| value.serialize(self)),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<bool, BuildError> {
        let start = self.begin_entry(variant)?;
        let written =
            growing(|| value.serialize(self.again())).map_err(|error| error.within(Segment::Field(variant)))?;
        if !written {
            self.0.put(S::Value::unit())?;
        }
        self.0.end(Container::Map, start, 1).map(|()| true)
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'s, S>, BuildError> {
        self.begin(Container::Seq)
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'s, S>, BuildError> {
        self.begin(Container::Seq)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'s, S>, BuildError> {
        self.begin(Container::Seq)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'s, S>, BuildError> {
        self.begin_variant(variant, Container::Seq)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'s, S>, BuildError> {
        Ok(Entries { open: self.begin(Container::Map)?, key: None })
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'s, S>, BuildError> {
        Ok(match type_of_name(name) {
            Some(name) => Fields::Typed { writer: self, name, members: Members::Row(Row::default()) },
            None => Fields::Neutral(self.begin(Container::Map)?),
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'s, S>, BuildError> {
        self.begin_variant(variant, Container::Map)
    }
}

const NO_128: &str = "integers of 128 bits are not supported: no format has them";

/// A container whose items are being written.
pub(crate) struct Open<'s, S> {
    writer: Writer<'s, S>,
    container: Container,
    /// The start of the container, as [`Sink::begin`] returned it.
    start: usize,
    count: usize,
    /// The start of the variant's entry, if the container is in one.
    variant: Option<usize>,
}

impl<S: Sink> Open<'_, S> {
    fn add(&mut self, write: impl FnOnce(Writer<'_, S>) -> Result<bool, BuildError>) -> Result<(), BuildError> {
        let (before, index) = (self.writer.0.position(), self.count);
        match self.add_value(before, write) {
            Ok(()) if self.count > index => Ok(()),
            Ok(()) => Err(S::Value::no_null().within(Segment::Index(index))),
            Err(error) => Err(error.within(Segment::Index(index))),
        }
    }

    #[inline]
    fn add_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        let before = self.writer.0.position();
        self.writer.0.key(name)?;
        self.add_value(before, |writer| value.serialize(writer)).map_err(|error| error.within(Segment::Field(name)))
    }

    /// Writes a value. If nothing was written, or it failed, removes the output of the value and of its key.
    #[inline]
    fn add_value(
        &mut self,
        before: S::Position,
        write: impl FnOnce(Writer<'_, S>) -> Result<bool, BuildError>,
    ) -> Result<(), BuildError> {
        let written = growing(|| write(self.writer.again()));
        match written {
            Ok(true) => self.count = self.count.saturating_add(1),
            Ok(false) | Err(_) => self.writer.0.truncate(before),
        }
        written.map(|_| ())
    }

    fn end_all(self) -> Result<bool, BuildError> {
        let Open { writer: Writer(sink), container, start, count, variant } = self;
        sink.end(container, start, count)?;
        if let Some(start) = variant {
            sink.end(Container::Map, start, 1)?;
        }
        Ok(true)
    }
}

macro_rules! items {
    ($($trait:ident $method:ident;)*) => {$(
        impl<S: Sink> $trait for Open<'_, S> {
            type Ok = bool;
            type Error = BuildError;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
                self.add(|writer| value.serialize(writer))
            }

            fn end(self) -> Result<bool, BuildError> {
                self.end_all()
            }
        }
    )*};
}

items! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

impl<S: Sink> SerializeStructVariant for Open<'_, S> {
    type Ok = bool;
    type Error = BuildError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        self.add_field(name, value)
    }

    fn end(self) -> Result<bool, BuildError> {
        self.end_all()
    }
}

/// Entries with any keys.
pub(crate) struct Entries<'s, S: Sink> {
    open: Open<'s, S>,
    /// A key whose value follows, and where it begins.
    key: Option<(S::Position, Neutral<'static>)>,
}

impl<S: Sink> SerializeMap for Entries<'_, S> {
    type Ok = bool;
    type Error = BuildError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BuildError> {
        let plain = growing(|| Neutral::of(key))?;
        let before = self.open.writer.0.position();
        if S::Value::RULES.text_keys {
            match plain.clone().into_key().map(|key| String::from_utf8(key.into_owned())) {
                Some(Ok(key)) => self.open.writer.0.key(&key)?,
                _ => return Err(S::Value::no_key()),
            }
        } else if !growing(|| key.serialize(self.open.writer.again()))? {
            return Err(S::Value::no_null());
        }
        self.key = Some((before, plain));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
        let Some((before, key)) = self.key.take() else {
            return Err(BuildError::new("a value comes after its key"));
        };
        let written = self.open.add_value(before, |writer| value.serialize(writer));
        written.map_err(|error| error.within_key(&Key(key)))
    }

    fn end(self) -> Result<bool, BuildError> {
        self.open.end_all()
    }
}

/// A key for paths.
#[derive(Debug)]
struct Key(Neutral<'static>);

impl AsKey for Key {
    fn to_key(&self) -> error::Key {
        match &self.0 {
            Neutral::Text(text) => text.to_key(),
            Neutral::Int(number) => number.to_key(),
            other => error::Key::shown(other),
        }
    }
}

/// The fields of a structure.
pub(crate) enum Fields<'s, S> {
    /// Of Rust.
    Neutral(Open<'s, S>),
    /// Of a type of the engine.
    Typed { writer: Writer<'s, S>, name: &'static str, members: Members },
}

/// The members of a structure.
pub(crate) enum Members {
    /// Up to four numbers, like in most structures.
    Row(Row),
    /// Any, with their names.
    Any(Vec<(Neutral<'static>, Neutral<'static>)>),
}

impl Members {
    #[inline]
    fn push<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        if let Members::Row(row) = self
            && value.serialize(NumberOnly).is_ok_and(|number| row.push_named(name, number))
        {
            return Ok(());
        }
        self.push_any(name, Neutral::of(value).map_err(|error| error.within(Segment::Field(name)))?);
        Ok(())
    }

    #[inline(never)]
    fn push_any(&mut self, name: &'static str, value: Neutral<'static>) {
        let mut members = std::mem::replace(self, Members::Any(Vec::new())).into_any();
        members.push((Neutral::Text(Cow::Borrowed(name.as_bytes())), value));
        *self = Members::Any(members);
    }

    fn into_any(self) -> Vec<(Neutral<'static>, Neutral<'static>)> {
        match self {
            Members::Any(members) => members,
            Members::Row(row) => {
                row.members().map(|(name, number)| (Neutral::Text(Cow::Borrowed(name.as_bytes())), number)).collect()
            }
        }
    }
}

impl<S: Sink> SerializeStruct for Fields<'_, S> {
    type Ok = bool;
    type Error = BuildError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        match self {
            Fields::Neutral(open) => open.add_field(name, value),
            Fields::Typed { members, .. } => members.push(name, value),
        }
    }

    #[inline]
    fn end(self) -> Result<bool, BuildError> {
        match self {
            Fields::Neutral(open) => open.end_all(),
            Fields::Typed { writer, name, members } => {
                if let Members::Row(row) = &members
                    && let Some(value) = S::Value::of_row(name, row)
                {
                    return writer.put(value);
                }
                writer.put_of_type(name, Some(Neutral::Map(members.into_any())))
            }
        }
    }
}

//! One reader in the place of all others.
//!
//! What serde reads is compiled once for each type and each reader: texts, values in memory, what was kept for later, each with and
//! without a path. A module of WebAssembly is loaded from a network. There this [`Reader`] stands between: types know it alone, and
//! other readers know one visitor alone. Messages and places of errors stay what they are.

use std::cell::OnceCell;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde_json::Error;

/// Reads a value by the one reader.
pub(crate) fn by_one_reader<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(Reader<'_, 'de>) -> Result<T, Error>,
) -> Result<T, D::Error> {
    read(Reader(&mut Source(Once(Some(deserializer)), Place::Unknown))).map_err(D::Error::custom)
}

/// Reads a value by the one reader. An error comes with its path, as `serde_path_to_error` gives it.
pub(crate) fn with_path<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(Reader<'_, 'de>) -> Result<T, Error>,
) -> Result<T, (String, Error)> {
    let path = OnceCell::new();
    let read = read(Reader(&mut Source(Once(Some(deserializer)), Place::Root(&path))));
    read.map_err(|error| (path.into_inner().unwrap_or_default(), error))
}

/// Where in a document a reader is.
#[derive(Clone, Copy)]
enum Place<'p> {
    /// Nobody wants to know.
    Unknown,
    /// All of the document. Here the path of the first error is kept.
    Root(&'p OnceCell<String>),
    /// An item of a list.
    Item(&'p Place<'p>, usize),
    /// A member, by its name; or the content of a variant.
    Member(&'p Place<'p>, &'p str),
    /// A member whose name cannot be read.
    Unnamed(&'p Place<'p>),
}

impl Place<'_> {
    /// Keeps this path, if it is that of the first error.
    #[cold]
    fn keep(&self) {
        let (mut root, mut steps) = (self, Vec::new());
        while let Place::Item(outer, _) | Place::Member(outer, _) | Place::Unnamed(outer) = root {
            steps.push(root);
            root = outer;
        }
        let Place::Root(path) = root else { return };
        path.get_or_init(|| {
            let mut path = String::new();
            for step in steps.into_iter().rev() {
                let dot = if path.is_empty() { "" } else { "." };
                match step {
                    Place::Item(_, index) => path += &format!("[{index}]"),
                    Place::Member(_, name) => path += &format!("{dot}{name}"),
                    _ => path += &format!("{dot}?"),
                }
            }
            path
        });
    }

    /// An error at this place.
    fn failed(&self, error: impl Display) -> Error {
        self.keep();
        by_json(error)
    }
}

fn by_json(error: impl Display) -> Error {
    Error::custom(error)
}

/// What a type asks a reader for.
#[derive(Clone, Copy)]
enum Hint {
    Any,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Char,
    Str,
    String,
    Bytes,
    ByteBuf,
    Option,
    Unit,
    UnitStruct(&'static str),
    Newtype(&'static str),
    Seq,
    Tuple(usize),
    TupleStruct(&'static str, usize),
    Map,
    Struct(&'static str, &'static [&'static str]),
    Enum(&'static str, &'static [&'static str]),
    Identifier,
    Ignored,
}

/// A value that holds no others.
#[derive(Clone, Copy)]
enum Scalar<'de, 's> {
    Unit,
    None,
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    Str(&'s str),
    Borrowed(&'de str),
    Bytes(&'s [u8]),
}

/// Any reader.
trait AnyReader<'de> {
    fn read(&mut self, hint: Hint, into: &mut dyn AnyVisitor<'de>) -> Result<(), Error>;
}

/// What a reader gives to a visitor.
enum Given<'de, 'g> {
    Scalar(Scalar<'de, 'g>),
    Some(&'g mut dyn AnyReader<'de>),
    Newtype(&'g mut dyn AnyReader<'de>),
    List(&'g mut dyn AnyItems<'de>),
    Map(&'g mut dyn AnyItems<'de>),
    Variant(&'g mut dyn AnyVariant<'de>),
}

/// Any visitor, which keeps what it makes.
trait AnyVisitor<'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn take(&mut self, given: Given<'de, '_>) -> Result<(), Error>;
}

/// What a reader gives that was asked for something: a visitor need not be compiled for anything else.
mod accepts {
    pub(super) const UNIT: u16 = 1;
    pub(super) const BOOL: u16 = 2;
    pub(super) const NUMBER: u16 = 4;
    pub(super) const TEXT: u16 = 8;
    pub(super) const BYTES: u16 = 16;
    pub(super) const OPTION: u16 = 32;
    pub(super) const NEWTYPE: u16 = 64;
    pub(super) const LIST: u16 = 128;
    pub(super) const MAP: u16 = 256;
    pub(super) const VARIANT: u16 = 512;
    pub(super) const ANY: u16 = u16::MAX;
}

/// Any seed, which keeps what it makes.
type AnySeed<'s, 'de> = &'s mut dyn FnMut(&mut dyn AnyReader<'de>) -> Result<(), Error>;

/// The items of a list; the names and values of a map, one after the other.
trait AnyItems<'de> {
    fn next(&mut self, seed: AnySeed<'_, 'de>) -> Result<bool, Error>;
    fn value(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error>;
    fn length(&self) -> Option<usize>;
}

/// A variant of an enum.
trait AnyVariant<'de> {
    fn name(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error>;
    fn unit(&mut self) -> Result<(), Error>;
    fn newtype(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error>;
    fn content(&mut self, hint: Hint, into: &mut dyn AnyVisitor<'de>) -> Result<(), Error>;
}

/// What is used up by its call.
struct Once<T>(Option<T>);

impl<T> Once<T> {
    fn take(&mut self) -> Result<T, Error> {
        self.0.take().ok_or_else(|| by_json("it was read before"))
    }
}

/// A reader that is no reader of this module, and where it is.
struct Source<'p, D>(Once<D>, Place<'p>);

impl<'de, D: Deserializer<'de>> AnyReader<'de> for Source<'_, D> {
    fn read(&mut self, hint: Hint, into: &mut dyn AnyVisitor<'de>) -> Result<(), Error> {
        let reader = self.0.take()?;
        let (place, into) = (self.1, Into(into, self.1));
        let read = match hint {
            Hint::Any => reader.deserialize_any(into),
            Hint::Bool => reader.deserialize_bool(into),
            Hint::I8 => reader.deserialize_i8(into),
            Hint::I16 => reader.deserialize_i16(into),
            Hint::I32 => reader.deserialize_i32(into),
            Hint::I64 => reader.deserialize_i64(into),
            Hint::U8 => reader.deserialize_u8(into),
            Hint::U16 => reader.deserialize_u16(into),
            Hint::U32 => reader.deserialize_u32(into),
            Hint::U64 => reader.deserialize_u64(into),
            Hint::F32 => reader.deserialize_f32(into),
            Hint::F64 => reader.deserialize_f64(into),
            Hint::Char => reader.deserialize_char(into),
            Hint::Str => reader.deserialize_str(into),
            Hint::String => reader.deserialize_string(into),
            Hint::Bytes => reader.deserialize_bytes(into),
            Hint::ByteBuf => reader.deserialize_byte_buf(into),
            Hint::Option => reader.deserialize_option(into),
            Hint::Unit => reader.deserialize_unit(into),
            Hint::UnitStruct(name) => reader.deserialize_unit_struct(name, into),
            Hint::Newtype(name) => reader.deserialize_newtype_struct(name, into),
            Hint::Seq => reader.deserialize_seq(into),
            Hint::Tuple(length) => reader.deserialize_tuple(length, into),
            Hint::TupleStruct(name, length) => reader.deserialize_tuple_struct(name, length, into),
            Hint::Map => reader.deserialize_map(into),
            Hint::Struct(name, fields) => reader.deserialize_struct(name, fields, into),
            Hint::Enum(name, variants) => reader.deserialize_enum(name, variants, into),
            Hint::Identifier => reader.deserialize_identifier(into),
            Hint::Ignored => reader.deserialize_ignored_any(into),
        };
        read.map_err(|error| place.failed(error))
    }
}

/// The name of a member or variant.
struct Name<'n>(&'n str);

impl<'de> AnyReader<'de> for Name<'_> {
    fn read(&mut self, hint: Hint, into: &mut dyn AnyVisitor<'de>) -> Result<(), Error> {
        into.take(match hint {
            Hint::Newtype(_) => Given::Newtype(self),
            Hint::Option => Given::Some(self),
            _ => Given::Scalar(Scalar::Str(self.0)),
        })
    }
}

/// The visitor that other readers know, and where they are.
struct Into<'v, 'p, 'de>(&'v mut dyn AnyVisitor<'de>, Place<'p>);

impl<'de> Into<'_, '_, 'de> {
    fn scalar<E: serde::de::Error>(self, value: Scalar<'de, '_>) -> Result<(), E> {
        self.0.take(Given::Scalar(value)).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for Into<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.scalar(Scalar::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.scalar(Scalar::I64(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.scalar(Scalar::U64(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.scalar(Scalar::F64(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.scalar(Scalar::Str(value))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, value: &'de str) -> Result<(), E> {
        self.scalar(Scalar::Borrowed(value))
    }

    fn visit_bytes<E: serde::de::Error>(self, value: &[u8]) -> Result<(), E> {
        self.scalar(Scalar::Bytes(value))
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.scalar(Scalar::None)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.scalar(Scalar::Unit)
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.0.take(Given::Some(&mut Source(Once(Some(reader)), self.1))).map_err(D::Error::custom)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.0.take(Given::Newtype(&mut Source(Once(Some(reader)), self.1))).map_err(D::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.0.take(Given::List(&mut Items(items, self.1, 0))).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        self.0.take(Given::Map(&mut Members { members, place: self.1, name: None })).map_err(A::Error::custom)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<(), A::Error> {
        let mut variant = Variant::<A, A::Variant> { variant: Some(variant), content: None, place: self.1 };
        self.0.take(Given::Variant(&mut variant)).map_err(A::Error::custom)
    }
}

/// The seed that other readers know, and where they are.
struct Seed<'s, 'p, 'de>(AnySeed<'s, 'de>, Place<'p>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        (self.0)(&mut Source(Once(Some(reader)), self.1)).map_err(|error| D::Error::custom(self.1.failed(error)))
    }
}

struct Items<'p, A>(A, Place<'p>, usize);

impl<'de, A: SeqAccess<'de>> AnyItems<'de> for Items<'_, A> {
    fn next(&mut self, seed: AnySeed<'_, 'de>) -> Result<bool, Error> {
        let Items(items, place, index) = self;
        let item = Place::Item(place, *index);
        *index = index.saturating_add(1);
        items.next_element_seed(Seed(seed, item)).map(|read| read.is_some()).map_err(|error| place.failed(error))
    }

    fn value(&mut self, _: AnySeed<'_, 'de>) -> Result<(), Error> {
        Err(by_json("a list has no names"))
    }

    fn length(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct Members<'p, A> {
    members: A,
    place: Place<'p>,
    /// The name of the next value.
    name: Option<String>,
}

impl<'de, A: MapAccess<'de>> AnyItems<'de> for Members<'_, A> {
    fn next(&mut self, seed: AnySeed<'_, 'de>) -> Result<bool, Error> {
        let name = self.members.next_key::<String>().map_err(|error| Place::Unnamed(&self.place).failed(error))?;
        self.name = name;
        let Some(name) = &self.name else { return Ok(false) };
        seed(&mut Name(name)).map_err(|error| Place::Member(&self.place, name).failed(error))?;
        Ok(true)
    }

    fn value(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error> {
        let name = self.name.take();
        let place = name.as_ref().map_or(Place::Unnamed(&self.place), |name| Place::Member(&self.place, name));
        self.members.next_value_seed(Seed(seed, place)).map_err(|error| self.place.failed(error))
    }

    fn length(&self) -> Option<usize> {
        self.members.size_hint()
    }
}

struct Variant<'p, A, C> {
    variant: Option<A>,
    content: Option<(String, C)>,
    place: Place<'p>,
}

impl<A, C> Variant<'_, A, C> {
    fn content(&mut self) -> Result<(String, C), Error> {
        self.content.take().ok_or_else(|| by_json("the variant was read before"))
    }
}

impl<'de, A, C> AnyVariant<'de> for Variant<'_, A, C>
where
    A: EnumAccess<'de, Variant = C>,
    C: VariantAccess<'de, Error = A::Error>,
{
    fn name(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error> {
        let variant = self.variant.take().ok_or_else(|| by_json("the variant was read before"))?;
        let read = variant.variant_seed(PhantomData::<String>).map_err(|error| self.place.failed(error))?;
        let (name, _) = self.content.insert(read);
        seed(&mut Name(name)).map_err(|error| self.place.failed(error))
    }

    fn unit(&mut self) -> Result<(), Error> {
        let (name, content) = Variant::content(self)?;
        content.unit_variant().map_err(|error| Place::Member(&self.place, &name).failed(error))
    }

    fn newtype(&mut self, seed: AnySeed<'_, 'de>) -> Result<(), Error> {
        let (name, content) = Variant::content(self)?;
        let place = Place::Member(&self.place, &name);
        content.newtype_variant_seed(Seed(seed, place)).map_err(|error| place.failed(error))
    }

    fn content(&mut self, hint: Hint, into: &mut dyn AnyVisitor<'de>) -> Result<(), Error> {
        let (name, content) = Variant::content(self)?;
        let place = Place::Member(&self.place, &name);
        let into = Into(into, place);
        let read = match hint {
            Hint::Tuple(length) => content.tuple_variant(length, into),
            Hint::Struct(_, fields) => content.struct_variant(fields, into),
            _ => return Err(by_json("a variant holds a list or an object")),
        };
        read.map_err(|error| place.failed(error))
    }
}

/// The visitor of a type, for what it asked for.
struct Of<V, T, const ACCEPTS: u16> {
    visitor: Once<V>,
    made: Option<T>,
}

impl<'de, V: Visitor<'de>, const ACCEPTS: u16> Of<V, V::Value, ACCEPTS> {
    fn new(visitor: V) -> Self {
        Of { visitor: Once(Some(visitor)), made: None }
    }
}

fn made<T>(made: Option<T>) -> Result<T, Error> {
    made.ok_or_else(|| by_json("nothing was read"))
}

/// The error of a visitor that does not take what it is given.
#[cold]
fn refused(given: &Given<'_, '_>, expected: &dyn Expected) -> Error {
    let unexpected = match given {
        Given::Scalar(Scalar::Unit) => Unexpected::Unit,
        Given::Scalar(Scalar::None) | Given::Some(_) => Unexpected::Option,
        Given::Scalar(Scalar::Bool(value)) => Unexpected::Bool(*value),
        Given::Scalar(Scalar::I64(value)) => Unexpected::Signed(*value),
        Given::Scalar(Scalar::U64(value)) => Unexpected::Unsigned(*value),
        Given::Scalar(Scalar::F64(value)) => Unexpected::Float(*value),
        Given::Scalar(Scalar::Str(value) | Scalar::Borrowed(value)) => Unexpected::Str(value),
        Given::Scalar(Scalar::Bytes(value)) => Unexpected::Bytes(value),
        Given::Newtype(_) => Unexpected::NewtypeStruct,
        Given::List(_) => Unexpected::Seq,
        Given::Map(_) => Unexpected::Map,
        Given::Variant(_) => Unexpected::Enum,
    };
    Error::invalid_type(unexpected, expected)
}

impl<'de, V: Visitor<'de>, const ACCEPTS: u16> AnyVisitor<'de> for Of<V, V::Value, ACCEPTS> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.visitor.0 {
            Some(visitor) => visitor.expecting(f),
            None => f.write_str("nothing"),
        }
    }

    fn take(&mut self, given: Given<'de, '_>) -> Result<(), Error> {
        let visitor = self.visitor.take()?;
        let made = match given {
            Given::Map(members) if ACCEPTS & accepts::MAP != 0 => visitor.visit_map(Access(members)),
            Given::List(items) if ACCEPTS & accepts::LIST != 0 => visitor.visit_seq(Access(items)),
            Given::Variant(variant) if ACCEPTS & accepts::VARIANT != 0 => visitor.visit_enum(VariantReader(variant)),
            Given::Newtype(reader) if ACCEPTS & accepts::NEWTYPE != 0 => visitor.visit_newtype_struct(Reader(reader)),
            Given::Some(reader) if ACCEPTS & accepts::OPTION != 0 => visitor.visit_some(Reader(reader)),
            Given::Scalar(Scalar::None) if ACCEPTS & accepts::OPTION != 0 => visitor.visit_none(),
            Given::Scalar(Scalar::Unit) if ACCEPTS & accepts::UNIT != 0 => visitor.visit_unit(),
            Given::Scalar(Scalar::Bool(value)) if ACCEPTS & accepts::BOOL != 0 => visitor.visit_bool(value),
            Given::Scalar(Scalar::I64(value)) if ACCEPTS & accepts::NUMBER != 0 => visitor.visit_i64(value),
            Given::Scalar(Scalar::U64(value)) if ACCEPTS & accepts::NUMBER != 0 => visitor.visit_u64(value),
            Given::Scalar(Scalar::F64(value)) if ACCEPTS & accepts::NUMBER != 0 => visitor.visit_f64(value),
            Given::Scalar(Scalar::Str(value)) if ACCEPTS & accepts::TEXT != 0 => visitor.visit_str(value),
            Given::Scalar(Scalar::Borrowed(value)) if ACCEPTS & accepts::TEXT != 0 => visitor.visit_borrowed_str(value),
            Given::Scalar(Scalar::Bytes(value)) if ACCEPTS & accepts::BYTES != 0 => visitor.visit_bytes(value),
            other => Err(refused(&other, &visitor)),
        };
        self.made = Some(made?);
        Ok(())
    }
}

/// The reader that types know.
pub(crate) struct Reader<'r, 'de>(&'r mut dyn AnyReader<'de>);

impl<'de> Reader<'_, 'de> {
    fn read<V: Visitor<'de>, const ACCEPTS: u16>(self, hint: Hint, visitor: V) -> Result<V::Value, Error> {
        let mut visitor = Of::<V, V::Value, ACCEPTS>::new(visitor);
        self.0.read(hint, &mut visitor)?;
        made(visitor.made)
    }
}

macro_rules! hints {
    ($($method:ident($($argument:ident: $type:ty),*) $hint:expr, $($accepts:ident)|*;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Error> {
            self.read::<V, { $(accepts::$accepts)|* }>($hint, visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_, 'de> {
    type Error = Error;

    hints! {
        deserialize_any() Hint::Any, ANY;
        deserialize_bool() Hint::Bool, BOOL;
        deserialize_i8() Hint::I8, NUMBER;
        deserialize_i16() Hint::I16, NUMBER;
        deserialize_i32() Hint::I32, NUMBER;
        deserialize_i64() Hint::I64, NUMBER;
        deserialize_u8() Hint::U8, NUMBER;
        deserialize_u16() Hint::U16, NUMBER;
        deserialize_u32() Hint::U32, NUMBER;
        deserialize_u64() Hint::U64, NUMBER;
        deserialize_f32() Hint::F32, NUMBER;
        deserialize_f64() Hint::F64, NUMBER;
        deserialize_char() Hint::Char, TEXT;
        deserialize_str() Hint::Str, TEXT;
        deserialize_string() Hint::String, TEXT;
        deserialize_bytes() Hint::Bytes, ANY;
        deserialize_byte_buf() Hint::ByteBuf, ANY;
        deserialize_option() Hint::Option, OPTION | UNIT;
        deserialize_unit() Hint::Unit, UNIT;
        deserialize_unit_struct(name: &'static str) Hint::UnitStruct(name), UNIT;
        deserialize_newtype_struct(name: &'static str) Hint::Newtype(name), NEWTYPE | MAP;
        deserialize_seq() Hint::Seq, LIST;
        deserialize_tuple(length: usize) Hint::Tuple(length), LIST;
        deserialize_tuple_struct(name: &'static str, length: usize) Hint::TupleStruct(name, length), LIST;
        deserialize_map() Hint::Map, MAP;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) Hint::Struct(name, fields), MAP | LIST;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) Hint::Enum(name, variants), VARIANT;
        deserialize_identifier() Hint::Identifier, TEXT | NUMBER;
        deserialize_ignored_any() Hint::Ignored, ANY;
    }
}

/// Items and members, as visitors of types know them.
struct Access<'a, 'de>(&'a mut dyn AnyItems<'de>);

/// Calls something that takes any seed with the seed of a type.
fn seeded<'de, S: DeserializeSeed<'de>, T>(
    seed: S,
    call: impl FnOnce(AnySeed<'_, 'de>) -> Result<T, Error>,
) -> Result<(T, Option<S::Value>), Error> {
    let (mut seed, mut made) = (Once(Some(seed)), None);
    let called = call(&mut |reader| {
        made = Some(seed.take()?.deserialize(Reader(reader))?);
        Ok(())
    })?;
    Ok((called, made))
}

impl<'de> SeqAccess<'de> for Access<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        seeded(seed, |seed| self.0.next(seed)).map(|(_, made)| made)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.length()
    }
}

impl<'de> MapAccess<'de> for Access<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        seeded(seed, |seed| self.0.next(seed)).map(|(_, made)| made)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seeded(seed, |seed| self.0.value(seed)).and_then(|(_, read)| made(read))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.length()
    }
}

/// A variant, as visitors of types know it.
struct VariantReader<'a, 'de>(&'a mut dyn AnyVariant<'de>);

impl<'de> EnumAccess<'de> for VariantReader<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let (_, read) = seeded(seed, |seed| self.0.name(seed))?;
        Ok((made(read)?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.0.unit()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seeded(seed, |seed| self.0.newtype(seed)).and_then(|(_, read)| made(read))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        let mut visitor = Of::<V, V::Value, { accepts::LIST }>::new(visitor);
        self.0.content(Hint::Tuple(length), &mut visitor)?;
        made(visitor.made)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let mut visitor = Of::<V, V::Value, { accepts::MAP | accepts::LIST }>::new(visitor);
        self.0.content(Hint::Struct("", fields), &mut visitor)?;
        made(visitor.made)
    }
}

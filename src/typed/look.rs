//! The first look that serde has at a value, and the readers of values.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use super::error::ReadError;
use super::plain::Neutral;
use crate::member::{Child, Held, Holder};
use crate::wire::ByteString;

/// A value as far as its first look: of a container, how many items follow.
pub(crate) enum Look<'de> {
    Unit,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Single(f32),
    Double(f64),
    /// Text that is known to be UTF-8.
    Str(&'de str),
    /// This many values. With the number of the first, they are also entries whose keys are numbers.
    Seq(usize, Option<i64>),
    /// This many keys, each before its value. [`Reader::expect_name`] comes before each key if they are `named`.
    Map {
        count: usize,
        named: bool,
    },
    /// A structure of up to four numbers.
    Record(Record),
    Rare(Rare<'de>),
}

/// Looks that may own memory. They are separate, so that dropping any other does nothing.
pub(crate) enum Rare<'de> {
    /// Text, perhaps not UTF-8.
    Text(Cow<'de, [u8]>),
    Bytes(Cow<'de, [u8]>),
    /// Values that are made on request, one at a time.
    List(List<'de>),
    /// A structure.
    Neutral(Neutral<'de>),
}

/// Up to four numbers with their names.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub(crate) names: &'static [&'static str],
    pub(crate) numbers: Numbers,
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Single(f32),
    Double(f64),
    Int(i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    Single([f32; 4]),
    Double([f64; 4]),
    Int([i32; 4]),
}

impl Record {
    #[inline]
    pub(crate) fn number(&self, index: usize) -> Option<Number> {
        match &self.numbers {
            Numbers::Single(numbers) => numbers.get(index).copied().map(Number::Single),
            Numbers::Double(numbers) => numbers.get(index).copied().map(Number::Double),
            Numbers::Int(numbers) => numbers.get(index).map(|number| Number::Int((*number).into())),
        }
    }
}

/// Values by their places.
pub(crate) struct List<'de> {
    pub(crate) length: usize,
    pub(crate) item: Box<dyn Fn(usize) -> Option<Neutral<'de>> + 'de>,
}

/// Reads values in order: first the head of a container, then its items.
pub(crate) trait Reader<'de> {
    const RULES: Rules;

    /// The name of the type of the next value.
    fn type_name(&mut self) -> Result<&'static str, ReadError>;

    /// Returns true if the next value is null.
    fn is_unit(&mut self) -> Result<bool, ReadError>;

    /// Reads the next value, or the head of a container.
    fn next(&mut self) -> Result<Look<'de>, ReadError>;

    /// Reads the next value if it is UTF-8 in the input, which most keys and names are; else it stays the next. Text that is
    /// `likely` is known to be UTF-8.
    #[inline]
    fn next_str(&mut self, _likely: &'static str) -> Result<Option<&'de str>, ReadError> {
        Ok(None)
    }

    /// Reads the next value to its end.
    fn skip(&mut self) -> Result<(), ReadError>;

    /// The bytes of the next value, as a field that holds any value gets them.
    fn exact(&mut self) -> Result<Cow<'de, [u8]>, ReadError>;

    /// The items of a container follow.
    #[inline]
    fn enter(&mut self) {}

    /// They end here.
    #[inline]
    fn leave(&mut self) {}

    /// The next value is the name of a property.
    #[inline]
    fn expect_name(&mut self) {}

    /// Returns true if the next value is a key that comes again later.
    #[inline]
    fn is_overridden(&mut self) -> bool {
        false
    }
}

/// A [`Reader`] of one number of a structure.
pub(crate) struct One(pub(crate) Option<Number>);

impl<'de> Reader<'de> for One {
    const RULES: Rules = <Neutral<'de> as Value<'de>>::RULES;

    fn type_name(&mut self) -> Result<&'static str, ReadError> {
        Ok("a number")
    }

    #[inline]
    fn is_unit(&mut self) -> Result<bool, ReadError> {
        Ok(false)
    }

    #[inline]
    fn next(&mut self) -> Result<Look<'de>, ReadError> {
        Ok(match self.0.take().ok_or_else(ReadError::broken)? {
            Number::Single(number) => Look::Single(number),
            Number::Double(number) => Look::Double(number),
            Number::Int(number) => Look::Int(number),
        })
    }

    fn skip(&mut self) -> Result<(), ReadError> {
        self.next().map(|_| ())
    }

    fn exact(&mut self) -> Result<Cow<'de, [u8]>, ReadError> {
        Err(ReadError::mismatch("a number", "a value with a type"))
    }
}

/// The differences between the formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The name, for serde, of a field that holds any value of the format.
    pub(crate) exact: &'static str,
    /// True if all numbers are of one type, so that one without a fraction is an integer.
    pub(crate) whole: bool,
    /// True if keys are text, so that other keys are written as text.
    pub(crate) text_keys: bool,
    /// True if an empty list and an empty map are the same.
    pub(crate) tables: bool,
    /// True if an empty list is read as `()`.
    pub(crate) empty_unit: bool,
    /// True for the inside of an engine's structure, which is not a format.
    pub(crate) structures: bool,
}

/// A value in memory.
pub(crate) trait Value<'de>: Holder<'de> {
    const RULES: Rules;

    fn type_name(&self) -> &'static str;

    fn is_unit(&self) -> bool;

    /// The look at a value that holds no others.
    fn look_of_leaf(&self) -> Look<'de>;

    fn look(&self) -> Look<'de> {
        match self.held() {
            Held::Nothing => self.look_of_leaf(),
            Held::List { first, length } => Look::Seq(length, first),
            Held::Map { length, named } => Look::Map { count: length, named },
        }
    }

    /// The bytes that [`exact`](Reader::exact) gives.
    fn to_exact(&self) -> Option<Vec<u8>>;
}

/// The text of a key, borrowed if it can be.
pub(crate) fn text<'de>(text: &ByteString<'de>) -> Cow<'de, [u8]> {
    match text.as_borrowed() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(text.to_vec()),
    }
}

/// A [`Reader`] of a value in memory.
pub(crate) struct Walk<'t, 'de, T> {
    root: Option<&'t T>,
    /// The containers that are being read, each with something left to read.
    inside: Vec<Level<'t, T>>,
    last_duplicate: bool,
    marker: std::marker::PhantomData<&'t &'de ()>,
}

struct Level<'t, T> {
    container: &'t T,
    next: usize,
    end: usize,
    /// For each key, true if it comes again later.
    overridden: Vec<bool>,
}

impl<T> fmt::Debug for Walk<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").finish_non_exhaustive()
    }
}

impl<'t, 'de, T: Value<'de>> Walk<'t, 'de, T> {
    pub(crate) fn new(value: &'t T, last_duplicate: bool) -> Self {
        Walk { root: Some(value), inside: Vec::new(), last_duplicate, marker: std::marker::PhantomData }
    }

    fn peek(&self) -> Result<Child<'t, 'de, T>, ReadError> {
        let child = match self.inside.last() {
            Some(level) => level.container.child(level.next),
            None => self.root.map(Child::Value),
        };
        child.ok_or_else(ReadError::broken)
    }

    fn advance(&mut self) {
        match self.inside.last_mut() {
            Some(level) => {
                level.next = level.next.saturating_add(1);
                if level.next >= level.end {
                    self.inside.pop();
                }
            }
            None => self.root = None,
        }
    }

    /// Continues with the items of a container.
    fn open(&mut self, container: &'t T, end: usize, is_map: bool) {
        if end > 0 {
            let overridden = if self.last_duplicate && is_map { overridden(container, end) } else { Vec::new() };
            self.inside.push(Level { container, next: 0, end, overridden });
        }
    }
}

/// For each key of a container, true if it comes again later.
fn overridden<'de, T: Value<'de>>(container: &T, end: usize) -> Vec<bool> {
    let mut seen = HashSet::new();
    let mut keys: Vec<_> = (0..end)
        .step_by(2)
        .rev()
        .map(|index| match container.child(index) {
            Some(Child::Key(key)) => !seen.insert(text(key)),
            Some(Child::Value(key)) => match key.look() {
                Look::Rare(Rare::Text(text)) => !seen.insert(text),
                Look::Str(text) => !seen.insert(text.as_bytes().into()),
                _ => false,
            },
            None => false,
        })
        .collect();
    keys.reverse();
    keys
}

impl<'de, T: Value<'de>> Reader<'de> for Walk<'_, 'de, T> {
    const RULES: Rules = T::RULES;

    fn type_name(&mut self) -> Result<&'static str, ReadError> {
        Ok(match self.peek()? {
            Child::Value(value) => value.type_name(),
            Child::Key(_) => "String",
        })
    }

    fn is_unit(&mut self) -> Result<bool, ReadError> {
        Ok(match self.peek()? {
            Child::Value(value) => value.is_unit(),
            Child::Key(_) => false,
        })
    }

    fn next(&mut self) -> Result<Look<'de>, ReadError> {
        let child = self.peek()?;
        self.advance();
        let value = match child {
            Child::Value(value) => value,
            Child::Key(key) => return Ok(Look::Rare(Rare::Text(text(key)))),
        };
        let look = value.look();
        match &look {
            Look::Seq(count, _) => self.open(value, *count, false),
            Look::Map { count, .. } => self.open(value, count.saturating_mul(2), true),
            _ => {}
        }
        Ok(look)
    }

    fn skip(&mut self) -> Result<(), ReadError> {
        self.peek()?;
        self.advance();
        Ok(())
    }

    fn exact(&mut self) -> Result<Cow<'de, [u8]>, ReadError> {
        match self.peek()? {
            Child::Value(value) => {
                self.advance();
                value.to_exact().map(Cow::Owned).ok_or_else(ReadError::broken)
            }
            Child::Key(_) => Err(ReadError::mismatch("the key of an entry", "a value")),
        }
    }

    fn is_overridden(&mut self) -> bool {
        let level = self.inside.last();
        level.and_then(|level| level.overridden.get(level.next / 2)).copied().unwrap_or_default()
    }
}

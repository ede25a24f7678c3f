//! The messages that an engine and its debugger send to each other: values, each with its length before it.

use thiserror::Error;

use enginewire::godot::Variant;
use enginewire::godot::Version;
use enginewire::wire::ByteString;

/// A message of a debugger.
///
/// | version | values |
/// |---|---|
/// | 3 | name: String, count of arguments: int, arguments: each a value of its own |
/// | 4 | one Array of name: String, thread id: int, arguments: Array |
///
/// Specification: `docs/spec/godot-variant.md`, section Debugger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message<'a> {
    /// Its name: `output`, `stack_dump`.
    pub name: ByteString<'a>,
    /// The number of the thread that it is about; none in version 3.
    pub thread_id: Option<i64>,
    /// Its arguments.
    pub arguments: Vec<Variant<'a>>,
}

/// Why a value cannot be part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MessageError {
    /// Its type is not the one that a message has there.
    #[error("expected {expected} of a message, found a value of type {found}")]
    Type {
        /// The name of the type in version 4.
        found: &'static str,
        /// The part of the message that was expected.
        expected: &'static str,
    },
    /// It is an array of version 4 that does not have three elements.
    #[error("expected a message of 3 elements, found {0}")]
    Elements(usize),
    /// It is a count of arguments below 0.
    #[error("expected a count of arguments, found {0}")]
    Count(i64),
}

/// Puts messages together from the values that a [`FrameDecoder`](enginewire::godot::FrameDecoder) gives.
///
/// ```
/// use enginewire::godot::{Variant, Version};
/// use enginewire_files::godot::debugger::Messages;
///
/// let mut messages = Messages::new(Version::V3);
/// assert_eq!(messages.push("output".into())?, None);
/// assert_eq!(messages.push(Variant::Int(1))?, None);
/// let message = messages.push("hello".into())?.unwrap();
/// assert_eq!(message.name, "output");
/// assert_eq!(message.arguments, ["hello".into()]);
/// # Ok::<(), enginewire_files::godot::debugger::MessageError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Messages {
    version: Version,
    unfinished: Option<Unfinished>,
}

/// A message of version 3 whose values have not all come.
#[derive(Clone, Debug)]
struct Unfinished {
    message: Message<'static>,
    /// The number of its arguments, once that has arrived.
    count: Option<i64>,
}

impl Messages {
    /// At the start of a message.
    #[must_use]
    pub const fn new(version: Version) -> Self {
        Messages { version, unfinished: None }
    }

    /// Returns true if a message has begun and is not complete.
    #[must_use]
    pub const fn is_within(&self) -> bool {
        self.unfinished.is_some()
    }

    /// The message that this value completes, if it does.
    ///
    /// # Errors
    ///
    /// If a message cannot have this value here. The next value begins a new message.
    pub fn push(&mut self, value: Variant<'_>) -> Result<Option<Message<'static>>, MessageError> {
        let value = value.into_owned();
        if self.version == Version::V4 {
            return whole(value).map(Some);
        }
        let Some(mut unfinished) = self.unfinished.take() else {
            let message = Message { name: name(value)?, ..Message::default() };
            self.unfinished = Some(Unfinished { message, count: None });
            return Ok(None);
        };
        match unfinished.count {
            None => {
                unfinished.count = Some(number(&value, "the count").and_then(|count| match count {
                    0.. => Ok(count),
                    _ => Err(MessageError::Count(count)),
                })?)
            }
            Some(_) => unfinished.message.arguments.push(value),
        }
        if unfinished.count == i64::try_from(unfinished.message.arguments.len()).ok() {
            return Ok(Some(unfinished.message));
        }
        self.unfinished = Some(unfinished);
        Ok(None)
    }
}

impl<'a> Message<'a> {
    /// The values that it is written as, each to be [framed](enginewire::godot::encode_frame). In version 4, a message without
    /// a thread is about thread 1.
    pub fn into_values(self, version: Version) -> Vec<Variant<'a>> {
        let Message { name, thread_id, arguments } = self;
        let name = Variant::String(name);
        match version {
            Version::V3 => {
                let count = Variant::Int(i64::try_from(arguments.len()).unwrap_or(i64::MAX));
                [name, count].into_iter().chain(arguments).collect()
            }
            Version::V4 => vec![vec![name, Variant::Int(thread_id.unwrap_or(1)), arguments.into()].into()],
        }
    }
}

/// A message of version 4.
fn whole(value: Variant<'static>) -> Result<Message<'static>, MessageError> {
    let elements: Result<[Variant<'static>; 3], _> = array(value, "the array")?.try_into();
    let [name_value, thread_value, arguments] =
        elements.map_err(|elements: Vec<_>| MessageError::Elements(elements.len()))?;
    Ok(Message {
        name: name(name_value)?,
        thread_id: Some(number(&thread_value, "the thread id")?),
        arguments: array(arguments, "the arguments")?,
    })
}

fn name(value: Variant<'static>) -> Result<ByteString<'static>, MessageError> {
    match value {
        Variant::String(name) => Ok(name),
        other => Err(unexpected(&other, "the name")),
    }
}

fn number(value: &Variant<'_>, expected: &'static str) -> Result<i64, MessageError> {
    match value {
        Variant::Int(number) => Ok(*number),
        other => Err(unexpected(other, expected)),
    }
}

fn array(value: Variant<'static>, expected: &'static str) -> Result<Vec<Variant<'static>>, MessageError> {
    match value {
        Variant::Array(array) => Ok(array.elements),
        other => Err(unexpected(&other, expected)),
    }
}

fn unexpected(found: &Variant<'_>, expected: &'static str) -> MessageError {
    MessageError::Type { found: found.type_id().name(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enginewire::godot::Array;
    use enginewire::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    fn all(version: Version, values: Vec<Variant<'static>>) -> Vec<Result<Option<Message<'static>>, String>> {
        let mut messages = Messages::new(version);
        values.into_iter().map(|value| messages.push(value).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn messages_come_back_as_values() {
        for arguments in [vec![], vec![Variant::Int(7), "a".into()]] {
            let message = Message { name: "output".into_byte_string(), thread_id: None, arguments };
            let found = all(Version::V3, message.clone().into_values(Version::V3));
            assert_eq!(found.last(), Some(&Ok(Some(message.clone()))));
            let message = Message { thread_id: Some(4), ..message };
            assert_eq!(all(Version::V4, message.clone().into_values(Version::V4)), [Ok(Some(message))]);
        }
    }

    #[test]
    fn values_out_of_place_are_errors_and_the_next_message_is_read() {
        let values =
            vec![Variant::Null, "a".into(), "b".into(), "c".into(), Variant::Int(-1), "d".into(), Variant::Int(0)];
        let expected = [
            Err("expected the name of a message, found a value of type null".to_owned()),
            Ok(None),
            Err("expected the count of a message, found a value of type String".to_owned()),
            Ok(None),
            Err("expected a count of arguments, found -1".to_owned()),
            Ok(None),
            Ok(Some(Message { name: "d".into_byte_string(), ..Message::default() })),
        ];
        assert_eq!(all(Version::V3, values), expected);
        let values = vec![Variant::Bool(true), vec![Variant::Null].into()];
        let expected = [
            Err("expected the array of a message, found a value of type bool".to_owned()),
            Err("expected a message of 3 elements, found 1".to_owned()),
        ];
        assert_eq!(all(Version::V4, values), expected);
    }

    #[test]
    fn a_message_begins_and_ends() {
        let mut messages = Messages::new(Version::V3);
        let mut is_within = |value| {
            messages.push(value).unwrap();
            messages.is_within()
        };
        assert!(is_within("a".into()) && is_within(Variant::Int(2)) && is_within(Variant::Null));
        assert!(!is_within(Variant::Null));
        assert!(is_within("b".into()) && !is_within(Variant::Int(0)));
        let mut messages = Messages::new(Version::V4);
        assert!(!messages.is_within());
        let message = Message { name: "a".into_byte_string(), ..Message::default() };
        let values = message.clone().into_values(Version::V4);
        assert_eq!(values, [vec!["a".into(), Variant::Int(1), Array::default().into()].into()]);
        for value in values {
            assert_eq!(messages.push(value), Ok(Some(Message { thread_id: Some(1), ..message.clone() })));
        }
        assert!(!messages.is_within());
    }

    #[test]
    fn every_part_of_a_message_of_version_4_has_a_type() {
        let message = |name: Variant<'static>, thread: Variant<'static>, arguments: Variant<'static>| {
            let found = all(Version::V4, vec![vec![name, thread, arguments].into()]);
            found.into_iter().next().unwrap().err()
        };
        assert_eq!(message("a".into(), 1.into(), Array::default().into()), None);
        let error = |part, found| Some(format!("expected {part} of a message, found a value of type {found}"));
        assert_eq!(message(1.into(), 1.into(), Array::default().into()), error("the name", "int"));
        assert_eq!(message("a".into(), "b".into(), Array::default().into()), error("the thread id", "String"));
        assert_eq!(message("a".into(), 1.into(), Variant::Null), error("the arguments", "null"));
    }
}

//! What an engine and its debugger say to each other: messages made of values, each with its length before it.

use thiserror::Error;

use crate::godot::variant::{Array, Variant};
use crate::godot::version::Version;
use crate::wire::ByteString;

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
    /// What it is called: `output`, `stack_dump`.
    pub name: ByteString<'a>,
    /// The thread that it is about; nothing in version 3.
    pub thread_id: Option<i64>,
    /// What it says.
    pub arguments: Vec<Variant<'a>>,
}

/// Why a value is no part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It has another type.
    #[error("{found} where {expected} of a message should be")]
    Type {
        /// The name of the type in version 4.
        found: &'static str,
        /// What should be there.
        expected: &'static str,
    },
    /// An array of version 4 that has not three elements.
    #[error("a message of {0} elements, not 3")]
    Elements(usize),
    /// A count of arguments below 0.
    #[error("a message with {0} arguments")]
    Count(i64),
}

/// Makes messages of the values that a [`FrameDecoder`](super::FrameDecoder) gives.
///
/// ```
/// use enginewire::godot::{debugger::Messages, Variant, Version};
///
/// let mut messages = Messages::new(Version::V3);
/// assert_eq!(messages.push("output".into())?, None);
/// assert_eq!(messages.push(Variant::Int(1))?, None);
/// let message = messages.push("hello".into())?.unwrap();
/// assert_eq!(message.name.as_ref(), "output");
/// assert_eq!(message.arguments, ["hello".into()]);
/// # Ok::<(), enginewire::godot::debugger::MessageError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Messages {
    version: Version,
    begun: Option<HeadResult>,
}

/// A message of version 3 of which something is still to come.
#[derive(Clone, Debug)]
struct HeadResult {
    message: Message<'static>,
    /// How many arguments it says that it has.
    count: Option<i64>,
}

impl Messages {
    /// At the start of a message.
    #[must_use]
    pub const fn new(version: Version) -> Self {
        Messages { version, begun: None }
    }

    /// Whether a message has begun and is not complete.
    #[must_use]
    pub const fn is_within(&self) -> bool {
        self.begun.is_some()
    }

    /// The message that this value completes, if it does.
    ///
    /// # Errors
    ///
    /// If no message has such a value in this place. The next value begins a new one.
    pub fn push(&mut self, value: Variant<'_>) -> Result<Option<Message<'static>>, MessageError> {
        let value = value.into_owned();
        if self.version == Version::V4 {
            return whole(value).map(Some);
        }
        let Some(mut begun) = self.begun.take() else {
            let message = Message { name: name(value)?, ..Message::default() };
            self.begun = Some(HeadResult { message, count: None });
            return Ok(None);
        };
        match begun.count {
            None => {
                begun.count = Some(number(&value, "the count").and_then(|count| match count {
                    0.. => Ok(count),
                    _ => Err(MessageError::Count(count)),
                })?)
            }
            Some(_) => begun.message.arguments.push(value),
        }
        if begun.count == i64::try_from(begun.message.arguments.len()).ok() {
            return Ok(Some(begun.message));
        }
        self.begun = Some(begun);
        Ok(None)
    }
}

impl<'a> Message<'a> {
    /// The values that it is written as, each to be [framed](super::encode_frame). Without a thread it is about the
    /// first.
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
        Variant::Array(Array { elements, .. }) => Ok(elements),
        other => Err(unexpected(&other, expected)),
    }
}

fn unexpected(found: &Variant<'_>, expected: &'static str) -> MessageError {
    MessageError::Type { found: found.type_id().name(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::IntoByteString;
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
    fn what_is_no_message_is_told_and_the_next_one_read() {
        let values =
            vec![Variant::Null, "a".into(), "b".into(), "c".into(), Variant::Int(-1), "d".into(), Variant::Int(0)];
        let expected = [
            Err("null where the name of a message should be".to_owned()),
            Ok(None),
            Err("String where the count of a message should be".to_owned()),
            Ok(None),
            Err("a message with -1 arguments".to_owned()),
            Ok(None),
            Ok(Some(Message { name: "d".into_byte_string(), ..Message::default() })),
        ];
        assert_eq!(all(Version::V3, values), expected);
        let values = vec![Variant::Bool(true), vec![Variant::Null].into()];
        let expected = [
            Err("bool where the array of a message should be".to_owned()),
            Err("a message of 1 elements, not 3".to_owned()),
        ];
        assert_eq!(all(Version::V4, values), expected);
    }
}

//! Values inside values, without recursion: the stack is a list, so that depth takes no stack of the thread.

use std::fmt;

use super::error::{expected, invalid, Read};
use super::lex::space;
use crate::TextError;

/// The start of a value.
pub(crate) enum Head<V, O> {
    /// It holds no others, and is complete.
    Value(V),
    /// It is a container, read up to its first item.
    Container(O),
}

/// A notation of values that hold values.
pub(crate) trait Nested {
    type Value;
    /// The type that a container requires of its items.
    type Type;
    /// A container that is being read.
    type Open;

    /// True if the limit of depth counts the containers around a value, so that one more container may be there if it is empty.
    /// False if it counts every container.
    const EMPTY_IS_NO_LEVEL: bool = false;

    /// Reads a value, or the part of a container before its items.
    fn head<'t>(&self, input: &'t str, wanted: Option<Self::Type>) -> Read<'t, Head<Self::Value, Self::Open>>;

    /// Adds `item`, which ends before `input`, to its container, if there is one, and reads up to the next item. Returns false
    /// after the end of the container, which is read too.
    fn next<'t>(&self, input: &'t str, open: &mut Self::Open, item: Option<Self::Value>) -> Read<'t, bool>;

    /// The value that a container is.
    fn close(&self, open: Self::Open) -> Self::Value;
}

/// Reads a text that is a value and nothing else, with at most `depth` containers inside each other.
pub(crate) fn read_nested<N: Nested>(
    notation: &N,
    text: &str,
    wanted: Option<N::Type>,
    depth: u16,
) -> Result<N::Value, TextError> {
    let read = || -> Read<'_, N::Value> {
        let mut opened: Vec<N::Open> = Vec::new();
        let (mut input, mut wanted) = (text, wanted);
        loop {
            let start = space(input);
            let (mut rest, head) = notation.head(start, wanted.take())?;
            let levels = opened.len().saturating_add(match head {
                Head::Container(_) if !N::EMPTY_IS_NO_LEVEL => 1,
                _ => 0,
            });
            if levels > usize::from(depth) {
                return invalid(start, format!("containers are nested deeper than {depth} levels"));
            }
            let mut item = match head {
                Head::Value(value) => Some(value),
                Head::Container(open) => {
                    opened.push(open);
                    None
                }
            };
            while let Some(open) = opened.last_mut() {
                let (behind, has_next) = notation.next(rest, open, item.take())?;
                rest = behind;
                if has_next {
                    break;
                }
                item = opened.pop().map(|open| notation.close(open));
            }
            match item {
                Some(value) if space(rest).is_empty() => return Ok((rest, value)),
                Some(_) => return expected(space(rest), "the end of the value"),
                None => input = rest,
            }
        }
    };
    match read() {
        Ok((_, value)) => Ok(value),
        Err(nom::Err::Error(failure) | nom::Err::Failure(failure)) => Err(failure.into_error(text)),
        // these parsers read complete texts
        Err(nom::Err::Incomplete(_)) => Err(TextError::new("the text ends too early")),
    }
}

/// A notation that writes values that hold values.
pub(crate) trait WriteNested<'v> {
    type Value: 'v;
    /// A container that is being written.
    type Frame;

    /// Writes a value, or the part of a container before its items. A value `inside` another has to show its type.
    fn head(
        &self,
        value: &'v Self::Value,
        inside: bool,
        out: &mut dyn fmt::Write,
    ) -> Result<Option<Self::Frame>, fmt::Error>;

    /// Writes the text before the next item, and returns that item; or `None`, after the end of the container.
    fn next(&self, frame: &mut Self::Frame, out: &mut dyn fmt::Write) -> Result<Option<&'v Self::Value>, fmt::Error>;
}

/// Writes a value and all that it holds.
pub(crate) fn write_nested<'v, N: WriteNested<'v>>(
    notation: &N,
    value: &'v N::Value,
    inside: bool,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let first = notation.head(value, inside, out)?;
    write_frames(notation, first, out)
}

/// The text that `write` writes. Writing to memory does not fail.
pub(crate) fn written(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

/// Writes the rest of a container whose start was written.
pub(crate) fn write_frames<'v, N: WriteNested<'v>>(
    notation: &N,
    first: Option<N::Frame>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let mut frames: Vec<N::Frame> = first.into_iter().collect();
    while let Some(frame) = frames.last_mut() {
        match notation.next(frame, out)? {
            Some(value) => frames.extend(notation.head(value, true, out)?),
            None => drop(frames.pop()),
        }
    }
    Ok(())
}

//! OptimizedString.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::super::options::ValueOptions;
use crate::number::to_u64;
use crate::wire::{
    field, field_value, gen_bytes, gen_uint8, gen_varlength, owned_by_method, take, truncated_with, uint8, varlength,
    ByteString, Note, Source, Valued, WireError,
};

/// A string, or the place of one in a table that both sides keep for the session.
///
/// | field | type | |
/// |---|---|---|
/// | head | uint8 | below 127 the length; 127 if the length follows; from 128 on the place |
/// | length | LEB128 | only if the head is 127 |
/// | content | bytes | |
#[derive(Clone, Debug, PartialEq)]
pub enum OptimizedString<'a> {
    /// The string.
    Text(ByteString<'a>),
    /// Its place in the table, from 0 to 127.
    Index(u8),
}

/// The head of a string whose length follows.
const LONG: u8 = 0x7f;

/// The bit that marks a place in the table.
const INDEX: u8 = 0x80;

impl OptimizedString<'_> {
    /// The same string, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> OptimizedString<'static> {
        match self {
            OptimizedString::Text(text) => OptimizedString::Text(text.into_owned()),
            OptimizedString::Index(index) => OptimizedString::Index(index),
        }
    }
}

/// Reads an [`OptimizedString`]. A length below 127 that follows, where the head could have said it, is not canonical.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section OptimizedString.
#[inline]
pub fn optimized_string<'a, I, E>() -> impl Parser<I, Output = OptimizedString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    OptimizedStringParser(PhantomData)
}

struct OptimizedStringParser<E>(PhantomData<fn() -> E>);

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for OptimizedStringParser<E> {
    type Output = OptimizedString<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, OptimizedString<'a>, E> {
        let (rest, head) = field("head", Head(PhantomData)).process::<Valued<OM>>(input.clone())?;
        if head >= INDEX {
            return Ok((rest, OM::Output::bind(|| OptimizedString::Index(head & !INDEX))));
        }
        let (rest, length) = match head {
            LONG => field("length", varlength(1)).process::<Valued<OM>>(rest)?,
            length => (rest, length.into()),
        };
        if head == LONG && length < LONG.into() {
            input.note(Note::NonCanonical("a length of less than 127 after its head"));
        }
        let text = field("content", take(length.into()));
        text.map(|text: &'a BStr| OptimizedString::Text(text.into())).process::<OM>(rest)
    }
}

/// The head, and if it is a length, one that the input can hold.
struct Head<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for Head<E> {
    type Output = u8;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, u8, E> {
        let (rest, head) = uint8().process::<Valued<OM>>(input.clone())?;
        let left = to_u64(rest.remaining());
        if head < LONG && u64::from(head) > left {
            return Err(truncated_with::<I, OM, E>(input, head.into(), left));
        }
        Ok((rest, OM::Output::bind(|| head)))
    }
}

/// Writes an [`OptimizedString`].
#[inline]
pub fn gen_optimized_string<'v, W: Write + 'v>(value: &'v OptimizedString<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| match value {
        OptimizedString::Index(index) => gen_uint8(index | INDEX)(out),
        OptimizedString::Text(text) => {
            let out = match u8::try_from(text.len()) {
                Ok(length) if length < LONG => gen_uint8(length)(out)?,
                _ => gen_varlength(text.len())(gen_uint8(LONG)(out)?)?,
            };
            gen_bytes(&**text)(out)
        }
    }
}

/// BYTES, or `{"index": 0}`.
#[cfg(feature = "text")]
mod json {
    use super::{OptimizedString, INDEX};
    use crate::member::{field, Give, Given, Member, Mismatch, Receiver, Shape};

    impl Give for OptimizedString<'_> {
        fn give(&self, to: &mut dyn Receiver) {
            match self {
                OptimizedString::Text(text) => text.give(to),
                OptimizedString::Index(index) => {
                    to.structure("Place", 1);
                    to.member("index", index);
                    to.end();
                }
            }
        }
    }

    impl Member for OptimizedString<'_> {
        const SHAPE: Shape = Shape::Form("OptimizedString");

        fn take(given: Given<'_>) -> Result<Self, Mismatch> {
            if !given.is_map() || given.member("", "index")?.is_none() {
                return Member::take(given).map(OptimizedString::Text);
            }
            let [index] = given.fields("an object with index", &["index"])?;
            match field(given, "index", index)? {
                index if index < INDEX => Ok(OptimizedString::Index(index)),
                index => Err(given.custom(format_args!("{index} is not a place from 0 to 127"))),
            }
        }
    }
}

owned_by_method!(OptimizedString);
field_value!(ValueOptions: OptimizedString<'a> = |nesting, value| optimized_string(), gen_optimized_string(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn examples() {
        let text = |length| OptimizedString::Text(vec![b'x'; length].into());
        for (bytes, value) in [
            (hex("02 7878"), text(2)),
            ([vec![126], vec![b'x'; 126]].concat(), text(126)),
            ([vec![127, 127], vec![b'x'; 127]].concat(), text(127)),
            ([hex("7f ac02"), vec![b'x'; 300]].concat(), text(300)),
            (vec![0x80], OptimizedString::Index(0)),
            (vec![0xff], OptimizedString::Index(127)),
        ] {
            both_ways(&bytes, value.clone(), optimized_string, gen_optimized_string(&value));
        }
    }

    #[test]
    fn a_length_beyond_the_input_is_at_fault() {
        let path = |bytes: &str| run(&hex(bytes)[..], optimized_string()).unwrap_err().path().to_string();
        assert_eq!([path("02 78"), path("7f 02 78")], ["head", "length"]);
    }

    /// A length of less than 127 after the head is read, and is not canonical.
    #[test]
    fn long_lengths_that_are_short() {
        let found = |bytes: &[u8]| {
            let mut found = Vec::new();
            let mut each = |offset: crate::Offset, note| found.push((offset.byte(), note));
            crate::wire::Checker::new(bytes, &mut each).check(optimized_string()).unwrap();
            found.len()
        };
        assert_eq!(found(&[vec![127, 126], vec![b'x'; 126]].concat()), 1);
        assert_eq!(found(&[vec![127, 127], vec![b'x'; 127]].concat()), 0);
        assert_eq!(found(&[vec![127, 0x80, 1], vec![b'x'; 128]].concat()), 0);
    }

    #[cfg(feature = "text")]
    #[test]
    fn places_in_json() {
        use crate::member::{deserialize, Give};
        let read = |text: &str| {
            deserialize::<OptimizedString<'_>, _>(serde_json::from_str::<serde_json::Value>(text).unwrap())
        };
        assert_eq!(read(r#"{"index": 127}"#).unwrap(), OptimizedString::Index(127));
        assert_eq!(read(r#"{"index": 128}"#).unwrap_err().to_string(), "128 is not a place from 0 to 127");
        let text = serde_json::to_string::<dyn Give>(&OptimizedString::Index(127)).unwrap();
        assert_eq!(text, r#"{"index":127}"#);
    }
}

//! NumberSequence and ColorSequence, with their keypoints in the order of Roblox: time, value, envelope.
//!
//! | form | keypoints |
//! |---|---|
//! | `NumberSequence.new({NumberSequenceKeypoint.new(0, 1), …})`, also without parentheses | these |
//! | `NumberSequence.new(1)` | two with this value, at 0 and 1 |
//! | `NumberSequence.new(0, 1)` | two with these values, at 0 and 1 |
//!
//! An envelope of 0 is left out. The envelope of a colour is always 0 in Roblox, which has no form for other values; here it is a
//! third argument.

use std::fmt;

use nom::branch::alt;
use nom::combinator::opt;
use nom::sequence::preceded;
use nom::Parser;

use crate::notation::{comma, expected, items, name, parenthesised, sign, space, Form, Lua, Read};
use crate::roblox::datatypes::{Color3, ColorSequenceKeypoint, NumberSequenceKeypoint};
use crate::wire::{List, Packed};

/// A value at a time.
pub(crate) trait Keypoint: Form<Lua> {
    type Value: Form<Lua> + Copy;
    /// The name of the function that makes a sequence of them.
    const SEQUENCE: &'static str;
    const NAME: &'static str;
    fn new(time: f32, value: Self::Value, envelope: f32) -> Self;
    fn parts(&self) -> (f32, Self::Value, f32);
}

macro_rules! keypoints {
    ($($type:ident of $value:ty = $name:literal in $sequence:literal;)*) => {$(
        impl Keypoint for $type {
            type Value = $value;
            const SEQUENCE: &'static str = $sequence;
            const NAME: &'static str = $name;

            fn new(time: f32, value: $value, envelope: f32) -> Self {
                $type { envelope, time, value }
            }

            fn parts(&self) -> (f32, $value, f32) {
                (self.time, self.value, self.envelope)
            }
        }

        impl Form<Lua> for $type {
            fn read(input: &str) -> Read<'_, Self> {
                read_keypoint(input)
            }

            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                write_keypoint(self, out)
            }
        }
    )*};
}

keypoints! {
    NumberSequenceKeypoint of f32 = "NumberSequenceKeypoint.new" in "NumberSequence.new";
    ColorSequenceKeypoint of Color3 = "ColorSequenceKeypoint.new" in "ColorSequence.new";
}

fn read_keypoint<K: Keypoint>(input: &str) -> Read<'_, K> {
    let arguments = (
        <f32 as Form<Lua>>::read,
        preceded(comma, <K::Value as Form<Lua>>::read),
        opt(preceded(comma, <f32 as Form<Lua>>::read)),
    );
    let keypoint = |(time, value, envelope): (_, _, Option<f32>)| K::new(time, value, envelope.unwrap_or_default());
    preceded(name(K::NAME), parenthesised(arguments)).map(keypoint).parse(input)
}

fn write_keypoint<K: Keypoint>(keypoint: &K, out: &mut dyn fmt::Write) -> fmt::Result {
    let (time, value, envelope) = keypoint.parts();
    out.write_str(K::NAME)?;
    out.write_char('(')?;
    Form::<Lua>::write(&time, out)?;
    out.write_str(", ")?;
    value.write(out)?;
    if envelope.to_bits() != 0 {
        out.write_str(", ")?;
        Form::<Lua>::write(&envelope, out)?;
    }
    out.write_char(')')
}

/// Reads a sequence as its keypoints.
fn read_keypoints<K: Keypoint>(input: &str) -> Read<'_, Vec<K>> {
    let (rest, ()) = name(K::SEQUENCE)(input)?;
    if sign('{')(rest).is_ok() {
        return items('{', '}', K::read)(rest);
    }
    let (inside, ()) = sign('(')(rest)?;
    if sign('{')(inside).is_ok() {
        return parenthesised(items('{', '}', K::read)).parse(rest);
    }
    let both = |first, last| vec![K::new(0.0, first, 0.0), K::new(1.0, last, 0.0)];
    let values = (<K::Value as Form<Lua>>::read, opt(preceded(comma, <K::Value as Form<Lua>>::read)));
    let values = values.map(move |(first, last)| both(first, last.unwrap_or(first)));
    let none = |input| expected(space(input), "a list of keypoints in {}");
    alt((parenthesised(values), none)).parse(rest)
}

impl<K: Keypoint + Packed> Form<Lua> for List<'_, K> {
    fn read(input: &str) -> Read<'_, Self> {
        read_keypoints(input).map(|(rest, keypoints)| (rest, keypoints.into()))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}({{", K::SEQUENCE)?;
        for (index, keypoint) in self.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            write_keypoint(&keypoint, out)?;
        }
        out.write_str("})")
    }
}

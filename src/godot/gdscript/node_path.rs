//! NodePath.
//!
//! | form | path |
//! |---|---|
//! | `NodePath("/root/Player:position:x")`, `^"/root/Player:position:x"` | as the engine splits it |
//! | `NodePath(true, ["a/b"], [""])` | absolute or not, names, subnames: where they have signs of paths in them, or are empty |

use std::fmt;

use nom::sequence::preceded;
use nom::Parser;

use super::dialect::GdScript;
use crate::godot::NodePath;
use crate::notation::{comma, items, parenthesised, space, write_all, Form, Read};
use crate::wire::{ByteString, IntoByteString};

/// Splits a path as the engine does: at each `/` up to the first `:`, and then at each `:`. What is empty is left out.
fn split(text: &[u8]) -> NodePath<'static> {
    let colon = text.iter().position(|byte| *byte == b':');
    let (path, property) = match colon.and_then(|at| text.split_at_checked(at)) {
        Some((path, property)) => (path, property),
        None => (text, &[][..]),
    };
    let parts = |text: &[u8], sign: u8| -> Vec<ByteString<'static>> {
        let parts = text.split(|byte| *byte == sign).filter(|part| !part.is_empty());
        parts.map(|part| part.to_vec().into_byte_string()).collect()
    };
    NodePath { absolute: path.starts_with(b"/"), names: parts(path, b'/'), subnames: parts(property, b':') }
}

/// The text of a path, if the engine splits it into the same.
fn joined(path: &NodePath<'_>) -> Option<Vec<u8>> {
    let mut text = if path.absolute { b"/".to_vec() } else { Vec::new() };
    for (index, name) in path.names.iter().enumerate() {
        text.extend_from_slice(if index > 0 { b"/" } else { b"" });
        text.extend_from_slice(name);
    }
    for subname in &path.subnames {
        text.push(b':');
        text.extend_from_slice(subname);
    }
    (split(&text) == *path).then_some(text)
}

impl Form<GdScript> for NodePath<'_> {
    fn read(input: &str) -> Read<'_, Self> {
        let text = <ByteString<'_> as Form<GdScript>>::read;
        if let Some(quoted) = space(input).strip_prefix('^') {
            return text(quoted).map(|(rest, text)| (rest, split(&text)));
        }
        let (arguments, ()) = crate::notation::name("NodePath")(input)?;
        let (inside, ()) = crate::notation::sign('(')(arguments)?;
        if space(inside).starts_with(['"', '\'']) {
            return parenthesised(text).map(|text| split(&text)).parse(arguments);
        }
        let strings = || preceded(comma, items('[', ']', <ByteString<'_> as Form<GdScript>>::read));
        let (rest, (absolute, names, subnames)) =
            parenthesised((<bool as Form<GdScript>>::read, strings(), strings())).parse(arguments)?;
        Ok((rest, NodePath { absolute, names, subnames }))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("NodePath(")?;
        match joined(self) {
            Some(text) => Form::<GdScript>::write(&text.into_byte_string(), out)?,
            None => {
                write!(out, "{}, [", self.absolute)?;
                write_all::<GdScript, ByteString<'_>>(&self.names, out)?;
                out.write_str("], [")?;
                write_all::<GdScript, ByteString<'_>>(&self.subnames, out)?;
                out.write_char(']')?;
            }
        }
        out.write_char(')')
    }
}

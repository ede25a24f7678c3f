//! The forms of a value, given while its bytes are read: most values are never made.

use std::cell::Cell;
use std::collections::HashSet;

use bstr::ByteSlice;

use super::node::{Node, Notation};
use super::path::Step;
use super::plain::{with_stack, Names, Plain};
use crate::member::{All, Give, Receiver, Scalar};
use crate::typed::{Decoding, Look, Rare};
use crate::wire::ByteString;

/// Options of a format that determine how its values are read. Values of common types are not made.
pub(crate) trait CommonTypes: Decoding {
    /// A value of any type.
    type Value<'i>: Node;

    /// Reads a value of a common type, or the head of a container. `Some(None)` if it is of another type, `None` if it is not a value.
    fn common(self, depth: u16, input: &[u8]) -> Option<Option<(&[u8], Look<'_>)>>;

    /// Reads any value.
    fn value(self, depth: u16, input: &[u8]) -> Option<(&[u8], Self::Value<'_>)>;

    /// The name of a common type.
    fn name(look: &Look<'_>) -> &'static str;

    /// Gives the members of a value with its type.
    fn give_members(self, value: &Self::Value<'_>, to: &mut dyn Receiver);

    /// Gives the document of the value that `reader` reads.
    fn give_document(self, reader: &Reader<'_, Self>, to: &mut dyn Receiver);
}

/// Gives a value to `hear`: in its plain form, or as its document. Returns false if the bytes are invalid; the part before the error
/// was given then.
pub(crate) fn read<D: CommonTypes>(
    bytes: &[u8],
    decoding: D,
    plain: Option<Notation>,
    hear: &mut dyn FnMut(&dyn Give),
) -> bool {
    let reader = Reader { decoding, plain, rest: Cell::new(Some(bytes)), depth: Cell::new(0) };
    match plain {
        Some(_) => hear(&reader),
        None => hear(&All(|to: &mut dyn Receiver| decoding.give_document(&reader, to))),
    }
    reader.rest.get().is_some_and(|rest| rest.is_empty() || decoding.allows_trailing())
}

/// A value inside 32 containers is made in memory: there, a level takes less stack than here, and WebAssembly has little.
const DEEP: u16 = 32;

/// The next value of some bytes.
pub(crate) struct Reader<'i, D> {
    decoding: D,
    /// The notation of keys in the plain form; `None` for values with their types.
    plain: Option<Notation>,
    /// The bytes that were not read; `None` after an error.
    rest: Cell<Option<&'i [u8]>>,
    /// The number of containers around the next value.
    depth: Cell<u16>,
}

impl<'i, D: CommonTypes> Reader<'i, D> {
    /// Reads with `read`; `None` after an error.
    fn take<T>(&self, read: impl FnOnce(&'i [u8]) -> Option<(&'i [u8], T)>) -> Option<T> {
        let (rest, taken) = self.rest.take().and_then(read)?;
        self.rest.set(Some(rest));
        Some(taken)
    }

    /// Reads a value of a common type. `None` if it is another, or deep inside others, or after an error.
    fn common(&self) -> Option<Look<'i>> {
        if self.depth.get() >= DEEP {
            return None;
        }
        self.take(|input| match self.decoding.common(self.depth.get(), input)? {
            Some((rest, look)) => Some((rest, Some(look))),
            None => Some((input, None)),
        })?
    }

    fn value(&self) -> Option<D::Value<'i>> {
        self.take(|input| self.decoding.value(self.depth.get(), input))
    }

    /// Reads a key that is text; `None` if it is another, or after an error.
    fn text(&self, is_named: bool) -> Option<&'i [u8]> {
        self.take(|input| {
            let read = match is_named {
                true => self.decoding.key(input).map(Some),
                false => self.decoding.text(self.depth.get(), input),
            };
            match read? {
                Some((_, text)) if !self.decoding.allows_any_text() && std::str::from_utf8(text).is_err() => None,
                Some((rest, text)) => Some((rest, Some(text))),
                None => Some((input, None)),
            }
        })?
    }

    /// Gives the members of a value with its type.
    #[inline(always)] // few functions for a level of values in values: WebAssembly has little stack
    pub(crate) fn members(&self, to: &mut dyn Receiver) {
        match self.common() {
            Some(look) => {
                to.member("type", &D::name(&look));
                to.member("value", &All(|to: &mut dyn Receiver| self.look(&look, to)));
            }
            None => {
                self.value().iter().for_each(|value| self.decoding.give_members(value, to));
            }
        }
    }

    /// Gives a value without its type.
    #[inline(always)]
    pub(crate) fn bare(&self, to: &mut dyn Receiver) {
        match (self.common(), self.plain) {
            (Some(look), _) => self.look(&look, to),
            (None, notation) => match self.value() {
                Some(value) => Plain::new(&value, notation.unwrap_or_default()).give(to),
                None => to.scalar(Scalar::Unit),
            },
        }
    }

    /// Gives a value of a common type without its type.
    #[inline(always)]
    fn look(&self, look: &Look<'_>, to: &mut dyn Receiver) {
        to.scalar(match look {
            Look::Bool(value) => Scalar::Bool(*value),
            Look::Int(number) => Scalar::I64(*number),
            Look::Single(number) => Scalar::F32(*number),
            Look::Double(number) => Scalar::F64(*number),
            Look::Str(text) => Scalar::Text(text),
            Look::Rare(Rare::Text(bytes)) => Scalar::Bytes(bytes),
            Look::Seq(count, _) => {
                to.list(*count);
                return self.inside(*count, to, |_, to| to.item(self));
            }
            Look::Map { count, named } => match self.plain {
                Some(notation) => return self.entries(*count, *named, notation, to),
                None => return self.pairs(*count, *named, to),
            },
            // no common type has another look
            _ => Scalar::Unit,
        });
    }

    /// Gives the parts of a container, each by a call of `part`.
    #[inline(always)]
    fn inside(&self, count: usize, to: &mut dyn Receiver, mut part: impl FnMut(usize, &mut dyn Receiver)) {
        self.depth.set(self.depth.get().saturating_add(1));
        with_stack(|| (0..count).take_while(|_| self.rest.get().is_some()).for_each(|number| part(number, to)));
        self.depth.set(self.depth.get().saturating_sub(1));
        to.end();
    }

    /// Gives entries as an object.
    fn entries(&self, count: usize, is_named: bool, notation: Notation, to: &mut dyn Receiver) {
        let (mut names, mut texts, mut steps) = (Names::default(), Texts::default(), HashSet::new());
        to.map(None);
        self.inside(count, to, |number, to| {
            let step = match self.text(is_named) {
                Some(text) => match std::str::from_utf8(text) {
                    Ok(name) if text.first() != Some(&b'[') => match texts.insert(text) {
                        true => {
                            names.skip();
                            return to.entry(name, self);
                        }
                        false => Step::numbered(number),
                    },
                    _ => Step::key(text),
                },
                None => match self.value() {
                    Some(key) => Step::Item(key.text(notation)),
                    None => return,
                },
            };
            let step = if steps.insert(step.clone()) { step } else { Step::numbered(number) };
            to.entry(&names.next(&step), self);
        });
    }

    /// Gives entries as a list.
    fn pairs(&self, count: usize, is_named: bool, to: &mut dyn Receiver) {
        let pair = All(|to: &mut dyn Receiver| {
            to.structure("Parts", if is_named { 3 } else { 2 });
            if is_named {
                let key = self.text(true).unwrap_or_default();
                to.member("key", &ByteString::from(key.as_bstr()));
                self.members(to);
            } else {
                to.member("key", self);
                to.member("value", self);
            }
            to.end();
        });
        to.list(count);
        self.inside(count, to, |_, to| to.item(&pair));
    }
}

impl<D: CommonTypes> Give for Reader<'_, D> {
    fn give(&self, to: &mut dyn Receiver) {
        if self.plain.is_some() {
            return self.bare(to);
        }
        to.structure("Typed", 2);
        self.members(to);
        to.end();
    }
}

/// Different texts. A few are found without a hash.
#[derive(Default)]
struct Texts<'i> {
    few: [&'i [u8]; 16],
    count: usize,
    all: HashSet<&'i [u8]>,
}

impl<'i> Texts<'i> {
    /// Adds a text. Returns false if it is there.
    fn insert(&mut self, text: &'i [u8]) -> bool {
        match self.few.get(..self.count).is_some_and(|few| few.contains(&text)) {
            true => return false,
            false => self.count = self.count.saturating_add(1),
        }
        match self.few.get_mut(self.count.saturating_sub(1)) {
            Some(place) => {
                *place = text;
                true
            }
            None => {
                if self.all.is_empty() {
                    self.all.extend(self.few);
                }
                self.all.insert(text)
            }
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::super::{described, Described, FormatOptions};
    use super::*;
    use crate::godot::GodotFormat;
    use crate::json::text_of;
    use crate::roblox::attributes::AttributesFormat;
    use pretty_assertions::assert_eq;

    /// The last text that is heard, or the error.
    fn heard(
        decode: impl FnOnce(&mut dyn FnMut(&dyn Give)) -> Result<(), crate::DecodeError>,
    ) -> Result<String, String> {
        let mut text = String::new();
        decode(&mut |value| text = text_of(value).unwrap()).map_err(|error| error.to_string())?;
        Ok(text)
    }

    /// Reads both forms of bytes, which are the same as those of the value in memory. Returns the plain one.
    fn same<D: Described>(bytes: &[u8], options: &FormatOptions) -> Result<String, String> {
        let [_, plain] = [false, true].map(|is_plain| {
            let by_value = heard(|hear| described::decode_to::<D>(bytes, options, is_plain, hear));
            assert_eq!(heard(|hear| D::decode_to(bytes, options, is_plain, hear)), by_value, "{bytes:?}");
            by_value
        });
        plain
    }

    /// Values, each beginning of them, and with any of their bytes changed.
    fn all_same<D: Described>(folder: &str) {
        let options = ["any_text", "trailing_bytes", "draft_types"].map(|name| FormatOptions::new().set(name, true));
        let options: Vec<_> = options.into_iter().flatten().chain([FormatOptions::new()]).collect();
        let files = std::fs::read_dir(format!("fixtures/{folder}")).unwrap().map(|file| file.unwrap().path());
        let mut count = 0;
        for file in files.filter(|path| path.extension().is_some_and(|extension| extension == "bin")) {
            let value = std::fs::read(file).unwrap();
            for options in &options {
                count = usize::from(same::<D>(&value, options).is_ok()).saturating_add(count);
                for at in (0..value.len()).step_by((value.len() / 40).max(1)) {
                    let _ = same::<D>(&value[..at], options);
                    let mut changed = value.clone();
                    changed[at] ^= 1 << (at % 8);
                    let _ = same::<D>(&changed, options);
                }
            }
        }
        assert!(count > 10, "{folder}: {count}");
    }

    #[test]
    fn bytes_give_what_their_value_gives() {
        all_same::<AttributesFormat>("roblox-attributes");
        all_same::<GodotFormat<3>>("godot-3");
        all_same::<GodotFormat<4>>("godot-4");
    }

    #[test]
    fn keys_are_named_once() {
        let of = |text: &str| {
            let bytes = GodotFormat::<4>::from_notation(text, &FormatOptions::new()).unwrap();
            let bytes = crate::godot::encode_with(&bytes.0, &bytes.1).unwrap();
            same::<GodotFormat<4>>(&bytes, &FormatOptions::new()).unwrap()
        };
        assert_eq!(
            of(r#"{"a": 1, "a": 2, "[x": 3, "[x": 4, 5: 6, 5: 7}"#),
            r##"{"a":1,"[#1]":2,"[\"[x\"]":3,"[#3]":4,"[5]":6,"[#5]":7}"##
        );
        assert_eq!(
            of(r#"{"": 1, "": 2, &"a": 3, "a": 4, "[&\"a\"]": 5}"#),
            r##"{"":1,"[#1]":2,"[&\"a\"]":3,"a":4,"[\"[&\\\"a\\\"]\"]":5}"##
        );
        let many: Vec<_> = (0..40).map(|number| format!("\"{}\": 1", number % 30)).collect();
        let names: Vec<_> =
            (0..40).map(|number| if number < 30 { number.to_string() } else { format!("[#{number}]") }).collect();
        let expected: Vec<_> = names.iter().map(|name| format!("\"{name}\":1")).collect();
        assert_eq!(of(&format!("{{{}}}", many.join(", "))), format!("{{{}}}", expected.join(",")));
    }
}

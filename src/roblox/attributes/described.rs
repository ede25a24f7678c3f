//! Attributes as a format that is chosen at run time.

use serde::Serialize;

use super::typed::write;
use super::{decode_partial, decode_with, Attributes, AttributesFormat, Empty, Options, Value};
use crate::dynamic::reader::read;
use crate::dynamic::{
    rewrite, Counts, Described, EditError, Edited, EmptyForm, FormatOptions, JsonForm, Node, Notation, OptionRow,
    TypeRow, ValueOf, DRAFT_TYPES, MAX_DEPTH, MAX_MEMORY, TRAILING_BYTES,
};
use crate::error::Fault;
use crate::json::{self, typed::Typed, Give, Input, Tape};
use crate::wire::{ItemOf, Report};
use crate::{DecodeError, EncodeError, TextError};

const REFS: OptionRow = OptionRow::flag("refs", false, "Also read references to instances (type 0x25)");
const ZERO_LENGTH: OptionRow =
    OptionRow::flag("zero_length", false, "Encode an empty list as a zero length instead of zero bytes");

impl Described for AttributesFormat {
    type Format = Self;

    const NAME: &'static str = "roblox-attributes";
    const ABOUT: &'static str = "attributes of a Roblox instance";
    const FOUND_IN: &'static str = "AttributesSerialize in .rbxm, .rbxl";
    const OPTIONS: &'static [OptionRow] = &[MAX_DEPTH, MAX_MEMORY, TRAILING_BYTES, DRAFT_TYPES, REFS, ZERO_LENGTH];

    const TYPES: fn() -> Vec<TypeRow> = || TypeRow::all(Value::shape_of);

    fn options(given: &FormatOptions) -> Options {
        Options::new()
            .limits(given.limits(&MAX_DEPTH))
            .trailing_bytes(given.is(&TRAILING_BYTES))
            .draft_types(given.is(&DRAFT_TYPES))
            .refs(given.is(&REFS))
    }

    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a {
        value
    }

    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a {
        item
    }

    fn from_json(document: Input<'_>, given: &FormatOptions) -> Result<(Attributes<'static>, Options), TextError> {
        json::read(document).map(|attributes| (attributes, Options::new().refs(true).empty(empty(given))))
    }

    fn encode_untyped(tape: &Tape<'_>, given: &FormatOptions) -> Option<Result<Vec<u8>, EncodeError>> {
        Some(write(Self::options(given), |writer| writer.given(tape.given())))
    }

    fn read_to(bytes: &[u8], given: &FormatOptions, is_plain: bool, hear: &mut dyn FnMut(&dyn Give)) -> bool {
        read(bytes, Self::options(given), is_plain.then_some(Notation::default()), hear)
    }

    const FORMS: &'static [JsonForm] = &[JsonForm::Exact, JsonForm::Plain, JsonForm::Rojo];

    fn to_rojo(value: &ValueOf<'_, Self>) -> Result<impl Serialize, TextError> {
        value.to_rojo()
    }

    fn from_rojo(document: &[u8], given: &FormatOptions) -> Result<(Attributes<'static>, Options), TextError> {
        Attributes::from_rojo(document).map(|attributes| (attributes, Options::new().empty(empty(given))))
    }

    fn node<'v>(value: &'v Attributes<'_>) -> &'v dyn Node {
        value
    }

    fn node_mut<'v>(value: &'v mut Attributes<'_>) -> &'v mut dyn Node {
        value
    }

    /// A list that loses its last entry stays a list.
    fn rewrite(original: &[u8], value: &Attributes<'_>, given: &FormatOptions) -> Result<Vec<u8>, EditError> {
        let new = rewrite::<Self>(original, value, given)?;
        Ok(if new.is_empty() && !original.is_empty() { vec![0; 4] } else { new })
    }

    /// The length of a value of an unknown type is unknown, and so are the keys after it. They stay as they are: entries before it
    /// change and are removed, and no key is new, because one that follows may be the same.
    fn edit_before(
        error: DecodeError,
        bytes: &[u8],
        given: &FormatOptions,
        edit: &mut dyn FnMut(&[u8]) -> Edited,
    ) -> Edited {
        let options = Self::options(given);
        let partial = decode_partial(bytes, &options);
        let (Fault::Unknown { .. }, Some(before), Some((count, body))) =
            (error.fault(), partial.value, bytes.split_first_chunk())
        else {
            return Err(error.into());
        };
        let number = |attributes: &Attributes<'_>| u32::try_from(attributes.len()).unwrap_or(u32::MAX);
        let unread = u32::from_le_bytes(*count).saturating_sub(number(&before));
        let read = body.get(..body.len().saturating_sub(partial.rest.len())).unwrap_or_default();
        let new = edit(&[&number(&before).to_le_bytes(), read].concat())?;
        let after = decode_with(&new, &options)?;
        // entries keep their order
        let mut known = before.iter();
        if !after.iter().all(|entry| known.any(|old| old.key == entry.key)) {
            return Err(error.into());
        }
        let count = number(&after).saturating_add(unread).to_le_bytes();
        Ok([&count, new.get(count.len()..).unwrap_or_default(), partial.rest].concat())
    }

    const NOTATION: &'static str = "Luau";
    const NOTHING: &'static str = "{}";

    fn to_notation(value: &Attributes<'_>) -> String {
        value.to_luau()
    }

    fn from_notation(text: &str, given: &FormatOptions) -> Result<(Attributes<'static>, Options), TextError> {
        let attributes = Attributes::from_luau_with(text, &Self::options(given))?;
        Ok((attributes, Options::new().refs(true).empty(empty(given))))
    }

    fn count(value: &Attributes<'_>, counts: &mut Counts) {
        counts.add_all(value.iter().map(|entry| &entry.value), |value| value.type_id().name());
    }

    fn empty(report: &Report) -> Option<EmptyForm> {
        let form = match report.findings.non_canonical.count {
            0 => EmptyForm { name: "no-bytes", about: "no bytes" },
            _ => EmptyForm { name: "zero-length", about: "a length of 0" },
        };
        (report.items == Some(0)).then_some(form)
    }
}

/// The encoding of empty attributes.
fn empty(given: &FormatOptions) -> Empty {
    match given.is(&ZERO_LENGTH) {
        true => Empty::ZeroLength,
        false => Empty::NoBytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::{change, Edit};
    use crate::formats::{by_name, ValuePath};
    use crate::roblox::attributes::Entry;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_value_is_counted_with_its_depth() {
        let inner = Value::Dictionary([Entry::new("k", true), Entry::new("l", "text")].into());
        let attributes: Attributes<'_> =
            [Entry::new("a", Value::Array([inner, true.into()].into())), Entry::new("b", true)].into_iter().collect();
        let mut counts = Counts::default();
        AttributesFormat::count(&attributes, &mut counts);
        let expected = [("Array", 1), ("Bool", 3), ("Dictionary", 1), ("String", 1)];
        assert_eq!(counts, Counts { types: expected.into(), depth: 2 });
    }

    /// No bytes, or a count of 0. Attributes with entries have neither form.
    #[test]
    fn attributes_without_entries_have_one_of_two_forms() {
        let form = |bytes: &[u8]| {
            let report = crate::roblox::attributes::check(bytes).unwrap();
            AttributesFormat::empty(&report).map(|form| form.name)
        };
        assert_eq!((form(b""), form(b"\0\0\0\0")), (Some("no-bytes"), Some("zero-length")));
        assert_eq!((form(b"\x01\0\0\0\x01\0\0\0a\x03\x01"), form(b"\x01\0\0\0\x01\0\0\0a\x03\x02")), (None, None));
    }

    /// What follows an entry of an unknown type stays, and so does a Bool of 7 before it.
    #[test]
    fn entries_before_an_unknown_type_change() {
        const UNKNOWN: &[u8] = b"\x01\0\0\0b\x7e\x03\x02\x01\x01\0\0\0c\x03\x00";
        let of = |count: u8, entries: &[u8]| [&[count, 0, 0, 0][..], entries, UNKNOWN].concat();
        let before = of(4, b"\x01\0\0\0a\x03\x07\x01\0\0\0d\x03\x01");
        let format = by_name("roblox-attributes").unwrap();
        let edited = |path: &str, edit: Edit| {
            let work = &mut |node: &mut dyn Node| change(node, &path.parse().unwrap(), &edit, format.notation());
            format.edit(&before, &FormatOptions::new(), work).map_err(|error| error.to_string())
        };
        let set = |text: &str| Edit::Set { type_name: None, text: text.to_owned() };
        assert_eq!(edited("d", set("false")).unwrap(), of(4, b"\x01\0\0\0a\x03\x07\x01\0\0\0d\x03\x00"));
        assert_eq!(edited("d", set("true")).unwrap(), before);
        assert_eq!(edited("d", Edit::Remove).unwrap(), of(3, b"\x01\0\0\0a\x03\x07"));
        assert_eq!(edited("b", set("true")), edited("c", set("true")));
        for (path, edit) in [("c", set("true")), ("d", Edit::Rename("e".parse::<ValuePath>().unwrap().0.remove(0)))] {
            let error = "unknown type id 0x7e, at byte 0x17 in entries[2] \"b\".value.type";
            assert_eq!(edited(path, edit).unwrap_err(), error);
        }
        let work = &mut |node: &mut dyn Node| {
            ["a", "d"]
                .iter()
                .try_for_each(|path| change(node, &path.parse().unwrap(), &Edit::Remove, format.notation()))
        };
        assert_eq!(format.edit(&before, &FormatOptions::new(), work).unwrap(), of(2, b""));
        // what is broken in another way is not edited
        let cut = &before[..before.len() - UNKNOWN.len() - 2];
        let work = &mut |_: &mut dyn Node| Ok(());
        assert!(matches!(format.edit(cut, &FormatOptions::new(), work), Err(EditError::Decode(_))));
    }
}

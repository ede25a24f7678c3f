//! LuaObject as a format that is chosen at run time.

use super::{encode_with, LuaObject, LuaObjectFormat, LuaSaveData, Options, Userdata, MAGIC};
use crate::dynamic::{
    Counts, Described, FormatOptions, Node, OptionRow, TypeRow, ValueOf, DRAFT_TYPES, MAX_DEPTH, MAX_MEMORY,
    TRAILING_BYTES,
};
use crate::json::{self, typed::Typed, Give, Input, Tape};
use crate::typed::build;
use crate::wire::ItemOf;
use crate::{EncodeError, TextError};

const ANY_PADDING: OptionRow = OptionRow::flag("any_padding", false, "Allow padding bits that are not 0");

impl Described for LuaObjectFormat {
    type Format = Self;

    const NAME: &'static str = "scrap-mechanic-lua";
    const ABOUT: &'static str = "values of Scrap Mechanic scripts";
    const FOUND_IN: &'static str = "saves, blueprints, tiles";
    const MAGIC: &'static [u8] = MAGIC;
    const OPTIONS: &'static [OptionRow] = &[MAX_DEPTH, MAX_MEMORY, TRAILING_BYTES, DRAFT_TYPES, ANY_PADDING];

    const TYPES: fn() -> Vec<TypeRow> = || {
        let of_userdata = |row| TypeRow { kind_of: Some("Userdata"), ..row };
        let kinds = TypeRow::all(Userdata::shape_of).into_iter().map(of_userdata);
        TypeRow::all(LuaSaveData::shape_of).into_iter().chain(kinds).collect()
    };

    fn options(given: &FormatOptions) -> Options {
        Options::new()
            .limits(given.limits(&MAX_DEPTH))
            .trailing_bytes(given.is(&TRAILING_BYTES))
            .unverified_types(given.is(&DRAFT_TYPES))
            .any_padding(given.is(&ANY_PADDING))
    }

    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a {
        value
    }

    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a {
        item
    }

    fn from_json(document: Input<'_>, _: &FormatOptions) -> Result<(LuaObject<'static>, Options), TextError> {
        json::read(document).map(|object| (object, Options::new()))
    }

    fn encode_untyped(tape: &Tape<'_>, given: &FormatOptions) -> Option<Result<Vec<u8>, EncodeError>> {
        let built = build(|writer| writer.given(tape.given()));
        Some(built.and_then(|data| encode_with(&LuaObject { data }, &Self::options(given))))
    }

    /// Nil.
    fn node<'v>(value: &'v LuaObject<'_>) -> &'v dyn Node {
        &value.data
    }

    fn node_mut<'v>(value: &'v mut LuaObject<'_>) -> &'v mut dyn Node {
        &mut value.data
    }

    const NOTATION: &'static str = "Lua";
    const NOTHING: &'static str = "nil";

    fn to_notation(value: &LuaObject<'_>) -> String {
        value.to_lua()
    }

    fn from_notation(text: &str, given: &FormatOptions) -> Result<(LuaObject<'static>, Options), TextError> {
        let data = LuaSaveData::from_lua_with(text, None, &Self::options(given))?;
        Ok((LuaObject::new(data), Options::new()))
    }

    /// Keys count too. Of Userdata, the type within is counted.
    fn count(value: &LuaObject<'_>, counts: &mut Counts) {
        counts.add_all([&value.data], LuaSaveData::value_type);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Table, Vec3};
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_value_is_counted_with_its_depth() {
        let inner = Table::list([LuaSaveData::Nil, Userdata::Vec3(Vec3::default()).into()]);
        let outer = Table::from_entries([("a".into(), inner.into()), ("b".into(), Userdata::Shape(7).into())]);
        let mut counts = Counts::default();
        LuaObjectFormat::count(&LuaObject::new(outer), &mut counts);
        let expected = [("Nil", 1), ("Shape", 1), ("String", 2), ("Table", 2), ("Vec3", 1)];
        assert_eq!(counts, Counts { types: expected.into(), depth: 2 });
        let mut counts = Counts::default();
        LuaObjectFormat::count(&LuaObject::new(true), &mut counts);
        assert_eq!(counts, Counts { types: [("Boolean", 1)].into(), depth: 0 });
    }

    #[test]
    fn options_have_their_names() {
        let given = FormatOptions::new();
        assert_eq!(LuaObjectFormat::options(&given), Options::new());
        let given = given.set("draft_types", false).unwrap().set("any_padding", true).unwrap();
        let expected = Options::new().unverified_types(false).any_padding(true);
        assert_eq!(LuaObjectFormat::options(&given), expected);
        let given = given.set("trailing_bytes", true).unwrap().set("max_depth", "7").unwrap();
        let limits = crate::Limits::new().with_depth(7);
        assert_eq!(LuaObjectFormat::options(&given), expected.trailing_bytes(true).limits(limits));
    }
}

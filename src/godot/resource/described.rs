//! Binary resources as a format that is chosen at run time.

use super::{Options, Resource, ResourceFormat, ValueType, MAGIC};
use crate::dynamic::{
    Counts, Described, FormatOptions, Node, OptionRow, OptionValue, TypeRow, ValueOf, MAX_DEPTH, MAX_MEMORY,
    TRAILING_BYTES,
};
use crate::godot::variant::Variant;
use crate::json::{self, Document, Give, Input};
use crate::wire::ItemOf;
use crate::TextError;

const DEPTH: OptionRow = OptionRow { default: OptionValue::Number(512), ..MAX_DEPTH };
const ANY_TEXT: OptionRow = OptionRow::flag("any_text", false, "Allow text that is not UTF-8");

impl Described for ResourceFormat {
    type Format = Self;

    const NAME: &'static str = Resource::FORMAT;
    const ABOUT: &'static str = "binary resources of Godot";
    const FOUND_IN: &'static str = ".res, .scn, .mesh, .translation";
    const MAGIC: &'static [u8] = MAGIC;
    /// Of the values.
    const VERSION: u8 = 4;
    const OPTIONS: &'static [OptionRow] = &[DEPTH, MAX_MEMORY, TRAILING_BYTES, ANY_TEXT];

    const TYPES: fn() -> Vec<TypeRow> = || TypeRow::all(|id: ValueType| Variant::shape_of(id.type_id()));

    fn options(given: &FormatOptions) -> Options {
        Options::new()
            .limits(given.limits(&DEPTH))
            .trailing_bytes(given.is(&TRAILING_BYTES))
            .any_text(given.is(&ANY_TEXT))
    }

    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a {
        value
    }

    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a {
        item
    }

    fn from_json(document: Input<'_>, _: &FormatOptions) -> Result<(Resource<'static>, Options), TextError> {
        json::read(document).map(|file| (file, Options::new().any_text(true)))
    }

    fn node<'v>(value: &'v Resource<'_>) -> &'v dyn Node {
        value
    }

    fn node_mut<'v>(value: &'v mut Resource<'_>) -> &'v mut dyn Node {
        value
    }

    const NOTATION: &'static str = "GDScript";
    const NOTHING: &'static str = "{}";

    fn to_notation(value: &Resource<'_>) -> String {
        value.to_gdscript()
    }

    fn from_notation(text: &str, given: &FormatOptions) -> Result<(Resource<'static>, Options), TextError> {
        Resource::from_gdscript(text).map(|file| (file, Self::options(given).any_text(true)))
    }

    fn count(value: &Resource<'_>, counts: &mut Counts) {
        let properties = value.internal.iter().flat_map(|internal| &internal.object.properties);
        let name = |value: &Variant<'_>| ValueType::of(value.type_id(), value.is_wide()).name();
        counts.add_all(properties.map(|property| &property.value), name);
    }
}

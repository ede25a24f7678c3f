//! The description of a format, and everything that follows from it.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;

use serde::Serialize;

use super::any::{
    AnyFormat, Checked, Confidence, Counts, DecodeJsonError, Detectable, Detection, EmptyForm, JsonStream, Recovered,
    TypeRow,
};
use super::json_writer::{JsonForm, JsonWriter};
use super::node::{EditError, Node, Notation};
use super::options::{FormatOptions, OptionRow};
use super::plain::{set_plain, Plain};
use super::splice::{spliced, Form};
use crate::error::{DecodeError, EncodeError, Fault};
use crate::json::{text_of, Give, Input, Tape};
use crate::number::to_usize;
use crate::wire::{
    format, Decoder, Format, ItemOf, ItemStream, Log, Node as TreeNode, Note, ReadError, Report, Tree, TreePart,
    TreeParts,
};
use crate::{Offset, TextError};

/// The memory for the tree whose fields are counted to detect a format.
const DETECTION_MEMORY: usize = 64 << 10;

/// Bytes that are not a valid value may still be one that was cut or damaged. Any four bytes are a valid number, and any eight
/// are two; so that other files are not taken for values, more fields than those must be valid.
const FIELDS_OF_A_POSSIBLE_VALUE: usize = 3;

/// The options of a described format.
pub type OptionsOf<D> = <<D as Described>::Format as Format>::Options;

/// A value of a described format.
pub type ValueOf<'a, D> = <<D as Described>::Format as Format>::Value<'a>;

/// A value that a text describes, and the options that encode whatever such a text can hold.
pub type FromText<D> = Result<(ValueOf<'static, D>, OptionsOf<D>), TextError>;

/// The bytes of a value after an edit.
pub type Edited = Result<Vec<u8>, EditError>;

/// The description of a format, apart from its parser and generator. Every described format is an [`AnyFormat`].
pub trait Described: Copy + Debug + Send + Sync + 'static {
    /// The format with its parser and generator.
    type Format: Format<Stream: Send + 'static>;

    /// [`Detectable::name`].
    const NAME: &'static str;

    /// [`AnyFormat::about`].
    const ABOUT: &'static str;

    /// [`AnyFormat::found_in`].
    const FOUND_IN: &'static str;

    /// [`Detectable::magic`].
    const MAGIC: &'static [u8] = &[];

    /// The options that [`options`](Self::options) reads, such as [`MAX_DEPTH`](super::MAX_DEPTH).
    const OPTIONS: &'static [OptionRow];

    /// The table of its types.
    const TYPES: fn() -> Vec<TypeRow>;

    /// The options with these names, for decoding.
    fn options(given: &FormatOptions) -> OptionsOf<Self>;

    /// A value as its document.
    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a;

    /// An item of the stream, as JSON.
    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a;

    /// Reads a document: a value, and the options that encode whatever a document can hold.
    ///
    /// # Errors
    ///
    /// If it is not a document of this format.
    fn from_json(document: Input<'_>, given: &FormatOptions) -> FromText<Self>;

    /// Encodes a value without types: every part has the type that serde gives a value of Rust. `None` if the format has no such types.
    fn encode_untyped(_: &Tape<'_>, _given: &FormatOptions) -> Option<Result<Vec<u8>, EncodeError>> {
        None
    }

    /// Gives the document or the plain form of a value to `hear` while its bytes are read. Returns false if the format has no such reader,
    /// or if the bytes are invalid: `hear` may have been given a part then.
    fn read_to(_bytes: &[u8], _given: &FormatOptions, _is_plain: bool, _hear: &mut dyn FnMut(&dyn Give)) -> bool {
        false
    }

    /// Decodes a value, and gives its document or its plain form to `hear`. If `hear` is called twice, the second call counts.
    ///
    /// # Errors
    ///
    /// As for [`Detectable::check`].
    fn decode_to(
        bytes: &[u8],
        given: &FormatOptions,
        is_plain: bool,
        hear: &mut dyn FnMut(&dyn Give),
    ) -> Result<(), DecodeError> {
        match Self::read_to(bytes, given, is_plain, hear) {
            true => Ok(()),
            false => decode_to::<Self>(bytes, given, is_plain, hear),
        }
    }

    /// [`AnyFormat::forms`].
    const FORMS: &'static [JsonForm] = &[JsonForm::Exact, JsonForm::Plain];

    /// A value in Rojo's form.
    ///
    /// # Errors
    ///
    /// If Rojo has no form for it.
    fn to_rojo(_value: &ValueOf<'_, Self>) -> Result<impl Serialize, TextError> {
        Err::<(), _>(lacks::<Self>(JsonForm::Rojo))
    }

    /// Reads the output of [`to_rojo`](Self::to_rojo): a value, and options that can encode everything that the form can hold.
    ///
    /// # Errors
    ///
    /// If the text is not a value of this format.
    fn from_rojo(_: &[u8], _given: &FormatOptions) -> FromText<Self> {
        Err(lacks::<Self>(JsonForm::Rojo))
    }

    /// [`AnyFormat::notation_name`].
    const NOTATION: &'static str;

    /// A value that holds nothing, in this notation.
    const NOTHING: &'static str;

    /// A value in the engine's own notation, in one line.
    fn to_notation(value: &ValueOf<'_, Self>) -> String;

    /// Reads what [`to_notation`](Self::to_notation) writes: a value, and the options that encode whatever a text can hold.
    ///
    /// # Errors
    ///
    /// If the text is not a value of this format.
    fn from_notation(text: &str, given: &FormatOptions) -> FromText<Self>;

    /// Counts the types in a value.
    fn count(value: &ValueOf<'_, Self>, counts: &mut Counts);

    /// The version that texts are of, if the format has several.
    const VERSION: u8 = 0;

    /// A value, to be gone through.
    fn node<'v>(value: &'v ValueOf<'_, Self>) -> &'v dyn Node;

    /// A value, to be changed.
    fn node_mut<'v>(value: &'v mut ValueOf<'_, Self>) -> &'v mut dyn Node;

    /// Encodes a value that `original` was changed to. Nothing else may change.
    ///
    /// # Errors
    ///
    /// If the value cannot be encoded, or other bytes would change too.
    fn rewrite(original: &[u8], value: &ValueOf<'_, Self>, given: &FormatOptions) -> Result<Vec<u8>, EditError> {
        rewrite::<Self>(original, value, given)
    }

    /// Edits a value that cannot be read to its end: only what is before the error, and nothing else changes. `edit` edits a whole value.
    ///
    /// # Errors
    ///
    /// The error, unless the format knows where the part before it ends.
    fn edit_before(
        error: DecodeError,
        _bytes: &[u8],
        _given: &FormatOptions,
        _edit: &mut dyn FnMut(&[u8]) -> Edited,
    ) -> Edited {
        Err(error.into())
    }

    /// True if a document with this member `format` is of this format.
    fn reads(format: &str, _document: &[u8]) -> bool {
        format == Self::NAME
    }

    /// The decoded part of a broken value, with the unfinished item.
    fn recovered<'a>(
        value: Option<ValueOf<'a, Self>>,
        unfinished: Option<ItemOf<'a, Self::Format>>,
    ) -> Option<ValueOf<'a, Self>> {
        value.or_else(|| Self::Format::from_items(unfinished.into_iter().collect()))
    }

    /// The form of an empty value, if the format has several.
    fn empty(_report: &Report) -> Option<EmptyForm> {
        None
    }

    /// Checks a value, with the number of its items if its first bytes say it.
    ///
    /// # Errors
    ///
    /// As for [`Detectable::check`].
    fn check(bytes: &[u8], given: &FormatOptions) -> Result<Report, DecodeError> {
        format::check::<Self::Format>(bytes, &Self::options(given), &mut |_, _| {})
    }

    /// Checks what a reader gives.
    ///
    /// # Errors
    ///
    /// As for [`AnyFormat::check_reader`].
    fn check_reader(reader: &mut dyn Read, item_limit: usize, given: &FormatOptions) -> Result<Report, ReadError> {
        let decoder = Decoder::<<Self::Format as Format>::Stream>::with_options(Self::options(given));
        decoder.item_limit(item_limit).check(reader, |_, _| {})
    }

    /// Decodes bytes that come in pieces.
    fn stream(item_limit: usize, given: &FormatOptions) -> Box<dyn JsonStream> {
        let decoder = Decoder::<<Self::Format as Format>::Stream>::with_options(Self::options(given));
        Box::new(JsonItems::<Self, _>::new(decoder.item_limit(item_limit)))
    }
}

/// Makes the value in memory, and gives its document or its plain form.
pub(crate) fn decode_to<D: Described>(
    bytes: &[u8],
    given: &FormatOptions,
    is_plain: bool,
    hear: &mut dyn FnMut(&dyn Give),
) -> Result<(), DecodeError> {
    let value = format::decode::<D::Format>(bytes, &D::options(given))?;
    match is_plain {
        true => hear(&Plain::new(D::node(&value), notation::<D>())),
        false => hear(&D::to_json(value)),
    }
    Ok(())
}

/// Checks a value as a stream, which counts its items.
pub(crate) fn check_as_stream<D: Described>(mut bytes: &[u8], given: &FormatOptions) -> Result<Report, DecodeError> {
    match D::check_reader(&mut bytes, usize::MAX, given) {
        Ok(report) => Ok(report),
        Err(ReadError::Decode(error)) => Err(error),
        // never, for reading from memory does not fail
        Err(ReadError::Io(_)) => format::check::<D::Format>(bytes, &D::options(given), &mut |_, _| {}),
    }
}

/// The items that a [`Decoder`] gives, which are those of a described format, as JSON.
#[derive(Debug)]
pub struct JsonItems<D, S> {
    decoder: Decoder<S>,
    format: PhantomData<D>,
}

impl<D, S> JsonItems<D, S> {
    /// The items of `decoder`.
    #[must_use]
    pub fn new(decoder: Decoder<S>) -> Self {
        JsonItems { decoder, format: PhantomData }
    }
}

impl<D, S> JsonStream for JsonItems<D, S>
where
    D: Described,
    S: for<'a> ItemStream<Item<'a> = ItemOf<'a, D::Format>> + Send,
{
    fn push(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes);
    }

    fn next(&mut self) -> Option<Result<String, DecodeJsonError>> {
        let text = |item| text_of(&D::item_to_json(item)).map_err(DecodeJsonError::from);
        self.decoder.next().map(|item| text(item?))
    }

    fn end(&mut self) {
        self.decoder.end();
    }

    fn finish(self: Box<Self>) -> Result<(), DecodeError> {
        self.decoder.finish()
    }
}

/// Encodes a value. The only place here that does: each would be compiled with all of the format's generator.
#[inline(never)]
fn encode<D: Described>(value: &ValueOf<'_, D>, options: &OptionsOf<D>) -> Result<Vec<u8>, EncodeError> {
    format::encode::<D::Format>(value, options)
}

/// Encodes a value that `original` was changed to; bytes that the change does not need stay as they are.
pub(crate) fn rewrite<D: Described>(
    original: &[u8],
    value: &ValueOf<'_, D>,
    given: &FormatOptions,
) -> Result<Vec<u8>, EditError> {
    let options = D::options(given);
    let canonical = |bytes: &[u8]| -> Result<_, EditError> {
        Ok(encode::<D>(&format::decode::<D::Format>(bytes, &options)?, &options)?)
    };
    let (before, after) = (canonical(original)?, encode::<D>(value, &options)?);
    // compared as bytes: a NaN is not equal to itself
    match (after == before, before == original) {
        (true, _) => return Ok(original.to_vec()),
        (false, true) => return Ok(after),
        (false, false) => {}
    }
    let all = [original, &before, &after];
    // the three trees are there at once
    let memory = |bytes: &[u8]| memory_beside(bytes, given) / 3;
    let trees = all.map(|bytes| format::inspect::<D::Format>(bytes, &options, memory(bytes)));
    let [old, of_before, of_after] = &trees;
    let end = old.nodes().map(|node| node.range.end.ceil()).max().unwrap_or_default();
    let (own, behind) = original.split_at_checked(to_usize(end)).unwrap_or((original, &[]));
    let forms = (Form::new(own, old), Form::new(&before, of_before), Form::new(&after, of_after));
    let (Some(old), Some(of_before), Some(of_after)) = forms else { return Err(EditError::NotCanonical) };
    let new = spliced([&old, &of_before, &of_after]).map(|new| [&new, behind].concat());
    // it is the changed value, and nothing else
    new.filter(|new| canonical(new).is_ok_and(|again| again == after)).ok_or(EditError::NotCanonical)
}

/// Encodes a value that was read from a text.
fn encoded<D: Described>(read: FromText<D>) -> Result<Vec<u8>, EditError> {
    let (value, options) = read?;
    Ok(encode::<D>(&value, &options)?)
}

/// A format does not have a form.
fn lacks<D: Described>(form: JsonForm) -> TextError {
    let forms: Vec<_> = D::FORMS.iter().map(|form| form.name()).collect();
    let message = format!("{} has no form {}; expected {}", D::NAME, form.name(), forms.join(" or "));
    TextError::new(message)
}

/// Writes a value in the form of the writer.
fn write<D: Described>(value: ValueOf<'_, D>, out: &mut JsonWriter<'_>) -> Result<(), DecodeJsonError> {
    match out.form {
        JsonForm::Exact => out.give(&D::to_json(value))?,
        JsonForm::Plain => out.give(&Plain::new(D::node(&value), notation::<D>()))?,
        JsonForm::Rojo => out.write(&D::to_rojo(&value)?)?,
    }
    Ok(())
}

/// True if an engine may have written a field: it is canonical, and a text has no control characters.
fn is_plausible(node: &TreeNode<'_>, bytes: &[u8]) -> bool {
    let is_text = node.value.as_ref().is_some_and(|value| value.starts_with('"'));
    let range = to_usize(node.range.start.byte())..to_usize(node.range.end.ceil());
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // a string of some formats ends with a 0
    let text = bytes.get(range).unwrap_or_default();
    let is_canonical = !matches!(node.note, Some(Note::NonCanonical(_)));
    is_canonical && (!is_text || !text.strip_suffix(b"\0").unwrap_or(text).iter().any(is_control))
}

/// The settings for writing values of a format as text.
fn notation<D: Described>() -> Notation {
    Notation { typed: false, version: D::VERSION }
}

impl<D: Described> Detectable for D {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn magic(&self) -> &'static [u8] {
        D::MAGIC
    }

    fn detect(&self, bytes: &[u8]) -> Option<Detection> {
        if !D::MAGIC.is_empty() {
            let reason = format!("the bytes begin with \"{}\"", D::MAGIC.escape_ascii());
            let found = Detection { confidence: Confidence::Certain, reason, fields: 0, length: None };
            return bytes.starts_with(D::MAGIC).then_some(found);
        }
        if bytes.is_empty() {
            return None;
        }
        let options = D::options(&FormatOptions::new());
        let checked = format::check::<D::Format>(bytes, &options, &mut |_, _| {});
        let tree = format::inspect::<D::Format>(bytes, &options, DETECTION_MEMORY);
        let depths = tree.nodes().map(|node| node.depth).skip(1).chain([0]);
        let leaves = tree.nodes().zip(depths).filter(|(node, next)| *next <= node.depth).map(|(node, _)| node);
        let leaves = leaves.take_while(|node| checked.is_ok() || is_plausible(node, bytes));
        let fields = leaves.filter(|node| !node.broken).count();
        let (confidence, reason, length) = match checked {
            Ok(_) => (Confidence::Likely, "all bytes are a value".to_owned(), None),
            Err(_) if fields < FIELDS_OF_A_POSSIBLE_VALUE => return None,
            Err(error) if error.is_truncated() => (Confidence::Possible, "the bytes are valid so far".to_owned(), None),
            Err(error) if matches!(error.fault(), Fault::Trailing) => {
                let length = to_usize(error.offset().ceil());
                let others = bytes.len().saturating_sub(length);
                let plural = if others == 1 { "" } else { "s" };
                let reason = format!("a whole value of {length} bytes, then {others} other{plural}");
                (Confidence::Possible, reason, Some(length))
            }
            Err(error) => (Confidence::Possible, format!("the fields before byte {} are valid", error.offset()), None),
        };
        Some(Detection { confidence, reason, fields, length })
    }

    fn options(&self) -> &'static [OptionRow] {
        D::OPTIONS
    }

    fn reads(&self, format: &str, document: &[u8]) -> bool {
        D::reads(format, document)
    }

    fn check(&self, bytes: &[u8], options: &FormatOptions) -> Result<Checked, DecodeError> {
        D::check(bytes, options).map(checked::<D>)
    }
}

impl<D: Described> AnyFormat for D {
    fn about(&self) -> &'static str {
        D::ABOUT
    }

    fn found_in(&self) -> &'static str {
        D::FOUND_IN
    }

    fn types(&self) -> Vec<TypeRow> {
        (D::TYPES)()
    }

    fn decode_json(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        out: &mut JsonWriter<'_>,
    ) -> Result<(), DecodeJsonError> {
        write::<D>(format::decode::<D::Format>(bytes, &D::options(options))?, out)
    }

    fn decode_json_partial(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        out: &mut JsonWriter<'_>,
    ) -> Result<Option<DecodeError>, DecodeJsonError> {
        let partial = format::decode_partial::<D::Format>(bytes, &D::options(options));
        if let Some(value) = D::recovered(partial.value, partial.unfinished) {
            write::<D>(value, out)?;
        }
        Ok(partial.error)
    }

    fn recover(&self, bytes: &[u8], options: &FormatOptions) -> Result<Recovered, EncodeError> {
        let options = D::options(options);
        let partial = format::decode_partial::<D::Format>(bytes, &options);
        let Some(error) = partial.error else { return Ok(Recovered { bytes: Some(bytes.to_vec()), error: None }) };
        let value = D::recovered(partial.value, partial.unfinished);
        let bytes = value.map(|value| encode::<D>(&value, &options)).transpose()?;
        Ok(Recovered { bytes, error: Some(error) })
    }

    fn encode_empty(&self, options: &FormatOptions) -> Result<Vec<u8>, EditError> {
        self.encode_notation(D::NOTHING, options)
    }

    fn forms(&self) -> &'static [JsonForm] {
        D::FORMS
    }

    fn encode_json(&self, document: &[u8], options: &FormatOptions) -> Result<Vec<u8>, EditError> {
        encoded::<D>(D::from_json(Input::Text(document), options))
    }

    fn encode_form(
        &self,
        form: JsonForm,
        document: &[u8],
        like: Option<&[u8]>,
        options: &FormatOptions,
    ) -> Result<Vec<u8>, EditError> {
        match form {
            JsonForm::Exact => self.encode_json(document, options),
            JsonForm::Plain => {
                let like = match like {
                    Some(like) => Cow::Borrowed(like),
                    None => Cow::Owned(self.encode_empty(options)?),
                };
                // not by `edit`, which would keep what follows the error of a broken value
                let mut value = format::decode::<D::Format>(&like, &D::options(options))?;
                set_plain(D::node_mut(&mut value), document, notation::<D>())?;
                D::rewrite(&like, &value, options)
            }
            JsonForm::Rojo => encoded::<D>(D::from_rojo(document, options)),
        }
    }

    fn notation_name(&self) -> &'static str {
        D::NOTATION
    }

    fn decode_notation(&self, bytes: &[u8], options: &FormatOptions) -> Result<String, DecodeError> {
        let value = format::decode::<D::Format>(bytes, &D::options(options))?;
        Ok(D::to_notation(&value))
    }

    fn encode_notation(&self, text: &str, options: &FormatOptions) -> Result<Vec<u8>, EditError> {
        encoded::<D>(D::from_notation(text, options))
    }

    fn inspect(&self, bytes: &[u8], options: &FormatOptions) -> Tree {
        format::inspect::<D::Format>(bytes, &D::options(options), memory_beside(bytes, options))
    }

    fn inspect_levels(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        levels: usize,
        opened: Vec<(Range<Offset>, usize)>,
    ) -> Tree {
        let log = Log::within(memory_beside(bytes, options)).levels(levels).opened(opened);
        format::inspect_to::<D::Format>(bytes, &D::options(options), &log)
    }

    fn inspect_parts<'b>(
        &self,
        bytes: &'b [u8],
        options: &FormatOptions,
        levels: usize,
    ) -> Box<dyn Iterator<Item = TreePart> + 'b> {
        let max_memory = memory_beside(bytes, options);
        Box::new(TreeParts::<D::Format>::new(bytes, &D::options(options), max_memory).levels(levels))
    }

    fn check_reader(
        &self,
        reader: &mut dyn Read,
        item_limit: usize,
        options: &FormatOptions,
    ) -> Result<Checked, ReadError> {
        D::check_reader(reader, item_limit, options).map(checked::<D>)
    }

    fn stream(&self, item_limit: usize, options: &FormatOptions) -> Box<dyn JsonStream> {
        D::stream(item_limit, options)
    }

    fn notation(&self) -> Notation {
        notation::<D>()
    }

    fn visit(&self, bytes: &[u8], options: &FormatOptions, work: &mut dyn FnMut(&dyn Node)) -> Result<(), DecodeError> {
        work(D::node(&format::decode::<D::Format>(bytes, &D::options(options))?));
        Ok(())
    }

    fn edit(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        work: &mut dyn FnMut(&mut dyn Node) -> Result<(), EditError>,
    ) -> Result<Vec<u8>, EditError> {
        let mut value = match format::decode::<D::Format>(bytes, &D::options(options)) {
            Ok(value) => value,
            Err(error) => return D::edit_before(error, bytes, options, &mut |bytes| self.edit(bytes, options, work)),
        };
        work(D::node_mut(&mut value))?;
        D::rewrite(bytes, &value, options)
    }

    fn count(&self, bytes: &[u8], options: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError> {
        D::count(&format::decode::<D::Format>(bytes, &D::options(options))?, counts);
        Ok(())
    }
}

/// The memory for a tree: the bytes take memory too.
fn memory_beside(bytes: &[u8], options: &FormatOptions) -> usize {
    options.max_memory().saturating_sub(bytes.len())
}

fn checked<D: Described>(report: Report) -> Checked {
    Checked { entries: report.items, empty: D::empty(&report), findings: report.findings }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::super::{Counts, FormatOptions, JsonWriter};
    use super::Described;
    use crate::formats::{by_name, formats};
    use crate::godot::{self, GodotFormat};
    use crate::roblox::attributes::{self, AttributesFormat};
    use crate::roblox::remote::RemoteFormat;
    use crate::scrap_mechanic::lua_object::{self, LuaObjectFormat};
    use pretty_assertions::assert_eq;

    /// One attribute, `a`: a Bool.
    const BOOL: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01";

    #[test]
    fn formats_say_what_they_are() {
        let of = |name| by_name(name).map(|format| (format.about(), format.found_in(), format.magic())).unwrap();
        let attributes = ("attributes of a Roblox instance", "AttributesSerialize in .rbxm, .rbxl", &b""[..]);
        assert_eq!(of("roblox-attributes"), attributes);
        assert_eq!(of("scrap-mechanic-lua").2, b"LUA");
    }

    /// Hexadecimal or decimal, like in the specification.
    #[test]
    fn type_ids_are_written_as_in_the_specification() {
        let first = |name| formats().iter().find(|format| format.name() == name).unwrap().types().swap_remove(0);
        assert_eq!((first("roblox-attributes").id.as_str(), first("godot-4").id.as_str()), ("0x02", "0"));
    }

    /// The decoded part is written, and the error is returned.
    #[test]
    fn what_is_broken_is_written_as_far_as_it_goes() {
        let partial = |name, bytes: &[u8]| {
            let mut out = Vec::new();
            let error = by_name(name).unwrap().decode_json_partial(
                bytes,
                &FormatOptions::new(),
                &mut JsonWriter::new(&mut out),
            );
            (String::from_utf8(out).unwrap(), error.unwrap().map(|error| error.offset().byte()))
        };
        let list = r#"{"format":"roblox-attributes","entries":[{"key":"a","type":"Bool","value":true}]}"#;
        assert_eq!(partial("roblox-attributes", BOOL), (list.to_owned(), None));
        let broken = [b"\x02", &BOOL[1..], b"\x01\0\0\0b\xee"].concat();
        assert_eq!(partial("roblox-attributes", &broken), (list.to_owned(), Some(16)));
        // values are counted if all bytes are valid
        let attributes = by_name("roblox-attributes").unwrap();
        let count = |bytes| attributes.count(bytes, &FormatOptions::new(), &mut Counts::default());
        assert_eq!((count(BOOL).is_ok(), count(&broken).is_err()), (true, true));
        // an array whose second element is broken
        let array = b"\x1c\0\0\0\x02\0\0\0\x02\0\0\0\x2a\0\0\0\x63\0\0\0";
        let (text, offset) = partial("godot-4", array);
        assert!(text.contains("42"), "{text}");
        assert_eq!(offset, Some(16));
    }

    /// A tape is encoded without serde, as serde would: with the same types and the same errors.
    #[test]
    fn values_without_types_are_encoded_as_serde_does() {
        use crate::json::{Shape, Tape};
        let options = FormatOptions::new();
        let mut refused = 0;
        for text in [
            r#"{"a": 1, "b": [true, 0.5, "x", {"c": -7}], "": {}, "n": null, "big": 9007199254740993, "d": []}"#,
            r#"{"a": [{"b": [null]}]}"#,
            r#"{"a": {"b": 18446744073709551615}}"#,
            r#"[1, {"a": null}]"#,
            "null",
            "7",
        ] {
            let mut tape = Tape::new();
            tape.read(Shape::Any, &mut serde_json::Deserializer::from_str(text)).unwrap();
            let shown = |encoded: Result<Vec<u8>, crate::EncodeError>| encoded.map_err(|error| error.to_string());
            let mut agree = |given: Option<_>, by_serde: Result<_, _>| {
                refused += usize::from(by_serde.is_err());
                assert_eq!(given.map(shown), Some(shown(by_serde)), "{text}");
            };
            let (attributes, lua) = (AttributesFormat::options(&options), LuaObjectFormat::options(&options));
            agree(AttributesFormat::encode_untyped(&tape, &options), attributes::to_bytes_with(&tape, &attributes));
            agree(LuaObjectFormat::encode_untyped(&tape, &options), lua_object::to_bytes_with(&tape, &lua));
            let godot = GodotFormat::<3>::options(&options);
            agree(GodotFormat::<3>::encode_untyped(&tape, &options), godot::to_bytes_with(&tape, &godot));
            assert!(RemoteFormat::encode_untyped(&tape, &options).is_none());
        }
        assert!(refused > 4, "{refused}");
    }

    #[test]
    fn documents_are_written_in_one_line_or_indented() {
        let written = |writer: fn(JsonWriter<'_>) -> JsonWriter<'_>| {
            let mut out = Vec::new();
            writer(JsonWriter::new(&mut out)).give(&[1_u8]).unwrap();
            let mut by_serde = Vec::new();
            writer(JsonWriter::new(&mut by_serde)).write(&[1]).unwrap();
            assert_eq!(out, by_serde);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(|writer| writer), "[1]");
        assert_eq!(written(|writer| writer.pretty(true).pretty(false).around("<", ">", 0)), "<[1]>");
        assert_eq!(written(|writer| writer.around("<", ">", 0).pretty(true)), "<[\n  1\n]>");
        assert_eq!(written(|writer| writer.around("<", ">", 1).pretty(true)), "<[\n    1\n  ]>");
        let debug = format!("{:?}", JsonWriter::new(&mut Vec::new()).around("<", ">", 0));
        assert_eq!(debug, r#"JsonWriter { pretty: false, around: ("<", ">"), .. }"#);
    }
}

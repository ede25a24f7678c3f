//! The operations of a format that is chosen at run time.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::io::{self, Read};
use std::ops::Range;

use serde::Serialize;
use thiserror::Error;

use super::json_writer::{JsonForm, JsonWriter};
use super::node::{EditError, Node, Notation};
use super::options::{FormatOptions, OptionRow};
use crate::error::{DecodeError, EncodeError, Radix};
use crate::json::Shape;
use crate::member::{Child, Holder};
use crate::wire::{Findings, Provenance, ReadError, Tree, TreePart, TypeNumber};
use crate::{Offset, TextError};

/// A format that is detected at run time. Without the rest of [`AnyFormat`], detection links little of a format.
pub trait Detectable: Debug + Send + Sync {
    /// The name: `"roblox-attributes"`. Documents in JSON and the program use the same.
    fn name(&self) -> &'static str;

    /// The bytes at the start of every value; empty if the format has no signature.
    fn magic(&self) -> &'static [u8];

    /// Detects whether bytes may be of this format, and why. `bytes` are the first of a value, or all of it.
    fn detect(&self, bytes: &[u8]) -> Option<Detection>;

    /// The options that the format uses.
    fn options(&self) -> &'static [OptionRow];

    /// True for a document of this format: `format` is its member of that name.
    fn reads(&self, format: &str, document: &[u8]) -> bool;

    /// Checks bytes without decoding them to a value.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    fn check(&self, bytes: &[u8], options: &FormatOptions) -> Result<Checked, DecodeError>;
}

/// A format that is chosen at run time. [`formats()`](crate::formats()) lists those of this crate.
pub trait AnyFormat: Detectable {
    /// A description of its values, in one line.
    fn about(&self) -> &'static str;

    /// The places where such bytes are found.
    fn found_in(&self) -> &'static str;

    /// The table of its types.
    fn types(&self) -> Vec<TypeRow>;

    /// The JSON forms that its values have.
    fn forms(&self) -> &'static [JsonForm];

    /// Decodes a value and writes it as JSON, in the form of the writer. Nothing is written if the bytes are invalid.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid, or the document cannot be written.
    fn decode_json(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        out: &mut JsonWriter<'_>,
    ) -> Result<(), DecodeJsonError>;

    /// Decodes a value as far as it goes and writes that as JSON, if it is a value at all. Gives what is wrong with the
    /// rest.
    ///
    /// # Errors
    ///
    /// If the document cannot be written.
    fn decode_json_partial(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        out: &mut JsonWriter<'_>,
    ) -> Result<Option<DecodeError>, DecodeJsonError>;

    /// Recovers the part of a broken value before its error, as the bytes of a value of its own, together with the error. Bytes
    /// that are a valid value stay as they are.
    ///
    /// # Errors
    ///
    /// If what was read cannot be encoded.
    fn recover(&self, bytes: &[u8], options: &FormatOptions) -> Result<Recovered, EncodeError>;

    /// The bytes of a value that holds nothing: no entries, no packets, `null` or `nil`.
    ///
    /// # Errors
    ///
    /// The formats of this crate have none.
    fn encode_empty(&self, options: &FormatOptions) -> Result<Vec<u8>, EditError>;

    /// Encodes a JSON document. It may contain all types, and everything that the options allow.
    ///
    /// # Errors
    ///
    /// If it is not a document of this format, or its value cannot be encoded.
    fn encode_json(&self, document: &[u8], options: &FormatOptions) -> Result<Vec<u8>, EditError>;

    /// Encodes a JSON document of this form. The plain form has no types: each value has that of the value with the same path in
    /// the bytes `like`, and a new value has the default type of a number, text or boolean. Other forms do not use `like`.
    ///
    /// ```
    /// use enginewire::formats::{self, FormatOptions, JsonForm};
    ///
    /// let (format, options) = (formats::by_name("roblox-attributes").unwrap(), FormatOptions::new());
    /// let like = b"\x01\0\0\0\x02\0\0\0Hp\x04\x64\0\0\0"; // an Int
    /// let bytes = format.encode_form(JsonForm::Plain, br#"{"Hp": 80}"#, Some(like), &options)?;
    /// assert_eq!(bytes, b"\x01\0\0\0\x02\0\0\0Hp\x04\x50\0\0\0");
    /// let bytes = format.encode_form(JsonForm::Rojo, br#"{"Hp": {"Int32": 80}}"#, None, &options)?;
    /// assert_eq!(bytes, b"\x01\0\0\0\x02\0\0\0Hp\x04\x50\0\0\0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the format does not have the form, `like` is invalid, the document is not of the form or lacks types, or its value
    /// cannot be encoded.
    fn encode_form(
        &self,
        form: JsonForm,
        document: &[u8],
        like: Option<&[u8]>,
        options: &FormatOptions,
    ) -> Result<Vec<u8>, EditError>;

    /// The name of the engine's own language, the notation for values as text: `"Luau"`, `"GDScript"`, `"Lua"`.
    fn notation_name(&self) -> &'static str;

    /// Decodes a value and writes it in the engine's own notation, in one line.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    fn decode_notation(&self, bytes: &[u8], options: &FormatOptions) -> Result<String, DecodeError>;

    /// Encodes a value in the engine's own notation. It may contain all types, and everything that the options allow.
    ///
    /// # Errors
    ///
    /// If the text is not a value of this format, or the value cannot be encoded.
    fn encode_notation(&self, text: &str, options: &FormatOptions) -> Result<Vec<u8>, EditError>;

    /// Every field of a value with its place; of a broken value, those before the error.
    fn inspect(&self, bytes: &[u8], options: &FormatOptions) -> Tree;

    /// The same, down to `levels` levels, and in each of these ranges down to its own number of levels. Deeper nodes take no memory.
    ///
    /// ```
    /// use enginewire::formats::{self, FormatOptions};
    ///
    /// let format = formats::by_name("godot-4").unwrap();
    /// let bytes = b"\x1c\0\0\0\x01\0\0\0\x1c\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0"; // [[7]]
    /// let tree = format.inspect_levels(bytes, &FormatOptions::new(), 3, Vec::new());
    /// let item = tree.nodes().last().unwrap(); // the array inside, without what it holds
    /// let tree = format.inspect_levels(bytes, &FormatOptions::new(), 3, vec![(item.range, usize::MAX)]);
    /// assert_eq!(tree, format.inspect(bytes, &FormatOptions::new()));
    /// ```
    fn inspect_levels(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        levels: usize,
        opened: Vec<(Range<Offset>, usize)>,
    ) -> Tree;

    /// The same, part by part, so that no more than one item of the value is in memory at once. A value that has no items, such
    /// as one of Godot, is a single part. Nodes deeper than `levels` are left out, and take no memory. See [`TreeParts`](crate::wire::TreeParts).
    ///
    /// ```
    /// use enginewire::formats::{self, FormatOptions};
    ///
    /// let format = formats::by_name("roblox-attributes").unwrap();
    /// let entry = b"\x01\0\0\0a\x03\x01";
    /// let bytes = [&10_000u32.to_le_bytes()[..], &entry.repeat(10_000)].concat();
    /// let parts = format.inspect_parts(&bytes, &FormatOptions::new(), usize::MAX);
    /// assert_eq!(parts.count(), 10_002); // the length, the entries, the end
    /// ```
    fn inspect_parts<'b>(
        &self,
        bytes: &'b [u8],
        options: &FormatOptions,
        levels: usize,
    ) -> Box<dyn Iterator<Item = TreePart> + 'b>;

    /// Checks what a reader gives. At most `item_limit` bytes of it, one item, are held at once.
    ///
    /// # Errors
    ///
    /// If reading fails, an item is larger than the limit, or the bytes are invalid.
    fn check_reader(
        &self,
        reader: &mut dyn Read,
        item_limit: usize,
        options: &FormatOptions,
    ) -> Result<Checked, ReadError>;

    /// Decodes bytes that come in pieces, item by item. An item takes at most `item_limit` bytes.
    fn stream(&self, item_limit: usize, options: &FormatOptions) -> Box<dyn JsonStream>;

    /// The settings for writing values of the format as text.
    fn notation(&self) -> Notation;

    /// Decodes a value and calls `work` with it, to find values inside it: see [`at`](super::at).
    ///
    /// ```
    /// use enginewire::formats::{self, FormatOptions};
    ///
    /// let format = formats::by_name("godot-4").unwrap();
    /// let bytes = b"\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hp\0\0\x02\0\0\0\x07\0\0\0";
    /// let path = "hp".parse()?;
    /// format.visit(bytes, &FormatOptions::new(), &mut |value| {
    ///     let found = formats::at(value, &path, format.notation()).unwrap();
    ///     assert_eq!(found.text(format.notation()), "7");
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    fn visit(&self, bytes: &[u8], options: &FormatOptions, work: &mut dyn FnMut(&dyn Node)) -> Result<(), DecodeError>;

    /// Decodes a value, calls `work` to change it, and encodes it. All that `work` leaves as it is keeps its bytes. See
    /// [`change`](super::change).
    ///
    /// # Errors
    ///
    /// If the bytes are invalid, `work` returns an error, or the changed value cannot be encoded, or not without other changes.
    fn edit(
        &self,
        bytes: &[u8],
        options: &FormatOptions,
        work: &mut dyn FnMut(&mut dyn Node) -> Result<(), EditError>,
    ) -> Result<Vec<u8>, EditError>;

    /// Counts the types in a value.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    fn count(&self, bytes: &[u8], options: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError>;
}

/// Items of a format as JSON, from bytes that come in pieces. Made by [`AnyFormat::stream`].
///
/// ```
/// use enginewire::formats::{self, FormatOptions};
///
/// let format = formats::by_name("roblox-attributes").unwrap();
/// let mut stream = format.stream(1 << 20, &FormatOptions::new());
/// stream.push(b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0");
/// assert_eq!(stream.next().unwrap()?, r#"{"key":"a","type":"Bool","value":true}"#);
/// assert!(stream.next().is_none());
/// assert!(stream.finish().is_err());
/// # Ok::<(), enginewire::formats::DecodeJsonError>(())
/// ```
pub trait JsonStream: Debug + Send {
    /// Takes the next bytes.
    fn push(&mut self, bytes: &[u8]);

    /// The next item that is complete, in one line. `None` if more bytes are needed, or the end or an error was reached.
    ///
    /// # Errors
    ///
    /// Why the stream cannot be read further.
    #[allow(clippy::should_implement_trait)] // after `None`, more may come
    fn next(&mut self) -> Option<Result<String, DecodeJsonError>>;

    /// Says that no more bytes will come, which completes an item that options allow to lack something at the end. See
    /// [`Decoder::end`](crate::wire::Decoder::end).
    fn end(&mut self);

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// If the stream ends inside an item, or failed before.
    fn finish(self: Box<Self>) -> Result<(), DecodeError>;
}

/// Why bytes are taken to be of a format: `certain: the bytes begin with "LUA"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detection {
    /// The confidence that bytes are of the format.
    pub confidence: Confidence,
    /// The reason, in a few words.
    pub reason: String,
    /// The number of valid fields, counted up to some hundreds. Of two equally sure detections, more fields are likelier.
    pub fields: usize,
    /// The length of the value in bytes, if it is whole and other bytes follow.
    pub length: Option<usize>,
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.confidence, self.reason)
    }
}

/// The confidence that bytes are of a format. Greater is surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Some fields are valid, but the bytes end too early or what follows the fields is invalid.
    Possible,
    /// The bytes are a value from the first to the last.
    Likely,
    /// The bytes have the signature of the format.
    Certain,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        })
    }
}

/// A row of a format's table of types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TypeRow {
    /// The number, in the form used by the specification.
    pub id: String,
    /// The name.
    pub name: &'static str,
    /// The evidence for the type.
    pub status: Provenance,
    /// The form of its values in documents.
    #[serde(skip)]
    pub shape: Shape,
    /// The type that this one is a kind of, such as `Userdata`. Values get such a kind by their text only.
    #[serde(skip)]
    pub kind_of: Option<&'static str>,
}

impl TypeRow {
    /// All rows of a table, whose values have these shapes.
    #[must_use]
    pub fn all<T: TypeNumber>(shape_of: fn(T) -> Shape) -> Vec<TypeRow> {
        let id = |row: &T| match T::RADIX {
            Radix::Decimal => row.number().to_string(),
            _ => format!("{:#04x}", row.number()),
        };
        let row =
            |t: &T| TypeRow { id: id(t), name: t.name(), status: t.provenance(), shape: shape_of(*t), kind_of: None };
        T::ALL.iter().map(row).collect()
    }
}

/// The result of a check of valid bytes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The number of items, if the format counts them.
    pub entries: Option<u64>,
    /// The form of an empty value, if the format has several.
    pub empty: Option<EmptyForm>,
    /// The places that are not canonical, and the types that were never seen in real data.
    pub findings: Findings,
}

/// A form of an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmptyForm {
    /// For programs: `"zero-length"`.
    pub name: &'static str,
    /// For people: `"a length of 0"`.
    pub about: &'static str,
}

/// The readable part of a broken value. Made by [`AnyFormat::recover`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The bytes of a valid value; `None` if nothing could be read that is a value.
    pub bytes: Option<Vec<u8>>,
    /// The error in the rest, if there is one.
    pub error: Option<DecodeError>,
}

/// The number of values of each type, and their nesting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// The number of values of each type, by its name.
    pub types: BTreeMap<&'static str, u64>,
    /// The deepest nesting of containers.
    pub depth: u64,
}

impl Counts {
    /// Counts one value of this type, inside `depth` containers.
    pub fn add(&mut self, name: &'static str, depth: u64) {
        let count = self.types.entry(name).or_default();
        *count = count.saturating_add(1);
        self.depth = self.depth.max(depth);
    }

    /// Counts values and all values in them, keys that are values too, by these names of their types.
    pub(crate) fn add_all<'v, 'a: 'v, V: Holder<'a> + 'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v V>,
        name: impl Fn(&V) -> &'static str,
    ) {
        // a loop, because values may nest deeper than the stack of the thread allows
        let mut work: Vec<_> = values.into_iter().map(|value| (value, 0)).collect();
        while let Some((value, depth)) = work.pop() {
            let children = (0..).map_while(|index| value.child(index));
            work.extend(children.filter_map(|child| match child {
                Child::Value(value) => Some((value, u64::saturating_add(depth, 1))),
                Child::Key(_) => None,
            }));
            self.add(name(value), depth);
        }
    }
}

/// Why bytes give no JSON document.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DecodeJsonError {
    /// The bytes are invalid.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The form cannot hold the value.
    #[error(transparent)]
    Form(#[from] TextError),
    /// The document cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

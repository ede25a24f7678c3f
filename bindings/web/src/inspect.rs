//! Inspects bytes: trees of fields, checks, and detection of formats.

use std::ops::Range;

use enginewire::formats::{Checked, Confidence, Detection};
use enginewire::wire::{FindingSummary, Node, Note, Tree};
use enginewire::DecodeError;
use enginewire::{Offset, Segment};
use enginewire_files::containers::ContainerKind;
use enginewire_files::guess;
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::Failure;
use crate::offered::{Offered, FORMATS};
use crate::{numbered, Request};

/// Every field of a value with its place: the JSON that `enginewire inspect --json` writes.
#[wasm_bindgen]
pub fn inspect(format: usize, bytes: &[u8], options: &str) -> Result<String, JsValue> {
    let inspect = || {
        let (format, request) = (numbered(format)?, Request::parse(options)?);
        let tree = format.inspect(bytes, &request.options);
        document(&request.name, format.name(), &tree).map_err(Failure::of_options)
    };
    inspect().map_err(Failure::thrown)
}

/// The JSON text of a tree, with the members that describe all of it.
fn document(file: &str, format: &'static str, tree: &Tree) -> serde_json::Result<String> {
    let head = serde_json::to_string(&Head { file, format, length: tree.length() })?;
    let tail = Tail { error: tree.error(), limit: tree.limit(), gap: tree.gap().map(Place::from) };
    let tail = serde_json::to_string(&tail)?;
    let comma = if tail == "{}" { "" } else { "," };
    Ok(format!("{},\"nodes\":{}{comma}{}", &head[..head.len() - 1], nested(tree)?, &tail[1..]))
}

/// The members before the nodes.
#[derive(Serialize)]
struct Head<'t> {
    file: &'t str,
    format: &'static str,
    length: u64,
}

/// The members after the nodes.
#[derive(Serialize)]
struct Tail<'t> {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'t DecodeError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<Place>,
}

/// A range; bits are written only where they are not 0.
#[derive(Serialize)]
struct Place {
    start: u64,
    #[serde(skip_serializing_if = "is_zero")]
    start_bit: u8,
    end: u64,
    #[serde(skip_serializing_if = "is_zero")]
    end_bit: u8,
}

impl From<Range<Offset>> for Place {
    fn from(Range { start, end }: Range<Offset>) -> Self {
        Place { start: start.byte(), start_bit: start.bit(), end: end.byte(), end_bit: end.bit() }
    }
}

fn is_zero(bit: &u8) -> bool {
    *bit == 0
}

/// The nodes, each with its children, as the text of a list. It is a loop: WebAssembly has little stack, and nodes nest deep.
fn nested(tree: &Tree) -> serde_json::Result<String> {
    let mut text = "[".to_owned();
    // the depths of the nodes that are still open
    let mut depths: Vec<usize> = Vec::new();
    for node in tree.nodes() {
        let mut is_first = true;
        while depths.last().is_some_and(|depth| *depth >= node.depth) {
            depths.pop();
            // the end of the object, after the list of its children
            text += if is_first { "}" } else { "]}" };
            is_first = false;
        }
        text += match (is_first, depths.is_empty()) {
            (false, _) => ",",
            (true, false) => r#","children":["#,
            (true, true) => "",
        };
        let part = serde_json::to_string(&Part::new(&node))?;
        text += &part[..part.len() - 1];
        depths.push(node.depth);
    }
    if !depths.is_empty() {
        text += "}";
        text += &"]}".repeat(depths.len() - 1);
    }
    Ok(text + "]")
}

#[derive(Serialize)]
struct Part<'t> {
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'t str>,
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    broken: bool,
}

impl<'t> Part<'t> {
    fn new(node: &'t Node<'_>) -> Self {
        let (label, index) = match &node.label {
            Segment::Field(name) => (Some(*name), None),
            Segment::Index(index) => (None, Some(*index)),
            Segment::Key(key) => (key.as_str(), None),
            _ => (None, None),
        };
        let note = node.note.map(|note| match note {
            Note::NonCanonical(what) => format!("not canonical: {what}"),
            Note::Draft(_) => "draft type".to_owned(),
            _ => String::new(),
        });
        Part {
            label,
            index,
            key: node.key,
            place: node.range.clone().into(),
            value: node.value,
            note,
            broken: node.broken,
        }
    }
}

/// Checks bytes without decoding them, and gives the result as JSON.
#[wasm_bindgen]
pub fn check(format: usize, bytes: &[u8], options: &str) -> Result<String, JsValue> {
    let check = || {
        let (format, request) = (numbered(format)?, Request::parse(options)?);
        let checked = format.check(bytes, &request.options);
        let checked = checked.map_err(|error| Failure::of_bytes(&error, bytes, &request.name))?;
        serde_json::to_string(&Summary::from(&checked)).map_err(Failure::of_options)
    };
    check().map_err(|error: Failure| error.thrown())
}

/// The result of a check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    entries: Option<u64>,
    empty: Option<&'static str>,
    canonical: bool,
    non_canonical: Found,
    drafts: Found,
}

impl From<&Checked> for Summary {
    fn from(checked: &Checked) -> Self {
        Summary {
            entries: checked.entries,
            empty: checked.empty.map(|form| form.name),
            canonical: checked.findings.is_canonical(),
            non_canonical: Found::from(&checked.findings.non_canonical),
            drafts: Found::from(&checked.findings.drafts),
        }
    }
}

/// The number of findings of a kind, and the first of them.
#[derive(Serialize)]
struct Found {
    count: u64,
    first: Option<First>,
}

#[derive(Serialize)]
struct First {
    offset: u64,
    bit: u8,
    what: &'static str,
}

impl From<&FindingSummary> for Found {
    fn from(found: &FindingSummary) -> Self {
        let first =
            found.first.map(|first| First { offset: first.offset.byte(), bit: first.offset.bit(), what: first.what });
        Found { count: found.count, first }
    }
}

/// The formats that bytes may have, as JSON.
#[wasm_bindgen]
pub fn detect(bytes: &[u8]) -> String {
    let mut found: Vec<(_, Why)> = Vec::new();
    // not every module knows models as such
    let is_file = ContainerKind::detect(bytes).is_some() || bytes.starts_with(b"<roblox!");
    let is_other = is_file || guess::signature(bytes).is_some();
    for (_, format) in FORMATS.iter().filter(|_| !is_other) {
        let framed = ["le", "be"].into_iter().filter_map(|framing| Why::framed(*format, bytes, framing));
        for (confidence, why) in
            format.detect(bytes).map(|found| Why::of(format.name(), found)).into_iter().chain(framed)
        {
            let rank = |confidence: Confidence, why: &Why| (confidence, why.fields);
            let place = found.partition_point(|(other, is)| rank(*other, is) >= rank(confidence, &why));
            found.insert(place, (confidence, why));
        }
    }
    serde_json::to_string(&found.iter().map(|(_, why)| why).collect::<Vec<_>>()).unwrap_or_default()
}

/// Why bytes may be of a format.
#[derive(Serialize)]
struct Why {
    format: &'static str,
    confidence: String,
    reason: String,
    fields: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    framing: Option<&'static str>,
}

impl Why {
    fn of(format: &'static str, found: Detection) -> (Confidence, Self) {
        let Detection { confidence, reason, fields, length, .. } = found;
        (confidence, Why { format, confidence: confidence.to_string(), reason, fields, length, framing: None })
    }

    #[cfg(not(feature = "godot"))]
    fn framed(_: &dyn Offered, _: &[u8], _: &'static str) -> Option<(Confidence, Self)> {
        None
    }

    /// All bytes are values of the format with their lengths before them.
    #[cfg(feature = "godot")]
    fn framed(format: &dyn Offered, bytes: &[u8], framing: &'static str) -> Option<(Confidence, Self)> {
        let options = enginewire::formats::FormatOptions::new().set("framing", framing).ok()?;
        let has = format.options().iter().any(|option| option.name == "framing") && !bytes.is_empty();
        let count = format.check(bytes, &options).ok().filter(|_| has)?.entries?;
        let reason = if count == 1 {
            "1 value with its length".to_owned()
        } else {
            format!("{count} values with their lengths")
        };
        let (confidence, fields) = (Confidence::Likely, usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(2));
        let why = Why {
            format: format.name(),
            confidence: confidence.to_string(),
            reason,
            fields,
            length: None,
            framing: Some(framing),
        };
        Some((confidence, why))
    }
}

/// The kind of a file that holds no readable values, as JSON; empty if the bytes have no known signature.
#[wasm_bindgen]
pub fn signature(head: &[u8]) -> String {
    // other modules read these, so they are not foreign files
    let is_read = |name: &str| name == "SQLite" || (name == "XML" && head.starts_with(b"<roblox"));
    let found = guess::signature(head).filter(|found| !is_read(found.name));
    found.map_or_else(String::new, |enginewire::signature::Signature { name, about, advice, .. }| {
        json!({"name": name, "about": about, "advice": advice}).to_string()
    })
}

/// The name of the kind of container that the first bytes show; empty for other files, and for those that this module does not open.
#[wasm_bindgen]
pub fn detect_file(head: &[u8]) -> String {
    let own = [
        (cfg!(feature = "models"), "rbxm"),
        (cfg!(feature = "scrap_mechanic"), "scrap-mechanic"),
        (cfg!(feature = "godot"), "godot"),
    ];
    let kind = ContainerKind::detect(head).map_or("", ContainerKind::name);
    let is_own = own.iter().any(|(is_here, game)| *is_here && kind.starts_with(game));
    if is_own { kind } else { "" }.to_owned()
}

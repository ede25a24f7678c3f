//! What is in bytes: trees of fields, checks, and which format they have.

use std::ops::Range;

use enginewire::containers::ContainerKind;
use enginewire::formats::{Checked, Detection};
use enginewire::wire::{FindingSummary, Node, Note, Tree};
use enginewire::DecodeError;
use enginewire::{Offset, Segment};
use serde::Serialize;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::Failure;
use crate::offered::FORMATS;
use crate::{numbered, Request};

/// Every field of a value with its place, as JSON: as `enginewire inspect --json` writes it.
#[wasm_bindgen]
pub fn inspect(format: usize, bytes: &[u8], options: &str) -> Result<String, JsValue> {
    let inspect = || {
        let (format, request) = (numbered(format)?, Request::parse(options)?);
        let tree = format.inspect(bytes, &request.options);
        document(&request.name, format.name(), &tree).map_err(Failure::of_options)
    };
    inspect().map_err(Failure::thrown)
}

/// The text of a tree with what is known of the whole.
fn document(file: &str, format: &'static str, tree: &Tree) -> serde_json::Result<String> {
    let head = serde_json::to_string(&Head { file, format, length: tree.length() })?;
    let tail = Tail { error: tree.error(), limit: tree.limit(), gap: tree.gap().map(Place::from) };
    let tail = serde_json::to_string(&tail)?;
    let comma = if tail == "{}" { "" } else { "," };
    Ok(format!("{},\"nodes\":{}{comma}{}", &head[..head.len() - 1], nested(tree.nodes())?, &tail[1..]))
}

/// What comes before the nodes.
#[derive(Serialize)]
struct Head<'t> {
    file: &'t str,
    format: &'static str,
    length: u64,
}

/// What comes after the nodes.
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

/// The nodes, each with those within it, as the text of a list. WebAssembly has little stack, and they nest deep: this is a loop.
fn nested(nodes: &[Node]) -> serde_json::Result<String> {
    let mut text = "[".to_owned();
    // of those nodes that are not at their end
    let mut depths: Vec<usize> = Vec::new();
    for node in nodes {
        let mut is_first = true;
        while depths.last().is_some_and(|depth| *depth >= node.depth) {
            depths.pop();
            // the object, after the list of those within it
            text += if is_first { "}" } else { "]}" };
            is_first = false;
        }
        text += match (is_first, depths.is_empty()) {
            (false, _) => ",",
            (true, false) => r#","children":["#,
            (true, true) => "",
        };
        let part = serde_json::to_string(&Part::new(node))?;
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
    fn new(node: &'t Node) -> Self {
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
            key: node.key.as_deref(),
            place: node.range.clone().into(),
            value: node.value.as_deref(),
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

/// How often something was found, and where first.
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
    let mut found: Vec<(_, Detection)> = Vec::new();
    for (_, format) in FORMATS {
        if let Some(detection) = format.detect(bytes) {
            let rank = |detection: &Detection| (detection.confidence, detection.fields);
            let place = found.partition_point(|(_, other)| rank(other) >= rank(&detection));
            found.insert(place, (format, detection));
        }
    }
    let found = found.into_iter().map(|(format, found)| Why {
        format: format.name(),
        confidence: format!("{:?}", found.confidence).to_lowercase(),
        reason: found.reason,
        fields: found.fields,
    });
    serde_json::to_string(&found.collect::<Vec<_>>()).unwrap_or_default()
}

/// Why bytes may be of a format.
#[derive(Serialize)]
struct Why {
    format: &'static str,
    confidence: String,
    reason: String,
    fields: usize,
}

/// The kind of file that bytes begin like: `"model"`, `"blueprint"`, `"project"`; empty if it is none that holds values.
#[wasm_bindgen]
pub fn detect_file(head: &[u8]) -> String {
    let kind = match ContainerKind::detect(head) {
        #[cfg(feature = "models")]
        Some(ContainerKind::Model(_)) => "model",
        #[cfg(feature = "scrap_mechanic")]
        Some(ContainerKind::Blueprint) => "blueprint",
        #[cfg(feature = "godot")]
        Some(ContainerKind::Project) => "project",
        // without SQLite, saves are not among them
        #[cfg(feature = "scrap_mechanic")]
        _ if head.starts_with(b"SQLite format 3\0") => "save",
        _ => "",
    };
    kind.to_owned()
}

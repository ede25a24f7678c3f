//! The functions that only the page uses: open files, their values, the fields of a value, and changes.
//!
//! Everything except bytes and lists of numbers is passed as JSON: the page shows a few rows at a time.

use std::fmt::Write as _;
use std::ops::{ControlFlow, Range};

use enginewire::formats::{
    at, by_name, change, AnyFormat, Confidence, Contents, Edit, FormatOptions, JsonForm, JsonWriter, Node, Notation,
    Plain, Step, ValuePath,
};
use enginewire::roblox::attributes::KeyRules;
use enginewire::roblox::Tags;
use enginewire::scrap_mechanic::lua_object::MAGIC;
use enginewire::wire::bstr::ByteSlice;
use enginewire::wire::{Note, Provenance, Tree};
use enginewire::{DecodeError, Offset, Segment};
use enginewire_files::address::Address;
use enginewire_files::containers::{Container, ContainerError, ContainerKind, Embedded, FileSource, ValueChange};
use enginewire_files::file::Asked;
use enginewire_files::godot::Layers;
use enginewire_files::guess::{self, Kind as Guessed};
use enginewire_files::roblox::model::{self, Change as ModelChange, Listing, ModelError, Property, Store};
use enginewire_files::survive::{self, Held, ROWS, TOOLS};
use js_sys::Function;
use serde_json::{json, Value};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

type Format = &'static dyn AnyFormat;

/// The number of values that are listed between two reports of progress.
const STEP: usize = 1024;

/// The longest text of a value that is shown and edited as a whole, in bytes.
const SHOWN: usize = 64 << 10;

/// The largest value whose text is shown beside its name, in bytes.
const SHORT: u64 = 512;

/// The largest value whose beginning the list shows, in bytes, and the length of that beginning in characters.
const PREVIEWED: usize = 1024;
const PREVIEW: usize = 120;

/// The fields of a value of more bytes are shown level by level: first this number of levels, and as many more in a value that is unfolded.
/// In every format, there are no more levels from a value to those inside it.
const LARGE: usize = 2 << 20;
const LEVELS: usize = 4;

/// The most tags of an instance that are shown.
const TAGS: usize = 100;

/// The most memory for a file, in bytes: WebAssembly has 4 GiB at most, and an opened model file has several copies.
const MEMORY: u64 = 1 << 30;

/// The way to open a file: its container and format.
#[derive(Clone, Copy)]
struct Kind {
    container: Option<ContainerKind>,
    format: Format,
    /// A text instead of bytes: in the JSON form, or in the notation of the engine.
    is_document: bool,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        if let Some(("document" | "text", format)) = name.split_once(' ') {
            return Some(Kind { is_document: true, ..Kind::of_format(format)? });
        }
        let Asked { kind: container, format } = name.parse().ok()?;
        let first = container.and_then(|kind| kind.formats().first().copied());
        // the files of a pack are not in any format
        Some(Kind { container, ..Kind::of_format(format.or(first).unwrap_or("godot-4"))? })
    }

    fn of_format(name: &str) -> Option<Self> {
        Some(Kind { container: None, format: by_name(name)?, is_document: false })
    }
}

/// Guesses the kind of bytes: a JSON list of `kind`, `confidence`, `reason` and `rank`, the likeliest first. A guess that cannot
/// be opened has no kind, and a sentence as its reason.
#[wasm_bindgen]
pub fn page_guesses(bytes: &[u8]) -> String {
    let row = |kind: Option<String>, reason: &str, confidence: Confidence, count: usize| {
        let rank = match confidence {
            Confidence::Certain => 2,
            Confidence::Likely => 1,
            _ => 0,
        };
        json!({"kind": kind, "reason": reason, "confidence": confidence.to_string(), "rank": [rank, count]})
    };
    let mut all: Vec<Value> = Vec::new();
    let mut guesses = guess::guess(bytes, &FormatOptions::new().set("max_memory", MEMORY).unwrap_or_default());
    // of those that are as sure, the newer version
    let is_new = |guess: &guess::Guess| guess.format().is_some_and(|format| format.name() == "godot-4");
    guesses.sort_by_key(|guess| std::cmp::Reverse((guess.confidence, guess.fields, is_new(guess))));
    for guess in guesses {
        let (confidence, fields) = (guess.confidence, guess.fields);
        // of those that are as sure, one that leaves bytes unread goes last
        let count = if guess.length.is_some() { 0 } else { fields };
        let (kind, reason) = match guess.kind {
            Guessed::Container(ContainerKind::Project) => {
                all.extend(project(bytes, &guess.reason, row));
                continue;
            }
            Guessed::Container(kind) => (Some(kind.name().to_owned()), guess.reason),
            Guessed::Document(format) => (Some(format!("document {}", format.name())), guess.reason),
            // the page reads without options and from the first byte only
            Guessed::Value(format) | Guessed::Values(_, format) if guess.option.is_some() || guess.offset > 0 => {
                (None, format!("as {}, {}; the program enginewire reads it", format.name(), guess.reason))
            }
            Guessed::Values(kind, format) => {
                match ContainerKind::named(kind.name()).flat_map(ContainerKind::formats).count() {
                    1 => (Some(kind.name().to_owned()), guess.reason),
                    _ => (Some(format!("{}:{}", kind.name(), format.name())), guess.reason),
                }
            }
            Guessed::Value(format) if fields > 1 => {
                (Some(format.name().to_owned()), format!("{} ({fields} fields)", guess.reason))
            }
            Guessed::Value(format) => (Some(format.name().to_owned()), guess.reason),
            _ => (None, guess.reason),
        };
        all.push(row(kind, &reason, confidence, count));
    }
    Value::from(all).to_string()
}

/// A guess for each version of Godot, the likeliest first, by checking the settings of a project in each.
fn project(bytes: &[u8], reason: &str, row: impl Fn(Option<String>, &str, Confidence, usize) -> Value) -> Vec<Value> {
    let (mut all, options) = (Vec::new(), FormatOptions::new());
    for format in ContainerKind::Project.formats().iter().filter_map(|name| by_name(name)) {
        let (mut count, mut broken) = (0usize, 0usize);
        let opened = ContainerKind::Project.open(FileSource::Bytes(bytes.to_vec()), None, &options);
        let listed = opened.and_then(|container| {
            container.values(&mut |value| {
                match value.bytes.is_ok_and(|bytes| format.check(&bytes, &options).is_ok()) {
                    true => count += 1,
                    false => broken += 1,
                }
                ControlFlow::Continue(())
            })
        });
        let valid =
            if broken == 0 && listed.is_ok() { "all values are valid in it" } else { "some values are valid in it" };
        let confidence = if broken == 0 { Confidence::Certain } else { Confidence::Likely };
        let (kind, reason) =
            (format!("{}:{}", ContainerKind::Project.name(), format.name()), format!("{reason}; {valid}"));
        all.push((confidence, count, row(Some(kind), &reason, confidence, count)));
    }
    // of those that are as sure, the newer version
    all.reverse();
    all.sort_by_key(|(confidence, count, _)| std::cmp::Reverse((*confidence, *count)));
    all.into_iter().map(|(.., row)| row).collect()
}

/// The same for a text, which may be a value in the notation of an engine; the newer version of Godot goes first.
#[wasm_bindgen]
pub fn page_texts(text: &str) -> String {
    let all = enginewire::formats().iter().filter(|format| format.encode_notation(text, &FormatOptions::new()).is_ok());
    let row = |format: &Format| {
        let reason = format!("the text is a value in {}", format.notation_name());
        json!({"kind": format!("text {}", format.name()), "reason": reason, "confidence": "possible", "rank": [0, usize::from(format.name() != "godot-3")]})
    };
    Value::from(all.map(row).collect::<Vec<_>>()).to_string()
}

/// Every format, as a JSON list of `kind`, `about` and `notation`.
#[wasm_bindgen]
pub fn page_kinds() -> String {
    let all = enginewire::formats()
        .iter()
        .map(|format| json!({"kind": format.name(), "about": format.about(), "notation": format.notation_name()}));
    Value::from(all.collect::<Vec<_>>()).to_string()
}

/// The layers around a file of Godot.
#[wasm_bindgen]
pub struct PageLayers(Layers);

#[wasm_bindgen]
impl PageLayers {
    /// Removes the layers of a file. The secret of an encrypted one is its key if it is 64 hexadecimal digits, else its password.
    ///
    /// # Errors
    ///
    /// If a layer is broken, or it is another secret.
    pub fn peel(file: Vec<u8>, secret: &str) -> Result<PageLayers, JsError> {
        let options = FormatOptions::new().set("max_memory", MEMORY).map_err(error)?;
        let keyed = options.clone().set("key", secret.to_owned());
        let options = keyed.or_else(|_| options.set("password", secret.to_owned())).map_err(error)?;
        Layers::peel(file, &options).map(PageLayers).map_err(container_error)
    }

    /// The layers, the outermost first; empty if there are none.
    pub fn names(&self) -> String {
        self.0.names()
    }

    /// The file inside. It can be taken once.
    pub fn take_inner(&mut self) -> Vec<u8> {
        self.0.take_inner()
    }

    /// The layers around another file inside.
    ///
    /// # Errors
    ///
    /// If a layer cannot hold it.
    pub fn wrap(&self, inner: &[u8]) -> Result<Vec<u8>, JsError> {
        self.0.wrap(inner).map_err(container_error)
    }
}

/// A value of the file, or another part of it that is listed.
struct Row {
    /// Its address; empty if the file is this one value.
    address: Box<str>,
    /// The class of its instance, or another name of its kind.
    class: Box<str>,
    bytes: Result<Vec<u8>, Box<str>>,
    /// True if its bytes are in the format.
    is_value: bool,
    /// True if it may continue after the end of the file, so that it is truncated rather than malformed.
    is_open: bool,
    is_broken: bool,
    /// Further text about it: its tags, or the key of a row.
    about: Vec<String>,
    /// The instance and property that it belongs to.
    property: Option<(usize, model::Kind)>,
}

/// A model file, with its instances.
struct Model {
    file: Vec<u8>,
    listing: Listing,
    options: model::Options,
    /// The number of rows for properties that the file has. They come first.
    listed: usize,
    /// The numbers of the rows of instances, sorted by instance.
    by_instance: Vec<u32>,
    /// The numbers of the rows that belong to no instance.
    others: Vec<u32>,
}

/// A change of a row: its bytes before and after.
struct Change {
    row: usize,
    before: Vec<u8>,
    after: Vec<u8>,
    /// The description of the change, for people.
    what: String,
    /// True if it is undone together with the change before it.
    is_joined: bool,
}

/// A file that the page has open, with its changes.
#[wasm_bindgen]
pub struct PageFile {
    kind: Kind,
    container: Option<Box<dyn Container>>,
    model: Option<Model>,
    /// The file as it was opened; empty for a container, which holds it.
    original: Vec<u8>,
    options: FormatOptions,
    rows: Vec<Row>,
    history: Vec<Change>,
    /// The number of changes in the history that are in effect; those after them were undone.
    done: usize,
    /// The reason if the list ends too early.
    end: Option<String>,
}

#[wasm_bindgen]
impl PageFile {
    /// Opens bytes as what `name` names. `progress` is called with the number of values listed so far.
    ///
    /// # Errors
    ///
    /// If they are no such container or document.
    pub fn open(bytes: Vec<u8>, name: &str, progress: &Function) -> Result<PageFile, JsError> {
        let kind = Kind::of(name).ok_or_else(|| JsError::new(&format!("{name} is not a format")))?;
        let mut file = PageFile::new(kind);
        match kind.container {
            Some(ContainerKind::Model(_)) => file.list_model(bytes, progress).map_err(error)?,
            // TypeScript reads its rows from its database, and adds them one by one
            Some(ContainerKind::Save) => {}
            Some(container) => {
                let container =
                    container.open(FileSource::Bytes(bytes), None, &file.options).map_err(container_error)?;
                file.kind.format = container.format().and_then(by_name).unwrap_or(kind.format);
                file.list(&*container, progress);
                file.container = Some(container);
            }
            None => {
                let (format, options) = (kind.format, &file.options);
                let bytes = match name.split_once(' ') {
                    Some(("text", _)) => format.encode_notation(&bytes.to_str_lossy(), options).map_err(error)?,
                    Some(_) => format.encode_json(&bytes, options).map_err(error)?,
                    None => bytes,
                };
                file.original.clone_from(&bytes);
                let is_broken = format.check(&bytes, &file.options).is_err();
                file.rows.push(Row { is_open: true, is_broken, ..Row::new("", Ok(bytes)) });
            }
        }
        Ok(file)
    }

    /// Adds a row of a save: its address, its key, and its bytes or the reason why it has none. Bytes that do not begin like an
    /// object are listed as something else.
    pub fn add_row(&mut self, address: &str, key: String, bytes: Option<Vec<u8>>, reason: &str) {
        let is_value = bytes.as_ref().is_none_or(|bytes| bytes.starts_with(MAGIC));
        let is_broken = match &bytes {
            Some(bytes) => is_value && self.kind.format.check(bytes, &self.options).is_err(),
            None => true,
        };
        let bytes = bytes.ok_or_else(|| reason.into());
        let about = if key.is_empty() { Vec::new() } else { vec![key] };
        self.rows.push(Row { is_value, is_broken, about, ..Row::new(address, bytes) });
    }

    /// The description of the file, as JSON: `format`, `notation`, `container`, `rows`, `broken`, `end`, `isDocument`; `types` that a
    /// value can get: no proposed ones, and no kinds of another type; `tools` that may not keep its values, each with its version.
    pub fn about(&self) -> String {
        let broken = self.rows.iter().filter(|row| row.is_broken).count();
        let (format, container) = (self.kind.format, self.kind.container);
        let fits = |name| ROWS.iter().any(|row| row.tools.contains(&name) && row.fits(format.name(), container));
        let tools = TOOLS.iter().filter(|tool| fits(tool.name)).map(|tool| [tool.name, tool.version]);
        json!({
            "tools": tools.collect::<Vec<_>>(),
            "format": format.name(), "notation": format.notation_name(), "container": self.kind.container.map(ContainerKind::name), "rows": self.rows.len(),
            "broken": broken, "end": self.end, "isDocument": self.kind.is_document,
            "types": format.types().iter().filter(|row| row.status != Provenance::Proposed && row.kind_of.is_none()).map(|row| row.name).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// These rows, as a JSON list of `[address, class, size, state, about, is changed]`.
    pub fn rows(&self, numbers: &[u32]) -> String {
        let row = |number: &u32| {
            let row = self.rows.get(index(*number))?;
            let state = match () {
                () if row.is_broken => "broken",
                () if row.is_value => "value",
                () => "other",
            };
            let about = match &row.bytes {
                Err(reason) => reason.to_string(),
                Ok(bytes) => {
                    let parts = [row.about.join(", "), self.preview(row, bytes)];
                    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" · ")
                }
            };
            let size = row.bytes.as_ref().map_or(0, Vec::len);
            let is_changed = self.is_changed(index(*number));
            Some(json!([row.address, row.class, size, state, about, is_changed]))
        };
        Value::from(numbers.iter().map(row).collect::<Vec<_>>()).to_string()
    }

    /// The numbers of the rows whose address, class, tags or bytes have this text; with `broken`, only those that are broken.
    pub fn find(&self, text: &str, broken: bool) -> Vec<u32> {
        let wanted = text.to_lowercase();
        let is_found = |row: &Row| {
            wanted.is_empty()
                || row.address.to_lowercase().contains(&wanted)
                || row.class.to_lowercase().contains(&wanted)
                || row.bytes.as_ref().is_ok_and(|bytes| contains(bytes, text))
        };
        let found = (0..).zip(&self.rows).filter(|(_, row)| (!broken || row.is_broken) && is_found(row));
        found.map(|(number, _)| number).collect()
    }

    /// The bytes of a row.
    pub fn bytes(&self, row: usize) -> Vec<u8> {
        self.row(row).map(<[u8]>::to_vec).unwrap_or_default()
    }

    /// The fields of a row. Values inside those of a large one are folded, except on these paths. `before` is the tree of the same bytes
    /// with fewer paths, which saves time.
    pub fn tree(&self, row: usize, unfolded: Vec<String>, before: Option<PageTree>) -> PageTree {
        let paths: Vec<ValuePath> = unfolded.iter().filter_map(|path| path.parse().ok()).collect();
        let mut made = before.unwrap_or_else(|| self.tree_of(row, Vec::new()));
        loop {
            let mut opened = made.opened.clone();
            for place in paths.iter().filter_map(|path| made.folded_on(path)) {
                if !opened.contains(&place) {
                    opened.push(place);
                }
            }
            if opened.len() == made.opened.len() {
                return made;
            }
            made = self.tree_of(row, opened);
        }
    }

    fn tree_of(&self, row: usize, opened: Opened) -> PageTree {
        let (bytes, format) = (self.row(row).unwrap_or_default(), self.kind.format);
        let is_value = self.rows.get(row).is_some_and(|row| row.is_value && row.bytes.is_ok());
        let is_open = self.rows.get(row).is_some_and(|row| row.is_open);
        let mut tree = match () {
            () if !is_value => Tree::default(),
            () if bytes.len() > LARGE => {
                let memory = u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_add(MEMORY / 2);
                let options = self.options.clone().set("max_memory", memory).unwrap_or_default();
                format.inspect_levels(bytes, &options, LEVELS, opened.clone())
            }
            () => format.inspect(bytes, &self.options),
        };
        if !is_open {
            tree = tree.of_complete_input();
        }
        let mut made = PageTree::new(tree, opened);
        if is_value {
            let notation = format.notation();
            // of a broken value, those before the error are known
            let is_broken = made.tree.error().is_some();
            let kept = if is_broken { format.recover(bytes, &self.options).ok() } else { None };
            let kept = kept.and_then(|kept| kept.bytes);
            let visited = format.visit(kept.as_deref().unwrap_or(bytes), &self.options, &mut |value| {
                let type_name = value.type_name(notation);
                made.values.push(Place { holder: 0, step: None, type_name, entry: 0, text: None, is_folded: false });
                made.map(value, 0, 0..made.nodes_len(), notation, bytes.len() > LARGE);
            });
            if visited.is_err() {
                made.values.clear();
            }
        }
        made
    }

    /// A value inside a row, at a path, as JSON: `path`, `type`, `text`, `json` of a leaf (as text, which
    /// keeps the order of its members), `shape`, `isCut`, `length` of a list.
    ///
    /// # Errors
    ///
    /// If no such value.
    pub fn value(&self, row: usize, path: &str) -> Result<String, JsError> {
        let path: ValuePath = path.parse().map_err(error)?;
        let (bytes, format) = (self.row(row).ok_or_else(no_row)?, self.kind.format);
        let notation = format.notation();
        let mut found = Err(no_row());
        format
            .visit(bytes, &self.options, &mut |value| {
                found = at(value, &path, notation).map_err(error).map(|value| {
                    let mut text = value.text(notation);
                    let is_cut = text.len() > SHOWN;
                    if is_cut {
                        text = text.chars().take(SHOWN / 4).collect();
                    }
                    let (shape, is_leaf) = match value.contents() {
                        Contents::Leaf => ("leaf", !is_cut),
                        Contents::List { .. } => ("list", false),
                        _ => ("object", false),
                    };
                    let json = is_leaf.then(|| serde_json::to_string(&Plain::new(&*value, notation)).ok()).flatten();
                    json!({
                        "path": path.to_string(), "type": value.type_name(notation), "text": text, "isCut": is_cut,
                        "shape": shape, "json": json,
                        "length": value.list_length(),
                    })
                    .to_string()
                });
            })
            .map_err(error)?;
        found
    }

    /// The fields of a row that a tool does not keep, as a JSON list of the number of the node and a sentence about it. In a folded value,
    /// the node is that of this value.
    pub fn harms(&self, row: usize, tool: &str, shown: &PageTree) -> String {
        let (Some(tool), Some(bytes)) = (survive::named(tool), self.row(row)) else { return "[]".to_owned() };
        let (tree, found) = (self.kind.format.inspect(bytes, &self.options), self.addresses(&[row]));
        let address =
            found.ok().and_then(|mut found| found.pop()).map_or_else(Address::of_file, |(address, _)| address);
        let held = Held { format: self.kind.format.name(), bytes, carrier: self.kind.container, address: &address };
        let mut all = Vec::new();
        if tree.limit().is_some() {
            all.push(json!([0, "The value is too large to be checked as a whole: only its beginning was."]));
        }
        let _ = survive::check(&[tool], held, &tree, &mut |harm| {
            let node = tree.nodes().find(|node| Some(node.range.start) == harm.at && tree.path(node) == harm.path);
            let shown = node.map_or(0, |node| if bytes.len() > LARGE { shown.around(&node.range) } else { node.index });
            all.push(json!([shown, harm.to_string()]));
            Ok::<(), ()>(())
        });
        Value::from(all).to_string()
    }

    /// All values inside a row that hold no others, as a JSON list of `[path, type, text]`.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    pub fn values(&self, row: usize) -> Result<String, JsError> {
        let mut all = Vec::new();
        self.each_value(row, &mut |Inner { path, value, is_leaf, notation, .. }| {
            let type_name = value.type_name(notation);
            // an empty list that has no type of its own has nothing to show
            if is_leaf && !type_name.is_empty() {
                all.push(json!([path.to_string(), type_name, value.text(notation)]));
            }
            ControlFlow::Continue(())
        })
        .map_err(error)?;
        Ok(Value::from(all).to_string())
    }

    /// Calls `work` with every value inside a row, each before those that it holds.
    fn each_value(&self, row: usize, work: &mut Visitor<'_>) -> Result<(), DecodeError> {
        let (bytes, format) = (self.row(row).unwrap_or_default(), self.kind.format);
        format.visit(bytes, &self.options, &mut |value| {
            let _ = each_inside(value, &mut ValuePath::default(), false, format.notation(), work);
        })
    }

    /// The values with this text in their key or their own text, or with this number. They are those of a row, or of all rows; then a
    /// row whose address or class has the text counts too. A JSON list of at most `most` `[row, path, address, text]`; of an instance without rows, the
    /// row is `null` and the path is the number of its node.
    pub fn search(&self, row: Option<usize>, text: &str, most: usize) -> String {
        let (wanted, mut all) = (Wanted::of(text), Vec::new());
        let rows = row.map_or(0..self.rows.len(), |row| row..row.saturating_add(1));
        for (number, found) in self.rows.iter().enumerate().take(rows.end).skip(rows.start) {
            let before = all.len();
            if found.is_value {
                // a broken value is not searched: the list says that it is broken
                let _ = self.each_value(number, &mut |Inner { path, key, value, is_leaf, notation }| {
                    let text = if is_leaf { value.text(notation) } else { String::new() };
                    let is_key = match key {
                        Some(Step::Key(key)) => wanted.is_in(&key.to_str_lossy()),
                        Some(Step::Item(key)) => wanted.is_in_value(key),
                        None => false,
                    };
                    if is_key || is_leaf && wanted.is_in_value(&text) {
                        all.push(json!([number, path.to_string(), found.address, shortened(&text)]));
                    }
                    if all.len() < most {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
            }
            let is_named = || {
                [&*found.address, &*found.class]
                    .into_iter()
                    .chain(found.about.iter().map(String::as_str))
                    .any(|text| wanted.is_in(text))
            };
            if row.is_none() && all.len() == before && is_named() {
                all.push(json!([number, "", found.address, found.about.join(", ")]));
            }
            if all.len() >= most {
                break;
            }
        }
        if let (Some(model), None) = (&self.model, row) {
            let is_found = |(node, instance): &(usize, model::Instance<'_>)| {
                model.rows_of(&self.rows, *node).is_empty()
                    && (wanted.is_in(&instance.name.to_str_lossy()) || wanted.is_in(&instance.class.to_str_lossy()))
            };
            let named = model.listing.instances().enumerate().filter(is_found).take(most.saturating_sub(all.len()));
            all.extend(named.map(|(node, instance)| {
                json!([null, node.to_string(), model.listing.address(node).to_string(), instance.class.to_str_lossy()])
            }));
        }
        Value::from(all).to_string()
    }

    /// The whole row as text: in the notation of its engine, or as JSON.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid.
    pub fn text(&self, row: usize, form: &str) -> Result<String, JsError> {
        let (bytes, format) = (self.row(row).ok_or_else(no_row)?, self.kind.format);
        let form = match form {
            "notation" => return format.decode_notation(bytes, &self.options).map_err(error),
            "plain" => JsonForm::Plain,
            _ => JsonForm::Exact,
        };
        let mut out = Vec::new();
        format
            .decode_json(bytes, &self.options, &mut JsonWriter::new(&mut out).pretty(true).form(form))
            .map_err(error)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// Changes a value inside a row, at a path. `how` is `text` (in the notation of the engine), `json` (plain), `add` (as text, where no value
    /// is), `remove` or `rename` (to a key). A missing value is added. `type_name` gives the value another type.
    ///
    /// # Errors
    ///
    /// If the text is not such a value, or other bytes would change too.
    pub fn set(
        &mut self,
        row: usize,
        path: &str,
        how: &str,
        type_name: Option<String>,
        text: String,
    ) -> Result<(), JsError> {
        let what = format!("{how} {path}");
        let is_new = self.value(row, path).is_err();
        let path: ValuePath = path.parse().map_err(error)?;
        let edit = match how {
            "add" if !is_new => return Err(JsError::new("there is such a value already: choose it to change it")),
            "text" | "add" => Edit::Set { type_name, text },
            "json" => Edit::SetPlain(text),
            "remove" => Edit::Remove,
            "rename" => Edit::Rename(Step::key(text)),
            other => return Err(JsError::new(&format!("a value is not changed by {other}"))),
        };
        let name = match (&edit, path.0.as_slice()) {
            (Edit::Rename(Step::Key(name)), _) => Some(name),
            (Edit::Set { .. } | Edit::SetPlain(_), [Step::Key(name)]) if is_new => Some(name),
            _ => None,
        };
        let kind = self.rows.get(row).and_then(|row| row.property).map(|(_, kind)| kind);
        if let Some(name) = name.filter(|_| kind == Some(model::Kind::AttributesSerialize)) {
            if let Some(rule) = KeyRules::CURRENT.broken_by(name.as_bstr()) {
                return Err(JsError::new(&format!(
                    "Roblox does not allow the name {:?}, which {rule}",
                    name.as_bstr()
                )));
            }
        }
        let (bytes, format) = (self.row(row).ok_or_else(no_row)?, self.kind.format);
        let notation = format.notation();
        let after =
            format.edit(bytes, &self.options, &mut |value| change(value, &path, &edit, notation)).map_err(error)?;
        self.replace(row, after, what);
        Ok(())
    }

    /// Replaces the bytes of a broken row: by those before its error (`cut`), or by an empty value (`clear`).
    ///
    /// # Errors
    ///
    /// If nothing comes before the error.
    pub fn repair(&mut self, row: usize, how: &str) -> Result<(), JsError> {
        let after = self.repaired(row, how)?;
        self.replace(row, after, how.to_owned());
        Ok(())
    }

    /// The value that [`repair`](Self::repair) would keep, in the notation of the engine.
    ///
    /// # Errors
    ///
    /// If nothing comes before the error.
    pub fn kept(&self, row: usize) -> Result<String, JsError> {
        let bytes = self.repaired(row, "cut")?;
        self.kind.format.decode_notation(&bytes, &self.options).map_err(error)
    }

    /// The addresses of these rows, whose numbers are sorted; none without a container.
    fn addresses(&self, rows: &[usize]) -> Result<Vec<(Address, usize)>, ContainerError> {
        let (mut found, mut numbers) = (Vec::new(), 0..);
        self.container.as_ref().map_or(Ok(()), |container| {
            container.values(&mut |value| {
                let number = numbers.next().filter(|number| rows.binary_search(number).is_ok());
                found.extend(number.map(|number| (value.address.into_address(), number)));
                ControlFlow::Continue(())
            })
        })?;
        Ok(found)
    }

    fn repaired(&self, row: usize, how: &str) -> Result<Vec<u8>, JsError> {
        let format = self.kind.format;
        match how {
            "cut" => {
                let recovered = format.recover(self.row(row).ok_or_else(no_row)?, &self.options).map_err(error)?;
                recovered.bytes.ok_or_else(|| JsError::new("nothing can be read of it: clear or replace it"))
            }
            _ => {
                let bytes = format.encode_empty(&self.options).map_err(error)?;
                // an empty property of some kinds has bytes
                let property = self.rows.get(row).and_then(|row| row.property).filter(|_| bytes.is_empty());
                Ok(property.map_or(bytes, |(_, kind)| kind.none().into()))
            }
        }
    }

    /// Gives a row these bytes, which must be a valid value.
    ///
    /// # Errors
    ///
    /// The error in the bytes.
    pub fn put(&mut self, row: usize, bytes: Vec<u8>) -> Result<(), JsError> {
        self.kind.format.check(&bytes, &self.options).map_err(error)?;
        self.replace(row, bytes, "replace".to_owned());
        Ok(())
    }

    fn replace(&mut self, number: usize, after: Vec<u8>, what: String) {
        let Some(row) = self.rows.get_mut(number).filter(|row| row.bytes.as_ref().ok() != Some(&after)) else { return };
        let before = std::mem::replace(&mut row.bytes, Ok(after.clone())).unwrap_or_default();
        row.is_broken = row.is_value && self.kind.format.check(&after, &self.options).is_err();
        row.tell_tags();
        self.history.truncate(self.done);
        self.history.push(Change { row: number, before, after, what, is_joined: false });
        self.done = self.history.len();
    }

    /// Makes one of all changes after the first `from`: they are undone together, as `what`.
    pub fn join(&mut self, from: usize, what: &str) {
        for (number, change) in self.history.iter_mut().enumerate().skip(from) {
            change.is_joined = number > from;
            what.clone_into(&mut change.what);
        }
    }

    /// Undoes the last change, or makes it again. Returns the number of its row; `undefined` if nothing is left to
    /// undo or to make again.
    pub fn undo(&mut self, again: bool) -> Option<usize> {
        loop {
            let change = self.history.get(if again { self.done } else { self.done.checked_sub(1)? })?;
            let (number, bytes) = (change.row, if again { &change.after } else { &change.before });
            let row = self.rows.get_mut(number)?;
            row.is_broken = row.is_value && self.kind.format.check(bytes, &self.options).is_err();
            row.bytes = Ok(bytes.clone());
            row.tell_tags();
            self.done = if again { self.done + 1 } else { self.done - 1 };
            if !self.history.get(self.done).is_some_and(|next| next.is_joined) {
                return Some(number);
            }
        }
    }

    /// The changes as JSON: `undo` and `redo` describe the next change to undo and to make again, `done` counts the changes that
    /// are in effect, `changed` counts changed rows.
    pub fn changes(&self) -> String {
        let what =
            |number: Option<usize>| number.and_then(|number| self.history.get(number)).map(|change| &change.what);
        let changed = self.changed().len();
        let (undo, redo) = (what(self.done.checked_sub(1)), what(Some(self.done)));
        json!({"undo": undo, "redo": redo, "done": self.done, "changed": changed}).to_string()
    }

    /// The whole file with its changes. Without any, it is the file as it was opened.
    ///
    /// # Errors
    ///
    /// If the container cannot hold a changed value.
    pub fn save(&self) -> Result<Vec<u8>, JsError> {
        let changed = self.changed();
        if let Some(model) = &self.model {
            return self.save_model(model, &changed);
        }
        let Some(container) = &self.container else {
            return Ok(self.row(0).unwrap_or(&self.original).to_vec());
        };
        let addresses = self.addresses(&changed).map_err(container_error)?;
        let bytes = |number: usize| self.row(number).unwrap_or_default();
        let changes: Vec<_> =
            addresses.iter().map(|(address, number)| ValueChange::Replace { address, bytes: bytes(*number) }).collect();
        container.changed(&changes).map_err(container_error)
    }

    /// The numbers of the rows that differ from those of the file.
    pub fn changed_rows(&self) -> Vec<u32> {
        self.changed().into_iter().filter_map(|row| u32::try_from(row).ok()).collect()
    }

    /// Two numbers for each node of the tree of a model file: the number of its parent and one more, and flags: 1 if it has
    /// attributes or tags, 2 if a part of it is broken. The nodes are the instances, and then the rows that belong to none.
    pub fn nodes(&self) -> Vec<u32> {
        let Some(model) = &self.model else { return Vec::new() };
        let mut all = Vec::with_capacity((model.listing.instances().len() + model.others.len()) * 2);
        for instance in model.listing.instances() {
            let parent = instance.parent.and_then(|parent| u32::try_from(parent + 1).ok());
            all.extend([parent.unwrap_or_default(), 0]);
        }
        for row in &self.rows[..] {
            let Some((instance, _)) = row.property else { continue };
            if let Some(flags) = all.get_mut(instance * 2 + 1) {
                *flags |= 1 | u32::from(row.is_broken) << 1;
            }
        }
        all.extend(model.others.iter().flat_map(|_| [0, 3]));
        all
    }

    /// These nodes of the tree, as a JSON list of `[name, class, size, is broken, is changed, tags]`.
    pub fn node_texts(&self, numbers: &[u32]) -> String {
        Value::from(numbers.iter().map(|number| self.node_text(index(*number))).collect::<Vec<_>>()).to_string()
    }

    fn node_text(&self, node: usize) -> Option<Value> {
        let model = self.model.as_ref()?;
        let Some(instance) = model.listing.instance(node) else {
            let number = index(*model.others.get(node - model.listing.instances().len())?);
            let row = self.rows.get(number)?;
            let reason = row.bytes.as_ref().err().map(ToString::to_string);
            return Some(json!([row.address, "", 0, row.is_broken, false, reason.into_iter().collect::<Vec<_>>()]));
        };
        let (mut size, mut is_broken, mut is_changed, mut tags) = (0, false, false, &[][..]);
        for number in model.rows_of(&self.rows, node) {
            let Some(row) = self.rows.get(index(*number)) else { continue };
            size += row.bytes.as_ref().map_or(0, Vec::len);
            is_broken |= row.is_broken;
            is_changed |= self.is_changed(index(*number));
            if !row.is_value {
                tags = &row.about;
            }
        }
        let (name, class) = (instance.name.to_str_lossy(), instance.class.to_str_lossy());
        Some(json!([name, class, size, is_broken, is_changed, tags]))
    }

    /// The address of an instance.
    pub fn node_address(&self, node: usize) -> String {
        self.model.as_ref().map_or_else(String::new, |model| model.listing.address(node).to_string())
    }

    /// The nodes of the tree whose name, class or values contain this text, or whose path, if the text has a dot. With `broken`,
    /// only nodes with a broken part.
    pub fn find_nodes(&self, text: &str, broken: bool) -> Vec<u32> {
        let Some(model) = &self.model else { return Vec::new() };
        let wanted = text.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        let is_found = |(node, instance): &(usize, model::Instance<'_>)| {
            let mut rows = model.rows_of(&self.rows, *node).iter().filter_map(|number| self.rows.get(index(*number)));
            if broken && !rows.clone().any(|row| row.is_broken) {
                return false;
            }
            wanted.is_empty()
                || has(&instance.name.to_str_lossy())
                || has(&instance.class.to_str_lossy())
                || rows.any(|row| row.bytes.as_ref().is_ok_and(|bytes| contains(bytes, text)))
                || wanted.contains('.') && has(&model.listing.path(*node).to_str_lossy())
        };
        let found = model.listing.instances().enumerate().filter(is_found).map(|(node, _)| node);
        let is_other = |number: &u32| {
            self.rows.get(index(*number)).is_some_and(|row| row.bytes.as_ref().err().is_some_and(|reason| has(reason)))
        };
        let others = (model.listing.instances().len()..).zip(&model.others).filter(|(_, number)| is_other(number));
        found.chain(others.map(|(node, _)| node)).filter_map(|node| u32::try_from(node).ok()).collect()
    }

    /// The rows of a node that hold values, as a JSON list of `[row, property]`. For an instance without attributes, this adds an
    /// empty row for them.
    pub fn node_rows(&mut self, node: usize) -> String {
        let Some(model) = &self.model else { return "[]".to_owned() };
        let count = model.listing.instances().len();
        if let Some(number) = node.checked_sub(count).and_then(|other| model.others.get(other)) {
            return json!([[number, ""]]).to_string();
        }
        let has_any = model
            .rows_of(&self.rows, node)
            .iter()
            .any(|row| self.rows.get(index(*row)).is_some_and(|row| row.is_value));
        if !has_any {
            self.row_of(node, model::Kind::AttributesSerialize);
        }
        let Some(model) = &self.model else { return "[]".to_owned() };
        let rows = model.rows_of(&self.rows, node).iter().filter_map(|number| {
            let row = self.rows.get(index(*number)).filter(|row| row.is_value)?;
            Some(json!([number, row.property?.1.name()]))
        });
        Value::from(rows.collect::<Vec<_>>()).to_string()
    }

    /// The node of a row, and true if the row holds its tags, as a JSON list; `null` if the row has no node.
    pub fn node_of(&self, row: usize) -> String {
        let found = self.rows.get(row).and_then(|row| row.property);
        let other = self.model.as_ref().and_then(|model| {
            let place = model.others.iter().position(|number| index(*number) == row)?;
            Some(json!([model.listing.instances().len() + place, false]))
        });
        found
            .map(|(instance, kind)| json!([instance, kind == model::Kind::Tags]))
            .or(other)
            .unwrap_or_default()
            .to_string()
    }

    /// The tags of an instance that are shown, as a JSON list.
    pub fn tags(&self, instance: usize) -> String {
        let number = self.model.as_ref().and_then(|model| model.row_of(&self.rows, instance, model::Kind::Tags));
        let row = number.and_then(|number| self.rows.get(number));
        Value::from(row.map(|row| row.about.clone()).unwrap_or_default()).to_string()
    }

    /// Adds or removes a tag of an instance, as `enginewire set` does. Gives the row of its tags.
    ///
    /// # Errors
    ///
    /// If Roblox does not allow the tag, or the tags cannot be read.
    pub fn tag(&mut self, instance: usize, tag: &str, is_added: bool) -> Result<usize, JsError> {
        let number = self.row_of(instance, model::Kind::Tags).ok_or_else(no_row)?;
        let row = self.rows.get(number).ok_or_else(no_row)?;
        let before = row.bytes.as_ref().map_err(|reason| JsError::new(reason))?;
        let mut tags = Tags::from_bytes(before);
        if is_added {
            tags.add(tag)
                .map_err(|reason| JsError::new(&format!("Roblox does not allow the tag {tag:?}, which {reason}")))?;
        } else {
            tags.remove(tag);
        }
        let what = format!("{} the tag {tag}", if is_added { "add" } else { "remove" });
        self.replace(number, tags.to_bytes(), what);
        Ok(number)
    }

    /// The beginning of a short value whose row has no class, such as a packet.
    fn preview(&self, row: &Row, bytes: &[u8]) -> String {
        if !row.class.is_empty() || row.is_broken || bytes.len() > PREVIEWED {
            return String::new();
        }
        let text = self.kind.format.decode_notation(bytes, &self.options).unwrap_or_default();
        text.chars().take(PREVIEW).collect()
    }

    fn new(kind: Kind) -> Self {
        let options = FormatOptions::new().set("max_memory", MEMORY).unwrap_or_default();
        PageFile {
            kind,
            container: None,
            model: None,
            original: Vec::new(),
            options,
            rows: Vec::new(),
            history: Vec::new(),
            done: 0,
            end: None,
        }
    }

    /// The row of a property. A missing row is added.
    fn row_of(&mut self, instance: usize, kind: model::Kind) -> Option<usize> {
        let model = self.model.as_mut()?;
        if let Some(number) = model.row_of(&self.rows, instance, kind) {
            return Some(number);
        }
        let class = model.listing.instance(instance)?.class.to_string();
        let number = self.rows.len();
        let address = model::address_of_kind(&model.listing, instance, kind).to_string();
        let (is_value, property) = (kind != model::Kind::Tags, Some((instance, kind)));
        let row = Row::new(address, Ok(kind.none().into()));
        self.rows.push(Row { class: class.into(), is_value, property, ..row });
        let (rows, short) = (&self.rows, u32::try_from(number).ok()?);
        let place = model.by_instance.partition_point(|row| Model::instance_of(rows, *row) <= instance);
        model.by_instance.insert(place, short);
        Some(number)
    }

    fn save_model(&self, model: &Model, changed: &[usize]) -> Result<Vec<u8>, JsError> {
        if changed.is_empty() {
            return Ok(model.file.clone());
        }
        if let Some(problem) = model.listing.problems.first() {
            return Err(JsError::new(&format!("the file is broken and is not changed: {problem}")));
        }
        let change = |number: &usize| {
            let (bytes, (instance, kind)) = (self.row(*number)?, self.rows.get(*number)?.property?);
            let property = model.listing.property_at(*number).filter(|_| *number < model.listed);
            Some(match property {
                Some(property) => ModelChange::of(&property, bytes),
                None => ModelChange::of_instance(&model.listing.instance(instance)?, kind, bytes),
            })
        };
        let changes: Vec<_> = changed.iter().filter_map(change).collect();
        Ok(model::edit(&model.file, &changes, Store::AsBefore, &model.options).map_err(error)?.into_owned())
    }

    fn row(&self, number: usize) -> Option<&[u8]> {
        self.rows.get(number)?.bytes.as_deref().ok()
    }

    /// The bytes that a row had when the file was opened, if they are others now.
    fn is_changed(&self, number: usize) -> bool {
        let first = self.history.get(..self.done).unwrap_or_default().iter().find(|change| change.row == number);
        first.is_some_and(|change| self.row(number) != Some(&change.before))
    }

    /// The numbers of the rows that differ from those of the file, in their order.
    fn changed(&self) -> Vec<usize> {
        let done = self.history.get(..self.done).unwrap_or_default();
        let mut all: Vec<_> = done.iter().map(|change| change.row).filter(|row| self.is_changed(*row)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Lists a model file as its container would, with all instances.
    fn list_model(&mut self, file: Vec<u8>, progress: &Function) -> Result<(), ModelError> {
        let limit = self.options.max_memory();
        let options = model::Options::new().max_memory(limit).max_total(MEMORY.saturating_mul(4)).all_instances(true);
        let listing = model::list_bytes(&file, &options)?;
        let count = listing.count_within(limit);
        for property in listing.properties().take(count.unwrap_or(usize::MAX)) {
            let row = Row::of_property(&listing, &property, self.kind.format, &self.options);
            self.push(row, progress);
        }
        if count.is_some() {
            let text = "the values of the file, counting shared ones at every use, are larger than the limit of";
            self.end = Some(format!("{text} {limit} bytes"));
        }
        let listed = self.rows.len();
        for problem in listing.problems.iter().filter(|_| count.is_none()) {
            self.push(Row::of_problem(problem.to_string()), progress);
        }
        let (mut by_instance, others): (Vec<u32>, Vec<u32>) =
            (0..).zip(&self.rows).map(|(number, _)| number).partition(|number| index(*number) < listed);
        by_instance.sort_by_key(|number| Model::instance_of(&self.rows, *number));
        self.model = Some(Model { file, listing, options, listed, by_instance, others });
        Ok(())
    }

    fn push(&mut self, row: Row, progress: &Function) {
        self.rows.push(row);
        if self.rows.len().is_multiple_of(STEP) {
            // an error in `progress` would be a bug of the page
            let _ = progress.call1(&JsValue::NULL, &JsValue::from(self.rows.len()));
        }
    }

    fn list(&mut self, container: &dyn Container, progress: &Function) {
        let (format, options) = (self.kind.format, self.options.clone());
        let listed = container.values(&mut |value| {
            self.push(Row::of(value, format, &options), progress);
            ControlFlow::Continue(())
        });
        self.end = listed.err().map(|error| error.to_string());
    }
}

impl Model {
    fn instance_of(rows: &[Row], number: u32) -> usize {
        rows.get(index(number)).and_then(|row| row.property).map_or(usize::MAX, |(instance, _)| instance)
    }

    /// The numbers of the rows of an instance.
    fn rows_of(&self, rows: &[Row], instance: usize) -> &[u32] {
        let from = self.by_instance.partition_point(|row| Self::instance_of(rows, *row) < instance);
        let to = self.by_instance.partition_point(|row| Self::instance_of(rows, *row) <= instance);
        self.by_instance.get(from..to).unwrap_or_default()
    }

    /// The number of the row of a property. If the file has it several times, the last counts, as for Roblox Studio.
    fn row_of(&self, rows: &[Row], instance: usize, kind: model::Kind) -> Option<usize> {
        let all = self.rows_of(rows, instance).iter().map(|number| index(*number));
        all.filter(|number| rows.get(*number).is_some_and(|row| row.property == Some((instance, kind)))).max()
    }
}

impl Row {
    fn new(address: impl Into<Box<str>>, bytes: Result<Vec<u8>, Box<str>>) -> Self {
        Row {
            address: address.into(),
            class: Box::default(),
            bytes,
            is_value: true,
            is_open: false,
            is_broken: false,
            about: Vec::new(),
            property: None,
        }
    }

    /// A property of an instance of a model file.
    fn of_property(listing: &Listing, property: &Property<'_>, format: Format, options: &FormatOptions) -> Self {
        let class = listing.instance_of(property).map(|instance| instance.class.to_string());
        let is_value = model::is_attributes(listing, property);
        let is_broken = match &property.bytes {
            Ok(bytes) => is_value && format.check(bytes, options).is_err(),
            Err(_) => true,
        };
        Row {
            address: model::address(listing, property).to_string().into(),
            class: class.unwrap_or_default().into(),
            bytes: property.bytes.clone().map(|bytes| bytes.to_vec()).map_err(|error| error.to_string().into()),
            is_value,
            is_open: false,
            is_broken,
            about: some_tags(property.tags().map(ToString::to_string)),
            property: Some((property.instance, property.kind)),
        }
    }

    /// Reads its tags again, if it holds tags.
    fn tell_tags(&mut self) {
        if let (Some((_, model::Kind::Tags)), Ok(bytes)) = (self.property, &self.bytes) {
            self.about = some_tags(Tags::from_bytes(bytes).iter().map(ToString::to_string));
        }
    }

    /// A row for a part of a file that could not be read.
    fn of_problem(reason: String) -> Self {
        Row { is_broken: true, ..Row::new("the file", Err(reason.into())) }
    }

    fn of(value: Embedded<'_>, format: Format, options: &FormatOptions) -> Self {
        let class: Box<str> = value.about.class().unwrap_or_default().into();
        let address: Box<str> = value.address.to_string().into();
        let is_value = !value.formats.is_empty();
        let is_broken = match &value.bytes {
            Ok(bytes) => is_value && format.check(bytes, options).is_err(),
            Err(_) => true,
        };
        Row {
            address,
            class,
            bytes: value.bytes.map(|bytes| bytes.into_owned()).map_err(|error| error.to_string().into()),
            is_value,
            is_open: value.is_open,
            is_broken,
            about: some_tags(value.about.tags().into_iter()),
            property: None,
        }
    }
}

/// The tags that are shown, and how many more there are: a file may have millions.
fn some_tags(mut tags: impl Iterator<Item = String>) -> Vec<String> {
    let mut some: Vec<_> = tags.by_ref().take(TAGS).collect();
    let more = tags.count();
    if more > 0 {
        some.push(format!("… {more} more"));
    }
    some
}

/// A value inside a value, as the tree knows it.
struct Place {
    /// The number of the value that holds it.
    holder: usize,
    /// The step from there; `None` for the outermost.
    step: Option<Step>,
    type_name: &'static str,
    /// The number of its node.
    entry: usize,
    /// The value in the notation of its engine, if it is short and holds no others; `empty` if it could hold some.
    text: Option<Box<str>>,
    /// True if the fields of the values that it holds are left out.
    is_folded: bool,
}

/// Ranges of large values that are unfolded, each with its number of levels.
type Opened = Vec<(Range<Offset>, usize)>;

/// A value whose node is found. It is not entered yet.
struct Found<'v> {
    value: &'v dyn Node,
    /// The number of the value that holds it.
    holder: usize,
    step: Step,
    node: usize,
    /// The node that contains the values inside it.
    inside: usize,
}

/// The fields of a value.
#[wasm_bindgen]
pub struct PageTree {
    tree: Tree,
    values: Vec<Place>,
    /// The value that each node belongs to.
    of_node: Vec<u32>,
    opened: Opened,
}

impl PageTree {
    fn new(tree: Tree, opened: Opened) -> Self {
        let of_node = vec![0; tree.nodes().len()];
        PageTree { tree, values: Vec::new(), of_node, opened }
    }

    /// The innermost node that has all of a range.
    fn around(&self, range: &Range<Offset>) -> usize {
        let before = self.tree.nodes().take_while(|node| node.range.start <= range.start);
        before.filter(|node| range.end <= node.range.end).last().map_or(0, |node| node.index)
    }

    /// The first folded value on the way along a path, as a range to unfold.
    fn folded_on(&self, path: &ValuePath) -> Option<(Range<Offset>, usize)> {
        let mut number = 0;
        for step in &path.0 {
            if self.values.get(number)?.is_folded {
                break;
            }
            let found = |place: &Place| place.holder == number && place.step.as_ref() == Some(step);
            number = self.values.iter().position(found)?;
        }
        let node = self.tree.node(self.values.get(number).filter(|place| place.is_folded)?.entry)?;
        Some((node.range, node.depth + LEVELS + 1))
    }

    /// True if its values can be changed.
    fn has_values(&self) -> bool {
        self.tree.error().is_none() && !self.values.is_empty()
    }

    fn nodes_len(&self) -> usize {
        self.tree.nodes().len()
    }

    /// Finds the nodes of all values inside `value`, among `nodes`. `number` is the number of `value`. It is a loop: values nest
    /// deep, and a Worker has little stack.
    fn map(&mut self, value: &dyn Node, number: usize, nodes: Range<usize>, notation: Notation, is_large: bool) {
        let mut found = self.inside(value, number, nodes, notation);
        found.reverse();
        while let Some(next) = found.pop() {
            let (value, number, nodes) = self.enter(next, notation);
            let first = found.len();
            found.extend(self.inside(value, number, nodes, notation));
            found[first..].reverse();
            if is_large && first == found.len() && value.item(0).is_some() {
                if let Some(place) = self.values.get_mut(number) {
                    place.is_folded = true;
                    place.text = Some(format!("{} values", value.steps(notation).len()).into());
                }
            }
        }
    }

    /// The values directly inside `value`, each with its node. They are fields, or the items of a list below it, which is found
    /// by its length.
    fn inside<'v>(
        &self,
        value: &'v dyn Node,
        holder: usize,
        nodes: Range<usize>,
        notation: Notation,
    ) -> Vec<Found<'v>> {
        let steps = value.steps(notation);
        if steps.is_empty() {
            return Vec::new();
        }
        let is_list = |value: &dyn Node| value.type_name(notation).is_empty() && value.list_length().is_some();
        let has_fields = (0..steps.len()).any(|place| value.item(place).is_some_and(is_list));
        let Some(items) = self.items(nodes.clone(), steps.len()).filter(|_| !has_fields) else {
            // fields of the specification, such as the packets of a packet, and the remote and the arguments of each
            let fields = self.outermost(nodes);
            let field = |(place, step): (usize, Step)| {
                let Step::Key(name) = &step else { return None };
                let is_it = |node: &usize| matches!(self.tree.node(*node).map(|node| node.label), Some(Segment::Field(field)) if field == *name);
                let node = fields.iter().copied().find(is_it)?;
                Some(Found { value: value.item(place)?, holder, step, node, inside: node })
            };
            return steps.into_iter().enumerate().filter_map(field).collect();
        };
        let found = items.into_iter().zip(steps).enumerate().filter_map(|(place, (node, step))| {
            let value = value.item(place)?;
            // in an entry with a key, the values inside are those of its field `value`
            let entry = self.tree.node(node)?;
            let within = self.tree.children(Some(&entry)).find(|inner| inner.label == Segment::Field("value"));
            Some(Found { value, holder, step, node, inside: within.map_or(node, |inner| inner.index) })
        });
        found.collect()
    }

    /// Records that a node is a value. Returns the value, its number and the nodes in it.
    fn enter<'v>(&mut self, found: Found<'v>, notation: Notation) -> (&'v dyn Node, usize, Range<usize>) {
        let Found { value, holder, step, node, inside } = found;
        let number = self.values.len();
        let type_name = value.type_name(notation);
        let range = self.tree.node(node).map_or(0..0, |node| node.range.start.byte()..node.range.end.byte());
        let is_short = range.end.saturating_sub(range.start) <= SHORT;
        let text = match value.contents() {
            Contents::Leaf => is_short.then(|| value.text(notation).into()),
            _ => value.item(0).is_none().then(|| "empty".into()),
        };
        self.values.push(Place { holder, step: Some(step), type_name, entry: node, text, is_folded: false });
        let end = self.end(node);
        if let (Some(nodes), Ok(number)) = (self.of_node.get_mut(node..end), u32::try_from(number)) {
            nodes.fill(number);
        }
        (value, number, inside + 1..self.end(inside))
    }

    /// The number of the node after the descendants of a node.
    fn end(&self, node: usize) -> usize {
        self.tree.node(node).map_or(self.nodes_len(), |node| node.index + 1 + self.tree.within(&node).len())
    }

    /// The nodes in a range, without those inside items of lists.
    fn outermost(&self, nodes: Range<usize>) -> Vec<usize> {
        let mut all = Vec::new();
        let mut node = nodes.start;
        while node < nodes.end {
            all.push(node);
            let is_item = matches!(self.tree.node(node).map(|node| node.label), Some(Segment::Index(_)));
            node = if is_item { self.end(node) } else { node + 1 };
        }
        all
    }

    /// The items of the first list with `count` items, among these nodes.
    fn items(&self, nodes: Range<usize>, count: usize) -> Option<Vec<usize>> {
        let mut run: Vec<usize> = Vec::new();
        for node in self.outermost(nodes) {
            match self.tree.node(node).map(|node| node.label) {
                Some(Segment::Index(index)) => {
                    if index == 0 {
                        run.clear();
                    }
                    run.push(node);
                }
                _ if self.has(&mut run, count) => return Some(run),
                _ => run.clear(),
            }
        }
        self.has(&mut run, count).then_some(run)
    }

    /// True if these are `count` items, or those before the end of a tree that took too much memory. A broken item after them is removed.
    fn has(&self, run: &mut Vec<usize>, count: usize) -> bool {
        if self.tree.error().is_some() {
            run.truncate(count);
        }
        let is_cut = self.tree.limit().is_some() && run.last().is_some_and(|last| self.end(*last) == self.nodes_len());
        if is_cut {
            run.pop();
        }
        is_cut || run.len() == count
    }

    fn path_of(&self, number: usize) -> ValuePath {
        let mut steps = Vec::new();
        let mut next = self.values.get(number);
        while let Some(Place { holder, step: Some(step), .. }) = next {
            steps.push(step.clone());
            next = self.values.get(*holder);
        }
        steps.reverse();
        ValuePath(steps)
    }
}

#[wasm_bindgen]
impl PageTree {
    /// Six numbers for each node: its depth; the bytes where it starts and where it ends; the bits in these (in bits 0 to 7 and 8
    /// to 15) with flags (16: broken, 17: has a note, 18 to 20: [`field_kind`]); the value that it belongs to; and 1 if it is all
    /// of that value.
    pub fn numbers(&self) -> Vec<u32> {
        let short = |offset: u64| u32::try_from(offset).unwrap_or(u32::MAX);
        let mut all = Vec::with_capacity(self.nodes_len() * 6);
        for (number, (node, value)) in self.tree.nodes().zip(&self.of_node).enumerate() {
            let (start, end) = (node.range.start, node.range.end);
            let place = self.values.get(index(*value)).filter(|place| place.step.is_some() && place.entry == number);
            let (entry, is_folded) = (place.is_some(), place.is_some_and(|place| place.is_folded));
            let flags = u32::from(node.broken) << 16 | u32::from(node.note.is_some()) << 17 | field_kind(&node) << 18;
            let bits = u32::from(start.bit()) | u32::from(end.bit()) << 8 | flags | u32::from(is_folded) << 21;
            all.extend([u32::try_from(node.depth).unwrap_or(u32::MAX), short(start.byte()), short(end.byte()), bits]);
            all.extend([*value, u32::from(entry)]);
        }
        all
    }

    /// The texts of the nodes from one up to another, without that one, as a JSON list of `[label, key, value, note, type, step]`.
    pub fn texts(&self, from: usize, to: usize) -> String {
        let text = |node: enginewire::wire::Node<'_>| {
            let number = node.index;
            let label = match &node.label {
                Segment::Field(name) => (*name).to_owned(),
                Segment::Index(index) => format!("[{index}]"),
                Segment::Key(key) => key.to_string(),
                _ => String::new(),
            };
            let note = match node.note {
                Some(Note::NonCanonical(what)) => Some(format!("not canonical: {what}")),
                Some(Note::Draft(_)) => Some("draft type: documented, but never seen in real data".to_owned()),
                _ => None,
            };
            let value = self.of_node.get(number).and_then(|value| self.values.get(index(*value)));
            let value = value.filter(|value| value.step.is_some() && value.entry == number);
            // how Rust writes a structure is not shown
            let plain = node.value.filter(|text| text.starts_with('"') || !text.contains(['(', '{', '[']));
            let shown = value.and_then(|value| value.text.as_deref()).or(plain);
            let step = value.and_then(|value| value.step.clone()).map(|step| ValuePath(vec![step]).to_string());
            json!([label, node.key, shown, note, value.map(|value| value.type_name), step])
        };
        Value::from(self.tree.nodes().take(to).skip(from).map(text).collect::<Vec<_>>()).to_string()
    }

    /// The path of a node by the names of the specification, and the path of its value for `enginewire set`, as a JSON list.
    pub fn path(&self, node: usize) -> String {
        let path = self.tree.node(node).map(|node| self.tree.path(&node).to_string());
        let value = self.of_node.get(node).map(|value| self.path_of(index(*value)).to_string());
        json!([path, value.filter(|_| self.has_values())]).to_string()
    }

    /// The path of the value of a node, also of a broken one.
    pub fn place(&self, node: usize) -> String {
        self.of_node.get(node).map_or_else(String::new, |value| self.path_of(index(*value)).to_string())
    }

    /// The node whose value has this path; the outermost value has none.
    pub fn node_at(&self, path: &str) -> Option<usize> {
        let path: ValuePath = path.parse().ok()?;
        let mut number = 0;
        for step in &path.0 {
            let found = |place: &Place| place.holder == number && place.step.as_ref() == Some(step);
            number = self.values.iter().position(found)?;
        }
        (number > 0).then(|| self.values.get(number).map(|place| place.entry)).flatten()
    }

    /// The error, the gap (the bytes that are not in the tree), the limit, and the note about the whole value, as JSON.
    pub fn end_of_tree(&self) -> String {
        let gap = self.tree.gap().map(|gap| json!([gap.start.byte(), gap.start.bit(), gap.end.byte()]));
        let note = match self.tree.note() {
            Some(Note::NonCanonical(what)) => Some(what),
            _ => None,
        };
        json!({
            "error": self.tree.error().map(error_members), "gap": gap, "limit": self.tree.limit(), "note": note,
            "hasValues": self.has_values(),
        })
        .to_string()
    }
}

/// The kind of a field, for its colour: 1 an id, 2 a length, 3 text, 4 a number, 5 a word such as `true`; 0 anything else.
fn field_kind(node: &enginewire::wire::Node<'_>) -> u32 {
    let value = node.value.unwrap_or_default();
    match &node.label {
        Segment::Field(
            "type" | "type_id" | "header" | "magic" | "version" | "packet_type" | "subtype" | "event" | "builtin",
        ) => 1,
        Segment::Field("length" | "count" | "size" | "argument_count" | "padding") => 2,
        _ if value.starts_with('"') => 3,
        _ if value.starts_with("0x") => 1,
        _ if value.starts_with(|char: char| char.is_ascii_digit() || char == '-') || matches!(value, "NaN" | "inf") => {
            4
        }
        _ if !value.is_empty() => 5,
        _ => 0,
    }
}

fn error_members(error: &DecodeError) -> Value {
    let fault = error.fault();
    let range = error.range();
    let codes = enginewire::Fault::CODES;
    let about = codes.iter().find(|(code, _)| *code == fault.code()).map(|(_, about)| *about);
    json!({
        "message": fault.to_string(), "code": fault.code(), "about": about, "expected": fault.expected(),
        "offset": error.offset().byte(), "bit": error.offset().bit(), "start": range.start, "end": range.end,
        "path": error.path().to_string(),
    })
}

/// A value inside another.
struct Inner<'v> {
    path: &'v ValuePath,
    /// Its key, unless it is the index of an item.
    key: Option<&'v Step>,
    value: &'v dyn Node,
    /// True if it holds no others.
    is_leaf: bool,
    notation: Notation,
}

type Visitor<'w> = dyn FnMut(Inner<'_>) -> ControlFlow<()> + 'w;

/// Calls `work` with a value and with every value inside it. `is_item` is true for an item of a list.
fn each_inside(
    value: &dyn Node,
    path: &mut ValuePath,
    is_item: bool,
    notation: Notation,
    work: &mut Visitor<'_>,
) -> ControlFlow<()> {
    let steps = value.steps(notation);
    let key = path.0.last().filter(|_| !is_item);
    work(Inner { path, key, value, is_leaf: steps.is_empty(), notation })?;
    let is_list = matches!(value.contents(), Contents::List { .. });
    for (number, step) in steps.into_iter().enumerate() {
        if let Some(item) = value.item(number) {
            path.0.push(step);
            each_inside(item, path, is_list, notation, work)?;
            path.0.pop();
        }
    }
    ControlFlow::Continue(())
}

/// A text or number to find.
struct Wanted {
    /// In small letters.
    text: String,
    is_number: bool,
}

impl Wanted {
    fn of(text: &str) -> Self {
        Wanted { text: text.to_lowercase(), is_number: text.parse::<f64>().is_ok_and(f64::is_finite) }
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.text)
    }

    /// True if the text of a value has it. A number is found as a whole: 5 is in `Vector2(5, 1)`, and not in `15` or `0.5`. In a
    /// text in quotes it is found like any other text.
    fn is_in_value(&self, text: &str) -> bool {
        if !self.is_number || text.starts_with(['"', '\'', '&', '^']) {
            return self.is_in(text);
        }
        let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '+' | '_');
        text.split(|char| !is_part(char)).any(|number| number.eq_ignore_ascii_case(&self.text))
    }
}

/// The beginning of a text that is shown in a list.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(PREVIEW).map_or(text, |(end, _)| &text[..end])
}

/// True if bytes hold a text of some letters, or a number other than 0: as a real, or if it needs two bytes as an integer.
fn contains(bytes: &[u8], text: &str) -> bool {
    text.len() > 1 && bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
        || text.parse().is_ok_and(|number: f64| number != 0.0 && bytes.contains_str(number.to_le_bytes()))
        || text.parse().is_ok_and(|number: f32| number != 0.0 && bytes.contains_str(number.to_le_bytes()))
        || text.parse().is_ok_and(|number: i32| number.unsigned_abs() > 255 && bytes.contains_str(number.to_le_bytes()))
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn error(error: impl std::error::Error) -> JsError {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        let source = source.to_string();
        if !text.contains(&source) {
            let _ = write!(text, ": {source}");
        }
    }
    JsError::new(&text)
}

fn container_error(error: ContainerError) -> JsError {
    JsError::new(&error.to_string())
}

fn no_row() -> JsError {
    JsError::new("there are no bytes to work on")
}

//! What `check` finds in valid values: scripts and objects, which run code when an engine loads them, and what other tools do not
//! keep.

use std::ops::Range;
use std::path::Path;

use enginewire::error::{Path as FieldPath, Segment};
use enginewire::formats::AnyFormat;
use enginewire::wire::Node as TreeNode;
use enginewire::Offset;
use enginewire_files::address::Syntax;
use enginewire_files::containers::{ContainerKind, Embedded};
use enginewire_files::survive::{self, Effect, Harm, Held, Tool};

use crate::exit_status::{Refusal, Status};
use crate::input::containers::more;
use crate::settings::Settings;
use crate::size::size_text;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'s> {
    /// True for scripts and objects.
    pub objects: bool,
    /// The tools whose harm is looked for.
    pub tools: &'s [&'static Tool],
    /// The kind of the file.
    pub carrier: Option<ContainerKind>,
}

impl Sought<'_> {
    /// Returns true if nothing is looked for.
    pub fn is_nothing(&self) -> bool {
        !self.objects && self.tools.is_empty()
    }

    /// Returns true if values of the format can have any.
    fn may_be_in(&self, format: &dyn AnyFormat) -> bool {
        !self.tools.is_empty() || (self.objects && may_have(format))
    }
}

/// A script or an object in a value, or what a tool does not keep.
#[derive(Debug)]
pub struct Object {
    pub why: Why,
    /// The field of the value; empty for all of it.
    pub path: FieldPath,
    /// The place of the field in the bytes of the value.
    pub at: Option<Offset>,
}

/// Why it is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Why {
    /// A script is inside: its class.
    Inside(String),
    /// A script is named: its path.
    Named(String),
    /// An object is made, and its properties are set: its class.
    Made(String),
    /// The file itself is a script or a library.
    Script,
    /// A tool does not keep it: its name, how, and the sentence about it.
    Harmed(&'static str, Effect, String),
}

impl Why {
    /// The reason, for people.
    pub fn text(&self) -> String {
        match self {
            Why::Inside(class) => format!("a script inside, {class}, which runs when the file is loaded"),
            Why::Named(path) => format!("the script {path} is named, and runs when the file is loaded"),
            Why::Made(class) => {
                format!("an object of the class {class}, which is made and gets its properties when the file is loaded")
            }
            Why::Script => "a script or library, which runs when it is loaded".to_owned(),
            Why::Harmed(_, _, sentence) => sentence.clone(),
        }
    }

    /// The name of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            Why::Made(_) => "object",
            Why::Harmed(_, effect, _) => effect.name(),
            Why::Inside(_) | Why::Named(_) | Why::Script => "script",
        }
    }
}

/// Calls `each` with every script and object in a value, the inner ones before those around them, and then with what tools do not
/// keep. It takes at most `max_memory` bytes.
///
/// # Errors
///
/// If `each` fails, or the value takes more memory than there is.
pub fn each<E: From<Refusal>>(
    format: &dyn AnyFormat,
    value: &Embedded<'_>,
    settings: &Settings,
    (sought, max_memory): (Sought<'_>, usize),
    each: &mut dyn FnMut(Object) -> Result<(), E>,
) -> Result<(), E> {
    let syntax = value.address.syntax();
    if syntax == Syntax::Entries {
        let is_found = sought.objects && is_code(&value.address.to_string());
        return if is_found { each(Object::of_file()) } else { Ok(()) };
    }
    let Some(bytes) = value.bytes.as_ref().ok().filter(|_| sought.may_be_in(format)) else { return Ok(()) };
    let text = value.address.to_string();
    if let Some(class) = value.about.class().filter(|class| sought.objects && is_script(class.as_bytes())) {
        each(Object { why: Why::Inside(class.into_owned()), ..Object::of_file() })?;
    }
    // the frame around it was read already
    let options = settings.formats.clone().set("framing", "none").and_then(|o| o.set("max_memory", max_memory));
    let options = options.unwrap_or_default();
    let tree = format.inspect(bytes, &options);
    let loads = matches!(syntax, Syntax::Settings | Syntax::Keys)
        && ["autoload/", "remap/"].iter().any(|section| text.starts_with(section));
    if sought.objects && may_have(format) {
        let mut walk = Walk { bytes, stack: Vec::new(), records: Vec::new(), lists_files: text == ":ext", loads };
        tree.nodes().try_for_each(|node| walk.node(node, each))?;
        walk.close(0, each)?;
    }
    let held = Held { format: format.name(), bytes, carrier: sought.carrier, address: &value.address };
    survive::check(sought.tools, held, &tree, &mut |harm: Harm| {
        let why = Why::Harmed(harm.tool.name, harm.row.effect, harm.to_string());
        each(Object { why, path: harm.path, at: harm.at })
    })?;
    match tree.limit() {
        Some(limit) => {
            let reason = more(format!("looking at its fields takes more memory than {}", size_text(limit)));
            Err(Status::Malformed.because(reason).into())
        }
        None => Ok(()),
    }
}

impl Object {
    /// A file that is a script.
    pub fn of_file() -> Self {
        Object { why: Why::Script, path: FieldPath::default(), at: None }
    }
}

/// Returns true if values of a format can have any.
pub fn may_have(format: &dyn AnyFormat) -> bool {
    format.name().starts_with("godot")
}

/// Returns true if the name of a file is that of a script or a library.
pub fn is_code(path: &str) -> bool {
    const CODE: [&str; 11] = ["gd", "gdc", "gde", "cs", "vs", "gdns", "gdnlib", "gdextension", "dll", "so", "dylib"];
    let name = path.trim_end_matches('"');
    Path::new(name).extension().is_some_and(|end| CODE.iter().any(|code| end.eq_ignore_ascii_case(code)))
}

/// Returns true for the class of a script or a library.
fn is_script(class: &[u8]) -> bool {
    class.windows(6).any(|part| part == b"Script") || [&b"GDNativeLibrary"[..], b"GDExtension"].contains(&class)
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// The start of a text, for messages.
fn shown(text: &[u8]) -> String {
    lossy(text).chars().take(SHOWN).collect()
}

/// The most characters of a class or a path that are shown.
const SHOWN: usize = 200;

/// The walk through the fields of a value.
struct Walk<'v> {
    bytes: &'v [u8],
    /// The field, after those around it.
    stack: Vec<TreeNode<'v>>,
    /// The records around the field.
    records: Vec<Record<'v>>,
    /// True for a list of the files that a file names.
    lists_files: bool,
    /// True for a setting whose text is the path of a file to load.
    loads: bool,
}

/// A possible object: its texts by their names.
#[derive(Debug)]
struct Record<'v> {
    depth: usize,
    kind: Kind,
    class: Option<&'v [u8]>,
    /// The path of its file, or of its script.
    path: Option<&'v [u8]>,
    /// The key of the item that is read.
    key: Option<&'v [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An object with properties.
    Object,
    /// A resource of the file.
    Internal,
    /// The name of a resource of another file.
    External,
    /// Any other map.
    Map,
}

use Segment::{Field, Index};

impl<'v> Walk<'v> {
    fn node<E>(&mut self, node: TreeNode<'v>, each: &mut dyn FnMut(Object) -> Result<(), E>) -> Result<(), E> {
        self.close(node.depth, each)?;
        self.stack.truncate(node.depth);
        let around = self.stack.last().map(|node| &node.label);
        let kind = match (&node.label, around) {
            (Field("object"), _) => Some(Kind::Object),
            (Field("dictionary"), _) if self.lists_files => Some(Kind::External),
            (Field("dictionary"), _) => Some(Kind::Map),
            (Index(_), Some(Field("internal"))) => Some(Kind::Internal),
            (Index(_), Some(Field("items"))) if self.label(0) == Some(&Field("external")) => Some(Kind::External),
            // a reference
            (Field("form"), _) => {
                if let Some(record) = self.records.last_mut() {
                    record.kind = Kind::External;
                }
                None
            }
            _ => None,
        };
        if let Some(kind) = kind {
            self.records.push(Record { depth: node.depth, kind, class: None, path: None, key: None });
        }
        let text = (node.label == Field("text")).then(|| node.range.clone());
        self.stack.push(node);
        text.map_or(Ok(()), |range| self.text(&range, each))
    }

    fn label(&self, depth: usize) -> Option<&Segment> {
        self.stack.get(depth).map(|node| &node.label)
    }

    /// Takes a text: of a class, a path, a key or a value.
    fn text<E>(&mut self, range: &Range<Offset>, each: &mut dyn FnMut(Object) -> Result<(), E>) -> Result<(), E> {
        let place = |at: Offset| usize::try_from(at.byte()).unwrap_or(usize::MAX);
        let text = self.bytes.get(place(range.start)..place(range.end)).unwrap_or_default();
        let length = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
        let text = text.get(..length).unwrap_or_default();
        let labels: Vec<_> = self.stack.iter().map(|node| &node.label).collect();
        match labels[..] {
            [.., Field("type" | "key_type" | "value_type"), Field("script"), _] if !text.is_empty() => {
                return each(self.found(self.stack.len(), Why::Named(shown(text))));
            }
            [Field("string"), _] if self.loads && is_code(&lossy(text)) => {
                return each(self.found(0, Why::Named(shown(text).trim_start_matches('*').to_owned())));
            }
            _ => {}
        }
        let Some(record) = self.records.last_mut() else { return Ok(()) };
        match labels.get(record.depth.saturating_add(1)..).unwrap_or_default() {
            [Field("class"), _] => record.class = Some(text),
            [Field("path"), _] => record.path = Some(text),
            [Field("properties" | "entries"), Index(_), Field("name" | "key"), ..] => record.key = Some(text),
            [Field("properties" | "entries"), Index(_), Field("value"), _, Field("text")] => match record.key {
                Some(b"class") if record.kind == Kind::External => record.class = Some(text),
                Some(b"path") if record.kind == Kind::External => record.path = Some(text),
                Some(b"script") => record.path = Some(text),
                Some(b"resource_path") if is_code(&lossy(text)) => record.path = Some(text),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    /// Ends the records from a depth on.
    fn close<E>(&mut self, depth: usize, each: &mut dyn FnMut(Object) -> Result<(), E>) -> Result<(), E> {
        while let Some(record) = self.records.pop_if(|record| record.depth >= depth) {
            let (class, path) = (record.class.unwrap_or_default(), record.path.unwrap_or_default());
            let names_script = is_script(class) || is_code(&lossy(path));
            let why = match record.kind {
                Kind::External if names_script => Why::Named(shown(path)),
                Kind::Internal | Kind::Object if is_script(class) => Why::Inside(shown(class)),
                // no classes: the resources that they refer to are listed elsewhere
                Kind::Object if [&b"ExtResource"[..], b"SubResource"].contains(&class) => continue,
                Kind::Object if !path.is_empty() => Why::Named(shown(path)),
                Kind::Object if !class.is_empty() => Why::Made(shown(class)),
                _ => continue,
            };
            each(self.found(record.depth.saturating_add(1), why))?;
        }
        Ok(())
    }

    /// The object in the innermost of the first `length` fields of the stack.
    fn found(&self, length: usize, why: Why) -> Object {
        let nodes = self.stack.get(..length).unwrap_or_default();
        let key = |node: &TreeNode<'_>| node.key.map(|key| Segment::Key(enginewire::Key::Other(key.into())));
        let path = nodes.iter().flat_map(|node| [Some(node.label.clone()), key(node)]).flatten().collect();
        Object { why, path, at: nodes.last().map(|node| node.range.start) }
    }
}

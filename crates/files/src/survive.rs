//! Values that other tools and engines change, lose or refuse: [`ROWS`] has what was seen, [`check`] finds it in a value.

use std::collections::HashSet;
use std::fmt;

use enginewire::error::{Path, Segment};
use enginewire::roblox::datatypes::{BrickColor, RotationId};
use enginewire::wire::{Node, Tree};
use enginewire::Offset;

use crate::address::Address;
use crate::containers::ContainerKind;

/// A tool, in the versions that were run.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its short name: `"lune"`.
    pub name: &'static str,
    /// Its full name, with the versions.
    pub version: &'static str,
    /// The way of a value through it.
    pub about: &'static str,
}

/// The tools.
pub static TOOLS: [Tool; 10] = [
    tool("rojo", "Rojo 7.7.1", "`rojo syncback` from a place, then `rojo build`"),
    tool("lune", "Lune 0.11.1 (lune-roblox 0.4.1)", "`GetAttribute`, then `SetAttribute` with the same value"),
    tool("rbx-dom", "rbx_types 3.1.0, rbx_binary 3.0.1, rbx_xml 3.0.1 (Rust)", "attributes read and written"),
    tool("rbx-dom-npm", "rbx-dom 0.3.0 (npm)", "attributes read, and a value set again"),
    tool("godot-3.2", "Godot 3.2.3", "a ConfigFile loaded and saved"),
    tool("godot-3.6", "Godot 3.6.2", "a ConfigFile loaded and saved"),
    tool("godot-4", "Godot 4.6.3", "a ConfigFile or text resource loaded and saved"),
    tool("gd-com", "@gd-com/utils 5.0.0 (npm)", "`getVar`, then `putVar` with the same value"),
    tool("godot-project-parser", "godot-project-parser 0.1.0 (PyPI)", "a project.godot loaded and dumped"),
    tool("sm-blueprint-lib", "sm-blueprint-lib 0.0.17 (PyPI)", "a blueprint loaded and saved"),
];

const fn tool(name: &'static str, version: &'static str, about: &'static str) -> Tool {
    Tool { name, version, about }
}

/// The tool with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The result for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// It becomes another value.
    Changes,
    /// It is missing afterwards.
    Loses,
    /// It cannot be read or written.
    Refuses,
}

impl Effect {
    /// The word for it: `"changed"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Effect::Changes => "changed",
            Effect::Loses => "lost",
            Effect::Refuses => "refused",
        }
    }
}

/// A row of the table: values of one kind, and what becomes of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// The [names](Tool::name) of the tools.
    pub tools: &'static [&'static str],
    /// The formats of the values.
    pub formats: &'static [&'static str],
    /// The [names](ContainerKind::name) of the files that hold them; `""` for a value alone, and none for any.
    pub carriers: &'static [&'static str],
    /// The kind of the values.
    pub values: &'static str,
    /// The part of the outcome that depends on the value, if a field is of the kind.
    looks: fn(&Field<'_>) -> Option<String>,
    /// True if none of the values beside it is read either.
    pub stops: bool,
    /// The result.
    pub effect: Effect,
    /// The result in words; `{}` is what depends on the value.
    pub outcome: &'static str,
    /// The way to keep the value.
    pub advice: &'static str,
    /// The script in `findings` that shows it, or the document that has the measurement.
    pub evidence: &'static str,
}

impl Row {
    /// True if the row is about values of this format in files of this kind, or alone.
    #[must_use]
    pub fn fits(&self, format: &str, carrier: Option<ContainerKind>) -> bool {
        let carrier = carrier.map_or("", ContainerKind::name);
        self.formats.contains(&format) && (self.carriers.is_empty() || self.carriers.contains(&carrier))
    }
}

/// A value that a tool does not keep.
#[derive(Debug)]
#[non_exhaustive]
pub struct Harm {
    /// The tool.
    pub tool: &'static Tool,
    /// The row of the table.
    pub row: &'static Row,
    /// The result for this value.
    pub outcome: String,
    /// The field of the value; empty for all of it.
    pub path: Path,
    /// The place of the field in the bytes of the value.
    pub at: Option<Offset>,
}

impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Harm { tool, row, outcome, .. } = self;
        write!(f, "{}: {outcome}; {}", tool.version, row.advice)
    }
}

/// A value, and the file that holds it.
#[derive(Clone, Copy, Debug)]
pub struct Held<'v> {
    /// The name of its format.
    pub format: &'v str,
    /// Its bytes.
    pub bytes: &'v [u8],
    /// The kind of the file; `None` if the value stands alone.
    pub carrier: Option<ContainerKind>,
    /// Its address there.
    pub address: &'v Address,
}

/// Calls `each` with every field of a value that one of the tools changes, loses or refuses, in the order of the fields. `tree` has
/// the fields, as [`inspect`](enginewire::formats::AnyFormat::inspect) gives them.
///
/// ```
/// use enginewire::roblox::attributes;
/// use enginewire_files::address::Address;
/// use enginewire_files::survive::{self, Held};
///
/// let bytes = b"\x01\0\0\0\x05\0\0\0Owner\x06\0\0\0\x20\x5f\xa0\xf2\x41"; // a Double, 5000000000
/// let held = Held { format: "roblox-attributes", bytes, carrier: None, address: &Address::of_file() };
/// let lune = survive::named("lune").unwrap();
/// survive::check(&[lune], held, &attributes::inspect(bytes), &mut |harm| {
///     assert_eq!(harm.outcome, "SetAttribute stores 705032704");
///     Ok::<(), ()>(())
/// });
/// ```
///
/// # Errors
///
/// If `each` fails.
pub fn check<E>(
    tools: &[&'static Tool],
    held: Held<'_>,
    tree: &Tree,
    each: &mut dyn FnMut(Harm) -> Result<(), E>,
) -> Result<(), E> {
    let rows = ROWS.iter().filter(|row| row.fits(held.format, held.carrier));
    let stops = |field: &Field<'_>| rows.clone().any(|row| row.stops && (row.looks)(field).is_some());
    let is_unread = Field::each(held, tree, &mut |field| if stops(field) { Err(()) } else { Ok(()) }).is_err();
    Field::each(held, tree, &mut |field| {
        for row in rows.clone().filter(|row| row.stops || !is_unread) {
            let harmed = || tools.iter().filter(|tool| row.tools.contains(&tool.name));
            let Some(part) = harmed().next().and_then(|_| (row.looks)(field)) else { continue };
            for tool in harmed() {
                let outcome = row.outcome.replace("{}", &part);
                each(Harm { tool, row, outcome, path: field.path(), at: field.at() })?;
            }
        }
        Ok(())
    })
}

/// A field with those around it.
struct Field<'f> {
    held: Held<'f>,
    /// The length of the value.
    length: u64,
    /// The field, after those around it.
    stack: Vec<Node<'f>>,
    /// The field before it in the same structure or list.
    before: Option<Node<'f>>,
    /// True if it has no fields of its own.
    is_leaf: bool,
    /// True if its key is that of an entry before it.
    is_repeated: bool,
}

impl<'f> Field<'f> {
    /// Calls `each` with every field of a value.
    fn each<E>(held: Held<'f>, tree: &'f Tree, each: &mut dyn FnMut(&Self) -> Result<(), E>) -> Result<(), E> {
        let (stack, before) = (Vec::new(), None);
        let mut field = Field { held, length: tree.length(), stack, before, is_leaf: false, is_repeated: false };
        let mut keys: Vec<HashSet<&str>> = Vec::new();
        let mut nodes = tree.nodes().peekable();
        while let Some(node) = nodes.next() {
            field.stack.truncate(node.depth.saturating_add(1));
            field.before = if field.stack.len() > node.depth { field.stack.pop() } else { None };
            keys.resize_with(node.depth.saturating_add(1), HashSet::new);
            // a long key is shown without its end
            let key = node.key.filter(|key| !key.contains('…'));
            field.is_repeated = key.zip(keys.last_mut()).is_some_and(|(key, keys)| !keys.insert(key));
            field.is_leaf = nodes.peek().is_none_or(|next| next.depth <= node.depth);
            field.stack.push(node);
            each(&field)?;
        }
        Ok(())
    }

    /// The name of the field `up` levels around it.
    fn name(&self, up: usize) -> &str {
        match self.stack.iter().rev().nth(up).map(|node| &node.label) {
            Some(Segment::Field(name)) => name,
            _ => "",
        }
    }

    fn is_in(&self, name: &str) -> bool {
        self.stack.iter().any(|node| matches!(node.label, Segment::Field(field) if field == name))
    }

    /// True for the whole value.
    fn is_first(&self) -> bool {
        self.stack.len() == 1 && self.before.is_none()
    }

    /// The value as text: texts have quotes.
    fn text(&self) -> &str {
        self.stack.last().and_then(|node| node.value).unwrap_or_default()
    }

    /// The number of a field that is one. The text of a float of 32 bits has only the digits that it needs there.
    fn number(&self) -> Option<f64> {
        let text = Some(self.text()).filter(|_| self.is_leaf)?;
        match self.raw().len() {
            4 if text.contains(['.', 'e']) => text.parse::<f32>().ok().map(f64::from),
            _ => text.parse().ok(),
        }
    }

    /// The number of the type in a field that has one: `0x07 Array`, `22 PoolRealArray`.
    fn type_number(&self) -> Option<u32> {
        let number = self.text().split(' ').next().unwrap_or_default();
        number.strip_prefix("0x").map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
    }

    fn type_name(&self) -> String {
        self.text().split(' ').nth(1).unwrap_or_default().to_owned()
    }

    fn path(&self) -> Path {
        if self.is_first() {
            return Path::default();
        }
        let key = |node: &Node<'_>| node.key.map(|key| Segment::Key(enginewire::Key::Other(key.into())));
        self.stack.iter().flat_map(|node| [Some(node.label.clone()), key(node)]).flatten().collect()
    }

    fn at(&self) -> Option<Offset> {
        self.stack.last().map(|node| node.range.start)
    }

    /// Its bytes.
    fn raw(&self) -> &'f [u8] {
        let place = |at: Offset| usize::try_from(at.byte()).unwrap_or(usize::MAX);
        let range = self.stack.last().map(|node| place(node.range.start)..place(node.range.end));
        range.and_then(|range| self.held.bytes.get(range)).unwrap_or_default()
    }

    /// The number of a field of Godot that is a float, or an item of an array of these.
    fn float(&self) -> Option<f64> {
        (self.name(0) == "float" || self.is_in("packed_float64_array")).then(|| self.number()).flatten()
    }
}

/// The rows.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    Row { tools: &["rbx-dom"], formats: ATTRIBUTES, carriers: ANY, values: "a type besides the 18 that rbx_types reads", looks: other_type, stops: true, effect: Effect::Refuses, outcome: "no attribute beside this {} is read; files keep the bytes", advice: "use one of the types that it reads", evidence: "findings/rbx-dom.sh" },
    Row { tools: &["rbx-dom"], formats: ATTRIBUTES, carriers: ANY, values: "a key, font or enum that is not UTF-8", looks: other_text, stops: true, effect: Effect::Refuses, outcome: "no attribute beside this text is read; files keep the bytes", advice: "use a text in UTF-8", evidence: "findings/rbx-dom.sh" },
    Row { tools: &["rbx-dom"], formats: ATTRIBUTES, carriers: ANY, values: "a BrickColor with an unknown number", looks: other_brick_color, stops: true, effect: Effect::Refuses, outcome: "no attribute beside the number {} is read; files keep the bytes", advice: "use a number that Roblox has, or a Color3", evidence: "findings/rbx-dom.sh" },
    Row { tools: &["rbx-dom-npm"], formats: ATTRIBUTES, carriers: ANY, values: "a type besides the 18 that rbx_types reads", looks: other_type, stops: true, effect: Effect::Refuses, outcome: "no attribute beside this {} is read", advice: "use one of the types that it reads", evidence: "findings/rbx-dom-npm.sh" },
    Row { tools: &["rbx-dom-npm"], formats: ATTRIBUTES, carriers: ANY, values: "a key, font or enum that is not UTF-8", looks: other_text, stops: true, effect: Effect::Refuses, outcome: "no attribute beside this text is read", advice: "use a text in UTF-8", evidence: "findings/rbx-dom-npm.sh" },
    Row { tools: &["rbx-dom-npm"], formats: ATTRIBUTES, carriers: ANY, values: "a BrickColor with an unknown number", looks: other_brick_color, stops: true, effect: Effect::Refuses, outcome: "no attribute beside the number {} is read", advice: "use a number that Roblox has, or a Color3", evidence: "findings/rbx-dom-npm.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a type besides the 18 that rbx_types reads", looks: other_type, stops: true, effect: Effect::Loses, outcome: "GetAttributes finds none beside this {}, and SetAttribute replaces them all by the new one", advice: "use one of the types that it reads", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a key, font or enum that is not UTF-8", looks: other_text, stops: true, effect: Effect::Loses, outcome: "GetAttributes finds none beside this text, and SetAttribute replaces them all by the new one", advice: "use a text in UTF-8", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a BrickColor with an unknown number", looks: other_brick_color, stops: true, effect: Effect::Loses, outcome: "GetAttributes finds none beside the number {}, and SetAttribute replaces them all by the new one", advice: "use a number that Roblox has, or a Color3", evidence: "findings/lune-attributes.sh" },
    Row { tools: RUST_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a CFrame whose matrix is not a rotation, but has at most one number up to 1 in each row and column", looks: short_rotation, stops: false, effect: Effect::Changes, outcome: "the matrix becomes {}", advice: "scale the size, not the rotation", evidence: "findings/rbx-dom.sh" },
    Row { tools: ALL_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a ColorSequence with an envelope", looks: envelope, stops: false, effect: Effect::Changes, outcome: "the envelope {} becomes 0", advice: "keep it in a NumberSequence", evidence: "findings/rbx-dom.sh" },
    Row { tools: ALL_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a Font whose weight is not a multiple of 100 up to 900", looks: font_weight, stops: false, effect: Effect::Changes, outcome: "the weight {} becomes 400", advice: "use a multiple of 100 from 100 to 900", evidence: "findings/rbx-dom.sh" },
    Row { tools: ALL_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a Font with an unknown style", looks: font_style, stops: false, effect: Effect::Changes, outcome: "the style {} becomes 0", advice: "use 0 or 1", evidence: "findings/rbx-dom.sh" },
    Row { tools: ALL_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a BrickColor beyond 65535", looks: long_brick_color, stops: false, effect: Effect::Changes, outcome: "the number becomes {}", advice: "use a number that Roblox has", evidence: "findings/rbx-dom.sh" },
    Row { tools: ALL_DOM, formats: ATTRIBUTES, carriers: ANY, values: "a name that an earlier attribute has", looks: repeated, stops: false, effect: Effect::Loses, outcome: "only the last of this name is kept", advice: "use another name", evidence: "findings/rbx-dom.sh" },
    Row { tools: &["rojo"], formats: ATTRIBUTES, carriers: ANY, values: "a number that is infinite or NaN", looks: not_finite, stops: false, effect: Effect::Refuses, outcome: "syncback writes {} as null, and the next build of the whole project fails", advice: "use a finite number, or a text", evidence: "findings/rojo-attributes.sh" },
    Row { tools: &["rojo"], formats: ATTRIBUTES, carriers: ANY, values: "a Double whose decimal text needs exact arithmetic", looks: read_by_powers, stops: false, effect: Effect::Changes, outcome: "build reads what syncback wrote as {}", advice: "use fewer digits, or a Float", evidence: "findings/rojo-attributes.sh" },
    Row { tools: &["rojo"], formats: ATTRIBUTES, carriers: ANY, values: "a name that begins with RBX", looks: engine_name, stops: false, effect: Effect::Loses, outcome: "syncback leaves it out", advice: "use another name", evidence: "findings/rojo-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a whole number beyond 16777216", looks: cut_whole, stops: false, effect: Effect::Changes, outcome: "SetAttribute stores {}", advice: "use a text", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a number of a Vector3 or CFrame that is not a multiple of 1/65536, or is infinite or -0", looks: coarse, stops: false, effect: Effect::Changes, outcome: "SetAttribute rounds it to {}", advice: "use Doubles", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a text that is not UTF-8", looks: binary_text, stops: false, effect: Effect::Refuses, outcome: "SetAttribute refuses it", advice: "use Base64", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["lune"], formats: ATTRIBUTES, carriers: ANY, values: "a name with other characters than letters, digits, `.`, `_`, `-` and `/`, that begins with RBX, or has over 100 bytes", looks: odd_name, stops: false, effect: Effect::Refuses, outcome: "SetAttribute refuses the name", advice: "use another name", evidence: "findings/lune-attributes.sh" },
    Row { tools: &["rbx-dom-npm"], formats: ATTRIBUTES, carriers: ANY, values: "a number that is infinite or NaN", looks: not_finite, stops: false, effect: Effect::Refuses, outcome: "{} is read as null, which cannot be set", advice: "use a finite number, or a text", evidence: "findings/rbx-dom-npm.sh" },
    Row { tools: &["rbx-dom-npm"], formats: ATTRIBUTES, carriers: ANY, values: "a Double -0", looks: minus_zero, stops: false, effect: Effect::Changes, outcome: "it becomes 0 when it is set again", advice: "use 0", evidence: "findings/rbx-dom-npm.sh" },
    Row { tools: &["godot-3.2"], formats: GODOT_3, carriers: CONFIG, values: "a number that is infinite or NaN inside a vector, rectangle, colour or pool array", looks: inner_infinity, stops: false, effect: Effect::Refuses, outcome: "it saves {} in a form that it cannot load, nor what follows", advice: "use an Array of numbers", evidence: "findings/godot-3.sh" },
    Row { tools: &["godot-3.2"], formats: GODOT_3, carriers: CONFIG, values: "minus infinity", looks: minus_infinity, stops: false, effect: Effect::Refuses, outcome: "it saves -inf.0, which it cannot load, nor what follows", advice: "use a finite number", evidence: "findings/godot-3.sh" },
    Row { tools: &["godot-3.2"], formats: GODOT_3, carriers: CONFIG, values: "a section or key that is not ASCII", looks: other_name, stops: false, effect: Effect::Loses, outcome: "each byte of the name becomes a character, so that nothing has this name", advice: "use ASCII", evidence: "findings/godot-3.sh" },
    Row { tools: &["godot-3.2"], formats: GODOT_3, carriers: CONFIG, values: "a key with a blank", looks: blank_key, stops: false, effect: Effect::Loses, outcome: "it loads the key without the blank, so that nothing has this name", advice: "use `_`", evidence: "findings/godot-3.sh" },
    Row { tools: GODOTS_3, formats: GODOT_3, carriers: CONFIG, values: "a real number with more than six digits, or beyond 32 bits", looks: six_digits, stops: false, effect: Effect::Changes, outcome: "it saves {}", advice: "use an int, or a text", evidence: "findings/godot-3.sh" },
    Row { tools: GODOTS_3, formats: GODOT_3, carriers: CONFIG, values: "a key of a Dictionary that an earlier entry has", looks: repeated, stops: false, effect: Effect::Loses, outcome: "only the last of this name is kept", advice: "use another name", evidence: "findings/godot-3.sh" },
    Row { tools: GODOTS_3, formats: GODOT_3, carriers: CONFIG, values: "a Dictionary whose keys are texts or numbers that are not sorted", looks: unsorted, stops: false, effect: Effect::Changes, outcome: "it sorts the keys, so that {} comes first", advice: "use an Array where order counts", evidence: "findings/godot-3.sh" },
    Row { tools: GODOTS_3, formats: GODOT_3, carriers: CONFIG, values: "-0.0", looks: minus_zero, stops: false, effect: Effect::Changes, outcome: "it saves 0.0", advice: "use 0.0", evidence: "findings/godot-3.sh" },
    Row { tools: GODOTS_3, formats: GODOT_3, carriers: CONFIG, values: "null", looks: |field| gd_type(field, &[0]).filter(|_| field.is_first()), stops: false, effect: Effect::Loses, outcome: "it saves neither the {} nor its key", advice: "use [null]", evidence: "findings/godot-3.sh" },
    Row { tools: &["godot-4"], formats: GODOT_4, carriers: CONFIG, values: "null", looks: |field| gd_type(field, &[0]).filter(|_| field.is_first()), stops: false, effect: Effect::Loses, outcome: "it saves neither the {} nor its key", advice: "use [null]", evidence: "findings/godot-resource-saver.sh" },
    Row { tools: &["godot-4"], formats: GODOT_4, carriers: TEXTS, values: "a key of a Dictionary that an earlier entry has", looks: repeated, stops: false, effect: Effect::Loses, outcome: "only the last of this name is kept", advice: "use another name", evidence: "findings/godot-resource-saver.sh" },
    Row { tools: &["godot-4"], formats: GODOT_3, carriers: &["godot-text"], values: "the metadata of a node or resource of Godot 3, `__meta__`", looks: metadata, stops: false, effect: Effect::Loses, outcome: "it loads none of it", advice: "write each as a property `metadata/NAME`", evidence: "findings/godot-3-to-4.sh" },
    Row { tools: &["godot-4"], formats: GODOT_4, carriers: TEXTS, values: "-0.0, also inside a vector or packed array", looks: any_minus_zero, stops: false, effect: Effect::Changes, outcome: "it saves 0.0", advice: "use 0.0, or a file by `store_var`", evidence: "findings/godot-resource-saver.sh" },
    Row { tools: &["godot-4"], formats: GODOT_4, carriers: TEXTS, values: "a float that 32 bits can hold, but not with its shortest digits in 64", looks: single_digits, stops: false, effect: Effect::Changes, outcome: "it saves {}, or reads a neighbour", advice: "use a file by `store_var`", evidence: "findings/godot-resource-saver.sh" },
    Row { tools: &["godot-4"], formats: GODOT_4, carriers: TEXTS, values: "a Dictionary whose keys are texts or numbers that are not sorted", looks: unsorted, stops: false, effect: Effect::Changes, outcome: "it sorts the keys, so that {} comes first", advice: "use an Array where order counts", evidence: "findings/godot-resource-saver.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a RID or an Object", looks: |field| gd_type(field, &[16, 17]), stops: false, effect: Effect::Refuses, outcome: "{} is an error, so that nothing of the whole value is read", advice: "use null", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a pool array of reals, texts, vectors or colours", looks: |field| gd_type(field, &[22, 23, 24, 25, 26]), stops: false, effect: Effect::Changes, outcome: "{} is read as an array of another type", advice: "use an Array", evidence: "findings/gd-com.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a vector, rectangle, plane, rotation, transform, box or colour", looks: |field| gd_type(field, &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14]), stops: false, effect: Effect::Changes, outcome: "{} is written as a Dictionary", advice: "use an Array of numbers", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a NodePath", looks: |field| gd_type(field, &[15]), stops: false, effect: Effect::Changes, outcome: "{} is written as a String", advice: "use a String", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a PoolIntArray", looks: |field| gd_type(field, &[21]), stops: false, effect: Effect::Changes, outcome: "{} is written as an Array", advice: "use an Array", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "a PoolByteArray of other lengths than multiples of 4, with values after it", looks: padded_bytes, stops: false, effect: Effect::Loses, outcome: "what follows these bytes is read from the wrong place", advice: "make its length a multiple of 4", evidence: "findings/gd-com.sh" },
    Row { tools: &["gd-com"], formats: GODOT_3, carriers: STREAMS, values: "an int key of a Dictionary", looks: int_key, stops: false, effect: Effect::Changes, outcome: "the key becomes a String", advice: "use a String", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT, carriers: STREAMS, values: "an int beyond 32 bits", looks: long_int, stops: false, effect: Effect::Changes, outcome: "{} is written as a Dictionary of low, high and unsigned", advice: "use a String", evidence: "findings/gd-com.sh" },
    Row { tools: &["gd-com"], formats: GODOT, carriers: STREAMS, values: "a whole float within 32 bits", looks: whole_float, stops: false, effect: Effect::Changes, outcome: "it is written as the int {}", advice: "use an int", evidence: "findings/gd-com-types.sh" },
    Row { tools: &["gd-com"], formats: GODOT, carriers: STREAMS, values: "a whole float beyond 32 bits", looks: large_float, stops: false, effect: Effect::Refuses, outcome: "{} cannot be written", advice: "use a String", evidence: "findings/gd-com.sh" },
    Row { tools: &["gd-com"], formats: GODOT, carriers: STREAMS, values: "a fraction that needs 64 bits", looks: narrowed, stops: false, effect: Effect::Changes, outcome: "it is written as {}", advice: "use a String", evidence: "findings/gd-com.sh" },
    Row { tools: &["gd-com"], formats: GODOT_4, carriers: STREAMS, values: "a type after String, such as Vector2 or Array", looks: newer_type, stops: false, effect: Effect::Refuses, outcome: "{} is an error, or is read or written as another type: the package has the numbers of Godot 3", advice: "use JSON", evidence: "findings/gd-com-types.sh" },
    Row { tools: PROJECT, formats: GODOT_4, carriers: CONFIG, values: "a type besides null, bool, int, float, String, Object, Dictionary, Array and PackedStringArray", looks: unparsed_type, stops: false, effect: Effect::Refuses, outcome: "{} is an error, so that nothing of the file is read", advice: "use a String, or an Array of numbers", evidence: "findings/godot-project-parser.sh" },
    Row { tools: PROJECT, formats: GODOT_4, carriers: CONFIG, values: "a text with a line end", looks: several_lines, stops: false, effect: Effect::Refuses, outcome: "it is an error, so that nothing of the file is read", advice: "use an Array of lines", evidence: "findings/godot-project-parser.sh" },
    Row { tools: PROJECT, formats: GODOT_4, carriers: CONFIG, values: "a number that is infinite or NaN", looks: not_finite, stops: false, effect: Effect::Refuses, outcome: "it dumps {} in a form that Godot cannot load, nor the rest of the file", advice: "use a finite number, or a text", evidence: "findings/godot-project-parser.sh" },
    Row { tools: PROJECT, formats: GODOT_4, carriers: CONFIG, values: "an int key of a Dictionary", looks: int_key, stops: false, effect: Effect::Changes, outcome: "the key becomes a String", advice: "use a String", evidence: "findings/godot-project-parser.sh" },
    Row { tools: &["sm-blueprint-lib"], formats: &["scrap-mechanic-lua"], carriers: &["scrap-mechanic-blueprint"], values: "data in the controller of a part", looks: |field| field.is_first().then(String::new), stops: false, effect: Effect::Loses, outcome: "a logic gate with data gets a new id and loses its connections; most other parts are refused", advice: "add the data after the library has saved", evidence: "findings/sm-blueprint-lib.sh" },
];

const ALL_DOM: &[&str] = &["rbx-dom", "rojo", "lune", "rbx-dom-npm"];
const ANY: &[&str] = &[];
const ATTRIBUTES: &[&str] = &["roblox-attributes"];
const CONFIG: &[&str] = &["godot-config"];
const GODOT: &[&str] = &["godot-3", "godot-4"];
const GODOT_3: &[&str] = &["godot-3"];
const GODOTS_3: &[&str] = &["godot-3.2", "godot-3.6"];
const GODOT_4: &[&str] = &["godot-4"];
const PROJECT: &[&str] = &["godot-project-parser"];
const RUST_DOM: &[&str] = &["rbx-dom", "rojo", "lune"];
const STREAMS: &[&str] = &["", "godot-values", "godot-frames-le"];
const TEXTS: &[&str] = &["godot-config", "godot-text"];

/// The types of attributes that rbx_types reads.
const READ: [u32; 18] =
    [0x02, 0x03, 0x04, 0x05, 0x06, 0x09, 0x0a, 0x0e, 0x0f, 0x10, 0x11, 0x14, 0x15, 0x17, 0x19, 0x1b, 0x1c, 0x21];

fn other_type(field: &Field<'_>) -> Option<String> {
    let is_type = field.name(0) == "type" && field.stack.len() == 4;
    let is_read = field.type_number().is_some_and(|number| READ.contains(&number));
    (is_type && !is_read).then(|| field.type_name())
}

fn other_text(field: &Field<'_>) -> Option<String> {
    let is_name = field.name(0) == "content" && ["key", "family", "cached_face_id", "enum"].contains(&field.name(1));
    (is_name && str::from_utf8(field.raw()).is_err()).then(String::new)
}

fn binary_text(field: &Field<'_>) -> Option<String> {
    let is_text = field.name(0) == "content" && field.name(1) == "string";
    (is_text && str::from_utf8(field.raw()).is_err()).then(String::new)
}

/// The number of a BrickColor, and its 16 low bits, which rbx_types takes.
fn brick_color(field: &Field<'_>) -> Option<(u32, u32)> {
    let number =
        (field.name(0) == "brick_color").then(|| field.raw().try_into().ok().map(u32::from_le_bytes)).flatten()?;
    Some((number, number & 0xffff))
}

fn other_brick_color(field: &Field<'_>) -> Option<String> {
    brick_color(field).filter(|(_, low)| !BrickColor(*low).is_known()).map(|(number, _)| number.to_string())
}

fn long_brick_color(field: &Field<'_>) -> Option<String> {
    brick_color(field).filter(|(number, low)| number != low).map(|(_, low)| low.to_string())
}

/// The rotation that rbx_types takes for a matrix: each number up to 1 is 0 or 1 to it.
fn short_rotation(field: &Field<'_>) -> Option<String> {
    let matrix: &[u8; 36] = (field.name(0) == "matrix").then(|| field.raw().try_into().ok()).flatten()?;
    let mut taken = [0.0; 9];
    let mut is_kept = true;
    for (bytes, unit) in matrix.chunks_exact(4).zip(&mut taken) {
        let number = f32::from_le_bytes(bytes.try_into().ok()?);
        *unit = match number.abs() {
            size if size <= f32::EPSILON => 0.0,
            size if size - 1.0 <= f32::EPSILON => number.signum(),
            _ => return None,
        };
        is_kept &= *unit == number;
    }
    let numbers = |matrix: [f32; 9]| matrix.map(|number| (number + 0.0).to_string()).join(", ");
    RotationId::from_matrix(&taken).filter(|_| !is_kept).map(|id| numbers(id.matrix()))
}

fn envelope(field: &Field<'_>) -> Option<String> {
    let is_envelope = field.name(0) == "envelope" && field.is_in("color_sequence");
    (is_envelope && field.number() != Some(0.0)).then(|| field.text().to_owned())
}

fn font_weight(field: &Field<'_>) -> Option<String> {
    let number = (field.name(0) == "weight").then(|| field.text().parse::<u16>().ok()).flatten()?;
    (!(100..=900).step_by(100).any(|weight| weight == number)).then(|| number.to_string())
}

fn font_style(field: &Field<'_>) -> Option<String> {
    let is_style = field.name(0) == "style" && field.is_in("font");
    (is_style && !["0", "1"].contains(&field.text())).then(|| field.text().to_owned())
}

fn not_finite(field: &Field<'_>) -> Option<String> {
    field.number().filter(|number| !number.is_finite()).map(|number| number.to_string())
}

fn name<'f>(field: &Field<'f>) -> Option<&'f [u8]> {
    (field.name(0) == "content" && field.name(1) == "key").then(|| field.raw())
}

fn engine_name(field: &Field<'_>) -> Option<String> {
    name(field).filter(|name| name.starts_with(b"RBX")).map(|_| String::new())
}

fn odd_name(field: &Field<'_>) -> Option<String> {
    let name = str::from_utf8(name(field)?).ok()?;
    let is_plain = name.chars().all(|char| char.is_alphanumeric() || "._-/".contains(char)) && name.len() <= 100;
    (!is_plain || name.to_ascii_uppercase().starts_with("RBX")).then(String::new)
}

/// The number that serde_json reads from its own text of this one, as it is set in Rojo: digits, multiplied or divided by a power
/// of ten, each step rounded.
fn read_by_powers(field: &Field<'_>) -> Option<String> {
    let number = (field.name(0) == "double").then(|| field.number()).flatten().filter(|number| number.is_finite())?;
    let text = serde_json::to_string(&number.abs()).ok()?;
    let (decimal, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = |exponent: i32| format!("1e{exponent}").parse::<f64>().ok();
    #[allow(clippy::as_conversions)] // rounded to the nearest, as there
    let digits = digits as f64;
    let read = match exponent {
        0.. => digits * power(exponent)?,
        -308..0 => digits / power(exponent.checked_neg()?)?,
        _ => digits / 1e308 / power(exponent.checked_add(308)?.checked_neg()?)?,
    };
    (read != number.abs()).then(|| format!("{:?}", read.copysign(number)))
}

/// The number that Lune stores for a whole one: its low 32 bits, as a float of 32.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // as there
fn cut_whole(field: &Field<'_>) -> Option<String> {
    let number = ["int", "float", "double"].contains(&field.name(0)).then(|| field.number()).flatten()?;
    let is_whole =
        number.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    let stored = f64::from(number as i64 as i32 as f32);
    (is_whole && stored != number).then(|| stored.to_string())
}

/// The number that Lune stores for one of a vector or rotation: its fraction is rounded to 16 bits.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // a float of 32
fn coarse(field: &Field<'_>) -> Option<String> {
    let is_part = ["vector3", "position", "matrix"].iter().any(|name| field.is_in(name));
    let number = is_part.then(|| field.number()).flatten().filter(|number| !number.is_nan())? as f32;
    let stored = number.trunc() + (number.fract() * 65536.0).round() / 65536.0;
    (stored.to_bits() != number.to_bits()).then(|| stored.to_string())
}

fn minus_zero(field: &Field<'_>) -> Option<String> {
    any_minus_zero(field).filter(|_| ["double", "float"].contains(&field.name(0)))
}

fn any_minus_zero(field: &Field<'_>) -> Option<String> {
    (field.is_leaf && field.text() == "-0.0").then(String::new)
}

fn inner_infinity(field: &Field<'_>) -> Option<String> {
    not_finite(field).filter(|_| field.name(0) != "float")
}

fn minus_infinity(field: &Field<'_>) -> Option<String> {
    (field.name(0) == "float" && field.number() == Some(f64::NEG_INFINITY)).then(String::new)
}

fn other_name(field: &Field<'_>) -> Option<String> {
    let is_other = |name: &bstr::BStr| !name.is_ascii();
    let mut names = field.held.address.components().iter().filter_map(crate::address::Component::text);
    (field.is_first() && names.any(is_other)).then(String::new)
}

fn blank_key(field: &Field<'_>) -> Option<String> {
    let key = field.held.address.components().last().and_then(crate::address::Component::text)?;
    (field.is_first() && key.contains(&b' ')).then(String::new)
}

/// The number that Godot 3 saves: six digits of one of 32 bits.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // to the nearest
fn six_digits(field: &Field<'_>) -> Option<String> {
    let number = field.number().filter(|number| number.is_finite() && field.text().parse::<i64>().is_err())?;
    let saved = format!("{:.5e}", number as f32);
    // the numbers of vectors have 32 bits
    let is_kept = match field.name(0) {
        "float" => saved.parse() == Ok(number),
        _ => saved.parse::<f32>() == field.text().parse(),
    };
    let saved: f64 = saved.parse().ok()?;
    (!is_kept).then(|| format!("{saved:?}"))
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // to the nearest
fn single_digits(field: &Field<'_>) -> Option<String> {
    let number = field.float()?;
    let single = number as f32;
    let saved: f64 = single.to_string().parse().ok()?;
    // where digits are as near to another number, the engine writes more
    let is_single = [number, saved.next_down(), saved.next_up()].map(|near| near as f32 == single) == [true; 3];
    (is_single && f64::from(single) == number && saved != number).then(|| format!("{saved:?}"))
}

/// True for an entry of attributes or of a dictionary.
fn is_entry(field: &Field<'_>) -> bool {
    let is_of_text = field.held.carrier.is_some_and(|kind| kind.name() == "godot-text");
    let around = field.stack.iter().filter(|node| matches!(node.label, Segment::Field("dictionary"))).count();
    // the outermost are the properties of a node or resource, or the fields of a tag, which have an order of their own
    field.name(1) == "entries" && (around > 1 || !is_of_text)
}

fn repeated(field: &Field<'_>) -> Option<String> {
    (field.is_repeated && is_entry(field)).then(String::new)
}

fn unsorted<'f>(field: &Field<'f>) -> Option<String> {
    let key = |node: &Node<'f>| node.key.filter(|key| !key.contains(['\\', '…']));
    let (before, key) = (field.before.as_ref().and_then(key)?, field.stack.last().and_then(key)?);
    let texts = before.strip_prefix('"').zip(key.strip_prefix('"'));
    let numbers = before.parse().ok().zip(key.parse().ok());
    let is_after = texts.is_some_and(|(before, key)| before.trim_matches('"') > key.trim_matches('"'))
        || numbers.is_some_and(|(before, key): (f64, f64)| before > key);
    (is_after && is_entry(field)).then(|| key.into())
}

fn metadata(field: &Field<'_>) -> Option<String> {
    let is_property = field.stack.len() == 3 && field.name(1) == "entries";
    let is_metadata = field.stack.last()?.key == Some("\"__meta__\"");
    (is_property && is_metadata).then(String::new)
}

fn gd_type(field: &Field<'_>, types: &[u32]) -> Option<String> {
    let is_one = field.name(0) == "header" && field.type_number().is_some_and(|number| types.contains(&number));
    is_one.then(|| field.type_name())
}

fn newer_type(field: &Field<'_>) -> Option<String> {
    let is_newer = field.name(0) == "header" && field.type_number().is_some_and(|number| number > 4);
    is_newer.then(|| field.type_name())
}

fn unparsed_type(field: &Field<'_>) -> Option<String> {
    let number = field.type_number().filter(|_| field.name(0) == "header")?;
    (![0, 1, 2, 3, 4, 24, 27, 28, 34].contains(&number)).then(|| field.type_name())
}

fn several_lines(field: &Field<'_>) -> Option<String> {
    (field.name(0) == "text" && field.raw().contains(&b'\n')).then(String::new)
}

fn padded_bytes(field: &Field<'_>) -> Option<String> {
    let is_bytes = field.name(0) == "bytes" && field.name(1) == "packed_byte_array";
    let count: u64 = field.before.as_ref().filter(|_| is_bytes)?.value?.parse().ok()?;
    let end = field.stack.last()?.range.end.byte().next_multiple_of(4);
    (!count.is_multiple_of(4) && end < field.length).then(String::new)
}

fn int_key(field: &Field<'_>) -> Option<String> {
    let is_key = field.name(0) == "header" && field.name(1) == "key";
    (is_key && field.type_number() == Some(2)).then(String::new)
}

fn long_int(field: &Field<'_>) -> Option<String> {
    let number: i64 = (field.name(0) == "int").then(|| field.text().parse().ok()).flatten()?;
    i32::try_from(number).is_err().then(|| number.to_string())
}

/// A float, and true if it is an integer of 32 bits.
fn gd_float(field: &Field<'_>) -> Option<(f64, bool)> {
    let number = (field.name(0) == "float").then(|| field.number()).flatten()?;
    Some((number, number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX)))
}

fn whole_float(field: &Field<'_>) -> Option<String> {
    let is_int = |(number, is_short): &(f64, bool)| *is_short && number.fract() == 0.0;
    gd_float(field).filter(is_int).map(|(number, _)| (number + 0.0).to_string())
}

fn large_float(field: &Field<'_>) -> Option<String> {
    let is_large = |(number, is_short): &(f64, bool)| !is_short && number.fract() == 0.0;
    gd_float(field).filter(is_large).map(|(number, _)| format!("{number:e}"))
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // to the nearest
fn narrowed(field: &Field<'_>) -> Option<String> {
    let (number, _) = gd_float(field).filter(|(number, _)| number.is_finite() && number.fract() != 0.0)?;
    let narrow = f64::from(number as f32);
    (narrow != number).then(|| format!("{narrow:?}"))
}

//! Selection of the fields of a tree to show.

use std::ops::Range;
use std::str::FromStr;

use bstr::ByteSlice;
use enginewire::wire::{Node, Tree, TreePart};
use enginewire::Segment;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, digit1, none_of, space1};
use nom::combinator::{all_consuming, map_res, opt, recognize};
use nom::multi::{many0_count, many1};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::output::text::shown_value;

/// The options that choose fields.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Selection {
    /// Show this field, such as `entries[3].value`
    #[arg(long, value_name = "PATH")]
    pub path: Option<FieldPath>,

    /// Show N levels of fields, counted from that of --path
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub depth: Option<u64>,

    /// Show the fields whose name, key or value has TEXT in it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub find: Option<String>,
}

/// The path of a field, as in `DecodeError::path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Index(usize),
    /// The key of the item just named, as it is shown.
    Key(String),
}

impl FromStr for FieldPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn step(input: &str) -> IResult<&str, Step> {
            let name = take_while1(|char: char| !char.is_whitespace() && !".[]\"".contains(char));
            let index = map_res(delimited(char('['), digit1, char(']')), str::parse);
            let in_quotes = many0_count(alt((recognize((char('\\'), none_of(""))), recognize(none_of("\"\\")))));
            let in_quotes = recognize((char('"'), in_quotes, char('"')));
            let key = alt((in_quotes, take_while1(|char: char| !".[]".contains(char))));
            alt((
                preceded(opt(tag(".")), name).map(|name: &str| Step::Field(name.to_owned())),
                index.map(Step::Index),
                preceded(space1, key).map(|key: &str| Step::Key(key.to_owned())),
            ))
            .parse(input)
        }
        let steps = all_consuming(many1(step)).parse(text);
        steps
            .map(|(_, steps)| FieldPath(steps))
            .map_err(|_| "expected the path of a field such as entries[3].value".to_owned())
    }
}

impl FieldPath {
    /// The field in a tree, and all that is in it.
    fn range(&self, tree: &Tree) -> Option<Range<usize>> {
        let mut found: Option<Node<'_>> = None;
        for step in &self.0 {
            if let Step::Key(key) = step {
                if found.as_ref()?.key != Some(key) {
                    return None;
                }
                continue;
            }
            let is_it = |node: &Node<'_>| match (&node.label, step) {
                (Segment::Field(label), Step::Field(name)) => label == name,
                (Segment::Index(label), Step::Index(index)) => label == index,
                _ => false,
            };
            found = Some(tree.children(found.as_ref()).find(is_it)?);
        }
        let first = found?;
        Some(first.index..first.index.saturating_add(tree.within(&first).len()).saturating_add(1))
    }
}

impl Selection {
    /// The parts of a tree of these bytes with the chosen nodes. Those of a path begin with a depth of 0. With `keyed_values`,
    /// an item of a map has the value that is shown with its key, which else is in a node below it.
    pub fn parts<'s>(
        &'s self,
        parts: impl Iterator<Item = TreePart> + 's,
        bytes: &'s [u8],
        keyed_values: bool,
    ) -> Box<dyn Iterator<Item = TreePart> + 's> {
        if self.is_all() {
            return Box::new(parts);
        }
        let mut given = 0usize;
        Box::new(parts.map(move |mut part| {
            let (tree, around) = self.of(&part.tree, part.around, bytes, keyed_values);
            part.tree = tree;
            // the first items may not be chosen, and then what is around them is not either
            (part.around, part.repeated) = (around, around.min(given));
            given = given.max(around);
            part
        }))
    }

    /// The chosen nodes, and how many of the first `around` they have.
    fn of(&self, tree: &Tree, around: usize, bytes: &[u8], keyed_values: bool) -> (Tree, usize) {
        let count = tree.nodes().len();
        let range = self.path.as_ref().map_or(Some(0..count), |path| path.range(tree)).unwrap_or_default();
        let base = self.path.as_ref().and_then(|_| tree.node(range.start)).map_or(0, |node| node.depth);
        let levels = self.depth.map_or(usize::MAX, |depth| usize::try_from(depth).unwrap_or(usize::MAX));
        let mut is_chosen = vec![false; count];
        // the current node, after the nodes that contain it
        let mut above: Vec<usize> = Vec::new();
        for node in tree.nodes().take(range.end).skip(range.start) {
            above.truncate(node.depth.saturating_sub(base));
            above.push(node.index);
            let is_leaf = tree.node(node.index.saturating_add(1)).is_none_or(|next| next.depth <= node.depth);
            if self.fits(&node, if is_leaf { bytes } else { &[] }) {
                for above in above.iter().take(levels) {
                    is_chosen.get_mut(*above).into_iter().for_each(|chosen| *chosen = true);
                }
            }
        }
        let around = is_chosen.iter().take(around).filter(|is_chosen| **is_chosen).count();
        let chosen = tree.map_nodes(|mut node| {
            is_chosen.get(node.index).filter(|is_chosen| **is_chosen)?;
            if keyed_values {
                node.value = shown_value(&node, tree.within(&node));
            }
            node.depth = node.depth.saturating_sub(base);
            Some(node)
        });
        (chosen, around)
    }

    /// Returns true if a field contains the text searched for. The displayed value may be cut and escaped, so the bytes of a
    /// field without subfields are searched too.
    fn fits(&self, node: &Node<'_>, bytes: &[u8]) -> bool {
        let Some(text) = &self.find else { return true };
        let label = match &node.label {
            Segment::Field(name) => name,
            _ => "",
        };
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let field = bytes.get(place(node.range.start.byte())..place(node.range.end.ceil())).unwrap_or_default();
        let texts = [Some(label), node.key, node.value];
        texts.into_iter().flatten().any(|part| part.contains(text.as_str())) || field.contains_str(text)
    }

    /// The number of levels of the tree that are needed.
    pub fn levels(&self) -> usize {
        let Some(depth) = self.depth.filter(|_| self.find.is_none()) else { return usize::MAX };
        let is_level = |step: &&Step| !matches!(step, Step::Key(_));
        let path = self.path.iter().flat_map(|path| &path.0).filter(is_level).count();
        usize::try_from(depth).unwrap_or(usize::MAX).saturating_add(path.saturating_sub(1))
    }

    /// Returns true if it may be that nothing matches.
    pub fn looks_for_some(&self) -> bool {
        self.path.is_some() || self.find.is_some()
    }

    /// Returns true if everything is shown.
    pub fn is_all(&self) -> bool {
        self.path.is_none() && self.depth.is_none() && self.find.is_none()
    }
}

#[cfg(test)]
mod tests {
    use enginewire::roblox::attributes::{encode, inspect, Attributes};
    use pretty_assertions::assert_eq;

    use super::*;

    fn bytes() -> Vec<u8> {
        let mut attributes = Attributes::default();
        attributes.insert("Fuel", 17.5);
        attributes.insert("Name", "Torch");
        encode(&attributes).unwrap()
    }

    fn shown(selection: &Selection) -> Option<Vec<String>> {
        let text = |node: Node<'_>| {
            let label = match &node.label {
                Segment::Index(index) => format!("[{index}]"),
                Segment::Field(name) => (*name).to_owned(),
                _ => String::new(),
            };
            format!("{}{label}", " ".repeat(node.depth))
        };
        let (tree, _) = selection.of(&inspect(&bytes()), 0, &bytes(), true);
        Some(tree.nodes().map(text).collect()).filter(|lines: &Vec<_>| !lines.is_empty())
    }

    fn at(path: &str) -> Selection {
        Selection { path: Some(path.parse().unwrap()), ..Selection::default() }
    }

    #[test]
    fn a_path_names_a_field_with_or_without_keys() {
        for path in ["entries[0]", "entries[0] \"Fuel\"", ".entries[0]"] {
            assert_eq!(shown(&at(path)).unwrap()[0], "[0]", "{path}");
        }
        let value = shown(&at("entries[0] \"Fuel\".value")).unwrap();
        assert_eq!((&value[0][..], shown(&at("entries[0].value"))), ("value", Some(value.clone())));
        assert!(value[1..].iter().all(|line| line.starts_with(' ')), "{value:?}");
        for path in ["entries[2]", "entries[0] \"fuel\"", "length.x", "[0]", "Fuel"] {
            assert_eq!(shown(&at(path)), None, "{path}");
        }
        for wrong in ["", "a[", "a[x]", "a[99999999999999999999]", " "] {
            assert!(wrong.parse::<FieldPath>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn levels_count_from_the_path() {
        let depth = |depth, path: Option<&str>| {
            shown(&Selection { depth: Some(depth), path: path.map(|path| path.parse().unwrap()), find: None }).unwrap()
        };
        assert_eq!(depth(1, None), ["length", "entries"]);
        assert_eq!(depth(2, None), ["length", "entries", " [0]", " [1]"]);
        assert_eq!(depth(1, Some("entries[1]")), ["[1]"]);
    }

    /// A tree of no more levels than are shown gives the same lines as the whole tree.
    #[test]
    fn levels_that_are_not_shown_are_not_needed() {
        use enginewire::formats::{formats, FormatOptions};

        let mut compared = 0;
        for format in formats() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(format.name());
            let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "bin")) {
                let bytes = std::fs::read(&file).unwrap();
                for (depth, path) in (1..6).flat_map(|depth| {
                    [None, Some("entries[1]"), Some("data"), Some("packets[0].arguments[0]")].map(|path| (depth, path))
                }) {
                    let path = path.map(|path| path.parse().unwrap());
                    let selection = Selection { depth: Some(depth), path, find: None };
                    let lines = |levels| {
                        let parts = format.inspect_parts(&bytes, &FormatOptions::new(), levels);
                        let parts = selection.parts(parts, &bytes, true);
                        parts.map(|part| part.tree).collect::<Vec<_>>()
                    };
                    let (some, all) = (lines(selection.levels()), lines(usize::MAX));
                    assert_eq!(some.len(), all.len(), "{}: {selection:?}", file.display());
                    for (some, all) in some.iter().zip(&all) {
                        assert_eq!(some.error(), all.error(), "{}: {selection:?}", file.display());
                        assert!(some.nodes().eq(all.nodes()), "{}: {selection:?}", file.display());
                    }
                    compared += 1;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn a_text_is_found_in_names_keys_and_values() {
        let find = |text: &str| shown(&Selection { find: Some(text.to_owned()), ..Selection::default() });
        assert_eq!(find("length").unwrap()[0], "length");
        let torch = find("Torch").unwrap();
        assert!(torch.contains(&" [1]".to_owned()) && !torch.contains(&" [0]".to_owned()), "{torch:?}");
        assert_eq!(find("nobody"), None);
        let depth = Selection { depth: Some(2), ..Selection::default() };
        let (tree, _) = depth.of(&inspect(&bytes()), 0, &bytes(), true);
        assert!(tree.nodes().next_back().unwrap().value.unwrap().contains("Torch"));
        // what is shown of a value is cut and escaped
        let mut attributes = Attributes::default();
        attributes.insert("Long", format!("{}\"end\"", "x".repeat(1000)));
        let bytes = encode(&attributes).unwrap();
        let find = Selection { find: Some("x\"end".to_owned()), ..Selection::default() };
        assert!(find.of(&inspect(&bytes), 0, &bytes, true).0.nodes().len() > 0);
    }
}

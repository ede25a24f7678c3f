//! Nodes that are removed from a text, and connections that change.

use std::collections::HashMap;

use super::{refused, Names, Part, Section, Splices, TextResource, PERSIST};
use crate::address::Address;
use crate::containers::ContainerError;
use enginewire::godot::{decode_with, encode_with, Array, Dictionary, NodePath, Object, Variant};

/// The parts of a connection that it needs, in their order in a tag, and those that may be left out.
const NEEDED: [&str; 4] = ["signal", "from", "to", "method"];
const OPTIONAL: [&str; 3] = ["flags", "unbinds", "binds"];

/// A connection: its parts, in this order.
type Connection = [Variant<'static>; 7];

/// The values of parts that are left out.
fn defaults() -> [Variant<'static>; 3] {
    [Variant::Int(PERSIST.into()), Variant::Int(0), Array::default().into()]
}

/// The connection that a value of the list is.
fn connection(value: &Variant<'static>) -> Option<Connection> {
    let Variant::Dictionary(Dictionary { types: None, entries }) = value else { return None };
    let names = NEEDED.iter().chain(&OPTIONAL);
    let part = |name: &str| {
        let mut found = entries.iter().filter(|entry| entry.key.as_bytes() == Some(name.as_bytes()));
        found.next().map(|entry| entry.value.clone())
    };
    let [flags, unbinds, binds] = defaults();
    let [signal, from, to, method] = NEEDED.map(part);
    let [own_flags, own_unbinds, own_binds] = OPTIONAL.map(part);
    let all = [
        signal?,
        from?,
        to?,
        method?,
        own_flags.unwrap_or(flags),
        own_unbinds.unwrap_or(unbinds),
        own_binds.unwrap_or(binds),
    ];
    let is_known = |key: &[u8]| names.clone().any(|name| name.as_bytes() == key);
    let is_text = |value: &Variant<'_>| matches!(value, Variant::String(text) if !text.is_empty());
    let is_right = match &all {
        [texts @ .., Variant::Int(_), Variant::Int(_), Variant::Array(binds)] => {
            texts.iter().all(is_text) && binds.element_type.is_none()
        }
        _ => false,
    };
    let keys = entries.iter().map(|entry| entry.key.as_bytes().filter(|_| matches!(entry.key, Variant::String(_))));
    let mut keys: Vec<_> = keys.collect::<Option<_>>()?;
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    (is_right && keys.len() == count && keys.into_iter().all(is_known)).then_some(all)
}

/// Calls `each` with every path in a value.
fn paths(value: &Variant<'_>, each: &mut dyn FnMut(&NodePath<'_>)) {
    match value {
        Variant::NodePath(path) => each(path),
        Variant::Array(array) => array.elements.iter().for_each(|element| paths(element, each)),
        Variant::Dictionary(Dictionary { entries, .. }) => entries.iter().for_each(|entry| {
            paths(&entry.key, each);
            paths(&entry.value, each);
        }),
        Variant::Object(Object::Full(object)) => {
            object.properties.iter().for_each(|property| paths(&property.value, each));
        }
        _ => {}
    }
}

/// True if a path is that of a node, or of a node in it.
fn is_in(path: &[u8], node: &[u8]) -> bool {
    path.strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// True if a path that begins at a node may lead to another one, or through it. Without a node to begin at, it may if it has the
/// name of that one.
fn leads_to(path: &NodePath<'_>, from: Option<&[u8]>, node: &[u8]) -> bool {
    let last = node.rsplit(|byte| *byte == b'/').next().unwrap_or(node);
    let has_name = || path.names.iter().any(|name| **name == *last);
    let mut names: Vec<&[u8]> = match from {
        Some(from) if !path.absolute => from.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect(),
        _ => return has_name(),
    };
    for name in &path.names {
        match &***name {
            b"." => {}
            b".." if names.pop().is_none() => return has_name(),
            b".." => {}
            // a unique name, from anywhere in the scene
            unique if unique.starts_with(b"%") => {
                if unique.get(1..) == Some(last) {
                    return true;
                }
                return has_name();
            }
            name => {
                names.push(name);
                if names.join(&b'/') == node {
                    return true;
                }
            }
        }
    }
    names.join(&b'/') == node
}

impl TextResource {
    /// The path of a node from the root, without `.`; empty for the root.
    fn node_path(&self, section: &Section<'_>) -> Option<Vec<u8>> {
        let name = self.needed(section, "name").ok()?;
        Some(match self.text(section, "parent").ok()? {
            None => Vec::new(),
            Some(parent) if *parent == *b"." => name.to_vec(),
            Some(parent) => [&**parent, b"/", &**name].concat(),
        })
    }

    /// The changes of the text that remove these nodes, by the offsets of their tags, and the paths of the nodes.
    pub(super) fn node_edits(
        &self,
        names: &Names,
        removed: &[(usize, Address)],
    ) -> Result<(Splices, Vec<Vec<u8>>), ContainerError> {
        let is_removed = |section: &Section<'_>| removed.iter().any(|(start, _)| *start == section.start);
        let mut paths = Vec::new();
        for section in self.sections().filter(is_removed) {
            self.properties(names, &section).map_err(|(error, _)| error)?;
            match self.node_path(&section).filter(|path| section.tag == b"node" && !path.is_empty()) {
                Some(path) => paths.push(path),
                None => return Err(refused("only nodes can be removed, and not the root")),
            }
        }
        let mut edits = Splices::new();
        for section in self.sections().filter(is_removed) {
            let parts = section.properties.iter().map(|part| self.file.removed(part.start, &part.value));
            let tag = self.file.removed(section.start, &(section.start..section.head));
            let mut ranges: Vec<_> = [tag].into_iter().chain(parts).collect();
            // of the blank lines around it, one goes along
            if let Some(last) = ranges.last_mut() {
                let next = self.file.next_line(last.end);
                let is_blank = self.file.line_end(last.end) == last.end && next > last.end;
                last.end = if is_blank && self.file.line_start(last.end) == last.end { next } else { last.end };
            }
            edits.extend(ranges.into_iter().map(|range| (range, Vec::new())));
        }
        Ok((edits, paths))
    }

    /// Fails if something in the text after a change names one of these nodes, which were removed.
    pub(super) fn is_not_named(&self, nodes: &[Vec<u8>], removed: &[(usize, Address)]) -> Result<(), ContainerError> {
        let named = if nodes.is_empty() { Vec::new() } else { self.naming(nodes) };
        if named.is_empty() {
            return Ok(());
        }
        let what = match removed {
            [(_, address)] => address.to_string(),
            _ => "a node that is removed".to_owned(),
        };
        let more = named.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let list = named.get(..NAMED).map_or_else(|| named.join(", "), |some| some.join(", "));
        Err(refused(format!("{what} is named by {list}{more}; remove these first")))
    }

    /// The places that name one of these nodes.
    fn naming(&self, nodes: &[Vec<u8>]) -> Vec<String> {
        let (mut all, mut connections) = (Vec::new(), 0usize);
        let any = |path: &[u8]| nodes.iter().any(|node| is_in(path, node));
        for section in self.sections() {
            let number = connections;
            connections = connections.saturating_add(usize::from(section.tag == b"connection"));
            let address = || match section.tag {
                b"connection" => format!(":connections[{number}]"),
                b"editable" => "[editable]".to_owned(),
                _ => self.address(&section).unwrap_or_else(|| self.of_tag(&section)).to_string(),
            };
            let path = if section.tag == b"node" { self.node_path(&section) } else { None };
            let in_fields = ["parent", "owner", "from", "to", "path"].iter().any(|name| {
                let is_path = matches!(section.tag, b"node" | b"connection" | b"editable");
                is_path && self.text(&section, name).is_ok_and(|text| text.is_some_and(|text| any(&text)))
            });
            if in_fields {
                all.push(address());
            }
            let names_one = |part: &Part<'_>| {
                let Ok(value) = self.value(&section, part) else { return false };
                let mut found = false;
                paths(&value, &mut |found_path| {
                    found |= nodes.iter().any(|node| leads_to(found_path, path.as_deref(), node));
                });
                found
            };
            if section.fields.iter().any(names_one) && !in_fields {
                all.push(address());
            }
            let properties = section.properties.iter().filter(|part| names_one(part));
            all.extend(properties.map(|part| match self.address(&section) {
                Some(address) => address.with_property(Some(&part.name)).to_string(),
                None => address(),
            }));
        }
        all
    }

    /// The changes of the text that give it this list of connections, and the bytes of the list that it then has.
    pub(super) fn connection_edits(&self, names: &Names, bytes: &[u8]) -> Result<(Splices, Vec<u8>), ContainerError> {
        let expected = || refused("expected a list of connections, each with signal, from, to and method");
        let decode = |bytes: &[u8]| {
            let mut list = decode_with(bytes, &self.options()).map_err(ContainerError::malformed)?.into_owned();
            names.portable(&mut list);
            let Variant::Array(list) = list else { return Err(expected()) };
            list.elements.iter().map(|value| connection(value).ok_or_else(expected)).collect::<Result<Vec<_>, _>>()
        };
        let old = self.connections(names).transpose().map_err(|(error, _)| error)?;
        let (old, new) = (old.map_or_else(|| Ok(Vec::new()), |bytes| decode(&bytes))?, decode(bytes)?);
        let key = |connection: &Connection| encode_with(&Array::new(connection.to_vec()).into(), &self.options());
        let keys = |list: &[Connection]| list.iter().map(key).collect::<Result<Vec<_>, _>>();
        let malformed = |error| ContainerError::malformed(error);
        let (old_keys, new_keys) = (keys(&old).map_err(malformed)?, keys(&new).map_err(malformed)?);
        let counted = |keys| {
            let mut counts: HashMap<&Vec<u8>, usize> = HashMap::new();
            for key in keys {
                let count = counts.entry(key).or_default();
                *count = count.saturating_add(1);
            }
            counts
        };
        // how often each one is still to come
        let (mut before, mut after) = (counted(&old_keys), counted(&new_keys));
        let has_none = |counts: &HashMap<&Vec<u8>, usize>, key| counts.get(key).is_none_or(|count| *count == 0);
        let sections: Vec<_> = self.sections().filter(|section| section.tag == b"connection").collect();
        let (mut edits, mut lines, mut from, mut to) = (Splices::new(), String::new(), 0usize, 0usize);
        let mut place = sections.first().map(|section| section.start);
        while from < old.len() || to < new.len() {
            let (one, other) = (old_keys.get(from), new_keys.get(to));
            let is_same = one == other;
            let is_gone = one.is_some_and(|key| has_none(&after, key));
            let is_new = other.is_some_and(|key| has_none(&before, key));
            match (sections.get(from), old.get(from), new.get(to)) {
                _ if is_same => {}
                (Some(section), Some(old), Some(new)) if is_gone && is_new => {
                    edits.extend(self.field_edits(names, section, old, new)?);
                }
                (Some(section), ..) if is_gone => {
                    edits.push((self.file.removed(section.start, &(section.start..section.head)), Vec::new()));
                }
                (_, _, Some(new)) if is_new => {
                    let line = self.connection_line(names, new)?;
                    match place {
                        Some(place) => edits.push((place..place, self.lines_at(place, &line).into_bytes())),
                        None => lines += &line,
                    }
                }
                _ => return Err(refused("the connections have another order")),
            }
            if let Some(key) = one.filter(|_| is_same || is_gone) {
                before.entry(key).and_modify(|count| *count = count.saturating_sub(1));
                place = sections.get(from).map(|section| self.file.next_line(section.head));
                from = from.saturating_add(1);
            }
            if let Some(key) = other.filter(|_| is_same || is_new) {
                after.entry(key).and_modify(|count| *count = count.saturating_sub(1));
                to = to.saturating_add(1);
            }
        }
        if !lines.is_empty() {
            let (ending, length) = (self.file.ending(), self.file.text.len());
            let next = self.sections().find(|section| section.tag == b"editable");
            let (at, lines) = match next {
                Some(next) => (next.start, format!("{lines}{ending}")),
                None => (length, format!("{ending}{lines}")),
            };
            edits.push((at..at, self.lines_at(at, &lines).into_bytes()));
        }
        let list = new.into_iter().map(|connection| {
            let [signal, source, target, method, flags, unbinds, binds] = connection;
            let names = ["from", "signal", "to", "method", "flags", "binds", "unbinds"];
            let values = [source, signal, target, method, flags, binds, unbinds];
            Dictionary::new(names.into_iter().map(Variant::from).zip(values)).into()
        });
        let list: Vec<Variant<'_>> = list.collect();
        let bytes = encode_with(&Array::new(list).into(), &self.options()).map_err(malformed)?;
        Ok((edits, bytes))
    }

    /// The text of a part of a connection.
    fn part_text(&self, names: &Names, value: &Variant<'static>, old: &[u8]) -> Result<String, ContainerError> {
        let mut value = value.clone();
        names.native(&mut value, self.file.text.len())?;
        self.file.text(&value, old)
    }

    /// The changes of a tag that give it the parts of another connection.
    fn field_edits(
        &self,
        names: &Names,
        section: &Section<'_>,
        old: &Connection,
        new: &Connection,
    ) -> Result<Splices, ContainerError> {
        let mut edits = Splices::new();
        for ((name, old), new) in NEEDED.iter().chain(&OPTIONAL).zip(old).zip(new) {
            let encoded = |value| encode_with(value, &self.options()).map_err(ContainerError::malformed);
            if encoded(old)? == encoded(new)? {
                continue;
            }
            let field = section.fields.iter().rfind(|part| *part.name == *name.as_bytes());
            edits.push(match field {
                Some(part) => {
                    let old = self.file.text.get(part.value.clone()).unwrap_or_default();
                    (part.value.clone(), self.part_text(names, new, old)?.into_bytes())
                }
                None => {
                    let end = section.head.saturating_sub(1);
                    (end..end, format!(" {name}={}", self.part_text(names, new, b"")?).into_bytes())
                }
            });
        }
        Ok(edits)
    }

    /// The line of a new connection.
    fn connection_line(&self, names: &Names, new: &Connection) -> Result<String, ContainerError> {
        let mut line = "[connection".to_owned();
        let defaults = NEEDED.map(|_| None).into_iter().chain(defaults().map(Some));
        for ((name, value), default) in NEEDED.iter().chain(&OPTIONAL).zip(new).zip(defaults) {
            if default.as_ref() != Some(value) {
                let space = if *name == "binds" { " " } else { "" };
                line += &format!(" {name}={space}{}", self.part_text(names, value, b"")?);
            }
        }
        Ok(line + "]" + self.file.ending())
    }

    /// Lines for an offset, which may be after the last line if that does not end.
    fn lines_at(&self, at: usize, lines: &str) -> String {
        let is_start = self.file.line_start(at) == at;
        if is_start {
            lines.to_owned()
        } else {
            format!("{}{lines}", self.file.ending())
        }
    }
}

/// The number of places that an error lists.
const NAMED: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{Pattern, Syntax};
    use crate::containers::{Addition, Container, ValueChange};
    use enginewire::budget::DEFAULT;
    use enginewire::godot::Options;
    use enginewire::godot::Version;
    use pretty_assertions::assert_eq;

    const SCENE: &str = r#"[gd_scene format=3]

[sub_resource type="Animation" id="An"]
tracks/0/path = NodePath("D/Deep:position")

[node name="Root" type="Node2D"]
far = NodePath("/root/Root/E")

; about A
[node name="A" type="Node" parent="."] ; here
; path
path = NodePath("../B:position")
other = {
"k": [NodePath("../C/Inner"), NodePath("%F")]
}

; about B
[node name="B" type="Node" parent="."]
x = 1

[node name="C" type="Node" parent="."]

[node name="Inner" type="Node" parent="C"]

[node name="D" type="Node" parent="."]

[node name="E" type="Node" parent="."]

[node name="F" type="Node" parent="."]

[node name="Free" type="Node" parent="C"]
own = NodePath(".")
up = NodePath("../../A/..")

[connection signal="hit" from="A" to="." method="f" from_uid_path=PackedInt32Array(1)]
; second
[connection signal="hit" from="." to="." method="g" flags=6 binds= [1]]

[editable path="C"]
"#;

    /// The text after nodes are removed, and the connections become others, which are given in GDScript.
    fn changed(text: &str, removed: &[&str], connections: Option<&str>) -> Result<String, String> {
        let file = TextResource::new(text.as_bytes().to_vec(), DEFAULT);
        let address = |text: &&str| Pattern::parse(Syntax::Nodes, text).unwrap().address().unwrap();
        let (removed, list): (Vec<_>, _) = (removed.iter().map(address).collect(), address(&":connections"));
        let bytes = connections.map(|text| {
            let value = Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap();
            encode_with(&value, &file.options()).unwrap()
        });
        let is_listed = file.list().unwrap().iter().any(|value| value.address == list);
        let connections = bytes.as_ref().map(|bytes| match is_listed {
            true => ValueChange::Replace { address: &list, bytes },
            false => ValueChange::Add(Addition { address: &list, bytes, about: &[], is_first: false }),
        });
        let changes: Vec<_> = removed.iter().map(ValueChange::Remove).chain(connections).collect();
        let changed = file.changed(&changes).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(changed).unwrap())
    }

    #[test]
    fn nodes_are_removed_where_nothing_names_them() {
        let free =
            "[node name=\"Free\" type=\"Node\" parent=\"C\"]\nown = NodePath(\".\")\nup = NodePath(\"../../A/..\")\n\n";
        assert_eq!(changed(SCENE, &["C/Free"], None), Ok(SCENE.replace(free, "")));
        for (node, names) in [
            ("A", "C/Free:up, :connections[0]"),
            ("B", "A:path"),
            ("C", "A:other, C/Inner, C/Free, [editable]"),
            ("C/Inner", "A:other"),
            ("D", ":sub.An:\"tracks/0/path\""),
            ("E", ":root:far"),
            ("F", "A:other"),
        ] {
            let refused = format!("{node} is named by {names}; remove these first");
            assert_eq!(changed(SCENE, &[node], None), Err(refused), "{node}");
        }
        // together with what names it
        let second = "[{ \"signal\": \"hit\", \"from\": \".\", \"to\": \".\", \"method\": \"g\", \"flags\": 6, \"binds\": [1] }]";
        let b = "[node name=\"B\" type=\"Node\" parent=\".\"]\nx = 1\n\n";
        let a = "[node name=\"A\" type=\"Node\" parent=\".\"] ; here\n";
        let start = SCENE.find("path = NodePath(\"../B").unwrap();
        let properties = &SCENE[start..SCENE.find("; about B").unwrap()];
        let first = "[connection signal=\"hit\" from=\"A\" to=\".\" method=\"f\" from_uid_path=PackedInt32Array(1)]\n";
        let expected =
            [b, a, properties, first, free].iter().fold(SCENE.to_owned(), |text, part| text.replace(part, ""));
        assert_eq!(changed(SCENE, &["A", "B", "C/Free"], Some(second)), Ok(expected));
        for (nodes, reason) in [
            (&[":root"][..], "only nodes can be removed, and not the root"),
            (&[":sub.An"], "only nodes can be removed, and not the root"),
            (&[":connections"], "give :connections the list [] to remove all"),
            (&["B", "C/Inner"], "a node that is removed is named by A:path, A:other; remove these first"),
            (&["G"], "the file has no value G"),
        ] {
            assert_eq!(changed(SCENE, nodes, None), Err(reason.to_owned()), "{nodes:?}");
        }
        let end = "[gd_scene format=3]\r\n[node name=\"R\"]\r\n\r\n[node name=\"A\" parent=\".\"]\r\na = 1";
        assert_eq!(changed(end, &["A"], None), Ok(end[..end.find("[node name=\"A").unwrap()].to_owned()));
        let broken = "[gd_scene format=3]\n[node name=\"R\"]\n[node name=\"A\" parent=\".\"]\na = [1";
        assert!(changed(broken, &["A"], None).unwrap_err().contains("expected a value"));
    }

    #[test]
    fn connections_are_added_changed_and_removed() {
        let [one, two] = [
            "{ \"from\": \"A\", \"signal\": \"hit\", \"to\": \".\", \"method\": \"f\", \"flags\": 2, \"binds\": [], \"unbinds\": 0 }",
            "{ \"from\": \".\", \"signal\": \"hit\", \"to\": \".\", \"method\": \"g\", \"flags\": 6, \"binds\": [1], \"unbinds\": 0 }",
        ];
        let new = "{ \"signal\": \"s\", \"from\": \"B\", \"to\": \"C\", \"method\": \"m\", \"binds\": [SubResource(\"An\")] }";
        let line = "[connection signal=\"s\" from=\"B\" to=\"C\" method=\"m\" binds= [SubResource(\"An\")]]\n";
        let first = "[connection signal=\"hit\" from=\"A\" to=\".\" method=\"f\" from_uid_path=PackedInt32Array(1)]\n";
        let second = "[connection signal=\"hit\" from=\".\" to=\".\" method=\"g\" flags=6 binds= [1]]\n";
        for (list, old, text) in [
            (format!("[{one}, {two}]"), first, first.to_owned()),
            (format!("[{two}]"), first, String::new()),
            (format!("[{one}]"), second, String::new()),
            (format!("[{one}, {two}, {new}]"), second, format!("{second}{line}")),
            (format!("[{new}, {one}, {two}, {one}]"), first, format!("{line}{first}")),
            (format!("[{one}, {new}, {two}]"), first, format!("{first}{line}")),
            (format!("[{}, {two}]", one.replace("\"f\"", "\"h\"")), "\"f\"", "\"h\"".to_owned()),
            (format!("[{}, {two}]", one.replace("0 }", "1 }")), "Array(1)]", "Array(1) unbinds=1]".to_owned()),
            (format!("[{one}, {}]", two.replace("[1]", "[1, 2]")), "[1]]", "[1, 2]]".to_owned()),
        ] {
            let expected = SCENE.replace(old, &text);
            let again = if list.matches("\"A\"").count() == 2 {
                second.to_owned() + first.split(" from_uid").next().unwrap() + "]\n"
            } else {
                second.to_owned()
            };
            assert_eq!(changed(SCENE, &[], Some(&list)), Ok(expected.replace(second, &again)), "{list}");
        }
        let none = "[gd_scene format=3]\n\n[node name=\"R\"]";
        let simple = "{ \"signal\": \"s\", \"from\": \".\", \"to\": \".\", \"method\": \"m\" }";
        let text = "[connection signal=\"s\" from=\".\" to=\".\" method=\"m\"]\n";
        let two_of_them = format!("[{simple}, {simple}]");
        assert_eq!(changed(none, &[], Some(&two_of_them)), Ok(format!("{none}\n\n{text}{text}")));
        let editable = format!("{none}\n\n[editable path=\"A\"]\n");
        let expected = editable.replace("[editable", &format!("{text}\n[editable"));
        assert_eq!(changed(&editable, &[], Some(&format!("[{simple}]"))), Ok(expected));
        let wrong = "expected a list of connections, each with signal, from, to and method";
        for (list, reason) in [
            (format!("[{two}, {one}]"), "the connections have another order"),
            ("{}".to_owned(), wrong),
            ("[1]".to_owned(), wrong),
            (format!("[{}]", simple.replace("\"m\"", "\"\"")), wrong),
            (format!("[{}]", simple.replace("\"m\"", "1")), wrong),
            (format!("[{}]", simple.replace(" }", ", \"more\": 1 }")), wrong),
            (format!("[{}]", simple.replace(" }", ", \"flags\": \"2\" }")), wrong),
            (format!("[{}]", simple.replace(" }", ", \"to\": \"B\" }")), wrong),
        ] {
            assert_eq!(changed(SCENE, &[], Some(&list)), Err(reason.to_owned()), "{list}");
        }
        let missing = "expected the path of a resource that the file names before, found \"local://9\"";
        let list = format!("[{}]", new.replace("\"An\"", "\"9\""));
        assert_eq!(changed(SCENE, &[], Some(&list)), Err(missing.to_owned()));
    }
}

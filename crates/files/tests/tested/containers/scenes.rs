//! Scenes of Godot.

use std::ops::ControlFlow;

use arbitrary::Unstructured;
use enginewire::godot::resource::{self, Internal, Resource, Scene};
use enginewire::godot::{self, Dictionary, FullObject, Property, Variant, Version};
use enginewire_files::address::Address;
use enginewire_files::containers::{Container, ContainerKind, ValueChange};
use enginewire_files::godot::{is_text_resource, TextResource};

use super::{all_replaced, replaced, Edited, Shape, TestedContainer};
use crate::support::{bytes, list, rare, Codec, Godot, LARGE};
use crate::tested::addresses::name;

/// Scenes whose nodes have one property each.
pub(crate) struct Scenes;

/// The index for "none".
const NONE: i32 = 0x7fff_ffff;

/// A scene with these values of nodes. Each node is in the one before, or all are in the root.
fn scene(values: &[Variant<'static>], is_deep: bool) -> Vec<u8> {
    named(values, (0..values.len()).map(|number| format!("n{number}").into_bytes()), is_deep)
}

/// The same with these names of nodes.
fn named(values: &[Variant<'static>], nodes_called: impl Iterator<Item = Vec<u8>>, is_deep: bool) -> Vec<u8> {
    let mut nodes = Vec::new();
    for number in 0..values.len() as i32 {
        let parent = if number == 0 { NONE } else { number - 1 };
        let parent = if is_deep || number == 0 { parent } else { 0 };
        // parent, owner, type, name, instance, one property, no group
        nodes.extend([parent, 0, 0, number + 2, -1, 1, 1, number, 0]);
    }
    let names = [b"Node".to_vec(), b"p".to_vec()].into_iter().chain(nodes_called);
    let bundled = Dictionary::new([
        ("names".into(), Variant::PackedStringArray(names.map(Into::into).collect())),
        ("variants".into(), values.to_vec().into()),
        ("node_count".into(), Variant::Int(values.len() as i64)),
        ("nodes".into(), Variant::PackedInt32Array(nodes.into_iter().collect())),
    ]);
    let properties = vec![Property { name: "_bundled".into(), value: bundled.into() }];
    let object = FullObject { class: "PackedScene".into(), properties };
    let file = Resource {
        class: "PackedScene".into(),
        strings: vec!["_bundled".into()],
        internal: vec![Internal { path: "local://1".into(), object }],
        ..Resource::default()
    };
    resource::encode(&file).unwrap()
}

impl TestedContainer for Scenes {
    const NAME: &'static str = "scene";
    const KIND: ContainerKind = ContainerKind::Scene;
    // a value of 4 bytes, and the dictionary around it
    const EACH: usize = 64;
    const EDIT_EACH: usize = 160;
    const STEPS: u64 = 4096;

    fn read(bytes: &[u8], _: usize) -> u64 {
        if let Ok(file) = resource::decode(bytes)
            && let Ok(scene) = Scene::new(&file)
        {
            for node in scene.nodes() {
                let _ = node;
            }
            for connection in scene.connections() {
                let _ = connection;
            }
        }
        0
    }

    /// A dictionary of the one property.
    fn value(bytes: &[u8]) -> Vec<u8> {
        let value = Variant::PackedByteArray(bytes.to_vec().into());
        godot::v4::encode(&Dictionary::new([("p".into(), value)]).into()).unwrap()
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let values = list(entropy, |entropy| Ok(Variant::PackedByteArray(bytes(entropy)?.into())))?;
        let mut names = Vec::new();
        for _ in &values {
            names.push(String::from_utf8_lossy(&name(entropy)?).into_owned().into_bytes());
        }
        let mut made = named(&values, names.into_iter(), entropy.arbitrary()?);
        if rare(entropy, 3)? {
            let place = entropy.choose_index(made.len())?;
            made[place] = entropy.arbitrary()?;
        }
        Ok(made)
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let small = vec![Variant::Null; LARGE / 240];
        let mut claims = scene(&small[..10], false);
        let at = claims.windows(10).position(|text| text == b"node_count").unwrap();
        claims[at + 11..at + 19].fill(0x7f);
        vec![
            ("many nodes".to_owned(), scene(&small, false)),
            ("nodes in each other".to_owned(), scene(&small[..500], true)),
            ("more nodes than there are".to_owned(), claims),
            ("nodes with one path".to_owned(), named(&small[..20], vec![b"n".to_vec(); 20].into_iter(), false)),
            ("a large value".to_owned(), scene(&[Variant::PackedByteArray(vec![1; LARGE].into())], false)),
        ]
    }

    fn shapes() -> Vec<Shape> {
        fn nulls(size: usize) -> Vec<u8> {
            scene(&vec![Variant::Null; size], false)
        }
        vec![Shape { name: "nodes", made: nulls, few: 300 }]
    }
}

/// Scenes and resources as text.
pub(crate) struct TextResources;

const HEAD: &str = "[gd_scene load_steps=2 format=3]\n\n";

/// Texts that come between sections and properties, or break one.
const TEXTS: [&str; 20] = [
    "[resource]\n",
    "[node name=\"n\"]\n",
    "[node name=\"n\" type=\"Node\" parent=\".\"]\r\n",
    "[sub_resource type=\"A\" id=\"1\"]\n",
    "[ext_resource type=\"A\" path=\"res://a\" id=\"1\"]\n",
    "[connection signal=\"a\" from=\".\" to=\".\" method=\"b\"]\n",
    "[editable path=\"n\"]\n",
    "a = [ExtResource(\"1\"), SubResource(\"1\"), Resource(\"res://b\")]\n",
    "a = Array[ExtResource(\"1\")]([])\n",
    "[gd_resource]\n",
    "[node name=",
    "[unknown]\n",
    "; c\n",
    "a b = 1 ",
    "a = ",
    "\"",
    "[",
    "a = [1,; ]x\n2]\r\n",
    "=",
    "\n\n",
];

/// The properties that cannot be read: the number and the address of each, and its text.
fn properties(bytes: &[u8], limit: usize) -> Vec<(usize, Address, Option<Vec<u8>>)> {
    let (file, mut all, mut number) = (TextResource::new(bytes.to_vec(), limit), Vec::new(), 0);
    let _ = file.values(&mut |value| {
        if value.address.property().is_some() {
            all.push((number, value.address.into_address(), value.unread.map(|text| text.into_owned())));
        }
        number += 1;
        ControlFlow::Continue(())
    });
    all
}

impl TestedContainer for TextResources {
    const NAME: &'static str = "text";
    const KIND: ContainerKind = ContainerKind::TextResource;
    const MOVES_VALUES: bool = true;
    const EACH: usize = 32;
    const EDIT_EACH: usize = 256;
    const STEPS: u64 = 512;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let _ = is_text_resource(bytes);
        bytes.len() as u64
    }

    fn value(bytes: &[u8]) -> Vec<u8> {
        Scenes::value(bytes)
    }

    /// A property that cannot be read becomes one of the value of its node, and its text comes back.
    fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
        let Some((address, unread)) = properties(bytes, limit)
            .into_iter()
            .find_map(|(number, address, unread)| (number == which).then_some((address, unread)))
        else {
            return replaced::<Self>(bytes, which, value, limit);
        };
        let (address, bytes_of_value) = (&address, &Self::value(value));
        let change = ValueChange::Replace { address, bytes: bytes_of_value };
        let changed = TextResource::new(bytes.to_vec(), limit).changed(&[change]).ok()?;
        let repaired = TextResource::new(changed, 8 * limit);
        assert!(repaired.list().unwrap().iter().all(|value| value.address != *address));
        let again = repaired.changed(&[ValueChange::Text { address, text: &unread.unwrap() }]).unwrap();
        assert!(again == bytes, "{address}: the text did not come back");
        None
    }

    fn edit_all(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
        if properties(bytes, limit).is_empty() {
            all_replaced::<Self>(bytes, value, limit)
        } else {
            None
        }
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let line = |entropy: &mut Unstructured<'_>| {
            let name = String::from_utf8_lossy(&name(entropy)?).replace('\\', "\\\\").replace('"', "\\\"");
            if rare(entropy, 3)? {
                return Ok(entropy.choose(&TEXTS)?.as_bytes().to_vec());
            }
            if rare(entropy, 3)? {
                return Ok(format!("\n[node name=\"{name}\" parent=\".\"]\n").into_bytes());
            }
            let value = Godot::<4>::arbitrary(entropy)?.to_gdscript(Version::V4);
            Ok(format!("\"{name}\" = {value}\n").into_bytes())
        };
        let first = "[node name=\"n\"]\n".to_owned().into_bytes();
        Ok([HEAD.as_bytes(), &first, &list(entropy, line)?.concat()].concat())
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let made = |line: &str| {
            format!("{HEAD}[node name=\"n\"]\n{}", line.repeat(LARGE / 4 / line.len().max(1))).into_bytes()
        };
        vec![
            ("the smallest sections".to_owned(), made("[a]")),
            ("nodes".to_owned(), made("[node name=\"n\"]")),
            ("resources".to_owned(), made("[sub_resource id=1]")),
            ("other files".to_owned(), made("[ext_resource type=\"\" path=\"\" id=1]")),
            ("connections".to_owned(), made("[connection from=1 to=1 signal=1 method=1]")),
            ("the smallest properties".to_owned(), made("a=1 ")),
            ("fields".to_owned(), [&HEAD.as_bytes()[..10], &b"a=1 ".repeat(LARGE / 16), b"]"].concat()),
            ("tags that do not end".to_owned(), made("[node name=\"\n")),
            ("values that do not end".to_owned(), made("a=(\\\"\n")),
            ("values that are broken".to_owned(), made("a=x\n")),
            (
                "a list of the smallest items".to_owned(),
                [&made("")[..], b"a=[", &b"0,".repeat(LARGE / 8), b"]"].concat(),
            ),
            ("lists in lists".to_owned(), [&made("")[..], b"a=", &b"[".repeat(LARGE / 4)].concat()),
        ]
    }

    fn shapes() -> Vec<Shape> {
        fn nodes(size: usize) -> Vec<u8> {
            let node = |index: usize| format!("[node name=\"n{index}\"]\np = Vector2(1, {index})\n\n");
            format!("{HEAD}{}", (0..size).map(node).collect::<String>()).into_bytes()
        }
        fn properties(size: usize) -> Vec<u8> {
            let property = |index: usize| format!("p{index} = {index}\n");
            format!("{HEAD}[resource]\n{}", (0..size).map(property).collect::<String>()).into_bytes()
        }
        fn resources(size: usize) -> Vec<u8> {
            let tag = |index: usize| format!("[ext_resource type=\"A\" path=\"res://{index}\" id=\"{index}\"]\n");
            let tags = (0..size).map(tag).collect::<String>();
            format!("{HEAD}{tags}\n[resource]\na = ExtResource(\"1\")\n").into_bytes()
        }
        vec![
            Shape { name: "nodes", made: nodes, few: 300 },
            Shape { name: "properties of a node", made: properties, few: 1000 },
            Shape { name: "resources of other files", made: resources, few: 300 },
        ]
    }
}

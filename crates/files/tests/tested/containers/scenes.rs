//! Scenes of Godot.

use arbitrary::Unstructured;
use enginewire::godot::resource::{self, Internal, Resource, Scene};
use enginewire::godot::{self, Dictionary, FullObject, Property, Variant};
use enginewire_files::containers::ContainerKind;

use super::{Shape, TestedContainer};
use crate::support::{bytes, list, rare, LARGE};
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

//! The files in `fixtures/godot-files` were written by engines. They are read with the same result as in the engines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use enginewire::formats::FormatOptions;
use enginewire::godot::resource::{self, is_scene, Resource, Scene};
use enginewire::godot::{v3, v4, Options, Variant, Version};
use enginewire_files::address::Address;
use enginewire_files::containers::{Container, ContainerKind, FileSource};
use enginewire_files::file::{Asked, File};
use enginewire_files::godot::{resource_to_text, text_to_resource, Layers, PackFile};
use md5::{Digest, Md5};
use pretty_assertions::assert_eq;

const PASSWORD: &str = "hunter2";
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Values that are not those of the engine: the file, the address, and why.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("v3.2/config/all.cfg", "values/float_minus_inf", "the engine writes -inf.0, and reads it back as 0"),
    ("v3.2/config/all.cfg", "values/inf.0string_empty", "the rest of -inf.0 becomes part of the next key"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files")
}

/// All files in a folder and the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn option(name: &str, value: &'static str) -> FormatOptions {
    FormatOptions::new().set(name, value).unwrap()
}

fn open(bytes: &[u8], options: &FormatOptions) -> Box<dyn Container> {
    let kind = ContainerKind::detect(bytes).unwrap();
    kind.open(FileSource::Bytes(bytes.to_vec()), None, options).unwrap()
}

/// The bytes of a value without what engines do not define, such as padding.
fn canonical(is_v3: bool, bytes: &[u8]) -> Vec<u8> {
    let value = if is_v3 { v3::decode(bytes) } else { v4::decode(bytes) };
    let value = value.unwrap_or_else(|error| panic!("{}: {error}", HEXLOWER.encode(bytes)));
    if is_v3 { v3::encode(&value) } else { v4::encode(&value) }.unwrap()
}

#[test]
fn every_file_is_read_as_the_engine_reads_it() {
    let mut counts = BTreeMap::new();
    for path in files(&root()) {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let parts: Vec<_> = name.split('/').collect();
        let (folder, file) = (parts.get(1).copied().unwrap_or_default(), parts[parts.len() - 1]);
        let text = fs::read_to_string(path.with_file_name(format!("{file}.txt"))).ok();
        let bytes = fs::read(&path).unwrap();
        let kind = match (folder, text, file.rsplit('.').next().unwrap()) {
            ("gcpf" | "gdec", _, _) => layers(&name, parts[0], file, bytes),
            ("config" | "project", Some(text), _) => values(&name, &bytes, &text),
            (_, _, "pck") => pack(&name, &bytes),
            (_, _, "gdc") => script(&name, &bytes),
            _ => continue,
        };
        *counts.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(counts, BTreeMap::from([("layers", 89), ("packs", 13), ("scripts", 2), ("values", 5)]));
}

/// A file in layers holds one that is known, and gets another.
fn layers(name: &str, version: &str, file: &str, bytes: Vec<u8>) -> &'static str {
    let (options, file) = match (file.strip_prefix("pass_"), file.strip_prefix("key_")) {
        (Some(file), _) => (option("password", PASSWORD), file),
        (_, Some(file)) => (option("key", KEY), file),
        _ => (FormatOptions::new(), file),
    };
    let places = [format!("plain/{file}"), format!("{version}/plain/{file}"), format!("{version}/config/small.cfg")];
    let plain = places.iter().find_map(|place| fs::read(root().join(place)).ok()).unwrap();
    let layers = Layers::peel(bytes.clone(), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(layers.inner(), plain, "{name}: {}", layers.names());
    assert_eq!(layers.wrap(&plain).unwrap(), bytes, "{name}");
    let changed = [&plain[..plain.len() / 2], b"changed"].concat();
    assert_eq!(Layers::peel(layers.wrap(&changed).unwrap(), &options).unwrap().inner(), changed, "{name}");
    "layers"
}

/// A container has the values that the engine read.
fn values(name: &str, bytes: &[u8], text: &str) -> &'static str {
    let is_v3 = name.starts_with("v3");
    let (options, mut wrong) = (FormatOptions::new(), Vec::new());
    let found = open(bytes, &options).list().unwrap();
    // the engine does not quote names
    let joined = |address: &Address| {
        let names: Option<Vec<_>> = address.components().iter().map(|name| Some(name.text()?.to_string())).collect();
        names.map_or_else(|| address.to_string(), |names| names.join("/"))
    };
    let found: BTreeMap<_, _> = found.into_iter().map(|value| (joined(&value.address), value.bytes)).collect();
    for line in text.lines().map(|line| line.split('\t').collect::<Vec<_>>()).filter(|line| line.len() == 3) {
        let address = line[0].strip_prefix('/').unwrap_or(line[0]);
        let expected = canonical(is_v3, &HEXLOWER_PERMISSIVE.decode(line[2].as_bytes()).unwrap());
        let is_same = match found.get(address) {
            Some(Ok(bytes)) => canonical(is_v3, bytes) == expected,
            _ => false,
        };
        if !is_same {
            wrong.push(address);
        }
    }
    let exceptions = EXCEPTIONS.iter().filter(|(file, ..)| *file == name).map(|(_, address, _)| *address);
    assert_eq!(wrong, exceptions.collect::<Vec<_>>(), "{name}");
    "values"
}

/// The contents of a pack have their MD5, and those that are encrypted need the key.
fn pack(name: &str, bytes: &[u8]) -> &'static str {
    let with = open(bytes, &option("key", KEY));
    assert_eq!(with.warnings(), [""; 0], "{name}");
    let needed = "is encrypted; set the option password, or key to its 64 hexadecimal digits";
    let without = ContainerKind::Pack.open(FileSource::Bytes(bytes.to_vec()), None, &FormatOptions::new());
    let pack = PackFile::open(
        FileSource::Bytes(bytes.to_vec()),
        1 << 20,
        Some(std::array::from_fn(|at| u8::try_from(at).unwrap()).into()),
    );
    let pack = pack.unwrap();
    let without = match without {
        Ok(without) => without.list().unwrap(),
        Err(error) => {
            assert_eq!(
                (error.to_string(), pack.header().flags & 1),
                (format!("the directory of the pack {needed}"), 1)
            );
            Vec::new()
        }
    };
    let values = with.list().unwrap();
    assert_eq!(values.len(), pack.entries().len());
    for (number, (value, entry)) in values.iter().zip(pack.entries()).enumerate() {
        let path = value.address.to_string();
        if entry.is_removed() {
            assert!(value.bytes.as_ref().unwrap().is_empty() && path == "res://gone.txt", "{name}: {path}");
            assert!(pack.content_of(&path).is_err(), "{name}: {path}");
            continue;
        }
        let content = value.bytes.as_ref().unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
        assert_eq!(u64::try_from(content.len()).unwrap(), entry.size, "{name}: {path}");
        assert!(entry.md5 == [0; 16] || entry.md5 == *Md5::digest(content), "{name}: {path}");
        assert_eq!(pack.content_of(&path).unwrap(), **content);
        let plain = without.get(number).map(|value| value.bytes.as_ref().map_err(ToString::to_string));
        match entry.flags & 1 {
            0 => assert!(plain.is_none_or(|plain| plain.unwrap() == content), "{name}: {path}"),
            _ => assert!(
                plain.is_none_or(|plain| plain.unwrap_err() == format!("the content {needed}")),
                "{name}: {path}"
            ),
        }
    }
    "packs"
}

/// A script has the constants of `player.gd`.
fn script(name: &str, bytes: &[u8]) -> &'static str {
    let texts = r#""Grüße" "b" 1.5 NodePath("a/b") &"hello" 0.1 2 1099511627776 "jump\n" null true"#;
    let options = Options::new(Version::V4);
    let constants = texts.split(' ').map(|text| Variant::from_gdscript(text, None, &options).unwrap());
    let values = open(bytes, &FormatOptions::new()).list().unwrap();
    let values: Vec<_> = values.iter().map(|value| v4::decode(value.bytes.as_ref().unwrap()).unwrap()).collect();
    assert_eq!(values, constants.collect::<Vec<_>>(), "{name}");
    "scripts"
}

/// A text whose resources have numbers as ids.
fn with_numbers(text: &[u8]) -> String {
    let mut text = String::from_utf8(text.to_vec()).unwrap();
    let tags = text.lines().filter(|line| line.contains("_resource ")).filter_map(|line| line.split_once(" id=\""));
    let ids: Vec<_> = tags.map(|(_, id)| id.trim_end_matches("\"]").to_owned()).collect();
    for (number, id) in ids.iter().enumerate() {
        for [before, after] in [[" id=", "]"], ["Resource(", ")"]] {
            text = text.replace(&format!("{before}\"{id}\"{after}"), &format!("{before}\"{number}\"{after}"));
        }
    }
    text
}

/// The engine saved a text of each resource and scene. Ours is the same, except for ids. The engine's text comes back too.
#[test]
fn resources_have_the_text_of_the_engine() {
    let mut count = 0;
    for (version, text) in ["v4", "v3.2"]
        .iter()
        .flat_map(|version| files(&root().join(version).join("text")).into_iter().map(|path| (*version, path)))
    {
        let (name, extension) = (text.file_stem().unwrap().to_str().unwrap(), text.extension().unwrap());
        let (folder, ending) = if extension == "tscn" { ("scn", "scn") } else { ("res", "res") };
        let places = [(folder, ending), ("text", ending), ("res", "translation")];
        let binary = places.map(|(folder, ending)| root().join(version).join(folder).join(format!("{name}.{ending}")));
        // this engine cannot read its own text of these values
        if (extension != "tscn" && extension != "tres") || (version, name) == ("v3.2", "values") {
            continue;
        }
        let binary = fs::read(binary.iter().find(|path| path.exists()).unwrap()).unwrap();
        let engine = fs::read(&text).unwrap();
        let ours = resource_to_text(&binary, 1 << 20).unwrap().bytes;
        // the engine reads a RID as 0, and knows a uid only in its project
        let mut expected = with_numbers(&engine).replace("metadata/rid = 0", "metadata/rid = RID()");
        let uid = if name == "uid" { "format=3 uid=\"uid://bfyj345pjt00\"]" } else { "format=3]" };
        expected = expected.replace("format=3]", uid);
        // Godot 3 has no order of resources of other files
        if version == "v4" {
            assert_eq!(with_numbers(&ours), expected, "{name}");
        }
        let again = text_to_resource(&engine, 1 << 24).unwrap();
        assert_eq!(again.warnings, [""; 0]);
        let again = resource_to_text(&again.bytes, 1 << 20).unwrap().bytes;
        assert_eq!(with_numbers(&again), with_numbers(&engine), "{version} {name}");
        count += 1;
    }
    assert_eq!(count, 21);
}

/// The resources of a file, where a script that is null counts for nothing, and the main one has no path.
fn resources(file: &Resource<'_>) -> Vec<String> {
    let is_some =
        |property: &&enginewire::godot::Property<'_>| property.name != "script" || property.value != Variant::Null;
    let last = file.internal.len() - 1;
    let internal = file.internal.iter().enumerate().map(|(number, internal)| {
        let path = if number < last { internal.path.to_string() } else { String::new() };
        let all = internal.object.properties.iter().filter(is_some);
        // the numbers of a scene are those of its own tables
        let all =
            all.filter(|property| property.name != "_bundled").map(|found| format!("{} {:?}", found.name, found.value));
        format!("{path} {} {:?}", internal.object.class, all.collect::<Vec<_>>())
    });
    let external = file.external.iter().map(|external| format!("{external:?}"));
    let head = format!("{} {} {} {}", file.class, file.uid, file.script_class, file.version > 3);
    [head].into_iter().chain(external).chain(internal).collect()
}

/// All that a scene has.
fn scene(file: &Resource<'_>) -> Vec<String> {
    let scene = Scene::new(file).unwrap();
    let node = |(number, node): (usize, Result<resource::SceneNode<'_, '_>, _>)| {
        let (mut node, place) = (node.unwrap(), scene.place(number).unwrap());
        node.owner = None;
        let owner = place.owner.map(|(owner, _)| owner);
        format!("{node:?} {owner:?} {:?} {} {} {:?}", place.index, place.is_placeholder, place.id, place.parent)
    };
    let nodes = scene.nodes().enumerate().map(node);
    let connections = scene.connections().map(|connection| format!("{:?}", connection.unwrap()));
    nodes.chain(connections).collect()
}

/// Every resource and scene comes back from its text, and is the same if the text has all of it. Others are refused with a reason.
#[test]
fn resources_come_back_from_their_text() {
    let corpus = std::env::var_os("ENGINEWIRE_CORPUS").map(|path| files(Path::new(&path))).unwrap_or_default();
    let mut refused = std::collections::BTreeSet::new();
    let (mut same, mut otherwise) = (0, 0);
    for path in files(&root().join("..")).into_iter().chain(corpus) {
        let Ok(file) = File::open(FileSource::File(path.clone()), &Asked::default(), &FormatOptions::new()) else {
            continue;
        };
        let bytes = file.layers().inner();
        if !bytes.starts_with(resource::MAGIC) {
            continue;
        }
        let options = resource::Options::new();
        let Ok(before) = resource::decode_with(bytes, &options) else { continue };
        let text = match resource_to_text(bytes, 1 << 24) {
            Ok(text) => text,
            Err(error) => {
                refused.insert(format!("{}: {error}", path.file_name().unwrap().to_str().unwrap()));
                continue;
            }
        };
        let back = text_to_resource(&text.bytes, 1 << 24).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(resource_to_text(&back.bytes, 1 << 24).unwrap().bytes, text.bytes, "{}", path.display());
        assert!(back.warnings.iter().all(|warning| text.warnings.contains(warning)), "{:?}", back.warnings);
        if !text.warnings.is_empty() {
            otherwise += 1;
            continue;
        }
        let after = resource::decode_with(&back.bytes, &options).unwrap();
        assert_eq!(resources(&after), resources(&before), "{}", path.display());
        if is_scene(bytes) {
            assert_eq!(scene(&after), scene(&before), "{}", path.display());
        }
        same += 1;
    }
    assert_eq!(
        refused.into_iter().collect::<Vec<_>>(),
        [
            "double.res: :resource: pos: a text cannot hold reals of 64 bits",
            "objects_bundled.res: a text cannot hold a resource in the file with the path \"res://res/outside.res\"",
        ]
    );
    assert!(same >= 40 && otherwise >= 10, "{same} {otherwise}");
}

/// A file with a changed byte is refused, or has a text that comes back as the same text. A cut text is read or refused.
#[test]
fn broken_resources_are_refused_or_come_back() {
    for name in ["v4/text/nested.scn", "v4/text/inherited.scn", "v4/res/objects.res", "v3.2/scn/main.scn"] {
        let whole = fs::read(root().join(name)).unwrap();
        let text = resource_to_text(&whole, 1 << 24).unwrap().bytes;
        for (at, change) in (0..whole.len()).zip([0x01, 0x40, 0xff, 0x80].into_iter().cycle()).step_by(5) {
            let mut broken = whole.clone();
            broken[at] ^= change;
            let Ok(text) = resource_to_text(&broken, 1 << 24) else { continue };
            let back = text_to_resource(&text.bytes, 1 << 24).and_then(|back| resource_to_text(&back.bytes, 1 << 24));
            let back = back.unwrap_or_else(|error| panic!("{name} {at} {change:#x}: {error}"));
            let is_exact = !text.warnings.iter().any(|warning| warning.contains("with their digits"));
            assert!(back.bytes == text.bytes || !is_exact, "{name} {at} {change:#x}");
        }
        for cut in (0..text.len()).step_by(3) {
            let _ = text_to_resource(&text[..cut], 1 << 24);
        }
    }
}

/// The engine's text of a resource, and ours, with numbers as ids.
fn texts(binary: &[u8], engine: &[u8]) -> [String; 2] {
    let ours = resource_to_text(binary, 1 << 24).unwrap_or_else(|error| panic!("{error}")).bytes;
    // the engine gives properties the types that their script declares, which a binary file lacks
    let mut engine = with_numbers(engine).replace("Dictionary[String, Vector2]({", "{").replace("\n})\n", "\n}\n");
    for types in ["Array[int](", "Array[Resource]("] {
        if let Some((before, (value, after))) =
            engine.split_once(types).and_then(|(before, after)| Some((before, after.split_once(")\n")?)))
        {
            engine = format!("{before}{value}\n{after}");
        }
    }
    // it reads a RID as 0
    [engine.replace(": RID()", ": 0"), with_numbers(&ours).replace(": RID()", ": 0")]
}

/// 300 random resources and scenes, as 4.6.3 saved them, each with the MD5 of the text that it makes of it. `generate/saved.sh` made them,
/// with the engine's texts, which are the same as ours except for ids, and with what it loads from our binary form of them.
#[test]
fn random_resources_have_the_text_of_the_engine() {
    let stored = root().join("v4/saved.zst");
    if let Some(folder) = std::env::var_os("GODOT_SAVED") {
        let (folder, mut all, mut wrong) = (Path::new(&folder), Vec::new(), Vec::new());
        fs::create_dir_all(folder.join("ours")).unwrap();
        let binary = files(folder).into_iter().filter(|path| path.parent() == Some(folder));
        for path in binary.filter(|path| path.extension().is_some_and(|end| end == "res" || end == "scn")) {
            let (bytes, ending) = (fs::read(&path).unwrap(), path.extension().unwrap().to_str().unwrap());
            let engine = fs::read(path.with_extension(format!("t{ending}"))).unwrap();
            let [expected, found] = texts(&bytes, &engine);
            if expected != found {
                wrong.push(format!("{}\n{}", path.display(), pretty_assertions::Comparison::new(&expected, &found)));
            }
            let back = text_to_resource(&engine, 1 << 24).unwrap().bytes;
            fs::write(folder.join("ours").join(path.file_name().unwrap()), back).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap().replace(".scn", ".tscn").replace(".res", ".tres");
            let [again, twice] = ["again", "twice"].map(|kind| fs::read(folder.join(kind).join(&name)));
            if let (Ok(again), Ok(twice)) = (again, twice) {
                let [again, twice] = [again, twice].map(|text| with_numbers(&text));
                if again != twice {
                    wrong.push(format!("again {name}\n{}", pretty_assertions::Comparison::new(&twice, &again)));
                }
            }
            all.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
            all.extend(bytes);
            all.extend(Md5::digest(&expected));
        }
        fs::write(folder.join("saved"), all).unwrap();
        assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
        return;
    }
    let layers = Layers::peel(fs::read(stored).unwrap(), &FormatOptions::new()).unwrap();
    let (mut rest, mut count) = (layers.inner(), 0);
    while let Some((length, after)) = rest.split_first_chunk() {
        let (binary, after) = after.split_at(u32::from_le_bytes(*length) as usize);
        let (expected, after) = after.split_at(16);
        let text = resource_to_text(binary, 1 << 24).unwrap();
        assert_eq!(*expected, *Md5::digest(with_numbers(&text.bytes).replace(": RID()", ": 0")), "{count}");
        let again = text_to_resource(&text.bytes, 1 << 24).unwrap().bytes;
        // engines read some numbers of their texts as neighbours
        if !text.warnings.iter().any(|warning| warning.contains("with their digits")) {
            assert_eq!(resource_to_text(&again, 1 << 24).unwrap().bytes, text.bytes, "{count}");
        }
        (rest, count) = (after, count + 1);
    }
    assert_eq!(count, 300);
}

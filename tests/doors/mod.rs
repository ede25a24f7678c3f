//! Golden texts of every type in every door: all JSON forms, the notation of the engine, counts, inner values and serde. Each
//! text is read back. After a change, `UPDATE_GOLDEN=1 cargo test doors::` rewrites the texts.

mod refused;

use std::fmt::{Display, Write};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::golden::golden;
use crate::support::typed::Any;
use enginewire::formats::{self, AnyFormat, Counts, FormatOptions, JsonForm, JsonWriter, Node, Notation, ValuePath};
use enginewire::godot::{self, resource, Object, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object;
use enginewire::typed::Leniency;
use enginewire::{DecodeError, EncodeError};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Options that accept all types.
fn options(format: &dyn AnyFormat) -> FormatOptions {
    let flags = format.options().iter().filter(|row| row.name == "refs");
    flags.fold(FormatOptions::new(), |options, row| options.set_row(row, true).unwrap())
}

/// The fixtures of a format, and further documents: a line each.
fn samples(format: &dyn AnyFormat) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("fixtures").join(format.name());
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    files.sort();
    let fixture = |path: &PathBuf| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap());
    let mut samples: Vec<_> = files.iter().map(fixture).collect();
    let documents = fs::read_to_string(root().join("tests/doors").join(format!("{}.jsonl", format.name()))).unwrap();
    for document in documents.lines() {
        let bytes = format.encode_json(document.as_bytes(), &options(format));
        samples.push((document.to_owned(), bytes.unwrap_or_else(|error| panic!("{document}: {error}"))));
    }
    samples
}

#[test]
fn every_door_says_what_it_said() {
    for format in formats::formats() {
        let mut said = String::new();
        for (name, bytes) in samples(*format) {
            writeln!(said, "== {name}").unwrap();
            say(*format, &bytes, &mut said);
        }
        golden(&format!("tests/doors/{}.txt", format.name()), &said);
    }
}

#[test]
fn every_type_has_its_say() {
    for format in formats::formats() {
        let (options, mut counts) = (options(*format), Counts::default());
        for (_, bytes) in samples(*format) {
            format.count(&bytes, &options, &mut counts).unwrap();
        }
        let types = format.types().into_iter().map(|row| row.name);
        // the content of a Userdata is counted by its own type
        let missing: Vec<_> = types.filter(|name| *name != "Userdata" && !counts.types.contains_key(name)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", format.name());
    }
}

/// Calls `work` with a value and all within it.
fn each(node: &dyn Node, notation: Notation, path: &ValuePath, work: &mut dyn FnMut(&ValuePath, &dyn Node)) {
    work(path, node);
    for (number, step) in node.steps(notation).into_iter().enumerate() {
        each(node.item(number).unwrap(), notation, &path.then(step), work);
    }
}

/// The result of reading a text back: the same bytes, others, or an error.
fn back(bytes: &[u8], again: Result<Vec<u8>, impl Display>) -> String {
    match again {
        Ok(again) if again == bytes => "the same bytes".to_owned(),
        Ok(again) => data_encoding::HEXLOWER.encode(&again),
        Err(error) => error.to_string(),
    }
}

fn say(format: &dyn AnyFormat, bytes: &[u8], said: &mut String) {
    let options = options(format);
    for form in format.forms() {
        let mut text = Vec::new();
        let written = format.decode_json(bytes, &options, &mut JsonWriter::new(&mut text).form(*form));
        let again = match (written, form) {
            (Err(error), _) => error.to_string(),
            (Ok(()), JsonForm::Exact) => back(bytes, format.encode_json(&text, &options)),
            (Ok(()), form) => back(bytes, format.encode_form(*form, &text, Some(bytes), &options)),
        };
        writeln!(said, "{}: {}\n  read back: {again}", form.name(), String::from_utf8(text).unwrap()).unwrap();
    }
    let text = format.decode_notation(bytes, &options).unwrap();
    let again = back(bytes, format.encode_notation(&text, &options));
    writeln!(said, "{}: {text}\n  read back: {again}", format.notation_name()).unwrap();
    let mut counts = Counts::default();
    format.count(bytes, &options, &mut counts).unwrap();
    writeln!(said, "types: {:?}, depth {}", counts.types, counts.depth).unwrap();
    let (shown, written) = by_serde(format, bytes);
    writeln!(said, "serde: {shown}\n  written: {written}").unwrap();
    let notation = format.notation();
    let mut values = |root: &dyn Node| {
        each(root, notation, &ValuePath::default(), &mut |path, node| {
            // the text of a container would repeat those of its items
            let is_leaf = node.steps(notation).is_empty();
            let text = if is_leaf { node.text(notation) } else { node.without_items(notation) };
            writeln!(said, "  {path} | {} | {text}", node.type_name(notation)).unwrap();
        });
    };
    format.visit(bytes, &options, &mut values).unwrap();
}

/// The value that serde reads, and the result of writing it.
fn by_serde(format: &dyn AnyFormat, bytes: &[u8]) -> (String, String) {
    let lenient = Leniency::new();
    let refs = attributes::Options::new().refs(true);
    let of_packets = |packet: remote::Packet<'_>| {
        let arguments = |data: remote::PacketData<'_>| remote::from_arguments(data.event.arguments().to_vec());
        packet.packets.into_iter().map(arguments).collect::<Result<_, _>>().map(Any::List)
    };
    type Write = fn(&Any) -> Result<Vec<u8>, EncodeError>;
    let (read, write): (Result<Any, DecodeError>, Write) = match format.name() {
        "roblox-attributes" => (attributes::from_bytes_with(bytes, &refs, lenient), attributes::to_bytes),
        "roblox-remote" => (remote::decode(bytes).and_then(of_packets), remote::to_bytes),
        "godot-3" => (godot::from_bytes(Version::V3, bytes), |any| godot::to_bytes(Version::V3, any)),
        "godot-4" => (godot::from_bytes(Version::V4, bytes), |any| godot::to_bytes(Version::V4, any)),
        "godot-resource" => {
            let object =
                |main: &godot::FullObject<'_>| Variant::Object(Object::Full(Box::new(main.clone().into_owned())));
            let main = resource::decode(bytes).map(|file| file.main().map_or(Variant::Null, object));
            (main.and_then(godot::from_value), |any| godot::to_bytes(Version::V4, any))
        }
        "scrap-mechanic-lua" => (lua_object::from_bytes(bytes), lua_object::to_bytes),
        other => panic!("how serde reads and writes {other} is not said here yet"),
    };
    match read {
        Ok(any) => (any.to_string(), back(bytes, write(&any))),
        Err(error) => (error.to_string(), "nothing".to_owned()),
    }
}

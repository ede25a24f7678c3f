//! Inputs that each door refuses, with the error: the files of `refused` have a line `input => error` for each, below a
//! heading. `UPDATE_GOLDEN=1` writes the errors of new lines.

use std::fmt::{Display, Write};
use std::fs;

use enginewire::formats::PlainJson;
use enginewire::formats::{self, change, change_all, Edit, FormatOptions, JsonForm, Step, ValuePath};
use enginewire::godot::{self, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType};
use enginewire::wire::TypeNumber;
use pretty_assertions::assert_eq;

use crate::support::golden::golden;

fn hold(name: &str, door: fn(&str, &str) -> Result<(), String>) {
    let path = format!("tests/doors/refused/{name}.txt");
    let (mut heading, mut said, mut fine) = (String::new(), String::new(), Vec::new());
    for line in fs::read_to_string(super::root().join(&path)).unwrap().lines() {
        if let Some(found) = line.strip_prefix("== ") {
            heading = found.to_owned();
            writeln!(said, "{line}").unwrap();
            continue;
        }
        let input = line.split_once(" =>").map_or(line, |(input, _)| input);
        match door(&heading, input) {
            Ok(()) => fine.push(format!("{heading}: {line}")),
            Err(error) => writeln!(said, "{input} => {error}").unwrap(),
        }
    }
    assert_eq!(fine, Vec::<String>::new(), "these are no errors");
    golden(&path, &said);
}

fn told<T>(result: Result<T, impl Display>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

fn id<T: TypeNumber>(name: &str) -> Option<T> {
    let found = T::ALL.iter().copied().find(|id| id.name() == name);
    assert_eq!(found.is_none(), name == "any", "{name}");
    found
}

/// A value after the type that is wanted, or `any`; below the name of a format, all that it encodes.
#[test]
fn notations() {
    hold("notation", |heading, input| {
        let typed = input.split_once(':').map(|(name, text)| (name, text.strip_prefix(' ').unwrap_or(text)));
        match (heading, typed) {
            ("attributes", Some((name, text))) => told(attributes::Value::from_luau(text, id(name))),
            ("packets", Some((name, text))) => told(remote::Value::from_luau(text, id(name))),
            ("LuaObject", Some((name, text))) => told(LuaSaveData::from_lua(text, id::<LuaSaveDataType>(name))),
            ("Godot 3", Some((name, text))) => {
                let id = id::<godot::v3::TypeId>(name).map(godot::v3::TypeId::to_v4);
                told(Variant::from_gdscript(text, id, &godot::Options::new(Version::V3)))
            }
            ("Godot 4", Some((name, text))) => {
                told(Variant::from_gdscript(text, id(name), &godot::Options::new(Version::V4)))
            }
            (name, _) => told(formats::by_name(name).unwrap().encode_notation(input, &FormatOptions::new())),
        }
    });
}

/// The format and bytes of a heading, which has the value in its notation or as hexadecimal digits.
fn value(heading: &str) -> (&'static dyn formats::AnyFormat, Vec<u8>) {
    let (name, text) = heading.split_once(' ').unwrap();
    let format = formats::by_name(name).unwrap();
    let bytes = match text.strip_prefix("0x") {
        Some(digits) => data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap(),
        None => format.encode_notation(text, &FormatOptions::new()).unwrap(),
    };
    (format, bytes)
}

/// `path | set | text`, `path | set TYPE | text`, `path | plain | JSON`, `path | remove` or `path | rename | key`.
#[test]
fn edits() {
    hold("edit", |heading, input| {
        if heading == "path" {
            return told(input.parse::<ValuePath>());
        }
        let (format, bytes) = value(heading);
        let parts: Vec<&str> = input.split(" | ").map(str::trim).collect();
        let path: ValuePath = parts[0].parse().unwrap();
        let text = parts.get(2).copied().unwrap_or_default();
        let edit = match parts[1].split_once(' ').unwrap_or((parts[1], "")) {
            ("set", name) => {
                Edit::Set { type_name: (!name.is_empty()).then(|| name.to_owned()), text: text.to_owned() }
            }
            ("plain", _) => Edit::SetPlain(text.to_owned()),
            ("remove", _) => Edit::Remove,
            _ => Edit::Rename(text.parse::<ValuePath>().unwrap().0.pop().unwrap_or_else(|| Step::key(""))),
        };
        let (options, notation) = (FormatOptions::new(), format.notation());
        let alone = format.edit(&bytes, &options, &mut |node| change(node, &path, &edit, notation));
        let all = format.edit(&bytes, &options, &mut |node| change_all(node, [(&path, &edit)], notation));
        assert_eq!(alone.map_err(|error| error.named(&path)), all);
        told(all)
    });
}

/// Plain JSON that replaces a value, or alone, below the name of its type.
#[test]
fn plain_json() {
    fn by_itself<V: PlainJson>(input: &str) -> Result<(), String> {
        told(V::from_plain_json(&serde_json::from_str(input).unwrap()))
    }
    hold("plain", |heading, input| match heading {
        "attributes by themselves" => by_itself::<attributes::Attributes<'_>>(input),
        "a value of packets by itself" => by_itself::<remote::Value<'_>>(input),
        "a value of LuaObject by itself" => by_itself::<LuaSaveData<'_>>(input),
        "a Variant by itself" => by_itself::<Variant<'_>>(input),
        _ => {
            let (format, bytes) = value(heading);
            let options = FormatOptions::new();
            told(format.encode_form(JsonForm::Plain, input.as_bytes(), Some(&bytes), &options))
        }
    });
}

/// Documents of a format.
#[test]
fn exact_json() {
    hold("json", |name, input| {
        told(formats::by_name(name).unwrap().encode_json(input.as_bytes(), &FormatOptions::new()))
    });
}

//! TypeScript's types of values, from the shapes of all types. They are in `bindings/web/scripts/values.ts`, and the npm package is built
//! with them.
//! `UPDATE_GOLDEN=1 cargo test typescript::` writes it.
//!
//! Types that a shape only names are written by hand in `bindings/web/ts/types.ts`. If one is missing there, TypeScript reports it.

use std::collections::{BTreeMap, BTreeSet};

use enginewire::formats::{formats, TypeRow};
use enginewire::json::Shape;

use crate::support::golden::golden;

/// The prefix for names of a format that would not be clear without it, and a sentence about its values.
fn of_format(name: &str) -> (&'static str, &'static str) {
    match name {
        "roblox-attributes" => ("Attribute", "An attribute of Roblox without its key."),
        "roblox-remote" => ("Remote", "An argument of a packet, or a value in one."),
        "scrap-mechanic-lua" => ("Lua", "A value of a script of Scrap Mechanic."),
        "godot-3" => ("Godot3", "A Variant of Godot 3."),
        "godot-4" => ("Godot4", "A Variant of Godot 4. With `double`, its reals have 64 bits."),
        "godot-resource" => ("Resource", "A value of a resource of Godot. With `double`, its reals have 64 bits."),
        other => panic!("tests/typescript.rs has no prefix for the types of {other}"),
    }
}

/// The TypeScript name of a type. Some differ from the library's, and names that several formats have get the prefix.
fn renamed(prefix: &str, name: &str) -> String {
    match (prefix, name) {
        (_, "Uuid") => "string".into(),
        (_, "ByteArray") => "Uint8Array".into(),
        ("Attribute", "Value") => "AttributeItem".into(),
        (_, "LuaSaveData") => "LuaValue".into(),
        (_, "Ref") => "Reference".into(),
        (_, "Aabb") => "AABB".into(),
        (_, "Value" | "Entry" | "Pair" | "Table" | "Object" | "Dictionary" | "Array") => format!("{prefix}{name}"),
        _ => name.into(),
    }
}

#[derive(Default)]
struct Types {
    prefix: &'static str,
    interfaces: BTreeMap<String, String>,
    /// The names that shapes use, and those that need no import from `ts/types.ts`.
    named: BTreeSet<String>,
    defined: BTreeSet<String>,
}

impl Types {
    fn of(&mut self, shape: Shape) -> String {
        match shape {
            Shape::Null => "null".into(),
            Shape::Bool => "boolean".into(),
            Shape::U8 | Shape::U16 | Shape::U32 | Shape::I8 | Shape::I16 | Shape::I32 => "number".into(),
            Shape::I64 | Shape::U64 => "bigint".into(),
            Shape::F32 | Shape::F64 => self.name("Float"),
            Shape::Text => self.name("Bytes"),
            Shape::Form(name) => self.name(name),
            Shape::Option(value) => format!("{} | null", self.of(*value)),
            Shape::Reals(single, _) => self.of(*single),
            Shape::List(item) | Shape::Tuple(_, item) => match self.of(*item) {
                choice if choice.contains('|') => format!("({choice})[]"),
                item => format!("{item}[]"),
            },
            Shape::Name(names) => names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" | "),
            Shape::Choice(names, shapes) => {
                let choice = |(name, shape): (&&str, &Shape)| format!("{{ {name}: {} }}", self.of(*shape));
                names.iter().zip(shapes).map(choice).collect::<Vec<_>>().join(" | ")
            }
            Shape::Structure(name, names, shapes) => {
                let field = |(name, shape): (&&str, &Shape)| format!("{name}: {}", self.of(*shape));
                let fields = names.iter().zip(shapes).map(field).collect::<Vec<_>>().join("; ");
                self.interface(name, format!("{{ {fields} }}"))
            }
            Shape::Any => panic!("a type has the shape Any: give it a form or a structure"),
        }
    }

    fn name(&mut self, name: &str) -> String {
        let name = renamed(self.prefix, name);
        self.named.insert(name.clone());
        name
    }

    /// The name of a structure. If an earlier one has the same name and other fields, the prefix of the format comes before the
    /// name. In Godot an `i` comes after it instead, as in the names of Godot's types with integers.
    fn interface(&mut self, name: &str, fields: String) -> String {
        if name.is_empty() {
            return fields;
        }
        let name = renamed(self.prefix, name);
        let other = if ["Godot4", "Resource"].contains(&self.prefix) {
            format!("{name}i")
        } else {
            format!("{}{name}", self.prefix)
        };
        for name in [&name, &other] {
            if *self.interfaces.entry(name.clone()).or_insert_with(|| fields.clone()) == fields {
                return name.clone();
            }
        }
        panic!("there are two structures {other}");
    }

    /// All values of a table, each with its type.
    fn union(&mut self, name: &str, about: &str, rows: &[TypeRow]) -> String {
        let mut union = format!("/** {about} */\nexport type {name} =");
        for row in rows {
            let (type_name, value) = (row.name, self.of(row.shape));
            union += &match row.shape {
                _ if name == "Userdata" => format!("\n  | ({{ id: {type_name:?} }} & {value})"),
                Shape::Reals(..) => format!("\n  | {{ type: {type_name:?}; double?: true; value: {value} }}"),
                _ => format!("\n  | {{ type: {type_name:?}; value: {value} }}"),
            };
        }
        self.defined.insert(name.into());
        union + ";\n"
    }
}

#[test]
fn the_types_of_the_npm_package_are_those_of_the_shapes() {
    let mut types = Types { defined: ["string", "Uint8Array"].map(String::from).into(), ..Types::default() };
    let mut unions = Vec::new();
    for format in formats() {
        let (prefix, about) = of_format(format.name());
        types.prefix = prefix;
        // userdata has numbers of its own
        let (userdata, mut rows): (Vec<_>, Vec<_>) = format.types().into_iter().partition(|row| row.id.len() > 4);
        // in a document they are an int and a float
        rows.retain(|row| format.name() != "godot-resource" || !["int64", "double"].contains(&row.name));
        unions.push(types.union(&format!("{prefix}Value"), about, &rows));
        if !userdata.is_empty() {
            let about = "A thing of the game by its handle, or a small value.";
            unions.push(types.union("Userdata", about, &userdata));
        }
    }
    let imported: Vec<_> = types.named.difference(&types.defined).map(String::as_str).collect();
    let interfaces = types.interfaces.iter().map(|(name, fields)| format!("export interface {name} {fields}\n"));
    let text = format!(
        "import type {{ {} }} from \"./types.js\";\n\n{}\n{}",
        imported.join(", "),
        interfaces.collect::<String>(),
        unions.join("\n")
    );
    golden("bindings/web/scripts/values.ts", &text);
}

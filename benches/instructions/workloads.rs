//! The workloads. This file alone calls what is measured.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use enginewire::godot::{self, v4, Version};
use enginewire::json::{self, Document};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object;
use enginewire_files::roblox::model::{edit, list_bytes, Change, Options, Store};
use enginewire_files::scrap_mechanic::blueprint::{pack_text, Blueprint};
use enginewire_files::scrap_mechanic::save::Save;

use super::typed::{Message, Player};
use super::{model, Prepare, Work};

/// Bytes of a stream that come at once.
const PIECE: usize = 4096;

/// The number of folders in a model file.
const FOLDERS: i32 = 1000;

/// One version of Godot with the functions of the other formats.
macro_rules! godot {
    ($module:ident, $functions:ident, $version:ident) => {
        mod $module {
            pub(crate) use enginewire::godot::$functions::{check, decode_owned, inspect};
            use enginewire::godot::{$functions, Decoder, Options, Version, Versioned};
            use enginewire::{DecodeError, EncodeError};

            pub(crate) fn value() -> Versioned<'static> {
                Versioned { version: Version::$version, value: crate::godot::nested(2) }
            }

            pub(crate) fn decode(bytes: &[u8]) -> Result<Versioned<'_>, DecodeError> {
                Ok(Versioned { version: Version::$version, value: $functions::decode(bytes)? })
            }

            pub(crate) fn encode(value: &Versioned<'_>) -> Result<Vec<u8>, EncodeError> {
                $functions::encode(&value.value)
            }

            pub(crate) fn decoder() -> Decoder {
                Decoder::with_options(Options::new(Version::$version))
            }
        }
    };
}
godot!(godot_3, v3, V3);
godot!(godot_4, v4, V4);

/// Workloads that every format has, made with the functions of its module.
macro_rules! format_workloads {
    ($all:ident, $name:literal, $value:expr, $format:ident, $decoder:expr) => {
        let bytes = || $format::encode(&$value).unwrap();
        $all.add(concat!($name, " decode"), move || {
            let bytes = bytes();
            move || drop(black_box($format::decode(black_box(&bytes)).unwrap()))
        });
        $all.add(concat!($name, " decode owned"), move || {
            let mut bytes = bytes();
            move || {
                let decoded = black_box($format::decode_owned(black_box(std::mem::take(&mut bytes))).unwrap());
                bytes = decoded.into_bytes();
            }
        });
        $all.add(concat!($name, " check"), move || {
            let bytes = bytes();
            move || {
                let _ = black_box($format::check(black_box(&bytes)).unwrap());
            }
        });
        $all.add(concat!($name, " encode"), move || {
            let value = $format::decode(&bytes()).unwrap().into_owned();
            move || drop(black_box($format::encode(black_box(&value)).unwrap()))
        });
        $all.add(concat!($name, " stream"), move || {
            let bytes = bytes();
            move || {
                let mut decoder = $decoder;
                for piece in black_box(&bytes).chunks(PIECE) {
                    decoder.push(piece);
                    while let Some(item) = decoder.next() {
                        drop(black_box(item.unwrap()));
                    }
                }
                decoder.finish().unwrap();
            }
        });
        $all.add(concat!($name, " inspect"), move || {
            let bytes = bytes();
            move || drop(black_box($format::inspect(black_box(&bytes))))
        });
        $all.add(concat!($name, " to JSON"), move || {
            let value = $format::decode(&bytes()).unwrap().into_owned();
            move || drop(black_box(json::to_string(black_box(&value)).unwrap()))
        });
        $all.add(concat!($name, " from JSON"), move || {
            let value = $format::decode(&bytes()).unwrap().into_owned();
            let text = json::to_string(&value).unwrap();
            move || drop(black_box(read_like(&value, black_box(&text))))
        });
    };
}

/// Reads a document of the same type.
fn read_like<T: Document>(_: &T, text: &str) -> T {
    json::from_slice(text.as_bytes()).unwrap()
}

/// The workloads with their names.
pub(crate) struct Workloads(pub(crate) Vec<(&'static str, Prepare)>);

impl Workloads {
    fn add<W: FnMut() + 'static>(&mut self, name: &'static str, prepare: impl FnOnce() -> W + 'static) {
        self.0.push((name, Box::new(move || -> Work { Box::new(prepare()) })));
    }
}

/// All of them.
pub(crate) fn all() -> Workloads {
    let mut all = Workloads(Vec::new());
    format_workloads!(
        all,
        "roblox-attributes",
        crate::attributes::shuffled(1_000),
        attributes,
        attributes::Decoder::new()
    );
    format_workloads!(all, "roblox-remote", crate::remote::mixed(100), remote, remote::Decoder::new());
    format_workloads!(all, "godot-3", godot_3::value(), godot_3, godot_3::decoder());
    format_workloads!(all, "godot-4", godot_4::value(), godot_4, godot_4::decoder());
    format_workloads!(
        all,
        "scrap-mechanic-lua",
        crate::lua_object::terrain_of(20),
        lua_object,
        lua_object::Decoder::new()
    );
    containers(&mut all);
    typed(&mut all);
    all
}

/// The inputs of the program: a model file with many attributes, and two XML files with many instances that differ in one value.
pub(crate) fn program_inputs() -> [(&'static str, Vec<u8>); 6] {
    let attributes = attributes::encode(&crate::attributes::shuffled(100)).unwrap();
    let place = model::xml(6000);
    let listing = list_bytes(&place, &Options::new()).unwrap();
    let change = [Change::of(&listing.property_at(3000).unwrap(), model::OFF)];
    let other = edit(&place, &change, Store::AsBefore, &Options::new()).unwrap().into_owned();
    // in a dense place, every instance has seven attributes
    let seven = attributes::encode(&crate::attributes::shuffled(7)).unwrap();
    let dense = model::binary_with(6000, &seven);
    let listing = list_bytes(&dense, &Options::new()).unwrap();
    let change = [Change::of(&listing.property_at(3000).unwrap(), model::OFF)];
    let changed = edit(&dense, &change, Store::AsBefore, &Options::new()).unwrap().into_owned();
    [
        ("input.rbxm", model::binary_with(20, &attributes)),
        ("place.rbxmx", place),
        ("other.rbxmx", other),
        ("dense.rbxl", dense.clone()),
        ("equal.rbxl", dense),
        ("changed.rbxl", changed),
    ]
}

/// Files with values in them.
fn containers(all: &mut Workloads) {
    for (list, change, made) in [
        ("model list", "model edit", model::binary as fn(i32) -> Vec<u8>),
        ("model-xml list", "model-xml edit", model::xml),
    ] {
        all.add(list, move || {
            let file = made(FOLDERS);
            move || {
                let listing = list_bytes(black_box(&file), &Options::new()).unwrap();
                let decoded =
                    listing.properties().map(|property| property.decode(&attributes::Options::new()).unwrap());
                assert_eq!(decoded.map(black_box).count(), FOLDERS as usize);
            }
        });
        all.add(change, move || {
            let file = made(FOLDERS);
            let listing = list_bytes(&file, &Options::new()).unwrap();
            move || {
                let properties = listing.properties().step_by(10);
                let changes: Vec<_> = properties.map(|property| Change::of(&property, model::OFF)).collect();
                let changed = edit(black_box(&file), &changes, Store::AsBefore, &Options::new()).unwrap();
                assert_ne!(*black_box(changed), file);
            }
        });
    }
    all.add("model list of a place", || {
        let file = fixture("roblox-model/baseplate-566.rbxl");
        let file = std::fs::read(file).unwrap();
        move || drop(black_box(list_bytes(black_box(&file), &Options::new()).unwrap()))
    });
    all.add("model list, zstd", || {
        let file = std::fs::read(fixture("roblox-model/int32-attribute.zstd.rbxm")).unwrap();
        move || drop(black_box(list_bytes(black_box(&file), &Options::new()).unwrap()))
    });
    all.add("blueprint list", || {
        let text = blueprint(50);
        move || {
            let blueprint = Blueprint::new(black_box(&text[..])).unwrap();
            assert_eq!(blueprint.parts().filter(|part| black_box(part.decode()).is_ok()).count(), 50);
        }
    });
    all.add("blueprint edit", || {
        let text = blueprint(50);
        let object = crate::lua_object::terrain_of(1);
        move || {
            let mut blueprint = Blueprint::new(black_box(&text[..])).unwrap();
            assert!(blueprint.replace(25, &object).unwrap());
            black_box(blueprint.text());
        }
    });
    all.add("save list", || {
        let file = fixture("scrap-mechanic-lua/save-v28.db");
        move || {
            let save = Save::open(black_box(&file)).unwrap();
            let rows = save.rows().unwrap().map(|row| black_box(row.unwrap().decode()));
            assert_ne!(rows.count(), 0);
        }
    });
}

/// Structures of Rust through serde, and beside them the same without serde, and in JSON.
fn typed(all: &mut Workloads) {
    let message = || v4::encode(&crate::godot::message()).unwrap();
    all.add("typed, Godot decode", move || {
        let bytes = message();
        move || drop(black_box(v4::decode(black_box(&bytes)).unwrap()))
    });
    all.add("typed, Godot read", move || {
        let bytes = message();
        move || {
            black_box(godot::from_bytes::<Message<'_>>(Version::V4, black_box(&bytes)).unwrap());
        }
    });
    all.add("typed, Godot read JSON", move || {
        let text = serde_json::to_string(&of_godot(message())).unwrap();
        move || {
            black_box(serde_json::from_str::<Message<'_>>(black_box(&text)).unwrap());
        }
    });
    all.add("typed, Godot encode", move || {
        let value = v4::decode(&message()).unwrap().into_owned();
        move || drop(black_box(v4::encode(black_box(&value)).unwrap()))
    });
    all.add("typed, Godot write", move || {
        let message = of_godot(message());
        move || drop(black_box(godot::to_bytes(Version::V4, black_box(&message)).unwrap()))
    });
    all.add("typed, Godot write JSON", move || {
        let message = of_godot(message());
        move || drop(black_box(serde_json::to_string(black_box(&message)).unwrap()))
    });
    let player = || attributes::to_bytes(&crate::typed::player()).unwrap();
    all.add("typed, attributes decode", move || {
        let bytes = player();
        move || drop(black_box(attributes::decode(black_box(&bytes)).unwrap()))
    });
    all.add("typed, attributes read", move || {
        let bytes = player();
        move || {
            black_box(attributes::from_bytes::<Player<'_>>(black_box(&bytes)).unwrap());
        }
    });
    all.add("typed, attributes read JSON", || {
        let text = serde_json::to_string(&crate::typed::player()).unwrap();
        move || {
            black_box(serde_json::from_str::<Player<'_>>(black_box(&text)).unwrap());
        }
    });
    all.add("typed, attributes encode", move || {
        let value = attributes::decode(&player()).unwrap().into_owned();
        move || drop(black_box(attributes::encode(black_box(&value)).unwrap()))
    });
    all.add("typed, attributes write", || {
        let player = crate::typed::player();
        move || drop(black_box(attributes::to_bytes(black_box(&player)).unwrap()))
    });
    all.add("typed, attributes write JSON", || {
        let player = crate::typed::player();
        move || drop(black_box(serde_json::to_string(black_box(&player)).unwrap()))
    });
}

/// The message as long as the program runs.
fn of_godot(bytes: Vec<u8>) -> Message<'static> {
    godot::from_bytes(Version::V4, bytes.leak()).unwrap()
}

/// A blueprint of `parts` parts with an object.
fn blueprint(parts: usize) -> String {
    let object = pack_text(&crate::lua_object::terrain_of(1)).unwrap();
    let part = format!("{{\"controller\":{{\"data\":\"{object}\",\"id\":7}},\"shapeId\":\"a part\"}}");
    format!("{{\"bodies\":[{{\"childs\":[{}]}}],\"version\":4}}", vec![part; parts].join(","))
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)
}

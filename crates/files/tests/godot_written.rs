//! Random values as bytes, `ConfigFile` and text resource: an engine gave back every one as the same value, for which
//! `fixtures/godot-files/generate/written.sh` runs it. A table has the MD5 of what it was given: a change of a writer needs another run.

use std::path::Path;

use data_encoding::{BASE64, HEXLOWER};
use enginewire::godot::{encode_with, Dictionary, Options, Saved, Variant, Version};
use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::{Addition, Container, ValueChange};
use enginewire_files::godot::{ConfigFile, TextResource};
use md5::{Digest, Md5};
use pretty_assertions::assert_eq;

use crate::support::random::Random;

/// The values of each version.
const COUNT: usize = 5000;

/// Constructors with their numbers: any if 0. The last are those of version 4.
const REALS: &str = "Vector2 2 Rect2 4 Vector3 3 Transform2D 6 Plane 4 AABB 6 Basis 9 Color 4";
const REALS_3: &str = "Quat 4 Transform 12 PoolRealArray 0 PoolVector2Array 0 PoolVector3Array 0 PoolColorArray 0";
const REALS_4: &str = "Quaternion 4 Transform3D 12 Vector4 4 Projection 16 PackedFloat32Array 0 PackedVector2Array 0 PackedVector3Array 0 PackedColorArray 0 PackedVector4Array 0";
const WHOLE_3: &str = "PoolIntArray 0";
const WHOLE_4: &str = "Vector2i 2 Rect2i 4 Vector3i 3 Vector4i 4 PackedInt32Array 0 PackedInt64Array 0";

/// Random values of a version, in the notation.
struct Values {
    random: Random,
    version: Version,
}

impl Values {
    fn of(version: Version) -> Self {
        Values { random: Random::of(format!("written {version}").as_bytes()), version }
    }

    fn choose<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        self.random.choose(choices).unwrap()
    }

    fn list(&mut self, count: usize, item: impl Fn(&mut Self) -> String) -> String {
        (0..count).map(|_| item(self)).collect::<Vec<_>>().join(", ")
    }

    fn some(&mut self) -> usize {
        self.random.below(5)
    }

    fn whole(&mut self, bits: u32) -> i64 {
        let number = self.random.next() as i64 >> (64 - bits);
        number >> self.random.below(bits as usize)
    }

    /// A number with a few decimals, with any bits of 32 or 64, or one of those that texts lose.
    fn real(&mut self, is_single: bool) -> String {
        let number = match self.random.below(8) {
            0 | 1 => self.whole(32) as f64 / 100.0,
            2 => self.whole(64) as f64 * 1e-19,
            3 => self.whole(48) as f64 / 1e3,
            4 => f32::from_bits(self.random.next() as u32).into(),
            5 => f64::from_bits(self.random.next()),
            _ => {
                return self
                    .choose(&[
                        "inf",
                        "inf_neg",
                        "nan",
                        "-0.0",
                        "1e20",
                        "1e-5",
                        "0.1",
                        "1e15",
                        "16777217.0",
                        "3e38",
                        "1.5e-45",
                    ])
                    .to_owned();
            }
        };
        let number = if is_single { f64::from(number as f32) } else { number };
        match () {
            () if number.is_nan() => "nan".to_owned(),
            () if number.is_infinite() => "inf".to_owned(),
            // engines read no number below that exactly
            () if number.abs() < 1e-290 => "1.0".to_owned(),
            () => format!("{number:?}"),
        }
    }

    fn string(&mut self) -> String {
        let parts = [
            "a", "é", "日", "🎈", " ", "\\n", "\\t", "\\r", "\\\"", "\\\\", "[", ";", "=", ",", "'", "\\u0001",
            "\\u007f", "#", "n", "/",
        ];
        let count = self.random.below(9);
        let text = (0..count).map(|_| self.choose(&parts)).collect::<String>();
        format!("\"{text}\"")
    }

    fn constructor(&mut self) -> String {
        let (is_whole, tables) = match (self.random.below(3), self.version) {
            (0, Version::V3) => (true, [WHOLE_3, ""]),
            (0, _) => (true, [WHOLE_4, ""]),
            (_, Version::V3) => (false, [REALS, REALS_3]),
            (_, _) => (false, [REALS, REALS_4]),
        };
        let words: Vec<_> = tables.iter().flat_map(|table| table.split_whitespace()).collect();
        let place = self.random.below(words.len() / 2) * 2;
        let (name, count) = (words[place], words[place + 1].parse().unwrap());
        let each = ["Vector2", "Vector3", "Color", "Vector4"].iter().position(|each| name.contains(each));
        let count = if count > 0 { count } else { self.some() * [2, 3, 4, 4, 1][each.unwrap_or(4)] };
        let bits = if name.contains("64") { 64 } else { 32 };
        let numbers = self.list(count, |values| match is_whole {
            true => values.whole(bits).to_string(),
            false => values.real(true),
        });
        format!("{name}({numbers})")
    }

    fn value(&mut self, depth: usize) -> String {
        let (count, is_v3) = (self.some(), self.version == Version::V3);
        match self.random.below(if depth < 3 { 20 } else { 14 }) {
            0 => self.choose(&["null", "true", "false"]).to_owned(),
            1 | 2 => self.whole(64).to_string(),
            3 | 4 => self.real(false),
            5 | 6 => self.string(),
            7 => format!("{}({})", if is_v3 { "PoolByteArray" } else { "PackedByteArray" }, {
                let count = if count == 0 { 70 } else { count };
                self.list(count, |values| values.random.below(256).to_string())
            }),
            8 => format!(
                "{}({})",
                if is_v3 { "PoolStringArray" } else { "PackedStringArray" },
                self.list(count, Self::string)
            ),
            // names of four bytes, because Godot 3 pads others with what is in its memory
            9 => format!(
                "NodePath(\"{}\")",
                self.choose(
                    &["abcd", "/root/efgh", "abcd/../ijkl:mnop", ".", "", "ab é:xyzw:häm"][..if is_v3 { 1 } else { 6 }]
                )
            ),
            10 if !is_v3 => format!("&{}", self.string()),
            11 if !is_v3 => format!("PackedFloat64Array({})", self.list(count, |values| values.real(false))),
            10..14 => self.constructor(),
            14 if !is_v3 => {
                let (name, item): (_, fn(&mut Self) -> String) = match self.random.below(5) {
                    0 => ("int", |values| values.whole(64).to_string()),
                    1 => ("String", Self::string),
                    2 => ("float", |values| values.real(false)),
                    3 => ("Vector2i", |values| format!("Vector2i({}, {})", values.whole(32), values.whole(32))),
                    _ => ("Dictionary", |values| format!("{{ 1: {} }}", values.value(3))),
                };
                format!("Array[{name}]([{}])", self.list(count, item))
            }
            15 if !is_v3 => {
                let entries = self.entries(count, 3, |_, number| format!("\"{number}\""));
                format!("Dictionary[String, Variant]({{ {entries} }})")
            }
            14..18 => format!("[{}]", self.list(count, |values| values.value(depth + 1))),
            _ => format!(
                "{{ {} }}",
                self.entries(count, depth + 1, |values, number| match values.random.below(4) {
                    0 => number.to_string(),
                    1 => format!("[{number}, {}]", values.real(false)),
                    2 => format!("Vector2({number}, {})", values.real(true).replace("nan", "1")),
                    _ => values.string().replacen('"', &format!("\"{number}"), 1),
                })
            ),
        }
    }

    /// Entries whose keys are different, in no order.
    fn entries(&mut self, count: usize, depth: usize, key: impl Fn(&mut Self, usize) -> String) -> String {
        let start = self.random.below(9);
        let numbers = (0..count).map(|number| (start + number * 7) % 9);
        numbers.map(|number| format!("{}: {}", key(self, number), self.value(depth))).collect::<Vec<_>>().join(", ")
    }
}

/// The files that an engine is given.
fn files(version: Version) -> [(&'static str, Vec<u8>); 3] {
    let (mut values, options) = (Values::of(version), Options::new(version));
    let form = Saved { version, has_references: false, is_by_digits: false };
    let mut all = Vec::new();
    let mut refused = 0;
    while all.len() < COUNT {
        let text = values.value(0);
        let value = Variant::from_gdscript(&text, None, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
        let bytes = encode_with(&value, &options).unwrap();
        // engines read no text as one real number of some hundred
        let again = value.to_saved_text(form).and_then(|text| Variant::from_saved_text(&text, form).ok());
        match again.is_some_and(|again| encode_with(&again, &options).unwrap() == bytes) {
            true => all.push((value, bytes)),
            false => refused += 1,
        }
    }
    assert!(refused < COUNT / 200, "{refused}");
    let lines: String = all.iter().map(|(_, bytes)| BASE64.encode(bytes) + "\n").collect();

    let names: Vec<_> = (0..COUNT)
        .map(|number| Address::new(Syntax::Settings, ["a", &format!("v{number}")].map(Component::name)))
        .collect();
    let added = names
        .iter()
        .zip(&all)
        .map(|(address, (_, bytes))| ValueChange::Add(Addition { address, bytes, about: &[], is_first: false }));
    let config = ConfigFile::new(Vec::new(), 1 << 30).written_for(version).changed(&added.collect::<Vec<_>>()).unwrap();

    let format = if version == Version::V3 { 2 } else { 3 };
    let text = format!("[gd_resource type=\"Resource\" format={format}]\n\n[resource]\n");
    let file = TextResource::new(text.into_bytes(), 1 << 30);
    let address = file.list().unwrap().remove(0).address;
    let name =
        |number: usize| if version == Version::V3 { format!("v{number}") } else { format!("metadata/v{number}") };
    let entries = all.into_iter().enumerate().map(|(number, (value, _))| (name(number).into(), value));
    let properties = match version {
        Version::V3 => Dictionary::new([("__meta__".into(), Dictionary::new(entries).into())]),
        _ => Dictionary::new(entries),
    };
    let bytes = encode_with(&properties.into(), &options).unwrap();
    let text = file.changed(&[ValueChange::Replace { address: &address, bytes: &bytes }]).unwrap();
    [("values.txt", lines.into_bytes()), ("values.cfg", config), ("values.tres", text)]
}

#[test]
fn what_is_written_is_what_an_engine_read() {
    let (mut table, folder) = (String::new(), std::env::var_os("GODOT_WRITTEN"));
    for version in [Version::V3, Version::V4] {
        for (name, bytes) in files(version) {
            table += &format!("{version}\t{name}\t{COUNT}\t{}\n", HEXLOWER.encode(&Md5::digest(&bytes)));
            if let Some(folder) = &folder {
                let folder = Path::new(folder).join(version.to_string());
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join(name), bytes).unwrap();
            }
        }
    }
    match folder {
        Some(folder) => std::fs::write(Path::new(&folder).join("written.tsv"), table).unwrap(),
        None => {
            let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files/written.tsv");
            let why = "a writer makes other texts: run fixtures/godot-files/generate/written.sh";
            assert_eq!(table, std::fs::read_to_string(stored).unwrap(), "{why}");
        }
    }
}

//! Blueprints, settings, frames and dumps as containers.

use std::path::Path;

use arbitrary::Unstructured;
use enginewire::godot::{self, project, v4, FrameDecoder, Framing, Version};
use enginewire::roblox::remote::{self, dump};

#[cfg(feature = "blueprints")]
use super::container::MORE;
use super::container::{peak_of, Container, Contents, Edited, Shape};
use super::{bytes, list, rare, Codec, Godot, RobloxRemote};

/// Settings of a project.
pub(crate) struct Settings<const VERSION: u8>;

/// The settings as they are, one after the other.
fn settings(settings: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let sized = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
    let all: Vec<u8> = settings.iter().flat_map(|(key, value)| [sized(key), sized(value)].concat()).collect();
    [b"ECFG", &(settings.len() as u32).to_le_bytes()[..], &all].concat()
}

impl<const VERSION: u8> Settings<VERSION> {
    fn version() -> Version {
        Version::from_number(VERSION).unwrap()
    }
}

/// A value of Godot.
const NUMBER: &[u8] = b"\x02\0\0\0\x2a\0\0\0";

impl<const VERSION: u8> Container for Settings<VERSION> {
    const NAME: &'static str = if VERSION == 3 { "project-3" } else { "project-4" };
    // a setting of 8 bytes, as a key and a value that borrow
    const EACH: usize = 64;
    const EDIT_EACH: usize = 64;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        if let Ok(project) = project::decode(bytes) {
            for (_, setting) in project.placed() {
                let _ = setting.decode(&godot::Options::new(Self::version()));
            }
        }
        0
    }

    fn list(bytes: &[u8], _: usize) -> Result<Contents, String> {
        let project = project::decode(bytes).map_err(|error| error.to_string())?;
        let value = |setting: &project::Setting<'_>| (format!("{:?}", setting.key), Ok(setting.value.to_vec()));
        let values: Vec<_> = project.settings.iter().map(value).collect();
        for (offset, setting) in project.placed() {
            assert_eq!(&bytes[offset as usize..][..setting.value.len()], &setting.value[..]);
        }
        Ok(Contents { frame: Vec::new(), places: values.len(), values })
    }

    fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
        let mut expected = Self::list(bytes, limit).ok()?;
        expected.values.get_mut(which)?.1 = Ok(value.to_vec());
        let (file, peak) = peak_of(|| {
            let mut project = project::decode(bytes).unwrap();
            project.settings[which].value = value.into();
            project::encode(&project).map_err(|error| error.to_string())
        });
        Some(Edited { file, expected, peak })
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let all = list(entropy, |entropy| {
            let value = match rare(entropy, 4)? {
                true => bytes(entropy)?,
                false => Godot::<VERSION>::encode(&Godot::<VERSION>::arbitrary(entropy)?).unwrap(),
            };
            Ok((bytes(entropy)?, value))
        })?;
        Ok(settings(&all))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let claim = |count: u32, rest: &[u8]| [b"ECFG", &count.to_le_bytes()[..], rest].concat();
        vec![
            ("more settings than there are".to_owned(), claim(u32::MAX, &[0; 1000])),
            ("a key beyond the end".to_owned(), claim(1, &[0xff; 8])),
            ("the smallest settings".to_owned(), claim(super::LARGE as u32 / 8, &vec![0; super::LARGE])),
        ]
    }

    fn shapes() -> Vec<Shape> {
        let made = |size: usize| {
            let setting = |index: usize| (format!("application/number_{index}").into_bytes(), NUMBER.to_vec());
            settings(&(0..size).map(setting).collect::<Vec<_>>())
        };
        vec![Shape { name: "settings", made, few: 1000 }]
    }
}

/// Values with their lengths before them.
pub(crate) struct GodotFrames;

fn frames(values: &[Vec<u8>]) -> Vec<u8> {
    values.iter().flat_map(|value| [&(value.len() as u32).to_le_bytes()[..], value].concat()).collect()
}

impl Container for GodotFrames {
    const NAME: &'static str = "frames";
    // three times the largest frame, and its value
    const EACH: usize = 3 + 32;
    const EDIT_EACH: usize = 0;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], limit: usize) -> u64 {
        for framing in [Framing::LittleEndian, Framing::BigEndian] {
            for size in [4096, usize::MAX] {
                let decoder = FrameDecoder::framed(framing, godot::Options::new(Version::V4));
                let mut decoder = decoder.item_limit(limit);
                for piece in bytes.chunks(size) {
                    decoder.push(piece);
                    while let Some(value) = decoder.next() {
                        drop(value);
                    }
                }
                let _ = decoder.finish();
            }
        }
        0
    }

    fn list(bytes: &[u8], limit: usize) -> Result<Contents, String> {
        let decoder = FrameDecoder::framed(Framing::LittleEndian, godot::Options::new(Version::V4));
        let mut decoder = decoder.item_limit(limit);
        decoder.push(bytes);
        let mut values = Vec::new();
        while let Some(value) = decoder.next() {
            let value = value.map_err(|error| error.to_string())?;
            values.push(("value".to_owned(), v4::encode(&value).map_err(|error| error.to_string())));
        }
        decoder.finish().map_err(|error| error.to_string())?;
        Ok(Contents { frame: Vec::new(), places: 0, values })
    }

    fn edit(_: &[u8], _: usize, _: &[u8], _: usize) -> Option<Edited> {
        None
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let value = |entropy: &mut Unstructured<'_>| Ok(Godot::<4>::encode(&Godot::<4>::arbitrary(entropy)?).unwrap());
        Ok(frames(&list(entropy, value)?))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("a length beyond the input".to_owned(), [&[0xff; 4][..], &[0; 5000]].concat()),
            ("frames of nothing".to_owned(), vec![0; super::LARGE]),
            ("the smallest frames".to_owned(), frames(&vec![vec![0; 4]; super::LARGE / 8])),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape { name: "frames", made: |size| frames(&vec![NUMBER.to_vec(); size]), few: 1000 },
            Shape {
                name: "elements of one frame",
                made: |size| {
                    let head = [&[0x1c, 0, 0, 0][..], &(size as u32).to_le_bytes()].concat();
                    frames(&[[head, NUMBER.repeat(size)].concat()])
                },
                few: 1000,
            },
        ]
    }
}

/// Packets one after the other.
pub(crate) struct Dumps;

/// A packet in each line, in hex.
pub(crate) struct HexDumps;

fn packets(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Vec<u8>>> {
    list(entropy, |entropy| Ok(RobloxRemote::encode(&RobloxRemote::arbitrary(entropy)?).unwrap()))
}

/// A packet with a number in it.
const PACKET: &[u8] = b"\x83\x07\0\x0b\x6f\0\0";

impl Container for Dumps {
    const NAME: &'static str = "dump";
    // one packet at a time, which may be all there is
    const EACH: usize = 2 * 32;
    const EDIT_EACH: usize = 0;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let [_, options] = RobloxRemote::options();
        dump::packets(bytes, options).count() as u64 + dump::packets(bytes, remote::Options::new()).count() as u64
    }

    fn list(bytes: &[u8], _: usize) -> Result<Contents, String> {
        let [_, options] = RobloxRemote::options();
        let mut end = 0;
        let mut values = Vec::new();
        for found in dump::packets(bytes, options) {
            assert_eq!(found.offset, end);
            end += found.bytes.len();
            let error = found.partial.error.map(|error| error.to_string());
            values.push((found.offset.to_string(), error.map_or(Ok(found.bytes.to_vec()), Err)));
        }
        assert_eq!(end, bytes.len());
        Ok(Contents { frame: Vec::new(), places: 0, values })
    }

    fn edit(_: &[u8], _: usize, _: &[u8], _: usize) -> Option<Edited> {
        None
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        Ok(packets(entropy)?.concat())
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("the smallest packets".to_owned(), b"\x83\0".repeat(super::LARGE / 2)),
            ("nothing but beginnings".to_owned(), vec![0x83; super::LARGE]),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![Shape { name: "packets", made: |size| PACKET.repeat(size), few: 1000 }]
    }
}

fn hex_lines(packets: &[Vec<u8>]) -> Vec<u8> {
    packets.iter().flat_map(|packet| (data_encoding::HEXLOWER.encode(packet) + "\n").into_bytes()).collect()
}

impl Container for HexDumps {
    const NAME: &'static str = "dump-hex";
    const EACH: usize = 2 * 32;
    const EDIT_EACH: usize = 0;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let mut count = 0;
        for line in dump::lines(bytes) {
            count += 1;
            let _ = line.bytes.map(|bytes| drop(remote::decode(&bytes)));
        }
        count
    }

    fn list(bytes: &[u8], _: usize) -> Result<Contents, String> {
        let values: Vec<_> = dump::lines(bytes)
            .map(|line| (line.number.to_string(), line.bytes.map_err(|error| error.to_string())))
            .collect();
        Ok(Contents { frame: Vec::new(), places: 0, values })
    }

    fn edit(_: &[u8], _: usize, _: &[u8], _: usize) -> Option<Edited> {
        None
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        Ok(hex_lines(&packets(entropy)?))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("one long line".to_owned(), b"83".repeat(super::LARGE / 2)),
            ("lines without digits".to_owned(), b"\n".repeat(super::LARGE)),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![Shape { name: "lines", made: |size| hex_lines(&vec![PACKET.to_vec(); size]), few: 1000 }]
    }
}

#[cfg(feature = "blueprints")]
pub(crate) use blueprints::Blueprints;

#[cfg(feature = "blueprints")]
mod blueprints {
    use enginewire::scrap_mechanic::blueprint::{pack_text, Blueprint};
    use enginewire::scrap_mechanic::lua_object::{self, LuaObject, LuaSaveData};
    use enginewire::wire::IntoByteString;

    use super::super::ScrapMechanicLua;
    use super::*;

    /// Blueprints of Scrap Mechanic.
    pub(crate) struct Blueprints;

    fn blueprint(bytes: &[u8], limit: usize) -> Result<Blueprint, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        Blueprint::with_max_memory(text, limit).map_err(|error| error.to_string())
    }

    /// A text of bodies, each with such parts.
    fn text(bodies: &[Vec<String>]) -> Vec<u8> {
        let body = |parts: &Vec<String>| format!("{{\"childs\": [{}]}}", parts.join(",\n "));
        let bodies: Vec<String> = bodies.iter().map(body).collect();
        format!("{{\"bodies\": [{}], \"version\": 4}}", bodies.join(",\n")).into_bytes()
    }

    fn part(data: &str) -> String {
        format!("{{\"color\": \"fff\", \"controller\": {{\"data\": {data}, \"id\": 12345678901234567890123}}}}")
    }

    fn packed(object: &LuaObject<'_>) -> String {
        format!("\"{}\"", pack_text(object).unwrap())
    }

    /// A blueprint with this block in it.
    fn with_block(block: &[u8]) -> Vec<u8> {
        text(&[vec![part(&format!("\"{}\"", data_encoding::BASE64_NOPAD.encode(block)))]])
    }

    /// The member of a part: mostly an object, written in any way that JSON allows.
    fn data(entropy: &mut Unstructured<'_>) -> arbitrary::Result<String> {
        let text = packed(&ScrapMechanicLua::arbitrary(entropy)?);
        Ok(match entropy.int_in_range(0..=19)? {
            0 => "7".to_owned(),
            1 => "null".to_owned(),
            2 => "[\"gExVQQ\"]".to_owned(),
            3 => "\"\"".to_owned(),
            4 => "\"####\"".to_owned(),
            5 => text.replacen('A', "\\u0041", 1),
            6 => text.replace('/', "\\/"),
            7 => format!("{}=\"", &text[..text.len() - 1]),
            _ => text,
        })
    }

    impl Container for Blueprints {
        const NAME: &'static str = "blueprint";
        // the string of a part, as JSON and as base64
        const EACH: usize = 4;
        const EDIT_EACH: usize = 4;
        const STEPS: u64 = 64;

        fn read(bytes: &[u8], limit: usize) -> u64 {
            if let Ok(blueprint) = blueprint(bytes, limit) {
                for part in blueprint.parts() {
                    let _ = part.unpack(usize::MAX);
                    let _ = part.decode_with(&lua_object::Options::new(), usize::MAX);
                }
            }
            0
        }

        fn list(bytes: &[u8], limit: usize) -> Result<Contents, String> {
            let blueprint = blueprint(bytes, limit)?;
            let value = |part: enginewire::scrap_mechanic::blueprint::Part<'_>| {
                (part.to_string(), part.unpack(limit).map_err(|error| error.to_string()))
            };
            let values: Vec<_> = blueprint.parts().map(value).collect();
            Ok(Contents { frame: vec![others(blueprint.text())], places: values.len(), values })
        }

        fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
            let mut expected = Self::list(bytes, MORE * limit).ok()?;
            let object = LuaObject { data: LuaSaveData::String(value.to_vec().into_byte_string()) };
            expected.values.get_mut(which)?.1 = Ok(lua_object::encode(&object).unwrap());
            let mut changed = blueprint(bytes, limit).ok()?;
            let (done, peak) = peak_of(|| changed.replace(which, &object));
            assert!(done.unwrap());
            let file = changed.text().as_bytes().to_vec();
            Some(Edited { file: Ok(file), expected, peak })
        }

        fn edit_all(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
            let object = LuaObject { data: LuaSaveData::String(value.to_vec().into_byte_string()) };
            let mut changed = blueprint(bytes, limit).ok()?;
            let count = changed.parts().count();
            let done = changed.replace_all((0..count).map(|index| (index, &object)));
            Some(done.map(|_| changed.text().as_bytes().to_vec()).map_err(|error| error.to_string()))
        }

        fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
            let bodies = list(entropy, |entropy| {
                list(entropy, |entropy| {
                    Ok(match entropy.int_in_range(0..=9)? {
                        0 => "{}".to_owned(),
                        1 => "{\"controller\": null}".to_owned(),
                        2 => "{\"controller\": {\"id\": 1}}".to_owned(),
                        _ => part(&data(entropy)?),
                    })
                })
            })?;
            Ok(text(&bodies))
        }

        fn hostile() -> Vec<(String, Vec<u8>)> {
            let zeros = enginewire::scrap_mechanic::pack(&vec![0; 64 << 20]);
            vec![
                ("zeros that unpack to 64 MiB".to_owned(), with_block(&zeros)),
                ("a block without end".to_owned(), with_block(&[0xff; 1000])),
                ("parts of nothing".to_owned(), text(&[vec!["{}".to_owned(); 20_000]])),
                ("bodies of nothing".to_owned(), format!("{{\"bodies\":[{}{{}}]}}", "{},".repeat(20_000)).into_bytes()),
                (
                    "lists in each other".to_owned(),
                    b"{\"bodies\":[{\"a\":".iter().copied().chain([b'['; 20_000]).collect(),
                ),
            ]
        }

        fn shapes() -> Vec<Shape> {
            vec![
                Shape { name: "parts", made: |size| text(&[vec![some_part(); size]]), few: 300 },
                Shape { name: "bodies", made: |size| text(&vec![vec![some_part()]; size]), few: 300 },
            ]
        }
    }

    fn some_part() -> String {
        part(&packed(&LuaObject::new("a text")))
    }

    /// All of the text but what may be edited.
    fn others(text: &str) -> String {
        let mut left = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("\"data\": ") {
            let (before, after) = rest.split_at(at + "\"data\": ".len());
            left += before;
            rest = after.trim_start_matches(|other| other != ',' && other != '}');
        }
        left + rest
    }
}

/// The fixtures that are containers of these.
pub(crate) fn fixtures(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files: &[&str] = match name {
        "project-3" => &["godot-3/project_v3.binary"],
        "frames" => &["godot-3/store_var_v3.frames", "godot-4/debugger_v4.frames"],
        "dump" => &["roblox-remote/several.dump"],
        "dump-hex" => &["roblox-remote/several.hex"],
        "blueprint" => &[
            "scrap-mechanic-lua/logic.blueprint.json",
            "scrap-mechanic-lua/mixed.blueprint.json",
            "scrap-mechanic-lua/vehicle.blueprint.json",
        ],
        "save" => {
            &["scrap-mechanic-lua/save-v24.db", "scrap-mechanic-lua/save-v26.db", "scrap-mechanic-lua/save-v28.db"]
        }
        "model" => &[
            "roblox-model/attributes.rbxm",
            "roblox-model/attributes.none.rbxm",
            "roblox-model/attributes.zstd.rbxm",
            "roblox-model/made.rbxm",
            "roblox-model/tags.rbxm",
            "roblox-model/bad/cut.rbxm",
            "roblox-model/bad/chunk.rbxm",
            "roblox-model/bad/twins.rbxm",
        ],
        "model-xml" => &["roblox-model/attributes.rbxmx", "roblox-model/tags.rbxmx", "roblox-model/bad/cut.rbxmx"],
        _ => &[],
    };
    files.iter().map(|file| std::fs::read(folder.join(file)).unwrap()).collect()
}

//! Containers of Godot: the settings of a project, and frames.

use arbitrary::Unstructured;
use enginewire::godot::{self, FrameDecoder, Framing, Version};
use enginewire_files::containers::{Container, ContainerKind};
use enginewire_files::godot::{is_config, project, ConfigFile};

use super::{Shape, TestedContainer};
use crate::support::{bytes, list, rare, Codec, Godot, LARGE};
use crate::tested::addresses::name;

/// Settings of a project.
pub(crate) struct Settings<const VERSION: u8>;

/// A file with these settings.
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

impl<const VERSION: u8> TestedContainer for Settings<VERSION> {
    const NAME: &'static str = if VERSION == 3 { "project-3" } else { "project-4" };
    const KIND: ContainerKind = ContainerKind::Project;
    // a setting of 8 bytes, as a key and a value that borrow
    const EACH: usize = 64;
    const EDIT_EACH: usize = 64;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        if let Ok(project) = project::decode(bytes) {
            for (offset, setting) in project.placed() {
                assert_eq!(&bytes[offset as usize..][..setting.value.len()], &setting.value[..]);
                let _ = setting.decode(&godot::Options::new(Self::version()));
            }
        }
        0
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let all = list(entropy, |entropy| {
            let value = match rare(entropy, 4)? {
                true => bytes(entropy)?,
                false => Godot::<VERSION>::encode(&Godot::<VERSION>::arbitrary(entropy)?).unwrap(),
            };
            Ok((name(entropy)?, value))
        })?;
        Ok(settings(&all))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let claim = |count: u32, rest: &[u8]| [b"ECFG", &count.to_le_bytes()[..], rest].concat();
        vec![
            ("more settings than there are".to_owned(), claim(u32::MAX, &[0; 1000])),
            ("a key beyond the end".to_owned(), claim(1, &[0xff; 8])),
            ("the smallest settings".to_owned(), claim(LARGE as u32 / 8, &vec![0; LARGE])),
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

/// Files of `ConfigFile`.
pub(crate) struct Configs;

/// Texts that come between values, or break one.
const TEXTS: [&str; 14] =
    ["", "[s]", "[t/u]\n", "; c\n", "k", "k=", "[", "\"", "=", "\\", "{(\"\n", "a=[1,;x\n2]\r\n", " ", "\n\n"];

impl TestedContainer for Configs {
    const NAME: &'static str = "config";
    const KIND: ContainerKind = ContainerKind::Config;
    // a key of many forms; a value counts
    const EACH: usize = 32;
    const EDIT_EACH: usize = 256;
    const STEPS: u64 = 512;

    fn read(bytes: &[u8], _: usize) -> u64 {
        let _ = is_config(bytes);
        bytes.len() as u64
    }

    /// An array with these bytes.
    fn value(bytes: &[u8]) -> Vec<u8> {
        GodotValues::value(bytes)
    }

    /// A value such as `PoolRealArray( 1 )` tells the version of the text; once it is replaced, nothing may.
    fn reopened(before: &[u8], after: &[u8], limit: usize) -> Option<Box<dyn Container>> {
        let [version, new] = [before, after].map(|text| ConfigFile::new(text.to_vec(), limit).version());
        (version != new)
            .then(|| Box::new(ConfigFile::new(after.to_vec(), limit).of_version(version)) as Box<dyn Container>)
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let line = |entropy: &mut Unstructured<'_>| {
            if rare(entropy, 3)? {
                return Ok(entropy.choose(&TEXTS)?.as_bytes().to_vec());
            }
            let name = String::from_utf8_lossy(&name(entropy)?).replace('\\', "\\\\");
            if rare(entropy, 8)? {
                return Ok(format!("[{}]\n", name.replace(']', "\\]")).into_bytes());
            }
            let key = match rare(entropy, 2)? {
                true => format!("\"{}\"", name.replace('"', "\\\"")),
                false => entropy.choose(&["a", "b", "c/d"])?.to_string(),
            };
            let value = Godot::<4>::arbitrary(entropy)?.to_gdscript(Version::V4);
            Ok(format!("{key}={value}\n").into_bytes())
        };
        Ok(list(entropy, line)?.concat())
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        // many passes over these are slow without optimisation
        let made = |line: &str| line.repeat(LARGE / 4 / line.len()).into_bytes();
        let section = format!("[{}]\n", "s".repeat(LARGE / 2)).into_bytes();
        vec![
            ("the smallest values".to_owned(), made("a=1 ")),
            ("values that do not end".to_owned(), made("a=(\\\"\n")),
            ("values that are broken".to_owned(), made("a=x\n")),
            ("keys that do not end".to_owned(), made("\"\\")),
            ("headers".to_owned(), made("[a]")),
            ("a header that does not end".to_owned(), made("[")),
            ("a list of the smallest items".to_owned(), [&b"a=["[..], &made("0,"), b"]"].concat()),
            ("lists in lists".to_owned(), [&b"a="[..], &made("[")].concat()),
            ("a long section".to_owned(), [section, b"a=1\n".repeat(LARGE / 8)].concat()),
            ("a long key".to_owned(), [&vec![b'k'; LARGE][..], b"=1"].concat()),
        ]
    }

    fn shapes() -> Vec<Shape> {
        fn values(size: usize) -> String {
            (0..size).map(|index| format!("key_{index}=Vector2( 1, {index} )\n")).collect()
        }
        fn sections(size: usize) -> String {
            (0..size).map(|index| format!("[s{index}]\n\na=1\n\n")).collect()
        }
        let items = |size: usize| format!("a=[{}]\n", "1, ".repeat(size)).into_bytes();
        vec![
            Shape { name: "values", made: |size| values(size).into_bytes(), few: 1000 },
            Shape { name: "sections", made: |size| sections(size).into_bytes(), few: 1000 },
            Shape { name: "items of one value", made: items, few: 1000 },
        ]
    }
}

/// Values without a separator.
pub(crate) struct GodotValues;

impl TestedContainer for GodotValues {
    const NAME: &'static str = "values";
    const KIND: ContainerKind = ContainerKind::Values(Version::V4);
    const EACH: usize = 1 + 32;
    const EDIT_EACH: usize = 4;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], _: usize) -> u64 {
        godot::values(bytes, godot::Options::new(Version::V4)).for_each(drop);
        0
    }

    /// An array with these bytes.
    fn value(bytes: &[u8]) -> Vec<u8> {
        let padding = vec![0; bytes.len().next_multiple_of(4) - bytes.len()];
        [&b"\x1d\0\0\0"[..], &(bytes.len() as u32).to_le_bytes(), bytes, &padding].concat()
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let value = |entropy: &mut Unstructured<'_>| Ok(Godot::<4>::encode(&Godot::<4>::arbitrary(entropy)?).unwrap());
        Ok(list(entropy, value)?.concat())
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("the smallest values".to_owned(), vec![0; LARGE]),
            ("values that are broken".to_owned(), vec![0xff; LARGE]),
            ("an array that takes all".to_owned(), [&b"\x1c\0\0\0\xff\xff\xff\x7f"[..], &vec![0; LARGE]].concat()),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![Shape { name: "values", made: |size| NUMBER.repeat(size), few: 1000 }]
    }
}

/// Values with their lengths before them.
pub(crate) struct GodotFrames;

fn frames(values: &[Vec<u8>]) -> Vec<u8> {
    values.iter().flat_map(|value| [&(value.len() as u32).to_le_bytes()[..], value].concat()).collect()
}

impl TestedContainer for GodotFrames {
    const NAME: &'static str = "frames";
    const KIND: ContainerKind = ContainerKind::Frames(Framing::LittleEndian);
    // three times the largest frame, and its value
    const EACH: usize = 3 + 32;
    const EDIT_EACH: usize = 4;
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

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let value = |entropy: &mut Unstructured<'_>| Ok(Godot::<4>::encode(&Godot::<4>::arbitrary(entropy)?).unwrap());
        Ok(frames(&list(entropy, value)?))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("a length beyond the input".to_owned(), [&[0xff; 4][..], &[0; 5000]].concat()),
            ("frames of nothing".to_owned(), vec![0; LARGE]),
            ("the smallest frames".to_owned(), frames(&vec![vec![0; 4]; LARGE / 8])),
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

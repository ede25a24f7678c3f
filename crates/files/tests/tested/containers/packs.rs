//! Packs and compiled scripts of Godot.

use std::ops::ControlFlow;

use arbitrary::Unstructured;
use enginewire_files::containers::{Container, ContainerKind, FileSource};
use enginewire_files::godot::PackFile;

use super::{Shape, TestedContainer};
use crate::support::{bytes, list, rare, Codec, Godot, LARGE};

/// Packs.
pub(crate) struct Packs;

/// A pack of a format, 1 to 4, whose directory claims `count` of these entries: each a path, an offset from the first content, a size
/// and flags.
fn pack(format: u32, count: usize, entries: &[(Vec<u8>, u64, u64, u32)], contents: &[u8]) -> Vec<u8> {
    let head: Vec<u8> = [format, 4, 1, 0].iter().flat_map(|part| part.to_le_bytes()).collect();
    let size = (if format == 1 { 36 } else { 40 }) * entries.len()
        + entries.iter().map(|(path, ..)| path.len()).sum::<usize>();
    let first = match format {
        1 => 84 + 4 + size,
        2 => 96 + 4 + size,
        _ => 40,
    } as u64;
    let mut directory = (count as u32).to_le_bytes().to_vec();
    for (path, offset, size, flags) in entries {
        let offset = if format == 1 { offset.wrapping_add(first) } else { *offset };
        directory.extend(
            [&(path.len() as u32).to_le_bytes()[..], path, &offset.to_le_bytes(), &size.to_le_bytes(), &[0; 16]]
                .concat(),
        );
        directory.extend(&flags.to_le_bytes()[..if format == 1 { 0 } else { 4 }]);
    }
    let base = [&2u32.to_le_bytes()[..], &first.to_le_bytes()].concat();
    let at = (first + contents.len() as u64).to_le_bytes();
    match format {
        1 => [b"GDPC", &head[..], &[0; 64], &directory, contents].concat(),
        2 => [b"GDPC", &head[..], &base, &[0; 64], &directory, contents].concat(),
        _ => [b"GDPC", &head[..], &base, &at, contents, &directory].concat(),
    }
}

/// A pack of these files.
fn files(format: u32, files: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let (mut contents, mut entries) = (Vec::new(), Vec::new());
    for (path, content) in files {
        entries.push((path.clone(), contents.len() as u64, content.len() as u64, 0));
        contents.extend(content);
        contents.resize(contents.len().next_multiple_of(16), 0);
    }
    pack(format, files.len(), &entries, &contents)
}

impl TestedContainer for Packs {
    const NAME: &'static str = "pack";
    const KIND: ContainerKind = ContainerKind::Pack;
    // the directory as bytes and as entries, and the path of one
    const EACH: usize = 16;
    const EDIT_EACH: usize = 16;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], limit: usize) -> u64 {
        let Ok(pack) = PackFile::open(FileSource::Bytes(bytes.to_vec()), limit, None) else { return 0 };
        pack.warnings();
        let mut read = 0;
        let _ = pack.values(&mut |value| {
            read += value.bytes.map_or(0, |bytes| bytes.len() as u64);
            ControlFlow::Continue(())
        });
        read
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let format = entropy.int_in_range(1..=4)?;
        let any = rare(entropy, 3)?;
        let all = list(entropy, |entropy| Ok((bytes(entropy)?, bytes(entropy)?)))?;
        let mut made = files(format, &all);
        if any {
            let place = entropy.choose_index(made.len())?;
            made[place] = entropy.arbitrary()?;
        }
        if rare(entropy, 3)? {
            let (before, size) = (bytes(entropy)?, (made.len() as u64).to_le_bytes());
            made = [&before[..], &made, &size, b"GDPC"].concat();
        }
        Ok(made)
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let entry = |path: &[u8], offset, size| (path.to_vec(), offset, size, 0);
        let empty = vec![entry(b"", 0, 0); LARGE / 40];
        let shared = vec![entry(b"a", 0, (LARGE / 2) as u64); LARGE / 100];
        vec![
            ("more entries than there are".to_owned(), pack(1, u32::MAX as usize, &empty[..10], &[0; 1000])),
            ("the smallest entries".to_owned(), pack(1, empty.len(), &empty, b"")),
            ("entries that share their content".to_owned(), pack(2, shared.len(), &shared, &vec![7; LARGE / 2])),
            ("a content beyond the end".to_owned(), pack(3, 1, &[entry(b"a", u64::MAX, u64::MAX)], b"")),
            ("a long path".to_owned(), pack(4, 1, &[entry(&vec![b'a'; LARGE], 0, 0)], b"")),
        ]
    }

    fn shapes() -> Vec<Shape> {
        fn many(format: u32, size: usize) -> Vec<u8> {
            files(
                format,
                &(0..size).map(|index| (format!("file{index:08}").into_bytes(), vec![1; 100])).collect::<Vec<_>>(),
            )
        }
        vec![
            Shape { name: "files", made: |size| many(1, size), few: 300 },
            Shape { name: "files of format 3", made: |size| many(3, size), few: 300 },
            Shape { name: "bytes of one file", made: |size| files(2, &[(b"a".to_vec(), vec![0; size])]), few: 10_000 },
        ]
    }
}

/// Compiled scripts.
pub(crate) struct Scripts;

/// A script that claims these numbers of identifiers and constants before the rest.
fn script(identifiers: u32, constants: u32, rest: &[u8]) -> Vec<u8> {
    let words = [101, 0, identifiers, constants, 0, 0];
    [&b"GDSC"[..], &words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect::<Vec<_>>(), rest].concat()
}

impl TestedContainer for Scripts {
    const NAME: &'static str = "script";
    const KIND: ContainerKind = ContainerKind::Script;
    // an identifier of 4 bytes
    const EACH: usize = 8;
    const EDIT_EACH: usize = 8;
    const STEPS: u64 = 64;

    fn read(_: &[u8], _: usize) -> u64 {
        0
    }

    // refused for every script
    fn edit_all(_: &[u8], _: &[u8], _: usize) -> Option<Result<Vec<u8>, String>> {
        None
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let values = list(entropy, |entropy| Ok(Godot::<4>::encode(&Godot::<4>::arbitrary(entropy)?).unwrap()))?;
        Ok(script(0, values.len() as u32, &values.concat()))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        vec![
            ("more constants than there are".to_owned(), script(0, u32::MAX, &vec![0; LARGE])),
            ("the smallest identifiers".to_owned(), script(LARGE as u32 / 4, 1, &vec![0; LARGE + 4])),
            ("a constant that is broken".to_owned(), script(0, 9, &vec![0xff; LARGE])),
        ]
    }

    fn shapes() -> Vec<Shape> {
        let made = |size: usize| script(0, size as u32, &b"\x02\0\0\0\x2a\0\0\0".repeat(size));
        vec![Shape { name: "constants", made, few: 1000 }]
    }
}

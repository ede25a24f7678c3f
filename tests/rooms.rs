//! The rooms of the source: a file imports from the rooms below its own, and no two rooms import from each other.
//!
//! A room is a file or folder of `src`. What is only named in documentation, or used by tests, does not count.

use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;

use crate::support::root;

/// The rooms, from the ground up. Those of one floor know nothing of each other.
const FLOORS: &[&[&str]] = &[
    &["budget", "float", "number", "offset", "resync", "stack", "suggest", "text_error"],
    &["limits"],
    &["error"],
    &["wire"],
    &["member", "notation"],
    &["json", "typed"],
    &["dynamic", "structure"],
    &["godot", "roblox", "scrap_mechanic"],
    &["convert", "signature"],
    &["formats"],
];

/// The folders of `wire`, from the ground up.
const WIRE: &[&str] = &["values", "input", "combinators", "format"];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&room))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file, up to its tests, without comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let kept = text.lines().take_while(|line| !line.trim_start().starts_with("#[cfg(test)]"));
    kept.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The rooms that the code of a module names, which is `depth` levels below the crate: after `crate::`, or after as many `super::`.
fn named(code: &str, depth: usize) -> Vec<String> {
    let word = |rest: &str| rest.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
    let up = "super::".repeat(depth);
    let whole = |at: usize| !code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_' || char == ':');
    let starts =
        ["crate::", &up].map(|start| code.match_indices(start).filter(|(at, _)| whole(*at)).collect::<Vec<_>>());
    starts.concat().into_iter().map(|(at, start)| word(&code[at + start.len()..])).collect()
}

#[test]
fn no_room_imports_from_above() {
    let source = root().join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    assert!(files.len() > 100);
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&source).unwrap().with_extension("");
        let mut modules: Vec<_> = path.iter().map(|name| name.to_str().unwrap()).collect();
        if modules.last() == Some(&"mod") {
            modules.pop();
        }
        // the crate itself names all, and `test` is for the tests
        let room = modules[0];
        if ["lib", "test"].contains(&room) {
            continue;
        }
        let own = floor(room).unwrap_or_else(|| panic!("{room} has no floor"));
        for other in named(&code(&file), modules.len()) {
            if floor(&other).is_some_and(|floor| floor >= own) && other != room {
                wrong.push(format!("{} imports from {other}", path.display()));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The names in `wire`, each with the number of its folder.
fn names_of_wire() -> Vec<(usize, String)> {
    let code = code(&root().join("src/wire/mod.rs"));
    let uses = code.split(';').filter_map(|line| line.split_once("use ")?.1.split_once("::"));
    let numbered = uses.filter_map(|(folder, names)| Some((WIRE.iter().position(|other| *other == folder)?, names)));
    numbered.flat_map(|(folder, names)| words(names).map(move |name| (folder, name.to_owned()))).collect()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty())
}

#[test]
fn no_folder_of_wire_imports_from_above() {
    let (names, mut wrong, mut found) = (names_of_wire(), Vec::new(), 0);
    for (own, folder) in WIRE.iter().enumerate() {
        let mut files = Vec::new();
        sources(&root().join("src/wire").join(folder), &mut files);
        for file in files {
            let code = code(&file);
            let uses = code.split("use crate::wire::").skip(1).map(|rest| rest.split(';').next().unwrap_or_default());
            for word in uses.flat_map(words) {
                let folder = names.iter().find(|(_, name)| name == word).map(|(folder, _)| *folder);
                let folder = folder.or_else(|| WIRE.iter().position(|folder| *folder == word));
                found += usize::from(folder.is_some());
                if folder.is_some_and(|folder| folder > own) {
                    wrong.push(format!("{} imports {word}", file.display()));
                }
            }
        }
    }
    assert!(found > 50, "{found}");
    assert_eq!(wrong, [""; 0]);
}

//! The tables of names in `src/roblox/luau` are those of Rojo's libraries. After an update of these, `UPDATE_TABLES=1
//! cargo test --test peers tables` rewrites the files; review the difference.

use std::fs;
use std::path::Path;

/// Compares a file of `src/roblox/luau` with what it should be, or writes it.
fn compare(name: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/roblox/luau").join(name);
    if std::env::var_os("UPDATE_TABLES").is_some() {
        fs::write(&file, expected).unwrap();
    }
    for (number, (found, expected)) in (1..).zip(fs::read_to_string(&file).unwrap().lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {number} of {name}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap().len(), expected.len(), "{name}");
}

/// An enum a line, with the names and numbers of its items, by number; of a number with several names, in the order of
/// these.
#[test]
fn enums() {
    let database = rbx_reflection_database::get_bundled();
    let mut enums: Vec<_> = database.enums.values().collect();
    enums.sort_by_key(|row| row.name);
    let line = |row: &&rbx_reflection::EnumDescriptor<'_>| {
        let mut items: Vec<_> = row.items.iter().map(|(name, number)| (*number, *name)).collect();
        items.sort_unstable();
        let items: String = items.iter().map(|(number, name)| format!(" {name}={number}")).collect();
        format!("{}{items}\n", row.name)
    };
    compare("enums.txt", &enums.iter().map(line).collect::<String>());
    // the documentation names the release
    let [major, minor, ..] = database.version;
    let release = format!("that of Roblox {major}.{minor},");
    assert!(include_str!("../../../../src/roblox/luau/enums.rs").contains(&release), "{release}");
}

/// The number and the name of a colour a line.
#[test]
fn brick_colors() {
    let color = |number| Some((number, rbx_types::BrickColor::from_number(number)?));
    let lines = (0..=u16::MAX).filter_map(color).map(|(number, color)| format!("{number} {color}\n"));
    compare("brick_colors.txt", &lines.collect::<String>());
}

//! The examples of files, as they are.

#[allow(dead_code)] // its own main
#[path = "../examples/place_sweep.rs"]
mod place_sweep;
#[allow(dead_code)]
#[path = "../examples/save_editor.rs"]
mod save_editor;

use std::path::Path;

use enginewire::roblox::attributes::{Attributes, Value};
use enginewire_files::roblox::model;
use enginewire_files::scrap_mechanic::save::Save;
use pretty_assertions::assert_eq;

#[test]
fn the_sweep_of_a_place() {
    let item = |class: &str, name: &str, tags: &[u8]| {
        let tags = data_encoding::BASE64.encode(tags);
        format!(
            "<Item class=\"{class}\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
             <BinaryString name=\"Tags\">{tags}</BinaryString></Properties></Item>"
        )
    };
    let items = [
        item("Part", "A", b"Lamp"),
        item("Model", "B", b"Lamp"),
        item("Part", "C", b"Lamps"),
        item("Part", "D", b"Old\0Lamp"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old.rbxlx", "new.rbxlx"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&old, format!("<roblox version=\"4\">{}</roblox>", items.concat())).unwrap();
    assert_eq!(place_sweep::sweep(&old, &new).unwrap(), 2);
    let listing = model::list_bytes(&std::fs::read(&new).unwrap(), &model::Options::new()).unwrap();
    let brightness = |instance| {
        let attributes: Attributes<'_> = listing.attributes_of(instance).unwrap();
        attributes.get("Brightness").and_then(Value::as_double)
    };
    assert_eq!([0, 1, 2, 3].map(brightness), [Some(2.0), None, None, Some(2.0)]);
    // the new file is not overwritten
    assert!(place_sweep::sweep(&old, &new).is_err());
}

#[test]
fn the_editor_of_saves() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("save.db").to_str().unwrap().to_owned();
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scrap-mechanic-lua/save-v26.db"), &save)
        .unwrap();
    save_editor::show(&save).unwrap();
    let objects = || -> Vec<_> {
        let opened = Save::open(&save).unwrap();
        let rows = opened.rows().unwrap().map(Result::unwrap);
        rows.map(|row| (row.table(), row.rowid(), row.decode().ok().flatten())).collect()
    };
    let before = objects();
    let is_wanted = |object: &enginewire::scrap_mechanic::lua_object::LuaObject<'_>| {
        object.data.as_table().is_some_and(|table| table.get("tedu").is_some())
    };
    let place = before.iter().position(|(_, _, object)| object.as_ref().is_some_and(is_wanted)).unwrap();
    let (table, row, _) = &before[place];
    save_editor::set(&save, table, *row, "tedu", "51").unwrap();
    let after = objects();
    let changed: Vec<_> = (0..before.len()).filter(|index| before[*index] != after[*index]).collect();
    assert_eq!(changed, [place]);
    let object = after[place].2.as_ref().unwrap();
    assert_eq!(object.data.as_table().unwrap().get("tedu").unwrap().as_integer(), Some(51));
    for (table, row, path, value) in [
        ("Nowhere", *row, "tedu", "51"),
        (*table, -1, "tedu", "51"),
        (*table, *row, "a.b", "51"),
        (*table, *row, "tedu", "5 1"),
    ] {
        assert!(save_editor::set(&save, table, row, path, value).is_err(), "{table} {row} {path} {value}");
        assert_eq!(objects(), after);
    }
}

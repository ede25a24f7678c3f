//! Shows what scripts keep in a save of Scrap Mechanic, and changes a value of it:
//!
//! ```sh
//! cargo run --example save_editor -- save.db
//! cargo run --example save_editor -- save.db ScriptData 12 fuel.left 7
//! ```

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;

use enginewire::formats::{change, Edit, Notation};
use enginewire_files::scrap_mechanic::save::Save;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [save] => show(save),
        [save, table, row, path, value] => {
            // the old save stays beside it
            std::fs::copy(save, format!("{save}.old"))?;
            set(save, table, row.parse()?, path, value)
        }
        _ => Err("expected a save, or a save, a table, a row, a path and a value".into()),
    }
}

/// Prints every object in Lua's notation.
pub(crate) fn show(save: &str) -> Result<(), Box<dyn Error>> {
    for row in Save::open(save)?.rows()? {
        let row = row?;
        let place = format!("{} {}", row.table(), row.rowid());
        match row.decode() {
            Ok(Some(object)) => println!("{place}: {}", object.to_lua()),
            Ok(None) => println!("{place}: no object of a script"),
            // one that cannot be read does not hide the others
            Err(error) => println!("{place}: {error}"),
        }
    }
    Ok(())
}

/// Changes one value; all others keep their bytes.
pub(crate) fn set(save: &str, table: &str, row: i64, path: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let mut save = Save::open_to_write(save)?;
    let row = save.row(table, row)?.ok_or("no such row")?;
    let mut object = row.decode()?.ok_or("no script keeps an object in this row")?;
    let edit = Edit::Set { type_name: None, text: value.to_owned() };
    change(&mut object.data, &path.parse()?, &edit, Notation::default())?;
    save.replace(&row, &object)?;
    Ok(save.close()?)
}

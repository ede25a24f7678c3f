//! Makes every Part that has the tag `Lamp` shine: it gets the attribute `Brightness`. The file may have any size.
//!
//! `cargo run --example place_sweep -- old.rbxl new.rbxl`

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::fs::File;

use enginewire_files::roblox::model::{edit_to, list, Listing, Options, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(old), Some(new)) = (paths.next(), paths.next()) else {
        return Err("expected a place and the name of a new file".into());
    };
    println!("{} parts shine", sweep(&old, &new)?);
    Ok(())
}

/// Writes the changed place into a new file. Gives how many parts it changed.
pub(crate) fn sweep(old: &str, new: &str) -> Result<usize, Box<dyn Error>> {
    let listing = list(File::open(old)?, &Options::new())?;
    listing.problems.iter().for_each(|problem| println!("not read: {problem}"));
    let mut changes = Vec::new();
    for part in listing.instances_with_tag("Lamp").filter(|instance| is_part(&listing, *instance)) {
        let mut attributes = listing.attributes_of(part)?;
        attributes.insert("Brightness", 2.0);
        changes.push(listing.set_attributes(part, &attributes)?);
    }
    edit_to(File::open(old)?, File::create_new(new)?, &changes, Store::AsBefore, &Options::new())?;
    Ok(changes.len())
}

fn is_part(listing: &Listing, instance: usize) -> bool {
    listing.instance(instance).is_some_and(|instance| instance.class == "Part")
}

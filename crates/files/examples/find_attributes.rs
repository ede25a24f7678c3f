//! Prints every attribute of model and place files: `cargo run --example find_attributes -- place.rbxl`

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::fs::File;

use enginewire::roblox::attributes;
use enginewire_files::roblox::model;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let listing = model::list(File::open(&path)?, &model::Options::new())?;
        for property in listing.properties() {
            let Some(instance) = listing.instance_of(&property) else { continue };
            let place = format!("{path}: {} ({})", listing.path(property.instance), instance.class);
            if !property.kind.is_attributes(instance.class) {
                println!("{place} has tags: {:?}", property.tags().collect::<Vec<_>>());
                continue;
            }
            match property.decode(&attributes::Options::new()) {
                Ok(attributes) => {
                    attributes.iter().for_each(|entry| println!("{place}.{}: {:?}", entry.key, entry.value))
                }
                // one that cannot be read does not hide the others
                Err(error) => println!("{place}: {error}"),
            }
        }
        listing.problems.iter().for_each(|problem| println!("{path}: {problem}"));
    }
    Ok(())
}

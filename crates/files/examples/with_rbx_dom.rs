//! A tool as Rojo is one: it reads a model with `rbx_binary`, and its attributes with this crate, arrays included.
//!
//! `cargo run --example with_rbx_dom -- model.rbxm > attributes.json` prints all attributes;
//! with `… -- model.rbxm attributes.json changed.rbxm` they become what the JSON says.
#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use enginewire::convert::InstanceAttributes;
use enginewire::roblox::attributes::Attributes;
use rbx_dom_weak::WeakDom;
use serde_json::{Map, Value};

/// The attributes of each instance that has some, in Rojo's JSON.
pub(crate) fn export(dom: &WeakDom) -> Result<Map<String, Value>, Box<dyn Error>> {
    let mut all = Map::new();
    for instance in dom.descendants() {
        let path = dom.full_path_of(instance.referent(), ".");
        let attributes = instance.attributes().map_err(|error| format!("{path}: {error}"))?;
        if !attributes.is_empty() {
            let json = attributes.to_rojo_json().map_err(|error| format!("{path}: {error}"))?;
            all.insert(path, json);
        }
    }
    Ok(all)
}

/// Gives the instances that are named the attributes that are there.
pub(crate) fn import(dom: &mut WeakDom, all: &Map<String, Value>) -> Result<(), Box<dyn Error>> {
    let referents: Vec<_> = dom.descendants().map(|instance| instance.referent()).collect();
    for referent in referents {
        let path = dom.full_path_of(referent, ".");
        if let (Some(json), Some(instance)) = (all.get(&path), dom.get_by_ref_mut(referent)) {
            let attributes = Attributes::from_rojo_json(json).map_err(|error| format!("{path}: {error}"))?;
            instance.set_attributes(&attributes)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (model, change) = match args.as_slice() {
        [model] => (model, None),
        [model, json, changed] => (model, Some((json, changed))),
        _ => return Err("expected: MODEL, or MODEL JSON CHANGED".into()),
    };
    let mut dom = rbx_binary::from_reader(BufReader::new(File::open(model)?))?;
    if let Some((json, changed)) = change {
        import(&mut dom, &serde_json::from_reader(File::open(json)?)?)?;
        rbx_binary::to_writer(File::create(changed)?, &dom, dom.root().children())?;
    } else {
        println!("{}", serde_json::to_string_pretty(&export(&dom)?)?);
    }
    Ok(())
}

//! Scenes and resources of Godot in their other form.

use enginewire::godot::resource::{is_scene, MAGIC};
use enginewire_files::godot::{is_text_resource, resource_to_text, text_to_resource};

use super::Args;
use crate::exit_status::{refuse_if, usage, Done, Status};
use crate::input::opened::{refused, OpenFile};
use crate::output::console::Console;
use crate::settings::Settings;

/// The forms, by their extensions: a scene and a resource, binary and as text.
pub const FORMS: [&str; 4] = ["scn", "tscn", "res", "tres"];

/// Writes the scene or resource in this form.
pub fn run(args: &Args, to: &str, settings: &Settings, console: &mut Console) -> Done {
    let destination = &args.destination;
    let is_changed = destination.in_place || destination.keep.is_given();
    refuse_if(is_changed, "a scene or resource gets its other form in another file: -o FILE")?;
    refuse_if(args.from.is_some(), "--from is for --to godot-3 and godot-4")?;
    let out = destination.of(&args.file)?;
    let input = OpenFile::open(&args.file, settings)?.all_consuming()?;
    let (is_binary, is_text) = (input.bytes.starts_with(MAGIC), is_text_resource(&input.bytes));
    let reason = match (is_binary, is_text, to.starts_with('t')) {
        (false, false, _) => Some("expected a scene or resource of Godot, binary or as text"),
        (true, _, false) => Some("the file is binary already; expected --to tscn or tres"),
        (_, true, true) => Some("the file is a text already; expected --to scn or res"),
        _ => None,
    };
    if let Some(reason) = reason {
        return Err(Status::Malformed.because(reason).at(&input.name).into());
    }
    let convert = if is_binary { resource_to_text } else { text_to_resource };
    let converted = convert(&input.bytes, settings.memory()).map_err(|error| refused(&input.name, &error))?;
    let binary = if is_binary { &input.bytes } else { &converted.bytes };
    let (fits, expected) = match is_scene(binary) {
        true => (to.ends_with("scn"), if is_binary { "tscn" } else { "scn" }),
        false => (!to.ends_with("scn"), if is_binary { "tres" } else { "res" }),
    };
    if !fits {
        let what = if expected.ends_with("scn") { "scene" } else { "resource" };
        return Err(usage(format!("expected --to {expected} for a {what}, found {to}")).at(&input.name).into());
    }
    console.warnings(&input.name, &converted.warnings)?;
    destination.put(out, &converted.bytes, console)?;
    Ok(Status::Fine)
}

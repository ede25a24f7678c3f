//! Blueprints of Scrap Mechanic.

use enginewire::json::{self, Input};
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
use enginewire_files::scrap_mechanic::blueprint::Blueprint;
use serde_json::json;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::{or_zero, Failure};
use crate::objects;
use crate::stream::Held;

thread_local! {
    static BLUEPRINTS: Held<Blueprint> = const { Held::new() };
}

fn with<R>(number: usize, work: impl FnOnce(&mut Blueprint) -> Result<R, Failure>) -> Result<R, Failure> {
    BLUEPRINTS.with(|all| all.with(number, work)).and_then(|result| result)
}

fn no_part(part: usize) -> Failure {
    Failure::of_options(format!("there is no part {part}"))
}

/// A blueprint, by its number.
#[wasm_bindgen]
pub fn blueprint_open(text: String, max_memory: f64) -> Result<usize, JsValue> {
    let blueprint = Blueprint::with_max_memory(text, max_memory as usize);
    let blueprint = blueprint.map_err(|error| Failure::from(error).thrown())?;
    Ok(BLUEPRINTS.with(|all| all.add(blueprint)))
}

/// The bodies and children of the parts that have an object, as JSON.
#[wasm_bindgen]
pub fn blueprint_parts(blueprint: usize) -> Result<String, JsValue> {
    let parts = with(blueprint, |blueprint| {
        let parts = blueprint.parts().map(|part| json!({ "body": part.body(), "child": part.child() }));
        Ok(json!(parts.collect::<Vec<_>>()).to_string())
    });
    parts.map_err(Failure::thrown)
}

/// The object of a part, on the tape.
#[wasm_bindgen]
pub fn blueprint_decode(blueprint: usize, part: usize) -> usize {
    or_zero(with(blueprint, |blueprint| {
        let part = blueprint.parts().nth(part).ok_or_else(|| no_part(part))?;
        objects::document(&part.decode()?)
    }))
}

/// Gives a part another object: this document.
#[wasm_bindgen]
pub fn blueprint_replace(blueprint: usize, part: usize, words: &[u8], text: &[u8]) -> Result<(), JsValue> {
    let replaced = with(blueprint, |blueprint| {
        let object: LuaObject<'static> = json::read(Input::Tape(&objects::given(words, text)))?;
        let bytes = lua_object::encode(&object)?;
        let object = lua_object::decode(&bytes).map_err(|error| Failure::of_error(&error))?;
        match blueprint.replace(part, &object)? {
            true => Ok(()),
            false => Err(no_part(part)),
        }
    });
    replaced.map_err(Failure::thrown)
}

/// The text, with the changes.
#[wasm_bindgen]
pub fn blueprint_text(blueprint: usize) -> Result<String, JsValue> {
    with(blueprint, |blueprint| Ok(blueprint.text().to_owned())).map_err(Failure::thrown)
}

/// Frees a blueprint.
#[wasm_bindgen]
pub fn blueprint_free(blueprint: usize) {
    drop(BLUEPRINTS.with(|all| all.take(blueprint)));
}

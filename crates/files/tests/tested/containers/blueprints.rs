//! Blueprints of Scrap Mechanic as containers.

use arbitrary::Unstructured;
use enginewire::scrap_mechanic::lua_object::{self, LuaObject};
use enginewire_files::containers::ContainerKind;
use enginewire_files::scrap_mechanic::blueprint::{pack_text, Blueprint};

use super::{Shape, TestedContainer};
use crate::support::scrap_mechanic_lua::text_object;
use crate::support::{list, Codec, ScrapMechanicLua};

/// Blueprints of Scrap Mechanic.
pub(crate) struct Blueprints;

fn blueprint(bytes: &[u8], limit: usize) -> Result<Blueprint, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    Blueprint::with_max_memory(text, limit).map_err(|error| error.to_string())
}

/// A text of bodies, each with such parts.
fn text(bodies: &[Vec<String>]) -> Vec<u8> {
    let body = |parts: &Vec<String>| format!("{{\"childs\": [{}]}}", parts.join(",\n "));
    let bodies: Vec<String> = bodies.iter().map(body).collect();
    format!("{{\"bodies\": [{}], \"version\": 4}}", bodies.join(",\n")).into_bytes()
}

fn part(data: &str) -> String {
    format!("{{\"color\": \"fff\", \"controller\": {{\"data\": {data}, \"id\": 12345678901234567890123}}}}")
}

fn packed(object: &LuaObject<'_>) -> String {
    format!("\"{}\"", pack_text(object).unwrap())
}

/// A blueprint with this block in it.
fn with_block(block: &[u8]) -> Vec<u8> {
    text(&[vec![part(&format!("\"{}\"", data_encoding::BASE64_NOPAD.encode(block)))]])
}

/// The member of a part: mostly an object, written in any way that JSON allows.
fn data(entropy: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let text = packed(&ScrapMechanicLua::arbitrary(entropy)?);
    Ok(match entropy.int_in_range(0..=19)? {
        0 => "7".to_owned(),
        1 => "null".to_owned(),
        2 => "[\"gExVQQ\"]".to_owned(),
        3 => "\"\"".to_owned(),
        4 => "\"####\"".to_owned(),
        5 => text.replacen('A', "\\u0041", 1),
        6 => text.replace('/', "\\/"),
        7 => format!("{}=\"", &text[..text.len() - 1]),
        _ => text,
    })
}

impl TestedContainer for Blueprints {
    const NAME: &'static str = "blueprint";
    const KIND: ContainerKind = ContainerKind::Blueprint;
    // the string of a part, as JSON and as base64
    const EACH: usize = 4;
    const EDIT_EACH: usize = 4;
    const STEPS: u64 = 64;

    fn read(bytes: &[u8], limit: usize) -> u64 {
        if let Ok(blueprint) = blueprint(bytes, limit) {
            for part in blueprint.parts() {
                let _ = part.unpack(usize::MAX);
                let _ = part.decode_with(&lua_object::Options::new(), usize::MAX);
            }
        }
        0
    }

    fn value(bytes: &[u8]) -> Vec<u8> {
        lua_object::encode(&text_object(bytes)).unwrap()
    }

    fn rest(bytes: &[u8]) -> Result<Vec<String>, String> {
        Ok(vec![others(std::str::from_utf8(bytes).map_err(|error| error.to_string())?)])
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        let bodies = list(entropy, |entropy| {
            list(entropy, |entropy| {
                Ok(match entropy.int_in_range(0..=9)? {
                    0 => "{}".to_owned(),
                    1 => "{\"controller\": null}".to_owned(),
                    2 => "{\"controller\": {\"id\": 1}}".to_owned(),
                    _ => part(&data(entropy)?),
                })
            })
        })?;
        Ok(text(&bodies))
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let zeros = enginewire_files::scrap_mechanic::pack(&vec![0; 64 << 20]);
        vec![
            ("zeros that unpack to 64 MiB".to_owned(), with_block(&zeros)),
            ("a block without end".to_owned(), with_block(&[0xff; 1000])),
            ("parts of nothing".to_owned(), text(&[vec!["{}".to_owned(); 20_000]])),
            ("bodies of nothing".to_owned(), format!("{{\"bodies\":[{}{{}}]}}", "{},".repeat(20_000)).into_bytes()),
            ("lists in each other".to_owned(), b"{\"bodies\":[{\"a\":".iter().copied().chain([b'['; 20_000]).collect()),
        ]
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape { name: "parts", made: |size| text(&[vec![some_part(); size]]), few: 300 },
            Shape { name: "bodies", made: |size| text(&vec![vec![some_part()]; size]), few: 300 },
        ]
    }
}

fn some_part() -> String {
    part(&packed(&LuaObject::new("a text")))
}

/// All of the text but what may be edited.
fn others(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\"data\": ") {
        let (before, after) = rest.split_at(at + "\"data\": ".len());
        left += before;
        rest = after.trim_start_matches(|other| other != ',' && other != '}');
    }
    left + rest
}

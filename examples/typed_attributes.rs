//! A structure of one's own as attributes, and back, with an error that names its place.
//!
//! `cargo run --example typed_attributes`
#![allow(clippy::print_stdout)] // it is there to be read

use enginewire::roblox::attributes::{self, EnumItem, IntoByteString, Value};
use enginewire::roblox::datatypes::Color3;
use enginewire::typed::with;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Torch {
    name: String,
    /// Attributes have no integers: it is a Double.
    fuel: u8,
    /// Left out where it is `None`.
    owner: Option<String>,
    glow: Color3,
    material: EnumItem<'static>,
    /// A Vector3, not a list of three numbers.
    #[serde(with = "with::vector3")]
    position: [f32; 3],
    /// The name of the variant.
    state: State,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum State {
    Lit,
    Out,
}

/// Writes a structure, reads it back, and shows why another one cannot be read.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let torch = Torch {
        name: "Wall".to_owned(),
        fuel: 7,
        owner: None,
        glow: Color3 { r: 1.0, g: 0.5, b: 0.0 },
        material: EnumItem { enum_name: "Material".into_byte_string(), value: 512 },
        position: [1.0, 2.0, 3.0],
        state: State::Lit,
    };
    let mut blob = attributes::to_value(&torch)?;
    for entry in &blob {
        println!("{}: {:?}", entry.key, entry.value);
    }
    let bytes = attributes::to_bytes(&torch)?;
    assert_eq!(attributes::from_bytes::<Torch>(&bytes)?, torch);

    blob.insert("Fuel", Value::Double(999.0));
    let bytes = attributes::encode(&blob)?;
    let Err(error) = attributes::from_bytes::<Torch>(&bytes) else { return Err("so much fuel fits".into()) };
    println!("\n{}", error.report("torch.bin", &bytes));
    Ok(())
}

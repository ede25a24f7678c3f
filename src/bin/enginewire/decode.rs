//! `enginewire decode`

use std::io;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Common, Decode};
use crate::carriers::Origin;
use crate::console::Console;
use crate::formats::{self, Format, Json};
use crate::input::{self, Input};
use crate::status::Status;

pub fn run(args: &Decode, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    input::each_value(&args.files, common, console, |input, console| {
        decode(formats::chosen(common, &input.bytes), input, args, common, console)
    })
}

fn decode(
    format: &dyn Format,
    input: &Input,
    args: &Decode,
    common: &Common,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    if input.other.is_some() {
        write(None, input, args, console)?;
        return Ok(Status::Fine);
    }
    let error = match format.decode(&input.bytes, common, args.pretty) {
        Ok(document) => {
            write(Some(document), input, args, console)?;
            return Ok(Status::Fine);
        }
        Err(error) => error,
    };
    if args.partial {
        if let Some(document) = format.decode_partial(&input.bytes, common, args.pretty).0 {
            write(Some(document), input, args, console)?;
        }
    }
    console.error(error.report(&input.name.to_string(), &input.bytes))?;
    Ok(Status::from(&error))
}

/// A document, and where what it says was carried.
#[derive(Serialize)]
struct CarriedDocument<'c> {
    #[serde(flatten)]
    origin: &'c Origin,
    document: Option<Box<RawValue>>,
}

fn write(document: Option<Json>, input: &Input, args: &Decode, console: &mut Console<'_>) -> io::Result<()> {
    let document = document.transpose()?;
    let text = match &input.origin {
        Some(origin) => {
            let document = document.map(RawValue::from_string).transpose()?;
            formats::json(&CarriedDocument { origin, document }, args.pretty)?
        }
        None => document.unwrap_or_default(),
    };
    writeln!(console.out(), "{text}")
}

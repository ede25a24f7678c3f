//! `enginewire decode`

use std::io;

use serde::Serialize;

use crate::args::{Common, Decode};
use crate::console::Console;
use crate::containers::Origin;
use crate::exit_status::Status;
use crate::formats::{self, Format, JsonOut};
use crate::input::{self, Input};

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
    let (before, after) = around(input, args.pretty)?;
    if input.other.is_some() {
        writeln!(console.out(), "{before}null{after}")?;
        return Ok(Status::Fine);
    }
    if let Some(reason) = input.may_exceed(common) {
        console.error(format_args!("{reason}\n  --> {}", input.name))?;
        return Ok(Status::Malformed);
    }
    let mut out = JsonOut { out: console.out(), pretty: args.pretty, around: (&before, &after) };
    let error = match format.decode(&input.bytes, common, &mut out) {
        Ok(written) => return written.map(|()| Status::Fine),
        Err(error) => error,
    };
    if args.partial {
        format.decode_partial(&input.bytes, common, &mut out)?;
    }
    console.error(error.report(&input.name.to_string(), &input.bytes))?;
    Ok(Status::from(&error))
}

/// A document, and where what it says was carried.
#[derive(Serialize)]
struct CarriedDocument<'c> {
    #[serde(flatten)]
    origin: &'c Origin,
    document: (),
}

/// What stands before a document and after it: where it was carried, if it was.
fn around(input: &Input, pretty: bool) -> io::Result<(String, String)> {
    let Some(origin) = &input.origin else { return Ok((String::new(), String::new())) };
    let carried = CarriedDocument { origin, document: () };
    let text = if pretty { serde_json::to_string_pretty(&carried) } else { serde_json::to_string(&carried) }?;
    let (before, after) = text.rsplit_once("null").unwrap_or_default();
    Ok((before.to_owned(), after.to_owned()))
}

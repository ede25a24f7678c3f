//! `enginewire decode`

use std::io;

use crate::args::{Common, Decode, HELD};
use crate::console::Console;
use crate::formats::{self, Format, Json};
use crate::input::{self, Input};
use crate::status::Status;

pub fn run(args: &Decode, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    input::each_whole(&args.files, HELD, common, console, |input, console| {
        decode(formats::chosen(common, &input.bytes), input, args, common, console)
    })
}

fn decode(
    format: &dyn Format,
    Input { name, bytes }: &Input,
    args: &Decode,
    common: &Common,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let error = match format.decode(bytes, common, args.pretty) {
        Ok(document) => {
            write(document, console)?;
            return Ok(Status::Fine);
        }
        Err(error) => error,
    };
    if args.partial {
        if let Some(document) = format.decode_partial(bytes, common, args.pretty).0 {
            write(document, console)?;
        }
    }
    console.error(error.report(name, bytes))?;
    Ok(Status::from(&error))
}

fn write(document: Json, console: &mut Console<'_>) -> io::Result<()> {
    writeln!(console.out(), "{}", document?)
}

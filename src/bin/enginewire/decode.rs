//! `enginewire decode`

use std::io;

use crate::args::{Common, Decode, HELD};
use crate::console::Console;
use crate::formats::{self, Format, Json};
use crate::input::{self, Input};
use crate::status::Status;

pub fn run(args: &Decode, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(format) = formats::chosen(common) else { return console.ask_for_format() };
    input::each_whole(&args.files, HELD, common, console, |input, console| decode(format, input, args, common, console))
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
        write(format.decode_partial(bytes, common, args.pretty).0, console)?;
    }
    console.error(error.report(name, bytes))?;
    Ok(Status::from(&error))
}

fn write(document: Json, console: &mut Console<'_>) -> io::Result<()> {
    writeln!(console.out(), "{}", document?)
}

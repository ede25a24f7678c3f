//! `enginewire decode`

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use crate::exit_status::Status;
use crate::formats::{self, Format, JsonOut};
use crate::input::containers::Origin;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::settings::Settings;

/// Write the JSON form, one line for each file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire decode --pretty fixtures/roblox-attributes/readable.bin
  enginewire decode fixtures/roblox-attributes/*.bin > all.jsonl
  enginewire decode fixtures/scrap-mechanic-lua/save-v28.db > objects.jsonl
  enginewire decode --partial fixtures/roblox-attributes/bad/unknown-type.bin")]
pub struct Args {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,

    /// Of a broken file write what comes before the error; it stays an error
    #[arg(long)]
    pub partial: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    each::each_value(&args.files, settings, console, |input, console| {
        decode(formats::chosen(settings.format.as_deref(), &input.bytes), input, args, settings, console)
    })
}

fn decode(
    format: &dyn Format,
    input: &Input,
    args: &Args,
    settings: &Settings,
    console: &mut Console,
) -> io::Result<Status> {
    let (before, after) = around(input, args.pretty)?;
    if input.other.is_some() {
        writeln!(console.out(), "{before}null{after}")?;
        return Ok(Status::Fine);
    }
    if let Some(reason) = input.may_exceed(settings) {
        console.error(format_args!("{reason}\n  --> {}", input.name))?;
        return Ok(Status::Malformed);
    }
    let mut out = JsonOut { out: console.out(), pretty: args.pretty, around: (&before, &after) };
    let error = match format.decode(&input.bytes, &settings.formats, &mut out) {
        Ok(written) => return written.map(|()| Status::Fine),
        Err(error) => error,
    };
    if args.partial {
        format.decode_partial(&input.bytes, &settings.formats, &mut out)?;
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

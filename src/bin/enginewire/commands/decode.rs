//! `enginewire decode`

use std::io;
use std::path::PathBuf;

use enginewire::formats::{AnyFormat, DecodeJsonError, JsonWriter};
use serde::Serialize;

use crate::exit_status::Status;
use crate::input::containers::Origin;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::settings::Settings;

/// Convert to JSON, one line per value
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire decode --pretty fixtures/roblox-attributes/readable.bin
  enginewire decode fixtures/roblox-attributes/made-*.bin > all.jsonl
  enginewire decode fixtures/scrap-mechanic-lua/save-v28.db > objects.jsonl
  enginewire decode --partial fixtures/roblox-attributes/bad/unknown-type.bin
  enginewire decode --framing le fixtures/godot-4/debugger_v4.frames > v4.jsonl

With -f and --framing, the line of each value is written as soon as the value is
there, and one value is in memory at a time.")]
pub struct Args {
    /// Files to read; standard input if none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,

    /// Write what precedes the error in a broken file; still exits with an error
    #[arg(long)]
    pub partial: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    each::each_value(&args.files, settings, console, |format, input, console| {
        decode(format, input, args, settings, console)
    })
}

fn decode(
    format: &dyn AnyFormat,
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
    let after = format!("{after}\n");
    let mut out =
        JsonWriter::new(console.out()).pretty(args.pretty).around(&before, &after, usize::from(input.origin.is_some()));
    let error = match format.decode_json(&input.bytes, &settings.formats, &mut out) {
        Ok(()) => return Ok(Status::Fine),
        Err(DecodeJsonError::Decode(error)) => error,
        Err(DecodeJsonError::Write(error)) => return Err(error),
        Err(error) => return Err(io::Error::other(error)),
    };
    if args.partial {
        format.decode_json_partial(&input.bytes, &settings.formats, &mut out)?;
    }
    input.report(error, console)
}

/// A document from a container, with its address.
#[derive(Serialize)]
struct EmbeddedDocument<'c> {
    #[serde(flatten)]
    origin: &'c Origin,
    document: (),
}

/// The JSON before and after a document from a container: its address.
fn around(input: &Input, pretty: bool) -> io::Result<(String, String)> {
    let Some(origin) = &input.origin else { return Ok((String::new(), String::new())) };
    let embedded = EmbeddedDocument { origin, document: () };
    let text = if pretty { serde_json::to_string_pretty(&embedded) } else { serde_json::to_string(&embedded) }?;
    let (before, after) = text.rsplit_once("null").unwrap_or_default();
    Ok((before.to_owned(), after.to_owned()))
}

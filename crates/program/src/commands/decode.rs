//! `enginewire decode`

use std::io::{self, Write};
use std::path::PathBuf;

use enginewire::formats::{AnyFormat, DecodeJsonError, JsonWriter};
use serde::Serialize;

use crate::commands::encode::with_path;
use crate::exit_status::{usage, Done, Status};
use crate::form::Form;
use crate::input::containers::Origin;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::settings::Settings;

/// Convert to JSON, one line per value
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/decode.txt"))]
pub struct Args {
    /// Files to read; standard input if none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub form: Form,

    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,

    /// Write what precedes the error in a broken file; still exits with an error
    #[arg(long)]
    pub partial: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    let mut is_refused = false;
    each::each_value(&args.files, settings, console, |format, input, console| match args.form.refusal(format) {
        None => decode(format, input, args, settings, console),
        // of all values in a container alike
        Some(_) if std::mem::replace(&mut is_refused, true) => Ok(Status::Usage),
        Some(reason) => Ok(console.refused(usage(reason).at(&input.name))?),
    })
}

fn decode(format: &dyn AnyFormat, input: &Input, args: &Args, settings: &Settings, console: &mut Console) -> Done {
    if input.other.is_some() {
        let (before, after) = around(input, args.pretty)?;
        writeln!(console.out(), "{before}null{after}")?;
        return Ok(Status::Fine);
    }
    if let Some(reason) = input.may_exceed(settings) {
        return Ok(console.refused(Status::Malformed.because(reason).at(&input.name))?);
    }
    match document(format, input, args, settings, console.out()) {
        Ok(()) => Ok(Status::Fine),
        Err(DecodeJsonError::Decode(error)) => input.report(error, format, settings, console),
        Err(DecodeJsonError::Form(error)) => {
            let place = with_path(&input.name, error.path());
            Ok(console.refused(Status::Malformed.because(error.message()).at(place))?)
        }
        Err(DecodeJsonError::Write(error)) => Err(error.into()),
        Err(error) => Err(io::Error::other(error).into()),
    }
}

/// Writes the document of a value; with --partial, of a broken one what precedes the error.
fn document(
    format: &dyn AnyFormat,
    input: &Input,
    args: &Args,
    settings: &Settings,
    out: &mut dyn Write,
) -> Result<(), DecodeJsonError> {
    let (before, after) = around(input, args.pretty)?;
    let after = format!("{after}\n");
    let mut out = JsonWriter::new(out).form(args.form.form()).pretty(args.pretty);
    out = out.around(&before, &after, usize::from(input.origin.is_some()));
    let result = format.decode_json(&input.bytes, &settings.formats, &mut out);
    if args.partial && matches!(result, Err(DecodeJsonError::Decode(_))) {
        format.decode_json_partial(&input.bytes, &settings.formats, &mut out)?;
    }
    result
}

/// A document from a container, with its address.
#[derive(Serialize)]
struct EmbeddedDocument<'c> {
    #[serde(flatten)]
    origin: &'c Origin<'c>,
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

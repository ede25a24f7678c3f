//! `enginewire encode`

mod frames;
mod into;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use enginewire::formats::{by_name, AnyFormat, EditError, JsonForm};
use enginewire::json;

use crate::exit_status::{refuse_if, usage, Done, Placed, Refusal, Status};
use crate::files::atomic_write::{is_standard_output, same_file, save};
use crate::files::destination::{unwritable, Destination};
use crate::form::Form;
use crate::formats;
use crate::input::each;
use crate::input::opened::{Input, OpenFile};
use crate::output::console::Console;
use crate::output::name::{shown, Name};
use crate::settings::{Part, Settings};
use crate::text_encoding::{OutputEncoding, TextEncoding};
use into::Job;

/// Convert JSON back to bytes
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../../help/encode.txt"))]
pub struct Args {
    /// JSON documents to read; standard input if none, or for `-`
    #[arg(value_name = "FILE.json")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub destination: Destination,

    /// Write the bytes as text: hex or base64
    #[arg(long, value_name = "AS", default_value = "raw", hide_default_value = true, hide_possible_values = true)]
    #[arg(conflicts_with = "into")]
    pub text: OutputEncoding,

    /// Put the values back into this container
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,

    #[command(flatten)]
    pub form: Form,

    /// With --plain: take the types of this value
    #[arg(long, value_name = "FILE", conflicts_with = "into")]
    pub like: Option<PathBuf>,

    /// Write an empty list as a zero length
    #[arg(long)]
    pub zero_length: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    if let Some(into) = &args.into {
        let Args { files, destination, form, .. } = args;
        return into::run(&Job { files, into, destination, form: form.form() }, settings, console);
    }
    refuse_if(args.destination.keep.is_given(), "--undo and --backup are about the file of --into; give --into too")?;
    if args.destination.in_place {
        return Err(usage("--in-place changes the file of --into; give --into too").into());
    }
    let out = args.destination.output.as_deref().filter(|out| !is_standard_output(out));
    if let Some(reason) = refusal(args, settings, out) {
        return Err(usage(reason).into());
    }
    let written = out.unwrap_or(Path::new("-"));
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { &args.files };
    if let Some(both) = files.iter().find(|file| same_file(file, written)) {
        return Err(usage("the output would overwrite its input; choose another file").at(shown(both)).into());
    }
    let like = args.like.as_deref().map(|like| types_of(like, args.form, settings)).transpose()?;
    let like = like.as_deref();
    match formats::framing_of(settings) {
        Some(framing) => frames::run(args, framing, like, settings, out, console),
        None => each::each_whole(&args.files, settings, console, |input, console| {
            encode(&input, like, args, settings, out, console)
        }),
    }
}

/// The bytes of the value that gives the types.
fn types_of(file: &Path, form: Form, settings: &Settings) -> Result<Vec<u8>, Refusal> {
    refuse_if(form.form() != JsonForm::Plain, "--like gives types to --plain; other forms have their own")?;
    if formats::framing_of(settings).is_some() {
        return Err(usage("--like takes a value without its length: leave out --framing"));
    }
    let raw = Settings { input: TextEncoding::Raw, part: Part::default(), entry: None, ..settings.clone() };
    let mut opened = OpenFile::open(file, &raw)?;
    if opened.container(&raw)?.is_some() {
        let reason = "the file is not a single value; put values back into it with --into";
        return Err(usage(reason).at(shown(file)));
    }
    let like = opened.all_consuming()?;
    let format = formats::chosen(settings, &like.bytes).at(&like.name)?;
    match format.check(&like.bytes, &settings.formats) {
        Ok(_) => Ok(like.bytes),
        Err(error) => {
            let report = error.report(&like.name.to_string(), &like.bytes).to_string();
            Err(Status::from(&error).because(report))
        }
    }
}

/// Why the output cannot be written as asked.
fn refusal(args: &Args, settings: &Settings, out: Option<&Path>) -> Option<&'static str> {
    // a stream is one output
    let outputs = if formats::framing_of(settings).is_some() { 1 } else { args.files.len() };
    match (args.text, outputs) {
        (_, 2..) if out.is_some() => Some("cannot write several documents to one file; encode them one by one"),
        (OutputEncoding::Raw, 2..) => {
            Some("the bytes of several documents would run together; encode them one by one, or use --text hex")
        }
        (OutputEncoding::Raw, _) if out.is_none() && io::stdout().is_terminal() => {
            Some("refusing to write binary to a terminal; use -o FILE, a pipe, or --text hex")
        }
        _ => None,
    }
}

fn encode(
    Input { name, bytes, .. }: &Input,
    like: Option<&[u8]>,
    args: &Args,
    settings: &Settings,
    out: Option<&Path>,
    console: &mut Console,
) -> Done {
    let (_, bytes) = value(bytes, name, like, args.form, settings)?;
    write(&args.text.encode(bytes), args, out, console)
}

/// The bytes of the value that a document represents, and their format.
fn value(
    document: &[u8],
    name: &Name,
    like: Option<&[u8]>,
    form: Form,
    settings: &Settings,
) -> Result<(&'static dyn AnyFormat, Vec<u8>), Refusal> {
    let format = match form.form() {
        JsonForm::Exact => format_of(document, settings),
        _ => format_without_name(form, like, settings),
    };
    let format = format.at(name)?;
    match format.encode_form(form.form(), document, like, &settings.formats) {
        Ok(bytes) => Ok((format, bytes)),
        Err(error) => {
            let advice = plain_advice(document, form, settings).unwrap_or_default();
            let (what, path) = what_and_path(&error);
            Err(Status::Malformed.because(what).at(with_path(name, &path) + &advice))
        }
    }
}

/// Advice on reading a document that names no format, if it is plain JSON.
fn plain_advice(document: &[u8], form: Form, settings: &Settings) -> Option<String> {
    if form.form() != JsonForm::Exact || json::format_of(document).is_some() {
        return None;
    }
    let asked = settings.format.as_deref().and_then(by_name);
    let known = asked.map_or_else(|| enginewire::formats().to_vec(), |asked| vec![asked]);
    let options = settings.formats.clone().set("framing", "none").unwrap_or_default();
    let is_plain = |format: &&dyn AnyFormat| format.encode_form(JsonForm::Plain, document, None, &options).is_ok();
    let names: Vec<_> = known.into_iter().filter(is_plain).map(|format| format!("-f {}", format.name())).collect();
    let names = names.join(" or ");
    (!names.is_empty()).then(|| format!("\n  it is plain JSON: pass --plain and {names}"))
}

/// Writes the output to the file that was asked for, or standard output.
fn write(bytes: &[u8], args: &Args, out: Option<&Path>, console: &mut Console) -> Done {
    match out {
        None => console.out().write_all(bytes)?,
        Some(out) => save(out, bytes, args.destination.force).map_err(|error| unwritable(out, &error))?,
    }
    Ok(Status::Fine)
}

/// The format asked for, or the one that the document names: if there are both, they must be the same. For a document that
/// names none, the format of attributes reports the error.
pub fn format_of(document: &[u8], settings: &Settings) -> Result<&'static dyn AnyFormat, Refusal> {
    let malformed = |reason: String| Status::Malformed.because(reason);
    let asked = settings.format.as_deref().and_then(by_name);
    let Some(name) = json::format_of(document) else {
        return asked.or_else(|| by_name("roblox-attributes")).ok_or_else(|| malformed(formats::names()));
    };
    let named = enginewire::formats::named(document)
        .ok_or_else(|| malformed(format!("unknown format {name:?}; expected one of {}", formats::names())))?;
    match asked {
        Some(asked) if asked.name() != named.name() => {
            let (asked, named) = (asked.name(), named.name());
            Err(malformed(format!("the document is of the format {named}, but -f {asked} was given; leave out -f")))
        }
        _ => Ok(named),
    }
}

/// The format of a document that does not name it: the one asked for, that of the value which gives the types, or the only one
/// that has the form.
fn format_without_name(
    form: Form,
    like: Option<&[u8]>,
    settings: &Settings,
) -> Result<&'static dyn AnyFormat, Refusal> {
    let mut known = enginewire::formats().iter().copied().filter(|format| form.refusal(*format).is_none());
    let format = match (settings.format.as_deref().and_then(by_name), like, known.next(), known.next()) {
        (Some(asked), ..) => asked,
        (None, Some(like), ..) => formats::chosen(settings, like)?,
        (None, None, Some(only), None) => only,
        _ => {
            let name = form.form().name();
            return Err(usage(format!("the form {name} does not name its format: pass -f NAME or --like FILE")));
        }
    };
    form.refusal(format).map_or(Ok(format), |reason| Err(usage(reason)))
}

/// A file, and the path of a value in it.
pub fn with_path(name: &Name, path: &str) -> String {
    if path.is_empty() {
        name.to_string()
    } else {
        format!("{name}\n  in {path}")
    }
}

/// An error in one line, with the path in the document.
pub fn described(error: &EditError) -> String {
    match what_and_path(error) {
        (what, path) if path.is_empty() => what,
        (what, path) => format!("{what}, in {path}"),
    }
}

fn what_and_path(error: &EditError) -> (String, String) {
    match error {
        EditError::Invalid(error) if error.path().is_empty() => {
            (format!("invalid JSON document: {}", error.message()), String::new())
        }
        EditError::Invalid(error) => (error.message(), error.path().to_owned()),
        EditError::Encode(error) => (error.reason().to_string(), error.path().to_string()),
        error => (error.to_string(), String::new()),
    }
}

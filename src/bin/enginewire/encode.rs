//! `enginewire encode`

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use enginewire::godot::Framing;
use enginewire::json;

use crate::args::{Common, Encode, Writing};
use crate::atomic_write::{self, is_standard_output, same_file, save};
use crate::console::Console;
use crate::encode_into;
use crate::exit_status::Status;
use crate::formats::{self, Format, Unwritable};
use crate::input::{self, Input};
use crate::name::{shown, Name};

pub fn run(args: &Encode, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let out = args.out.as_deref().filter(|out| !is_standard_output(out));
    if let Some(into) = &args.into {
        return encode_into::run(args, into, out, common, console);
    }
    if let Some(refusal) = refusal(args, out) {
        console.error(refusal)?;
        return Ok(Status::Usage);
    }
    let written = out.unwrap_or(Path::new("-"));
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { &args.files };
    if let Some(both) = files.iter().find(|file| same_file(file, written)) {
        let place = shown(both);
        console.error(format_args!(
            "the output would replace the document it is made of; name another file\n  --> {place}"
        ))?;
        return Ok(Status::Usage);
    }
    input::each_whole(&args.files, common, console, |input, console| encode(input, args, common, out, console))
}

/// Why the output cannot go where it should.
fn refusal(args: &Encode, out: Option<&Path>) -> Option<&'static str> {
    match (args.output, args.files.len()) {
        (_, 2..) if out.is_some() => Some("several documents do not fit into one file; encode them one by one"),
        (Writing::Raw, 2..) => {
            Some("the bytes of several documents would run together; encode them one by one, or use --output hex")
        }
        (Writing::Raw, _) if out.is_none() && io::stdout().is_terminal() => {
            Some("refusing to write binary to a terminal; use -o FILE, a pipe, or --output hex")
        }
        _ => None,
    }
}

fn encode(
    Input { name, bytes, .. }: &Input,
    args: &Encode,
    common: &Common,
    out: Option<&Path>,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let format = match format_of(bytes, common) {
        Ok(format) => format,
        Err(message) => {
            console.error(format_args!("{message}\n  --> {name}"))?;
            return Ok(Status::Malformed);
        }
    };
    let blob = match format.encode_as_asked(bytes, args.zero_length, common) {
        Ok(blob) => match framed(format.framing(common), blob) {
            Some(blob) => written(args.output, blob),
            None => {
                console.error(format_args!("the value is too long for a frame\n  --> {name}"))?;
                return Ok(Status::Malformed);
            }
        },
        Err(error) => {
            console.error(report(&error, name))?;
            return Ok(Status::Malformed);
        }
    };
    let Some(out) = out else {
        console.out().write_all(&blob)?;
        return Ok(Status::Fine);
    };
    if let Err(error) = save(out, &blob, args.force) {
        console.error(format_args!("cannot write {}: {error}", shown(out)))?;
        return Ok(atomic_write::status(&error));
    }
    Ok(Status::Fine)
}

/// The format asked for, else the one that the document names. A document that names none is looked at by the default
/// format, which can say what is wrong with it.
fn format_of(document: &[u8], common: &Common) -> Result<&'static dyn Format, String> {
    let named = if common.format.is_some() { None } else { json::format_of(document) };
    match named {
        Some(name) => formats::named(&name, document)
            .ok_or_else(|| format!("unknown format {name:?}; known formats: {}", formats::names())),
        None => Ok(formats::chosen(common, &[])),
    }
}

fn report(error: &Unwritable, name: &Name) -> String {
    let (what, path) = match error {
        Unwritable::Json(error) if error.path().is_empty() => {
            (format!("this is no document in JSON: {}", error.message()), String::new())
        }
        Unwritable::Json(error) => (error.message().to_owned(), error.path().to_owned()),
        Unwritable::Value(error) => (error.reason().to_string(), error.path().to_string()),
    };
    let place = if path.is_empty() { String::new() } else { format!("\n  in {path}") };
    format!("{what}\n  --> {name}{place}")
}

/// The bytes, after their length if there is to be one.
fn framed(framing: Option<Framing>, bytes: Vec<u8>) -> Option<Vec<u8>> {
    let Some(framing) = framing else { return Some(bytes) };
    let length = u32::try_from(bytes.len()).ok()?;
    Some([&framing.length_bytes(length)[..], &bytes].concat())
}

fn written(writing: Writing, bytes: Vec<u8>) -> Vec<u8> {
    match writing {
        Writing::Raw => bytes,
        Writing::Hex => line(HEXLOWER.encode(&bytes)),
        Writing::Base64 => line(BASE64.encode(&bytes)),
    }
}

fn line(mut text: String) -> Vec<u8> {
    text.push('\n');
    text.into_bytes()
}

//! `enginewire encode --framing`: documents as one stream of values, each with its length before it.

use std::io;
use std::path::Path;

use enginewire::formats::AnyFormat;
use enginewire::godot::Framing;
use serde_json::value::RawValue;

use super::into::objects;
use super::{format_of, report, write, Args};
use crate::exit_status::Status;
use crate::formats;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::settings::Settings;

/// The values so far. They have one format, as a stream does not say which.
struct Stream {
    bytes: Vec<u8>,
    format: Option<&'static dyn AnyFormat>,
}

/// Encodes every document of every file. Nothing is written if one of them cannot be encoded.
pub fn run(
    args: &Args,
    framing: Framing,
    settings: &Settings,
    out: Option<&Path>,
    console: &mut Console,
) -> io::Result<Status> {
    let mut stream = Stream { bytes: Vec::new(), format: None };
    let status = each::each_whole(&args.files, settings, console, |input, console| {
        match stream.append_all(&input, framing, settings) {
            Ok(()) => Ok(Status::Fine),
            Err(message) => console.error(message).map(|()| Status::Malformed),
        }
    })?;
    if status != Status::Fine {
        return Ok(status);
    }
    write(&args.output.encode(stream.bytes), args, out, console)
}

impl Stream {
    /// Adds the documents in a file, each in a line or indented.
    fn append_all(&mut self, input: &Input, framing: Framing, settings: &Settings) -> Result<(), String> {
        let mut count = 0usize;
        objects(input, &mut |document: &RawValue, _, line| {
            count = count.saturating_add(1);
            self.append(document.get().as_bytes(), &input.name.at(&format!("line {line}")), framing, settings)
        })?;
        match count {
            0 => Err(format!("expected a JSON document\n  --> {}", input.name)),
            _ => Ok(()),
        }
    }

    fn append(&mut self, document: &[u8], name: &Name, framing: Framing, settings: &Settings) -> Result<(), String> {
        let at = |reason: String| format!("{reason}\n  --> {name}");
        let format = format_of(document, settings).map_err(at)?;
        let value = format.encode_json(document, &settings.formats).map_err(|error| report(&error, name))?;
        if formats::framing(format, &settings.formats).is_none() {
            let name = format.name();
            return Err(at(format!("values of {name} have no lengths before them; leave out --framing")));
        }
        let first = *self.format.get_or_insert(format);
        if first.name() != format.name() {
            let (first, name) = (first.name(), format.name());
            return Err(at(format!("the document is of the format {name}, but those before are of {first}")));
        }
        let too_long = |_| at("the value is too long for a frame: at most 4294967295 bytes".to_owned());
        let length = u32::try_from(value.len()).map_err(too_long)?;
        self.bytes.extend_from_slice(&framing.length_bytes(length));
        self.bytes.extend_from_slice(&value);
        Ok(())
    }
}

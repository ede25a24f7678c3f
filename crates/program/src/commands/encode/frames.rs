//! `enginewire encode --framing`: documents as one stream of values, each with its length before it.

use std::path::Path;

use enginewire::formats::AnyFormat;
use enginewire::godot::Framing;
use serde_json::value::RawValue;

use super::into::objects;
use super::{value, write, Args};
use crate::exit_status::{Done, Refusal, Status};
use crate::form::Form;
use crate::formats;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::settings::Settings;

/// The values so far. They have one format, because a stream does not name the format of each.
struct Stream<'l> {
    bytes: Vec<u8>,
    format: Option<&'static dyn AnyFormat>,
    framing: Framing,
    /// The value that gives the types.
    like: Option<&'l [u8]>,
    form: Form,
}

/// Encodes every document of every file. Nothing is written if one of them cannot be encoded.
pub fn run(
    args: &Args,
    framing: Framing,
    like: Option<&[u8]>,
    settings: &Settings,
    out: Option<&Path>,
    console: &mut Console,
) -> Done {
    let mut stream = Stream { bytes: Vec::new(), format: None, framing, like, form: args.form };
    let status = each::each_whole(&args.files, settings, console, |input, _| {
        stream.append_all(&input, settings)?;
        Ok(Status::Fine)
    })?;
    if status != Status::Fine {
        return Ok(status);
    }
    write(&args.text.encode(stream.bytes), args, out, console)
}

impl Stream<'_> {
    /// Adds the documents in a file, each in a line or indented.
    fn append_all(&mut self, input: &Input, settings: &Settings) -> Result<(), Refusal> {
        let mut count = 0usize;
        objects(input, &mut |document: &RawValue, _, line| {
            count = count.saturating_add(1);
            let name = input.name.at(&format!("line {line}"));
            self.append(document.get().as_bytes(), &name, settings)
        })?;
        match count {
            0 => Err(Status::Malformed.because("expected a JSON document").at(&input.name)),
            _ => Ok(()),
        }
    }

    fn append(&mut self, document: &[u8], name: &Name, settings: &Settings) -> Result<(), Refusal> {
        let at = |reason: String| Status::Malformed.because(reason).at(name);
        let (format, bytes) = value(document, name, self.like, self.form, settings)?;
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
        let length = u32::try_from(bytes.len()).map_err(too_long)?;
        self.bytes.extend_from_slice(&self.framing.length_bytes(length));
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }
}

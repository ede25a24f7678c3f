//! `enginewire inspect`

use std::io;

use crate::args::{Common, Inspect};
use crate::console::Console;
use crate::formats::{self, Format};
use crate::input::{self, Input};
use crate::layout::View;
use crate::status::Status;
use crate::tree_json;

/// Columns of output that is no terminal.
const COLUMNS: usize = 80;

pub fn run(args: &Inspect, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let mut first = true;
    input::each_value(&args.files, common, console, |input, console| {
        if !std::mem::take(&mut first) && !args.json {
            writeln!(console.out())?;
        }
        inspect(formats::chosen(common, &input.bytes), input, args, common, console)
    })
}

fn inspect(
    format: &dyn Format,
    input: &Input,
    args: &Inspect,
    common: &Common,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    if let Some(other) = &input.other {
        let message = format!("{}: {other}", input.name);
        // lines of JSON are trees, and nothing else
        let told = if args.json { console.remark(message) } else { writeln!(console.out(), "{message}") };
        return told.map(|()| Status::Fine);
    }
    let tree = format.inspect(&input.bytes, common);
    if args.json {
        writeln!(console.out(), "{}", tree_json::to_json(&tree, input, format.name())?)?;
    } else {
        View::new(&tree, input, format.name(), columns(args), args.verbose).write(console.out())?;
    }
    let Some(error) = tree.error() else { return Ok(Status::Fine) };
    console.error(error.report(&input.name, &input.bytes))?;
    Ok(Status::from(error))
}

/// How wide lines may be; as wide as they like, if everything is to be shown and no terminal sets a limit.
fn columns(args: &Inspect) -> Option<usize> {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((width, _)) => Some(width.0.into()),
        None => (!args.verbose).then_some(COLUMNS),
    }
}

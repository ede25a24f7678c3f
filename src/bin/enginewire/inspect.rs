//! `enginewire inspect`

use std::io;

use crate::args::{size_text, Common, Inspect};
use crate::console::Console;
use crate::exit_status::Status;
use crate::formats::{self, Format};
use crate::input::{self, Input};
use crate::layout::View;
use crate::styled_text::Line;
use crate::text::thousands;
use crate::theme::PLAIN;
use crate::tree_json;

/// Columns of output that is no terminal.
const COLUMNS: usize = 80;

pub fn run(args: &Inspect, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let mut count = 0u64;
    let highest = input::each_value(&args.files, common, console, |input, console| {
        count = count.saturating_add(1);
        if count > args.values {
            return Ok(Status::Fine);
        }
        if count > 1 && !args.json {
            writeln!(console.out())?;
        }
        inspect(formats::chosen(common, &input.bytes), input, args, common, console)
    })?;
    match count.saturating_sub(args.values) {
        0 => Ok(highest),
        more => {
            let [shown, more] = [args.values, more].map(thousands);
            console
                .error(format_args!("{more} more values are not shown: the limit is {shown}; --values allows more"))?;
            Ok(highest.max(Status::Malformed))
        }
    }
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
        let line = || Line::default().with(PLAIN, message.as_str());
        let told = if args.json { console.remark(&message) } else { writeln!(console.out(), "{}", line()) };
        return told.map(|()| Status::Fine);
    }
    let tree = format.inspect(&input.bytes, common);
    let limit = tree.limit().map(|_| common.memory());
    if args.json {
        tree_json::write(console.out(), &tree, limit, input, format.name())?;
    } else {
        View::new(&tree, input, format.name(), columns(args), args.verbose).write(console.out())?;
    }
    if let Some(limit) = limit {
        let limit = size_text(limit);
        let message = format!("the tree takes more memory than the limit of {limit}; --max-memory allows more");
        console.error(format_args!("{message}\n  --> {}", input.name))?;
        return Ok(Status::Malformed);
    }
    let Some(error) = tree.error() else { return Ok(Status::Fine) };
    console.error(error.report(&input.name.to_string(), &input.bytes))?;
    Ok(Status::from(error))
}

/// How wide lines may be; as wide as they like, if everything is to be shown and no terminal sets a limit.
fn columns(args: &Inspect) -> Option<usize> {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((width, _)) => Some(width.0.into()),
        None => (!args.verbose).then_some(COLUMNS),
    }
}

//! `enginewire inspect`

use std::cell::RefCell;
use std::ffi::OsString;
use std::iter;
use std::path::PathBuf;
use std::{env, io};

use enginewire::formats::AnyFormat;

use crate::commands::guess;
use crate::exit_status::{usage, Done, Status};
use crate::input::each;
use crate::input::opened::Input;
use crate::input::wanted::Wanted;
use crate::output::console::Console;
use crate::output::html::{begin_page, end_page};
use crate::output::layout::{ShownInput, View};
use crate::output::selection::Selection;
use crate::output::styled_text::{Form, Line};
use crate::output::text::thousands;
use crate::output::theme::PLAIN;
use crate::output::tree_json::{End, JsonTree};
use crate::settings::Settings;
use crate::size::size_text;
use enginewire_files::containers::ValueAddress;

/// Show every field next to its bytes, or find out what a file is
#[derive(Debug, clap::Args)]
#[command(override_usage = "enginewire inspect [OPTIONS] [FILE|DIR]… [-- ADDRESS]")]
#[command(after_help = include_str!("../help/inspect.txt"))]
pub struct Args {
    /// Files or folders, or `-`, the default. An ADDRESS follows `--`
    #[arg(value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,

    /// After `--`: the address of a value in the files
    #[arg(value_name = "ADDRESS", last = true, hide = true)]
    pub after: Vec<OsString>,

    /// Show the byte range of each field, and all bytes
    #[arg(short, long)]
    pub verbose: bool,

    /// Write the tree as JSON, one line per file
    #[arg(long)]
    pub json: bool,

    /// Write the trees as one page of HTML
    #[arg(long, conflicts_with = "json")]
    pub html: bool,

    #[command(flatten)]
    pub selection: Selection,

    /// Most values to show
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub values: u64,

    /// List the formats that a file may have
    #[arg(long, conflicts_with_all = ["html", "search"])]
    pub guess: bool,

    /// List the values that begin anywhere in a file
    #[arg(long, conflicts_with = "html")]
    pub search: bool,
}

impl Args {
    /// Returns true if the output has colours.
    pub fn is_painted(&self) -> bool {
        !(self.json || self.html || self.guess || self.search)
    }
}

/// Width of output that is not a terminal.
const COLUMNS: usize = 80;

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    let mut rest = each::texts(&args.after)?;
    let address = rest.pop();
    if !rest.is_empty() || (address.is_some() && (args.guess || args.search)) {
        let message =
            "give one ADDRESS after `--`, and none with --guess and --search; see `enginewire help addresses`";
        return Err(usage(message).into());
    }
    if args.guess || args.search {
        return guess::run(
            &guess::Args { files: &args.files, json: args.json, search: args.search },
            settings,
            console,
        );
    }
    if args.html {
        begin_page(console.out())?;
    }
    let status = each_tree(args, &args.files, address.as_deref(), settings, console);
    if args.html {
        end_page(console.out())?;
    }
    status
}

/// Shows all values of all files, or those with an address.
fn each_tree(
    args: &Args,
    files: &[PathBuf],
    address: Option<&str>,
    settings: &Settings,
    console: &mut Console,
) -> Done {
    let (mut is_empty, mut is_there, mut count) = (true, false, 0u64);
    let looks_for_some = args.selection.looks_for_some() || address.is_some();
    let highest = each::each_value(files, settings, console, |format, input, console| {
        is_empty = false;
        if let Some(text) = address {
            let is_at = |own: &ValueAddress<'_>| Wanted::parse(own.syntax(), text).map(|wanted| wanted.fits(own));
            if !input.address.as_ref().map_or(Ok(false), is_at)? {
                return Ok(Status::Fine);
            }
        }
        is_there = true;
        // what is looked for may be in a later one
        if count >= args.values && !looks_for_some {
            count = count.saturating_add(1);
            return Ok(Status::Fine);
        }
        inspect(format, input, args, settings, &mut count, console)
    })?;
    if count == 0 && !is_empty && looks_for_some && highest == Status::Fine {
        let message = match address {
            Some(address) if !is_there => {
                format!("no value {address}; `enginewire ls` lists the addresses")
            }
            _ => "no field matches --path or --find; leave them out to see all fields".to_owned(),
        };
        return Err(Status::NotFound.because(message).into());
    }
    match count.saturating_sub(args.values) {
        0 => Ok(highest),
        more => {
            let [shown, more] = [args.values, more].map(thousands);
            let what = if looks_for_some { "values that match" } else { "values" };
            let message = format!("{more} more {what} are not shown: the limit is {shown}; raise it with --values");
            console.remark(message)?;
            Ok(highest)
        }
    }
}

fn inspect(
    format: &dyn AnyFormat,
    input: &Input,
    args: &Args,
    settings: &Settings,
    // how many were shown, or would have been
    count: &mut u64,
    console: &mut Console,
) -> Done {
    let mut begin = |console: &mut Console| {
        *count = count.saturating_add(1);
        match args.html {
            _ if *count > args.values => return Ok(false),
            true => write!(console.out(), "<pre>")?,
            false if *count > 1 && !args.json => writeln!(console.out())?,
            false => {}
        }
        Ok::<_, io::Error>(true)
    };
    if let Some(other) = &input.other {
        if !args.selection.is_all() {
            return Ok(Status::Fine);
        }
        if !begin(console)? {
            return Ok(Status::Fine);
        }
        let message = format!("{}: {other}", input.name);
        // with --json, standard output has trees only
        if args.json {
            console.remark(&message)?;
            return Ok(Status::Fine);
        }
        let form = form(args, console);
        Line::default().with(PLAIN, message).write(console.out(), form)?;
        end(args, console)?;
        return Ok(Status::Fine);
    }
    let selection = &args.selection;
    let end = RefCell::new(End::default());
    let parts = format.inspect_parts(&input.bytes, &settings.formats, args.selection.levels()).map(|mut part| {
        part.tree = if input.is_complete { part.tree.of_complete_input() } else { part.tree };
        let limit = part.tree.limit().map(|_| settings.memory());
        end.replace(End { error: part.tree.error().cloned(), limit, gap: part.tree.gap() });
        part
    });
    let mut parts = selection.parts(parts, &input.bytes, !args.json);
    // the chosen fields may be in later parts, or in the next value
    if let Some(first) = parts.find(|part| !selection.looks_for_some() || part.tree.nodes().len() > 0) {
        if !begin(console)? {
            // counted, and not shown
        } else if args.json {
            let length = first.tree.length();
            let parts = iter::once(first).chain(parts);
            JsonTree::new(&input.name, format.name(), (input.start, length), parts, &end).write(console.out())?;
        } else {
            let stored = input.origin.as_ref().and_then(|origin| origin.about.stored());
            let source =
                ShownInput { name: &input.name, bytes: &input.bytes, start: input.start, stored: stored.as_deref() };
            let view = View::new(&first.tree, &source, format.name(), columns(args), args.verbose)
                .form(form(args, console), if args.html { None } else { terminal() });
            view.title(console.out())?;
            view.parts(console.out(), iter::once(first).chain(parts))?;
            self::end(args, console)?;
        }
    }
    let End { error, limit, .. } = end.take();
    if let Some(limit) = limit {
        let limit = size_text(limit);
        let message = format!("the tree takes more memory than the limit of {limit}; raise it with --max-memory");
        return Ok(console.refused(Status::Malformed.because(message).at(&input.name))?);
    }
    error.map_or(Ok(Status::Fine), |error| input.report(error, format, settings, console))
}

/// Ends what was shown of a value.
fn end(args: &Args, console: &mut Console) -> io::Result<()> {
    if args.html {
        writeln!(console.out(), "</pre>")
    } else {
        Ok(())
    }
}

/// The output form of lines.
fn form(args: &Args, console: &Console) -> Form {
    match console.is_styled() {
        _ if args.html => Form::Html,
        true => Form::Terminal,
        false => Form::Plain,
    }
}

/// The width of lines. None is set with `--verbose`, except by a terminal; and none in HTML, which scrolls.
fn columns(args: &Args) -> Option<usize> {
    if args.html {
        return None;
    }
    terminal().or_else(|| (!args.verbose).then_some(COLUMNS))
}

/// The width that COLUMNS names, or that of the terminal, if there is one.
pub fn terminal() -> Option<usize> {
    if let Some(columns) =
        env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0)
    {
        return Some(columns);
    }
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

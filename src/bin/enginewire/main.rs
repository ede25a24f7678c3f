//! The program `enginewire`: decodes, encodes, checks and explains binary values that game engines write.
//!
//! Arguments in, library calls, output. What a format is made of is the library's business; a format joins the program
//! in [`formats`].

#![allow(missing_docs, unreachable_pub)] // a program has no users of its items

mod args;
mod atomic_write;
mod check;
mod console;
mod containers;
mod decode;
mod diff;
mod encode;
mod encode_into;
mod exit_status;
mod formats;
mod get;
mod input;
mod inspect;
mod layout;
mod list;
mod man;
mod models;
mod name;
mod permits;
mod scan;
mod set;
mod signals;
mod spool;
mod stats;
mod styled_text;
mod temporary;
mod text;
mod theme;
mod tree_json;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use anstream::adapter::strip_str;
use clap::Parser;

use args::{Args, Color, Command};
use console::{print_error, Console};
use exit_status::Status;

/// Enough for the deepest nesting that can be asked for, in any build. Not every system gives its first thread as much.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    signals::prepare();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(message) => return told(&message),
    };
    thread::scope(|scope| {
        let work = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || status(&args));
        match work.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(status)) => status.into(),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                print_error(args.common.quiet, args.common.color, format_args!("cannot start a thread: {error}"));
                Status::Io.into()
            }
        }
    })
}

/// Tells what is wrong with the arguments, or the help or the version that they ask for.
fn told(message: &clap::Error) -> ExitCode {
    let status = ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(Status::Usage.code()));
    if message.use_stderr() {
        // who closed standard error does not want to know
        let _ = tell_usage(message);
        return status;
    }
    let written = message.print().and_then(|()| io::stdout().flush());
    written.map_or_else(|error| unwritten(&error, false, Color::Auto).into(), |()| status)
}

/// Tells what is wrong with the arguments, which may be anything.
fn tell_usage(message: &clap::Error) -> io::Result<()> {
    let is_unprintable = |arg: &&str| arg.contains(text::is_unprintable);
    let args: Vec<_> = env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let values = args.iter().filter_map(|arg| Some(arg.split_once('=')?.1));
    let hostile: Vec<_> = args.iter().map(String::as_str).chain(values).filter(is_unprintable).collect();
    if hostile.is_empty() {
        return message.print();
    }
    let escape = |text: String, arg: &&str| text.replace(*arg, &text::escaped(arg));
    let text = hostile.iter().fold(message.render().ansi().to_string(), escape);
    let text = strip_str(&text).to_string();
    let lines: Vec<_> = text.trim_end().split('\n').map(text::escaped).collect();
    writeln!(io::stderr(), "{}", lines.join("\n"))
}

/// The status that an error of writing to standard output gives.
fn unwritten(error: &io::Error, quiet: bool, color: Color) -> Status {
    // whoever read the output has seen enough
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Status::Fine;
    }
    print_error(quiet, color, format_args!("cannot write to standard output: {error}"));
    Status::Io
}

fn status(args: &Args) -> Status {
    run(args).unwrap_or_else(|error| unwritten(&error, args.common.quiet, args.common.color))
}

/// The error is that of writing to standard output; all others are told as they come.
fn run(args: &Args) -> io::Result<Status> {
    let common = &args.common;
    let mut console = match &args.command {
        Command::Inspect(inspect) if !inspect.json => Console::painted(common),
        _ => Console::plain(common),
    };
    let status = match &args.command {
        Command::Inspect(inspect) => inspect::run(inspect, common, &mut console),
        Command::Decode(decode) => decode::run(decode, common, &mut console),
        Command::Encode(encode) => encode::run(encode, common, &mut console),
        Command::Check(check) => check::run(check, common, &mut console),
        Command::Stats(stats) => stats::run(stats, common, &mut console),
        Command::Get(get) => get::run(get, common, &mut console),
        Command::Set(set) => set::run(set, common, &mut console),
        Command::Scan(scan) => scan::run(scan, common, &mut console),
        Command::Diff(diff) => diff::run(diff, common, &mut console),
        Command::Formats(list) => list::run(list, &mut console),
        Command::Completions(completions) => man::completions(completions, &mut console),
        Command::Man(manual) => man::manual(manual, &mut console),
    }?;
    console.flush()?;
    Ok(status)
}

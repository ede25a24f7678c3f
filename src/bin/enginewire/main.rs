//! The program `enginewire`: decodes, encodes, checks and explains binary values that game engines write.
//!
//! Arguments in, library calls, output. What a format is made of is the library's business; a format joins the program
//! in [`formats`].

#![allow(missing_docs, unreachable_pub)] // a program has no users of its items

mod args;
mod atomic_write;
mod carriers;
mod check;
mod console;
mod decode;
mod diff;
mod encode;
mod formats;
mod get;
mod input;
mod inspect;
mod layout;
mod line;
mod list;
mod models;
mod name;
mod pages;
mod put;
mod scan;
mod set;
mod signals;
mod stats;
mod status;
mod styles;
mod temporary;
mod tree_json;
mod words;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use args::{Args, Color, Command};
use console::{complain, Console};
use status::Status;

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
                complain(args.common.quiet, args.common.color, format_args!("cannot start a thread: {error}"));
                Status::Io.into()
            }
        }
    })
}

/// Tells what is wrong with the arguments, or the help or the version that they ask for.
fn told(message: &clap::Error) -> ExitCode {
    let written = message.print().and_then(|()| io::stdout().flush());
    match written {
        Err(error) if !message.use_stderr() => unwritten(&error, false, Color::Auto).into(),
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(Status::Usage.code())),
    }
}

/// The status that an error of writing to standard output gives.
fn unwritten(error: &io::Error, quiet: bool, color: Color) -> Status {
    // whoever read the output has seen enough
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Status::Fine;
    }
    complain(quiet, color, format_args!("cannot write to standard output: {error}"));
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
        Command::Completions(completions) => pages::completions(completions, &mut console),
        Command::Man(manual) => pages::manual(manual, &mut console),
    }?;
    console.flush()?;
    Ok(status)
}

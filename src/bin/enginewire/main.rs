//! The program `enginewire`: decodes, encodes, checks and explains binary values that game engines write.
//!
//! Arguments in, library calls, output. What a format is made of is the library's business; a format joins the program
//! in [`formats`].

#![allow(missing_docs, unreachable_pub)] // a program has no users of its items

mod args;
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
mod permits;
mod put;
mod save;
mod scan;
mod set;
mod spool;
mod stats;
mod status;
mod styles;
mod tree_json;
mod words;

use std::io;
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use args::{Args, Command};
use console::{complain, Console};
use status::Status;

/// Enough for the deepest nesting that can be asked for, in any build. Not every system gives its first thread as much.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let args = Args::parse();
    let work = thread::Builder::new().stack_size(STACK).spawn(move || status(&args));
    match work.map(thread::JoinHandle::join) {
        Ok(Ok(status)) => status.into(),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(_) => Status::Io.into(),
    }
}

fn status(args: &Args) -> Status {
    match run(args) {
        Ok(status) => status,
        // whoever read the output has seen enough
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Fine,
        Err(error) => {
            complain(&args.common, format_args!("cannot write to standard output: {error}"));
            Status::Io
        }
    }
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

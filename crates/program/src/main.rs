//! The program `enginewire`: decodes, encodes, checks and explains binary values that game engines write.
//!
//! It parses arguments, calls the library and writes output. [`args`] has the command line, [`commands`] the commands,
//! [`input`] and [`files`] what they read, [`output`] what they write; [`formats`] chooses among the formats of the library.

#![allow(missing_docs, unreachable_pub)] // a program has no users of its items

mod args;
mod changes;
mod commands;
mod exit_status;
mod files;
mod form;
mod formats;
mod input;
mod output;
mod settings;
mod size;

mod text_encoding;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use anstream::adapter::strip_str;
use anstream::ColorChoice;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use enginewire::formats::{nearest, FormatOptions};
use enginewire_files::godot::Layers;

use args::{Args, Command};
use commands::{check, completions, convert, copy, decode, diff, edit, encode, get, help, inspect, ls, man, set};
use exit_status::{Failure, Status};
use files::read::{head, is_pack};
use files::signals;
use output::console::{print_error, Console};
use output::escape;

/// Enough stack for the deepest nesting that can be asked for, in any build. Not every system gives its first thread as much.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    signals::prepare();
    let args = match parsed(env::args_os().collect()) {
        Ok(args) => args,
        Err(mut message) => return print_message(&mut message),
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

/// Names that other programs have for commands, and what they are here.
const COMMANDS: [(&[&str], &str); 8] = [
    (&["cat", "show", "print", "read", "dump"], "get FILE"),
    (&["scan", "grep", "find"], "get DIR"),
    (&["list", "tree", "dir"], "ls FILE"),
    (&["stats", "count", "summary"], "ls --summary FILE"),
    (&["guess", "identify", "file"], "inspect --guess FILE"),
    (&["repair", "fix"], "check --fix cut FILE"),
    (&["validate", "verify", "test"], "check FILE"),
    (&["formats", "types"], "help formats"),
];

/// Options that left, and what took their place.
const OPTIONS: [(&str, &str); 4] = [
    ("--shard", "split a list of files: `split -n r/1/8 LIST | enginewire get --files-from -`; see docs/scale.md"),
    ("--failed", "rows with errors name the file: `jq -r 'select(.error).file'`, for --files-from; see docs/scale.md"),
    ("--resume", "split a list of files, and read what is not done with --files-from; see docs/scale.md"),
    ("unverified", "packets with types that no capture shows are not read"),
];

/// The arguments of the program. A file without a command is listed. A path after the name of a pack is that of an entry.
fn parsed(mut arguments: Vec<OsString>) -> Result<Args, clap::Error> {
    let mut program = Args::command();
    let is_entry = |(place, argument): (usize, &OsString)| {
        let before = arguments.get(place.saturating_sub(1)).map(Path::new);
        // a pack may be in layers
        let is_in_layers = |file: &Path| {
            head(file, Layers::HEAD)
                .is_ok_and(|head| !head.is_empty() && Layers::may_begin(&head, &FormatOptions::new()))
        };
        let may_be_pack = |file: &Path| is_pack(file) || is_in_layers(file);
        argument.to_string_lossy().starts_with("res://") && before.is_some_and(may_be_pack)
    };
    let copies = arguments.iter().any(|argument| argument == "copy");
    if let Some(place) = arguments.iter().enumerate().position(is_entry).filter(|_| !copies) {
        arguments.insert(place, "--entry".into());
    }
    let matches = match program.try_get_matches_from_mut(&arguments) {
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            let name = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(name)) => name,
                _ => return Err(error),
            };
            let is_file = |name: &str| name == "-" || name.contains(['.', '/', '\\']) || Path::new(name).exists();
            let place = arguments.iter().skip(1).position(|argument| argument.to_string_lossy() == *name);
            let Some(place) = place.filter(|_| is_file(name)) else {
                let other = COMMANDS.iter().find_map(|(names, command)| names.contains(&&**name).then_some(*command));
                let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
                let other = other.or_else(|| nearest(name, names.into_iter()).first().copied());
                let Some(command) = other.map(str::to_owned) else { return Err(error) };
                let message = format!("no command {name}; did you mean `enginewire {command}`?");
                return Err(program.error(ErrorKind::InvalidSubcommand, message));
            };
            arguments.insert(place.saturating_add(1), "ls".into());
            program.try_get_matches_from_mut(&arguments)
        }
        matches => matches,
    };
    let matches = matches.map_err(|error| {
        let given = [ContextKind::InvalidArg, ContextKind::InvalidValue].into_iter().filter_map(|kind| error.get(kind));
        let mut left = given.filter_map(|given| OPTIONS.iter().find(|(name, _)| given.to_string() == *name));
        match left.next() {
            Some((name, instead)) => program.error(error.kind(), format!("{name} is gone: {instead}")),
            None => error,
        }
    })?;
    args::refuse_unused(&mut program, &matches)?;
    Args::from_arg_matches(&matches)
}

/// Prints what is wrong with the arguments, or the help or version that they ask for.
fn print_message(message: &mut clap::Error) -> ExitCode {
    // it advises to pass a mistyped option as a value
    message.remove(ContextKind::Suggested);
    let status = ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(Status::Usage.code()));
    if message.use_stderr() {
        // a closed standard error is not an error
        let _ = print_usage_error(message);
        return status;
    }
    let written = message.print().and_then(|()| io::stdout().flush());
    written.map_or_else(|error| output_error(&error, false, ColorChoice::Auto).into(), |()| status)
}

/// Prints what is wrong with the arguments, with control characters in them escaped.
fn print_usage_error(message: &clap::Error) -> io::Result<()> {
    let is_unprintable = |arg: &&str| arg.contains(enginewire::notation::is_unprintable);
    let args: Vec<_> = env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let values = args.iter().filter_map(|arg| Some(arg.split_once('=')?.1));
    let hostile: Vec<_> = args.iter().map(String::as_str).chain(values).filter(is_unprintable).collect();
    if hostile.is_empty() {
        return message.print();
    }
    let escape = |text: String, arg: &&str| text.replace(*arg, &escape::escaped(arg));
    let text = hostile.iter().fold(message.render().ansi().to_string(), escape);
    let text = strip_str(&text).to_string();
    let lines: Vec<_> = text.trim_end().split('\n').map(escape::escaped).collect();
    writeln!(io::stderr(), "{}", lines.join("\n"))
}

/// The status that an error of writing to standard output gives.
fn output_error(error: &io::Error, quiet: bool, color: ColorChoice) -> Status {
    // the reader of a pipe has closed it
    if error.kind() == io::ErrorKind::BrokenPipe {
        signals::end_by_closed_pipe();
        return Status::Io;
    }
    print_error(quiet, color, format_args!("cannot write to standard output: {error}"));
    Status::Io
}

fn status(args: &Args) -> Status {
    run(args).unwrap_or_else(|error| output_error(&error, args.common.quiet, args.common.color))
}

/// Runs the command. The error is that of writing to standard output; all others are printed as they occur.
fn run(args: &Args) -> io::Result<Status> {
    let (quiet, color) = (args.common.quiet, args.common.color);
    let settings = &match args.settings() {
        Ok(settings) => settings,
        Err(error) => {
            print_error(quiet, color, format_args!("{error}"));
            return Ok(Status::Usage);
        }
    };
    let mut console = match &args.command {
        Command::Inspect(inspect) if inspect.is_painted() => Console::painted(quiet, color),
        Command::Diff(diff) if !diff.json => Console::painted(quiet, color),
        _ => Console::plain(quiet, color),
    };
    let done = match &args.command {
        Command::Ls(args) => ls::run(args, settings, &mut console),
        Command::Get(args) => get::run(args, settings, &mut console),
        Command::Set(args) => set::run(args, settings, &mut console),
        Command::Edit(args) => edit::run(args, settings, &mut console),
        Command::Copy(args) => copy::run(args, settings, &mut console),
        Command::Diff(args) => diff::run(args, settings, &mut console),
        Command::Check(args) => check::run(args, settings, &mut console),
        Command::Inspect(args) => inspect::run(args, settings, &mut console),
        Command::Decode(args) => decode::run(args, settings, &mut console),
        Command::Encode(args) => encode::run(args, settings, &mut console),
        Command::Convert(args) => convert::run(args, settings, &mut console),
        Command::Help(args) => help::run(args, Args::command(), &mut console),
        Command::Completions(args) => completions::run(args, Args::command(), &mut console).map_err(Failure::from),
        Command::Man(args) => man::run(args, Args::command(), &mut console),
    };
    let status = console.told(done)?;
    console.flush()?;
    Ok(status)
}

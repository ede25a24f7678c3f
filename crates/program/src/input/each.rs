//! Every input of a command, one by one: files, values in containers, framed values.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use enginewire::formats::AnyFormat;
use enginewire_files::containers::ContainerKind;
use enginewire_files::godot::FramedFile;
use enginewire_files::scan::is_model;

use crate::exit_status::{usage, Done, Failure, Placed, Refusal, Status};
use crate::files::walk;
use crate::formats;
use crate::input::assignment::is_assignment;
use crate::input::opened::{each_of, Input, OpenFile, Work};
use crate::output::console::Console;
use crate::output::escape::argument;
use crate::output::name::shown;
use crate::settings::Settings;

/// These files, or standard input if there are none.
pub fn or_standard_input(files: &[PathBuf], console: &mut Console) -> io::Result<Vec<PathBuf>> {
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    if files == stdin && io::stdin().is_terminal() {
        console.remark("reading from the terminal; end the input with Ctrl-D")?;
    }
    Ok(files.to_vec())
}

/// FILE, and ADDRESS and what follows it: after `--` if there may be several files, else after the first argument. `after` is what
/// follows `--`. Nothing is looked up on the disk.
///
/// # Errors
///
/// If an address or a path is not UTF-8, or there are several files without `--`.
pub fn files_first(arguments: &[OsString], after: &[OsString]) -> Result<(Vec<PathBuf>, Vec<String>), Refusal> {
    if has_end() {
        return Ok((arguments.iter().map(PathBuf::from).collect(), texts(after)?));
    }
    let Some((first, rest)) = arguments.split_first() else { return Ok((Vec::new(), Vec::new())) };
    if let Some(last) = rest.iter().rposition(|argument| is_like_file(argument, first)) {
        let behind = rest.get(last.saturating_add(1)..).unwrap_or_default();
        return Err(usage(format!("several files come before `--`: {}", with_end(behind))));
    }
    Ok((vec![PathBuf::from(first)], texts(rest)?))
}

/// Returns true if `--` is among the arguments.
pub fn has_end() -> bool {
    env::args_os().any(|argument| argument == "--")
}

/// The command line with `--` before these arguments, for a shell.
pub fn with_end(behind: &[OsString]) -> String {
    let mut before: Vec<_> = env::args_os().skip(1).collect();
    for argument in behind.iter().rev() {
        if let Some(at) = before.iter().rposition(|other| other == argument) {
            before.remove(at);
        }
    }
    let words = |all: &[OsString]| all.iter().map(|word| argument(&word.to_string_lossy())).collect::<Vec<_>>();
    [vec!["enginewire".to_owned()], words(&before), vec!["--".to_owned()], words(behind)].concat().join(" ")
}

/// Returns true if an argument is called like a file after the first one. A name in an address is quoted if it looks so.
fn is_like_file(argument: &OsString, first: &OsString) -> bool {
    let (path, text) = (Path::new(argument), argument.to_string_lossy());
    let extension = |name: &OsString| Path::new(name).extension().map(ToOwned::to_owned);
    let is_like = extension(argument).is_some_and(|own| own.to_string_lossy().chars().all(char::is_alphanumeric))
        && extension(argument) == extension(first)
        && !is_assignment(&text);
    text == "-" || is_model(path) || is_like || ["./", "../", "/"].iter().any(|start| text.starts_with(start))
}

/// An address and what follows it.
pub fn texts(arguments: &[OsString]) -> Result<Vec<String>, Refusal> {
    arguments.iter().map(text).collect()
}

/// An address or a path.
///
/// # Errors
///
/// If it is not UTF-8.
fn text(name: &OsString) -> Result<String, Refusal> {
    let refusal = || usage(format!("{} is not UTF-8", shown(Path::new(name))));
    name.to_str().map(str::to_owned).ok_or_else(refusal)
}

/// Calls `work` with every file, also with those in folders; reports those that cannot be read. Returns the highest status.
pub fn each(
    open: fn(&Path, &Settings) -> Result<OpenFile, Refusal>,
    files: &[PathBuf],
    settings: &Settings,
    console: &mut Console,
    mut work: impl FnMut(OpenFile, &mut Console) -> Done,
) -> Done {
    let mut highest = Status::Fine;
    for file in walk::all(or_standard_input(files, console)?, settings) {
        let opened = file.and_then(|file| {
            // it may be meant for an address
            let is_there = files.is_empty() || files.first() == Some(&file) || file == Path::new("-") || file.exists();
            let advice = if is_there { "" } else { "; `enginewire get FILE ADDRESS` reads a value in a file" };
            let opened = open(&file, settings);
            opened.map_err(|refusal| refusal.hint(advice))
        });
        let mut fault = None;
        let done = opened.map_err(Failure::from).and_then(|mut opened| {
            fault = opened.fault.take();
            work(opened, console)
        });
        highest = highest.max(console.told(done)?);
        if let Some(fault) = fault {
            highest = highest.max(console.refused(fault)?);
        }
    }
    Ok(highest)
}

/// Calls `work` with every JSON document. One in a cut layer is not read, because something is written for each.
pub fn each_whole(
    files: &[PathBuf],
    settings: &Settings,
    console: &mut Console,
    mut work: impl FnMut(Input<'static>, &mut Console) -> Done,
) -> Done {
    each(OpenFile::open, files, settings, console, |opened, console| work(opened.all_text()?, console))
}

/// Calls `work` with the bytes of every file, or with every value in it if it is a container.
pub fn each_value(
    files: &[PathBuf],
    settings: &Settings,
    console: &mut Console,
    mut work: impl FnMut(&'static dyn AnyFormat, &Input, &mut Console) -> Done,
) -> Done {
    each(OpenFile::open_partial, files, settings, console, |mut opened, console| {
        match (opened.container(settings)?, formats::of_stream(settings)) {
            (Some(container), _) => opened.each_embedded(container, settings, console, &mut work),
            (None, Some((format, framing))) => opened.each_framed(format, framing, console, &mut work),
            (None, None) => each_of_file(&opened.all_consuming()?, settings, console, &mut work),
        }
    })
}

/// Calls `work` with the bytes of a file that is not a container, or with every framed value in it.
pub fn each_of_file(file: &Input, settings: &Settings, console: &mut Console, work: &mut Work<'_>) -> Done {
    let Some(framing) = formats::framing_of(settings) else {
        let format = formats::chosen(settings, &file.bytes).map_err(|refusal| match file.name.layers() {
            Some(_) => refusal.hint("; `enginewire get --bytes FILE` writes what is inside"),
            None => refusal,
        });
        return work(format.at(&file.name)?, file, console);
    };
    let frames = FramedFile::new(file.bytes.as_slice(), framing);
    let format = formats::of_values(ContainerKind::Frames(framing).formats(), &frames, settings).at(&file.name)?;
    // errors of a frame are reported with the frame
    let each = &mut |input: &Input, console: &mut Console| work(format, input, console);
    each_of(&frames, (&file.name, file.start), false, console, each).map(|(highest, _)| highest)
}

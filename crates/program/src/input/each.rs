//! Every input of a command, one by one: files, values in containers, framed values.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use enginewire::formats::AnyFormat;
use enginewire_files::containers::ContainerKind;
use enginewire_files::godot::FramedFile;
use enginewire_files::scan::is_model;

use crate::exit_status::{Done, Failure, Refusal, Status};
use crate::files::walk;
use crate::formats;
use crate::input::opened::{at, each_of, Input, OpenFile, Work};
use crate::output::console::Console;
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

/// The files at the beginning of arguments, and the others, which are an address and a path. The first argument is a file. One
/// after it is a file if it exists or is called like a model. A folder needs a dot or a slash in its name, because an instance
/// may be called `Workspace`.
///
/// # Errors
///
/// If an address or a path is not UTF-8.
pub fn files_first(arguments: &[OsString]) -> Result<(Vec<PathBuf>, Vec<String>), Refusal> {
    let is_file = |name: &OsString| {
        let (path, bytes) = (Path::new(name), name.as_encoded_bytes());
        bytes == b"-"
            || path.is_file()
            || is_model(path)
            || (path.exists() && bytes.iter().any(|byte| b"./\\".contains(byte)))
    };
    let more = arguments.iter().skip(1).take_while(|name| is_file(name)).count();
    let (files, rest) = arguments.split_at(more.saturating_add(1).min(arguments.len()));
    let rest = rest.iter().map(text).collect::<Result<_, _>>()?;
    Ok((files.iter().map(PathBuf::from).collect(), rest))
}

/// An address or a path.
///
/// # Errors
///
/// If it is not UTF-8.
pub fn text(name: &OsString) -> Result<String, Refusal> {
    let refusal = || (Status::Usage, format!("{} is not UTF-8, and no such file exists", shown(Path::new(name))));
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
            opened.map_err(|(status, message)| (status, message + advice))
        });
        let mut fault = None;
        let done = opened.map_err(Failure::from).and_then(|mut opened| {
            fault = opened.fault.take();
            work(opened, console)
        });
        highest = highest.max(console.told(done)?);
        if let Some(fault) = fault {
            highest = highest.max(console.told(Err(fault.into()))?);
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
    let refused = |refusal| at(&file.name, refusal);
    let Some(framing) = formats::framing_of(settings) else {
        return work(formats::chosen(settings, &file.bytes).map_err(refused)?, file, console);
    };
    let frames = FramedFile::new(file.bytes.as_slice(), framing);
    let format = formats::of_values(ContainerKind::Frames(framing).formats(), &frames, settings).map_err(refused)?;
    // errors of a frame are reported with the frame
    let each = &mut |input: &Input, console: &mut Console| work(format, input, console);
    each_of(&frames, (&file.name, file.start), false, console, each).map(|(highest, _)| highest)
}

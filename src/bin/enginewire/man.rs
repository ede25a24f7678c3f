//! `enginewire completions` and `enginewire man`, both made of the definitions of the arguments.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Args, Completions, Manual};
use crate::atomic_write::save;
use crate::console::Console;
use crate::exit_status::Status;
use crate::name::shown;

pub fn completions(args: &Completions, console: &mut Console<'_>) -> io::Result<Status> {
    // it panics if it cannot write
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "enginewire", &mut script);
    console.out().write_all(&script)?;
    Ok(Status::Fine)
}

pub fn manual(args: &Manual, console: &mut Console<'_>) -> io::Result<Status> {
    let mut program = Args::command();
    program.build();
    if let Some(dir) = &args.dir {
        if let Err(error) = fs::create_dir_all(dir) {
            console.error(format_args!("cannot write to {}: {error}", shown(dir)))?;
            return Ok(Status::Io);
        }
        return pages(program, dir, console);
    }
    let page = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                console.error(format_args!("there is no command {name:?}"))?;
                return Ok(Status::Usage);
            }
        },
    };
    Man::new(page).render(&mut console.out())?;
    Ok(Status::Fine)
}

/// Writes the page of a command, and those of its commands. The status is the highest of all.
fn pages(command: Command, dir: &Path, console: &mut Console<'_>) -> io::Result<Status> {
    let mut highest = Status::Fine;
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        highest = highest.max(pages(command.clone(), dir, console)?);
    }
    let page = Man::new(command);
    let path = dir.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    if let Err(error) = save(&path, &text, false) {
        console.error(format_args!("cannot write {}: {error}", shown(&path)))?;
        return Ok(highest.max(Status::Io));
    }
    Ok(highest)
}

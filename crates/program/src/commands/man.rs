//! `enginewire man`

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

use crate::exit_status::{usage, Done, Status};
use crate::files::atomic_write::save;
use crate::files::destination::unwritable;
use crate::output::console::Console;
use crate::output::name::shown;

/// Print a manual page
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/man.txt"))]
pub struct Args {
    /// Command to print the page of; without it, that of the whole program
    pub command: Option<String>,

    /// Write all pages to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

pub fn run(args: &Args, mut program: Command, console: &mut Console) -> Done {
    // the page of the program has the options that `help reading` lists
    program = program.mut_args(|option| option.hide(false));
    program.build();
    if let Some(dir) = &args.dir {
        fs::create_dir_all(dir)
            .map_err(|error| Status::Io.because(format!("cannot write to {}: {error}", shown(dir))))?;
        return Ok(pages(program, dir, console)?);
    }
    let page = match &args.command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).cloned();
            found.ok_or_else(|| usage(format!("no command {name:?}")))?
        }
    };
    Man::new(page).render(&mut console.out())?;
    Ok(Status::Fine)
}

/// Writes the page of a command, and those of its commands. The status is the highest of all.
fn pages(command: Command, dir: &Path, console: &mut Console) -> io::Result<Status> {
    let mut highest = Status::Fine;
    // `help` has the same text as the pages
    let has_page = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    for command in command.get_subcommands().filter(has_page) {
        highest = highest.max(pages(command.clone(), dir, console)?);
    }
    let page = Man::new(command);
    let path = dir.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    match save(&path, &text, false) {
        Ok(()) => Ok(highest),
        Err(error) => Ok(highest.max(console.refused(unwritable(&path, &error))?)),
    }
}

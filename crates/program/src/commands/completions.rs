//! `enginewire completions`

use std::io;

use clap::Command;

use crate::exit_status::Status;
use crate::output::console::Console;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/completions.txt"))]
pub struct Args {
    /// Name of the shell
    pub shell: clap_complete::Shell,
}

pub fn run(args: &Args, mut program: Command, console: &mut Console) -> io::Result<Status> {
    // the generator panics if it cannot write
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "enginewire", &mut script);
    console.out().write_all(&script)?;
    Ok(Status::Fine)
}

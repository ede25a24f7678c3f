//! `enginewire completions` and `enginewire man`, both made of the definitions of the arguments.

use std::fs;
use std::io;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Args, Completions, Manual};
use crate::console::Console;
use crate::name::shown;
use crate::status::Status;

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
        let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(program, dir));
        if let Err(error) = written {
            console.error(format_args!("cannot write to {}: {error}", shown(dir)))?;
            return Ok(Status::Io);
        }
        return Ok(Status::Fine);
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

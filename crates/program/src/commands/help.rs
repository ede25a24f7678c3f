//! `enginewire help`

use std::io;

use clap::{Args as _, Command};
use enginewire::formats::{formats, nearest, AnyFormat};

use crate::args::Reading;
use crate::exit_status::{usage, Done, Status};
use crate::output::console::Console;
use crate::output::escape::escaped;

/// Print help about a command or a topic
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/help.txt"))]
pub struct Args {
    /// Name of the command or topic; without it, the help of the program
    pub topic: Option<String>,
}

/// The names of the topics.
const TOPICS: [&str; 4] = ["formats", "types", "reading", "addresses"];

pub fn run(args: &Args, mut program: Command, console: &mut Console) -> Done {
    let out = console.out();
    match args.topic.as_deref() {
        None => write!(out, "{}", program.render_long_help())?,
        Some("formats") => {
            table(out)?;
            out.write_all(include_bytes!("../help/formats.txt"))?;
        }
        Some("types") => {
            formats().iter().try_for_each(|format| types(*format, out))?;
            out.write_all(include_bytes!("../help/types.txt"))?;
        }
        Some("reading") => {
            let [before, after] = [include_str!("../help/reading.txt"), include_str!("../help/folders.txt")];
            write!(out, "{before}{}{after}", reading().render_long_help())?;
        }
        Some("addresses") => out.write_all(include_bytes!("../help/addresses.txt"))?,
        Some(name) => {
            program.build();
            if let Some(command) = program.find_subcommand_mut(name) {
                write!(out, "{}", command.render_help())?;
                return Ok(Status::Fine);
            }
            let names: Vec<_> = program.get_subcommands().map(Command::get_name).chain(TOPICS).collect();
            let similar = nearest(name, names.iter());
            let advice = similar.first().map(|name| format!("did you mean {name}?"));
            let advice = advice.unwrap_or_else(|| format!("the topics are {}", TOPICS.join(", ")));
            return Err(usage(format!("no help about {}; {advice}", escaped(name))).into());
        }
    }
    Ok(Status::Fine)
}

/// The options for reading, as a command that shows them.
fn reading() -> Command {
    let shown = Reading::augment_args(Command::new("enginewire")).mut_args(|option| option.hide(false));
    shown.disable_help_flag(true).help_template("{options}").max_term_width(100)
}

fn table(out: &mut dyn io::Write) -> io::Result<()> {
    let rows = formats().iter().map(|format| [format.name(), format.about(), format.found_in()]);
    let rows: Vec<_> = std::iter::once(["format", "description", "found in"]).chain(rows).collect();
    let width = |column: fn(&[&str; 3]) -> usize| rows.iter().map(column).max().unwrap_or_default();
    let (name_width, about_width) = (width(|[name, ..]| name.len()), width(|[_, about, _]| about.len()));
    for [name, about, found_in] in &rows {
        writeln!(out, "{name:name_width$}  {about:about_width$}  {found_in}")?;
    }
    Ok(())
}

fn types(format: &dyn AnyFormat, out: &mut dyn io::Write) -> io::Result<()> {
    let rows = format.types();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let id_width = rows.iter().map(|row| row.id.len()).max().unwrap_or_default();
    writeln!(out, "types of {}:", format.name())?;
    rows.iter().try_for_each(|row| {
        writeln!(out, "  {:>id_width$}  {:width$}  {}", row.id, row.name, format!("{:?}", row.status).to_lowercase())
    })?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kind_is_explained() {
        for kind in enginewire_files::containers::ContainerKind::all() {
            assert!(include_str!("../help/formats.txt").contains(kind.name()), "{}", kind.name());
        }
    }
}

//! `enginewire formats`

use std::io;

use clap::ArgAction;
use enginewire::formats::{formats, AnyFormat};

use crate::exit_status::Status;
use crate::output::console::Console;

/// List the formats
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also list the types of each format
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub verbose: bool,
}

/// The legend for the last column of the types.
const PROVENANCE: &str = "
how a type is known:
  spec      from the specification
  real      not in the specification, but in files written by the engine
  draft     documented, but never seen in real data
  proposed  documented by one source only; read only if an option allows it
";

pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let rows = formats().iter().map(|format| [format.name(), format.about(), format.found_in()]);
    let rows: Vec<_> = std::iter::once(["format", "description", "found in"]).chain(rows).collect();
    let width = |column: fn(&[&str; 3]) -> usize| rows.iter().map(column).max().unwrap_or_default();
    let (name_width, about_width) = (width(|[name, ..]| name.len()), width(|[_, about, _]| about.len()));
    for [name, about, found_in] in &rows {
        writeln!(console.out(), "{name:name_width$}  {about:about_width$}  {found_in}")?;
    }
    if args.verbose {
        formats().iter().try_for_each(|format| types(*format, console))?;
        write!(console.out(), "{PROVENANCE}")?;
    }
    Ok(Status::Fine)
}

fn types(format: &dyn AnyFormat, console: &mut Console) -> io::Result<()> {
    let rows = format.types();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let id_width = rows.iter().map(|row| row.id.len()).max().unwrap_or_default();
    writeln!(console.out(), "\ntypes of {}:", format.name())?;
    rows.iter()
        .try_for_each(|row| writeln!(console.out(), "  {:>id_width$}  {:width$}  {}", row.id, row.name, row.status))
}

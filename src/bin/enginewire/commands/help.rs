//! `enginewire help`

use std::io;

use clap::{Args as _, Command};
use enginewire::formats::{formats, AnyFormat};

use crate::args::Reading;
use crate::exit_status::Status;
use crate::output::console::Console;
use crate::output::escape::escaped;
use enginewire::formats::nearest;

/// Print help about a command or a topic
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Topics:
  formats    the formats, and where their values are found
  types      the types of each format, and how each is known
  reading    the options that every command which reads files takes
  addresses  how to name a value: ADDRESS, PATH and patterns")]
pub struct Args {
    /// Name of the command or topic; without it, the help of the program
    pub topic: Option<String>,
}

/// The names of the topics.
const TOPICS: [&str; 4] = ["formats", "types", "reading", "addresses"];

const READING: &str = "\
The options of every command that reads files. They may stand before or after the
name of the command.

";

const FOLDERS: &str = "
Folders: files are read that end in .rbxm, .rbxl, .rbxmx or .rbxlx, or whose first
bytes tell their format; with -f, all files. Not read are
  - hidden files and folders, which begin with a dot (read with --hidden);
  - what .ignore files exclude, in the folders and above them; and, inside a git
    repository, .gitignore, .git/info/exclude and the user's own
    core.excludesFile (read with --no-ignore).
Links to files are followed, links to folders are not. A file or folder given by
name is always read, and each file once.
";

const ADDRESSES: &str = "\
ADDRESS names a value in a file that holds several, as `ls` lists it:
  Workspace.Torch       an instance of a model or place
  Workspace.Part[7]     the seventh of several with the same parent and name
  #12                   an instance by its referent
  'ScriptData[12]'      a row of a save
  application/config    settings of project.binary that begin so: with a pattern,
                        'application/*'
  '[3]'                 a value of a stream, a packet of a dump, counted from 0
Attributes that are not in the property AttributesSerialize are named with their
property, 'Rule PropertiesSerialize', and so are the tags of an instance:
'Workspace.Torch Tags'.

PATH goes on inside the value: keys with dots between them, indices in brackets,
such as Fuel or 'slots[3].id'. A key with other characters than letters, digits and
_ - / @ $ % is quoted: '\"max fuel\".\"a.b\"'. A file that is a single value has no
ADDRESS; give PATH alone.

Patterns: in both, `*` stands for any characters of one name, key or index, and
`**` for any number of names: '**.Torch', 'Workspace.**', 'slots[*].id'.

Several files or folders may be given before ADDRESS: after the first one, each
argument that exists as a file, or as a folder if its name has a dot or a slash.
";

/// How types are known.
const PROVENANCE: &str = "
how a type is known:
  spec      from the specification
  real      not in the specification, but in files written by the engine
  draft     documented, but never seen in real data
  proposed  documented by one source only; read only if --allow names it
";

pub fn run(args: &Args, mut program: Command, console: &mut Console) -> io::Result<Status> {
    let out = console.out();
    match args.topic.as_deref() {
        None => write!(out, "{}", program.render_long_help())?,
        Some("formats") => table(out)?,
        Some("types") => {
            formats().iter().try_for_each(|format| types(*format, out))?;
            write!(out, "{PROVENANCE}")?;
        }
        Some("reading") => write!(out, "{READING}{}{FOLDERS}", reading().render_long_help())?,
        Some("addresses") => write!(out, "{ADDRESSES}")?,
        Some(name) => {
            program.build();
            if let Some(command) = program.find_subcommand_mut(name) {
                write!(out, "{}", command.render_long_help())?;
                return Ok(Status::Fine);
            }
            let names: Vec<_> = program.get_subcommands().map(Command::get_name).chain(TOPICS).collect();
            let similar = nearest(name, names.iter());
            let advice = match similar.first() {
                Some(similar) => format!("did you mean {similar}?"),
                None => format!("the topics are {}", TOPICS.join(", ")),
            };
            console.error(format_args!("there is no help about {}; {advice}", escaped(name)))?;
            return Ok(Status::Usage);
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
    rows.iter().try_for_each(|row| writeln!(out, "  {:>id_width$}  {:width$}  {}", row.id, row.name, row.status))?;
    writeln!(out)
}

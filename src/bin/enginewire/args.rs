//! The command line.

use std::fs;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{value_parser, ArgAction, Parser, Subcommand, ValueEnum};
use enginewire::godot::Options;
use enginewire::roblox::model::Store;
use enginewire::roblox::remote::{EventIds, EventIdsError};

use crate::containers::CARRIERS;
use crate::formats::FORMATS;

/// Memory that a file may take, unless the command line says otherwise.
pub const MEMORY: usize = 256 << 20;

const STATUSES: &str = "\
Exit status:
  0  fine
  1  not canonical (check --canonical), or different (diff)
  2  wrong usage
  3  a file cannot be read or written, or the system has no memory or thread left
  4  malformed input, or a limit was reached (--max-memory, --values of inspect)
  5  input that is good as far as it goes, but ends too early
  6  a file to change in place was changed meanwhile by another program; nothing was written
After a bad file the others are still done; the highest status counts.";

const EXAMPLES: &str = "\
Examples:
  See every field of a file beside its bytes:
    enginewire inspect fixtures/roblox-attributes/readable.bin

  Learn what is wrong with a broken one:
    enginewire inspect fixtures/roblox-attributes/bad/unknown-type.bin

  As JSON, and back; nothing is lost on the way:
    enginewire decode fixtures/roblox-attributes/readable.bin > torch.json
    enginewire encode torch.json -o torch.bin

  Bytes given as text, as in XML files:
    echo AQAAAAIAAABPbgMB | enginewire decode --input base64

  Check many files, and only look at the exit status:
    enginewire check --canonical -q fixtures/roblox-attributes/*.bin
";

/// Decode, encode, check and explain the binary values that game engines write
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = "`enginewire --help` also shows examples and exit statuses.")]
#[command(after_long_help = format!("{EXAMPLES}\n{STATUSES}"))]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show every field beside its bytes
    #[command(after_long_help = "\
Examples:
  enginewire inspect fixtures/roblox-attributes/readable.bin
  enginewire inspect -v fixtures/roblox-attributes/all-types.bin | less
  enginewire inspect --json fixtures/roblox-attributes/readable.bin | jq .nodes

Lines are as long as the terminal is wide, else 80 columns; with -v into a file
or pipe they are as long as they need to be.")]
    Inspect(Inspect),
    /// Write the JSON form, one line for each file
    #[command(after_long_help = "\
Examples:
  enginewire decode --pretty fixtures/roblox-attributes/readable.bin
  enginewire decode fixtures/roblox-attributes/*.bin > all.jsonl
  enginewire decode fixtures/scrap-mechanic-lua/save-v28.db > objects.jsonl
  enginewire decode --partial fixtures/roblox-attributes/bad/unknown-type.bin")]
    Decode(Decode),
    /// Turn the JSON form back into bytes
    #[command(after_long_help = "\
Examples:
  enginewire encode fixtures/roblox-attributes/readable.json -o torch.bin
  enginewire encode fixtures/roblox-attributes/readable.json --output base64
  enginewire decode torch.bin | sed s/Fuel/Oil/ | enginewire encode > oil.bin

What `decode save.db > objects.jsonl` wrote goes back, changed or not, with
`encode objects.jsonl --into save.db -o new.db`; likewise for blueprints.")]
    Encode(Encode),
    /// Say whether files are valid, one line for each
    #[command(after_long_help = "\
Examples:
  enginewire check fixtures/roblox-attributes/*.bin
  enginewire check --canonical -q torch.bin && echo canonical

Canonical means that encoding what was decoded gives the same bytes again.")]
    Check(Check),
    /// Count what values are made of: types, sizes, depth
    #[command(after_long_help = "\
Examples:
  enginewire stats fixtures/scrap-mechanic-lua/save-v28.db
  enginewire stats --json fixtures/roblox-attributes/*.bin | jq .types")]
    Stats(Stats),
    /// Read attributes of a model or place file
    #[command(after_long_help = "\
Examples:
  enginewire get fixtures/roblox-model/attributes.rbxm
  enginewire get place.rbxl Workspace.Torch
  enginewire get place.rbxl Workspace.Torch Fuel

Without KEY a line has the instance (unless PATH names it), the key, the type
and the value in JSON, with tabs between them.")]
    Get(Get),
    /// Change attributes of an instance of a model or place file
    #[command(after_long_help = "\
Examples:
  enginewire set place.rbxl Workspace.Torch Fuel=Double:42 Name=String:Torch -o new.rbxl
  enginewire set place.rbxl Workspace.Torch 'Glow=Color3:{\"r\":1,\"g\":0.5,\"b\":0}' --in-place
  enginewire set place.rbxl Workspace.Torch --remove Fuel --in-place

The value of a String is its text; any other is written as in documents of
`decode`. All else in the file stays as it is, byte for byte.")]
    Set(Set),
    /// Find all attributes in folders of model and place files
    #[command(after_long_help = "\
Examples:
  enginewire scan places > attributes.jsonl
  enginewire scan --summary places
  parallel enginewire scan --shard {}/8 places ::: 1 2 3 4 5 6 7 8 > attributes.jsonl

Files are those whose names end in .rbxm, .rbxl, .rbxmx or .rbxlx, but for what
.gitignore and .ignore name; a file named itself is read whatever it is called.
Lines come in the order of the files. The shards of N have every file once
between them, whichever machine each of them runs on.")]
    Scan(Scan),
    /// Compare the attributes of two files, field by field; exit with 1 if they differ
    #[command(after_long_help = "\
Examples:
  enginewire diff old.rbxl new.rbxl
  enginewire diff fixtures/roblox-attributes/readable.bin fixtures/roblox-attributes/made-odd.bin")]
    Diff(Diff),
    /// List the formats
    Formats(List),
    /// Write completions for a shell
    #[command(after_long_help = "\
Example:
  enginewire completions bash > ~/.local/share/bash-completion/completions/enginewire")]
    Completions(Completions),
    /// Write a manual page
    #[command(after_long_help = "\
Examples:
  enginewire man | man -l -
  enginewire man scan | man -l -
  enginewire man --dir ~/.local/share/man/man1")]
    Man(Manual),
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options everywhere")]
pub struct Common {
    /// What the bytes are; by default what they begin with or what a JSON document says, else roblox-attributes
    #[arg(short, long, global = true, value_name = "NAME")]
    #[arg(value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name()).chain(CARRIERS)))]
    pub format: Option<String>,

    /// How the input is written; whitespace in hex and base64 is ignored
    #[arg(long, global = true, value_name = "AS", default_value = "raw")]
    pub input: Writing,

    /// What stands before each value of godot-3 and godot-4: nothing, or its length, little- or big-endian
    #[arg(long, global = true, value_name = "ORDER", default_value = "none")]
    pub framing: Frames,

    /// Maximum nesting: 1 to 1024 for godot-3 and godot-4, 1 to 128 otherwise [default: the most]
    #[arg(long, global = true, value_name = "N")]
    #[arg(value_parser = value_parser!(u16).range(1..=i64::from(Options::MAX_DEPTH)))]
    pub max_depth: Option<u16>,

    /// Memory that a file may take: its bytes if they are held whole, what is unpacked, and what is built of it; accepts
    /// K, M, G [default: 256M]
    #[arg(long, alias = "max-size", global = true, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,

    /// Refuse types that were never seen in real data
    #[arg(long, global = true)]
    pub no_draft_types: bool,

    /// Read references to instances (type 0x25 of Roblox attributes)
    #[arg(long, global = true)]
    pub refs: bool,

    /// Which ids stand for which events (in roblox-remote): lines of NAME = ID, as `OnServerEvent = 0x0b50`, instead of
    /// the four known of July 2023
    #[arg(long, global = true, value_name = "FILE", value_parser = event_ids)]
    pub event_ids: Option<EventIds>,

    /// Read types that one description has and no capture shows (in roblox-remote)
    #[arg(long, global = true)]
    pub unverified_types: bool,

    /// The file holds several packets of roblox-remote: one after the other or, with --input hex, one in each line
    #[arg(long, global = true)]
    pub dump: bool,

    /// Allow padding that is not 0 (in scrap-mechanic-lua)
    #[arg(long, global = true)]
    pub allow_padding: bool,

    /// Refuse objects in their full form (in godot-3 and godot-4)
    #[arg(long, global = true)]
    pub no_objects: bool,

    /// Allow text that is not UTF-8 (in godot-3 and godot-4)
    #[arg(long, global = true)]
    pub any_text: bool,

    /// Allow bytes after the end of the value
    #[arg(long, global = true)]
    pub allow_trailing: bool,

    /// Print data only: no errors, and nothing from `check`; the exit status says how it went
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Use colours; `auto` also heeds NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

impl Common {
    /// Memory that a file may take.
    pub fn memory(&self) -> usize {
        self.max_memory.unwrap_or(MEMORY)
    }
}

/// What the letters of a size stand for.
const UNITS: [(char, usize); 3] = [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

/// What is said of a size that is none.
const EXPECTED: &str = "expected a size such as 64K";

/// Bytes, as `--max-memory` has them.
fn size(text: &str) -> Result<usize, String> {
    let of_unit =
        |(letter, unit): (char, usize)| Some((text.strip_suffix([letter, letter.to_ascii_lowercase()])?, unit));
    let (digits, unit) = UNITS.into_iter().find_map(of_unit).unwrap_or((text, 1));
    let number: usize = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    number.checked_mul(unit).filter(|size| *size > 0).ok_or_else(|| EXPECTED.to_owned())
}

/// The table in a file, as `--event-ids` has it.
fn event_ids(file: &str) -> Result<EventIds, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    text.parse().map_err(|error: EventIdsError| error.to_string())
}

/// A size as [`size`] reads it.
pub fn size_text(bytes: usize) -> String {
    let unit = UNITS.into_iter().find(|(_, unit)| bytes.checked_rem(*unit) == Some(0));
    match unit {
        Some((letter, unit)) => format!("{}{letter}", bytes.checked_div(unit).unwrap_or_default()),
        None => format!("{bytes} bytes"),
    }
}

#[derive(Debug, clap::Args)]
pub struct Inspect {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Show the range of every field, and all bytes of long ones
    #[arg(short, long)]
    pub verbose: bool,

    /// Write the tree as JSON, one line for each file
    #[arg(long)]
    pub json: bool,

    /// Show at most so many values
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub values: u64,
}

#[derive(Debug, clap::Args)]
pub struct Decode {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,

    /// Of a broken file write what comes before the error; it stays an error
    #[arg(long)]
    pub partial: bool,
}

#[derive(Debug, clap::Args)]
pub struct Encode {
    /// JSON documents to read; `-` or none is standard input
    #[arg(value_name = "FILE.json")]
    pub files: Vec<PathBuf>,

    /// The file to write; it appears when it is complete. What is there keeps its mode, owner and extended attributes
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Also replace a read-only file or one name of several hard links, and write into a device or named pipe
    #[arg(long)]
    pub force: bool,

    /// How to write the bytes
    #[arg(long, value_name = "AS", default_value = "raw")]
    pub output: Writing,

    /// Put objects, in lines as `decode` writes them, back into a copy of this save or blueprint
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,

    /// With --into: change the file itself
    #[arg(long, requires = "into")]
    pub in_place: bool,

    /// Write that there are no entries as a length of 0, not as no bytes
    #[arg(long)]
    pub zero_length: bool,
}

#[derive(Debug, clap::Args)]
pub struct Check {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Exit with 1 if a file is not canonical
    #[arg(long)]
    pub canonical: bool,

    /// Write JSON, one line for each file
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Stats {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write JSON, one line for all files
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct List {
    /// Show the type ids of each format
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub verbose: bool,
}

#[derive(Debug, clap::Args)]
pub struct Get {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// An instance: its full name, as Workspace.Torch, or # and its referent
    pub path: Option<String>,

    /// An attribute
    pub key: Option<String>,

    /// With KEY: write a String as it is, not as JSON
    #[arg(short, long)]
    pub raw: bool,
}

#[derive(Debug, clap::Args)]
pub struct Set {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// The instance: its full name, as Workspace.Torch, or # and its referent
    pub path: String,

    /// What to set; a String as it is, any other value in JSON: `Spawn=Vector3:{"x":1,"y":2,"z":3}`
    #[arg(value_name = "KEY=TYPE:VALUE")]
    pub values: Vec<String>,

    /// What to remove
    #[arg(long, value_name = "KEY")]
    pub remove: Vec<String>,

    /// The properties of a StyleRule, not its attributes
    #[arg(long)]
    pub style: bool,

    /// The file to write, which appears when it is complete; `-` is standard output. What is there keeps its mode, owner
    /// and extended attributes
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Change the file itself, of a link what it leads to; several runs at once wait for each other
    #[arg(long)]
    pub in_place: bool,

    /// Also replace a read-only file or one name of several hard links, and write into a device or named pipe
    #[arg(long)]
    pub force: bool,

    /// How to store a chunk that changes; `as-before` stores as it is what was zstd
    #[arg(long, value_name = "HOW", default_value = "as-before")]
    pub store: Storing,
}

/// How a chunk is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Storing {
    AsBefore,
    Raw,
    Lz4,
}

impl From<Storing> for Store {
    fn from(storing: Storing) -> Self {
        match storing {
            Storing::AsBefore => Store::AsBefore,
            Storing::Raw => Store::Raw,
            Storing::Lz4 => Store::Lz4,
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Scan {
    /// Folders, or files
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,

    /// Write counts by type, class and error instead
    #[arg(long)]
    pub summary: bool,

    /// With --summary: write JSON, one line
    #[arg(long, requires = "summary")]
    pub json: bool,

    /// Read only the files of part I of N
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,

    /// How many threads to use [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// Part `number`, counted from 1, of `of` parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: u64,
    pub of: u64,
}

/// `I/N`
fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    numbers
        .map(|(number, of)| Shard { number, of })
        .filter(|Shard { number, of }| (1..=*of).contains(number))
        .ok_or_else(|| "it is no part like 1/8 or 8/8".to_owned())
}

#[derive(Debug, clap::Args)]
pub struct Diff {
    /// A blob of attributes, or a model or place file; `-` is standard input
    pub a: PathBuf,

    /// Another
    pub b: PathBuf,

    /// Write JSON, one line for each difference
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub struct Manual {
    /// The page of this command
    pub command: Option<String>,

    /// Write all pages into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

/// How bytes are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Writing {
    Raw,
    Hex,
    Base64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// What stands before values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Frames {
    None,
    Le,
    Be,
}

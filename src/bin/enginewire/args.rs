//! The command line.

use std::fs;

use anstream::ColorChoice;
use clap::builder::PossibleValuesParser;
use clap::{value_parser, Parser, Subcommand, ValueEnum};
use enginewire::formats::{FormatOptions, OptionError};
use enginewire::godot::Options;
use enginewire::roblox::remote::EventIds;

use crate::commands::{
    check, completions, convert, copy, decode, diff, edit, encode, formats, get, guess, inspect, ls, man, repair, scan,
    set, stats,
};
use crate::input::containers::CONTAINERS;
use crate::settings::{Part, Settings};
use crate::size::size;
use crate::text_encoding::{utf_8, TextEncoding};

const STATUSES: &str = "\
Exit status:
  0  success
  1  not canonical (check --canonical), or different (diff)
  2  wrong usage
  3  a file cannot be read or written, or the system is out of memory or threads
  4  malformed input, or a limit was reached (--max-memory)
  5  truncated input: valid so far, but it ends too early
  6  another program changed the file during --in-place; nothing was written
  7  the file has no such instance, value or key
With several files, a bad one does not stop the others; the highest status is returned.";

const EXAMPLES: &str = "\
Examples:
  Show every field of a file next to its bytes:
    enginewire inspect fixtures/roblox-attributes/readable.bin

  Find out what is wrong with a broken file:
    enginewire inspect fixtures/scrap-mechanic-lua/bad/truncated.bin

  Convert to JSON and back without loss:
    enginewire decode fixtures/roblox-attributes/readable.bin > torch.json
    enginewire encode torch.json -o torch.bin

  Read bytes written as text, such as the base64 in XML files:
    echo AQAAAAIAAABPbgMB | enginewire decode --input base64

  Check many files and use only the exit status:
    enginewire check --canonical -q fixtures/roblox-attributes/made-*.bin
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
    Inspect(inspect::Args),
    Guess(guess::Args),
    Decode(decode::Args),
    Encode(encode::Args),
    Check(check::Args),
    Stats(stats::Args),
    Ls(ls::Args),
    Get(get::Args),
    Set(set::Args),
    Copy(copy::Args),
    Edit(edit::Args),
    Repair(repair::Args),
    Convert(convert::Args),
    Scan(scan::Args),
    Diff(diff::Args),
    Formats(formats::Args),
    Completions(completions::Args),
    Man(man::Args),
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Common {
    /// Format of the input. Default: the one that the bytes or the JSON member `format` tell; see `guess`
    #[arg(short, long, global = true, value_name = "NAME")]
    #[arg(value_parser = PossibleValuesParser::new(enginewire::formats().iter().map(|format| format.name()).chain(CONTAINERS)))]
    pub format: Option<String>,

    /// How the bytes of the input are written; gzip is also recognised without this
    #[arg(long, global = true, value_name = "AS", default_value = "raw")]
    pub input: TextEncoding,

    /// Where the value or container begins in the input, in bytes; decimal, or hexadecimal such as 0x1f
    #[arg(long, global = true, value_name = "N", value_parser = number)]
    pub offset: Option<u64>,

    /// How many bytes of the input to read
    #[arg(long, global = true, value_name = "N", value_parser = number)]
    pub length: Option<u64>,

    /// Length before each value of godot-3 and godot-4: none, or 4 bytes, little- or big-endian
    #[arg(long, global = true, value_name = "ORDER", default_value = "none")]
    pub framing: Frames,

    /// Maximum nesting: 1–1024 for godot-3 and godot-4, 1–128 otherwise [default: the maximum]
    #[arg(long, global = true, value_name = "N")]
    #[arg(value_parser = value_parser!(u16).range(1..=i64::from(Options::MAX_DEPTH)))]
    pub max_depth: Option<u16>,

    /// Most memory to use for one file, for its bytes, decompressed data and decoded values; accepts K, M, G [default:
    /// 256M]
    #[arg(long, alias = "max-size", global = true, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,

    /// Refuse types that were never seen in real data (`draft` in `formats -v`)
    #[arg(long, global = true)]
    pub no_draft_types: bool,

    /// Also read references to instances (type 0x25 of roblox-attributes)
    #[arg(long, global = true)]
    pub refs: bool,

    /// File with the event ids of roblox-remote, in lines NAME = ID such as `OnServerEvent = 0x0b50`. Default: the four
    /// known from July 2023
    #[arg(long, global = true, value_name = "FILE", value_parser = event_ids)]
    pub event_ids: Option<String>,

    /// Also read types documented by one source but never seen in captures (roblox-remote)
    #[arg(long, global = true)]
    pub unverified_types: bool,

    /// Read several values per file, one after the other (roblox-remote, godot-3 and godot-4); packets, with --input hex, one
    /// per line
    #[arg(long, global = true)]
    pub dump: bool,

    /// Go on behind a broken value of a stream or dump, at the next that is plausible, and say what was skipped (with
    /// --framing or --dump)
    #[arg(long, global = true)]
    pub resync: bool,

    /// Allow padding bits that are not 0 (scrap-mechanic-lua)
    #[arg(long, global = true)]
    pub allow_padding: bool,

    /// Refuse objects in their full form, with all properties (godot-3 and godot-4)
    #[arg(long, global = true)]
    pub no_objects: bool,

    /// Allow text that is not UTF-8 (godot-3 and godot-4)
    #[arg(long, global = true)]
    pub any_text: bool,

    /// Allow a string or byte array to lack its padding at the end of the value (godot-3 and godot-4)
    #[arg(long, global = true)]
    pub unpadded: bool,

    /// Allow bytes after the end of the value
    #[arg(long, global = true)]
    pub allow_trailing: bool,

    /// Print only data: no errors, and no output of `check`; the exit status still tells the result
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Use colours; `auto` also follows NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

impl Args {
    /// The settings that these arguments ask for.
    pub fn settings(&self) -> Result<Settings, OptionError> {
        let common = &self.common;
        let zero_length = matches!(&self.command, Command::Encode(encode) if encode.zero_length);
        let framing = match common.framing {
            Frames::None => "none",
            Frames::Le => "le",
            Frames::Be => "be",
        };
        let mut formats = FormatOptions::new()
            .set("draft_types", !common.no_draft_types)?
            .set("refs", common.refs)?
            .set("unverified_types", common.unverified_types)?
            .set("any_padding", common.allow_padding)?
            .set("objects", !common.no_objects)?
            .set("any_text", common.any_text)?
            .set("unpadded_bytes", common.unpadded)?
            .set("trailing_bytes", common.allow_trailing)?
            .set("framing", framing)?
            .set("resync", common.resync)?
            .set("zero_length", zero_length)?;
        if let Some(depth) = common.max_depth {
            formats = formats.set("max_depth", depth)?;
        }
        if let Some(memory) = common.max_memory {
            formats = formats.set("max_memory", memory)?;
        }
        if let Some(ids) = &common.event_ids {
            formats = formats.set("event_ids", ids.clone())?;
        }
        let part = Part { offset: common.offset.unwrap_or_default(), length: common.length };
        let (format, quiet) = (common.format.clone(), common.quiet);
        Ok(Settings { format, input: common.input, part, dump: common.dump, formats, quiet })
    }
}

/// Reads a number of bytes.
fn number(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "expected a number of bytes such as 16 or 0x10".to_owned())
}

/// Reads the file that `--event-ids` names.
fn event_ids(file: &str) -> Result<String, String> {
    let text = utf_8(fs::read(file).map_err(|error| error.to_string())?)?;
    let text = String::from_utf8(text).map_err(|_| "the file is not UTF-8".to_owned())?;
    text.parse::<EventIds>().map_err(|error| error.to_string())?;
    Ok(text)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// The length before each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Frames {
    None,
    Le,
    Be,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

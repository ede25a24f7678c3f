//! The command line.

use std::env;
use std::fs::File;
use std::io::Read;
use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{value_parser, ArgMatches, Args as _, Parser, Subcommand, ValueEnum};
use data_encoding::HEXLOWER;
use enginewire::formats::{FormatOptions, OptionError};
use enginewire::godot::Options;
use enginewire::roblox::remote::EventIds;
use enginewire_files::containers::ContainerKind;
use enginewire_files::file::Asked;
use enginewire_files::scan::Walk;

use crate::commands::{
    check, completions, convert, copy, decode, diff, edit, encode, get, help, inspect, ls, man, set,
};
use crate::output::console::print_remark_once;
use crate::settings::{Part, Settings};
use crate::size::{size, size_text};
use crate::text_encoding::{utf_8, TextEncoding};

/// Decode, encode, check and explain the binary values that game engines write
#[derive(Debug, Parser)]
#[command(name = "enginewire", version, max_term_width = 80, disable_help_subcommand = true)]
#[command(
    override_usage = "enginewire <COMMAND> …\n       enginewire <FILE>        the same as `enginewire ls <FILE>`"
)]
#[command(after_help = include_str!("help/program.txt"))]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Ls(ls::Args),
    Get(get::Args),
    Set(set::Args),
    Edit(edit::Args),
    Copy(copy::Args),
    Diff(diff::Args),
    Check(check::Args),
    Inspect(inspect::Args),
    Decode(decode::Args),
    Encode(encode::Args),
    Convert(convert::Args),
    Help(help::Args),
    Completions(completions::Args),
    Man(man::Args),
}

#[derive(Debug, clap::Args)]
pub struct Common {
    #[command(flatten)]
    pub reading: Reading,

    /// Print no errors, notes and summaries
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Use colours: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(["auto", "always", "never"]).map(color))]
    pub color: ColorChoice,
}

/// Options for reading. Only `enginewire help reading` lists them.
#[derive(Debug, clap::Args)]
pub struct Reading {
    /// Format of the input, its kind, or KIND:FORMAT [default: what its bytes, or the JSON member `format`, tell]
    #[arg(short, long, global = true, value_name = "NAME", hide = true)]
    #[arg(value_parser = PossibleValuesParser::new(named()).try_map(|name| name.parse::<Asked>()))]
    pub format: Option<Asked>,

    /// Encoding of the bytes; gzip is also recognised without this
    #[arg(long, global = true, value_name = "AS", default_value = "raw", hide = true)]
    pub input: TextEncoding,

    /// Start of the value or container, in bytes: 31 or 0x1f
    #[arg(long, global = true, value_name = "N", value_parser = number, hide = true)]
    pub offset: Option<u64>,

    /// Number of bytes to read
    #[arg(long, global = true, value_name = "N", value_parser = number, hide = true)]
    pub length: Option<u64>,

    /// Length before each value (godot-3, godot-4): none, or 4 bytes, little- or big-endian
    #[arg(long, global = true, value_name = "ORDER", default_value = "none", hide = true)]
    #[arg(value_parser = ["none", "le", "be"])]
    pub framing: String,

    /// Read several values from each file (roblox-remote, godot-3, godot-4); packets, with --input hex, one per line
    #[arg(long, global = true, hide = true)]
    pub dump: bool,

    /// Continue after a broken value of a stream or dump, and report the skipped bytes
    #[arg(long, global = true, hide = true)]
    pub resync: bool,

    /// Faults to allow, separated by commas
    #[arg(long, global = true, value_name = "WHAT", value_delimiter = ',', hide = true)]
    pub allow: Vec<Allowed>,

    /// Valid values to refuse, separated by commas
    #[arg(long, global = true, value_name = "WHAT", value_delimiter = ',', hide = true)]
    pub refuse: Vec<Refused>,

    /// File with the event ids of roblox-remote, in lines such as `OnServerEvent = 0x0b50` [default: the four of July 2023]
    #[arg(long, global = true, value_name = "FILE", value_parser = event_ids, hide = true)]
    pub event_ids: Option<String>,

    /// Entry of a pack to read as a file: res://project.binary
    #[arg(long, global = true, value_name = "PATH", hide = true)]
    pub entry: Option<String>,

    /// Password of encrypted Godot files; the variable ENGINEWIRE_PASSWORD hides it from other users of the machine
    #[arg(long, global = true, value_name = "TEXT", hide = true)]
    pub password: Option<String>,

    /// File with the key of encrypted Godot files: 32 bytes, or 64 hex digits [default: the variable ENGINEWIRE_KEY]
    #[arg(long, global = true, value_name = "FILE", value_parser = key_file, hide = true)]
    pub key_file: Option<String>,

    /// First four characters of encrypted Godot files, if a game has other ones than GDEC
    #[arg(long, global = true, value_name = "TEXT", hide = true)]
    pub magic: Option<String>,

    /// In folders: also read hidden files and folders, whose names begin with a dot
    #[arg(long, global = true, hide = true)]
    pub hidden: bool,

    /// In folders: also read what .gitignore, .ignore and the other rules below exclude
    #[arg(long, global = true, hide = true)]
    pub no_ignore: bool,

    /// Maximum nesting: 1–1024 for godot-3 and godot-4, 1–128 otherwise [default: the maximum]
    #[arg(long, global = true, value_name = "N", hide = true)]
    #[arg(value_parser = value_parser!(u16).range(1..=i64::from(Options::MAX_DEPTH)))]
    pub max_depth: Option<u16>,

    /// Most memory for one file: its bytes, decompressed data and decoded values; accepts K, M, G [default: 256M]
    #[arg(long, alias = "max-size", global = true, value_name = "SIZE", value_parser = size, hide = true)]
    pub max_memory: Option<usize>,
}

/// A fault that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allowed {
    /// Text that is not UTF-8 (godot-3, godot-4)
    Text,
    /// Padding that is not 0 (scrap-mechanic-lua), or missing after the last string or byte array (godot-3, godot-4)
    Padding,
    /// Bytes after the end of the value
    Trailing,
    /// References to instances, type 0x25 (roblox-attributes)
    Refs,
}

/// A kind of valid values that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Refused {
    /// Objects in their full form, with all properties (godot-3, godot-4); `check` lists them, and scripts
    Objects,
    /// Types that no real data has: `draft` in `enginewire help types`
    Draft,
}

/// The values of `-f`. A kind with a format is listed only if it needs one.
fn named() -> impl Iterator<Item = PossibleValue> {
    static ALL: LazyLock<Vec<String>> = LazyLock::new(|| Asked::all().collect());
    let is_needed = |name: &str| name.split_once(':').is_none_or(|(kind, _)| kind.parse::<Asked>().is_err());
    ALL.iter().map(move |name| PossibleValue::new(&**name).hide(!is_needed(name)))
}

impl Args {
    /// The settings that these arguments ask for.
    pub fn settings(&self) -> Result<Settings, OptionError> {
        let (reading, quiet) = (&self.common.reading, self.common.quiet);
        let Asked { mut kind, format } = reading.format.unwrap_or_default();
        let only = kind.and_then(|kind| kind.formats().first().filter(|_| kind.formats().len() == 1).copied());
        let (mut framing, mut dump, mut input) = (&*reading.framing, reading.dump, reading.input);
        // some have options of their own
        match kind {
            Some(ContainerKind::Frames(asked)) if ["none", asked.name()].contains(&framing) => {
                (kind, framing) = (None, asked.name());
            }
            Some(asked @ ContainerKind::Frames(_)) => {
                let reason = format!("the lengths of {} have another order", asked.name());
                return Err(OptionError::Invalid { name: "framing", reason });
            }
            Some(ContainerKind::Packets | ContainerKind::Values(_)) => (kind, dump) = (None, true),
            Some(ContainerKind::PacketLines) => (kind, dump, input) = (None, true, TextEncoding::Hex),
            _ => {}
        }
        let zero_length = matches!(&self.command, Command::Encode(encode) if encode.zero_length);
        let allows = |what| reading.allow.contains(&what);
        let refuses = |what| reading.refuse.contains(&what);
        let is_check = matches!(&self.command, Command::Check(check) if check.fix.is_none());
        let finds_objects = refuses(Refused::Objects) && is_check;
        let mut formats = FormatOptions::new()
            .set("draft_types", !refuses(Refused::Draft))?
            .set("objects", finds_objects || !refuses(Refused::Objects))?
            .set("refs", allows(Allowed::Refs))?
            .set("any_padding", allows(Allowed::Padding))?
            .set("unpadded_bytes", allows(Allowed::Padding))?
            .set("any_text", allows(Allowed::Text))?
            .set("trailing_bytes", allows(Allowed::Trailing))?
            .set("framing", framing.to_owned())?
            .set("resync", reading.resync)?
            .set("zero_length", zero_length)?;
        if let Some(depth) = reading.max_depth {
            formats = formats.set("max_depth", depth)?;
        }
        if let Some(memory) = reading.max_memory {
            formats = formats.set("max_memory", memory)?;
        }
        let hidden = |option: &Option<String>, name: &str| option.clone().or_else(|| env::var(name).ok());
        let texts = [
            ("event_ids", reading.event_ids.clone()),
            ("magic", reading.magic.clone()),
            ("key", hidden(&reading.key_file, "ENGINEWIRE_KEY")),
            ("password", hidden(&reading.password, "ENGINEWIRE_PASSWORD")),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                formats = formats.set(name, text)?;
            }
        }
        if reading.password.is_some() {
            let advice = "set the variable ENGINEWIRE_PASSWORD to hide it";
            print_remark_once(quiet, format!("a password on the command line is seen by other users: {advice}"));
        }
        let part = Part { offset: reading.offset.unwrap_or_default(), length: reading.length };
        let walk = Walk { hidden: reading.hidden, no_ignore: reading.no_ignore };
        Ok(Settings {
            format: format.or(only).map(str::to_owned),
            kind,
            input,
            part,
            entry: reading.entry.clone(),
            written_for: None,
            replaces_inside: false,
            dump,
            walk,
            formats,
            finds_objects,
            quiet,
        })
    }
}

/// Refuses options that the command does not use.
///
/// # Errors
///
/// The first such option.
pub fn refuse_unused(program: &mut clap::Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, of_command)) = matches.subcommand() else { return Ok(()) };
    let reading = Reading::augment_args(clap::Command::new(""));
    let is_unused = |option: &str| match name {
        "help" | "completions" | "man" => true,
        "copy" => ["resync", "entry"].contains(&option),
        "set" | "edit" | "encode" | "convert" => option == "resync",
        _ => false,
    };
    let is_given = |option: &str| of_command.value_source(option) == Some(ValueSource::CommandLine);
    for option in reading.get_arguments() {
        let (id, long) = (option.get_id().as_str(), option.get_long().unwrap_or_default());
        if is_given(id) && is_unused(id) {
            return Err(program.error(ErrorKind::UnknownArgument, format!("{name} does not use --{long}")));
        }
    }
    Ok(())
}

fn color(name: String) -> ColorChoice {
    match &*name {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
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

/// The largest file that an option names whose content is an option: it is read before --max-memory is known.
const SMALL: usize = 64 << 10;

/// The bytes of such a file.
fn small_file(file: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(SMALL).unwrap_or(u64::MAX).saturating_add(1);
    let read = File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| error.to_string())?;
    match bytes.len() > SMALL {
        true => Err(format!("the file is larger than {}", size_text(SMALL))),
        false => Ok(bytes),
    }
}

/// The key in the file that `--key-file` names, as hex digits.
fn key_file(file: &str) -> Result<String, String> {
    let key = small_file(file)?;
    match std::str::from_utf8(key.trim_ascii()) {
        Ok(digits) if digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            Ok(digits.to_owned())
        }
        _ if key.len() == 32 => Ok(HEXLOWER.encode(&key)),
        _ => Err(format!("expected 32 bytes or 64 hex digits, found {} bytes", key.len())),
    }
}

/// Reads the file that `--event-ids` names.
fn event_ids(file: &str) -> Result<String, String> {
    let text = utf_8(small_file(file)?)?;
    let text = String::from_utf8(text).map_err(|_| "the file is not UTF-8".to_owned())?;
    text.parse::<EventIds>().map_err(|error| error.to_string())?;
    Ok(text)
}

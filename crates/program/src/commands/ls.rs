//! `enginewire ls`

use std::path::PathBuf;

use enginewire::formats::AnyFormat;
use serde::Serialize;

use crate::exit_status::{Done, Status};
use crate::input::containers::{about, Origin};
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::{print_remark_once, Console};
use crate::output::csv;
use crate::output::escape::escaped_bytes;
use crate::output::name::Name;
use crate::output::summary::Found;
use crate::output::text::number;
use crate::settings::Settings;

/// List the values in files: instances with attributes, rows, parts, packets, settings
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/ls.txt"))]
pub struct Args {
    /// Files or folders to read; standard input if none, or for `-`
    #[arg(value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,

    /// Write JSON, one line per value
    #[arg(long)]
    pub json: bool,

    /// Write CSV: file, address, format, values, bytes
    #[arg(long, conflicts_with_all = ["json", "summary"])]
    pub csv: bool,

    /// Count all values together: their types, sizes and nesting
    #[arg(long)]
    pub summary: bool,
}

/// A value, as JSON.
#[derive(Serialize)]
struct Row<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Name>,
    #[serde(flatten)]
    origin: Option<&'r Origin<'r>>,
    address: &'r str,
    format: Option<&'static str>,
    values: Option<usize>,
    bytes: usize,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    if args.summary {
        let mut found = Found::default();
        let highest = each::each_value(&args.files, settings, console, |format, input, console| {
            found.add(format, input, settings, console)
        })?;
        found.write(args.json, console)?;
        return Ok(highest);
    }
    if args.csv {
        writeln!(console.out(), "file,address,format,values,bytes")?;
    }
    let is_of_many = args.files.len() > 1 || args.files.iter().any(|file| file.is_dir());
    each::each_value(&args.files, settings, console, |format, input, console| {
        list(format, input, (args, is_of_many), settings, console)
    })
}

fn list(
    format: &dyn AnyFormat,
    input: &Input,
    (args, is_of_many): (&Args, bool),
    settings: &Settings,
    console: &mut Console,
) -> Done {
    let mut values = None;
    let is_value = input.other.is_none();
    let visited = match is_value && input.may_exceed(settings).is_none() {
        true => format.visit(&input.bytes, &settings.formats, &mut |node| {
            let steps = node.steps(format.notation()).len();
            values = Some(if steps == 0 && !node.type_name(format.notation()).is_empty() { 1 } else { steps });
        }),
        false => Ok(()),
    };
    let bytes = input.bytes.len();
    let address = &input.listed;
    if args.json {
        let origin = input.origin.as_ref();
        let has_file = origin.is_some_and(Origin::has_file);
        let file = (!has_file).then(|| input.name.file());
        let row = Row { file, origin, address, format: is_value.then(|| format.name()), values, bytes };
        writeln!(console.out(), "{}", serde_json::to_string(&row)?)?;
    } else if args.csv {
        let format = if is_value { format.name() } else { "" };
        let values = values.map_or_else(String::new, |count| count.to_string());
        let file = input.name.file().to_string();
        let bytes = bytes.to_string();
        csv::write(&[file.into(), address.as_str().into(), format.into(), values.into(), bytes.into()], console.out())?;
    } else {
        let layers = input.name.layers().filter(|layers| !address.is_empty() && !layers.names().ends_with("gzip"));
        if let Some(layers) = layers {
            print_remark_once(settings.quiet, format!("{}: {}", input.name.file(), layers.names()));
        }
        let address = if address.is_empty() { input.name.to_string() } else { escaped_bytes(address.as_bytes()) };
        let what = match (&input.other, values) {
            (Some(other), _) => other.clone(),
            (None, Some(count)) => number(count, "value"),
            (None, None) => "not readable".to_owned(),
        };
        let is_named = is_of_many && input.address.is_some();
        let file = if is_named { format!("{}\t", input.name.file()) } else { String::new() };
        let about = input.origin.as_ref().map(|origin| about(origin.about.given())).unwrap_or_default();
        let about: String = about.iter().map(|about| format!("\t{about}")).collect();
        writeln!(console.out(), "{file}{address}\t{what}\t{bytes}{about}")?;
    }
    match visited {
        Ok(()) => Ok(Status::Fine),
        Err(error) => input.report(error, format, settings, console),
    }
}

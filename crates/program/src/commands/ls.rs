//! `enginewire ls`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use enginewire::formats::AnyFormat;
use enginewire_files::address::Address;
use enginewire_files::containers::Embedded;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::commands::inspect;
use crate::exit_status::{usage, Done, Status};
use crate::input::containers::{about, Origin};
use crate::input::each;
use crate::input::objects::{self, Object, Sought};
use crate::input::opened::Input;
use crate::output::console::{print_remark_once, Console};
use crate::output::csv;
use crate::output::escape::{argument, escaped, escaped_bytes};
use crate::output::name::Name;
use crate::output::summary::Found;
use crate::output::text::{number, thousands};
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
    let is_table = !args.json && !args.csv && io::stdout().is_terminal();
    let mut table = is_table.then(|| Table { width: inspect::terminal().unwrap_or(80), file: None });
    let is_of_many = args.files.len() > 1 || args.files.iter().any(|file| file.is_dir());
    each::each_value(&args.files, settings, console, |format, input, console| {
        list(format, input, (args, is_of_many), &mut table, settings, console)
    })
}

/// Rows for a terminal, in columns of fixed widths: so each is written as it is found.
struct Table {
    width: usize,
    /// The file of the last row.
    file: Option<String>,
}

impl Table {
    /// The widths of all columns but the first.
    const WIDTHS: [usize; 3] = [22, 7, 10];

    fn write(&mut self, file: Option<String>, row: [&str; 4], console: &mut Console) -> io::Result<()> {
        if self.file.is_none() {
            self.line(["address", "class or type", "values", "bytes"], console)?;
        }
        if let Some(file) = file.as_ref().filter(|file| self.file.as_ref() != Some(file)) {
            writeln!(console.out(), "{file}:")?;
        }
        self.file = Some(file.unwrap_or_default());
        self.line(row, console)
    }

    fn line(&self, [address, class, values, bytes]: [&str; 4], console: &mut Console) -> io::Result<()> {
        let others = Self::WIDTHS.into_iter().fold(0usize, |sum, width| sum.saturating_add(width).saturating_add(2));
        let room = self.width.saturating_sub(others).max(16);
        let [of_class, of_values, of_bytes] = Self::WIDTHS;
        let [address, class] = [(address, room), (class, of_class)].map(|(text, room)| {
            let text = cut_in_middle(text, room);
            let more = " ".repeat(room.saturating_sub(text.width()));
            text + &more
        });
        writeln!(console.out(), "{address}  {class}  {values:>of_values$}  {bytes:>of_bytes$}")
    }
}

/// A text of at most this width: what does not fit is left out in its middle.
fn cut_in_middle(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let fits = |room: usize| {
        let mut left = room;
        move |char: &char| {
            let rest = left.checked_sub(char.width().unwrap_or_default());
            left = rest.unwrap_or(left);
            rest.is_some()
        }
    };
    let end: Vec<char> = text.chars().rev().take_while(fits(room / 2)).collect();
    let start: String = text.chars().take_while(fits(room.saturating_sub(room / 2))).collect();
    start + "…" + &end.into_iter().rev().collect::<String>()
}

/// Returns true if code runs when the value is loaded. Of a large value, only its first fields are looked at.
fn has_objects(format: &dyn AnyFormat, input: &Input, settings: &Settings) -> bool {
    let address = input.address.as_ref().map_or_else(Address::of_file, |address| Address::clone(address));
    let mut value = Embedded::new(address, &[], Ok(&input.bytes[..]));
    value.about = input.origin.as_ref().map(|origin| origin.about.clone()).unwrap_or_default();
    let mut found = false;
    let each = &mut |object: Object| {
        found = true;
        Err(usage(object.why.text()))
    };
    // the first ends the search
    let sought = Sought { objects: true, tools: &[], carrier: None };
    let _ = objects::each(format, &value, settings, (sought, LOOKED_AT), each);
    found
}

/// The most memory that looking for objects takes.
const LOOKED_AT: usize = 16 << 20;

fn list(
    format: &dyn AnyFormat,
    input: &Input,
    (args, is_of_many): (&Args, bool),
    table: &mut Option<Table>,
    settings: &Settings,
    console: &mut Console,
) -> Done {
    let (mut values, mut type_name) = (None, "");
    let is_value = input.other.is_none();
    let visited = match is_value && input.may_exceed(settings).is_none() {
        true => format.visit(&input.bytes, &settings.formats, &mut |node| {
            let steps = node.steps(format.notation()).len();
            type_name = node.type_name(format.notation());
            values = Some(if steps == 0 && !node.type_name(format.notation()).is_empty() { 1 } else { steps });
        }),
        false => Ok(()),
    };
    let bytes = input.bytes.len();
    let address = &input.listed;
    let may_have = objects::may_have(format) || input.other.is_some();
    if may_have && !args.json && !args.csv && has_objects(format, input, settings) {
        let file = input.name.file();
        let advice = format!("`enginewire check --refuse objects {}` lists them", argument(&file.to_string()));
        print_remark_once(settings.quiet, format!("{file}: scripts or objects run when it is loaded; {advice}"));
    }
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
        let is_plain = |names: &str| names.is_empty() || names.ends_with("gzip") || names.ends_with("zstd");
        let layers = input.name.layers().filter(|layers| !address.is_empty() && !is_plain(&layers.names()));
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
        if let Some(table) = table {
            let class = input.origin.as_ref().and_then(|origin| origin.about.class()).map(escaped);
            let class = class.or_else(|| about.first().cloned()).unwrap_or_else(|| match &input.other {
                Some(other) => other.clone(),
                None if type_name.is_empty() => format.name().to_owned(),
                None => type_name.to_owned(),
            });
            let values = values.map_or_else(String::new, thousands);
            let file = is_named.then(|| input.name.file().to_string());
            table.write(file, [&address, &class, &values, &thousands(bytes)], console)?;
            return match visited {
                Ok(()) => Ok(Status::Fine),
                Err(error) => input.report(error, format, settings, console),
            };
        }
        let about: String = about.iter().map(|about| format!("\t{about}")).collect();
        writeln!(console.out(), "{file}{address}\t{what}\t{bytes}{about}")?;
    }
    match visited {
        Ok(()) => Ok(Status::Fine),
        Err(error) => input.report(error, format, settings, console),
    }
}

//! `enginewire stats`

use std::io;
use std::path::PathBuf;

use enginewire::formats::{AnyFormat, Counts};
use serde::Serialize;

use crate::exit_status::Status;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::output::styled_text::write_table;
use crate::output::text::thousands;
use crate::settings::Settings;

/// Count the types, sizes and nesting of values
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire stats fixtures/scrap-mechanic-lua/save-v28.db
  enginewire stats --json fixtures/roblox-attributes/made-*.bin | jq .types")]
pub struct Args {
    /// Files to read; standard input if none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write JSON, one line for all files together
    #[arg(long)]
    pub json: bool,
}

/// The results for all files together.
#[derive(Debug, Default, Serialize)]
struct Found {
    values: u64,
    something_else: u64,
    broken: u64,
    bytes: u64,
    largest: Option<Largest>,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Debug, Serialize)]
struct Largest {
    bytes: u64,
    of: Name,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    let mut found = Found::default();
    let highest = each::each_value(&args.files, settings, console, |format, input, console| {
        found.add(format, input, settings, console)
    })?;
    if args.json {
        writeln!(console.out(), "{}", serde_json::to_string(&found)?)?;
    } else {
        found.write(console)?;
    }
    Ok(highest)
}

impl Found {
    fn add(
        &mut self,
        format: &dyn AnyFormat,
        input: &Input,
        settings: &Settings,
        console: &mut Console,
    ) -> io::Result<Status> {
        if input.other.is_some() {
            self.something_else = self.something_else.saturating_add(1);
            return Ok(Status::Fine);
        }
        if let Some(reason) = input.may_exceed(settings) {
            self.broken = self.broken.saturating_add(1);
            console.error(format_args!("{reason}\n  --> {}", input.name))?;
            return Ok(Status::Malformed);
        }
        if let Err(error) = format.count(&input.bytes, &settings.formats, &mut self.counts) {
            self.broken = self.broken.saturating_add(1);
            return input.report(error, format, settings, console);
        }
        let bytes = u64::try_from(input.bytes.len()).unwrap_or(u64::MAX);
        self.values = self.values.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.largest.as_ref().map_or(true, |largest| largest.bytes < bytes) {
            self.largest = Some(Largest { bytes, of: input.name.clone() });
        }
        Ok(Status::Fine)
    }

    fn write(&self, console: &mut Console) -> io::Result<()> {
        let mut rows = vec![("values".to_owned(), thousands(self.values))];
        let more = [("skipped", self.something_else), ("with an error", self.broken)];
        rows.extend(
            more.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), thousands(count))),
        );
        rows.push(("bytes".to_owned(), thousands(self.bytes)));
        if let Some(Largest { bytes, of }) = &self.largest {
            rows.push(("largest".to_owned(), format!("{}, {of}", thousands(bytes))));
        }
        rows.push(("depth".to_owned(), thousands(self.counts.depth)));
        let mut types: Vec<_> = self.counts.types.iter().collect();
        types.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        rows.extend(types.into_iter().map(|(name, count)| (format!("  {name}"), thousands(count))));
        write_table(rows, console.out())
    }
}

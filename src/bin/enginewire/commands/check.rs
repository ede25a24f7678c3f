//! `enginewire check`

use std::io::{self, Read};
use std::path::PathBuf;

use enginewire::formats::{AnyFormat, Checked};
use enginewire::wire::FindingSummary;
use enginewire::{DecodeError, Fault};
use serde::Serialize;

use crate::exit_status::Status;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::output::tree_json::{JsonFault, JsonOffset};
use crate::settings::Settings;

/// Check whether files are valid, one line per file
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire check fixtures/roblox-attributes/*.bin
  enginewire check --canonical -q torch.bin && echo canonical

Canonical: encoding the decoded value gives the same bytes again.")]
pub struct Args {
    /// Files to read; standard input if none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Exit with 1 if a file is not canonical
    #[arg(long)]
    pub canonical: bool,

    /// Write JSON, one line per file
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    let mut tally = Tally::default();
    let highest = each::each(&args.files, settings, console, |mut opened, console| {
        match opened.container(settings) {
            Ok(None) => {}
            Ok(Some(container)) => {
                return opened.each_embedded(container, settings, console, &mut |format, input, console| {
                    embedded(args, settings, format, input, &mut tally, console)
                })
            }
            Err(unreadable) => return Ok(Err(unreadable)),
        }
        let name = opened.name.clone();
        let check = |format: &dyn AnyFormat, reader: &mut dyn Read, limit| {
            format.check_reader(reader, limit, &settings.formats)
        };
        match opened.stream(settings, check) {
            Ok((format, verdict)) => report(args, format, &name, &verdict, &mut tally, console).map(Ok),
            Err(unreadable) => Ok(Err(unreadable)),
        }
    })?;
    if args.files.len() > 1 || tally.is_of_many {
        console.remark(tally.summary(args.files.len()))?;
    }
    Ok(highest)
}

/// Checks a value in a container.
fn embedded(
    args: &Args,
    settings: &Settings,
    format: &dyn AnyFormat,
    input: &Input,
    tally: &mut Tally,
    console: &mut Console,
) -> io::Result<Status> {
    tally.is_of_many = true;
    if let Some(other) = &input.other {
        tally.skipped = tally.skipped.saturating_add(1);
        if !console.is_quiet() && !args.json {
            writeln!(console.out(), "{}: {other}", input.name)?;
        }
        return Ok(Status::Fine);
    }
    let verdict = format.check(&input.bytes, &settings.formats);
    report(args, format, &input.name, &verdict, tally, console)
}

/// Writes a verdict, and counts it.
fn report(
    args: &Args,
    format: &dyn AnyFormat,
    name: &Name,
    verdict: &Result<Checked, DecodeError>,
    tally: &mut Tally,
    console: &mut Console,
) -> io::Result<Status> {
    tally.count(verdict);
    if !console.is_quiet() {
        write(args, format, name, verdict, console)?;
    }
    Ok(match verdict {
        Ok(verdict) if args.canonical && !verdict.findings.is_canonical() => Status::Differs,
        Ok(_) => Status::Fine,
        Err(error) => Status::from(error),
    })
}

fn write(
    args: &Args,
    format: &dyn AnyFormat,
    name: &Name,
    verdict: &Result<Checked, DecodeError>,
    console: &mut Console,
) -> io::Result<()> {
    if args.json {
        let row = JsonRow::new(name, format.name(), verdict);
        return writeln!(console.out(), "{}", serde_json::to_string(&row)?);
    }
    match verdict {
        Ok(verdict) => writeln!(console.out(), "{name}: ok, {}", sentence(verdict)),
        Err(error) => writeln!(console.out(), "{name}: error: {error}{}", advice(error)),
    }
}

/// What the user can do about an error.
fn advice(error: &DecodeError) -> &'static str {
    match error.fault() {
        Fault::TooLarge { .. } => "; raise the limit with --max-memory",
        _ => "",
    }
}

fn sentence(verdict: &Checked) -> String {
    let Checked { entries, empty, findings } = verdict;
    let count = match (entries, empty) {
        (_, Some(form)) => format!("no entries ({}), ", form.about),
        (Some(1), None) => "1 entry, ".to_owned(),
        (Some(count), None) => format!("{count} entries, "),
        (None, None) => String::new(),
    };
    let canonical = match remark(&findings.non_canonical) {
        Some(remark) => format!("not canonical: {remark}"),
        None => "canonical".to_owned(),
    };
    let drafts = remark(&findings.drafts).map(|remark| format!("; draft types: {remark}")).unwrap_or_default();
    format!("{count}{canonical}{drafts}")
}

/// `a bool that is neither 0 nor 1 at 0xa (and 2 more)`
fn remark(FindingSummary { count, first }: &FindingSummary) -> Option<String> {
    let first = first.as_ref()?;
    let more = match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("{} at {}{more}", first.what, first.offset))
}

/// How many files or values have which result.
#[derive(Debug, Default)]
struct Tally {
    canonical: usize,
    other: usize,
    broken: usize,
    /// Parts of containers that are not values of the format.
    skipped: usize,
    /// Whether a file was a container.
    is_of_many: bool,
}

impl Tally {
    fn count(&mut self, verdict: &Result<Checked, DecodeError>) {
        let counter = match verdict {
            Ok(verdict) if verdict.findings.is_canonical() => &mut self.canonical,
            Ok(_) => &mut self.other,
            Err(_) => &mut self.broken,
        };
        *counter = counter.saturating_add(1);
    }

    fn summary(&self, files: usize) -> String {
        let read = self.canonical.saturating_add(self.other).saturating_add(self.broken).saturating_add(self.skipped);
        let counts = [
            (self.canonical, "canonical"),
            (self.other, "ok but not canonical"),
            (self.broken, "with an error"),
            (self.skipped, "skipped"),
            (files.saturating_sub(read), "not read"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if self.is_of_many {
            return format!("{read} values: {}", counts.join(", "));
        }
        format!("{files} files: {}", counts.join(", "))
    }
}

#[derive(Serialize)]
struct JsonRow<'r> {
    file: &'r Name,
    format: &'r str,
    ok: bool,
    #[serde(flatten)]
    verdict: JsonVerdict,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonVerdict {
    Valid {
        #[serde(skip_serializing_if = "Option::is_none")]
        entries: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        empty: Option<&'static str>,
        canonical: bool,
        non_canonical: JsonRemark,
        draft_types: JsonRemark,
    },
    Invalid {
        error: JsonFault,
    },
}

#[derive(Serialize)]
struct JsonRemark {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<JsonFound>,
}

#[derive(Serialize)]
struct JsonFound {
    #[serde(flatten)]
    at: JsonOffset,
    what: &'static str,
}

impl<'r> JsonRow<'r> {
    fn new(file: &'r Name, format: &'r str, verdict: &Result<Checked, DecodeError>) -> Self {
        let json = match verdict {
            Ok(Checked { entries, empty, findings }) => JsonVerdict::Valid {
                entries: *entries,
                empty: empty.map(|form| form.name),
                canonical: findings.is_canonical(),
                non_canonical: (&findings.non_canonical).into(),
                draft_types: (&findings.drafts).into(),
            },
            Err(error) => JsonVerdict::Invalid { error: error.into() },
        };
        JsonRow { file, format, ok: verdict.is_ok(), verdict: json }
    }
}

impl From<&FindingSummary> for JsonRemark {
    fn from(remark: &FindingSummary) -> Self {
        let first = remark.first.map(|found| JsonFound { at: found.offset.into(), what: found.what });
        JsonRemark { count: remark.count, first }
    }
}

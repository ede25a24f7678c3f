//! `enginewire check`

mod fix;
mod problem;
mod verdict;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::builder::PossibleValuesParser;
use clap::ValueEnum;
use enginewire::formats::{AnyFormat, Checked, FormatOptions, Node, ValuePath};
use enginewire::wire::Findings;
use enginewire::TextError;
use enginewire::{DecodeError, Offset};
use enginewire_files::address::Address;
use enginewire_files::containers::{ContainerError, ContainerKind, Embedded, FileSource};
use enginewire_files::survive::{self, Tool};

use crate::exit_status::{refuse_if, Done, Failure, Placed, Refusal, Status};
use crate::files::atomic_write::is_standard;
use crate::files::destination::Destination;
use crate::files::read::is_stream;
use crate::files::walk;
use crate::formats;
use crate::input::containers::{error_text, other, status, Place};
use crate::input::each;
use crate::input::models;
use crate::input::objects::{self, Object, Sought, Why};
use crate::input::opened::{each_listed, refused, OpenContainer, OpenFile};
use crate::input::pattern::is_like_text;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::{shown, Name};
use crate::output::text::{number, thousands};
use crate::settings::Settings;
use problem::Problem;
use verdict::{Outcome, Verdict};

/// All files of a pack may unpack to this many times the pack, or to the memory that may be used: small packs can hold files that
/// unpack to any size.
const UNPACKED: usize = 32;

/// Check whether files are valid, or fix what is broken
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../../help/check.txt"))]
pub struct Args {
    /// Files or folders to read; standard input if none, or for `-`. With --fix an ADDRESS may follow `--`
    #[arg(value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,

    /// After `--`: more files, or with --fix the address of a value in the files
    #[arg(value_name = "ADDRESS", last = true, hide = true)]
    pub after: Vec<OsString>,

    /// Also list the values that have no problem
    #[arg(short, long)]
    pub verbose: bool,

    /// Exit with 1 if a file is not canonical
    #[arg(long)]
    pub canonical: bool,

    /// Write the results as text, json, github or sarif
    #[arg(long, value_name = "FORM", default_value = "text", hide_possible_values = true)]
    pub report: Form,

    /// List what TOOL would not keep; `help` lists tools
    #[arg(long = "for", value_name = "TOOL", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(survive::TOOLS.iter().map(|tool| tool.name).chain(["help"])))]
    pub tools: Vec<String>,

    /// Leave out GLOB, a name or a path; repeatable
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Leave out the problems in FILE, which --report json wrote
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Fix broken values: `cut`, `clear` or a FILE
    #[arg(long, value_name = "HOW", conflicts_with_all = ["verbose", "canonical", "report", "baseline", "tools"])]
    pub fix: Option<PathBuf>,

    #[command(flatten)]
    pub destination: Destination,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A sentence for each file
    Text,
    /// A JSON object for each file
    Json,
    /// Workflow commands of GitHub: annotations
    Github,
    /// A document of SARIF 2.1.0
    Sarif,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    if let Some(how) = &args.fix {
        return fix::run(args, how, settings, console);
    }
    refuse_if(args.destination.is_given(), "-o, --in-place and --force need --fix")?;
    if args.tools.iter().any(|name| name == "help") {
        let longest = survive::TOOLS.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
        for Tool { name, version, about, .. } in &survive::TOOLS {
            writeln!(console.out(), "{name:longest$}  {version}: {about}")?;
        }
        return Ok(Status::Fine);
    }
    let is_given = |tool: &&'static Tool| args.tools.iter().any(|name| name == tool.name);
    let tools = &survive::TOOLS.iter().filter(is_given).collect::<Vec<_>>();
    let form = args.report;
    let files = args.files.iter().cloned().chain(args.after.iter().map(PathBuf::from)).collect::<Vec<_>>();
    let known = args.baseline.as_deref().map_or_else(|| Ok(HashSet::new()), |file| baseline(file, settings))?;
    let (tally, problems) = (Tally::default(), Vec::new());
    let unframed = settings.formats.clone().set("framing", "none").unwrap_or_default();
    let known_tools = HashSet::new();
    let mut check = Check {
        args,
        form,
        settings,
        unframed,
        tools,
        known_tools,
        known,
        tally,
        problems,
        is_decoded: false,
        entry: None,
    };
    let mut highest = Status::Fine;
    for file in each::or_standard_input(&files, console)? {
        if is_excluded(&file, &args.exclude) {
            check.tally.excluded = check.tally.excluded.saturating_add(1);
            continue;
        }
        let status = if file.is_dir() { check.folder(file, console)? } else { check.file(&file, console)? };
        highest = highest.max(status);
    }
    let known = std::mem::take(&mut check.known_tools);
    // nothing can be said of values where none was read
    let has_values = check.tally.values().iter().any(|(count, what)| *count > 0 && *what != "not read");
    for tool in tools.iter().filter(|tool| has_values && !known.contains(tool.name)) {
        console.remark(format_args!("{}: nothing is known of the values in these files", tool.version))?;
    }
    if form == Form::Sarif {
        let document = problem::sarif(&check.problems, highest);
        writeln!(console.out(), "{document:#}")?;
    }
    // of one file, the text says the same already
    let is_told = form == Form::Text && check.tally.files < 2 && !check.tally.is_walked && check.tally.excluded == 0;
    if let Some(summary) = check.tally.summary().filter(|_| !is_told) {
        console.remark(summary)?;
    }
    Ok(highest)
}

/// Returns true if a pattern fits the path of a file, its name, or the name or the path of a folder that holds it.
pub fn is_excluded(file: &Path, patterns: &[String]) -> bool {
    // of a/b/c: also a/b, b/c, a, b and c
    let fits = |pattern: &str, path: &Path| {
        let mut ends = (0..path.components().count()).map(|start| path.components().skip(start).collect::<PathBuf>());
        ends.any(|end| is_like_text(&end.to_string_lossy(), pattern.trim_end_matches('/')))
    };
    patterns.iter().any(|pattern| file.ancestors().any(|path| fits(pattern, path)))
}

/// The problems that were reported before: see [`key`].
fn baseline(file: &Path, settings: &Settings) -> Result<HashSet<String>, Refusal> {
    let bytes = models::read(file, settings.memory())?;
    let lines = (1usize..).zip(bytes.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    let row = |(number, line)| {
        serde_json::from_slice(line).map(|row| key(&row)).map_err(|error| {
            let reason = format!("expected a line of `check --report json`: {}", TextError::from(error));
            Status::Malformed.because(reason).at(format!("{}: line {number}", shown(file)))
        })
    };
    lines.map(row).collect()
}

/// The identity of a problem in a row of JSON: the file, the address, and the error and its path, but not its offset.
fn key(row: &serde_json::Value) -> String {
    let part = |path| row.pointer(path).unwrap_or(&serde_json::Value::Null);
    ["/file", "/address", "/status", "/error/message", "/error/path"].map(|path| part(path).to_string()).concat()
}

/// A check of several files.
struct Check<'c> {
    args: &'c Args,
    form: Form,
    settings: &'c Settings,
    tools: &'c [&'static Tool],
    /// The names of the tools with a row that fits a value that was checked.
    known_tools: HashSet<&'static str>,
    /// The options for a value in a container: the frame around it was read already.
    unframed: FormatOptions,
    /// The problems that are left out.
    known: HashSet<String>,
    tally: Tally,
    /// The problems that SARIF will list.
    problems: Vec<Problem>,
    /// True if the bytes of the file differ from those that are checked.
    is_decoded: bool,
    /// The file in a pack that is checked.
    entry: Option<Place<'static>>,
}

impl<'c> Check<'c> {
    /// Checks the files in a folder.
    fn folder(&mut self, folder: PathBuf, console: &mut Console) -> Done {
        let unknown = AtomicUsize::new(0);
        self.tally.is_walked = true;
        let mut highest = Status::Fine;
        let before = self.tally.files;
        for file in walk::in_folder(folder.clone(), self.settings, &unknown) {
            let status = match file {
                Ok(file) | Err((file, _)) if is_excluded(&file, &self.args.exclude) => {
                    self.tally.excluded = self.tally.excluded.saturating_add(1);
                    continue;
                }
                Ok(file) => self.file(&file, console)?,
                Err((file, refusal)) => self.unread(&file, refusal, console)?,
            };
            highest = highest.max(status);
        }
        let unknown = unknown.load(Ordering::Relaxed);
        self.tally.unknown = self.tally.unknown.saturating_add(unknown);
        if self.tally.files == before && highest == Status::Fine && unknown > 0 {
            return self.unread(&folder, walk::unrecognised(&folder, unknown), console);
        }
        Ok(highest)
    }

    fn file(&mut self, file: &Path, console: &mut Console) -> Done {
        self.tally.files = self.tally.files.saturating_add(1);
        let opened = OpenFile::open(file, self.settings);
        self.is_decoded = has_other_bytes(&opened, self.settings);
        self.opened(file, opened, console)
    }

    fn opened(&mut self, file: &Path, opened: Result<OpenFile, Refusal>, console: &mut Console) -> Done {
        match opened.map_err(Failure::from).and_then(|opened| self.content(file, opened, console)) {
            Err(Failure::Refused(refusal)) => self.unread(file, refusal, console),
            done => done,
        }
    }

    fn content(&mut self, file: &Path, mut opened: OpenFile, console: &mut Console) -> Done {
        let settings = self.settings;
        if let Some(kind) = opened.container(settings)? {
            return self.container(file, opened, kind, console);
        }
        let bytes = if self.sought(None).is_nothing() { Vec::new() } else { opened.kept()? };
        let work = |format: &dyn AnyFormat, reader: &mut dyn Read, limit| {
            format.check_reader(reader, limit, &settings.formats)
        };
        let (format, result) = opened.stream(settings, work)?;
        let result = shifted(result, settings.part.offset);
        let (status, outcome) = match &result {
            Ok(checked) => (self.status(checked), Outcome::Valid(checked)),
            Err(error) => (Status::from(error), Outcome::Invalid(error)),
        };
        let address = self.address(None);
        let reported =
            self.report(&Verdict { file, address, format: Some(format.name()), status, outcome }, console)?;
        let mut embedded = Embedded::new(Address::of_file(), ANY, Ok(&bytes[..]));
        embedded.start = Some(0);
        let reported = reported.max(self.objects(file, (format, None), &embedded, console)?);
        if format.name() == ATTRIBUTES
            && !(is_standard(file) || is_stream(file))
            && let Ok(input) = OpenFile::open(file, settings).and_then(OpenFile::all_consuming)
        {
            warn_repeated(format, &input.bytes, || input.name.clone(), settings, console)?;
        }
        if result.is_err() && self.entry.is_none() {
            self.advise(file, format, console)?;
        }
        Ok(reported)
    }

    /// Says what an invalid file is instead, if that can be recognised. Input that can be read only once is not read again.
    fn advise(&self, file: &Path, format: &dyn AnyFormat, console: &mut Console) -> io::Result<()> {
        let settings = self.settings;
        if self.form != Form::Text || is_standard(file) || is_stream(file) {
            return Ok(());
        }
        let Ok(bytes) = OpenFile::open(file, settings).and_then(OpenFile::all_consuming) else { return Ok(()) };
        for line in formats::advice(&bytes.bytes, format, settings) {
            console.remark(format_args!("{}: {line}", bytes.name))?;
        }
        Ok(())
    }

    /// Checks the values in a container.
    fn container(&mut self, file: &Path, opened: OpenFile, kind: ContainerKind, console: &mut Console) -> Done {
        let opened = opened.open_container(kind, self.settings)?;
        let OpenContainer { name, container, .. } = &opened;
        let format = formats::of_values(kind.formats(), &**container, self.settings);
        let format = format.at(name)?;
        let (mut reported, before) = (0usize, (self.tally.values(), self.tally.refused, self.tally.harmed));
        let length = fs::metadata(file).map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
        let mut unpacked = length.saturating_mul(UNPACKED).max(self.settings.memory());
        let mut of_file = Status::Fine;
        let is_told = self.entry.as_ref().is_some_and(|entry| objects::is_code(&entry.to_string()));
        if self.settings.finds_objects && kind == ContainerKind::Script && !is_told {
            let (format, address, object) = (None, self.address(None), Object::of_file());
            let (status, outcome) = (Status::Differs, Outcome::Refused(&object));
            of_file = self.report(&Verdict { file, address, format, status, outcome }, console)?;
        }
        let (highest, end) = each_listed(&**container, &mut |value| {
            self.tally.is_of_many = true;
            of_file = of_file.max(self.objects(file, (format, Some(kind)), &value, console)?);
            // a pack in a pack may be the same one
            if let (ContainerKind::Pack, None, Ok(bytes)) = (kind, &self.entry, &value.bytes)
                && let Some(entry) =
                    OpenFile::entry(name.at(&value.address.to_string()), bytes, self.settings, &mut unpacked)
                && !self.is_other_database(bytes, &value.address, console)?
            {
                reported = reported.saturating_add(1);
                let is_decoded = std::mem::replace(&mut self.is_decoded, true);
                let (address, about) = (value.address.into_address().into(), value.about.into_owned());
                self.entry = Some(Place { entry: None, address, about });
                let status = self.opened(file, entry, console);
                (self.entry, self.is_decoded) = (None, is_decoded);
                return status;
            }
            if let (Ok(bytes), false) = (&value.bytes, value.formats.is_empty()) {
                let name = || name.at(&value.address.to_string());
                warn_repeated(format, bytes, name, self.settings, console)?;
            }
            let value = Value::of(format, value, (self.settings, &self.unframed));
            reported = reported.saturating_add(usize::from(!matches!(value.found, Found::Other(_))));
            self.value((file, name), format, &value, console)
        })?;
        let highest = highest.max(of_file);
        let end = end.map_err(|error| refused(name, &error));
        console.warnings(name, &container.warnings())?;
        if reported > 0 && self.entry.is_none() {
            let status = end.as_ref().map_or_else(|refusal| refusal.status, |()| highest);
            self.summary(name, before, status, console)?;
        }
        end?;
        if reported == 0 {
            let (address, outcome) = (self.address(None), Outcome::Empty);
            self.report(&Verdict { file, address, format: None, status: highest, outcome }, console)?;
        }
        Ok(highest)
    }

    /// Returns true for a file in a pack that is a database but not a save, and prints a remark about it.
    fn is_other_database(&self, bytes: &[u8], address: &Address, console: &mut Console) -> io::Result<bool> {
        if ContainerKind::detect(bytes) != Some(ContainerKind::Save) {
            return Ok(false);
        }
        let source = FileSource::Bytes(bytes.to_vec());
        match ContainerKind::Save.open(source, None, &self.settings.formats) {
            Err(ContainerError::Unknown(reason)) => {
                console.remark(format_args!("{}: {reason}; skipped", escaped(address)))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The address of a value, after that of the file in a pack that holds it.
    fn address<'v>(&self, value: Option<&Place<'v>>) -> Option<Place<'v>> {
        match (&self.entry, value) {
            (Some(entry), Some(value)) => Some(Place { entry: Some(entry.to_string()), ..value.clone() }),
            (entry, value) => value.or(entry.as_ref()).cloned(),
        }
    }

    /// Writes the number of values in a file. `before` has the counts of the files before it.
    fn summary(
        &self,
        name: &Name,
        (before, refused, harmed): (Counts, usize, usize),
        status: Status,
        console: &mut Console,
    ) -> io::Result<()> {
        if self.form != Form::Text || console.is_quiet() || !self.lists_all() {
            return Ok(());
        }
        let counts = self.tally.values().into_iter().zip(before);
        let counts: Vec<_> = counts.map(|((count, what), (before, _))| (count.saturating_sub(before), what)).collect();
        // an error of the whole file was reported already
        if counts.iter().all(|(count, _)| *count == 0) {
            return Ok(());
        }
        let has_broken = counts.iter().any(|(count, what)| *count > 0 && ["with an error", "not read"].contains(what));
        let verdict = match status > Status::Differs {
            false if self.tally.refused > refused => "refused, ",
            false if self.tally.harmed > harmed => "not kept, ",
            true if has_broken => "error: ",
            true => "not read to the end, ",
            false => "ok, ",
        };
        writeln!(console.out(), "{name}: {verdict}{}", counted_values(&counts))
    }

    /// Returns true if files without a problem are listed too: one that is named alone always is.
    fn lists_all(&self) -> bool {
        self.args.verbose || (self.args.files.len() < 2 && !self.tally.is_walked)
    }

    /// Passes over what is not a value of the format.
    fn skip(&mut self, name: &Name, other: &str, console: &mut Console) -> io::Result<()> {
        self.tally.skipped = self.tally.skipped.saturating_add(1);
        if self.form == Form::Text && self.args.verbose && !console.is_quiet() {
            writeln!(console.out(), "{name}: {other}")?;
        }
        Ok(())
    }

    /// Reports a value in a container.
    fn value(
        &mut self,
        (file, name): (&Path, &Name),
        format: &dyn AnyFormat,
        value: &Value<'_>,
        console: &mut Console,
    ) -> Done {
        // what is wrong with the whole file has no place in it
        let address = self.address(value.place.as_ref());
        let (status, outcome) = match &value.found {
            Found::Checked(Ok(checked)) => (self.status(checked), Outcome::Valid(checked)),
            Found::Checked(Err(error)) => (Status::from(error), Outcome::Invalid(error)),
            Found::Other(other) => {
                let name = value.place.as_ref().map_or_else(|| name.clone(), |place| name.at(&place.to_string()));
                self.skip(&name, other, console)?;
                return Ok(Status::Fine);
            }
            Found::Unread(error) => {
                let (status, message) = (status(error).max(Status::Malformed), error_text(error));
                let outcome = Outcome::Unread(message, value.broken_at);
                return self.report(&Verdict { file, address, format: None, status, outcome }, console);
            }
        };
        self.report(&Verdict { file, address, format: Some(format.name()), status, outcome }, console)
    }

    /// The search in a value of a file of this kind.
    fn sought(&self, carrier: Option<ContainerKind>) -> Sought<'c> {
        Sought { objects: self.settings.finds_objects, tools: self.tools, carrier }
    }

    /// Reports scripts and objects in a value, if they are refused, and what tools do not keep.
    fn objects(
        &mut self,
        file: &Path,
        (format, carrier): (&dyn AnyFormat, Option<ContainerKind>),
        value: &Embedded<'_>,
        console: &mut Console,
    ) -> Done {
        let (settings, sought) = (self.settings, self.sought(carrier));
        if sought.is_nothing() {
            return Ok(Status::Fine);
        }
        if !self.tools.is_empty() && !value.formats.is_empty() {
            let fitting = survive::ROWS.iter().filter(|row| row.fits(format.name(), carrier));
            self.known_tools.extend(fitting.flat_map(|row| row.tools));
        }
        let place = Place { entry: None, address: value.address.clone(), about: value.about.clone() };
        let place = (!place.address.is_file()).then_some(place);
        let format_name = (!value.formats.is_empty()).then(|| format.name());
        let mut highest = Status::Fine;
        let mut each = |mut object: Object| {
            let start = value.start.map(|start| start.saturating_add(settings.part.offset));
            let shifted = |at: Offset| Some(Offset::new(at.byte().saturating_add(start?), at.bit()));
            object.at = object.at.and_then(shifted);
            let (address, status) = (self.address(place.as_ref()), Status::Differs);
            let outcome = Outcome::Refused(&object);
            let verdict = Verdict { file, address, format: format_name, status, outcome };
            highest = highest.max(self.report(&verdict, console)?);
            Ok(())
        };
        let held = value.bytes.as_ref().map_or(0, |bytes| bytes.len().saturating_mul(2));
        let memory = settings.memory().saturating_sub(held);
        match objects::each(format, value, settings, (sought, memory), &mut each) {
            Err(Failure::Refused(refusal)) => {
                let (address, outcome) = (self.address(place.as_ref()), Outcome::Unread(refusal.message, None));
                let verdict = Verdict { file, address, format: format_name, status: refusal.status, outcome };
                self.report(&verdict, console)
            }
            done => done.map(|()| highest),
        }
    }

    /// The status of what is valid.
    fn status(&self, checked: &Checked) -> Status {
        match self.args.canonical && !checked.findings.is_canonical() {
            true => Status::Differs,
            false => Status::Fine,
        }
    }

    /// Reports a file that cannot be read.
    fn unread(&mut self, file: &Path, refusal: Refusal, console: &mut Console) -> Done {
        let reason = refusal.message.lines().next().unwrap_or_default().to_owned();
        let (address, outcome) = (self.address(None), Outcome::Unread(reason, None));
        let verdict = Verdict { file, address, format: None, status: refusal.status, outcome };
        if self.form == Form::Text && !self.is_known(&verdict)? {
            self.tally.count(&verdict);
            return Ok(console.refused(refusal)?);
        }
        self.report(&verdict, console)
    }

    /// Returns true if it is a problem that was reported before.
    fn is_known(&self, verdict: &Verdict<'_>) -> io::Result<bool> {
        if self.known.is_empty() || verdict.status == Status::Fine {
            return Ok(false);
        }
        let row = serde_json::from_str(&verdict.json(self.settings.part)?)?;
        Ok(self.known.contains(&key(&row)))
    }

    /// Counts a verdict, and writes it.
    fn report(&mut self, verdict: &Verdict<'_>, console: &mut Console) -> Done {
        if self.is_known(verdict)? {
            self.tally.known = self.tally.known.saturating_add(1);
            return Ok(Status::Fine);
        }
        self.tally.count(verdict);
        let (is_raw, part) = (!self.is_decoded, self.settings.part);
        let is_file = verdict.address.is_none() && self.lists_all();
        let is_listed = is_file || verdict.status != Status::Fine || self.args.verbose;
        match self.form {
            Form::Text if console.is_quiet() || !is_listed => {}
            Form::Text => {
                let name = Name::new(verdict.file);
                let name = part.place().map_or_else(|| name.clone(), |place| name.at(&place));
                let name =
                    verdict.address.as_ref().map_or_else(|| name.clone(), |address| name.at(&address.to_string()));
                let message = verdict.message();
                match verdict.outcome {
                    Outcome::Valid(_) | Outcome::Empty => writeln!(console.out(), "{name}: ok, {message}")?,
                    Outcome::Invalid(_) | Outcome::Unread(..) | Outcome::Refused(_) => {
                        writeln!(console.out(), "{name}: error: {}", escaped(message))?;
                    }
                }
            }
            Form::Json => writeln!(console.out(), "{}", verdict.json(part)?)?,
            Form::Github => {
                if let Some(problem) = Problem::of(verdict, is_raw, part) {
                    writeln!(console.out(), "{}", problem.github())?;
                }
            }
            Form::Sarif => self.problems.extend(Problem::of(verdict, is_raw, part)),
        }
        Ok(verdict.status)
    }
}

/// A value in a container.
struct Value<'v> {
    /// `None` for what is wrong with the whole file.
    place: Option<Place<'v>>,
    found: Found,
    /// The offset of the error in the file, if known.
    broken_at: Option<u64>,
}

/// The result at its address.
enum Found {
    Checked(Result<Checked, DecodeError>),
    /// Something else than a value of the format: its description.
    Other(String),
    /// Its bytes cannot be read.
    Unread(ContainerError),
}

impl<'v> Value<'v> {
    /// Checks a value.
    fn of(format: &dyn AnyFormat, value: Embedded<'v>, (settings, options): (&Settings, &FormatOptions)) -> Self {
        let other = other(&value);
        // some properties of models have a length of 0 where others have no bytes
        let is_none =
            value.about.kind().is_some_and(|kind| value.bytes.as_ref().is_ok_and(|bytes| **bytes == *kind.none()));
        let found = match (value.bytes, other) {
            (Err(error), _) => Found::Unread(error),
            (Ok(_), Some(other)) => Found::Other(other),
            (Ok(bytes), None) => {
                let mut result = format.check(&bytes, options);
                if let (Ok(checked), true) = (&mut result, is_none) {
                    checked.findings = Findings::default();
                }
                let complete = |error: DecodeError| if value.is_open { error } else { error.of_complete_input() };
                let start = value.start.map(|start| start.saturating_add(settings.part.offset));
                Found::Checked(shifted(result.map_err(complete), start.unwrap_or(0)))
            }
        };
        let place = Place { entry: None, address: value.address, about: value.about };
        Value { place: (!place.address.is_file()).then_some(place), found, broken_at: value.broken_at }
    }
}

/// The formats of a value whose format is known.
const ANY: &[&str] = &[""];

/// The format whose readers differ about keys that are there twice.
const ATTRIBUTES: &str = "roblox-attributes";

/// Warns of keys that attributes have several times.
fn warn_repeated(
    format: &dyn AnyFormat,
    bytes: &[u8],
    name: impl FnOnce() -> Name,
    settings: &Settings,
    console: &mut Console,
) -> io::Result<()> {
    let mut warnings = Vec::new();
    let mut look = |node: &dyn Node| {
        let repeated = node.repeated();
        // most values have none
        let steps = if repeated.is_empty() { Vec::new() } else { node.steps(format.notation()) };
        for numbers in repeated {
            let key = numbers.first().and_then(|first| steps.get(*first)).cloned();
            let paths: Vec<_> = numbers.iter().map(|number| format!("[#{number}]")).collect();
            let key = escaped(ValuePath(key.into_iter().collect()));
            warnings.push(format!(
                "the key {key} is there several times, as {}: readers do not agree on the one that counts",
                paths.join(", ")
            ));
        }
    };
    if format.name() == ATTRIBUTES {
        // an error is reported elsewhere
        let _ = format.visit(bytes, &settings.formats, &mut look);
    }
    // most values need no name
    if warnings.is_empty() {
        Ok(())
    } else {
        console.warnings(name(), &warnings)
    }
}

/// Returns true if the bytes of a file differ from those that are read.
fn has_other_bytes(opened: &Result<OpenFile, Refusal>, settings: &Settings) -> bool {
    settings.has_lines_of_hex() || opened.as_ref().is_ok_and(|file| file.is_text() || file.name.layers().is_some())
}

/// The result for bytes that begin at `start` in the file.
fn shifted(result: Result<Checked, DecodeError>, start: u64) -> Result<Checked, DecodeError> {
    let mut checked = result.map_err(|error| error.shifted(start))?;
    for finding in [&mut checked.findings.non_canonical.first, &mut checked.findings.drafts.first].into_iter().flatten()
    {
        finding.offset = Offset::new(finding.offset.byte().saturating_add(start), finding.offset.bit());
    }
    Ok(checked)
}

/// The number of files or values for each result.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    canonical: usize,
    other: usize,
    broken: usize,
    /// Values in containers that cannot be read.
    unread: usize,
    /// Parts of containers that are not values of the format.
    skipped: usize,
    /// Files that cannot be read, or not to their end.
    unread_files: usize,
    /// Containers without values.
    empty_files: usize,
    /// Files in folders that are not recognised.
    unknown: usize,
    /// Scripts and objects that are refused.
    refused: usize,
    /// Values that a tool does not keep.
    harmed: usize,
    /// Problems that were reported before.
    known: usize,
    /// Files that are left out by name.
    excluded: usize,
    /// True if a file was a container.
    is_of_many: bool,
    /// True if a folder was walked.
    is_walked: bool,
}

/// The number of values of each kind.
type Counts = [(usize, &'static str); 5];

/// The counts of what there is: `2 with an error, 1 skipped`.
fn listed(counts: &[(usize, &str)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// `3 values: 2 canonical, 1 with an error`
fn counted_values(counts: &[(usize, &str)]) -> String {
    let count = counts.iter().fold(0usize, |sum, (count, _)| sum.saturating_add(*count));
    counted(number(count, "value"), listed(counts))
}

fn counted(count: String, what: String) -> String {
    if what.is_empty() {
        count
    } else {
        format!("{count}: {what}")
    }
}

impl Tally {
    /// The number of values of each kind.
    fn values(&self) -> Counts {
        [
            (self.canonical, "canonical"),
            (self.other, "ok but not canonical"),
            (self.broken, "with an error"),
            (self.skipped, "skipped"),
            (self.unread, "not read"),
        ]
    }

    fn count(&mut self, verdict: &Verdict<'_>) {
        let counter = match &verdict.outcome {
            Outcome::Valid(checked) if checked.findings.is_canonical() => &mut self.canonical,
            Outcome::Valid(_) => &mut self.other,
            Outcome::Invalid(_) => &mut self.broken,
            Outcome::Unread(..) if verdict.address.is_some() => &mut self.unread,
            Outcome::Unread(..) => &mut self.unread_files,
            Outcome::Empty => &mut self.empty_files,
            Outcome::Refused(Object { why: Why::Harmed(..), .. }) => &mut self.harmed,
            Outcome::Refused(_) => &mut self.refused,
        };
        *counter = counter.saturating_add(1);
    }

    /// The sentence for several files or values.
    fn summary(&self) -> Option<String> {
        if self.files < 2 && !self.is_of_many && !self.is_walked && self.known == 0 && self.excluded == 0 {
            return None;
        }
        let values = self.values();
        let files = [(self.empty_files, "without values"), (self.unread_files, "not read to the end")];
        let mut parts = Vec::new();
        if self.is_of_many {
            parts.push(counted_values(&values));
            if self.files > 1 || files.iter().any(|(count, _)| *count > 0) {
                parts.push(counted(number(self.files, "file"), listed(&files)));
            }
        } else {
            parts.push(counted(number(self.files, "file"), listed(&[&values[..], &files].concat())));
        }
        if self.refused > 0 {
            let what = if self.refused == 1 { "script or object" } else { "scripts or objects" };
            parts.push(format!("{} {what} refused", thousands(self.refused)));
        }
        if self.harmed > 0 {
            parts.push(format!("{} not kept by other tools", number(self.harmed, "field")));
        }
        if self.excluded > 0 {
            parts.push(format!("{} excluded", number(self.excluded, "file")));
        }
        if self.known > 0 {
            parts.push(format!("{} of the baseline left out", number(self.known, "problem")));
        }
        if self.unknown > 0 {
            parts.push(walk::left_out(self.unknown));
        }
        Some(parts.join("; "))
    }
}

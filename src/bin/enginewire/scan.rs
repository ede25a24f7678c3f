//! `enginewire scan`

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::{io, mem};

use enginewire::roblox::model::{Listing, Property};
use enginewire::DecodeError;
use ignore::{DirEntry, WalkBuilder};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{json, Value};

use crate::args::{Common, Scan, Shard};
use crate::carriers::Origin;
use crate::console::Console;
use crate::models::{self, EntryJson};
use crate::name::{shown, Name};
use crate::status::Status;
use crate::words::{escaped, thousands};

/// How the names of the files end.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// Files of which the output is held at once.
const AT_ONCE: usize = 512;

/// How many files are looked for while one is read: so the first are read soon, and it is soon known how many there are.
const AHEAD: usize = 8;

/// What a file gave.
#[derive(Default)]
struct Found {
    lines: Vec<u8>,
    errors: Vec<String>,
    counts: Counts,
    status: Option<Status>,
}

/// What there is in all files.
#[derive(Debug, Default, Serialize)]
struct Counts {
    files: u64,
    /// Properties that have attributes.
    blobs: u64,
    attributes: u64,
    tags: u64,
    types: BTreeMap<String, u64>,
    classes: BTreeMap<String, u64>,
    errors: BTreeMap<String, u64>,
}

pub fn run(args: &Scan, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    let threads = match rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or_default().into())
        .stack_size(crate::STACK)
        .use_current_thread()
        .build()
    {
        Ok(threads) => threads,
        Err(error) => {
            console.error(format_args!("cannot start threads to read files: {error}; --threads 1 needs none"))?;
            return Ok(Status::Io);
        }
    };
    let bar = bar(common)?;
    let mut files = files(&args.dirs, args.shard.as_ref());
    let mut waiting = VecDeque::new();
    let mut is_all = false;
    let mut found = Vec::new();
    let mut counts = Counts::default();
    let mut highest = Status::Fine;
    loop {
        let batch: Vec<PathBuf> = waiting.drain(..waiting.len().min(AT_ONCE)).collect();
        let written: Vec<Found> = mem::take(&mut found);
        threads.in_place_scope(|scope| {
            scope.spawn(|_| {
                let work = |file: &PathBuf| {
                    let found = scan(file, args, common);
                    bar.inc(1);
                    found
                };
                // none waits for the other at the end
                found = batch.par_iter().with_max_len(1).map(work).collect();
            });
            // meanwhile this thread writes what those before gave, in their order, and looks for more
            for found in written {
                console.out().write_all(&found.lines)?;
                for error in found.errors {
                    bar.suspend(|| console.error(error))?;
                }
                counts.add(found.counts);
                highest = highest.max(found.status.unwrap_or(Status::Fine));
            }
            let count = batch.len().max(AHEAD).saturating_mul(AHEAD);
            let more: Vec<_> = files.by_ref().take(count).collect();
            if more.len() < count && !is_all {
                is_all = true;
                bar.set_style(style("{wide_bar} {pos}/{len} files, {eta} left")?);
            }
            bar.inc_length(more.iter().filter(|file| file.is_ok()).map(|_| 1).sum());
            for file in more {
                match file {
                    Ok(file) => waiting.push_back(file),
                    Err(message) => {
                        bar.suspend(|| console.error(message))?;
                        highest = highest.max(Status::Io);
                    }
                }
            }
            io::Result::Ok(())
        })?;
        if is_all && waiting.is_empty() && found.is_empty() {
            break;
        }
    }
    bar.finish_and_clear();
    if args.summary {
        counts.write(args.json, console)?;
    }
    Ok(highest)
}

/// Shown on standard error, where that is a terminal. How much is left is not known before all files are.
fn bar(common: &Common) -> io::Result<ProgressBar> {
    let target = if common.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style("{wide_bar} {pos}/{len} files")?))
}

fn style(template: &str) -> io::Result<ProgressStyle> {
    ProgressStyle::with_template(template).map_err(io::Error::other)
}

/// The model files in folders, in order and each once, of which one shard is wanted; what is named itself is always one.
/// Or why something cannot be looked at.
fn files<'a>(dirs: &'a [PathBuf], shard: Option<&'a Shard>) -> Box<dyn Iterator<Item = Result<PathBuf, String>> + 'a> {
    let files = dirs.iter().flat_map(move |dir| {
        // in the order of whole paths, but sooner sorted
        let walk = WalkBuilder::new(dir).sort_by_file_name(Ord::cmp).build();
        walk.filter_map(move |entry| match entry {
            Ok(entry) => is_wanted(&entry, dir, shard).then(|| Ok(entry.into_path())),
            Err(error) => Some(Err(unwalked(&error))),
        })
    });
    if dirs.len() < 2 {
        return Box::new(files.fuse());
    }
    // one may lie within another
    let mut files: Vec<_> = files.collect();
    files.sort_by(|a, b| a.as_ref().ok().cmp(&b.as_ref().ok()));
    files.dedup_by(|a, b| a.is_ok() && a == b);
    Box::new(files.into_iter())
}

fn is_wanted(entry: &DirEntry, dir: &Path, shard: Option<&Shard>) -> bool {
    let path = entry.path();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_model = extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)));
    // nobody may ever write into a pipe that lies about; a link that leads nowhere is told of
    let is_file = entry.file_type().is_some_and(|kind| match entry.depth() {
        0 => !kind.is_dir(),
        _ => kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file())),
    });
    // where the folder lies may differ from machine to machine
    let within = path.strip_prefix(dir).unwrap_or(path);
    let within = if within == Path::new("") { path } else { within };
    is_file && (is_model || entry.depth() == 0) && shard.map_or(true, |shard| shard.has(within))
}

/// What could not be walked, and why: the crate that walks names the path twice.
fn unwalked(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { path, err } => {
            let inner = err.io_error().and_then(|error| error.get_ref()?.source());
            let reason = inner.map_or_else(|| err.to_string(), ToString::to_string);
            format!("cannot read {}: {reason}", shown(path))
        }
        ignore::Error::WithDepth { err, .. } => unwalked(err),
        error => error.to_string(),
    }
}

impl Shard {
    /// Whether a file belongs to it: every file to one, by a hash of its path that is the same everywhere.
    fn has(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        // FNV-1a, and a last step that lets all bits have a say in the lowest
        let hash = parts
            .join("/")
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash.checked_rem(self.of) == Some(self.number.saturating_sub(1))
    }
}

fn scan(path: &Path, args: &Scan, common: &Common) -> Found {
    let mut found = Found::default();
    found.counts.files = 1;
    let listing = match models::list(path, &models::options(common), common.memory()) {
        Ok(listing) => listing,
        Err((status, message)) => {
            // the name of the file is not part of what kind of error it is
            let kind =
                if status == Status::Io { "it cannot be read" } else { message.lines().next().unwrap_or_default() };
            let kind = kind.to_owned();
            found.fail(status, message, &kind);
            return found;
        }
    };
    let file = Name::new(path);
    for property in listing.properties() {
        property_of(&listing, &property, &file, args, common, &mut found);
    }
    for problem in &listing.problems {
        let message = format!("{}\n  --> {file}", models::problem_text(problem));
        let kind = problem.to_string();
        let kind = kind.split(" (").next().and_then(|kind| kind.split(", at byte").next()).unwrap_or_default();
        found.fail(models::status(problem), message, kind);
        if !args.summary {
            let line = Line {
                origin: Origin::new(&file, Vec::new()),
                place: Origin::default(),
                fact: Fact::error(problem, None),
            };
            found.line(&line);
        }
    }
    found
}

/// A line: which property of which instance, what about it, and where.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    origin: Origin,
    #[serde(flatten)]
    fact: Fact,
    #[serde(flatten)]
    place: Origin,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Fact {
    Entry(EntryJson),
    Tags { tags: Vec<String> },
    Error { error: Value },
}

impl Fact {
    fn error(message: impl ToString, error: Option<&DecodeError>) -> Self {
        let error = match error {
            Some(error) => json!({
                "message": error.fault().to_string(),
                "offset": error.offset().byte(),
                "path": error.path().to_string(),
            }),
            None => json!({ "message": message.to_string() }),
        };
        Fact::Error { error }
    }
}

fn property_of(
    listing: &Listing,
    property: &Property<'_>,
    file: &Name,
    args: &Scan,
    common: &Common,
    found: &mut Found,
) {
    let origin = || Origin::new(file, models::owner(listing, property));
    let place = || Origin::of(models::place(property));
    if !models::is_attributes(listing, property) {
        let tags = models::tags(property);
        found.counts.tags = found.counts.tags.saturating_add(u64::try_from(tags.len()).unwrap_or(u64::MAX));
        if !args.summary && !tags.is_empty() {
            found.line(&Line { origin: origin(), fact: Fact::Tags { tags }, place: place() });
        }
        if let Err(error) = &property.bytes {
            failed(listing, property, file, (error.to_string(), None), found);
            if !args.summary {
                found.line(&Line { origin: origin(), fact: Fact::error(error, None), place: place() });
            }
        }
        return;
    }
    found.counts.blobs = found.counts.blobs.saturating_add(1);
    let (attributes, error) = models::partial(property, common);
    if let Some(instance) = listing.instance_of(property) {
        add(&mut found.counts.classes, &instance.class.to_string());
    }
    for entry in &attributes {
        found.counts.attributes = found.counts.attributes.saturating_add(1);
        if args.summary {
            add(&mut found.counts.types, entry.value.type_id().name());
            continue;
        }
        let Ok(entry) = EntryJson::new(entry) else { continue };
        found.line(&Line { origin: origin(), fact: Fact::Entry(entry), place: place() });
    }
    if let Some((message, error)) = error {
        if !args.summary {
            let fact = Fact::error(&message, error.as_ref());
            found.line(&Line { origin: origin(), fact, place: place() });
        }
        failed(listing, property, file, (message, error), found);
    }
}

fn failed(
    listing: &Listing,
    property: &Property<'_>,
    file: &Name,
    (message, error): (String, Option<DecodeError>),
    found: &mut Found,
) {
    let place = models::name(listing, property);
    let kind = error.map_or_else(|| message.clone(), |error| error.fault().to_string());
    let message = format!("{message}\n  --> {file}: {place}");
    found.fail(Status::Malformed, message, &kind);
}

impl Found {
    /// Counts an error as one of its kind: what it says before the first colon.
    fn fail(&mut self, status: Status, message: String, kind: &str) {
        let kind = kind.split(": ").next().unwrap_or_default();
        self.status = self.status.max(Some(status));
        self.errors.push(message);
        add(&mut self.counts.errors, kind);
    }

    fn line(&mut self, line: &Line) {
        // text in memory can always be written
        if serde_json::to_writer(&mut self.lines, line).is_ok() {
            self.lines.push(b'\n');
        }
    }
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count = count.saturating_add(1),
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        for (count, more) in [
            (&mut self.files, other.files),
            (&mut self.blobs, other.blobs),
            (&mut self.attributes, other.attributes),
            (&mut self.tags, other.tags),
        ] {
            *count = count.saturating_add(more);
        }
        for (counts, more) in
            [(&mut self.types, other.types), (&mut self.classes, other.classes), (&mut self.errors, other.errors)]
        {
            for (name, more) in more {
                let count = counts.entry(name).or_default();
                *count = count.saturating_add(more);
            }
        }
    }

    fn write(&self, json: bool, console: &mut Console<'_>) -> io::Result<()> {
        if json {
            return writeln!(console.out(), "{}", serde_json::to_string(self)?);
        }
        let mut rows = Vec::new();
        for (name, count) in
            [("files", self.files), ("blobs", self.blobs), ("attributes", self.attributes), ("tags", self.tags)]
        {
            rows.push((name.to_owned(), thousands(count)));
        }
        for (title, counts) in [("by type", &self.types), ("by class", &self.classes), ("by error", &self.errors)] {
            if counts.is_empty() {
                continue;
            }
            rows.push((title.to_owned(), String::new()));
            let mut counts: Vec<_> = counts.iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            rows.extend(counts.into_iter().map(|(name, count)| (format!("  {}", escaped(name)), thousands(count))));
        }
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        rows.iter().try_for_each(|(name, value)| {
            let line = format!("{name:width$}  {value}");
            writeln!(console.out(), "{}", line.trim_end())
        })
    }
}

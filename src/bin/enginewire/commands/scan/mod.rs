//! `enginewire scan`

mod counts;
mod file;
mod memory;
mod names;
mod record;
mod row;
mod spool;
mod state;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use clap::value_parser;
use enginewire::scan::{is_model, path_of, Ordered, Shard, Walked};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::exit_status::Status;
use crate::files::walk::{self, shard, WalkArgs};
use crate::output::console::Console;
use crate::output::text::thousands;
use crate::settings::Settings;
use counts::Counts;
use file::{scan, unread, Found, Shared};
use memory::Memory;
use record::Record;
use row::Form;
use spool::Room;

/// Find all attributes in folders of model and place files
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire scan places > attributes.jsonl
  enginewire scan places | jq -r 'select(.key == \"Fuel\") | .file' | sort -u
  enginewire scan --csv places > attributes.csv
  enginewire scan --summary places

  Scan again what had errors:
    enginewire scan --failed failed.txt places > attributes.jsonl
    enginewire scan --files-from failed.txt > again.jsonl

  Scan what another program finds:
    find . -name '*.rbxl' -mtime -1 -print0 | enginewire scan -0 --files-from -

  Go on after a scan was stopped, with the same command:
    enginewire scan --resume scan.state -o attributes.jsonl places

  Share the work between processes or machines, with make, xargs or the jobs of CI
  (for Spark, Ray and Parquet there is the Python package):
    parallel enginewire scan --shard {}/8 places ::: 1 2 3 4 5 6 7 8 > all.jsonl

Folders: files are read that end in .rbxm, .rbxl, .rbxmx or .rbxlx. Not read are
  - hidden files and folders, which begin with a dot (read with --hidden);
  - what .ignore files exclude, in the folders and above them; and, inside a git
    repository, .gitignore, .git/info/exclude and the user's own
    core.excludesFile (read with --no-ignore).
Links to files are followed, links to folders are not. A file or folder given by
name is always read, and each file once.

Rows: one for each attribute, for the tags of an instance, and for each error; a
file without any of these has a row with its name only. Rows are in the order of
the files' paths, or with --files-from in the order of the list. Together, the N
shards cover every file exactly once, on whichever machine each of them runs.

Columns of --csv, in brackets the member of JSON rows if it has another name:
  file            path
  instance        full name of the instance, such as Workspace.Torch
  class           its class
  referent        how the file refers to it, which tells namesakes apart
  property        property that holds the attribute, or Tags
  key             name of the attribute
  type            type of the value, such as Vector3; Reference for an attribute
                  whose value is the path of an instance
  value           the value, or the list of tags [tags], as JSON
  chunk_offset    byte of the file where the chunk of the property begins
                  [chunk.offset]
  offset_in_chunk byte of the uncompressed chunk where the property begins
  file_offset     byte of the file where it begins, unless it is compressed
                  [file_offset, or in XML the first of content]
  error           what is wrong [error.message]
  error_offset    byte, counted from the start of the property, or of the file
                  where no property is named [error.offset]
  error_path      field at fault [error.path]
A name that is not UTF-8 is written as {\"hex\":\"ff\"}.")]
pub struct Args {
    /// Folders or files to read
    #[arg(value_name = "DIR", required_unless_present = "files_from", conflicts_with = "files_from")]
    pub dirs: Vec<PathBuf>,

    /// Read the files and folders listed in FILE, one per line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,

    /// Names in --files-from and --failed end with a byte 0, not with the line
    #[arg(short = '0', long)]
    pub null: bool,

    /// Write CSV (RFC 4180) instead of JSON lines; the columns are listed below
    #[arg(long, conflicts_with = "summary")]
    pub csv: bool,

    /// Write the rows to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "summary")]
    pub output: Option<PathBuf>,

    /// Write the paths of files with errors to FILE, for --files-from
    #[arg(long, value_name = "FILE")]
    pub failed: Option<PathBuf>,

    /// Keep a list of finished files in FILE and skip those already in it. After a kill, the same command goes on: --output
    /// then has each row exactly once
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with = "summary")]
    pub resume: Option<PathBuf>,

    /// Write counts by type, class and error instead of rows
    #[arg(long)]
    pub summary: bool,

    /// With --summary: write one line of JSON
    #[arg(long, requires = "summary")]
    pub json: bool,

    /// Read only the files of shard I of N
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,

    /// Number of threads [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,

    #[command(flatten)]
    pub walk: WalkArgs,
}

/// The number of files that may be read before the rows of the first of them are written.
const READ: usize = 256;

/// The number of files that are looked for while one is read: so the first are read soon, and their number is soon known.
const AHEAD: usize = 8;

/// The most files that are known and not read yet.
const KNOWN: usize = 1 << 16;

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    if args.dirs.iter().any(|dir| dir == Path::new("-")) {
        console.error("scan reads folders and files; for standard input use `get -`")?;
        return Ok(Status::Usage);
    }
    let form = if args.csv { Form::Csv } else { Form::Json };
    // the list is read before --failed is written, which may be the same file
    let opened = match &args.files_from {
        Some(list) => names::read(list, args.null).map(Some),
        None => Ok(None),
    };
    let opened = opened.and_then(|listed| Ok((listed, Record::open(args, form)?)));
    let (listed, record) = match opened {
        Ok(opened) => opened,
        Err((status, message)) => {
            console.error(message)?;
            return Ok(status);
        }
    };
    if record.is_to_console() && !args.summary {
        console.out().write_all(form.head().as_bytes())?;
    }
    let is_sorted = listed.is_none() && args.dirs.len() > 1;
    let paths = listed.unwrap_or_else(|| args.dirs.clone()).into_iter().map(Ok);
    let files = args.walk.of(args.shard).files(paths, is_sorted, is_model);
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let all = settings.scan().limit.most();
    let shared = Shared {
        summary: args.summary,
        form,
        settings: settings.clone(),
        memory: Memory::new(all),
        share: all.checked_div(threads).unwrap_or(all),
        room: Arc::new(Room::new(settings.memory() / 8)),
    };
    let work = move |file: Walked| match file {
        Ok(path) => scan(&path, &shared),
        Err(refused) => {
            let (path, refusal) = walk::refused(refused);
            unread(&path, refusal, &shared)
        }
    };
    write(args, files, record, (threads, work), console)
}

/// Looks for files, and writes what was found in them, in their order.
fn write(
    args: &Args,
    files: impl Iterator<Item = Walked> + Send + 'static,
    mut record: Record,
    (threads, work): (usize, impl Fn(Walked) -> Found + Send + Sync + 'static),
    console: &mut Console,
) -> io::Result<Status> {
    let bar = bar(console.is_quiet())?;
    let (before, mut highest) = record.before();
    let (is_resumed, skipped) = (!before.is_empty(), Arc::new(AtomicUsize::new(0)));
    let count = skipped.clone();
    let files = files.filter(move |file| {
        let is_done = before.contains(path_of(file).as_os_str().as_encoded_bytes());
        count.fetch_add(usize::from(is_done), Ordering::Relaxed);
        !is_done
    });
    let all = Some(style("{wide_bar} {pos}/{len} files, {rate}, {eta} left")?);
    let files = Ahead { files, known: VecDeque::new(), bar: bar.clone(), all };
    let found = match Ordered::new(files, threads, READ, move |file, turn| turn.give(work(file))) {
        Ok(found) => found,
        Err(error) => {
            console.error(format_args!("cannot start a thread: {error}"))?;
            return Ok(Status::Io);
        }
    };
    let (mut counts, mut ended) = (Counts::default(), Ok(()));
    for found in found {
        let mut found = found?;
        counts.add(std::mem::take(&mut found.counts));
        match record.put(found, &bar, console)? {
            Ok(status) => highest = highest.max(status),
            Err(message) => {
                ended = Err(message);
                break;
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let skipped = skipped.load(Ordering::Relaxed);
    if is_resumed {
        console.remark(format_args!("{} files were done before", thousands(skipped)))?;
    }
    if bar.length() == Some(0) && skipped == 0 {
        console.remark("no files to read: there is no .rbxm, .rbxl, .rbxmx or .rbxlx file that is not ignored")?;
    }
    if let Err(message) = ended.and_then(|()| record.finish()) {
        console.error(message)?;
        highest = Status::Io;
    }
    if args.summary {
        counts.write(args.json, console)?;
    }
    Ok(highest)
}

/// The files to read. Some are looked for ahead.
struct Ahead<F> {
    files: F,
    known: VecDeque<Walked>,
    bar: ProgressBar,
    /// The style of the bar once all files are known.
    all: Option<ProgressStyle>,
}

impl<F: Iterator<Item = Walked>> Iterator for Ahead<F> {
    type Item = Walked;

    fn next(&mut self) -> Option<Walked> {
        for _ in 0..AHEAD.min(KNOWN.saturating_sub(self.known.len())) {
            let Some(file) = self.all.is_some().then(|| self.files.next()).flatten() else {
                self.all.take().into_iter().for_each(|style| self.bar.set_style(style));
                break;
            };
            self.known.push_back(file);
            self.bar.inc_length(1);
        }
        self.known.pop_front()
    }
}

/// Shown on standard error, where that is a terminal. How much is left is not known before all files are.
fn bar(quiet: bool) -> io::Result<ProgressBar> {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style("{wide_bar} {pos}/{len} files, {rate}")?))
}

fn style(template: &str) -> io::Result<ProgressStyle> {
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let (rate, digits) = (state.per_sec(), usize::from(state.per_sec() < 10.0));
        let _ = write!(out, "{rate:.digits$}/s");
    };
    Ok(ProgressStyle::with_template(template).map_err(io::Error::other)?.with_key("rate", rate))
}

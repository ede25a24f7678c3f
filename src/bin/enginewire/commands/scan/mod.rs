//! `enginewire scan`

mod board;
mod counts;
mod file;
mod memory;
mod names;
mod record;
mod row;
mod spool;
mod state;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use clap::value_parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::exit_status::Status;
use crate::files::walk::{is_model, shard, Shard, Walk, WalkArgs};
use crate::input::models::Refusal;
use crate::output::console::Console;
use crate::output::text::thousands;
use crate::settings::Settings;
use crate::threads;
use board::{lock, Board, End};
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

/// How many files are looked for while one is written: so the first are read soon, and it is soon known how many there
/// are.
const AHEAD: usize = 8;

/// How many files may be known of that are not written yet.
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
    let walk = Walk { args: args.walk, shard: args.shard.as_ref(), is_wanted: &is_model };
    let files = match &listed {
        Some(listed) => walk.listed(listed),
        None => walk.sorted(&args.dirs),
    };
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let room = Room::new(settings.memory() / 8);
    let all = settings.memory().saturating_sub(settings.memory() / 8);
    let shared = Shared {
        summary: args.summary,
        form,
        settings,
        memory: Memory::new(all),
        share: all.checked_div(threads).unwrap_or(all),
        room: &room,
        counts: Mutex::default(),
    };
    let shared = &shared;
    let board = &Board::default();
    let highest = thread::scope(|scope| {
        // however this ends, the threads must
        let _end = End(board);
        for number in 0..threads {
            let thread = threads::builder();
            match thread.spawn_scoped(scope, || board.work(|file| scan(file, shared))) {
                Ok(_) => {}
                Err(error) if number == 0 => {
                    console.error(format_args!("cannot start a thread: {error}"))?;
                    return Ok(Status::Io);
                }
                // those that could be started do it all
                Err(_) => break,
            }
        }
        write(files, record, board, shared, console)
    })?;
    if args.summary {
        lock(&shared.counts).write(args.json, console)?;
    }
    Ok(highest)
}

/// Looks for files, and writes what was found in them, in their order.
fn write<'s>(
    mut files: impl Iterator<Item = Result<PathBuf, (PathBuf, Refusal)>>,
    mut record: Record,
    board: &Board<Found<'s>>,
    shared: &Shared<'s>,
    console: &mut Console,
) -> io::Result<Status> {
    let bar = bar(console.is_quiet())?;
    let (before, mut highest) = record.before();
    let (mut known, mut written, mut skipped, mut is_all) = (0usize, 0usize, 0usize, false);
    let ended = loop {
        let room = KNOWN.saturating_sub(known.saturating_sub(written));
        for _ in 0..AHEAD.min(room) {
            match files.next() {
                Some(Ok(file) | Err((file, _))) if record.is_done(&file) => {
                    skipped = skipped.saturating_add(1);
                    continue;
                }
                Some(Ok(file)) => board.add(known, file),
                Some(Err((file, refusal))) => board.done(known, unread(&file, refusal, shared)),
                None => {
                    if !is_all {
                        is_all = true;
                        bar.set_style(style("{wide_bar} {pos}/{len} files, {rate}, {eta} left")?);
                    }
                    break;
                }
            }
            known = known.saturating_add(1);
            bar.inc_length(1);
        }
        if is_all && written == known {
            break Ok(());
        }
        let must_wait = is_all || room == 0;
        let Some(found) = board.take(written, must_wait) else {
            if must_wait {
                // a thread is gone, and says why
                break Ok(());
            }
            continue;
        };
        match record.put(found, &bar, console)? {
            Ok(status) => highest = highest.max(status),
            Err(message) => break Err(message),
        }
        written = written.saturating_add(1);
        bar.inc(1);
    };
    bar.finish_and_clear();
    if before > 0 {
        console.remark(format_args!("{} files were done before", thousands(skipped)))?;
    }
    if known == 0 && skipped == 0 {
        console.remark("no files to read: there is no .rbxm, .rbxl, .rbxmx or .rbxlx file that is not ignored")?;
    }
    match ended.and_then(|()| record.finish()) {
        Ok(()) => Ok(highest),
        Err(message) => console.error(message).map(|()| Status::Io),
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

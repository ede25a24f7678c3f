//! `enginewire scan`

mod board;
mod counts;
mod file;
mod memory;
mod spool;
mod walk;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use clap::value_parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit_status::Status;
use crate::output::console::Console;
use crate::settings::Settings;
use crate::threads;
use board::{lock, Board, End};
use file::{scan, unread, Found, Shared};
use memory::Memory;
use spool::Room;
use walk::{files, shard, Shard};

/// Find all attributes in folders of model and place files
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire scan places > attributes.jsonl
  enginewire scan --summary places
  parallel enginewire scan --shard {}/8 places ::: 1 2 3 4 5 6 7 8 > attributes.jsonl

Reads the files that end in .rbxm, .rbxl, .rbxmx or .rbxlx, except files ignored
by .gitignore (inside a git repository) or .ignore. A file given by name is
always read. Lines are in the order of the files. Together, the N shards cover
every file exactly once, on whichever machine each of them runs.")]
pub struct Args {
    /// Folders or files to read
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,

    /// Write counts by type, class and error instead of lines
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
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let room = Room::new(settings.memory() / 8);
    let all = settings.memory().saturating_sub(settings.memory() / 8);
    let shared = Shared {
        summary: args.summary,
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
        write(args, board, shared, console)
    })?;
    if args.summary {
        lock(&shared.counts).write(args.json, console)?;
    }
    Ok(highest)
}

/// Looks for files, and writes what they gave, in their order.
fn write<'s>(args: &Args, board: &Board<Found<'s>>, shared: &Shared<'s>, console: &mut Console) -> io::Result<Status> {
    let bar = bar(console.is_quiet())?;
    let mut files = files(&args.dirs, args.shard.as_ref());
    let mut highest = Status::Fine;
    let (mut known, mut written, mut is_all) = (0usize, 0usize, false);
    loop {
        let room = KNOWN.saturating_sub(known.saturating_sub(written));
        for _ in 0..AHEAD.min(room) {
            match files.next() {
                Some(Ok(file)) => board.add(known, file),
                Some(Err((file, refusal))) => board.done(known, unread(&file, refusal, shared)),
                None => {
                    if !is_all {
                        is_all = true;
                        bar.set_style(style("{wide_bar} {pos}/{len} files, {eta} left")?);
                    }
                    break;
                }
            }
            known = known.saturating_add(1);
            bar.inc_length(1);
        }
        if is_all && written == known {
            break;
        }
        let must_wait = is_all || room == 0;
        let Some(found) = board.take(written, must_wait) else {
            if must_wait {
                // a thread is gone, and says why
                break;
            }
            continue;
        };
        highest = highest.max(found.write(&bar, console)?);
        written = written.saturating_add(1);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(highest)
}

/// Shown on standard error, where that is a terminal. How much is left is not known before all files are.
fn bar(quiet: bool) -> io::Result<ProgressBar> {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style("{wide_bar} {pos}/{len} files")?))
}

fn style(template: &str) -> io::Result<ProgressStyle> {
    ProgressStyle::with_template(template).map_err(io::Error::other)
}

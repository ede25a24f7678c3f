//! `enginewire get` of folders and of several files.

mod file;
mod memory;
mod names;
pub mod record;
pub mod row;
mod spool;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use clap::value_parser;
use enginewire_files::scan::{Ordered, Walked};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::commands::get::Form;
use crate::exit_status::{refuse_if, Done, Failure, Status};
use crate::files::walk;
use crate::input::filter::Filter;
use crate::output::console::Console;
use crate::settings::Settings;
use file::{scan, unread, Found, Shared};
use memory::Memory;
use record::Written;
use row::Choice;
use spool::Room;

/// The options for folders and several files.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Folders and several files")]
#[group(skip)]
pub struct Args {
    /// Read what FILE lists, one name a line
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,

    /// Names in --files-from end with a byte 0
    #[arg(short = '0', long)]
    pub null: bool,

    /// Number of threads [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

impl Args {
    /// Returns true if an option is given, so that many files are asked for.
    pub fn is_given(&self) -> bool {
        let Args { files_from, null, threads } = self;
        files_from.is_some() || *null || threads.is_some()
    }
}

/// The files to read, and the place and form of their rows.
pub struct Job<'j> {
    pub paths: Vec<PathBuf>,
    pub output: Option<&'j Path>,
    pub form: Form,
    pub choice: Choice,
    pub args: &'j Args,
}

/// The number of files that may be read before the rows of the first of them are written.
const READ: usize = 256;

/// The number of files that are looked for while one is read: so the first are read soon, and their number is soon known.
const AHEAD: usize = 8;

/// The most files that are known and not read yet.
const KNOWN: usize = 1 << 16;

pub fn run(job: Job<'_>, settings: &Settings, console: &mut Console) -> Done {
    let (args, form) = (job.args, job.form);
    let chosen = (!job.choice.is_all()).then(|| (job.choice.to_string(), job.choice.filter.clone()));
    refuse_if(job.paths.iter().any(|path| path == Path::new("-")), "standard input is read alone: enginewire get -")?;
    let listed = args.files_from.as_ref().map(|list| names::read(list, args.null, settings.memory())).transpose()?;
    let read = [listed.as_ref().unwrap_or(&job.paths), args.files_from.as_slice()].concat();
    let mut rows = job.output.map(|path| Written::open(path, &read)).transpose()?;
    match &mut rows {
        Some(rows) => rows.write(row::head(form).as_bytes())?,
        None => console.out().write_all(row::head(form).as_bytes())?,
    }
    let is_sorted = listed.is_none() && job.paths.len() > 1;
    let paths = listed.unwrap_or(job.paths).into_iter().map(Ok);
    let (walked, others) = (settings.clone(), Arc::new(AtomicUsize::new(0)));
    let left_out = others.clone();
    let is_read = move |file: &Path| walk::is_read(file, &walked, &left_out);
    let files = settings.walk.files(paths, is_sorted, is_read);
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let all = settings.scan().limit.most();
    let shared = Shared {
        form,
        choice: job.choice,
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
    let status = write(files, rows, (threads, work), chosen, console)?;
    let others = others.load(Ordering::Relaxed);
    if others > 0 {
        console.remark(walk::left_out(others))?;
    }
    Ok(status)
}

/// Looks for files, and writes what was found in them, in their order.
fn write(
    files: impl Iterator<Item = Walked> + Send + 'static,
    mut rows: Option<Written>,
    (threads, work): (usize, impl Fn(Walked) -> Found + Send + Sync + 'static),
    chosen: Option<(String, Filter)>,
    console: &mut Console,
) -> Done {
    let bar = bar(console.is_quiet())?;
    let all = Some(style("{wide_bar} {pos}/{len} files, {rate}, {eta} left")?);
    let files = Ahead { files, known: VecDeque::new(), bar: bar.clone(), all };
    let found = match Ordered::new(files, threads, READ, move |file, turn| turn.give(work(file))) {
        Ok(found) => found,
        Err(error) => return Err(Status::Io.because(format!("cannot start a thread: {error}")).into()),
    };
    let (mut ended, mut has_rows, mut highest) = (Ok(()), false, Status::Fine);
    for found in found {
        let found = found?;
        has_rows |= found.has_rows;
        match found.write(rows.as_mut(), &bar, console) {
            Ok(status) => highest = highest.max(status),
            Err(Failure::Refused(refusal)) => {
                ended = Err(refusal);
                break;
            }
            Err(failure) => return Err(failure),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if bar.length() == Some(0) {
        console.remark("nothing to read: no file is recognised that is not ignored; name their format with -f, or the files themselves")?;
    }
    if let Some((chosen, filter)) = chosen.filter(|_| !has_rows && highest == Status::Fine) {
        let reason = format!("no file has a value that fits{chosen}{}", filter.there());
        highest = console.refused(Status::NotFound.because(reason))?;
    }
    ended.and_then(|()| rows.map_or(Ok(()), Written::finish))?;
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

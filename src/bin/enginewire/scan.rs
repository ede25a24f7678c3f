//! `enginewire scan`

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use enginewire::roblox::attributes::Entry;
use enginewire::roblox::model::{self, Listing, ModelError, Property};
use enginewire::DecodeError;
use ignore::{DirEntry, WalkBuilder};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::{json, Value};

use crate::args::{Common, Scan, Shard};
use crate::console::Console;
use crate::containers::Origin;
use crate::exit_status::Status;
use crate::input;
use crate::models::{self, Refusal};
use crate::name::{shown, Name};
use crate::permits::Memory;
use crate::spool::{Room, Spool};
use crate::styled_text::write_table;
use crate::text::thousands;

/// How the names of the files end.
const EXTENSIONS: [&str; 4] = ["rbxm", "rbxl", "rbxmx", "rbxlx"];

/// How many files are looked for while one is written: so the first are read soon, and it is soon known how many there
/// are.
const AHEAD: usize = 8;

/// How many files may be known of that are not written yet.
const KNOWN: usize = 1 << 16;

/// How many files may be read before those before them are written.
const READ: usize = 256;

/// Kinds of types, classes and errors that are counted; a file can have any number.
const KINDS: usize = 4096;

/// The most bytes of the name of a kind.
const KIND: usize = 1024;

/// What a file gave, for when it is its turn.
struct Found<'r> {
    lines: Spool<'r>,
    errors: Spool<'r>,
    status: Status,
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

/// What all threads share.
struct Shared<'s> {
    args: &'s Scan,
    common: &'s Common,
    /// For what is read.
    memory: Memory,
    /// What a file that is not large may take, so that each thread can have one.
    share: usize,
    /// For what waits to be written.
    room: &'s Room,
    board: Board<'s>,
    counts: Mutex<Counts>,
}

pub fn run(args: &Scan, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    if args.dirs.iter().any(|dir| dir == Path::new("-")) {
        console.error("scan reads folders and files; for standard input use `get -`")?;
        return Ok(Status::Usage);
    }
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let room = Room::new(common.memory() / 8);
    let all = common.memory().saturating_sub(common.memory() / 8);
    let shared = Shared {
        args,
        common,
        memory: Memory::new(all),
        share: all.checked_div(threads).unwrap_or(all),
        room: &room,
        board: Board::default(),
        counts: Mutex::default(),
    };
    let shared = &shared;
    let highest = thread::scope(|scope| {
        // however this ends, the threads must
        let _end = End(&shared.board);
        for number in 0..threads {
            let thread = thread::Builder::new().stack_size(crate::STACK);
            match thread.spawn_scoped(scope, || shared.board.work(|file| scan(file, shared))) {
                Ok(_) => {}
                Err(error) if number == 0 => {
                    console.error(format_args!("cannot start a thread: {error}"))?;
                    return Ok(Status::Io);
                }
                // those that could be started do it all
                Err(_) => break,
            }
        }
        write(shared, console)
    })?;
    if args.summary {
        lock(&shared.counts).write(args.json, console)?;
    }
    Ok(highest)
}

/// Looks for files, and writes what they gave, in their order.
fn write(shared: &Shared<'_>, console: &mut Console<'_>) -> io::Result<Status> {
    let bar = bar(shared.common)?;
    let mut files = files(&shared.args.dirs, shared.args.shard.as_ref());
    let mut highest = Status::Fine;
    let (mut known, mut written, mut is_all) = (0usize, 0usize, false);
    loop {
        let room = KNOWN.saturating_sub(known.saturating_sub(written));
        for _ in 0..AHEAD.min(room) {
            match files.next() {
                Some(Ok(file)) => shared.board.add(known, file),
                Some(Err((file, refusal))) => shared.board.done(known, unread(&file, refusal, shared)),
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
        let Some(found) = shared.board.take(written, must_wait) else {
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

/// Which files are to be read, and what those gave that were.
#[derive(Default)]
struct Board<'r> {
    state: Mutex<State<'r>>,
    changed: Condvar,
    /// One more is done.
    finished: Condvar,
}

#[derive(Default)]
struct State<'r> {
    waiting: VecDeque<(usize, PathBuf)>,
    done: HashMap<usize, Found<'r>>,
    written: usize,
    is_exhausted: bool,
}

/// Ends all work when it is dropped.
struct End<'b, 'r>(&'b Board<'r>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_exhausted = true;
        self.0.changed.notify_all();
        self.0.finished.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'r> Board<'r> {
    fn add(&self, number: usize, file: PathBuf) {
        lock(&self.state).waiting.push_back((number, file));
        self.changed.notify_one();
    }

    fn done(&self, number: usize, found: Found<'r>) {
        lock(&self.state).done.insert(number, found);
        self.finished.notify_one();
    }

    /// What file `number` gave, which is the next to be written. `None` if it is not done, or never will be.
    fn take(&self, number: usize, wait: bool) -> Option<Found<'r>> {
        let state = lock(&self.state);
        let is_missing = |state: &mut State<'_>| wait && !state.is_exhausted && !state.done.contains_key(&number);
        let mut state = self.finished.wait_while(state, is_missing).unwrap_or_else(PoisonError::into_inner);
        let found = state.done.remove(&number)?;
        state.written = number.saturating_add(1);
        drop(state);
        self.changed.notify_all();
        Some(found)
    }

    /// Reads files until there are no more.
    fn work(&self, read: impl Fn(&Path) -> Found<'r>) {
        /// Nobody waits for what a thread does not do that is gone.
        struct Watch<'b, 'r>(&'b Board<'r>);
        impl Drop for Watch<'_, '_> {
            fn drop(&mut self) {
                if thread::panicking() {
                    drop(End(self.0));
                }
            }
        }
        let _watch = Watch(self);
        while let Some((number, file)) = self.next() {
            self.done(number, read(&file));
        }
    }

    fn next(&self) -> Option<(usize, PathBuf)> {
        let is_early = |state: &mut State<'_>| {
            let first = state.waiting.front();
            !state.is_exhausted && first.is_none_or(|(number, _)| *number >= state.written.saturating_add(READ))
        };
        let state = self.changed.wait_while(lock(&self.state), is_early);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.is_exhausted {
            return None;
        }
        state.waiting.pop_front()
    }
}

/// Shown on standard error, where that is a terminal. How much is left is not known before all files are.
fn bar(common: &Common) -> io::Result<ProgressBar> {
    let target = if common.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style("{wide_bar} {pos}/{len} files")?))
}

fn style(template: &str) -> io::Result<ProgressStyle> {
    ProgressStyle::with_template(template).map_err(io::Error::other)
}

/// A file that is found, or what cannot be looked at, and why.
type Walked = Result<PathBuf, (PathBuf, Refusal)>;

/// The model files in folders, in order and each once, of which one shard is wanted; what is named itself is always one.
fn files<'a>(dirs: &'a [PathBuf], shard: Option<&'a Shard>) -> Box<dyn Iterator<Item = Walked> + 'a> {
    let files = dirs.iter().flat_map(move |dir| {
        // a link to a folder is that folder
        let is_link = dir.is_symlink() && dir.is_dir();
        let root = if is_link { Cow::Owned(dir.join("")) } else { Cow::Borrowed(dir) };
        // in the order of whole paths, but sooner sorted
        let walk = WalkBuilder::new(&*root).sort_by_file_name(Ord::cmp).build();
        walk.filter_map(move |entry| match entry {
            Ok(entry) if is_wanted(&entry) => {
                // where the folder lies may differ from machine to machine
                let within = entry.path().strip_prefix(dir).ok().filter(|within| *within != Path::new(""));
                let is_of_shard = shard.is_none_or(|shard| shard.has(within.unwrap_or(entry.path())));
                Some((is_of_shard, Ok(entry.into_path())))
            }
            Ok(_) => None,
            Err(error) => Some((shard.is_none_or(|shard| shard.number == 1), Err(unwalked(&error, dir)))),
        })
    });
    let files: Box<dyn Iterator<Item = (bool, Walked)> + 'a> = if dirs.len() < 2 {
        Box::new(files.fuse())
    } else {
        // one may lie within another
        let mut files: Vec<_> = files.collect();
        files.sort_by(|(_, a), (_, b)| path(a).cmp(path(b)));
        Box::new(files.into_iter())
    };
    let mut seen = HashSet::new();
    // before the others of the shard, so that all shards agree which of several names it is read by
    let is_new = move |(is_of_shard, file): (bool, Walked)| match &file {
        Ok(path) if identity(path).is_some_and(|file| !seen.insert(file)) => None,
        _ => is_of_shard.then_some(file),
    };
    Box::new(files.filter_map(is_new))
}

fn path(walked: &Walked) -> &Path {
    match walked {
        Ok(path) | Err((path, _)) => path,
    }
}

/// What two names of one file have in common.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// What two names of one file have in common.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

fn is_wanted(entry: &DirEntry) -> bool {
    let path = entry.path();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_model = extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)));
    // nobody may ever write into a pipe that lies about; a link that leads nowhere is told of
    let is_file = entry.file_type().is_some_and(|kind| match entry.depth() {
        0 => !kind.is_dir(),
        _ => kind.is_file() || (kind.is_symlink() && path.metadata().map_or(true, |there| there.is_file())),
    });
    is_file && (is_model || entry.depth() == 0)
}

/// What could not be walked, and why: the crate that walks names the path twice.
fn unwalked(error: &ignore::Error, dir: &Path) -> (PathBuf, Refusal) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let inner = err.io_error().and_then(|error| error.get_ref()?.source());
            let reason = inner.map_or_else(|| err.to_string(), ToString::to_string);
            (path.clone(), (Status::Io, format!("cannot read {}: {reason}", shown(path))))
        }
        ignore::Error::WithDepth { err, .. } => unwalked(err, dir),
        error => (dir.to_owned(), (Status::Io, error.to_string())),
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

/// What a file has. Most take little memory, and several can be read at once; one that takes more than its share is read
/// alone.
fn list(path: &Path, size: usize, shared: &Shared<'_>) -> Result<Listing, ModelError> {
    let options = models::options_within(size, shared.common);
    if input::is_stream(path) {
        let bytes = input::read(path, size)?;
        let options = options.taken(bytes.len());
        return model::list(Cursor::new(bytes), &options);
    }
    models::open(path, &options)
}

fn scan<'s>(path: &Path, shared: &Shared<'s>) -> Found<'s> {
    let size = path.metadata().map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
    let mut bytes = size.saturating_mul(8).clamp(shared.share, shared.memory.all());
    if input::is_stream(path) {
        // it can be read only once
        bytes = shared.memory.all();
    }
    let mut permit = shared.memory.take(bytes);
    let mut listing = list(path, bytes, shared);
    if bytes < shared.memory.all() && (models::is_over_limit(&listing) || models::decoded(&listing) > bytes / 2) {
        drop((listing, permit));
        bytes = shared.memory.all();
        permit = shared.memory.take(bytes);
        listing = list(path, bytes, shared);
    }
    let listing = match listing {
        Ok(listing) => listing,
        Err(error) => return unread(path, models::refusal(path, &error), shared),
    };
    let mut file = File::new(path, shared);
    let (count, over) = models::within(&listing, shared.common.memory());
    for property in listing.properties().take(count) {
        file.property(&listing, &property);
    }
    if let Some(reason) = over {
        file.fail(Status::Malformed, format!("{reason}\n  --> {}", file.name), &reason);
        file.line(&Origin::new(&file.name, Vec::new()), &Fact::error(&reason, None), &Origin::default());
    }
    for problem in &listing.problems {
        let kind = problem.to_string();
        let kind = kind.split(" (").next().and_then(|kind| kind.split(", at byte").next()).unwrap_or_default();
        file.fail(models::status(problem), format!("{}\n  --> {}", models::problem_text(problem), file.name), kind);
        file.line(&Origin::new(&file.name, Vec::new()), &Fact::error(problem, None), &Origin::default());
    }
    // what it took is free before it is written
    drop((listing, permit));
    file.finish()
}

/// A file of which nothing can be had.
fn unread<'s>(path: &Path, (status, message): Refusal, shared: &Shared<'s>) -> Found<'s> {
    let mut file = File::new(path, shared);
    let reason = message.lines().next().unwrap_or_default().to_owned();
    // the name of the file is not part of what kind of error it is
    file.fail(status, message, if status == Status::Io { "it cannot be read" } else { &reason });
    file.line(&Origin::new(&file.name, Vec::new()), &Fact::error(&reason, None), &Origin::default());
    file.finish()
}

/// A line: which property of which instance, what about it, and where.
#[derive(Serialize)]
struct Line<'l> {
    #[serde(flatten)]
    origin: &'l Origin,
    #[serde(flatten)]
    fact: &'l Fact<'l>,
    #[serde(flatten)]
    place: &'l Origin,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Fact<'l> {
    Entry(&'l Entry<'l>),
    Tags { tags: Vec<String> },
    Error { error: Value },
}

impl Fact<'_> {
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

/// A file that is read.
struct File<'f, 's> {
    name: Name,
    shared: &'f Shared<'s>,
    counts: Counts,
    found: Found<'s>,
    /// Why what it gives cannot be kept until its turn.
    broken: Option<io::Error>,
}

impl<'f, 's> File<'f, 's> {
    fn new(path: &Path, shared: &'f Shared<'s>) -> Self {
        let [lines, errors] = [Spool::new(shared.room), Spool::new(shared.room)];
        let counts = Counts { files: 1, ..Counts::default() };
        let found = Found { lines, errors, status: Status::Fine };
        File { name: Name::new(path), shared, counts, found, broken: None }
    }

    fn property(&mut self, listing: &Listing, property: &Property<'_>) {
        let origin = Origin::new(&self.name, models::owner(listing, property));
        let place = Origin::of(models::place(property));
        if !models::is_attributes(listing, property) {
            let tags = models::tags(property);
            self.counts.tags = self.counts.tags.saturating_add(u64::try_from(tags.len()).unwrap_or(u64::MAX));
            if !tags.is_empty() {
                self.line(&origin, &Fact::Tags { tags }, &place);
            }
            if let Err(error) = &property.bytes {
                self.failed(listing, property, (error.to_string(), None));
                self.line(&origin, &Fact::error(error, None), &place);
            }
            return;
        }
        self.counts.blobs = self.counts.blobs.saturating_add(1);
        let (attributes, error) = models::partial(property, self.shared.common);
        if let Some(instance) = listing.instance_of(property) {
            add(&mut self.counts.classes, &instance.class.to_string(), 1);
        }
        for entry in &attributes {
            self.counts.attributes = self.counts.attributes.saturating_add(1);
            if self.shared.args.summary {
                add(&mut self.counts.types, entry.value.type_id().name(), 1);
            } else {
                self.line(&origin, &Fact::Entry(entry), &place);
            }
        }
        if let Some((message, error)) = error {
            self.line(&origin, &Fact::error(&message, error.as_ref()), &place);
            self.failed(listing, property, (message, error));
        }
    }

    fn failed(&mut self, listing: &Listing, property: &Property<'_>, (message, error): (String, Option<DecodeError>)) {
        let place = models::name(listing, property);
        let kind = error.map_or_else(|| message.clone(), |error| error.fault().to_string());
        self.fail(Status::Malformed, format!("{message}\n  --> {}: {place}", self.name), &kind);
    }

    /// Counts an error as one of its kind: what it says before the first colon.
    fn fail(&mut self, status: Status, message: String, kind: &str) {
        let kind = kind.split(": ").next().unwrap_or_default();
        self.found.status = self.found.status.max(status);
        add(&mut self.counts.errors, kind, 1);
        let written = self.found.errors.write_all(&[message.replace('\0', "\\0").as_bytes(), b"\0"].concat());
        self.keep(written);
    }

    fn line(&mut self, origin: &Origin, fact: &Fact<'_>, place: &Origin) {
        if self.shared.args.summary {
            return;
        }
        let line = serde_json::to_writer(&mut self.found.lines, &Line { origin, fact, place });
        let written = line.map_err(io::Error::from).and_then(|()| self.found.lines.write_all(b"\n"));
        self.keep(written);
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.broken.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Found<'s> {
        let finished = self.found.lines.finish().and_then(|()| self.found.errors.finish());
        self.keep(finished);
        if let Some(error) = self.broken.take() {
            // half of it would not be told from all of it
            let message = format!("cannot write to a temporary file: {error}\n  --> {}\0", self.name);
            self.found.lines = Spool::new(self.shared.room);
            self.found.errors = Spool::new(self.shared.room);
            // so little stays in memory
            let _ = self.found.errors.write_all(message.as_bytes());
            self.found.status = Status::Io;
        }
        lock(&self.shared.counts).add(self.counts);
        self.found
    }
}

impl Found<'_> {
    fn write(mut self, bar: &ProgressBar, console: &mut Console<'_>) -> io::Result<Status> {
        let unreadable = |error: io::Error, console: &mut Console<'_>| {
            console.error(format_args!("cannot read a temporary file: {error}")).map(|()| Status::Io)
        };
        let mut lines = match self.lines.read() {
            Ok(lines) => lines,
            Err(error) => return unreadable(error, console),
        };
        let mut piece = vec![0; 64 << 10];
        loop {
            match lines.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => console.out().write_all(piece.get(..length).unwrap_or_default())?,
                Err(error) => return unreadable(error, console),
            }
        }
        drop(lines);
        if self.errors.is_empty() {
            return Ok(self.status);
        }
        let errors = match self.errors.read() {
            Ok(errors) => errors,
            Err(error) => return unreadable(error, console),
        };
        for error in io::BufRead::split(io::BufReader::new(errors), 0) {
            match error {
                Ok(error) => bar.suspend(|| console.error(String::from_utf8_lossy(&error)))?,
                Err(error) => return unreadable(error, console),
            }
        }
        Ok(self.status)
    }
}

/// Counts so many of a kind. Beyond [`KINDS`] kinds, all are of one.
fn add(counts: &mut BTreeMap<String, u64>, name: &str, more: u64) {
    let mut end = name.len().min(KIND);
    while !name.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let name = name.get(..end).unwrap_or_default();
    if let Some(count) = counts.get_mut(name) {
        *count = count.saturating_add(more);
    } else if counts.len() < KINDS {
        counts.insert(name.to_owned(), more);
    } else {
        let count = counts.entry("others".to_owned()).or_default();
        *count = count.saturating_add(more);
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
            more.into_iter().for_each(|(name, more)| add(counts, &name, more));
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
            rows.extend(counts.into_iter().map(|(name, count)| (format!("  {name}"), thousands(count))));
        }
        write_table(rows, console.out())
    }
}

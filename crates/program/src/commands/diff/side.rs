//! The two sides of a comparison: files, and the values in them.
//!
//! Each file is gone through once to learn which of its values the other file lacks or has otherwise, or several times, each for a
//! share of the values, if there are too many for the memory. Only those that differ are held, as many at a time as there is memory for.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use enginewire::formats::{AnyFormat, FormatOptions};
use enginewire::number::to_usize;
use enginewire_files::containers::{ContainerError, ContainerKind, Embedded, Listed, ValueAddress};
use serde_json::json;

use crate::exit_status::{Failure, Placed, Refusal, Status};
use crate::files::read::is_stream;
use crate::formats;
use crate::input::containers::{error_text, status, Origin};
use crate::input::opened::{refused, Input, OpenContainer, OpenFile};
use crate::output::console::Console;
use crate::output::name::Name;
use crate::settings::Settings;
use crate::size::size_text;

/// About the memory that a value takes beside its bytes and four times its address.
const EACH: usize = 512;

/// The most memory that is needed to know of a value whether the other file has it: a row of a list, and its place in the order of
/// addresses.
const KNOWN: usize = size_of::<Known>() + size_of::<u32>();

/// The values whose addresses have hashes that leave `number` when they are divided by `of`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub number: u64,
    pub of: u64,
}

impl Share {
    /// All values.
    pub const ALL: Self = Share { number: 0, of: 1 };

    /// The most shares: each takes a pass over both files.
    const MOST: u64 = 64;

    fn has(self, hash: u64) -> bool {
        hash.checked_rem(self.of) == Some(self.number)
    }
}

/// The data held for each of the two files may take the memory limit divided by this number.
pub const HELD: usize = 8;

/// The text of an error; of a memory limit, also what part of the whole it is.
fn told(error: &ContainerError, given: &Settings) -> String {
    let text = error_text(error);
    match error {
        ContainerError::OverLimit(_) | ContainerError::TooLarge { .. } => {
            format!("{text}, which is {}: `diff` reads a file with three quarters of it", size_text(given.memory()))
        }
        _ => text,
    }
}

/// The maximum number of passes over both files to compare the values that differ.
const PASSES: usize = 32;

/// The members of an address that identify the value. The others give the location of its bytes, which may differ.
const IDENTITY: [&str; 9] = ["instance", "class", "referent", "property", "table", "row", "body", "child", "line"];

/// The name that git uses for a missing file.
pub const NO_FILE: &str = "/dev/null";

/// A value of a file.
pub struct Found {
    /// The file, and the place in it.
    pub name: Name,
    /// The address as text; empty if the file is a single value.
    pub address: String,
    /// The address as members of a JSON object.
    pub origin: Origin<'static>,
    pub content: Content,
    /// True if all of its bytes are present, like those of a value in a container.
    pub is_complete: bool,
    /// The offset of its first byte in the file; 0 if the file does not contain its bytes unchanged.
    pub start: u64,
}

/// The content of a value.
pub enum Content {
    /// A value of a format.
    Value(&'static dyn AnyFormat, Vec<u8>),
    /// The tags of an instance.
    Tags(Vec<String>),
    /// Bytes that are not a value.
    Other(Vec<u8>),
    /// It cannot be read, and that was reported.
    Unreadable,
}

/// The hash of an address, which is also that of the same value in the other file. A referent is not a key, because a file that is
/// saved again may have others.
pub fn hash(address: &ValueAddress<'_>, hasher: &RandomState) -> u64 {
    let mut state = hasher.build_hasher();
    address.hash_in_any_file(&mut state);
    state.finish()
}

/// A file, and what is known of its values.
#[derive(Default)]
pub struct Side {
    source: ValuesOf,
    /// True if the file is a model. Its instances are compared too.
    is_model: bool,
    /// The hashes of the addresses of the instances of a share, sorted. The addresses of a large place take much memory.
    pub instances: Vec<u64>,
    /// Those of a share, in the order of the file.
    known: Vec<Known>,
    /// True if nothing was reported, and nothing is invalid.
    is_clean: bool,
}

/// The source of values.
#[derive(Default)]
enum ValuesOf {
    /// The file does not exist.
    #[default]
    Nothing,
    /// The file is a single value.
    Single(Box<Found>),
    /// A container, which is opened each time.
    File(PathBuf),
    /// A container that can be opened only once, or is not in memory as a whole.
    Open(OpenContainer, &'static dyn AnyFormat),
}

impl ValuesOf {
    /// Calls `work` with the container and the format of its values, if it is one.
    fn opened<T>(
        &self,
        given: &Settings,
        work: impl FnOnce(&OpenContainer, &'static dyn AnyFormat) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        match self {
            ValuesOf::Nothing | ValuesOf::Single(_) => Ok(None),
            ValuesOf::Open(opened, format) => work(opened, *format).map(Some),
            ValuesOf::File(file) => match open(file, &beside_held(given))? {
                Opened::Container(opened, _, format) => work(&opened, format).map(Some),
                Opened::Single(_, input) => Err(changed(&input.name)),
            },
        }
    }
}

/// Data kept about a value after it was read once.
struct Known {
    /// The hash of its address.
    address: u64,
    /// The hash of its content.
    content: u64,
    /// About the memory that it takes.
    size: u32,
    /// Its number in the file.
    place: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Valid,
    /// It is not valid, which is reported where it is compared.
    Invalid,
    /// It cannot be read, and that was reported.
    Unreadable,
}

/// A file that was opened.
enum Opened {
    Single(&'static dyn AnyFormat, Box<Input<'static>>),
    Container(OpenContainer, ContainerKind, &'static dyn AnyFormat),
}

fn open(file: &Path, settings: &Settings) -> Result<Opened, Refusal> {
    let mut opened = match OpenFile::open(file, settings)?.document(settings)? {
        Ok((format, input)) => return Ok(Opened::Single(format, Box::new(input))),
        Err(opened) => opened,
    };
    let kind = opened.container(settings)?;
    let Some(kind) = kind.or_else(|| formats::framing_of(settings).map(ContainerKind::Frames)) else {
        let input = opened.all_consuming()?;
        let format = formats::chosen(settings, &input.bytes).at(&input.name)?;
        return Ok(Opened::Single(format, Box::new(input)));
    };
    let opened = opened.open_container(kind, settings)?;
    let format = formats::of_values(kind.formats(), &*opened.container, settings).at(&opened.name)?;
    Ok(Opened::Container(opened, kind, format))
}

/// Settings for reading files, with a memory limit that leaves room for the data held for both files.
fn beside_held(given: &Settings) -> Settings {
    let rest = (given.memory() / HELD).saturating_mul(HELD.saturating_sub(2));
    let formats = given.formats.clone().set("max_memory", rest);
    Settings { formats: formats.unwrap_or_else(|_| given.formats.clone()), ..given.clone() }
}

/// Reads a file once. Values that cannot be read are reported, and their highest status is given. `hasher` is that of both files.
/// Only a share of the values is kept, which becomes smaller if there are more than there is memory for.
pub fn read(
    file: &Path,
    given: &Settings,
    hasher: &RandomState,
    share: &mut Share,
    console: &mut Console,
) -> Result<(Side, Status), Failure> {
    let settings = &beside_held(given);
    if file == Path::new(NO_FILE) {
        return Ok((Side::default(), Status::Fine));
    }
    let (opened, is_model, format) = match open(file, settings)? {
        Opened::Single(format, input) => return Ok(Side::single(format, *input, given, hasher)?),
        Opened::Container(opened, kind, format) => (opened, matches!(kind, ContainerKind::Model(_)), format),
    };
    let mut side = Side { is_model, ..Side::default() };
    let (mut highest, mut ended, mut is_clean) = (Status::Fine, Ok(()), true);
    let listed = side.fill((&opened, format), given, hasher, share, &mut |value, known| {
        if let Err(error) = &value.bytes {
            let refusal = status(error).max(Status::Malformed).because(told(error, given));
            let told = console.refused(refusal.at(opened.name.at(&value.address.to_string())));
            ended = told.map(|status| highest = highest.max(status));
        }
        is_clean &= known.state == State::Valid;
        if ended.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    ended?;
    let warnings = opened.container.warnings();
    console.warnings(&opened.name, &warnings)?;
    listed?;
    side.is_clean = is_clean && warnings.is_empty() && highest == Status::Fine;
    side.source = match is_stream(file) || is_model {
        true => ValuesOf::Open(opened, format),
        false => ValuesOf::File(file.to_owned()),
    };
    Ok((side, highest))
}

impl Known {
    fn of(value: &Embedded<'_>, format: &'static dyn AnyFormat, options: &FormatOptions, hasher: &RandomState) -> Self {
        let (is_value, address) = (!value.formats.is_empty(), &value.address);
        let is_tags = value.about.is_tags();
        let tags = if is_tags { value.about.tags() } else { Vec::new() };
        let tags = tags.iter().map(|tag| tag.len().saturating_add(size_of::<String>()));
        let tags = tags.fold(0, usize::saturating_add);
        let size = address.size().saturating_mul(4).saturating_add(EACH).saturating_add(tags);
        let address = hash(address, hasher);
        let known = |content, size: usize, state| Known {
            address,
            content,
            size: u32::try_from(size).unwrap_or(u32::MAX),
            place: 0,
            state,
        };
        match &value.bytes {
            Err(_) => known(0, size, State::Unreadable),
            Ok(bytes) => {
                let is_valid = !is_value || format.check(bytes, options).is_ok();
                let state = if is_valid { State::Valid } else { State::Invalid };
                let content = hasher.hash_one((is_value.then_some(format.name()), is_tags, bytes));
                known(content, size.saturating_add(bytes.len()), state)
            }
        }
    }
}

/// A function called with every value of a file, and what is known of it.
type Each<'e> = &'e mut dyn FnMut(&Embedded<'_>, &Known) -> ControlFlow<()>;

impl Side {
    /// Reads the share of the values. If they take too much memory, the share becomes smaller.
    fn fill(
        &mut self,
        (opened, format): (&OpenContainer, &'static dyn AnyFormat),
        given: &Settings,
        hasher: &RandomState,
        share: &mut Share,
        each: Each<'_>,
    ) -> Result<(), Refusal> {
        (self.known, self.instances) = (Vec::new(), Vec::new());
        // the frame around a value is read already
        let options = beside_held(given).formats.set("framing", "none").unwrap_or_default();
        let (mut count, mut full) = (0u32, false);
        // one share may have a little more than another
        let most = (given.memory() / HELD / 4).saturating_mul(if share.number > 0 { 4 } else { 3 });
        let listed = opened.container.contents(&mut |content| {
            let mut done = ControlFlow::Continue(());
            match content {
                Listed::Instance(address, _) => {
                    let address = hash(address, hasher);
                    if share.has(address) {
                        push(&mut self.instances, address);
                    }
                }
                Listed::Value(value) => {
                    let known = Known { place: count, ..Known::of(&value, format, &options, hasher) };
                    done = each(&value, &known);
                    if share.has(known.address) {
                        push(&mut self.known, known);
                    }
                    count = count.saturating_add(1);
                    full = count == u32::MAX;
                }
            }
            while self.held() > most && !full {
                full = share.of >= Share::MOST || share.number > 0;
                share.of = share.of.saturating_mul(2);
                self.keep(*share);
            }
            if full {
                ControlFlow::Break(())
            } else {
                done
            }
        });
        if full {
            let limit = size_text(given.memory());
            let reason = format!("the file has more than {count} values, too many for the memory limit of {limit}");
            let refusal = Status::Malformed.because(format!("{reason}; raise it with --max-memory"));
            return Err(refusal.at(&opened.name));
        }
        self.instances.sort_unstable();
        listed.map_err(|error| match error {
            ContainerError::Unreadable(_) => refused(&opened.name, &error),
            error => status(&error).because(told(&error, given)).at(&opened.name),
        })
    }

    /// Keeps what is in a share.
    pub fn keep(&mut self, share: Share) {
        self.known.retain(|known| share.has(known.address));
        self.instances.retain(|address| share.has(*address));
        self.known.shrink_to_fit();
        self.instances.shrink_to_fit();
    }

    /// Reads another share of the values.
    pub fn next(&mut self, given: &Settings, hasher: &RandomState, mut share: Share) -> Result<(), Refusal> {
        let source = std::mem::take(&mut self.source);
        let done = source.opened(given, |opened, format| {
            self.fill((opened, format), given, hasher, &mut share, &mut |_, _| ControlFlow::Continue(()))
        });
        self.source = source;
        done.map(Option::unwrap_or_default)
    }

    /// True if the file is a container; `None` if the file does not exist.
    pub fn is_container(&self) -> Option<bool> {
        match self.source {
            ValuesOf::Nothing => None,
            ValuesOf::Single(_) => Some(false),
            ValuesOf::File(_) | ValuesOf::Open(..) => Some(true),
        }
    }

    /// About the memory that it takes.
    fn held(&self) -> usize {
        let instances = self.instances.capacity().saturating_mul(size_of::<u64>());
        self.known.capacity().saturating_mul(KNOWN).saturating_add(instances)
    }

    /// The one value of a file.
    fn single(
        format: &'static dyn AnyFormat,
        input: Input<'static>,
        given: &Settings,
        hasher: &RandomState,
    ) -> Result<(Side, Status), Refusal> {
        let Input { name, bytes, is_complete, start, .. } = input;
        let limit = given.memory() / HELD;
        if bytes.len() > limit {
            let limit = size_text(limit);
            let reason = format!("the file is larger than {limit}, an eighth of the memory limit");
            return Err(Status::Malformed.because(format!("{reason}; raise it with --max-memory")).at(name));
        }
        let known = Known {
            address: 0,
            content: hasher.hash_one((format.name(), &bytes)),
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            place: 0,
            // it may be broken
            state: State::Invalid,
        };
        let content = Content::Value(format, bytes);
        let found = Found { name, address: String::new(), origin: Origin::default(), content, is_complete, start };
        let source = ValuesOf::Single(Box::new(found));
        Ok((Side { source, known: vec![known], ..Side::default() }, Status::Fine))
    }

    /// The places of all values, sorted by their addresses. Those with the same address are in the order of the file.
    fn sorted(&self) -> Vec<u32> {
        // no list of values within a limit has more
        let mut all: Vec<u32> = (0..u32::try_from(self.known.len()).unwrap_or(u32::MAX)).collect();
        all.sort_unstable_by_key(|place| (self.address(*place), *place));
        all
    }

    /// The hash of the address of the value at a place.
    fn address(&self, place: u32) -> Option<u64> {
        self.known.get(to_usize(place)).map(|known| known.address)
    }

    /// Reads the values at these places.
    fn get(&self, places: &BTreeSet<usize>, given: &Settings) -> Result<BTreeMap<usize, Found>, Refusal> {
        if places.is_empty() {
            return Ok(BTreeMap::new());
        }
        let read = self.source.opened(given, |opened, format| {
            let (mut found, mut place) = (BTreeMap::new(), 0usize);
            // with all instances, as before: to count the namesakes of only some takes longer
            let listed = opened.container.contents(&mut |content| {
                let Listed::Value(value) = content else { return ControlFlow::Continue(()) };
                if places.contains(&place) {
                    found.insert(place, Found::of(value, format, &opened.name));
                }
                place = place.saturating_add(1);
                match found.len() < places.len() {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            listed.map_err(|error| refused(&opened.name, &error))?;
            if found.len() < places.len() {
                return Err(changed(&opened.name));
            }
            Ok(found)
        });
        read.map(Option::unwrap_or_default)
    }

    /// Returns true for a model whose equal would have nothing to report either.
    pub fn is_clean_model(&self) -> bool {
        self.is_model && self.is_clean
    }

    /// Returns true if it is a model.
    pub fn is_model(&self) -> bool {
        self.is_model
    }

    /// Calls `each` with the path and the class of every instance of a model, until it breaks.
    pub fn instances(
        &self,
        given: &Settings,
        each: &mut dyn FnMut(&ValueAddress<'_>, &str) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let read = self.source.opened(given, |opened, _| {
            let listed = opened.container.contents(&mut |content| match content {
                Listed::Instance(address, class) => each(address, &class.to_str_lossy()),
                Listed::Value(_) => ControlFlow::Break(()),
            });
            listed.map_err(|error| refused(&opened.name, &error))
        });
        read.map(Option::unwrap_or_default)
    }

    /// The value at a place, of those that were read.
    fn found<'f>(&'f self, place: Option<usize>, read: &'f BTreeMap<usize, Found>) -> Option<&'f Found> {
        match &self.source {
            ValuesOf::Single(found) => place.map(|_| &**found),
            _ => read.get(&place?),
        }
    }
}

fn changed(name: &Name) -> Refusal {
    Status::Io.because("the file changed while it was read; try again").at(name)
}

impl Found {
    /// A value of a container.
    fn of(value: Embedded<'_>, format: &'static dyn AnyFormat, file: &Name) -> Self {
        let address = value.address.to_string();
        let name = file.at(&address);
        let members = value.about.members();
        let members = members.iter().filter(|(name, _)| IDENTITY.contains(name)).cloned();
        let origin = Origin::of([("address", json!(address))].into_iter().chain(members).collect());
        let (is_complete, start) = (!value.is_open, value.start.unwrap_or(0));
        let content = match value.bytes {
            Err(_) => Content::Unreadable,
            Ok(bytes) if !value.formats.is_empty() => Content::Value(format, bytes.into_owned()),
            Ok(_) if value.about.is_tags() => Content::Tags(value.about.tags()),
            Ok(bytes) => Content::Other(bytes.into_owned()),
        };
        Found { name, address, origin, content, is_complete, start }
    }
}

impl Found {
    /// The values of a file in a pack; `None` if it holds none, or cannot be read.
    pub fn inside(&self, settings: &Settings) -> Option<Vec<Found>> {
        let Content::Other(bytes) = &self.content else { return None };
        let mut left = settings.memory() / HELD;
        let mut opened = OpenFile::entry(self.name.clone(), bytes, settings, &mut left)?.ok()?;
        let found = match opened.container(settings).ok()? {
            Some(kind) => {
                let OpenContainer { name, container, .. } = &opened.open_container(kind, settings).ok()?;
                let format = formats::of_values(kind.formats(), &**container, settings).ok()?;
                container.list().ok()?.into_iter().map(|value| Found::of(value, format, name)).collect()
            }
            None => {
                let Input { name, bytes, start, .. } = opened.all_consuming().ok()?;
                let format = formats::chosen(settings, &bytes).ok()?;
                let (content, origin) = (Content::Value(format, bytes), Origin::default());
                vec![Found { name, address: String::new(), origin, content, is_complete: false, start }]
            }
        };
        let of_entry = |found: Found| {
            let address = format!("{} {}", self.address, found.address).trim_end().to_owned();
            let within = found.origin.members().into_iter().filter(|(name, _)| *name != "address");
            let members = [("entry", json!(self.address)), ("address", json!(found.address))].into_iter().chain(within);
            Found { address, origin: Origin::of(members.collect()), ..found }
        };
        Some(Vec::into_iter(found).map(of_entry).collect())
    }
}

/// Adds an item to a list, which grows by an eighth when it is full.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).saturating_add(64));
    }
    list.push(item);
}

/// A value that differs or is not valid: its place in each file, and about the memory that it takes.
type Pair = [Option<(u32, u32)>; 2];

/// The differences between two files.
#[derive(Default)]
pub struct Differing {
    pairs: Vec<Pair>,
    /// The hashes of the addresses of the instances that only one of the files has.
    pub instances: [Vec<u64>; 2],
    /// True if more than one share was added, or will be.
    is_shared: bool,
}

impl Differing {
    /// Adds what differs in a share.
    pub fn add(&mut self, a: &Side, b: &Side, given: &Settings) -> Result<(), Refusal> {
        self.pairs(a, b);
        for (gone, (own, others)) in self.instances.iter_mut().zip([(a, b), (b, a)]) {
            let is_gone = |address: &&u64| others.instances.binary_search(address).is_err();
            gone.extend(own.instances.iter().filter(is_gone));
        }
        let instances = self.instances.iter().map(|gone| gone.len().saturating_mul(size_of::<u64>()));
        let held = instances.fold(self.pairs.len().saturating_mul(size_of::<Pair>()), usize::saturating_add);
        // what differs in one share always fits
        if held > given.memory() / HELD && self.is_shared {
            let limit = size_text(given.memory());
            let reason = format!("the values that differ are too many for the memory limit of {limit}");
            return Err(Status::Malformed.because(format!("{reason}; raise it with --max-memory")));
        }
        self.is_shared = true;
        Ok(())
    }

    /// The places of the values that differ or are not valid, in both files.
    fn pairs(&mut self, a: &Side, b: &Side) {
        let (in_a, in_b) = (a.sorted(), b.sorted());
        let (mut in_a, mut in_b) = (in_a.iter().peekable(), in_b.iter().peekable());
        loop {
            let next_of = |side: &Side, place: Option<&&u32>| place.and_then(|place| side.address(**place));
            let pair = match (next_of(a, in_a.peek()), next_of(b, in_b.peek())) {
                (None, None) => break,
                (Some(one), Some(other)) if one == other => [in_a.next(), in_b.next()],
                (Some(one), Some(other)) if one > other => [None, in_b.next()],
                (None, Some(_)) => [None, in_b.next()],
                (Some(_), _) => [in_a.next(), None],
            };
            let pair = pair.map(|place| place.map(|place| to_usize(*place)));
            let [one, other] = [(a, pair[0]), (b, pair[1])].map(|(side, place)| side.known.get(place?));
            let is_unreadable = [one, other].iter().flatten().any(|known| known.state == State::Unreadable);
            let is_same = one.zip(other).is_some_and(|(one, other)| one.content == other.content);
            if !is_unreadable && (!is_same || one.is_some_and(|known| known.state == State::Invalid)) {
                self.pairs.push([one, other].map(|known| known.map(|known| (known.place, known.size))));
            }
        }
    }
}

/// A function called with a value of the first file, of the second, or of both.
type Work<'w> = &'w mut dyn FnMut(Option<&Found>, Option<&Found>) -> io::Result<()>;

/// Calls `work` with every value that differs or is not valid: first those of the first file, in its order, and then what is in
/// the second only. As many are held at a time as there is memory for.
pub fn each_pair(
    differing: Differing,
    (a, b): (&Side, &Side),
    given: &Settings,
    work: Work<'_>,
) -> Result<(), Failure> {
    let limit = (given.memory() / HELD).saturating_sub(a.held().max(b.held()));
    let mut all = differing.pairs;
    all.sort_unstable_by_key(|[in_a, in_b]| (in_a.is_none(), *in_a, *in_b));
    let (mut rest, mut passes) = (&all[..], 0usize);
    while !rest.is_empty() {
        passes = passes.saturating_add(1);
        if passes > PASSES {
            let limit = size_text(given.memory());
            let reason = format!("the values that differ are too many for the memory limit of {limit}");
            let reason = format!("{reason}, and the rest is not compared; raise it with --max-memory");
            return Err(Status::Malformed.because(reason).into());
        }
        let (mut places, mut held, mut count) = ([BTreeSet::new(), BTreeSet::new()], [0usize; 2], 0usize);
        for pair in rest {
            for ((place, held), places) in pair.iter().zip(&mut held).zip(&mut places) {
                let Some((place, size)) = *place else { continue };
                *held = held.saturating_add(to_usize(size));
                places.insert(to_usize(place));
            }
            if count > 0 && held.iter().any(|held| *held > limit) {
                for (place, places) in pair.iter().zip(&mut places) {
                    place.map(|(place, _)| places.remove(&to_usize(place)));
                }
                break;
            }
            count = count.saturating_add(1);
        }
        let (now, later) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let [of_a, of_b] = &places;
        let (of_a, of_b) = (a.get(of_a, given)?, b.get(of_b, given)?);
        for [in_a, in_b] in now.iter().map(|pair| pair.map(|place| place.map(|(place, _)| to_usize(place)))) {
            work(a.found(in_a, &of_a), b.found(in_b, &of_b))?;
        }
        rest = later;
    }
    Ok(())
}

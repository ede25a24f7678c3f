//! The promises of containers, each written once for all of them: bounded memory, bounded time, an edit changes only what it
//! names and reads back, an edit that fails changes nothing.
//!
//! The library opens every container as a [`Container`], and so do these tests. A [`TestedContainer`] adds what tests need
//! besides: files of its kind, and what reading them may take.

mod blueprints;
mod dumps;
mod godot;
pub(crate) mod models;
mod packs;
#[cfg(target_pointer_width = "64")]
mod saves;
mod scenes;
mod temporary;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use allocation_counter::measure;
use arbitrary::Unstructured;
use enginewire::formats::{by_name, FormatOptions};
use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::{Container, ContainerError, ContainerKind, Embedded, FileSource, ValueChange};

use crate::support::mutate::scribble;
use crate::support::random::Random;
use crate::tested::addresses::comes_back;
use temporary::TemporaryFile;

/// Every container. A new one is a file with its [`TestedContainer`], and a line here.
pub(crate) static CONTAINERS: &[AnyContainer] = &[
    AnyContainer::of::<models::BinaryModel>(),
    AnyContainer::of::<models::XmlModel>(),
    AnyContainer::of::<blueprints::Blueprints>(),
    AnyContainer::of::<godot::Settings<3>>(),
    AnyContainer::of::<godot::Settings<4>>(),
    AnyContainer::of::<godot::Configs>(),
    AnyContainer::of::<packs::Packs>(),
    AnyContainer::of::<packs::Scripts>(),
    AnyContainer::of::<scenes::Scenes>(),
    AnyContainer::of::<scenes::TextResources>(),
    AnyContainer::of::<godot::GodotFrames>(),
    AnyContainer::of::<godot::GodotValues>(),
    AnyContainer::of::<dumps::Dumps>(),
    AnyContainer::of::<dumps::HexDumps>(),
    #[cfg(target_pointer_width = "64")]
    AnyContainer::of::<saves::Saves>(),
];

/// Memory that reading any container may take, however short it is and however small the limit.
pub(crate) const CONSTANT: usize = 256 << 10;

/// The limit that the properties set: so small that short files reach it.
pub(crate) const LIMIT: usize = 1 << 20;

/// The contents of a file are listed with the limit times this factor, so that no value is missing when an edit is
/// checked.
pub(crate) const MORE: usize = 8;

/// The interface of a container to the tests, besides its [`Container`].
pub(crate) trait TestedContainer {
    const NAME: &'static str;

    /// The kind that opens it in the library.
    const KIND: ContainerKind;

    /// True if the library has other functions for editing it, which [`edit`](Self::edit) calls.
    const HAS_OWN_EDIT: bool = false;

    /// True if an edit may make a value a part of another one, so that only [`edit`](Self::edit) is tried.
    const MOVES_VALUES: bool = false;

    /// The memory that reading takes beyond the limit and [`CONSTANT`], in bytes for each byte of the input. 0 if the
    /// limit includes all of it.
    const EACH: usize;

    /// The memory that an edit takes beyond twice the limit and [`CONSTANT`], in bytes for each byte of the input and
    /// of the new value.
    const EDIT_EACH: usize;

    /// The most that reading may do, for each byte of the input and of the limit: allocations, bytes that are allocated
    /// and bytes that are read, counted together.
    const STEPS: u64;

    /// Calls the functions of the library for reading such a file besides [`Container`], with a limit of `limit` bytes of memory
    /// if they have one. Returns the number of steps that the allocator does not see.
    fn read(bytes: &[u8], limit: usize) -> u64;

    /// A value that such a file can hold, made of these bytes.
    fn value(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }

    /// A name for value number `number`, which edits of other values do not change.
    fn name(_number: usize, value: &Embedded<'_>) -> String {
        value.address.to_string()
    }

    /// All that is in the file besides its values, which an edit leaves as it is.
    fn rest(_bytes: &[u8]) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    /// The contents of the file, or the reason why it cannot be read.
    fn list(bytes: &[u8], limit: usize) -> Result<Contents, String> {
        listed::<Self>(bytes, limit)
    }

    /// Replaces value number `which` with `value`, or with the result of [`value`](Self::value) for it. Returns the new file and
    /// the expected contents. `None` if no such value.
    fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
        replaced::<Self>(bytes, which, value, limit)
    }

    /// Replaces all values at once with the same value. Returns the new file. `None` if it cannot be opened.
    fn edit_all(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
        all_replaced::<Self>(bytes, value, limit)
    }

    /// The file after an edit, read in its version from before, if the edit removed the last sign of that version.
    fn reopened(_before: &[u8], _after: &[u8], _limit: usize) -> Option<Box<dyn Container>> {
        None
    }

    /// Any file, mostly one that is good.
    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>>;

    /// Other bytes of nearly the same layout.
    fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
        scribble(bytes, random)
    }

    /// Files that ask for as much memory or time as they can, each with its name.
    fn hostile() -> Vec<(String, Vec<u8>)>;

    /// Files of `size` things of one kind each, for every kind that can be many.
    fn shapes() -> Vec<Shape>;

    /// True if two files differ only where an edit may change them.
    fn is_local(_before: &[u8], _after: &[u8]) -> bool {
        true
    }
}

/// Makes files of any size.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) made: fn(usize) -> Vec<u8>,
    /// The smallest size for the benchmark.
    pub(crate) few: usize,
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contents {
    /// Everything except the values. An edit does not change it.
    pub(crate) frame: Vec<String>,
    /// The values, each with the name that it is found by.
    pub(crate) values: Vec<(String, Result<Vec<u8>, String>)>,
    /// The number of places that can be edited. Besides the values, there may be places where a value can be added.
    pub(crate) places: usize,
}

/// The result of an edit.
#[derive(Debug)]
pub(crate) struct Edited {
    /// The new file, or the reason why the edit failed.
    pub(crate) file: Result<Vec<u8>, String>,
    /// The contents that it must have.
    pub(crate) expected: Contents,
    /// The most memory that the edit held at once.
    pub(crate) peak: u64,
}

/// Changes every value, as [`TestedContainer::edit_all`].
type EditAll = fn(&[u8], &[u8], usize) -> Option<Result<Vec<u8>, String>>;

/// Panics where a property does not hold.
type Hold = fn(&[u8]);

/// Makes files, each with its name.
type Files = fn() -> Vec<(String, Vec<u8>)>;

/// A [`TestedContainer`] with its types gone.
pub(crate) struct AnyContainer {
    pub(crate) name: &'static str,
    /// For any bytes; each panics where it does not hold.
    pub(crate) properties: [(&'static str, Hold); 3],
    pub(crate) sample: fn(&[u8]) -> Vec<u8>,
    pub(crate) mutate: fn(&[u8], &mut Random) -> Vec<u8>,
    pub(crate) hostile: Files,
    pub(crate) shapes: fn() -> Vec<Shape>,
    pub(crate) read: fn(&[u8], usize) -> u64,
    pub(crate) edit: fn(&[u8], usize, &[u8], usize) -> Option<Edited>,
    pub(crate) edit_all: EditAll,
    /// True if a file can be read without any problem.
    pub(crate) is_good: fn(&[u8]) -> bool,
}

impl AnyContainer {
    const fn of<C: TestedContainer>() -> Self {
        AnyContainer {
            name: C::NAME,
            properties: [
                ("bounded", bounded::<C>),
                ("edited", edited::<C>),
                ("generated", |entropy| {
                    let file = sample::<C>(entropy);
                    bounded::<C>(&file);
                    edited::<C>(&file);
                }),
            ],
            sample: sample::<C>,
            mutate: C::mutate,
            hostile: C::hostile,
            shapes: C::shapes,
            read: C::read,
            edit: C::edit,
            edit_all: C::edit_all,
            is_good: |bytes| C::list(bytes, MORE * LIMIT).is_ok(),
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<&'static AnyContainer> {
        CONTAINERS.iter().find(|container| container.name == name)
    }

    pub(crate) fn hold(&self, name: &str, bytes: &[u8]) {
        let property = self.properties.iter().find(|property| property.0 == name);
        (property.unwrap_or_else(|| panic!("there is no property {name}")).1)(bytes);
    }

    /// Checks the properties that must hold for the bytes of any file.
    pub(crate) fn hold_all(&self, bytes: &[u8]) {
        ["bounded", "edited"].iter().for_each(|name| self.hold(name, bytes));
    }
}

/// Any file; `entropy` decides which.
fn sample<C: TestedContainer>(entropy: &[u8]) -> Vec<u8> {
    C::arbitrary(&mut Unstructured::new(entropy)).unwrap_or_default()
}

/// Runs some work. Returns its result and the most memory that it held at once, including the result.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let peak = measure(|| result = Some(work())).bytes_max;
    (result.unwrap(), peak)
}

/// The memory and the steps that some work took.
pub(crate) struct Cost {
    /// The most memory that was held at once.
    pub(crate) peak: u64,
    /// The sum of the allocations, the allocated bytes, and the steps that the work counted itself.
    pub(crate) steps: u64,
}

pub(crate) fn cost(work: impl FnOnce() -> u64) -> Cost {
    let mut own = 0;
    let measured = measure(|| own = work());
    Cost { peak: measured.bytes_max, steps: measured.bytes_total + measured.count_total + own }
}

/// Reading stays within its bounds of memory and steps, whatever sizes the file declares.
fn bounded<C: TestedContainer>(bytes: &[u8]) {
    for limit in [LIMIT, LIMIT / 16] {
        let source = FileSource::Bytes(bytes.to_vec());
        let Cost { peak, steps } = cost(|| walk::<C>(source, limit) + C::read(bytes, limit));
        let bound = CONSTANT + limit + C::EACH * bytes.len();
        assert!(
            peak <= bound as u64,
            "{}: reading {} bytes within {limit} takes {peak}, more than {bound}",
            C::NAME,
            bytes.len()
        );
        let bound = C::STEPS * (CONSTANT + limit + bytes.len()) as u64;
        assert!(
            steps <= bound,
            "{}: reading {} bytes within {limit} takes {steps} steps, more than {bound}",
            C::NAME,
            bytes.len()
        );
    }
}

/// Opens a container with at most `limit` bytes of memory.
fn open<C: TestedContainer + ?Sized>(source: FileSource, limit: usize) -> Result<Box<dyn Container>, ContainerError> {
    C::KIND.open(source, None, &FormatOptions::new().set("max_memory", limit).unwrap())
}

/// Reads every value of a container. Returns their number.
fn walk<C: TestedContainer>(source: FileSource, limit: usize) -> u64 {
    let mut count = 0;
    if let Ok(container) = open::<C>(source, limit) {
        let _ = container.values(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
    }
    count
}

/// The contents that the [`Container`] of a file lists.
fn listed<C: TestedContainer + ?Sized>(bytes: &[u8], limit: usize) -> Result<Contents, String> {
    let container = open::<C>(FileSource::Bytes(bytes.to_vec()), limit).map_err(|error| error.to_string())?;
    contents_of::<C>(&*container, bytes)
}

fn contents_of<C: TestedContainer + ?Sized>(container: &dyn Container, bytes: &[u8]) -> Result<Contents, String> {
    let mut values = Vec::new();
    let all = container.values(&mut |value| {
        let name = C::name(values.len(), &value);
        let bytes = value.bytes.map(|bytes| bytes.into_owned()).map_err(|error| without_offsets(&error.to_string()));
        // an instance that only its place names
        let name = if name.trim_start_matches('"').starts_with('@') { without_offsets(&name) } else { name };
        values.push((name, bytes));
        ControlFlow::Continue(())
    });
    all.map_err(|error| error.to_string())?;
    Ok(Contents { frame: C::rest(bytes)?, places: values.len(), values })
}

/// The text of an error without its offsets and lines, which an edit before them shifts.
fn without_offsets(error: &str) -> String {
    let without = |text: &str, before: &str, is_digit: fn(&char) -> bool| -> String {
        let parts = text.split(before).map(|part| part.trim_start_matches(|char: char| is_digit(&char)));
        parts.collect()
    };
    let error = without(error, "0x", char::is_ascii_hexdigit);
    let error = without(&error, "in line ", char::is_ascii_digit);
    without(&error, ", column ", char::is_ascii_digit)
}

/// The address of value number `which`, read from its text, and whether no other value has it. Only this one is kept, because all
/// addresses can take much more memory than the values.
fn address_of(container: &dyn Container, which: usize) -> Option<(Address, bool)> {
    let (mut number, mut found) = (0, None);
    let all = container.values(&mut |value| {
        if number == which {
            found = Some(Address::clone(&value.address));
        }
        number += 1;
        ControlFlow::Continue(())
    });
    let address = all.ok().and(found)?;
    if !address.is_file() {
        comes_back(&address);
    }
    let mut uses = 0;
    let all = container.values(&mut |value| {
        uses += usize::from(value.address == address);
        ControlFlow::Continue(())
    });
    all.ok().map(|()| (address, uses == 1))
}

/// Replaces one value with the [`Container`] of a file. The file itself is never written to.
fn replaced<C: TestedContainer + ?Sized>(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
    let mut expected = listed::<C>(bytes, MORE * limit).ok()?;
    // any bytes, which may be refused, or those of a value
    let is_any = Random::of(bytes).below(4) == 0;
    let new = if is_any { value.to_vec() } else { C::value(value) };
    expected.values.get_mut(which)?.1 = Ok(new.clone());
    let file = TemporaryFile::of(bytes);
    let container = open::<C>(FileSource::File(file.path.clone()), MORE * limit).ok()?;
    let (address, is_only) = address_of(&*container, which)?;
    let change = ValueChange::Replace { address: &address, bytes: &new };
    let twice = container.changed(&[change, change]);
    assert!(matches!(twice, Err(ContainerError::ChangedTwice(_))), "{}: {twice:?}", C::NAME);
    let nothing = &Address::new(Syntax::Items, [Component::name("nothing")]);
    let unknown = container.changed(&[change, ValueChange::Replace { address: nothing, bytes: &new }]);
    assert!(unknown.is_err(), "{}: {unknown:?}", C::NAME);
    drop(container);
    let (done, peak) = peak_of(|| {
        let container = open::<C>(FileSource::File(file.path.clone()), limit).map_err(|error| error.to_string())?;
        container.changed(&[change]).map_err(|error| error.to_string())
    });
    assert!(std::fs::read(&file.path).unwrap() == bytes, "{}: the file was written to", C::NAME);
    file.assert_alone();
    assert!(is_only || done.is_err(), "{}: {address} names several values, and one was changed", C::NAME);
    Some(Edited { file: done, expected, peak })
}

/// Replaces all values with the [`Container`] of a file. `None` if their addresses alone take too much memory.
fn all_replaced<C: TestedContainer + ?Sized>(
    bytes: &[u8],
    value: &[u8],
    limit: usize,
) -> Option<Result<Vec<u8>, String>> {
    let container = open::<C>(FileSource::Bytes(bytes.to_vec()), limit).ok()?;
    let (mut addresses, mut size, new) = (Vec::new(), 0, C::value(value));
    let all = container.values(&mut |value| {
        size += value.address.to_string().len();
        addresses.push(value.address.into_address());
        if size > limit {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    all.ok().filter(|()| size <= limit)?;
    let changes: Vec<_> = addresses.iter().map(|address| ValueChange::Replace { address, bytes: &new }).collect();
    Some(container.changed(&changes).map_err(|error| error.to_string()))
}

/// Lists the contents of a container, as [`TestedContainer::list`].
type List = fn(&[u8], usize) -> Result<Contents, String>;

/// Edits a container, as [`TestedContainer::edit`].
type Edit = fn(&[u8], usize, &[u8], usize) -> Option<Edited>;

/// An edit changes only the value that it names, or it fails and returns no file.
fn edited<C: TestedContainer>(bytes: &[u8]) {
    if !C::MOVES_VALUES {
        edited_by::<C>(bytes, listed::<C>, replaced::<C>, all_replaced::<C>);
    }
    if C::HAS_OWN_EDIT || C::MOVES_VALUES {
        edited_by::<C>(bytes, C::list, C::edit, C::edit_all);
    }
}

/// The first place of a file is edited, two others, and one that is not there.
fn edited_by<C: TestedContainer>(bytes: &[u8], list: List, edit: Edit, edit_all: EditAll) {
    let Ok(before) = list(bytes, MORE * LIMIT) else { return };
    let count = before.places;
    let mut random = Random::of(bytes);
    for which in [0, random.below(count + 1), random.below(count + 1)] {
        edit_one::<C>(bytes, &before, which, &VALUES[random.below(VALUES.len())](), list, edit);
    }
    all_edited::<C>(bytes, &before, list, edit_all);
    assert!(edit(bytes, count + (1 << 20), b"", LIMIT).is_none(), "{}: nothing can be edited there", C::NAME);
}

/// All values are changed at once, or no file is returned.
fn all_edited<C: TestedContainer>(bytes: &[u8], before: &Contents, list: List, edit_all: EditAll) {
    let Some(Ok(file)) = edit_all(bytes, &VALUES[1](), LIMIT) else { return };
    let after = list(&file, 2 * MORE * LIMIT).unwrap_or_else(|error| panic!("{}: {error}", C::NAME));
    assert_eq!(after.frame, before.frame, "{}: something else has changed", C::NAME);
    // those that had no bytes may have some now
    let names: HashSet<&String> = after.values.iter().map(|(name, _)| name).collect();
    assert!(before.values.iter().all(|(name, _)| names.contains(name)), "{}: something is lost", C::NAME);
    let first = after.values.first().map(|(_, value)| value);
    assert!(
        after.values.iter().all(|(_, value)| Some(value) == first && value.is_ok()),
        "{}: not all changed",
        C::NAME
    );
}

/// The first difference between the contents of two files.
fn difference(one: &Contents, other: &Contents) -> (String, String) {
    let lines = |contents: &Contents| -> Vec<String> {
        let bytes = |bytes: &Result<Vec<u8>, String>| match bytes {
            Ok(bytes) => format!("{} bytes, {}", bytes.len(), bytes[..bytes.len().min(100)].escape_ascii()),
            Err(error) => error.clone(),
        };
        let values = contents.values.iter().map(|(name, value)| format!("{name}: {}", bytes(value)));
        contents.frame.iter().cloned().chain(values).chain(["nothing".to_owned()]).collect()
    };
    let mut pairs = lines(one).into_iter().zip(lines(other));
    pairs.find(|(one, other)| one != other).unwrap_or_default()
}

/// The values that are put into files.
const VALUES: [fn() -> Vec<u8>; 7] = [
    Vec::new,
    || b"\x01\0\0\0\x02\0\0\0On\x03\0".to_vec(),
    || b"a\0b".to_vec(),
    || (0..=255).collect(),
    // longer than a line of base64, and it packs well
    || vec![7; 5000],
    // a Vector3 of Godot 3, and a Vector4 of Godot 4
    || [&b"\x07\0\0\0"[..], &[0; 12]].concat(),
    || [&b"\x0c\0\0\0"[..], &[0; 16]].concat(),
];

/// True if all values that have a format of the container have the same.
fn are_of_one_format<C: TestedContainer>(contents: &Contents) -> bool {
    let formats = || C::KIND.formats().iter().map(|name| by_name(name).unwrap());
    let options = FormatOptions::new();
    let values = || contents.values.iter().filter_map(|(_, value)| value.as_deref().ok());
    let valid: Vec<_> =
        values().filter(|value| formats().any(|format| format.check(value, &options).is_ok())).collect();
    valid.is_empty() || formats().any(|format| valid.iter().all(|value| format.check(value, &options).is_ok()))
}

/// The edit changes only the value at `which`, or it fails and returns no file.
fn edit_one<C: TestedContainer>(bytes: &[u8], before: &Contents, which: usize, value: &[u8], list: List, edit: Edit) {
    let Some(Edited { file, expected, peak }) = edit(bytes, which, value, LIMIT) else { return };
    let bound = CONSTANT + 2 * LIMIT + C::EDIT_EACH * (bytes.len() + value.len());
    assert!(peak <= bound as u64, "{}: editing {} bytes takes {peak}, more than {bound}", C::NAME, bytes.len());
    let Ok(file) = file else { return };
    let reopened = C::reopened(bytes, &file, 2 * MORE * LIMIT);
    let after = match reopened
        .map_or_else(|| list(&file, 2 * MORE * LIMIT), |file_again| contents_of::<C>(&*file_again, &file))
    {
        Ok(after) => after,
        Err(error) => panic!("{}: what edit wrote cannot be read: {error}", C::NAME),
    };
    let count = before.places;
    let (expected, after) = (without_empty(expected), without_empty(after));
    if after != expected {
        let (expected, found) = difference(&expected, &after);
        panic!("{}: after place {which} of {count} was edited, there is {found}, not {expected}", C::NAME);
    }
    if are_of_one_format::<C>(before) {
        assert!(are_of_one_format::<C>(&after), "{}: the values are of several formats", C::NAME);
    }
    assert!(C::is_local(bytes, &file), "{}: more than the place of value {which} has changed", C::NAME);
}

/// The contents without values that have no bytes: some containers do not list them.
fn without_empty(mut contents: Contents) -> Contents {
    contents.values.retain(|(_, bytes)| !matches!(bytes, Ok(bytes) if bytes.is_empty()));
    Contents { places: 0, ..contents }
}

/// The fixtures that are containers of this name.
pub(crate) fn fixtures(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let files: &[&str] = match name {
        "project-3" => &["godot-3/project_v3.binary"],
        "frames" => &["godot-3/store_var_v3.frames", "godot-4/debugger_v4.frames"],
        "text" => &[
            "godot-files/text/scene.tscn",
            "godot-files/text/crlf.tscn",
            "godot-files/text/old.tscn",
            "godot-files/text/animation.tres",
            "godot-files/text/item.tres",
            "godot-files/text/bad/quote.tscn",
            "godot-files/text/bad/tag.tscn",
            "godot-files/v3.2/text/main.tscn",
        ],
        "dump" => &["roblox-remote/several.dump"],
        "dump-hex" => &["roblox-remote/several.hex"],
        "blueprint" => &[
            "scrap-mechanic-lua/logic.blueprint.json",
            "scrap-mechanic-lua/mixed.blueprint.json",
            "scrap-mechanic-lua/vehicle.blueprint.json",
        ],
        "save" => {
            &["scrap-mechanic-lua/save-v24.db", "scrap-mechanic-lua/save-v26.db", "scrap-mechanic-lua/save-v28.db"]
        }
        "model" => &[
            "roblox-model/attributes.rbxm",
            "roblox-model/attributes.none.rbxm",
            "roblox-model/attributes.zstd.rbxm",
            "roblox-model/made.rbxm",
            "roblox-model/tags.rbxm",
            "roblox-model/bad/cut.rbxm",
            "roblox-model/bad/chunk.rbxm",
            "roblox-model/bad/twins.rbxm",
        ],
        "model-xml" => &["roblox-model/attributes.rbxmx", "roblox-model/tags.rbxmx", "roblox-model/bad/cut.rbxmx"],
        _ => &[],
    };
    files.iter().map(|file| std::fs::read(folder.join(file)).unwrap()).collect()
}

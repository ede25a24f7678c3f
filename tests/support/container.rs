//! What a container gives to the promises, so that each of them is written once for all containers. A container is what
//! carries values: a model file, a save, a blueprint, the settings of a project, frames, a dump.

use allocation_counter::measure;
use arbitrary::Unstructured;

use super::mutate::scribble;
use super::random::Random;

/// Every container. A new one is a file with its [`Container`], and a line here.
pub(crate) static CONTAINERS: &[AnyContainer] = &[
    #[cfg(feature = "model")]
    AnyContainer::of::<super::models::BinaryModel>(),
    #[cfg(feature = "model")]
    AnyContainer::of::<super::models::XmlModel>(),
    #[cfg(feature = "blueprints")]
    AnyContainer::of::<super::carriers::Blueprints>(),
    AnyContainer::of::<super::carriers::Settings<3>>(),
    AnyContainer::of::<super::carriers::Settings<4>>(),
    AnyContainer::of::<super::carriers::GodotFrames>(),
    AnyContainer::of::<super::carriers::Dumps>(),
    AnyContainer::of::<super::carriers::HexDumps>(),
    #[cfg(all(feature = "saves", target_pointer_width = "64"))]
    AnyContainer::of::<super::saves::Saves>(),
];

/// Memory that reading any container may take, however short it is and however small the limit.
pub(crate) const CONSTANT: usize = 256 << 10;

/// The limit that the properties set: so small that short files reach it.
pub(crate) const LIMIT: usize = 1 << 20;

/// How often the limit is enough for all that is in a file, so that nothing is missed where edits are looked at.
pub(crate) const MORE: usize = 8;

/// The library's face of one container.
pub(crate) trait Container {
    const NAME: &'static str;

    /// What reading takes beyond the limit and [`CONSTANT`], for each byte of the input. 0 where the limit counts it all.
    const EACH: usize;

    /// How much an edit takes beyond the same, for each byte of the input and of what is put in.
    const EDIT_EACH: usize;

    /// The most that reading may do, for each byte of the input and of the limit: allocations, bytes that are allocated
    /// and bytes that are read, counted together.
    const STEPS: u64;

    /// Calls everything that the library has for reading such a file, with at most `limit` bytes of memory where that can
    /// be said. Gives the steps that the allocator does not see.
    fn read(bytes: &[u8], limit: usize) -> u64;

    /// What is in the file, or why it cannot be read.
    fn list(bytes: &[u8], limit: usize) -> Result<Contents, String>;

    /// The file with `value`, or what this container makes of it, in the place of value number `which`; and the value as
    /// it must be listed then. `None` if the container is not edited, or has no such value.
    fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited>;

    /// The file with the same value in the place of every value at once. `None` if the container is not edited so.
    fn edit_all(_bytes: &[u8], _value: &[u8], _limit: usize) -> Option<Result<Vec<u8>, String>> {
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

    /// Whether all that stands in two files is the same, but for the place that an edit may change.
    fn is_local(_before: &[u8], _after: &[u8]) -> bool {
        true
    }
}

/// A file of so many things.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) made: fn(usize) -> Vec<u8>,
    /// How many for the benchmark, at the least.
    pub(crate) few: usize,
}

/// What a file has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contents {
    /// All that is no value: an edit leaves it as it is.
    pub(crate) frame: Vec<String>,
    /// The values, each with the name that it is found by.
    pub(crate) values: Vec<(String, Result<Vec<u8>, String>)>,
    /// How many places can be edited: those of the values, and those of values that are not there yet.
    pub(crate) places: usize,
}

/// What an edit gives.
#[derive(Debug)]
pub(crate) struct Edited {
    /// The file, or why there is none.
    pub(crate) file: Result<Vec<u8>, String>,
    /// All that must be in it.
    pub(crate) expected: Contents,
    /// The most memory that the edit held at once.
    pub(crate) peak: u64,
}

/// Changes every value, as [`Container::edit_all`].
type EditAll = fn(&[u8], &[u8], usize) -> Option<Result<Vec<u8>, String>>;

/// Panics where a property does not hold.
type Hold = fn(&[u8]);

/// Makes files, each with its name.
type Files = fn() -> Vec<(String, Vec<u8>)>;

/// A [`Container`] with its types gone.
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
    /// Whether a file can be read without any problem.
    pub(crate) is_good: fn(&[u8]) -> bool,
}

impl AnyContainer {
    const fn of<C: Container>() -> Self {
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

    /// What must hold for the bytes of a file.
    pub(crate) fn hold_all(&self, bytes: &[u8]) {
        ["bounded", "edited"].iter().for_each(|name| self.hold(name, bytes));
    }
}

/// Any file; `entropy` decides which.
fn sample<C: Container>(entropy: &[u8]) -> Vec<u8> {
    C::arbitrary(&mut Unstructured::new(entropy)).unwrap_or_default()
}

/// What some work gives, and the most memory that it held at once. The result counts as held.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let peak = measure(|| result = Some(work())).bytes_max;
    (result.unwrap(), peak)
}

/// What some work took.
pub(crate) struct Cost {
    /// The most memory that was held at once.
    pub(crate) peak: u64,
    /// Allocations, bytes that were allocated, and what the work counted itself.
    pub(crate) steps: u64,
}

pub(crate) fn cost(work: impl FnOnce() -> u64) -> Cost {
    let mut own = 0;
    let measured = measure(|| own = work());
    Cost { peak: measured.bytes_max, steps: measured.bytes_total + measured.count_total + own }
}

/// Reading takes no more memory and no more steps than it may, whatever the file says.
fn bounded<C: Container>(bytes: &[u8]) {
    for limit in [LIMIT, LIMIT / 16] {
        let Cost { peak, steps } = cost(|| C::read(bytes, limit));
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

/// The first place of a file is edited, two others, and one that is not there.
fn edited<C: Container>(bytes: &[u8]) {
    let Ok(before) = C::list(bytes, MORE * LIMIT) else { return };
    let count = before.places;
    let mut random = Random::of(bytes);
    for which in [0, random.below(count + 1), random.below(count + 1)] {
        edit_one::<C>(bytes, &before, which, &VALUES[random.below(VALUES.len())]());
    }
    all_edited::<C>(bytes, &before);
    assert!(C::edit(bytes, count + (1 << 20), b"", LIMIT).is_none(), "{}: nothing can be edited there", C::NAME);
}

/// All values are changed at once, or there is no file.
fn all_edited<C: Container>(bytes: &[u8], before: &Contents) {
    let Some(Ok(file)) = C::edit_all(bytes, &VALUES[1](), LIMIT) else { return };
    let after = C::list(&file, 2 * MORE * LIMIT).unwrap_or_else(|error| panic!("{}: {error}", C::NAME));
    assert_eq!(after.frame, before.frame, "{}: something else has changed", C::NAME);
    let names = |contents: &Contents| -> Vec<String> { contents.values.iter().map(|(name, _)| name.clone()).collect() };
    // those that had no bytes may have some now
    assert!(names(before).iter().all(|name| names(&after).contains(name)), "{}: something is lost", C::NAME);
    let first = after.values.first().map(|(_, value)| value);
    assert!(
        after.values.iter().all(|(_, value)| Some(value) == first && value.is_ok()),
        "{}: not all changed",
        C::NAME
    );
}

/// The first of what two files have that is not the same.
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

/// What is put into files.
const VALUES: [fn() -> Vec<u8>; 5] = [
    Vec::new,
    || b"\x01\0\0\0\x02\0\0\0On\x03\0".to_vec(),
    || b"a\0b".to_vec(),
    || (0..=255).collect(),
    // longer than a line of base64, and it packs well
    || vec![7; 5000],
];

/// What was named is changed, and nothing else is; or there is an error, and no file.
fn edit_one<C: Container>(bytes: &[u8], before: &Contents, which: usize, value: &[u8]) {
    let Some(Edited { file, expected, peak }) = C::edit(bytes, which, value, LIMIT) else { return };
    let bound = CONSTANT + 2 * LIMIT + C::EDIT_EACH * (bytes.len() + value.len());
    assert!(peak <= bound as u64, "{}: editing {} bytes takes {peak}, more than {bound}", C::NAME, bytes.len());
    let Ok(file) = file else { return };
    let after = match C::list(&file, 2 * MORE * LIMIT) {
        Ok(after) => after,
        Err(error) => panic!("{}: what edit wrote cannot be read: {error}", C::NAME),
    };
    let (count, expected) = (before.places, Contents { places: after.places, ..expected });
    if after != expected {
        let (expected, found) = difference(&expected, &after);
        panic!("{}: after place {which} of {count} was edited, there is {found}, not {expected}", C::NAME);
    }
    assert!(C::is_local(bytes, &file), "{}: more than the place of value {which} has changed", C::NAME);
}

//! Finding all attributes of model and place files, beside `rbx_binary`: the largest file of the collection that
//! `ENGINEWIRE_CORPUS` names, a place of 100 MB that is made here, and `get` of 2,000 files with one thread, with two, and
//! by two programs, each with a folder of half of the files. Then 50,000 lookups among two numbers of instances, and two
//! numbers of attributes inserted: the time of one does not grow with their number.
//!
//! `cargo bench --bench model`; with `-- --quick` the place has 5 MB, and there are 200 files; with
//! `-- --lookups` there are only the lookups and inserts.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::print_stdout
)] // a benchmark may panic, and prints what it finds
#![cfg(target_pointer_width = "64")]

#[allow(dead_code)] // not all of it is needed here
#[path = "../../../benches/measure/mod.rs"]
mod measure;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use allocation_counter::measure as count_memory;
use enginewire::roblox::attributes;
use enginewire_files::roblox::model::{list, list_bytes, Options};
use rbx_dom_weak::types::{Attributes, CFrame, Matrix3, Variant, Vector3};
use rbx_dom_weak::{InstanceBuilder, WeakDom};

use measure::record;

/// Full names, and how many attributes there are.
type Found = BTreeMap<(String, usize), usize>;

fn ours(file: &Path) -> Found {
    let mut found = Found::new();
    let listing = list(std::fs::File::open(file).unwrap(), &Options::new()).unwrap();
    assert!(listing.problems.is_empty());
    for property in listing.properties() {
        let class = listing.instance_of(&property).unwrap().class;
        if property.kind.is_attributes(class) {
            let count = property.decode(&attributes::Options::new()).unwrap().len();
            *found.entry((listing.path(property.instance).to_string(), count)).or_default() += 1;
        }
    }
    found
}

fn theirs(file: &Path) -> Found {
    let mut found = Found::new();
    let dom = rbx_binary::from_reader(std::io::BufReader::new(std::fs::File::open(file).unwrap())).unwrap();
    for instance in dom.descendants() {
        let Some(Variant::Attributes(attributes)) = instance.properties.get(&"Attributes".into()) else { continue };
        if attributes.is_empty() {
            continue;
        }
        let mut names = vec![&instance.name[..]];
        let mut parent = instance.parent();
        while let Some(above) = dom.get_by_ref(parent).filter(|above| above.parent().is_some()) {
            names.push(&above.name);
            parent = above.parent();
        }
        names.reverse();
        *found.entry((names.join("."), attributes.iter().count())).or_default() += 1;
    }
    found
}

/// The times of `runs` runs of each, the fastest first. They take turns, so that what slows the machine down for a while slows
/// down all.
fn sorted<const N: usize>(runs: usize, mut work: [&mut dyn FnMut(); N]) -> [Vec<Duration>; N] {
    let mut times = [(); N].map(|()| Vec::new());
    for _ in 0..runs {
        for (times, work) in times.iter_mut().zip(&mut work) {
            let start = Instant::now();
            work();
            times.push(start.elapsed());
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    times
}

/// The data of the largest chunk.
fn largest_chunk(file: &[u8]) -> usize {
    let mut largest = 0;
    let mut at = 32;
    while let Some(head) = file.get(at..at + 16) {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        largest = largest.max(number(8));
        at += 16 + if number(4) == 0 { number(8) } else { number(4) };
    }
    largest
}

fn compare(name: &str, path: &Path, runs: usize) {
    let file = std::fs::read(path).unwrap();
    let [own, peer] = [ours(path), theirs(path)];
    assert_eq!(own, peer, "{name}");
    let [found, bytes]: [usize; 2] = [own.values().sum(), file.len()];
    drop((own, peer));
    // the fastest run is the one that others on the machine disturb the least
    let [own, peer] = sorted(runs, [&mut || drop(black_box(ours(path))), &mut || drop(black_box(theirs(path)))])
        .map(|times| times[0]);
    for (reader, time) in [("rbx_binary", peer), ("list", own)] {
        record(&format!("{name}: all attributes"), reader, time.as_secs_f64() * 1e9, None);
    }
    let mut output = None;
    let peak = count_memory(|| output = Some(list(std::fs::File::open(path).unwrap(), &Options::new()).unwrap()));
    drop(output);
    let kept = count_memory(|| std::mem::forget(list_bytes(&file, &Options::new()).unwrap())).bytes_current;
    println!(
        "{name}: {bytes} bytes, {found} instances with attributes: enginewire {own:?}, rbx_binary {peer:?}, {:.0} x; \
         peak memory {}, largest chunk {}, output {kept}",
        peer.as_secs_f64() / own.as_secs_f64(),
        peak.bytes_max,
        largest_chunk(&file),
    );
}

/// A place of parts, models and scripts, one in a hundred with attributes.
fn place(path: &Path, scripts: usize) {
    let mut workspace = InstanceBuilder::new("Workspace").with_name("Workspace");
    let mut random = 1u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    for model in 0..scripts {
        // text that compresses as little as code does
        let source: String = (0..900).map(|_| format!("local v{} = {}\n", next() % 997, next())).collect();
        let mut builder = InstanceBuilder::new("Model").with_name(format!("Model{model}"));
        builder.add_child(InstanceBuilder::new("Script").with_property("Source", source));
        for part in 0..40 {
            let at = |shift: u64| (shift % 100_000) as f32 / 7.0;
            let position = Vector3::new(at(next()), at(next()), at(next()));
            let mut child = InstanceBuilder::new("Part")
                .with_name(format!("Part{part}"))
                .with_property("CFrame", CFrame::new(position, Matrix3::identity()))
                .with_property("Size", Vector3::new(at(next()), 1.0, at(next())));
            if next() % 100 == 0 {
                let attributes: Attributes =
                    [("Health".to_owned(), Variant::Float64(next() as f64))].into_iter().collect();
                child = child.with_property("Attributes", attributes);
            }
            builder.add_child(child);
        }
        workspace.add_child(builder);
    }
    let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
    let root = dom.root_ref();
    let workspace = dom.insert(root, workspace);
    rbx_binary::to_writer(std::io::BufWriter::new(std::fs::File::create(path).unwrap()), &dom, &[workspace]).unwrap();
}

/// A program for each of the folders, at the same time.
fn scan<const N: usize>(folders: [&Path; N], threads: &str) {
    let mut programs = folders.map(|folder| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
        program.args(["get", "--json", "-q", "--threads", threads]).arg(folder).stdout(Stdio::null()).spawn().unwrap()
    });
    assert!(programs.iter_mut().all(|program| program.wait().unwrap().success()));
}

/// Looks up 50,000 instances in every way, among `instances` in models of 100 parts with the same names.
fn look_up(instances: usize) {
    let item = |class: &str, number: usize, name: &str| {
        format!(
            r#"<Item class="{class}" referent="R{number}"><Properties><string name="Name">{name}</string></Properties>"#
        )
    };
    let mut file = format!(r#"<roblox version="4">{}"#, item("Workspace", 0, "Workspace"));
    for model in 0..instances / 101 {
        file += &item("Model", 101 * model + 1, &format!("Model{model}"));
        for part in 0..100 {
            file += &item("Part", 101 * model + 2 + part, &format!("Part{part}"));
            file += "</Item>";
        }
        file += "</Item>";
    }
    file += "</Item></roblox>";
    let listing = list_bytes(file.as_bytes(), &Options::new().all_instances(true)).unwrap();
    let count = listing.instances().len();
    let wanted: Vec<usize> = (0..50_000).map(|number| number * 7919 % count).collect();
    let start = Instant::now();
    let paths: Vec<_> = wanted.iter().map(|index| listing.path(*index)).collect();
    let making = start.elapsed();
    let referents: Vec<_> =
        wanted.iter().map(|index| format!("#{}", listing.instance(*index).unwrap().referent)).collect();
    let places: Vec<_> = wanted.iter().map(|index| listing.instance(*index).unwrap().place.to_string()).collect();
    let time = |texts: &mut dyn Iterator<Item = &[u8]>| {
        let start = Instant::now();
        for (index, text) in wanted.iter().zip(texts) {
            assert!(listing.find(text.into()).eq([*index]));
        }
        start.elapsed()
    };
    let by_path = time(&mut paths.iter().map(|path| &path[..]));
    let by_referent = time(&mut referents.iter().map(String::as_bytes));
    let by_place = time(&mut places.iter().map(String::as_bytes));
    println!(
        "{} lookups among {count} instances: by path {by_path:?}, by referent {by_referent:?}, by place {by_place:?}; \
         their paths {making:?}",
        wanted.len(),
    );
}

/// So many attributes, each inserted and then changed.
fn insert(count: i32) {
    let keys: Vec<String> = (0..count).map(|number| format!("Attribute{number}")).collect();
    let mut attributes = attributes::Attributes::new();
    let mut round = || {
        let start = Instant::now();
        for (key, number) in keys.iter().zip(0..) {
            black_box(attributes.insert(&key[..], number));
        }
        start.elapsed()
    };
    println!("{count} inserts: new ones {:?}, changed ones {:?}", round(), round());
}

fn main() {
    [100_000, 300_000].into_iter().for_each(look_up);
    [10_000, 100_000].into_iter().for_each(insert);
    if std::env::args().any(|argument| argument == "--lookups") {
        return;
    }
    let quick = std::env::args().any(|argument| argument == "--quick");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("model-bench");
    std::fs::create_dir_all(&folder).unwrap();
    let mut sources =
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/roblox-model/baseplate-566.rbxl")];
    if let Some(corpus) = std::env::var_os("ENGINEWIRE_CORPUS") {
        let models =
            std::fs::read_dir(Path::new(&corpus).join("roblox-models")).unwrap().map(|entry| entry.unwrap().path());
        sources.extend(models.filter(|path| path.extension().is_some_and(|extension| extension == "rbxl")));
    }
    let largest = sources.iter().max_by_key(|path| std::fs::metadata(path).unwrap().len()).unwrap();
    compare(&largest.file_name().unwrap().to_string_lossy(), largest, if quick { 3 } else { 301 });

    let big = folder.join("place.rbxl");
    place(&big, if quick { 400 } else { 8000 });
    compare("a generated place", &big, if quick { 1 } else { 5 });
    std::fs::remove_file(&big).unwrap();

    let many = folder.join("many");
    let _ = std::fs::remove_dir_all(&many);
    let halves = ["one", "other"].map(|half| many.join(half));
    halves.iter().for_each(|half| std::fs::create_dir_all(half).unwrap());
    let files = if quick { 200 } else { 2000 };
    for number in 0..files {
        let half = number / sources.len() % 2;
        std::fs::copy(&sources[number % sources.len()], halves[half].join(format!("{number}.rbxl"))).unwrap();
    }
    let times = sorted(
        if quick { 1 } else { 51 },
        [&mut || scan([&many], "1"), &mut || scan([&many], "2"), &mut || scan([&halves[0], &halves[1]], "1")],
    );
    // a core alone is faster for a while now and then than two together, which the fastest runs alone would not tell
    for (which, at) in [("fastest", 0), ("median", times[0].len() / 2)] {
        let [one, two, apart] = times.each_ref().map(|times| times[at]);
        for (program, time) in [("1 thread", one), ("2 threads", two), ("2 programs", apart)] {
            record(&format!("get --json of {files} files, {which}"), program, time.as_secs_f64() * 1e9, None);
        }
        let factor = |other: Duration| one.as_secs_f64() / other.as_secs_f64();
        println!(
            "get --json of {files} files, {which}: 1 thread {one:?}, 2 threads {two:?}, {:.2} x; 2 programs {apart:?}, {:.2} x",
            factor(two),
            factor(apart),
        );
    }
}

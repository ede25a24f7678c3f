//! Makes places with seven attributes on every part, and is a minimal program on `rbx_binary` and `rbx_xml`: see `benches/places`.
//!
//! A file whose name ends in `x` is XML.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};

use rbx_dom_weak::types::{Attributes, Ref, Variant, Vector3};
use rbx_dom_weak::{Instance, InstanceBuilder, WeakDom};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", file, models] => make(file, models.parse().unwrap(), false),
        ["make-other", file, models] => make(file, models.parse().unwrap(), true),
        ["get", file] => get(&read(file)),
        ["set", file, output, address] => set(read(file), output, address),
        ["diff", a, b] => diff(&read(a), &read(b)),
        _ => panic!("make FILE MODELS, make-other FILE MODELS, get FILE, set FILE OUTPUT ADDRESS, or diff A B"),
    }
}

/// Writes a place with this number of models of 40 parts each. The other place has one more attribute in every hundredth model.
fn make(file: &str, models: usize, is_other: bool) {
    let mut random = 1u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let mut workspace = InstanceBuilder::new("Workspace").with_name("Workspace");
    for number in 0..models {
        let mut model = InstanceBuilder::new("Model").with_name(format!("Model{number}"));
        for part in 0..40 {
            let mut attributes = Attributes::new();
            for key in 0..4 {
                attributes.insert(format!("Number{key}"), Variant::Float64(next() as f64 / 7.0));
            }
            attributes.insert("Owner".into(), Variant::String(format!("player{}", next())));
            attributes.insert("Spawn".into(), Variant::Vector3(Vector3::new(next() as f32, 1.5, next() as f32)));
            attributes.insert("Active".into(), Variant::Bool(next() % 2 == 0));
            if is_other && number % 100 == 3 && part == 7 {
                attributes.insert("New".into(), Variant::Bool(true));
            }
            let part = InstanceBuilder::new("Part").with_name(format!("Part{part}"));
            model.add_child(part.with_property("Attributes", attributes));
        }
        workspace.add_child(model);
    }
    let mut place = WeakDom::new(InstanceBuilder::new("DataModel"));
    place.insert(place.root_ref(), workspace);
    write(file, &place);
}

fn is_xml(file: &str) -> bool {
    file.ends_with('x')
}

fn read(file: &str) -> WeakDom {
    let reader = BufReader::new(File::open(file).unwrap());
    match is_xml(file) {
        true => rbx_xml::from_reader_default(reader).unwrap(),
        false => rbx_binary::from_reader(reader).unwrap(),
    }
}

fn write(file: &str, place: &WeakDom) {
    let (writer, instances) = (BufWriter::new(File::create(file).unwrap()), place.root().children());
    match is_xml(file) {
        true => rbx_xml::to_writer_default(writer, place, instances).unwrap(),
        false => rbx_binary::to_writer(writer, place, instances).unwrap(),
    }
}

/// The names from the root to an instance, with dots between them.
fn path(place: &WeakDom, instance: &Instance) -> String {
    let mut names = Vec::new();
    let mut next = Some(instance);
    while let Some(instance) = next.filter(|instance| instance.parent().is_some()) {
        names.push(&instance.name[..]);
        next = place.get_by_ref(instance.parent());
    }
    names.reverse();
    names.join(".")
}

fn get(place: &WeakDom) {
    let mut output = BufWriter::new(std::io::stdout().lock());
    for instance in place.descendants() {
        let Some(Variant::Attributes(attributes)) = instance.properties.get(&"Attributes".into()) else { continue };
        for (key, value) in attributes.iter() {
            writeln!(output, "{}\t{key}={value:?}", path(place, instance)).unwrap();
        }
    }
}

fn set(mut place: WeakDom, output: &str, address: &str) {
    let found = place.descendants().find(|instance| path(&place, instance) == address).unwrap().referent();
    let properties = &mut place.get_by_ref_mut(found).unwrap().properties;
    let Some(Variant::Attributes(attributes)) = properties.get_mut(&"Attributes".into()) else { panic!("{address}") };
    attributes.insert("Health".into(), Variant::Float64(42.0));
    write(output, &place);
}

fn diff(a: &WeakDom, b: &WeakDom) {
    let by_path = |place: &WeakDom| {
        let mut all: BTreeMap<String, Vec<Ref>> = BTreeMap::new();
        for instance in place.descendants() {
            all.entry(path(place, instance)).or_default().push(instance.referent());
        }
        all
    };
    let (in_a, in_b) = (by_path(a), by_path(b));
    for (path, of_a) in &in_a {
        let Some(of_b) = in_b.get(path) else {
            println!("- {path}");
            continue;
        };
        for (one, other) in of_a.iter().zip(of_b) {
            let [one, other] = [(a, one), (b, other)].map(|(place, found)| place.get_by_ref(*found).unwrap());
            for (name, value) in &one.properties {
                let is_of_file = matches!(value, Variant::Ref(_) | Variant::UniqueId(_));
                if !is_of_file && other.properties.get(name) != Some(value) {
                    println!("~ {path} {name}");
                }
            }
        }
    }
    in_b.keys().filter(|path| !in_a.contains_key(*path)).for_each(|path| println!("+ {path}"));
}

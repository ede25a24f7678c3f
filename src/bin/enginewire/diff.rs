//! `enginewire diff`

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use enginewire::roblox::attributes::{self, Attributes};
use enginewire::roblox::model::{self, FileKind};
use serde::Serialize;
use serde_json::Value;

use crate::args::{Common, Diff};
use crate::console::Console;
use crate::formats::HEAD;
use crate::input;
use crate::models::{self, EntryJson, Refusal};
use crate::name::shown;
use crate::status::Status;
use crate::words::escaped;

/// Where an attribute is: the path of its instance, the property, and which of several such; the key, and which of several
/// such.
type Place = ((String, &'static str, usize), (String, usize));

/// An attribute, with its type, in JSON.
type Found = BTreeMap<Place, (String, Value)>;

/// A difference.
#[derive(Serialize)]
struct Difference<'d> {
    instance: &'d str,
    property: &'d str,
    key: &'d str,
    field: String,
    a: Option<String>,
    b: Option<String>,
}

pub fn run(args: &Diff, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    if args.a == Path::new("-") && args.b == args.a {
        console.error("standard input can only be one of them")?;
        return Ok(Status::Usage);
    }
    let mut sides = Vec::new();
    let mut highest = Status::Fine;
    for path in [&args.a, &args.b] {
        match read(path, common) {
            Ok((found, errors)) => {
                for (status, error) in errors {
                    console.error(error)?;
                    highest = highest.max(status);
                }
                sides.push(found);
            }
            Err((status, message)) => {
                console.error(message)?;
                return Ok(status);
            }
        }
    }
    let [a, b] = &sides[..] else { return Ok(highest) };
    let mut places: Vec<&Place> = a.keys().chain(b.keys()).collect();
    places.sort();
    places.dedup();
    for place in places {
        let mut differences = Vec::new();
        match (a.get(place), b.get(place)) {
            (Some(a), Some(b)) if a.0 == b.0 => compare(String::new(), &a.1, &b.1, &mut differences),
            (a, b) => {
                let text = |value: Option<&(String, Value)>| value.map(|(name, value)| format!("{name} {value}"));
                differences.push((String::new(), text(a), text(b)));
            }
        }
        for (field, a, b) in differences {
            highest = highest.max(Status::Differs);
            write(place, field, a, b, args, console)?;
        }
    }
    Ok(highest)
}

fn write(
    ((instance, property, _), (key, _)): &Place,
    field: String,
    a: Option<String>,
    b: Option<String>,
    args: &Diff,
    console: &mut Console<'_>,
) -> io::Result<()> {
    if args.json {
        let difference = Difference { instance, property, key, field, a, b };
        return writeln!(console.out(), "{}", serde_json::to_string(&difference)?);
    }
    let property = if *property == "AttributesSerialize" { "" } else { property };
    let names: Vec<&str> = [instance, property, key].into_iter().filter(|name| !name.is_empty()).collect();
    let place = escaped(format!("{}{field}", names.join(" ")));
    match (a, b) {
        (Some(a), Some(b)) => writeln!(console.out(), "~ {place}: {a} -> {b}"),
        (Some(a), None) => writeln!(console.out(), "- {place}: {a}"),
        (None, b) => writeln!(console.out(), "+ {place}: {}", b.unwrap_or_default()),
    }
}

/// The fields in which two values of one type differ.
fn compare(field: String, a: &Value, b: &Value, differences: &mut Vec<(String, Option<String>, Option<String>)>) {
    match (a, b) {
        (Value::Object(a_members), Value::Object(b_members)) if a_members.keys().eq(b_members.keys()) => {
            for ((name, a), b) in a_members.iter().zip(b_members.values()) {
                compare(format!("{field}.{name}"), a, b, differences);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let field = format!("{field}[{index}]");
                match (a.get(index), b.get(index)) {
                    (Some(a), Some(b)) => compare(field, a, b, differences),
                    (a, b) => differences.push((field, a.map(Value::to_string), b.map(Value::to_string))),
                }
            }
        }
        (a, b) if a == b => {}
        (a, b) => differences.push((field, Some(a.to_string()), Some(b.to_string()))),
    }
}

/// How a file begins.
fn head(path: &Path) -> Result<Vec<u8>, Refusal> {
    let mut head = Vec::new();
    let most = u64::try_from(HEAD).unwrap_or(u64::MAX);
    match File::open(path).and_then(|file| file.take(most).read_to_end(&mut head)) {
        Ok(_) => Ok(head),
        Err(error) => Err(models::unreadable(path, &error)),
    }
}

/// What a file has, and what cannot be read of it.
fn read(path: &Path, common: &Common) -> Result<(Found, Vec<Refusal>), Refusal> {
    let mut found = Found::new();
    let mut errors = Vec::new();
    let whole = if input::is_stream(path) { Some(models::read(path, common.memory())?) } else { None };
    let is_model = match &whole {
        Some(bytes) => FileKind::of(bytes).is_some(),
        None => FileKind::of(&head(path)?).is_some(),
    };
    if !is_model {
        let bytes = whole.map_or_else(|| models::read(path, common.memory()), Ok)?;
        let partial = attributes::decode_partial(&bytes, &models::attribute_options(common));
        if let Some(error) = partial.error {
            errors.push((Status::from(&error), error.report(&shown(path).to_string(), &bytes).to_string()));
        }
        add(&mut found, (String::new(), "AttributesSerialize", 0), &partial.attributes)?;
        return Ok((found, errors));
    }
    let options = models::options(common);
    let listing = match &whole {
        Some(bytes) => model::list_bytes(bytes, &options).map_err(|error| models::refusal(path, &error))?,
        None => models::list(path, &options, common.memory())?,
    };
    let mut seen: HashMap<(String, &'static str), usize> = HashMap::new();
    for property in listing.properties() {
        if !models::is_attributes(&listing, &property) {
            continue;
        }
        let instance = listing.path(property.instance).to_string();
        let count = seen.entry((instance.clone(), property.kind.name())).or_default();
        let place = (instance, property.kind.name(), *count);
        *count = count.saturating_add(1);
        let (attributes, error) = models::partial(&property, common);
        if let Some((message, _)) = error {
            let message = format!("{message}\n  --> {}: {}", shown(path), models::name(&listing, &property));
            errors.push((Status::Malformed, message));
        }
        add(&mut found, place, &attributes)?;
    }
    errors.extend(listing.problems.iter().map(|problem| (models::status(problem), models::refusal(path, problem).1)));
    Ok((found, errors))
}

fn add(found: &mut Found, place: (String, &'static str, usize), attributes: &Attributes<'_>) -> Result<(), Refusal> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for entry in attributes {
        let count = seen.entry(entry.key.to_string()).or_default();
        let key = (entry.key.to_string(), *count);
        *count = count.saturating_add(1);
        let EntryJson { name, value, .. } =
            EntryJson::new(entry).map_err(|error| (Status::Malformed, error.to_string()))?;
        // what is too deep to be looked into is compared as text
        let value = serde_json::from_str(value.get()).unwrap_or_else(|_| Value::from(value.get()));
        found.insert((place.clone(), key), (name, value));
    }
    Ok(())
}

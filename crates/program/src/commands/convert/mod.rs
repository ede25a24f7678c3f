//! `enginewire convert`

mod classes;
mod resource;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use enginewire::formats::{by_name, AnyFormat, Described, Node, Notation, Step, ValuePath, TRAILING_BYTES};
use enginewire::godot::resource::MAGIC;
use enginewire::godot::{self, GodotFormat, Object, Options, Variant, Version};
use enginewire::{DecodeError, Fault};
use enginewire_files::address::Address;
use enginewire_files::containers::{ContainerError, ContainerKind, Embedded};

use crate::changes::to_change::{ChangedValues, FileToChange, Values};
use crate::commands::encode::with_path;
use crate::exit_status::{usage, Done, Refusal, Status};
use crate::files::destination::Destination;
use crate::formats;
use crate::output::console::Console;
use crate::output::escape::escaped_within;
use crate::output::name::Name;
use crate::settings::Settings;
use classes::Other;

/// Convert values of Godot to the other version, and scenes and resources between binary and text
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../../help/convert.txt"))]
pub struct Args {
    /// File to convert; `-` is standard input
    pub file: PathBuf,

    /// Version of the file [default: the one that is not --to]
    #[arg(long, value_name = "NAME", value_parser = ["godot-3", "godot-4"])]
    pub from: Option<String>,

    /// Version, or form of a scene or resource, to convert to [default: the extension of -o]
    #[arg(long, value_name = "NAME", value_parser = ["godot-3", "godot-4", "scn", "tscn", "res", "tres"])]
    pub to: Option<String>,

    #[command(flatten)]
    pub destination: Destination,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    settings.changes_whole_files().map_err(usage)?;
    let extension = args.destination.output.as_deref().and_then(Path::extension).and_then(OsStr::to_str);
    let of_name = || extension.filter(|extension| resource::FORMS.contains(extension));
    let Some(to) = args.to.as_deref().or_else(of_name) else {
        return Err(usage("expected --to, or -o with the extension scn, tscn, res or tres").into());
    };
    if resource::FORMS.contains(&to) {
        return resource::run(args, to, settings, console);
    }
    let other = if to == "godot-3" { "godot-4" } else { "godot-3" };
    let from = args.from.as_deref().or(settings.format.as_deref()).unwrap_or(other);
    if from != other {
        return Err(usage(format!("expected values of {other} to convert to {to}, found {from}")).into());
    }
    let format = |name: &str| by_name(name).ok_or_else(|| usage("no such format"));
    let conversion = Conversion::new(&args.file, [format(from)?, format(to)?], settings);
    let settings = &Settings { written_for: Some(conversion.version()), ..conversion.settings.clone() };
    args.destination.write(&args.file, settings, console, &mut |opened| conversion.make(opened))?;
    Ok(Status::Fine)
}

/// A conversion from one version to the other.
pub struct Conversion {
    file: Name,
    from: &'static dyn AnyFormat,
    to: &'static dyn AnyFormat,
    /// For reading, and for writing.
    options: [Options; 2],
    /// The names of the types that the other version has.
    names: Vec<&'static str>,
    /// The settings, with the format of the input.
    settings: Settings,
}

impl Conversion {
    /// A conversion of values in a file, between two formats of Godot.
    pub fn new(file: &Path, [from, to]: [&'static dyn AnyFormat; 2], settings: &Settings) -> Self {
        let three = <GodotFormat<3> as Described>::options(&settings.formats);
        let four = <GodotFormat<4> as Described>::options(&settings.formats);
        let options = if to.name() == "godot-3" { [four, three] } else { [three, four] };
        // bytes after a value would be lost
        let options = options.map(|options| options.trailing_bytes(false));
        let names = to.types().iter().map(|row| row.name).collect();
        let settings = Settings { format: Some(from.name().to_owned()), ..settings.clone() };
        Conversion { file: Name::new(file), from, to, options, names, settings }
    }

    /// The version to convert to.
    fn version(&self) -> Version {
        let [_, to] = &self.options;
        to.version()
    }

    /// The changes that convert every value of a file.
    fn make(&self, opened: &FileToChange) -> Result<ChangedValues, Refusal> {
        let other = || {
            let reason = "expected a value of Godot, frames, project.binary or a ConfigFile";
            Err(Status::Malformed.because(reason).at(&self.file))
        };
        let refused = |error: ContainerError| Refusal::from(error).at(&self.file);
        let form = || {
            let reason = "a scene or resource only changes between binary and text; pass --to scn, tscn, res or tres";
            Err(usage(reason).at(&self.file))
        };
        let container = match (opened.container(), &opened.values) {
            (Some((ContainerKind::Scene | ContainerKind::TextResource, _)), _) => return form(),
            (Some((kind, container)), _) if kind.formats().contains(&self.from.name()) => container,
            (None, Values::One(one)) if one.bytes.starts_with(MAGIC) => return form(),
            (None, Values::One(one)) if !one.is_document() && ContainerKind::detect(&one.bytes).is_none() => {
                return Ok(vec![(Address::of_file(), self.of_value(&one.bytes, ("", 0), |error| error)?)].into());
            }
            _ => return other(),
        };
        let (mut converted, mut failures, mut told) = (Vec::new(), Vec::new(), 0usize);
        container
            .values(&mut |value: Embedded<'_>| {
                let address = value.address.to_string();
                let new = match value.bytes {
                    Ok(bytes) => {
                        let start = value.start.unwrap_or(0);
                        self.of_value(&bytes, (&address, start), DecodeError::of_complete_input)
                    }
                    Err(error) => Err(refused(error)),
                };
                match new {
                    Ok(bytes) => converted.push((value.address.into_address(), bytes)),
                    Err(failure) => failures.push(failure),
                }
                told = told
                    .saturating_add(failures.last().map_or(0, |failure: &Refusal| failure.to_string().lines().count()));
                if told < FAILURES {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(refused)?;
        if let Some(highest) = failures.iter().map(|failure| failure.status).max() {
            let messages: Vec<_> = failures.iter().map(ToString::to_string).collect();
            return Err(highest.because(messages.join("\n  ")));
        }
        Ok(converted.into())
    }

    /// A value, which has this address in the file and begins at `start`.
    pub fn of_value(
        &self,
        bytes: &[u8],
        (address, start): (&str, u64),
        kind: impl FnOnce(DecodeError) -> DecodeError,
    ) -> Result<Vec<u8>, Refusal> {
        let [from, to] = &self.options;
        let (bytes, rest) = self.parts(bytes);
        let name = if address.is_empty() { self.file.clone() } else { self.file.at(address) };
        let value = godot::decode_with(bytes, from).map_err(|error| {
            let error = kind(error);
            let report = error.report_from(&name.to_string(), bytes, start).to_string();
            let report = match address.is_empty() {
                true => formats::with_advice(report, bytes, self.from, &self.settings),
                false => report,
            };
            Status::from(&error).because(report)
        })?;
        let mut missing = Vec::new();
        let notation = self.to.notation();
        self.missing(GodotFormat::<4>::node(&value), notation, "", &mut missing);
        let mut objects = Vec::new();
        self.objects(&value, notation, "", &mut objects);
        let refusal = |what: &str, all: &[String]| {
            let lines: Vec<_> = all.iter().map(|what| format!("\n  {what}")).collect();
            (!all.is_empty()).then(|| format!("{} {what}:{}\n  --> {name}", self.to.name(), lines.concat()))
        };
        let refusals = [refusal("has no such types", &missing), refusal("cannot load these objects", &objects)];
        if refusals.iter().any(Option::is_some) {
            return Err(Status::Malformed.because(refusals.into_iter().flatten().collect::<Vec<_>>().join("\n  ")));
        }
        let converted = godot::encode_with(&value, to).map_err(|error| {
            let reason = format!("{} cannot hold a value: {}", self.to.name(), error.reason());
            Status::Malformed.because(reason).at(with_path(&name, &error.path().to_string()))
        })?;
        Ok([&converted, rest].concat())
    }

    /// A value, and the bytes after it if there may be such.
    fn parts<'b>(&self, bytes: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        let [from, _] = &self.options;
        let trailing = self.settings.formats.is(&TRAILING_BYTES);
        let end = match trailing.then(|| godot::decode_with(bytes, from)) {
            Some(Err(error)) if *error.fault() == Fault::Trailing => usize::try_from(error.offset().byte()).ok(),
            _ => None,
        };
        end.and_then(|end| bytes.split_at_checked(end)).unwrap_or((bytes, &[]))
    }

    /// Adds the node, if the other version has no type for it, or else such values inside it. `path` is its path, cut.
    fn missing(&self, node: &dyn Node, notation: Notation, path: &str, missing: &mut Vec<String>) {
        let type_name = node.type_name(notation);
        if !type_name.is_empty() && !self.names.contains(&type_name) {
            let place = if path.is_empty() { "the value" } else { path };
            missing.push(format!("{place}: {type_name}"));
            return;
        }
        for (number, step) in (0..).zip(node.steps(notation)) {
            let Some(item) = node.item(number) else { continue };
            if missing.len() >= FAILURES {
                return;
            }
            let type_name = item.type_name(notation);
            // of most values the path is not needed
            if self.names.contains(&type_name) && item.item(0).is_none() {
                continue;
            }
            self.missing(item, notation, &joined(path, step), missing);
        }
    }

    /// Adds what the engine of the other version cannot load of the objects in a value.
    fn objects(&self, value: &Variant<'_>, notation: Notation, path: &str, found: &mut Vec<String>) {
        let place = if path.is_empty() { "the value" } else { path };
        let (to, from, version) = (self.to.name(), self.from.name(), notation.version);
        let items: Vec<&Variant<'_>> = match value {
            Variant::Array(array) => array.elements.iter().collect(),
            Variant::Dictionary(dictionary) => {
                for entry in dictionary.entries.iter().filter(|entry| may_hold_objects(&entry.key)) {
                    self.objects(&entry.key, notation, &format!("a key of {place}"), found);
                }
                dictionary.entries.iter().map(|entry| &entry.value).collect()
            }
            Variant::Object(Object::Full(object)) => {
                let class = escaped_within(&object.class, PATH);
                match classes::other(&object.class.to_str_lossy(), version) {
                    Some(Other::Class(other)) => found.push(format!("{place}: {class}, which is {other} in {to}")),
                    Some(Other::Nothing) => found.push(format!("{place}: {class}, a class that {to} lacks")),
                    None => {}
                }
                object.properties.iter().map(|property| &property.value).collect()
            }
            _ => return,
        };
        let is_object = matches!(value, Variant::Object(_));
        for (step, item) in value.steps(notation).into_iter().zip(items) {
            if found.len() >= FAILURES {
                return;
            }
            if is_object && step == Step::key("script") {
                let script = match item {
                    Variant::Object(Object::Full(script)) => {
                        let class = escaped_within(&script.class, PATH);
                        format!("a script within the object ({class}), whose code is of {from}")
                    }
                    // version 4 loads a script by its path
                    Variant::String(path) if version == 3 && !path.is_empty() => {
                        format!("the path of a script ({}), which {to} does not load", escaped_within(path, PATH))
                    }
                    _ => continue,
                };
                found.push(format!("{}: {script}", joined(path, step)));
            } else if may_hold_objects(item) {
                self.objects(item, notation, &joined(path, step), found);
            }
        }
    }
}

/// Returns true if a value can hold objects.
fn may_hold_objects(value: &Variant<'_>) -> bool {
    matches!(value, Variant::Array(_) | Variant::Dictionary(_) | Variant::Object(Object::Full(_)))
}

/// A path with one more step, cut after [`PATH`] bytes.
fn joined(path: &str, step: Step) -> String {
    if path.len() > PATH {
        return path.to_owned();
    }
    let dot = if path.is_empty() || matches!(step, Step::Item(_)) { "" } else { "." };
    escaped_within(format!("{path}{dot}{}", ValuePath(vec![step])).as_bytes(), PATH)
}

/// The maximum number of problems reported, in one value or in all values of a file.
const FAILURES: usize = 1000;

/// The maximum number of bytes of a path in a message.
const PATH: usize = 200;

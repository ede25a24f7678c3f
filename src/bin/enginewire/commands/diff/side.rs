//! The two sides of a comparison: files, and the values in them.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use enginewire::containers::{Container, ContainerError, ContainerKind, Embedded};
use enginewire::formats::AnyFormat;
use enginewire::godot::FramedFile;
use serde_json::json;

use crate::exit_status::Status;
use crate::formats;
use crate::input::containers::{error_text, status, Origin};
use crate::input::opened::{refused, Input, OpenContainer, OpenFile, Unreadable};
use crate::output::console::Console;
use crate::output::name::Name;
use crate::settings::Settings;
use crate::size::size_text;

/// About the memory that a value takes beside its bytes and twice its address.
const EACH: usize = 512;

/// The values of each of two files may take this part of the memory.
pub const HELD: usize = 8;

/// The members of an address that say which value it is. The others say where its bytes are, which may differ.
const IDENTITY: [&str; 9] = ["instance", "class", "referent", "property", "table", "row", "body", "child", "line"];

/// What git names a file that is not there.
const NO_FILE: &str = "/dev/null";

/// A value of a file.
pub struct Found {
    /// The file, and the place in it.
    pub name: Name,
    /// The address as text; empty if the file is a single value.
    pub address: String,
    /// The address as members of a JSON object.
    pub origin: Origin,
    pub content: Content,
    /// Whether all of its bytes are there, as those of a value in a container are.
    pub is_complete: bool,
    /// Where its bytes begin in the file; 0 if they are not in it as they are.
    pub start: u64,
}

/// What a value is.
pub enum Content {
    /// A value of a format.
    Value(&'static dyn AnyFormat, Rc<[u8]>),
    /// The tags of an instance.
    Tags(Vec<String>),
    /// Bytes that are no value.
    Other(Rc<[u8]>),
    /// It cannot be read, and that was reported.
    Unreadable,
}

impl Found {
    /// What it has in common with the same value of the other file. A referent is no part of it, for a file that is saved anew may
    /// have others.
    pub fn key(&self) -> String {
        let member = |name: &str| self.origin.member(name).and_then(|member| member.as_str());
        match (member("instance"), member("property")) {
            (Some(instance), Some(property)) => format!("{} {property}", key(instance)),
            _ => self.address.clone(),
        }
    }
}

/// The path of an instance as a key: an instance that is the only one of its name in one file is the first of several in another.
pub fn key(address: &str) -> String {
    address.replace("[1]", "")
}

/// The values of a file, in their order.
#[derive(Default)]
pub struct Side {
    pub values: Vec<Found>,
    /// Whether the file is a container; `None` if there is no file.
    pub is_container: Option<bool>,
    /// The file, if it is a model, whose instances are compared too.
    pub model: Option<OpenContainer>,
    /// The places in the list of all that have a key.
    places: HashMap<String, Vec<usize>>,
    /// The bytes of all values. Those that several values share are there once.
    bytes: HashSet<Rc<[u8]>>,
    held: usize,
}

impl Side {
    /// The place of the value with this key, after `number` others that have the same.
    pub fn place(&self, key: &str, number: usize) -> Option<usize> {
        self.places.get(key)?.get(number).copied()
    }

    /// The bytes of a value.
    fn keep(&mut self, bytes: &[u8]) -> Rc<[u8]> {
        if let Some(kept) = self.bytes.get(bytes) {
            return kept.clone();
        }
        let kept: Rc<[u8]> = bytes.into();
        self.held = self.held.saturating_add(bytes.len());
        self.bytes.insert(kept.clone());
        kept
    }

    /// Adds a value, if there is memory for it.
    fn add(&mut self, found: Found, settings: &Settings) -> Result<(), String> {
        let tags: &[String] = if let Content::Tags(tags) = &found.content { tags } else { &[] };
        let tags = tags.iter().map(|tag| tag.len().saturating_add(size_of::<String>())).fold(0, usize::saturating_add);
        let size = tags.saturating_add(found.address.len().saturating_mul(4)).saturating_add(EACH);
        self.held = self.held.saturating_add(size);
        let limit = settings.memory() / HELD;
        if self.held > limit {
            let limit = size_text(limit);
            return Err(format!(
                "the values of the file take more than {limit}, an eighth of the memory limit; raise it with --max-memory"
            ));
        }
        let place = self.values.len();
        self.places.entry(found.key()).or_default().push(place);
        self.values.push(found);
        Ok(())
    }
}

/// Reads the values of a file. Values that cannot be read are reported, and their highest status is given.
pub fn read(file: &Path, given: &Settings, console: &mut Console) -> io::Result<Result<(Side, Status), Unreadable>> {
    // beside what is kept of both files
    let rest = (given.memory() / HELD).saturating_mul(HELD.saturating_sub(2));
    let formats = given.formats.clone().set("max_memory", rest);
    let settings = &Settings { formats: formats.unwrap_or_else(|_| given.formats.clone()), ..given.clone() };
    let mut side = Side::default();
    if file == Path::new(NO_FILE) {
        return Ok(Ok((side, Status::Fine)));
    }
    let opened = OpenFile::open(file, settings).and_then(|opened| match opened.document(settings)? {
        Ok(document) => Ok(Ok(document)),
        Err(mut opened) => {
            let kind = opened.container(settings)?;
            Ok(Err((opened, kind)))
        }
    });
    let (opened, kind) = match opened {
        Ok(Ok((format, input))) => {
            side.is_container = Some(false);
            return Ok(side.single(format, input, given));
        }
        Ok(Err(opened)) => opened,
        Err(unreadable) => return Ok(Err(unreadable)),
    };
    side.is_container = Some(kind.is_some() || formats::framing_of(settings).is_some());
    if let Some(kind) = kind {
        return match opened.open_container(kind, settings) {
            Ok(opened) => {
                let listed = side.list(kind, &*opened.container, &opened.name, (settings, given), console)?;
                let model = Some(opened).filter(|_| matches!(kind, ContainerKind::Model(_)));
                Ok(listed.map(|(side, status)| (Side { model, ..side }, status)))
            }
            Err(unreadable) => Ok(Err(unreadable)),
        };
    }
    let input = match opened.all_consuming() {
        Ok(input) => input,
        Err(unreadable) => return Ok(Err(unreadable)),
    };
    if let Some(framing) = formats::framing_of(settings) {
        let frames = FramedFile::new(input.bytes.as_slice(), framing);
        return side.list(ContainerKind::Frames(framing), &frames, &input.name, (settings, given), console);
    }
    Ok(match formats::chosen(settings, &input.bytes) {
        Ok(format) => side.single(format, input, given),
        Err((status, reason)) => Err(Unreadable(status, format!("{reason}\n  --> {}", input.name))),
    })
}

impl Side {
    /// The one value of a file.
    fn single(
        mut self,
        format: &'static dyn AnyFormat,
        input: Input,
        given: &Settings,
    ) -> Result<(Side, Status), Unreadable> {
        let Input { name, bytes, is_complete, start, .. } = input;
        let content = Content::Value(format, self.keep(&bytes));
        let found = Found {
            name: name.clone(),
            address: String::new(),
            origin: Origin::default(),
            content,
            is_complete,
            start,
        };
        match self.add(found, given) {
            Ok(()) => Ok((self, Status::Fine)),
            Err(reason) => Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {name}"))),
        }
    }

    /// Adds the values of a container.
    fn list(
        mut self,
        kind: ContainerKind,
        container: &dyn Container,
        file: &Name,
        (settings, given): (&Settings, &Settings),
        console: &mut Console,
    ) -> io::Result<Result<(Side, Status), Unreadable>> {
        let format = match formats::of_values(kind.formats(), container, settings) {
            Ok(format) => format,
            Err((status, reason)) => return Ok(Err(Unreadable(status, format!("{reason}\n  --> {file}")))),
        };
        let (mut highest, mut ended, mut full) = (Status::Fine, Ok(()), Ok(()));
        let listed = container.values(&mut |value| {
            let found = self.found(value, format, file, &mut |name, error| {
                highest = highest.max(status(error)).max(Status::Malformed);
                ended = console.error(format_args!("{}\n  --> {name}", error_text(error)));
            });
            full = self.add(found, given);
            if ended.is_ok() && full.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        ended?;
        console.warnings(file, &container.warnings())?;
        if let Err(reason) = full {
            return Ok(Err(Unreadable(Status::Malformed, format!("{reason}\n  --> {file}"))));
        }
        Ok(listed.map(|()| (self, highest)).map_err(|error| refused(file, &error)))
    }

    /// A value of a container.
    fn found(
        &mut self,
        value: Embedded<'_>,
        format: &'static dyn AnyFormat,
        file: &Name,
        report: &mut dyn FnMut(&Name, &ContainerError),
    ) -> Found {
        let text = value.address.to_string();
        // the usual property of an instance is not named
        let address = text.strip_suffix(" AttributesSerialize").unwrap_or(&text).to_owned();
        let name = file.at(&text);
        let members = value.address.members().iter().filter(|(name, _)| IDENTITY.contains(name)).cloned();
        let origin = Origin::of([("address", json!(address))].into_iter().chain(members).collect());
        let (is_complete, start) = (!value.is_open, value.start.unwrap_or(0));
        let content = match value.bytes {
            Err(error) => {
                report(&name, &error);
                Content::Unreadable
            }
            Ok(bytes) if !value.formats.is_empty() => Content::Value(format, self.keep(&bytes)),
            Ok(_) if !value.tags.is_empty() => Content::Tags(value.tags),
            Ok(bytes) => Content::Other(self.keep(&bytes)),
        };
        Found { name, address, origin, content, is_complete, start }
    }
}

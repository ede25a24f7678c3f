//! `enginewire diff`

mod shown;
mod side;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use enginewire::roblox::attributes::{Attributes, Value};
use serde::Serialize;
use serde_json::Value as Json;

use crate::exit_status::Status;
use crate::input::models::{self, Refusal};
use crate::output::console::Console;
use crate::output::escape::escaped_bytes;
use crate::output::name::BytesJson;
use crate::settings::Settings;
use shown::Shown;
use side::{merged, places_of, read, sorted, Content, Place, Side};

/// Compare the attributes of two files field by field; exit with 1 if they differ
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire diff old.rbxl new.rbxl
  enginewire diff fixtures/roblox-attributes/readable.bin fixtures/roblox-attributes/made-odd.bin")]
pub struct Args {
    /// First file: a blob of attributes, or a model or place file; `-` is standard input
    pub a: PathBuf,

    /// Second file
    pub b: PathBuf,

    /// Write JSON, one line per difference
    #[arg(long)]
    pub json: bool,
}

/// A step on the way to a field.
enum Step {
    Member(Cow<'static, str>),
    Index(usize),
}

/// A difference, as JSON.
#[derive(Serialize)]
struct Difference<'d> {
    instance: BytesJson<'d>,
    property: &'d str,
    key: BytesJson<'d>,
    field: String,
    a: Option<Shown<'d>>,
    b: Option<Shown<'d>>,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    if args.a == Path::new("-") && args.b == args.a {
        console.error("only one of the two files can be standard input")?;
        return Ok(Status::Usage);
    }
    let sides = read(&args.a, settings).and_then(|a| Ok((a, read(&args.b, settings)?)));
    let places = sides.as_ref().map_err(Clone::clone);
    let places = places.and_then(|(a, b)| Ok((places_of(a, settings)?, places_of(b, settings)?)));
    let (a, b) = match places {
        Ok(places) => places,
        Err((status, message)) => {
            console.error(message)?;
            return Ok(status);
        }
    };
    let mut comparison = Comparison { args, settings, console, highest: Status::Fine, field: Vec::new() };
    if let Ok((a, b)) = &sides {
        [a, b].into_iter().try_for_each(|side| comparison.problems(side))?;
    }
    let mut pairs = merged(&a, &b, |place| (&place.instance, place.property, place.number));
    pairs.try_for_each(|(a, b)| comparison.places(a, b))?;
    Ok(comparison.highest)
}

/// Where two values are compared.
#[derive(Clone, Copy)]
struct At<'a> {
    instance: &'a BStr,
    property: &'static str,
    key: &'a BStr,
}

/// Differences are written as they are found.
struct Comparison<'w> {
    args: &'w Args,
    settings: &'w Settings,
    console: &'w mut Console,
    highest: Status,
    /// The way to the field that is compared.
    field: Vec<Step>,
}

impl Comparison<'_> {
    fn error(&mut self, (status, message): Refusal) -> io::Result<()> {
        self.highest = self.highest.max(status);
        self.console.error(message)
    }

    /// Reports the errors of a file outside its values.
    fn problems(&mut self, side: &Side<'_>) -> io::Result<()> {
        let Content::Model(listing) = &side.file else { return Ok(()) };
        let refusals = listing.problems.iter();
        let mut refusals = refusals.map(|problem| (models::status(problem), models::refusal(side.path, problem).1));
        refusals.try_for_each(|refusal| self.error(refusal))
    }

    fn places(&mut self, a: Option<&Place<'_>>, b: Option<&Place<'_>>) -> io::Result<()> {
        let Some(place) = a.or(b) else { return Ok(()) };
        let [a_bytes, b_bytes] = [a, b].map(|place| place.and_then(|place| place.source.bytes()));
        let is_same = a_bytes.is_some() && a_bytes == b_bytes;
        let mut sides = Vec::new();
        for place in [a, b].into_iter().flatten() {
            let (attributes, error) = place.attributes(self.settings);
            error.map_or(Ok(()), |error| self.error(error))?;
            // of equal bytes, only errors are reported
            sides.push(if is_same { Attributes::new() } else { attributes });
        }
        let none = Attributes::new();
        let mut sides = sides.iter();
        let [a, b] = [a, b].map(|place| place.and_then(|_| sides.next()).unwrap_or(&none));
        for (a, b) in merged(&sorted(a), &sorted(b), |(key, number, _)| (*key, *number)) {
            let Some((key, ..)) = a.or(b) else { continue };
            let at = At { instance: place.instance.as_bstr(), property: place.property, key };
            match (a.map(|entry| &entry.2.value), b.map(|entry| &entry.2.value)) {
                (Some(a), Some(b)) if a.type_id() == b.type_id() => self.values(at, a, b)?,
                (a, b) => self.tell(at, a.map(Shown::Named), b.map(Shown::Named))?,
            }
        }
        Ok(())
    }

    /// Compares something within a step further.
    fn within(&mut self, step: Step, compare: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.field.push(step);
        let result = compare(self);
        self.field.pop();
        result
    }

    fn member(&mut self, name: &'static str, compare: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.within(Step::Member(name.into()), compare)
    }

    /// The fields in which two values of one type differ.
    fn values(&mut self, at: At<'_>, a: &Value<'_>, b: &Value<'_>) -> io::Result<()> {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).try_for_each(|index| {
                self.within(Step::Index(index), |this| match (a.get(index), b.get(index)) {
                    (Some(a), Some(b)) => this.typed(at, a, b),
                    (a, b) => this.tell(at, a.map(Shown::Typed), b.map(Shown::Typed)),
                })
            }),
            (Value::Dictionary(a), Value::Dictionary(b)) => (0..a.len().max(b.len())).try_for_each(|index| {
                self.within(Step::Index(index), |this| match (a.get(index), b.get(index)) {
                    (Some(a), Some(b)) => {
                        if a.key != b.key {
                            let [a, b] = [a, b].map(|entry| Some(Shown::Key(entry.key.as_bstr())));
                            this.member("key", |this| this.tell(at, a, b))?;
                        }
                        this.typed(at, &a.value, &b.value)
                    }
                    (a, b) => this.tell(at, a.map(Shown::Entry), b.map(Shown::Entry)),
                })
            }),
            (Value::NumberSequence(a), Value::NumberSequence(b)) => {
                let [a, b] = [a, b].map(|list| list.iter().map(Value::NumberSequenceKeypoint));
                self.keypoints(at, a, b)
            }
            (Value::ColorSequence(a), Value::ColorSequence(b)) => {
                let [a, b] = [a, b].map(|list| list.iter().map(Value::ColorSequenceKeypoint));
                self.keypoints(at, a, b)
            }
            (a, b) if a == b => Ok(()),
            (Value::String(_), Value::String(_)) => self.tell(at, Some(Shown::Bare(a)), Some(Shown::Bare(b))),
            (a, b) => self.json(at, &bare_json(a)?, &bare_json(b)?),
        }
    }

    fn typed(&mut self, at: At<'_>, a: &Value<'_>, b: &Value<'_>) -> io::Result<()> {
        if a.type_id() == b.type_id() {
            return self.member("value", |this| this.values(at, a, b));
        }
        let [a_name, b_name] = [a, b].map(|value| Some(Shown::Json(value.type_id().name().into())));
        self.member("type", |this| this.tell(at, a_name, b_name))?;
        self.member("value", |this| this.tell(at, Some(Shown::Bare(a)), Some(Shown::Bare(b))))
    }

    fn keypoints<'v>(
        &mut self,
        at: At<'_>,
        mut a: impl Iterator<Item = Value<'v>>,
        mut b: impl Iterator<Item = Value<'v>>,
    ) -> io::Result<()> {
        for index in 0usize.. {
            let pair = (a.next(), b.next());
            if matches!(pair, (None, None)) {
                break;
            }
            self.within(Step::Index(index), |this| match &pair {
                (Some(a), Some(b)) => this.values(at, a, b),
                (a, b) => this.tell(at, a.as_ref().map(Shown::Bare), b.as_ref().map(Shown::Bare)),
            })?;
        }
        Ok(())
    }

    /// The members in which two structures differ.
    fn json(&mut self, at: At<'_>, a: &Json, b: &Json) -> io::Result<()> {
        match (a, b) {
            (Json::Object(a_members), Json::Object(b_members)) if a_members.keys().eq(b_members.keys()) => {
                let mut members = a_members.iter().zip(b_members.values());
                members.try_for_each(|((name, a), b)| {
                    self.within(Step::Member(name.clone().into()), |this| this.json(at, a, b))
                })
            }
            (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
                let mut items = a.iter().zip(b).enumerate();
                items.try_for_each(|(index, (a, b))| self.within(Step::Index(index), |this| this.json(at, a, b)))
            }
            (a, b) if a == b => Ok(()),
            (a, b) => self.tell(at, Some(Shown::Json(a.clone())), Some(Shown::Json(b.clone()))),
        }
    }

    fn tell(&mut self, at: At<'_>, a: Option<Shown<'_>>, b: Option<Shown<'_>>) -> io::Result<()> {
        self.highest = self.highest.max(Status::Differs);
        let mut field = String::new();
        for step in &self.field {
            // text in memory can always be written
            let _ = match step {
                Step::Member(name) => write!(field, ".{name}"),
                Step::Index(index) => write!(field, "[{index}]"),
            };
        }
        let At { instance, property, key } = at;
        if self.args.json {
            let [instance, key] = [instance, key].map(BytesJson);
            serde_json::to_writer(self.console.out(), &Difference { instance, property, key, field, a, b })?;
            return writeln!(self.console.out());
        }
        let property = if property == "AttributesSerialize" { "" } else { property };
        let names = [instance.as_bytes(), property.as_bytes(), key.as_bytes()].into_iter();
        let names: Vec<_> = names.filter(|name| !name.is_empty()).map(escaped_bytes).collect();
        let place = format!("{}{field}", names.join(" "));
        match (a.map(|a| a.cut()), b.map(|b| b.cut())) {
            (Some(a), Some(b)) => writeln!(self.console.out(), "~ {place}: {a} -> {b}"),
            (Some(a), None) => writeln!(self.console.out(), "- {place}: {a}"),
            (None, b) => writeln!(self.console.out(), "+ {place}: {}", b.unwrap_or_default()),
        }
    }
}

/// A value of few parts, without its type.
fn bare_json(value: &Value<'_>) -> io::Result<Json> {
    let mut json = serde_json::to_value(value)?;
    Ok(json.get_mut("value").map(Json::take).unwrap_or_default())
}

//! `enginewire diff`

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display, Write as _};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use enginewire::roblox::attributes::{self, Attributes, Entry, Value};
use enginewire::roblox::model::{self, FileKind, Listing};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::args::{size_text, Common, Diff};
use crate::console::Console;
use crate::exit_status::Status;
use crate::formats::HEAD;
use crate::input;
use crate::models::{self, Refusal};
use crate::name::{shown, BytesJson};
use crate::text::{escaped_bytes, printable_json, SHOWN};

/// A file that is compared.
struct Side<'d> {
    path: &'d Path,
    file: Content,
}

enum Content {
    Blob(Vec<u8>),
    Model(Listing),
}

/// Attributes of a file: the path of their instance, the property, and which of several such.
struct Place<'s> {
    instance: BString,
    property: &'static str,
    number: usize,
    path: &'s Path,
    source: Source<'s>,
}

/// What attributes are read from.
#[derive(Clone, Copy)]
enum Source<'s> {
    Blob(&'s [u8]),
    /// A property of a file, by its number.
    Property(&'s Listing, usize),
}

/// A step on the way to a field.
enum Step {
    Member(Cow<'static, str>),
    Index(usize),
}

/// What is written of a value.
enum Shown<'v> {
    /// A value, after the name of its type.
    Named(&'v Value<'v>),
    /// A value without its type.
    Bare(&'v Value<'v>),
    Typed(&'v Value<'v>),
    Entry(&'v Entry<'v>),
    Key(&'v BStr),
    Json(Json),
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

pub fn run(args: &Diff, common: &Common, console: &mut Console<'_>) -> io::Result<Status> {
    if args.a == Path::new("-") && args.b == args.a {
        console.error("standard input can only be one of them")?;
        return Ok(Status::Usage);
    }
    let sides = read(&args.a, common).and_then(|a| Ok((a, read(&args.b, common)?)));
    let places = sides.as_ref().map_err(Clone::clone);
    let places = places.and_then(|(a, b)| Ok((places_of(a, common)?, places_of(b, common)?)));
    let (a, b) = match places {
        Ok(places) => places,
        Err((status, message)) => {
            console.error(message)?;
            return Ok(status);
        }
    };
    let mut comparison = Comparison { args, common, console, highest: Status::Fine, field: Vec::new() };
    if let Ok((a, b)) = &sides {
        [a, b].into_iter().try_for_each(|side| comparison.problems(side))?;
    }
    let mut pairs = merged(&a, &b, |place| (&place.instance, place.property, place.number));
    pairs.try_for_each(|(a, b)| comparison.places(a, b))?;
    Ok(comparison.highest)
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

/// A file, which takes no more than half of the memory.
fn read<'d>(path: &'d Path, common: &Common) -> Result<Side<'d>, Refusal> {
    let limit = common.memory() / 2;
    let options = models::options_within(limit, common);
    let whole = if input::is_stream(path) { Some(models::read(path, limit)?) } else { None };
    let is_model = match &whole {
        Some(bytes) => FileKind::of(bytes).is_some(),
        None => FileKind::of(&head(path)?).is_some(),
    };
    let file = match whole {
        Some(bytes) if is_model => {
            let listing = model::list_bytes(&bytes, &options.taken(bytes.len()));
            Content::Model(listing.map_err(|error| models::refusal(path, &error))?)
        }
        None if is_model => Content::Model(models::list(path, &options, limit)?),
        Some(bytes) => Content::Blob(bytes),
        None => Content::Blob(models::read(path, limit)?),
    };
    Ok(Side { path, file })
}

/// Where a file has attributes, in order.
fn places_of<'s>(side: &'s Side<'_>, common: &Common) -> Result<Vec<Place<'s>>, Refusal> {
    let listing = match &side.file {
        Content::Blob(bytes) => {
            let source = Source::Blob(bytes);
            let property = "AttributesSerialize";
            return Ok(vec![Place { instance: BString::default(), property, number: 0, path: side.path, source }]);
        }
        Content::Model(listing) => listing,
    };
    let limit = common.memory() / 8;
    let mut taken = 0usize;
    let mut places = Vec::new();
    let (_, over) = models::within(listing, common.memory());
    if let Some(reason) = over {
        return Err((Status::Malformed, format!("{reason}\n  --> {}", shown(side.path))));
    }
    let properties = listing.properties().enumerate();
    for (index, property) in properties.filter(|(_, property)| models::is_attributes(listing, property)) {
        let instance = listing.path(property.instance);
        taken = taken.saturating_add(instance.len()).saturating_add(size_of::<Place<'_>>());
        if taken > limit {
            let reason = format!("the paths of its instances take more memory than {}", size_text(limit));
            let message =
                format!("{reason}, an eighth of the limit; --max-memory allows more\n  --> {}", shown(side.path));
            return Err((Status::Malformed, message));
        }
        let name = property.kind.name();
        let source = Source::Property(listing, index);
        places.push(Place { instance, property: name, number: 0, path: side.path, source });
    }
    places.sort_by(|a, b| (&a.instance, a.property).cmp(&(&b.instance, b.property)));
    number(&mut places, |a, b| (&a.instance, a.property) == (&b.instance, b.property), |place| &mut place.number);
    Ok(places)
}

/// Numbers those that are the same, one after the other.
fn number<T>(items: &mut [T], is_same: impl Fn(&T, &T) -> bool, number: impl Fn(&mut T) -> &mut usize) {
    for group in items.chunk_by_mut(is_same) {
        group.iter_mut().enumerate().for_each(|(index, item)| *number(item) = index);
    }
}

/// Pairs of what is in both of two sorted lists, and what is in one only, in order.
fn merged<'m, T, K: Ord>(
    a: &'m [T],
    b: &'m [T],
    key: impl Fn(&'m T) -> K,
) -> impl Iterator<Item = (Option<&'m T>, Option<&'m T>)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => key(a).cmp(&key(b)),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let pair = (if order.is_le() { a.next() } else { None }, if order.is_ge() { b.next() } else { None });
        (pair.0.is_some() || pair.1.is_some()).then_some(pair)
    })
}

/// Entries by their keys, and by which of several such they are.
fn sorted<'e>(attributes: &'e Attributes<'_>) -> Vec<(&'e BStr, usize, &'e Entry<'e>)> {
    let mut entries: Vec<_> = attributes.iter().map(|entry| (entry.key.as_bstr(), 0, entry)).collect();
    entries.sort_by_key(|(key, ..)| *key);
    number(&mut entries, |a, b| a.0 == b.0, |entry| &mut entry.1);
    entries
}

impl<'s> Source<'s> {
    fn bytes(self) -> Option<&'s [u8]> {
        match self {
            Source::Blob(bytes) => Some(bytes),
            Source::Property(listing, index) => listing.property_at(index)?.bytes.ok().map(|bytes| bytes.as_ref()),
        }
    }
}

impl<'s> Place<'s> {
    /// What can be read, and what is wrong with the rest.
    fn attributes(&self, common: &Common) -> (Attributes<'s>, Option<Refusal>) {
        let file = shown(self.path);
        match self.source {
            Source::Blob(bytes) => {
                let partial = attributes::decode_partial(bytes, &models::attribute_options(common));
                let refusal = |error: enginewire::DecodeError| {
                    (Status::from(&error), error.report(&file.to_string(), bytes).to_string())
                };
                (partial.attributes, partial.error.map(refusal))
            }
            Source::Property(listing, index) => {
                let Some(property) = listing.property_at(index) else { return (Attributes::new(), None) };
                let (attributes, error) = models::partial(&property, common);
                let refusal = |(message, _)| {
                    let place = models::name(listing, &property);
                    (Status::Malformed, format!("{message}\n  --> {file}: {place}"))
                };
                (attributes, error.map(refusal))
            }
        }
    }
}

/// Where two values are compared.
#[derive(Clone, Copy)]
struct At<'a> {
    instance: &'a BStr,
    property: &'static str,
    key: &'a BStr,
}

/// Differences are written as they are found.
struct Comparison<'w, 'c> {
    args: &'w Diff,
    common: &'w Common,
    console: &'w mut Console<'c>,
    highest: Status,
    /// The way to the field that is compared.
    field: Vec<Step>,
}

impl Comparison<'_, '_> {
    fn error(&mut self, (status, message): Refusal) -> io::Result<()> {
        self.highest = self.highest.max(status);
        self.console.error(message)
    }

    /// What is wrong with a file besides its values.
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
            let (attributes, error) = place.attributes(self.common);
            error.map_or(Ok(()), |error| self.error(error))?;
            // of what is the same, only what is wrong with it is told
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

impl Shown<'_> {
    /// Its beginning, for people.
    fn cut(&self) -> String {
        struct Cut(String);
        impl fmt::Write for Cut {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let room = SHOWN.saturating_sub(self.0.len());
                if text.len() <= room {
                    self.0.push_str(text);
                    return Ok(());
                }
                let fits = (0..=room).rev().find_map(|end| text.get(..end));
                self.0.push_str(fits.unwrap_or_default());
                self.0.push('…');
                Err(fmt::Error)
            }
        }
        let mut cut = Cut(String::new());
        // the only error is our own: it was cut
        let _ = write!(cut, "{self}");
        printable_json(&cut.0).into_owned()
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Named(value) => {
                write!(f, "{} ", value.type_id().name())?;
                Shown::Bare(value).fmt(f)
            }
            Shown::Bare(value) => {
                let head = format!(r#"{{"type":"{}","value":"#, value.type_id().name()).len();
                json(&mut JsonText { out: f, skip: head, last: None }, value)
            }
            Shown::Typed(value) => whole_json(f, value),
            Shown::Entry(entry) => whole_json(f, entry),
            Shown::Key(key) => whole_json(f, &BytesJson(key)),
            Shown::Json(value) => whole_json(f, value),
        }
    }
}

/// The text of a value may be long, so that it is written as it comes.
impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// JSON without its first bytes, and without the last.
struct JsonText<'t, 'f> {
    out: &'t mut fmt::Formatter<'f>,
    skip: usize,
    last: Option<String>,
}

impl io::Write for JsonText<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let kept = text.get(self.skip.min(text.len())..).unwrap_or_default();
        self.skip = self.skip.saturating_sub(text.len());
        if !kept.is_empty() {
            if let Some(last) = self.last.replace(kept.to_owned()) {
                self.out.write_str(&last).map_err(io::Error::other)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same, all of it.
struct WholeText<'t, 'f>(&'t mut fmt::Formatter<'f>);

impl io::Write for WholeText<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn whole_json(f: &mut fmt::Formatter<'_>, value: &impl Serialize) -> fmt::Result {
    serde_json::to_writer(WholeText(f), value).map_err(|_| fmt::Error)
}

fn json(text: &mut JsonText<'_, '_>, value: &Value<'_>) -> fmt::Result {
    serde_json::to_writer(&mut *text, value).map_err(|_| fmt::Error)?;
    let last = text.last.take().unwrap_or_default();
    text.out.write_str(last.strip_suffix('}').unwrap_or(&last))
}

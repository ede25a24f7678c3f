//! `enginewire diff`

mod side;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::RandomState;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire::formats::{at as value_at, AnyFormat, Node, Notation, Plain, Step, ValuePath};
use enginewire::DecodeError;
use serde::Serialize;
use serde_json::{json, Value};

use crate::exit_status::{refuse_if, usage, Done, Failure, Status};
use crate::files::atomic_write::is_standard;
use crate::files::read::may_exceed;
use crate::files::walk;
use crate::formats;
use crate::input::containers::Origin;
use crate::output::console::Console;
use crate::output::escape::{escaped, escaped_within, SHOWN};
use crate::output::name::{shown, Name};
use crate::output::text::{number, thousands};
use crate::output::theme::{ADDED, CHANGED, PLAIN, REMOVED};
use crate::settings::Settings;
use side::{each_pair, hash, read, Content, Differing, Found, Share, Side, HELD, NO_FILE};

/// Compare the values of two files or folders; exit with 1 if they differ
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../../help/diff.txt"))]
pub struct Args {
    /// First file: a value, a container, or a JSON document; `-` is standard input
    pub a: PathBuf,

    /// Second file. Of two folders, the files with the same path in both are compared
    pub b: PathBuf,

    /// The other arguments that git gives a diff command
    #[arg(hide = true)]
    pub git: Vec<OsString>,

    /// Write JSON, one line per difference
    #[arg(long)]
    pub json: bool,

    /// Only count the differences of each file
    #[arg(long)]
    pub stat: bool,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    let (a, b) = match &args.git[..] {
        [] => (&*args.a, &*args.b),
        // PATH OLD-FILE OLD-HASH OLD-MODE NEW-FILE NEW-HASH NEW-MODE, and two more for a file that was renamed
        [_, _, new, _, _] | [_, _, new, _, _, _, _] => {
            writeln!(console.out(), "{}", escaped(args.a.display()))?;
            let done = compare(args, (&args.b, Path::new(new)), None, settings, console);
            console.told_or(done, Compared::failed)?;
            // git takes any other status for a failure and stops, though the next files could be compared
            return Ok(Status::Fine);
        }
        _ => return Err(usage("expected two files, or the seven arguments that git gives a diff command").into()),
    };
    refuse_if([a, b].iter().all(|file| is_standard(file)), "only one of the two files can be standard input")?;
    if a.is_dir() && b.is_dir() {
        return folders(args, a, b, settings, console);
    }
    // the namesake of a file in a folder
    let namesake = |folder: &Path, file: &Path| match file.file_name() {
        Some(name) if folder.is_dir() => folder.join(name),
        _ => folder.to_owned(),
    };
    let (a, b) = (namesake(a, b), namesake(b, a));
    let Compared { status, are_models, .. } = compare(args, (&a, &b), None, settings, console)?;
    if are_models && status == Status::Fine {
        console
            .remark("no difference: instances, attributes and tags were compared by their paths, and nothing else")?;
    }
    Ok(status)
}

/// Writes the differences between two folders: between the files with the same path in both, and which files only one of them
/// has.
fn folders(args: &Args, a: &Path, b: &Path, settings: &Settings, console: &mut Console) -> Done {
    let (mut highest, mut paths) = (Status::Fine, BTreeSet::new());
    for folder in [a, b] {
        for file in settings.walk.files([Ok(folder.to_owned())].into_iter(), false, |_| true) {
            match file.map_err(walk::refused) {
                Ok(file) => paths.extend(file.strip_prefix(folder).map(Path::to_owned)),
                Err((_, refusal)) => highest = highest.max(console.refused(refusal)?),
            }
        }
    }
    let (count, mut differ, mut broken) = (paths.len(), 0usize, 0usize);
    for path in &paths {
        let [a, b] = [a, b].map(|folder| Some(folder.join(path)).filter(|file| file.exists()));
        let [a, b] = [&a, &b].map(|file| file.as_deref().unwrap_or(Path::new(NO_FILE)));
        let done = match [a, b].iter().any(|file| file.exists() && walk::is_wanted(file, settings)) {
            true => compare(args, (a, b), Some(path), settings, console),
            false => others(args, (a, b), path, console),
        };
        let Compared { status, differs, .. } = console.told_or(done, Compared::failed)?;
        highest = highest.max(status);
        differ = differ.saturating_add(usize::from(differs));
        broken = broken.saturating_add(usize::from(status > Status::Differs));
    }
    let broken = if broken > 0 { format!("; {} with an error", thousands(broken)) } else { String::new() };
    console.remark(format_args!("files that differ: {} of {}{broken}", thousands(differ), thousands(count)))?;
    Ok(highest)
}

/// The result for two files.
struct Compared {
    status: Status,
    are_models: bool,
    differs: bool,
}

impl Compared {
    fn failed(status: Status) -> Self {
        Compared { status, are_models: false, differs: false }
    }
}

/// Compares the bytes of two files that are not recognised.
fn others(args: &Args, (a, b): (&Path, &Path), path: &Path, console: &mut Console) -> Result<Compared, Failure> {
    let is_in_both = [a, b].iter().all(|file| *file != Path::new(NO_FILE));
    let unreadable = |error: io::Error| Status::Io.because(format!("cannot read {}: {error}", shown(path)));
    let differs = !is_in_both || !have_same_bytes(a, b).map_err(unreadable)?;
    let how = if is_in_both { "its bytes differ" } else { "only one of the folders has it" };
    match (differs, args.json) {
        (false, _) => {}
        (_, true) => writeln!(console.out(), "{}", json!({ "file": Name::new(path), "other": how }))?,
        _ => writeln!(console.out(), "{}: not recognised, and {how}", shown(path))?,
    }
    let status = if differs { Status::Differs } else { Status::Fine };
    Ok(Compared { status, are_models: false, differs })
}

/// Returns true for two regular files with the same bytes. Another kind of file can be read only once.
fn have_same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let [of_a, of_b] = [fs::metadata(a)?, fs::metadata(b)?].map(|file| file.is_file().then_some(file.len()));
    if of_a.is_none() || of_a != of_b {
        return Ok(false);
    }
    let [mut a, mut b] = [File::open(a)?, File::open(b)?].map(|file| BufReader::with_capacity(1 << 16, file));
    loop {
        let [one, other] = [a.fill_buf()?, b.fill_buf()?];
        let length = one.len().min(other.len());
        if length == 0 || one.get(..length) != other.get(..length) {
            return Ok(one.is_empty() && other.is_empty());
        }
        a.consume(length);
        b.consume(length);
    }
}

/// Writes the differences between two files, with their path in two folders before them.
fn compare(
    args: &Args,
    files: (&Path, &Path),
    path: Option<&Path>,
    settings: &Settings,
    console: &mut Console,
) -> Result<Compared, Failure> {
    let mut highest = Status::Fine;
    let (mut sides, hasher, mut share) = (Vec::new(), RandomState::new(), Share::ALL);
    for file in [files.0, files.1] {
        let read = read(file, settings, &hasher, &mut share, console).map(|(side, status)| (Some(side), status));
        let (side, status) = console.told_or(read, |status| (None, status))?;
        let is_clean = side.as_ref().is_some_and(Side::is_clean_model);
        sides.extend(side);
        highest = highest.max(status);
        if is_clean && sides.len() == 1 && have_same_bytes(files.0, files.1).unwrap_or(false) {
            return Ok(Compared { status: highest, are_models: true, differs: false });
        }
    }
    let [a, b] = &mut sides[..] else { return Ok(Compared::failed(highest)) };
    if let (Some(a), Some(b)) = (a.is_container(), b.is_container())
        && a != b
    {
        let reason = "one of the files is a container and the other a single value; give two of a kind";
        return Err(path.into_iter().fold(usage(reason), |refusal, path| refusal.at(shown(path))).into());
    }
    let mut differing = Differing::default();
    a.keep(share);
    loop {
        differing.add(a, b, settings)?;
        share.number = share.number.saturating_add(1);
        if share.number >= share.of {
            break;
        }
        a.next(settings, &hasher, share)?;
        b.next(settings, &hasher, share)?;
    }
    let (a, b) = (&*a, &*b);
    let (file, counts) = (path.map(Name::new), Counts::default());
    let mut comparison = Comparison { args, settings, console, highest, told_formats: false, file, counts };
    let are_models = comparison.instances(a, b, &mut differing, &hasher)?;
    comparison.sides(a, b, differing)?;
    comparison.count(path.unwrap_or(files.1))?;
    let Counts { removed, added, changed } = comparison.counts;
    let differs = [removed, added, changed].iter().any(|count| *count > 0);
    Ok(Compared { status: comparison.highest, are_models, differs })
}

/// A value that differs: its address, and the path to it.
struct At<'a> {
    found: &'a Found,
    path: Vec<Step>,
    notation: Notation,
}

/// A value as it is shown.
#[derive(Serialize)]
struct Text {
    #[serde(rename = "type")]
    type_name: &'static str,
    text: String,
}

impl Text {
    fn of(node: &dyn Node, notation: Notation) -> Self {
        Text { type_name: node.type_name(notation), text: node.text(notation) }
    }
}

/// The most items of a packed array that are shown one by one, and the longest text of one that is looked into.
const ITEMS: usize = 16;
const LONGEST: usize = 1 << 20;

/// The items of two packed arrays of one length that differ; none if they are something else, or too many differ.
fn changed_items(a: &dyn Node, b: &dyn Node, notation: Notation) -> Vec<(Step, [Text; 2])> {
    let json = |node| serde_json::to_value(Plain::new(node, notation));
    let (Ok(Value::Array(a_items)), Ok(Value::Array(b_items))) = (json(a), json(b)) else { return Vec::new() };
    let numbers = a_items.iter().zip(&b_items).enumerate().filter(|(_, (a, b))| a != b).map(|(number, _)| number);
    let numbers: Vec<_> = numbers.take(ITEMS.saturating_add(1)).collect();
    if numbers.len() > ITEMS || a_items.len() != b_items.len() {
        return Vec::new();
    }
    let item = |number: &usize| {
        let path = ValuePath(vec![Step::index(*number)]);
        let [a, b] = [a, b].map(|node| Some(Text::of(&*value_at(node, &path, notation).ok()?, notation)));
        Some((Step::index(*number), [a?, b?]))
    };
    numbers.iter().map(item).collect::<Option<_>>().unwrap_or_default()
}

/// The number of differences of each kind.
#[derive(Debug, Default, Serialize)]
struct Counts {
    removed: u64,
    added: u64,
    changed: u64,
}

/// A difference, as JSON.
#[derive(Serialize)]
struct Difference<'d> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'d Name>,
    #[serde(flatten)]
    origin: &'d Origin<'d>,
    path: String,
    a: Option<Text>,
    b: Option<Text>,
}

/// Differences are written as they are found.
struct Comparison<'w> {
    args: &'w Args,
    settings: &'w Settings,
    console: &'w mut Console,
    highest: Status,
    /// True once a message says that the files have two formats.
    told_formats: bool,
    /// The path of the files in two folders.
    file: Option<Name>,
    counts: Counts,
}

impl Comparison<'_> {
    /// Tells which instances are in one of two models only, and gives whether they are two models.
    fn instances(&mut self, a: &Side, b: &Side, differing: &mut Differing, hasher: &RandomState) -> io::Result<bool> {
        if !(a.is_model() && b.is_model()) {
            return Ok(false);
        }
        for ((side, is_removed), gone) in [(a, true), (b, false)].into_iter().zip(&mut differing.instances) {
            if gone.is_empty() {
                continue;
            }
            gone.sort_unstable();
            let mut done = Ok(());
            // it was read before
            let _ = side.instances(self.settings, &mut |path, class| {
                if gone.binary_search(&hash(path, hasher)).is_ok() {
                    done = self.instance(&path.to_string(), class, is_removed);
                }
                if done.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            done?;
        }
        Ok(true)
    }

    /// An instance that one file has.
    fn instance(&mut self, path: &str, class: &str, is_removed: bool) -> io::Result<()> {
        let origin = Origin::of(vec![("address", json!(path)), ("instance", json!(path)), ("class", json!(class))]);
        let text = Some(Text { type_name: "instance", text: class.to_owned() });
        let (a, b) = if is_removed { (text, None) } else { (None, text) };
        self.write(&origin, String::new(), (a, b), &mut |_, _| escaped(path))
    }

    /// First what is in the first file, in its order, and then what is in the second only.
    fn sides(&mut self, a: &Side, b: &Side, differing: Differing) -> io::Result<()> {
        let compared = each_pair(differing, (a, b), self.settings, &mut |a, b| match (a, b) {
            (Some(a), Some(b)) => self.pair(a, b),
            (Some(a), None) => self.only(a, true),
            (None, Some(b)) => self.only(b, false),
            (None, None) => Ok(()),
        });
        self.highest = self.highest.max(self.console.told(compared.map(|()| Status::Fine))?);
        Ok(())
    }

    /// A value that both files have.
    fn pair(&mut self, a: &Found, b: &Found) -> io::Result<()> {
        match (&a.content, &b.content) {
            // that was reported
            (Content::Unreadable, _) | (_, Content::Unreadable) => Ok(()),
            (Content::Value(a_format, a_bytes), Content::Value(b_format, b_bytes)) => {
                let is_same = a_format.name() == b_format.name();
                if !is_same {
                    self.formats(a, *a_format, *b_format)?;
                    // values of two versions are compared as those of the second
                    if a_format.notation_name() != b_format.notation_name() {
                        return Ok(());
                    }
                }
                let notation = b_format.notation();
                if is_same && a_bytes == b_bytes {
                    return self.check(a, *a_format, a_bytes).map(drop);
                }
                // the errors of both are reported
                if !(self.check(a, *a_format, a_bytes)? & self.check(b, *b_format, b_bytes)?) {
                    return Ok(());
                }
                self.visit(a, *a_format, a_bytes, &mut |this, a_node| {
                    this.visit(b, *b_format, b_bytes, &mut |this, b_node| {
                        this.nodes(&mut At { found: a, path: Vec::new(), notation }, a_node, b_node)
                    })
                })
            }
            (Content::Tags(a_tags), Content::Tags(b_tags)) => {
                for tag in a_tags.iter().filter(|tag| !b_tags.contains(tag)) {
                    self.tell(a, &[], Some(tag_text(tag)), None)?;
                }
                for tag in b_tags.iter().filter(|tag| !a_tags.contains(tag)) {
                    self.tell(b, &[], None, Some(tag_text(tag)))?;
                }
                Ok(())
            }
            (Content::Other(a_bytes), Content::Other(b_bytes)) if a_bytes == b_bytes => Ok(()),
            (Content::Other(a_bytes), Content::Other(b_bytes)) => {
                if let (Some(of_a), Some(of_b)) = (a.inside(self.settings), b.inside(self.settings)) {
                    return self.entries(&of_a, &of_b);
                }
                self.tell(a, &[], Some(bytes_text(a_bytes)), Some(bytes_text(b_bytes)))
            }
            _ => {
                self.only(a, true)?;
                self.only(b, false)
            }
        }
    }

    /// The values of a file in two packs.
    fn entries(&mut self, a: &[Found], b: &[Found]) -> io::Result<()> {
        for one in a {
            match b.iter().find(|other| other.address == one.address) {
                Some(other) => self.pair(one, other)?,
                None => self.only(one, true)?,
            }
        }
        b.iter()
            .filter(|other| !a.iter().any(|one| one.address == other.address))
            .try_for_each(|other| self.only(other, false))
    }

    /// Tells that the values of the files have two formats, once for all of them.
    fn formats(&mut self, a: &Found, of_a: &dyn AnyFormat, of_b: &dyn AnyFormat) -> io::Result<()> {
        if std::mem::replace(&mut self.told_formats, true) {
            return Ok(());
        }
        let name = |format: &dyn AnyFormat| Text { type_name: "format", text: format.name().to_owned() };
        let (name_of_a, name_of_b) = (name(of_a), name(of_b));
        let (origin, content) = (Origin::default(), Content::Unreadable);
        let file = Found { name: a.name.clone(), address: String::new(), origin, content, is_complete: true, start: 0 };
        self.tell(&file, &[], Some(name_of_a), Some(name_of_b))
    }

    /// A value that one file has.
    fn only(&mut self, found: &Found, is_removed: bool) -> io::Result<()> {
        match &found.content {
            Content::Unreadable => Ok(()),
            Content::Value(format, bytes) => self.visit(found, *format, bytes, &mut |this, node| {
                this.items(&mut At { found, path: Vec::new(), notation: format.notation() }, node, is_removed)
            }),
            Content::Tags(tags) => tags.iter().try_for_each(|tag| self.one(found, &[], tag_text(tag), is_removed)),
            Content::Other(bytes) => self.one(found, &[], bytes_text(bytes), is_removed),
        }
    }

    /// Calls `work` with a value, if it can be decoded.
    fn visit(
        &mut self,
        found: &Found,
        format: &dyn AnyFormat,
        bytes: &[u8],
        work: &mut dyn FnMut(&mut Self, &dyn Node) -> io::Result<()>,
    ) -> io::Result<()> {
        // two values are decoded at once, beside what is kept of both files
        let limit = (self.settings.memory() / HELD).saturating_mul(HELD.saturating_sub(2)) / 2;
        if let Some(reason) = may_exceed(bytes, limit).filter(|_| !found.address.is_empty()) {
            self.highest = self.highest.max(Status::Malformed);
            return self.console.refused(Status::Malformed.because(reason).at(&found.name)).map(drop);
        }
        let options = self.settings.formats.clone();
        let mut done = Ok(());
        match format.visit(bytes, &options, &mut |node| done = work(self, node)) {
            Ok(()) => done,
            Err(error) => self.report(found, format, bytes, error),
        }
    }

    /// Returns true if a value is valid. Otherwise, reports its error.
    fn check(&mut self, found: &Found, format: &dyn AnyFormat, bytes: &[u8]) -> io::Result<bool> {
        let options = self.settings.formats.clone();
        // the frame around it was read already
        let options = options.set("framing", "none").unwrap_or_else(|_| self.settings.formats.clone());
        match format.check(bytes, &options) {
            Ok(_) => Ok(true),
            Err(error) => self.report(found, format, bytes, error).map(|()| false),
        }
    }

    fn report(&mut self, found: &Found, format: &dyn AnyFormat, bytes: &[u8], error: DecodeError) -> io::Result<()> {
        let error = if found.is_complete { error.of_complete_input() } else { error };
        self.highest = self.highest.max(Status::from(&error));
        let report = error.report_from(&found.name.to_string(), bytes, found.start).to_string();
        self.console.error(match found.address.is_empty() {
            true => formats::with_advice(report, bytes, format, self.settings),
            false => formats::with_other_format(report, bytes, format),
        })
    }

    /// The differences between two values.
    fn nodes(&mut self, at: &mut At<'_>, a: &dyn Node, b: &dyn Node) -> io::Result<()> {
        let notation = at.notation;
        let is_like =
            a.type_name(notation) == b.type_name(notation) && a.without_items(notation) == b.without_items(notation);
        if !is_like && a.type_name(notation).is_empty() && b.type_name(notation).is_empty() {
            // what is beside the values of a file
            let beside = |node: &dyn Node| Some(Text { type_name: "", text: node.without_items(notation) });
            self.tell(at.found, &at.path, beside(a), beside(b))?;
        } else if !is_like {
            let typed = Notation { typed: true, ..notation };
            return self.tell(at.found, &at.path, Some(Text::of(a, typed)), Some(Text::of(b, typed)));
        }
        if let (Some(a_length), Some(b_length)) = (a.list_length(), b.list_length()) {
            return (0..a_length.max(b_length))
                .try_for_each(|number| self.item(at, Step::index(number), a.item(number), b.item(number)));
        }
        let (a_steps, b_steps) = (a.steps(notation), b.steps(notation));
        if a_steps.is_empty() && b_steps.is_empty() {
            let [a_text, b_text] = [a, b].map(|node| Text::of(node, notation));
            if a_text.text == b_text.text {
                return Ok(());
            }
            let is_short = a_text.text.len().max(b_text.text.len()) < LONGEST;
            let items = if is_short { changed_items(a, b, notation) } else { Vec::new() };
            if items.is_empty() {
                return self.tell(at.found, &at.path, Some(a_text), Some(b_text));
            }
            for (step, [a, b]) in items {
                at.path.push(step);
                let done = self.tell(at.found, &at.path, Some(a), Some(b));
                at.path.pop();
                done?;
            }
            return Ok(());
        }
        let of = |steps: &[Step]| -> HashMap<Step, usize> { steps.iter().cloned().zip(0..).collect() };
        let places = of(&b_steps);
        for (number, step) in a_steps.iter().enumerate() {
            let other = places.get(step).and_then(|place| b.item(*place));
            self.item(at, step.clone(), a.item(number), other)?;
        }
        let places = of(&a_steps);
        for (number, step) in b_steps.into_iter().enumerate() {
            if !places.contains_key(&step) {
                self.item(at, step, None, b.item(number))?;
            }
        }
        Ok(())
    }

    /// The differences between two values that a step leads to.
    fn item(&mut self, at: &mut At<'_>, step: Step, a: Option<&dyn Node>, b: Option<&dyn Node>) -> io::Result<()> {
        at.path.push(step);
        let done = match (a, b) {
            (Some(a), Some(b)) => self.nodes(at, a, b),
            (Some(a), None) => self.items(at, a, true),
            (None, Some(b)) => self.items(at, b, false),
            (None, None) => Ok(()),
        };
        at.path.pop();
        done
    }

    /// A value that only one side has. For a list that is not a value, the values in it.
    fn items(&mut self, at: &mut At<'_>, node: &dyn Node, is_removed: bool) -> io::Result<()> {
        let notation = at.notation;
        if !node.type_name(notation).is_empty() {
            let text = Text::of(node, Notation { typed: true, ..notation });
            return self.one(at.found, &at.path, text, is_removed);
        }
        for (number, step) in node.steps(notation).into_iter().enumerate() {
            let Some(item) = node.item(number) else { continue };
            at.path.push(step);
            let done = self.items(at, item, is_removed);
            at.path.pop();
            done?;
        }
        Ok(())
    }

    fn one(&mut self, found: &Found, path: &[Step], text: Text, is_removed: bool) -> io::Result<()> {
        match is_removed {
            true => self.tell(found, path, Some(text), None),
            false => self.tell(found, path, None, Some(text)),
        }
    }

    /// A difference of two values.
    fn tell(&mut self, found: &Found, path: &[Step], a: Option<Text>, b: Option<Text>) -> io::Result<()> {
        let path = ValuePath(path.to_vec()).to_string();
        let place = [&found.address, &path].into_iter().filter(|part| !part.is_empty());
        let place = place.map(|part| escaped_within(part.as_bytes(), SHOWN)).collect::<Vec<_>>().join(" ");
        let separator = if place.is_empty() { "" } else { ": " };
        self.write(&found.origin, path, (a, b), &mut |a, b| {
            let cut = |text: &Text| escaped_within(text.text.as_bytes(), SHOWN);
            let texts: Vec<_> = [a, b].into_iter().flatten().map(cut).collect();
            format!("{place}{separator}{}", texts.join(" -> "))
        })
    }

    /// Writes a difference, as JSON or as a line of this text.
    fn write(
        &mut self,
        origin: &Origin<'_>,
        path: String,
        (a, b): (Option<Text>, Option<Text>),
        text: &mut dyn FnMut(Option<&Text>, Option<&Text>) -> String,
    ) -> io::Result<()> {
        self.highest = self.highest.max(Status::Differs);
        let Counts { removed, added, changed } = &mut self.counts;
        let (style, sign, count) = match (&a, &b) {
            (Some(_), Some(_)) => (CHANGED, '~', changed),
            (Some(_), None) => (REMOVED, '-', removed),
            (None, _) => (ADDED, '+', added),
        };
        *count = count.saturating_add(1);
        if self.args.stat {
            return Ok(());
        }
        if self.args.json {
            let row = Difference { file: self.file.as_ref(), origin, path, a, b };
            return writeln!(self.console.out(), "{}", serde_json::to_string(&row)?);
        }
        if let Some(file) = self.file.take() {
            writeln!(self.console.out(), "{file}:")?;
        }
        let line = text(a.as_ref(), b.as_ref());
        let style = if self.console.is_styled() { style } else { PLAIN };
        writeln!(self.console.out(), "{style}{sign} {line}{style:#}")
    }

    /// Writes the number of differences, if it is asked for.
    fn count(&mut self, file: &Path) -> io::Result<()> {
        #[derive(Serialize)]
        struct Row<'r> {
            file: &'r Name,
            #[serde(flatten)]
            counts: &'r Counts,
        }
        let (file, Counts { removed, added, changed }) = (&Name::new(file), &self.counts);
        if !self.args.stat || (*removed, *added, *changed) == (0, 0, 0) {
            return Ok(());
        }
        if self.args.json {
            let row = serde_json::to_string(&Row { file, counts: &self.counts })?;
            return writeln!(self.console.out(), "{row}");
        }
        let counts = [(changed, "changed"), (added, "added"), (removed, "removed")].into_iter();
        let counts = counts.filter(|(count, _)| **count > 0);
        let counts: Vec<_> = counts.map(|(count, what)| format!("{} {what}", thousands(*count))).collect();
        writeln!(self.console.out(), "{file}: {}", counts.join(", "))
    }
}

fn tag_text(tag: &str) -> Text {
    Text { type_name: "tag", text: tag.to_owned() }
}

fn bytes_text(bytes: &[u8]) -> Text {
    Text { type_name: "bytes", text: number(bytes.len(), "byte") }
}

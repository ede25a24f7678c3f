//! `enginewire check --fix`: broken values are replaced by what can be read of them, by nothing, or by other bytes.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire::formats::AnyFormat;
use enginewire::DecodeError;
use enginewire_files::address::{Address, Syntax};
use enginewire_files::containers::{Container, ContainerError, ContainerKind};
use enginewire_files::roblox::model::Kind;

use crate::changes::to_change::{Addressed, ChangedValues, FileToChange, Values};
use crate::commands::check;
use crate::exit_status::{refuse_if, usage, Done, Failure, Placed, Refusal, Status};
use crate::files::destination::Destination;
use crate::files::read::{is_pack, may_exceed};
use crate::files::walk;
use crate::formats;
use crate::input::containers::more;
use crate::input::each;
use crate::input::models;
use crate::input::opened::OpenFile;
use crate::input::wanted::Wanted;
use crate::output::console::Console;
use crate::output::escape::{escaped, escaped_within};
use crate::output::name::shown;
use crate::output::text::number;
use crate::settings::Settings;
use crate::size::size_text;

/// The arguments of `check --fix`.
struct Args<'a> {
    file: PathBuf,
    address: Option<String>,
    /// `cut`, `clear`, or a file with the bytes.
    how: &'a Path,
    destination: &'a Destination,
}

/// The maximum number of bytes shown of the value that `--fix cut` keeps.
const SHOWN_CUT: usize = 200;

/// The replacement for a broken value.
enum Choice {
    /// The readable part.
    Cut,
    /// A value that holds nothing.
    Clear,
    /// These bytes.
    With(Vec<u8>),
}

/// A broken value: its error, and its readable part.
struct Broken {
    refusal: Refusal,
    /// The valid value before the error, if any.
    cut: Option<Vec<u8>>,
    /// True if it is known to be broken. A value that a limit keeps from being read may be intact.
    is_known: bool,
}

/// A function called with each broken value, its address and its format, until it returns false.
type Work<'w> = &'w mut dyn FnMut(&Repair<'_>, Option<&Address>, Broken, &dyn AnyFormat) -> bool;

/// A fix of a file.
struct Repair<'r> {
    args: &'r Args<'r>,
    settings: &'r Settings,
    /// The number of repaired values.
    count: usize,
    /// Warnings: faults of the file that do not prevent reading.
    warnings: RefCell<Vec<String>>,
    /// Why the others were left as they are.
    left: Vec<Refusal>,
}

pub fn run(given: &check::Args, how: &Path, settings: &Settings, console: &mut Console) -> Done {
    let destination = &given.destination;
    let (files, mut rest) = (given.files.clone(), each::texts(&given.after)?);
    let (address, is_several) = (rest.pop(), files.len() > 1 || files.iter().any(|file| file.is_dir()));
    if files.is_empty() || !rest.is_empty() {
        let advice =
            "--fix needs `cut`, `clear` or a FILE, then the files to fix (or `-`), then `--` and an ADDRESS if you like";
        return Err(usage(advice).into());
    }
    // the last may be meant for an address
    if let ([_, .., last], None) = (&files[..], &address)
        && !last.exists()
    {
        let command = each::with_end(&[last.clone().into_os_string()]);
        return Err(usage(format!("no file {}; an ADDRESS follows `--`: {command}", shown(last))).into());
    }
    refuse_if(is_several && destination.output.is_some(), "several files are fixed in place: give -i instead of -o")?;
    let (mut highest, mut fixed, mut changed) = (Status::Fine, 0usize, 0usize);
    for file in walk::all(files, settings) {
        let file = match file {
            Ok(file) if check::is_excluded(&file, &given.exclude) => continue,
            Ok(file) => file,
            Err(refusal) => {
                highest = highest.max(console.refused(refusal)?);
                continue;
            }
        };
        let args = &Args { file, address: address.clone(), how, destination };
        let done = one(args, is_several, settings, console);
        let (status, count) = console.told_or(done, |status| (status, 0))?;
        highest = highest.max(status);
        fixed = fixed.saturating_add(count);
        changed = changed.saturating_add(usize::from(count > 0));
    }
    if is_several {
        let done = if destination.is_given() { "fixed" } else { "broken" };
        console.remark(format_args!("{} {done} in {}", number(fixed, "value"), number(changed, "file")))?;
    }
    Ok(highest)
}

/// Fixes a file, or lists what is broken. Returns how many values were or are.
fn one(
    args: &Args<'_>,
    is_of_many: bool,
    settings: &Settings,
    console: &mut Console,
) -> Result<(Status, usize), Failure> {
    let choice = choice(args, settings)?;
    if !is_of_many && settings.entry.is_none() && is_pack(&args.file) {
        let advice = "--fix takes one file of a pack: name it with --entry, such as --entry res://project.binary";
        return Err(usage(advice).into());
    }
    let mut repair = Repair { args, settings, count: 0, warnings: RefCell::default(), left: Vec::new() };
    if !args.destination.is_given() {
        return repair.list(&choice, is_of_many, console).map(|status| (status, repair.count));
    }
    // of several files, those without an error are not written
    let mut is_broken = !is_of_many;
    let looked = match is_broken {
        true => Ok(()),
        false => repair.each(&mut |_, _, _, _| {
            is_broken = true;
            false
        }),
    };
    let written = looked.and_then(|()| match is_broken {
        true => args.destination.write(&args.file, settings, console, &mut |opened| repair.make(opened, &choice)),
        false => Ok(()),
    });
    let Repair { count, left, warnings, .. } = repair;
    console.warnings(shown(&args.file), &warnings.take())?;
    let (mut highest, rest) = (Status::Fine, left.len());
    for refusal in left {
        highest = highest.max(console.refused(refusal)?);
    }
    match written {
        Err(refusal) if is_of_many && refusal.status == Status::NotFound => return Ok((Status::Fine, 0)),
        written => written?,
    }
    if !is_of_many {
        let rest = if rest == 0 { String::new() } else { format!(", {rest} left as they are") };
        match count {
            0 => console.remark("nothing is broken")?,
            count => console.remark(format_args!("{} fixed{rest}", number(count, "value")))?,
        }
    }
    Ok((highest, count))
}

fn choice(args: &Args<'_>, settings: &Settings) -> Result<Choice, Refusal> {
    settings.changes_whole_files().map_err(usage)?;
    if args.destination.is_given() {
        args.destination.of(&args.file)?;
    }
    match args.how.to_str() {
        Some("cut") => Ok(Choice::Cut),
        Some("clear") => Ok(Choice::Clear),
        _ => models::read(args.how, settings.memory()).map(Choice::With),
    }
}

impl Repair<'_> {
    /// The error of a value with its first byte at `start` in the file; `None` if it is valid.
    fn broken(
        &self,
        bytes: Result<&[u8], &ContainerError>,
        start: u64,
        format: &dyn AnyFormat,
        is_complete: bool,
    ) -> Result<Option<Broken>, Refusal> {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                let refusal = Refusal::from(error).at_least(Status::Malformed);
                let is_known = !matches!(
                    error,
                    ContainerError::OverLimit(_) | ContainerError::TooMuch(_) | ContainerError::TooLarge { .. }
                );
                return Ok(Some(Broken { refusal, cut: None, is_known }));
            }
        };
        if let Some(reason) = may_exceed(bytes, self.settings.memory()) {
            let refusal = Status::Malformed.because(reason);
            return Ok(Some(Broken { refusal, cut: None, is_known: false }));
        }
        let recovered = format.recover(bytes, &self.settings.formats);
        let recovered = recovered.map_err(|error| Status::Malformed.because(error.to_string()))?;
        let Some(error) = recovered.error else { return Ok(None) };
        let error = if is_complete { DecodeError::of_complete_input(error) } else { error };
        let refusal = Status::from(&error).because(error.shifted(start).to_string());
        Ok(Some(Broken { refusal, cut: recovered.bytes, is_known: true }))
    }

    /// Lists what is broken, and what would take its place.
    fn list(&mut self, choice: &Choice, is_of_many: bool, console: &mut Console) -> Done {
        let (name, mut highest, mut written) = (shown(&self.args.file), Status::Fine, Ok(()));
        let mut count = 0usize;
        let mut listed = self.each(&mut |this, address, broken, format| {
            let place = address.map(|address| format!(": {}", escaped(address))).unwrap_or_default();
            highest = highest.max(broken.refusal.status);
            count = count.saturating_add(1);
            let (reason, is_known) = (broken.refusal.message.clone(), broken.is_known);
            let fixed = match this.replacement(broken, format, choice) {
                Ok(bytes) => {
                    let text = format.decode_notation(&bytes, &this.settings.formats).unwrap_or_default();
                    format!("would become {}", escaped_within(text.as_bytes(), SHOWN_CUT))
                }
                Err(_) if !is_known => "it may be whole, and is left as it is".to_owned(),
                Err(refusal) => refusal.message,
            };
            written = writeln!(console.out(), "{name}{place}: {reason}\n  {fixed}");
            written.is_ok()
        });
        written?;
        self.count = count;
        console.warnings(&name, &self.warnings.take())?;
        if is_of_many && listed.as_ref().is_err_and(|refusal| refusal.status == Status::NotFound) {
            listed = Ok(());
        }
        if let Err(refusal) = listed {
            highest = highest.max(console.refused(refusal)?);
        } else if count == 0 && !is_of_many {
            console.remark("nothing is broken")?;
        }
        Ok(highest)
    }

    /// Calls `work` with every broken value that was asked for, until it gives false.
    fn each(&self, work: Work<'_>) -> Result<(), Refusal> {
        let mut opened = OpenFile::open(&self.args.file, self.settings)?;
        let kind = opened.container(self.settings)?;
        let kind = kind.or_else(|| formats::framing_of(self.settings).map(ContainerKind::Frames));
        let Some(kind) = kind else {
            self.without_address()?;
            let bytes = opened.all_consuming()?.bytes;
            let format = formats::chosen(self.settings, &bytes).at(shown(&self.args.file))?;
            if let Some(broken) =
                self.broken(Ok(&bytes), self.settings.part.offset, format, false).at(shown(&self.args.file))?
            {
                work(self, None, broken, format);
            }
            return Ok(());
        };
        let opened = opened.open_container(kind, self.settings)?;
        let format = formats::of_values(kind.formats(), &*opened.container, self.settings);
        let format = format.at(shown(&self.args.file))?;
        self.each_of(&*opened.container, (format, kind.syntax()), work).at(shown(&self.args.file))
    }

    fn each_of(
        &self,
        container: &dyn Container,
        (format, syntax): (&dyn AnyFormat, Syntax),
        work: Work<'_>,
    ) -> Result<(), Refusal> {
        let (mut refused, mut is_there) = (None, self.args.address.is_none());
        let wanted = self.args.address.as_deref().map(|text| Wanted::parse(syntax, text)).transpose()?;
        let end = container.values(&mut |value| {
            let is_wanted = wanted.as_ref().is_none_or(|wanted| wanted.fits(&value.address));
            // what is wrong with the whole file has no place in it
            if let (true, Err(error)) = (value.address.is_file(), &value.bytes) {
                let refusal = Refusal::from(error);
                let reason = format!("the file itself is broken: {}", refusal.message);
                let advice = "; `get` and `decode` give the values before the error";
                refused = Some(refusal.status.because(reason).hint(advice));
                return ControlFlow::Break(());
            }
            if !is_wanted || (value.formats.is_empty() && value.bytes.is_ok()) {
                return ControlFlow::Continue(());
            }
            is_there = true;
            let start = value.start.map(|start| start.saturating_add(self.settings.part.offset));
            match self.broken(value.bytes.as_deref(), start.unwrap_or(0), format, !value.is_open) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(broken)) => match work(self, Some(&value.address), broken, format) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                },
                Err(refusal) => {
                    refused = Some(refusal.inside(escaped(&value.address)));
                    ControlFlow::Break(())
                }
            }
        });
        self.warnings.replace(container.warnings());
        match (refused, end, &self.args.address) {
            (Some(refusal), ..) => Err(refusal),
            (None, Err(error), _) => Err(Refusal::from(error)),
            (None, Ok(()), Some(address)) if !is_there => {
                Err(Status::NotFound.because(format!("no value {address}; `enginewire ls` lists the addresses")))
            }
            _ => Ok(()),
        }
    }

    fn without_address(&self) -> Result<(), Refusal> {
        match &self.args.address {
            None => Ok(()),
            Some(address) => {
                let reason = format!("the file is a single value and has no address {address}");
                Err(usage(reason).at(shown(&self.args.file)))
            }
        }
    }

    /// The changes that replace the broken values of a file.
    fn make(&mut self, opened: &FileToChange, choice: &Choice) -> Result<ChangedValues, Refusal> {
        let settings = self.settings;
        let replaced = match (opened.container(), &opened.values) {
            (Some((kind, container)), _) => {
                let format = formats::of_values(kind.formats(), container, settings);
                format.and_then(|format| self.replacements(container, (format, kind.syntax()), choice))
            }
            (None, Values::One(one)) => {
                self.without_address()?;
                let format = if one.is_document() { formats::chosen(settings, one.file()) } else { one.format() };
                format.and_then(|format| match self.broken(Ok(&one.bytes), 0, format, false)? {
                    None => Ok(Vec::new()),
                    Some(broken) => {
                        self.count = 1;
                        let bytes = self.replacement(broken, format, choice)?;
                        Ok(vec![(Address::of_file(), bytes)])
                    }
                })
            }
            (None, _) => Ok(Vec::new()),
        };
        replaced.map(ChangedValues::from).at(shown(&self.args.file))
    }

    /// The new bytes of every broken value.
    fn replacements(
        &mut self,
        container: &dyn Container,
        (format, syntax): (&dyn AnyFormat, Syntax),
        choice: &Choice,
    ) -> Result<Addressed, Refusal> {
        let mut all = Vec::new();
        let (mut held, mut refused) = (0usize, None);
        let mut found = Vec::new();
        self.each_of(container, (format, syntax), &mut |this, address, broken, _| {
            held = held.saturating_add(broken.cut.as_ref().map_or(0, Vec::len));
            if held > this.settings.memory() {
                let limit = size_text(this.settings.memory());
                refused = Some(Status::Malformed.because(more(format!("the fixed values take more than {limit}"))));
            }
            found.extend(address.cloned().map(|address| (address, broken)));
            refused.is_none()
        })?;
        if let Some(refusal) = refused {
            return Err(refusal);
        }
        let known = found.iter().filter(|(_, broken)| broken.is_known).count();
        if let (Choice::With(_), true) = (choice, known > 1) {
            return Err(usage(format!("{known} values are broken: give the address of one of them")));
        }
        for (address, broken) in found {
            let why = broken.refusal.message.clone();
            let is_left = !broken.is_known || (matches!(choice, Choice::Cut) && broken.cut.is_none());
            let bytes = match self.replacement(broken, format, choice) {
                Err(Refusal { status, message, .. }) if is_left => {
                    let place = shown(&self.args.file).at(&address.to_string());
                    let reason = if message == why { message } else { format!("{why}; {message}") };
                    self.left.push(status.because(reason).at(place));
                    continue;
                }
                bytes => bytes.map_err(|refusal| refusal.inside(escaped(&address)))?,
            };
            // some properties that hold nothing have bytes all the same
            let kind = address.property().and_then(|name| Kind::of(name));
            let bytes = if bytes.is_empty() { kind.map_or(bytes, |kind| kind.none().into()) } else { bytes };
            all.push((address, bytes));
            self.count = self.count.saturating_add(1);
        }
        // nothing is written where nothing can be repaired
        match (all.is_empty(), self.left.iter().map(|refusal| refusal.status).max()) {
            (true, Some(status)) => Err(status.because("nothing can be fixed, so nothing is written")),
            _ => Ok(all),
        }
    }

    /// The bytes that take the place of a broken value.
    fn replacement(&self, broken: Broken, format: &dyn AnyFormat, choice: &Choice) -> Result<Vec<u8>, Refusal> {
        if !broken.is_known {
            return Err(broken.refusal);
        }
        let options = self.settings.formats.clone().set("framing", "none").unwrap_or_default();
        match choice {
            Choice::Cut => broken.cut.ok_or_else(|| {
                broken.refusal.status.because("nothing can be kept of it: choose --fix clear or --fix FILE")
            }),
            Choice::Clear => {
                format.encode_empty(&options).map_err(|error| Status::Malformed.because(error.to_string()))
            }
            Choice::With(bytes) => match format.check(bytes, &options) {
                Ok(_) => Ok(bytes.clone()),
                Err(error) => {
                    let reason = format!("{} is not a value of {}: {error}", shown(self.args.how), format.name());
                    Err(Status::from(&error).because(reason))
                }
            },
        }
    }
}

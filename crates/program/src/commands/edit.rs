//! `enginewire edit`

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use enginewire::formats::Edit;
use tempfile::TempPath;

use crate::changes::{Changes, FileChange, How};
use crate::commands::get::{self, Asked};
use crate::exit_status::{refuse_if, usage, Done, Failure, Status};
use crate::files::atomic_write::is_standard;
use crate::files::destination::{may_replace, Destination};
use crate::files::keep::Keep;
use crate::files::signals;
use crate::input::assignment::{assignment, Assignment};
use crate::input::filter::Filter;
use crate::output::console::Console;
use crate::output::name::shown;
use crate::settings::Settings;
use crate::text_encoding::utf_8;

/// Edit the values of a file in a text editor
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/edit.txt"))]
pub struct Args {
    /// File to change: a value or a container
    pub file: PathBuf,

    /// Show only the values at this address, such as Workspace.Torch or 'Workspace.**'
    pub address: Option<String>,

    #[command(flatten)]
    pub filter: Filter,

    /// Write to FILE, and leave the file as it is
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Also write to a read-only or linked file
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub keep: Keep,
}

/// The text before the lines.
pub const HEAD: &str = "\
# Change what follows the =, add lines, or delete lines to remove values.
# These two lines are ignored. If nothing changes, the file stays as it is.
";

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    refuse_if(is_standard(&args.file), "standard input cannot be edited; name a file")?;
    if args.file.is_dir() {
        return Err(usage(format!("{} is a folder; name a file", shown(&args.file))).into());
    }
    settings.changes_whole_files().map_err(usage)?;
    if args.output.is_none() {
        may_replace(&args.file, settings)?;
    }
    let (status, before) = values(args, settings, console.is_quiet(), console)?;
    if before.is_empty() {
        return match status {
            Status::Fine => Err(Status::NotFound.because("no values to edit").at(shown(&args.file)).into()),
            status => Ok(status),
        };
    }
    let kept = write_text(&before);
    let kept = kept.map_err(|error| Status::Io.because(format!("cannot write a temporary file: {error}")))?;
    // the detected format was reported already
    let settings = &Settings { quiet: true, ..settings.clone() };
    match edited(args, settings, &before, &kept, console) {
        Err(Failure::Refused(refusal))
            if !fs::read_to_string(&kept).is_ok_and(|text| text == [HEAD, &before].concat()) =>
        {
            // the work of the user must not be lost
            let place = kept.keep().map_or_else(|error| error.to_string(), |path| shown(&path).to_string());
            let again = format!("enginewire set {} --from {place} -i", shown(&args.file));
            let kept = format!("{refusal}\n  your text is kept: correct it, then run `{again}`");
            Err(refusal.status.because(kept).into())
        }
        done => done,
    }
}

/// The lines of `get`, all with their addresses.
fn values(args: &Args, settings: &Settings, quiet: bool, console: &mut Console) -> Result<(Status, String), Failure> {
    let (file, address, filter) = (args.file.clone(), args.address.clone(), args.filter.clone());
    let asked = Asked { file, address, filter, has_addresses: true, ..Asked::default() };
    let (status, lines) = console.collected(quiet, |console| get::read(&asked, settings, console))?;
    Ok((status, String::from_utf8_lossy(&lines).into_owned()))
}

fn write_text(lines: &str) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("enginewire-").suffix(".txt").tempfile()?;
    file.write_all(HEAD.as_bytes())?;
    file.write_all(lines.as_bytes())?;
    Ok(file.into_temp_path())
}

/// Opens the editor, and makes the changes. The inner error says why they are not made.
fn edited(args: &Args, settings: &Settings, before: &str, text: &Path, console: &mut Console) -> Done {
    open_editor(text).map_err(|message| Status::Io.because(message))?;
    let after = fs::read(text).map_err(|error| error.to_string()).and_then(utf_8);
    let after = after.and_then(|text| String::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned()));
    let after = after.map_err(|reason| Status::Io.because(format!("cannot read the text: {reason}")))?;
    if after.trim().is_empty() {
        // of an editor that failed, more likely than on purpose
        return Err(usage("the text is empty; nothing is written").into());
    }
    let changes = changes(before, &after).map_err(usage)?;
    if changes.is_empty() {
        console.remark("nothing has changed")?;
        return Ok(Status::Fine);
    }
    // errors in it were reported before
    if values(args, settings, true, console)?.1 != before {
        let reason = "the file has changed while it was edited; nothing is written";
        return Err(Status::ChangedMeanwhile.because(reason).at(shown(&args.file)).into());
    }
    let (output, force, keep) = (args.output.clone(), args.force, args.keep.clone());
    let destination = Destination { in_place: output.is_none(), output, force, keep };
    let change = FileChange::new(&args.file, &changes, How { add: true, ..How::default() }, settings);
    change.write_and_tell(&destination, console)?;
    Ok(Status::Fine)
}

/// Opens a file in the editor of the user, and waits for its end.
fn open_editor(text: &Path) -> Result<(), String> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let name = ["VISUAL", "EDITOR"].into_iter().find(is_set);
    if name.is_none() && !io::stdin().is_terminal() {
        return Err("no terminal for the editor: set EDITOR to a program with its own window".to_owned());
    }
    let editor = name.and_then(env::var_os).unwrap_or_else(|| OsString::from(usual));
    let status = signals::without_interrupt(|| editor_command(&editor, text).status()).and_then(|status| status);
    let editor = shown(Path::new(&editor)).to_string();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the editor {editor} ended with {status}; nothing is written")),
        Err(error) => Err(format!("cannot start the editor {editor}: {error}; name another in EDITOR")),
    }
}

/// Starts an editor, which may have arguments, as git allows.
#[cfg(not(windows))]
fn editor_command(editor: &OsStr, text: &Path) -> Command {
    let mut program = Command::new("sh");
    program.arg("-c").arg(OsString::from_iter([editor, OsStr::new(" \"$1\"")])).arg("sh").arg(text);
    program
}

/// The same. Only `cmd` finds editors such as `code.cmd`; with `/S` it takes off the outer quotes.
#[cfg(windows)]
fn editor_command(editor: &OsStr, text: &Path) -> Command {
    let line = ["\"".as_ref(), editor, " \"".as_ref(), text.as_os_str(), "\"\"".as_ref()];
    let mut program = Command::new("cmd");
    std::os::windows::process::CommandExt::raw_arg(program.args(["/S", "/C"]), OsString::from_iter(line));
    program
}

/// A line: its address, its path, and all of it.
type Line<'t> = (Option<&'t str>, Assignment, &'t str);

fn lines(text: &str) -> Result<Vec<Line<'_>>, String> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || HEAD.lines().any(|head| head == line.trim_end()) {
            continue;
        }
        let (address, change) = match line.split_once('\t') {
            Some((address, change)) => (Some(address), change),
            None => (None, line),
        };
        let change = assignment(change).map_err(|error| format!("{error}, in line {number}"))?;
        lines.push((address, change, line));
    }
    Ok(lines)
}

/// The changes that turn `before` into `after`: first new values, in their order, then removed values, from the last to the
/// first, so that the numbers of the items before them stay valid.
fn changes(before: &str, after: &str) -> Result<Vec<Changes>, String> {
    let (before, after) = (lines(before)?, lines(after)?);
    let key = |(address, change, _): &Line<'_>| (address.map(str::to_owned), change.path.to_string());
    let grouped = |lines: &[Line<'_>]| {
        let mut groups: HashMap<_, Vec<String>> = HashMap::new();
        lines.iter().for_each(|line| groups.entry(key(line)).or_default().push(line.2.to_owned()));
        groups
    };
    let (known, left) = (grouped(&before), grouped(&after));
    let mut all: Vec<Changes> = Vec::new();
    let mut push =
        |address: Option<&str>, change| match all.last_mut().filter(|last| last.address.as_deref() == address) {
            Some(last) => last.list.push(change),
            None => all.push(Changes::of(address.map(str::to_owned), vec![change])),
        };
    for line in &after {
        let (address, change, _) = line;
        let (old, new) = (known.get(&key(line)), left.get(&key(line)));
        if old == new {
            continue;
        }
        let place = [address.unwrap_or_default(), &change.path.to_string()].join(" ").trim().to_owned();
        if old.is_some_and(|lines| lines.len() > 1) {
            return Err(format!("the file has several values at {place}; they have the same address"));
        }
        if new.is_some_and(|lines| lines.len() > 1) {
            return Err(format!("the text has two lines for {place}"));
        }
        push(*address, change.clone());
    }
    for line in before.iter().rev().filter(|line| !left.contains_key(&key(line))) {
        push(line.0, Assignment::of(line.1.path.clone(), Edit::Remove));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn an_editor_may_have_arguments_and_the_file_a_space() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("a b.txt");
        fs::write(&text, "one\ntwo\n").unwrap();
        let finds = |editor: &str| editor_command(OsStr::new(editor), &text).status().unwrap().success();
        let [there, missing] =
            if cfg!(windows) { ["findstr /c:two", "findstr /c:three"] } else { ["grep -q two", "grep -q three"] };
        assert_eq!([finds(there), finds(missing)], [true, false]);
    }

    fn shown(before: &str, after: &str) -> Result<Vec<String>, String> {
        let change = |Assignment { path, edit, .. }: &Assignment| match edit {
            Edit::Set { text, .. } => format!("{path}={text}"),
            Edit::Remove => format!("-{path}"),
            other => format!("{other:?}"),
        };
        let of = |changes: &Changes| {
            let list: Vec<_> = changes.list.iter().map(change).collect();
            format!("{}: {}", changes.address.as_deref().unwrap_or("-"), list.join(" "))
        };
        changes(before, after).map(|all| all.iter().map(of).collect())
    }

    #[test]
    fn only_what_differs_is_a_change() {
        let before = "A\tx=1\nA\ty=2\nB\tx=3\n";
        let is = |after: &str, expected: &[&str]| {
            assert_eq!(shown(before, after), Ok(expected.iter().map(|text| (*text).to_owned()).collect()), "{after}")
        };
        is(before, &[]);
        is(&format!("{HEAD}\n{before}"), &[]);
        is("B\tx=3\nA\ty=2\nA\tx=1", &[]);
        is("A\tx=1\nA\ty=5\nB\tx=3\nB\tnew=\"#\"\n", &["A: y=5", "B: new=\"#\""]);
        is("A\tx=1\nB\tx=4\n", &["B: x=4", "A: -y"]);
        is("", &["B: -x", "A: -y -x"]);
        // a name may begin like a comment
        assert_eq!(shown("# a\tx=1\n", "# a\tx=2\n"), Ok(vec!["# a: x=2".to_owned()]));
        // two values at one address stay as they are
        assert_eq!(shown("A\tx=1\nA\tx=2\nB\t=3", "A\tx=1\nA\tx=2\nB\t=4"), Ok(vec!["B: =4".to_owned()]));
        let error = "the file has several values at A x; they have the same address";
        assert_eq!(shown("A\tx=1\nA\tx=2\n", "A\tx=1\nA\tx=3\n"), Err(error.to_owned()));
        assert_eq!(shown("[0]=1\n[1]=2\n[2]=3\n", "[0]=1"), Ok(vec!["-: -[2] -[1]".to_owned()]));
        assert_eq!(shown(before, "A\tx=1\nA\tx=2"), Err("the text has two lines for A x".to_owned()));
        let error = shown(before, "\nA\tx").unwrap_err();
        assert!(error.ends_with(", in line 2"), "{error}");
    }
}

//! Runs the pages of `tests/jobs`. Each describes a job of a user, and its commands are run unchanged.
//!
//! A page is run in a folder of its own, with a copy of `fixtures` in it: what works there works in the repository. trycmd
//! compares what the commands print, and a shell runs them, so that they may have pipes and redirections. Do not put output with
//! a backslash here, because trycmd reads it as a slash.
//!
//! `TRYCMD=overwrite cargo test --test jobs` writes what is printed now into the pages, to be read there before
//! it is committed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests

#[cfg(unix)]
fn main() {
    let arguments: Vec<_> = std::env::args_os().collect();
    match (std::env::var_os(shell::PAGE), &arguments[..]) {
        (Some(page), _) => shell::run_line(page.as_ref()),
        (None, [_, option, page]) if option == pages::COMPARE => pages::compare(page.as_ref()),
        _ => pages::run(),
    }
}

/// The pages are written for a shell.
#[cfg(not(unix))]
fn main() {}

/// Every page is a test.
#[cfg(unix)]
mod pages {
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use libtest_mimic::{Arguments, Failed, Trial};

    use super::{examples, shell};

    /// The option of this program to run only one page. It does so in a process of its own, because the output of trycmd is shown
    /// only if a page fails.
    pub(crate) const COMPARE: &str = "--compare";

    /// The page about real files, which `ENGINEWIRE_CORPUS` leads to.
    const OF_CORPUS: &str = "real-files";

    pub(crate) fn run() {
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs")).unwrap();
        let mut pages: Vec<_> = entries.map(|entry| Path::new("tests/jobs").join(entry.unwrap().file_name())).collect();
        pages.sort();
        link_commands(&pages);
        let mut trials = vec![Trial::test("every-example", || {
            examples::are_on_the_page();
            Ok(())
        })];
        for page in pages {
            let name = shell::name(&page).to_owned();
            let corpus = std::env::var_os("ENGINEWIRE_CORPUS").filter(|_| name == OF_CORPUS);
            let is_skipped = name == OF_CORPUS && corpus.is_none();
            trials.push(Trial::test(name, move || run_page(&page, corpus)).with_ignored_flag(is_skipped));
        }
        libtest_mimic::run(&Arguments::from_args(), trials).exit()
    }

    /// The folder with the commands that trycmd knows. It would skip lines with other commands.
    fn commands() -> PathBuf {
        shell::folder(Path::new("commands"))
    }

    /// Links every command at the start of a line of the pages to this program, which runs the line.
    fn link_commands(pages: &[PathBuf]) {
        let _ = fs::remove_dir_all(commands());
        fs::create_dir_all(commands()).unwrap();
        let lines = pages.iter().flat_map(|page| shell::lines(page));
        let first = lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
        // a variable before the command is one for the program
        let names = first.filter(|word| !word.contains('=')).chain(["enginewire".to_owned()]);
        for name in names.collect::<BTreeSet<_>>() {
            symlink(std::env::current_exe().unwrap(), commands().join(name)).unwrap();
        }
    }

    fn run_page(page: &Path, corpus: Option<OsString>) -> Result<(), Failed> {
        let folder = shell::folder(page);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        assert!(Command::new("cp").arg("-R").arg(fixtures).arg(&folder).status().unwrap().success());
        if let Some(corpus) = corpus {
            symlink(fs::canonicalize(corpus).unwrap(), folder.join("corpus")).unwrap();
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .arg(COMPARE)
            .arg(page)
            .env("RUST_BACKTRACE", "0")
            .output()
            .unwrap();
        if output.status.success() {
            return Ok(());
        }
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_fine = |line: &&str| line.starts_with("Testing ") && line.contains(" ... ok ");
        Err(told.lines().filter(|line| !is_fine(line)).collect::<Vec<_>>().join("\n").into())
    }

    /// Compares what the commands of a page print with what the page says.
    pub(crate) fn compare(page: &Path) {
        let commands = fs::read_dir(commands()).unwrap().map(|link| link.unwrap().path());
        let commands = commands.map(|link| (shell::name(&link).to_owned(), link));
        trycmd::TestCases::new().case(page).register_bins(commands).env(shell::PAGE, page.to_str().unwrap()).run();
    }
}

/// The lines of a page, and how one is run.
#[cfg(unix)]
mod shell {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// The variable that names the page to this program, which runs one of its lines then.
    pub(crate) const PAGE: &str = "ENGINEWIRE_JOB_PAGE";

    pub(crate) fn name(page: &Path) -> &str {
        page.file_stem().unwrap().to_str().unwrap()
    }

    /// The working directory of a page.
    pub(crate) fn folder(page: &Path) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("jobs").join(name(page))
    }

    /// The commands of a page, some of several lines.
    pub(crate) fn lines(page: &Path) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in fs::read_to_string(page).unwrap().lines() {
            match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
                (Some(line), _) => lines.push(line.to_owned()),
                (_, Some(more)) if goes_on => lines.last_mut().unwrap().extend(["\n", more]),
                _ => {}
            }
            goes_on = line.ends_with('\\');
        }
        lines
    }

    /// Becomes a shell that runs a line of the page. trycmd has split this line at its spaces and removed its quotes, which gave
    /// the arguments of this program.
    pub(crate) fn run_line(page: &Path) {
        let bare = |text: &str| text.replace(|char: char| char.is_whitespace() || "'\"\\".contains(char), "");
        let mut arguments = std::env::args();
        let command = arguments.next().unwrap();
        let given = bare(&(name(Path::new(&command)).to_owned() + &arguments.collect::<String>()));
        let lines = lines(page);
        let found = lines.iter().find(|line| bare(line) == given);
        // there may be variables before it
        let found = found.or_else(|| lines.iter().find(|line| bare(line).ends_with(&given)));
        let line = found.unwrap_or_else(|| panic!("the page has no line {given}"));
        let program = Path::new(env!("CARGO_BIN_EXE_enginewire")).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&path))).unwrap();
        let folder = folder(page);
        let mut shell = Command::new("sh");
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "VISUAL", PAGE] {
            shell.env_remove(variable);
        }
        shell.args(["-c", line]).current_dir(&folder).env("PATH", path).env("TMPDIR", &folder).env("LC_ALL", "C");
        panic!("there is no shell: {}", shell.exec());
    }
}

/// The examples of the help, of the README files and of `docs/program.md`.
#[cfg(unix)]
mod examples {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::shell;

    const PAGE: &str = "tests/jobs/examples.md";

    /// Those that need what few systems have.
    const NOT_RUN: [&str; 1] = ["pbpaste | enginewire inspect --guess"];

    /// Every example is part of a line that is run. Programs that make its output nicer to read may be missing there.
    pub(crate) fn are_on_the_page() {
        let lines = shell::lines(Path::new(PAGE));
        let mut examples: Vec<_> =
            ["../../README.md", "../../docs/program.md", "README.md"].into_iter().flat_map(of_page).collect();
        for verb in verbs() {
            examples.extend(of_help(&[&verb, "--help"]));
        }
        examples.extend(of_help(&["--help"]));
        assert!(examples.len() > 60, "{examples:?}");
        for example in examples {
            if NOT_RUN.iter().any(|start| example.starts_with(start)) {
                continue;
            }
            let shown =
                [" | jq ", " | less", " | man "].iter().filter_map(|more| Some(example.split_once(more)?.0)).next();
            let shown = shown.unwrap_or(&example).trim_start_matches("EDITOR='code --wait' ");
            assert!(lines.iter().any(|line| line.contains(shown)), "{PAGE} does not run the example {example}");
        }
    }

    fn help(arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_enginewire")).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn verbs() -> Vec<String> {
        let help = help(&["-h"]);
        let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
        // what a verb does may go on in the next line, far to the right
        let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
    }

    fn of_help(arguments: &[&str]) -> Vec<String> {
        let help = help(arguments);
        let Some((_, examples)) = help.split_once("\nExamples:\n") else { return Vec::new() };
        let lines = examples.lines().take_while(|line| line.is_empty() || line.starts_with(' ')).map(str::trim);
        lines.filter(|line| line.contains("enginewire ") && !line.ends_with(':')).map(str::to_owned).collect()
    }

    fn of_page(page: &str) -> Vec<String> {
        let text = fs::read_to_string(page).unwrap();
        let lines =
            text.lines().filter_map(|line| line.strip_prefix("$ ")).filter(|line| line.starts_with("enginewire "));
        let examples: Vec<_> = lines.map(|line| line.split("  #").next().unwrap().trim().to_owned()).collect();
        assert!(!examples.is_empty(), "{page} has no examples");
        examples
    }
}

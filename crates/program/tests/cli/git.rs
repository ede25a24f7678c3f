//! The commands of docs/git.md, with git itself.

use super::{fixtures, folder, run, told};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository of this test's own, where the program is in the `PATH` and only the repository's own settings apply.
/// `None` if git is not installed.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            println!("SKIPPED: there is no git, so that docs/git.md is not tested");
            return None;
        }
        let repository = Repository(folder(name));
        repository.done("git init -q . && git config user.email tests@localhost && git config user.name tests");
        Some(repository)
    }

    fn run(&self, script: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_enginewire")).parent().unwrap().to_owned();
        let paths = std::env::var_os("PATH").unwrap();
        let paths = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&paths))).unwrap();
        let mut shell = Command::new("sh");
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PAGER"] {
            shell.env_remove(variable);
        }
        let none = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(|variable| (variable, "/dev/null"));
        shell.args(["-ec", script]).current_dir(&self.0).env("PATH", paths).envs(none).output().unwrap()
    }

    /// Standard output of what must succeed.
    fn done(&self, script: &str) -> String {
        let (status, stdout, stderr) = told(&self.run(script));
        assert_eq!((status, &stderr[..]), (0, ""), "{script}");
        stdout
    }

    /// Adds a fixture.
    fn add(&self, fixture: &str, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::copy(fixtures().join(fixture), &path).unwrap();
        path
    }
}

/// The blocks of code of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/git.md")).unwrap();
    let of_language = |block: &str| Some(block.strip_prefix(language)?.strip_prefix('\n')?.to_owned());
    page.split("```").skip(1).step_by(2).filter_map(of_language).collect()
}

/// A repository with the settings of the page, a model, a save, and another value in the model.
fn changed(name: &str) -> Option<Repository> {
    let repository = Repository::new(name)?;
    fs::write(repository.0.join(".gitattributes"), &blocks("gitattributes")[0]).unwrap();
    let torch = repository.add("../roblox-model/attributes.rbxm", "a torch.rbxm");
    repository.add("../scrap-mechanic-lua/save-v24.db", "game.db");
    repository.done("git add -A && git commit -q -m one");
    let set = ["set", torch.to_str().unwrap(), "Folder", "Number:Double=0.5", "--in-place"];
    assert_eq!(told(&run(&set)).0, 0);
    Some(repository)
}

#[test]
fn textconv_shows_the_attributes_that_differ() {
    let Some(repository) = changed("git-textconv") else { return };
    assert!(repository.done("git diff").contains("Binary files a/a torch.rbxm and b/a torch.rbxm differ"));
    repository.done(&blocks("sh")[0]);
    let lines = |diff: &str| {
        let is_change =
            |line: &&str| line.starts_with(['-', '+']) && !line.starts_with("---") && !line.starts_with("+++");
        diff.lines().filter(is_change).map(str::to_owned).collect::<Vec<_>>()
    };
    let diff = lines(&repository.done("git diff"));
    assert_eq!(diff.len(), 2, "{diff:?}");
    assert!(diff[0].starts_with('-') && diff[0].contains("Number") && diff[0].contains("12345"), "{diff:?}");
    assert!(diff[1].starts_with('+') && diff[1].contains("Number") && diff[1].contains("0.5"), "{diff:?}");
    repository.done("git commit -q -a -m two");
    assert_eq!(lines(&repository.done("git show --format=")), diff);
    // a save: its values are new here
    let log = repository.done("git log -p --format= -- game.db");
    assert!(log.contains("+ScriptData[id=158,channel=41]\t"), "{log}");
    // a broken version stops nothing
    fs::write(repository.0.join("a torch.rbxm"), "broken").unwrap();
    repository.add("../roblox-model/tags.rbxm", "z.rbxm");
    repository.done("git add -A");
    let diff = repository.done("git diff --cached");
    assert!(diff.contains("+error: ") && diff.contains("b/z.rbxm"), "{diff}");
}

#[test]
fn the_diff_driver_names_the_fields_that_differ() {
    let Some(repository) = changed("git-driver") else { return };
    repository.done(&blocks("sh")[0]);
    repository.done(&blocks("sh")[1]);
    let diff = repository.done("git diff");
    let lines: Vec<_> = diff.lines().collect();
    assert_eq!((lines[0], lines.len()), ("a torch.rbxm", 2), "{diff}");
    assert!(lines[1].contains("Folder Number") && lines[1].contains("12345") && lines[1].contains("0.5"), "{diff}");
    repository.done("git commit -q -a -m two");
    assert_eq!(repository.done("git show --format= --ext-diff"), diff);
    // a file that is new
    repository.add("../roblox-model/enum-attribute.rbxm", "new.rbxm");
    let diff = repository.done("git add -A && git diff --cached");
    assert!(diff.starts_with("new.rbxm\n+ Folder AnEnumValue"), "{diff}");
    // a version that cannot be read does not keep git from the next file
    fs::write(repository.0.join("a broken.rbxm"), "broken").unwrap();
    let (status, stdout, stderr) = told(&repository.run("git add -A && git diff --cached"));
    assert_eq!((status, stdout), (0, format!("a broken.rbxm\n{diff}")));
    assert!(stderr.starts_with("error: the format is not recognised"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn the_hook_refuses_a_broken_file() {
    use std::os::unix::fs::PermissionsExt;
    let Some(repository) = Repository::new("git-hook") else { return };
    let hook = repository.0.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, &blocks("sh")[2]).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    repository.add("../roblox-model/attributes.rbxm", "-f a.rbxm");
    fs::write(repository.0.join("notes.txt"), "no model").unwrap();
    let (status, _, stderr) = told(&repository.run("git add -A && git commit -q -m one"));
    assert_eq!(status, 0, "{stderr}");
    repository.add("../roblox-model/bad/cut.rbxm", "b.rbxm");
    let (status, stdout, stderr) = told(&repository.run("git add -A && git commit -q -m two"));
    assert!(status == 1 && stderr.contains("error: input ends too early"), "{stdout}{stderr}");
    assert_eq!(repository.done("git log --format=%s"), "one\n");
    // a commit without models is not checked
    repository.done("git rm -q -f b.rbxm && echo more >> notes.txt && git commit -q -a -m three");
}

/// The hook of pre-commit is the one that the page shows.
#[test]
fn the_hook_of_pre_commit_is_that_of_the_page() {
    let hooks = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.pre-commit-hooks.yaml")).unwrap();
    let page = blocks("yaml").remove(0);
    for member in ["id", "name", "entry", "language", "files"] {
        let of = |text: &str| {
            let mut lines = text.lines().map(|line| line.trim_start_matches([' ', '-']));
            lines.find_map(|line| line.strip_prefix(member)?.strip_prefix(": ").map(str::to_owned)).unwrap()
        };
        assert_eq!(of(&hooks), of(&page), "{member}");
    }
    assert_eq!(told(&run(&["check", "--help"])).0, 0);
}

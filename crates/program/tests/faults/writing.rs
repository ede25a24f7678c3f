//! Writing over a file keeps its kind, mode, owner and extended attributes.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{chown, symlink, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;

use super::support::{
    assert_refused, fixture, folder, large_model, model, names, program, program_after, set, told, FINE, PROGRAM,
};

/// The ways to write a file: in place, and over a file that is there.
fn written_over(file: &Path, more: &[&str]) -> [(Option<i32>, String); 3] {
    let other = model(&folder("written-over"), "other.rbxm");
    let document = fixture("roblox-attributes/readable.json");
    [
        told(program().arg("encode").arg(document).arg("-o").arg(file).args(more)),
        told(set(&other, "On:Bool=true").arg("-o").arg(file).args(more)),
        // it is a model again now
        told(set(file, "On:Bool=true").arg("--in-place").args(more)),
    ]
}

#[test]
fn mode_owner_and_attributes_stay() {
    let folder = folder("kept");
    let file = model(&folder, "model.rbxm");
    let has_attributes = match xattr::set(&file, "user.enginewire", b"kept") {
        Ok(()) => true,
        Err(error) => {
            println!("without extended attributes, which this file system has not: {error}");
            false
        }
    };
    let owner = if geteuid().is_root() { (1234, 4321) } else { owner(&file) };
    chown(&file, Some(owner.0), Some(owner.1)).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o2750)).unwrap();
    // as long as it is open, its number is not given to another
    let before = File::open(&file).unwrap();
    assert_eq!(written_over(&file, &[]), [FINE, FINE, FINE]);
    let [before, after] = [before.metadata(), fs::metadata(&file)].map(|file| file.unwrap().ino());
    assert_ne!(before, after, "it was not replaced but written into");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o2750);
    assert_eq!(owner, self::owner(&file));
    if has_attributes {
        assert_eq!(xattr::get(&file, "user.enginewire").unwrap().as_deref(), Some(&b"kept"[..]));
    }
    assert_eq!(names(&folder), ["model.rbxm"]);
}

fn owner(file: &Path) -> (u32, u32) {
    let file = fs::metadata(file).unwrap();
    (file.uid(), file.gid())
}

#[test]
fn new_files_have_the_mode_of_new_files() {
    let folder = folder("new-mode");
    let file = model(&folder, "model.rbxm");
    for (mask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let out = folder.join(mask);
        let mut program = program_after(&format!("umask {mask}"));
        assert_eq!(told(program.arg("set").arg(&file).args(["Folder", "On:Bool=true", "-o"]).arg(&out)), FINE);
        assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, mode, "{mask}");
    }
}

#[test]
fn links_stay_links() {
    let folder = folder("links");
    fs::create_dir(folder.join("below")).unwrap();
    let file = model(&folder.join("below"), "model.rbxm");
    let link = folder.join("link");
    symlink("below/model.rbxm", folder.join("between")).unwrap();
    symlink("between", &link).unwrap();
    for told in written_over(&link, &[]) {
        assert_eq!(told, FINE);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
    let output = program().arg("get").arg(&file).args(["Folder", "On"]).output().unwrap();
    assert_eq!(output.stdout, b"true\n");
    // what a link leads to is made where it leads, as a shell does
    let dangling = folder.join("dangling");
    symlink("below/new.rbxm", &dangling).unwrap();
    assert_eq!(told(set(&file, "On:Bool=true").arg("-o").arg(&dangling)), FINE);
    assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
    assert!(fs::read(folder.join("below/new.rbxm")).unwrap() == fs::read(&file).unwrap());
    // and what leads to itself is an error
    symlink("loop", folder.join("loop")).unwrap();
    assert_eq!(told(set(&file, "On:Bool=true").arg("-o").arg(folder.join("loop"))).0, Some(3));
    assert_eq!(names(&folder), ["below", "between", "dangling", "link", "loop"]);
    assert_eq!(names(&folder.join("below")), ["model.rbxm", "new.rbxm"]);
}

#[test]
fn files_with_hard_links_are_left_alone() {
    let folder = folder("hard-links");
    let file = model(&folder, "model.rbxm");
    let other = folder.join("other.rbxm");
    fs::hard_link(&file, &other).unwrap();
    let before = fs::read(&file).unwrap();
    for told in written_over(&file, &[]) {
        assert_refused(told, 3, "it has 2 hard links");
    }
    assert!(fs::read(&file).unwrap() == before);
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 2);
    assert_eq!(written_over(&file, &["--force"]), [FINE, FINE, FINE]);
    assert!(fs::read(&other).unwrap() == before && fs::read(&file).unwrap() != before);
    assert_eq!(names(&folder), ["model.rbxm", "other.rbxm"]);
}

#[test]
fn read_only_files_are_left_alone() {
    let folder = folder("read-only");
    let file = model(&folder, "model.rbxm");
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    let before = fs::read(&file).unwrap();
    for told in written_over(&file, &[]) {
        assert_refused(told, 3, "it is read-only; --force");
    }
    assert!(fs::read(&file).unwrap() == before);
    assert_eq!(written_over(&file, &["--force"]), [FINE, FINE, FINE]);
    assert!(fs::read(&file).unwrap() != before);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o444);

    let save = folder.join("save.db");
    fs::copy(fixture("scrap-mechanic-lua/save-v24.db"), &save).unwrap();
    fs::set_permissions(&save, Permissions::from_mode(0o444)).unwrap();
    let lines = folder.join("lines");
    let decoded = String::from_utf8(program().arg("decode").arg(&save).output().unwrap().stdout).unwrap();
    fs::write(&lines, decoded.replace("\"value\":false", "\"value\":true")).unwrap();
    let before = fs::read(&save).unwrap();
    assert_refused(
        told(program().arg("encode").arg(&lines).arg("--into").arg(&save).arg("--in-place")),
        3,
        "read-only",
    );
    assert!(fs::read(&save).unwrap() == before);
}

#[test]
fn only_regular_files_are_replaced() {
    let folder = folder("irregular");
    let file = model(&folder, "model.rbxm");
    let inside = folder.join("folder");
    fs::create_dir(&inside).unwrap();
    let socket = folder.join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let to = |out: &Path, more: &[&str]| told(set(&file, "On:Bool=true").arg("-o").arg(out).args(more));
    assert_refused(to(&inside, &[]), 3, "it is a directory");
    assert_refused(to(&inside, &["--force"]), 3, "it is a directory");
    assert_refused(to(&socket, &[]), 3, "it is a socket");
    assert_eq!(to(&socket, &["--force"]).0, Some(3));
    assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
    assert_eq!(to(Path::new("/dev/null"), &[]), FINE);
    if Path::new("/dev/full").exists() {
        assert_refused(to(Path::new("/dev/full"), &[]), 3, "it is a device");
        assert_refused(to(Path::new("/dev/full"), &["--force"]), 3, "No space left on device");
    }
    // the files in a folder are changed, and this one has none
    assert_refused(told(set(&inside, "On:Bool=true").arg("--in-place")), 7, "no file has a value that fits");
    assert_eq!(names(&folder), ["folder", "model.rbxm", "socket"]);
    let output = set(&file, "On:Bool=true").args(["-o", "/dev/stdout"]).output().unwrap();
    assert!(output.stdout == set(&file, "On:Bool=true").args(["-o", "-"]).output().unwrap().stdout);
}

#[test]
fn where_no_file_can_be_made_is_told() {
    let folder = folder("nowhere");
    let file = model(&folder, "model.rbxm");
    let out = folder.join("no/out.rbxm");
    let (status, message) = told(set(&file, "On:Bool=true").arg("-o").arg(&out));
    let place = out.parent().unwrap().display();
    let expected = format!("error: cannot write {}: cannot create a file in {place}: No such file", out.display());
    assert!(status == Some(3) && message.starts_with(&expected) && !message.contains(".tmp"), "{message}");
    assert_eq!(names(&folder), ["model.rbxm"]);
}

#[test]
fn input_and_output_are_not_one_file() {
    let folder = folder("same");
    let file = model(&folder, "model.rbxm");
    let document = folder.join("document.json");
    fs::copy(fixture("roblox-attributes/readable.json"), &document).unwrap();
    let save = folder.join("save.db");
    fs::copy(fixture("scrap-mechanic-lua/save-v24.db"), &save).unwrap();
    let lines = folder.join("lines");
    fs::write(&lines, program().arg("decode").arg(&save).output().unwrap().stdout).unwrap();
    for name in ["model.rbxm", "document.json", "save.db", "lines"] {
        fs::hard_link(folder.join(name), folder.join(format!("hard-{name}"))).unwrap();
        symlink(name, folder.join(format!("soft-{name}"))).unwrap();
    }
    let files = [&file, &document, &save, &lines];
    let before = files.map(|file| fs::read(file).unwrap());
    for prefix in ["", "./", "hard-", "soft-", "../same/"] {
        let other = |name: &str| folder.join(format!("{prefix}{name}"));
        let in_folder = |program: &mut Command| told(program.current_dir(&folder));
        let out = other("model.rbxm");
        assert_refused(in_folder(set(&file, "On:Bool=true").arg("-o").arg(out)), 2, "would overwrite");
        let out = other("document.json");
        assert_refused(in_folder(program().args(["encode", "document.json", "-o"]).arg(out)), 2, "would overwrite");
        let encode = || {
            let mut program = program();
            program.args(["encode", "lines", "--into", "save.db", "-o"]);
            program
        };
        for name in ["save.db", "lines"] {
            assert_refused(in_folder(encode().arg(other(name))), 2, "would overwrite");
        }
    }
    // a shell opened it for both
    let appended = File::options().append(true).open(&document).unwrap();
    assert_refused(told_with(program().arg("encode").arg(&document), appended), 2, "would overwrite");
    let appended = File::options().append(true).open(&document).unwrap();
    let read = File::open(&document).unwrap();
    assert_refused(told_with(program().arg("encode").stdin(read), appended), 2, "would overwrite");
    let appended = File::options().append(true).open(&file).unwrap();
    assert_refused(told_with(set(&file, "On:Bool=true").args(["-o", "-"]), appended), 2, "would overwrite");
    assert!(files.map(|file| fs::read(file).unwrap()) == before);
}

fn told_with(program: &mut Command, stdout: File) -> (Option<i32>, String) {
    told(program.stdout(stdout).stderr(std::process::Stdio::piped()))
}

/// A limit of the system, as a disk that is full, ends the writing; the file stays as it was.
#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    let folder = folder("limit");
    let file = large_model(&folder, "model.rbxm");
    let before = fs::read(&file).unwrap();
    for more in [&["--in-place"][..], &["-o", "out.rbxm"]] {
        let mut program = program_after("ulimit -f 8");
        program.current_dir(&folder).arg("set").arg(&file).args(["Folder", "On:Bool=true"]).args(more);
        assert_refused(told(&mut program), 3, "cannot write");
        assert!(fs::read(&file).unwrap() == before);
        assert_eq!(names(&folder), ["model.rbxm"]);
    }
    let save = fixture("scrap-mechanic-lua/save-v28.db");
    let lines = folder.join("lines");
    fs::write(&lines, program().arg("decode").arg(&save).output().unwrap().stdout).unwrap();
    let mut program = program_after("ulimit -f 1");
    program.arg("encode").arg(lines).arg("--into").arg(save).arg("-o").arg(folder.join("new.db"));
    assert_eq!(told(&mut program).0, Some(3));
    assert_eq!(names(&folder), ["lines", "model.rbxm"]);
}

/// The same with a real disk of half a megabyte, where a test may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_leaves_the_file_as_it_was() {
    const SKIPPED: i32 = 97;
    let folder = folder("tmpfs");
    let disk = folder.join("disk");
    fs::create_dir(&disk).unwrap();
    let file = large_model(&folder, "model.rbxm");
    let size = fs::metadata(&file).unwrap().len() * 3 / 2;
    let script = format!(
        "mount -t tmpfs -o size={size} tmpfs \"$1\" || exit {SKIPPED}
        cp \"$2\" \"$1/model.rbxm\" || exit {SKIPPED}
        \"$0\" set \"$1/model.rbxm\" Folder On:Bool=true --in-place
        status=$?
        cmp \"$2\" \"$1/model.rbxm\" || exit 98
        [ \"$(ls -A \"$1\")\" = model.rbxm ] || exit 99
        exit $status"
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", &script, PROGRAM]).arg(&disk).arg(&file);
    match command.output() {
        Ok(output) if !matches!(output.status.code(), Some(1 | SKIPPED)) => {
            assert_refused(super::support::told_by(&output), 3, "No space left on device");
        }
        skipped => println!("skipped, for no disk can be mounted here: {skipped:?}"),
    }
}

// elsewhere only what is a day old is certain to be left over
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_run_left_is_removed_and_nothing_else() {
    let folder = folder("left-over");
    let file = model(&folder, "model.rbxm");
    let kept = [".enginewire-abc.tmp", ".enginewire-abcdef.tmp2", "enginewire-abcdef.tmp", ".enginewire-in-use"];
    for name in kept {
        fs::write(folder.join(name), "theirs").unwrap();
    }
    fs::create_dir(folder.join(".enginewire-folder.tmp")).unwrap();
    symlink("model.rbxm", folder.join(".enginewire-symlnk.tmp")).unwrap();
    let held = folder.join(".enginewire-helded.tmp");
    let lock = File::create(&held).unwrap();
    lock.lock().unwrap();
    fs::write(folder.join(".enginewire-helded.tmp-journal"), "in use").unwrap();
    let before = names(&folder);
    for name in [".enginewire-abcdef.tmp", ".enginewire-Abc123.tmp", ".enginewire-abcdef.tmp-journal"] {
        fs::write(folder.join(name), "left over").unwrap();
    }
    assert_eq!(told(set(&file, "On:Bool=true").arg("--in-place")), FINE);
    assert_eq!(names(&folder), before);
    drop(lock);
    assert_eq!(told(set(&file, "On:Bool=true").arg("-o").arg(folder.join("model.rbxm~"))), FINE);
    let left: Vec<_> = names(&folder).into_iter().filter(|name| super::support::is_temporary(name)).collect();
    assert_eq!(left.len(), before.len() - 2 - 2, "{left:?}");
}

//! Signals at random moments: the file is the old one or the new one, and nothing else is left.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{kill_process, Pid, Signal};

use super::support::{fixture, folder, is_temporary, large_model, model, names, program, set, told, Random, FINE};

const KILLS: u64 = 200;

/// Turns off the coverage profile of the program: if it is killed, it must not leave a half-written profile that other
/// runs add to.
const PROFILE: (&str, &str) = ("LLVM_PROFILE_FILE", "/dev/null");

/// Between two looks at a folder.
const POLL: Duration = Duration::from_micros(50);

/// The file, and what it may have in it: before and after a change, which `change` makes of one the other.
struct Changing {
    folder: PathBuf,
    file: PathBuf,
    contents: [Vec<u8>; 2],
    /// The duration of a change.
    time: Duration,
}

impl Changing {
    fn new(name: &str) -> Self {
        let folder = folder(name);
        let file = large_model(&folder, "model.rbxm");
        let mut time = Duration::ZERO;
        let contents = ["State:Double=0", "State:Double=1"].map(|state| {
            let start = Instant::now();
            assert_eq!(told(set(&file, state).arg("--in-place")), FINE);
            time = start.elapsed();
            fs::read(&file).unwrap()
        });
        Changing { folder, file, contents, time }
    }

    /// The index in `contents` of the content of a file.
    fn state(&self, file: &Path) -> usize {
        let bytes = fs::read(file).unwrap();
        let state = self.contents.iter().position(|content| *content == bytes);
        state.unwrap_or_else(|| panic!("{} bytes, neither the old nor the new ones", bytes.len()))
    }

    /// Starts a change of the file, or of the file into a copy that is there already.
    fn start(&self, out: Option<&Path>) -> Child {
        let state = 1 - self.state(&self.file);
        let mut program = set(&self.file, &format!("State:Double={state}"));
        match out {
            Some(out) => program.arg("-o").arg(out),
            None => program.arg("--in-place"),
        };
        program.env(PROFILE.0, PROFILE.1).spawn().unwrap()
    }

    fn temporary(&self) -> Vec<String> {
        names(&self.folder).into_iter().filter(|name| is_temporary(name)).collect()
    }

    /// Sends a signal at some moment: of all there are, or soon after there is a temporary file.
    fn kill(&self, child: &mut Child, signal: Signal, random: &mut Random) -> ExitStatus {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap();
        if random.below(2) == 0 {
            thread::sleep(Duration::from_micros(random.below(micros(self.time))));
        } else {
            while self.temporary().is_empty() && child.try_wait().unwrap().is_none() {
                thread::sleep(POLL);
            }
            thread::sleep(Duration::from_micros(random.below(micros(self.time) / 8)));
        }
        // until the test has waited for the child, its process id is not reused
        if child.try_wait().unwrap().is_none() {
            kill_process(Pid::from_child(child), signal).unwrap();
        }
        child.wait().unwrap()
    }
}

fn survives(signal: Signal, kills: u64) {
    let changing = Changing::new(&format!("kill-{}", signal.as_raw()));
    let copy = changing.folder.join("copy.rbxm");
    fs::copy(&changing.file, &copy).unwrap();
    let small = model(&changing.folder, "small.rbxm");
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ u64::try_from(signal.as_raw()).unwrap());
    let (mut killed, mut left) = (0, 0);
    for kill in 0..kills {
        let out = (kill % 2 == 1).then_some(copy.as_path());
        let mut child = changing.start(out);
        let status = changing.kill(&mut child, signal, &mut random);
        // it ends by the signal, or it was done before
        assert!(status.success() || status.signal() == Some(signal.as_raw()), "{status:?}");
        killed += u32::from(!status.success());
        changing.state(&changing.file);
        changing.state(&copy);
        if signal == Signal::KILL && !changing.temporary().is_empty() {
            left += 1;
            if cfg!(target_os = "linux") {
                assert_eq!(told(set(&small, "On:Bool=true").arg("--in-place")), FINE);
            } else {
                // elsewhere it stays for a day
                changing.temporary().iter().for_each(|name| fs::remove_file(changing.folder.join(name)).unwrap());
            }
        }
        assert_eq!(changing.temporary(), [""; 0], "kill {kill}, {status:?}");
    }
    assert_eq!(names(&changing.folder), ["copy.rbxm", "model.rbxm", "small.rbxm"]);
    println!("{killed} of {kills} ended by {signal:?}, {left} left a temporary file");
}

#[test]
fn an_interrupt_leaves_the_old_file_or_the_new() {
    survives(Signal::INT, KILLS);
}

#[test]
fn a_termination_leaves_the_old_file_or_the_new() {
    survives(Signal::TERM, KILLS);
}

#[test]
fn a_hangup_leaves_the_old_file_or_the_new() {
    survives(Signal::HUP, KILLS / 10);
}

#[test]
fn a_kill_leaves_the_old_file_or_the_new() {
    survives(Signal::KILL, KILLS);
}

/// A copy of a save is made by SQLite, which has files of its own beside it.
#[test]
fn a_signal_leaves_no_copy_of_a_save() {
    let folder = folder("kill-copy");
    let save = fixture("scrap-mechanic-lua/save-v24.db");
    let (lines, out) = (folder.join("lines"), folder.join("out.db"));
    let decoded = String::from_utf8(program().arg("decode").arg(&save).output().unwrap().stdout).unwrap();
    fs::write(&lines, decoded.replace("\"value\":false", "\"value\":true")).unwrap();
    let start = Instant::now();
    let mut random = Random(14);
    for kill in 0..KILLS / 5 {
        let mut program = program();
        program.arg("encode").arg(&lines).arg("--into").arg(&save).arg("-o").arg(&out);
        let mut child = program.env(PROFILE.0, PROFILE.1).spawn().unwrap();
        if kill == 0 {
            assert!(child.wait().unwrap().success());
        }
        let new = fs::read(&out).unwrap();
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap() / (kill + 1);
        thread::sleep(Duration::from_micros(random.below(micros)));
        if child.try_wait().unwrap().is_none() {
            kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        }
        let status = child.wait().unwrap();
        assert!(status.success() || status.signal() == Some(Signal::TERM.as_raw()), "{status:?}");
        assert!(fs::read(&out).unwrap() == new);
        assert_eq!(names(&folder), ["lines", "out.db"]);
    }
}

/// `nohup` has the signal ignored.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = folder("ignored");
    let file = large_model(&folder, "model.rbxm");
    let mut program = super::support::program_after("trap '' HUP INT TERM");
    program.arg("set").arg(&file).args(["Folder", "On:Bool=true", "--in-place"]);
    let mut child = program.spawn().unwrap();
    while !names(&folder).iter().any(|name| is_temporary(name)) && child.try_wait().unwrap().is_none() {
        thread::sleep(POLL);
    }
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        if child.try_wait().unwrap().is_none() {
            kill_process(Pid::from_child(&child), signal).unwrap();
        }
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(names(&folder), ["model.rbxm"]);
}

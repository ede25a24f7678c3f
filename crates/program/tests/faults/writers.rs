//! Several that write to one file.

use std::fs::{self, File};
use std::process::Stdio;
use std::thread;

use super::support::{fixture, folder, model, names, program, set, told, FINE};

const PROCESSES: usize = 4;
const CHANGES: usize = 40;

/// No change is lost: those whose process said so are there, and no others.
#[test]
fn no_change_is_lost() {
    let folder = folder("concurrent");
    let file = model(&folder, "model.rbxm");
    let key = |process: usize, change: usize| format!("P{process}C{change}");
    let is_done = |process: usize, change: usize| {
        let value = format!("{}:Double={change}", key(process, change));
        match told(set(&file, &value).arg("--in-place")) {
            (Some(0), message) if message.is_empty() => true,
            (Some(6), message) if message.contains("another program changed the file meanwhile") => false,
            other => panic!("{other:?}"),
        }
    };
    let is_done = &is_done;
    let done: Vec<Vec<bool>> = thread::scope(|scope| {
        let changes = |process| (0..CHANGES).map(move |change| is_done(process, change)).collect();
        let threads: Vec<_> = (0..PROCESSES).map(|process| scope.spawn(move || changes(process))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let output = program().arg("get").arg(&file).arg("Folder").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let keys: Vec<_> = text.lines().map(|line| line.split('=').next().unwrap()).collect();
    for (process, done) in done.iter().enumerate() {
        for (change, done) in done.iter().enumerate() {
            assert_eq!(keys.contains(&&key(process, change)[..]), *done, "{}", key(process, change));
        }
    }
    assert_eq!(names(&folder), ["model.rbxm"]);
}

/// Who waited for a lock changes what is there then, not what was there before.
#[test]
fn a_file_replaced_while_another_waits_is_read_again() {
    let folder = folder("waiting");
    let file = model(&folder, "model.rbxm");
    let lock = File::open(&file).unwrap();
    lock.lock().unwrap();
    let mut waiting = set(&file, "Waited:Bool=true");
    let mut waiting = waiting.arg("--in-place").stderr(Stdio::inherit()).spawn().unwrap();
    let new = folder.join("new.rbxm");
    assert_eq!(told(set(&file, "Meanwhile:Bool=true").arg("-o").arg(&new)), FINE);
    fs::rename(&new, &file).unwrap();
    drop(lock);
    assert!(waiting.wait().unwrap().success());
    for key in ["Waited", "Meanwhile"] {
        let output = program().arg("get").arg(&file).args(["Folder", key]).output().unwrap();
        assert_eq!(output.stdout, b"true\n", "{key}");
    }
}

/// Objects are put back into a blueprint by several at once.
#[test]
fn a_blueprint_is_changed_by_one_at_a_time() {
    let folder = folder("blueprint");
    let file = folder.join("blueprint.json");
    fs::copy(fixture("scrap-mechanic-lua/mixed.blueprint.json"), &file).unwrap();
    let decoded = String::from_utf8(program().arg("decode").arg(&file).output().unwrap().stdout).unwrap();
    let lines: Vec<_> = decoded.lines().collect();
    assert!(lines.len() > 1, "one object only");
    let changed = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["document"] = serde_json::json!({
            "format": "scrap-mechanic-lua", "version": 1, "type": "Number", "value": 42,
        });
        line.to_string()
    };
    let objects: Vec<_> = lines.iter().map(|line| changed(line)).collect();
    thread::scope(|scope| {
        for (number, object) in objects.iter().enumerate() {
            let (file, lines) = (&file, folder.join(format!("lines-{number}")));
            fs::write(&lines, object).unwrap();
            scope.spawn(move || {
                let mut program = program();
                program.arg("encode").arg(&lines).arg("--into").arg(file).arg("--in-place");
                // the program may report that the file has changed meanwhile; then it is run again
                while told(&mut program) != FINE {}
                fs::remove_file(&lines).unwrap();
            });
        }
    });
    let decoded = String::from_utf8(program().arg("decode").arg(&file).output().unwrap().stdout).unwrap();
    assert_eq!(decoded.matches(r#""type":"Number","value":42"#).count(), lines.len(), "{decoded}");
    assert_eq!(names(&folder), ["blueprint.json"]);
}

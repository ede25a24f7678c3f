//! Packs of Godot: their files are written into the named folder only, and the work is bounded by the size of the pack.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::Compression;
use pretty_assertions::assert_eq;

use super::{folder, run, told};

/// A pack of Godot 3 with these files.
pub(super) fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let head =
        [&b"GDPC"[..], &[1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0], &[0; 64], &number(files.len())].concat();
    let size: usize = files.iter().map(|(path, _)| 4 + path.len() + 8 + 8 + 16).sum();
    let (mut directory, mut contents) = (Vec::new(), Vec::new());
    for (path, content) in files {
        directory.extend([&number(path.len())[..], path.as_bytes()].concat());
        for number in [head.len() + size + contents.len(), content.len()] {
            directory.extend(u64::try_from(number).unwrap().to_le_bytes());
        }
        directory.extend([0; 16]);
        contents.extend_from_slice(content);
    }
    [head, directory, contents].concat()
}

#[cfg(unix)]
#[test]
fn files_are_extracted_through_no_link() {
    use std::os::unix::fs::symlink;
    let folder = folder("pack-links");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(path("elsewhere")).unwrap();
    fs::create_dir_all(path("out")).unwrap();
    fs::write(path("kept"), "kept").unwrap();
    fs::write(
        path("a.pck"),
        pack(&[("res://in/a", b"1"), ("res://b", b"2"), ("res://c", b"3"), ("res://d/e/f", b"4")]),
    )
    .unwrap();
    symlink("../elsewhere", path("out/in")).unwrap();
    symlink("../kept", path("out/b")).unwrap();
    symlink("../nowhere", path("out/c")).unwrap();
    let copy =
        |more: &[&str]| told(&run(&[&["copy", &path("a.pck"), "res://**", "--to", &path("out")], more].concat()));
    let unchanged = || {
        assert_eq!(fs::read_dir(path("elsewhere")).unwrap().count(), 0);
        assert_eq!(fs::read(path("kept")).unwrap(), b"kept");
        assert!(!Path::new(&path("nowhere")).exists());
    };
    let (status, _, errors) = copy(&[]);
    assert_eq!(status, 3, "{errors}");
    let told_of = |text: &str| assert!(errors.contains(text), "{text}: {errors}");
    told_of(&format!("cannot read {}: res://in/a: in is a link, or no folder\n", path("a.pck")));
    told_of(&format!("{} exists; --force replaces it", path("out/b")));
    told_of(&format!("{} exists; --force replaces it", path("out/c")));
    assert_eq!(fs::read(path("out/d/e/f")).unwrap(), b"4");
    unchanged();
    // a link gives way itself
    let (status, _, errors) = copy(&["--force"]);
    assert_eq!((status, errors.lines().filter(|line| line.contains("is a link")).count()), (3, 1), "{errors}");
    assert_eq!((fs::read(path("out/b")).unwrap(), fs::read(path("out/c")).unwrap()), (b"2".to_vec(), b"3".to_vec()));
    unchanged();
    assert!(fs::read_dir(path("out")).unwrap().all(|file| !file
        .unwrap()
        .file_name()
        .to_string_lossy()
        .contains(".tmp")));
    // one file into a link that leads nowhere
    symlink("nowhere", path("dangling")).unwrap();
    let (status, _, errors) = told(&run(&["copy", &path("a.pck"), "res://b", "--to", &path("dangling")]));
    assert!(status == 2 && errors.contains("exists; --force replaces it"), "{errors}");
    unchanged();
}

#[test]
fn files_of_a_pack_unpack_to_no_more_than_one_file_may() {
    let folder = folder("pack-bomb");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&[&b"RSRC"[..], &vec![0; 4 << 20]].concat()).unwrap();
    let packed = packed.finish().unwrap();
    let names: Vec<_> = (0..10).map(|number| format!("res://{number}.res")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &packed[..])).collect();
    let file = folder.join("bomb.pck");
    fs::write(&file, pack(&files)).unwrap();
    let (status, out, errors) = told(&run(&["check", "--max-memory", "10M", file.to_str().unwrap()]));
    let refused = "the files in the pack unpack to more than is looked into";
    // the reason is said once, of all these files
    assert_eq!(
        (status, errors.matches(refused).count(), errors.matches("bomb.pck: res://").count()),
        (4, 1, 8),
        "{out}"
    );
    let (_, out, errors) = told(&run(&["check", "--max-memory", "100M", file.to_str().unwrap()]));
    assert!(![out, errors].concat().contains(refused));
}

/// A file that is made from one that others cannot read gets a mode that keeps them out too.
#[cfg(unix)]
#[test]
fn new_files_are_as_private_as_what_was_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("private");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    fs::write(path("a.bin"), b"\x01\0\0\0\x01\0\0\0a\x03\x01").unwrap();
    fs::write(path("a.pck"), pack(&[("res://a", b"1")])).unwrap();
    fs::copy(super::fixtures().join("../roblox-model/attributes.rbxm"), path("a.rbxm")).unwrap();
    fs::copy(super::fixtures().join("../scrap-mechanic-lua/save-v28.db"), path("a.db")).unwrap();
    let (file, model, save) = (path("a.bin"), path("a.rbxm"), path("a.db"));
    for (given, expected) in [(0o600, 0o600), (0o640, 0o640), (0o440, 0o640), (0o604, 0o644), (0o644, 0o644)] {
        for name in [&file, &model, &save, &path("a.pck")] {
            fs::set_permissions(name, fs::Permissions::from_mode(given)).unwrap();
        }
        for (name, args) in [
            ("set.bin", &["set", &file, "a=false", "-o", &path("set.bin")][..]),
            ("set.rbxm", &["set", &model, "Folder", "a=false", "-o", &path("set.rbxm")]),
            ("set.db", &["set", &save, "ScriptData[1]", "[1]=64", "-o", &path("set.db")]),
            ("rows.csv", &["get", "--csv", &model, &path("a.rbxm"), "-o", &path("rows.csv"), "--"]),
            ("copied", &["copy", &file, "--to", &path("copied")]),
            ("out/a", &["copy", &path("a.pck"), "--to", &path("out/")]),
        ] {
            let _ = fs::remove_file(path(name));
            let done = told(&run(args));
            if !Path::new(&path(name)).exists() {
                panic!("{args:?}: {done:?}");
            }
            assert_eq!(format!("{:o}", mode(name)), format!("{expected:o}"), "{name} {given:o}");
        }
    }
}

//! `convert`: values of one version of Godot become values of the other.

use std::fs;

use super::{fixtures, folder, run, told};

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

/// Every value of version 3 can be converted to version 4, and converting it back gives the same value.
#[test]
fn every_value_of_version_3_goes_to_version_4_and_back() {
    let folder = folder("convert");
    let [four, three] = ["four", "three"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let mut converted = 0;
    for entry in fs::read_dir(fixtures().join("../godot-3")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.to_str().unwrap();
        let options: &[&str] = match file.extension().unwrap_or_default().to_str().unwrap() {
            "bin" | "binary" => &[],
            "frames" if name.contains("_be") => &["--framing", "be"],
            "frames" => &["--framing", "le"],
            _ => continue,
        };
        if told(&run(&[&["check", "--canonical", "-q", "-f", "godot-3", name], options].concat())).0 != 0 {
            continue;
        }
        let to = |from: &str, version: &str, out: &str| {
            told(&run(&[&["convert", from, "--to", version, "-o", out], options].concat()))
        };
        assert_eq!(to(name, "godot-4", &four), (0, String::new(), String::new()), "{name}");
        let check = told(&run(&[&["check", "--canonical", "-q", "-f", "godot-4", &four], options].concat()));
        assert_eq!(check, (0, String::new(), String::new()), "{name}");
        assert_eq!(to(&four, "godot-3", &three), (0, String::new(), String::new()), "{name}");
        assert!(fs::read(&three).unwrap() == fs::read(&file).unwrap(), "{name}");
        converted += 1;
    }
    assert!(converted > 10, "{converted}");
}

#[test]
fn every_value_in_the_way_is_named_and_nothing_is_written() {
    let folder = folder("convert-wrong");
    let copy = folder.join("copy").to_str().unwrap().to_owned();
    let packed = path("godot-4/array_of_all.bin");
    for (arguments, expected, message) in [
        (
            &[&packed[..], "--to", "godot-3"][..],
            4,
            "error: godot-3 has no such types:\n  [9]: Vector2i\n  [11]: Rect2i\n  [13]: Vector3i\n  [15]: Vector4\n  \
             [16]: Vector4i\n  [22]: Projection\n  [24]: StringName\n  [32]: PackedInt64Array\n  \
             [34]: PackedFloat64Array\n  [39]: PackedVector4Array\n  --> ",
        ),
        (
            &[&packed, "--to", "godot-4", "--from", "godot-4"],
            2,
            "error: expected values of godot-3 to convert to godot-4, found godot-4\n",
        ),
        (
            &[&packed, "--to", "godot-4", "-f", "godot-4"],
            2,
            "error: expected values of godot-3 to convert to godot-4, found godot-4\n",
        ),
        (&[&packed, "--to", "godot-4", "--offset", "4"], 2, "error: only whole files are changed"),
        (&[&packed, "--to", "godot-5"], 2, "error: invalid value 'godot-5'"),
        (
            &[&path("roblox-model/made.rbxm"), "--to", "godot-4"],
            4,
            "error: expected a value of Godot, frames, project.binary or a ConfigFile\n",
        ),
        (
            &[&path("godot-3/nil.bin"), "--to", "godot-4", "--in-place"],
            2,
            "error: use either -o or --in-place, not both\n",
        ),
        (&[&path("godot-3/README.md"), "--to", "godot-4"], 4, "error: unknown type "),
        (&["no file", "--to", "godot-4"], 3, "error: cannot read no file"),
    ] {
        let (status, stdout, stderr) = told(&run(&[&["convert", "-o", &copy], arguments].concat()));
        assert!(
            status == expected && stdout.is_empty() && stderr.starts_with(message),
            "{arguments:?}: {status} {stderr}"
        );
        assert!(!folder.join("copy").exists(), "{arguments:?}");
    }
    // in a stream, every value that cannot be converted is reported
    let frames = folder.join("frames");
    let vector = fs::read(fixtures().join("../godot-4/array_of_all.bin")).unwrap();
    let frame = [&u32::try_from(vector.len()).unwrap().to_le_bytes()[..], &vector].concat();
    fs::write(&frames, frame.repeat(2)).unwrap();
    let before = fs::read(&frames).unwrap();
    let convert = ["convert", frames.to_str().unwrap(), "--framing", "le", "--to", "godot-3", "--in-place"];
    let (status, _, stderr) = told(&run(&convert));
    assert_eq!((status, stderr.matches("Vector2i").count()), (4, 2), "{stderr}");
    assert!(stderr.contains("frames: [0]\n") && stderr.ends_with("frames: [1]\n"), "{stderr}");
    assert!(fs::read(&frames).unwrap() == before);
}

/// A stream is detected and read as one. If it is broken, the error names the option to read it with. `--guess` names it
/// in both cases.
#[test]
fn a_stream_without_its_framing_is_found() {
    let copy = folder("convert-stream").join("copy").to_str().unwrap().to_owned();
    for (file, framing, is_whole) in [
        ("godot-3/store_var_v3.frames", "le", true),
        ("godot-3/store_var_v3_be.frames", "be", true),
        // it has types that version 3 lacks
        ("godot-4/debugger_v4.frames", "le", true),
        // the last value is cut
        ("godot-4/tcp_v4.frames", "le", false),
    ] {
        let (format, _) = file.split_once('/').unwrap();
        let (file, other) = (path(file), if format == "godot-3" { "godot-4" } else { "godot-3" });
        let convert = ["convert", &file, "--to", other, "-o", &copy];
        for command in [&convert[..], &["decode", "-f", format, &file], &["inspect", "-f", format, &file]] {
            let (status, _, stderr) = told(&run(command));
            if is_whole {
                assert!(stderr.contains(&format!(", read as with --framing {framing}\n")), "{command:?}: {stderr}");
                assert!(status == 0 || command[0] == "convert" && stderr.contains("has no such types"), "{stderr}");
                continue;
            }
            let last = stderr.lines().last().unwrap_or_default();
            assert!(matches!(status, 4 | 5), "{command:?}: {status}");
            assert!(last.starts_with("  the file is a stream of "), "{command:?}: {stderr}");
            assert!(last.ends_with(&format!("pass --framing {framing}")), "{last}");
        }
        let (status, guesses, _) = told(&run(&["inspect", "--guess", &file]));
        let first = guesses.lines().next().unwrap();
        let confidence = if is_whole { "likely " } else { "possible " };
        assert!(status == 0 && first.starts_with(confidence) && first.contains(format), "{guesses}");
        assert!(first.contains(&format!("--framing {framing}: ")), "{first}");
        let _ = fs::remove_file(&copy);
    }
    assert!(!std::path::Path::new(&copy).exists());
}

/// The parts of an object that the other engine version cannot load are reported, and nothing is written.
#[test]
fn objects_that_the_other_engine_cannot_load_are_named() {
    let folder = folder("convert-objects");
    let [file, copy] = ["file", "copy"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let text = |text: &str| {
        let padding = vec![0; text.len().next_multiple_of(4) - text.len()];
        [&u32::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes(), &padding].concat()
    };
    let number = |value: u32| value.to_le_bytes().to_vec();
    let object = |id: u32, class: &str, properties: &[(&str, Vec<u8>)]| {
        let count = number(u32::try_from(properties.len()).unwrap());
        let all = properties.iter().flat_map(|(name, value)| [text(name), value.clone()].concat()).collect();
        [number(id), text(class), count, all].concat()
    };
    let string = |value: &str| [number(4), text(value)].concat();
    let list = |id: u32, values: &[Vec<u8>]| {
        [number(id), number(u32::try_from(values.len()).unwrap()), values.concat()].concat()
    };
    let (three, four) = (17, 24);
    let script = || object(three, "GDScript", &[("script/source", string("extends Reference"))]);
    for (bytes, to, expected) in [
        (object(three, "Reference", &[]), "godot-4", &["the value: Reference, which is RefCounted in godot-4"][..]),
        (
            object(three, "Reference", &[("script", script()), ("at", object(three, "_File", &[]))]),
            "godot-4",
            &[
                "the value: Reference, which is RefCounted in godot-4",
                "script: a script within the object (GDScript), whose code is of godot-3",
                "at: _File, which is FileAccess in godot-4",
            ],
        ),
        (
            list(19, &[object(three, "Resource", &[]), list(19, &[object(three, "FuncRef", &[])])]),
            "godot-4",
            &["[1][0]: FuncRef, a class that godot-4 lacks"],
        ),
        (object(four, "Node3D", &[]), "godot-3", &["the value: Node3D, which is Spatial in godot-3"]),
        (
            list(28, &[object(four, "CodeEdit", &[("script", string("res://a.gd"))])]),
            "godot-3",
            &[
                "[0]: CodeEdit, a class that godot-3 lacks",
                "[0].script: the path of a script (res://a.gd), which godot-3 does not load",
            ],
        ),
        // both have these
        (object(three, "Resource", &[("script", number(0))]), "godot-4", &[]),
        (object(three, "Node2D", &[("script", string("res://a.gd"))]), "godot-4", &[]),
        (object(four, "Node2D", &[("script", string(""))]), "godot-3", &[]),
        (object(four, "MyOwnClass", &[]), "godot-3", &[]),
    ] {
        fs::write(&file, bytes).unwrap();
        let (status, out, error) = told(&run(&["convert", &file, "--to", to, "-o", &copy]));
        assert!(out.is_empty());
        if expected.is_empty() {
            assert_eq!((status, &*error), (0, ""));
            fs::remove_file(&copy).unwrap();
            continue;
        }
        let lines: String = expected.iter().map(|line| format!("  {line}\n")).collect();
        let told = format!("error: {to} cannot load these objects:\n{lines}  --> {file}\n");
        assert_eq!((status, error), (4, told));
        assert!(!std::path::Path::new(&copy).exists());
    }
}

//! Later additions to the files of games: attributes of the type TweenInfo, attributes that hold references, the transitions of
//! style rules, and saves of further versions.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;

use super::{folder, run, told};

/// A copy of a file from reports, in a folder of its own.
fn copied(test: &str, file: &str) -> String {
    let copy = folder(test).join(file);
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/reports");
    fs::copy(reports.join(file), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
}

/// The output of a verb. Panics if it reports an error or a warning.
fn printed(args: &[&str]) -> String {
    let (status, stdout, stderr) = told(&run(args));
    assert_eq!((status, &*stderr), (0, ""), "{args:?}");
    stdout
}

/// The error of a verb that refuses its arguments.
fn refused(args: &[&str]) -> String {
    let (status, stdout, stderr) = told(&run(args));
    assert_eq!((status, &*stdout), (2, ""), "{args:?}: {stderr}");
    stderr
}

const EASE: &str = "TweenInfo.new(1.5, Enum.EasingStyle.Sine, Enum.EasingDirection.InOut, 4, false, 6.5)";

#[test]
fn a_tween_is_an_attribute_like_any_other() {
    let file = copied("tween", "24b-tweeninfo-mixed.rbxmx");
    let before = fs::read_to_string(&file).unwrap();
    assert_eq!(printed(&["get", &file]), format!("F\tEase={EASE}\nF\tHp=5\n"));
    assert_eq!(printed(&["get", &file, "F", "Ease"]), format!("{EASE}\n"));
    for other in [
        EASE.replace("1.5", "2.25"),
        EASE.replace("6.5", "-0"),
        EASE.replace("4", "-1"),
        EASE.replace(".Sine", ":FromValue(77)"),
        EASE.replace(".InOut", ".In"),
        EASE.replace("false", "true"),
    ] {
        for value in [&*other, EASE] {
            printed(&["set", &file, "F", &format!("Ease={value}"), "--in-place"]);
            assert_eq!(printed(&["get", &file, "F", "Ease"]), format!("{value}\n"));
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{other}");
    }
    // scripts cannot set one, so that a new one is for those who ask
    let set = ["set", &file, "F", "Ease=TweenInfo.new(3)", "New=TweenInfo.new()", "--in-place"];
    assert!(refused(&set).contains("the TweenInfo \"New\", which is of a type that scripts cannot set"));
    printed(&[&set[..], &["--any-type"]].concat());
    let rest = "Enum.EasingStyle.Quad, Enum.EasingDirection.Out, 0, false, 0";
    let changed = printed(&["get", &file]);
    assert_eq!(changed, format!("F\tEase=TweenInfo.new(3, {rest})\nF\tHp=5\nF\tNew=TweenInfo.new(1, {rest})\n"));
    let scanned = printed(&["get", "--json", "--threads=1", &file]);
    let value = r#""type":"TweenInfo","value":{"time":3,"delay":0,"repeat_count":0,"easing_style":3,"#;
    assert!(scanned.contains(value), "{scanned}");
    for (text, reason) in [
        ("TweenInfo.new(1, Enum.EasingStyle.Springy)", "a known item such as .Linear"),
        ("TweenInfo.new(1, Enum.Material.Grass)", "an item of Enum.EasingStyle"),
        ("TweenInfo.new(1, 0, 0, 0, 1)", "true or false"),
    ] {
        let (status, _, stderr) = told(&run(&["set", &file, "F", &format!("Ease={text}"), "--in-place"]));
        assert!(status != 0 && stderr.contains(reason), "{text}: {stderr}");
    }
}

#[test]
fn attributes_that_hold_references_are_listed_and_not_changed() {
    let file = copied("references", "48-attrref.rbxmx");
    let before = fs::read_to_string(&file).unwrap();
    let lines = "F\tFuel=42\nF\tTarget=P\n";
    assert_eq!(printed(&["get", &file]), lines);
    for address in [&["F", "Target"][..], &["#RBX1", "Target"]] {
        assert_eq!(printed(&[&["get", &file], address].concat()), "P\n");
    }
    let listed = printed(&["ls", &file]);
    assert!(listed.contains("F:__attrRef_Target\tattribute that refers to P\t1"), "{listed}");
    assert_eq!(printed(&["get", &file, "F:__attrRef_Target"]), "Target=P\n");
    assert!(printed(&["ls", "--json", &file]).contains(r#""property":"__attrRef_Target","reference":"RBX2""#));
    let row = r#""property":"__attrRef_Target","key":"Target","type":"Reference","value":"P"}"#;
    assert!(printed(&["get", "--json", "--threads=1", &file]).contains(row));
    assert!(printed(&["get", "--csv", "--threads=1", &file]).contains(r#",__attrRef_Target,Target,"""P""","#));

    let reason = "Target of F is a reference to P, which cannot be changed here; change __attrRef_Target in the XML";
    for change in [
        &["F", "Target=7"][..],
        &["F", "Target.x=7"],
        &["F", "--remove", "Target"],
        &["F:__attrRef_Target", "Target=#RBX1"],
        &["#RBX1", "Fuel=7", "Target=#RBX1"],
        &["**", "Target=7", "--all"],
    ] {
        let stderr = refused(&[&["set", &file, "--in-place"], change].concat());
        assert!(stderr.contains(reason), "{change:?}: {stderr}");
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
    // the lines of `get`
    let from = Path::new(&file).with_file_name("lines");
    fs::write(&from, lines.replace("42", "7")).unwrap();
    printed(&["set", &file, "--from", from.to_str().unwrap(), "--in-place"]);
    assert_eq!(printed(&["get", &file]), "F\tFuel=7\nF\tTarget=P\n");
    // nothing else has changed
    let blob = |text: &str| text.split("AttributesSerialize\">").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(after.replace(&blob(&after), &blob(&before)), before);
}

/// References are found in any instance, with any name of the attribute and of the element, and also if they refer to
/// nothing.
#[test]
fn references_are_found_wherever_they_are() {
    let file = folder("references-of-all-kinds").join("made.rbxmx").to_str().unwrap().to_owned();
    fs::write(
        &file,
        "<roblox version=\"4\"><Item class=\"Model\" referent=\"A\"><Item class=\"Part\" referent=\"B\"><Properties>\
         <string name=\"Name\">P</string><Ref name=\"__attrRef_\">A</Ref><Ref name=\"__attrRef_a b\"> null </Ref>\
         <other name=\"__attrRef_&#228;\"><![CDATA[gone]]></other><Ref name=\"PrimaryPart\">A</Ref></Properties></Item>\
         <Properties><string name=\"Name\">M</string><Ref name=\"__attrRef_Last\"/></Properties></Item></roblox>",
    )
    .unwrap();
    let expected = "M\tLast=nil\nM.P\t\"\"=M\nM.P\t\"a b\"=nil\nM.P\t\u{e4}=#gone\n";
    assert_eq!(printed(&["get", &file]), expected);
    assert_eq!(printed(&["get", "--json", "--threads=1", &file]).lines().count(), 4);
    assert_eq!(printed(&["ls", &file]).lines().count(), 4);
    // new referents, as an editor makes them, are not a difference
    let other = Path::new(&file).with_file_name("other.rbxmx").to_str().unwrap().to_owned();
    let renamed = fs::read_to_string(&file).unwrap().replace(">A<", ">RBX99<").replace("\"A\"", "\"RBX99\"");
    fs::write(&other, renamed).unwrap();
    assert_eq!(printed(&["get", &other]), expected);
    assert_eq!(printed(&["diff", "-q", &file, &other]), "");
    printed(&["set", &file, "M", "Fuel=1", "--in-place"]);
    assert_eq!(printed(&["get", &file]), format!("M\tFuel=1\n{expected}"));
}

/// They have two bytes before the attributes, which stay there.
#[test]
fn transitions_of_style_rules_are_attributes_too() {
    let file = folder("transitions").join("made.rbxmx").to_str().unwrap().to_owned();
    let item = |class: &str, base64: &str| {
        format!(
            "<Item class=\"{class}\" referent=\"{class}\"><Properties><string name=\"Name\">{class}</string>\
             <BinaryString name=\"PropertyTransitionsSerialize\">{base64}</BinaryString></Properties></Item>"
        )
    };
    // 02 00, and one entry `On` = true
    let model =
        |base64| format!("<roblox version=\"4\">{}{}</roblox>", item("StyleRule", base64), item("Part", "AA=="));
    let on = "AgABAAAAAgAAAE9uAwE=";
    fs::write(&file, model(on)).unwrap();
    let address = "StyleRule:PropertyTransitionsSerialize";
    assert_eq!(printed(&["get", &file]), format!("{address}\tOn=true\n"));
    assert_eq!(printed(&["get", &file, address]), "On=true\n");
    printed(&["set", &file, address, "On=false", "--in-place"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), model("AgABAAAAAgAAAE9uAwA="));
    printed(&["set", &file, address, "--remove", "On", "--in-place"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), model("AgAAAAAA"));
    printed(&["set", &file, address, "On=true", "--in-place"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), model(on));
    // of a version that is not known
    fs::write(&file, model("AwABAAAAAgAAAE9uAwE=")).unwrap();
    let (status, _, stderr) = told(&run(&["get", &file]));
    let reason = "expected the bytes 02 00 before the attributes, found 03 00";
    assert!(status == 4 && stderr.contains(reason), "{status} {stderr}");
}

const UNKNOWN: &str =
    "warning: save version 29 is unknown; known are 24, 26, 27 and 28, and the rows are read by the columns of their tables";

#[test]
fn saves_of_any_version_are_read_and_changed() {
    for (name, warning) in [("save-v27.db", ""), ("save-v29.db", UNKNOWN)] {
        let file = copied("saves", name);
        let row = told(&run(&["ls", &file])).1.lines().next().unwrap().split('\t').next().unwrap().to_owned();
        assert!(row.starts_with("ScriptData["), "{row}");
        let out = Path::new(&file).with_file_name("out.db").to_str().unwrap().to_owned();
        for args in [
            &["ls", &file][..],
            &["get", &file],
            &["decode", &file],
            &["check", &file],
            &["inspect", &file],
            &["set", &file, &row, ":Boolean=true", "-o", &out],
            &["set", &file, &row, ":Boolean=true", "--in-place"],
        ] {
            let (status, _, stderr) = told(&run(args));
            let told_once = stderr.matches(UNKNOWN).count();
            assert_eq!((status, told_once), (0, usize::from(!warning.is_empty())), "{args:?}: {stderr}");
            let others = stderr.lines().filter(|line| line.starts_with("error") || line.starts_with("warning"));
            assert_eq!(others.count(), told_once, "{args:?}: {stderr}");
        }
        for changed in [&out, &file] {
            assert_eq!(told(&run(&["get", changed, &row])).1, "true\n");
        }
    }
}

/// Without its last value a property has the form that the engine writes: no bytes, or in style rules a length of 0.
#[test]
fn a_property_that_loses_its_last_value_is_canonical() {
    for (name, at) in [("02-remove-last.rbxm", "Lamp"), ("02-remove-last.rbxmx", "Root.Lamp")] {
        let file = copied("remove-last", name);
        assert_eq!(told(&run(&["set", &file, at, "--remove", "Fuel", "-i"])).0, 0);
        let (status, out, error) = told(&run(&["check", "--canonical", &file]));
        assert!(status == 0 && error.is_empty(), "{out}{error}");
        assert!(!told(&run(&["ls", &file])).1.lines().any(|line| line.starts_with(&format!("{at}\t"))));
        if name.ends_with('x') {
            assert!(fs::read_to_string(&file)
                .unwrap()
                .contains(r#"<BinaryString name="AttributesSerialize"></BinaryString>"#));
        }
        assert_eq!(told(&run(&["set", &file, at, "Fuel=1", "-i"])).1, "1 value added\n");
        assert_eq!(printed(&["get", &file, at, "Fuel"]), "1\n");
    }
    let file = copied("remove-last", "02-remove-last.rbxm");
    let rule = "Lamp.Rule:PropertiesSerialize";
    assert_eq!(told(&run(&["set", &file, rule, "--remove", "Visible", "-i"])).0, 0);
    assert!(printed(&["ls", &file]).contains(&format!("{rule}\t0 values\t4\n")));
    assert!(printed(&["check", "--canonical", &file]).ends_with(": ok, 2 values: 2 canonical\n"));
}

/// The engine computes with 32 bits.
#[test]
fn angles_give_the_numbers_of_the_engine() {
    let file = copied("angles", "13-cframe.rbxm");
    let set = ["set", &file, "P", "Pose=CFrame.Angles(0, math.rad(90), 0)", "-i"];
    assert_eq!(told(&run(&set)).0, 0);
    let expected = "CFrame.new(0, 0, 0, -4.371139e-8, 0, 1, 0, 1, 0, -1, 0, -4.371139e-8)\n";
    assert_eq!(printed(&["get", &file, "P", "Pose"]).replace("e-08", "e-8"), expected);
}

//! The program, run as its users run it.
//!
//! Its expected output is in `tests/golden`. After a change, `UPDATE_GOLDEN=1 cargo test cli::` rewrites these files;
//! review the difference.

mod carriers;
mod check;
mod convert;
mod copy;
mod diff;
mod documents;
mod edit;
mod edits;
mod elsewhere;
mod encode_into;
mod git;
mod guess;
mod layers;
mod namesakes;
mod newer;
mod packs;
mod quoting;
mod repair;
mod reports;
mod scan;
mod surface;
mod tags;
mod text_resources;
mod undo;
mod values;
mod warnings;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pretty_assertions::assert_eq;
use serde_json::Value;

/// Name of the golden file, arguments. They are run among the fixtures.
const CASES: &[(&str, &str)] = &[
    ("help", "--help"),
    ("help-short", "-h"),
    ("help-inspect", "inspect --help"),
    ("help-decode", "decode --help"),
    ("help-encode", "encode --help"),
    ("help-check", "check --help"),
    ("usage-no-command", ""),
    ("usage-unknown-format", "check -f nonsense readable.bin"),
    ("usage-depth", "check --max-depth 129 readable.bin"),
    ("inspect", "inspect readable.bin"),
    ("inspect-all-types", "inspect all-types.bin"),
    ("inspect-odd-verbose", "inspect -v made-odd.bin"),
    ("inspect-color", "inspect -f roblox-attributes --color always made-cframe.bin bad/unknown-type.bin"),
    ("inspect-html", "inspect -f roblox-attributes --html bad/not-canonical.bin bad/unknown-type.bin"),
    ("inspect-empty", "inspect -f roblox-attributes empty.bin zero-length.bin"),
    ("inspect-not-canonical", "inspect bad/not-canonical.bin"),
    ("inspect-truncated", "inspect -f roblox-attributes bad/truncated.bin"),
    ("inspect-unknown-type", "inspect -f roblox-attributes bad/unknown-type.bin"),
    ("inspect-unknown-type-quiet", "inspect -f roblox-attributes -q bad/unknown-type.bin"),
    ("inspect-rotation-id", "inspect -f roblox-attributes bad/rotation-id.bin"),
    ("inspect-trailing", "inspect -f roblox-attributes bad/trailing.bin"),
    ("inspect-trailing-allowed", "inspect --allow=trailing bad/trailing.bin"),
    ("inspect-too-deep", "inspect -f roblox-attributes --max-depth 5 bad/too-deep.bin"),
    ("inspect-draft-refused", "inspect --refuse=draft all-types.bin"),
    ("inspect-json", "inspect -f roblox-attributes --json readable.bin bad/truncated.bin"),
    ("inspect-depth", "inspect -f roblox-attributes --depth 2 readable.bin bad/truncated.bin"),
    ("inspect-depth-json", "inspect --depth 1 --json readable.bin"),
    ("inspect-path", "inspect -f roblox-attributes --path entries[1].value readable.bin bad/truncated.bin"),
    ("inspect-find", "inspect --find Boolean ../scrap-mechanic-lua/save-v24.db"),
    ("inspect-find-nothing", "inspect --find nobody readable.bin"),
    ("inspect-path-wrong", "inspect --path entries[one] readable.bin"),
    ("decode", "decode -f roblox-attributes readable.bin all-types.bin empty.bin"),
    ("decode-pretty", "decode --pretty readable.bin"),
    ("decode-pretty-embedded", "decode --pretty ../roblox-model/enum-attribute.rbxm"),
    ("decode-several", "decode -f roblox-attributes readable.bin bad/unknown-type.bin empty.bin"),
    ("decode-partial", "decode -f roblox-attributes --partial bad/unknown-type.bin bad/truncated.bin bad/trailing.bin"),
    ("decode-trailing-allowed", "--allow=trailing decode bad/trailing.bin"),
    ("decode-less-deep", "decode all-types.bin --max-depth 1"),
    ("encode-hex", "encode --text hex readable.json empty.json"),
    ("encode-base64", "encode --text base64 made-cframe.json"),
    ("encode-zero-length", "encode --text hex --zero-length empty.json"),
    ("encode-wrong-value", "encode bad/wrong-value.json"),
    ("encode-no-json", "encode readable.bin"),
    ("encode-several-raw", "encode readable.json empty.json"),
    ("check", "check -f roblox-attributes readable.bin all-types.bin made-odd.bin empty.bin zero-length.bin"),
    ("guess", "inspect --guess readable.bin zero-length.bin empty.bin bad/truncated.bin readable.json ../roblox-model/made.rbxm ../scrap-mechanic-lua/list.bin ../scrap-mechanic-lua/mixed.blueprint.json ../roblox-remote/several.hex"),
    ("guess-json", "inspect --guess --json readable.bin ../godot-4/array_of_all.bin"),
    ("unrecognised", "check empty.bin zero-length.bin readable.json"),
    ("part-of-a-file", "check --offset 4 --length 0x30 -f roblox-attributes readable.bin"),
    ("encode-other-format", "encode -f godot-4 readable.json"),
    ("check-bad", "check -f roblox-attributes bad/truncated.bin bad/unknown-type.bin bad/rotation-id.bin bad/trailing.bin bad/too-deep.bin"),
    ("check-one", "check readable.bin"),
    ("check-canonical", "check --canonical readable.bin bad/not-canonical.bin"),
    ("check-not-canonical", "check bad/not-canonical.bin"),
    ("check-json", "check --report json -f roblox-attributes readable.bin all-types.bin empty.bin bad/not-canonical.bin bad/rotation-id.bin"),
    ("check-quiet", "check -f roblox-attributes -q readable.bin bad/truncated.bin"),
    ("check-no-draft-types", "check --refuse=draft all-types.bin"),
    ("lua-inspect", "inspect ../scrap-mechanic-lua/readable.bin"),
    ("lua-inspect-verbose", "inspect -v ../scrap-mechanic-lua/list.bin"),
    ("lua-inspect-json", "inspect --json ../scrap-mechanic-lua/list.bin ../scrap-mechanic-lua/bad/padding.bin"),
    ("lua-inspect-padding", "inspect ../scrap-mechanic-lua/bad/padding.bin"),
    ("lua-inspect-truncated", "inspect ../scrap-mechanic-lua/bad/truncated.bin"),
    ("lua-inspect-unserialisable", "inspect ../scrap-mechanic-lua/bad/unserialisable.bin"),
    ("lua-decode", "decode ../scrap-mechanic-lua/readable.bin ../scrap-mechanic-lua/offset.bin ../scrap-mechanic-lua/nil.bin"),
    ("lua-decode-partial", "decode --partial ../scrap-mechanic-lua/bad/truncated.bin ../scrap-mechanic-lua/bad/count.bin ../scrap-mechanic-lua/bad/version.bin"),
    ("lua-decode-padding-allowed", "decode --allow=padding ../scrap-mechanic-lua/bad/padding.bin"),
    ("lua-encode", "encode --text hex ../scrap-mechanic-lua/list.json ../scrap-mechanic-lua/all-types.json"),
    ("lua-encode-wrong-value", "encode ../scrap-mechanic-lua/bad/wrong-value.json"),
    ("lua-check", "check ../scrap-mechanic-lua/readable.bin ../scrap-mechanic-lua/all-types.bin"),
    ("lua-check-bad", "check -f scrap-mechanic-lua ../scrap-mechanic-lua/bad/count.bin ../scrap-mechanic-lua/bad/magic.bin ../scrap-mechanic-lua/bad/padding.bin ../scrap-mechanic-lua/bad/size.bin ../scrap-mechanic-lua/bad/too-deep.bin ../scrap-mechanic-lua/bad/trailing.bin ../scrap-mechanic-lua/bad/truncated.bin ../scrap-mechanic-lua/bad/unknown-type.bin ../scrap-mechanic-lua/bad/unserialisable.bin ../scrap-mechanic-lua/bad/version.bin"),
    ("lua-check-json", "check --report json ../scrap-mechanic-lua/list.bin ../scrap-mechanic-lua/bad/padding.bin ../scrap-mechanic-lua/all-types.bin"),
    ("lua-check-padding-allowed", "check --canonical --allow=padding ../scrap-mechanic-lua/bad/padding.bin"),
    ("lua-check-no-draft-types", "check --refuse=draft ../scrap-mechanic-lua/all-types.bin"),
    ("godot-inspect", "inspect -f godot-4 ../godot-4/tdict_string_int.bin"),
    ("godot-inspect-verbose", "inspect -f godot-3 -v ../godot-3/array_mixed.bin ../godot-3/bad/not-canonical.bin"),
    ("godot-inspect-json", "inspect -f godot-4 --json ../godot-4/tarray_int.bin ../godot-4/bad/text.bin"),
    ("godot-inspect-truncated", "inspect -f godot-4 ../godot-4/bad/truncated.bin"),
    ("godot-inspect-frames", "inspect -f godot-4 --framing le ../godot-4/tcp_v4.frames"),
    ("godot-decode", "decode -f godot-3 ../godot-3/array_of_all.bin ../godot-3/float_nan_payload.bin ../godot-3/nil.bin"),
    ("godot-decode-4", "decode -f godot-4 ../godot-4/array_of_all.bin ../godot-4/double_vector2s_3.bin ../godot-4/tdict_script_script_full.bin"),
    ("godot-decode-partial", "decode -f godot-4 --partial ../godot-4/bad/truncated.bin ../godot-4/bad/text.bin"),
    ("godot-decode-any-text", "decode -f godot-4 --allow=text ../godot-4/bad/text.bin"),
    ("godot-decode-frames", "decode -f godot-3 --framing be ../godot-3/store_var_v3_be.frames"),
    ("godot-decode-frames-wrong-order", "decode -f godot-3 --framing le ../godot-3/store_var_v3_be.frames"),
    ("godot-encode", "encode --text hex ../godot-3/dict_order.json ../godot-4/tarray_int.json ../godot-4/double_vector2s_3.json"),
    ("godot-encode-frames", "encode --framing be --text hex ../godot-3/nil.json"),
    ("godot-encode-wrong-value", "encode ../godot-4/bad/wrong-value.json"),
    ("godot-encode-wrong-version", "encode ../godot-3/bad/wrong-version.json"),
    ("godot-check", "check -f godot-3 ../godot-3/array_of_all.bin ../godot-3/bad/negative-length.bin ../godot-3/bad/not-canonical.bin ../godot-3/bad/old-node-path.bin ../godot-3/bad/trailing.bin ../godot-3/bad/truncated.bin ../godot-3/bad/unknown-type.bin"),
    ("godot-check-unpadded", "check -f godot-4 --allow=padding ../godot-4/bad/unpadded-bytes.bin"),
    ("godot-check-4", "check -f godot-4 ../godot-4/array_of_all.bin ../godot-4/bad/container-type.bin ../godot-4/bad/text.bin ../godot-4/bad/too-deep.bin ../godot-4/bad/truncated.bin ../godot-4/bad/unknown-type.bin ../godot-4/bad/unpadded-bytes.bin"),
    ("godot-check-no-objects", "check -f godot-4 --refuse=objects ../godot-4/object_resource_full.bin ../godot-4/object_node_as_id.bin"),
    ("godot-check-frames", "check -f godot-4 --framing le ../godot-4/debugger_v4.frames ../godot-4/tcp_v4.frames"),
    ("godot-decode-project", "decode -f godot-4 ../godot-4/project_v4.binary"),
    ("godot-check-project", "check -f godot-3 ../godot-3/project_v3.binary"),
    ("godot-project-no-version", "inspect ../godot-4/project_v4.binary"),
    ("godot-stats", "ls --summary -f godot-4 ../godot-4/array_of_all.bin"),
    ("save-decode", "decode ../scrap-mechanic-lua/save-v24.db ../scrap-mechanic-lua/save-v28.db"),
    ("save-check", "check ../scrap-mechanic-lua/save-v26.db"),
    ("save-check-json", "check --report json ../scrap-mechanic-lua/save-v24.db"),
    ("save-inspect", "inspect ../scrap-mechanic-lua/save-v24.db"),
    ("save-stats", "ls --summary ../scrap-mechanic-lua/save-v28.db"),
    ("save-unpacked-too-large", "check --max-memory 120 ../scrap-mechanic-lua/save-v28.db"),
    ("save-broken-rows", "decode ../scrap-mechanic-lua/bad/save-broken-rows.db"),
    ("save-unknown-version", "check ../reports/save-v29.db ../scrap-mechanic-lua/bad/save-without-data.db ../scrap-mechanic-lua/bad/save-without-game.db"),
    ("blueprint-decode", "decode ../scrap-mechanic-lua/mixed.blueprint.json"),
    ("blueprint-check", "check ../scrap-mechanic-lua/logic.blueprint.json"),
    ("remote-inspect", "inspect -f roblox-remote ../roblox-remote/readable.bin"),
    ("remote-inspect-verbose", "inspect -v -f roblox-remote ../roblox-remote/rotations.bin"),
    ("remote-inspect-json", "inspect --json -f roblox-remote ../roblox-remote/void.bin ../roblox-remote/bad/unknown-event.bin"),
    ("remote-inspect-unknown-type", "inspect -f roblox-remote ../roblox-remote/bad/unknown-type.bin"),
    ("remote-decode", "decode -f roblox-remote ../roblox-remote/readable.bin ../roblox-remote/all-types.bin ../roblox-remote/no-data.bin"),
    ("remote-decode-partial", "decode --partial -f roblox-remote ../roblox-remote/bad/unknown-type.bin ../roblox-remote/bad/subtype.bin ../roblox-remote/bad/packet-type.bin"),
    ("remote-decode-event-ids", "decode -f roblox-remote --event-ids ../roblox-remote/july.events ../roblox-remote/bad/unknown-event.bin ../roblox-remote/calls.bin"),
    ("remote-event-ids-wrong", "decode -f roblox-remote --event-ids ../roblox-remote/void.json ../roblox-remote/void.bin"),
    ("remote-dump", "decode -f roblox-remote --dump ../roblox-remote/several.dump"),
    ("remote-dump-lines", "check -f roblox-remote --dump --input hex ../roblox-remote/several.hex"),
    ("remote-dump-other-format", "check --dump readable.bin"),
    ("remote-encode", "encode --text hex ../roblox-remote/readable.json ../roblox-remote/calls.json"),
    ("remote-encode-wrong-value", "encode ../roblox-remote/bad/wrong-value.json"),
    ("remote-encode-event-ids", "encode --text hex --event-ids ../roblox-remote/july.events ../roblox-remote/nameless.event.json"),
    ("remote-check", "check -f roblox-remote ../roblox-remote/readable.bin ../roblox-remote/void.bin ../roblox-remote/no-data.bin"),
    ("remote-check-bad", "check -f roblox-remote ../roblox-remote/bad/boolean.bin ../roblox-remote/bad/count.bin ../roblox-remote/bad/length.bin ../roblox-remote/bad/overlong.bin ../roblox-remote/bad/packet-type.bin ../roblox-remote/bad/quaternion.bin ../roblox-remote/bad/rotation-id.bin ../roblox-remote/bad/subtype.bin ../roblox-remote/bad/too-deep.bin ../roblox-remote/bad/trailing.bin ../roblox-remote/bad/truncated.bin ../roblox-remote/bad/unknown-event.bin ../roblox-remote/bad/unknown-type.bin"),
    ("remote-check-json", "check --report json --allow=trailing -f roblox-remote ../roblox-remote/void.bin ../roblox-remote/bad/trailing.bin ../roblox-remote/bad/length.bin"),
    ("remote-stats", "ls --summary -f roblox-remote ../roblox-remote/readable.bin ../roblox-remote/all-types.bin"),
    ("stats", "ls --summary -f roblox-attributes --json readable.bin all-types.bin bad/unknown-type.bin"),
    ("help-get", "get --help"),
    ("help-set", "set --help"),
    ("help-copy", "copy --help"),
    ("help-edit", "edit --help"),
    ("help-convert", "convert --help"),
    ("help-diff", "diff --help"),
    ("help-completions", "completions --help"),
    ("help-man", "man --help"),
    ("model-inspect", "inspect ../roblox-model/enum-attribute.rbxm"),
    ("model-decode", "decode ../roblox-model/made.rbxm ../roblox-model/enum-attribute.rbxmx ../roblox-model/int32-attribute.zstd.rbxm"),
    ("model-check", "check ../roblox-model/made.rbxm ../roblox-model/attributes.rbxmx ../roblox-model/attributes.none.rbxm ../roblox-model/baseplate-566.rbxl"),
    ("model-inspect-tags", "inspect ../roblox-model/tags.rbxm"),
    ("model-check-json", "check --report json ../roblox-model/tags.rbxm ../roblox-model/made.rbxm"),
    ("model-stats", "ls --summary ../roblox-model/attributes.zstd.rbxm ../roblox-model/made.rbxm"),
    ("model-wrong-format", "check -f rbxmx ../roblox-model/made.rbxm ../roblox-model/tags.rbxmx readable.bin"),
    ("model-cut", "decode ../roblox-model/bad/cut.rbxm ../roblox-model/bad/cut.rbxmx"),
    ("model-bad-chunk", "decode ../roblox-model/bad/chunk.rbxm"),
    ("get", "get ../roblox-model/made.rbxm"),
    ("get-attributes", "get ../roblox-model/attributes.rbxm"),
    ("get-json", "get --json ../roblox-model/tags.rbxm"),
    ("get-godot", "get -f godot-4 ../godot-4/packet_typical.bin"),
    ("get-lua", "get ../scrap-mechanic-lua/readable.bin"),
    ("get-remote", "get -f roblox-remote ../roblox-remote/readable.bin packets[0].arguments"),
    ("get-save", "get ../scrap-mechanic-lua/save-v28.db"),
    ("ls", "ls ../roblox-model/tags.rbxm ../scrap-mechanic-lua/save-v28.db ../godot-4/project_v4.binary"),
    ("get-twin", "get ../roblox-model/bad/twins.rbxm"),
    ("guess-dump", "inspect --guess ../roblox-remote/several.dump ../roblox-remote/several.hex"),
    ("ls-json", "ls --json ../roblox-model/attributes.rbxm"),
    ("help-ls", "ls --help"),
    ("get-path", "get ../roblox-model/attributes.rbxm Folder"),
    ("get-key", "get ../roblox-model/attributes.rbxmx Folder Vector3"),
    ("get-raw", "get --raw ../roblox-model/attributes.zstd.rbxm Folder String"),
    ("get-nothing", "get ../roblox-model/made.rbxm Workspace.Torch Off"),
    ("get-nobody", "get ../roblox-model/made.rbxm Workspace.Lamp"),
    ("get-ambiguous", "get ../roblox-model/bad/twins.rbxm Twin"),
    ("get-no-model", "get readable.bin"),
    ("set-nowhere", "set ../roblox-model/made.rbxm Rule On:Bool=true"),
    ("set-wrong-value", "set ../roblox-model/attributes.rbxm Folder Boolean=1 Vector3=1,2,3 -o /dev/null"),
    ("set-wrong-type", "set ../roblox-model/attributes.rbxm Folder Boolean:Boolean=true -o /dev/null"),
    ("set-style", "set ../roblox-model/made.rbxm Rule On=true -o /dev/null"),
    ("set-wrong-form", "set ../roblox-model/made.rbxm Rule On -o /dev/null"),
    ("set-broken", "set ../roblox-model/bad/cut.rbxm Folder On:Bool=true -o /dev/null"),
    ("repair", "check --fix cut ../roblox-model/made.rbxm"),
    ("repair-remote", "check --fix cut -f roblox-remote ../roblox-remote/bad/truncated.bin"),
    ("repair-nothing", "check --fix cut -f godot-4 ../godot-4/bad/text.bin"),
    ("repair-save", "check --fix cut ../scrap-mechanic-lua/bad/save-broken-rows.db"),
    ("repair-cut-file", "check ../roblox-model/bad/cut.rbxm --fix cut -o /dev/null"),
    ("scan", "get --json ../roblox-model/made.rbxm ../roblox-model/enum-attribute.rbxmx ../roblox-model/bad/cut.rbxm --"),
    ("scan-summary", "ls --summary ../roblox-model/"),
    ("scan-summary-json", "ls --summary --json ../roblox-model/"),
    ("diff-same", "diff ../roblox-model/attributes.rbxm ../roblox-model/attributes.rbxmx"),
    ("diff", "diff ../roblox-model/attributes.rbxm ../roblox-model/int32-attribute.rbxmx"),
    ("diff-json", "diff --json ../roblox-model/enum-attribute.rbxm ../roblox-model/made.rbxm"),
    ("diff-blobs", "diff readable.bin all-types.bin"),
    ("man-unknown", "man nonsense"),
    ("formats", "help formats"),
    ("help-types", "help types"),
    ("help-reading", "help reading"),
    ("help-addresses", "help addresses"),
    ("help-wrong", "help adresses"),
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/roblox-attributes")
}

/// The program, to be run among the fixtures, with nothing around it that has a say in colours and widths.
fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        program.env_remove(variable);
    }
    program.current_dir(fixtures()).stdin(Stdio::null());
    program
}

fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut program = program();
    let mut child =
        program.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // it may end before it has read all
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Status, standard output, standard error.
fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// The result of a successful `set`: its status and output.
fn changed(count: &str) -> (i32, String, String) {
    done(&format!("{count} changed"))
}

fn done(what: &str) -> (i32, String, String) {
    (0, format!("{what}\n"), String::new())
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Every fixture, the bad ones too.
fn blobs() -> Vec<String> {
    let bins = |folder: &str| {
        let entries = fs::read_dir(fixtures().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let folder = folder.to_owned();
        names.filter(|name| name.ends_with(".bin")).map(move |name| format!("{folder}{name}")).collect::<Vec<_>>()
    };
    [bins("./"), bins("./bad/")].concat()
}

#[test]
fn what_it_prints() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for (name, line) in CASES {
        let (status, stdout, stderr) = told(&run(&line.split_whitespace().collect::<Vec<_>>()));
        let stdout = stdout.replace("enginewire.exe", "enginewire");
        let stderr = stderr.replace("enginewire.exe", "enginewire");
        let call = format!("enginewire {line}");
        let actual = format!("$ {}\nstatus {status}\n--- stdout\n{stdout}--- stderr\n{stderr}", call.trim_end());
        let path = golden.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &actual).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(actual, expected, "{name}");
    }
}

/// A copy of a model that may be changed.
fn model(folder: &Path, name: &str) -> String {
    let copy = folder.join(name);
    fs::copy(fixtures().join("../roblox-model").join(name), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
}

#[test]
fn attributes_are_set_and_removed() {
    let folder = folder("set");
    for name in ["attributes.rbxm", "attributes.none.rbxm", "attributes.zstd.rbxm", "attributes.rbxmx"] {
        let file = model(&folder, name);
        let original = fs::read(&file).unwrap();
        let values = ["Fuel:Double=0.1", r#"Name="a=b:c""#, "Glow=Color3.new(1, 0.1, 0/0)"];
        let set = ["set", &file, "Folder", values[0], values[1], values[2], "--in-place"];
        assert_eq!(told(&run(&set)), done("3 values added"), "{name}");
        let get = |key: &str| told(&run(&["get", &file, "Folder", key]));
        assert_eq!(get("Fuel").1, "0.1\n");
        assert_eq!(get("Name").1, "\"a=b:c\"\n");
        assert_eq!(get("Glow").1, "Color3.new(1, 0.1, 0/0)\n");
        assert_eq!(get("Vector3").0, 0);
        let copy = folder.join("copy").to_str().unwrap().to_owned();
        let remove = ["set", &file, "Folder", "--remove", "Fuel", "--remove", "Name", "--remove", "Glow", "-o", &copy];
        assert_eq!(told(&run(&remove)), done("3 values removed"));
        assert_eq!(
            told(&run(&["diff", "-q", &copy, &format!("../roblox-model/{name}")])),
            (0, String::new(), String::new())
        );
        if name.ends_with("rbxmx") {
            assert!(fs::read(&copy).unwrap() == original);
        }
        // nothing changes, so nothing is stored again
        let same = ["set", &file, "Folder", "Fuel:Double=0.1", "-o", &copy];
        assert_eq!(told(&run(&same)), changed("0 values"));
        assert!(fs::read(&copy).unwrap() == fs::read(&file).unwrap());
        let (status, _, stderr) = told(&run(&["set", &file, "Folder", "Fuel:Double=1", "-o", &file]));
        assert!(status == 2 && stderr.contains("use --in-place for that"), "{stderr}");
        let (status, _, stderr) = told(&run(&["set", &file, "Folder", "--remove", "Nobody", "--in-place"]));
        assert!(status == 7 && stderr.contains("no value Nobody"), "{stderr}");
    }
}

#[test]
fn attributes_are_set_in_a_pipe() {
    let original = fs::read(fixtures().join("../roblox-model/attributes.rbxm")).unwrap();
    let set = |more: &[&str]| run_with(&[&["set", "-", "Folder"], more].concat(), &original);
    let changed = set(&["Fuel:Double=0.5", "-o", "-"]);
    assert_eq!((changed.status.code(), &changed.stderr[..]), (Some(0), &b"1 value added\n"[..]));
    assert_eq!(told(&run_with(&["get", "-", "Folder", "Fuel"], &changed.stdout)).1, "0.5\n");
    let (status, _, stderr) = told(&set(&["Fuel:Double=0.5", "--in-place"]));
    assert!(status == 2 && stderr.contains("cannot be changed in place"), "{stderr}");
    let (status, _, stderr) = told(&set(&["Spawn:Vector3=1, 2, 3", "-o", "-"]));
    assert!(status == 2 && stderr.contains("expected a Vector3 such as Vector3.new(1, 2, 3), found 1"), "{stderr}");
}

#[test]
fn what_a_file_says_does_not_reach_the_terminal_as_it_is() {
    let file = model(&folder("control"), "tags.rbxm");
    let set = ["set", &file, "Folder", "\"a\tb\n\u{1b}[31mc\"=1", "--any-key", "--in-place"];
    assert_eq!(told(&run(&set)), done("1 value added"));
    assert_eq!(
        told(&run(&["get", &file])).1,
        "Folder\t\"a\\tb\\n\\u{1b}[31mc\"=1\nFolder:Tags\t={\"Cool\", \"My\", \"Tags\"}\n"
    );
    assert_eq!(told(&run(&["get", &file, "Folder:AttributesSerialize"])).1, "\"a\\tb\\n\\u{1b}[31mc\"=1\n");
    let (_, stdout, _) = told(&run(&["diff", "../roblox-model/tags.rbxm", &file]));
    assert_eq!(stdout, "+ Folder \"a\\tb\\n\\u{1b}[31mc\": 1\n");
}

#[test]
fn what_a_file_says_is_escaped_in_errors_too() {
    let name = "a&#27;[31mb&#10;c\u{202e}d";
    let file = r#"<roblox version="4"><Item class="Folder" referent="A"><Properties><string name="Name">NAME</string>
        <SharedString name="AttributesSerialize">KEY</SharedString><string name="PropertiesSerialize">AAAA</string>
        </Properties></Item></roblox>"#;
    let file = file.replace("NAME", name).replace("KEY", "K\u{1b}[31mEY");
    let place = r#""a\u{1b}[31mb\nc\u{202e}d""#;
    for command in ["check", "inspect", "get", "decode", "ls"] {
        let (_, stdout, stderr) = told(&run_with(&[command, "--color", "always", "-"], file.as_bytes()));
        // what `check` finds is its result
        let stderr = if command == "check" { stdout.clone() } else { stderr };
        assert!(stderr.contains("no shared string K\\u{1b}[31mEY\n"), "{command}: {stderr}");
        assert!(stderr.contains(place), "{command}: {stderr}");
        let painted = stderr.replace("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m", "");
        assert!(!painted.contains(['\u{1b}', '\u{202e}']), "{command}: {stderr}");
        assert!(!stdout.contains('\u{1b}') || command == "inspect", "{command}: {stdout}");
        assert_eq!(stdout.contains(place), matches!(command, "check" | "inspect" | "ls"), "{command}: {stdout}");
    }
}

#[test]
fn standard_input_is_compared_with_a_file() {
    for name in ["attributes.rbxm", "attributes.rbxmx"] {
        let path = format!("../roblox-model/{name}");
        let bytes = fs::read(fixtures().join(&path)).unwrap();
        assert_eq!(told(&run_with(&["diff", "-q", "-", &path], &bytes)), (0, String::new(), String::new()));
        assert_eq!(told(&run_with(&["diff", "../roblox-model/tags.rbxm", "-"], &bytes)).0, 1);
    }
    let blob = fs::read(fixtures().join("readable.bin")).unwrap();
    let (status, stdout, stderr) = told(&run_with(&["diff", "../roblox-model/tags.rbxm", "-"], &blob));
    assert_eq!((status, stdout), (2, String::new()));
    assert!(stderr.contains("one of the files is a container and the other a single value"), "{stderr}");
    let arguments = ["diff", "-f", "roblox-attributes", "readable.bin", "-"];
    assert_eq!(told(&run_with(&arguments, &blob)), (0, String::new(), String::new()));
    let (status, _, stderr) = told(&run_with(&["diff", "-", "-"], b""));
    assert!(status == 2 && stderr.contains("only one of the two files can be standard input"), "{stderr}");
}

#[test]
fn a_scan_of_many_files_is_the_same_with_any_number_of_threads() {
    let folder = folder("scan-many");
    let names = ["made.rbxm", "bad/cut.rbxm", "tags.rbxm", "enum-attribute.rbxmx"];
    let files = names.map(|name| fs::read(fixtures().join("../roblox-model").join(name)).unwrap());
    for (number, file) in (0..1300).zip(files.iter().cycle()) {
        fs::write(folder.join(format!("{number}.rbxm")), file).unwrap();
    }
    let folder = folder.to_str().unwrap();
    let [one, two, five] = ["1", "2", "5"].map(|threads| told(&run(&["get", "--json", "--threads", threads, folder])));
    assert!(one == two && one == five);
    let file = |line: &str| serde_json::from_str::<Value>(line).unwrap()["file"].to_string();
    let mut found: Vec<String> = one.1.lines().map(file).collect();
    found.dedup();
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
    let (_, summary, _) = told(&run(&["ls", "--summary", "--json", "-q", folder]));
    let listed = told(&run(&["ls", "--json", "-q", folder])).1;
    let has_values = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["values"].is_u64();
    let values = listed.lines().filter(has_values).count();
    assert!(values > 650, "two of four files have values");
    assert_eq!(serde_json::from_str::<Value>(&summary).unwrap()["values"], values);
}

#[test]
fn a_scan_has_some_threads_and_not_too_many() {
    for threads in ["0", "257", "x"] {
        let (status, stdout, stderr) = told(&run(&["get", "--json", "--threads", threads, "../roblox-model"]));
        assert!(status == 2 && stdout.is_empty() && stderr.contains("--threads"), "{stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_scan_reads_files_and_what_leads_to_them() {
    let folder = folder("scan-links");
    model(&folder, "tags.rbxm");
    for (name, target) in
        [("file.rbxm", "tags.rbxm"), ("lost.rbxm", "nowhere"), ("folder.rbxm", "."), ("null.rbxm", "/dev/zero")]
    {
        std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
    }
    let (status, stdout, stderr) = told(&run(&["get", "--json", folder.to_str().unwrap()]));
    assert_eq!((status, stdout.lines().count()), (3, 2));
    assert!(
        stderr.starts_with("error: cannot read ") && stderr.contains("lost.rbxm") && stderr.lines().count() == 1,
        "{stderr}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_named_once() {
    let (status, stdout, stderr) = told(&run(&["get", "--json", "--threads", "1", "nowhere"]));
    assert!(
        status == 3 && stdout.starts_with(r#"{"file":"nowhere","error":{"message":"cannot read nowhere: "#),
        "{stdout}"
    );
    let (status, _, stderr_of_one) = told(&run(&["get", "nowhere"]));
    assert_eq!((status, &stderr_of_one), (3, &stderr));
    // it could be an address
    let (status, stdout, found) =
        told(&run(&["get", "../roblox-model/tags.rbxm", "../roblox-model/tags.rbxmx", "-q", "--", "nowhere"]));
    assert_eq!((status, &*stdout, &*found), (7, "", ""));
    assert!(stderr.starts_with("error: cannot read nowhere: ") && stderr.matches("nowhere").count() == 1, "{stderr}");
}

#[test]
fn a_style_rule_has_properties_of_its_own() {
    let file = model(&folder("style"), "made.rbxm");
    let set = ["set", &file, "Rule:PropertiesSerialize", "--remove", "On", "--in-place"];
    assert_eq!(told(&run(&set)), done("1 value removed"));
    let line = told(&run(&["decode", &file])).1.lines().find(|line| line.contains("StyleRule")).unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["document"]["entries"], serde_json::json!([]));
    let (status, _, stderr) =
        told(&run(&["set", &file, "Workspace:PropertiesSerialize", "On:Bool=true", "--in-place"]));
    assert!(status == 2 && stderr.contains("is not a StyleRule"), "{stderr}");
}

#[test]
fn a_model_may_begin_with_comments() {
    let folder = folder("comments");
    let file = model(&folder, "tags.rbxmx");
    let text = format!(
        "<?xml version=\"1.0\"?>\n<!-- {} -->\n{}",
        "-".repeat(1000).replace("--", "- "),
        fs::read_to_string(&file).unwrap()
    );
    let before = told(&run(&["decode", &file])).1;
    fs::write(&file, text).unwrap();
    let (status, stdout, stderr) = told(&run(&["decode", &file]));
    assert_eq!((status, stderr), (0, String::new()));
    let tags = |text: &str| serde_json::from_str::<Value>(text.lines().next().unwrap()).unwrap()["tags"].clone();
    assert!(tags(&stdout).is_array());
    assert_eq!(tags(&stdout), tags(&before));
    assert_eq!(told(&run(&["diff", "-q", &file, &file])), (0, String::new(), String::new()));
}

#[test]
fn every_other_attribute_keeps_its_bytes() {
    // a bool of 7, and keys that are there twice
    for name in ["nc.rbxm", "dk.rbxm"] {
        let folder = folder("siblings");
        let file = folder.join(name).to_str().unwrap().to_owned();
        fs::copy(fixtures().join("../hostile/models").join(name), &file).unwrap();
        let blob = |file: &str| {
            let line: Value = serde_json::from_str(told(&run(&["decode", file])).1.lines().next().unwrap()).unwrap();
            let offset = usize::try_from(line["file_offset"].as_u64().unwrap()).unwrap();
            fs::read(file).unwrap()[offset..].to_owned()
        };
        let before = blob(&file);
        let set = ["set", &file, "#0", "New:Bool=true", "--store", "raw", "--in-place"];
        assert_eq!(told(&run(&set)), done("1 value added"));
        let after = blob(&file);
        let count = |blob: &[u8]| u32::from_le_bytes(blob[..4].try_into().unwrap());
        assert_eq!(count(&after), count(&before) + 1);
        // what follows the number of entries is what it was, up to the new entry
        let new = after.windows(8).position(|window| window == b"\x03\0\0\0New\x03").unwrap();
        assert_eq!(after[4..new], before[4..new]);
    }
}

/// Items without a referent, and with the same one, are named by their places.
#[test]
fn items_are_named_by_their_places() {
    for name in ["noref.rbxmx", "dupref.rbxmx"] {
        let folder = folder("places");
        let file = folder.join(name).to_str().unwrap().to_owned();
        fs::copy(fixtures().join("../hostile/models").join(name), &file).unwrap();
        let referent = if name == "noref.rbxmx" { "#" } else { "#R" };
        let (status, _, stderr) = told(&run(&["set", &file, referent, "On:Bool=true", "--in-place"]));
        assert!(status == 2 && stderr.contains("2 instances have the path "), "{stderr}");
        assert!(stderr.contains("use one of these instead: A B\n"), "{stderr}");
        let rows = told(&run(&["check", "--report=json", &file])).1;
        assert!(!rows.contains("@0x"), "{rows}");
        let set = ["set", &file, "B", "On:Bool=true", "--in-place"];
        assert_eq!(told(&run(&set)), done("1 value added"));
        assert_eq!(told(&run(&["get", &file])).1, "B\tOn=true\n");
    }
}

#[test]
fn a_file_that_cannot_be_written_stays_as_it_is() {
    let folder = folder("unwritable");
    let file = model(&folder, "attributes.rbxm");
    let out = folder.join("nowhere/out.rbxm");
    let (status, _, stderr) = told(&run(&["set", &file, "Folder", "On:Bool=true", "-o", out.to_str().unwrap()]));
    assert!(status == 3 && stderr.contains("cannot write"), "{stderr}");
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["attributes.rbxm"]);
}

#[test]
fn a_scan_goes_by_paths_and_takes_each_file_once() {
    let folder = folder("scan-order");
    let mut files: Vec<PathBuf> =
        ["a/x.rbxm", "a.rbxm", "a-b.rbxm", "b/0/y.rbxm", "b.rbxm", "Z.rbxm"].map(|name| folder.join(name)).into();
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(fixtures().join("../roblox-model/made.rbxm"), file).unwrap();
    }
    files.sort();
    let scan = |dirs: &[&Path]| {
        let dirs = dirs.iter().map(|dir| dir.to_str().unwrap());
        let (_, stdout, _) =
            told(&run(&["get", "--json", "-q"].into_iter().chain(dirs).chain(["--"]).collect::<Vec<_>>()));
        let file = |line: &str| serde_json::from_str::<Value>(line).unwrap()["file"].as_str().map(PathBuf::from);
        let mut found: Vec<PathBuf> = stdout.lines().filter_map(file).collect();
        found.dedup();
        found
    };
    assert_eq!(scan(&[&folder]), files);
    assert_eq!(scan(&[&folder.join("b.rbxm"), &folder.join("a"), &folder]), files);
}

#[test]
fn the_parts_of_a_scan_are_the_scan() {
    let folder = folder("parts");
    for number in 0..99 {
        let within = folder.join(format!("{}", number % 3));
        fs::create_dir_all(&within).unwrap();
        fs::copy(fixtures().join("../roblox-model/made.rbxm"), within.join(format!("{number}.rbxm"))).unwrap();
    }
    fs::write(folder.join("0/text.txt"), "no model").unwrap();
    fs::write(folder.join(".ignore"), "2/35.rbxm\n").unwrap();
    let dir = folder.to_str().unwrap();
    let scan = |more: &[&str]| {
        let (status, stdout, _) = told(&run(&[&["get", "--json", "-q", dir], more].concat()));
        // one of the values is broken
        assert_eq!(status, 4);
        stdout
    };
    let whole = scan(&[]);
    assert_eq!(whole.lines().count(), 98 * 6 - 98, "the value of Path2D has no line");
    assert_eq!(whole, scan(&["--threads", "1"]));
    // each file is in one part of a list
    let files: Vec<_> = (0..99).filter(|number| *number != 35).collect();
    let parts = files.chunks(33).map(|part| {
        let list: String = part.iter().map(|number| format!("{dir}/{}/{number}.rbxm\n", number % 3)).collect();
        told(&run_with(&["get", "--json", "-q", "--files-from", "-"], list.as_bytes())).1
    });
    let parts: String = parts.collect();
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!((parts.lines().count(), sorted(&parts)), (whole.lines().count(), sorted(&whole)));
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (status, stdout, _) = told(&run(&["completions", shell]));
        assert!(status == 0 && stdout.contains("max-depth"), "{shell}");
    }
    let (status, page, _) = told(&run(&["man", "get"]));
    assert!(status == 0 && page.contains(".TH enginewire-get 1") && page.contains("\\-\\-files\\-from"), "{page}");
    let (_, page, _) = told(&run(&["man"]));
    assert!(page.contains("\\-\\-max\\-memory"), "{page}");
    let folder = folder("man");
    assert_eq!(told(&run(&["man", "--dir", folder.to_str().unwrap()])), (0, String::new(), String::new()));
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name()).collect();
    assert!(pages.len() >= 12 && pages.iter().all(|page| !page.to_str().unwrap().contains("help")), "{pages:?}");
}

#[test]
fn models_are_read_from_standard_input_too() {
    let bytes = fs::read(fixtures().join("../roblox-model/attributes.rbxm")).unwrap();
    let (status, stdout, _) = told(&run_with(&["check"], &bytes));
    assert_eq!((status, &stdout[..]), (0, "standard input: ok, 1 value: 1 canonical\n"));
    let (status, stdout, _) = told(&run_with(&["check", "-v"], &bytes));
    let line = "standard input: Folder: ok, 15 entries, canonical\n";
    assert!(status == 0 && stdout.starts_with(line) && stdout.lines().count() == 2, "{stdout}");
    let (status, stdout, _) = told(&run_with(&["get", "-", "Folder", "Vector3"], &bytes));
    assert!(status == 0 && stdout.starts_with("Vector3.new("), "{stdout}");
}

#[test]
fn no_golden_file_is_left_over() {
    let golden = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")).unwrap();
    for file in golden {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(CASES.iter().any(|(case, _)| name == format!("{case}.txt")), "{name} belongs to no case");
    }
}

#[test]
fn the_version() {
    let (status, stdout, _) = told(&run(&["--version"]));
    assert_eq!((status, stdout), (0, format!("enginewire {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let blob = fs::read(fixtures().join("readable.bin")).unwrap();
    let expected = fs::read_to_string(fixtures().join("readable.json")).unwrap();
    assert_eq!(told(&run_with(&["decode"], &blob)), (0, expected.clone(), String::new()));
    assert_eq!(told(&run_with(&["decode", "-"], &blob)), (0, expected.clone(), String::new()));
    assert_eq!(run_with(&["encode"], expected.as_bytes()).stdout, blob);
    let (_, stdout, _) = told(&run_with(&["check", "-v", "empty.bin", "-"], &blob));
    assert!(stdout.ends_with("standard input: ok, 8 entries, canonical\n"), "{stdout}");
}

#[test]
fn every_document_gives_its_blob_again() {
    for name in ["readable", "all-types", "made-cframe", "made-odd", "empty"] {
        let encoded = run(&["encode", &format!("{name}.json")]);
        assert_eq!(encoded.stdout, fs::read(fixtures().join(name).with_extension("bin")).unwrap(), "{name}");
        let (_, decoded, _) = told(&run(&["decode", "-f", "roblox-attributes", &format!("{name}.bin")]));
        assert_eq!(decoded, fs::read_to_string(fixtures().join(name).with_extension("json")).unwrap(), "{name}");
    }
}

#[test]
fn bytes_may_be_written_as_text() {
    let expected = "standard input: ok, 1 entry, canonical\n";
    for (writing, text) in [
        ("hex", "01000000010000006a0301"),
        ("hex", "01 00 00 00\n01 00 00 00 6A\r\n\t03 01\n"),
        ("base64", "AQAAAAEAAABqAwE="),
        ("base64", "AQAAAAEAAABqAwE"),
        ("base64", "AQAA AAEA\nAABq AwE=\n"),
    ] {
        let output = told(&run_with(&["check", "--input", writing], text.as_bytes()));
        assert_eq!(output, (0, expected.to_owned(), String::new()), "{text:?}");
    }
}

#[test]
fn broken_text_is_told_with_its_place() {
    for (writing, text, expected) in [
        ("hex", "01 00\n 0g", "'g' is not a hex digit, at line 2, column 3"),
        ("hex", "01 0", "odd number of hex digits, at line 1, column 4"),
        ("base64", "AAAA\nA*==", "'*' is not a base64 digit, at line 2, column 2"),
        ("base64", "AAAA=AAA", "'=' is not a base64 digit, at line 1, column 5"),
        ("base64", "AAAAA", "incomplete base64 text, at line 1, column 5"),
        ("base64", "AB==", "base64 text with unused bits that are not 0, at line 1, column 2"),
    ] {
        let output = told(&run_with(&["decode", "--input", writing], text.as_bytes()));
        let expected = format!("error: {expected}\n  --> standard input\n");
        assert_eq!(output, (4, String::new(), expected), "{text:?}");
    }
}

#[test]
fn after_a_bad_file_the_others_are_done_and_the_highest_status_counts() {
    let (status, stdout, stderr) = told(&run(&["decode", "missing.bin", "bad/trailing.bin", "readable.bin"]));
    assert_eq!((status, stdout), (4, fs::read_to_string(fixtures().join("readable.json")).unwrap()));
    assert!(stderr.starts_with("error: cannot read missing.bin: "), "{stderr}");
    let several = ["check", "-q", "-f", "roblox-attributes", "bad/truncated.bin", "bad/trailing.bin", "readable.bin"];
    assert_eq!(told(&run(&several)).0, 5);
    assert_eq!(told(&run(&["check", "-q", "--canonical", "-f", "roblox-attributes", "zero-length.bin"])).0, 1);
    assert_eq!(told(&run(&["check", "-q", "missing.bin", "readable.bin"])).0, 3);
}

#[test]
fn a_folder_is_read_where_several_files_are() {
    let (status, stdout, stderr) = told(&run(&["diff", "bad", "readable.bin"]));
    assert_eq!((status, stdout.as_str()), (3, ""));
    // of a file and a folder, the file of its name in the folder is compared
    assert!(stderr.starts_with("error: cannot read bad/readable.bin: "), "{stderr}");
    // what reads values reads those of the files in it
    let (status, stdout, stderr) = told(&run(&["ls", "bad"]));
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: none of the ") && stderr.contains("name their format with -f"), "{stderr}");
    let (status, stdout, _) = told(&run(&["ls", "-q", "-f", "roblox-attributes", "bad"]));
    assert_eq!((status, stdout.lines().filter(|line| line.contains("not-canonical.bin")).count()), (5, 1));
}

#[test]
fn a_file_is_written_whole_and_nothing_else() {
    let folder = folder("write");
    let out = folder.join("torch.bin");
    let expected = fs::read(fixtures().join("readable.bin")).unwrap();
    // once where nothing is, once over the file that is there then
    for _ in 0..2 {
        let (status, stdout, stderr) = told(&run(&["encode", "readable.json", "-o", out.to_str().unwrap()]));
        assert_eq!((status, stdout, stderr), (0, String::new(), String::new()));
        assert_eq!(fs::read(&out).unwrap(), expected);
    }
    let output = run(&["encode", "bad/wrong-value.json", "-o", out.to_str().unwrap()]);
    assert_eq!((output.status.code(), fs::read(&out).unwrap()), (Some(4), expected));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let nowhere = folder.join("no/torch.bin");
    let (status, _, stderr) = told(&run(&["encode", "readable.json", "-o", nowhere.to_str().unwrap()]));
    assert_eq!(status, 3);
    assert!(stderr.starts_with(&format!("error: cannot write {}: ", nowhere.display())), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_file_written_over_keeps_its_permissions_and_a_link_stays_one() {
    use std::os::unix::fs::{symlink, PermissionsExt};
    let folder = folder("permissions");
    let (file, link) = (folder.join("file.bin"), folder.join("link.bin"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    assert!(run(&["encode", "readable.json", "-o", link.to_str().unwrap()]).status.success());
    assert_eq!(fs::read(&file).unwrap(), fs::read(fixtures().join("readable.bin")).unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert!(run(&["encode", "readable.json", "-o", "/dev/null"]).status.success());
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for args in [&["inspect"][..], &["inspect", "--json"], &["decode"], &["check", "-v"], &["encode", "--text", "hex"]]
    {
        let file = if args[0] == "encode" { "all-types.json" } else { "all-types.bin" };
        let many = vec![file; 3000];
        let mut program = program();
        let mut child = program.args(args).args(many).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        // by SIGPIPE, as other programs
        let expected = if cfg!(unix) { None } else { Some(3) };
        assert_eq!((output.status.code(), output.stderr.as_slice()), (expected, &b""[..]), "{args:?}");
    }
}

#[test]
fn colours_are_there_when_wanted() {
    let colored = |args: &[&str], variable: Option<(&str, &str)>| {
        let output = program().args(args).arg("readable.bin").envs(variable).output().unwrap();
        output.stdout.contains(&b'\x1b')
    };
    assert!(!colored(&["inspect"], None));
    assert!(!colored(&["inspect", "--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(colored(&["inspect", "--color", "always"], None));
    assert!(colored(&["inspect"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!colored(&["inspect"], Some(("NO_COLOR", "1"))));
    assert!(!colored(&["decode", "--color", "always"], None));
}

#[test]
fn colours_change_nothing_else() {
    for blob in blobs() {
        let plain = told(&run(&["inspect", &blob]));
        let colored = told(&run(&["inspect", "--color", "always", &blob]));
        let stripped = (colored.0, without_escapes(&colored.1), without_escapes(&colored.2));
        assert_eq!(stripped, plain, "{blob}");
    }
}

fn without_escapes(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| plain + piece.split_once('m').unwrap().1)
}

#[test]
fn eighty_columns_are_enough() {
    let long = [b"\x01\0\0\0\x01\0\0\0a\x02\xe8\x03\0\0".to_vec(), vec![b'x'; 1000]].concat();
    let wide = "木".repeat(100);
    let wide = [b"\x01\0\0\0\x01\0\0\0a\x02\x2c\x01\0\0", wide.as_bytes()].concat();
    let mut outputs = vec![run_with(&["inspect"], &long), run_with(&["inspect"], &wide)];
    outputs.extend(blobs().iter().map(|blob| run(&["inspect", blob])));
    outputs.extend(blobs().iter().map(|blob| run(&["inspect", fixtures().join(blob).to_str().unwrap()])));
    for output in outputs {
        for (number, line) in told(&output).1.lines().enumerate() {
            let columns: usize = line.chars().map(|char| if char == '木' { 2 } else { 1 }).sum();
            // the name of a file is not cut
            assert!(columns <= 80 || number == 0, "{columns} columns: {line}");
            assert_eq!(line, line.trim_end());
        }
    }
}

#[test]
fn long_fields_are_cut_unless_all_is_asked_for() {
    let long = [b"\x01\0\0\0\x01\0\0\0a\x02\xe8\x03\0\0".to_vec(), vec![b'x'; 1000]].concat();
    let (_, short, _) = told(&run_with(&["inspect"], &long));
    assert!(short.contains("… 968 more bytes"), "{short}");
    assert_eq!(short.matches("xxxxxxxx │").count(), 4);
    let (_, full, _) = told(&run_with(&["inspect", "-v"], &long));
    assert_eq!(full.matches(" 78 78 78 78 78 78 78 78  xxxxxxxx ").count(), 125);
}

/// Every byte belongs to one field or to the gap.
#[test]
fn the_tree_as_json_covers_the_input() {
    for blob in blobs() {
        let (_, stdout, _) = told(&run(&["inspect", "--json", "-f", "roblox-attributes", &blob]));
        let mut reader = serde_json::Deserializer::from_str(&stdout);
        reader.disable_recursion_limit();
        let tree: Value = serde::Deserialize::deserialize(&mut reader).unwrap();
        let mut covered = 0;
        cover(&tree["nodes"], &mut covered);
        if let Some(gap) = tree.get("gap") {
            assert_eq!(gap["start"], covered, "{blob}");
            covered = gap["end"].as_u64().unwrap();
        }
        assert_eq!(tree["length"], covered, "{blob}");
        assert_eq!(tree.get("error").is_some(), blob.starts_with("./bad/") && !blob.contains("canonical"), "{blob}");
    }
}

/// Follows the fields that have no parts.
fn cover(nodes: &Value, covered: &mut u64) {
    for node in nodes.as_array().unwrap() {
        assert_eq!(node["start"], *covered);
        match node.get("children") {
            Some(children) => cover(children, covered),
            None => *covered = node["end"].as_u64().unwrap(),
        }
        assert_eq!(node["end"], *covered);
    }
}

/// Endless input: `check` reads it in pieces and holds one entry at a time, whatever size the entry declares.
#[cfg(unix)]
#[test]
fn input_without_an_end() {
    let text = |entry: &[u8]| [b"\xff\xff\xff\xff", entry].concat();
    let endless = "standard input: error: unexpected bytes after the end of the value, at byte 0x4\n";
    let too_large = "standard input: error: an item takes more than the limit of 65536 bytes, at byte 0x4 in \
                     entries[0]; raise the limit with --max-memory\n";
    for (head, piece, expected) in [
        (b"\0\0\0\0".to_vec(), &b"\0"[..], endless),
        (text(b"\x01\0\0\0a\x07\xff\xff\xff\xff"), b"\x03\x01", too_large),
        (text(b"\x01\0\0\0a\x02\xff\xff\xff\xff"), b"x", too_large),
        (text(b"\x01\0\0\0a\x17\xff\xff\xff\xff"), b"x", too_large),
    ] {
        let output = told(&fed_without_end(&["check", "-f", "roblox-attributes", "--max-memory", "64K"], &head, piece));
        assert_eq!(output, (4, expected.to_owned(), String::new()));
    }
    for command in ["decode", "inspect", "encode"] {
        let args = [command, "--max-memory", "64k"];
        let output = told(&fed_without_end(&args, b"\xff\xff\xff\xff", b"\0\0\0\0\x03\x01"));
        let expected = "error: cannot read standard input: it is larger than 64K; raise the limit with --max-memory\n";
        assert_eq!(output, (3, String::new(), expected.to_owned()), "{command}");
    }
}

/// Feeds `head`, and then `piece` repeatedly, until the program stops reading.
#[cfg(unix)]
fn fed_without_end(args: &[&str], head: &[u8], piece: &[u8]) -> Output {
    let mut program = program();
    program.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let pieces = piece.repeat(10_000);
    let mut result = stdin.write_all(head);
    while result.is_ok() {
        result = stdin.write_all(&pieces);
    }
    child.wait_with_output().unwrap()
}

/// The peak memory, in kB, of checking this many thousand entries. The memory limit is enough for one entry.
#[cfg(target_os = "linux")]
fn peak_of_checking(thousands: u32) -> u64 {
    let mut program = program();
    program.args(["check", "--max-memory", "64K"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let entries = b"\x05\0\0\0Hello\x03\x01".repeat(1000);
    let count = thousands * 1000;
    stdin.write_all(&count.to_le_bytes()).unwrap();
    (1..thousands).for_each(|_| stdin.write_all(&entries).unwrap());
    // all except the last thousand have been checked by now, or are in the pipe
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.trim().trim_end_matches(" kB").parse().unwrap();
    stdin.write_all(&entries).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(told(&output), (0, format!("standard input: ok, {count} entries, canonical\n"), String::new()));
    peak
}

/// 220 kB of entries, and 11 MB.
#[cfg(target_os = "linux")]
#[test]
fn checking_takes_no_more_memory_than_an_entry() {
    let (few, many) = (peak_of_checking(20), peak_of_checking(1000));
    assert!(many < few + 1024, "{few} kB for a little, {many} kB for much");
}

#[cfg(unix)]
#[test]
fn files_that_are_none() {
    let folder = folder("abuse");
    let sparse = folder.join("sparse.bin");
    fs::File::create(&sparse).unwrap().set_len(2 << 30).unwrap();
    let sparse = sparse.to_str().unwrap();
    let (status, stdout, _) = told(&run(&["check", "-f", "roblox-attributes", sparse]));
    let expected = format!("{sparse}: error: unexpected bytes after the end of the value, at byte 0x4\n");
    assert_eq!((status, stdout), (4, expected));
    for command in ["inspect", "decode", "encode", "check"] {
        if command != "check" {
            let expected =
                format!("error: cannot read {sparse}: it is larger than 1M; raise the limit with --max-memory\n");
            assert_eq!(told(&run(&[command, "--max-memory", "1M", sparse])), (3, String::new(), expected));
        }
        let (status, stdout, stderr) = told(&run(&[command, "missing.bin"]));
        assert_eq!((status, stdout.as_str()), (3, ""), "{command}");
        assert!(stderr.starts_with("error: cannot read missing.bin: No such file or directory"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let secret = folder("permission").join("secret.bin");
    fs::write(&secret, "").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let mut program = if fs::read(&secret).is_ok() {
        // root may read everything, so somebody else has to try
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--clear-groups", env!("CARGO_BIN_EXE_enginewire")]);
        other
    } else {
        program()
    };
    // nor may somebody else write where coverage is noted
    let output = program.env("LLVM_PROFILE_FILE", "/dev/null").arg("check").arg(&secret).output().unwrap();
    if matches!(output.status.code(), Some(126 | 127)) {
        println!("skipped, for nobody else may run the program here: {}", told(&output).2);
        return;
    }
    let expected = format!("error: cannot read {}: Permission denied (os error 13)\n", secret.display());
    assert_eq!(told(&output), (3, String::new(), expected));
}

/// `script`, which most systems have, gives the program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn bytes_are_not_written_to_a_terminal() {
    let line = format!("{} encode --color never readable.json", env!("CARGO_BIN_EXE_enginewire"));
    let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(fixtures()).output();
    let Ok(output) = output else {
        println!("skipped, for there is no `script`");
        return;
    };
    let expected = "error: refusing to write binary to a terminal; use -o FILE, a pipe, or --text hex\r\n";
    assert_eq!(told(&output), (2, expected.to_owned(), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for args in [&["decode", "readable.bin"][..], &["inspect", "readable.bin"], &["encode", "readable.json"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let (status, _, stderr) = told(
            &program().args(args).stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap(),
        );
        assert_eq!(status, 3, "{args:?}");
        assert!(stderr.starts_with("error: cannot write to standard output: No space left"), "{stderr}");
    }
}

/// A length beyond a small file is one that is wrong, and no reason to ask for more memory.
#[test]
fn a_file_that_lies_about_its_size_is_cut_off() {
    let file = folder("lies").join("lies.bin");
    fs::write(&file, b"\x01\0\0\0\x01\0\0\0a\x02\xff\xff\xff\xff").unwrap();
    let (status, out, _) = told(&run(&["check", "-f", "roblox-attributes", file.to_str().unwrap()]));
    assert!(status == 5 && out.contains("error: input ends too early: 4294967295 bytes needed, 0 left"), "{out}");
}

#[test]
fn sizes_are_numbers_with_a_unit() {
    for size in ["", "M", "0", "-1", "1.5M", "99999999999G", "8MB"] {
        let (status, _, stderr) = told(&run(&["decode", &format!("--max-memory={size}"), "readable.bin"]));
        assert_eq!(status, 2, "{size}");
        assert!(stderr.contains("--max-memory"), "{stderr}");
    }
    for size in ["206", "1k", "1K", "2M", "1G"] {
        assert_eq!(told(&run(&["decode", "--max-memory", size, "readable.bin"])).0, 0, "{size}");
    }
    let expected = "error: cannot read readable.bin: it is larger than 205 bytes; raise the limit with --max-memory\n";
    let output = told(&run(&["decode", "--max-memory", "205", "readable.bin"]));
    assert_eq!(output, (3, String::new(), expected.to_owned()));
}

/// The deepest nesting that can be asked for does not end the program.
#[test]
fn the_deepest_nesting() {
    let levels = b"\x07\x01\0\0\0".repeat(127);
    let deep = [b"\x01\0\0\0\x01\0\0\0a", &levels[..], b"\x03\x01"].concat();
    for command in [&["inspect"][..], &["inspect", "--json"], &["check"], &["decode"]] {
        let output = run_with(&[command, &["--max-depth", "128"]].concat(), &deep);
        assert_eq!((output.status.code(), told(&output).2), (Some(0), String::new()), "{command:?}");
        if command == ["decode"] {
            assert_eq!(run_with(&["encode"], &output.stdout).stdout, deep);
        }
    }
    let deep = [b"\x1c\0\0\0\x01\0\0\0".repeat(1024), vec![0; 4]].concat();
    for command in [&["inspect"][..], &["inspect", "--json"], &["check"], &["decode"], &["ls", "--summary"]] {
        let output = run_with(&[command, &["-f", "godot-4"]].concat(), &deep);
        assert_eq!((output.status.code(), told(&output).2), (Some(0), String::new()), "{command:?}");
        if command == ["decode"] {
            assert_eq!(run_with(&["encode"], &output.stdout).stdout, deep);
        }
    }
}

/// The output of a shell that runs this line in a folder.
#[cfg(unix)]
fn typed(folder: &Path, line: &str) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_enginewire")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", &path).env("EDITOR", "true").env_remove("VISUAL");
    shell.current_dir(folder).output().unwrap()
}

/// The help of a verb fits a screen, in lines that a terminal does not break.
#[test]
fn the_help_fits_a_screen() {
    for verb in ["ls", "get", "set", "edit", "copy", "diff", "check", "inspect", "decode", "encode", "convert", "help"]
    {
        let (_, help, _) = told(&run(&[verb, "--help"]));
        assert!(help.lines().count() <= 40, "{verb}: {} lines", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{verb}: {help}");
        assert_eq!(told(&run(&["help", verb])).1, help);
    }
}

/// The commands of the README and of `docs/program.md` run unchanged, in their order, and do what these pages say.
#[cfg(unix)]
#[test]
fn the_commands_of_the_readme_and_of_its_next_page_run() {
    let folder = folder("readme");
    fs::copy(fixtures().join("readable.bin"), folder.join("value.bin")).unwrap();
    let item = |class: &str, name: &str, inside: &str| {
        format!(r#"<Item class="{class}"><Properties><string name="Name">{name}</string>{inside}</Item>"#)
    };
    let torch = item("Part", "Torch", r#"<BinaryString name="AttributesSerialize"></BinaryString></Properties>"#);
    let place = item("Workspace", "Workspace", &format!("</Properties>{torch}"));
    let place = format!(r#"<roblox version="4">{place}</roblox>"#);
    fs::create_dir(folder.join("places")).unwrap();
    for name in ["place.rbxl", "old.rbxl"] {
        fs::write(folder.join(name), &place).unwrap();
    }
    assert!(typed(&folder, "enginewire set place.rbxl Workspace.Torch Fuel:Double=7 --in-place").status.success());
    for name in ["new.rbxl", "places/a.rbxl"] {
        fs::copy(folder.join("place.rbxl"), folder.join(name)).unwrap();
    }
    assert!(typed(&folder, "enginewire set old.rbxl Workspace.Torch On=true --in-place").status.success());
    fs::copy(fixtures().join("../roblox-model/made.rbxm"), folder.join("broken.rbxl")).unwrap();
    for (from, to) in [
        ("roblox-remote/several.dump", "a.dump"),
        ("scrap-mechanic-lua/save-v28.db", "save.db"),
        ("scrap-mechanic-lua/save-v28.db", "old.db"),
        ("scrap-mechanic-lua/mixed.blueprint.json", "blueprint.json"),
        ("godot-4/project_v4.binary", "project.binary"),
        ("godot-files/v3/gcpf/zstd/save.ini", "save.cfg"),
        ("godot-files/v4/pck/plain.pck", "game.pck"),
        ("godot-files/v4/scn/main.scn", "main.scn"),
        ("godot-files/text/scene.tscn", "main.tscn"),
    ] {
        fs::copy(fixtures().join("..").join(from), folder.join(to)).unwrap();
    }
    for (from, to) in [("place.rbxl", "old"), ("old.rbxl", "new")] {
        fs::create_dir(folder.join(to)).unwrap();
        fs::copy(folder.join(from), folder.join(to).join("a.rbxl")).unwrap();
    }
    let [readme, page] =
        ["README.md", "docs/program.md"].map(|name| fs::read_to_string(crate::root().join(name)).unwrap());
    let lines = readme.lines().skip_while(|line| *line != "## As a program").chain(page.lines());
    let lines = lines.filter_map(|line| line.strip_prefix("$ ")).filter(|line| line.starts_with("enginewire "));
    let said: Vec<_> = lines
        .map(|line| {
            let (status, stdout, stderr) = told(&typed(&folder, line));
            (line.split_whitespace().nth(1).unwrap(), status, stdout, stderr)
        })
        .collect();
    let statuses: Vec<_> = said.iter().map(|(command, status, _, _)| (*command, *status)).collect();
    // the value is one of Roblox, and not valid in Godot
    let expected = [
        ("inspect", 0),
        ("decode", 0),
        ("check", 4),
        ("get", 0),
        ("set", 0),
        ("diff", 1),
        // and those of the next page
        ("inspect", 0),
        ("encode", 0),
        ("decode", 0),
        ("inspect", 0),
        ("get", 0),
        ("decode", 4),
        ("ls", 0),
        ("get", 0),
        ("set", 0),
        ("set", 0),
        ("copy", 0),
        ("check", 0),
        ("check", 4),
        ("check", 0),
        ("edit", 0),
        ("set", 0),
        ("set", 0),
        ("ls", 0),
        ("get", 0),
        ("set", 0),
        ("get", 0),
        ("set", 0),
        ("diff", 1),
        ("check", 0),
        ("check", 0),
        ("ls", 0),
        ("get", 0),
        ("copy", 0),
        ("get", 0),
        ("get", 0),
        ("get", 0),
        ("set", 0),
        ("ls", 0),
        ("convert", 0),
        ("ls", 0),
        ("get", 0),
        ("copy", 0),
        ("copy", 0),
        ("copy", 0),
        ("set", 0),
        ("check", 0),
        ("check", 0),
        ("ls", 0),
        ("convert", 0),
        ("convert", 0),
        ("set", 0),
        ("set", 0),
        ("set", 0),
        ("set", 0),
        ("get", 0),
        ("set", 0),
        ("set", 0),
    ];
    assert_eq!(statuses, expected, "{said:?}");
    assert_eq!(fs::read(folder.join("value.bin")).unwrap(), fs::read(fixtures().join("readable.bin")).unwrap());
    assert_eq!(said[3].2, "7\n");
    assert_eq!(typed(&folder, "enginewire get place.rbxl Workspace.Torch Fuel").stdout, b"42\n");
    assert!(said[5].2.contains("Fuel"), "{}", said[5].2);
    assert!(said[13].2.contains("Fuel=42"), "{}", said[13].2);
    assert!(said[15].3.contains("1 value would change"), "{}", said[15].3);
    assert_eq!(said[24].2, "places/a.rbxl\tWorkspace.Torch\tFuel=7\n");
    assert_eq!(said[28].2, "a.rbxl: 1 added, 1 removed\n");
}

/// Objects go back to where they came from, into a copy, and nothing else changes.
#[test]
fn objects_are_put_back_into_what_carried_them() {
    let folder = folder("put");
    let carriers = fixtures().join("../scrap-mechanic-lua");
    let decode = |file: &Path| {
        let output = run(&["decode", file.to_str().unwrap()]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().replace(file.to_str().unwrap(), "FILE")
    };
    for (name, from, to) in [
        ("save-v28.db", "8299857", "Anna"),
        ("save-v24.db", "\"value\":false", "\"value\":true"),
        ("mixed.blueprint.json", "sliderPos", "a longer name"),
    ] {
        let (original, copy) = (carriers.join(name), folder.join(name));
        let before = fs::read(&original).unwrap();
        let [into, out] = [&original, &copy].map(|path| path.to_str().unwrap());
        let lines = decode(&original);
        let same = run_with(&["encode", "--into", into, "-o", out], lines.as_bytes());
        assert_eq!(told(&same), (0, String::new(), String::new()));
        assert_eq!(decode(&copy), lines);
        let changed = lines.replace(from, to);
        assert_ne!(changed, lines);
        let put = run_with(&["encode", "--into", into, "-o", out], changed.as_bytes());
        assert_eq!(told(&put), (0, String::new(), String::new()));
        assert_eq!(decode(&copy), changed);
        assert_eq!(fs::read(&original).unwrap(), before);

        let again = run_with(&["encode", "--into", out, "--in-place"], lines.as_bytes());
        assert_eq!(told(&again), (0, String::new(), String::new()));
        assert_eq!(decode(&copy), lines);
        let over = run_with(&["encode", "--into", out, "-o", out], lines.as_bytes());
        assert_eq!(told(&over).2, "error: the copy would overwrite the original; use --in-place for that\n");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing else is left there");
}

#[test]
fn what_cannot_be_put_back_is_told_and_changes_nothing() {
    let folder = folder("put-wrong");
    let carriers = fixtures().join("../scrap-mechanic-lua");
    let copy = folder.join("copy.db");
    fs::copy(carriers.join("save-v28.db"), &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    let object = r#"{"format": "scrap-mechanic-lua", "version": 1, "type": "Nil", "value": null}"#;
    let good = format!(r#"{{"table": "ScriptData", "row": 1, "document": {object}}}"#);
    for (lines, status, message) in [
        (
            format!("{good}\nnonsense"),
            4,
            "error: expected JSON objects as written by `decode`: expected a JSON value at line 2 column 2\n  --> standard input: line 2",
        ),
        (
            format!(
                r#"{good}
{{"table": "ScriptData", "row": 99, "document": {object}}}"#
            ),
            4,
            "error: the file has no value with this address; decode it again if it has changed since",
        ),
        (
            format!(r#"{{"body": 0, "child": 0, "document": {object}}}"#),
            4,
            "error: the file has no value with this address; decode it again if it has changed since",
        ),
        (good.replace("\"Nil\"", "\"Nile\""), 4, "error: unknown name Nile (did you mean Nil?) at line 1 column 61, in type"),
    ] {
        let output = run_with(&["encode", "--into", copy.to_str().unwrap(), "--in-place"], lines.as_bytes());
        let (found, _, told) = told(&output);
        assert!(found == status && told.starts_with(message), "{found}: {told}");
        assert_eq!(fs::read(&copy).unwrap(), before);
    }
    let text = folder.join("text");
    fs::write(&text, "neither").unwrap();
    let output = run_with(&["encode", "--into", text.to_str().unwrap(), "--in-place"], good.as_bytes());
    assert!(told(&output).2.starts_with("error: the document names no format that is known"));
    // a file of something else is not replaced by a document
    let output = run_with(&["encode", "--into", text.to_str().unwrap(), "--in-place"], object.as_bytes());
    assert!(told(&output)
        .2
        .starts_with("error: the file is not a value of the format scrap-mechanic-lua, and is not replaced: "));
    assert_eq!(fs::read_to_string(&text).unwrap(), "neither");
    let output = run(&["encode", "--in-place"]);
    assert_eq!(told(&output).0, 2);
}

#[test]
fn a_save_is_read_from_standard_input_too() {
    let save = fs::read(fixtures().join("../scrap-mechanic-lua/save-v24.db")).unwrap();
    let output = run_with(&["decode"], &save);
    let expected = told(&run(&["decode", "../scrap-mechanic-lua/save-v24.db"]));
    let named = |text: &str| text.replace("standard input", "../scrap-mechanic-lua/save-v24.db");
    let (status, stdout, stderr) = told(&output);
    assert_eq!((status, named(&stdout), named(&stderr)), expected);
}

/// Runs the program in a folder. Returns its status, output and errors.
fn run_in(folder: &Path, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    let child = command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    told(&child.wait_with_output().unwrap())
}

/// Paths that SQLite would read as a URI or as an in-memory database are paths of files here.
#[test]
fn the_path_of_a_save_is_a_path() {
    let folder = folder("save-paths");
    let save = fixtures().join("../scrap-mechanic-lua/save-v24.db");
    for name in ["file:x.db", ":memory:", "file:x.db?mode=memory", "file:%41"] {
        fs::copy(&save, folder.join(name)).unwrap();
        let (status, lines, _) = run_in(&folder, &["decode", name], b"");
        assert!(status == 0 && lines.lines().count() > 5, "{name}: {lines}");
        let put = run_in(&folder, &["encode", "--into", name, "-o", "file:copy"], lines.as_bytes());
        assert_eq!(put, (0, String::new(), String::new()));
        let put = run_in(&folder, &["encode", "--into", name, "--in-place"], lines.as_bytes());
        assert_eq!(put, (0, String::new(), String::new()));
        assert_eq!(run_in(&folder, &["decode", "file:copy"], b"").1, lines.replace(name, "file:copy"));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 5, "nothing is beside them");
}

/// No verb runs what a hostile schema holds, or writes anything.
#[test]
fn hostile_saves_in_every_verb() {
    let folder = folder("save-hostile");
    let hostile = fixtures().join("../scrap-mechanic-lua/hostile");
    let mut count = 0;
    for entry in fs::read_dir(&hostile).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        fs::copy(entry.path(), folder.join(&name)).unwrap();
        let expected = if matches!(&*name, "h4.db" | "h10.db") { 0 } else { 4 };
        for verb in ["decode", "check", "inspect", "ls"] {
            let (status, _, errors) = run_in(&folder, &[verb, &name], b"");
            assert_eq!(status, expected, "{verb} {name}: {errors}");
        }
        let line = r#"{"table": "ScriptData", "row": 1, "document":
            {"format": "scrap-mechanic-lua", "version": 1, "type": "Nil", "value": null}}"#
            .replace('\n', "");
        let put = run_in(&folder, &["encode", "--into", &name, "-o", "new.db"], line.as_bytes());
        assert_eq!(put.0, if name == "h4.db" { 0 } else { 4 }, "{name}: {}", put.2);
        if name == "h4.db" {
            let lines = |name: &str| run_in(&folder, &["decode", name], b"").1.replace(name, "FILE");
            let (before, after) = (lines("h4.db"), lines("new.db"));
            let changed = before.lines().zip(after.lines()).filter(|(before, after)| before != after).count();
            assert_eq!((before.lines().count(), after.lines().count(), changed), (15, 15, 1));
            fs::remove_file(folder.join("new.db")).unwrap();
        }
        assert_eq!(fs::read(folder.join(&name)).unwrap(), fs::read(entry.path()).unwrap());
        count += 1;
        assert_eq!(fs::read_dir(&folder).unwrap().count(), count, "nothing else is there");
    }
    assert_eq!(count, 10);
}

/// A save that another program has open: its log is copied too, a lock is not reported as a fault of the file, and a
/// file is not replaced while it has a log, which would be taken for a part of the new one.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_save_that_is_open_elsewhere() {
    let folder = folder("save-open");
    fs::copy(fixtures().join("../scrap-mechanic-lua/save-v28.db"), folder.join("save.db")).unwrap();
    let lines = run_in(&folder, &["decode", "save.db"], b"").1;
    let other = rusqlite::Connection::open(folder.join("save.db")).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
    other
        .execute("UPDATE ScriptData SET data = (SELECT data FROM ScriptData WHERE rowid = 2) WHERE rowid = 1", [])
        .unwrap();
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM ScriptData").unwrap();
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let before = [read("save.db"), read("save.db-wal")];
    let (status, changed, errors) = run_in(&folder, &["decode", "save.db"], b"");
    assert_eq!((status, &*errors), (0, ""));
    assert!(changed != lines && changed.lines().count() == lines.lines().count());
    let put = run_in(&folder, &["encode", "--into", "save.db", "-o", "copy.db"], b"");
    let part = "warning: save.db-wal is part of the save: the copy has what it holds, the file alone does not\n  --> save.db\n";
    assert_eq!(put, (0, String::new(), part.to_owned()));
    assert_eq!(run_in(&folder, &["decode", "copy.db"], b"").1, changed.replace("save.db", "copy.db"));
    assert_eq!([read("save.db"), read("save.db-wal")], before);
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["copy.db", "save.db", "save.db-shm", "save.db-wal"]);

    let locked = "another program, perhaps the game, is using the save; close it and try again";
    let other_rows = changed.replacen("0.33252558", "0.5", 1);
    assert_ne!(other_rows, changed);
    let put = run_in(&folder, &["encode", "--into", "save.db", "--in-place"], other_rows.as_bytes());
    assert_eq!(put, (3, String::new(), format!("error: {locked}\n  --> save.db\n")));
    let put = run_in(&folder, &["encode", "--into", "copy.db", "-o", "save.db"], b"");
    assert!(put.0 == 3 && put.2.contains("save.db-wal is part of the save to replace"), "{}", put.2);
    assert_eq!([read("save.db"), read("save.db-wal")], before);

    let other = rusqlite::Connection::open(folder.join("copy.db")).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    for verb in ["decode", "check", "inspect", "ls"] {
        let (status, _, errors) = run_in(&folder, &[verb, "copy.db"], b"");
        assert!(status == 3 && errors.contains(&format!("error: cannot read copy.db: {locked}\n")), "{verb}: {errors}");
    }
}

/// One place that is changed twice, in one file of lines or in two.
#[test]
fn a_place_is_changed_once() {
    let folder = folder("put-twice");
    let carriers = fixtures().join("../scrap-mechanic-lua");
    for name in ["save-v28.db", "logic.blueprint.json"] {
        fs::copy(carriers.join(name), folder.join(name)).unwrap();
        let before = fs::read(folder.join(name)).unwrap();
        let lines = run_in(&folder, &["decode", name], b"").1;
        let first = lines.lines().next().unwrap();
        let twice = format!("{lines}\n{first}\n");
        let number = twice.lines().count();
        let (status, _, errors) = run_in(&folder, &["encode", "--into", name, "--in-place"], twice.as_bytes());
        let row = "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]";
        let place = if name == "save-v28.db" { row } else { "bodies[0].childs[0]" };
        let message = format!("error: {place} is already changed by line 1\n  --> standard input: line {number}\n");
        assert!(status == 4 && errors.starts_with(&message), "{errors}");
        assert_eq!(fs::read(folder.join(name)).unwrap(), before);
    }
}

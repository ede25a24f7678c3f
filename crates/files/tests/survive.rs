//! Values that other tools do not keep: each row of the table finds its smallest value, and not the same value mended. The page
//! `docs/others.md` is written from the table.

use std::fmt::Write;

use enginewire::formats::{self, FormatOptions};
use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::ContainerKind;
use enginewire_files::survive::{check, named, Harm, Held, Row, ROWS, TOOLS};
use pretty_assertions::assert_eq;

use crate::support::golden::golden;

/// For each row a value that its tools do not keep, what becomes of it, and a value that they keep.
const PAIRS: &[(&str, &str, &str)] = &[
    ("{a = Axes.new()}", "no attribute beside this Axes is read; files keep the bytes", r#"{a = "X"}"#),
    (r#"{["\xff"] = true}"#, "no attribute beside this text is read; files keep the bytes", "{a = true}"),
    (
        "{a = BrickColor.new(4)}",
        "no attribute beside the number 4 is read; files keep the bytes",
        "{a = BrickColor.new(5)}",
    ),
    ("{a = Axes.new()}", "no attribute beside this Axes is read", r#"{a = "X"}"#),
    (r#"{["\xff"] = true}"#, "no attribute beside this text is read", "{a = true}"),
    ("{a = BrickColor.new(4)}", "no attribute beside the number 4 is read", "{a = BrickColor.new(5)}"),
    (
        "{a = Axes.new(), b = 1}",
        "GetAttributes finds none beside this Axes, and SetAttribute replaces them all by the new one",
        r#"{a = "X", b = 1}"#,
    ),
    (
        r#"{a = Font.new("\xff")}"#,
        "GetAttributes finds none beside this text, and SetAttribute replaces them all by the new one",
        r#"{a = Font.new("F")}"#,
    ),
    (
        "{a = BrickColor.new(4)}",
        "GetAttributes finds none beside the number 4, and SetAttribute replaces them all by the new one",
        "{a = Color3.new(1, 0, 0)}",
    ),
    (
        "{a = CFrame.new(0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5)}",
        "the matrix becomes 1, 0, 0, 0, 1, 0, 0, 0, 1",
        "{a = CFrame.new(0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2)}",
    ),
    ("\u{19}\x01\0\0\0\0\0\x40\x3f", "the envelope 0.75 becomes 0", "\u{19}\x01\0\0\0\0\0\0\0"),
    (
        r#"{a = Font.new("F", Enum.FontWeight:FromValue(450))}"#,
        "the weight 450 becomes 400",
        r#"{a = Font.new("F", Enum.FontWeight.Bold)}"#,
    ),
    (
        r#"{a = Font.new("F", Enum.FontWeight.Bold, Enum.FontStyle:FromValue(2))}"#,
        "the style 2 becomes 0",
        r#"{a = Font.new("F", Enum.FontWeight.Bold, Enum.FontStyle.Italic)}"#,
    ),
    ("{a = BrickColor.new(65730)}", "the number becomes 194", "{a = BrickColor.new(194)}"),
    ("{a = 1, a = 2}", "only the last of this name is kept", "{a = 1, b = 2}"),
    (
        "{a = Vector2.new(math.huge, 0)}",
        "syncback writes inf as null, and the next build of the whole project fails",
        "{a = Vector2.new(1e30, 0)}",
    ),
    ("{a = 1e-23}", "build reads what syncback wrote as 1.0000000000000001e-23", "{a = 1e-22}"),
    ("{RBX_a = true}", "syncback leaves it out", "{rbx_a = true}"),
    ("{a = 5000000000}", "SetAttribute stores 705032704", r#"{a = "5000000000"}"#),
    ("{a = CFrame.new(0.1, 0, 0)}", "SetAttribute rounds it to 0.1000061", "{a = CFrame.new(0.125, 0, 0)}"),
    (r#"{a = "\xff"}"#, "SetAttribute refuses it", r#"{a = "/w=="}"#),
    (r#"{["a b"] = true}"#, "SetAttribute refuses the name", "{a_b = true}"),
    ("{a = Float(-math.huge)}", "-inf is read as null, which cannot be set", r#"{a = "-inf"}"#),
    ("{a = -0}", "it becomes 0 when it is set again", "{a = 0}"),
    ("s/k: Vector2(1, inf)", "it saves inf in a form that it cannot load, nor what follows", "s/k: [1.0, inf]"),
    ("s/k: -inf", "it saves -inf.0, which it cannot load, nor what follows", "s/k: inf"),
    ("s/ü: 1", "each byte of the name becomes a character, so that nothing has this name", "s/u: 1"),
    ("s/a b: 1", "it loads the key without the blank, so that nothing has this name", "s/a_b: 1"),
    ("s/k: Vector2(0.3333333, 1)", "it saves 0.333333", "s/k: Vector2(0.333333, 1)"),
    (r#"s/k: {"a": 1, "a": 2}"#, "only the last of this name is kept", r#"s/k: {"a": 1, "b": 2}"#),
    (r#"s/k: {"b": 1, "a": 2}"#, r#"it sorts the keys, so that "a" comes first"#, r#"s/k: {"a": 2, "b": 1}"#),
    ("s/k: -0.0", "it saves 0.0", "s/k: 0.0"),
    ("s/k: null", "it saves neither the null nor its key", "s/k: [null]"),
    ("s/k: null", "it saves neither the null nor its key", "s/k: [null]"),
    (r#"s/k: {"a": 1, "a": 2}"#, "only the last of this name is kept", r#"s/k: {"a": 1, "b": 2}"#),
    (r#"n: {"__meta__": {"a": 1}}"#, "it loads none of it", r#"n: {"metadata/a": 1}"#),
    ("s/k: [-0.0]", "it saves 0.0", "s/k: [0.0]"),
    ("s/k: 0.10000000149011612", "it saves 0.1, or reads a neighbour", "s/k: 0.1"),
    (r#"s/k: {"b": 1, "a": 2}"#, r#"it sorts the keys, so that "a" comes first"#, r#"s/k: {"a": 2, "b": 1}"#),
    ("[RID()]", "RID is an error, so that nothing of the whole value is read", "[null]"),
    ("PoolRealArray(1.5)", "PoolRealArray is read as an array of another type", "[1.5]"),
    ("Vector2(1.5, 2.5)", "Vector2 is written as a Dictionary", "[1.5, 2.5]"),
    (r#"NodePath("a")"#, "NodePath is written as a String", r#""a""#),
    ("PoolIntArray(1)", "PoolIntArray is written as an Array", "[1]"),
    (
        "[PoolByteArray(1), 2]",
        "what follows these bytes is read from the wrong place",
        "[PoolByteArray(1, 2, 3, 4), 2]",
    ),
    ("{1: 2}", "the key becomes a String", r#"{"1": 2}"#),
    ("2147483648", "2147483648 is written as a Dictionary of low, high and unsigned", "2147483647"),
    ("1.0", "it is written as the int 1", "1"),
    ("1e300", "1e300 cannot be written", r#""1e300""#),
    ("0.1", "it is written as 0.10000000149011612", "0.5"),
    (
        "[]",
        "Array is an error, or is read or written as another type: the package has the numbers of Godot 3",
        r#""[]""#,
    ),
    ("s/k: Vector2(1, 2)", "Vector2 is an error, so that nothing of the file is read", "s/k: [1.0, 2.0]"),
    (r#"s/k: "a\nb""#, "it is an error, so that nothing of the file is read", r#"s/k: ["a", "b"]"#),
    ("s/k: [-inf]", "it dumps -inf in a form that Godot cannot load, nor the rest of the file", r#"s/k: ["-inf"]"#),
    ("s/k: {1: 2}", "the key becomes a String", r#"s/k: {"1": 2}"#),
    (
        "part: {mode = 1}",
        "a logic gate with data gets a new id and loses its connections; most other parts are refused",
        "",
    ),
];

/// Scripts about tools that have no rows, with what they show to those who use such values.
const BESIDE: &[(&str, &str)] = &[
    ("godot-matrices", "Godot 4 writes a Basis row by row in texts and bytes, and axis by axis in scripts and in `JSON.from_native`"),
    ("godot-json-native", "`JSON.from_native` of Godot 4 loses NaN inside vectors and packed arrays, and digits of long floats"),
    ("godot-expression", "`Expression` of Godot 4 reads `1_000` as 1 and `2 if false else 3` as 2, without an error"),
    ("godot-equality", "`[1] == [1.0]` is false in Godot 4, though `1 == 1.0`: compare with what was read from JSON item by item"),
    ("godot-half", "`store_half` and `encode_half` of Godot 4 cut digits off, and write numbers below 2 ** -14 as 0"),
    ("godot-strings", "`c_unescape` of Godot 4 turns what `c_escape` wrote for `C:\\new` into a line end; its rows of CSV end at a carriage return"),
    ("node-sqlite3-wasm", "node-sqlite3-wasm ends texts at their first zero, and stores a bigint beyond 64 bits as another number"),
    ("sql-js", "sql.js rounds integers beyond 2 ** 53, and exports a database with another header"),
    ("wasmoon", "wasmoon (Lua in JavaScript) rounds integers beyond 2 ** 53, ends texts at their first zero, and takes the keys 1 and `\"1\"` for one"),
    ("ini-readers", "configparser, ini (npm) and rust-ini on a ConfigFile: texts of several lines become sections, and types are lost"),
    ("babel-godot", "Babel-Godot finds no text in a PackedStringArray, nor under a name with a slash"),
    ("pyfastlz-native", "pyfastlz-native gives other bytes of the same length for FastLZ of level 2"),
    ("lz4-frames", "py-lz4framed and lz4-napi read one of two frames; py-lz4framed gives no bytes after a skippable frame"),
    ("lz4js", "lz4js gives other bytes of frames with checksums of blocks"),
    ("numpy-tables", "pyarrow ends bytes of numpy at their first zero; DuckDB takes rows of a numpy array for columns, and NaN for NULL"),
    ("godot-sort", "`sort` of Godot 4 puts a list with numbers and texts, or with a NaN, in no order, without an error"),
    ("godot-3-json", "`JSON.print` of Godot 3 has six digits after the point; 3.2 loses the numbers of byte and colour arrays, and reads its own -INF as 0"),
    ("construct", "construct (Python) builds other bytes than it parsed: bits of a FlagsEnum without a name, a Flag of 2, the end of a Prefixed part"),
    ("npm-structs", "restructure and typed-struct write what fits of a number or length: 300 in a byte is 44"),
    ("python-structs", "dissect.cstruct writes texts and lists that are too long as they are; `decode` of leb128 (PyPI) takes all bytes for one number"),
    ("json-like-npm", "cbor-x and msgpackr write -0 as 0, and msgpackr a Float32Array as its bytes; bson writes a bigint beyond 64 bits as another number"),
    ("serde-binary", "ciborium and rmp-serde read Some(None) back as None; ciborium reads no integer as a float"),
    ("table-keys", "0.0 and -0.0 are two keys for pyarrow, one for DuckDB and polars; `is_in([0.1])` of polars finds no 0.1 of 32 bits"),
    ("luau-numbers", "`tonumber` of Luau reads neither 0b11 nor 1_000, and `-ff` with base 16 as a number near 2 ** 64; `buffer.writeu8` makes 44 of 300"),
    ("mlua-json", "mlua writes a text that is not UTF-8, and a buffer, as a list of numbers in JSON, and the keys 1 and `\"1\"` as the same key"),
    ("deku-bytes", "deku (Rust) reads a negative number of `bytes = 3` as a positive one, and cuts one that is too large; `bits = 24` is right"),
];

/// The harm that the tools of a row do to a value in the notation of its format, with its address before it if the row is about a kind of
/// file; without the other rows.
fn harms(row: &Row, text: &str) -> Vec<Harm> {
    let format = formats::by_name(row.formats[0]).unwrap();
    let kind = row.carriers.first().and_then(|name| ContainerKind::named(name).next());
    let (address, text) = match kind {
        None => (Address::of_file(), text),
        Some(_) => {
            let (address, text) = text.split_once(": ").unwrap_or_default();
            let names = address.split('/').map(Component::name);
            (Address::new(Syntax::Settings, names), text)
        }
    };
    let bytes = match text.strip_prefix('\u{19}') {
        // a text has no envelopes
        Some(keypoint) => {
            let end = [&keypoint.as_bytes()[..4], &keypoint.as_bytes()[4..], &[0; 16]].concat();
            [&b"\x01\0\0\0\x01\0\0\0a\x19"[..], &end].concat()
        }
        None => format.encode_notation(text, &FormatOptions::new()).unwrap_or_else(|error| panic!("{text}: {error}")),
    };
    let tree = format.inspect(&bytes, &FormatOptions::new());
    assert_eq!(tree.error(), None, "{text}");
    let tools: Vec<_> = row.tools.iter().map(|name| named(name).unwrap()).collect();
    let held = Held { format: format.name(), bytes: &bytes, carrier: kind, address: &address };
    let mut found = Vec::new();
    check(&tools, held, &tree, &mut |harm| {
        found.push(harm);
        Ok::<_, ()>(())
    })
    .unwrap();
    found
}

#[test]
fn each_row_finds_its_value_and_not_the_mended_one() {
    assert_eq!(PAIRS.len(), ROWS.len());
    for (row, (harmed, outcome, mended)) in ROWS.iter().zip(PAIRS) {
        let found = harms(row, harmed);
        let told: Vec<_> = found.iter().filter(|harm| std::ptr::eq(harm.row, row)).collect();
        assert_eq!(told.len(), row.tools.len(), "{harmed}: {}: {found:#?}", row.values);
        assert_eq!(told[0].outcome, *outcome, "{harmed}");
        if !mended.is_empty() {
            let found = harms(row, mended);
            assert!(found.is_empty(), "{mended}: {found:#?}");
        }
    }
}

/// Rojo, Lune and rbx-dom keep the bytes of attributes that they cannot read.
#[test]
fn attributes_that_are_not_read_are_not_changed() {
    let half = ROWS.iter().find(|row| row.tools.len() == 3).unwrap();
    let text = "{a = CFrame.new(0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5), b = Axes.new()}";
    let told: Vec<_> = harms(half, text).iter().map(|harm| (harm.tool.name, harm.path.to_string())).collect();
    let place = r#"entries[1] "b".value.type"#.to_owned();
    assert_eq!(told, [("rbx-dom", place.clone()), ("lune", place)]);
}

/// The text of a float of 32 bits, 1443497500, is that of another number in 64.
#[test]
fn numbers_of_32_bits_are_taken_as_they_are() {
    let whole = ROWS.iter().find(|row| row.outcome == "SetAttribute stores {}").unwrap();
    assert!(harms(whole, "{a = Float(1443497472)}").is_empty());
    assert_eq!(harms(whole, "{a = Float(5000000000)}")[0].outcome, "SetAttribute stores 705032704");
}

/// Godot 3 saves a float as one of 32 bits.
#[test]
fn numbers_beyond_32_bits_are_saved_as_infinite() {
    let digits = ROWS.iter().find(|row| row.values.contains("six digits")).unwrap();
    assert_eq!(harms(digits, "s/k: 1e300")[0].outcome, "it saves inf");
    assert_eq!(harms(digits, "s/k: 1e-300")[0].outcome, "it saves 0.0");
    assert!(harms(digits, "s/k: 1e30").is_empty());
}

/// The properties of a node and the fields of a connection are not sorted, and dictionaries among them are.
#[test]
fn what_is_no_dictionary_in_the_file_is_not_sorted() {
    let format = formats::by_name("godot-4").unwrap();
    let address = Address::new(Syntax::Nodes, [Component::name("A")]);
    let told = |text: &str| {
        let bytes = format.encode_notation(text, &FormatOptions::new()).unwrap();
        let (tree, carrier) =
            (format.inspect(&bytes, &FormatOptions::new()), ContainerKind::named("godot-text").next());
        let (held, mut found) = (Held { format: "godot-4", bytes: &bytes, carrier, address: &address }, Vec::new());
        check(&[named("godot-4").unwrap()], held, &tree, &mut |harm| {
            found.push(harm.outcome);
            Ok::<_, ()>(())
        })
        .unwrap();
        found
    };
    assert_eq!(told(r#"{"b": 1, "a": 2}"#), [""; 0]);
    assert_eq!(told(r#"[{"signal": "ready", "from": "."}]"#), [""; 0]);
    assert_eq!(told(r#"{"b": [{"d": 1}, {"d": 2}]}"#), [""; 0]);
    assert_eq!(told(r#"{"b": {10: 1, 9: 2}}"#), ["it sorts the keys, so that 9 comes first"]);
    assert_eq!(told(r#"{"b": {9: 1, 10: 2, "a": 3, 1: 4}}"#), [""; 0]);
    assert_eq!(told(r#"{"b": {"d": 1, "c": 2}}"#), [r#"it sorts the keys, so that "c" comes first"#]);
}

#[test]
fn the_page_is_written_from_the_table() {
    let mut page = "# What other tools do with the same values\n\n".to_owned();
    page += "`enginewire check --for TOOL FILE` reports each value of a file that a tool below changes, loses or refuses, with its \
             address, what\nwould come of it, and what to do. Several tools are given as `--for rojo,lune`. A test writes this page \
             from the table in\n[survive.rs](../crates/files/src/survive.rs).\n\nEach row was seen with the version that is named, \
             on valid values; other versions may differ. A script in [findings](../findings)\nshows it again and fails if the tool \
             has changed. What is not listed was not looked at.\n";
    for tool in &TOOLS {
        write!(page, "\n## {}\n\n`--for {}`: {}.\n\n", tool.version, tool.name, tool.about).unwrap();
        page += "| value | in | effect | outcome | instead | evidence |\n|---|---|---|---|---|---|\n";
        for row in ROWS.iter().filter(|row| row.tools.contains(&tool.name)) {
            let is_of_kinds = row.carriers.iter().all(|name| !name.is_empty()) && !row.carriers.is_empty();
            let places = if is_of_kinds { row.carriers } else { row.formats }.join(", ");
            let evidence = match row.evidence.strip_prefix("findings/") {
                Some(script) => format!("[{script}](../{})", row.evidence),
                None => row.evidence.to_owned(),
            };
            let (values, outcome) = (row.values, row.outcome.replace("{}", "…"));
            writeln!(page, "| {values} | {places} | {} | {outcome} | {} | {evidence} |", row.effect.name(), row.advice)
                .unwrap();
        }
    }
    page +=
        "\n## More\n\nValues that are read or written in these ways too need care; `check` has no rows for them.\n\n";
    for (script, shown) in BESIDE {
        writeln!(page, "- {shown}: [{script}.sh](../findings/{script}.sh)").unwrap();
    }
    golden("../../docs/others.md", &page);
}

#[test]
fn every_script_of_the_table_is_there() {
    for row in ROWS {
        let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(row.evidence);
        assert!(!row.evidence.starts_with("findings/") || script.exists(), "{}", row.evidence);
        assert!(row.tools.iter().all(|name| named(name).is_some()), "{:?}", row.tools);
    }
    for (script, _) in BESIDE {
        let script = format!("{}/../../findings/{script}.sh", env!("CARGO_MANIFEST_DIR"));
        assert!(std::path::Path::new(&script).exists(), "{script}");
    }
}

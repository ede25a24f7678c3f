#!/usr/bin/env python3
"""Puts values that `enginewire check --for` warns about through the real tools. It needs the network, and is not part of the gate.

    findings/mended.py PROGRAM                 files that are warned about, and the same files mended by `enginewire set`
    findings/mended.py PROGRAM FOLDER...       the values of other people's files: none that was warned about may come back unharmed
    findings/mended.py PROGRAM --chains        attributes through Rojo, Lune and rbx_types, in every order

`--tools FOLDER` keeps what is installed; compiling the tools takes some minutes. `--for rojo,lune` takes only these.
"""

import argparse
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from pathlib import Path

CHAINED = ["rojo", "lune", "rbx-dom"]
ROBLOX = [*CHAINED, "rbx-dom-npm"]
GODOT = ["godot-3.2", "godot-3.6", "godot-4"]

RUST = """
[package]
name = "through"
version = "0.0.0"
edition = "2021"

[dependencies]
lune-roblox = "=0.4.1"
mlua = { version = "=0.12.2", features = ["luau"] }
rbx_binary = "=3.0.1"
rbx_dom_weak = "=4.2.0"
rbx_types = "=3.1.0"
"""

# Lines of hexadecimal digits, attributes each; with `lune`, the keys that SetAttribute refuses come after them.
MAIN = r"""
use lune_roblox::document::{Document, DocumentKind};
use lune_roblox::instance::instance_to_lua;
use mlua::{Function, Lua};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use rbx_types::{Attributes, BinaryString, Variant};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn written(attributes: Attributes) -> Vec<u8> {
    let mut bytes = Vec::new();
    attributes.to_writer(&mut bytes).unwrap();
    bytes
}

fn lune(lua: &Lua, again: &Function, blob: &[u8]) -> (Vec<u8>, Vec<String>) {
    let serialized = Variant::BinaryString(BinaryString::from(blob.to_vec()));
    let dom = WeakDom::new(InstanceBuilder::new("Folder").with_property("AttributesSerialize", serialized));
    let mut file = Vec::new();
    rbx_binary::to_writer(&mut file, &dom, &[dom.root_ref()]).unwrap();
    let instance = Document::from_bytes(file, DocumentKind::Model).unwrap().into_instance_array().unwrap().remove(0);
    let is_refused = |key: &String| {
        let this = instance_to_lua(lua, instance.clone()).unwrap();
        again.call::<()>((this, lua.create_string(key).unwrap())).is_err()
    };
    let refused = instance.get_attributes().keys().filter(|key| is_refused(key)).map(|key| hex(key.as_bytes())).collect();
    if instance.get_attributes().is_empty() {
        instance.set_attribute("new", Variant::Bool(true));
    }
    let Some(Variant::Attributes(attributes)) = instance.get_property("Attributes") else { panic!("no attributes") };
    (written(attributes), refused)
}

fn main() {
    let is_lune = std::env::args().nth(1).as_deref() == Some("lune");
    let lua = Lua::new();
    let again: Function = lua.load("return function(x, k) x:SetAttribute(k, x:GetAttribute(k)) end").eval().unwrap();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let byte = |at: usize| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
        let blob: Vec<u8> = (0..line.len()).step_by(2).map(byte).collect();
        if is_lune {
            let (bytes, refused) = lune(&lua, &again, &blob);
            println!("{} {}", hex(&bytes), refused.join(" "));
        } else {
            println!("{}", Attributes::from_reader(&blob[..]).map_or_else(|error| format!("error: {error}"), |read| hex(&written(read))));
        }
    }
}
"""

# The same for packages of npm.
RBX_DOM_NPM = """
import { Attributes } from "rbx-dom";
const again = (line) => {
  const attributes = Attributes.decode(Buffer.from(line, "hex"));
  const refused = Object.keys(attributes.toJSON()).filter((key) => {
    try {
      attributes.set(key, attributes.get(key));
    } catch {
      return true;
    }
  });
  return [attributes.encode(), ...refused.map((key) => Buffer.from(key))].map((bytes) => bytes.toString("hex")).join(" ");
};
"""
GD_COM = """
import { createRequire } from "node:module";
const { getVar, putVar } = createRequire(import.meta.url)("@gd-com/utils");
const again = (line) => putVar(getVar(Buffer.from(line, "hex")).value).toString("hex");
"""
LINES = """
import { readFileSync } from "node:fs";
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  try {
    console.log(again(line));
  } catch (error) {
    console.log(`error: ${String(error.message).split("\\n")[0]}`);
  }
}
"""

# Each file that is named, loaded and saved beside it; by Godot 3, which saves what it cannot load, loaded and saved again.
GODOT_3 = """
extends SceneTree
func _init():
	for path in OS.get_cmdline_args():
		if path.ends_with(".cfg"):
			var config = ConfigFile.new()
			if config.load(path) == OK and config.save(path + ".after.cfg") == OK:
				config = ConfigFile.new()
				if config.load(path + ".after.cfg") == OK:
					config.save(path + ".after.cfg")
				else:
					Directory.new().remove(path + ".after.cfg")
	quit()
"""
GODOT_4 = """
extends SceneTree
func _init() -> void:
	for path in OS.get_cmdline_user_args():
		if path.ends_with(".cfg"):
			var config := ConfigFile.new()
			if config.load(path) == OK:
				config.save(path + ".after.cfg")
		else:
			var resource := ResourceLoader.load(path)
			if resource:
				ResourceSaver.save(resource, path + ".after.tres")
	quit()
"""


class Tools:
    """The real tools: each is installed when it is first used."""

    def __init__(self, folder):
        self.folder = folder

    def blobs(self, tool, blobs):
        """The result for each: bytes and the keys that were refused, or an error."""
        if tool == "rojo":
            return self.rojo(blobs)
        lines = "".join(blob.hex() + "\n" for blob in blobs)
        out = subprocess.run(self.command(tool), input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(out) == len(blobs), out
        results = []
        for line in out:
            if line.startswith("error: "):
                results.append(line)
            else:
                bytes_, *refused = [bytes.fromhex(part) for part in line.split()]
                results.append((bytes_, refused))
        return results

    def command(self, tool):
        folder = self.folder / ("npm" if tool in ("rbx-dom-npm", "gd-com") else "rust")
        if not folder.exists():
            (folder / "src").mkdir(parents=True)
            if folder.name == "rust":
                (folder / "Cargo.toml").write_text(RUST)
                (folder / "src/main.rs").write_text(MAIN)
            else:
                (folder / "package.json").write_text("{}")
                packages = ["rbx-dom@0.3.0", "@gd-com/utils@5.0.0"]
                subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], cwd=folder, check=True)
        if folder.name == "rust":
            subprocess.run(["cargo", "build", "--quiet"], cwd=folder, check=True)
            target = Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"))
            return [target / "debug/through", tool]
        script = folder / f"{tool}.mjs"
        script.write_text((GD_COM if tool == "gd-com" else RBX_DOM_NPM) + LINES)
        return ["node", script]

    def rojo(self, blobs):
        """A place with one instance for each: written into files, and built from these."""
        folder, rojo = self.folder / "rojo", self.folder / "rojo/bin/rojo"
        if not rojo.exists():
            subprocess.run(["cargo", "install", "--quiet", "--locked", "--debug", "--root", folder, "rojo@7.7.1"], check=True)
        with tempfile.TemporaryDirectory() as project:
            project = Path(project)
            (project / "src").mkdir()
            tree = {"$className": "DataModel", "ReplicatedStorage": {"$path": "src"}}
            (project / "default.project.json").write_text(json.dumps({"name": "seen", "tree": tree}))
            items = "".join(item("Configuration", f"n{at:04}", blob) for at, blob in enumerate(blobs))
            (project / "in.rbxlx").write_text(f'<roblox version="4">{item("ReplicatedStorage", "ReplicatedStorage", b"", items)}</roblox>')
            for arguments in ("syncback default.project.json --input in.rbxlx -y", "build default.project.json -o out.rbxlx"):
                done = subprocess.run([rojo, "--color", "never", *arguments.split()], capture_output=True, text=True, cwd=project)
                if done.returncode:  # the whole project is refused for one of them
                    half = len(blobs) // 2
                    return self.rojo(blobs[:half]) + self.rojo(blobs[half:]) if half else ["error: " + done.stderr.splitlines()[0]]
            text = (project / "out.rbxlx").read_text()
        parts = re.findall(r'"Name">n\d+<.*?</Properties>', text, re.DOTALL)
        value = re.compile(r'"AttributesSerialize">(?:<!\[CDATA\[)?([^<\]]*)')
        assert len(parts) == len(blobs)
        return [(b64decode(found[1]) if (found := value.search(part)) else EMPTY, []) for part in parts]

    def files(self, tool, paths):
        """Loads and saves each file: it is beside it afterwards, if it could be loaded."""
        version, suite, package, script = {
            "godot-3.2": ("3.2.3.", "bookworm", "godot3-server", GODOT_3),
            "godot-3.6": ("3.6.2.", "sid", "godot3-server", GODOT_3),
            "godot-4": ("4.6.3.", "sid", "godot", GODOT_4),
        }[tool]
        folder = self.folder / tool
        if not (folder / "unpacked").exists():
            install(folder, suite, package)
        game = folder / "game"
        game.mkdir(exist_ok=True)
        (game / "project.godot").write_text(f"config_version={5 if tool == 'godot-4' else 4}\n")
        (game / "seen.gd").write_text(script)
        unpacked = folder / "unpacked"
        program = unpacked / "usr/bin" / package
        library = unpacked / "usr/lib/x86_64-linux-gnu"
        libraries = [library, *(library / name for name in ("pulseaudio", "blas", "lapack")), unpacked / "lib/x86_64-linux-gnu"]
        loader = next(path for library in libraries if (path := library / "ld-linux-x86-64.so.2").exists())
        command = [loader, "--library-path", ":".join(map(str, libraries)), program, *(["--headless"] if tool == "godot-4" else [])]
        environment = {**os.environ, "HOME": str(folder)}
        seen = subprocess.run([*command, "--version"], capture_output=True, text=True, env=environment).stdout
        assert seen.startswith(version), seen
        for at in range(0, len(paths), 1000):
            arguments = ["--path", game, "--script", game / "seen.gd", *(["--"] if tool == "godot-4" else []), *paths[at : at + 1000]]
            subprocess.run([*command, *arguments], capture_output=True, env=environment, check=True)


EMPTY = struct.pack("<I", 0)


def item(kind, name, blob, inner=""):
    serialized = f'<BinaryString name="AttributesSerialize">{b64encode(blob).decode()}</BinaryString>' if blob else ""
    return f'<Item class="{kind}" referent="{name}"><Properties>{serialized}<string name="Name">{name}</string></Properties>{inner}</Item>'


def install(folder, suite, package):
    """Unpacks a package of Debian with all that it needs."""
    apt = ["etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/lib/dpkg", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"]
    for name in apt:
        (folder / "root" / name).mkdir(parents=True, exist_ok=True)
    (folder / "root/var/lib/dpkg/status").touch()
    signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    (folder / "root/etc/apt/sources.list").write_text(f"deb {signed} http://deb.debian.org/debian {suite} main\n")
    (folder / "apt.conf").write_text(
        f'Dir "{folder}/root"; Dir::State::status "{folder}/root/var/lib/dpkg/status"; APT::Architecture "amd64"; '
        'APT::Sandbox::User "root"; APT::Install-Recommends "false"; Acquire::Check-Valid-Until "false";'
    )
    environment = {**os.environ, "APT_CONFIG": str(folder / "apt.conf")}
    for arguments in (["update"], ["--download-only", "--yes", "install", package]):
        subprocess.run(["apt-get", "-qq", *arguments], check=True, env=environment, capture_output=True)
    for archive in (folder / "root/var/cache/apt/archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", archive, folder / "unpacked"], check=True)


class Program:
    """This project's program."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        table = self.run("check", "--for", "help").decode().splitlines()
        self.versions = {name: rest.strip().split(": ")[0] for name, rest in (line.split(" ", 1) for line in table)}

    def run(self, *arguments, good=(0,), **options):
        done = subprocess.run([self.path, *arguments], capture_output=True, **options)
        assert done.returncode in good, (arguments, done.stderr.decode())
        return done.stdout

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments, good=range(8)).decode().splitlines()]

    def documents(self, path, *options):
        """The values of a file, by the names that they have there."""
        lines = self.lines("decode", *options, path)
        return {name(line): line.get("document", line) for line in lines if line.get("document", line)}

    def bytes(self, document):
        return self.run("encode", input=json.dumps(document).encode())

    def warned(self, tool, path, *options):
        """The values that are warned about, each with the numbers of its entries, or None for all of it."""
        found = defaultdict(set)
        for line in self.lines("check", "--report", "json", "--for", tool, *options, path):
            if not line["ok"] and line["error"]["message"].startswith(self.versions[tool] + ": "):
                entry = re.match(r"(?:dictionary\.)?entries\[(\d+)\]", line["error"].get("path", ""))
                found[name(line)].add(int(entry[1]) if entry else None)
        return found


def name(line):
    return tuple(line.get(part) for part in ("instance", "referent", "section", "key", "node"))


def plain(tool, document):
    """A value without what the tool may change: Lune stores numbers of all types alike."""
    if tool == "lune" and document.get("type") in ("Int", "Float", "Double"):
        value = document["value"]
        return {**document, "type": "Double", "value": float(value) if isinstance(value, int) else value}
    return document


def parts(tool, document):
    """The entries of attributes by name, or one whole value. Earlier entries of a name have a number, too."""
    found = {}
    for entry in document.get("entries", ()):
        if earlier := found.get(entry["key"]):
            found[entry["key"], len(found)] = earlier
        found[entry["key"]] = plain(tool, entry)
    return found or {None: {**document, "version": None}}


def unharmed(tool, before, after):
    """The parts of a value that are what they were."""
    kept = parts(tool, after)
    # as texts, for 0.0 equals -0.0
    return {key for key, part in parts(tool, before).items() if key in kept and json.dumps(kept[key]) == json.dumps(part)}


# Files before they are changed: suffix, content, address of the value, options for its format.
TWO = struct.pack("<II", 2, 1) + b"a\3\1" + struct.pack("<I", 1) + b"a\3\0"
MODEL = (".rbxmx", item("Folder", "F", b"").join(['<roblox version="4">', "</roblox>"]).encode(), ["F"], [])
CONFIG_3 = (".cfg", b"[s]\nk=0\n", ["s/k"], ["-f", "godot-3"])
CONFIG_4 = (".cfg", b"[s]\nk=0\n", ["s/k"], ["-f", "godot-4"])
RESOURCE = (".tres", b'[gd_resource type="Resource" format=3]\n\n[resource]\nmetadata/a = 0\n', [":resource"], [])
TWICE = (".rbxmx", MODEL[1].replace(item("Folder", "F", b"").encode(), item("Folder", "F", TWO).encode()), ["F"], [])
RESOURCE_3 = (".tres", RESOURCE[1].replace(b"format=3", b"format=2"), [":resource"], [])
STREAM = (".bin", struct.pack("<3I", 19, 1, 0), [], ["-f", "godot-3"])

# A tool, a file, a change that harms it, and one that mends it.
PAIRS = [
    ("rojo", MODEL, ["a=math.huge"], ["a=1e300"]),
    ("rojo", MODEL, ["a=0.9590727554976809"], ["a=0.95907"]),
    ("rojo", MODEL, ["RBX_a=true"], ["--rename", "RBX_a", "rbx_a"]),
    ("lune", MODEL, ["a=5000000000"], ['a:String="5000000000"']),
    ("lune", MODEL, ['["a b"]=true'], ["--rename", '["a b"]', "a_b"]),
    ("lune", MODEL, ["a=Axes.new()", "b=1"], ['a:String="X"']),
    ("lune", MODEL, ['a="\\xff"'], ['a="/w=="']),
    ("lune", MODEL, ["a=Vector3.new(0.1, 2, math.huge)"], ["a=Vector3.new(0.125, 2, 1e30)"]),
    ("rbx-dom", MODEL, ["a=CFrame.new(0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5)"], ["a=CFrame.new(0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2)"]),
    ("rbx-dom", MODEL, ['a=Font.new("F", Enum.FontWeight:FromValue(450))'], ['a=Font.new("F", Enum.FontWeight.Bold)']),
    ("rbx-dom", MODEL, ["a=BrickColor.new(65730)"], ["a=BrickColor.new(194)"]),
    ("rbx-dom", MODEL, ["a=BrickColor.new(4)"], ["a:Color3=Color3.new(1, 0, 0)"]),
    ("rbx-dom", TWICE, ["[#0]=false"], ["--rename", "[#0]", "b"]),
    ("rbx-dom-npm", MODEL, ["a=-0.0"], ["a=0"]),
    ("rbx-dom-npm", MODEL, ["a=Axes.new()"], ['a:String="X"']),
    ("rbx-dom-npm", MODEL, ["a=Vector3.new(0, math.huge, 0)"], ["a=Vector3.new(0, 1, 0)"]),
    ("godot-3.2", CONFIG_3, [":Vector2=Vector2(1, inf)"], [":Array=[1.0, inf]"]),
    ("godot-3.2", CONFIG_3, [":float=-inf"], [":float=inf"]),
    ("godot-3.2", CONFIG_3, [":float=0.3333333"], [':String="0.3333333"']),
    ("godot-3.6", CONFIG_3, [":float=1e300"], [':String="1e300"']),
    ("godot-3.6", CONFIG_3, [':Dictionary={"b": 1, "a": 2}'], [':Dictionary={"a": 2, "b": 1}']),
    ("godot-4", CONFIG_4, [":float=0.10000000149011612"], [":float=0.1"]),
    ("godot-4", RESOURCE, ['metadata/a:Dictionary={"b": 1, "a": 2}'], ['metadata/a:Array=[["b", 1], ["a", 2]]']),
    ("godot-4", CONFIG_4, [":null=null"], [":Array=[null]"]),
    ("godot-4", RESOURCE_3, ["--remove", "metadata/a", '__meta__={"a": 1}'], ["--remove", "__meta__", "metadata/a=1"]),
    ("godot-4", RESOURCE, ["metadata/a:Vector3=Vector3(0, -0.0, 1)"], ["metadata/a:Vector3=Vector3(0, 0, 1)"]),
    ("gd-com", STREAM, ["[0]:Vector2=Vector2(1.5, 2.5)"], ["[0]:Array=[1.5, 2.5]"]),
    ("gd-com", STREAM, ["[0]:float=1.0"], ["[0]:int=1"]),
    ("gd-com", STREAM, ["[0]:int=5000000000"], ['[0]:String="5000000000"']),
]


def through(program, tools, tool, path, options):
    """The value of a file, and what comes out of the tool: a value, or an error."""
    [before] = program.documents(path, *options).values()
    if path.suffix in (".cfg", ".tres"):
        tools.files(tool, [path])
        out = after_of(path)
        documents = list(program.documents(out, *options).values()) if out.exists() else []
        return before, documents[0] if documents else "error: not loaded"
    [result] = tools.blobs(tool, [program.bytes(before)])
    return before, result if isinstance(result, str) else decoded(program, path, result, options)


def after_of(path):
    return path.with_name(f"{path.name}.after{path.suffix}")


def decoded(program, path, result, options):
    """The value without what was refused."""
    bytes_, refused = result
    out = path.with_name("out.bin")
    out.write_bytes(bytes_)
    document = program.documents(out, *(options or ["-f", "roblox-attributes"])).popitem()[1]
    if refused:
        document["entries"] = [entry for entry in document["entries"] if entry["key"].encode() not in refused]
    return document


def mended(program, tools, folder, chosen):
    failed = 0
    for tool, (suffix, content, address, options), harm, mend in PAIRS:
        if tool not in chosen:
            continue
        base, harmed, good = (folder / f"{word}{suffix}" for word in ("base", "harmed", "mended"))
        base.write_bytes(content)
        flags = ["--any-key", "--any-type"] if suffix == ".rbxmx" else []
        program.run("set", "-q", *options, *flags, "--force", "-o", harmed, base, *address, *harm)
        program.run("set", "-q", *options, *flags, "--force", "-o", good, harmed, *address, *mend)
        outcomes = []
        for path in (harmed, good):
            after_of(path).unlink(missing_ok=True)
            before, after = through(program, tools, tool, path, options)
            is_kept = not isinstance(after, str) and unharmed(tool, before, after) == parts(tool, before).keys()
            outcomes.append((bool(program.warned(tool, path, *options)), is_kept))
        is_right = outcomes == [(True, False), (False, True)]
        failed += not is_right
        print("ok   " if is_right else "WRONG", tool, harm, "->", mend, *([] if is_right else [outcomes]))
    return failed


def public(program, tools, folder, chosen, paths):
    """Puts each value of the files through the tools, also those that nothing is said of."""
    in_vain = 0
    print(len(paths), "files")
    for tool in [tool for tool in chosen if tool in ROBLOX + GODOT]:
        judged = Counter()
        cases = attributes if tool in ROBLOX else godot
        for path, where, is_warned, is_kept in cases(program, tools, folder, tool, paths):
            judged["values"] += 1
            judged["warned"] += is_warned
            word = "not judged" if is_kept is None else "in vain" if is_warned and is_kept else "missed"
            if is_kept is None or is_warned == is_kept:
                judged[word] += 1
                if judged[word] <= 5:
                    print(f"  {tool}: {word}: {path}: {where}")
        in_vain += judged["in vain"]
        print(f"{tool}: " + ", ".join(f"{judged[word]} {word}" for word in ("values", "warned", "in vain", "missed", "not judged")))
    return in_vain


def chains(program, tools, folder):
    """Puts each attribute of the fixtures through three tools: it comes back unharmed if none of them is warned about."""
    failed, values, path = 0, {}, folder / "value.bin"
    for fixture in sorted((Path(__file__).parent.parent / "fixtures/roblox-attributes").glob("*.bin")):
        for document in program.documents(fixture, "-f", "roblox-attributes").values():
            for entry in document.get("entries", ()):
                if isinstance(entry["key"], str):
                    blob = program.bytes({**document, "entries": [entry]})
                    values.setdefault(blob, {"entries": [entry]})
    warned = set()
    for blob in values:
        path.write_bytes(blob)
        if any(program.warned(tool, path, "-f", "roblox-attributes") for tool in CHAINED):
            warned.add(blob)
    for order in itertools.permutations(CHAINED):
        current = {blob: blob for blob in values}
        for tool in order:
            results = tools.blobs(tool, list(current.values()))
            kept = [(before, result) for before, result in zip(current, results) if not isinstance(result, str)]
            current = {before: after for before, (after, refused) in kept if not refused and len(after) > len(EMPTY)}
        came_back = set()
        for before, after in current.items():
            document = decoded(program, path, (after, []), [])
            if unharmed("lune", values[before], document) == parts("lune", values[before]).keys():
                came_back.add(before)
        is_right = came_back == values.keys() - warned
        failed += not is_right
        print("ok   " if is_right else "WRONG", ", ".join(order), f"{len(values)} values, {len(warned)} warned, {len(came_back)} unharmed")
    return failed


def attributes(program, tools, folder, tool, paths):
    """Each attribute of Roblox models and places; the same attributes only once."""
    seen = {}
    for path in paths:
        if path.suffix in (".rbxm", ".rbxmx", ".rbxl", ".rbxlx"):
            warned = program.warned(tool, path)
            for where, document in program.documents(path).items():
                if document.get("entries"):
                    seen.setdefault(json.dumps(document), (path, where, document, warned.get(where, ())))
    results = tools.blobs(tool, [program.bytes(document) for _, _, document, _ in seen.values()])
    for (path, where, before, warned), result in zip(seen.values(), results):
        after = None if isinstance(result, str) else decoded(program, folder / path.name, result, [])
        harmed = parts(tool, before).keys() - (unharmed(tool, before, after) if after else ())
        harmed = {key[0] if isinstance(key, tuple) else key for key in harmed}
        for at, entry in enumerate(before["entries"]):
            # beside a value that is warned about, the others may be lost as said
            is_judged = at in warned or not warned or entry["key"] not in harmed
            yield path, (where[0], entry["key"]), at in warned, entry["key"] not in harmed if is_judged else None


def godot(program, tools, folder, tool, paths):
    """The values of each ConfigFile, and each property of scenes and resources in a resource of its own, without references."""
    options = ["-f", "godot-4" if tool == "godot-4" else "godot-3"]
    files, properties = {}, {}
    for at, path in enumerate(paths):
        if path.suffix == ".cfg":
            files[folder / f"{at}.cfg"] = path
        if path.suffix in (".tscn", ".tres") and tool == "godot-4":
            warned, number = program.warned(tool, path), Counter()
            for line in program.lines("get", "--json", path):
                if line["node"] in (":ext", ":connections"):
                    continue  # lists of other files and of signals
                where = name(line)
                text, count = re.subn(r'(Ext|Sub)Resource\( ?("[^"]*"|\d+) ?\)', "null", line["text"])
                # a resource drops metadata that is null
                if text != "null" and not re.search(r'(Object|Resource|Array\[null.*|Dictionary\[.*null.*)\(', text):
                    alone = folder / f"{len(properties)}.tres"
                    named = ("__meta__" if line["path"] == "__meta__" else "metadata/a", text)
                    properties.setdefault(named, (alone, path, (*where, line["path"]), number[where] in warned.get(where, ())))
                number[where] += 1
    for copy, path in files.items():
        copy.write_bytes(path.read_bytes())
    for (key, text), (alone, *_) in properties.items():
        alone.write_text(f'[gd_resource type="Resource" format=3]\n\n[resource]\n{key} = {text}\n')
    copies = [alone for alone, *_ in properties.values()]
    tools.files(tool, [*files, *copies])
    for copy, path in files.items():
        warned, before = program.warned(tool, copy, *options), program.documents(copy, *options)
        after = program.documents(after_of(copy), *options) if after_of(copy).exists() else None
        for where, document in before.items():
            is_read = after is not None or where in warned
            yield path, where[2:4], where in warned, json.dumps(document) == json.dumps((after or {}).get(where)) if is_read else None
    outs = documents_of(program, [*copies, *map(after_of, copies)])
    for (_, text), (alone, path, where, is_warned) in properties.items():
        before, after = outs.get(alone), outs.get(after_of(alone))
        is_judged = before is not None and after_of(alone).exists()
        yield path, (*where[4:], text[:60]), is_warned, json.dumps(after) == json.dumps(before) if is_judged else None


def documents_of(program, paths):
    """The value of each resource."""
    found = {}
    paths = [path for path in paths if path.exists()]
    for at in range(0, len(paths), 500):
        for line in program.lines("decode", "-q", *paths[at : at + 500]):
            found[Path(line["file"])] = line.get("document")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program enginewire")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--chains", action="store_true", help="attributes through three tools, in every order")
    parser.add_argument("--tools", type=Path, help="folder of the installed tools")
    parser.add_argument("--for", dest="chosen", default=",".join([*ROBLOX, *GODOT, "gd-com"]), help="tools, with commas")
    arguments = parser.parse_intermixed_args()
    program, chosen = Program(arguments.program), arguments.chosen.split(",")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        tools = Tools((arguments.tools or folder / "tools").resolve())
        if arguments.chains:
            failed = chains(program, tools, folder)
        elif arguments.folders:
            paths = sorted(path.resolve() for top in arguments.folders for path in top.rglob("*") if path.is_file())
            failed = public(program, tools, folder, chosen, paths)
        else:
            failed = mended(program, tools, folder, chosen)
    sys.exit(failed > 0)


main()

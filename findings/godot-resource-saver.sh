#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), ResourceSaver and ResourceLoader, on the properties of one resource.
#
# Guess: a resource that is saved and loaded again has the values that it had, in both forms; a text may take longer to read.
#
# Seen: each form changes what the other keeps. The text, .tres, sorts the keys of a Dictionary, takes the sign from -0.0, and writes a
# number of 64 bits with the digits of 32 bits if it is one of these: 0.10000000149011612 comes back as 0.1. That holds in arrays of 64
# bits too. The binary file, .res, takes the types from typed arrays and dictionaries, and a RID becomes 0. A ConfigFile does the same
# as the text, and loads no key whose value is null. Of the same key twice, the last is kept. var_to_str does the same to numbers, so
# that printed values look alike.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p root/etc/apt/apt.conf.d root/etc/apt/preferences.d root/var/lib/dpkg root/var/lib/apt/lists/partial \
    root/var/cache/apt/archives/partial home game unpacked
: >root/var/lib/dpkg/status
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main' >root/etc/apt/sources.list
export APT_CONFIG=$folder/apt.conf
cat >apt.conf <<CONF
Dir "$folder/root";
Dir::State::status "$folder/root/var/lib/dpkg/status";
APT::Architecture "amd64";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Check-Valid-Until "false";
CONF
apt-get -qq update
apt-get -qq --download-only --yes install godot >apt.log
for package in root/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" unpacked; done
library=$folder/unpacked/usr/lib/x86_64-linux-gnu
godot() {
    HOME=$folder/home "$library/ld-linux-x86-64.so.2" \
        --library-path "$library:$library/pulseaudio:$library/blas:$library/lapack" unpacked/usr/bin/godot --headless "$@"
}
version=$(godot --version)
[[ $version == 4.6.3.* ]] || { echo "expected 4.6.3, found $version"; exit 1; }

echo 'config_version=5' >game/project.godot
cat >game/seen.gd <<'GDSCRIPT'
extends SceneTree


func _init() -> void:
	var saved := Resource.new()
	var values := {
		"order": {"b": 1, "a": 2}, "numbers": {2: 1, 1: 2}, "zero": -0.0, "single": 0.10000000149011612, "reals": PackedFloat64Array([0.10000000149011612, -0.0]),
		"tenth": 0.1, "whole": 9007199254740993, "typed": [1, 2] as Array[int], "types": {"a": 1} as Dictionary[String, int],
		"limits": [NAN, INF, -INF], "rid": RID(),
	}
	for name: String in values:
		saved.set_meta(name, values[name])
	for path: String in ["res://seen.tres", "res://seen.res"]:
		ResourceSaver.save(saved, path)
		var loaded := ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
		var differs := values.keys().filter(func(name: String) -> bool:
			return var_to_bytes(saved.get_meta(name)) != var_to_bytes(loaded.get_meta(name)))
		print(path, ": ", " ".join(differs))
	var saved_config := ConfigFile.new()
	for name: String in values:
		saved_config.set_value("seen", name, values[name])
	saved_config.save("res://seen.cfg")
	var config := ConfigFile.new()
	config.load("res://seen.cfg")
	print("ConfigFile: ", " ".join(values.keys().filter(func(name: String) -> bool:
		return var_to_bytes(values[name]) != var_to_bytes(config.get_value("seen", name)))))
	var file := FileAccess.open("res://null.cfg", FileAccess.WRITE)
	file.store_string("[s]\na=null\nb=[null]\nc={1: 2, 1: 3}\n")
	file.close()
	config = ConfigFile.new()
	config.load("res://null.cfg")
	print("null: ", " ".join(config.get_section_keys("s")), " ", config.get_value("s", "c"))
	var text := FileAccess.get_file_as_string("res://seen.tres")
	print(text.contains("single = 0.1\n"), text.contains("zero = 0.0\n"), var_to_str(0.10000000149011612))
	quit()
GDSCRIPT
godot --path game --script res://seen.gd >out.txt 2>error.txt
grep -qx 'res://seen.tres: order numbers zero single reals' out.txt
grep -qx 'res://seen.res: typed types rid' out.txt
grep -qx 'ConfigFile: order numbers zero single reals' out.txt
grep -qx 'null: b c { 1: 3 }' out.txt
grep -qx 'truetrue0.1' out.txt
echo 'as seen: a text changes numbers and order, a binary file types'

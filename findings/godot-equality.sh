#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), == of values alone, in arrays and in dictionaries.
#
# Guess: values that are equal alone are equal as items of arrays, as values of dictionaries and as keys. A list of ints is equal to what
# JSON.parse_string reads from its text, as an int is.
#
# Seen: 1 == 1.0, but [1] == [1.0] and {"k": 1} == {"k": 1.0} are false, and the key 1.0 is not found for 1. So
# JSON.parse_string("[1]") == [1] is false, and JSON.parse_string("1") == 1 is true. A String and its StringName are equal alone and as
# keys, not as items. A NaN is equal to itself as a key only. 2 ** 53 + 1 is equal to the float 2 ** 53, alone.
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
	for pair: Array in [[1, 1.0], ["a", &"a"], [0.0, -1.0 * 0.0], [NAN, NAN], [9007199254740993, 9007199254740992.0]]:
		var one: Variant = pair[0]
		var other: Variant = pair[1]
		print(var_to_str(one), " ", var_to_str(other), ": ", one == other, " ", [one] == [other], " ", {"k": one} == {"k": other}, " ", {one: 0}.has(other))
	print("JSON: ", JSON.parse_string("[1]") == [1], " ", JSON.parse_string("1") == 1)
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
1 1.0: true false false false
"a" &"a": true false false true
0.0 0.0: true true true true
nan nan: false false false true
9007199254740993 9.007199e+15: true false false false
JSON: false true
SEEN
echo "as seen"

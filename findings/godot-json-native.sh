#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), JSON.from_native and JSON.to_native, through a text by stringify with full_precision.
#
# Guess: integers beyond 2 ** 53 and infinite numbers are lost in the text, as in other JSON; floats keep all digits.
#
# Seen: integers and floats alone are texts in JSON ("i:9007199254740993"), and infinite numbers are 1e99999, so that these come back; also
# types, and the order of keys. But NaN inside a vector or packed array is null in the text, and comes back as 0. The digits of 1e300 are
# right, and to_native reads them as 9.999999999999999e+299.
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


func again(value: Variant) -> Variant:
	return JSON.to_native(JSON.parse_string(JSON.stringify(JSON.from_native(value), "", false, true)))


func is_same_after(value: Variant) -> bool:
	return var_to_bytes(again(value)) == var_to_bytes(value)


func _init() -> void:
	var kept := [9007199254740993, -9223372036854775807, INF, NAN, 0.1, 5e-324, -0.0, Vector2(INF, 0.1), PackedFloat64Array([0.1, -INF])]
	kept.append_array([{"b": 1, "a": 2}, {2: 1, 1: 2}, [1, 2] as Array[int], {"a": 1} as Dictionary[String, int], &"a", NodePath("a/b:c")])
	print("kept: ", kept.all(is_same_after))
	var alone: Vector2 = JSON.to_native(JSON.from_native(Vector2(NAN, 1)))
	print("without the text: ", alone, JSON.to_native(JSON.from_native(1e300)) == 9.999999999999999e+299)
	print(again(Vector2(NAN, 1)), again(PackedFloat64Array([NAN, 1])), again(1e300) == 9.999999999999999e+299)
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
kept: true
without the text: (nan, 1.0)true
(0.0, 1.0)[0.0, 1.0]true
SEEN
echo "as seen"

#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), floats of 16 bits: PackedByteArray.encode_half and decode_half, FileAccess.store_half.
#
# Guess: a float is rounded to the nearest of 16 bits, ties to even, as other languages and graphics cards do it; each of the 65536
# halves but the NaNs is decoded and encoded to itself.
#
# Seen: what is below a half is cut off: 2051 and 2051.9 become 2050, where the nearest are 2052, and 65535 becomes 65504 instead of
# infinity. Numbers below 2 ** -14 are decoded, but written as zero, which has no sign: 2046 halves and -0 do not come back. So a file
# of halves that another program wrote changes when it is loaded and saved.
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


func encoded(number: float) -> String:
	var bytes := PackedByteArray([0, 0])
	bytes.encode_half(0, number)
	return "%04x" % bytes.decode_u16(0)


func _init() -> void:
	var bytes := PackedByteArray([0, 0])
	var changed := {"zero or small": 0, "normal": 0, "infinite": 0}
	for half in 65536:
		bytes.encode_u16(0, half)
		var number := bytes.decode_half(0)
		if not is_nan(number) and encoded(number) != "%04x" % half:
			changed["infinite" if is_inf(number) else "normal" if abs(number) >= 2.0 ** -14 else "zero or small"] += 1
	print("changed: ", changed)
	bytes.encode_u16(0, 0x8001)
	print("decoded: 8001 is -2 ** -24 ", bytes.decode_half(0) == -(2.0 ** -24))
	print("encoded: ", [2051.0, 2051.9, 65535.0, 65536.0, 2.0 ** -14, 2.0 ** -15, -(2.0 ** -15)].map(encoded))
	var file := FileAccess.open("res://half.bin", FileAccess.WRITE_READ)
	file.store_half(2051.0)
	file.store_half(2.0 ** -15)
	file.seek(0)
	print("file: ", [file.get_half(), file.get_half()])
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
changed: { "zero or small": 2047, "normal": 0, "infinite": 0 }
decoded: 8001 is -2 ** -24 true
encoded: ["6801", "6801", "7bff", "7c00", "0400", "0000", "0000"]
file: [2050.0, 0.0]
SEEN
echo "as seen"

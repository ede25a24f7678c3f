#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), texts and numbers made from each other by String and FileAccess.
#
# Guess: c_unescape undoes c_escape. A row that store_csv_line wrote is what get_csv_line reads. A text for which is_valid_int is true has
# its number from to_int, and float() reads what str() wrote.
#
# Seen: c_escape of a backslash before an n is right, and c_unescape makes a line end of it: "C:\new" comes back with a line break in
# it, and so with \t and \r. store_csv_line puts no quotes around a carriage return: the row ends there, and its rest is the next row;
# before a line feed, within quotes, it is lost. 9223372036854775808 is a valid int, and to_int gives the smallest negative one.
# float("inf") and float("nan") are 0, without an error.
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


func rows_again(row: Array) -> Array:
	var file := FileAccess.open("res://rows.csv", FileAccess.WRITE_READ)
	file.store_csv_line(PackedStringArray(row))
	file.store_csv_line(PackedStringArray(["next"]))
	file.seek(0)
	var rows := []
	while file.get_position() < file.get_length():
		rows.append(Array(file.get_csv_line()))
	return rows


func _init() -> void:
	for text: String in ["a\nb", "\"\\", "C:\\new", "C:\\temp"]:
		print(JSON.stringify(text), " ", JSON.stringify(text.c_escape()), " ", JSON.stringify(text.c_escape().c_unescape()))
	for row: Array in [["a\"b", "c,d"], ["a\nb", "c"], ["a\rb", "c"], ["a\r\nb", "c"]]:
		print(JSON.stringify(row), " ", JSON.stringify(rows_again(row)))
	for text: String in ["9223372036854775807", "9223372036854775808"]:
		print(text.is_valid_int(), " ", text.to_int(), " ", int(text))
	print([INF, -INF, NAN, 1e300].map(func(number: float) -> bool: return float(str(number)) == 0))
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
"a\nb" "a\\nb" "a\nb"
"\"\\" "\\\"\\\\" "\"\\"
"C:\\new" "C:\\\\new" "C:\\\new"
"C:\\temp" "C:\\\\temp" "C:\\\temp"
["a\"b","c,d"] [["a\"b","c,d"],["next"]]
["a\nb","c"] [["a\nb","c"],["next"]]
["a\rb","c"] [["a"],["b","c"],["next"]]
["a\r\nb","c"] [["a\nb","c"],["next"]]
true 9223372036854775807 9223372036854775807
true -9223372036854775808 -9223372036854775808
[true, true, true, false]
SEEN
echo "as seen"

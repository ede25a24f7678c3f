#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), Expression beside GDScript, on the same texts.
#
# Guess: parse gives OK for what it can read to the end, and execute has the value that GDScript has; other syntax is an error.
#
# Seen: parse stops where it understands no more, and says OK: of 1_000 remains 1, and of `2 if false else 3`, which is 3 in GDScript,
# remains 2. -2 ** 2 is -4 here, and 4 in GDScript. An int beyond 64 bits becomes negative, in both. Only what no value of it can
# begin with, such as &"name", is refused.
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
	for text: String in ["0x10", "0b11", "1e3", "'a'", "\"\\u00e9\"", "5 / 2", "2 ** 3 ** 2", "1_000", "2 if false else 3", "-2 ** 2", "9223372036854775808", "&\"name\""]:
		var expression := Expression.new()
		if expression.parse(text) == OK:
			print(text, " is ", JSON.stringify(expression.execute()))
		else:
			print(text, " is refused")
	print("GDScript: ", [1_000, 2 if false else 3, -2 ** 2, 2 ** 3 ** 2])
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
0x10 is 16
0b11 is 3
1e3 is 1000.0
'a' is "a"
"\u00e9" is "é"
5 / 2 is 2
2 ** 3 ** 2 is 64
1_000 is 1
2 if false else 3 is 2
-2 ** 2 is -4
9223372036854775808 is -9223372036854775808
&"name" is refused
GDScript: [1000, 3, 4, 64]
SEEN
echo "as seen"

#!/usr/bin/env bash
# Godot 3.2.3 and 3.6.2 (package godot3-server 3.2.3 of Debian bookworm, and 3.6.2 of sid), JSON.print and JSON.parse.
#
# Guess: numbers have the digits that str has; a value that JSON does not have is an error, or a list or text of its numbers. parse gives an
# error for what is not one JSON text.
#
# Seen: in 3.2 a PoolByteArray and a PoolColorArray become the text "[PoolByteArray]", and their numbers are lost; in 3.6 they are a text of
# them, and in both a PoolIntArray is a list. -INF is written as -inf, which 3.2 reads as 0, without an error; INF as inf, which is
# an error for both. 3.2 reads one value and leaves what follows it: of `1 2` remains 1, and validate_json has no complaint either.
# In both, numbers have six digits after the point, so that 1e-7 is 0. 1e300 is cut to 255 digits, so that it comes back as another number.
# A null that is a key becomes "Null", also beside a text "Null", and a character 11 comes back as "v".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir home game
unpack() { # SUITE
    local at=$folder/$1
    mkdir -p "$at"/root/etc/apt/{apt.conf.d,preferences.d} "$at"/root/var/lib/{dpkg,apt/lists/partial} \
        "$at/root/var/cache/apt/archives/partial" "$at/unpacked"
    : >"$at/root/var/lib/dpkg/status"
    local signed=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [$signed] http://deb.debian.org/debian $1 main" >"$at/root/etc/apt/sources.list"
    export APT_CONFIG=$at/apt.conf
    cat >apt.conf <<CONF
Dir "$at/root";
Dir::State::status "$at/root/var/lib/dpkg/status";
APT::Architecture "amd64";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Check-Valid-Until "false";
CONF
    mv apt.conf "$APT_CONFIG"
    apt-get -qq update
    apt-get -qq --download-only --yes install godot3-server >apt.log
    for package in "$at"/root/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" "$at/unpacked"; done
}
godot() { # SUITE ARGUMENTS
    local unpacked=$folder/$1/unpacked loader
    local libraries=$unpacked/usr/lib/x86_64-linux-gnu:$unpacked/lib/x86_64-linux-gnu
    loader=$(find "$unpacked" -name ld-linux-x86-64.so.2 -print -quit)
    HOME=$folder/home "$loader" --library-path "$libraries" "$unpacked/usr/bin/godot3-server" "${@:2}"
}

echo 'config_version=4' >game/project.godot
cat >game/seen.gd <<'GDSCRIPT'
extends SceneTree


func _init():
	for value in [
		PoolIntArray([1, 2]), PoolByteArray([1, 2]), PoolColorArray([Color(1, 0, 0)]), PoolVector2Array([Vector2(1, 2)]),
		0.1 + 0.2, 1e-6, 1e-7, 1e300, INF, -INF, {null: 1, "Null": 2}, "\u000b",
	]:
		var text = JSON.print(value)
		var back = JSON.parse(text)
		var shown = text if text.length() < 80 else "%d digits" % text.length()
		print(shown, " is read as ", "an error" if back.error != OK else var2str(back.result).replace("\n", " "))
	for text in ["1 2", "[1]]", "{}{}", "\"a\"b", "true"]:
		var read = JSON.parse(text)
		print("of ", text, " remains ", "an error" if read.error != OK else JSON.print(read.result), ", validate_json: '", validate_json(text), "'")
	quit()
GDSCRIPT
seen() { # SUITE VERSION, with what is expected on standard input
    local version
    unpack "$1"
    version=$(godot "$1" --version || true)
    [[ $version == "$2".* ]] || { echo "expected $2, found $version"; exit 1; }
    godot "$1" --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
    echo "$version"
    cat out.txt
    diff out.txt -
}
seen bookworm 3.2.3 <<'SEEN'
[1,2] is read as [ 1.0, 2.0 ]
"[PoolByteArray]" is read as "[PoolByteArray]"
"[PoolColorArray]" is read as "[PoolColorArray]"
"[(1, 2)]" is read as "[(1, 2)]"
0.3 is read as 0.3
0.000001 is read as 1e-06
0 is read as 0.0
255 digits is read as inf
inf is read as an error
-inf is read as 0.0
{"Null":1,"Null":2} is read as { "Null": 2.0 }
"\v" is read as "v"
of 1 2 remains 1, validate_json: ''
of [1]] remains [1], validate_json: ''
of {}{} remains {}, validate_json: ''
of "a"b remains "a", validate_json: ''
of true remains true, validate_json: ''
SEEN
seen sid 3.6.2 <<'SEEN'
[1,2] is read as [ 1.0, 2.0 ]
"[1, 2]" is read as "[1, 2]"
"[1,0,0,1]" is read as "[1,0,0,1]"
"[(1, 2)]" is read as "[(1, 2)]"
0.3 is read as 0.3
0.000001 is read as 1e-06
0 is read as 0.0
255 digits is read as inf
inf is read as an error
-inf is read as an error
{"Null":1,"Null":2} is read as { "Null": 2.0 }
"\v" is read as "v"
of 1 2 remains an error, validate_json: '0:Expected 'EOF''
of [1]] remains an error, validate_json: '0:Expected 'EOF''
of {}{} remains an error, validate_json: '0:Expected 'EOF''
of "a"b remains an error, validate_json: '0:Expected 'EOF''
of true remains true, validate_json: ''
SEEN
echo "as seen"

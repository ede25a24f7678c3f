#!/usr/bin/env bash
# Godot 3.2.3 and 3.6.2 (package godot3-server 3.2.3 of Debian bookworm, and 3.6.2 of sid), a ConfigFile that is saved and loaded again.
#
# Guess: what save writes with OK, load reads; a plain INF comes back, and so does -INF; a float keeps six digits; names are texts. Version
# 3.6 has mended infinite numbers and names, and keeps all digits.
#
# Seen: in 3.2, a number in a vector, colour or pool array that is infinite or NaN gives ERR_PARSE_ERROR (43) there, and what follows
# is missing. INF and NAN alone, or in an Array, come back. -INF is written as -inf.0 and read as 0; what follows is missing, without
# an error. A section or key that is not ASCII, and a key with a blank, have other names after they are loaded; a section with a blank
# has not. Version 3.6 keeps all of these. In both, real numbers have six digits of 32 bits, in vectors too, so that 1e300 becomes
# infinite; -0.0 loses its sign; the keys of a Dictionary are sorted; a key whose value is null is not loaded; and of the same key
# twice in a Dictionary, the last is kept.
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


# The result of load, the value after it, and whether the next key is there.
func again(section, key, value):
	var saved = ConfigFile.new()
	saved.set_value(section, key, value)
	saved.set_value(section, "next", 7)
	if saved.save("res://seen.cfg") != OK:
		print("not saved")
	var loaded = ConfigFile.new()
	var result = loaded.load("res://seen.cfg")
	var same = var2bytes(loaded.get_value(section, key)) == var2bytes(value)
	return "%d %s %s" % [result, same, loaded.has_section_key(section, "next")]


func _init():
	for value in [INF, NAN, [INF], {"a": NAN}, 0.333333, Vector2(0.25, 1), 123456.0]:
		print("kept ", again("s", "k", value))
	for value in [Vector2(1, INF), Vector3(NAN, 0, 0), Color(1, INF, 0), PoolRealArray([INF]), Rect2(0, 0, INF, 1)]:
		print("vector ", again("s", "k", value))
	print("minus ", again("s", "k", -INF))
	for value in [1.0 / 3.0, 123456789.0, 1e300, -0.0, Vector2(1.0 / 3.0, 1), PoolRealArray([1.0 / 3.0]), [1234567.0], {"b": 1, "a": 2}, {2: 1, 1: 2}]:
		print("digits ", again("s", "k", value))
	print("name ", again("s s", "k", 1), again("s", "a/b", 1))
	var file = File.new()
	file.open("res://null.cfg", File.WRITE)
	file.store_string("[s]\na=null\nb=[null]\nc={1: 2, 1: 3}\n")
	file.close()
	var config = ConfigFile.new()
	config.load("res://null.cfg")
	print("null ", config.get_section_keys("s"), config.get_value("s", "c"))
	print("other ", again("s", "ü", 1), again("é", "k", 1), again("s", "a b", 1))
	quit()
GDSCRIPT
seen() { # SUITE VERSION
    local version
    unpack "$1"
    version=$(godot "$1" --version || true)
    [[ $version == "$2".* ]] || { echo "expected $2, found $version"; exit 1; }
    godot "$1" --path game -s res://seen.gd >out.txt 2>error.txt
    grep -v '^Godot Engine\|^ *$' out.txt | sort | uniq -c | tee seen.txt
}
seen bookworm 3.2.3
diff seen.txt - <<'SEEN'
      9 digits 0 False True
      7 kept 0 True True
      1 minus 0 False False
      1 name 0 True True0 True True
      1 null [b, c]{1:3}
      1 other 0 False True0 False False0 False True
      5 vector 43 False False
SEEN
seen sid 3.6.2
diff seen.txt - <<'SEEN'
      9 digits 0 False True
      7 kept 0 True True
      1 minus 0 True True
      1 name 0 True True0 True True
      1 null [b, c]{1:3}
      1 other 0 True True0 True True0 True True
      5 vector 0 True True
SEEN
echo "as seen"

#!/usr/bin/env bash
# Godot 3.2.3 (package godot3-server 3.2.3 of Debian bookworm), a ConfigFile that is saved and loaded again.
#
# Guess: what save writes with OK, load reads; a plain INF comes back, and so does -INF; a float keeps six digits; names are texts.
#
# Seen: a number in a vector, colour or pool array that is infinite or NaN gives ERR_PARSE_ERROR (43) there, and what follows is
# missing. INF and NAN alone, or in an Array, come back. -INF is written as -inf.0 and read as 0; what follows is missing, without
# an error. Real numbers have six digits, in vectors too, and -0.0 loses its sign. A section or key that is not ASCII, and a key
# with a blank, have other names after they are loaded; a section with a blank has not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p root/etc/apt/apt.conf.d root/etc/apt/preferences.d root/var/lib/dpkg root/var/lib/apt/lists/partial \
    root/var/cache/apt/archives/partial home game unpacked
: >root/var/lib/dpkg/status
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main' >root/etc/apt/sources.list
export APT_CONFIG=$folder/apt.conf
cat >apt.conf <<CONF
Dir "$folder/root";
Dir::State::status "$folder/root/var/lib/dpkg/status";
APT::Architecture "amd64";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
CONF
apt-get -qq update
apt-get -qq --download-only --yes install godot3-server >apt.log
for package in root/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" unpacked; done
library=$folder/unpacked/lib/x86_64-linux-gnu
godot() {
    HOME=$folder/home "$library/ld-linux-x86-64.so.2" --library-path "$library:$folder/unpacked/usr/lib/x86_64-linux-gnu" \
        unpacked/usr/bin/godot3-server "$@"
}
version=$(godot --version || true)
[[ $version == 3.2.3.* ]] || { echo "expected 3.2.3, found $version"; exit 1; }

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
	for value in [1.0 / 3.0, 123456789.0, -0.0, Vector2(1.0 / 3.0, 1), PoolRealArray([1.0 / 3.0]), [1234567.0]]:
		print("digits ", again("s", "k", value))
	print("name ", again("s s", "k", 1), again("s", "a/b", 1))
	print("other ", again("s", "ü", 1), again("é", "k", 1), again("s", "a b", 1))
	quit()
GDSCRIPT
godot --path game -s res://seen.gd >out.txt 2>error.txt
grep -v '^Godot Engine\|^ *$' out.txt | sort | uniq -c >seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
      6 digits 0 False True
      7 kept 0 True True
      1 minus 0 False False
      1 name 0 True True0 True True
      1 other 0 False True0 False False0 False True
      5 vector 43 False False
SEEN
echo "as seen"

#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), the numbers of matrices in scripts, texts, bytes and JSON.
#
# Guess: the numbers of a matrix have the same order everywhere, and all matrices have the same: axis after axis, as the constructors take
# them. What is called Basis(...) in a text is what Basis(...) means in a script.
#
# Seen: var_to_str, and so every .tscn, .tres and ConfigFile, writes a Basis and the first nine numbers of a Transform3D row by row, and
# var_to_bytes does too. A script, str() and JSON.from_native have them axis by axis, so that the "Basis" of JSON has other numbers than
# the Basis of a text: one rotation read as the other is turned the other way, without an error. Transform2D and Projection are axis by
# axis in all of them. A Quaternion has its w last.
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


func show(value: Variant) -> void:
	var bytes := var_to_bytes(value)
	print(var_to_str(value))
	print("    bytes ", Array(bytes.slice(4).to_float32_array()).map(func(number: float) -> int: return int(number)))
	print("    JSON  ", JSON.from_native(value)["args"].map(func(number: float) -> int: return int(number)))


func _init() -> void:
	var basis := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))
	show(basis)
	show(Transform3D(basis, Vector3(10, 11, 12)))
	show(Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)))
	show(Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16)))
	print(var_to_str(Quaternion(1, 2, 3, 4)))
	var turned := Basis(Vector3.UP, PI / 2)
	var numbers: Array = JSON.from_native(turned)["args"]
	var mistaken: Basis = str_to_var("Basis(%s)" % ", ".join(numbers.map(func(number: float) -> String: return str(number))))
	print("a quarter turn, its JSON read as a text: ", mistaken.is_equal_approx(turned.inverse()))
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
Basis(1, 4, 7, 2, 5, 8, 3, 6, 9)
    bytes [1, 4, 7, 2, 5, 8, 3, 6, 9]
    JSON  [1, 2, 3, 4, 5, 6, 7, 8, 9]
Transform3D(1, 4, 7, 2, 5, 8, 3, 6, 9, 10, 11, 12)
    bytes [1, 4, 7, 2, 5, 8, 3, 6, 9, 10, 11, 12]
    JSON  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
Transform2D(1, 2, 3, 4, 5, 6)
    bytes [1, 2, 3, 4, 5, 6]
    JSON  [1, 2, 3, 4, 5, 6]
Projection(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
    bytes [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    JSON  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
Quaternion(1, 2, 3, 4)
a quarter turn, its JSON read as a text: true
SEEN
echo "as seen"

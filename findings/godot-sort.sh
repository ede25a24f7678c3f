#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), sort of arrays with two types or with a NaN in them, such as lists from other people's JSON.
#
# Guess: numbers come before texts, or there is an error; within one type the order is right. A NaN is at one
# end, and the numbers are in order.
#
# Seen: short lists come out right by chance, which hides it in a test. Others are in no order, without an error: of 1000 lists with six ints
# and six texts the ints are out of order in 992, as texts are not less than numbers, nor numbers less than texts. A single NaN does
# the same to the numbers around it, in an Array and in a PackedFloat64Array. min and max of an Array are NaN only if it comes first.
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
echo 'config_version=5' >game/project.godot
cat >game/seen.gd <<'GDSCRIPT'
extends SceneTree

var random := RandomNumberGenerator.new()


func in_order(items: Array) -> bool:
	for at in range(1, items.size()):
		if items[at] < items[at - 1]:
			return false
	return true


func is_number(item: Variant) -> bool:
	return item is int or item is float and not is_nan(item)


func broken(make: Callable) -> int:
	var count := 0
	for turn in 1000:
		var items: Variant = make.call()
		items.sort()
		if not in_order(Array(items).filter(is_number)):
			count += 1
	return count


func two_types() -> Array:
	return range(12).map(func(at: int) -> Variant: return random.randi_range(0, 99) if at % 2 else str(random.randi_range(0, 99)))


func ints() -> Array:
	return range(12).map(func(_at: int) -> int: return random.randi_range(0, 99))


func floats() -> Array:
	var items := range(12).map(func(_at: int) -> float: return random.randf())
	items[5] = NAN
	return items


func packed() -> PackedFloat64Array:
	return PackedFloat64Array(floats())


func _init() -> void:
	random.seed = 1
	var short := [5, "x", 4, "y", 3, "z", 2, "w", 1]
	short.sort()
	print("short: ", short)
	var list := [3, "a", 1.5, null, "B", 2, true]
	list.sort()
	print("with null and true: ", list)
	for make: Callable in [ints, two_types, floats, packed]:
		print(make.get_method(), ": numbers out of order in ", broken(make), " of 1000")
	print("min: ", [1.0, NAN].min(), " ", [NAN, 1.0].min(), ", max: ", [1.0, NAN].max(), " ", [NAN, 1.0].max())
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
short: [1, 2, 3, 4, 5, "w", "x", "y", "z"]
with null and true: [1.5, 3, "a", <null>, "B", 2, true]
ints: numbers out of order in 0 of 1000
two_types: numbers out of order in 992 of 1000
floats: numbers out of order in 1000 of 1000
packed: numbers out of order in 994 of 1000
min: 1.0 nan, max: 1.0 nan
SEEN
echo "as seen"

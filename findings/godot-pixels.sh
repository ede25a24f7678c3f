#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), Image: set_pixel, get_pixel, fill and convert.
#
# Guess: a number of a colour becomes the nearest that the format has, as in Color.to_rgba32 and to_html. A pixel that is set to what was
# read from it stays.
#
# Seen: set_pixel, fill and convert cut digits off: 0.5 becomes 127, and 128 in Color.r8, to_rgba32 and to_html; 0.999 is 254 and 255.
# Formats of 8 and 4 bits keep a pixel that is read and set. RGB565 does not: 60352 of its 65536 values are another afterwards, and each
# turn makes some of them darker, so that red and blue of 0.5 become 0. An image of RGB8 that is converted to RGB565 and back is darker too.
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


func turns(image: Image, count: int) -> PackedByteArray:
	for turn in count:
		image.set_pixel(0, 0, image.get_pixel(0, 0))
	return image.get_data()


func changed(format: Image.Format, size: int) -> int:
	var count := 0
	for value in 256 ** size:
		var bytes := PackedByteArray([value & 255, value >> 8]).slice(0, size)
		if turns(Image.create_from_data(1, 1, false, format, bytes), 1) != bytes:
			count += 1
	return count


func _init() -> void:
	for number: float in [0.5, 0.9, 0.999]:
		var color := Color(number, 0, 0)
		var pixel := Image.create_empty(1, 1, false, Image.FORMAT_R8)
		pixel.set_pixel(0, 0, color)
		var filled := Image.create_empty(1, 1, false, Image.FORMAT_R8)
		filled.fill(color)
		var floats := PackedFloat32Array([number]).to_byte_array()
		var converted := Image.create_from_data(1, 1, false, Image.FORMAT_RF, floats)
		converted.convert(Image.FORMAT_R8)
		var images := [pixel, filled, converted].map(func(image: Image) -> int: return image.get_data()[0])
		print(number, ": images ", images, ", colours ", [color.r8, color.to_rgba32() >> 24, color.to_html(false)])
	print("changed by one turn: R8 ", changed(Image.FORMAT_R8, 1), ", RGBA4444 ", changed(Image.FORMAT_RGBA4444, 2),
			", RGB565 ", changed(Image.FORMAT_RGB565, 2))
	var grey := Image.create_empty(1, 1, false, Image.FORMAT_RGB565)
	grey.set_pixel(0, 0, Color(0.5, 0.5, 0.5))
	turns(grey, 200)
	print("0.5 after 200 turns: ", grey.get_pixel(0, 0))
	var rgb := Image.create_from_data(1, 1, false, Image.FORMAT_RGB8, PackedByteArray([255, 128, 200]))
	rgb.convert(Image.FORMAT_RGB565)
	rgb.convert(Image.FORMAT_RGB8)
	print("there and back: ", rgb.get_data())
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
0.5: images [127, 127, 127], colours [128, 128, "800000"]
0.9: images [229, 229, 229], colours [230, 230, "e60000"]
0.999: images [254, 254, 254], colours [255, 255, "ff0000"]
changed by one turn: R8 0, RGBA4444 0, RGB565 60352
0.5 after 200 turns: (0.0, 0.4921, 0.0, 1.0)
there and back: [255, 125, 197]
SEEN
echo "as seen"

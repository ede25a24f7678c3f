#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), loading the resources and scenes that Godot 3.6.2 (package godot3-server there) saves.
#
# Guess: the text form of Godot 3 loads with all its values, also the metadata of resources and nodes; the binary form is refused.
#
# Seen: all forms load without an error, and none has its metadata afterwards: version 3 saves it as one Dictionary, `__meta__`, and
# version 4 looks for `metadata/NAME`. What is saved again has lost it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p root/etc/apt/apt.conf.d root/etc/apt/preferences.d root/var/lib/dpkg root/var/lib/apt/lists/partial \
    root/var/cache/apt/archives/partial home old new unpacked
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
apt-get -qq --download-only --yes install godot godot3-server >apt.log
for package in root/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" unpacked; done
library=$folder/unpacked/usr/lib/x86_64-linux-gnu
godot() { # PROGRAM ARGUMENTS
    HOME=$folder/home "$library/ld-linux-x86-64.so.2" \
        --library-path "$library:$library/pulseaudio:$library/blas:$library/lapack" "unpacked/usr/bin/$1" "${@:2}"
}
old=$(godot godot3-server --version || true)
new=$(godot godot --headless --version)
[[ $old == 3.6.2.* && $new == 4.6.3.* ]] || { echo "expected 3.6.2 and 4.6.3, found $old and $new"; exit 1; }

echo 'config_version=4' >old/project.godot
cat >old/save.gd <<'GDSCRIPT'
extends SceneTree


func _init():
	var resource = Resource.new()
	resource.resource_name = "kept"
	resource.set_meta("lost", 1)
	ResourceSaver.save("res://seen.tres", resource)
	ResourceSaver.save("res://seen.res", resource)
	var node = Node.new()
	node.name = "Kept"
	node.set_meta("lost", 1)
	var scene = PackedScene.new()
	scene.pack(node)
	ResourceSaver.save("res://seen.tscn", scene)
	quit()
GDSCRIPT
godot godot3-server --path old -s res://save.gd >out.txt 2>error.txt
grep -q '__meta__' old/seen.tres
grep -q '__meta__' old/seen.tscn

echo 'config_version=5' >new/project.godot
cp old/seen.* new
cat >new/load.gd <<'GDSCRIPT'
extends SceneTree


func _init() -> void:
	for path: String in ["res://seen.tres", "res://seen.res"]:
		var resource := ResourceLoader.load(path)
		print(path, " ", resource.resource_name, " ", resource.get_meta_list())
	var node: Node = (ResourceLoader.load("res://seen.tscn") as PackedScene).instantiate()
	print("res://seen.tscn ", node.name, " ", node.get_meta_list())
	quit()
GDSCRIPT
godot godot --headless --path new --script res://load.gd 2>error.txt | grep '^res:' >seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
res://seen.tres kept []
res://seen.res kept []
res://seen.tscn Kept []
SEEN
echo "as seen"

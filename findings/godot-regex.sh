#!/usr/bin/env bash
# Godot 4.6.3 (package godot 4.6.3 of Debian's sid), RegEx and the case of letters in String, on texts that are not ASCII.
#
# Guess: texts and names of Godot are Unicode, so that \w is a letter of any language, (?i) knows É and é as to_lower does, and \b is the
# border of a word. A name that is_valid_unicode_identifier takes is matched by ^\w+$.
#
# Seen: \w, \s, \b and [[:alpha:]] know ASCII only: of "été" \w+ finds "t", and ^\w+$ refuses the valid identifier "é". (?i) does not find É
# for é. \p{L} finds all letters, and (*UCP) at the beginning of a pattern makes the others right. A pattern for names, words or paths
# that was tried with English texts takes others apart, without an error.
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


func found(pattern: String, text: String) -> String:
	var result := RegEx.create_from_string(pattern).search(text)
	return result.get_string() if result else "nothing"


func _init() -> void:
	for pattern: String in ["\\w+", "(*UCP)\\w+", "\\p{L}+", "[[:alpha:]]+", "(*UCP)[[:alpha:]]+"]:
		print(pattern, " in été: ", found(pattern, "été"))
	print("é as É: ", found("(?i)é", "É"), ", (*UCP) ", found("(*UCP)(?i)é", "É"), ", to_lower ", "É".to_lower())
	print("\\bé: ", found("\\bé", "é"), ", (*UCP) ", found("(*UCP)\\bé", "é"))
	print("blank 160: ", found("\\s", "\u00a0") != "nothing", ", (*UCP) ", found("(*UCP)\\s", "\u00a0") != "nothing")
	print("identifier é: ", "é".is_valid_unicode_identifier(), ", ^\\w+$ ", found("^\\w+$", "é"))
	quit()
GDSCRIPT
godot --path game --script res://seen.gd 2>error.txt | grep -v '^Godot Engine\|^ *$' >out.txt
cat out.txt
diff out.txt - <<'SEEN'
\w+ in été: t
(*UCP)\w+ in été: été
\p{L}+ in été: été
[[:alpha:]]+ in été: t
(*UCP)[[:alpha:]]+ in été: été
é as É: nothing, (*UCP) É, to_lower é
\bé: nothing, (*UCP) é
blank 160: false, (*UCP) true
identifier é: true, ^\w+$ nothing
SEEN
echo "as seen"

#!/usr/bin/env bash
# tree-sitter-godot-resource 0.7.0 with tree-sitter 0.21.1 (npm, the grammar by which editors colour scenes and resources of Godot as
# text, on Node 20, x86-64 Linux).
#
# Guess: every property that an engine of version 4 writes has a tree without an error; texts that only engines read may lack one.
#
# Seen: typed arrays and dictionaries, inf, nan, and strings of several lines are right, but three forms are errors. The & of a
# StringName is an unexpected sign, and the value is then a plain string: that of every AnimationPlayer, whose libraries are a
# dictionary with the key &"". Of -inf the - is left out, and the value is the identifier inf. A property whose name is in quotes,
# because of a blank in it, ends its section: it is not a property, and the next one is a part of the same error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund tree-sitter@0.21.1 tree-sitter-godot-resource@0.7.0 >/dev/null 2>&1
cat >run.js <<'JS'
const assert = require("node:assert");
const Parser = require("tree-sitter");
const parser = new Parser();
parser.setLanguage(require("tree-sitter-godot-resource"));

/** The tree of the properties below the tag [resource]. */
function tree(lines) {
  const { rootNode } = parser.parse(`[gd_resource type="Resource" format=3]\n\n[resource]\n${lines}\n`);
  return [rootNode.hasError, rootNode.toString().split("(section (identifier)").at(-1)];
}

for (const right of ['a = Array[int]([1, 2])', 'a = Dictionary[String, int]({\n"a": 1\n})', "a = inf", "a = nan", 'a = "two\nlines"', 'a/b = NodePath("A/B")']) {
  assert.equal(tree(right)[0], false, right);
}
const seen = [
  ['a = &"name"', " (property (path) (ERROR (UNEXPECTED '&')) (string))))"],
  ['libraries = {\n&"": SubResource("x")\n}', " (property (path) (dictionary (ERROR (UNEXPECTED '&')) (pair (string) (constructor (identifier) (arguments (string))))))))"],
  ["a = -inf", " (property (path) (ERROR (UNEXPECTED 'i')) (identifier))))"],
  ['a = 1\n"a b" = 2\nc = 3', " (property (path) (integer))) (ERROR (string) (integer) (integer)))"],
];
for (const [lines, expected] of seen) assert.deepEqual(tree(lines), [true, expected], lines);
console.log("as seen: &, -inf and names in quotes are errors, with other trees in their place");
JS
node run.js

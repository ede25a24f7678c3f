#!/usr/bin/env bash
# kaitai-struct-compiler 0.11.0 (npm, readers of binary formats made from a description), its JavaScript with kaitai-struct 0.11.0 (npm, on
# Node 20 or newer) beside its Python with kaitaistruct 0.11 (PyPI), on the same bytes.
#
# Guess: JavaScript rounds a u8 beyond 2 ** 53, and its shifts have 32 bits with a sign; so far the guess was right. Texts and what is
# computed of them are the same in both languages, and the compiler warns where a language cannot hold a value.
#
# Seen: in JavaScript, << & | ^ and ~ have a result of 32 bits with a sign: a u4 of 0xfedcba98 is negative after `& 0xffffff00`, and loses
# its top byte by `<< 8`, so that numbers of 7 bits a byte which are put together by shifts are wrong from 2 ** 31 on. A u8 is rounded
# beyond 2 ** 53, and equal to its neighbours. A text of é and an emoji has the length 3, and 2 in Python. "12abc".to_i is 12, and an error in
# Python. Division and % of negative numbers are the same. There is no error or warning when the code is made.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kaitaistruct==0.11
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund kaitai-struct-compiler@0.11.0 kaitai-struct@0.11.0
cat >run.js <<'JS'
const { writeFileSync } = require("node:fs");
const compiler = require("kaitai-struct-compiler");
const { KaitaiStream } = require("kaitai-struct");

const values = {
  masked: "number & 0xffffff00",
  shifted: "number << 8",
  inverted: "~number",
  joined: "(groups[0] & 127) | ((groups[1] & 127) << 7) | ((groups[2] & 127) << 14) | ((groups[3] & 127) << 21) | (groups[4] << 28)",
  long_bit: "long & 1",
  neighbour: "long == 9007199254740992",
  text_length: "text.length",
  number_of_text: '"12abc".to_i',
  half: "-7 / 2",
  rest: "-7 % 3",
};
const description = {
  meta: { id: "seen", endian: "le" },
  seq: [
    { id: "long", type: "u8" },
    { id: "number", type: "u4" },
    { id: "groups", type: "u1", repeat: "expr", "repeat-expr": 5 },
    { id: "text", type: "str", size: 6, encoding: "UTF-8" },
  ],
  instances: Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }])),
};
(async () => {
  for (const language of ["javascript", "python"]) {
    for (const [name, code] of Object.entries(await compiler.compile(language, description, null, false))) writeFileSync(name, code);
  }
  const bytes = Buffer.alloc(23);
  bytes.writeBigUInt64LE(2n ** 53n + 1n);
  bytes.writeUInt32LE(0xfedcba98, 8);
  bytes.set([0x80, 0x80, 0x80, 0x80, 8], 12); // 2 ** 31
  bytes.write("é😀", 17);
  writeFileSync("bytes", bytes);
  const { Seen } = require("./Seen.js");
  const seen = new Seen(new KaitaiStream(new Uint8Array(bytes).buffer));
  for (const name of ["long", ...Object.keys(values)]) {
    console.log(name, String(seen[name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())]));
  }
})();
JS
node run.js >javascript.txt
cat >run.py <<'PYTHON'
from seen import Seen

seen = Seen.from_file("bytes")
for line in open("javascript.txt"):
    name = line.split()[0]
    try:
        print(line.strip(), getattr(seen, name))
    except ValueError:
        print(line.strip(), "ValueError")
PYTHON
venv/bin/python run.py >out.txt
cat out.txt
diff out.txt - <<'SEEN'
long 9007199254740992 9007199254740993
masked -19088896 4275878400
shifted -591751168 1094624909312
inverted 19088743 -4275878553
joined -2147483648 2147483648
long_bit 0 1
neighbour true False
text_length 3 2
number_of_text 12 ValueError
half -4 -4
rest 2 2
SEEN
echo "as seen"

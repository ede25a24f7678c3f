// Measures `decode` and `encode` against `JSON.parse` and `JSON.stringify` of the same document, and values without types against
// those of their plain JSON and @gd-com/utils, which is pure JavaScript; and the size of the package:
//   npm run bench           all
//   npm run bench -- --json figures for programs
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

import gdCom from "@gd-com/utils";
import { decode, encode, toText } from "enginewire";

const fixtures = new URL("../../../fixtures/", import.meta.url);
const read = (name) => new Uint8Array(readFileSync(new URL(name, fixtures)));

/** The median time of a call, in nanoseconds. */
function time(work) {
  const turns = (milliseconds) => {
    let count = 0;
    const start = process.hrtime.bigint();
    const end = start + BigInt(milliseconds) * 1_000_000n;
    let now = start;
    while (now < end) {
      for (let turn = 0; turn < 64; turn++) work();
      count += 64;
      now = process.hrtime.bigint();
    }
    return Number(now - start) / count;
  };
  turns(400); // until it is compiled
  const all = Array.from({ length: 9 }, () => turns(60)).sort((a, b) => a - b);
  return all[4];
}

const three = encode(
  {
    entries: Array.from({ length: 9 }, (_, number) => [
      { key: `Health${number}`, type: "Double", value: number + 0.5 },
      { key: `Spawn${number}`, type: "Vector3", value: { x: number, y: 0.5, z: -1 } },
    ]).flat().slice(0, 12),
  },
  { format: "roblox-attributes" },
);

const cases = [
  ["attributes, 12 entries", "roblox-attributes", three],
  ["attributes, every type", "roblox-attributes", read("roblox-attributes/all-types.bin")],
  ["attributes, as in a game", "roblox-attributes", read("roblox-attributes/readable.bin")],
  ["Variant, a message", "godot-4", read("godot-4/packet_peer_supported.bin")],
  ["Variant, every type", "godot-4", read("godot-4/array_of_all.bin")],
  ["LuaObject", "scrap-mechanic-lua", read("scrap-mechanic-lua/readable.bin")],
  ["remote packet", "roblox-remote", read("roblox-remote/all-types.bin")],
];

const figures = cases.map(([name, format, bytes]) => {
  const text = toText(bytes, { format });
  const document = decode(bytes, { format });
  const plain = JSON.parse(text);
  const [decoded, parsed, encoded, stringified] = [
    time(() => decode(bytes, { format })),
    time(() => JSON.parse(text)),
    time(() => encode(document, { format })),
    time(() => JSON.stringify(plain)),
  ];
  return { name, bytes: bytes.length, text: text.length, decoded, parsed, ratio: decoded / parsed, encoded, stringified };
});

const player = (id) => ({
  id, name: `player${id}`, x: id + 0.5, y: id * 0.25, hp: 100 - (id % 7), isAlive: id % 3 !== 0, items: ["sword", "rope", id], team: id % 2 ? "red" : "blue",
});
const untyped = [
  ["a small dictionary", { id: 7, name: "Ada", at: [1.5, -2.25], hp: 80, isReady: true, items: ["sword", "rope"] }],
  ["200 players", Array.from({ length: 200 }, (_, id) => player(id))],
].map(([name, value]) => {
  // the version whose containers @gd-com/utils knows
  const [format, plain] = ["godot-3", { format: "godot-3", form: "plain" }];
  const bytes = encode(value, plain);
  const [exact, text, buffer] = [decode(bytes, { format }), JSON.stringify(value), Buffer.from(bytes)];
  return {
    name,
    decode: [() => decode(bytes, plain), () => decode(bytes, { format }), () => JSON.parse(text), () => gdCom.getVar(buffer)].map(time),
    encode: [() => encode(value, plain), () => encode(exact, { format }), () => JSON.stringify(value), () => gdCom.putVar(value)].map(time),
  };
});

const wasm = readFileSync(new URL("../dist/enginewire.wasm", import.meta.url));
const brotli = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ wasm: wasm.length, brotli: brotli.length, figures, untyped }));
} else {
  const µs = (nanoseconds) => `${(nanoseconds / 1000).toFixed(2)} µs`.padStart(12);
  console.log(`${"".padEnd(26)}${"bytes".padStart(7)}${"JSON".padStart(7)}${"decode".padStart(12)}${"JSON.parse".padStart(12)}${"ratio".padStart(7)}${"encode".padStart(12)}${"stringify".padStart(12)}`);
  for (const { name, bytes, text, decoded, parsed, ratio, encoded, stringified } of figures) {
    console.log(`${name.padEnd(26)}${String(bytes).padStart(7)}${String(text).padStart(7)}${µs(decoded)}${µs(parsed)}${ratio.toFixed(2).padStart(7)}${µs(encoded)}${µs(stringified)}`);
  }
  console.log(`${"".padEnd(26)}${["plain", "exact", "JSON", "@gd-com/utils"].map((name) => name.padStart(15)).join("")}`);
  for (const { name, ...both } of untyped) {
    for (const way in both) console.log(`${`${way} ${name}`.padEnd(26)}${both[way].map((time) => µs(time).padStart(15)).join("")}`);
  }
  console.log(`enginewire.wasm: ${wasm.length} bytes, ${brotli.length} by brotli`);
}

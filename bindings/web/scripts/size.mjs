// Lists the size of each part of the module, by the names of its functions, before wasm-opt:
//   node scripts/size.mjs [FILE]
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = "../target/wasm32-unknown-unknown/release/enginewire_web.wasm";
const bytes = readFileSync(process.argv[2] ?? fileURLToPath(new URL(built, import.meta.url)));

/** The Rust name of a function, without the arguments of generics. */
function demangled(name) {
  if (!name.startsWith("_ZN")) return name;
  let [rest, path] = [name.slice(3), ""];
  for (let length; (length = parseInt(rest)) > 0; rest = rest.slice(String(length).length + length)) {
    path += `::${rest.slice(String(length).length, String(length).length + length)}`;
  }
  return path.replaceAll("..", "::").replaceAll("$LT$", "<").replaceAll("$GT$", ">").replaceAll("$u20$", " ");
}

/** The parts of the module. A function belongs to the first whose pattern matches its name. */
const PARTS = [
  ["parsers: decoding, checking, streams and trees", /nom::internal|enginewire::wire|variant::parser|Parser/],
  ["writing JSON and objects", /member::give|Give|serde_core::ser|serde_json::ser|::objects|json::(write|text)/],
  ["reading JSON", /::member::|serde_core::de|serde_json|json::read|::typed/],
  ["the languages of the engines", /::gdscript|::luau|::notation|lua_object::lua/],
  ["model files", /roblox::model|quick_xml|ruzstd|lz4_flex/],
  ["values and their encoding", /enginewire::/],
  ["the package itself", /enginewire_web|wasm_bindgen|js_sys/],
  ["the standard library, also where it serves the others", /./],
];

let at = 8;

function number() {
  let [value, shift, byte] = [0, 0, 0];
  do {
    byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    shift += 7;
  } while (byte > 127);
  return value;
}

function text() {
  const length = number();
  at += length;
  return bytes.toString("utf8", at - length, at);
}

const [sizes, names, data] = [[], new Map(), { size: 0 }];
let imported = 0;
while (at < bytes.length) {
  const kind = bytes[at++];
  const size = number();
  const end = at + size;
  if (kind === 2) {
    // wasm-bindgen's module imports only functions
    imported = number();
  } else if (kind === 10) {
    for (let left = number(); left > 0; left--) {
      const length = number();
      sizes.push(length);
      at += length;
    }
  } else if (kind === 11) {
    data.size = size;
  } else if (kind === 0 && text() === "name") {
    while (at < end) {
      const isOfFunctions = bytes[at++] === 1;
      const after = number() + at;
      if (isOfFunctions) for (let left = number(); left > 0; left--) names.set(number(), text());
      at = after;
    }
  }
  at = end;
}

const sums = new Map(PARTS.map(([part]) => [part, 0]));
sizes.forEach((size, index) => {
  const name = demangled(names.get(imported + index) ?? "");
  const [part] = PARTS.find(([, fits]) => fits.test(name)) ?? PARTS.at(-1);
  sums.set(part, sums.get(part) + size);
});
sums.set("texts and tables", data.size);
const total = [...sums.values()].reduce((sum, size) => sum + size, 0);
for (const [part, size] of [...sums].sort(([, a], [, b]) => b - a)) {
  console.log(`${String(Math.round(size / 1000)).padStart(5)} kB ${String(Math.round((100 * size) / total)).padStart(3)} %  ${part}`);
}
